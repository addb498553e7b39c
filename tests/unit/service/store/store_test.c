/* The file itself: opening, migrating, refusing, transactions, copies, and stored answers. */
#include "tests/unit/service/store/stage.h"

#include "schema/schema.h"
#include "service/store/results.h"
#include "service/store/runs.h"
#include "service/store/webhooks.h"

#include <ctype.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- opening --- */

static void only_one_writer_at_a_time(void **state)
{
    struct stage *s = *state;
    struct store *second;
    char error[STORE_ERROR_MAX] = "";

    assert_int_equal(store_open(s->folder, false, &second, error), API_STATE);
    assert_non_null(strstr(error, "another rinkd"));
    store_close(s->store);
    assert_int_equal(store_open(s->folder, false, &s->store, error), API_OK);
}

static void a_missing_folder_is_named(void **state)
{
    struct store *store;
    char error[STORE_ERROR_MAX] = "";

    (void)state;
    assert_int_equal(store_open("/tmp/no/such/folder", false, &store, error), API_STORAGE);
    assert_non_null(strstr(error, "/tmp/no/such/folder"));
}

static sqlite3 *raw_open(const char *folder)
{
    char path[512];
    sqlite3 *db;

    snprintf(path, sizeof path, "%s/rinkd.db", folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    return db;
}

static void raw_run(sqlite3 *db, const char *text)
{
    char *wrong = NULL;
    if (sqlite3_exec(db, text, NULL, NULL, &wrong) != SQLITE_OK)
        fail_msg("%s", wrong);
}

/* Returns all CREATE statements of a file as one text; the caller frees it. */
static char *schema_of(const char *folder)
{
    sqlite3_stmt *statement;
    sqlite3 *db = raw_open(folder);

    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT group_concat(sql, char(10)) FROM"
                                        " (SELECT sql FROM sqlite_schema ORDER BY name)",
                                        -1, &statement, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    char *text = strdup((const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return text;
}

/* A database as the first `version` migrations leave it; 0: an empty file. */
static sqlite3 *raw_of_version(const char *folder, int version)
{
    char set_version[96];
    sqlite3 *db = raw_open(folder);

    for (int k = 0; k < version; k++)
        raw_run(db, schema_migrations[k].sql);
    snprintf(set_version, sizeof set_version,
             "PRAGMA user_version = %d; PRAGMA application_id = %d", version,
             version > 0 ? 0x52696e6b : 0);
    raw_run(db, set_version);
    return db;
}

static void every_earlier_version_becomes_the_newest(void **state)
{
    char error[STORE_ERROR_MAX], folder[64];
    char *newest = NULL;

    (void)state;
    for (int version = 0; version <= store_schema_newest(); version++) {
        struct store *store;
        stage_make_folder(folder);
        sqlite3 *db = raw_of_version(folder, version);
        if (version > 0) /* existing rows stay */
            raw_run(db, "INSERT INTO job (kind, state, due, priority, run_at_ms, max_attempts,"
                        " created_ms, updated_ms, spec) VALUES"
                        " ('match', 'ready', 1, 0, 0, 5, 0, 0, '{}')");
        sqlite3_close(db);

        assert_int_equal(store_open(folder, false, &store, error), API_OK);
        assert_int_equal(store_schema_version(store), store_schema_newest());
        int64_t counts[JOB_STATES];
        assert_int_equal(job_store_counts(store, counts), API_OK);
        assert_int_equal(counts[JOB_READY], version > 0);
        store_close(store);
        assert_true(stage_is_sound(folder));
        char *schema = schema_of(folder);
        if (newest)
            assert_string_equal(schema, newest);
        free(newest);
        newest = schema;
        stage_remove_folder(folder);
    }
    free(newest);
}

/* Ladders from before extra ends existed become those without any, and waiting jobs use none. */
static void ladders_and_jobs_are_taken_along_to_extra_ends(void **state)
{
    enum { BEFORE_EXTRA_ENDS = 6 };
    static const char *const places[] = {"cherry", "apple"};
    const struct ladder_games games = {"dc2", 2, 0}, other = {"dc2", 2, 10};
    char error[STORE_ERROR_MAX], folder[64];
    json_t *head, *items, *job;
    struct store *store;

    (void)state;
    stage_make_folder(folder);
    sqlite3 *db = raw_of_version(folder, BEFORE_EXTRA_ENDS);
    raw_run(db,
            "INSERT INTO job (kind, state, due, priority, run_at_ms, max_attempts, created_ms,"
            " updated_ms, spec) VALUES ('match', 'ready', 1, 0, 0, 5, 0, 0, '{\"ends\":2}'),"
            " ('diagnose', 'ready', 1, 0, 0, 5, 0, 0, '{}');"
            "INSERT INTO match (job, profile, ends, a, b, pairs0, pairs1, pairs2, pairs3, pairs4,"
            " result, at_ms, noise, seed)"
            " VALUES (1, 'dc2', 2, 'apple', 'cherry', 1, 0, 0, 0, 0, '{}', 0, 'gat', 1);"
            "INSERT INTO ladder VALUES ('dc2', 2, 'apple', NULL, 1, 0);"
            "INSERT INTO rating VALUES ('dc2', 2, 'apple', 0, 0, 0, 9),"
            " ('dc2', 2, 'cherry', 100, 50, 150, 9)");
    sqlite3_close(db);

    assert_int_equal(store_open(folder, false, &store, error), API_OK);
    assert_int_equal(results_ratings(store, &games, &head, &items), API_OK);
    assert_int_equal(json_array_size(items), 2);
    for (size_t k = 0; k < 2; k++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(items, k), "player")),
                            places[k]);
    assert_string_equal(json_string_value(json_object_get(head, "anchor")), "apple");
    json_decref(head);
    json_decref(items);
    assert_int_equal(results_ratings(store, &other, &head, &items), API_OK);
    assert_int_equal(json_array_size(items), 0);
    json_decref(items);
    assert_int_equal(results_pairings(store, &games, &items), API_OK);
    assert_int_equal(json_array_size(items), 1);
    json_decref(items);
    for (int64_t id = 1; id <= 2; id++) {
        assert_int_equal(job_store_get(store, id, &job), API_OK);
        const json_t *extra_ends = json_object_get(json_object_get(job, "spec"), "extra_ends");
        assert_int_equal(extra_ends != NULL, id == 1);
        assert_int_equal(json_integer_value(extra_ends), 0);
        json_decref(job);
    }
    store_close(store);
    assert_true(stage_is_sound(folder));
    stage_remove_folder(folder);
}

/* Curves of before know their least and greatest value afterwards. */
static void extremes_of_curves_are_found_in_their_points(void **state)
{
    enum { BEFORE_EXTREMES = 16 };
    static const char run_id[] = "0123456789abcdef0123456789abcdef";
    char error[STORE_ERROR_MAX], folder[64];
    struct store *store;
    json_t *run;

    (void)state;
    stage_make_folder(folder);
    sqlite3 *db = raw_of_version(folder, BEFORE_EXTREMES);
    raw_run(db, "INSERT INTO job (kind, state, due, priority, run_at_ms, max_attempts, created_ms,"
                " updated_ms, spec) VALUES ('train', 'ready', 1, 0, 0, 5, 0, 0, '{}');"
                "INSERT INTO run (name, job, seed, spec, versions, created_ms)"
                " VALUES ('0123456789abcdef0123456789abcdef', 1, 1, '{}', '{}', 0);"
                "INSERT INTO curve (run, name, last_step, last_value) VALUES (1, 'elo', 4, 2.0),"
                " (1, 'loss', 1, NULL);"
                "INSERT INTO point VALUES (1, 1, 0, 5.0), (1, 2, 0, -3.0), (1, 3, 0, 9e999),"
                " (1, 4, 0, 2.0), (2, 1, 0, NULL)");
    sqlite3_close(db);

    assert_int_equal(store_open(folder, false, &store, error), API_OK);
    assert_int_equal(run_store_get(store, run_id, &run), API_OK);
    const json_t *low = json_object_get(run, "lowest_values");
    const json_t *high = json_object_get(run, "highest_values");
    assert_float_equal(json_number_value(json_object_get(low, "elo")), -3.0, 0.0);
    assert_float_equal(json_number_value(json_object_get(high, "elo")), 5.0, 0.0);
    assert_true(json_is_null(json_object_get(high, "loss")));
    json_decref(run);
    store_close(store);
    stage_remove_folder(folder);
}

/* Webhooks that had all kinds of their time are for all kinds; others keep theirs. */
static void webhooks_are_taken_along_to_all_kinds(void **state)
{
    enum { BEFORE_ALL_KINDS = 12 };
    char error[STORE_ERROR_MAX], folder[64];
    struct store *store;
    json_t *webhook;

    (void)state;
    stage_make_folder(folder);
    sqlite3 *db = raw_of_version(folder, BEFORE_ALL_KINDS);
    raw_run(db, "INSERT INTO webhook (url, secret, states, kinds, about, waiting_max, created_ms)"
                " SELECT 'https://example.org/', 'whsec_AAAA', '[\"done\"]', value, '', 10, 0"
                "   FROM json_each('[\"[\\\"train\\\",\\\"match\\\",\\\"tournament\\\","
                "\\\"exploitability\\\",\\\"diagnose\\\"]\", \"[\\\"match\\\"]\"]')");
    sqlite3_close(db);
    assert_int_equal(store_open(folder, false, &store, error), API_OK);
    assert_int_equal(store_begin(store), API_OK);
    assert_int_equal(webhook_store_widen(store, "[\"new\"]"), API_OK);
    assert_int_equal(store_commit(store), API_OK);
    for (int64_t id = 1; id <= 2; id++) {
        assert_int_equal(webhook_store_get(store, id, &webhook), API_OK);
        assert_string_equal(json_string_value(json_array_get(json_object_get(webhook, "kinds"), 0)),
                            id == 1 ? "new" : "match");
        json_decref(webhook);
    }
    store_close(store);
    stage_remove_folder(folder);
}

static void a_file_from_a_newer_program_is_refused_and_left_alone(void **state)
{
    struct stage *s = *state;
    char error[STORE_ERROR_MAX] = "", set_version[64];
    struct store *store;

    store_close(s->reader);
    store_close(s->store);
    sqlite3 *db = raw_open(s->folder);
    snprintf(set_version, sizeof set_version, "PRAGMA user_version = %d",
             store_schema_newest() + 1);
    raw_run(db, set_version);
    sqlite3_close(db);
    assert_int_equal(store_open(s->folder, false, &store, error), API_STATE);
    assert_non_null(strstr(error, "newer rinkd"));
    assert_int_equal(store_open_reader(s->folder, &store), API_STATE);

    db = raw_open(s->folder);
    snprintf(set_version, sizeof set_version, "PRAGMA user_version = %d", store_schema_newest());
    raw_run(db, set_version);
    sqlite3_close(db);
    assert_int_equal(store_open(s->folder, false, &s->store, error), API_OK);
    assert_int_equal(store_open_reader(s->folder, &s->reader), API_OK);
}

static void a_foreign_file_is_refused(void **state)
{
    char error[STORE_ERROR_MAX] = "", folder[64];
    struct store *store;

    (void)state;
    stage_make_folder(folder);
    sqlite3 *db = raw_open(folder);
    raw_run(db, "CREATE TABLE recipe (name TEXT)");
    sqlite3_close(db);
    assert_int_equal(store_open(folder, false, &store, error), API_STATE);
    assert_non_null(strstr(error, "not a database of rinkd"));
    stage_remove_folder(folder);
}

static void damage_is_found_at_start(void **state)
{
    struct stage *s = *state;
    char error[STORE_ERROR_MAX] = "", path[512], junk[512];
    struct store *store;

    stage_add(s, "match");
    store_close(s->reader);
    store_close(s->store);
    snprintf(path, sizeof path, "%s/rinkd.db", s->folder);
    memset(junk, 0x5a, sizeof junk);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    for (long page = 1; page < 12; page++) {
        fseek(file, page * 4096, SEEK_SET);
        fwrite(junk, 1, sizeof junk, file);
    }
    fclose(file);
    assert_int_equal(store_open(s->folder, false, &store, error), API_STORAGE);
    assert_true(strlen(error) > 0);

    unlink(path);
    assert_int_equal(store_open(s->folder, false, &s->store, error), API_OK);
    assert_int_equal(store_open_reader(s->folder, &s->reader), API_OK);
}

/* Comments explain each "CREATE TABLE" and each column, and each table is STRICT. */
static void every_table_and_column_is_explained(void **state)
{
    (void)state;
    for (int k = 0; k < schema_migration_count; k++) {
        char *text = strdup(schema_migrations[k].sql), *rest = text, *line, *before = text;
        bool inside = false, explained = true;
        while ((line = strsep(&rest, "\n"))) {
            bool opens = strncmp(line, "CREATE TABLE", 12) == 0;
            bool starts =
                inside && strncmp(line, "    ", 4) == 0 && islower((unsigned char)line[4]);
            if (opens && strncmp(before, "-- ", 3) != 0)
                fail_msg("%s: no comment above: %s", schema_migrations[k].name, line);
            if (inside && (starts || line[0] == ')' || strncmp(line, "    P", 5) == 0 ||
                           strncmp(line, "    U", 5) == 0)) {
                if (!explained)
                    fail_msg("%s: a column without a comment before: %s", schema_migrations[k].name,
                             line);
                explained = !starts;
            }
            explained = explained || (inside && strstr(line, "-- "));
            if (inside && line[0] == ')') {
                assert_non_null(strstr(line, "STRICT"));
                inside = false;
            }
            inside = inside || opens;
            before = line;
        }
        free(text);
    }
}

/* --- transactions --- */

static void a_failing_request_leaves_others_of_its_group(void **state)
{
    struct stage *s = *state;
    struct job_new good = {.kind = "match", .spec = "{}"}, bad = {.kind = "match", .spec = "{"};
    int64_t first, second, counts[JOB_STATES];

    assert_int_equal(store_begin(s->store), API_OK);
    assert_int_equal(store_savepoint(s->store), API_OK);
    assert_int_equal(job_store_add(s->store, &good, 1000, &first), API_OK);
    assert_int_equal(store_release(s->store), API_OK);
    assert_int_equal(store_savepoint(s->store), API_OK);
    assert_int_equal(job_store_add(s->store, &good, 1000, &second), API_OK);
    assert_int_equal(job_store_add(s->store, &bad, 1000, &second), API_BAD_FIELD);
    store_undo(s->store);
    assert_int_equal(job_store_counts(s->reader, counts), API_OK);
    assert_int_equal(counts[JOB_READY], 0); /* nothing is visible before the commit */
    assert_int_equal(store_commit(s->store), API_OK);
    assert_int_equal(job_store_counts(s->reader, counts), API_OK);
    assert_int_equal(counts[JOB_READY], 1);
}

static void nothing_is_written_outside_of_a_transaction(void **state)
{
    struct stage *s = *state;
    struct job_new job = {.kind = "match", .spec = "{}"};
    int64_t id, counts[JOB_STATES];

    assert_int_equal(job_store_add(s->store, &job, 1000, &id), API_INTERNAL);
    assert_int_equal(store_commit(s->store), API_INTERNAL);
    assert_int_equal(store_savepoint(s->store), API_INTERNAL);
    assert_int_equal(store_begin(s->store), API_OK);
    assert_int_equal(store_begin(s->store), API_INTERNAL);
    store_rollback(s->store);
    assert_int_equal(job_store_counts(s->store, counts), API_OK);
    assert_int_equal(counts[JOB_READY], 0);
}

static void a_reader_cannot_write(void **state)
{
    struct stage *s = *state;
    struct job_new job = {.kind = "match", .spec = "{}"};
    int64_t id;

    assert_int_equal(store_begin(s->reader), API_INTERNAL);
    assert_int_equal(job_store_add(s->reader, &job, 1000, &id), API_INTERNAL);
}

struct reading {
    const char *folder;
    atomic_bool stop;
    int64_t reads, bad;
};

/* Jobs are added in pairs, one commit each: a reader must never see an odd number. */
static void *read_on(void *context)
{
    struct reading *reading = context;
    struct store *reader;
    int64_t counts[JOB_STATES], last = 0;

    if (store_open_reader(reading->folder, &reader) != API_OK) {
        reading->bad++;
        return NULL;
    }
    do {
        if (job_store_counts(reader, counts) != API_OK || counts[JOB_READY] % 2 != 0 ||
            counts[JOB_READY] < last)
            reading->bad++;
        last = counts[JOB_READY];
        reading->reads++;
    } while (!atomic_load(&reading->stop));
    store_close(reader);
    return NULL;
}

static void readers_see_whole_commits_while_others_write(void **state)
{
    struct stage *s = *state;
    struct job_new job = {.kind = "match", .spec = "{}"};
    struct reading reading = {.folder = s->folder};
    pthread_t thread;
    int64_t id;

    assert_int_equal(pthread_create(&thread, NULL, read_on, &reading), 0);
    for (int k = 0; k < 50; k++) {
        stage_begin(s);
        assert_int_equal(job_store_add(s->store, &job, 1000, &id), API_OK);
        assert_int_equal(job_store_add(s->store, &job, 1000, &id), API_OK);
        assert_int_equal(store_commit(s->store), API_OK);
    }
    atomic_store(&reading.stop, true);
    pthread_join(thread, NULL);
    assert_int_equal(reading.bad, 0);
    assert_true(reading.reads > 0);
}

/* --- copies --- */

static void a_copy_is_whole_and_can_be_opened(void **state)
{
    struct stage *s = *state;
    char folder[64], path[512], error[STORE_ERROR_MAX];
    struct store *copy;
    int64_t counts[JOB_STATES];

    for (int k = 0; k < 20; k++)
        stage_add(s, "match");
    stage_make_folder(folder);
    snprintf(path, sizeof path, "%s/rinkd.db", folder);
    stage_begin(s); /* during a write */
    struct job_new job = {.kind = "match", .spec = "{}"};
    int64_t id;
    assert_int_equal(job_store_add(s->store, &job, 1000, &id), API_OK);
    assert_int_equal(store_backup(s->reader, path), API_OK);
    assert_int_equal(store_commit(s->store), API_OK);
    assert_int_equal(store_backup(s->reader, path), API_EXISTS);
    snprintf(path, sizeof path, "%s/no/copy.db", folder);
    assert_int_equal(store_backup(s->reader, path), API_STORAGE);

    /* Left by a daemon killed while copying; the earlier copy is whole. */
    const char *const names[] = {"mine.db.part", "20260131T120000.123Z.db.part"};
    snprintf(path, sizeof path, "%s/" STORE_BACKUPS, folder);
    assert_int_equal(mkdir(path, 0700), 0);
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/" STORE_BACKUPS "/%s", folder, names[k]);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fclose(file);
    }
    assert_int_equal(store_open(folder, false, &copy, error), API_OK);
    assert_int_equal(access(path, F_OK), -1);
    snprintf(path, sizeof path, "%s/" STORE_BACKUPS "/%s", folder, names[0]); /* a user's file */
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/" STORE_BACKUPS, folder);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(job_store_counts(copy, counts), API_OK);
    assert_int_equal(counts[JOB_READY], 20);
    store_close(copy);
    assert_true(stage_is_sound(folder));
    stage_remove_folder(folder);
}

