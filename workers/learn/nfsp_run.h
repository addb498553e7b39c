/* The inside of a run, for nfsp.c, which plays and learns, and nfsp_file.c, which writes and reads.
 */
#ifndef RINKD_WORKERS_LEARN_NFSP_RUN_H
#define RINKD_WORKERS_LEARN_NFSP_RUN_H

#include "workers/learn/nfsp.h"
#include "workers/learn/replay.h"

enum role { ROLE_RESPONSE, ROLE_AVERAGE, ROLES };

/* One of the games that go on side by side. What belongs to a seat is told by [2]. */
struct table {
    uint64_t number; /* of the game at this table, from 0 */
    int32_t decisions;
    int32_t role[2];
    int32_t has_decided[2]; /* in this game: then `action` and `reward` are set */
    int32_t action[2];
    int32_t kept[2];  /* NFSP_LITERAL: decisions of this game that wait for its end */
    int32_t unused;   /* no padding: tables are written as they are */
    double reward[2]; /* since that decision */
};

struct seat {
    struct net *response, *target, *average; /* target: NULL if not used */
    struct replay *transitions;
    struct reservoir *actions;
    uint64_t response_updates, average_updates;
    double response_loss, average_loss;
};

struct nfsp {
    struct learner learner; /* the first member: a pointer to it is one to the whole */
    const struct learner_game *game;
    struct nfsp_settings settings;
    struct seat seat[2];
    uint64_t steps, games, decisions;

    struct table *tables;  /* [parallel] */
    unsigned char *states; /* [parallel][state_size] */
    unsigned char *last;   /* [parallel][2][observation_size]: at the seat's last decision */
    /* NFSP_LITERAL: [parallel][2][decisions_max] observations, actions, rewards until the next. */
    unsigned char *kept_observations;
    int32_t *kept_actions;
    double *kept_rewards;

    /* For one step, [parallel or batch] rows. */
    unsigned char *seen; /* observations of the movers */
    int *row;            /* where a table's outputs are among those of its network */
    float *inputs, *next_inputs, *outputs, *next_outputs, *d_outputs;
    int *next_row;
    int *batch_action;
    float *batch_reward;
    bool *legal; /* [rows][actions] */
};

#endif
