/* A team's port and connection. See host.h. */
#include "workers/compete/host/host.h"

#include "api/base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A client that does not read for so long is lost. */
#define SEND_S 10.0
/* Two lines with trajectories fit in. */
enum { SEND_BYTES = 256 << 10, PORT_MAX = 8 };

/* ---- listening ---- */

static int listen_at(const struct addrinfo *address)
{
    const int on = 1;
    int fd = socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, 4) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

bool seat_open(struct host_seat *seat, const char *address, int port, char ret_why[HOST_WHY_MAX])
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    struct addrinfo *found;
    char text[PORT_MAX];

    *seat = (struct host_seat){.listener = -1, .fd = -1};
    snprintf(text, sizeof text, "%d", port);
    int wrong = getaddrinfo(address, text, &hints, &found);
    if (wrong != 0) {
        snprintf(ret_why, HOST_WHY_MAX, "cannot listen at %.200s: %s", address,
                 gai_strerror(wrong));
        return false;
    }
    seat->listener = listen_at(found);
    freeaddrinfo(found);
    seat->bytes = malloc(HOST_LINE_MAX);
    if (seat->listener < 0 || !seat->bytes ||
        getsockname(seat->listener, (struct sockaddr *)&bound, &size) != 0) {
        snprintf(ret_why, HOST_WHY_MAX, "cannot listen at %.200s port %d: %s", address, port,
                 strerror(errno));
        return false;
    }
    seat->port = ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                                   : ((struct sockaddr_in *)&bound)->sin_port);
    return true;
}

/* ---- a player of ours ---- */

pid_t seat_spawn(const char *const *argv, int team, char ret_why[HOST_WHY_MAX])
{
    pid_t parent = getpid(), child = fork();

    if (child == 0) {
        int out = open("/dev/null", O_RDWR);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (out < 0 || getppid() != parent || dup2(out, STDIN_FILENO) < 0 ||
            dup2(out, STDOUT_FILENO) < 0)
            _exit(127);
        execv("/proc/self/exe", (char *const *)argv);
        _exit(127);
    }
    if (child < 0)
        snprintf(ret_why, HOST_WHY_MAX, "the player of team%d cannot be started: %s", team,
                 strerror(errno));
    return child > 0 ? child : 0;
}

void seat_kill(pid_t *process)
{
    if (*process <= 0)
        return;
    kill(-*process, SIGKILL); /* if it leads a group */
    kill(*process, SIGKILL);
    waitpid(*process, NULL, 0);
    *process = 0;
}

bool seat_start(struct host_seat *seat, const struct host_setting *setting, int team,
                char ret_why[HOST_WHY_MAX])
{
    char port[PORT_MAX], threads[16], seed[24], log[PATH_MAX], wait[16];
    snprintf(port, sizeof port, "%d", seat->port);
    snprintf(threads, sizeof threads, "%d", setting->threads);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)setting->seed);
    snprintf(wait, sizeof wait, "%d", setting->wait_s);
    snprintf(log, sizeof log, "%s/team%d.jsonl", setting->folder, team);
    if (setting->program[team]) {
        const struct external_seat place = {.folder = setting->folder,
                                            .team = team,
                                            .port = seat->port,
                                            .host = "127.0.0.1",
                                            .seed = setting->seed};
        seat->player = external_start(setting->program[team], &place, ret_why);
        return seat->player > 0;
    }
    host_make_id(seat->word);
    const char *const argv[] = {
        "rink-compete", "dc3",      "127.0.0.1", port,    "--player", setting->player[team],
        "--name",       seat->word, "--threads", threads, "--seed",   seed,
        "--log",        log,        "--wait",    wait,    NULL};

    seat->player = seat_spawn(argv, team, ret_why);
    return seat->player > 0;
}

/* ---- the connection ---- */

void seat_accept(struct host_seat *seat)
{
    const int on = 1, bytes = SEND_BYTES;

    seat->fd = accept4(seat->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (seat->fd < 0)
        return;
    setsockopt(seat->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(seat->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(seat->fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

bool seat_fill(struct host_seat *seat)
{
    if (seat->read > 0) {
        memmove(seat->bytes, seat->bytes + seat->read, seat->used - seat->read);
        seat->used -= seat->read;
        seat->read = 0;
    }
    ssize_t got = recv(seat->fd, seat->bytes + seat->used, HOST_LINE_MAX - seat->used, 0);
    if (got > 0)
        seat->used += (size_t)got;
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

char *seat_line(struct host_seat *seat, bool *ret_too_long)
{
    char *line = seat->bytes + seat->read;
    size_t length = seat->used - seat->read;
    char *end = memchr(line, '\n', length);

    *ret_too_long = !end && length == HOST_LINE_MAX;
    if (!end)
        return NULL;
    *end = '\0';
    seat->read = (size_t)(end - seat->bytes) + 1;
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
    if (strlen(line) < (size_t)(end - line) - (end > line && end[-1] == '\0'))
        *line = '\0'; /* a 0 would hide what follows it; no message is empty */
    return line;
}

bool seat_say(struct host_seat *seat, const char *line)
{
    double until_s = clock_now_s() + SEND_S;
    size_t left = strlen(line);

    while (left > 0) {
        ssize_t sent = send(seat->fd, line, left, MSG_NOSIGNAL);
        struct pollfd polled = {.fd = seat->fd, .events = POLLOUT};
        if (sent > 0) {
            line += sent;
            left -= (size_t)sent;
        } else if ((errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) ||
                   clock_now_s() >= until_s) {
            return false;
        } else {
            poll(&polled, 1, 100);
        }
    }
    return true;
}

void seat_drop(struct host_seat *seat)
{
    if (seat->fd >= 0)
        close(seat->fd);
    seat->fd = -1;
    seat->used = seat->read = 0;
    seat->stage = HOST_EMPTY;
}

void seat_close(struct host_seat *seat)
{
    seat_drop(seat);
    for (int k = 0; k < 2; k++)
        json_decref(seat->said[k]);
    if (seat->listener >= 0)
        close(seat->listener);
    seat->listener = -1;
    free(seat->bytes);
    seat->bytes = NULL;
    seat_kill(&seat->player);
}
