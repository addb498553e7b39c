/* See learning.h. */
#include "tests/unit/models/networks/learning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct net *learning_net(const struct net_spec *spec)
{
    char error[NET_ERROR_MAX] = "";
    struct net *net;

    if (net_new(spec, "cpu", &net, error) != NET_OK)
        fail_msg("%s", error);
    return net;
}

void learning_fill(float *numbers, size_t count, uint32_t state)
{
    for (size_t k = 0; k < count; k++) {
        state = state * 1664525u + 1013904223u;
        numbers[k] = k % 3 == 2 ? 0.0f : (float)(int32_t)state * 0x1p-31f;
    }
}

/* Runs updates from … to - 1, each with its own batch. */
static void learn(struct net *net, const struct net_spec *spec, int batch, enum net_rule rule,
                  int from, int to)
{
    const struct net_optimiser optimiser = {.rule = rule, .rate = 0.01, .momentum = 0.9, .clip = 1};
    size_t in = (size_t)(batch * spec->inputs), out = (size_t)(batch * spec->outputs);
    float *inputs = calloc(in, sizeof *inputs), *outputs = calloc(out, sizeof *outputs);

    assert_true(inputs && outputs);
    for (int k = from; k < to; k++) {
        learning_fill(inputs, in, (uint32_t)k);
        net_forward(net, batch, inputs, outputs);
        for (size_t j = 0; j < out; j++)
            outputs[j] -= 1.0f;
        net_backward(net, batch, outputs);
        net_update(net, &optimiser, NULL);
    }
    free(inputs);
    free(outputs);
}

static void goes_on(const struct net_spec *spec, int batch, enum net_rule rule, const char *golden)
{
    enum { ITSELF, RESUMED, COPY, WEIGHTS_ALONE, NETS };
    struct net_spec other = *spec;
    struct net *net[NETS];
    unsigned char *bytes, *again;
    size_t size, again_size;
    char hash[NETS][65];

    other.seed = spec->seed + 1;
    for (int n = 0; n < NETS; n++)
        net[n] = learning_net(n == ITSELF ? spec : &other);
    learn(net[ITSELF], spec, batch, rule, 0, 20);
    assert_int_equal(net_write(net[ITSELF], true, &bytes, &size), NET_OK);
    assert_int_equal(net_read(net[RESUMED], bytes, size, true), NET_OK);
    assert_int_equal(net_write(net[RESUMED], true, &again, &again_size), NET_OK);
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again, size);
    assert_int_equal(net_copy(net[ITSELF], net[COPY]), NET_OK);
    assert_int_equal(net_read(net[WEIGHTS_ALONE], bytes, size, false), NET_OK);
    net_sha256(net[ITSELF], hash[ITSELF]);
    net_sha256(net[WEIGHTS_ALONE], hash[WEIGHTS_ALONE]);
    assert_string_equal(hash[WEIGHTS_ALONE], hash[ITSELF]);
    free(bytes);
    free(again);

    for (int n = 0; n < NETS; n++) {
        learn(net[n], spec, batch, rule, 20, 40);
        net_sha256(net[n], hash[n]);
        net_free(net[n]);
    }
    assert_string_equal(hash[ITSELF], golden);
    assert_string_equal(hash[RESUMED], golden);
    assert_string_equal(hash[COPY], golden);
    assert_true((strcmp(hash[WEIGHTS_ALONE], golden) == 0) == (rule == NET_SGD));
}

void learning_goes_on(const struct net_spec *spec, int batch, const char *const golden[])
{
    for (enum net_rule rule = NET_SGD; rule <= NET_ADAM; rule++)
        goes_on(spec, batch, rule, golden[rule]);
}
