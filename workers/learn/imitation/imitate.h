/* Supervised learning of a policy with scores from a teacher, any player that there is: what
 * KR-DL-UCT needs to begin with (Lee et al. 2018 learn from a reference program likewise).
 *
 * The teacher plays ends against itself, with the errors of the hands; a part of them goes on from
 * a position of random play in many styles (end_states.h), so that the policy also knows what the
 * teacher would not have come to. Each decision is an example:
 *   actions  the teacher's shots on the grid of 960 actions. A shot stands for the actions around
 *            it as the kernel of the hand's errors falls off (kernel.h, the nearest one where all
 *            are far); where the teacher ranks several shots, each has weight
 *            exp((value - best value) / temperature).
 *   scores   half what the end came to, half what the teacher expected, if it says that
 * Both seats have networks of their own. The loss is the cross-entropy of the actions plus that of
 * the scores; every example is seen as it is or in the mirror, at random. */
#ifndef RINKD_WORKERS_LEARN_IMITATION_IMITATE_H
#define RINKD_WORKERS_LEARN_IMITATION_IMITATE_H

#include "models/networks/compact_position.h"
#include "models/networks/policy.h"
#include "workers/search/player/player.h"

enum { IMITATE_TARGETS = 12, IMITATE_BATCH_MAX = 4096, IMITATE_ERROR_MAX = NET_ERROR_MAX };

struct imitate_example {
    struct compact_position position; /* says how many stones are thrown, and so whose turn it is */
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
    double random_share; /* of the ends begins with random play */
    double temperature;  /* of the weights of ranked shots, in the teacher's values; > 0 */
    uint64_t seed;
    int threads;
    const atomic_bool *cancel;
    void (*progress)(void *context, int64_t ends); /* NULL: not wanted */
    void *context;
};

/* The examples of all ends, in their order, malloc'ed, of the caller: the same for any number of
 * threads. False and a sentence (IMITATE_ERROR_MAX bytes) when the teacher fails, memory is short,
 * or it was cancelled. */
bool imitate_play(const struct imitate_play *play, struct imitate_example **ret_examples,
                  size_t *ret_count, char *ret_error);

struct imitate_fit {
    int epochs, batch; /* batch: at most IMITATE_BATCH_MAX */
    double rate;       /* Adam's, falling to 0 along half a cosine */
    double decay;
    double held_out; /* share of the examples, the last ones, that are not learned from */
    uint64_t seed;
    const char *device;
    const atomic_bool *cancel;
};

/* How well a network does on examples it has not seen, by seat. */
struct imitate_report {
    int epoch;
    size_t examples[2];     /* held out */
    double action_loss[2];  /* mean cross-entropy, nats */
    double action_floor[2]; /* … which the entropy of the targets leaves at best */
    double score_loss[2];
    double first[2], twentieth[2]; /* share of the examples whose weightiest action is the
                                    * network's likeliest, is among its 20 likeliest ones */
};

/* Learns both networks of the form (which must have scores and POLICY_ACTIONS actions), side by
 * side on two threads, and says after each epoch how they do. On success the caller has two
 * networks to free. */
bool imitate_fit(const struct imitate_fit *fit, const struct policy_form *form,
                 const struct imitate_example *examples, size_t count,
                 void (*tell)(void *context, const struct imitate_report *report), void *context,
                 struct net *ret_net[2], char *ret_error);

#endif
