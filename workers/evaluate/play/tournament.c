/* Sums up a round robin. */
#include "workers/evaluate/play/tournament.h"

static void add_pair(struct tournament *sum, const struct record_name *name,
                     const struct pair_result *result)
{
    int i = name->first, j = name->second, half_points = pair_half_points(result);
    /* Scores of i and of j, each with the hammer. gcc does not see that both are set. */
    double score[2] = {0.0, 0.0};

    for (int g = 0; g < 2; g++) {
        int of_i = result->game[g].half_points, hammer = pair_first_hammer(g);
        match_games_add(&sum->games[i], of_i);
        match_games_add(&sum->games[j], 2 - of_i);
        score[hammer] = 0.5 * (hammer == 0 ? of_i : 2 - of_i);
    }
    elo_add_pairs(&sum->counts, i, j, 1.0, score[0], score[1]);
    adjusted_add(&sum->adjusted[i][j], result);
    sum->half_points[i][j][half_points]++;
    sum->half_points[j][i][PENTANOMIAL - 1 - half_points]++;
    pair_effort_add(&sum->effort[i], &result->effort[0]);
    pair_effort_add(&sum->effort[j], &result->effort[1]);
}

static void make_ladder(struct tournament *sum)
{
    for (int k = 0; k < sum->players; k++) {
        int place = k;
        while (place > 0 && sum->ratings.rating[sum->ladder[place - 1]] < sum->ratings.rating[k]) {
            sum->ladder[place] = sum->ladder[place - 1];
            place--;
        }
        sum->ladder[place] = k;
    }
}

double tournament_davidson_shift(const struct tournament *tournament, int player)
{
    return tournament->davidson.rating[player] - tournament->ratings.rating[player];
}

bool tournament_davidson_swaps(const struct tournament *tournament, int place)
{
    const int *ladder = tournament->ladder;

    /* The ratings of equally strong players differ by rounding. */
    return tournament->davidson.rating[ladder[place + 1]] -
               tournament->davidson.rating[ladder[place]] >
           1e-6;
}

bool tournament_summarise(int player_count, const struct pair_result *results, int64_t count,
                          int ends, int anchor, struct tournament *ret_tournament)
{
    struct tournament sum = {.players = player_count, .counts.players = player_count};

    if (player_count < 2 || player_count > ELO_PLAYERS_MAX)
        return false;
    for (int64_t k = 0; k < count; k++) {
        struct record_name name = record_name_at(player_count, k);
        add_pair(&sum, &name, &results[k]);
        for (int g = 0; g < 2; g++)
            sum.with_extra_ends += pair_game_went_on(&results[k].game[g], ends);
    }
    if (!elo_fit(&sum.counts, anchor, &sum.ratings) ||
        !elo_fit_davidson(&sum.counts, anchor, &sum.davidson))
        return false;
    make_ladder(&sum);
    *ret_tournament = sum;
    return true;
}
