/* The strong search: candidates, rounds, limits and the answer. Replies are rink_reply.h's. */
#include "workers/search/rink/rink.h"

#include "api/clock.h"
#include "models/ice/quasi.h"
#include "workers/pool.h"
#include "workers/search/rink/rink_reply.h"

#include <stdlib.h>

enum {
    POOL = 768,    /* candidates at one time */
    FINALISTS = 8, /* candidates in the last round */
    PARENTS = 8,   /* the best ones that are refined */
    REFINING_ROUNDS = 3,
    REPLY_ROUNDS = 3,
    REPLIES_LEAST = 4,       /* to each finalist: fewer say little, and less of how little */
    FIRST_REPLIED_SHOT = 12, /* before it the network is surer than a few replies can be */
    ROUNDS_MAX = 12,
    SAMPLES_MAX = 1 << 16, /* noisy throws of one candidate */
    THROWS_AT_A_TIME = 64, /* between looks at the clock: far below a millisecond */
    ALONE_THROWS = 200,    /* waking another thread costs as much as some dozen */
    FIRST_SAMPLES = 2,
    FIRST_CUT = 3 /* of so many candidates one survives the first samples; later one of two */
};

struct search {
    const struct rink_settings *settings;
    const struct player_query *query;
    struct judge judge;
    struct judged *pool, *ranked; /* the second one is for sorting: fill_ranked() */
    struct normal_pair *errors;
    int count;
    int made; /* errors that are filled in */
    struct random_key key;

    int64_t used;        /* throws */
    int64_t used_before; /* by earlier searches of the same query (think_in_time) */
    const struct player_answer *standing; /* the answer of one of them; NULL: none yet */
    int64_t standing_closeness;           /* of its best candidate */
    double start_s;                       /* of the first of them */
    double deadline_s;                    /* rink_is_over(); not since the start */
    double reported_s;                    /* since the start */
    bool stopped;
    bool has_replies; /* the last search looked for them */
    bool is_full;     /* the last search could not use all it was given: SAMPLES_MAX */

    /* Work shared by the threads of one round. */
    struct pool *threads;
    int until, step; /* samples of a candidate: to get to, and to add at most */
    /* To executions reply_from ... of the first `replied` candidates, reply_each of them. */
    struct rink_reply *replies;
    int replied, reply_from, reply_each;
    int reply_next, reply_end; /* in `replies`: what is looked for now */
};

static double elapsed(const struct search *search)
{
    return clock_now_s() - search->start_s;
}

static bool must_stop(const struct search *search)
{
    return rink_is_over(search->query, search->deadline_s);
}

/* --- threads --- */

/* Brings one candidate to its samples. */
static void judge_one(void *context, size_t index, int thread)
{
    struct search *search = context;
    struct judged *judged = &search->pool[index];
    /* Asking a network takes milliseconds: check the clock after every throw. */
    int most = search->judge.by == JUDGE_BY_ASKING ? 1 : THROWS_AT_A_TIME;
    int until = search->until;
    (void)thread;
    if (until - judged->samples > search->step)
        until = judged->samples + search->step;
    while (judged->samples < until && !must_stop(search)) {
        int left = until - judged->samples;
        judge_throw(&search->judge, judged, judged->samples + (left < most ? left : most));
    }
}

/* Runs `count` tasks of `throws` throws together on all threads, or on this one if they are few. */
static void on_threads(struct search *search, int count, pool_task *task, int64_t throws)
{
    if (throws > ALONE_THROWS)
        pool_run(search->threads, (size_t)count, task, search);
    else
        for (int k = 0; k < count; k++)
            task(search, (size_t)k, 0);
    if (must_stop(search))
        search->stopped = true;
}

/* Of one sample nobody knows how far to trust it: NAN. */
static double bound(const struct search *search, const struct judged *judged)
{
    if (judged->samples < 2)
        return NAN;
    return judged_mean(judged) - search->settings->caution * judged_error(judged);
}

/* What candidates are ranked by: those with one sample by that, after all with more. */
static double merit(const struct search *search, const struct judged *judged)
{
    static const double far = 1e6; /* beyond all that an end can be worth */
    if (judged->samples == 0)
        return -INFINITY;
    return judged->samples == 1 ? judged_mean(judged) - far : bound(search, judged);
}

