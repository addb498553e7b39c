/* The internals of a run of NFSP: nfsp.c makes runs, plays and stores, nfsp_candidates.c tries
 * actions before one is played, nfsp_learn.c learns, nfsp_old_file.c reads checkpoints of old
 * versions. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_NFSP_RUN_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_NFSP_RUN_H

#include "workers/learn/algorithms/regression.h"
#include "workers/learn/algorithms/run.h"

/* Networks of a seat: two roles that decide, and two that only give values. The first three learn;
 * the target is a copy of the best response. Value and target may be missing. */
enum { NFSP_RESPONSE, NFSP_AVERAGE, NFSP_VALUE, NFSP_TARGET };
enum { NFSP_ROLES = 2 };

/* Memories of a seat. The best response learns from transitions, or with a value network from tries
 * of candidates; the value network from transitions whose reward is the return; the average policy
 * from actions. */
enum { MEMORY_RESPONSE, MEMORY_RETURNS, MEMORY_ACTIONS };

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

/* Working memory of a thread for candidates. */
struct trying {
    unsigned char *states;
    double *value;
    struct tried_deed *done;
};

struct nfsp {
    struct run run;
    struct nfsp_settings settings;
    bool is_literal;
    struct turn *turns; /* [parallel], for one step */
    struct told *told;  /* [parallel][candidates], for one step */
    struct told *aims;  /* the same actions, with the probabilities that the average policy learns;
                           NULL: it learns the action played */
    struct trying *trying; /* [threads] */
};

static inline struct told *nfsp_told(const struct nfsp *nfsp, int table)
{
    return nfsp->told + (size_t)table * (size_t)nfsp->settings.candidates;
}

static inline struct told *nfsp_aims(const struct nfsp *nfsp, int table)
{
    return nfsp->aims + (size_t)table * (size_t)nfsp->settings.candidates;
}

/* Decides for the best response at a table after settings.candidates tries of actions: returns the
 * action and fills in nfsp_told(), nfsp_aims() and the turn's `told` and `tried`. -1 and a sentence
 * on failure. */
int nfsp_try_candidates(const struct nfsp *nfsp, struct tables_turn *turn,
                        char ret_error[LEARNER_ERROR_MAX]);

/* run_kind.learn of all NFSP algorithms. */
bool nfsp_learn(struct run *run, int seat, int network, struct batch *batch, char *ret_error);

/* Reads the files of versions before tables.h (old_magic); returns NULL, or a sentence that names
 * the fault. */
extern const char nfsp_old_magic[8];
const char *nfsp_read_old(struct run *run, FILE *file);

#endif
