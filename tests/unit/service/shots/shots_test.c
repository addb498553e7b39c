/* Shot queries from request to answer, with a stand-in that thinks as it is told, and the HTTP side
 * played by this file. */
#include "tests/unit/service/rig.h"

#include "service/base/events.h"
#include "service/shots/shots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the HTTP side ---- */

struct call {
    struct http_request request;
    int status, answers;
    json_t *json;
    char location[64];
    bool is_held, is_released;
    void (*hung_up)(struct http_request *request, void *context);
    void *context;
};

static enum api_error answer(struct http_request *request, int status, json_t *json)
{
    struct call *call = (struct call *)request;

    assert_false(call->is_released);
    call->answers++;
    call->status = status;
    json_decref(call->json);
    call->json = json;
    return API_OK;
}

enum api_error http_json(struct http_request *request, int status, json_t *document)
{
    return answer(request, status, document);
}

enum api_error http_text(struct http_request *request, int status, const char *type, char *text)
{
    assert_string_equal(type, "application/json");
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    free(text);
    return answer(request, status, json);
}

enum api_error http_problem(struct http_request *request, enum api_error error, const char *detail)
{
    (void)detail;
    answer(request, api_error_status(error), NULL);
    return error;
}

enum api_error http_fields(struct http_request *request, const struct strict_errors *errors)
{
    answer(request, 422, strict_errors_json(errors));
    return API_BAD_FIELD;
}

void http_add_header(struct http_request *request, const char *name, const char *value)
{
    assert_string_equal(name, "Location");
    snprintf(((struct call *)request)->location, sizeof((struct call *)request)->location, "%s",
             value);
}

enum api_error http_hold(struct http_request *request,
                         void (*hung_up)(struct http_request *request, void *context),
                         void *context)
{
    struct call *call = (struct call *)request;

    call->is_held = true;
    call->hung_up = hung_up;
    call->context = context;
    return API_OK;
}

void http_release(struct http_request *request)
{
    struct call *call = (struct call *)request;

    assert_true(call->is_held);
    assert_int_equal(call->answers, 1);
    call->is_released = true;
}

/* ---- helpers ---- */

static struct call call_of(struct rig *rig)
{
    return (struct call){.request = {.server = &rig->server,
                                     .id = "request",
                                     .arrived_s = (double)uv_hrtime() * 1e-9}};
}

static json_t *query_of(const char *how, int ms, int timeout_ms)
{
    return json_pack("{s:s, s:i, s:i}", "do", how, "ms", ms, "timeout_ms", timeout_ms);
}

static bool is_ready(void *context)
{
    const char *reasons[SHOTS_REASONS_MAX];

    return shots_why_not_ready(context, reasons) == 0;
}

static void start(struct rig *rig)
{
    assert_int_equal(shots_start(&rig->server, &rig->server.shots), API_OK);
    rig_wait(rig, is_ready, rig->server.shots);
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

    shots_stop(rig->server.shots, set, &stopped);
    rig_wait(rig, is_set, &stopped);
}

static void ask(struct call *call, json_t *query)
{
    shots_ask(&call->request, query, false);
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
    struct call plain = call_of(rig), named = call_of(rig);
    json_t *query = query_of("", 0, 5000);

    start(rig);
    ask(&plain, query_of("", 0, 5000));
    rig_wait(rig, is_set, &plain.is_released);
    assert_int_equal(plain.status, 200);
    assert_string_equal(member(&plain, "id"), "request");
    json_object_set_new(query, "id", json_string("mine"));
    ask(&named, query);
    rig_wait(rig, is_set, &named.is_released);
    assert_string_equal(member(&named, "id"), "mine");
    assert_true(json_number_value(json_object_get(named.json, "queue_ms")) >= 0.0);
    json_decref(plain.json);
    json_decref(named.json);
    stop(rig);
}

static void identical_queries_share_an_answer(void **state)
{
    struct rig *rig = *state;
    struct call call[3] = {call_of(rig), call_of(rig), call_of(rig)};

    start(rig);
    ask(&call[0], query_of("think", 200, 5000));
    ask(&call[1], query_of("think", 200, 6000));
    ask(&call[2], query_of("think", 201, 6000)); /* another one */
    assert_int_equal(shots_thinking(rig->server.shots), 1);
    assert_int_equal(shots_waiting(rig->server.shots), 1);
    rig_wait(rig, is_set, &call[0].is_released);
    assert_true(call[1].is_released);
    assert_false(call[2].is_released);
    rig_wait(rig, is_set, &call[2].is_released);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(call[k].status, 200);
        json_decref(call[k].json);
    }
    stop(rig);
}

