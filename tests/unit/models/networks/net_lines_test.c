/* Networks that look along lines: shared layers for all rows, separate layers for the rest, and
 * both as one network that learns and is cut, copied and stored like any other. */
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

enum { ROWS = 4, FEATURES = 9, IN_ROWS = ROWS * FEATURES, REST_IN = 6, INPUTS = IN_ROWS + REST_IN };
enum { OF_ROW = 5, OF_REST = 3, OUTPUTS = ROWS * OF_ROW + OF_REST, BATCH = 5 };
enum { NUMBERS_MAX = 20 * 20 };

static const struct net_spec both = {.architecture = "lines",
                                     .inputs = INPUTS,
                                     .rows = ROWS,
                                     .row_features = FEATURES,
                                     .hidden = {19, 10},
                                     .outputs = OUTPUTS,
                                     .seed = 3};

static size_t size_of(const struct net_tensor *tensor)
{
    size_t size = 1;
    for (int side = 0; side < tensor->rank; side++)
        size *= (size_t)tensor->side[side];
    return size;
}

static const struct net_optimiser whole_step = {.rule = NET_SGD, .rate = 1.0};

static void numbers_match_hand_calculation(void **state)
{
    (void)state;
    /* 2 rows of 2 numbers and 1 more number; 1 output for each row and 1 for the rest. */
    struct net *net = learning_net(&(struct net_spec){.architecture = "lines",
                                                      .inputs = 5,
                                                      .rows = 2,
                                                      .row_features = 2,
                                                      .hidden = {1},
                                                      .outputs = 3});
    static const float weights[][2] = {{1.0f, -2.0f}, {0.5f},  {3.0f}, {-1.0f},  /* rows */
                                       {2.0f},        {-4.0f}, {5.0f}, {0.25f}}; /* the rest */
    assert_int_equal(net_parameters(net), 9);
    for (int k = 0; k < 8; k++)
        net->kind->set(net, k, weights[k]);
    net->kind->forget(net, false);
    /* Units 1 - 2 * -1 + .5 = 3.5; 2 - 2 * 2 + .5 < 0; 2 * 3 - 4 = 2. Then 0 - 0 + .5; .5; < 0. */
    const float inputs[] = {1.0f, -1.0f, 2.0f, 2.0f, 3.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f};
    static const float wanted[] = {9.5f, -1.0f, 10.25f, 0.5f, 0.5f, 0.25f};
    float outputs[6];
    assert_int_equal(net_evaluate(net, 2, inputs, outputs), NET_OK);
    assert_memory_equal(outputs, wanted, sizeof wanted);

    /* In the batch's first element row 0 has derivative 2, row 1 has 1, whose unit is shut, and the
     * rest -1. Gradients: weights of the rows' unit 6 * 1, 6 * -1, its bias 6, its weight 2 * 3.5,
     * the bias 2 + 1; of the rest -5 * 3, -5, -1 * 2, -1. */
    static const float d[] = {2.0f, 1.0f, -1.0f, 0.0f, 0.0f, 0.0f};
    static const float after[][2] = {{-5.0f, 4.0f}, {-5.5f}, {-4.0f}, {-4.0f},
                                     {17.0f},       {1.0f},  {7.0f},  {1.25f}};
    double norm;
    assert_int_equal(net_forward(net, 2, inputs, outputs), NET_OK);
    assert_memory_equal(outputs, wanted, sizeof wanted);
    assert_int_equal(net_backward(net, 2, d), NET_OK);
    assert_int_equal(net_update(net, &whole_step, &norm), NET_OK);
    for (int k = 0; k < 8; k++) {
        float got[2] = {0.0f, 0.0f};
        net->kind->get(net, k, got);
        assert_memory_equal(got, after[k], sizeof got);
    }
    /* One norm for both parts. */
    assert_true(fabs(norm * norm - (36.0 + 36.0 + 36.0 + 49.0 + 9.0 + 225.0 + 25.0 + 4.0 + 1.0)) <
                1e-9);
    net_free(net);
}

