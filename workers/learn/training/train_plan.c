/* Reads specs by the table of their fields. */
#include "workers/learn/training/train_plan.h"

#include "api/jobs/job_json.h"
#include "api/jobs/job_kinds.h"
#include "api/jobs/train_spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 64, PATH_MOST = 4096, BYTES_MOST = 1 << 20, DEPTH_MOST = 32 };

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static int64_t whole_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* ---- from a complete spec to the plan ---- */

static void take_network(const json_t *network, struct train_plan *plan)
{
    const json_t *hidden = json_object_get(network, "hidden"), *width;
    size_t k;

    plan->architecture = text_of(network, "architecture");
    plan->hidden[0] = (int)whole_of(network, "channels");
    json_array_foreach(hidden, k, width)
    {
        plan->hidden[k] = (int)json_integer_value(width);
    }
}

static void take_hyper(json_t *hyper, struct train_plan *plan)
{
    static const char *const rules[] = {
        [NET_SGD] = "sgd", [NET_MOMENTUM] = "momentum", [NET_ADAM] = "adam"};
    const char *key;
    json_t *value;

    plan->hyper.numbers = plan->number;
    json_object_foreach(hyper, key, value)
    {
        struct learner_number *number = &plan->number[plan->hyper.count++];
        *number = (struct learner_number){key, json_number_value(value)};
        for (int rule = NET_SGD; rule <= NET_ADAM && json_is_string(value); rule++)
            if (strcmp(json_string_value(value), rules[rule]) == 0)
                number->value = rule;
    }
}

static bool take_opponents(const struct strict_place *spec, const char *key,
                           struct train_opponents *opponents)
{
    const struct strict_place list = strict_member(spec, key);
    char error[PLAYER_ERROR_MAX];

    for (size_t k = 0; k < json_array_size(list.value); k++) {
        const struct strict_place place = strict_element(&list, k);
        const char *text = json_string_value(place.value);
        if (!player_read(text, &opponents->player[k], sizeof error, error))
            return strict_refuse(&place, "value", "%s", error);
        opponents->text[opponents->count++] = text;
    }
    return true;
}

static void take_rule_opponents(const json_t *opponents, struct train_plan *plan)
{
    const json_t *number;
    size_t k;

    json_array_foreach(opponents, k, number)
    {
        plan->rule_opponent[plan->rule_opponents++] = (int)json_integer_value(number);
    }
}

static bool take_spec(json_t *spec, struct strict_errors *errors, struct train_plan *plan)
{
    const struct strict_place place = strict_root(spec, errors);
    const json_t *seeds = json_object_get(spec, "seeds"), *seed;
    size_t k;

    plan->class = learner_class_find(text_of(spec, "algorithm"));
    plan->reward = text_of(spec, "reward");
    plan->profile = plan->class->game ? plan->class->game->name : text_of(spec, "profile");
    plan->device = text_of(spec, "device");
    plan->iterations = whole_of(spec, "iterations");
    plan->evaluate_every = whole_of(spec, "evaluate_every");
    plan->evaluate_pairs = whole_of(spec, "evaluate_pairs");
    plan->evaluate_luck = whole_of(spec, "evaluate_luck");
    const char *luck_by = text_of(spec, "evaluate_luck_by");
    plan->evaluate_luck_by =
        luck_by ? (enum job_luck_by)job_value_find(job_luck_by, luck_by) : JOB_LUCK_BY_HAMMER;
    plan->exploitability_every = whole_of(spec, "exploitability_every");
    plan->exploitability_ends = whole_of(spec, "exploitability_ends");
    plan->checkpoint_every = whole_of(spec, "checkpoint_every");
    plan->keep_checkpoints = whole_of(spec, "keep_checkpoints");
    plan->threads = (int)whole_of(spec, "threads");
    plan->from_path = text_of(json_object_get(spec, "from"), "path");
    plan->from_sha256 = text_of(json_object_get(spec, "from"), "sha256");
    json_array_foreach(seeds, k, seed)
    {
        plan->seed[plan->seeds++] = (uint64_t)json_integer_value(seed);
    }
    take_network(json_object_get(spec, "network"), plan);
    take_hyper(json_object_get(spec, "hyper"), plan);
    if (plan->class->game) {
        take_rule_opponents(json_object_get(spec, "rule_opponents"), plan);
        return true;
    }
    return take_opponents(&place, "opponents", &plan->opponents) &&
           take_opponents(&place, "train_opponents", &plan->train_opponents);
}

/* ---- from a spec to a complete one ---- */

static bool read_player(void *context, const char *text, char *ret_spec, char *ret_error)
{
    struct player player;

    (void)context;
    if (!player_read(text, &player, PLAYER_ERROR_MAX, ret_error))
        return false;
    player_write(&player, PLAYER_SPEC_MAX, ret_spec);
    return true;
}

