/* Generalised policy iteration for digital curling: Monte Carlo control with a network for each
 * shot number m, Q_m(stones, velocity, spin), and greedy play by the best of many random shots
 * (workers/search/policy/shot_values.h). Iteration k learns Q^k from ends whose other shots are
 * chosen by Q^(k-1) (gpi_samples.h); the policy pi_k throws the best shot by Q^k, and pi_0 a random
 * one.
 *
 * The paper's networks are convolutions over a picture of the sheet, with 1e7 weights, learned from
 * 3e8 samples an iteration. Ours are small and see features of stones and of the shot's path.
 *
 * A round of the run (rounds.h) is a network: the shots of an iteration from the last to the first.
 * Its items are samples. */
#include "workers/learn/algorithms/gpi_samples.h"
#include "workers/learn/algorithms/rounds.h"
#include "workers/learn/games/curling_learner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gpi_settings {
    HYPER_GPI(HYPER_MEMBER, HYPER_MEMBER, HYPER_MEMBER)
};

#define NUMBER(...)    HYPER_FIELD(struct gpi_settings, __VA_ARGS__)
#define OPTIMISER(...) HYPER_OPTIMISER_FIELD(struct gpi_settings, __VA_ARGS__)
static const struct hyper_field fields[] = {HYPER_GPI(NUMBER, NUMBER, OPTIMISER)};

enum {
    SHARD = 256,       /* samples of a step */
    UPDATES = 200,     /* of a step */
    BATCH_MOST = 4096, /* as in HYPER_GPI */
    NETWORKS_MOST = 1 << 20
};
#define RATE_LEFT 0.05 /* the step size falls to this share */

/* How well a network predicts the samples that it did not learn from: rounds_state.quality. R² and
 * correlation of the expected score and the score, of counting stones after the shot and the score;
 * cross-entropy in nats. */
enum { R2, CORRELATION, COUNTING_R2, COUNTING_CORRELATION, LOSS, QUALITIES };

struct gpi {
    struct rounds rounds; /* must be first */
    struct gpi_round round;
    struct policy *before,
        *after;             /* Q^(k-1), NULL in iteration 1, and Q^k, complete from m + 1 on */
    struct policy **copies; /* [threads] of `before` */

    /* of the network that is being learned */
    struct net *net;
    size_t room; /* samples */
    struct gpi_sample *samples;
    float *inputs, *outputs, *slopes;
};

static struct gpi *gpi_of(struct rounds *rounds)
{
    return (struct gpi *)rounds;
}

static const struct gpi_settings *settings_of(const double *settings)
{
    return (const struct gpi_settings *)(const void *)settings;
}

static const struct gpi_settings *set_of(const struct gpi *gpi)
{
    return settings_of(gpi->rounds.settings);
}

static int iteration_of(uint64_t round)
{
    return (int)(round / POLICY_THROWN) + 1;
}

static int shot_of_round(uint64_t round)
{
    return POLICY_THROWN - 1 - (int)(round % POLICY_THROWN);
}

static size_t wanted_samples(const double *settings, uint64_t round)
{
    const struct gpi_settings *set = settings_of(settings);

    return (size_t)(iteration_of(round) > 1 ? set->samples : set->first_samples);
}

static uint64_t batch_of(uint64_t round)
{
    return round;
}

static size_t learned_samples(const struct gpi *gpi)
{
    size_t held_out = (size_t)(set_of(gpi)->held_out * (double)gpi->room);

    return gpi->room - (held_out < 2 ? 2 : held_out);
}

static size_t wanted_updates(const struct gpi *gpi)
{
    double updates = set_of(gpi)->epochs * (double)learned_samples(gpi) / set_of(gpi)->batch;

    return updates < 1.0 ? 1 : (size_t)updates;
}

/* Durations of the parts of a sample, of one size with those of a throw: about right for estimates.
 */
#define THROWS_COST (double)POLICY_THROWN
#define DRAW_COST   0.8
#define LEARN_COST  8.0

/* Returns the cost of a sample of the first iteration, or on average of a later one, and that of
 * learning from it. */
static double play_cost(const struct gpi_settings *set, bool first)
{
    double draws = set->draws_before + set->draws_after;

    return first ? THROWS_COST : THROWS_COST + DRAW_COST * draws * 0.5 * (POLICY_THROWN - 1);
}

static double learn_cost(const struct gpi_settings *set)
{
    return LEARN_COST * set->epochs;
}

static void gpi_costs(const double *settings, uint64_t round, double *ret_make, double *ret_fit)
{
    *ret_make = play_cost(settings_of(settings), iteration_of(round) == 1);
    *ret_fit = learn_cost(settings_of(settings));
}

