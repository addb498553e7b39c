/* Fitted value iteration for the end-value network (workers/learn/values/end_value_examples.h):
 * sweeps over its stages, from the last shot of an end to the first. As rink-fit-value does it: one
 * sweep with the same settings gives the same weights.
 *
 * A round of the run (rounds.h) is a stage. Its items are examples and, in further sweeps, ends
 * that the network of the last sweep plays, which all stages of the sweep share. */
#include "workers/learn/algorithms/rounds.h"
#include "workers/learn/games/curling_learner.h"
#include "workers/learn/values/end_value_examples.h"

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

enum { PART_ENDS, PART_EXAMPLES, PARTS };

/* What is known of a stage: rounds_state.quality. */
enum { ENTROPY, SCORE_RMS, SCORE_SPREAD, QUALITIES };

/* In a file, a position is its stones in play as a number and 16 places, 0,0 for the others. */
enum {
    POSITION_BYTES = 2 + POSITION_STONES * 2 * 8,
    END_BYTES = POSITION_STONES * POSITION_BYTES, /* before each shot */
    EXAMPLE_BYTES = POSITION_BYTES + END_VALUE_SCORES * 4
};

struct value {
    struct rounds rounds; /* must be first */
    const struct rules *rules;
    struct end_value *before, *after; /* as the sweep began, and with its finished stages */
    struct end_value_maker maker;     /* of the sweep */

    /* of the stage that is being fitted */
    struct end_value_example *examples;
    struct end_value_stage *stage;
    struct end_value_fitting *fitting; /* NULL: not begun */
};

static const struct value_settings *settings_of(const double *settings)
{
    return (const struct value_settings *)(const void *)settings;
}

static struct value *value_of(struct rounds *rounds)
{
    return (struct value *)rounds;
}

static uint64_t sweep_of(uint64_t round)
{
    return round / END_VALUE_STAGES;
}

/* Returns the number of shots thrown in a stage. */
static int thrown_in(uint64_t round)
{
    return END_VALUE_STAGES - (int)(round % END_VALUE_STAGES);
}

static int thrown_of(const struct value *value)
{
    return thrown_in(value->rounds.state.games);
}

static size_t wanted_examples(const double *settings, uint64_t round)
{
    (void)round;
    return (size_t)settings_of(settings)->states;
}

/* Returns the ends from which so many examples of each stage come. */
static size_t ends_for(size_t examples)
{
    return (examples + END_VALUE_PER_END - 1) / END_VALUE_PER_END;
}

static size_t wanted_ends(const double *settings, uint64_t round)
{
    return sweep_of(round) > 0 ? ends_for(wanted_examples(settings, round)) : 0;
}

static uint64_t batch_of_examples(uint64_t round)
{
    return round;
}

static uint64_t batch_of_ends(uint64_t round)
{
    return round - round % END_VALUE_STAGES;
}

static size_t held_out(const struct value *value)
{
    const struct value_settings *set = settings_of(value->rounds.settings);
    size_t some = (size_t)(set->held_out * set->states);

    return some < 2 ? 2 : some;
}

static void value_costs(const double *settings, uint64_t round, double *ret_make, double *ret_fit)
{
    enum { PASS_COST = 5 }; /* of an example, in throws: about right */

    (void)round;
    *ret_make = settings_of(settings)->simulations;
    *ret_fit = PASS_COST * settings_of(settings)->epochs;
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
    rounds_clean_up(&value->rounds);
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
    return (struct random_key){.seed = value->rounds.common.seed,
                               .stream = value->maker.stream + (uint64_t)thrown_of(value),
                               .game = game,
                               .purpose = RANDOM_CHOICE};
}

