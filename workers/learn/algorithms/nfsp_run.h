/* The inside of a run: nfsp.c makes it and tells of it, nfsp_play.c plays, nfsp_candidates.c tries
 * actions out before one is played, nfsp_learn.c learns, nfsp_file.c writes and reads. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_NFSP_RUN_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_NFSP_RUN_H

#include "workers/learn/algorithms/nfsp.h"
#include "workers/learn/algorithms/regression.h"
#include "workers/learn/memory/replay.h"
#include "workers/learn/memory/tried_memory.h"
#include "workers/pool.h"

enum role { ROLE_RESPONSE, ROLE_AVERAGE, ROLES };
/* Networks of a seat that learn: those of the roles, and the values. */
enum { LEARNS_VALUE = ROLES, LEARNERS };

/* Streams of random numbers from 2^32 on, two each; the first is that of run_networks.c, those
 * below are the tables'. From 2^33 on are those of what is only tried. */
enum stream { STREAM_RESERVOIR = 1, STREAM_RESPONSE, STREAM_AVERAGE, STREAM_VALUE };

/* One of the games that go on side by side. What belongs to a seat is told by [2]. */
struct table {
    uint64_t number; /* of the game at this table, from 0 */
    int32_t decisions;
    int32_t role[2];
    int32_t has_decided[2]; /* in this game: then `action` and `reward` are set */
    int32_t action[2];
    int32_t kept[2];  /* decisions of this game that wait for its end, where any have to */
    int32_t told[2];  /* that decision was stored already, as its candidates told */
    int32_t unused;   /* no padding: tables are written as they are */
    double reward[2]; /* since that decision */
    double earned[2]; /* in this game */
};

/* What a table's next decision came to, until it is stored. */
struct turn {
    int seat, action;
    bool over;        /* the game */
    double reward[2]; /* of this step */
    double entropy;   /* nats, of the average policy that decided */
    int told;         /* actions of which candidates tell something */
    uint64_t throws;
};

/* A mean over about the last thousand numbers. */
struct mean {
    double mean;
    uint64_t count;
};

struct seat {
    struct net *response, *target, *average, *value; /* target, value: NULL if not used */
    /* What `response` learns from: transitions, or with `value` what candidates told (the other one
     * is NULL then). */
    struct replay *transitions;
    struct tried_memory *tried;
    struct reservoir *actions; /* what `average` learns from */
    struct replay *returns;    /* what `value` learns from (all that came, as reward) */
    uint64_t response_updates, average_updates, value_updates;
    double response_loss, average_loss, value_loss;
    struct mean reward, entropy;
};

/* What a thread needs for a task: networks to ask while playing, and room. That of thread 0 has the
 * networks of the run, the others copies, made anew for each step. */
struct workplace {
    struct net *net[2][ROLES], *target[2], *value_net[2];
    /* Rows as many as a slice has tables, a batch or the candidates. */
    float *inputs, *next_inputs, *outputs, *next_outputs, *d_outputs;
    bool *legal; /* [rows][actions] */
    int *row, *next_row, *action;
    struct told *told; /* [candidates] */
    bool *mirrored;
    float *reward;
    /* [candidates] */
    unsigned char *states;
    double *value;
    struct tried_deed *done;
    double play_s, network_s, learn_s;
};

struct nfsp {
    struct learner learner; /* the first member: a pointer to it is one to the whole */
    const struct learner_game *game;
    struct nfsp_settings settings;
    struct seat seat[2];
    uint64_t steps, games, decisions, throws;

    struct table *tables;  /* [parallel] */
    unsigned char *states; /* [parallel][state_size] */
    unsigned char *last;   /* [parallel][2][observation_size]: at the seat's last decision */
    /* Where decisions wait: [parallel][2][decisions_max] observations, actions, rewards until the
     * next. */
    unsigned char *kept_observations;
    int32_t *kept_actions;
    double *kept_rewards;

    unsigned char *seen; /* [parallel][observation_size]: by the movers, for one step */
    struct turn *turns;  /* [parallel], for one step */
    struct told *told;   /* [parallel][candidates], for one step */

    struct pool *pool;
    int workplaces;
    struct workplace *workplace; /* [workplaces] */
    int slices, slice_tables;    /* whatever the number of threads */
    /* [slices], or one for each network that learns: what went wrong, "" if nothing did. */
    char (*errors)[LEARNER_ERROR_MAX];
};

/* Whether decisions wait for the end of their game. */
static inline bool nfsp_keeps(const struct nfsp *nfsp)
{
    return nfsp->settings.variant == NFSP_LITERAL || nfsp->seat[0].value;
}

static inline unsigned char *nfsp_state(const struct nfsp *nfsp, int table)
{
    return nfsp->states + (size_t)table * nfsp->game->state_size;
}

static inline unsigned char *nfsp_seen(const struct nfsp *nfsp, int table)
{
    return nfsp->seen + (size_t)table * nfsp->game->observation_size;
}

static inline struct told *nfsp_told(const struct nfsp *nfsp, int table)
{
    return nfsp->told + (size_t)table * (size_t)nfsp->settings.candidates;
}

/* Writes "what: why" and returns false. */
bool nfsp_complain(char *ret_error, const char *what, const char *why);

struct random_key nfsp_stream_key(const struct nfsp *nfsp, enum stream stream, int seat);
/* One of `count` < 2^32, as good as evenly. */
size_t nfsp_pick(uint64_t bits, size_t count);

/* Begins the next game of a table. */
void nfsp_begin_game(struct nfsp *nfsp, int table);

/* An action drawn from the softmax of logits, `draw` in (0, 1). *ret_entropy (NULL: not wanted) in
 * nats. */
int nfsp_draw_action(const float *logits, const bool *legal, int actions, double draw,
                     double *ret_entropy);

/* One decision at each table. False and a sentence on failure. */
bool nfsp_play(struct nfsp *nfsp, char ret_error[LEARNER_ERROR_MAX]);

/* The best response's decision at a table by trying actions out (settings.candidates of them), of
 * which its network says `values`: sets action, told and throws of the turn, and nfsp_told(). False
 * and a sentence on failure. */
bool nfsp_try_candidates(const struct nfsp *nfsp, struct workplace *workplace, int table, int seat,
                         const float *values, struct turn *turn, char ret_error[LEARNER_ERROR_MAX]);

/* The updates of all networks. False and a sentence on failure. */
bool nfsp_learn(struct nfsp *nfsp, char ret_error[LEARNER_ERROR_MAX]);

#endif
