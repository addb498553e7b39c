/* Networks that look along lines: of the inputs, `rows` rows of `row_features` numbers each pass
 * through the same layers, and what they give lies row after row; the rest of the inputs pass
 * through layers of their own, of the same widths, which give the outputs behind those of the rows.
 * Both are networks of net_mlp.c. */
#include "models/networks/net_kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 2, ROWS = 0, REST = 1 };
static const char *const part_names[PARTS] = {"rows.", "rest."};

struct lines {
    struct net net;
    struct net *part[PARTS];           /* NULL: it has no outputs */
    int times[PARTS];                  /* rows of the part in a row of the batch */
    int inputs[PARTS], outputs[PARTS]; /* in a row of the batch, together */
    int room;                          /* rows of the batch */
    float *gathered[PARTS], *given[PARTS];
};

static void lines_free(struct net *net)
{
    struct lines *lines = (struct lines *)net;
    for (int k = 0; k < PARTS; k++) {
        if (lines->part[k])
            net_mlp_kind.free(lines->part[k]);
        free(lines->gathered[k]);
        free(lines->given[k]);
    }
    free(lines);
}

static bool make_room(struct lines *lines, int batch)
{
    if (batch <= lines->room)
        return true;
    lines->room = 0;
    for (int k = 0; k < PARTS; k++) {
        free(lines->gathered[k]);
        free(lines->given[k]);
        lines->gathered[k] = malloc((size_t)batch * (size_t)lines->inputs[k] * sizeof(float) + 1);
        lines->given[k] = malloc((size_t)batch * (size_t)lines->outputs[k] * sizeof(float) + 1);
        if (!lines->gathered[k] || !lines->given[k])
            return false;
    }
    lines->room = batch;
    return true;
}

static enum net_status lines_make(const struct net_spec *spec, const char *device,
                                  struct net **ret_net, char *ret_error)
{
    int rest = spec->inputs - spec->rows * spec->row_features;
    if (spec->rows < 1 || spec->row_features < 1 || rest < 1) {
        snprintf(ret_error, NET_ERROR_MAX,
                 "rows, row_features: %d of %d numbers in %d inputs, and some more", spec->rows,
                 spec->row_features, spec->inputs);
        return NET_BAD_SPEC;
    }
    struct lines *lines = calloc(1, sizeof *lines);
    if (!lines) {
        snprintf(ret_error, NET_ERROR_MAX, "%s", net_status_text(NET_NO_MEMORY));
        return NET_NO_MEMORY;
    }
    lines->net.kind = &net_lines_kind;
    lines->times[ROWS] = spec->rows;
    lines->times[REST] = 1;
    lines->inputs[ROWS] = spec->rows * spec->row_features;
    lines->inputs[REST] = rest;
    lines->outputs[REST] = spec->outputs % spec->rows;
    lines->outputs[ROWS] = spec->outputs - lines->outputs[REST];
    enum net_status status = NET_OK;
    for (int k = 0; k < PARTS && status == NET_OK; k++) {
        struct net_spec part = *spec;
        part.inputs = lines->inputs[k] / lines->times[k];
        part.outputs = lines->outputs[k] / lines->times[k];
        part.seed = spec->seed + (uint64_t)k;
        if (part.outputs > 0)
            status = net_mlp_kind.make(&part, device, &lines->part[k], ret_error);
    }
    if (status != NET_OK) {
        lines_free(&lines->net);
        return status;
    }
    *ret_net = &lines->net;
    return NET_OK;
}

typedef enum net_status pass(struct net *net, int batch, const float *inputs, float *ret_outputs);

static enum net_status pass_parts(struct lines *lines, bool keep, int batch, const float *inputs,
                                  float *ret_outputs)
{
    pass *how = keep ? net_mlp_kind.forward : net_mlp_kind.evaluate;
    size_t in = (size_t)(lines->inputs[ROWS] + lines->inputs[REST]);
    size_t out = (size_t)(lines->outputs[ROWS] + lines->outputs[REST]);
    if (!make_room(lines, batch))
        return NET_NO_MEMORY;
    for (int k = 0; k < PARTS; k++) {
        if (!lines->part[k])
            continue;
        size_t own_in = (size_t)lines->inputs[k], own_out = (size_t)lines->outputs[k];
        const float *from = inputs + (k == REST ? lines->inputs[ROWS] : 0);
        float *to = ret_outputs + (k == REST ? lines->outputs[ROWS] : 0);
        for (size_t row = 0; row < (size_t)batch; row++)
            memcpy(lines->gathered[k] + row * own_in, from + row * in, own_in * sizeof *from);
        enum net_status status =
            how(lines->part[k], batch * lines->times[k], lines->gathered[k], lines->given[k]);
        if (status != NET_OK)
            return status;
        for (size_t row = 0; row < (size_t)batch; row++)
            memcpy(to + row * out, lines->given[k] + row * own_out, own_out * sizeof *to);
    }
    return NET_OK;
}

static enum net_status lines_evaluate(struct net *net, int batch, const float *inputs,
                                      float *ret_outputs)
{
    return pass_parts((struct lines *)net, false, batch, inputs, ret_outputs);
}