static void who_has_more_time_is_thought_for_again(void **state)
{
    struct rig *rig = *state;
    struct call hurried = call_of(rig), patient = call_of(rig);

    start(rig);
    ask(&hurried, query_of("think", 600, 300));
    ask(&patient, query_of("think", 600, 20000));
    assert_int_equal(shots_waiting(rig->server.shots), 0); /* they share */
    rig_wait(rig, is_set, &patient.is_released);
    assert_true(hurried.is_released);
    assert_int_equal(hurried.status, 200);
    assert_string_equal(member(&hurried, "stopped"), "timeout");
    assert_int_equal(patient.status, 200);
    assert_string_equal(member(&patient, "stopped"), "");
    json_decref(hurried.json);
    json_decref(patient.json);
    stop(rig);
}

static void who_hangs_up_frees_the_worker(void **state)
{
    struct rig *rig = *state;
    struct call gone = call_of(rig), next = call_of(rig);

    start(rig);
    ask(&gone, query_of("think", 50000, 60000));
    assert_int_equal(shots_thinking(rig->server.shots), 1);
    gone.hung_up(&gone.request, gone.context);
    assert_true(gone.is_released);
    rig_wait(rig, is_idle, rig->server.shots);
    ask(&next, query_of("", 0, 5000));
    rig_wait(rig, is_set, &next.is_released);
    assert_int_equal(next.status, 200);
    json_decref(gone.json);
    json_decref(next.json);
    stop(rig);
}

static void the_one_who_stays_still_gets_the_answer(void **state)
{
    struct rig *rig = *state;
    struct call gone = call_of(rig), stays = call_of(rig);

    start(rig);
    ask(&gone, query_of("think", 200, 5000));
    ask(&stays, query_of("think", 200, 5000));
    gone.hung_up(&gone.request, gone.context);
    rig_wait(rig, is_set, &stays.is_released);
    assert_string_equal(member(&stays, "stopped"), "");
    assert_int_equal(stays.status, 200);
    json_decref(gone.json);
    json_decref(stays.json);
    stop(rig);
}

static void what_cannot_be_met_is_refused_at_once(void **state)
{
    struct rig *rig = *state;
    struct call call[4], refused;
    int k;

    start(rig);
    for (k = 0; k < 4; k++) {
        call[k] = call_of(rig);
        json_t *query = query_of("think", 100 + k, 60000);
        json_object_set_new(query, "limits", json_pack("{s:i}", "time_ms", 100));
        ask(&call[k], query);
    }
    refused = call_of(rig);
    ask(&refused, query_of("think", 1, 300)); /* three wait, half a second each as far as we know */
    assert_true(refused.is_released);
    assert_int_equal(refused.status, 503);
    for (k = 0; k < 4; k++) {
        rig_wait(rig, is_set, &call[k].is_released);
        assert_int_equal(call[k].status, 200);
        json_decref(call[k].json);
    }
    stop(rig);
}

static void mistakes_and_deaths_have_their_own_answers(void **state)
{
    struct rig *rig = *state;
    struct call wrong = call_of(rig), dead = call_of(rig), late = call_of(rig);

    start(rig);
    ask(&wrong, query_of("refuse", 0, 5000));
    rig_wait(rig, is_set, &wrong.is_released);
    assert_int_equal(wrong.status, 422);
    const char *pointer =
        json_string_value(json_object_get(json_array_get(wrong.json, 0), "pointer"));
    assert_string_equal(pointer, "/player");
    ask(&dead, query_of("die", 0, 5000));
    rig_wait(rig, is_set, &dead.is_released);
    assert_int_equal(dead.status, 503);
    late.request.arrived_s = (double)uv_hrtime() * 1e-9;
    ask(&late, query_of("hang", 0, 200));
    rig_wait(rig, is_set, &late.is_released);
    assert_int_equal(late.status, 504);
    json_decref(wrong.json);
    stop(rig);
}

struct kept_shot {
    struct shots *shots;
    const char *id;
};

