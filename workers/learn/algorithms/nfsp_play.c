/* NFSP plays: one decision at each table, in slices that threads share out, then what came of it
 * is stored in the order of the tables, so that nothing depends on the threads. */
#include "workers/learn/algorithms/losses.h"
#include "workers/learn/algorithms/nfsp_run.h"

#include <math.h>
#include <string.h>

static unsigned char *last_of(const struct nfsp *nfsp, int table, int seat)
{
    return nfsp->last + ((size_t)table * 2 + (size_t)seat) * nfsp->game->observation_size;
}

/* The key of a table before its next decision. */
static struct random_key table_key(const struct nfsp *nfsp, int table)
{
    return (struct random_key){.seed = nfsp->settings.seed,
                               .stream = (uint64_t)table,
                               .game = nfsp->tables[table].number,
                               .shot = (uint32_t)nfsp->tables[table].decisions,
                               .purpose = RANDOM_CHOICE};
}

void nfsp_begin_game(struct nfsp *nfsp, int table)
{
    struct table *t = &nfsp->tables[table];
    uint64_t bits[4];

    *t = (struct table){.number = t->number};
    /* Shot numbers of decisions are lower than this one. */
    struct random_key key = table_key(nfsp, table);
    key.shot = UINT32_MAX;
    random_bits(&key, 0, 0, bits);
    for (int seat = 0; seat < 2; seat++) {
        bool responds = nfsp->settings.variant == NFSP_LITERAL
                            ? (t->number + (uint64_t)table + (uint64_t)seat) % 2 == 0
                            : random_unit(bits[seat]) < nfsp->settings.anticipatory;
        t->role[seat] = responds ? ROLE_RESPONSE : ROLE_AVERAGE;
    }
    nfsp->game->start(nfsp->game, &key, nfsp_state(nfsp, table));
}

/* --- one slice, in any thread --- */

int nfsp_draw_action(const float *logits, const bool *legal, int actions, double draw,
                     double *ret_entropy)
{
    float p[LEARNER_ACTIONS_MAX];
    int chosen = -1;
    legal_softmax(logits, legal, actions, p);
    for (int a = 0; a < actions && (chosen < 0 || draw >= 0.0); a++)
        if (legal[a]) {
            chosen = a;
            draw -= (double)p[a];
        }
    if (ret_entropy)
        *ret_entropy = legal_entropy(logits, legal, actions);
    return chosen;
}

/* A best response's random action. */
static int any_action(const bool *legal, int actions, uint64_t bits)
{
    int count = 0, chosen = 0;
    for (int a = 0; a < actions; a++)
        count += legal[a];
    for (int left = (int)nfsp_pick(bits, (size_t)count); !legal[chosen] || left-- > 0;)
        chosen++;
    return chosen;
}

/* Decides at a table, whose network has these outputs, and plays it. What was observed is in
 * `seen`. */
static bool decide(const struct nfsp *nfsp, struct workplace *place, int table, int seat,
                   const float *outputs, char *ret_error)
{
    const struct learner_game *game = nfsp->game;
    const struct nfsp_settings *settings = &nfsp->settings;
    struct random_key key = table_key(nfsp, table);
    unsigned char *state = nfsp_state(nfsp, table);
    struct turn *turn = &nfsp->turns[table];
    _Alignas(16) unsigned char before[LEARNER_BYTES_MAX];
    bool legal[LEARNER_ACTIONS_MAX];
    uint64_t bits[4];

    *turn = (struct turn){.seat = seat, .throws = 1};
    game->legal(game, nfsp_seen(nfsp, table), legal);
    random_bits(&key, 0, 0, bits);
    double draw = random_unit(bits[0]);
    if (nfsp->tables[table].role[seat] == ROLE_AVERAGE)
        turn->action = nfsp_draw_action(outputs, legal, game->actions, draw, &turn->entropy);
    else if (draw < nfsp_explore(settings, nfsp->steps))
        turn->action = any_action(legal, game->actions, bits[1]);
    else if (settings->candidates == 0 || !game->likelihood)
        turn->action = legal_argmax(outputs, legal, game->actions);
    else if (!nfsp_try_candidates(nfsp, place, table, seat, outputs, turn, ret_error))
        return false;

    memcpy(before, state, game->state_size);
    if (!game->play(game, state, turn->action, &key))
        return nfsp_complain(ret_error, game->name, "an action could not be played out");
    for (int k = 0; k < 2; k++)
        turn->reward[k] = game->reward(game, before, state, k);
    turn->over = game->mover(game, state) < 0;
    return true;
}

