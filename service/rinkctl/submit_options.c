/* Fields of specs as options. See submit_options.h. */
#include "service/rinkctl/submit_options.h"

#include "api/curling/shot_json.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger ranges are left out of the help text, as nobody reaches them. */
#define RANGE_SHOWN_MOST 100000.0

enum { OPTIONS_MAX = 64, TEXT_MAX = 64, HELP_MAX = 512, CHOICES_MAX = 256 };

/* The texts of an option. */
struct texts {
    char name[TEXT_MAX], argument[TEXT_MAX], path[2 * TEXT_MAX];
    char help[HELP_MAX];
    char choices[CHOICES_MAX]; /* separated by blanks; "": none */
};

static const struct option_row every_kind[] = {SUBMIT_EVERY_KIND, {0}};

static const struct option_row shot_rows[] = {
    {"profile", "NAME", "rules and ice (default: the query's, else " SHOT_PROFILE ")",
     .member = "profile"},
    {0},
};

static bool is_list(const struct field *field)
{
    return field->type == FIELD_PLAYERS || field->type == FIELD_RESPONDERS ||
           field->type == FIELD_WHOLES;
}

const struct field *submit_words(const struct job_kind *kind)
{
    for (const struct field *field = kind->fields; field->name; field++)
        if (is_list(field) && field->absent == FIELD_NEEDED)
            return field;
    return NULL;
}

/* Values on the command line, by the type of their field. */
static const struct {
    const char *argument;
    enum option_type type;
} values[] = {
    [FIELD_PLAYER] = {"PLAYER", OPTION_TEXT},
    [FIELD_PLAYERS] = {"PLAYER", OPTION_TEXT},
    [FIELD_RESPONDERS] = {"RESPONDER", OPTION_TEXT},
    [FIELD_PROFILE] = {"NAME", OPTION_TEXT},
    [FIELD_WHOLE] = {"N", OPTION_WHOLE},
    [FIELD_WHOLES] = {"N", OPTION_WHOLE},
    [FIELD_NUMBER] = {"X", OPTION_NUMBER},
    [FIELD_CHOICE] = {"NAME", OPTION_TEXT},
    [FIELD_RUN] = {"RUN", OPTION_TEXT},
    [FIELD_GAME] = {"GAME", OPTION_TEXT},
    [FIELD_POKER] = {"PLAYER", OPTION_TEXT},
    [FIELD_TEXT] = {"TEXT", OPTION_TEXT},
    [FIELD_OBJECT] = {"NAME=VALUE", OPTION_TEXT},
};

enum option_type submit_type(const struct field *field)
{
    return values[field->type].type;
}

bool submit_repeats(const struct option_row *row)
{
    return row->field &&
           (row->field->setter == SUBMIT_ELEMENT || row->field->setter == SUBMIT_PAIR);
}

/* ---- texts ---- */

/* "train_opponents" -> "train-opponent". */
static void write_name(const struct field *field, char ret_name[TEXT_MAX])
{
    size_t length = strlen(field->name);

    snprintf(ret_name, TEXT_MAX, "%s", field->name);
    if (is_list(field) && ret_name[length - 1] == 's')
        ret_name[length - 1] = '\0';
    for (char *at = ret_name; *at; at++)
        if (*at == '_')
            *at = '-';
}

/* "RUN:STEP" */
static void write_joined(const struct field *members, char ret_argument[TEXT_MAX])
{
    size_t used = 0;

    for (const struct field *member = members; member->name && used < TEXT_MAX; member++)
        used += (size_t)snprintf(ret_argument + used, TEXT_MAX - used, "%s%s", used ? ":" : "",
                                 member->name);
    for (char *at = ret_argument; *at; at++)
        *at = (char)toupper((unsigned char)*at);
}

/* Appends to a list with commas. */
__attribute__((format(printf, 2, 3))) static void add(char list[HELP_MAX], const char *format, ...)
{
    size_t used = strlen(list);
    va_list arguments;

    if (used > 0)
        used += (size_t)snprintf(list + used, HELP_MAX - used, ", ");
    va_start(arguments, format);
    vsnprintf(list + used, HELP_MAX - used, format, arguments);
    va_end(arguments);
}

/* Appends a value, or the elements of a list separated by blanks. */
static void write_words(const json_t *value, char ret_words[CHOICES_MAX])
{
    size_t used = strlen(ret_words), room = CHOICES_MAX - used;
    const char *gap = used > 0 ? " " : "";
    const json_t *element;
    size_t k;

    json_array_foreach(value, k, element) write_words(element, ret_words);
    if (json_is_string(value))
        snprintf(ret_words + used, room, "%s%s", gap, json_string_value(value));
    else if (json_is_number(value))
        snprintf(ret_words + used, room, "%s%.15g", gap, json_number_value(value));
}

/* "SENTENCE (1 to 10, default 2)" */
static void write_help(const struct option_row *row, const json_t *schema, bool is_alone,
                       struct texts *texts)
{
    const struct field *field = row->field->field;
    const json_t *least = json_object_get(schema, "minimum"),
                 *most = json_object_get(schema, "maximum"),
                 *initial = json_object_get(schema, "default");
    char remarks[HELP_MAX] = "", words[CHOICES_MAX] = "";

