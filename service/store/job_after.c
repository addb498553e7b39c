/* Jobs that start after others. See job_after.h. */
#include "service/store/job_after.h"

#include "api/base/quoted.h"
#include "service/store/sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lets a job start if no job before it is open any more. API_STATE: one is. */
static enum api_error stop_waiting(struct store *store, int64_t id, int64_t now_ms)
{
    static const char text[] =
        "UPDATE job SET waits = 0, due = (state = 'ready' AND run_at_ms <= ?2)"
        " WHERE id = ?1 AND waits = 1 AND state IN ('ready', 'paused')"
        "   AND NOT EXISTS (SELECT 1 FROM job_after"
        "                    WHERE job = ?1 AND (ended IS NULL OR is_news = 1))";
    return sql_change(store, text, PUT(INT(id), INT(now_ms)), API_STATE);
}

enum api_error job_after_add(struct store *store, int64_t id, const int64_t *after, int count,
                             int64_t now_ms)
{
    static const char text[] =
        "INSERT INTO job_after (job, after, ended, is_news)"
        " SELECT ?1, id, iif(state IN ('done', 'buried', 'cancelled'), state, NULL),"
        "        state IN ('buried', 'cancelled') FROM job WHERE id = ?2";
    enum api_error error = API_OK;

    for (int k = 0; k < count && error == API_OK; k++)
        error = sql_change(store, text, PUT(INT(id), INT(after[k])), API_NOT_FOUND);
    if (error != API_OK)
        return error;
    error = stop_waiting(store, id, now_ms);
    return error == API_STATE ? API_OK : error;
}

/* The end of a job, as one after it hears of it. */
struct news {
    int64_t job, after;
    bool is_failure;
    enum job_if_failed if_failed;
    enum job_state state;        /* of the job that hears */
    char why[64], in_full[1400]; /* the latter with what the first job that failed says */
};

/* API_NOT_FOUND: there are none. */
static enum api_error read_news(struct store *store, struct news *ret_news)
{
    static const char text[] =
        "SELECT job, after, job_after.ended, job.state, job.after_failure,"
        "       coalesce(before.error_code, ''), coalesce(substr(before.error_detail, 1, 300), '')"
        "  FROM job_after JOIN job ON job.id = job_after.job"
        "  LEFT JOIN job AS before ON before.id = job_after.after"
        " WHERE is_news = 1 LIMIT 1";
    struct news news = {.is_failure = false};
    char ended[16], state[16], if_failed[16], code[64], detail[1300];
    enum api_error error =
        sql_read(store, text, NULL,
                 GET(TO_INT(&news.job), TO_INT(&news.after), TO_TEXT(sizeof ended, ended),
                     TO_TEXT(sizeof state, state), TO_TEXT(sizeof if_failed, if_failed),
                     TO_TEXT(sizeof code, code), TO_TEXT(sizeof detail, detail)));

    if (error != API_OK)
        return error;
    news.is_failure = strcmp(ended, job_state_name(JOB_DONE)) != 0;
    while (news.if_failed < JOB_IF_FAILED &&
           strcmp(if_failed, job_if_failed_name(news.if_failed)) != 0)
        news.if_failed++;
    if (news.if_failed == JOB_IF_FAILED || !job_state_read(state, &news.state))
        return API_INTERNAL;
    snprintf(news.why, sizeof news.why, "job %lld %s", (long long)news.after,
             strcmp(ended, job_state_name(JOB_BURIED)) == 0 ? "failed" : "was cancelled");
    if (strcmp(code, JOB_AFTER_FAILED) == 0) /* the first cause is told along the chain */
        snprintf(news.in_full, sizeof news.in_full, "%s", detail);
    else
        snprintf(news.in_full, sizeof news.in_full, "%s%s%s", news.why, *detail ? ": " : "",
                 detail);
    *ret_news = news;
    return API_OK;
}

