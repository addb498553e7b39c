/* See accept_load.h. */
#include "tests/bench/accept_load.h"

#include "tests/bench/bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_BYTES = 4096, ANSWER_BYTES = 64 << 10, EVENTS = 64 };
/* Extra time after the end for requests still under way. */
static const double patience_s = 10.0;

struct client {
    int fd;
    bool waits;   /* request sent, answer pending */
    double due_s; /* when its request was due */
    size_t got;
    char answer[ANSWER_BYTES];
};

struct times {
    double *ms;
    size_t count, room;
};

struct course {
    const struct load *load;
    int epoll;
    struct client *clients;
    int *idle, idle_count, under_way;
    int64_t asked, bad;
    struct times good, busy;
};

static void give_up(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static void add_time(struct times *times, double ms)
{
    if (times->count == times->room) {
        times->room = times->room ? 2 * times->room : 1024;
        times->ms = realloc(times->ms, times->room * sizeof *times->ms);
        if (!times->ms)
            give_up("times");
    }
    times->ms[times->count++] = ms;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double share_ms(const struct times *times, double share)
{
    return times->count ? times->ms[(size_t)(share * (double)(times->count - 1))] : (double)NAN;
}

static void connect_client(struct course *course, struct client *client)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)course->load->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
    int yes = 1;

    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client->fd < 0 || connect(client->fd, (struct sockaddr *)&to, sizeof to) != 0 ||
        setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0 ||
        epoll_ctl(course->epoll, EPOLL_CTL_ADD, client->fd, &event) != 0)
        give_up("connect");
}

static void ask(struct course *course, struct client *client, double due_s)
{
    char request[REQUEST_BYTES];
    size_t size = course->load->write(course->asked++, sizeof request, request);

    if (send(client->fd, request, size, MSG_NOSIGNAL) != (ssize_t)size)
        give_up("send");
    client->due_s = due_s;
    client->waits = true;
    course->under_way++;
}

/* Sends all due requests for which a connection is free. */
static void ask_due(struct course *course, double begin_s, double now_s)
{
    double per_s = course->load->per_s;

    while (course->idle_count > 0 && now_s < begin_s + course->load->seconds) {
        double due_s = per_s > 0 ? begin_s + (double)course->asked / per_s : now_s;
        if (due_s > now_s)
            break;
        ask(course, &course->clients[course->idle[--course->idle_count]], due_s);
    }
}

static void take(struct course *course, struct client *client)
{
    ssize_t got = recv(client->fd, client->answer + client->got, ANSWER_BYTES - client->got, 0);
    int status = 0;

    if (got <= 0 || !client->waits) {
        errno = got == 0 ? ECONNRESET : errno;
        give_up("recv");
    }
    client->got += (size_t)got;
    if (course->load->read(client->answer, client->got, &status) == 0)
        return;
    double ms = 1e3 * (bench_clock_s(CLOCK_MONOTONIC) - client->due_s);
    if (status >= 200 && status < 300)
        add_time(&course->good, ms);
    else if (status == 503)
        add_time(&course->busy, ms);
    else
        course->bad++;
    client->got = 0;
    client->waits = false;
    course->under_way--;
    course->idle[course->idle_count++] = (int)(client - course->clients);
}

static void run(struct course *course)
{
    double begin_s = bench_clock_s(CLOCK_MONOTONIC), now_s = begin_s;
    double end_s = begin_s + course->load->seconds;

    while (now_s < end_s || (course->under_way > 0 && now_s < end_s + patience_s)) {
        struct epoll_event events[EVENTS];
        ask_due(course, begin_s, now_s);
        int count = epoll_wait(course->epoll, events, EVENTS, course->load->per_s > 0 ? 1 : 100);
        for (int k = 0; k < count; k++)
            take(course, events[k].data.ptr);
        now_s = bench_clock_s(CLOCK_MONOTONIC);
    }
    course->bad += course->under_way;
}

struct load_result load_run(const struct load *load)
{
    size_t count = (size_t)load->connections;
    struct course course = {.load = load,
                            .epoll = epoll_create1(EPOLL_CLOEXEC),
                            .clients = calloc(count, sizeof *course.clients),
                            .idle = calloc(count, sizeof *course.idle)};

    if (course.epoll < 0 || !course.clients || !course.idle)
        give_up("load");
    for (int k = 0; k < load->connections; k++) {
        connect_client(&course, &course.clients[k]);
        course.idle[course.idle_count++] = k;
    }
    run(&course);
    if (course.good.count)
        qsort(course.good.ms, course.good.count, sizeof *course.good.ms, by_size);
    if (course.busy.count)
        qsort(course.busy.ms, course.busy.count, sizeof *course.busy.ms, by_size);
    struct load_result result = {.good = (int64_t)course.good.count,
                                 .busy = (int64_t)course.busy.count,
                                 .bad = course.bad,
                                 .good_per_s = (double)course.good.count / load->seconds,
                                 .busy_per_s = (double)course.busy.count / load->seconds,
                                 .good_p50_ms = share_ms(&course.good, 0.5),
                                 .good_p99_ms = share_ms(&course.good, 0.99),
                                 .busy_p99_ms = share_ms(&course.busy, 0.99)};
    for (int k = 0; k < load->connections; k++)
        close(course.clients[k].fd);
    close(course.epoll);
    free(course.clients);
    free(course.idle);
    free(course.good.ms);
    free(course.busy.ms);
    return result;
}

size_t load_read_http(const char *text, size_t size, int *ret_status)
{
    static const char name[] = "Content-Length: ";
    const char *end = memmem(text, size, "\r\n\r\n", 4);
    const char *length = end ? memmem(text, (size_t)(end - text), name, sizeof name - 1) : NULL;

    if (!end)
        return 0;
    size_t all = (size_t)(end - text) + 4;
    all += length ? strtoul(length + sizeof name - 1, NULL, 10) : 0;
    if (size < all)
        return 0;
    *ret_status = atoi(text + sizeof "HTTP/1.1" /* and the blank behind it */);
    return all;
}

/* ---- the process ---- */

double process_cpu_s(pid_t pid)
{
    char path[32], line[1024] = "";
    unsigned long user = 0, kernel = 0;
    long child_user = 0, child_kernel = 0;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file || !fgets(line, sizeof line, file))
        give_up(path);
    fclose(file);
    const char *rest = strrchr(line, ')'); /* the end of the process name */
    if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld",
                        &user, &kernel, &child_user, &child_kernel) != 4)
        give_up(path);
    return ((double)user + (double)kernel + (double)child_user + (double)child_kernel) /
           (double)sysconf(_SC_CLK_TCK);
}

double process_resident_mb(pid_t pid)
{
    char path[32];
    long pages = 0;

    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        give_up(path);
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}
