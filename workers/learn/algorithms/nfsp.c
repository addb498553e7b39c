/* Neural fictitious self-play: a run, and what it tells of itself. */
#include "workers/learn/algorithms/losses.h"
#include "workers/learn/algorithms/nfsp_run.h"
#include "workers/learn/algorithms/run_networks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A slice has so many tables at least, and there are so many slices at most. */
enum { SLICE_TABLES = 16, SLICES_MAX = 8 };

struct nfsp_settings nfsp_default_settings(void)
{
    return (struct nfsp_settings){.variant = NFSP_STANDARD,
                                  .average_rule = RESERVOIR_SAMPLE,
                                  .network = {.architecture = "mlp", .hidden = {64}},
                                  .device = "cpu",
                                  .parallel = 128,
                                  .updates = 2,
                                  .batch = 128,
                                  .discount = 1.0,
                                  .anticipatory = 0.1,
                                  .explore = 0.06,
                                  .explore_decay = 0.01,
                                  .response = {.rule = NET_SGD, .rate = 0.1},
                                  .average = {.rule = NET_SGD, .rate = 0.005},
                                  .target_interval = 0,
                                  .response_memory = 200000,
                                  .average_memory = 2000000,
                                  .warm_up = 1000,
                                  .threshold = 0.4,
                                  .value_lambda = 1.0,
                                  .candidates = 0,
                                  .candidate_temperature = 0.1,
                                  .candidate_uniform = 0.1,
                                  .threads = 1,
                                  .seed = 1};
}

double nfsp_explore(const struct nfsp_settings *settings, uint64_t step)
{
    return settings->explore / (1.0 + settings->explore_decay * sqrt((double)step));
}

/* --- what the files of a run share --- */

bool nfsp_complain(char *ret_error, const char *what, const char *why)
{
    snprintf(ret_error, LEARNER_ERROR_MAX, "%s: %s", what, why);
    return false;
}

struct random_key nfsp_stream_key(const struct nfsp *nfsp, enum stream stream, int seat)
{
    return (struct random_key){.seed = nfsp->settings.seed,
                               .stream = (uint64_t)1 << 32 | (uint64_t)stream << 1 | (uint64_t)seat,
                               .purpose = RANDOM_CHOICE};
}

size_t nfsp_pick(uint64_t bits, size_t count)
{
    return (size_t)((bits >> 32) * count >> 32);
}

/* --- making and freeing --- */

