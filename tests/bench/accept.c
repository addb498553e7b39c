/* The capacity of the daemon: durable jobs, reads of a job, shot queries up to and beyond its
 * limit, memory, start-up; and beanstalkd (fsync at every job) under the same load for comparison.
 * Run by hand:
 *
 *   bench_accept                        all parts, some 3 minutes
 *   bench_accept --seconds 1            shorter
 *   bench_accept --only jobs            one part: jobs, looks, shots, start
 *
 * "cpu" is the daemon's processor time for one answer: on a busy machine it says more than the
 * rate. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/bench/accept_load.h"
#include "tests/bench/bench.h"
#include "tests/programs/program.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOKED_AT = 1000, STARTS = 5, OVERLOAD_CONNECTIONS = 200, OVERLOAD_TIMES = 3 };
enum { OVERLOAD_TIMEOUT_MS = 1000, SHOTS_MOST = 2000 };

/* A job that waits because there are no workers, and one that is never due. */
#define MATCH                                                                         \
    "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"random\",\"pairs\":1," \
    "\"ends\":1}"
#define JOB        MATCH "}"
#define LATER      MATCH ",\"delay_s\":86400}"
#define LONG_MATCH "{\"kind\":\"match\",\"spec\":{\"a\":\"rink\",\"b\":\"rink\",\"pairs\":1000}}"
#define NULLS      "[null,null,null,null,null,null,null,null]"
#define STATE                                                                               \
    "\"profile\":\"dc3\",\"state\":{\"end\":0,\"shot\":0,\"hammer\":\"team1\",\"scores\":{" \
    "\"team0\":[],\"team1\":[]},\"stones\":{\"team0\":" NULLS ",\"team1\":" NULLS "}}"

struct options {
    double seconds;
    const char *only; /* NULL: all parts */
};

static void die(const char *what)
{
    fprintf(stderr, "bench_accept: %s\n", what);
    exit(1);
}

/* ---- requests ---- */

static size_t write_post(const char *path, const char *body, size_t size, char *ret_text)
{
    return (size_t)snprintf(ret_text, size,
                            "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: "
                            "application/json\r\nContent-Length: %zu\r\n\r\n%s",
                            path, strlen(body), body);
}

static size_t write_job(int64_t k, size_t size, char *ret_text)
{
    (void)k;
    return write_post("/v1/jobs", JOB, size, ret_text);
}

static size_t write_look(int64_t k, size_t size, char *ret_text)
{
    return (size_t)snprintf(ret_text, size, "GET /v1/jobs/%lld HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                            (long long)(k % LOOKED_AT + 1));
}

/* Each shot has its own seed, so that no two share an answer. */
static size_t write_shot(int64_t k, size_t size, char *ret_text)
{
    char body[1024];

    snprintf(body, sizeof body,
             "{" STATE ",\"player\":\"rink\",\"limits\":{\"simulations\":500},\"seed\":%lld,"
             "\"timeout_ms\":%d}",
             (long long)k + 1, OVERLOAD_TIMEOUT_MS);
    return write_post("/v1/shots", body, size, ret_text);
}

/* ---- the daemon ---- */

static void start(struct daemon_process *daemon, const char *workers)
{
    int status;

    if (!daemon_start(daemon,
                      (const char *[]){"--workers", workers, "--search-processes", "1", NULL},
                      &status))
        die("the daemon does not start");
}

static void end(struct daemon_process *daemon)
{
    if (daemon_end(daemon, SIGTERM) != 0)
        die("the daemon did not end well");
}

static struct load_result measure(const struct daemon_process *daemon, const struct load *load,
                                  const char *what)
{
    double cpu_s = process_cpu_s(daemon->pid);
    struct load_result result = load_run(load);

    cpu_s = process_cpu_s(daemon->pid) - cpu_s;
    if (result.bad > 0 || result.good == 0)
        die("answers that nobody expected");
    printf("%-28s %3d connections %7.0f/s  p50 %7.2f ms  p99 %7.2f ms  cpu %4.0f us\n", what,
           load->connections, result.good_per_s, result.good_p50_ms, result.good_p99_ms,
           1e6 * cpu_s / (double)(result.good + result.busy));
    fflush(stdout);
    return result;
}

/* ---- beanstalkd ---- */

static size_t write_put(int64_t k, size_t size, char *ret_text)
{
    (void)k;
    return (size_t)snprintf(ret_text, size, "put 0 0 60 %zu\r\n" JOB "\r\n", sizeof JOB - 1);
}

static size_t read_put(const char *text, size_t size, int *ret_status)
{
    const char *end = memmem(text, size, "\r\n", 2);

    *ret_status = size > 8 && memcmp(text, "INSERTED", 8) == 0 ? 200 : 500;
    return end ? (size_t)(end - text) + 2 : 0;
}

static int free_port(void)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof name;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&name, size) != 0 ||
        getsockname(fd, (struct sockaddr *)&name, &size) != 0)
        die("there is no free port");
    close(fd);
    return ntohs(name.sin_port);
}

