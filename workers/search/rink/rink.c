/* Turns the limits of a query into searches, and these into the answer. */
#include "workers/search/rink/rink.h"

#include "workers/search/rink/rink_search.h"

/* ---- time ---- */

/* True if the rest of `plan` throws will probably end before the deadline, judging by the throws so
 * far, which took spent_s. */
static bool plan_fits(const struct rink_search *search, int64_t plan, double spent_s)
{
    double left_s = search->deadline_s - clock_now_s();
    /* The first throws are slower than later ones, but throws for replies are slower, too. */
    double rest = (double)(plan - search->used) + (double)rink_finalists_budget(search, plan);
    return rest * spent_s <= left_s * (double)search->used;
}

/* True if a search of `plan` throws is clearly more accurate than an earlier one of `used`. */
static bool is_worth_it(int64_t plan, int64_t used)
{
    return plan >= used + used / 4;
}

/* Returns the throws for the next search, after `searches` + 1 searches; the last one used `used`
 * throws in spent_s, with replies or without. The first plans are small, to measure the speed
 * (throws get cheaper in larger searches); later plans are larger, and the last one takes all the
 * time left. 0: another search would not improve the answer. */
static int64_t next_plan(const struct rink_search *search, int64_t used, double spent_s,
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
             * without replies are better; if those would not improve the answer, replies are tried
             * anyway. */
            int64_t least = rink_finalists_least_plan(search);
            if (plan * 2 / 5 > least)
                return plan * 2 / 5;
            if (plan > least * 9 / 5 || (plan > least * 5 / 4 && !is_worth_it(least - 1, used)))
                return least;
            plan = least - 1;
        }
        if (is_worth_it(plan, used))
            return plan;
    }
    return 0;
}

/* ---- searches ---- */

/* The outcome of one search. */
struct outcome {
    bool is_too_long; /* the plan does not fit: only the first samples were thrown */
    bool had_replies;
};

/* Runs one search of `plan` throws. `is_checked`: the plan is known to fit the time limit. */
static enum player_status search_once(struct rink_search *search, int64_t plan, bool is_checked,
                                      struct outcome *ret_outcome)
{
    double start_s = rink_search_elapsed_s(search);

    *ret_outcome = (struct outcome){.is_too_long = false};
    rink_halving_begin(search, plan);
    if (!is_checked && !search->stopped &&
        !plan_fits(search, plan, rink_search_elapsed_s(search) - start_s)) {
        ret_outcome->is_too_long = true;
        return PLAYER_OK;
    }
    int64_t choice = plan - rink_kinds_budget(search, plan);
    int64_t replies = rink_finalists_budget(search, choice);
    rink_halving_finish(search, choice - replies);
    if (replies == 0 || search->stopped)
        return PLAYER_OK;
    ret_outcome->had_replies = true;
    return rink_finalists_judge(search, replies);
}

/* Takes the answer of a search, unless it was interrupted and an earlier search judged more
 * closely. */
static void take_answer(struct rink_search *search, int64_t plan, struct player_answer *ret_answer)
{
    int64_t closeness = rink_answer_closeness(search, &search->pool[0]);

    if (!search->stopped || !search->standing || closeness >= search->standing_closeness) {
        *ret_answer = (struct player_answer){.candidates = 0};
        rink_answer_prefer_safe(search);
        rink_answer_fill(search, search->pool, search->stopped ? 0 : plan, ret_answer);
        search->standing = ret_answer;
        search->standing_closeness = closeness;
    }
    search->used_before += search->used;
    search->used = 0;
    ret_answer->simulations = search->used_before;
    ret_answer->cancelled = search->stopped && player_is_cancelled(search->query);
    ret_answer->is_full = search->is_full;
}

/* Searches with `limit` throws. With a time limit, turns it into throws, at most `limit` (0: any
 * number). Throws can be planned, and a planned search can be repeated exactly; time cannot. So
 * several searches run, each planned by the speed of the one before. */
static enum player_status think(struct rink_search *search, int64_t limit, bool is_timed,
                                struct player_answer *ret_answer)
{
    int64_t plan = limit > 0 ? limit : INT64_MAX / 2, kinds = 0;
    enum player_status status = PLAYER_OK;

    for (int searches = 0;; searches++) {
        struct outcome outcome;
        double start_s = clock_now_s();
        status = search_once(search, plan, searches > 0 || !is_timed, &outcome);
        if (status != PLAYER_OK)
            break;
        int64_t used = search->used;
        double spent_s = clock_now_s() - start_s;
        take_answer(search, outcome.is_too_long ? 0 : plan, ret_answer);
        kinds = search->stopped || outcome.is_too_long ? 0 : rink_kinds_budget(search, plan);
        if (search->stopped || search->is_full || (!outcome.is_too_long && plan == limit))
            break;
        plan = next_plan(search, used, spent_s, outcome.had_replies, searches);
        int64_t room = limit > 0 ? limit - search->used_before : plan;
        if (plan > room)
            plan = is_worth_it(room, used) ? room : 0;
        if (plan == 0)
            break;
    }
    if (status == PLAYER_OK && kinds > 0 && !rink_kinds_answer(search, kinds, ret_answer))
        ret_answer->simulations_to_repeat = 0; /* another time it may not be cancelled */
    return status;
}

enum player_status rink_choose(const struct rink_settings *settings,
                               const struct player_query *query, struct player_answer *ret_answer)
{
    struct rink_search search;
    int64_t limit = query->limits.simulations;
    double time_s = query->limits.time_s;

    if (settings->time_s > 0.0 && (time_s > 0.0 ? settings->time_s < time_s : limit <= 0))
        time_s = settings->time_s;
    if (time_s > 0.0 && settings->bound > 0 && (limit <= 0 || settings->bound < limit))
        limit = settings->bound;
    else if (time_s <= 0.0 && limit <= 0)
        limit = settings->simulations;
    enum player_status status = rink_search_start(settings, query, &search);
    if (status == PLAYER_OK) {
        search.reply_cost = rink_reply_cost(settings);
        if (time_s > 0.0)
            search.deadline_s = search.start_s + time_s;
        status = think(&search, limit, time_s > 0.0, ret_answer);
    }
    rink_search_free(&search);
    return status;
}
