/* Any bytes as a file of weights. A refused file changes nothing; an accepted one has finite
 * numbers and is the same after writing and reading it again. A broken promise aborts. */
#include "models/networks/net.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static const struct net_spec specs[] = {
    {.architecture = "mlp", .inputs = 3, .outputs = 2, .hidden = {2}, .seed = 1},
    {.architecture = "lines",
     .inputs = 5,
     .rows = 2,
     .row_features = 2,
     .outputs = 5,
     .hidden = {2},
     .seed = 1},
};

static struct net *fresh(const struct net_spec *spec)
{
    char error[NET_ERROR_MAX];
    struct net *net;

    require(net_new(spec, "cpu", &net, error) == NET_OK);
    return net;
}

/* Returns whether both are the same, bit for bit. */
static bool are_equal(const struct net *one, const struct net *other)
{
    unsigned char *a, *b;
    size_t a_size, b_size;

    require(net_write(one, true, &a, &a_size) == NET_OK);
    require(net_write(other, true, &b, &b_size) == NET_OK);
    bool equal = a_size == b_size && memcmp(a, b, a_size) == 0;
    free(a);
    free(b);
    return equal;
}

static void read_as(const struct net_spec *spec, const uint8_t *data, size_t size, bool resume)
{
    struct net *net = fresh(spec), *twin = fresh(spec);
    enum net_status status = net_read(net, data, size, resume);

    if (status == NET_OK) {
        unsigned char *bytes;
        size_t written;
        require(net_write(net, true, &bytes, &written) == NET_OK);
        require(net_read(twin, bytes, written, true) == NET_OK);
        free(bytes);
    } else {
        require(status == NET_BAD_FILE || status == NET_BAD_SHAPE);
    }
    require(are_equal(net, twin));
    net_free(net);
    net_free(twin);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
        read_as(&specs[k], data, size, false);
        read_as(&specs[k], data, size, true);
    }
    return 0;
}
