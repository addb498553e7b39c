/* Policy and value networks that learn from their own search: KR-DL-UCT (K. Lee, S.-A. Kim,
 * J. Choi, S.-W. Lee, ICML 2018), which the player kr-dl-uct plays.
 *
 * Round 0 learns from ends that `rink` plays against itself, or, without a teacher, from the search
 * by networks that know nothing. In each further round the search by the newest networks plays ends
 * against itself; the networks then learn the visits of its shots and the scores of the ends, from
 * the new ends and from some earlier ones (imitate.h).
 *
 * The paper has a residual network over planes, 5 million positions, and draws batches from the
 * newest million; values of positions come from kernel regression. Here a position is worth half
 * the score of its end and half what its search expects, and a fit makes passes over the ends.
 *
 * An item of a round (rounds.h) is an end. */
#include "workers/learn/algorithms/rounds.h"
#include "workers/learn/games/curling_learner.h"
#include "workers/learn/imitation/imitate.h"
#include "workers/search/policy/policy_store.h"

#include "models/ice/action_grid.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct policy_value_settings {
    HYPER_POLICY_VALUE(HYPER_MEMBER, HYPER_MEMBER, HYPER_MEMBER)
};

#define NUMBER(...)    HYPER_FIELD(struct policy_value_settings, __VA_ARGS__)
#define OPTIMISER(...) HYPER_OPTIMISER_FIELD(struct policy_value_settings, __VA_ARGS__)
static const struct hyper_field fields[] = {HYPER_POLICY_VALUE(NUMBER, NUMBER, OPTIMISER)};

enum {
    AT_ONCE = 8,  /* ends of a step */
    BATCHES = 16, /* of each seat, of a step */
    ROUNDS_MOST = 1 << 20,
    STREAMS = 256 /* of a round: imitate.h */
};

#define TEACHER_TEMPERATURE .05 /* points: imitate.h */

/* The figures of a round's fit (rounds_state.quality): means of both seats over the ends that it
 * did not learn from. */
enum { ACTION_LOSS, ACTION_FLOOR, SCORE_LOSS, AMONG_20, QUALITIES };

struct end {
    int examples; /* of the last shots, when it began with random ones */
    struct imitate_example example[POLICY_THROWN];
};

enum { END_BYTES = 1 + POLICY_THROWN * (int)sizeof(struct imitate_example) };
_Static_assert(sizeof(struct imitate_example) ==
                   68 + 4 + IMITATE_TARGETS * (2 + 4) + POLICY_SCORES * 4,
               "all bytes of an example are written");
_Static_assert((int)END_BYTES <= (int)ROUNDS_ITEM_MAX && (int)QUALITIES <= (int)ROUNDS_QUALITY_MAX,
               "the frame has room for it");

struct policy_value {
    struct rounds rounds; /* must be first */
    struct policy *policy;
    struct end *memory; /* [hyper memory] of earlier rounds, the oldest first */
    size_t remembered;

    /* of the round */
    struct imitate_play play;
    bool can_play;   /* its player is known */
    char sha256[65]; /* of the policy in the store, or "" */
    size_t room;     /* ends */
    struct end *ends;
    struct imitate_example *examples;
    struct imitate_fitting *fitting; /* NULL: not begun */
};

static struct policy_value *own(struct rounds *rounds)
{
    return (struct policy_value *)rounds;
}

static const struct policy_value_settings *settings_of(const double *settings)
{
    return (const struct policy_value_settings *)(const void *)settings;
}

static const struct policy_value_settings *set_of(const struct policy_value *run)
{
    return settings_of(run->rounds.settings);
}

static bool has_teacher(const struct policy_value_settings *set, uint64_t round)
{
    return round == 0 && set->teacher != 0.0;
}

static size_t wanted_ends(const double *settings, uint64_t round)
{
    const struct policy_value_settings *set = settings_of(settings);

    return (size_t)(round == 0 ? set->first_ends : set->ends);
}

static uint64_t batch_of(uint64_t round)
{
    return round;
}

static int epochs_of(const struct policy_value_settings *set, uint64_t round)
{
    return (int)(round == 0 ? set->first_epochs : set->epochs);
}

