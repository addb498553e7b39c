/* Settles disputes between nodes: does the task here, in a folder of its own, and compares (store/
 * checks.h). The one whose answer differs is suspended, and what it did in running jobs that nobody
 * has confirmed is done again. One dispute at a time; one whose worker is silent for the lease of
 * jobs, or does not end within an hour, is settled without an answer. Core thread only. */
#ifndef RINKD_SERVICE_NODES_JUDGE_H
#define RINKD_SERVICE_NODES_JUDGE_H

#include "service/base/base.h"

#include <stdbool.h>
#include <stdint.h>

struct judge;
struct supervisor;

/* `suspended` is called after the commit that has suspended a node. NULL: no memory, or no
 * data folder. */
struct judge *judge_new(const struct base *base, struct supervisor *supervisor,
                        void (*suspended)(void *context), void *context);
/* Looks whether there is a dispute, or whether its worker is late; call it once a second. */
void judge_wake(struct judge *judge);
/* Ends what runs; the dispute waits for the next start. */
void judge_stop(struct judge *judge);
bool judge_is_busy(const struct judge *judge);
void judge_free(struct judge *judge); /* NULL is fine */

#endif
