/* The scene codec: every line of the vector files comes back bit for bit, and every kind of mistake
 * is refused with the path of the field. */
#include "api/curling/scene_json.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- helpers ---- */

/* assert_float_equal() rounds to float32 first. */
#define close_to(a, b, limit) assert_true(fabs((a) - (b)) <= (limit))

static struct scene read_good(const char *line)
{
    struct scene scene;
    struct scene_error error;

    if (scene_read(line, strlen(line), &scene, &error) != SCENE_OK)
        fail_msg("refused: %s: %s", error.field, error.text);
    return scene;
}

/* The line is refused because of this field, with `text` in the message. */
static void refuses(const char *line, const char *field, const char *text)
{
    struct scene scene, untouched;
    struct scene_error error;

    memset(&scene, 0x5a, sizeof scene);
    untouched = scene;
    assert_int_not_equal(scene_read(line, strlen(line), &scene, &error), SCENE_OK);
    assert_memory_equal(&scene, &untouched, sizeof scene);
    assert_string_equal(error.field, field);
    if (!strstr(error.text, text))
        fail_msg("\"%s\" does not say \"%s\"", error.text, text);
}

#define NULLS_15  "null,null,null,null,null,null,null,null,null,null,null,null,null,null,null"
#define DC2_HEAD  "{\"model\":\"dc2\",\"id\":7,\"n\":5,"
#define DC2_SHOT  "\"shot\":{\"vx\":-0.99,\"vy\":-29.56,\"spin\":0}"
#define FCV1_HEAD "{\"model\":\"fcv1\",\"id\":7,\"n\":5,"
#define FCV1_SHOT "\"shot\":{\"speed\":2.4,\"angle\":1.5,\"angular_velocity\":1.5}"
#define NO_STONES "\"before\":[null," NULLS_15 "]"
#define FIRST(s)  "\"before\":[" s "," NULLS_15 "]"

/* ---- vector files ---- */

static float float_of(const json_t *number)
{
    assert_true(json_is_number(number));
    return (float)json_number_value(number);
}

static void same_float(const json_t *a, const json_t *b)
{
    float x = float_of(a), y = float_of(b);
    assert_memory_equal(&x, &y, sizeof x);
}

static json_t *coordinate(json_t *point, int c)
{
    return json_is_array(point) ? json_array_get(point, (size_t)c)
                                : json_object_get(point, c ? "y" : "x");
}

static void same_stones(json_t *a, json_t *b)
{
    assert_int_equal(json_array_size(a), 16);
    for (size_t k = 0; k < 16; k++) {
        json_t *p = json_array_get(a, k), *q = json_array_get(b, k);
        assert_int_equal(json_typeof(p), json_typeof(q));
        for (int c = 0; c < 2 && !json_is_null(p); c++)
            same_float(coordinate(p, c), coordinate(q, c));
    }
}

/* Reads each line, answers with its own stones and shot, and compares number by number. */
static void round_trip(const char *path, const char *rules, const char *const shot_keys[3])
{
    char line[4096];
    int lines = 0;
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        struct scene scene = read_good(line);
        struct scene_error error;
        assert_int_equal(scene_check(&scene, rules_find(rules), &error), SCENE_OK);
        json_t *root = json_loads(line, 0, NULL);
        struct scene_outcome outcome = {.after = scene.before,
                                        .collisions = 3,
                                        .score = -2,
                                        .is_sample = true,
                                        .thrown = scene.spoken};
        json_t *answer = scene_answer(&scene, &outcome);
        assert_non_null(answer);
        char *text = shot_answer_text(answer);
        json_t *reread = json_loads(text, 0, NULL);
        assert_non_null(reread);

        assert_int_equal(scene.id.number, json_integer_value(json_object_get(root, "id")));
        same_stones(json_object_get(reread, "after"), json_object_get(root, "before"));
        json_t *said = json_object_get(root, "shot"), *shot = json_object_get(reread, "shot");
        for (int k = 0; k < 3; k++)
            same_float(json_object_get(shot, shot_keys[k]), json_object_get(said, shot_keys[k]));
        assert_int_equal(json_integer_value(json_object_get(reread, "score")), -2);
        assert_int_equal(json_integer_value(json_object_get(reread, "collisions")), 3);

        free(text);
        json_decref(reread);
        json_decref(answer);
        json_decref(root);
        lines++;
    }
    fclose(file);
    assert_int_equal(lines, 2000);
}

