/* What is answered past libmicrohttpd, on connections that end with it; and what it would answer by
 * itself: it refuses a head greater than its memory, a Content-Length that is none, chunks that are
 * none, before it shows them to us or in the middle of a request. It does so with HTML (and, in
 * 0.9.75, two heads) and has no option to change that. But it calls its own public
 * MHD_queue_response() for it, for which the dynamic linker takes that of the program: the one
 * below. Our own answers go to the library's by refuse_not(). A library that is linked in itself
 * (-Bsymbolic) would be back at HTML, and a test of ours would say so. */
#include "service/http_exchange.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

typedef enum MHD_Result queue_function(struct MHD_Connection *connection, unsigned status,
                                       struct MHD_Response *response);

static queue_function *library_queue;

bool refuse_prepare(void)
{
    void *found = dlsym(RTLD_NEXT, "MHD_queue_response");

    memcpy(&library_queue, &found, sizeof found); /* ISO C has no cast from object to function */
    return found != NULL;
}

enum MHD_Result refuse_not(struct MHD_Connection *connection, unsigned status,
                           struct MHD_Response *response)
{
    return library_queue(connection, status, response);
}

/* What the library means by its status. */
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

static void send_problem(int fd, enum api_error error, const char *id, const char *text)
{
    char head[256];
    int length = snprintf(head, sizeof head,
                          "HTTP/1.1 %d %s\r\nContent-Type: application/problem+json\r\n"
                          "Content-Length: %zu\r\nConnection: close\r\n%s%s%s\r\n",
                          api_error_status(error), api_error_slug(error), strlen(text),
                          id ? "X-Request-Id: " : "", id ? id : "", id ? "\r\n" : "");

    send(fd, head, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL | MSG_MORE);
    send(fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void send_last_words(int fd, enum api_error error)
{
    char *text = problem_text(error, NULL, NULL, NULL);

    if (text)
        send_problem(fd, error, NULL, text);
    free(text);
}

/* Called by the library only. What it returns lets the connection end. */
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
        exchange_forget_answer(x); /* one for after a body that turned out not to be one */
        http_problem(&x->request, error, detail);
        if (x->text)
            send_problem(link->fd, error, x->request.id, x->text);
    } else if (link) { /* there is not even a request line */
        send_last_words(link->fd, error);
    }
    return MHD_NO;
}
