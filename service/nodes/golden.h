/* Golden numbers: what the worker programs compute from fixed inputs (`rink-evaluate golden`,
 * `rink-learn golden`). Weights and results depend on them, so a node whose numbers differ gets no
 * task of a kind that depends on these. Those of the daemon's own programs are found once, when the
 * first node registers. Core thread only. */
#ifndef RINKD_SERVICE_NODES_GOLDEN_H
#define RINKD_SERVICE_NODES_GOLDEN_H

#include "api/base/error.h"

#include <jansson.h>
#include <stdbool.h>

struct base;
struct golden;
struct http_request;

struct golden *golden_new(const struct base *base); /* NULL: no memory */
void golden_free(struct golden *golden);            /* NULL is fine */

/* Whether the numbers are known. API_BUSY: not yet; the programs run, and the request, of a
 * ROUTE_WRITE, is postponed until they have ended. API_NO_WORKER: one of them cannot be run or has
 * failed a moment ago, and the log says which. */
enum api_error golden_ready(struct golden *golden, struct http_request *request);

/* Kinds of jobs with tasks that a node with these numbers may do, out of `wanted` (an array of
 * names; NULL: all), and [{"kind","reason"}] of those that it may not. Both are the caller's; NULL:
 * no memory. */
bool golden_compare(const struct golden *golden, const json_t *numbers, const json_t *wanted,
                    json_t **ret_kinds, json_t **ret_refused);

/* Ends the programs that run. */
void golden_stop(struct golden *golden);
bool golden_is_busy(const struct golden *golden);

#endif
