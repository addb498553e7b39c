/* The player `ai-simple`: "CurlingAI", the sample program of Digital Curling 2; published win rates
 * are against it.
 *
 *   0. With probability epsilon: a uniformly random action (action_grid.h), whatever lies there.
 *   1. No stone in the house: draw to the tee, spin 0.
 *   2. The stone nearest to the tee (No. 1) is the opponent's: hit it with power 16, with spin 0.
 *      The program means to throw both spins 100 times, with the execution noise of one stone
 *      radius both ways and without free guard zone, and to take the spin that puts No. 1 out of
 * the house more often. Its running maximum starts at 101, which no count exceeds, so it always
 *      takes spin 0. best_spin=false plays that published form, without the throws that decide
 *      nothing; best_spin=true the intended one, equal counts going to spin 0.
 *   3. No. 1 is its own: guard it from 2 m in front; spin 0 if No. 1 lies on its low-x side, which
 * is the right-hand side as the thrower sees it, or else 1.
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
#define GUARD_M       2.0

enum { TRIALS = 100 };

enum setting { BEST_SPIN, EPSILON };

static const struct player_setting settings[] = {
    [BEST_SPIN] = {.name = "best_spin",
                   .kind = SETTING_BOOL,
                   .initial = 0.0,
                   .most = 1.0,
                   .about = "hit with the better of both spins, as the program meant to"},
    [EPSILON] = {.name = "epsilon",
                 .kind = SETTING_NUMBER,
                 .initial = 0.0,
                 .most = 1.0,
                 .about = "probability of a uniformly random action instead"},
    {.name = NULL},
};

static double spin_of(const struct ice_profile *ice, int spin)
{
    return spin == 0 ? ice->spin : -ice->spin;
}

/* Sample numbers of RANDOM_CHOICE. */
enum { CHOICE_EPSILON, CHOICE_ACTION };

static struct shot draw_to(const struct ice_profile *ice, struct vec2 target, int spin)
{
    struct shot shot = {{0.0, 0.0}, spin_of(ice, spin)};
    if (ice->law == ICE_DC2)
        return sample_dc2_draw(target, shot.omega);
    (void)aim_pass(ice, target, 0.0, shot.omega, &shot); /* always within reach */
    return shot;
}

static struct shot hit(const struct ice_profile *ice, struct vec2 target, int spin)
{
    struct shot shot = {{0.0, 0.0}, spin_of(ice, spin)};
    if (ice->law == ICE_DC2)
        return sample_dc2_hit(ice, target, HIT_POWER, shot.omega);
    double run = HIT_RUNS_ON_M + SHEET_TEE_Y - target.y;
    (void)aim_pass(ice, target, aim_speed_to_run(ice, run), shot.omega, &shot);
    return shot;
}

static enum player_status choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer)
{
    const struct game *game = query->game;
    const struct ice_profile *ice = query->ice;
    const struct vec2 tee = {SHEET_TEE_X, SHEET_TEE_Y};

    if (rule_uniform(query, CHOICE_EPSILON) < player->setting[EPSILON]) {
        rule_answer(query, rule_random_action(query, CHOICE_ACTION), SHOT_OTHER, -1, tee,
                    ret_answer);
        return PLAYER_OK;
    }

    int first = rule_first_stone(game);
    if (first < 0) {
        rule_answer(query, draw_to(ice, tee, 0), SHOT_DRAW, -1, tee, ret_answer);
        return PLAYER_OK;
    }

    struct vec2 at = game->position.stone[first];
    if (rule_is_mine(game, first)) {
        struct vec2 place = {at.x, at.y - GUARD_M};
        int spin = frame_dc2_point(at).x < frame_dc2_point(tee).x ? 0 : 1;
        rule_answer(query, draw_to(ice, place, spin), SHOT_GUARD, first, place, ret_answer);
        return PLAYER_OK;
    }

    int best = 0;
    if (player->setting[BEST_SPIN] != 0.0) {
        struct noise noise = *query->noise;
        if (ice->law == ICE_DC2) {
            noise = noise_default(ice, ICE_NOISE_GAT);
            noise.gat_stddev_x_m = noise.gat_stddev_y_m = NOISE_GAT_OLD_STDDEV_M;
        }
        bool enough = query->limits.simulations <= 0 || query->limits.simulations >= 2 * TRIALS;
        int count[2] = {0, 0};
        for (int spin = 0; spin < 2 && enough; spin++) {
            count[spin] = rule_count_removals(query, &noise, hit(ice, at, spin), first, TRIALS,
                                              (uint64_t)spin * TRIALS);
            ret_answer->cancelled |= count[spin] < 0;
            if (ret_answer->cancelled)
                break;
            ret_answer->simulations += TRIALS;
        }
        best = count[1] > count[0] && !ret_answer->cancelled ? 1 : 0;
    }
    rule_answer(query, hit(ice, at, best), SHOT_HIT, first, at, ret_answer);
    return PLAYER_OK;
}

extern const struct player_class player_ai_simple;
const struct player_class player_ai_simple = {
    .name = "ai-simple",
    .about = "the sample program of Digital Curling 2: take out No. 1, guard it, or draw",
    .settings = settings,
    .choose = choose,
};
