/* One table of counters and one of histograms. */
#include "service/base/metrics.h"

#include "api/base/clock.h"

#include <assert.h>
#include <dirent.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BUCKETS = 14 };

/* Upper bounds are in seconds: a request takes less than a millisecond, a job may take an hour. */
static const struct {
    const char *name, *help;
    double bound_s[BUCKETS];
} histogram_rows[METRIC_HISTOGRAMS] = {
    [METRIC_REQUEST_S] = {"rinkd_request_seconds",
                          "From the head of a request to the end of its answer.",
                          {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
                           5, 10}},
    [METRIC_SHOT_QUEUE_S] = {"rinkd_shot_queue_seconds",
                             "Shot queries: waiting for a process.",
                             {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
                              2.5, 5, 10}},
    [METRIC_SHOT_THINK_S] = {"rinkd_shot_think_seconds",
                             "Shot queries: thinking.",
                             {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
                              10, 30}},
    [METRIC_COMMIT_S] = {"rinkd_commit_seconds",
                         "Commits of the store.",
                         {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                          0.25, 0.5, 1, 2.5}},
    [METRIC_JOB_WAIT_S] = {"rinkd_job_wait_seconds",
                           "Jobs: from when a job may run to its first lease.",
                           {0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 900, 3600, 14400, 43200,
                            86400}},
    [METRIC_JOB_S] = {"rinkd_job_seconds",
                      "Jobs: from the last lease of a job that is done to its end.",
                      {0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, 14400, 43200, 86400, 604800}},
};

/* Rows with the same name are adjacent. */
static const struct {
    const char *name, *labels, *help;
} counter_rows[METRIC_COUNTERS] = {
    [METRIC_REQUESTS_2XX] = {"rinkd_requests_total", "{status=\"2xx\"}", "Requests answered."},
    [METRIC_REQUESTS_3XX] = {"rinkd_requests_total", "{status=\"3xx\"}", NULL},
    [METRIC_REQUESTS_4XX] = {"rinkd_requests_total", "{status=\"4xx\"}", NULL},
    [METRIC_REQUESTS_5XX] = {"rinkd_requests_total", "{status=\"5xx\"}", NULL},
    [METRIC_SHOTS_ANSWERED] = {"rinkd_shots_answered_total", "", "Shot queries answered."},
    [METRIC_SHOTS_SHARED] = {"rinkd_shots_shared_total", "",
                             "Shot queries answered by that of an identical query."},
    [METRIC_SHOTS_REFUSED] = {"rinkd_shots_refused_total", "",
                              "Shot queries refused because the queue is full."},
    [METRIC_SIMULATED_THROWS] = {"rinkd_simulated_throws_total", "",
                                 "Throws simulated for shot queries."},
    [METRIC_JOBS_ADDED] = {"rinkd_jobs_added_total", "", "Jobs accepted."},
    [METRIC_JOBS_DONE] = {"rinkd_jobs_done_total", "", "Jobs that ended with a result."},
    [METRIC_JOBS_RETRIED] = {"rinkd_jobs_retried_total", "",
                             "Jobs that went back to wait for another attempt."},
    [METRIC_JOBS_BURIED] = {"rinkd_jobs_buried_total", "", "Jobs that failed for good."},
    [METRIC_TASKS_DONE] = {"rinkd_tasks_done_total", "", "Parts of jobs that were done."},
    [METRIC_TASKS_FAILED] = {"rinkd_tasks_failed_total", "", "Tries of parts of jobs that failed."},
    [METRIC_TASK_CHECKS_WRONG] = {"rinkd_task_checks_wrong_total", "",
                                  "Wrong answers of nodes to tasks that were found."},
    [METRIC_WORKERS_DIED] = {"rinkd_workers_died_total", "",
                             "Worker processes that ended without a last word."},
    [METRIC_WEBHOOKS_DELIVERED] = {"rinkd_webhook_tries_total", "{outcome=\"delivered\"}",
                                   "Messages of webhooks sent, by what became of them: delivered, "
                                   "waiting for another try, failed for good."},
    [METRIC_WEBHOOKS_RETRIED] = {"rinkd_webhook_tries_total", "{outcome=\"waiting\"}", NULL},
    [METRIC_WEBHOOKS_FAILED] = {"rinkd_webhook_tries_total", "{outcome=\"failed\"}", NULL},
    [METRIC_CLOCK_STEPS] = {"rinkd_clock_steps_total", "",
                            "Times that the wall clock was set, by a quarter of a second or more."},
    [METRIC_COMMITS] = {"rinkd_commits_total", "", "Commits of the store."},
    [METRIC_COMMITS_FAILED] = {"rinkd_commits_failed_total", "",
                               "Commits that failed; their requests were answered 507 or 503."},
    [METRIC_CONNECTIONS_ENDED] = {"rinkd_connections_ended_total", "",
                                  "Idle connections ended to make room for others."},
    [METRIC_REMOVED_JOBS] = {"rinkd_removed_total", "{kind=\"jobs\"}",
                             "Things removed by the rules of retention."},
    [METRIC_REMOVED_REPLAYS] = {"rinkd_removed_total", "{kind=\"replays\"}", NULL},
    [METRIC_REMOVED_BACKUPS] = {"rinkd_removed_total", "{kind=\"backups\"}", NULL},
    [METRIC_REMOVED_JOBS_BYTES] = {"rinkd_removed_bytes_total", "{kind=\"jobs\"}",
                                   "Bytes of their files."},
    [METRIC_REMOVED_REPLAYS_BYTES] = {"rinkd_removed_bytes_total", "{kind=\"replays\"}", NULL},
    [METRIC_REMOVED_BACKUPS_BYTES] = {"rinkd_removed_bytes_total", "{kind=\"backups\"}", NULL},
};

