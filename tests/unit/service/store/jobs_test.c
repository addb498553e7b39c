/* The life of jobs: who gets which job, the moves allowed, and the events recorded. */
#include "api/base/clock.h"
#include "tests/unit/service/store/job_events.h"
#include "tests/unit/service/store/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const any_kind[] = {"train", "match", NULL};

static const struct job_failure retryable = {.code = "no-memory",
                                             .detail = "out of memory",
                                             .retryable = true},
                                crash = {.code = "killed",
                                         .detail = "signal 11",
                                         .retryable = true,
                                         .crashed = true},
                                hopeless = {.code = "bad-spec", .detail = "no such player"};

static enum job_state fail_claim(struct stage *s, const struct job_claim *claim,
                                 const struct job_failure *failure, int64_t now_ms)
{
    enum job_state state = JOB_STATES;
    assert_int_equal(
        IN_COMMIT(s, job_store_fail(s->store, claim->id, claim->token, failure, now_ms, &state)),
        API_OK);
    return state;
}

static enum api_error finish(struct stage *s, const struct job_claim *claim)
{
    return IN_COMMIT(
        s, job_store_finish(s->store, claim->id, claim->token, "{\"points\":3}", false, 5000));
}

static enum api_error claim_any(struct stage *s, int64_t now_ms, struct job_claim *ret_claim)
{
    return IN_COMMIT(s, job_store_claim(s->store, any_kind, NULL, now_ms, 30, ret_claim));
}

/* --- claiming --- */

static void a_claim_has_the_spec_checkpoint_and_seed_of_the_job(void **state)
{
    struct stage *s = *state;
    struct job_new job = {.kind = "match", .spec = "{\"pairs\":5}"};
    int64_t id;

    assert_int_equal(IN_COMMIT(s, job_store_add(s->store, &job, 1000, &id)), API_OK);
    struct job_claim claim = stage_claim(s, "match", 2000);
    assert_int_equal(claim.id, id);
    assert_string_equal(claim.kind, "match");
    assert_string_equal(claim.spec, "{\"pairs\":5}");
    assert_int_equal(strlen(claim.token), 32);
    assert_null(claim.checkpoint);
    assert_int_equal(claim.attempt, 1);
    job_claim_free(&claim);
    assert_int_equal(claim_any(s, 2000, &claim), API_NOT_FOUND);
}

static void the_queue_is_ordered_by_priority_time_and_age(void **state)
{
    struct stage *s = *state;
    const struct job_new jobs[] = {
        {.kind = "match", .spec = "{}", .priority = 0, .run_at_ms = 900},
        {.kind = "train", .spec = "{}", .priority = 0, .run_at_ms = 800},
        {.kind = "match", .spec = "{}", .priority = 5, .run_at_ms = 1},
        {.kind = "match", .spec = "{}", .priority = -5, .run_at_ms = 950},
        {.kind = "train", .spec = "{}", .priority = 0, .run_at_ms = 900},
    };
    const int order[] = {3, 1, 0, 4, 2};
    int64_t ids[5], position;

    for (int k = 0; k < 5; k++)
        assert_int_equal(IN_COMMIT(s, job_store_add(s->store, &jobs[k], 1000, &ids[k])), API_OK);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(job_store_position(s->reader, ids[order[k]], &position), API_OK);
        assert_int_equal(position, k);
    }
    for (int k = 0; k < 5; k++) {
        struct job_claim claim;
        assert_int_equal(claim_any(s, 1000, &claim), API_OK);
        assert_int_equal(claim.id, ids[order[k]]);
        assert_int_equal(job_store_position(s->reader, claim.id, &position), API_STATE);
        job_claim_free(&claim);
    }
}

static void a_job_waits_for_its_time_and_takes_no_place_before(void **state)
{
    struct stage *s = *state;
    struct job_new job = {.kind = "match", .spec = "{}", .priority = -9, .run_at_ms = 7000};
    struct job_claim claim;
    int64_t later, position, due;

    assert_int_equal(job_store_next_due(s->reader, any_kind, &due), API_OK);
    assert_true(due == CLOCK_NEVER_MS);
    assert_int_equal(IN_COMMIT(s, job_store_add(s->store, &job, 1000, &later)), API_OK);
    assert_int_equal(job_store_next_due(s->reader, any_kind, &due), API_OK);
    assert_int_equal(due, 7000);
    int64_t now = stage_add(s, "match");
    assert_int_equal(job_store_next_due(s->reader, any_kind, &due), API_OK);
    assert_int_equal(due, 7000);
    assert_int_equal(job_store_position(s->reader, later, &position), API_OK);
    assert_int_equal(position, 1);
    assert_int_equal(job_store_position(s->reader, now, &position), API_OK);
    assert_int_equal(position, 0);

    assert_int_equal(claim_any(s, 6999, &claim), API_OK);
    assert_int_equal(claim.id, now);
    job_claim_free(&claim);
    assert_int_equal(claim_any(s, 6999, &claim), API_NOT_FOUND);
    assert_int_equal(claim_any(s, 7000, &claim), API_OK);
    assert_int_equal(claim.id, later);
    job_claim_free(&claim);
}