/* A clipped step is in the direction of the whole gradient. */
static void clipping_keeps_the_direction_of_the_gradient(void **state)
{
    (void)state;
    const struct net_optimiser cut = {.rule = NET_SGD, .rate = 1.0, .clip = 0.25};
    struct net *free_net = learning_net(&both), *cut_net = learning_net(&both);
    struct net_tensors tensors;
    float inputs[BATCH * INPUTS], d[BATCH * OUTPUTS], outputs[BATCH * OUTPUTS];
    double norm = 0.0, same = 0.0, squares = 0.0;

    learning_fill(inputs, BATCH * INPUTS, 1);
    learning_fill(d, BATCH * OUTPUTS, 2);
    net_forward(free_net, BATCH, inputs, outputs);
    net_forward(cut_net, BATCH, inputs, outputs);
    net_backward(free_net, BATCH, d);
    net_backward(cut_net, BATCH, d);
    struct net *before = learning_net(&both);
    assert_int_equal(net_update(free_net, &whole_step, &norm), NET_OK);
    assert_int_equal(net_update(cut_net, &cut, &same), NET_OK);
    assert_true(norm == same && norm > 0.5);
    before->kind->tensors(before, &tensors);
    for (int k = 0; k < tensors.weights; k++) {
        float old[NUMBERS_MAX], whole[NUMBERS_MAX], part[NUMBERS_MAX];
        before->kind->get(before, k, old);
        free_net->kind->get(free_net, k, whole);
        cut_net->kind->get(cut_net, k, part);
        for (size_t n = 0; n < size_of(&tensors.tensor[k]); n++) {
            double step = (double)old[n] - (double)whole[n];
            squares += step * step;
            assert_true(fabs((double)old[n] - (double)part[n] - step * 0.25 / norm) < 1e-6);
        }
    }
    assert_true(fabs(sqrt(squares) - norm) < 1e-4);
    net_free(free_net);
    net_free(cut_net);
    net_free(before);
}

static double loss(struct net *net, const float *inputs, const float *weights)
{
    float outputs[BATCH * OUTPUTS];
    double sum = 0.0;
    net_evaluate(net, BATCH, inputs, outputs);
    for (int k = 0; k < BATCH * OUTPUTS; k++)
        sum += (double)weights[k] * (double)outputs[k] * (double)outputs[k] / 2.0;
    return sum;
}

/* Makes one step along the whole gradient of that loss; ret_after: tensor k afterwards. */
static void step_down(const float *inputs, const float *weights, int k, float *ret_after)
{
    struct net *net = learning_net(&both);
    float outputs[BATCH * OUTPUTS];
    net_forward(net, BATCH, inputs, outputs);
    for (int j = 0; j < BATCH * OUTPUTS; j++)
        outputs[j] *= weights[j];
    net_backward(net, BATCH, outputs);
    net_update(net, &whole_step, NULL);
    net->kind->get(net, k, ret_after);
    net_free(net);
}

/* The gradient against differences of the loss, number by number, in every layer of both parts. */
static void gradient_matches_finite_differences_of_the_loss(void **state)
{
    (void)state;
    struct net *net = learning_net(&both);
    struct net_tensors tensors;
    float inputs[BATCH * INPUTS], weights[BATCH * OUTPUTS];
    learning_fill(inputs, BATCH * INPUTS, 1);
    learning_fill(weights, BATCH * OUTPUTS, 2);
    net->kind->tensors(net, &tensors);

    int checked = 0, numbers = 0;
    double here = loss(net, inputs, weights);
    for (int k = 0; k < tensors.weights; k++) {
        float before[NUMBERS_MAX], after[NUMBERS_MAX], moved[NUMBERS_MAX];
        double most = 0.0;
        net->kind->get(net, k, before);
        step_down(inputs, weights, k, after);
        memcpy(moved, before, sizeof moved);
        for (size_t at = 0; at < size_of(&tensors.tensor[k]); at++, numbers++) {
            const float little = 2e-3f;
            moved[at] = before[at] + little;
            net->kind->set(net, k, moved);
            double above = loss(net, inputs, weights);
            moved[at] = before[at] - little;
            net->kind->set(net, k, moved);
            double below = loss(net, inputs, weights);
            moved[at] = before[at];
            double slope = (above - below) / (2.0 * (double)little);
            double bend = (above - 2.0 * here + below) / (double)little;
            if (fabs(bend) > 5e-4 + 0.01 * fabs(slope))
                continue; /* a unit opens or shuts in between: no derivative */
            double gradient = (double)before[at] - (double)after[at];
            if (fabs(gradient - slope) > 5e-4 + 0.01 * fabs(slope))
                fail_msg("%s %zu: %.9f is not %.9f", tensors.tensor[k].name, at, gradient, slope);
            most = fmax(most, fabs(slope));
            checked++;
        }
        net->kind->set(net, k, before);
        assert_true(most > 0.01);
    }
    assert_true(checked > numbers * 3 / 4);
    net_free(net);
}

