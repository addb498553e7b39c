/* One thread, one connection at a time: rink-post has two under way at most for each webhook, and
 * the second one waits. */
#include "tests/api/receiver.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { REQUEST_BYTES = 16384 };

static void require(bool condition, const char *what)
{
    if (!condition) {
        perror(what);
        abort();
    }
}

/* The value of a header, "" if it is not there. */
static void read_header(const char *request, const char *name, size_t size, char *ret_value)
{
    const char *at = strcasestr(request, name), *body = strstr(request, "\r\n\r\n");

    ret_value[0] = '\0';
    if (at && at < body)
        snprintf(ret_value, size, "%.*s", (int)strcspn(at + strlen(name), "\r\n"),
                 at + strlen(name));
}

/* Reads a request; false: the client closed the connection before its end. */
static bool read_request(int connection, char request[REQUEST_BYTES])
{
    size_t used = 0, size = SIZE_MAX;

    while (used < size) {
        ssize_t got = read(connection, request + used, REQUEST_BYTES - 1 - used);
        if (got <= 0)
            return false;
        used += (size_t)got;
        request[used] = '\0';
        const char *end = strstr(request, "\r\n\r\n");
        char length[32];
        if (end) {
            read_header(request, "\r\nContent-Length: ", sizeof length, length);
            size = (size_t)(end - request) + 4 + strtoul(length, NULL, 10);
        }
    }
    return true;
}

static void keep(struct receiver *receiver, const char *request)
{
    char id[64], signature[96], timestamp[32];
    const char *body = strstr(request, "\r\n\r\n") + 4;
    struct received *message = NULL;

    read_header(request, "\r\nwebhook-id: ", sizeof id, id);
    read_header(request, "\r\nwebhook-signature: ", sizeof signature, signature);
    read_header(request, "\r\nwebhook-timestamp: ", sizeof timestamp, timestamp);
    pthread_mutex_lock(&receiver->lock);
    for (int k = 0; k < receiver->count && !message; k++)
        if (strcmp(receiver->messages[k].id, id) == 0)
            message = &receiver->messages[k];
    if (!message) {
        if (receiver->count == receiver->capacity) {
            receiver->capacity = 2 * receiver->capacity + 64;
            receiver->messages = realloc(receiver->messages,
                                         (size_t)receiver->capacity * sizeof *receiver->messages);
            require(receiver->messages != NULL, "realloc");
        }
        message = &receiver->messages[receiver->count++];
        *message = (struct received){.body = strdup(body)};
        strcpy(message->id, id);
    }
    require(strcmp(message->body, body) == 0, "a repeated message has another body");
    strcpy(message->signature, signature);
    message->timestamp_s = strtoll(timestamp, NULL, 10);
    message->count++;
    pthread_mutex_unlock(&receiver->lock);
}

static void *serve(void *context)
{
    struct receiver *receiver = context;
    char request[REQUEST_BYTES];

    for (int connection; (connection = accept(receiver->socket, NULL, NULL)) >= 0;) {
        /* A client that says nothing must not keep the others waiting. */
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = 10},
                   sizeof(struct timeval));
        if (read_request(connection, request)) {
            int status = atomic_load(&receiver->status);
            keep(receiver, request);
            atomic_fetch_add(&receiver->requests, 1);
            if (status != 0)
                dprintf(connection,
                        "HTTP/1.1 %d X\r\nContent-Length: 0\r\nConnection: close\r\n%s\r\n", status,
                        receiver->head ? receiver->head : "");
        }
        close(connection);
    }
    return NULL;
}

void receiver_start(struct receiver *receiver)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    *receiver = (struct receiver){.status = 200};
    pthread_mutex_init(&receiver->lock, NULL);
    receiver->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    require(receiver->socket >= 0 &&
                bind(receiver->socket, (struct sockaddr *)&address, sizeof address) == 0 &&
                listen(receiver->socket, 64) == 0 &&
                getsockname(receiver->socket, (struct sockaddr *)&address, &size) == 0,
            "listen");
    receiver->port = ntohs(address.sin_port);
    require(pthread_create(&receiver->thread, NULL, serve, receiver) == 0, "pthread_create");
}

void receiver_end(struct receiver *receiver)
{
    shutdown(receiver->socket, SHUT_RDWR); /* accept() returns */
    pthread_join(receiver->thread, NULL);
    close(receiver->socket);
    for (int k = 0; k < receiver->count; k++)
        free(receiver->messages[k].body);
    free(receiver->messages);
    pthread_mutex_destroy(&receiver->lock);
}

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

void receiver_wait_requests(struct receiver *receiver, int requests)
{
    while (atomic_load(&receiver->requests) < requests)
        wait_a_little();
}

void receiver_wait_messages(struct receiver *receiver, int messages)
{
    for (int count = 0; count < messages; wait_a_little()) {
        pthread_mutex_lock(&receiver->lock);
        count = receiver->count;
        pthread_mutex_unlock(&receiver->lock);
    }
}
