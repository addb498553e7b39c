/* Jobs of rink-evaluate in tasks, with the test in place of the daemon: however many hands there
 * are, whoever dies when, the files and the result are those of one worker that does it all. */
#include "tests/patience.h"
#include "tests/programs/program.h"
#include "tests/programs/task_daemon.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- helpers ---- */

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define MATCH(pairs, more)                                                                 \
    "{\"a\":\"ai-simple\",\"b\":\"random\",\"profile\":\"dc2\",\"ends\":1,\"extra_ends\":" \
    "1,\"pairs\":" pairs ",\"seed\":5,\"threads\":1,\"limits\":{}" more "}"
#define TOURNAMENT(pairs)                                                            \
    "{\"players\":[\"ai-simple\",\"random\",\"dc3-rulebased\"],\"profile\":\"dc2\"," \
    "\"ends\":1,\"extra_ends\":0,\"pairs\":" pairs ",\"seed\":5,\"threads\":2,\"limits\":{}}"

struct expected {
    json_t *result, *metrics;
    char *records;
};

static char *folder_of(void *const *state, const char *name)
{
    char *folder;

    assert_true(asprintf(&folder, "%s/%s", (char *)*state, name) > 0);
    assert_int_equal(mkdir(folder, 0700), 0);
    return folder;
}

static struct task_daemon daemon_of(const char *kind, const char *spec, const char *folder)
{
    struct task_daemon daemon = {.program = RINK_EVALUATE,
                                 .kind = kind,
                                 .spec = json_loads(spec, 0, NULL),
                                 .runs = json_pack("[s]", "r1"),
                                 .folder = folder,
                                 .hands = 1,
                                 .seed = 7};

    assert_non_null(daemon.spec);
    return daemon;
}

static void free_daemon(struct task_daemon *daemon)
{
    json_decref(daemon->spec);
    json_decref(daemon->runs);
    task_daemon_free(daemon);
}

/* Removes what the clock decides. */
static void remove_times(json_t *value)
{
    json_t *part;
    const char *key;
    size_t k;

    json_object_del(value, "effort");
    json_object_foreach(value, key, part) remove_times(part);
    json_array_foreach(value, k, part) remove_times(part);
}

/* The job done by one worker. */
static struct expected done_by_one(void **state, const char *kind, const char *spec,
                                   const char *file)
{
    char *folder = folder_of(state, "whole");
    struct task_daemon daemon = daemon_of(kind, spec, folder);

    task_daemon_run_whole(&daemon);
    if (!daemon.result)
        fail_msg("%s", daemon.detail);
    struct expected expected = {json_incref(daemon.result), json_incref(daemon.metrics),
                                file ? task_daemon_timeless(folder, file) : NULL};
    remove_times(expected.result);
    free_daemon(&daemon);
    free(folder);
    return expected;
}

static void free_expected(struct expected *expected)
{
    json_decref(expected->result);
    json_decref(expected->metrics);
    free(expected->records);
}

static void assert_same(const struct task_daemon *daemon, const struct expected *expected,
                        const char *file)
{
    if (!daemon->result)
        fail_msg("the job failed: %s: %s", daemon->code, daemon->detail);
    assert_false(daemon->cancelled);
    remove_times(daemon->result);
    if (!json_equal(daemon->result, expected->result))
        fail_msg("%s\nis not\n%s", json_dumps(daemon->result, JSON_COMPACT | JSON_SORT_KEYS),
                 json_dumps(expected->result, JSON_COMPACT | JSON_SORT_KEYS));
    assert_true(json_equal(daemon->metrics, expected->metrics));
    if (!file)
        return;
    char *records = task_daemon_timeless(daemon->folder, file);
    assert_true(strcmp(records, expected->records) == 0);
    free(records);
}

/* How a job is done. */
struct way {
    int hands;
    bool is_killed, far;
};

