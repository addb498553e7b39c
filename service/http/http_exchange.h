/* Shared by the files of service/http: the server, connections, and exchanges (a request with its
 * answer). Only these files include this and see libmicrohttpd. */
#ifndef RINKD_SERVICE_HTTP_HTTP_EXCHANGE_H
#define RINKD_SERVICE_HTTP_HTTP_EXCHANGE_H

#include "service/base/base.h"
#include "service/base/callers.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/events.h"
#include "service/http/http.h"
#include "service/http/http_body.h"
#include "service/http/http_target.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/queue.h>
#include <threads.h>

enum {
    HTTP_HEAD_MAX = 16 << 10,    /* bytes of a request's head */
    HTTP_POOL_BYTES = 36 << 10,  /* for each connection; we never see larger heads. Above 32 KiB
                                    malloc maps the block, so it is given back */
    HTTP_SPARE_CONNECTIONS = 64, /* above the limit, for health checks */
    HTTP_DISCARD_MAX = 4 << 20,  /* bytes read of a refused body: the client then gets the answer */
    HTTP_IDLE_S = 30,            /* without any byte */
    HTTP_HEAD_S = HTTP_IDLE_S + 5,   /* time limit for a whole head */
    HTTP_BODY_S = 30,                /* time limit for a body, plus one second for each … */
    HTTP_BODY_BYTES_PER_S = 32 << 10 /* … of this many bytes */
};

struct exchange;
struct wait;

enum connection_phase { CONNECTION_HEAD, CONNECTION_BODY, CONNECTION_ANSWER, CONNECTION_ENDED };

/* A client's connection, for the clock that ends slow ones. Guarded by http->lock. */
struct connection {
    LIST_ENTRY(connection) link;
    int fd;
    enum connection_phase phase;
    double since_s;     /* start of this phase, CLOCK_MONOTONIC */
    int64_t bytes;      /* bytes of the body */
    bool is_encrypted;  /* TLS: bytes of our own would be nonsense */
    bool is_spare;      /* for health checks alone; set when it begins */
    struct exchange *x; /* its request, for its own thread only; NULL: no request line yet */
};

/* A connection suspended until its topic has news. First member of a stream or a wait. */
struct sleeper {
    LIST_ENTRY(sleeper) link; /* under http->lock */
    struct http *http;
    struct listener *listener; /* to its topic; service/base/events.h */
    struct MHD_Connection *connection;
    int fd;
    bool (*is_due)(struct sleeper *sleeper, double now_s);
    atomic_bool is_gone; /* the client hung up */

    pthread_mutex_t lock; /* guards the members below, and members of its owner that say so */
    bool is_asleep;       /* the connection is suspended */
};

struct http {
    const struct base *base;
    const struct route *routes;
    struct server *server; /* the routes' own, passed on with each request */
    struct MHD_Daemon *daemon;
    struct MHD_Response *no_memory; /* made at start, for when memory is short */
    tss_t reader;                   /* a read-only store for each HTTP thread */
    atomic_bool draining, stopping;
    atomic_int active; /* exchanges that are being answered, without streams */

    pthread_rwlock_t
        running; /* read-locked while a function of a route runs or a task is submitted */
    atomic_bool closed;

    pthread_mutex_t lock; /* guards the members below */
    pthread_t clock;
    int hang_ups; /* epoll over the clients of sleepers … */
    int bell;     /* … and this eventfd, which wakes the clock thread to stop it */
    LIST_HEAD(, connection) connections;
    int connections_max, connection_count; /* without those that were ended */
    int ended_idle, spare_count;           /* since the last line of the log about them */
    LIST_HEAD(, sleeper) sleepers;
};

struct exchange {
    struct http_request request; /* first, so that exchange_of() can convert */
    struct core_task task;
    struct http *http;
    struct MHD_Connection *connection;
    struct connection *link; /* NULL: out of memory */
    struct target target;
    struct body body;
    enum { EXCHANGE_HEAD, EXCHANGE_BODY, EXCHANGE_AWAY, EXCHANGE_DONE } phase;
    char method[12];
    const char *path;          /* for the log */
    struct config_token token; /* the caller's, if it is known or expired */

    struct MHD_Response *response; /* the answer; NULL: none yet */
    int status, answers;
    int64_t bytes;       /* bytes of its body */
    const void *content; /* its body if it is in memory; lives as long as the response */
    json_t *headers;     /* values by name; NULL: none */
    bool is_stream;
    bool is_last; /* the connection ends with the answer, which is sent before any body is read */
    struct wait *wait; /* NULL: it does not wait; its next answer is sent */

    /* ROUTE_WRITE and ROUTE_CORE, core thread */
    enum { CORE_WAITS, CORE_RAN, CORE_FINISHED } on_core;
    enum api_error ran; /* the result of `run` */
    bool is_held;       /* from http_hold() to http_release() */
    bool is_postponed;  /* from http_postpone() to http_run_again() */
    bool is_comparing;  /* the GET of the resource runs, for If-Match; it must not wait */
    void (*after_commit)(struct http_request *request); /* NULL: nothing */
    struct hold *hold;

    char storage[]; /* holds path and target */
};

static inline struct exchange *exchange_of(const struct http_request *request)
{
    return (struct exchange *)request;
}

/* http.c: sends the answer; return the result to libmicrohttpd. */
enum MHD_Result exchange_send(struct exchange *x);

/* http_connections.c: connection_enter() sets the phase of an exchange's connection, and
 * connection_count_bytes() how much of its body came. connection_notify() is for libmicrohttpd.
 * connections_watch() is the clock thread: once a second it ends connections that are too slow and
 * pings quiet streams, and it notices at once when the client of a sleeping connection hangs up.
 * connections_limit() lowers the wanted number to the limit of open files. */