struct place {
    double merit;
    int index;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->merit != q->merit)
        return p->merit > q->merit ? -1 : 1;
    return p->index - q->index;
}

/* Fills `ranked`: the first `some` candidates, best first; the others stay behind them. Equals stay
 * in the order of their making, so that it is the same everywhere. */
static void fill_ranked(struct search *search, int some)
{
    struct place place[POOL];
    for (int k = 0; k < some; k++)
        place[k] = (struct place){merit(search, &search->pool[k]), k};
    qsort(place, (size_t)some, sizeof *place, compare_places);
    for (int k = 0; k < search->count; k++)
        search->ranked[k] = search->pool[k < some ? place[k].index : k];
}

static void rank(struct search *search, int some)
{
    fill_ranked(search, some);
    struct judged *swap = search->pool;
    search->pool = search->ranked;
    search->ranked = swap;
}

/* --- candidates --- */

static void generate(struct search *search)
{
    static _Thread_local struct candidate candidates[CANDIDATES_MAX];
    const struct game *game = search->query->game;
    int count = candidates_generate(search->query->ice, game->rules, &game->position,
                                    search->judge.stone, candidates, CANDIDATES_MAX);
    search->count = 0;
    for (int k = 0; k < count; k++)
        search->pool[search->count++] = (struct judged){.candidate = candidates[k]};
    for (int k = 0; k < search->settings->proposal_count; k++)
        search->pool[search->count++] =
            (struct judged){.candidate = search->settings->proposals[k]};
}

_Static_assert((int)CANDIDATES_MAX + (int)RINK_PROPOSALS_MAX <= (int)POOL, "both have room");

/* The hand whose errors are tried as refinements: the usual one where the query's does not err. */
static struct noise refining_hand(const struct search *search)
{
    const struct player_query *query = search->query;
    struct noise_covariance spread =
        noise_covariance_at(query->noise, search->pool[0].candidate.shot);

    if (spread.xx > 0.0 || spread.yy > 0.0)
        return *query->noise;
    return noise_default(query->ice, query->ice->noise);
}

/* New candidates around the best ones: what a hand with `size` times the usual error would do. */
static void refine(struct search *search, int round, double size)
{
    int parents = search->count < PARENTS ? search->count : PARENTS;
    struct noise hand = refining_hand(search);
    struct random_key key = search->key;
    key.purpose = RANDOM_CHOICE;

    for (int p = 0; p < parents; p++)
        for (int k = 0; k < search->settings->refined && search->count < POOL; k++) {
            uint64_t sample = ((uint64_t)round * PARENTS + (uint64_t)p) * 64 + (uint64_t)k;
            struct normal_pair error = random_normal_pair(&key, sample);
            struct judged child = {.candidate = search->pool[p].candidate};
            error.z0 *= size;
            error.z1 *= size;
            child.candidate.shot =
                noise_apply(&hand, search->query->ice, child.candidate.shot, error);
            search->pool[search->count++] = child;
        }
}

/* --- the answer --- */

/* From the candidates, best first. `plan`: simulations that give it again, 0: none do. */
static void fill_answer(const struct search *search, const struct judged *ranked, int64_t plan,
                        struct player_answer *ret_answer)
{
    const struct judge *judge = &search->judge;
    int wanted = search->query->candidates;

    ret_answer->shot = ranked->candidate.shot;
    ret_answer->simulations = search->used_before + search->used;
    ret_answer->simulations_to_repeat = plan;
    ret_answer->has_value = ranked->samples > 0;
    ret_answer->distribution = judged_distribution(ranked);
    ret_answer->expected_score = objective_score(&ret_answer->distribution);
    ret_answer->win_probability = objective_win(&judge->objective, &ret_answer->distribution);
    ret_answer->candidates = 0;
    for (int k = 0; k < search->count && k < wanted && k < PLAYER_CANDIDATES_MAX; k++) {
        const struct judged *judged = &ranked[k];
        struct score_distribution d = judged_distribution(judged);
        if (judged->samples == 0)
            break;
        ret_answer->candidate[ret_answer->candidates++] = (struct player_candidate){
            .candidate = judged->candidate,
            .visits = judged->samples,
            .value = judged_mean(judged),
            .lower_bound = bound(search, judged),
            .expected_score = objective_score(&d),
            .win_probability = objective_win(&judge->objective, &d),
            .prior = NAN,
            .success = judged->candidate.kind == SHOT_OTHER
                           ? NAN
                           : (double)judged->successes / judged->samples,
        };
    }
}

