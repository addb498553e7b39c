/* The layers of the architectures that libtorch evaluates (net_torch.h says which). C++: for the
 * module librinkd_torch.so alone. */
#ifndef RINKD_MODELS_NETWORKS_NET_TORCH_LAYERS_HPP
#define RINKD_MODELS_NETWORKS_NET_TORCH_LAYERS_HPP

#include "models/networks/net_kind.h"

#include <ATen/ATen.h>

#include <vector>

namespace rinkd
{

constexpr int PLANES_SIDE = 32; /* of inputs that are planes */

enum class Architecture { SET, CONV7, RESNET };

/* Finds the architecture of a spec (net.c has checked the name) and checks its sizes. On failure
 * returns false, and the field and the reason in ret_error[NET_ERROR_MAX]. */
bool read_architecture(const net_spec &spec, Architecture &ret_architecture, char *ret_error);

/* The weights of a network: for each layer a weight and a bias. */
struct LayerPlan {
    std::vector<net_tensor> tensors;
    std::vector<double> bounds; /* of each tensor's uniform initial numbers (He et al.) */
};
LayerPlan plan_layers(Architecture architecture, const net_spec &spec);

/* Computes outputs [row][spec.outputs] from inputs [row][spec.inputs], or [row][plane][32][32] for
 * planes. `weights`: the tensors of the plan, in its order. */
at::Tensor pass_layers(Architecture architecture, const net_spec &spec,
                       const std::vector<at::Tensor> &weights, const at::Tensor &inputs);

} // namespace rinkd

#endif
