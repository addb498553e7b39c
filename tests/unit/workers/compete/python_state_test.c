/* States as the official Python client of Digital Curling 4 keeps them: read whole, or not at all.
 */
#include "workers/compete/python_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char message[] =
    "latest_state_data: winner_team=None end_number=1 shot_number=3 total_shot_number=7 "
    "next_shot_team='team1' first_team_remaining_time=599.33 second_team_remaining_time=6e2 "
    "mix_doubles_settings=MixDoublesSettingsSchema(end_setup_team='team1', "
    "positioned_stones_pattern=2, power_play_end=PowerPlayEndSchema(team0=None, team1=1)) "
    "last_move=ShotInfoSchema(translational_velocity=2.403, angular_velocity=-1.5707963, "
    "shot_angle=1.5159) stone_coordinate=StoneCoordinateSchema(data={'team0': "
    "[CoordinateDataSchema(x=-0.8, y=38.405), CoordinateDataSchema(x=0.0, y=0.0)], 'team1': []}) "
    "score=ScoreSchema(team0=[0, 2, 0], team1=[1, 0, 0])";

static void a_state_is_read_as_the_server_sent_it(void **unused)
{
    (void)unused;
    json_t *state = python_state(message);
    json_t *expected = json_loads(
        "{\"winner_team\":null,\"end_number\":1,\"shot_number\":3,\"total_shot_number\":7,"
        "\"next_shot_team\":\"team1\",\"first_team_remaining_time\":599.33,"
        "\"second_team_remaining_time\":600.0,\"mix_doubles_settings\":{\"end_setup_team\":"
        "\"team1\",\"positioned_stones_pattern\":2,\"power_play_end\":{\"team0\":null,\"team1\":1}"
        "},\"last_move\":{\"translational_velocity\":2.403,\"angular_velocity\":-1.5707963,"
        "\"shot_angle\":1.5159},\"stone_coordinate\":{\"data\":{\"team0\":[{\"x\":-0.8,\"y\":38.405"
        "},{\"x\":0.0,\"y\":0.0}],\"team1\":[]}},\"score\":{\"team0\":[0,2,0],\"team1\":[1,0,0]}}",
        0, NULL);

    assert_non_null(expected);
    assert_true(json_equal(state, expected));
    json_decref(expected);
    json_decref(state);
}

static void what_is_cut_off_or_changed_is_no_whole_state(void **unused)
{
    char text[sizeof message];

    (void)unused;
    for (size_t length = 0; length < sizeof message - 1; length++) {
        memcpy(text, message, length);
        text[length] = '\0';
        json_t *state = python_state(text);
        /* A member that is there is whole: the one that was cut is not. */
        assert_null(json_object_get(state, "score"));
        json_decref(state);
        for (const char *c = "\x01\xff()[]{}='\\,9"; *c; c++) {
            memcpy(text, message, sizeof message);
            text[length] = *c;
            json_decref(python_state(text));
        }
    }
}

static void other_messages_are_no_states(void **unused)
{
    char deep[256] = "state_data: a=";

    (void)unused;
    assert_null(python_state(NULL));
    assert_null(python_state(""));
    assert_null(python_state("SSE loop start -> http://127.0.0.1:8000/matches/7/stream"));
    assert_null(python_state("state_data: end_number"));
    assert_null(python_state("state_data: end_number=nan"));
    assert_null(python_state("state_data: end_number=99999999999999999999"));
    assert_null(python_state("state_data: score=[1, 2"));
    memset(deep + strlen(deep), '[', 100);
    assert_null(python_state(deep));
    json_t *short_one = python_state("state_data: end_number=2");
    assert_int_equal(json_integer_value(json_object_get(short_one, "end_number")), 2);
    json_decref(short_one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_read_as_the_server_sent_it),
        cmocka_unit_test(what_is_cut_off_or_changed_is_no_whole_state),
        cmocka_unit_test(other_messages_are_no_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
