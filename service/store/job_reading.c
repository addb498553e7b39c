/* Reads jobs in the form that the API shows. */
#include "service/store/jobs.h"

#include "api/base/quoted.h"
#include "api/jobs/job_kinds.h"

#include "service/store/sql.h"

#include <stdlib.h>
#include <string.h>

#define JOB_NEEDED_BY_MAX 32 /* jobs that are named with the one they are after */

#define JOB_HEAD                                                                             \
    "id, kind, nullif(owner, '') AS owner, state, wanted, priority, attempt, max_attempts, " \
    "nullif(cores_max, 0) AS cores, crashes, progress, eta_s,"                               \
    " created_ms AS created_at, updated_ms AS updated_at, run_at_ms AS run_at,"              \
    " started_ms AS started_at, finished_ms AS finished_at,"                                 \
    " CASE WHEN error_code IS NOT NULL THEN"                                                 \
    "   json_object('code', error_code, 'detail', error_detail) END AS error,"               \
    " (SELECT json_group_array(name) FROM"                                                   \
    "   (SELECT name FROM run WHERE run.job = job.id ORDER BY run.id)) AS runs,"             \
    " (SELECT json_group_array(after) FROM job_after WHERE job = job.id) AS after,"          \
    " (SELECT json_group_array(after) FROM job_after"                                        \
    "   WHERE job = job.id AND ended IS NULL) AS waiting_for, after_failure, repeat_of"
#define JOB_HEAD_TYPES "issssiiiiirrtttttjjjjsi"

enum api_error job_store_get(struct store *store, int64_t id, json_t **ret_job)
{
    static const char text[] =
        "SELECT " JOB_HEAD ", result, spec, checkpoint,"
        " (SELECT json_group_array(job) FROM"
        "   (SELECT job FROM job_after WHERE after = ?1"
        "     ORDER BY job LIMIT " QUOTED(
            JOB_NEEDED_BY_MAX) ")) AS needed_by"
                               "  FROM job LEFT JOIN job_output ON job_output.job = job.id"
                               " WHERE id = ?1";
    return sql_read_object(store, text, PUT(INT(id)), JOB_HEAD_TYPES "jjjj", ret_job);
}

enum api_error job_store_exists(struct store *store, int64_t id, bool *ret_exists)
{
    static const char text[] = "SELECT 1 FROM job WHERE id = ?1";
    return sql_exists(store, text, PUT(INT(id)), ret_exists);
}

enum api_error job_store_import(struct store *store, const json_t *spec, json_t **ret_import)
{
    static const char text[] =
        "SELECT id AS job, state,"
        " (SELECT json_group_array(match.id || '-0-0') FROM match WHERE match.job = job.id) AS "
        "games"
        "  FROM job WHERE kind = 'import' AND state NOT IN ('buried', 'cancelled')"
        "    AND (spec ->> '$.file' = ?1 OR"
        "         (spec ->> '$.game' = ?2 AND spec ->> '$.states' >= ?3))"
        "  ORDER BY id DESC LIMIT 1";
    return sql_read_object(store, text,
                           PUT(TEXT(json_string_value(json_object_get(spec, "file"))),
                               TEXT(json_string_value(json_object_get(spec, "game"))),
                               INT(json_integer_value(json_object_get(spec, "states")))),
                           "isj", ret_import);
}

enum api_error job_store_history(struct store *store, int64_t id, json_t **ret_events)
{
    static const char text[] =
        "SELECT at_ms AS at, kind, detail, caller AS \"by\" FROM"
        " (SELECT * FROM job_event WHERE job = ?1 ORDER BY seq DESC LIMIT 50) ORDER BY seq";
    return sql_read_list(store, text, PUT(INT(id)), "tsss", ret_events);
}

#define JOB_PAGE(where) \
    "SELECT id, " JOB_HEAD " FROM job WHERE id < ?1" where " ORDER BY id DESC LIMIT ?2"

#define SHOWN        " AND instr(?3, ' ' || kind || ' ') = 0"
#define KIND         " AND kind = ?3"
#define STATE        " AND state = ?4"
#define OWNER(value) " AND owner = " value

/* Writes the names of internal kinds, each between blanks. */
static void internal_kinds(char ret_names[JOB_KIND_NAMES_MAX])
{
    const struct job_kind *kind;
    size_t used = 1;

    snprintf(ret_names, JOB_KIND_NAMES_MAX, " ");
    for (int k = 0; (kind = job_kind_at(k)) != NULL && used < JOB_KIND_NAMES_MAX; k++)
        if (kind->is_internal)
            used +=
                (size_t)snprintf(ret_names + used, JOB_KIND_NAMES_MAX - used, "%s ", kind->name);
}

