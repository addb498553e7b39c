/* Asks rinkd for a shot, with nothing but the C library:
 *
 *   cc -o shot shot.c
 *   ./shot 127.0.0.1 8080 <shot.json        (RINKCTL_TOKEN=… where it wants a token)
 *
 * Sends standard input as it is to POST /v1/shots. Writes the shot, "X Y ROTATION", as a Digital
 * Curling server wants to have it: m/s across and up the sheet, cw or ccw. When something is wrong,
 * says so on standard error and ends with 1. */
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { QUERY_BYTES = 1 << 20, ANSWER_BYTES = 4 << 20, PATIENCE_S = 120 };

static _Noreturn void die(const char *format, ...)
{
    va_list arguments;

    fputs("shot: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static int connect_to(const char *host, const char *port)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    struct addrinfo *all;
    int fd = -1, error = getaddrinfo(host, port, &hints, &all);

    if (error != 0)
        die("%s: %s", host, gai_strerror(error));
    for (struct addrinfo *one = all; one && fd < 0; one = one->ai_next) {
        fd = socket(one->ai_family, one->ai_socktype, one->ai_protocol);
        if (fd >= 0 && connect(fd, one->ai_addr, one->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(all);
    if (fd < 0)
        die("nobody answers at %s:%s", host, port);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return fd;
}

static void send_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);
        if (sent < 0)
            die("the connection broke");
        bytes += sent;
        length -= (size_t)sent;
    }
}

/* The text behind "name": in an object, up to its closing brace; it has to be there. */
static const char *member(const char *object, const char *name)
{
    char key[64];

    snprintf(key, sizeof key, "\"%s\":", name);
    const char *found = strstr(object, key);
    if (!found)
        die("an answer without %s", name);
    return found + strlen(key);
}

int main(int argc, char **argv)
{
    static char query[QUERY_BYTES + 1], head[2048], answer[ANSWER_BYTES + 1];
    const char *token = getenv("RINKCTL_TOKEN");
    size_t used = 0;
    ssize_t got;

    if (argc != 3)
        die("usage: shot HOST PORT <query.json");
    size_t length = fread(query, 1, QUERY_BYTES, stdin);
    if (!feof(stdin))
        die("a query has less than 1 MiB");

    int head_length =
        snprintf(head, sizeof head,
                 "POST /v1/shots HTTP/1.1\r\nHost: %s:%s\r\nConnection: close\r\n"
                 "Content-Type: application/json\r\nContent-Length: %zu\r\n%s%s%s\r\n",
                 argv[1], argv[2], length, token ? "Authorization: Bearer " : "",
                 token ? token : "", token ? "\r\n" : "");
    if (head_length < 0 || (size_t)head_length >= sizeof head)
        die("the name of the host or the token is too long");

    int fd = connect_to(argv[1], argv[2]);
    send_all(fd, head, (size_t)head_length);
    send_all(fd, query, length);
    while (used < ANSWER_BYTES && (got = recv(fd, answer + used, ANSWER_BYTES - used, 0)) > 0)
        used += (size_t)got;
    close(fd);
    answer[used] = '\0';

    char *body = strstr(answer, "\r\n\r\n");
    if (!body)
        die("no answer within %d s", PATIENCE_S);
    if (strncmp(answer, "HTTP/1.1 200 ", 13) != 0)
        die("%s", body + 4); /* a problem, with the field at fault */

    const char *shot = member(body, "shot"), *rotation = member(shot, "rotation");
    printf("%.9f %.9f %s\n", strtod(member(shot, "x"), NULL), strtod(member(shot, "y"), NULL),
           strncmp(rotation, "\"ccw\"", 5) == 0 ? "ccw" : "cw");
    return fflush(stdout) == 0 ? 0 : 1;
}