static void compare_way(void **state, const char *kind, const char *spec, const char *file,
                        const struct expected *expected, struct way way)
{
    char name[32];

    snprintf(name, sizeof name, "tasks-%d-%d-%d", way.hands, way.is_killed, way.far);
    char *folder = folder_of(state, name);
    struct task_daemon daemon = daemon_of(kind, spec, folder);
    daemon.hands = way.hands;
    daemon.kill_share = way.is_killed ? 0.2 : 0.0;
    daemon.kills_most = 16;
    daemon.far = way.far;
    task_daemon_run(&daemon);
    assert_same(&daemon, expected, file);
    assert_true(daemon.most_open <= 2 * daemon.hands + 2);
    print_message("%s with %d hands: %d kills, %d of leads; %d tasks, the largest of %d units\n",
                  kind, way.hands, daemon.kills, daemon.kills_of_leads, (int)daemon.offered,
                  (int)daemon.largest);
    if (way.is_killed)
        assert_true(daemon.kills > 2 && daemon.kills_of_leads > 0 &&
                    daemon.kills_of_leads < daemon.kills);
    free_daemon(&daemon);
    free(folder);
}

/* Outputs that are cut, or say nothing, are refused and done again. */
static void compare_spoilt(void **state, const char *kind, const char *spec, const char *file)
{
    struct expected expected = done_by_one(state, kind, spec, file);
    char *folder = folder_of(state, "spoilt");
    struct task_daemon daemon = daemon_of(kind, spec, folder);

    daemon.hands = 2;
    daemon.spoils_most = 3;
    task_daemon_run(&daemon);
    assert_same(&daemon, &expected, file);
    assert_int_equal(daemon.spoils, 3);
    assert_int_equal(daemon.refusals, 3);
    free_daemon(&daemon);
    free(folder);
    free_expected(&expected);
}

/* Does a job in tasks in these ways, which end with one of no hands. */
static void compare(void **state, const char *kind, const char *spec, const char *file,
                    const struct way *ways)
{
    struct expected expected = done_by_one(state, kind, spec, file);

    for (; ways->hands > 0; ways++)
        compare_way(state, kind, spec, file, &expected, *ways);
    free_expected(&expected);
}

static const struct way some_ways[] = {{1, false, false}, {3, true, false}, {0, false, false}};
static const struct way all_ways[] = {
    {1, false, false}, {2, true, false}, {3, true, true}, {0, false, false}};

/* ---- scenarios ---- */

static void a_match_in_tasks_is_the_same(void **state)
{
    compare(state, "match", MATCH("300", ""), "records.jsonl", all_ways);
}

static void the_test_of_a_match_stops_at_the_same_pair(void **state)
{
    compare(state, "match", MATCH("5000", ",\"sprt\":{\"elo0\":500,\"elo1\":560}"), "records.jsonl",
            some_ways);
}

static void a_tournament_in_tasks_is_the_same(void **state)
{
    compare(state, "tournament", TOURNAMENT("24"), "records.jsonl", some_ways);
}

static void exploitability_in_tasks_is_the_same(void **state)
{
    compare(state, "exploitability",
            "{\"player\":\"random\",\"responders\":[\"ai-simple\",\"random\"],\"profile\":"
            "\"dc2\",\"ends\":60,\"selection_ends\":20,\"seed\":5,\"threads\":1,\"limits\":{"
            "\"simulations\":60}}",
            "ends", some_ways);
}

static void hold_em_in_tasks_is_the_same(void **state)
{
    compare(state, "poker-match",
            "{\"a\":\"poker:o1\",\"b\":\"poker:o2\",\"sessions\":24,\"hands\":100,\"seed\":5,"
            "\"threads\":1}",
            "sessions", some_ways);
}

static void unsound_outputs_are_done_again(void **state)
{
    compare_spoilt(state, "match", MATCH("300", ""), "records.jsonl");
}

static void unsound_points_are_done_again(void **state)
{
    compare_spoilt(state, "exploitability",
                   "{\"player\":\"random\",\"responders\":[\"ai-simple\",\"random\"],\"profile\":"
                   "\"dc2\",\"ends\":60,\"selection_ends\":20,\"seed\":5,\"threads\":1,"
                   "\"limits\":{\"simulations\":60}}",
                   "ends");
}

