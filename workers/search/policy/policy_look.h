/* The view of a policy on a position: the probability of each action, and of each score of the
 * end. */
#ifndef RINKD_WORKERS_SEARCH_POLICY_POLICY_LOOK_H
#define RINKD_WORKERS_SEARCH_POLICY_POLICY_LOOK_H

#include "models/ice/action_grid.h"
#include "models/networks/policy.h"

/* Settings of players that use a policy, as contents of rows in their tables. */
#define POLICY_TEMPERATURE_SETTING                     \
    "temperature", SETTING_NUMBER, 1, 1e-3, 1e3, NULL, \
        "divides logits or values before they become probabilities"
#define POLICY_MIRROR_SETTING(initial) \
    "mirror", SETTING_BOOL, initial, 0, 1, NULL, "also looks at the mirror image and takes the mean"

struct policy_look {
    float chance[ACTIONS];       /* sums to 1; 0 for actions that may not be played */
    float scores[POLICY_SCORES]; /* probabilities of the end's score for sente, -8 … 8; all 0 if the
                                    policy does not predict them */
};

/* Evaluates `count` positions after `thrown` stones of the end (0 … 15); `mover` throws next. The
 * action probabilities are the softmax of the logits, or of the values, over `temperature` (> 0;
 * near 0 only the largest counts). With `mirror` they are averaged with those of the mirror image.
 * Returns NET_OK, the error of the network, or NET_NOT_FINITE for outputs that are not finite. */
enum net_status policy_look(struct policy *policy, const struct position *positions, int count,
                            int thrown, enum seat mover, double temperature, bool mirror,
                            struct policy_look *ret_looks);

/* Computes only the probabilities of the end's scores for sente, by a policy that predicts them.
 * False when the network fails. */
bool policy_expect(struct policy *policy, const struct position *position, int thrown,
                   enum seat mover, float ret_scores[POLICY_SCORES]);

/* Returns the likeliest action; of equals the one with the lower index. */
int policy_look_best(const struct policy_look *look);

/* An action that the policy proposes. */
struct policy_proposal {
    int action;
    float chance;
};

/* Writes the `most` likeliest actions, likeliest first, of equals the lower index first; leaves out
 * actions of probability 0. Returns how many. */
int policy_propose(const struct policy_look *look, int most, struct policy_proposal *ret_proposals);

#endif