/* Durations, of one size with microseconds of a processor: about right for estimates. */
#define TEACHER_THROW_COST 1.5
#define OWN_VALUE_COST     30.0
#define SHIPPED_VALUE_COST 8.0
#define EXAMPLE_COST       90.0 /* of a pass */

static double end_cost(const struct policy_value_settings *set, bool by_teacher)
{
    return POLICY_THROWN *
           (by_teacher ? TEACHER_THROW_COST * set->teacher_simulations
                       : set->simulations *
                             (set->own_values != 0.0 ? OWN_VALUE_COST : SHIPPED_VALUE_COST));
}

/* Costs by item of the round. */
static void policy_value_costs(const double *settings, uint64_t round, double *ret_make,
                               double *ret_fit)
{
    const struct policy_value_settings *set = settings_of(settings);
    const double fresh = (double)wanted_ends(settings, round),
                 earlier = round > 0 ? set->first_ends + set->ends * (double)(round - 1) : 0.0;

    *ret_make = end_cost(set, has_teacher(set, round));
    *ret_fit = POLICY_THROWN * EXAMPLE_COST * epochs_of(set, round) *
               (1.0 + fmin(earlier, set->memory) / fresh);
}

static bool fail(char *ret_error, const char *why)
{
    snprintf(ret_error, LEARNER_ERROR_MAX, "policy-value: %s", why);
    return false;
}

/* ---- making and freeing ---- */

/* Takes the policy of the round out of the store. */
static void forget_player(struct policy_value *run)
{
    if (run->sha256[0])
        policy_store_drop(run->sha256);
    run->sha256[0] = '\0';
    run->can_play = false;
}

static void forget_round(struct policy_value *run)
{
    forget_player(run);
    imitate_fitting_free(run->fitting);
    free(run->ends);
    free(run->examples);
    run->fitting = NULL;
    run->ends = NULL;
    run->examples = NULL;
}

static void policy_value_free(struct learner *learner)
{
    struct policy_value *run = (struct policy_value *)learner;

    forget_round(run);
    policy_free(run->policy);
    rounds_clean_up(&run->rounds);
    free(run->memory);
    free(run);
}

static bool begin_round(struct rounds *rounds, char *ret_error)
{
    struct policy_value *run = own(rounds);

    forget_round(run);
    run->room = wanted_ends(rounds->settings, rounds->state.games);
    run->play.stream = rounds->state.games * STREAMS;
    run->ends = malloc(run->room * sizeof *run->ends);
    return run->ends || fail(ret_error, "no memory for the ends");
}

static bool find_form(const struct learner_common *common, const struct rules *rules,
                      struct policy_form *ret_form, char *ret_error)
{
    const char *architecture = common->network.architecture;
    struct policy_form form = {.outputs = POLICY_LOGITS,
                               .actions = POLICY_ACTIONS,
                               .has_scores = true,
                               .algorithm = "policy-value",
                               .policy = "policy"};

    if (!architecture || !policy_sees_of(architecture, &form.sees))
        return fail(ret_error, "network: there is no such architecture");
    snprintf(form.profile, sizeof form.profile, "%s", rules->name);
    snprintf(form.architecture, sizeof form.architecture, "%s", architecture);
    memcpy(form.hidden, common->network.hidden, sizeof form.hidden);
    *ret_form = form;
    return policy_form_check(&form, ret_error) == NET_OK;
}

/* Makes a run without a policy; *ret_form is that of its policy. */
static struct policy_value *new_run(const struct learner_class *class,
                                    const struct learner_game *game,
                                    const struct learner_common *common,
                                    const struct learner_hyper *hyper, struct policy_form *ret_form,
                                    char *ret_error)
{
    const struct curling_learner_settings *curling = curling_learner_settings_of(game);
    struct policy_value *run;

    if (!curling || curling->rules->shots != POLICY_THROWN || curling->rules->preplaced > 0) {
        fail(ret_error, "profile: it learns curling with ends of 16 shots, nothing else");
        return NULL;
    }
    if (!find_form(common, curling->rules, ret_form, ret_error))
        return NULL;
    if ((run = calloc(1, sizeof *run)) != NULL) {
        run->rounds.learner.class = class;
        bool good = rounds_set_up(&run->rounds, class->rounds, curling->rules, common, hyper);
        const struct policy_value_settings *set = set_of(run);
        run->play = (struct imitate_play){.rules = curling->rules,
                                          .ice = profile_of(curling->rules)->ice,
                                          .random_share = set->random_share,
                                          .explored = (int)set->explored,
                                          .seed = common->seed};
        run->play.noise = curling->noise;
        run->memory = malloc(((size_t)set->memory + 1) * sizeof *run->memory);
        if (good && run->memory)
            return run;
        policy_value_free(&run->rounds.learner);
    }
    fail(ret_error, "no memory");
    return NULL;
}

