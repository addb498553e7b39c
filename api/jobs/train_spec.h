/* The fields of the spec of a "train" job. The worker gets the resolved spec, in which every field
 * is present:
 *
 *   {"algorithm","reward","profile","iterations","seeds":[…],
 *    "network":{"architecture","hidden":[…]}      lines, mlp, set
 *           or {"architecture","channels":N}      conv7, resnet
 *    "hyper":{…}                                  the algorithm's numbers
 *    "opponents":[…], "train_opponents":[…]       the latter for dqn and ppo only
 *    "evaluate_every","evaluate_pairs","evaluate_luck","evaluate_luck_by","exploitability_every","exploitability_ends",
 *    "checkpoint_every","keep_checkpoints","device","threads",
 *    "from":{"run","step"}}                       only for a branch; the daemon adds "path" and
 *                                                 "sha256" of the checkpoint for the worker
 *
 * All steps and intervals count ends of curling (16 shots).
 *
 * The algorithm "evolve" trains for hold'em. It has neither "reward", "profile", "network",
 * "train_opponents", "evaluate_…", "exploitability_…" nor "device"; its "rule_opponents" are
 * numbers of rule players, and its steps generations. "value" fits values, which play no matches:
 * it has neither "reward", "network", "opponents", "train_opponents", "evaluate_…",
 * "exploitability_…" nor "device", and its steps are stages. */
#ifndef RINKD_API_JOBS_TRAIN_SPEC_H
#define RINKD_API_JOBS_TRAIN_SPEC_H

#include "api/fields/job_fields.h"

extern const struct field train_fields[];

/* Refuses a resolved spec whose fields contradict each other; `place` is the spec as the client
 * sent it. */
void train_finish(const struct strict_place *place, json_t *spec);

#endif
