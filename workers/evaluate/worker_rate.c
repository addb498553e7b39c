/* Job "rate": the ladder of a profile from all its games of one length. The spec gives them as
 * {"profile","ends","extra_ends","anchor","pairings":[{"a","b","pairs","half_points":[5]},…]}.
 * These are sums over pairs, in which each player has each seat once: they do not show the worth of
 * the first hammer, so the result leaves it out. */
#include "workers/evaluate/report/report.h"
#include "workers/evaluate/statistics/elo.h"
#include "workers/evaluate/statistics/statistics.h"
#include "workers/evaluate/worker_jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRINGS_MAX = 100000 };

struct pairing {
    const char *names[2];
    int64_t pairs;
    int64_t half_points[PENTANOMIAL]; /* pairs by half points of the first */
};

static const struct result_member pairing_members[] = {
    {"a", RESULT_TEXT, offsetof(struct pairing, names[0]), 0, false},
    {"b", RESULT_TEXT, offsetof(struct pairing, names[1]), 0, false},
    {"pairs", RESULT_WHOLE, offsetof(struct pairing, pairs), 0, false},
    {"half_points", RESULT_WHOLE, offsetof(struct pairing, half_points), PENTANOMIAL, false},
    {0}};

struct entrant {
    const char *name;
    int64_t pairs;
};

/* ---- reading ---- */

/* Reads pairing number `index`. On false, the job has failed. */
static bool read_pairing(struct worker *worker, const json_t *json, size_t index,
                         struct pairing *ret_pairing)
{
    bool good = result_read(pairing_members, json, ret_pairing);

    for (int k = 0; k < PENTANOMIAL && good; k++)
        good = ret_pairing->half_points[k] >= 0 && ret_pairing->half_points[k] < INT64_MAX / 16;
    if (!good) {
        worker_fail(worker, "bad-spec", false, "/pairings/%zu: is not a pairing", index);
        return false;
    }
    int64_t sum = pentanomial_pairs(ret_pairing->half_points);
    if (sum != ret_pairing->pairs)
        worker_fail(worker, "bad-spec", false,
                    "/pairings/%zu/pairs: is not the sum of half_points, which is %lld", index,
                    (long long)sum);
    return sum == ret_pairing->pairs;
}

/* ---- entrants ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct entrant *)a)->name, ((const struct entrant *)b)->name);
}

static int by_pairs(const void *a, const void *b)
{
    const struct entrant *x = a, *y = b;

    return x->pairs != y->pairs ? (x->pairs < y->pairs) - (x->pairs > y->pairs) : by_name(a, b);
}

/* Writes each name once, with its pairs, in the order of names; if a ladder cannot hold all, those
 * with the most pairs. Returns how many. Pairs of a player with itself do not count. */
static int find_entrants(const struct pairing *pairings, size_t count, struct entrant *entrants)
{
    size_t all = 0, different = 0;

    for (size_t k = 0; k < count; k++)
        for (int side = 0; side < 2 && strcmp(pairings[k].names[0], pairings[k].names[1]); side++)
            entrants[all++] = (struct entrant){pairings[k].names[side], pairings[k].pairs};
    qsort(entrants, all, sizeof *entrants, by_name);
    for (size_t k = 0; k < all; k++) {
        if (different > 0 && strcmp(entrants[different - 1].name, entrants[k].name) == 0)
            entrants[different - 1].pairs += entrants[k].pairs;
        else
            entrants[different++] = entrants[k];
    }
    qsort(entrants, different, sizeof *entrants, by_pairs);
    if (different > ELO_PLAYERS_MAX)
        different = ELO_PLAYERS_MAX;
    qsort(entrants, different, sizeof *entrants, by_name);
    return (int)different;
}

static int find_entrant(const struct entrant *entrants, int count, const char *name)
{
    for (int k = 0; k < count; k++)
        if (strcmp(entrants[k].name, name) == 0)
            return k;
    return -1;
}

/* ---- rating ---- */