void connection_enter(struct exchange *x, enum connection_phase phase);
void connection_count_bytes(struct exchange *x, size_t size);
void connection_notify(void *context, struct MHD_Connection *connection, void **socket_context,
                       enum MHD_ConnectionNotificationCode code);
void *connections_watch(void *http);
int connections_limit(int wanted);

/* http_library_refusals.c: send_last_words() writes a problem, and exchange_send_last_words() the
 * answer of an exchange, straight to a connection that ends with it, for the cases where
 * libmicrohttpd takes no answer. refuse_not() is MHD_queue_response() for our own answers; call
 * refuse_prepare() first, which returns false if the library is not a shared one. */
void send_last_words(const struct connection *link, enum api_error error);
void exchange_send_last_words(const struct exchange *x);
bool refuse_prepare(void);
enum MHD_Result refuse_not(struct MHD_Connection *connection, unsigned status,
                           struct MHD_Response *response);

/* http_head.c: API_OK if every program reads the head in the same way; else the connection must not
 * be used any more, and *ret_wrong says why. */
enum api_error exchange_check_head(struct exchange *x, const char *version, const char **ret_wrong);

/* http_caller.c: whether the caller may use the route now; if not, this has answered. */
bool exchange_admit(struct exchange *x);

/* http_input.c: takes the next element of a header's list, as NAME or NAME;PARAMETERS or
 * NAME=VALUE; false at the end. list_says() compares the name, ignoring case; list_refuses() is
 * true if the parameters say q=0 (RFC 9110, 12.4.2). */
struct list_element {
    const char *text;
    size_t length, name; /* bytes of the element, and of its name */
};
bool list_next(const char **list, struct list_element *ret_element);
bool list_says(const struct list_element *element, const char *name);
bool list_refuses(const struct list_element *element);

/* http_input.c: the name of the list that the route returns, "checkpoints" for
 * /v1/runs/{id}/checkpoints; it is not 0-terminated. Cursors begin with it. */
const char *http_list_name(const struct http_request *request, int *ret_length);
/* http_input.c: reads "jobs-17", the cursor of the list of jobs, as "17"; NULL: none is given.
 * False: the cursor is of another list. */
bool http_list_cursor(const struct http_request *request, const char **ret_cursor);

/* http_input.c: whether the Accept of the request takes this media type (parameters may follow). */
bool exchange_accepts(const struct exchange *x, const char *type);

/* http_answer.c: exchange_give() answers with a response and takes it; exchange_forget_answer()
 * drops the answer; problem_text() is the body of a problem, malloc'ed, NULL: out of memory;
 * exchange_answer_header() reads a header of the answer, NULL: absent. */
enum api_error exchange_give(struct exchange *x, int status, struct MHD_Response *response);
void exchange_forget_answer(struct exchange *x);
/* Replaces the body of the answer by another encoding of the same content, so its ETag becomes
 * weak. Takes the response. */
void exchange_replace_body(struct exchange *x, struct MHD_Response *response, int64_t bytes);
char *problem_text(enum api_error error, const char *detail, const char *instance,
                   const struct strict_errors *errors);
/* http_answer.c: whether the request's If-Match lists the tag of the answer, a 200. */
bool exchange_answer_matches(const struct exchange *x);
const char *exchange_answer_header(const struct exchange *x, const char *name);

/* http_gzip.c: compresses the answer just before it is sent, if that saves bytes and the client
 * accepts it. */
void exchange_compress(struct exchange *x);

/* http_dispatch.c: gives the request its id: the client's if that is short and plain, else a random
 * one. */
void exchange_name(struct exchange *x);
/* An id that no other request has. */
void exchange_random_id(char ret_id[HTTP_ID_MAX]);

/* http_dispatch.c: exchange_take_head() checks the head and may answer (x->response).
 * exchange_take_request() handles the whole request; false if the answer comes later, by
 * MHD_resume_connection(). */
void exchange_take_head(struct exchange *x, const char *version);
bool exchange_take_request(struct exchange *x);

/* http_sleep.c: between sleeper_begin() and sleeper_end() the client is watched, events of the
 * topic after last_id wake the connection (events_listen()), and `is_due` decides once a second
 * whether to do so. sleeper_begin() returns false if memory is short. sleeper_sleep() suspends the
 * connection: call it on the connection's thread, under sleeper->lock, so that no wake-up comes
 * first; false: the client is gone. The other functions may be called from any thread. */
bool sleeper_begin(struct sleeper *sleeper, struct exchange *x,
                   bool (*is_due)(struct sleeper *sleeper, double now_s), const char *topic,
                   int64_t last_id, bool *ret_missed);
void sleeper_end(struct sleeper *sleeper);
bool sleeper_sleep(struct sleeper *sleeper);
void sleeper_wake(void *sleeper); /* for events_listen() */
/* For the clock thread: wakes the sleepers that are due, or all; and those whose clients
 * hung up. */
void sleepers_wake(struct http *http, bool all);
void sleepers_hang_up(struct http *http);

/* http_wait.c: exchange_wait() runs the route again until it answers or the connection sleeps;
 * return its result to libmicrohttpd. exchange_end_wait() cancels the wait. */
enum MHD_Result exchange_wait(struct exchange *x);
void exchange_end_wait(struct exchange *x);
/* http_dispatch.c: calls a function of the route on this HTTP thread. Its answer replaces an
 * earlier one, unless it waits again. */
void exchange_run_again(struct exchange *x, route_function *function);

#endif
