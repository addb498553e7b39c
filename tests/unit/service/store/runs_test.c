/* Runs, their curves at any length, and their checkpoints. */
#include "tests/unit/service/store/stage.h"

#include "service/store/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_run(struct stage *s, int64_t job, int64_t seed, char ret_id[RUN_ID_MAX])
{
    struct run_new run = {.job = job, .seed = seed, .spec = "{\"lr\":1}", .versions = "{}"};
    assert_int_equal(IN_COMMIT(s, run_store_add(s->store, &run, 1000, ret_id)), API_OK);
    assert_int_equal(strlen(ret_id), RUN_ID_MAX - 1);
}

static enum api_error put(struct stage *s, int64_t job, const char *run, const char *name,
                          int64_t step, double value)
{
    struct run_metric metric = {.run = run, .name = name, .step = step, .value = value};
    return run_store_metric(s->store, job, &metric, 1000 + step % 1000);
}

static int curve(struct stage *s, const char *run, const char *name, int most,
                 struct run_point *ret_points)
{
    struct run_curve_query query = {
        .run = run, .name = name, .from_step = INT64_MIN, .to_step = INT64_MAX, .max_points = most};
    int count = -1;
    assert_int_equal(run_store_curve(s->reader, &query, ret_points, &count), API_OK);
    return count;
}

static void a_run_names_its_job_and_its_metrics(void **state)
{
    struct stage *s = *state;
    int64_t job = stage_add(s, "train");
    char id[2][RUN_ID_MAX], unknown[] = "0123456789abcdef0123456789abcdef";
    struct run_new orphan = {.job = 999, .seed = 1, .spec = "{}", .versions = "{}"};
    json_t *run, *ids;

    add_run(s, job, 7, id[0]);
    add_run(s, job, 8, id[1]);
    assert_string_not_equal(id[0], id[1]);
    assert_int_equal(IN_COMMIT(s, run_store_add(s->store, &orphan, 1000, unknown)), API_NOT_FOUND);
    assert_int_equal(IN_COMMIT(s, put(s, job, id[0], "loss", 1, 0.5)), API_OK);
    assert_int_equal(IN_COMMIT(s, put(s, job, id[0], "elo", 1, 9.0)), API_OK);

    assert_int_equal(run_store_get(s->reader, id[0], &run), API_OK);
    assert_string_equal(json_string_value(json_object_get(run, "id")), id[0]);
    assert_int_equal(json_integer_value(json_object_get(run, "job")), job);
    assert_int_equal(json_integer_value(json_object_get(run, "seed")), 7);
    assert_string_equal(json_string_value(json_object_get(run, "kind")), "train");
    assert_string_equal(json_string_value(json_object_get(run, "state")), "ready");
    json_t *names = json_object_get(run, "metrics");
    assert_int_equal(json_array_size(names), 2);
    assert_string_equal(json_string_value(json_array_get(names, 0)), "elo");
    json_decref(run);
    assert_int_equal(run_store_get(s->reader, unknown, &run), API_NOT_FOUND);

    assert_int_equal(run_store_of_job(s->reader, job, &ids), API_OK);
    assert_int_equal(json_array_size(ids), 2);
    assert_string_equal(json_string_value(json_array_get(ids, 1)), id[1]);
    json_decref(ids);
    assert_int_equal(run_store_of_job(s->reader, 999, &ids), API_OK);
    assert_int_equal(json_array_size(ids), 0);
    json_decref(ids);
}

static double value_of(const json_t *run, const char *which, const char *name)
{
    const json_t *value = json_object_get(json_object_get(run, which), name);

    assert_non_null(value);
    return json_is_null(value) ? NAN : json_number_value(value);
}

static void a_run_tells_the_last_and_the_extreme_values_of_its_metrics(void **state)
{
    struct stage *s = *state;
    const double elo[] = {-5.0, 30.0, NAN, INFINITY, 12.0};
    int64_t job = stage_add(s, "train");
    char id[RUN_ID_MAX];
    json_t *run;

    add_run(s, job, 7, id);
    for (int k = 0; k < 5; k++)
        assert_int_equal(IN_COMMIT(s, put(s, job, id, "elo", k, elo[k])), API_OK);
    assert_int_equal(IN_COMMIT(s, put(s, job, id, "loss", 1, NAN)), API_OK);
    assert_int_equal(IN_COMMIT(s, put(s, job, id, "late", 9, 2.0)), API_OK);
    assert_int_equal(IN_COMMIT(s, put(s, job, id, "late", 3, 4.0)), API_OK);
    assert_int_equal(run_store_get(s->reader, id, &run), API_OK);
    assert_float_equal(value_of(run, "last_values", "elo"), 12.0, 0.0);
    assert_float_equal(value_of(run, "lowest_values", "elo"), -5.0, 0.0);
    assert_float_equal(value_of(run, "highest_values", "elo"), 30.0, 0.0);
    assert_true(isnan(value_of(run, "highest_values", "loss")));
    assert_float_equal(value_of(run, "last_values", "late"), 2.0, 0.0);
    assert_float_equal(value_of(run, "highest_values", "late"), 4.0, 0.0);
    json_decref(run);
}

