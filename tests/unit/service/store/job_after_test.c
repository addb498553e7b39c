/* Jobs that start after others (service/store/job_after.h), and the choice of many
 * (service/store/job_pick.h). */
#include "api/base/clock.h"
#include "tests/unit/service/store/stage.h"

#include "service/store/job_after.h"
#include "service/store/job_pick.h"

#include <stdlib.h>
#include <string.h>

enum { NOTES = 64 };

static int64_t add_after(struct stage *s, const int64_t *after, int count,
                         enum job_if_failed if_failed)
{
    const struct job_new job = {.kind = "match",
                                .spec = "{}",
                                .after = after,
                                .after_count = count,
                                .if_failed = if_failed};
    int64_t id = 0;

    assert_int_equal(IN_COMMIT(s, job_store_add(s->store, &job, 1000, &id)), API_OK);
    return id;
}

static void ask(struct stage *s, int64_t id, enum job_wish wish)
{
    enum job_state state;

    assert_int_equal(IN_COMMIT(s, job_store_ask(s->store, id, wish, NULL, NULL, 2000, &state)),
                     API_OK);
}

/* Takes all notes; returns how many jobs have moved. */
static int settle(struct stage *s)
{
    struct job_moved moved[NOTES];
    enum api_error error = API_OK;
    int sum = 0, count = 0;

    while ((error = IN_COMMIT(s, job_store_settle(s->store, NOTES, 3000, moved, &count))) == API_OK)
        sum += count;
    assert_int_equal(error, API_NOT_FOUND);
    return sum;
}

static void finish(struct stage *s, int64_t id)
{
    struct job_claim claim = stage_claim(s, "match", 2000);

    assert_int_equal(claim.id, id);
    assert_int_equal(IN_COMMIT(s, job_store_finish(s->store, id, claim.token, "{}", false, 2000)),
                     API_OK);
    job_claim_free(&claim);
}

static void bury(struct stage *s, int64_t id)
{
    const struct job_failure failure = {"bad", "no good", false, false, false};
    struct job_claim claim = stage_claim(s, "match", 2000);
    enum job_state state;

    assert_int_equal(claim.id, id);
    assert_int_equal(
        IN_COMMIT(s, job_store_fail(s->store, id, claim.token, &failure, 2000, &state)), API_OK);
    assert_int_equal(state, JOB_BURIED);
    job_claim_free(&claim);
}

static void nothing_is_due(struct stage *s)
{
    const char *const kinds[] = {"match", NULL};
    int64_t at;

    assert_int_equal(job_store_next_due(s->store, kinds, &at), API_OK);
    assert_true(at == CLOCK_NEVER_MS);
}

static void a_job_starts_when_all_before_it_are_done(void **state)
{
    struct stage *s = *state;
    int64_t before[2] = {stage_add(s, "match"), stage_add(s, "match")};
    int64_t id = add_after(s, before, 2, JOB_IF_FAILED_CANCEL);

    assert_string_equal(stage_member(s, id, "waiting_for"), "[1,2]");
    assert_string_equal(stage_member(s, before[0], "needed_by"), "[3]");
    finish(s, before[0]);
    assert_int_equal(settle(s), 0);
    assert_string_equal(stage_member(s, id, "waiting_for"), "[2]");
    finish(s, before[1]);
    nothing_is_due(s);
    assert_int_equal(settle(s), 1);
    assert_string_equal(stage_member(s, id, "waiting_for"), "[]");
    assert_string_equal(stage_member(s, id, "after"), "[1,2]");
    finish(s, id);
    assert_string_equal(stage_events(s, id), "added unblocked leased done");
}

static void done_jobs_need_no_waiting(void **state)
{
    struct stage *s = *state;
    int64_t before = stage_add(s, "match");

    finish(s, before);
    int64_t id = add_after(s, &before, 1, JOB_IF_FAILED_CANCEL);
    assert_int_equal(settle(s), 0);
    /* Its deletion changes nothing. */
    assert_int_equal(IN_COMMIT(s, job_store_delete(s->store, before)), API_OK);
    assert_string_equal(stage_member(s, id, "after"), "[1]");
    finish(s, id);
}