/* How closely a candidate was looked at, in throws. */
static int64_t closeness(const struct search *search, const struct judged *judged)
{
    return judged->samples + judged->replies * rink_reply_cost(search->settings);
}

static bool report_is_due(const struct search *search)
{
    return search->query->report && !search->stopped &&
           elapsed(search) - search->reported_s >= search->query->report_interval_s;
}

/* While a search has not looked as closely as the one before it, that one's answer is the best so
 * far. */
static void report(struct search *search, const struct judged *ranked)
{
    struct player_answer so_far = {.candidates = 0};

    if (search->standing && closeness(search, ranked) < search->standing_closeness)
        so_far = *search->standing;
    else
        fill_answer(search, ranked, 0, &so_far);
    so_far.simulations = search->used_before + search->used;
    so_far.simulations_to_repeat = 0;
    so_far.elapsed_s = elapsed(search);
    search->query->report(search->query->context, &so_far);
    search->reported_s = so_far.elapsed_s;
}

/* --- one round --- */

static int64_t samples_of(const struct search *search)
{
    int64_t samples = 0;
    for (int k = 0; k < search->count; k++)
        samples += search->pool[k].samples;
    return samples;
}

/* How large the next piece of a round is, after one of `size` that took took_s (0: the first one),
 * so that reports come in time. Nothing else depends on pieces. */
static int next_size(const struct search *search, int size, double took_s, int least, int most)
{
    double interval_s = search->query->report_interval_s;

    if (!search->query->report)
        return most;
    if (took_s <= 0.0)
        return least;
    if (took_s < interval_s / 8)
        return size < most / 2 ? 2 * size : most;
    if (took_s > interval_s / 2)
        return size / 2 > least ? size / 2 : least;
    return size;
}

static void make_errors(struct search *search, int until)
{
    quasi_normal_pairs(&search->key, (uint32_t)search->made, (size_t)(until - search->made),
                       search->errors + search->made);
    search->made = until;
}

/* Brings every candidate to `until` samples, on all threads. The result of a candidate does not
 * depend on which thread throws it. */
static void judge_all(struct search *search, int until)
{
    if (until > SAMPLES_MAX) {
        until = SAMPLES_MAX;
        search->is_full = true;
    }
    if (until > search->made)
        make_errors(search, until);
    int64_t thrown = samples_of(search), wanted = (int64_t)until * search->count;
    search->until = until;
    double took_s = 0.0;
    while (thrown < wanted && !search->stopped) {
        search->step = next_size(search, search->step, took_s, THROWS_AT_A_TIME, SAMPLES_MAX);
        double start_s = elapsed(search);
        int64_t before = thrown, most = (int64_t)search->step * search->count;
        on_threads(search, search->count, judge_one,
                   wanted - before < most ? wanted - before : most);
        thrown = samples_of(search);
        search->used += thrown - before;
        took_s = elapsed(search) - start_s;
        if (report_is_due(search)) {
            fill_ranked(search, search->count);
            report(search, search->ranked);
        }
    }
}

/* --- finalists by replies --- */

static void find_one_reply(void *context, size_t index, int thread)
{
    struct search *search = context;
    int k = search->reply_next + (int)index;
    (void)thread;
    rink_reply_find(search->settings, search->query, search->deadline_s, &search->judge,
                    &search->pool[k / search->reply_each],
                    search->reply_from + k % search->reply_each, &search->replies[k]);
}

/* Takes in the replies that were looked for. Those of a round that was cut short are not counted:
 * only the candidates that came first would have some. Returns the throws that they took. */
static int64_t count_replies(struct search *search)
{
    int64_t throws = 0;
    for (int k = 0; k < search->replied * search->reply_each; k++) {
        const struct rink_reply *reply = &search->replies[k];
        throws += reply->throws;
        if (reply->found && !search->stopped)
            judge_count_reply(&search->judge, &search->pool[k / search->reply_each], reply->more);
    }
    search->used += throws;
    return throws;
}

