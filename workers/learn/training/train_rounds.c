/* Stages, names and states of trainings in rounds. See train_rounds.h. */
#include "workers/learn/training/train_rounds.h"

#include "workers/file_hash.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* ---- stages ---- */

int64_t train_rounds_first(const struct train_plan *plan)
{
    return json_integer_value(json_object_get(json_object_get(plan->spec, "from"), "step"));
}

bool train_rounds_can(const struct train_plan *plan)
{
    const struct rounds_class *rounds = plan->class->rounds;

    return rounds && train_rounds_first(plan) < plan->iterations &&
           (uint64_t)plan->iterations <= rounds->rounds_most;
}

/* Returns how many items of a part a round begins with; 0: none, or an earlier one has made them.
 */
static size_t made_in(const struct train_plan *plan, const double *settings, int64_t round,
                      int part)
{
    const struct rounds_part *kind = &plan->class->rounds->part[part];
    const uint64_t number = (uint64_t)round;

    return kind->batch(number) == number || round == train_rounds_first(plan)
               ? kind->wanted(settings, number)
               : 0;
}

bool train_rounds_stage(const struct train_plan *plan, int64_t number,
                        struct train_stage *ret_stage)
{
    const struct rounds_class *rounds = plan->class->rounds;
    double settings[ROUNDS_SETTINGS_MAX];

    rounds_settings(rounds, &plan->hyper, settings);
    for (int64_t round = train_rounds_first(plan); round < plan->iterations; round++) {
        for (int part = 0; part < rounds->parts; part++) {
            const size_t items = made_in(plan, settings, round, part);
            if (items > 0 && number-- == 0) {
                *ret_stage = (struct train_stage){round, part, items,
                                                  rounds->part[part].batch((uint64_t)round)};
                return true;
            }
        }
        if (number-- == 0) {
            *ret_stage = (struct train_stage){round, TRAIN_FIT, 1, (uint64_t)round};
            return true;
        }
    }
    return false;
}

void train_rounds_shares(const struct train_plan *plan, const struct train_stage *stage,
                         double *ret_before, double *ret_after)
{
    const struct rounds_class *rounds = plan->class->rounds;
    const int last = rounds->parts - 1; /* the others are left out of estimates */
    double settings[ROUNDS_SETTINGS_MAX], before = 0.0, after = 0.0, all = 0.0;

    rounds_settings(rounds, &plan->hyper, settings);
    for (int64_t round = train_rounds_first(plan); round < plan->iterations; round++) {
        const double items = (double)rounds->part[last].wanted(settings, (uint64_t)round);
        double make, fit;
        rounds->costs(settings, (uint64_t)round, &make, &fit);
        if (round == stage->round) {
            before = stage->part == TRAIN_FIT ? all + make * items : all;
            after = stage->part == TRAIN_FIT ? before + fit * items
                    : stage->part == last    ? before + make * items
                                             : before;
        }
        all += (make + fit) * items;
    }
    *ret_before = before / all;
    *ret_after = after / all;
}

int64_t train_rounds_pace(const struct train_plan *plan, const struct train_stage *stage)
{
    const struct rounds_class *rounds = plan->class->rounds;
    double settings[ROUNDS_SETTINGS_MAX], make, fit;

    if (stage->part == TRAIN_FIT)
        return 0;
    rounds_settings(rounds, &plan->hyper, settings);
    rounds->costs(settings, (uint64_t)stage->round, &make, &fit);
    return 1 + stage->part + ROUNDS_PARTS_MAX * (int64_t)make;
}

/* ---- files ---- */

void train_rounds_state_name(const char *run, int64_t rounds, char ret_name[TRAIN_NAME_MAX])
{
    snprintf(ret_name, TRAIN_NAME_MAX, TRAIN_OWN "%.64s-%" PRId64 ".state", run, rounds);
}

void train_rounds_items_name(const struct train_plan *plan, const char *run, int part,
                             uint64_t batch, char ret_name[TRAIN_NAME_MAX])
{
    snprintf(ret_name, TRAIN_NAME_MAX, TRAIN_OWN "%.64s-%" PRIu64 ".%s.items", run, batch,
             plan->class->rounds->part[part].name);
}

struct rounds_shard train_rounds_shard(const struct train_plan *plan,
                                       const struct train_stage *stage, int index, size_t first,
                                       size_t count)
{
    return (struct rounds_shard){.class = plan->class,
                                 .rules = rules_find(plan->profile),
                                 .part = stage->part,
                                 .seed = plan->seed[index],
                                 .round = stage->batch,
                                 .first = first,
                                 .count = count,
                                 .of = stage->items};
}