/* Adds the profile, which may be a toy (train_game.h), and the checkpoint, to which the daemon has
 * added its path: the table would refuse both. */
static bool read_rest(const struct strict_place *spec, json_t *complete)
{
    const struct strict_place profile = strict_member(spec, "profile"),
                              from = strict_member(spec, "from"),
                              path = strict_member(&from, "path"),
                              sha256 = strict_member(&from, "sha256");
    const char *text;

    const struct learner_class *class = learner_class_find(text_of(complete, "algorithm"));
    bool has_profile = class->game ? strict_is_missing(&profile)
                                   : strict_text(&profile, NAME_MOST, &text) &&
                                         json_object_set(complete, "profile", profile.value) == 0;

    return has_profile &&
           (strict_is_missing(&from) ||
            (strict_text(&path, PATH_MOST, &text) && strict_text(&sha256, NAME_MOST, &text) &&
             json_object_set(complete, "from", from.value) == 0));
}

bool train_plan_read(const struct strict_place *spec, struct train_plan *ret_plan)
{
    static const char *const fixed[] = {"algorithm", "reward", "profile",
                                        "network",   "hyper",  "train_opponents"};
    struct field_reading reading = {.read_player = read_player};
    struct train_plan *plan = ret_plan;
    json_t *table = json_copy(spec->value);
    const struct strict_place place = strict_root(table, spec->errors);

    memset(plan, 0, sizeof *plan);
    json_object_del(table, "profile");
    json_object_del(table, "from");
    plan->spec = fields_read(&reading, &place, train_fields);
    plan->learning = json_object();
    json_decref(table);
    bool good = spec->errors->count == 0 && !reading.no_memory && plan->learning &&
                read_rest(spec, plan->spec) && take_spec(plan->spec, spec->errors, plan);
    /* The hyper-parameters as sent: checkpoints of earlier versions have fewer. */
    for (size_t k = 0; k < sizeof fixed / sizeof fixed[0] && good; k++) {
        json_t *value = json_object_get(spec->value, fixed[k]);
        good = !value || json_object_set(plan->learning, fixed[k], value) == 0;
    }
    if (good)
        return true;
    train_plan_free(plan);
    return spec->errors->count == 0 ? strict_refuse(spec, "no_memory", "no memory for it") : false;
}

void train_plan_free(struct train_plan *plan)
{
    json_decref(plan->spec);
    json_decref(plan->learning);
    plan->spec = plan->learning = NULL;
}

/* ---- files ---- */

/* Reads a whole file; the caller frees the text. NULL, with a message printed, on failure. */
static char *read_all(const char *command, const char *path, size_t *ret_size)
{
    FILE *file = path ? fopen(path, "re") : stdin;
    char *text = malloc(BYTES_MOST + 1);
    bool good = file && text;

    if (good) {
        *ret_size = fread(text, 1, BYTES_MOST + 1, file);
        good = !ferror(file);
    }
    if (!good) {
        fprintf(stderr, "%s: %s: %s\n", command, path ? path : "standard input", strerror(errno));
        free(text);
    }
    if (file && file != stdin)
        fclose(file);
    return good ? text : NULL;
}

/* Reads a document that is a request, or only its spec. */
static bool read_request(json_t *document, struct strict_errors *errors,
                         struct train_plan *ret_plan)
{
    struct job_request request;

    if (job_request_read(document, read_player, NULL, &request, errors) != API_OK)
        return false;
    const struct strict_place spec = strict_root(request.spec, errors);
    bool good;
    if (!request.kind->makes_models)
        good =
            strict_refuse_at(errors, "/kind", "value", "must be train, not %s", request.kind->name);
    else if (json_object_get(request.spec, "from"))
        good = strict_refuse_at(errors, "/spec/from", "value",
                                "only the daemon knows runs by their names; see --from");
    else
        good = train_plan_read(&spec, ret_plan);
    json_decref(request.spec);
    return good;
}

bool train_plan_load(const char *command, const char *path, struct train_plan *ret_plan)
{
    struct strict_errors errors = {.count = 0};
    size_t size = 0;
    char *text = read_all(command, path, &size);

    if (!text)
        return false;
    json_t *document = strict_parse(text, size, BYTES_MOST, DEPTH_MOST, &errors);
    free(text);
    if (document && !json_object_get(document, "kind"))
        document = json_pack("{s:s, s:o}", "kind", "train", "spec", document);
    bool good = document && read_request(document, &errors, ret_plan);
    json_decref(document);
    for (int k = 0; k < errors.count; k++)
        fprintf(stderr, "%s: %s: %s\n", command, errors.error[k].pointer, errors.error[k].message);
    return good;
}