static void dc2_vectors_come_back_to_the_bit(void **state)
{
    (void)state;
    round_trip(TEST_VECTORS "/public-dc2.jsonl", "dc2", (const char *[]){"vx", "vy", "spin"});
}

static void fcv1_vectors_come_back_to_the_bit(void **state)
{
    (void)state;
    round_trip(TEST_VECTORS "/public-fcv1.jsonl", "dc3",
               (const char *[]){"speed", "angle", "angular_velocity"});
}

/* ---- meaning ---- */

static void dc2_is_turned_about_the_tee(void **state)
{
    (void)state;
    struct scene scene = read_good(DC2_HEAD FIRST("[2.5,5.88]") "," DC2_SHOT "}");

    assert_int_equal(scene.model, SCENE_DC2);
    assert_int_equal(scene.id.kind, STRICT_ID_NUMBER);
    assert_int_equal(scene.id.number, 7);
    assert_int_equal(scene.stone, 5);
    assert_false(scene.team0_has_hammer);
    assert_int_equal(scene.before.in_play, 1);
    close_to(scene.before.stone[0].x, -0.125, 1e-12);
    close_to(scene.before.stone[0].y, 37.405, 1e-12);
    close_to(scene.shot.velocity.x, 0.99, 1e-6);
    close_to(scene.shot.velocity.y, 29.56, 1e-5);
    close_to(scene.shot.omega, 0.066696, 1e-8);
}

static void dc2_spin_1_turns_clockwise(void **state)
{
    (void)state;
    struct scene scene =
        read_good(DC2_HEAD NO_STONES ",\"shot\":{\"vx\":1,\"vy\":-29,\"spin\":1}}");

    close_to(scene.shot.omega, -0.066696, 1e-8);
}

static void fcv1_slots_are_read_as_shot_numbers(void **state)
{
    (void)state;
    const char *stones = "\"before\":[null,{\"x\":1,\"y\":37},null,null,null,null,null,null,"
                         "{\"x\":-1,\"y\":36.5},null,null,null,null,null,null,null]";
    char line[1024];

    /* team1 has the hammer: team0's second stone was shot 2, team1's first was shot 1. */
    snprintf(line, sizeof line, FCV1_HEAD "%s," FCV1_SHOT "}", stones);
    struct scene scene = read_good(line);
    assert_int_equal(scene.before.in_play, 1 << 2 | 1 << 1);
    close_to(scene.before.stone[2].x, 1.0, 0.0);
    close_to(scene.before.stone[1].y, 36.5, 0.0);
    assert_int_equal(scene.stone, 10);

    /* team0 has the hammer: its second stone was shot 3, team1 began. */
    snprintf(line, sizeof line, FCV1_HEAD "\"hammer\":\"team0\",%s," FCV1_SHOT "}", stones);
    scene = read_good(line);
    assert_true(scene.team0_has_hammer);
    assert_int_equal(scene.before.in_play, 1 << 3 | 1 << 0);
    assert_int_equal(scene.stone, 11);
}

static void fcv1_velocity_is_made_in_float32(void **state)
{
    (void)state;
    struct scene scene = read_good(FCV1_HEAD NO_STONES "," FCV1_SHOT "}");
    volatile float speed = 2.4f, angle = 1.5f;

    assert_true(scene.shot.velocity.x == (double)(speed * cosf(angle)));
    assert_true(scene.shot.velocity.y == (double)(speed * sinf(angle)));
    assert_true(scene.shot.omega == 1.5);
}

static void score_is_positive_for_team0_whoever_has_the_hammer(void **state)
{
    (void)state;
    struct scene scene = read_good(
        "{\"model\":\"dc3\",\"id\":1,\"n\":0,\"hammer\":\"team0\"," NO_STONES "," FCV1_SHOT "}");
    struct scene_outcome outcome = {.score = 2}; /* seen by team1, which began */
    json_t *answer = scene_answer(&scene, &outcome);

    assert_int_equal(json_integer_value(json_object_get(answer, "score")), -2);
    json_decref(answer);
}

