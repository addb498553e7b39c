/* Small fully connected networks in plain C: so small that most of a framework's time would be call
 * overhead.
 *
 * Weights lie as [input][output] with the outputs padded to whole registers of eight, so that a
 * layer is a sum of rows, one for each nonzero input (many are zero: one-hot inputs, inactive
 * units). Every sum runs in the order of the inputs, in the gradient in the order of the batch, so
 * the split of a batch and the machine's registers do not change the numbers. A call uses one
 * thread. */
#include "models/networks/net_mlp.h"
#include "models/networks/nonzero.h"
#include "models/networks/wide.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Random123/philox.h>

enum { LAYERS_MAX = NET_HIDDEN_MAX + 1, LANES = 8 };

typedef float lanes8 __attribute__((vector_size(32)));
typedef int32_t ints8 __attribute__((vector_size(32)));
typedef float stored8 __attribute__((vector_size(32), aligned(4), may_alias));

struct layer {
    int inputs, outputs;
    int lanes; /* outputs, padded: the length of a row */
    /* Offsets of the inputs x lanes weights and of the bias after them. The padding stays 0,
     * because its gradient is 0. */
    size_t weight, bias;
};

struct mlp {
    struct net net;
    const char *name; /* prefix of the layers' tensor names */
    int layers;
    struct layer layer[LAYERS_MAX];
    size_t numbers;                             /* of all layers */
    float *weights, *gradient, *first, *second; /* [numbers] each; the last two are the optimiser's:
                                                 * momentum, or Adam's two moments */
    double steps;                               /* of Adam */

    /* Kept by forward() for each row: the nonzero inputs of each layer and their places. */
    int batch, room;             /* rows kept, and capacity; evaluate() uses row 0 */
    size_t row_numbers;          /* of a row */
    size_t input_at[LAYERS_MAX]; /* start of each layer's numbers among them */
    float *values;               /* [room][row_numbers] */
    int32_t *places;             /* [room][row_numbers] */
    int32_t *counts;             /* [room][LAYERS_MAX] */
    /* Length of the widest layer: outputs of a layer or their derivatives, and the derivatives of
     * its inputs on the way back. */
    float *sums, *back[2];
    struct nonzero_table nonzero;
};

static int padded(int width)
{
    return (width + LANES - 1) / LANES * LANES;
}

/* --- the computation of one row, for ordinary and for wide registers --- */

/* `width` lanes of bias + sum of input times row. `width` and `chains` are compile-time constants:
 * `chains` independent sums run side by side to hide the latency of additions. */
WIDE_INLINE void add_columns(int width, int chains, int lanes, const float *bias,
                             const float *weight, const float *values, const int32_t *places,
                             int count, float *ret_sum)
{
    lanes8 sum[8] = {{0.0f}};
    const int eights = width / LANES;
    for (int k = 0; k < eights; k++)
        sum[k] = *(const stored8 *)(bias + LANES * k);
    int r = 0;
    for (; r + chains <= count; r += chains)
        for (int c = 0; c < chains; c++) {
            const float *row = weight + (size_t)places[r + c] * (size_t)lanes;
            float x = values[r + c];
            for (int k = 0; k < eights; k++)
                sum[c * eights + k] += x * *(const stored8 *)(row + LANES * k);
        }
    for (; r < count; r++) {
        const float *row = weight + (size_t)places[r] * (size_t)lanes;
        float x = values[r];
        for (int k = 0; k < eights; k++)
            sum[k] += x * *(const stored8 *)(row + LANES * k);
    }
    for (int c = 1; c < chains; c++)
        for (int k = 0; k < eights; k++)
            sum[k] += sum[c * eights + k];
    for (int k = 0; k < eights; k++)
        *(stored8 *)(ret_sum + LANES * k) = sum[k];
}

/* `bias`: that of the layer, or with the sum of earlier inputs; `w`: the weights of place 0. */
WIDE_INLINE void layer_sum(int lanes, const float *w, const float *bias, const float *values,
                           const int32_t *places, int count, float *ret_sum)
{
    int at = 0;
    for (; at + 64 <= lanes; at += 64)
        add_columns(64, 1, lanes, bias + at, w + at, values, places, count, ret_sum + at);
    for (; at + 32 <= lanes; at += 32)
        add_columns(32, 2, lanes, bias + at, w + at, values, places, count, ret_sum + at);
    for (; at + 16 <= lanes; at += 16)
        add_columns(16, 4, lanes, bias + at, w + at, values, places, count, ret_sum + at);
    for (; at < lanes; at += 8)
        add_columns(8, 4, lanes, bias + at, w + at, values, places, count, ret_sum + at);
}

