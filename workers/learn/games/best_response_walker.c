/* Searches the game tree for best responses. States with the same observation look alike to the
 * responder, so they are carried along together, each with the probability of chance and the policy
 * reaching it. At a decision of the responder they form groups by observation, and each group has
 * one best action. */
#include "workers/learn/games/best_response_walker.h"

#include "workers/evaluate/exploit/line_curling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A list of states with weights. */
struct crowd {
    int count, room;
    unsigned char *states; /* [room][state_size] */
    double *weights;
};

struct walk {
    const struct learner_game *game;
    int responder;
    learner_policy *policy;
    void *context;
    enum exploitability_status status; /* the search stops unless EXPLOITABILITY_OK */
};

/* Keeps the first error. */
static void fail(struct walk *walk, enum exploitability_status status)
{
    if (walk->status == EXPLOITABILITY_OK)
        walk->status = status;
}

static void crowd_free(struct crowd *crowd)
{
    free(crowd->states);
    free(crowd->weights);
}

static void *state_of(const struct walk *walk, const struct crowd *crowd, int k)
{
    return crowd->states + (size_t)k * walk->game->state_size;
}

static void add(struct walk *walk, struct crowd *crowd, const void *state, double weight)
{
    if (crowd->count == crowd->room) {
        int room = crowd->room ? 2 * crowd->room : 16;
        unsigned char *states = realloc(crowd->states, (size_t)room * walk->game->state_size);
        if (states)
            crowd->states = states;
        double *weights = realloc(crowd->weights, (size_t)room * sizeof *weights);
        if (weights)
            crowd->weights = weights;
        if (!states || !weights) {
            fail(walk, EXPLOITABILITY_NO_MEMORY);
            return;
        }
        crowd->room = room;
    }
    memcpy(state_of(walk, crowd, crowd->count), state, walk->game->state_size);
    crowd->weights[crowd->count++] = weight;
}

/* Plays an action without chance. False: the game refuses it. */
static bool play(struct walk *walk, void *state, int action)
{
    static const struct random_key no_chance = {0};
    bool played = walk->game->play(walk->game, state, action, &no_chance);
    if (!played)
        fail(walk, EXPLOITABILITY_FAILED);
    return played;
}

/* Plays on from a state until the game is over or the responder decides. Returns the weighted value
 * of finished games; adds states where the responder decides to the crowd. */
static double play_on(struct walk *walk, const void *state, double weight, struct crowd *crowd)
{
    const struct learner_game *game = walk->game;
    int mover = game->mover(game, state);
    if (mover < 0)
        return weight * (walk->responder == 1 ? -1.0 : 1.0) * game->points(game, state);
    if (mover == walk->responder) {
        add(walk, crowd, state, weight);
        return 0.0;
    }
    _Alignas(16) unsigned char bytes[LEARNER_BYTES_MAX];
    double p[LEARNER_ACTIONS_MAX], value = 0.0;
    game->observe(game, state, bytes);
    walk->policy(walk->context, mover, bytes, p);
    if (!line_are_probabilities(p, game->actions))
        fail(walk, EXPLOITABILITY_FAILED);
    for (int a = 0; a < game->actions && walk->status == EXPLOITABILITY_OK; a++)
        if (p[a] > 0.0) {
            memcpy(bytes, state, game->state_size);
            if (play(walk, bytes, a))
                value += play_on(walk, bytes, weight * p[a], crowd);
        }
    return value;
}

static double best_value(struct walk *walk, const struct crowd *crowd);

/* Returns the value of the states number k with group[k] == number after the responder's action. */
static double action_value(struct walk *walk, const struct crowd *crowd, const int *group,
                           int number, int action)
{
    const struct learner_game *game = walk->game;
    struct crowd next = {0};
    double value = 0.0;
    for (int k = 0; k < crowd->count && walk->status == EXPLOITABILITY_OK; k++) {
        _Alignas(16) unsigned char state[LEARNER_BYTES_MAX];
        memcpy(state, state_of(walk, crowd, k), game->state_size);
        if (group[k] == number && play(walk, state, action))
            value += play_on(walk, state, crowd->weights[k], &next);
    }
    value += best_value(walk, &next);
    crowd_free(&next);
    return value;
}

/* Returns the value of states in which the responder decides, if it plays its best actions. */
static double best_value(struct walk *walk, const struct crowd *crowd)
{
    const struct learner_game *game = walk->game;
    _Alignas(16) unsigned char seen[LEARNER_BYTES_MAX], other[LEARNER_BYTES_MAX];
    int *group = calloc((size_t)crowd->count + 1, sizeof *group); /* 0: not in a group yet */
    double value = 0.0;

    if (!group)
        fail(walk, EXPLOITABILITY_NO_MEMORY);
    for (int first = 0; first < crowd->count && walk->status == EXPLOITABILITY_OK; first++) {
        if (group[first])
            continue;
        game->observe(game, state_of(walk, crowd, first), seen);
        for (int k = first; k < crowd->count; k++) {
            game->observe(game, state_of(walk, crowd, k), other);
            if (memcmp(seen, other, game->observation_size) == 0)
                group[k] = first + 1;
        }
        bool legal[LEARNER_ACTIONS_MAX];
        double best = -INFINITY;
        game->legal(game, seen, legal);
        for (int a = 0; a < game->actions && walk->status == EXPLOITABILITY_OK; a++)
            if (legal[a])
                best = fmax(best, action_value(walk, crowd, group, first + 1, a));
        value += best;
    }
    free(group);
    return value;
}

static double walk_all(struct walk *walk)
{
    const struct learner_game *game = walk->game;
    struct crowd crowd = {0};
    double value = 0.0;
    for (int k = 0; k < game->starts && walk->status == EXPLOITABILITY_OK; k++) {
        _Alignas(16) unsigned char state[LEARNER_BYTES_MAX];
        double p = game->start_number(game, k, state);
        if (p > 0.0)
            value += play_on(walk, state, p, &crowd);
    }
    value += best_value(walk, &crowd);
    crowd_free(&crowd);
    return value;
}

enum exploitability_status walked_exploitability(const struct learner_game *game,
                                                 learner_policy *policy, void *context,
                                                 double ret_exploitability[2])
{
    double value[2];
    for (int seat = 0; seat < 2; seat++) {
        struct walk walk = {game, 1 - seat, policy, context, EXPLOITABILITY_OK};
        value[seat] = walk_all(&walk);
        if (walk.status != EXPLOITABILITY_OK)
            return walk.status;
    }
    memcpy(ret_exploitability, value, sizeof value);
    return EXPLOITABILITY_OK;
}

void learner_start_by_draw(const struct learner_game *game, const struct random_key *key,
                           void *ret_state)
{
    struct random_key deal = *key;
    deal.purpose = RANDOM_EXECUTION;
    double rest = random_uniform(&deal, 0);
    for (int k = 0; k < game->starts; k++) {
        _Alignas(16) unsigned char state[LEARNER_BYTES_MAX];
        double p = game->start_number(game, k, state);
        if (p > 0.0)
            memcpy(ret_state, state, game->state_size);
        rest -= p;
        if (rest < 0.0)
            return;
    }
}
