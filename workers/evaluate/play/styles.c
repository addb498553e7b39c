/* Styles of players. See styles.h. */
#include "workers/evaluate/play/styles.h"

#include "workers/pool.h"

#include <math.h>
#include <stdlib.h>

enum { THROWS_MAX = 512 }; /* of a player in a pair */

struct taker {
    const struct pair_setting *setting;
    int count, most;
    struct style_throw *throw;
};

static void take_move(void *context, const struct pair_move *move)
{
    struct taker *taker = context;
    const struct game *before = move->game_before;

    if (move->conceded || move->player != 0 || taker->count == taker->most)
        return;
    struct throw_seen seen;
    throw_seen_set(&seen, before, &move->turn->board, &move->executed);
    if (style_see(before->rules, taker->setting->ice, &seen, &taker->throw [taker->count]))
        taker->count++;
}

int styles_throws(const struct pair_setting *setting, const struct player *const players[2],
                  int64_t pair, const atomic_bool *cancel, int most, struct style_throw *ret_throws)
{
    struct taker taker = {setting, 0, most, ret_throws};
    struct pair_result result;
    struct pair_failure failure;
    enum pair_status status = pair_play(setting, players, 0, (uint64_t)pair, cancel, take_move,
                                        &taker, &result, &failure);

    return status == PAIR_OK ? taker.count : -(int)status;
}

struct work {
    const struct pair_setting *setting;
    const struct player *const *players;
    const atomic_bool *cancel;
    int64_t first;
    struct pool *pool;
    struct style_counts *counts; /* of each thread */
    atomic_int status;
};

static void stop_work(struct work *work, enum pair_status status)
{
    atomic_store(&work->status, (int)status);
    pool_stop(work->pool);
}

static void count_throws(void *context, size_t index, int thread)
{
    struct work *work = context;
    struct style_counts *counts = &work->counts[thread];
    struct style_throw throws[THROWS_MAX];
    int count = styles_throws(work->setting, work->players, work->first + (int64_t)index,
                              work->cancel, THROWS_MAX, throws);

    if (count < 0) {
        stop_work(work, (enum pair_status) - count);
        return;
    }
    for (int k = 0; k < count; k++)
        for (int trait = 0; trait < STYLE_TRAITS; trait++)
            if (throws[k].number[trait] >= 0)
                counts->count[throws[k].number[trait]]++;
    counts->throws += count;
}

static void count_ends(void *context, size_t index, int thread)
{
    struct work *work = context;
    struct style_counts *counts = &work->counts[thread];
    struct pair_result result;
    struct pair_failure failure;
    enum pair_status status = pair_play(work->setting, work->players, 0, index, work->cancel, NULL,
                                        NULL, &result, &failure);

    if (status != PAIR_OK) {
        stop_work(work, status);
        return;
    }
    for (int game = 0; game < 2; game++) {
        int score = result.game[game].end[0].score; /* of the player; rink's is the opposite */
        int seat = result.game[game].end[0].hammer ? SEAT_SENTE : SEAT_GOTE;
        counts->ends[seat][PROFILE_SCORE_ZERO - score]++;
    }
}

/* Lets threads count, and adds up what they counted. */
static enum pair_status count_pairs(struct work *work, pool_task *task, int64_t pairs, int threads,
                                    struct style_counts *counts)
{
    work->pool = pool_new(threads);
    int count = work->pool ? pool_threads(work->pool) : 0;
    work->counts = calloc((size_t)count + 1, sizeof *work->counts);
    atomic_init(&work->status, PAIR_OK);
    if (!work->pool || !work->counts) {
        pool_free(work->pool);
        free(work->counts);
        return PAIR_NO_MEMORY;
    }
    pool_run(work->pool, (size_t)pairs, task, work);
    for (int k = 0; k < count; k++) {
        counts->throws += work->counts[k].throws;
        for (int n = 0; n < STYLE_COUNTS; n++)
            counts->count[n] += work->counts[k].count[n];
        for (int n = 0; n < 2 * PROFILE_SCORES; n++)
            counts->ends[n / PROFILE_SCORES][n % PROFILE_SCORES] +=
                work->counts[k].ends[n / PROFILE_SCORES][n % PROFILE_SCORES];
    }
    pool_free(work->pool);
    free(work->counts);
    return (enum pair_status)atomic_load(&work->status);
}