/* Gives each player the mean of both seats, as the hammer is not rated. */
static void add_games(const struct pairing *pairing, const struct entrant *entrants,
                      struct elo_games *games)
{
    int i = find_entrant(entrants, games->players, pairing->names[0]);
    int j = find_entrant(entrants, games->players, pairing->names[1]);

    if (i < 0 || j < 0 || i == j)
        return;
    for (int h = 0; h < PENTANOMIAL; h++) {
        double share = h / (double)(PENTANOMIAL - 1);
        elo_add_pairs(games, i, j, (double)pairing->half_points[h], share, 1.0 - share);
    }
}

static void add_places(const struct entrant *entrants, const struct elo_ratings *ratings,
                       json_t *places)
{
    for (int k = 0; k < ratings->players; k++) {
        double elo = ratings->rating[k], margin = STATISTICS_Z_95 * elo_error(ratings, k);
        const struct result_rating place = {
            entrants[k].name, elo, {elo - margin, elo + margin}, entrants[k].pairs};
        json_array_append_new(places, result_write(result_rating_members, &place));
    }
}

/* Rates the pairings; `ladder` names the games and the wanted anchor. A ladder of fewer than two
 * players is empty. */
static json_t *rate(struct worker *worker, struct result_ladder ladder,
                    const struct pairing *pairings, size_t count, struct entrant *entrants)
{
    static struct elo_games games; /* large; a process does one job */
    static struct elo_ratings ratings;
    json_t *places = json_array();

    games.players = find_entrants(pairings, count, entrants);
    if (games.players >= 2) {
        for (size_t k = 0; k < count; k++)
            add_games(&pairings[k], entrants, &games);
        int zero = find_entrant(entrants, games.players, ladder.anchor);
        if (zero < 0)
            zero = 0;
        if (!elo_fit(&games, zero, &ratings)) {
            json_decref(places);
            return worker_fail(worker, "failed", false, "the ratings could not be computed");
        }
        ladder.anchor = entrants[zero].name;
        add_places(entrants, &ratings, places);
    }
    return report_join(result_write(result_ladder_members, &ladder),
                       json_pack("{s:o}", "ladder", places));
}

/* The anchor may be unknown to this program: it may have played before an update. */
static bool keep_text(void *context, const char *text, char *ret_spec, char *ret_error)
{
    (void)context, (void)ret_error;
    snprintf(ret_spec, PLAYER_SPEC_MAX, "%s", text);
    return true;
}

/* Reads the pairings and rates them. */
static json_t *rate_all(struct worker *worker, struct result_ladder ladder, const json_t *list)
{
    size_t count = json_array_size(list);
    struct pairing *pairings = calloc(count + 1, sizeof *pairings);
    struct entrant *entrants = calloc(2 * count + 1, sizeof *entrants);
    bool good = pairings && entrants;

    for (size_t k = 0; k < count && good; k++)
        good = read_pairing(worker, json_array_get(list, k), k, &pairings[k]);
    json_t *result = good ? rate(worker, ladder, pairings, count, entrants) : NULL;
    free(pairings);
    free(entrants);
    return result;
}

json_t *job_rate(struct worker *worker, const struct wire_job *job)
{
    const json_t *list = json_object_get(job->spec, "pairings");
    json_t *asked = json_copy(job->spec), *result = NULL;

    json_object_del(asked, "pairings"); /* an input of the job, not a field of its spec */
    json_t *spec = asked ? spec_read(worker, job, asked, keep_text) : NULL;
    if (spec && (!json_is_array(list) || json_array_size(list) > PAIRINGS_MAX)) {
        worker_fail(worker, "bad-spec", false, "/pairings: must be a list of at most %d pairings",
                    PAIRINGS_MAX);
    } else if (spec) {
        const struct result_ladder ladder = {
            .profile = json_string_value(json_object_get(spec, "profile")),
            .anchor = json_string_value(json_object_get(spec, "anchor")),
            .ends = spec_whole(spec, "ends"),
            .extra_ends = spec_whole(spec, "extra_ends"),
        };
        result = rate_all(worker, ladder, list);
    }
    json_decref(spec);
    json_decref(asked);
    return result;
}
