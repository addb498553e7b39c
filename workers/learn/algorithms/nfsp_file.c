/* The file of a run: the head, the two seats, the tables. Numbers as this kind of machine has them.
 */
#include "workers/learn/algorithms/nfsp_run.h"
#include "workers/learn/algorithms/run_networks.h"

#include <string.h>

enum { HEAD_SETTINGS = 40, VERSION = 4 };

struct head {
    char magic[8], game[48];
    uint64_t version;
    uint64_t steps, games, decisions, throws;
    double settings[HEAD_SETTINGS]; /* numbers, in the order of the struct; the rest 0 */
    char architecture[16];
    uint64_t seed;
};

/* Zeros first: the head is compared as bytes. */
static void fill_head(const struct nfsp *nfsp, struct head *ret)
{
    const struct nfsp_settings *s = &nfsp->settings;
    const struct net_optimiser *optimisers[] = {&s->response, &s->average};
    const double numbers[] = {s->variant,
                              s->average_rule,
                              s->parallel,
                              s->updates,
                              s->batch,
                              s->discount,
                              s->anticipatory,
                              s->explore,
                              s->explore_decay,
                              s->target_interval,
                              (double)s->response_memory,
                              (double)s->average_memory,
                              (double)s->warm_up,
                              s->threshold,
                              s->value_network,
                              s->value_lambda,
                              s->candidates,
                              s->candidate_temperature,
                              s->candidate_uniform,
                              s->network.planes,
                              s->network.rows,
                              s->network.row_features,
                              (double)nfsp->game->observation_size,
                              (double)nfsp->game->decisions_max};
    int count = sizeof numbers / sizeof numbers[0];

    memset(ret, 0, sizeof *ret);
    memcpy(ret->magic, "rinkNFSP", sizeof ret->magic);
    snprintf(ret->game, sizeof ret->game, "%s", nfsp->game->name);
    snprintf(ret->architecture, sizeof ret->architecture, "%s", s->network.architecture);
    ret->version = VERSION;
    ret->seed = s->seed;
    memcpy(ret->settings, numbers, sizeof numbers);
    for (int k = 0; k < NET_HIDDEN_MAX; k++)
        ret->settings[count++] = s->network.hidden[k];
    for (int k = 0; k < 2; k++) {
        ret->settings[count++] = optimisers[k]->rule;
        ret->settings[count++] = optimisers[k]->rate;
        ret->settings[count++] = optimisers[k]->momentum;
        ret->settings[count++] = optimisers[k]->decay;
        ret->settings[count++] = optimisers[k]->clip;
    }
}

struct seat_numbers {
    uint64_t response_updates, average_updates, value_updates;
    double response_loss, average_loss, value_loss;
    struct mean reward, entropy;
};

static bool write_seat(const struct seat *seat, FILE *file)
{
    struct seat_numbers numbers = {
        seat->response_updates, seat->average_updates, seat->value_updates, seat->response_loss,
        seat->average_loss,     seat->value_loss,      seat->reward,        seat->entropy};
    return fwrite(&numbers, sizeof numbers, 1, file) == 1 &&
           run_network_write(seat->response, file) && run_network_write(seat->average, file) &&
           (!seat->target || run_network_write(seat->target, file)) &&
           (!seat->tried || tried_memory_write(seat->tried, file)) &&
           (!seat->value ||
            (run_network_write(seat->value, file) && replay_write(seat->returns, file))) &&
           (!seat->transitions || replay_write(seat->transitions, file)) &&
           reservoir_write(seat->actions, file);
}

static bool read_seat(struct seat *seat, FILE *file)
{
    struct seat_numbers numbers;
    if (fread(&numbers, sizeof numbers, 1, file) != 1 || !run_network_read(seat->response, file) ||
        !run_network_read(seat->average, file) ||
        (seat->target && !run_network_read(seat->target, file)) ||
        (seat->tried && !tried_memory_read(seat->tried, file)) ||
        (seat->value &&
         (!run_network_read(seat->value, file) || !replay_read(seat->returns, file))) ||
        (seat->transitions && !replay_read(seat->transitions, file)) ||
        !reservoir_read(seat->actions, file))
        return false;
    seat->response_updates = numbers.response_updates;
    seat->average_updates = numbers.average_updates;
    seat->value_updates = numbers.value_updates;
    seat->value_loss = numbers.value_loss;
    seat->response_loss = numbers.response_loss;
    seat->average_loss = numbers.average_loss;
    seat->reward = numbers.reward;
    seat->entropy = numbers.entropy;
    return true;
}

