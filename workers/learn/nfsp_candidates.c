/* KR-UCT at a decision of a best response while it learns ("NFSP + KR-UCT for digital curling"
 * samples 100 actions). Its network proposes, the simulator tells:
 *
 *   1. `candidates` draws from the mixture of softmax(Q / temperature) and, with the share
 *      `uniform`, all legal actions alike. The draws are systematic: (k + u) / candidates with one
 *      u, so an action of probability p is drawn about p * candidates times.
 *   2. Each draw is executed once, with noise, and the opponent replies by its average policy.
 *   3. v = the seat's rewards until it decides again + discount * max Q of that decision.
 *   4. Kernel regression over all draws (regression.h) with the noise's kernel; the action with the
 *      largest lower confidence bound is played, and its E[v|a] is what its value should be.
 *
 * The estimate is kept as a transition behind which nothing follows, instead of the transition that
 * the action then leads to: the mean over many executions and replies says more than the one that
 * happens to be played. Its next values are those of the time it was made, so they age until the
 * memory forgets it.
 *
 * Nothing of it changes what chance does in the game that is played. Only for games that hide
 * nothing: the tries begin from the state itself. */
#include "workers/learn/losses.h"
#include "workers/learn/nfsp_run.h"
#include "workers/learn/regression.h"

#include <math.h>
#include <string.h>

/* Of the lower bound. */
static const double bound_c = 0.1;

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

/* Draws actions: ret_tried[…] in order of the actions, each once, with its visits; returns how
 * many. */
static int draw_candidates(const struct nfsp *nfsp, const float *values, const bool *legal,
                           double unit, struct tried *ret_tried)
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
        int until = (int)ceil(sum * settings->candidates - unit);
        until = until < settings->candidates ? until : settings->candidates;
        if (until > drawn) {
            ret_tried[count++] = (struct tried){.action = a, .visits = until - drawn};
            drawn = until;
        }
    }
    if (drawn < settings->candidates) /* what rounding left over */
        ret_tried[count - 1].visits += settings->candidates - drawn;
    return count;
}

/* A try at work: states, rewards and actions are in the workplace. */
struct tries {
    const struct nfsp *nfsp;
    struct workplace *place;
    int table, seat, count;
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
    struct random_key key = try_key(tries->nfsp, tries->table, number, round);
    unsigned char *state = state_of(tries, number);
    _Alignas(16) unsigned char before[LEARNER_BYTES_MAX];

    memcpy(before, state, game->state_size);
    if (!game->play(game, state, action, &key))
        return nfsp_complain(tries->ret_error, game->name, "an action could not be played out");
    tries->place->value[number] += game->reward(game, before, state, tries->seat);
    tries->throws++;
    return true;
}

/* Asks a network about all tries in which `mover` decides: ret_row of a try is its row among
 * next_outputs and legal, -1 if it was not asked about. False: the network failed. */
static bool ask(struct tries *tries, struct net *net, int mover, int *ret_rows)
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
        game->legal(game, seen, place->legal + (size_t)rows * (size_t)game->actions);
        place->next_row[k] = rows++;
    }
    *ret_rows = rows;
    double begun = nfsp_thread_s();
    enum net_status status = net_evaluate(net, rows, place->next_inputs, place->next_outputs);
    double spent = nfsp_thread_s() - begun;
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
        if (!ask(tries, place->net[other][ROLE_AVERAGE], other, &rows))
            return false;
        if (rows == 0)
            return true;
        for (int k = 0; k < tries->count; k++) {
            if (place->next_row[k] < 0)
                continue;
            size_t at = (size_t)place->next_row[k] * actions;
            struct random_key key = try_key(tries->nfsp, tries->table, k, round);
            int action = nfsp_draw_action(place->next_outputs + at, place->legal + at,
                                          game->actions, random_uniform(&key, 0), NULL);
            if (!play_on(tries, k, action, round))
                return false;
        }
    }
}

bool nfsp_try_candidates(const struct nfsp *nfsp, struct workplace *place, int table, int seat,
                         const float *values, struct turn *turn, char ret_error[LEARNER_ERROR_MAX])
{
    const struct learner_game *game = nfsp->game;
    struct tries tries = {.nfsp = nfsp,
                          .place = place,
                          .table = table,
                          .seat = seat,
                          .count = nfsp->settings.candidates,
                          .ret_error = ret_error};
    struct tried tried[LEARNER_ACTIONS_MAX];
    bool legal[LEARNER_ACTIONS_MAX];

    game->legal(game, nfsp_seen(nfsp, table), legal);
    struct random_key key = try_key(nfsp, table, tries.count, 0);
    int count = draw_candidates(nfsp, values, legal, random_uniform(&key, 0), tried);

    for (int a = 0, k = 0; a < count; a++)
        for (int visit = 0; visit < (int)tried[a].visits; visit++, k++) {
            memcpy(state_of(&tries, k), nfsp_state(nfsp, table), game->state_size);
            place->value[k] = 0.0;
            if (!play_on(&tries, k, tried[a].action, 0))
                return false;
        }
    int rows;
    struct net *own = place->target[seat] ? place->target[seat] : place->net[seat][ROLE_RESPONSE];
    if (!reply(&tries) || !ask(&tries, own, seat, &rows))
        return false;
    for (int a = 0, k = 0; a < count; a++)
        for (int visit = 0; visit < (int)tried[a].visits; visit++, k++) {
            size_t at =
                place->next_row[k] < 0 ? 0 : (size_t)place->next_row[k] * (size_t)game->actions;
            tried[a].value_sum += q_target(place->value[k], nfsp->settings.discount,
                                           place->next_row[k] < 0 ? NULL : place->next_outputs + at,
                                           place->legal + at, game->actions);
        }
    regress(game, count, tried);
    int chosen = regression_choice(count, tried, bound_c);
    turn->action = tried[chosen].action;
    turn->valued = true;
    turn->value = tried[chosen].mean;
    turn->throws += tries.throws;
    return true;
}
