/* The opponent's replies, found by the same search with less to spend. */
#include "workers/search/rink/rink_reply.h"

enum {
    MISTAKE_CHOICE = 100, /* throws by which a fallible opponent chooses */
    MISTAKE_SAMPLES = 64  /* and by which its choice is judged */
};

int64_t rink_reply_cost(const struct rink_settings *settings)
{
    return settings->reply_throws + 1 +
           (settings->fallible ? (int)MISTAKE_CHOICE + (int)MISTAKE_SAMPLES : 0);
}

/* The end's score after what a fallible opponent throws instead of its best reply. Adds the throws
 * that this took; false if it could not be found out. */
static bool mistake(const struct rink_settings *settings, struct player_query query,
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

void rink_reply_find(const struct rink_settings *settings, const struct player_query *query,
                     double deadline_s, const struct judge *judge, const struct judged *judged,
                     int sample, struct rink_reply *ret_reply)
{
    struct game game = *query->game;
    struct rink_settings smaller = *settings;
    struct player_query reply = {.game = &game,
                                 .ice = query->ice,
                                 .noise = query->noise,
                                 .limits = {.simulations = settings->reply_throws, .threads = 1},
                                 .key = query->key,
                                 .cancel = query->cancel};
    struct player_answer answer = {0};
    float chance[OBJECTIVE_SCORES];

    *ret_reply = (struct rink_reply){.found = false};
    if (rink_is_over(query, deadline_s))
        return;
    judge_execute(judge, judged, sample, &game.position, chance);
    game.shot++;
    /* All candidates meet the same errors of the opponent, other ones for each execution. */
    reply.key.shot++;
    reply.key.stream = (query->key.stream << 16) + (uint64_t)sample + 1;
    smaller.start_s = 0.0;
    smaller.stop_s = deadline_s;
    smaller.reply_share = 0.0;
    smaller.proposal_count = 0;
    smaller.refined = settings->refined > 0 ? 1 : 0;
    ret_reply->throws = 1;
    if (rink_choose(&smaller, &reply, &answer) != PLAYER_OK)
        return;
    ret_reply->throws += answer.simulations;
    double share = settings->fallible ? settings->fallible_share : 0.0;
    struct score_distribution mistaken = {{0.0}};
    if (rink_is_over(query, deadline_s) ||
        (share > 0.0 && !mistake(&smaller, reply, &ret_reply->throws, &mistaken)))
        return;
    ret_reply->found = true;
    for (int k = 0; k < OBJECTIVE_SCORES; k++) {
        int turned = OBJECTIVE_SCORES - 1 - k;
        ret_reply->more[k] = (1.0 - share) * answer.distribution.p[turned] +
                             share * mistaken.p[turned] - (double)chance[k];
    }
}