WIDE_INLINE void layer_forward(const struct layer *layer, const float *weights, const float *values,
                               const int32_t *places, int count, float *ret_sum)
{
    layer_sum(layer->lanes, weights + layer->weight, weights + layer->bias, values, places, count,
              ret_sum);
}

/* Negative numbers become 0; NaN stays NaN. */
WIDE_INLINE void rectify(float *sums, int lanes)
{
    for (int k = 0; k < lanes; k += LANES) {
        lanes8 x = *(const stored8 *)(sums + k);
        *(stored8 *)(sums + k) = (lanes8)((ints8)x & ~(ints8)(x < 0.0f));
    }
}

/* Passes one row through all layers and leaves the outputs in mlp->sums. `slot`: where the row is
 * kept. */
WIDE_INLINE void row_forward(struct mlp *mlp, bool wide, size_t slot, const float *input)
{
    float *values = mlp->values + slot * mlp->row_numbers;
    int32_t *places = mlp->places + slot * mlp->row_numbers;
    int32_t *counts = mlp->counts + slot * LAYERS_MAX;
    for (int k = 0; k < mlp->layers; k++) {
        const struct layer *layer = &mlp->layer[k];
        size_t at = mlp->input_at[k];
        counts[k] =
            wide ? nonzero_find_wide(&mlp->nonzero, input, layer->inputs, values + at, places + at)
                 : nonzero_find(input, 0, layer->inputs, 0, values + at, places + at);
        layer_forward(layer, mlp->weights, values + at, places + at, counts[k], mlp->sums);
        if (k + 1 < mlp->layers)
            rectify(mlp->sums, layer->lanes);
        input = mlp->sums;
    }
}

/* Finds the nonzero numbers of a row for slot 0. Returns how many. */
WIDE_INLINE int find_row(struct mlp *mlp, bool wide, const float *input, int width)
{
    return wide ? nonzero_find_wide(&mlp->nonzero, input, width, mlp->values, mlp->places)
                : nonzero_find(input, 0, width, 0, mlp->values, mlp->places);
}

/* Passes rows through all layers that begin with the same `shared` inputs, whose part of the first
 * layer is computed once. */
WIDE_INLINE void sharing_forward(struct mlp *mlp, bool wide, int shared, const float *first,
                                 size_t rows, const float *rest, float *ret_outputs)
{
    const struct layer *layer = &mlp->layer[0];
    const size_t out = (size_t)mlp->layer[mlp->layers - 1].outputs;
    const float *w = mlp->weights + layer->weight;
    int own = layer->inputs - shared;
    float *start = mlp->back[0]; /* not in use here */

    int count = find_row(mlp, wide, first, shared);
    layer_sum(layer->lanes, w, mlp->weights + layer->bias, mlp->values, mlp->places, count, start);
    for (size_t r = 0; r < rows; r++) {
        count = find_row(mlp, wide, rest + r * (size_t)own, own);
        layer_sum(layer->lanes, w + (size_t)shared * (size_t)layer->lanes, start, mlp->values,
                  mlp->places, count, mlp->sums);
        for (int k = 1; k < mlp->layers; k++) {
            rectify(mlp->sums, mlp->layer[k - 1].lanes);
            count = find_row(mlp, wide, mlp->sums, mlp->layer[k].inputs);
            layer_forward(&mlp->layer[k], mlp->weights, mlp->values, mlp->places, count, mlp->sums);
        }
        memcpy(ret_outputs + r * out, mlp->sums, out * sizeof *ret_outputs);
    }
}

WIDE_ONLY void sharing_forward_wide(struct mlp *mlp, int shared, const float *first, size_t rows,
                                    const float *rest, float *ret_outputs)
{
    sharing_forward(mlp, true, shared, first, rows, rest, ret_outputs);
}

/* Lists the groups of eight in d that are not all 0: with action values, only one action has a
 * loss. */
