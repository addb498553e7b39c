/* KR-UCT at a decision of a best response while it learns ("NFSP + KR-UCT for digital curling"
 * samples 100 actions). Its network proposes actions, the simulator tries them:
 *
 *   1. Half of the `candidates` tries are draws from a mixture of softmax(Q / temperature) and,
 *      with the share `uniform`, a uniform distribution over the legal actions. The draws are
 *      systematic: (k + u) / count with one u, so an action of probability p is drawn about
 *      p * count times.
 *   2. A try is executed once, with noise, and the opponent replies by its average policy. Its v is
 *      the seat's reward until it decides again + discount * the value network's output there.
 *      Without a value network it is the mean of Q under softmax(Q / temperature)
 *      (soft_q_target(): the largest of 640 noisy values is biased upwards).
 *   3. Kernel regression over all tries with the noise's density (regression.h).
 *   4. A quarter of the tries goes to the quarter of the actions with the best E[v|a], the last
 *      quarter to the best third of these, each time followed by the regression: one try of each
 *      would select the luckiest action (sequential halving; Karnin, Koren and Somekh 2013).
 *   5. The action with the largest lower confidence bound is played. The network's value of an
 *      action counts as `prior_tries` more tries, because the network has learned from many such
 *      decisions, the tries are few, and the average policy learns from the actions played.
 *
 * E[v|a] of the tried actions is stored as one decision (memory.h), or without a value
 * network as final transitions, in place of the transition of the action played: a mean over
 * executions and replies is less noisy than one outcome. The stored values contain the next values
 * of the time they were made, so they age until the memory drops them. nfsp-literal stores only the
 * value of the action played.
 *
 * Tries do not affect chance in the game itself. They start from the true state, so the game must
 * hide nothing. */
#include "workers/learn/algorithms/choosing.h"
#include "workers/learn/algorithms/losses.h"
#include "workers/learn/algorithms/nfsp_run.h"
#include "workers/learn/algorithms/run_networks.h"

#include <math.h>
#include <string.h>

static const double bound_c = 0.2;     /* constant of the lower confidence bound */
static const double prior_tries = 4.0; /* weight of the network's value, in tries */

/* Tries in progress. The `action` of the batch is the index of each try's action in `tried`. */
struct tries {
    const struct nfsp *nfsp;
    struct trying *trying;
    struct batch *batch;
    struct tables_turn *turn;
    int first, count; /* number of the first try at this decision; how many */
    struct tried tried[LEARNER_ACTIONS_MAX];
    int actions; /* in `tried` */
    uint64_t throws;
    char *ret_error;
};

/* Returns the key of chance and replies in try number `number`, `round` actions after the first. */
static struct random_key try_key(const struct tries *tries, int number, int round)
{
    struct random_key key = tries->turn->key;
    key.stream |= (uint64_t)(2 + round) << 32;
    key.shot = key.shot << 12 | (uint32_t)number;
    return key;
}

/* Makes `tries` draws of actions. ret_tried lists the drawn actions in ascending order, each once,
 * without visits; ret_index[k] is the index of draw k in it. Returns the length of the list. */
static int draw_candidates(const struct nfsp *nfsp, const float *values, const bool *legal,
                           double unit, int tries, struct tried *ret_tried, int *ret_index)
{
    const struct nfsp_settings *settings = &nfsp->settings;
    int actions = nfsp->run.game->actions, legal_count = 0, count = 0, drawn = 0;
    float heated[LEARNER_ACTIONS_MAX], p[LEARNER_ACTIONS_MAX];
    double sum = 0.0;

    for (int a = 0; a < actions; a++) {
        heated[a] = (float)((double)values[a] / settings->candidate_temperature);
        legal_count += legal[a];
    }
    legal_softmax(heated, legal, actions, p);
    for (int a = 0; a < actions; a++) {
        if (!legal[a])
            continue;
        sum += (1.0 - settings->candidate_uniform) * (double)p[a] +
               settings->candidate_uniform / legal_count;
        /* The outputs of a diverged network have no softmax; learning will report it. */
        int until = isfinite(sum) ? (int)ceil(sum * tries - unit) : tries;
        until = until < tries ? until : tries;
        if (until > drawn)
            ret_tried[count++] = (struct tried){.action = a};
        while (drawn < until)
            ret_index[drawn++] = count - 1;
    }
    for (int a = 0; count == 0; a++) /* rounding drew no action at all */
        if (legal[a])
            ret_tried[count++] = (struct tried){.action = a};
    while (drawn < tries) /* draws lost to rounding */
        ret_index[drawn++] = count - 1;
    return count;
}