/* In the first sweep a stage starts with the weights of the one after it. */
static bool begin_stage(struct rounds *rounds, char *ret_error)
{
    struct value *value = value_of(rounds);
    const uint64_t round = rounds->state.games;
    const int thrown = thrown_of(value);
    const struct end_value_stage *stages = value->after->stage;

    (void)ret_error;
    value->maker.stream = sweep_of(round) * END_VALUE_STREAMS;
    value->maker.ends = wanted_ends(rounds->settings, round);
    end_value_fitting_free(value->fitting);
    value->fitting = NULL;
    const struct random_key key = fit_key(value, 0);
    if (sweep_of(round) > 0)
        *value->stage = stages[thrown - 1];
    else if (thrown < END_VALUE_STAGES)
        *value->stage = stages[thrown];
    else
        end_value_fit_start(&key, value->stage);
    return true;
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
    const size_t examples = wanted_examples(value->rounds.settings, 0), ends = ends_for(examples);

    value->before = zeroed(_Alignof(struct end_value), sizeof *value->before);
    value->after = zeroed(_Alignof(struct end_value), sizeof *value->after);
    value->stage = zeroed(_Alignof(struct end_value_stage), sizeof *value->stage);
    value->examples = malloc(examples * sizeof *value->examples);
    value->maker.played = malloc(ends * POSITION_STONES * sizeof *value->maker.played);
    return value->before && value->after && value->stage && value->examples && value->maker.played;
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
        *value = (struct value){.rounds.learner.class = class, .rules = curling->rules};
        value->maker = end_value_maker_of(value->rules, NULL);
        value->maker.seed = common->seed;
        if (rounds_set_up(&value->rounds, class->rounds, curling->rules, common, hyper) &&
            allocate(value)) {
            value->maker.simulations = (int64_t)settings_of(value->rounds.settings)->simulations;
            return value;
        }
        value_free(&value->rounds.learner);
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
    rounds_begin(&value->rounds, ret_error);
    return &value->rounds.learner;
}

/* ---- items ---- */

static void by_before(struct rounds *rounds)
{
    value_of(rounds)->maker.settings.value.network = value_of(rounds)->before;
}

static void by_after(struct rounds *rounds)
{
    value_of(rounds)->maker.settings.value.network = value_of(rounds)->after;
}

static bool play_end(struct rounds *rounds, size_t index, int thread)
{
    (void)thread;
    return end_value_play_end(&value_of(rounds)->maker, index);
}

static bool make_example(struct rounds *rounds, size_t index, int thread)
{
    struct value *value = value_of(rounds);

    (void)thread;
    return end_value_make_example(&value->maker, thrown_of(value), index, &value->examples[index]);
}

static void pack_position(const struct position *position, unsigned char *to)
{
    memcpy(to, &position->in_play, 2);
    for (int k = 0; k < POSITION_STONES; k++) {
        const struct vec2 none = {0.0, 0.0},
                          at = position_has(position, k) ? position->stone[k] : none;
        const double places[2] = {at.x, at.y};
        memcpy(to + 2 + k * 16, places, sizeof places);
    }
}

static struct position open_position(const unsigned char *from)
{
    struct position position = {.in_play = 0};

    memcpy(&position.in_play, from, 2);
    for (int k = 0; k < POSITION_STONES; k++) {
        double places[2];
        memcpy(places, from + 2 + k * 16, sizeof places);
        position.stone[k] = (struct vec2){places[0], places[1]};
    }
    return position;
}

/* Whether these are stones on the sheet, none of them thrown later than the first `thrown`. */
static bool is_position(const unsigned char *from, const struct rules *rules, int thrown)
{
    const struct position position = open_position(from);
    if (position.in_play >> thrown != 0)
        return false;
    for (int k = 0; k < POSITION_STONES; k++) {
        const struct vec2 at = position.stone[k];
        bool is_good = position_has(&position, k)
                           ? rounds_on_sheet(rules, at)
                           : memcmp(from + 2 + k * 16, (const unsigned char[16]){0}, 16) == 0;
        if (!is_good)
            return false;
    }
    return true;
}

