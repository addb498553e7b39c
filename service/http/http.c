/* The HTTP server: threads of libmicrohttpd, exchanges from first to last byte. http_connections.c
 * has the connections and their clock, http_dispatch.c handles the requests. */
#include "service/http/http_exchange.h"

#include "api/base/clock.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/log.h"
#include "service/base/metrics.h"
#include "service/http/http_tls.h"

#include <arpa/inet.h>
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    THREADS_LEAST = 2,
    THREADS_MOST =
        4, /* they only parse and read; the core thread and the workers need the other processors */
    BACKLOG = 1024,
    STOP_PATIENCE_MS = 2000 /* time limit for answers still being sent */
};

/* ---- exchanges ---- */

/* Called when the request line has arrived. Returns the exchange, which is the context of all later
 * calls. */
static void *on_request_line(void *context, const char *uri, struct MHD_Connection *connection)
{
    struct http *http = context;
    size_t path_length = strcspn(uri, "?"), length = strlen(uri);
    struct exchange *x = calloc(1, sizeof *x + path_length + 1 + length + 1);

    if (!x)
        return NULL;
    memcpy(x->storage, uri, path_length);
    memcpy(x->storage + path_length + 1, uri, length + 1);
    x->path = x->storage;
    x->http = http;
    x->connection = connection;
    x->link =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    if (x->link)
        x->link->x = x;
    x->body.file = -1;
    x->request.server = http->server;
    x->request.caller = "anonymous";
    x->request.now_ms = core_now_ms(http->base->core);
    x->request.arrived_s = clock_now_s();
    atomic_fetch_add(&http->active, 1);
    return x;
}

/* Replaces the answer to a GET if the client does not accept its type. */
static void check_type(struct exchange *x)
{
    const char *type = exchange_answer_header(x, MHD_HTTP_HEADER_CONTENT_TYPE);

    if (!type || x->status != MHD_HTTP_OK || exchange_accepts(x, type))
        return;
    char detail[128];
    snprintf(detail, sizeof detail, "this is %s", type);
    exchange_forget_answer(x);
    http_problem(&x->request, API_NOT_ACCEPTABLE, detail);
}

enum MHD_Result exchange_send(struct exchange *x)
{
    assert(x->response && x->answers == 1 && x->phase != EXCHANGE_DONE);
    if (x->request.route && x->request.route->place == ROUTE_READ)
        check_type(x);
    if (x->response != x->http->no_memory) {
        const char *name;
        json_t *value;
        exchange_compress(x);
        json_object_foreach(x->headers, name, value)
            MHD_add_response_header(x->response, name, json_string_value(value));
        MHD_add_response_header(x->response, "X-Request-Id", x->request.id);
        MHD_add_response_header(x->response, "X-Content-Type-Options", "nosniff");
    }
    body_free(&x->body); /* an upload is deleted before its answer is sent */
    x->phase = EXCHANGE_DONE;
    if (x->is_stream)
        atomic_fetch_sub(&x->http->active, 1);
    return refuse_not(x->connection, (unsigned)x->status, x->response);
}

