/* HTTP as routes see it. The server matches a request to a route, checks its token, head and body,
 * and calls the functions of the route:
 *
 *   check   on an HTTP thread, with its read-only store: reads parameters and body and refuses bad
 *           ones. May be NULL.
 *   run     ROUTE_READ: on the same thread, with its read-only store.
 *           ROUTE_WRITE: on the core thread, in a transaction shared with others. The connection
 *           sleeps, and is answered after the commit. Anything but API_OK undoes the writes. For
 *           a request with an Idempotency-Key the server stores and repeats the answer.
 *           ROUTE_CORE: on the core thread without a transaction and without a store.
 *
 * A function returns the result of the http_… call that answered, or an error that the server then
 * answers with http_problem(request, error, NULL). `check` returns API_OK to continue; if it leaves
 * anything in request->errors, the server answers with that. `run` gives exactly one answer, unless
 * the request waits or is held. */
#ifndef RINKD_SERVICE_HTTP_HTTP_H
#define RINKD_SERVICE_HTTP_HTTP_H

#include "api/base/error.h"
#include "api/base/strict_json.h"
#include "service/base/config.h"
#include "service/store/store.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct base;
struct http;
struct http_request;
struct server; /* shared by the routes; never read here */

enum route_place { ROUTE_READ, ROUTE_WRITE, ROUTE_CORE };

/* The body that a route takes. BODY_FILE: any bytes, streamed to a temporary file in the data
 * folder; the request has its path and SHA-256. BODY_SMALL_FILE: the same, of fewer
 * bytes. */
enum route_body { BODY_NONE, BODY_JSON, BODY_OPTIONAL_JSON, BODY_FILE, BODY_SMALL_FILE };

typedef enum api_error route_function(struct http_request *request);

struct route {
    const char *method, *path; /* "/v1/jobs/{id}/cancel": a part in braces is request->arg[k] */
    enum scope scope;
    enum route_place place;
    enum route_body body;
    route_function *check, *run;
    const char *const *parameters; /* names of the query parameters it takes, NULL at the end;
                                      others are refused. NULL: none */
};

#define HTTP_SMALL_FILE_MAX ((int64_t)64 << 20) /* bytes of a BODY_SMALL_FILE */
enum { HTTP_ARGS_MAX = 4, HTTP_BODY_MAX = 1 << 20, HTTP_DEPTH_MAX = 32, HTTP_ID_MAX = 25 };

struct http_request {
    struct server *server;
    const struct route *route;
    struct store *store; /* of this thread, set for each call; ROUTE_CORE: NULL in `run` */
    const char *arg[HTTP_ARGS_MAX]; /* decoded; live as long as the request */
    struct store_page page;      /* the parameters `limit` and `cursor`; `next` for http_list() */
    json_t *body;                /* BODY_JSON: the document, else NULL */
    struct strict_errors errors; /* mistakes in the body, for API_BAD_FIELD */
    const char *file_path;       /* of a file: its path, durable; deleted after the request */
    const char *file_sha256;
    int64_t file_bytes;
    char id[HTTP_ID_MAX]; /* appears in X-Request-Id, in problems and in the log */
    unsigned scopes;      /* the caller's rights (enum scope); all of them if there are no tokens */
    const char *token;    /* its name; NULL: there are no tokens */
    const char *caller;   /* the same; "anonymous" */
    int64_t now_ms;       /* since 1970: when it arrived, then when it runs on the core thread */
    double arrived_s;     /* the same moment on CLOCK_MONOTONIC */
    void *state;          /* the route's own, from `check` to `run`; freed with … */
    void (*state_free)(void *state); /* … this, or with free() if it is NULL */
};

/* A query parameter (decoded) or a header; NULL if absent. */
const char *http_parameter(const struct http_request *request, const char *name);
const char *http_header(const struct http_request *request, const char *name);

/* Reads a whole number; `initial` if absent. A bad value answers API_BAD_PARAMETER, naming the
 * parameter. */
enum api_error http_whole_parameter(struct http_request *request, const char *name, int64_t least,
                                    int64_t most, int64_t initial, int64_t *ret_value);
/* Reads an id in the path, a whole number from 1. Returns 0 for anything else, and nothing in the
 * store has that id. */
int64_t http_id(const struct http_request *request);
/* Returns the seconds of "Prefer: wait=N"; the other function, whether it says respond-async. */
double http_prefer_wait_s(const struct http_request *request);
bool http_prefers_async(const struct http_request *request);

/* --- answers --- */

/* Adds a header to the answer that follows; both texts are copied. */
void http_add_header(struct http_request *request, const char *name, const char *value);

/* Answers with a document; steals it (NULL: answers API_NO_MEMORY). A GET answered 200 gets an
 * ETag, and If-None-Match is honoured. Returns API_OK. */
