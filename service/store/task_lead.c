/* What the lead of a job adds, merges and hears. See tasks.h. */
#include "service/store/tasks.h"

#include "api/build_json.h"
#include "api/wire.h"
#include "service/store/sql.h"

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

/* Appends the files of tasks to `gone`. API_BAD_FIELD: one of the tasks is not done. */
static enum api_error take_files(struct store *store, int64_t job, int64_t from, int64_t through,
                                 json_t *gone)
{
    static const char text[] = "SELECT state = 'done', path FROM task"
                               " WHERE job = ?1 AND number BETWEEN ?2 AND ?3";
    struct sql q = sql_start(store, text, PUT(INT(job), INT(from), INT(through)));
    bool good = true;
    int64_t found = 0;

    for (; sql_row(&q); found++) {
        bool is_done = sql_get_int(&q) != 0;
        const char *path = sql_get_text(&q);
        good = is_done && good;
        if (path && json_array_append_new(gone, json_string(path)) != 0)
            q.no_memory = true;
    }
    enum api_error error = sql_end(&q);
    return error != API_OK ? error : good && found == through - from + 1 ? API_OK : API_BAD_FIELD;
}

enum api_error task_store_merge(struct store *store, int64_t job, const char *token,
                                int64_t through, json_t *gone)
{
    static const char noted[] = "UPDATE job SET tasks_merged = ?2 WHERE id = ?1";
    static const char freed[] = "UPDATE task SET result = NULL, path = NULL"
                                " WHERE job = ?1 AND number BETWEEN ?2 AND ?3";
    struct led led;
    enum api_error error = find_led(store, job, token, &led);

    if (error != API_OK || through <= led.merged)
        return error;
    error = take_files(store, job, led.merged + 1, through, gone);
    if (error == API_OK)
        error = sql_run(store, freed, PUT(INT(job), INT(led.merged + 1), INT(through)));
    return error == API_OK ? sql_run(store, noted, PUT(INT(job), INT(through))) : error;
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
