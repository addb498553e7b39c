/* A job gives the same bytes whoever does its tasks, and whatever happens to them.
 *
 *   test_cluster [--kills N] [--daemon-kills N] [--pairs N] [--seed N]
 *
 * By hand with --kills 50 --daemon-kills 10 --pairs 600, as the figures in deploy/README.md. */
#include "tests/api/client.h"
#include "tests/cluster/chaos.h"
#include "tests/patience.h"

#include <setjmp.h>
#include <signal.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct chaos_options options = {.kills = 6, .daemon_kills = 2, .size = 80, .seed = 20261124};

static const char *const flags[] = {"--workers", "1", "--node-lease-ms", "2000", "--check-percent",
                                    "0",         NULL};

static void wait_for_node(const struct daemon_process *daemon, const char *name)
{
    for (double end_s = 0; cluster_node_number(daemon, name, "cores") < 0;) {
        assert_true(patience_left(&end_s));
        cluster_sleep_ms(20);
    }
}

static void nodes_give_the_same_bytes_as_the_daemon_alone(void **state)
{
    struct daemon_process daemon;
    struct cluster_node nodes[2];
    char alone[CLUSTER_HASH], together[CLUSTER_HASH], expected[CLUSTER_HASH];

    (void)state;
    cluster_prepare(&daemon);
    cluster_start_daemon(&daemon, flags);
    cluster_expected(options.size, options.seed, expected);
    cluster_result(&daemon, cluster_add(&daemon, options.size, options.seed), options.size, alone);
    assert_string_equal(alone, expected);

    const struct cluster_settings settings = {.port = daemon.port};
    cluster_start_node(&daemon, "one", &settings, &nodes[0]);
    cluster_start_node(&daemon, "two", &settings, &nodes[1]);
    wait_for_node(&daemon, "one");
    wait_for_node(&daemon, "two");
    cluster_result(&daemon, cluster_add(&daemon, options.size, options.seed), options.size,
                   together);
    assert_string_equal(together, expected);
    assert_true(cluster_node_number(&daemon, "one", "done") > 0);
    assert_true(cluster_node_number(&daemon, "two", "done") > 0);

    assert_int_equal(cluster_end_node(&nodes[0], SIGTERM), 0);
    assert_int_equal(cluster_end_node(&nodes[1], SIGINT), 0);
    assert_true(daemon_end_well(&daemon));
}

/* ---- kills ---- */

static void kills_stops_and_a_bad_network_change_nothing(void **state)
{
    struct chaos chaos = {
        .flags = flags, .kills_max = options.kills, .daemon_kills_max = options.daemon_kills};
    char expected[CLUSTER_HASH], found[CLUSTER_HASH], what[64];
    int jobs = 0;

    (void)state;
    cluster_prepare(&chaos.daemon);
    chaos_start(&chaos, 2, options.seed);
    while (jobs == 0 || chaos_goes_on(&chaos)) {
        int64_t job = cluster_add(&chaos.daemon, options.size, options.seed + (uint64_t)jobs);
        for (double end_s = 0; !cluster_has_ended(&chaos.daemon, job);) {
            assert_true(patience_left(&end_s));
            chaos_strike(&chaos);
        }
        cluster_expected(options.size, options.seed + (uint64_t)jobs, expected);
        cluster_result(&chaos.daemon, job, options.size, found);
        assert_string_equal(found, expected);
        jobs++;
    }
    snprintf(what, sizeof what, "%d jobs of %d tasks", jobs, options.size);
    chaos_end(&chaos, what);
}

/* ---- one node ---- */

static void a_node_that_is_told_to_end_gives_its_tasks_back(void **state)
{
    struct daemon_process daemon;
    struct cluster_node node;
    char slow[128];

    (void)state;
    cluster_prepare(&daemon);
    cluster_programs(&daemon, "slow", slow);
    cluster_start_daemon(&daemon, flags);
    const struct cluster_settings settings = {.port = daemon.port, .programs = slow};
    cluster_start_node(&daemon, "slow", &settings, &node);
    wait_for_node(&daemon, "slow");
    int64_t job = cluster_add(&daemon, options.size, 1);
    for (double end_s = 0; !cluster_node_says(&node, "task");) {
        assert_true(patience_left(&end_s));
        cluster_sleep_ms(10);
    }
    assert_int_equal(cluster_end_node(&node, SIGTERM), 0);
    struct reply reply = client_get(daemon.port, "/v1/nodes/slow");
    assert_string_equal(json_string_value(json_object_get(reply.json, "state")), "left");
    assert_int_equal(json_array_size(json_object_get(reply.json, "doing")), 0);
    reply_free(&reply);
    char hash[CLUSTER_HASH], expected[CLUSTER_HASH];
    cluster_result(&daemon, job, options.size, hash);
    cluster_expected(options.size, 1, expected);
    assert_string_equal(hash, expected);
    assert_true(daemon_end_well(&daemon));
}