static bool is_done(void *context)
{
    const struct kept_shot *kept = context;
    json_t *shot;

    assert_int_equal(shots_get(kept->shots, kept->id, &shot), API_OK);
    bool done = strcmp(json_string_value(json_object_get(shot, "state")), "running") != 0;
    json_decref(shot);
    return done;
}

static void on_event(void *context)
{
    (void)context; /* the test looks when it knows that there is something */
}

static void an_asynchronous_one_is_kept_and_reports(void **state)
{
    struct rig *rig = *state;
    struct call call = call_of(rig), other = call_of(rig);
    char events[4096], topic[EVENTS_TOPIC_MAX];
    bool missed;

    start(rig);
    shots_ask(&call.request, query_of("partial", 0, 5000), true);
    assert_int_equal(call.status, 202);
    assert_false(call.is_held);
    const char *id = member(&call, "id");
    assert_string_equal(call.location + strlen("/v1/shots/"), id);
    rig_wait(rig, is_done, &(struct kept_shot){rig->server.shots, id});
    json_t *shot;
    assert_int_equal(shots_get(rig->server.shots, id, &shot), API_OK);
    assert_string_equal(json_string_value(json_object_get(shot, "state")), "done");
    assert_string_equal(json_string_value(json_object_get(json_object_get(shot, "answer"), "id")),
                        id);
    json_decref(shot);

    snprintf(topic, sizeof topic, "shot/%s", id);
    struct listener *listener =
        events_listen(rig->server.events, topic, 1, &missed, on_event, NULL);
    assert_non_null(listener);
    int64_t length = listener_read(listener, events, sizeof events - 1);
    assert_true(length > 0);
    events[length] = '\0';
    assert_non_null(strstr(events, "event: partial"));
    const char *end = strstr(events, "event: done"), *id_of_end = end;
    assert_non_null(end);
    while (strncmp(id_of_end, "id: ", 4) != 0)
        id_of_end--;
    assert_int_equal(strtoll(id_of_end + 4, NULL, 10), shots_last_event(rig->server.shots, id));
    listener_free(listener);

    shots_ask(&other.request, query_of("think", 50000, 60000), true);
    assert_int_equal(shots_last_event(rig->server.shots, member(&other, "id")), 0);
    assert_int_equal(shots_cancel(rig->server.shots, member(&other, "id")), API_OK);
    rig_wait(rig, is_done, &(struct kept_shot){rig->server.shots, member(&other, "id")});
    assert_int_equal(shots_cancel(rig->server.shots, "unknown"), API_NOT_FOUND);
    assert_int_equal(shots_get(rig->server.shots, "unknown", &shot), API_NOT_FOUND);
    json_decref(call.json);
    json_decref(other.json);
    stop(rig);
}

static void a_scene_goes_to_its_own_process(void **state)
{
    struct rig *rig = *state;
    struct call call = call_of(rig);

    start(rig);
    shots_simulate(&call.request, json_pack("{s:i}", "id", 17), 5000);
    rig_wait(rig, is_set, &call.is_released);
    assert_int_equal(call.status, 200);
    assert_int_equal(json_integer_value(json_object_get(call.json, "id")), 17);
    json_decref(call.json);
    stop(rig);
}

static void stopping_answers_everybody(void **state)
{
    struct rig *rig = *state;
    struct call thinks = call_of(rig), waits = call_of(rig);

    start(rig);
    ask(&thinks, query_of("hang", 0, 60000));
    ask(&waits, query_of("", 1, 60000));
    stop(rig);
    assert_true(thinks.is_released && waits.is_released);
    assert_int_equal(thinks.status, 503);
    assert_int_equal(waits.status, 503);
}

int main(void)
{
#define SCENARIO(name) cmocka_unit_test_setup_teardown(name, rig_open, rig_close)
    const struct CMUnitTest tests[] = {
        SCENARIO(an_answer_carries_the_id_of_its_query),
        SCENARIO(identical_queries_share_an_answer),
        SCENARIO(who_has_more_time_is_thought_for_again),
        SCENARIO(who_hangs_up_frees_the_worker),
        SCENARIO(the_one_who_stays_still_gets_the_answer),
        SCENARIO(what_cannot_be_met_is_refused_at_once),
        SCENARIO(mistakes_and_deaths_have_their_own_answers),
        SCENARIO(an_asynchronous_one_is_kept_and_reports),
        SCENARIO(a_scene_goes_to_its_own_process),
        SCENARIO(stopping_answers_everybody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
