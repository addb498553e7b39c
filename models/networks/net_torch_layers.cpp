/* Layers: the checks of a spec, the plan of the weights, and one pass through the layers. */
#include "models/networks/net_torch_layers.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>

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
            return refuse(ret_error, "hidden", "a width behind a 0");
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
            return refuse(ret_error, "hidden", "one number here, the channels");
    return spec.inputs == spec.planes * PLANE ||
           refuse(ret_error, "inputs", "must be planes * 32 * 32");
}

/* --- weights --- */

/* Lists tensors in the order in which Pass takes them. */
class Plan
{
  public:
    void linear(const char *name, int64_t inputs, int64_t outputs, double scale = 1.0)
    {
        add(name, {outputs, inputs}, scale * std::sqrt(6.0 / static_cast<double>(inputs)));
    }

    void convolution(const char *name, int64_t inputs, int64_t outputs, int64_t side,
                     double scale = 1.0)
    {
        add(name, {outputs, inputs, side, side},
            scale * std::sqrt(6.0 / static_cast<double>(inputs * side * side)));
    }

    LayerPlan layers;

  private:
    void add(const char *name, std::initializer_list<int64_t> shape, double bound)
    {
        net_tensor tensor = {};
        std::snprintf(tensor.name, sizeof tensor.name, "%s.weight", name);
        tensor.rank = static_cast<int>(shape.size());
        std::copy(shape.begin(), shape.end(), tensor.side);
        layers.tensors.push_back(tensor);
        std::snprintf(tensor.name, sizeof tensor.name, "%s.bias", name);
        tensor.rank = 1;
        layers.tensors.push_back(tensor);
        layers.bounds.insert(layers.bounds.end(), {bound, 0.0});
    }
};

/* Outputs begin small. */
constexpr double OUTPUT_SCALE = 0.5;

void plan_set(const net_spec &spec, Plan &plan)
{
    const char *const names[] = {"row1", "row2", "sum1", "sum2"};
    int64_t width = spec.row_features;

    for (int k = 0; k < NET_HIDDEN_MAX && spec.hidden[k] != 0; k++) {
        if (k == 2)
            width += spec.inputs - spec.rows * spec.row_features;
        plan.linear(names[k], width, spec.hidden[k]);
        width = spec.hidden[k];
    }
    if (spec.hidden[1] == 0 || spec.hidden[2] == 0)
        width += spec.inputs - spec.rows * spec.row_features;
    plan.linear("outputs", width, spec.outputs, OUTPUT_SCALE);
}

void plan_conv7(const net_spec &spec, Plan &plan)
{
    int channels = spec.hidden[0];
    char name[32];

    for (int k = 0; k < CONV7_LAYERS; k++) {
        std::snprintf(name, sizeof name, "conv%d", k + 1);
        plan.convolution(name, k ? channels : spec.planes, channels, 3);
    }
    plan.convolution("head", channels, HEAD_PLANES, 1);
    plan.linear("outputs", HEAD_PLANES * PLANE, spec.outputs, OUTPUT_SCALE);
}

void plan_resnet(const net_spec &spec, Plan &plan)
{
    int channels = spec.hidden[0], maps = spec.outputs / PLANE, rest = spec.outputs % PLANE;
    char name[32];

    plan.convolution("conv", spec.planes, channels, 3);
    for (int k = 0; k < RESNET_BLOCKS; k++) {
        std::snprintf(name, sizeof name, "block%d.conv1", k + 1);
        plan.convolution(name, channels, channels, 3);
        std::snprintf(name, sizeof name, "block%d.conv2", k + 1);
        plan.convolution(name, channels, channels, 3, 0.0);
    }
    if (maps > 0)
        plan.convolution("maps", channels, maps, 1, OUTPUT_SCALE);
    if (rest > 0) {
        plan.convolution("rest.head", channels, 1, 1);
        plan.linear("rest.hidden", PLANE, REST_UNITS);
        plan.linear("rest.outputs", REST_UNITS, rest, OUTPUT_SCALE);
    }
}

/* --- a pass --- */

/* Takes the tensors in the order of the plan. */
class Pass
{
  public:
    explicit Pass(const std::vector<at::Tensor> &weights) : next_(weights.data())
    {
    }

    at::Tensor linear(const at::Tensor &x)
    {
        const at::Tensor &weight = *next_++, &bias = *next_++;
        return at::linear(x, weight, bias);
    }

    at::Tensor convolution(const at::Tensor &x)
    {
        const at::Tensor &weight = *next_++, &bias = *next_++;
        return at::conv2d(x, weight, bias, 1, weight.size(2) / 2);
    }

  private:
    const at::Tensor *next_;
};

at::Tensor pass_set(const net_spec &spec, Pass &pass, const at::Tensor &inputs)
{
    const int64_t batch = inputs.size(0), in_rows = spec.rows * spec.row_features;
    at::Tensor rows = inputs.narrow(1, 0, in_rows).reshape({batch * spec.rows, spec.row_features});
    at::Tensor is_there = rows.ne(0.0).any(1, true).to(at::kFloat);

    at::Tensor x = pass.linear(rows).relu_();
    if (spec.hidden[1] != 0)
        x = pass.linear(x).relu_();
    x = (x * is_there).view({batch, spec.rows, -1}).sum(1);
    if (spec.inputs > in_rows)
        x = at::cat({x, inputs.narrow(1, in_rows, spec.inputs - in_rows)}, 1);
    for (int k = 2; k < NET_HIDDEN_MAX && spec.hidden[k - 1] != 0 && spec.hidden[k] != 0; k++)
        x = pass.linear(x).relu_();
    return pass.linear(x);
}

at::Tensor pass_conv7(Pass &pass, at::Tensor x)
{
    for (int k = 0; k <= CONV7_LAYERS; k++) /* the last one is the head's */
        x = pass.convolution(x).relu_();
    return pass.linear(x.flatten(1));
}

at::Tensor pass_resnet(const net_spec &spec, Pass &pass, const at::Tensor &planes)
{
    std::vector<at::Tensor> outputs;
    at::Tensor x = pass.convolution(planes).relu_();

    for (int k = 0; k < RESNET_BLOCKS; k++) {
        at::Tensor inside = pass.convolution(x).relu_();
        x = (x + pass.convolution(inside)).relu_();
    }
    if (spec.outputs >= PLANE)
        outputs.push_back(pass.convolution(x).flatten(1));
    if (spec.outputs % PLANE != 0) {
        at::Tensor rest = pass.convolution(x).relu_().flatten(1);
        rest = pass.linear(rest).relu_();
        outputs.push_back(pass.linear(rest));
    }
    return at::cat(outputs, 1);
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
    Plan plan;
    switch (architecture) {
    case Architecture::SET:
        plan_set(spec, plan);
        break;
    case Architecture::CONV7:
        plan_conv7(spec, plan);
        break;
    case Architecture::RESNET:
        plan_resnet(spec, plan);
        break;
    }
    return plan.layers;
}

at::Tensor pass_layers(Architecture architecture, const net_spec &spec,
                       const std::vector<at::Tensor> &weights, const at::Tensor &inputs)
{
    Pass pass(weights);
    switch (architecture) {
    case Architecture::SET:
        return pass_set(spec, pass, inputs);
    case Architecture::CONV7:
        return pass_conv7(pass, inputs);
    case Architecture::RESNET:
        break;
    }
    return pass_resnet(spec, pass, inputs);
}

} // namespace rinkd
