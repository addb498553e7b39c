/* A client of the HTTP interface for tests: one call, one reply, on libcurl; and raw bytes on a
 * socket for what no decent client sends. Failures of the test's own making end it. */
#ifndef RINKD_TESTS_API_CLIENT_H
#define RINKD_TESTS_API_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct reply {
    long status;
    char *head;   /* all header lines */
    char *text;   /* the body, 0-terminated */
    size_t bytes; /* of it */
    json_t *json; /* the body where it is JSON, else NULL */
};

struct client_call {
    const char *method, *path; /* method NULL: GET */
    const char *body;          /* NULL: none */
    size_t bytes;              /* of it; 0: it is a text */
    const char *const *header; /* "Name: value", NULL at the end; NULL: none. With a body and
                                * without them: Content-Type: application/json */
    bool is_direct;            /* past any proxy, which would spoil it: answers without end, bodies
                                * that are broken or bytes, numbers beyond those of JavaScript */
    long most_ms; /* 0: PATIENCE_MS. When they are over, the reply is what has come (status
                   * 0: nothing) */
};

/* http://127.0.0.1:PORT; where the environment has RINKD_TEST_PROXY, by that port instead
 * (tests/contract). Give the reply to reply_free(). */
struct reply client_call(int port, const struct client_call *call);
struct reply client_get(int port, const char *path);
struct reply client_post(int port, const char *path, const char *body);
void reply_free(struct reply *reply);

/* The value of a header of the reply in `size` bytes of ret_value, "" when it is not there. */
const char *reply_header(const struct reply *reply, const char *name, size_t size, char *ret_value);

/* The reply is a problem (RFC 9457) of that status and slug, complete in itself. */
void assert_problem(const struct reply *reply, long status, const char *slug);

/* Connects, sends the bytes, and returns what came until the other side closed or `most_ms` were
 * over; malloc'ed. */
char *client_raw(int port, const void *bytes, size_t size, int most_ms);
/* A connected socket. */
int client_connect(int port);

#endif
