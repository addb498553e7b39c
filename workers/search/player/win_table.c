/* Probabilities of winning between two ends. */
#include "workers/search/player/win_table.h"

#include "workers/search/style/style.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum {
    ENDS = 20,
    LEADS = 31,
    LEAD_ZERO = 15,
    SCORES = PROFILE_SCORES,
    SCORE_ZERO = PROFILE_SCORE_ZERO
};

/* Shares of the scores of the team with the hammer. */
enum { ORDINARY, POWER, SHARES };

/* Whose chances: of the player who asks, or of the opponent. Among equals they are the same. */
enum who { MINE, THEIRS };

/* The chances when some ends are left, by who it is, power plays that are left (own, the other's)
 * and lead: of the team with the hammer, or in mixed doubles of the team that chooses the setup. */
struct chances {
    double of[2][2][2][LEADS];
};

/* A tie after the last end is a draw (extra = 0) or is played out in extra ends (1). */
struct win_table {
    bool has_setups;
    bool of_equals;                  /* MINE stands for both */
    double share[2][SHARES][SCORES]; /* of the ends, by who has the hammer */
    struct chances chance[2][ENDS + 1];
};

/* The side that an end is looked at from: it has the hammer, or chooses the setup. */
struct side {
    enum who who;
    int lead;
    bool own, theirs; /* power plays that are left after the end */
};

static struct side other_side(const struct win_table *table, struct side side)
{
    enum who other = table->of_equals || side.who == THEIRS ? MINE : THEIRS;

    return (struct side){other, -side.lead, side.theirs, side.own};
}

static struct win_table tables[PROFILES_MAX];
static struct win_table against[STYLE_ROWS_MAX];

static double chance_at(const struct chances *chances, struct side side)
{
    int lead = side.lead > LEAD_ZERO ? LEAD_ZERO : side.lead < -LEAD_ZERO ? -LEAD_ZERO : side.lead;

    return chances->of[side.who][side.own][side.theirs][LEAD_ZERO + lead];
}

/* Returns the chance of the side when it scores `score` in this end. */
static double after_score(const struct win_table *table, const struct chances *next,
                          struct side side, int score)
{
    /* Who does not score has the hammer or the choice. A blank end keeps the hammer; the choice
     * goes to the other side. */
    bool passes = score > 0 || (score == 0 && table->has_setups);

    side.lead += score;
    return passes ? 1.0 - chance_at(next, other_side(table, side)) : chance_at(next, side);
}

/* Returns the chance of the side after an end with these shares, in which it throws last (sign 1)
 * or first (-1). */
static double after_end(const struct win_table *table, const struct chances *next, struct side side,
                        const double share[SCORES], int sign)
{
    double sum = 0.0;

    for (int score = -SCORE_ZERO; score <= SCORE_ZERO; score++) {
        double value = after_score(table, next, side, sign * score);
        if (score == 1) { /* a team that could take one point can also blank the end */
            double blank = after_score(table, next, side, 0);
            value = sign * blank > sign * value ? blank : value;
        }
        sum += share[SCORE_ZERO + score] * value;
    }
    return sum < 1.0 ? sum : 1.0; /* the shares are rounded */
}

static double after_setup(const struct win_table *table, const struct chances *next,
                          struct side side, enum setup setup)
{
    if (setup_is_power(setup)) {
        side.own = false;
        return after_end(table, next, side, table->share[side.who][POWER], 1);
    }
    return after_end(table, next, side, table->share[side.who][ORDINARY],
                     setup == SETUP_GUARD ? -1 : 1);
}

static double best_setup(const struct win_table *table, const struct chances *next,
                         struct side side)
{
    double best = after_setup(table, next, side, SETUP_HOUSE);

    if (!table->has_setups)
        return best;
    for (int k = SETUP_GUARD; k <= (side.own ? SETUP_LEFT : SETUP_GUARD); k++) {
        double value = after_setup(table, next, side, (enum setup)k);
        best = value > best ? value : best;
    }
    return best;
}

static void share_scores(const double ends[SCORES], double ret_share[SCORES])
{
    double all = 0.0;

    for (int k = 0; k < SCORES; k++)
        all += ends[k];
    for (int k = 0; k < SCORES; k++)
        ret_share[k] = ends[k] / all;
}

static void share_counts(const int counts[SCORES], double ret_share[SCORES])
{
    double ends[SCORES];

    for (int k = 0; k < SCORES; k++)
        ends[k] = counts[k];
    share_scores(ends, ret_share);
}

/* Returns the chance of the side with the hammer at the start of the first extra end; they are
 * played until someone scores. */
static double chance_of_tie(const struct win_table *table, enum who who)
{
    const double *share = table->share[who][ORDINARY];
    double mine = 0.0, theirs = 0.0, blank = share[SCORE_ZERO];

    for (int k = 0; k < SCORES; k++) {
        mine += k > SCORE_ZERO ? share[k] : 0.0;
        theirs += k < SCORE_ZERO ? share[k] : 0.0;
    }
    return table->has_setups ? (mine + blank) / (1.0 + blank) : mine / (mine + theirs);
}

