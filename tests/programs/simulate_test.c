/* rink-simulate as its users run it. */
#include "tests/programs/program.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NULLS_15 "null,null,null,null,null,null,null,null,null,null,null,null,null,null,null"
#define DC2_LINE(id)                                                      \
    "{\"model\":\"dc2\",\"id\":" id ",\"n\":0,\"before\":[null," NULLS_15 \
    "],\"shot\":{\"vx\":-0.99074,\"vy\":-29.55977,\"spin\":0}}"
#define FCV1_LINE(id) FCV1_LINE_OF("fcv1", id, "2.40336", "1.5708")
#define FCV1_LINE_OF(model, id, speed, omega)                                   \
    "{\"model\":\"" model "\",\"id\":" id ",\"n\":0,\"before\":[null," NULLS_15 \
    "],\"shot\":{\"speed\":" speed ",\"angle\":1.51596,\"angular_velocity\":" omega "}}"

enum { OPTIONS_MAX = 8 };

/* ---- helpers ---- */

/* assert_float_equal() rounds to float32 first. */
#define close_to(a, b, limit) assert_true(fabs((a) - (b)) <= (limit))

static struct program_run simulate_bytes(const char *input, size_t length,
                                         const char *const options[OPTIONS_MAX])
{
    const char *argv[OPTIONS_MAX + 2] = {RINK_SIMULATE};

    for (int k = 0; options && k < OPTIONS_MAX && options[k]; k++)
        argv[k + 1] = options[k];
    return program_run(argv, input, length);
}

#define OPTIONS(...) ((const char *const[OPTIONS_MAX]){__VA_ARGS__})

static struct program_run simulate(const char *input, const char *const options[OPTIONS_MAX])
{
    return simulate_bytes(input, strlen(input), options);
}

/* Line k of the output as JSON; the caller's. */
static json_t *answer(const struct program_run *run, int k)
{
    const char *line = run->output;
    json_error_t at;

    for (; k > 0; k--) {
        line = strchr(line, '\n');
        assert_non_null(line);
        line++;
    }
    const char *end = strchr(line, '\n');
    assert_non_null(end);
    json_t *root = json_loadb(line, (size_t)(end - line), JSON_REJECT_DUPLICATES, &at);
    if (!root)
        fail_msg("%.*s: %s", (int)(end - line), line, at.text);
    return root;
}

static int lines_of(const struct program_run *run)
{
    int lines = 0;

    for (size_t k = 0; k < run->length; k++)
        lines += run->output[k] == '\n';
    if (run->length > 0)
        assert_int_equal(run->output[run->length - 1], '\n');
    return lines;
}

static json_int_t integer(const json_t *root, const char *key)
{
    const json_t *value = json_object_get(root, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

/* Line k of the output is an error that says `text`; `line` is its number in the input. */
static void error_at(const struct program_run *run, int k, int line, const char *text)
{
    json_t *root = answer(run, k);
    const char *error = json_string_value(json_object_get(root, "error"));

    assert_non_null(error);
    if (!strstr(error, text))
        fail_msg("\"%s\" does not say \"%s\"", error, text);
    assert_int_equal(integer(root, "line"), line);
    json_decref(root);
}

/* Line k of the output is an outcome with this id. */
static void outcome_at(const struct program_run *run, int k, json_int_t id)
{
    json_t *root = answer(run, k);

    assert_null(json_object_get(root, "error"));
    assert_int_equal(integer(root, "id"), id);
    assert_int_equal(json_array_size(json_object_get(root, "after")), 16);
    json_decref(root);
}

static char *file_bytes(const char *path, size_t *ret_length)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t capacity = 8u << 20;
    char *text = malloc(capacity);
    assert_non_null(text);
    *ret_length = fread(text, 1, capacity - 1, file);
    text[*ret_length] = '\0';
    fclose(file);
    return text;
}

static void stone_at(json_t *stone, double *ret_x, double *ret_y)
{
    bool is_dc2 = json_is_array(stone);
    json_t *x = is_dc2 ? json_array_get(stone, 0) : json_object_get(stone, "x");
    json_t *y = is_dc2 ? json_array_get(stone, 1) : json_object_get(stone, "y");

    assert_true(json_is_real(x) && json_is_real(y));
    *ret_x = json_real_value(x);
    *ret_y = json_real_value(y);
}

/* ---- the vector files ---- */

/* How far two positions of the same format are apart, INFINITY if they hold different stones. */
static double difference_m(json_t *a, json_t *b)
{
    double worst_m = 0.0, ax, ay, bx, by;

    assert_int_equal(json_array_size(a), 16);
    assert_int_equal(json_array_size(b), 16);
    for (size_t s = 0; s < 16; s++) {
        json_t *p = json_array_get(a, s), *q = json_array_get(b, s);
        if (json_typeof(p) != json_typeof(q))
            return INFINITY;
        if (json_is_null(p))
            continue;
        stone_at(p, &ax, &ay);
        stone_at(q, &bx, &by);
        worst_m = fmax(worst_m, hypot(ax - bx, ay - by));
    }
    return worst_m;
}

/* The answer to a scene of dc2 has fgz_foul as the scene has it. */
static void same_foul(json_t *scene, json_t *got)
{
    json_t *foul = json_object_get(scene, "fgz_foul");

    if (foul)
        assert_true(json_equal(json_object_get(got, "fgz_foul"), foul));
}

/* Pipes the first `scenes` lines in as they are: all are answered, in order, and those without a
 * collision end where the official simulator ends, to within `limit_m`, but for `exceptions` of
 * them, where a stone stops so near a line that a millimetre decides. */
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
        /* The score is compared wherever it is told from the same stones. */
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
    vectors_agree(TEST_VECTORS "/public-dc2.jsonl", "box2d", 50, 0.00001, 0);
    vectors_agree(TEST_VECTORS "/public-fcv1.jsonl", "box2d", 5, 0.0001, 0);
}

