/* A job gives the same bytes whoever does its tasks, and whatever happens to them.
 *
 *   test_cluster [--kills N] [--daemon-kills N] [--pairs N] [--seed N]
 *
 * By hand with --kills 50 --daemon-kills 10 --pairs 600, as the figures in deploy/README.md. */
#include "tests/api/client.h"
#include "tests/cluster/cluster.h"
#include "tests/patience.h"

#include <getopt.h>
#include <setjmp.h>
#include <signal.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct {
    int kills, daemon_kills, pairs;
    uint64_t seed;
} options = {.kills = 6, .daemon_kills = 2, .pairs = 80, .seed = 20261124};

static const char *const flags[] = {"--workers", "1", "--node-lease-ms", "2000", "--check-percent",
                                    "0",         NULL};

static uint64_t dice;

static int draw(int most)
{
    dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((dice >> 33) % (uint64_t)most);
}

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
    cluster_expected(options.pairs, options.seed, expected);
    cluster_result(&daemon, cluster_add(&daemon, options.pairs, options.seed), options.pairs,
                   alone);
    assert_string_equal(alone, expected);

    const struct cluster_settings settings = {.port = daemon.port};
    cluster_start_node(&daemon, "one", &settings, &nodes[0]);
    cluster_start_node(&daemon, "two", &settings, &nodes[1]);
    wait_for_node(&daemon, "one");
    wait_for_node(&daemon, "two");
    cluster_result(&daemon, cluster_add(&daemon, options.pairs, options.seed), options.pairs,
                   together);
    assert_string_equal(together, expected);
    assert_true(cluster_node_number(&daemon, "one", "done") > 0);
    assert_true(cluster_node_number(&daemon, "two", "done") > 0);

    assert_int_equal(cluster_end_node(&nodes[0], SIGTERM), 0);
    assert_int_equal(cluster_end_node(&nodes[1], SIGINT), 0);
    assert_true(daemon_end_well(&daemon));
}

/* ---- kills ---- */

struct chaos {
    struct daemon_process daemon;
    struct cluster_proxy proxy;
    struct cluster_node nodes[CLUSTER_NODES];
    int count, kills, daemon_kills, stops;
    int generation;
};

static void start_node(struct chaos *chaos, int k)
{
    const struct cluster_settings settings = {.port = chaos->proxy.port};
    char name[16];

    snprintf(name, sizeof name, "node-%d", k);
    cluster_start_node(&chaos->daemon, name, &settings, &chaos->nodes[k]);
}

static void stop_for_longer_than_the_lease(struct chaos *chaos, int k)
{
    kill(chaos->nodes[k].pid, SIGSTOP);
    cluster_sleep_ms(2600);
    kill(chaos->nodes[k].pid, SIGCONT);
    chaos->stops++;
}

static void kill_something(struct chaos *chaos)
{
    int k = draw(chaos->count);

    if (chaos->daemon_kills < options.daemon_kills &&
        draw(options.kills + options.daemon_kills) < options.daemon_kills) {
        daemon_end(&chaos->daemon, SIGKILL);
        cluster_start_daemon(&chaos->daemon, flags);
        chaos->daemon_kills++;
    } else if (chaos->stops * 8 < chaos->kills) {
        stop_for_longer_than_the_lease(chaos, k);
    } else {
        cluster_end_node(&chaos->nodes[k], SIGKILL);
        start_node(chaos, k);
        chaos->kills++;
    }
}

static void kills_stops_and_a_bad_network_change_nothing(void **state)
{
    struct chaos chaos = {.count = 3};
    char expected[CLUSTER_HASH], found[CLUSTER_HASH];
    int jobs = 0;

    (void)state;
    dice = options.seed;
    cluster_prepare(&chaos.daemon);
    cluster_start_daemon(&chaos.daemon, flags);
    cluster_proxy_start(&chaos.proxy, chaos.daemon.port, 2, options.seed);
    for (int k = 0; k < chaos.count; k++)
        start_node(&chaos, k);
    while (jobs == 0 || chaos.kills < options.kills || chaos.daemon_kills < options.daemon_kills) {
        int64_t job = cluster_add(&chaos.daemon, options.pairs, options.seed + (uint64_t)jobs);
        for (double end_s = 0; !cluster_has_ended(&chaos.daemon, job);) {
            assert_true(patience_left(&end_s));
            cluster_sleep_ms(50 + draw(300));
            if (chaos.kills < options.kills || chaos.daemon_kills < options.daemon_kills)
                kill_something(&chaos);
        }
        cluster_expected(options.pairs, options.seed + (uint64_t)jobs, expected);
        cluster_result(&chaos.daemon, job, options.pairs, found);
        assert_string_equal(found, expected);
        jobs++;
    }
    print_message(
        "%d kills of nodes, %d of the daemon, %d stops longer than a lease, %d connections "
        "cut, %d jobs of %d tasks: the same bytes\n",
        chaos.kills, chaos.daemon_kills, chaos.stops, atomic_load(&chaos.proxy.cuts), jobs,
        options.pairs);
    for (int k = 0; k < chaos.count; k++)
        cluster_end_node(&chaos.nodes[k], SIGTERM);
    cluster_proxy_end(&chaos.proxy);
    assert_true(daemon_end_well(&chaos.daemon));
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
    int64_t job = cluster_add(&daemon, options.pairs, 1);
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
    cluster_result(&daemon, job, options.pairs, hash);
    cluster_expected(options.pairs, 1, expected);
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
    cluster_expected(PAIRS, 5, expected);
    assert_string_equal(hash, expected);
    assert_int_equal(cluster_end_node(&honest, SIGTERM), 0);
    reply = client_get(daemon.port, "/v1/nodes/honest");
    assert_string_equal(json_string_value(json_object_get(reply.json, "state")), "left");
    reply_free(&reply);
    assert_true(daemon_end_well(&daemon));
}

static void read_options(int argc, char **argv)
{
    static const struct option known[] = {{"kills", required_argument, NULL, 'k'},
                                          {"daemon-kills", required_argument, NULL, 'd'},
                                          {"pairs", required_argument, NULL, 'p'},
                                          {"seed", required_argument, NULL, 's'},
                                          {0}};
    int key;

    while ((key = getopt_long(argc, argv, "", known, NULL)) != -1) {
        long value = optarg ? strtol(optarg, NULL, 10) : 0;
        if (key == 'k')
            options.kills = (int)value;
        else if (key == 'd')
            options.daemon_kills = (int)value;
        else if (key == 'p')
            options.pairs = (int)value;
        else if (key == 's')
            options.seed = (uint64_t)value;
        else
            exit(2);
    }
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
    };

    read_options(argc, argv);
    if (sodium_init() < 0)
        return 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
