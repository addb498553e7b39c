/* Measures players at the positions of the bench. See regret.h. */
#include "workers/evaluate/regret/regret.h"

#include "models/ice/noise.h"
#include "models/tables/profiles.h"
#include "workers/pool.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two shots agree if the referee sees less between them than this, or than two standard errors. */
#define AGREE_WIN    0.005
#define AGREE_ERRORS 2.0
/* The file has rounded numbers. */
#define SAME (0.51 / REFEREE_STEPS)

enum { HALVES = 2 };

/* ---- one shot ---- */

/* The half of a block: even blocks choose and odd ones value, then the other way round. */
static double mean_win(const struct referee_value *blocks, int half)
{
    double sum = 0.0;

    for (int k = half; k < REFEREE_BLOCKS; k += HALVES)
        sum += blocks[k].win;
    return sum / (REFEREE_BLOCKS / HALVES);
}

/* Returns the values of the best shot on one half: the player's own shot is one of them. */
static const struct referee_value *best_on(const struct refereed *refereed,
                                           const struct referee_value *own, int half)
{
    const struct referee_value *best = own;
    double most = mean_win(own, half);

    for (int k = 0; k < refereed->count; k++) {
        const struct referee_value *blocks = refereed->finalists[k].block;
        double value = mean_win(blocks, half);
        if (value > most) {
            most = value;
            best = blocks;
        }
    }
    return best;
}

struct referee_value regret_of_shot(const struct refereed *refereed,
                                    const struct referee_value blocks[REFEREE_BLOCKS],
                                    struct referee_value *ret_noise)
{
    struct sample win = {.count = 0}, points = {.count = 0};

    for (int half = 0; half < HALVES; half++) {
        const struct referee_value *best = best_on(refereed, blocks, half);
        for (int k = 1 - half; k < REFEREE_BLOCKS; k += HALVES) {
            sample_add(&win, best[k].win - blocks[k].win);
            sample_add(&points, best[k].points - blocks[k].points);
        }
    }
    *ret_noise = (struct referee_value){sqrt(sample_variance(&win) / REFEREE_BLOCKS),
                                        sqrt(sample_variance(&points) / REFEREE_BLOCKS)};
    return (struct referee_value){sample_mean(&win), sample_mean(&points)};
}

/* ---- measuring ---- */

/* An answer of the player and its values. */
struct answered {
    struct shot shot;
    int64_t throws;
    double time_s;
    struct referee_value block[REFEREE_BLOCKS];
};

struct measure {
    const struct regret_setting *setting;
    const struct situations *situations;
    const struct refereed *refereed;
    int from;
    struct answered *answered; /* [count][seeds] */
    struct pool *pool;
    _Atomic int failed; /* enum player_status */
    atomic_int done;
};

static bool is_over(const struct measure *measure)
{
    return atomic_load(&measure->failed) != PLAYER_OK ||
           (measure->setting->cancel &&
            atomic_load_explicit(measure->setting->cancel, memory_order_relaxed));
}

static void note(struct measure *measure, enum player_status status)
{
    if (status == PLAYER_OK)
        return;
    atomic_store(&measure->failed, (int)status);
    pool_stop(measure->pool);
}

static enum player_status answer_at(const struct measure *measure, int number, int seed,
                                    struct answered *ret_answered)
{
    const struct regret_setting *setting = measure->setting;
    const struct game *game = &measure->situations->games[number];
    const struct profile *profile = profile_of(game->rules);
    const struct noise noise = noise_default(profile->ice, profile->ice->noise);
    struct player_answer *answer = malloc(sizeof *answer); /* large */
    struct player_query query = {.game = game,
                                 .ice = profile->ice,
                                 .noise = &noise,
                                 .limits = setting->limits,
                                 .key = {.seed = setting->seed + (uint64_t)seed,
                                         .stream = setting->stream,
                                         .game = (uint64_t)number},
                                 .cancel = setting->cancel};

    if (!answer)
        return PLAYER_NO_MEMORY;
    query.limits.threads = 1;
    throw_warm_up(query.ice);
    enum player_status status = player_choose(&setting->player, &query, answer);
    if (status == PLAYER_OK)
        *ret_answered = (struct answered){
            .shot = answer->shot, .throws = answer->simulations, .time_s = answer->elapsed_s};
    free(answer);
    return status;
}

