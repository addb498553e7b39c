/* What the lead of a job adds, merges and hears. See tasks.h. */
#include "service/store/tasks.h"

#include "api/base/build_json.h"
#include "api/jobs/wire.h"
#include "service/store/sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The job as its lead sees it. */
struct led {
    int64_t merged, last; /* numbers of tasks; 0: none */
};

/* API_LEASE_LOST: the job is not leased with this token. */
static enum api_error find_led(struct store *store, int64_t job, const char *token,
                               struct led *ret_led)
{
    static const char text[] =
        "SELECT tasks_merged, (SELECT coalesce(max(number), 0) FROM task WHERE job = ?1)"
        "  FROM job WHERE id = ?1 AND state = 'leased' AND has_tasks = 1 AND lease_token = ?2";
    struct led led = {.merged = 0};
    enum api_error error = sql_read(store, text, PUT(INT(job), TEXT(token)),
                                    GET(TO_INT(&led.merged), TO_INT(&led.last)));

    if (error == API_OK)
        *ret_led = led;
    return error == API_NOT_FOUND ? API_LEASE_LOST : error;
}

/* A lead that comes after another one may offer the same task again. */
static enum api_error check_same(struct store *store, int64_t job, const struct task_new *task)
{
    static const char text[] = "SELECT spec FROM task WHERE job = ?1 AND number = ?2";
    char *spec = NULL;
    enum api_error error =
        sql_read(store, text, PUT(INT(job), INT(task->number)), GET(TO_COPY(&spec)));

    if (error == API_OK && (!spec || strcmp(spec, task->spec) != 0))
        error = API_BAD_FIELD;
    free(spec);
    return error;
}

enum api_error task_store_add(struct store *store, int64_t job, const char *token,
                              const struct task_new *task, int64_t now_ms)
{
    static const char text[] = "INSERT INTO task (job, number, state, spec, cores, run_at_ms)"
                               " VALUES (?1, ?2, 'ready', ?3, ?4, ?5)";
    struct led led;
    enum api_error error = find_led(store, job, token, &led);

    if (error != API_OK)
        return error;
    if (task->number <= led.last)
        return check_same(store, job, task);
    if (task->number != led.last + 1 || task->number > led.merged + WIRE_TASKS_OPEN)
        return API_BAD_FIELD;
    return sql_run(
        store, text,
        PUT(INT(job), INT(task->number), TEXT(task->spec), INT(task->cores), INT(now_ms)));
}

/* Appends the files that all tries of tasks have made to `gone`. API_BAD_FIELD: one of the tasks is
 * not done. */
static enum api_error take_files(struct store *store, int64_t job, int64_t from, int64_t through,
                                 json_t *gone)
{
    static const char done[] = "SELECT count(*) FROM task WHERE job = ?1"
                               "   AND number BETWEEN ?2 AND ?3 AND state = 'done'";
    static const char files[] = "SELECT DISTINCT path FROM task_try WHERE job = ?1"
                                "   AND number BETWEEN ?2 AND ?3 AND path IS NOT NULL";
    const struct sql_value *values = PUT(INT(job), INT(from), INT(through));
    int64_t found = 0;
    enum api_error error = sql_read(store, done, values, GET(TO_INT(&found)));

    if (error != API_OK)
        return error;
    struct sql q = sql_start(store, files, values);
    while (sql_row(&q))
        if (json_array_append_new(gone, json_string(sql_get_text(&q))) != 0)
            q.no_memory = true;
    error = sql_end(&q);
    return error != API_OK ? error : found == through - from + 1 ? API_OK : API_BAD_FIELD;
}

/* Tasks up to this one are behind the lead. */
static enum api_error note_merged(struct store *store, int64_t job, int64_t through)
{
    static const char text[] = "UPDATE job SET tasks_merged = ?2 WHERE id = ?1";
    return sql_run(store, text, PUT(INT(job), INT(through)));
}

enum api_error task_store_merge(struct store *store, int64_t job, const char *token,
                                int64_t through, json_t *gone)
{
    static const char freed[] = "UPDATE task SET result = NULL, path = NULL"
                                " WHERE job = ?1 AND number BETWEEN ?2 AND ?3";
    struct led led;
    enum api_error error = find_led(store, job, token, &led);

    if (error != API_OK || through <= led.merged)
        return error;
    error = take_files(store, job, led.merged + 1, through, gone);
    if (error == API_OK)
        error = sql_run(store, freed, PUT(INT(job), INT(led.merged + 1), INT(through)));
    return error == API_OK ? note_merged(store, job, through) : error;
}

/* ---- what is of no use ---- */

/* A task as its lead speaks of it. */
struct spoken {
    char state[16], node[TASK_NODE_MAX]; /* node: who has done it */
    int64_t attempt;
    char *path; /* malloc'ed */
    /* Tries whose outputs have the bytes of this one, itself included; of them, those of this
     * machine; all who made them. */
    int64_t same, same_here, same_nodes;
};

