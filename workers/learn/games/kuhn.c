/* Kuhn poker. */
#include "workers/learn/games/learner_game.h"

#include <string.h>

enum { PASS, BET, CARDS = 3, DEALS = CARDS * (CARDS - 1), MOVES_MAX = 3 };

struct state {
    uint8_t card[2]; /* 0 … 2, the higher wins */
    uint8_t moves;
    uint8_t move[MOVES_MAX]; /* PASS or BET */
};

struct observation {
    uint8_t card;
    uint8_t moves;
    uint8_t move[MOVES_MAX - 1];
};

static bool over(const struct state *s)
{
    if (s->moves < 2)
        return false;
    /* Two equal moves or a pass after a bet end the game; after pass and bet the first seat
     * answers. */
    return s->moves == MOVES_MAX || s->move[0] == s->move[1] || s->move[1] == PASS;
}

static int mover(const struct learner_game *game, const void *state)
{
    (void)game;
    const struct state *s = state;
    return over(s) ? -1 : s->moves & 1;
}

/* Returns a seat's chips in the pot: its ante and its bet. */
static int chips(const struct state *s, int seat)
{
    int sum = 1;
    for (int k = seat; k < s->moves; k += 2)
        sum += s->move[k] == BET;
    return sum;
}

static double points(const struct learner_game *game, const void *state)
{
    (void)game;
    const struct state *s = state;
    int mine = chips(s, 0), theirs = chips(s, 1);
    if (mine != theirs) /* one player folded */
        return mine > theirs ? theirs : -mine;
    return s->card[0] > s->card[1] ? theirs : -mine;
}

static double start_number(const struct learner_game *game, int k, void *ret_state)
{
    (void)game;
    struct state s = {0};
    s.card[0] = (uint8_t)(k / (CARDS - 1));
    int other = k % (CARDS - 1);
    s.card[1] = (uint8_t)(other + (other >= s.card[0]));
    memcpy(ret_state, &s, sizeof s);
    return 1.0 / DEALS;
}

static void observe(const struct learner_game *game, const void *state, void *ret_observation)
{
    (void)game;
    const struct state *s = state;
    struct observation seen = {
        .card = s->card[s->moves & 1], .moves = s->moves, .move = {s->move[0], s->move[1]}};
    memcpy(ret_observation, &seen, sizeof seen);
}

static void legal(const struct learner_game *game, const void *observation, bool *ret_legal)
{
    (void)game, (void)observation;
    ret_legal[PASS] = ret_legal[BET] = true;
}

/* Inputs: the own card; for the second seat the first seat's move; for the first seat whether this
 * is its second decision. */
static void fill_inputs(const struct learner_game *game, const void *observation, float *ret_inputs)
{
    const struct observation *seen = observation;
    memset(ret_inputs, 0, (size_t)game->inputs * sizeof *ret_inputs);
    ret_inputs[seen->card] = 1.0f;
    if (seen->moves == 1)
        ret_inputs[CARDS + seen->move[0]] = 1.0f;
    if (seen->moves == 2)
        ret_inputs[CARDS + 2] = 1.0f;
}

static bool play(const struct learner_game *game, void *state, int action,
                 const struct random_key *key)
{
    (void)game, (void)key;
    struct state *s = state;
    s->move[s->moves++] = (uint8_t)action;
    return true;
}

/* Returns the chips that a seat has won so far (negative: paid in), divided by 3. */
static double worth(const struct learner_game *game, const struct state *s, int seat)
{
    if (over(s))
        return (seat == 0 ? points(game, s) : -points(game, s)) / 3.0;
    return -chips(s, seat) / 3.0;
}

static double reward(const struct learner_game *game, const void *before, const void *after,
                     int seat)
{
    return worth(game, after, seat) - worth(game, before, seat);
}

const struct learner_game kuhn_game = {.name = "kuhn",
                                       .seats = {"first", "second"},
                                       .actions = 2,
                                       .inputs = CARDS + 3,
                                       .decisions_max = MOVES_MAX,
                                       .state_size = sizeof(struct state),
                                       .observation_size = sizeof(struct observation),
                                       .start = learner_start_by_draw,
                                       .mover = mover,
                                       .observe = observe,
                                       .legal = legal,
                                       .fill_inputs = fill_inputs,
                                       .play = play,
                                       .reward = reward,
                                       .points = points,
                                       .starts = DEALS,
                                       .start_number = start_number};
