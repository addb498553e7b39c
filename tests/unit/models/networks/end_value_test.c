/* The end-value network: features, evaluation, file format. */
#include "models/networks/end_value.h"

#include "models/base/fnv1a.h"
#include "models/base/half.h"
#include "models/game/score.h"
#include "models/game/sheet.h"
#include "tests/unit/models/game/mirror.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Returns a pseudo-random number in -1..1, the same everywhere. */
static float number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(int32_t)*state * 0x1p-31f;
}

/* Returns a network with all weights 0; the caller frees it; NULL without memory. */
static struct end_value *no_network(void)
{
    struct end_value *value = aligned_alloc(_Alignof(struct end_value), sizeof *value);
    return value ? memset(value, 0, sizeof *value) : NULL;
}

static void fill(struct end_value *value)
{
    uint32_t state = 7;
    for (int stage = 0; stage < END_VALUE_STAGES; stage++) {
        float *w = (float *)&value->stage[stage];
        for (int k = 0; k < END_VALUE_PLAIN; k++)
            w[k] = 0.2f * number(&state);
    }
}

/* Adds weights of places. */
static void fill_places(struct end_value *value)
{
    uint32_t state = 11;
    for (int stage = 0; stage < END_VALUE_STAGES; stage++) {
        float *w = value->stage[stage].places[0];
        for (int k = 0; k < END_PLACES_ROWS * END_VALUE_PLACED; k++)
            w[k] = 0.2f * number(&state);
        value->stage[stage].has_places = true;
    }
}

static struct position some_position(uint32_t seed, int stones)
{
    struct position position = {0};
    uint32_t state = seed;
    for (int k = 0; k < stones; k++)
        position_put(&position, k,
                     (struct vec2){2.0 * (double)number(&state),
                                   SHEET_TEE_Y - 1.5 + 3.0 * (double)number(&state)});
    return position;
}

/* Makes positions of 0 to 16 stones; ret_given repeats them in the form of
 * end_value_scores_of(). */
static void some_positions(int count, struct position *ret_positions,
                           const struct position **ret_given)
{
    for (int k = 0; k < count; k++) {
        ret_positions[k] = some_position((uint32_t)k, k % 17);
        ret_given[k] = &ret_positions[k];
    }
}

static void features_start_at_the_tee(void **state)
{
    (void)state;
    struct position position = {0};
    float f[END_FEATURES];
    end_features(&position, f);
    for (int k = 0; k < END_FEATURES; k++)
        assert_true(f[k] == 0.0f);

    position_put(&position, 3, (struct vec2){0.5, SHEET_TEE_Y});         /* gote, second */
    position_put(&position, 4, (struct vec2){0.0, SHEET_TEE_Y + 0.2});   /* sente, shot stone */
    position_put(&position, 6, (struct vec2){-0.05, SHEET_TEE_Y - 3.0}); /* sente, a guard */
    end_features(&position, f);
    /* The shot stone, sente's: its own block, and gote's stays empty. */
    assert_true(f[0] == 1.0f && f[END_FEATURES_PER_STONE] == 0.0f);
    assert_true(fabsf(f[2] - 0.1f) < 1e-6f && fabsf(f[3] - 0.1f) < 1e-6f && f[7] == 1.0f);
    assert_true(fabsf(f[5] - (float)(1.0 - 0.05 / 0.35)) < 1e-6f); /* behind the guard */
    assert_true(f[6] > 0.0f && f[6] < f[5]); /* … which draws get round more easily */
    const float *second = f + 3 * END_FEATURES_PER_STONE;
    assert_true(second[0] == 1.0f && second[END_FEATURES_X] == 0.25f);
    assert_true(second[5] == 0.0f && second[7] == 0.0f);
    /* They are 0.539 m apart, of different seats. */
    double near = (0.29 + 0.6 - sqrt(0.5 * 0.5 + 0.2 * 0.2)) / 0.6;
    assert_true(f[8] == 0.0f && fabsf(f[9] - (float)near) < 1e-6f && second[9] == f[9]);
    const float *sheet = f + END_FEATURES_BLOCKS * END_FEATURES_PER_STONE;
    const float wanted[END_FEATURES_SHEET] = {0.25f, 0.0f, 0.25f, 0.25f, 0.25f, 0.0f};
    for (int k = 0; k < END_FEATURES_SHEET; k++)
        assert_true(sheet[k] == wanted[k]);
}

