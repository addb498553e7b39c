/* Finalists and replies. */
#include "workers/search/rink/rink_search.h"

#include <assert.h>
#include <stdlib.h>

enum {
    ROUNDS = 3,
    REPLIES_LEAST = 4,      /* to each finalist: fewer give neither a good mean nor a good error */
    FIRST_REPLIED_SHOT = 12 /* before this shot the network is more accurate than a few replies */
};

/* One round: replies to the executions first_sample … of the first `candidates` of the pool. */
struct round {
    struct rink_search *search;
    struct rink_reply *replies; /* [candidates][each] */
    int candidates, first_sample, each;
    int next; /* the first reply of the current piece */
};

static void find_one(void *context, size_t index, int thread)
{
    const struct round *round = context;
    int k = round->next + (int)index;
    (void)thread;

    rink_reply_find(round->search, &round->search->pool[k / round->each],
                    round->first_sample + k % round->each, &round->replies[k]);
}

/* Finds the replies of a round. */
static void find_replies(struct round *round)
{
    struct rink_search *search = round->search;
    int all = round->candidates * round->each, piece = 0;
    int threads = search->query->limits.threads > 1 ? search->query->limits.threads : 1;
    double took_s = 0.0;

    for (round->next = 0; round->next < all; round->next += piece) {
        piece = rink_search_next_size(search, piece, took_s, threads, all);
        int count = all - round->next < piece ? all - round->next : piece;
        double start_s = rink_search_elapsed_s(search);
        rink_search_run(search, count, find_one, round, count * search->reply_cost);
        took_s = rink_search_elapsed_s(search) - start_s;
        rink_answer_report(search, true);
    }
}

/* Adds the replies of a round to the candidates, and returns the throws they took. An interrupted
 * round does not count: only the first candidates would have replies. */
static int64_t count_replies(const struct round *round)
{
    struct rink_search *search = round->search;
    int64_t throws = 0;

    for (int k = 0; k < round->candidates * round->each; k++) {
        const struct rink_reply *reply = &round->replies[k];
        throws += reply->throws;
        if (reply->found && !search->stopped)
            judge_count_reply(&search->judge, &search->pool[k / round->each], reply->more);
    }
    search->used += throws;
    return throws;
}

enum player_status rink_finalists_judge(struct rink_search *search, int64_t budget)
{
    if (search->count > RINK_FINALISTS)
        search->count = RINK_FINALISTS;
    const int samples = search->pool[0].samples;
    const int64_t cost = search->reply_cost;
    int64_t most = (int64_t)search->count * samples;
    if (most > budget / cost)
        most = budget / cost;
    struct round round = {.search = search,
                          .replies = malloc((size_t)most * sizeof *round.replies),
                          .candidates = search->count};

    for (int k = 0; k < search->count; k++)
        assert(search->pool[k].samples == samples);
    if (!round.replies)
        return PLAYER_NO_MEMORY;
    for (int left = ROUNDS; left > 0; left--) {
        int64_t each = budget / cost / left / round.candidates;
        if (each > samples - round.first_sample)
            each = samples - round.first_sample;
        round.each = (int)each;
        assert((int64_t)round.candidates * each <= most);
        find_replies(&round);
        budget -= count_replies(&round);
        if (search->stopped)
            break;
        rink_answer_rank(search, round.candidates);
        round.first_sample += round.each;
        round.candidates = (round.candidates + 1) / 2;
    }
    free(round.replies);
    return PLAYER_OK;
}

/* Returns the share of the throws that look for replies. An execution of a finalist has at most one
 * reply; to make enough executions, the halving needs some 20 throws per reply. */
static double share_of_replies(const struct rink_search *search)
{
    double cost = (double)search->reply_cost;
    return fmin(search->settings->reply_share, cost / (cost + 20.0));
}

/* Returns the smallest useful number of throws for replies. */
static int64_t least_budget(const struct rink_search *search)
{
    return RINK_FINALISTS * ROUNDS * REPLIES_LEAST * search->reply_cost;
}

int64_t rink_finalists_budget(const struct rink_search *search, int64_t plan)
{
    int shot = search->query->game->shot;
    int64_t budget = (int64_t)(share_of_replies(search) * (double)plan);

    if (budget < least_budget(search) || shot < FIRST_REPLIED_SHOT ||
        shot + 1 >= search->query->game->rules->shots)
        return 0;
    return budget;
}

int64_t rink_finalists_least_plan(const struct rink_search *search)
{
    int64_t plan = (int64_t)((double)least_budget(search) / share_of_replies(search));

    while (rink_finalists_budget(search, plan) == 0) /* rounding */
        plan++;
    return plan;
}
