/* rink-simulate: noise and samples, trajectories, and settings within a line. */
#include "tests/programs/simulate_run.h"

/* ---- noise, samples, threads ---- */

static void the_output_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    size_t length;
    char *vectors = file_bytes(TEST_VECTORS "/public-dc2.jsonl", &length);
    vectors[400000] = '\0'; /* cuts a line in two, leaving a bad last line */
    const char *const options[][OPTIONS_MAX] = {
        {"--threads=1"},
        {"--threads=1", "--noise=gat", "--samples=3", "--seed=5"},
        {"--threads=1", "--trajectory=0.25"},
    };

    for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
        struct program_run one = simulate(vectors, options[k]);
        assert_int_equal(one.status, 2);
        for (const char *const *threads = OPTIONS("--threads=2", "--threads=7"); *threads;
             threads++) {
            const char *other[OPTIONS_MAX];
            memcpy(other, options[k], sizeof other);
            other[0] = *threads;
            struct program_run many = simulate(vectors, other);
            assert_int_equal(many.length, one.length);
            assert_memory_equal(many.output, one.output, one.length);
            assert_int_equal(many.status, one.status);
            program_free(&many);
        }
        program_free(&one);
    }
    free(vectors);
}

static void samples_are_numbered_and_differ_with_noise(void **state)
{
    (void)state;
    struct program_run run =
        simulate(DC2_LINE("1") "\nbad\n" DC2_LINE("2") "\n",
                 OPTIONS("--noise", "gat", "--samples", "1500", "--threads", "2"));
    double mean = 0.0, square = 0.0;

    assert_int_equal(run.status, 2);
    assert_int_equal(lines_of(&run), 3001);
    error_at(&run, 1500, 2, "not JSON");
    outcome_at(&run, 1501, 2);
    const char *line = run.output;
    for (int k = 0; k < 1500; k++) {
        const char *end = strchr(line, '\n');
        json_t *root = json_loadb(line, (size_t)(end - line), 0, NULL);
        line = end + 1;
        assert_int_equal(integer(root, "sample"), k);
        double vy = json_real_value(json_object_get(json_object_get(root, "shot"), "vy"));
        mean += vy / 1500;
        square += vy * vy / 1500;
        json_decref(root);
    }
    /* sd 0.118 m/s from physics.md; its estimate from 1500 samples has a relative sd of 1.8 %. */
    close_to(mean, -29.55977, 0.02);
    close_to(sqrt(square - mean * mean), 0.118, 0.012);
    program_free(&run);
}

static void noise_alone_gives_one_sample(void **state)
{
    (void)state;
    struct program_run noisy = simulate(FCV1_LINE("1") "\n", OPTIONS("--noise=normal_dist"));
    struct program_run plain = simulate(FCV1_LINE("1") "\n", OPTIONS("--noise=none"));

    assert_int_equal(noisy.status, 0);
    assert_int_equal(lines_of(&noisy), 1);
    assert_non_null(strstr(noisy.output, "\"sample\":0,\"shot\":{\"speed\":2."));
    assert_int_equal(lines_of(&plain), 1);
    assert_null(strstr(plain.output, "sample"));
    program_free(&noisy);
    program_free(&plain);
}

static void the_seed_decides_the_noise(void **state)
{
    (void)state;
    const char *line = FCV1_LINE("1") "\n";
    struct program_run unseeded = simulate(line, OPTIONS("--noise=normal_dist", "--samples=20"));
    struct program_run zero =
        simulate(line, OPTIONS("--noise=normal_dist", "--samples=20", "--seed=0"));
    struct program_run one =
        simulate(line, OPTIONS("--noise=normal_dist", "--samples=20", "--seed=1"));
    struct program_run most = simulate(
        line, OPTIONS("--noise=normal_dist", "--samples=20", "--seed=18446744073709551615"));

    assert_string_equal(unseeded.output, zero.output);
    assert_string_not_equal(zero.output, one.output);
    assert_string_not_equal(one.output, most.output);
    program_free(&unseeded);
    program_free(&zero);
    program_free(&one);
    program_free(&most);
}

