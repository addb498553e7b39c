/* Fitted value iteration for the end-value network (workers/learn/values/end_value_examples.h):
 * sweeps over its stages, from the last shot of an end to the first. As rink-fit-value does it: one
 * sweep with the same settings gives the same weights.
 *
 * A game of the run (learner.h) is a stage. A stage's work is cut into steps: in further sweeps
 * first shards of ends that the network of the last sweep plays, then shards of examples, then
 * parts of the fit. Ends and examples are pure functions of (seed, sweep, stage, number), and what
 * a step leaves in memory can be made again, so a run that is read continues at the start of its
 * stage and ends with the same weights. */
#include "workers/learn/algorithms/learner.h"
#include "workers/learn/games/curling_learner.h"
#include "workers/learn/values/end_value_examples.h"
#include "workers/pool.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct value_settings {
    HYPER_VALUE(HYPER_MEMBER, HYPER_MEMBER, HYPER_MEMBER)
};

#define NUMBER(...)    HYPER_FIELD(struct value_settings, __VA_ARGS__)
#define OPTIMISER(...) HYPER_OPTIMISER_FIELD(struct value_settings, __VA_ARGS__)
static const struct hyper_field fields[] = {HYPER_VALUE(NUMBER, NUMBER, OPTIMISER)};

enum {
    SHARD_ENDS = 32, /* of a step */
    SHARD_EXAMPLES = 64,
    BATCHES = 256,
    STAGES_MOST = 1024 /* finished ones; each sweep has its random streams */
};

static const char magic[8] = "rinkval";

/* The part of a checkpoint that is no network. */
struct value_state {
    uint64_t stages; /* finished */
    uint64_t examples, updates;
    struct end_value_fit_report quality; /* of the last stage */
};

struct value {
    struct learner learner; /* must be first */
    struct learner_common common;
    struct value_settings settings;
    const struct rules *rules;
    struct pool *pool;
    struct end_value *before, *after; /* as the sweep began, and with its finished stages */
    struct value_state state;
    bool is_judged; /* state.quality is known */

    /* of the sweep */
    struct end_value_maker maker;
    size_t ends; /* played */

    /* of the stage that is being fitted */
    struct end_value_example *examples; /* [settings.states] */
    size_t count;
    struct end_value_stage *stage;
    struct end_value_fitting *fitting; /* NULL: not begun */
    double play_s, learn_s;
};

static uint64_t sweep_of(const struct value *value)
{
    return value->state.stages / END_VALUE_STAGES;
}

/* Returns the number of shots thrown in the stage that is being fitted. */
static int thrown_of(const struct value *value)
{
    return END_VALUE_STAGES - (int)(value->state.stages % END_VALUE_STAGES);
}

static size_t wanted_examples(const struct value *value)
{
    return (size_t)value->settings.states;
}

static size_t wanted_ends(const struct value *value)
{
    return sweep_of(value) > 0 ? (wanted_examples(value) + 1) / 2 : 0;
}

static size_t held_out(const struct value *value)
{
    size_t some = (size_t)(value->settings.held_out * value->settings.states);

    return some < 2 ? 2 : some;
}

/* Returns the finished stages and the share of the present one. Estimates leave out the ends that
 * are played before a further sweep. */
static double work_done(const struct value *value)
{
    enum { PASS_COST = 5 }; /* of an example, in throws: about right */
    double play = value->settings.simulations, fit = PASS_COST * value->settings.epochs,
           played = (double)value->count / value->settings.states,
           fitted = value->fitting ? end_value_fitting_share(value->fitting) : 0.0;

    return (double)value->state.stages + (play * played + fit * fitted) / (play + fit);
}

static bool fail(char *ret_error, const char *why)
{
    snprintf(ret_error, LEARNER_ERROR_MAX, "value: %s", why);
    return false;
}

/* ---- making and freeing ---- */

static void value_free(struct learner *learner)
{
    struct value *value = (struct value *)learner;

    end_value_fitting_free(value->fitting);
    pool_free(value->pool);
    free(value->before);
    free(value->after);
    free(value->stage);
    free(value->examples);
    free(value->maker.played);
    free(value);
}

