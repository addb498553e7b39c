/* Warm processes that answer questions line by line: rink-search --stdio and rink-simulate --stdio.
 * Core thread only, except functions that say otherwise.
 *
 * A question is one line with an id from the pool. It gets exactly one final answer with that id,
 * maybe partial ones before. A process has one question at a time; at most `waiting_max` others
 * wait, and callers take turns (fair_line.h).
 *
 * A question that has run for `long_s` keeps nobody out: a caller of whom nothing runs then gets a
 * further process, and the kernel shares the processors. So a caller who occupies all processes for
 * a day costs others speed, not their answers, while short questions still share the `processes`.
 * Stopping the long ones in turn would need as many processes and would spoil their limits of time.
 *
 * A process that dies starts again after 0.1 s, 0.2 s … 5 s. Its question is asked once more, as an
 * answer is a function of the question, and fails if that process dies, too. */
#ifndef RINKD_SERVICE_SHOTS_POOL_H
#define RINKD_SERVICE_SHOTS_POOL_H

#include "api/base/error.h"
#include "service/base/config.h"
#include "service/shots/fair_line.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct base;
struct pool;

struct pool_settings {
    const char *name;        /* for the log and metrics */
    const char *const *argv; /* as for child_start(); lives as long as the pool, as do all texts */
    int processes, waiting_max;
    double long_s;    /* questions that run for longer keep no other caller out */
    int most_ms;      /* a question may run for so long; 0: until its deadline. Needs can_cancel. */
    double overrun_s; /* it fails if its process is silent for so long after that */
    /* The process understands "timeout_ms" in a question, and {"cancel": ID}. Otherwise it is
     * killed when its caller is gone. */
    bool can_cancel;
    /* The first questions for a new process; they show that it works and warm it up; NULL at the
     * end. Each gets one answer, which may be an error. */
    const char *const *greetings;
};

struct pool_question {
    const char *caller; /* name of the caller; used by pool_ask() only */
    json_t *document;   /* borrowed until the end; the pool sets "id" */
    /* CLOCK_MONOTONIC; 0: none. The pool sets "timeout_ms" in the document to a little less than
     * the time left. After the deadline the question fails with API_DEADLINE, waiting or not. */
    double deadline_s;
    /* Receives a parsed answer line; borrowed. Partial answers have "is_final": false. */
    void (*partial)(struct pool_question *question, json_t *answer);
    /* Called once, at the end: API_OK with the final answer, or NULL with API_DEADLINE,
     * API_NO_WORKER (its process died twice), API_SHARE_FULL (its waiting place went to another
     * caller), API_CANCELLED (pool_cancel()) or API_DRAINING (the pool stops). `waited_s`: until a
     * process took it. */
    void (*finished)(struct pool_question *question, enum api_error error, json_t *answer,
                     double waited_s);
    /* used by the pool */
    int64_t id;
    struct fair_place place;
    double asked_s, taken_s;
    bool is_bounded; /* settings.most_ms ends it before its deadline does */
    bool is_repeated;
};

enum {
    POOL_LINE_MAX = 8 << 20, /* bytes of an answer */
    POOL_HELLO_S = 10,       /* time limit for the greetings */
    POOL_PATIENCE_S = 1,     /* time limit for a process that got a stop */
    POOL_SPARE_S = 30,       /* a further process that has no question for so long ends */
    POOL_SPARES_MAX = CONFIG_TOKENS_MAX
};

enum api_error pool_start(const struct base *base, const struct pool_settings *settings,
                          struct pool **ret_pool);
/* Adds a question. API_BUSY: the queue is full. API_SHARE_FULL: too many of this caller, and others
 * wait too. API_DRAINING: the pool stops. After an error the pool does not use the question. */
enum api_error pool_ask(struct pool *pool, struct pool_question *question);
/* Cancels a question: a waiting one ends at once with API_CANCELLED; a running one gets a stop
 * and ends with what it has. */
void pool_cancel(struct pool *pool, struct pool_question *question);
/* Any thread: counts questions that wait, and processes that think. */
int pool_waiting(const struct pool *pool);
int pool_busy(const struct pool *pool);
/* Estimates how long a new question of this caller would wait if every question takes `each_s`, in
 * seconds. */
double pool_wait_s(const struct pool *pool, const char *caller, double each_s);
/* Any thread: whether a process has answered its greetings. */
bool pool_is_ready(const struct pool *pool);
/* Fails all questions, ends the processes, frees the pool and calls `stopped`. */
void pool_stop(struct pool *pool, void (*stopped)(void *context), void *context);

#endif
