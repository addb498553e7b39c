/* Memories of transitions, tries and actions, and the rollout. */
#include "workers/learn/memory/memory.h"
#include "workers/learn/memory/rollout.h"

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

static struct room room;

static int clear_room(void **state)
{
    (void)state;
    assert_false(room.is_full);
    room_clear(&room);
    return 0;
}

/* Writes a memory to a new file and rewinds it. */
static FILE *file_of(const struct memory *memory)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(memory_write(memory, file));
    rewind(file);
    return file;
}

static void add_number(struct memory *memory, uint32_t number)
{
    uint32_t next = number + 1000;
    memory_add_transition(memory, &(struct transition){.observation = &number,
                                                       .action = (int)(number % 960),
                                                       .reward = (float)number / 8.0f,
                                                       .next = number % 3 ? &next : NULL});
}

static void assert_number(const struct memory *memory, size_t index, uint32_t number)
{
    uint32_t seen, next;
    struct transition t = memory_transition(memory, index, &seen, &next);
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

static void transitions_keep_the_latest(void **state)
{
    (void)state;
    struct memory *memory = memory_of_transitions(&room, 5, sizeof(uint32_t));
    for (uint32_t n = 0; n < 3; n++)
        add_number(memory, n);
    assert_int_equal(memory_count(memory), 3);
    assert_number(memory, 2, 2);
    for (uint32_t n = 3; n < 1207; n++)
        add_number(memory, n);
    assert_int_equal(memory_count(memory), 5);
    for (uint32_t n = 1202; n < 1207; n++)
        assert_number(memory, n % 5, n);
}

static void transitions_go_on_from_a_file(void **state)
{
    (void)state;
    for (uint32_t written = 2; written <= 7; written += 5) {
        struct memory *one = memory_of_transitions(&room, 5, sizeof(uint32_t)),
                      *two = memory_of_transitions(&room, 5, sizeof(uint32_t));
        struct memory *other = memory_of_transitions(&room, 4, sizeof(uint32_t));
        for (uint32_t n = 0; n < written; n++)
            add_number(one, n);
        FILE *file = file_of(one);
        assert_true(memory_read(two, file));
        for (uint32_t n = written; n < written + 4; n++) {
            add_number(one, n);
            add_number(two, n);
        }
        assert_int_equal(memory_count(two), memory_count(one));
        for (size_t k = 0; k < memory_count(two); k++) {
            uint32_t seen, next;
            memory_transition(one, k, &seen, &next);
            assert_number(two, k, seen);
        }
        rewind(file);
        assert_false(memory_read(other, file)); /* another capacity */
        assert_false(memory_read(two, file));   /* not the beginning */
        assert_int_equal(memory_count(two), 0);
        fclose(file);
    }
}

static void offer(struct memory *memory, uint32_t from, uint32_t to)
{
    for (uint32_t n = from; n < to; n++)
        memory_offer_action(memory, &n, (int)(n % 960));
}

/* Decision `number` has 1 … 4 actions. */
static void add_tried(struct memory *memory, uint32_t number)
{
    struct told told[4];
    int count = 1 + (int)(number % 4);
    for (int k = 0; k < count; k++)
        told[k] = (struct told){(int)number * 10 + k, (float)number + (float)k / 8.0f};
    memory_add_tries(memory, &number, told, count);
}

static void assert_tried(const struct memory *memory, size_t index, uint32_t number)
{
    struct told told[4];
    uint32_t seen;
    int count = memory_tries(memory, index, &seen, told);
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
    struct memory *memory = memory_of_tries(&room, 5, sizeof(uint32_t), 4);
    for (uint32_t n = 0; n < 3; n++)
        add_tried(memory, n);
    assert_int_equal(memory_count(memory), 3);
    assert_tried(memory, 2, 2);
    for (uint32_t n = 3; n < 1207; n++)
        add_tried(memory, n);
    assert_int_equal(memory_count(memory), 5);
    for (uint32_t n = 1202; n < 1207; n++)
        assert_tried(memory, n % 5, n);
}

static void tries_go_on_from_a_file(void **state)
{
    (void)state;
    for (uint32_t before = 3; before <= 8; before += 5) { /* not yet full, and full */
        struct memory *memory = memory_of_tries(&room, 5, sizeof(uint32_t), 4);
        struct memory *again = memory_of_tries(&room, 5, sizeof(uint32_t), 4);
        for (uint32_t n = 0; n < before; n++)
            add_tried(memory, n);
        FILE *file = file_of(memory);
        assert_true(memory_read(again, file));
        assert_int_equal(memory_count(again), memory_count(memory));
        for (uint32_t n = before; n < before + 9; n++) {
            add_tried(again, n);
            assert_tried(again, n % 5, n);
        }
        fclose(file);
    }
}

/* Other sizes, a cut file, and inconsistent counts. */
static void broken_tries_are_refused(void **state)
{
    (void)state;
    struct memory *memory = memory_of_tries(&room, 5, sizeof(uint32_t), 4);
    struct memory *other = memory_of_tries(&room, 5, sizeof(uint32_t), 3);
    const long head = 4 * sizeof(uint64_t), count_at = head + (long)sizeof(uint32_t);
    int32_t counts[] = {0, -1, 5, 1000000};

    for (uint32_t n = 0; n < 3; n++)
        add_tried(memory, n);
    FILE *file = file_of(memory);
    assert_false(memory_read(other, file));
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        fseek(file, count_at, SEEK_SET);
        assert_int_equal(fwrite(&counts[k], sizeof counts[k], 1, file), 1);
        rewind(file);
        assert_false(memory_read(memory, file));
        assert_int_equal(memory_count(memory), 0);
    }
    rewind(file);
    assert_int_equal(ftruncate(fileno(file), head + 10), 0);
    assert_false(memory_read(memory, file));
    fclose(file);
}

