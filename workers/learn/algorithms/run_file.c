/* The head of a run's file, in the byte order of the machine. */
#include "workers/learn/algorithms/run_file.h"

#include <string.h>

enum { VERSION = 1 };

struct head {
    char magic[8], algorithm[24], game[64], architecture[16];
    uint64_t version, seed;
    double game_numbers[4], network_numbers[8], settings[RUN_SETTINGS_MAX];
    uint64_t counters[RUN_COUNTERS];
};

/* Zeroes the head first, padding included: heads are compared as bytes. */
static void fill(const struct run_identity *identity, const uint64_t *counters, struct head *ret)
{
    const struct learner_game *game = identity->game;
    const struct net_spec *network = &identity->common->network;
    const double game_numbers[] = {game->actions, game->inputs, game->decisions_max,
                                   (double)game->observation_size};
    int count = 0;

    memset(ret, 0, sizeof *ret);
    memcpy(ret->magic, "rinkRUN", sizeof ret->magic);
    snprintf(ret->algorithm, sizeof ret->algorithm, "%s", identity->class->name);
    snprintf(ret->game, sizeof ret->game, "%s", game->name);
    snprintf(ret->architecture, sizeof ret->architecture, "%s", network->architecture);
    ret->version = VERSION;
    ret->seed = identity->common->seed;
    memcpy(ret->game_numbers, game_numbers, sizeof game_numbers);
    for (int k = 0; k < NET_HIDDEN_MAX; k++)
        ret->network_numbers[count++] = network->hidden[k];
    ret->network_numbers[count++] = network->planes;
    ret->network_numbers[count++] = network->rows;
    ret->network_numbers[count++] = network->row_features;
    memcpy(ret->settings, identity->settings,
           (size_t)identity->settings_count * sizeof *ret->settings);
    memcpy(ret->counters, counters, sizeof ret->counters);
}

bool run_head_write(const struct run_identity *identity, const uint64_t counters[RUN_COUNTERS],
                    FILE *file)
{
    struct head head;
    fill(identity, counters, &head);
    return fwrite(&head, sizeof head, 1, file) == 1;
}

const char *run_head_read(const struct run_identity *identity, FILE *file,
                          uint64_t ret_counters[RUN_COUNTERS])
{
    struct head head, own;
    if (fread(&head, sizeof head, 1, file) != 1)
        return "it is not the state of such a run";
    fill(identity, head.counters, &own);
    own.seed = head.seed;
    if (memcmp(head.magic, own.magic, sizeof own.magic) != 0 ||
        memcmp(head.algorithm, own.algorithm, sizeof own.algorithm) != 0)
        return "it is not the state of such a run";
    if (memcmp(&head, &own, sizeof own) != 0)
        return "it is of another game, other settings or another version";
    memcpy(ret_counters, head.counters, sizeof head.counters);
    return NULL;
}