/* A file may be split and shuffled: noise depends on the id, and more samples do not change the
 * first ones. */
static void noise_belongs_to_the_id(void **state)
{
    (void)state;
    struct program_run both =
        simulate(DC2_LINE("1") "\n" DC2_LINE("\"1\"") "\n", OPTIONS("--noise=gat", "--samples=2"));
    struct program_run second =
        simulate(DC2_LINE("\"1\"") "\n", OPTIONS("--noise=gat", "--samples=2"));
    struct program_run first = simulate(DC2_LINE("1") "\n", OPTIONS("--noise=gat", "--samples=1"));
    const char *second_half = strchr(strchr(both.output, '\n') + 1, '\n') + 1;

    assert_string_equal(second_half, second.output);
    assert_memory_equal(first.output, both.output, first.length);
    /* 1 and "1" are different ids. */
    assert_string_not_equal(strstr(second.output, "\"sample\""), strstr(both.output, "\"sample\""));
    program_free(&both);
    program_free(&second);
    program_free(&first);
}

/* Throwing a sample's shot again without noise gives the sample's outcome. */
static void a_sample_can_be_thrown_again(void **state)
{
    (void)state;
    const char *const lines[] = {DC2_LINE("1") "\n", FCV1_LINE("1") "\n"};

    for (int k = 0; k < 2; k++) {
        struct program_run run =
            simulate(lines[k], OPTIONS(k ? "--noise=normal_dist" : "--noise=gat", "--samples=5"));
        for (int sample = 0; sample < 5; sample++) {
            json_t *scene = json_loads(lines[k], 0, NULL), *noisy = line_of(&run, sample);
            assert_int_equal(json_object_set(scene, "shot", json_object_get(noisy, "shot")), 0);
            char *text = json_dumps(scene, JSON_REAL_PRECISION(9));
            struct program_run again = simulate(text, NULL);
            json_t *repeated = line_of(&again, 0);
            assert_true(
                json_equal(json_object_get(repeated, "after"), json_object_get(noisy, "after")));
            json_decref(repeated);
            program_free(&again);
            free(text);
            json_decref(noisy);
            json_decref(scene);
        }
        program_free(&run);
    }
}

static void samples_without_noise_are_all_alike(void **state)
{
    (void)state;
    struct program_run run = simulate(DC2_LINE("1") "\n", OPTIONS("--samples=3"));
    json_t *first = line_of(&run, 0), *last = line_of(&run, 2);

    assert_int_equal(lines_of(&run), 3);
    assert_int_equal(integer(last, "sample"), 2);
    assert_true(json_equal(json_object_get(first, "after"), json_object_get(last, "after")));
    json_decref(first);
    json_decref(last);
    program_free(&run);
}

/* ---- trajectories ---- */

