/* The HTTP server: requests that wait for the core thread, for each other and for events, and
 * connections that misbehave. */
#include "tests/unit/service/http/http_rig.h"

/* ---- writing ---- */

static void an_answered_write_is_readable(void **state)
{
    char location[64];
    int before = atomic_load(&http_rig.commits);
    struct reply reply = client_post(http_rig.port, "/write", "{\"name\":\"first\"}");

    (void)state;
    assert_int_equal(reply.status, 202);
    assert_int_equal(atomic_load(&http_rig.commits), before + 1);
    reply_header(&reply, "Location", sizeof location, location);
    reply_free(&reply);
    reply = client_get(http_rig.port, location);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
}

static void a_refused_write_leaves_nothing(void **state)
{
    int before = atomic_load(&http_rig.commits);
    struct reply reply = client_post(http_rig.port, "/write", "{\"name\":\"half\",\"fail\":true}");

    (void)state;
    assert_int_equal(atomic_load(&http_rig.commits), before);
    assert_problem(&reply, 422, "bad-field");
    json_t *error = json_array_get(json_object_get(reply.json, "errors"), 0);
    assert_string_equal(json_string_value(json_object_get(error, "pointer")), "/fail");
    reply_free(&reply);
    reply = client_get(http_rig.port, "/write/half");
    assert_problem(&reply, 404, "not-found");
    reply_free(&reply);
}

static void a_repeated_request_is_answered_as_before(void **state)
{
    static const char *const headers[] = {"Content-Type: application/json", "Idempotency-Key: k1",
                                          NULL};
    struct client_call call = {
        .method = "POST", .path = "/write", .body = "{\"name\":\"once\"}", .header = headers};
    char value[64];
    struct reply reply = client_call(http_rig.port, &call);

    (void)state;
    assert_int_equal(reply.status, 202);
    assert_string_equal(reply_header(&reply, "Idempotency-Replayed", sizeof value, value), "");
    reply_free(&reply);
    reply = client_call(http_rig.port, &call);
    assert_int_equal(reply.status, 202);
    assert_string_equal(reply.text, "{\"name\":\"once\"}\n");
    assert_string_equal(reply_header(&reply, "Idempotency-Replayed", sizeof value, value), "true");
    assert_string_equal(reply_header(&reply, "Location", sizeof value, value), "/write/once");
    reply_free(&reply);
    call.body = "{\"name\":\"other\"}";
    reply = client_call(http_rig.port, &call);
    assert_problem(&reply, 409, "idempotency-key-reused");
    reply_free(&reply);
    reply = client_get(http_rig.port, "/write/other");
    assert_problem(&reply, 404, "not-found");
    reply_free(&reply);
}

static void a_refused_request_does_not_use_up_its_key(void **state)
{
    static const char *const headers[] = {"Content-Type: application/json", "Idempotency-Key: k2",
                                          NULL};
    struct client_call call = {.method = "POST",
                               .path = "/write",
                               .body = "{\"name\":\"later\",\"fail\":1}",
                               .header = headers};
    struct reply reply = client_call(http_rig.port, &call);

    (void)state;
    assert_problem(&reply, 422, "bad-field");
    reply_free(&reply);
    call.body = "{\"name\":\"later\"}";
    reply = client_call(http_rig.port, &call);
    assert_int_equal(reply.status, 202);
    reply_free(&reply);
}

static void *write_one(void *context)
{
    char body[64];
    struct reply reply;

    snprintf(body, sizeof body, "{\"name\":\"many%d\"}", *(int *)context);
    reply = client_post(http_rig.port, "/write", body);
    *(int *)context = (int)reply.status;
    reply_free(&reply);
    return NULL;
}

static void many_write_at_once(void **state)
{
    enum { MANY = 40 };
    pthread_t thread[MANY];
    int number[MANY];

    (void)state;
    for (int k = 0; k < MANY; k++) {
        number[k] = k;
        assert_int_equal(pthread_create(&thread[k], NULL, write_one, &number[k]), 0);
    }
    for (int k = 0; k < MANY; k++) {
        pthread_join(thread[k], NULL);
        assert_int_equal(number[k], 202);
    }
}

/* ---- waiting ---- */

static void *get_hold(void *context)
{
    struct reply reply = client_get(http_rig.port, "/hold");

    *(long *)context = reply.status;
    reply_free(&reply);
    return NULL;
}

