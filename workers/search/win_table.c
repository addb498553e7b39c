/* Chances of winning between two ends. */
#include "workers/search/win_table.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { ENDS = 20, LEADS = 31, LEAD_ZERO = 15, SCORES = 17, SCORE_ZERO = 8 };

/* How ends turn out for the team with the hammer, points -8 … 8. A first guess from published end
 * statistics of computer play; replaced by measurement (models/weights/README tells how). */
static const double end_scores[SCORES] = {
    0.0,  0.0, 0.0,   0.0,  0.005, 0.02, 0.06, 0.165, 0.13,
    0.32, 0.2, 0.075, 0.02, 0.005, 0.0,  0.0,  0.0,
};

/* win[e][lead]: chance of the team with the hammer when e ends are left, without extra ends and
 * with them (a tie is then decided by further ends). */
static double win[2][ENDS + 1][LEADS];

static double of_hammer(const double table[LEADS], int lead)
{
    if (lead > LEAD_ZERO)
        lead = LEAD_ZERO;
    if (lead < -LEAD_ZERO)
        lead = -LEAD_ZERO;
    return table[LEAD_ZERO + lead];
}

/* The chance after an end that the team with the hammer, `lead` ahead before it, wins by `score`.
 */
static double after_score(const double table[LEADS], int lead, int score)
{
    if (score > 0) /* scored: the other team gets the hammer */
        return 1.0 - of_hammer(table, -(lead + score));
    return of_hammer(table, lead + score); /* blank or stolen: keeps it, or gets it back */
}

static void build(void)
{
    /* With extra ends until someone scores, the team with the hammer wins a tie with the share of
     * its scores among all ends that are not blank. */
    double mine = 0.0, theirs = 0.0;
    for (int k = 0; k < SCORES; k++) {
        mine += k > SCORE_ZERO ? end_scores[k] : 0.0;
        theirs += k < SCORE_ZERO ? end_scores[k] : 0.0;
    }
    for (int extra = 0; extra < 2; extra++) {
        for (int lead = -LEAD_ZERO; lead <= LEAD_ZERO; lead++)
            win[extra][0][LEAD_ZERO + lead] = lead > 0   ? 1.0
                                              : lead < 0 ? 0.0
                                              : extra    ? mine / (mine + theirs)
                                                         : 0.5;
        for (int e = 1; e <= ENDS; e++)
            for (int lead = -LEAD_ZERO; lead <= LEAD_ZERO; lead++) {
                double chance = 0.0;
                for (int k = 0; k < SCORES; k++)
                    chance += end_scores[k] * after_score(win[extra][e - 1], lead, k - SCORE_ZERO);
                win[extra][e][LEAD_ZERO + lead] = chance;
            }
    }
}

double win_table_after(const struct game *game, int lead, bool has_hammer)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build);

    int left = game->ends - game->end - 1;
    bool extra = game->extra_ends > 0;
    if (left < 0) { /* an extra end: decided as soon as someone leads */
        left = 0;
        extra = game->end + 1 < game->ends + game->extra_ends;
    }
    if (left > ENDS)
        left = ENDS;
    const double *table = win[extra][left];
    return has_hammer ? of_hammer(table, lead) : 1.0 - of_hammer(table, -lead);
}

const double *win_table_end_scores(const struct rules *rules)
{
    (void)rules;
    return end_scores;
}
