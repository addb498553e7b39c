/* The network of hold'em against plain formulas, its actions, its files, and the feature tree. */
#include "workers/holdem/network_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct poker_form form = {3, 5};

static float *make_weights(size_t count)
{
    float *weights = malloc(count * sizeof *weights);

    assert_non_null(weights);
    for (size_t k = 0; k < count; k++)
        weights[k] = (float)((double)(k * 37 % 101) / 101.0 - .5);
    return weights;
}

static double gate(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

static double weight(const float *weights, enum poker_module part, int input, int unit)
{
    const struct poker_matrix m = poker_matrix(form, part);

    return (double)weights[m.at + (size_t)input * (size_t)m.units + (size_t)unit];
}

/* One step of an LSTM whose outputs were 0, then the hidden layer. */
static void inference_follows_the_formulas(void **state)
{
    (void)state;
    float *weights = make_weights(poker_weight_count(form)), values[POKER_ACTIONS];
    const float inputs[POKER_GAME_INPUTS] = {.1f, .2f, .3f, .4f, .5f, .6f, .7f, .8f, 1.f};
    struct poker_state now;
    double out[3];

    poker_network_start(form, &now);
    poker_network_feed(form, weights, POKER_GAME, inputs, &now);
    poker_network_values(form, weights, &now, values);
    for (int cell = 0; cell < 3; cell++) {
        double sum[4];
        for (int g = 0; g < 4; g++) {
            int unit = 3 * g + cell;
            sum[g] = weight(weights, POKER_GAME, POKER_GAME_INPUTS + 3, unit);
            for (int k = 0; k < POKER_GAME_INPUTS; k++)
                sum[g] += (double)inputs[k] * weight(weights, POKER_GAME, k, unit);
        }
        out[cell] = gate(sum[3]) * tanh(gate(sum[1]) * tanh(sum[2]));
        assert_true(fabs(out[cell] - (double)now.out[POKER_GAME][cell]) < 1e-3);
    }
    for (int action = 0; action < POKER_ACTIONS; action++) {
        double value = weight(weights, POKER_OUTPUT, 5, action);
        for (int h = 0; h < 5; h++) {
            double sum = weight(weights, POKER_JOINED, 6, h);
            for (int cell = 0; cell < 3; cell++)
                sum += out[cell] * weight(weights, POKER_JOINED, 3 + cell, h);
            value += fmax(sum, 0.0) * weight(weights, POKER_OUTPUT, h, action);
        }
        assert_true(fabs(value - (double)values[action]) < 1e-3);
    }
    free(weights);
}

static void only_legal_actions_are_chosen(void **state)
{
    (void)state;
    const float fold[POKER_ACTIONS] = {9.f}, all_in[POKER_ACTIONS] = {[7] = 9.f};
    struct holdem hand = holdem_start();

    assert_int_equal(poker_best_action(&hand, fold), POKER_FOLD);
    assert_true(holdem_play(&hand, poker_action(&hand, POKER_CALL)));
    assert_int_equal(poker_best_action(&hand, fold), POKER_CALL); /* nothing to fold to */
    assert_int_equal(poker_action(&hand, 7).to, HOLDEM_STACK);
    assert_true(holdem_play(&hand, poker_action(&hand, 7)));
    assert_int_equal(poker_best_action(&hand, all_in), POKER_CALL); /* no raise is possible */
}

static void raises_fall_into_seven_bins(void **state)
{
    (void)state;
    const struct holdem hand = holdem_start();

    assert_int_equal(poker_branch(&hand, (struct holdem_action){HOLDEM_FOLD, 0}), POKER_FOLD);
    assert_int_equal(poker_branch(&hand, (struct holdem_action){HOLDEM_CALL, 0}), POKER_CALL);
    for (int bin = 1; bin < POKER_RAISE_BINS; bin++) {
        static const double pots[] = {0.0, .3, .5, 1.0, 1.5, 3.0, 5.0};
        const struct holdem_action raise = {HOLDEM_RAISE, 100 + (int)(200 * pots[bin])};
        assert_int_equal(poker_branch(&hand, raise), POKER_RAISE + bin);
    }
}

static void a_tree_remembers_what_followed(void **state)
{
    (void)state;
    static struct feature_tree tree;
    const struct holdem_action raise = {HOLDEM_RAISE, 300};
    float inputs[FEATURE_INPUTS];

    feature_tree_begin(&tree);
    for (int k = 0; k < 4; k++) {
        const struct holdem before = holdem_start();
        feature_tree_deal(&tree, 0);
        feature_tree_see(&tree, &before, k < 3 ? raise : (struct holdem_action){HOLDEM_CALL, 0});
        feature_tree_end(
            &tree, &(struct poker_end){.opponent_folded = k < 1, .shown = k >= 1, .strength = .5});
    }
    const struct holdem before = holdem_start();
    feature_tree_deal(&tree, 0);
    feature_tree_see(&tree, &before, raise);
    feature_tree_inputs(&tree, 0, inputs);
    assert_true(fabsf(inputs[0] - .75f) < 1e-6f);
    assert_true(fabsf(inputs[1] - 1.f / 3.f) < 1e-6f);
    assert_true(fabsf(inputs[2] - 2.f / 3.f) < 1e-6f);
    assert_true(fabsf(inputs[3] - .5f) < 1e-6f);
    assert_true(inputs[5] == 0.f);
    feature_tree_deal(&tree, 1); /* the same action of the opponent is another sequence */
    feature_tree_see(&tree, &before, raise);
    feature_tree_inputs(&tree, 0, inputs);
    assert_true(inputs[0] == 0.f && inputs[5] == 1.f);
}

/* More sequences than the tree has room for. */
static void a_full_tree_stays_sound(void **state)
{
    (void)state;
    static struct feature_tree tree;

    feature_tree_begin(&tree);
    for (unsigned k = 0; k < 5000; k++) {
        struct holdem hand = holdem_start();
        unsigned choice = k * 2654435761u;
        feature_tree_deal(&tree, (int)(k & 1));
        for (int n = 0; n < 40 && hand.mover >= 0; n++, choice = choice * 1664525u + 1013904223u) {
            int action = 1 + (int)(choice >> 16) % 6;
            struct holdem_action move = poker_action(&hand, action);
            feature_tree_see(&tree, &hand, move);
            assert_true(holdem_play(&hand, move));
        }
        feature_tree_end(&tree, &(struct poker_end){.shown = true, .strength = .5});
        assert_true(tree.count <= FEATURE_NODES);
    }
    assert_int_equal(tree.count, FEATURE_NODES);
}

static void files_keep_networks(void **state)
{
    (void)state;
    float *weights = make_weights(poker_weight_count(form));
    const struct poker_network network = {form, weights};
    struct poker_network read;
    char error[POKER_FILE_ERROR_MAX];
    size_t size;
    unsigned char *bytes = network_file_write(&network, &size);

    assert_non_null(bytes);
    assert_true(network_file_read(bytes, size, &read, error));
    assert_int_equal(read.form.hidden, form.hidden);
    assert_memory_equal(read.weights, weights, poker_weight_count(form) * sizeof *weights);
    free((float *)read.weights);
    for (size_t cut = 0; cut < size; cut += 97)
        assert_false(network_file_read(bytes, cut, &read, error));
    const float broken = (float)INFINITY;
    memcpy(bytes + size - sizeof broken, &broken, sizeof broken);
    assert_false(network_file_read(bytes, size, &read, error));
    assert_non_null(strstr(error, "finite"));
    free(bytes);
    free(weights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inference_follows_the_formulas),
        cmocka_unit_test(only_legal_actions_are_chosen),
        cmocka_unit_test(raises_fall_into_seven_bins),
        cmocka_unit_test(a_tree_remembers_what_followed),
        cmocka_unit_test(a_full_tree_stays_sound),
        cmocka_unit_test(files_keep_networks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
