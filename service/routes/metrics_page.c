/* GET /metrics: the counters of service/base/metrics.h, and gauges from the parts of the daemon. */
#include "service/routes/routes.h"

#include "api/jobs/job_kinds.h"
#include "service/base/core.h"
#include "service/base/disk.h"
#include "service/base/metrics.h"
#include "service/nodes/node_claims.h"
#include "service/routes/callers.h"
#include "service/routes/server.h"
#include "service/shots/shots.h"
#include "service/store/checks.h"
#include "service/store/jobs.h"
#include "service/store/nodes.h"
#include "service/store/runs.h"
#include "service/store/tasks.h"
#include "service/store/webhooks.h"
#include "service/upkeep/upkeep.h"

#include <stdio.h>
#include <stdlib.h>

enum { LIVE_MAX = 1000 };

static void write_jobs(FILE *page, struct store *store)
{
    int64_t counts[JOB_STATES];

    if (job_store_counts(store, counts) != API_OK)
        return;
    metrics_write_head(page, "rinkd_jobs", "gauge", "Jobs by state.");
    for (int state = 0; state < JOB_STATES; state++)
        fprintf(page, "rinkd_jobs{state=\"%s\"} %lld\n", job_state_name((enum job_state)state),
                (long long)counts[state]);
}

static void write_ages(FILE *page, struct store *store, int64_t now_ms)
{
    const struct job_kind *kind;
    int64_t since_ms;

    metrics_write_head(page, "rinkd_job_oldest_waiting_seconds", "gauge",
                       "How long the job waits that may run and has waited longest, by kind.");
    for (int k = 0; (kind = job_kind_at(k)) != NULL; k++) {
        bool waits = job_store_oldest_due(store, kind->name, now_ms, &since_ms) == API_OK;
        fprintf(page, "rinkd_job_oldest_waiting_seconds{kind=\"%s\"} %.3f\n", kind->name,
                waits && since_ms < now_ms ? 1e-3 * (double)(now_ms - since_ms) : 0.0);
    }
}

static void write_webhooks(FILE *page, struct store *store, int64_t now_ms)
{
    struct delivery_counts counts;

    if (delivery_store_counts(store, &counts) != API_OK)
        return;
    metrics_write_gauge(page, "rinkd_webhooks", "Webhooks.", (double)counts.webhooks);
    metrics_write_gauge(page, "rinkd_webhook_waiting", "Messages of webhooks that wait.",
                        (double)counts.waiting);
    metrics_write_gauge(page, "rinkd_webhook_oldest_waiting_seconds",
                        "Age of the oldest message of a webhook that waits.",
                        counts.oldest_ms > 0 && counts.oldest_ms < now_ms
                            ? 1e-3 * (double)(now_ms - counts.oldest_ms)
                            : 0.0);
    metrics_write_head(page, "rinkd_webhook_dropped_total", "counter",
                       "Ends of jobs that were not told because too many messages waited.");
    fprintf(page, "rinkd_webhook_dropped_total %lld\n", (long long)counts.dropped);
}

/* Writes the value of a label; names come from workers. */
static void write_label(FILE *page, const char *text)
{
    for (; *text; text++) {
        if (*text == '\\' || *text == '"')
            fprintf(page, "\\%c", *text);
        else if (*text == '\n')
            fputs("\\n", page);
        else
            fputc(*text, page);
    }
}

static void write_live(FILE *page, struct store *store)
{
    json_t *rows, *row;
    size_t k;

    if (run_store_live(store, LIVE_MAX, &rows) != API_OK)
        return;
    if (json_array_size(rows) > 0)
        metrics_write_head(page, "rinkd_run_metric", "gauge",
                           "Newest value of each curve of running jobs.");
    json_array_foreach(rows, k, row)
    {
        const json_t *value = json_object_get(row, "value");
        const char *word = json_string_value(value); /* "NaN", "Infinity", "-Infinity" */
        fprintf(page, "rinkd_run_metric{run=\"%s\",job=\"%lld\",name=\"",
                json_string_value(json_object_get(row, "run")),
                (long long)json_integer_value(json_object_get(row, "job")));
        write_label(page, json_string_value(json_object_get(row, "name")));
        if (word)
            fprintf(page, "\"} %s\n", *word == 'N' ? "NaN" : *word == '-' ? "-Inf" : "+Inf");
        else
            fprintf(page, "\"} %.17g\n", json_number_value(value));
    }
    json_decref(rows);
}

/* A metric of each caller. */
struct caller_metric {
    const char *name, *type, *help;
    int64_t (*value)(const struct caller_row *row);
};

static int64_t waiting_of(const struct caller_row *row)
{
    return row->use.waiting;
}

static int64_t running_of(const struct caller_row *row)
{
    return row->use.running;
}

static int64_t bytes_of(const struct caller_row *row)
{
    return row->use.bytes;
}

static int64_t cores_of(const struct caller_row *row)
{
    return row->use.cores;
}

static int64_t refused_of(const struct caller_row *row)
{
    return row->refused[CALLER_TOO_MANY];
}

static int64_t forbidden_of(const struct caller_row *row)
{
    return row->refused[CALLER_FORBIDDEN];
}

static int64_t expiry_of(const struct caller_row *row)
{
    return row->expires_ms / 1000;
}

