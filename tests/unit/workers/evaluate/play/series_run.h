/* Runs series into one file of records, for tests of series. */
#ifndef RINKD_TESTS_UNIT_WORKERS_EVALUATE_PLAY_SERIES_RUN_H
#define RINKD_TESTS_UNIT_WORKERS_EVALUATE_PLAY_SERIES_RUN_H

#include "tests/unit/workers/evaluate/play/record_text.h"
#include "tests/unit/workers/evaluate/play/toy_players.h"
#include "workers/evaluate/play/series.h"

#include <unistd.h>

enum { OUTCOME_PAIRS = 400 };

struct outcome {
    enum series_status status;
    int64_t count;
    struct pair_result results[OUTCOME_PAIRS];
    char error[512];
};

/* The file of records; exists from make_path() to remove_path(), fixtures of cmocka. */
static char path[] = "series_test_XXXXXX";

static inline int make_path(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static inline int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static inline void run(const struct series *series, struct outcome *ret_outcome)
{
    memset(ret_outcome, 0, sizeof *ret_outcome);
    assert_true(series_pairs(series) <= OUTCOME_PAIRS);
    ret_outcome->status = series_run(series, ret_outcome->results, &ret_outcome->count,
                                     sizeof ret_outcome->error, ret_outcome->error);
}

static inline void assert_same(const struct outcome *a, const struct outcome *b)
{
    assert_int_equal(a->count, b->count);
    for (int64_t k = 0; k < a->count; k++)
        if (!same_games(&a->results[k], &b->results[k]))
            fail_msg("pair %lld differs", (long long)k);
}

#endif
