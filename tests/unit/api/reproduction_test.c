/* Published results beside ours: the shipped description is sound, and how its figures are written.
 */
#include "api/reproduction.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *sections_of(json_t **ret_document)
{
    *ret_document = json_loads(reproduction_json, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(*ret_document);
    json_t *sections = json_object_get(*ret_document, "sections");
    assert_true(json_array_size(sections) > 0);
    return sections;
}

/* Rows as wide as the heads, intervals around their value, charts of columns that exist. */
static void the_description_is_sound(void **state)
{
    json_t *document, *section, *row, *cell, *curve;
    json_t *sections = sections_of(&document);
    size_t s, r, c;

    (void)state;
    json_array_foreach(sections, s, section)
    {
        size_t columns = json_array_size(json_object_get(section, "columns"));
        json_array_foreach(json_object_get(section, "rows"), r, row)
        {
            assert_int_equal(json_array_size(row), columns);
            json_array_foreach(row, c, cell)
            {
                double value = json_number_value(json_object_get(cell, "value"));
                if (!json_object_get(cell, "low"))
                    continue;
                assert_true(json_number_value(json_object_get(cell, "low")) <= value);
                assert_true(json_number_value(json_object_get(cell, "high")) >= value);
            }
        }
        json_array_foreach(json_object_get(json_object_get(section, "chart"), "curves"), c, curve)
            assert_true((size_t)json_integer_value(curve) < columns);
    }
    json_decref(document);
}

/* Whether the figure stands in a table, however many decimals it has there. */
static bool is_in_a_table(const json_t *sections, const json_t *figure)
{
    json_t *section, *row, *cell;
    size_t s, r, c;

    json_array_foreach(sections, s, section)
    {
        if (strcmp(json_string_value(json_object_get(section, "id")), "gates") == 0)
            continue;
        json_array_foreach(json_object_get(section, "rows"), r, row)
            json_array_foreach(row, c, cell) if (json_equal(cell, figure)) return true;
    }
    return false;
}

/* A gate is judged by a figure that the page shows. */
static void figures_of_gates_are_in_the_tables(void **state)
{
    json_t *document, *section, *row;
    json_t *sections = sections_of(&document);
    int gates = 0;
    size_t s, r;

    (void)state;
    json_array_foreach(sections, s, section)
    {
        if (strcmp(json_string_value(json_object_get(section, "id")), "gates") != 0)
            continue;
        json_array_foreach(json_object_get(section, "rows"), r, row)
        {
            json_t *figure = json_array_get(row, 2);
            assert_true(json_is_boolean(json_array_get(row, 3)));
            if (!json_is_object(figure))
                continue;
            json_object_del(figure, "digits");
            assert_true(is_in_a_table(sections, figure));
            gates++;
        }
    }
    assert_true(gates > 0);
    json_decref(document);
}

static char *written(const char *cell, const char *column)
{
    json_t *section = json_pack("{s:[o], s:[[o]]}", "columns", json_loads(column, 0, NULL), "rows",
                                json_loads(cell, JSON_DECODE_ANY, NULL));
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(section);
    reproduction_write_cell(out, section, 0, 0);
    fclose(out);
    json_decref(section);
    return text;
}

static void figures_are_written_with_their_intervals(void **state)
{
    static const struct {
        const char *cell, *column, *text;
    } cells[] = {
        {"{\"value\":76.2,\"low\":73,\"high\":79.2}", "{\"digits\":1}", "76.2 (73.0-79.2)"},
        {"{\"value\":5.1,\"plus_minus\":0.16}", "{\"digits\":2,\"signed\":true}", "+5.10 ± 0.16"},
        {"{\"value\":80.2,\"plus_minus\":1,\"digits\":0}", "{\"digits\":2}", "80 ± 1"},
        {"1234567", "{}", "1,234,567"},
        {"-100000", "{}", "-100,000"},
        {"999", "{}", "999"},
        {"1234.5", "{\"digits\":1}", "1234.5"},
        {"true", "{}", "yes"},
        {"false", "{}", "no"},
        {"\"a text\"", "{}", "a text"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
        char *text = written(cells[k].cell, cells[k].column);
        assert_string_equal(text, cells[k].text);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_description_is_sound),
        cmocka_unit_test(figures_of_gates_are_in_the_tables),
        cmocka_unit_test(figures_are_written_with_their_intervals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
