/* The best shot of each kind, for answers that show shots that differ. The finalists of a search
 * are often one idea in eight variants. After the search this compares the best shot of every kind
 * with the played one: a kind with a finalist is represented by it, any other kind by its best
 * geometric shot, found in two rounds. Then all of them are valued by the same fresh throws. */
#include "workers/search/rink/rink_search.h"

#include "models/ice/quasi.h"
#include "workers/search/rink/appraise.h"

#include <stdlib.h>

enum {
    SHARE = 6,              /* one throw in so many, */
    BUDGET_LEAST = 400,     /* unless that is too few for a difference to be seen, */
    BUDGET_MOST = 60000,    /* and no more than this */
    FIRST_SAMPLES_MAX = 16, /* of each candidate of the first round */
    LAST_SAMPLES_MAX = 128, /* of each candidate of the second one */
    KEPT = 3,               /* candidates of a kind in the second round */
    COMPARED_MAX = 4096     /* throws of each shot in the comparison */
};

/* 95 % of a normal distribution lie within so many standard deviations. */
#define DEVIATIONS 1.96

int64_t rink_kinds_budget(const struct rink_search *search, int64_t plan)
{
    int64_t budget = plan / SHARE;

    if (!search->query->diverse || search->query->candidates < 2 || budget < BUDGET_LEAST)
        return 0;
    return budget < BUDGET_MOST ? budget : BUDGET_MOST;
}

/* ---- the best of a kind that has no finalist ---- */

struct contest {
    struct judge judge;
    struct judged *list;
    int count, until;
};

static void judge_one(void *context, size_t index, int thread)
{
    struct contest *contest = context;

    (void)thread;
    judge_throw(&contest->judge, &contest->list[index], contest->until);
}

static void judge_contest(struct rink_search *search, struct contest *contest, int64_t budget,
                          int most)
{
    int before = contest->count > 0 ? contest->list[0].samples : 0;
    int64_t each = contest->count > 0 ? budget / contest->count : 0;

    contest->until = each > most ? most : (int)each;
    if (contest->until <= before)
        return;
    int64_t throws = (int64_t)contest->count * (contest->until - before);
    rink_search_run(search, contest->count, judge_one, contest, throws);
    search->used += throws;
}

static int compare_judged(const void *a, const void *b)
{
    const struct judged *p = a, *q = b;
    double difference = judged_mean(q) - judged_mean(p);

    if (p->candidate.kind != q->candidate.kind)
        return p->candidate.kind < q->candidate.kind ? -1 : 1;
    return difference > 0.0 ? 1 : difference < 0.0 ? -1 : 0;
}

/* Keeps the best `most` candidates of each kind. */
static void keep_best(struct contest *contest, int most)
{
    int kept = 0, of_kind = 0;

    qsort(contest->list, (size_t)contest->count, sizeof *contest->list, compare_judged);
    for (int k = 0; k < contest->count; k++) {
        bool is_new =
            k == 0 || contest->list[k].candidate.kind != contest->list[k - 1].candidate.kind;
        of_kind = is_new ? 1 : of_kind + 1;
        if (of_kind <= most)
            contest->list[kept++] = contest->list[k];
    }
    contest->count = kept;
}

/* Fills the list with the geometric shots of the kinds that are not in the set `known`, as many as
 * `budget` can throw twice; of each kind the plainest, which come first. */
static void enter(const struct rink_search *search, unsigned known, int64_t budget,
                  struct contest *contest)
{
    int64_t room[SHOT_KIND_COUNT];
    static _Thread_local struct candidate candidates[CANDIDATES_MAX];
    const struct game *game = search->query->game;
    int count = candidates_generate(search->query->ice, game->rules, &game->position,
                                    search->judge.stone, candidates, CANDIDATES_MAX);

    for (int k = 0; k < SHOT_KIND_COUNT; k++)
        room[k] = known >> k & 1 ? 0 : budget / 2 / SHOT_KIND_COUNT;
    for (int k = 0; k < count; k++)
        if (room[candidates[k].kind]-- > 0)
            contest->list[contest->count++] = (struct judged){.candidate = candidates[k]};
}

/* ---- the comparison ---- */

/* The shots that are compared; finalist NULL: the shot was found here. */
struct shown {
    struct candidate candidate[SHOT_KIND_COUNT];
    const struct judged *finalist[SHOT_KIND_COUNT];
    int count;
};

static void show(struct shown *shown, const struct judged *judged, bool is_finalist)
{
    shown->candidate[shown->count] = judged->candidate;
    shown->finalist[shown->count++] = is_finalist ? judged : NULL;
}

/* Returns what the replies change in the value that is shown, and the variance of that. */
static struct appraised_mean reply_change(const struct rink_search *search,
                                          const struct judged *judged)
{
    struct judged plain = *judged;
    bool for_points = search->settings->objective == OBJECTIVE_SCORE;

    if (judged->replies < 2)
        return (struct appraised_mean){0.0, 0.0};
    plain.replies = 0;
    struct score_distribution after = judged_distribution(judged);
    struct score_distribution before = judged_distribution(&plain);
    const struct objective *objective = &search->judge.objective;
    double change = for_points
                        ? objective_score(&after) - objective_score(&before)
                        : objective_win(objective, &after) - objective_win(objective, &before);
    double m = judged->replies, mean = judged->reply_sum / m;
    double variance = (judged->reply_sum_of_squares - m * mean * mean) / (m - 1.0) / m;
    return (struct appraised_mean){change, variance};
}

