/* Tasks of jobs: handed out in turn, done once however many try, tried again, merged in order, and
 * remembered with everybody who tried. */
#include "tests/unit/service/store/stage.h"

#include "api/jobs/wire.h"
#include "service/store/callers.h"
#include "service/store/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"match", "diagnose", NULL};
static const struct task_wish here = {.kinds = kinds, .node = ""};

/* ---- helpers ---- */

static int64_t add_job(struct stage *s, const char *owner, int priority, int cores)
{
    struct job_new job = {
        .kind = "match", .spec = "{}", .priority = priority, .tasks_cores = cores, .owner = owner};
    int64_t id = 0;

    assert_int_equal(IN_COMMIT(s, job_store_add(s->store, &job, 1000, &id)), API_OK);
    return id;
}

/* Offers tasks from number `from` on. */
static void offer(struct stage *s, const struct job_claim *lead, int from, int count)
{
    for (int k = 0; k < count; k++) {
        char spec[64];
        snprintf(spec, sizeof spec, "{\"from\":%d}", from + k);
        const struct task_new task = {from + k, 1, spec};
        assert_int_equal(IN_COMMIT(s, task_store_add(s->store, lead->id, lead->token, &task, 1000)),
                         API_OK);
    }
}

/* Adds a job, leases it to a lead and offers tasks. */
static struct job_claim led_within(struct stage *s, const char *owner, int priority, int cores,
                                   int tasks)
{
    int64_t id = add_job(s, owner, priority, cores);
    struct job_claim lead = stage_claim(s, "match", 1000);

    assert_int_equal(lead.id, id);
    assert_int_equal(lead.task, 0);
    offer(s, &lead, 1, tasks);
    return lead;
}

static struct job_claim led(struct stage *s, const char *owner, int priority, int tasks)
{
    return led_within(s, owner, priority, 0, tasks);
}

static enum api_error try_claim(struct stage *s, const struct task_wish *wish, int64_t now_ms,
                                struct job_claim *ret_claim)
{
    return IN_COMMIT(s, task_store_claim(s->store, wish, now_ms, 30, ret_claim));
}

static struct job_claim claim_task(struct stage *s, const struct task_wish *wish, int64_t now_ms)
{
    struct job_claim claim = {.id = 0};

    assert_int_equal(try_claim(s, wish, now_ms, &claim), API_OK);
    return claim;
}

static struct task_holder holder(const struct job_claim *claim)
{
    return (struct task_holder){claim->id, claim->task, claim->token};
}

static enum api_error finish(struct stage *s, const struct job_claim *claim, bool cancelled)
{
    const struct task_holder own = holder(claim);

    return IN_COMMIT(s, task_store_finish(s->store, &own, "{\"x\":1}", cancelled, 3000));
}

static enum task_state fail_with(struct stage *s, const struct job_claim *claim, bool retryable,
                                 bool crashed, int64_t now_ms)
{
    const struct task_holder own = holder(claim);
    const struct job_failure failure = {"killed", "it died", retryable, crashed, false};
    enum task_state state = TASK_DROPPED;

    assert_int_equal(IN_COMMIT(s, task_store_fail(s->store, &own, &failure, now_ms, &state)),
                     API_OK);
    return state;
}

/* The states of the tasks of a job, the last one first: "ready done". */
static const char *states(struct stage *s, int64_t job)
{
    static char text[512];
    struct store_page page = {.limit = 100};
    json_t *task;
    size_t k;

    assert_int_equal(task_store_list(s->reader, job, &page), API_OK);
    text[0] = '\0';
    json_array_foreach(page.items, k, task)
    {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s", k > 0 ? " " : "",
                 json_string_value(json_object_get(task, "state")));
    }
    json_decref(page.items);
    return text;
}

static int64_t cores_of(struct stage *s, const char *owner)
{
    struct caller_use use;

    assert_int_equal(caller_store_use(s->reader, owner, &use), API_OK);
    return use.cores;
}

/* ---- scenarios ---- */

