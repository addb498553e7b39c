/* What the files of the HTTP side share: the server, a connection, and an exchange, which is a
 * request with its answer. Only http*.c include this and see libmicrohttpd. */
#ifndef RINKD_SERVICE_HTTP_HTTP_EXCHANGE_H
#define RINKD_SERVICE_HTTP_HTTP_EXCHANGE_H

#include "service/base/base.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/http/http.h"
#include "service/http/http_body.h"
#include "service/http/http_target.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threads.h>

enum {
    HTTP_HEAD_MAX = 16 << 10,      /* bytes of a request's head */
    HTTP_POOL_BYTES = 36 << 10,    /* of each connection; larger heads never reach us. More than
                                    * 32 KiB, for then it is mapped and given back */
    HTTP_DISCARD_MAX = 4 << 20,    /* of a refused body are read, so that the client hears of it */
    HTTP_IDLE_S = 30,              /* without a byte */
    HTTP_HEAD_S = HTTP_IDLE_S + 5, /* for a whole head */
    HTTP_BODY_S = 30,              /* for a body, and one more for each … */
    HTTP_BODY_BYTES_PER_S = 32 << 10 /* … of these bytes */
};

struct exchange;
struct wait;

enum connection_phase { CONNECTION_HEAD, CONNECTION_BODY, CONNECTION_ANSWER, CONNECTION_ENDED };

/* A client's connection, so that the clock can end those that are too slow. Under http->lock. */
struct connection {
    struct connection *before, *after;
    int fd;
    enum connection_phase phase;
    double since_s; /* in this phase, CLOCK_MONOTONIC */
    int64_t bytes;  /* of the body */
    struct exchange
        *x; /* its request, on its own thread only; NULL: none, or its line is not there */
};

/* A connection that is suspended until there is something to say: the first member of a stream or
 * of a wait. */
struct sleeper {
    struct sleeper *before, *after; /* under http->lock */
    struct http *http;
    struct MHD_Connection *connection;
    int fd;
    bool (*is_due)(struct sleeper *sleeper, double now_s);
    atomic_bool is_gone; /* the client hung up */

    pthread_mutex_t lock; /* over the rest, and what its owner says */
    bool is_asleep;       /* the connection is suspended */
};

/* What a caller may still ask now; more comes with time. */
struct allowance {
    double requests, at_s;
};

struct http {
    const struct base *base;
    const struct route *routes;
    struct server *server; /* the routes' own, passed on with each request */
    struct MHD_Daemon *daemon;
    struct MHD_Response *no_memory; /* made at start, for when nothing else can be */
    tss_t reader;                   /* each HTTP thread's read-only store */
    atomic_bool draining, stopping;
    atomic_int active; /* exchanges that are being answered, streams left aside */

    pthread_rwlock_t running; /* read: a route's function runs, a task is handed to the core */
    atomic_bool closed;

    pthread_mutex_t lock; /* over the connections, sleepers and allowances */
    pthread_t clock;
    int hang_ups; /* epoll: the clients of the sleepers, and … */
    int bell;     /* … eventfd: wakes the clock to its end */
    struct connection *connections;
    struct sleeper *sleepers;
    struct allowance
        allowances[CONFIG_TOKENS_MAX + 1]; /* of each token; the last: without tokens */
};

enum { EXCHANGE_HEADERS_MAX = 10 };

struct exchange {
    struct http_request request; /* the first, so that one is found from the other */
    struct core_task task;
    struct http *http;
    struct MHD_Connection *connection;
    struct connection *link; /* NULL: memory was short */
    struct target target;
    struct body body;
    enum { EXCHANGE_HEAD, EXCHANGE_BODY, EXCHANGE_AWAY, EXCHANGE_DONE } phase;
    char method[12];
    const char *path; /* for the log */

    struct MHD_Response *response; /* the answer; NULL: none yet */
    int status, answers;
    int64_t bytes;     /* of its body */
    const char *text;  /* its body where that is JSON; lives with the response */
    const void *plain; /* its body where that lies in memory; as long */
    struct {
        char *name, *value;
    } header[EXCHANGE_HEADERS_MAX];
    int headers;
    bool is_stream;
    struct wait *wait; /* NULL: its next answer is the one */