static void the_wait_of_jobs_is_known(void **state)
{
    struct stage *s = *state;
    const struct job_new jobs[] = {
        {.kind = "match", .spec = "{}", .priority = 0, .run_at_ms = 900},
        {.kind = "match", .spec = "{}", .priority = 7, .run_at_ms = 700},
        {.kind = "match", .spec = "{}", .priority = -7, .run_at_ms = 800},
        {.kind = "match", .spec = "{}", .priority = -7, .run_at_ms = 5000},
        {.kind = "train", .spec = "{}", .priority = 0, .run_at_ms = 6000},
    };
    const struct job_failure failure = {.code = "x", .detail = "y", .retryable = true};
    enum job_state after;
    int64_t id, since;

    assert_int_equal(job_store_oldest_due(s->reader, "match", 9000, &since), API_NOT_FOUND);
    for (int k = 0; k < 5; k++)
        assert_int_equal(IN_COMMIT(s, job_store_add(s->store, &jobs[k], 1000, &id)), API_OK);
    assert_int_equal(job_store_oldest_due(s->reader, "match", 1000, &since), API_OK);
    assert_int_equal(since, 700);
    /* Due, though nobody has claimed since. */
    assert_int_equal(job_store_oldest_due(s->reader, "train", 5999, &since), API_NOT_FOUND);
    assert_int_equal(job_store_oldest_due(s->reader, "train", 6000, &since), API_OK);
    assert_int_equal(since, 6000);

    struct job_claim claim = stage_claim(s, "match", 1100);
    assert_int_equal(claim.waited_ms, 300); /* priority -7, since 800 */
    assert_int_equal(
        IN_COMMIT(s, job_store_fail(s->store, claim.id, claim.token, &failure, 1200, &after)),
        API_OK);
    id = claim.id;
    job_claim_free(&claim);
    claim = stage_claim(s, "match", 2300);
    assert_int_equal(claim.id, id);
    assert_int_equal(claim.waited_ms, -1); /* its second lease */
    job_claim_free(&claim);
}

static void a_worker_gets_only_its_kinds(void **state)
{
    struct stage *s = *state;
    const char *const other[] = {"exploitability", NULL};
    struct job_claim claim;

    stage_add(s, "match");
    assert_int_equal(IN_COMMIT(s, job_store_claim(s->store, other, NULL, 2000, 30, &claim)),
                     API_NOT_FOUND);
}

/* --- messages of the worker --- */

/* A worker that lost its lease must not be able to overwrite the next worker's answer. */
static void late_worker_cannot_finish(void **state)
{
    struct stage *s = *state;

    stage_add(s, "train");
    struct job_claim first = stage_claim(s, "train", 1000);
    assert_int_equal(fail_claim(s, &first, &crash, 1031), JOB_READY);
    struct job_claim second = stage_claim(s, "train", 5000);
    assert_int_equal(second.attempt, 2);

    assert_int_equal(finish(s, &first), API_LEASE_LOST);
    assert_int_equal(
        IN_COMMIT(s, job_store_beat(s->store, first.id, first.token, 5001, 30, 0.5, 1.0)),
        API_LEASE_LOST);
    assert_int_equal(
        IN_COMMIT(s, job_store_checkpoint(s->store, first.id, first.token, "{}", 5001)),
        API_LEASE_LOST);
    assert_int_equal(IN_COMMIT(s, job_store_partial(s->store, first.id, first.token, "{}", 5001)),
                     API_LEASE_LOST);
    assert_int_equal(IN_COMMIT(s, job_store_release(s->store, first.id, first.token, false, 5001)),
                     API_LEASE_LOST);
    enum job_state now;
    assert_int_equal(
        IN_COMMIT(s, job_store_fail(s->store, first.id, first.token, &crash, 5001, &now)),
        API_LEASE_LOST);

    assert_int_equal(finish(s, &second), API_OK);
    assert_int_equal(finish(s, &second), API_LEASE_LOST);
    assert_string_equal(stage_member(s, first.id, "result"), "{\"points\":3}");
    job_claim_free(&first);
    job_claim_free(&second);
}