/* At any time each pair so far is stored with the same probability. */
static void a_sample_is_fair(void **state)
{
    (void)state;
    enum { ROOM = 2000, PARTS = 10 };
    struct memory *memory = memory_of_actions(&room, ROOM, sizeof(uint32_t), MEMORY_SAMPLE, &key);
    uint32_t offered = 0;
    for (uint32_t upto = ROOM; upto <= 16 * ROOM; upto *= 4) {
        offer(memory, offered, upto);
        offered = upto;
        assert_int_equal(memory_count(memory), ROOM);
        int part[PARTS] = {0};
        for (size_t k = 0; k < ROOM; k++) {
            uint32_t seen;
            int action = memory_action(memory, k, &seen);
            assert_int_equal(action, seen % 960);
            part[seen / (upto / PARTS)]++;
        }
        double chi = 0.0; /* 9 degrees of freedom: 27.9 is exceeded once in a thousand */
        for (int k = 0; k < PARTS; k++)
            chi += pow(part[k] - ROOM / PARTS, 2.0) / (ROOM / PARTS);
        assert_true(chi < 27.9);
    }
}

/* A full memory takes each new record with the chance `recency`, in any place: so a record stays on
 * average for ROOM / recency further ones. */
static void a_sample_can_prefer_recent_records(void **state)
{
    (void)state;
    enum { ROOM = 2000, OFFERED = 40 * ROOM };
    struct memory *memory = memory_of_tries(&room, ROOM, sizeof(uint32_t), 1);
    double age = 0.0;

    memory_keep_sample(memory, 0.5, &key);
    for (uint32_t k = 0; k < OFFERED; k++)
        memory_add_tries(memory, &k, &(struct told){(int32_t)(k % 960), 1.0f}, 1);
    assert_int_equal(memory_count(memory), ROOM);
    for (size_t k = 0; k < ROOM; k++) {
        uint32_t seen;
        struct told told;
        assert_int_equal(memory_tries(memory, k, &seen, &told), 1);
        assert_int_equal(told.action, seen % 960);
        age += (double)(OFFERED - seen) / ROOM;
    }
    /* Exponential with mean ROOM / 0.5 = 4000: 4 standard errors are 9 %. */
    assert_true(fabs(age - 2.0 * ROOM) < 0.09 * 2.0 * ROOM);
}

static void actions_can_keep_the_latest(void **state)
{
    (void)state;
    struct memory *memory = memory_of_actions(&room, 50, sizeof(uint32_t), MEMORY_LATEST, &key);
    offer(memory, 0, 1234);
    for (size_t k = 0; k < 50; k++) {
        uint32_t seen;
        memory_action(memory, k, &seen);
        assert_in_range(seen, 1184, 1233);
    }
}