static void unsound_sessions_are_done_again(void **state)
{
    compare_spoilt(state, "poker-match",
                   "{\"a\":\"poker:o1\",\"b\":\"poker:o2\",\"sessions\":24,\"hands\":100,"
                   "\"seed\":5,\"threads\":1}",
                   "sessions");
}

/* The test of a match decides while others work on pairs that nobody will count. */
static void tasks_that_nobody_needs_are_dropped(void **state)
{
    struct task_daemon daemon =
        daemon_of("match", MATCH("5000", ",\"sprt\":{\"elo0\":500,\"elo1\":560}"), *state);

    daemon.hands = 3;
    task_daemon_run(&daemon);
    if (!daemon.result)
        fail_msg("%s", daemon.detail);
    assert_true(daemon.dropped > 0);
    free_daemon(&daemon);
}

/* Writes a bench of two last shots, valued by a referee, and names its folder to the worker. */
static void make_bench(const char *folder)
{
    enum { DRAWN = 32, LAST_SHOT = 15 };
    char *positions, *referee;
    int number = 0, kept = 0;

    assert_true(asprintf(&positions, "%s/positions.jsonl", folder) > 0);
    assert_true(asprintf(&referee, "%s/referee_deep.jsonl", folder) > 0);
    struct program_run drawn =
        program_run(WORDS(RINK_EVALUATE, "positions", "--seed=5", "--count=32"), "", 0);
    assert_int_equal(drawn.status, 0);
    FILE *file = fopen(positions, "w");
    assert_non_null(file);
    for (char *line = strtok(drawn.output, "\n"); line; line = strtok(NULL, "\n"), number++)
        if (number % (LAST_SHOT + 1) == LAST_SHOT)
            assert_true(fprintf(file, "{\"number\":%d%s\n", kept++, strchr(line, ',')) > 0);
    fclose(file);
    assert_int_equal(number, DRAWN);
    program_free(&drawn);
    char *from, *to;
    assert_true(asprintf(&from, "--positions=%s", positions) > 0);
    assert_true(asprintf(&to, "--output=%s", referee) > 0);
    struct program_run valued =
        program_run(WORDS(RINK_EVALUATE, "referee", "--referee=deep", from, to), "", 0);
    if (valued.status != 0)
        fail_msg("%s", valued.errors);
    program_free(&valued);
    setenv("RINKD_REGRET", folder, 1);
    free(from);
    free(to);
    free(positions);
    free(referee);
}

#define REGRET                                                                             \
    "{\"player\":\"rink:simulations=500\",\"referee\":\"deep\",\"positions\":2,\"seeds\":" \
    "2,\"seed\":5,\"threads\":1,\"limits\":{}}"

static void regret_in_tasks_is_the_same(void **state)
{
    static const struct way ways[] = {{1, false, false}, {2, false, true}, {0, false, false}};
    char *folder = folder_of(state, "bench");

    make_bench(folder);
    compare(state, "regret", REGRET, NULL, ways);
    unsetenv("RINKD_REGRET");
    free(folder);
}

/* The first value of the file is changed, as if the ice had changed since. */
static void regret_refuses_another_referee(void **state)
{
    char *folder = folder_of(state, "bench"), *path;
    struct task_daemon daemon = daemon_of("regret", REGRET, folder);

    make_bench(folder);
    assert_true(asprintf(&path, "%s/referee_deep.jsonl", folder) > 0);
    FILE *file = fopen(path, "r+");
    char line[4096];
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    char *value = strstr(line, "\"win\":[");
    assert_non_null(value);
    value[7] = value[7] == '1' ? '2' : '1';
    rewind(file);
    assert_true(fputs(line, file) >= 0);
    fclose(file);
    task_daemon_run_whole(&daemon);
    assert_null(daemon.result);
    assert_string_equal(daemon.code, "failed");
    assert_non_null(strstr(daemon.detail, "another referee"));
    unsetenv("RINKD_REGRET");
    free_daemon(&daemon);
    free(path);
    free(folder);
}

