/* Reads NFSP checkpoints of the first versions of rinkd, in which NFSP held its games itself: head,
 * two seats, games. New files do not use this format. */
#include "workers/learn/algorithms/nfsp_run.h"
#include "workers/learn/algorithms/run_networks.h"

#include <string.h>

enum { HEAD_SETTINGS = 40, VERSION = 4 };

const char nfsp_old_magic[8] = "rinkNFSP";

struct head {
    char magic[8], game[48];
    uint64_t version;
    uint64_t steps, games, decisions, throws;
    double settings[HEAD_SETTINGS];
    char architecture[16];
    uint64_t seed;
};

/* Fills in the head of this run; other bytes are zero, because heads are compared as bytes. */
static void fill_head(const struct nfsp *nfsp, struct head *ret)
{
    const struct nfsp_settings *s = &nfsp->settings;
    const struct net_spec *network = &nfsp->run.common.network;
    const struct net_optimiser *optimiser = nfsp->run.optimiser;
    const double numbers[] = {nfsp->is_literal,
                              MEMORY_SAMPLE,
                              s->parallel,
                              s->updates,
                              s->batch,
                              s->discount,
                              s->anticipatory,
                              s->explore,
                              s->explore_decay,
                              s->target_interval,
                              s->response_memory,
                              s->average_memory,
                              s->warm_up,
                              nfsp->is_literal ? s->threshold : 0.4,
                              s->value_network,
                              nfsp->is_literal ? 1.0 : s->value_lambda,
                              s->candidates,
                              s->candidate_temperature,
                              s->candidate_uniform,
                              network->planes,
                              network->rows,
                              network->row_features,
                              (double)nfsp->run.game->observation_size,
                              (double)nfsp->run.game->decisions_max};
    int count = sizeof numbers / sizeof numbers[0];

    memset(ret, 0, sizeof *ret);
    memcpy(ret->magic, nfsp_old_magic, sizeof ret->magic);
    snprintf(ret->game, sizeof ret->game, "%s", nfsp->run.game->name);
    snprintf(ret->architecture, sizeof ret->architecture, "%s", network->architecture);
    ret->version = VERSION;
    memcpy(ret->settings, numbers, sizeof numbers);
    for (int k = 0; k < NET_HIDDEN_MAX; k++)
        ret->settings[count++] = network->hidden[k];
    for (int k = 0; k < 2; k++) { /* best response, average policy */
        ret->settings[count++] = optimiser[k].rule;
        ret->settings[count++] = optimiser[k].rate;
        ret->settings[count++] = optimiser[k].momentum;
        ret->settings[count++] = optimiser[k].decay;
        ret->settings[count++] = optimiser[k].clip;
    }
}

static bool read_bytes(void *bytes, size_t size, FILE *file)
{
    return fread(bytes, 1, size, file) == size;
}

static bool read_seat(struct nfsp *nfsp, int number, FILE *file, struct run_mean *ret_reward)
{
    struct {
        uint64_t updates[RUN_LEARNERS];
        double loss[RUN_LEARNERS];
        struct run_mean reward, entropy;
    } numbers;
    struct run_seat *seat = &nfsp->run.seat[number];
    struct net *const *net = seat->net;
    struct memory *const *memory = seat->memory;

    if (!read_bytes(&numbers, sizeof numbers, file) ||
        !run_network_read(net[NFSP_RESPONSE], file) || !run_network_read(net[NFSP_AVERAGE], file) ||
        (net[NFSP_TARGET] && !run_network_read(net[NFSP_TARGET], file)) ||
        !memory_read(memory[MEMORY_RESPONSE], file) ||
        (net[NFSP_VALUE] && (!run_network_read(net[NFSP_VALUE], file) ||
                             !memory_read(memory[MEMORY_RETURNS], file))) ||
        !memory_read(memory[MEMORY_ACTIONS], file))
        return false;
    memcpy(nfsp->run.updates[number], numbers.updates, sizeof numbers.updates);
    memcpy(seat->loss, numbers.loss, sizeof numbers.loss);
    seat->entropy = numbers.entropy;
    *ret_reward = numbers.reward;
    return true;
}

/* A table; `[2]` is indexed by seat. It holds a seat's last decision; earlier ones are in arrays,
 * if the algorithm needed them. */
struct old_table {
    uint64_t number;
    int32_t decisions;
    int32_t role[2], has_decided[2], action[2], kept[2], told[2];
    int32_t unused;
    double reward[2], earned[2];
};

