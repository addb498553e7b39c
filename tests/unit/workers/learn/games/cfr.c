/* Vanilla alternating CFR. */
#include "tests/unit/workers/learn/games/cfr.h"

#include "models/base/fnv1a.h"

#include <stdlib.h>
#include <string.h>

/* In proportion to positive regrets, uniform if there are none. */
static void in_proportion(const struct cfr *cfr, const struct cfr_spot *spot, const double *weight,
                          double *ret_p)
{
    bool legal[CFR_ACTIONS_MAX];
    double sum = 0.0;
    int count = 0;
    cfr->game->legal(cfr->game, spot->observation, legal);
    for (int a = 0; a < cfr->game->actions; a++) {
        ret_p[a] = legal[a] && weight[a] > 0.0 ? weight[a] : 0.0;
        sum += ret_p[a];
        count += legal[a];
    }
    for (int a = 0; a < cfr->game->actions; a++)
        ret_p[a] = sum > 0.0 ? ret_p[a] / sum : legal[a] ? 1.0 / count : 0.0;
}

static struct cfr_spot *spot_of(struct cfr *cfr, int seat, const void *observation)
{
    size_t size = cfr->game->observation_size;
    if (size > CFR_OBSERVATION_MAX || cfr->game->actions > CFR_ACTIONS_MAX)
        abort();
    uint64_t hash = fnv1a(FNV1A_START + (unsigned)seat, observation, size);
    for (uint64_t k = 0; k < CFR_PLACES; k++) {
        struct cfr_spot *spot = &cfr->spot[(hash + k) % CFR_PLACES];
        if (!spot->used) {
            *spot = (struct cfr_spot){.used = true, .seat = seat};
            memcpy(spot->observation, observation, size);
            in_proportion(cfr, spot, spot->regret, spot->strategy);
            return spot;
        }
        if (spot->seat == seat && memcmp(spot->observation, observation, size) == 0)
            return spot;
    }
    abort();
}

/* Returns the points of `seat` from this state on, weighted by `others`: the probability that
 * chance and the other seat lead to it. */
static double traverse(struct cfr *cfr, int seat, const void *state, double own, double others)
{
    static const struct random_key no_chance = {0};
    const struct learner_game *game = cfr->game;
    _Alignas(16) unsigned char bytes[LEARNER_BYTES_MAX];
    double value = 0.0, of_action[CFR_ACTIONS_MAX] = {0.0};
    int mover = game->mover(game, state);
    if (mover < 0)
        return others * (seat == 0 ? 1.0 : -1.0) * game->points(game, state);

    game->observe(game, state, bytes);
    struct cfr_spot *spot = spot_of(cfr, mover, bytes);
    bool legal[CFR_ACTIONS_MAX];
    game->legal(game, bytes, legal);
    for (int a = 0; a < game->actions; a++) {
        if (!legal[a])
            continue;
        double p = spot->strategy[a];
        memcpy(bytes, state, game->state_size);
        game->play(game, bytes, a, &no_chance);
        of_action[a] = traverse(cfr, seat, bytes, mover == seat ? own * p : own,
                                mover == seat ? others : others * p);
        value += mover == seat ? p * of_action[a] : of_action[a];
    }
    for (int a = 0; a < game->actions && mover == seat; a++)
        if (legal[a]) {
            spot->regret[a] += of_action[a] - value;
            spot->sum[a] += own * spot->strategy[a];
        }
    return value;
}

void cfr_iterate(struct cfr *cfr)
{
    for (int seat = 0; seat < 2; seat++) {
        for (int k = 0; k < CFR_PLACES; k++)
            if (cfr->spot[k].used)
                in_proportion(cfr, &cfr->spot[k], cfr->spot[k].regret, cfr->spot[k].strategy);
        for (int k = 0; k < cfr->game->starts; k++) {
            _Alignas(16) unsigned char state[LEARNER_BYTES_MAX];
            double p = cfr->game->start_number(cfr->game, k, state);
            if (p > 0.0)
                traverse(cfr, seat, state, 1.0, p);
        }
    }
}

void cfr_average(void *context, int seat, const void *observation, double *ret_p)
{
    struct cfr *cfr = context;
    const struct cfr_spot *spot = spot_of(cfr, seat, observation);
    in_proportion(cfr, spot, spot->sum, ret_p);
}
