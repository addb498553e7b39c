/* Neural fictitious self-play: playing and learning. */
#include "workers/learn/losses.h"
#include "workers/learn/nfsp_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Streams of random numbers from 2^32 on, two each; those below are the tables'. */
enum stream { STREAM_NETWORKS, STREAM_RESERVOIR, STREAM_RESPONSE, STREAM_AVERAGE };

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
                                  .seed = 1};
}

double nfsp_explore(const struct nfsp_settings *settings, uint64_t step)
{
    return settings->explore / (1.0 + settings->explore_decay * sqrt((double)step));
}

/* --- draws --- */

static struct random_key stream_key(const struct nfsp *nfsp, enum stream stream, int seat)
{
    return (struct random_key){.seed = nfsp->settings.seed,
                               .stream = (uint64_t)1 << 32 | (uint64_t)stream << 1 | (uint64_t)seat,
                               .purpose = RANDOM_CHOICE};
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

/* One of `count` < 2^32, as good as evenly. */
static size_t pick(uint64_t bits, size_t count)
{
    return (size_t)((bits >> 32) * count >> 32);
}

/* --- beginning a game --- */

static unsigned char *state_of(const struct nfsp *nfsp, int table)
{
    return nfsp->states + (size_t)table * nfsp->game->state_size;
}

static unsigned char *last_of(const struct nfsp *nfsp, int table, int seat)
{
    return nfsp->last + ((size_t)table * 2 + (size_t)seat) * nfsp->game->observation_size;
}

static void begin_game(struct nfsp *nfsp, int table)
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
    nfsp->game->start(nfsp->game, &key, state_of(nfsp, table));
}

/* --- making and freeing --- */

static bool complain(char *ret_error, const char *what, const char *why)
{
    snprintf(ret_error, LEARNER_ERROR_MAX, "%s: %s", what, why);
    return false;
}

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
    };
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        if (!(numbers[k].value >= numbers[k].least && numbers[k].value <= numbers[k].most)) {
            snprintf(ret_error, LEARNER_ERROR_MAX, "%s: %g is not in %g..%g", numbers[k].name,
                     numbers[k].value, numbers[k].least, numbers[k].most);
            return false;
        }
    return true;
}

static bool make_network(const struct nfsp *nfsp, int number, struct net **ret_net, char *ret_error)
{
    struct random_key key = stream_key(nfsp, STREAM_NETWORKS, 0);
    struct net_spec spec = nfsp->settings.network;
    char why[NET_ERROR_MAX];
    uint64_t bits[4];
    random_bits(&key, (uint64_t)number, 0, bits);
    spec.inputs = nfsp->game->inputs;
    spec.outputs = nfsp->game->actions;
    spec.seed = bits[0];
    return net_new(&spec, nfsp->settings.device, ret_net, why) == NET_OK ||
           complain(ret_error, "network", why);
}

static bool make_seat(struct nfsp *nfsp, int number, char *ret_error)
{
    const struct nfsp_settings *settings = &nfsp->settings;
    struct seat *seat = &nfsp->seat[number];
    struct random_key key = stream_key(nfsp, STREAM_RESERVOIR, number);
    bool literal = settings->variant == NFSP_LITERAL;

    if (!make_network(nfsp, 2 * number, &seat->response, ret_error) ||
        !make_network(nfsp, 2 * number + 1, &seat->average, ret_error) ||
        (settings->target_interval && !make_network(nfsp, 2 * number, &seat->target, ret_error)))
        return false;
    seat->transitions = replay_new(settings->response_memory, nfsp->game->observation_size);
    seat->actions = reservoir_new(literal ? RESERVOIR_LATEST : settings->average_rule,
                                  settings->average_memory, nfsp->game->observation_size, &key);
    return (seat->transitions && seat->actions) || complain(ret_error, "memories", "no memory");
}

