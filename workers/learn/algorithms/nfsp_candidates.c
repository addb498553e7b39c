/* KR-UCT at a decision of a best response while it learns ("NFSP + KR-UCT for digital curling"
 * samples 100 actions). Its network proposes, the simulator tells:
 *
 *   1. Half of the `candidates` tries are draws from the mixture of softmax(Q / temperature) and,
 *      with the share `uniform`, all legal actions alike. The draws are systematic: (k + u) / count
 *      with one u, so an action of probability p is drawn about p * count times.
 *   2. A try is executed once, with noise, and the opponent replies by its average policy. Its v is
 *      what the seat is rewarded with until it decides again + discount * what the value network
 *      says there; without one the mean of Q under softmax(Q / temperature) (soft_q_target(): the
 *      largest of 640 uncertain values is too lucky).
 *   3. Kernel regression over all tries with the noise's density (regression.h).
 *   4. A quarter of the tries goes to the quarter of the actions with the best E[v|a], the last
 *      quarter to the best third of these, and the regression is made anew: one try of each would
 *      choose the luckiest action (sequential halving; Karnin, Koren and Somekh 2013).
 *   5. The action with the largest lower confidence bound is played, where what the network says
 *      of an action counts as so many tries more: it has seen many such decisions, the tries are
 *      few, and the average policy learns from what is played.
 *
 * What E[v|a] says of the actions tried is kept as one decision (tried_memory.h), without a value
 * network as transitions behind which nothing follows, instead of the transition that the action
 * played then leads to: a mean over executions and replies says more than what happens to come of
 * one. Their next values are those of the time they were made, so they age until the memory forgets
 * them. NFSP_LITERAL keeps that of the action played alone.
 *
 * Nothing of it changes what chance does in the game that is played. Only for games that hide
 * nothing: the tries begin from the state itself. */
#include "workers/learn/algorithms/losses.h"
#include "workers/learn/algorithms/nfsp_run.h"
#include "workers/learn/algorithms/regression.h"

#include <math.h>
#include <string.h>

static const double bound_c = 0.2;     /* of the lower bound */
static const double prior_tries = 4.0; /* what the network says counts as */

/* What chance and replies do to try number `number` at this decision, `round` actions after it. */
static struct random_key try_key(const struct nfsp *nfsp, int table, int number, int round)
{
    const struct table *t = &nfsp->tables[table];
    return (struct random_key){.seed = nfsp->settings.seed,
                               .stream = (uint64_t)(2 + round) << 32 | (uint64_t)table,
                               .game = t->number,
                               .shot = (uint32_t)t->decisions << 12 | (uint32_t)number,
                               .purpose = RANDOM_CHOICE};
}

/* Draws `tries` actions: ret_tried[…] in order of the actions, each once, not tried yet; ret_index
 * of each draw is its place there. Returns how many actions there are. */
static int draw_candidates(const struct nfsp *nfsp, const float *values, const bool *legal,
                           double unit, int tries, struct tried *ret_tried, int *ret_index)
{
    const struct nfsp_settings *settings = &nfsp->settings;
    int actions = nfsp->game->actions, legal_count = 0, count = 0, drawn = 0;
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
        /* A network that has diverged has no chances; that comes out where it learns. */
        int until = isfinite(sum) ? (int)ceil(sum * tries - unit) : tries;
        until = until < tries ? until : tries;
        if (until > drawn)
            ret_tried[count++] = (struct tried){.action = a};
        while (drawn < until)
            ret_index[drawn++] = count - 1;
    }
    for (int a = 0; count == 0; a++) /* rounding left everything over */
        if (legal[a])
            ret_tried[count++] = (struct tried){.action = a};
    while (drawn < tries) /* what rounding left over */
        ret_index[drawn++] = count - 1;
    return count;
}

/* Some tries at work. In the workplace are their states and rewards, and in `action` the place of
 * what they try among `tried`. */
struct tries {
    const struct nfsp *nfsp;
    struct workplace *place;
    int table, seat;
    int first, count; /* number of the first one at this decision, how many */
    struct tried tried[LEARNER_ACTIONS_MAX];
    int actions; /* that are tried */
    uint64_t throws;
    char *ret_error;
};

static unsigned char *state_of(const struct tries *tries, int number)
{
    return tries->place->states + (size_t)number * tries->nfsp->game->state_size;
}

static bool play_on(struct tries *tries, int number, int action, int round)
{
    const struct learner_game *game = tries->nfsp->game;
    struct random_key key = try_key(tries->nfsp, tries->table, tries->first + number, round);
    unsigned char *state = state_of(tries, number);
    _Alignas(16) unsigned char before[LEARNER_BYTES_MAX];

    memcpy(before, state, game->state_size);
    if (!game->play(game, state, action, &key))
        return nfsp_complain(tries->ret_error, game->name, "an action could not be played out");
    tries->place->value[number] += game->reward(game, before, state, tries->seat);
    tries->throws++;
    return true;
}

/* Asks a network about all tries in which `mover` decides: next_row of a try is its row among
 * next_outputs and `legal` (NULL: not wanted), -1 if it was not asked about. False: the network
 * failed. */
