/* Fitted values as an algorithm: a stage learns what positions are worth in ends that it has not
 * seen, and a run does not depend on threads and stops. */
#include "models/networks/end_value.h"
#include "models/networks/policy.h"
#include "tests/slow.h"
#include "tests/unit/workers/learn/algorithms/curling_run.h"
#include "workers/learn/algorithms/learner.h"
#include "workers/learn/games/curling_learner.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two shards of examples, and a fit of more than one step. */
static const struct learner_number to_learn[] = {
    {"states", 70}, {"simulations", 100}, {"epochs", 300}, {"held_out", .2}};
static const struct learner_number to_stop[] = {{"states", 4}, {"simulations", 100}, {"epochs", 2}};
static const struct learner_hyper learning = {to_learn, sizeof to_learn / sizeof to_learn[0]};
static const struct learner_hyper stopping = {to_stop, sizeof to_stop / sizeof to_stop[0]};

/* The file is an end-value network with the finished stages, and no policy. */
static void its_file_is_an_end_value_network(void **state)
{
    skip_one_thread();
    struct learner *learner = curling_begin(&learner_value, &stopping, 1);
    static struct end_value network;
    static const struct end_value_stage zero;
    struct policy *policy;
    char error[NET_ERROR_MAX];
    size_t size;

    (void)state;
    curling_go_on(learner, 1);
    unsigned char *bytes = learner_value.policy_file(learner, &size);
    assert_non_null(bytes);
    assert_int_equal(end_value_read(bytes, size, &network), NET_OK);
    assert_memory_not_equal(&network.stage[14], &zero, sizeof zero);
    assert_memory_equal(&network.stage[13], &zero, sizeof zero);
    assert_int_equal(policy_read(bytes, size, "cpu", &policy, error), NET_BAD_SHAPE);
    assert_non_null(strstr(error, "an end-value network, not a policy"));
    free(bytes);
    learner_free(learner);
}

/* Writes and frees a run, and reads it. */
static struct learner *stop(struct learner *learner, const struct learner_hyper *hyper)
{
    char error[LEARNER_ERROR_MAX];
    FILE *file = tmpfile();

    assert_true(learner_value.write(learner, file));
    learner_free(learner);
    learner = curling_read(&learner_value, hyper, file, error);
    if (!learner)
        fail_msg("%s", error);
    fclose(file);
    return learner;
}

/* Neither three threads nor a stop in the middle of the fit make a difference. */
static void a_stage_learns_what_positions_are_worth(void **state)
{
    struct learner *whole = curling_begin(&learner_value, &learning, 1),
                   *begun = curling_begin(&learner_value, &learning, 3);
    char error[LEARNER_ERROR_MAX];

    (void)state;
    assert_true(isnan(curling_figure(whole, "held_out/rms")));
    curling_go_on(whole, 1);
    print_message("error %.3f of spread %.3f\n", curling_figure(whole, "held_out/rms"),
                  curling_figure(whole, "held_out/spread"));
    assert_true(curling_figure(whole, "held_out/rms") <
                0.9 * curling_figure(whole, "held_out/spread"));
    assert_true(curling_figure(whole, "value/thrown") == 15.0);
    assert_true(curling_figure(whole, "value/sweep") == 1.0);
    for (int step = 0; step < 3; step++)
        assert_true(learner_value.step(begun, error));
    assert_int_equal(learner_report_of(begun).games, 0);
    begun = stop(begun, &learning);
    assert_int_equal(learner_report_of(begun).decisions, 0);
    curling_go_on(begun, 1);
    curling_assert_same_file(whole, begun);
    learner_free(whole);
    learner_free(begun);
}

/* The second sweep begins after 15 stages, with ends that the network plays; the stops are after
 * these ends, and after examples of the second sweep. */
