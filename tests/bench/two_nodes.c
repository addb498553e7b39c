/* What nodes cost: two nodes of one core each against two independent workers, each a daemon with
 * one worker and a job of its own, in the same run.
 *
 *   bench_two_nodes [--seconds S] [--pairs N] [--rounds N] [--player SPEC]
 *
 * Each of them has a core of its own, which its processes share with the daemon and the lead of
 * independent workers; the daemon of the nodes runs wherever there is room. A side is a match of
 * `pairs` pairs by the two nodes, or two of half as many by the workers; without --pairs so many
 * that it takes about `seconds`. The sides take turns in who comes first. Two workers count with
 * the sum of what each did in a second until its own end. The player plays against itself; one that
 * throws without thinking (ai-simple) fills some 20 MB of records a second, and carrying these then
 * is what is measured.
 *
 * Besides, it compares the processor time that the sides took, which other work on the machine
 * does not spoil. Every wait has an end, and says now and then what it waits for. */
#include "api/base/clock.h"
#include "tests/api/client.h"
#include "tests/cluster/cluster.h"

#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HANDS = 2, ROUNDS_MAX = 99, LOOK_MS = 20, TELL_S = 15, TRIAL_PAIRS = 8 };

static struct {
    struct daemon_process of_nodes, alone[HANDS];
    struct cluster_node nodes[HANDS];
    cpu_set_t all;
    int cores[HANDS], seeds;
    double seconds;
    const char *player;
} bench = {.seconds = 45, .player = "rink:simulations=50"};

static void end_all(void)
{
    for (int k = 0; k < HANDS; k++) {
        if (bench.nodes[k].pid > 0)
            cluster_end_node(&bench.nodes[k], SIGKILL);
        daemon_remove(&bench.alone[k]);
    }
    daemon_remove(&bench.of_nodes);
}

static _Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
static _Noreturn void die(const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "bench_two_nodes: ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    end_all();
    exit(1);
}

/* ---- waiting ---- */

/* The end of a wait, far later than what is waited for takes. */
struct wait {
    const char *what;
    double begin_s, told_s;
};

static struct wait wait_for(const char *what)
{
    const double now_s = clock_now_s();

    return (struct wait){what, now_s, now_s};
}

static void wait_a_moment(struct wait *wait, double progress)
{
    const double now_s = clock_now_s(), most_s = 20.0 * bench.seconds + 240.0;

    if (now_s - wait->begin_s > most_s)
        die("gave up waiting for %s after %.0f s, at %.0f %%", wait->what, most_s, 100 * progress);
    if (now_s - wait->told_s > TELL_S) {
        printf("  … waiting for %s: %.0f %% after %.0f s\n", wait->what, 100 * progress,
               now_s - wait->begin_s);
        fflush(stdout);
        wait->told_s = now_s;
    }
    cluster_sleep_ms(LOOK_MS);
}

/* ---- starting ---- */

static void stay_on(const cpu_set_t *cores)
{
    if (sched_setaffinity(0, sizeof *cores, cores) != 0)
        die("the processes cannot be kept on a core");
}

/* What starts now stays on the core of this hand. */
static void go_to_core_of(int hand)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((size_t)bench.cores[hand], &one);
    stay_on(&one);
}

static void choose_cores(void)
{
    int found = 0;

    if (sched_getaffinity(0, sizeof bench.all, &bench.all) != 0)
        die("the cores of this machine are not known");
    for (int core = 0; core < CPU_SETSIZE && found < HANDS; core++)
        if (CPU_ISSET((size_t)core, &bench.all))
            bench.cores[found++] = core;
    if (found < HANDS) {
        printf("there is one core only: both hands share it\n");
        bench.cores[1] = bench.cores[0];
    }
}

static void start_daemon(struct daemon_process *daemon, const char *workers)
{
    daemon_prepare(daemon);
    cluster_start_daemon(daemon, (const char *[]){"--workers", workers, "--check-percent", "0",
                                                  "--log-level", "warning", NULL});
}