/* Computes the gradient of a batch, calling forward() and backward() for pieces of this many
 * rows. */
static void learn_in_pieces(struct net *net, int piece, const float *inputs, const float *d,
                            float *ret_outputs)
{
    for (int from = 0; from < BATCH; from += piece) {
        int count = from + piece > BATCH ? BATCH - from : piece;
        assert_int_equal(
            net_forward(net, count, inputs + from * INPUTS, ret_outputs + from * OUTPUTS), NET_OK);
        assert_int_equal(net_backward(net, count, d + from * OUTPUTS), NET_OK);
    }
    assert_int_equal(net_update(net, &whole_step, NULL), NET_OK);
}

static void any_split_into_batches_gives_the_same_gradient(void **state)
{
    (void)state;
    float inputs[BATCH * INPUTS], d[BATCH * OUTPUTS], all[BATCH * OUTPUTS];
    float outputs[BATCH * OUTPUTS];
    char hash[65], same[65];
    struct net *whole = learning_net(&both);

    learning_fill(inputs, BATCH * INPUTS, 5);
    learning_fill(d, BATCH * OUTPUTS, 6);
    assert_int_equal(net_evaluate(whole, BATCH, inputs, outputs), NET_OK);
    learn_in_pieces(whole, BATCH, inputs, d, all);
    assert_memory_equal(all, outputs, sizeof all);
    net_sha256(whole, hash);
    for (int piece = 1; piece < BATCH; piece++) {
        struct net *net = learning_net(&both);
        for (int row = 0; row < BATCH; row += piece) {
            int count = row + piece > BATCH ? BATCH - row : piece;
            net_evaluate(net, count, inputs + row * INPUTS, outputs + row * OUTPUTS);
        }
        assert_memory_equal(outputs, all, sizeof all);
        memset(outputs, 0, sizeof outputs);
        learn_in_pieces(net, piece, inputs, d, outputs);
        assert_memory_equal(outputs, all, sizeof all);
        net_sha256(net, same);
        assert_string_equal(same, hash);
        net_free(net);
    }
    net_free(whole);
}

/* All rows are treated alike and do not influence each other. */
static void rows_share_their_layers(void **state)
{
    (void)state;
    struct net *net = learning_net(&both);
    float inputs[INPUTS], turned[INPUTS], outputs[OUTPUTS], expected[OUTPUTS];

    learning_fill(inputs, INPUTS, 9);
    memcpy(turned, inputs, sizeof turned);
    for (int row = 0; row < ROWS; row++)
        memcpy(turned + row * FEATURES, inputs + (row + 1) % ROWS * FEATURES,
               FEATURES * sizeof *turned);
    assert_int_equal(net_evaluate(net, 1, inputs, outputs), NET_OK);
    memcpy(expected, outputs, sizeof expected);
    for (int row = 0; row < ROWS; row++)
        memcpy(expected + row * OF_ROW, outputs + (row + 1) % ROWS * OF_ROW,
               OF_ROW * sizeof *expected);
    assert_int_equal(net_evaluate(net, 1, turned, outputs), NET_OK);
    assert_memory_equal(outputs, expected, sizeof expected);
    net_free(net);
}

/* backward() needs a preceding forward(). */
static void backward_needs_a_forward_pass(void **state)
{
    (void)state;
    struct net *net = learning_net(&both);
    float inputs[BATCH * INPUTS], outputs[BATCH * OUTPUTS];
    learning_fill(inputs, BATCH * INPUTS, 7);
    assert_int_equal(net_backward(net, 1, outputs), NET_FAILED);
    assert_int_equal(net_forward(net, BATCH, inputs, outputs), NET_OK);
    assert_int_equal(net_backward(net, BATCH - 1, outputs), NET_FAILED);
    assert_int_equal(net_backward(net, BATCH, outputs), NET_OK);
    net_free(net);
}