static void heartbeats_report_progress(void **state)
{
    struct stage *s = *state;

    stage_add(s, "match");
    struct job_claim claim = stage_claim(s, "match", 1000);
    assert_string_equal(stage_member(s, claim.id, "progress"), "null");
    assert_int_equal(
        IN_COMMIT(s, job_store_beat(s->store, claim.id, claim.token, 1020, 30, 0.25, (double)NAN)),
        API_OK);
    assert_string_equal(stage_member(s, claim.id, "progress"), "0.25");
    assert_string_equal(stage_member(s, claim.id, "eta_s"), "null");
    assert_int_equal(finish(s, &claim), API_OK);
    assert_string_equal(stage_member(s, claim.id, "progress"), "1.0");
    assert_string_equal(stage_member(s, claim.id, "finished_at"), "\"1970-01-01T00:00:05.000Z\"");
    assert_string_equal(stage_member(s, claim.id, "error"), "null");
    assert_string_equal(stage_events(s, claim.id), "added leased done");
    job_claim_free(&claim);
}

static void the_next_attempt_goes_on_from_the_checkpoint(void **state)
{
    struct stage *s = *state;

    stage_add(s, "train");
    struct job_claim claim = stage_claim(s, "train", 1000);
    for (int step = 1; step <= 2; step++) {
        char checkpoint[32];
        snprintf(checkpoint, sizeof checkpoint, "{\"step\":%d}", step);
        assert_int_equal(
            IN_COMMIT(s, job_store_checkpoint(s->store, claim.id, claim.token, checkpoint, 1001)),
            API_OK);
    }
    assert_int_equal(
        IN_COMMIT(s, job_store_partial(s->store, claim.id, claim.token, "{\"pairs\":7}", 1002)),
        API_OK);
    assert_int_equal(
        IN_COMMIT(s, job_store_beat(s->store, claim.id, claim.token, 1003, 30, 0.25, 9.0)), API_OK);
    assert_string_equal(stage_member(s, claim.id, "result"), "{\"pairs\":7}");
    fail_claim(s, &claim, &crash, 1003);
    job_claim_free(&claim);
    claim = stage_claim(s, "train", 9000);
    assert_string_equal(claim.checkpoint, "{\"step\":2}");
    assert_string_equal(stage_member(s, claim.id, "progress"),
                        "0.25"); /* the last progress is kept */
    assert_string_equal(stage_member(s, claim.id, "eta_s"), "null");
    job_claim_free(&claim);

    stage_add(s, "match"); /* without a checkpoint it starts over */
    claim = stage_claim(s, "match", 9000);
    assert_int_equal(
        IN_COMMIT(s, job_store_beat(s->store, claim.id, claim.token, 9001, 30, 0.5, 9.0)), API_OK);
    fail_claim(s, &claim, &crash, 9002);
    job_claim_free(&claim);
    claim = stage_claim(s, "match", 19000);
    assert_string_equal(stage_member(s, claim.id, "progress"), "null");
    job_claim_free(&claim);
}

static void retries_wait_twice_as_long_each_time(void **state)
{
    struct stage *s = *state;
    struct job_new job = {.kind = "match", .spec = "{}", .max_attempts = 9};
    const int64_t wait_ms[] = {1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000};
    int64_t id, due, now = 1000;

    assert_int_equal(IN_COMMIT(s, job_store_add(s->store, &job, now, &id)), API_OK);
    for (int k = 0; k < 8; k++) {
        struct job_claim claim = stage_claim(s, "match", now);
        assert_int_equal(claim.attempt, k + 1);
        assert_int_equal(fail_claim(s, &claim, &retryable, now), JOB_READY);
        assert_int_equal(job_store_next_due(s->reader, any_kind, &due), API_OK);
        assert_int_equal(due - now, wait_ms[k]);
        now = due;
        job_claim_free(&claim);
    }
    struct job_claim last = stage_claim(s, "match", now);
    assert_int_equal(fail_claim(s, &last, &retryable, now), JOB_BURIED);
    assert_string_equal(stage_member(s, id, "error"),
                        "{\"code\":\"no-memory\",\"detail\":\"out of memory\"}");
    job_claim_free(&last);
}