static void start_all(void)
{
    static const char *const names[HANDS] = {"one", "two"};

    unsetenv("RINKD_TEST_LISTEN");
    choose_cores();
    for (int k = 0; k < HANDS; k++) {
        go_to_core_of(k);
        start_daemon(&bench.alone[k], "1");
    }
    stay_on(&bench.all);
    start_daemon(&bench.of_nodes, "0");
    const struct cluster_settings settings = {
        .port = bench.of_nodes.port, .cores = 1, .kinds = "match"};
    for (int k = 0; k < HANDS; k++) {
        go_to_core_of(k);
        cluster_start_node(&bench.of_nodes, names[k], &settings, &bench.nodes[k]);
    }
    stay_on(&bench.all);
    for (int k = 0; k < HANDS; k++)
        for (struct wait wait = wait_for("the nodes, which compute their golden numbers");
             cluster_node_number(&bench.of_nodes, names[k], "cores") != 1;)
            wait_a_moment(&wait, 0.5 * k);
}

/* ---- a side ---- */

static int64_t submit(const struct daemon_process *daemon, int pairs)
{
    char body[256];

    snprintf(body, sizeof body,
             "{\"kind\":\"match\",\"spec\":{\"a\":\"%s\",\"b\":\"%s\",\"seed\":%d,\"threads\":1,"
             "\"pairs\":%d}}",
             bench.player, bench.player, ++bench.seeds, pairs);
    struct reply reply = client_post(daemon->port, "/v1/jobs", body);
    if (reply.status != 202)
        die("the match was refused: %s", reply.text);
    int64_t job = json_integer_value(json_object_get(reply.json, "id"));
    reply_free(&reply);
    return job;
}

/* Whether the job is done; *ret_progress is how far it is. */
static bool is_done(const struct daemon_process *daemon, int64_t job, double *ret_progress)
{
    json_t *found = cluster_job(daemon, job);
    const char *state = json_string_value(json_object_get(found, "state"));
    bool done = state && strcmp(state, "done") == 0;

    if (!state || strcmp(state, "buried") == 0)
        die("the match failed: %s", json_dumps(json_object_get(found, "error"), JSON_ENCODE_ANY));
    *ret_progress = json_number_value(json_object_get(found, "progress"));
    json_decref(found);
    return done;
}

/* Pairs a second. */
static double by_nodes(int pairs)
{
    const double begin_s = clock_now_s();
    const int64_t job = submit(&bench.of_nodes, pairs);
    double progress;

    for (struct wait wait = wait_for("the match by two nodes");
         !is_done(&bench.of_nodes, job, &progress);)
        wait_a_moment(&wait, progress);
    return pairs / (clock_now_s() - begin_s);
}

static double by_workers(int pairs)
{
    const double begin_s = clock_now_s();
    int64_t job[HANDS];
    double pace[HANDS] = {0.0}, progress = 0.0;
    struct wait wait = wait_for("the matches by two workers");

    for (int k = 0; k < HANDS; k++)
        job[k] = submit(&bench.alone[k], pairs / HANDS);
    while (pace[0] <= 0.0 || pace[1] <= 0.0) {
        wait_a_moment(&wait, progress);
        for (int k = 0; k < HANDS; k++)
            if (pace[k] <= 0.0 && is_done(&bench.alone[k], job[k], &progress))
                pace[k] = pairs / HANDS / (clock_now_s() - begin_s);
    }
    return pace[0] + pace[1];
}

/* ---- processor time ---- */

/* Seconds of a process and of its children that have ended. */
static double cpu_of(pid_t pid)
{
    char path[64], text[1024] = "";
    unsigned long time[4] = {0};

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    const char *rest = file && fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
    if (file)
        fclose(file);
    if (!rest || sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu",
                        &time[0], &time[1], &time[2], &time[3]) != 4)
        die("%s cannot be read", path);
    return (double)(time[0] + time[1] + time[2] + time[3]) / (double)sysconf(_SC_CLK_TCK);
}

static double cpu_of_nodes(void)
{
    return cpu_of(bench.of_nodes.pid) + cpu_of(bench.nodes[0].pid) + cpu_of(bench.nodes[1].pid);
}

static double cpu_of_workers(void)
{
    return cpu_of(bench.alone[0].pid) + cpu_of(bench.alone[1].pid);
}

/* ---- the comparison ---- */