static void a_drained_job_goes_on_with_and_without_tasks(void **state)
{
    const char *spec = MATCH("400", "");
    struct expected expected = done_by_one(state, "match", spec, "records.jsonl");
    char *folder = folder_of(state, "drained");

    struct task_daemon first = daemon_of("match", spec, folder);
    first.hands = 2;
    first.drain_after = 5;
    task_daemon_run(&first);
    assert_true(first.released && !first.result);
    free_daemon(&first);
    /* What is merged goes on: here as a new job, whose files hold some pairs already. */
    struct task_daemon second = daemon_of("match", spec, folder);
    second.hands = 2;
    task_daemon_run(&second);
    assert_same(&second, &expected, "records.jsonl");
    free_daemon(&second);
    struct task_daemon third = daemon_of("match", spec, folder);
    task_daemon_run_whole(&third);
    assert_same(&third, &expected, "records.jsonl");
    free_daemon(&third);
    free(folder);
    free_expected(&expected);
}

static void a_cancelled_match_counts_what_is_merged(void **state)
{
    struct task_daemon daemon = daemon_of("match", MATCH("100000", ""), *state);

    daemon.hands = 2;
    daemon.cancel_after = 6;
    task_daemon_run(&daemon);
    assert_non_null(daemon.result);
    assert_true(daemon.cancelled);
    assert_true(json_is_true(json_object_get(daemon.result, "interrupted")));
    json_int_t pairs = json_integer_value(json_object_get(daemon.result, "pairs"));
    assert_true(pairs > 0 && pairs < 100000);
    free_daemon(&daemon);
}

/* ---- a large merge ---- */

enum { LARGE = 100000 };

static json_t *job_line(const char *folder, const char *more)
{
    char *text;

    assert_true(asprintf(&text,
                         "{\"type\":\"job\",\"id\":1,\"attempt\":1,\"kind\":\"match\",\"spec\":%s,"
                         "\"runs\":[],\"folder\":\"%s\",%s}",
                         MATCH("100000", ""), folder, more) > 0);
    json_t *line = json_loads(text, 0, NULL);
    assert_non_null(line);
    free(text);
    return line;
}

static void say(const struct program_talk *talk, json_t *line)
{
    assert_true(json_dumpf(line, talk->to, JSON_COMPACT) == 0 && fputc('\n', talk->to) != EOF &&
                fflush(talk->to) == 0);
    json_decref(line);
}

/* Waits for a line of this type, which is the caller's. */
static json_t *hear(const struct program_talk *talk, const char *type)
{
    char *text = NULL;
    size_t room = 0;
    json_t *line = NULL;

    while (!line && getline(&text, &room, talk->from) > 0) {
        line = json_loads(text, 0, NULL);
        if (strcmp(json_string_value(json_object_get(line, "type")), type) != 0) {
            json_decref(line);
            line = NULL;
        }
    }
    free(text);
    if (!line)
        fail_msg("the worker does not say '%s'", type);
    return line;
}

/* Makes the output of a task of all pairs from that of one pair: games without shots. */
static void make_large_output(const char *folder)
{
    static const char *const argv[] = {RINK_EVALUATE, "worker", "--stdio", NULL};
    struct program_talk talk = program_start(argv);
    char *path, *line = NULL;
    size_t room = 0;

    say(&talk, job_line(folder, "\"task\":{\"number\":1,\"spec\":{\"from\":0,\"count\":1}}"));
    json_decref(hear(&talk, "done"));
    program_finish(&talk);
    assert_true(asprintf(&path, "%s/task-1.records", folder) > 0);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_int_equal(unlink(path), 0);
    FILE *out = fopen(path, "w");
    assert_true(getline(&line, &room, in) > 0 && fputs(line, out) >= 0); /* the header */
    while (getline(&line, &room, in) > 0 && !strstr(line, "\"record\":\"pair\""))
        ;
    char *number = strstr(line, "\"pair\":0");
    assert_non_null(number);
    *number = '\0';
    for (int k = 0; k < LARGE; k++)
        fprintf(out, "%s\"pair\":%d%s", line, k, number + strlen("\"pair\":0"));
    assert_int_equal(fclose(out), 0);
    fclose(in);
    free(line);
    free(path);
}

