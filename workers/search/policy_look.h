/* What a policy makes of a position: how likely it plays each action, and how it thinks that the
 * end turns out. */
#ifndef RINKD_WORKERS_SEARCH_POLICY_LOOK_H
#define RINKD_WORKERS_SEARCH_POLICY_LOOK_H

#include "models/ice/action_grid.h"
#include "models/networks/policy.h"

struct policy_look {
    float chance[ACTIONS];       /* sums to 1; 0 for actions that may not be played */
    float scores[POLICY_SCORES]; /* probabilities of the end's score for sente, -8 … 8; all 0 when
                                  * the policy has none */
};

/* Looks at `count` positions after `thrown` stones of the end (0 … 15), in which `mover` throws
 * next. The chances are the softmax of the logits, or of the values, over `temperature` (> 0; near
 * 0 all is on the largest). With `mirror` the mean of that and of the mirror image's. NET_OK,
 * what the networks say, or NET_FAILED for outputs that are not finite. */
enum net_status policy_look(struct policy *policy, const struct position *positions, int count,
                            int thrown, enum seat mover, double temperature, bool mirror,
                            struct policy_look *ret_looks);

/* The likeliest action, of equals the one with the lower index. */
int policy_look_best(const struct policy_look *look);

#endif
