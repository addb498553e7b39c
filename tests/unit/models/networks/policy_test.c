/* Policies: their inputs and their files. */
#include "models/networks/policy.h"
#include "tests/unit/models/game/mirror.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PREFIX = 8 };

static struct policy_form form_of(int hidden, int actions, bool has_scores)
{
    return (struct policy_form){.profile = "dc2",
                                .architecture = "mlp",
                                .hidden = {hidden},
                                .sees = POLICY_SEES_STONES,
                                .outputs = POLICY_LOGITS,
                                .actions = actions,
                                .has_scores = has_scores,
                                .algorithm = "nfsp",
                                .policy = "average",
                                .run = "0123456789abcdef0123456789abcdef",
                                .step = 2000};
}

/* The same for an architecture that looks along lines. */
static struct policy_form lines_form_of(int hidden, int actions, bool has_scores)
{
    struct policy_form form = form_of(hidden, actions, has_scores);
    strcpy(form.architecture, "lines");
    form.sees = POLICY_SEES_LINES;
    return form;
}

static struct net *net_with(const struct policy_form *form, uint64_t seed)
{
    const struct net_spec spec = policy_net_spec(form, seed);
    char error[NET_ERROR_MAX];
    struct net *net;
    if (net_new(&spec, "cpu", &net, error) != NET_OK)
        fail_msg("%s", error);
    return net;
}

/* Returns the file of a policy with two different networks; the caller frees both. */
static unsigned char *file_of(const struct policy_form *form, struct net *ret_net[2],
                              size_t *ret_size)
{
    char error[NET_ERROR_MAX];
    unsigned char *bytes;
    for (int seat = 0; seat < 2; seat++)
        ret_net[seat] = net_with(form, (uint64_t)seat + 7);
    if (policy_write(form, ret_net[0], ret_net[1], &bytes, ret_size, error) != NET_OK)
        fail_msg("%s", error);
    return bytes;
}

static struct policy *read_or_fail(const unsigned char *bytes, size_t size)
{
    char error[NET_ERROR_MAX];
    struct policy *policy;
    if (policy_read(bytes, size, "cpu", &policy, error) != NET_OK)
        fail_msg("%s", error);
    return policy;
}

static struct position some_position(void)
{
    struct position position = {0};
    position_put(&position, 0, (struct vec2){0.1, SHEET_TEE_Y - 3.0});
    position_put(&position, 1, (struct vec2){-0.4, SHEET_TEE_Y + 0.3});
    position_put(&position, 2, (struct vec2){0.9, SHEET_TEE_Y - 0.5});
    position_put(&position, 5, (struct vec2){-1.5, SHEET_TEE_Y - 1.0});
    return position;
}

static void assert_file_gives_the_same_answers(struct policy_form form)
{
    const struct position position = some_position();
    struct net *net[2];
    size_t size;
    unsigned char *bytes = file_of(&form, net, &size);
    struct policy *policy = read_or_fail(bytes, size), *copy;
    char error[NET_ERROR_MAX];
    float inputs[POLICY_LINES_INPUTS], wanted[POLICY_ACTIONS + POLICY_SCORES] = {0};
    float got[2][POLICY_ACTIONS + POLICY_SCORES] = {{0}};

    assert_memory_equal(&policy->form, &form, sizeof form);
    assert_int_equal(strlen(policy->sha256), 64);
    assert_int_equal(policy_copy(policy, "cpu", &copy, error), NET_OK);
    assert_string_equal(copy->sha256, policy->sha256);
    assert_int_equal(policy_row(&form), POLICY_ACTIONS + (form.has_scores ? POLICY_SCORES : 0));
    for (int seat = 0; seat < 2; seat++) {
        policy_fill_inputs(form.sees, &position, 6, (enum seat)seat, inputs);
        assert_int_equal(net_evaluate(net[seat], 1, inputs, wanted), NET_OK);
        assert_int_equal(net_evaluate(policy->net[seat], 1, inputs, got[seat]), NET_OK);
        assert_memory_equal(got[seat], wanted, sizeof wanted);
        assert_int_equal(net_evaluate(copy->net[seat], 1, inputs, got[seat]), NET_OK);
        assert_memory_equal(got[seat], wanted, sizeof wanted);
    }
    assert_memory_not_equal(got[0], got[1], sizeof got[0]); /* two networks, not one */

    /* Written again, the file is the same. */
    unsigned char *again;
    size_t again_size;
    assert_int_equal(
        policy_write(&policy->form, policy->net[0], policy->net[1], &again, &again_size, error),
        NET_OK);
    assert_int_equal(again_size, size);
    assert_memory_equal(again, bytes, size);
    free(again);
    policy_free(copy);
    policy_free(policy);
    net_free(net[0]);
    net_free(net[1]);
    free(bytes);
}

