/* Lines over TCP. See transport.h. */
#include "workers/compete/transport.h"

#include "api/base/clock.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A server that does not read for so long is lost. */
#define SEND_S 30.0
/* Between two tries to connect, and for one try. */
#define AGAIN_S   0.5
#define CONNECT_S 10.0
enum { ROOM = 65536 };

struct lines {
    struct transport transport;
    int fd;
    bool zero_ends;
    bool at_end;      /* the server closed its side */
    bool is_skipping; /* inside a message that is too long */
    char *bytes;
    size_t size, start, scanned, end; /* bytes not returned yet: start … end */
};

static int ms_until(double until_s)
{
    double left_s = until_s - clock_now_s();

    return left_s <= 0.0 ? 0 : left_s > 3600.0 ? 3600000 : (int)(left_s * 1000.0) + 1;
}

/* ---- reading ---- */

/* Finds the next whole message in the buffer. */
static bool take(struct lines *lines, struct heard *ret_heard)
{
    for (; lines->scanned < lines->end; lines->scanned++) {
        char byte = lines->bytes[lines->scanned];
        if (byte != '\n' && !(byte == '\0' && lines->zero_ends))
            continue;
        size_t length = lines->scanned - lines->start;
        const char *text = lines->bytes + lines->start;
        if (length > 0 && text[length - 1] == '\r')
            length--;
        *ret_heard =
            (struct heard){.text = text, .length = length, .is_too_long = lines->is_skipping};
        if (lines->is_skipping)
            ret_heard->length = 0;
        lines->is_skipping = false;
        lines->start = ++lines->scanned;
        if (ret_heard->length > 0 || ret_heard->is_too_long)
            return true;
        lines->scanned--; /* a blank line */
    }
    return false;
}

/* Makes room for more bytes; drops a message that is too long. False: out of memory. */
static bool make_room(struct lines *lines)
{
    if (lines->start > 0) {
        memmove(lines->bytes, lines->bytes + lines->start, lines->end - lines->start);
        lines->end -= lines->start;
        lines->scanned -= lines->start;
        lines->start = 0;
    }
    if (lines->end >= TRANSPORT_MESSAGE_MAX) {
        lines->is_skipping = true;
        lines->scanned = lines->end = 0;
    }
    if (lines->size - lines->end >= ROOM)
        return true;
    char *more = realloc(lines->bytes, lines->end + 2 * (size_t)ROOM);
    if (!more)
        return false;
    lines->bytes = more;
    lines->size = lines->end + 2 * (size_t)ROOM;
    return true;
}

/* Reads what is there. False when the connection has ended, with the reason in `why`. */
static bool fill(struct lines *lines)
{
    if (!make_room(lines)) {
        snprintf(lines->transport.why, TALK_WHY_MAX, "out of memory");
        return false;
    }
    ssize_t got =
        recv(lines->fd, lines->bytes + lines->end, lines->size - lines->end, MSG_DONTWAIT);
    if (got > 0) {
        lines->end += (size_t)got;
        return true;
    }
    if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
        return true;
    bool is_cut = lines->end > lines->start;
    snprintf(lines->transport.why, TALK_WHY_MAX, "the server closed the connection%s%s%s",
             is_cut ? " in the middle of a message" : "", got < 0 ? ": " : "",
             got < 0 ? strerror(errno) : "");
    return false;
}

static enum transport_event wait_lines(struct transport *transport, int fd, double until_s,
                                       struct heard *ret_heard)
{
    struct lines *lines = (struct lines *)transport;

    while (!take(lines, ret_heard)) {
        struct pollfd polled[2] = {{.fd = lines->at_end ? -1 : lines->fd, .events = POLLIN},
                                   {.fd = fd, .events = POLLIN}};
        if (lines->at_end)
            return TRANSPORT_CLOSED;
        if (poll(polled, 2, ms_until(until_s)) < 0)
            return TRANSPORT_QUIET;
        if (polled[0].revents)
            lines->at_end = !fill(lines);
        else if (polled[1].revents)
            return TRANSPORT_READY;
        else if (clock_now_s() >= until_s)
            return TRANSPORT_QUIET;
    }
    return TRANSPORT_HEARD;
}

