/* GET /metrics: the counters of service/base/metrics.h, and gauges from the parts of the daemon. */
#include "service/routes/routes.h"

#include "service/base/core.h"
#include "service/base/disk.h"
#include "service/base/metrics.h"
#include "service/routes/server.h"
#include "service/shots/shots.h"
#include "service/store/jobs.h"
#include "service/store/runs.h"

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
    write_jobs(page, store);
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
