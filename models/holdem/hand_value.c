/* Makes the tables of hand values: orders all hands of five cards, finds the best one in each set
 * of ranks, and hashes the sets without collisions (row displacement: Tarjan and Yao, "Storing a
 * sparse table", 1979). */
#include "models/holdem/hand_value.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    SETS_MAX = 74000, /* sets of five to seven ranks, at most four of each: 73,775 */
    ROWS = 1 << HAND_ROW_BITS,
    SLOTS = 1 << HAND_SLOT_BITS,
    ROW_MAX = 64
};

/* Number of different hands of each category. */
static const int category_hands[HAND_CATEGORIES] = {1277, 2860, 858, 858, 10, 1277, 156, 156, 10};

struct rank_set {
    uint32_t key, score;
    int cards;
};

/* Only for making the tables. */
static struct making {
    struct rank_set set[SETS_MAX];
    int sets;
    uint32_t order[HAND_VALUES]; /* scores of all hands of five cards, ascending */
    int hands;
    int row_size[ROWS], row_start[ROWS], by_size[ROWS];
    int member[SETS_MAX]; /* sets, row by row */
    bool taken[SLOTS];
} making;

static struct hand_tables tables;

/* ---- scores: a category and up to five ranks, comparable as numbers ---- */

static uint32_t score_of(enum hand_category category, const int *ranks, int count)
{
    uint32_t score = (uint32_t)category;

    for (int k = 0; k < 5; k++)
        score = score << 4 | (uint32_t)(k < count ? ranks[k] : 0);
    return score;
}

/* The highest rank of a straight in a set of ranks, -1: none. An ace is also below the two. */
static int straight_top(unsigned ranks)
{
    unsigned with_low_ace = ranks << 1 | ranks >> (RANKS - 1);

    for (int top = RANKS - 1; top >= 3; top--)
        if ((with_low_ace >> (top - 3) & 31u) == 31u)
            return top;
    return -1;
}

static uint32_t score_flush(unsigned ranks)
{
    int top = straight_top(ranks), five[5], count = 0;

    if (top >= 0)
        return score_of(HAND_STRAIGHT_FLUSH, &top, 1);
    for (int rank = RANKS - 1; rank >= 0 && count < 5; rank--)
        if (ranks >> rank & 1)
            five[count++] = rank;
    return score_of(HAND_FLUSH, five, 5);
}

/* Takes the highest rank that is there at least `least` times; -1: none. */
static int take_rank(int counts[RANKS], int least)
{
    for (int rank = RANKS - 1; rank >= 0; rank--)
        if (counts[rank] >= least) {
            counts[rank] = 0;
            return rank;
        }
    return -1;
}

static int take_kickers(int counts[RANKS], int *ranks, int from)
{
    while (from < 5 && (ranks[from] = take_rank(counts, 1)) >= 0)
        from++;
    return from;
}

/* The best hand without a flush in a set of at least five ranks. */
static uint32_t score_ranks(const int original[RANKS])
{
    int counts[RANKS], ranks[6], top;
    unsigned present = 0;

    memcpy(counts, original, sizeof counts);
    for (int rank = 0; rank < RANKS; rank++)
        present |= (unsigned)(counts[rank] > 0) << rank;
    if ((ranks[0] = take_rank(counts, 4)) >= 0) {
        take_kickers(counts, ranks, 1);
        return score_of(HAND_QUADS, ranks, 2);
    }
    int trips = take_rank(counts, 3), pair = take_rank(counts, 2);
    if (trips >= 0 && pair >= 0)
        return score_of(HAND_FULL_HOUSE, (int[]){trips, pair}, 2);
    if ((top = straight_top(present)) >= 0)
        return score_of(HAND_STRAIGHT, &top, 1);
    ranks[0] = trips >= 0 ? trips : pair;
    if (trips >= 0) {
        take_kickers(counts, ranks, 1);
        return score_of(HAND_TRIPS, ranks, 3);
    }
    if (pair >= 0 && (ranks[1] = take_rank(counts, 2)) >= 0) {
        ranks[2] = take_rank(counts, 1); /* a third pair may be the kicker */
        return score_of(HAND_TWO_PAIRS, ranks, 3);
    }
    take_kickers(counts, ranks, pair >= 0);
    return score_of(pair >= 0 ? HAND_PAIR : HAND_HIGH_CARD, ranks, pair >= 0 ? 4 : 5);
}

/* ---- all sets, in order ---- */

