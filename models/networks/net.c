/* The door to networks: finds the implementation of an architecture; copies, writes, reads and
 * hashes tensors the same way for all of them. */
#include "models/networks/net_file.h"
#include "models/networks/net_torch.h"
#include "models/tables/architectures.h"

#include <assert.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND_HERE(name)     &net_##name##_kind
#define KIND_BY_TORCH(name) NULL
static const struct {
    const char *name;
    const struct net_kind *kind; /* NULL: libtorch's */
} architectures[] = {
#define ROW(name, made, ...) {#name, KIND_##made(name)},
    NETWORK_ARCHITECTURES(ROW)
#undef ROW
};

enum { ARCHITECTURES = sizeof architectures / sizeof architectures[0] };

const char *net_status_text(enum net_status status)
{
    switch (status) {
    case NET_OK:
        return "all is well";
    case NET_NO_FILE:
        return "the file of weights cannot be read";
    case NET_BAD_FILE:
        return "the file of weights is not safetensors, is broken, or holds infinite numbers";
    case NET_BAD_SHAPE:
        return "the weights belong to another architecture or to other sizes";
    case NET_BAD_SPEC:
        return "there is no network of that description";
    case NET_NO_MEMORY:
        return "memory is short";
    case NET_NOT_BUILT_IN:
        return "there is no libtorch here, which that architecture needs";
    case NET_NOT_FINITE:
        return "its numbers are not finite, learning has diverged; try a lower rate";
    case NET_FAILED:
        break;
    }
    return "the library of networks failed";
}

enum net_status net_new(const struct net_spec *spec, const char *device, struct net **ret_net,
                        char *ret_error)
{
    for (int k = 0; k < ARCHITECTURES; k++) {
        if (strcmp(spec->architecture, architectures[k].name) != 0)
            continue;
        const char *reason = NULL;
        const struct net_kind *kind =
            architectures[k].kind ? architectures[k].kind : net_torch(&reason);
        if (kind)
            return kind->make(spec, device, ret_net, ret_error);
        snprintf(ret_error, NET_ERROR_MAX, "architecture: there is no libtorch here for '%s': %s",
                 architectures[k].name, reason);
        return NET_NOT_BUILT_IN;
    }
    snprintf(ret_error, NET_ERROR_MAX, "architecture: there is no '%.60s'", spec->architecture);
    return NET_BAD_SPEC;
}

void net_free(struct net *net)
{
    if (net)
        net->kind->free(net);
}

enum net_status net_evaluate(struct net *net, int batch, const float *inputs, float *ret_outputs)
{
    assert(batch >= 0);
    return batch > 0 ? net->kind->evaluate(net, batch, inputs, ret_outputs) : NET_OK;
}

enum net_status net_forward(struct net *net, int batch, const float *inputs, float *ret_outputs)
{
    return batch > 0 ? net->kind->forward(net, batch, inputs, ret_outputs) : NET_OK;
}

enum net_status net_backward(struct net *net, int batch, const float *d_outputs)
{
    return batch > 0 ? net->kind->backward(net, batch, d_outputs) : NET_OK;
}

enum net_status net_update(struct net *net, const struct net_optimiser *optimiser,
                           double *ret_gradient_norm)
{
    return net->kind->update(net, optimiser, ret_gradient_norm);
}

static bool are_alike(const struct net_tensors *a, const struct net_tensors *b)
{
    if (a->count != b->count || a->weights != b->weights)
        return false;
    for (int k = 0; k < a->count; k++) {
        const struct net_tensor *x = &a->tensor[k], *y = &b->tensor[k];
        if (strcmp(x->name, y->name) != 0 || x->rank != y->rank ||
            memcmp(x->side, y->side, (size_t)x->rank * sizeof *x->side) != 0)
            return false;
    }
    return true;
}

enum net_status net_copy(const struct net *from, struct net *to)
{
    struct net_tensors tensors, same;
    enum net_status status = NET_OK;
    int64_t most = 0;

    from->kind->tensors(from, &tensors);
    to->kind->tensors(to, &same);
    if (from->kind != to->kind || !are_alike(&tensors, &same))
        return NET_BAD_SHAPE;
    for (int k = 0; k < tensors.count; k++)
        most =
            net_tensor_size(&tensors.tensor[k]) > most ? net_tensor_size(&tensors.tensor[k]) : most;
    float *values = malloc((size_t)most * sizeof *values);
    if (!values)
        return NET_NO_MEMORY;
    for (int k = 0; k < tensors.count && status == NET_OK; k++) {
        status = from->kind->get(from, k, values);
        if (status == NET_OK)
            status = to->kind->set(to, k, values);
    }
    free(values);
    to->kind->forget(to, true);
    return status;
}

