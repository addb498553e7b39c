/* A policy of curling: networks with the kind of their inputs and the meaning of their outputs, in
 * one file. There is one for each seat, or one for each shot of an end.
 *
 * A row of outputs holds one number for each action of models/ice/action_grid.h: logits (their
 * softmax over the playable actions is the policy) or values (the action with the largest value is
 * played). With `has_scores`, POLICY_SCORES logits of the end's score follow, -8 … 8 for sente in
 * both seats: the score that this policy expects of the end.
 *
 * Inputs of the networks:
 *   stones  POLICY_STONES_INPUTS numbers: end_features.h, then 16 of which number `thrown` is 1
 *   lines   POLICY_LINES_INPUTS numbers: the rows of lines.h, then those of stones
 *   planes  the pictures of planes.h, for the seat to throw
 *   shots   POLICY_SHOTS_INPUTS numbers: end_features.h, then POLICY_SHOT_INPUTS of a shot
 *           (workers/search/policy/shot_values.h). There is a network for each of the
 *           POLICY_THROWN shots of an end; its outputs are POLICY_SHOT_SCORES logits of the end's
 *           score, -7 … 7 for the thrower, after that shot. The policy throws the best of many
 *           random shots ("generalised policy iteration").
 *
 * The file is safetensors: the tensors of the networks under "sente.NAME" and "gote.NAME", or under
 * "shot0.NAME" to "shot15.NAME", and the form as texts in "__metadata__", where "rinkd.policy" is
 * the version of this format. */
#ifndef RINKD_MODELS_NETWORKS_POLICY_H
#define RINKD_MODELS_NETWORKS_POLICY_H

#include "models/networks/end_features.h"
#include "models/networks/lines.h"
#include "models/networks/net.h"
#include "models/networks/planes.h"
#include "models/networks/weights.h"
#include "models/tables/architectures.h"

/* Any change of the inputs or of the actions needs a new version. */
#define POLICY_VERSION "1"

enum policy_outputs { POLICY_LOGITS, POLICY_VALUES };
/* Names as in files and job specs, NULL at the end. */
extern const char *const policy_sees_names[];    /* "stones", "planes", "lines", "shots" */
extern const char *const policy_outputs_names[]; /* "logits", "values" */

enum {
    POLICY_THROWN = 16,
    POLICY_STONES_INPUTS = END_FEATURES + POLICY_THROWN,
    POLICY_LINES_INPUTS = LINES * LINES_FEATURES + POLICY_STONES_INPUTS,
    POLICY_INPUTS_MAX = PLANES * PLANES_CELLS,
    POLICY_SHOT_INPUTS = 56,
    POLICY_SHOTS_INPUTS = END_FEATURES + POLICY_SHOT_INPUTS,
    POLICY_SHOT_SCORES = 15,
    POLICY_SHOT_ZERO = 7,
    POLICY_NETS_MAX = POLICY_THROWN,
    /* Actions of models/ice/action_grid.h, line by line, like the outputs of networks with rows. */
    POLICY_ACTIONS = 960,
    POLICY_ACTIONS_MAX = 4096,
    POLICY_SCORES = 17,
    POLICY_SCORE_ZERO = 8,
    POLICY_NAME_MAX = 40 /* bytes of a name, with 0 */
};

/* Names consist of letters, digits and ._- */
struct policy_form {
    char profile[POLICY_NAME_MAX];      /* of the rules and their ice */
    char architecture[POLICY_NAME_MAX]; /* see policy_sees_of() */
    int hidden[NET_HIDDEN_MAX];         /* as in struct net_spec */
    enum policy_sees sees;
    enum policy_outputs outputs;
    int actions; /* POLICY_ACTIONS, of shots POLICY_SHOT_SCORES; other numbers for tests only */
    bool has_scores;

    /* Origin; texts may be "", -1: no step. */
    char algorithm[POLICY_NAME_MAX]; /* "nfsp" */
    char policy[POLICY_NAME_MAX];    /* which of its policies: "average" */
    char run[POLICY_NAME_MAX];
    int64_t step;
};