/* One decision at each table of a slice, each network asked for all of its tables at once. */
static bool play_slice(const struct nfsp *nfsp, struct workplace *place, int slice, char *ret_error)
{
    const struct learner_game *game = nfsp->game;
    size_t inputs = (size_t)game->inputs, actions = (size_t)game->actions;
    int first = slice * nfsp->slice_tables, count = nfsp->settings.parallel - first, rows = 0;
    count = count < nfsp->slice_tables ? count : nfsp->slice_tables;

    double begun = pool_thread_s();
    for (int seat = 0; seat < 2; seat++)
        for (int role = 0; role < ROLES; role++) {
            int from = rows;
            for (int k = 0; k < count; k++) {
                int table = first + k;
                if (game->mover(game, nfsp_state(nfsp, table)) != seat ||
                    nfsp->tables[table].role[seat] != role)
                    continue;
                game->observe(game, nfsp_state(nfsp, table), nfsp_seen(nfsp, table));
                game->fill_inputs(game, nfsp_seen(nfsp, table),
                                  place->inputs + (size_t)rows * inputs);
                place->row[rows++] = table;
            }
            double asked = pool_thread_s();
            enum net_status status = net_evaluate(place->net[seat][role], rows - from,
                                                  place->inputs + (size_t)from * inputs,
                                                  place->outputs + (size_t)from * actions);
            if (status != NET_OK)
                return nfsp_complain(ret_error, "network", net_status_text(status));
            double now = pool_thread_s();
            place->play_s += asked - begun;
            place->network_s += now - asked;
            begun = now;
        }
    for (int row = 0; row < rows; row++) {
        int table = place->row[row], seat = game->mover(game, nfsp_state(nfsp, table));
        if (!decide(nfsp, place, table, seat, place->outputs + (size_t)row * actions, ret_error))
            return false;
    }
    place->play_s += pool_thread_s() - begun;
    return true;
}

static void play_task(void *context, size_t slice, int thread)
{
    struct nfsp *nfsp = context;
    nfsp->errors[slice][0] = '\0';
    play_slice(nfsp, &nfsp->workplace[thread], (int)slice, nfsp->errors[slice]);
}

/* --- storing, in the order of the tables --- */

static void store_transition(struct nfsp *nfsp, int table, int seat, const void *next)
{
    const struct table *t = &nfsp->tables[table];
    if (!nfsp->seat[seat].transitions || t->told[seat] ||
        (nfsp->settings.variant == NFSP_LITERAL && t->role[seat] != ROLE_RESPONSE))
        return;
    replay_add(nfsp->seat[seat].transitions,
               &(struct transition){.observation = last_of(nfsp, table, seat),
                                    .action = t->action[seat],
                                    .reward = (float)t->reward[seat],
                                    .next = next});
}

static size_t kept_at(const struct nfsp *nfsp, int table, int seat, int number)
{
    return ((size_t)table * 2 + (size_t)seat) * (size_t)nfsp->game->decisions_max + (size_t)number;
}

/* NFSP_LITERAL: the last decision waits with its reward for the end of the game. */
static void keep(struct nfsp *nfsp, int table, int seat)
{
    struct table *t = &nfsp->tables[table];
    size_t at = kept_at(nfsp, table, seat, t->kept[seat]++), size = nfsp->game->observation_size;
    memcpy(nfsp->kept_observations + at * size, last_of(nfsp, table, seat), size);
    nfsp->kept_actions[at] = t->action[seat];
    nfsp->kept_rewards[at] = t->reward[seat];
}

/* NFSP_LITERAL: at the end of a game, its decisions whose discounted return is high enough. */
static void learn_from_returns(struct nfsp *nfsp, int table, int seat)
{
    const struct table *t = &nfsp->tables[table];
    double sum = 0.0;
    for (int k = t->kept[seat] - 1; k >= 0; k--) {
        size_t at = kept_at(nfsp, table, seat, k);
        sum = nfsp->kept_rewards[at] + nfsp->settings.discount * sum;
        if (sum > nfsp->settings.threshold)
            reservoir_offer(nfsp->seat[seat].actions,
                            nfsp->kept_observations + at * nfsp->game->observation_size,
                            nfsp->kept_actions[at]);
    }
}

/* At the end of a game, what each of its decisions came to: with G behind the last one 0,
 *     G(k) = reward(k) + discount * ((1 - lambda) V(k + 1) + lambda G(k + 1))
 * (Sutton and Barto, "Reinforcement learning", 2018, 12.1). False: the network failed. */
static bool store_returns(struct nfsp *nfsp, int table, int seat)
{
    const struct learner_game *game = nfsp->game;
    const struct nfsp_settings *settings = &nfsp->settings;
    struct workplace *place = &nfsp->workplace[0];
    const int decisions = nfsp->tables[table].kept[seat];
    size_t first = kept_at(nfsp, table, seat, 0), size = game->observation_size;
    const unsigned char *observations = nfsp->kept_observations + first * size;
    double sum = 0.0;

    if (settings->value_lambda < 1.0) {
        for (int k = 0; k < decisions; k++)
            game->fill_inputs(game, observations + (size_t)k * size,
                              place->next_inputs + (size_t)k * (size_t)game->inputs);
        if (net_evaluate(nfsp->seat[seat].value, decisions, place->next_inputs,
                         place->next_outputs) != NET_OK)
            return false;
    }
    for (int k = decisions - 1; k >= 0; k--) {
        if (settings->value_lambda < 1.0 && k + 1 < decisions)
            sum = (1.0 - settings->value_lambda) * (double)place->next_outputs[k + 1] +
                  settings->value_lambda * sum;
        sum = nfsp->kept_rewards[first + (size_t)k] + settings->discount * sum;
        replay_add(nfsp->seat[seat].returns,
                   &(struct transition){.observation = observations + (size_t)k * size,
                                        .reward = (float)sum});
    }
    return true;
}