static void an_idle_node_ends_by_itself_and_a_drained_one_when_told(void **state)
{
    struct daemon_process daemon;
    struct cluster_node idle, drained;

    (void)state;
    cluster_prepare(&daemon);
    cluster_start_daemon(&daemon, flags);
    const struct cluster_settings settings = {.port = daemon.port, .until_idle_s = 1};
    const struct cluster_settings forever = {.port = daemon.port};
    cluster_start_node(&daemon, "idle", &settings, &idle);
    cluster_start_node(&daemon, "drained", &forever, &drained);
    assert_int_equal(cluster_end_node(&idle, 0), 0);
    assert_true(cluster_node_says(&idle, "nothing to do"));
    wait_for_node(&daemon, "drained");
    struct reply reply = client_post(daemon.port, "/v1/nodes/drained/drain", NULL);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    assert_int_equal(cluster_end_node(&drained, 0), 0);
    assert_true(cluster_node_says(&drained, "told to drain"));
    assert_true(daemon_end_well(&daemon));
}

static void a_node_with_other_golden_numbers_hears_which(void **state)
{
    struct daemon_process daemon;
    struct cluster_node node;

    (void)state;
    cluster_prepare(&daemon);
    cluster_start_daemon(&daemon, flags);
    const struct cluster_settings settings = {.port = daemon.port, .golden = "fedcba9876543210"};
    cluster_start_node(&daemon, "other", &settings, &node);
    assert_int_equal(cluster_end_node(&node, 0), 2);
    assert_true(cluster_node_says(&node, "no match here: the golden number throws/dc2"));
    assert_true(cluster_node_says(&node, "fedcba9876543210 there and 0123456789abcdef here"));
    assert_true(daemon_end_well(&daemon));
}

static void the_later_process_of_a_name_is_the_node(void **state)
{
    struct daemon_process daemon;
    struct cluster_node first, second;

    (void)state;
    cluster_prepare(&daemon);
    cluster_start_daemon(&daemon, flags);
    const struct cluster_settings settings = {.port = daemon.port};
    cluster_start_node(&daemon, "same", &settings, &first);
    wait_for_node(&daemon, "same");
    const struct cluster_settings elsewhere = {.port = daemon.port, .cache = "another"};
    cluster_start_node(&daemon, "same", &elsewhere, &second);
    assert_int_equal(cluster_end_node(&first, 0), 2);
    assert_true(cluster_node_says(&first, "another process has registered as this node"));
    assert_int_equal(cluster_end_node(&second, SIGTERM), 0);
    assert_true(daemon_end_well(&daemon));
}

/* ---- lies ---- */

static bool has_event(const json_t *job, const char *kind, const char *words)
{
    json_t *event;
    bool found = false;
    size_t k;

    json_array_foreach(json_object_get(job, "history"), k, event)
    {
        const char *detail = json_string_value(json_object_get(event, "detail"));
        found = found || (strcmp(json_string_value(json_object_get(event, "kind")), kind) == 0 &&
                          detail && strstr(detail, words));
    }
    return found;
}