static enum MHD_Result take_head(struct exchange *x, const char *method, const char *version)
{
    snprintf(x->method, sizeof x->method, "%s", method);
    x->phase = EXCHANGE_BODY;
    connection_enter(x, CONNECTION_BODY);
    exchange_take_head(x, version);
    if (!x->response)
        return MHD_YES;
    /* The request is refused. A client that waits for "100 Continue" before it sends a body, or
     * that has a huge body, gets the answer now; the body of an ambiguous head is not read. Other
     * bodies are read first, as a client that is still sending may not listen. */
    const char *length = http_header(&x->request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    if (x->is_last || http_header(&x->request, MHD_HTTP_HEADER_EXPECT) ||
        (length && strtoull(length, NULL, 10) > HTTP_DISCARD_MAX))
        return exchange_send(x);
    return MHD_YES;
}

static enum MHD_Result take_body(struct exchange *x, const char *bytes, size_t size)
{
    connection_count_bytes(x, size);
    if (x->response) {
        x->body.bytes += (int64_t)size;
    } else {
        enum api_error error = body_add(&x->body, bytes, size);
        if (error != API_OK)
            http_problem(&x->request, error,
                         error == API_BAD_JSON ? "this route takes no body" : NULL);
    }
    if (!x->response || x->body.bytes <= HTTP_DISCARD_MAX + (int64_t)HTTP_BODY_MAX)
        return MHD_YES;
    /* A chunked body without end: libmicrohttpd takes no answer in the middle of it. The client
     * gets the first error. */
    if (!x->content) { /* an answer without a body is no error */
        exchange_forget_answer(x);
        http_problem(&x->request, API_TOO_LARGE, NULL);
    }
    exchange_send_last_words(x);
    return MHD_NO;
}

static enum MHD_Result serve(void *context, struct MHD_Connection *connection, const char *url,
                             const char *method, const char *version, const char *bytes,
                             size_t *size, void **request_context)
{
    struct http *http = context;
    struct exchange *x = *request_context;

    (void)url; /* the exchange has the raw target */
    if (!x)
        return refuse_not(connection, (unsigned)api_error_status(API_NO_MEMORY), http->no_memory);
    switch (x->phase) {
    case EXCHANGE_HEAD:
        return take_head(x, method, version);
    case EXCHANGE_BODY:
        if (*size > 0) {
            size_t taken = *size;
            *size = 0;
            return take_body(x, bytes, taken);
        }
        connection_enter(x, CONNECTION_ANSWER);
        if (!x->response && !exchange_take_request(x))
            return MHD_YES;
        return x->wait ? exchange_wait(x) : exchange_send(x);
    case EXCHANGE_AWAY: /* resumed */
        return x->wait ? exchange_wait(x) : exchange_send(x);
    default:
        return MHD_YES;
    }
}

static void log_request(const struct exchange *x, bool sent, double seconds)
{
    struct metrics *metrics = x->http->base->metrics;
    int status = x->response ? x->status : 0; /* 0: the client left before the answer */

    if (status >= 200 && status < 600)
        metrics_count(metrics, METRIC_REQUESTS_2XX + (unsigned)status / 100 - 2, 1);
    if (status && !x->is_stream)
        metrics_observe(metrics, METRIC_REQUEST_S, seconds);
    log_line(LOG_INFO, "request", log_text("id", x->request.id), log_text("method", x->method),
             log_text("path", x->path), log_whole("status", status), log_real("ms", seconds * 1e3),
             log_whole("bytes", x->bytes), log_text("caller", x->request.caller),
             log_text("cut_off", sent ? NULL : "true"));
}

static void on_completed(void *context, struct MHD_Connection *connection, void **request_context,
                         enum MHD_RequestTerminationCode code)
{
    struct exchange *x = *request_context;

    (void)context;
    (void)connection;
    if (!x)
        return;
    *request_context = NULL;
    if (x->link)
        x->link->x = NULL;
    log_request(x, code == MHD_REQUEST_TERMINATED_COMPLETED_OK,
                clock_now_s() - x->request.arrived_s);
    connection_enter(x, CONNECTION_HEAD);
    if (!(x->is_stream && x->phase == EXCHANGE_DONE))
        atomic_fetch_sub(&x->http->active, 1);
    exchange_end_wait(x);
    exchange_forget_answer(x);
    body_free(&x->body);
    json_decref(x->request.body);
    if (x->request.state && x->request.state_free)
        x->request.state_free(x->request.state);
    else
        free(x->request.state);
    free(x);
}

/* ---- the server ---- */

/* Returns a listening socket, or -1 after writing ret_error. libmicrohttpd's own option would set
 * SO_REUSEPORT as well, and two daemons could share a port. */
static int listen_on(const char *address, int port, int *ret_port, char ret_error[STORE_ERROR_MAX])
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    bool is_v6 = inet_pton(AF_INET6, address, &v6.sin6_addr) == 1;
    const struct sockaddr *name = is_v6 ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4;
    socklen_t size = is_v6 ? sizeof v6 : sizeof v4;
    int yes = 1;

