/* Working memory of a thread for an update: a batch of decisions with the inputs and outputs of
 * networks. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_BATCH_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_BATCH_H

#include "models/networks/net.h"
#include "workers/learn/games/learner_game.h"
#include "workers/learn/memory/memory.h"

struct batch {
    const struct learner_game *game;
    const struct memory *memory;               /* its records come from */
    int count;                                 /* rows in use */
    float *inputs, *next_inputs;               /* [rows][inputs] */
    float *outputs, *next_outputs, *d_outputs; /* [rows][outputs] */
    bool *legal;                               /* [rows][actions] */
    int *row;                                  /* index in the memory */
    int *next_row;                             /* in the arrays next_…; -1: no decision follows */
    int *action;
    bool *mirrored;
    double *value; /* towards which the network learns */
};

/* Takes a batch of at most `rows` decisions and `outputs` outputs from a room, which is full on
 * failure. */
struct batch batch_make(struct room *room, const struct learner_game *game, size_t rows,
                        size_t outputs);

/* Fills in the inputs of row `k` from an observation. If the row is mirrored, mirrors the
 * observation first. Returns the action, mirrored too. */
int batch_observe(struct batch *batch, int k, void *observation, int action);

/* Fills in the drawn transitions, with the values of double_q_target(): `choosing` chooses the
 * next actions, `valuing` values them. */
enum net_status batch_q_values(struct batch *batch, double discount, struct net *choosing,
                               struct net *valuing);

/* Computes the outputs of a network with `outputs` outputs, and q_loss() of each row: its
 * derivatives and the sum of the losses. */
enum net_status batch_value_loss(struct batch *batch, struct net *net, int outputs,
                                 double *ret_loss);

#endif
