/* The result of a round robin: games, ratings, and every pairing. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_TOURNAMENT_H
#define RINKD_WORKERS_EVALUATE_PLAY_TOURNAMENT_H

#include "workers/evaluate/play/match.h"
#include "workers/evaluate/play/series.h"
#include "workers/evaluate/statistics/elo.h"

struct tournament {
    int players;
    int64_t with_extra_ends;                   /* games with extra ends */
    struct match_games games[ELO_PLAYERS_MAX]; /* of each player, all opponents and seats */
    struct pair_effort effort[ELO_PLAYERS_MAX];
    /* [i][j]: pairs between them by half points of i. */
    int64_t half_points[ELO_PLAYERS_MAX][ELO_PLAYERS_MAX][PENTANOMIAL];
    /* [i][j], i < j: the same pairs in the view of i, if luck was measured. */
    struct adjusted_sums adjusted[ELO_PLAYERS_MAX][ELO_PLAYERS_MAX];
    struct elo_games counts;
    struct elo_ratings ratings;
    struct elo_davidson davidson; /* the same games by the model with separate draws */
    int ladder[ELO_PLAYERS_MAX];  /* players by rating, strongest first; equal ones by number */
};

/* Returns how much higher Davidson's model rates a player, in Elo. */
double tournament_davidson_shift(const struct tournament *tournament, int player);

/* True if Davidson's model swaps the players at the places `place` and place + 1 of the ladder. */
bool tournament_davidson_swaps(const struct tournament *tournament, int place);

/* Sums up the first `count` pairs of a series (series.h: their order gives the players) with games
 * of `ends` ends. `anchor` is the player with rating 0. False if the ratings could not be computed
 * (elo.h); *ret_tournament is then untouched. */
bool tournament_summarise(int player_count, const struct pair_result *results, int64_t count,
                          int ends, int anchor, struct tournament *ret_tournament);

#endif
