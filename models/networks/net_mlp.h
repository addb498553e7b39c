/* Networks of net_mlp.c as parts of others (net_lines.c): what net.h has, and rows that are passed
 * and learnt from piece by piece, so that nobody has to copy them together. Private to this folder.
 *
 * All functions take networks that net_mlp_kind has made. */
#ifndef RINKD_MODELS_NETWORKS_NET_MLP_H
#define RINKD_MODELS_NETWORKS_NET_MLP_H

#include "models/networks/net_kind.h"

enum { NET_MLP_WIDTH_MAX = 16384 }; /* of any layer */

/* Sets the prefix of all names of tensors: "PART.", initially "". */
void net_mlp_name(struct net *net, const char *name); /* borrowed for the life of the network */

/* forward() in pieces: room for `rows` of them first, whose numbers are then 0 ... rows - 1, and
 * for backward() the same pieces in the same order. What was kept before is lost. */
enum net_status net_mlp_reserve(struct net *net, int64_t rows);
void net_mlp_forward_rows(struct net *net, size_t first, size_t count, const float *inputs,
                          float *ret_outputs);
void net_mlp_backward_rows(struct net *net, size_t first, size_t count, const float *d_outputs);
int net_mlp_kept(const struct net *net); /* rows that backward() can go back through */

/* update() of several networks whose weights are those of one: one norm, one clip, and where it is
 * not finite none of them is moved. */
enum net_status net_mlp_update(struct net *const *nets, int count,
                               const struct net_optimiser *optimiser, double *ret_gradient_norm);

#endif
