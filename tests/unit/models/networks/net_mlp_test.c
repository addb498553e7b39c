/* Small networks in plain C: the numbers, the gradient, the rules of learning, and their files. */
#include "models/networks/net_kind.h"
#include "tests/unit/models/networks/learning.h"
#include "tests/unit/models/networks/net_parameters.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct net *mlp_new(struct net_spec spec)
{
    spec.architecture = "mlp";
    return learning_net(&spec);
}

static void assert_close(double value, double expected, double most)
{
    if (!(fabs(value - expected) <= most))
        fail_msg("%.9f is not %.9f", value, expected);
}

static const struct net_optimiser whole_step = {.rule = NET_SGD, .rate = 1.0};

/* 2 -> 2 -> 1, layer by layer: tensor 0 weights, 1 bias, 2 weights, 3 bias. */
static struct net *hand_made(void)
{
    struct net *net = mlp_new((struct net_spec){.inputs = 2, .hidden = {2}, .outputs = 1});
    assert_int_equal(net_parameters(net), 9);
    net->kind->set(net, 0, (const float[]){1.0f, -1.0f, 2.0f, 0.5f}); /* [input][unit] */
    net->kind->set(net, 1, (const float[]){0.25f, 0.5f});
    net->kind->set(net, 2, (const float[]){3.0f, 4.0f});
    net->kind->set(net, 3, (const float[]){-1.0f});
    net->kind->forget(net, false);
    return net;
}

static void numbers_match_hand_calculation(void **state)
{
    (void)state;
    struct net *net = hand_made();
    /* (1, 1): units 3.25 and 0; (-1, 0): 0 and 1.5; (0, 0): the biases. */
    const float inputs[] = {1.0f, 1.0f, -1.0f, 0.0f, 0.0f, 0.0f};
    float outputs[3];
    assert_int_equal(net_evaluate(net, 3, inputs, outputs), NET_OK);
    assert_true(outputs[0] == 8.75f);
    assert_true(outputs[1] == 5.0f);
    assert_true(outputs[2] == 1.75f);

    /* Derivative 2 at (1, 1): only the first unit is open. */
    float at[4];
    assert_int_equal(net_forward(net, 1, inputs, outputs), NET_OK);
    assert_int_equal(net_backward(net, 1, (const float[]){2.0f}), NET_OK);
    double norm;
    assert_int_equal(net_update(net, &whole_step, &norm), NET_OK);
    net->kind->get(net, 0, at);
    assert_true(at[0] == -5.0f && at[1] == -1.0f && at[2] == -4.0f && at[3] == 0.5f);
    net->kind->get(net, 1, at);
    assert_true(at[0] == -5.75f && at[1] == 0.5f);
    net->kind->get(net, 2, at);
    assert_true(at[0] == -3.5f && at[1] == 4.0f);
    net->kind->get(net, 3, at);
    assert_true(at[0] == -3.0f);
    assert_close(norm, sqrt(36.0 + 36.0 + 36.0 + 42.25 + 4.0), 1e-6);
    net_free(net);
}

/* The rules applied to the last bias, whose gradient is the derivative itself. */
static void rules_match_hand_calculation(void **state)
{
    static const struct {
        struct net_optimiser optimiser;
        double after[3]; /* steps of derivative 2, 2, -1, from -1 */
    } cases[] = {
        {{.rule = NET_SGD, .rate = 0.1}, {-1.2, -1.4, -1.3}},
        {{.rule = NET_SGD, .rate = 0.1, .decay = 0.5}, {-1.15, -1.2925, -1.127875}},
        {{.rule = NET_MOMENTUM, .rate = 0.1, .momentum = 0.5}, {-1.2, -1.5, -1.55}},
        /* Adam: m 0.2, 0.38, 0.242; v 0.004, 0.007996, 0.008988004, each divided by its
         * correction. */
        {{.rule = NET_ADAM, .rate = 0.1}, {-1.1, -1.2, -1.2515653}},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct net *net = hand_made();
        for (int k = 0; k < 3; k++) {
            const float inputs[] = {0.0f, 0.0f}, d[] = {k == 2 ? -1.0f : 2.0f};
            float output, bias;
            net_forward(net, 1, inputs, &output);
            net_backward(net, 1, d);
            net_update(net, &cases[c].optimiser, NULL);
            net->kind->get(net, 3, &bias);
            assert_close((double)bias, cases[c].after[k], 2e-6);
        }
        net_free(net);
    }

    /* A gradient of norm 13 is clipped to 1: each number is divided by 13. */
    struct net *net = mlp_new((struct net_spec){.inputs = 1, .outputs = 1});
    const struct net_optimiser cut = {.rule = NET_SGD, .rate = 1.0, .clip = 1.0};
    float before, after;
    double norm;
    net->kind->get(net, 1, &before);
    net_forward(net, 1, (const float[]){2.4f}, &after);
    net_backward(net, 1, (const float[]){5.0f});
    net_update(net, &cut, &norm);
    net->kind->get(net, 1, &after);
    assert_close(norm, 13.0, 1e-5);
    assert_close((double)(before - after), 5.0 / 13.0, 1e-6);
    net_free(net);
}

