/* The player `ai-simple`: "CurlingAI", the sample program of Digital Curling 2; published win rates
 * are against it.
 *
 *   0. With probability epsilon: a uniformly random action (action_grid.h), whatever the position.
 *   1. No stone in the house: draw to the tee, spin 0.
 *   2. The stone nearest to the tee (No. 1) is the opponent's: hit it with power 16, with spin 0.
 *      The program means to throw both spins 100 times, with the execution noise of one stone
 *      radius both ways and without free guard zone, and to take the spin that puts No. 1 out of
 *      the house more often. Its running maximum starts at 101, which no count exceeds, so it
 *      always takes spin 0. best_spin=false plays that published form, without throws that decide
 *      nothing; best_spin=true plays the intended one, and equal counts give spin 0.
 *   3. No. 1 is its own: guard it from 2 m in front; spin 0 if No. 1 lies on its low-x side, which
 *      is the right-hand side as the thrower sees it, or else 1.
 *
 * Spin 0 is counter-clockwise. End, score, hammer and shot number do not matter; it never concedes.
 *
 * On dc2 it aims as that program does (sample_shots.h). On the ice of dc3 and dc4 it has the same
 * list and the same places, but aims exactly: power 16 is the speed that would run on to where its
 * line ends on dc2, 10.95 m beyond the tee line; the imagined noise of best_spin is the hands' own.
 * A limit of simulations that does not allow both counts leaves it at spin 0. */
#include "workers/search/rules/rule_player.h"

#include "models/game/frame.h"
#include "models/game/sheet.h"
#include "models/ice/action_grid.h"
#include "models/ice/aim.h"
#include "models/ice/sample_shots.h"

#define HIT_POWER     16.0
#define HIT_RUNS_ON_M 10.95

enum { TRIALS = 100 };

enum setting { BEST_SPIN, EPSILON };

static const struct player_setting settings[] = {
    [BEST_SPIN] = {"best_spin", SETTING_BOOL, 0, 0, 1, NULL,
                   "hit with the better of both spins, as the program meant to"},
    [EPSILON] = {"epsilon", SETTING_NUMBER, 0, 0, 1, NULL,
                 "probability of a uniformly random action instead"},
    {0},
};

/* Sample numbers of RANDOM_CHOICE. */
enum { CHOICE_EPSILON, CHOICE_ACTION };

static struct shot aim(const struct ice_profile *ice, struct vec2 target, bool is_hit, double omega)
{
    struct shot shot = {{0.0, 0.0}, omega};

    if (ice->law == ICE_DC2)
        return is_hit ? sample_dc2_hit(ice, target, HIT_POWER, omega)
                      : sample_dc2_draw(target, omega);
    double run = HIT_RUNS_ON_M + SHEET_TEE_Y - target.y;
    /* Always within reach. */
    (void)aim_pass(ice, target, is_hit ? aim_speed_to_run(ice, run) : 0.0, omega, &shot);
    return shot;
}

static bool guards_clockwise(struct vec2 first)
{
    const struct vec2 tee = {SHEET_TEE_X, SHEET_TEE_Y};
    return frame_dc2_point(first).x >= frame_dc2_point(tee).x;
}

static enum player_status choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer)
{
    struct noise noise = *player_hand(query, query->game->shot);
    const struct rule_sample sample = {aim, guards_clockwise, &noise,
                                       player->setting[BEST_SPIN] != 0.0 ? TRIALS : 0};

    if (rule_uniform(query, CHOICE_EPSILON) < player->setting[EPSILON]) {
        rule_answer(query, candidate_of_shot(rule_random_action(query, CHOICE_ACTION)), ret_answer);
        return PLAYER_OK;
    }
    if (query->ice->law == ICE_DC2) {
        noise = noise_default(query->ice, ICE_NOISE_GAT);
        noise.gat_stddev_x_m = noise.gat_stddev_y_m = NOISE_GAT_OLD_STDDEV_M;
    }
    rule_sample_choose(query, &sample, ret_answer);
    return PLAYER_OK;
}

extern const struct player_class player_ai_simple;
const struct player_class player_ai_simple = {
    .name = "ai-simple",
    .about = "the sample program of Digital Curling 2: take out No. 1, guard it, or draw",
    .settings = settings,
    .choose = choose,
};