static void a_sample_goes_on_from_a_file(void **state)
{
    (void)state;
    for (uint32_t written = 30; written <= 500; written += 470) {
        struct memory *one = memory_of_actions(&room, 100, sizeof(uint32_t), MEMORY_SAMPLE, &key);
        struct memory *two = memory_of_actions(&room, 100, sizeof(uint32_t), MEMORY_SAMPLE, &key);
        offer(one, 0, written);
        FILE *file = file_of(one);
        assert_true(memory_read(two, file));
        offer(one, written, 2000);
        offer(two, written, 2000);
        for (size_t k = 0; k < 100; k++) {
            uint32_t a, b;
            assert_int_equal(memory_action(one, k, &a), memory_action(two, k, &b));
            assert_int_equal(a, b);
        }
        assert_false(memory_read(two, file)); /* at its end */
        assert_int_equal(memory_count(two), 0);
        fclose(file);
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
    struct rollout made = rollout_make(&room, 4, sizeof(uint32_t)), *rollout = &made;
    for (uint32_t k = 0; k < 4; k++)
        add_decision(rollout, k, advantages[k]);
    rollout_normalise(rollout);
    for (uint32_t k = 0; k < 4; k++) {
        const struct rollout_decision *decision = &rollout->decisions[k];
        assert_true(decision->advantage == (k % 2 ? 1.0f : -1.0f));
        assert_true(decision->value_target == (float)k / 8.0f);
        assert_int_equal(*(const uint32_t *)rollout_observation(rollout, k), k);
    }
    /* All equal, or none: nothing to divide by. */
    rollout->count = 0;
    rollout_normalise(rollout);
    assert_int_equal(rollout->count, 0);
    add_decision(rollout, 7, 2.5f);
    rollout_normalise(rollout);
    assert_true(rollout->decisions[0].advantage == 2.5f);
}

static void rollouts_go_through_a_file(void **state)
{
    (void)state;
    struct rollout made[] = {rollout_make(&room, 4, 4), rollout_make(&room, 4, 4),
                             rollout_make(&room, 3, 4)};
    struct rollout *rollout = &made[0], *other = &made[1], *smaller = &made[2];
    FILE *file = tmpfile();
    for (uint32_t k = 0; k < 3; k++)
        add_decision(rollout, k, 0.5f * (float)k);
    assert_true(rollout_write(rollout, file));
    rewind(file);
    assert_true(rollout_read(other, 3, file));
    assert_int_equal(other->count, 3);
    for (uint32_t k = 0; k < 3; k++) {
        assert_int_equal(*(const uint32_t *)rollout_observation(other, k), k);
        assert_memory_equal(&other->decisions[k], &rollout->decisions[k],
                            sizeof(struct rollout_decision));
    }
    rewind(file);
    assert_false(rollout_read(smaller, 3, file));
    rewind(file);
    assert_false(rollout_read(other, 2, file)); /* an action that does not exist */
    assert_int_equal(other->count, 0);
    fclose(file);
}

static void a_room_says_when_it_is_full(void **state)
{
    (void)state;
    unsigned char *bytes = room_take(&room, 3, 5);
    assert_non_null(bytes);
    for (int k = 0; k < 15; k++)
        assert_int_equal(bytes[k], 0);
    assert_non_null(room_take(&room, 0, 8));
    assert_false(room.is_full);
    assert_null(room_take(&room, SIZE_MAX / 4, 8)); /* no such number of bytes */
    assert_true(room.is_full);
    room.is_full = false;
    assert_null(memory_of_actions(&room, SIZE_MAX / 8, 8, MEMORY_LATEST, &key));
    assert_true(room.is_full);
    room.is_full = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(transitions_keep_the_latest, clear_room),
        cmocka_unit_test_teardown(transitions_go_on_from_a_file, clear_room),
        cmocka_unit_test_teardown(tries_keep_the_latest, clear_room),
        cmocka_unit_test_teardown(tries_go_on_from_a_file, clear_room),
        cmocka_unit_test_teardown(broken_tries_are_refused, clear_room),
        cmocka_unit_test_teardown(a_sample_is_fair, clear_room),
        cmocka_unit_test_teardown(a_sample_can_prefer_recent_records, clear_room),
        cmocka_unit_test_teardown(actions_can_keep_the_latest, clear_room),
        cmocka_unit_test_teardown(a_sample_goes_on_from_a_file, clear_room),
        cmocka_unit_test_teardown(rollouts_are_normalised, clear_room),
        cmocka_unit_test_teardown(rollouts_go_through_a_file, clear_room),
        cmocka_unit_test_teardown(a_room_says_when_it_is_full, clear_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