static void a_file_is_read_as_standard_input_is(void **state)
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

/* ---- lines ---- */

static void an_empty_input_is_a_good_run(void **state)
{
    (void)state;
    struct program_run run = simulate("", NULL);

    assert_int_equal(run.status, 0);
    assert_int_equal(run.length, 0);
    program_free(&run);
}

static void blank_lines_crlf_and_a_missing_last_end_do_no_harm(void **state)
{
    (void)state;
    struct program_run run =
        simulate("\n" DC2_LINE("1") "\r\n\r\n  \t \n" FCV1_LINE("2") "\nbad\n" DC2_LINE("3"), NULL);

    assert_int_equal(run.status, 2);
    assert_int_equal(lines_of(&run), 4);
    outcome_at(&run, 0, 1);
    outcome_at(&run, 1, 2);
    error_at(&run, 2, 6, "not JSON");
    outcome_at(&run, 3, 3);
    program_free(&run);
}

static void a_bad_line_is_answered_in_its_place_and_the_run_goes_on(void **state)
{
    (void)state;
    struct program_run run =
        simulate(DC2_LINE("1") "\n{\"id\":\"b\",\"model\":\"dc2\",\"n\":99}\n[]\n" FCV1_LINE_OF(
                     "dc3", "4", "99", "1") "\n" FCV1_LINE_OF("dc4", "5", "2.4", "-1") "\n",
                 NULL);

    assert_int_equal(run.status, 2);
    assert_string_equal(run.errors, "");
    assert_int_equal(lines_of(&run), 5);
    outcome_at(&run, 0, 1);
    error_at(&run, 1, 2, "n: out of range");
    error_at(&run, 2, 3, "must be an object");
    error_at(&run, 3, 4, "shot: ");
    outcome_at(&run, 4, 5);

    json_t *root = answer(&run, 1);
    assert_string_equal(json_string_value(json_object_get(root, "id")), "b");
    json_decref(root);
    root = answer(&run, 2);
    assert_null(json_object_get(root, "id"));
    json_decref(root);
    program_free(&run);
}

static void nul_bytes_and_noise_are_bad_lines(void **state)
{
    (void)state;
    const char input[] = "\0\0\n{\"id\":1,\0}\n\xff\xfe\xfd\n" DC2_LINE("7") "\n\0";
    struct program_run run = simulate_bytes(input, sizeof input - 1, NULL);

    assert_int_equal(run.status, 2);
    assert_int_equal(lines_of(&run), 5);
    for (int k = 0; k < 3; k++)
        error_at(&run, k, k + 1, "not JSON");
    outcome_at(&run, 3, 7);
    error_at(&run, 4, 5, "not JSON");
    program_free(&run);
}

