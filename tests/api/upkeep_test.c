/* Upkeep by the real daemon: retention removes exactly what its dry run said and nothing that is
 * needed, also if the daemon is killed in the middle; backups are made on time and can be started
 * from. */
#include "tests/api/resources.h"
#include "tests/patience.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 256, JOBS = 300, KEPT = 20, KILLS = 6 };

#define SHA "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static int prepare(void **state)
{
    contract_load(OPENAPI_YAML);
    return daemon_prepare_here(state);
}

static void start(const char *const *flags)
{
    daemon_start_well(&daemon_here, flags);
}

/* ---- the data folder, behind the daemon's back ---- */

static void query(const char *data, const char *text, int (*row)(void *, int, char **, char **),
                  void *context)
{
    char path[PATH_BYTES], *error = NULL;
    sqlite3 *db;

    snprintf(path, sizeof path, "%s/rinkd.db", data);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, PATIENCE_MS);
    if (sqlite3_exec(db, text, row, context, &error) != SQLITE_OK)
        fail_msg("%s: %s", text, error);
    sqlite3_close(db);
}

static int take_number(void *context, int columns, char **values, char **names)
{
    (void)columns;
    (void)names;
    *(long long *)context = values[0] ? strtoll(values[0], NULL, 10) : 0;
    return 0;
}

static long long number_in(const char *text)
{
    long long number = -1;

    query(daemon_here.data, text, take_number, &number);
    return number;
}

static void job_file(int job, const char *name, char ret_path[PATH_BYTES])
{
    snprintf(ret_path, PATH_BYTES, "%s/jobs/%d/%s", daemon_here.data, job, name);
}

