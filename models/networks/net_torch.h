/* Access to libtorch through a separate module, librinkd_torch.so (net_torch.cpp, and the layers in
 * net_torch_layers.cpp), loaded when the first network needs it. Loading takes 0.4 s of CPU time
 * and 160 MB; programs without such networks neither pay for it nor need it installed. Private to
 * this folder.
 *
 * Architectures. Convolutions are 3x3 with a border of zeros, units are rectified linear except for
 * the outputs. There is no normalisation, so evaluating and learning compute the same function, and
 * batches may have any size. Planes are 32x32, row after row.
 *
 * - conv7: 7 convolutions of `channels`; head: 1x1 convolution to 2 planes, then a linear layer
 *   2048 -> outputs.
 *
 * - resnet: a convolution, then 9 blocks x + conv(relu(conv(x))), the second convolution of each
 *   beginning at 0; outputs = 1024 * maps + rest. Head of the maps, which come first: 1x1
 *   convolution, outputs[map][row][column]. Head of the rest: 1x1 convolution to 1 plane, linear
 *   1024 -> 256 -> rest. So 2 maps of actions and 17 scores are 2065 outputs.
 *
 * - set: inputs are `rows` rows of `row_features`, then the rest. hidden[0] and hidden[1] (if any)
 *   are layers shared by all rows, whose units are then summed over the rows; a row of zeros counts
 *   as absent. The sums and the rest go through layers of hidden[2] and hidden[3] (if any) to the
 *   outputs. The order of the rows matters only for rounding.
 *
 * Batches are processed in pieces of a fixed size, and gradients are added in the order of the
 * pieces. The last digits differ between kinds of processor. net_forward() keeps the data for
 * net_backward(), about 1 MB a row in conv7 with 32 channels; if that is too much, learn in several
 * smaller batches between two updates. If the gradient is not finite, net_update() clears it,
 * leaves the weights and returns NET_NOT_FINITE. */
#ifndef RINKD_MODELS_NETWORKS_NET_TORCH_H
#define RINKD_MODELS_NETWORKS_NET_TORCH_H

#include "models/networks/net_kind.h"

/* The functions of the module, loaded on the first call; NULL and the reason, which lives as long
 * as the program, if it is not installed. */
const struct net_kind *net_torch(const char **ret_reason);

#endif
