/* The local best response: a policy that looks for what hurts a known opponent.
 *
 * At each of its shots it executes every action worth trying a few times with noise, lets the end
 * be played out by the opponent itself and by a rule for its own further shots, and takes the
 * action with the best mean. That improves on the rule at every shot without any learning (a
 * rollout policy; V. Lisy and M. Bowling, "Equilibrium approximation quality of current no-limit
 * poker bots", 2017, for the name). What it wins is a lower bound of what a best response would. */
#ifndef RINKD_WORKERS_EVALUATE_RESPONDER_H
#define RINKD_WORKERS_EVALUATE_RESPONDER_H

#include "workers/evaluate/end_game.h"

#include <stdatomic.h>

struct responder_settings {
    int candidates; /* actions tried at a shot, >= 1 */
    int samples;    /* noisy executions of each in the first round, >= 1 */
    /* >= 1; each round after the first keeps the best quarter of the actions and brings them to
     * four times the executions of the round before. */
    int rounds;
    const atomic_bool *cancel; /* looked at at every imagined shot; NULL: cannot be cancelled */
};

struct responder_settings responder_settings_default(void); /* 256 candidates, 8 samples, 1 round */

struct responder {
    struct end_policy policy; /* the first member: a pointer to it is one to the whole */
    const struct end_policy *target;
    const struct end_policy *own;
    struct responder_settings settings;
};

/* The response to `target` with `own` as the rule for its own further shots, whose choice is always
 * among the actions tried; NULL: the target's own way of playing. `own` may be another responder:
 * the deeper one is closer to the best response and slower by its cost at every shot. Both must
 * outlive the responder. */
struct responder responder_to(const struct end_policy *target, const struct end_policy *own,
                              const struct responder_settings *settings);

#endif
