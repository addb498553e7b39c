/* Networks by libtorch: the module librinkd_torch.so, which exports only net_torch_kind.
 * net_torch.h describes the architectures. No exception leaves this file. */
#include "models/networks/net_torch_layers.hpp"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include <dlfcn.h>

namespace
{

/* Rows of a piece of a batch. With this size the data of a piece of planes stays in the
 * second-level cache; a GPU prefers whole batches, limited by its memory. */
constexpr int PIECE_PLANES = 16, PIECE_ROWS = 256, PIECE_GPU = 1024;

/* Counts in files are stored as whole units and the rest, because a float32 cannot count beyond
 * 2^24. */
constexpr double STEPS_UNIT = 1 << 20;

struct Net {
    net door; /* must be first: net.c sees only this */
    rinkd::Architecture architecture;
    net_spec spec;
    at::Device device{at::kCPU};
    int piece;

    /* All weights lie in one row of numbers, so the optimisers do not deal with tensors; `weights`
     * are views of it. Convolutions have the channels last, like the data, which is fastest in
     * libtorch. The other rows are made when first needed. */
    at::Tensor numbers, gradient, first, second;
    std::vector<at::Tensor> weights;
    std::vector<net_tensor> tensors;
    double steps = 0.0;

    std::vector<at::Tensor> kept; /* outputs of forward() with their history, by piece */
    int kept_rows = 0;
};

const Net &of(const net *net)
{
    return *reinterpret_cast<const Net *>(net);
}

Net &of(net *net)
{
    return *reinterpret_cast<Net *>(net);
}

template <typename Work> net_status guarded(const Work &work)
{
    try {
        work();
        return NET_OK;
    } catch (const std::bad_alloc &) {
        return NET_NO_MEMORY;
    } catch (...) {
        return NET_FAILED;
    }
}

/* libtorch and its BLAS use only the calling thread: with more, the order of sums would depend on
 * the number of threads. */
void stay_alone()
{
    static thread_local const bool done = [] {
        at::set_num_threads(1);
        return true;
    }();
    (void)done;
}

/* --- making --- */

bool read_device(const char *name, at::Device &ret_device, char *ret_error)
{
    const char *why = nullptr;

    if (std::strcmp(name, "auto") == 0)
        ret_device = at::hasCUDA() ? at::kCUDA : at::kCPU;
    else if (std::strcmp(name, "cpu") == 0)
        ret_device = at::kCPU;
    else if (std::strcmp(name, "cuda") != 0)
        why = "must be cpu, cuda or auto";
    else if (at::hasCUDA())
        ret_device = at::kCUDA;
    else
        why = "there is no cuda here";
    if (why)
        std::snprintf(ret_error, NET_ERROR_MAX, "device: %s", why);
    return !why;
}

bool read_spec(const net_spec &spec, const char *device, Net &net, char *ret_error)
{
    if (!rinkd::read_architecture(spec, net.architecture, ret_error) ||
        !read_device(device, net.device, ret_error))
        return false;
    net.spec = spec;
    net.spec.architecture = nullptr; /* the caller's */
    net.piece = net.device != at::kCPU                         ? PIECE_GPU
                : net.architecture == rinkd::Architecture::SET ? PIECE_ROWS
                                                               : PIECE_PLANES;
    return true;
}

/* The view of a tensor on a row of numbers, with the shape of the tensor. */
at::Tensor window(const at::Tensor &numbers, int64_t at, const net_tensor &tensor)
{
    const int64_t *side = tensor.side;
    if (tensor.rank < 4)
        return numbers.narrow(0, at, tensor.rank == 2 ? side[0] * side[1] : side[0])
            .view(at::IntArrayRef(side, static_cast<size_t>(tensor.rank)));
    return numbers.narrow(0, at, side[0] * side[1] * side[2] * side[3])
        .view({side[0], side[2], side[3], side[1]})
        .permute({0, 3, 1, 2});
}

std::vector<at::Tensor> windows(const Net &net, const at::Tensor &numbers)
{
    std::vector<at::Tensor> result;
    int64_t at = 0;

    for (const net_tensor &tensor : net.tensors) {
        result.push_back(window(numbers, at, tensor));
        at += result.back().numel();
    }
    return result;
}

/* Fresh weights, the same on every machine. */
at::Tensor fresh(const net_tensor &tensor, double bound, std::mt19937_64 &random)
{
    at::Tensor values =
        at::empty(at::IntArrayRef(tensor.side, static_cast<size_t>(tensor.rank)), at::kFloat);
    float *value = values.data_ptr<float>();

    for (int64_t k = 0; k < values.numel(); k++)
        value[k] =
            static_cast<float>(bound * (static_cast<double>(random() >> 11) * 0x1p-52 - 1.0));
    return values;
}

void make_weights(Net &net)
{
    const rinkd::LayerPlan plan = rinkd::plan_layers(net.architecture, net.spec);
    net.tensors = plan.tensors;
    int64_t count = 0;
    for (const net_tensor &tensor : net.tensors) {
        int64_t size = 1;
        for (int k = 0; k < tensor.rank; k++)
            size *= tensor.side[k];
        count += size;
    }
    net.numbers = at::zeros({count}, at::TensorOptions(at::kFloat).device(net.device));
    std::mt19937_64 random(net.spec.seed);
    size_t k = 0;
    for (at::Tensor &weight : windows(net, net.numbers)) {
        if (plan.bounds[k] > 0.0)
            weight.copy_(fresh(net.tensors[k], plan.bounds[k], random));
        net.weights.push_back(weight.detach().requires_grad_());
        k++;
    }
}

void set_up_library()
{
    static const bool done = [] {
        /* OpenBLAS, the fast BLAS of Debian, starts its own threads. */
        if (void *symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))
            reinterpret_cast<void (*)(int)>(symbol)(1);
        at::globalContext().setDeterministicCuDNN(true);
        at::globalContext().setBenchmarkCuDNN(false);
        return true;
    }();
    (void)done;
    stay_alone();
}

