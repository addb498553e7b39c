/* Requests to rinkd, many at a time: JSON both ways, and pieces of files. Every request ends with
 * exactly one call of its function, from client_wait(). */
#ifndef RINKD_WORKERS_NODE_CLIENT_H
#define RINKD_WORKERS_NODE_CLIENT_H

#include <curl/curl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct client;

struct client_settings {
    const char *url;     /* "https://host:8080", without a final slash */
    const char *token;   /* "": none */
    const char *ca_file; /* NULL: the system's */
};

/* NULL: no memory. The texts are copied. */
struct client *client_new(const struct client_settings *settings);
/* Forgets requests under way: their functions are not called. NULL is fine. */
void client_free(struct client *client);

/* What came of a request; lives during the call. */
struct client_answer {
    long status;           /* 0: no answer came */
    const json_t *json;    /* the body if it is JSON, else NULL */
    int64_t retry_after_s; /* 0: not told */
    const char *reason;    /* why it is not 2xx, for people */
};
typedef void client_done(void *context, const struct client_answer *answer);

enum client_verb { CLIENT_GET, CLIENT_POST, CLIENT_PUT };

struct client_call {
    enum client_verb verb;
    const char *path;   /* "/v1/nodes", copied */
    const json_t *body; /* CLIENT_POST: sent as JSON; borrowed until the call returns */
    int file;           /* CLIENT_GET: 200 and 206 are appended to it; CLIENT_PUT: read from it */
    int64_t from, bytes, of; /* CLIENT_GET: continue after `from` bytes. CLIENT_PUT: these bytes of
                                `of`, Content-Range tells */
    double most_s;           /* for the whole answer; 0: until nothing moves for a minute */
    client_done *done;
    void *context;
};

/* Starts a request; `file` stays open until it has ended. False: memory is short, and `done` is not
 * called. */
bool client_begin(struct client *client, const struct client_call *call);

/* Waits until a descriptor is ready, something has come for a request, or the time is over. */
void client_wait(struct client *client, struct curl_waitfd *fds, unsigned count, int most_ms);

#endif
