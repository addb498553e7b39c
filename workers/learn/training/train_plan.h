/* The spec of a training job (api/jobs/train_spec.h) as the trainer uses it. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAIN_PLAN_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAIN_PLAN_H

#include "api/base/strict_json.h"
#include "api/curling/match_record.h"
#include "models/networks/net.h"
#include "workers/learn/algorithms/learner.h"
#include "workers/search/player/player.h"

enum { TRAIN_SEEDS_MAX = 32, TRAIN_OPPONENTS_MAX = 8, TRAIN_NUMBERS_MAX = 64 };

struct train_opponents {
    int count;
    struct player player[TRAIN_OPPONENTS_MAX];
    const char *text[TRAIN_OPPONENTS_MAX]; /* as in the spec */
};

struct train_plan {
    json_t *spec; /* with all fields; owned, and owner of the strings below */
    const struct learner_class *class;
    const char *reward, *profile, *device;
    int64_t iterations; /* ends of a run */
    int seeds;
    uint64_t seed[TRAIN_SEEDS_MAX];
    const char *architecture;
    int hidden[NET_HIDDEN_MAX]; /* conv7, resnet: [0] channels */
    struct learner_number number[TRAIN_NUMBERS_MAX];
    struct learner_hyper hyper; /* points to `number` */
    struct train_opponents opponents, train_opponents;
    int rule_opponents; /* of hold'em: numbers from 1 */
    int rule_opponent[LEARNER_OPPONENTS_MAX];
    int64_t evaluate_every, evaluate_pairs, evaluate_luck;
    enum job_luck_by evaluate_luck_by;
    int64_t exploitability_every, exploitability_ends;
    int64_t checkpoint_every, keep_checkpoints;
    int threads;
    const char *from_path, *from_sha256; /* NULL: runs start from scratch */
    json_t *learning; /* fields of the spec that a resumed run must share; owned */
};

/* Reads a spec: missing fields get their defaults. On success the caller frees the plan with
 * train_plan_free(). On failure the errors are reported through `spec` and *ret_plan is undefined.
 * The plan must not move. */
bool train_plan_read(const struct strict_place *spec, struct train_plan *ret_plan);

/* Reads a plan from a file, or from standard input if `path` is NULL: the body of POST /v1/jobs or
 * only its "spec", with the same fields, defaults and error messages. On failure prints each error
 * to standard error as "COMMAND: FIELD: ERROR". */
bool train_plan_load(const char *command, const char *path, struct train_plan *ret_plan);

void train_plan_free(struct train_plan *plan);

#endif
