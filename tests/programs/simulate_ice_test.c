/* rink-simulate and the ice: where stones end under each law and engine. */
#include "tests/programs/simulate_run.h"

/* ---- the vector files ---- */

/* Checks that the answer has the scene's fgz_foul, which only dc2 scenes have. */
static void same_foul(json_t *scene, json_t *got)
{
    json_t *foul = json_object_get(scene, "fgz_foul");

    if (foul)
        assert_true(json_equal(json_object_get(got, "fgz_foul"), foul));
}

/* Pipes the first `scenes` lines in unchanged: all are answered, in order. Scenes without a
 * collision end where the official simulator ends, to within `limit_m`, except `exceptions` of
 * them, in which a stone stops so near a line that a millimetre decides. */
static void vectors_agree(const char *path, const char *engine, int scenes, double limit_m,
                          int exceptions)
{
    size_t length, line_end = 0;
    char *input = file_bytes(path, &length);

    for (int k = 0; k < scenes; k++)
        line_end = (size_t)(strchr(input + line_end, '\n') - input) + 1;
    input[line_end] = '\0';
    struct program_run run = simulate(input, OPTIONS("--engine", engine));
    assert_int_equal(run.status, 0);
    assert_string_equal(run.errors, "");
    assert_int_equal(lines_of(&run), scenes);

    const char *asked = input, *answered = run.output;
    int compared = 0, apart = 0;
    for (int k = 0; k < scenes; k++) {
        const char *asked_end = strchr(asked, '\n'), *answered_end = strchr(answered, '\n');
        json_t *scene = json_loadb(asked, (size_t)(asked_end - asked), 0, NULL);
        json_t *got = json_loadb(answered, (size_t)(answered_end - answered), 0, NULL);
        asked = asked_end + 1;
        answered = answered_end + 1;

        assert_int_equal(integer(got, "id"), k);
        double away_m =
            difference_m(json_object_get(scene, "after"), json_object_get(got, "after"));
        if (integer(scene, "collisions") == 0) {
            assert_int_equal(integer(got, "collisions"), 0);
            same_foul(scene, got);
            compared++;
            apart += away_m > limit_m;
        }
        /* The score is compared only if both have the same stones. */
        if (away_m < 0.0001)
            assert_int_equal(integer(got, "score"), integer(scene, "score"));
        json_decref(scene);
        json_decref(got);
    }
    assert_true(compared > scenes / 4);
    assert_true(apart <= exceptions);
    free(input);
    program_free(&run);
}

static void dc2_draws_end_where_the_official_simulator_ends(void **state)
{
    (void)state;
    vectors_agree(TEST_VECTORS "/public-dc2.jsonl", "fast", 2000, 0.001, 0);
}

static void fcv1_draws_end_where_the_official_simulator_ends(void **state)
{
    (void)state;
    vectors_agree(TEST_VECTORS "/public-fcv1.jsonl", "fast", 2000, 0.008, 4);
}

static void the_box2d_engine_is_the_reference(void **state)
{
    (void)state;
#if !RINKD_BOX2D
    struct program_run run = simulate("", OPTIONS("--engine=box2d"));
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "--engine=box2d: this build has no Box2D"));
    program_free(&run);
    return;
#endif
    vectors_agree(TEST_VECTORS "/public-dc2.jsonl", "box2d", 50, 0.00001, 0);
    vectors_agree(TEST_VECTORS "/public-fcv1.jsonl", "box2d", 5, 0.0001, 0);
}

static void a_file_and_standard_input_give_the_same_output(void **state)
{
    (void)state;
    const char *path = TEST_VECTORS "/public-dc2.jsonl";
    size_t length;
    char *input = file_bytes(path, &length);
    struct program_run piped = simulate_bytes(input, length, NULL);
    struct program_run dash = simulate_bytes(input, length, OPTIONS("-"));
    struct program_run named = simulate("", OPTIONS(path));

    assert_int_equal(named.status, 0);
    assert_string_equal(named.output, piped.output);
    assert_string_equal(dash.output, piped.output);
    program_free(&piped);
    program_free(&dash);
    program_free(&named);
    free(input);
}

/* ---- profiles and engines ---- */