static void models_have_the_names_of_the_profiles(void **state)
{
    (void)state;
    static const enum scene_model models[] = {SCENE_FCV1, SCENE_DC3, SCENE_DC4};
    static const char *const names[] = {"fcv1", "dc3", "dc4"};

    for (size_t k = 0; k < 3; k++) {
        char line[1024];
        snprintf(line, sizeof line,
                 "{\"model\":\"%s\",\"id\":1,\"n\":5," NO_STONES "," FCV1_SHOT "}", names[k]);
        struct scene scene = read_good(line);
        assert_int_equal(scene.model, models[k]);
        assert_string_equal(scene_ice_name(&scene), names[k]);
    }
}

/* A noisy shot is thrown as its line prints it, so that reading the line gives the same throw. */
static void encoded_shot_names_what_was_thrown(void **state)
{
    (void)state;
    for (int k = 0; k < 1000; k++) {
        double angle = 1.2 + 0.0007123 * k;
        struct shot shot = {{2.5 * cos(angle), 2.5 * sin(angle)}, k % 2 ? 1.57 : -0.6};
        for (int m = 0; m < 2; m++) {
            enum scene_model model = m ? SCENE_FCV1 : SCENE_DC2;
            struct scene_shot spoken = scene_shot_encode(model, shot);
            struct shot thrown = scene_shot_decode(model, spoken);
            close_to(thrown.velocity.x, shot.velocity.x, 1e-6);
            close_to(thrown.velocity.y, shot.velocity.y, 1e-6);
            assert_int_equal(thrown.omega > 0.0, shot.omega > 0.0);

            struct scene scene = {.id.kind = STRICT_ID_NUMBER, .model = model};
            struct scene_outcome outcome = {.is_sample = true, .thrown = spoken};
            json_t *answer = scene_answer(&scene, &outcome);
            char *text = shot_answer_text(answer);
            char line[1024];
            snprintf(line, sizeof line, "{\"model\":\"%s\",\"id\":0,\"n\":0," NO_STONES ",%.*s}",
                     m ? "fcv1" : "dc2", (int)(strstr(text, "},") + 1 - strstr(text, "\"shot\"")),
                     strstr(text, "\"shot\""));
            struct scene again = read_good(line);
            assert_true(again.shot.velocity.x == thrown.velocity.x);
            assert_true(again.shot.velocity.y == thrown.velocity.y);
            assert_true(again.shot.omega == thrown.omega);
            free(text);
            json_decref(answer);
        }
    }
}

static void text_id_comes_back(void **state)
{
    (void)state;
    struct scene scene = read_good(
        "{\"model\":\"dc2\",\"id\":\"\xc3\xa9nd \\\"3\\\"\",\"n\":5," NO_STONES "," DC2_SHOT "}");
    json_t *answer = scene_answer(&scene, &(struct scene_outcome){.fgz_applies = true});
    char *text = shot_answer_text(answer);

    assert_non_null(strstr(text, "{\"id\":\"\xc3\xa9nd \\\"3\\\"\",\"after\":[null,"));
    assert_non_null(strstr(text, "\"fgz_foul\":false}"));
    assert_null(strstr(text, "sample"));
    free(text);
    json_decref(answer);
}

static void trajectory_is_in_the_frame_of_the_line(void **state)
{
    (void)state;
    struct scene scene = read_good(DC2_HEAD NO_STONES "," DC2_SHOT "}");
    json_t *answer = scene_answer(&scene, &(struct scene_outcome){.score = 0});

    assert_int_equal(scene_answer_add_point(answer, &scene, -1, 0.0, (struct vec2){0, 0}), 0);
    assert_int_equal(scene_answer_add_point(answer, &scene, 5, 0.0, (struct vec2){0.0, 2.005}), 0);
    assert_int_equal(scene_answer_add_point(answer, &scene, 5, 0.5, (struct vec2){1.0, 38.405}), 0);
    json_t *trajectory = json_object_get(answer, "trajectory");
    assert_int_equal(json_array_size(trajectory), 16);
    assert_true(json_is_null(json_array_get(trajectory, 4)));
    json_t *path = json_array_get(trajectory, 5);
    assert_int_equal(json_array_size(path), 2);
    json_t *point = json_array_get(path, 1);
    close_to(json_number_value(json_array_get(point, 0)), 0.5, 0.0);
    close_to(json_number_value(json_array_get(point, 1)), 1.375, 1e-12);
    close_to(json_number_value(json_array_get(point, 2)), 4.88, 1e-12);
    json_decref(answer);
}

