/* Neural fictitious self-play (Heinrich and Silver, "Deep reinforcement learning from self-play in
 * imperfect-information games", 2016); nfsp.md. Each seat has two networks: the best response,
 * action values learned by Q-learning against the other seat's play, and the average policy, logits
 * learned from its best responses' actions. In each game each seat plays its best response with
 * probability `anticipatory`, else its average policy; the average policies approach a Nash
 * equilibrium.
 *
 * With candidates, best responses try actions before they play one (nfsp_candidates.c). A third
 * network of the seat, the value network, then gives the value of the next decision: it learns from
 * the returns of games (TD(lambda)), because the largest of many noisy values of the best response
 * is biased upwards. Best responses then learn from candidates alone.
 *
 * The class nfsp-literal is Algorithm 1 of "NFSP + KR-UCT for digital curling" as printed, kept to
 * show that it finds no equilibrium. One seat plays its best response and the other its average
 * policy, by turns; only the former learns, its average policy only from decisions whose return is
 * above `threshold`; both memories keep the latest entries. The class nfsp-fifo is NFSP with an
 * average policy that learns from the latest decisions instead of a sample of all. */
#include "workers/learn/algorithms/nfsp.h"

#include "workers/learn/algorithms/choosing.h"
#include "workers/learn/algorithms/losses.h"
#include "workers/learn/algorithms/nfsp_run.h"
#include "workers/learn/algorithms/run_networks.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE(...)     HYPER_WHOLE_FIELD(struct nfsp_settings, __VA_ARGS__)
#define NUMBER(...)    HYPER_NUMBER_FIELD(struct nfsp_settings, __VA_ARGS__)
#define OPTIMISER(...) HYPER_OPTIMISER_FIELD(struct nfsp_settings, __VA_ARGS__)
static const struct hyper_field standard_fields[] = {HYPER_NFSP(WHOLE, NUMBER, OPTIMISER)};
static const struct hyper_field literal_fields[] = {HYPER_NFSP_LITERAL(WHOLE, NUMBER, OPTIMISER)};

static struct nfsp *nfsp_of(struct run *run)
{
    return (struct nfsp *)run;
}

static const struct nfsp *nfsp_of_const(const struct run *run)
{
    return (const struct nfsp *)run;
}

/* --- making and freeing --- */

static bool tries(const struct nfsp *nfsp)
{
    return nfsp->settings.candidates > 0.0 && nfsp->run.game->likelihood;
}

static bool make_memories(struct nfsp *nfsp, int number)
{
    const struct nfsp_settings *s = &nfsp->settings;
    struct seat *seat = &nfsp->seat[number];
    struct random_key key = run_stream_key(&nfsp->run, STREAM_RESERVOIR, number);
    bool latest = nfsp->is_literal || nfsp->run.learner.class == &learner_nfsp_fifo;
    size_t size = nfsp->run.game->observation_size, entries = (size_t)s->response_memory;

    seat->actions = reservoir_new(latest ? RESERVOIR_LATEST : RESERVOIR_SAMPLE,
                                  (size_t)s->average_memory, size, &key);
    if (!seat->net[NFSP_VALUE])
        return (seat->transitions = replay_new(entries, size)) && seat->actions;
    seat->tried = tried_memory_new(entries / (size_t)s->candidates + 1, size, (int)s->candidates);
    seat->returns = replay_new(entries, size);
    return seat->tried && seat->returns && seat->actions;
}

static bool make_seat(struct nfsp *nfsp, int number, const int *outputs, char *ret_error)
{
    /* The target starts as a copy of the best response. */
    const int numbers[TABLES_NETWORKS_MAX] = {2 * number, 2 * number + 1, 4 + number, 2 * number};

    for (int n = 0; n < TABLES_NETWORKS_MAX; n++)
        if (outputs[n] > 0 && !run_network_new(nfsp->run.game, &nfsp->run.common, numbers[n],
                                               outputs[n], &nfsp->seat[number].net[n], ret_error))
            return false;
    return make_memories(nfsp, number) || run_no_memory("memories", ret_error);
}

static bool make_workplace(const struct nfsp *nfsp, struct workplace *place)
{
    const struct learner_game *game = nfsp->run.game;
    size_t inputs = (size_t)game->inputs, actions = (size_t)game->actions;
    size_t batch = (size_t)nfsp->settings.batch, candidates = (size_t)nfsp->settings.candidates;
    size_t rows = batch > candidates ? batch : candidates;
    rows = rows > LEARNER_DECISIONS_MAX ? rows : LEARNER_DECISIONS_MAX;

    return (place->inputs = calloc(rows * inputs, sizeof *place->inputs)) &&
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
           (place->states = calloc(candidates + 1, game->state_size)) &&
           (place->told = calloc(candidates + 1, sizeof *place->told)) &&
           (place->done = calloc(candidates + 1, sizeof *place->done)) &&
           (place->value = calloc(candidates + 1, sizeof *place->value));
}

