/* What a training run can be told, with the defaults that are good ones for curling. See
 * train_spec.h. */
#include "api/train_spec.h"

#include <string.h>

#define ENDS_MAX 1000000000

#define WHOLE(key, least, most, initial, text)                     \
    {                                                              \
        .name = key, .type = FIELD_WHOLE, .absent = FIELD_DEFAULT, \
        .whole = {least, most, initial}, .about = text             \
    }
#define NUMBER(key, least, most, initial, text)                     \
    {                                                               \
        .name = key, .type = FIELD_NUMBER, .absent = FIELD_DEFAULT, \
        .number = {least, most, initial}, .about = text             \
    }
#define CHOICE(key, names, text)                                                      \
    {                                                                                 \
        .name = key, .type = FIELD_CHOICE, .absent = FIELD_DEFAULT, .choices = names, \
        .about = text                                                                 \
    }

/* Of each list the first is what a missing one stands for. */
static const char *const algorithms[] = {"nfsp", "nfsp-literal", "dqn", "ppo", NULL};
static const char *const rewards[] = {"ser", "fr", "ser-p", NULL};
static const char *const architectures[] = {"lines", "mlp", "set", "conv7", "resnet", NULL};
static const char *const optimisers[] = {"adam", "momentum", "sgd", NULL};
static const char *const devices[] = {"auto", "cpu", "cuda", NULL};

static const char *const nfsp_only[] = {"nfsp", NULL};
static const char *const literal_only[] = {"nfsp-literal", NULL};
static const char *const dqn_only[] = {"dqn", NULL};
static const char *const ppo_only[] = {"ppo", NULL};
static const char *const against_others[] = {"dqn", "ppo", NULL};
static const char *const of_lines[] = {"lines", NULL};
static const char *const of_layers[] = {"mlp", "set", NULL};
static const char *const of_planes[] = {"conv7", "resnet", NULL};

/* ---- numbers of the algorithms ---- */

#define DISCOUNT NUMBER("discount", 0, 1, .99, "of the reward of the next own shot")
#define PARALLEL \
    WHOLE("parallel", 1, 65536, 64, "ends that are played side by side; part of the result")
#define OPTIMISER(largest)                                                    \
    CHOICE("optimiser", optimisers, "how weights follow the gradient"),       \
        NUMBER("momentum", 0, .9999, .9, "of the optimiser called momentum"), \
        NUMBER("weight_decay", 0, 1, 2e-5,                                    \
               "share of a weight that a step takes off it, times the rate"), \
        NUMBER("clip", 0, 1e6, largest, "largest norm of a gradient; 0: none")
#define EXPLORE(share)                                                  \
    NUMBER("explore", 0, 1, share, "share of random actions at first"), \
        NUMBER("explore_decay", 0, 1e6, .01,                            \
               "that share is explore / (1 + explore_decay * sqrt(steps))")
#define VALUES(warm_up_entries)                                                               \
    WHOLE("batch", 1, 65536, 128, "transitions or decisions that an update looks at"),        \
        WHOLE("updates", 1, 1024, 1, "of each network after each decision of all tables"),    \
        WHOLE("target_interval", 0, 1000000000, 200,                                          \
              "updates between copies of the network that targets are made with; 0: itself"), \
        WHOLE("warm_up", 1, 10000000, warm_up_entries,                                        \
              "entries of a memory before its network learns")
#define CANDIDATES                                                                          \
    WHOLE("candidates", 0, 1000, 100,                                                       \
          "actions that a best response tries in the simulator at each decision; 0: none"), \
        NUMBER("candidate_temperature", 1e-6, 100, .1,                                      \
               "of the softmax over values that draws them"),                               \
        NUMBER("candidate_uniform", 0, 1, .3, "share of them that is drawn uniformly")
#define FICTITIOUS_PLAY(average_memory, warm_up_entries)                                     \
    NUMBER("anticipatory", 0, 1, .1, "share of ends that a seat plays its best response"),   \
        EXPLORE(.06), DISCOUNT,                                                              \
        NUMBER("response_rate", 0, 10, .001, "step size of best responses"),                 \
        NUMBER("average_rate", 0, 10, .001, "step size of average policies"), OPTIMISER(10), \
        VALUES(warm_up_entries), PARALLEL,                                                   \
        WHOLE("response_memory", 1, 20000000, 200000, "transitions of a seat"),              \
        WHOLE("average_memory", 1, 20000000, average_memory,                                 \
              "decisions of a seat's best responses"),                                       \
        CANDIDATES

