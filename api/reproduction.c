/* Embeds reproduction.json as a text, and writes its figures for people. */
#include "api/reproduction.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

__asm__(".section .rodata\n"
        ".global reproduction_json\n"
        "reproduction_json:\n"
        ".incbin \"" API_FOLDER "/reproduction.json\"\n"
        ".byte 0\n"
        ".previous\n");

/* Whole numbers have commas: "20,000". */
static void write_number(FILE *out, const json_t *value, int digits, bool is_signed)
{
    char text[64];

    snprintf(text, sizeof text, is_signed ? "%+.*f" : "%.*f", digits, json_number_value(value));
    size_t whole = digits > 0 ? 0 : strlen(text);
    for (size_t k = 0; text[k]; k++) {
        bool is_after_digit = k > 0 && text[k - 1] >= '0' && text[k - 1] <= '9';
        if (k < whole && is_after_digit && (whole - k) % 3 == 0)
            fputc(',', out);
        fputc(text[k], out);
    }
}

/* {"value", "low", "high"} or {"value", "plus_minus"}. */
static void write_measured(FILE *out, const json_t *measured, int digits, bool is_signed)
{
    const json_t *low = json_object_get(measured, "low");
    const json_t *plus_minus = json_object_get(measured, "plus_minus");

    write_number(out, json_object_get(measured, "value"), digits, is_signed);
    if (low) {
        fputs(" (", out);
        write_number(out, low, digits, false);
        fputc('-', out);
        write_number(out, json_object_get(measured, "high"), digits, false);
        fputc(')', out);
    } else if (plus_minus) {
        fputs(" ± ", out);
        write_number(out, plus_minus, digits, false);
    }
}

void reproduction_write_cell(FILE *out, const json_t *section, size_t row, size_t k)
{
    const json_t *column = json_array_get(json_object_get(section, "columns"), k);
    const json_t *cell = json_array_get(json_array_get(json_object_get(section, "rows"), row), k);
    const json_t *own = json_object_get(cell, "digits");
    int digits = (int)json_integer_value(own ? own : json_object_get(column, "digits"));
    bool is_signed = json_is_true(json_object_get(column, "signed"));

    if (json_is_string(cell))
        fputs(json_string_value(cell), out);
    else if (json_is_boolean(cell))
        fputs(json_is_true(cell) ? "yes" : "no", out);
    else if (json_is_number(cell))
        write_number(out, cell, digits, is_signed);
    else
        write_measured(out, cell, digits, is_signed);
}

void reproduction_write_printed(FILE *out, const json_t *section)
{
    const json_t *one;
    size_t k;

    json_array_foreach(json_object_get(section, "printed"), k, one)
    {
        const json_t *value = json_object_get(one, "value");
        const json_t *digits = json_object_get(one, "digits");
        fputs(k > 0 ? ", " : "", out);
        if (value) {
            write_measured(out, one, (int)json_integer_value(digits), false);
            fputc(' ', out);
        }
        const char *words = json_string_value(json_object_get(one, "words"));
        fputs(words ? words : "", out);
    }
}
