/* What waits and what runs, when the clock was set. */
#include "service/store/moments.h"

#include "service/store/nodes.h"
#include "service/store/sql.h"
#include "service/store/tasks.h"
#include "tests/unit/service/store/stage.h"

#include <string.h>

enum { NOW_MS = 1000000, STEP_MS = 86400000, WAIT_MS = 7000, LEASE_MS = 30000 };

static const char *const kinds[] = {"match", NULL};

static int64_t add_later(struct stage *s, int64_t wait_ms)
{
    const struct job_new job = {.kind = "match", .spec = "{}", .run_at_ms = NOW_MS + wait_ms};
    int64_t id;

    assert_int_equal(IN_COMMIT(s, job_store_add(s->store, &job, NOW_MS, &id)), API_OK);
    return id;
}

static int64_t next_due(struct stage *s)
{
    int64_t due_ms;

    assert_int_equal(job_store_next_due(s->reader, kinds, &due_ms), API_OK);
    return due_ms;
}

static void set_clock(struct stage *s, int64_t step_ms)
{
    assert_int_equal(IN_COMMIT(s, moments_shift(s->store, step_ms)), API_OK);
}

static void what_waits_moves_back_with_the_clock_but_not_forward(void **state)
{
    struct stage *s = *state;

    add_later(s, WAIT_MS);
    set_clock(s, -STEP_MS);
    assert_int_equal(next_due(s), NOW_MS - STEP_MS + WAIT_MS);
    set_clock(s, STEP_MS);
    assert_int_equal(next_due(s), NOW_MS - STEP_MS + WAIT_MS);
}

/* Those in the line stay before those that come later. */
static void jobs_in_the_line_keep_their_places(void **state)
{
    struct stage *s = *state;
    int64_t first = add_later(s, 0), position;

    set_clock(s, -STEP_MS);
    const struct job_new job = {.kind = "match", .spec = "{}"};
    int64_t second;
    assert_int_equal(IN_COMMIT(s, job_store_add(s->store, &job, NOW_MS - STEP_MS + 1, &second)),
                     API_OK);
    assert_int_equal(job_store_position(s->reader, first, &position), API_OK);
    assert_int_equal(position, 0);
    assert_int_equal(job_store_position(s->reader, second, &position), API_OK);
    assert_int_equal(position, 1);
}

/* A job that was released after a step is due, as it was before. */
static void a_job_that_is_given_back_is_due(void **state)
{
    struct stage *s = *state;
    int64_t id = add_later(s, 0);
    struct job_claim claim = stage_claim(s, "match", NOW_MS), again;

    set_clock(s, -STEP_MS);
    assert_int_equal(
        IN_COMMIT(s, job_store_release(s->store, id, claim.token, false, NOW_MS - STEP_MS)),
        API_OK);
    again = stage_claim(s, "match", NOW_MS - STEP_MS);
    assert_int_equal(again.id, id);
    job_claim_free(&claim);
    job_claim_free(&again);
}

static int64_t spent_ms(struct stage *s)
{
    static const char text[] = "SELECT CAST(1000 * seconds AS INTEGER) FROM task";
    int64_t ms = -1;

    assert_int_equal(sql_read(s->reader, text, NULL, GET(TO_INT(&ms))), API_OK);
    return ms;
}

/* A lead with one task, which a node holds since NOW_MS. */
static struct job_claim lease_task(struct stage *s, struct job_claim *ret_lead)
{
    const struct task_wish wish = {.kinds = kinds, .node = "far"};
    struct job_claim claim;

    add_later(s, 0);
    *ret_lead = stage_claim(s, "match", NOW_MS);
    stage_begin(s);
    enum api_error error =
        task_store_add(s->store, ret_lead->id, ret_lead->token,
                       &(struct task_new){.number = 1, .cores = 1, .spec = "{}"}, NOW_MS);
    if (error == API_OK)
        error = task_store_claim(s->store, &wish, NOW_MS, LEASE_MS, &claim);
    assert_int_equal(stage_end(s, error), API_OK);
    return claim;
}

static int64_t expire(struct stage *s, int64_t now_ms)
{
    int64_t count = 0;

    assert_int_equal(IN_COMMIT(s, task_store_expire(s->store, now_ms, &count)), API_OK);
    return count;
}

static void a_lease_and_a_duration_know_no_steps(void **state)
{
    static const int64_t steps_ms[] = {STEP_MS, -STEP_MS, -STEP_MS, STEP_MS};
    struct stage *s = *state;
    struct job_claim lead, claim = lease_task(s, &lead);
    const struct task_holder holder = {claim.id, claim.task, claim.token};
    int64_t now_ms = NOW_MS;

    for (size_t k = 0; k < sizeof steps_ms / sizeof *steps_ms; k++) {
        now_ms += steps_ms[k];
        set_clock(s, steps_ms[k]);
        assert_int_equal(expire(s, now_ms + LEASE_MS), 0);
    }
    set_clock(s, -STEP_MS);
    now_ms += 2500 - STEP_MS;
    assert_int_equal(IN_COMMIT(s, task_store_finish(s->store, &holder, "{}", false, now_ms)),
                     API_OK);
    assert_int_equal(spent_ms(s), 2500);
    job_claim_free(&lead);
    job_claim_free(&claim);
}

/* A step that is too small to be one. */
static void a_duration_is_never_negative(void **state)
{
    struct stage *s = *state;
    struct job_claim lead, claim = lease_task(s, &lead);
    const struct task_holder holder = {claim.id, claim.task, claim.token};

    assert_int_equal(IN_COMMIT(s, task_store_finish(s->store, &holder, "{}", false, NOW_MS - 100)),
                     API_OK);
    assert_int_equal(spent_ms(s), 0);
    job_claim_free(&lead);
    job_claim_free(&claim);
}

static void heal(struct stage *s, int64_t now_ms)
{
    assert_int_equal(IN_COMMIT(s, moments_heal(s->store, now_ms, LEASE_MS)), API_OK);
}

/* The clock was set back while no daemon ran. */
static void a_start_with_an_earlier_clock_waits_no_longer(void **state)
{
    struct stage *s = *state;
    struct job_claim lead, claim = lease_task(s, &lead);
    const int64_t now_ms = NOW_MS - STEP_MS;

    add_later(s, WAIT_MS);
    heal(s, now_ms);
    assert_int_equal(next_due(s), now_ms + WAIT_MS);
    assert_int_equal(expire(s, now_ms + LEASE_MS + 1), 1);
    heal(s, now_ms); /* once is enough: a later start moves nothing */
    assert_int_equal(next_due(s), now_ms + WAIT_MS);
    job_claim_free(&lead);
    job_claim_free(&claim);
}

static void a_start_with_the_right_clock_moves_nothing(void **state)
{
    struct stage *s = *state;

    add_later(s, WAIT_MS);
    heal(s, NOW_MS + 1000);
    assert_int_equal(next_due(s), NOW_MS + WAIT_MS);
}

int main(void)
{
#define WITH_STAGE(test) cmocka_unit_test_setup_teardown(test, stage_open, stage_close)
    const struct CMUnitTest tests[] = {
        WITH_STAGE(what_waits_moves_back_with_the_clock_but_not_forward),
        WITH_STAGE(jobs_in_the_line_keep_their_places),
        WITH_STAGE(a_job_that_is_given_back_is_due),
        WITH_STAGE(a_lease_and_a_duration_know_no_steps),
        WITH_STAGE(a_duration_is_never_negative),
        WITH_STAGE(a_start_with_an_earlier_clock_waits_no_longer),
        WITH_STAGE(a_start_with_the_right_clock_moves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
