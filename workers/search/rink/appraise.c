/* See appraise.h. A task throws one shot with one batch of errors; sums are made in a fixed order.
 */
#include "workers/search/rink/appraise.h"

#include <assert.h>
#include <stdlib.h>

/* The batch of one shot. */
struct batch {
    float chance[JUDGE_AT_ONCE][OBJECTIVE_SCORES];
    int successes;
};

struct work {
    const struct judge *judge;
    const struct player_query *query;
    const struct candidate *candidates;
    int throws, batches; /* of each shot */
    struct batch *batch; /* [shots][batches] */
    atomic_bool stopped;
};

static int batch_size(const struct work *work, int number)
{
    int left = work->throws - number * JUDGE_AT_ONCE;
    return left < JUDGE_AT_ONCE ? left : JUDGE_AT_ONCE;
}

static void throw_batch(void *context, size_t index, int thread)
{
    struct work *work = context;
    int shot = (int)index / work->batches, number = (int)index % work->batches;
    struct batch *batch = &work->batch[index];

    (void)thread;
    if (work->query && player_is_cancelled(work->query))
        atomic_store(&work->stopped, true);
    if (atomic_load_explicit(&work->stopped, memory_order_relaxed))
        return;
    batch->successes = judge_chances(work->judge, &work->candidates[shot], number * JUDGE_AT_ONCE,
                                     batch_size(work, number), batch->chance);
}

/* Sums of a quantity over throws. */
struct sums {
    double sum, squares;
};

static void sums_add(struct sums *sums, double value)
{
    sums->sum += value;
    sums->squares += value * value;
}

static struct appraised_mean sums_mean(const struct sums *sums, int throws)
{
    double n = throws, mean = sums->sum / n;
    double variance = (sums->squares - n * mean * mean) / (n - 1.0) / n;
    return (struct appraised_mean){mean, variance > 0.0 ? sqrt(variance) : 0.0};
}

/* The chance of winning and the points that the end's scores of a throw are worth. */
static struct vec2 worth_of(const struct judge *judge, const float chance[OBJECTIVE_SCORES])
{
    struct vec2 worth = {0.0, 0.0};

    for (int k = 0; k < OBJECTIVE_SCORES; k++) {
        worth.x += (double)chance[k] * judge->objective.win[k];
        worth.y += (double)chance[k] * (k - OBJECTIVE_ZERO);
    }
    return worth;
}

static void sum_up(const struct work *work, int shot, struct appraised *ret_appraised)
{
    struct sums win = {0.0, 0.0}, points = win, win_less = win, points_less = win;
    struct score_distribution scores = {{0.0}};
    int successes = 0;

    for (int b = 0; b < work->batches; b++) {
        const struct batch *own = &work->batch[shot * work->batches + b], *first = &work->batch[b];
        successes += own->successes;
        for (int k = 0; k < batch_size(work, b); k++) {
            struct vec2 worth = worth_of(work->judge, own->chance[k]);
            struct vec2 best = worth_of(work->judge, first->chance[k]);
            sums_add(&win, worth.x);
            sums_add(&points, worth.y);
            sums_add(&win_less, best.x - worth.x);
            sums_add(&points_less, best.y - worth.y);
            for (int s = 0; s < OBJECTIVE_SCORES; s++)
                scores.p[s] += (double)own->chance[k][s] / work->throws;
        }
    }
    *ret_appraised = (struct appraised){
        .win = sums_mean(&win, work->throws),
        .points = sums_mean(&points, work->throws),
        .win_less = sums_mean(&win_less, work->throws),
        .points_less = sums_mean(&points_less, work->throws),
        .success =
            work->candidates[shot].kind == SHOT_OTHER ? NAN : (double)successes / work->throws,
        .scores = scores,
    };
}

bool appraise(const struct judge *judge, struct pool *threads, const struct player_query *query,
              const struct candidate *candidates, int count, int throws,
              struct appraised *ret_appraised)
{
    int batches = (throws + JUDGE_AT_ONCE - 1) / JUDGE_AT_ONCE;
    struct work work = {.judge = judge,
                        .query = query,
                        .candidates = candidates,
                        .throws = throws,
                        .batches = batches,
                        .batch = calloc((size_t)count * (size_t)batches, sizeof *work.batch)};

    assert(throws >= 2 && throws <= APPRAISE_THROWS_MAX && count > 0);
    if (!work.batch)
        return false;
    pool_run(threads, (size_t)(count * batches), throw_batch, &work);
    bool good = !atomic_load(&work.stopped);
    for (int k = 0; good && k < count; k++)
        sum_up(&work, k, &ret_appraised[k]);
    free(work.batch);
    return good;
}