static void a_reloaded_policy_gives_the_same_answers_in_both_seats(void **state)
{
    (void)state;
    assert_file_gives_the_same_answers(form_of(16, POLICY_ACTIONS, true));
    assert_file_gives_the_same_answers(lines_form_of(16, POLICY_ACTIONS, true));
    assert_file_gives_the_same_answers(lines_form_of(16, POLICY_ACTIONS, false));
}

static void stones_are_features_and_the_number_of_the_shot(void **state)
{
    (void)state;
    const struct position position = some_position();
    float inputs[POLICY_STONES_INPUTS], features[END_FEATURES];

    end_features(&position, features);
    for (int thrown = 0; thrown < POLICY_THROWN; thrown++) {
        policy_fill_inputs(POLICY_SEES_STONES, &position, thrown, SEAT_GOTE, inputs);
        assert_memory_equal(inputs, features, sizeof features);
        for (int k = 0; k < POLICY_THROWN; k++)
            assert_true(inputs[END_FEATURES + k] == (k == thrown ? 1.0f : 0.0f));
    }
}

static void lines_are_rows_of_lines_and_what_the_stones_are(void **state)
{
    (void)state;
    const struct position position = some_position();
    float inputs[POLICY_LINES_INPUTS], rows[LINES * LINES_FEATURES], stones[POLICY_STONES_INPUTS];

    for (int thrown = 0; thrown < POLICY_THROWN; thrown++)
        for (int seat = 0; seat < 2; seat++) {
            policy_fill_inputs(POLICY_SEES_LINES, &position, thrown, (enum seat)seat, inputs);
            line_rows_of(&position, thrown, (enum seat)seat, rows);
            policy_fill_inputs(POLICY_SEES_STONES, &position, thrown, (enum seat)seat, stones);
            assert_memory_equal(inputs, rows, sizeof rows);
            assert_memory_equal(inputs + LINES * LINES_FEATURES, stones, sizeof stones);
        }
}

/* action = line * 30 + weight and spin (models/ice/action_grid.h). */
static void a_line_answers_for_its_own_actions(void **state)
{
    (void)state;
    struct policy_form form = lines_form_of(4, POLICY_ACTIONS, false);
    struct net *net = net_with(&form, 1);
    const struct position empty = {0};
    float inputs[POLICY_LINES_INPUTS], before[POLICY_ACTIONS], after[POLICY_ACTIONS];

    policy_fill_inputs(form.sees, &empty, 3, SEAT_GOTE, inputs);
    assert_int_equal(net_evaluate(net, 1, inputs, before), NET_OK);
    inputs[7 * LINES_FEATURES] += 1.0f;
    assert_int_equal(net_evaluate(net, 1, inputs, after), NET_OK);
    for (int action = 0; action < POLICY_ACTIONS; action++)
        if (action / (POLICY_ACTIONS / LINES) != 7)
            assert_true(before[action] == after[action]);
    assert_memory_not_equal(before, after, sizeof before);
    net_free(net);
}

static void the_mirror_image_is_seen_as_the_mirror_image(void **state)
{
    (void)state;
    const struct position position = some_position(), mirror = position_mirror(&position);

    for (int sees = 0; policy_sees_names[sees]; sees++) {
        size_t count = (size_t)policy_inputs((enum policy_sees)sees);
        float *plain = malloc(count * sizeof *plain), *mirrored = malloc(count * sizeof *mirrored);
        assert_true(plain && mirrored);
        policy_fill_inputs((enum policy_sees)sees, &position, 5, SEAT_GOTE, plain);
        policy_fill_inputs((enum policy_sees)sees, &mirror, 5, SEAT_GOTE, mirrored);
        assert_memory_not_equal(plain, mirrored, count * sizeof *plain);
        policy_mirror_inputs((enum policy_sees)sees, plain);
        for (size_t k = 0; k < count; k++)
            assert_true(plain[k] == mirrored[k]);
        free(plain);
        free(mirrored);
    }
}

static void assert_refused(const unsigned char *bytes, size_t size, const char *wanted)
{
    char error[NET_ERROR_MAX] = "";
    struct policy *policy = NULL;
    enum net_status status = policy_read(bytes, size, "cpu", &policy, error);

    assert_true(status == NET_BAD_FILE || status == NET_BAD_SHAPE);
    assert_null(policy);
    if (!strstr(error, wanted))
        fail_msg("\"%s\" does not say \"%s\"", error, wanted);
}