/* The arrays that say how the games stand. */
static int table_arrays(const struct nfsp *nfsp, void *ret_data[6], size_t ret_bytes[6])
{
    size_t tables = (size_t)nfsp->settings.parallel, seen = nfsp->game->observation_size;
    size_t kept = nfsp_keeps(nfsp) ? 2 * tables * (size_t)nfsp->game->decisions_max : 0;
    void *data[] = {nfsp->tables,       nfsp->states,      nfsp->last, nfsp->kept_observations,
                    nfsp->kept_actions, nfsp->kept_rewards};
    size_t bytes[] = {tables * sizeof *nfsp->tables,
                      tables * nfsp->game->state_size,
                      2 * tables * seen,
                      kept * seen,
                      kept * sizeof *nfsp->kept_actions,
                      kept * sizeof *nfsp->kept_rewards};
    memcpy(ret_data, data, sizeof data);
    memcpy(ret_bytes, bytes, sizeof bytes);
    return sizeof data / sizeof data[0];
}

bool nfsp_write(const struct nfsp *nfsp, FILE *file)
{
    struct head head;
    void *data[6];
    size_t bytes[6];

    fill_head(nfsp, &head);
    head.steps = nfsp->steps;
    head.games = nfsp->games;
    head.decisions = nfsp->decisions;
    head.throws = nfsp->throws;
    if (fwrite(&head, sizeof head, 1, file) != 1 || !write_seat(&nfsp->seat[0], file) ||
        !write_seat(&nfsp->seat[1], file))
        return false;
    int arrays = table_arrays(nfsp, data, bytes);
    for (int k = 0; k < arrays; k++)
        if (fwrite(data[k], 1, bytes[k], file) != bytes[k])
            return false;
    return true;
}

/* Numbers by which arrays are looked up have to be in range. Observations and states in a file are
 * trusted: who reads a file has checked its hash. */
static bool good_tables(const struct nfsp *nfsp)
{
    for (int k = 0; k < nfsp->settings.parallel; k++) {
        const struct table *t = &nfsp->tables[k];
        for (int seat = 0; seat < 2; seat++)
            if (t->role[seat] < 0 || t->role[seat] >= ROLES || t->action[seat] < 0 ||
                t->action[seat] >= nfsp->game->actions || t->kept[seat] < 0 ||
                t->kept[seat] > t->decisions || t->decisions < 0 ||
                t->decisions >= nfsp->game->decisions_max)
                return false;
    }
    return true;
}

struct nfsp *nfsp_read(const struct learner_game *game, const struct nfsp_settings *settings,
                       FILE *file, char ret_error[LEARNER_ERROR_MAX])
{
    struct nfsp *nfsp = nfsp_new(game, settings, ret_error);
    struct head head, own;
    void *data[6];
    size_t bytes[6];
    const char *why = NULL;

    if (!nfsp)
        return NULL;
    fill_head(nfsp, &own);
    if (fread(&head, sizeof head, 1, file) != 1 ||
        memcmp(head.magic, own.magic, sizeof own.magic) != 0) {
        why = "it is not the state of such a run";
    } else {
        own.steps = nfsp->steps = head.steps;
        own.games = nfsp->games = head.games;
        own.decisions = nfsp->decisions = head.decisions;
        own.throws = nfsp->throws = head.throws;
        own.seed = head.seed; /* a branch may have another one */
        if (memcmp(&head, &own, sizeof own) != 0)
            why = "it is of another game, other settings or another version";
        else if (!read_seat(&nfsp->seat[0], file) || !read_seat(&nfsp->seat[1], file))
            why = "it is broken";
    }
    int arrays = table_arrays(nfsp, data, bytes);
    for (int k = 0; k < arrays && !why; k++)
        if (fread(data[k], 1, bytes[k], file) != bytes[k])
            why = "it is broken";
    if (!why && (!good_tables(nfsp) || getc(file) != EOF))
        why = "it is broken";
    if (!why)
        return nfsp;
    nfsp_free(nfsp);
    snprintf(ret_error, LEARNER_ERROR_MAX, "state of the run: %s", why);
    return NULL;
}
