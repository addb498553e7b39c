/* Line curling as a game for learners. */
#include "workers/learn/games/line_learner.h"

#include <string.h>

struct state {
    int16_t line; /* as in line_play() */
    uint16_t shot;
};

static void start(const struct learner_game *game, const struct random_key *key, void *ret_state)
{
    (void)key;
    memset(ret_state, 0, game->state_size);
}

static int mover(const struct learner_game *game, const void *state)
{
    const struct state *s = state;
    return s->shot == game->decisions_max ? -1 : s->shot & 1;
}

static void observe(const struct learner_game *game, const void *state, void *ret_observation)
{
    memcpy(ret_observation, state, game->observation_size);
}

static void legal(const struct learner_game *game, const void *observation, bool *ret_legal)
{
    (void)observation;
    for (int a = 0; a < game->actions; a++)
        ret_legal[a] = true;
}

/* Inputs: stones of the mover, stones of the opponent, number of the shot. */
static void fill_inputs(const struct learner_game *game, const void *observation, float *ret_inputs)
{
    const struct state *s = observation;
    memset(ret_inputs, 0, (size_t)game->inputs * sizeof *ret_inputs);
    for (int cell = 0, rest = s->line; cell < LINE_CELLS; cell++, rest /= 3)
        if (rest % 3)
            ret_inputs[cell + (rest % 3 - 1 == (s->shot & 1) ? 0 : LINE_CELLS)] = 1.0f;
    ret_inputs[2 * LINE_CELLS + s->shot] = 1.0f;
}

static int slip_of(const struct random_key *key)
{
    struct random_key hand = *key;
    hand.purpose = RANDOM_EXECUTION;
    double rest = random_uniform(&hand, 0);
    int slip = 0;
    while (slip + 1 < LINE_SLIPS && rest >= line_slip_probability[slip])
        rest -= line_slip_probability[slip++];
    return slip;
}

static bool play(const struct learner_game *game, void *state, int action,
                 const struct random_key *key)
{
    (void)game;
    struct state *s = state;
    s->line = (int16_t)line_play(s->line, seat_of_stone(s->shot), action, slip_of(key));
    s->shot++;
    return true;
}

/* Sets draw or hit, and the cell, which may be off the line. */
static void deed(const struct learner_game *game, int action, const struct random_key *key,
                 struct learner_deed *ret_deed)
{
    (void)game;
    *ret_deed = (struct learner_deed){
        {action / LINE_CELLS, action % LINE_CELLS + slip_of(key) - LINE_SLIPS / 2}};
}

static double likelihood(const struct learner_game *game, int action,
                         const struct learner_deed *deed)
{
    (void)game;
    int slip = (int)deed->at[1] - action % LINE_CELLS + LINE_SLIPS / 2;
    if (action / LINE_CELLS != (int)deed->at[0] || slip < 0 || slip >= LINE_SLIPS)
        return 0.0;
    return line_slip_probability[slip];
}

static double points(const struct learner_game *game, const void *state)
{
    (void)game;
    return line_score(((const struct state *)state)->line);
}

static double reward(const struct learner_game *game, const void *before, const void *after,
                     int seat)
{
    (void)before;
    if (mover(game, after) >= 0)
        return 0.0;
    return (seat == 0 ? 0.5 : -0.5) * points(game, after);
}

#define GAME(stones)                                                                  \
    {                                                                                 \
        .name = "line", .seats = {"sente", "gote"}, .actions = LINE_ACTIONS,          \
        .inputs = 2 * LINE_CELLS + 2 * (stones), .decisions_max = 2 * (stones),       \
        .state_size = sizeof(struct state), .observation_size = sizeof(struct state), \
        .start = start, .mover = mover, .observe = observe, .legal = legal,           \
        .fill_inputs = fill_inputs, .play = play, .reward = reward, .points = points, \
        .deed = deed, .likelihood = likelihood                                        \
    }

const struct learner_game *line_learner_game(int stones)
{
    static const struct learner_game games[LINE_STONES_MAX] = {GAME(1), GAME(2), GAME(3), GAME(4)};
    return &games[stones - 1];
}

struct asked {
    learner_policy *policy;
    void *context;
};

static void ask(void *context, int shot, int state, double ret_p[LINE_ACTIONS])
{
    const struct asked *asked = context;
    struct state seen = {.line = (int16_t)state, .shot = (uint16_t)shot};
    asked->policy(asked->context, shot & 1, &seen, ret_p);
}

enum exploitability_status line_learner_exploitability(const struct learner_game *game,
                                                       learner_policy *policy, void *context,
                                                       double ret_exploitability[2])
{
    struct asked asked = {policy, context};
    double e[2];
    for (int seat = 0; seat < 2; seat++) {
        enum exploitability_status status =
            line_exploitability(game->decisions_max / 2, seat ? SEAT_GOTE : SEAT_SENTE,
                                (struct line_side){ask, &asked}, &e[seat]);
        if (status != EXPLOITABILITY_OK)
            return status;
    }
    memcpy(ret_exploitability, e, sizeof e);
    return EXPLOITABILITY_OK;
}
