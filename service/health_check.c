/* One request over a plain socket, or over TLS; a client library would be larger than the rest of a
 * container image. */
#include "service/health_check.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_S = 3, ANSWER_BYTES = 256, REQUEST_BYTES = 256 };

static char timed_out[CONFIG_LISTEN_MAX + 64]; /* the sentence for that case */

static void on_alarm(int number)
{
    (void)number;
    ssize_t written = write(STDERR_FILENO, timed_out, strlen(timed_out));
    (void)written;
    _exit(1);
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

/* The start of the answer over a plain socket; bytes, or -1. */
static ssize_t ask_plainly(int fd, const char *request, char answer[ANSWER_BYTES])
{
    ssize_t length = (ssize_t)strlen(request), used = 0, got = 1;

    /* A new connection takes the request in one piece. */
    if (send(fd, request, (size_t)length, MSG_NOSIGNAL) != length)
        return -1;
    while (got > 0 && used < ANSWER_BYTES - 1 && !memchr(answer, '\n', (size_t)used)) {
        got = recv(fd, answer + used, (size_t)(ANSWER_BYTES - 1 - used), 0);
        used += got > 0 ? got : 0;
    }
    return got < 0 ? -1 : used;
}

/* The same over TLS. The certificate is not checked: the check asks its own machine, by its number.
 */
static ssize_t ask_encrypted(int fd, const char *request, char answer[ANSWER_BYTES])
{
    gnutls_certificate_credentials_t credentials = NULL;
    gnutls_session_t session = NULL;
    ssize_t got = -1;
    int result = GNUTLS_E_MEMORY_ERROR;

    if (gnutls_certificate_allocate_credentials(&credentials) == GNUTLS_E_SUCCESS &&
        gnutls_init(&session, GNUTLS_CLIENT) == GNUTLS_E_SUCCESS &&
        gnutls_set_default_priority(session) == GNUTLS_E_SUCCESS &&
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials) == GNUTLS_E_SUCCESS) {
        gnutls_transport_set_int(session, fd);
        do
            result = gnutls_handshake(session);
        while (result < 0 && gnutls_error_is_fatal(result) == 0);
    }
    if (result == GNUTLS_E_SUCCESS &&
        gnutls_record_send(session, request, strlen(request)) == (ssize_t)strlen(request))
        do
            got = gnutls_record_recv(session, answer, ANSWER_BYTES - 1);
        while (got < 0 && gnutls_error_is_fatal((int)got) == 0);
    if (session)
        gnutls_deinit(session);
    if (credentials)
        gnutls_certificate_free_credentials(credentials);
    errno = got < 0 ? EPROTO : errno;
    return got;
}

/* Reads the first line of the answer, without its line end. False: errno says why; 0 means that the
 * answer was too short. Closes the socket. */
static bool ask(int fd, bool is_encrypted, const char *request, char answer[ANSWER_BYTES])
{
    errno = 0;
    ssize_t got =
        is_encrypted ? ask_encrypted(fd, request, answer) : ask_plainly(fd, request, answer);
    int error = got < 0 ? errno : 0;
    answer[got > 0 ? got : 0] = '\0';
    char *end = strstr(answer, "\r\n");
    if (end)
        *end = '\0';
    close(fd);
    errno = error;
    return end != NULL;
}

/* The first line of the answer to a GET, or the reason for a failure. */
static const char *ask_for(const struct config *config, const char *path, const char *address,
                           char answer[ANSWER_BYTES])
{
    int port = config->port;
    char where[CONFIG_LISTEN_MAX], request[REQUEST_BYTES];

    config_listen_text(address, port, where);
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
             path, where);
    *answer = '\0';
    int fd = connect_to(address, port);
    return fd >= 0 && ask(fd, config->tls_certificate[0] != '\0', request, answer) ? answer
           : errno == 0 ? "an answer without a status"
                        : strerror(errno);
}

bool health_check(const struct config *config)
{
    const char *address = strcmp(config->address, "0.0.0.0") == 0 ? "127.0.0.1"
                          : strcmp(config->address, "::") == 0    ? "::1"
                                                                  : config->address;
    char where[CONFIG_LISTEN_MAX], answer[ANSWER_BYTES];

    if (config->port == 0) {
        fputs("rinkd: not healthy: --listen with port 0 does not say where to ask\n", stderr);
        return false;
    }
    config_listen_text(address, config->port, where);
    snprintf(timed_out, sizeof timed_out, "rinkd: not healthy: %s: %s\n", where,
             strerror(ETIMEDOUT));
    signal(SIGALRM, on_alarm);
    alarm(PATIENCE_S);
    const char *found = ask_for(config, "/healthz", address, answer);
    if (strncmp(found, "HTTP/1.1 200 ", 13) == 0) {
        /* A new start would not make room, so this is no reason for one. */
        found = ask_for(config, "/readyz", address, answer);
        bool is_full = strncmp(found, "HTTP/1.1 507 ", 13) == 0;
        puts(is_full ? "healthy, but nothing can be stored: the disk is full" : "healthy");
        return true;
    }
    fprintf(stderr, "rinkd: not healthy: %s: %s\n", where, found);
    return false;
}