/* ---- mistakes ---- */

static void lines_without_an_object_are_refused(void **state)
{
    (void)state;
    refuses("", "", "not JSON");
    refuses("{\"model\":", "", "not JSON");
    refuses("nonsense", "", "not JSON");
    refuses("[1,2]", "", "is an array, must be an object");
    refuses("3", "", "is a whole number, must be an object");
    refuses("{} {}", "", "not JSON");
    refuses("{\"id\":1,\"id\":2}", "", "duplicate");
    refuses("{\"id\":\"\xff\"}", "", "not JSON");
    refuses("{\"id\":1e999}", "id", "too large for a number");
    refuses("{\"id\":NaN}", "", "not JSON");
}

static void nul_bytes_are_refused(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_error error;
    const char line[] = "{\"id\"\0:1}";

    assert_int_equal(scene_read(line, sizeof line - 1, &scene, &error), SCENE_BAD_LINE);
    refuses("{\"id\":\"\\u0000\"}", "", "not JSON at byte 14: \\u0000 is not allowed");
}

static void line_length_and_depth_are_bounded(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_error error;
    char *line = malloc(SCENE_LINE_MAX + 1);

    assert_non_null(line);
    memset(line, ' ', SCENE_LINE_MAX + 1);
    assert_int_equal(scene_read(line, SCENE_LINE_MAX + 1, &scene, &error), SCENE_BAD_LINE);
    assert_non_null(strstr(error.text, "longer than 1048576 bytes"));
    memcpy(line, "{\"id\":3}", 8);
    assert_int_equal(scene_read(line, SCENE_LINE_MAX, &scene, &error), SCENE_BAD_FIELD);
    memset(line, '[', SCENE_LINE_MAX);
    assert_int_equal(scene_read(line, SCENE_LINE_MAX, &scene, &error), SCENE_BAD_LINE);
    assert_non_null(strstr(error.text, "deeper than 8"));
    free(line);
    refuses("{\"id\":\"[[[[[[[[[[\"}", "model", "missing"); /* brackets inside a string do not
                                                             * count */
}

static void bad_ids_are_refused(void **state)
{
    (void)state;
    char line[256];

    refuses("{}", "id", "missing");
    refuses("{\"id\":null}", "id", "is null, must be a whole number or a string");
    refuses("{\"id\":1.5}", "id", "is a number written with a point or an exponent");
    refuses("{\"id\":true}", "id", "is true or false");
    snprintf(line, sizeof line, "{\"id\":\"%0129d\"}", 0);
    refuses(line, "id", "longer than 128 bytes");
}

static void unknown_keys_are_named(void **state)
{
    (void)state;
    refuses(DC2_HEAD NO_STONES "," DC2_SHOT ",\"bfore\":1}", "bfore", "unknown field");
    refuses(DC2_HEAD NO_STONES ",\"shot\":{\"vx\":1,\"vy\":-29,\"spin\":1,\"vz\":1}}", "shot.vz",
            "unknown field");
    refuses(DC2_HEAD NO_STONES ",\"shot\":{\"speed\":1}}", "shot.speed", "unknown field");
    refuses(FCV1_HEAD FIRST("{\"x\":1,\"y\":37,\"angle\":0}") "," FCV1_SHOT "}", "before[0].angle",
            "unknown field");
    refuses(FCV1_HEAD NO_STONES "," FCV1_SHOT ",\"\xe6\xb0\xb7\":1}", "氷", "unknown field");
    /* The extra keys of the vector files are ignored only where those files have them. */
    refuses(FCV1_HEAD FIRST("{\"x\":1,\"y\":37,\"kind\":0}") "," FCV1_SHOT "}", "before[0].kind",
            "unknown field");
}

static void keys_of_the_vector_files_are_ignored(void **state)
{
    (void)state;
    read_good(DC2_HEAD NO_STONES "," DC2_SHOT
                                 ",\"kind\":{},\"after\":3,\"collisions\":null,\"frames\":\"x\","
                                 "\"score\":[],\"sens\":1,\"fgz_foul\":0,\"box2d_241_same\":0}");
}

