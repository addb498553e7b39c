/* Judges the policies of a run: writes them as files and lets the first one play its likeliest
 * actions as the player `policy`. The learner does not change. Judging has its own fixed seed, so
 * the same policy gets the same numbers.
 *
 * Curves (win rates in percent, exploitability in points an end, tendencies as shares of throws):
 *   pair_score/OPPONENT          pairs won by the first ends of both games, scores added up: the
 *                                test of the papers on digital curling; the bounds of the 95 %
 *                                interval are pair_score_low/…, pair_score_high/…, and so on
 *   win_rate/OPPONENT            matches of 2 ends in pairs
 *   win_rate_adjusted/OPPONENT   the same games without the luck of the hands (luck.h), if the plan
 *                                wants it
 *   exploitability/SEAT, …/sum   points that the best of a family of responders wins: a lower bound
 *   exploitability/sampled/SEAT  the same against the policy that draws its actions
 *   tendency/SEAT/KIND           share of a kind of throw in games against itself: draw, guard,
 *                                freeze, hit, raise, other */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAIN_JUDGE_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAIN_JUDGE_H

#include "workers/learn/training/train_file.h"
#include "workers/learn/training/train_game.h"

#include <stdatomic.h>

/* All members are borrowed. */
struct train_judge {
    const struct train_plan *plan;
    const struct train_game *game; /* must be curling */
    const char *folder, *run;      /* where policies are written; the run's name */
    atomic_bool *stop;             /* aborts judging with TRAIN_STOPPED */
    /* Told during a measurement, which share of it is done; NULL: nobody is told. */
    void (*progress)(void *context, double share);
    void *context;
};

struct train_policy_file {
    const char *policy; /* its name in the algorithm: "average", … */
    char name[TRAIN_NAME_MAX], sha256[TRAIN_SHA256_MAX];
};

/* Writes each policy as RUN-POLICY-STEP.safetensors and returns their number. TRAIN_DIVERGED: a
 * weight is infinite or not a number. */
enum train_status train_judge_keep(const struct train_judge *judge, const struct learner *learner,
                                   int64_t step,
                                   struct train_policy_file ret_files[LEARNER_POLICIES_MAX],
                                   int *ret_count, char ret_error[TRAIN_ERROR_MAX]);

/* train_judge_evaluate() plays matches and measures tendencies of the learner's first policy;
 * train_judge_measure() measures its exploitability. The caller owns the returned object {name:
 * number}. */
typedef enum train_status train_judge_function(const struct train_judge *judge,
                                               const struct learner *learner, json_t **ret_points,
                                               char ret_error[TRAIN_ERROR_MAX]);
train_judge_function train_judge_evaluate, train_judge_measure;

/* Plays some ends of a measurement by each responder, and returns {"seconds"} that a whole one
 * takes. If it is stopped, what has been played by then counts, if that is anything. */
train_judge_function train_judge_try_measure;

#endif