/* A gradient that is not finite in one part moves neither part. */
static void no_step_along_infinite_gradients(void **state)
{
    (void)state;
    const int wrong[] = {0, OUTPUTS - 1}; /* of a row, and of the rest */
    struct net *net = learning_net(&both);
    float inputs[INPUTS], outputs[OUTPUTS], d[OUTPUTS];
    char before[65], after[65];

    learning_fill(inputs, INPUTS, 1);
    net_sha256(net, before);
    for (int k = 0; k < 2; k++) {
        learning_fill(d, OUTPUTS, 2);
        d[wrong[k]] = NAN;
        assert_int_equal(net_forward(net, 1, inputs, outputs), NET_OK);
        assert_int_equal(net_backward(net, 1, d), NET_OK);
        assert_int_equal(net_update(net, &whole_step, NULL), NET_NOT_FINITE);
        net_sha256(net, after);
        assert_string_equal(before, after);
    }
    learning_fill(d, OUTPUTS, 2);
    assert_int_equal(net_forward(net, 1, inputs, outputs), NET_OK);
    assert_int_equal(net_backward(net, 1, d), NET_OK);
    assert_int_equal(net_update(net, &whole_step, NULL), NET_OK);
    net_sha256(net, after);
    assert_string_not_equal(before, after);
    net_free(net);
}

/* Writing and reading in between, other compilers and other registers give the same bits. */
static void learning_goes_on_from_a_file(void **state)
{
    static const char *const golden[] = {
        [NET_SGD] = "80edcf80369224fd769ae3542850b382b2b1dfd8a6ebf43daaf434df04bf84c3",
        [NET_MOMENTUM] = "4aca3a2664c20b8fa0991a9ed7fd7e7fe7ad7a9028d04b71a0ba0c626c4d63f3",
        [NET_ADAM] = "f5c2feda3b1fe2052916be5e882e0bf516205a8f97d1bc0e6835b1bd4a8299a8",
    };
    (void)state;
    learning_goes_on(&both, BATCH, golden);
}

static void tensors_are_named_by_part_and_layer(void **state)
{
    static const char *const names[] = {
        "rows.layer1.weight", "rows.layer1.bias", "rows.layer2.weight", "rows.layer2.bias",
        "rows.layer3.weight", "rows.layer3.bias", "rest.layer1.weight", "rest.layer1.bias",
        "rest.layer2.weight", "rest.layer2.bias", "rest.layer3.weight", "rest.layer3.bias"};
    static const char *const gathered[] = {
        "optimiser.first.rows.layer1.weight", "optimiser.second.rows.layer3.bias",
        "optimiser.steps.rows", "optimiser.first.rest.layer2.weight", "optimiser.steps.rest"};
    enum {
        WEIGHTS = sizeof names / sizeof names[0],
        GATHERED = sizeof gathered / sizeof *gathered
    };
    (void)state;
    struct net *net = learning_net(&both);
    struct net_tensors tensors;

    net->kind->tensors(net, &tensors);
    assert_int_equal(tensors.weights, WEIGHTS);
    assert_int_equal(tensors.count, 3 * WEIGHTS + 2);
    for (int k = 0; k < WEIGHTS; k++)
        assert_string_equal(tensors.tensor[k].name, names[k]);
    for (int k = 0, g = 0; g < GATHERED; g++) {
        for (k = WEIGHTS; k < tensors.count && strcmp(tensors.tensor[k].name, gathered[g]) != 0;)
            k++;
        assert_in_range(k, WEIGHTS, tensors.count - 1);
    }
    for (int k = WEIGHTS; k < tensors.count; k++)
        assert_int_equal(strncmp(tensors.tensor[k].name, NET_OPTIMISER, strlen(NET_OPTIMISER)), 0);
    net_free(net);
}

/* A checkpoint with a negative step count is refused, in either part. */
static void broken_checkpoints_are_refused(void **state)
{
    (void)state;
    const float below[] = {0.0f, -1.0f};
    struct net *net = learning_net(&both);
    struct net_tensors tensors;
    unsigned char *bytes;
    size_t size;

    net->kind->tensors(net, &tensors);
    for (int k = 0; k < tensors.count; k++) {
        if (!strstr(tensors.tensor[k].name, "steps"))
            continue;
        net->kind->set(net, k, below);
        assert_int_equal(net_write(net, true, &bytes, &size), NET_OK);
        assert_int_equal(net_read(net, bytes, size, true), NET_BAD_FILE);
        free(bytes);
        net->kind->forget(net, false);
    }
    assert_int_equal(net_write(net, true, &bytes, &size), NET_OK);
    assert_int_equal(net_read(net, bytes, size, true), NET_OK);
    for (size_t length = 0; length < size; length += 1 + size / 50)
        assert_int_equal(net_read(net, bytes, length, true), NET_BAD_FILE);
    free(bytes);
    net_free(net);
}