static void further_sweeps_do_not_depend_on_threads_and_stops(void **state)
{
    static const uint64_t stops[] = {15, 16};
    struct learner *whole = curling_begin(&learner_value, &stopping, 3),
                   *begun = curling_begin(&learner_value, &stopping, 1);
    char error[LEARNER_ERROR_MAX];

    (void)state;
    curling_go_on(whole, 17);
    assert_true(curling_figure(whole, "value/sweep") == 2.0 &&
                curling_figure(whole, "value/thrown") == 14.0);
    for (size_t k = 0; k < sizeof stops / sizeof stops[0]; k++) {
        curling_go_on(begun, stops[k]);
        assert_true(learner_value.step(begun, error));
        assert_int_equal(learner_report_of(begun).games, stops[k]);
        begun = stop(begun, &stopping);
    }
    curling_go_on(begun, 17);
    curling_assert_same_file(whole, begun);
    const struct learner_report a = learner_report_of(whole), b = learner_report_of(begun);
    assert_int_equal(a.decisions, b.decisions);
    assert_int_equal(a.updates, b.updates);
    assert_true(a.loss[0].value == b.loss[0].value);
    learner_free(whole);
    learner_free(begun);
}

/* Returns the bytes of the file of a run, the caller's. */
static unsigned char *bytes_of(const struct learner *learner, size_t *ret_size)
{
    char *bytes = NULL;
    FILE *file = open_memstream(&bytes, ret_size);

    assert_true(learner_value.write(learner, file));
    fclose(file);
    return (unsigned char *)bytes;
}

/* A run that a file with these bytes holds; NULL: none. */
static struct learner *opened(const unsigned char *bytes, size_t size)
{
    char error[LEARNER_ERROR_MAX] = "";
    FILE *file = tmpfile();

    assert_int_equal(fwrite(bytes, 1, size, file), size);
    struct learner *learner = curling_read(&learner_value, &stopping, file, error);
    if (!learner)
        assert_non_null(strstr(error, "broken"));
    fclose(file);
    return learner;
}

/* Before the networks: a magic word, three numbers and three figures. */
enum { HEAD = 7 * 8, STAGE = END_VALUE_WEIGHTS * sizeof(float) };

static void a_file_has_the_stages_that_differ_alone(void **state)
{
    skip_one_thread();
    /* In the second sweep all of the first and what is new. */
    static const struct {
        uint64_t stages;
        size_t written;
    } cases[] = {{0, 0}, {1, 1}, {14, 14}, {15, 15}, {17, 17}};
    struct learner *learner = curling_begin(&learner_value, &stopping, 1);

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        size_t size;
        curling_go_on(learner, cases[k].stages);
        unsigned char *bytes = bytes_of(learner, &size);
        assert_int_equal(size, HEAD + 2 * sizeof(uint64_t) + cases[k].written * STAGE);
        struct learner *copy = opened(bytes, size);
        assert_non_null(copy);
        curling_assert_same_file(learner, copy);
        learner_free(copy);
        free(bytes);
    }
    learner_free(learner);
}

static size_t add_whole(unsigned char *to, const unsigned char *network, size_t size)
{
    const uint64_t length = size;

    memcpy(to, &length, sizeof length);
    memcpy(to + sizeof length, network, size);
    return sizeof length + size;
}

/* They had both networks as files of their own. Those of version 1 have no places, so the run goes
 * on from what they have. */
static void files_of_earlier_versions_are_read(void **state)
{
    skip_one_thread();
    static struct end_value none, first, again;
    struct learner *learner = curling_begin(&learner_value, &stopping, 1);
    json_t *notes = json_pack("{s:s}", END_VALUE_NOTE, END_VALUE_FIRST);
    unsigned char *before, *after, *newer;
    size_t size, before_size, after_size, newer_size;

    (void)state;
    curling_go_on(learner, 1);
    unsigned char *bytes = bytes_of(learner, &size);
    newer = learner_value.policy_file(learner, &newer_size);
    assert_int_equal(end_value_read(newer, newer_size, &first), NET_OK);
    assert_int_equal(end_value_write(&none, notes, &before, &before_size), NET_OK);
    assert_int_equal(end_value_write(&first, notes, &after, &after_size), NET_OK);
    unsigned char *old = malloc(HEAD + 16 + before_size + after_size);
    memcpy(old, bytes, HEAD);
    size = HEAD;
    size += add_whole(old + size, before, before_size);
    size += add_whole(old + size, after, after_size);
    struct learner *copy = opened(old, size);
    assert_non_null(copy);
    free(newer);
    newer = learner_value.policy_file(copy, &newer_size);
    assert_int_equal(end_value_read(newer, newer_size, &again), NET_OK);
    assert_memory_equal(&again.stage[14], &first.stage[14], END_VALUE_PLAIN * sizeof(float));
    assert_false(again.stage[14].has_places);
    struct learner *twin = opened(old, size);
    assert_non_null(twin);
    curling_go_on(copy, 2);
    curling_go_on(twin, 2);
    curling_assert_same_file(copy, twin);
    learner_free(twin);
    learner_free(copy);
    learner_free(learner);
    json_decref(notes);
    free(newer);
    free(old);
    free(before);
    free(after);
    free(bytes);
}

