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

enum api_error job_store_get(struct store *store, int64_t id, json_t **ret_job)
{
    static const char text[] = "SELECT " JOB_HEAD ", result, spec, checkpoint"
                               "  FROM job LEFT JOIN job_output ON job_output.job = job.id"
                               " WHERE id = ?1";
    return sql_read_object(store, text, PUT(INT(id)), JOB_HEAD_TYPES "jjj", ret_job);
}

enum api_error job_store_history(struct store *store, int64_t id, json_t **ret_events)
{
    static const char text[] =
        "SELECT at_ms AS at, kind, detail FROM"
        " (SELECT * FROM job_event WHERE job = ?1 ORDER BY seq DESC LIMIT 50) ORDER BY seq";
    return sql_read_list(store, text, PUT(INT(id)), "tss", ret_events);
}

#define JOB_PAGE(where) \
    "SELECT id, " JOB_HEAD " FROM job WHERE id < ?1" where " ORDER BY id DESC LIMIT ?2"

#define SHOWN " AND instr(?3, ' ' || kind || ' ') = 0"

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
    static const char all[] = JOB_PAGE(SHOWN);
    static const char by_kind[] = JOB_PAGE(" AND kind = ?3");
    static const char by_state[] = JOB_PAGE(SHOWN " AND state = ?4");
    static const char by_both[] = JOB_PAGE(" AND kind = ?3 AND state = ?4");
    const char *text = filter->kind        ? filter->has_state ? by_both : by_kind
                       : filter->has_state ? by_state
                                           : all;
    char internal[JOB_KIND_NAMES_MAX];

    internal_kinds(internal);
    const struct sql_value kind = TEXT(filter->kind ? filter->kind : internal);
    return sql_read_page(
        store, text, filter->has_state ? PUT(kind, TEXT(job_state_name(filter->state))) : PUT(kind),
        false, JOB_HEAD_TYPES, page);
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
