/* Reads a resolved spec strictly. */
#include "workers/learn/training/train_plan.h"

#include "workers/learn/algorithms/run.h"
#include "workers/pool.h"

#include <string.h>

#define ENDS_MOST  1000000000
#define ROWS_MOST  1000000
#define WIDTH_MOST 4096

enum { NAME_MOST = 64, PATH_MOST = 4096, KEEP_MOST = 1000 };

static bool read_whole(const struct strict_place *object, const char *key, int64_t least,
                       int64_t most, int64_t *ret_number)
{
    const struct strict_place place = strict_member(object, key);
    return strict_whole(&place, least, most, ret_number);
}

static bool read_text(const struct strict_place *object, const char *key, const char **ret_text)
{
    const struct strict_place place = strict_member(object, key);
    return strict_text(&place, NAME_MOST, ret_text);
}

static bool read_algorithm(const struct strict_place *spec, struct train_plan *plan)
{
    const struct strict_place place = strict_member(spec, "algorithm");
    const char *name;

    if (!strict_text(&place, NAME_MOST, &name))
        return false;
    plan->class = learner_class_find(name);
    return plan->class ||
           strict_refuse(&place, "value", "this program has no algorithm '%s'", name);
}

static bool read_seeds(const struct strict_place *spec, struct train_plan *plan)
{
    const struct strict_place seeds = strict_member(spec, "seeds");

    if (!strict_array(&seeds, 1, TRAIN_SEEDS_MAX))
        return false;
    plan->seeds = (int)json_array_size(seeds.value);
    for (int k = 0; k < plan->seeds; k++) {
        const struct strict_place seed = strict_element(&seeds, (size_t)k);
        int64_t number;
        if (!strict_whole(&seed, 0, INT64_MAX, &number))
            return false;
        plan->seed[k] = (uint64_t)number;
    }
    return true;
}

static bool read_network(const struct strict_place *spec, struct train_plan *plan)
{
    static const char *const keys[] = {"architecture", "hidden", "channels", NULL};
    const struct strict_place network = strict_member(spec, "network");
    int64_t number;

    if (!strict_object(&network, keys) || !read_text(&network, "architecture", &plan->architecture))
        return false;
    const struct strict_place hidden = strict_member(&network, "hidden"),
                              channels = strict_member(&network, "channels");
    if (strict_is_missing(&hidden)) {
        if (!strict_whole(&channels, 1, WIDTH_MOST, &number))
            return false;
        plan->hidden[0] = (int)number;
        return true;
    }
    if (!strict_array(&hidden, 1, NET_HIDDEN_MAX))
        return false;
    for (size_t k = 0; k < json_array_size(hidden.value); k++) {
        const struct strict_place width = strict_element(&hidden, k);
        if (!strict_whole(&width, 1, WIDTH_MOST, &number))
            return false;
        plan->hidden[k] = (int)number;
    }
    return true;
}

static bool read_hyper(const struct strict_place *spec, struct train_plan *plan)
{
    static const char *const rules[] = {
        [NET_SGD] = "sgd", [NET_MOMENTUM] = "momentum", [NET_ADAM] = "adam", NULL};
    const struct strict_place hyper = strict_member(spec, "hyper");
    const char *key;
    json_t *value;

    if (!json_is_object(hyper.value) || json_object_size(hyper.value) > TRAIN_NUMBERS_MAX)
        return strict_refuse(&hyper, "type", "must be an object of at most %d numbers",
                             TRAIN_NUMBERS_MAX);
    plan->hyper.numbers = plan->number;
    json_object_foreach(hyper.value, key, value)
    {
        const struct strict_place place = strict_member(&hyper, key);
        struct learner_number *number = &plan->number[plan->hyper.count++];
        int rule;
        number->name = key;
        if (!json_is_string(value)) {
            if (!strict_number(&place, -1e300, 1e300, &number->value))
                return false;
        } else if (strict_choice(&place, rules, &rule)) {
            number->value = rule;
        } else {
            return false;
        }
    }
    char why[STRICT_MESSAGE_MAX];
    const char *name = run_hyper_check(plan->class, &plan->hyper, sizeof why, why);
    if (name) {
        const struct strict_place place = strict_member(&hyper, name);
        return strict_refuse(&place, "range", "%s", why);
    }
    return true;
}