static void a_node_that_lies_is_found_and_what_it_did_is_done_again(void **state)
{
    static const char *const all_twice[] = {
        "--workers", "1", "--node-lease-ms", "20000", "--check-percent", "100", NULL};
    struct daemon_process daemon;
    struct cluster_node honest, liar;
    char lies[128], hash[CLUSTER_HASH], expected[CLUSTER_HASH];
    enum { PAIRS = 400 };

    (void)state;
    cluster_prepare(&daemon);
    cluster_programs(&daemon, "liar", lies);
    cluster_start_daemon(&daemon, all_twice);
    const struct cluster_settings settings = {.port = daemon.port};
    const struct cluster_settings lying = {.port = daemon.port, .programs = lies};
    cluster_start_node(&daemon, "honest", &settings, &honest);
    cluster_start_node(&daemon, "lying", &lying, &liar);
    wait_for_node(&daemon, "honest");
    wait_for_node(&daemon, "lying");
    int64_t job = cluster_add(&daemon, PAIRS, 5);

    assert_int_equal(cluster_end_node(&liar, 0), 2);
    assert_true(cluster_node_says(&liar, "its answer to task"));
    struct reply reply = client_get(daemon.port, "/v1/nodes/lying");
    assert_string_equal(json_string_value(json_object_get(reply.json, "state")), "suspended");
    assert_non_null(strstr(json_string_value(json_object_get(reply.json, "reason")), "of job"));
    reply_free(&reply);
    cluster_result(&daemon, job, PAIRS, hash);
    reply = client_get(daemon.port, "/metrics");
    assert_non_null(strstr(reply.text, "\nrinkd_task_checks_wrong_total "));
    assert_null(strstr(reply.text, "\nrinkd_task_checks_wrong_total 0\n"));
    reply_free(&reply);
    cluster_expected(PAIRS, 5, expected);
    assert_string_equal(hash, expected);
    json_t *found = cluster_job(&daemon, job);
    assert_true(has_event(found, "redone", "node lying was found to give wrong answers"));
    json_decref(found);
    assert_int_equal(cluster_end_node(&honest, SIGTERM), 0);
    reply = client_get(daemon.port, "/v1/nodes/honest");
    assert_string_equal(json_string_value(json_object_get(reply.json, "state")), "left");
    reply_free(&reply);
    assert_true(daemon_end_well(&daemon));
}

/* The second node comes when the result is out: what it finds is told in the history. */
static void a_lie_that_is_found_too_late_is_told(void **state)
{
    static const char *const by_nodes[] = {
        "--workers", "0", "--node-lease-ms", "20000", "--check-percent", "100", NULL};
    struct daemon_process daemon;
    struct cluster_node honest, liar;
    char lies[128], hash[CLUSTER_HASH], expected[CLUSTER_HASH];

    (void)state;
    cluster_prepare(&daemon);
    cluster_programs(&daemon, "liar", lies);
    cluster_start_daemon(&daemon, by_nodes);
    const struct cluster_settings settings = {.port = daemon.port};
    const struct cluster_settings lying = {.port = daemon.port, .programs = lies};
    cluster_start_node(&daemon, "lying", &lying, &liar);
    wait_for_node(&daemon, "lying");
    int64_t job = cluster_add(&daemon, 4, 5);
    cluster_result(&daemon, job, 4, hash);
    cluster_expected(4, 5, expected);
    assert_string_not_equal(hash, expected);

    cluster_start_node(&daemon, "honest", &settings, &honest);
    assert_int_equal(cluster_end_node(&liar, 0), 2);
    json_t *found = cluster_job(&daemon, job);
    assert_string_equal(json_string_value(json_object_get(found, "state")), "done");
    assert_true(has_event(found, "doubted", "node lying was found to give wrong answers"));
    json_decref(found);
    assert_int_equal(cluster_end_node(&honest, SIGTERM), 0);
    assert_true(daemon_end_well(&daemon));
}

/* ---- outputs that are unsound ---- */

static void an_unsound_output_is_made_again_by_another(void **state)
{
    struct daemon_process daemon;
    struct cluster_node cutter;
    char cuts[128], hash[CLUSTER_HASH], expected[CLUSTER_HASH];

    (void)state;
    cluster_prepare(&daemon);
    cluster_programs(&daemon, "cutter", cuts);
    cluster_start_daemon(&daemon, flags);
    const struct cluster_settings cutting = {.port = daemon.port, .programs = cuts};
    cluster_start_node(&daemon, "cutting", &cutting, &cutter);
    wait_for_node(&daemon, "cutting");
    cluster_result(&daemon, cluster_add(&daemon, 12, 3), 12, hash);
    cluster_expected(12, 3, expected);
    assert_string_equal(hash, expected);
    assert_true(cluster_node_number(&daemon, "cutting", "failed") > 0);
    assert_int_equal(cluster_node_number(&daemon, "cutting", "done"), 0);
    assert_int_equal(cluster_end_node(&cutter, SIGTERM), 0);
    assert_true(daemon_end_well(&daemon));
}