enum api_error http_json(struct http_request *request, int status, json_t *document);
/* Answers {"items":[…],"next_cursor":…|null}, with request->page.next; steals the items (NULL:
 * answers API_NO_MEMORY). */
enum api_error http_list(struct http_request *request, json_t *items);
/* Answers with a text; steals it (from malloc). */
enum api_error http_text(struct http_request *request, int status, const char *type, char *text);
/* Answers with bytes that live as long as the program. */
enum api_error http_static(struct http_request *request, const char *type, const void *bytes,
                           size_t size);
/* Sends a file as it is now, or the range that the client asks for. API_NOT_FOUND if it is gone. */
enum api_error http_file(struct http_request *request, const char *path, const char *type,
                         const char *name);
/* Sends an open file, which is of this answer alone, so without ranges and ETag; closes it. */
enum api_error http_whole_file(struct http_request *request, int file, const char *type,
                               const char *name);
enum api_error http_no_content(struct http_request *request);

/* Answers application/problem+json and returns `error`. detail NULL: the title alone, but
 * API_NOT_FOUND names what is missing, "there is no job 99", and API_BAD_FIELD all mistakes in
 * request->errors. 503 and 429 get a Retry-After. */
enum api_error http_problem(struct http_request *request, enum api_error error, const char *detail);
enum api_error http_problem_about(struct http_request *request, enum api_error error,
                                  const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Streams the events of a topic (service/base/events.h) until the client leaves or the topic ends.
 * Begins with the events after Last-Event-ID or, if that is too old or absent, with "reset" and the
 * snapshot (stolen, may be NULL). */
enum api_error http_events(struct http_request *request, const char *topic, json_t *snapshot);
/* Like http_events(), for something that has ended, whose topic may be gone. Streams the events
 * after Last-Event-ID if the topic has ended and still has all of them; else one event of that name
 * and id with the document (stolen). A client that has already heard the end is answered 204, so
 * browsers stop asking. `id` must be the same each time, and only the last event may have it. */
enum api_error http_last_events(struct http_request *request, const char *topic, const char *name,
                                int64_t id, json_t *document);

/* --- requests that wait --- */

/* Answers later; for a ROUTE_READ, or the `run` of a ROUTE_WRITE. The connection sleeps. At each
 * event of the topic (service/base/events.h), and once a second, `again` runs on an HTTP thread
 * with its read-only store; its answer replaces an earlier one, or it calls http_wait() again.
 * False means answer now: until_s (CLOCK_MONOTONIC) has come, the service drains, or memory is
 * short. If the commit fails, nothing waits. */
bool http_wait(struct http_request *request, const char *topic, double until_s,
               route_function *again);

/* --- requests after the commit --- */

/* For the `run` of a ROUTE_WRITE, at most once: `then` runs on the core thread after the commit and
 * before the answer, but not if `run` returns an error or the commit fails. It is the place for
 * events and for anything that cannot be undone. */
void http_after_commit(struct http_request *request, void (*then)(struct http_request *request));

/* --- requests that something is missing for --- */

/* For the `run` of a ROUTE_WRITE, which then returns API_BUSY without an answer: what it has
 * written is undone, and it runs anew after http_run_again(), which is called on the core thread. A
 * client that hangs up meanwhile is only noticed by the answer. */
void http_postpone(struct http_request *request);
void http_run_again(struct http_request *request);

/* --- requests that are held, on the core thread --- */

/* For the `run` of a ROUTE_CORE: the answer comes later, on the core thread, by any http_… answer
 * followed by http_release(). If the client hangs up first, `hung_up` is called once; then answer
 * (it goes nowhere) and release soon. */
enum api_error http_hold(struct http_request *request,
                         void (*hung_up)(struct http_request *request, void *context),
                         void *context);
void http_release(struct http_request *request);

/* --- the server --- */

/* Listens on the configured address (port 0: any) and serves the routes (method NULL at the end) on
 * its own threads until http_stop(). Requests carry `server` to the routes. On failure writes a
 * sentence to ret_error. */
enum api_error http_start(const struct base *base, const struct route *routes,
                          struct server *server, struct http **ret_http, int *ret_port,
                          char ret_error[STORE_ERROR_MAX]);
/* Whether http_start() could listen now; if not, writes a sentence to ret_error. */
bool http_check(const struct config *config, char ret_error[STORE_ERROR_MAX]);
/* Takes the certificate of these settings for new connections. False: the log says why, and the old
 * one stays. Core thread. */
bool http_take_certificate(const struct config *config);
/* Answers new requests other than GET with 503 from now on. */
void http_drain(struct http *http);
/* Answers all requests with 503 from now on. After it returns, no function of a route runs on an
 * HTTP thread; tasks of the core and held requests continue. Call it before core_stop(), and before
 * parts that GETs use are freed. */
void http_close(struct http *http);
/* Ends the streams, waits for answers still being sent, stops and frees. No request may be held.
 * NULL is fine. */
void http_stop(struct http *http);

#endif