/* Items on their way from a file. */
struct taking {
    struct rounds *rounds;
    int part;
};

static bool take_item(void *context, const unsigned char *bytes)
{
    const struct taking *taking = context;

    return rounds_take(taking->rounds, taking->part, bytes);
}

enum train_status train_rounds_take(struct rounds *rounds, int part, const char *path,
                                    const atomic_bool *stop, char ret_error[TRAIN_ERROR_MAX])
{
    const struct rounds_part *kind = &rounds->class->part[part];
    const uint64_t number = rounds->state.games;
    const size_t of = kind->wanted(rounds->settings, number);
    const struct rounds_shard shard = {.class = rounds->learner.class,
                                       .rules = rounds->rules,
                                       .part = part,
                                       .seed = rounds->common.seed,
                                       .round = kind->batch(number),
                                       .count = of,
                                       .of = of};
    struct taking taking = {rounds, part};
    char error[ROUNDS_SHARD_ERROR_MAX];
    FILE *file = fopen(path, "re");

    if (!file)
        return train_fail(ret_error, TRAIN_DISK, "%.800s: %s", path, strerror(errno));
    bool good = rounds_shard_read(&shard, file, stop, take_item, &taking, error) &&
                rounds_shard_is_last(file, error);
    fclose(file);
    if (good)
        return TRAIN_OK;
    return *error ? train_fail(ret_error, TRAIN_FAILED, "%.200s: %.700s", path, error)
                  : TRAIN_STOPPED;
}

/* ---- runs ---- */

void train_setup(const struct train_plan *plan, const struct train_game *game,
                 struct trainer_setup *ret_setup)
{
    *ret_setup = (struct trainer_setup){.class = plan->class,
                                        .game = game->game,
                                        .common = {.network = game->network,
                                                   .device = plan->device,
                                                   .threads = plan->threads,
                                                   .opponents = plan->rule_opponents},
                                        .hyper = plan->hyper,
                                        .learning = plan->learning,
                                        .iterations = plan->iterations};
    memcpy(ret_setup->common.opponent, plan->rule_opponent, sizeof plan->rule_opponent);
}

/* Opens the file that the run begins with; *ret_file NULL: none. */
static enum train_status open_file(const struct train_plan *plan, const char *state,
                                   FILE **ret_file, char *ret_error)
{
    const char *path = state ? state : plan->from_path;
    char sha256[TRAIN_SHA256_MAX];

    *ret_file = path ? fopen(path, "re") : NULL;
    if (path && !*ret_file)
        return train_fail(ret_error, TRAIN_DISK, "%.800s: %s", path, strerror(errno));
    if (!state && path && (!file_hash(path, sha256) || strcmp(sha256, plan->from_sha256) != 0))
        return train_fail(ret_error, TRAIN_BAD_SPEC, "/from: the checkpoint cannot be used");
    return TRAIN_OK;
}

enum train_status train_rounds_open(const struct train_plan *plan, int index, int64_t rounds,
                                    const char *state, struct train_opened *ret_opened,
                                    char ret_error[TRAIN_ERROR_MAX])
{
    struct train_opened *opened = ret_opened;
    FILE *file = NULL;
    enum train_status status = train_game_make(plan, &opened->game, ret_error);

    opened->trainer = NULL;
    opened->events = (struct trainer_events){.context = NULL};
    if (status != TRAIN_OK)
        return status;
    train_setup(plan, &opened->game, &opened->setup);
    opened->setup.common.seed = plan->seed[index];
    status = open_file(plan, state, &file, ret_error);
    if (status == TRAIN_OK)
        status = trainer_open(&opened->setup, &opened->events, file, !state, &opened->trainer,
                              ret_error);
    if (file)
        fclose(file);
    if (status == TRAIN_OK && trainer_ends(opened->trainer) != rounds)
        status = train_fail(ret_error, TRAIN_BAD_SPEC,
                            "the run has finished %" PRId64 " rounds, not %" PRId64,
                            trainer_ends(opened->trainer), rounds);
    if (status != TRAIN_OK)
        train_rounds_close(opened);
    return status;
}

void train_rounds_close(struct train_opened *opened)
{
    trainer_free(opened->trainer);
    train_game_free(&opened->game);
    opened->trainer = NULL;
}
