/* HTTP by libmicrohttpd, polled from outside. See host_web.h. */
#include "workers/compete/host/host_web.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A request, or a stream that does not take what it is sent, for so long is given up. */
enum { IDLE_S = 30, CONNECTIONS_MAX = 256, BLOCK_BYTES = 4096 };

struct web_stream {
    struct web_stream *next;
    struct web_host *web;
    struct MHD_Connection *connection; /* NULL: not answered yet */
    int owner;
    bool is_asleep, is_ended;
    char *bytes; /* not sent yet */
    size_t length;
};

struct web_host {
    struct MHD_Daemon *daemon;
    int poll_fd, port;
    web_answer *answer;
    void *context;
    struct web_stream *streams;
    bool has_woken; /* a stream, of which the library's descriptor does not tell */
};

/* A request that is read. */
struct reading {
    char *body;
    size_t length;
    bool is_too_long;
};

/* ---- streams ---- */

static void wake(struct web_stream *stream)
{
    if (!stream->is_asleep)
        return;
    stream->is_asleep = false;
    stream->web->has_woken = true;
    MHD_resume_connection(stream->connection);
}

static ssize_t read_stream(void *context, uint64_t position, char *buffer, size_t size)
{
    struct web_stream *stream = context;
    size_t part = stream->length < size ? stream->length : size;

    (void)position;
    if (part > 0) {
        memcpy(buffer, stream->bytes, part);
        stream->length -= part;
        memmove(stream->bytes, stream->bytes + part, stream->length);
        return (ssize_t)part;
    }
    if (stream->is_ended)
        return MHD_CONTENT_READER_END_OF_STREAM;
    stream->is_asleep = true;
    MHD_suspend_connection(stream->connection);
    return 0;
}

static void free_stream(void *context)
{
    struct web_stream *stream = context;
    struct web_stream **place = &stream->web->streams;

    while (*place != stream)
        place = &(*place)->next;
    *place = stream->next;
    free(stream->bytes);
    free(stream);
}

struct web_stream *web_stream_open(struct web_host *web, int owner)
{
    struct web_stream *stream = calloc(1, sizeof *stream);

    if (!stream)
        return NULL;
    *stream = (struct web_stream){.next = web->streams, .web = web, .owner = owner};
    web->streams = stream;
    return stream;
}

void web_stream_say(struct web_stream *stream, const char *text)
{
    size_t more = strlen(text);
    char *bytes = realloc(stream->bytes, stream->length + more + 1);

    if (!bytes) {
        stream->is_ended = true; /* its client comes back and is told all */
    } else {
        memcpy(bytes + stream->length, text, more);
        stream->bytes = bytes;
        stream->length += more;
    }
    wake(stream);
}

void web_host_say(struct web_host *web, int owner, const char *text)
{
    for (struct web_stream *stream = web->streams; stream; stream = stream->next)
        if (stream->owner == owner)
            web_stream_say(stream, text);
}

void web_host_end_streams(struct web_host *web)
{
    for (struct web_stream *stream = web->streams; stream; stream = stream->next) {
        stream->is_ended = true;
        wake(stream);
    }
}

int web_host_streams(const struct web_host *web, int owner)
{
    int count = 0;

    for (const struct web_stream *stream = web->streams; stream; stream = stream->next)
        count += stream->owner == owner && !stream->is_ended;
    return count;
}

/* ---- requests ---- */

