/* Plays the hands of a session. */
#include "workers/holdem/session.h"

#include "workers/evaluate/statistics/statistics.h"

#include <math.h>
#include <string.h>

/* Memories begin at multiples of this. */
enum { ALIGNMENT = 64 };

struct table {
    const struct poker_session *session;
    const struct strength_tables *tables;
    void *memory[2]; /* of a and b */
    struct poker_tally *tally;
};

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t poker_session_memory(const struct poker_session *session)
{
    size_t size = 0;

    for (int k = 0; k < 2; k++)
        size += aligned(session->player[k].class->memory(&session->player[k]));
    return 2 * size; /* two tables */
}

/* Strengths of both hands, by position, as far as they are known in a round. */
struct view {
    struct strength_board board;
    double strength[2];
    int round;
};

static void look(const struct table *table, const struct holdem_deal *deal, int round,
                 struct view *view)
{
    if (view->round == round)
        return;
    view->round = round;
    view->board = strength_board(table->tables, deal->board, holdem_board_cards(round));
    for (int position = 0; position < 2; position++)
        view->strength[position] = strength_of(table->tables, &view->board, deal->hole[position]);
}

static void count_decision(struct poker_tally *tally, int who, struct holdem_action action)
{
    tally->decisions[who]++;
    tally->raised[who] += action.move == HOLDEM_RAISE;
    tally->folded[who] += action.move == HOLDEM_FOLD;
}

/* Tells both players the end. `seat` is the position of a. */
static void tell_end(const struct table *table, const struct holdem *hand,
                     const struct holdem_deal *deal, int seat, struct view *view)
{
    bool shown = holdem_is_showdown(hand);

    for (int who = 0; who < 2; who++) {
        const struct poker_player *player = &table->session->player[who];
        int position = who == 0 ? seat : 1 - seat;
        struct poker_end end = {.shown = shown, .opponent_folded = hand->folded == 1 - position};
        if (!player->class->end)
            continue;
        if (shown) {
            look(table, deal, HOLDEM_ROUNDS - 1, view);
            end.strength = view->strength[1 - position];
        }
        player->class->end(player, table->memory[who], &end);
    }
}

/* Plays a hand with a at position `seat` and returns the chips that a wins. */
static int play_hand(const struct table *table, uint64_t number, const struct holdem_deal *deal,
                     int seat)
{
    const struct poker_session *session = table->session;
    struct holdem hand = holdem_start();
    struct view view = {.round = -1};
    bool played[2] = {false, false};

    for (int who = 0; who < 2; who++)
        session->player[who].class->deal(&session->player[who], table->memory[who], number,
                                         who == 0 ? seat : 1 - seat);
    while (hand.mover >= 0) {
        int who = hand.mover == seat ? 0 : 1;
        look(table, deal, hand.round, &view);
        const struct poker_scene scene = {.tables = table->tables,
                                          .hand = &hand,
                                          .hole = deal->hole[hand.mover],
                                          .board = &view.board,
                                          .strength = view.strength[hand.mover]};
        const struct poker_player *mover = &session->player[who];
        const struct holdem before = hand;
        struct holdem_action action = mover->class->choose(mover, table->memory[who], &scene);
        if (!holdem_play(&hand, action)) { /* players answer legally; a check is always possible */
            action = (struct holdem_action){HOLDEM_CALL, 0};
            holdem_play(&hand, action);
        }
        count_decision(table->tally, who, action);
        played[who] |= before.round == 0 && action.move != HOLDEM_FOLD &&
                       (action.move == HOLDEM_RAISE || holdem_to_call(&before) > 0);
        for (int k = 0; k < 2; k++)
            if (session->player[k].class->see)
                session->player[k].class->see(&session->player[k], table->memory[k], &before,
                                              action);
    }
    for (int who = 0; who < 2; who++)
        table->tally->played[who] += played[who];
    tell_end(table, &hand, deal, seat, &view);
    int won = holdem_result(&hand, table->tables->hands, deal);
    return seat == 0 ? won : -won;
}

/* Players draw from streams of their own; both tables of a session use the same ones. */
static uint64_t player_seed(const struct poker_session *session, int who)
{
    return session->seed * 2 + (uint64_t)who + (session->number + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static void add_pair(const struct poker_session *session, int hand, int chips,
                     struct poker_tally *tally)
{
    int block = (int)((int64_t)hand * POKER_BLOCKS / session->hands);

    tally->pairs++;
    tally->chips += chips;
    tally->squares += (int64_t)chips * chips;
    tally->block[block] += chips;
    tally->blocks[block]++;
    if (session->every > 0) {
        int after = (int)((int64_t)(hand % session->every) * POKER_AFTER / session->every);
        tally->after[after] += chips;
        tally->afters[after]++;
    }
    for (int who = 0; who < 2; who++)
        tally->hands[who] += 2;
}

/* Plays both tables hand by hand. */
bool poker_session_play(const struct poker_session *session, void *memory, const atomic_bool *stop,
                        struct poker_tally *tally)
{
    enum { LOOK_EVERY = 64 };
    struct poker_tally played = {.pairs = 0};
    struct table table[2];
    unsigned char *at = memory;

    for (int t = 0; t < 2; t++) {
        table[t] = (struct table){session, strength_tables(), {NULL, NULL}, &played};
        for (int who = 0; who < 2; who++) {
            const struct poker_player *player = &session->player[who];
            table[t].memory[who] = at;
            at += aligned(player->class->memory(player));
            player->class->begin(player, table[t].memory[who], player_seed(session, who));
        }
    }
    for (int k = 0; k < session->hands; k++) {
        if (k % LOOK_EVERY == 0 && stop && atomic_load(stop))
            return false;
        const struct holdem_deal deal =
            holdem_deal(session->seed, session->number << 32 | (uint64_t)k);
        int chips = 0;
        for (int t = 0; t < 2; t++)
            chips += play_hand(&table[t], (uint64_t)k, &deal, (k + t) % 2);
        add_pair(session, k, chips, &played);
    }
    poker_tally_add(tally, &played);
    return true;
}

void poker_tally_add(struct poker_tally *tally, const struct poker_tally *more)
{
    int64_t *into = (int64_t *)tally;
    const int64_t *from = (const int64_t *)more;

    _Static_assert(sizeof *tally % sizeof *into == 0, "a tally has only counters");
    for (size_t k = 0; k < sizeof *tally / sizeof *into; k++)
        into[k] += from[k];
}

/* A pair is two hands: chips / 2 a hand, in thousandths of a big blind. */
#define MBB_OF_PAIR (1000.0 / (2.0 * HOLDEM_BIG_BLIND))

double poker_tally_mbb(const struct poker_tally *tally)
{
    return tally->pairs > 0 ? MBB_OF_PAIR * (double)tally->chips / (double)tally->pairs
                            : (double)NAN;
}

double poker_tally_half_width(const struct poker_tally *tally)
{
    double n = (double)tally->pairs, mean = (double)tally->chips / n;

    if (tally->pairs < 2)
        return (double)NAN;
    double variance = ((double)tally->squares / n - mean * mean) * n / (n - 1.0);
    return MBB_OF_PAIR * STATISTICS_Z_95 * sqrt(fmax(variance, 0.0) / n);
}
