/* Picks the jobs that one request moves. See job_pick.h. */
#include "service/store/job_pick.h"

#include "api/jobs/job_kinds.h"
#include "service/store/sql.h"

#include <string.h>

/* What a choice looks at. */
struct candidate {
    int64_t id, created_ms;
    enum job_state state;
    char kind[JOB_KIND_MAX], owner[JOB_OWNER_MAX];
};

static bool is_chosen(const struct job_choice *choice, const struct candidate *job)
{
    return (choice->kind ? strcmp(choice->kind, job->kind) == 0
                         : !job_kind_is_internal(job->kind)) &&
           (!choice->owner || strcmp(choice->owner, job->owner) == 0) &&
           (!choice->has_from || job->created_ms >= choice->from_ms) &&
           (!choice->has_to || job->created_ms < choice->to_ms);
}

static bool is_in(enum job_state state, const struct job_choice *choice,
                  const enum job_state *passes)
{
    while (*passes != JOB_STATES && *passes != state)
        passes++;
    return *passes == state && (!choice->has_state || choice->state == state);
}

static bool read_candidate(struct sql *q, struct candidate *ret_job)
{
    ret_job->id = sql_get_int(q);
    ret_job->created_ms = sql_get_int(q);
    const char *state = sql_get_text(q);
    if (!state || !job_state_read(state, &ret_job->state))
        return false;
    const char *kind = sql_get_text(q);
    snprintf(ret_job->kind, sizeof ret_job->kind, "%s", kind ? kind : "");
    const char *owner = sql_get_text(q);
    snprintf(ret_job->owner, sizeof ret_job->owner, "%s", owner ? owner : "");
    return true;
}

/* A job that is named twice is met once, also by a dry run. */
static bool is_named_before(const struct job_choice *choice, int64_t at)
{
    for (int64_t k = 0; k < at; k++)
        if (choice->ids[k] == choice->ids[at])
            return true;
    return false;
}

static enum api_error pick_ids(struct store *store, const struct job_choice *choice,
                               const enum job_state *passes, int most, struct job_pick_place *place,
                               int64_t *ret_ids, int *ret_count, int64_t *ret_skipped)
{
    static const char text[] = "SELECT id, created_ms, state, kind, owner FROM job WHERE id = ?1";
    enum api_error error = API_OK;

    for (int k = 0; k < most && place->pass < choice->id_count && error == API_OK; k++) {
        bool is_new = !is_named_before(choice, place->pass);
        struct sql q = sql_start(store, text, PUT(INT(choice->ids[place->pass++])));
        struct candidate job = {.id = 0};
        if (sql_row(&q) && is_new && read_candidate(&q, &job) && is_in(job.state, choice, passes) &&
            is_chosen(choice, &job))
            ret_ids[(*ret_count)++] = job.id;
        else
            (*ret_skipped)++;
        error = sql_end(&q);
    }
    place->is_over = place->pass == choice->id_count;
    return error;
}

/* Looks through one state; *ret_seen: how many jobs. */
static enum api_error pick_state(struct store *store, const struct job_choice *choice,
                                 enum job_state state, int64_t last, int most,
                                 struct job_pick_place *place, int64_t *ret_ids, int *ret_count,
                                 int *ret_seen)
{
#define PICK(where)                                                                   \
    "SELECT id, created_ms, state, kind, owner FROM job WHERE state = ?1 AND id > ?2" \
    "   AND id <= ?3" where " ORDER BY id LIMIT ?4"
    static const char any[] = PICK("");
    static const char of_kind[] = PICK(" AND kind = ?5");
    const struct sql_value of_any[] = {
        TEXT(job_state_name(state)),
        INT(place->last_id),
        INT(last),
        INT(most),
        {.type = choice->kind ? SQLITE_TEXT : 0, .text = choice->kind},
        {.type = 0}};
    struct sql q = sql_start(store, choice->kind ? of_kind : any, of_any);
    struct candidate job;

    while (sql_row(&q) && read_candidate(&q, &job)) {
        place->last_id = job.id;
        (*ret_seen)++;
        if (is_chosen(choice, &job))
            ret_ids[(*ret_count)++] = job.id;
    }
    return sql_end(&q);
}

enum api_error job_store_pick(struct store *store, const struct job_choice *choice,
                              const enum job_state *passes, int64_t last, int most,
                              struct job_pick_place *place, int64_t *ret_ids, int *ret_count,
                              int64_t *ret_skipped)
{
    int count = 0, seen = 0;
    enum api_error error = API_OK;

    if (choice->ids) {
        error = pick_ids(store, choice, passes, most, place, ret_ids, &count, ret_skipped);
    } else if (choice->has_state && choice->state != passes[place->pass]) {
        place->pass++;
    } else {
        error = pick_state(store, choice, passes[place->pass], last, most, place, ret_ids, &count,
                           &seen);
        if (seen < most) {
            place->pass++;
            place->last_id = 0;
        }
    }
    place->is_over = choice->ids ? place->is_over : passes[place->pass] == JOB_STATES;
    if (error == API_OK)
        *ret_count = count;
    return error;
}

enum api_error job_store_newest(struct store *store, int64_t *ret_id)
{
    static const char text[] = "SELECT coalesce(max(id), 0) FROM job";
    return sql_read(store, text, NULL, GET(TO_INT(ret_id)));
}
