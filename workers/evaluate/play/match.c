/* Sums over pairs. */
#include "workers/evaluate/play/match.h"

static void add_game(struct match_summary *summary, const struct pair_game *game, int index,
                     int ends)
{
    for (int player = 0; player < 2; player++) {
        int half_points = player ? 2 - game->half_points : game->half_points;
        match_games_add(&summary->games[player][pair_first_hammer(index) == player], half_points);
    }
    summary->conceded += game->conceded;
    summary->with_extra_ends += pair_game_went_on(game, ends);
}

static void add_seat(struct match_seat *seat, int64_t points, int64_t ends)
{
    seat->pairs += ends > 0;
    seat->sum_ss += points * points;
    seat->sum_sn += points * ends;
    seat->sum_nn += ends * ends;
}

static void add_ends(struct match_summary *summary, const struct pair_result *result)
{
    int64_t points[2] = {0}, ends[2] = {0}; /* of player 0, by hammer */

    for (int g = 0; g < 2; g++)
        for (int e = 0; e < result->game[g].ends; e++) {
            int score = result->game[g].end[e].score;
            bool hammer = result->game[g].end[e].hammer;
            points[hammer] += score;
            ends[hammer]++;
            summary->seats[0][hammer].scores[MATCH_SCORE_ZERO + score]++;
            summary->seats[1][!hammer].scores[MATCH_SCORE_ZERO - score]++;
        }
    for (int hammer = 0; hammer < 2; hammer++) {
        add_seat(&summary->seats[0][hammer], points[hammer], ends[hammer]);
        add_seat(&summary->seats[1][!hammer], -points[hammer], ends[hammer]);
    }
}

static int game_points(const struct pair_game *game, int ends)
{
    bool conceded = game->conceded && game->ends < ends;
    int points = 0;

    for (int e = 0; e < game->ends && e < ends; e++)
        points += game->end[e].score;
    if (conceded && game->half_points == 0 && points >= 0)
        return -1;
    if (conceded && game->half_points == 2 && points <= 0)
        return 1;
    return points;
}

int pair_points(const struct pair_result *result, int ends)
{
    return game_points(&result->game[0], ends) + game_points(&result->game[1], ends);
}

struct pair_score pair_score_of(const struct pair_result *results, int64_t count, int ends,
                                double confidence, uint64_t seed)
{
    /* The bins of 2, 1 and 0 points hold the pairs that were won, drawn and lost as a whole. */
    enum { LOST = 0, DRAWN = PENTANOMIAL / 2, WON = PENTANOMIAL - 1 };
    int64_t bins[PENTANOMIAL] = {0};

    for (int64_t k = 0; k < count; k++) {
        int points = pair_points(&results[k], ends);
        bins[points > 0 ? WON : points < 0 ? LOST : DRAWN]++;
    }
    return (struct pair_score){
        .wins = bins[WON],
        .draws = bins[DRAWN],
        .losses = bins[LOST],
        .share = pentanomial_mean(bins),
        .interval = pentanomial_interval(bins, confidence),
        .bootstrap = bootstrap_interval(bins, confidence, seed),
        .share_of_decided = (double)bins[WON] / (double)(bins[WON] + bins[LOST]),
    };
}

void match_summarise(const struct pair_result *results, int64_t count, int ends, uint64_t seed,
                     struct match_summary *ret_summary)
{
    struct match_summary summary = {.pairs = count};

    for (int64_t k = 0; k < count; k++) {
        summary.half_points[pair_half_points(&results[k])]++;
        add_ends(&summary, &results[k]);
        adjusted_add(&summary.adjusted, &results[k]);
        for (int j = 0; j < 2; j++) {
            add_game(&summary, &results[k].game[j], j, ends);
            pair_effort_add(&summary.effort[j], &results[k].effort[j]);
        }
    }
    summary.score = pentanomial_mean(summary.half_points);
    summary.pentanomial = pentanomial_interval(summary.half_points, MATCH_CONFIDENCE);
    summary.bootstrap = bootstrap_interval(summary.half_points, MATCH_CONFIDENCE, seed);
    summary.pair_score = pair_score_of(results, count, PAIR_ALL_ENDS, MATCH_CONFIDENCE, seed);
    *ret_summary = summary;
}

double match_test_ratio(const struct match_test *test, const int64_t half_points[PENTANOMIAL],
                        const struct adjusted_sums *adjusted)
{
    return test->values == JOB_SPRT_ADJUSTED
               ? sprt_sample_ratio(&test->sprt, &adjusted->score[WITHOUT_LUCK])
               : sprt_ratio(&test->sprt, half_points);
}

enum sprt_decision match_test_decide(const struct match_test *test,
                                     const int64_t half_points[PENTANOMIAL],
                                     const struct adjusted_sums *adjusted)
{
    return sprt_decision_at(&test->sprt, match_test_ratio(test, half_points, adjusted));
}

int64_t match_ends(const struct match_seat *seat)
{
    int64_t ends = 0;
    for (int k = 0; k < MATCH_SCORES; k++)
        ends += seat->scores[k];
    return ends;
}

/* The sums of a seat, as ratio_add() makes them. */
static struct ratio ratio_of(const struct match_seat *seat)
{
    struct ratio ratio = {.count = seat->pairs,
                          .n = (double)match_ends(seat),
                          .ss = (double)seat->sum_ss,
                          .sn = (double)seat->sum_sn,
                          .nn = (double)seat->sum_nn};

    for (int k = 0; k < MATCH_SCORES; k++)
        ratio.s += (k - MATCH_SCORE_ZERO) * (double)seat->scores[k];
    return ratio;
}

double match_points(const struct match_seat *seat)
{
    const struct ratio ratio = ratio_of(seat);
    return ratio_mean(&ratio);
}

double match_points_error(const struct match_seat *seat)
{
    const struct ratio ratio = ratio_of(seat);
    return ratio_error(&ratio);
}
