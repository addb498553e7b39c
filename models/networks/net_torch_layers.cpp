/* Layers: the checks of a spec, and one description of each architecture, from which come the plan
 * of its weights and a pass through them. */
#include "models/networks/net_torch_layers.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

namespace rinkd
{
namespace
{

constexpr int PLANE = PLANES_SIDE * PLANES_SIDE;
constexpr int CONV7_LAYERS = 7, RESNET_BLOCKS = 9;
constexpr int HEAD_PLANES = 2, REST_UNITS = 256;
constexpr int CHANNELS_MAX = 512, WIDTH_MAX = 16384, ROWS_MAX = 64;

/* --- specs --- */

bool refuse(char *ret_error, const char *field, const char *why)
{
    std::snprintf(ret_error, NET_ERROR_MAX, "%s: %s", field, why);
    return false;
}

bool in_range(char *ret_error, const char *field, int number, int least, int most)
{
    if (number >= least && number <= most)
        return true;
    std::snprintf(ret_error, NET_ERROR_MAX, "%s: %d is not in %d..%d", field, number, least, most);
    return false;
}

bool check_set(const net_spec &spec, char *ret_error)
{
    if (!in_range(ret_error, "rows", spec.rows, 1, ROWS_MAX) ||
        !in_range(ret_error, "row_features", spec.row_features, 1, WIDTH_MAX) ||
        !in_range(ret_error, "hidden", spec.hidden[0], 1, WIDTH_MAX) ||
        !in_range(ret_error, "inputs", spec.inputs, 1, WIDTH_MAX))
        return false;
    if (spec.inputs < spec.rows * spec.row_features)
        return refuse(ret_error, "inputs", "fewer than rows * row_features");
    for (int k = 1; k < NET_HIDDEN_MAX; k++) {
        if (!in_range(ret_error, "hidden", spec.hidden[k], 0, WIDTH_MAX))
            return false;
        if (spec.hidden[k] != 0 && spec.hidden[k - 1] == 0)
            return refuse(ret_error, "hidden", "a width follows a 0");
    }
    return true;
}

bool check_planes(const net_spec &spec, char *ret_error)
{
    if (!in_range(ret_error, "hidden", spec.hidden[0], 1, CHANNELS_MAX) ||
        !in_range(ret_error, "planes", spec.planes, 1, CHANNELS_MAX))
        return false;
    for (int k = 1; k < NET_HIDDEN_MAX; k++)
        if (spec.hidden[k] != 0)
            return refuse(ret_error, "hidden", "must be one number, the channels");
    return spec.inputs == spec.planes * PLANE ||
           refuse(ret_error, "inputs", "must be planes * 32 * 32");
}

/* --- layers --- */

/* The layers of a network in their order, for two purposes: with a plan, each layer adds its
 * tensors to it and returns zeros; with weights, each layer takes its tensors and computes. */
class Layers
{
  public:
    explicit Layers(LayerPlan *plan) : plan_(plan), next_(nullptr)
    {
    }

    explicit Layers(const std::vector<at::Tensor> &weights) : plan_(nullptr), next_(weights.data())
    {
    }

    at::Tensor linear(const std::string &name, int64_t outputs, const at::Tensor &x,
                      double scale = 1.0)
    {
        if (plan_) {
            add(name, {outputs, x.size(1)}, scale);
            return at::zeros({x.size(0), outputs});
        }
        const at::Tensor &weight = *next_++, &bias = *next_++;
        return at::linear(x, weight, bias);
    }

    at::Tensor convolution(const std::string &name, int64_t outputs, int64_t side,
                           const at::Tensor &x, double scale = 1.0)
    {
        if (plan_) {
            add(name, {outputs, x.size(1), side, side}, scale);
            return at::zeros({x.size(0), outputs, PLANES_SIDE, PLANES_SIDE});
        }
        const at::Tensor &weight = *next_++, &bias = *next_++;
        return at::conv2d(x, weight, bias, 1, side / 2);
    }

  private:
    void add(const std::string &name, std::initializer_list<int64_t> shape, double scale)
    {
        net_tensor tensor = {};
        double inputs = 1.0;
        std::snprintf(tensor.name, sizeof tensor.name, "%s.weight", name.c_str());
        tensor.rank = static_cast<int>(shape.size());
        std::copy(shape.begin(), shape.end(), tensor.side);
        for (int k = 1; k < tensor.rank; k++)
            inputs *= static_cast<double>(tensor.side[k]);
        plan_->tensors.push_back(tensor);
        std::snprintf(tensor.name, sizeof tensor.name, "%s.bias", name.c_str());
        tensor.rank = 1;
        plan_->tensors.push_back(tensor);
        plan_->bounds.insert(plan_->bounds.end(), {scale * std::sqrt(6.0 / inputs), 0.0});
    }