    if (*texts->choices)
        add(remarks, "one of %s", texts->choices);
    if (least && most && json_number_value(most) <= RANGE_SHOWN_MOST)
        add(remarks, "%g to %g", json_number_value(least), json_number_value(most));
    if (submit_repeats(row))
        add(remarks, "may be given several times");
    /* With another choice the field has another default. */
    if (initial && row->field->setter != SUBMIT_PAIR && is_alone) {
        write_words(initial, words);
        add(remarks, "default %s", words);
    }
    snprintf(texts->help, sizeof texts->help, "%s%s%s%s", field->about, *remarks ? " (" : "",
             remarks, *remarks ? ")" : "");
}

/* ---- the list ---- */

struct list {
    const struct field *fields; /* the table */
    const char *at;             /* the path of the object with the fields, "" or with a final dot */
    struct option_row rows[OPTIONS_MAX + sizeof every_kind / sizeof every_kind[0]];
    struct submit_option options[OPTIONS_MAX];
    struct texts texts[OPTIONS_MAX];
    int count;
};

static bool has_option(const struct list *list, const char *name)
{
    for (int k = 0; k < list->count; k++)
        if (strcmp(list->rows[k].name, name) == 0)
            return true;
    return false;
}

/* Whether no other field of the table has this name; the choice that tells them apart matters
 * then only to the server. */
static bool is_alone(const struct list *list, const struct field *field)
{
    int count = 0;

    for (const struct field *other = list->fields; other && other->name; other++)
        count += strcmp(other->name, field->name) == 0;
    return count <= 1;
}

/* `object`: the member that contains the field; NULL: none. */
static void add_option(struct list *list, const char *object, const struct field *field,
                       enum submit_setter setter)
{
    if (list->count == OPTIONS_MAX)
        return;
    struct texts *texts = &list->texts[list->count];
    struct option_row *row = &list->rows[list->count];
    json_t *schema = field_schema(field);

    *texts = (struct texts){.name = ""};
    write_name(field, texts->name);
    snprintf(texts->path, sizeof texts->path, "%s%s%s%s", list->at, object ? object : "",
             object ? "." : "", field->name);
    if (setter == SUBMIT_JOINED)
        write_joined(field->fields, texts->argument);
    else
        snprintf(texts->argument, sizeof texts->argument, "%s", values[field->type].argument);
    write_words(json_object_get(schema, "enum"), texts->choices);
    list->options[list->count] = (struct submit_option){setter, field, texts->path};
    *row = (struct option_row){
        .name = texts->name,
        .argument = setter == SUBMIT_OBJECT ? NULL : texts->argument,
        .help = texts->help,
        .is_needed = field->absent == FIELD_NEEDED && !object,
        .type = submit_type(field),
        .least = field->whole.least < 0 ? -INT64_MAX : 0, /* the server checks the range */
        .most = INT64_MAX,
        .member = setter == SUBMIT_VALUE ? texts->path : NULL,
        .choices = *texts->choices ? texts->choices : NULL,
        .field = &list->options[list->count]};
    write_help(row, schema, object || is_alone(list, field), texts);
    json_decref(schema);
    /* Another choice may have a field with the same name. */
    list->count += !has_option(list, texts->name);
}

static bool all_are_needed(const struct field *fields)
{
    while (fields->name && fields->absent == FIELD_NEEDED)
        fields++;
    return !fields->name;
}

static void add_object(struct list *list, const struct field *field)
{
    if (!is_alone(list, field)) {
        add_option(list, NULL, field, SUBMIT_PAIR);
    } else if (all_are_needed(field->fields)) {
        add_option(list, NULL, field, SUBMIT_JOINED);
    } else {
        if (field->absent == FIELD_LEFT_OUT)
            add_option(list, NULL, field, SUBMIT_OBJECT);
        for (const struct field *member = field->fields; member->name; member++)
            add_option(list, field->name, member, is_list(member) ? SUBMIT_ELEMENT : SUBMIT_VALUE);
    }
}

/* The options of the fields, except for the words, then the rows, which end with name NULL. */
static const struct option_row *list_options(const char *at, const struct field *fields,
                                             const struct field *words,
                                             const struct option_row *rows)
{
    static struct list list; /* large: not on the stack */

    list.at = at;
    list.fields = fields;
    list.count = 0;
    for (const struct field *field = fields; field && field->name; field++) {
        if (field->type == FIELD_OBJECT)
            add_object(&list, field);
        else if (field != words && field->type != FIELD_RECORD) /* a record comes in a file */
            add_option(&list, NULL, field, is_list(field) ? SUBMIT_ELEMENT : SUBMIT_VALUE);
    }
    for (int k = list.count;; rows++) {
        list.rows[k++] = *rows;
        if (!rows->name)
            return list.rows;
    }
}

const struct option_row *submit_options(const struct job_kind *kind)
{
    return kind ? list_options("spec.", kind->fields, submit_words(kind), every_kind) : every_kind;
}

const struct option_row *shot_options(void)
{
    return list_options("", shot_fields, NULL, shot_rows);
}

const struct option_row *map_options(void)
{
    return list_options("", map_query_fields, NULL, shot_rows);
}

const struct option_row *calls_options(void)
{
    return list_options("", calls_query_fields, NULL, shot_rows);
}
