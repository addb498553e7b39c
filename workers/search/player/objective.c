/* Sums over the 17 scores. The table of winning probabilities is in win_table.c. */
#include "workers/search/player/objective.h"

#include "workers/search/player/win_table.h"

#include <stddef.h>

/* Points decide between shots that win equally often; otherwise a side that is sure to win or lose
 * would throw anything. One point counts as much as 0.06 % of games. */
static const double POINTS_SHARE = 0.01;

const char *const objective_names[] = {[OBJECTIVE_SCORE] = "score", [OBJECTIVE_WIN] = "win", NULL};

/* Fills in the chances of winning after each score, by the mix if there is one, else by `table`. */
static void fill_chances(const struct game *game, const struct win_table *table,
                         const struct win_mix *opponent, double ret_win[OBJECTIVE_SCORES])
{
    int team = game_next_team(game);
    int lead = game_total(game, team) - game_total(game, 1 - team);
    /* The side that scores loses the hammer; a blank end keeps it. In mixed doubles this is the
     * choice of the setup, which a blank end passes on. */
    bool after_blank =
        game->rules->preplaced > 0 ? team != game_chooser(game) : team == game->hammer_team;

    for (int k = 0; k < OBJECTIVE_SCORES; k++) {
        int score = k - OBJECTIVE_ZERO;
        bool next_hammer = score > 0 ? false : score < 0 ? true : after_blank;
        ret_win[k] = opponent ? win_mix_after(opponent, game, lead + score, next_hammer)
                              : win_table_after(table, game, lead + score, next_hammer);
    }
}

void objective_of_game(const struct game *game, enum objective_kind kind,
                       const struct win_table *table, struct objective *ret_objective)
{
    fill_chances(game, table, NULL, ret_objective->win);
    for (int k = 0; k < OBJECTIVE_SCORES; k++) {
        double points = (double)k / (OBJECTIVE_SCORES - 1);
        ret_objective->worth[k] =
            kind == OBJECTIVE_WIN
                ? (1.0 - POINTS_SHARE) * ret_objective->win[k] + POINTS_SHARE * points
                : k - OBJECTIVE_ZERO;
    }
}

void objective_tell_against(const struct win_mix *opponent, const struct game *game,
                            struct objective *objective)
{
    fill_chances(game, NULL, opponent, objective->win);
}

static double sum(const double *worth, const struct score_distribution *d)
{
    double total = 0.0;
    for (int k = 0; k < OBJECTIVE_SCORES; k++)
        total += worth[k] * d->p[k];
    return total;
}

double objective_worth(const struct objective *objective, const struct score_distribution *d)
{
    return sum(objective->worth, d);
}

double objective_win(const struct objective *objective, const struct score_distribution *d)
{
    return sum(objective->win, d);
}

double objective_score(const struct score_distribution *d)
{
    double total = 0.0;
    for (int k = 0; k < OBJECTIVE_SCORES; k++)
        total += (k - OBJECTIVE_ZERO) * d->p[k];
    return total;
}
