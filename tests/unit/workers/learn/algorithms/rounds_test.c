/* Rounds by many processes: items made in any number of shards give the weights of one process, and
 * a shard that is not the expected one is refused with a sentence that says why. */
#include "models/tables/profiles.h"
#include "tests/unit/workers/learn/algorithms/curling_run.h"
#include "workers/learn/algorithms/rounds_shard.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SEED = 3 }; /* of curling_run.h */

static const struct learner_number value_numbers[] = {
    {"states", 9}, {"simulations", 100}, {"epochs", 2}};
static const struct learner_number gpi_numbers[] = {
    {"first_samples", 40}, {"samples", 30}, {"draws_before", 2}, {"draws_after", 3},
    {"hidden", 8},         {"hidden2", 8},  {"batch", 8},        {"epochs", 2}};
static const struct learner_number policy_value_numbers[] = {
    {"teacher_simulations", 100}, {"first_ends", 7}, {"first_epochs", 2}, {"ends", 7},
    {"simulations", 10},          {"memory", 10},    {"epochs", 2},       {"batch", 32},
    {"random_share", 0}};
static const struct learner_hyper value_hyper = {value_numbers, 3}, gpi_hyper = {gpi_numbers, 8},
                                  policy_value_hyper = {policy_value_numbers, 9};

/* An algorithm, and how far it goes: into its second sweep or iteration. */
struct algorithm {
    const struct learner_class *class;
    const struct learner_hyper *hyper;
    uint64_t rounds;
};

/* ---- a round by many ---- */

/* The run as a file has it, in a process of its own. */
static struct rounds *opened(const struct algorithm *algorithm, FILE *state)
{
    char error[LEARNER_ERROR_MAX];
    struct learner *learner = curling_read(algorithm->class, algorithm->hyper, state, error);

    if (!learner)
        fail_msg("%s", error);
    return rounds_of(learner);
}

static struct rounds_shard shard_of(const struct rounds *rounds, int part, size_t first,
                                    size_t count)
{
    const struct rounds_part *kind = &rounds->class->part[part];
    const uint64_t round = rounds->state.games;

    return (struct rounds_shard){.class = rounds->learner.class,
                                 .rules = rounds->rules,
                                 .part = part,
                                 .seed = SEED,
                                 .round = kind->batch(round),
                                 .first = first,
                                 .count = count,
                                 .of = kind->wanted(rounds->settings, round)};
}

struct taking {
    struct rounds *rounds;
    int part;
};

static bool take(void *context, const unsigned char *bytes)
{
    const struct taking *taking = context;

    return rounds_take(taking->rounds, taking->part, bytes);
}

/* Takes all items of a part, which lie in `shards` shards of a file. */
static void take_all(struct rounds *rounds, int part, FILE *file, size_t shards)
{
    const size_t of = rounds->class->part[part].wanted(rounds->settings, rounds->state.games);
    struct taking taking = {rounds, part};
    char error[ROUNDS_SHARD_ERROR_MAX];

    rewind(file);
    for (size_t k = 0; k < shards; k++) {
        const size_t first = of * k / shards, next = of * (k + 1) / shards;
        const struct rounds_shard shard = shard_of(rounds, part, first, next - first);
        if (!rounds_shard_read(&shard, file, NULL, take, &taking, error))
            fail_msg("%s", error);
    }
    assert_true(rounds_shard_is_last(file, error));
    assert_true(rounds_is_complete(rounds, part));
}

/* Makes a part in shards, each by a process that has the run and the parts before. */
static FILE *make_part(const struct algorithm *algorithm, FILE *state, FILE *const *before,
                       int part, size_t shards)
{
    FILE *file = tmpfile();
    char error[LEARNER_ERROR_MAX];

    for (size_t k = 0; k < shards; k++) {
        struct rounds *rounds = opened(algorithm, state);
        const size_t of = rounds->class->part[part].wanted(rounds->settings, rounds->state.games),
                     first = of * k / shards, next = of * (k + 1) / shards;
        const struct rounds_shard shard = shard_of(rounds, part, first, next - first);
        for (int p = 0; p < part; p++)
            if (before[p])
                take_all(rounds, p, before[p], shards);
        if (!rounds_make(rounds, part, first, next - first, NULL, error))
            fail_msg("%s", error);
        assert_true(rounds_shard_write(&shard, rounds, file));
        learner_free(&rounds->learner);
    }
    return file;
}