static void stages_that_cannot_be_are_refused(void **state)
{
    skip_one_thread();
    struct learner *learner = curling_begin(&learner_value, &stopping, 1);
    const uint64_t bits[] = {UINT64_C(1) << 63 | 1 << END_VALUE_STAGES, UINT64_C(1) << 61};
    const float wrong[] = {(float)NAN, (float)INFINITY};
    const size_t at = HEAD + 2 * sizeof(uint64_t);
    size_t size;

    (void)state;
    curling_go_on(learner, 1);
    unsigned char *bytes = bytes_of(learner, &size), kept[8];
    for (int k = 0; k < 2; k++) {
        memcpy(kept, bytes + at + 4, sizeof wrong[k]);
        memcpy(bytes + at + 4, &wrong[k], sizeof wrong[k]);
        assert_null(opened(bytes, size));
        memcpy(bytes + at + 4, kept, sizeof wrong[k]);
        memcpy(kept, bytes + HEAD, sizeof bits[k]);
        memcpy(bytes + HEAD, &bits[k], sizeof bits[k]);
        assert_null(opened(bytes, size));
        memcpy(bytes + HEAD, kept, sizeof bits[k]);
    }
    assert_null(opened(bytes, size - 1));
    struct learner *copy = opened(bytes, size);
    assert_non_null(copy);
    learner_free(copy);
    learner_free(learner);
    free(bytes);
}

/* The second stage starts from the first one's weights, here as if those had grown without end. */
static void divergence_is_reported(void **state)
{
    skip_one_thread();
    struct learner *learner = curling_begin(&learner_value, &stopping, 1);
    const float large = 1e38f;
    char error[LEARNER_ERROR_MAX] = "";
    bool good = true;
    size_t size;

    (void)state;
    curling_go_on(learner, 1);
    unsigned char *bytes = bytes_of(learner, &size);
    for (size_t at = size - STAGE; at < size; at += sizeof large)
        memcpy(bytes + at, &large, sizeof large);
    struct learner *wild = opened(bytes, size);
    assert_non_null(wild);
    while (good && learner_report_of(wild).games < 2)
        good = learner_value.step(wild, error);
    assert_false(good);
    assert_true(learner_has_diverged(wild));
    assert_non_null(strstr(error, "value: "));
    learner_free(wild);
    learner_free(learner);
    free(bytes);
}

static void what_it_cannot_learn_or_read_is_refused(void **state)
{
    const struct learner_common common = {.threads = 1, .seed = 3};
    char error[LEARNER_ERROR_MAX] = "";
    struct learner *learner = curling_begin(&learner_value, &stopping, 1);
    FILE *file = tmpfile();

    (void)state;
    assert_null(learner_value.make(&learner_value, &leduc_game, &common, &stopping, error));
    assert_non_null(strstr(error, "profile"));
    assert_true(learner_value.write(learner, file));
    learner_free(learner);
    long size = ftell(file);
    unsigned char *bytes = malloc((size_t)size);
    rewind(file);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    for (long cut = 0; cut < size; cut += size / 7 + 1) {
        FILE *part = tmpfile();
        assert_int_equal(fwrite(bytes, 1, (size_t)cut, part), cut);
        assert_null(curling_read(&learner_value, &stopping, part, error));
        assert_non_null(strstr(error, "broken"));
        fclose(part);
    }
    free(bytes);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stage_learns_what_positions_are_worth),
        cmocka_unit_test(its_file_is_an_end_value_network),
        cmocka_unit_test(further_sweeps_do_not_depend_on_threads_and_stops),
        cmocka_unit_test(a_file_has_the_stages_that_differ_alone),
        cmocka_unit_test(files_of_earlier_versions_are_read),
        cmocka_unit_test(stages_that_cannot_be_are_refused),
        cmocka_unit_test(divergence_is_reported),
        cmocka_unit_test(what_it_cannot_learn_or_read_is_refused),
    };
    return cmocka_run_group_tests(tests, curling_make_game, curling_free_game);
}
