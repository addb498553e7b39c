/* Speed of a request that moves many jobs, and what others notice of it.
 *
 *   bench_bulk [--jobs N]
 *
 * Fills a database with N waiting jobs (default 100000), starts the daemon without workers, counts,
 * prioritises, cancels and deletes them by one request each. Beside, one client reads and another
 * submits jobs, 100 times a second each. Prints the times, also as multiples of what filling took:
 * that number says how quick the machine is today. Asserts only that the calls succeed. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"

#include "api/base/clock.h"
#include "service/store/jobs.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define SPEC                                                                                 \
    "{\"a\":\"ai-simple\",\"b\":\"random\",\"profile\":\"dc2\",\"ends\":2,\"extra_ends\":0," \
    "\"pairs\":100,\"seed\":7,\"threads\":1,\"limits\":{}}"

enum { WAITS_MAX = 1 << 16, MOST_MS = 600000 };

static void need(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "bench_bulk: %s\n", what);
    exit(1);
}

/* Returns how many seconds it took. */
static double fill(int jobs)
{
    const struct job_new job = {.kind = "match", .spec = SPEC};
    char error[STORE_ERROR_MAX];
    struct store *store;
    int64_t id;

    mkdir(daemon_here.data, 0700); /* may exist */
    need(store_open(daemon_here.data, false, &store, error) == API_OK, error);
    double began_s = clock_now_s();
    for (int k = 0; k < jobs;) {
        need(store_begin(store) == API_OK, "begin");
        for (int group = 0; group < 1000 && k < jobs; group++, k++)
            need(job_store_add(store, &job, clock_wall_ms(), &id) == API_OK, "add");
        need(store_commit(store) == API_OK, "commit");
    }
    double took_s = clock_now_s() - began_s;
    store_close(store);
    printf("%-10s %7d jobs %7.3f s, 1,000 in a transaction, without the daemon\n", "fill", jobs,
           took_s);
    return took_s;
}

/* A client beside, and how long it waited each time. */
struct other {
    const char *name, *method, *path, *body;
    pthread_t thread;
    double wait_s[WAITS_MAX];
    int count;
};
static struct other others[] = {
    {.name = "reading", .method = "GET", .path = "/v1/jobs?limit=1"},
    {.name = "submitting",
     .method = "POST",
     .path = "/v1/jobs",
     .body = "{\"kind\":\"diagnose\",\"delay_s\":3600,\"spec\":{\"seconds\":1}}"}};
enum { OTHERS = sizeof others / sizeof others[0] };
static atomic_bool is_over;

static void *work(void *context)
{
    static const char *const json[] = {"Content-Type: application/json", NULL};
    struct other *other = context;
    const struct client_call call = {.method = other->method,
                                     .path = other->path,
                                     .body = other->body,
                                     .header = other->body ? json : NULL,
                                     .most_ms = MOST_MS};

    for (other->count = 0; !atomic_load(&is_over) && other->count < WAITS_MAX;) {
        double began_s = clock_now_s();
        struct reply reply = client_call(daemon_here.port, &call);
        other->wait_s[other->count++] = clock_now_s() - began_s;
        need(reply.status / 100 == 2, "another client was refused");
        reply_free(&reply);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return NULL;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Processor time of the daemon so far; NAN: unknown. */
static double processor_s(void)
{
    char path[64];
    unsigned long long spent_ns = 0, sum_ns = 0;
    struct dirent *entry;

    snprintf(path, sizeof path, "/proc/%d/task", (int)daemon_here.pid);
    DIR *tasks = opendir(path);
    while (tasks && (entry = readdir(tasks)) != NULL) {
        char name[400];
        snprintf(name, sizeof name, "%s/%s/schedstat", path, entry->d_name);
        FILE *file = *entry->d_name == '.' ? NULL : fopen(name, "re");
        if (file && fscanf(file, "%llu", &spent_ns) == 1)
            sum_ns += spent_ns;
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return sum_ns > 0 ? 1e-9 * (double)sum_ns : (double)NAN;
}

/* Sends the request while the others work, and prints how long it took. */
static void measure(const char *name, const char *path, const char *body, double fill_s)
{
    static const char *const json[] = {"Content-Type: application/json", NULL};
    const struct client_call call = {
        .method = "POST", .path = path, .body = body, .header = json, .most_ms = MOST_MS};

    atomic_store(&is_over, false);
    for (int k = 0; k < OTHERS; k++)
        need(pthread_create(&others[k].thread, NULL, work, &others[k]) == 0, "thread");
    double began_s = clock_now_s(), processor_began_s = processor_s();
    struct reply reply = client_call(daemon_here.port, &call);
    double processor = processor_s() - processor_began_s;
    double took_s = clock_now_s() - began_s;
    atomic_store(&is_over, true);
    need(reply.status == 200 && json_is_true(json_object_get(reply.json, "complete")), reply.text);
    printf("%-10s %7lld jobs %7.3f s, %.2f of a fill, %.3f s of the daemon's processor time", name,
           (long long)json_integer_value(json_object_get(reply.json, "count")), took_s,
           took_s / fill_s, processor);
    reply_free(&reply);
    for (int k = 0; k < OTHERS; k++) {
        struct other *other = &others[k];
        pthread_join(other->thread, NULL);
        qsort(other->wait_s, (size_t)other->count, sizeof other->wait_s[0], by_size);
        printf("; %s: %d, median %.1f ms, longest %.1f ms", other->name, other->count,
               1e3 * other->wait_s[other->count / 2], 1e3 * other->wait_s[other->count - 1]);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const char *const flags[] = {"--workers", "0", "--log-level", "warning", NULL};
    int jobs = argc == 3 && strcmp(argv[1], "--jobs") == 0 ? atoi(argv[2]) : 100000;

    need(jobs > 0 && (argc == 1 || argc == 3), "usage: bench_bulk [--jobs N]");
    daemon_prepare(&daemon_here);
    double fill_s = fill(jobs);
    daemon_start_well(&daemon_here, flags);
    measure("count", "/v1/jobs/cancel", "{\"kind\":\"match\",\"dry_run\":true}", fill_s);
    measure("prioritise", "/v1/jobs/priority", "{\"kind\":\"match\",\"priority\":3}", fill_s);
    measure("cancel", "/v1/jobs/cancel", "{\"kind\":\"match\",\"reason\":\"bench\"}", fill_s);
    measure("delete", "/v1/jobs/delete", "{\"kind\":\"match\"}", fill_s);
    need(daemon_end_well(&daemon_here), "the daemon did not end well");
    return 0;
}