static bool check_settings(const struct nfsp_settings *s, char *ret_error)
{
    const struct {
        const char *name;
        double value, least, most;
    } numbers[] = {
        {"parallel", s->parallel, 1, 1 << 20},
        {"updates", s->updates, 0, 1 << 20},
        {"batch", s->batch, 1, 1 << 20},
        {"discount", s->discount, 0, 1},
        {"anticipatory", s->anticipatory, 0, 1},
        {"explore", s->explore, 0, 1},
        {"explore_decay", s->explore_decay, 0, 1e9},
        {"response.rate", s->response.rate, 0, 1e9},
        {"average.rate", s->average.rate, 0, 1e9},
        {"target_interval", s->target_interval, 0, 1e9},
        {"response_memory", (double)s->response_memory, 1, 4294967295.0},
        {"average_memory", (double)s->average_memory, 1, 4294967295.0},
        {"warm_up", (double)s->warm_up, 1, 4294967295.0},
        {"threshold", s->threshold, -1e9, 1e9},
        {"value_lambda", s->value_lambda, 0, 1},
        {"candidates", s->candidates, 0, 4096},
        {"candidate_temperature", s->candidate_temperature, 1e-6, 1e9},
        {"candidate_uniform", s->candidate_uniform, 0, 1},
        {"threads", s->threads, 1, 256},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        if (!(numbers[k].value >= numbers[k].least && numbers[k].value <= numbers[k].most)) {
            snprintf(ret_error, LEARNER_ERROR_MAX, "%s: %g is not in %g..%g", numbers[k].name,
                     numbers[k].value, numbers[k].least, numbers[k].most);
            return false;
        }
    return true;
}

static bool make_network(const struct nfsp *nfsp, int number, int outputs, struct net **ret_net,
                         char *ret_error)
{
    const struct nfsp_settings *settings = &nfsp->settings;
    const struct learner_common common = {
        .network = settings->network, .device = settings->device, .seed = settings->seed};
    return run_network_new(nfsp->game, &common, number, outputs, ret_net, ret_error);
}

static bool make_seat(struct nfsp *nfsp, int number, char *ret_error)
{
    const struct nfsp_settings *settings = &nfsp->settings;
    struct seat *seat = &nfsp->seat[number];
    struct random_key key = nfsp_stream_key(nfsp, STREAM_RESERVOIR, number);
    bool literal = settings->variant == NFSP_LITERAL;
    bool valued =
        settings->value_network && !literal && settings->candidates > 0 && nfsp->game->likelihood;
    int actions = nfsp->game->actions;
    size_t size = nfsp->game->observation_size;

    if (!make_network(nfsp, 2 * number, actions, &seat->response, ret_error) ||
        !make_network(nfsp, 2 * number + 1, actions, &seat->average, ret_error) ||
        (valued && !make_network(nfsp, 4 + number, 1, &seat->value, ret_error)) ||
        (settings->target_interval && !valued &&
         !make_network(nfsp, 2 * number, actions, &seat->target, ret_error)))
        return false;
    if (valued) {
        seat->tried = tried_memory_new(settings->response_memory / (size_t)settings->candidates + 1,
                                       size, settings->candidates);
        seat->returns = replay_new(settings->response_memory, size);
    } else {
        seat->transitions = replay_new(settings->response_memory, size);
    }
    seat->actions = reservoir_new(literal ? RESERVOIR_LATEST : settings->average_rule,
                                  settings->average_memory, size, &key);
    return (seat->actions && (valued ? seat->tried && seat->returns : seat->transitions != NULL)) ||
           nfsp_complain(ret_error, "memories", "no memory");
}

static bool make_room(struct nfsp *nfsp)
{
    const struct learner_game *game = nfsp->game;
    size_t tables = (size_t)nfsp->settings.parallel;
    size_t kept = nfsp_keeps(nfsp) ? 2 * (size_t)game->decisions_max : 0;
    size_t errors = nfsp->slices > 2 * LEARNERS ? (size_t)nfsp->slices : 2 * LEARNERS;

    return (nfsp->tables = calloc(tables, sizeof *nfsp->tables)) &&
           (nfsp->states = calloc(tables, game->state_size)) &&
           (nfsp->last = calloc(2 * tables, game->observation_size)) &&
           (nfsp->kept_observations = calloc(tables * kept + 1, game->observation_size)) &&
           (nfsp->kept_actions = calloc(tables * kept + 1, sizeof *nfsp->kept_actions)) &&
           (nfsp->kept_rewards = calloc(tables * kept + 1, sizeof *nfsp->kept_rewards)) &&
           (nfsp->seen = calloc(tables, game->observation_size)) &&
           (nfsp->turns = calloc(tables, sizeof *nfsp->turns)) &&
           (nfsp->told =
                calloc(tables * (size_t)nfsp->settings.candidates + 1, sizeof *nfsp->told)) &&
           (nfsp->errors = calloc(errors, sizeof *nfsp->errors)) &&
           (nfsp->workplace = calloc((size_t)nfsp->workplaces, sizeof *nfsp->workplace)) &&
           (nfsp->pool = pool_new(nfsp->workplaces));
}

static bool make_workplace(struct nfsp *nfsp, int number, char *ret_error)
{
    const struct nfsp_settings *settings = &nfsp->settings;
    struct workplace *place = &nfsp->workplace[number];
    size_t inputs = (size_t)nfsp->game->inputs, actions = (size_t)nfsp->game->actions;
    size_t candidates = (size_t)settings->candidates;
    size_t rows = (size_t)nfsp->slice_tables;
    rows = rows > (size_t)settings->batch ? rows : (size_t)settings->batch;
    rows = rows > candidates ? rows : candidates;
    rows = rows > LEARNER_DECISIONS_MAX ? rows : LEARNER_DECISIONS_MAX;

    for (int k = 0; k < 2; k++) {
        const struct seat *seat = &nfsp->seat[k];
        struct net *own[] = {seat->response, seat->average};
        for (int role = 0; role < ROLES; role++)
            if (number == 0)
                place->net[k][role] = own[role];
            else if (!make_network(nfsp, 2 * k + role, nfsp->game->actions, &place->net[k][role],
                                   ret_error))
                return false;
        if (number == 0)
            place->target[k] = seat->target;
        else if (seat->target &&
                 !make_network(nfsp, 2 * k, nfsp->game->actions, &place->target[k], ret_error))
            return false;
        if (number == 0)
            place->value_net[k] = seat->value;
        else if (seat->value && !make_network(nfsp, 4 + k, 1, &place->value_net[k], ret_error))
            return false;
    }
    return ((place->inputs = calloc(rows * inputs, sizeof *place->inputs)) &&
            (place->next_inputs = calloc(rows * inputs, sizeof *place->next_inputs)) &&
            (place->outputs = calloc(rows * actions, sizeof *place->outputs)) &&
            (place->next_outputs = calloc(rows * actions, sizeof *place->next_outputs)) &&
            (place->d_outputs = calloc(rows * actions, sizeof *place->d_outputs)) &&
            (place->legal = calloc(rows * actions, sizeof *place->legal)) &&
            (place->row = calloc(rows, sizeof *place->row)) &&
            (place->next_row = calloc(rows, sizeof *place->next_row)) &&
            (place->action = calloc(rows, sizeof *place->action)) &&
            (place->mirrored = calloc(rows, sizeof *place->mirrored)) &&
            (place->reward = calloc(rows, sizeof *place->reward)) &&
            (place->states = calloc(candidates + 1, nfsp->game->state_size)) &&
            (place->told = calloc(candidates + 1, sizeof *place->told)) &&
            (place->done = calloc(candidates + 1, sizeof *place->done)) &&
            (place->value = calloc(candidates + 1, sizeof *place->value))) ||
           nfsp_complain(ret_error, "nfsp", "no memory");
}

static void free_workplace(struct workplace *place, bool own_networks)
{
    for (int k = 0; k < 2 && own_networks; k++) {
        for (int role = 0; role < ROLES; role++)
            net_free(place->net[k][role]);
        net_free(place->target[k]);
        net_free(place->value_net[k]);
    }
    free(place->inputs);
    free(place->next_inputs);
    free(place->outputs);
    free(place->next_outputs);
    free(place->d_outputs);
    free(place->legal);
    free(place->row);
    free(place->next_row);
    free(place->action);
    free(place->mirrored);
    free(place->reward);
    free(place->states);
    free(place->value);
    free(place->done);
    free(place->told);
}

static bool make_workplaces(struct nfsp *nfsp, char *ret_error)
{
    for (int k = 0; k < nfsp->workplaces; k++)
        if (!make_workplace(nfsp, k, ret_error))
            return false;
    return true;
}

struct nfsp *nfsp_new(const struct learner_game *game, const struct nfsp_settings *settings,
                      char ret_error[LEARNER_ERROR_MAX])
{
    if (!check_settings(settings, ret_error))
        return NULL;
    struct nfsp *nfsp = calloc(1, sizeof *nfsp);
    if (!nfsp) {
        nfsp_complain(ret_error, "nfsp", "no memory");
        return NULL;
    }
    nfsp->game = game;
    nfsp->settings = *settings;
    nfsp->workplaces = settings->threads;
    int even = (settings->parallel + SLICES_MAX - 1) / SLICES_MAX;
    nfsp->slice_tables = even > SLICE_TABLES ? even : SLICE_TABLES;
    nfsp->slices = (settings->parallel + nfsp->slice_tables - 1) / nfsp->slice_tables;
    if (!make_seat(nfsp, 0, ret_error) || !make_seat(nfsp, 1, ret_error) ||
        (!make_room(nfsp) && !nfsp_complain(ret_error, "nfsp", "no memory")) ||
        !make_workplaces(nfsp, ret_error)) {
        nfsp_free(nfsp);
        return NULL;
    }
    for (int table = 0; table < settings->parallel; table++)
        nfsp_begin_game(nfsp, table);
    return nfsp;
}

void nfsp_free(struct nfsp *nfsp)
{
    if (!nfsp)
        return;
    for (int k = 0; k < 2; k++) {
        net_free(nfsp->seat[k].response);
        net_free(nfsp->seat[k].target);
        net_free(nfsp->seat[k].average);
        net_free(nfsp->seat[k].value);
        replay_free(nfsp->seat[k].returns);
        tried_memory_free(nfsp->seat[k].tried);
        replay_free(nfsp->seat[k].transitions);
        reservoir_free(nfsp->seat[k].actions);
    }
    for (int k = 0; k < nfsp->workplaces && nfsp->workplace; k++)
        free_workplace(&nfsp->workplace[k], k > 0);
    free(nfsp->workplace);
    pool_free(nfsp->pool);
    free(nfsp->tables);
    free(nfsp->states);
    free(nfsp->last);
    free(nfsp->kept_observations);
    free(nfsp->kept_actions);
    free(nfsp->kept_rewards);
    free(nfsp->seen);
    free(nfsp->turns);
    free(nfsp->told);
    free(nfsp->errors);
    free(nfsp);
}

bool nfsp_step(struct nfsp *nfsp, char ret_error[LEARNER_ERROR_MAX])
{
    if (!nfsp_play(nfsp, ret_error))
        return false;
    nfsp->steps++;
    return nfsp_learn(nfsp, ret_error);
}

/* --- what became of it --- */

struct nfsp_report nfsp_report(const struct nfsp *nfsp)
{
    struct nfsp_report report = {.steps = nfsp->steps,
                                 .games = nfsp->games,
                                 .decisions = nfsp->decisions,
                                 .throws = nfsp->throws,
                                 .explore = nfsp_explore(&nfsp->settings, nfsp->steps)};
    for (int k = 0; k < 2; k++) {
        const struct seat *seat = &nfsp->seat[k];
        report.updates += seat->response_updates + seat->average_updates + seat->value_updates;
        report.seat[k] = (struct nfsp_seat_report){
            .response_loss = seat->response_loss,
            .average_loss = seat->average_loss,
            .value_loss = seat->value ? seat->value_loss : NAN,
            .response_memory =
                seat->tried ? tried_memory_count(seat->tried) : replay_count(seat->transitions),
            .average_memory = reservoir_count(seat->actions),
            .average_offered = reservoir_offered(seat->actions),
            .reward = seat->reward.count ? seat->reward.mean : NAN,
            .entropy = seat->entropy.count ? seat->entropy.mean : NAN};
    }
    return report;
}

struct nfsp_seconds nfsp_seconds(const struct nfsp *nfsp)
{
    struct nfsp_seconds sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < nfsp->workplaces; k++) {
        const struct workplace *place = &nfsp->workplace[k];
        sum.play_s += place->play_s;
        sum.network_s += place->network_s;
        sum.learn_s += place->learn_s;
    }
    return sum;
}

