/* Networks on libtorch through their C interface: set, conv7, resnet. */
#include "models/networks/net.h"
#include "models/networks/planes.h"
#include "tests/unit/models/networks/net_parameters.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PREFIX = 8, KINDS = 3 };

/* Small ones that use every part. */
static const struct net_spec small[KINDS] = {
    {.architecture = "set",
     .inputs = 5 * 3 + 2,
     .outputs = 3,
     .hidden = {6, 5, 4},
     .rows = 5,
     .row_features = 3,
     .seed = 1},
    {.architecture = "conv7",
     .inputs = 2 * PLANES_CELLS,
     .outputs = 3,
     .hidden = {4},
     .planes = 2,
     .seed = 1},
    {.architecture = "resnet",
     .inputs = 2 * PLANES_CELLS,
     .outputs = PLANES_CELLS + 3,
     .hidden = {4},
     .planes = 2,
     .seed = 1},
};

static struct net *made(const struct net_spec *spec, uint64_t seed)
{
    char error[NET_ERROR_MAX];
    struct net *net;
    struct net_spec seeded = *spec;
    seeded.seed = seed;
    if (net_new(&seeded, "cpu", &net, error) != NET_OK)
        fail_msg("%s", error);
    return net;
}

/* Returns a pseudo-random number in -1..1, the same everywhere. */
static float number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(int32_t)*state * 0x1p-31f;
}

static float *numbers(size_t count, uint32_t seed)
{
    float *values = malloc(count * sizeof *values);
    assert_non_null(values);
    for (size_t k = 0; k < count; k++)
        values[k] = number(&seed);
    return values;
}

/* A batch with its results. */
struct batch {
    int rows;
    float *inputs, *outputs, *d_outputs;
};

static struct batch batch_of(const struct net_spec *spec, int rows, uint32_t seed)
{
    size_t inputs = (size_t)rows * (size_t)spec->inputs,
           outputs = (size_t)rows * (size_t)spec->outputs;
    return (struct batch){.rows = rows,
                          .inputs = numbers(inputs, seed),
                          .outputs = numbers(outputs, seed + 1),
                          .d_outputs = numbers(outputs, seed + 2)};
}

static void batch_free(struct batch *batch)
{
    free(batch->inputs);
    free(batch->outputs);
    free(batch->d_outputs);
}

static void learn_once(struct net *net, struct batch *batch, const struct net_optimiser *optimiser)
{
    assert_int_equal(net_forward(net, batch->rows, batch->inputs, batch->outputs), NET_OK);
    assert_int_equal(net_backward(net, batch->rows, batch->d_outputs), NET_OK);
    assert_int_equal(net_update(net, optimiser, NULL), NET_OK);
}

static void assert_same_hash(const struct net *one, const struct net *other, bool same)
{
    char a[65], b[65];
    net_sha256(one, a);
    net_sha256(other, b);
    assert_int_equal(strlen(a), 64);
    assert_true((strcmp(a, b) == 0) == same);
}

/* --- scenarios --- */

/* Counts of numbers in each layer, weight and bias. */
enum { LAYERS_MAX = 32 };
static int layers_of(int kind, int64_t ret_sizes[LAYERS_MAX])
{
    const int64_t set[] = {(3 + 1) * 6, (6 + 1) * 5, (5 + 2 + 1) * 4, (4 + 1) * 3};
    const int64_t conv = (4 * 9 + 1) * 4;
    const int64_t conv7_head[] = {(4 + 1) * 2, (2048 + 1) * 3};
    const int64_t resnet_head[] = {4 + 1, 4 + 1, (1024 + 1) * 256, (256 + 1) * 3};
    int layers = 0;

    if (kind == 0) {
        memcpy(ret_sizes, set, sizeof set);
        return 4;
    }
    ret_sizes[layers++] = (2 * 9 + 1) * 4;
    while (layers < (kind == 1 ? 7 : 19))
        ret_sizes[layers++] = conv;
    for (int k = 0; k < (kind == 1 ? 2 : 4); k++)
        ret_sizes[layers++] = kind == 1 ? conv7_head[k] : resnet_head[k];
    return layers;
}

static void parameters_are_counted(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        struct net *net = made(&small[k], 1);
        int64_t sizes[LAYERS_MAX], sum = 0;
        int layers = layers_of(k, sizes);
        for (int i = 0; i < layers; i++)
            sum += sizes[i];
        assert_int_equal(net_parameters(net), sum);
        net_free(net);
    }
}

