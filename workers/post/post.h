/* HTTP requests with a JSON body, many at a time: nothing of the answers is kept but the status. */
#ifndef RINKD_WORKERS_POST_POST_H
#define RINKD_WORKERS_POST_POST_H

#include "api/jobs/webhook.h"

#include <jansson.h>
#include <stdbool.h>

struct post;

/* NULL: no memory. */
struct post *post_new(enum webhook_addresses rule);
/* Ends the requests under way. NULL is fine. */
void post_free(struct post *post);

/* Starts a request from a line of rinkd (api/jobs/webhook.h), borrowed. False: it is not such a
 * line, or memory is short. */
bool post_begin(struct post *post, const json_t *line);

/* Waits until `fd` can be read (then true) or something has happened to a request. */
bool post_wait(struct post *post, int fd);

/* The answer to rinkd about a request that has ended, of the caller; NULL: none has ended. False in
 * *ret_good: memory is short. */
json_t *post_ended(struct post *post, bool *ret_good);

#endif
