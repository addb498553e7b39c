/* Load on a local server: connections that stay open, each with at most one request under way. One
 * thread, so that the server has the other processors. An error in this client ends the program. */
#ifndef RINKD_TESTS_BENCH_ACCEPT_LOAD_H
#define RINKD_TESTS_BENCH_ACCEPT_LOAD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct load {
    int port, connections;
    double seconds;
    double per_s; /* offered rate; 0: each connection sends again as soon as it is answered */
    /* Writes the k-th request into `size` bytes and returns its length. */
    size_t (*write)(int64_t k, size_t size, char *ret_text);
    /* Returns the length of the first answer in the received text and sets its status; 0 while
     * incomplete. */
    size_t (*read)(const char *text, size_t size, int *ret_status);
};

struct load_result {
    int64_t good, busy, bad; /* answers 2xx, 503, other */
    double good_per_s, busy_per_s;
    double good_p50_ms, good_p99_ms; /* measured from when the request was due; NaN: no answers */
    double busy_p99_ms;
};

struct load_result load_run(const struct load *load);

/* A `read` for HTTP with Content-Length. */
size_t load_read_http(const char *text, size_t size, int *ret_status);

/* Returns the processor seconds of a process and its children so far; resident memory in MB. */
double process_cpu_s(pid_t pid);
double process_resident_mb(pid_t pid);

#endif
