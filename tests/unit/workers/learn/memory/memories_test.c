/* The replay, the memory of tries, the reservoir and the rollout. */
#include "workers/learn/memory/replay.h"
#include "workers/learn/memory/reservoir.h"
#include "workers/learn/memory/rollout.h"
#include "workers/learn/memory/tried_memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct random_key key = {.seed = 11, .stream = 4};

static void add_number(struct replay *replay, uint32_t number)
{
    uint32_t next = number + 1000;
    replay_add(replay, &(struct transition){.observation = &number,
                                            .action = (int)(number % 960),
                                            .reward = (float)number / 8.0f,
                                            .next = number % 3 ? &next : NULL});
}

static void assert_number(const struct replay *replay, size_t index, uint32_t number)
{
    uint32_t seen, next;
    struct transition t = replay_get(replay, index, &seen, &next);
    assert_ptr_equal(t.observation, &seen);
    assert_int_equal(seen, number);
    assert_int_equal(t.action, number % 960);
    assert_true(t.reward == (float)number / 8.0f);
    if (number % 3) {
        assert_ptr_equal(t.next, &next);
        assert_int_equal(next, number + 1000);
    } else {
        assert_null(t.next);
    }
}

static void replay_keeps_the_latest(void **state)
{
    (void)state;
    struct replay *replay = replay_new(5, sizeof(uint32_t));
    for (uint32_t n = 0; n < 3; n++)
        add_number(replay, n);
    assert_int_equal(replay_count(replay), 3);
    assert_number(replay, 2, 2);
    for (uint32_t n = 3; n < 1207; n++)
        add_number(replay, n);
    assert_int_equal(replay_count(replay), 5);
    for (uint32_t n = 1202; n < 1207; n++)
        assert_number(replay, n % 5, n);
    replay_free(replay);
}

static void replay_goes_on_from_a_file(void **state)
{
    (void)state;
    for (uint32_t written = 2; written <= 7; written += 5) {
        struct replay *one = replay_new(5, sizeof(uint32_t)),
                      *two = replay_new(5, sizeof(uint32_t));
        struct replay *other = replay_new(4, sizeof(uint32_t));
        FILE *file = tmpfile();
        for (uint32_t n = 0; n < written; n++)
            add_number(one, n);
        assert_true(replay_write(one, file));
        rewind(file);
        assert_true(replay_read(two, file));
        for (uint32_t n = written; n < written + 4; n++) {
            add_number(one, n);
            add_number(two, n);
        }
        assert_int_equal(replay_count(two), replay_count(one));
        for (size_t k = 0; k < replay_count(two); k++) {
            uint32_t seen, next;
            replay_get(one, k, &seen, &next);
            assert_number(two, k, seen);
        }
        rewind(file);
        assert_false(replay_read(other, file)); /* another capacity */
        assert_false(replay_read(two, file));   /* not the beginning */
        assert_int_equal(replay_count(two), 0);
        fclose(file);
        replay_free(one);
        replay_free(two);
        replay_free(other);
    }
}

static void offer(struct reservoir *reservoir, uint32_t from, uint32_t to)
{
    for (uint32_t n = from; n < to; n++)
        reservoir_offer(reservoir, &n, (int)(n % 960));
}

/* At any time each pair so far is stored with the same probability. */
/* Decision `number` has 1 … 4 actions. */
static void add_tried(struct tried_memory *memory, uint32_t number)
{
    struct told told[4];
    int count = 1 + (int)(number % 4);
    for (int k = 0; k < count; k++)
        told[k] = (struct told){(int)number * 10 + k, (float)number + (float)k / 8.0f};
    tried_memory_add(memory, &number, told, count);
}

static void assert_tried(const struct tried_memory *memory, size_t index, uint32_t number)
{
    struct told told[4];
    uint32_t seen;
    int count = tried_memory_get(memory, index, &seen, told);
    assert_int_equal(seen, number);
    assert_int_equal(count, 1 + number % 4);
    for (int k = 0; k < count; k++) {
        assert_int_equal(told[k].action, number * 10 + (uint32_t)k);
        assert_true(told[k].value == (float)number + (float)k / 8.0f);
    }
}