/* In the copy the rest may have fewer outputs or none: policies without the value learned beside
 * them. */
static void first_outputs_are_copied(void **state)
{
    (void)state;
    struct net *net = learning_net(&both);
    float inputs[BATCH * INPUTS], outputs[BATCH * OUTPUTS], kept[BATCH * OUTPUTS];

    learning_fill(inputs, BATCH * INPUTS, 1);
    assert_int_equal(net_evaluate(net, BATCH, inputs, outputs), NET_OK);
    for (int fewer = 0; fewer <= OF_REST; fewer++) {
        struct net_spec spec = both;
        spec.seed = 8;
        spec.outputs = OUTPUTS - fewer;
        struct net *first = learning_net(&spec);
        assert_int_equal(net_copy_first_outputs(net, first), NET_OK);
        assert_int_equal(net_evaluate(first, BATCH, inputs, kept), NET_OK);
        for (int row = 0; row < BATCH; row++)
            assert_memory_equal(kept + row * spec.outputs, outputs + row * OUTPUTS,
                                (size_t)spec.outputs * sizeof *kept);
        if (fewer > 0)
            assert_int_equal(net_copy_first_outputs(first, net), NET_BAD_SHAPE); /* not more */
        net_free(first);
    }
    net_free(net);
}

static void other_shapes_are_not_copied(void **state)
{
    (void)state;
    struct net_spec others[6];
    struct net *net = learning_net(&both);
    char before[65], after[65];

    for (int k = 0; k < 6; k++)
        others[k] = both;
    others[0].outputs = OUTPUTS - ROWS;              /* one output fewer in each row */
    others[1].hidden[1] = 11;                        /* another layer */
    others[2].hidden[1] = 0;                         /* one layer fewer */
    others[3].row_features = 8;                      /* inputs divided differently */
    others[4].inputs = INPUTS + 1;                   /* more inputs for the rest */
    others[5].rows = 2, others[5].row_features = 18; /* the same numbers in other rows */
    for (int k = 0; k < 6; k++) {
        struct net *other = learning_net(&others[k]);
        net_sha256(other, before);
        assert_int_equal(net_copy_first_outputs(net, other), NET_BAD_SHAPE);
        assert_int_equal(net_copy(net, other), NET_BAD_SHAPE);
        net_sha256(other, after);
        assert_string_equal(before, after);
        net_free(other);
    }
    struct net *mlp =
        learning_net(&(struct net_spec){.architecture = "mlp", .inputs = INPUTS, .outputs = 2});
    assert_int_equal(net_copy_first_outputs(net, mlp), NET_BAD_SHAPE);
    assert_int_equal(net_copy(mlp, net), NET_BAD_SHAPE);
    net_free(mlp);
    net_free(net);
}

/* Without hidden layers, and with outputs of one part only. */
static void unusual_sizes_are_networks_too(void **state)
{
    static const struct {
        int outputs, weights;
    } cases[] = {{ROWS, FEATURES + 1}, {ROWS - 1, (REST_IN + 1) * (ROWS - 1)}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct net_spec spec = both;
        float inputs[BATCH * INPUTS], outputs[BATCH * ROWS], same[BATCH * ROWS];
        char before[65], after[65];
        memset(spec.hidden, 0, sizeof spec.hidden);
        spec.outputs = cases[k].outputs;
        struct net *net = learning_net(&spec);
        assert_int_equal(net_parameters(net), cases[k].weights);
        learning_fill(inputs, BATCH * INPUTS, 2);
        assert_int_equal(net_evaluate(net, BATCH, inputs, outputs), NET_OK);
        assert_int_equal(net_forward(net, BATCH, inputs, same), NET_OK);
        assert_memory_equal(outputs, same, (size_t)(BATCH * spec.outputs) * sizeof *same);
        net_sha256(net, before);
        assert_int_equal(net_backward(net, BATCH, outputs), NET_OK);
        assert_int_equal(net_update(net, &whole_step, NULL), NET_OK);
        net_sha256(net, after);
        assert_string_not_equal(before, after);
        net_free(net);
    }
}