static void bad_models_are_refused(void **state)
{
    (void)state;
    refuses("{\"id\":1,\"n\":5," NO_STONES "," DC2_SHOT "}", "model", "missing");
    refuses("{\"id\":1,\"model\":2,\"n\":5," NO_STONES "," DC2_SHOT "}", "model",
            "must be dc2, fcv1");
    refuses("{\"id\":1,\"model\":\"DC2\",\"n\":5," NO_STONES "," DC2_SHOT "}", "model",
            "must be dc2");
    refuses("{\"id\":1,\"model\":\"\",\"n\":5," NO_STONES "," DC2_SHOT "}", "model", "must be dc2");
}

static void bad_hammers_are_refused(void **state)
{
    (void)state;
    refuses(FCV1_HEAD "\"hammer\":1," NO_STONES "," FCV1_SHOT "}", "hammer",
            "must be team0 or team1");
    refuses(FCV1_HEAD "\"hammer\":\"team2\"," NO_STONES "," FCV1_SHOT "}", "hammer",
            "must be team0 or team1");
    refuses(DC2_HEAD "\"hammer\":\"team0\"," NO_STONES "," DC2_SHOT "}", "hammer", "dc2");
    assert_false(
        read_good(DC2_HEAD "\"hammer\":\"team1\"," NO_STONES "," DC2_SHOT "}").team0_has_hammer);
}

static void bad_shot_numbers_are_refused(void **state)
{
    (void)state;
#define WITH_N(n) "{\"model\":\"dc2\",\"id\":7," n NO_STONES "," DC2_SHOT "}"
    refuses(WITH_N(""), "n", "missing");
    refuses(WITH_N("\"n\":null,"), "n", "is null");
    refuses(WITH_N("\"n\":5.0,"), "n", "must be a whole number");
    refuses(WITH_N("\"n\":\"5\","), "n", "is a string");
    refuses(WITH_N("\"n\":-1,"), "n", "-1 is not in 0..15");
    refuses(WITH_N("\"n\":16,"), "n", "is not in");
    refuses(WITH_N("\"n\":4294967301,"), "n", "is not in");
    refuses(WITH_N("\"n\":99999999999999999999,"), "n", "larger than 9223372036854775807");
}

static void bad_stones_are_refused(void **state)
{
    (void)state;
    refuses(DC2_HEAD DC2_SHOT "}", "before", "missing");
    refuses(DC2_HEAD "\"before\":{}," DC2_SHOT "}", "before", "must be an array");
    refuses(DC2_HEAD "\"before\":[]," DC2_SHOT "}", "before", "has 0 entries, must have 16");
    refuses(DC2_HEAD "\"before\":[" NULLS_15 "]," DC2_SHOT "}", "before", "has 15 entries");
    refuses(DC2_HEAD "\"before\":[null,null," NULLS_15 "]," DC2_SHOT "}", "before",
            "has 17 entries");

    refuses(DC2_HEAD FIRST("3") "," DC2_SHOT "}", "before[0]", "must be an array");
    refuses(DC2_HEAD FIRST("{\"x\":1,\"y\":5}") "," DC2_SHOT "}", "before[0]", "is an object");
    refuses(DC2_HEAD FIRST("[2.5]") "," DC2_SHOT "}", "before[0]", "has 1 entries");
    refuses(DC2_HEAD FIRST("[2.5,5,1]") "," DC2_SHOT "}", "before[0]", "has 3 entries");
    refuses(DC2_HEAD FIRST("[null,5]") "," DC2_SHOT "}", "before[0][0]", "is null");
    refuses(DC2_HEAD FIRST("[2.5,\"NaN\"]") "," DC2_SHOT "}", "before[0][1]", "is a string");
    refuses(DC2_HEAD FIRST("[2.5,1e9]") "," DC2_SHOT "}", "before[0][1]", "is not in");
    refuses(DC2_HEAD FIRST("[-1e300,5]") "," DC2_SHOT "}", "before[0][0]", "is not in");

    refuses(FCV1_HEAD FIRST("[1,37]") "," FCV1_SHOT "}", "before[0]", "is an array");
    refuses(FCV1_HEAD FIRST("{\"x\":1}") "," FCV1_SHOT "}", "before[0].y", "missing");
    refuses(FCV1_HEAD FIRST("{\"y\":37}") "," FCV1_SHOT "}", "before[0].x", "missing");
    refuses(FCV1_HEAD FIRST("{\"x\":true,\"y\":37}") "," FCV1_SHOT "}", "before[0].x",
            "is true or false, must be a number");
    refuses(FCV1_HEAD FIRST("{\"x\":1,\"y\":101}") "," FCV1_SHOT "}", "before[0].y",
            "101 is not in -100..100");
}

