/* Candidates and rounds. */
#include "workers/search/rink/rink_search.h"

#include "models/ice/quasi.h"

#include <assert.h>

enum {
    PARENTS = 8, /* the best candidates, which get refined */
    ROUNDS_MAX = 12,
    FIRST_SAMPLES = 2,
    WIDE_THROWS = 16 /* planned for each candidate, from which a search is wide */
};

/* Two samples hardly tell a good shot that succeeds one time in three from a bad one. A search with
 * few throws cuts by them all the same, so that enough are left for the best; a wide one first
 * looks closer at all candidates, and refines longer. Later cuts keep one candidate in two. */
static const struct {
    int first_cut; /* keeps one candidate in so many */
    int refining_rounds;
    double smaller; /* the size of refinements is divided by it in each round */
} ways[] = {{3, 3, 2.0}, {1, 6, 1.5}};

_Static_assert((int)CANDIDATES_MAX + (int)RINK_PROPOSALS_MAX <= (int)RINK_POOL_MAX,
               "the pool holds all candidates");

/* --- candidates --- */

static void generate(struct rink_search *search)
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
    if (search->count > 0)
        return;
    /* No shot can be aimed: throw through the middle. */
    struct judged through = {.candidate = {.kind = SHOT_THROUGH, .stone = -1, .other_stone = -1}};
    through.candidate.shot.velocity.y = 0.8 * search->query->ice->max_speed;
    search->pool[search->count++] = through;
}

/* Returns the hand whose errors become refinements: the query's, or the ice's if that makes no
 * errors. */
static struct noise refining_hand(const struct rink_search *search)
{
    const struct player_query *query = search->query;
    struct noise_covariance spread =
        noise_covariance_at(search->judge.noise, search->pool[0].candidate.shot);

    if (spread.xx > 0.0 || spread.yy > 0.0)
        return *search->judge.noise;
    return noise_default(query->ice, query->ice->noise);
}

/* Adds candidates around the best ones: their shots plus `size` times the usual error of the
 * hand. */
static void refine(struct rink_search *search, int round, double size)
{
    int parents = search->count < PARENTS ? search->count : PARENTS;
    struct noise hand = refining_hand(search);
    struct random_key key = search->key;
    key.purpose = RANDOM_CHOICE;

    for (int p = 0; p < parents; p++)
        for (int k = 0; k < search->settings->refined && search->count < RINK_POOL_MAX; k++) {
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

/* --- throwing --- */

static void judge_one(void *context, size_t index, int thread)
{
    struct rink_search *search = context;
    struct judged *judged = &search->pool[index];
    /* Asking a network takes milliseconds: check the clock after every throw. */
    const int most = search->judge.source.by == JUDGE_BY_ASKING ? 1 : RINK_THROWS_AT_A_TIME;
    int until = search->until;

    (void)thread;
    if (until - judged->samples > search->step)
        until = judged->samples + search->step;
    while (judged->samples < until && !rink_search_must_stop(search)) {
        int left = until - judged->samples;
        judge_throw(&search->judge, judged, judged->samples + (left < most ? left : most));
    }
}

static int64_t samples_of(const struct rink_search *search)
{
    int64_t samples = 0;
    for (int k = 0; k < search->count; k++)
        samples += search->pool[k].samples;
    return samples;
}

static void make_errors(struct rink_search *search, int until)
{
    if (until <= search->errors_made)
        return;
    quasi_normal_pairs(&search->key, (uint32_t)search->errors_made,
                       (size_t)(until - search->errors_made), search->errors + search->errors_made);
    search->errors_made = until;
}

/* Brings every candidate to `until` samples, on all threads. The samples of a candidate do not
 * depend on the thread that throws them. */
static void judge_all(struct rink_search *search, int until)
{
    if (until > RINK_SAMPLES_MAX) {
        until = RINK_SAMPLES_MAX;
        search->is_full = true;
    }
    make_errors(search, until);
    int64_t thrown = samples_of(search), wanted = (int64_t)until * search->count;
    search->until = until;
    double took_s = 0.0;
    while (thrown < wanted && !search->stopped) {
        search->step = rink_search_next_size(search, search->step, took_s, RINK_THROWS_AT_A_TIME,
                                             RINK_SAMPLES_MAX);
        double start_s = rink_search_elapsed_s(search);
        int64_t before = thrown, most = (int64_t)search->step * search->count;
        rink_search_run(search, search->count, judge_one, search,
                        wanted - before < most ? wanted - before : most);
        thrown = samples_of(search);
        search->used += thrown - before;
        took_s = rink_search_elapsed_s(search) - start_s;
        rink_answer_report(search, false);
    }
}

/* --- rounds --- */

/* Returns how many candidates go on after a round: at least the finalists. */
static int survivors(const struct rink_search *search, int count, int round)
{
    int cut = round == 0 ? ways[search->is_wide].first_cut : 2, left = (count + cut - 1) / cut;
    return left > RINK_FINALISTS ? left : RINK_FINALISTS;
}

/* Returns how many rounds reduce `count` candidates to the finalists, the last round included. */
static int rounds_of(const struct rink_search *search)
{
    int count = search->count;
    int rounds = 1;
    for (; count > RINK_FINALISTS && rounds < ROUNDS_MAX; rounds++)
        count = survivors(search, count, rounds - 1);
    return rounds;
}

void rink_halving_begin(struct rink_search *search, int64_t plan)
{
    int first = FIRST_SAMPLES;

    search->is_full = false;
    generate(search);
    search->is_wide = plan >= (int64_t)WIDE_THROWS * search->count;
    if (plan < (int64_t)(first + 1) * search->count) {
        /* One throw each leaves as many again for a closer look at the best. Two each would leave
         * none, and two samples that agree look certain. */
        first = 1;
        if (plan < 2 * (int64_t)search->count)
            search->count = plan > 1 ? (int)(plan / 2) : 1; /* the plainest ones come first */
    }
    judge_all(search, first);
    rink_answer_rank(search, search->count);
}

void rink_halving_finish(struct rink_search *search, int64_t budget)
{
    const struct rink_settings *settings = search->settings;
    assert(search->count > 0);
    int rounds = rounds_of(search);
    int64_t share = (budget - search->used) / rounds;
    double size = 1.0;

    for (int round = 0; round < rounds && !search->stopped; round++) {
        int keep = round + 1 < rounds ? survivors(search, search->count, round) : RINK_FINALISTS;
        if (search->count > keep)
            search->count = keep;
        int reached = search->pool[0].samples; /* of every kept candidate */
        int64_t spend = round + 1 < rounds ? share : budget - search->used;
        /* New candidates catch up within the same share of the budget. */
        if (round < ways[search->is_wide].refining_rounds && settings->refined > 0) {
            int64_t children = (int64_t)settings->refined * PARENTS;
            if (children * reached < spend / 2)
                refine(search, round, size);
            size /= ways[search->is_wide].smaller;
        }
        int64_t owed = 0;
        for (int k = 0; k < search->count; k++)
            owed += reached - search->pool[k].samples;
        int64_t more = (spend - owed) / search->count;
        if (more < 0)
            more = 0;
        if (more == 0 && owed == 0)
            continue;
        judge_all(search, reached + (int)(more < RINK_SAMPLES_MAX ? more : RINK_SAMPLES_MAX));
        rink_answer_rank(search, search->count);
    }
}
