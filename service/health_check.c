/* One request over a plain socket, as a client library would be larger than the rest of a container
 * image. */
#include "service/health_check.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 3000, ANSWER_BYTES = 256, REQUEST_BYTES = 256 };

static bool complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool complain(const char *format, ...)
{
    va_list arguments;

    fputs("rinkd: not healthy: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}

static long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* False: not before the deadline; errno says why. */
static bool wait_for(int fd, short events, long deadline_ms)
{
    struct pollfd poll_fd = {.fd = fd, .events = events};
    long left_ms = deadline_ms - now_ms();
    int count = left_ms > 0 ? poll(&poll_fd, 1, (int)left_ms) : 0;

    if (count == 0)
        errno = ETIMEDOUT;
    return count > 0;
}

/* Returns the socket; -1, and errno says why. */
static int connect_to(const char *address, int port, long deadline_ms)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    char service[16];
    int error = 0;
    socklen_t size = sizeof error;

    snprintf(service, sizeof service, "%d", port);
    if (getaddrinfo(address, service, &hints, &found) != 0) {
        errno = EADDRNOTAVAIL;
        return -1;
    }
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) != 0) {
        error = errno;
        if (error == EINPROGRESS && (!wait_for(fd, POLLOUT, deadline_ms) ||
                                     getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0))
            error = errno;
    }
    freeaddrinfo(found);
    if (error != 0) {
        close(fd);
        fd = -1;
        errno = error;
    }
    return fd;
}

/* Reads the first line of the answer, without its end. False: errno says why, 0 means that the
 * answer was too short. */
static bool ask(int fd, const char *request, long deadline_ms, char answer[ANSWER_BYTES])
{
    size_t length = strlen(request), used = 0;
    char *end = NULL;

    /* A new connection takes this in one piece. */
    if (send(fd, request, length, MSG_NOSIGNAL) != (ssize_t)length)
        return false;
    while (!end && used < ANSWER_BYTES - 1) {
        if (!wait_for(fd, POLLIN, deadline_ms))
            return false;
        ssize_t got = recv(fd, answer + used, ANSWER_BYTES - 1 - used, 0);
        if (got < 0)
            return false;
        if (got == 0)
            break;
        used += (size_t)got;
        answer[used] = '\0';
        end = strstr(answer, "\r\n");
    }
    errno = 0;
    if (end)
        *end = '\0';
    return end != NULL;
}

bool health_check(const struct config *config)
{
    const char *address = strcmp(config->address, "0.0.0.0") == 0 ? "127.0.0.1"
                          : strcmp(config->address, "::") == 0    ? "::1"
                                                                  : config->address;
    bool v6 = strchr(address, ':') != NULL;
    char where[96], request[REQUEST_BYTES], answer[ANSWER_BYTES] = "";
    long deadline_ms = now_ms() + PATIENCE_MS;

    if (config->port == 0)
        return complain("--listen with port 0 does not say where to ask");
    snprintf(where, sizeof where, "%s%s%s:%d", v6 ? "[" : "", address, v6 ? "]" : "", config->port);
    snprintf(request, sizeof request,
             "GET /healthz HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", where);

    int fd = connect_to(address, config->port, deadline_ms);
    if (fd < 0)
        return complain("%s: %s", where, strerror(errno));
    bool answered = ask(fd, request, deadline_ms, answer);
    int error = errno;
    close(fd);
    if (!answered)
        return complain("%s: %s", where, error ? strerror(error) : "an answer without a status");
    if (strncmp(answer, "HTTP/1.1 200 ", 13) != 0)
        return complain("%s: %s", where, answer);
    puts("healthy");
    return true;
}