/* Every row against its definition, for every stone of crowded sheets. */
static void rows_are_stones_in_order(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 300; seed++) {
        struct position position = some_position(seed, (int)(seed % 17));
        unsigned left = position.in_play;
        float f[END_FEATURES];
        if (seed % 3 == 0 && seed % 17 > 4) { /* equally distant stones, ordered by number */
            position.stone[4] = position.stone[1];
            position.stone[4].x = -position.stone[4].x;
        }
        end_features(&position, f);
        for (int row = 0; left && row < END_FEATURES_STONES; row++) {
            int stone = __builtin_ctz(left);
            for (int k = 0; k < POSITION_STONES; k++)
                if ((left >> k & 1) && tee_distance_squared(position.stone[k]) <
                                           tee_distance_squared(position.stone[stone]))
                    stone = k;
            left &= ~(1u << stone);
            struct vec2 at = position.stone[stone];
            double cover = 0.0;
            for (unsigned rest = position.in_play; rest; rest &= rest - 1) {
                struct vec2 other = position.stone[__builtin_ctz(rest)];
                if (other.y < at.y - 0.05)
                    cover = fmax(cover, 1.0 - fabs(other.x - at.x) / 0.35);
            }
            const float *is = f + (2 * row + (stone & 1)) * END_FEATURES_PER_STONE;
            assert_true(is[0] == 1.0f);
            assert_true(is[END_FEATURES_X] == (float)((at.x - SHEET_TEE_X) / 2.0));
            assert_true(is[2] == (float)((at.y - SHEET_TEE_Y) / 2.0));
            assert_true(fabs(is[5] - cover) < 1e-5);
        }
    }
}

static void a_frozen_stone_is_backed(void **state)
{
    (void)state;
    struct position position = {0};
    float f[END_FEATURES];
    position_put(&position, 2, (struct vec2){0.3, SHEET_TEE_Y});
    position_put(&position, 5, (struct vec2){0.3, SHEET_TEE_Y - 0.39}); /* 10 cm in front of it */
    end_features(&position, f);
    assert_true(f[0] == 1.0f && f[10] == 0.0f && f[11] == 0.0f);
    const float *front = f + 3 * END_FEATURES_PER_STONE;
    assert_true(front[0] == 1.0f && front[10] == 0.0f && fabsf(front[11] - 0.9f) < 1e-6f);
    position_put(&position, 2, (struct vec2){0.7, SHEET_TEE_Y}); /* beside the line: no backing */
    end_features(&position, f);
    for (int block = 0; block < END_FEATURES_BLOCKS; block++)
        assert_true(f[block * END_FEATURES_PER_STONE + 11] == 0.0f);
}

static void a_mirror_turns_x_and_nothing_else(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 200; seed++) {
        struct position position = some_position(seed, (int)(seed % 17));
        struct position mirrored = position_mirror(&position);
        float f[END_FEATURES], g[END_FEATURES];
        end_features(&position, f);
        end_features(&mirrored, g);
        for (int k = 0; k < END_FEATURES; k++) {
            bool x = k < END_FEATURES_BLOCKS * END_FEATURES_PER_STONE &&
                     k % END_FEATURES_PER_STONE == END_FEATURES_X;
            assert_true(g[k] == (x ? -f[k] : f[k]));
        }
    }
}

/* Adds a grid's four marks around a place counted in marks, the plain way: the hat function of each
 * mark. */
static void add_hats(double u, double v, int along, double whole, int begin, double *ret_share)
{
    u = fmin(fmax(u, 0.0), END_PLACES_ACROSS - 1.0);
    v = fmin(fmax(v, 0.0), along - 1.0);
    for (int b = 0; b < along; b++)
        for (int a = 0; a < END_PLACES_ACROSS; a++)
            ret_share[begin + b * END_PLACES_ACROSS + a] +=
                whole * fmax(0.0, 1.0 - fabs(u - a)) * fmax(0.0, 1.0 - fabs(v - b));
}

static double root_with_sign(double x)
{
    return x < 0.0 ? -sqrt(-x) : sqrt(x);
}

