/* rink-data: what a daemon knows leaves it and comes back, whole or not at all. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/patience.h"
#include "tests/programs/program.h"
#include "tests/programs/usage.h"

#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_BYTES = 160, KILLS = 4 };

#define MATCH                                                                            \
    "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"generator\",\"pairs\":2," \
    "\"ends\":1,\"seed\":%d,\"limits\":{\"simulations\":20}}}"

/* One tensor of two float32. */
static const char weights[] = "\x39\0\0\0\0\0\0\0"
                              "{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}   "
                              "\0\0\0\0\0\0\200\77";

/* ---- programs ---- */

static char *in_folder(const char *name, char ret_path[PATH_BYTES])
{
    assert_in_range(snprintf(ret_path, PATH_BYTES, "%s/%s", daemon_here.folder, name), 1,
                    PATH_BYTES - 1);
    return ret_path;
}

/* Runs rink-data with two words; a name is one in the folder of the test, with '/' it is a path. */
static struct program_run run_data(const char *what, const char *from, const char *to)
{
    char paths[2][PATH_BYTES];
    const char *names[] = {from, to};

    for (int k = 0; k < 2; k++)
        if (*names[k] != '/')
            names[k] = in_folder(names[k], paths[k]);
    return program_run((const char *[]){RINK_DATA, what, names[0], names[1], NULL}, "", 0);
}

static void data_says(const char *what, const char *from, const char *to, const char *text)
{
    struct program_run run = run_data(what, from, to);

    if (run.status != 0 || (text && !strstr(run.output, text)))
        fail_msg("%s %s %s: %d: %s%s", what, from, to, run.status, run.output, run.errors);
    program_free(&run);
}

static void data_refuses(const char *what, const char *from, const char *to, const char *text)
{
    struct program_run run = run_data(what, from, to);

    if (run.status != 1 || !strstr(run.errors, text))
        fail_msg("%s %s %s: %d: %s%s", what, from, to, run.status, run.output, run.errors);
    program_free(&run);
}

/* Checks that two folders have the same files with the same bytes. */
static void assert_same(const char *a, const char *b)
{
    char paths[2][PATH_BYTES];
    const char *const words[] = {"/usr/bin/diff", "-r", in_folder(a, paths[0]),
                                 in_folder(b, paths[1]), NULL};
    struct program_run run = program_run(words, "", 0);

    if (run.status != 0)
        fail_msg("%s and %s differ:\n%.2000s", a, b, run.output);
    program_free(&run);
}

/* ---- databases ---- */

static int take_number(void *context, int columns, char **values, char **names)
{
    (void)columns;
    (void)names;
    *(long long *)context = values[0] ? strtoll(values[0], NULL, 10) : 0;
    return 0;
}

static long long query(const char *data, const char *text)
{
    char path[PATH_BYTES + 16], folder[PATH_BYTES], *error = NULL;
    long long number = -1;
    sqlite3 *db;

    snprintf(path, sizeof path, "%s/rinkd.db", in_folder(data, folder));
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, PATIENCE_MS);
    if (sqlite3_exec(db, text, take_number, &number, &error) != SQLITE_OK)
        fail_msg("%s: %s", text, error);
    sqlite3_close(db);
    return number;
}

static int take_text(void *context, int columns, char **values, char **names)
{
    (void)columns;
    (void)names;
    *(char **)context = strdup(values[0]);
    return 0;
}

/* The name of table 0, 1, …; the caller frees it. */
static char *name_of_table(const char *data, long long number)
{
    char path[PATH_BYTES + 16], folder[PATH_BYTES], text[256], *name = NULL;
    sqlite3 *db;

    snprintf(path, sizeof path, "%s/rinkd.db", in_folder(data, folder));
    snprintf(text, sizeof text,
             "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%%'"
             " ORDER BY name LIMIT 1 OFFSET %lld",
             number);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, take_text, &name, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_non_null(name);
    return name;
}

static void use_data(const char *name)
{
    snprintf(daemon_here.data, sizeof daemon_here.data, "%s/%s", daemon_here.folder, name);
}

static void start(const char *workers)
{
    daemon_start_well(&daemon_here, (const char *[]){"--workers", workers, NULL});
}

