/* Returns the number of weights of a network. */
#ifndef RINKD_TESTS_UNIT_MODELS_NETWORKS_NET_PARAMETERS_H
#define RINKD_TESTS_UNIT_MODELS_NETWORKS_NET_PARAMETERS_H

#include "models/networks/net_file.h"

static inline int64_t net_parameters(const struct net *net)
{
    struct net_tensors tensors;
    int64_t sum = 0;

    net->kind->tensors(net, &tensors);
    for (int k = 0; k < tensors.weights; k++)
        sum += net_tensor_size(&tensors.tensor[k]);
    return sum;
}

#endif
