/* Answers shot queries: finds the player, runs it, writes its answers. Maps and calls, which ask
 * what shots are worth, go to the judge of the player (query_map.c). */
#ifndef RINKD_WORKERS_SEARCH_QUERY_H
#define RINKD_WORKERS_SEARCH_QUERY_H

#include "api/curling/shot_json.h"
#include "workers/search/player/player.h"

#include <stdatomic.h>

/* Settings for all queries. */
struct query_host {
    /* Finds a player, as player_read() does. */
    bool (*read_player)(const char *spec, struct player *ret_player, size_t size, char *ret_error);
    const char *default_player; /* the spec of a query that names none */
    int threads;
    double report_interval_s; /* default of a query; 0: no partial answers */
};

/* A query, valid or not. */
struct query {
    bool is_good;
    struct strict_id id;
    int64_t line; /* its number in the input, for error answers; 0: there is only one query */

    struct shot_query asked;             /* if is_good: the query */
    struct player player;                /* … its player */
    struct noise noise;                  /* … and the noise of the hands */
    struct noise hands[POSITION_STONES]; /* if asked.has_hands: by shot of the end */
    bool has_seen;                       /* … and whether it has a history: */
    int seen_count;
    struct style_throw seen[OPPONENT_THROWS_MAX];

    struct shot calls[CALLS_MAX]; /* … and the calls as shots, if it asks about calls */

    struct strict_errors errors; /* otherwise: its mistakes */
};

/* Reads a query; stores its mistakes in it. */
void query_read(const struct query_host *host, const char *text, size_t length,
                struct query *ret_query);
/* The same for a parsed document, which the caller keeps. */
void query_decode(const struct query_host *host, json_t *document, struct query *ret_query);

/* Writes a line, given without its newline. False when writing fails. */
typedef bool query_write(void *context, const char *line);

enum query_status {
    QUERY_ANSWERED,
    QUERY_STOPPED,    /* stopped before it began: the answer is an error */
    QUERY_BAD,        /* it has mistakes: the answer is an error */
    QUERY_UNANSWERED, /* the player failed: the answer is an error; another player may work */
    QUERY_FAILED      /* writing failed, or memory was short */
};

/* Runs the player and writes the requested partial answers, then exactly one final line (an answer
 * or errors), unless writing fails. `waited_s` is the time since the query arrived, where its
 * timeout starts. A player that is stopped, by `cancel` or by the timeout, answers with its best
 * shot so far. On QUERY_UNANSWERED and QUERY_FAILED *ret_message is a constant that says why, or
 * NULL if writing failed.
 */
enum query_status query_answer(const struct query_host *host, struct query *query, double waited_s,
                               atomic_bool *cancel, query_write *write, void *context,
                               const char **ret_message);

/* --- query_answer.c --- */

/* Returns the answer to a good query that waited for `waited_s` before its turn. `stopped`:
 * "cancel", "timeout" or "full" (its memory of throws is full); NULL: the player used its limits.
 * The caller owns it; NULL: out of memory.
 */
json_t *query_answer_json(const struct query *query, const struct player_answer *said,
                          bool is_final, const char *stopped, double waited_s);

enum { QUERY_PATH_MAX = 64 };

/* Computes the path of the delivered stone without noise: at most QUERY_PATH_MAX points at even
 * intervals of time, then its end. Returns how many. */
int query_path(const struct query *query, struct shot shot, struct vec2 *ret_path);

/* --- query_map.c --- */

/* Turns the calls of a query into shots; stores mistakes in it. */
void query_choose_calls(struct query *query);

/* Answers a map or calls. Gives each answer to `write_answer`, which owns it (NULL: memory is
 * short), partial ones only if asked.report is not NULL. */
enum player_status query_map_answer(const struct query *query, const struct player_query *asked,
                                    double waited_s,
                                    void (*write_answer)(void *context, json_t *answer),
                                    void *context);

#endif