/* The tries of task ?1, ?2 that were refused with the bytes of the one that is done. */
#define SAME_BYTES                                                                     \
    " FROM task_try AS other JOIN task_try AS last USING (job, number)"                \
    " WHERE job = ?1 AND number = ?2 AND last.state = 'done'"                          \
    "   AND other.sha256 = last.sha256 AND (other.state = 'done' OR other.error LIKE " \
    "'" REFUSED_WORDS "%')"
#define REFUSED_WORDS "its output was refused: "

static enum api_error read_spoken(struct store *store, int64_t job, int64_t number,
                                  struct spoken *ret_spoken)
{
    static const char text[] =
        "SELECT state, attempt, coalesce(path, ''),"
        "       coalesce((SELECT node FROM task_try WHERE task_try.job = task.job"
        "                    AND task_try.number = task.number AND task_try.state = 'done'), '')"
        "  FROM task WHERE job = ?1 AND number = ?2";
    static const char same[] = "SELECT count(*), count(*) FILTER (WHERE other.node = ''),"
                               "       count(DISTINCT other.node)" SAME_BYTES;
    enum api_error error = sql_read(store, text, PUT(INT(job), INT(number)),
                                    GET(TO_TEXT(sizeof ret_spoken->state, ret_spoken->state),
                                        TO_INT(&ret_spoken->attempt), TO_COPY(&ret_spoken->path),
                                        TO_TEXT(sizeof ret_spoken->node, ret_spoken->node)));

    return error == API_OK ? sql_read(store, same, PUT(INT(job), INT(number)),
                                      GET(TO_INT(&ret_spoken->same), TO_INT(&ret_spoken->same_here),
                                          TO_INT(&ret_spoken->same_nodes)))
                           : error;
}

/* Whether the program makes these bytes, whoever runs it: this machine made them, too, or several
 * nodes did. A node that repeats a lie does not show that. */
static bool is_nobodys_fault(const struct spoken *task)
{
    return (task->same_here > 0 && task->same > 1) || (task->same_nodes > 1 && task->same > 2);
}

/* Takes back what those were blamed for who made the same bytes. */
static enum api_error clear_nodes(struct store *store, int64_t job, int64_t number)
{
    static const char text[] =
        "UPDATE node SET failed = max(failed - made.count, 0),"
        "       last_error = iif(last_error LIKE printf('job %d, task %d: %%', ?1, ?2), NULL,"
        "                        last_error)"
        "  FROM (SELECT other.node AS name, count(*) AS count" SAME_BYTES
        "           AND other.state = 'failed' GROUP BY other.node) AS made"
        " WHERE node.name = made.name";

    return sql_run(store, text, PUT(INT(job), INT(number)));
}

/* The try that had done the task has failed, and its second answer says nothing any more. */
static enum api_error fail_try(struct store *store, int64_t job, int64_t number,
                               const struct spoken *task, const char *why, int64_t now_ms)
{
    static const char refused[] = "UPDATE task_try SET state = 'failed', error = ?3"
                                  " WHERE job = ?1 AND number = ?2 AND state = 'done'";
    static const char counted[] =
        "UPDATE node SET done = max(done - 1, 0), failed = failed + 1,"
        "       last_error = printf('job %d, task %d: %s', ?2, ?3, ?4) WHERE name = ?1";
    static const char unchecked[] =
        "UPDATE task_check SET state = 'dropped', ended_ms = ?3 WHERE job = ?1 AND number = ?2";
    static const char undone[] = "UPDATE node SET done = max(done - 1, 0) WHERE name = ?1";
    const bool is_nobodys = is_nobodys_fault(task);
    enum api_error error = is_nobodys ? clear_nodes(store, job, number) : API_OK;

    if (error == API_OK)
        error = sql_run(store, refused, PUT(INT(job), INT(number), TEXT(why)));
    if (error == API_OK)
        error = is_nobodys ? sql_run(store, undone, PUT(TEXT(task->node)))
                           : sql_run(store, counted,
                                     PUT(TEXT(task->node), INT(job), INT(number), TEXT(why)));
    return error == API_OK ? sql_run(store, unchecked, PUT(INT(job), INT(number), INT(now_ms)))
                           : error;
}

static enum api_error refuse(struct store *store, int64_t job, int64_t number,
                             const struct spoken *task, const char *why, int64_t now_ms,
                             enum task_state *ret_state)
{
    static const char text[] =
        "UPDATE task SET state = ?3, result = NULL, path = NULL, seconds = NULL, run_at_ms = ?4,"
        "       error_code = 'bad-output', error_detail = ?5, retryable = 0"
        " WHERE job = ?1 AND number = ?2 AND state = 'done'";
    const bool is_nobodys = is_nobodys_fault(task),
               is_last = is_nobodys || task->attempt >= JOB_ATTEMPTS;
    char of_try[1200], of_task[1400];

