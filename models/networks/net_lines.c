/* Networks that look along lines: `rows` rows of inputs, `row_features` numbers each, pass through
 * the same layers; their outputs come row after row, outputs / rows for each. The rest of the
 * inputs passes through its own layers of the same widths, which compute the last outputs % rows. A
 * part without outputs is left out.
 *
 * Both parts are networks of net_mlp.c, whose tensors are called "rows.…" and "rest.…". */
#include "models/networks/net_mlp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS, REST, PARTS };
static const char *const part_names[PARTS] = {[ROWS] = "rows.", [REST] = "rest."};

struct lines {
    struct net net;
    struct part {
        struct net *net;            /* NULL: it has no outputs */
        int times;                  /* its rows in a row of the batch */
        size_t input_at, output_at; /* where they begin in a row of the batch */
    } part[PARTS];
    size_t inputs, outputs; /* of a row of the batch */
    /* The part that each tensor belongs to, in the order of tensors(), and its number there. */
    struct {
        int part, tensor;
    } place[NET_TENSORS_MAX];
};

static void lines_free(struct net *net)
{
    struct lines *lines = (struct lines *)net;
    for (int k = 0; k < PARTS; k++)
        net_free(lines->part[k].net);
    free(lines);
}

/* --- making --- */

/* False, with a sentence, if the sizes are invalid. net_mlp.c checks the widths of layers. */
static bool is_good(const struct net_spec *spec, char *ret_error)
{
    if (spec->rows < 1) {
        snprintf(ret_error, NET_ERROR_MAX, "rows: %d is not in 1..inputs", spec->rows);
        return false;
    }
    if (spec->row_features < 1 || spec->row_features > NET_MLP_WIDTH_MAX ||
        (int64_t)spec->rows * spec->row_features >= spec->inputs) {
        snprintf(ret_error, NET_ERROR_MAX,
                 "row_features: %d rows of %d numbers (1..%d each) leave none of the %d inputs for "
                 "the rest",
                 spec->rows, spec->row_features, NET_MLP_WIDTH_MAX, spec->inputs);
        return false;
    }
    if (spec->outputs < 1) {
        snprintf(ret_error, NET_ERROR_MAX, "outputs: %d is less than 1", spec->outputs);
        return false;
    }
    return true;
}

static enum net_status make_part(struct part *part, int number, const struct net_spec *spec,
                                 int inputs, int outputs, const char *device, char *ret_error)
{
    struct net_spec own = *spec;
    own.inputs = inputs;
    own.outputs = outputs;
    /* Far from neighbouring seeds, which other networks may use. */
    own.seed = spec->seed + (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15);
    if (outputs < 1)
        return NET_OK;
    enum net_status status = net_mlp_kind.make(&own, device, &part->net, ret_error);
    if (status == NET_OK)
        net_mlp_name(part->net, part_names[number]);
    return status;
}

/* Order of tensors: the weights of both parts, then the state of both optimisers. */
static void place_tensors(struct lines *lines)
{
    struct net_tensors tensors;
    int count = 0;

    for (int weights = 1; weights >= 0; weights--)
        for (int k = 0; k < PARTS; k++) {
            if (!lines->part[k].net)
                continue;
            net_mlp_kind.tensors(lines->part[k].net, &tensors);
            int end = weights ? tensors.weights : tensors.count;
            for (int tensor = weights ? 0 : tensors.weights; tensor < end; tensor++) {
                lines->place[count].part = k;
                lines->place[count++].tensor = tensor;
            }
        }
}

static enum net_status lines_make(const struct net_spec *spec, const char *device,
                                  struct net **ret_net, char *ret_error)
{
    if (!is_good(spec, ret_error))
        return NET_BAD_SPEC;
    struct lines *lines = calloc(1, sizeof *lines);
    if (!lines) {
        snprintf(ret_error, NET_ERROR_MAX, "%s", net_status_text(NET_NO_MEMORY));
        return NET_NO_MEMORY;
    }
    int in_rows = spec->rows * spec->row_features, of_rest = spec->outputs % spec->rows;
    *lines = (struct lines){
        .net.kind = &net_lines_kind,
        .part = {[ROWS] = {.times = spec->rows},
                 [REST] = {.times = 1,
                           .input_at = (size_t)in_rows,
                           .output_at = (size_t)(spec->outputs - of_rest)}},
        .inputs = (size_t)spec->inputs,
        .outputs = (size_t)spec->outputs,
    };
    enum net_status status = make_part(&lines->part[ROWS], ROWS, spec, spec->row_features,
                                       spec->outputs / spec->rows, device, ret_error);
    if (status == NET_OK)
        status = make_part(&lines->part[REST], REST, spec, spec->inputs - in_rows, of_rest, device,
                           ret_error);
    if (status != NET_OK) {
        lines_free(&lines->net);
        return status;
    }
    place_tensors(lines);
    *ret_net = &lines->net;
    return NET_OK;
}

/* --- evaluating and learning --- */

