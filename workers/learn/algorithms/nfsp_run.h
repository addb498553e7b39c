/* The internals of a run of NFSP: nfsp.c makes runs, plays and stores, nfsp_candidates.c tries
 * actions before one is played, nfsp_learn.c learns, nfsp_old_file.c reads checkpoints of old
 * versions. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_NFSP_RUN_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_NFSP_RUN_H

#include "workers/learn/algorithms/regression.h"
#include "workers/learn/algorithms/run.h"
#include "workers/learn/memory/replay.h"
#include "workers/learn/memory/reservoir.h"
#include "workers/learn/memory/tried_memory.h"

/* Networks of a seat: two roles that decide, and two that only give values. The first three learn;
 * the target is a copy of the best response. */
enum { NFSP_RESPONSE, NFSP_AVERAGE, NFSP_VALUE, NFSP_TARGET };
enum { NFSP_ROLES = 2 };

enum nfsp_stream { STREAM_RESERVOIR = 1, STREAM_RESPONSE, STREAM_AVERAGE, STREAM_VALUE };

/* Notes of a decision: whether candidates gave its values; if so, it is no transition. */
enum { NOTE_TOLD };

struct nfsp_settings {
    HYPER_NFSP_SETTINGS(HYPER_MEMBER, HYPER_MEMBER, HYPER_MEMBER)
};

/* Data about a decision until it is stored. */
struct turn {
    double entropy; /* nats, of the average policy that decided */
    int told;       /* actions with a value from candidates */
    uint64_t tried;
};

/* Mean of about the last thousand numbers. */
struct mean {
    double mean;
    uint64_t count;
};

struct seat {
    struct net *net[TABLES_NETWORKS_MAX]; /* value, target: NULL if not used */
    /* Memory of the best response: transitions, or with a value network the values from candidates;
     * the other one is NULL. */
    struct replay *transitions;
    struct tried_memory *tried;
    struct reservoir *actions; /* memory of the average policy */
    struct replay *returns;    /* memory of the value network; `reward` holds the return */
    double loss[RUN_LEARNERS]; /* of the last update */
    struct mean entropy;
};

/* Working memory of a thread for one task. */
struct workplace {
    /* Rows: the largest of a batch, the candidates and the decisions of a game. */
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

/* Makes the best response's decision at a table with settings.candidates tries of actions: returns
 * the action and fills in nfsp_told() and the turn's members about it. -1 and a sentence on
 * failure. */
int nfsp_try_candidates(const struct nfsp *nfsp, struct tables_turn *turn,
                        char ret_error[LEARNER_ERROR_MAX]);

/* Updates network number `task` % RUN_LEARNERS of seat `task` / RUN_LEARNERS. */
bool nfsp_learn(struct run *run, int task, int thread, char *ret_error);

/* Reads the files of versions before tables.h (old_magic); returns NULL, or what is wrong. */
extern const char nfsp_old_magic[8];
const char *nfsp_read_old(struct run *run, FILE *file);

#endif