static void three_crashes_bury_a_job_and_a_kick_starts_it_afresh(void **state)
{
    struct stage *s = *state;
    int64_t id = stage_add(s, "match"), now = 1000;
    enum job_state moved;

    for (int k = 1; k <= JOB_CRASHES; k++, now += 60000) {
        struct job_claim claim = stage_claim(s, "match", now);
        assert_int_equal(fail_claim(s, &claim, &crash, now),
                         k < JOB_CRASHES ? JOB_READY : JOB_BURIED);
        job_claim_free(&claim);
    }
    assert_string_equal(
        stage_member(s, id, "error"),
        "{\"code\":\"killed\",\"detail\":\"signal 11; 3 workers died of this job\"}");
    assert_string_equal(stage_member(s, id, "crashes"), "3");
    assert_int_equal(IN_COMMIT(s, job_store_ask(s->store, id, JOB_KICK, NULL, NULL, now, &moved)),
                     API_OK);
    assert_int_equal(moved, JOB_READY);
    struct job_claim claim = stage_claim(s, "match", now);
    assert_int_equal(claim.attempt, 1);
    assert_int_equal(fail_claim(s, &claim, &crash, now), JOB_READY);
    assert_string_equal(stage_events(s, id), "added leased retried leased retried leased buried "
                                             "kicked leased retried");
    job_claim_free(&claim);
}

/* A long job that makes progress may lose more workers than one that always kills them. */
static void progress_resets_the_count_of_crashes(void **state)
{
    struct stage *s = *state;
    int64_t id = stage_add(s, "match"), now = 1000, due;
    const struct job_failure after_progress = {.code = "killed",
                                               .detail = "signal 9",
                                               .retryable = true,
                                               .crashed = true,
                                               .made_progress = true};

    for (int k = 0; k < 2 * JOB_ATTEMPTS; k++, now = due) {
        struct job_claim claim = stage_claim(s, "match", now);
        assert_int_equal(claim.attempt, k == 0 ? 1 : 2);
        assert_int_equal(fail_claim(s, &claim, &after_progress, now), JOB_READY);
        assert_string_equal(stage_member(s, id, "crashes"), "1");
        assert_int_equal(job_store_next_due(s->reader, any_kind, &due), API_OK);
        assert_int_equal(due - now, 1000);
        job_claim_free(&claim);
    }
    for (int k = 2; k <= JOB_CRASHES; k++, now += 60000) {
        struct job_claim claim = stage_claim(s, "match", now);
        assert_int_equal(fail_claim(s, &claim, &crash, now),
                         k < JOB_CRASHES ? JOB_READY : JOB_BURIED);
        job_claim_free(&claim);
    }
}

/* The job may be what crashes the service: this leaves a while in which the service is usable. */
static void a_job_that_runs_at_each_crash_waits_longer(void **state)
{
    struct stage *s = *state;
    const int64_t wait_ms[] = {0, 0, 1000, 2000, 4000, 8000, 8000};
    int64_t count, now = 1000, due;

    stage_add(s, "match");
    for (size_t k = 0; k < sizeof wait_ms / sizeof *wait_ms; k++, now = due) {
        struct job_claim claim = stage_claim(s, "match", now);
        assert_int_equal(claim.attempt, 1);
        job_claim_free(&claim);
        assert_int_equal(IN_COMMIT(s, job_store_recover(s->store, now, &count)), API_OK);
        assert_int_equal(count, 1);
        assert_int_equal(job_store_next_due(s->reader, any_kind, &due), API_OK);
        if (due == CLOCK_NEVER_MS)
            due = now; /* it is due already */
        assert_int_equal(due - now, wait_ms[k]);
    }
    /* Any other outcome restarts the count. */
    struct job_claim claim = stage_claim(s, "match", now);
    assert_int_equal(fail_claim(s, &claim, &retryable, now), JOB_READY);
    job_claim_free(&claim);
    claim = stage_claim(s, "match", now + 1000);
    job_claim_free(&claim);
    assert_int_equal(IN_COMMIT(s, job_store_recover(s->store, now + 1000, &count)), API_OK);
    claim = stage_claim(s, "match", now + 1000);
    job_claim_free(&claim);
}

static void a_permanent_failure_buries_at_once(void **state)
{
    struct stage *s = *state;

    stage_add(s, "match");
    struct job_claim claim = stage_claim(s, "match", 1000);
    assert_int_equal(fail_claim(s, &claim, &hopeless, 1000), JOB_BURIED);
    job_claim_free(&claim);
}

static void a_released_job_has_lost_nothing(void **state)
{
    struct stage *s = *state;
    int64_t id = stage_add(s, "match");
    int64_t next = stage_add(s, "match"), position;

    struct job_claim claim = stage_claim(s, "match", 1000);
    assert_int_equal(IN_COMMIT(s, job_store_release(s->store, id, claim.token, false, 2000)),
                     API_OK);
    assert_string_equal(stage_member(s, id, "attempt"), "0");
    assert_int_equal(job_store_position(s->reader, next, &position), API_OK);
    assert_int_equal(position, 1);
    job_claim_free(&claim);
    claim = stage_claim(s, "match", 3000);
    assert_int_equal(claim.id, id);
    assert_int_equal(IN_COMMIT(s, job_store_release(s->store, id, claim.token, true, 3000)),
                     API_OK);
    assert_int_equal(stage_state(s, id), JOB_PAUSED);
    job_claim_free(&claim);
}