enum pair_status styles_measure(const struct pair_setting *setting,
                                const struct player *const players[2], int64_t first, int64_t pairs,
                                int threads, const atomic_bool *cancel,
                                struct style_counts *ret_counts)
{
    struct work work = {.setting = setting, .players = players, .cancel = cancel, .first = first};

    *ret_counts = (struct style_counts){0};
    return count_pairs(&work, count_throws, pairs, threads, ret_counts);
}

enum pair_status styles_measure_ends(const struct pair_setting *setting,
                                     const struct player *const players[2], int64_t pairs,
                                     int threads, const atomic_bool *cancel,
                                     struct style_counts *counts)
{
    struct pair_setting of_ends = *setting;
    struct work work = {.setting = &of_ends, .players = players, .cancel = cancel};

    of_ends.ends = 1;
    return count_pairs(&work, count_ends, pairs, threads, counts);
}

/* Adds the throws of a group times the divergence of their shares from the row's, and its degrees
 * of freedom. */
static void add_group(const int64_t *seen, const uint16_t *known, int classes, double *distance,
                      double *degrees)
{
    double all = 0.0, known_all = 1.0, kinds = 0.0;

    for (int c = 0; c < classes; c++) {
        all += (double)seen[c];
        known_all += known[c];
        kinds += seen[c] > 0 || known[c] > 0;
    }
    if (all == 0.0)
        return;
    for (int c = 0; c < classes; c++)
        if (seen[c] > 0)
            *distance += (double)seen[c] *
                         log((double)seen[c] / all * known_all / (known[c] + 1.0 / classes));
    /* The row is a sample, too. */
    *degrees += (kinds - 1.0) * (1.0 + all / known_all);
}

struct style_misfit styles_misfit(const struct style_counts *counts, const struct style_row *row)
{
    double distance = 0.0, degrees = 0.0, throws = (double)counts->throws;

    for (int trait = 0; trait < STYLE_TRAITS; trait++) {
        const struct style_part *part = &style_parts[trait];
        for (int group = 0; group < part->groups; group++) {
            int first = part->first + group * part->classes;
            add_group(counts->count + first, row->count + first, part->classes, &distance,
                      &degrees);
        }
    }
    if (throws == 0.0)
        return (struct style_misfit){.is_right = false};
    double chance = (degrees + 4.0 * sqrt(2.0 * degrees)) / (2.0 * throws);
    return (struct style_misfit){.distance = distance / throws,
                                 .chance = chance,
                                 .is_right = distance / throws <= chance + STYLE_TOLERANCE};
}

/* The mean score of ends and its squared standard error. */
static double mean_score(const double ends[PROFILE_SCORES], double *ret_error2)
{
    double all = 0.0, sum = 0.0, squares = 0.0;

    for (int k = 0; k < PROFILE_SCORES; k++) {
        double score = k - PROFILE_SCORE_ZERO;
        all += ends[k];
        sum += ends[k] * score;
        squares += ends[k] * score * score;
    }
    double mean = sum / all;
    *ret_error2 = (squares / all - mean * mean) / all;
    return mean;
}

struct style_misfit styles_ends_misfit(const struct style_counts *counts,
                                       const struct style_row *row)
{
    struct style_misfit worst = {.is_right = true};

    for (int seat = 0; seat < 2 && style_has_ends(row); seat++) {
        double seen[PROFILE_SCORES], known[PROFILE_SCORES], error2[2];
        for (int k = 0; k < PROFILE_SCORES; k++) {
            seen[k] = (double)counts->ends[seat][k];
            known[k] = row->ends[seat][k];
        }
        double distance = fabs(mean_score(seen, &error2[0]) - mean_score(known, &error2[1]));
        double chance = 4.0 * sqrt(error2[0] + error2[1]);
        bool is_right = distance <= chance + STYLE_ENDS_TOLERANCE; /* false: none was counted */
        if (seat == 0 || isnan(distance) || distance - chance > worst.distance - worst.chance)
            worst = (struct style_misfit){distance, chance, is_right};
    }
    return worst;
}
