/* Games of two decisions each: seat 0's, then seat 1's. */
#include "tests/unit/workers/learn/games/toy_games.h"

#include <string.h>

struct state {
    int32_t decisions, arm[2];
    float paid[2];
};

/* An observation that only shows whose turn it is. */
struct seen {
    int32_t mover;
};

static void start(const struct learner_game *game, const struct random_key *key, void *ret_state)
{
    (void)key;
    memset(ret_state, 0, game->state_size);
}

static int mover(const struct learner_game *game, const void *state)
{
    const struct state *s = state;
    (void)game;
    return s->decisions == 2 ? -1 : s->decisions;
}

static void observe(const struct learner_game *game, const void *state, void *ret_observation)
{
    const struct seen seen = {mover(game, state)};
    memcpy(ret_observation, &seen, sizeof seen);
}

static void fill_inputs(const struct learner_game *game, const void *observation, float *ret_inputs)
{
    (void)game;
    (void)observation;
    ret_inputs[0] = 1.0f;
}

static double nothing(const struct learner_game *game, const void *state)
{
    (void)game;
    (void)state;
    return 0.0;
}

static void legal_arms(const struct learner_game *game, const void *observation, bool *ret_legal)
{
    (void)observation;
    for (int a = 0; a < game->actions; a++)
        ret_legal[a] = a != BANDIT_ILLEGAL;
}

static bool pull(const struct learner_game *game, void *state, int action,
                 const struct random_key *key)
{
    static const float pays[] = {0.1f, 0.3f, 0.9f, 0.6f, 0.2f};
    struct state *s = state;
    struct random_key hand = *key;
    hand.purpose = RANDOM_EXECUTION;
    if (action < 0 || action >= game->actions || action == BANDIT_ILLEGAL)
        return false;
    s->paid[s->decisions++] = pays[action] + (float)random_uniform(&hand, 0) - 0.5f;
    return true;
}

static double paid(const struct learner_game *game, const void *before, const void *after, int seat)
{
    (void)game;
    return (double)(((const struct state *)after)->paid[seat] -
                    ((const struct state *)before)->paid[seat]);
}

const struct learner_game bandit_game = {
    .name = "bandit",
    .seats = {"first", "second"},
    .actions = 5,
    .inputs = 1,
    .decisions_max = 2,
    .state_size = sizeof(struct state),
    .observation_size = sizeof(struct seen),
    .start = start,
    .mover = mover,
    .observe = observe,
    .legal = legal_arms,
    .fill_inputs = fill_inputs,
    .play = pull,
    .reward = paid,
    .points = nothing,
};

static void legal_throws(const struct learner_game *game, const void *observation, bool *ret_legal)
{
    (void)observation;
    for (int a = 0; a < game->actions; a++)
        ret_legal[a] = true;
}

static bool throw_hand(const struct learner_game *game, void *state, int action,
                       const struct random_key *key)
{
    struct state *s = state;
    (void)game;
    (void)key;
    s->arm[s->decisions++] = action;
    return true;
}

static bool programmed(const struct learner_game *game, int opponent, void *state,
                       const struct random_key *key)
{
    return throw_hand(game, state, opponent == 0 ? SCISSORS : ROCK, key);
}

static double points_of_throws(const struct learner_game *game, const void *state)
{
    const struct state *s = state;
    (void)game;
    int lead = (s->arm[0] - s->arm[1] + 3) % 3; /* 1: each beats the one before it */
    return lead == 1 ? 1.0 : lead == 2 ? -1.0 : 0.0;
}

static double won(const struct learner_game *game, const void *before, const void *after, int seat)
{
    (void)before;
    if (mover(game, after) >= 0)
        return 0.0;
    return (seat == 0 ? 1.0 : -1.0) * points_of_throws(game, after);
}

const struct learner_game throws_game = {
    .name = "throws",
    .seats = {"first", "second"},
    .actions = 3,
    .inputs = 1,
    .decisions_max = 2,
    .state_size = sizeof(struct state),
    .observation_size = sizeof(struct seen),
    .start = start,
    .mover = mover,
    .observe = observe,
    .legal = legal_throws,
    .fill_inputs = fill_inputs,
    .play = throw_hand,
    .reward = won,
    .points = points_of_throws,
    .opponents = 2,
    .opponent_play = programmed,
};
