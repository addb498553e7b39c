/* See job_history.h. */
#include "service/store/job_history.h"

#include "service/store/sql.h"

enum api_error job_event_add(struct store *store, int64_t id, int64_t now_ms, const char *kind,
                             const char *detail)
{
    static const char text[] =
        "INSERT INTO job_event (job, seq, at_ms, kind, detail) VALUES"
        " (?1, (SELECT coalesce(max(seq), 0) + 1 FROM job_event WHERE job = ?1), ?2, ?3, ?4)";
    return sql_run(store, text, PUT(INT(id), INT(now_ms), TEXT(kind), TEXT(detail)));
}
