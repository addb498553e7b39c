/* The regret bench as a whole: the shipped positions with what a referee said of them, and the way
 * this was made. */
#ifndef RINKD_WORKERS_EVALUATE_REGRET_BENCH_H
#define RINKD_WORKERS_EVALUATE_REGRET_BENCH_H

#include "workers/evaluate/regret/regret.h"

struct bench {
    struct situations situations;
    struct refereed *refereed; /* of the first positions, as many as were asked for */
};

/* Opens the shipped bench, share/rinkd/regret or the folder that RINKD_REGRET names, for its first
 * `positions`, and checks that the referee of this build is that of the file. The caller gives it
 * to bench_close(). False: ret_error says why. */
bool bench_open(enum referee_kind kind, int positions, struct bench *ret_bench,
                char ret_error[SITUATIONS_ERROR_MAX]);
void bench_close(struct bench *bench);

struct bench_making {
    enum referee_kind kind;
    const char *with; /* a file of a referee, whose best shots are finalists, too; NULL: none */
    int threads;
    const atomic_bool *cancel;
    void (*progress)(void *context, int64_t done, bool resumed);
    void *context;
};

/* Values the finalists of all positions and adds lines to a file, behind those it has. False:
 * ret_error says why; what was written stays. True after a cancel. */
bool bench_make(const struct bench_making *making, const struct situations *situations,
                const char *path, char ret_error[SITUATIONS_ERROR_MAX]);

#endif