static void pack_end(const struct rounds *rounds, size_t index, unsigned char *ret_bytes)
{
    const struct value *value = (const struct value *)rounds;

    for (size_t shot = 0; shot < POSITION_STONES; shot++)
        pack_position(&value->maker.played[index * POSITION_STONES + shot],
                      ret_bytes + shot * POSITION_BYTES);
}

static bool is_end(const unsigned char *bytes, const struct rules *rules, uint64_t round)
{
    (void)round;
    for (int shot = 0; shot < POSITION_STONES; shot++)
        if (!is_position(bytes + shot * POSITION_BYTES, rules, shot))
            return false;
    return true;
}

static void take_end(struct rounds *rounds, size_t index, const unsigned char *bytes)
{
    for (size_t shot = 0; shot < POSITION_STONES; shot++)
        value_of(rounds)->maker.played[index * POSITION_STONES + shot] =
            open_position(bytes + shot * POSITION_BYTES);
}

static void pack_example(const struct rounds *rounds, size_t index, unsigned char *ret_bytes)
{
    const struct value *value = (const struct value *)rounds;

    pack_position(&value->examples[index].position, ret_bytes);
    memcpy(ret_bytes + POSITION_BYTES, value->examples[index].scores,
           sizeof value->examples[index].scores);
}

static bool is_example(const unsigned char *bytes, const struct rules *rules, uint64_t round)
{
    float scores[END_VALUE_SCORES];
    double sum = 0.0;

    memcpy(scores, bytes + POSITION_BYTES, sizeof scores);
    for (int k = 0; k < END_VALUE_SCORES; k++) {
        if (!(scores[k] >= 0.0f && scores[k] <= 1.0f + 1e-4f))
            return false; /* also what is not a number */
        sum += (double)scores[k];
    }
    return fabs(sum - 1.0) < 1e-3 && is_position(bytes, rules, thrown_in(round));
}

static void take_example(struct rounds *rounds, size_t index, const unsigned char *bytes)
{
    struct value *value = value_of(rounds);

    value->examples[index].position = open_position(bytes);
    memcpy(value->examples[index].scores, bytes + POSITION_BYTES,
           sizeof value->examples[index].scores);
}

/* ---- the fit ---- */

static enum rounds_fit end_stage(struct value *value, char *ret_error)
{
    struct rounds_state *state = &value->rounds.state;
    struct end_value_fit_report report;

    end_value_fitting_judge(value->fitting, &report);
    state->quality[ENTROPY] = report.entropy;
    state->quality[SCORE_RMS] = report.score_rms;
    state->quality[SCORE_SPREAD] = report.score_spread;
    if (!isfinite(report.entropy) || !isfinite(report.score_rms)) {
        state->quality[ENTROPY] = (double)NAN; /* so that the loss says it */
        value->rounds.is_judged = true;
        fail(ret_error, net_status_text(NET_NOT_FINITE));
        return ROUNDS_FAILED;
    }
    value->after->stage[thrown_of(value) - 1] = *value->stage;
    if (thrown_of(value) == 1) /* the sweep is complete */
        *value->before = *value->after;
    return ROUNDS_FITTED;
}

static enum rounds_fit fit(struct rounds *rounds, char *ret_error)
{
    struct value *value = value_of(rounds);
    const struct value_settings *set = settings_of(rounds->settings);
    const struct random_key key = fit_key(value, 1);

    if (!value->fitting)
        value->fitting = end_value_fitting_new(
            value->examples, wanted_examples(rounds->settings, rounds->state.games),
            held_out(value), (int)set->epochs, set->rate, &key, value->stage);
    if (!value->fitting) {
        fail(ret_error, "no memory for the fit");
        return ROUNDS_FAILED;
    }
    const uint64_t before = end_value_fitting_batches(value->fitting);
    bool goes_on = end_value_fitting_go(value->fitting, BATCHES);
    const uint64_t done = end_value_fitting_batches(value->fitting) - before;
    rounds->state.updates += done;
    rounds->updated += done;
    return goes_on ? ROUNDS_GOES_ON : end_stage(value, ret_error);
}