static void a_restart_puts_leased_jobs_where_they_were_wanted(void **state)
{
    struct stage *s = *state;
    int64_t id[4], count;
    struct job_claim claim[3];
    enum job_state moved;

    for (int k = 0; k < 4; k++)
        id[k] = stage_add(s, "match");
    for (int k = 0; k < 3; k++)
        claim[k] = stage_claim(s, "match", 1000);
    IN_COMMIT(s, job_store_ask(s->store, id[1], JOB_CANCEL, "enough", NULL, 1001, &moved));
    assert_int_equal(moved, JOB_LEASED);
    IN_COMMIT(s, job_store_ask(s->store, id[2], JOB_PAUSE, NULL, NULL, 1001, &moved));
    assert_int_equal(moved, JOB_LEASED);

    assert_int_equal(IN_COMMIT(s, job_store_recover(s->store, 2000, &count)), API_OK);
    assert_int_equal(count, 3);
    assert_int_equal(stage_state(s, id[0]), JOB_READY);
    assert_string_equal(stage_member(s, id[0], "attempt"), "0");
    assert_int_equal(stage_state(s, id[1]), JOB_CANCELLED);
    assert_int_equal(stage_state(s, id[2]), JOB_PAUSED);
    assert_int_equal(stage_state(s, id[3]), JOB_READY);
    assert_int_equal(finish(s, &claim[0]), API_LEASE_LOST);
    for (int k = 0; k < 3; k++)
        job_claim_free(&claim[k]);
}

/* --- the table of moves --- */

/* Adds a job and brings it into a state the way workers and callers do. */
static int64_t kind_in(struct stage *s, const char *kind, enum job_state wanted)
{
    int64_t id = stage_add(s, kind);
    struct job_claim claim;
    enum job_state moved;

    switch (wanted) {
    case JOB_READY:
        break;
    case JOB_PAUSED:
        assert_int_equal(
            IN_COMMIT(s, job_store_ask(s->store, id, JOB_PAUSE, NULL, NULL, 1000, &moved)), API_OK);
        break;
    case JOB_CANCELLED:
        assert_int_equal(
            IN_COMMIT(s, job_store_ask(s->store, id, JOB_CANCEL, NULL, NULL, 1000, &moved)),
            API_OK);
        break;
    default:
        claim = stage_claim(s, kind, 1000);
        assert_int_equal(claim.id, id);
        if (wanted == JOB_DONE)
            assert_int_equal(finish(s, &claim), API_OK);
        if (wanted == JOB_BURIED)
            fail_claim(s, &claim, &hopeless, 1000);
        job_claim_free(&claim);
    }
    assert_int_equal(stage_state(s, id), wanted);
    return id;
}

static int64_t job_in(struct stage *s, enum job_state wanted)
{
    return kind_in(s, "match", wanted);
}

enum request { CANCEL, PAUSE, RESUME, KICK, DELETE, REQUESTS };

static enum api_error ask(struct stage *s, enum request request, int64_t id)
{
    enum job_state moved;
    switch (request) {
    case CANCEL:
        return IN_COMMIT(s, job_store_ask(s->store, id, JOB_CANCEL, "why", NULL, 2000, &moved));
    case PAUSE:
        return IN_COMMIT(s, job_store_ask(s->store, id, JOB_PAUSE, NULL, NULL, 2000, &moved));
    case RESUME:
        return IN_COMMIT(s, job_store_ask(s->store, id, JOB_RESUME, NULL, NULL, 2000, &moved));
    case KICK:
        return IN_COMMIT(s, job_store_ask(s->store, id, JOB_KICK, NULL, NULL, 2000, &moved));
    default:
        return IN_COMMIT(s, job_store_delete(s->store, id));
    }
}