static void a_trajectory_leads_from_the_hack_to_the_rest(void **state)
{
    (void)state;
    const char *const engines[] = {"--engine=fast",
                                   RINKD_BOX2D ? "--engine=box2d" : "--engine=fast"};
    /* The hack in the line's frame, and the point interval. */
    const struct {
        const char *line;
        double hack_x, hack_y;
    } cases[] = {{DC2_LINE("1") "\n", 2.375, 41.28}, {FCV1_LINE("1") "\n", 0.0, 0.0}};

    for (int k = 0; k < 4; k++) {
        struct program_run run =
            simulate(cases[k / 2].line, OPTIONS(engines[k % 2], "--trajectory=0.5"));
        json_t *root = line_of(&run, 0);
        json_t *trajectory = json_object_get(root, "trajectory");
        assert_int_equal(json_array_size(trajectory), 16);
        for (size_t s = 1; s < 16; s++)
            assert_true(json_is_null(json_array_get(trajectory, s)));
        json_t *path = json_array_get(trajectory, 0);
        size_t points = json_array_size(path);
        assert_true(points >= 3);

        double x, y, before_s = -1.0;
        for (size_t p = 0; p < points; p++) {
            json_t *point = json_array_get(path, p);
            double t_s = json_number_value(json_array_get(point, 0));
            assert_int_equal(json_array_size(point), 3);
            assert_true(t_s > before_s);
            if (p + 1 < points)
                close_to(t_s, 0.5 * (double)p, 1e-5);
            before_s = t_s;
        }
        json_t *start = json_array_get(path, 0), *end = json_array_get(path, points - 1);
        close_to(json_number_value(json_array_get(start, 1)), cases[k / 2].hack_x, 1e-5);
        close_to(json_number_value(json_array_get(start, 2)), cases[k / 2].hack_y, 1e-5);
        stone_at(json_array_get(json_object_get(root, "after"), 0), &x, &y);
        close_to(json_number_value(json_array_get(end, 1)), x, 1e-6);
        close_to(json_number_value(json_array_get(end, 2)), y, 1e-6);
        json_decref(root);
        program_free(&run);
    }
}

static void a_trajectory_changes_nothing_else(void **state)
{
    (void)state;
    size_t length;
    char *vectors = file_bytes(TEST_VECTORS "/public-fcv1.jsonl", &length);
    *(strchr(vectors + 800000, '\n') + 1) = '\0';
    const char *mid = strchr(vectors + 750000, '\n') + 1; /* scenes with many stones */
    struct program_run plain = simulate(mid, NULL);
    struct program_run drawn = simulate(mid, OPTIONS("--trajectory=1"));
    int lines = lines_of(&plain);

    assert_int_equal(lines_of(&drawn), lines);
    for (int k = 0; k < lines; k++) {
        json_t *a = line_of(&plain, k), *b = line_of(&drawn, k);
        assert_null(json_object_get(a, "trajectory"));
        assert_int_equal(json_object_del(b, "trajectory"), 0);
        assert_true(json_equal(a, b));
        json_decref(a);
        json_decref(b);
    }
    program_free(&plain);
    program_free(&drawn);
    free(vectors);
}

/* ---- settings within a line ---- */

#define EMPTY_DC2 "\"model\":\"dc2\",\"n\":0,\"before\":[null," NULLS_15 "]"
#define ASKING(id, more)                                                                           \
    "{\"id\":" id "," EMPTY_DC2 ",\"shot\":{\"vx\":-0.99074,\"vy\":-29.55977,\"spin\":0}" more "}" \
    "\n"

/* One line in, one line out: the throw itself and its samples, as --samples makes them. */
static void a_line_asks_for_its_own_samples(void **state)
{
    (void)state;
    struct program_run own = simulate(ASKING("1", ",\"samples\":20"), NULL);
    struct program_run by_option =
        simulate(ASKING("1", ""), OPTIONS("--noise=gat", "--samples=20"));
    struct program_run plain = simulate(ASKING("1", ""), NULL);
    json_t *answered = line_of(&own, 0), *exact = line_of(&plain, 0);
    json_t *samples = json_object_get(answered, "samples");

    assert_int_equal(own.status, 0);
    assert_int_equal(lines_of(&own), 1);
    assert_int_equal(json_array_size(samples), 20);
    for (int k = 0; k < 20; k++) {
        json_t *same = line_of(&by_option, k);
        assert_int_equal(json_object_del(same, "id"), 0);
        assert_true(json_equal(json_array_get(samples, (size_t)k), same));
        json_decref(same);
    }
    assert_int_equal(json_object_del(answered, "samples"), 0);
    assert_true(json_equal(answered, exact));
    json_decref(answered);
    json_decref(exact);
    program_free(&own);
    program_free(&by_option);
    program_free(&plain);
}

