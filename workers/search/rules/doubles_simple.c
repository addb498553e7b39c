/* The player `doubles-simple`: fixed rules for mixed doubles, of our own.
 *
 * Setup: it throws last; it takes the power play in the last two ends of the game if it is not
 * ahead.
 *
 * Shots:
 *   1. No. 1 is its own: guard it from 2 m in front, or draw to the tee if it is guarded.
 *   2. No. 1 is the opponent's and may be removed: with two or more of the opponent's stones
 *      counting, or with its last two shots of the end, hit No. 1 with the weight that runs on 4 m.
 *   3. Else draw to the tee.
 *
 * Draws turn towards the side from which fewer stones are in the way; equal counts:
 * counter-clockwise. Score and noise do not matter for shots; it plays the four-person game by the
 * same rules. */
#include "workers/search/rules/rule_player.h"

#include "models/game/score.h"
#include "models/game/sheet.h"
#include "models/ice/aim.h"

enum {
    POWER_ENDS = 2, /* the last ends, in which it takes the power play */
    LAST_SHOTS = 4  /* of both teams: its own last two */
};

#define GUARD_AHEAD_M 2.0
#define HIT_RUNS_ON_M 4.0
#define LANE_M        0.6 /* half width of the way that a guard closes */

/* The turn that comes in from the side with fewer stones in front of the house. */
static double open_omega(const struct player_query *query)
{
    const struct position *position = &query->game->position;
    int left = 0, right = 0;

    for (unsigned rest = position->in_play; rest; rest &= rest - 1) {
        struct vec2 at = position->stone[__builtin_ctz(rest)];
        if (at.y < SHEET_TEE_Y - SHEET_TOUCHES_HOUSE)
            *(at.x > 0.0 ? &right : &left) += 1;
    }
    /* A stone that turns counter-clockwise comes in from the right. */
    return right > left ? -query->ice->spin : query->ice->spin;
}

/* Whether a stone in front covers this one. */
static bool is_guarded(const struct position *position, int stone)
{
    struct vec2 own = position->stone[stone];

    for (unsigned rest = position->in_play; rest; rest &= rest - 1) {
        struct vec2 at = position->stone[__builtin_ctz(rest)];
        if (at.y < own.y - 2.0 * STONE_RADIUS && fabs(at.x - own.x) < LANE_M)
            return true;
    }
    return false;
}

static struct candidate draw_to(const struct player_query *query, enum shot_kind kind,
                                struct vec2 target)
{
    struct candidate said = {.kind = kind, .stone = -1, .other_stone = -1, .target = target};

    said.shot = (struct shot){{0.0, 0.0}, open_omega(query)};
    /* Always within reach. */
    (void)aim_draw(query->ice, target, said.shot.omega, &said.shot);
    return said;
}

static enum player_status choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer)
{
    const struct game *game = query->game;
    const struct rules *rules = game->rules;
    const struct vec2 tee = {SHEET_TEE_X, SHEET_TEE_Y};
    const int first = rule_first_stone(game, false);
    struct candidate said = draw_to(query, SHOT_DRAW, tee);

    (void)player;
    if (first >= 0 && rule_is_mine(game, first)) {
        struct vec2 at = game->position.stone[first];
        if (!is_guarded(&game->position, first))
            said = draw_to(query, SHOT_GUARD, (struct vec2){at.x, at.y - GUARD_AHEAD_M});
    } else if (first >= 0 && game->shot >= rules->protected_shots) {
        const int counting =
            __builtin_popcount(score_counting(rules, &game->position, game_team0_has_hammer(game)));
        struct candidate hit = {.kind = SHOT_HIT,
                                .stone = (int8_t)first,
                                .other_stone = -1,
                                .target = game->position.stone[first]};
        if ((counting > 1 || game->shot >= rules->shots - LAST_SHOTS) &&
            aim_hit(query->ice, &game->position, first, 0.0,
                    aim_speed_to_run(query->ice, HIT_RUNS_ON_M), said.shot.omega, &hit.shot,
                    NULL) == AIM_OK)
            said = hit;
    }
    rule_answer(query, said, ret_answer);
    return PLAYER_OK;
}

static enum setup set_up(const struct player *player, const struct game *game, int64_t game_number)
{
    int team = game_chooser(game);

    (void)player, (void)game_number;
    return game->end >= game->ends - POWER_ENDS &&
                   game_total(game, team) <= game_total(game, 1 - team)
               ? SETUP_RIGHT
               : SETUP_HOUSE;
}

extern const struct player_class player_doubles_simple;
const struct player_class player_doubles_simple = {
    .name = "doubles-simple",
    .about =
        "rules for mixed doubles: draw to the tee, guard No. 1, take out late or where two count",
    .set_up = set_up,
    .choose = choose,
};
