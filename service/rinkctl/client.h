/* Requests to the daemon over libcurl. A POST carries a fresh Idempotency-Key and is sent again
 * with the same key if the connection fails or the server is busy, so nothing is done twice. */
#ifndef RINKD_SERVICE_RINKCTL_CLIENT_H
#define RINKD_SERVICE_RINKCTL_CLIENT_H

#include "service/rinkctl/command.h"

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct client;

/* Reads the address and the token. NULL after a complaint. The line must outlive the client. */
struct client *client_open(const struct line *line);
void client_free(struct client *client); /* NULL is fine */
const char *client_server(const struct client *client);

enum { CLIENT_PARAMETERS_MAX = 8 };

struct client_parameter {
    const char *name,
        *value; /* a hyphen in the name is sent as an underscore; value NULL: left out */
};

struct client_call {
    const char *method; /* NULL: GET */
    const char *path;   /* "/v1/jobs/{}/log" */
    const char *id;     /* replaces {}; NULL if there is none */
    struct client_parameter parameter[CLIENT_PARAMETERS_MAX];
    const json_t *body; /* NULL: none */
    const char *file;   /* bytes that are sent instead; NULL: none */
    size_t file_bytes;
    double most_s; /* limit for the whole answer; 0: a minute */
    int wait_s;    /* seconds that the server may wait before it answers; 0: none */
    bool quiet;    /* no complaint; the caller complains, or goes on */
};

struct client_answer {
    long status; /* 0: no answer came */
    char *text;  /* the body, 0-terminated */
    size_t bytes;
    json_t *json; /* the body if it is JSON, else NULL */
};

/* Makes a call. EXIT_GOOD: status 2xx. Otherwise it has complained: EXIT_REFUSED about any other
 * status, EXIT_NO_CONNECTION, EXIT_TROUBLE (memory). The caller owns the answer in all cases. */
enum exit_status client_call(struct client *client, const struct client_call *call,
                             struct client_answer *ret_answer);
void client_answer_free(struct client_answer *answer);

/* Takes the next bytes of an answer. False: no more of them. */
typedef bool client_take(void *context, const char *bytes, size_t size);

/* A GET whose answer 200 is handed on as it arrives, however large; ret_answer has only its status
 * then. Ends and complains like client_call() (cut off: EXIT_NO_CONNECTION). EXIT_TROUBLE
 * without a complaint: the function had enough. */
enum exit_status client_fetch(struct client *client, const struct client_call *call,
                              client_take *take, void *context, struct client_answer *ret_answer);

/* Explains what the server refused: title, detail and the fields (RFC 9457), or just the status. */
void client_complain(const struct client *client, const struct client_answer *answer);

/* Fetches the items of a list over all pages, at most `most` (0: a list without pages), into
 * ret_items (owned by the caller). *ret_more: there are others. Complains like client_call(). */
enum exit_status client_list(struct client *client, const struct client_call *call, int most,
                             json_t **ret_items, bool *ret_more);

/* Receives the name and data of an event. False: wants no more of them. */
typedef bool client_event(void *context, const char *name, const json_t *data);

/* Listens until the stream ends, breaks or is silent for 40 s (the server pings every 15 s), or the
 * function has enough. Returns whether there was a stream (status 200). Never complains. */
bool client_listen(struct client *client, const struct client_call *call, client_event *event,
                   void *context);

/* Sleeps; ends early at a signal. */
void client_sleep(double time_s);

/* Set by a signal handler to end all waiting. */
extern volatile sig_atomic_t client_interrupted;

#endif