/* Does the rounds of a run in shards; returns the run after them. */
static struct learner *in_shards(const struct algorithm *algorithm, size_t shards)
{
    struct learner *learner = curling_begin(algorithm->class, algorithm->hyper, 1);
    FILE *parts[ROUNDS_PARTS_MAX] = {NULL};

    for (uint64_t round = 0; round < algorithm->rounds; round++) {
        FILE *state = tmpfile();
        assert_true(algorithm->class->write(learner, state));
        learner_free(learner);
        struct rounds *rounds = opened(algorithm, state);
        assert_int_equal(rounds->state.games, round);
        for (int part = 0; part < rounds->class->parts; part++) {
            const struct rounds_part *kind = &rounds->class->part[part];
            if (kind->wanted(rounds->settings, round) == 0)
                continue;
            if (kind->batch(round) == round) {
                if (parts[part])
                    fclose(parts[part]);
                parts[part] = make_part(algorithm, state, parts, part, shards);
            }
            take_all(rounds, part, parts[part], shards);
        }
        learner = &rounds->learner;
        curling_go_on(learner, round + 1);
        fclose(state);
    }
    for (int part = 0; part < ROUNDS_PARTS_MAX; part++)
        if (parts[part])
            fclose(parts[part]);
    return learner;
}

static void assert_same_run(const struct learner *a, const struct learner *b)
{
    const struct learner_report one = learner_report_of(a), other = learner_report_of(b);

    curling_assert_same_file(a, b);
    assert_int_equal(one.decisions, other.decisions);
    assert_int_equal(one.updates, other.updates);
    assert_int_equal(one.throws, other.throws);
    assert_true(one.loss[0].value == other.loss[0].value);
    for (int k = 0; k < one.figures; k++)
        assert_true(one.figure[k].value == other.figure[k].value);
}

static void compare(const struct algorithm *algorithm)
{
    static const size_t shards[] = {1, 3, 7};
    struct learner *whole = curling_begin(algorithm->class, algorithm->hyper, 2);

    curling_go_on(whole, algorithm->rounds);
    for (size_t k = 0; k < sizeof shards / sizeof *shards; k++) {
        struct learner *parts = in_shards(algorithm, shards[k]);
        assert_same_run(whole, parts);
        learner_free(parts);
    }
    learner_free(whole);
}

/* ---- scenarios ---- */

static void values_from_shards_are_those_of_one_process(void **state)
{
    const struct algorithm value = {&learner_value, &value_hyper, 17};

    (void)state;
    compare(&value);
}

static void policies_from_shards_are_those_of_one_process(void **state)
{
    const struct algorithm gpi = {&learner_gpi, &gpi_hyper, 18};

    (void)state;
    compare(&gpi);
}

/* Its memory has ends of the first two rounds in the third. */
static void searches_from_shards_are_those_of_one_process(void **state)
{
    const struct algorithm policy_value = {&learner_policy_value, &policy_value_hyper, 3};

    (void)state;
    compare(&policy_value);
}

/* A file with one shard of the first round: items 2 to 6 of `part`. */
static FILE *shard_file(struct rounds *rounds, int part, struct rounds_shard *ret_shard)
{
    char error[LEARNER_ERROR_MAX];
    FILE *file = tmpfile();

    *ret_shard = shard_of(rounds, part, 2, 5);
    assert_true(rounds_make(rounds, part, 2, 5, NULL, error));
    assert_true(rounds_shard_write(ret_shard, rounds, file));
    return file;
}

static void assert_refused(const struct rounds_shard *shard, FILE *file, const char *why)
{
    char error[ROUNDS_SHARD_ERROR_MAX] = "";

    rewind(file);
    if (rounds_shard_read(shard, file, NULL, NULL, NULL, error) &&
        rounds_shard_is_last(file, error))
        fail_msg("it was taken, though %s", why);
    if (!strstr(error, why))
        fail_msg("\"%s\" does not say \"%s\"", error, why);
}

/* Changes one byte, counted from the end if negative, and puts it back after the test. */
static void assert_change_is_refused(const struct rounds_shard *shard, FILE *file, long at,
                                     const char *why)
{
    fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
    const int byte = getc(file);
    fseek(file, -1, SEEK_CUR);
    putc(byte ^ 1, file);
    assert_refused(shard, file, why);
    fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
    putc(byte, file);
}

