/* One request over a plain socket; a client library would be larger than the rest of a container
 * image. */
#include "service/health_check.h"

#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { PATIENCE_S = 3, ANSWER_BYTES = 256, REQUEST_BYTES = 256 };

static void on_alarm(int number)
{
    (void)number;
}

/* Makes blocking calls fail with EINTR once the time is up. The signal repeats, as the first one
 * may come between two calls. */
static void limit_time(void)
{
    const struct sigaction action = {.sa_handler = on_alarm};
    const struct itimerval time = {.it_value = {.tv_sec = PATIENCE_S},
                                   .it_interval = {.tv_usec = 100000}};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &time, NULL);
}

/* Returns a socket; -1, and errno says why. */
static int connect_to(const char *address, int port)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    char service[16];

    snprintf(service, sizeof service, "%d", port);
    if (getaddrinfo(address, service, &hints, &found) != 0) {
        errno = EADDRNOTAVAIL;
        return -1;
    }
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) != 0) {
        int error = errno;
        close(fd);
        fd = -1;
        errno = error;
    }
    freeaddrinfo(found);
    return fd;
}

/* Reads the first line of the answer, without its line end. False: errno says why; 0 means that the
 * answer was too short. */
static bool ask(int fd, const char *request, char answer[ANSWER_BYTES])
{
    size_t length = strlen(request), used = 0;
    char *end = NULL;

    /* a new connection takes the request in one piece */
    if (send(fd, request, length, MSG_NOSIGNAL) != (ssize_t)length)
        return false;
    while (!end && used < ANSWER_BYTES - 1) {
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

/* Explains a failed call by errno. */
static const char *reason(void)
{
    return errno == 0       ? "an answer without a status"
           : errno == EINTR ? strerror(ETIMEDOUT)
                            : strerror(errno);
}

bool health_check(const struct config *config)
{
    const char *address = strcmp(config->address, "0.0.0.0") == 0 ? "127.0.0.1"
                          : strcmp(config->address, "::") == 0    ? "::1"
                                                                  : config->address;
    char where[CONFIG_LISTEN_MAX], request[REQUEST_BYTES], answer[ANSWER_BYTES] = "";

    if (config->port == 0) {
        fputs("rinkd: not healthy: --listen with port 0 does not say where to ask\n", stderr);
        return false;
    }
    config_listen_text(address, config->port, where);
    snprintf(request, sizeof request,
             "GET /healthz HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", where);
    limit_time();
    int fd = connect_to(address, config->port);
    const char *found = fd >= 0 && ask(fd, request, answer) ? answer : reason();
    if (fd >= 0)
        close(fd);
    if (strncmp(found, "HTTP/1.1 200 ", 13) == 0) {
        puts("healthy");
        return true;
    }
    fprintf(stderr, "rinkd: not healthy: %s: %s\n", where, found);
    return false;
}