static void lines_over_a_mebibyte_are_refused_and_skipped(void **state)
{
    (void)state;
    const size_t mebibyte = 1 << 20;
    const char *line = DC2_LINE("3");
    size_t length = strlen(line);
    char *input = malloc(6 * mebibyte), *end = input;

    assert_non_null(input);
    /* 1: as long as allowed. 2, 3: one byte more, with \n and with \r\n. 4: very long. 5: good. */
    memset(input, ' ', 6 * mebibyte);
    memcpy(end, line, length);
    end += mebibyte;
    *end++ = '\n';
    memcpy(end, line, length);
    end += mebibyte + 1;
    *end++ = '\n';
    memcpy(end, line, length);
    end += mebibyte + 1;
    memcpy(end, "\r\n", 2);
    end += 2;
    memset(end, 'x', 2 * mebibyte);
    end += 2 * mebibyte;
    *end++ = '\n';
    memcpy(end, line, length);
    end += length;
    struct program_run run = simulate_bytes(input, (size_t)(end - input), NULL);

    assert_int_equal(run.status, 2);
    assert_int_equal(lines_of(&run), 5);
    outcome_at(&run, 0, 3);
    for (int k = 1; k <= 3; k++)
        error_at(&run, k, k + 1, "longer than 1048576 bytes");
    outcome_at(&run, 4, 3);
    free(input);
    program_free(&run);
}

