/* Fields of specs as options. See submit_options.h. */
#include "service/rinkctl/submit_options.h"

#include "api/curling/shot_json.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger ranges are left out of the help text, as nobody reaches them. */
#define RANGE_SHOWN_MOST 100000.0

enum { OPTIONS_MAX = 64, TEXT_MAX = 64 };

/* The texts of an option. */
struct texts {
    char name[TEXT_MAX], argument[TEXT_MAX], path[2 * TEXT_MAX];
    char *help;
    char *choices; /* separated by blanks; "": none */
};

static const struct option_row every_kind[] = {SUBMIT_EVERY_KIND, {0}};

static const struct option_row shot_rows[] = {
    {"profile", "NAME", "rules and ice (default: the query's, else " SHOT_PROFILE ")",
     .member = "profile"},
    {0},
};

bool submit_is_list(const struct field *field)
{
    return field->type == FIELD_PLAYERS || field->type == FIELD_RESPONDERS ||
           field->type == FIELD_WHOLES;
}

static bool is_required(const struct field *field)
{
    return field->absent == FIELD_NEEDED && !field->by;
}

const struct field *submit_words(const struct job_kind *kind)
{
    const struct field *only = NULL;
    int required = 0;

    for (const struct field *field = kind->fields; field->name; field++) {
        if (field->type == FIELD_GAME || (submit_is_list(field) && is_required(field)))
            return field;
        if (is_required(field)) {
            only = field;
            required++;
        }
    }
    return required == 1 ? only : NULL;
}

