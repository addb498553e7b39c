/* See job_history.h. */
#include "service/store/job_history.h"

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