static void end(void)
{
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
}

static void assert_has_games(const char *path, size_t count)
{
    struct reply games = client_get(daemon_here.port, path);

    assert_int_equal(games.status, 200);
    assert_int_equal(json_array_size(json_object_get(games.json, "items")), count);
    reply_free(&games);
}

static void play_match(int seed)
{
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: wait=60",
                                          NULL};
    char body[512];

    snprintf(body, sizeof body, MATCH, seed);
    struct reply job =
        client_call(daemon_here.port,
                    &(struct client_call){
                        .method = "POST", .path = "/v1/jobs", .body = body, .header = headers});
    assert_int_equal(job.status, 200);
    reply_free(&job);
}

static void upload(const char *path)
{
    static const char *const headers[] = {"Content-Type: application/octet-stream", NULL};
    struct reply reply =
        client_call(daemon_here.port, &(struct client_call){.method = "PUT",
                                                            .path = path,
                                                            .body = weights,
                                                            .bytes = sizeof weights - 1,
                                                            .header = headers,
                                                            .is_direct = true});
    if (reply.status != 201)
        fail_msg("%s: %ld: %s", path, reply.status, reply.text);
    reply_free(&reply);
}

/* A data folder with a bit of everything: a match with games and a ladder, a run with infinite and
 * missing values, weights, a player, and jobs that have not ended. */
static void make_data(const char *name)
{
    use_data(name);
    start("2");
    play_match(1);
    upload("/v1/models/small");
    struct reply player = client_post(daemon_here.port, "/v1/players",
                                      "{\"name\":\"mine\",\"spec\":\"rink:simulations=200\"}");
    assert_int_equal(player.status, 201);
    reply_free(&player);
    end();
    start("0");
    for (int k = 0; k < 2; k++) {
        struct reply job = client_post(daemon_here.port, "/v1/jobs",
                                       "{\"kind\":\"diagnose\",\"spec\":{\"seconds\":1}}");
        assert_int_equal(job.status, 202);
        reply_free(&job);
    }
    end();
    query(name, "INSERT INTO curve (run, name, last_step, last_value)"
                " SELECT id, 'loss', 4, -9e999 FROM run LIMIT 1;"
                "INSERT INTO point (curve, step, at_ms, value) SELECT id, 1, 10, 0.1 FROM curve;"
                "INSERT INTO point (curve, step, at_ms, value) SELECT id, 2, 10, 9e999 FROM curve;"
                "INSERT INTO point (curve, step, at_ms, value) SELECT id, 3, 10, NULL FROM curve;"
                "INSERT INTO point (curve, step, at_ms, value) SELECT id, 4, 10, -9e999 FROM curve;"
                "INSERT INTO model_alias (alias, model, updated_ms) VALUES ('best', 'small', 5);"
                /* the same job in the same millisecond is another one */
                "UPDATE job SET created_ms = 1000 WHERE kind = 'diagnose'");
}

/* ---- tests ---- */

static void the_way_out_and_in_keeps_every_byte(void **state)
{
    (void)state;
    make_data("a");
    query("a", "UPDATE job SET state = 'paused', due = 0 WHERE state = 'ready'");
    data_says("export", "a", "out1", " files\n");
    data_says("import", "out1", "b", "; 0 rows were there already");
    data_says("export", "b", "out2", NULL);
    assert_same("out1", "out2");
    data_says("import", "out1", "b", "0 rows, 0 files; ");
    data_says("export", "b", "out3", NULL);
    assert_same("out1", "out3");
    assert_int_equal(query("b", "SELECT count(*) FROM point WHERE value IN (9e999, -9e999)"), 2);
    data_refuses("export", "a", "out1", "File exists");

    /* The daemon goes on with it: games, weights, the next ids. */
    use_data("b");
    start("2");
    assert_has_games("/v1/matches/1/games", 4);
    struct reply file = client_get(daemon_here.port, "/v1/models/best/weights");
    assert_int_equal(file.status, 200);
    reply_free(&file);
    data_refuses("import", "out1", "b", "another rinkd uses this folder");
    data_says("export", "b", "out4", NULL); /* while it runs */
    play_match(2);
    end();
    assert_int_equal(query("b", "SELECT count(*) FROM job WHERE kind = 'match'"), 2);
}

