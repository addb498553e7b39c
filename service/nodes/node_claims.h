/* Nodes that wait for tasks. A claim is a request that is held, without a thread, until there is a
 * task for its node, the node is told something, or its time is over. Core thread only.
 *
 *     POST …/claim ──► park ──► one pass over all that wait: a writing task of the core ──► answers
 *                                  ▲
 *     tasks are offered, released, lost; nodes are paused, resumed, drained ──► wake
 *
 * Once a second it also ends the tries of nodes that were silent for their lease, and tells the
 * supervisor how many cores nodes have. */
#ifndef RINKD_SERVICE_NODES_NODE_CLAIMS_H
#define RINKD_SERVICE_NODES_NODE_CLAIMS_H

#include "api/base/error.h"
#include "service/base/base.h"

#include <stdbool.h>

struct blob_shares;
struct http_request;
struct node_claims;
struct supervisor;

/* `shares` (blob_shares.h) must outlive it. */
struct node_claims *node_claims_start(const struct base *base, struct supervisor *supervisor,
                                      struct blob_shares *shares);
/* Answers all that wait, and all that come later, with API_DRAINING. */
void node_claims_stop(struct node_claims *claims);
/* Call it after that, when no task of the core waits; the loop then closes its timer. NULL is
 * fine. */
void node_claims_free(struct node_claims *claims);

/* For the `run` of a ROUTE_CORE: holds the request, whose body was checked: {"session","cores",
 * "wait_s","tokens"}. */
enum api_error node_claims_park(struct node_claims *claims, struct http_request *request);

/* Looks again at all that wait: there may be tasks. */
void node_claims_wake(struct node_claims *claims);
/* The same; the state of nodes has changed. */
void node_claims_wake_all(struct node_claims *claims);

/* Whether a disputed task is done here (judge.h); after node_claims_stop() it ends soon. */
bool node_claims_are_busy(const struct node_claims *claims);

/* How many wait; any thread. */
int node_claims_waiting(const struct node_claims *claims);

#endif