struct old_tables {
    struct old_table *table; /* [parallel] */
    unsigned char *states;   /* [parallel][state_size] */
    unsigned char *last;     /* [parallel][2][observation_size] */
    /* [parallel][2][decisions_max], observations with [observation_size]. */
    unsigned char *observations;
    int32_t *actions;
    double *rewards;
};

/* Takes a buffer and reads into it; NULL: no memory, or the file is too short. */
static void *read_array(struct room *room, size_t count, size_t size, FILE *file)
{
    void *array = room_take(room, count, size);
    return array && read_bytes(array, count * size, file) ? array : NULL;
}

static bool read_arrays(const struct nfsp *nfsp, FILE *file, struct room *room,
                        struct old_tables *ret)
{
    const struct learner_game *game = nfsp->run.game;
    size_t tables = (size_t)nfsp->settings.parallel, seen = game->observation_size;
    bool keeps = nfsp->is_literal || nfsp->run.seat[0].net[NFSP_VALUE];
    size_t kept = keeps ? 2 * tables * (size_t)game->decisions_max : 0;

    return (ret->table = read_array(room, tables, sizeof *ret->table, file)) &&
           (ret->states = read_array(room, tables, game->state_size, file)) &&
           (ret->last = read_array(room, 2 * tables, seen, file)) &&
           (ret->observations = read_array(room, kept, seen, file)) &&
           (ret->actions = read_array(room, kept, sizeof *ret->actions, file)) &&
           (ret->rewards = read_array(room, kept, sizeof *ret->rewards, file));
}

static bool put_game(struct nfsp *nfsp, int number, const struct old_tables *old)
{
    const struct learner_game *game = nfsp->run.game;
    struct tables *tables = nfsp->run.tables;
    const struct old_table *t = &old->table[number];
    struct table put = {.number = t->number, .decisions = t->decisions, .decided = -1};
    size_t size = game->observation_size;

    for (int seat = 0; seat < 2; seat++) {
        size_t table_seat = 2 * (size_t)number + (size_t)seat;
        int kept = t->kept[seat], has_last = t->has_decided[seat] != 0;
        if (kept < 0 || kept + has_last > game->decisions_max || t->role[seat] < 0)
            return false;
        for (int k = 0; k < kept; k++) {
            size_t at = table_seat * (size_t)game->decisions_max + (size_t)k;
            const struct tables_decision decision = {.reward = old->rewards[at],
                                                     .action = old->actions[at]};
            tables_put_decision(tables, number, seat, k, &decision, old->observations + at * size);
        }
        if (has_last) {
            const struct tables_decision decision = {.reward = t->reward[seat],
                                                     .notes[NOTE_TOLD] = t->told[seat] ? 1 : 0,
                                                     .action = t->action[seat]};
            tables_put_decision(tables, number, seat, kept, &decision,
                                old->last + table_seat * size);
        }
        put.player[seat] = -1 - t->role[seat];
        put.kept[seat] = kept + has_last;
    }
    return tables_put(tables, number, &put, old->states + (size_t)number * game->state_size);
}

static bool read_tables(struct nfsp *nfsp, FILE *file)
{
    struct old_tables old;
    struct room room = {NULL};
    bool good = read_arrays(nfsp, file, &room, &old) && getc(file) == EOF;

    for (int table = 0; table < (int)nfsp->settings.parallel && good; table++)
        good = put_game(nfsp, table, &old);
    room_clear(&room);
    return good;
}

const char *nfsp_read_old(struct run *run, FILE *file)
{
    struct nfsp *nfsp = (struct nfsp *)run;
    struct head head, own;
    struct run_mean reward[2];

    if (fread(&head, sizeof head, 1, file) != 1)
        return "it is broken";
    fill_head(nfsp, &own);
    own.steps = head.steps;
    own.games = head.games;
    own.decisions = head.decisions;
    own.throws = head.throws;
    own.seed = head.seed; /* the seed of a branch may differ */
    if (memcmp(&head, &own, sizeof own) != 0)
        return "it is of another game, other settings or another version";
    if (!read_seat(nfsp, 0, file, &reward[0]) || !read_seat(nfsp, 1, file, &reward[1]) ||
        !read_tables(nfsp, file))
        return "it is broken";
    run->steps = head.steps;
    run->tried = head.throws - head.decisions;
    tables_put_sums(run->tables, &(struct tables_sums){.games = head.games,
                                                       .decisions = head.decisions,
                                                       {reward[0].count, reward[1].count},
                                                       {reward[0].mean, reward[1].mean}});
    return NULL;
}
