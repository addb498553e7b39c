/* Reading by tables of fields, and their schemas. See job_fields.h. */
#include "api/job_fields.h"

#include "api/load_json.h"
#include "models/tables/profiles.h"

#include <stdio.h>
#include <string.h>

enum { RUN_DIGITS = 32, CHOICE_MAX = 64 };

static bool is_among(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

/* ---- reading ---- */

/* Whether the field is absent and takes its default. */
static bool is_default(const struct strict_place *place, const struct field *field)
{
    return strict_is_missing(place) && field->absent == FIELD_DEFAULT;
}

/* Returns the value; notes a failed allocation. */
static json_t *made(struct field_reading *reading, json_t *value)
{
    reading->no_memory |= value == NULL;
    return value;
}

static void append(struct field_reading *reading, json_t *list, json_t *value)
{
    if (value)
        reading->no_memory |= json_array_append_new(list, value) != 0;
}

/* Reads a player. `prefix` ("" if none) is how its text begins; it stays in front of the spec.
 * `initial`: the value if the player is missing, or NULL. */
static json_t *read_player(struct field_reading *reading, const struct strict_place *place,
                           const char *prefix, const char *initial)
{
    char spec[PLAYER_SPEC_MAX], error[PLAYER_ERROR_MAX];
    const char *text = initial;

    if (!(initial && strict_is_missing(place)) && !strict_text(place, PLAYER_SPEC_MAX - 1, &text))
        return NULL;
    if (!reading->read_player(reading->context, text + strlen(prefix), spec, error)) {
        strict_refuse(place, "value", "%s", error);
        return NULL;
    }
    return made(reading, json_sprintf("%s%s", prefix, spec));
}

static json_t *read_responder(struct field_reading *reading, const struct strict_place *place)
{
    const char *text = json_string_value(place->value);

    if (text && strcmp(text, "local") == 0)
        return made(reading, json_string(text));
    return read_player(reading, place,
                       text && strncmp(text, "local/", strlen("local/")) == 0 ? "local/" : "",
                       NULL);
}

static json_t *read_element(struct field_reading *reading, const struct strict_place *place,
                            const struct field *field)
{
    int64_t number;

    switch (field->type) {
    case FIELD_PLAYERS:
        return read_player(reading, place, "", NULL);
    case FIELD_RESPONDERS:
        return read_responder(reading, place);
    default:
        return strict_whole(place, field->whole.least, field->whole.most, &number)
                   ? made(reading, json_integer(number))
                   : NULL;
    }
}

static json_t *read_list(struct field_reading *reading, const struct strict_place *place,
                         const struct field *field)
{
    if (is_default(place, field))
        return made(reading, load_json_text(field->list.text));
    json_t *list = made(reading, json_array());
    if (!strict_array(place, field->list.least, field->list.most))
        return list;
    for (size_t k = 0; k < json_array_size(place->value); k++) {
        const struct strict_place element = strict_element(place, k);
        json_t *value = read_element(reading, &element, field);
        for (size_t other = 0; value && field->list.differ && other < json_array_size(list);
             other++)
            if (json_equal(value, json_array_get(list, other)))
                strict_refuse(&element, "value", "is in the list already");
        append(reading, list, value);
    }
    return list;
}

static json_t *read_profile(struct field_reading *reading, const struct strict_place *place,
                            const struct field *field)
{
    const char *name = profile_at(0)->name;
    char list[PROFILE_LIST_MAX];

    if (!is_default(place, field) && !strict_text(place, 64, &name))
        return NULL;
    const struct profile *profile = profile_find(name);
    if (profile && profile_is_playable(profile))
        return made(reading, json_string(name));
    strict_refuse(place, "value", "no profile that can be played; there are %s",
                  profile_list(true, list));
    return NULL;
}

static json_t *read_whole(struct field_reading *reading, const struct strict_place *place,
                          const struct field *field)
{
    int64_t number = field->whole.initial;

    if (!is_default(place, field) &&
        !strict_whole(place, field->whole.least, field->whole.most, &number))
        return NULL;
    return made(reading, json_integer(number));
}

static json_t *read_number(struct field_reading *reading, const struct strict_place *place,
                           const struct field *field)
{
    double number = field->number.initial;

    if (!is_default(place, field) &&
        !strict_number(place, field->number.least, field->number.most, &number))
        return NULL;
    return made(reading, json_real(number));
}

static json_t *read_choice(struct field_reading *reading, const struct strict_place *place,
                           const struct field *field)
{
    int index = 0;

    if (!is_default(place, field) && !strict_choice(place, field->choices, &index))
        return NULL;
    return made(reading, json_string(field->choices[index]));
}

static json_t *read_run(struct field_reading *reading, const struct strict_place *place)
{
    const char *id;

    if (!strict_text(place, CHOICE_MAX, &id))
        return NULL;
    if (strlen(id) == RUN_DIGITS && strspn(id, "0123456789abcdef") == RUN_DIGITS)
        return made(reading, json_string(id));
    strict_refuse(place, "value", "must be the id of a run, %d hexadecimal digits", RUN_DIGITS);
    return NULL;
}

static json_t *read_field(struct field_reading *reading, const struct strict_place *place,
                          const struct field *field)
{
    switch (field->type) {
    case FIELD_PLAYER:
        return read_player(reading, place, "",
                           field->absent == FIELD_DEFAULT ? field->player : NULL);
    case FIELD_PLAYERS:
    case FIELD_RESPONDERS:
    case FIELD_WHOLES:
        return read_list(reading, place, field);
    case FIELD_PROFILE:
        return read_profile(reading, place, field);
    case FIELD_WHOLE:
        return read_whole(reading, place, field);
    case FIELD_NUMBER:
        return read_number(reading, place, field);
    case FIELD_CHOICE:
        return read_choice(reading, place, field);
    case FIELD_RUN:
        return read_run(reading, place);
    case FIELD_OBJECT:
        return fields_read(reading, place, field->fields);
    }
    return NULL;
}

/* Whether the choices in the object, as far as they are valid, allow a field of that name. */
static bool is_there(const struct field *fields, const char *name, const json_t *object)
{
    for (const struct field *field = fields; field->name; field++) {
        if (strcmp(field->name, name) != 0)
            continue;
        const char *choice =
            field->by ? json_string_value(json_object_get(object, field->by)) : NULL;
        if (!field->by || !choice || is_among(field->only, choice))
            return true; /* an invalid choice already has its own error */
    }
    return false;
}

/* Refuses members that the choices in the object rule out. */
static void refuse_strays(const struct strict_place *place, const struct field *fields,
                          const json_t *object)
{
    for (const struct field *field = fields; field->name; field++) {
        const struct strict_place member = strict_member(place, field->name);
        const struct field *first = fields;
        while (strcmp(first->name, field->name) != 0)
            first++;
        if (first == field && !strict_is_missing(&member) && !is_there(fields, field->name, object))
            strict_refuse(&member, "unknown", "there is none where %s is %s", field->by,
                          json_string_value(json_object_get(object, field->by)));
    }
}

json_t *fields_read(struct field_reading *reading, const struct strict_place *place,
                    const struct field *fields)
{
    const char *keys[FIELDS_MAX + 1];
    json_t *object = made(reading, json_object());
    int count = 0;

    for (; fields[count].name; count++)
        keys[count] = fields[count].name;
    keys[count] = NULL;
    if (!strict_is_missing(place) && !strict_object(place, keys))
        return object;
    for (const struct field *field = fields; field->name; field++) {
        const struct strict_place member = strict_member(place, field->name);
        const char *choice =
            field->by ? json_string_value(json_object_get(object, field->by)) : NULL;
        if ((field->by && (!choice || !is_among(field->only, choice))) ||
            (strict_is_missing(&member) && field->absent == FIELD_LEFT_OUT))
            continue;
        json_t *value = read_field(reading, &member, field);
        if (value)
            reading->no_memory |= json_object_set_new(object, field->name, value) != 0;
    }
    refuse_strays(place, fields, object);
    return object;
}

/* ---- JSON Schema ---- */

static json_t *profile_schema(const struct field *field)
{
    const struct profile *profile;
    json_t *names = json_array();

    for (int k = 0; (profile = profile_at(k)) != NULL; k++)
        if (profile_is_playable(profile))
            json_array_append_new(names, json_string(profile->name));
    return json_pack("{s:s, s:o, s:s*}", "type", "string", "enum", names, "default",
                     field->absent == FIELD_DEFAULT ? profile_at(0)->name : NULL);
}

/* "format" tells forms to offer players. `initial` NULL: none. */
static json_t *player_schema(const char *initial)
{
    return json_pack("{s:s, s:s, s:i, s:i, s:s*}", "type", "string", "format", "player",
                     "minLength", 1, "maxLength", PLAYER_SPEC_MAX - 1, "default", initial);
}

static json_t *bounds_schema(const struct field *field)
{
    return field->type == FIELD_NUMBER
               ? json_pack("{s:s, s:f, s:f}", "type", "number", "minimum", field->number.least,
                           "maximum", field->number.most)
               : json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum",
                           (json_int_t)field->whole.least, "maximum",
                           (json_int_t)field->whole.most);
}

