/* Scenes in the terms of Digital Curling 3 and 4: the forms of a shot, and the effect of its
 * answer. */
#include "api/curling/game_json.h"
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

#define STATE(end, shot, hammer, scores, stones)                                                   \
    "{\"end\":" #end ",\"shot\":" #shot ",\"hammer\":\"" hammer "\",\"scores\":" scores ",\"stone" \
    "s\":" stones "}"
#define NO_SCORES "{\"team0\":[],\"team1\":[]}"
#define NO_STONES "{\"team0\":[],\"team1\":[]}"
#define FIRST     STATE(0, 0, "team1", NO_SCORES, NO_STONES)
#define LINE(profile, state, shot, more) \
    "{\"id\":7,\"profile\":\"" profile "\",\"state\":" state ",\"shot\":" shot more "}"
#define DC3_SHOT "{\"velocity\":{\"x\":0.13,\"y\":2.4},\"rotation\":\"ccw\"}"

static struct scene read_good(const char *line)
{
    struct scene scene;
    struct scene_error error;

    if (scene_read(line, strlen(line), &scene, &error) != SCENE_OK)
        fail_msg("%s\nrefused: %s: %s", line, error.field, error.text);
    return scene;
}

static struct shot shot_of(const char *line)
{
    return read_good(line).shot;
}

/* The document's only mistake is at this place. */
static void refuses(const char *line, const char *pointer)
{
    struct strict_errors errors;
    struct scene scene;
    json_t *document = json_loads(line, 0, NULL);

    assert_non_null(document);
    assert_false(scene_state_decode(document, &scene, &errors));
    assert_int_equal(errors.count, 1);
    assert_string_equal(errors.error[0].pointer, pointer);
    json_decref(document);
}

/* ---- shots ---- */

static void a_shot_is_said_in_the_words_of_its_profile(void **state)
{
    (void)state;
    struct shot dc3 = shot_of(LINE("dc3", FIRST, DC3_SHOT, ""));
    assert_true(dc3.velocity.x == (double)0.13f && dc3.velocity.y == (double)2.4f);
    assert_true(dc3.omega == (double)1.57079637f);

    struct shot native =
        shot_of(LINE("dc2", FIRST, "{\"native\":{\"vx\":0.5,\"vy\":-29.5,\"spin\":1}}", ""));
    assert_true(native.velocity.x == -0.5 && native.velocity.y == 29.5);
    assert_true(native.omega == -SHOT_TURN_DC2_RADPS);
    struct shot dc2 = shot_of(
        LINE("dc2", FIRST, "{\"velocity\":{\"x\":-0.5,\"y\":29.5},\"rotation\":\"cw\"}", ""));
    assert_memory_equal(&dc2, &native, sizeof dc2);

    struct shot dc4 = shot_of(
        LINE("dc4", FIRST,
             "{\"translational_velocity\":2.4,\"shot_angle\":1.5,\"angular_velocity\":1.25}", ""));
    assert_true(dc4.velocity.x == (double)(2.4f * cosf(1.5f)));
    assert_true(dc4.velocity.y == (double)(2.4f * sinf(1.5f)));
    assert_true(dc4.omega == -1.25); /* dc4 counts clockwise, we count counter-clockwise */
    struct shot straight =
        shot_of(LINE("dc4", FIRST, "{\"velocity\":{\"x\":0,\"y\":2},\"rotation\":null}", ""));
    assert_true(straight.omega == 0.0);
    struct shot turned = shot_of(LINE(
        "dc4-no-tick", FIRST, "{\"velocity\":{\"x\":0,\"y\":2},\"angular_velocity\":-0.5}", ""));
    assert_true(turned.omega == 0.5);
}

/* In the form of POST /v1/shots, with nine digits. */
static void a_shot_that_was_answered_can_be_thrown(void **state)
{
    static const char *const profiles[] = {"dc2", "dc3", "dc4"};

    (void)state;
    for (size_t k = 0; k < sizeof profiles / sizeof *profiles; k++) {
        const struct rules *rules = rules_find(profiles[k]);
        double rate = k == 0 ? SHOT_TURN_DC2_RADPS : SHOT_TURN_FCV1_RADPS;
        const struct shot shot = {{-0.1234567890123, 2.3456789012345}, k == 2 ? -1.1 : -rate};
        json_t *said = json_pack("{s:s,s:o,s:o}", "profile", profiles[k], "state",
                                 json_loads(FIRST, 0, NULL), "shot", game_shot_json(rules, &shot));
        char *line = shot_answer_text(said);
        struct shot thrown = shot_of(line);
        assert_true(thrown.velocity.x == (double)(float)shot.velocity.x);
        assert_true(thrown.velocity.y == (double)(float)shot.velocity.y);
        assert_true(thrown.omega == (double)(float)shot.omega);
        free(line);
        json_decref(said);
    }
}

