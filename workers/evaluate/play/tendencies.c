/* Shot tendencies: counts the kinds of results of throws. */
#include "workers/evaluate/play/tendencies.h"

#include "workers/pool.h"

#include <stdlib.h>

bool tendencies_add(struct tendencies *tendencies, const struct ice_profile *ice,
                    const struct game *before, const struct shot *executed)
{
    const struct throw_request request = player_throw(before, ice, *executed);
    struct throw_result result;
    if (throw_fast(&request, &result) != THROW_OK)
        return false;
    enum shot_kind kind =
        shot_kind_of_result(before->rules, &before->position, request.stone, &result);
    tendencies->count[before->shot][kind]++;
    return true;
}

int64_t tendencies_total(const struct tendencies *tendencies, int shot)
{
    int64_t total = 0;
    for (int kind = 0; kind < SHOT_KIND_COUNT; kind++)
        total += tendencies->count[shot][kind];
    return total;
}

/* The counts of one thread. */
struct counter {
    const struct ice_profile *ice;
    bool itself; /* both sides are player 0 */
    struct tendencies sum[2];
};

struct work {
    const struct tendencies_settings *settings;
    const struct player *const *players;
    struct pool *pool;
    struct counter *counter; /* of each thread */
    atomic_int_fast64_t done;
    atomic_int status; /* enum pair_status, the first that is not PAIR_OK */
};

static void count_move(void *context, const struct pair_move *move)
{
    struct counter *counter = context;
    if (!move->conceded)
        (void)tendencies_add(&counter->sum[counter->itself ? 0 : move->player], counter->ice,
                             move->game_before,
                             &move->executed); /* cannot fail: the shot was thrown before */
}

/* Plays two games: a pair, or two games of a player against itself. */
static enum pair_status play_two(const struct work *work, int64_t pair, struct counter *counter)
{
    const struct tendencies_settings *settings = work->settings;
    const int games = counter->itself ? 2 : 1; /* with only the first game of each pair played */
    enum pair_status status = PAIR_OK;
    struct pair_result result;
    struct pair_failure failure;

    if (settings->cancel && atomic_load(settings->cancel))
        return PAIR_CANCELLED;
    for (int k = 0; k < games && status == PAIR_OK; k++)
        status = pair_play(&settings->setting, work->players, 0,
                           (uint64_t)pair * (uint64_t)games + (uint64_t)k, settings->cancel,
                           count_move, counter, &result, &failure);
    return status;
}

static void play_pair(void *context, size_t index, int thread)
{
    struct work *work = context;
    const struct tendencies_settings *settings = work->settings;
    int ok = PAIR_OK;
    enum pair_status status = play_two(work, (int64_t)index, &work->counter[thread]);

    if (status != PAIR_OK) {
        atomic_compare_exchange_strong(&work->status, &ok, (int)status);
        pool_stop(work->pool);
    }
    int64_t done = atomic_fetch_add(&work->done, 1) + 1;
    if (thread == 0 && settings->progress)
        settings->progress(settings->context, done, false);
}

static void add(const struct tendencies *from, struct tendencies *to)
{
    for (int shot = 0; shot < TENDENCIES_SHOTS; shot++)
        for (int kind = 0; kind < SHOT_KIND_COUNT; kind++)
            to->count[shot][kind] += from->count[shot][kind];
}

enum pair_status tendencies_measure(const struct tendencies_settings *settings,
                                    const struct player *const players[2],
                                    struct tendencies ret_tendencies[2])
{
    struct work work = {.settings = settings,
                        .players = players,
                        .pool = pool_new(settings->threads),
                        .status = PAIR_OK};
    int threads = work.pool ? pool_threads(work.pool) : 0;

    work.counter = calloc((size_t)threads, sizeof *work.counter);
    if (threads == 0 || !work.counter) {
        pool_free(work.pool);
        free(work.counter);
        return PAIR_NO_MEMORY;
    }
    for (int k = 0; k < threads; k++)
        work.counter[k] = (struct counter){.ice = settings->setting.ice, .itself = !players[1]};
    pool_run(work.pool, (size_t)settings->pairs, play_pair, &work);

    enum pair_status status = (enum pair_status)atomic_load(&work.status);
    for (int side = 0; side < 2 && status == PAIR_OK; side++) {
        ret_tendencies[side] = (struct tendencies){0};
        for (int k = 0; k < threads; k++)
            add(&work.counter[k].sum[side], &ret_tendencies[side]);
    }
    pool_free(work.pool);
    free(work.counter);
    return status;
}
