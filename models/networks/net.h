/* Networks to train and to evaluate: one door in front of two implementations, plain C for small
 * ones (net_mlp.c, net_lines.c) and libtorch for the others (net_torch.cpp).
 *
 * A network maps rows of `inputs` float32 numbers to rows of `outputs` numbers; what they mean
 * (values of actions, logits, logits of the 17 scores) is up to the caller. So are losses: the
 * caller computes the derivative of its loss with respect to the outputs and hands it back.
 *
 * A network belongs to one thread at a time, and a call uses that thread alone. Nothing here
 * throws, prints or exits. Equal seeds, calls and builds give equal numbers.
 *
 * Architectures, by their names in job specs:
 *   mlp     inputs -> hidden… -> outputs, rectified linear units                       plain C
 *   lines   rows of features through the same layers, each giving its part of the
 *           outputs, and layers for the rest of the inputs and outputs               plain C
 *   set     rows of per-stone features, shared layers, summed, layers                  libtorch
 *   conv7   seven 3x3 convolutions without pooling, planes 32x32 -> outputs            libtorch
 *   resnet  a convolution and nine residual blocks, planes 32x32 -> outputs            libtorch */
#ifndef RINKD_MODELS_NETWORKS_NET_H
#define RINKD_MODELS_NETWORKS_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct net;

/* Statuses and their sentences. */
#define NET_STATUSES(X)                                                                      \
    X(NET_OK, "all is well")                                                                 \
    X(NET_NO_FILE, "the file of weights cannot be read")                                     \
    X(NET_BAD_FILE,                                                                          \
      "the file of weights is not safetensors, is broken, or holds infinite numbers")        \
    X(NET_BAD_SHAPE, "the weights belong to another architecture or to other sizes")         \
    X(NET_BAD_SPEC, "there is no network of that description")                               \
    X(NET_NO_MEMORY, "memory is short")                                                      \
    X(NET_NOT_BUILT_IN, "there is no libtorch here, which that architecture needs")          \
    X(NET_NOT_FINITE, "its numbers are not finite, learning has diverged; try a lower rate") \
    X(NET_FAILED, "the library of networks failed")
enum net_status {
#define X(name, text) name,
    NET_STATUSES(X)
#undef X
};
const char *net_status_text(enum net_status status); /* a sentence; lives as long as the program */

enum { NET_HIDDEN_MAX = 4, NET_ERROR_MAX = 256 };

struct net_spec {
    const char *architecture;
    int inputs, outputs;
    /* Widths, 0 at the end; for architectures with channels, [0] is their number. */
    int hidden[NET_HIDDEN_MAX];
    int planes; /* if the inputs are planes: inputs = planes * 32 * 32 */
    int rows;   /* if the inputs have rows: inputs = rows * row_features + the rest */
    int row_features;
    uint64_t seed; /* of the first weights */
};

/* Makes a network with fresh weights on a device ("cpu", "cuda", "auto"). The caller gives it to
 * net_free(). On failure a sentence in ret_error (NET_ERROR_MAX bytes). */
enum net_status net_new(const struct net_spec *spec, const char *device, struct net **ret_net,
                        char *ret_error);
void net_free(struct net *net); /* NULL is fine */

/* Copies the weights and the state of the optimiser; both have the same spec. */
enum net_status net_copy(const struct net *from, struct net *to);

/* Sets the weights of `to` so that its outputs equal the first outputs of `from`, and resets its
 * optimiser. `to` has the same layers and at most as many outputs. NET_BAD_SHAPE: any other
 * difference. */
enum net_status net_copy_first_outputs(const struct net *from, struct net *to);

/* inputs[batch][inputs] -> ret_outputs[batch][outputs], row-major. Keeps nothing for
 * net_backward(). */
enum net_status net_evaluate(struct net *net, int batch, const float *inputs, float *ret_outputs);

/* The same for rows that begin with the same inputs: first[shared], then rest[batch][inputs -
 * shared]; the first layer looks at the shared ones once. NET_BAD_SPEC: only mlp can. */
enum net_status net_evaluate_sharing(struct net *net, int shared, const float *first, int batch,
                                     const float *rest, float *ret_outputs);

/* One step of learning: net_forward() evaluates and keeps the data that net_backward() needs.
 * net_backward() adds the gradient of a loss with derivative d_outputs[batch][outputs] with respect
 * to the outputs. net_update() moves the weights and clears the gradient. If the gradient is not
 * finite, the weights stay: NET_NOT_FINITE, and *ret_gradient_norm is untouched. */
enum net_status net_forward(struct net *net, int batch, const float *inputs, float *ret_outputs);
enum net_status net_backward(struct net *net, int batch, const float *d_outputs);

enum net_rule { NET_SGD, NET_MOMENTUM, NET_ADAM };
struct net_optimiser {
    enum net_rule rule;
    double rate;
    double momentum; /* NET_MOMENTUM */
    double decay;    /* of the weights: each step subtracts rate * decay * weight */
    double clip;     /* largest Euclidean norm of the gradient, 0: no limit */
};
enum net_status net_update(struct net *net, const struct net_optimiser *optimiser,
                           double *ret_gradient_norm); /* NULL: not wanted */

/* The weights as safetensors bytes, with the optimiser's state if `resume`; malloc'ed, owned by the
 * caller. Reading back gives the same bits. Broken, truncated, wrongly shaped and hostile files are
 * refused and leave the network untouched. */
enum net_status net_write(const struct net *net, bool resume, unsigned char **ret_bytes,
                          size_t *ret_size);
enum net_status net_read(struct net *net, const unsigned char *bytes, size_t size, bool resume);

/* Hash of the weights alone (64 hexadecimal digits of SHA-256 and 0). */
void net_sha256(const struct net *net, char ret_hex[65]);

#ifdef __cplusplus
}
#endif

#endif