static void a_shard_that_is_not_the_expected_one_is_refused(void **state)
{
    const struct algorithm algorithms[] = {{&learner_value, &value_hyper, 1},
                                           {&learner_gpi, &gpi_hyper, 1},
                                           {&learner_policy_value, &policy_value_hyper, 1}};

    (void)state;
    for (int k = 0; k < 3; k++) {
        struct learner *learner = curling_begin(algorithms[k].class, algorithms[k].hyper, 1);
        struct rounds *rounds = rounds_of(learner);
        const int part = rounds->class->parts - 1;
        const long item = (long)rounds->class->part[part].item_bytes;
        char head[ROUNDS_HEAD_MAX], error[ROUNDS_SHARD_ERROR_MAX];
        struct rounds_shard shard, other;
        FILE *file = shard_file(rounds, part, &shard);
        const long size = ftell(file), start = (long)rounds_shard_head(&shard, head);

        assert_int_equal(size, start + 5 * item + ROUNDS_DIGEST);
        rewind(file);
        assert_true(rounds_shard_read(&shard, file, NULL, NULL, NULL, error));
        assert_true(rounds_shard_is_last(file, error));
        other = shard;
        other.round++;
        assert_refused(&other, file, "\"round\":1");
        other = shard;
        other.seed = 4;
        assert_refused(&other, file, "\"seed\":\"4\"");
        other = shard;
        other.first = 3; /* another order */
        assert_refused(&other, file, "\"from\":3");
        other = shard;
        other.count = 4;
        assert_refused(&other, file, "\"count\":4");
        assert_change_is_refused(&shard, file, 3, "begins with");
        assert_change_is_refused(&shard, file, -1, "SHA-256");
        /* A digit of a score or of a velocity: it can be one, but was not made so. */
        assert_change_is_refused(&shard, file, start + item - (k == 1 ? 10 : 4), "SHA-256");
        fseek(file, 0, SEEK_END);
        putc('x', file);
        assert_refused(&shard, file, "follows");
        for (long cut = size - 1; cut >= 0; cut -= size / 5) {
            fflush(file);
            assert_int_equal(ftruncate(fileno(file), cut), 0);
            assert_refused(&shard, file, cut < start && cut > 0 ? "begins with" : "ends within");
        }
        fclose(file);
        learner_free(learner);
    }
}

/* Writes a shard whose bytes are changed before it is hashed, as a node that is wrong would. */
static void assert_is_unsound(struct rounds *rounds, const struct rounds_shard *shard,
                              const unsigned char *good, size_t at, const void *bytes, size_t count)
{
    const size_t size = rounds->class->part[shard->part].item_bytes;
    unsigned char item[ROUNDS_ITEM_MAX];

    memcpy(item, good, size);
    assert_true(rounds->class->part[shard->part].is_sound(item, shard->rules, shard->round));
    memcpy(item + at, bytes, count);
    assert_false(rounds->class->part[shard->part].is_sound(item, shard->rules, shard->round));
    assert_false(rounds_take(rounds, shard->part, item));
}

static void values_that_cannot_be_are_refused(void **state)
{
    struct learner *learner = curling_begin(&learner_value, &value_hyper, 1);
    struct rounds *rounds = rounds_of(learner);
    const float no_number = (float)NAN, negative = -.1f, much = 1.5f;
    const double far = 99.0, none = (double)NAN, somewhere = 1.0;
    unsigned char item[ROUNDS_ITEM_MAX];
    struct rounds_shard shard;
    FILE *file = shard_file(rounds, 1, &shard);
    const size_t scores = 2 + 16 * 16;
    uint16_t in_play, all = 0xffff;

    (void)state;
    fclose(file);
    rounds->class->part[1].pack(rounds, 2, item);
    assert_is_unsound(rounds, &shard, item, scores, &no_number, sizeof no_number);
    assert_is_unsound(rounds, &shard, item, scores + 4, &negative, sizeof negative);
    assert_is_unsound(rounds, &shard, item, scores + 8, &much, sizeof much);
    assert_is_unsound(rounds, &shard, item, 0, &all, sizeof all); /* the last one is not thrown */
    memcpy(&in_play, item, sizeof in_play);
    for (int k = 0; k < 16; k++) {
        const size_t at = 2 + (size_t)k * 16;
        assert_is_unsound(rounds, &shard, item, at, in_play >> k & 1 ? &far : &somewhere,
                          sizeof far);
        assert_is_unsound(rounds, &shard, item, at + 8, &none, sizeof none);
    }
    learner_free(learner);
}

