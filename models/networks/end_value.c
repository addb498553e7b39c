/* The end-value network: evaluation and its file format. */
#include "models/networks/end_value.h"

#include "models/base/half.h"
#include "models/networks/net_file.h"
#include "models/networks/wide.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

/* Sixteen or eight lanes of a row, and four for the end of a row of END_VALUE_LANES. Explicit
 * vectors, because compilers do not keep the sums in registers by themselves. In memory, sums are
 * unaligned. */
typedef float lanes16 __attribute__((vector_size(64)));
typedef float lanes8 __attribute__((vector_size(32)));
typedef int32_t integers8 __attribute__((vector_size(32)));
typedef float lanes4 __attribute__((vector_size(16)));
typedef float stored16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef float stored8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float stored4 __attribute__((vector_size(16), aligned(4), may_alias));

/* sum = bias + the rows of `weight` (`width` columns: 16, 32, 48 or 64) times their inputs, row
 * after row. `rows`: the inputs that contribute, in ascending order. */
WIDE_INLINE void add_rows16(int width, const float *bias, const float *weight, const float *input,
                            const uint16_t *rows, int count, float *ret_sum)
{
    enum { SIXTEENS_MAX = 4 };
    lanes16 sum[SIXTEENS_MAX];
    const int sixteens = width / 16;

    for (int k = 0; k < sixteens; k++)
        sum[k] = *(const stored16 *)(bias + 16 * k);
    for (int r = 0; r < count; r++) {
        const float *row = weight + width * rows[r];
        float x = input[rows[r]];
        for (int k = 0; k < sixteens; k++)
            sum[k] += x * *(const stored16 *)(row + 16 * k);
    }
    for (int k = 0; k < sixteens; k++)
        *(stored16 *)(ret_sum + 16 * k) = sum[k];
}

/* The same for any number of columns up to 64; `widest`: use registers of sixteen lanes. */
WIDE_INLINE void add_rows(bool widest, int width, const float *bias, const float *weight,
                          const float *input, const uint16_t *rows, int count, float *ret_sum)
{
    enum { EIGHTS_MAX = 8 };
    if (widest) {
        add_rows16(width, bias, weight, input, rows, count, ret_sum);
        return;
    }
    lanes8 sum[EIGHTS_MAX];
    lanes4 rest = {0.0f};
    const int eights = width / 8;

    for (int k = 0; k < eights; k++)
        sum[k] = *(const stored8 *)(bias + 8 * k);
    if (width % 8)
        rest = *(const stored4 *)(bias + 8 * eights);
    for (int r = 0; r < count; r++) {
        const float *row = weight + width * rows[r];
        float x = input[rows[r]];
        for (int k = 0; k < eights; k++)
            sum[k] += x * *(const stored8 *)(row + 8 * k);
        if (width % 8)
            rest += x * *(const stored4 *)(row + 8 * eights);
    }
    for (int k = 0; k < eights; k++)
        *(stored8 *)(ret_sum + 8 * k) = sum[k];
    if (width % 8)
        *(stored4 *)(ret_sum + 8 * eights) = rest;
}

/* Lists the rows in [from, to) whose inputs are not 0, or, with `rectify`, positive: four at a
 * time, without unpredictable branches. Writes up to three entries more than it returns. */
