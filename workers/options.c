/* Turns tables of options into argp parsers, and parsed options into fields. */
#include "workers/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { KEY_WITHOUT_LETTER = 0x100 };

/* A parser with its rows in one list. The key of a row without a letter is its index. */
struct parsing {
    const struct option_parser *parser;
    struct option_row row[OPTION_ROWS_MAX];
    char about[OPTION_ROWS_MAX][OPTION_ABOUT_MAX]; /* of rows that take it from elsewhere */
    void *target[OPTION_ROWS_MAX];
    struct argp_option known[OPTION_ROWS_MAX + 1];
    int rows;
};

static int key_of(const struct option_row *row, int place)
{
    return row->letter ? row->letter : KEY_WITHOUT_LETTER + place;
}

static void store_whole(const struct option_row *row, uint64_t whole, void *target)
{
    void *field = (char *)target + row->offset;

    if (row->kind == OPTION_INT)
        *(int *)field = (int)whole;
    else if (row->kind == OPTION_INT64)
        *(int64_t *)field = (int64_t)whole;
    else
        *(uint64_t *)field = whole;
}

/* True if an option and a field have the same name: extra-ends, extra_ends. */
static bool is_named(const char *option, const char *field)
{
    while (*option && (*option == *field || (*option == '-' && *field == '_'))) {
        option++;
        field++;
    }
    return *option == *field;
}

/* The field with the name of the option, also in objects among the fields; NULL: none. */
static const struct field *find_field(const struct field *fields, const char *option)
{
    const struct field *found = NULL;

    for (; fields && fields->name && !found; fields++)
        found = is_named(option, fields->name) ? fields : find_field(fields->fields, option);
    return found;
}

/* Completes a row from the field with its name, and sets the target to the default. */
static void take_field(struct option_row *row, char *about, const struct field *fields,
                       void *target)
{
    bool is_whole = row->kind >= OPTION_INT && row->kind <= OPTION_UINT64;
    bool is_open = is_whole ? row->most == 0 : row->kind == OPTION_NUMBER && row->most_number == 0;

    if (!fields || !is_open)
        return;
    const struct field *field = find_field(fields, row->name);
    assert(field && field->type == (is_whole ? FIELD_WHOLE : FIELD_NUMBER));
    if (is_whole) {
        row->least = (uint64_t)field->whole.least;
        row->most = (uint64_t)field->whole.most;
        snprintf(about, OPTION_ABOUT_MAX, "%s, %lld..%lld (default {default})", field->about,
                 (long long)field->whole.least, (long long)field->whole.most);
        store_whole(row, (uint64_t)field->whole.initial, target);
    } else {
        row->least_number = field->number.least;
        row->most_number = field->number.most;
        snprintf(about, OPTION_ABOUT_MAX, "%s, %g..%g (default {default})", field->about,
                 field->number.least, field->number.most);
        *(double *)((char *)target + row->offset) = field->number.initial;
    }
    row->about = about;
}

/* Replaces "{default}" in the row's help by the value that the target has before it is read. */
static void show_default(struct option_row *row, char *about, const void *target)
{
    static const char mark[] = "{default}";
    const char *at = row->about ? strstr(row->about, mark) : NULL;
    const void *field = (const char *)target + row->offset;
    char number[32] = "", text[OPTION_ABOUT_MAX];

    if (!at)
        return;
    if (row->kind == OPTION_INT)
        snprintf(number, sizeof number, "%d", *(const int *)field);
    else if (row->kind == OPTION_INT64 || row->kind == OPTION_UINT64)
        snprintf(number, sizeof number, "%lld", (long long)*(const int64_t *)field);
    else if (row->kind == OPTION_NUMBER)
        snprintf(number, sizeof number, "%g", *(const double *)field);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - row->about), row->about,
             row->kind == OPTION_TEXT ? *(const char *const *)field : number, at + strlen(mark));
    memcpy(about, text, sizeof text);
    row->about = about;
}

static void list_rows(struct parsing *parsing)
{
    const struct option_parser *parser = parsing->parser;

    for (int t = 0; t < OPTION_TABLES_MAX && parser->tables[t].rows; t++) {
        const struct option_table *table = &parser->tables[t];
        for (const struct option_row *from = table->rows; from->name; from++) {
            int place = parsing->rows++;
            struct option_row *row = &parsing->row[place];
            assert(place < OPTION_ROWS_MAX);
            *row = *from;
            take_field(row, parsing->about[place], table->fields, table->target);
            show_default(row, parsing->about[place], table->target);
            parsing->target[place] = table->target;
            parsing->known[place] = (struct argp_option){row->name, key_of(row, place), row->value,
                                                         0,         row->about,         row->group};
        }
    }
}

static void store(const struct option_row *row, struct argp_state *state, const char *text,
                  void *target)
{
    void *field = (char *)target + row->offset;

    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        break;
    case OPTION_INT:
    case OPTION_INT64:
    case OPTION_UINT64:
        store_whole(row, option_whole(state, row->name, text, row->least, row->most), target);
        break;
    case OPTION_NUMBER:
        *(double *)field =
            (row->unit > 0.0 ? row->unit : 1.0) *
            option_number(state, row->name, text, row->least_number, row->most_number);
        break;
    case OPTION_TEXT:
        *(const char **)field = text;
        break;
    case OPTION_READ:
        row->read(state, text, field);
        break;
    }
}

static void take_argument(const struct option_parser *parser, struct argp_state *state, char *text)
{
    if (parser->argument) {
        parser->argument(state, text, parser->context);
    } else if (!parser->file) {
        argp_error(state, "'%s' is not an option", text);
    } else {
        if (state->arg_num > 0)
            argp_error(state, "only one file, not also '%s'", text);
        *parser->file = strcmp(text, "-") == 0 ? NULL : text;
    }
}

static error_t read_key(int key, char *text, struct argp_state *state)
{
    const struct parsing *parsing = state->input;
    const struct option_parser *parser = parsing->parser;

    if (key == ARGP_KEY_ARG) {
        take_argument(parser, state, text);
        return 0;
    }
    if (key == ARGP_KEY_END) {
        for (int t = 0; t < OPTION_TABLES_MAX && parser->tables[t].rows; t++)
            if (parser->tables[t].finish)
                parser->tables[t].finish(state, parser->tables[t].target);
        return 0;
    }
    for (int place = 0; place < parsing->rows; place++)
        if (key_of(&parsing->row[place], place) == key) {
            store(&parsing->row[place], state, text, parsing->target[place]);
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

bool options_parse(const struct option_parser *parser, int argc, char **argv)
{
    struct parsing parsing = {.parser = parser};
    const char *arguments = parser->file ? "[FILE]" : parser->arguments;

    list_rows(&parsing);
    const struct argp argp = {parsing.known, read_key,    arguments, parser->about,
                              NULL,          option_help, NULL};
    argp_err_exit_status = 1;
    return argp_parse(&argp, argc, argv, 0, NULL, &parsing) == 0;
}
