/* How many tasks of nodes the service can keep, and what idle nodes cost it. The nodes are
 * simulated and answer at once; the jobs have no files (tests/cluster/worker.c).
 *
 *   bench_nodes [--nodes N] [--tasks N] [--idle N] [--seconds S]
 *
 * N nodes (50) do that many tasks (5,000): each is claimed, done, and in the database before the
 * node hears of it. Then N nodes (10,000) wait for tasks for S seconds (10): the share of a core
 * that the daemon uses. Beside both, shot queries of a rule-based player: how much later they are
 * answered at the 99th percentile than with nobody else. */
#include "api/base/clock.h"
#include "tests/api/client.h"
#include "tests/cluster/cluster.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_MAX = 8192, EVENTS = 256, SHOTS_MAX = 2000, WAIT_S = 30 };

struct node {
    int fd;
    char name[16], session[33], token[33];
    long long job, number;
    enum { REGISTERS, CLAIMS, SENDS } phase;
    char answer[ANSWER_MAX + 1];
    size_t length;
};

static struct {
    struct daemon_process daemon;
    struct node *nodes;
    int count, poll;
    long long done; /* answers 200 to lines */
    int registered;
} bench;

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "bench_nodes: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* ---- requests ---- */

static void send_request(struct node *node, const char *verb, const char *body)
{
    char text[2048];
    int length = snprintf(text, sizeof text,
                          "POST /v1/nodes%s%s%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                          "application/json\r\nContent-Length: %zu\r\n\r\n%s",
                          *verb ? "/" : "", *verb ? node->name : "", verb, strlen(body), body);

    node->length = 0;
    if (send(node->fd, text, (size_t)length, MSG_NOSIGNAL) != length)
        die("send");
}

static void register_node(struct node *node)
{
    char body[256];

    snprintf(body, sizeof body,
             "{\"name\":\"%s\",\"cores\":1,\"versions\":{\"protocol\":3},"
             "\"golden\":{\"throws/dc2\":\"0123456789abcdef\"}}",
             node->name);
    node->phase = REGISTERS;
    send_request(node, "", body);
}

static void claim(struct node *node)
{
    char body[160];

    snprintf(body, sizeof body, "{\"session\":\"%s\",\"cores\":1,\"wait_s\":%d,\"tokens\":[]}",
             node->session, WAIT_S);
    node->phase = CLAIMS;
    send_request(node, "/claim", body);
}

static void send_lines(struct node *node)
{
    char body[512];

    snprintf(
        body, sizeof body,
        "{\"session\":\"%s\",\"tasks\":[{\"job\":%lld,\"number\":%lld,\"token\":\"%s\",\"from\":1,"
        "\"lines\":[{\"type\":\"done\",\"result\":{}}]}]}",
        node->session, node->job, node->number, node->token);
    node->phase = SENDS;
    send_request(node, "/lines", body);
}

/* ---- answers ---- */

/* Copies 32 digits after a key. */
static bool take_hex(const char *text, const char *key, char ret_hex[33])
{
    const char *at = strstr(text, key);

    if (at)
        snprintf(ret_hex, 33, "%.32s", at + strlen(key));
    return at != NULL;
}

static long long take_number(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    return at ? atoll(at + strlen(key)) : 0;
}

static void take_answer(struct node *node)
{
    int status = atoi(node->answer + strlen("HTTP/1.1 "));

    switch (node->phase) {
    case REGISTERS:
        bench.registered += status == 201;
        if (status == 201 && take_hex(node->answer, "\"session\":\"", node->session))
            claim(node);
        else
            register_node(node);
        return;
    case CLAIMS:
        node->job = take_number(node->answer, "\"job\":");
        node->number = take_number(node->answer, "\"number\":");
        if (status == 200 && node->job && take_hex(node->answer, "\"token\":\"", node->token))
            send_lines(node);
        else
            claim(node);
        return;
    case SENDS:
        bench.done += status == 200;
        claim(node);
        return;
    }
}

/* Reads what has come. */
static void read_answer(struct node *node)
{
    ssize_t got = recv(node->fd, node->answer + node->length, ANSWER_MAX - node->length, 0);

    if (got <= 0)
        die("a connection ended");
    node->length += (size_t)got;
    node->answer[node->length] = '\0';
    const char *body = strstr(node->answer, "\r\n\r\n");
    if (!body)
        return;
    long long size = take_number(node->answer, "Content-Length: ");
    if (node->length >= (size_t)(body + 4 - node->answer) + (size_t)size)
        take_answer(node);
}

/* Lets the nodes work until `until` is true or the time is over. */
static void run(bool (*until)(void), double seconds)
{
    struct epoll_event events[EVENTS];
    double end_s = clock_now_s() + seconds;

    while (clock_now_s() < end_s && !(until && until())) {
        int count = epoll_wait(bench.poll, events, EVENTS, 20);
        for (int k = 0; k < count; k++)
            read_answer(events[k].data.ptr);
    }
}

static bool all_registered(void)
{
    return bench.registered == bench.count;
}

/* ---- nodes ---- */

static void start_nodes(int count)
{
    bench.nodes = calloc((size_t)count, sizeof *bench.nodes);
    bench.poll = epoll_create1(EPOLL_CLOEXEC);
    bench.count = count;
    bench.registered = 0;
    if (!bench.nodes || bench.poll < 0)
        die("start");
    for (int k = 0; k < count; k++) {
        struct node *node = &bench.nodes[k];
        struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = node}};
        int yes = 1;
        snprintf(node->name, sizeof node->name, "node-%05d", k);
        node->fd = client_connect(bench.daemon.port);
        setsockopt(node->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (epoll_ctl(bench.poll, EPOLL_CTL_ADD, node->fd, &event) != 0)
            die("epoll");
        register_node(node);
    }
    run(all_registered, 600);
    if (!all_registered())
        die("not all nodes could register");
}

