/* Turns SETSTATE, POSITION and SCORE into a state. See dc2_json.h. */
#include "api/curling/dc2_json.h"

#include "api/base/build_json.h"
#include "models/game/frame.h"
#include "models/game/rules.h"

#include <stdlib.h>

enum { NUMBERS = 2 * POSITION_STONES };
#define COORDINATE_MAX_M 100.0

/* Reads the position into slots; false after an error. Before the first shot of an end the server
 * still shows the end before. */
static bool read_position(const struct strict_place *place, bool team0_has_hammer, bool is_stale,
                          json_t *ret_slots[2])
{
    double number[NUMBERS];

    if (!strict_array(place, NUMBERS, NUMBERS))
        return false;
    for (size_t k = 0; k < NUMBERS; k++) {
        const struct strict_place entry = strict_element(place, k);
        if (!strict_number(&entry, -COORDINATE_MAX_M, COORDINATE_MAX_M, &number[k]))
            return false;
    }
    for (int team = 0; team < 2; team++)
        for (int slot = 0; slot < POSITION_STONES / 2; slot++) {
            int stone = stone_of_slot(team, slot, team0_has_hammer);
            struct vec2 at = {number[2 * stone], number[2 * stone + 1]};
            bool is_out = is_stale || (at.x == 0.0 && at.y == 0.0);
            at = frame_dc2_point(at);
            build_append(ret_slots[team],
                         is_out ? json_null()
                                : json_pack("{s:{s:f, s:f}}", "position", "x", at.x, "y", at.y));
        }
    return true;
}

/* Reads the scores of the finished ends into lists of all ends. */
static bool read_scores(const struct strict_place *place, int64_t end, int64_t ends,
                        json_t *ret_scores[2])
{
    if (end > 0 && !strict_array(place, (size_t)end, (size_t)end))
        return false;
    if (end == 0 && !strict_is_missing(place) && !strict_array(place, 0, 0))
        return false;
    for (int64_t k = 0; k < ends || k < end; k++) {
        int64_t score = 0;
        if (k < end) {
            const struct strict_place entry = strict_element(place, (size_t)k);
            if (!strict_whole(&entry, -POSITION_STONES / 2, POSITION_STONES / 2, &score))
                return false;
        }
        for (int team = 0; team < 2; team++) {
            int64_t own = team == 0 ? score : -score;
            build_append(ret_scores[team],
                         k >= end ? json_null() : json_integer(own > 0 ? own : 0));
        }
    }
    return true;
}

json_t *dc2_state_json(const struct strict_place *native)
{
    static const char *const keys[] = {"shot",     "end",    "ends", "to_move",
                                       "position", "scores", NULL};
    const struct strict_place shot_place = strict_member(native, "shot");
    const struct strict_place end_place = strict_member(native, "end");
    const struct strict_place ends_place = strict_member(native, "ends");
    const struct strict_place mover_place = strict_member(native, "to_move");
    const struct strict_place position = strict_member(native, "position");
    const struct strict_place scores = strict_member(native, "scores");
    int64_t shot = 0, end = 0, ends = 0, mover = 0;

    if (!strict_object(native, keys))
        return NULL;
    bool good = strict_whole(&shot_place, 0, POSITION_STONES - 1, &shot);
    good = strict_whole(&end_place, 0, RULES_ENDS_MAX - 1, &end) && good;
    good = strict_whole(&ends_place, 1, RULES_ENDS_MAX, &ends) && good;
    good = strict_whole(&mover_place, 0, 1, &mover) && good;
    if (!good)
        return NULL;
    /* Who throws an even shot does not have the hammer. */
    bool team0_has_hammer = (mover == 0) == (shot % 2 == 1);
    json_t *slots[2] = {json_array(), json_array()}, *lists[2] = {json_array(), json_array()};
    good = read_position(&position, team0_has_hammer, shot == 0, slots);
    good = read_scores(&scores, end, ends, lists) && good;
    json_t *state = json_pack("{s:I, s:I, s:s, s:{s:o, s:o}, s:{s:o, s:o}}", "end", (json_int_t)end,
                              "shot", (json_int_t)shot, "hammer",
                              team0_has_hammer ? "team0" : "team1", "scores", "team0", lists[0],
                              "team1", lists[1], "stones", "team0", slots[0], "team1", slots[1]);
    return build_done(state, good);
}