static double fitted(const struct rounds *rounds)
{
    const struct gpi *gpi = (const struct gpi *)rounds;

    return (double)rounds->updated / (double)wanted_updates(gpi);
}

/* Returns the work done in units of a network of a later iteration. */
static double work_done(const struct gpi *gpi)
{
    const struct gpi_settings *set = set_of(gpi);
    double first = set->first_samples * (play_cost(set, true) + learn_cost(set)),
           later = set->samples * (play_cost(set, false) + learn_cost(set)),
           networks = (double)gpi->rounds.state.games, of_first = fmin(networks, POLICY_THROWN),
           now = (double)gpi->rounds.made[0] * play_cost(set, !gpi->before) +
                 (double)gpi->room * learn_cost(set) * fitted(&gpi->rounds);

    return (first * of_first + now) / later + networks - of_first;
}

static bool fail(char *ret_error, const char *why)
{
    snprintf(ret_error, LEARNER_ERROR_MAX, "gpi: %s", why);
    return false;
}

/* ---- making and freeing ---- */

static void forget_copies(struct gpi *gpi)
{
    for (int k = 0; gpi->copies && k < pool_threads(gpi->rounds.pool); k++) {
        policy_free(gpi->copies[k]);
        gpi->copies[k] = NULL;
    }
}

static void gpi_free(struct learner *learner)
{
    struct gpi *gpi = (struct gpi *)learner;

    forget_copies(gpi);
    policy_free(gpi->before);
    policy_free(gpi->after);
    net_free(gpi->net);
    rounds_clean_up(&gpi->rounds);
    free(gpi->copies);
    free(gpi->samples);
    free(gpi->inputs);
    free(gpi);
}

static struct policy_form form_of(const struct gpi *gpi)
{
    struct policy_form form = {.architecture = "mlp",
                               .hidden = {(int)set_of(gpi)->hidden, (int)set_of(gpi)->hidden2},
                               .sees = POLICY_SEES_SHOTS,
                               .outputs = POLICY_LOGITS,
                               .actions = POLICY_SHOT_SCORES,
                               .algorithm = "gpi",
                               .policy = "gpi",
                               .step = (int64_t)gpi->rounds.state.games};

    snprintf(form.profile, sizeof form.profile, "%s", gpi->round.rules->name);
    return form;
}

/* Prepares the next network: it starts with the weights of the one before it for the same shot. */
static bool begin_network(struct rounds *rounds, char *ret_error)
{
    struct gpi *gpi = gpi_of(rounds);
    const uint64_t round = rounds->state.games;
    int shot = shot_of_round(round);
    const struct policy_form form = form_of(gpi);
    struct net_spec spec = policy_net_spec(&form, rounds->common.seed ^ (uint64_t)shot << 32);

    gpi->round.iteration = iteration_of(round);
    gpi->round.shot = shot;
    gpi->room = wanted_samples(rounds->settings, round);
    net_free(gpi->net);
    gpi->net = NULL;
    free(gpi->samples);
    gpi->samples = malloc(gpi->room * sizeof *gpi->samples);
    if (!gpi->samples)
        return fail(ret_error, "no memory for the samples");
    if (net_new(&spec, "cpu", &gpi->net, ret_error) != NET_OK)
        return false;
    for (int k = 0; gpi->before && k < pool_threads(gpi->rounds.pool); k++)
        if (!gpi->copies[k] &&
            policy_copy(gpi->before, "cpu", &gpi->copies[k], ret_error) != NET_OK)
            return false;
    /* Without the optimiser's state, which a checkpoint does not keep. */
    return !gpi->before || net_copy_first_outputs(gpi->before->net[shot], gpi->net) == NET_OK ||
           fail(ret_error, "the weights cannot be copied");
}

