/* Runs rink-simulate and reads its answers. */
#ifndef RINKD_TESTS_PROGRAMS_SIMULATE_RUN_H
#define RINKD_TESTS_PROGRAMS_SIMULATE_RUN_H

#include "tests/programs/json_lines.h"

#include <math.h>
#include <stdlib.h>

/* A draw on an empty sheet, as a line of each model. */
#define NULLS_15 "null,null,null,null,null,null,null,null,null,null,null,null,null,null,null"
#define DC2_LINE(id)                                                      \
    "{\"model\":\"dc2\",\"id\":" id ",\"n\":0,\"before\":[null," NULLS_15 \
    "],\"shot\":{\"vx\":-0.99074,\"vy\":-29.55977,\"spin\":0}}"
#define FCV1_LINE(id) FCV1_LINE_OF("fcv1", id, "2.40336", "1.5708")
#define FCV1_LINE_OF(model, id, speed, omega)                                   \
    "{\"model\":\"" model "\",\"id\":" id ",\"n\":0,\"before\":[null," NULLS_15 \
    "],\"shot\":{\"speed\":" speed ",\"angle\":1.51596,\"angular_velocity\":" omega "}}"

enum { OPTIONS_MAX = 8 };
#define OPTIONS(...) ((const char *const[OPTIONS_MAX]){__VA_ARGS__})

/* assert_float_equal() rounds to float32 first. */
#define close_to(a, b, limit) assert_true(fabs((a) - (b)) <= (limit))

/* Runs rink-simulate on an input; options NULL: none. Free the run with program_free(). */
struct program_run simulate_bytes(const char *input, size_t length,
                                  const char *const options[OPTIONS_MAX]);
struct program_run simulate(const char *input, const char *const options[OPTIONS_MAX]);

/* Returns a member that must be a whole number. */
json_int_t integer(const json_t *root, const char *key);

/* Checks that line k of the output is an error containing `text`; `line` is its number in the
 * input. */
void error_at(const struct program_run *run, int k, int line, const char *text);

/* Checks that line k of the output is an outcome with this id. */
void outcome_at(const struct program_run *run, int k, json_int_t id);

/* Returns a whole file as text; the caller frees it. */
char *file_bytes(const char *path, size_t *ret_length);

/* Reads the position of a stone in an outcome, in either model's form. */
void stone_at(json_t *stone, double *ret_x, double *ret_y);

/* Returns how far apart two positions of the same format are; INFINITY if they hold different
 * stones. */
double difference_m(json_t *a, json_t *b);

#endif