static void a_held_request_is_answered_when_it_is_released(void **state)
{
    pthread_t thread;
    long status = 0;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, get_hold, &status), 0);
    http_rig_wait(&http_rig.holds, 1);
    struct reply reply =
        client_call(http_rig.port, &(struct client_call){.method = "POST", .path = "/release"});
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
    pthread_join(thread, NULL);
    assert_int_equal(status, 200);
    assert_int_equal(atomic_load(&http_rig.hang_ups), 0);
}

static void a_hang_up_is_noticed(void **state)
{
    static const char request[] = "GET /hold HTTP/1.1\r\nHost: localhost:80\r\n\r\n";
    int fd = client_connect(http_rig.port);

    (void)state;
    assert_int_equal(send(fd, request, sizeof request - 1, 0), sizeof request - 1);
    http_rig_wait(&http_rig.holds, 1);
    close(fd);
    http_rig_wait(&http_rig.hang_ups, 1);
}

/* ---- events ---- */

struct listening {
    const char *const *header;
    struct reply reply;
};

static void *listen_to_topic(void *context)
{
    struct listening *listening = context;

    listening->reply = client_call(
        http_rig.port, &(struct client_call){.path = "/events/topic", .header = listening->header});
    return NULL;
}

static void a_listener_hears_until_the_last_event(void **state)
{
    struct listening listening = {0};
    pthread_t thread;
    char type[64];

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, listen_to_topic, &listening), 0);
    for (int k = 0; k < 20; k++) { /* some before it listens, some while it sleeps */
        events_publish(http_rig.base.events, "topic", "step", json_pack("{s:i}", "k", k), k == 19);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    pthread_join(thread, NULL);
    assert_int_equal(listening.reply.status, 200);
    assert_string_equal(reply_header(&listening.reply, "Content-Type", sizeof type, type),
                        "text/event-stream");
    assert_non_null(strstr(listening.reply.text, "event: reset\ndata: {\"now\":\"this\"}\n\n"));
    assert_non_null(strstr(listening.reply.text, "event: step\ndata: {\"k\":19}\n\n"));
    reply_free(&listening.reply);
}

/* Returns the id of the event with that data. */
static long long id_of_event(const char *text, const char *data)
{
    long long id = 0;

    for (const char *at = text; (at = strstr(at, "id: ")) != NULL; at++) {
        const char *line = strstr(at, "data: ");
        if (line && strncmp(line + 6, data, strlen(data)) == 0) {
            id = strtoll(at + 4, NULL, 10);
            break;
        }
    }
    return id;
}

static void a_listener_resumes_after_its_last_event(void **state)
{
    static const char *const from_start[] = {"Last-Event-ID: 1000", NULL};
    char header[64];
    const char *headers[] = {header, NULL};

    (void)state;
    for (int k = 0; k < 5; k++)
        events_publish(http_rig.base.events, "old", "step", json_integer(k), k == 4);
    struct reply reply = client_call(
        http_rig.port, &(struct client_call){.path = "/events/old", .header = from_start});
    assert_null(strstr(reply.text, "reset")); /* id 1000 is when the events began */
    assert_non_null(strstr(reply.text, "data: 0\n"));
    snprintf(header, sizeof header, "Last-Event-ID: %lld", id_of_event(reply.text, "2"));
    reply_free(&reply);

    reply =
        client_call(http_rig.port, &(struct client_call){.path = "/events/old", .header = headers});
    assert_null(strstr(reply.text, "data: 2\n"));
    assert_non_null(strstr(reply.text, "data: 3\n"));
    assert_non_null(strstr(reply.text, "data: 4\n"));
    snprintf(header, sizeof header, "Last-Event-ID: %lld", id_of_event(reply.text, "4"));
    reply_free(&reply);
    reply =
        client_call(http_rig.port, &(struct client_call){.path = "/events/old", .header = headers});
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
    snprintf(header, sizeof header, "Last-Event-ID: 3");
    reply =
        client_call(http_rig.port, &(struct client_call){.path = "/events/old", .header = headers});
    assert_non_null(strstr(reply.text, "event: reset"));
    assert_null(strstr(reply.text, "event: step"));
    reply_free(&reply);
}

/* Requests the last events of an ended topic, after a given event. */
static struct reply last_events(const char *topic, long long last_id)
{
    char header[64], path[64];
    const char *const headers[] = {header, NULL};

    snprintf(header, sizeof header, "Last-Event-ID: %lld", last_id);
    snprintf(path, sizeof path, "/ended/%s", topic);
    return client_call(http_rig.port, &(struct client_call){.path = path, .header = headers});
}

static void assert_only_end(const char *topic, long long last_id)
{
    struct reply reply = last_events(topic, last_id);
    char text[80];

    snprintf(text, sizeof text, "id: %d\nevent: over\ndata: {\"now\":\"that\"}\n\n", HTTP_RIG_END);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.text, text);
    reply_free(&reply);
}