const char *web_asked_query(const struct web_asked *asked, const char *name)
{
    return MHD_lookup_connection_value(asked->connection, MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result send_told(struct MHD_Connection *connection, struct web_told *told)
{
    struct MHD_Response *response;

    if (told->stream) {
        told->stream->connection = connection;
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_stream,
                                                     told->stream, free_stream);
        if (!response)
            free_stream(told->stream);
        free(told->body);
    } else {
        response = MHD_create_response_from_buffer(told->body ? strlen(told->body) : 0, told->body,
                                                   MHD_RESPMEM_MUST_FREE);
        if (!response)
            free(told->body);
    }
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
                            told->stream ? "text/event-stream" : "application/json");
    if (told->stream)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    if (told->status == MHD_HTTP_UNAUTHORIZED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Basic");
    enum MHD_Result result = MHD_queue_response(connection, (unsigned)told->status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result take_body(struct reading *reading, const char *bytes, size_t *size)
{
    size_t more = *size;

    *size = 0;
    if (reading->is_too_long || reading->length + more > HOST_BODY_MAX) {
        reading->is_too_long = true;
        return MHD_YES;
    }
    char *body = realloc(reading->body, reading->length + more + 1);
    if (!body)
        return MHD_NO;
    memcpy(body + reading->length, bytes, more);
    reading->body = body;
    reading->length += more;
    body[reading->length] = '\0';
    return MHD_YES;
}

static enum MHD_Result serve(void *context, struct MHD_Connection *connection, const char *url,
                             const char *method, const char *version, const char *upload,
                             size_t *upload_size, void **request_context)
{
    struct web_host *web = context;
    struct reading *reading = *request_context;
    struct web_told told = {.status = MHD_HTTP_CONTENT_TOO_LARGE};

    (void)version;
    if (!reading) {
        *request_context = calloc(1, sizeof *reading);
        return *request_context ? MHD_YES : MHD_NO;
    }
    if (*upload_size > 0)
        return take_body(reading, upload, upload_size);
    if (reading->is_too_long) {
        told.body = strdup("{\"detail\":\"The body is too long.\"}");
        return send_told(connection, &told);
    }
    char *password = NULL;
    char *user = MHD_basic_auth_get_username_password(connection, &password);
    const struct web_asked asked = {.method = method,
                                    .path = url,
                                    .user = user,
                                    .password = password,
                                    .body = reading->body ? reading->body : "",
                                    .length = reading->length,
                                    .connection = connection};
    told.status = MHD_HTTP_INTERNAL_SERVER_ERROR;
    web->answer(web->context, &asked, &told);
    MHD_free(user);
    MHD_free(password);
    return send_told(connection, &told);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **request_context,
                         enum MHD_RequestTerminationCode code)
{
    struct reading *reading = *request_context;

    (void)context, (void)connection, (void)code;
    if (!reading)
        return;
    free(reading->body);
    free(reading);
    *request_context = NULL;
}

/* ---- the server ---- */

/* A socket that listens; -1, with a sentence. */
static int listen_at(const char *address, int port, char ret_why[HOST_WEB_WHY_MAX])
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found;
    const int on = 1;
    char text[16];

    snprintf(text, sizeof text, "%d", port);
    int wrong = getaddrinfo(address, text, &hints, &found);
    if (wrong != 0) {
        snprintf(ret_why, HOST_WEB_WHY_MAX, "cannot listen at %.200s: %s", address,
                 gai_strerror(wrong));
        return -1;
    }
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool good = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, 64) == 0;
    if (!good)
        snprintf(ret_why, HOST_WEB_WHY_MAX, "cannot listen at %.200s port %d: %s", address, port,
                 strerror(errno));
    freeaddrinfo(found);
    if (!good && fd >= 0)
        close(fd);
    return good ? fd : -1;
}

static int port_of(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } bound;
    socklen_t size = sizeof bound;

    if (getsockname(fd, &bound.any, &size) != 0)
        return 0;
    return ntohs(bound.any.sa_family == AF_INET6 ? bound.v6.sin6_port : bound.v4.sin_port);
}

struct web_host *web_host_open(const char *address, int port, web_answer *answer, void *context,
                               char ret_why[HOST_WEB_WHY_MAX])
{
    struct web_host *web = calloc(1, sizeof *web);
    int fd = web ? listen_at(address, port, ret_why) : -1;

    if (fd < 0) {
        if (!web)
            snprintf(ret_why, HOST_WEB_WHY_MAX, "out of memory");
        free(web);
        return NULL;
    }
    *web = (struct web_host){.answer = answer, .context = context, .port = port_of(fd)};
    web->daemon =
        MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, serve, web,
                         MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
                         (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
                         MHD_OPTION_NOTIFY_COMPLETED, on_completed, web, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        web->daemon ? MHD_get_daemon_info(web->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
    if (!info) {
        snprintf(ret_why, HOST_WEB_WHY_MAX, "the HTTP server cannot be started");
        if (web->daemon)
            MHD_stop_daemon(web->daemon);
        else
            close(fd);
        free(web);
        return NULL;
    }
    web->poll_fd = info->epoll_fd;
    return web;
}

int web_host_port(const struct web_host *web)
{
    return web->port;
}

void web_host_step(struct web_host *web, int wait_ms)
{
    MHD_UNSIGNED_LONG_LONG soon_ms;
    struct pollfd polled = {.fd = web->poll_fd, .events = POLLIN};

    if (MHD_get_timeout(web->daemon, &soon_ms) == MHD_YES && soon_ms < (unsigned)wait_ms)
        wait_ms = (int)soon_ms;
    if (poll(&polled, 1, web->has_woken ? 0 : wait_ms) > 0 || !web->has_woken)
        MHD_run(web->daemon);
    /* What the requests woke is sent at once. */
    for (int k = 0; web->has_woken && k < 2; k++) {
        web->has_woken = k == 0;
        MHD_run(web->daemon);
    }
}

void web_host_close(struct web_host *web)
{
    if (!web)
        return;
    web_host_end_streams(web);
    MHD_stop_daemon(web->daemon);
    free(web);
}