static void a_failure_cancels_the_whole_chain(void **state)
{
    struct stage *s = *state;
    int64_t first = stage_add(s, "match"), chain[200];

    for (int k = 0; k < 200; k++)
        chain[k] = add_after(s, k > 0 ? &chain[k - 1] : &first, 1, JOB_IF_FAILED_CANCEL);
    bury(s, first);
    assert_int_equal(settle(s), 200);
    assert_int_equal(stage_state(s, chain[199]), JOB_CANCELLED);
    assert_string_equal(stage_events(s, chain[199]), "added cancelled");
    for (int k = 0; k < 200; k += 199) /* all know the first cause */
        assert_string_equal(stage_member(s, chain[k], "error"),
                            "{\"code\":\"after-failed\",\"detail\":\"job 1 failed: no good\"}");
}

static void a_failure_may_be_ignored_or_pause(void **state)
{
    struct stage *s = *state;
    int64_t first = stage_add(s, "match");
    int64_t runs = add_after(s, &first, 1, JOB_IF_FAILED_RUN);
    int64_t pauses = add_after(s, &first, 1, JOB_IF_FAILED_PAUSE);

    ask(s, first, JOB_CANCEL);
    assert_int_equal(settle(s), 2);
    assert_int_equal(stage_state(s, pauses), JOB_PAUSED);
    assert_string_equal(stage_member(s, runs, "error"), "null");
    assert_string_equal(stage_member(s, pauses, "error"),
                        "{\"code\":\"after-failed\",\"detail\":\"job 1 was cancelled\"}");
    finish(s, runs);
    ask(s, pauses, JOB_RESUME);
    finish(s, pauses);
    assert_string_equal(stage_member(s, pauses, "error"), "null"); /* it is done all the same */
}

static void a_kicked_job_is_waited_for_again(void **state)
{
    struct stage *s = *state;
    int64_t first = stage_add(s, "match");
    int64_t pauses = add_after(s, &first, 1, JOB_IF_FAILED_PAUSE);

    bury(s, first);
    settle(s);
    ask(s, first, JOB_KICK);
    ask(s, pauses, JOB_RESUME);
    assert_string_equal(stage_member(s, pauses, "waiting_for"), "[1]");
    finish(s, first);
    nothing_is_due(s);
    assert_int_equal(settle(s), 1);
    finish(s, pauses);
}

static void a_paused_job_hears_and_a_cancelled_one_does_not(void **state)
{
    struct stage *s = *state;
    int64_t first = stage_add(s, "match");
    int64_t paused = add_after(s, &first, 1, JOB_IF_FAILED_CANCEL);
    int64_t cancelled = add_after(s, &first, 1, JOB_IF_FAILED_CANCEL);

    ask(s, paused, JOB_PAUSE);
    ask(s, cancelled, JOB_CANCEL);
    finish(s, first);
    assert_int_equal(settle(s), 1);
    assert_int_equal(stage_state(s, paused), JOB_PAUSED);
    assert_int_equal(stage_state(s, cancelled), JOB_CANCELLED);
    ask(s, paused, JOB_RESUME);
    finish(s, paused);
}

static void all_before_a_job_are_those_that_have_not_ended(void **state)
{
    struct stage *s = *state;
    int64_t first = stage_add(s, "match"), other = stage_add(s, "match");
    int64_t second = add_after(s, &first, 1, JOB_IF_FAILED_RUN);
    int64_t both[2] = {second, other}, third = add_after(s, both, 2, JOB_IF_FAILED_RUN);
    json_t *after = json_pack("[I]", (json_int_t)third), *before;
    char *text;

    for (int k = 0; k < 3; k++) {
        static const char *const expected[] = {"[4,2,3,1]", "[4,2,3]", "[]"};
        if (k == 1)
            finish(s, first);
        assert_int_equal(job_store_before(s->reader, k < 2 ? after : NULL, &before), API_OK);
        text = json_dumps(before, JSON_COMPACT);
        assert_string_equal(text, expected[k]);
        free(text);
        json_decref(before);
    }
    json_decref(after);
}