static json_t *number_schema(const struct field *field)
{
    json_t *schema = bounds_schema(field);

    if (schema && field->absent == FIELD_DEFAULT)
        json_object_set_new(schema, "default",
                            field->type == FIELD_WHOLE ? json_integer(field->whole.initial)
                                                       : json_real(field->number.initial));
    return schema;
}

static json_t *list_schema(const struct field *field)
{
    json_t *items = field->type == FIELD_WHOLES ? bounds_schema(field) : player_schema(NULL);
    json_t *schema =
        json_pack("{s:s, s:o, s:I, s:I}", "type", "array", "items", items, "minItems",
                  (json_int_t)field->list.least, "maxItems", (json_int_t)field->list.most);

    if (schema && field->list.differ)
        json_object_set_new(schema, "uniqueItems", json_true());
    if (schema && field->absent == FIELD_DEFAULT)
        json_object_set_new(schema, "default", load_json_text(field->list.text));
    return schema;
}

static json_t *choice_schema(const struct field *field)
{
    json_t *names = json_array();

    for (int k = 0; field->choices[k]; k++)
        json_array_append_new(names, json_string(field->choices[k]));
    json_t *schema = json_pack("{s:s, s:o}", "type", "string", "enum", names);
    if (schema && field->absent == FIELD_DEFAULT)
        json_object_set_new(schema, "default", json_string(field->choices[0]));
    return schema;
}