/* ---- writing ---- */

static bool send_all(struct lines *lines, const char *bytes, size_t length)
{
    double until_s = clock_now_s() + SEND_S;

    while (length > 0) {
        ssize_t sent = send(lines->fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            bytes += sent;
            length -= (size_t)sent;
            continue;
        }
        struct pollfd polled = {.fd = lines->fd, .events = POLLOUT};
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
            snprintf(lines->transport.why, TALK_WHY_MAX, "the connection broke: %s",
                     strerror(errno));
            return false;
        }
        if (clock_now_s() >= until_s) {
            snprintf(lines->transport.why, TALK_WHY_MAX, "the server does not read");
            return false;
        }
        poll(&polled, 1, ms_until(until_s));
    }
    return true;
}

/* A message goes out in one piece: there are servers that read no further than it reaches. */
static bool say_line(struct transport *transport, const struct saying *saying)
{
    struct lines *lines = (struct lines *)transport;
    size_t length = strlen(saying->text);
    char *bytes = malloc(length + 1);

    if (!bytes) {
        snprintf(transport->why, TALK_WHY_MAX, "out of memory");
        return false;
    }
    memcpy(bytes, saying->text, length);
    bytes[length] = lines->zero_ends ? '\0' : '\n';
    bool good = send_all(lines, bytes, length + 1);
    free(bytes);
    return good;
}

static void free_lines(struct transport *transport)
{
    struct lines *lines = (struct lines *)transport;

    if (lines->fd >= 0)
        close(lines->fd);
    free(lines->bytes);
    free(lines);
}

/* ---- connecting ---- */

/* One try with one address; -1 with errno. */
static int connect_one(const struct addrinfo *address)
{
    const int on = 1;
    int fd = socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int error = 0;
    socklen_t size = sizeof error;

    if (fd < 0)
        return -1;
    if (connect(fd, address->ai_addr, address->ai_addrlen) != 0 && errno != EINPROGRESS)
        error = errno;
    struct pollfd polled = {.fd = fd, .events = POLLOUT};
    if (error == 0 && poll(&polled, 1, (int)(CONNECT_S * 1000.0)) <= 0)
        error = ETIMEDOUT;
    if (error == 0)
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
        close(fd);
        errno = error;
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    return fd;
}

/* Tries all addresses until one answers or the time is over. */
static int connect_to(const char *host, const char *port, double until_s, const atomic_bool *cancel,
                      char ret_why[TALK_WHY_MAX])
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *all;
    int fd = -1;

    for (;;) {
        int wrong = getaddrinfo(host, port, &hints, &all);
        if (wrong != 0) {
            snprintf(ret_why, TALK_WHY_MAX, "%s port %s: %s", host, port, gai_strerror(wrong));
        } else {
            for (struct addrinfo *one = all; one && fd < 0; one = one->ai_next)
                fd = connect_one(one);
            if (fd < 0)
                snprintf(ret_why, TALK_WHY_MAX, "%s port %s: %s", host, port, strerror(errno));
            freeaddrinfo(all);
        }
        if (fd >= 0 || clock_now_s() >= until_s || atomic_load(cancel))
            return fd;
        poll(NULL, 0, (int)(AGAIN_S * 1000.0));
    }
}

struct transport *line_transport(const char *host, const char *port, bool zero_ends, double until_s,
                                 const atomic_bool *cancel, char ret_why[TALK_WHY_MAX])
{
    struct lines *lines = calloc(1, sizeof *lines);

    if (!lines) {
        snprintf(ret_why, TALK_WHY_MAX, "out of memory");
        return NULL;
    }
    lines->transport = (struct transport){wait_lines, say_line, free_lines, ""};
    lines->zero_ends = zero_ends;
    lines->fd = connect_to(host, port, until_s, cancel, ret_why);
    if (lines->fd >= 0)
        return &lines->transport;
    free(lines);
    return NULL;
}