net_status torch_make(const net_spec *spec, const char *device, net **ret_net, char *ret_error)
{
    Net *made = nullptr;
    bool good = false;
    net_status status = guarded([&] {
        set_up_library();
        made = new Net();
        made->door.kind = &net_torch_kind;
        good = read_spec(*spec, device, *made, ret_error);
        if (good)
            make_weights(*made);
    });
    if (status == NET_OK && good) {
        *ret_net = &made->door;
        return NET_OK;
    }
    delete made;
    if (status == NET_OK)
        return NET_BAD_SPEC;
    std::snprintf(ret_error, NET_ERROR_MAX, "libtorch could not make the network");
    return status;
}

void torch_free(net *net)
{
    delete &of(net);
}

/* --- evaluating and learning --- */

/* Copies rows to the network's device, in the layout that is fastest there. */
at::Tensor load(const Net &net, int rows, const float *inputs)
{
    float *from = const_cast<float *>(inputs); /* from_blob() takes no const; it only reads */
    if (net.architecture == rinkd::Architecture::SET)
        return at::from_blob(from, {rows, net.spec.inputs}, at::kFloat)
            .to(net.device, at::kFloat, false, true);
    return at::from_blob(from, {rows, net.spec.planes, rinkd::PLANES_SIDE, rinkd::PLANES_SIDE},
                         at::kFloat)
        .to(net.device, at::kFloat, false, true, at::MemoryFormat::ChannelsLast);
}

void store(const at::Tensor &from, float *ret_values)
{
    at::Tensor row_major = from.detach().to(at::kCPU).contiguous();
    std::memcpy(ret_values, row_major.data_ptr<float>(),
                static_cast<size_t>(row_major.numel()) * sizeof *ret_values);
}

at::Tensor pass(const Net &net, int rows, const float *inputs)
{
    return rinkd::pass_layers(net.architecture, net.spec, net.weights, load(net, rows, inputs));
}

/* Calls work(piece, first row, rows) for all pieces of a batch. */
template <typename Work> net_status in_pieces(const Net &net, int batch, const Work &work)
{
    return guarded([&] {
        stay_alone();
        for (int piece = 0, first = 0; first < batch; piece++, first += net.piece)
            work(piece, first, std::min(net.piece, batch - first));
    });
}

