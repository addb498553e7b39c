/* How much later a caller's shot queries are answered beside another caller with many connections.
 *
 *   bench_shares [--queries N] [--connections N] [--processes N]
 *
 * Asks N equal queries of 60 ms (default 200) one after the other, alone and then beside a caller
 * with that many connections (default 200), of a daemon with that many search processes (default
 * 2). Prints the median and the 99th percentile of both, and their ratio. */
#include "api/base/clock.h"
#include "tests/api/daemon.h"
#include "tests/api/sharing.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CONNECTIONS_MAX = 1000, QUERIES_MAX = 100000 };

struct delays {
    double median_s, p99_s;
    int refused;
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Seeds from `seed` on: every query is asked for the first time. */
static struct delays measure(int port, const char *header, int queries, int seed)
{
    double *times = calloc((size_t)queries, sizeof *times);
    struct delays delays = {.refused = 0};

    if (!times)
        abort();
    for (int k = 0; k < queries; k++) {
        double start_s = clock_now_s();
        struct reply reply = sharing_ask(port, header, seed + k);
        times[k] = clock_now_s() - start_s;
        delays.refused += reply.status != 200;
        reply_free(&reply);
    }
    qsort(times, (size_t)queries, sizeof *times, compare);
    delays.median_s = times[queries / 2];
    delays.p99_s = times[(queries - 1) * 99 / 100];
    free(times);
    return delays;
}

static void print(const char *what, const struct delays *delays)
{
    printf("  %-8s median %7.1f ms   p99 %7.1f ms   refused %d\n", what, 1e3 * delays->median_s,
           1e3 * delays->p99_s, delays->refused);
}

static void compare_callers(int port, const char *polite, struct greedy *greedy, int queries,
                            int connections)
{
    pthread_t threads[CONNECTIONS_MAX];
    int started = 0;

    struct delays alone = measure(port, polite, queries, 1000000);
    print("alone", &alone);
    while (started < connections &&
           pthread_create(&threads[started], NULL, sharing_be_greedy, greedy) == 0)
        started++;
    (void)measure(port, polite, 1 + queries / 10, 2000000); /* until the line is full */
    struct delays beside = measure(port, polite, queries, 3000000);
    atomic_store(&greedy->is_over, true);
    for (int k = 0; k < started; k++)
        pthread_join(threads[k], NULL);
    print("beside", &beside);
    printf("  ratio    median %7.2f      p99 %7.2f      the other: %d connections, %d answered, %d "
           "refused\n",
           beside.median_s / alone.median_s, beside.p99_s / alone.p99_s, started,
           atomic_load(&greedy->answered), atomic_load(&greedy->refused));
}

static int number(const char *text, int most)
{
    int value = atoi(text);

    return value < 1 ? 1 : value < most ? value : most;
}

int main(int argc, char **argv)
{
    static struct greedy greedy;
    char tokens[160], header[SHARING_HEADER_MAX], polite[SHARING_HEADER_MAX];
    int queries = 200, connections = 200;
    const char *processes = "2";

    for (int k = 1; k + 1 < argc; k += 2) {
        if (strcmp(argv[k], "--queries") == 0)
            queries = number(argv[k + 1], QUERIES_MAX);
        else if (strcmp(argv[k], "--connections") == 0)
            connections = number(argv[k + 1], CONNECTIONS_MAX);
        else if (strcmp(argv[k], "--processes") == 0)
            processes = argv[k + 1];
    }
    daemon_prepare(&daemon_here);
    snprintf(tokens, sizeof tokens, "%s/tokens", daemon_here.folder);
    FILE *file = fopen(tokens, "we");
    if (!file)
        return 1;
    sharing_add_token("greedy", file, header);
    sharing_add_token("polite", file, polite);
    fclose(file);
    chmod(tokens, 0600);
    daemon_start_well(&daemon_here, (const char *[]){"--tokens", tokens, "--workers", "0",
                                                     "--search-processes", processes, NULL});
    daemon_wait_ready(&daemon_here);
    greedy = (struct greedy){.port = daemon_here.port, .header = header};
    printf("%d queries of 60 ms, %s search processes\n", queries, processes);
    compare_callers(daemon_here.port, polite, &greedy, queries, connections);
    int status = daemon_end(&daemon_here, SIGTERM);
    daemon_remove(&daemon_here);
    return status;
}