/* Checks that a form's file is refused after `from` in its header is replaced by `to` of the same
 * length. */
static void assert_form_refused_with(const struct policy_form *form, const char *from,
                                     const char *to, const char *wanted)
{
    struct net *net[2];
    size_t size;
    unsigned char *bytes = file_of(form, net, &size);
    size_t length = strlen(from);
    bool found = false;

    assert_int_equal(length, strlen(to));
    for (size_t k = PREFIX; k + length < size && !found; k++)
        if (memcmp(bytes + k, from, length) == 0) {
            memcpy(bytes + k, to, length);
            found = true;
        }
    assert_true(found);
    assert_refused(bytes, size, wanted);
    net_free(net[0]);
    net_free(net[1]);
    free(bytes);
}

static void assert_refused_with(const char *from, const char *to, const char *wanted)
{
    const struct policy_form form = form_of(2, 3, false);
    assert_form_refused_with(&form, from, to, wanted);
}

static void other_files_are_refused_by_field(void **state)
{
    (void)state;
    assert_refused_with("\"rinkd.policy\":\"1\"", "\"rinkd.policy\":\"2\"", "version '2'");
    assert_refused_with("\"rinkd.policy\":\"1\"", "\"sinkd.policy\":\"1\"", "not a policy");
    assert_refused_with("\"rinkd.policy\":\"1\"", "\"rinkd.policy\":\"\" ", "not a policy");
    assert_refused_with("\"profile\":\"dc2\"", "\"profile\":\"dc9\"", "profile");
    assert_refused_with("\"architecture\":\"mlp\"", "\"architecture\":\"mlq\"", "architecture");
    assert_refused_with("\"hidden\":\"2\"", "\"hidden\":\"x\"", "hidden");
    assert_refused_with("\"hidden\":\"2\"", "\"hidden\":\"1\"", "another architecture");
    assert_refused_with("\"hidden\":\"2\"", "\"hidxen\":\"2\"", "too small");
    assert_refused_with("\"sees\":\"stones\"", "\"sees\":\"planes\"", "architecture");
    assert_refused_with("\"sees\":\"stones\"", "\"sees\":\"nobody\"", "sees");
    assert_refused_with("\"outputs\":\"logits\"", "\"outputs\":\"losses\"", "outputs");
    assert_refused_with("\"actions\":\"3\"", "\"actions\":\"4\"", "another architecture");
    assert_refused_with("\"actions\":\"3\"", "\"actions\":\"0\"", "actions");
    assert_refused_with("\"scores\":\"0\"", "\"scores\":\"1\"", "scores");
    assert_refused_with("\"algorithm\":\"nfsp\"", "\"algorithm\":\"n/sp\"", "algorithm");
    assert_refused_with("\"step\":\"2000\"", "\"step\":\"2.00\"", "step");
    assert_refused_with("\"policy\":\"average\"", "\"policy\":\"aver\\\\e\"", "policy: at most");
    assert_refused_with("\"policy\":\"average\"", "\"rinkd.policy\":\"1\"", "broken");
    assert_refused_with("sente.layer1.bias", "sente.layer1.bios", "another architecture");
    assert_refused_with("gote.layer1.bias", "gote.layer1.bios", "another architecture");
}

/* 64 actions, 2 for each line, and 17 scores. */
static void other_files_of_lines_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"\"architecture\":\"lines\"", "\"architecture\":\"linen\"", "architecture"},
        {"\"sees\":\"lines\"", "\"sees\":\"stone\"", "sees"},
        {"\"sees\":\"lines\"", "\"sees\":\"linen\"", "sees"},
        {"\"actions\":\"64\"", "\"actions\":\"32\"", "another architecture"},
        {"\"actions\":\"64\"", "\"actions\":\"65\"", "another architecture"},
        {"\"scores\":\"17\"", "\"scores\":\"0\" ", "another architecture"},
        {"\"hidden\":\"2\"", "\"hidden\":\"1\"", "another architecture"},
        {"sente.rows.layer2.bias", "sente.rows.layer3.bias", "another architecture"},
        {"gote.rest.layer1.weight", "gote.mest.layer1.weight", "another architecture"},
    };
    const struct policy_form form = lines_form_of(2, 64, true);

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        assert_form_refused_with(&form, cases[k][0], cases[k][1], cases[k][2]);
}