static void samples_that_cannot_be_are_refused(void **state)
{
    struct learner *learner = curling_begin(&learner_gpi, &gpi_hyper, 1);
    struct rounds *rounds = rounds_of(learner);
    const float no_number = (float)NAN, back = -1.0f, fast = 500.0f;
    const int8_t turn = 0, points = 9;
    unsigned char item[ROUNDS_ITEM_MAX];
    struct rounds_shard shard;
    FILE *file = shard_file(rounds, 0, &shard);
    const uint16_t all = 0xffff;
    const uint8_t thrown = 3;

    (void)state;
    fclose(file);
    rounds->class->part[0].pack(rounds, 2, item);
    assert_is_unsound(rounds, &shard, item, 64, &all, sizeof all);
    assert_is_unsound(rounds, &shard, item, 66, &thrown, 1);
    assert_is_unsound(rounds, &shard, item, 68, &no_number, sizeof no_number);
    assert_is_unsound(rounds, &shard, item, 68, &fast, sizeof fast);
    assert_is_unsound(rounds, &shard, item, 72, &back, sizeof back);
    assert_is_unsound(rounds, &shard, item, 76, &turn, 1);
    assert_is_unsound(rounds, &shard, item, 77, &points, 1);
    learner_free(learner);
}

static void ends_that_cannot_be_are_refused(void **state)
{
    struct learner *learner = curling_begin(&learner_policy_value, &policy_value_hyper, 1);
    struct rounds *rounds = rounds_of(learner);
    enum { EXAMPLE = 212, TARGETS = 68, ACTION = 72, SHARE = 96, SCORES = 144 };
    const float no_number = (float)NAN, negative = -.1f, much = 1.5f;
    const int16_t masked = 2, far = 960, back = -1;
    const uint8_t none = 0, many = 17, thrown = 4;
    const uint16_t all = 0xffff;
    unsigned char item[ROUNDS_ITEM_MAX];
    struct rounds_shard shard;
    FILE *file = shard_file(rounds, 0, &shard);

    (void)state;
    fclose(file);
    rounds->class->part[0].pack(rounds, 2, item);
    assert_int_equal(rounds->class->part[0].item_bytes, 1 + 16 * EXAMPLE);
    assert_is_unsound(rounds, &shard, item, 0, &none, 1);
    assert_is_unsound(rounds, &shard, item, 0, &many, 1);
    for (size_t k = 0; k < 16; k += 5) {
        const size_t at = 1 + k * EXAMPLE;
        assert_is_unsound(rounds, &shard, item, at + 64, &all, sizeof all);
        assert_is_unsound(rounds, &shard, item, at + 66, &thrown, 1);
        assert_is_unsound(rounds, &shard, item, at + 67, &many, 1);
        assert_is_unsound(rounds, &shard, item, at + TARGETS, &none, 1);
        assert_is_unsound(rounds, &shard, item, at + TARGETS, &many, 1);
        assert_is_unsound(rounds, &shard, item, at + ACTION, &masked, sizeof masked);
        assert_is_unsound(rounds, &shard, item, at + ACTION, &far, sizeof far);
        assert_is_unsound(rounds, &shard, item, at + ACTION, &back, sizeof back);
        assert_is_unsound(rounds, &shard, item, at + SHARE, &no_number, sizeof no_number);
        assert_is_unsound(rounds, &shard, item, at + SHARE, &much, sizeof much);
        assert_is_unsound(rounds, &shard, item, at + SCORES + 8, &negative, sizeof negative);
        assert_is_unsound(rounds, &shard, item, at + SCORES + 32, &much, sizeof much);
    }
    learner_free(learner);
}

/* Puts stone `k` of a position at (x, y), as a part packs it: value in metres, the others in the
 * units of a compact position. */