static unsigned char *state_of(const struct tries *tries, int number)
{
    return tries->trying->states + (size_t)number * tries->nfsp->run.game->state_size;
}

static bool play_on(struct tries *tries, int number, int action, int round)
{
    const struct learner_game *game = tries->nfsp->run.game;
    struct random_key key = try_key(tries, tries->first + number, round);
    unsigned char *state = state_of(tries, number);
    _Alignas(16) unsigned char before[LEARNER_BYTES_MAX];

    memcpy(before, state, game->state_size);
    if (!game->play(game, state, action, &key)) {
        snprintf(tries->ret_error, LEARNER_ERROR_MAX, "an action could not be played out");
        return false;
    }
    tries->trying->value[number] += game->reward(game, before, state, tries->turn->seat);
    tries->throws++;
    return true;
}

/* Evaluates a network for all tries in which `mover` decides. next_row of a try is its row in
 * next_outputs and `legal` (may be NULL), -1 if `mover` does not decide. False: the network
 * failed. */
static bool ask(struct tries *tries, struct net *net, int mover, bool *legal, int *ret_rows)
{
    const struct learner_game *game = tries->nfsp->run.game;
    struct batch *batch = tries->batch;
    _Alignas(16) unsigned char seen[LEARNER_BYTES_MAX];
    int rows = 0;

    for (int k = 0; k < tries->count; k++) {
        batch->next_row[k] = -1;
        if (game->mover(game, state_of(tries, k)) != mover)
            continue;
        game->observe(game, state_of(tries, k), seen);
        game->fill_inputs(game, seen, batch->next_inputs + (size_t)rows * (size_t)game->inputs);
        if (legal)
            game->legal(game, seen, legal + (size_t)rows * (size_t)game->actions);
        batch->next_row[k] = rows++;
    }
    *ret_rows = rows;
    double begun = pool_thread_s();
    enum net_status status = net_evaluate(net, rows, batch->next_inputs, batch->next_outputs);
    tries->turn->network_s += pool_thread_s() - begun;
    return run_network_is_good(status, "network", tries->ret_error);
}

/* The opponent replies in each try until the seat decides again or the game is over. */
static bool reply(struct tries *tries)
{
    const struct learner_game *game = tries->nfsp->run.game;
    struct batch *batch = tries->batch;
    size_t actions = (size_t)game->actions;
    int other = 1 - tries->turn->seat, rows;

    for (int round = 1;; round++) {
        if (!ask(tries, tries->turn->net[other][NFSP_AVERAGE], other, batch->legal, &rows))
            return false;
        if (rows == 0)
            return true;
        for (int k = 0; k < tries->count; k++) {
            if (batch->next_row[k] < 0)
                continue;
            size_t at = (size_t)batch->next_row[k] * actions;
            struct random_key key = try_key(tries, tries->first + k, round);
            uint64_t bits[4];
            random_bits(&key, 0, 0, bits);
            int action =
                pick_by_logits(bits[0], batch->next_outputs + at, batch->legal + at, game->actions);
            if (!play_on(tries, k, action, round))
                return false;
        }
    }
}

/* Executes the tries and repeats the regression over all tries so far. */
static bool execute(struct tries *tries)
{
    const struct nfsp *nfsp = tries->nfsp;
    const struct learner_game *game = nfsp->run.game;
    struct batch *batch = tries->batch;
    struct trying *trying = tries->trying;
    int seat = tries->turn->seat, rows;
    struct net *const *net = tries->turn->net[seat], *value_net = net[NFSP_VALUE];

    for (int k = 0; k < tries->count; k++) {
        struct random_key key = try_key(tries, tries->first + k, 0);
        memcpy(state_of(tries, k), tries->turn->state, game->state_size);
        trying->value[k] = 0.0;
        game->deed(game, tries->tried[batch->action[k]].action, &key,
                   &trying->done[tries->first + k].deed);
        if (!play_on(tries, k, tries->tried[batch->action[k]].action, 0))
            return false;
    }
    if (!reply(tries) || !ask(tries, value_net ? value_net : net[NFSP_RESPONSE], seat,
                              value_net ? NULL : batch->legal, &rows))
        return false;
    const float *choosing = batch->next_outputs;
    if (net[NFSP_TARGET]) { /* the best response chooses, the target values, as in learning */
        memcpy(batch->d_outputs, batch->next_outputs,
               (size_t)rows * (size_t)game->actions * sizeof *batch->d_outputs);
        choosing = batch->d_outputs;
        if (!ask(tries, net[NFSP_TARGET], seat, NULL, &rows))
            return false;
    }
    for (int k = 0; k < tries->count; k++) {
        struct tried *tried = &tries->tried[batch->action[k]];
        bool over = batch->next_row[k] < 0;
        size_t at = over ? 0 : (size_t)batch->next_row[k] * (size_t)game->actions;
        tried->visits += 1.0;
        if (value_net)
            trying->done[tries->first + k].value =
                trying->value[k] +
                (over ? 0.0
                      : nfsp->settings.discount * (double)batch->next_outputs[batch->next_row[k]]);
        else
            trying->done[tries->first + k].value = soft_q_target(
                trying->value[k], nfsp->settings.discount, nfsp->settings.candidate_temperature,
                choosing + at, over ? NULL : batch->next_outputs + at, batch->legal + at,
                game->actions);
    }
    tries->first += tries->count;
    regress(game, tries->actions, tries->tried, tries->first, trying->done);
    return true;
}

