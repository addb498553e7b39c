/* The settings of a training run; the defaults suit curling. See train_spec.h. */
#include "api/jobs/train_spec.h"

#include "api/curling/match_record.h"
#include "api/fields/job_field_rows.h"
#include "api/fields/poker_spec.h"
#include "api/jobs/train_algorithms.h"
#include "models/tables/architectures.h"

#include <string.h>

#define ENDS_MAX  1000000000
#define OPPONENTS "[\"ai-simple\"]"

/* The first of each list is the default. */
static const char *const rewards[] = {"ser", "fr", "ser-p", NULL};
static const char *const architectures[] = {
#define ARCHITECTURE_NAME(name, ...) #name,
    NETWORK_ARCHITECTURES(ARCHITECTURE_NAME) NULL};
static const char *const optimisers[] = {"adam", "momentum", "sgd", NULL};
static const char *const devices[] = {"auto", "cpu", "cuda", NULL};

static const char *const against_opponents[] = TRAIN_AGAINST_OPPONENTS;

/* ---- hyper-parameters ---- */

#define HYPER_WHOLE(key, least, most, initial, text)  WHOLE(#key, least, most, initial, text),
#define HYPER_NUMBER(key, least, most, initial, text) NUMBER(#key, least, most, initial, text),
#define HYPER_CHOICE(key, text)                       CHOICE(#key, optimisers, text),

#define TABLES(id, text, hyper, about)                   \
    static const char *const id##_only[] = {text, NULL}; \
    static const struct field id##_fields[] = {hyper(HYPER_WHOLE, HYPER_NUMBER, HYPER_CHOICE){0}};
TRAIN_ALGORITHMS(TABLES)

#define NAME(id, text, hyper, about) text,
static const char *const algorithms[] = {TRAIN_ALGORITHMS(NAME) NULL};
static const char *const playing[] = {TRAIN_PLAYING(NAME) NULL};
static const char *const shaped[] = {TRAIN_SHAPED(NAME) NULL};
static const char *const rewarded[] = {TRAIN_REWARDED(NAME) NULL};
static const char *const in_rounds[] = TRAIN_IN_ROUNDS;

/* ---- the spec ---- */

