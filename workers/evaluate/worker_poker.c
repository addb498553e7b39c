/* Job "poker-match": sessions of hold'em, kept in the job's folder. */
#include "workers/evaluate/worker_poker.h"

#include "api/base/build_json.h"
#include "api/jobs/wire.h"
#include "workers/evaluate/worker_jobs.h"
#include "workers/holdem/poker_players.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_MAX_BYTES = 4096 };

static bool add_row(const struct poker_job *poker, json_t *rows, const char *name, int64_t step,
                    double value)
{
    return !isfinite(value) ||
           build_append(rows, json_pack("{s:O, s:s, s:I, s:f}", "run", poker->run, "name", name,
                                        "step", (json_int_t)step, "value", value));
}

void poker_job_send_points(const struct poker_job *poker, const struct poker_tally *tally)
{
    double mbb = poker_tally_mbb(tally), half = poker_tally_half_width(tally);
    json_t *rows = json_array();
    bool good = rows && add_row(poker, rows, "mbb_per_hand/mean", tally->pairs, mbb) &&
                add_row(poker, rows, "mbb_per_hand/low", tally->pairs, mbb - half) &&
                add_row(poker, rows, "mbb_per_hand/high", tally->pairs, mbb + half);

    worker_metrics(poker->worker, build_done(rows, good));
}

char *poker_job_header(const struct poker_job *poker, int64_t first, int64_t count)
{
    json_t *depends = json_copy((json_t *)(size_t)poker->spec);
    bool good = depends && (count == 0 || json_object_set_new(depends, "part",
                                                              json_pack("[I, I]", (json_int_t)first,
                                                                        (json_int_t)count)) == 0);

    json_object_del(depends, "threads");
    char *header = good ? json_dumps(depends, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(depends);
    return header;
}

json_t *poker_job_fail(const struct poker_job *poker, enum poker_match_status status,
                       const char *path)
{
    if (status == POKER_MATCH_STORAGE)
        return worker_fail(poker->worker, "disk", true, "%s: %s", path, strerror(errno));
    return worker_fail(poker->worker, "no-memory", true, "out of memory");
}

/* ---- all sessions ---- */

struct whole {
    const struct poker_job *poker;
    struct course course;
};

static void on_progress(void *context, int done, const struct poker_tally *tally, bool resumed)
{
    struct whole *whole = context;
    const struct poker_job *poker = whole->poker;

    if (poker->run && tally->pairs > 0)
        poker_job_send_points(poker, tally);
    if (course_update(&whole->course, done, resumed))
        worker_partial(poker->worker, poker_match_json(&poker->match, poker->names, done, tally));
}

static json_t *play_whole(struct poker_job *poker)
{
    struct whole whole = {poker, course_start(poker->worker, poker->match.sessions)};
    struct poker_tally tally;

    poker->match.progress = on_progress;
    poker->match.context = &whole;
    enum poker_match_status status = poker_match_run(&poker->match, &tally);
    if (status == POKER_MATCH_STOPPED && !worker_is_cancelled(poker->worker))
        return NULL;
    if (status != POKER_MATCH_OK && status != POKER_MATCH_STOPPED)
        return poker_job_fail(poker, status, poker->match.path);
    int sessions = (int)(tally.pairs / poker->match.session.hands);
    return poker_match_json(&poker->match, poker->names, sessions, &tally);
}

/* Plays the match of a resolved spec between two players. */
static json_t *play_spec(struct worker *worker, const struct wire_job *job, const json_t *spec,
                         const struct poker_opened opened[2])
{
    char path[PATH_MAX_BYTES];
    int every = opened[0].every > 0 ? opened[0].every : opened[1].every;
    struct poker_job poker = {.worker = worker,
                              .spec = spec,
                              .match = {.session = {.player = {opened[0].player, opened[1].player},
                                                    .seed = (uint64_t)spec_whole(spec, "seed"),
                                                    .hands = (int)spec_whole(spec, "hands"),
                                                    .every = every},
                                        .sessions = (int)spec_whole(spec, "sessions"),
                                        .threads = (int)spec_whole(spec, "threads"),
                                        .path = path,
                                        .stop = worker_stop(worker)},
                              .names = {json_string_value(json_object_get(spec, "a")),
                                        json_string_value(json_object_get(spec, "b"))},
                              .run = json_array_get(job->runs, 0)};

    if (snprintf(path, sizeof path, "%s/sessions", job->folder) >= (int)sizeof path)
        return worker_fail(worker, "failed", false, "the name of the job's folder is too long");
    char *header = poker_job_header(&poker, 0, 0);
    poker.match.header = header;
    json_t *result = !header                ? NULL
                     : job->is_lead         ? lead_poker(&poker, job)
                     : job->task.number > 0 ? task_poker(&poker, job)
                                            : play_whole(&poker);
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
