/* The strong search: candidates, rounds, limits and the answer. Replies are rink_reply.h's. */
#include "workers/search/rink.h"

#include "api/clock.h"
#include "models/ice/quasi.h"
#include "workers/search/rink_reply.h"

#include <pthread.h>
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
    THROWS_AT_A_TIME = 64, /* between looks at the clock: far below a millisecond, 10 ms with
                            * value=policy */
    FIRST_SAMPLES = 2,
    FIRST_CUT = 3 /* of so many candidates one survives the first samples; later one of two */
};

struct search {
    const struct rink_settings *settings;
    const struct player_query *query;
    struct judge judge;
    struct judged *pool, *ranked; /* the second one is for sorting */
    struct normal_pair *errors;
    int count;
    int made; /* errors that are filled in */
    struct random_key key;

    int64_t used;    /* throws */
    int64_t budget;  /* throws; 0 while a time limit has not been turned into one */
    int64_t planned; /* the budget that a time limit was turned into; 0: it was given */
    double start_s;
    double deadline_s; /* rink_is_over(); not since the start */
    double reported_s; /* since the start */
    bool stopped;

    /* Work shared by the threads of one round. */
    atomic_int next;
    int until;
    /* To executions reply_from ... of the first `replied` candidates, reply_each of them. */
    struct rink_reply *replies;
    int replied, reply_from, reply_each;
};

static double elapsed(const struct search *search)
{
    return clock_now_s() - search->start_s;
}

static bool must_stop(const struct search *search)
{
    return rink_is_over(search->query, search->deadline_s);
}

/* --- one round --- */

static void *judge_some(void *context)
{
    struct search *search = context;
    for (;;) {
        int k = atomic_fetch_add_explicit(&search->next, 1, memory_order_relaxed);
        if (k >= search->count || must_stop(search))
            return NULL;
        struct judged *judged = &search->pool[k];
        while (judged->samples < search->until && !must_stop(search)) {
            int left = search->until - judged->samples;
            judge_throw(&search->judge, judged,
                        judged->samples + (left < THROWS_AT_A_TIME ? left : THROWS_AT_A_TIME));
        }
    }
}

/* Has `work` done by all threads: as many as there are throws to do, the calling one included. */
static void on_threads(struct search *search, void *(*work)(void *), int64_t throws)
{
    pthread_t thread[64];
    int threads = search->query->limits.threads, started = 0;

    atomic_store(&search->next, 0);
    if (threads > 64)
        threads = 64;
    /* A thread costs as much as some dozen throws. */
    while (started + 1 < threads && throws > 200 * (started + 1) &&
           pthread_create(&thread[started], NULL, work, search) == 0)
        started++;
    work(search);
    for (int k = 0; k < started; k++)
        pthread_join(thread[k], NULL);
    if (must_stop(search))
        search->stopped = true;
}

static int64_t samples_of(const struct search *search)
{
    int64_t samples = 0;
    for (int k = 0; k < search->count; k++)
        samples += search->pool[k].samples;
    return samples;
}

/* Brings every candidate to `until` samples, on all threads. The result of a candidate does not
 * depend on which thread throws it. */
static void judge_all(struct search *search, int until)
{
    if (until > SAMPLES_MAX)
        until = SAMPLES_MAX;
    if (until > search->made) {
        quasi_normal_pairs(&search->key, (uint32_t)search->made, (size_t)(until - search->made),
                           search->errors + search->made);
        search->made = until;
    }
    int64_t before = samples_of(search);
    search->until = until;
    on_threads(search, judge_some, (int64_t)until * search->count - before);
    search->used += samples_of(search) - before;
}

static double bound(const struct search *search, const struct judged *judged)
{
    if (judged->samples < 2)
        return -INFINITY;
    return judged_mean(judged) - search->settings->caution * judged_error(judged);
}

struct place {
    double bound;
    int index;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->bound != q->bound)
        return p->bound > q->bound ? -1 : 1;
    return p->index - q->index;
}

/* The first `some` candidates, best first; the others stay behind them. Equals stay in the order of
 * their making, so that it is the same everywhere. */