static void a_task_whose_outputs_are_all_unsound_fails_the_job(void **state)
{
    static const char *const by_nodes[] = {
        "--workers", "0", "--node-lease-ms", "20000", "--check-percent", "0", NULL};
    struct daemon_process daemon;
    struct cluster_node cutter;
    char cuts[128], path[64];

    (void)state;
    cluster_prepare(&daemon);
    cluster_programs(&daemon, "cutter", cuts);
    cluster_start_daemon(&daemon, by_nodes);
    const struct cluster_settings cutting = {.port = daemon.port, .programs = cuts};
    cluster_start_node(&daemon, "cutting", &cutting, &cutter);
    wait_for_node(&daemon, "cutting");
    int64_t job = cluster_add(&daemon, 1, 3);
    cluster_wait_state(&daemon, job, "buried");
    json_t *found = cluster_job(&daemon, job);
    const json_t *error = json_object_get(found, "error");
    assert_string_equal(json_string_value(json_object_get(error, "code")), "bad-output");
    assert_string_equal(json_string_value(json_object_get(error, "detail")),
                        "task 1: its output was refused: its record is cut, after 5 tries, the "
                        "last one by cutting");
    json_decref(found);
    snprintf(path, sizeof path, "/v1/jobs/%lld/tasks", (long long)job);
    struct reply reply = client_get(daemon.port, path);
    const json_t *task = json_array_get(json_object_get(reply.json, "items"), 0);
    assert_string_equal(json_string_value(json_object_get(task, "state")), "failed");
    assert_int_equal(json_array_size(json_object_get(task, "tries")), 5); /* who did them stays */
    reply_free(&reply);
    assert_int_equal(cluster_end_node(&cutter, SIGTERM), 0);
    assert_true(daemon_end_well(&daemon));
}

/* ---- files of cancelled jobs ---- */

static void make_file(const struct daemon_process *daemon, int64_t job, const char *name,
                      char ret_path[160])
{
    snprintf(ret_path, 160, "%s/jobs/%lld/%s", daemon->data, (long long)job, name);
    FILE *file = fopen(ret_path, "we");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

static void move(const struct daemon_process *daemon, int64_t job, const char *verb)
{
    char path[64];

    snprintf(path, sizeof path, "/v1/jobs/%lld/%s", (long long)job, verb);
    struct reply reply = client_post(daemon->port, path, NULL);
    assert_int_equal(reply.status, 202);
    reply_free(&reply);
}

static void wait_until_gone(const char *path)
{
    for (double end_s = 0; access(path, F_OK) == 0; cluster_sleep_ms(20))
        assert_true(patience_left(&end_s));
}

static void files_of_tasks_go_with_a_cancelled_job(void **state)
{
    struct daemon_process daemon;
    char of_task[160], other[160];

    (void)state;
    cluster_prepare(&daemon);
    cluster_slow_down(&daemon);
    cluster_start_daemon(&daemon, flags);
    int64_t paused = cluster_add(&daemon, 400, 1);
    cluster_wait_state(&daemon, paused, "leased");
    move(&daemon, paused, "pause");
    cluster_wait_state(&daemon, paused, "paused");
    make_file(&daemon, paused, "task-400.out", of_task);
    make_file(&daemon, paused, "notes.txt", other);
    move(&daemon, paused, "cancel");
    wait_until_gone(of_task);
    assert_int_equal(access(other, F_OK), 0);

    int64_t running = cluster_add(&daemon, 400, 2);
    cluster_wait_state(&daemon, running, "leased");
    for (double end_s = 0; access(of_task, F_OK) != 0; cluster_sleep_ms(20)) {
        assert_true(patience_left(&end_s)); /* its folder is made when its lead starts */
        snprintf(of_task, sizeof of_task, "%s/jobs/%lld", daemon.data, (long long)running);
    }
    make_file(&daemon, running, "task-400.out", of_task);
    move(&daemon, running, "cancel");
    cluster_wait_state(&daemon, running, "cancelled");
    wait_until_gone(of_task);
    assert_true(daemon_end_well(&daemon));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_give_the_same_bytes_as_the_daemon_alone),
        cmocka_unit_test(kills_stops_and_a_bad_network_change_nothing),
        cmocka_unit_test(a_node_that_is_told_to_end_gives_its_tasks_back),
        cmocka_unit_test(an_idle_node_ends_by_itself_and_a_drained_one_when_told),
        cmocka_unit_test(a_node_with_other_golden_numbers_hears_which),
        cmocka_unit_test(the_later_process_of_a_name_is_the_node),
        cmocka_unit_test(a_node_that_lies_is_found_and_what_it_did_is_done_again),
        cmocka_unit_test(a_lie_that_is_found_too_late_is_told),
        cmocka_unit_test(an_unsound_output_is_made_again_by_another),
        cmocka_unit_test(a_task_whose_outputs_are_all_unsound_fails_the_job),
        cmocka_unit_test(files_of_tasks_go_with_a_cancelled_job),
    };

    chaos_read_options(argc, argv, "pairs", &options);
    if (sodium_init() < 0)
        return 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