static struct learner *policy_value_make(const struct learner_class *class,
                                         const struct learner_game *game,
                                         const struct learner_common *common,
                                         const struct learner_hyper *hyper,
                                         char ret_error[LEARNER_ERROR_MAX])
{
    struct policy_form form;
    struct policy_value *run = new_run(class, game, common, hyper, &form, ret_error);

    if (!run)
        return NULL;
    if (policy_new(&form, common->seed, "cpu", &run->policy, ret_error) == NET_OK &&
        rounds_begin(&run->rounds, ret_error))
        return &run->rounds.learner;
    policy_value_free(&run->rounds.learner);
    return NULL;
}

/* ---- ends ---- */

static unsigned char *policy_value_file(const struct learner *learner, size_t *ret_size)
{
    const struct policy_value *run = (const struct policy_value *)learner;
    unsigned char *bytes;
    char error[NET_ERROR_MAX];

    run->policy->form.step = (int64_t)run->rounds.state.games;
    return policy_write_all(run->policy, &bytes, ret_size, error) == NET_OK ? bytes : NULL;
}

/* Puts the policy where players find it. */
static bool store_policy(struct policy_value *run)
{
    char error[NET_ERROR_MAX], sha256[sizeof run->sha256];
    size_t size;

    if (run->sha256[0])
        return true;
    unsigned char *bytes = policy_value_file(&run->rounds.learner, &size);
    bool good = bytes && policy_store_add(bytes, size, sha256, sizeof error, error);
    if (good)
        memcpy(run->sha256, sha256, sizeof sha256);
    free(bytes);
    return good;
}

/* Makes the player of the round. */
static void choose_player(struct rounds *rounds)
{
    struct policy_value *run = own(rounds);
    const struct policy_value_settings *set = set_of(run);
    const bool by_teacher = has_teacher(set, rounds->state.games);
    char text[PLAYER_SPEC_MAX], error[PLAYER_ERROR_MAX];

    if (run->can_play || (!by_teacher && !store_policy(run)))
        return;
    if (by_teacher)
        snprintf(text, sizeof text, "rink:simulations=%d,objective=score",
                 (int)set->teacher_simulations);
    else
        snprintf(text, sizeof text, "%s:weights=%s,value=%s,simulations=%d,objective=score",
                 set->kernel != 0.0 ? "kr-dl-uct" : "dl-uct", run->sha256,
                 set->own_values != 0.0 ? "policy" : "network", (int)set->simulations);
    run->play.by_visits = !by_teacher;
    run->play.temperature = by_teacher ? TEACHER_TEMPERATURE : set->temperature;
    run->can_play = player_read(text, &run->play.teacher, sizeof error, error);
}

static bool make_end(struct rounds *rounds, size_t index, int thread)
{
    struct policy_value *run = own(rounds);
    struct end *end = &run->ends[index];

    (void)thread;
    memset(end, 0, sizeof *end);
    if (run->can_play)
        end->examples = imitate_play_end(&run->play, (int64_t)index, end->example);
    return end->examples > 0;
}

static void pack(const struct end *end, unsigned char *ret_bytes)
{
    ret_bytes[0] = (unsigned char)end->examples;
    memcpy(ret_bytes + 1, end->example, sizeof end->example);
}

static void open_end(const unsigned char *bytes, struct end *ret_end)
{
    ret_end->examples = bytes[0];
    memcpy(ret_end->example, bytes + 1, sizeof ret_end->example);
}

static void pack_end(const struct rounds *rounds, size_t index, unsigned char *ret_bytes)
{
    pack(&((const struct policy_value *)rounds)->ends[index], ret_bytes);
}