/* The share of each mark, from the definition in end_places.h. */
static void plain_places(const struct position *position, double ret_share[END_PLACES_ROWS])
{
    enum {
        ALONE = END_PLACES_ACROSS * END_PLACES_ALONG,
        PAIR = END_PLACES_ACROSS * END_PLACES_PAIR_ALONG
    };
    int order[POSITION_STONES], count = score_order(position, order);

    memset(ret_share, 0, END_PLACES_ROWS * sizeof *ret_share);
    for (int k = 0; k < count; k++) {
        struct vec2 at = position->stone[order[k]];
        int grid = (k < 3 ? k : 3) * 2 + (order[k] & 1);
        add_hats((at.x - SHEET_TEE_X + 2.1) / 4.2 * 8.0, (at.y - SHEET_TEE_Y + 5.0) / 7.0 * 13.0,
                 END_PLACES_ALONG, 1.0, grid * ALONE, ret_share);
        for (int near = 0; near < k && k < END_PLACES_STONES; near++) {
            struct vec2 by = vec2_sub(at, position->stone[order[near]]);
            int pair = ((near < 2 ? near : 2) * 2 + (order[near] & 1)) * 2 + (order[k] & 1);
            add_hats(4.0 + root_with_sign(by.x * 8.0), 5.0 + root_with_sign(by.y * 6.25),
                     END_PLACES_PAIR_ALONG, 0.5, END_PLACES_ALONE + pair * PAIR, ret_share);
        }
    }
}

/* The shares of each mark, as end_places() has them. */
static void shares_of(const struct position *position, double ret_share[END_PLACES_ROWS])
{
    struct end_places places;

    end_places(position, &places);
    memset(ret_share, 0, END_PLACES_ROWS * sizeof *ret_share);
    for (int k = 0; k < places.count; k++)
        for (int corner = 0; corner < 4; corner++) {
            assert_true(places.row[k] + end_places_corners[corner] < END_PLACES_ROWS);
            ret_share[places.row[k] + end_places_corners[corner]] +=
                (double)places.share[k][corner];
        }
}

static void places_are_shares_of_marks(void **state)
{
    (void)state;
    double is[END_PLACES_ROWS], wanted[END_PLACES_ROWS];
    for (uint32_t seed = 1; seed < 300; seed++) {
        struct position position = some_position(seed, (int)(seed % 17));
        if (seed % 5 == 0 && (seed % 17) > 2) /* outside the grid */
            position.stone[2] = (struct vec2){-2.3, SHEET_TEE_Y - 7.0};
        shares_of(&position, is);
        plain_places(&position, wanted);
        for (int k = 0; k < END_PLACES_ROWS; k++)
            assert_true(fabs(is[k] - wanted[k]) < 2e-4);
    }
}

/* The same network written a second time, in double and without shortcuts. */
static void reference(const struct end_value_stage *w, const float x[END_FEATURES],
                      const double places[END_PLACES_ROWS],
                      double ret_probability[END_VALUE_SCORES])
{
    double one[END_VALUE_HIDDEN1], two[END_VALUE_HIDDEN2], sum = 0.0;
    for (int k = 0; k < END_VALUE_HIDDEN1; k++) {
        one[k] = (double)w->bias1[k];
        for (int i = 0; i < END_FEATURES; i++)
            one[k] += (double)x[i] * (double)w->weight1[i][k];
        for (int i = 0; i < END_PLACES_ROWS && k >= END_VALUE_HIDDEN1 - END_VALUE_PLACED; i++)
            one[k] += places[i] * (double)w->places[i][k - (END_VALUE_HIDDEN1 - END_VALUE_PLACED)];
        one[k] = fmax(0.0, one[k]);
    }
    for (int k = 0; k < END_VALUE_HIDDEN2; k++) {
        two[k] = (double)w->bias2[k];
        for (int i = 0; i < END_VALUE_HIDDEN1; i++)
            two[k] += one[i] * (double)w->weight2[i][k];
        two[k] = fmax(0.0, two[k]);
    }
    for (int k = 0; k < END_VALUE_SCORES; k++) {
        double logit = (double)w->bias3[k];
        for (int i = 0; i < END_VALUE_HIDDEN2; i++)
            logit += two[i] * (double)w->weight3[i][k];
        ret_probability[k] = exp(logit);
        sum += ret_probability[k];
    }
    for (int k = 0; k < END_VALUE_SCORES; k++)
        ret_probability[k] /= sum;
}