static bool make_room(struct nfsp *nfsp)
{
    const struct learner_game *game = nfsp->game;
    size_t tables = (size_t)nfsp->settings.parallel, batch = (size_t)nfsp->settings.batch;
    size_t rows = tables > batch ? tables : batch;
    size_t inputs = (size_t)game->inputs, actions = (size_t)game->actions;
    size_t kept = nfsp->settings.variant == NFSP_LITERAL ? 2 * (size_t)game->decisions_max : 0;

    return (nfsp->tables = calloc(tables, sizeof *nfsp->tables)) &&
           (nfsp->states = calloc(tables, game->state_size)) &&
           (nfsp->last = calloc(2 * tables, game->observation_size)) &&
           (nfsp->kept_observations = calloc(tables * kept + 1, game->observation_size)) &&
           (nfsp->kept_actions = calloc(tables * kept + 1, sizeof *nfsp->kept_actions)) &&
           (nfsp->kept_rewards = calloc(tables * kept + 1, sizeof *nfsp->kept_rewards)) &&
           (nfsp->seen = calloc(rows, game->observation_size)) &&
           (nfsp->row = calloc(rows, sizeof *nfsp->row)) &&
           (nfsp->next_row = calloc(rows, sizeof *nfsp->next_row)) &&
           (nfsp->batch_action = calloc(rows, sizeof *nfsp->batch_action)) &&
           (nfsp->batch_reward = calloc(rows, sizeof *nfsp->batch_reward)) &&
           (nfsp->inputs = calloc(rows * inputs, sizeof *nfsp->inputs)) &&
           (nfsp->next_inputs = calloc(rows * inputs, sizeof *nfsp->next_inputs)) &&
           (nfsp->outputs = calloc(rows * actions, sizeof *nfsp->outputs)) &&
           (nfsp->next_outputs = calloc(rows * actions, sizeof *nfsp->next_outputs)) &&
           (nfsp->d_outputs = calloc(rows * actions, sizeof *nfsp->d_outputs)) &&
           (nfsp->legal = calloc(rows * actions, sizeof *nfsp->legal));
}

struct nfsp *nfsp_new(const struct learner_game *game, const struct nfsp_settings *settings,
                      char ret_error[LEARNER_ERROR_MAX])
{
    if (!check_settings(settings, ret_error))
        return NULL;
    struct nfsp *nfsp = calloc(1, sizeof *nfsp);
    if (!nfsp) {
        complain(ret_error, "nfsp", "no memory");
        return NULL;
    }
    nfsp->game = game;
    nfsp->settings = *settings;
    if (!make_seat(nfsp, 0, ret_error) || !make_seat(nfsp, 1, ret_error) ||
        (!make_room(nfsp) && !complain(ret_error, "nfsp", "no memory"))) {
        nfsp_free(nfsp);
        return NULL;
    }
    for (int table = 0; table < settings->parallel; table++)
        begin_game(nfsp, table);
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
        replay_free(nfsp->seat[k].transitions);
        reservoir_free(nfsp->seat[k].actions);
    }
    free(nfsp->tables);
    free(nfsp->states);
    free(nfsp->last);
    free(nfsp->kept_observations);
    free(nfsp->kept_actions);
    free(nfsp->kept_rewards);
    free(nfsp->seen);
    free(nfsp->row);
    free(nfsp->next_row);
    free(nfsp->batch_action);
    free(nfsp->batch_reward);
    free(nfsp->inputs);
    free(nfsp->next_inputs);
    free(nfsp->outputs);
    free(nfsp->next_outputs);
    free(nfsp->d_outputs);
    free(nfsp->legal);
    free(nfsp);
}

/* --- playing --- */

