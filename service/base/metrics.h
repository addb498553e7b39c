/* Counters and histograms of the daemon in the Prometheus text format. Counting is lock-free,
 * from any thread. One table in metrics.c names them all; service/routes/metrics_page.c builds
 * the page. */
#ifndef RINKD_SERVICE_BASE_METRICS_H
#define RINKD_SERVICE_BASE_METRICS_H

#include <stdint.h>
#include <stdio.h>

struct metrics;

enum metric_counter {
    METRIC_REQUESTS_2XX, /* the four in this order */
    METRIC_REQUESTS_3XX,
    METRIC_REQUESTS_4XX,
    METRIC_REQUESTS_5XX,
    METRIC_SHOTS_ANSWERED,
    METRIC_SHOTS_SHARED, /* answered by an identical query of another caller */
    METRIC_SHOTS_REFUSED,
    METRIC_SIMULATED_THROWS,
    METRIC_JOBS_ADDED,
    METRIC_JOBS_DONE,
    METRIC_JOBS_RETRIED,
    METRIC_TASKS_DONE,
    METRIC_TASKS_FAILED,
    METRIC_TASK_CHECKS_WRONG,
    METRIC_JOBS_BURIED,
    METRIC_WORKERS_DIED,
    METRIC_WEBHOOKS_DELIVERED, /* the three in this order */
    METRIC_WEBHOOKS_RETRIED,
    METRIC_WEBHOOKS_FAILED,
    METRIC_COMMITS,
    METRIC_COMMITS_FAILED,
    METRIC_CLOCK_STEPS,
    METRIC_CONNECTIONS_ENDED,
    METRIC_REMOVED_JOBS, /* three in the order of enum kept_kind */
    METRIC_REMOVED_REPLAYS,
    METRIC_REMOVED_BACKUPS,
    METRIC_REMOVED_JOBS_BYTES, /* the same */
    METRIC_REMOVED_REPLAYS_BYTES,
    METRIC_REMOVED_BACKUPS_BYTES,
    METRIC_COUNTERS
};
enum metric_gauge { METRIC_CONNECTIONS, METRIC_GAUGES };
enum metric_histogram {
    METRIC_REQUEST_S,
    METRIC_SHOT_QUEUE_S,
    METRIC_SHOT_THINK_S,
    METRIC_COMMIT_S,
    METRIC_JOB_WAIT_S,
    METRIC_JOB_S,
    METRIC_HISTOGRAMS
};

struct metrics *metrics_open(void); /* NULL: out of memory */
void metrics_close(struct metrics *metrics);
void metrics_count(struct metrics *metrics, enum metric_counter counter, int64_t by);
void metrics_set(struct metrics *metrics, enum metric_gauge gauge, int64_t value);
void metrics_observe(struct metrics *metrics, enum metric_histogram histogram, double seconds);

/* Writes all counters, gauges and histograms, and memory and open files of the process, as lines of
 * the page. */
void metrics_write(struct metrics *metrics, FILE *page);

/* Writes the two lines that precede the samples of a metric ("gauge" or "counter");
 * metrics_write_gauge() adds the one sample of a gauge. */
void metrics_write_head(FILE *page, const char *name, const char *type, const char *help);
void metrics_write_gauge(FILE *page, const char *name, const char *help, double value);

#endif
