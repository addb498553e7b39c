/* Rows of another database: every column of every table with values that nobody should write. Each
 * is refused by the name of its column, or whatever shows it still can. */
#include "service/store/transfer.h"

#include "api/base/load_json.h"
#include "service/store/job_after.h"
#include "service/store/library.h"
#include "service/store/registry.h"
#include "service/store/results.h"
#include "service/store/runs.h"
#include "service/store/sql.h"
#include "service/store/tasks.h"
#include "tests/slow.h"
#include "tests/unit/service/store/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHA "'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'"
#define RUN "0123456789abcdef0123456789abcdef"

/* A row of each table. */
static const char rows_of_all[] =
    "INSERT INTO job (id, kind, state, due, priority, run_at_ms, max_attempts, created_ms,"
    "  updated_ms, started_ms, finished_ms, spec, owner, progress, eta_s, error_code, error_detail,"
    "  repeat_of, after_failure) VALUES (1, 'match', 'done', 0, 0, 1000, 5, 1000, 1000, 1000, 2000,"
    "  '{}', 'ann', 1.0, 2.0, 'no', 'why', NULL, NULL), (2, 'diagnose', 'paused', 0, 0, 1000, 5,"
    "  1000, 1000, NULL, NULL, '{\"profile\":\"dc3\",\"seconds\":1,\"seed\":1}', '', NULL, NULL,"
    "  NULL, NULL, 1, 'cancel');"
    "INSERT INTO job_output VALUES (1, '{}', '{}', 'log');"
    "INSERT INTO job_event (job, seq, at_ms, kind, detail, caller)"
    "  VALUES (1, 1, 1000, 'added', 'x', 'ann');"
    "INSERT INTO job_weights VALUES (1, " SHA ");"
    "INSERT INTO job_after VALUES (2, 1, 'done', 0);"
    "INSERT INTO task (job, number, state, spec, cores, run_at_ms, checkpoint, result, path,"
    "  seconds, error_code, error_detail)"
    "  VALUES (1, 1, 'done', '{}', 1, 1000, '{}', '{}', 'task-1.x', 1.5, 'no', 'why');"
    "INSERT INTO task_try (job, number, try, node, token, state, cores, lease_until_ms, path,"
    "  sha256, bytes, started_ms, ended_ms, error) VALUES (1, 1, 1, 'n', '" RUN
    "', 'done', 1, 1000, 'task-1.x', " SHA ", 9, 1000, 2000, 'x');"
    "INSERT INTO run VALUES (1, '" RUN "', 1, 5, '{}', '{}', '{\"a\":\"b\"}', 1000);"
    "INSERT INTO curve VALUES (1, 1, 'loss', 3, 0.5, 0.1, 0.9);"
    "INSERT INTO point VALUES (1, 3, 1000, 0.5);"
    "INSERT INTO checkpoint VALUES (1, 3, 'a.checkpoint', " SHA ", 9, 1000);"
    "INSERT INTO model VALUES ('small', " SHA ", 9, '{}', 1000, '" RUN "', 'average', 3);"
    "INSERT INTO model_alias VALUES ('best', 'small', 1000);"
    "INSERT INTO player VALUES ('mine', 'rink', '', 1000);"
    "INSERT INTO match (id, job, profile, ends, a, b, pairs0, pairs1, pairs2, pairs3, pairs4,"
    "  result, at_ms, noise, seed, extra_ends)"
    "  VALUES (1, 1, 'dc3', 2, 'a', 'b', 0, 1, 2, 3, 4, '{}', 1000, 'n', 7, 2);"
    "INSERT INTO ladder (profile, ends, extra_ends, anchor, seat_advantage_elo, job, at_ms)"
    "  VALUES ('dc3', 2, 2, 'a', 1.0, 1, 1000);"
    "INSERT INTO rating (profile, ends, extra_ends, player, elo, low, high, pairs)"
    "  VALUES ('dc3', 2, 2, 'a', 1.0, 0.5, 1.5, 4);"
    "INSERT INTO exploitability VALUES (1, 1, 'p', 'dc3', 9, '{}', '{}', '{}', 1000);"
    "INSERT INTO library (id, title, note, tags, is_puzzle, profile, state, setting, best, cost,"
    "  review, number, owner, created_ms) VALUES (1, 't', 'n', '[\"x\"]', 1, 'dc3',"
    "  '{\"end\":1,\"shot\":15,\"hammer\":\"team1\",\"scores\":{\"team0\":[0],\"team1\":[0]},"
    "  \"stones\":{\"team0\":[],\"team1\":[]}}', '{\"max_end\":2}', '{}', 0.1, 1, 3, 'ann', 1000)";

/* ---- the rows, as an export has them ---- */

