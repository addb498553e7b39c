/* Reads jobs in the form that the API shows. */
#include "service/store/jobs.h"

#include "api/job_kinds.h"

#include "service/store/sql.h"

#include <stdlib.h>
#include <string.h>

#define JOB_HEAD                                                                          \
    "id, kind, state, wanted, priority, attempt, max_attempts, crashes, progress, eta_s," \
    " created_ms AS created_at, updated_ms AS updated_at, run_at_ms AS run_at,"           \
    " started_ms AS started_at, finished_ms AS finished_at,"                              \
    " CASE WHEN error_code IS NOT NULL THEN"                                              \
    "   json_object('code', error_code, 'detail', error_detail) END AS error,"            \
    " (SELECT json_group_array(name) FROM"                                                \
    "   (SELECT name FROM run WHERE run.job = job.id ORDER BY run.id)) AS runs"
#define JOB_HEAD_TYPES "isssiiiirrtttttjj"

/* The last things that happened to it, oldest first. */
#define JOB_HISTORY                                                                              \
    "(SELECT json_group_array(json_object('at', strftime('%Y-%m-%dT%H:%M:%fZ', at_ms / 1000.0,"  \
    "                                                    'unixepoch'),"                          \
    "                                     'kind', kind, 'detail', detail))"                      \
    "   FROM (SELECT * FROM (SELECT * FROM job_event WHERE job = ?1 ORDER BY seq DESC LIMIT 50)" \
    "          ORDER BY seq)) AS history"

enum api_error job_store_get(struct store *store, int64_t id, json_t **ret_job)
{
    static const char text[] = "SELECT " JOB_HEAD ", " JOB_HISTORY ", result, spec, checkpoint"
                               "  FROM job LEFT JOIN job_output ON job_output.job = job.id"
                               " WHERE id = ?1";
    struct sql q = sql_start(store, text);

    sql_put_int(&q, id);
    return sql_get_one(&q, JOB_HEAD_TYPES "jjjj", ret_job);
}

#define JOB_PAGE(where) \
    "SELECT id, " JOB_HEAD " FROM job WHERE id < ?1" where " ORDER BY id DESC LIMIT ?2"

#define SHOWN " AND instr(?3, ' ' || kind || ' ') = 0"

/* The names of internal kinds, each with a blank before and behind it. */
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
                              const struct store_page *page, json_t **ret_items,
                              char ret_next[STORE_CURSOR_MAX])
{
    static const char all[] = JOB_PAGE(SHOWN);
    static const char by_kind[] = JOB_PAGE(" AND kind = ?3");
    static const char by_state[] = JOB_PAGE(SHOWN " AND state = ?4");
    static const char by_both[] = JOB_PAGE(" AND kind = ?3 AND state = ?4");
    char internal[JOB_KIND_NAMES_MAX];
    struct sql_cursor cursor;
    enum api_error error = sql_cursor_read(page->cursor, false, &cursor);

    if (error != API_OK)
        return error;
    struct sql q = sql_start(store, filter->kind        ? filter->has_state ? by_both : by_kind
                                    : filter->has_state ? by_state
                                                        : all);
    sql_put_int(&q, cursor.number);
    sql_put_int(&q, sql_page_rows(page));
    internal_kinds(internal);
    sql_put_text(&q, filter->kind ? filter->kind : internal);
    if (filter->has_state)
        sql_put_text(&q, job_state_name(filter->state));
    return sql_get_page(&q, page, false, JOB_HEAD_TYPES, ret_items, ret_next);
}

enum api_error job_store_read_log(struct store *store, int64_t id, char **ret_text)
{
    static const char text[] = "SELECT coalesce((SELECT log FROM job_output WHERE job = ?1), '')"
                               "  FROM job WHERE id = ?1";
    char *log = NULL;
    struct sql q = sql_start(store, text);

    sql_put_int(&q, id);
    bool found = sql_row(&q);
    if (found)
        log = sql_get_copy(&q);
    enum api_error error = sql_end(&q);
    if (error != API_OK || !found) {
        free(log);
        return error != API_OK ? error : API_NOT_FOUND;
    }
    *ret_text = log;
    return API_OK;
}

enum api_error job_store_counts(struct store *store, int64_t ret_counts[JOB_STATES])
{
    static const char text[] = "SELECT state, jobs FROM job_count";
    int64_t counts[JOB_STATES] = {0};
    struct sql q = sql_start(store, text);

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
