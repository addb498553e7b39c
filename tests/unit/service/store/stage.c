/* Folders, transactions and short ways to inspect jobs. */
#include "tests/unit/service/store/stage.h"
#include "tests/unit/service/store/job_events.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void stage_make_folder(char ret_folder[64])
{
    strcpy(ret_folder, "/tmp/store_test_XXXXXX");
    assert_non_null(mkdtemp(ret_folder));
}

void stage_remove_folder(const char *folder)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

int stage_open(void **state)
{
    struct stage *stage = calloc(1, sizeof *stage);
    char error[STORE_ERROR_MAX];

    assert_non_null(stage);
    stage_make_folder(stage->folder);
    assert_int_equal(store_open(stage->folder, false, &stage->store, error), API_OK);
    assert_int_equal(store_open_reader(stage->folder, &stage->reader), API_OK);
    *state = stage;
    return 0;
}

int stage_close(void **state)
{
    struct stage *stage = *state;

    store_close(stage->reader);
    store_close(stage->store);
    assert_true(stage_is_sound(stage->folder));
    stage_remove_folder(stage->folder);
    free(stage);
    return 0;
}

void stage_begin(struct stage *stage)
{
    assert_int_equal(store_begin(stage->store), API_OK);
}

enum api_error stage_end(struct stage *stage, enum api_error error)
{
    if (error == API_OK)
        return store_commit(stage->store);
    store_rollback(stage->store);
    return error;
}

int64_t stage_add(struct stage *stage, const char *kind)
{
    struct job_new job = {.kind = kind, .spec = "{}"};
    int64_t id = 0;

    assert_int_equal(IN_COMMIT(stage, job_store_add(stage->store, &job, 1000, &id)), API_OK);
    return id;
}

struct job_claim stage_claim(struct stage *stage, const char *kind, int64_t now_ms)
{
    const char *const kinds[] = {kind, NULL};
    struct job_claim claim;

    assert_int_equal(
        IN_COMMIT(stage, job_store_claim(stage->store, kinds, NULL, now_ms, 30, &claim)), API_OK);
    return claim;
}

enum job_state stage_state(struct stage *stage, int64_t id)
{
    enum job_state state;
    json_t *job;

    assert_int_equal(job_store_get(stage->reader, id, &job), API_OK);
    assert_true(job_state_read(json_string_value(json_object_get(job, "state")), &state));
    json_decref(job);
    return state;
}

const char *stage_member(struct stage *stage, int64_t id, const char *name)
{
    static char text[4096];
    json_t *job;

    assert_int_equal(job_store_get(stage->reader, id, &job), API_OK);
    json_t *member = json_object_get(job, name);
    assert_non_null(member);
    size_t length =
        json_dumpb(member, text, sizeof text - 1, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
    assert_true(length < sizeof text);
    text[length] = '\0';
    json_decref(job);
    return text;
}

const char *stage_events(struct stage *stage, int64_t id)
{
    static char text[1024];
    json_t *events = job_events(stage->reader, id), *event;
    size_t k;

    text[0] = '\0';
    json_array_foreach(events, k, event)
    {
        size_t length = strlen(text);
        assert_int_equal(json_integer_value(json_object_get(event, "seq")), (int64_t)k + 1);
        snprintf(text + length, sizeof text - length, "%s%s", k > 0 ? " " : "",
                 json_string_value(json_object_get(event, "kind")));
    }
    json_decref(events);
    return text;
}

static bool gives_ok(sqlite3 *db, const char *text, bool wants_row)
{
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_prepare_v2(db, text, -1, &statement, NULL), SQLITE_OK);
    bool row = sqlite3_step(statement) == SQLITE_ROW;
    bool good = wants_row
                    ? row && strcmp((const char *)sqlite3_column_text(statement, 0), "ok") == 0
                    : !row;
    sqlite3_finalize(statement);
    return good;
}

bool stage_is_sound(const char *folder)
{
    char path[512];
    sqlite3 *db;

    snprintf(path, sizeof path, "%s/rinkd.db", folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    /* The counts kept by triggers equal those of the rows. */
    bool good =
        gives_ok(db, "PRAGMA quick_check", true) &&
        gives_ok(db, "PRAGMA foreign_key_check", false) &&
        gives_ok(db,
                 "SELECT 1 FROM job_count"
                 " WHERE jobs <> (SELECT count(*) FROM job WHERE state = job_count.state)",
                 false) &&
        gives_ok(
            db,
            "SELECT 1 FROM caller JOIN job ON owner = name GROUP BY name HAVING"
            " ready + paused <> sum(state IN ('ready', 'paused')) OR"
            " bytes <> sum(iif(state IN ('ready', 'paused'), length(CAST(spec AS BLOB)), 0)) OR"
            " leased <> sum(state = 'leased') OR"
            " caller.cores <> sum(iif(state = 'leased' AND has_tasks = 0, job.cores, 0))"
            "   + (SELECT coalesce(sum(task_try.cores), 0) FROM task_try JOIN job ON id = job"
            "       WHERE owner = name AND task_try.state = 'leased')",
            false);
    sqlite3_close(db);
    return good;
}
