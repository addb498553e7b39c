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
#include "workers/learn/algorithms/choosing.h"
#include "workers/learn/algorithms/losses.h"
#include "workers/learn/algorithms/nfsp_run.h"
#include "workers/learn/algorithms/run_networks.h"

#include <assert.h>
#include <math.h>

#define NUMBER(...)    HYPER_FIELD(struct nfsp_settings, __VA_ARGS__)
#define OPTIMISER(...) HYPER_OPTIMISER_FIELD(struct nfsp_settings, __VA_ARGS__)
static const struct hyper_field standard_fields[] = {HYPER_NFSP(NUMBER, NUMBER, OPTIMISER)};
static const struct hyper_field literal_fields[] = {HYPER_NFSP_LITERAL(NUMBER, NUMBER, OPTIMISER)};

/* --- making and freeing --- */

static bool tries(const struct nfsp *nfsp)
{
    return nfsp->settings.candidates > 0.0 && nfsp->run.game->likelihood;
}

/* Whether average policies learn from all tried actions. */
static bool has_aims(const struct nfsp *nfsp)
{
    return !nfsp->is_literal && nfsp->settings.target_temperature > 0.0 && tries(nfsp);
}

static void make_memories(struct nfsp *nfsp, int number)
{
    const struct nfsp_settings *s = &nfsp->settings;
    struct room *room = &nfsp->run.room;
    struct memory **memory = nfsp->run.seat[number].memory;
    struct random_key key = run_stream_key(&nfsp->run, STREAM_RESERVOIR, number);
    bool latest = nfsp->is_literal || nfsp->run.learner.class == &learner_nfsp_fifo;
    size_t size = nfsp->run.game->observation_size, entries = (size_t)s->response_memory;

    if (has_aims(nfsp))
        memory[MEMORY_ACTIONS] =
            memory_of_tries(room, (size_t)s->average_memory, size, (int)s->candidates);
    else
        memory[MEMORY_ACTIONS] = memory_of_actions(room, (size_t)s->average_memory, size,
                                                   latest ? MEMORY_LATEST : MEMORY_SAMPLE, &key);
    if (memory[MEMORY_ACTIONS] && !latest)
        memory_keep_sample(memory[MEMORY_ACTIONS], s->average_recency, &key);
    if (nfsp->run.outputs[NFSP_VALUE]) {
        memory[MEMORY_RESPONSE] =
            memory_of_tries(room, entries / (size_t)s->candidates + 1, size, (int)s->candidates);
        memory[MEMORY_RETURNS] = memory_of_transitions(room, entries, size);
    } else {
        memory[MEMORY_RESPONSE] = memory_of_transitions(room, entries, size);
    }
}

static void take_buffers(struct nfsp *nfsp)
{
    struct room *room = &nfsp->run.room;
    size_t parallel = (size_t)nfsp->settings.parallel;
    size_t candidates = (size_t)nfsp->settings.candidates;

    nfsp->turns = room_take(room, parallel, sizeof *nfsp->turns);
    nfsp->told = room_take(room, parallel * candidates, sizeof *nfsp->told);
    if (has_aims(nfsp))
        nfsp->aims = room_take(room, parallel * candidates, sizeof *nfsp->aims);
    nfsp->trying = room_take(room, (size_t)nfsp->run.threads, sizeof *nfsp->trying);
    for (int k = 0; k < nfsp->run.threads && !room->is_full; k++) {
        struct trying *trying = &nfsp->trying[k];
        trying->states = room_take(room, candidates, nfsp->run.game->state_size);
        trying->done = room_take(room, candidates, sizeof *trying->done);
        trying->value = room_take(room, candidates, sizeof *trying->value);
    }
}

static int role_of(const void *context, int table, uint64_t game, int seat, uint64_t bits)
{
    const struct nfsp *nfsp = context;
    bool responds = nfsp->is_literal ? (game + (uint64_t)table + (uint64_t)seat) % 2 == 0
                                     : random_unit(bits) < nfsp->settings.anticipatory;
    return responds ? NFSP_RESPONSE : NFSP_AVERAGE;
}

