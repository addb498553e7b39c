/* Shot queries from question to answer, with a stand-in whose thinking time the test sets. */
#include "tests/unit/service/rig.h"

#include "service/base/events.h"
#include "service/shots/kept_shots.h"
#include "service/shots/shot_errors.h"
#include "service/shots/shots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- helpers ---- */

struct call {
    struct shot_caller caller;
    struct asker *asker;
    bool is_answered;
    enum api_error error;
    json_t *json; /* the answer */
};

static void on_answered(void *context, enum api_error error, json_t *answer)
{
    struct call *call = context;

    assert_false(call->is_answered);
    call->is_answered = true;
    call->error = error;
    call->json = json_incref(answer);
}

static json_t *query_of(const char *how, int ms, int timeout_ms)
{
    return json_pack("{s:s, s:i, s:i}", "do", how, "ms", ms, "timeout_ms", timeout_ms);
}

static struct call call_now(void)
{
    return (struct call){.caller = {.name = "ann",
                                    .id = "request",
                                    .arrived_s = (double)uv_hrtime() * 1e-9,
                                    .answered = on_answered}};
}

/* Asks; a refused question counts as answered. */
static void ask(struct rig *rig, struct call *call, json_t *query)
{
    *call = call_now();
    call->caller.context = call;
    enum api_error error = shots_ask(rig->shots, query, &call->caller, &call->asker);
    if (error != API_OK)
        on_answered(call, error, NULL);
}

static bool is_ready(void *context)
{
    const char *reasons[SHOTS_REASONS_MAX];

    return shots_why_not_ready(context, reasons) == 0;
}

static void start(struct rig *rig)
{
    assert_int_equal(shots_start(&rig->base, &rig->shots), API_OK);
    rig_wait(rig, is_ready, rig->shots);
}

static bool is_set(void *context)
{
    return *(bool *)context;
}

static void set(void *context)
{
    *(bool *)context = true;
}

static void stop(struct rig *rig)
{
    bool stopped = false;

    shots_stop(rig->shots, set, &stopped);
    rig_wait(rig, is_set, &stopped);
}

static const char *member(const struct call *call, const char *key)
{
    const char *text = json_string_value(json_object_get(call->json, key));
    return text ? text : "";
}

static bool is_idle(void *context)
{
    return shots_thinking(context) + shots_waiting(context) == 0;
}

/* ---- scenarios ---- */

static void an_answer_carries_the_id_of_its_query(void **state)
{
    struct rig *rig = *state;
    struct call plain, named;
    json_t *query = query_of("", 0, 5000);

    start(rig);
    ask(rig, &plain, query_of("", 0, 5000));
    rig_wait(rig, is_set, &plain.is_answered);
    assert_int_equal(plain.error, API_OK);
    assert_string_equal(member(&plain, "id"), "request");
    json_object_set_new(query, "id", json_string("mine"));
    ask(rig, &named, query);
    rig_wait(rig, is_set, &named.is_answered);
    assert_string_equal(member(&named, "id"), "mine");
    assert_true(json_number_value(json_object_get(named.json, "queue_ms")) >= 0.0);
    json_decref(plain.json);
    json_decref(named.json);
    stop(rig);
}

static void identical_queries_share_an_answer(void **state)
{
    struct rig *rig = *state;
    struct call call[3];

    start(rig);
    ask(rig, &call[0], query_of("think", 200, 5000));
    ask(rig, &call[1], query_of("think", 200, 6000));
    ask(rig, &call[2], query_of("think", 201, 6000)); /* a different query */
    assert_int_equal(shots_thinking(rig->shots), 1);
    assert_int_equal(shots_waiting(rig->shots), 1);
    rig_wait(rig, is_set, &call[0].is_answered);
    assert_true(call[1].is_answered);
    assert_false(call[2].is_answered);
    rig_wait(rig, is_set, &call[2].is_answered);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(call[k].error, API_OK);
        json_decref(call[k].json);
    }
    stop(rig);
}

static void a_longer_time_limit_starts_a_new_search(void **state)
{
    struct rig *rig = *state;
    struct call hurried, patient;

    start(rig);
    ask(rig, &hurried, query_of("stop early once", 0, 1000000));
    ask(rig, &patient, query_of("stop early once", 0, 2000000));
    assert_int_equal(shots_waiting(rig->shots), 0); /* equal queries share one place */
    rig_wait(rig, is_set, &patient.is_answered);
    assert_true(hurried.is_answered);
    assert_int_equal(hurried.error, API_OK);
    assert_string_equal(member(&hurried, "stopped"), "timeout");
    assert_int_equal(patient.error, API_OK);
    assert_string_equal(member(&patient, "stopped"), "");
    json_decref(hurried.json);
    json_decref(patient.json);
    stop(rig);
}