static double fitted(const struct rounds *rounds)
{
    const struct value *value = (const struct value *)rounds;

    return value->fitting ? end_value_fitting_share(value->fitting) : 0.0;
}

/* ---- reports and files ---- */

static void value_report(const struct learner *learner, struct learner_report *ret_report)
{
    const struct rounds *rounds = (const struct rounds *)learner;
    const struct rounds_state *state = &rounds->state;
    const double none = (double)NAN;
    const bool known = rounds->is_judged;
    const uint64_t last = state->games > 0 ? state->games - 1 : 0;

    rounds_report(rounds, ret_report);
    ret_report->throws = state->items * (uint64_t)settings_of(rounds->settings)->simulations;
    ret_report->work = rounds_work(rounds);
    ret_report->loss[0] =
        (struct learner_loss){"loss/held_out", known ? state->quality[ENTROPY] : none};
    learner_add_figure(ret_report, "held_out/rms", known ? state->quality[SCORE_RMS] : none);
    learner_add_figure(ret_report, "held_out/spread", known ? state->quality[SCORE_SPREAD] : none);
    learner_add_figure(ret_report, "value/thrown", known ? (double)thrown_in(last) : none);
    learner_add_figure(ret_report, "value/sweep", known ? (double)(sweep_of(last) + 1) : none);
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
    json_t *notes = json_pack("{s:s, s:s, s:s, s:o}", END_VALUE_NOTE, END_VALUE_VERSION, "profile",
                              value->rules->name, "algorithm", value->rounds.learner.class->name,
                              "step", json_sprintf("%lld", (long long)value->rounds.state.games));
    bool good = notes && end_value_write(value->after, notes, &bytes, ret_size) == NET_OK;

    json_decref(notes);
    return good ? bytes : NULL;
}

/* Networks in a file. Most stages of a run are 0 for long, and the two networks share many, so only
 * stages that differ are written: a head with a bit for each, then their weights. Files from before
 * have stages without places; the oldest have whole networks, there the head is the length of one.
 */
#define STAGES_ALONE  (UINT64_C(1) << 63)
#define STAGES_PLACED (UINT64_C(1) << 62)

enum {
    STAGE_BYTES = END_VALUE_WEIGHTS * sizeof(float),
    PLAIN_BYTES = END_VALUE_PLAIN * sizeof(float)
};

/* Whether two stages have the same weights; `other` NULL: whether nobody has fitted the stage. */
static bool is_same(const struct end_value_stage *stage, const struct end_value_stage *other)
{
    return other ? memcmp(stage, other, STAGE_BYTES) == 0 : end_value_is_empty(stage);
}

/* Writes the stages in which a network differs from another one; NULL: from 0. */
static bool write_stages(const struct end_value *network, const struct end_value *other, FILE *file)
{
    uint64_t head = STAGES_ALONE | STAGES_PLACED;

    for (int k = 0; k < END_VALUE_STAGES; k++)
        if (!is_same(&network->stage[k], other ? &other->stage[k] : NULL))
            head |= UINT64_C(1) << k;
    bool good = fwrite(&head, sizeof head, 1, file) == 1;
    for (int k = 0; k < END_VALUE_STAGES && good; k++)
        if (head >> k & 1)
            good = fwrite(&network->stage[k], STAGE_BYTES, 1, file) == 1;
    return good;
}

static bool write_networks(const struct rounds *rounds, FILE *file)
{
    const struct value *value = (const struct value *)rounds;

    return write_stages(value->before, NULL, file) &&
           write_stages(value->after, value->before, file);
}

