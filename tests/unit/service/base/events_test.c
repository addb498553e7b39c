/* Topics, their rings, and their listeners. */
#include "service/base/events.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static atomic_int wakes;

static void count_wake(void *context)
{
    (void)context;
    atomic_fetch_add(&wakes, 1);
}

static int open_events(void **state)
{
    atomic_store(&wakes, 0);
    *state = events_open(1000);
    return *state ? 0 : -1;
}

static int close_events(void **state)
{
    events_close(*state);
    return 0;
}

static struct listener *listen_to(struct events *events, const char *topic, int64_t last_id,
                                  bool expect_missed)
{
    bool missed = !expect_missed;
    struct listener *listener = events_listen(events, topic, last_id, &missed, count_wake, &wakes);

    assert_non_null(listener);
    assert_int_equal(missed, expect_missed);
    return listener;
}

/* Returns all available events as text; *ret_end: the result of the last read. */
static char *read_all(struct listener *listener, size_t block, int64_t *ret_end)
{
    static char text[1 << 20];
    size_t used = 0;
    int64_t got;

    while ((got = listener_read(listener, text + used, block)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    *ret_end = got;
    return text;
}

static void events_come_in_order_with_growing_ids(void **state)
{
    struct events *events = *state;
    struct listener *listener = listen_to(events, "job/1", 0, true);
    long long first, second;
    char buffer[256];

    assert_int_equal(listener_read(listener, buffer, sizeof buffer), 0);
    events_publish(events, "job/1", "a", json_pack("{s:i}", "k", 1), false);
    assert_int_equal(atomic_load(&wakes), 1);
    events_publish(events, "job/1", "b", json_pack("{s:i}", "k", 2), false);
    assert_int_equal(atomic_load(&wakes), 1); /* still unread: no second wake-up */
    events_publish(events, "job/2", "c", json_object(), false);
    buffer[listener_read(listener, buffer, sizeof buffer - 1)] = '\0';
    assert_int_equal(sscanf(buffer, "id: %lld\nevent: a\ndata: {\"k\":1}\n\nid: %lld\nevent: b\n",
                            &first, &second),
                     2);
    assert_true(first < second);
    assert_int_equal(listener_read(listener, buffer, sizeof buffer), 0);
    events_publish(events, "job/1", "d", json_object(), true);
    assert_int_equal(atomic_load(&wakes), 2);
    assert_true(listener_read(listener, buffer, sizeof buffer) > 0);
    assert_int_equal(listener_read(listener, buffer, sizeof buffer), -1);
    listener_free(listener);
}

static void an_event_larger_than_the_buffer_comes_in_pieces(void **state)
{
    struct events *events = *state;
    struct listener *listener = listen_to(events, "shot/1", 0, true);
    char large[5001], *found;
    int64_t end;

    memset(large, 'x', 5000);
    large[5000] = '\0';
    events_publish(events, "shot/1", "partial", json_pack("{s:s}", "t", large), false);
    found = strstr(read_all(listener, 32, &end), "data: {\"t\":\"");
    assert_int_equal(end, 0);
    assert_non_null(found);
    assert_int_equal(strspn(found + 12, "x"), 5000);
    assert_string_equal(found + 12 + 5000, "\"}\n\n");
    listener_free(listener);
}

static void slow_listeners_are_told_and_dropped(void **state)
{
    struct events *events = *state;
    struct listener *listener = listen_to(events, "jobs", 0, true);
    int64_t end;

    for (int k = 0; k <= EVENTS_RING; k++)
        events_publish(events, "jobs", "n", json_integer(k), false);
    assert_string_equal(read_all(listener, 100, &end), "event: lagged\ndata: {}\n\n");
    assert_int_equal(end, -1);
    listener_free(listener);
}

static void a_ring_resumes_what_it_still_has(void **state)
{
    struct events *events = *state;
    struct listener *listener = listen_to(events, "jobs", 1000 * 1000, false);
    long long ids[4];
    int64_t end;

    for (int k = 0; k < 4; k++)
        events_publish(events, "jobs", "n", json_integer(k), false);
    const char *text = read_all(listener, 1000, &end);
    for (int k = 0; k < 4; k++) {
        ids[k] = strtoll(strstr(text, "id: ") + 4, NULL, 10);
        text = strstr(text, "id: ") + 1;
    }
    listener_free(listener);

    listener = listen_to(events, "jobs", ids[1], false);
    text = read_all(listener, 1000, &end);
    assert_null(strstr(text, "data: 1\n"));
    assert_non_null(strstr(text, "data: 2\n"));
    assert_non_null(strstr(text, "data: 3\n"));
    listener_free(listener);

    for (int k = 4; k < EVENTS_RING + 2; k++) /* the first two are gone */
        events_publish(events, "jobs", "n", json_integer(k), false);
    listener_free(listen_to(events, "jobs", ids[0], true));
    listener = listen_to(events, "jobs", ids[1], false);
    text = read_all(listener, 1000, &end);
    assert_null(strstr(text, "data: 1\n"));
    assert_non_null(strstr(text, "data: 2\n"));
    listener_free(listener);
    listener_free(listen_to(events, "jobs", 999 * 1000, true)); /* an id from before this daemon */
}

static void old_topics_make_room_for_new_ones(void **state)
{
    struct events *events = *state;
    struct listener *listener = listen_to(events, "kept", 0, true);
    char name[32];
    int64_t end;

    events_publish(events, "first", "n", json_integer(1), false);
    for (int k = 0; k < EVENTS_TOPICS_MAX; k++) {
        snprintf(name, sizeof name, "topic/%d", k);
        events_publish(events, name, "n", json_integer(k), false);
    }
    listener_free(listen_to(events, "first", 1000 * 1000, true)); /* dropped from the ring, so a
                                                                   * reset is reported */
    events_publish(events, "kept", "n", json_integer(7), false);
    assert_non_null(strstr(read_all(listener, 1000, &end), "data: 7\n"));
    listener_free(listener);
}

enum { PUBLISHERS = 2, EACH = 2000 };

static void *publish_many(void *context)
{
    for (int k = 0; k < EACH; k++)
        events_publish(context, "busy", "n", json_integer(k), false);
    return NULL;
}

/* Subscribes and unsubscribes while others publish. */
static void *listen_often(void *context)
{
    char buffer[4096];

    for (int k = 0; k < EACH; k++) {
        bool missed;
        struct listener *listener = events_listen(context, "busy", 0, &missed, count_wake, &wakes);
        assert_non_null(listener);
        assert_true(listener_read(listener, buffer, sizeof buffer) >= -1);
        listener_free(listener);
    }
    return NULL;
}

static void listeners_come_and_go_while_others_publish(void **state)
{
    pthread_t thread[2 * PUBLISHERS];

    for (int k = 0; k < 2 * PUBLISHERS; k++)
        assert_int_equal(
            pthread_create(&thread[k], NULL, k % 2 ? publish_many : listen_often, *state), 0);
    for (int k = 0; k < 2 * PUBLISHERS; k++)
        pthread_join(thread[k], NULL);
    listener_free(listen_to(*state, "busy", 0, true));
}

#define EVENTS_TEST(function) cmocka_unit_test_setup_teardown(function, open_events, close_events)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EVENTS_TEST(events_come_in_order_with_growing_ids),
        EVENTS_TEST(an_event_larger_than_the_buffer_comes_in_pieces),
        EVENTS_TEST(slow_listeners_are_told_and_dropped),
        EVENTS_TEST(a_ring_resumes_what_it_still_has),
        EVENTS_TEST(old_topics_make_room_for_new_ones),
        EVENTS_TEST(listeners_come_and_go_while_others_publish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