/* Returns the samples of a line as text; malloc'ed. */
static char *samples_text(const char *line)
{
    struct program_run run = simulate(line, NULL);
    json_t *root = line_of(&run, 0);
    char *text = json_dumps(json_object_get(root, "samples"), 0);

    assert_non_null(text);
    json_decref(root);
    program_free(&run);
    return text;
}

static void a_seed_in_the_line_counts_instead_of_the_id(void **state)
{
    (void)state;
    char *seven = samples_text(ASKING("1", ",\"samples\":3,\"seed\":7"));
    char *again = samples_text(ASKING("\"other\"", ",\"samples\":3,\"seed\":7"));
    char *eight = samples_text(ASKING("1", ",\"samples\":3,\"seed\":8"));

    assert_string_equal(seven, again);
    assert_string_not_equal(seven, eight);
    free(seven);
    free(again);
    free(eight);
}

/* With zero noise the samples equal the throw, up to float32 rounding. */
static void the_line_says_how_large_the_noise_is(void **state)
{
    (void)state;
    struct program_run run = simulate(ASKING("1", ",\"samples\":2,\"noise\":{\"gat_stddev_x\":0,"
                                                  "\"gat_stddev_y\":0}"),
                                      NULL);
    json_t *root = line_of(&run, 0);
    json_t *last = json_array_get(json_object_get(root, "samples"), 1);

    assert_true(difference_m(json_object_get(root, "after"), json_object_get(last, "after")) <
                1e-4);
    json_decref(root);
    program_free(&run);
}

static void a_line_asks_for_its_own_trajectory(void **state)
{
    (void)state;
    struct program_run own =
        simulate(ASKING("1", ",\"trajectory\":0.5,\"samples\":1"), OPTIONS("--trajectory=0.1"));
    struct program_run by_option = simulate(ASKING("1", ""), OPTIONS("--trajectory=0.5"));
    json_t *a = line_of(&own, 0), *b = line_of(&by_option, 0);
    json_t *sample = json_array_get(json_object_get(a, "samples"), 0);

    assert_true(json_equal(json_object_get(a, "trajectory"), json_object_get(b, "trajectory")));
    assert_int_equal(json_array_size(json_object_get(sample, "trajectory")), 16);
    json_decref(a);
    json_decref(b);
    program_free(&own);
    program_free(&by_option);
}

static void too_much_for_one_answer_is_refused(void **state)
{
    (void)state;
    struct program_run run = simulate(ASKING("1", ",\"trajectory\":0.001,\"samples\":1000")
                                          ASKING("2", ",\"samples\":1000"),
                                      NULL);

    assert_int_equal(run.status, 2);
    error_at(&run, 0, 1, "trajectory: more than 50000 points");
    outcome_at(&run, 1, 2);
    program_free(&run);
    run = simulate(ASKING("1", ",\"samples\":2"), OPTIONS("--samples=2"));
    assert_int_equal(run.status, 2);
    error_at(&run, 0, 1, "samples: cannot be asked for together with --samples");
    program_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_output_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(samples_are_numbered_and_differ_with_noise),
        cmocka_unit_test(noise_alone_gives_one_sample),
        cmocka_unit_test(the_seed_decides_the_noise),
        cmocka_unit_test(noise_belongs_to_the_id),
        cmocka_unit_test(a_sample_can_be_thrown_again),
        cmocka_unit_test(samples_without_noise_are_all_alike),
        cmocka_unit_test(a_trajectory_leads_from_the_hack_to_the_rest),
        cmocka_unit_test(a_trajectory_changes_nothing_else),
        cmocka_unit_test(a_line_asks_for_its_own_samples),
        cmocka_unit_test(a_seed_in_the_line_counts_instead_of_the_id),
        cmocka_unit_test(the_line_says_how_large_the_noise_is),
        cmocka_unit_test(a_line_asks_for_its_own_trajectory),
        cmocka_unit_test(too_much_for_one_answer_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
