/* Tables and cells. */
#include "api/base/print.h"

#include "api/base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2 };

void print_text(FILE *out, const char *text, bool lines)
{
    for (int bytes; *text; text += bytes) {
        const int32_t character = utf8_read(text, &bytes);
        const bool is_line = lines && (character == '\n' || character == '\t');
        if (utf8_is_steering(character) && !is_line)
            fputc('?', out);
        else
            fwrite(text, 1, (size_t)bytes, out);
    }
}

/* ---- members ---- */

json_t *member_of(const json_t *object, const char *path)
{
    while (object && *path) {
        size_t length = strcspn(path, ".");
        object = json_object_getn(object, path, length);
        path += length + (path[length] == '.');
    }
    return (json_t *)(size_t)object;
}

const char *text_of(const json_t *object, const char *path)
{
    const char *text = json_string_value(member_of(object, path));
    return text ? text : "";
}

double number_of(const json_t *object, const char *path)
{
    const json_t *value = member_of(object, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* ---- cells ---- */

static void put(char ret_cell[CELL_BYTES], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends a cell whose text is cut. */
static void end_with_dots(char cell[CELL_BYTES])
{
    static const char dots[] = "...";

    memcpy(cell + utf8_fit(cell, CELL_BYTES - (int)sizeof dots), dots, sizeof dots);
}

static void put(char ret_cell[CELL_BYTES], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(ret_cell, CELL_BYTES, format, arguments);
    va_end(arguments);
    if (length >= CELL_BYTES)
        end_with_dots(ret_cell);
}

void print_plain(const json_t *value, char ret_cell[CELL_BYTES])
{
    if (json_is_string(value))
        put(ret_cell, "%s", json_string_value(value));
    else if (json_is_integer(value))
        put(ret_cell, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        put(ret_cell, fabs(json_real_value(value)) < 1e6 ? "%.6g" : "%.0f", json_real_value(value));
    else if (json_is_boolean(value))
        put(ret_cell, "%s", json_is_true(value) ? "yes" : "no");
    else if (!value || json_is_null(value))
        put(ret_cell, "-");
    else
        print_compact(value, ret_cell);
}

void print_compact(const json_t *value, char ret_cell[CELL_BYTES])
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    put(ret_cell, "%s", text ? text : "-");
    free(text);
}

void print_time(const json_t *value, char ret_cell[CELL_BYTES])
{
    const char *text = json_string_value(value);

    if (text && strlen(text) >= strlen("2026-01-31T12:00:00"))
        put(ret_cell, "%.10s %.8s", text, text + 11);
    else
        print_plain(value, ret_cell);
}

void print_duration(const json_t *value, char ret_cell[CELL_BYTES])
{
    double time_s = json_number_value(value);

    if (!json_is_number(value))
        put(ret_cell, "-");
    else if (time_s < 60.0)
        put(ret_cell, "%.*f s", time_s < 9.95 ? 1 : 0, time_s);
    else if (time_s < 3600.0)
        put(ret_cell, "%d min %02d s", (int)(time_s / 60.0), (int)fmod(time_s, 60.0));
    else
        put(ret_cell, "%.0f h %02d min", floor(time_s / 3600.0),
            (int)(fmod(time_s, 3600.0) / 60.0));
}

static void put_number(char ret_cell[CELL_BYTES], const json_t *value, double scale, bool is_signed,
                       int decimals, const char *unit)
{
    if (json_is_number(value))
        put(ret_cell, is_signed ? "%+.*f%s" : "%.*f%s", decimals, scale * json_number_value(value),
            unit);
    else
        put(ret_cell, "-");
}

void print_percent(const json_t *value, char ret_cell[CELL_BYTES])
{
    put_number(ret_cell, value, 100.0, false, 1, " %");
}

void print_share(const json_t *value, char ret_cell[CELL_BYTES])
{
    put_number(ret_cell, value, 100.0, false, 2, " %");
}

void print_place(const json_t *value, char ret_cell[CELL_BYTES])
{
    if (json_is_integer(value))
        put(ret_cell, "%lld", (long long)json_integer_value(value) + 1);
    else
        put(ret_cell, "-");
}

void print_tenths(const json_t *value, char ret_cell[CELL_BYTES])
{
    put_number(ret_cell, value, 1.0, false, 1, "");
}

void print_signed(const json_t *value, char ret_cell[CELL_BYTES])
{
    put_number(ret_cell, value, 1.0, true, 2, "");
}

void print_elo(const json_t *value, char ret_cell[CELL_BYTES])
{
    put_number(ret_cell, value, 1.0, true, 0, "");
}

void print_speed(const json_t *value, char ret_cell[CELL_BYTES])
{
    put_number(ret_cell, value, 1.0, false, 4, "");
}

void print_mean(const json_t *value, char ret_cell[CELL_BYTES])
{
    const char *points = json_object_get(value, "points") ? "points" : "points_per_end";

    if (!json_is_number(json_object_get(value, points)))
        put(ret_cell, "-");
    else
        put(ret_cell, "%+.3f ± %.3f", number_of(value, points), number_of(value, "standard_error"));
}

void print_interval(const json_t *value, char ret_cell[CELL_BYTES])
{
    const json_t *low = json_array_get(value, 0), *high = json_array_get(value, 1);

    if (json_is_number(low) && json_is_number(high))
        put(ret_cell, "%.1f to %.1f", json_number_value(low), json_number_value(high));
    else
        put(ret_cell, "-");
}

void print_share_interval(const json_t *value, char ret_cell[CELL_BYTES])
{
    const json_t *low = json_array_get(value, 0), *high = json_array_get(value, 1);

    if (json_is_number(low) && json_is_number(high))
        put(ret_cell, "%.2f to %.2f %%", 100.0 * json_number_value(low),
            100.0 * json_number_value(high));
    else
        put(ret_cell, "-");
}

void print_bytes(const json_t *value, char ret_cell[CELL_BYTES])
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double bytes = json_number_value(value);
    int k = 0;

    if (!json_is_number(value)) {
        put(ret_cell, "-");
        return;
    }
    for (; bytes >= 1024.0 && k < 4; k++)
        bytes /= 1024.0;
    put(ret_cell, "%.*f %s", k == 0 ? 0 : 1, bytes, unit[k]);
}

/* Appends "NAME ELEMENT" after a comma. False: the cell is full. */
static bool append(char cell[CELL_BYTES], const char *name, const json_t *element)
{
    char text[CELL_BYTES];
    size_t used = strlen(cell);

    print_plain(element, text);
    int length = snprintf(cell + used, CELL_BYTES - used, "%s%s%s%s", used ? ", " : "", name,
                          *name ? " " : "", text);
    if (used + (size_t)length < CELL_BYTES)
        return true;
    end_with_dots(cell);
    return false;
}

void print_list(const json_t *value, char ret_cell[CELL_BYTES])
{
    const char *name;
    json_t *element;
    size_t k;

    ret_cell[0] = '\0';
    json_array_foreach(value, k, element) if (!append(ret_cell, "", element)) return;
    json_object_foreach((json_t *)(size_t)value, name, element)
    {
        if (!append(ret_cell, name, element))
            return;
    }
    if (!*ret_cell)
        put(ret_cell, "-");
}

/* ---- tables ---- */

static void write_cell(const struct column *column, const json_t *item, char ret_cell[CELL_BYTES])
{
    const json_t *value = member_of(item, column->member);

    (column->write ? column->write : print_plain)(value, ret_cell);
    utf8_make_line(ret_cell);
}

/* Whether the object has the column's member. */
static bool has_member(const struct column *column, const json_t *object)
{
    const json_t *value = member_of(object, column->member);
    return value && !json_is_null(value);
}

/* Writes one line; item NULL: the headings. */
static void write_row(FILE *out, const struct column *columns, const int *width, const json_t *item)
{
    char cell[CELL_BYTES];

    for (int k = 0; columns[k].heading; k++) {
        if (item)
            write_cell(&columns[k], item, cell);
        else
            put(cell, "%s", columns[k].heading);
        int pad = width[k] - utf8_width(cell);
        bool last = !columns[k + 1].heading;
        if (columns[k].right)
            fprintf(out, "%*s%s", pad, "", cell);
        else
            fprintf(out, "%s%*s", cell, last ? 0 : pad, "");
        fprintf(out, "%*s", last ? 0 : GAP, "");
    }
    fputc('\n', out);
}

void print_table(FILE *out, const struct column *columns, const json_t *items)
{
    int width[COLUMNS_MAX];
    char cell[CELL_BYTES];
    const json_t *item;
    size_t row;

    for (int k = 0; columns[k].heading; k++) {
        assert(k < COLUMNS_MAX);
        width[k] = utf8_width(columns[k].heading);
        json_array_foreach(items, row, item)
        {
            write_cell(&columns[k], item, cell);
            width[k] = utf8_width(cell) > width[k] ? utf8_width(cell) : width[k];
        }
    }
    write_row(out, columns, width, NULL);
    json_array_foreach(items, row, item) write_row(out, columns, width, item);
}

void print_fields(FILE *out, const struct column *columns, const json_t *object)
{
    char cell[CELL_BYTES];
    const struct column *column;
    int width = 0;

    for (column = columns; column->heading; column++)
        if (has_member(column, object) && utf8_width(column->heading) > width)
            width = utf8_width(column->heading);
    for (column = columns; column->heading; column++) {
        if (!has_member(column, object))
            continue;
        fprintf(out, "%s%*s  ", column->heading, width - utf8_width(column->heading), "");
        const json_t *value = member_of(object, column->member);
        char *whole = column->write == print_compact ? json_dumps(value, JSON_COMPACT) : NULL;
        write_cell(column, object, cell);
        if (!column->write && json_is_string(value))
            print_text(out, json_string_value(value), false);
        else
            print_text(out, whole ? whole : cell, false);
        fputc('\n', out);
        free(whole);
    }
}