static void each_request_makes_its_move_or_changes_nothing(void **state)
{
    struct stage *s = *state;
    enum { NO = JOB_STATES, GONE };
    static const int becomes[JOB_STATES][REQUESTS] = {
        [JOB_READY] = {JOB_CANCELLED, JOB_PAUSED, NO, NO, NO},
        [JOB_LEASED] = {JOB_LEASED, JOB_LEASED, NO, NO, NO},
        [JOB_PAUSED] = {JOB_CANCELLED, NO, JOB_READY, NO, NO},
        [JOB_DONE] = {NO, NO, NO, NO, GONE},
        [JOB_BURIED] = {JOB_CANCELLED, NO, NO, JOB_READY, GONE},
        [JOB_CANCELLED] = {NO, NO, NO, NO, GONE},
    };

    for (enum job_state from = 0; from < JOB_STATES; from++)
        for (enum request request = 0; request < REQUESTS; request++) {
            int64_t id = job_in(s, from);
            json_t *job;
            enum api_error error = ask(s, request, id);
            switch (becomes[from][request]) {
            case NO:
                assert_int_equal(error, API_STATE);
                assert_int_equal(stage_state(s, id), from);
                break;
            case GONE:
                assert_int_equal(error, API_OK);
                assert_int_equal(job_store_get(s->reader, id, &job), API_NOT_FOUND);
                break;
            default:
                assert_int_equal(error, API_OK);
                assert_int_equal(stage_state(s, id), becomes[from][request]);
            }
            /* Keeps it out of the next job's way. */
            ask(s, CANCEL, id);
            int64_t count;
            IN_COMMIT(s, job_store_recover(s->store, 3000, &count));
        }
    for (enum request request = 0; request < REQUESTS; request++)
        assert_int_equal(ask(s, request, 123456), API_NOT_FOUND);
}

/* A job and its history without ids, as text; the caller frees it. */
static char *all_of(struct stage *s, int64_t id)
{
    json_t *job, *events = job_events(s->reader, id);

    assert_int_equal(job_store_get(s->reader, id, &job), API_OK);
    json_object_del(job, "id");
    json_object_set_new(job, "events", events);
    char *text = json_dumps(job, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(job);
    return text;
}

/* Many jobs at once become what each becomes alone; the others stay as they are. */
static void many_move_as_each_alone(void **state)
{
    struct stage *s = *state;

    for (enum job_wish wish = 0; wish < JOB_WISHES; wish++) {
        int64_t one[JOB_STATES], many[JOB_STATES + 1], moved[JOB_STATES + 1];
        int count, expected = 0;
        for (int from = JOB_STATES; from-- > 0;) { /* ready ones last: no claim takes them */
            one[from] = job_in(s, (enum job_state)from);
            many[from] = job_in(s, (enum job_state)from);
        }
        many[JOB_STATES] = 123456; /* there is none */
        assert_int_equal(IN_COMMIT(s, job_store_ask_many(s->store, many, JOB_STATES + 1, wish,
                                                         "why", "ann", 2000, moved, &count)),
                         API_OK);
        for (int from = 0; from < JOB_STATES; from++) {
            enum job_state became;
            if (from != JOB_LEASED && IN_COMMIT(s, job_store_ask(s->store, one[from], wish, "why",
                                                                 "ann", 2000, &became)) == API_OK) {
                int k = 0;
                while (k < count && moved[k] != many[from])
                    k++;
                assert_true(k < count);
                expected++;
            }
            char *a = all_of(s, one[from]), *b = all_of(s, many[from]);
            assert_string_equal(a, b);
            free(a);
            free(b);
        }
        assert_int_equal(count, expected);
        for (int from = 0; from < JOB_STATES; from++) { /* out of the next ones' way */
            ask(s, CANCEL, one[from]);
            ask(s, CANCEL, many[from]);
        }
        int64_t recovered;
        IN_COMMIT(s, job_store_recover(s->store, 3000, &recovered));
    }
}

static void the_table_lists_these_moves_and_no_others(void **state)
{
    static const char *const moves[] = {"ready leased",     "ready paused",     "ready cancelled",
                                        "leased ready",     "leased paused",    "leased done",
                                        "leased buried",    "leased cancelled", "paused ready",
                                        "paused cancelled", "buried ready",     "buried cancelled"};
    int listed = 0;

    (void)state;
    for (enum job_state from = 0; from < JOB_STATES; from++)
        for (enum job_state to = 0; to < JOB_STATES; to++) {
            char move[64];
            bool known = false;
            snprintf(move, sizeof move, "%s %s", job_state_name(from), job_state_name(to));
            for (size_t k = 0; k < sizeof moves / sizeof moves[0]; k++)
                known = known || strcmp(move, moves[k]) == 0;
            assert_int_equal(job_may_move(from, to), known);
            listed += known;
        }
    assert_int_equal(listed, 12);
    enum job_state read = JOB_DONE;
    assert_false(job_state_read("asleep", &read));
    assert_int_equal(read, JOB_DONE);
}

static void a_leased_job_is_marked_and_its_worker_decides(void **state)
{
    struct stage *s = *state;
    int64_t id = job_in(s, JOB_LEASED);

    assert_int_equal(ask(s, PAUSE, id), API_OK);
    assert_string_equal(stage_member(s, id, "wanted"), "\"paused\"");
    assert_int_equal(ask(s, RESUME, id), API_OK);
    assert_string_equal(stage_member(s, id, "wanted"), "null");
    assert_int_equal(ask(s, PAUSE, id), API_OK);
    assert_int_equal(ask(s, CANCEL, id), API_OK);
    assert_int_equal(ask(s, CANCEL, id), API_OK); /* a repeated request adds no event */
    assert_string_equal(stage_member(s, id, "wanted"), "\"cancelled\"");
    assert_int_equal(ask(s, PAUSE, id), API_STATE);
    assert_string_equal(stage_events(s, id),
                        "added leased pause_wanted resumed pause_wanted cancel_wanted");
}

static void a_cancelled_worker_leaves_its_partial_result(void **state)
{
    struct stage *s = *state;
    enum job_state moved;

    stage_add(s, "match");
    struct job_claim claim = stage_claim(s, "match", 1000);
    IN_COMMIT(s, job_store_ask(s->store, claim.id, JOB_CANCEL, "enough", NULL, 1001, &moved));
    assert_int_equal(IN_COMMIT(s, job_store_finish(s->store, claim.id, claim.token, "{\"pairs\":2}",
                                                   true, 1002)),
                     API_OK);
    assert_int_equal(stage_state(s, claim.id), JOB_CANCELLED);
    assert_string_equal(stage_member(s, claim.id, "result"), "{\"pairs\":2}");
    job_claim_free(&claim);
}

static void a_failing_worker_of_a_marked_job_ends_it_as_marked(void **state)
{
    struct stage *s = *state;
    static const struct {
        enum request asked;
        const struct job_failure *failure;
        enum job_state becomes;
    } cases[] = {{CANCEL, &crash, JOB_CANCELLED},
                 {CANCEL, &hopeless, JOB_CANCELLED},
                 {PAUSE, &crash, JOB_PAUSED},
                 {PAUSE, &hopeless, JOB_BURIED}};

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        stage_add(s, "match");
        struct job_claim claim = stage_claim(s, "match", 1000);
        ask(s, cases[k].asked, claim.id);
        assert_int_equal(fail_claim(s, &claim, cases[k].failure, 1000), cases[k].becomes);
        job_claim_free(&claim);
    }
}

