/* Neural fictitious self-play (Heinrich and Silver, "Deep reinforcement learning from self-play in
 * imperfect-information games", 2016). Each seat has two networks: the best response, values of
 * actions learned by Q-learning against what the other seat does, and the average policy, logits
 * learned from what its best responses did. In each game each seat plays its best response with
 * probability `anticipatory`, else its average policy; the average policies approach a Nash
 * equilibrium.
 *
 * `parallel` games go on side by side. One nfsp_step() plays one decision in each of them and then
 * takes `updates` steps of gradient descent with each network. Every draw is a
 * function of the seed and of counters, so a run that is written, read and gone on with is the same
 * run. */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_NFSP_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_NFSP_H

#include "models/networks/net.h"
#include "workers/learn/algorithms/learner.h"
#include "workers/learn/memory/reservoir.h"

#include <stdio.h>

enum nfsp_variant {
    NFSP_STANDARD,
    /* As "NFSP + KR-UCT for digital curling" prints it in Algorithm 1; does not find equilibria,
     * kept to show that. In turn one seat plays its best response and the other its average
     * policy; only the former learns, its average policy only from decisions whose return is
     * above `threshold`; both memories keep the latest ones. */
    NFSP_LITERAL
};

struct nfsp_settings {
    enum nfsp_variant variant;
    enum reservoir_rule average_rule; /* NFSP_STANDARD: RESERVOIR_LATEST only as an ablation */
    struct net_spec network; /* architecture and its hidden layers; the rest is filled in */
    const char *device;
    int parallel, updates, batch;
    double discount;
    double anticipatory; /* eta */
    /* Share of random actions of best responses: explore / (1 + explore_decay * sqrt(steps)). */
    double explore, explore_decay;
    struct net_optimiser response, average;
    /* Updates of the values between copies of their network for the targets; 0: its own. */
    int target_interval;
    size_t response_memory, average_memory; /* transitions, pairs; of a seat */
    size_t warm_up;                         /* entries before a network learns */
    double threshold;                       /* NFSP_LITERAL */
    /* NFSP_STANDARD with candidates: what a decision leads to is worth what a third network of the
     * seat says of the next one, learned from what came of the games, instead of the largest of the
     * best response's own values (the largest of many uncertain values is too large); and best
     * responses learn from candidates alone, all of a decision at once. */
    bool value_network;
    double value_lambda; /* of its targets, TD(lambda) over the decisions of a game */
    /* In games with a likelihood(): actions that a best response tries out before it plays one, 0:
     * it plays the one its network values most. See nfsp_candidates.c. */
    int candidates;
    double candidate_temperature, candidate_uniform;
    uint64_t seed;
    int threads; /* changes nothing but the time a step takes */
};

/* What reaches the gates on Kuhn, Leduc and line curling. */
struct nfsp_settings nfsp_default_settings(void);

/* The share of random actions before step number `step`. */
double nfsp_explore(const struct nfsp_settings *settings, uint64_t step);

struct nfsp;

/* A run at its beginning, for the caller to give to nfsp_free(). NULL and a sentence: a setting out
 * of range (it is named), a network that cannot be made, no memory. The game has to outlive it. */
struct nfsp *nfsp_new(const struct learner_game *game, const struct nfsp_settings *settings,
                      char ret_error[LEARNER_ERROR_MAX]);
void nfsp_free(struct nfsp *nfsp); /* NULL is fine */

/* False and a sentence: a network failed, learning has diverged (a loss is infinite or not a
 * number, NAN where the gradient was not finite), an action could not be played. The run cannot go
 * on then, only be freed. */
bool nfsp_step(struct nfsp *nfsp, char ret_error[LEARNER_ERROR_MAX]);

struct nfsp_report {
    uint64_t steps, games, decisions;
    uint64_t throws;  /* actions played, those tried out included */
    uint64_t updates; /* of all networks */
    double explore;
    struct nfsp_seat_report {
        /* Of the last update, mean over the batch; value_loss NAN: there is no such network. */
        double response_loss, average_loss, value_loss;
        size_t response_memory, average_memory; /* decisions where candidates are learned from */
        uint64_t average_offered;
        /* As in struct learner_report. */
        double reward, entropy;
    } seat[2];
};
struct nfsp_report nfsp_report(const struct nfsp *nfsp);

/* Processor seconds, as in struct learner_report. */
struct nfsp_seconds {
    double play_s, network_s, learn_s;
};
struct nfsp_seconds nfsp_seconds(const struct nfsp *nfsp);

/* Policies of a run; their context is the struct nfsp, for one thread at a time. */
learner_policy nfsp_average;   /* the result */
learner_policy nfsp_likeliest; /* the likeliest action of the average policy: enough where nothing
                                * is hidden */
learner_policy nfsp_response;  /* the best response, without random actions */

/* The network of a seat; belongs to the run. */
const struct net *nfsp_average_network(const struct nfsp *nfsp, int seat);
const struct net *nfsp_response_network(const struct nfsp *nfsp, int seat);

/* Writes everything: networks, optimisers, memories, the games that are going on, counters. False:
 * the file could not be written, or no memory. */
bool nfsp_write(const struct nfsp *nfsp, FILE *file);

/* A run as it was written, under the same game and settings; with another seed all draws from here
 * on are by that one. NULL and a sentence as nfsp_new(), or if the file is broken or of another
 * game or other settings. */
struct nfsp *nfsp_read(const struct learner_game *game, const struct nfsp_settings *settings,
                       FILE *file, char ret_error[LEARNER_ERROR_MAX]);

#endif