static const struct field nfsp_fields[] = {
    FICTITIOUS_PLAY(2000000, 1000),
    WHOLE("value_network", 0, 1, 1,
          "1: with candidates, a network of its own says what the next own shot is worth; 0: the "
          "best response's largest value"),
    NUMBER("value_lambda", 0, 1, 1, "of the returns that it learns: 1 what came, 0 what it said"),
    {0}};
static const struct field literal_fields[] = {
    FICTITIOUS_PLAY(512, 512),
    NUMBER("threshold", -100, 100, .4, "return above which a decision goes into the average"),
    {0}};

#define SELF_SHARE \
    NUMBER("self_share", 0, 1, .5, "share of ends against itself; the rest against train_opponents")

static const struct field dqn_fields[] = {
    EXPLORE(.1),
    DISCOUNT,
    NUMBER("rate", 0, 10, .0003, "step size"),
    OPTIMISER(10),
    WHOLE("batch", 1, 65536, 256, "transitions that an update looks at"),
    WHOLE("updates", 1, 1024, 1, "after each decision of all tables"),
    PARALLEL,
    WHOLE("memory", 1, 20000000, 200000, "transitions of a seat"),
    WHOLE("target_interval", 0, 1000000000, 200,
          "updates between copies of the network that targets are made with; 0: itself"),
    WHOLE("warm_up", 1, 10000000, 1000, "transitions before the network learns"),
    WHOLE("double_q", 0, 1, 1,
          "1: the network chooses the action that a target is made with, and its copy values it"),
    WHOLE("n_step", 1, 1000, 8,
          "own decisions whose rewards a target adds up before it asks for a value"),
    SELF_SHARE,
    {0}};
static const struct field ppo_fields[] = {
    DISCOUNT,
    NUMBER("lambda", 0, 1, .95, "of the generalised advantage"),
    NUMBER("clip_ratio", .001, 1, .2, "how far the chance of an action may move in an update"),
    WHOLE("epochs", 1, 100, 4, "times that the decisions are gone through"),
    WHOLE("minibatch", 1, 65536, 256, "decisions that an update looks at"),
    WHOLE("horizon", 1, 1024, 16, "decisions at each table between updates"),
    NUMBER("entropy", 0, 10, .01, "weight of the entropy bonus"),
    NUMBER("value_share", 0, 100, .5, "weight of the loss of the value"),
    NUMBER("rate", 0, 10, .001, "step size"),
    OPTIMISER(.5),
    PARALLEL,
    SELF_SHARE,
    {0}};

/* ---- the spec ---- */

#define HIDDEN(of, widths)                                                                      \
    {                                                                                           \
        .name = "hidden", .type = FIELD_WHOLES, .absent = FIELD_DEFAULT, .by = "architecture",  \
        .only = of, .whole = {.least = 1, .most = 4096},                                        \
        .list = {.least = 1, .most = 4, .text = widths}, .about = "widths of the hidden layers" \
    }

static const struct field network_fields[] = {
    CHOICE("architecture", architectures,
           "lines: layers shared by the lines that shots are aimed along; mlp: layers over compact "
           "features; set: layers shared by the stones; conv7, resnet: convolutions over planes of "
           "the sheet"),
    HIDDEN(of_lines, "[64,32]"),
    HIDDEN(of_layers, "[128,64]"),
    {.name = "channels",
     .type = FIELD_WHOLE,
     .absent = FIELD_DEFAULT,
     .by = "architecture",
     .only = of_planes,
     .whole = {1, 512, 32},
     .about = "channels of each hidden layer"},
    {0}};

static const struct field from_fields[] = {
    {.name = "run", .type = FIELD_RUN, .about = "whose checkpoint it is"},
    {.name = "step",
     .type = FIELD_WHOLE,
     .whole = {.least = 0, .most = INT64_MAX},
     .about = "of the checkpoint"},
    {0}};

#define HYPER(of, table)                                                                   \
    {                                                                                      \
        .name = "hyper", .type = FIELD_OBJECT, .absent = FIELD_DEFAULT, .by = "algorithm", \
        .only = of, .fields = table, .about = "numbers of the algorithm"                   \
    }