/* The size field of each architecture, by the `sizes` of its row. */
#define SIZES_WIDTHS(...)                                                           \
    .name = "hidden", .type = FIELD_WHOLES, .whole = {1, NETWORK_WIDTH_MOST, 0},    \
    .list = {.least = 1, .most = NETWORK_WIDTHS_MAX, .text = "[" #__VA_ARGS__ "]"}, \
    .about = "widths of the hidden layers"
#define SIZES_CHANNELS(initial)                                                            \
    .name = "channels", .type = FIELD_WHOLE, .whole = {1, NETWORK_CHANNELS_MOST, initial}, \
    .about = "channels of each hidden layer"
#define SIZES_FIELD(architecture, made, sees, rows, sizes, text, ...) \
    {.absent = FIELD_DEFAULT,                                         \
     .by = "architecture",                                            \
     .only = (const char *const[]){#architecture, NULL},              \
     SIZES_##sizes(__VA_ARGS__)},
#define SENTENCE(name, made, sees, rows, sizes, text, ...) "; " #name ": " text

static const struct field network_fields[] = {
    CHOICE("architecture", architectures, "layers of the networks" NETWORK_ARCHITECTURES(SENTENCE)),
    NETWORK_ARCHITECTURES(SIZES_FIELD){0}};

static const struct field from_fields[] = {
    {.name = "run", .type = FIELD_RUN, .about = "run of the checkpoint"},
    {.name = "step",
     .type = FIELD_WHOLE,
     .whole = {.least = 0, .most = INT64_MAX},
     .about = "step of the checkpoint"},
    {0}};

#define HYPER(id, text, hyper, about_it) \
    {.name = "hyper",                    \
     .type = FIELD_OBJECT,               \
     .absent = FIELD_DEFAULT,            \
     .by = "algorithm",                  \
     .only = id##_only,                  \
     .fields = id##_fields,              \
     .about = "hyper-parameters of the algorithm"},
#define ABOUT(id, text, hyper, about) " " text ": " about "."

/* Fields that only some algorithms have. */
#define ONLY(algorithms) .absent = FIELD_DEFAULT, .by = "algorithm", .only = algorithms
#define WHOLE_OF(algorithms, key, smallest, largest, default_, text)                             \
    {                                                                                            \
        .name = key, .type = FIELD_WHOLE, .whole = {smallest, largest, default_}, .about = text, \
        ONLY(algorithms)                                                                         \
    }
#define CHOICE_OF(algorithms, key, names, text)                                              \
    {                                                                                        \
        .name = key, .type = FIELD_CHOICE, .choices = names, .about = text, ONLY(algorithms) \
    }

const struct field train_fields[] = {
    CHOICE("algorithm", algorithms, "learning algorithm." TRAIN_ALGORITHMS(ABOUT)),
    CHOICE_OF(rewarded, "reward", rewards,
              "ser: changes of the evaluation of the sheet; fr: the result of the end; ser-p: fr, "
              "and the evaluation as a potential"),
    {.name = "profile", .type = FIELD_PROFILE, .about = "rules and ice", ONLY(rewarded)},
    {.name = "profile",
     .type = FIELD_PROFILE,
     .is_learned = true,
     .about = "rules and ice; not mixed doubles",
     ONLY(in_rounds)},
    WHOLE_OF(rewarded, "iterations", 1, ENDS_MAX, 20000,
             "ends of each run in all, with those before `from`"),
    WHOLE_OF(policy_value_only, "iterations", 1, 1024, 10,
             "rounds of each run in all, with those before `from`: the first one learns from a "
             "teacher, the others from the search "
             "with the networks so far"),
    WHOLE_OF(gpi_only, "iterations", 1, 1024, 32,
             "networks of each run in all, with those before `from`: 16, from the last shot of an "
             "end to the first, are an iteration "
             "of the policy"),
    WHOLE_OF(value_only, "iterations", 1, 960, 15,
             "stages of each run in all, with those before `from`: 15, from the last shot of an "
             "end to the first, are a sweep; in "
             "further sweeps half of the positions come from play by the networks so far"),
    WHOLE_OF(evolve_only, "iterations", 1, 1000000, 30,
             "generations of each run in all, with those before `from`"),
    {.name = "seeds",
     .type = FIELD_WHOLES,
     .absent = FIELD_DEFAULT,
     .whole = {.least = 0, .most = INT64_MAX},
     .list = {.least = 1, .most = 32, .differ = true, .text = "[1]"},
     .about = "distinct seeds; each is a run"},
    {.name = "network",
     .type = FIELD_OBJECT,
     .fields = network_fields,
     .about = "networks to train",
     ONLY(shaped)},
    TRAIN_ALGORITHMS(HYPER){.name = "train_opponents",
                            .type = FIELD_PLAYERS,
                            .list = {.least = 0, .most = 8, .differ = true, .text = OPPONENTS},
                            .about = "fixed players to train against, in turn",
                            ONLY(against_opponents)},
    {.name = "opponents",
     .type = FIELD_PLAYERS,
     .list = {.least = 0, .most = 8, .differ = true, .text = OPPONENTS},
     .about = "players that the policy plays matches against",
     ONLY(playing)},
    {.name = "rule_opponents",
     .type = FIELD_WHOLES,
     .whole = {.least = 1, .most = POKER_RULES},
     .list = {.least = 1, .most = POKER_RULES, .differ = true, .text = "[1,2,3,4,5,6,7,8]"},
     .about = "rule players to win from, in the order of the curriculum; 1 is poker:o1",
     ONLY(evolve_only)},
    WHOLE_OF(rewarded, "evaluate_every", 0, ENDS_MAX, 5000,
             "ends between matches against the opponents; 0: never"),
    WHOLE_OF(policy_value_only, "evaluate_every", 0, 1024, 1,
             "rounds between matches against the opponents; 0: never"),
    WHOLE_OF(gpi_only, "evaluate_every", 0, 1024, 16,
             "networks between matches against the opponents; 0: never"),
    WHOLE_OF(playing, "evaluate_pairs", 1, 100000, 100, "pairs of games of 2 ends in each match"),
    WHOLE_OF(playing, "evaluate_luck", 0, LUCK_THROWS_MAX, 0,
             "throws that measure the luck of each shot in matches, for win rates adjusted for "
             "luck beside those as played; 0: none"),
    {.name = "evaluate_luck_by",
     .type = FIELD_CHOICE,
     .choices = job_luck_by,
     .before = JOB_LUCK_BY_BEFORE,
     .about = "in matches, " JOB_LUCK_BY_ABOUT,
     ONLY(playing)},
    WHOLE_OF(rewarded, "exploitability_every", 0, ENDS_MAX, 0,
             "ends between measurements of exploitability; 0: never"),
    WHOLE_OF(policy_value_only, "exploitability_every", 0, 1024, 0,
             "rounds between measurements of exploitability; 0: never"),
    WHOLE_OF(gpi_only, "exploitability_every", 0, 1024, 0,
             "networks between measurements of exploitability; 0: never"),
    WHOLE_OF(playing, "exploitability_ends", 2, 1000000, 200,
             "ends that count in each measurement, against each seat, of the likeliest actions and "
             "as many of drawn ones; a fifth as many more, at least 2, of each of the 4 responders "
             "against each seat choose the best"),
    WHOLE_OF(rewarded, "checkpoint_every", 1, ENDS_MAX, 2000, "ends between checkpoints"),
    WHOLE_OF(policy_value_only, "checkpoint_every", 1, 1024, 1, "rounds between checkpoints"),
    WHOLE_OF(gpi_only, "checkpoint_every", 1, 1024, 1, "networks between checkpoints"),
    WHOLE_OF(value_only, "checkpoint_every", 1, 960, 1, "stages between checkpoints"),
    WHOLE_OF(evolve_only, "checkpoint_every", 1, 1000000, 10, "generations between checkpoints"),
    WHOLE("keep_checkpoints", 1, 1000, 3,
          "newest checkpoints kept of each run; older ones are deleted"),
    CHOICE_OF(rewarded, "device", devices, "device for the networks"),
    WHOLE("threads", 1, 256, 1, "threads of a run; they do not change the result"),
    {.name = "from",
     .type = FIELD_OBJECT,
     .absent = FIELD_LEFT_OUT,
     .fields = from_fields,
     .about = "checkpoint to start from, with a step below iterations; algorithm, reward, profile, "
              "network, hyper, seeds and "
              "train_opponents default to those of its run"},
    {0}};

/* ---- checks across fields ---- */

static int64_t whole_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* Refuses a hyper-parameter `key` that is larger than `most`. */
static void check_most(const struct strict_place *hyper, const char *key, int64_t most,
                       const char *why)
{
    const struct strict_place place = strict_member(hyper, key);

    if (whole_of(hyper->value, key) > most)
        strict_refuse(&place, "range", "%lld is more than %s, %lld",
                      (long long)whole_of(hyper->value, key), why, (long long)most);
}

static void check_evolution(const struct strict_place *hyper)
{
    const struct strict_place survival = strict_member(hyper, "survival");
    double population = json_number_value(json_object_get(hyper->value, "population"));

    check_most(hyper, "finalists", (int64_t)population, "population");
    if (json_number_value(survival.value) * population < 2.0)
        strict_refuse(&survival, "value", "fewer than two of the population would survive");
}

void train_finish(const struct strict_place *place, json_t *spec)
{
    static const char *const memories[] = {"memory", "response_memory", "average_memory"};
    const json_t *hyper = json_object_get(spec, "hyper");

    /* Values of the resolved spec, so that defaults are checked too; their JSON pointers are the
     * same. */
    struct strict_place hyper_place = strict_member(place, "hyper");
    hyper_place.value = json_object_get(spec, "hyper");

    for (size_t k = 0; k < sizeof memories / sizeof memories[0]; k++)
        if (json_object_get(hyper, memories[k]))
            check_most(&hyper_place, "warm_up", whole_of(hyper, memories[k]), memories[k]);
    if (json_object_get(hyper, "finalists"))
        check_evolution(&hyper_place);
    if (json_object_get(hyper, "minibatch"))
        check_most(&hyper_place, "minibatch",
                   whole_of(hyper, "parallel") * whole_of(hyper, "horizon"), "parallel * horizon");
    const struct strict_place opponents = strict_member(place, "train_opponents");
    const json_t *self_share = json_object_get(hyper, "self_share");
    if (self_share && json_number_value(self_share) < 1.0 &&
        json_array_size(json_object_get(spec, "train_opponents")) == 0)
        strict_refuse(&opponents, "size", "needed unless self_share is 1");
}