static void shots_that_are_none_are_refused(void **state)
{
    (void)state;
    refuses(LINE("dc3", FIRST, "{\"velocity\":{\"x\":0,\"y\":2}}", ""), "/shot/rotation");
    refuses(LINE("dc3", FIRST, "{\"velocity\":{\"x\":0,\"y\":2},\"rotation\":null}", ""),
            "/shot/rotation");
    refuses(LINE("dc3", FIRST, "{\"rotation\":\"cw\"}", ""), "/shot/velocity");
    refuses(LINE("dc3", FIRST, "{\"velocity\":{\"y\":2},\"rotation\":\"cw\"}", ""),
            "/shot/velocity/x");
    refuses(LINE("dc3", FIRST, "[]", ""), "/shot");
    /* Fields of another profile. */
    refuses(LINE("dc3", FIRST,
                 "{\"velocity\":{\"x\":0,\"y\":2},\"rotation\":\"cw\",\"angular_velocity\":1}", ""),
            "/shot/angular_velocity");
    refuses(LINE("dc4", FIRST, "{\"native\":{\"vx\":0,\"vy\":2,\"spin\":1}}", ""), "/shot/native");
    refuses(LINE("dc4", FIRST, "{\"translational_velocity\":2,\"angular_velocity\":1}", ""),
            "/shot/shot_angle");
    refuses(LINE("dc2", FIRST, "{\"native\":{\"vx\":0,\"vy\":-29,\"spin\":0.5}}", ""),
            "/shot/native/spin");
    /* Two shots at once. */
    refuses(LINE("dc2", FIRST,
                 "{\"velocity\":{\"x\":0,\"y\":29},\"native\":{\"vx\":0,\"vy\":29,\"spin\":1}}",
                 ""),
            "/shot/native");
    refuses(LINE("dc2", FIRST, "{\"rotation\":\"ccw\",\"native\":{\"vx\":0,\"vy\":-29,\"spin\":1}}",
                 ""),
            "/shot/native/spin");
    refuses(LINE("dc4", FIRST,
                 "{\"velocity\":{\"x\":0,\"y\":2},\"rotation\":\"cw\",\"angular_velocity\":-1}",
                 ""),
            "/shot/angular_velocity");
    /* Numbers that no shot can have. */
    refuses(LINE("dc3", FIRST, "{\"velocity\":{\"x\":1e9,\"y\":2},\"rotation\":\"cw\"}", ""),
            "/shot/velocity/x");
}

static void other_fields_are_checked_as_strictly(void **state)
{
    (void)state;
    refuses(LINE("dc3", FIRST, DC3_SHOT, ",\"model\":\"dc3\""), "/model");
    refuses(LINE("dc3", FIRST, DC3_SHOT, ",\"seed\":1"), "/seed");
    refuses(LINE("dc3", FIRST, DC3_SHOT, ",\"samples\":1001"), "/samples");
    refuses(LINE("dc3", FIRST, DC3_SHOT, ",\"trajectory\":0"), "/trajectory");
    refuses(LINE("dc3", FIRST, DC3_SHOT, ",\"samples\":1,\"noise\":{\"gat_stddev_x\":1}"),
            "/noise/gat_stddev_x");
    refuses(LINE("dc9", FIRST, DC3_SHOT, ""), "/profile");
    refuses(
        LINE("dc3", STATE(1, 0, "team1", "{\"team0\":[],\"team1\":[0]}", NO_STONES), DC3_SHOT, ""),
        "/state/scores/team0/0");
    assert_int_equal(read_good(LINE("dc3", FIRST, DC3_SHOT, ",\"samples\":2")).seed, 0);

    /* A line reports its first mistake and the line's id. */
    const char *line = LINE("dc3", FIRST, DC3_SHOT, ",\"seed\":1");
    struct scene scene;
    struct scene_error error;
    assert_int_equal(scene_read(line, strlen(line), &scene, &error), SCENE_BAD_FIELD);
    assert_string_equal(error.field, "seed");
    assert_int_equal(error.id.number, 7);
}

/* ---- answers ---- */

static json_t *answer_to(const char *line, struct vec2 comes_to_rest)
{
    struct scene scene = read_good(line);
    struct scene_outcome outcome = {.after = scene.before, .score = 1, .thrown = scene.spoken};

    position_put(&outcome.after, scene.stone, comes_to_rest);
    json_t *answer = scene_answer(&scene, &outcome);
    assert_non_null(answer);
    return answer;
}