enum api_error job_store_list(struct store *store, const struct job_filter *filter,
                              struct store_page *page)
{
    /* One text for each set of filters, for the indexes. ?3 is the kind or the internal kinds; then
     * come the values of the other filters that are there. */
    static const char any[] = JOB_PAGE(SHOWN), of_kind[] = JOB_PAGE(KIND);
    static const char state[] = JOB_PAGE(SHOWN STATE), kind_state[] = JOB_PAGE(KIND STATE);
    static const char owner[] = JOB_PAGE(SHOWN OWNER("?4")),
                      kind_owner[] = JOB_PAGE(KIND OWNER("?4"));
    static const char state_owner[] = JOB_PAGE(SHOWN STATE OWNER("?5")),
                      kind_state_owner[] = JOB_PAGE(KIND STATE OWNER("?5"));
    static const char *const texts[2][2][2] = {
        {{any, of_kind}, {state, kind_state}},
        {{owner, kind_owner}, {state_owner, kind_state_owner}}};
    char internal[JOB_KIND_NAMES_MAX];
    struct sql_value values[4] = {TEXT(filter->kind ? filter->kind : internal)};
    int count = 1;

    internal_kinds(internal);
    if (filter->has_state)
        values[count++] = TEXT(job_state_name(filter->state));
    if (filter->owner)
        values[count++] = TEXT(filter->owner);
    return sql_read_page(store,
                         texts[filter->owner != NULL][filter->has_state][filter->kind != NULL],
                         values, false, JOB_HEAD_TYPES, page);
}

enum api_error job_store_owner(struct store *store, int64_t id, char ret_owner[JOB_OWNER_MAX])
{
    static const char text[] = "SELECT owner FROM job WHERE id = ?1";
    return sql_read(store, text, PUT(INT(id)), GET(TO_TEXT(JOB_OWNER_MAX, ret_owner)));
}

enum api_error job_store_visit_ended(struct store *store,
                                     enum api_error (*visit)(void *context,
                                                             const struct job_ended *job),
                                     void *context)
{
    static const char text[] =
        "SELECT id, coalesce(finished_ms, updated_ms), state, kind FROM job"
        " WHERE state IN ('done', 'buried', 'cancelled') ORDER BY 2 DESC, id DESC";
    struct sql q = sql_start(store, text, NULL);
    enum api_error error = API_OK;

    while (error == API_OK && sql_row(&q)) {
        struct job_ended job = {.id = sql_get_int(&q), .at_ms = sql_get_int(&q)};
        const char *state = sql_get_text(&q), *kind = sql_get_text(&q);
        job.is_internal = job_kind_is_internal(kind);
        if (state && job_state_read(state, &job.state))
            error = visit(context, &job);
    }
    enum api_error ended = sql_end(&q);
    return error != API_OK ? error : ended;
}

enum api_error job_store_read_log(struct store *store, int64_t id, char **ret_text)
{
    static const char text[] = "SELECT coalesce((SELECT log FROM job_output WHERE job = ?1), '')"
                               "  FROM job WHERE id = ?1";
    return sql_read(store, text, PUT(INT(id)), GET(TO_COPY(ret_text)));
}

enum api_error job_store_counts(struct store *store, int64_t ret_counts[JOB_STATES])
{
    static const char text[] = "SELECT state, jobs FROM job_count";
    int64_t counts[JOB_STATES] = {0};
    struct sql q = sql_start(store, text, NULL);

    while (sql_row(&q)) {
        enum job_state state;
        const char *name = sql_get_text(&q);
        if (name && job_state_read(name, &state))
            counts[state] = sql_get_int(&q);
    }
    enum api_error error = sql_end(&q);
    if (error == API_OK)
        memcpy(ret_counts, counts, sizeof counts);
    return error;
}

/* Takes the jobs of an internal kind off the counts. There is about one for each match, and an
 * index has them together. */
static enum api_error take_off(struct store *store, const char *kind, int64_t counts[JOB_STATES])
{
    static const char text[] = "SELECT count(*) FROM job WHERE state = ?1 AND kind = ?2";
    enum api_error error = API_OK;

    for (int state = 0; state < JOB_STATES && error == API_OK; state++) {
        int64_t jobs = 0;
        error = sql_read(store, text, PUT(TEXT(job_state_name((enum job_state)state)), TEXT(kind)),
                         GET(TO_INT(&jobs)));
        /* A job may have moved since the others were counted. */
        counts[state] = counts[state] > jobs ? counts[state] - jobs : 0;
    }
    return error;
}

enum api_error job_store_shown_counts(struct store *store, int64_t ret_counts[JOB_STATES])
{
    int64_t counts[JOB_STATES] = {0};
    enum api_error error = job_store_counts(store, counts);
    const struct job_kind *kind;

    for (int k = 0; error == API_OK && (kind = job_kind_at(k)) != NULL; k++)
        if (kind->is_internal)
            error = take_off(store, kind->name, counts);
    if (error == API_OK)
        memcpy(ret_counts, counts, sizeof counts);
    return error;
}
