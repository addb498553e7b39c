/* The inside of a run of NFSP: nfsp.c makes it, plays and stores, nfsp_candidates.c tries actions
 * before one is played, nfsp_learn.c learns, nfsp_old_file.c reads checkpoints of before. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_NFSP_RUN_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_NFSP_RUN_H

#include "workers/learn/algorithms/regression.h"
#include "workers/learn/algorithms/run.h"
#include "workers/learn/memory/replay.h"
#include "workers/learn/memory/reservoir.h"
#include "workers/learn/memory/tried_memory.h"

/* Networks of a seat: the two roles that decide, and those that only say values. The first three
 * learn; the target is a copy. */
enum { NFSP_RESPONSE, NFSP_AVERAGE, NFSP_VALUE, NFSP_TARGET };
enum { NFSP_ROLES = 2 };

enum nfsp_stream { STREAM_RESERVOIR = 1, STREAM_RESPONSE, STREAM_AVERAGE, STREAM_VALUE };

/* Notes of a decision: whether candidates told its values, so that it is no transition. */
enum { NOTE_TOLD };

struct nfsp_settings {
    HYPER_NFSP_SETTINGS(HYPER_MEMBER, HYPER_MEMBER, HYPER_MEMBER)
};

/* More about a decision, until it is stored. */
struct turn {
    double entropy; /* nats, of the average policy that decided */
    int told;       /* actions of which candidates tell a value */
    uint64_t tried;
};

/* A mean over about the last thousand numbers. */
struct mean {
    double mean;
    uint64_t count;
};

struct seat {
    struct net *net[TABLES_NETWORKS_MAX]; /* value, target: NULL if not used */
    /* Memory of the best response: transitions, or with a value network the values that candidates
     * told (the other one is NULL then). */
    struct replay *transitions;
    struct tried_memory *tried;
    struct reservoir *actions; /* memory of the average policy */
    struct replay *returns;    /* memory of the value network: returns, as rewards */
    double loss[RUN_LEARNERS]; /* of the last update */
    struct mean entropy;
};

/* Room for one task of a thread. */
struct workplace {
    /* Rows as many as a batch, the candidates or the decisions of a game. */
    float *inputs, *next_inputs, *outputs, *next_outputs, *d_outputs;
    bool *legal; /* [rows][actions] */
    int *row, *next_row, *action;
    bool *mirrored;
    float *reward;
    /* [candidates] */
    struct told *told;
    unsigned char *states;
    double *value;
    struct tried_deed *done;
};

struct nfsp {
    struct run run;
    struct nfsp_settings settings;
    bool is_literal;
    struct net_optimiser optimiser[RUN_LEARNERS];
    struct seat seat[2];
    struct turn *turns; /* [parallel], for one step */
    struct told *told;  /* [parallel][candidates], for one step */
    int workplaces;
    struct workplace *workplace; /* [workplaces]: by thread */
};

static inline struct told *nfsp_told(const struct nfsp *nfsp, int table)
{
    return nfsp->told + (size_t)table * (size_t)nfsp->settings.candidates;
}

/* The best response's decision at a table by trying actions (settings.candidates of them): returns
 * the action, sets nfsp_told() and what the turn has of it. -1 and a sentence on failure. */
int nfsp_try_candidates(const struct nfsp *nfsp, struct tables_turn *turn,
                        char ret_error[LEARNER_ERROR_MAX]);

/* The updates of network number `task` % RUN_LEARNERS of seat `task` / RUN_LEARNERS. */
bool nfsp_learn(struct run *run, int task, int thread, char *ret_error);

/* Reads the file of a run as it was written before tables held its games (old_magic). */
extern const char nfsp_old_magic[8];
const char *nfsp_read_old(struct run *run, FILE *file);

#endif