static const char *text_at(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static json_int_t whole_at(json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void the_next_shot_is_in_the_state(void **state)
{
    (void)state;
    json_t *answer =
        answer_to(LINE("dc3", STATE(0, 1, "team1", NO_SCORES, NO_STONES), DC3_SHOT, ""),
                  (struct vec2){0.5, 38.0});
    json_t *next = json_object_get(answer, "state");
    json_t *team1 = json_object_get(json_object_get(answer, "stones"), "team1");

    assert_int_equal(json_array_size(team1), 8);
    assert_true(json_is_object(json_array_get(team1, 0)) && json_is_null(json_array_get(team1, 1)));
    assert_true(json_equal(json_object_get(next, "stones"), json_object_get(answer, "stones")));
    assert_int_equal(whole_at(next, "shot"), 2);
    assert_string_equal(text_at(next, "hammer"), "team1");
    assert_int_equal(whole_at(json_object_get(answer, "score"), "team0"), 1);
    assert_int_equal(whole_at(json_object_get(answer, "score"), "team1"), 0);
    assert_string_equal(text_at(json_object_get(answer, "shot"), "rotation"), "ccw");
    json_decref(answer);
}

/* The last stone counts: it ends an end, the game, or an extra end. */
static void ends_and_games_finish(void **state)
{
    (void)state;
    json_t *answer =
        answer_to(LINE("dc3", STATE(0, 15, "team0", NO_SCORES, NO_STONES), DC3_SHOT, ""),
                  (struct vec2){0.0, 38.4});
    json_t *next = json_object_get(answer, "state");
    assert_int_equal(whole_at(next, "end"), 1);
    assert_int_equal(whole_at(next, "shot"), 0);
    assert_string_equal(text_at(next, "hammer"), "team1"); /* the scoring team throws first */
    json_t *scores = json_object_get(json_object_get(next, "scores"), "team0");
    assert_int_equal(json_integer_value(json_array_get(scores, 0)), 1);
    assert_null(json_object_get(next, "game_result"));
    json_decref(answer);

    answer = answer_to(LINE("dc3", STATE(0, 15, "team1", NO_SCORES, NO_STONES), DC3_SHOT,
                            ",\"setting\":{\"max_end\":1}"),
                       (struct vec2){0.0, 38.4});
    next = json_object_get(answer, "state");
    json_t *result = json_object_get(next, "game_result");
    assert_string_equal(text_at(result, "winner"), "team1");
    assert_string_equal(text_at(result, "reason"), "score");
    assert_true(json_is_null(json_object_get(next, "hammer")));
    assert_null(json_object_get(next, "extra_end_score"));
    json_decref(answer);

    answer =
        answer_to(LINE("dc3", STATE(1, 15, "team0", "{\"team0\":[0],\"team1\":[0]}", NO_STONES),
                       DC3_SHOT, ",\"setting\":{\"max_end\":1}"),
                  (struct vec2){0.0, 38.4});
    next = json_object_get(answer, "state");
    assert_string_equal(text_at(json_object_get(next, "game_result"), "winner"), "team0");
    assert_int_equal(whole_at(json_object_get(next, "extra_end_score"), "team0"), 1);
    json_decref(answer);
}

static void paths_lie_at_the_slots_of_their_stones(void **state)
{
    (void)state;
    struct scene scene =
        read_good(LINE("dc2", STATE(0, 3, "team0", NO_SCORES, NO_STONES),
                       "{\"native\":{\"vx\":0.5,\"vy\":-29.5,\"spin\":1}}", ",\"trajectory\":1"));
    json_t *answer = scene_answer(&scene, &(struct scene_outcome){.thrown = scene.spoken});

    assert_int_equal(scene.stone, 3);
    assert_int_equal(scene_answer_add_point(answer, &scene, -1, 0.0, (struct vec2){0, 0}), 0);
    assert_int_equal(scene_answer_add_point(answer, &scene, 3, 0.5, (struct vec2){1.0, 38.4}), 0);
    json_t *team0 = json_object_get(json_object_get(answer, "trajectory"), "team0");
    assert_int_equal(json_array_size(team0), 8);
    json_t *point = json_array_get(json_array_get(team0, 1), 0);
    assert_true(json_real_value(json_array_get(point, 1)) ==
                1.0); /* not turned, like the old form */
    json_decref(answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shot_is_said_in_the_words_of_its_profile),
        cmocka_unit_test(a_shot_that_was_answered_can_be_thrown),
        cmocka_unit_test(shots_that_are_none_are_refused),
        cmocka_unit_test(other_fields_are_checked_as_strictly),
        cmocka_unit_test(the_next_shot_is_in_the_state),
        cmocka_unit_test(ends_and_games_finish),
        cmocka_unit_test(paths_lie_at_the_slots_of_their_stones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