/* What a side did. */
struct side {
    double pace, cpu_s; /* pairs a second; processor time of all its processes */
};

static struct side measure_side(bool is_nodes, int pairs)
{
    double (*cpu)(void) = is_nodes ? cpu_of_nodes : cpu_of_workers;
    const double before_s = cpu();
    struct side side = {.pace = is_nodes ? by_nodes(pairs) : by_workers(pairs)};

    cluster_sleep_ms(500); /* until the last process has ended */
    side.cpu_s = cpu() - before_s;
    return side;
}

static double load(void)
{
    double loads[1];

    return getloadavg(loads, 1) == 1 ? loads[0] : -1.0;
}

static int compare_ratios(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void measure(int pairs, int rounds)
{
    double ratios[ROUNDS_MAX], of_cpu[ROUNDS_MAX], load_before = load();

    printf("%d pairs a side, %d rounds, load %.1f\n", pairs, rounds, load_before);
    for (int k = 0; k < rounds; k++) {
        const bool nodes_first = k % 2 == 0;
        const struct side first = measure_side(nodes_first, pairs),
                          second = measure_side(!nodes_first, pairs);
        const struct side nodes = nodes_first ? first : second,
                          workers = nodes_first ? second : first;
        ratios[k] = nodes.pace / workers.pace;
        of_cpu[k] = workers.cpu_s / nodes.cpu_s;
        printf("round %d, %s first: two nodes %.2f pairs a second (%.1f s, %.1f s of processors), "
               "two workers %.2f (%.1f s, %.1f s): %.3f; for the same processor time %.3f\n",
               k + 1, nodes_first ? "nodes" : "workers", nodes.pace, pairs / nodes.pace,
               nodes.cpu_s, workers.pace, pairs / workers.pace, workers.cpu_s, ratios[k],
               of_cpu[k]);
        fflush(stdout);
    }
    qsort(ratios, (size_t)rounds, sizeof *ratios, compare_ratios);
    qsort(of_cpu, (size_t)rounds, sizeof *of_cpu, compare_ratios);
    printf("two nodes of one core do %.3f (%.3f to %.3f) of what two independent workers do, and "
           "%.3f (%.3f to %.3f) for the same processor time; load %.1f before, %.1f after\n",
           ratios[rounds / 2], ratios[0], ratios[rounds - 1], of_cpu[rounds / 2], of_cpu[0],
           of_cpu[rounds - 1], load_before, load());
}

/* An even number of pairs that takes about `seconds`. */
static int pairs_in(double seconds)
{
    int pairs = TRIAL_PAIRS;
    double pace = by_workers(pairs); /* warms up */

    do { /* the time that a process takes to start must not count */
        pairs *= 2;
        pace = by_workers(pairs);
    } while (pairs / pace < 0.1 * seconds);
    return 2 * (int)(0.5 * pace * seconds + 1.0);
}

int main(int argc, char **argv)
{
    int pairs = 0, rounds = 3;

    for (int k = 1; k + 1 < argc; k += 2) {
        if (strcmp(argv[k], "--seconds") == 0)
            bench.seconds = atof(argv[k + 1]);
        else if (strcmp(argv[k], "--pairs") == 0)
            pairs = atoi(argv[k + 1]) / HANDS * HANDS;
        else if (strcmp(argv[k], "--rounds") == 0)
            rounds = atoi(argv[k + 1]);
        else if (strcmp(argv[k], "--player") == 0)
            bench.player = argv[k + 1];
    }
    if (rounds < 1 || rounds > ROUNDS_MAX || pairs < 0 || !(bench.seconds > 0.0))
        die("usage: [--seconds S] [--pairs N] [--rounds 1 … %d] [--player SPEC]", ROUNDS_MAX);
    start_all();
    measure(pairs > 0 ? pairs : pairs_in(bench.seconds), rounds);
    for (int k = 0; k < HANDS; k++)
        cluster_end_node(&bench.nodes[k], SIGTERM);
    bool good = daemon_end_well(&bench.of_nodes);
    for (int k = 0; k < HANDS; k++)
        good = daemon_end_well(&bench.alone[k]) && good;
    return good ? 0 : 1;
}