/* A seat's last decision has its reward: the seat decides again and sees `next`, or the game is
 * over (NULL). False: a network failed. */
static bool finish_decision(struct nfsp *nfsp, int table, int seat, const void *next)
{
    const struct table *t = &nfsp->tables[table];
    bool responds = t->role[seat] == ROLE_RESPONSE;
    if (t->has_decided[seat]) {
        store_transition(nfsp, table, seat, next);
        if (nfsp->seat[seat].value || (nfsp->settings.variant == NFSP_LITERAL && responds))
            keep(nfsp, table, seat);
    }
    if (!next && nfsp->settings.variant == NFSP_LITERAL)
        learn_from_returns(nfsp, table, seat);
    else if (!next && nfsp->seat[seat].value)
        return store_returns(nfsp, table, seat);
    return true;
}

static void mean_add(struct mean *mean, double value)
{
    const uint64_t most = 1000;
    mean->count += mean->count < most;
    mean->mean += (value - mean->mean) / (double)mean->count;
}

/* False: a network failed. */
static bool store_turn(struct nfsp *nfsp, int table)
{
    const struct turn *turn = &nfsp->turns[table];
    struct table *t = &nfsp->tables[table];
    int seat = turn->seat;
    unsigned char *seen = nfsp_seen(nfsp, table);

    if (!finish_decision(nfsp, table, seat, seen))
        return false;
    memcpy(last_of(nfsp, table, seat), seen, nfsp->game->observation_size);
    t->has_decided[seat] = true;
    t->action[seat] = turn->action;
    t->told[seat] = turn->told > 0;
    t->reward[seat] = 0.0;
    if (nfsp->seat[seat].tried && turn->told > 0)
        tried_memory_add(nfsp->seat[seat].tried, seen, nfsp_told(nfsp, table), turn->told);
    for (int k = 0; k < turn->told && !nfsp->seat[seat].tried; k++)
        replay_add(nfsp->seat[seat].transitions,
                   &(struct transition){.observation = seen,
                                        .action = nfsp_told(nfsp, table)[k].action,
                                        .reward = nfsp_told(nfsp, table)[k].value,
                                        .next = NULL});
    if (t->role[seat] == ROLE_AVERAGE)
        mean_add(&nfsp->seat[seat].entropy, turn->entropy);
    else if (nfsp->settings.variant == NFSP_STANDARD)
        reservoir_offer(nfsp->seat[seat].actions, seen, turn->action);

    for (int k = 0; k < 2; k++) {
        t->reward[k] += turn->reward[k];
        t->earned[k] += turn->reward[k];
    }
    t->decisions++;
    nfsp->decisions++;
    nfsp->throws += turn->throws;
    if (!turn->over)
        return true;
    for (int k = 0; k < 2; k++) {
        if (!finish_decision(nfsp, table, k, NULL))
            return false;
        mean_add(&nfsp->seat[k].reward, t->earned[k]);
    }
    nfsp->games++;
    t->number++;
    nfsp_begin_game(nfsp, table);
    return true;
}

/* The copies of the networks that other threads than one need. */
static bool copy_networks(struct nfsp *nfsp, char *ret_error)
{
    enum net_status status = NET_OK;
    for (int number = 1; number < nfsp->workplaces && nfsp->slices > 1; number++)
        for (int k = 0; k < 2; k++) {
            const struct workplace *from = &nfsp->workplace[0], *to = &nfsp->workplace[number];
            for (int role = 0; role < ROLES && status == NET_OK; role++)
                status = net_copy(from->net[k][role], to->net[k][role]);
            if (status == NET_OK && from->target[k])
                status = net_copy(from->target[k], to->target[k]);
            if (status == NET_OK && from->value_net[k])
                status = net_copy(from->value_net[k], to->value_net[k]);
        }
    return status == NET_OK || nfsp_complain(ret_error, "network", net_status_text(status));
}

bool nfsp_play(struct nfsp *nfsp, char ret_error[LEARNER_ERROR_MAX])
{
    double begun = pool_thread_s();
    if (!copy_networks(nfsp, ret_error))
        return false;
    nfsp->workplace[0].network_s += pool_thread_s() - begun;
    pool_run(nfsp->pool, (size_t)nfsp->slices, play_task, nfsp);
    for (int slice = 0; slice < nfsp->slices; slice++)
        if (nfsp->errors[slice][0]) {
            snprintf(ret_error, LEARNER_ERROR_MAX, "%s", nfsp->errors[slice]);
            return false;
        }
    begun = pool_thread_s();
    for (int table = 0; table < nfsp->settings.parallel; table++)
        if (!store_turn(nfsp, table))
            return nfsp_complain(ret_error, "value", net_status_text(NET_FAILED));
    nfsp->workplace[0].play_s += pool_thread_s() - begun;
    return true;
}