static bool read_whole(FILE *file, uint64_t length, struct end_value *ret_network)
{
    enum { BYTES_MOST = 1 << 26 };

    if (length > BYTES_MOST)
        return false;
    unsigned char *bytes = malloc(length + 1);
    bool good = bytes && fread(bytes, 1, length, file) == length &&
                end_value_read(bytes, length, ret_network) == NET_OK;
    free(bytes);
    return good;
}

static bool read_stage(FILE *file, bool has_places, struct end_value_stage *ret_stage)
{
    const float *weights = (const float *)(const void *)ret_stage;

    memset(ret_stage, 0, sizeof *ret_stage);
    if (fread(ret_stage, has_places ? STAGE_BYTES : PLAIN_BYTES, 1, file) != 1)
        return false;
    for (int k = 0; k < END_VALUE_WEIGHTS; k++)
        if (!isfinite(weights[k]))
            return false;
    end_value_find_places(ret_stage);
    return true;
}

/* Reads a network; stages that are not in the file are those of `other`, or 0 as they are. */
static bool read_network(FILE *file, const struct end_value *other, struct end_value *ret_network)
{
    uint64_t head;

    if (fread(&head, sizeof head, 1, file) != 1)
        return false;
    if (!(head & STAGES_ALONE))
        return read_whole(file, head, ret_network);
    if (other)
        *ret_network = *other;
    const bool has_places = (head & STAGES_PLACED) != 0;
    head &= ~STAGES_PLACED;
    bool good = (head ^ STAGES_ALONE) >> END_VALUE_STAGES == 0;
    for (int k = 0; k < END_VALUE_STAGES && good; k++)
        if (head >> k & 1)
            good = read_stage(file, has_places, &ret_network->stage[k]);
    return good;
}

static bool read_networks(struct rounds *rounds, FILE *file)
{
    struct value *value = value_of(rounds);

    return read_network(file, NULL, value->before) &&
           read_network(file, value->before, value->after);
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
    if (rounds_read(&value->rounds, file)) {
        rounds_begin(&value->rounds, ret_error);
        return &value->rounds.learner;
    }
    fail(ret_error, "the checkpoint is broken or belongs to other settings");
    value_free(&value->rounds.learner);
    return NULL;
}

static const struct rounds_class value_rounds = {
    .magic = "rinkval",
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .rounds_most = STAGES_MOST,
    .quality = QUALITIES,
    .parts = PARTS,
    .part = {[PART_ENDS] = {.name = "ends",
                            .item_bytes = END_BYTES,
                            .at_once = SHARD_ENDS,
                            .wanted = wanted_ends,
                            .batch = batch_of_ends,
                            .prepare = by_before,
                            .make = play_end,
                            .pack = pack_end,
                            .is_sound = is_end,
                            .take = take_end},
             [PART_EXAMPLES] = {.name = "examples",
                                .item_bytes = EXAMPLE_BYTES,
                                .at_once = SHARD_EXAMPLES,
                                .counts = true,
                                .wanted = wanted_examples,
                                .batch = batch_of_examples,
                                .prepare = by_after,
                                .make = make_example,
                                .pack = pack_example,
                                .is_sound = is_example,
                                .take = take_example}},
    .costs = value_costs,
    .begin = begin_stage,
    .fit = fit,
    .fitted = fitted,
    .write = write_networks,
    .read = read_networks};

_Static_assert((int)END_BYTES <= (int)ROUNDS_ITEM_MAX && (int)QUALITIES <= (int)ROUNDS_QUALITY_MAX,
               "the frame has room for it");

const struct learner_class learner_value = {.name = "value",
                                            .rounds = &value_rounds,
                                            .fields = fields,
                                            .field_count = sizeof fields / sizeof *fields,
                                            .make = value_make,
                                            .free = value_free,
                                            .step = rounds_step,
                                            .report = value_report,
                                            .policies = value_policies,
                                            .policy_file = value_policy_file,
                                            .write = rounds_write,
                                            .read = value_read};