static void evaluation_is_the_network(void **state)
{
    (void)state;
    struct end_value *value = no_network();
    assert_non_null(value);
    fill(value);
    for (uint32_t seed = 1; seed < 300; seed++) {
        if (seed == 150)
            fill_places(value);
        struct position position = some_position(seed, (int)(seed % 17));
        int thrown = 1 + (int)(seed % END_VALUE_STAGES);
        float f[END_FEATURES], p[END_VALUE_SCORES], sum = 0.0f;
        double wanted[END_VALUE_SCORES], places[END_PLACES_ROWS];
        end_features(&position, f);
        shares_of(&position, places);
        end_value_scores(value, &position, thrown, p);
        reference(&value->stage[thrown - 1], f, places, wanted);
        for (int k = 0; k < END_VALUE_SCORES; k++) {
            assert_true(fabs((double)p[k] - wanted[k]) < 2e-6);
            sum += p[k];
        }
        assert_true(fabsf(sum - 1.0f) < 1e-5f);
    }
    free(value);
}

/* Compared as bytes: one by one, many at once, and from all inputs, including empty ones. */
static void many_positions_are_valued_as_one_is(void **state)
{
    (void)state;
    enum { MANY = 50 };
    struct end_value *value = no_network();
    assert_non_null(value);
    fill(value);
    fill_places(value);
    struct position position[MANY];
    const struct position *given[MANY];
    float many[MANY][END_VALUE_SCORES];
    const int thrown = 9;
    some_positions(MANY, position, given);
    for (int count = 0; count <= MANY; count += count < 4 ? 1 : 11) {
        memset(many, 0, sizeof many);
        end_value_scores_of(value, given, count, thrown, many);
        for (int k = 0; k < MANY; k++) {
            float one[END_VALUE_SCORES] = {0}, full[END_VALUE_SCORES] = {0};
            struct end_value_inputs inputs;
            if (k < count) {
                end_value_scores(value, &position[k], thrown, one);
                end_value_inputs(&position[k], &inputs);
                end_value_of_inputs(&value->stage[thrown - 1], &inputs, full);
            }
            assert_memory_equal(many[k], one, sizeof one);
            assert_memory_equal(many[k], full, sizeof full);
        }
    }
    free(value);
}

/* The mean of two networks, of which one has no places, is that of their values bit for bit. */
static void two_networks_are_mixed(void **state)
{
    (void)state;
    enum { MANY = 37 };
    struct end_value *value = no_network(), *other = no_network();
    assert_non_null(value);
    assert_non_null(other);
    fill(value);
    fill_places(value);
    fill(other);
    other->stage[8].bias3[2] += 1.0f;
    struct position position[MANY];
    const struct position *given[MANY];
    float mixed[MANY][END_VALUE_SCORES], one[MANY][END_VALUE_SCORES], two[MANY][END_VALUE_SCORES];
    some_positions(MANY, position, given);
    for (int turn = 0; turn < 2; turn++) {
        const struct end_value *first = turn ? other : value, *second = turn ? value : other;
        end_value_scores_mixed(first, second, 0.3f, given, MANY, 9, mixed);
        end_value_scores_of(first, given, MANY, 9, one);
        end_value_scores_of(second, given, MANY, 9, two);
        for (int k = 0; k < MANY; k++)
            for (int s = 0; s < END_VALUE_SCORES; s++)
                assert_true(mixed[k][s] == one[k][s] + 0.3f * (two[k][s] - one[k][s]));
    }
    free(other);
    free(value);
}

/* One layer, the plain way: inputs that are cut off are left out, the others added in order. */
static void plain_layer(int inputs, const float *input, bool rectified, int width,
                        const float *bias, const float *weight, float *ret_sum)
{
    for (int k = 0; k < width; k++)
        ret_sum[k] = bias[k];
    for (int i = 0; i < inputs; i++)
        for (int k = 0; k < width; k++)
            if (rectified ? input[i] > 0.0f : input[i] != 0.0f)
                ret_sum[k] += input[i] * weight[i * width + k];
}

