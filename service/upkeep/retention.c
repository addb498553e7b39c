/* Plans what goes by the rules of retention. See retention.h. */
#include "service/upkeep/retention.h"

#include "api/base/build_json.h"
#include "api/curling/match_record.h"
#include "service/base/config.h"
#include "service/jobs/job_folder.h"
#include "service/store/job_after.h"
#include "service/store/job_needs.h"
#include "service/store/jobs.h"
#include "service/store/policies.h"
#include "service/store/runs.h"
#include "service/upkeep/backups.h"

#include <stdlib.h>
#include <sys/stat.h>

static const char *const kind_names[KEPT_KINDS] = {
    [KEPT_JOBS] = "jobs", [KEPT_REPLAYS] = "replays", [KEPT_BACKUPS] = "backups"};

static const char *const reasons[STAYS] = {
    [STAY_WEIGHTS] = "a model of the job has an alias, or a player or an unfinished job uses it",
    [STAY_PARENT] = "another job has gone on from one of its runs",
    [STAY_AWAITED] = "a job that has not ended is after it",
    [STAY_NEEDED] = "a job that has not ended needs its games, checkpoints or policies",
    [STAY_KICK] = "a buried job may be kicked and goes on with its records",
    [STAY_NEWEST] = "the newest backup always stays"};

/* Questions about a job; the first one that holds keeps it. */
static const struct {
    enum stay why;
    enum api_error (*is)(struct store *store, int64_t job, bool *ret_is);
} questions[] = {{STAY_WEIGHTS, policy_store_is_needed},
                 {STAY_PARENT, run_store_is_parent},
                 {STAY_AWAITED, job_store_is_awaited},
                 {STAY_NEEDED, job_needs_any}};

const char *kept_kind_name(enum kept_kind kind)
{
    return kind_names[kind];
}

struct retention_rules retention_rules(const struct config *config, bool all)
{
    struct retention_rules rules = {.keep[KEPT_BACKUPS] = config->keep_backups};

    keep_read("", &rules.keep[KEPT_JOBS]);
    keep_read("", &rules.keep[KEPT_REPLAYS]);
    if (all) {
        rules.keep[KEPT_JOBS] = config->keep_jobs;
        rules.keep[KEPT_REPLAYS] = config->keep_replays;
    }
    return rules;
}

bool retention_is_asked(const struct retention_rules *rules)
{
    bool is_asked = false;

    for (int k = 0; k < KEPT_KINDS; k++)
        is_asked = is_asked || !keep_is_all(&rules->keep[k]);
    return is_asked;
}

bool kept_list_add(struct kept_list *list, int64_t id, int64_t bytes)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        struct kept_thing *larger = realloc(list->things, room * sizeof *larger);
        if (!larger)
            return false;
        list->things = larger;
        list->room = room;
    }
    list->things[list->count++] = (struct kept_thing){id, bytes};
    list->bytes += bytes;
    return true;
}

enum api_error retention_why_stays(struct store *store, int64_t job, enum stay *ret_why)
{
    for (size_t k = 0; k < sizeof questions / sizeof *questions; k++) {
        bool is;
        enum api_error error = questions[k].is(store, job, &is);
        if (error != API_OK)
            return error;
        if (is) {
            *ret_why = questions[k].why;
            return API_OK;
        }
    }
    *ret_why = STAY_NOT;
    return API_OK;
}

static void note_stay(struct retention_plan *plan, enum kept_kind kind, enum stay why, int64_t id)
{
    int64_t count = plan->stay[kind][why].count++;

    if (count < RETENTION_SHOWN)
        plan->stay[kind][why].shown[count] = id;
}

/* ---- jobs and their records ---- */

struct planning {
    struct store *store;
    const char *data;
    struct retention_plan *plan;
    /* Jobs that follow from others are counted apart: deleting a match adds one, which must not
     * push out the next match. */
    struct keep_walk callers, internal, replays;
};

static enum api_error job_bytes(const struct planning *planning, int64_t job, int64_t *ret_bytes)
{
    int64_t weights;
    enum api_error error = policy_store_bytes(planning->store, job, &weights);

    if (error == API_OK)
        *ret_bytes = weights + job_folder_bytes(planning->data, job);
    return error;
}

/* Decides about a job. *ret_goes: it is in the plan. */
static enum api_error plan_job(struct planning *planning, const struct job_ended *job,
                               bool *ret_goes)
{
    struct keep_walk *walk = job->is_internal ? &planning->internal : &planning->callers;
    int64_t bytes = 0;
    bool has_bytes = walk->keep->bytes != KEEP_ALL;
    enum stay why;
    enum api_error error = has_bytes ? job_bytes(planning, job->id, &bytes) : API_OK;

    *ret_goes = false;
    if (error != API_OK || !keep_is_beyond(walk, job->at_ms, bytes)) {
        keep_stays(walk, bytes);
        return error;
    }
    error = retention_why_stays(planning->store, job->id, &why);
    if (error == API_OK && why != STAY_NOT) {
        note_stay(planning->plan, KEPT_JOBS, why, job->id);
        keep_stays(walk, bytes);
        return API_OK;
    }
    if (error == API_OK && !has_bytes)
        error = job_bytes(planning, job->id, &bytes);
    if (error == API_OK && !kept_list_add(&planning->plan->go[KEPT_JOBS], job->id, bytes))
        error = API_NO_MEMORY;
    *ret_goes = error == API_OK;
    return error;
}

