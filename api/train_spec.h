/* The spec of a job of kind "train", the table of its fields. The worker gets the resolved spec, in
 * which every field is there:
 *
 *   {"algorithm","reward","profile","iterations","seeds":[…],
 *    "network":{"architecture","hidden":[…]}      lines, mlp, set
 *           or {"architecture","channels":N}      conv7, resnet
 *    "hyper":{…}                                  the numbers of the algorithm
 *    "opponents":[…], "train_opponents":[…]       the latter of dqn and ppo only
 *    "evaluate_every","evaluate_pairs","exploitability_every","exploitability_ends",
 *    "checkpoint_every","keep_checkpoints","device","threads",
 *    "from":{"run","step"}}                       only of a branch; on its way to the worker the
 *                                                 daemon adds "path" and "sha256" of the checkpoint
 *
 * Steps of everything are ends of curling (16 shots). */
#ifndef RINKD_API_TRAIN_SPEC_H
#define RINKD_API_TRAIN_SPEC_H

#include "api/job_fields.h"

extern const struct field train_fields[];

/* Sets defaults that depend on other fields and refuses what the fields of a resolved spec mean
 * together; `place` is that of the spec as it was given. */
void train_finish(const struct strict_place *place, json_t *spec);

#endif
