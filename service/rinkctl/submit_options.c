/* Fields of specs as options. See submit_options.h. */
#include "service/rinkctl/submit_options.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger ranges are left out of the help text, as nobody reaches them. */
#define RANGE_SHOWN_MOST 100000.0

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

bool submit_repeats(const struct submit_option *option)
{
    return option->setter == SUBMIT_ELEMENT || option->setter == SUBMIT_PAIR;
}

/* ---- texts ---- */

/* "train_opponents" -> "train-opponent". */
static void write_name(const struct field *field, char ret_name[SUBMIT_NAME_MAX])
{
    size_t length = strlen(field->name);

    snprintf(ret_name, SUBMIT_NAME_MAX, "%s", field->name);
    if (is_list(field) && ret_name[length - 1] == 's')
        ret_name[length - 1] = '\0';
    for (char *at = ret_name; *at; at++)
        if (*at == '_')
            *at = '-';
}

/* "RUN:STEP" */
static void write_joined(const struct field *members, char ret_argument[SUBMIT_NAME_MAX])
{
    size_t used = 0;

    for (const struct field *member = members; member->name && used < SUBMIT_NAME_MAX; member++)
        used += (size_t)snprintf(ret_argument + used, SUBMIT_NAME_MAX - used, "%s%s",
                                 used ? ":" : "", member->name);
    for (char *at = ret_argument; *at; at++)
        *at = (char)toupper((unsigned char)*at);
}

static const char *argument_of(const struct field *field)
{
    switch (field->type) {
    case FIELD_PLAYER:
    case FIELD_PLAYERS:
        return "PLAYER";
    case FIELD_RESPONDERS:
        return "RESPONDER";
    case FIELD_WHOLE:
    case FIELD_WHOLES:
        return "N";
    case FIELD_NUMBER:
        return "X";
    case FIELD_RUN:
        return "RUN";
    default:
        return "NAME";
    }
}

/* Appends to a list with commas. */
__attribute__((format(printf, 2, 3))) static void add(char list[SUBMIT_HELP_MAX],
                                                      const char *format, ...)
{
    size_t used = strlen(list);
    va_list arguments;

    if (used > 0)
        used += (size_t)snprintf(list + used, SUBMIT_HELP_MAX - used, ", ");
    va_start(arguments, format);
    vsnprintf(list + used, SUBMIT_HELP_MAX - used, format, arguments);
    va_end(arguments);
}

/* Appends a value, or the elements of a list separated by blanks. */
static void write_words(const json_t *value, char ret_words[SUBMIT_CHOICES_MAX])
{
    size_t used = strlen(ret_words), room = SUBMIT_CHOICES_MAX - used;
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
static void write_help(struct submit_option *option, const json_t *schema)
{
    const json_t *least = json_object_get(schema, "minimum"),
                 *most = json_object_get(schema, "maximum"),
                 *initial = json_object_get(schema, "default");
    char remarks[SUBMIT_HELP_MAX] = "", words[SUBMIT_CHOICES_MAX] = "";

    if (*option->choices)
        add(remarks, "one of %s", option->choices);
    if (least && most && json_number_value(most) <= RANGE_SHOWN_MOST)
        add(remarks, "%g to %g", json_number_value(least), json_number_value(most));
    if (submit_repeats(option))
        add(remarks, "may be given several times");
    /* A field that depends on a choice has another default with another choice. */
    if (initial && option->setter != SUBMIT_PAIR && !option->field->by) {
        write_words(initial, words);
        add(remarks, "default %s", words);
    }
    snprintf(option->help, sizeof option->help, "%s%s%s%s", option->field->about,
             *remarks ? " (" : "", remarks, *remarks ? ")" : "");
}

/* ---- the list ---- */

struct list {
    struct submit_option *options;
    int count;
};

static bool has_option(const struct list *list, const char *name)
{
    for (int k = 0; k < list->count; k++)
        if (strcmp(list->options[k].name, name) == 0)
            return true;
    return false;
}

static void add_option(struct list *list, const char *object, const struct field *field,
                       enum submit_setter setter)
{
    struct submit_option option = {.setter = setter, .object = object, .field = field};
    json_t *schema = field_schema(field);

    write_name(field, option.name);
    if (setter == SUBMIT_JOINED)
        write_joined(field->fields, option.argument);
    else if (setter != SUBMIT_OBJECT)
        snprintf(option.argument, sizeof option.argument, "%s",
                 setter == SUBMIT_PAIR ? "NAME=VALUE" : argument_of(field));
    write_words(json_object_get(schema, "enum"), option.choices);
    write_help(&option, schema);
    json_decref(schema);
    /* Another choice may have a field with the same name. */
    if (!has_option(list, option.name) && list->count < SUBMIT_OPTIONS_MAX)
        list->options[list->count++] = option;
}

static bool all_are_needed(const struct field *fields)
{
    while (fields->name && fields->absent == FIELD_NEEDED)
        fields++;
    return !fields->name;
}

static void add_object(struct list *list, const struct field *field)
{
    if (field->by) {
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

int submit_options(const struct job_kind *kind,
                   struct submit_option ret_options[SUBMIT_OPTIONS_MAX])
{
    struct list list = {ret_options, 0};
    const struct field *words = submit_words(kind);

    for (const struct field *field = kind->fields; field->name; field++) {
        if (field->type == FIELD_OBJECT)
            add_object(&list, field);
        else if (field != words)
            add_option(&list, NULL, field, is_list(field) ? SUBMIT_ELEMENT : SUBMIT_VALUE);
    }
    return list.count;
}