    if (!is_v6 && inet_pton(AF_INET, address, &v4.sin_addr) != 1) {
        snprintf(ret_error, STORE_ERROR_MAX, "listen: %s is not an address", address);
        return -1;
    }
    int fd = socket(name->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(fd, name, size) != 0 || listen(fd, BACKLOG) != 0) {
        snprintf(ret_error, STORE_ERROR_MAX, "cannot listen on %s port %d: %s", address, port,
                 strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    getsockname(fd, is_v6 ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4, &size);
    *ret_port = ntohs(is_v6 ? v6.sin6_port : v4.sin_port);
    return fd;
}

bool http_check(const struct config *config, char ret_error[STORE_ERROR_MAX])
{
    int port, fd = listen_on(config->address, config->port, &port, ret_error);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Removes uploads that an earlier daemon did not finish; http_body.c names them. */
static void remove_old_uploads(const char *folder)
{
    DIR *all = opendir(folder);
    const struct dirent *entry;

    while (all && (entry = readdir(all)) != NULL)
        if (fnmatch(BODY_FILE_PREFIX "??????", entry->d_name, 0) == 0)
            unlinkat(dirfd(all), entry->d_name, 0);
    if (all)
        closedir(all);
}

static void log_library(void *context, const char *format, va_list arguments)
{
    char text[512];

    (void)context;
    vsnprintf(text, sizeof text, format, arguments);
    text[strcspn(text, "\n")] = '\0';
    log_line(LOG_DEBUG, "libmicrohttpd", log_text("text", text));
}

static void close_reader(void *store)
{
    store_close(store);
}

static unsigned thread_count(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return processors < THREADS_LEAST  ? THREADS_LEAST
           : processors > THREADS_MOST ? THREADS_MOST
                                       : (unsigned)processors;
}

/* Without TLS the list of its options ends at once. */
static bool has_tls(const struct http *http)
{
    return http->base->config->tls_certificate[0] != '\0';
}

static struct MHD_Daemon *start_daemon(struct http *http, int fd)
{
    const struct MHD_OptionItem tls[] = {
        {has_tls(http) ? MHD_OPTION_HTTPS_CERT_CALLBACK : MHD_OPTION_END, 0,
         (void *)(uintptr_t)tls_retrieve},
        {MHD_OPTION_END, 0, NULL}};
    unsigned limit = (unsigned)(http->connections_max + HTTP_SPARE_CONNECTIONS);
    unsigned threads = thread_count();

    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_ERROR_LOG |
            (has_tls(http) ? MHD_USE_TLS : 0u),
        0, NULL, NULL, serve, http, MHD_OPTION_EXTERNAL_LOGGER, log_library, NULL,
        MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_THREAD_POOL_SIZE, threads,
        MHD_OPTION_CONNECTION_LIMIT, limit, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)HTTP_IDLE_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_POOL_BYTES, MHD_OPTION_URI_LOG_CALLBACK,
        on_request_line, http, MHD_OPTION_NOTIFY_COMPLETED, on_completed, http,
        MHD_OPTION_NOTIFY_CONNECTION, connection_notify, http, MHD_OPTION_ARRAY, tls,
        MHD_OPTION_END);
}

static bool make_no_memory(struct http *http)
{
    char *text = problem_text(API_NO_MEMORY, NULL, NULL, NULL);

    http->no_memory =
        text ? MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE) : NULL;
    if (!http->no_memory) {
        free(text);
        return false;
    }
    MHD_add_response_header(http->no_memory, MHD_HTTP_HEADER_CONTENT_TYPE,
                            "application/problem+json");
    MHD_add_response_header(http->no_memory, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    return true;
}

/* Opens the epoll set and eventfd that the clock thread waits on. */
static bool open_clock(struct http *http)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = NULL}};

    http->hang_ups = epoll_create1(EPOLL_CLOEXEC);
    http->bell = eventfd(0, EFD_CLOEXEC);
    return http->hang_ups >= 0 && http->bell >= 0 &&
           epoll_ctl(http->hang_ups, EPOLL_CTL_ADD, http->bell, &event) == 0;
}