/* Writes shot number k of the comparison. `top`: the played shot as the search has judged it. */
static void write_shown(const struct rink_search *search, const struct shown *shown, int k,
                        const struct appraised *appraised, const struct player_candidate *top,
                        int throws, struct player_candidate *ret_candidate)
{
    bool for_points = search->settings->objective == OBJECTIVE_SCORE;
    const struct judged *first = shown->finalist[0], *own = shown->finalist[k];
    const struct appraised_mean less = for_points ? appraised->points_less : appraised->win_less;
    struct appraised_mean change = {0.0, 0.0};

    /* Replies were looked for to both shots: the difference has them, too. */
    if (own && own != first && own->replies > 1 && first->replies > 1) {
        struct appraised_mean a = reply_change(search, first), b = reply_change(search, own);
        change = (struct appraised_mean){b.mean - a.mean, a.error + b.error};
    }
    double difference = change.mean - less.mean;
    double error = sqrt(less.error * less.error + change.error);
    double value = for_points ? appraised->points.mean : appraised->win.mean;
    *ret_candidate = (struct player_candidate){
        .candidate = shown->candidate[k],
        .visits = own ? own->samples : throws,
        .value = value,
        .lower_bound = value - search->settings->caution *
                                   (for_points ? appraised->points.error : appraised->win.error),
        .expected_score =
            top->expected_score + (for_points ? difference : -appraised->points_less.mean),
        .win_probability =
            top->win_probability + (for_points ? -appraised->win_less.mean : difference),
        .prior = NAN,
        .success = appraised->success,
        .difference = difference,
        .difference_error = DEVIATIONS * error,
    };
}

static int compare_shown(const void *a, const void *b)
{
    const struct player_candidate *p = a, *q = b;
    return p->difference > q->difference ? -1 : p->difference < q->difference ? 1 : 0;
}

static bool compare(struct rink_search *search, const struct shown *shown, int64_t budget,
                    struct player_answer *answer)
{
    const struct player_candidate top = answer->candidate[0];
    struct random_key key = search->query->key;
    struct appraised appraised[SHOT_KIND_COUNT];
    int64_t each = budget / shown->count;
    int throws = each > COMPARED_MAX ? COMPARED_MAX : (int)each;
    struct normal_pair *errors = malloc((size_t)throws * sizeof *errors);

    if (!errors)
        return false;
    key.purpose = RANDOM_EXECUTION; /* errors that have influenced no choice */
    quasi_normal_pairs(&key, 0, (size_t)throws, errors);
    struct judge judge = search->judge;
    judge.errors = errors;
    bool good = appraise(&judge, search->threads, search->query, shown->candidate, shown->count,
                         throws, appraised);
    free(errors);
    if (!good)
        return false;
    search->used += (int64_t)shown->count * throws;
    answer->candidate[0].difference = answer->candidate[0].difference_error = 0.0;
    answer->candidate[0].success = appraised[0].success;
    for (int k = 1; k < shown->count; k++)
        write_shown(search, shown, k, &appraised[k], &top, throws, &answer->candidate[k]);
    answer->candidates = shown->count;
    qsort(answer->candidate + 1, (size_t)shown->count - 1, sizeof *answer->candidate,
          compare_shown);
    return true;
}

bool rink_kinds_answer(struct rink_search *search, int64_t budget, struct player_answer *answer)
{
    struct contest contest = {.judge = search->judge,
                              .list = malloc(CANDIDATES_MAX * sizeof *contest.list)};
    struct normal_pair errors[LAST_SAMPLES_MAX];
    struct shown shown = {.count = 0};
    unsigned known = 0;

    _Static_assert((int)SHOT_KIND_COUNT <= (int)PLAYER_CANDIDATES_MAX, "an answer has room");
    if (!contest.list)
        return false;
    for (int k = 0; k < search->count; k++) {
        enum shot_kind kind = search->pool[k].candidate.kind;
        if (!(known >> kind & 1))
            show(&shown, &search->pool[k], true);
        known |= 1u << kind;
    }
    quasi_normal_pairs(&search->key, 0, LAST_SAMPLES_MAX, errors);
    contest.judge.errors = errors;
    enter(search, known, budget / 4, &contest);
    search->used = 0;
    judge_contest(search, &contest, budget / 4, FIRST_SAMPLES_MAX);
    keep_best(&contest, KEPT);
    judge_contest(search, &contest, budget / 4, LAST_SAMPLES_MAX);
    keep_best(&contest, 1);
    for (int k = 0; k < contest.count; k++)
        show(&shown, &contest.list[k], false);
    bool good = compare(search, &shown, budget - search->used, answer);
    free(contest.list);
    answer->simulations += search->used;
    return good;
}