static void the_end_is_sent_after_any_last_event_id(void **state)
{
    long long id[3];

    (void)state;
    for (int k = 0; k < 3; k++)
        id[k] = events_publish(http_rig.base.events, "ended", "step", json_integer(k), k == 2);
    struct reply reply = last_events("ended", id[0]);
    assert_int_equal(id_of_event(reply.text, "1"), id[1]);
    assert_int_equal(id_of_event(reply.text, "2"), id[2]);
    assert_null(strstr(reply.text, "over"));
    reply_free(&reply);
    reply = last_events("ended", id[2]);
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
    assert_only_end("ended", 0);
    assert_only_end("ended", 3); /* before the events began */

    /* A deleted topic, and one whose last event is still to come. */
    assert_only_end("gone", id[2]);
    long long begun = events_publish(http_rig.base.events, "begun", "step", json_null(), false);
    assert_only_end("begun", begun);
    reply = last_events("gone", HTTP_RIG_END);
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
}

/* ---- connections ---- */

static void idle_and_broken_connections_do_no_harm(void **state)
{
    enum { IDLE = 300 };
    int fd[IDLE];

    (void)state;
    for (int k = 0; k < IDLE; k++) {
        fd[k] = client_connect(http_rig.port);
        if (k % 2)
            assert_int_equal(send(fd[k], "POST /echo HT", 13, MSG_NOSIGNAL), 13);
    }
    struct reply reply = client_get(http_rig.port, "/id/1");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    for (int k = 0; k < IDLE; k++)
        close(fd[k]);
    reply = client_get(http_rig.port, "/id/1");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
}

static void pipelined_requests_are_answered_in_order(void **state)
{
    static const char two[] =
        "GET /id/1 HTTP/1.1\r\nHost: localhost:80\r\n\r\n"
        "GET /id/2 HTTP/1.1\r\nHost: localhost:80\r\nConnection: close\r\n\r\n";
    char *answer = client_raw(http_rig.port, two, sizeof two - 1, 5000);
    const char *first = strstr(answer, "{\"id\":1}"), *second = strstr(answer, "{\"id\":2}");

    (void)state;
    assert_non_null(first);
    assert_non_null(second);
    assert_true(first < second);
    free(answer);
}

static void a_duplicate_length_is_refused(void **state)
{
    static const char *const requests[] = {
        "POST /maybe HTTP/1.1\r\nHost: localhost:80\r\nConnection: close\r\nContent-Length: 2\r\n"
        "Content-Length: 3\r\n\r\n{} ",
        "POST /maybe HTTP/1.1\r\nHost: localhost:80\r\nConnection: close\r\nContent-Length: 2\r\n"
        "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"};

    (void)state;
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++) {
        char *answer = client_raw(http_rig.port, requests[k], strlen(requests[k]), 5000);
        assert_int_equal(strncmp(answer, "HTTP/1.1 400 ", 13), 0);
        free(answer);
    }
}

static void draining_refuses_all_but_reading(void **state)
{
    char retry[16];

    (void)state;
    http_drain(http_rig.http);
    struct reply reply = client_post(http_rig.port, "/write", "{\"name\":\"late\"}");
    assert_problem(&reply, 503, "draining");
    assert_string_not_equal(reply_header(&reply, "Retry-After", sizeof retry, retry), "");
    reply_free(&reply);
    reply = client_get(http_rig.port, "/id/1");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    http_close(http_rig.http);
    reply = client_get(http_rig.port, "/hold");
    assert_problem(&reply, 503, "draining");
    reply_free(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HTTP_TEST(an_answered_write_is_readable),
        HTTP_TEST(a_refused_write_leaves_nothing),
        HTTP_TEST(a_repeated_request_is_answered_as_before),
        HTTP_TEST(a_refused_request_does_not_use_up_its_key),
        HTTP_TEST(many_write_at_once),
        HTTP_TEST(a_held_request_is_answered_when_it_is_released),
        HTTP_TEST(a_hang_up_is_noticed),
        HTTP_TEST(a_listener_hears_until_the_last_event),
        HTTP_TEST(the_end_is_sent_after_any_last_event_id),
        HTTP_TEST(a_listener_resumes_after_its_last_event),
        HTTP_TEST(idle_and_broken_connections_do_no_harm),
        HTTP_TEST(pipelined_requests_are_answered_in_order),
        HTTP_TEST(a_duplicate_length_is_refused),
        HTTP_TEST(draining_refuses_all_but_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
