/* The HTTP server of service/http/http.h with routes for tests, each of which does one thing. */
#ifndef RINKD_TESTS_UNIT_SERVICE_HTTP_HTTP_RIG_H
#define RINKD_TESTS_UNIT_SERVICE_HTTP_HTTP_RIG_H

#include "service/base/base.h"
#include "service/base/config.h"
#include "service/base/events.h"
#include "service/http/http.h"
#include "tests/api/client.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

extern struct http_rig {
    struct config config;
    struct base base;
    struct http *http;
    int port;
    atomic_int holds;    /* requests that began to wait … */
    atomic_int hang_ups; /* … and how often the client of one hung up */
    atomic_int commits;  /* committed writes */
} http_rig;

/* Fixtures: a server in an empty folder. With tokens: "abc" for ann, with scope read, and one for
 * bob, the admin, whose token nobody knows. */
int http_rig_start(void **state);
int http_rig_start_with_tokens(void **state);
int http_rig_stop(void **state);

/* The id of the event "over" that /ended/{topic} reports (http_last_events()). */
enum { HTTP_RIG_END = 7 };

/* Waits until the counter reaches the value; the time limit of the test ends a wait that never
 * succeeds. */
void http_rig_wait(atomic_int *counter, int value);

/* Returns a text from a reply's JSON, "" if missing. */
const char *reply_text(const struct reply *reply, const char *key);

#define HTTP_TEST(function) cmocka_unit_test_setup_teardown(function, http_rig_start, http_rig_stop)

#endif