enum { INPUTS = 11, OUTPUTS = 19, BATCH = 5 };
static const struct net_spec deep = {
    .architecture = "mlp", .inputs = INPUTS, .hidden = {70, 33, 9}, .outputs = OUTPUTS, .seed = 3};

static double loss(struct net *net, const float *inputs, const float *weights)
{
    float outputs[BATCH * OUTPUTS];
    double sum = 0.0;
    net_evaluate(net, BATCH, inputs, outputs);
    for (int k = 0; k < BATCH * OUTPUTS; k++)
        sum += (double)weights[k] * (double)outputs[k] * (double)outputs[k] / 2.0;
    return sum;
}

/* The gradient against differences of the loss, number by number, in every layer. */
static void gradient_matches_finite_differences_of_the_loss(void **state)
{
    (void)state;
    struct net *net = mlp_new(deep);
    struct net_tensors tensors;
    float inputs[BATCH * INPUTS], weights[BATCH * OUTPUTS], outputs[BATCH * OUTPUTS];
    float d[BATCH * OUTPUTS];
    learning_fill(inputs, BATCH * INPUTS, 1);
    learning_fill(weights, BATCH * OUTPUTS, 2);
    net->kind->tensors(net, &tensors);

    int checked = 0;
    double most = 0.0, here = loss(net, inputs, weights);
    for (int k = 0; k < tensors.weights; k++) {
        float before[70 * 70], moved[70 * 70];
        size_t size = 1;
        for (int side = 0; side < tensors.tensor[k].rank; side++)
            size *= (size_t)tensors.tensor[k].side[side];
        net->kind->get(net, k, before);
        for (size_t at = 0; at < size; at += 7) {
            /* One step along the whole gradient, then back. */
            net_forward(net, BATCH, inputs, outputs);
            for (int j = 0; j < BATCH * OUTPUTS; j++)
                d[j] = weights[j] * outputs[j];
            net_backward(net, BATCH, d);
            unsigned char *bytes;
            size_t file_size;
            assert_int_equal(net_write(net, false, &bytes, &file_size), NET_OK);
            net_update(net, &whole_step, NULL);
            net->kind->get(net, k, moved);
            double gradient = (double)before[at] - (double)moved[at];
            assert_int_equal(net_read(net, bytes, file_size, false), NET_OK);
            free(bytes);

            const float little = 2e-3f;
            memcpy(moved, before, sizeof moved);
            moved[at] = before[at] + little;
            net->kind->set(net, k, moved);
            double above = loss(net, inputs, weights);
            moved[at] = before[at] - little;
            net->kind->set(net, k, moved);
            double below = loss(net, inputs, weights);
            net->kind->set(net, k, before);
            double slope = (above - below) / (2.0 * (double)little);
            double bend = (above - 2.0 * here + below) / (double)little;
            if (fabs(bend) > 2e-4 + 0.01 * fabs(slope))
                continue; /* a unit opens or shuts in between: no derivative */
            assert_close(gradient, slope, 2e-4 + 0.01 * fabs(slope));
            most = fmax(most, fabs(slope));
            checked++;
        }
    }
    assert_true(checked > 400 && most > 0.05);
    net_free(net);
}

/* A row's outputs do not depend on other rows, and evaluating in between changes nothing. */
static void rows_do_not_affect_each_other(void **state)
{
    (void)state;
    struct net *one = mlp_new(deep), *two = mlp_new(deep);
    float inputs[BATCH * INPUTS], d[BATCH * OUTPUTS], all[BATCH * OUTPUTS], row[OUTPUTS];
    char hash[65], same[65];
    learning_fill(inputs, BATCH * INPUTS, 5);
    learning_fill(d, BATCH * OUTPUTS, 6);
    net_forward(one, BATCH, inputs, all);
    for (int k = 0; k < BATCH; k++) {
        net_evaluate(one, 1, inputs + k * INPUTS, row);
        assert_memory_equal(row, all + k * OUTPUTS, sizeof row);
        /* The same gradient, accumulated one row at a time. */
        net_forward(two, 1, inputs + k * INPUTS, row);
        net_backward(two, 1, d + k * OUTPUTS);
    }
    net_backward(one, BATCH, d);
    net_update(one, &whole_step, NULL);
    net_update(two, &whole_step, NULL);
    net_sha256(one, hash);
    net_sha256(two, same);
    assert_string_equal(hash, same);
    net_free(one);
    net_free(two);
}

/* A NaN loss changes nothing, and the network still works after it. */
static void no_step_along_infinite_gradients(void **state)
{
    (void)state;
    struct net *net = hand_made();
    const float inputs[2] = {1.0f, -1.0f}, wrong = NAN, right = 1.0f;
    float output;
    double norm = -1.0;
    char before[65], after[65];
    net_sha256(net, before);
    assert_int_equal(net_forward(net, 1, inputs, &output), NET_OK);
    assert_int_equal(net_backward(net, 1, &wrong), NET_OK);
    assert_int_equal(net_update(net, &whole_step, &norm), NET_NOT_FINITE);
    assert_true(norm == -1.0);
    net_sha256(net, after);
    assert_string_equal(before, after);
    assert_int_equal(net_forward(net, 1, inputs, &output), NET_OK);
    assert_int_equal(net_backward(net, 1, &right), NET_OK);
    assert_int_equal(net_update(net, &whole_step, NULL), NET_OK);
    net_sha256(net, after);
    assert_string_not_equal(before, after);
    net_free(net);
}