static void put_stone(unsigned char *at, bool is_compact, int k, struct vec2 to)
{
    uint16_t in_play;
    const double places[2] = {to.x, to.y};
    struct position position = {0};
    struct compact_position compact;

    position_put(&position, k, to);
    compact = compact_position_of(&position, 0);
    memcpy(&in_play, at + (is_compact ? 64 : 0), sizeof in_play);
    in_play = (uint16_t)(in_play | 1u << k);
    memcpy(at + (is_compact ? 64 : 0), &in_play, sizeof in_play);
    if (is_compact) {
        memcpy(at + 2 * k, &compact.x[k], sizeof compact.x[k]);
        memcpy(at + 32 + 2 * k, &compact.y[k], sizeof compact.y[k]);
    } else {
        memcpy(at + 2 + 16 * k, places, sizeof places);
    }
}

/* Digital Curling 4 keeps a stone that was hit and lies short of the hog line, anywhere. */
static void stones_lie_where_the_rules_let_them(void **state)
{
    static const double along[] = {33.0, 31.0, 30.0, 25.0, 0.0};
    const struct rules *dc3 = rules_find("dc3"), *dc4 = rules_find("dc4");
    const struct {
        struct algorithm algorithm;
        int part;
        size_t at; /* of a position in an item */
        bool is_compact;
    } rows[] = {
        /* the last position of an end; one before the last shot; the second example of an end */
        {{&learner_value, &value_hyper, 1}, 0, 15 * 258, false},
        {{&learner_value, &value_hyper, 1}, 1, 0, false},
        {{&learner_gpi, &gpi_hyper, 1}, 0, 0, true},
        {{&learner_policy_value, &policy_value_hyper, 1}, 0, 1 + 212, true}};

    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct learner *learner =
            curling_begin(rows[k].algorithm.class, rows[k].algorithm.hyper, 1);
        struct rounds *rounds = rounds_of(learner);
        const struct rounds_part *part = &rounds->class->part[rows[k].part];
        unsigned char item[ROUNDS_ITEM_MAX] = {0}; /* an end of empty sheets */
        struct rounds_shard shard = {.round = 0};
        if (part->wanted(rounds->settings, 0) > 0) {
            fclose(shard_file(rounds, rows[k].part, &shard));
            part->pack(rounds, 2, item);
        }
        for (size_t j = 0; j < sizeof along / sizeof *along; j++) {
            put_stone(item + rows[k].at, rows[k].is_compact, 0, (struct vec2){.2, along[j]});
            if (!part->is_sound(item, dc4, shard.round))
                fail_msg("row %zu: dc4 keeps no stone at %g m", k, along[j]);
            if (part->is_sound(item, dc3, shard.round) != (along[j] > 32.0))
                fail_msg("row %zu: dc3 keeps a stone at %g m", k, along[j]);
        }
        learner_free(learner);
    }
}

static void no_more_items_are_taken_than_wanted_and_a_stop_is_heard(void **state)
{
    struct learner *learner = curling_begin(&learner_gpi, &gpi_hyper, 1);
    struct rounds *rounds = rounds_of(learner);
    char error[ROUNDS_SHARD_ERROR_MAX];
    unsigned char item[ROUNDS_ITEM_MAX];
    struct rounds_shard shard;
    FILE *file = shard_file(rounds, 0, &shard);
    atomic_bool stop = true;

    (void)state;
    rounds->class->part[0].pack(rounds, 2, item);
    for (int k = 0; k < 40; k++)
        assert_true(rounds_take(rounds, 0, item));
    assert_false(rounds_take(rounds, 0, item));
    rewind(file);
    assert_false(rounds_shard_read(&shard, file, &stop, NULL, NULL, error));
    assert_string_equal(error, "");
    assert_false(rounds_make(rounds, 0, 0, 40, &stop, error));
    assert_string_equal(error, "");
    fclose(file);
    learner_free(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_from_shards_are_those_of_one_process),
        cmocka_unit_test(policies_from_shards_are_those_of_one_process),
        cmocka_unit_test(searches_from_shards_are_those_of_one_process),
        cmocka_unit_test(a_shard_that_is_not_the_expected_one_is_refused),
        cmocka_unit_test(values_that_cannot_be_are_refused),
        cmocka_unit_test(samples_that_cannot_be_are_refused),
        cmocka_unit_test(ends_that_cannot_be_are_refused),
        cmocka_unit_test(stones_lie_where_the_rules_let_them),
        cmocka_unit_test(no_more_items_are_taken_than_wanted_and_a_stop_is_heard),
    };
    return cmocka_run_group_tests(tests, curling_make_game, curling_free_game);
}
