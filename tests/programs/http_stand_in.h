/* A server for clients under test: gives prepared answers in order, one connection each, whatever
 * the request, and records the requests. An error of the test itself ends it. */
#ifndef RINKD_TESTS_PROGRAMS_HTTP_STAND_IN_H
#define RINKD_TESTS_PROGRAMS_HTTP_STAND_IN_H

#include <pthread.h>
#include <stdbool.h>

enum { STAND_IN_REQUESTS_MAX = 16, STAND_IN_REQUEST_BYTES = 8192 };

struct http_stand_in {
    int port, socket;
    pthread_t thread;
    const char *const *answers; /* "" closes the connection without an answer; NULL at the end */
    char requests[STAND_IN_REQUESTS_MAX][STAND_IN_REQUEST_BYTES]; /* head and body, 0-terminated */
    int count;
};

/* Listens on any free port until the last answer is sent. The answers must live until
 * stand_in_end(). */
void stand_in_start(struct http_stand_in *stand_in, const char *const *answers);

/* Listens and answers nobody; then, when nobody can call any more, whether somebody has. Either
 * replaces the other two functions. */
void stand_in_listen(struct http_stand_in *stand_in);
bool stand_in_was_called(struct http_stand_in *stand_in);

/* Waits until all answers are sent. */
void stand_in_end(struct http_stand_in *stand_in);

/* An answer that ends when its connection closes. */
#define STAND_IN_ANSWER(status, head, body) \
    "HTTP/1.1 " status " X\r\nConnection: close\r\n" head "\r\n" body

#endif