/* Looks for the replies of one round. */
static void find_replies(struct search *search)
{
    int all = search->replied * search->reply_each, at_a_time = 0;
    int threads = search->query->limits.threads > 1 ? search->query->limits.threads : 1;
    double took_s = 0.0;

    for (search->reply_next = 0; search->reply_next < all; search->reply_next = search->reply_end) {
        at_a_time = next_size(search, at_a_time, took_s, threads, all);
        search->reply_end =
            all - search->reply_next > at_a_time ? search->reply_next + at_a_time : all;
        double start_s = elapsed(search);
        int count = search->reply_end - search->reply_next;
        on_threads(search, count, find_one_reply, count * rink_reply_cost(search->settings));
        took_s = elapsed(search) - start_s;
        if (report_is_due(search))
            report(search, search->pool);
    }
}

/* The finalists again, halved twice, now by the replies to the same few executions of each. */
static enum player_status judge_by_replies(struct search *search, int64_t budget)
{
    if (search->count > FINALISTS)
        search->count = FINALISTS;
    int samples = search->pool[0].samples; /* all finalists have as many */
    int64_t cost = rink_reply_cost(search->settings), most = (int64_t)search->count * samples;
    if (most > budget / cost)
        most = budget / cost;
    search->replies = malloc((size_t)most * sizeof *search->replies);
    if (!search->replies)
        return PLAYER_NO_MEMORY;
    search->reply_from = 0;
    search->replied = search->count;
    for (int left = REPLY_ROUNDS; left > 0; left--) {
        int64_t each = budget / cost / left / search->replied;
        if (each > samples - search->reply_from)
            each = samples - search->reply_from;
        search->reply_each = (int)each;
        find_replies(search);
        budget -= count_replies(search);
        if (search->stopped)
            break;
        rank(search, search->replied);
        search->reply_from += search->reply_each;
        search->replied = (search->replied + 1) / 2;
    }
    free(search->replies);
    return PLAYER_OK;
}

/* --- the search --- */

/* How many of the candidates go on after a round: never less than the finalists. */
static int survivors(int count, int round)
{
    int cut = round == 0 ? FIRST_CUT : 2, left = (count + cut - 1) / cut;
    return left > FINALISTS ? left : FINALISTS;
}

/* Rounds in which `count` candidates come down to the finalists, the last one included. */
static int rounds_of(int count)
{
    int rounds = 1;
    for (; count > FINALISTS && rounds < ROUNDS_MAX; rounds++)
        count = survivors(count, rounds - 1);
    return rounds;
}

/* The share of the throws that look for replies. There is one reply to an execution of a finalist
 * at most; so that there are enough executions, the halving needs some 20 throws for each reply. */
static double share_of_replies(const struct rink_settings *settings)
{
    double cost = (double)rink_reply_cost(settings);
    return fmin(settings->reply_share, cost / (cost + 20.0));
}

/* Of a plan of throws those that look for replies: none where it is too early or too late in the
 * end for them, or where they would be too few. */
static int64_t replies_of(const struct search *search, int64_t plan)
{
    const struct rink_settings *settings = search->settings;
    int shot = search->query->game->shot;
    int64_t replies = (int64_t)(share_of_replies(settings) * (double)plan);

    if (replies < FINALISTS * REPLY_ROUNDS * REPLIES_LEAST * rink_reply_cost(settings) ||
        shot < FIRST_REPLIED_SHOT || shot + 1 >= search->query->game->rules->shots)
        return 0;
    return replies;
}

/* The smallest plan with replies, where there can be any. */
static int64_t least_with_replies(const struct search *search)
{
    const struct rink_settings *settings = search->settings;
    int64_t needed = FINALISTS * REPLY_ROUNDS * REPLIES_LEAST * rink_reply_cost(settings);
    int64_t plan = (int64_t)((double)needed / share_of_replies(settings));

    while (replies_of(search, plan) == 0) /* rounding */
        plan++;
    return plan;
}

/* Whether the rest of `plan` may well be thrown before the deadline, after the first samples, which
 * took spent_s. These are slower than later ones, but looking for replies is slower, too. */
static bool will_fit(const struct search *search, int64_t plan, double spent_s)
{
    double left_s = search->deadline_s - clock_now_s();
    double rest = (double)(plan - search->used) + (double)replies_of(search, plan);
    return rest * spent_s <= left_s * (double)search->used;
}

/* One search of `plan` throws; `given`: nobody has yet seen to it that there is time for so many.
 * *ret_is_too_long: there is not, and only the first samples were thrown. */
