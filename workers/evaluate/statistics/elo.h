/* One strength for each player, from all games among them: the model of Bradley and Terry, with an
 * advantage for the hammer of the first end.
 *
 *   P(i beats j) = 1 / (1 + exp(-(r_i - r_j + h))),  i has the first hammer
 *
 * A draw counts as half a win and half a loss. Ratings are the most likely ones under a weak prior:
 * each player also drew two games, spread evenly over all opponents and both seats. The prior keeps
 * a rating finite where all games were won, connects players that never met, and does not depend on
 * the anchor.
 *
 * The model assumes that games are independent and either won or lost. But the sample is the
 * pair: its two games share their luck, and a draw scatters less than a win and a loss. So the
 * covariance is the sandwich A^-1 B A^-1, with A the information at the maximum and B the
 * observed scatter of its gradient from pair to pair; for independent games without draws it is
 * A^-1. Few or equal pairs do not show the scatter, so each pairing counts two more pairs, for
 * which the model holds. */
#ifndef RINKD_WORKERS_EVALUATE_STATISTICS_ELO_H
#define RINKD_WORKERS_EVALUATE_STATISTICS_ELO_H

#include <stdbool.h>

enum { ELO_PLAYERS_MAX = 32 };

/* Sums over the played pairs, made by elo_add_pairs(). Entry [i][j] is for the games between i and
 * j in which i had the first hammer. */
struct elo_games {
    int players;                                      /* 2 … ELO_PLAYERS_MAX */
    double games[ELO_PLAYERS_MAX][ELO_PLAYERS_MAX];   /* equal to [j][i], the number of pairs */
    double score[ELO_PLAYERS_MAX][ELO_PLAYERS_MAX];   /* of i in these games: wins + draws / 2 */
    double square[ELO_PLAYERS_MAX][ELO_PLAYERS_MAX];  /* of i's scores in single games */
    double product[ELO_PLAYERS_MAX][ELO_PLAYERS_MAX]; /* of the two scores of a pair; symmetric */
};

/* Adds `pairs` pairs of two different players: `i` scored `score_i` (0 … 1) where it had the first
 * hammer, `j` scored `score_j` where it had. */
void elo_add_pairs(struct elo_games *games, int i, int j, double pairs, double score_i,
                   double score_j);

/* In Elo: 400 points are odds of ten to one. */
struct elo_ratings {
    int players, anchor;
    double rating[ELO_PLAYERS_MAX]; /* rating[anchor] = 0 */
    double hammer;                  /* the worth of the first hammer */
    /* Covariance of the ratings and, last (index `players`), of the hammer; the anchor's row and
     * column are 0. */
    double covariance[ELO_PLAYERS_MAX + 1][ELO_PLAYERS_MAX + 1];
};

/* Fits the model; `anchor` is the player with rating 0. False, with *ret_ratings untouched, if the
 * numbers make no sense (players or anchor out of range; games not finite, negative, or different
 * in the two seats; sums of scores, squares and products that no scores have), or if the maximum
 * was not found. */
bool elo_fit(const struct elo_games *games, int anchor, struct elo_ratings *ret_ratings);

/* The model of R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired
 * comparison experiments" (1970), a check of counting draws as halves:
 *
 *   P(i wins) : P(draw) : P(j wins) = sqrt(p) : nu : sqrt(1 / p),  p = exp(r_i - r_j + h)
 *
 * which is pi_i theta : nu sqrt(pi_i theta pi_j) : pi_j with the hammer's theta = exp(h) and the
 * players' pi = exp(r). The prior is the same, its games half won and half lost. Without draws nu
 * is 0 and the rest equals that of elo_fit().
 *
 * The odds p are those of decided games alone, which separate players further than scores do. So r
 * and h are reported in Elo times 2 / (2 + nu): between equally strong players a point is then
 * worth the same share of a score in both models. */
struct elo_davidson {
    double rating[ELO_PLAYERS_MAX]; /* rating[anchor] = 0 */
    double hammer;
    double nu; /* equally strong players draw nu / (2 + nu) of their games */
};

/* Fits Davidson's model to games with scores 0, 1/2 and 1 (not to means of several games). Fails
 * like elo_fit() and then leaves *ret_davidson untouched. */
bool elo_fit_davidson(const struct elo_games *games, int anchor, struct elo_davidson *ret_davidson);

/* Returns the standard error of a rating (of the hammer: index `players`). */
double elo_error(const struct elo_ratings *ratings, int index);

/* Returns the expected score of i against j in a game, 0 … 1; i has the first hammer. */
double elo_expected(const struct elo_ratings *ratings, int i, int j);

/* Compares the games of i against j, in both seats, with the ratings: observed minus expected score
 * of a game (-1 … 1), and the same in standard deviations, with the scatter from pair to pair as in
 * the covariance. False if they never met; both outputs are then untouched. */
bool elo_residual(const struct elo_games *games, const struct elo_ratings *ratings, int i, int j,
                  double *ret_residual, double *ret_deviations);

#endif