static void assert_cut_and_infinite_are_refused(struct policy_form form)
{
    struct net *net[2];
    size_t size;
    unsigned char *bytes = file_of(&form, net, &size);

    for (size_t cut = 0; cut < size; cut += cut < 2000 ? 1 : 97) {
        unsigned char *part = malloc(cut + 1); /* exact size, so that sanitizers see reads beyond
                                                * it */
        assert_non_null(part);
        memcpy(part, bytes, cut);
        assert_refused(part, cut, "the");
        free(part);
    }
    static const unsigned char infinity[4] = {0, 0, 0x80, 0x7f};
    memcpy(bytes + size - sizeof infinity, infinity, sizeof infinity);
    assert_refused(bytes, size, "infinite");
    net_free(net[0]);
    net_free(net[1]);
    free(bytes);
}

static void cut_and_infinite_files_are_refused(void **state)
{
    (void)state;
    assert_cut_and_infinite_are_refused(form_of(2, 3, true));
    assert_cut_and_infinite_are_refused(lines_form_of(2, 32, true));
}

/* A header may claim gigabytes of networks, but the file is too small for them. */
static void claims_beyond_the_file_are_refused_first(void **state)
{
    (void)state;
    static const char *const claims[][3] = {
        {"mlp", "stones", "16384,16384,16384,16384"},
        {"mlp", "stones", "16384"},
        {"lines", "lines", "16384,16384,16384,16384"},
        {"lines", "lines", "16384"},
        {"set", "stones", "16384,16384,16384,16384"},
        {"conv7", "planes", "1024"},
        {"resnet", "planes", "1024"},
    };
    for (size_t k = 0; k < sizeof claims / sizeof claims[0]; k++) {
        char file[1024];
        int length = snprintf(file + PREFIX, sizeof file - PREFIX,
                              "{\"__metadata__\":{\"rinkd.policy\":\"1\",\"profile\":\"dc2\","
                              "\"architecture\":\"%s\",\"hidden\":\"%s\",\"sees\":\"%s\","
                              "\"outputs\":\"values\",\"actions\":\"1\",\"scores\":\"0\","
                              "\"algorithm\":\"\",\"policy\":\"\",\"run\":\"\",\"step\":\"-1\"}}",
                              claims[k][0], claims[k][2], claims[k][1]);
        memset(file, 0, PREFIX);
        file[0] = (char)(length & 255);
        file[1] = (char)(length >> 8);
        assert_refused((unsigned char *)file, PREFIX + (size_t)length, "too small");
    }
}

static void bad_forms_are_not_written(void **state)
{
    (void)state;
    struct policy_form form = form_of(2, 3, false);
    struct net *net = net_with(&form, 1);
    char error[NET_ERROR_MAX] = "";
    unsigned char *bytes = NULL;
    size_t size;

    strcpy(form.run, "a b");
    assert_int_equal(policy_write(&form, net, net, &bytes, &size, error), NET_BAD_SPEC);
    assert_non_null(strstr(error, "run"));
    strcpy(form.run, "");
    strcpy(form.profile, "ice");
    assert_int_equal(policy_write(&form, net, net, &bytes, &size, error), NET_BAD_SPEC);
    assert_non_null(strstr(error, "profile"));
    strcpy(form.profile, "dc3");
    form.sees = POLICY_SEES_PLANES;
    assert_int_equal(policy_write(&form, net, net, &bytes, &size, error), NET_BAD_SPEC);
    assert_non_null(strstr(error, "architecture"));
    assert_null(bytes);
    net_free(net);
}

static void scores_become_probabilities(void **state)
{
    (void)state;
    float scores[POLICY_SCORES] = {[POLICY_SCORE_ZERO] = 1000.0f,
                                   [POLICY_SCORE_ZERO + 1] = 1000.0f};
    policy_scores(scores);
    for (int k = 0; k < POLICY_SCORES; k++)
        assert_true(scores[k] ==
                    (k == POLICY_SCORE_ZERO || k == POLICY_SCORE_ZERO + 1 ? 0.5f : 0.0f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reloaded_policy_gives_the_same_answers_in_both_seats),
        cmocka_unit_test(stones_are_features_and_the_number_of_the_shot),
        cmocka_unit_test(lines_are_rows_of_lines_and_what_the_stones_are),
        cmocka_unit_test(a_line_answers_for_its_own_actions),
        cmocka_unit_test(the_mirror_image_is_seen_as_the_mirror_image),
        cmocka_unit_test(other_files_are_refused_by_field),
        cmocka_unit_test(other_files_of_lines_are_refused),
        cmocka_unit_test(cut_and_infinite_files_are_refused),
        cmocka_unit_test(claims_beyond_the_file_are_refused_first),
        cmocka_unit_test(bad_forms_are_not_written),
        cmocka_unit_test(scores_become_probabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