const struct net *nfsp_average_network(const struct nfsp *nfsp, int seat)
{
    return nfsp->seat[seat].average;
}

const struct net *nfsp_response_network(const struct nfsp *nfsp, int seat)
{
    return nfsp->seat[seat].response;
}

/* What a network says to an observation, and which actions are legal. */
static void ask(struct nfsp *nfsp, struct net *net, const void *observation, bool *ret_legal)
{
    struct workplace *place = &nfsp->workplace[0];
    nfsp->game->legal(nfsp->game, observation, ret_legal);
    nfsp->game->fill_inputs(nfsp->game, observation, place->inputs);
    if (net_evaluate(net, 1, place->inputs, place->outputs) != NET_OK)
        for (int a = 0; a < nfsp->game->actions; a++)
            place->outputs[a] = NAN; /* such probabilities cannot be taken for any policy's */
}

void nfsp_average(void *context, int seat, const void *observation, double *ret_p)
{
    struct nfsp *nfsp = context;
    bool legal[LEARNER_ACTIONS_MAX];
    float p[LEARNER_ACTIONS_MAX];
    ask(nfsp, nfsp->seat[seat].average, observation, legal);
    legal_softmax(nfsp->workplace[0].outputs, legal, nfsp->game->actions, p);
    double sum = 0.0; /* float32 probabilities do not sum up to 1 exactly */
    for (int a = 0; a < nfsp->game->actions; a++)
        sum += (double)p[a];
    for (int a = 0; a < nfsp->game->actions; a++)
        ret_p[a] = (double)p[a] / sum;
}

static void choose_largest(struct nfsp *nfsp, struct net *net, const void *observation,
                           double *ret_p)
{
    bool legal[LEARNER_ACTIONS_MAX];
    ask(nfsp, net, observation, legal);
    for (int a = 0; a < nfsp->game->actions; a++)
        ret_p[a] = 0.0;
    const float *outputs = nfsp->workplace[0].outputs;
    int best = legal_argmax(outputs, legal, nfsp->game->actions);
    ret_p[best] = legal_are_finite(outputs, legal, nfsp->game->actions) ? 1.0 : (double)NAN;
}

void nfsp_likeliest(void *context, int seat, const void *observation, double *ret_p)
{
    struct nfsp *nfsp = context;
    choose_largest(nfsp, nfsp->seat[seat].average, observation, ret_p);
}

void nfsp_response(void *context, int seat, const void *observation, double *ret_p)
{
    struct nfsp *nfsp = context;
    choose_largest(nfsp, nfsp->seat[seat].response, observation, ret_p);
}
