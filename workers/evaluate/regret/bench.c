/* Opens and makes the regret bench. See bench.h. */
#include "workers/evaluate/regret/bench.h"

#include "models/networks/end_value.h"
#include "models/networks/weights.h"
#include "workers/pool.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

static bool path_of(const char *name, const char *end, char ret_path[PATH_MAX],
                    char ret_error[SITUATIONS_ERROR_MAX])
{
    char folder[PATH_MAX];

    if (!weights_shared_folder("RINKD_REGRET", "regret", sizeof folder, folder)) {
        snprintf(ret_error, SITUATIONS_ERROR_MAX,
                 "no folder share/rinkd/regret is above this program; RINKD_REGRET can name it");
        return false;
    }
    if (snprintf(ret_path, PATH_MAX, "%s/%s%s.jsonl", folder, name, end) < PATH_MAX)
        return true;
    snprintf(ret_error, SITUATIONS_ERROR_MAX, "the path of the regret bench is too long");
    return false;
}

bool bench_open(enum referee_kind kind, int positions, struct bench *ret_bench,
                char ret_error[SITUATIONS_ERROR_MAX])
{
    char path[PATH_MAX];
    struct bench bench = {.refereed = NULL};

    if (!path_of("positions", "", path, ret_error) ||
        !situations_read(path, &bench.situations, ret_error))
        return false;
    int count = path_of("referee_", job_referee_values[kind], path, ret_error)
                    ? referee_file_read(path, bench.situations.count, &bench.refereed, ret_error)
                    : -1;
    bool good = count >= positions;
    if (count >= 0 && !good)
        snprintf(ret_error, SITUATIONS_ERROR_MAX,
                 "the referee \"%s\" has valued %d positions, not %d", job_referee_values[kind],
                 count, positions);
    good = good && regret_check_referee(kind, &bench.situations, bench.refereed, count, ret_error);
    if (good)
        *ret_bench = bench;
    else
        bench_close(&bench);
    return good;
}

void bench_close(struct bench *bench)
{
    situations_free(&bench->situations);
    free(bench->refereed);
    bench->refereed = NULL;
}

/* ---- making ---- */

struct position_work {
    const struct bench_making *making;
    const struct game *game;
    int number;
    struct refereed *refereed;
    struct pool *pool;
    _Atomic int failed; /* enum player_status */
};

static void look_at_block(void *context, size_t index, int thread)
{
    struct position_work *work = context;
    struct refereed_shot *shot = &work->refereed->finalists[index / REFEREE_BLOCKS];
    const int block = (int)(index % REFEREE_BLOCKS);
    (void)thread;

    enum player_status status =
        referee_look(work->making->kind, work->game, work->number, shot->shot, block,
                     work->making->cancel, &shot->block[block]);
    if (status == PLAYER_OK)
        return;
    atomic_store(&work->failed, (int)status);
    pool_stop(work->pool);
}

static enum player_status make_position(const struct bench_making *making, struct pool *pool,
                                        const struct game *game, int number,
                                        const struct refereed *earlier,
                                        struct refereed *ret_refereed)
{
    struct position_work work = {making, game, number, ret_refereed, pool, PLAYER_OK};
    enum player_status status = referee_finalists(making->kind, game, number, earlier,
                                                  making->threads, making->cancel, ret_refereed);

    if (status != PLAYER_OK)
        return status;
    pool_run(pool, (size_t)ret_refereed->count * REFEREE_BLOCKS, look_at_block, &work);
    return (enum player_status)atomic_load(&work.failed);
}

/* Returns how many positions the file has; 0: there is no file yet. -1: it cannot be continued. */
static int count_lines(const char *path, int most, char ret_error[SITUATIONS_ERROR_MAX])
{
    struct refereed *refereed;
    FILE *file = fopen(path, "r");

    if (!file && errno == ENOENT)
        return 0;
    if (file)
        fclose(file);
    int count = referee_file_read(path, most, &refereed, ret_error);
    if (count >= 0)
        free(refereed);
    return count;
}

bool bench_make(const struct bench_making *making, const struct situations *situations,
                const char *path, char ret_error[SITUATIONS_ERROR_MAX])
{
    struct refereed *earlier = NULL;
    const int with =
        making->with ? referee_file_read(making->with, situations->count, &earlier, ret_error) : 0;
    int from = with < 0 ? -1 : count_lines(path, situations->count, ret_error);
    FILE *out = from >= 0 ? fopen(path, "a") : NULL;
    struct pool *pool = pool_new(making->threads);
    bool good = out && pool;

    if (from >= 0 && !good)
        snprintf(ret_error, SITUATIONS_ERROR_MAX, "%.400s: %s", path, strerror(errno));
    for (int k = from; good && k < situations->count; k++) {
        struct refereed refereed;
        if (making->progress)
            making->progress(making->context, k, k == from);
        enum player_status status = make_position(making, pool, &situations->games[k], k,
                                                  k < with ? &earlier[k] : NULL, &refereed);
        if (atomic_load(making->cancel))
            break;
        good = status == PLAYER_OK && referee_file_write(out, k, &refereed);
        if (!good)
            snprintf(ret_error, SITUATIONS_ERROR_MAX, "position %d: %s", k,
                     status == PLAYER_OK          ? "the line could not be written"
                     : status == PLAYER_NO_MEMORY ? "out of memory"
                                                  : end_value_blame("a player failed"));
    }
    pool_free(pool);
    free(earlier);
    if (out)
        fclose(out);
    return good;
}
