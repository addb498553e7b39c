/* See simulate_run.h. */
#include "tests/programs/simulate_run.h"

struct program_run simulate_bytes(const char *input, size_t length,
                                  const char *const options[OPTIONS_MAX])
{
    const char *argv[OPTIONS_MAX + 2] = {RINK_SIMULATE};

    for (int k = 0; options && k < OPTIONS_MAX && options[k]; k++)
        argv[k + 1] = options[k];
    return program_run(argv, input, length);
}

struct program_run simulate(const char *input, const char *const options[OPTIONS_MAX])
{
    return simulate_bytes(input, strlen(input), options);
}

json_int_t integer(const json_t *root, const char *key)
{
    const json_t *value = json_object_get(root, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

void error_at(const struct program_run *run, int k, int line, const char *text)
{
    json_t *root = line_of(run, k);
    const char *error = json_string_value(json_object_get(root, "error"));

    assert_non_null(error);
    if (!strstr(error, text))
        fail_msg("\"%s\" does not say \"%s\"", error, text);
    assert_int_equal(integer(root, "line"), line);
    json_decref(root);
}

void outcome_at(const struct program_run *run, int k, json_int_t id)
{
    json_t *root = line_of(run, k);

    assert_null(json_object_get(root, "error"));
    assert_int_equal(integer(root, "id"), id);
    assert_int_equal(json_array_size(json_object_get(root, "after")), 16);
    json_decref(root);
}

char *file_bytes(const char *path, size_t *ret_length)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t capacity = 8u << 20;
    char *text = malloc(capacity);
    assert_non_null(text);
    *ret_length = fread(text, 1, capacity - 1, file);
    text[*ret_length] = '\0';
    fclose(file);
    return text;
}

void stone_at(json_t *stone, double *ret_x, double *ret_y)
{
    bool is_dc2 = json_is_array(stone);
    json_t *x = is_dc2 ? json_array_get(stone, 0) : json_object_get(stone, "x");
    json_t *y = is_dc2 ? json_array_get(stone, 1) : json_object_get(stone, "y");

    assert_true(json_is_real(x) && json_is_real(y));
    *ret_x = json_real_value(x);
    *ret_y = json_real_value(y);
}

double difference_m(json_t *a, json_t *b)
{
    double worst_m = 0.0, ax, ay, bx, by;

    assert_int_equal(json_array_size(a), 16);
    assert_int_equal(json_array_size(b), 16);
    for (size_t s = 0; s < 16; s++) {
        json_t *p = json_array_get(a, s), *q = json_array_get(b, s);
        if (json_typeof(p) != json_typeof(q))
            return INFINITY;
        if (json_is_null(p))
            continue;
        stone_at(p, &ax, &ay);
        stone_at(q, &bx, &by);
        worst_m = fmax(worst_m, hypot(ax - bx, ay - by));
    }
    return worst_m;
}
