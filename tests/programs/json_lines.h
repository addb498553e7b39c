/* JSON lines written by programs, and their members. */
#ifndef RINKD_TESTS_PROGRAMS_JSON_LINES_H
#define RINKD_TESTS_PROGRAMS_JSON_LINES_H

#include "tests/programs/program.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Returns the number of lines in the output; each must be terminated. */
static inline int lines_of(const struct program_run *run)
{
    int lines = 0;

    for (size_t k = 0; k < run->length; k++)
        lines += run->output[k] == '\n';
    if (run->length > 0)
        assert_int_equal(run->output[run->length - 1], '\n');
    return lines;
}

/* Returns line k of the output as JSON; the caller frees it. */
static inline json_t *line_of(const struct program_run *run, int k)
{
    const char *line = run->output;
    json_error_t at;

    for (; k > 0; k--) {
        line = strchr(line, '\n');
        assert_non_null(line);
        line++;
    }
    const char *end = strchr(line, '\n');
    assert_non_null(end);
    json_t *root = json_loadb(line, (size_t)(end - line), JSON_REJECT_DUPLICATES, &at);
    if (!root)
        fail_msg("%.*s: %s", (int)(end - line), line, at.text);
    return root;
}

/* Returns a member, which must exist; the second one returns a text. */
static inline json_t *member(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    if (!value)
        fail_msg("no \"%s\"", key);
    return value;
}

static inline const char *text_of(const json_t *object, const char *key)
{
    json_t *value = member(object, key);

    assert_true(json_is_string(value));
    return json_string_value(value);
}

#endif