static void put_records(int job)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s/jobs", daemon_here.data);
    mkdir(path, 0700);
    job_file(job, "", path);
    mkdir(path, 0700);
    job_file(job, "records.jsonl", path);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs("{}\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static bool has_file(int job, const char *name)
{
    char path[PATH_BYTES];

    job_file(job, name, path);
    return access(path, F_OK) == 0;
}

/* ---- jobs ---- */

/* Adds ended jobs from..to, each with a run, a point and records; the job with the greatest number
 * ended last. */
static void add_ended(int from, int to)
{
    char text[2048];

    snprintf(
        text, sizeof text,
        "PRAGMA foreign_keys = ON; BEGIN;"
        "WITH RECURSIVE n (k) AS (SELECT %d UNION ALL SELECT k + 1 FROM n WHERE k < %d)"
        " INSERT INTO job (id, kind, state, due, priority, run_at_ms, max_attempts, created_ms,"
        "                  updated_ms, finished_ms, spec)"
        " SELECT k, 'diagnose', 'done', 0, 0, 0, 5, 1000, 1000, 1000 + k, '{}' FROM n;"
        "INSERT INTO run (name, job, seed, spec, versions, created_ms)"
        " SELECT printf('%%032x', id), id, 1, '{}', '{}', 1000 FROM job WHERE id >= %d;"
        "INSERT INTO curve (run, name, last_step) SELECT id, 'loss', 1 FROM run WHERE job >= %d;"
        "INSERT INTO point (curve, step, at_ms, value)"
        " SELECT curve.id, 1, 1000, 0.5 FROM curve JOIN run ON run.id = curve.run"
        "  WHERE run.job >= %d; COMMIT",
        from, to, from, from, from);
    query(daemon_here.data, text, NULL, NULL);
    for (int job = from; job <= to; job++)
        put_records(job);
}

/* Makes the database. */
static void begin(void)
{
    start((const char *[]){"--workers", "0", NULL});
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

static struct reply dry_run(void)
{
    return ask("GET", "/v1/retention", "/v1/retention", NULL, 200);
}

static struct reply remove_now(void)
{
    static const char *const headers[] = {"Prefer: wait=60", NULL};

    return ask_with("POST", "/v1/retention", "/v1/retention",
                    &(struct client_call){.header = headers, .most_ms = PATIENCE_MS}, 200);
}

static json_t *list_of(const json_t *lists, const char *kind)
{
    json_t *list;
    size_t k;

    json_array_foreach(lists, k, list) if (strcmp(text_of(list, "kind"), kind) == 0) return list;
    fail_msg("there is no list of %s", kind);
    return NULL;
}

/* Checks that what is gone is what the dry run said, to the last byte. */
static void assert_same(const json_t *goes, const json_t *gone)
{
    static const char *const kinds[] = {"jobs", "replays", "backups"}, *const members[] = {
                                                                           "count", "bytes", "ids"};

    for (size_t k = 0; k < 3; k++)
        for (size_t m = 0; m < 3; m++)
            if (!json_equal(json_object_get(list_of(goes, kinds[k]), members[m]),
                            json_object_get(list_of(gone, kinds[k]), members[m])))
                fail_msg("%s of %s differ", members[m], kinds[k]);
}

/* Removes, and returns the dry run before it. */
static json_t *remove_as_said(void)
{
    struct reply said = dry_run(), done = remove_now(), again;
    json_t *goes = json_incref(json_object_get(said.json, "goes"));

    assert_same(goes, json_object_get(json_object_get(done.json, "last"), "gone"));
    again = dry_run();
    json_t *left, *lists = json_object_get(again.json, "goes");
    size_t k;
    json_array_foreach(lists, k, left)
        assert_int_equal(json_integer_value(json_object_get(left, "count")), 0);
    reply_free(&again);
    reply_free(&done);
    reply_free(&said);
    return goes;
}

static void assert_ids(const json_t *list, const char *expected)
{
    char *ids = json_dumps(json_object_get(list, "ids"), JSON_COMPACT);

    assert_string_equal(ids, expected);
    free(ids);
}

static void what_is_needed_stays(void **state)
{
    (void)state;
    begin();
    add_ended(1, 9);
    /* 1: a model with an alias of a caller; 2: an unfinished job plays with its model; 6: a job is
     * after it; 3: parent of 9; 4: its model has only the alias that runs make; 5: buried */
    query(daemon_here.data,
          "INSERT INTO model (name, sha256, bytes, card, created_ms, run, policy, step)"
          " SELECT run.name || '.average.1', CASE job WHEN 2 THEN '" SHA "'"
          "  ELSE replace('" SHA "', 'b', job) END, 7, '{}', 1, run.name, 'average', 1 FROM run"
          "  WHERE job IN (1, 2, 4);"
          "INSERT INTO model_alias (alias, model, updated_ms)"
          " SELECT run || '.average', name, 1 FROM model;"
          "INSERT INTO model_alias (alias, model, updated_ms)"
          " SELECT 'champion', run.name || '.average.1', 1 FROM run WHERE job = 1;"
          "INSERT INTO job (id, kind, state, due, priority, run_at_ms, max_attempts, created_ms,"
          "                 updated_ms, spec)"
          " VALUES (10, 'match', 'ready', 1, 0, 0, 5, 1000, 1000, '{}');"
          "INSERT INTO job_weights (job, sha256) VALUES (10, '" SHA "');"
          "UPDATE job SET kind = 'train', spec = json_object('from', json_object('run',"
          " (SELECT name FROM run WHERE job = 3))) WHERE id = 9;"
          "INSERT INTO job_after (job, after, ended) VALUES (10, 6, 'done');"
          "UPDATE job SET state = 'buried' WHERE id = 5",
          NULL, NULL);
    start((const char *[]){"--workers", "0", "--keep-jobs", "2", NULL});
    json_t *goes = remove_as_said();
    assert_ids(list_of(goes, "jobs"), "[7,5,4]");
    json_t *stays = json_object_get(list_of(goes, "jobs"), "stays");
    assert_int_equal(json_array_size(stays), 3);
    assert_ids(json_array_get(stays, 0), "[2,1]");
    assert_ids(json_array_get(stays, 1), "[3]");
    assert_ids(json_array_get(stays, 2), "[6]");
    json_decref(goes);

    for (int job = 1; job <= 10; job++) {
        char path[64];
        bool goes_by_rule = job == 4 || job == 5 || job == 7;
        snprintf(path, sizeof path, "/v1/jobs/%d", job);
        expect("GET", "/v1/jobs/{id}", path, NULL, goes_by_rule ? 404 : 200);
        assert_int_equal(has_file(job, "records.jsonl"), !goes_by_rule && job < 10);
    }
    assert_int_equal(number_in("SELECT count(*) FROM model"), 2);
    assert_int_equal(number_in("SELECT count(*) FROM point"), 6);
    struct reply metrics = ask("GET", "/metrics", "/metrics", NULL, 200);
    assert_non_null(strstr(metrics.text, "\nrinkd_removed_total{kind=\"jobs\"} 3\n"));
    assert_non_null(strstr(metrics.text, "\nrinkd_removed_bytes_total{kind=\"jobs\"} 16\n"));
    reply_free(&metrics);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

/* ---- what unfinished jobs name ---- */

#define REVIEW                                                                    \
    "{\"kind\":\"review\",\"spec\":{\"game\":\"1-0-1\",\"throws\":64,\"limits\":" \
    "{\"simulations\":100}}%s}"

static struct reply ask_review(const char *more, long status)
{
    char body[256];

    snprintf(body, sizeof body, REVIEW, more);
    return ask("POST", "/v1/jobs", "/v1/jobs", body, status);
}

/* The game is not there: refused like any other bad field, and nothing is added. */
static void assert_no_game(const char *more)
{
    struct reply reply = ask_review(more, 422);

    assert_problem(&reply, 422, "bad-field");
    assert_string_equal(
        text_of(json_array_get(json_object_get(reply.json, "errors"), 0), "pointer"), "/spec/game");
    reply_free(&reply);
}

static void play_match(void)
{
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: wait=60",
                                          NULL};
    struct reply job = ask_with(
        "POST", "/v1/jobs", "/v1/jobs",
        &(struct client_call){.header = headers,
                              .body = "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":"
                                      "\"generator\",\"pairs\":1,\"ends\":1,\"luck\":0}}"},
        200);

    assert_int_equal(client_whole(job.json, "id"), 1);
    reply_free(&job);
}

static void assert_says(const char *method, const char *contract_path, const char *path,
                        const char *text)
{
    struct reply reply = ask(method, contract_path, path, NULL, 409);

    if (!strstr(text_of(reply.json, "detail"), text))
        fail_msg("%s %s: %s", method, path, reply.text);
    reply_free(&reply);
}

static void a_game_that_a_review_needs_stays(void **state)
{
    char path[64], needed[64], set[128];

    (void)state;
    start((const char *[]){"--workers", "1", NULL});
    assert_no_game("");
    play_match();
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
    start((const char *[]){"--workers", "0", "--keep-jobs", "0", "--keep-replays", "0", NULL});
    struct reply review = ask_review("", 202);
    const json_int_t id = client_whole(review.json, "id");
    reply_free(&review);
    snprintf(needed, sizeof needed, "job %lld has not ended", (long long)id);

    json_t *goes = remove_as_said();
    assert_ids(list_of(goes, "replays"), "[]");
    for (int k = 0; k < 2; k++)
        assert_ids(
            json_array_get(json_object_get(list_of(goes, k ? "jobs" : "replays"), "stays"), 0),
            "[1]");
    json_decref(goes);
    assert_says("DELETE", "/v1/jobs/{id}", "/v1/jobs/1", needed);
    struct reply many = ask("POST", "/v1/jobs/delete", "/v1/jobs/delete", "{\"ids\":[1]}", 200);
    assert_int_equal(client_whole(many.json, "skipped"), 1);
    reply_free(&many);
    expect("GET", "/v1/games/{id}", "/v1/games/1-0-1", NULL, 200);

    /* Once it has ended, the game may go; then the job cannot be kicked, and no other one comes. */
    snprintf(set, sizeof set, "UPDATE job SET state = 'buried', due = 0 WHERE id = %lld",
             (long long)id);
    query(daemon_here.data, set, NULL, NULL);
    expect("DELETE", "/v1/jobs/{id}", "/v1/jobs/1", NULL, 204);
    snprintf(path, sizeof path, "/v1/jobs/%lld/kick", (long long)id);
    assert_says("POST", "/v1/jobs/{id}/kick", path, "there is no game 1-0-1");
    assert_no_game("");
    assert_no_game(",\"dry_run\":true");
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

static void replays_and_backups_go_by_their_own_rules(void **state)
{
    (void)state;
    begin();
    add_ended(1, 6);
    query(daemon_here.data, "UPDATE job SET state = 'buried' WHERE id = 2", NULL, NULL);
    start(
        (const char *[]){"--workers", "0", "--keep-replays", "9B", "--keep-backups", "0s,1", NULL});
    for (int k = 0; k < 3; k++)
        expect("POST", "/v1/backup", "/v1/backup", NULL, 201);
    json_t *goes = remove_as_said();
    assert_ids(list_of(goes, "jobs"), "[]");
    assert_ids(list_of(goes, "replays"), "[3,1]");
    assert_int_equal(json_integer_value(json_object_get(list_of(goes, "backups"), "count")), 2);
    json_decref(goes);
    for (int job = 1; job <= 6; job++)
        assert_int_equal(has_file(job, "records.jsonl"), job != 1 && job != 3);
    assert_int_equal(number_in("SELECT count(*) FROM job"), 6);
    struct reply backups = ask("GET", "/v1/backup", "/v1/backup", NULL, 200);
    assert_int_equal(json_array_size(json_object_get(backups.json, "items")), 1);
    reply_free(&backups);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

/* A ladder is computed again after a match goes; that job must not push out the next match. */
static void jobs_that_follow_are_counted_apart(void **state)
{
    (void)state;
    begin();
    add_ended(1, 4);
    query(daemon_here.data,
          "UPDATE job SET kind = 'match', spec = '{\"profile\":\"dc3\",\"ends\":2,"
          "\"extra_ends\":0}' WHERE id < 4;"
          "UPDATE job SET kind = 'rate' WHERE id = 4",
          NULL, NULL);
    start((const char *[]){"--workers", "0", "--keep-jobs", "2", NULL});
    json_t *goes = remove_as_said();
    assert_ids(list_of(goes, "jobs"), "[1]");
    json_decref(goes);
    assert_int_equal(number_in("SELECT count(*) FROM job WHERE kind = 'match'"), 2);
    assert_int_equal(number_in("SELECT count(*) FROM job WHERE kind = 'rate'"), 2);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

/* ---- kill -9 ---- */

/* The kept jobs are complete; each other one is either complete or gone. */
static void assert_whole(int jobs, int kept)
{
    char text[256];

    assert_int_equal(number_in("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    snprintf(text, sizeof text, "SELECT count(*) FROM job WHERE id > %d", jobs - kept);
    assert_int_equal(number_in(text), kept);
    assert_int_equal(number_in("SELECT count(*) FROM job WHERE id NOT IN (SELECT job FROM run"
                               " JOIN curve ON curve.run = run.id"
                               " JOIN point ON point.curve = curve.id)"),
                     0);
    for (int job = 1; job <= jobs; job++) {
        snprintf(text, sizeof text, "SELECT count(*) FROM job WHERE id = %d", job);
        assert_int_equal(has_file(job, "records.jsonl"), number_in(text));
    }
}

static void a_kill_in_the_middle_loses_nothing_that_is_kept(void **state)
{
    static const char *const flags[] = {"--workers", "0", "--keep-jobs", "20", NULL};
    int interrupted = 0;

    (void)state;
    begin();
    add_ended(1, JOBS);
    for (int k = 0; k < KILLS; k++) {
        start(flags);
        long long before = number_in("SELECT count(*) FROM job");
        expect("POST", "/v1/retention", "/v1/retention", NULL, 202);
        /* Kills it when some are gone, as soon as that can be seen. */
        for (long long now = before; before > KEPT && now >= before;)
            now = number_in("SELECT count(*) FROM job");
        assert_int_equal(daemon_end(&daemon_here, SIGKILL), 128 + SIGKILL);
        start((const char *[]){"--workers", "0", NULL});
        interrupted += number_in("SELECT count(*) FROM job") > KEPT;
        assert_whole(JOBS, KEPT);
        assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
    }
    start(flags);
    struct reply done = remove_now();
    assert_true(json_is_null(json_object_get(json_object_get(done.json, "last"), "error")));
    reply_free(&done);
    assert_int_equal(number_in("SELECT count(*) FROM job"), KEPT);
    assert_whole(JOBS, KEPT);
    print_message("%d of %d kills came in the middle\n", interrupted, KILLS);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

/* ---- backups on time ---- */

static json_t *wait_for_backups(bool (*is_good)(const json_t *backups))
{
    for (;;) {
        struct reply reply = ask("GET", "/v1/backup", "/v1/backup", NULL, 200);
        json_t *backups = json_incref(reply.json);
        reply_free(&reply);
        if (is_good(backups))
            return backups;
        json_decref(backups);
        usleep(20000);
    }
}

static bool has_one(const json_t *backups)
{
    return json_array_size(json_object_get(backups, "items")) > 0;
}

static bool has_failed(const json_t *backups)
{
    return json_is_object(json_object_get(backups, "failure"));
}

static void a_backup_on_time_can_be_started_from(void **state)
{
    char from[PATH_BYTES], to[PATH_BYTES], name[64];
    static const char *const flags[] = {"--workers", "0", "--backup-every-h", "1", NULL};

    (void)state;
    begin();
    add_ended(1, 3);
    start(flags);
    json_t *backups = wait_for_backups(has_one);
    assert_true(json_is_string(json_object_get(backups, "next_at")));
    assert_true(json_is_null(json_object_get(backups, "failure")));
    snprintf(name, sizeof name, "%s",
             text_of(json_array_get(json_object_get(backups, "items"), 0), "name"));
    json_decref(backups);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);

    /* The hour goes on over a restart. */
    start(flags);
    sleep(2); /* rinkd looks once a second */
    backups = wait_for_backups(has_one);
    assert_int_equal(json_array_size(json_object_get(backups, "items")), 1);
    json_decref(backups);
    expect("DELETE", "/v1/jobs/{id}", "/v1/jobs/2", NULL, 204);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);

    snprintf(from, sizeof from, "%s/backups/%s", daemon_here.data, name);
    snprintf(to, sizeof to, "%s/rinkd.db", daemon_here.data);
    assert_int_equal(rename(from, to), 0);
    start((const char *[]){"--workers", "0", NULL});
    expect("GET", "/v1/jobs/{id}", "/v1/jobs/2", NULL, 200);
    assert_int_equal(number_in("SELECT count(*) FROM job"), 3);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

static void touch(const char *folder, const char *name)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s/%s/%s", daemon_here.data, folder, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

static void what_killed_backups_left_goes_at_the_start(void **state)
{
    static const char *const left[] = {"20260101T000000.000Z.db.part",
                                       "20260101T000000.000Z.db.part-journal",
                                       "20260101T000000.000Z.db.part-wal"};
    static const char *const own[] = {"20260101T000000.000Z.db", "notes.part", "x.db.part-journal"};
    char path[PATH_BYTES];

    (void)state;
    begin();
    snprintf(path, sizeof path, "%s/backups", daemon_here.data);
    mkdir(path, 0700);
    for (size_t k = 0; k < 3; k++) {
        touch("backups", left[k]);
        touch("backups", own[k]);
    }
    begin();
    for (size_t k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/backups/%s", daemon_here.data, left[k]);
        assert_int_not_equal(access(path, F_OK), 0);
        snprintf(path, sizeof path, "%s/backups/%s", daemon_here.data, own[k]);
        assert_int_equal(access(path, F_OK), 0);
    }
}

static void a_backup_that_fails_is_told(void **state)
{
    char path[PATH_BYTES];

    (void)state;
    begin();
    snprintf(path, sizeof path, "%s/backups", daemon_here.data);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    start((const char *[]){"--workers", "0", "--backup-every-h", "1", NULL});
    json_t *backups = wait_for_backups(has_failed);
    assert_string_equal(text_of(json_object_get(backups, "failure"), "error"), "storage");
    json_decref(backups);
    struct reply metrics = ask("GET", "/metrics", "/metrics", NULL, 200);
    assert_non_null(strstr(metrics.text, "\nrinkd_backup_failed 1\n"));
    assert_non_null(strstr(metrics.text, "\nrinkd_backup_every_seconds 3600\n"));
    reply_free(&metrics);
    /* The next one, however it is asked for, makes it good again. */
    assert_int_equal(unlink(path), 0);
    expect("POST", "/v1/backup", "/v1/backup", NULL, 201);
    metrics = ask("GET", "/metrics", "/metrics", NULL, 200);
    assert_non_null(strstr(metrics.text, "\nrinkd_backup_failed 0\n"));
    reply_free(&metrics);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, daemon_remove_here)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_needed_stays),
        TEST(a_game_that_a_review_needs_stays),
        TEST(replays_and_backups_go_by_their_own_rules),
        TEST(what_killed_backups_left_goes_at_the_start),
        TEST(jobs_that_follow_are_counted_apart),
        TEST(a_kill_in_the_middle_loses_nothing_that_is_kept),
        TEST(a_backup_on_time_can_be_started_from),
        TEST(a_backup_that_fails_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