/* Whoever adds a table decides whether it travels. */
static void every_table_travels_or_is_left_out(void **state)
{
    static const char out[] =
        " answer caller delivery generation job_need node task_check webhook ";
    char text[80];

    (void)state;
    use_data("a");
    start("0");
    end();
    data_says("export", "a", "out1", NULL);
    long long tables = query("a", "SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
                                  "   AND name NOT LIKE 'sqlite_%'");
    for (long long k = 0; k < tables; k++) {
        char *name = name_of_table("a", k);
        snprintf(text, sizeof text, "out1/tables/%.40s/part-0.jsonl", name);
        char path[PATH_BYTES], word[64];
        snprintf(word, sizeof word, " %.40s ", name);
        bool is_out = strstr(out, word) != NULL;
        if ((access(in_folder(text, path), F_OK) == 0) == is_out)
            fail_msg("the table %s", name);
        free(name);
    }
}

static void other_data_get_new_ids(void **state)
{
    (void)state;
    make_data("a");
    use_data("c");
    start("2");
    play_match(7);
    end();
    long long jobs = query("c", "SELECT count(*) FROM job"),
              old = query("c", "SELECT max(id) FROM job");
    data_says("export", "a", "out1", NULL);
    data_says("import", "out1", "c", NULL);
    assert_int_equal(query("c", "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    assert_int_equal(query("c", "SELECT count(*) FROM job"),
                     jobs + query("a", "SELECT count(*) FROM job"));
    assert_int_equal(query("c", "SELECT min(job) FROM match WHERE id > 1"), old + 1);
    /* Two services must not do one job. */
    assert_int_equal(query("c", "SELECT count(*) FROM job WHERE state = 'paused'"), 2);
    data_says("import", "out1", "c", "0 rows, 0 files; ");

    use_data("c");
    start("0");
    assert_has_games("/v1/matches/2/games", 4);
    end();

    /* Another model under the same name. */
    query("c", "UPDATE model SET sha256 = replace(sha256, substr(sha256, 1, 1), 'f')");
    data_refuses("import", "out1", "c", "model/part-0.jsonl:1: there is another model of the name");
}

/* ---- what names another row ---- */

#define GAME "1-1-0"

/* Adds a job and returns its number; with `state` "done" waits for its end. */
static json_int_t add_job(const char *body, const char *state)
{
    const bool waits = strcmp(state, "done") == 0;
    const char *const headers[] = {"Content-Type: application/json",
                                   waits ? "Prefer: wait=60" : NULL, NULL};
    struct reply job =
        client_ask(daemon_here.port,
                   &(struct client_call){
                       .method = "POST", .path = "/v1/jobs", .body = body, .header = headers},
                   waits ? 200 : 202);
    json_int_t id = client_whole(job.json, "id");

    assert_string_equal(json_string_value(json_object_get(job.json, "state")), state);
    reply_free(&job);
    return id;
}

/* A match, a review of one of its games that is done, one that waits, and two positions, of which
 * one is a puzzle of the review. */
static void make_review(const char *name)
{
    static const char review[] = "{\"kind\":\"review\",\"spec\":{\"game\":\"" GAME "\","
                                 "\"throws\":64,\"limits\":{\"simulations\":100}}}";
    static const char position[] =
        "{\"title\":\"mine\",\"profile\":\"dc3\",\"setting\":{\"max_end\":2},\"state\":{\"end\":1,"
        "\"shot\":15,\"hammer\":\"team1\",\"scores\":{\"team0\":[0],\"team1\":[0]},"
        "\"stones\":{\"team0\":[],\"team1\":[]}}}";
    char path[64];

    use_data(name);
    start("2");
    play_match(1);
    snprintf(path, sizeof path, "/v1/reviews/%lld/puzzles", (long long)add_job(review, "done"));
    end();
    start("0");
    add_job(review, "ready");
    struct reply puzzles = client_post(daemon_here.port, path, "{\"most\":1}");
    assert_int_equal(puzzles.status, 200);
    reply_free(&puzzles);
    struct reply added = client_post(daemon_here.port, "/v1/library", position);
    assert_int_equal(added.status, 201);
    reply_free(&added);
    end();
}

/* The game of every job's spec, run and result is one of a match of the first job that came, or of
 * none. */
static long long strange_games(const char *data, const char *match)
{
    char text[512];

    snprintf(text, sizeof text,
             "SELECT count(*) FROM job LEFT JOIN job_output ON job_output.job = job.id"
             " WHERE kind = 'review' AND (spec ->> '$.game' IS NOT '%s-1-0'"
             "    OR (result IS NOT NULL AND result ->> '$.game' IS NOT '%s-1-0'))",
             match, match);
    return query(data, text);
}

static void what_a_job_names_follows_it(void **state)
{
    (void)state;
    make_review("a");
    use_data("c");
    start("2");
    play_match(7);
    end();
    data_says("export", "a", "out1", NULL);
    data_says("import", "out1", "c", NULL);
    assert_int_equal(query("c", "SELECT count(*) FROM job WHERE kind = 'review'"), 2);
    assert_int_equal(strange_games("c", "2"), 0);
    assert_int_equal(query("c", "SELECT count(*) FROM job_need JOIN match ON match.job = needs"
                                " WHERE match.id = 2"),
                     2);
    assert_int_equal(query("c", "SELECT count(*) FROM library WHERE review IS NOT NULL AND review"
                                " NOT IN (SELECT id FROM job WHERE kind = 'review')"),
                     0);

    /* The same rows again, and from there on to a third database, make no doubles. */
    data_says("import", "out1", "c", "0 rows, 0 files; ");
    data_says("export", "c", "out2", NULL);
    data_says("import", "out2", "a", NULL);
    assert_int_equal(query("a", "SELECT count(*) FROM job WHERE kind = 'review'"), 2);
    assert_int_equal(query("a", "SELECT count(*) FROM job WHERE kind = 'match'"), 2);
    assert_int_equal(query("a", "SELECT count(*) FROM library"), 2);
    assert_int_equal(strange_games("a", "1"), 0);
}

/* Without its match a review must not judge the one that gets its number. */
static void a_game_that_is_gone_becomes_no_other(void **state)
{
    (void)state;
    make_review("a");
    query("a", "PRAGMA foreign_keys = ON; UPDATE job SET state = 'done', due = 0; DELETE FROM job "
               "WHERE kind = 'match';"
               "DELETE FROM match");
    data_says("export", "a", "out1", NULL);
    use_data("c");
    start("2");
    play_match(7);
    play_match(8);
    end();
    data_says("import", "out1", "c", NULL);
    data_says("import", "out1", "c", "0 rows, 0 files; ");
    assert_int_equal(strange_games("c", "3"), 0);
    start("2");
    play_match(9);
    end();
    assert_int_equal(query("c", "SELECT max(id) FROM match"), 4);
}

/* A file that was sent to both services is one game. */
static void an_import_of_the_same_file_is_one(void **state)
{
    static const char game[] = "UPDATE job SET kind = 'import', spec = json_object('file', 'f')"
                               " WHERE kind = 'match'";
    (void)state;
    for (int k = 0; k < 2; k++) {
        use_data(k == 0 ? "a" : "c");
        start("2");
        play_match(1);
        end();
        query(k == 0 ? "a" : "c", game);
    }
    query("a", "PRAGMA foreign_keys = ON; DELETE FROM job WHERE kind = 'rate'");
    data_says("export", "a", "out1", NULL);
    data_says("import", "out1", "c", "0 rows, 0 files; ");
}

static void append(const char *name, const char *text)
{
    char path[PATH_BYTES];
    FILE *file = fopen(in_folder(name, path), "ae");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Runs a line of the shell in a folder of the test. */
static void run_in(const char *name, const char *line)
{
    char path[PATH_BYTES], text[512];

    snprintf(text, sizeof text, "cd \"$0\" && %s", line);
    struct program_run run =
        program_run((const char *[]){"/bin/sh", "-c", text, in_folder(name, path), NULL}, "", 0);
    if (run.status != 0)
        fail_msg("%s: %d: %s", line, run.status, run.errors);
    program_free(&run);
}

/* Whoever edits an export makes its hashes again, as rink-data(1) says. */
static void make_sums(const char *name)
{
    run_in(name, "sha256sum tables/*/* files/SHA256SUMS >SHA256SUMS");
}

static void a_bad_line_is_named_and_nothing_is_taken(void **state)
{
    static const struct {
        const char *file, *line, *why;
    } lines[] = {
        {"tables/player/part-0.jsonl", "{\"name\":\"x\"\n", "player/part-0.jsonl:2: "},
        {"tables/player/part-0.jsonl", "{\"name\":\"x\"}\n", "part-0.jsonl:2: spec is missing"},
        {"tables/player/part-0.jsonl", "[]\n", "part-0.jsonl:2: it is no JSON object"},
        {"tables/player/part-0.jsonl",
         "{\"name\":\"x\",\"spec\":\"rink\",\"about\":\"\",\"created_ms\":\"now\"}\n",
         "part-0.jsonl:2: created_ms: must be a whole number"},
        {"tables/player/part-0.jsonl", "{\"hue\":1}\n", "part-0.jsonl:2: hue: there is no such"},
        {"tables/player/part-0.jsonl", "{}", "part-0.jsonl:2: the line has no end"},
        {"tables/point/part-0.jsonl", "{\"curve\":99,\"step\":1,\"at_ms\":1,\"value\":1}\n",
         ":5: curve: there is no curve 99"},
        {"tables/job_output/part-0.jsonl", "{\"job\":\"x\"}\n", "job_output/part-0.jsonl:"},
        {"tables/job/part-0.jsonl", "{\"id\":9223372036854775807}\n",
         ": id must be a whole number from 1 to 9007199254740991"},
        {"files/SHA256SUMS", "abc\n", "files/SHA256SUMS:"},
        {"files/SHA256SUMS",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  ../../etc/passwd\n",
         "files/SHA256SUMS:"},
        {"files/SHA256SUMS",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  jobs/1/../x\n",
         "files/SHA256SUMS:"},
        {"files/jobs/1/records.jsonl", "x", "the file has another SHA-256"},
    };

    (void)state;
    make_data("a");
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        char out[16], name[64], data[16];
        snprintf(out, sizeof out, "out%zu", k);
        snprintf(data, sizeof data, "b%zu", k);
        snprintf(name, sizeof name, "%s/%s", out, lines[k].file);
        data_says("export", "a", out, NULL);
        append(name, lines[k].line);
        make_sums(out);
        data_refuses("import", out, data, lines[k].why);
        assert_int_equal(query(data, "SELECT count(*) FROM job"), 0);
        /* No file is left: the daemon would start, and so does another import. */
        if (strncmp(lines[k].file, "files", 5) == 0) {
            snprintf(name, sizeof name, "%s/jobs/1", data);
            char path[PATH_BYTES];
            assert_int_not_equal(access(in_folder(name, path), F_OK), 0);
        }
    }
    data_refuses("import", "nothing", "b", "No such file");
    data_refuses("export", "nothing", "out", "it is not a database of rinkd");
}

/* Each way to lose or change a part of an export; nothing of it is taken then. */
static void an_export_that_is_not_whole_is_refused(void **state)
{
    static const struct {
        const char *harm, *why;
    } harms[] = {
        {"rm SHA256SUMS", "/SHA256SUMS: it is not there"},
        {"sed -i '$d' SHA256SUMS", "/SHA256SUMS: files/SHA256SUMS is not in it"},
        {"sed -i '/tables.point/d' SHA256SUMS", ": tables/point/part-0.jsonl is not in it"},
        {"truncate -s -1 SHA256SUMS", "the line has no end; the file was cut off"},
        {"rm tables/match/part-0.jsonl", "tables/match/part-0.jsonl: No such file"},
        {"sed -i '$d' tables/point/part-0.jsonl", "the file has another SHA-256"},
        {"sed -i 's/0.1/0.2/' tables/point/part-0.jsonl", "the file has another SHA-256"},
        {"sed -i '$d' files/SHA256SUMS", "the file has another SHA-256"},
        /* what a stranger may have put there */
        {"rm files/jobs/1/records.jsonl && mkfifo files/jobs/1/records.jsonl",
         "files/jobs/1/records.jsonl: it is no regular file"},
        {"rm tables/point/part-0.jsonl && mkfifo tables/point/part-0.jsonl",
         "tables/point/part-0.jsonl: it is no regular file"},
        {"mv files/jobs/1 elsewhere && ln -s ../../elsewhere files/jobs/1",
         "files/jobs/1/records.jsonl: it is, or lies behind, a symbolic link"},
        {"mv tables elsewhere && ln -s elsewhere tables", "it is, or lies behind, a symbolic link"},
        {"mv tables/job/part-0.jsonl elsewhere && ln -s ../../elsewhere tables/job/part-0.jsonl",
         "it is, or lies behind, a symbolic link"},
        {"cd files && mv models/*.safetensors models/$(printf a%.0s $(seq 64)).safetensors &&"
         " (cd .. && cd files && sha256sum models/* jobs/*/* >SHA256SUMS) && cd .. &&"
         " sha256sum tables/*/* files/SHA256SUMS >SHA256SUMS",
         "weights have their SHA-256 as a name"},
        {"rm -r files/jobs", "files/jobs/1/records.jsonl: No such file"},
        {"mkdir tables/later && : >tables/later/part-0.jsonl &&"
         " sha256sum tables/later/* >>SHA256SUMS",
         "is it of a newer one?"},
        {"sha256sum tables/../tables/job/part-0.jsonl >>SHA256SUMS", "is it of a newer one?"},
        /* with hashes of its own */
        {"sed -i 'p' tables/job/part-0.jsonl && sha256sum tables/*/* files/SHA256SUMS >SHA256SUMS",
         "tables/job/part-0.jsonl:2: id 1 is there twice"},
    };

    (void)state;
    make_data("a");
    for (size_t k = 0; k < sizeof harms / sizeof *harms; k++) {
        char out[16], data[16], jobs[32], path[PATH_BYTES];
        snprintf(out, sizeof out, "out%zu", k);
        snprintf(data, sizeof data, "b%zu", k);
        snprintf(jobs, sizeof jobs, "%s/jobs", data);
        data_says("export", "a", out, NULL);
        run_in(out,
               "sha256sum -c --quiet SHA256SUMS && cd files && sha256sum -c --quiet SHA256SUMS");
        run_in(out, harms[k].harm);
        data_refuses("import", out, data, harms[k].why);
        assert_int_equal(query(data, "SELECT count(*) FROM job"), 0);
        if (access(in_folder(jobs, path), F_OK) == 0)
            assert_int_equal(rmdir(path), 0); /* it is empty */
    }
}

/* ---- kill -9 ---- */

static void an_import_that_is_killed_leaves_nothing(void **state)
{
    char out[PATH_BYTES], data[PATH_BYTES];
    bool is_done = false;

    (void)state;
    make_data("a");
    query("a", "WITH RECURSIVE n (k) AS (SELECT 10 UNION ALL SELECT k + 1 FROM n WHERE k < 30000)"
               " INSERT INTO point (curve, step, at_ms, value)"
               " SELECT min(curve.id), k, 1, 0.5 FROM n, curve GROUP BY k");
    data_says("export", "a", "out", NULL);
    data_says("import", "out", "b", NULL);
    long long all = query("b", "SELECT count(*) FROM point");
    assert_true(all > 29990);
    in_folder("out", out);
    in_folder("k", data);
    for (int k = 0; k < KILLS && !is_done; k++) {
        struct program_talk import =
            program_start((const char *[]){RINK_DATA, "import", out, data, NULL});
        usleep(20000u << k);
        kill(import.pid, SIGKILL);
        is_done = program_finish(&import) == 0;
        long long jobs = access(data, F_OK) == 0 && query("k", "SELECT count(*) FROM sqlite_schema"
                                                               " WHERE name = 'job'")
                             ? query("k", "SELECT count(*) FROM job")
                             : 0;
        if (jobs != 0) /* all of it or nothing */
            assert_int_equal(query("k", "SELECT count(*) FROM point"), all);
    }
    data_says("import", "out", "k", NULL);
    data_says("export", "k", "out2", NULL);
    data_says("export", "b", "out3", NULL);
    assert_same("out2", "out3");
}

/* ---- older databases ---- */

static void copy_file(const char *from, const char *to)
{
    const char *const words[] = {"/bin/cp", from, to, NULL};
    struct program_run run = program_run(words, "", 0);

    assert_int_equal(run.status, 0);
    program_free(&run);
}

/* A copy as the first released schema made it goes straight into a new database. */
static void a_database_of_version_8_is_taken(void **state)
{
    static const char *const files[] = {"0001_jobs",       "0002_runs",      "0003_registry",
                                        "0004_results",    "0005_ladders",   "0006_run_models",
                                        "0007_extra_ends", "0008_generation"};
    char data[PATH_BYTES], path[PATH_BYTES + 32], from[PATH_BYTES];

    (void)state;
    assert_int_equal(mkdir(in_folder("old", data), 0700), 0);
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        snprintf(path, sizeof path, SCHEMA_FOLDER "/%s.sql", files[k]);
        struct program_run text = program_run((const char *[]){"/bin/cat", path, NULL}, "", 0);
        assert_int_equal(text.status, 0);
        query("old", text.output);
        program_free(&text);
    }
    query("old", "PRAGMA user_version = 8; PRAGMA application_id = 1382641259;"
                 "INSERT INTO job (kind, state, due, priority, run_at_ms, max_attempts, created_ms,"
                 "                 updated_ms, finished_ms, spec)"
                 " VALUES ('diagnose', 'done', 0, 0, 0, 5, 1, 2, 3, '{}')");
    data_says("export", "old", "out1", "1 rows");
    snprintf(path, sizeof path, "%s/rinkd.db", data);
    copy_file(path, in_folder("copy.db", from));
    data_says("export", "copy.db", "out2", "1 rows");
    assert_same("out1", "out2");
    data_says("import", "out1", "new", "1 rows");
    use_data("new");
    start("0");
    struct reply job = client_get(daemon_here.port, "/v1/jobs/1");
    assert_int_equal(job.status, 200);
    reply_free(&job);
    end();
}