static void the_delivered_stone_has_not_been_thrown_yet(void **state)
{
    (void)state;
    refuses("{\"model\":\"dc2\",\"id\":7,\"n\":0," FIRST("[2.5,5]") "," DC2_SHOT "}", "before[0]",
            "must be null: it is the stone to deliver");
    refuses("{\"model\":\"fcv1\",\"id\":7,\"n\":0," FIRST("{\"x\":0,\"y\":37}") "," FCV1_SHOT "}",
            "before[0]", "must be null");
    refuses("{\"model\":\"dc2\",\"id\":7,\"n\":5,\"before\":[" NULLS_15 ",[2.5,5]]," DC2_SHOT "}",
            "before[15]", "shot 15 comes after shot 5");
}

/* The line is valid, but the rules do not allow stones there. */
static void cannot_lie_so(const char *line, const char *rules, const char *field, const char *text)
{
    struct scene scene = read_good(line);
    struct scene_error error;

    assert_int_equal(scene_check(&scene, rules_find(rules), &error), SCENE_BAD_FIELD);
    assert_string_equal(error.field, field);
    if (!strstr(error.text, text))
        fail_msg("\"%s\" does not say \"%s\"", error.text, text);
    assert_int_equal(error.id.number, 7);
}

static void stones_lie_on_the_sheet_and_not_in_each_other(void **state)
{
    (void)state;
    struct scene_error error;

    cannot_lie_so(DC2_HEAD FIRST("[0.1,5]") "," DC2_SHOT "}", "dc2", "before[0][0]",
                  "outside the sheet");
    cannot_lie_so(DC2_HEAD FIRST("[2.5,2.8]") "," DC2_SHOT "}", "dc2", "before[0][1]",
                  "outside the sheet");
    cannot_lie_so(FCV1_HEAD FIRST("{\"x\":-2.3,\"y\":37}") "," FCV1_SHOT "}", "dc3", "before[0].x",
                  "outside the sheet");
    cannot_lie_so(FCV1_HEAD FIRST("{\"x\":0,\"y\":40.5}") "," FCV1_SHOT "}", "dc3", "before[0].y",
                  "outside the sheet");
    /* The error names the later shot: entry 1 is shot 2, entry 8 is shot 1. */
    cannot_lie_so(FCV1_HEAD "\"before\":[null,{\"x\":0,\"y\":37},null,null,null,null,null,null,"
                            "{\"x\":0.28,\"y\":37},null,null,null,null,null,null,null]," FCV1_SHOT
                            "}",
                  "dc3", "before[1]", "overlaps before[8]");

    /* Only dc4 keeps stones short of the hog line. */
    const char *short_of_hog = FCV1_HEAD FIRST("{\"x\":1,\"y\":31}") "," FCV1_SHOT "}";
    cannot_lie_so(short_of_hog, "dc3", "before[0].y", "outside the sheet");
    struct scene scene = read_good(short_of_hog);
    assert_int_equal(scene_check(&scene, rules_find("dc4"), &error), SCENE_OK);
}

static void bad_dc2_shots_are_refused(void **state)
{
    (void)state;
#define DC2_WITH(shot) DC2_HEAD NO_STONES "," shot "}"
    refuses(DC2_HEAD NO_STONES "}", "shot", "missing");
    refuses(DC2_WITH("\"shot\":[]"), "shot", "must be an object");
    refuses(DC2_WITH("\"shot\":{\"vy\":-29,\"spin\":0}"), "shot.vx", "missing");
    refuses(DC2_WITH("\"shot\":{\"vx\":1,\"spin\":0}"), "shot.vy", "missing");
    refuses(DC2_WITH("\"shot\":{\"vx\":1,\"vy\":-29}"), "shot.spin", "missing");
    refuses(DC2_WITH("\"shot\":{\"vx\":\"1\",\"vy\":-29,\"spin\":0}"), "shot.vx", "is a string");
    refuses(DC2_WITH("\"shot\":{\"vx\":1,\"vy\":-1001,\"spin\":0}"), "shot.vy", "is not in");
    refuses(DC2_WITH("\"shot\":{\"vx\":1,\"vy\":-29,\"spin\":2}"), "shot.spin", "is not in");
    refuses(DC2_WITH("\"shot\":{\"vx\":1,\"vy\":-29,\"spin\":0.5}"), "shot.spin",
            "must be a whole number");
    refuses(DC2_WITH("\"shot\":{\"vx\":1,\"vy\":-29,\"spin\":false}"), "shot.spin",
            "must be a whole number");
}

