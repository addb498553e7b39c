/* Answers that bypass libmicrohttpd, on connections that end with them.
 *
 * The library refuses some requests by itself: a head larger than its memory, a bad Content-Length,
 * bad chunks. It answers with HTML (in 0.9.75 with two heads), and no option changes that. But it
 * calls its own public MHD_queue_response(), and the dynamic linker prefers the program's function
 * of that name, which is below. Our own answers reach the library's through refuse_not(). A library
 * linked with -Bsymbolic would send HTML again, and a test would fail. */
#include "service/http/http_exchange.h"

#include "service/base/log.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { FIELDS_BYTES = 1024 };

typedef enum MHD_Result queue_function(struct MHD_Connection *connection, unsigned status,
                                       struct MHD_Response *response);

static queue_function *library_queue;

bool refuse_prepare(void)
{
    void *found = dlsym(RTLD_NEXT, "MHD_queue_response");

    memcpy(&library_queue, &found, sizeof found); /* ISO C cannot cast object to function */
    return found != NULL;
}

enum MHD_Result refuse_not(struct MHD_Connection *connection, unsigned status,
                           struct MHD_Response *response)
{
    return library_queue(connection, status, response);
}

/* The error that the library means by a status. */
static enum api_error refusal(unsigned status, const char **ret_detail)
{
    *ret_detail = NULL;
    switch (status) {
    case MHD_HTTP_URI_TOO_LONG:
    case MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE:
        return API_HEADERS;
    case MHD_HTTP_CONTENT_TOO_LARGE:
        return API_TOO_LARGE;
    case MHD_HTTP_BAD_REQUEST:
        *ret_detail = "this is not HTTP/1.1: see request line, Host, Content-Length and chunks";
        return API_BAD_PARAMETER;
    case MHD_HTTP_HTTP_VERSION_NOT_SUPPORTED:
        *ret_detail = "this speaks HTTP/1.1";
        return API_BAD_PARAMETER;
    default:
        return API_INTERNAL;
    }
}

/* `fields`: more lines of the head. */
static void send_problem(const struct connection *link, int status, const char *fields,
                         const void *text, size_t size)
{
    char head[FIELDS_BYTES + 256];
    int length = snprintf(head, sizeof head,
                          "HTTP/1.1 %d %s\r\nContent-Length: %zu\r\nConnection: close\r\n%s\r\n",
                          status, MHD_get_reason_phrase_for((unsigned)status), size, fields);

    if (link->is_encrypted) /* the library has the only key, so there are no words */
        return;
    send(link->fd, head, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL | MSG_MORE);
    send(link->fd, text, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void send_last_words(const struct connection *link, enum api_error error)
{
    char id[HTTP_ID_MAX], fields[FIELDS_BYTES];

    exchange_random_id(id);
    snprintf(fields, sizeof fields,
             "X-Request-Id: %s\r\nContent-Type: application/problem+json\r\n", id);
    char *text = problem_text(error, NULL, id, NULL);
    if (text)
        send_problem(link, api_error_status(error), fields, text, strlen(text));
    free(text);
    log_line(LOG_INFO, "refused", log_text("id", id), log_whole("status", api_error_status(error)),
             log_text("why", "no request came"));
}

void exchange_send_last_words(const struct exchange *x)
{
    char fields[FIELDS_BYTES];
    int used = snprintf(fields, sizeof fields, "X-Request-Id: %s\r\n", x->request.id);
    const char *name;
    json_t *value;

    if (!x->link || !x->content)
        return;
    json_object_foreach(x->headers, name, value)
    {
        int left = (int)sizeof fields - used;
        int length =
            snprintf(fields + used, (size_t)left, "%s: %s\r\n", name, json_string_value(value));
        if (length < left)
            used += length;
        else
            fields[used] = '\0'; /* leave this header out */
    }
    send_problem(x->link, x->status, fields, x->content, (size_t)x->bytes);
}

/* Called by the library only. The result makes it close the connection. */
enum MHD_Result MHD_queue_response(struct MHD_Connection *connection, unsigned status,
                                   struct MHD_Response *html)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    const struct connection *link = info ? info->socket_context : NULL;
    const char *detail;
    enum api_error error = refusal(status, &detail);

    (void)html;
    if (link && link->x) {
        struct exchange *x = link->x;
        if (!*x->request.id)
            exchange_name(x);
        exchange_forget_answer(x); /* the answer was ready, but the body is malformed */
        http_problem(&x->request, error, detail);
        exchange_send_last_words(x);
    } else if (link) { /* there is no request line */
        send_last_words(link, error);
    }
    return MHD_NO;
}