net_status torch_evaluate(net *net, int batch, const float *inputs, float *ret_outputs)
{
    const Net &asked = of(net);
    return in_pieces(asked, batch, [&](int, int first, int rows) {
        c10::InferenceMode quick;
        const int64_t at = first;
        store(pass(asked, rows, inputs + at * asked.spec.inputs),
              ret_outputs + at * asked.spec.outputs);
    });
}

net_status torch_forward(net *net, int batch, const float *inputs, float *ret_outputs)
{
    Net &learner = of(net);
    const int pieces = (batch + learner.piece - 1) / learner.piece;

    learner.kept_rows = 0;
    net_status status = guarded([&] {
        learner.kept.clear();
        learner.kept.resize(static_cast<size_t>(pieces));
    });
    if (status != NET_OK)
        return status;
    status = in_pieces(learner, batch, [&](int piece, int first, int rows) {
        at::AutoGradMode learning(true);
        const int64_t at = first;
        at::Tensor outputs = pass(learner, rows, inputs + at * learner.spec.inputs);
        store(outputs, ret_outputs + at * learner.spec.outputs);
        learner.kept[static_cast<size_t>(piece)] = outputs;
    });
    if (status == NET_OK)
        learner.kept_rows = batch;
    else
        learner.kept.clear();
    return status;
}

at::Tensor &there(const Net &net, at::Tensor &numbers)
{
    if (!numbers.defined())
        numbers = at::zeros_like(net.numbers);
    return numbers;
}

net_status torch_backward(net *net, int batch, const float *d_outputs)
{
    Net &learner = of(net);
    if (batch != learner.kept_rows)
        return NET_FAILED; /* forward() of that batch is missing */
    net_status status = guarded([&] { there(learner, learner.gradient); });
    if (status == NET_OK)
        status = in_pieces(learner, batch, [&](int piece, int first, int rows) {
            at::Tensor &outputs = learner.kept[static_cast<size_t>(piece)];
            float *from =
                const_cast<float *>(d_outputs + static_cast<int64_t>(first) * learner.spec.outputs);
            at::Tensor d =
                at::from_blob(from, {rows, learner.spec.outputs}, at::kFloat).to(learner.device);
            std::vector<at::Tensor> parts = torch::autograd::grad({outputs}, learner.weights, {d});
            outputs.reset();
            at::NoGradGuard plain;
            std::vector<at::Tensor> sums = windows(learner, learner.gradient);
            for (size_t k = 0; k < sums.size(); k++)
                sums[k].add_(parts[k]);
        });
    learner.kept.clear();
    learner.kept_rows = 0;
    return status;
}

/* One step of the optimiser. */
void step(Net &net, const net_optimiser &optimiser)
{
    const double rate = optimiser.rate, decay = rate * optimiser.decay;
    const at::Tensor &gradient = net.gradient;

    if (decay != 0.0)
        net.numbers.mul_(1.0 - decay);
    if (optimiser.rule == NET_SGD) {
        net.numbers.add_(gradient, -rate);
    } else if (optimiser.rule == NET_MOMENTUM) {
        there(net, net.first).mul_(optimiser.momentum).add_(gradient);
        net.numbers.add_(net.first, -rate);
    } else {
        net.steps += 1.0;
        const double c1 = 1.0 - std::pow(NET_ADAM_BETA1, net.steps);
        const double c2 = std::sqrt(1.0 - std::pow(NET_ADAM_BETA2, net.steps));
        there(net, net.first).mul_(NET_ADAM_BETA1).add_(gradient, 1.0 - NET_ADAM_BETA1);
        there(net, net.second)
            .mul_(NET_ADAM_BETA2)
            .addcmul_(gradient, gradient, 1.0 - NET_ADAM_BETA2);
        net.numbers.addcdiv_(net.first, net.second.sqrt().add_(NET_ADAM_EPSILON * c2),
                             -rate * c2 / c1);
    }
}

