/* Reports of a worker about its job: progress, checkpoints, results, log. */
#include "service/store/jobs.h"

#include "service/store/sql.h"

#include <string.h>

enum api_error job_store_beat(struct store *store, int64_t id, const char *token, int64_t now_ms,
                              int64_t lease_ms, double progress, double eta_s)
{
    static const char text[] = "UPDATE job SET lease_until_ms = ?3 + ?4, updated_ms = ?3,"
                               "  progress = coalesce(?5, progress), eta_s = ?6"
                               " WHERE id = ?1 AND state = 'leased' AND lease_token = ?2";
    return sql_change(
        store, text,
        PUT(INT(id), TEXT(token), INT(now_ms), INT(lease_ms), REAL(progress), REAL(eta_s)),
        API_LEASE_LOST);
}

/* Stores a document (?3) in a column, for job ?1 if it is leased with token ?2. */
#define PUT_OUTPUT(column)                                                            \
    "INSERT INTO job_output (job, " column ")"                                        \
    " SELECT id, ?3 FROM job WHERE id = ?1 AND state = 'leased' AND lease_token = ?2" \
    " ON CONFLICT (job) DO UPDATE SET " column " = excluded." column

/* Runs such a statement. */
static enum api_error put_output(struct store *store, const char *text, int64_t id,
                                 const char *token, const char *json, int64_t now_ms)
{
    static const char touched[] = "UPDATE job SET updated_ms = ?2 WHERE id = ?1";
    enum api_error error =
        sql_change(store, text, PUT(INT(id), TEXT(token), TEXT(json)), API_LEASE_LOST);
    if (error != API_OK)
        return error;
    return sql_run(store, touched, PUT(INT(id), INT(now_ms)));
}

enum api_error job_store_checkpoint(struct store *store, int64_t id, const char *token,
                                    const char *checkpoint_json, int64_t now_ms)
{
    static const char text[] = PUT_OUTPUT("checkpoint");
    return put_output(store, text, id, token, checkpoint_json, now_ms);
}

enum api_error job_store_partial(struct store *store, int64_t id, const char *token,
                                 const char *result_json, int64_t now_ms)
{
    static const char text[] = PUT_OUTPUT("result");
    return put_output(store, text, id, token, result_json, now_ms);
}

enum api_error job_store_log(struct store *store, int64_t id, const char *text)
{
    static const char keep[] = "INSERT INTO job_output (job, log) VALUES (?1, ?2)"
                               " ON CONFLICT (job) DO UPDATE SET log = excluded.log";
    size_t length = strlen(text);
    const char *last = length > JOB_LOG_MAX ? text + length - JOB_LOG_MAX : text;

    while (last > text && ((unsigned char)*last & 0xc0) == 0x80)
        last++; /* never starts in the middle of a character */
    return sql_run(store, keep, PUT(INT(id), TEXT(last)));
}
