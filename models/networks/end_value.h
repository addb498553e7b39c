/* The end-value network: maps a position to the probabilities of the end's score under strong play,
 * with a small network for each number of shots thrown.
 *
 * Features (end_features.h) -> 64 -> 32 -> 17 logits, rectified linear units between; to the second
 * half of the 64 units the places of stones (end_places.h) are added, too. Plain C and float32 in a
 * fixed order of operations, without calls into libm: the same bytes everywhere. Searches evaluate
 * a position after every throw. */
#ifndef RINKD_MODELS_NETWORKS_END_VALUE_H
#define RINKD_MODELS_NETWORKS_END_VALUE_H

#include "models/networks/end_features.h"
#include "models/networks/end_places.h"
#include "models/networks/net.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    END_VALUE_SCORES = 17, /* -8 … 8 for sente */
    END_VALUE_ZERO = 8,
    END_VALUE_HIDDEN1 = 64,
    END_VALUE_HIDDEN2 = 32,
    END_VALUE_LANES = 20,  /* the logits, padded */
    END_VALUE_STAGES = 15, /* 1 … 15 shots thrown */
    END_VALUE_PLACED = 32, /* the last ones of the first layer, to which places add */
    END_VALUE_PLAIN =      /* weights of a stage, biases included, without those of places */
    (END_FEATURES + 1) * END_VALUE_HIDDEN1 + (END_VALUE_HIDDEN1 + 1) * END_VALUE_HIDDEN2 +
    (END_VALUE_HIDDEN2 + 1) * END_VALUE_LANES,
    END_VALUE_WEIGHTS = END_VALUE_PLAIN + END_PLACES_ROWS * END_VALUE_PLACED /* of a stage */
};

/* Weights of one stage; [input][output], so zero inputs cost nothing. The arrays are the first
 * END_VALUE_WEIGHTS floats of the struct, which starts at a cache line (allocate it with
 * aligned_alloc()). */
struct end_value_stage {
    _Alignas(64) float weight1[END_FEATURES][END_VALUE_HIDDEN1], bias1[END_VALUE_HIDDEN1];
    float weight2[END_VALUE_HIDDEN1][END_VALUE_HIDDEN2], bias2[END_VALUE_HIDDEN2];
    float weight3[END_VALUE_HIDDEN2][END_VALUE_LANES], bias3[END_VALUE_LANES];
    float places[END_PLACES_ROWS][END_VALUE_PLACED];
    bool has_places; /* false: nobody reads `places`; they need not be set, and take no memory */
};

/* Sets has_places by the weights. */
void end_value_find_places(struct end_value_stage *stage);

/* True if all weights but those of places are 0: nobody has fitted the stage. */
bool end_value_is_empty(const struct end_value_stage *stage);

struct end_value {
    struct end_value_stage stage[END_VALUE_STAGES]; /* stage[t - 1]: t shots thrown */
};

/* The shipped network of that file name (struct profile_weights). NULL if `file` is NULL or the
 * file cannot be used (end_value_fault()). Lives as long as the program. */
const struct end_value *end_value_shipped(const char *file);

/* Why a shipped network cannot be used: a sentence that names the first requested file that was
 * missing or damaged. NULL: all requested files were fine. Lives as long as the program. */
const char *end_value_fault(void);

/* Why a player failed: end_value_fault(), or without a fault `otherwise`. */
const char *end_value_blame(const char *otherwise);

/* Reads all shipped networks and returns end_value_fault(). */
const char *end_value_check(void);

/* Probabilities of the end's score for sente, entry END_VALUE_ZERO + s, after `thrown` shots,
 * 1 … 15. */
void end_value_scores(const struct end_value *value, const struct position *position, int thrown,
                      float ret_probability[END_VALUE_SCORES]);

/* The same for `count` positions; a dozen at once are faster than one by one. */
void end_value_scores_of(const struct end_value *value, const struct position *const *positions,
                         int count, int thrown, float (*ret_probability)[END_VALUE_SCORES]);

/* The same as a mean of two networks, the second with `share`, 0 to 1. */
void end_value_scores_mixed(const struct end_value *value, const struct end_value *other,
                            float share, const struct position *const *positions, int count,
                            int thrown, float (*ret_probability)[END_VALUE_SCORES]);

/* Values of the layers for one position: sums before the rectification, and the logits. */
struct end_value_layers {
    float one[END_VALUE_HIDDEN1], two[END_VALUE_HIDDEN2], out[END_VALUE_LANES];
};

/* What a network sees of a position. */
struct end_value_inputs {
    float features[END_FEATURES];
    struct end_places places;
};
void end_value_inputs(const struct position *position, struct end_value_inputs *ret_inputs);

/* Evaluates the network up to its logits. */
void end_value_forward(const struct end_value_stage *stage, const struct end_value_inputs *inputs,
                       struct end_value_layers *ret_layers);

/* The probabilities from precomputed inputs, for training. */
void end_value_of_inputs(const struct end_value_stage *stage, const struct end_value_inputs *inputs,
                         float ret_probability[END_VALUE_SCORES]);

/* The note of a trained network's file, which says its version; older shipped files have none. With
 * "profile", the name of the rules, `rink:values=` can play by the file (value_store.h). Numbers
 * have half precision in files, and a network without places leaves those out; files of version 1
 * and those without a note have float32 and no places. */
#define END_VALUE_NOTE    "rinkd.end_value"
#define END_VALUE_VERSION "2"
#define END_VALUE_FIRST   "1"

struct json_t;

/* Reads and writes the network as a safetensors file: a tensor for each array above and
 * stage, "stage1.weight1" and so on. A file with anything else, or with numbers that are not
 * finite, is NET_BAD_FILE or NET_BAD_SHAPE and leaves *ret_value untouched. The written bytes are
 * malloc'ed and owned by the caller. `notes`: as for net_file_frame(); without END_VALUE_VERSION in
 * them the file has no places. */
enum net_status end_value_read(const unsigned char *bytes, size_t size,
                               struct end_value *ret_value);
enum net_status end_value_write(const struct end_value *value, struct json_t *notes,
                                unsigned char **ret_bytes, size_t *ret_size);

#endif