static void runs_are_listed_newest_first(void **state)
{
    struct stage *s = *state;
    int64_t jobs[2] = {stage_add(s, "train"), stage_add(s, "train")};
    char id[5][RUN_ID_MAX];

    for (int k = 0; k < 5; k++)
        add_run(s, jobs[k % 2], k, id[k]);
    struct store_page page = {.limit = 3};
    assert_int_equal(run_store_list(s->reader, 0, &page), API_OK);
    assert_int_equal(json_array_size(page.items), 3);
    assert_string_equal(json_string_value(json_object_get(json_array_get(page.items, 0), "id")),
                        id[4]);
    json_decref(page.items);
    page.cursor = page.next;
    assert_int_equal(run_store_list(s->reader, 0, &page), API_OK);
    assert_int_equal(json_array_size(page.items), 2);
    assert_string_equal(page.next, "");
    json_decref(page.items);
    page.cursor = NULL;
    assert_int_equal(run_store_list(s->reader, jobs[1], &page), API_OK);
    assert_int_equal(json_array_size(page.items), 2);
    assert_string_equal(page.next, "");
    json_decref(page.items);
}

static void runs_are_listed_by_their_ids(void **state)
{
    struct stage *s = *state;
    int64_t jobs[2] = {stage_add(s, "train"), stage_add(s, "train")};
    char id[5][RUN_ID_MAX], ids[200];
    struct store_page page = {.limit = 10};

    for (int k = 0; k < 5; k++)
        add_run(s, jobs[k % 2], k, id[k]);
    snprintf(ids, sizeof ids, "[\"%s\",\"nobody\",\"%s\"]", id[0], id[3]);
    assert_int_equal(run_store_list_named(s->reader, ids, 0, &page), API_OK);
    assert_int_equal(json_array_size(page.items), 2);
    for (size_t k = 0; k < 2; k++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(page.items, k), "id")),
                            id[k == 0 ? 3 : 0]);
    json_decref(page.items);
    assert_int_equal(run_store_list_named(s->reader, ids, jobs[0], &page), API_OK);
    assert_int_equal(json_array_size(page.items), 1);
    json_decref(page.items);
    assert_int_equal(run_store_list_named(s->reader, "[]", 0, &page), API_OK);
    assert_int_equal(json_array_size(page.items), 0);
    json_decref(page.items);
}

static void tags_are_merged(void **state)
{
    struct stage *s = *state;
    char id[RUN_ID_MAX];
    json_t *run, *first = json_pack("{s:s, s:s}", "who", "Ada", "note", "x"),
                 *second = json_pack("{s:n, s:s}", "note", "why", "test");

    add_run(s, stage_add(s, "train"), 1, id);
    assert_int_equal(IN_COMMIT(s, run_store_tag(s->store, id, first)), API_OK);
    assert_int_equal(IN_COMMIT(s, run_store_tag(s->store, id, second)), API_OK);
    assert_int_equal(IN_COMMIT(s, run_store_tag(s->store, "nobody", second)), API_NOT_FOUND);
    assert_int_equal(run_store_get(s->reader, id, &run), API_OK);
    json_t *expected = json_pack("{s:s, s:s}", "who", "Ada", "why", "test");
    assert_true(json_equal(json_object_get(run, "tags"), expected));
    json_decref(expected);
    json_decref(run);
    json_decref(first);
    json_decref(second);
}

static void the_same_point_again_counts_once(void **state)
{
    struct stage *s = *state;
    int64_t job = stage_add(s, "train");
    struct run_point points[10];
    char id[RUN_ID_MAX];

    add_run(s, job, 1, id);
    IN_COMMIT(s, put(s, job, id, "loss", 5, 2.0));
    IN_COMMIT(s, put(s, job, id, "loss", 3, 1.0));
    IN_COMMIT(s, put(s, job, id, "loss", 5, 4.0));
    assert_int_equal(curve(s, id, "loss", 10, points), 2);
    assert_int_equal(points[0].step, 3);
    assert_int_equal(points[0].at_ms, 1003);
    assert_int_equal(points[1].step, 5);
    assert_true(points[1].value == 4.0);
    assert_int_equal(curve(s, id, "no such curve", 10, points), 0);
    assert_int_equal(IN_COMMIT(s, put(s, job + 1, id, "loss", 6, 1.0)), API_NOT_FOUND);
}