static struct gpi *new_gpi(const struct learner_class *class, const struct learner_game *game,
                           const struct learner_common *common, const struct learner_hyper *hyper,
                           char *ret_error)
{
    const struct curling_learner_settings *curling = curling_learner_settings_of(game);
    struct gpi *gpi = curling ? calloc(1, sizeof *gpi) : NULL;

    if (!curling || curling->rules->shots != POLICY_THROWN) {
        free(gpi);
        fail(ret_error, "profile: it learns curling with ends of 16 shots, nothing else");
        return NULL;
    }
    if (gpi) {
        const struct ice_profile *ice = profile_of(curling->rules)->ice;
        gpi->rounds.learner.class = class;
        bool good = rounds_set_up(&gpi->rounds, class->rounds, curling->rules, common, hyper);
        const struct gpi_settings *set = set_of(gpi);
        gpi->round = (struct gpi_round){.rules = curling->rules,
                                        .noise = curling->noise,
                                        .box = shot_box_of(ice),
                                        .seed = common->seed,
                                        .draws_before = (int)set->draws_before,
                                        .draws_after = (int)set->draws_after};
        size_t row = POLICY_SHOTS_INPUTS + 2 * POLICY_SHOT_SCORES, batch = (size_t)set->batch;
        gpi->copies =
            good ? calloc((size_t)pool_threads(gpi->rounds.pool), sizeof *gpi->copies) : NULL;
        gpi->inputs = malloc(batch * row * sizeof *gpi->inputs);
        if (gpi->inputs) {
            gpi->outputs = gpi->inputs + batch * POLICY_SHOTS_INPUTS;
            gpi->slopes = gpi->outputs + batch * POLICY_SHOT_SCORES;
        }
    }
    if (gpi && gpi->copies && gpi->inputs)
        return gpi;
    if (gpi)
        gpi_free(&gpi->rounds.learner);
    fail(ret_error, "no memory");
    return NULL;
}

static struct learner *gpi_make(const struct learner_class *class, const struct learner_game *game,
                                const struct learner_common *common,
                                const struct learner_hyper *hyper,
                                char ret_error[LEARNER_ERROR_MAX])
{
    struct gpi *gpi = new_gpi(class, game, common, hyper, ret_error);

    if (!gpi)
        return NULL;
    const struct policy_form form = form_of(gpi);
    if (policy_new(&form, common->seed, "cpu", &gpi->after, ret_error) == NET_OK &&
        rounds_begin(&gpi->rounds, ret_error))
        return &gpi->rounds.learner;
    gpi_free(&gpi->rounds.learner);
    return NULL;
}

/* ---- samples ---- */

static bool make_sample(struct rounds *rounds, size_t index, int thread)
{
    struct gpi *gpi = gpi_of(rounds);

    return gpi_sample_make(&gpi->round, gpi->copies[thread], index, &gpi->samples[index]);
}

static void pack_sample(const struct rounds *rounds, size_t index, unsigned char *ret_bytes)
{
    gpi_sample_pack(&((const struct gpi *)rounds)->samples[index], ret_bytes);
}

static bool is_sample(const unsigned char *bytes, const struct rules *rules, uint64_t round)
{
    return gpi_sample_is_sound(bytes, rules, shot_of_round(round));
}

static void take_sample(struct rounds *rounds, size_t index, const unsigned char *bytes)
{
    gpi_sample_open(bytes, &gpi_of(rounds)->samples[index]);
}

/* ---- fitting ---- */

/* Returns the entry of a score among the outputs. */
static int entry_of(const struct gpi_sample *sample)
{
    int points = sample->points;

    points = points < -POLICY_SHOT_ZERO ? -POLICY_SHOT_ZERO : points;
    return POLICY_SHOT_ZERO + (points > POLICY_SHOT_ZERO ? POLICY_SHOT_ZERO : points);
}

/* Fills in row `row` of a batch with a random sample. */
static void draw_row(const struct gpi *gpi, int row, int *ret_entry)
{
    const struct random_key key = {.seed = gpi->rounds.common.seed,
                                   .stream = (UINT64_C(1) << 32) | gpi->rounds.state.games,
                                   .game = gpi->rounds.updated,
                                   .purpose = RANDOM_CHOICE};
    uint64_t bits[4];

    random_bits(&key, (uint64_t)row, 0, bits);
    const struct gpi_sample *sample =
        &gpi->samples[(size_t)(random_unit(bits[0]) * (double)learned_samples(gpi))];
    gpi_sample_inputs(&gpi->round, sample, bits[1] >> 63, gpi->inputs + row * POLICY_SHOTS_INPUTS);
    *ret_entry = entry_of(sample);
}