static const struct caller_metric caller_metrics[] = {
    {"rinkd_caller_jobs_waiting", "gauge", "Jobs of a caller that wait.", waiting_of},
    {"rinkd_caller_jobs_running", "gauge", "Jobs of a caller that run.", running_of},
    {"rinkd_caller_waiting_bytes", "gauge", "Specs of the jobs of a caller that wait.", bytes_of},
    {"rinkd_caller_cores", "gauge", "Cores that running jobs of a caller occupy.", cores_of},
    {"rinkd_caller_refused_total", "counter", "Requests of a caller answered 429.", refused_of},
    {"rinkd_caller_forbidden_total", "counter", "Requests of a caller answered 403.", forbidden_of},
    {"rinkd_token_expiry_timestamp_seconds", "gauge",
     "When the last token of a caller expires; 0: never.", expiry_of},
};

/* The rows of all callers, malloc'ed. */
struct caller_rows {
    struct caller_row *row;
    size_t count;
};

static enum api_error keep_row(void *context, const struct caller_row *row)
{
    struct caller_rows *rows = context;
    struct caller_row *larger = realloc(rows->row, (rows->count + 1) * sizeof *larger);

    if (!larger)
        return API_NO_MEMORY;
    rows->row = larger;
    rows->row[rows->count++] = *row;
    return API_OK;
}

static void write_callers(FILE *page, const struct server *server, struct store *store)
{
    struct caller_rows rows = {.count = 0};
    bool good = callers_each(server, store, keep_row, &rows) == API_OK;

    for (size_t k = 0; good && k < sizeof caller_metrics / sizeof *caller_metrics; k++) {
        const struct caller_metric *metric = &caller_metrics[k];
        metrics_write_head(page, metric->name, metric->type, metric->help);
        for (size_t n = 0; n < rows.count; n++)
            fprintf(page, "%s{caller=\"%s\"} %lld\n", metric->name, rows.row[n].name,
                    (long long)metric->value(&rows.row[n]));
    }
    free(rows.row);
}

static void write_nodes(FILE *page, const struct server *server, struct store *store)
{
    int64_t counts[NODE_STATE_COUNT], cores, open, agreed;

    metrics_write_gauge(page, "rinkd_nodes_waiting", "Nodes that wait for a task.",
                        (double)node_claims_waiting(server->node_claims));
    if (node_store_counts(store, core_now_ms(server->base.core), counts, &cores) == API_OK) {
        metrics_write_head(page, "rinkd_nodes", "gauge",
                           "Nodes by state, without those that are away.");
        for (int k = 0; k < NODE_LEFT; k++)
            fprintf(page, "rinkd_nodes{state=\"%s\"} %lld\n", node_state_name((enum node_state)k),
                    (long long)counts[k]);
        metrics_write_gauge(page, "rinkd_node_cores", "Cores of active nodes.", (double)cores);
    }
    if (check_store_counts(store, &open, &agreed) != API_OK)
        return;
    metrics_write_gauge(page, "rinkd_task_checks_open", "Tasks that a second node has still to do.",
                        (double)open);
    metrics_write_gauge(page, "rinkd_task_checks_agreed",
                        "Tasks that two nodes did with the same answer.", (double)agreed);
}

static void write_tasks(FILE *page, struct store *store)
{
    int64_t ready, leased;

    if (task_store_counts(store, &ready, &leased) != API_OK)
        return;
    metrics_write_gauge(page, "rinkd_tasks_waiting",
                        "Parts of running jobs that wait for a worker.", (double)ready);
    metrics_write_gauge(page, "rinkd_tasks_running", "Parts of jobs that somebody does.",
                        (double)leased);
}

static void write_disk(FILE *page, const struct disk *disk)
{
    metrics_write_gauge(page, "rinkd_disk_free_bytes", "Free on the disk of the data folder.",
                        (double)disk_free_bytes(disk));
    metrics_write_gauge(page, "rinkd_disk_full", "1 while nothing can be stored.",
                        disk_is_full(disk));
    metrics_write_gauge(page, "rinkd_database_bytes", "The database with its log.",
                        (double)disk_database_bytes(disk));
}

static void write_page(FILE *page, const struct server *server, struct store *store)
{
    metrics_write_head(page, "rinkd_build_info", "gauge", "Version of the daemon.");
    fprintf(page, "rinkd_build_info{version=\"%s\"} 1\n", RINKD_VERSION);
    metrics_write(server->base.metrics, page);
    metrics_write_gauge(page, "rinkd_writes_waiting", "Requests that wait for the core thread.",
                        core_waiting(server->base.core));
    metrics_write_gauge(page, "rinkd_shots_waiting", "Shot queries that wait.",
                        shots_waiting(server->shots));
    metrics_write_gauge(page, "rinkd_shots_thinking", "Shot queries in progress.",
                        shots_thinking(server->shots));
    write_disk(page, server->base.disk);
    upkeep_write_metrics(server->upkeep, page);
    write_jobs(page, store);
    write_tasks(page, store);
    write_nodes(page, server, store);
    write_ages(page, store, core_now_ms(server->base.core));
    write_webhooks(page, store, core_now_ms(server->base.core));
    write_callers(page, server, store);
    write_live(page, store);
}

/* GET /metrics   →   200 Prometheus text */
enum api_error route_metrics_page(struct http_request *request)
{
    char *text = NULL;
    size_t size = 0;
    FILE *page = open_memstream(&text, &size);

    if (!page)
        return API_NO_MEMORY;
    write_page(page, request->server, request->store);
    bool failed = ferror(page) != 0;
    if (fclose(page) != 0 || failed) {
        free(text);
        text = NULL; /* answers API_NO_MEMORY */
    }
    return http_text(request, 200, "text/plain; version=0.0.4; charset=utf-8", text);
}
