/* A session: hands between two players, each played twice with swapped positions. The two tables of
 * a session are independent: each player has a memory for each, so it learns twice. All results are
 * whole chips, and sums of them do not depend on their order. */
#ifndef RINKD_WORKERS_HOLDEM_SESSION_H
#define RINKD_WORKERS_HOLDEM_SESSION_H

#include "workers/holdem/player.h"

#include <stdatomic.h>

enum { POKER_BLOCKS = 40, POKER_AFTER = 20 };

/* What happened in sessions; sums over pairs of hands, of both hands. */
struct poker_tally {
    int64_t pairs;
    int64_t chips, squares;         /* that a wins in a pair, and squares of that */
    int64_t block[POKER_BLOCKS];    /* chips by the number of the hand in its session */
    int64_t after[POKER_AFTER];     /* chips by the number of the hand since the last switch */
    int64_t blocks[POKER_BLOCKS];   /* pairs in each block */
    int64_t afters[POKER_AFTER];    /* pairs in each part */
    int64_t hands[2], decisions[2]; /* of each player: hands with a decision before the flop */
    int64_t played[2];              /* hands in which the player put chips in by its own will */
    int64_t raised[2], folded[2];   /* decisions */
};

struct poker_session {
    struct poker_player player[2]; /* a, b */
    uint64_t seed, number;         /* of the session */
    int hands;                     /* pairs */
    int every;                     /* pairs between switches; 0: nobody switches */
};

/* Bytes of memory that a session needs. */
size_t poker_session_memory(const struct poker_session *session);

/* Plays a session and adds it to the tally. False: `stop` was set (may be NULL); the tally is then
 * unchanged. */
bool poker_session_play(const struct poker_session *session, void *memory, const atomic_bool *stop,
                        struct poker_tally *tally);

void poker_tally_add(struct poker_tally *tally, const struct poker_tally *more);

/* Thousandths of a big blind a hand that a wins. */
double poker_tally_mbb(const struct poker_tally *tally);
/* Half of the width of its 95 % interval over pairs. NAN: fewer than two pairs. */
double poker_tally_half_width(const struct poker_tally *tally);

#endif