/* Whether these are chances; what is not a number is none. */
static bool are_chances(const float *chance, int count)
{
    double sum = 0.0;

    for (int k = 0; k < count; k++) {
        if (!(chance[k] >= 0.0f && chance[k] <= 1.0f + 1e-4f))
            return false;
        sum += (double)chance[k];
    }
    return fabs(sum - 1.0) < 1e-3;
}

static bool is_example(const struct imitate_example *example, const struct rules *rules, int thrown)
{
    if (example->position.thrown != thrown || !rounds_is_position(rules, &example->position) ||
        example->targets < 1 || example->targets > IMITATE_TARGETS ||
        !are_chances(example->share, IMITATE_TARGETS) ||
        !are_chances(example->scores, POLICY_SCORES))
        return false;
    for (int k = 0; k < IMITATE_TARGETS; k++) {
        const int action = example->action[k];
        bool is_good = k < example->targets
                           ? action >= 0 && action < ACTIONS && action_is_playable(action)
                           : action == 0 && !(example->share[k] > 0.0f);
        if (!is_good)
            return false;
    }
    return true;
}

static bool is_end(const unsigned char *bytes, const struct rules *rules, uint64_t round)
{
    static const unsigned char none[sizeof(struct imitate_example)];
    struct end end;

    (void)round;
    open_end(bytes, &end);
    if (end.examples < 1 || end.examples > POLICY_THROWN)
        return false;
    for (int k = 0; k < POLICY_THROWN; k++)
        if (k < end.examples ? !is_example(&end.example[k], rules, POLICY_THROWN - end.examples + k)
                             : memcmp(&end.example[k], none, sizeof none) != 0)
            return false;
    return true;
}

static void take_end(struct rounds *rounds, size_t index, const unsigned char *bytes)
{
    open_end(bytes, &own(rounds)->ends[index]);
}

/* ---- the fit ---- */

static size_t add_examples(const struct end *ends, size_t count, struct imitate_example *ret)
{
    size_t added = 0;

    for (size_t k = 0; k < count; k++) {
        memcpy(ret + added, ends[k].example, (size_t)ends[k].examples * sizeof *ret);
        added += (size_t)ends[k].examples;
    }
    return added;
}

static bool begin_fit(struct policy_value *run, char *ret_error)
{
    const struct policy_value_settings *set = set_of(run);
    const struct net *const start[2] = {run->policy->net[SEAT_SENTE], run->policy->net[SEAT_GOTE]};
    size_t judging = (size_t)(set->held_out * (double)run->room), count, learned;

    judging = judging < 1 ? 1 : judging;
    run->examples = malloc((run->remembered + run->room) * POLICY_THROWN * sizeof *run->examples);
    if (!run->examples)
        return fail(ret_error, "no memory for the fit");
    learned = add_examples(run->memory, run->remembered, run->examples);
    learned += add_examples(run->ends, run->room - judging, run->examples + learned);
    count =
        learned + add_examples(run->ends + run->room - judging, judging, run->examples + learned);
    const struct imitate_fit fit = {.epochs = epochs_of(set, run->rounds.state.games),
                                    .batch = (int)set->batch,
                                    .rate = set->rate,
                                    .decay = set->weight_decay,
                                    /* half an example more: rounding must not take one away */
                                    .held_out = ((double)(count - learned) + .5) / (double)count,
                                    .seed = run->rounds.common.seed,
                                    .stream = run->play.stream,
                                    .device = "cpu"};
    run->fitting =
        imitate_fitting_new(&fit, &run->policy->form, start, run->examples, count, ret_error);
    return run->fitting != NULL;
}

/* Keeps the newest ends. */
static void remember(struct policy_value *run)
{
    const size_t most = (size_t)set_of(run)->memory, fresh = run->room < most ? run->room : most,
                 kept = run->remembered < most - fresh ? run->remembered : most - fresh;

    memmove(run->memory, run->memory + run->remembered - kept, kept * sizeof *run->memory);
    memcpy(run->memory + kept, run->ends + run->room - fresh, fresh * sizeof *run->memory);
    run->remembered = kept + fresh;
}