/* A policy belongs to one thread at a time. */
struct policy {
    struct policy_form form;
    /* By seat or by shot, policy_nets() of them: inputs[policy_inputs] -> outputs[policy_row]. */
    struct net *net[POLICY_NETS_MAX];
    char sha256[65]; /* of the whole file */
};

/* The inputs of an architecture (models/tables/architectures.h). False: no such architecture. */
bool policy_sees_of(const char *architecture, enum policy_sees *ret_sees);

/* The number of networks. */
static inline int policy_nets(const struct policy_form *form)
{
    return form->sees == POLICY_SEES_SHOTS ? POLICY_THROWN : 2;
}

/* Numbers per position, or per shot: inputs, and outputs. */
int policy_inputs(enum policy_sees sees);
int policy_row(const struct policy_form *form);

/* NET_OK, or NET_BAD_SPEC and a sentence that names the field (NET_ERROR_MAX bytes). net_new()
 * checks the sizes that only networks know. */
enum net_status policy_form_check(const struct policy_form *form, char *ret_error);

/* The net_new() spec for the network of either seat, for a form that passes the check. Borrows the
 * name of the architecture. */
struct net_spec policy_net_spec(const struct policy_form *form, uint64_t seed);

/* Writes the policy_inputs(sees) inputs of a position after `thrown` stones of the end, 0 … 15, for
 * the seat that throws next. Those of a shot are left to the caller, and 0. */
void policy_fill_inputs(enum policy_sees sees, const struct position *position, int thrown,
                        enum seat mover, float *ret_inputs);
/* Mirrors such inputs in place; for the actions see action_mirror(). */
void policy_mirror_inputs(enum policy_sees sees, float *inputs);

/* Writes the file of a policy with these networks, made with policy_net_spec(): malloc'ed, owned by
 * the caller. The optimisers' state is left out. NET_BAD_SPEC for an invalid form, otherwise the
 * errors of net_write(); a sentence in ret_error. */
enum net_status policy_write(const struct policy_form *form, const struct net *sente,
                             const struct net *gote, unsigned char **ret_bytes, size_t *ret_size,
                             char *ret_error);
/* The same for all policy_nets() networks of a policy. */
enum net_status policy_write_all(const struct policy *policy, unsigned char **ret_bytes,
                                 size_t *ret_size, char *ret_error);
/* Makes a policy of this form with fresh weights of that seed, for policy_free(); its sha256 is "".
 * Errors: of policy_form_check() and net_new(). */
enum net_status policy_new(const struct policy_form *form, uint64_t seed, const char *device,
                           struct policy **ret_policy, char *ret_error);

/* Reads a policy from the bytes of a file, onto a device (net_new); the caller passes it to
 * policy_free(). Bytes are not trusted: a file that is broken, truncated, of another version, of
 * other shapes or not finite is refused (NET_BAD_FILE, NET_BAD_SHAPE) with a sentence in ret_error
 * (NET_ERROR_MAX bytes), before memory far beyond its size is allocated. Other failures are those
 * of net_new(). */
enum net_status policy_read(const unsigned char *bytes, size_t size, const char *device,
                            struct policy **ret_policy, char *ret_error);
/* The value of policy->sha256 for these bytes. */
void policy_sha256(const unsigned char *bytes, size_t size, char ret_hex[65]);
/* Copies the weights, for another thread; the caller passes the copy to policy_free(). */
enum net_status policy_copy(const struct policy *policy, const char *device,
                            struct policy **ret_policy, char *ret_error);
void policy_free(struct policy *policy); /* NULL is fine */

/* Maps a shipped policy (struct profile_weights) until weights_unmap(). False, and a sentence that
 * names the file: it is missing or damaged, or no such policy is shipped. */
bool policy_map_shipped(const char *file, struct weights *ret_weights,
                        char ret_error[WEIGHTS_ERROR_MAX]);
/* Reads all shipped policies. False, and a sentence: one of them cannot be used. */
bool policy_check_shipped(char ret_error[WEIGHTS_ERROR_MAX]);

/* Turns logits into probabilities (softmax), in place; for the 17 scores of a policy. */
void policy_softmax(float *logits, int count);
void policy_scores(float scores[POLICY_SCORES]);

#endif