static void rank(struct search *search, int some)
{
    struct place place[POOL];
    for (int k = 0; k < some; k++)
        place[k] = (struct place){bound(search, &search->pool[k]), k};
    qsort(place, (size_t)some, sizeof *place, compare_places);
    for (int k = 0; k < search->count; k++)
        search->ranked[k] = search->pool[k < some ? place[k].index : k];
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

static void fill_answer(const struct search *search, struct player_answer *ret_answer)
{
    const struct judge *judge = &search->judge;
    const struct judged *best = &search->pool[0];
    int wanted = search->query->candidates;

    ret_answer->shot = best->candidate.shot;
    ret_answer->cancelled = search->stopped && rink_is_cancelled(search->query);
    /* Where time was the limit: what gives this answer again. */
    ret_answer->simulations =
        search->planned > 0 && !search->stopped ? search->planned : search->used;
    ret_answer->has_value = best->samples > 0;
    ret_answer->distribution = judged_distribution(best);
    ret_answer->expected_score = objective_score(&ret_answer->distribution);
    ret_answer->win_probability = objective_win(&judge->objective, &ret_answer->distribution);
    ret_answer->candidates = 0;
    for (int k = 0; k < search->count && k < wanted && k < PLAYER_CANDIDATES_MAX; k++) {
        const struct judged *judged = &search->pool[k];
        struct score_distribution d = judged_distribution(judged);
        if (judged->samples < 2)
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

static void report(struct search *search)
{
    const struct player_query *query = search->query;
    struct player_answer so_far = {.elapsed_s = elapsed(search)};

    if (!query->report || search->stopped ||
        so_far.elapsed_s - search->reported_s < query->report_interval_s)
        return;
    fill_answer(search, &so_far);
    query->report(query->context, &so_far);
    search->reported_s = so_far.elapsed_s;
}

/* --- finalists by replies --- */

static void *find_some_replies(void *context)
{
    struct search *search = context;
    for (;;) {
        int k = atomic_fetch_add_explicit(&search->next, 1, memory_order_relaxed);
        if (k >= search->replied * search->reply_each)
            return NULL;
        rink_reply_find(search->settings, search->query, search->deadline_s, &search->judge,
                        &search->pool[k / search->reply_each],
                        search->reply_from + k % search->reply_each, &search->replies[k]);
    }
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

/* The finalists again, halved twice, now by the replies to the same few executions of each. */
static enum player_status judge_by_replies(struct search *search, int64_t budget)
{
    if (search->count > FINALISTS)
        search->count = FINALISTS;
    int64_t cost = rink_reply_cost(search->settings), most = (int64_t)search->count * search->made;
    if (most > budget / cost)
        most = budget / cost;
    search->replies = malloc((size_t)most * sizeof *search->replies);
    if (!search->replies)
        return PLAYER_NO_MEMORY;
    search->reply_from = 0;
    search->replied = search->count;
    for (int left = REPLY_ROUNDS; left > 0; left--) {
        int64_t each = budget / cost / left / search->replied;
        if (each > search->made - search->reply_from)
            each = search->made - search->reply_from;
        search->reply_each = (int)each;
        on_threads(search, find_some_replies, each * search->replied * cost);
        budget -= count_replies(search);
        if (search->stopped)
            break;
        rank(search, search->replied);
        report(search);
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

static enum player_status think(struct search *search)
{
    const struct rink_settings *settings = search->settings;
    generate(search);
    if (search->count == 0) { /* nothing can be aimed: throw through the middle */
        struct judged through = {
            .candidate = {.kind = SHOT_THROUGH, .stone = -1, .other_stone = -1}};
        through.candidate.shot.velocity.y = 0.8 * search->query->ice->max_speed;
        search->pool[search->count++] = through;
    }
    int first = FIRST_SAMPLES;
    if (search->budget > 0 && search->budget < (int64_t)first * search->count)
        first =
            (int)(search->budget / search->count) > 0 ? (int)(search->budget / search->count) : 1;
    if (search->budget > 0 && search->budget < search->count)
        search->count = (int)search->budget; /* the plainest ones */
    double before = elapsed(search);
    judge_all(search, first);
    double spent = elapsed(search) - before;
    rank(search, search->count);
    if (search->budget == 0) {
        /* A time limit alone: as many throws as the first ones say that there is time for, with
         * room for the later ones to be slower. */
        double left = search->deadline_s - clock_now_s();
        search->budget = search->used;
        if (spent > 0.0 && left > 0.0)
            search->budget += (int64_t)(0.8 * left * (double)search->used / spent);
        search->planned = search->budget;
    }

    int shot = search->query->game->shot;
    int64_t replies = (int64_t)(settings->reply_share * (double)search->budget);
    if (replies < FINALISTS * REPLY_ROUNDS * REPLIES_LEAST * rink_reply_cost(settings) ||
        shot < FIRST_REPLIED_SHOT || shot + 1 >= search->query->game->rules->shots)
        replies = 0;
    search->budget -= replies;

    int rounds = rounds_of(search->count);
    int64_t share = (search->budget - search->used) / rounds;
    for (int round = 0; round < rounds && !search->stopped; round++) {
        int keep = round + 1 < rounds ? survivors(search->count, round) : FINALISTS;
        if (search->count > keep)
            search->count = keep;
        int reached = search->pool[0].samples; /* all that are kept have as many */
        int64_t spend = round + 1 < rounds ? share : search->budget - search->used;
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
        report(search);
    }
    return replies > 0 && !search->stopped ? judge_by_replies(search, replies) : PLAYER_OK;
}

static void free_search(struct search *search)
{
    free(search->pool);
    free(search->ranked);
    free(search->errors);
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

    search.start_s = clock_now_s();
    search.key.purpose = RANDOM_PLANNING;
    search.budget = query->limits.simulations;
    double time_s = query->limits.time_s;
    if (search.budget <= 0 && time_s <= 0.0) {
        search.budget = settings->time_s > 0.0 ? 0 : settings->simulations;
        time_s = settings->time_s;
    }
    search.deadline_s = time_s > 0.0 ? search.start_s + time_s : 0.0;
    search.pool = malloc(POOL * sizeof *search.pool);
    search.ranked = malloc(POOL * sizeof *search.ranked);
    search.errors = malloc(SAMPLES_MAX * sizeof *search.errors);
    if (!search.pool || !search.ranked || !search.errors) {
        free_search(&search);
        return PLAYER_NO_MEMORY;
    }
    search.judge = judge_of(settings, query, search.errors);
    enum player_status status = think(&search);
    if (status == PLAYER_OK)
        fill_answer(&search, ret_answer);
    free_search(&search);
    return status;
}