static void jobs_before_must_exist(void **state)
{
    struct stage *s = *state;
    const int64_t none = 99;
    const struct job_new job = {.kind = "match", .spec = "{}", .after = &none, .after_count = 1};
    int64_t id = 0;

    assert_int_equal(IN_COMMIT(s, job_store_add(s->store, &job, 1000, &id)), API_NOT_FOUND);
}

/* ---- choosing many ---- */

static int pick_all(struct stage *s, const struct job_choice *choice, int64_t *ret_ids,
                    int64_t *ret_skipped)
{
    static const enum job_state passes[] = {JOB_READY, JOB_PAUSED, JOB_STATES};
    struct job_pick_place place = {.pass = 0};
    int64_t last = 0;
    int sum = 0, count = 0;

    assert_int_equal(job_store_newest(s->store, &last), API_OK);
    while (!place.is_over) {
        assert_int_equal(job_store_pick(s->store, choice, passes, last, 2, &place, ret_ids + sum,
                                        &count, ret_skipped),
                         API_OK);
        sum += count;
    }
    return sum;
}

static void a_choice_narrows_by_each_condition(void **state)
{
    struct stage *s = *state;
    int64_t ids[32], skipped = 0;

    for (int k = 0; k < 5; k++)
        stage_add(s, k == 2 ? "train" : "match");
    stage_add(s, "rate");
    ask(s, 5, JOB_PAUSE);
    ask(s, 4, JOB_CANCEL);
    assert_int_equal(pick_all(s, &(struct job_choice){.kind = NULL}, ids, &skipped), 4);
    assert_int_equal(ids[3], 5); /* paused */
    assert_int_equal(pick_all(s, &(struct job_choice){.kind = "rate"}, ids, &skipped), 1);
    assert_int_equal(
        pick_all(s, &(struct job_choice){.has_state = true, .state = JOB_PAUSED}, ids, &skipped),
        1);
    assert_int_equal(
        pick_all(s, &(struct job_choice){.has_from = true, .from_ms = 1001}, ids, &skipped), 0);
    assert_int_equal(
        pick_all(s, &(struct job_choice){.has_to = true, .to_ms = 1001}, ids, &skipped), 4);
    assert_int_equal(pick_all(s, &(struct job_choice){.owner = "ann"}, ids, &skipped), 0);
    assert_int_equal(skipped, 0);
    const int64_t named[] = {1, 3, 4, 99};
    assert_int_equal(pick_all(s, &(struct job_choice){.kind = "match", .ids = named, .id_count = 4},
                              ids, &skipped),
                     1);
    assert_int_equal(skipped, 3); /* another kind, cancelled, unknown */
}

static void another_priority_is_another_place(void **state)
{
    struct stage *s = *state;
    int64_t first = stage_add(s, "match"), second = stage_add(s, "match");
    enum job_state now;

    assert_int_equal(IN_COMMIT(s, job_store_prioritise(s->store, second, -1, "ann", 2000, &now)),
                     API_OK);
    finish(s, second);
    assert_int_equal(IN_COMMIT(s, job_store_prioritise(s->store, second, 0, NULL, 2000, &now)),
                     API_STATE);
    assert_int_equal(IN_COMMIT(s, job_store_prioritise(s->store, 99, 0, NULL, 2000, &now)),
                     API_NOT_FOUND);
    assert_string_equal(stage_events(s, second), "added prioritised leased done");
    finish(s, first);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stage_open, stage_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_job_starts_when_all_before_it_are_done),
        TEST(done_jobs_need_no_waiting),
        TEST(a_failure_cancels_the_whole_chain),
        TEST(a_failure_may_be_ignored_or_pause),
        TEST(a_kicked_job_is_waited_for_again),
        TEST(a_paused_job_hears_and_a_cancelled_one_does_not),
        TEST(all_before_a_job_are_those_that_have_not_ended),
        TEST(jobs_before_must_exist),
        TEST(a_choice_narrows_by_each_condition),
        TEST(another_priority_is_another_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
