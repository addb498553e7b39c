/* Threads take the next index. The thread that finishes the oldest open pair books it and all
 * finished pairs directly behind it. */
#include "workers/evaluate/play/series.h"

#include "models/networks/end_value.h"
#include "workers/pool.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The most finished pairs that wait for an older one; threads run no further ahead. */
enum { WAITING_MAX = 4 * POOL_THREADS_MAX };

struct waiting {
    bool done, failed;
    char *text; /* its records, or the reason of its failure */
    size_t length;
    struct pair_result result;
};

struct run {
    const struct series *series;
    struct record_file *file;    /* NULL: none */
    struct pair_result *results; /* of the pairs from series->from on */
    size_t error_size;
    char *error;

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t booked_some;
    int64_t first;             /* first pair that is not in the records */
    int64_t total, booked;     /* pairs: all; first not booked. After a failure `total` ends at the
                                  first pair that failed. */
    enum series_status status; /* any but SERIES_OK: no more pairs are taken */
    struct waiting *waiting;   /* index % WAITING_MAX */
};

static int pairings(int player_count)
{
    return player_count * (player_count - 1) / 2;
}

int64_t series_pairs(const struct series *series)
{
    return series->pairs * pairings(series->player_count);
}

static void fail(struct run *run, const char *why)
{
    snprintf(run->error, run->error_size, "%s", why);
    run->status = SERIES_FAILED;
}

/* Fails the run after an operation on the file of records set errno. */
static void fail_at_records(struct run *run)
{
    snprintf(run->error, run->error_size, "%s: %s", run->series->records, strerror(errno));
    run->status = SERIES_FAILED;
}

/* ---- one pair ---- */

struct scribe {
    FILE *out;
    struct record_name name;
};

static void write_move(void *context, const struct pair_move *move)
{
    struct scribe *scribe = context;
    record_write_shot(scribe->out, &scribe->name, move);
}

/* Returns why a pair failed, for free(); NULL: out of memory. */
static char *failure_text(const struct series *series, const struct record_name *name,
                          enum pair_status status, const struct pair_failure *failure)
{
    const char *fault = end_value_fault();
    char player[PLAYER_SPEC_MAX], *text;

    player_write(&series->players[failure->player ? name->second : name->first], sizeof player,
                 player);
    if (asprintf(&text, "player %s %s in pair %lld, game %d, end %d, shot %d%s%s", player,
                 status == PAIR_BAD_SHOT ? "asked for a shot that cannot be thrown"
                                         : "failed to choose a shot",
                 (long long)name->pair, failure->game, failure->end, failure->shot,
                 fault ? ": " : "", fault ? fault : "") < 0)
        return NULL;
    return text;
}

/* Plays the pair at an index and makes its text. False: it was cancelled. */
static bool play_index(const struct run *run, int64_t index, struct waiting *ret_waiting)
{
    const struct series *series = run->series;
    struct scribe scribe = {NULL, record_name_at(series->player_count, index)};
    const struct player *players[2] = {&series->players[scribe.name.first],
                                       &series->players[scribe.name.second]};
    struct pair_failure failure;

    *ret_waiting = (struct waiting){.done = true};
    if (run->file && !(scribe.out = open_memstream(&ret_waiting->text, &ret_waiting->length))) {
        ret_waiting->failed = true;
        return true;
    }
    enum pair_status status =
        pair_play(&series->setting, players, (uint64_t)(index % pairings(series->player_count)),
                  (uint64_t)scribe.name.pair, series->cancel, scribe.out ? write_move : NULL,
                  &scribe, &ret_waiting->result, &failure);
    if (scribe.out) {
        if (status == PAIR_OK)
            match_record_write_pair(scribe.out, &scribe.name, &ret_waiting->result);
        bool short_of_memory = ferror(scribe.out);
        ret_waiting->failed = fclose(scribe.out) != 0 || short_of_memory;
    }
    if (status == PAIR_OK && !ret_waiting->failed)
        return true;
    free(ret_waiting->text);
    if (status == PAIR_CANCELLED)
        return false;
    ret_waiting->failed = true;
    ret_waiting->text =
        status == PAIR_OK ? NULL : failure_text(series, &scribe.name, status, &failure);
    return true;
}

/* ---- all pairs; the functions below run under the lock ---- */

static void end_run(struct run *run, enum series_status status)
{
    /* After a stop or a failure, unfinished pairs do not matter. */
    if (run->status == SERIES_OK || run->status == SERIES_CANCELLED)
        run->status = status;
    atomic_store(run->series->cancel, true);
    pthread_cond_broadcast(&run->booked_some);
}