    snprintf(of_try, sizeof of_try, REFUSED_WORDS "%s", why);
    if (is_nobodys)
        snprintf(of_task, sizeof of_task,
                 "task %lld: %s; %lld tries made the same bytes, so the program is at fault, not "
                 "who ran it",
                 (long long)number, of_try, (long long)task->same);
    else
        snprintf(of_task, sizeof of_task, "task %lld: %s, after %lld tries, the last one by %s",
                 (long long)number, of_try, (long long)task->attempt,
                 *task->node ? task->node : "this machine");
    *ret_state = is_last ? TASK_FAILED : TASK_READY;
    enum api_error error = fail_try(store, job, number, task, of_try, now_ms);
    return error == API_OK
               ? sql_change(store, text,
                            PUT(INT(job), INT(number), TEXT(task_state_name(*ret_state)),
                                INT(now_ms), TEXT(is_last ? of_task : of_try)),
                            API_INTERNAL)
               : error;
}

enum api_error task_store_refuse(struct store *store, int64_t job, const char *token,
                                 int64_t number, const char *why, int64_t now_ms, json_t *gone,
                                 enum task_state *ret_state)
{
    struct spoken task = {.path = NULL};
    struct led led;
    enum api_error error = find_led(store, job, token, &led);

    if (error != API_OK)
        return error;
    if (number <= led.merged || number > led.last)
        return API_BAD_FIELD;
    error = read_spoken(store, job, number, &task);
    *ret_state = TASK_LEASED;
    if (error == API_OK && strcmp(task.state, task_state_name(TASK_DONE)) == 0)
        error = refuse(store, job, number, &task, why, now_ms, ret_state);
    if (error == API_OK && *ret_state != TASK_LEASED && *task.path &&
        json_array_append_new(gone, json_string(task.path)) != 0)
        error = API_NO_MEMORY;
    free(task.path);
    return error;
}

enum api_error task_store_drop(struct store *store, int64_t job, const char *token, int64_t through,
                               int64_t now_ms, json_t *gone)
{
    static const char tries[] =
        "UPDATE task_try SET state = 'cancelled', ended_ms = ?4, error = 'nobody needs the task'"
        " WHERE job = ?1 AND number BETWEEN ?2 AND ?3 AND state = 'leased'";
    static const char checks[] = "UPDATE task_check SET state = 'dropped', ended_ms = ?4"
                                 " WHERE job = ?1 AND number BETWEEN ?2 AND ?3"
                                 "   AND state IN ('waiting', 'leased', 'disputed')";
    static const char tasks[] =
        "UPDATE task SET state = 'dropped', result = NULL, path = NULL, checkpoint = NULL"
        " WHERE job = ?1 AND number BETWEEN ?2 AND ?3";
    struct led led;
    enum api_error error = find_led(store, job, token, &led);

    if (error != API_OK || through <= led.merged)
        return error;
    if (through > led.last)
        return API_BAD_FIELD;
    const int64_t from = led.merged + 1;
    error = take_files(store, job, from, through, gone);
    if (error == API_OK || error == API_BAD_FIELD) /* not all are done, which is the point */
        error = sql_run(store, tries, PUT(INT(job), INT(from), INT(through), INT(now_ms)));
    if (error == API_OK)
        error = sql_run(store, checks, PUT(INT(job), INT(from), INT(through), INT(now_ms)));
    if (error == API_OK)
        error = sql_run(store, tasks, PUT(INT(job), INT(from), INT(through)));
    return error == API_OK ? note_merged(store, job, through) : error;
}

enum api_error task_store_open(struct store *store, int64_t job, int64_t *ret_merged,
                               json_t **ret_open)
{
    static const char how_far[] = "SELECT tasks_merged FROM job WHERE id = ?1";
    static const char text[] =
        "SELECT number, spec FROM task"
        " WHERE job = ?1 AND number > (SELECT tasks_merged FROM job WHERE id = ?1) ORDER BY number";
    int64_t merged = 0;
    enum api_error error = sql_read(store, how_far, PUT(INT(job)), GET(TO_INT(&merged)));

    if (error == API_OK)
        error = sql_read_list(store, text, PUT(INT(job)), "ij", ret_open);
    if (error == API_OK)
        *ret_merged = merged;
    return error;
}

enum api_error task_store_news(struct store *store, int64_t job, int64_t number, json_t **ret_lines)
{
    static const char text[] =
        "SELECT 'task' AS type, number, state,"
        "       iif(state = 'done', result, NULL) AS result, path, seconds,"
        "       iif(state = 'failed', error_code, NULL) AS code,"
        "       iif(state = 'failed', error_detail, NULL) AS detail,"
        "       iif(state = 'failed', iif(retryable, 'true', 'false'), NULL) AS retryable"
        "  FROM task WHERE job = ?1 AND state IN ('done', 'failed') AND (?2 = 0 OR number = ?2)"
        "   AND number > (SELECT tasks_merged FROM job WHERE id = ?1) ORDER BY number";
    json_t *lines, *line, *value;
    const char *key;
    void *next;
    size_t k;
    enum api_error error =
        sql_read_list(store, text, PUT(INT(job), INT(number)), "sisjsrssj", &lines);

    if (error != API_OK)
        return error;
    json_array_foreach(lines, k, line){json_object_foreach_safe(line, next, key, value){
        if (json_is_null(value)) json_object_del(line, key);
}
}
*ret_lines = lines;
return API_OK;
}