static enum net_status lines_evaluate(struct net *net, int batch, const float *inputs,
                                      float *ret_outputs)
{
    struct lines *lines = (struct lines *)net;
    for (const struct part *part = lines->part; part < lines->part + PARTS; part++)
        for (size_t row = 0; part->net && row < (size_t)batch; row++) {
            enum net_status status = net_mlp_kind.evaluate(
                part->net, part->times, inputs + row * lines->inputs + part->input_at,
                ret_outputs + row * lines->outputs + part->output_at);
            if (status != NET_OK)
                return status;
        }
    return NET_OK;
}

static enum net_status lines_forward(struct net *net, int batch, const float *inputs,
                                     float *ret_outputs)
{
    struct lines *lines = (struct lines *)net;
    for (const struct part *part = lines->part; part < lines->part + PARTS; part++) {
        size_t times = (size_t)part->times;
        if (!part->net)
            continue;
        enum net_status status = net_mlp_reserve(part->net, (int64_t)batch * part->times);
        if (status != NET_OK)
            return status;
        for (size_t row = 0; row < (size_t)batch; row++)
            net_mlp_forward_rows(part->net, row * times, times,
                                 inputs + row * lines->inputs + part->input_at,
                                 ret_outputs + row * lines->outputs + part->output_at);
    }
    return NET_OK;
}

static enum net_status lines_backward(struct net *net, int batch, const float *d_outputs)
{
    struct lines *lines = (struct lines *)net;
    for (const struct part *part = lines->part; part < lines->part + PARTS; part++)
        if (part->net && net_mlp_kept(part->net) != (int64_t)batch * part->times)
            return NET_FAILED; /* forward() of that batch is missing */
    for (const struct part *part = lines->part; part < lines->part + PARTS; part++)
        for (size_t row = 0; part->net && row < (size_t)batch; row++)
            net_mlp_backward_rows(part->net, row * (size_t)part->times, (size_t)part->times,
                                  d_outputs + row * lines->outputs + part->output_at);
    return NET_OK;
}

static enum net_status lines_update(struct net *net, const struct net_optimiser *optimiser,
                                    double *ret_gradient_norm)
{
    struct lines *lines = (struct lines *)net;
    struct net *nets[PARTS];
    int count = 0;

    for (int k = 0; k < PARTS; k++)
        if (lines->part[k].net)
            nets[count++] = lines->part[k].net;
    return net_mlp_update(nets, count, optimiser, ret_gradient_norm);
}

/* --- tensors --- */

static void lines_tensors(const struct net *net, struct net_tensors *ret_tensors)
{
    const struct lines *lines = (const struct lines *)net;
    struct net_tensors of[PARTS];

    ret_tensors->count = ret_tensors->weights = 0;
    for (int k = 0; k < PARTS; k++)
        if (lines->part[k].net) {
            net_mlp_kind.tensors(lines->part[k].net, &of[k]);
            ret_tensors->count += of[k].count;
            ret_tensors->weights += of[k].weights;
        }
    for (int k = 0; k < ret_tensors->count; k++)
        ret_tensors->tensor[k] = of[lines->place[k].part].tensor[lines->place[k].tensor];
}

static enum net_status lines_get(const struct net *net, int k, float *ret_values)
{
    const struct lines *lines = (const struct lines *)net;
    return net_mlp_kind.get(lines->part[lines->place[k].part].net, lines->place[k].tensor,
                            ret_values);
}

static enum net_status lines_set(struct net *net, int k, const float *values)
{
    const struct lines *lines = (const struct lines *)net;
    return net_mlp_kind.set(lines->part[lines->place[k].part].net, lines->place[k].tensor, values);
}

static void lines_forget(struct net *net, bool resume)
{
    struct lines *lines = (struct lines *)net;
    for (int k = 0; k < PARTS; k++)
        if (lines->part[k].net)
            net_mlp_kind.forget(lines->part[k].net, resume);
}

/* The rest computes the last outputs: `to` may have fewer of them or lack that part. */
static enum net_status lines_copy_first_outputs(const struct net *from, struct net *to)
{
    const struct lines *all = (const struct lines *)from, *fewer = (const struct lines *)to;
    const struct part *rows = &fewer->part[ROWS], *rest = &fewer->part[REST];
    enum net_status status = NET_OK;

    if (all->inputs != fewer->inputs || all->part[ROWS].times != rows->times ||
        all->part[REST].output_at != rest->output_at || (rest->net && !all->part[REST].net))
        return NET_BAD_SHAPE;
    /* Each call refuses different hidden layers before it changes anything. */
    if (rest->net)
        status = net_copy_first_outputs(all->part[REST].net, rest->net);
    if (rows->net && status == NET_OK)
        status = net_copy(all->part[ROWS].net, rows->net);
    if (status == NET_OK)
        lines_forget(to, false);
    return status;
}

const struct net_kind net_lines_kind = {
    .make = lines_make,
    .free = lines_free,
    .evaluate = lines_evaluate,
    .forward = lines_forward,
    .backward = lines_backward,
    .update = lines_update,
    .tensors = lines_tensors,
    .get = lines_get,
    .set = lines_set,
    .copy_first_outputs = lines_copy_first_outputs,
    .forget = lines_forget,
};