/* Writing and reading in between, other compilers and other registers give the same bits. */
static void learning_goes_on_from_a_file(void **state)
{
    static const char *const golden[] = {
        [NET_SGD] = "0160684f65310a11716899416bf4ea0a1df5e5650eac546edcfd2b3fec8150b6",
        [NET_MOMENTUM] = "e8d4ced1ea0a7bbdae7d4b9144d6f2bf9556009ecea090bc10a548f0ed0a646f",
        [NET_ADAM] = "ba60215bee74c7ec9c56be8e4c21eb3ecc5a4adc82ef0ad844f732d5e518cbf1",
    };
    (void)state;
    learning_goes_on(&deep, BATCH, golden);
}

static void first_outputs_are_copied(void **state)
{
    (void)state;
    const struct net_spec spec = {.inputs = 7, .hidden = {9, 5}, .outputs = 11, .seed = 1};
    struct net_spec fewer = spec, other = spec;
    fewer.outputs = 10;
    other.hidden[1] = 4;
    fewer.seed = 2;
    struct net *net = mlp_new(spec), *first = mlp_new(fewer), *alien = mlp_new(other);
    float inputs[3 * 7], outputs[3 * 11], kept[3 * 10];
    learning_fill(inputs, 3 * 7, 1);
    assert_int_equal(net_copy_first_outputs(net, first), NET_OK);
    assert_int_equal(net_evaluate(net, 3, inputs, outputs), NET_OK);
    assert_int_equal(net_evaluate(first, 3, inputs, kept), NET_OK);
    for (int row = 0; row < 3; row++)
        assert_memory_equal(kept + row * 10, outputs + row * 11, 10 * sizeof *kept);

    char before[65], after[65];
    net_sha256(alien, before);
    assert_int_equal(net_copy_first_outputs(net, alien), NET_BAD_SHAPE);
    assert_int_equal(net_copy_first_outputs(first, net), NET_BAD_SHAPE); /* not more outputs */
    net_sha256(alien, after);
    assert_string_equal(before, after);
    net_free(net);
    net_free(first);
    net_free(alien);
}

static void bad_specs_are_named(void **state)
{
    static const struct {
        struct net_spec spec;
        const char *device, *says;
    } cases[] = {
        {{.architecture = "mlp", .inputs = 0, .outputs = 1}, "cpu", "inputs: 0 is not in 1..16384"},
        {{.architecture = "mlp", .inputs = 1, .outputs = 99999}, "cpu", "outputs: 99999"},
        {{.architecture = "mlp", .inputs = 1, .outputs = 1, .hidden = {-3}}, "cpu", "hidden: -3"},
        {{.architecture = "mlp", .inputs = 1, .outputs = 1}, "cuda", "device: mlp runs on cpu"},
        {{.architecture = "tree", .inputs = 1, .outputs = 1}, "cpu", "architecture"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char error[NET_ERROR_MAX] = "";
        struct net *net;
        assert_int_equal(net_new(&cases[k].spec, cases[k].device, &net, error), NET_BAD_SPEC);
        assert_non_null(strstr(error, cases[k].says));
    }
}

/* Weights of other sizes, cut files and NaN leave the network unchanged. */
static void bad_weights_are_refused(void **state)
{
    (void)state;
    struct net *net = mlp_new(deep), *small = mlp_new((struct net_spec){.inputs = 2, .outputs = 1});
    unsigned char *bytes;
    size_t size;
    char hash[65], same[65];
    const float nan_values[] = {NAN, 0.0f};

    net_sha256(net, hash);
    assert_int_equal(net_copy(small, net), NET_BAD_SHAPE);
    small->kind->set(small, 0, nan_values);
    assert_int_equal(net_write(small, false, &bytes, &size), NET_OK);
    assert_int_equal(net_read(small, bytes, size, false), NET_BAD_FILE);
    free(bytes);
    assert_int_equal(net_write(net, true, &bytes, &size), NET_OK);
    for (size_t length = 0; length < size; length += 1 + size / 50)
        assert_int_equal(net_read(net, bytes, length, true), NET_BAD_FILE);
    free(bytes);
    net_sha256(net, same);
    assert_string_equal(hash, same);
    net_free(net);
    net_free(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_match_hand_calculation),
        cmocka_unit_test(rules_match_hand_calculation),
        cmocka_unit_test(gradient_matches_finite_differences_of_the_loss),
        cmocka_unit_test(rows_do_not_affect_each_other),
        cmocka_unit_test(no_step_along_infinite_gradients),
        cmocka_unit_test(learning_goes_on_from_a_file),
        cmocka_unit_test(first_outputs_are_copied),
        cmocka_unit_test(bad_specs_are_named),
        cmocka_unit_test(bad_weights_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
