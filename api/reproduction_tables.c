/* Writes the tables of a page of Markdown from api/reproduction.json. A line "<!-- table ID -->"
 * and the next "<!-- end of table -->" enclose what is about a section there: a sentence, its
 * table, the commands and jobs that repeat it, and what was printed.
 *
 *   reproduction_tables FILE            writes these parts anew
 *   reproduction_tables --check FILE    checks that they are up to date; exit status 1: they are
 *                                       not, or a section has no place */
#include "api/base/generated_part.h"
#include "api/reproduction.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] = "<!-- table %s -->\n", last_line[] = "<!-- end of table -->\n";

enum { LINE_COLUMNS = 118 };

/* ---- a section ---- */

static size_t columns_of(const char *text, size_t bytes)
{
    size_t columns = 0;

    for (size_t k = 0; k < bytes; k++)
        columns += ((unsigned char)text[k] & 0xc0) != 0x80; /* the later bytes of a character */
    return columns;
}

/* A paragraph in lines, after an empty line. */
static void write_paragraph(FILE *out, const char *text)
{
    size_t column = 0;

    fputc('\n', out);
    while (*text) {
        size_t bytes = strcspn(text, " "), columns = columns_of(text, bytes);
        if (column > 0) {
            bool fits = column + 1 + columns <= LINE_COLUMNS;
            fputc(fits ? ' ' : '\n', out);
            column = fits ? column + 1 : 0;
        }
        fwrite(text, 1, bytes, out);
        column += columns;
        text += bytes + strspn(text + bytes, " ");
    }
    fputc('\n', out);
}

static void write_table(FILE *out, const json_t *section)
{
    const json_t *columns = json_object_get(section, "columns"), *column;
    size_t k, rows = json_array_size(json_object_get(section, "rows"));

    fputs("\n|", out);
    json_array_foreach(columns, k, column)
        fprintf(out, " %s |", json_string_value(json_object_get(column, "head")));
    fputs("\n|", out);
    for (k = 0; k < json_array_size(columns); k++)
        fputs("---|", out);
    fputc('\n', out);
    for (size_t row = 0; row < rows; row++) {
        fputc('|', out);
        for (k = 0; k < json_array_size(columns); k++) {
            fputc(' ', out);
            reproduction_write_cell(out, section, row, k);
            fputs(" |", out);
        }
        fputc('\n', out);
    }
}

/* A line of code; a command may have several. */
static void write_code(FILE *out, const char *text)
{
    fputs("    ", out);
    for (; *text; text++) {
        fputc(*text, out);
        if (*text == '\n')
            fputs("    ", out);
    }
    fputc('\n', out);
}

static void write_section(FILE *out, const json_t *section)
{
    const json_t *commands = json_object_get(section, "commands"), *one;
    const json_t *jobs = json_object_get(section, "jobs");
    char *printed = NULL;
    size_t k, size;

    write_paragraph(out, json_string_value(json_object_get(section, "about")));
    write_table(out, section);
    if (commands || jobs)
        fputc('\n', out);
    json_array_foreach(commands, k, one) write_code(out, json_string_value(one));
    json_array_foreach(jobs, k, one)
    {
        char *text = json_dumps(one, JSON_REAL_PRECISION(15));
        fputs("    POST /v1/jobs ", out);
        fputs(text, out);
        fputc('\n', out);
        free(text);
    }
    if (json_object_get(section, "printed")) {
        FILE *line = open_memstream(&printed, &size);
        fputs("Printed: ", line);
        reproduction_write_printed(line, section);
        fputc('.', line);
        fclose(line);
        write_paragraph(out, printed);
        free(printed);
    }
    fputc('\n', out);
}

/* ---- the file ---- */

/* Writes the text up to the end of the part of a section. Returns where it goes on; NULL: the
 * section has no part. */
static const char *write_part(FILE *out, const char *text, const json_t *section)
{
    char first[128];

    snprintf(first, sizeof first, first_line, json_string_value(json_object_get(section, "id")));
    const char *start = strstr(text, first), *end = start ? strstr(start, last_line) : NULL;
    if (!end)
        return NULL;
    fwrite(text, 1, (size_t)(start - text) + strlen(first), out);
    write_section(out, section);
    fputs(last_line, out);
    return end + strlen(last_line);
}

/* Returns the text with all parts replaced; the caller frees it. NULL: one is missing. */
static char *rewritten(const char *text)
{
    json_t *document = json_loads(reproduction_json, 0, NULL);
    const json_t *section;
    char *result = NULL;
    size_t size, k;

    FILE *out = open_memstream(&result, &size);
    if (!out)
        abort();
    json_array_foreach(json_object_get(document, "sections"), k, section)
    {
        text = write_part(out, text, section);
        if (!text)
            break;
    }
    fputs(text ? text : "", out);
    fclose(out);
    json_decref(document);
    if (!text) {
        free(result);
        return NULL;
    }
    return result;
}

int main(int argc, char **argv)
{
    static const struct generated_part part = {
        .program = "reproduction_tables",
        .rewritten = rewritten,
        .lacks =
            "cannot be read, or lacks the lines around the table of a section, in the order of "
            "api/reproduction.json",
        .outdated = "is not what api/reproduction.json says; its tables are written by "
                    "`cmake --build --preset dev --target reproduction`"};
    return generated_part_main(&part, argc, argv);
}