static void free_workplace(struct workplace *place)
{
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
    free(place->told);
    free(place->done);
    free(place->value);
}

static bool make_room(struct nfsp *nfsp)
{
    size_t parallel = (size_t)nfsp->settings.parallel;
    size_t candidates = (size_t)nfsp->settings.candidates;

    nfsp->workplaces = nfsp->run.common.threads > 1 ? nfsp->run.common.threads : 1;
    if (!(nfsp->turns = calloc(parallel, sizeof *nfsp->turns)) ||
        !(nfsp->told = calloc(parallel * candidates + 1, sizeof *nfsp->told)) ||
        !(nfsp->workplace = calloc((size_t)nfsp->workplaces, sizeof *nfsp->workplace)))
        return false;
    for (int k = 0; k < nfsp->workplaces; k++)
        if (!make_workplace(nfsp, &nfsp->workplace[k]))
            return false;
    return true;
}

static int role_of(const void *context, int table, uint64_t game, int seat, uint64_t bits)
{
    const struct nfsp *nfsp = context;
    bool responds = nfsp->is_literal ? (game + (uint64_t)table + (uint64_t)seat) % 2 == 0
                                     : random_unit(bits) < nfsp->settings.anticipatory;
    return responds ? NFSP_RESPONSE : NFSP_AVERAGE;
}

static bool begin(struct run *run, struct tables_settings *ret_tables, char *ret_error)
{
    struct nfsp *nfsp = nfsp_of(run);
    const struct nfsp_settings *s = &nfsp->settings;
    int *outputs = ret_tables->outputs;

    nfsp->is_literal = run->learner.class == &learner_nfsp_literal;
    nfsp->optimiser[NFSP_RESPONSE] = nfsp->optimiser[NFSP_VALUE] =
        run_optimiser(s->optimiser, s->response_rate, s->momentum, 0.0, s->clip);
    nfsp->optimiser[NFSP_AVERAGE] =
        run_optimiser(s->optimiser, s->average_rate, s->momentum, s->weight_decay, s->clip);
    outputs[NFSP_RESPONSE] = outputs[NFSP_AVERAGE] = run->game->actions;
    if (!nfsp->is_literal && s->value_network > 0.0 && tries(nfsp))
        outputs[NFSP_VALUE] = 1;
    else if (s->target_interval > 0.0)
        outputs[NFSP_TARGET] = run->game->actions;
    ret_tables->parallel = (int)s->parallel;
    ret_tables->roles = NFSP_ROLES;
    ret_tables->role_of = role_of;
    return make_seat(nfsp, 0, outputs, ret_error) && make_seat(nfsp, 1, outputs, ret_error) &&
           (make_room(nfsp) || run_no_memory("nfsp", ret_error));
}

static void end(struct run *run)
{
    struct nfsp *nfsp = nfsp_of(run);
    for (int k = 0; k < 2; k++) {
        struct seat *seat = &nfsp->seat[k];
        for (int n = 0; n < TABLES_NETWORKS_MAX; n++)
            net_free(seat->net[n]);
        replay_free(seat->transitions);
        replay_free(seat->returns);
        tried_memory_free(seat->tried);
        reservoir_free(seat->actions);
    }
    for (int k = 0; k < nfsp->workplaces && nfsp->workplace; k++)
        free_workplace(&nfsp->workplace[k]);
    free(nfsp->workplace);
    free(nfsp->turns);
    free(nfsp->told);
}

static void networks(const struct run *run, struct net *ret_net[2][TABLES_NETWORKS_MAX])
{
    for (int k = 0; k < 2; k++)
        memcpy(ret_net[k], nfsp_of_const(run)->seat[k].net, sizeof ret_net[k]);
}

/* --- playing --- */

static double explore(const struct nfsp *nfsp)
{
    return explore_share(nfsp->settings.explore, nfsp->settings.explore_decay, nfsp->run.steps);
}

static int choose(void *context, struct tables_turn *turn, char *ret_error)
{
    struct nfsp *nfsp = context;
    int actions = nfsp->run.game->actions;
    uint64_t bits[4];

    nfsp->turns[turn->table] = (struct turn){.told = 0};
    random_bits(&turn->key, 0, 0, bits);
    if (turn->role == NFSP_AVERAGE) {
        nfsp->turns[turn->table].entropy = legal_entropy(turn->outputs, turn->legal, actions);
        return pick_by_logits(bits[0], turn->outputs, turn->legal, actions);
    }
    if (random_unit(bits[0]) < explore(nfsp))
        return pick_legal(bits[1], turn->legal, actions);
    return tries(nfsp) ? nfsp_try_candidates(nfsp, turn, ret_error)
                       : legal_argmax(turn->outputs, turn->legal, actions);
}