/* Returns the key of the stage's fit, of its initial weights for `game` 0. */
static struct random_key fit_key(const struct value *value, uint64_t game)
{
    return (struct random_key){.seed = value->common.seed,
                               .stream = value->maker.stream + (uint64_t)thrown_of(value),
                               .game = game,
                               .purpose = RANDOM_CHOICE};
}

/* Prepares the next stage: in the first sweep it starts with the weights of the one after it. */
static void begin_stage(struct value *value)
{
    const int thrown = thrown_of(value);
    const struct end_value_stage *stages = value->after->stage;

    value->maker.stream = sweep_of(value) * END_VALUE_STREAMS;
    value->maker.ends = wanted_ends(value);
    value->count = 0;
    end_value_fitting_free(value->fitting);
    value->fitting = NULL;
    const struct random_key key = fit_key(value, 0);
    if (sweep_of(value) > 0)
        *value->stage = stages[thrown - 1];
    else if (thrown < END_VALUE_STAGES)
        *value->stage = stages[thrown];
    else
        end_value_fit_start(&key, value->stage);
}

static void *zeroed(size_t alignment, size_t size)
{
    void *room = aligned_alloc(alignment, size);

    if (room)
        memset(room, 0, size);
    return room;
}

static bool allocate(struct value *value)
{
    const size_t examples = wanted_examples(value), ends = (examples + 1) / 2;

    value->pool = pool_new(value->common.threads);
    value->before = zeroed(_Alignof(struct end_value), sizeof *value->before);
    value->after = zeroed(_Alignof(struct end_value), sizeof *value->after);
    value->stage = zeroed(_Alignof(struct end_value_stage), sizeof *value->stage);
    value->examples = malloc(examples * sizeof *value->examples);
    value->maker.played = malloc(ends * POSITION_STONES * sizeof *value->maker.played);
    return value->pool && value->before && value->after && value->stage && value->examples &&
           value->maker.played;
}

static struct value *new_value(const struct learner_class *class, const struct learner_game *game,
                               const struct learner_common *common,
                               const struct learner_hyper *hyper, char *ret_error)
{
    const struct curling_learner_settings *curling = curling_learner_settings_of(game);
    struct value *value;

    if (!curling || curling->rules->shots != POSITION_STONES || curling->rules->preplaced) {
        fail(ret_error, "profile: it learns curling with ends of 16 shots, nothing else");
        return NULL;
    }
    if ((value = calloc(1, sizeof *value)) != NULL) {
        *value = (struct value){.learner.class = class, .common = *common, .rules = curling->rules};
        hyper_fill(fields, sizeof fields / sizeof *fields, hyper, &value->settings);
        value->maker = end_value_maker_of(value->rules, NULL);
        value->maker.seed = common->seed;
        value->maker.simulations = (int64_t)value->settings.simulations;
        if (allocate(value))
            return value;
        value_free(&value->learner);
    }
    fail(ret_error, "no memory");
    return NULL;
}

static struct learner *value_make(const struct learner_class *class,
                                  const struct learner_game *game,
                                  const struct learner_common *common,
                                  const struct learner_hyper *hyper,
                                  char ret_error[LEARNER_ERROR_MAX])
{
    struct value *value = new_value(class, game, common, hyper, ret_error);

    if (!value)
        return NULL;
    begin_stage(value);
    return &value->learner;
}

/* ---- steps ---- */

/* A shard of ends or examples. */
struct shard {
    struct value *value;
    size_t first;
    bool (*make)(struct value *value, size_t index); /* false: a player failed */
};

static void make_one(void *context, size_t index, int thread)
{
    struct shard *shard = context;

    (void)thread;
    if (!shard->make(shard->value, shard->first + index))
        pool_stop(shard->value->pool);
}

static bool play_end(struct value *value, size_t index)
{
    return end_value_play_end(&value->maker, index);
}

