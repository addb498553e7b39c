/* Architectures of networks, one row each: layers, inputs, implementation and default size.
 *
 * The table does not depend on the networks, so the specs of trainings (api/jobs/train_spec.c) and
 * the networks themselves (models/networks) can both read it. A new architecture is a row here and
 * its layers: models/networks/net_NAME.c, or a case of net_torch_layers.cpp. The first row is the
 * default of a training. */
#ifndef RINKD_MODELS_TABLES_ARCHITECTURES_H
#define RINKD_MODELS_TABLES_ARCHITECTURES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, made, sees, rows, sizes, what it is, default sizes …)
 *   made   HERE: net_NAME_kind of models/networks; BY_TORCH: the module with libtorch
 *   sees   a kind of inputs, models/networks/policy.h
 *   rows   whether its layers are shared by rows of inputs, the lines or the stones
 *   sizes  WIDTHS: "hidden", the widths of up to four layers; CHANNELS: "channels", one number */
#define NETWORK_ARCHITECTURES(X)                                                                   \
    X(lines, HERE, LINES, true, WIDTHS, "layers shared by the lines that shots are aimed along",   \
      64, 32)                                                                                      \
    X(mlp, HERE, STONES, false, WIDTHS, "layers over compact features", 128, 64)                   \
    X(set, BY_TORCH, STONES, true, WIDTHS, "layers shared by the stones", 128, 64)                 \
    X(conv7, BY_TORCH, PLANES, false, CHANNELS, "seven convolutions over planes of the sheet", 32) \
    X(resnet, BY_TORCH, PLANES, false, CHANNELS, "residual convolutions over planes of the sheet", \
      32)

enum { NETWORK_WIDTHS_MAX = 4, NETWORK_WIDTH_MOST = 4096, NETWORK_CHANNELS_MOST = 512 };

/* Inputs of a policy's networks; see models/networks/policy.h. No architecture stands for shots: an
 * mlp sees them. */
enum policy_sees { POLICY_SEES_STONES, POLICY_SEES_PLANES, POLICY_SEES_LINES, POLICY_SEES_SHOTS };

struct network_architecture {
    const char *name, *about;
    bool needs_torch;
    enum policy_sees sees;
    bool has_rows;
    int sizes[NETWORK_WIDTHS_MAX]; /* 0 at the end */
};

/* The row of that name, or NULL. */
const struct network_architecture *network_architecture_find(const char *name);

/* Writes the names as "lines, mlp, …". Returns ret_text. */
enum { NETWORK_LIST_MAX = 128 };
const char *network_architecture_list(char ret_text[NETWORK_LIST_MAX]);

#ifdef __cplusplus
}
#endif

#endif
