/* Planning a time limit. */
#include "workers/search/rink/rink_time.h"

#include "workers/search/rink/rink_finalists.h"

bool rink_time_fits(const struct rink_search *search, int64_t plan, double spent_s)
{
    double left_s = search->deadline_s - clock_now_s();
    /* First throws are slower than later ones, but throws for replies are slower, too. */
    double rest = (double)(plan - search->used) + (double)rink_finalists_budget(search, plan);
    return rest * spent_s <= left_s * (double)search->used;
}

bool rink_time_is_worth_it(int64_t plan, int64_t used)
{
    return plan >= used + used / 4;
}

int64_t rink_time_next_plan(const struct rink_search *search, int64_t used, double spent_s,
                            bool had_replies, int searches)
{
    static const double shares[] = {0.05, 0.25, 0.85};
    enum { LAST = sizeof shares / sizeof shares[0] - 1 };
    double left_s = search->deadline_s - clock_now_s();

    if (left_s <= 0.0 || spent_s <= 0.0)
        return 0;
    for (int k = searches < LAST ? searches : LAST; k <= LAST; k++) {
        int64_t plan = (int64_t)fmin(shares[k] * left_s * (double)used / spent_s, 1e12);
        if (!had_replies && rink_finalists_budget(search, plan) > 0) {
            /* A throw for a reply takes up to twice the time. Where that may not fit, more throws
             * without replies are better; if those tell nothing new, replies are tried anyway. */
            int64_t least = rink_finalists_least_plan(search);
            if (plan * 2 / 5 > least)
                return plan * 2 / 5;
            if (plan > least * 9 / 5 ||
                (plan > least * 5 / 4 && !rink_time_is_worth_it(least - 1, used)))
                return least;
            plan = least - 1;
        }
        if (rink_time_is_worth_it(plan, used))
            return plan;
    }
    return 0;
}