/* --- storing, in the order of the tables --- */

/* Stores decision `number` of a seat once its reward is complete: the seat decides again and sees
 * `next`, or the game is over (NULL). */
static void store_transition(struct nfsp *nfsp, int table, int seat, int number, const void *next)
{
    const struct tables *tables = nfsp->run.tables;
    const struct tables_decision *decision = tables_decision(tables, table, seat, number);

    if (!nfsp->seat[seat].transitions || decision->notes[NOTE_TOLD] > 0.0f ||
        (nfsp->is_literal && tables_role(tables, table, seat) != NFSP_RESPONSE))
        return;
    replay_add(nfsp->seat[seat].transitions,
               &(struct transition){.observation = tables_observation(tables, table, seat, number),
                                    .action = decision->action,
                                    .reward = (float)decision->reward,
                                    .next = next});
}

/* For nfsp-literal, after a game of a best response: stores its decisions whose discounted return
 * is above the threshold. */
static void store_good_decisions(struct nfsp *nfsp, int table, int seat)
{
    const struct tables *tables = nfsp->run.tables;
    double sum = 0.0;

    for (int k = tables_decisions(tables, table, seat) - 1; k >= 0; k--) {
        const struct tables_decision *decision = tables_decision(tables, table, seat, k);
        sum = decision->reward + nfsp->settings.discount * sum;
        if (sum > nfsp->settings.threshold)
            reservoir_offer(nfsp->seat[seat].actions, tables_observation(tables, table, seat, k),
                            decision->action);
    }
}

/* Stores the return of each decision of a finished game; after the last one G is 0:
 *     G(k) = reward(k) + discount * ((1 - lambda) V(k + 1) + lambda G(k + 1))
 * (Sutton and Barto, "Reinforcement learning", 2018, 12.1). */
static enum net_status store_returns(struct nfsp *nfsp, int table, int seat)
{
    const struct tables *tables = nfsp->run.tables;
    const struct learner_game *game = nfsp->run.game;
    const double lambda = nfsp->settings.value_lambda;
    const struct workplace *place = &nfsp->workplace[0];
    int decisions = tables_decisions(tables, table, seat);
    enum net_status status = NET_OK;
    double sum = 0.0;

    for (int k = 0; k < decisions && lambda < 1.0; k++)
        game->fill_inputs(game, tables_observation(tables, table, seat, k),
                          place->next_inputs + (size_t)k * (size_t)game->inputs);
    if (lambda < 1.0)
        status = net_evaluate(nfsp->seat[seat].net[NFSP_VALUE], decisions, place->next_inputs,
                              place->next_outputs);
    for (int k = decisions - 1; k >= 0 && status == NET_OK; k--) {
        if (lambda < 1.0 && k + 1 < decisions)
            sum = (1.0 - lambda) * (double)place->next_outputs[k + 1] + lambda * sum;
        sum = tables_decision(tables, table, seat, k)->reward + nfsp->settings.discount * sum;
        replay_add(nfsp->seat[seat].returns,
                   &(struct transition){.observation = tables_observation(tables, table, seat, k),
                                        .reward = (float)sum});
    }
    return status;
}

static bool store_game(struct nfsp *nfsp, int table, int seat, char *ret_error)
{
    int decisions = tables_decisions(nfsp->run.tables, table, seat);
    enum net_status status = NET_OK;

    if (decisions > 0)
        store_transition(nfsp, table, seat, decisions - 1, NULL);
    if (nfsp->is_literal && tables_role(nfsp->run.tables, table, seat) == NFSP_RESPONSE)
        store_good_decisions(nfsp, table, seat);
    else if (nfsp->seat[seat].net[NFSP_VALUE])
        status = store_returns(nfsp, table, seat);
    return run_network_is_good(status, "value", ret_error);
}

static void mean_add(struct mean *mean, double value)
{
    const uint64_t most = 1000;
    mean->count += mean->count < most;
    mean->mean += (value - mean->mean) / (double)mean->count;
}

/* Stores the values that candidates gave at a decision. */
static void store_told(struct seat *seat, const void *seen, const struct told *told, int count)
{
    if (seat->tried && count > 0)
        tried_memory_add(seat->tried, seen, told, count);
    for (int k = 0; k < count && !seat->tried; k++)
        replay_add(seat->transitions, &(struct transition){.observation = seen,
                                                           .action = told[k].action,
                                                           .reward = told[k].value});
}