static void begin(struct run *run, struct tables_settings *ret_tables)
{
    struct nfsp *nfsp = (struct nfsp *)run;
    const struct nfsp_settings *s = &nfsp->settings;
    double rows = fmax(fmax(s->batch, s->candidates), LEARNER_DECISIONS_MAX);

    nfsp->is_literal = run->learner.class == &learner_nfsp_literal;
    run->optimiser[NFSP_RESPONSE] = run->optimiser[NFSP_VALUE] =
        run_optimiser(s->optimiser, s->response_rate, s->momentum, 0.0, s->clip);
    run->optimiser[NFSP_AVERAGE] =
        run_optimiser(s->optimiser, s->average_rate, s->momentum, s->weight_decay, s->clip);
    run->outputs[NFSP_RESPONSE] = run->outputs[NFSP_AVERAGE] = run->game->actions;
    if (!nfsp->is_literal && s->value_network > 0.0 && tries(nfsp))
        run->outputs[NFSP_VALUE] = 1;
    else if (s->target_interval > 0.0)
        run->outputs[NFSP_TARGET] = run->game->actions;
    run->rate_decay = s->rate_decay;
    run->explore = s->explore;
    run->explore_decay = s->explore_decay;
    run->anticipatory = s->anticipatory;
    run->parallel = (int)s->parallel;
    run->rows = (int)rows;
    run->batch = (int)s->batch;
    run->target_interval = (uint64_t)s->target_interval;
    ret_tables->roles = NFSP_ROLES;
    ret_tables->role_of = role_of;
    make_memories(nfsp, 0);
    make_memories(nfsp, 1);
    take_buffers(nfsp);
}

/* --- playing --- */

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
    if (random_unit(bits[0]) < run_explore(&nfsp->run))
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

    if (nfsp->run.seat[seat].net[NFSP_VALUE] || decision->notes[NOTE_TOLD] > 0.0f ||
        (nfsp->is_literal && table_role(tables_at(tables, table), seat) != NFSP_RESPONSE))
        return;
    memory_add_transition(
        nfsp->run.seat[seat].memory[MEMORY_RESPONSE],
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

    for (int k = tables_at(tables, table)->kept[seat] - 1; k >= 0; k--) {
        const struct tables_decision *decision = tables_decision(tables, table, seat, k);
        sum = decision->reward + nfsp->settings.discount * sum;
        if (sum > nfsp->settings.threshold)
            memory_offer_action(nfsp->run.seat[seat].memory[MEMORY_ACTIONS],
                                tables_observation(tables, table, seat, k), decision->action);
    }
}

/* Stores the return of each decision of a finished game; after the last one G is 0:
 *     G(k) = reward(k) + discount * ((1 - lambda) V(k + 1) + lambda G(k + 1))
 * (Sutton and Barto, "Reinforcement learning", 2018, 12.1). */
static enum net_status store_returns(struct nfsp *nfsp, int table, int seat)
{
    const struct tables *tables = nfsp->run.tables;
    const struct learner_game *game = nfsp->run.game;
    const struct run_seat *s = &nfsp->run.seat[seat];
    const double lambda = nfsp->settings.value_lambda;
    const struct batch *batch = &nfsp->run.batches[0];
    int decisions = tables_at(tables, table)->kept[seat];
    enum net_status status = NET_OK;
    double sum = 0.0;

    for (int k = 0; k < decisions && lambda < 1.0; k++)
        game->fill_inputs(game, tables_observation(tables, table, seat, k),
                          batch->inputs + (size_t)k * (size_t)game->inputs);
    if (lambda < 1.0)
        status = net_evaluate(s->net[NFSP_VALUE], decisions, batch->inputs, batch->outputs);
    for (int k = decisions - 1; k >= 0 && status == NET_OK; k--) {
        if (lambda < 1.0 && k + 1 < decisions)
            sum = (1.0 - lambda) * (double)batch->outputs[k + 1] + lambda * sum;
        sum = tables_decision(tables, table, seat, k)->reward + nfsp->settings.discount * sum;
        memory_add_transition(
            s->memory[MEMORY_RETURNS],
            &(struct transition){.observation = tables_observation(tables, table, seat, k),
                                 .reward = (float)sum});
    }
    return status;
}

