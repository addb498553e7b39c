/* Random play in many styles. */
#include "workers/learn/values/end_states.h"

#include "models/game/free_guard_zone.h"
#include "models/game/score.h"
#include "models/game/sheet.h"
#include "models/ice/aim.h"
#include "models/ice/throw.h"

/* A sequence of random numbers for one shot. */
struct dice {
    struct random_key key;
    uint64_t sample;
};

static double roll(struct dice *dice, double low, double high)
{
    return low + (high - low) * random_uniform(&dice->key, dice->sample++);
}

/* Mean of two draws: the middle is likelier. */
static double roll_middle(struct dice *dice, double low, double high)
{
    return 0.5 * (roll(dice, low, high) + roll(dice, low, high));
}

struct style {
    double hits, guards,
        touches;   /* chances: hit an opponent's stone, guard early, play on a stone */
    double spread; /* m: how far from the tee draws aim */
};

static struct vec2 near_tee(struct dice *dice, double spread)
{
    return (struct vec2){roll_middle(dice, -2.0, 2.0) * spread,
                         SHEET_TEE_Y + roll_middle(dice, -2.0, 2.0) * spread};
}

/* Picks one of the seat's stones, more often one close to the tee; -1 if it has none. */
static int pick_stone(struct dice *dice, const struct position *position, int seat)
{
    int order[POSITION_STONES], count = score_order(position, order), found = -1;
    for (int k = 0; k < count; k++)
        if ((order[k] & 1) == seat && (found < 0 || roll(dice, 0.0, 1.0) < 0.3))
            found = order[k];
    return found;
}

static bool choose(struct dice *dice, const struct style *style, const struct ice_profile *ice,
                   const struct position *position, int shot, struct shot *ret_shot)
{
    double omega = roll(dice, -1.0, 1.0) < 0.0 ? -ice->spin : ice->spin;
    int theirs = pick_stone(dice, position, 1 - (shot & 1));
    int mine = pick_stone(dice, position, shot & 1);
    double kind = roll(dice, 0.0, 1.0);

    if (theirs >= 0 && kind < style->hits) {
        /* From a tap that runs 30 cm past its target to nearly full weight. */
        double run = 0.3 * exp(roll(dice, 0.0, 4.2));
        return aim_hit(ice, position, theirs, roll_middle(dice, -0.26, 0.26),
                       aim_speed_to_run(ice, run), omega, ret_shot, NULL) == AIM_OK;
    }
    int other = roll(dice, 0.0, 1.0) < 0.5 ? mine : theirs;
    if (other >= 0 && roll(dice, 0.0, 1.0) < style->touches) {
        struct vec2 at = position->stone[other];
        double what = roll(dice, 0.0, 1.0);
        if (what < 0.4) /* freeze or come in beside it */
            at = vec2_add(at, (struct vec2){roll_middle(dice, -0.5, 0.5), -0.3});
        else if (what < 0.6) /* guard it */
            at = vec2_add(at, (struct vec2){roll_middle(dice, -0.3, 0.3), roll(dice, -3.0, -1.0)});
        else if (what < 0.8) /* hide behind it */
            at = vec2_add(at, (struct vec2){roll_middle(dice, -0.3, 0.3), roll(dice, 0.8, 3.0)});
        else
            return aim_hit(ice, position, other, roll_middle(dice, -0.2, 0.2),
                           aim_speed_to_run(ice, roll(dice, 0.2, 3.0)), omega, ret_shot,
                           NULL) == AIM_OK;
        return aim_draw(ice, at, omega, ret_shot) == AIM_OK;
    }
    if (roll(dice, 0.0, 1.0) < style->guards * (shot < 6 ? 1.0 : 0.2)) {
        struct vec2 at = {roll_middle(dice, -1.4, 1.4), roll(dice, 33.2, 36.3)};
        return aim_draw(ice, at, omega, ret_shot) == AIM_OK;
    }
    return aim_draw(ice, near_tee(dice, style->spread), omega, ret_shot) == AIM_OK;
}

static struct style style_of(struct random_key key, int seat)
{
    struct dice dice = {.key = key, .sample = (uint64_t)seat * 16};
    dice.key.purpose = RANDOM_SCENE;
    dice.key.shot = 0;
    return (struct style){.hits = roll(&dice, 0.0, 0.9),
                          .guards = roll(&dice, 0.0, 0.8),
                          .touches = roll(&dice, 0.0, 0.6),
                          .spread = roll(&dice, 0.2, 1.0)};
}

bool end_state_shot(const struct ice_profile *ice, struct random_key key,
                    const struct position *position, int shot, struct shot *ret_shot)
{
    struct style style = style_of(key, shot & 1);
    struct dice dice = {.key = key};
    dice.key.purpose = RANDOM_SCENE;
    dice.key.shot = (uint32_t)shot + 1;
    return choose(&dice, &style, ice, position, shot, ret_shot);
}

void end_state_throw(const struct rules *rules, const struct ice_profile *ice,
                     const struct noise *noise, struct random_key key, int shot, struct shot aimed,
                     struct position *position)
{
    struct throw_result result;

    key.shot = (uint32_t)shot;
    key.purpose = RANDOM_EXECUTION;
    const struct throw_request request = {
        .ice = ice,
        .before = position,
        .stone = rules_stone_of_shot(rules, shot),
        .shot = noise_apply(noise, ice, aimed, random_normal_pair(&key, 0))};
    if (throw_fast(&request, &result) == THROW_OK)
        free_guard_zone_settle(rules, position, &result.after, shot, position);
}

struct position end_state_begin(const struct rules *rules, uint64_t number)
{
    /* Of five ends two have a power play, one on each side: in games there are fewer, but they
     * differ more. */
    static const enum setup setups[] = {SETUP_HOUSE, SETUP_LEFT, SETUP_HOUSE, SETUP_RIGHT,
                                        SETUP_HOUSE};
    enum { SETUPS_HERE = sizeof setups / sizeof setups[0] };

    if (rules->preplaced == 0)
        return (struct position){.in_play = 0};
    return setup_position(setups[number / SETUP_PATTERNS % SETUPS_HERE],
                          (int)(number % SETUP_PATTERNS));
}

void end_state_random(const struct rules *rules, const struct ice_profile *ice,
                      const struct noise *noise, struct random_key key, int shots,
                      struct position *ret_position)
{
    struct position position = end_state_begin(rules, key.game);
    struct shot aimed;

    for (int shot = 0; shot < shots; shot++) /* one that cannot be aimed leaves the sheet */
        if (end_state_shot(ice, key, &position, shot, &aimed))
            end_state_throw(rules, ice, noise, key, shot, aimed, &position);
    *ret_position = position;
}