/* Waits until a file has more than so many bytes. */
static void wait_for_bytes(const char *folder, const char *name, off_t bytes)
{
    struct stat about = {.st_size = 0};
    double end_s = 0;
    char *path;

    assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
    while (stat(path, &about) != 0 || about.st_size <= bytes) {
        assert_true(patience_left(&end_s));
        usleep(500);
    }
    free(path);
}

static void a_cancel_ends_a_large_merge(void **state)
{
    static const char *const argv[] = {RINK_EVALUATE, "worker", "--stdio", NULL};
    const char *folder = *state;

    make_large_output(folder);
    struct program_talk talk = program_start(argv);
    say(&talk, job_line(folder, "\"tasks\":{\"hands\":1,\"merged\":0,\"open\":[{\"number\":1,"
                                "\"spec\":{\"from\":0,\"count\":100000}}]}"));
    say(&talk, json_pack("{s:s, s:i, s:s, s:{}, s:s, s:f}", "type", "task", "number", 1, "state",
                         "done", "result", "path", "task-1.records", "seconds", 1.0));
    wait_for_bytes(folder, "records.jsonl", 20000); /* it merges */
    say(&talk, json_pack("{s:s}", "type", "cancel"));
    json_t *done = hear(&talk, "done");
    const json_t *result = json_object_get(done, "result");
    assert_true(json_is_true(json_object_get(done, "cancelled")));
    json_int_t pairs = json_integer_value(json_object_get(result, "pairs"));
    assert_true(pairs > 0 && pairs < LARGE);
    json_decref(done);
    program_finish(&talk);
}

/* What was made of a lie is in its files, and they end before what is to be done again. */
static void a_lead_that_cannot_go_back_names_who_lied(void **state)
{
    static const char *const argv[] = {RINK_EVALUATE, "worker", "--stdio", NULL};
    struct program_talk talk = program_start(argv);

    say(&talk,
        job_line(*state, "\"tasks\":{\"hands\":1,\"merged\":2,\"liar\":\"node-2\",\"open\":[{"
                         "\"number\":3,\"spec\":{\"from\":5,\"count\":1}}]}"));
    json_t *failed = hear(&talk, "failed");
    assert_string_equal(json_string_value(json_object_get(failed, "code")), "wrong-answer");
    assert_non_null(strstr(json_string_value(json_object_get(failed, "detail")),
                           "node node-2 gave a wrong answer to task 3"));
    assert_false(json_is_true(json_object_get(failed, "retryable")));
    json_decref(failed);
    program_finish(&talk);
}

static void a_task_that_fails_fails_the_job_when_its_turn_comes(void **state)
{
    struct task_daemon daemon = daemon_of("match", MATCH("100000", ""), *state);

    daemon.hands = 3;
    daemon.fails = 7;
    task_daemon_run(&daemon);
    assert_null(daemon.result);
    assert_string_equal(daemon.code, "made-up");
    assert_string_equal(daemon.detail, "fails as the test wants");
    free_daemon(&daemon);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, program_make_folder, program_remove_folder)
        TEST(a_match_in_tasks_is_the_same),
        TEST(the_test_of_a_match_stops_at_the_same_pair),
        TEST(a_tournament_in_tasks_is_the_same),
        TEST(exploitability_in_tasks_is_the_same),
        TEST(hold_em_in_tasks_is_the_same),
        TEST(unsound_outputs_are_done_again),
        TEST(unsound_points_are_done_again),
        TEST(unsound_sessions_are_done_again),
        TEST(tasks_that_nobody_needs_are_dropped),
        TEST(regret_in_tasks_is_the_same),
        TEST(regret_refuses_another_referee),
        TEST(a_drained_job_goes_on_with_and_without_tasks),
        TEST(a_cancelled_match_counts_what_is_merged),
        TEST(a_cancel_ends_a_large_merge),
        TEST(a_lead_that_cannot_go_back_names_who_lied),
        TEST(a_task_that_fails_fails_the_job_when_its_turn_comes),
    };

    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