/* A row gives the same alone and in a batch; forward() agrees with evaluate(). */
static void rows_of_a_batch_are_independent(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        const struct net_spec *spec = &small[k];
        struct net *net = made(spec, 3);
        struct batch batch = batch_of(spec, 21, 7), alone = batch_of(spec, 1, 7);
        assert_int_equal(net_evaluate(net, 21, batch.inputs, batch.outputs), NET_OK);
        for (int row = 0; row < 21; row++) {
            assert_int_equal(net_evaluate(net, 1, batch.inputs + row * spec->inputs, alone.outputs),
                             NET_OK);
            for (int i = 0; i < spec->outputs; i++)
                assert_true(fabsf(alone.outputs[i] - batch.outputs[row * spec->outputs + i]) <
                            1e-5f);
        }
        float spread = fabsf(batch.outputs[0] - batch.outputs[spec->outputs]);
        assert_true(spread > 1e-6f); /* and rows differ */
        memcpy(batch.d_outputs, batch.outputs, 21 * (size_t)spec->outputs * sizeof(float));
        assert_int_equal(net_forward(net, 21, batch.inputs, batch.outputs), NET_OK);
        for (int i = 0; i < 21 * spec->outputs; i++)
            assert_true(fabsf(batch.d_outputs[i] - batch.outputs[i]) < 1e-5f);
        batch_free(&batch);
        batch_free(&alone);
        net_free(net);
    }
}

static void the_order_of_a_set_does_not_matter(void **state)
{
    (void)state;
    const struct net_spec *spec = &small[0];
    struct net *net = made(spec, 3);
    struct batch batch = batch_of(spec, 3, 7);
    float *one = batch.inputs, *turned = one + spec->inputs, *less = turned + spec->inputs;

    memset(one + 4 * 3, 0, 3 * sizeof *one); /* the last row is empty */
    memcpy(turned, one, (size_t)spec->inputs * sizeof *one);
    memcpy(less, one, (size_t)spec->inputs * sizeof *one);
    for (int k = 0; k < 5; k++)
        memcpy(turned + 3 * k, one + 3 * (4 - k), 3 * sizeof *one);
    memset(less + 3 * 3, 0, 3 * sizeof *one);
    assert_int_equal(net_evaluate(net, 3, batch.inputs, batch.outputs), NET_OK);
    float change = 0.0f;
    for (int i = 0; i < spec->outputs; i++) {
        assert_true(fabsf(batch.outputs[i] - batch.outputs[spec->outputs + i]) < 1e-6f);
        change += fabsf(batch.outputs[i] - batch.outputs[2 * spec->outputs + i]);
    }
    assert_true(change > 1e-4f);
    batch_free(&batch);
    net_free(net);
}

/* The file of a network, with access to its numbers. */
struct file {
    unsigned char *bytes;
    size_t size, data;
};

static struct file file_of(const struct net *net, bool resume)
{
    struct file file = {0};
    assert_int_equal(net_write(net, resume, &file.bytes, &file.size), NET_OK);
    for (int k = 0; k < PREFIX; k++)
        file.data |= (size_t)file.bytes[k] << 8 * k;
    file.data += PREFIX;
    return file;
}

static float *weights_of(const struct file *file)
{
    return (float *)(void *)(file->bytes + file->data);
}

static double loss(struct net *net, struct batch *batch, const struct net_spec *spec)
{
    double sum = 0.0;
    assert_int_equal(net_evaluate(net, batch->rows, batch->inputs, batch->outputs), NET_OK);
    for (int i = 0; i < batch->rows * spec->outputs; i++)
        sum += (double)batch->d_outputs[i] * (double)batch->outputs[i];
    return sum;
}

/* The gradient, which an SGD step at rate 1 subtracts from the weights, against differences along a
 * random direction in each layer. */
