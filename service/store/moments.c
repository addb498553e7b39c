/* See moments.h. */
#include "service/store/moments.h"

#include "service/store/sql.h"
#include "service/store/tasks.h"

#define JOB_GOES_ON " state IN ('ready', 'leased', 'paused') "

/* Runs statements, the last one NULL, with the same values. */
static enum api_error run_all(struct store *store, const char *const *texts,
                              const struct sql_value *values)
{
    enum api_error error = API_OK;

    for (; error == API_OK && *texts; texts++)
        error = sql_run(store, *texts, values);
    return error;
}

enum api_error moments_shift(struct store *store, int64_t step_ms)
{
    static const char *const running[] = {
        "UPDATE job SET lease_until_ms = lease_until_ms + ?1 WHERE state = 'leased'",
        "UPDATE task_try SET lease_until_ms = lease_until_ms + ?1, started_ms = started_ms + ?1"
        " WHERE state = 'leased'",
        "UPDATE task_check SET lease_until_ms = lease_until_ms + ?1, created_ms = created_ms + ?1"
        " WHERE state IN ('waiting', 'leased')",
        "UPDATE node SET last_seen_ms = last_seen_ms + ?1",
        "UPDATE delivery SET created_ms = created_ms + ?1 WHERE state = 'waiting'",
        "UPDATE answer SET at_ms = at_ms + ?1",
        NULL};
    static const char *const waiting[] = {
        "UPDATE job SET run_at_ms = run_at_ms + ?1 WHERE" JOB_GOES_ON,
        "UPDATE task SET run_at_ms = run_at_ms + ?1 WHERE state = 'ready'",
        "UPDATE delivery SET next_ms = next_ms + ?1 WHERE state = 'waiting'", NULL};
    enum api_error error = run_all(store, running, PUT(INT(step_ms)));

    return error == API_OK && step_ms < 0 ? run_all(store, waiting, PUT(INT(step_ms))) : error;
}

enum api_error moments_heal(struct store *store, int64_t now_ms, int64_t lease_ms)
{
    /* One step for all jobs, so that they keep their order. */
    static const char newest[] = "SELECT max(updated_ms) FROM job WHERE" JOB_GOES_ON;
    static const char jobs[] =
        "UPDATE job SET run_at_ms = run_at_ms - ?2, updated_ms = min(updated_ms, ?1)"
        " WHERE" JOB_GOES_ON;
    static const char tasks[] =
        "UPDATE task SET run_at_ms = ?1 + ?2 WHERE state = 'ready' AND run_at_ms > ?1 + ?2";
    static const char *const leases[] = {
        "UPDATE task_try SET lease_until_ms = min(lease_until_ms, ?1 + ?2),"
        "       started_ms = min(started_ms, ?1)"
        " WHERE state = 'leased' AND (lease_until_ms > ?1 + ?2 OR started_ms > ?1)",
        "UPDATE task_check SET lease_until_ms = min(lease_until_ms, ?1 + ?2),"
        "       created_ms = min(created_ms, ?1) WHERE state IN ('waiting', 'leased')",
        NULL};
    static const char *const others[] = {
        "UPDATE node SET last_seen_ms = ?1 WHERE last_seen_ms > ?1",
        "UPDATE delivery SET next_ms = next_ms - (updated_ms - ?1), updated_ms = ?1,"
        "       created_ms = min(created_ms, ?1) WHERE state = 'waiting' AND updated_ms > ?1",
        "UPDATE answer SET at_ms = ?1 WHERE at_ms > ?1", NULL};
    int64_t newest_ms = 0;
    enum api_error error = sql_read(store, newest, NULL, GET(TO_INT(&newest_ms)));

    if (error == API_OK && newest_ms > now_ms)
        error = sql_run(store, jobs, PUT(INT(now_ms), INT(newest_ms - now_ms)));
    if (error == API_OK)
        error = sql_run(store, tasks, PUT(INT(now_ms), INT(JOB_BACKOFF_MOST_MS)));
    if (error == API_OK)
        error = run_all(store, leases, PUT(INT(now_ms), INT(lease_ms)));
    return error == API_OK ? run_all(store, others, PUT(INT(now_ms))) : error;
}