/* Before the job moves, so that webhooks tell it, too. */
static enum api_error note_failure(struct store *store, const struct news *news)
{
    static const char text[] =
        "UPDATE job SET error_code = '" JOB_AFTER_FAILED "', error_detail = ?2 WHERE id = ?1";
    return sql_run(store, text, PUT(INT(news->job), TEXT(news->in_full)));
}

/* What becomes of the job. API_STATE: it waits on, or nothing. */
static enum api_error hear(struct store *store, const struct news *news, int64_t now_ms,
                           enum job_state *ret_state)
{
    if (news->state != JOB_READY && news->state != JOB_PAUSED)
        return API_STATE; /* a caller moved it */
    if (news->is_failure && news->if_failed != JOB_IF_FAILED_RUN) {
        enum api_error error = note_failure(store, news);
        if (error != API_OK)
            return error;
    }
    if (news->is_failure && news->if_failed == JOB_IF_FAILED_CANCEL)
        return job_store_ask(store, news->job, JOB_CANCEL, news->why, NULL, now_ms, ret_state);
    if (news->is_failure && news->if_failed == JOB_IF_FAILED_PAUSE && news->state == JOB_READY) {
        enum api_error error =
            job_store_ask(store, news->job, JOB_PAUSE, news->why, NULL, now_ms, ret_state);
        if (error == API_OK)
            error = stop_waiting(store, news->job, now_ms);
        return error == API_STATE ? API_OK : error;
    }
    enum api_error error = stop_waiting(store, news->job, now_ms);
    if (error == API_OK)
        error = job_event_add(store, news->job, now_ms, "unblocked", NULL, NULL);
    if (error == API_OK)
        *ret_state = news->state;
    return error;
}

enum api_error job_store_settle(struct store *store, int most, int64_t now_ms,
                                struct job_moved *ret_moved, int *ret_count)
{
    static const char taken[] = "UPDATE job_after SET is_news = 0 WHERE job = ?1 AND after = ?2";
    int count = 0, notes = 0;
    struct news news;
    enum api_error error = API_OK;

    for (; notes < most && (error = read_news(store, &news)) == API_OK; notes++) {
        struct job_moved moved = {.id = news.job};
        error = sql_run(store, taken, PUT(INT(news.job), INT(news.after)));
        if (error == API_OK)
            error = hear(store, &news, now_ms, &moved.state);
        if (error == API_OK)
            ret_moved[count++] = moved;
        else if (error != API_STATE)
            return error;
    }
    if (notes == 0 || (error != API_OK && error != API_STATE && error != API_NOT_FOUND))
        return error;
    *ret_count = count;
    return API_OK;
}

enum api_error job_store_before(struct store *store, const json_t *after, json_t **ret_jobs)
{
    static const char text[] =
        "WITH RECURSIVE before(id) AS (SELECT value FROM json_each(?1) UNION"
        "   SELECT after FROM before CROSS JOIN job_after ON job = before.id WHERE ended IS NULL"
        "   LIMIT " QUOTED(JOB_BEFORE_MAX) ")"
                                           " SELECT json_group_array(id) AS jobs FROM before";
    char *ids = json_is_array(after) ? json_dumps(after, JSON_COMPACT) : strdup("[]");
    json_t *row;

    if (!ids)
        return API_NO_MEMORY;
    enum api_error error = sql_read_object(store, text, PUT(TEXT(ids)), "j", &row);
    free(ids);
    if (error != API_OK)
        return error;
    *ret_jobs = json_incref(json_object_get(row, "jobs"));
    json_decref(row);
    return API_OK;
}

enum api_error job_store_is_awaited(struct store *store, int64_t id, bool *ret_is)
{
    static const char text[] = "SELECT 1 FROM job_after JOIN job ON job.id = job_after.job"
                               " WHERE after = ?1 AND state IN ('ready', 'leased', 'paused')";
    return sql_exists(store, text, PUT(INT(id)), ret_is);
}