static void gradient_matches_finite_differences_of_the_outputs(void **state)
{
    (void)state;
    const struct net_optimiser plain = {.rule = NET_SGD, .rate = 1.0};

    for (int k = 0; k < KINDS; k++) {
        const struct net_spec *spec = &small[k];
        struct net *net = made(spec, 5);
        struct batch batch = batch_of(spec, 2, 11);
        struct file before = file_of(net, false);
        int64_t count = net_parameters(net);
        uint32_t seed = 17;
        for (int64_t i = 0; i < count; i++) /* none of them 0 */
            weights_of(&before)[i] += 0.05f * number(&seed);
        assert_int_equal(net_read(net, before.bytes, before.size, false), NET_OK);
        learn_once(net, &batch, &plain);
        struct file after = file_of(net, false), moved = file_of(net, false);
        int64_t sizes[LAYERS_MAX], first = 0;
        int layers = layers_of(k, sizes);
        for (int layer = 0; layer < layers; first += sizes[layer++]) {
            const double h = 1e-4; /* a larger step moves many units across their corner */
            const int64_t end = first + sizes[layer];
            double along = 0.0, difference = 0.0, length = 0.0;
            for (int sign = -1; sign <= 1; sign += 2) {
                uint32_t direction = 23;
                memcpy(moved.bytes, before.bytes, before.size);
                for (int64_t i = first; i < end; i++) {
                    double d = (double)number(&direction);
                    double gradient =
                        (double)weights_of(&before)[i] - (double)weights_of(&after)[i];
                    if (sign > 0) {
                        along += d * gradient;
                        length += gradient * gradient;
                    }
                    weights_of(&moved)[i] += (float)(sign * h * d);
                }
                assert_int_equal(net_read(net, moved.bytes, moved.size, false), NET_OK);
                difference += sign * loss(net, &batch, spec) / (2.0 * h);
            }
            if (fabs(along - difference) > 0.05 * sqrt(length) + 1e-3)
                fail_msg("%s, layer %d: %g along the gradient, %g measured", spec->architecture,
                         layer, along, difference);
        }
        free(before.bytes);
        free(after.bytes);
        free(moved.bytes);
        batch_free(&batch);
        net_free(net);
    }
}

/* The targets of the toys below: for a set the number of rows with a positive first feature, for
 * planes the place of the one lit cell. */
static void make_example(int kind, uint32_t *seed, float *input, float *ret_target)
{
    const struct net_spec *spec = &small[kind];

    memset(ret_target, 0, (size_t)spec->outputs * sizeof *ret_target);
    if (kind == 0) {
        for (int i = 0; i < spec->inputs; i++)
            input[i] = number(seed);
        for (int row = 0; row < 5; row++)
            ret_target[0] += input[3 * row] > 0.0f ? 0.2f : 0.0f;
        ret_target[1] = input[15];
        return;
    }
    int cell = (int)(*seed >> 7) % PLANES_CELLS;
    memset(input, 0, (size_t)spec->inputs * sizeof *input);
    (void)number(seed);
    input[cell] = 1.0f;
    input[PLANES_CELLS + (cell + 40) % PLANES_CELLS] = 1.0f;
    float *rest = ret_target + (kind == 2 ? PLANES_CELLS : 0);
    if (kind == 2)
        ret_target[cell] = 1.0f;
    rest[0] = (float)(cell / PLANES_SIDE) / PLANES_SIDE;
    rest[1] = (float)(cell % PLANES_SIDE) / PLANES_SIDE;
}

/* Returns the mean squared error over some learning steps. */
static double learn_toy(int kind, struct net *net, struct batch *batch, float *target, int steps,
                        uint32_t *seed)
{
    const struct net_spec *spec = &small[kind];
    const struct net_optimiser adam = {.rule = NET_ADAM, .rate = 5e-3, .clip = 10.0};
    double sum = 0.0;

    for (int step = 0; step < steps; step++) {
        for (int row = 0; row < batch->rows; row++)
            make_example(kind, seed, batch->inputs + row * spec->inputs,
                         target + row * spec->outputs);
        assert_int_equal(net_forward(net, batch->rows, batch->inputs, batch->outputs), NET_OK);
        for (int i = 0; i < batch->rows * spec->outputs; i++) {
            float error = batch->outputs[i] - target[i];
            sum += (double)error * (double)error;
            batch->d_outputs[i] = 2.0f * error / (float)batch->rows;
        }
        assert_int_equal(net_backward(net, batch->rows, batch->d_outputs), NET_OK);
        assert_int_equal(net_update(net, &adam, NULL), NET_OK);
    }
    return sum / steps / batch->rows;
}