static void store_transition(struct nfsp *nfsp, int table, int seat, const void *next)
{
    const struct table *t = &nfsp->tables[table];
    if (nfsp->settings.variant == NFSP_LITERAL && t->role[seat] != ROLE_RESPONSE)
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

/* A seat's last decision has its reward: the seat decides again and sees `next`, or the game is
 * over (NULL). */
static void finish_decision(struct nfsp *nfsp, int table, int seat, const void *next)
{
    const struct table *t = &nfsp->tables[table];
    bool responds = t->role[seat] == ROLE_RESPONSE;
    if (t->has_decided[seat]) {
        store_transition(nfsp, table, seat, next);
        if (nfsp->settings.variant == NFSP_LITERAL && responds)
            keep(nfsp, table, seat);
    }
    if (!next && nfsp->settings.variant == NFSP_LITERAL)
        learn_from_returns(nfsp, table, seat);
}

/* The action of a role that has these outputs for it. */
static int choose(const struct nfsp *nfsp, enum role role, const float *outputs, const bool *legal,
                  const struct random_key *key)
{
    int actions = nfsp->game->actions;
    uint64_t bits[4];
    random_bits(key, 0, 0, bits);
    double draw = random_unit(bits[0]);

    if (role == ROLE_RESPONSE) {
        if (draw >= nfsp_explore(&nfsp->settings, nfsp->steps))
            return legal_argmax(outputs, legal, actions);
        int count = 0, chosen = 0;
        for (int a = 0; a < actions; a++)
            count += legal[a];
        for (int left = (int)pick(bits[1], (size_t)count); !legal[chosen] || left-- > 0;)
            chosen++;
        return chosen;
    }
    float p[LEARNER_ACTIONS_MAX];
    legal_softmax(outputs, legal, actions, p);
    int chosen = -1;
    for (int a = 0; a < actions && (chosen < 0 || draw >= 0.0); a++)
        if (legal[a]) {
            chosen = a;
            draw -= (double)p[a];
        }
    return chosen;
}

/* One decision at a table: what was observed is in `seen`. */
static bool decide(struct nfsp *nfsp, int table, int seat, const float *outputs)
{
    const struct learner_game *game = nfsp->game;
    struct table *t = &nfsp->tables[table];
    unsigned char *state = state_of(nfsp, table);
    const unsigned char *seen = nfsp->seen + (size_t)table * game->observation_size;
    _Alignas(16) unsigned char before[LEARNER_BYTES_MAX];
    bool legal[LEARNER_ACTIONS_MAX];

    finish_decision(nfsp, table, seat, seen);
    struct random_key key = table_key(nfsp, table);
    game->legal(game, seen, legal);
    int action = choose(nfsp, (enum role)t->role[seat], outputs, legal, &key);
    if (t->role[seat] == ROLE_RESPONSE && nfsp->settings.variant == NFSP_STANDARD)
        reservoir_offer(nfsp->seat[seat].actions, seen, action);
    memcpy(last_of(nfsp, table, seat), seen, game->observation_size);
    t->has_decided[seat] = true;
    t->action[seat] = action;
    t->reward[seat] = 0.0;

    memcpy(before, state, game->state_size);
    if (!game->play(game, state, action, &key))
        return false;
    for (int k = 0; k < 2; k++)
        t->reward[k] += game->reward(game, before, state, k);
    t->decisions++;
    nfsp->decisions++;
    if (game->mover(game, state) < 0) {
        for (int k = 0; k < 2; k++)
            finish_decision(nfsp, table, k, NULL);
        nfsp->games++;
        t->number++;
        begin_game(nfsp, table);
    }
    return true;
}

/* One decision at each table, the networks asked for all their tables at once. */
static bool play_tables(struct nfsp *nfsp, char *ret_error)
{
    const struct learner_game *game = nfsp->game;
    size_t inputs = (size_t)game->inputs, actions = (size_t)game->actions;
    int count = nfsp->settings.parallel, rows = 0;

    for (int seat = 0; seat < 2; seat++)
        for (int role = 0; role < ROLES; role++) {
            int first = rows;
            for (int table = 0; table < count; table++) {
                if (game->mover(game, state_of(nfsp, table)) != seat ||
                    nfsp->tables[table].role[seat] != role)
                    continue;
                unsigned char *seen = nfsp->seen + (size_t)table * game->observation_size;
                game->observe(game, state_of(nfsp, table), seen);
                game->fill_inputs(game, seen, nfsp->inputs + (size_t)rows * inputs);
                nfsp->row[table] = rows++;
            }
            struct net *net =
                role == ROLE_RESPONSE ? nfsp->seat[seat].response : nfsp->seat[seat].average;
            enum net_status status =
                net_evaluate(net, rows - first, nfsp->inputs + (size_t)first * inputs,
                             nfsp->outputs + (size_t)first * actions);
            if (status != NET_OK)
                return complain(ret_error, "network", net_status_text(status));
        }
    for (int table = 0; table < count; table++) {
        int seat = game->mover(game, state_of(nfsp, table));
        if (!decide(nfsp, table, seat, nfsp->outputs + (size_t)nfsp->row[table] * actions))
            return complain(ret_error, game->name, "an action could not be played out");
    }
    return true;
}

/* --- learning --- */

/* Draws a batch of indices below `count`, for update number `update`. */
static void draw_batch(const struct nfsp *nfsp, enum stream stream, int seat, uint64_t update,
                       size_t count, int *ret_index)
{
    struct random_key key = stream_key(nfsp, stream, seat);
    key.game = update;
    for (int k = 0; k < nfsp->settings.batch; k += 4) {
        uint64_t bits[4];
        random_bits(&key, (uint64_t)k / 4, 0, bits);
        for (int j = 0; j < 4 && k + j < nfsp->settings.batch; j++)
            ret_index[k + j] = (int)pick(bits[j], count);
    }
}

static bool took_step(enum net_status status, double loss, const char *network, char *ret_error)
{
    if (!isfinite(loss)) /* then the step failed too */
        return complain(ret_error, network,
                        "its loss is infinite or not a number; try a lower rate");
    return status == NET_OK || complain(ret_error, network, net_status_text(status));
}

/* A step towards q_target() on a batch of transitions. */
static bool learn_response(struct nfsp *nfsp, int number, char *ret_error)
{
    const struct learner_game *game = nfsp->game;
    const struct nfsp_settings *settings = &nfsp->settings;
    struct seat *seat = &nfsp->seat[number];
    size_t inputs = (size_t)game->inputs, actions = (size_t)game->actions;
    int batch = settings->batch, next_rows = 0;
    _Alignas(16) unsigned char observation[LEARNER_BYTES_MAX], next[LEARNER_BYTES_MAX];

    draw_batch(nfsp, STREAM_RESPONSE, number, seat->response_updates,
               replay_count(seat->transitions), nfsp->row);
    for (int k = 0; k < batch; k++) {
        struct transition t =
            replay_get(seat->transitions, (size_t)nfsp->row[k], observation, next);
        game->fill_inputs(game, t.observation, nfsp->inputs + (size_t)k * inputs);
        nfsp->batch_action[k] = t.action;
        nfsp->batch_reward[k] = t.reward;
        nfsp->next_row[k] = -1;
        if (t.next) {
            size_t row = (size_t)next_rows++;
            game->fill_inputs(game, t.next, nfsp->next_inputs + row * inputs);
            game->legal(game, t.next, nfsp->legal + row * actions);
            nfsp->next_row[k] = (int)row;
        }
    }
    enum net_status status = net_evaluate(seat->target ? seat->target : seat->response, next_rows,
                                          nfsp->next_inputs, nfsp->next_outputs);
    if (status == NET_OK)
        status = net_forward(seat->response, batch, nfsp->inputs, nfsp->outputs);
    double loss = 0.0;
    for (int k = 0; k < batch; k++) {
        size_t next_at = nfsp->next_row[k] < 0 ? 0 : (size_t)nfsp->next_row[k] * actions;
        double target = q_target((double)nfsp->batch_reward[k], settings->discount,
                                 nfsp->next_row[k] < 0 ? NULL : nfsp->next_outputs + next_at,
                                 nfsp->legal + next_at, game->actions);
        loss += q_loss(nfsp->outputs + (size_t)k * actions, game->actions, nfsp->batch_action[k],
                       target, 1.0f / (float)batch, nfsp->d_outputs + (size_t)k * actions);
    }
    seat->response_loss = loss / batch;
    if (status == NET_OK)
        status = net_backward(seat->response, batch, nfsp->d_outputs);
    if (status == NET_OK)
        status = net_update(seat->response, &settings->response, NULL);
    seat->response_updates++;
    if (status == NET_OK && seat->target &&
        seat->response_updates % (uint64_t)settings->target_interval == 0)
        status = net_copy(seat->response, seat->target);
    return took_step(status, loss, "best response", ret_error);
}

/* A step towards the likelihood of a batch of what best responses did. */
static bool learn_average(struct nfsp *nfsp, int number, char *ret_error)
{
    const struct learner_game *game = nfsp->game;
    struct seat *seat = &nfsp->seat[number];
    size_t inputs = (size_t)game->inputs, actions = (size_t)game->actions;
    int batch = nfsp->settings.batch;
    _Alignas(16) unsigned char observation[LEARNER_BYTES_MAX];

    draw_batch(nfsp, STREAM_AVERAGE, number, seat->average_updates, reservoir_count(seat->actions),
               nfsp->row);
    for (int k = 0; k < batch; k++) {
        nfsp->batch_action[k] = reservoir_get(seat->actions, (size_t)nfsp->row[k], observation);
        game->fill_inputs(game, observation, nfsp->inputs + (size_t)k * inputs);
        game->legal(game, observation, nfsp->legal + (size_t)k * actions);
    }
    enum net_status status = net_forward(seat->average, batch, nfsp->inputs, nfsp->outputs);
    double loss = 0.0;
    for (int k = 0; k < batch; k++) {
        size_t at = (size_t)k * actions;
        loss +=
            cross_entropy_loss(nfsp->outputs + at, nfsp->legal + at, game->actions,
                               nfsp->batch_action[k], 1.0f / (float)batch, nfsp->d_outputs + at);
    }
    seat->average_loss = loss / batch;
    if (status == NET_OK)
        status = net_backward(seat->average, batch, nfsp->d_outputs);
    if (status == NET_OK)
        status = net_update(seat->average, &nfsp->settings.average, NULL);
    seat->average_updates++;
    return took_step(status, loss, "average policy", ret_error);
}

bool nfsp_step(struct nfsp *nfsp, char ret_error[LEARNER_ERROR_MAX])
{
    if (!play_tables(nfsp, ret_error))
        return false;
    nfsp->steps++;
    for (int k = 0; k < 2; k++) {
        const struct seat *seat = &nfsp->seat[k];
        for (int update = 0; update < nfsp->settings.updates; update++)
            if (replay_count(seat->transitions) >= nfsp->settings.warm_up &&
                !learn_response(nfsp, k, ret_error))
                return false;
        for (int update = 0; update < nfsp->settings.updates; update++)
            if (reservoir_count(seat->actions) >= nfsp->settings.warm_up &&
                !learn_average(nfsp, k, ret_error))
                return false;
    }
    return true;
}

/* --- what became of it --- */

struct nfsp_report nfsp_report(const struct nfsp *nfsp)
{
    struct nfsp_report report = {.steps = nfsp->steps,
                                 .games = nfsp->games,
                                 .decisions = nfsp->decisions,
                                 .explore = nfsp_explore(&nfsp->settings, nfsp->steps)};
    for (int k = 0; k < 2; k++) {
        const struct seat *seat = &nfsp->seat[k];
        report.updates += seat->response_updates + seat->average_updates;
        report.seat[k] =
            (struct nfsp_seat_report){.response_loss = seat->response_loss,
                                      .average_loss = seat->average_loss,
                                      .response_memory = replay_count(seat->transitions),
                                      .average_memory = reservoir_count(seat->actions),
                                      .average_offered = reservoir_offered(seat->actions)};
    }
    return report;
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
    nfsp->game->legal(nfsp->game, observation, ret_legal);
    nfsp->game->fill_inputs(nfsp->game, observation, nfsp->inputs);
    if (net_evaluate(net, 1, nfsp->inputs, nfsp->outputs) != NET_OK)
        for (int a = 0; a < nfsp->game->actions; a++)
            nfsp->outputs[a] = NAN; /* such probabilities cannot be taken for any policy's */
}

void nfsp_average(void *context, int seat, const void *observation, double *ret_p)
{
    struct nfsp *nfsp = context;
    bool legal[LEARNER_ACTIONS_MAX];
    float p[LEARNER_ACTIONS_MAX];
    ask(nfsp, nfsp->seat[seat].average, observation, legal);
    legal_softmax(nfsp->outputs, legal, nfsp->game->actions, p);
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
    ret_p[legal_argmax(nfsp->outputs, legal, nfsp->game->actions)] = 1.0;
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