static void tries_keep_the_latest(void **state)
{
    (void)state;
    struct tried_memory *memory = tried_memory_new(5, sizeof(uint32_t), 4);
    for (uint32_t n = 0; n < 3; n++)
        add_tried(memory, n);
    assert_int_equal(tried_memory_count(memory), 3);
    assert_tried(memory, 2, 2);
    for (uint32_t n = 3; n < 1207; n++)
        add_tried(memory, n);
    assert_int_equal(tried_memory_count(memory), 5);
    for (uint32_t n = 1202; n < 1207; n++)
        assert_tried(memory, n % 5, n);
    tried_memory_free(memory);
}

static void tries_go_on_from_a_file(void **state)
{
    (void)state;
    for (uint32_t before = 3; before <= 8; before += 5) { /* not yet full, and full */
        struct tried_memory *memory = tried_memory_new(5, sizeof(uint32_t), 4);
        struct tried_memory *again = tried_memory_new(5, sizeof(uint32_t), 4);
        FILE *file = tmpfile();
        for (uint32_t n = 0; n < before; n++)
            add_tried(memory, n);
        assert_true(tried_memory_write(memory, file));
        rewind(file);
        assert_true(tried_memory_read(again, file));
        assert_int_equal(tried_memory_count(again), tried_memory_count(memory));
        for (uint32_t n = before; n < before + 9; n++) {
            add_tried(again, n);
            assert_tried(again, n % 5, n);
        }
        tried_memory_free(memory);
        tried_memory_free(again);
        fclose(file);
    }
}

/* Other sizes, a cut file, and inconsistent counts. */
static void broken_tries_are_refused(void **state)
{
    (void)state;
    struct tried_memory *memory = tried_memory_new(5, sizeof(uint32_t), 4);
    struct tried_memory *other = tried_memory_new(5, sizeof(uint32_t), 3);
    const long head = 4 * sizeof(uint64_t), count_at = head + (long)sizeof(uint32_t);
    FILE *file = tmpfile();
    int32_t counts[] = {0, -1, 5, 1000000};

    for (uint32_t n = 0; n < 3; n++)
        add_tried(memory, n);
    assert_true(tried_memory_write(memory, file));
    rewind(file);
    assert_false(tried_memory_read(other, file));
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        fseek(file, count_at, SEEK_SET);
        assert_int_equal(fwrite(&counts[k], sizeof counts[k], 1, file), 1);
        rewind(file);
        assert_false(tried_memory_read(memory, file));
        assert_int_equal(tried_memory_count(memory), 0);
    }
    rewind(file);
    assert_int_equal(ftruncate(fileno(file), head + 10), 0);
    assert_false(tried_memory_read(memory, file));
    tried_memory_free(memory);
    tried_memory_free(other);
    fclose(file);
}

static void reservoir_is_a_fair_sample(void **state)
{
    (void)state;
    enum { ROOM = 2000, PARTS = 10 };
    struct reservoir *reservoir = reservoir_new(RESERVOIR_SAMPLE, ROOM, sizeof(uint32_t), &key);
    uint32_t offered = 0;
    for (uint32_t upto = ROOM; upto <= 16 * ROOM; upto *= 4) {
        offer(reservoir, offered, upto);
        offered = upto;
        assert_int_equal(reservoir_count(reservoir), ROOM);
        int part[PARTS] = {0};
        for (size_t k = 0; k < ROOM; k++) {
            uint32_t seen;
            int action = reservoir_get(reservoir, k, &seen);
            assert_int_equal(action, seen % 960);
            part[seen / (upto / PARTS)]++;
        }
        double chi = 0.0; /* 9 degrees of freedom: 27.9 is exceeded once in a thousand */
        for (int k = 0; k < PARTS; k++)
            chi += pow(part[k] - ROOM / PARTS, 2.0) / (ROOM / PARTS);
        assert_true(chi < 27.9);
    }
    reservoir_free(reservoir);
}

static void the_ablation_keeps_the_latest(void **state)
{
    (void)state;
    struct reservoir *reservoir = reservoir_new(RESERVOIR_LATEST, 50, sizeof(uint32_t), &key);
    offer(reservoir, 0, 1234);
    for (size_t k = 0; k < 50; k++) {
        uint32_t seen;
        reservoir_get(reservoir, k, &seen);
        assert_in_range(seen, 1184, 1233);
    }
    reservoir_free(reservoir);
}