static void list_sets(int counts[RANKS], int rank, int cards, uint32_t key)
{
    static const uint32_t power[RANKS] = {
        1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625};

    if (rank == RANKS) {
        if (cards >= 5)
            making.set[making.sets++] = (struct rank_set){key, score_ranks(counts), cards};
        return;
    }
    for (int count = 0; count <= SUITS && cards + count <= 7; count++) {
        counts[rank] = count;
        list_sets(counts, rank + 1, cards + count, key + (uint32_t)count * power[rank]);
    }
    counts[rank] = 0;
}

static int compare_scores(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

static void order_hands(void)
{
    for (int k = 0; k < making.sets; k++)
        if (making.set[k].cards == 5)
            making.order[making.hands++] = making.set[k].score;
    for (unsigned ranks = 0; ranks < 1u << RANKS; ranks++)
        if (__builtin_popcount(ranks) == 5)
            making.order[making.hands++] = score_flush(ranks);
    assert(making.hands == HAND_VALUES);
    qsort(making.order, HAND_VALUES, sizeof making.order[0], compare_scores);
}

static uint16_t value_of(uint32_t score)
{
    const uint32_t *found =
        bsearch(&score, making.order, HAND_VALUES, sizeof score, compare_scores);

    assert(found);
    return (uint16_t)(found - making.order);
}

/* ---- the hash ---- */

static uint32_t row_of(uint32_t key)
{
    return (uint32_t)(key * tables.multiplier >> (64 - HAND_ROW_BITS));
}

/* Sorts the sets by rows, and the rows by size, largest first. */
static void fill_rows(void)
{
    int next[ROWS], start = 0, place = 0;

    memset(making.row_size, 0, sizeof making.row_size);
    for (int k = 0; k < making.sets; k++)
        making.row_size[row_of(making.set[k].key)]++;
    for (int row = 0; row < ROWS; row++) {
        next[row] = making.row_start[row] = start;
        start += making.row_size[row];
        assert(making.row_size[row] <= ROW_MAX);
    }
    for (int k = 0; k < making.sets; k++)
        making.member[next[row_of(making.set[k].key)]++] = k;
    for (int size = ROW_MAX; size >= 0; size--)
        for (int row = 0; row < ROWS; row++)
            if (making.row_size[row] == size)
                making.by_size[place++] = row;
}

/* Places the sets of a row under its present shift. False, and no change: a slot is taken. */
static bool place_row(int row)
{
    const int *member = &making.member[making.row_start[row]];
    uint32_t slot[ROW_MAX];

    for (int k = 0; k < making.row_size[row]; k++) {
        slot[k] = hand_slot(&tables, making.set[member[k]].key);
        if (making.taken[slot[k]]) {
            while (k-- > 0)
                making.taken[slot[k]] = false;
            return false;
        }
        making.taken[slot[k]] = true;
    }
    for (int k = 0; k < making.row_size[row]; k++)
        tables.by_ranks[slot[k]] = value_of(making.set[member[k]].score);
    return true;
}

/* False: two sets of a row share a slot whatever its shift, or no shift fits. */
static bool place_all(void)
{
    fill_rows();
    memset(making.taken, 0, sizeof making.taken);
    memset(tables.shift, 0, sizeof tables.shift);
    for (int k = 0; k < ROWS; k++) {
        uint32_t *shift = &tables.shift[making.by_size[k]];
        while (!place_row(making.by_size[k]))
            if (++*shift == SLOTS)
                return false;
    }
    return true;
}

static void make_tables(void)
{
    int counts[RANKS] = {0};
    uint64_t power = 1;

    for (int rank = 0; rank < RANKS; rank++, power *= 5)
        for (int suit = 0; suit < SUITS; suit++)
            tables.card_key[SUITS * rank + suit] = power + (UINT64_C(1) << (32 + 4 * suit));
    list_sets(counts, 0, 0, 0);
    order_hands();
    tables.multiplier = UINT64_C(0x9e3779b97f4a7c15); /* odd; any that fits will do */
    while (!place_all())
        tables.multiplier += UINT64_C(0x3c6ef372fe94f82a);
    for (unsigned ranks = 0; ranks < 1u << RANKS; ranks++)
        if (__builtin_popcount(ranks) >= 5)
            tables.by_flush[ranks] = value_of(score_flush(ranks));
}

const struct hand_tables *hand_tables(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_tables);
    return &tables;
}

enum hand_category hand_category(int value)
{
    int category = 0;

    while (value >= category_hands[category])
        value -= category_hands[category++];
    return (enum hand_category)category;
}