static void toys_are_learnt(void **state)
{
    (void)state;
    const int steps[KINDS] = {200, 40, 80};

    for (int k = 0; k < KINDS; k++) {
        struct net *net = made(&small[k], 2);
        struct batch batch = batch_of(&small[k], 16, 1);
        float *target = numbers(16 * (size_t)small[k].outputs, 1);
        uint32_t seed = 99;
        double first = learn_toy(k, net, &batch, target, 4, &seed);
        (void)learn_toy(k, net, &batch, target, steps[k], &seed);
        double last = learn_toy(k, net, &batch, target, 4, &seed);
        if (!(last < 0.2 * first))
            fail_msg("%s: error %g at first, %g at last", small[k].architecture, first, last);
        free(target);
        batch_free(&batch);
        net_free(net);
    }
}

/* Every rule, stopped in the middle and resumed in another network. */
static void resumed_equals_uninterrupted(void **state)
{
    (void)state;
    const struct net_optimiser rules[] = {
        {.rule = NET_SGD, .rate = 1e-4, .decay = 1e-3},
        {.rule = NET_MOMENTUM, .rate = 0.01, .momentum = 0.9, .clip = 1.0},
        {.rule = NET_ADAM, .rate = 0.01, .decay = 1e-3, .clip = 5.0},
    };
    for (int k = 0; k < KINDS; k++)
        for (int rule = 0; rule < 3; rule++) {
            struct net *whole = made(&small[k], 2), *second = made(&small[k], 77),
                       *cold = made(&small[k], 78);
            struct batch batch = batch_of(&small[k], 5, 3);
            for (int step = 0; step < 3; step++)
                learn_once(whole, &batch, &rules[rule]);
            struct file file = file_of(whole, true), again;
            assert_int_equal(net_read(second, file.bytes, file.size, true), NET_OK);
            assert_int_equal(net_read(cold, file.bytes, file.size, false), NET_OK);
            again = file_of(second, true);
            assert_int_equal(file.size, again.size);
            assert_memory_equal(file.bytes, again.bytes, file.size);
            assert_same_hash(whole, cold, true);
            for (int step = 0; step < 3; step++) {
                learn_once(whole, &batch, &rules[rule]);
                learn_once(second, &batch, &rules[rule]);
                learn_once(cold, &batch, &rules[rule]);
            }
            assert_same_hash(whole, second, true);
            assert_same_hash(whole, cold, rules[rule].rule == NET_SGD); /* SGD keeps no state */
            free(file.bytes);
            free(again.bytes);
            batch_free(&batch);
            net_free(whole);
            net_free(second);
            net_free(cold);
        }
}

static void copies_learn_independently(void **state)
{
    (void)state;
    const struct net_optimiser sgd = {.rule = NET_SGD, .rate = 0.01};

    for (int k = 0; k < KINDS; k++) {
        struct net *one = made(&small[k], 2), *other = made(&small[k], 3),
                   *alien = made(&small[(k + 1) % KINDS], 2);
        struct batch batch = batch_of(&small[k], 4, 3);
        assert_same_hash(one, other, false);
        assert_int_equal(net_copy(one, other), NET_OK);
        assert_same_hash(one, other, true);
        learn_once(one, &batch, &sgd);
        assert_same_hash(one, other, false);
        assert_int_equal(net_copy(alien, other), NET_BAD_SHAPE);
        batch_free(&batch);
        net_free(one);
        net_free(other);
        net_free(alien);
    }
}

static void first_outputs_are_copied(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        struct net_spec spec = small[k];
        size_t all = (size_t)spec.outputs, kept = all - 1;
        spec.outputs--;
        struct net *net = made(&small[k], 2), *first = made(&spec, 3);
        struct batch batch = batch_of(&small[k], 4, 3), fewer = batch_of(&small[k], 4, 3);
        assert_int_equal(net_copy_first_outputs(net, first), NET_OK);
        assert_int_equal(net_evaluate(net, 4, batch.inputs, batch.outputs), NET_OK);
        assert_int_equal(net_evaluate(first, 4, batch.inputs, fewer.outputs), NET_OK);
        for (size_t row = 0; row < 4; row++)
            for (size_t at = 0; at < kept; at++)
                assert_true(fabsf(fewer.outputs[row * kept + at] - batch.outputs[row * all + at]) <
                            1e-5f);
        assert_int_equal(net_copy_first_outputs(first, net), NET_BAD_SHAPE);
        batch_free(&batch);
        batch_free(&fewer);
        net_free(net);
        net_free(first);
    }
}