/* Gives `count` further tries to the `kept` best actions. */
static bool try_best(struct tries *tries, int kept, int count)
{
    struct batch *batch = tries->batch;
    int best[LEARNER_ACTIONS_MAX], found = 0;

    for (; found < kept; found++) {
        int next = -1;
        for (int a = 0; a < tries->actions; a++) {
            bool taken = false;
            for (int k = 0; k < found; k++)
                taken |= best[k] == a;
            if (!taken && (next < 0 || tries->tried[a].mean > tries->tried[next].mean))
                next = a;
        }
        best[found] = next;
    }
    for (int k = 0; k < count; k++)
        batch->action[k] = best[k % kept];
    tries->count = count;
    return execute(tries);
}

/* Fills in the softmax over the values of the judged actions. */
static void fill_aims(int actions, const struct tried *judged, double temperature,
                      struct told *ret_aims)
{
    double most = judged[0].mean, sum = 0.0;

    for (int a = 1; a < actions; a++)
        most = fmax(most, judged[a].mean);
    for (int a = 0; a < actions; a++)
        sum += exp((judged[a].mean - most) / temperature);
    for (int a = 0; a < actions; a++)
        ret_aims[a] = (struct told){judged[a].action,
                                    (float)(exp((judged[a].mean - most) / temperature) / sum)};
}

int nfsp_try_candidates(const struct nfsp *nfsp, struct tables_turn *turn,
                        char ret_error[LEARNER_ERROR_MAX])
{
    struct batch *batch = &nfsp->run.batches[turn->thread];
    struct turn *kept = &nfsp->turns[turn->table];
    const float *values = turn->outputs;
    int all = (int)nfsp->settings.candidates, quarter = all / 4;
    struct tries tries = {.nfsp = nfsp,
                          .trying = &nfsp->trying[turn->thread],
                          .batch = batch,
                          .turn = turn,
                          .count = all - 2 * quarter,
                          .ret_error = ret_error};

    struct random_key key = try_key(&tries, all, 0);
    tries.actions = draw_candidates(nfsp, values, turn->legal, random_uniform(&key, 0), tries.count,
                                    tries.tried, batch->action);
    if (!execute(&tries))
        return -1;
    int good = tries.actions > 4 ? tries.actions / 4 : 1, best = good > 3 ? good / 3 : 1;
    if (quarter > 0 && (!try_best(&tries, good, quarter) || !try_best(&tries, best, quarter)))
        return -1;

    struct tried judged[LEARNER_ACTIONS_MAX];
    for (int a = 0; a < tries.actions; a++) {
        const struct tried *tried = &tries.tried[a];
        judged[a] = *tried;
        judged[a].weight += prior_tries;
        judged[a].mean =
            (tried->weight * tried->mean + prior_tries * (double)values[tried->action]) /
            judged[a].weight;
    }
    int chosen = regression_choice(tries.actions, judged, bound_c);
    if (nfsp->aims)
        fill_aims(tries.actions, judged, nfsp->settings.target_temperature,
                  nfsp_aims(nfsp, turn->table));
    struct told *told = nfsp_told(nfsp, turn->table);
    for (int a = 0; a < tries.actions; a++)
        if (!nfsp->is_literal || a == chosen)
            told[kept->told++] = (struct told){tries.tried[a].action, (float)tries.tried[a].mean};
    kept->tried = tries.throws;
    turn->notes[NOTE_TOLD] = 1.0f;
    return tries.tried[chosen].action;
}
