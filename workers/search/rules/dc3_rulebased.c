/* The player `dc3-rulebased`: the rule-based sample program of Digital Curling 3.
 *
 *   1. The stone nearest to the tee (No. 1) is the opponent's: pass through its place at 3.0 m/s,
 *      counter-clockwise or clockwise, whichever puts it out of the house more often in 50 imagined
 *      throws each, with the hands' own noise and without free guard zone; equal counts, and
 *      a limit of simulations that does not allow both, go to counter-clockwise.
 *   2. No. 1 is its own: draw to 2 m in front of it, clockwise if it lies left of the centre line
 *      (x < 0), else counter-clockwise.
 *   3. No stone in the house: draw to the tee, counter-clockwise.
 *
 * End, score, hammer and shot number do not matter; it never concedes.
 *
 * On dc3 and dc4 it aims by that program's fitted inverse (sample_shots.h). On dc2 it has the same
 * list, but aims exactly and hits with full weight, action_max_speed(): a stone that meets another
 * at 3.0 m/s on FCV1 would run on more than 50 m, more than that. */
#include "workers/search/rules/rule_player.h"

#include "models/game/sheet.h"
#include "models/ice/action_grid.h"
#include "models/ice/aim.h"
#include "models/ice/sample_shots.h"

#define HIT_SPEED_MPS 3.0
#define ROOM_M        0.05 /* margin below the longest run: paths are bent */

enum { TRIALS = 50 };

static struct shot aim(const struct ice_profile *ice, struct vec2 target, bool is_hit, double omega)
{
    if (ice->law == ICE_FCV1)
        return sample_fcv1_shot(ice, target, is_hit ? HIT_SPEED_MPS : 0.0, omega);
    double run = action_max_run_m(ice) - vec2_distance(ice->hack, target) - ROOM_M;
    struct shot shot = {{0.0, 0.0}, omega};
    (void)aim_pass(ice, target, is_hit ? aim_speed_to_run(ice, run) : 0.0, omega, &shot);
    return shot;
}

static bool guards_clockwise(struct vec2 first)
{
    return first.x < SHEET_TEE_X;
}

static enum player_status choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer)
{
    const struct rule_sample sample = {aim, guards_clockwise, player_hand(query, query->game->shot),
                                       TRIALS};

    (void)player;
    rule_sample_choose(query, &sample, ret_answer);
    return PLAYER_OK;
}

extern const struct player_class player_dc3_rulebased;
const struct player_class player_dc3_rulebased = {
    .name = "dc3-rulebased",
    .about = "the rule-based sample of Digital Curling 3: take out No. 1, guard it, or draw",
    .choose = choose,
};