static void a_scene_stays_on_its_own_law(void **state)
{
    (void)state;
    const char *both = DC2_LINE("1") "\n" FCV1_LINE("2") "\n";
    struct program_run run = simulate(both, OPTIONS("--profile=dc4"));

    assert_int_equal(run.status, 2);
    error_at(&run, 0, 1, "model: a dc2 scene cannot be thrown on dc4 ice");
    outcome_at(&run, 1, 2);
    program_free(&run);

    run = simulate(both, OPTIONS("--profile=dc2"));
    assert_int_equal(run.status, 2);
    outcome_at(&run, 0, 1);
    error_at(&run, 1, 2, "model: a fcv1 scene cannot be thrown on dc2 ice");
    program_free(&run);
}

/* A stone short of the hog line stays in dc4 and is impossible in dc3. */
static void the_profile_option_overrides_the_model(void **state)
{
    (void)state;
#define SHORT_OF_HOG(model)                                                              \
    "{\"model\":\"" model "\",\"id\":2,\"n\":1,\"before\":[{\"x\":1,\"y\":31}," NULLS_15 \
    "],\"shot\":{\"speed\":2.4,\"angle\":1.51596,\"angular_velocity\":1.5708}}\n"
    struct program_run own = simulate(SHORT_OF_HOG("dc4"), NULL);
    struct program_run named = simulate(SHORT_OF_HOG("fcv1"), OPTIONS("--profile", "dc4"));
    struct program_run dc3 = simulate(SHORT_OF_HOG("dc4"), OPTIONS("--profile", "dc3"));
    struct program_run fcv1 = simulate(SHORT_OF_HOG("dc4"), OPTIONS("-p", "fcv1"));

    assert_int_equal(own.status, 0);
    assert_non_null(strstr(own.output, "\"after\":[{\"x\":1.0,\"y\":31.0},{\"x\":"));
    assert_string_equal(named.output, own.output);
    error_at(&dc3, 0, 1, "before[0].y: a stone lies outside the sheet");
    assert_string_equal(fcv1.output, dc3.output);
    program_free(&own);
    program_free(&named);
    program_free(&dc3);
    program_free(&fcv1);
}

/* The sixth shot (number 5) takes out a guard: no foul in dc3, whose rule covers five shots. */
static void the_free_guard_zone_is_judged_while_it_lasts(void **state)
{
    (void)state;
#define GUARD_HIT(model, n, entry_1)                                                               \
    "{\"model\":\"" model "\",\"id\":" n ",\"n\":" n ",\"before\":[null,null,null,null,null,null," \
    "null,null," entry_1 ",null,null,null,null,null,null,null],\"shot\":{\"speed\":3.8,"           \
    "\"angle\":1.5707963,\"angular_velocity\":0}}\n"
#define GUARD "{\"x\":0.05,\"y\":34}"
    struct program_run run =
        simulate(GUARD_HIT("dc3", "1", GUARD) GUARD_HIT("dc3", "2", GUARD)
                     GUARD_HIT("dc3", "3", GUARD) GUARD_HIT("dc3", "1", "null"),
                 NULL);

    assert_int_equal(run.status, 0);
    /* Entries 1, 2, 3 of team0 are shots 2, 4 and 6. */
    const char *const wanted[] = {"\"fgz_foul\":true", "\"fgz_foul\":true", NULL,
                                  "\"fgz_foul\":false"};
    const char *line = run.output;
    for (int k = 0; k < 4; k++) {
        char *end = strchr(line, '\n');
        *end = '\0';
        if (wanted[k])
            assert_non_null(strstr(line, wanted[k]));
        else
            assert_null(strstr(line, "fgz_foul"));
        line = end + 1;
    }
    program_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dc2_draws_end_where_the_official_simulator_ends),
        cmocka_unit_test(fcv1_draws_end_where_the_official_simulator_ends),
        cmocka_unit_test(the_box2d_engine_is_the_reference),
        cmocka_unit_test(a_file_and_standard_input_give_the_same_output),
        cmocka_unit_test(a_scene_stays_on_its_own_law),
        cmocka_unit_test(the_profile_option_overrides_the_model),
        cmocka_unit_test(the_free_guard_zone_is_judged_while_it_lasts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
