/* See chaos.h. */
#include "tests/cluster/chaos.h"

#include <getopt.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

void chaos_read_options(int argc, char **argv, const char *size, struct chaos_options *options)
{
    const struct option known[] = {{"kills", required_argument, NULL, 'k'},
                                   {"daemon-kills", required_argument, NULL, 'd'},
                                   {size, required_argument, NULL, 'z'},
                                   {"seed", required_argument, NULL, 's'},
                                   {0}};
    int key;

    while ((key = getopt_long(argc, argv, "", known, NULL)) != -1) {
        long value = optarg ? strtol(optarg, NULL, 10) : 0;
        if (key == 'k')
            options->kills = (int)value;
        else if (key == 'd')
            options->daemon_kills = (int)value;
        else if (key == 'z')
            options->size = (int)value;
        else if (key == 's')
            options->seed = (uint64_t)value;
        else
            exit(2);
    }
}

static int draw(struct chaos *chaos, int most)
{
    chaos->dice = chaos->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((chaos->dice >> 33) % (uint64_t)most);
}

static void start_node(struct chaos *chaos, int k)
{
    const struct cluster_settings settings = {.port = chaos->proxy.port};
    char name[24];

    snprintf(name, sizeof name, "node-%d", k);
    cluster_start_node(&chaos->daemon, name, &settings, &chaos->nodes[k]);
}

void chaos_start(struct chaos *chaos, int badness, uint64_t seed)
{
    chaos->dice = seed;
    cluster_start_daemon(&chaos->daemon, chaos->flags);
    cluster_proxy_start(&chaos->proxy, chaos->daemon.port, badness, seed);
    for (int k = 0; k < CHAOS_NODES; k++)
        start_node(chaos, k);
}

bool chaos_goes_on(const struct chaos *chaos)
{
    return chaos->kills < chaos->kills_max || chaos->daemon_kills < chaos->daemon_kills_max;
}

static void stop_for_longer_than_the_lease(struct chaos *chaos, int k)
{
    kill(chaos->nodes[k].pid, SIGSTOP);
    cluster_sleep_ms(chaos->lease_ms + 600);
    kill(chaos->nodes[k].pid, SIGCONT);
    chaos->stops++;
}

void chaos_strike(struct chaos *chaos)
{
    cluster_sleep_ms(50 + draw(chaos, 300));
    if (!chaos_goes_on(chaos))
        return;
    int k = draw(chaos, CHAOS_NODES);
    bool is_for_daemon =
        draw(chaos, chaos->kills_max + chaos->daemon_kills_max) < chaos->daemon_kills_max ||
        chaos->kills >= chaos->kills_max;

    if (is_for_daemon && chaos->daemon_kills < chaos->daemon_kills_max) {
        daemon_end(&chaos->daemon, SIGKILL);
        cluster_start_daemon(&chaos->daemon, chaos->flags);
        chaos->daemon_kills++;
    } else if (chaos->stops * 8 < chaos->kills) {
        stop_for_longer_than_the_lease(chaos, k);
    } else {
        cluster_end_node(&chaos->nodes[k], SIGKILL);
        start_node(chaos, k);
        chaos->kills++;
    }
}

void chaos_end(struct chaos *chaos, const char *what)
{
    print_message("%d kills of nodes, %d of the daemon, %d stops longer than a lease, %d "
                  "connections cut, %s: the same bytes\n",
                  chaos->kills, chaos->daemon_kills, chaos->stops, atomic_load(&chaos->proxy.cuts),
                  what);
    for (int k = 0; k < CHAOS_NODES; k++)
        cluster_end_node(&chaos->nodes[k], SIGTERM);
    cluster_proxy_end(&chaos->proxy);
    assert_true(daemon_end_well(&chaos->daemon));
}