net_status torch_update(net *net, const net_optimiser *optimiser, double *ret_gradient_norm)
{
    Net &learner = of(net);
    bool finite = false;
    net_status status = guarded([&] {
        at::NoGradGuard plain;
        stay_alone();
        learner.kept.clear(); /* its weights have changed */
        learner.kept_rows = 0;
        there(learner, learner.gradient);
        const double norm = at::norm(learner.gradient, 2, at::kDouble).item<double>();
        finite = std::isfinite(norm);
        if (finite && ret_gradient_norm)
            *ret_gradient_norm = norm;
        if (optimiser->clip > 0.0 && norm > optimiser->clip)
            learner.gradient.mul_(optimiser->clip / norm);
        if (finite)
            step(learner, *optimiser);
        learner.gradient.zero_();
    });
    return status == NET_OK && !finite ? NET_NOT_FINITE : status;
}

/* --- tensors: weights, the optimiser's two rows in the same layout, its step count --- */

void torch_tensors(const net *net, net_tensors *ret_tensors)
{
    const char *const before[] = {"", NET_OPTIMISER "first.", NET_OPTIMISER_SQUARES};
    const std::vector<net_tensor> &tensors = of(net).tensors;

    ret_tensors->count = 0;
    ret_tensors->weights = static_cast<int>(tensors.size());
    for (const char *prefix : before)
        for (const net_tensor &tensor : tensors) {
            net_tensor &entry = ret_tensors->tensor[ret_tensors->count++];
            entry = tensor;
            std::snprintf(entry.name, sizeof entry.name, "%s%.40s", prefix, tensor.name);
        }
    net_tensor &steps = ret_tensors->tensor[ret_tensors->count++];
    steps = {};
    std::snprintf(steps.name, sizeof steps.name, "%s", NET_OPTIMISER_COUNT);
    steps.rank = 1;
    steps.side[0] = 2;
}

/* Offset of tensor k of torch_tensors() in its row of numbers. */
int64_t place(const Net &net, int k)
{
    int64_t at = 0;
    for (size_t i = 0; i < static_cast<size_t>(k) % net.tensors.size(); i++)
        at += net.weights[i].numel();
    return at;
}

net_status torch_get(const net *net, int k, float *ret_values)
{
    const Net &from = of(net);
    const int count = static_cast<int>(from.tensors.size());

    return guarded([&] {
        at::NoGradGuard plain;
        stay_alone();
        if (k == 3 * count) {
            ret_values[0] = static_cast<float>(std::floor(from.steps / STEPS_UNIT));
            ret_values[1] = static_cast<float>(std::fmod(from.steps, STEPS_UNIT));
            return;
        }
        const at::Tensor *const rows[] = {&from.numbers, &from.first, &from.second};
        const at::Tensor &row = *rows[k / count];
        const size_t i = static_cast<size_t>(k % count);
        if (row.defined())
            store(window(row, place(from, k), from.tensors[i]), ret_values);
        else
            std::fill_n(ret_values, from.weights[i].numel(), 0.0f);
    });
}

net_status torch_set(net *net, int k, const float *values)
{
    Net &to = of(net);
    const int count = static_cast<int>(to.tensors.size());

    return guarded([&] {
        at::NoGradGuard plain;
        stay_alone();
        if (k == 3 * count) {
            to.steps = static_cast<double>(values[0]) * STEPS_UNIT + static_cast<double>(values[1]);
            return;
        }
        at::Tensor *const rows[] = {&to.numbers, &to.first, &to.second};
        const net_tensor &tensor = to.tensors[static_cast<size_t>(k % count)];
        window(there(to, *rows[k / count]), place(to, k), tensor)
            .copy_(at::from_blob(const_cast<float *>(values),
                                 at::IntArrayRef(tensor.side, static_cast<size_t>(tensor.rank)),
                                 at::kFloat));
    });
}

void torch_forget(net *net, bool resume)
{
    Net &one = of(net);
    one.kept.clear();
    one.kept_rows = 0;
    one.gradient.reset();
    if (resume)
        return;
    one.first.reset();
    one.second.reset();
    one.steps = 0.0;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const net_kind net_torch_kind = {
    torch_make,   torch_free,    torch_evaluate, nullptr,   torch_forward, torch_backward,
    torch_update, torch_tensors, torch_get,      torch_set, nullptr,       torch_forget,
};