static void bad_specs_are_named(void **state)
{
#define SPEC(of_rows, of_row, all, out) \
    .architecture = "lines", .rows = of_rows, .row_features = of_row, .inputs = all, .outputs = out
    static const struct {
        struct net_spec spec;
        const char *device, *says;
    } cases[] = {
        {{SPEC(0, 3, 10, 7)}, "cpu", "rows: 0"},
        {{SPEC(-1, 3, 10, 7)}, "cpu", "rows: -1"},
        {{SPEC(3, 0, 10, 7)}, "cpu", "row_features: 3 rows of 0"},
        {{SPEC(3, 4, 10, 7)}, "cpu", "row_features: 3 rows of 4"},
        {{SPEC(3, 3, 9, 7)}, "cpu", "row_features: 3 rows of 3"},
        {{SPEC(1 << 30, 4, 10, 7)}, "cpu", "row_features"}, /* 2^32 inputs, which is 0 in 32 bits */
        {{SPEC(2, 20000, 100000, 7)}, "cpu", "row_features: 2 rows of 20000"},
        {{SPEC(3, 3, 100000, 7)}, "cpu", "inputs: 99991"},
        {{SPEC(3, 3, 10, 0)}, "cpu", "outputs: 0"},
        {{SPEC(3, 3, 10, -5)}, "cpu", "outputs: -5"},
        {{SPEC(3, 3, 10, 3 * 16385)}, "cpu", "outputs: 16385"},
        {{SPEC(3, 3, 10, 7), .hidden = {4, -3}}, "cpu", "hidden: -3"},
        {{SPEC(3, 3, 10, 7)}, "cuda", "device: lines runs on cpu"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char error[NET_ERROR_MAX] = "";
        struct net *net;
        assert_int_equal(net_new(&cases[k].spec, cases[k].device, &net, error), NET_BAD_SPEC);
        if (!strstr(error, cases[k].says))
            fail_msg("\"%s\" does not say \"%s\"", error, cases[k].says);
    }
}

/* The same seed gives the same network; another seed, and either part, gives other weights. */
static void seeds_make_the_weights(void **state)
{
    (void)state;
    /* Both parts have layers of the same sizes. */
    struct net_spec spec = both;
    spec.inputs = IN_ROWS + FEATURES;
    spec.outputs = ROWS * 2 + 2;
    float rows[NUMBERS_MAX], same[NUMBERS_MAX], rest[NUMBERS_MAX];

    for (spec.seed = 0; spec.seed < 3; spec.seed++) {
        struct net_spec next = spec;
        next.seed++;
        struct net *net = learning_net(&spec), *again = learning_net(&spec),
                   *other = learning_net(&next);
        const size_t bytes = FEATURES * 19 * sizeof *rows;
        net->kind->get(net, 0, rows);
        again->kind->get(again, 0, same);
        assert_memory_equal(rows, same, bytes);
        net->kind->get(net, 6, rest);
        assert_memory_not_equal(rows, rest, bytes);
        other->kind->get(other, 0, same);
        assert_memory_not_equal(rows, same, bytes);
        assert_memory_not_equal(rest, same, bytes);
        net_free(net);
        net_free(again);
        net_free(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_match_hand_calculation),
        cmocka_unit_test(clipping_keeps_the_direction_of_the_gradient),
        cmocka_unit_test(gradient_matches_finite_differences_of_the_loss),
        cmocka_unit_test(any_split_into_batches_gives_the_same_gradient),
        cmocka_unit_test(rows_share_their_layers),
        cmocka_unit_test(backward_needs_a_forward_pass),
        cmocka_unit_test(no_step_along_infinite_gradients),
        cmocka_unit_test(learning_goes_on_from_a_file),
        cmocka_unit_test(tensors_are_named_by_part_and_layer),
        cmocka_unit_test(broken_checkpoints_are_refused),
        cmocka_unit_test(first_outputs_are_copied),
        cmocka_unit_test(other_shapes_are_not_copied),
        cmocka_unit_test(unusual_sizes_are_networks_too),
        cmocka_unit_test(bad_specs_are_named),
        cmocka_unit_test(seeds_make_the_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
