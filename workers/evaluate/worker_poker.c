/* Job "poker-match": sessions of hold'em, kept in the job's folder. */
#include "api/wire.h"
#include "workers/evaluate/worker_jobs.h"
#include "workers/holdem/poker_match.h"
#include "workers/holdem/poker_players.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_MAX_BYTES = 4096 };

struct poker_job {
    struct course course;
    struct poker_match match;
    const char *names[2];
    json_t *run; /* of the curves; NULL: none. Borrowed. */
};

static void add_row(const struct poker_job *poker, json_t *rows, const char *name, int64_t step,
                    double value)
{
    if (isfinite(value))
        json_array_append_new(rows, json_pack("{s:O, s:s, s:I, s:f}", "run", poker->run, "name",
                                              name, "step", (json_int_t)step, "value", value));
}

/* Sends the winnings so far with their interval, as points of curves. */
static void send_points(const struct poker_job *poker, const struct poker_tally *tally)
{
    double mbb = poker_tally_mbb(tally), half = poker_tally_half_width(tally);
    json_t *rows = json_array();

    add_row(poker, rows, "mbb_per_hand/mean", tally->pairs, mbb);
    add_row(poker, rows, "mbb_per_hand/low", tally->pairs, mbb - half);
    add_row(poker, rows, "mbb_per_hand/high", tally->pairs, mbb + half);
    worker_metrics(poker->course.worker, rows);
}

static void on_progress(void *context, int done, const struct poker_tally *tally, bool resumed)
{
    struct poker_job *poker = context;

    if (poker->run && tally->pairs > 0)
        send_points(poker, tally);
    if (course_update(&poker->course, done, resumed))
        worker_partial(poker->course.worker,
                       poker_match_json(&poker->match, poker->names, done, tally));
}

static json_t *play(struct worker *worker, struct poker_job *poker)
{
    struct poker_tally tally;
    enum poker_match_status status = poker_match_run(&poker->match, &tally);

    if (status == POKER_MATCH_NO_MEMORY)
        return worker_fail(worker, "no-memory", true, "out of memory");
    if (status == POKER_MATCH_STORAGE)
        return worker_fail(worker, "disk", true, "%s: %s", poker->match.path, strerror(errno));
    if (status == POKER_MATCH_STOPPED && !worker_is_cancelled(worker))
        return NULL;
    int sessions = (int)(tally.pairs / poker->match.session.hands);
    return poker_match_json(&poker->match, poker->names, sessions, &tally);
}

/* Plays the match of a resolved spec between two players. */
static json_t *play_spec(struct worker *worker, const struct wire_job *job, const json_t *spec,
                         const struct poker_opened opened[2])
{
    char path[PATH_MAX_BYTES];
    json_t *depends = json_copy((json_t *)spec);

    if (!depends || snprintf(path, sizeof path, "%s/sessions", job->folder) >= (int)sizeof path) {
        json_decref(depends);
        return worker_fail(worker, "failed", false, "the name of the job's folder is too long");
    }
    json_object_del(depends, "threads");
    char *header = json_dumps(depends, JSON_COMPACT | JSON_SORT_KEYS);
    int every = opened[0].every > 0 ? opened[0].every : opened[1].every;
    struct poker_job poker = {.course = course_start(worker, spec_whole(spec, "sessions")),
                              .match = {.session = {.player = {opened[0].player, opened[1].player},
                                                    .seed = (uint64_t)spec_whole(spec, "seed"),
                                                    .hands = (int)spec_whole(spec, "hands"),
                                                    .every = every},
                                        .sessions = (int)spec_whole(spec, "sessions"),
                                        .threads = (int)spec_whole(spec, "threads"),
                                        .path = path,
                                        .header = header,
                                        .stop = worker_stop(worker),
                                        .progress = on_progress,
                                        .context = &poker},
                              .names = {json_string_value(json_object_get(spec, "a")),
                                        json_string_value(json_object_get(spec, "b"))},
                              .run = json_array_get(job->runs, 0)};

    json_decref(depends);
    json_t *result = header ? play(worker, &poker) : NULL;
    free(header);
    return result;
}

json_t *job_poker(struct worker *worker, const struct wire_job *job)
{
    static struct poker_opened opened[2]; /* large */
    char error[PLAYER_ERROR_MAX];
    json_t *spec = spec_read(worker, job, job->spec, spec_check_player), *result = NULL;

    if (!spec)
        return NULL;
    const char *a = json_string_value(json_object_get(spec, "a")),
               *b = json_string_value(json_object_get(spec, "b"));
    if (!poker_open(a, NULL, &opened[0], error)) {
        worker_fail(worker, "bad-spec", false, "/a: %s", error);
    } else {
        if (!poker_open(b, NULL, &opened[1], error))
            worker_fail(worker, "bad-spec", false, "/b: %s", error);
        else
            result = play_spec(worker, job, spec, opened);
        poker_close(&opened[1]);
        poker_close(&opened[0]);
    }
    json_decref(spec);
    return result;
}