/* Starts beanstalkd and waits until it listens. Returns 0 if it is not installed. */
static pid_t start_beanstalkd(const char *folder, int port)
{
    char number[16];

    snprintf(number, sizeof number, "%d", port);
    if (system("command -v beanstalkd >/dev/null") != 0)
        return 0;
    pid_t pid = fork();
    if (pid == 0) {
        execlp("beanstalkd", "beanstalkd", "-l", "127.0.0.1", "-p", number, "-f", "0", "-b", folder,
               (char *)NULL);
        _exit(127);
    }
    for (int k = 0; pid > 0 && k < 500; k++) {
        struct sockaddr_in to = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        bool listens = connect(fd, (struct sockaddr *)&to, sizeof to) == 0;
        close(fd);
        if (listens)
            return pid;
        usleep(10000);
    }
    die("beanstalkd does not start");
    return 0;
}

static void measure_reference(const struct daemon_process *daemon, const struct options *options,
                              const int *connections, const double *per_s, int count)
{
    char folder[128];
    int port = free_port();

    snprintf(folder, sizeof folder, "%s/beanstalkd", daemon->folder);
    mkdir(folder, 0700);
    pid_t pid = start_beanstalkd(folder, port);
    if (pid == 0) {
        printf("beanstalkd is not installed: nothing to compare with\n");
        return;
    }
    for (int k = 0; k < count; k++) {
        struct load_result result = load_run(&(struct load){.port = port,
                                                            .connections = connections[k],
                                                            .seconds = options->seconds,
                                                            .write = write_put,
                                                            .read = read_put});
        printf("%-28s %3d connections %7.0f/s  p50 %7.2f ms  p99 %7.2f ms  rinkd: %.2f times\n",
               "beanstalkd, fsync", connections[k], result.good_per_s, result.good_p50_ms,
               result.good_p99_ms, per_s[k] / result.good_per_s);
    }
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
}

/* ---- parts ---- */

static void measure_jobs(struct daemon_process *daemon, const struct options *options)
{
    static const int connections[] = {1, 32, 64};
    double per_s[3];

    start(daemon, "0");
    for (int k = 0; k < 3; k++)
        per_s[k] = measure(daemon,
                           &(struct load){.port = daemon->port,
                                          .connections = connections[k],
                                          .seconds = options->seconds,
                                          .write = write_job,
                                          .read = load_read_http},
                           "POST /v1/jobs, durable")
                       .good_per_s;
    printf("%-28s %.1f MB\n", "memory after that", process_resident_mb(daemon->pid));
    end(daemon);
    measure_reference(daemon, options, connections, per_s, 3);
}

/* Waits until a worker has the job. */
static void wait_for_worker(const struct daemon_process *daemon, const char *path)
{
    for (bool has_begun = false; !has_begun; usleep(10000)) {
        struct reply reply = client_get(daemon->port, path);
        const char *state = json_string_value(json_object_get(reply.json, "state"));
        if (!state || (strcmp(state, "ready") != 0 && strcmp(state, "leased") != 0))
            die("the match does not run");
        has_begun = strcmp(state, "leased") == 0;
        reply_free(&reply);
    }
}

static void measure_looks(struct daemon_process *daemon, const struct options *options)
{
    struct load load = {.connections = 32,
                        .seconds = options->seconds,
                        .write = write_look,
                        .read = load_read_http};

    start(daemon, "1");
    load.port = daemon->port;
    for (int k = 0; k < LOOKED_AT; k++) {
        struct reply reply = client_post(daemon->port, "/v1/jobs", LATER);
        if (reply.status != 202)
            die("no job is taken");
        reply_free(&reply);
    }
    measure(daemon, &load, "GET /v1/jobs/{id}");
    struct reply reply = client_post(daemon->port, "/v1/jobs", LONG_MATCH);
    char path[64];
    long long id = json_integer_value(json_object_get(reply.json, "id"));
    if (reply.status != 202)
        die(reply.text);
    reply_free(&reply);
    snprintf(path, sizeof path, "/v1/jobs/%lld", id);
    wait_for_worker(daemon, path);
    measure(daemon, &load, "… while a match runs");
    strcat(path, "/cancel");
    reply = client_call(daemon->port, &(struct client_call){.method = "POST", .path = path});
    reply_free(&reply);
    end(daemon);
}

static double times_ms[SHOTS_MOST];

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#define QUICK_SHOT "{" STATE ",\"player\":\"ai-simple\",\"seed\":1}"

/* Measures the process alone, queried over pipes. */
static struct load_result measure_bare(const struct options *options)
{
    const char *const argv[] = {RINK_SEARCH, "--stdio", "--threads", "1", NULL};
    struct program_talk talk = program_start(argv);
    double begin_s = bench_clock_s(CLOCK_MONOTONIC), now_s = begin_s;
    struct load_result result = {.good = 0};
    char *line = NULL;
    size_t room = 0;
    int count = 0;