static void nan_values_are_kept(void **state)
{
    struct stage *s = *state;
    int64_t job = stage_add(s, "train");
    struct run_point points[10];
    char id[RUN_ID_MAX];

    add_run(s, job, 1, id);
    IN_COMMIT(s, put(s, job, id, "loss", 1, (double)NAN));
    IN_COMMIT(s, put(s, job, id, "loss", 2, (double)INFINITY));
    IN_COMMIT(s, put(s, job, id, "loss", 3, -(double)INFINITY));
    assert_int_equal(curve(s, id, "loss", 10, points), 3);
    assert_true(isnan(points[0].value));
    assert_true(isinf(points[1].value) && points[1].value > 0);
    assert_true(isinf(points[2].value) && points[2].value < 0);
}

/* However few points are requested, no peak may be lost: peaks are why people look at curves. */
static void a_long_curve_keeps_its_peaks_and_its_accidents(void **state)
{
    struct stage *s = *state;
    int64_t job = stage_add(s, "train");
    static struct run_point points[RUN_POINTS_MOST + 1];
    char id[RUN_ID_MAX];
    enum { STEPS = 5000 };

    add_run(s, job, 1, id);
    stage_begin(s);
    for (int step = 0; step < STEPS; step++) {
        double value = sin(step / 100.0);
        put(s, job, id, "smooth", step * 1000003LL,
            step == 1234 ? 50.0 : (step == 4321 ? -60.0 : value));
        put(s, job, id, "broken", step - 2500, step == 777 ? (double)NAN : value);
        put(s, job, id, "endless", step, step % 2 ? (double)INFINITY : value);
    }
    assert_int_equal(store_commit(s->store), API_OK);
    for (int most = RUN_POINTS_LEAST; most < 2 * STEPS; most = most * 2 + 1) {
        int count = curve(s, id, "smooth", most, points);
        double least = 0.0, greatest = 0.0;
        assert_true(count <= most && count > 0);
        for (int k = 0; k < count; k++) {
            assert_true(k == 0 || points[k].step > points[k - 1].step);
            least = fmin(least, points[k].value);
            greatest = fmax(greatest, points[k].value);
        }
        assert_true(least == -60.0 && greatest == 50.0);
        assert_true(most < STEPS || count == STEPS);

        int broken = 0;
        count = curve(s, id, "broken", most, points);
        assert_true(count <= most);
        for (int k = 0; k < count; k++)
            broken += isnan(points[k].value);
        assert_int_equal(broken, 1);

        /* Infinities are outliers too, here one in each part of the curve. */
        points[most].step = -1;
        count = curve(s, id, "endless", most, points);
        assert_true(count <= most && count > 0);
        assert_int_equal(points[most].step, -1);
    }
    struct run_curve_query part = {
        .run = id, .name = "broken", .from_step = -10, .to_step = 10, .max_points = 100};
    int count;
    assert_int_equal(run_store_curve(s->reader, &part, points, &count), API_OK);
    assert_int_equal(count, 21);
    assert_int_equal(points[0].step, -10);
    part.max_points = RUN_POINTS_LEAST - 1;
    assert_int_equal(run_store_curve(s->reader, &part, points, &count), API_BAD_PARAMETER);
    part.max_points = RUN_POINTS_LEAST;
    part.run = "nobody";
    assert_int_equal(run_store_curve(s->reader, &part, points, &count), API_NOT_FOUND);
}