static bool store_game(struct nfsp *nfsp, int table, int seat, char *ret_error)
{
    const struct table *t = tables_at(nfsp->run.tables, table);
    enum net_status status = NET_OK;

    if (t->kept[seat] > 0)
        store_transition(nfsp, table, seat, t->kept[seat] - 1, NULL);
    if (nfsp->is_literal && table_role(t, seat) == NFSP_RESPONSE)
        store_good_decisions(nfsp, table, seat);
    else if (nfsp->run.seat[seat].net[NFSP_VALUE])
        status = store_returns(nfsp, table, seat);
    return run_network_is_good(status, "value", ret_error);
}

/* Stores the values that candidates gave at a decision. */
static void store_told(struct run_seat *seat, const void *seen, const struct told *told, int count)
{
    struct memory *memory = seat->memory[MEMORY_RESPONSE];
    bool keeps_tries = seat->net[NFSP_VALUE] != NULL;

    if (keeps_tries && count > 0)
        memory_add_tries(memory, seen, told, count);
    for (int k = 0; k < count && !keeps_tries; k++)
        memory_add_transition(memory, &(struct transition){.observation = seen,
                                                           .action = told[k].action,
                                                           .reward = told[k].value});
}

/* Stores what the average policy of a seat learns from a decision of its best response. */
static void store_average(struct nfsp *nfsp, int table, const void *seen, int number, int action)
{
    struct memory *memory = nfsp->run.seat[number].memory[MEMORY_ACTIONS];
    int told = nfsp->turns[table].told;
    const struct told played = {action, 1.0f};

    if (!nfsp->aims)
        memory_offer_action(memory, seen, action);
    else if (told > 0)
        memory_add_tries(memory, seen, nfsp_aims(nfsp, table), told);
    else /* a random action */
        memory_add_tries(memory, seen, &played, 1);
}

/* Adds a number to a mean of about the last thousand. */
static void mean_add(struct run_mean *mean, double value)
{
    const uint64_t most = 1000;
    mean->count += mean->count < most;
    mean->mean += (value - mean->mean) / (double)mean->count;
}

static bool store(struct run *run, int table, char *ret_error)
{
    struct nfsp *nfsp = (struct nfsp *)run;
    const struct turn *turn = &nfsp->turns[table];
    const struct table *t = tables_at(run->tables, table);
    int number = t->decided;
    assert(number >= 0); /* NFSP has no games against programs */
    struct run_seat *seat = &run->seat[number];
    int last = t->kept[number] - 1;
    const void *seen = tables_observation(run->tables, table, number, last);

    if (last > 0)
        store_transition(nfsp, table, number, last - 1, seen);
    store_told(seat, seen, nfsp_told(nfsp, table), turn->told);
    if (table_role(t, number) == NFSP_AVERAGE)
        mean_add(&seat->entropy, turn->entropy);
    else if (!nfsp->is_literal)
        store_average(nfsp, table, seen, number,
                      tables_decision(run->tables, table, number, last)->action);
    run->tried += turn->tried;
    for (int k = 0; k < 2 && t->over; k++)
        if (!store_game(nfsp, table, k, ret_error))
            return false;
    return true;
}

static const struct run_kind kind = {
    RUN_KIND(struct nfsp),
    .learn = nfsp_learn,
    .learners = RUN_LEARNERS,
    .stored = TABLES_NETWORKS_MAX,
    .played = TABLES_NETWORKS_MAX,
    .target = NFSP_TARGET,
    .mirrors = true,
    .numbers = {{0, 1, 4, 0}, {2, 3, 5, 2}}, /* the target starts as a copy */
    .losses = {"response", "average", "value"},
    .memories = {[MEMORY_RESPONSE] = "response", [MEMORY_ACTIONS] = "average"},
    .policies = {{"average", NFSP_AVERAGE, false}, {"response", NFSP_RESPONSE, true}},
    .entropy_size = sizeof(struct run_mean),
    .old_magic = nfsp_old_magic,
    .read_old = nfsp_read_old};

const struct learner_class learner_nfsp = RUN_CLASS("nfsp", kind, standard_fields);
const struct learner_class learner_nfsp_fifo = RUN_CLASS("nfsp-fifo", kind, standard_fields);
const struct learner_class learner_nfsp_literal = RUN_CLASS("nfsp-literal", kind, literal_fields);