/* A backup has the files of its data folder beside it. */
static void a_backup_is_exported_with_its_files(void **state)
{
    char path[PATH_BYTES];

    (void)state;
    make_data("a");
    start("0");
    struct reply backup = client_post(daemon_here.port, "/v1/backup", "");
    assert_int_equal(backup.status, 201);
    snprintf(path, sizeof path, "a/backups/%s",
             json_string_value(json_object_get(backup.json, "name")));
    reply_free(&backup);
    end();
    data_says("export", path, "out1", NULL);
    data_says("export", "a", "out2", NULL);
    assert_same("out1", "out2");
    append("copy.db", "no database");
    data_refuses("export", "copy.db", "out3", "it is not a database of rinkd");
}

static void the_manual_page_agrees_with_the_help(void **state)
{
    struct program_run help = program_run((const char *[]){RINK_DATA, "--help", NULL}, "", 0);
    char *page = usage_page(RINK_DATA_PAGE);

    (void)state;
    assert_int_equal(help.status, 0);
    assert_true(usage_page_has_options(page, help.output) >= 4);
    usage_page_has_no_others(page, help.output);
    usage_is_told(RINK_DATA, "rink-data", "Usage: rink-data [OPTION...] export DATA|COPY FOLDER");
    free(page);
    program_free(&help);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, daemon_prepare_here, daemon_remove_here)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_way_out_and_in_keeps_every_byte),
        TEST(every_table_travels_or_is_left_out),
        TEST(other_data_get_new_ids),
        TEST(what_a_job_names_follows_it),
        TEST(a_game_that_is_gone_becomes_no_other),
        TEST(an_import_of_the_same_file_is_one),
        TEST(a_bad_line_is_named_and_nothing_is_taken),
        TEST(an_export_that_is_not_whole_is_refused),
        TEST(an_import_that_is_killed_leaves_nothing),
        TEST(a_database_of_version_8_is_taken),
        TEST(a_backup_is_exported_with_its_files),
        cmocka_unit_test(the_manual_page_agrees_with_the_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
