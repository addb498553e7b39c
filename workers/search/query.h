/* From a shot query to the lines that answer it: find the player, let it think, write what it says.
 */
#ifndef RINKD_WORKERS_SEARCH_QUERY_H
#define RINKD_WORKERS_SEARCH_QUERY_H

#include "api/shot_json.h"
#include "workers/search/player/player.h"

#include <stdatomic.h>

/* What holds for all queries. */
struct query_host {
    /* Finds a player, as player_read() does. */
    bool (*read_player)(const char *spec, struct player *ret_player, size_t size, char *ret_error);
    const char *default_player; /* the spec of a query that names none */
    int threads;
    double report_interval_s; /* of a query that does not say; 0: no partial answers */
};

/* A query, understood or not. */
struct query {
    bool is_good;
    struct strict_id id;
    int64_t line; /* its number in the input, for error answers; 0: not one of many */

    struct shot_query asked; /* of a good one */
    struct player player;    /* … who shall answer it */
    struct noise noise;      /* … in the face of which noise */

    struct strict_errors errors; /* of a bad one */
};

enum query_reason { QUERY_NOT_STOPPED, QUERY_CANCELLED, QUERY_TIMED_OUT };

/* The way to stop a query from another thread. Starts as {0}. */
struct query_stop {
    atomic_int reason; /* enum query_reason */
    atomic_bool flag;  /* what the player looks at; follows the reason */
};

/* The first reason counts. */
void query_stop(struct query_stop *stop, enum query_reason reason);

/* Reads a query. A mistake is part of it. */
void query_read(const struct query_host *host, const char *text, size_t length,
                struct query *ret_query);
/* … from a document that is already parsed; it stays the caller's. */
void query_decode(const struct query_host *host, json_t *document, struct query *ret_query);

/* Takes a line without its end; false when it could not be written. */
typedef bool query_write(void *context, const char *line);

enum query_status {
    QUERY_ANSWERED,
    QUERY_STOPPED, /* before it began: the answer is an error */
    QUERY_BAD,     /* it has mistakes: the answer is an error */
    QUERY_FAILED   /* nobody to write to, no memory, or the player broke: see the message */
};

/* Thinks, and writes the partial answers that were asked for and then exactly one final answer (an
 * answer, or the errors), unless writing itself fails. `waited_s` is what has passed since the
 * query arrived; its timeout counts from there. Whatever stops it, the player then answers with
 * what it has. On QUERY_FAILED *ret_message says why, in a few words that live as long as the
 * program; NULL if writing failed. */
enum query_status query_answer(const struct query_host *host, struct query *query, double waited_s,
                               struct query_stop *stop, query_write *write, void *context,
                               const char **ret_message);

#endif
