/* Jobs of the kind "import": a game that was played elsewhere becomes one that is kept here. */
#include "api/curling/game_json.h"
#include "workers/compete/compete_commands.h"
#include "workers/compete/game_log.h"
#include "workers/compete/own_record.h"
#include "workers/search/job_spec.h"
#include "workers/worker.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What the service keeps of it. */
static json_t *result_of(const struct game_log *log)
{
    const struct outcome *outcome = &log->report.outcome;
    const int half_points = log->game.is_broken_off ? -1 : log->game.half_points;

    return json_pack("{s:{s:s}, s:{s:s}, s:s, s:i, s:i, s:i, s:s, s:[i, i, i, i, i], s:s?, s:s, "
                     "s:[i, i], s:i, s:i}",
                     "a", "player", log->player[0], "b", "player", log->player[1], "profile",
                     log->last.rules->name, "ends", log->last.ends, "extra_ends",
                     log->last.extra_ends, "seed", 0, "noise", "server", "pentanomial",
                     half_points == 0, 0, half_points == 1, 0, half_points == 2, "winner",
                     outcome->winner < 0 ? NULL : game_team_name(outcome->winner), "reason",
                     outcome->reason, "points", outcome->points[0], outcome->points[1], "shots",
                     log->shots, "skipped", log->skipped);
}

/* A place for the records of a trial, which nobody reads. */
static bool make_place(char ret_folder[PATH_MAX])
{
    const char *below = getenv("TMPDIR");

    snprintf(ret_folder, PATH_MAX, "%.2000s/rink-trial-XXXXXX", below ? below : "/tmp");
    return mkdtemp(ret_folder) != NULL;
}

static void remove_place(const char *folder, const char *path)
{
    unlink(path);
    rmdir(folder);
}

json_t *job_import(struct worker *worker, const struct wire_job *job)
{
    json_t *spec = spec_read(worker, job, job->spec, spec_check_player), *result = NULL;
    char place[PATH_MAX], path[PATH_MAX + sizeof MATCH_RECORDS_FILE + 1], why[TALK_WHY_MAX];
    struct game_log log;

    if (!spec)
        return NULL;
    if (job->is_trial && !make_place(place)) {
        json_decref(spec);
        return json_object();
    }
    snprintf(path, sizeof path, "%s/" MATCH_RECORDS_FILE, job->is_trial ? place : job->folder);
    const struct game_lines lines = {json_object_get(spec, "log"), json_object_get(spec, "lines")};
    switch (own_record_is(lines.line) ? own_record_keep(&lines, path, &log, why)
                                      : game_log_keep(&lines, path, &log, why)) {
    case GAME_LOG_KEPT:
        result = result_of(&log);
        if (!result)
            worker_fail(worker, "no-memory", true, "out of memory");
        break;
    case GAME_LOG_BAD:
        worker_fail(worker, "bad-log", false, "/log: %s", why);
        break;
    case GAME_LOG_DISK:
        worker_fail(worker, "disk", true, "%s", why);
        break;
    case GAME_LOG_MEMORY:
        worker_fail(worker, "no-memory", true, "%s", why);
        break;
    }
    if (job->is_trial)
        remove_place(place, path);
    json_decref(spec);
    return result;
}