static void book(struct run *run, struct waiting *waiting)
{
    const struct series *series = run->series;

    if (waiting->failed)
        fail(run, waiting->text ? waiting->text : "out of memory");
    else if (run->file && !record_append(run->file, waiting->text, waiting->length))
        fail_at_records(run);
    if (run->status == SERIES_FAILED) {
        end_run(run, SERIES_FAILED);
        return;
    }
    assert(run->booked < run->total);
    run->results[run->booked - run->series->from] = waiting->result;
    int64_t index = run->booked++;
    if (series->finished && !series->finished(series->context, index, &waiting->result, false))
        end_run(run, SERIES_STOPPED);
}

/* Books the next pairs in order, as far as they are finished. */
static void book_waiting(struct run *run)
{
    for (;;) {
        struct waiting *waiting = &run->waiting[run->booked % WAITING_MAX];
        /* A cancelled series still counts its finished pairs. */
        if (!waiting->done || run->status == SERIES_STOPPED || run->status == SERIES_FAILED)
            return;
        book(run, waiting);
        free(waiting->text);
        *waiting = (struct waiting){0};
        pthread_cond_broadcast(&run->booked_some);
    }
}

/* Waits until a pair may be played. False: the series has ended before it. */
static bool is_wanted(struct run *run, int64_t index)
{
    while (run->status == SERIES_OK && index < run->total && index >= run->booked + WAITING_MAX)
        pthread_cond_wait(&run->booked_some, &run->lock);
    return run->status == SERIES_OK && index < run->total;
}

static void play_task(void *context, size_t task, int thread)
{
    struct run *run = context;
    int64_t index = run->first + (int64_t)task;
    (void)thread;

    pthread_mutex_lock(&run->lock);
    if (is_wanted(run, index)) {
        struct waiting waiting;
        pthread_mutex_unlock(&run->lock);
        bool played = play_index(run, index, &waiting);
        pthread_mutex_lock(&run->lock);
        if (!played) {
            end_run(run, SERIES_CANCELLED);
        } else {
            /* Earlier pairs are finished first: one of them may stop the series. */
            if (waiting.failed && index < run->total)
                run->total = index + 1;
            assert(!run->waiting[index % WAITING_MAX].done);
            run->waiting[index % WAITING_MAX] = waiting;
            book_waiting(run);
        }
    }
    pthread_mutex_unlock(&run->lock);
}

/* ---- start and end ---- */

static void play_all(struct run *run)
{
    struct pool *pool = pool_new(run->series->threads);

    if (pool)
        pool_run(pool, (size_t)(run->total - run->first), play_task, run);
    else
        fail(run, "out of memory");
    pool_free(pool);
    for (int k = 0; k < WAITING_MAX; k++)
        free(run->waiting[k].text);
}

/* Opens the file of records and counts what is in it. */
static void take_records(struct run *run)
{
    const struct series *series = run->series;
    char *header = record_header(&series->setting, series->players, series->player_count);
    const struct record_part part = {
        .players = series->player_count, .first = series->from, .most = run->total - series->from};
    int64_t found = 0;

    if (!header) {
        fail(run, "out of memory");
        return;
    }
    run->file = record_open(series->records, header, &part, run->results, &found, run->error_size,
                            run->error);
    free(header);
    if (!run->file) {
        run->status = SERIES_FAILED;
        return;
    }
    for (int64_t k = 0; k < found && run->status == SERIES_OK; k++) {
        run->booked = run->first = series->from + k + 1;
        if (series->finished &&
            !series->finished(series->context, series->from + k, &run->results[k], true))
            run->status = SERIES_STOPPED;
    }
}

/* Fails the run if a player cannot play by the rules. */
static void check_players(struct run *run)
{
    const struct series *series = run->series;
    const struct rules *rules = series->setting.rules;

    for (int k = 0; k < series->player_count && run->status == SERIES_OK; k++) {
        const struct player *player = &series->players[k];
        if (player->class->check_rules &&
            !player->class->check_rules(player, rules, run->error_size, run->error))
            run->status = SERIES_FAILED;
    }
}

enum series_status series_run(const struct series *series, struct pair_result *ret_results,
                              int64_t *ret_count, size_t size, char *ret_error)
{
    struct run run = {
        .series = series,
        .results = ret_results,
        .error_size = size,
        .error = ret_error,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .booked_some = PTHREAD_COND_INITIALIZER,
        .first = series->from,
        .booked = series->from,
        .total = series->count > 0 ? series->from + series->count : series_pairs(series),
        .waiting = calloc(WAITING_MAX, sizeof *run.waiting),
    };
    const char *wrong = pair_setting_check(&series->setting);

    if (wrong || !run.waiting)
        fail(&run, wrong ? wrong : "out of memory");
    if (run.status == SERIES_OK)
        check_players(&run);
    if (run.status == SERIES_OK && series->records)
        take_records(&run);
    if (run.status == SERIES_OK && run.first < run.total)
        play_all(&run);
    if (!record_close(run.file) && run.status != SERIES_FAILED)
        fail_at_records(&run);
    free(run.waiting);
    pthread_mutex_destroy(&run.lock);
    pthread_cond_destroy(&run.booked_some);
    *ret_count = run.booked - series->from;
    return run.status;
}