    /* ROUTE_WRITE and ROUTE_CORE, core thread */
    bool has_run, held, finished;
    enum api_error ran;                                 /* what `run` returned */
    void (*after_commit)(struct http_request *request); /* NULL: nothing */
    struct hold *hold;

    char storage[]; /* of path and target */
};

static inline struct exchange *exchange_of(const struct http_request *request)
{
    return (struct exchange *)request;
}

/* http.c: sends what was answered; to be returned to libmicrohttpd. */
enum MHD_Result exchange_send(struct exchange *x);

/* http_refuse.c: a problem past libmicrohttpd, where it would take no answer, on a connection that
 * ends with it: one of its own, or the answer of an exchange, with its headers, where that is one;
 * MHD_queue_response() for our own answers, after refuse_prepare(), which is false where the
 * library is not a shared one. */
void send_last_words(int fd, enum api_error error);
void exchange_send_last_words(const struct exchange *x);
bool refuse_prepare(void);
enum MHD_Result refuse_not(struct MHD_Connection *connection, unsigned status,
                           struct MHD_Response *response);

/* http_caller.c: whether the caller may use the route, now; answers if not. */
bool exchange_admit(struct exchange *x);

/* http_input.c: whether the Accept of the request takes this media type (parameters may follow). */
bool exchange_accepts(const struct exchange *x, const char *type);

/* http_answer.c: answers with the response, which it takes; takes an answer back; the text of a
 * problem that is sent without an exchange, malloc'ed, NULL: out of memory; a header of the answer,
 * NULL: it has none. */
enum api_error exchange_give(struct exchange *x, int status, struct MHD_Response *response);
void exchange_forget_answer(struct exchange *x);
/* Sends this in the place of the answer's body: other bytes for the same thing, so its ETag becomes
 * a weak one. Takes the response. */
void exchange_replace_body(struct exchange *x, struct MHD_Response *response, int64_t bytes);
char *problem_text(enum api_error error, const char *detail, const char *instance,
                   const struct strict_errors *errors);
const char *exchange_answer_header(const struct exchange *x, const char *name);

/* http_gzip.c: compresses the answer, just before it is sent, if it is worth it and the client
 * takes that. */
void exchange_compress(struct exchange *x);

/* http_dispatch.c: gives the request its id: the client's own, where that is short and plain. */
void exchange_name(struct exchange *x);

/* http_dispatch.c: the head has come, which may be answered already (x->response); the whole
 * request has come: false when its answer comes later, by MHD_resume_connection(). */
void exchange_take_head(struct exchange *x, const char *version);
bool exchange_take_request(struct exchange *x);

/* http_sleep.c: from sleeper_begin() to sleeper_end() the sleeper's client is watched; `is_due` is
 * asked once a second whether to wake it. sleeper_sleep() suspends the connection; it is called on
 * the connection's thread, under sleeper->lock, so that who wakes it comes after that. False: the
 * client is gone. The rest from any thread. */
void sleeper_begin(struct sleeper *sleeper, struct exchange *x,
                   bool (*is_due)(struct sleeper *sleeper, double now_s));
void sleeper_end(struct sleeper *sleeper);
bool sleeper_sleep(struct sleeper *sleeper);
void sleeper_wake(struct sleeper *sleeper);
/* The clock: wakes those that are due, or all; those whose clients hung up. */
void sleepers_wake(struct http *http, bool all);
void sleepers_hang_up(struct http *http);

/* http_wait.c: looks again for a request that asked to wait, until it is answered or sleeps;
 * forgets that it asked. */
enum wait_end { WAIT_ANSWERED, WAIT_SLEEPS, WAIT_CLIENT_GONE };
enum wait_end exchange_wait(struct exchange *x);
void exchange_end_wait(struct exchange *x);
/* http_dispatch.c: calls a function of the route on this HTTP thread, whose answer replaces the one
 * before, unless it waits on. */
void exchange_run_again(struct exchange *x, route_function *function);

#endif