static void free_http(struct http *http)
{
    if (http->no_memory)
        MHD_destroy_response(http->no_memory);
    if (http->hang_ups >= 0)
        close(http->hang_ups);
    if (http->bell >= 0)
        close(http->bell);
    tss_delete(http->reader);
    pthread_rwlock_destroy(&http->running);
    pthread_mutex_destroy(&http->lock);
    free(http);
}

/* Starts to listen, with the threads. On failure writes a sentence to ret_error. */
static bool start_threads(struct http *http, int *ret_port, char ret_error[STORE_ERROR_MAX])
{
    const struct config *config = http->base->config;
    if (has_tls(http) && !tls_load(config->tls_certificate, config->tls_key, ret_error))
        return false;
    int fd = listen_on(config->address, config->port, ret_port, ret_error);

    if (fd < 0)
        return false;
    remove_old_uploads(config->data);
    http->daemon = start_daemon(http, fd);
    if (!http->daemon) {
        snprintf(ret_error, STORE_ERROR_MAX, "libmicrohttpd cannot start");
        close(fd);
        return false;
    }
    if (pthread_create(&http->clock, NULL, connections_watch, http) != 0) {
        snprintf(ret_error, STORE_ERROR_MAX, "cannot create a thread");
        MHD_stop_daemon(http->daemon);
        return false;
    }
    return true;
}

enum api_error http_start(const struct base *base, const struct route *routes,
                          struct server *server, struct http **ret_http, int *ret_port,
                          char ret_error[STORE_ERROR_MAX])
{
    struct http *http = calloc(1, sizeof *http);

    snprintf(ret_error, STORE_ERROR_MAX, "out of memory");
    if (!http || sodium_init() < 0 || tss_create(&http->reader, close_reader) != thrd_success) {
        free(http);
        return API_NO_MEMORY;
    }
    http->base = base;
    http->routes = routes;
    http->server = server;
    http->hang_ups = http->bell = -1;
    pthread_rwlock_init(&http->running, NULL);
    pthread_mutex_init(&http->lock, NULL);
    http->connections_max = connections_limit(base->config->connections_max);
    bool good = make_no_memory(http) && open_clock(http);
    if (good && !refuse_prepare()) {
        snprintf(ret_error, STORE_ERROR_MAX, "libmicrohttpd is not a shared library");
        good = false;
    }
    if (!good || !start_threads(http, ret_port, ret_error)) {
        free_http(http);
        return API_INTERNAL;
    }
    *ret_http = http;
    return API_OK;
}

bool http_take_certificate(const struct config *config)
{
    char why[TLS_WHY_MAX];

    if (!config->tls_certificate[0] || tls_load(config->tls_certificate, config->tls_key, why))
        return true;
    log_line(LOG_ERROR, "the certificate stays as it was", log_text("why", why));
    return false;
}

void http_drain(struct http *http)
{
    atomic_store(&http->draining, true);
}

void http_close(struct http *http)
{
    atomic_store(&http->closed, true); /* turns new readers back, so the lock gets free */
    pthread_rwlock_wrlock(&http->running);
    pthread_rwlock_unlock(&http->running);
}

void http_stop(struct http *http)
{
    if (!http)
        return;
    atomic_store(&http->stopping, true);
    eventfd_write(http->bell, 1);
    pthread_join(http->clock, NULL);
    sleepers_wake(http, true);
    /* New requests still arrive and are answered 503 (http_close()). MHD_quiesce_daemon() would
     * keep them away, but in 0.9.75 both it and a thread may remove the socket from an epoll set,
     * and the second removal aborts the program. */
    for (int k = 0; k < STOP_PATIENCE_MS && atomic_load(&http->active) > 0; k++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    MHD_stop_daemon(http->daemon); /* closes the socket, too */
    free_http(http);
}