static json_t *type_schema(const struct field *field)
{
    switch (field->type) {
    case FIELD_PLAYER:
        return player_schema(field->absent == FIELD_DEFAULT ? field->player : NULL);
    case FIELD_PLAYERS:
    case FIELD_RESPONDERS:
    case FIELD_WHOLES:
        return list_schema(field);
    case FIELD_PROFILE:
        return profile_schema(field);
    case FIELD_WHOLE:
    case FIELD_NUMBER:
        return number_schema(field);
    case FIELD_CHOICE:
        return choice_schema(field);
    case FIELD_RUN:
        return json_pack("{s:s, s:s}", "type", "string", "pattern", "^[0-9a-f]{32}$");
    case FIELD_OBJECT:
        return fields_schema(field->fields);
    }
    return NULL;
}

json_t *field_schema(const struct field *field)
{
    json_t *schema = type_schema(field);

    if (json_object_set_new(schema, "description", json_string(field->about)) != 0) {
        json_decref(schema);
        return NULL;
    }
    return schema;
}

static bool depends_on(const struct field *field, const struct field *choice)
{
    return field->by && strcmp(field->by, choice->name) == 0;
}

/* Whether two values of a choice allow the same fields. */
static bool are_alike(const struct field *fields, const struct field *choice, int a, int b)
{
    for (const struct field *field = fields; field->name; field++)
        if (depends_on(field, choice) &&
            is_among(field->only, choice->choices[a]) != is_among(field->only, choice->choices[b]))
            return false;
    return true;
}

/* Schema of the fields that depend on a choice, for this value and those alike. */
static json_t *case_schema(const struct field *fields, const struct field *choice, int index)
{
    json_t *then = json_object(), *values = json_array();
    int failed = then && values ? 0 : -1;

    for (const struct field *field = fields; field->name && !failed; field++) {
        if (!depends_on(field, choice))
            continue;
        if (is_among(field->only, choice->choices[index]))
            failed |= json_object_set_new(then, field->name, field_schema(field));
        else if (!json_object_get(then, field->name))
            failed |= json_object_set_new(then, field->name, json_false());
    }
    for (int k = index; choice->choices[k] && !failed; k++)
        if (are_alike(fields, choice, index, k))
            failed |= json_array_append_new(values, json_string(choice->choices[k]));
    json_t *condition = json_pack("{s:{s:{s:O}}}", "properties", choice->name, "enum", values);
    if (index > 0 || choice->absent != FIELD_DEFAULT)
        failed |= json_object_set_new(condition, "required", json_pack("[s]", choice->name));
    json_t *schema =
        failed ? NULL : json_pack("{s:O, s:{s:O}}", "if", condition, "then", "properties", then);
    json_decref(values);
    json_decref(condition);
    json_decref(then);
    return schema;
}

/* Schemas of the cases of all choices on which a field depends; an empty list if there are none. */
static json_t *cases_schema(const struct field *fields)
{
    json_t *cases = json_array();
    int failed = cases ? 0 : -1;

    for (const struct field *choice = fields; choice->name && !failed; choice++) {
        bool decides = false;
        for (const struct field *field = fields; field->name; field++)
            decides = decides || depends_on(field, choice);
        for (int k = 0; decides && choice->choices[k] && !failed; k++) {
            int first = 0;
            while (!are_alike(fields, choice, first, k))
                first++;
            if (first == k)
                failed |= json_array_append_new(cases, case_schema(fields, choice, k));
        }
    }
    if (failed) {
        json_decref(cases);
        return NULL;
    }
    return cases;
}

json_t *fields_schema(const struct field *fields)
{
    json_t *properties = json_object(), *required = json_array(), *cases = cases_schema(fields);
    int failed = properties && required && cases ? 0 : -1;

    for (const struct field *field = fields; field->name && !failed; field++) {
        failed |= json_object_set_new(properties, field->name,
                                      field->by ? json_true() : field_schema(field));
        if (field->absent == FIELD_NEEDED && !field->by)
            failed |= json_array_append_new(required, json_string(field->name));
    }
    json_t *schema = failed
                         ? NULL
                         : json_pack("{s:s, s:O, s:O, s:b}", "type", "object", "properties",
                                     properties, "required", required, "additionalProperties", 0);
    if (schema && json_array_size(cases) > 0)
        json_object_set(schema, "allOf", cases);
    json_decref(properties);
    json_decref(required);
    json_decref(cases);
    return schema;
}