static void a_hang_up_frees_the_worker(void **state)
{
    struct rig *rig = *state;
    struct call gone, next;

    start(rig);
    ask(rig, &gone, query_of("think", 50000, 60000));
    assert_int_equal(shots_thinking(rig->shots), 1);
    shots_hang_up(gone.asker);
    assert_false(gone.is_answered);
    rig_wait(rig, is_idle, rig->shots);
    ask(rig, &next, query_of("", 0, 5000));
    rig_wait(rig, is_set, &next.is_answered);
    assert_int_equal(next.error, API_OK);
    json_decref(next.json);
    stop(rig);
}

static void the_remaining_caller_still_gets_the_answer(void **state)
{
    struct rig *rig = *state;
    struct call gone, stays;

    start(rig);
    ask(rig, &gone, query_of("think", 200, 5000));
    ask(rig, &stays, query_of("think", 200, 5000));
    shots_hang_up(gone.asker);
    rig_wait(rig, is_set, &stays.is_answered);
    assert_string_equal(member(&stays, "stopped"), "");
    assert_int_equal(stays.error, API_OK);
    json_decref(stays.json);
    stop(rig);
}

static void impossible_limits_are_refused_at_once(void **state)
{
    struct rig *rig = *state;
    struct call call[4], refused;
    int k;

    start(rig);
    for (k = 0; k < 4; k++) {
        json_t *query = query_of("think", 100 + k, 60000);
        json_object_set_new(query, "limits", json_pack("{s:i}", "time_ms", 100));
        ask(rig, &call[k], query);
    }
    ask(rig, &refused, query_of("think", 1, 300)); /* three wait, estimated at half a second each */
    assert_true(refused.is_answered);
    assert_int_equal(refused.error, API_BUSY);
    for (k = 0; k < 4; k++) {
        rig_wait(rig, is_set, &call[k].is_answered);
        assert_int_equal(call[k].error, API_OK);
        json_decref(call[k].json);
    }
    stop(rig);
}

static void mistakes_and_deaths_have_their_own_answers(void **state)
{
    struct rig *rig = *state;
    struct call wrong, dead, late;

    start(rig);
    ask(rig, &wrong, query_of("refuse", 0, 5000));
    rig_wait(rig, is_set, &wrong.is_answered);
    assert_int_equal(wrong.error, API_BAD_FIELD);
    struct strict_errors errors;
    shot_errors_read(wrong.json, &errors);
    assert_int_equal(errors.count, 1);
    assert_string_equal(errors.error[0].pointer, "/player");
    ask(rig, &dead, query_of("die", 0, 5000));
    rig_wait(rig, is_set, &dead.is_answered);
    assert_int_equal(dead.error, API_NO_WORKER);
    ask(rig, &late, query_of("hang", 0, 200));
    rig_wait(rig, is_set, &late.is_answered);
    assert_int_equal(late.error, API_DEADLINE);
    json_decref(wrong.json);
    stop(rig);
}

struct kept {
    struct shots *shots;
    const char *id;
};

static bool is_done(void *context)
{
    const struct kept *kept = context;
    json_t *shot;
    int64_t last;

    assert_int_equal(shots_get(kept->shots, kept->id, &shot, &last), API_OK);
    bool done = strcmp(json_string_value(json_object_get(shot, "state")), "running") != 0;
    json_decref(shot);
    return done;
}

static void on_event(void *context)
{
    (void)context; /* the test polls */
}

static void ask_async(struct rig *rig, json_t *query, char ret_id[KEPT_SHOT_ID_MAX])
{
    json_t *shot;

    assert_int_equal(shots_ask_async(rig->shots, query, "ann", (double)uv_hrtime() * 1e-9, &shot),
                     API_OK);
    assert_string_equal(json_string_value(json_object_get(shot, "state")), "running");
    snprintf(ret_id, KEPT_SHOT_ID_MAX, "%s", json_string_value(json_object_get(shot, "id")));
    json_decref(shot);
}