static bool read_opponents(const struct strict_place *list, struct train_opponents *opponents)
{
    char error[STRICT_MESSAGE_MAX];

    if (!strict_array(list, 0, TRAIN_OPPONENTS_MAX))
        return false;
    for (size_t k = 0; k < json_array_size(list->value); k++) {
        const struct strict_place place = strict_element(list, k);
        const char *text;
        if (!strict_text(&place, PLAYER_SPEC_MAX - 1, &text))
            return false;
        if (!player_read(text, &opponents->player[k], sizeof error, error))
            return strict_refuse(&place, "value", "%s", error);
        opponents->text[opponents->count++] = text;
    }
    return true;
}

static bool read_all_opponents(const struct strict_place *spec, struct train_plan *plan)
{
    const struct strict_place opponents = strict_member(spec, "opponents"),
                              to_train = strict_member(spec, "train_opponents");

    return read_opponents(&opponents, &plan->opponents) &&
           (strict_is_missing(&to_train) || read_opponents(&to_train, &plan->train_opponents));
}

static bool read_from(const struct strict_place *spec, struct train_plan *plan)
{
    static const char *const keys[] = {"run", "step", "path", "sha256", NULL};
    const struct strict_place from = strict_member(spec, "from");

    if (strict_is_missing(&from))
        return true;
    const struct strict_place path = strict_member(&from, "path"),
                              sha256 = strict_member(&from, "sha256");
    return strict_object(&from, keys) && strict_text(&path, PATH_MOST, &plan->from_path) &&
           strict_text(&sha256, NAME_MOST, &plan->from_sha256);
}

static bool read_ends(const struct strict_place *spec, struct train_plan *plan)
{
    int64_t threads;

    if (!read_whole(spec, "iterations", 1, ENDS_MOST, &plan->iterations) ||
        !read_whole(spec, "evaluate_every", 0, ENDS_MOST, &plan->evaluate_every) ||
        !read_whole(spec, "evaluate_pairs", 1, ROWS_MOST, &plan->evaluate_pairs) ||
        !read_whole(spec, "exploitability_every", 0, ENDS_MOST, &plan->exploitability_every) ||
        !read_whole(spec, "exploitability_ends", 2, ROWS_MOST, &plan->exploitability_ends) ||
        !read_whole(spec, "checkpoint_every", 1, ENDS_MOST, &plan->checkpoint_every) ||
        !read_whole(spec, "keep_checkpoints", 1, KEEP_MOST, &plan->keep_checkpoints) ||
        !read_whole(spec, "threads", 1, POOL_THREADS_MAX, &threads))
        return false;
    plan->threads = (int)threads;
    return true;
}

bool train_plan_read(const struct strict_place *spec, struct train_plan *ret_plan)
{
    static const char *const keys[] = {"algorithm",
                                       "reward",
                                       "profile",
                                       "iterations",
                                       "seeds",
                                       "network",
                                       "hyper",
                                       "opponents",
                                       "train_opponents",
                                       "evaluate_every",
                                       "evaluate_pairs",
                                       "exploitability_every",
                                       "exploitability_ends",
                                       "checkpoint_every",
                                       "keep_checkpoints",
                                       "device",
                                       "threads",
                                       "from",
                                       NULL};
    static const char *const fixed[] = {"algorithm", "reward", "profile",
                                        "network",   "hyper",  "train_opponents"};
    struct train_plan *plan = ret_plan;

    memset(plan, 0, sizeof *plan);
    if (!strict_object(spec, keys) || !read_algorithm(spec, plan) ||
        !read_text(spec, "reward", &plan->reward) || !read_text(spec, "profile", &plan->profile) ||
        !read_text(spec, "device", &plan->device) || !read_seeds(spec, plan) ||
        !read_network(spec, plan) || !read_hyper(spec, plan) || !read_ends(spec, plan) ||
        !read_all_opponents(spec, plan) || !read_from(spec, plan) || spec->errors->count > 0)
        return false;
    plan->learning = json_object();
    for (size_t k = 0; k < sizeof fixed / sizeof fixed[0]; k++) {
        json_t *value = json_object_get(spec->value, fixed[k]);
        if (value && json_object_set(plan->learning, fixed[k], value) != 0) {
            train_plan_free(plan);
            return strict_refuse(spec, "no_memory", "no memory for it");
        }
    }
    return true;
}

void train_plan_free(struct train_plan *plan)
{
    json_decref(plan->learning);
    plan->learning = NULL;
}