static enum api_error take(void *context, const json_t *row)
{
    return json_array_append_new(context, json_deep_copy(row)) == 0 ? API_OK : API_NO_MEMORY;
}

/* All rows of a database that has one of each table: {TABLE: [row, …]}. */
static json_t *read_rows(void)
{
    json_t *all = json_object();
    void *state;

    stage_open(&state);
    struct stage *source = state;
    stage_begin(source);
    char *why = NULL;
    if (sqlite3_exec(source->store->db, rows_of_all, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s", why);
    assert_int_equal(stage_end(source, API_OK), API_OK);
    for (int k = 0; transfer_tables[k]; k++) {
        json_t *rows = json_array();
        assert_int_equal(transfer_read(source->reader, transfer_tables[k], take, rows), API_OK);
        if (json_array_size(rows) == 0)
            fail_msg("there is no row of %s: give this test one", transfer_tables[k]);
        json_object_set_new(all, transfer_tables[k], rows);
    }
    stage_close(&state);
    return all;
}

/* Takes all rows in, in one transaction that the caller ends. */
static enum api_error take_in(struct store *store, const json_t *all, char why[TRANSFER_WHY_MAX])
{
    struct transfer *transfer;
    enum api_error error = transfer_in_begin(store, &transfer);
    bool is_added;
    json_t *row;
    size_t k;

    *why = '\0';
    assert_int_equal(error, API_OK);
    json_array_foreach(json_object_get(all, "match"), k, row)
    {
        if (error == API_OK)
            error = transfer_look(transfer, "match", row);
    }
    for (int table = 0; transfer_tables[table]; table++)
        json_array_foreach(json_object_get(all, transfer_tables[table]), k, row)
        {
            if (error == API_OK)
                error = transfer_add(transfer, transfer_tables[table], row, &is_added, why);
        }
    if (error == API_OK)
        error = transfer_finish(transfer);
    transfer_in_end(transfer);
    return error;
}

/* ---- all that shows rows ---- */

/* Whether an answer can be given. */
static bool is_fine(enum api_error error, json_t **answer)
{
    if (error == API_OK && answer)
        json_decref(*answer);
    return error == API_OK || error == API_NOT_FOUND || error == API_STATE;
}

static bool has_page(enum api_error error, struct store_page *page)
{
    bool is_good = is_fine(error, &page->items);

    *page = (struct store_page){.limit = 100};
    return is_good;
}

static const char *unread_of_jobs(struct store *store)
{
    const struct job_filter filter = {.kind = NULL};
    struct store_page page = {.limit = 100};
    int64_t number, counts[JOB_STATES];
    struct job_moved moved[4];
    json_t *answer = NULL;
    char *text = NULL;
    int count;

    if (!has_page(job_store_list(store, &filter, &page), &page))
        return "GET /v1/jobs";
    for (int64_t job = 1; job <= 2; job++) {
        if (!is_fine(job_store_get(store, job, &answer), &answer))
            return "GET /v1/jobs/{id}";
        if (!is_fine(job_store_history(store, job, &answer), &answer))
            return "the history of a job";
        if (!is_fine(job_store_read_log(store, job, &text), NULL))
            return "GET /v1/jobs/{id}/log";
        free(text);
        text = NULL;
        if (!has_page(task_store_list(store, job, &page), &page))
            return "GET /v1/jobs/{id}/tasks";
        if (!is_fine(job_store_position(store, job, &number), NULL))
            return "the place in the line";
    }
    if (!is_fine(job_store_counts(store, counts), NULL))
        return "GET /metrics";
    if (!is_fine(job_store_settle(store, 4, 3000, moved, &count), NULL))
        return "the jobs after others";
    return NULL;
}

static const char *unread_of_runs(struct store *store)
{
    const struct run_curve_query query = {.run = RUN,
                                          .name = "loss",
                                          .from_step = INT64_MIN,
                                          .to_step = INT64_MAX,
                                          .max_points = RUN_POINTS_LEAST};
    struct run_point points[RUN_POINTS_LEAST];
    struct store_page page = {.limit = 100};
    json_t *answer = NULL;
    int count;

    if (!has_page(run_store_list(store, 0, &page), &page))
        return "GET /v1/runs";
    if (!is_fine(run_store_get(store, RUN, &answer), &answer))
        return "GET /v1/runs/{id}";
    if (!is_fine(run_store_curve(store, &query, points, &count), NULL))
        return "GET /v1/runs/{id}/metrics";
    if (!has_page(run_store_checkpoints(store, RUN, &page), &page))
        return "GET /v1/runs/{id}/checkpoints";
    return NULL;
}

static const char *unread_of_results(struct store *store)
{
    const struct match_filter filter = {.profile = NULL};
    const struct ladder_games games = {"dc3", 2, 2};
    const struct library_filter library = {.tag = NULL};
    struct store_page page = {.limit = 100};
    json_t *answer = NULL, *items = NULL;

    if (!has_page(results_matches(store, &filter, &page), &page))
        return "GET /v1/matches";
    if (!has_page(results_exploitability(store, &filter, &page), &page))
        return "GET /v1/exploitability";
    if (!is_fine(results_ratings(store, &games, &answer, &items), &answer))
        return "GET /v1/ratings";
    json_decref(items);
    if (!is_fine(results_pairings(store, &games, &answer), &answer))
        return "the next ladder";
    if (!has_page(model_store_list(store, &page), &page))
        return "GET /v1/models";
    if (!has_page(player_store_list(store, &page), &page))
        return "GET /v1/players";
    if (!has_page(library_store_list(store, &library, &page), &page))
        return "GET /v1/library";
    return NULL;
}

/* What can no longer be shown; NULL: all of it can. */
static const char *unread(struct store *store)
{
    const char *what = unread_of_jobs(store);

    if (!what)
        what = unread_of_runs(store);
    return what ? what : unread_of_results(store);
}

/* ---- bad values ---- */

/* Of any column, and of those whose good value is a text or a number. */
static const char *const bad_values[] = {"null", "true", "7", "\"x\"", "[]", "{}", NULL};
static const char *const bad_texts[] = {"\"\"",
                                        "\"../x\"",
                                        "\"[]\"",
                                        "\"{}\"",
                                        "\"7\"",
                                        "\"{\"",
                                        "\"{\\\"a\\\":1e999}\"",
                                        "\"{\\\"a\\\":99999999999999999999}\"",
                                        "\"{\\\"a\\\":1,\\\"a\\\":[]}\"",
                                        NULL};
static const char *const bad_numbers[] = {"-1",
                                          "9007199254740993",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "1.5",
                                          "1e300",
                                          "\"Infinity\"",
                                          "\"-Infinity\"",
                                          "\"NaN\"",
                                          NULL};

/* Takes the rows in with one value that is bad, and takes them back. */
static void try_value(struct stage *stage, json_t *all, const char *table, json_t *row,
                      const char *column, const char *text)
{
    json_t *value = load_json(text, strlen(text), JSON_DECODE_ANY, NULL);
    json_t *good = json_incref(json_object_get(row, column));
    char why[TRANSFER_WHY_MAX];

    assert_non_null(value);
    json_object_set_new(row, column, value);
    assert_int_equal(store_begin(stage->store), API_OK);
    enum api_error error = take_in(stage->store, all, why);
    const char *what = error == API_OK ? unread(stage->store) : NULL;
    store_rollback(stage->store);
    if (error != API_OK && error != API_BAD_FIELD)
        fail_msg("%s.%s = %s: %s", table, column, text, api_error_slug(error));
    /* The key of a row may be missed by one that refers to it. */
    if (error == API_BAD_FIELD && !strstr(why, column) && !strstr(why, ": there is no "))
        fail_msg("%s.%s = %s: \"%s\" does not name it", table, column, text, why);
    if (what)
        fail_msg("%s.%s = %s: %s has no answer", table, column, text, what);
    json_object_set_new(row, column, good);
}

static void try_values(struct stage *stage, json_t *all, const char *table, json_t *row,
                       const char *column, const char *const *texts)
{
    static int number;

    for (; *texts; texts++)
        if (number++ % SLOW_OR(7, 1) == 0)
            try_value(stage, all, table, row, column, *texts);
}

static void try_row(struct stage *stage, json_t *all, const char *table, json_t *row)
{
    json_t *columns = json_deep_copy(row), *value;
    const char *column;
    void *at;

    json_object_foreach_safe(columns, at, column, value)
    {
        const bool is_text = json_is_string(value), is_null = json_is_null(value);
        try_values(stage, all, table, row, column, bad_values);
        if (is_text || is_null)
            try_values(stage, all, table, row, column, bad_texts);
        if (!is_text || is_null)
            try_values(stage, all, table, row, column, bad_numbers);
    }
    json_decref(columns);
}

static void a_bad_value_is_refused_by_its_column_or_breaks_nothing(void **state)
{
    struct stage *stage = *state;
    json_t *all = read_rows(), *rows;
    const char *table;
    char why[TRANSFER_WHY_MAX];

    assert_int_equal(store_begin(stage->store), API_OK);
    if (take_in(stage->store, all, why) != API_OK)
        fail_msg("the good rows: %s", why);
    assert_null(unread(stage->store));
    store_rollback(stage->store);
    json_object_foreach(all, table, rows)
    {
        for (size_t k = 0; k < json_array_size(rows); k++)
            try_row(stage, all, table, json_array_get(rows, k));
    }
    json_decref(all);
}

/* Values that the type of the column allows and that no service writes. */
static void what_no_service_writes_is_refused(void **state)
{
    static const struct {
        const char *table, *column, *value;
    } bad[] = {
        {"job", "progress", "\"Infinity\""},
        {"job", "progress", "1.5"},
        {"job", "eta_s", "-1.0"},
        {"job", "kind", "\"unknown\""},
        {"job", "spec", "\"[]\""},
        {"job", "spec", "\"{\\\"a\\\":1e999}\""},
        {"job", "cores", "4611686018427387904"},
        {"job", "created_ms", "-1"},
        {"job", "created_ms", "9007199254740991"},
        {"job_event", "seq", "9223372036854775807"},
        {"checkpoint", "path", "\"../../rinkd.db\""},
        {"checkpoint", "sha256",
         "\"BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD\""},
        {"task", "path", "\"a/b\""},
        {"model", "name", "\"No Name\""},
        {"model", "card", "\"[1]\""},
        {"run", "tags", "\"{\\\"a\\\":1}\""},
        {"library", "state", "\"{}\""},
        {"library", "profile", "\"dc99\""},
        {"rating", "elo", "\"Infinity\""},
    };
    struct stage *stage = *state;
    json_t *all = read_rows();
    char why[TRANSFER_WHY_MAX];

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        json_t *row = json_array_get(json_object_get(all, bad[k].table), 0);
        json_t *good = json_incref(json_object_get(row, bad[k].column));
        json_object_set_new(row, bad[k].column,
                            load_json(bad[k].value, strlen(bad[k].value), JSON_DECODE_ANY, NULL));
        assert_int_equal(store_begin(stage->store), API_OK);
        enum api_error error = take_in(stage->store, all, why);
        store_rollback(stage->store);
        if (error != API_BAD_FIELD || strncmp(why, bad[k].column, strlen(bad[k].column)) != 0)
            fail_msg("%s.%s = %s: %s: %s", bad[k].table, bad[k].column, bad[k].value,
                     api_error_slug(error), why);
        json_object_set_new(row, bad[k].column, good);
    }
    json_decref(all);
}

/* A spec of a job that has not ended is read like that of a request. */
static void a_waiting_job_has_a_spec_that_a_request_could_have(void **state)
{
    struct stage *stage = *state;
    json_t *all = read_rows(), *job = json_array_get(json_object_get(all, "job"), 1);
    char why[TRANSFER_WHY_MAX];

    json_object_set_new(job, "spec", json_string("{\"profile\":\"dc3\",\"seconds\":0,\"seed\":1}"));
    assert_int_equal(store_begin(stage->store), API_OK);
    assert_int_equal(take_in(stage->store, all, why), API_BAD_FIELD);
    assert_non_null(strstr(why, "spec: /seconds: "));
    store_rollback(stage->store);

    json_object_set_new(job, "state", json_string("done"));
    assert_int_equal(store_begin(stage->store), API_OK);
    assert_int_equal(take_in(stage->store, all, why), API_OK); /* of an earlier version */
    store_rollback(stage->store);
    json_decref(all);
}

/* The job that it waits for is not there any more, or has ended here. */
static void nobody_waits_for_ever(void **state)
{
    struct stage *stage = *state;
    json_t *all = read_rows(), *job = json_array_get(json_object_get(all, "job"), 1);
    json_t *after = json_array_get(json_object_get(all, "job_after"), 0);
    char why[TRANSFER_WHY_MAX];
    bool waits = true;

    json_object_set_new(job, "waits", json_integer(1));
    json_object_set_new(after, "ended", json_null());
    assert_int_equal(store_begin(stage->store), API_OK);
    assert_int_equal(take_in(stage->store, all, why), API_OK);
    assert_int_equal(
        sql_exists(stage->store, "SELECT 1 FROM job_after WHERE is_news = 1", NULL, &waits),
        API_OK);
    assert_true(waits); /* it is told of the end */
    store_rollback(stage->store);

    json_object_set_new(after, "after", json_integer(77));
    assert_int_equal(store_begin(stage->store), API_OK);
    assert_int_equal(take_in(stage->store, all, why), API_OK);
    assert_int_equal(sql_exists(stage->store, "SELECT 1 FROM job WHERE waits = 1", NULL, &waits),
                     API_OK);
    assert_false(waits);
    store_rollback(stage->store);
    json_decref(all);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stage_open, stage_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_bad_value_is_refused_by_its_column_or_breaks_nothing),
        TEST(what_no_service_writes_is_refused),
        TEST(a_waiting_job_has_a_spec_that_a_request_could_have),
        TEST(nobody_waits_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