/* Fills in the chances of one kind of side, from the last end backwards. */
static void add_up_lead(struct win_table *table, int extra, int left, struct side side)
{
    double tie = extra ? chance_of_tie(table, side.who) : 0.5;
    double of_last = side.lead > 0 ? 1.0 : side.lead < 0 ? 0.0 : tie;

    table->chance[extra][left].of[side.who][side.own][side.theirs][LEAD_ZERO + side.lead] =
        left == 0 ? of_last : best_setup(table, &table->chance[extra][left - 1], side);
}

/* Fills in the chances of a table whose shares are known. */
static void add_up(struct win_table *table)
{
    const int who = table->of_equals ? 1 : 2, kinds = table->has_setups ? 4 : 1;

    for (int extra = 0; extra < 2; extra++)
        for (int left = 0; left <= ENDS; left++)
            for (int k = 0; k < who * kinds; k++)
                for (int lead = -LEAD_ZERO; lead <= LEAD_ZERO; lead++) {
                    int kind = k % kinds;
                    add_up_lead(table, extra, left,
                                (struct side){(enum who)(k / kinds), lead, kind / 2, kind % 2});
                }
}

static void build_tables(void)
{
    const struct profile *profile;

    for (int k = 0; (profile = profile_at(k)) != NULL; k++) {
        struct win_table *table = &tables[k];
        table->of_equals = true;
        table->has_setups = profile->rules.preplaced > 0;
        share_counts(profile->end_scores, table->share[MINE][ORDINARY]);
        if (table->has_setups)
            share_counts(profile->power_scores, table->share[MINE][POWER]);
        add_up(table);
    }
}

struct win_table *win_table_new(const double share[SCORES])
{
    struct win_table *table = calloc(1, sizeof *table);

    if (!table)
        return NULL;
    table->of_equals = true;
    share_scores(share, table->share[MINE][ORDINARY]);
    add_up(table);
    return table;
}

void win_table_free(struct win_table *table)
{
    free(table);
}

static void build_against(void)
{
    for (int k = 0; style_rows[k].profile; k++) {
        const struct style_row *row = &style_rows[k];
        struct win_table *table = &against[k];
        double theirs[SCORES];
        assert(k < STYLE_ROWS_MAX);
        if (!style_has_ends(row))
            continue;
        for (int s = 0; s < SCORES; s++)
            theirs[s] = row->ends[SEAT_SENTE][SCORES - 1 - s];
        share_counts(row->ends[SEAT_GOTE], table->share[MINE][ORDINARY]);
        share_scores(theirs, table->share[THEIRS][ORDINARY]);
        add_up(table);
    }
}

const struct win_table *win_table_against(const struct style_row *row)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build_against);
    return style_has_ends(row) ? &against[row - style_rows] : NULL;
}

static const struct win_table *table_of(const struct rules *rules)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build_tables);
    return &tables[profile_of(rules) - profile_at(0)];
}

/* Returns the chances after the current end. */
static const struct chances *chances_after(const struct win_table *table, const struct game *game)
{
    int left = game->ends - game->end - 1;
    bool extra = game->extra_ends > 0;

    if (left < 0) { /* an extra end: decided as soon as someone leads */
        left = 0;
        extra = game->end + 1 < game->ends + game->extra_ends;
    }
    return &table->chance[extra][left > ENDS ? ENDS : left];
}

/* The view of a team after the current end. */
static struct side side_of(const struct win_table *table, const struct game *game, int team,
                           int lead)
{
    return (struct side){MINE, lead, table->has_setups && !game->power_used[team],
                         table->has_setups && !game->power_used[1 - team]};
}

double win_table_after(const struct win_table *table, const struct game *game, int lead,
                       bool has_hammer)
{
    table = table ? table : table_of(game->rules);
    const struct chances *chances = chances_after(table, game);
    const struct side side = side_of(table, game, game_next_team(game), lead);

    return has_hammer ? chance_at(chances, side)
                      : 1.0 - chance_at(chances, other_side(table, side));
}

double win_mix_after(const struct win_mix *mix, const struct game *game, int lead, bool has_hammer)
{
    double win = 0.0, rest = 1.0;

    for (int k = 0; k < mix->count; k++) {
        double chance = win_table_after(mix->part[k].table, game, lead, has_hammer);
        win += mix->part[k].share * chance;
        rest -= mix->part[k].share;
    }
    return win + rest * win_table_after(NULL, game, lead, has_hammer);
}

double win_table_of_setup(const struct game *game, enum setup setup)
{
    const struct win_table *table = table_of(game->rules);
    int team = game_chooser(game);
    int lead = game_total(game, team) - game_total(game, 1 - team);

    assert(table->has_setups);
    return after_setup(table, chances_after(table, game), side_of(table, game, team, lead), setup);
}

enum setup win_table_setup(const struct game *game)
{
    enum setup best = SETUP_HOUSE;
    double most = win_table_of_setup(game, best);

    for (int k = SETUP_GUARD; k <= SETUP_LEFT; k++) { /* both sides are the same */
        double chance = win_table_of_setup(game, (enum setup)k);
        if (game_allows_setup(game, (enum setup)k) && chance > most) {
            most = chance;
            best = (enum setup)k;
        }
    }
    return best;
}
