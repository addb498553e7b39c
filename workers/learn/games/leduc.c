/* Leduc hold'em. The board card is dealt with the others and shown in the second round. */
#include "workers/learn/games/learner_game.h"

#include <string.h>

enum { FOLD, CALL, RAISE };
enum { RANKS = 3, DEALS = RANKS * RANKS * RANKS, ROUNDS = 2, RAISES_MAX = 2, ANTE = 1 };
/* One bit for each seat, round, number of raises so far, and call or raise. The number of raises
 * distinguishes calls from checks. */
enum { HISTORY = 2 * ROUNDS * (RAISES_MAX + 1) * 2, NO_CARD = RANKS };

struct state {
    uint8_t card[2], board; /* ranks; the higher one wins, a pair with the board beats all others */
    uint8_t round, raises;  /* raises: of this round, its first bet included */
    uint8_t mover;
    uint8_t acted;        /* whether a seat has decided in this round */
    uint8_t over, folded; /* folded: seat + 1, or 0 */
    uint8_t chips[2];
    uint8_t unused;
    uint32_t history;
};

struct observation {
    uint8_t card, board; /* NO_CARD: not shown yet */
    uint8_t to_call, raises;
    uint32_t history;
};

static double start_number(const struct learner_game *game, int k, void *ret_state)
{
    (void)game;
    struct state s = {.card = {(uint8_t)(k / (RANKS * RANKS)), (uint8_t)(k / RANKS % RANKS)},
                      .board = (uint8_t)(k % RANKS),
                      .chips = {ANTE, ANTE}};
    memcpy(ret_state, &s, sizeof s);
    /* Two cards of each rank among 6, then 5, then 4. */
    int second = 2 - (s.card[1] == s.card[0]);
    int third = 2 - (s.board == s.card[0]) - (s.board == s.card[1]);
    return 2.0 * second * third / (6.0 * 5.0 * 4.0);
}

static int mover(const struct learner_game *game, const void *state)
{
    (void)game;
    const struct state *s = state;
    return s->over ? -1 : s->mover;
}

static double points(const struct learner_game *game, const void *state)
{
    (void)game;
    const struct state *s = state;
    int strength[2];
    if (s->folded)
        return s->folded == 1 ? -s->chips[0] : s->chips[1];
    for (int seat = 0; seat < 2; seat++)
        strength[seat] = s->card[seat] + (s->card[seat] == s->board ? RANKS : 0);
    if (strength[0] == strength[1])
        return 0.0;
    return strength[0] > strength[1] ? s->chips[1] : -s->chips[0];
}

static void observe(const struct learner_game *game, const void *state, void *ret_observation)
{
    (void)game;
    const struct state *s = state;
    struct observation seen = {.card = s->card[s->mover],
                               .board = s->round ? s->board : NO_CARD,
                               .to_call = s->chips[0] != s->chips[1],
                               .raises = s->raises,
                               .history = s->history};
    memcpy(ret_observation, &seen, sizeof seen);
}

static void legal(const struct learner_game *game, const void *observation, bool *ret_legal)
{
    (void)game;
    const struct observation *seen = observation;
    ret_legal[FOLD] = seen->to_call;
    ret_legal[CALL] = true;
    ret_legal[RAISE] = seen->raises < RAISES_MAX;
}

static void fill_inputs(const struct learner_game *game, const void *observation, float *ret_inputs)
{
    const struct observation *seen = observation;
    memset(ret_inputs, 0, (size_t)game->inputs * sizeof *ret_inputs);
    ret_inputs[seen->card] = 1.0f;
    if (seen->board != NO_CARD)
        ret_inputs[RANKS + seen->board] = 1.0f;
    for (int k = 0; k < HISTORY; k++)
        ret_inputs[2 * RANKS + k] = (float)(seen->history >> k & 1);
}

static bool play(const struct learner_game *game, void *state, int action,
                 const struct random_key *key)
{
    (void)game, (void)key;
    struct state *s = state;
    int me = s->mover, other = 1 - me;

    if (action == FOLD) {
        s->folded = (uint8_t)(me + 1);
        s->over = true;
        return true;
    }
    bool first = !s->acted, raised = action == RAISE;
    int bit = ((me * ROUNDS + s->round) * (RAISES_MAX + 1) + s->raises) * 2 + raised;
    s->history |= (uint32_t)1 << bit;
    s->acted = true;
    s->mover = (uint8_t)other;
    if (raised) {
        s->chips[me] = (uint8_t)(s->chips[other] + (s->round ? 4 : 2));
        s->raises++;
        return true;
    }
    bool called = s->chips[me] != s->chips[other];
    s->chips[me] = s->chips[other];
    if (!called && first)
        return true; /* checked: the other seat decides */
    if (s->round + 1 == ROUNDS) {
        s->over = true;
        return true;
    }
    s->round++;
    s->raises = s->acted = s->mover = 0;
    return true;
}

/* Returns the chips that a seat has won so far (negative: paid in), divided by 26, the most in a
 * pot. */
static double worth(const struct learner_game *game, const struct state *s, int seat)
{
    if (s->over)
        return (seat == 0 ? points(game, s) : -points(game, s)) / 26.0;
    return -s->chips[seat] / 26.0;
}

static double reward(const struct learner_game *game, const void *before, const void *after,
                     int seat)
{
    return worth(game, after, seat) - worth(game, before, seat);
}

const struct learner_game leduc_game = {.name = "leduc",
                                        .seats = {"first", "second"},
                                        .actions = 3,
                                        .inputs = 2 * RANKS + HISTORY,
                                        .decisions_max = ROUNDS * (RAISES_MAX + 2),
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
