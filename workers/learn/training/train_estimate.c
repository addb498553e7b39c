/* Trial steps and trial judging, extrapolated to the plan. */
#include "workers/learn/training/train_estimate.h"

#include "api/base/clock.h"
#include "workers/learn/training/train_game.h"
#include "workers/learn/training/train_judge.h"
#include "workers/learn/training/train_share.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#define LEARN_S   1.0 /* duration of the measurement */
#define WARM_UP_S 3.0 /* before it, at most */

enum {
    JUDGE_S = 2,    /* for matches, at most */
    MEASURE_S = 15, /* for exploitability, at most: one end against each responder takes long */
    ENTRIES = 64,
    PAIRS = 4
};

/* ---- learning ---- */

/* Steps the learner until `until_s` or, if `waits`, until the first update. */
static enum train_status learn(struct learner *learner, double until_s, bool waits, char *ret_error)
{
    while (clock_now_s() < until_s && (!waits || learner_report_of(learner).updates == 0))
        if (!learner->class->step(learner, ret_error))
            return learner_has_diverged(learner) ? TRAIN_DIVERGED : TRAIN_FAILED;
    return TRAIN_OK;
}

static enum train_status measure_learning(struct learner *learner, int decisions, double *ret_speed,
                                          char *ret_error)
{
    enum train_status status = learn(learner, clock_now_s() + WARM_UP_S, true, ret_error);
    if (status != TRAIN_OK)
        return status;
    double start_s = clock_now_s();
    const struct learner_report before = learner_report_of(learner);
    status = learn(learner, start_s + LEARN_S, false, ret_error);
    if (status != TRAIN_OK)
        return status;
    /* At least one step is done. Ends finish in bunches, decisions do not. */
    const struct learner_report after = learner_report_of(learner);
    double ends = after.work > 0.0 ? after.work - before.work
                  : decisions > 0  ? (double)(after.decisions - before.decisions) / decisions
                                   : (double)(after.games - before.games);
    *ret_speed = ends / (clock_now_s() - start_s);
    return TRAIN_OK;
}

/* ---- judging ---- */

/* Static: the timer's function may run a little longer than the timer. */
static atomic_bool time_is_up;
static _Atomic double until_s;

static void on_time(union sigval unused)
{
    (void)unused;
    if (clock_now_s() >= atomic_load(&until_s)) /* not a late call for an earlier timer */
        atomic_store(&time_is_up, true);
}

/* Measures the seconds that judging takes, or takes those that it says; NAN: more than `most_s`. */
static enum train_status time_judging(train_judge_function *judge_by, int most_s,
                                      const struct train_plan *plan, const struct train_game *game,
                                      const struct learner *learner, double *ret_s, char *ret_error)
{
    const struct train_judge judge = {.plan = plan, .game = game, .run = "", .stop = &time_is_up};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_time};
    const struct itimerspec limit = {.it_value.tv_sec = most_s};
    json_t *points = NULL;
    double start_s = clock_now_s();
    timer_t timer;

    atomic_store(&until_s, start_s + most_s);
    atomic_store(&time_is_up, false);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        return train_fail(ret_error, TRAIN_FAILED, "cannot start a timer");
    timer_settime(timer, 0, &limit, NULL);
    enum train_status status = judge_by(&judge, learner, &points, ret_error);
    timer_delete(timer);
    const json_t *said = json_object_get(points, "seconds");
    *ret_s = status != TRAIN_OK ? NAN : said ? json_real_value(said) : clock_now_s() - start_s;
    json_decref(points);
    return status == TRAIN_STOPPED ? TRAIN_OK : status;
}

/* Estimates the seconds that judging takes in one run. */
static enum train_status measure_judging(const struct train_plan *plan,
                                         const struct train_game *game,
                                         const struct learner *learner, double *ret_matches_s,
                                         double *ret_measures_s, char *ret_error)
{
    const double matches = train_share_times(plan->iterations, plan->evaluate_every),
                 measures = train_share_times(plan->iterations, plan->exploitability_every);
    double one = 0.0, more = 0.0, measure_s = 0.0;
    struct train_plan small = *plan;
    enum train_status status = TRAIN_OK;

    if (matches > 0.0) {
        small.evaluate_pairs = 1;
        status =
            time_judging(train_judge_evaluate, JUDGE_S, &small, game, learner, &one, ret_error);
        small.evaluate_pairs = 1 + PAIRS;
        if (status == TRAIN_OK && !isnan(one))
            status = time_judging(train_judge_evaluate, JUDGE_S, &small, game, learner, &more,
                                  ret_error);
    }
    if (status == TRAIN_OK && measures > 0.0)
        status = time_judging(train_judge_try_measure, MEASURE_S, plan, game, learner, &measure_s,
                              ret_error);
    double a_pair = more > one ? (more - one) / PAIRS : isnan(more) ? NAN : 0.0;
    *ret_matches_s = matches * (one + a_pair * (double)(plan->evaluate_pairs - 1));
    *ret_measures_s = measures * measure_s;
    return status;
}

/* ---- both ---- */

/* Returns the plan's hyper-parameters with a shorter warm-up. */
static struct learner_hyper hasten(const struct train_plan *plan,
                                   struct learner_number numbers[TRAIN_NUMBERS_MAX])
{
    for (int k = 0; k < plan->hyper.count; k++) {
        numbers[k] = plan->hyper.numbers[k];
        if (strcmp(numbers[k].name, "warm_up") == 0 && numbers[k].value > ENTRIES)
            numbers[k].value = ENTRIES;
    }
    return (struct learner_hyper){numbers, plan->hyper.count};
}

enum train_status train_estimate(const struct train_plan *plan, struct train_estimate *ret_estimate,
                                 char ret_error[TRAIN_ERROR_MAX])
{
    struct learner_number numbers[TRAIN_NUMBERS_MAX];
    const struct learner_hyper hyper = hasten(plan, numbers);
    struct train_game game;
    double speed = 0.0, matches_s = 0.0, measures_s = 0.0;

    enum train_status status = train_game_make(plan, &game, ret_error);
    if (status != TRAIN_OK)
        return status;
    const struct learner_common common = {.network = game.network,
                                          .device = plan->device,
                                          .threads = plan->threads,
                                          .seed = plan->seed[0]};
    struct learner *learner = plan->class->make(plan->class, game.game, &common, &hyper, ret_error);
    status = learner ? measure_learning(learner, game.game->decisions_max, &speed, ret_error)
                     : TRAIN_BAD_SPEC;
    if (status == TRAIN_OK && game.rules)
        status = measure_judging(plan, &game, learner, &matches_s, &measures_s, ret_error);
    if (status == TRAIN_OK)
        *ret_estimate = (struct train_estimate){.ends_per_s = speed,
                                                .learn_s = (double)plan->seeds *
                                                           (double)plan->iterations / speed,
                                                .matches_s = (double)plan->seeds * matches_s,
                                                .measures_s = (double)plan->seeds * measures_s};
    learner_free(learner);
    train_game_free(&game);
    return status;
}