const char *submit_words_shown(const struct job_kind *kind)
{
    static char shown[TEXT_MAX];
    const struct field *words = submit_words(kind);

    if (!words)
        return NULL;
    if (submit_is_list(words))
        return "PLAYER...";
    snprintf(shown, sizeof shown, "[%s]", words->name);
    for (char *at = shown; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    return shown;
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
    [FIELD_RECORD] = {"FILE", OPTION_TEXT},
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
    if (submit_is_list(field) && ret_name[length - 1] == 's')
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

/* Writes a value, or the elements of a list separated by blanks. */
static void write_words(FILE *out, const char *gap, const json_t *value)
{
    const json_t *element;
    size_t k;

    json_array_foreach(value, k, element) write_words(out, k > 0 ? " " : gap, element);
    if (json_is_string(value))
        fprintf(out, "%s%s", gap, json_string_value(value));
    else if (json_is_number(value))
        fprintf(out, "%s%.15g", gap, json_number_value(value));
}

/* Opens a text that grows; ends the program when memory is short. */
static FILE *open_text(char **text)
{
    static size_t unused;
    FILE *out = open_memstream(text, &unused);

    if (!out)
        abort();
    return out;
}

/* "; with --algorithm=dqn, ppo" */
static void write_condition(FILE *out, const char *gap, const struct field *field)
{
    fprintf(out, "%swith --%s=", gap, field->by);
    for (int k = 0; field->only[k]; k++)
        fprintf(out, "%s%s", k > 0 ? ", " : "", field->only[k]);
}

/* "SENTENCE (1 to 10, default 2; with --protocol=dc4)" */
static void write_help(FILE *out, const struct option_row *row, const struct field *field,
                       const json_t *schema)
{
    const json_t *least = json_object_get(schema, "minimum"),
                 *most = json_object_get(schema, "maximum"),
                 *initial = json_object_get(schema, "default");
    char *remarks;
    FILE *list = open_text(&remarks);

    if (row->choices)
        fprintf(list, ", one of %s", row->choices);
    if (least && most && json_number_value(most) <= RANGE_SHOWN_MOST)
        fprintf(list, ", %g to %g", json_number_value(least), json_number_value(most));
    if (submit_repeats(row))
        fputs(", may be given several times", list);
    if (initial && row->field->setter != SUBMIT_PAIR) {
        fputs(", default", list);
        write_words(list, " ", initial);
    }
    if (field->by && row->field->setter != SUBMIT_PAIR)
        write_condition(list, ftell(list) > 0 ? "; " : ", ", field);
    fclose(list);
    fprintf(out, *remarks ? "%s (%s)" : "%s%s", field->about, *remarks ? remarks + 2 : "");
    free(remarks);
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

/* The index of an option; list->count: it has none of that name. */
static int find_option(const struct list *list, const char *name)
{
    int k = 0;

    while (k < list->count && strcmp(list->rows[k].name, name) != 0)
        k++;
    return k;
}

/* Whether no other field of the table has this name. */
static bool is_alone(const struct list *list, const struct field *field)
{
    int count = 0;

    for (const struct field *other = list->fields; other && other->name; other++)
        count += strcmp(other->name, field->name) == 0;
    return count <= 1;
}

/* Another choice may have a field with the same name: it shares the option, and the help tells of
 * both. */
static void share_option(struct list *list, int index, const struct field *field)
{
    struct texts *texts = &list->texts[index];
    const struct option_row *row = &list->rows[index];
    json_t *schema = field_schema(field);
    char *both;
    FILE *out = open_text(&both);

    fprintf(out, "%s; ", texts->help);
    write_help(out, row, field, schema);
    fclose(out);
    json_decref(schema);
    if (row->field->setter == SUBMIT_PAIR) {
        free(both);
        return;
    }
    free(texts->help);
    texts->help = both;
    list->rows[index].help = both;
}

static void write_argument(const struct field *field, enum submit_setter setter,
                           char ret_argument[TEXT_MAX])
{
    if (setter == SUBMIT_JOINED)
        write_joined(field->fields, ret_argument);
    else
        snprintf(ret_argument, TEXT_MAX, "%s", values[field->type].argument);
}

/* `object`: the member that contains the field; NULL: none. */
static void add_option(struct list *list, const char *object, const struct field *field,
                       enum submit_setter setter)
{
    char name[TEXT_MAX];

    write_name(field, name);
    const int index = find_option(list, name);
    if (index < list->count) {
        share_option(list, index, field);
        return;
    }
    assert(index < OPTIONS_MAX);
    struct texts *texts = &list->texts[index];
    struct option_row *row = &list->rows[index];
    json_t *schema = field_schema(field);

    memcpy(texts->name, name, sizeof name);
    snprintf(texts->path, sizeof texts->path, "%s%s%s%s", list->at, object ? object : "",
             object ? "." : "", field->name);
    write_argument(field, setter, texts->argument);
    FILE *out = open_text(&texts->choices);
    write_words(out, "", json_object_get(schema, "enum"));
    fclose(out);
    list->options[index] = (struct submit_option){setter, field, texts->path};
    *row = (struct option_row){
        .name = texts->name,
        .argument = setter == SUBMIT_OBJECT ? NULL : texts->argument,
        .is_needed = is_required(field) && !object,
        .type = submit_type(field),
        .least = field->whole.least < 0 ? -INT64_MAX : 0, /* the server checks the range */
        .most = INT64_MAX,
        .member = setter == SUBMIT_VALUE ? texts->path : NULL,
        .choices = *texts->choices ? texts->choices : NULL,
        .field = &list->options[index]};
    out = open_text(&texts->help);
    write_help(out, row, field, schema);
    fclose(out);
    row->help = texts->help;
    json_decref(schema);
    list->count++;
}

static bool all_are_needed(const struct field *fields)
{
    while (fields->name && fields->absent == FIELD_NEEDED)
        fields++;
    return !fields->name;
}

static enum submit_setter setter_of(const struct field *field)
{
    return submit_is_list(field)         ? SUBMIT_ELEMENT
           : field->type == FIELD_RECORD ? SUBMIT_LINES
                                         : SUBMIT_VALUE;
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
            add_option(list, field->name, member, setter_of(member));
    }
}

/* The options of the fields, except for a list that the words fill, then the rows, which end with
 * name NULL. */
static const struct option_row *list_options(const char *at, const struct field *fields,
                                             const struct field *words,
                                             const struct option_row *rows)
{
    static struct list list; /* large: not on the stack */

    for (int k = 0; k < list.count; k++) {
        free(list.texts[k].help);
        free(list.texts[k].choices);
    }
    list.at = at;
    list.fields = fields;
    list.count = 0;
    for (const struct field *field = fields; field && field->name; field++) {
        if (field->type == FIELD_OBJECT)
            add_object(&list, field);
        else if (field != words || !submit_is_list(field))
            add_option(&list, NULL, field, setter_of(field));
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