/* The places' part of the first layer, in the order of the cells and their corners. */
static void add_plain_places(const struct end_value_stage *w, const struct end_places *places,
                             float *sums)
{

    for (int p = 0; p < places->count; p++)
        for (int corner = 0; corner < 4; corner++)
            for (int k = 0; k < END_VALUE_PLACED; k++)
                sums[k] += places->share[p][corner] *
                           w->places[places->row[p] + end_places_corners[corner]][k];
}

/* At any register width the sums are those of plain C bit for bit. */
static void layers_are_the_same_on_every_processor(void **state)
{
    (void)state;
    struct end_value *value = no_network();
    assert_non_null(value);
    fill(value);
    fill_places(value);
    for (uint32_t seed = 1; seed < 300; seed++) {
        const struct end_value_stage *w = &value->stage[seed % END_VALUE_STAGES];
        struct position position = some_position(seed, (int)(seed % 17));
        struct end_value_layers layers, plain;
        struct end_value_inputs inputs;
        end_value_inputs(&position, &inputs);
        end_value_forward(w, &inputs, &layers);
        plain_layer(END_FEATURES, inputs.features, false, END_VALUE_HIDDEN1, w->bias1,
                    w->weight1[0], plain.one);
        add_plain_places(w, &inputs.places, plain.one + END_VALUE_HIDDEN1 - END_VALUE_PLACED);
        plain_layer(END_VALUE_HIDDEN1, plain.one, true, END_VALUE_HIDDEN2, w->bias2, w->weight2[0],
                    plain.two);
        plain_layer(END_VALUE_HIDDEN2, plain.two, true, END_VALUE_LANES, w->bias3, w->weight3[0],
                    plain.out);
        assert_memory_equal(&layers, &plain, sizeof plain);
    }
    free(value);
}

/* This program is built for each register width (CMakeLists.txt). */
static void features_and_scores_are_the_same_on_every_processor(void **state)
{
    (void)state;
    enum { MANY = 340 };
    struct end_value *value = no_network();
    assert_non_null(value);
    fill(value);
    struct position position[MANY];
    const struct position *given[MANY];
    static float scores[MANY][END_VALUE_SCORES];
    uint64_t of_features = FNV1A_START, of_places = FNV1A_START;
    some_positions(MANY, position, given);
    for (int k = 0; k < MANY; k++) {
        float f[END_FEATURES];
        end_features(&position[k], f);
        of_features = fnv1a(of_features, f, sizeof f);
        struct end_places places;
        end_places(&position[k], &places);
        of_places = fnv1a(of_places, places.row, (size_t)places.count * sizeof *places.row);
        of_places = fnv1a(of_places, places.share, (size_t)places.count * sizeof *places.share);
    }
    end_value_scores_of(value, given, MANY, 9, scores);
    uint64_t of_scores = fnv1a(FNV1A_START, scores, sizeof scores);
    fill_places(value);
    end_value_scores_of(value, given, MANY, 9, scores);
    uint64_t of_placed = fnv1a(FNV1A_START, scores, sizeof scores);
    print_message("features %016llx, places %016llx, scores %016llx, with places %016llx\n",
                  (unsigned long long)of_features, (unsigned long long)of_places,
                  (unsigned long long)of_scores, (unsigned long long)of_placed);
    assert_true(of_features == 0x4f481d24d8ec0ec1u);
    assert_true(of_scores == 0x76df478df86e6750u);
    assert_true(of_places == 0x260bee3b735a6a80u);
    assert_true(of_placed == 0xca8449bedab650d9u);
    free(value);
}

/* Logits far apart: certainty is 1, impossibility 0, and nothing overflows. */
static void far_apart_logits_give_one_and_zero(void **state)
{
    (void)state;
    struct end_value *value = no_network();
    const struct end_value_inputs none = {.places = {.count = 0}};
    float p[END_VALUE_SCORES];
    assert_non_null(value);
    struct end_value_stage *stage = &value->stage[0];
    for (float gap = 100.0f; gap < 1e38f; gap *= 10.0f) {
        for (int k = 0; k < END_VALUE_SCORES; k++)
            stage->bias3[k] = k == 11 ? gap : -gap;
        end_value_of_inputs(stage, &none, p);
        for (int k = 0; k < END_VALUE_SCORES; k++)
            assert_true(p[k] == (k == 11 ? 1.0f : 0.0f));
    }
    free(value);
}