    for (int k = 0; count < SHOTS_MOST && now_s < begin_s + options->seconds; k++) {
        double ask_s = now_s;
        fprintf(talk.to, "{\"id\":%d,%s\n", k, &QUICK_SHOT[1]);
        fflush(talk.to);
        if (getline(&line, &room, talk.from) <= 0)
            die("rink-search does not answer");
        now_s = bench_clock_s(CLOCK_MONOTONIC);
        if (k > 0) /* the first query fills its tables */
            times_ms[count++] = 1e3 * (now_s - ask_s);
    }
    free(line);
    program_finish(&talk);
    qsort(times_ms, (size_t)count, sizeof *times_ms, by_size);
    result.good = count;
    if (count > 0) {
        result.good_p50_ms = times_ms[count / 2];
        result.good_p99_ms = times_ms[count * 99 / 100];
    }
    return result;
}

static size_t write_quick_shot(int64_t k, size_t size, char *ret_text)
{
    (void)k;
    return write_post("/v1/shots", QUICK_SHOT, size, ret_text);
}

static void measure_shots(struct daemon_process *daemon, const struct options *options)
{
    struct load load = {.connections = 1, .seconds = options->seconds, .read = load_read_http};
    struct load_result bare = measure_bare(options);

    printf("%-28s %3d query at a time           p50 %7.2f ms  p99 %7.2f ms\n", "rink-search alone",
           1, bare.good_p50_ms, bare.good_p99_ms);
    start(daemon, "0");
    daemon_wait_ready(daemon);
    load.port = daemon->port;
    load.write = write_quick_shot;
    struct load_result result = measure(daemon, &load, "POST /v1/shots, short");
    printf("%-28s p50 %.2f ms  p99 %.2f ms\n", "the service adds",
           result.good_p50_ms - bare.good_p50_ms, result.good_p99_ms - bare.good_p99_ms);

    load.write = write_shot;
    load.connections = 16; /* so that one query is always running */
    result = measure(daemon, &load, "POST /v1/shots, searched");
    load.connections = OVERLOAD_CONNECTIONS;
    load.per_s = OVERLOAD_TIMES * result.good_per_s;
    printf("offered %.0f/s, %d times that much, each with %d ms of time\n", load.per_s,
           OVERLOAD_TIMES, OVERLOAD_TIMEOUT_MS);
    result = load_run(&load);
    double all = (double)(result.good + result.busy + result.bad);
    printf("%-28s answered %.0f%%  p50 %.0f ms  p99 %.0f ms   503 %.0f%%  p99 %.1f ms   504 and "
           "others %.1f%%\n",
           "overload", 100.0 * (double)result.good / all, result.good_p50_ms, result.good_p99_ms,
           100.0 * (double)result.busy / all, result.busy_p99_ms, 100.0 * (double)result.bad / all);
    end(daemon);
}

static void measure_start(struct daemon_process *daemon, const struct options *options)
{
    double least_ms = 1e9;

    (void)options;
    for (int k = 0; k < STARTS; k++) {
        double begin_s = bench_clock_s(CLOCK_MONOTONIC);
        start(daemon, "1");
        double ms = 1e3 * (bench_clock_s(CLOCK_MONOTONIC) - begin_s);
        least_ms = ms < least_ms ? ms : least_ms;
        daemon_wait_ready(daemon);
        if (k == 0)
            printf("%-28s %.1f MB\n", "memory of the idle daemon",
                   process_resident_mb(daemon->pid));
        end(daemon);
    }
    printf("%-28s %.0f ms (best of %d)\n", "from start to listening", least_ms, STARTS);
}

static const struct {
    const char *name;
    void (*measure)(struct daemon_process *daemon, const struct options *options);
} parts[] = {{"start", measure_start},
             {"jobs", measure_jobs},
             {"looks", measure_looks},
             {"shots", measure_shots}};
enum { PARTS = sizeof parts / sizeof *parts };

static void read_options(int argc, char **argv, struct options *options)
{
    for (int k = 1; k < argc; k += 2) {
        bool known = false;
        if (k + 1 < argc && strcmp(argv[k], "--seconds") == 0)
            known = bench_read_number(argv[k + 1], 3600.0, &options->seconds);
        for (int n = 0; k + 1 < argc && strcmp(argv[k], "--only") == 0 && n < PARTS; n++)
            if (strcmp(argv[k + 1], parts[n].name) == 0) {
                options->only = argv[k + 1];
                known = true;
            }
        if (!known)
            die("usage: bench_accept [--seconds S] [--only start|jobs|looks|shots]");
    }
}

int main(int argc, char **argv)
{
    struct options options = {.seconds = 10.0};

    read_options(argc, argv, &options);
    for (int k = 0; k < PARTS; k++) {
        struct daemon_process daemon;
        if (options.only && strcmp(options.only, parts[k].name) != 0)
            continue;
        daemon_prepare(&daemon); /* a fresh folder */
        parts[k].measure(&daemon, &options);
        daemon_remove(&daemon);
    }
    return 0;
}