/* Takes one step of gradient descent on the cross-entropy. */
static bool update(struct gpi *gpi, char *ret_error)
{
    const struct gpi_settings *set = set_of(gpi);
    int batch = (int)set->batch, entry[BATCH_MOST];
    double part = fitted(&gpi->rounds);
    const struct net_optimiser optimiser = {.rule = NET_ADAM,
                                            .rate = set->rate * (1.0 - (1.0 - RATE_LEFT) * part),
                                            .decay = set->weight_decay,
                                            .clip = 10.0};

    for (int k = 0; k < batch; k++)
        draw_row(gpi, k, &entry[k]);
    enum net_status status = net_forward(gpi->net, batch, gpi->inputs, gpi->outputs);
    for (int k = 0; k < batch && status == NET_OK; k++) {
        float *p = gpi->outputs + k * POLICY_SHOT_SCORES, *d = gpi->slopes + k * POLICY_SHOT_SCORES;
        (void)shot_scores(p);
        for (int j = 0; j < POLICY_SHOT_SCORES; j++)
            d[j] = (p[j] - (j == entry[k] ? 1.0f : 0.0f)) / (float)batch;
    }
    if (status == NET_OK)
        status = net_backward(gpi->net, batch, gpi->slopes);
    if (status == NET_OK)
        status = net_update(gpi->net, &optimiser, NULL);
    gpi->rounds.updated++;
    gpi->rounds.state.updates++;
    if (status == NET_NOT_FINITE) { /* learner_has_diverged() */
        gpi->rounds.state.quality[LOSS] = (double)NAN;
        gpi->rounds.is_judged = true;
    }
    return status == NET_OK || fail(ret_error, net_status_text(status));
}

/* ---- quality ---- */

/* Sums over predictions x of numbers y. */
struct fit_sums {
    double n, x, y, xx, yy, xy, off; /* off: of (y - x)^2 */
};

static void add_prediction(struct fit_sums *sums, double x, double y)
{
    sums->n += 1.0;
    sums->x += x;
    sums->y += y;
    sums->xx += x * x;
    sums->yy += y * y;
    sums->xy += x * y;
    sums->off += (y - x) * (y - x);
}

static double r2_of(const struct fit_sums *sums)
{
    double scatter = sums->yy - sums->y * sums->y / sums->n;

    return scatter > 0.0 ? 1.0 - sums->off / scatter : (double)NAN;
}

static double correlation_of(const struct fit_sums *sums)
{
    double x = sums->xx - sums->x * sums->x / sums->n, y = sums->yy - sums->y * sums->y / sums->n;

    return x > 0.0 && y > 0.0 ? (sums->xy - sums->x * sums->y / sums->n) / sqrt(x * y)
                              : (double)NAN;
}

/* Judges the network on the samples that were held out. */
static bool judge(struct gpi *gpi, char *ret_error)
{
    struct fit_sums network = {.n = 0.0}, counting = {.n = 0.0};
    double loss = 0.0;

    for (size_t k = learned_samples(gpi); k < gpi->room; k++) {
        const struct gpi_sample *sample = &gpi->samples[k];
        float *p = gpi->outputs;
        gpi_sample_inputs(&gpi->round, sample, false, gpi->inputs);
        enum net_status status = net_evaluate(gpi->net, 1, gpi->inputs, p);
        if (status != NET_OK)
            return fail(ret_error, net_status_text(status));
        add_prediction(&network, shot_scores(p), sample->points);
        add_prediction(&counting, gpi_sample_count(&gpi->round, sample), sample->points);
        loss -= log(fmax((double)p[entry_of(sample)], 1e-12));
    }
    double *quality = gpi->rounds.state.quality;
    quality[R2] = r2_of(&network);
    quality[CORRELATION] = correlation_of(&network);
    quality[COUNTING_R2] = r2_of(&counting);
    quality[COUNTING_CORRELATION] = correlation_of(&counting);
    quality[LOSS] = loss / network.n;
    gpi->rounds.is_judged = true;
    return isfinite(quality[LOSS]) || fail(ret_error, net_status_text(NET_NOT_FINITE));
}

/* ---- steps ---- */

/* Q^k is complete: it is the next iteration's Q^(k-1). */
static bool next_iteration(struct gpi *gpi, char *ret_error)
{
    struct policy *copy;

    if (policy_copy(gpi->after, "cpu", &copy, ret_error) != NET_OK)
        return false;
    forget_copies(gpi);
    policy_free(gpi->before);
    gpi->before = copy;
    return true;
}

static bool end_network(struct gpi *gpi, char *ret_error)
{
    if (!judge(gpi, ret_error))
        return false;
    if (net_copy(gpi->net, gpi->after->net[gpi->round.shot]) != NET_OK)
        return fail(ret_error, "the weights cannot be copied");
    return gpi->round.shot > 0 || next_iteration(gpi, ret_error);
}

static enum rounds_fit fit(struct rounds *rounds, char *ret_error)
{
    struct gpi *gpi = gpi_of(rounds);

    for (int k = 0; k < UPDATES && rounds->updated < wanted_updates(gpi); k++)
        if (!update(gpi, ret_error))
            return ROUNDS_FAILED;
    if (rounds->updated < wanted_updates(gpi))
        return ROUNDS_GOES_ON;
    return end_network(gpi, ret_error) ? ROUNDS_FITTED : ROUNDS_FAILED;
}

