/* What brings the words of a server and takes ours: a connection of lines, HTTP, or a journal. */
#ifndef RINKD_WORKERS_COMPETE_TRANSPORT_H
#define RINKD_WORKERS_COMPETE_TRANSPORT_H

#include "workers/compete/talk.h"

enum transport_event {
    TRANSPORT_HEARD, /* a message */
    TRANSPORT_READY, /* the other descriptor is readable */
    TRANSPORT_QUIET, /* neither until the given time, or a signal came */
    TRANSPORT_LOST,  /* the connection broke and is made again: `why` */
    TRANSPORT_CLOSED /* nothing more will come: `why` */
};

struct transport {
    /* Waits for a message, for `fd` (-1: none), or until `until_s` (clock_now_s()). The message
     * lives until the next call. */
    enum transport_event (*wait)(struct transport *transport, int fd, double until_s,
                                 struct heard *ret_heard);
    /* Says something; false if that is impossible: `why`. Borrows the saying. */
    bool (*say)(struct transport *transport, const struct saying *saying);
    void (*free)(struct transport *transport);
    char why[TALK_WHY_MAX];
};

/* A message has at most this many bytes; the longest of the official servers has 40,000. */
enum { TRANSPORT_MESSAGE_MAX = 4 << 20 };

/* A TCP connection whose messages end in a newline, or with `zero_ends` in a 0 byte. Tries to
 * connect until `until_s` or until *cancel. NULL, with a sentence in ret_why. */
struct transport *line_transport(const char *host, const char *port, bool zero_ends, double until_s,
                                 const atomic_bool *cancel, char ret_why[TALK_WHY_MAX]);

enum { WEB_PER_MINUTE = 28 }; /* servers admit 30 */

struct web_setting {
    const char *url;             /* http://HOST:PORT or https://HOST, without a path */
    const char *user, *password; /* NULL: none */
    double again_s;              /* wait this long before a lost stream is opened again */
    int losses_max;              /* without a state between them, then it is closed */
    int per_minute;              /* requests of a kind, at most WEB_PER_MINUTE; 0: any number */
};

/* Requests and a stream of events over HTTP. NULL, with a sentence in ret_why. */
struct transport *web_transport(const struct web_setting *setting, char ret_why[TALK_WHY_MAX]);

#endif
