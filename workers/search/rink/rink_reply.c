/* The opponent's replies, found by the same search with fewer throws. */
#include "workers/search/rink/rink_search.h"

#include "workers/search/rink/rink.h"

enum {
    MISTAKE_CHOICE = 100, /* throws for the choice of a fallible opponent */
    MISTAKE_SAMPLES = 64  /* throws that judge this choice */
};

int64_t rink_reply_cost(const struct rink_settings *settings)
{
    return settings->reply_throws + 1 +
           (settings->fallible ? (int)MISTAKE_CHOICE + (int)MISTAKE_SAMPLES : 0);
}

/* Finds the end's score after the best shot of the side to move. Adds the throws used; false when
 * memory is short. */
static bool best_reply(const struct rink_settings *settings, const struct player_query *query,
                       int64_t *throws, struct score_distribution *ret_scores)
{
    struct rink_search search;
    bool good = rink_search_start(settings, query, &search) == PLAYER_OK;

    if (good) {
        rink_halving_begin(&search, settings->reply_throws);
        rink_halving_finish(&search, settings->reply_throws);
        *throws += search.used;
        *ret_scores = judged_distribution(&search.pool[0]);
    }
    rink_search_free(&search);
    return good;
}

/* Finds the end's score after the shot of a fallible opponent. Adds the throws used; false if the
 * opponent does not answer. */
static bool mistaken_reply(const struct rink_settings *settings, struct player_query query,
                           int64_t *throws, struct score_distribution *ret_scores)
{
    struct player_answer answer;

    query.limits.simulations = MISTAKE_CHOICE;
    if (player_choose(settings->fallible, &query, &answer) != PLAYER_OK)
        return false;
    *throws += answer.simulations;
    if (answer.cancelled)
        return false;
    *ret_scores = rink_measure(settings, &query, answer.shot, MISTAKE_SAMPLES);
    *throws += MISTAKE_SAMPLES;
    return true;
}

void rink_reply_find(const struct rink_search *search, const struct judged *judged, int sample,
                     struct rink_reply *ret_reply)
{
    const struct player_query *query = search->query;
    const double deadline_s = search->deadline_s;
    struct rink_settings settings = *search->settings;
    struct game game = *query->game;
    struct player_query reply = {.game = &game,
                                 .ice = query->ice,
                                 .noise = query->noise,
                                 .hands = query->hands,
                                 .limits = {.simulations = settings.reply_throws, .threads = 1},
                                 .key = query->key,
                                 .cancel = query->cancel,
                                 .stop_s = query->stop_s};
    struct score_distribution best = {{0.0}}, mistaken = {{0.0}};
    float chance[OBJECTIVE_SCORES];

    *ret_reply = (struct rink_reply){.found = false};
    if (rink_is_over(query, deadline_s))
        return;
    judge_execute(&search->judge, judged, sample, &game.position, chance);
    game.shot++;
    /* All candidates meet the same errors of the opponent; each execution has its own errors. */
    reply.key.shot++;
    reply.key.stream = (query->key.stream << 16) + (uint64_t)sample + 1;
    settings.start_s = 0.0;
    settings.stop_s = deadline_s;
    settings.proposal_count = 0;
    settings.value.opponent = NULL; /* no chance is told */
    settings.refined = settings.refined > 0 ? 1 : 0;
    ret_reply->throws = 1;
    if (!best_reply(&settings, &reply, &ret_reply->throws, &best))
        return;
    double share = settings.fallible ? settings.fallible_share : 0.0;
    if (rink_is_over(query, deadline_s) ||
        (share > 0.0 && !mistaken_reply(&settings, reply, &ret_reply->throws, &mistaken)))
        return;
    ret_reply->found = true;
    for (int k = 0; k < OBJECTIVE_SCORES; k++) {
        int turned = OBJECTIVE_SCORES - 1 - k;
        ret_reply->more[k] =
            (1.0 - share) * best.p[turned] + share * mistaken.p[turned] - (double)chance[k];
    }
}