static enum rounds_fit end_round(struct policy_value *run, char *ret_error)
{
    double *quality = run->rounds.state.quality;
    struct imitate_report report;
    enum net_status status = imitate_fitting_judge(run->fitting, &report);

    for (int s = 0; s < 2 && status == NET_OK; s++)
        status = net_copy_first_outputs(imitate_fitting_net(run->fitting, (enum seat)s),
                                        run->policy->net[s]);
    if (status != NET_OK) {
        fail(ret_error, net_status_text(status));
        return ROUNDS_FAILED;
    }
    quality[ACTION_LOSS] = .5 * (report.action_loss[0] + report.action_loss[1]);
    quality[ACTION_FLOOR] = .5 * (report.action_floor[0] + report.action_floor[1]);
    quality[SCORE_LOSS] = .5 * (report.score_loss[0] + report.score_loss[1]);
    quality[AMONG_20] = .5 * (report.twentieth[0] + report.twentieth[1]);
    run->rounds.is_judged = true;
    if (!isfinite(quality[ACTION_LOSS]) || !isfinite(quality[SCORE_LOSS])) {
        fail(ret_error, net_status_text(NET_NOT_FINITE));
        return ROUNDS_FAILED;
    }
    remember(run);
    return ROUNDS_FITTED;
}

static enum rounds_fit fit(struct rounds *rounds, char *ret_error)
{
    struct policy_value *run = own(rounds);

    if (!run->fitting && !begin_fit(run, ret_error))
        return ROUNDS_FAILED;
    const size_t before = imitate_fitting_batches(run->fitting);
    const enum net_status status = imitate_fitting_go(run->fitting, rounds->pool, BATCHES);
    const size_t done = imitate_fitting_batches(run->fitting) - before;
    rounds->state.updates += done;
    rounds->updated += done;
    if (status == NET_NOT_FINITE) { /* learner_has_diverged() */
        rounds->state.quality[ACTION_LOSS] = (double)NAN;
        rounds->is_judged = true;
    }
    if (status != NET_OK) {
        fail(ret_error, net_status_text(status));
        return ROUNDS_FAILED;
    }
    return imitate_fitting_epochs(run->fitting) < epochs_of(set_of(run), rounds->state.games)
               ? ROUNDS_GOES_ON
               : end_round(run, ret_error);
}

static double fitted(const struct rounds *rounds)
{
    const struct policy_value *run = (const struct policy_value *)rounds;

    return run->fitting ? (double)imitate_fitting_batches(run->fitting) /
                              (double)imitate_fitting_batches_all(run->fitting)
                        : 0.0;
}

/* ---- reports and files ---- */

/* Returns the work done in units of a round whose memory is full. */
static double work_done(const struct policy_value *run)
{
    const double *settings = run->rounds.settings;
    const uint64_t now = run->rounds.state.games;
    double work = 0.0, make, learn;

    for (uint64_t round = 0; round < now; round++) {
        policy_value_costs(settings, round, &make, &learn);
        work += (make + learn) * (double)wanted_ends(settings, round);
    }
    policy_value_costs(settings, now, &make, &learn);
    work += make * (double)run->rounds.made[0] + learn * (double)run->room * fitted(&run->rounds);
    policy_value_costs(settings, ROUNDS_MOST, &make, &learn);
    return work / ((make + learn) * set_of(run)->ends);
}

static void policy_value_report(const struct learner *learner, struct learner_report *ret_report)
{
    const struct policy_value *run = (const struct policy_value *)learner;
    const struct policy_value_settings *set = set_of(run);
    const struct rounds_state *state = &run->rounds.state;
    const double none = (double)NAN, items = (double)state->items,
                 by_teacher = set->teacher != 0.0 ? fmin(items, set->first_ends) : 0.0;
    const bool known = run->rounds.is_judged;

    rounds_report(&run->rounds, ret_report);
    ret_report->throws = (uint64_t)(POLICY_THROWN * (by_teacher * set->teacher_simulations +
                                                     (items - by_teacher) * set->simulations));
    ret_report->work = work_done(run);
    ret_report->losses = 3;
    ret_report->loss[0] =
        (struct learner_loss){"loss/policy", known ? state->quality[ACTION_LOSS] : none};
    ret_report->loss[1] =
        (struct learner_loss){"loss/score", known ? state->quality[SCORE_LOSS] : none};
    ret_report->loss[2] =
        (struct learner_loss){"loss/floor", known ? state->quality[ACTION_FLOOR] : none};
    learner_add_figure(ret_report, "among_20", known ? state->quality[AMONG_20] : none);
    ret_report->memories = 1;
    ret_report->memory[0] = (struct learner_memory){"memory/ends", run->remembered};
}