static void bad_fcv1_shots_are_refused(void **state)
{
    (void)state;
#define FCV1_WITH(shot) FCV1_HEAD NO_STONES ",\"shot\":{" shot "}}"
    refuses(FCV1_WITH("\"angle\":1.5,\"angular_velocity\":1"), "shot.speed", "missing");
    refuses(FCV1_WITH("\"speed\":2,\"angular_velocity\":1"), "shot.angle", "missing");
    refuses(FCV1_WITH("\"speed\":2,\"angle\":1.5"), "shot.angular_velocity", "missing");
    refuses(FCV1_WITH("\"speed\":-2,\"angle\":1.5,\"angular_velocity\":1"), "shot.speed",
            "is not in");
    refuses(FCV1_WITH("\"speed\":2,\"angle\":90,\"angular_velocity\":1"), "shot.angle",
            "is not in");
    refuses(FCV1_WITH("\"speed\":2,\"angle\":1.5,\"angular_velocity\":1e9"),
            "shot.angular_velocity", "is not in");
    refuses(FCV1_WITH("\"speed\":2,\"angle\":[],\"angular_velocity\":1"), "shot.angle",
            "is an array, must be a number");
}

static void optional_fields_of_a_line_are_read(void **state)
{
    (void)state;
    struct scene scene = read_good(DC2_HEAD NO_STONES "," DC2_SHOT "}");
    assert_int_equal(scene.samples, 0);
    assert_true(scene.interval_s == 0.0);
    scene = read_good(DC2_HEAD NO_STONES "," DC2_SHOT ",\"trajectory\":0.25,\"samples\":1000,"
                                         "\"seed\":9,\"noise\":{\"gat_stddev_y\":0.5}}");
    assert_int_equal(scene.samples, 1000);
    assert_true(scene.interval_s == 0.25);
    assert_int_equal(scene.seed, 9);
    assert_true(isnan(scene.noise.gat_stddev_x_m));
    assert_true(scene.noise.gat_stddev_y_m == 0.5);

    refuses(DC2_HEAD NO_STONES "," DC2_SHOT ",\"samples\":0}", "samples", "not in 1..1000");
    refuses(DC2_HEAD NO_STONES "," DC2_SHOT ",\"samples\":2.0}", "samples", "a whole number");
    refuses(DC2_HEAD NO_STONES "," DC2_SHOT ",\"trajectory\":0}", "trajectory",
            "not in 0.001..1000");
    refuses(DC2_HEAD NO_STONES "," DC2_SHOT ",\"trajectory\":true}", "trajectory", "a number");
    refuses(DC2_HEAD NO_STONES "," DC2_SHOT ",\"seed\":1}", "seed", "needs samples");
    refuses(DC2_HEAD NO_STONES "," DC2_SHOT ",\"noise\":{}}", "noise", "needs samples");
    refuses(DC2_HEAD NO_STONES "," DC2_SHOT ",\"samples\":1,\"seed\":-1}", "seed", "-1");
    refuses(DC2_HEAD NO_STONES "," DC2_SHOT ",\"samples\":1,\"noise\":1}", "noise", "");
    refuses(DC2_HEAD NO_STONES "," DC2_SHOT ",\"samples\":1,\"noise\":{\"x\":1}}", "noise.x", "");
    refuses(DC2_HEAD NO_STONES "," DC2_SHOT ",\"samples\":1,\"noise\":{\"max_speed\":1}}",
            "noise.max_speed", "profile dc2 has no such setting");
    refuses(FCV1_HEAD NO_STONES "," FCV1_SHOT ",\"samples\":1,\"noise\":{\"gat_stddev_x\":1}}",
            "noise.gat_stddev_x", "profile fcv1 has no such setting");
}