static bool make_example(struct value *value, size_t index)
{
    return end_value_make_example(&value->maker, thrown_of(value), index, &value->examples[index]);
}

/* Makes the next ones of `wanted`, at most `most`, by these networks. */
static bool make_shard(struct value *value, size_t *count, size_t wanted, size_t most,
                       const struct end_value *network,
                       bool (*make)(struct value *value, size_t index), char *ret_error)
{
    struct shard shard = {.value = value, .first = *count, .make = make};
    const size_t left = wanted - *count, some = left < most ? left : most;

    value->maker.settings.value.network = network;
    if (!pool_run(value->pool, some, make_one, &shard))
        return fail(ret_error, "a player could not choose a shot: no memory");
    *count += some;
    return true;
}

static bool end_stage(struct value *value, char *ret_error)
{
    struct end_value_fit_report *quality = &value->state.quality;

    end_value_fitting_judge(value->fitting, quality);
    value->is_judged = true;
    if (!isfinite(quality->entropy) || !isfinite(quality->score_rms)) {
        quality->entropy = (double)NAN; /* so that the loss says it */
        return fail(ret_error, net_status_text(NET_NOT_FINITE));
    }
    value->after->stage[thrown_of(value) - 1] = *value->stage;
    value->state.stages++;
    if (value->state.stages % END_VALUE_STAGES == 0) { /* the sweep is complete */
        *value->before = *value->after;
        value->ends = 0;
    }
    begin_stage(value);
    return true;
}

static bool fit(struct value *value, char *ret_error)
{
    const struct random_key key = fit_key(value, 1);
    const size_t count = wanted_examples(value);

    if (!value->fitting)
        value->fitting = end_value_fitting_new(value->examples, count, held_out(value),
                                               (int)value->settings.epochs, value->settings.rate,
                                               &key, value->stage);
    if (!value->fitting)
        return fail(ret_error, "no memory for the fit");
    const uint64_t before = end_value_fitting_batches(value->fitting);
    bool goes_on = end_value_fitting_go(value->fitting, BATCHES);
    value->state.updates += end_value_fitting_batches(value->fitting) - before;
    return goes_on || end_stage(value, ret_error);
}

static bool value_step(struct learner *learner, char ret_error[LEARNER_ERROR_MAX])
{
    struct value *value = (struct value *)learner;
    double start_s = pool_thread_s();
    bool good;

    if (value->state.stages >= STAGES_MOST)
        return fail(ret_error, "no random streams are left for another sweep");
    if (value->ends < wanted_ends(value)) {
        good = make_shard(value, &value->ends, wanted_ends(value), SHARD_ENDS, value->before,
                          play_end, ret_error);
        value->play_s += pool_thread_s() - start_s;
    } else if (value->count < wanted_examples(value)) {
        const size_t before = value->count;
        good = make_shard(value, &value->count, wanted_examples(value), SHARD_EXAMPLES,
                          value->after, make_example, ret_error);
        value->state.examples += value->count - before;
        value->play_s += pool_thread_s() - start_s;
    } else {
        good = fit(value, ret_error);
        value->learn_s += pool_thread_s() - start_s;
    }
    return good;
}

/* ---- reports and files ---- */

static void value_report(const struct learner *learner, struct learner_report *ret_report)
{
    const struct value *value = (const struct value *)learner;
    const struct value_state *state = &value->state;
    const double none = (double)NAN;
    const bool known = value->is_judged;
    const uint64_t last = state->stages > 0 ? state->stages - 1 : 0;

    *ret_report =
        (struct learner_report){.steps = state->examples,
                                .games = state->stages,
                                .decisions = state->examples,
                                .throws = state->examples * (uint64_t)value->settings.simulations,
                                .updates = known ? state->updates : 0,
                                .work = work_done(value),
                                .explore = none,
                                .anticipatory = none,
                                .reward = {none, none},
                                .entropy = {none, none},
                                .losses = 1,
                                .loss = {{"loss/held_out", known ? state->quality.entropy : none}},
                                .play_s = value->play_s,
                                .learn_s = value->learn_s};
    learner_add_figure(ret_report, "held_out/rms", known ? state->quality.score_rms : none);
    learner_add_figure(ret_report, "held_out/spread", known ? state->quality.score_spread : none);
    learner_add_figure(ret_report, "value/thrown",
                       known ? (double)(END_VALUE_STAGES - last % END_VALUE_STAGES) : none);
    learner_add_figure(ret_report, "value/sweep",
                       known ? (double)(last / END_VALUE_STAGES + 1) : none);
}