static bool store(struct run *run, int table, char *ret_error)
{
    struct nfsp *nfsp = nfsp_of(run);
    const struct turn *turn = &nfsp->turns[table];
    int number = tables_decided(run->tables, table);
    assert(number >= 0); /* NFSP has no games against programs */
    struct seat *seat = &nfsp->seat[number];
    int last = tables_decisions(run->tables, table, number) - 1;
    const void *seen = tables_observation(run->tables, table, number, last);

    if (last > 0)
        store_transition(nfsp, table, number, last - 1, seen);
    store_told(seat, seen, nfsp_told(nfsp, table), turn->told);
    if (tables_role(run->tables, table, number) == NFSP_AVERAGE)
        mean_add(&seat->entropy, turn->entropy);
    else if (!nfsp->is_literal)
        reservoir_offer(seat->actions, seen,
                        tables_decision(run->tables, table, number, last)->action);
    run->tried += turn->tried;
    for (int k = 0; k < 2 && tables_over(run->tables, table); k++)
        if (!store_game(nfsp, table, k, ret_error))
            return false;
    return true;
}

static int tasks(const struct run *run)
{
    (void)run;
    return RUN_TASKS_MAX;
}

/* --- reporting --- */

static void report(const struct run *run, struct learner_report *report)
{
    static const char *const names[RUN_LEARNERS] = {"response", "average", "value"};
    const struct nfsp *nfsp = nfsp_of_const(run);

    report->explore = explore(nfsp);
    report->anticipatory = nfsp->settings.anticipatory;
    for (int k = 0; k < 2; k++) {
        const struct seat *seat = &nfsp->seat[k];
        report->entropy[k] = seat->entropy.count ? seat->entropy.mean : (double)NAN;
        for (int n = 0; n < RUN_LEARNERS; n++)
            if (seat->net[n])
                learner_report_loss(report, run->game, names[n], k, seat->loss[n]);
        learner_report_memory(report, run->game, "response", k,
                              seat->tried ? tried_memory_count(seat->tried)
                                          : replay_count(seat->transitions));
        learner_report_memory(report, run->game, "average", k, reservoir_count(seat->actions));
    }
}

static int policies(const struct run *run,
                    struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX])
{
    const struct seat *seat = nfsp_of_const(run)->seat;
    ret_policies[0] = (struct learner_policy_view){
        .name = "average", .net = {seat[0].net[NFSP_AVERAGE], seat[1].net[NFSP_AVERAGE]}};
    ret_policies[1] = (struct learner_policy_view){
        .name = "response",
        .net = {seat[0].net[NFSP_RESPONSE], seat[1].net[NFSP_RESPONSE]},
        .values = true};
    return 2;
}

/* --- files --- */

static bool write_seat(const struct run *run, int number, FILE *file)
{
    const struct seat *seat = &nfsp_of_const(run)->seat[number];
    bool good = fwrite(seat->loss, sizeof seat->loss, 1, file) == 1 &&
                fwrite(&seat->entropy, sizeof seat->entropy, 1, file) == 1;
    for (int n = 0; n < TABLES_NETWORKS_MAX && good; n++)
        good = !seat->net[n] || run_network_write(seat->net[n], file);
    return good && (!seat->transitions || replay_write(seat->transitions, file)) &&
           (!seat->tried || tried_memory_write(seat->tried, file)) &&
           (!seat->returns || replay_write(seat->returns, file)) &&
           reservoir_write(seat->actions, file);
}

static bool read_seat(struct run *run, int number, FILE *file)
{
    struct seat *seat = &nfsp_of(run)->seat[number];
    bool good = fread(seat->loss, sizeof seat->loss, 1, file) == 1 &&
                fread(&seat->entropy, sizeof seat->entropy, 1, file) == 1;
    for (int n = 0; n < TABLES_NETWORKS_MAX && good; n++)
        good = !seat->net[n] || run_network_read(seat->net[n], file);
    return good && (!seat->transitions || replay_read(seat->transitions, file)) &&
           (!seat->tried || tried_memory_read(seat->tried, file)) &&
           (!seat->returns || replay_read(seat->returns, file)) &&
           reservoir_read(seat->actions, file);
}

static bool learn(struct run *run, int task, int thread, char *ret_error)
{
    return nfsp_learn(run, task, thread, ret_error);
}

static const struct run_kind standard_kind = {
    RUN_KIND(struct nfsp, standard_fields), .old_magic = nfsp_old_magic, .read_old = nfsp_read_old};
static const struct run_kind literal_kind = {
    RUN_KIND(struct nfsp, literal_fields), .old_magic = nfsp_old_magic, .read_old = nfsp_read_old};

const struct learner_class learner_nfsp = RUN_CLASS("nfsp", standard_kind);
const struct learner_class learner_nfsp_fifo = RUN_CLASS("nfsp-fifo", standard_kind);
const struct learner_class learner_nfsp_literal = RUN_CLASS("nfsp-literal", literal_kind);