struct actor {
    int kind;
    uint64_t seed;
    float sum;
};

static void *act(void *argument)
{
    struct actor *actor = argument;
    struct net *net = made(&small[actor->kind], actor->seed);
    struct batch batch = batch_of(&small[actor->kind], 20, (uint32_t)actor->seed);

    actor->sum = 0.0f;
    for (int k = 0; k < 5; k++) {
        assert_int_equal(net_evaluate(net, batch.rows, batch.inputs, batch.outputs), NET_OK);
        for (int i = 0; i < batch.rows * small[actor->kind].outputs; i++)
            actor->sum += batch.outputs[i];
    }
    batch_free(&batch);
    net_free(net);
    return NULL;
}

static void networks_work_on_several_threads(void **state)
{
    (void)state;
    struct actor alone[2 * KINDS], together[2 * KINDS];
    pthread_t thread[2 * KINDS];

    for (int k = 0; k < 2 * KINDS; k++) {
        alone[k] = together[k] = (struct actor){.kind = k % KINDS, .seed = (uint64_t)k + 1};
        act(&alone[k]);
    }
    for (int k = 0; k < 2 * KINDS; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, act, &together[k]), 0);
    for (int k = 0; k < 2 * KINDS; k++) {
        pthread_join(thread[k], NULL);
        assert_true(alone[k].sum == together[k].sum);
    }
}

static void gradients_are_clipped_and_weights_decay(void **state)
{
    (void)state;
    const struct net_optimiser clipped = {.rule = NET_SGD, .rate = 1.0, .clip = 0.5},
                               decay = {.rule = NET_SGD, .rate = 0.1, .decay = 2.0};

    for (int k = 0; k < KINDS; k++) {
        struct net *net = made(&small[k], 2);
        struct batch batch = batch_of(&small[k], 4, 3);
        struct file before = file_of(net, false);
        int64_t count = net_parameters(net);
        double norm = 0.0, moved = 0.0;
        assert_int_equal(net_forward(net, 4, batch.inputs, batch.outputs), NET_OK);
        assert_int_equal(net_backward(net, 4, batch.d_outputs), NET_OK);
        assert_int_equal(net_update(net, &clipped, &norm), NET_OK);
        struct file after = file_of(net, false);
        for (int64_t i = 0; i < count; i++)
            moved += pow((double)weights_of(&after)[i] - (double)weights_of(&before)[i], 2.0);
        assert_true(norm > 0.5); /* norm before clipping */
        assert_true(fabs(sqrt(moved) - 0.5) < 1e-3);
        assert_int_equal(net_update(net, &decay, &norm), NET_OK); /* without a gradient */
        assert_true(norm == 0.0);
        struct file less = file_of(net, false);
        for (int64_t i = 0; i < count; i++)
            assert_true(fabsf(weights_of(&less)[i] - 0.8f * weights_of(&after)[i]) <
                        1e-6f * (1.0f + fabsf(weights_of(&after)[i])));
        free(before.bytes);
        free(after.bytes);
        free(less.bytes);
        batch_free(&batch);
        net_free(net);
    }
}

/* A NaN loss changes nothing, and the network still works after it. */
static void no_step_along_infinite_gradients(void **state)
{
    (void)state;
    const struct net_optimiser adam = {.rule = NET_ADAM, .rate = 0.01};

    for (int k = 0; k < KINDS; k++) {
        struct net *net = made(&small[k], 2), *twin = made(&small[k], 2);
        struct batch batch = batch_of(&small[k], 4, 3);
        float kept = batch.d_outputs[1];
        batch.d_outputs[1] = NAN;
        assert_int_equal(net_forward(net, 4, batch.inputs, batch.outputs), NET_OK);
        assert_int_equal(net_backward(net, 4, batch.d_outputs), NET_OK);
        double norm = -1.0;
        assert_int_equal(net_update(net, &adam, &norm), NET_NOT_FINITE);
        assert_true(norm == -1.0);
        assert_same_hash(net, twin, true);
        batch.d_outputs[1] = kept;
        learn_once(net, &batch, &adam);
        learn_once(twin, &batch, &adam);
        assert_same_hash(net, twin, true);
        assert_int_equal(net_backward(net, 4, batch.d_outputs),
                         NET_FAILED); /* forward() is missing */
        batch_free(&batch);
        net_free(net);
        net_free(twin);
    }
}