static void steps_may_be_as_far_apart_as_they_can(void **state)
{
    struct stage *s = *state;
    int64_t job = stage_add(s, "train");
    struct run_point points[3];
    char id[RUN_ID_MAX];

    add_run(s, job, 1, id);
    const int64_t steps[] = {INT64_MIN, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
    for (int k = 0; k < 6; k++)
        assert_int_equal(IN_COMMIT(s, put(s, job, id, "x", steps[k], k)), API_OK);
    assert_int_equal(curve(s, id, "x", 3, points), 2);
    assert_true(points[0].value == 0.0 && points[1].value == 5.0);
}

static void live_values_are_the_newest_of_leased_jobs(void **state)
{
    struct stage *s = *state;
    int64_t job = stage_add(s, "train");
    char id[RUN_ID_MAX];
    json_t *rows;

    add_run(s, job, 1, id);
    IN_COMMIT(s, put(s, job, id, "loss", 5, (double)NAN));
    IN_COMMIT(s, put(s, job, id, "loss", 4, 1.0));
    assert_int_equal(run_store_live(s->reader, 10, &rows), API_OK);
    assert_int_equal(json_array_size(rows), 0);
    json_decref(rows);
    struct job_claim claim = stage_claim(s, "train", 1000);
    job_claim_free(&claim);
    assert_int_equal(run_store_live(s->reader, 10, &rows), API_OK);
    assert_int_equal(json_array_size(rows), 1);
    json_t *expected = json_pack("{s:s, s:I, s:s, s:i, s:s}", "run", id, "job", (json_int_t)job,
                                 "name", "loss", "step", 5, "value", "NaN");
    assert_true(json_equal(json_array_get(rows, 0), expected));
    json_decref(expected);
    json_decref(rows);
}

static void checkpoints_are_listed_newest_first_and_replaced(void **state)
{
    struct stage *s = *state;
    int64_t job = stage_add(s, "train");
    char id[RUN_ID_MAX],
        sha256[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    json_t *gone = json_array();

    add_run(s, job, 1, id);
    struct run_checkpoint checkpoint = {
        .run = id, .job = job, .path = "a.bin", .sha256 = sha256, .bytes = 10};
    for (checkpoint.step = 1; checkpoint.step <= 3; checkpoint.step++)
        assert_int_equal(IN_COMMIT(s, run_store_checkpoint(s->store, &checkpoint, 1000, gone)),
                         API_OK);
    checkpoint.step = 3;
    checkpoint.path = "b.bin"; /* made again after a crash */
    assert_int_equal(IN_COMMIT(s, run_store_checkpoint(s->store, &checkpoint, 2000, gone)), API_OK);
    assert_int_equal(json_array_size(gone), 1);
    assert_string_equal(json_string_value(json_array_get(gone, 0)), "a.bin");
    json_decref(gone);
    gone = NULL;
    checkpoint.job = job + 1;
    assert_int_equal(IN_COMMIT(s, run_store_checkpoint(s->store, &checkpoint, 2000, gone)),
                     API_NOT_FOUND);

    struct store_page page = {.limit = 2};
    assert_int_equal(run_store_checkpoints(s->reader, id, &page), API_OK);
    assert_int_equal(json_array_size(page.items), 2);
    json_t *newest = json_array_get(page.items, 0);
    assert_int_equal(json_integer_value(json_object_get(newest, "step")), 3);
    assert_string_equal(json_string_value(json_object_get(newest, "path")), "b.bin");
    json_decref(page.items);
    page.cursor = page.next;
    assert_int_equal(run_store_checkpoints(s->reader, id, &page), API_OK);
    assert_int_equal(json_array_size(page.items), 1);
    assert_string_equal(page.next, "");
    json_decref(page.items);
    page.cursor = NULL;
    assert_int_equal(run_store_checkpoints(s->reader, "nobody", &page), API_NOT_FOUND);
}

static void a_deleted_job_takes_its_runs_along(void **state)
{
    struct stage *s = *state;
    int64_t job = stage_add(s, "train");
    enum job_state moved;
    char id[RUN_ID_MAX];
    json_t *run;

    add_run(s, job, 1, id);
    IN_COMMIT(s, put(s, job, id, "loss", 5, 1.0));
    IN_COMMIT(s, job_store_ask(s->store, job, JOB_CANCEL, NULL, NULL, 1000, &moved));
    assert_int_equal(IN_COMMIT(s, job_store_delete(s->store, job)), API_OK);
    assert_int_equal(run_store_get(s->reader, id, &run), API_NOT_FOUND);
}

int main(void)
{
#define SCENE(name) cmocka_unit_test_setup_teardown(name, stage_open, stage_close)
    const struct CMUnitTest tests[] = {
        SCENE(a_run_names_its_job_and_its_metrics),
        SCENE(a_run_tells_the_last_and_the_extreme_values_of_its_metrics),
        SCENE(runs_are_listed_newest_first),
        SCENE(runs_are_listed_by_their_ids),
        SCENE(tags_are_merged),
        SCENE(the_same_point_again_counts_once),
        SCENE(nan_values_are_kept),
        SCENE(a_long_curve_keeps_its_peaks_and_its_accidents),
        SCENE(steps_may_be_as_far_apart_as_they_can),
        SCENE(live_values_are_the_newest_of_leased_jobs),
        SCENE(checkpoints_are_listed_newest_first_and_replaced),
        SCENE(a_deleted_job_takes_its_runs_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