static enum player_status search_once(struct search *search, int64_t plan, bool given,
                                      bool *ret_is_too_long)
{
    const struct rink_settings *settings = search->settings;

    *ret_is_too_long = false;
    search->is_full = search->has_replies = false;
    generate(search);
    if (search->count == 0) { /* nothing can be aimed: throw through the middle */
        struct judged through = {
            .candidate = {.kind = SHOT_THROUGH, .stone = -1, .other_stone = -1}};
        through.candidate.shot.velocity.y = 0.8 * search->query->ice->max_speed;
        search->pool[search->count++] = through;
    }
    int first = FIRST_SAMPLES;
    if (plan < (int64_t)(first + 1) * search->count) {
        /* One throw each, as many for a closer look at the best. With two there would be none, and
         * two that agree look as sure as can be. */
        first = 1;
        if (plan < 2 * (int64_t)search->count)
            search->count = plan > 1 ? (int)(plan / 2) : 1; /* the plainest ones */
    }
    double before = elapsed(search);
    judge_all(search, first);
    rank(search, search->count);
    if (given && !search->stopped && !will_fit(search, plan, elapsed(search) - before)) {
        *ret_is_too_long = true;
        return PLAYER_OK;
    }

    int64_t replies = replies_of(search, plan);
    int64_t budget = plan - replies;

    int rounds = rounds_of(search->count);
    int64_t share = (budget - search->used) / rounds;
    for (int round = 0; round < rounds && !search->stopped; round++) {
        int keep = round + 1 < rounds ? survivors(search->count, round) : FINALISTS;
        if (search->count > keep)
            search->count = keep;
        int reached = search->pool[0].samples; /* all that are kept have as many */
        int64_t spend = round + 1 < rounds ? share : budget - search->used;
        /* What the new ones need to catch up comes out of the same share. */
        if (round < REFINING_ROUNDS && settings->refined > 0) {
            int64_t children = (int64_t)settings->refined * PARENTS;
            if (children * reached < spend / 2)
                refine(search, round, 1.0 / (double)(1 << round));
        }
        int64_t owed = 0;
        for (int k = 0; k < search->count; k++)
            owed += reached - search->pool[k].samples;
        int64_t more = (spend - owed) / search->count;
        if (more < 0)
            more = 0;
        if (more == 0 && owed == 0)
            continue;
        judge_all(search, reached + (int)(more < SAMPLES_MAX ? more : SAMPLES_MAX));
        rank(search, search->count);
    }
    if (replies == 0 || search->stopped)
        return PLAYER_OK;
    search->has_replies = true;
    return judge_by_replies(search, replies);
}

/* Takes the answer of a search, unless it was cut short and an earlier one looked closer. */
static void take_answer(struct search *search, int64_t plan, struct player_answer *ret_answer)
{
    int64_t close = closeness(search, &search->pool[0]);
    if (!search->stopped || !search->standing || close >= search->standing_closeness) {
        *ret_answer = (struct player_answer){.candidates = 0};
        fill_answer(search, search->pool, search->stopped ? 0 : plan, ret_answer);
        search->standing = ret_answer;
        search->standing_closeness = close;
    }
    search->used_before += search->used;
    search->used = 0;
    ret_answer->simulations = search->used_before;
    ret_answer->cancelled = search->stopped && player_is_cancelled(search->query);
}

/* Whether a search of `plan` throws says more than one of `used` that was there before it. */
static bool is_worth_it(int64_t plan, int64_t used)
{
    return plan >= used + used / 4;
}

/* Throws for the next search when one of `used` took spent_s: a small one that finds out how fast
 * it goes, as throws get cheaper the more there are, then a larger one, then what is left. 0: no
 * search that is worth more than the last one. */
