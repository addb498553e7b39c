/* Many pairs: all pairings of some players, on several threads. Continues an existing file of
 * records.
 *
 * The pairs have an order: the first pair of each pairing, then the second of each, and so on; the
 * pairings are 0-1, 0-2, … 1-2, …. Threads play pairs in parallel, but the pairs are counted,
 * recorded and reported in this order. So the result, even of a match that stops early, is the same
 * for any number of threads. A match is a series of two players. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_SERIES_H
#define RINKD_WORKERS_EVALUATE_PLAY_SERIES_H

#include "workers/evaluate/play/pair.h"
#include "workers/evaluate/play/record.h"

#include <stddef.h>

enum { SERIES_PLAYERS_MAX = 32 };

struct series {
    struct pair_setting setting;
    const struct player *players; /* player_count of them, 2 … SERIES_PLAYERS_MAX */
    int player_count;
    int64_t pairs;       /* of each pairing, at least 1 */
    int64_t from, count; /* a part of the series: pairs from … from + count - 1; count 0: all */
    int threads;         /* < 1 counts as 1 */
    const char *records; /* path of the file to continue or create; NULL: none */

    /* Ends the series when it becomes true: unfinished pairs are dropped. Any thread may set it;
     * series_run() sets it when the series stops early. */
    atomic_bool *cancel;
    /* Called for each pair in order, also for those from the file (`resumed`), by one thread at a
     * time. False ends the series after this pair. May be NULL. */
    bool (*finished)(void *context, int64_t index, const struct pair_result *result, bool resumed);
    void *context;
};

enum series_status {
    SERIES_OK,
    SERIES_STOPPED,   /* `finished` returned false */
    SERIES_CANCELLED, /* *cancel became true */
    SERIES_FAILED     /* a player, the file of records or memory failed: see the message. If several
                         pairs fail, the first in order is named. */
};

/* Returns the number of pairs of all pairings. */
int64_t series_pairs(const struct series *series);

/* Plays the series, or the part of it, which may have a file of its own. ret_results has room for
 * all its pairs. For any status the first *ret_count are set, and in the file. On SERIES_FAILED
 * ret_error says why (at most `size` bytes with the final 0). */
enum series_status series_run(const struct series *series, struct pair_result *ret_results,
                              int64_t *ret_count, size_t size, char *ret_error);

#endif
