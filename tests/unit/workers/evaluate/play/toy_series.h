/* Series of one end among three toy players, and the file of records at `path`. */
#ifndef RINKD_TESTS_UNIT_WORKERS_EVALUATE_PLAY_TOY_SERIES_H
#define RINKD_TESTS_UNIT_WORKERS_EVALUATE_PLAY_TOY_SERIES_H

#include "tests/unit/workers/evaluate/play/series_run.h"

/* The series' players, and its cancel flag. */
static struct player three[3];
static atomic_bool cancel;

/* Measures luck, at little cost. */
static const struct luck_setting few_throws = {2, {.by = JUDGE_BY_COUNTING}};

/* Returns a series of pairs of the first `player_count` of them, each scattering more than the one
 * before. `records`: their file, NULL: none. */
static inline struct series series_of(int player_count, int64_t pairs, int threads,
                                      const char *records)
{
    for (int k = 0; k < 3; k++)
        three[k] = toy(0.3 + 0.6 * k);
    atomic_store(&cancel, false);
    return (struct series){
        .setting = toy_setting(1),
        .players = three,
        .player_count = player_count,
        .pairs = pairs,
        .threads = threads,
        .records = records,
        .cancel = &cancel,
    };
}

/* Reads the file of records with record_text.h. */
static inline char *read_file(size_t *ret_length)
{
    return record_text_read(path, ret_length);
}

static inline void write_file(const char *bytes, size_t length)
{
    record_text_write(path, bytes, length);
}

static inline void write_nothing(void)
{
    write_file("", 0);
}

#endif