/* --- files of another database --- */

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[160];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Makes a folder with the files of an earlier daemon but without its database. */
static void make_left_folder(char ret_folder[64])
{
    char path[160];

    stage_make_folder(ret_folder);
    snprintf(path, sizeof path, "%s/models", ret_folder);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file(ret_folder, "models/weights", "w");
    snprintf(path, sizeof path, "%s/jobs", ret_folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/jobs/17", ret_folder);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file(ret_folder, "jobs/17/records.jsonl", "{}");
}

/* Returns the number of files with this name and text, at any depth. */
static int count_files(const char *folder, const char *below, const char *name, const char *text)
{
    char command[512], line[16];

    snprintf(command, sizeof command,
             "find '%s%s' -type f -name '%s' -exec grep -lF -- '%s' {} + 2>&1 | wc -l", folder,
             below, name, text);
    FILE *found = popen(command, "r");
    assert_non_null(found);
    assert_non_null(fgets(line, sizeof line, found));
    assert_int_equal(pclose(found), 0);
    return atoi(line);
}

static void assert_refuses_and_adopts(const char *folder)
{
    char error[STORE_ERROR_MAX];
    struct store *store;

    assert_int_equal(store_open(folder, false, &store, error), API_STATE);
    assert_non_null(strstr(error, "--adopt"));
    assert_int_equal(count_files(folder, "/models", "weights", "w"), 1);
    assert_int_equal(count_files(folder, "/jobs/17", "records.jsonl", "{}"), 1);

    assert_int_equal(store_open(folder, true, &store, error), API_OK);
    store_close(store);
    assert_int_equal(count_files(folder, "/lost+found", "weights", "w"), 1);
    assert_int_equal(count_files(folder, "/lost+found", "records.jsonl", "{}"), 1);
    assert_int_equal(count_files(folder, "/models", "*", ""), 0);
    assert_int_equal(count_files(folder, "/jobs", "*", ""), 0);
    assert_int_equal(store_open(folder, false, &store, error), API_OK);
    store_close(store);
}

/* Without its database, everything in a folder would be unknown to the new one. */
static void a_new_database_does_not_begin_beside_old_files(void **state)
{
    char folder[64], path[160];
    sqlite3 *db;

    (void)state;
    make_left_folder(folder); /* rinkd.db is gone */
    assert_refuses_and_adopts(folder);
    stage_remove_folder(folder);

    make_left_folder(folder); /* empty file */
    write_file(folder, "rinkd.db", "");
    assert_refuses_and_adopts(folder);
    stage_remove_folder(folder);

    make_left_folder(folder); /* no tables */
    snprintf(path, sizeof path, "%s/rinkd.db", folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 0; VACUUM", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_refuses_and_adopts(folder);
    stage_remove_folder(folder);
}

/* SQLite deletes the log of a missing database. */
static void the_log_of_a_lost_database_is_kept(void **state)
{
    char folder[64], error[STORE_ERROR_MAX];
    struct store *store;

    (void)state;
    stage_make_folder(folder);
    write_file(folder, "rinkd.db-wal", "the last jobs");
    assert_int_equal(store_open(folder, false, &store, error), API_STATE);
    assert_int_equal(count_files(folder, "", "rinkd.db-wal", "the last jobs"), 1);
    assert_int_equal(store_open(folder, true, &store, error), API_OK);
    store_close(store);
    assert_int_equal(count_files(folder, "/lost+found", "rinkd.db-wal", "the last jobs"), 1);
    stage_remove_folder(folder);
}

/* A folder that cannot be read may hold anything. */
static void an_unreadable_folder_is_not_taken_for_empty(void **state)
{
    char folder[64], error[STORE_ERROR_MAX];
    struct store *store;

    (void)state;
    stage_make_folder(folder);
    write_file(folder, "jobs", "no folder"); /* opendir() fails, for root too */
    assert_int_equal(store_open(folder, false, &store, error), API_STATE);
    assert_int_equal(store_open(folder, true, &store, error), API_STORAGE);
    assert_int_equal(count_files(folder, "", "jobs", "no folder"), 1);
    stage_remove_folder(folder);
}

/* If the files cannot be moved, no new database begins beside them. */
static void files_that_cannot_be_moved_are_not_adopted(void **state)
{
    char folder[64], error[STORE_ERROR_MAX];
    struct store *store;

    (void)state;
    make_left_folder(folder);
    write_file(folder, "lost+found", "a file");
    assert_int_equal(store_open(folder, true, &store, error), API_STORAGE);
    assert_non_null(strstr(error, "lost+found"));
    assert_int_equal(count_files(folder, "/models", "weights", "w"), 1);
    stage_remove_folder(folder);
}

/* A daemon that is killed: adds a job, copies the database to `copy` (NULL: does not), adds another
 * one, and leaves both in the log. */
static void be_killed(const char *folder, const char *copy)
{
    pid_t pid = fork();
    int status;

    assert_true(pid >= 0);
    if (pid == 0) {
        const struct job_new job = {.kind = "match", .spec = "{}"};
        char error[STORE_ERROR_MAX];
        struct store *store, *reader;
        int64_t id;
        bool good =
            store_open(folder, false, &store, error) == API_OK &&
            store_open_reader(folder, &reader) == API_OK && store_begin(store) == API_OK &&
            job_store_add(store, &job, 1000, &id) == API_OK && store_commit(store) == API_OK &&
            (!copy || store_backup(reader, copy) == API_OK) && store_begin(store) == API_OK &&
            job_store_add(store, &job, 1000, &id) == API_OK && store_commit(store) == API_OK;
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static int64_t jobs_of(const char *folder)
{
    char error[STORE_ERROR_MAX];
    int64_t counts[JOB_STATES];
    struct store *store;

    assert_int_equal(store_open(folder, false, &store, error), API_OK);
    assert_int_equal(job_store_counts(store, counts), API_OK);
    store_close(store);
    return counts[JOB_READY];
}

/* SQLite would apply the log to the copy, and the result would be neither of the two. */
static void the_log_of_another_database_is_not_applied(void **state)
{
    char folder[64], copy[96], path[96], error[STORE_ERROR_MAX];
    struct store *store;

    (void)state;
    stage_make_folder(folder);
    snprintf(copy, sizeof copy, "%s/copy.db", folder);
    snprintf(path, sizeof path, "%s/rinkd.db", folder);
    be_killed(folder, NULL);
    assert_int_equal(jobs_of(folder), 2); /* its own log is applied */
    be_killed(folder, copy);
    assert_int_equal(rename(copy, path), 0);
    assert_int_equal(store_check(folder, false, &store, error), API_STATE);
    assert_int_equal(store_open(folder, false, &store, error), API_STATE);
    assert_non_null(strstr(error, "rinkd.db-wal belongs to another rinkd.db"));
    assert_int_equal(store_open(folder, true, &store, error), API_OK);
    store_close(store);
    assert_int_equal(count_files(folder, "/lost+found", "rinkd.db-wal", ""), 1);
    assert_int_equal(jobs_of(folder), 3); /* those of the copy */
    assert_true(stage_is_sound(folder));
    stage_remove_folder(folder);
}

/* A clean copy of an earlier day, made while no daemon ran, has no mark. */
static void the_log_of_a_later_day_is_not_applied(void **state)
{
    char folder[64], command[256], error[STORE_ERROR_MAX];
    struct store *store;

    (void)state;
    stage_make_folder(folder);
    be_killed(folder, NULL);
    assert_int_equal(jobs_of(folder), 2);
    snprintf(command, sizeof command, "cp '%s/rinkd.db' '%s/copy.db'", folder, folder);
    assert_int_equal(system(command), 0);
    be_killed(folder, NULL);
    snprintf(command, sizeof command, "mv '%s/copy.db' '%s/rinkd.db'", folder, folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(store_open(folder, false, &store, error), API_STATE);
    stage_remove_folder(folder);
}

static void a_check_leaves_no_files(void **state)
{
    char folder[64], error[STORE_ERROR_MAX];
    struct store *store;

    (void)state;
    stage_make_folder(folder);
    assert_int_equal(store_open(folder, false, &store, error), API_OK);
    store_close(store);
    assert_int_equal(store_check(folder, false, &store, error), API_OK);
    assert_int_equal(store_schema_version(store), store_schema_newest());
    assert_int_equal(count_files(folder, "", "rinkd.db-*", ""), 0);
    store_close(store);
    assert_int_equal(count_files(folder, "", "rinkd.db-*", ""), 0);
    stage_remove_folder(folder);
}

/* --- strangers --- */

/* rename() does not go from one file system to another. */
static void strangers_of_another_file_system_stay_on_it(void **state)
{
    char folder[64], other[] = "/dev/shm/rinkd-XXXXXX", path[160], error[STORE_ERROR_MAX];
    struct stat here, there;
    struct store *store;

    (void)state;
    stage_make_folder(folder);
    if (!mkdtemp(other) || stat(folder, &here) != 0 || stat(other, &there) != 0 ||
        here.st_dev == there.st_dev) {
        stage_remove_folder(folder);
        skip();
    }
    snprintf(path, sizeof path, "%s/jobs", folder);
    assert_int_equal(symlink(other, path), 0);
    snprintf(path, sizeof path, "%s/17", other);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file(other, "17/records.jsonl", "{}");
    assert_int_equal(store_open(folder, false, &store, error), API_STATE);
    assert_int_equal(store_open(folder, true, &store, error), API_OK);
    store_close(store);
    assert_int_equal(count_files(other, "/lost+found", "records.jsonl", "{}"), 1);
    assert_int_equal(count_files(other, "", "records.jsonl", "{}"), 1);
    snprintf(path, sizeof path, "%s/rinkd.db", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(store_open(folder, false, &store, error),
                     API_OK); /* lost+found is no stranger */
    store_close(store);
    stage_remove_folder(other);
    stage_remove_folder(folder);
}

/* The root of an ext4 file system has a lost+found of root. */
static void strangers_are_moved_where_lost_and_found_is_of_another_user(void **state)
{
    enum { NOBODY = 65534 };
    char folder[64], path[256], error[STORE_ERROR_MAX];
    struct store *store = NULL;
    uid_t before = geteuid();

    (void)state;
    make_left_folder(folder);
    snprintf(path, sizeof path, "%s/lost+found", folder);
    assert_int_equal(mkdir(path, before == 0 ? 0700 : 0500), 0);
    if (before == 0) {
        snprintf(path, sizeof path, "chown -R %d '%s' && chown 0 '%s/lost+found'", NOBODY, folder,
                 folder);
        assert_int_equal(system(path), 0);
        assert_int_equal(seteuid(NOBODY), 0);
    }
    enum api_error opened = store_open(folder, true, &store, error);
    store_close(store);
    assert_int_equal(seteuid(before), 0);
    assert_int_equal(opened, API_OK);
    assert_int_equal(count_files(folder, "/lost+found.rinkd", "weights", "w"), 1);
    assert_int_equal(count_files(folder, "/lost+found.rinkd", "records.jsonl", "{}"), 1);
    stage_remove_folder(folder);
}

/* --- answers to repeated requests --- */

enum { DAY_MS = 24 * 3600 * 1000 };

static struct store_answer answer_with(char *body)
{
    struct store_answer answer = {.status = 202, .body = body};
    memset(answer.body_sha256, 'a', 64);
    return answer;
}

static void an_answer_is_remembered_for_a_day(void **state)
{
    struct stage *s = *state;
    char location[] = "/v1/jobs/7", body[] = "{\"id\":7}", other_body[] = "{\"id\":8}";
    struct store_answer answer = answer_with(body), found, other = answer_with(other_body);

    answer.location = location;
    assert_int_equal(store_answer_find(s->reader, "me", "k", 1000, &found), API_NOT_FOUND);
    assert_int_equal(IN_COMMIT(s, store_answer_add(s->store, "me", "k", 1000, &answer)), API_OK);
    assert_int_equal(IN_COMMIT(s, store_answer_add(s->store, "me", "k", 1000 + DAY_MS - 1, &other)),
                     API_EXISTS);
    assert_int_equal(store_answer_find(s->reader, "me", "k", 1000 + DAY_MS - 1, &found), API_OK);
    assert_int_equal(found.status, 202);
    assert_string_equal(found.body, body);
    assert_string_equal(found.location, location);
    assert_string_equal(found.body_sha256, answer.body_sha256);
    free(found.body);
    free(found.location);
    assert_int_equal(store_answer_find(s->reader, "you", "k", 1000, &found), API_NOT_FOUND);

    /* After a day the key may be reused. */
    assert_int_equal(store_answer_find(s->reader, "me", "k", 1000 + DAY_MS, &found), API_NOT_FOUND);
    assert_int_equal(IN_COMMIT(s, store_answer_add(s->store, "me", "k", 1000 + DAY_MS, &other)),
                     API_OK);
    assert_int_equal(store_answer_find(s->reader, "me", "k", 1000 + DAY_MS, &found), API_OK);
    assert_string_equal(found.body, other_body);
    assert_null(found.location);
    free(found.body);
}

static void old_answers_are_forgotten_a_few_at_a_time(void **state)
{
    struct stage *s = *state;
    char body[] = "{}", key[16];
    struct store_answer answer = answer_with(body), found;
    int left = 0;

    for (int k = 0; k < 5; k++) {
        snprintf(key, sizeof key, "k%d", k);
        assert_int_equal(IN_COMMIT(s, store_answer_add(s->store, "me", key, 1000, &answer)),
                         API_OK);
    }
    assert_int_equal(IN_COMMIT(s, store_answers_forget(s->store, 1000 + DAY_MS - 1, 10)), API_OK);
    assert_int_equal(IN_COMMIT(s, store_answers_forget(s->store, 1000 + DAY_MS, 3)), API_OK);
    for (int k = 0; k < 5; k++) {
        snprintf(key, sizeof key, "k%d", k);
        if (store_answer_find(s->reader, "me", key, 1000, &found) == API_OK) {
            left++;
            free(found.body);
        }
    }
    assert_int_equal(left, 2);
}

int main(void)
{
#define SCENE(name) cmocka_unit_test_setup_teardown(name, stage_open, stage_close)
    const struct CMUnitTest tests[] = {
        SCENE(only_one_writer_at_a_time),
        cmocka_unit_test(a_missing_folder_is_named),
        cmocka_unit_test(every_earlier_version_becomes_the_newest),
        cmocka_unit_test(ladders_and_jobs_are_taken_along_to_extra_ends),
        cmocka_unit_test(extremes_of_curves_are_found_in_their_points),
        cmocka_unit_test(webhooks_are_taken_along_to_all_kinds),
        SCENE(a_file_from_a_newer_program_is_refused_and_left_alone),
        cmocka_unit_test(a_foreign_file_is_refused),
        SCENE(damage_is_found_at_start),
        cmocka_unit_test(a_new_database_does_not_begin_beside_old_files),
        cmocka_unit_test(the_log_of_a_lost_database_is_kept),
        cmocka_unit_test(an_unreadable_folder_is_not_taken_for_empty),
        cmocka_unit_test(files_that_cannot_be_moved_are_not_adopted),
        cmocka_unit_test(the_log_of_another_database_is_not_applied),
        cmocka_unit_test(the_log_of_a_later_day_is_not_applied),
        cmocka_unit_test(a_check_leaves_no_files),
        cmocka_unit_test(strangers_of_another_file_system_stay_on_it),
        cmocka_unit_test(strangers_are_moved_where_lost_and_found_is_of_another_user),
        cmocka_unit_test(every_table_and_column_is_explained),
        SCENE(a_failing_request_leaves_others_of_its_group),
        SCENE(nothing_is_written_outside_of_a_transaction),
        SCENE(a_reader_cannot_write),
        SCENE(readers_see_whole_commits_while_others_write),
        SCENE(a_copy_is_whole_and_can_be_opened),
        SCENE(an_answer_is_remembered_for_a_day),
        SCENE(old_answers_are_forgotten_a_few_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