static void an_asynchronous_query_is_kept_and_reports_progress(void **state)
{
    struct rig *rig = *state;
    char id[KEPT_SHOT_ID_MAX], other[KEPT_SHOT_ID_MAX], events[4096], topic[EVENTS_TOPIC_MAX];
    bool missed;

    start(rig);
    ask_async(rig, query_of("partial", 0, 5000), id);
    rig_wait(rig, is_done, &(struct kept){rig->shots, id});
    json_t *shot;
    int64_t last;
    assert_int_equal(shots_get(rig->shots, id, &shot, &last), API_OK);
    assert_string_equal(json_string_value(json_object_get(shot, "state")), "done");
    assert_string_equal(json_string_value(json_object_get(json_object_get(shot, "answer"), "id")),
                        id);
    json_decref(shot);

    snprintf(topic, sizeof topic, "shot/%s", id);
    struct listener *listener = events_listen(rig->base.events, topic, 1, &missed, on_event, NULL);
    assert_non_null(listener);
    int64_t length = listener_read(listener, events, sizeof events - 1);
    assert_true(length > 0);
    events[length] = '\0';
    assert_non_null(strstr(events, "event: partial"));
    const char *end = strstr(events, "event: done"), *id_of_end = end;
    assert_non_null(end);
    while (strncmp(id_of_end, "id: ", 4) != 0)
        id_of_end--;
    assert_int_equal(strtoll(id_of_end + 4, NULL, 10), last);
    listener_free(listener);

    ask_async(rig, query_of("think", 50000, 60000), other);
    assert_int_equal(shots_get(rig->shots, other, &shot, &last), API_OK);
    assert_int_equal(last, 0);
    json_decref(shot);
    assert_int_equal(shots_cancel(rig->shots, other), API_OK);
    rig_wait(rig, is_done, &(struct kept){rig->shots, other});
    assert_int_equal(shots_cancel(rig->shots, "unknown"), API_NOT_FOUND);
    assert_int_equal(shots_get(rig->shots, "unknown", &shot, &last), API_NOT_FOUND);
    stop(rig);
}

/* Repeating the same query takes no place in the line, but one in the list of answers. */
static void one_caller_cannot_fill_the_list_of_asynchronous_ones(void **state)
{
    struct rig *rig = *state;
    char id[KEPT_SHOT_ID_MAX];
    json_t *shot;

    start(rig);
    for (int k = 0; k < KEPT_SHOTS_RUNNING; k++)
        ask_async(rig, query_of("think", 50000, 60000), id);
    assert_int_equal(shots_ask_async(rig->shots, query_of("think", 50000, 60000), "ann",
                                     (double)uv_hrtime() * 1e-9, &shot),
                     API_SHARE_FULL);
    assert_int_equal(shots_ask_async(rig->shots, query_of("think", 50000, 60000), "bob",
                                     (double)uv_hrtime() * 1e-9, &shot),
                     API_OK);
    json_decref(shot);
    assert_int_equal(shots_cancel(rig->shots, id), API_OK);
    ask_async(rig, query_of("think", 50000, 60000), id); /* one query has ended */
    stop(rig);
}

static bool is_running(struct rig *rig, const char *id)
{
    json_t *shot;
    int64_t last;

    assert_int_equal(shots_get(rig->shots, id, &shot, &last), API_OK);
    bool runs = strcmp(json_string_value(json_object_get(shot, "state")), "running") == 0;
    json_decref(shot);
    return runs;
}

/* The id of a query that has been cancelled; the search of an equal one, `other`, goes on. */
static void assert_ends_alone(struct rig *rig, const char *id, const char *other, const char *state,
                              const char *code)
{
    json_t *shot;
    int64_t last;

    assert_int_equal(shots_cancel(rig->shots, id), API_OK);
    assert_int_equal(shots_get(rig->shots, id, &shot, &last), API_OK);
    assert_string_equal(json_string_value(json_object_get(shot, "state")), state);
    const json_t *error = json_object_get(shot, "error"), *answer = json_object_get(shot, "answer");
    if (*code) {
        assert_string_equal(json_string_value(json_object_get(error, "code")), code);
        assert_true(json_is_null(answer));
    } else {
        assert_null(error);
        assert_true(json_is_true(json_object_get(answer, "is_final")));
        assert_string_equal(json_string_value(json_object_get(answer, "stopped")), "cancel");
        assert_string_equal(json_string_value(json_object_get(answer, "id")), id);
        assert_int_equal(json_integer_value(json_object_get(answer, "simulations")), 3);
    }
    json_decref(shot);
    assert_true(is_running(rig, other));
}

static bool has_event(void *listener)
{
    char text[512];

    return listener_read(listener, text, sizeof text) > 0;
}

static void a_cancel_leaves_equal_queries_alone(void **state)
{
    struct rig *rig = *state;
    char thinks[2][KEPT_SHOT_ID_MAX], silent[2][KEPT_SHOT_ID_MAX], waits[2][KEPT_SHOT_ID_MAX];
    bool missed;

    start(rig);
    ask_async(rig, query_of("think aloud", 50000, 60000), thinks[0]);
    ask_async(rig, query_of("think aloud", 50000, 60000), thinks[1]);
    struct listener *listener =
        events_listen(rig->base.events, shot_topic(thinks[0]).text, 0, &missed, on_event, NULL);
    assert_non_null(listener);
    rig_wait(rig, has_event, listener); /* a partial answer */
    for (int k = 0; k < 2; k++)
        ask_async(rig, query_of("", 7, 60000), waits[k]);
    assert_ends_alone(rig, waits[0], waits[1], "failed", "cancelled");
    assert_int_equal(shots_cancel(rig->shots, waits[1]), API_OK); /* alone in the line */
    assert_false(is_running(rig, waits[1]));
    assert_ends_alone(rig, thinks[0], thinks[1], "done", "");
    assert_int_equal(shots_cancel(rig->shots, thinks[1]), API_OK);
    rig_wait(rig, is_done, &(struct kept){rig->shots, thinks[1]});
    listener_free(listener);

    for (int k = 0; k < 2; k++)
        ask_async(rig, query_of("think", 50000, 60000), silent[k]);
    assert_ends_alone(rig, silent[0], silent[1], "failed", "cancelled"); /* it has said nothing */
    stop(rig);
}

