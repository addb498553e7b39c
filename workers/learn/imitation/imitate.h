/* Trains a policy with scores on the play of a teacher, which may be any player. KR-DL-UCT starts
 * from such a policy (Lee et al. 2018 also learn from a reference program).
 *
 * The teacher plays ends against itself, with execution noise. A share of the ends starts from a
 * position of random play (end_states.h), so that the policy also learns positions that the teacher
 * would not reach itself. Each decision is an example:
 *   actions  the teacher's shots on the grid of 960 actions. A shot is spread over the actions
 *            around it by the kernel of the execution noise (kernel.h), or goes to the nearest
 *            action if all are far. If the teacher ranks several shots, each has weight
 *            exp((value - best value) / temperature). Of a teacher that searches, the visits can
 *            decide instead: (sum of the spread visits)^(1 / temperature).
 *   scores   the end's score and the teacher's expected distribution, half each; the score alone
 *            if the teacher expects none
 * Each seat has its own network. The loss is the cross-entropy of the actions plus that of the
 * scores; each example is mirrored with probability 1/2.
 *
 * The algorithm `policy-value` (policy_value.c) learns in the same way from its own
 * search. */
#ifndef RINKD_WORKERS_LEARN_IMITATION_IMITATE_H
#define RINKD_WORKERS_LEARN_IMITATION_IMITATE_H

#include "models/networks/compact_position.h"
#include "models/networks/policy.h"
#include "workers/pool.h"
#include "workers/search/player/player.h"

enum { IMITATE_TARGETS = 12, IMITATE_BATCH_MAX = 4096, IMITATE_ERROR_MAX = NET_ERROR_MAX };

struct imitate_example {
    struct compact_position position; /* `thrown` gives the seat to move */
    int targets;
    int16_t action[IMITATE_TARGETS];
    float share[IMITATE_TARGETS]; /* sum to 1 */
    float scores[POLICY_SCORES];  /* for sente; sum to 1 */
};

struct imitate_play {
    const struct rules *rules; /* without placed stones */
    const struct ice_profile *ice;
    struct noise noise;
    struct player teacher;
    int64_t ends;
    double random_share; /* of the ends that start from random play */
    double temperature;  /* of the ranked shots' weights, in units of their values; > 0 */
    /* The teacher searches a tree: its visits are learned, and it throws a shot that is drawn in
     * proportion to visits^(1 / temperature), with temperature 1 for the first `explored` shots of
     * an end. */
    bool by_visits;
    int explored;
    uint64_t seed, stream; /* its random streams are stream + 7 and stream + 8 */
    int threads;
    const atomic_bool *cancel;
    void (*progress)(void *context, int64_t ends); /* played, about; may be NULL */
    void *context;
};

/* Plays the ends and returns their examples in order; the same for any number of threads. The
 * caller frees them with free(). False and a sentence (IMITATE_ERROR_MAX bytes) if the teacher
 * fails, memory is short, or `cancel` is set. */
bool imitate_play(const struct imitate_play *play, struct imitate_example **ret_examples,
                  size_t *ret_count, char *ret_error);

/* Plays end number `index` alone and writes its examples, as many as there were shots, of at most
 * play->rules->shots. Returns their number; -1: the teacher failed or was cancelled. */
int imitate_play_end(const struct imitate_play *play, int64_t index,
                     struct imitate_example *ret_examples);

struct imitate_fit {
    int epochs, batch; /* batch: at most IMITATE_BATCH_MAX */
    double rate;       /* of Adam at the start; falls to 0 along half a cosine */
    double decay;
    double held_out;       /* share of the examples, the last ones, kept for judging */
    uint64_t seed, stream; /* its random stream is stream + 11 */
    const char *device;
    const atomic_bool *cancel;
};

/* Results on the held-out examples, by seat. */
struct imitate_report {
    int epoch;
    size_t examples[2];     /* held-out ones */
    double action_loss[2];  /* mean cross-entropy, nats */
    double action_floor[2]; /* its lower bound: mean entropy of the targets */
    double score_loss[2];
    double first[2], twentieth[2]; /* share of the examples whose heaviest action is the
                                    * network's likeliest; is among its 20 likeliest */
};

/* A fit in parts. It borrows the examples. */
struct imitate_fitting;

/* Begins a fit of networks with the weights of `start`, or with fresh ones if that is NULL. The
 * form must have scores and POLICY_ACTIONS actions, and each seat examples that are not held out.
 * The caller frees it with imitate_fitting_free(). NULL and a sentence: a network cannot be made,
 * or no memory. */
struct imitate_fitting *imitate_fitting_new(const struct imitate_fit *fit,
                                            const struct policy_form *form,
                                            const struct net *const start[2],
                                            const struct imitate_example *examples, size_t count,
                                            char *ret_error);
void imitate_fitting_free(struct imitate_fitting *fitting); /* NULL is fine */

/* Learns from at most `batches` more batches of each seat, within an epoch; a thread for each seat
 * if the pool has two. NET_OK, or the error of a network. Stops early if fit->cancel is set. */
enum net_status imitate_fitting_go(struct imitate_fitting *fitting, struct pool *pool,
                                   size_t batches);
int imitate_fitting_epochs(const struct imitate_fitting *fitting);         /* finished ones */
size_t imitate_fitting_batches(const struct imitate_fitting *fitting);     /* done, of both seats */
size_t imitate_fitting_batches_all(const struct imitate_fitting *fitting); /* of the whole fit */

/* Judges the networks on the held-out examples. Returns as imitate_fitting_go() does. */
enum net_status imitate_fitting_judge(struct imitate_fitting *fitting,
                                      struct imitate_report *ret_report);
/* Returns the network of a seat, which belongs to the fit. */
const struct net *imitate_fitting_net(const struct imitate_fitting *fitting, enum seat seat);

/* Trains both seats' networks in parallel on two threads and reports after each epoch. The form
 * must have scores and POLICY_ACTIONS actions. On success the caller frees both networks with
 * net_free(). False and a sentence (IMITATE_ERROR_MAX bytes) if a network fails, memory is short,
 * or `cancel` is set. */
bool imitate_fit(const struct imitate_fit *fit, const struct policy_form *form,
                 const struct imitate_example *examples, size_t count,
                 void (*tell)(void *context, const struct imitate_report *report), void *context,
                 struct net *ret_net[2], char *ret_error);

#endif
