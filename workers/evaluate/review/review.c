/* A whole game: judges its shots on several threads and adds up. See review.h. */
#include "workers/evaluate/review/review.h"

#include "workers/pool.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

struct work {
    const struct review_setting *setting;
    const struct review_game *game;
    const atomic_bool *cancel;
    struct review_shot *shot;
    struct pool *threads;
    pthread_mutex_t lock; /* guards the fields below */
    enum review_status status;
    int done;
    void (*tell)(void *context, int count);
    void *context;
};

static void judge_one(void *context, size_t index, int thread)
{
    struct work *work = context;
    enum review_status status = review_shot(work->setting, &work->game->move[index], (int)index,
                                            work->cancel, &work->shot[index]);

    (void)thread;
    pthread_mutex_lock(&work->lock);
    if (status != REVIEW_OK) {
        if (work->status == REVIEW_OK)
            work->status = status;
        pool_stop(work->threads);
    } else if (work->tell) {
        work->tell(work->context, ++work->done);
    }
    pthread_mutex_unlock(&work->lock);
}

/* ---- the score ---- */

/* The score of the end that a shot has ended, for team 0: what its throw was worth. */
static int score_of(const struct review_shot *last)
{
    long score = lround(last->value_thrown.points);
    return (int)(last->team == 0 ? score : -score);
}

static bool ends_the_end(const struct review_move *move)
{
    return !move->conceded && move->before.shot + 1 == move->before.rules->shots;
}

static void set_score(struct review *review, int end, int score)
{
    review->scores[0][end] = score > 0 ? score : 0;
    review->scores[1][end] = score < 0 ? -score : 0;
    review->ends_played = end + 1;
}

/* Fills in the scores of the ends, and the result of the game. */
static void find_scores(struct review *review)
{
    const struct review_game *game = review->game;
    const struct review_move *last = &game->move[game->count - 1];
    const struct review_shot *shot = review->count > 0 ? &review->shot[review->count - 1] : NULL;
    int lead = 0;

    for (int k = 0; k < game->count; k++) {
        const struct game *now = &game->move[k].before;
        if (k == 0 || now->end == game->move[k - 1].before.end)
            continue;
        int total = game_total(now, 0) - game_total(now, 1);
        set_score(review, now->end - 1, total - lead);
        lead = total;
    }
    if (ends_the_end(last)) {
        int score = score_of(shot);
        set_score(review, last->before.end, score);
        lead += score;
    }
    review->conceded = last->conceded;
    review->sums.result.points = lead;
    if (game->is_broken_off && shot) /* what the last position is worth */
        review->sums.result.win =
            shot->team == 0 ? shot->value_thrown.win : 1.0 - shot->value_thrown.win;
    else if (last->conceded)
        review->sums.result.win = game_next_team(&last->before) == 0 ? 0.0 : 1.0;
    else
        review->sums.result.win = lead > 0 ? 1.0 : lead < 0 ? 0.0 : 0.5;
}

/* ---- sums ---- */

static struct review_value minus(struct review_value a, struct review_value b)
{
    return (struct review_value){a.win - b.win, a.points - b.points};
}

static void add(struct review_value *sum, struct review_value value)
{
    sum->win += value.win;
    sum->points += value.points;
}

/* A value of a shot in the view of team 0. */
static struct review_value seen_by_team0(const struct review_shot *shot, struct review_value value)
{
    if (shot->team == 0)
        return value;
    return (struct review_value){1.0 - value.win, -value.points};
}

/* Adds up losses and revisions. An end that was not played to its end counts no points. */
static void sum_up(struct review *review)
{
    struct review_sums *sums = &review->sums;

    sums->start = (struct review_value){0.0, 0.0};
    for (int k = 0; k < review->count; k++) {
        const struct review_shot *shot = &review->shot[k], *next = shot + 1;
        const struct review_move *move = &review->game->move[k];
        struct review_value best = seen_by_team0(shot, shot->value_best);
        struct review_value left = seen_by_team0(shot, shot->value_thrown), seen;
        bool is_first = k == 0 || move->before.end != move[-1].before.end;
        bool is_last = k + 1 == review->count;
        bool ends = ends_the_end(move);

        if (k == 0)
            sums->start.win = best.win;
        if (is_first)
            sums->start.points += best.points;
        add(&sums->call[shot->team], shot->call);
        add(&sums->execution[shot->team], shot->execution);
        seen = is_last ? sums->result : seen_by_team0(next, next->value_best);
        sums->revision.win += seen.win - left.win;
        if (ends)
            sums->revision.points += review->scores[0][move->before.end] -
                                     review->scores[1][move->before.end] - left.points;
        else
            sums->revision.points += is_last ? -left.points : minus(seen, left).points;
    }
}

struct review_value review_imbalance(const struct review *review)
{
    const struct review_sums *sums = &review->sums;
    struct review_value sum = sums->start;

    add(&sum, sums->call[1]);
    add(&sum, sums->execution[1]);
    add(&sum, sums->revision);
    return minus(minus(minus(sum, sums->call[0]), sums->execution[0]), sums->result);
}

/* Chooses the shots whose calls cost most, the most expensive first. */
static void find_keys(struct review *review)
{
    for (review->keys = 0; review->keys < REVIEW_KEYS; review->keys++) {
        int worst = -1;
        for (int k = 0; k < review->count; k++) {
            bool taken = review->shot[k].is_best;
            for (int i = 0; i < review->keys; i++)
                taken = taken || review->key[i] == k;
            if (!taken && (worst < 0 || review->shot[k].call.win > review->shot[worst].call.win))
                worst = k;
        }
        if (worst < 0 || !(review->shot[worst].call.win > 0.0))
            return;
        review->key[review->keys] = worst;
    }
}

enum review_status review_game(const struct review_setting *setting, const struct review_game *game,
                               const atomic_bool *cancel, void (*done)(void *context, int count),
                               void *context, struct review *ret_review)
{
    int count =
        game->count > 0 && game->move[game->count - 1].conceded ? game->count - 1 : game->count;
    struct work work = {.setting = setting,
                        .game = game,
                        .cancel = cancel,
                        .shot = calloc((size_t)game->count + 1, sizeof *work.shot),
                        .threads = pool_new(setting->limits.threads),
                        .status = REVIEW_OK,
                        .tell = done,
                        .context = context};

    *ret_review = (struct review){.game = game, .count = count, .shot = work.shot};
    if (!work.shot || !work.threads) {
        pool_free(work.threads);
        return REVIEW_NO_MEMORY;
    }
    throw_warm_up(game->profile->ice);
    pthread_mutex_init(&work.lock, NULL);
    pool_run(work.threads, (size_t)count, judge_one, &work);
    pthread_mutex_destroy(&work.lock);
    pool_free(work.threads);
    if (work.status != REVIEW_OK)
        return work.status;
    find_scores(ret_review);
    sum_up(ret_review);
    find_keys(ret_review);
    return REVIEW_OK;
}

void review_free(struct review *review)
{
    free(review->shot);
    review->shot = NULL;
}