static const struct {
    const char *name, *help;
} gauge_rows[METRIC_GAUGES] = {
    [METRIC_CONNECTIONS] = {"rinkd_connections", "Connections of clients."},
};

struct histogram {
    _Atomic int64_t count[BUCKETS + 1]; /* not cumulative; the last: above all bounds */
    _Atomic int64_t sum_ns;
};

struct metrics {
    _Atomic int64_t counter[METRIC_COUNTERS];
    _Atomic int64_t gauge[METRIC_GAUGES];
    struct histogram histogram[METRIC_HISTOGRAMS];
    double started_s; /* since 1970 */
};

struct metrics *metrics_open(void)
{
    struct metrics *metrics = calloc(1, sizeof *metrics);

    if (!metrics)
        return NULL;
    metrics->started_s = clock_s(CLOCK_REALTIME);
    return metrics;
}

void metrics_close(struct metrics *metrics)
{
    free(metrics);
}

void metrics_count(struct metrics *metrics, enum metric_counter counter, int64_t by)
{
    assert(counter < METRIC_COUNTERS &&
           by >= 0); /* Prometheus takes a falling counter for a restart */
    atomic_fetch_add_explicit(&metrics->counter[counter], by, memory_order_relaxed);
}

void metrics_set(struct metrics *metrics, enum metric_gauge gauge, int64_t value)
{
    assert(gauge < METRIC_GAUGES);
    atomic_store_explicit(&metrics->gauge[gauge], value, memory_order_relaxed);
}

void metrics_observe(struct metrics *metrics, enum metric_histogram histogram, double seconds)
{
    struct histogram *h = &metrics->histogram[histogram];
    int k = 0;

    assert(histogram < METRIC_HISTOGRAMS && seconds >= 0.0);
    while (k < BUCKETS && seconds > histogram_rows[histogram].bound_s[k])
        k++;
    atomic_fetch_add_explicit(&h->count[k], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&h->sum_ns, (int64_t)(seconds * 1e9), memory_order_relaxed);
}

void metrics_write_head(FILE *page, const char *name, const char *type, const char *help)
{
    fprintf(page, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void metrics_write_gauge(FILE *page, const char *name, const char *help, double value)
{
    metrics_write_head(page, name, "gauge", help);
    fprintf(page, "%s %.17g\n", name, value);
}

static void write_histogram(FILE *page, struct metrics *metrics, int histogram)
{
    struct histogram *h = &metrics->histogram[histogram];
    const char *name = histogram_rows[histogram].name;
    int64_t sum = 0;

    metrics_write_head(page, name, "histogram", histogram_rows[histogram].help);
    for (int k = 0; k <= BUCKETS; k++) {
        sum += atomic_load_explicit(&h->count[k], memory_order_relaxed);
        if (k < BUCKETS)
            fprintf(page, "%s_bucket{le=\"%g\"} %lld\n", name, histogram_rows[histogram].bound_s[k],
                    (long long)sum);
    }
    fprintf(page, "%s_bucket{le=\"+Inf\"} %lld\n%s_sum %.9f\n%s_count %lld\n", name, (long long)sum,
            name, (double)atomic_load_explicit(&h->sum_ns, memory_order_relaxed) * 1e-9, name,
            (long long)sum);
}

static void write_process(FILE *page, const struct metrics *metrics)
{
    long resident_pages = 0;
    int files = -3; /* not counted: ".", ".." and the folder itself */
    FILE *statm = fopen("/proc/self/statm", "re");
    DIR *folder = opendir("/proc/self/fd");

    if (statm) {
        if (fscanf(statm, "%*d %ld", &resident_pages) == 1)
            metrics_write_gauge(page, "process_resident_memory_bytes", "Memory in use.",
                                (double)resident_pages * (double)sysconf(_SC_PAGESIZE));
        fclose(statm);
    }
    if (folder) {
        while (readdir(folder))
            files++;
        closedir(folder);
        metrics_write_gauge(page, "process_open_fds", "Files and connections that are open.",
                            files);
    }
    metrics_write_gauge(page, "process_start_time_seconds", "Start of the daemon, since 1970.",
                        metrics->started_s);
}

void metrics_write(struct metrics *metrics, FILE *page)
{
    for (int k = 0; k < METRIC_COUNTERS; k++) {
        if (counter_rows[k].help)
            metrics_write_head(page, counter_rows[k].name, "counter", counter_rows[k].help);
        fprintf(page, "%s%s %lld\n", counter_rows[k].name, counter_rows[k].labels,
                (long long)atomic_load_explicit(&metrics->counter[k], memory_order_relaxed));
    }
    for (int k = 0; k < METRIC_GAUGES; k++)
        metrics_write_gauge(page, gauge_rows[k].name, gauge_rows[k].help,
                            (double)atomic_load_explicit(&metrics->gauge[k], memory_order_relaxed));
    for (int k = 0; k < METRIC_HISTOGRAMS; k++)
        write_histogram(page, metrics, k);
    write_process(page, metrics);
}
