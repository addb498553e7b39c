/* HTTP for the host of Digital Curling 4: requests with a small body, and streams of server-sent
 * events. One thread: nothing happens but in web_host_step(). */
#ifndef RINKD_WORKERS_COMPETE_HOST_HOST_WEB_H
#define RINKD_WORKERS_COMPETE_HOST_HOST_WEB_H

#include <stdbool.h>
#include <stddef.h>

enum { HOST_BODY_MAX = 64 << 10, HOST_USER_MAX = 64, HOST_WEB_WHY_MAX = 320 };

struct web_host;
struct web_stream;

/* A whole request; texts live as long as the call. */
struct web_asked {
    const char *method, *path;
    const char *user, *password; /* of Basic authentication; NULL: none */
    const char *body;            /* 0-terminated */
    size_t length;
    void *connection; /* for web_asked_query() */
};

/* A parameter behind the ?; NULL: absent. */
const char *web_asked_query(const struct web_asked *asked, const char *name);

struct web_told {
    int status;
    char *body;                /* malloc'ed JSON */
    struct web_stream *stream; /* opened instead of a body; NULL: none */
};

typedef void web_answer(void *context, const struct web_asked *asked, struct web_told *ret_told);

/* Listens at an address and a port (0: any). NULL, with a sentence. */
struct web_host *web_host_open(const char *address, int port, web_answer *answer, void *context,
                               char ret_why[HOST_WEB_WHY_MAX]);
int web_host_port(const struct web_host *web);
/* Serves what there is to serve, waiting for it at most so long. */
void web_host_step(struct web_host *web, int wait_ms);
void web_host_close(struct web_host *web);

/* A stream for an answer; `owner` is any number. NULL: out of memory. */
struct web_stream *web_stream_open(struct web_host *web, int owner);
/* Sends a text to one stream, or to all of an owner. */
void web_stream_say(struct web_stream *stream, const char *text);
void web_host_say(struct web_host *web, int owner, const char *text);
/* Ends all streams once they have sent what they have. */
void web_host_end_streams(struct web_host *web);
/* Streams of an owner that are open; one whose client is gone is noticed at the next text. */
int web_host_streams(const struct web_host *web, int owner);

#endif
