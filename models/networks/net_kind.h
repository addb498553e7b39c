/* The implementations behind net.h: each is a table of functions. Private to this folder, C
 * and C++.
 *
 * An implementation computes and lists its tensors by name; net.c and net_file.c make files, hashes
 * and copies of the tensors in the same way for all implementations. */
#ifndef RINKD_MODELS_NETWORKS_NET_KIND_H
#define RINKD_MODELS_NETWORKS_NET_KIND_H

#include "models/networks/net.h"
#include "models/tables/architectures.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NET_TENSORS_MAX = 160, NET_TENSOR_NAME = 64, NET_RANK_MAX = 4 };

/* A tensor of float32 numbers in row-major order. The names are those in files. The
 * optimiser's state comes after the weights, under names that begin with NET_OPTIMISER; means of
 * squares and counts, with the other prefixes below, are never negative. */
#define NET_OPTIMISER         "optimiser."
#define NET_OPTIMISER_SQUARES NET_OPTIMISER "second."
#define NET_OPTIMISER_COUNT   NET_OPTIMISER "steps"
struct net_tensor {
    char name[NET_TENSOR_NAME];
    int rank;
    int64_t side[NET_RANK_MAX];
};

struct net_tensors {
    int count;
    int weights; /* number of weight tensors, which come first; the rest is the optimiser's */
    struct net_tensor tensor[NET_TENSORS_MAX];
};

/* Constants of Adam (Kingma and Ba, 2015); the optimisers are decoupled from the decay of the
 * weights (Loshchilov and Hutter, 2019). */
#define NET_ADAM_BETA1   0.9
#define NET_ADAM_BETA2   0.999
#define NET_ADAM_EPSILON 1e-8

/* The functions of net.h with the same names, for networks made by make(), which checks specs.
 * net.c has already checked the other arguments (batch > 0). */
struct net_kind {
    enum net_status (*make)(const struct net_spec *spec, const char *device, struct net **ret_net,
                            char *ret_error);
    void (*free)(struct net *net);
    enum net_status (*evaluate)(struct net *net, int batch, const float *inputs,
                                float *ret_outputs);
    /* NULL: it cannot share. */
    enum net_status (*evaluate_sharing)(struct net *net, int shared, const float *first, int batch,
                                        const float *rest, float *ret_outputs);
    enum net_status (*forward)(struct net *net, int batch, const float *inputs, float *ret_outputs);
    enum net_status (*backward)(struct net *net, int batch, const float *d_outputs);
    enum net_status (*update)(struct net *net, const struct net_optimiser *optimiser,
                              double *ret_gradient_norm);

    /* Names and shapes, fixed for the life of the network. */
    void (*tensors)(const struct net *net, struct net_tensors *ret_tensors);
    /* Copy the numbers of tensor k out of and into the network. After set(), the gradient and the
     * optimiser's state are undefined until net.c has set all weights and called forget(). */
    enum net_status (*get)(const struct net *net, int k, float *ret_values);
    enum net_status (*set)(struct net *net, int k, const float *values);
    /* NULL: net.c copies, in networks that differ in the last two weights at most. */
    enum net_status (*copy_first_outputs)(const struct net *from, struct net *to);
    /* Sets the gradient to 0 and, unless `resume`, resets the optimiser. */
    void (*forget)(struct net *net, bool resume);
};

/* First member of every network. */
struct net {
    const struct net_kind *kind;
};

/* Implementations: net_NAME.c for each architecture in plain C, and net_torch.cpp in a module
 * (net_torch.h). net.c finds the one of an architecture. */
#define DECLARE_HERE(name) extern const struct net_kind net_##name##_kind;
#define DECLARE_BY_TORCH(name)
#define DECLARE(name, made, ...) DECLARE_##made(name)
NETWORK_ARCHITECTURES(DECLARE)
extern const struct net_kind net_torch_kind;

#ifdef __cplusplus
}
#endif

#endif
