/* Results of jobs in a few lines: the figures that api/jobs/job_kinds.h lists for their kind. */
#include "api/base/print.h"
#include "api/jobs/job_kinds.h"

/* Writers of the formats; NULL: print_plain(). */
static void (*const writers[])(const json_t *value, char ret_cell[CELL_BYTES]) = {
    [JOB_NUMBER] = print_plain,
    [JOB_TENTHS] = print_tenths,
    [JOB_SIGNED] = print_signed,
    [JOB_DURATION] = print_duration,
    [JOB_INTERVAL] = print_interval,
    [JOB_MEAN] = print_mean,
    [JOB_FIGURES] = print_list,
    [JOB_SHARE] = print_share,
    [JOB_SHARE_INTERVAL] = print_share_interval,
    [JOB_PLACE] = print_place,
};

/* The lines of a table: members of the result, or the elements of those that are lists. */
static json_t *rows_of(const json_t *result, const char *const *members)
{
    json_t *rows = json_array();

    for (; *members; members++) {
        json_t *member = member_of(result, *members);
        if (json_is_array(member))
            json_array_extend(rows, member);
        else if (member)
            json_array_append(rows, member);
    }
    return rows;
}

/* Whether the result has the member of a column: in a row, if the view has rows. */
static bool is_shown(const struct job_column *column, const json_t *rows, const json_t *result)
{
    const json_t *row;
    size_t k;

    if (!rows)
        return member_of(result, column->member) != NULL;
    json_array_foreach(rows, k, row)
    {
        const json_t *value = member_of(row, column->member);
        if (value && !json_is_null(value))
            return true;
    }
    return false;
}

/* Writes a view after an empty line, unless it `is_first`; nothing for a table without cells. */
static void print_view(FILE *out, const struct job_view *view, const json_t *result, bool is_first)
{
    struct column columns[COLUMNS_MAX] = {{0}};
    char headings[COLUMNS_MAX][CELL_BYTES];
    json_t *rows = view->rows ? rows_of(result, view->rows) : NULL;
    int count = 0;

    for (const struct job_column *column = view->columns; column->member && count < COLUMNS_MAX - 1;
         column++) {
        if (!is_shown(column, rows, result))
            continue;
        snprintf(headings[count], CELL_BYTES, "%s%s%s", column->label, column->unit ? ", " : "",
                 column->unit ? column->unit : "");
        columns[count] =
            (struct column){headings[count], column->member, writers[column->format],
                            column->format != JOB_TEXT && column->format != JOB_FIGURES};
        count++;
    }
    if (count > 0 && !is_first)
        fputc('\n', out);
    if (count > 0 && rows)
        print_table(out, columns, rows);
    else if (count > 0)
        print_fields(out, columns, result);
    json_decref(rows);
}

void print_result(FILE *out, const char *kind, const json_t *result)
{
    const struct job_kind *row = job_kind_find(kind);

    if (!row) { /* a kind of a newer service */
        json_dumpf(result, out, JSON_INDENT(2) | JSON_ENCODE_ANY);
        fputc('\n', out);
    }
    for (const struct job_view *view = row ? row->views : NULL; view && view->columns; view++) {
        print_view(out, view, result, view == row->views);
    }
}
