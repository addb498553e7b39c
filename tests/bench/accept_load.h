/* Load on a server of this machine: connections that stay open, each with at most one request under
 * way. One thread, so that the server has the rest of the processors. An error on this side ends
 * the program. */
#ifndef RINKD_TESTS_BENCH_ACCEPT_LOAD_H
#define RINKD_TESTS_BENCH_ACCEPT_LOAD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct load {
    int port, connections;
    double seconds;
    double per_s; /* offered; 0: each connection asks again as soon as it was answered */
    /* Writes the k-th request into `size` bytes and returns its length. */
    size_t (*write)(int64_t k, size_t size, char *ret_text);
    /* The length of the first answer in what was received, and its status; 0 while a part is
     * missing.
     */
    size_t (*read)(const char *text, size_t size, int *ret_status);
};

struct load_result {
    int64_t good, busy, bad; /* answers 2xx, 503, other */
    double good_per_s, busy_per_s;
    double good_p50_ms, good_p99_ms; /* from when the request was due; NaN: there were none */
    double busy_p99_ms;
};

struct load_result load_run(const struct load *load);

/* `read` of HTTP with Content-Length. */
size_t load_read_http(const char *text, size_t size, int *ret_status);

/* Seconds on the processors of a process and its children so far; resident memory in MB. */
double process_cpu_s(pid_t pid);
double process_resident_mb(pid_t pid);

#endif