static bool ask(struct tries *tries, struct net *net, int mover, bool *legal, int *ret_rows)
{
    const struct learner_game *game = tries->nfsp->game;
    struct workplace *place = tries->place;
    _Alignas(16) unsigned char seen[LEARNER_BYTES_MAX];
    int rows = 0;

    for (int k = 0; k < tries->count; k++) {
        place->next_row[k] = -1;
        if (game->mover(game, state_of(tries, k)) != mover)
            continue;
        game->observe(game, state_of(tries, k), seen);
        game->fill_inputs(game, seen, place->next_inputs + (size_t)rows * (size_t)game->inputs);
        if (legal)
            game->legal(game, seen, legal + (size_t)rows * (size_t)game->actions);
        place->next_row[k] = rows++;
    }
    *ret_rows = rows;
    double begun = pool_thread_s();
    enum net_status status = net_evaluate(net, rows, place->next_inputs, place->next_outputs);
    double spent = pool_thread_s() - begun;
    place->network_s += spent;
    place->play_s -= spent; /* inside of what is counted as playing */
    return status == NET_OK || nfsp_complain(tries->ret_error, "network", net_status_text(status));
}

/* The opponent replies in each try until the seat decides again or the game is over. */
static bool reply(struct tries *tries)
{
    const struct learner_game *game = tries->nfsp->game;
    struct workplace *place = tries->place;
    size_t actions = (size_t)game->actions;
    int other = 1 - tries->seat, rows;

    for (int round = 1;; round++) {
        if (!ask(tries, place->net[other][ROLE_AVERAGE], other, place->legal, &rows))
            return false;
        if (rows == 0)
            return true;
        for (int k = 0; k < tries->count; k++) {
            if (place->next_row[k] < 0)
                continue;
            size_t at = (size_t)place->next_row[k] * actions;
            struct random_key key = try_key(tries->nfsp, tries->table, tries->first + k, round);
            int action = nfsp_draw_action(place->next_outputs + at, place->legal + at,
                                          game->actions, random_uniform(&key, 0), NULL);
            if (!play_on(tries, k, action, round))
                return false;
        }
    }
}

/* Executes the tries, and estimates anew what all so far tell. */
static bool execute(struct tries *tries)
{
    const struct nfsp *nfsp = tries->nfsp;
    const struct learner_game *game = nfsp->game;
    struct workplace *place = tries->place;
    struct net *value_net = place->value_net[tries->seat];
    int seat = tries->seat, rows;

    for (int k = 0; k < tries->count; k++) {
        struct random_key key = try_key(nfsp, tries->table, tries->first + k, 0);
        memcpy(state_of(tries, k), nfsp_state(nfsp, tries->table), game->state_size);
        place->value[k] = 0.0;
        game->deed(game, tries->tried[place->action[k]].action, &key,
                   &place->done[tries->first + k].deed);
        if (!play_on(tries, k, tries->tried[place->action[k]].action, 0))
            return false;
    }
    if (!reply(tries) || !ask(tries, value_net ? value_net : place->net[seat][ROLE_RESPONSE], seat,
                              value_net ? NULL : place->legal, &rows))
        return false;
    const float *choosing = place->next_outputs;
    if (place->target[seat]) { /* the other network chooses, as in learning */
        memcpy(place->d_outputs, place->next_outputs,
               (size_t)rows * (size_t)game->actions * sizeof *place->d_outputs);
        choosing = place->d_outputs;
        if (!ask(tries, place->target[seat], seat, NULL, &rows))
            return false;
    }
    for (int k = 0; k < tries->count; k++) {
        struct tried *tried = &tries->tried[place->action[k]];
        bool over = place->next_row[k] < 0;
        size_t at = over ? 0 : (size_t)place->next_row[k] * (size_t)game->actions;
        tried->visits += 1.0;
        if (value_net)
            place->done[tries->first + k].value =
                place->value[k] +
                (over ? 0.0
                      : nfsp->settings.discount * (double)place->next_outputs[place->next_row[k]]);
        else
            place->done[tries->first + k].value = soft_q_target(
                place->value[k], nfsp->settings.discount, nfsp->settings.candidate_temperature,
                choosing + at, over ? NULL : place->next_outputs + at, place->legal + at,
                game->actions);
    }
    tries->first += tries->count;
    regress(game, tries->actions, tries->tried, tries->first, place->done);
    return true;
}

/* Gives `count` further tries to the `kept` best actions. */
static bool try_best(struct tries *tries, int kept, int count)
{
    struct workplace *place = tries->place;
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
        place->action[k] = best[k % kept];
    tries->count = count;
    return execute(tries);
}

bool nfsp_try_candidates(const struct nfsp *nfsp, struct workplace *place, int table, int seat,
                         const float *values, struct turn *turn, char ret_error[LEARNER_ERROR_MAX])
{
    const struct learner_game *game = nfsp->game;
    int all = nfsp->settings.candidates, quarter = all / 4;
    struct tries tries = {.nfsp = nfsp,
                          .place = place,
                          .table = table,
                          .seat = seat,
                          .count = all - 2 * quarter,
                          .ret_error = ret_error};
    bool legal[LEARNER_ACTIONS_MAX];

    game->legal(game, nfsp_seen(nfsp, table), legal);
    struct random_key key = try_key(nfsp, table, all, 0);
    tries.actions = draw_candidates(nfsp, values, legal, random_uniform(&key, 0), tries.count,
                                    tries.tried, place->action);
    if (!execute(&tries))
        return false;
    int kept = tries.actions > 4 ? tries.actions / 4 : 1, last = kept > 3 ? kept / 3 : 1;
    if (quarter > 0 && (!try_best(&tries, kept, quarter) || !try_best(&tries, last, quarter)))
        return false;

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
    struct told *told = nfsp_told(nfsp, table);
    for (int a = 0; a < tries.actions; a++)
        if (nfsp->settings.variant == NFSP_STANDARD || a == chosen)
            told[turn->told++] = (struct told){tries.tried[a].action, (float)tries.tried[a].mean};
    turn->action = tries.tried[chosen].action;
    turn->throws += tries.throws;
    return true;
}