/* ---- reports and files ---- */

static void gpi_report(const struct learner *learner, struct learner_report *ret_report)
{
    const struct gpi *gpi = (const struct gpi *)learner;
    const struct rounds_state *state = &gpi->rounds.state;
    const double none = (double)NAN, *quality = state->quality;
    bool known = state->games > 0;

    rounds_report(&gpi->rounds, ret_report);
    ret_report->throws = state->items * POLICY_THROWN;
    ret_report->work = work_done(gpi);
    ret_report->loss[0] = (struct learner_loss){"loss/score", quality[LOSS]};
    learner_add_figure(ret_report, "gpi/iteration", iteration_of(state->games));
    learner_add_figure(ret_report, "gpi/shot",
                       known ? (double)shot_of_round(state->games - 1) : none);
    learner_add_figure(ret_report, "gpi/r2", known ? quality[R2] : none);
    learner_add_figure(ret_report, "gpi/correlation", known ? quality[CORRELATION] : none);
    learner_add_figure(ret_report, "gpi/counting_r2", known ? quality[COUNTING_R2] : none);
    learner_add_figure(ret_report, "gpi/counting_correlation",
                       known ? quality[COUNTING_CORRELATION] : none);
}

static int gpi_policies(const struct learner *learner,
                        struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX])
{
    (void)learner;
    ret_policies[0] = (struct learner_policy_view){.name = "gpi"};
    return 1;
}

static unsigned char *gpi_policy_file(const struct learner *learner, size_t *ret_size)
{
    struct gpi *gpi = (struct gpi *)learner;
    unsigned char *bytes;
    char error[NET_ERROR_MAX];

    gpi->after->form.step = (int64_t)gpi->rounds.state.games;
    return policy_write_all(gpi->after, &bytes, ret_size, error) == NET_OK ? bytes : NULL;
}

static bool write_policies(const struct rounds *rounds, FILE *file)
{
    const struct gpi *gpi = (const struct gpi *)rounds;

    return rounds_write_policy(gpi->before, file) && rounds_write_policy(gpi->after, file);
}

static bool read_policies(struct rounds *rounds, FILE *file)
{
    struct gpi *gpi = gpi_of(rounds);

    const struct policy_form form = form_of(gpi);

    return rounds_read_policy(file, &form, &gpi->before) &&
           rounds_read_policy(file, &form, &gpi->after) && gpi->after &&
           (rounds->state.games < POLICY_THROWN) == !gpi->before;
}

static struct learner *gpi_read(const struct learner_class *class, const struct learner_game *game,
                                const struct learner_common *common,
                                const struct learner_hyper *hyper, FILE *file,
                                char ret_error[LEARNER_ERROR_MAX])
{
    struct gpi *gpi = new_gpi(class, game, common, hyper, ret_error);

    if (!gpi)
        return NULL;
    bool good = rounds_read(&gpi->rounds, file) ||
                fail(ret_error, "the checkpoint is broken or belongs to other settings");
    if (good && rounds_begin(&gpi->rounds, ret_error))
        return &gpi->rounds.learner;
    gpi_free(&gpi->rounds.learner);
    return NULL;
}

static const struct rounds_class gpi_rounds = {.magic = "rinkgpi",
                                               .fields = fields,
                                               .field_count = sizeof fields / sizeof *fields,
                                               .rounds_most = NETWORKS_MOST,
                                               .quality = QUALITIES,
                                               .parts = 1,
                                               .part = {{.name = "samples",
                                                         .item_bytes = GPI_SAMPLE_BYTES,
                                                         .at_once = SHARD,
                                                         .counts = true,
                                                         .wanted = wanted_samples,
                                                         .batch = batch_of,
                                                         .make = make_sample,
                                                         .pack = pack_sample,
                                                         .is_sound = is_sample,
                                                         .take = take_sample}},
                                               .costs = gpi_costs,
                                               .begin = begin_network,
                                               .fit = fit,
                                               .fitted = fitted,
                                               .write = write_policies,
                                               .read = read_policies};

_Static_assert((int)QUALITIES <= (int)ROUNDS_QUALITY_MAX, "the frame has room for it");

const struct learner_class learner_gpi = {.name = "gpi",
                                          .rounds = &gpi_rounds,
                                          .fields = fields,
                                          .field_count = sizeof fields / sizeof *fields,
                                          .make = gpi_make,
                                          .free = gpi_free,
                                          .step = rounds_step,
                                          .report = gpi_report,
                                          .policies = gpi_policies,
                                          .policy_file = gpi_policy_file,
                                          .write = rounds_write,
                                          .read = gpi_read};
