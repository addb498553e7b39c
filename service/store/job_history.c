/* See job_history.h; read by job_store_events(). */
#include "service/store/job_history.h"

#include "service/store/jobs.h"
#include "service/store/sql.h"

enum api_error job_event_add(struct store *store, int64_t id, int64_t now_ms, const char *kind,
                             const char *detail)
{
    static const char text[] =
        "INSERT INTO job_event (job, seq, at_ms, kind, detail) VALUES"
        " (?1, (SELECT coalesce(max(seq), 0) + 1 FROM job_event WHERE job = ?1), ?2, ?3, ?4)";
    struct sql q = sql_start(store, text);

    sql_put_int(&q, id);
    sql_put_int(&q, now_ms);
    sql_put_text(&q, kind);
    sql_put_text(&q, detail);
    return sql_end(&q);
}

/* Whether there is such a job. */
static enum api_error find_job(struct store *store, int64_t id)
{
    static const char text[] = "SELECT 1 FROM job WHERE id = ?1";
    struct sql q = sql_start(store, text);

    sql_put_int(&q, id);
    bool found = sql_row(&q);
    enum api_error error = sql_end(&q);
    return error == API_OK && !found ? API_NOT_FOUND : error;
}

enum api_error job_store_events(struct store *store, int64_t id, int64_t after, int most,
                                json_t **ret_events)
{
    static const char text[] = "SELECT seq, at_ms AS at, kind, detail FROM job_event"
                               " WHERE job = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
    enum api_error error = find_job(store, id);

    if (error != API_OK)
        return error;
    struct sql q = sql_start(store, text);
    sql_put_int(&q, id);
    sql_put_int(&q, after);
    sql_put_int(&q, most);
    return sql_get_list(&q, "itss", ret_events);
}