static int64_t next_plan(const struct search *search, int64_t used, double spent_s, int searches)
{
    static const double shares[] = {0.05, 0.25, 0.85};
    enum { LAST = sizeof shares / sizeof shares[0] - 1 };
    double left_s = search->deadline_s - clock_now_s();

    if (left_s <= 0.0 || spent_s <= 0.0)
        return 0;
    for (int k = searches < LAST ? searches : LAST; k <= LAST; k++) {
        int64_t plan = (int64_t)fmin(shares[k] * left_s * (double)used / spent_s, 1e12);
        if (!search->has_replies && replies_of(search, plan) > 0) {
            /* Looking for replies takes up to twice the time a throw. Where there may not be so
             * much, rather more throws without; if these say nothing new, it is tried. */
            int64_t least = least_with_replies(search);
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

/* Makes throws of a time limit, `limit` at most (0: any number). Time cannot be planned well,
 * throws can, and a search that was planned can be had again: so there are several, each planned by
 * the one before. */
static enum player_status think_in_time(struct search *search, int64_t limit,
                                        struct player_answer *ret_answer)
{
    int64_t plan = limit > 0 ? limit : INT64_MAX / 2;
    enum player_status status = PLAYER_OK;

    for (int searches = 0;; searches++) {
        bool is_too_long;
        double before_s = clock_now_s();
        status = search_once(search, plan, searches == 0, &is_too_long);
        if (status != PLAYER_OK)
            break;
        int64_t used = search->used;
        double spent_s = clock_now_s() - before_s;
        take_answer(search, is_too_long ? 0 : plan, ret_answer);
        if (search->stopped || search->is_full || (!is_too_long && plan == limit))
            break;
        plan = next_plan(search, used, spent_s, searches);
        int64_t room = limit > 0 ? limit - search->used_before : plan;
        if (plan > room)
            plan = is_worth_it(room, used) ? room : 0;
        if (plan == 0)
            break;
    }
    return status;
}

static enum player_status think_once(struct search *search, int64_t limit,
                                     struct player_answer *ret_answer)
{
    bool is_too_long;
    enum player_status status = search_once(search, limit, false, &is_too_long);
    if (status == PLAYER_OK)
        take_answer(search, limit, ret_answer);
    return status;
}

static void free_search(struct search *search)
{
    free(search->pool);
    free(search->ranked);
    free(search->errors);
    pool_free(search->threads);
}

static struct judge judge_of(const struct rink_settings *settings, const struct player_query *query,
                             const struct normal_pair *errors)
{
    const struct game *game = query->game;
    struct judge judge = {.game = game,
                          .ice = query->ice,
                          .noise = query->noise,
                          .by = settings->value,
                          .network = settings->network,
                          .asked = settings->asked,
                          .asked_context = settings->asked_context,
                          .errors = errors,
                          .stone = rules_stone_of_shot(game->rules, game->shot),
                          .team0_has_hammer = game_team0_has_hammer(game)};
    judge.gote = seat_of_stone(judge.stone) == SEAT_GOTE;
    objective_of_game(game, settings->objective, &judge.objective);
    return judge;
}

struct score_distribution rink_measure(const struct rink_settings *settings,
                                       const struct player_query *query, struct shot shot,
                                       int throws)
{
    struct normal_pair errors[RINK_MEASURED_MAX];
    struct random_key key = query->key;
    struct judged judged = {
        .candidate = {.shot = shot, .kind = SHOT_OTHER, .stone = -1, .other_stone = -1}};

    key.purpose = RANDOM_EXECUTION;
    quasi_normal_pairs(&key, 0, (size_t)throws, errors);
    struct judge judge = judge_of(settings, query, errors);
    judge_throw(&judge, &judged, throws);
    return judged_distribution(&judged);
}

enum player_status rink_choose(const struct rink_settings *settings,
                               const struct player_query *query, struct player_answer *ret_answer)
{
    struct search search = {.settings = settings, .query = query, .key = query->key};

    search.start_s = settings->start_s > 0.0 ? settings->start_s : clock_now_s();
    search.key.purpose = RANDOM_PLANNING;
    int64_t limit = query->limits.simulations;
    double time_s = query->limits.time_s;
    if (limit <= 0 && time_s <= 0.0) {
        limit = settings->time_s > 0.0 ? 0 : settings->simulations;
        time_s = settings->time_s;
    }
    search.deadline_s = time_s > 0.0 ? search.start_s + time_s : settings->stop_s;
    search.pool = malloc(POOL * sizeof *search.pool);
    search.ranked = malloc(POOL * sizeof *search.ranked);
    search.errors = malloc(SAMPLES_MAX * sizeof *search.errors);
    search.judge = judge_of(settings, query, search.errors);
    search.threads = pool_new(query->limits.threads);
    if (!search.pool || !search.ranked || !search.errors || !search.threads) {
        free_search(&search);
        return PLAYER_NO_MEMORY;
    }
    enum player_status status = time_s > 0.0 ? think_in_time(&search, limit, ret_answer)
                                             : think_once(&search, limit, ret_answer);
    free_search(&search);
    return status;
}
