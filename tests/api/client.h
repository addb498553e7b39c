/* An HTTP client for tests: one call, one reply, on libcurl; and raw bytes on a socket for requests
 * that no decent client sends. An error of the client itself ends the test. */
#ifndef RINKD_TESTS_API_CLIENT_H
#define RINKD_TESTS_API_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct reply {
    long status;
    char *head;   /* all header lines */
    char *text;   /* the body, 0-terminated */
    size_t bytes; /* size of text */
    json_t *json; /* the body if it is JSON, else NULL */
};

struct client_call {
    const char *method, *path; /* method NULL: GET */
    const char *body;          /* NULL: none */
    size_t bytes;              /* size of the body; 0: it is a text */
    const char *const *header; /* "Name: value", NULL at the end; NULL: none. With a body and
                                * without them: Content-Type: application/json */
    bool is_direct; /* bypasses the proxy, which spoils endless answers, broken or binary bodies,
                     * and numbers beyond JavaScript's range */
    long most_ms;   /* 0: PATIENCE_MS. On time-out the reply holds what has arrived (status 0:
                     * nothing) */
};

/* Calls http://127.0.0.1:PORT, or the port in RINKD_TEST_PROXY if that is set (tests/contract).
 * Free the reply with reply_free(). */
struct reply client_call(int port, const struct client_call *call);
struct reply client_get(int port, const char *path);
struct reply client_post(int port, const char *path, const char *body);
void reply_free(struct reply *reply);

/* The same; the test fails unless the status is this one. */
struct reply client_ask(int port, const struct client_call *call, long status);
/* A whole number of an object; the test fails if there is none. */
json_int_t client_whole(const json_t *object, const char *key);

/* Returns the value of a header of the reply, written to `size` bytes of ret_value; "" if
 * missing. */
const char *reply_header(const struct reply *reply, const char *name, size_t size, char *ret_value);

/* Checks that the reply is a complete problem (RFC 9457) with that status and slug. */
void assert_problem(const struct reply *reply, long status, const char *slug);

/* Connects, sends the bytes, and returns what arrives until the other side closes or `most_ms` have
 * passed; malloc'ed. */
char *client_raw(int port, const void *bytes, size_t size, int most_ms);
/* Returns a connected socket. */
int client_connect(int port);

#endif
