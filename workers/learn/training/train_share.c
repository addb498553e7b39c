/* Works weighted by what a unit of each has cost. */
#include "workers/learn/training/train_share.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

double train_share_times(int64_t iterations, int64_t every)
{
    return every > 0 ? ceil((double)iterations / (double)every) + 1.0 : 0.0;
}

double train_share_times_until(int64_t iterations, int64_t every, int64_t step)
{
    if (every <= 0 || step < 0)
        return 0.0;
    return step >= iterations ? train_share_times(iterations, every)
                              : floor((double)step / (double)every) + 1.0;
}

void train_share_note(struct train_share *share, enum train_work work, double done, double fresh,
                      double seconds)
{
    struct train_amount *amount = &share->work[work];

    amount->done = fmin(done, amount->all);
    amount->timed += fresh;
    amount->spent_s += seconds;
}

static bool is_timed(const struct train_amount *amount)
{
    return amount->timed > 0.0;
}

/* Sets the seconds of a unit of each work. One that this process has not done yet is taken to need
 * as long in all as those that it has done. */
static void find_costs(const struct train_share *share, double ret_costs[TRAIN_WORKS])
{
    double sum_s = 0.0;
    int known = 0;

    for (int k = 0; k < TRAIN_WORKS; k++) {
        const struct train_amount *amount = &share->work[k];
        if (!is_timed(amount))
            continue;
        ret_costs[k] = fmax(amount->spent_s, DBL_EPSILON) / amount->timed;
        sum_s += ret_costs[k] * amount->all;
        known++;
    }
    for (int k = 0; k < TRAIN_WORKS; k++)
        if (!is_timed(&share->work[k]))
            ret_costs[k] = share->work[k].all > 0.0
                               ? (known > 0 ? sum_s / known : 1.0) / share->work[k].all
                               : 0.0;
}

double train_share_tell(struct train_share *share)
{
    const struct train_amount *learning = &share->work[TRAIN_LEARNS];
    double cost[TRAIN_WORKS], done = 0.0, left = 0.0;

    find_costs(share, cost);
    for (int k = 0; k < TRAIN_WORKS; k++) {
        done += cost[k] * share->work[k].done;
        left += cost[k] * (share->work[k].all - share->work[k].done);
    }
    double now = left > 0.0 ? fmin(done / (done + left), 1.0 - DBL_EPSILON) : 1.0;
    /* What precedes all learning says nothing about how long that takes. */
    if (learning->all > 0.0 && learning->done <= 0.0)
        now = 0.0;
    share->told = fmax(share->told, now);
    return share->told;
}

double train_share_left_s(const struct train_share *share)
{
    const struct train_amount *learning = &share->work[TRAIN_LEARNS];
    double cost[TRAIN_WORKS], left_s = 0.0;

    if (!is_timed(learning) && learning->done < learning->all)
        return NAN;
    find_costs(share, cost);
    for (int k = 0; k < TRAIN_WORKS; k++) {
        const struct train_amount *amount = &share->work[k];
        if (amount->done < amount->all && !is_timed(learning) && !is_timed(amount))
            return NAN; /* nothing is known of it */
        left_s += cost[k] * (amount->all - amount->done);
    }
    return left_s;
}
