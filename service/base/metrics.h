/* Counters, gauges and histograms of the daemon in the Prometheus text format. Updating is
 * lock-free and from any thread. One table in metrics.c names them all. */
#ifndef RINKD_SERVICE_BASE_METRICS_H
#define RINKD_SERVICE_BASE_METRICS_H

#include <stdint.h>

struct metrics;
struct server;
struct store;

enum metric_counter {
    METRIC_REQUESTS_2XX,
    METRIC_REQUESTS_3XX,
    METRIC_REQUESTS_4XX,
    METRIC_REQUESTS_5XX,
    METRIC_SHOTS_ANSWERED,
    METRIC_SHOTS_SHARED, /* answered by somebody else's identical query */
    METRIC_SHOTS_REFUSED,
    METRIC_SIMULATED_THROWS,
    METRIC_JOBS_ADDED,
    METRIC_JOBS_DONE,
    METRIC_JOBS_RETRIED,
    METRIC_JOBS_BURIED,
    METRIC_WORKERS_DIED,
    METRIC_COMMITS,
    METRIC_COUNTERS
};
enum metric_histogram {
    METRIC_REQUEST_S,
    METRIC_SHOT_QUEUE_S,
    METRIC_SHOT_THINK_S,
    METRIC_COMMIT_S,
    METRIC_JOB_S,
    METRIC_HISTOGRAMS
};

struct metrics *metrics_open(void); /* NULL: out of memory */
void metrics_close(struct metrics *metrics);
void metrics_count(struct metrics *metrics, enum metric_counter counter, int64_t by);
void metrics_observe(struct metrics *metrics, enum metric_histogram histogram, double seconds);

/* The page of GET /metrics: all of the above, gauges read from the parts of the server (jobs by
 * state, waiting requests and queries, workers, memory, files), and for live runs the newest value
 * of each metric. malloc'ed, of the caller; NULL: out of memory. */
char *metrics_page(const struct server *server, struct store *store);

#endif
