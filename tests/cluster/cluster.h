/* A daemon with nodes on loopback, and a network between them that can be bad. The worker programs
 * are stand-ins (worker.c), so that many small tasks go by. An error of the test itself ends it. */
#ifndef RINKD_TESTS_CLUSTER_CLUSTER_H
#define RINKD_TESTS_CLUSTER_CLUSTER_H

#include "tests/api/daemon.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { CLUSTER_NODES = 4, CLUSTER_HASH = 65, CLUSTER_RECORD = 64 };

/* Makes a daemon's folder with stand-ins for the workers; `kind` is part of the name of the folder
 * of programs: "plain", "liar", "cutter", "slow" (worker.c). The second one makes another such
 * folder in it.
 */
void cluster_prepare(struct daemon_process *daemon);
/* Makes the daemon's own workers slow; before its start. */
void cluster_slow_down(struct daemon_process *daemon);
void cluster_programs(const struct daemon_process *daemon, const char *kind, char ret_path[128]);
/* Starts the daemon with flags, on the port that it had before. */
void cluster_start_daemon(struct daemon_process *daemon, const char *const *flags);

/* A node; its cache is in the daemon's folder. */
struct cluster_node {
    pid_t pid; /* 0: not running */
    char name[16];
    char log[128];
};
struct cluster_settings {
    int port;               /* that it asks */
    const char *programs;   /* NULL: the plain stand-ins */
    const char *token_file; /* NULL: none */
    const char *golden;     /* NULL: as the daemon */
    const char *cache;      /* part of the name of its folder; NULL: the name of the node */
    int until_idle_s;       /* 0: never */
    int cores;              /* 0: 2 */
    const char *kinds;      /* of jobs; NULL: all */
};
void cluster_start_node(const struct daemon_process *daemon, const char *name,
                        const struct cluster_settings *settings, struct cluster_node *ret_node);
/* Sends the signal and waits. Returns the exit status, or 128 + signal. */
int cluster_end_node(struct cluster_node *node, int signal);
/* Whether its log has the words. */
bool cluster_node_says(const struct cluster_node *node, const char *words);

/* Adds a match of that many pairs; returns the job. */
int64_t cluster_add(const struct daemon_process *daemon, int pairs, uint64_t seed);
/* Returns a job with its history, the caller's. */
json_t *cluster_job(const struct daemon_process *daemon, int64_t job);
/* Waits until its state is this one. */
void cluster_wait_state(const struct daemon_process *daemon, int64_t job, const char *state);
/* Whether the job has ended; it must not be buried. */
bool cluster_has_ended(const struct daemon_process *daemon, int64_t job);
/* Waits for that, then writes the hash of its result, which must be the hash of records.jsonl and
 * have that many pairs. */
void cluster_result(const struct daemon_process *daemon, int64_t job, int pairs,
                    char ret_hash[CLUSTER_HASH]);
/* What a task of it finds, and the hash of any bytes. */
void cluster_record(int64_t number, uint64_t seed, char ret_record[CLUSTER_RECORD + 1]);
void cluster_hash(const void *bytes, size_t size, char ret_hash[CLUSTER_HASH]);
/* The hash of such a match; made by the same rule as in worker.c. */
void cluster_expected(int pairs, uint64_t seed, char ret_hash[CLUSTER_HASH]);
/* A whole number of /v1/nodes/NAME; -1: there is no such node. */
int64_t cluster_node_number(const struct daemon_process *daemon, const char *name,
                            const char *member);
void cluster_sleep_ms(int ms);

/* A network: passes bytes on, but delays them, cuts connections in the middle, or refuses them. */
struct cluster_proxy {
    int port, to_port, socket;
    atomic_int badness; /* percent of pieces that are cut; 0: a good network */
    atomic_bool ends;
    atomic_int cuts, open;
    uint64_t seed;
    pthread_t thread;
};
void cluster_proxy_start(struct cluster_proxy *proxy, int to_port, int badness, uint64_t seed);
void cluster_proxy_end(struct cluster_proxy *proxy);

#endif
