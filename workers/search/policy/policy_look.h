/* What a policy says of a position: the chance of each action, and of each score of the end. */
#ifndef RINKD_WORKERS_SEARCH_POLICY_POLICY_LOOK_H
#define RINKD_WORKERS_SEARCH_POLICY_POLICY_LOOK_H

#include "models/ice/action_grid.h"
#include "models/networks/policy.h"

/* Settings of players that look with a policy, as contents of rows in their tables. */
#define POLICY_TEMPERATURE_SETTING                     \
    "temperature", SETTING_NUMBER, 1, 1e-3, 1e3, NULL, \
        "divides logits or values before they become chances"
#define POLICY_MIRROR_SETTING \
    "mirror", SETTING_BOOL, 0, 0, 1, NULL, "also looks at the mirror image and takes the mean"

struct policy_look {
    float chance[ACTIONS];       /* sums to 1; 0 for actions that may not be played */
    float scores[POLICY_SCORES]; /* probabilities of the end's score for sente, -8 … 8; all 0 when
                                  * the policy has none */
};

/* Evaluates `count` positions after `thrown` stones of the end (0 … 15); `mover` throws next. The
 * chances are the softmax of the logits, or of the values, over `temperature` (> 0; near 0 only the
 * largest counts). With `mirror` they are the mean with those of the mirror image. NET_OK, what the
 * networks say, or NET_NOT_FINITE for such outputs. */
enum net_status policy_look(struct policy *policy, const struct position *positions, int count,
                            int thrown, enum seat mover, double temperature, bool mirror,
                            struct policy_look *ret_looks);

/* Only the chances of the end's scores for sente, of a policy that has them. False when the
 * networks fail. */
bool policy_expect(struct policy *policy, const struct position *position, int thrown,
                   enum seat mover, float ret_scores[POLICY_SCORES]);

/* The likeliest action, of equals the one with the lower index. */
int policy_look_best(const struct policy_look *look);

/* An action that the policy proposes. */
struct policy_proposal {
    int action;
    float chance;
};

/* The `most` likeliest actions, likeliest first, of equals the one with the lower index; only those
 * with any chance. Returns how many. */
int policy_propose(const struct policy_look *look, int most, struct policy_proposal *ret_proposals);

#endif