static int policy_value_policies(const struct learner *learner,
                                 struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX])
{
    (void)learner;
    ret_policies[0] = (struct learner_policy_view){.name = "policy"};
    return 1;
}

static bool write_run(const struct rounds *rounds, FILE *file)
{
    const struct policy_value *run = (const struct policy_value *)rounds;
    const uint64_t ends = run->remembered;
    unsigned char bytes[END_BYTES];
    bool good = rounds_write_policy(run->policy, file) && fwrite(&ends, sizeof ends, 1, file) == 1;

    for (size_t k = 0; k < run->remembered && good; k++) {
        pack(&run->memory[k], bytes);
        good = fwrite(bytes, sizeof bytes, 1, file) == 1;
    }
    return good;
}

static bool read_memory(struct policy_value *run, FILE *file)
{
    unsigned char bytes[END_BYTES];
    uint64_t ends;

    if (fread(&ends, sizeof ends, 1, file) != 1 || ends > (uint64_t)set_of(run)->memory)
        return false;
    for (; run->remembered < ends; run->remembered++) {
        if (fread(bytes, sizeof bytes, 1, file) != 1 || !is_end(bytes, run->rounds.rules, 0))
            return false;
        open_end(bytes, &run->memory[run->remembered]);
    }
    return true;
}

static bool read_run(struct rounds *rounds, FILE *file)
{
    struct policy_value *run = own(rounds);
    struct policy_form form;
    char error[LEARNER_ERROR_MAX];

    return find_form(&rounds->common, run->play.rules, &form, error) &&
           rounds_read_policy(file, &form, &run->policy) && run->policy && read_memory(run, file);
}

static struct learner *policy_value_read(const struct learner_class *class,
                                         const struct learner_game *game,
                                         const struct learner_common *common,
                                         const struct learner_hyper *hyper, FILE *file,
                                         char ret_error[LEARNER_ERROR_MAX])
{
    struct policy_form form;
    struct policy_value *run = new_run(class, game, common, hyper, &form, ret_error);

    if (!run)
        return NULL;
    bool good = rounds_read(&run->rounds, file) ||
                fail(ret_error, "the checkpoint is broken or belongs to other settings");
    if (good && rounds_begin(&run->rounds, ret_error))
        return &run->rounds.learner;
    policy_value_free(&run->rounds.learner);
    return NULL;
}

static const struct rounds_class policy_value_rounds = {.magic = "rinkplv",
                                                        .fields = fields,
                                                        .field_count =
                                                            sizeof fields / sizeof *fields,
                                                        .rounds_most = ROUNDS_MOST,
                                                        .quality = QUALITIES,
                                                        .parts = 1,
                                                        .part = {{.name = "ends",
                                                                  .item_bytes = END_BYTES,
                                                                  .at_once = AT_ONCE,
                                                                  .counts = true,
                                                                  .wanted = wanted_ends,
                                                                  .batch = batch_of,
                                                                  .prepare = choose_player,
                                                                  .make = make_end,
                                                                  .pack = pack_end,
                                                                  .is_sound = is_end,
                                                                  .take = take_end}},
                                                        .costs = policy_value_costs,
                                                        .begin = begin_round,
                                                        .fit = fit,
                                                        .fitted = fitted,
                                                        .write = write_run,
                                                        .read = read_run};

const struct learner_class learner_policy_value = {.name = "policy-value",
                                                   .rounds = &policy_value_rounds,
                                                   .fields = fields,
                                                   .field_count = sizeof fields / sizeof *fields,
                                                   .make = policy_value_make,
                                                   .free = policy_value_free,
                                                   .step = rounds_step,
                                                   .report = policy_value_report,
                                                   .policies = policy_value_policies,
                                                   .policy_file = policy_value_file,
                                                   .write = rounds_write,
                                                   .read = policy_value_read};