/* A player with a network of one profile cannot play the other ones. */
static bool can_play(const struct player *player, const struct rules *rules)
{
    char why[PLAYER_ERROR_MAX];

    return !player->class->check_rules ||
           player->class->check_rules(player, rules, sizeof why, why);
}

static bool is_same_shot(struct shot a, struct shot b)
{
    return a.velocity.x == b.velocity.x && a.velocity.y == b.velocity.y && a.omega == b.omega;
}

/* Returns what the referee has already said of the last of `answers` answers; NULL: nothing. */
static const struct referee_value *known_blocks(const struct refereed *refereed,
                                                const struct answered *answered, int answers)
{
    const struct shot shot = answered[answers - 1].shot;

    for (int k = 0; k < refereed->count; k++)
        if (is_same_shot(refereed->finalists[k].shot, shot))
            return refereed->finalists[k].block;
    for (int k = 0; k < answers - 1; k++)
        if (is_same_shot(answered[k].shot, shot))
            return answered[k].block;
    return NULL;
}

/* The answers at one position, and the referee's look at each. */
static void measure_one(void *context, size_t index, int thread)
{
    struct measure *measure = context;
    const struct regret_setting *setting = measure->setting;
    const int number = measure->from + (int)index;
    struct answered *all = &measure->answered[index * (size_t)setting->seeds];
    enum player_status status = PLAYER_OK;

    const bool plays = can_play(&setting->player, measure->situations->games[number].rules);
    for (int seed = 0; plays && seed < setting->seeds && status == PLAYER_OK && !is_over(measure);
         seed++) {
        struct answered *answered = &all[seed];
        status = answer_at(measure, number, seed, answered);
        const struct referee_value *known =
            status == PLAYER_OK ? known_blocks(&measure->refereed[number], all, seed + 1) : NULL;
        if (known)
            memcpy(answered->block, known, sizeof answered->block);
        for (int block = 0;
             !known && status == PLAYER_OK && block < REFEREE_BLOCKS && !is_over(measure); block++)
            status = referee_look(setting->kind, &measure->situations->games[number], number,
                                  answered->shot, block, setting->cancel, &answered->block[block]);
    }
    note(measure, status);
    int done = atomic_fetch_add(&measure->done, 1) + 1;
    if (thread == 0 && setting->progress)
        setting->progress(setting->context, done, false);
}

/* Whether the referee sees no difference between two shots. */
static bool is_agreed(const struct answered *a, const struct answered *b)
{
    struct sample less = {.count = 0};

    for (int k = 0; k < REFEREE_BLOCKS; k++)
        sample_add(&less, a->block[k].win - b->block[k].win);
    const double error = sqrt(sample_variance(&less) / REFEREE_BLOCKS);
    return fabs(sample_mean(&less)) <= fmax(AGREE_WIN, AGREE_ERRORS * error);
}

static struct regret sum_up(const struct refereed *refereed, const struct answered *answered,
                            int seeds)
{
    struct regret regret = {.agreement = NAN};
    int pairs = 0, agreed = 0;

    for (int k = 0; k < seeds; k++) {
        struct referee_value noise;
        const struct referee_value lost = regret_of_shot(refereed, answered[k].block, &noise);
        regret.lost.win += lost.win / seeds;
        regret.lost.points += lost.points / seeds;
        regret.noise.win += noise.win / seeds;
        regret.noise.points += noise.points / seeds;
        regret.throws += (double)answered[k].throws / seeds;
        regret.time_s += answered[k].time_s / seeds;
        for (int other = 0; other < k; other++, pairs++)
            agreed += is_agreed(&answered[k], &answered[other]);
    }
    if (pairs > 0)
        regret.agreement = (double)agreed / pairs;
    return regret;
}

enum player_status regret_measure(const struct regret_setting *setting,
                                  const struct situations *situations,
                                  const struct refereed *refereed, int from, int count,
                                  struct regret *ret_regrets)
{
    struct measure measure = {
        .setting = setting, .situations = situations, .refereed = refereed, .from = from};
    const size_t answers = (size_t)count * (size_t)setting->seeds;