static int value_policies(const struct learner *learner,
                          struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX])
{
    (void)learner;
    ret_policies[0] = (struct learner_policy_view){.name = "value"};
    return 1;
}

static unsigned char *value_policy_file(const struct learner *learner, size_t *ret_size)
{
    const struct value *value = (const struct value *)learner;
    unsigned char *bytes = NULL;
    json_t *notes = json_pack("{s:s, s:s, s:s, s:o}", END_VALUE_NOTE, "1", "profile",
                              value->rules->name, "algorithm", value->learner.class->name, "step",
                              json_sprintf("%lld", (long long)value->state.stages));
    bool good = notes && end_value_write(value->after, notes, &bytes, ret_size) == NET_OK;

    json_decref(notes);
    return good ? bytes : NULL;
}

static bool write_network(const struct end_value *network, FILE *file)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    bool good = end_value_write(network, NULL, &bytes, &size) == NET_OK;
    const uint64_t length = size;

    good = good && fwrite(&length, sizeof length, 1, file) == 1 &&
           fwrite(bytes, 1, size, file) == size;
    free(bytes);
    return good;
}

static bool value_write(const struct learner *learner, FILE *file)
{
    const struct value *value = (const struct value *)learner;
    struct value_state state = value->state;

    /* The stage in progress begins anew. */
    state.examples -= value->count;
    state.updates -= value->fitting ? end_value_fitting_batches(value->fitting) : 0;
    return fwrite(magic, sizeof magic, 1, file) == 1 &&
           fwrite(&state, sizeof state, 1, file) == 1 && write_network(value->before, file) &&
           write_network(value->after, file);
}

static bool read_network(FILE *file, struct end_value *ret_network)
{
    enum { BYTES_MOST = 1 << 26 };
    uint64_t length;

    if (fread(&length, sizeof length, 1, file) != 1 || length > BYTES_MOST)
        return false;
    unsigned char *bytes = malloc(length + 1);
    bool good = bytes && fread(bytes, 1, length, file) == length &&
                end_value_read(bytes, length, ret_network) == NET_OK;
    free(bytes);
    return good;
}

static bool read_state(struct value *value, FILE *file)
{
    char mark[sizeof magic];

    return fread(mark, sizeof mark, 1, file) == 1 && memcmp(mark, magic, sizeof magic) == 0 &&
           fread(&value->state, sizeof value->state, 1, file) == 1 &&
           value->state.stages <= STAGES_MOST && read_network(file, value->before) &&
           read_network(file, value->after);
}

static struct learner *value_read(const struct learner_class *class,
                                  const struct learner_game *game,
                                  const struct learner_common *common,
                                  const struct learner_hyper *hyper, FILE *file,
                                  char ret_error[LEARNER_ERROR_MAX])
{
    struct value *value = new_value(class, game, common, hyper, ret_error);

    if (!value)
        return NULL;
    if (read_state(value, file)) {
        value->is_judged = value->state.stages > 0;
        begin_stage(value);
        return &value->learner;
    }
    fail(ret_error, "the checkpoint is broken or belongs to other settings");
    value_free(&value->learner);
    return NULL;
}

const struct learner_class learner_value = {.name = "value",
                                            .fields = fields,
                                            .field_count = sizeof fields / sizeof *fields,
                                            .make = value_make,
                                            .free = value_free,
                                            .step = value_step,
                                            .report = value_report,
                                            .policies = value_policies,
                                            .policy_file = value_policy_file,
                                            .write = value_write,
                                            .read = value_read};
