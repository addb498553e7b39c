/* Networks of net_mlp.c as parts of others (net_lines.c): the functions of net.h, and forward and
 * backward passes in pieces, so callers need not copy the rows together. Private to this folder.
 *
 * All functions take networks made by net_mlp_kind. */
#ifndef RINKD_MODELS_NETWORKS_NET_MLP_H
#define RINKD_MODELS_NETWORKS_NET_MLP_H

#include "models/networks/net_kind.h"

enum { NET_MLP_WIDTH_MAX = 16384 }; /* of any layer */

/* Sets the prefix of all tensor names: "PART.", initially "". */
void net_mlp_name(struct net *net, const char *name); /* borrowed for the life of the network */

/* Prepares forward() in pieces: makes room for `rows` rows, numbered 0 ... rows - 1, and drops the
 * rows kept before. backward() takes the same pieces in the same order. */
enum net_status net_mlp_reserve(struct net *net, int64_t rows);
void net_mlp_forward_rows(struct net *net, size_t first, size_t count, const float *inputs,
                          float *ret_outputs);
void net_mlp_backward_rows(struct net *net, size_t first, size_t count, const float *d_outputs);
int net_mlp_kept(const struct net *net); /* rows available to backward() */

/* update() of several networks that act as one: one norm and one clip for all; if the norm is not
 * finite, none of them changes. */
enum net_status net_mlp_update(struct net *const *nets, int count,
                               const struct net_optimiser *optimiser, double *ret_gradient_norm);

#endif
