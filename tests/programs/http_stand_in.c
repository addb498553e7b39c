/* One thread, one connection at a time. */
#include "tests/programs/http_stand_in.h"

#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static void require(int condition, const char *what)
{
    if (!condition) {
        perror(what);
        abort();
    }
}

/* Returns the bytes of the whole request according to its head; 0: the head is incomplete. */
static size_t size_of_request(const char *text)
{
    const char *end = strstr(text, "\r\n\r\n"), *length = strcasestr(text, "\r\nContent-Length:");

    if (!end)
        return 0;
    size_t size = (size_t)(end - text) + 4;
    return length && length < end ? size + strtoul(length + 17, NULL, 10) : size;
}

static void read_request(int connection, char request[STAND_IN_REQUEST_BYTES])
{
    size_t used = 0, size = 0;

    do {
        ssize_t got = read(connection, request + used, STAND_IN_REQUEST_BYTES - 1 - used);
        require(got > 0, "read of a request");
        used += (size_t)got;
        request[used] = '\0';
        size = size_of_request(request);
    } while (size == 0 || used < size);
}

static void *serve(void *context)
{
    struct http_stand_in *stand_in = context;

    for (const char *const *answer = stand_in->answers; *answer; answer++) {
        int connection = accept(stand_in->socket, NULL, NULL);
        require(connection >= 0 && stand_in->count < STAND_IN_REQUESTS_MAX, "accept");
        read_request(connection, stand_in->requests[stand_in->count++]);
        /* Short answers go byte by byte, so that the test covers every cut. */
        size_t length = strlen(*answer);
        for (size_t at = 0, part = length < 2000 ? 1 : length; at < length; at += part)
            if (send(connection, *answer + at, part, MSG_NOSIGNAL) < 0)
                break; /* the client has closed its side */
        shutdown(connection, SHUT_WR);
        close(connection);
    }
    close(stand_in->socket);
    return NULL;
}

void stand_in_listen(struct http_stand_in *stand_in)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    memset(stand_in, 0, sizeof *stand_in);
    stand_in->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    require(stand_in->socket >= 0 &&
                bind(stand_in->socket, (struct sockaddr *)&address, sizeof address) == 0 &&
                listen(stand_in->socket, 16) == 0 &&
                getsockname(stand_in->socket, (struct sockaddr *)&address, &size) == 0,
            "listen");
    stand_in->port = ntohs(address.sin_port);
}

bool stand_in_was_called(struct http_stand_in *stand_in)
{
    struct pollfd queue = {.fd = stand_in->socket, .events = POLLIN};
    bool was_called = poll(&queue, 1, 0) != 0;

    close(stand_in->socket);
    return was_called;
}

void stand_in_start(struct http_stand_in *stand_in, const char *const *answers)
{
    stand_in_listen(stand_in);
    stand_in->answers = answers;
    require(pthread_create(&stand_in->thread, NULL, serve, stand_in) == 0, "pthread_create");
}

void stand_in_end(struct http_stand_in *stand_in)
{
    require(pthread_join(stand_in->thread, NULL) == 0, "pthread_join");
}
