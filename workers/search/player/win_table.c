/* Probabilities of winning between two ends. */
#include "workers/search/player/win_table.h"

#include "models/tables/profiles.h"

#include <pthread.h>

enum {
    ENDS = 20,
    LEADS = 31,
    LEAD_ZERO = 15,
    SCORES = PROFILE_SCORES,
    SCORE_ZERO = PROFILE_SCORE_ZERO
};

/* The table of one profile: chance[extra][e][lead] is the probability of winning for the team with
 * the hammer when e ends are left. A tie after the last end is a draw (extra = 0) or is played out
 * in extra ends (1). */
struct table {
    double share[SCORES]; /* of the ends */
    double chance[2][ENDS + 1][LEADS];
};

static struct table tables[PROFILES_MAX];

static double of_hammer(const double chance[LEADS], int lead)
{
    if (lead > LEAD_ZERO)
        lead = LEAD_ZERO;
    if (lead < -LEAD_ZERO)
        lead = -LEAD_ZERO;
    return chance[LEAD_ZERO + lead];
}

/* Returns the chance of the team with the hammer, `lead` ahead, when it scores `score` in this
 * end. */
static double after_score(const double next[LEADS], int lead, int score)
{
    if (score > 0) /* the other team gets the hammer */
        return 1.0 - of_hammer(next, -(lead + score));
    return of_hammer(next, lead + score); /* blank end: keeps the hammer; steal: gets it again */
}

static void build_table(struct table *table, const int ends[SCORES])
{
    double all = 0.0, mine = 0.0, theirs = 0.0;
    for (int k = 0; k < SCORES; k++)
        all += ends[k];
    for (int k = 0; k < SCORES; k++) {
        table->share[k] = ends[k] / all;
        mine += k > SCORE_ZERO ? table->share[k] : 0.0;
        theirs += k < SCORE_ZERO ? table->share[k] : 0.0;
    }
    for (int extra = 0; extra < 2; extra++) {
        double(*chance)[LEADS] = table->chance[extra];
        /* Extra ends are played until someone scores. */
        double tie = extra ? mine / (mine + theirs) : 0.5;
        for (int lead = -LEAD_ZERO; lead <= LEAD_ZERO; lead++)
            chance[0][LEAD_ZERO + lead] = lead > 0 ? 1.0 : lead < 0 ? 0.0 : tie;
        for (int e = 1; e <= ENDS; e++)
            for (int lead = -LEAD_ZERO; lead <= LEAD_ZERO; lead++) {
                double sum = 0.0;
                for (int score = -SCORE_ZERO; score <= SCORE_ZERO; score++) {
                    double value = after_score(chance[e - 1], lead, score);
                    if (score == 1) { /* a team that could take one point can also blank the end */
                        double blank = after_score(chance[e - 1], lead, 0);
                        value = blank > value ? blank : value;
                    }
                    sum += table->share[SCORE_ZERO + score] * value;
                }
                chance[e][LEAD_ZERO + lead] = sum < 1.0 ? sum : 1.0; /* the shares are rounded */
            }
    }
}

static void build_tables(void)
{
    const struct profile *profile;

    for (int k = 0; (profile = profile_at(k)) != NULL; k++)
        build_table(&tables[k], profile->end_scores);
}

static const struct table *table_of(const struct rules *rules)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build_tables);
    return &tables[profile_of(rules) - profile_at(0)];
}

double win_table_after(const struct game *game, int lead, bool has_hammer)
{
    int left = game->ends - game->end - 1;
    bool extra = game->extra_ends > 0;
    if (left < 0) { /* an extra end: decided as soon as someone leads */
        left = 0;
        extra = game->end + 1 < game->ends + game->extra_ends;
    }
    if (left > ENDS)
        left = ENDS;
    const double *chance = table_of(game->rules)->chance[extra][left];
    return has_hammer ? of_hammer(chance, lead) : 1.0 - of_hammer(chance, -lead);
}