/* --- reading --- */

static void lists_go_down_page_by_page(void **state)
{
    struct stage *s = *state;
    const struct job_filter filters[] = {{.kind = NULL},
                                         {.kind = "match"},
                                         {.has_state = true, .state = JOB_READY},
                                         {.kind = "match", .has_state = true, .state = JOB_PAUSED}};
    const int expected[] = {30, 15, 24, 3};

    for (int k = 0; k < 30; k++) {
        int64_t id = stage_add(s, k % 2 ? "match" : "train");
        if (k % 5 == 0)
            ask(s, PAUSE, id);
    }
    for (int f = 0; f < 4; f++) {
        struct store_page page = {.limit = 4};
        int64_t before = INT64_MAX;
        int seen = 0;
        do {
            json_t *item;
            size_t k;
            assert_int_equal(job_store_list(s->reader, &filters[f], &page), API_OK);
            assert_true(json_array_size(page.items) <= 4);
            json_array_foreach(page.items, k, item)
            {
                int64_t id = json_integer_value(json_object_get(item, "id"));
                assert_true(id < before);
                before = id;
                seen++;
                assert_null(json_object_get(item, "spec"));
                assert_true(json_is_array(json_object_get(item, "runs")));
            }
            json_decref(page.items);
            page.cursor = page.next;
        } while (page.next[0]);
        assert_int_equal(seen, expected[f]);
    }
}

static void a_cursor_of_another_list_is_refused(void **state)
{
    struct stage *s = *state;
    static const char *const bad[] = {"",
                                      "!",
                                      "not a number",
                                      "bm8",
                                      "AAAA",
                                      "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1"
                                      "Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkw"
                                      "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkw"};

    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        struct store_page page = {.limit = 10, .cursor = bad[k]};
        assert_int_equal(job_store_list(s->reader, &(struct job_filter){.kind = NULL}, &page),
                         API_BAD_PARAMETER);
    }
}