static void an_interactive_user_gets_each_answer_before_the_next_question(void **state)
{
    (void)state;
    const char *argv[] = {RINK_SIMULATE, NULL};
    struct program_talk talk = program_start(argv);
    char line[4096];

    /* Would wait for ever, and ctest end it, if an answer waited for more input. */
    fputs(DC2_LINE("1") "\n", talk.to);
    fflush(talk.to);
    assert_non_null(fgets(line, sizeof line, talk.from));
    assert_non_null(strstr(line, "\"id\":1,"));
    fputs("oops\n{\"model\":\"dc2\",", talk.to); /* and half a line */
    fflush(talk.to);
    assert_non_null(fgets(line, sizeof line, talk.from));
    assert_non_null(strstr(line, "\"line\":2}"));
    const char *third = DC2_LINE("3");
    fputs(third + strlen("{\"model\":\"dc2\","), talk.to);
    fputs("\n", talk.to);
    fflush(talk.to);
    assert_non_null(fgets(line, sizeof line, talk.from));
    assert_non_null(strstr(line, "\"id\":3,"));
    assert_int_equal(program_finish(&talk), 2);
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

/* A stone short of the hog line is there to stay in dc4 and cannot be there in dc3. */
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

/* The sixth shot (number 5) takes out a guard: nothing in dc3, whose rule covers five shots. */
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

/* ---- noise, samples, threads ---- */

static void the_output_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    size_t length;
    char *vectors = file_bytes(TEST_VECTORS "/public-dc2.jsonl", &length);
    vectors[400000] = '\0'; /* cuts a line in two: a bad line at the end */
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
    /* sd 0.118 m/s of physics.md; its estimate from 1500 samples has a relative sd of 1.8 %. */
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

/* A file may be split and shuffled: the noise goes with the id, and more samples do not change the
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

/* Throwing the shot of a sample again, without noise, gives the sample's outcome. */
static void a_sample_can_be_thrown_again(void **state)
{
    (void)state;
    const char *const lines[] = {DC2_LINE("1") "\n", FCV1_LINE("1") "\n"};

    for (int k = 0; k < 2; k++) {
        struct program_run run =
            simulate(lines[k], OPTIONS(k ? "--noise=normal_dist" : "--noise=gat", "--samples=5"));
        for (int sample = 0; sample < 5; sample++) {
            json_t *scene = json_loads(lines[k], 0, NULL), *noisy = answer(&run, sample);
            assert_int_equal(json_object_set(scene, "shot", json_object_get(noisy, "shot")), 0);
            char *text = json_dumps(scene, JSON_REAL_PRECISION(9));
            struct program_run again = simulate(text, NULL);
            json_t *repeated = answer(&again, 0);
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
    json_t *first = answer(&run, 0), *last = answer(&run, 2);

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
    const char *const engines[] = {"--engine=fast", "--engine=box2d"};
    /* Hack, as the line's frame has it, and the point interval. */
    const struct {
        const char *line;
        double hack_x, hack_y;
    } cases[] = {{DC2_LINE("1") "\n", 2.375, 41.28}, {FCV1_LINE("1") "\n", 0.0, 0.0}};

    for (int k = 0; k < 4; k++) {
        struct program_run run =
            simulate(cases[k / 2].line, OPTIONS(engines[k % 2], "--trajectory=0.5"));
        json_t *root = answer(&run, 0);
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
        json_t *a = answer(&plain, k), *b = answer(&drawn, k);
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

/* ---- what a line asks for itself ---- */

#define EMPTY_DC2 "\"model\":\"dc2\",\"n\":0,\"before\":[null," NULLS_15 "]"
#define ASKING(id, more)                                                                           \
    "{\"id\":" id "," EMPTY_DC2 ",\"shot\":{\"vx\":-0.99074,\"vy\":-29.55977,\"spin\":0}" more "}" \
    "\n"

/* One line asks, one line answers: the throw itself and its samples, as --samples makes them. */
static void a_line_asks_for_its_own_samples(void **state)
{
    (void)state;
    struct program_run own = simulate(ASKING("1", ",\"samples\":20"), NULL);
    struct program_run by_option =
        simulate(ASKING("1", ""), OPTIONS("--noise=gat", "--samples=20"));
    struct program_run plain = simulate(ASKING("1", ""), NULL);
    json_t *answered = answer(&own, 0), *exact = answer(&plain, 0);
    json_t *samples = json_object_get(answered, "samples");

    assert_int_equal(own.status, 0);
    assert_int_equal(lines_of(&own), 1);
    assert_int_equal(json_array_size(samples), 20);
    for (int k = 0; k < 20; k++) {
        json_t *same = answer(&by_option, k);
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

/* The samples of a line as text; malloc'ed. */
static char *samples_text(const char *line)
{
    struct program_run run = simulate(line, NULL);
    json_t *root = answer(&run, 0);
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

/* Without any spread the samples are the throw itself, but for the rounding of float32. */
static void the_line_says_how_large_the_noise_is(void **state)
{
    (void)state;
    struct program_run run = simulate(ASKING("1", ",\"samples\":2,\"noise\":{\"gat_stddev_x\":0,"
                                                  "\"gat_stddev_y\":0}"),
                                      NULL);
    json_t *root = answer(&run, 0);
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
    json_t *a = answer(&own, 0), *b = answer(&by_option, 0);
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

/* ---- usage and files ---- */

static void usage_errors_exit_with_1(void **state)
{
    (void)state;
    const char *const wrong[][OPTIONS_MAX] = {
        {"--profile=dc5"},
        {"--profile="},
        {"--engine=slow"},
        {"--noise=gauss"},
        {"--samples=0"},
        {"--samples=-1"},
        {"--samples=1.5"},
        {"--samples=10x"},
        {"--samples="},
        {"--samples= 3"},
        {"--samples=1000000001"},
        {"--seed=-1"},
        {"--seed=18446744073709551616"},
        {"--seed=0x10"},
        {"--threads=0"},
        {"--threads=257"},
        {"--threads=two"},
        {"--trajectory=0"},
        {"--trajectory=-1"},
        {"--trajectory=nan"},
        {"--trajectory=inf"},
        {"--trajectory=1e9"},
        {"--trajectory=0x1"},
        {"--trajectory=1s"},
        {"--trajectory="},
        {"--no-such-option"},
        {"--samples"},
        {"a.jsonl", "b.jsonl"},
    };

    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        struct program_run run = simulate(DC2_LINE("1") "\n", wrong[k]);
        if (run.status != 1 || run.length != 0 || !*run.errors)
            fail_msg("%s: status %d, output \"%s\"", wrong[k][0], run.status, run.output);
        program_free(&run);
    }
}

static void files_that_cannot_be_read_exit_with_1(void **state)
{
    (void)state;
    struct program_run run = simulate("", OPTIONS("/nowhere/scenes.jsonl"));
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "/nowhere/scenes.jsonl: No such file"));
    program_free(&run);

    run = simulate("", OPTIONS("/"));
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "Is a directory"));
    program_free(&run);
}

static void a_full_disk_exits_with_1(void **state)
{
    (void)state;
    const char *argv[] = {"/bin/sh", "-c", RINK_SIMULATE " >/dev/full", NULL};
    struct program_run run = program_run(argv, DC2_LINE("1") "\n", strlen(DC2_LINE("1") "\n"));

    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "standard output: No space left on device"));
    program_free(&run);
}

static void a_reader_that_goes_away_ends_the_run_quietly(void **state)
{
    (void)state;
    const char *argv[] = {"/bin/sh", "-c",
                          "{ " RINK_SIMULATE " --samples=1000000000; echo $? >&2; } | head -n 1",
                          NULL};
    struct program_run run = program_run(argv, DC2_LINE("1") "\n", strlen(DC2_LINE("1") "\n"));

    assert_int_equal(run.status, 0);
    outcome_at(&run, 0, 1);
    assert_string_equal(run.errors, "1\n");
    program_free(&run);
}

static void help_and_version_exit_with_0(void **state)
{
    (void)state;
    struct program_run help = simulate("", OPTIONS("--help"));
    struct program_run version = simulate("", OPTIONS("--version"));

    assert_int_equal(help.status, 0);
    assert_non_null(strstr(help.output, "Usage: rink-simulate [OPTION...] [FILE]"));
    assert_int_equal(version.status, 0);
    assert_int_equal(strncmp(version.output, "rink-simulate ", 14), 0);
    assert_true(isdigit((unsigned char)version.output[14]));
    program_free(&help);
    program_free(&version);
}

/* Every --option of --help has its paragraph in the manual page, and the page names no other. */
static void the_manual_page_has_every_option(void **state)
{
    (void)state;
    struct program_run help = simulate("", OPTIONS("--help"));
    size_t length;
    char *page = file_bytes(RINK_SIMULATE_PAGE, &length), *written = page;
    int in_help = 0, in_page = 0;

    for (char *read = page; *read; read++) /* "\-" is how the page writes "-" */
        if (!(read[0] == '\\' && read[1] == '-'))
            *written++ = *read;
    *written = '\0';
    for (const char *at = help.output; (at = strstr(at, " --")) != NULL; in_help++) {
        char option[64] = ".B";
        size_t letters = strspn(at + 3, "abcdefghijklmnopqrstuvwxyz_-");
        snprintf(option, sizeof option, "--%.*s", (int)letters, at + 3);
        if (!strstr(page, option))
            fail_msg("the manual page does not have %s", option);
        at += 3;
    }
    for (const char *at = page; (at = strstr(at, "\n.TP\n.B")) != NULL; at += 5) {
        const char *end = strchr(at + 5, '\n');
        const char *option = strstr(at, " --");
        if (!option || option > end)
            continue;
        char name[64];
        size_t letters = strspn(option + 3, "abcdefghijklmnopqrstuvwxyz_-");
        snprintf(name, sizeof name, "--%.*s", (int)letters, option + 3);
        if (!strstr(help.output, name))
            fail_msg("--help does not have %s", name);
        in_page++;
    }
    assert_true(in_help >= 10);
    assert_int_equal(in_page, 10);
    free(page);
    program_free(&help);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dc2_draws_end_where_the_official_simulator_ends),
        cmocka_unit_test(fcv1_draws_end_where_the_official_simulator_ends),
        cmocka_unit_test(the_box2d_engine_is_the_reference),
        cmocka_unit_test(a_file_is_read_as_standard_input_is),
        cmocka_unit_test(an_empty_input_is_a_good_run),
        cmocka_unit_test(blank_lines_crlf_and_a_missing_last_end_do_no_harm),
        cmocka_unit_test(a_bad_line_is_answered_in_its_place_and_the_run_goes_on),
        cmocka_unit_test(nul_bytes_and_noise_are_bad_lines),
        cmocka_unit_test(lines_over_a_mebibyte_are_refused_and_skipped),
        cmocka_unit_test(an_interactive_user_gets_each_answer_before_the_next_question),
        cmocka_unit_test(a_scene_stays_on_its_own_law),
        cmocka_unit_test(the_profile_option_overrides_the_model),
        cmocka_unit_test(the_free_guard_zone_is_judged_while_it_lasts),
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
        cmocka_unit_test(usage_errors_exit_with_1),
        cmocka_unit_test(files_that_cannot_be_read_exit_with_1),
        cmocka_unit_test(a_full_disk_exits_with_1),
        cmocka_unit_test(a_reader_that_goes_away_ends_the_run_quietly),
        cmocka_unit_test(help_and_version_exit_with_0),
        cmocka_unit_test(the_manual_page_has_every_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