static enum api_error plan_records(struct planning *planning, const struct job_ended *job)
{
    char path[JOB_PATH_MAX];
    struct stat about;

    job_path(planning->data, job->id, MATCH_RECORDS_FILE, path);
    if (keep_is_all(planning->replays.keep) || stat(path, &about) != 0)
        return API_OK;
    int64_t bytes = (int64_t)about.st_size;
    if (keep_is_beyond(&planning->replays, job->at_ms, bytes)) {
        bool is_needed = false;
        enum api_error error = job_needs_any(planning->store, job->id, &is_needed);
        if (error != API_OK)
            return error;
        if (!is_needed && job->state != JOB_BURIED)
            return kept_list_add(&planning->plan->go[KEPT_REPLAYS], job->id, bytes) ? API_OK
                                                                                    : API_NO_MEMORY;
        note_stay(planning->plan, KEPT_REPLAYS, is_needed ? STAY_NEEDED : STAY_KICK, job->id);
    }
    keep_stays(&planning->replays, bytes);
    return API_OK;
}

static enum api_error visit_job(void *context, const struct job_ended *job)
{
    struct planning *planning = context;
    bool goes = false;
    enum api_error error = plan_job(planning, job, &goes);

    return error == API_OK && !goes ? plan_records(planning, job) : error;
}

/* ---- all kinds ---- */

static enum api_error plan_backups(const char *data, const struct keep *keep, int64_t now_ms,
                                   struct retention_plan *plan)
{
    struct keep_walk walk = {.keep = keep, .now_ms = now_ms};
    struct backup *backups;
    size_t count;
    enum api_error error = backups_list(data, &backups, &count);

    if (error != API_OK)
        return error;
    for (size_t k = 0; k < count && error == API_OK; k++) {
        bool is_beyond = keep_is_beyond(&walk, backups[k].at_ms, backups[k].bytes);
        if (is_beyond && k > 0) {
            if (!kept_list_add(&plan->go[KEPT_BACKUPS], backups[k].at_ms, backups[k].bytes))
                error = API_NO_MEMORY;
            continue;
        }
        if (is_beyond)
            note_stay(plan, KEPT_BACKUPS, STAY_NEWEST, backups[k].at_ms);
        keep_stays(&walk, backups[k].bytes);
    }
    free(backups);
    return error;
}

enum api_error retention_plan(struct store *store, const char *data,
                              const struct retention_rules *rules, int64_t now_ms,
                              struct retention_plan *ret_plan)
{
    const struct keep *keep = rules->keep;
    struct planning planning = {.store = store,
                                .data = data,
                                .plan = ret_plan,
                                .callers = {.keep = &keep[KEPT_JOBS], .now_ms = now_ms},
                                .internal = {.keep = &keep[KEPT_JOBS], .now_ms = now_ms},
                                .replays = {.keep = &keep[KEPT_REPLAYS], .now_ms = now_ms}};
    enum api_error error = API_OK;

    *ret_plan = (struct retention_plan){0};
    if (!keep_is_all(&keep[KEPT_JOBS]) || !keep_is_all(&keep[KEPT_REPLAYS]))
        error = job_store_visit_ended(store, visit_job, &planning);
    if (error == API_OK && !keep_is_all(&keep[KEPT_BACKUPS]))
        error = plan_backups(data, &keep[KEPT_BACKUPS], now_ms, ret_plan);
    return error;
}

void retention_plan_free(struct retention_plan *plan)
{
    for (int k = 0; k < KEPT_KINDS; k++)
        free(plan->go[k].things);
}

/* ---- for callers ---- */

static json_t *id_json(enum kept_kind kind, int64_t id)
{
    char name[BACKUP_NAME_MAX];

    if (kind != KEPT_BACKUPS)
        return json_integer(id);
    backup_name(id, name);
    return json_string(name);
}

static json_t *stays_json(const struct retention_plan *plan, enum kept_kind kind)
{
    json_t *list = json_array();
    bool good = true;

    for (int why = 0; why < STAYS; why++) {
        int64_t count = plan->stay[kind][why].count;
        json_t *ids = count > 0 ? json_array() : NULL;
        for (int64_t k = 0; k < count && k < RETENTION_SHOWN; k++)
            good = build_append(ids, id_json(kind, plan->stay[kind][why].shown[k])) && good;
        if (count > 0)
            good = build_append(list, json_pack("{s:s, s:I, s:o}", "reason", reasons[why], "count",
                                                (json_int_t)count, "ids", ids)) &&
                   good;
    }
    return build_done(list, good);
}

static json_t *list_json(const struct kept_list *list, enum kept_kind kind)
{
    json_t *ids = json_array();
    bool good = true;

    for (size_t k = 0; k < list->count && k < RETENTION_SHOWN; k++)
        good = build_append(ids, id_json(kind, list->things[k].id)) && good;
    return json_pack("{s:s, s:I, s:I, s:o}", "kind", kind_names[kind], "count",
                     (json_int_t)list->count, "bytes", (json_int_t)list->bytes, "ids",
                     build_done(ids, good));
}

json_t *retention_json(const struct kept_list lists[KEPT_KINDS], const struct retention_plan *plan)
{
    json_t *all = json_array();
    bool good = true;

    for (int k = 0; k < KEPT_KINDS; k++) {
        json_t *row = list_json(&lists[k], (enum kept_kind)k);
        if (plan)
            good = build_add(row, "stays", stays_json(plan, (enum kept_kind)k)) && good;
        good = build_append(all, row) && good;
    }
    return build_done(all, good);
}