    LayerPlan *plan_;
    const at::Tensor *next_;
};

/* Outputs begin small. */
constexpr double OUTPUT_SCALE = 0.5;

at::Tensor pass_set(const net_spec &spec, Layers &layers, const at::Tensor &inputs)
{
    const int64_t batch = inputs.size(0), in_rows = spec.rows * spec.row_features;
    at::Tensor rows = inputs.narrow(1, 0, in_rows).reshape({batch * spec.rows, spec.row_features});
    at::Tensor is_there = rows.ne(0.0).any(1, true).to(at::kFloat);

    at::Tensor x = layers.linear("row1", spec.hidden[0], rows).relu_();
    if (spec.hidden[1] != 0)
        x = layers.linear("row2", spec.hidden[1], x).relu_();
    x = (x * is_there).view({batch, spec.rows, -1}).sum(1);
    if (spec.inputs > in_rows)
        x = at::cat({x, inputs.narrow(1, in_rows, spec.inputs - in_rows)}, 1);
    for (int k = 2; k < NET_HIDDEN_MAX && spec.hidden[k] != 0; k++)
        x = layers.linear(k == 2 ? "sum1" : "sum2", spec.hidden[k], x).relu_();
    return layers.linear("outputs", spec.outputs, x, OUTPUT_SCALE);
}

at::Tensor pass_conv7(const net_spec &spec, Layers &layers, at::Tensor x)
{
    for (int k = 1; k <= CONV7_LAYERS; k++)
        x = layers.convolution("conv" + std::to_string(k), spec.hidden[0], 3, x).relu_();
    x = layers.convolution("head", HEAD_PLANES, 1, x).relu_();
    return layers.linear("outputs", spec.outputs, x.flatten(1), OUTPUT_SCALE);
}

at::Tensor pass_resnet(const net_spec &spec, Layers &layers, const at::Tensor &planes)
{
    const int channels = spec.hidden[0], maps = spec.outputs / PLANE, rest = spec.outputs % PLANE;
    std::vector<at::Tensor> outputs;
    at::Tensor x = layers.convolution("conv", channels, 3, planes).relu_();

    for (int k = 1; k <= RESNET_BLOCKS; k++) {
        const std::string block = "block" + std::to_string(k);
        at::Tensor inside = layers.convolution(block + ".conv1", channels, 3, x).relu_();
        x = (x + layers.convolution(block + ".conv2", channels, 3, inside, 0.0)).relu_();
    }
    if (maps > 0)
        outputs.push_back(layers.convolution("maps", maps, 1, x, OUTPUT_SCALE).flatten(1));
    if (rest > 0) {
        at::Tensor plane = layers.convolution("rest.head", 1, 1, x).relu_().flatten(1);
        at::Tensor hidden = layers.linear("rest.hidden", REST_UNITS, plane).relu_();
        outputs.push_back(layers.linear("rest.outputs", rest, hidden, OUTPUT_SCALE));
    }
    return at::cat(outputs, 1);
}

at::Tensor pass(Architecture architecture, const net_spec &spec, Layers &layers,
                const at::Tensor &inputs)
{
    switch (architecture) {
    case Architecture::SET:
        return pass_set(spec, layers, inputs);
    case Architecture::CONV7:
        return pass_conv7(spec, layers, inputs);
    case Architecture::RESNET:
        break;
    }
    return pass_resnet(spec, layers, inputs);
}

} // namespace

bool read_architecture(const net_spec &spec, Architecture &ret_architecture, char *ret_error)
{
    const bool is_set = std::strcmp(spec.architecture, "set") == 0;

    if (!in_range(ret_error, "outputs", spec.outputs, 1, WIDTH_MAX) ||
        !(is_set ? check_set(spec, ret_error) : check_planes(spec, ret_error)))
        return false;
    ret_architecture = is_set                                         ? Architecture::SET
                       : std::strcmp(spec.architecture, "conv7") == 0 ? Architecture::CONV7
                                                                      : Architecture::RESNET;
    return true;
}

LayerPlan plan_layers(Architecture architecture, const net_spec &spec)
{
    const at::Tensor one = at::zeros({1, spec.inputs});
    LayerPlan plan;
    Layers layers(&plan);

    pass(architecture, spec, layers,
         architecture == Architecture::SET ? one
                                           : one.view({1, spec.planes, PLANES_SIDE, PLANES_SIDE}));
    return plan;
}

at::Tensor pass_layers(Architecture architecture, const net_spec &spec,
                       const std::vector<at::Tensor> &weights, const at::Tensor &inputs)
{
    Layers layers(weights);
    return pass(architecture, spec, layers, inputs);
}

} // namespace rinkd