const struct field train_fields[] = {
    CHOICE("algorithm", algorithms,
           "nfsp: neural fictitious self-play; nfsp-literal: as first printed, an ablation; dqn, "
           "ppo: single learners"),
    CHOICE("reward", rewards,
           "ser: how the evaluation of the sheet changes; fr: the result of the end; ser-p: both, "
           "as a potential"),
    {.name = "profile",
     .type = FIELD_PROFILE,
     .absent = FIELD_DEFAULT,
     .about = "rules and the ice that belongs to them"},
    WHOLE("iterations", 1, ENDS_MAX, 20000, "ends of each run"),
    {.name = "seeds",
     .type = FIELD_WHOLES,
     .absent = FIELD_DEFAULT,
     .whole = {.least = 0, .most = INT64_MAX},
     .list = {.least = 1, .most = 32, .differ = true, .text = "[1]"},
     .about = "seeds, all different; one run for each"},
    {.name = "network",
     .type = FIELD_OBJECT,
     .absent = FIELD_DEFAULT,
     .fields = network_fields,
     .about = "what learns"},
    HYPER(nfsp_only, nfsp_fields),
    HYPER(literal_only, literal_fields),
    HYPER(dqn_only, dqn_fields),
    HYPER(ppo_only, ppo_fields),
    {.name = "train_opponents",
     .type = FIELD_PLAYERS,
     .absent = FIELD_DEFAULT,
     .by = "algorithm",
     .only = against_others,
     .list = {.least = 0, .most = 8, .differ = true, .text = "[\"ai-simple\"]"},
     .about = "fixed players to learn against, by turns"},
    {.name = "opponents",
     .type = FIELD_PLAYERS,
     .absent = FIELD_DEFAULT,
     .list = {.least = 0, .most = 8, .differ = true, .text = "[\"ai-simple\"]"},
     .about = "players that the policy is measured against"},
    WHOLE("evaluate_every", 0, ENDS_MAX, 5000,
          "ends between matches against the opponents; 0: never"),
    WHOLE("evaluate_pairs", 1, 100000, 100, "pairs of games, of 2 ends each, in such a match"),
    WHOLE("exploitability_every", 0, ENDS_MAX, 0,
          "ends between measurements of exploitability; 0: never"),
    WHOLE("exploitability_ends", 2, 1000000, 200, "ends of such a measurement against each seat"),
    WHOLE("checkpoint_every", 1, ENDS_MAX, 2000, "ends between checkpoints"),
    WHOLE("keep_checkpoints", 1, 1000, 3,
          "checkpoints that stay of each run; older ones are deleted"),
    CHOICE("device", devices, "where networks are computed"),
    WHOLE("threads", 1, 256, 1, "threads of a run; change nothing in the result"),
    {.name = "from",
     .type = FIELD_OBJECT,
     .absent = FIELD_LEFT_OUT,
     .fields = from_fields,
     .about = "a checkpoint to go on from; algorithm, reward, profile, network, hyper, seeds and "
              "train_opponents are those of its run and can be left out"},
    {0}};

/* ---- together ---- */

static int64_t whole_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* `key` of the hyper numbers must not be more than `most`. */
static void check_most(const struct strict_place *hyper, const char *key, int64_t most,
                       const char *why)
{
    const struct strict_place place = strict_member(hyper, key);

    if (whole_of(hyper->value, key) > most)
        strict_refuse(&place, "range", "%lld is more than %s, %lld",
                      (long long)whole_of(hyper->value, key), why, (long long)most);
}

void train_finish(const struct strict_place *place, json_t *spec)
{
    static const char *const memories[] = {"memory", "response_memory", "average_memory"};
    const json_t *hyper = json_object_get(spec, "hyper");

    /* Of the resolved spec, so that defaults are checked too; the pointers are the same. */
    struct strict_place hyper_place = strict_member(place, "hyper");
    hyper_place.value = json_object_get(spec, "hyper");

    for (size_t k = 0; k < sizeof memories / sizeof memories[0]; k++)
        if (json_object_get(hyper, memories[k]))
            check_most(&hyper_place, "warm_up", whole_of(hyper, memories[k]), memories[k]);
    if (json_object_get(hyper, "minibatch"))
        check_most(&hyper_place, "minibatch",
                   whole_of(hyper, "parallel") * whole_of(hyper, "horizon"), "parallel * horizon");
    const struct strict_place opponents = strict_member(place, "train_opponents");
    const json_t *self_share = json_object_get(hyper, "self_share");
    if (self_share && json_real_value(self_share) < 1.0 &&
        json_array_size(json_object_get(spec, "train_opponents")) == 0)
        strict_refuse(&opponents, "size", "needed as long as self_share is less than 1");
}