static void error_lines_carry_the_id_when_it_could_be_read(void **state)
{
    (void)state;
    struct scene scene;
    struct scene_error error;
    const char *bad_n = "{\"n\":77,\"id\":\"a\",\"model\":\"dc2\"}";

    assert_int_equal(scene_read(bad_n, strlen(bad_n), &scene, &error), SCENE_BAD_FIELD);
    json_t *answer = scene_error_answer(&error, 12);
    char *text = shot_answer_text(answer);
    assert_string_equal(text, "{\"id\":\"a\",\"error\":\"n: 77 is not in 0..15\","
                              "\"line\":12}");
    free(text);
    json_decref(answer);

    assert_int_equal(scene_read("[]", 2, &scene, &error), SCENE_BAD_LINE);
    answer = scene_error_answer(&error, 13);
    text = shot_answer_text(answer);
    assert_string_equal(text, "{\"error\":\"is an array, must be an object\",\"line\":13}");
    free(text);
    json_decref(answer);
}

/* Every allocation fails once: the codec reports it and leaks nothing (the sanitizers check). */
static int allocations_left;

static void *short_of_memory(size_t size)
{
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const char *line = DC2_HEAD FIRST("[2.5,5.88]") "," DC2_SHOT "}";
    struct scene good = read_good(line);
    struct scene_outcome outcome = {.after = good.before, .fgz_applies = true, .is_sample = true};
    bool done = false;
    int failures = 0;

    json_set_alloc_funcs(short_of_memory, free);
    for (int budget = 0; !done; budget++) {
        struct scene scene;
        struct scene_error error;
        allocations_left = budget;
        enum scene_status status = scene_read(line, strlen(line), &scene, &error);
        json_t *answer = scene_answer(&good, &outcome);
        if (answer && scene_answer_add_point(answer, &good, 5, 0.0, (struct vec2){0, 0}) != 0)
            failures++;
        char *text = answer ? shot_answer_text(answer) : NULL;
        json_decref(answer);
        done = status == SCENE_OK && text;
        failures += !done;
        free(text);
        assert_true(budget < 10000);
    }
    json_set_alloc_funcs(malloc, free);
    assert_true(failures > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dc2_vectors_come_back_to_the_bit),
        cmocka_unit_test(fcv1_vectors_come_back_to_the_bit),
        cmocka_unit_test(dc2_is_turned_about_the_tee),
        cmocka_unit_test(dc2_spin_1_turns_clockwise),
        cmocka_unit_test(fcv1_slots_are_read_as_shot_numbers),
        cmocka_unit_test(fcv1_velocity_is_made_in_float32),
        cmocka_unit_test(score_is_positive_for_team0_whoever_has_the_hammer),
        cmocka_unit_test(models_have_the_names_of_the_profiles),
        cmocka_unit_test(encoded_shot_names_what_was_thrown),
        cmocka_unit_test(text_id_comes_back),
        cmocka_unit_test(trajectory_is_in_the_frame_of_the_line),
        cmocka_unit_test(lines_without_an_object_are_refused),
        cmocka_unit_test(nul_bytes_are_refused),
        cmocka_unit_test(line_length_and_depth_are_bounded),
        cmocka_unit_test(bad_ids_are_refused),
        cmocka_unit_test(unknown_keys_are_named),
        cmocka_unit_test(keys_of_the_vector_files_are_ignored),
        cmocka_unit_test(bad_models_are_refused),
        cmocka_unit_test(bad_hammers_are_refused),
        cmocka_unit_test(bad_shot_numbers_are_refused),
        cmocka_unit_test(bad_stones_are_refused),
        cmocka_unit_test(the_delivered_stone_has_not_been_thrown_yet),
        cmocka_unit_test(stones_lie_on_the_sheet_and_not_in_each_other),
        cmocka_unit_test(bad_dc2_shots_are_refused),
        cmocka_unit_test(bad_fcv1_shots_are_refused),
        cmocka_unit_test(optional_fields_of_a_line_are_read),
        cmocka_unit_test(error_lines_carry_the_id_when_it_could_be_read),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