static struct kept_shot *keep(struct kept_shots *kept, const char *caller)
{
    struct kept_shot *shot;

    assert_int_equal(kept_shots_add(kept, caller, &shot), API_OK);
    return shot;
}

/* One caller's answers make room for its own, not for those of others. */
static void each_caller_keeps_its_share_of_answers(void **state)
{
    struct kept_shots kept = {.ended = 0};
    struct kept_shot *running = keep(&kept, "ann"), *bobs = keep(&kept, "bob"), *last = NULL;
    char first[KEPT_SHOT_ID_MAX], of_bob[KEPT_SHOT_ID_MAX];

    (void)state;
    kept_shot_end(bobs, API_OK, NULL);
    snprintf(of_bob, sizeof of_bob, "%s", bobs->id);
    for (int k = 0; k < KEPT_SHOTS_MAX + 200; k++) {
        last = keep(&kept, "ann");
        if (k == 0)
            snprintf(first, sizeof first, "%s", last->id);
        kept_shot_end(last, API_OK, NULL);
        assert_ptr_equal(kept_shots_find(&kept, last->id), last);
    }
    assert_int_equal(kept.ended, KEPT_SHOTS_MAX);
    assert_null(kept_shots_find(&kept, first));
    assert_ptr_equal(kept_shots_find(&kept, of_bob), bobs);
    assert_ptr_equal(kept_shots_find(&kept, running->id), running);

    for (int k = 0; k < KEPT_SHOTS_RUNNING - 1; k++) /* those that run take nobody's place */
        last = keep(&kept, "ann");
    assert_int_equal(kept_shots_add(&kept, "ann", &last), API_SHARE_FULL);
    kept_shot_drop(keep(&kept, "eve"));
    kept_shot_drop(running);
    last = keep(&kept, "ann");
    assert_int_equal(kept.ended, KEPT_SHOTS_MAX);
    kept_shots_free(&kept);
    assert_true(LIST_EMPTY(&kept.callers));
}

static void a_scene_goes_to_its_own_process(void **state)
{
    struct rig *rig = *state;
    struct call call = call_now();

    start(rig);
    call.caller.context = &call;
    call.caller.simulate_ms = 5000;
    assert_int_equal(shots_ask(rig->shots, json_pack("{s:i}", "id", 17), &call.caller, &call.asker),
                     API_OK);
    rig_wait(rig, is_set, &call.is_answered);
    assert_int_equal(call.error, API_OK);
    assert_int_equal(json_integer_value(json_object_get(call.json, "id")), 17);
    json_decref(call.json);
    stop(rig);
}

static void stopping_answers_everybody(void **state)
{
    struct rig *rig = *state;
    struct call thinks, waits;

    start(rig);
    ask(rig, &thinks, query_of("hang", 0, 60000));
    ask(rig, &waits, query_of("", 1, 60000));
    stop(rig);
    assert_true(thinks.is_answered && waits.is_answered);
    assert_int_equal(thinks.error, API_DRAINING);
    assert_int_equal(waits.error, API_DRAINING);
}

int main(void)
{
#define SCENARIO(name) cmocka_unit_test_setup_teardown(name, rig_open, rig_close)
    const struct CMUnitTest tests[] = {
        SCENARIO(an_answer_carries_the_id_of_its_query),
        SCENARIO(identical_queries_share_an_answer),
        SCENARIO(a_longer_time_limit_starts_a_new_search),
        SCENARIO(a_hang_up_frees_the_worker),
        SCENARIO(the_remaining_caller_still_gets_the_answer),
        SCENARIO(impossible_limits_are_refused_at_once),
        SCENARIO(mistakes_and_deaths_have_their_own_answers),
        SCENARIO(an_asynchronous_query_is_kept_and_reports_progress),
        SCENARIO(one_caller_cannot_fill_the_list_of_asynchronous_ones),
        SCENARIO(a_cancel_leaves_equal_queries_alone),
        cmocka_unit_test(each_caller_keeps_its_share_of_answers),
        SCENARIO(a_scene_goes_to_its_own_process),
        SCENARIO(stopping_answers_everybody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