static void reservoir_goes_on_from_a_file(void **state)
{
    (void)state;
    for (uint32_t written = 30; written <= 500; written += 470) {
        struct reservoir *one = reservoir_new(RESERVOIR_SAMPLE, 100, sizeof(uint32_t), &key);
        struct reservoir *two = reservoir_new(RESERVOIR_SAMPLE, 100, sizeof(uint32_t), &key);
        FILE *file = tmpfile();
        offer(one, 0, written);
        assert_true(reservoir_write(one, file));
        rewind(file);
        assert_true(reservoir_read(two, file));
        offer(one, written, 2000);
        offer(two, written, 2000);
        for (size_t k = 0; k < 100; k++) {
            uint32_t a, b;
            assert_int_equal(reservoir_get(one, k, &a), reservoir_get(two, k, &b));
            assert_int_equal(a, b);
        }
        assert_false(reservoir_read(two, file)); /* at its end */
        assert_int_equal(reservoir_count(two), 0);
        fclose(file);
        reservoir_free(one);
        reservoir_free(two);
    }
}

static void add_decision(struct rollout *rollout, uint32_t number, float advantage)
{
    rollout_add(rollout, &number,
                &(struct rollout_decision){.log_p = -1.0f,
                                           .advantage = advantage,
                                           .value_target = (float)number / 8.0f,
                                           .action = (int32_t)number});
}

static void rollouts_are_normalised(void **state)
{
    (void)state;
    const float advantages[] = {3.0f, 5.0f, 3.0f, 5.0f};
    struct rollout *rollout = rollout_new(4, sizeof(uint32_t));
    for (uint32_t k = 0; k < 4; k++)
        add_decision(rollout, k, advantages[k]);
    rollout_normalise(rollout);
    for (uint32_t k = 0; k < 4; k++) {
        const struct rollout_decision *decision = rollout_decision(rollout, k);
        assert_true(decision->advantage == (k % 2 ? 1.0f : -1.0f));
        assert_true(decision->value_target == (float)k / 8.0f);
        assert_int_equal(*(const uint32_t *)rollout_observation(rollout, k), k);
    }
    /* All equal, or none: nothing to divide by. */
    rollout_clear(rollout);
    rollout_normalise(rollout);
    assert_int_equal(rollout_count(rollout), 0);
    add_decision(rollout, 7, 2.5f);
    rollout_normalise(rollout);
    assert_true(rollout_decision(rollout, 0)->advantage == 2.5f);
    rollout_free(rollout);
}

static void rollouts_go_through_a_file(void **state)
{
    (void)state;
    struct rollout *rollout = rollout_new(4, sizeof(uint32_t)), *other = rollout_new(4, 4),
                   *smaller = rollout_new(3, 4);
    FILE *file = tmpfile();
    for (uint32_t k = 0; k < 3; k++)
        add_decision(rollout, k, 0.5f * (float)k);
    assert_true(rollout_write(rollout, file));
    rewind(file);
    assert_true(rollout_read(other, 3, file));
    assert_int_equal(rollout_count(other), 3);
    for (uint32_t k = 0; k < 3; k++) {
        assert_int_equal(*(const uint32_t *)rollout_observation(other, k), k);
        assert_memory_equal(rollout_decision(other, k), rollout_decision(rollout, k),
                            sizeof(struct rollout_decision));
    }
    rewind(file);
    assert_false(rollout_read(smaller, 3, file));
    rewind(file);
    assert_false(rollout_read(other, 2, file)); /* an action that does not exist */
    assert_int_equal(rollout_count(other), 0);
    fclose(file);
    rollout_free(rollout);
    rollout_free(other);
    rollout_free(smaller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replay_keeps_the_latest),
        cmocka_unit_test(replay_goes_on_from_a_file),
        cmocka_unit_test(tries_keep_the_latest),
        cmocka_unit_test(tries_go_on_from_a_file),
        cmocka_unit_test(broken_tries_are_refused),
        cmocka_unit_test(reservoir_is_a_fair_sample),
        cmocka_unit_test(the_ablation_keeps_the_latest),
        cmocka_unit_test(reservoir_goes_on_from_a_file),
        cmocka_unit_test(rollouts_are_normalised),
        cmocka_unit_test(rollouts_go_through_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
