/* The library: positions that people keep, with a title, tags and notes; puzzles among them. */
#ifndef RINKD_SERVICE_STORE_LIBRARY_H
#define RINKD_SERVICE_STORE_LIBRARY_H

#include "service/store/jobs.h"
#include "service/store/store.h"

enum { LIBRARY_MAX = 100000 }; /* positions */

struct library_new {
    const char *title, *note;
    const char *tags;            /* a JSON array of texts */
    const char *profile;         /* of the position, as in a shot query, with … */
    const char *state, *setting; /* … these, JSON objects */
    const char *best;            /* JSON of the best known shot; NULL: none */
    const char *owner;           /* name of the caller's token; "": none */
    double cost;                 /* win probability that the played shot gave away; NAN: unknown */
    int64_t review, number;      /* the review job and its shot; review 0: of no review */
    bool is_puzzle;
};
/* Adds a position. API_STATE: there are LIBRARY_MAX. API_EXISTS: the shot of the review is there
 * already. */
enum api_error library_store_add(struct store *store, const struct library_new *position,
                                 int64_t now_ms, int64_t *ret_id);

/* {"id","title","note","tags":[…],"puzzle","profile","state","setting","best":{…}|null,
 *  "cost":.1|null,"review":7|null,"number":3|null,"owner":"ann"|null,"created_at"} */
enum api_error library_store_get(struct store *store, int64_t id, json_t **ret_position);

/* What a list has: all of it where a text is NULL and a number 0. */
struct library_filter {
    const char *tag;
    int64_t review;
    bool puzzles;      /* only these */
    const char *owner; /* whose; NULL: anybody's */
};
/* A page of such objects, newest first. */
enum api_error library_store_list(struct store *store, const struct library_filter *filter,
                                  struct store_page *page);

/* Changes what is not NULL; puzzle: -1 leaves it. */
enum api_error library_store_change(struct store *store, int64_t id, const char *title,
                                    const char *note, const char *tags, int puzzle);

/* The caller that added a position, "" without token. */
enum api_error library_store_owner(struct store *store, int64_t id, char ret_owner[JOB_OWNER_MAX]);

enum api_error library_store_delete(struct store *store, int64_t id);

#endif