static void a_task_is_done_and_merged(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = led(s, "ann", 0, 2), first, second;
    json_t *lines, *open, *gone = json_array();
    int64_t merged;

    assert_int_equal(cores_of(s, "ann"), 0); /* a lead occupies nothing */
    first = claim_task(s, &here, 2000);
    second = claim_task(s, &here, 2000);
    assert_int_equal(first.task, 1);
    assert_int_equal(second.task, 2);
    assert_string_equal(second.task_spec, "{\"from\":2}");
    assert_string_equal(second.spec, "{}");
    assert_int_equal(cores_of(s, "ann"), 2);
    const struct task_holder own = holder(&second);
    char sha256[65];
    memset(sha256, 'a', 64);
    sha256[64] = '\0';
    assert_int_equal(IN_COMMIT(s, task_store_output(s->store, &own, "task-2.x", sha256, 7)),
                     API_OK);
    assert_int_equal(IN_COMMIT(s, task_store_output(s->store, &own, "task-2.y", sha256, 7)),
                     API_EXISTS);
    assert_int_equal(finish(s, &second, false), API_OK);
    assert_int_equal(finish(s, &second, false), API_LEASE_LOST);
    assert_string_equal(states(s, lead.id), "done leased");
    assert_int_equal(cores_of(s, "ann"), 1);

    assert_int_equal(task_store_news(s->reader, lead.id, 0, &lines), API_OK);
    char *text = json_dumps(lines, JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(text, "[{\"number\":2,\"path\":\"task-2.x\",\"result\":{\"x\":1},"
                              "\"seconds\":1.0,\"state\":\"done\",\"type\":\"task\"}]");
    free(text);
    json_decref(lines);
    /* Merging is in order. */
    assert_int_equal(IN_COMMIT(s, task_store_merge(s->store, lead.id, lead.token, 2, gone)),
                     API_BAD_FIELD);
    assert_int_equal(finish(s, &first, false), API_OK);
    json_array_clear(gone);
    assert_int_equal(IN_COMMIT(s, task_store_merge(s->store, lead.id, lead.token, 2, gone)),
                     API_OK);
    assert_int_equal(json_array_size(gone), 1);
    assert_string_equal(json_string_value(json_array_get(gone, 0)), "task-2.x");
    assert_int_equal(task_store_open(s->reader, lead.id, &merged, &open), API_OK);
    assert_int_equal(merged, 2);
    assert_int_equal(json_array_size(open), 0);
    json_decref(open);
    json_decref(gone);
    job_claim_free(&first);
    job_claim_free(&second);
    job_claim_free(&lead);
}

static void tasks_are_offered_without_a_gap(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = led(s, NULL, 0, 2);
    const struct task_new gap = {4, 1, "{}"}, again = {2, 1, "{\"from\":2}"},
                          other = {2, 1, "{\"from\":9}"}, next = {3, 1, "{}"},
                          far = {WIRE_TASKS_OPEN + 1, 1, "{}"};

#define ADD(task, token) IN_COMMIT(s, task_store_add(s->store, lead.id, (token), &(task), 2000))
    assert_int_equal(ADD(gap, lead.token), API_BAD_FIELD);
    assert_int_equal(ADD(other, lead.token), API_BAD_FIELD);
    assert_int_equal(ADD(again, lead.token), API_OK);
    assert_int_equal(ADD(next, "0123456789abcdef0123456789abcdef"), API_LEASE_LOST);
    assert_int_equal(ADD(next, lead.token), API_OK);
    assert_string_equal(states(s, lead.id), "ready ready ready");
    offer(s, &lead, 4, WIRE_TASKS_OPEN - 3);
    assert_int_equal(ADD(far, lead.token), API_BAD_FIELD);
    job_claim_free(&lead);
}

/* Among equals a job has as many slots as another one, and callers take turns. */
static void jobs_share_the_slots(void **state)
{
    struct stage *s = *state;
    struct job_claim ann = led(s, "ann", 0, 9), claim;
    int64_t more = add_job(s, "ann", 0, 0), bob = add_job(s, "bob", 0, 0);
    int64_t order[4];

    for (int k = 0; k < 4; k++) {
        claim = (struct job_claim){.id = 0};
        assert_int_equal(IN_COMMIT(s, task_store_claim_any(s->store, &here, 2000 + k, 30, &claim)),
                         API_OK);
        order[k] = claim.task ? -claim.id : claim.id;
        job_claim_free(&claim);
    }
    assert_int_equal(order[0], bob);     /* ann had a turn */
    assert_int_equal(order[1], -ann.id); /* work goes on before more of it begins */
    assert_int_equal(order[2], more);    /* which none of the cores do yet */
    assert_int_equal(order[3], -ann.id); /* the others have offered nothing */
    int64_t urgent = add_job(s, "ann", -5, 0);
    assert_int_equal(IN_COMMIT(s, task_store_claim_any(s->store, &here, 2009, 30, &claim)), API_OK);
    assert_int_equal(claim.id, urgent);
    job_claim_free(&claim);
    job_claim_free(&ann);
}

static int64_t two_cores(void *context, const char *owner)
{
    (void)context;
    return strcmp(owner, "ann") == 0 ? 2 : 0;
}

static void caps_of_cores_hold_for_tasks(void **state)
{
    struct stage *s = *state;
    struct job_claim ann = led(s, "ann", 0, 5), bob = led_within(s, "bob", 0, 1, 5);
    const struct job_limits limits = {two_cores, NULL};
    const struct task_wish wish = {.kinds = kinds, .node = "", .limits = &limits};
    struct job_claim claim;
    int of_ann = 0, of_bob = 0;

    while (try_claim(s, &wish, 2000, &claim) == API_OK) {
        of_ann += claim.id == ann.id;
        of_bob += claim.id == bob.id;
        job_claim_free(&claim);
    }
    assert_int_equal(of_ann, 2);
    assert_int_equal(of_bob, 1);
    job_claim_free(&ann);
    job_claim_free(&bob);
}

static void a_task_that_fails_is_tried_again_and_then_fails(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = led(s, NULL, 0, 1), claim;
    int64_t now_ms = 2000, due_ms;
    json_t *lines;

    for (int k = 1; k < JOB_CRASHES; k++) {
        claim = claim_task(s, &here, now_ms);
        assert_int_equal(claim.attempt, k);
        assert_int_equal(fail_with(s, &claim, true, true, now_ms), TASK_READY);
        job_claim_free(&claim);
        assert_int_equal(try_claim(s, &here, now_ms, &claim), API_NOT_FOUND);
        assert_int_equal(task_store_next_due(s->reader, now_ms, &due_ms), API_OK);
        assert_int_equal(due_ms, now_ms + job_backoff_ms(k));
        now_ms = due_ms;
    }
    claim = claim_task(s, &here, now_ms);
    assert_int_equal(fail_with(s, &claim, true, true, now_ms), TASK_FAILED);
    assert_string_equal(states(s, lead.id), "failed");
    assert_int_equal(task_store_news(s->reader, lead.id, 1, &lines), API_OK);
    json_t *line = json_array_get(lines, 0);
    assert_string_equal(json_string_value(json_object_get(line, "code")), "killed");
    assert_string_equal(json_string_value(json_object_get(line, "detail")),
                        "it died; 3 workers died of this task");
    assert_true(json_is_true(json_object_get(line, "retryable")));
    json_decref(lines);
    job_claim_free(&claim);
    job_claim_free(&lead);
}

static void a_task_given_back_waits_as_before(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = led(s, NULL, 0, 1), claim = claim_task(s, &here, 2000);
    struct task_holder own = holder(&claim);
    int64_t count = -1;

    assert_int_equal(IN_COMMIT(s, task_store_checkpoint(s->store, &own, "{\"step\":3}")), API_OK);
    assert_int_equal(IN_COMMIT(s, task_store_release(s->store, &own, 2500)), API_OK);
    assert_int_equal(IN_COMMIT(s, task_store_beat(s->store, &own, 2500, 30)), API_LEASE_LOST);
    job_claim_free(&claim);
    claim = claim_task(s, &here, 2500);
    assert_int_equal(claim.attempt, 1);
    assert_string_equal(claim.checkpoint, "{\"step\":3}");
    /* The daemon dies, and so do its processes. */
    assert_int_equal(IN_COMMIT(s, task_store_recover(s->store, 3000, &count)), API_OK);
    assert_int_equal(count, 1);
    assert_int_equal(finish(s, &claim, false), API_LEASE_LOST);
    assert_string_equal(states(s, lead.id), "ready");
    assert_int_equal(cores_of(s, ""), 0);
    job_claim_free(&claim);
    job_claim_free(&lead);
}

/* A node that is not heard of for too long loses its task, and one that goes on keeps it over a
 * restart of the daemon. */
static void leases_of_nodes_run_out(void **state)
{
    struct stage *s = *state;
    const struct task_wish far = {.kinds = kinds, .node = "far"};
    struct job_claim lead = led(s, NULL, 0, 2), claim = claim_task(s, &far, 2000);
    struct task_holder own = holder(&claim);
    int64_t count = -1;

    assert_int_equal(IN_COMMIT(s, task_store_recover(s->store, 2000, &count)), API_OK);
    assert_int_equal(count, 0);
    assert_int_equal(IN_COMMIT(s, task_store_beat(s->store, &own, 2020, 30)), API_OK);
    assert_int_equal(IN_COMMIT(s, task_store_expire(s->store, 2050, &count)), API_OK);
    assert_int_equal(count, 0);
    assert_int_equal(IN_COMMIT(s, task_store_expire(s->store, 2051, &count)), API_OK);
    assert_int_equal(count, 1);
    assert_int_equal(finish(s, &claim, false), API_LEASE_LOST);
    job_claim_free(&claim);
    claim = claim_task(s, &far, 2060);
    assert_int_equal(claim.task, 1);
    assert_int_equal(IN_COMMIT(s, task_store_abandon(s->store, "far", 2070)), API_OK);
    assert_string_equal(states(s, lead.id), "ready ready");
    job_claim_free(&claim);
    job_claim_free(&lead);
}

static void the_rest_is_dropped_when_the_job_ends(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = led(s, NULL, 0, 3), claim = claim_task(s, &here, 2000), other;

    assert_int_equal(finish(s, &claim, false), API_OK);
    other = claim_task(s, &here, 2000);
    assert_int_equal(
        IN_COMMIT(s, job_store_finish(s->store, lead.id, lead.token, "{}", false, 3000)), API_OK);
    assert_string_equal(states(s, lead.id), "dropped dropped done");
    assert_int_equal(finish(s, &other, false), API_LEASE_LOST);
    assert_int_equal(cores_of(s, ""), 0);
    assert_int_equal(IN_COMMIT(s, job_store_delete(s->store, lead.id)), API_OK);
    assert_string_equal(states(s, lead.id), "");
    job_claim_free(&claim);
    job_claim_free(&other);
    job_claim_free(&lead);
}

/* ---- what a lead finds to be of no use ---- */

/* `letter` says which bytes it has. */
static void output(struct stage *s, const struct job_claim *claim, const char *path, char letter)
{
    const struct task_holder own = holder(claim);
    char sha256[65];

    memset(sha256, letter, 64);
    sha256[64] = '\0';
    assert_int_equal(IN_COMMIT(s, task_store_output(s->store, &own, path, sha256, 7)), API_OK);
}

static enum api_error refuse(struct stage *s, const struct job_claim *lead, int64_t number,
                             json_t *gone, enum task_state *ret_state)
{
    return IN_COMMIT(s, task_store_refuse(s->store, lead->id, lead->token, number, "it is cut",
                                          3000, gone, ret_state));
}

/* A member of the last try of the last task of a job. */
static const char *of_last_try(struct stage *s, int64_t job, const char *member, int *ret_tries)
{
    static char text[256];
    struct store_page page = {.limit = 1};

    assert_int_equal(task_store_list(s->reader, job, &page), API_OK);
    const json_t *tries = json_object_get(json_array_get(page.items, 0), "tries");
    *ret_tries = (int)json_array_size(tries);
    const char *value = json_string_value(
        json_object_get(json_array_get(tries, json_array_size(tries) - 1), member));
    snprintf(text, sizeof text, "%s", value ? value : "");
    json_decref(page.items);
    return text;
}

static void an_output_that_is_refused_is_made_again(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = led(s, NULL, 0, 1), claim;
    json_t *gone = json_array(), *lines;
    enum task_state now;
    int tries;

    assert_int_equal(refuse(s, &lead, 2, gone, &now), API_BAD_FIELD);
    assert_int_equal(refuse(s, &lead, 1, gone, &now), API_OK); /* it is not done: no change */
    assert_string_equal(states(s, lead.id), "ready");
    for (int k = 1; k <= JOB_ATTEMPTS; k++) {
        claim = claim_task(s, &here, 3000);
        assert_int_equal(claim.attempt, k);
        output(s, &claim, "task-1.x", (char)('a' + k));
        assert_int_equal(finish(s, &claim, false), API_OK);
        job_claim_free(&claim);
        json_array_clear(gone);
        assert_int_equal(refuse(s, &lead, 1, gone, &now), API_OK);
        assert_int_equal(now, k < JOB_ATTEMPTS ? TASK_READY : TASK_FAILED);
        assert_string_equal(json_string_value(json_array_get(gone, 0)), "task-1.x");
        assert_string_equal(of_last_try(s, lead.id, "state", &tries), "failed");
        assert_string_equal(of_last_try(s, lead.id, "error", &tries),
                            "its output was refused: it is cut");
        assert_int_equal(tries, k); /* all of them are remembered */
    }
    assert_string_equal(states(s, lead.id), "failed");
    assert_int_equal(task_store_news(s->reader, lead.id, 1, &lines), API_OK);
    const json_t *line = json_array_get(lines, 0);
    assert_string_equal(json_string_value(json_object_get(line, "code")), "bad-output");
    assert_string_equal(json_string_value(json_object_get(line, "detail")),
                        "task 1: its output was refused: it is cut, after 5 tries, the last one "
                        "by this machine");
    json_decref(lines);
    struct job_claim other = lead;
    memset(other.token, '0', 32);
    assert_int_equal(refuse(s, &other, 1, gone, &now), API_LEASE_LOST);
    json_decref(gone);
    job_claim_free(&lead);
}

static void dropped_tasks_are_behind_the_lead_and_remembered(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = led(s, NULL, 0, 4), first, second;
    json_t *gone = json_array(), *open;
    int64_t merged;
    int tries;

    first = claim_task(s, &here, 2000);
    assert_int_equal(finish(s, &first, false), API_OK);
    assert_int_equal(IN_COMMIT(s, task_store_merge(s->store, lead.id, lead.token, 1, gone)),
                     API_OK);
    second = claim_task(s, &here, 2000);
    output(s, &second, "task-2.x", 'a');
    assert_int_equal(finish(s, &second, false), API_OK);
    job_claim_free(&first);
    first = claim_task(s, &here, 2000);
#define DROP(through) \
    IN_COMMIT(s, task_store_drop(s->store, lead.id, lead.token, (through), 3000, gone))
    assert_int_equal(DROP(5), API_BAD_FIELD);
    json_array_clear(gone);
    assert_int_equal(DROP(4), API_OK);
    assert_int_equal(json_array_size(gone), 1);
    assert_string_equal(states(s, lead.id), "dropped dropped dropped done");
    assert_int_equal(finish(s, &first, false), API_LEASE_LOST);
    assert_int_equal(cores_of(s, ""), 0);
    job_claim_free(&first);
    assert_int_equal(try_claim(s, &here, 3000, &first), API_NOT_FOUND);
    assert_int_equal(task_store_open(s->reader, lead.id, &merged, &open), API_OK);
    assert_int_equal(merged, 4);
    assert_int_equal(json_array_size(open), 0);
    json_decref(open);
    offer(s, &lead, 5, 1); /* the next round */
    first = claim_task(s, &here, 3000);
    assert_int_equal(first.task, 5);
    assert_string_equal(of_last_try(s, lead.id, "state", &tries), "leased");
    json_decref(gone);
    job_claim_free(&first);
    job_claim_free(&second);
    job_claim_free(&lead);
}

static void a_job_without_lead_hands_out_nothing(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = led(s, NULL, 0, 2), claim = claim_task(s, &here, 2000), more;
    enum job_state now;

    assert_int_equal(
        IN_COMMIT(s, job_store_ask(s->store, lead.id, JOB_PAUSE, NULL, NULL, 2000, &now)), API_OK);
    assert_int_equal(try_claim(s, &here, 2000, &more), API_NOT_FOUND);
    assert_int_equal(IN_COMMIT(s, job_store_release(s->store, lead.id, lead.token, false, 2100)),
                     API_OK);
    assert_int_equal(try_claim(s, &here, 2200, &more), API_NOT_FOUND);
    assert_int_equal(finish(s, &claim, false), API_OK); /* it was being done */
    assert_string_equal(states(s, lead.id), "ready done");
    job_claim_free(&claim);
    job_claim_free(&lead);
}

static void a_kicked_job_tries_its_failed_tasks_again(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = led(s, NULL, 0, 1), claim = claim_task(s, &here, 2000);
    const struct job_failure failure = {"bad", "no", false, false, false};
    enum job_state now;

    assert_int_equal(fail_with(s, &claim, false, false, 2000), TASK_FAILED);
    assert_int_equal(
        IN_COMMIT(s, job_store_fail(s->store, lead.id, lead.token, &failure, 2000, &now)), API_OK);
    assert_int_equal(now, JOB_BURIED);
    assert_string_equal(states(s, lead.id), "failed");
    assert_int_equal(
        IN_COMMIT(s, job_store_ask(s->store, lead.id, JOB_KICK, NULL, NULL, 2000, &now)), API_OK);
    assert_string_equal(states(s, lead.id), "ready");
    job_claim_free(&claim);
    job_claim_free(&lead);
}

static void the_table_has_all_moves(void **state)
{
    (void)state;
    assert_true(task_may_move(TASK_READY, TASK_LEASED));
    assert_true(task_may_move(TASK_LEASED, TASK_DONE));
    assert_true(task_may_move(TASK_FAILED, TASK_READY));
    assert_true(task_may_move(TASK_DONE, TASK_READY));   /* a liar did it */
    assert_true(task_may_move(TASK_DONE, TASK_FAILED));  /* its output was refused once more */
    assert_true(task_may_move(TASK_DONE, TASK_DROPPED)); /* nobody needs it */
    assert_true(task_may_move(TASK_DROPPED, TASK_READY));
    assert_false(task_may_move(TASK_DONE, TASK_LEASED));
    assert_false(task_may_move(TASK_READY, TASK_DONE));
    assert_false(task_may_move(TASK_DROPPED, TASK_LEASED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_task_is_done_and_merged, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(tasks_are_offered_without_a_gap, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(jobs_share_the_slots, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(caps_of_cores_hold_for_tasks, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(a_task_that_fails_is_tried_again_and_then_fails, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(a_task_given_back_waits_as_before, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(leases_of_nodes_run_out, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(the_rest_is_dropped_when_the_job_ends, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(an_output_that_is_refused_is_made_again, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(dropped_tasks_are_behind_the_lead_and_remembered,
                                        stage_open, stage_close),
        cmocka_unit_test_setup_teardown(a_job_without_lead_hands_out_nothing, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(a_kicked_job_tries_its_failed_tasks_again, stage_open,
                                        stage_close),
        cmocka_unit_test(the_table_has_all_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