static void a_file_reads_back_and_a_broken_one_is_refused(void **state)
{
    (void)state;
    struct end_value *value = no_network(), *back = no_network();
    assert_non_null(value);
    assert_non_null(back);
    fill(value);
    fill_places(value);
    for (int stage = 0; stage < END_VALUE_STAGES; stage++) { /* what half precision can hold */
        float *w = (float *)&value->stage[stage];
        for (int k = 0; k < END_VALUE_WEIGHTS; k++)
            w[k] = half_to_float(half_of(w[k]));
    }
    size_t size;
    unsigned char *bytes;
    json_t *notes = json_pack("{s:s}", END_VALUE_NOTE, END_VALUE_VERSION);
    assert_int_equal(end_value_write(value, notes, &bytes, &size), NET_OK);
    json_decref(notes);
    assert_int_equal(end_value_read(bytes, size, back), NET_OK);
    assert_memory_equal(value, back, sizeof *value);

    memset(back, 0x5a, sizeof *back);
    struct end_value *untouched = no_network();
    assert_non_null(untouched);
    memset(untouched, 0x5a, sizeof *untouched);
    unsigned char *longer = calloc(1, size + 1);
    assert_non_null(longer);
    memcpy(longer, bytes, size);
    assert_int_equal(end_value_read(bytes, size - 1, back), NET_BAD_FILE);
    assert_int_equal(end_value_read(longer, size + 1, back), NET_BAD_FILE);
    assert_int_equal(end_value_read(bytes, 0, back), NET_BAD_FILE);
    free(longer);
    for (size_t k = 0; k < 4000; k += 13) { /* length and header */
        bytes[k] ^= 1;
        assert_int_not_equal(end_value_read(bytes, size, back), NET_OK);
        bytes[k] ^= 1;
    }
    const uint16_t infinite = HALF_INFINITE;
    memcpy(bytes + size - sizeof infinite, &infinite, sizeof infinite);
    assert_int_equal(end_value_read(bytes, size, back), NET_BAD_FILE);
    assert_memory_equal(back, untouched, sizeof *back);
    free(bytes);
    free(untouched);
    free(back);
    free(value);
}

/* Files of before have no places. */
static void a_file_without_places_reads_back(void **state)
{
    (void)state;
    struct end_value *value = no_network(), *back = no_network();
    assert_non_null(value);
    assert_non_null(back);
    fill(value);
    size_t size, shorter = 0;
    unsigned char *bytes;
    for (int k = 0; k < 2; k++) {
        json_t *notes = k ? json_pack("{s:s}", END_VALUE_NOTE, END_VALUE_FIRST) : NULL;
        assert_int_equal(end_value_write(value, notes, &bytes, &size), NET_OK);
        json_decref(notes);
        memset(back, 0x5a, sizeof *back);
        assert_int_equal(end_value_read(bytes, size, back), NET_OK);
        for (int stage = 0; stage < END_VALUE_STAGES; stage++) {
            assert_memory_equal(&value->stage[stage], &back->stage[stage],
                                END_VALUE_PLAIN * sizeof(float));
            assert_false(back->stage[stage].has_places);
        }
        shorter = size;
        free(bytes);
    }
    assert_true(shorter < END_VALUE_STAGES * END_VALUE_WEIGHTS * sizeof(float));
    free(back);
    free(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_start_at_the_tee),
        cmocka_unit_test(rows_are_stones_in_order),
        cmocka_unit_test(a_frozen_stone_is_backed),
        cmocka_unit_test(a_mirror_turns_x_and_nothing_else),
        cmocka_unit_test(places_are_shares_of_marks),
        cmocka_unit_test(evaluation_is_the_network),
        cmocka_unit_test(many_positions_are_valued_as_one_is),
        cmocka_unit_test(two_networks_are_mixed),
        cmocka_unit_test(layers_are_the_same_on_every_processor),
        cmocka_unit_test(features_and_scores_are_the_same_on_every_processor),
        cmocka_unit_test(far_apart_logits_give_one_and_zero),
        cmocka_unit_test(a_file_reads_back_and_a_broken_one_is_refused),
        cmocka_unit_test(a_file_without_places_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
