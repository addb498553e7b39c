/* Judges the policies of a run: they are written as files, and the first one plays its likeliest
 * actions as the player `policy`. The learner does not change, and the same policy gets the same
 * numbers: judging has a seed of its own.
 *
 * Curves (in percent, points of an end, shares of throws):
 *   win_rate/OPPONENT            matches of 2 ends in pairs; win_rate_low/…, win_rate_high/… are
 *                                the ends of the 95 % interval
 *   exploitability/SEAT, …/sum   points that the best of a family of responders wins; _low, _high
 *   tendency/SEAT/KIND           its throws in games against itself: draw, guard, freeze, hit,
 *                                raise, other */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAIN_JUDGE_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAIN_JUDGE_H

#include "workers/learn/training/train_file.h"
#include "workers/learn/training/train_game.h"

#include <stdatomic.h>

/* Borrows all of it. */
struct train_judge {
    const struct train_plan *plan;
    const struct train_game *game; /* of curling */
    const char *folder, *run;      /* where policies are written, and whose they are */
    atomic_bool *stop;             /* ends matches: TRAIN_STOPPED */
};

struct train_policy_file {
    const char *policy; /* of the algorithm */
    char name[TRAIN_NAME_MAX], sha256[TRAIN_SHA256_MAX];
};

/* Writes each policy as RUN-POLICY-STEP.safetensors; ret_count of them. TRAIN_DIVERGED: a weight is
 * infinite or not a number. */
enum train_status train_judge_keep(const struct train_judge *judge, const struct learner *learner,
                                   int64_t step,
                                   struct train_policy_file ret_files[LEARNER_POLICIES_MAX],
                                   int *ret_count, char ret_error[TRAIN_ERROR_MAX]);

/* Matches and tendencies, or exploitability, of the learner's first policy. The object
 * {name: number} is the caller's. */
enum train_status train_judge_evaluate(const struct train_judge *judge,
                                       const struct learner *learner, json_t **ret_points,
                                       char ret_error[TRAIN_ERROR_MAX]);
enum train_status train_judge_measure(const struct train_judge *judge,
                                      const struct learner *learner, json_t **ret_points,
                                      char ret_error[TRAIN_ERROR_MAX]);

#endif
