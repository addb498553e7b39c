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
    static const char *const texts[] = {
#define X(name, text) [name] = text,
        NET_STATUSES(X)
#undef X
    };
    return texts[status];
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

enum net_status net_evaluate_sharing(struct net *net, int shared, const float *first, int batch,
                                     const float *rest, float *ret_outputs)
{
    assert(batch >= 0 && shared >= 0);
    if (!net->kind->evaluate_sharing)
        return NET_BAD_SPEC;
    return batch > 0 ? net->kind->evaluate_sharing(net, shared, first, batch, rest, ret_outputs)
                     : NET_OK;
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

/* Whether the first `count` tensors have the same names and shapes. With `fewer_outputs` the last
 * two, which are the output layer's, may be smaller in `to` (net_kind.h leaves open along which
 * side the outputs lie). */
static bool are_alike(const struct net_tensors *from, const struct net_tensors *to, int count,
                      bool fewer_outputs)
{
    for (int k = 0; k < count; k++) {
        const struct net_tensor *a = &from->tensor[k], *b = &to->tensor[k];
        bool may_shrink = fewer_outputs && k >= count - 2 && a->rank <= 2;
        if (strcmp(a->name, b->name) != 0 || a->rank != b->rank)
            return false;
        for (int side = 0; side < a->rank; side++)
            if (may_shrink ? a->side[side] < b->side[side] : a->side[side] != b->side[side])
                return false;
    }
    return true;
}

/* Copies as many first columns of each tensor as `to` has. */
static enum net_status copy_tensors(const struct net *from, struct net *to, bool fewer_outputs)
{
    struct net_tensors tensors, wanted;
    enum net_status status = NET_OK;

    from->kind->tensors(from, &tensors);
    to->kind->tensors(to, &wanted);
    int count = fewer_outputs ? tensors.weights : tensors.count;
    if (from->kind != to->kind || tensors.weights != wanted.weights ||
        (!fewer_outputs && tensors.count != wanted.count) ||
        !are_alike(&tensors, &wanted, count, fewer_outputs))
        return NET_BAD_SHAPE;
    float *values = malloc((size_t)net_tensor_largest(&tensors, count) * sizeof *values);
    if (!values)
        return NET_NO_MEMORY;
    for (int k = 0; k < count && status == NET_OK; k++) {
        const struct net_tensor *a = &tensors.tensor[k], *b = &wanted.tensor[k];
        size_t width = (size_t)a->side[a->rank - 1], kept = (size_t)b->side[b->rank - 1];
        status = from->kind->get(from, k, values);
        size_t rows = kept < width ? (size_t)net_tensor_size(b) / kept : 0;
        for (size_t row = 0; row < rows; row++) /* moves numbers towards the front */
            memmove(values + row * kept, values + row * width, kept * sizeof *values);
        if (status == NET_OK)
            status = to->kind->set(to, k, values);
    }
    free(values);
    to->kind->forget(to, !fewer_outputs);
    return status;
}

enum net_status net_copy(const struct net *from, struct net *to)
{
    return copy_tensors(from, to, false);
}

enum net_status net_copy_first_outputs(const struct net *from, struct net *to)
{
    if (from->kind == to->kind && from->kind->copy_first_outputs)
        return from->kind->copy_first_outputs(from, to);
    return copy_tensors(from, to, true);
}

enum net_status net_write(const struct net *net, bool resume, unsigned char **ret_bytes,
                          size_t *ret_size)
{
    struct net_tensors tensors;

    net->kind->tensors(net, &tensors);
    return net_file_write(&net, 1, &tensors, resume ? tensors.count : tensors.weights, NULL,
                          ret_bytes, ret_size);
}

enum net_status net_read(struct net *net, const unsigned char *bytes, size_t size, bool resume)
{
    struct net_tensors tensors;

    net->kind->tensors(net, &tensors);
    return net_file_read(&net, 1, &tensors, resume ? tensors.count : tensors.weights, bytes, size,
                         resume);
}

/* Hashes the file that net_write() makes without `resume`, so any tool can check the hash. */
void net_sha256(const struct net *net, char ret_hex[65])
{
    unsigned char *bytes, hash[crypto_hash_sha256_BYTES];
    size_t size;

    ret_hex[0] = '\0'; /* the result when memory is short */
    if (net_write(net, false, &bytes, &size) != NET_OK)
        return;
    crypto_hash_sha256(hash, bytes, size);
    sodium_bin2hex(ret_hex, 65, hash, sizeof hash);
    free(bytes);
}
