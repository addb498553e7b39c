/* Shot tendencies: counts of what throws turned out to be. */
#include "workers/evaluate/play/tendencies.h"

#include <pthread.h>

enum { THREADS_MAX = 256 };

bool tendencies_add(struct tendencies *tendencies, const struct ice_profile *ice,
                    const struct game *before, const struct shot *executed)
{
    int stone = rules_stone_of_shot(before->rules, before->shot);
    const struct throw_request request = {
        .ice = ice,
        .before = &before->position,
        .stone = stone,
        .shot = *executed,
        .team0_has_hammer = game_team0_has_hammer(before),
    };
    struct throw_result result;
    if (throw_fast(&request, &result) != THROW_OK)
        return false;
    enum shot_kind kind = shot_kind_of_result(before->rules, &before->position, stone, &result);
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

struct work {
    const struct tendencies_settings *settings;
    const struct player *const *players;
    atomic_int_fast64_t next; /* the pair that nobody has taken yet */
    atomic_int_fast64_t done;
    atomic_int status;    /* enum pair_status, the first that is not PAIR_OK */
    pthread_mutex_t lock; /* of `sum` */
    struct tendencies sum[2];
};

/* What one thread counts. */
struct counter {
    const struct ice_profile *ice;
    bool itself; /* both sides are player 0 */
    struct tendencies sum[2];
};

static void count_move(void *context, const struct pair_move *move)
{
    struct counter *counter = context;
    if (!move->conceded)
        (void)tendencies_add(&counter->sum[counter->itself ? 0 : move->player], counter->ice,
                             move->game_before,
                             &move->executed); /* it was thrown before, so it can be */
}

/* Two games: a pair, or two that a player plays against itself. */
static enum pair_status play_two(const struct work *work, int64_t pair, struct counter *counter)
{
    const struct tendencies_settings *settings = work->settings;
    enum pair_status status = PAIR_OK;
    struct pair_result result;
    struct pair_failure failure;

    if (settings->cancel && atomic_load(settings->cancel))
        return PAIR_CANCELLED;
    if (!counter->itself)
        return pair_play(&settings->setting, work->players, 0, (uint64_t)pair, settings->cancel,
                         count_move, counter, &result, &failure);
    for (int k = 0; k < 2 && status == PAIR_OK; k++)
        status = pair_play_itself(&settings->setting, work->players[0], 0,
                                  2 * (uint64_t)pair + (uint64_t)k, settings->cancel, count_move,
                                  counter, &failure);
    return status;
}

static void play_pairs(struct work *work, bool reports)
{
    const struct tendencies_settings *settings = work->settings;
    struct counter counter = {.ice = settings->setting.ice, .itself = !work->players[1]};

    while (atomic_load(&work->status) == PAIR_OK) {
        int64_t pair = atomic_fetch_add(&work->next, 1);
        if (pair >= settings->pairs)
            break;
        int ok = PAIR_OK;
        enum pair_status status = play_two(work, pair, &counter);
        if (status != PAIR_OK)
            atomic_compare_exchange_strong(&work->status, &ok, (int)status);
        int64_t done = atomic_fetch_add(&work->done, 1) + 1;
        if (reports && settings->progress)
            settings->progress(settings->context, done, settings->pairs);
    }
    pthread_mutex_lock(&work->lock);
    for (int side = 0; side < 2; side++)
        for (int shot = 0; shot < TENDENCIES_SHOTS; shot++)
            for (int kind = 0; kind < SHOT_KIND_COUNT; kind++)
                work->sum[side].count[shot][kind] += counter.sum[side].count[shot][kind];
    pthread_mutex_unlock(&work->lock);
}

static void *run_thread(void *work)
{
    play_pairs(work, false);
    return NULL;
}

enum pair_status tendencies_measure(const struct tendencies_settings *settings,
                                    const struct player *const players[2],
                                    struct tendencies ret_tendencies[2])
{
    struct work work = {.settings = settings,
                        .players = players,
                        .status = PAIR_OK,
                        .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread[THREADS_MAX];
    int started = 0;

    while (started < settings->threads - 1 && started < THREADS_MAX &&
           pthread_create(&thread[started], NULL, run_thread, &work) == 0)
        started++; /* with fewer threads it only takes longer */
    play_pairs(&work, true);
    for (int k = 0; k < started; k++)
        pthread_join(thread[k], NULL);
    pthread_mutex_destroy(&work.lock);

    enum pair_status status = (enum pair_status)atomic_load(&work.status);
    if (status == PAIR_OK)
        for (int side = 0; side < 2; side++)
            ret_tendencies[side] = work.sum[side];
    return status;
}