WIDE_INLINE int find_eights(const float *d, int lanes, int32_t *ret_eight)
{
    int count = 0;
    for (int j = 0; j < lanes; j += LANES) {
        uint64_t bits[4];
        memcpy(bits, d + j, sizeof bits);
        ret_eight[count] = j;
        count += (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
    }
    return count;
}

/* Carries the derivatives d of a layer back: adds x times d to the gradient of its weights and,
 * unless `back` is NULL, writes the weights times d for each nonzero input x. */
struct way_back {
    const float *d, *weight, *values;
    const int32_t *places;
    int count; /* of nonzero inputs */
    float *gradient, *back;
};

WIDE_INLINE float sum_of_lanes(const lanes8 *dot)
{
    const lanes8 x = *dot;
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

/* Uses all lanes, a compile-time constant: d stays in registers. */
WIDE_INLINE void go_back(int lanes, const struct way_back *way)
{
    lanes8 d[8];
    const int eights = lanes / LANES;
    for (int e = 0; e < eights; e++)
        d[e] = *(const stored8 *)(way->d + LANES * e);
    for (int r = 0; r < way->count; r++) {
        size_t at = (size_t)way->places[r] * (size_t)lanes;
        float x = way->values[r];
        lanes8 dot = {0.0f};
        for (int e = 0; e < eights; e++)
            *(stored8 *)(way->gradient + at + LANES * e) += x * d[e];
        if (!way->back)
            continue;
        for (int e = 0; e < eights; e++)
            dot += *(const stored8 *)(way->weight + at + LANES * e) * d[e];
        way->back[way->places[r]] = sum_of_lanes(&dot);
    }
}

/* Uses only the groups that find_eights() found. */
WIDE_INLINE void go_back_along(const int32_t *eight, int eights, int lanes,
                               const struct way_back *way)
{
    for (int r = 0; r < way->count; r++) {
        size_t at = (size_t)way->places[r] * (size_t)lanes;
        float x = way->values[r];
        lanes8 dot = {0.0f};
        for (int e = 0; e < eights; e++)
            *(stored8 *)(way->gradient + at + eight[e]) +=
                x * *(const stored8 *)(way->d + eight[e]);
        if (!way->back)
            continue;
        for (int e = 0; e < eights; e++)
            dot += *(const stored8 *)(way->weight + at + eight[e]) *
                   *(const stored8 *)(way->d + eight[e]);
        way->back[way->places[r]] = sum_of_lanes(&dot);
    }
}

/* Goes back through the row in `slot`; mlp->sums holds the derivatives of the outputs. */
WIDE_INLINE void row_backward(struct mlp *mlp, size_t slot)
{
    const float *d = mlp->sums;
    int32_t eight[NET_MLP_WIDTH_MAX / LANES];
    for (int k = mlp->layers - 1; k >= 0; k--) {
        const struct layer *layer = &mlp->layer[k];
        const size_t kept = slot * mlp->row_numbers + mlp->input_at[k];
        const struct way_back way = {
            .d = d,
            .weight = mlp->weights + layer->weight,
            .values = mlp->values + kept,
            .places = mlp->places + kept,
            .count = mlp->counts[slot * LAYERS_MAX + (size_t)k],
            .gradient = mlp->gradient + layer->weight,
            .back = k ? mlp->back[k % 2] : NULL,
        };
        float *bias = mlp->gradient + layer->bias;

        int eights = find_eights(d, layer->lanes, eight);
        if (eights == 0) /* common: of many rows with shared weights, few may have a loss */
            return;
        for (int e = 0; e < eights; e++)
            *(stored8 *)(bias + eight[e]) += *(const stored8 *)(d + eight[e]);
        if (way.back)
            memset(way.back, 0, (size_t)padded(layer->inputs) * sizeof *way.back);
        if (eights == 8 && layer->lanes == 64)
            go_back(64, &way);
        else if (eights == 4 && layer->lanes == 32)
            go_back(32, &way);
        else
            go_back_along(eight, eights, layer->lanes, &way);
        d = way.back;
    }
}

WIDE_ONLY void row_forward_wide(struct mlp *mlp, size_t slot, const float *input)
{
    row_forward(mlp, true, slot, input);
}

WIDE_ONLY void row_backward_wide(struct mlp *mlp, size_t slot)
{
    row_backward(mlp, slot);
}

/* --- making and freeing --- */

static void mlp_free(struct net *net)
{
    struct mlp *mlp = (struct mlp *)net;
    free(mlp->weights);
    free(mlp->values);
    free(mlp->places);
    free(mlp->counts);
    free(mlp->sums);
    free(mlp);
}

/* Makes room for `rows` rows and drops the kept ones. */
static bool make_room(struct mlp *mlp, int rows)
{
    if (rows <= mlp->room)
        return true;
    size_t numbers = (size_t)rows * mlp->row_numbers;
    free(mlp->values);
    free(mlp->places);
    free(mlp->counts);
    mlp->values = malloc(numbers * sizeof *mlp->values);
    mlp->places = malloc(numbers * sizeof *mlp->places);
    mlp->counts = malloc((size_t)rows * LAYERS_MAX * sizeof *mlp->counts);
    mlp->room = mlp->values && mlp->places && mlp->counts ? rows : 0;
    mlp->batch = 0;
    return mlp->room > 0;
}

/* Uniform within 1 / sqrt(inputs) either way (LeCun et al., "Efficient BackProp", 1998, up to the
 * constant), from the generator of models/ice/random.h: key (seed, layer), counter (number). */
static void fresh_weights(struct mlp *mlp, uint64_t seed)
{
    for (int k = 0; k < mlp->layers; k++) {
        const struct layer *layer = &mlp->layer[k];
        double most = 1.0 / sqrt((double)layer->inputs);
        philox4x64_key_t key = {{seed, (uint64_t)k}};
        for (int i = 0; i <= layer->inputs; i++) /* the last row is the bias */
            for (int j = 0; j < layer->outputs; j++) {
                philox4x64_ctr_t counter = {{(uint64_t)i, (uint64_t)j, 0, 0}};
                philox4x64_ctr_t bits = philox4x64_R(10, counter, key);
                double unit = ((double)(bits.v[0] >> 12) + 0.5) * 0x1p-52;
                mlp->weights[layer->weight + (size_t)i * (size_t)layer->lanes + (size_t)j] =
                    (float)((2.0 * unit - 1.0) * most);
            }
    }
}

/* Computes the sizes and offsets of all layers. False, with a sentence: a width is out of range. */
static bool lay_out(const struct net_spec *spec, struct mlp *mlp, char *ret_error)
{
    int widths[LAYERS_MAX + 1] = {spec->inputs};

    mlp->layers = 1;
    while (mlp->layers < LAYERS_MAX && spec->hidden[mlp->layers - 1] != 0) {
        widths[mlp->layers] = spec->hidden[mlp->layers - 1];
        mlp->layers++;
    }
    widths[mlp->layers] = spec->outputs;
    for (int k = 0; k <= mlp->layers; k++)
        if (widths[k] < 1 || widths[k] > NET_MLP_WIDTH_MAX) {
            snprintf(ret_error, NET_ERROR_MAX, "%s: %d is not in 1..%d",
                     k == 0             ? "inputs"
                     : k == mlp->layers ? "outputs"
                                        : "hidden",
                     widths[k], NET_MLP_WIDTH_MAX);
            return false;
        }
    for (int k = 0; k < mlp->layers; k++) {
        struct layer *layer = &mlp->layer[k];
        *layer = (struct layer){
            .inputs = widths[k], .outputs = widths[k + 1], .lanes = padded(widths[k + 1])};
        layer->weight = mlp->numbers;
        layer->bias = layer->weight + (size_t)layer->inputs * (size_t)layer->lanes;
        mlp->numbers = layer->bias + (size_t)layer->lanes;
        mlp->input_at[k] = mlp->row_numbers;
        mlp->row_numbers += (size_t)padded(layer->inputs);
    }
    return true;
}

static enum net_status mlp_make(const struct net_spec *spec, const char *device,
                                struct net **ret_net, char *ret_error)
{
    if (strcmp(device, "cpu") != 0 && strcmp(device, "auto") != 0) {
        snprintf(ret_error, NET_ERROR_MAX, "device: %s runs on cpu, not on '%.60s'",
                 spec->architecture, device);
        return NET_BAD_SPEC;
    }
    struct mlp *mlp = calloc(1, sizeof *mlp);
    if (mlp && !lay_out(spec, mlp, ret_error)) {
        free(mlp);
        return NET_BAD_SPEC;
    }
    if (mlp) {
        size_t widest = mlp->row_numbers + (size_t)padded(spec->outputs); /* more than enough */
        mlp->weights = calloc(4 * mlp->numbers, sizeof *mlp->weights);
        mlp->sums = calloc(3 * widest, sizeof *mlp->sums);
        if (!mlp->weights || !mlp->sums || !make_room(mlp, 1)) {
            mlp_free(&mlp->net);
            mlp = NULL;
        } else {
            mlp->gradient = mlp->weights + mlp->numbers;
            mlp->first = mlp->gradient + mlp->numbers;
            mlp->second = mlp->first + mlp->numbers;
            mlp->back[0] = mlp->sums + widest;
            mlp->back[1] = mlp->back[0] + widest;
        }
    }
    if (!mlp) {
        snprintf(ret_error, NET_ERROR_MAX, "%s", net_status_text(NET_NO_MEMORY));
        return NET_NO_MEMORY;
    }
    mlp->net.kind = &net_mlp_kind;
    mlp->name = "";
    nonzero_table_fill(&mlp->nonzero);
    fresh_weights(mlp, spec->seed);
    *ret_net = &mlp->net;
    return NET_OK;
}

/* --- evaluating and learning --- */

static void pass_row(struct mlp *mlp, size_t slot, const float *input, float *ret_output)
{
    if (wide_here())
        row_forward_wide(mlp, slot, input);
    else
        row_forward(mlp, false, slot, input);
    memcpy(ret_output, mlp->sums, (size_t)mlp->layer[mlp->layers - 1].outputs * sizeof *ret_output);
}

static enum net_status mlp_evaluate(struct net *net, int batch, const float *inputs,
                                    float *ret_outputs)
{
    struct mlp *mlp = (struct mlp *)net;
    size_t in = (size_t)mlp->layer[0].inputs, out = (size_t)mlp->layer[mlp->layers - 1].outputs;
    for (size_t k = 0; k < (size_t)batch; k++)
        pass_row(mlp, 0, inputs + k * in, ret_outputs + k * out);
    return NET_OK;
}

static enum net_status mlp_evaluate_sharing(struct net *net, int shared, const float *first,
                                            int batch, const float *rest, float *ret_outputs)
{
    struct mlp *mlp = (struct mlp *)net;

    if (wide_here())
        sharing_forward_wide(mlp, shared, first, (size_t)batch, rest, ret_outputs);
    else
        sharing_forward(mlp, false, shared, first, (size_t)batch, rest, ret_outputs);
    return NET_OK;
}

enum net_status net_mlp_reserve(struct net *net, int64_t rows)
{
    struct mlp *mlp = (struct mlp *)net;
    if (rows >= INT_MAX || !make_room(mlp, (int)rows + 1))
        return NET_NO_MEMORY;
    mlp->batch = (int)rows;
    return NET_OK;
}

void net_mlp_forward_rows(struct net *net, size_t first, size_t count, const float *inputs,
                          float *ret_outputs)
{
    struct mlp *mlp = (struct mlp *)net;
    size_t in = (size_t)mlp->layer[0].inputs, out = (size_t)mlp->layer[mlp->layers - 1].outputs;
    for (size_t k = 0; k < count; k++)
        pass_row(mlp, 1 + first + k, inputs + k * in, ret_outputs + k * out);
}

void net_mlp_backward_rows(struct net *net, size_t first, size_t count, const float *d_outputs)
{
    struct mlp *mlp = (struct mlp *)net;
    const struct layer *last = &mlp->layer[mlp->layers - 1];
    size_t out = (size_t)last->outputs;
    memset(mlp->sums + out, 0, ((size_t)last->lanes - out) * sizeof *mlp->sums);
    for (size_t k = 0; k < count; k++) {
        memcpy(mlp->sums, d_outputs + k * out, out * sizeof *mlp->sums);
        if (wide_here())
            row_backward_wide(mlp, 1 + first + k);
        else
            row_backward(mlp, 1 + first + k);
    }
}

static enum net_status mlp_forward(struct net *net, int batch, const float *inputs,
                                   float *ret_outputs)
{
    enum net_status status = net_mlp_reserve(net, batch);
    if (status == NET_OK)
        net_mlp_forward_rows(net, 0, (size_t)batch, inputs, ret_outputs);
    return status;
}

int net_mlp_kept(const struct net *net)
{
    return ((const struct mlp *)net)->batch;
}

static enum net_status mlp_backward(struct net *net, int batch, const float *d_outputs)
{
    if (batch != net_mlp_kept(net))
        return NET_FAILED; /* forward() of that batch is missing */
    net_mlp_backward_rows(net, 0, (size_t)batch, d_outputs);
    return NET_OK;
}

static double gradient_squares(const struct mlp *mlp)
{
    double sum = 0.0;
    for (size_t k = 0; k < mlp->numbers; k++)
        sum += (double)mlp->gradient[k] * (double)mlp->gradient[k];
    return sum;
}

/* The update rules. `scale` clips the gradient, `keep` = 1 - rate * decay. */
WIDE_INLINE void step_sgd(struct mlp *mlp, float scale, float rate, float keep)
{
    for (size_t k = 0; k < mlp->numbers; k++)
        mlp->weights[k] = keep * mlp->weights[k] - rate * (scale * mlp->gradient[k]);
}

WIDE_INLINE void step_momentum(struct mlp *mlp, float scale, float rate, float keep, float momentum)
{
    for (size_t k = 0; k < mlp->numbers; k++) {
        mlp->first[k] = momentum * mlp->first[k] + scale * mlp->gradient[k];
        mlp->weights[k] = keep * mlp->weights[k] - rate * mlp->first[k];
    }
}

/* Kingma and Ba, "Adam", 2015, algorithm 1; `rate` and `small` include the bias correction:
 * rate * m^ / (sqrt(v^) + epsilon) = rate * sqrt(c2) / c1 * m / (sqrt(v) + epsilon * sqrt(c2)). */
WIDE_INLINE void step_adam(struct mlp *mlp, float scale, float rate, float keep, float small)
{
    const float b1 = (float)NET_ADAM_BETA1, b2 = (float)NET_ADAM_BETA2;
    const float r1 = (float)(1.0 - NET_ADAM_BETA1), r2 = (float)(1.0 - NET_ADAM_BETA2);
    for (size_t k = 0; k < mlp->numbers; k++) {
        float g = scale * mlp->gradient[k];
        mlp->first[k] = b1 * mlp->first[k] + r1 * g;
        mlp->second[k] = b2 * mlp->second[k] + r2 * g * g;
        mlp->weights[k] =
            keep * mlp->weights[k] - rate * mlp->first[k] / (sqrtf(mlp->second[k]) + small);
    }
}

WIDE_INLINE void step(struct mlp *mlp, const struct net_optimiser *optimiser, float scale)
{
    float rate = (float)optimiser->rate, keep = (float)(1.0 - optimiser->rate * optimiser->decay);
    double c1, c2;

    switch (optimiser->rule) {
    case NET_SGD:
        step_sgd(mlp, scale, rate, keep);
        break;
    case NET_MOMENTUM:
        step_momentum(mlp, scale, rate, keep, (float)optimiser->momentum);
        break;
    case NET_ADAM:
        c1 = 1.0 - pow(NET_ADAM_BETA1, mlp->steps);
        c2 = 1.0 - pow(NET_ADAM_BETA2, mlp->steps);
        step_adam(mlp, scale, (float)(optimiser->rate * sqrt(c2) / c1), keep,
                  (float)(NET_ADAM_EPSILON * sqrt(c2)));
        break;
    }
}

WIDE_ONLY void step_wide(struct mlp *mlp, const struct net_optimiser *optimiser, float scale)
{
    step(mlp, optimiser, scale);
}

enum net_status net_mlp_update(struct net *const *nets, int count,
                               const struct net_optimiser *optimiser, double *ret_gradient_norm)
{
    double squares = 0.0;
    for (int k = 0; k < count; k++)
        squares += gradient_squares((const struct mlp *)nets[k]);
    double norm = sqrt(squares);
    bool cut = optimiser->clip > 0.0 && norm > optimiser->clip;
    float scale = cut ? (float)(optimiser->clip / norm) : 1.0f;

    for (int k = 0; k < count; k++) {
        struct mlp *mlp = (struct mlp *)nets[k];
        if (isfinite(norm)) {
            mlp->steps += optimiser->rule == NET_ADAM;
            if (wide_here())
                step_wide(mlp, optimiser, scale);
            else
                step(mlp, optimiser, scale);
        }
        memset(mlp->gradient, 0, mlp->numbers * sizeof *mlp->gradient);
    }
    if (!isfinite(norm))
        return NET_NOT_FINITE;
    if (ret_gradient_norm)
        *ret_gradient_norm = norm;
    return NET_OK;
}

static enum net_status mlp_update(struct net *net, const struct net_optimiser *optimiser,
                                  double *ret_gradient_norm)
{
    return net_mlp_update(&net, 1, optimiser, ret_gradient_norm);
}

/* --- tensors: weights, then the optimiser's two arrays laid out alike, then its step count --- */

static void add_tensor(struct net_tensors *tensors, const char *before, const char *name, int layer,
                       const char *what, int rows, int columns)
{
    struct net_tensor *tensor = &tensors->tensor[tensors->count++];
    snprintf(tensor->name, sizeof tensor->name, "%s%slayer%d.%s", before, name, layer + 1, what);
    tensor->rank = rows ? 2 : 1;
    tensor->side[0] = rows ? rows : columns;
    tensor->side[1] = columns;
}

void net_mlp_name(struct net *net, const char *name)
{
    ((struct mlp *)net)->name = name;
}

static void mlp_tensors(const struct net *net, struct net_tensors *ret_tensors)
{
    static const char *const before[] = {"", NET_OPTIMISER "first.", NET_OPTIMISER_SQUARES};
    const struct mlp *mlp = (const struct mlp *)net;
    const char *name = mlp->name;

    ret_tensors->count = 0;
    ret_tensors->weights = 2 * mlp->layers;
    for (int array = 0; array < 3; array++)
        for (int k = 0; k < mlp->layers; k++) {
            int inputs = mlp->layer[k].inputs, outputs = mlp->layer[k].outputs;
            add_tensor(ret_tensors, before[array], name, k, "weight", inputs, outputs);
            add_tensor(ret_tensors, before[array], name, k, "bias", 0, outputs);
        }
    struct net_tensor *steps = &ret_tensors->tensor[ret_tensors->count++];
    /* Two numbers, because a float32 cannot count beyond 2^24: whole STEPS_UNITs and the rest. */
    *steps = (struct net_tensor){.rank = 1, .side = {2}};
    snprintf(steps->name, sizeof steps->name, NET_OPTIMISER_COUNT "%s%.*s", name[0] ? "." : "",
             (int)strcspn(name, "."), name);
}

/* Copies a tensor between its place in the network and a row-major array without padding. */
static void move_tensor(struct mlp *mlp, int k, bool out, float *values)
{
    float *arrays[] = {mlp->weights, mlp->first, mlp->second};
    const struct layer *layer = &mlp->layer[k / 2 % mlp->layers];
    bool bias = k % 2;
    float *at = arrays[k / 2 / mlp->layers] + (bias ? layer->bias : layer->weight);

    for (int row = 0; row < (bias ? 1 : layer->inputs); row++) {
        float *here = at + (size_t)row * (size_t)layer->lanes;
        float *there = values + (size_t)row * (size_t)layer->outputs;
        memcpy(out ? there : here, out ? here : there, (size_t)layer->outputs * sizeof *values);
    }
}

enum { STEPS_UNIT = 1 << 20 };

static enum net_status mlp_get(const struct net *net, int k, float *ret_values)
{
    struct mlp *mlp = (struct mlp *)net;
    if (k == 6 * mlp->layers) {
        ret_values[0] = (float)floor(mlp->steps / STEPS_UNIT);
        ret_values[1] = (float)fmod(mlp->steps, STEPS_UNIT);
    } else {
        move_tensor(mlp, k, true, ret_values);
    }
    return NET_OK;
}

static enum net_status mlp_set(struct net *net, int k, const float *values)
{
    struct mlp *mlp = (struct mlp *)net;
    if (k == 6 * mlp->layers)
        mlp->steps = (double)values[0] * STEPS_UNIT + (double)values[1];
    else
        move_tensor(mlp, k, false, (float *)values);
    return NET_OK;
}

static void mlp_forget(struct net *net, bool resume)
{
    struct mlp *mlp = (struct mlp *)net;
    mlp->batch = 0;
    memset(mlp->gradient, 0, (resume ? 1 : 3) * mlp->numbers * sizeof *mlp->gradient);
    if (!resume)
        mlp->steps = 0.0;
}

const struct net_kind net_mlp_kind = {
    .make = mlp_make,
    .free = mlp_free,
    .evaluate = mlp_evaluate,
    .evaluate_sharing = mlp_evaluate_sharing,
    .forward = mlp_forward,
    .backward = mlp_backward,
    .update = mlp_update,
    .tensors = mlp_tensors,
    .get = mlp_get,
    .set = mlp_set,
    .forget = mlp_forget,
};