/* The last two weights are those of the outputs, of rank 2 and 1 (net_kind.h does not say along
 * which side the outputs lie). */
static bool differ_in_outputs(const struct net_tensors *from, const struct net_tensors *to)
{
    if (from->weights != to->weights)
        return false;
    for (int k = 0; k < from->weights; k++) {
        const struct net_tensor *a = &from->tensor[k], *b = &to->tensor[k];
        bool outputs = k >= from->weights - 2 && a->rank <= 2;
        if (strcmp(a->name, b->name) != 0 || a->rank != b->rank)
            return false;
        for (int side = 0; side < a->rank; side++)
            if (outputs ? a->side[side] < b->side[side] : a->side[side] != b->side[side])
                return false;
    }
    return true;
}

enum net_status net_copy_first_outputs(const struct net *from, struct net *to)
{
    struct net_tensors tensors, fewer;
    enum net_status status = NET_OK;

    if (from->kind == to->kind && from->kind->copy_first_outputs)
        return from->kind->copy_first_outputs(from, to);
    from->kind->tensors(from, &tensors);
    to->kind->tensors(to, &fewer);
    if (from->kind != to->kind || !differ_in_outputs(&tensors, &fewer))
        return NET_BAD_SHAPE;
    for (int k = 0; k < tensors.weights && status == NET_OK; k++) {
        const struct net_tensor *a = &tensors.tensor[k], *b = &fewer.tensor[k];
        float *values = malloc((size_t)net_tensor_size(a) * sizeof *values);
        if (!values)
            return NET_NO_MEMORY;
        status = from->kind->get(from, k, values);
        size_t width = (size_t)a->side[a->rank - 1], kept = (size_t)b->side[b->rank - 1];
        size_t rows = (size_t)net_tensor_size(b) / kept;
        for (size_t row = 0; row < rows; row++) /* moves numbers towards the front */
            memmove(values + row * kept, values + row * width, kept * sizeof *values);
        if (status == NET_OK)
            status = to->kind->set(to, k, values);
        free(values);
    }
    to->kind->forget(to, false);
    return status;
}

enum net_status net_write(const struct net *net, bool resume, unsigned char **ret_bytes,
                          size_t *ret_size)
{
    struct net_tensors tensors;
    size_t at[NET_TENSORS_MAX];
    unsigned char *bytes;

    net->kind->tensors(net, &tensors);
    int count = resume ? tensors.count : tensors.weights;
    enum net_status status = net_file_frame(&tensors, count, NULL, 0, &bytes, ret_size, at);
    if (status != NET_OK)
        return status;
    status = net_file_put(net, count, at, bytes);
    if (status != NET_OK) {
        free(bytes);
        return status;
    }
    *ret_bytes = bytes;
    return NET_OK;
}

enum net_status net_read(struct net *net, const unsigned char *bytes, size_t size, bool resume)
{
    struct net_tensors tensors;
    size_t at[NET_TENSORS_MAX];

    net->kind->tensors(net, &tensors);
    int count = resume ? tensors.count : tensors.weights;
    enum net_status status = net_file_find(&tensors, count, bytes, size, at);
    if (status != NET_OK)
        return status;
    status = net_file_take(net, count, at, bytes);
    if (status == NET_NO_MEMORY) /* nothing was taken */
        return status;
    net->kind->forget(net, resume);
    return status;
}

/* The hash of the file that net_write() gives without `resume`: any tool can check it. */
void net_sha256(const struct net *net, char ret_hex[65])
{
    unsigned char *bytes, hash[crypto_hash_sha256_BYTES];
    size_t size;

    ret_hex[0] = '\0'; /* stays so when memory is short */
    if (net_write(net, false, &bytes, &size) != NET_OK)
        return;
    crypto_hash_sha256(hash, bytes, size);
    sodium_bin2hex(ret_hex, 65, hash, sizeof hash);
    free(bytes);
}

int64_t net_parameters(const struct net *net)
{
    struct net_tensors tensors;
    int64_t sum = 0;

    net->kind->tensors(net, &tensors);
    for (int k = 0; k < tensors.weights; k++)
        sum += net_tensor_size(&tensors.tensor[k]);
    return sum;
}

void net_set_threads(int threads)
{
    net_torch_set_threads(threads); /* networks in plain C use one thread */
}
