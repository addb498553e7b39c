/* Makes the tables of strength by counting random hands; whole numbers only, so the tables are the
 * same on every machine. */
#include "models/holdem/strength.h"

#include <math.h>
#include <pthread.h>

enum {
    DEALS = 200000,    /* for the tables of later rounds; two hands each */
    KIND_DEALS = 1500, /* against each of the 169 kinds */
    SEED = 1755
};

static struct strength_tables tables;

int strength_kind(const uint8_t hole[HOLDEM_HOLE])
{
    int a = card_rank(hole[0]), b = card_rank(hole[1]), high = a > b ? a : b, low = a > b ? b : a;
    bool suited = card_suit(hole[0]) == card_suit(hole[1]);

    return suited ? RANKS * high + low : RANKS * low + high;
}

struct strength_board strength_board(const struct strength_tables *t, const uint8_t *board,
                                     int cards)
{
    struct strength_board made = {.hand = HAND_EMPTY, .cards = cards};
    int suits[SUITS] = {0}, equal = 0, most = 0;

    for (int k = 0; k < cards; k++) {
        made.hand = hand_add(t->hands, made.hand, board[k]);
        int suit = ++suits[card_suit(board[k])];
        most = suit > most ? suit : most;
        for (int j = 0; j < k; j++)
            equal += card_rank(board[j]) == card_rank(board[k]);
    }
    /* Equal pairs of cards: 1 a pair, 2 two pairs, 3 three of a kind, more a full house or four. */
    made.kind = 2 * (equal < 3 ? equal : 3) + (most >= 3);
    return made;
}

double strength_of(const struct strength_tables *t, const struct strength_board *board,
                   const uint8_t hole[HOLDEM_HOLE])
{
    if (board->cards < 3)
        return (double)t->before_flop[strength_kind(hole)];
    struct hand hand = hand_add(t->hands, hand_add(t->hands, board->hand, hole[0]), hole[1]);
    return t->later[board->cards - 3][board->kind][hand_value(t->hands, hand)] / 65535.0;
}

struct strength_chances strength_chances(const struct strength_board *board, struct hand hand)
{
    static const double pairs[] = {0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0};
    unsigned ranks = 0;
    int suited = 0, connected = 0;

    for (int suit = 0; suit < SUITS; suit++) {
        unsigned cards = (unsigned)(hand.mask >> 16 * suit) & ((1u << RANKS) - 1);
        int count = __builtin_popcount(cards);
        suited = count > suited ? count : suited;
        ranks |= cards;
    }
    ranks = ranks << 1 | ranks >> (RANKS - 1);
    for (int low = 0; low <= RANKS - 4; low++) {
        int count = __builtin_popcount(ranks >> low & 31u);
        connected = count > connected ? count : connected;
    }
    return (struct strength_chances){.flush = fmin(fmax(suited - 2, 0.0) / 3.0, 1.0),
                                     .straight = fmin(fmax(connected - 2, 0.0) / 3.0, 1.0),
                                     .pairs = pairs[board->kind / 2]};
}

/* ---- making them ---- */

static void make_later(void)
{
    static uint32_t count[3][STRENGTH_BOARDS][HAND_VALUES];

    for (int k = 0; k < DEALS; k++) {
        const struct holdem_deal deal = holdem_deal(SEED, (uint64_t)k);
        for (int round = 0; round < 3; round++) {
            const struct strength_board board = strength_board(&tables, deal.board, 3 + round);
            for (int seat = 0; seat < 2; seat++) {
                struct hand hand = hand_add(tables.hands, board.hand, deal.hole[seat][0]);
                hand = hand_add(tables.hands, hand, deal.hole[seat][1]);
                count[round][board.kind][hand_value(tables.hands, hand)]++;
            }
        }
    }
    for (int round = 0; round < 3; round++)
        for (int kind = 0; kind < STRENGTH_BOARDS; kind++) {
            uint64_t total = 0, below = 0;
            for (int value = 0; value < HAND_VALUES; value++)
                total += count[round][kind][value];
            for (int value = 0; value < HAND_VALUES && total > 0; value++) {
                uint64_t here = count[round][kind][value];
                tables.later[round][kind][value] =
                    (uint16_t)((2 * below + here) * 65535 / (2 * total));
                below += here;
            }
        }
}

/* Twice the number of random deals that a kind wins. */
static int wins_of(int kind)
{
    int high = kind / RANKS, low = kind % RANKS, wins = 0;
    bool suited = high > low;
    const int hole[HOLDEM_HOLE] = {SUITS * high, SUITS * low + !suited};

    for (int k = 0, dealt = 0; dealt < KIND_DEALS; k++) {
        const struct holdem_deal deal = holdem_deal(SEED + 1, (uint64_t)k);
        struct hand board = HAND_EMPTY, own, other;
        for (int j = 0; j < HOLDEM_BOARD; j++)
            board = hand_add(tables.hands, board, deal.board[j]);
        other =
            hand_add(tables.hands, hand_add(tables.hands, board, deal.hole[0][0]), deal.hole[0][1]);
        own = hand_add(tables.hands, hand_add(tables.hands, HAND_EMPTY, hole[0]), hole[1]);
        if (own.mask & other.mask)
            continue;
        int a = hand_value(tables.hands, hand_join(board, own)),
            b = hand_value(tables.hands, other);
        wins += (a > b) + (a >= b);
        dealt++;
    }
    return wins;
}

static void make_before_flop(void)
{
    int wins[STRENGTH_KINDS], hands[STRENGTH_KINDS];

    for (int kind = 0; kind < STRENGTH_KINDS; kind++) {
        int high = kind / RANKS, low = kind % RANKS;
        wins[kind] = wins_of(kind);
        hands[kind] = high == low ? 6 : high > low ? 4 : 12;
    }
    for (int kind = 0; kind < STRENGTH_KINDS; kind++) {
        int below = 0;
        for (int other = 0; other < STRENGTH_KINDS; other++)
            below += hands[other] * ((wins[other] < wins[kind]) + (wins[other] <= wins[kind]));
        tables.before_flop[kind] = (float)below / (2.0f * 1326.0f);
    }
}

static void make_tables(void)
{
    tables.hands = hand_tables();
    make_before_flop();
    make_later();
}

const struct strength_tables *strength_tables(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_tables);
    return &tables;
}