static enum net_status lines_forward(struct net *net, int batch, const float *inputs,
                                     float *ret_outputs)
{
    return pass_parts((struct lines *)net, true, batch, inputs, ret_outputs);
}

static enum net_status lines_backward(struct net *net, int batch, const float *d_outputs)
{
    struct lines *lines = (struct lines *)net;
    size_t out = (size_t)(lines->outputs[ROWS] + lines->outputs[REST]);
    if (batch > lines->room)
        return NET_FAILED; /* no such forward() has been */
    for (int k = 0; k < PARTS; k++) {
        if (!lines->part[k])
            continue;
        size_t own = (size_t)lines->outputs[k];
        const float *from = d_outputs + (k == REST ? lines->outputs[ROWS] : 0);
        for (size_t row = 0; row < (size_t)batch; row++)
            memcpy(lines->given[k] + row * own, from + row * out, own * sizeof *from);
        enum net_status status =
            net_mlp_kind.backward(lines->part[k], batch * lines->times[k], lines->given[k]);
        if (status != NET_OK)
            return status;
    }
    return NET_OK;
}

static enum net_status lines_update(struct net *net, const struct net_optimiser *optimiser,
                                    double *ret_gradient_norm)
{
    struct lines *lines = (struct lines *)net;
    double sum = 0.0;
    for (int k = 0; k < PARTS; k++) {
        double norm = 0.0;
        if (!lines->part[k])
            continue;
        enum net_status status = net_mlp_kind.update(lines->part[k], optimiser, &norm);
        if (status != NET_OK)
            return status;
        sum += norm * norm;
    }
    if (ret_gradient_norm)
        *ret_gradient_norm = sqrt(sum);
    return NET_OK;
}

/* --- tensors: the weights of both parts, then both optimisers' --- */

/* Which part and which of its tensors stands k-th. */
static int part_of(const struct lines *lines, int *k)
{
    struct net_tensors tensors;
    int weights[PARTS] = {0, 0}, others[PARTS] = {0, 0};
    for (int part = 0; part < PARTS; part++)
        if (lines->part[part]) {
            net_mlp_kind.tensors(lines->part[part], &tensors);
            weights[part] = tensors.weights;
            others[part] = tensors.count - tensors.weights;
        }
    for (int part = 0; part < PARTS; part++) {
        if (*k < weights[part])
            return part;
        *k -= weights[part];
    }
    for (int part = 0; part < PARTS; part++) {
        if (*k < others[part]) {
            *k += weights[part];
            return part;
        }
        *k -= others[part];
    }
    return PARTS;
}

static void lines_tensors(const struct net *net, struct net_tensors *ret_tensors)
{
    const struct lines *lines = (const struct lines *)net;
    struct net_tensors of[PARTS];

    ret_tensors->count = ret_tensors->weights = 0;
    for (int part = 0; part < PARTS; part++) {
        of[part].count = of[part].weights = 0;
        if (lines->part[part])
            net_mlp_kind.tensors(lines->part[part], &of[part]);
        ret_tensors->weights += of[part].weights;
    }
    for (int others = 0; others < 2; others++)
        for (int part = 0; part < PARTS; part++) {
            int first = others ? of[part].weights : 0;
            int last = others ? of[part].count : of[part].weights;
            for (int k = first; k < last; k++) {
                struct net_tensor *tensor = &ret_tensors->tensor[ret_tensors->count++];
                const char *name = of[part].tensor[k].name;
                *tensor = of[part].tensor[k];
                /* The kind of what the optimiser has gathered is told by how a name begins. */
                size_t before = others ? strcspn(name + sizeof NET_OPTIMISER - 1, ".") : 0;
                if (others)
                    before +=
                        sizeof NET_OPTIMISER - 1 + (name[sizeof NET_OPTIMISER - 1 + before] == '.');
                snprintf(tensor->name, sizeof tensor->name, "%.*s%s%s", (int)before, name,
                         before && name[before - 1] != '.' ? "." : "", part_names[part]);
                size_t used = strlen(tensor->name);
                snprintf(tensor->name + used, sizeof tensor->name - used, "%s", name + before);
            }
        }
}

static enum net_status lines_get(const struct net *net, int k, float *ret_values)
{
    const struct lines *lines = (const struct lines *)net;
    int part = part_of(lines, &k);
    return part < PARTS ? net_mlp_kind.get(lines->part[part], k, ret_values) : NET_FAILED;
}

static enum net_status lines_set(struct net *net, int k, const float *values)
{
    struct lines *lines = (struct lines *)net;
    int part = part_of(lines, &k);
    return part < PARTS ? net_mlp_kind.set(lines->part[part], k, values) : NET_FAILED;
}

static void lines_forget(struct net *net, bool resume)
{
    struct lines *lines = (struct lines *)net;
    for (int part = 0; part < PARTS; part++)
        if (lines->part[part])
            net_mlp_kind.forget(lines->part[part], resume);
}

const struct net_kind net_lines_kind = {
    .make = lines_make,
    .free = lines_free,
    .evaluate = lines_evaluate,
    .forward = lines_forward,
    .backward = lines_backward,
    .update = lines_update,
    .set_threads = NULL,
    .tensors = lines_tensors,
    .get = lines_get,
    .set = lines_set,
    .forget = lines_forget,
};