static void broken_files_change_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        struct net *net = made(&small[k], 2), *twin = made(&small[k], 2),
                   *other = made(&small[k], 3), *alien = made(&small[(k + 1) % KINDS], 3);
        struct file file = file_of(other, false), foreign = file_of(alien, true);
        assert_int_equal(net_read(net, file.bytes, file.size - 1, false), NET_BAD_FILE);
        assert_int_equal(net_read(net, file.bytes, file.size, true), NET_BAD_SHAPE);
        assert_int_equal(net_read(net, foreign.bytes, foreign.size, false), NET_BAD_SHAPE);
        weights_of(&file)[net_parameters(net) - 1] = INFINITY;
        assert_int_equal(net_read(net, file.bytes, file.size, false), NET_BAD_FILE);
        assert_same_hash(net, twin, true);
        free(file.bytes);
        free(foreign.bytes);
        net_free(net);
        net_free(twin);
        net_free(other);
        net_free(alien);
    }
}

static void wrong_specs_get_a_sentence(void **state)
{
    (void)state;
    const struct {
        struct net_spec spec;
        const char *device, *error;
    } wrong[] = {
        {{.architecture = "conv8"}, "cpu", "architecture: there is no 'conv8'"},
        {{.architecture = "set", .outputs = 1, .inputs = 4, .hidden = {4}, .row_features = 2},
         "cpu",
         "rows: 0 is not in 1..64"},
        {{.architecture = "set", .outputs = 1, .inputs = 4, .hidden = {4}, .rows = 2},
         "cpu",
         "row_features: 0 is not in 1..16384"},
        {{.architecture = "set",
          .outputs = 1,
          .inputs = 5,
          .hidden = {4},
          .rows = 2,
          .row_features = 3},
         "cpu",
         "inputs: fewer than rows * row_features"},
        {{.architecture = "set",
          .outputs = 1,
          .inputs = 6,
          .hidden = {4, 0, 4},
          .rows = 2,
          .row_features = 3},
         "cpu",
         "hidden: a width follows a 0"},
        {{.architecture = "set", .outputs = 1, .inputs = 6, .rows = 2, .row_features = 3},
         "cpu",
         "hidden: 0 is not in 1..16384"},
        {{.architecture = "conv7", .outputs = 1, .inputs = 1024, .hidden = {4}},
         "cpu",
         "planes: 0 is not in 1..512"},
        {{.architecture = "conv7", .outputs = 0, .inputs = 1024, .hidden = {4}, .planes = 1},
         "cpu",
         "outputs: 0 is not in 1..16384"},
        {{.architecture = "conv7", .outputs = 1, .inputs = 1024, .hidden = {513}, .planes = 1},
         "cpu",
         "hidden: 513 is not in 1..512"},
        {{.architecture = "resnet", .outputs = 1, .inputs = 1024, .hidden = {4, 4}, .planes = 1},
         "cpu",
         "hidden: must be one number, the channels"},
        {{.architecture = "resnet", .outputs = 1, .inputs = 1025, .hidden = {4}, .planes = 1},
         "cpu",
         "inputs: must be planes * 32 * 32"},
        {{.architecture = "resnet", .outputs = 1, .inputs = 1024, .hidden = {4}, .planes = 1},
         "tpu",
         "device: must be cpu, cuda or auto"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        struct net *net = NULL;
        char error[NET_ERROR_MAX] = "";
        assert_int_equal(net_new(&wrong[k].spec, wrong[k].device, &net, error), NET_BAD_SPEC);
        assert_string_equal(error, wrong[k].error);
        assert_null(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_counted),
        cmocka_unit_test(rows_of_a_batch_are_independent),
        cmocka_unit_test(the_order_of_a_set_does_not_matter),
        cmocka_unit_test(gradient_matches_finite_differences_of_the_outputs),
        cmocka_unit_test(toys_are_learnt),
        cmocka_unit_test(resumed_equals_uninterrupted),
        cmocka_unit_test(copies_learn_independently),
        cmocka_unit_test(first_outputs_are_copied),
        cmocka_unit_test(networks_work_on_several_threads),
        cmocka_unit_test(gradients_are_clipped_and_weights_decay),
        cmocka_unit_test(no_step_along_infinite_gradients),
        cmocka_unit_test(broken_files_change_nothing),
        cmocka_unit_test(wrong_specs_get_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
