/* The end-value network: evaluation and its file format. */
#include "models/networks/end_value.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* e^x for x <= 0, to about 1e-7: 2^k times a polynomial on half an octave either way. */
static float exponential(float x)
{
    if (x < -80.0f)
        return 0.0f;
    float octaves = x * 1.44269504f;
    int32_t whole = (int32_t)(octaves - 0.5f);
    float y = (octaves - (float)whole) * 0.693147181f;
    float p =
        1.0f +
        y * (1.0f + y * (0.5f + y * (1.0f / 6 + y * (1.0f / 24 + y * (1.0f / 120 + y / 720)))));
    union {
        int32_t bits;
        float power;
    } two = {.bits = (127 + whole) << 23};
    return p * two.power;
}

void end_value_forward(const struct end_value_stage *stage, const float features[END_FEATURES],
                       struct end_value_layers *ret_layers)
{
    float *one = ret_layers->one, *two = ret_layers->two, *out = ret_layers->out;

    memcpy(one, stage->bias1, sizeof ret_layers->one);
    for (int i = 0; i < END_FEATURES; i++) {
        float x = features[i];
        if (x == 0.0f)
            continue;
        for (int k = 0; k < END_VALUE_HIDDEN1; k++)
            one[k] += x * stage->weight1[i][k];
    }
    memcpy(two, stage->bias2, sizeof ret_layers->two);
    for (int i = 0; i < END_VALUE_HIDDEN1; i++) {
        float x = one[i];
        if (x <= 0.0f)
            continue;
        for (int k = 0; k < END_VALUE_HIDDEN2; k++)
            two[k] += x * stage->weight2[i][k];
    }
    memcpy(out, stage->bias3, sizeof ret_layers->out);
    for (int i = 0; i < END_VALUE_HIDDEN2; i++) {
        float x = two[i];
        if (x <= 0.0f)
            continue;
        for (int k = 0; k < END_VALUE_LANES; k++)
            out[k] += x * stage->weight3[i][k];
    }
}

void end_value_of_features(const struct end_value_stage *stage, const float features[END_FEATURES],
                           float ret_probability[END_VALUE_SCORES])
{
    struct end_value_layers layers;
    end_value_forward(stage, features, &layers);
    const float *out = layers.out;
    float most = out[0], sum = 0.0f;
    for (int k = 1; k < END_VALUE_SCORES; k++)
        most = out[k] > most ? out[k] : most;
    for (int k = 0; k < END_VALUE_SCORES; k++) {
        ret_probability[k] = exponential(out[k] - most);
        sum += ret_probability[k];
    }
    float share = 1.0f / sum;
    for (int k = 0; k < END_VALUE_SCORES; k++)
        ret_probability[k] *= share;
}

void end_value_scores(const struct end_value *value, const struct position *position, int thrown,
                      float ret_probability[END_VALUE_SCORES])
{
    float features[END_FEATURES];
    end_features(position, features);
    end_value_of_features(&value->stage[thrown - 1], features, ret_probability);
}

/* --- file --- */

/* The arrays of a stage in the order of the struct. */
static const struct {
    const char *name;
    int rows, columns; /* rows 0: a vector */
} tensors[] = {
    {"weight1", END_FEATURES, END_VALUE_HIDDEN1},      {"bias1", 0, END_VALUE_HIDDEN1},
    {"weight2", END_VALUE_HIDDEN1, END_VALUE_HIDDEN2}, {"bias2", 0, END_VALUE_HIDDEN2},
    {"weight3", END_VALUE_HIDDEN2, END_VALUE_LANES},   {"bias3", 0, END_VALUE_LANES},
};

enum { TENSORS = sizeof tensors / sizeof tensors[0], HEADER_MAX = 16384 };

/* The header of every such file: the shapes are fixed, so it is always the same text. */
static size_t header(char text[HEADER_MAX])
{
    size_t used = 0, offset = 0;
    const char *mark = "{";
    for (int stage = 1; stage <= END_VALUE_STAGES; stage++)
        for (int k = 0; k < TENSORS; k++) {
            int rows = tensors[k].rows, columns = tensors[k].columns;
            size_t bytes = sizeof(float) * (size_t)(rows ? rows * columns : columns);
            used += (size_t)snprintf(text + used, HEADER_MAX - used,
                                     "%s\"stage%d.%s\":{\"dtype\":\"F32\",\"shape\":[", mark, stage,
                                     tensors[k].name);
            if (rows)
                used += (size_t)snprintf(text + used, HEADER_MAX - used, "%d,", rows);
            used +=
                (size_t)snprintf(text + used, HEADER_MAX - used, "%d],\"data_offsets\":[%zu,%zu]}",
                                 columns, offset, offset + bytes);
            offset += bytes;
            mark = ",";
        }
    used += (size_t)snprintf(text + used, HEADER_MAX - used, "}");
    while (used % 8 != 0) /* the numbers start on a multiple of 8, as the format asks */
        text[used++] = ' ';
    return used;
}

_Static_assert(sizeof(struct end_value) ==
                   END_VALUE_STAGES * sizeof(float) *
                       (END_FEATURES * END_VALUE_HIDDEN1 + END_VALUE_HIDDEN1 +
                        END_VALUE_HIDDEN1 * END_VALUE_HIDDEN2 + END_VALUE_HIDDEN2 +
                        END_VALUE_HIDDEN2 * END_VALUE_LANES + END_VALUE_LANES),
               "the struct is the file's data without padding");

bool end_value_read(const unsigned char *bytes, size_t size, struct end_value *ret_value)
{
    char text[HEADER_MAX];
    size_t length = header(text);
    uint64_t given = 0;

    if (size != 8 + length + sizeof *ret_value)
        return false;
    for (int k = 0; k < 8; k++)
        given |= (uint64_t)bytes[k] << 8 * k;
    if (given != length || memcmp(bytes + 8, text, length) != 0)
        return false;
    for (size_t k = 0; k < sizeof *ret_value; k += sizeof(float)) {
        float number;
        memcpy(&number, bytes + 8 + length + k, sizeof number);
        if (!isfinite(number))
            return false;
    }
    memcpy(ret_value, bytes + 8 + length, sizeof *ret_value);
    return true;
}

size_t end_value_write(const struct end_value *value, size_t size, unsigned char *ret_bytes)
{
    char text[HEADER_MAX];
    size_t length = header(text), total = 8 + length + sizeof *value;

    if (size < total)
        return total;
    for (int k = 0; k < 8; k++)
        ret_bytes[k] = (unsigned char)((uint64_t)length >> 8 * k);
    memcpy(ret_bytes + 8, text, length);
    memcpy(ret_bytes + 8 + length, value, sizeof *value);
    return total;
}