static void end_nodes(void)
{
    for (int k = 0; k < bench.count; k++)
        close(bench.nodes[k].fd);
    close(bench.poll);
    free(bench.nodes);
}

/* ---- measuring ---- */

static double cpu_s(void)
{
    char path[64], text[1024] = "";
    unsigned long user = 0, system = 0;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)bench.daemon.pid);
    FILE *file = fopen(path, "re");
    if (!file || !fgets(text, sizeof text, file))
        die(path);
    fclose(file);
    const char *rest = strrchr(text, ')');
    if (!rest || sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                        &system) != 2)
        die("stat");
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Asks for shots for some time, one after the other, in a process of its own, which prints the
 * median and the 99th percentile. */
static pid_t ask_for_shots(const char *when, double seconds)
{
    static double times[SHOTS_MAX];
    pid_t pid = fork();
    int count = 0;

    if (pid != 0)
        return pid;
    for (double end_s = clock_now_s() + seconds; clock_now_s() < end_s && count < SHOTS_MAX;) {
        char body[512];
        snprintf(
            body, sizeof body,
            "{\"profile\":\"dc3\",\"player\":\"ai-simple\",\"seed\":%d,\"state\":{\"end\":0,"
            "\"shot\":0,\"hammer\":\"team1\",\"scores\":{\"team0\":[],\"team1\":[]},\"stones\":"
            "{\"team0\":[],\"team1\":[]}}}",
            count);
        double start_s = clock_now_s();
        struct reply reply = client_post(bench.daemon.port, "/v1/shots", body);
        times[count++] = clock_now_s() - start_s;
        reply_free(&reply);
    }
    qsort(times, (size_t)count, sizeof *times, compare);
    printf("  shots %-28s median %6.2f ms   p99 %6.2f ms   of %d\n", when, 1e3 * times[count / 2],
           1e3 * times[(count - 1) * 99 / 100], count);
    fflush(stdout);
    _exit(0);
}

static long long wanted;

static bool enough_done(void)
{
    return bench.done >= wanted;
}

static void add_job(int tasks)
{
    char body[160];

    snprintf(
        body, sizeof body,
        "{\"kind\":\"match\",\"spec\":{\"a\":\"random\",\"b\":\"random\",\"ends\":1,\"pairs\":%d}}",
        tasks);
    struct reply reply = client_post(bench.daemon.port, "/v1/jobs", body);
    if (reply.status != 202)
        die(reply.text);
    reply_free(&reply);
}

static void measure_tasks(int nodes, int tasks)
{
    start_nodes(nodes);
    cluster_sleep_ms(1500); /* until the leads know how many hands there are */
    add_job(tasks);
    wanted = 1;
    run(enough_done, 60);
    double start_s = clock_now_s(), start_cpu = cpu_s();
    long long before = bench.done;
    wanted = tasks - 600; /* the end is no steady state, and the daemon does some itself */
    if (wanted < tasks / 2)
        wanted = tasks / 2;
    pid_t shots = ask_for_shots("beside them", 5);
    run(enough_done, 300);
    double took_s = clock_now_s() - start_s;
    printf("%d nodes: %.0f tasks a second, each durable; %.2f cores of the daemon\n", nodes,
           (double)(bench.done - before) / took_s, (cpu_s() - start_cpu) / took_s);
    fflush(stdout);
    run(NULL, 0.1);
    kill(shots, SIGCONT);
    end_nodes();
    waitpid(shots, NULL, 0);
}

static void measure_idle(int nodes, double seconds)
{
    start_nodes(nodes);
    run(NULL, 2);
    double start_s = clock_now_s(), start_cpu = cpu_s();
    run(NULL, seconds);
    double took_s = clock_now_s() - start_s;
    printf("%d idle nodes: %.1f %% of a core, %ld kB resident\n", nodes,
           100 * (cpu_s() - start_cpu) / took_s, daemon_resident_kb(&bench.daemon));
    fflush(stdout);
    pid_t shots = ask_for_shots("beside them", seconds);
    run(NULL, seconds + 1);
    waitpid(shots, NULL, 0);
    end_nodes();
}

int main(int argc, char **argv)
{
    int nodes = 50, tasks = 5000, idle = 10000;
    double seconds = 10;
    struct rlimit files;

    for (int k = 1; k + 1 < argc; k += 2) {
        if (strcmp(argv[k], "--nodes") == 0)
            nodes = atoi(argv[k + 1]);
        else if (strcmp(argv[k], "--tasks") == 0)
            tasks = atoi(argv[k + 1]);
        else if (strcmp(argv[k], "--idle") == 0)
            idle = atoi(argv[k + 1]);
        else if (strcmp(argv[k], "--seconds") == 0)
            seconds = atof(argv[k + 1]);
    }
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    cluster_prepare(&bench.daemon);
    cluster_slow_down(&bench.daemon);
    cluster_start_daemon(&bench.daemon,
                         (const char *[]){"--workers", "1", "--check-percent", "0", "--log-level",
                                          "warning", "--connections-max", "20000", NULL});
    waitpid(ask_for_shots("alone", seconds), NULL, 0);
    if (nodes > 0)
        measure_tasks(nodes, tasks);
    if (idle > 0)
        measure_idle(idle, seconds);
    return daemon_end_well(&bench.daemon) ? 0 : 1;
}