static void the_log_keeps_its_end(void **state)
{
    struct stage *s = *state;
    int64_t id = stage_add(s, "match");
    char *text, *log = malloc(JOB_LOG_MAX + 3);

    assert_int_equal(job_store_read_log(s->reader, id, &text), API_OK);
    assert_string_equal(text, "");
    free(text);
    /* The cut falls inside a two-byte character, which is dropped whole. */
    strcpy(log, "x\xc3\xa4");
    memset(log + 3, 'a', JOB_LOG_MAX - 1);
    log[JOB_LOG_MAX + 2] = '\0';
    assert_int_equal(IN_COMMIT(s, job_store_log(s->store, id, log)), API_OK);
    assert_int_equal(job_store_read_log(s->reader, id, &text), API_OK);
    assert_int_equal(strlen(text), JOB_LOG_MAX - 1);
    assert_int_equal(text[0], 'a');
    free(text);
    free(log);
    assert_int_equal(IN_COMMIT(s, job_store_log(s->store, 999, "x")), API_NOT_FOUND);
    assert_int_equal(job_store_read_log(s->reader, 999, &text), API_NOT_FOUND);
}

static void counts_follow_every_move(void **state)
{
    struct stage *s = *state;
    int64_t counts[JOB_STATES];

    for (enum job_state wanted = JOB_STATES; wanted-- > 0;)
        job_in(s, wanted);
    assert_int_equal(job_store_counts(s->reader, counts), API_OK);
    for (int k = 0; k < JOB_STATES; k++)
        assert_int_equal(counts[k], 1);
}

/* As many jobs are counted as lists show: those that follow from others are neither. */
static void internal_jobs_are_counted_apart(void **state)
{
    struct stage *s = *state;
    int64_t all[JOB_STATES], shown[JOB_STATES];

    for (enum job_state wanted = JOB_STATES; wanted-- > 0;) {
        kind_in(s, "rate", wanted);
        kind_in(s, "rate", wanted);
        job_in(s, wanted);
    }
    assert_int_equal(job_store_counts(s->reader, all), API_OK);
    assert_int_equal(job_store_shown_counts(s->reader, shown), API_OK);
    for (int k = 0; k < JOB_STATES; k++) {
        assert_int_equal(all[k], 3);
        assert_int_equal(shown[k], 1);
    }
}

static void a_spec_that_is_not_json_is_refused(void **state)
{
    struct stage *s = *state;
    struct job_new jobs[] = {{.kind = "match", .spec = "{"},
                             {.kind = "a-kind-of-thirty-two-characters-", .spec = "{}"},
                             {.kind = "match", .spec = "{}", .priority = JOB_PRIORITY_MAX + 1}};
    int64_t id = -1;

    for (int k = 0; k < 3; k++)
        assert_int_equal(IN_COMMIT(s, job_store_add(s->store, &jobs[k], 1000, &id)), API_BAD_FIELD);
    assert_int_equal(id, -1);
}

int main(void)
{
#define SCENE(name) cmocka_unit_test_setup_teardown(name, stage_open, stage_close)
    const struct CMUnitTest tests[] = {
        SCENE(a_claim_has_the_spec_checkpoint_and_seed_of_the_job),
        SCENE(the_queue_is_ordered_by_priority_time_and_age),
        SCENE(a_job_waits_for_its_time_and_takes_no_place_before),
        SCENE(the_wait_of_jobs_is_known),
        SCENE(a_worker_gets_only_its_kinds),
        SCENE(late_worker_cannot_finish),
        SCENE(heartbeats_report_progress),
        SCENE(the_next_attempt_goes_on_from_the_checkpoint),
        SCENE(retries_wait_twice_as_long_each_time),
        SCENE(three_crashes_bury_a_job_and_a_kick_starts_it_afresh),
        SCENE(progress_resets_the_count_of_crashes),
        SCENE(a_job_that_runs_at_each_crash_waits_longer),
        SCENE(a_permanent_failure_buries_at_once),
        SCENE(a_released_job_has_lost_nothing),
        SCENE(a_restart_puts_leased_jobs_where_they_were_wanted),
        SCENE(each_request_makes_its_move_or_changes_nothing),
        SCENE(many_move_as_each_alone),
        SCENE(the_table_lists_these_moves_and_no_others),
        SCENE(a_leased_job_is_marked_and_its_worker_decides),
        SCENE(a_cancelled_worker_leaves_its_partial_result),
        SCENE(a_failing_worker_of_a_marked_job_ends_it_as_marked),
        SCENE(lists_go_down_page_by_page),
        SCENE(a_cursor_of_another_list_is_refused),
        SCENE(the_log_keeps_its_end),
        SCENE(counts_follow_every_move),
        SCENE(internal_jobs_are_counted_apart),
        SCENE(a_spec_that_is_not_json_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