    assert(from >= 0 && count >= 1 && from + count <= situations->count);
    measure.answered = calloc(answers, sizeof *measure.answered);
    measure.pool = pool_new(setting->threads);
    atomic_init(&measure.failed, PLAYER_OK);
    atomic_init(&measure.done, 0);
    enum player_status status = measure.answered && measure.pool ? PLAYER_OK : PLAYER_NO_MEMORY;
    if (status == PLAYER_OK) {
        pool_run(measure.pool, (size_t)count, measure_one, &measure);
        status = (enum player_status)atomic_load(&measure.failed);
    }
    for (int k = 0; status == PLAYER_OK && k < count; k++)
        ret_regrets[k] =
            can_play(&setting->player, situations->games[from + k].rules)
                ? sum_up(&refereed[from + k], &measure.answered[k * setting->seeds], setting->seeds)
                : (struct regret){.left_out = true};
    pool_free(measure.pool);
    free(measure.answered);
    return status;
}

/* ---- is it the same referee? ---- */

/* Compares the first look at the first finalist of a position with what the file says. */
static bool check_position(enum referee_kind kind, const struct situations *situations, int number,
                           const struct refereed *refereed, char ret_error[SITUATIONS_ERROR_MAX])
{
    const struct refereed_shot *first = &refereed[number].finalists[0];
    struct referee_value value;

    if (referee_look(kind, &situations->games[number], number, first->shot, 0, NULL, &value) !=
        PLAYER_OK) {
        snprintf(ret_error, SITUATIONS_ERROR_MAX, "the referee cannot value position %d", number);
        return false;
    }
    if (fabs(value.win - first->block[0].win) <= SAME &&
        fabs(value.points - first->block[0].points) <= SAME)
        return true;
    snprintf(ret_error, SITUATIONS_ERROR_MAX,
             "this is another referee than that of the file: it values the first shot of position "
             "%d at %.5f, not %.5f; the ice, its network or rink have changed",
             number, value.win, first->block[0].win);
    return false;
}

/* Whether a position of the profile tells, and soon: `playouts` plays with several networks, of
 * which only one is kept, so there it has to be a last shot. */
static bool can_check(enum referee_kind kind, const struct game *game, const struct rules *rules)
{
    static const int most_left[] = {
        [REFEREE_ADJUSTED] = 4, [REFEREE_DEEP] = POSITION_STONES, [REFEREE_PLAYOUTS] = 1};

    return game->rules == rules && rules->shots - game->shot <= most_left[kind];
}

bool regret_check_referee(enum referee_kind kind, const struct situations *situations,
                          const struct refereed *refereed, int count,
                          char ret_error[SITUATIONS_ERROR_MAX])
{
    const struct profile *profile;

    for (int row = 0; (profile = profile_at(row)) != NULL; row++) {
        int number = 0;
        while (number < count && !can_check(kind, &situations->games[number], &profile->rules))
            number++;
        if (number < count && !check_position(kind, situations, number, refereed, ret_error))
            return false;
    }
    return true;
}

/* ---- groups ---- */

static void add_to(struct regret_group *group, const struct regret *regret)
{
    sample_add(&group->win, regret->lost.win);
    sample_add(&group->points, regret->lost.points);
    if (!isnan(regret->agreement))
        sample_add(&group->agreement, regret->agreement);
    sample_add(&group->throws, regret->throws);
    sample_add(&group->time_s, regret->time_s);
}

static bool is_in(const struct regret_group *group, int kind, const struct game *game)
{
    static const int last_shot[REGRET_STAGES] = {4, 9, 14, 15};
    const char *profile = game->rules->name;

    if (kind == 0)
        return true;
    if (kind <= 2)
        return strcmp(group->name, profile) == 0;
    int stage = kind - 3;
    return game->shot <= last_shot[stage] && (stage == 0 || game->shot > last_shot[stage - 1]);
}

int regret_groups(const struct situations *situations, const struct regret *regrets, int from,
                  int count, struct regret_group ret_groups[REGRET_GROUPS_MAX])
{
    static const char *const names[] = {"all",       "dc2",         "dc3",      "shots 0-4",
                                        "shots 5-9", "shots 10-14", "last shot"};
    enum { NAMES = sizeof names / sizeof names[0] };
    int groups = 0;

    _Static_assert((int)NAMES <= (int)REGRET_GROUPS_MAX, "REGRET_GROUPS_MAX is too small");
    for (int kind = 0; kind < NAMES; kind++) {
        struct regret_group group = {.name = names[kind]};
        for (int k = 0; k < count; k++)
            if (!regrets[k].left_out && is_in(&group, kind, &situations->games[from + k]))
                add_to(&group, &regrets[k]);
        if (group.win.count > 0)
            ret_groups[groups++] = group;
    }
    return groups;
}
