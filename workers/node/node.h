/* A node: does tasks of a rinkd on another machine.
 *
 *   main.c        the command line
 *   node.c        registers, claims, waits, and ends
 *   node_lines.c  carries the lines of its tasks to the service, and wishes back
 *   node_task.c   one task: fetches its files, runs its process, hears its lines
 *   client.c      requests; cache.c files by hash; process.c, spool.c
 *
 * One thread. The service never calls: the node asks for a task by a request that waits, and sends
 * what its tasks say about once a second. Lines are numbered, so each counts once however often it
 * is sent. A node that hears nothing for the time of a lease stops its tasks, as others do them by
 * then. */
#ifndef RINKD_WORKERS_NODE_NODE_H
#define RINKD_WORKERS_NODE_NODE_H

#include "workers/node/cache.h"
#include "workers/node/client.h"
#include "workers/node/portion.h"
#include "workers/node/process.h"
#include "workers/node/spool.h"

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    NODE_CORES_MAX = 256,
    NODE_TOKEN_MAX = 33, /* of a session or a try, with 0 */
    NODE_GRACE_S = 20,   /* that tasks have to end after SIGTERM */
    NODE_END_S = 26,     /* by then the node has ended: batch systems kill after 30 s */
    EXIT_REFUSED = 2     /* the service does not want this node */
};

struct node_options {
    const char *url, *name, *kinds, *token_file, *ca_file, *cache, *programs, *place;
    int cores, until_idle_s, cache_mb;
    bool insecure;
};

/* The life of a task here. */
enum task_phase {
    TASK_FETCHES, /* its files come */
    TASK_RUNS,    /* its process runs */
    TASK_REPORTS, /* the process is gone; the service has not heard all of it */
    TASK_OVER     /* nothing is left to do */
};
enum task_order { TASK_TOLD_NOTHING, TASK_TOLD_DRAIN, TASK_TOLD_CANCEL };

struct node_task {
    struct node *node;
    struct node_task *next;
    int64_t job, number, cores;
    char token[NODE_TOKEN_MAX], work[CACHE_PATH_MAX];
    enum task_phase phase;
    enum task_order told;
    json_t *kind, *line, *files; /* `line` is told to the process */
    size_t fetched;              /* files that are here */
    int part;                    /* descriptor of the one that comes; -1: none */
    double retry_s;              /* not before: the next request for a file */
    bool is_away;                /* a request for a file is under way */
    struct process process;
    struct spool spool;
    bool has_last_word;              /* in the spool */
    double said_s;                   /* when the process said it */
    double progress, eta_s, heard_s; /* heard_s: the service answered, CLOCK_MONOTONIC */

    int64_t uploaded; /* number of the last line whose file the service has */
    int upload;       /* descriptor of a file that is sent; -1: none */
    int64_t upload_line, upload_at, upload_bytes;
    struct portion piece; /* of the file in a request */
    int unsound;          /* files that came with another hash, one after the other */
    char upload_sha256[CACHE_SHA256_MAX];

    int64_t posted; /* lines of the request under way */
};

enum node_phase {
    NODE_REGISTERS,
    NODE_SERVES,
    NODE_DRAINS, /* takes no more tasks; ends when the last one has */
    NODE_LEAVES, /* says goodbye */
    NODE_OVER
};

struct node {
    const struct node_options *options;
    struct client *client;
    struct cache *cache;
    json_t *golden, *versions;
    double shots_per_s; /* NAN: not measured */
    enum node_phase phase;
    char session[NODE_TOKEN_MAX];
    double lease_s;
    struct node_task *tasks;
    bool registers, claims, posts;   /* such a request is under way */
    double retry_s, claim_s, post_s; /* not before */
    double since_s;                  /* since when it has had nothing to do */
    double drain_s;                  /* when it began to drain */
    bool is_silent;                  /* the service did not answer last time; said once */
    bool is_urgent;                  /* a task has said its last word: post now */
    struct portion body;             /* of lines in a request; set for the first one */
    int status;                      /* exit status */
    int signal_fd;
};

/* Runs until the node has ended; returns the exit status. */
int node_run(struct node *node);
/* Writes a line to the log. */
void node_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Begins to drain; the second call only changes the exit status, if it was 0. */
void node_drain(struct node *node, int status);
/* Cores that no task has. One whose process is gone needs none while what it made is sent, unless
 * so much waits to be sent that the connection is what is missing. */
int64_t node_free_cores(const struct node *node);
/* Notes whether the service answers; says so when that changes. */
void node_heard(struct node *node, bool answers, const char *reason);
/* An answer 4xx that ends the node: it was suspended, another process has its name, or its token is
 * not accepted any more. True: it does. */
bool node_is_refused(struct node *node, const struct client_answer *answer);
/* The path of a route of this node, "/v1/nodes/NAME/claim". */
enum { NODE_ROUTE_MAX = 256 };
void node_route(const struct node *node, const char *verb, char ret_path[NODE_ROUTE_MAX]);

/* --- node_lines.c --- */

/* Sends what is due, and asks for wishes. */
void lines_post(struct node *node, double now_s);

/* --- node_task.c --- */

/* Takes a task that the service has handed out. NULL: memory or disk is short. */
struct node_task *task_new(struct node *node, const json_t *given, double now_s);
void task_free(struct node_task *task);
/* Does what is next: called in every turn of the loop. */
void task_step(struct node_task *task, double now_s);
void task_tell(struct node_task *task, enum task_order order);
/* Ends it without a word: it is not ours any more. */
void task_stop(struct node_task *task);
/* Adds a last word of ours: it failed, or (code NULL) is given back. */
void task_end(struct node_task *task, const char *code, const char *detail);
/* Sends the file of a line that waits for it. */
void task_upload(struct node_task *task, int64_t line, const char *sha256);

#endif