WIDE_INLINE int active_rows(int from, int to, const float *input, bool rectify, uint16_t *ret_rows)
{
    static const uint16_t places[16][4] = {
        {0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
        {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3},
    };
    static const uint8_t counts[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    int count = 0;
    for (int i = from; i < to; i += 4) {
        unsigned mask = 0;
        uint64_t four;
#ifdef __x86_64__
        if (i + 4 <= to) {
            __m128 x = _mm_loadu_ps(input + i), zero = _mm_setzero_ps();
            __m128 active = rectify ? _mm_cmpgt_ps(x, zero) : _mm_cmpneq_ps(x, zero);
            mask = (unsigned)_mm_movemask_ps(active);
        } else
#endif
            for (int k = 0; k < 4 && i + k < to; k++)
                mask |= (unsigned)(rectify ? input[i + k] > 0.0f : input[i + k] != 0.0f) << k;
        memcpy(&four, places[mask], sizeof four);
        four += (uint64_t)i * 0x0001000100010001u;
        memcpy(ret_rows + count, &four, sizeof four);
        count += counts[mask];
    }
    return count;
}

_Static_assert(END_VALUE_HIDDEN1 <= 64 && END_VALUE_HIDDEN1 % 16 == 0 &&
                   END_VALUE_HIDDEN2 % 16 == 0 && END_VALUE_LANES % 8 == 4,
               "as add_rows() and add_rows16() have them");

/* Features, and the indices of the nonzero ones; places, NULL: none. */
struct inputs {
    const float *features;
    const struct end_places *places;
    uint16_t rows[END_FEATURES + 3]; /* active_rows() writes up to 3 more */
    int count;
};

/* sum += the rows of four marks around each place, in their shares. */
WIDE_INLINE void add_places(bool widest, const float *weight, const struct end_places *places,
                            float *sums)
{
    enum { SIXTEENS = END_VALUE_PLACED / 16, EIGHTS = END_VALUE_PLACED / 8 };
    lanes16 wide[SIXTEENS];
    lanes8 sum[EIGHTS];

    for (int k = 0; widest && k < SIXTEENS; k++)
        wide[k] = *(const stored16 *)(sums + 16 * k);
    for (int k = 0; !widest && k < EIGHTS; k++)
        sum[k] = *(const stored8 *)(sums + 8 * k);
    for (int p = 0; p < places->count; p++)
        for (int corner = 0; corner < 4; corner++) {
            const float *row =
                weight + END_VALUE_PLACED * (places->row[p] + end_places_corners[corner]);
            const float share = places->share[p][corner];
            for (int k = 0; widest && k < SIXTEENS; k++)
                wide[k] += share * *(const stored16 *)(row + 16 * k);
            for (int k = 0; !widest && k < EIGHTS; k++)
                sum[k] += share * *(const stored8 *)(row + 8 * k);
        }
    for (int k = 0; widest && k < SIXTEENS; k++)
        *(stored16 *)(sums + 16 * k) = wide[k];
    for (int k = 0; !widest && k < EIGHTS; k++)
        *(stored8 *)(sums + 8 * k) = sum[k];
}

WIDE_INLINE void inputs_of_all(const struct end_value_inputs *given, struct inputs *ret_inputs)
{
    ret_inputs->features = given->features;
    ret_inputs->places = &given->places;
    ret_inputs->count = active_rows(0, END_FEATURES, given->features, false, ret_inputs->rows);
}

/* The output of end_features_blocks(). */
struct sparse {
    float features[END_FEATURES];
    uint8_t blocks[END_FEATURES_STONES];
    int count;
    struct end_places places; /* if the network has some */
};

WIDE_INLINE void inputs_of_sparse(const struct sparse *sparse, struct inputs *ret_inputs)
{
    int count = 0;
    for (int k = 0; k < sparse->count; k++) {
        int from = sparse->blocks[k] * END_FEATURES_PER_STONE;
        count += active_rows(from, from + END_FEATURES_PER_STONE, sparse->features, false,
                             ret_inputs->rows + count);
    }
    count += active_rows(END_FEATURES_BLOCKS * END_FEATURES_PER_STONE, END_FEATURES,
                         sparse->features, false, ret_inputs->rows + count);
    ret_inputs->features = sparse->features;
    ret_inputs->places = &sparse->places;
    ret_inputs->count = count;
}

/* `count` positions, layer after layer: a layer's weights stay in the cache, and the positions'
 * sums do not wait for each other. */
WIDE_INLINE void forward(const struct end_value_stage *stage, const struct inputs *inputs,
                         int count, bool widest, struct end_value_layers *ret_layers)
{
    uint16_t rows[END_VALUE_HIDDEN1 + 3];
    for (int i = 0; i < count; i++)
        add_rows(widest, END_VALUE_HIDDEN1, stage->bias1, stage->weight1[0], inputs[i].features,
                 inputs[i].rows, inputs[i].count, ret_layers[i].one);
    for (int i = 0; i < count && stage->has_places; i++)
        add_places(widest, stage->places[0], inputs[i].places,
                   ret_layers[i].one + END_VALUE_HIDDEN1 - END_VALUE_PLACED);
    for (int i = 0; i < count; i++) {
        int active = active_rows(0, END_VALUE_HIDDEN1, ret_layers[i].one, true, rows);
        add_rows(widest, END_VALUE_HIDDEN2, stage->bias2, stage->weight2[0], ret_layers[i].one,
                 rows, active, ret_layers[i].two);
    }
    for (int i = 0; i < count; i++) {
        int active = active_rows(0, END_VALUE_HIDDEN2, ret_layers[i].two, true, rows);
        add_rows(false, END_VALUE_LANES, stage->bias3, stage->weight3[0], ret_layers[i].two, rows,
                 active, ret_layers[i].out);
    }
}

/* The logits, padded to whole registers. */
enum { POWERS = (END_VALUE_SCORES + 7) / 8 * 8 };

/* e^x for x <= 0, to about 1e-7: 2^k times a polynomial on half an octave either way. */
WIDE_INLINE void exponentials(const float x[POWERS], float ret_power[POWERS])
{
    for (int k = 0; k < POWERS; k += 8) {
        lanes8 given = *(const stored8 *)(x + k);
        lanes8 octaves = given * 1.44269504f;
        integers8 whole = __builtin_convertvector(octaves - 0.5f, integers8);
        lanes8 y = (octaves - __builtin_convertvector(whole, lanes8)) * 0.693147181f;
        lanes8 p =
            1.0f +
            y * (1.0f + y * (0.5f + y * (1.0f / 6 + y * (1.0f / 24 + y * (1.0f / 120 + y / 720)))));
        lanes8 two = (lanes8)((127 + whole) << 23);
        *(stored8 *)(ret_power + k) = (lanes8)((integers8)(p * two) & (given >= -80.0f));
    }
}

WIDE_INLINE void softmax(const float logits[END_VALUE_LANES], float *ret_probability)
{
    float power[POWERS] = {0.0f};
    float most = logits[0], sum = 0.0f;

    for (int k = 1; k < END_VALUE_SCORES; k++)
        most = logits[k] > most ? logits[k] : most;
    for (int k = 0; k < END_VALUE_SCORES; k++)
        power[k] = logits[k] - most;
    exponentials(power, power);
    for (int k = 0; k < END_VALUE_SCORES; k++)
        sum += power[k];
    float share = 1.0f / sum;
    for (int k = 0; k < END_VALUE_SCORES; k++)
        ret_probability[k] = power[k] * share;
}

WIDE_INLINE void forward_of_inputs(const struct end_value_stage *stage,
                                   const struct end_value_inputs *given,
                                   struct end_value_layers *ret_layers)
{
    struct inputs inputs;
    inputs_of_all(given, &inputs);
    forward(stage, &inputs, 1, false, ret_layers);
}

enum { AT_ONCE = 16 }; /* positions */

WIDE_INLINE void probabilities_of_sparse(const struct end_value_stage *stage,
                                         const struct sparse *sparse, int count, bool widest,
                                         float (*ret_probability)[END_VALUE_SCORES])
{
    struct inputs inputs[AT_ONCE];
    struct end_value_layers layers[AT_ONCE];

    for (int i = 0; i < count; i++)
        inputs_of_sparse(&sparse[i], &inputs[i]);
    forward(stage, inputs, count, widest, layers);
    for (int i = 0; i < count; i++)
        softmax(layers[i].out, ret_probability[i]);
}

WIDE_ONLY void forward_wide(const struct end_value_stage *stage,
                            const struct end_value_inputs *inputs,
                            struct end_value_layers *ret_layers)
{
    forward_of_inputs(stage, inputs, ret_layers);
}

WIDE_ONLY void sparse_wide(const struct end_value_stage *stage, const struct sparse *sparse,
                           int count, float (*ret_probability)[END_VALUE_SCORES])
{
    probabilities_of_sparse(stage, sparse, count, false, ret_probability);
}

WIDEST_ONLY void sparse_widest(const struct end_value_stage *stage, const struct sparse *sparse,
                               int count, float (*ret_probability)[END_VALUE_SCORES])
{
    probabilities_of_sparse(stage, sparse, count, true, ret_probability);
}

void end_value_inputs(const struct position *position, struct end_value_inputs *ret_inputs)
{
    end_features(position, ret_inputs->features);
    end_places(position, &ret_inputs->places);
}

void end_value_forward(const struct end_value_stage *stage, const struct end_value_inputs *inputs,
                       struct end_value_layers *ret_layers)
{
    if (wide_here())
        forward_wide(stage, inputs, ret_layers);
    else
        forward_of_inputs(stage, inputs, ret_layers);
}

void end_value_of_inputs(const struct end_value_stage *stage, const struct end_value_inputs *inputs,
                         float ret_probability[END_VALUE_SCORES])
{
    struct end_value_layers layers;
    end_value_forward(stage, inputs, &layers);
    softmax(layers.out, ret_probability);
}

/* Evaluates a stage for at most AT_ONCE positions. */
static void probabilities_of(const struct end_value_stage *stage, const struct sparse *sparse,
                             int count, float (*ret_probability)[END_VALUE_SCORES])
{
    if (widest_here())
        sparse_widest(stage, sparse, count, ret_probability);
    else if (wide_here())
        sparse_wide(stage, sparse, count, ret_probability);
    else
        probabilities_of_sparse(stage, sparse, count, false, ret_probability);
}

/* `other` NULL: one network alone. */
static void scores_of(const struct end_value_stage *stage, const struct end_value_stage *other,
                      float share, const struct position *const *positions, int count,
                      float (*ret_probability)[END_VALUE_SCORES])
{
    const bool has_places = stage->has_places || (other && other->has_places);
    struct sparse sparse[AT_ONCE];
    float of_other[AT_ONCE][END_VALUE_SCORES];

    for (int from = 0; from < count; from += AT_ONCE) {
        int some = count - from < AT_ONCE ? count - from : AT_ONCE;
        for (int i = 0; i < some; i++)
            sparse[i].count =
                end_features_blocks(positions[from + i], sparse[i].features, sparse[i].blocks);
        for (int i = 0; i < some && has_places; i++)
            end_places(positions[from + i], &sparse[i].places);
        probabilities_of(stage, sparse, some, ret_probability + from);
        if (!other)
            continue;
        probabilities_of(other, sparse, some, of_other);
        for (int i = 0; i < some; i++)
            for (int k = 0; k < END_VALUE_SCORES; k++) {
                float *mean = &ret_probability[from + i][k];
                *mean += share * (of_other[i][k] - *mean);
            }
    }
}

void end_value_scores_of(const struct end_value *value, const struct position *const *positions,
                         int count, int thrown, float (*ret_probability)[END_VALUE_SCORES])
{
    assert(thrown >= 1 && thrown <= END_VALUE_STAGES);
    scores_of(&value->stage[thrown - 1], NULL, 0.0f, positions, count, ret_probability);
}

void end_value_scores_mixed(const struct end_value *value, const struct end_value *other,
                            float share, const struct position *const *positions, int count,
                            int thrown, float (*ret_probability)[END_VALUE_SCORES])
{
    assert(thrown >= 1 && thrown <= END_VALUE_STAGES);
    scores_of(&value->stage[thrown - 1], &other->stage[thrown - 1], share, positions, count,
              ret_probability);
}

void end_value_scores(const struct end_value *value, const struct position *position, int thrown,
                      float ret_probability[END_VALUE_SCORES])
{
    float probability[1][END_VALUE_SCORES];
    end_value_scores_of(value, &position, 1, thrown, probability);
    memcpy(ret_probability, probability[0], sizeof probability[0]);
}

void end_value_find_places(struct end_value_stage *stage)
{
    static const float none[END_VALUE_PLACED];

    stage->has_places = false;
    for (int row = 0; row < END_PLACES_ROWS && !stage->has_places; row++)
        stage->has_places = memcmp(stage->places[row], none, sizeof none) != 0;
}

bool end_value_is_empty(const struct end_value_stage *stage)
{
    const unsigned char *bytes = (const unsigned char *)stage;

    return bytes[0] == 0 && memcmp(bytes, bytes + 1, END_VALUE_PLAIN * sizeof(float) - 1) == 0;
}

/* --- file --- */

/* The arrays of a stage in the order of the struct. */
static const struct {
    const char *name;
    int rows, columns; /* rows 0: a vector */
} arrays[] = {
    {"weight1", END_FEATURES, END_VALUE_HIDDEN1},      {"bias1", 0, END_VALUE_HIDDEN1},
    {"weight2", END_VALUE_HIDDEN1, END_VALUE_HIDDEN2}, {"bias2", 0, END_VALUE_HIDDEN2},
    {"weight3", END_VALUE_HIDDEN2, END_VALUE_LANES},   {"bias3", 0, END_VALUE_LANES},
    {"places", END_PLACES_ROWS, END_VALUE_PLACED},
};

enum {
    ARRAYS = sizeof arrays / sizeof arrays[0],
    TENSORS = END_VALUE_STAGES * ARRAYS,
    STAGE_BYTES = END_VALUE_WEIGHTS * sizeof(float), /* in memory other things follow */
    PLAIN_BYTES = END_VALUE_PLAIN * sizeof(float)
};

_Static_assert((int)TENSORS <= (int)NET_TENSORS_MAX, "a file has room for all of them");
_Static_assert(offsetof(struct end_value_stage, has_places) == STAGE_BYTES,
               "no padding between the arrays");

/* Names and shapes of the first `some` arrays of all stages, stage after stage; they lie in a stage
 * in this order, too. */
static void list_tensors(int some, struct net_tensors *ret_tensors)
{
    ret_tensors->count = ret_tensors->weights = END_VALUE_STAGES * some;
    for (int k = 0; k < ret_tensors->count; k++) {
        struct net_tensor *tensor = &ret_tensors->tensor[k];
        int rows = arrays[k % some].rows;
        *tensor = (struct net_tensor){.rank = rows ? 2 : 1};
        snprintf(tensor->name, sizeof tensor->name, "stage%d.%s", k / some + 1,
                 arrays[k % some].name);
        if (rows)
            tensor->side[0] = rows;
        tensor->side[tensor->rank - 1] = arrays[k % some].columns;
    }
}

/* Halves in a file are unaligned. */
static void unpack(const unsigned char *from, size_t count, float *ret_weights)
{
    for (size_t k = 0; k < count; k++) {
        uint16_t half;
        memcpy(&half, from + k * sizeof half, sizeof half);
        ret_weights[k] = half_to_float(half);
    }
}

static void pack(const float *weights, size_t count, unsigned char *to)
{
    for (size_t k = 0; k < count; k++) {
        const uint16_t half = half_of(weights[k]);
        memcpy(to + k * sizeof half, &half, sizeof half);
    }
}

static void pack_places(const struct end_value_stage *stage, unsigned char *to)
{
    if (stage->has_places)
        pack(stage->places[0], END_VALUE_WEIGHTS - END_VALUE_PLAIN, to);
    else
        memset(to, 0, (END_VALUE_WEIGHTS - END_VALUE_PLAIN) * sizeof(uint16_t));
}

static enum net_numbers numbers_in(const json_t *notes)
{
    const char *version = json_string_value(json_object_get(notes, END_VALUE_NOTE));

    return version && strcmp(version, END_VALUE_VERSION) == 0 ? NET_HALVES : NET_FLOATS;
}

enum net_status end_value_read(const unsigned char *bytes, size_t size, struct end_value *ret_value)
{
    struct net_tensors tensors;
    size_t from[NET_TENSORS_MAX], to = 0;
    json_t *notes = NULL;

    enum net_status status = net_file_notes(bytes, size, &notes);
    if (status != NET_OK)
        return status;
    int some = ARRAYS;
    const enum net_numbers numbers = numbers_in(notes);
    json_decref(notes);
    list_tensors(some, &tensors);
    status = net_file_find(&tensors, tensors.count, numbers, bytes, size, from);
    if (status == NET_BAD_SHAPE) { /* perhaps it has no places */
        list_tensors(--some, &tensors);
        status = net_file_find(&tensors, tensors.count, numbers, bytes, size, from);
    }
    if (status != NET_OK)
        return status;
    for (int k = 0; k < tensors.count; k++) {
        float *weights = (float *)(void *)&ret_value->stage[k / some];
        size_t count = (size_t)net_tensor_size(&tensors.tensor[k]);
        to = k % some == 0 ? 0 : to;
        if (numbers == NET_HALVES)
            unpack(bytes + from[k], count, weights + to);
        else
            memcpy(weights + to, bytes + from[k], count * sizeof *weights);
        to += count;
    }
    for (int k = 0; k < END_VALUE_STAGES; k++)
        if (some == ARRAYS)
            end_value_find_places(&ret_value->stage[k]);
        else
            ret_value->stage[k].has_places = false;
    return NET_OK;
}

enum net_status end_value_write(const struct end_value *value, json_t *notes,
                                unsigned char **ret_bytes, size_t *ret_size)
{
    struct net_tensors tensors;
    size_t at[NET_TENSORS_MAX];
    const enum net_numbers numbers = numbers_in(notes);
    int some = ARRAYS - 1;

    for (int k = 0; k < END_VALUE_STAGES && numbers == NET_HALVES; k++)
        some = value->stage[k].has_places ? ARRAYS : some;
    list_tensors(some, &tensors);
    enum net_status status =
        net_file_frame(&tensors, tensors.count, numbers, notes, ret_bytes, ret_size, at);
    for (int k = 0; k < END_VALUE_STAGES && status == NET_OK; k++) {
        const float *weights = (const float *)(const void *)&value->stage[k];
        unsigned char *to = *ret_bytes + at[k * some];
        if (numbers == NET_FLOATS)
            memcpy(to, weights, PLAIN_BYTES);
        else
            pack(weights, END_VALUE_PLAIN, to);
        if (some == ARRAYS)
            pack_places(&value->stage[k], to + END_VALUE_PLAIN * sizeof(uint16_t));
    }
    return status;
}
