/* Reading by tables of fields, and their schemas. See job_fields.h. */
#include "api/fields/job_fields.h"

#include "api/base/build_json.h"
#include "api/base/load_json.h"
#include "api/fields/game_id.h"
#include "api/fields/job_field_rows.h"
#include "api/fields/poker_spec.h"
#include "models/tables/profiles.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { RUN_DIGITS = 32, CHOICE_MAX = 64, NAMES_TOLD_BYTES = 100 };

const struct field limits_fields[] = {
    [LIMITS_TIME_MS] = LIMIT("time_ms", 1, PLAYER_TIME_MAX_MS, "milliseconds per move"),
    [LIMITS_SIMULATIONS] =
        LIMIT("simulations", 1, PLAYER_SIMULATIONS_MAX, "simulated throws per move"),
    {0}};

static bool is_among(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

/* The default of a field, in the form in which a client sends it. */
static json_t *default_json(const struct field *field)
{
    switch (field->type) {
    case FIELD_PLAYER:
    case FIELD_POKER:
    case FIELD_TEXT:
        return json_string(field->player);
    case FIELD_PLAYERS:
    case FIELD_RESPONDERS:
    case FIELD_WHOLES:
        return load_json_text(field->list.text);
    case FIELD_PROFILE:
        return json_string(profile_at(0)->name);
    case FIELD_WHOLE:
        return json_integer(field->whole.initial);
    case FIELD_NUMBER:
        return json_real(field->number.initial);
    case FIELD_CHOICE:
        return json_string(field->choices[0]);
    case FIELD_OBJECT:
        return json_object();
    case FIELD_RUN: /* has no default */
    case FIELD_GAME:
    case FIELD_RECORD:
        break;
    }
    return NULL;
}

/* ---- reading ---- */

/* Readers of each type return a new reference, or NULL after adding an error or when memory is
 * short. */
typedef json_t *field_reader(struct field_reading *reading, const struct strict_place *place,
                             const struct field *field);

/* A list is read like several elements of another type. */
static field_reader read_element;

/* Notes that a value could not be made, unless there is an error that explains it. */
static void note(struct field_reading *reading, const struct strict_place *place, bool is_made)
{
    reading->no_memory |= !is_made && place->errors->count == 0;
}

/* Reads a player. `prefix` is how its text begins; it stays in front of the spec. */
static json_t *read_prefixed(struct field_reading *reading, const struct strict_place *place,
                             const char *prefix)
{
    char spec[PLAYER_SPEC_MAX], error[PLAYER_ERROR_MAX];
    const char *text;

    if (!strict_text(place, PLAYER_SPEC_MAX - 1, &text))
        return NULL;
    if (reading->read_player(reading->context, text + strlen(prefix), spec, error))
        return json_sprintf("%s%s", prefix, spec);
    strict_refuse(place, "value", "%s", error);
    return NULL;
}

/* Reads players that take turns, each like any player. */
static json_t *read_switch(struct field_reading *reading, const struct strict_place *place,
                           const char *text)
{
    char spec[PLAYER_SPEC_MAX], error[PLAYER_ERROR_MAX] = "the spec is too long";
    struct player_switch *turns = malloc(sizeof *turns);
    bool good = turns && player_switch_read(text, turns, error);

    reading->no_memory |= !turns;
    for (int k = 0; good && k < turns->players; k++) {
        good = reading->read_player(reading->context, turns->player[k], spec, error);
        memcpy(turns->player[k], spec, good ? strlen(spec) + 1 : 0);
    }
    good = good && player_switch_write(turns, sizeof spec, spec);
    if (turns && !good)
        strict_refuse(place, "value", "%s", error);
    free(turns);
    return good ? json_string(spec) : NULL;
}

static json_t *read_player(struct field_reading *reading, const struct strict_place *place,
                           const struct field *field)
{
    const char *text = json_string_value(place->value);

    if (text && player_is_switch(text) && strlen(text) < PLAYER_SPEC_MAX) {
        if (field->may_switch)
            return read_switch(reading, place, text);
        strict_refuse(place, "value", "players take turns in matches alone");
        return NULL;
    }
    return read_prefixed(reading, place, "");
}

/* Any other text may be a model of the service, which read_player() resolves to its hash. */
static json_t *read_poker(struct field_reading *reading, const struct strict_place *place,
                          const struct field *field)
{
    static const char policy[] = "policy:weights=";
    char resolved[PLAYER_SPEC_MAX], error[PLAYER_ERROR_MAX], unused[PLAYER_ERROR_MAX];
    struct poker_spec spec;
    const char *text;

    (void)field;
    if (!strict_text(place, PLAYER_SPEC_MAX - 1, &text))
        return NULL;
    if (poker_spec_read(text, &spec, error)) {
        for (int k = 0; k < spec.parts; k++)
            if (spec.part[k].kind == POKER_MODEL &&
                player_model_kind(spec.part[k].model) != PLAYER_MODEL_HASH) {
                strict_refuse(
                    place, "value",
                    "poker:model= needs the SHA-256 of a file; the name of a model alone is "
                    "a player, too");
                return NULL;
            }
        return json_incref(place->value);
    }
    if (!strchr(text, ':') && reading->read_player(reading->context, text, resolved, unused) &&
        strncmp(resolved, policy, strlen(policy)) == 0)
        return json_sprintf(POKER_MODEL_PREFIX "%s", resolved + strlen(policy));
    strict_refuse(place, "value", "%s", error);
    return NULL;
}

/* Any text of one line. */
static json_t *read_line(struct field_reading *reading, const struct strict_place *place,
                         const struct field *field)
{
    const char *text;

    (void)reading;
    if (!strict_text(place, (size_t)field->whole.most, &text))
        return NULL;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            strict_refuse(place, "value", "must be one line without control characters");
            return NULL;
        }
    return json_incref(place->value);
}

static json_t *read_responder(struct field_reading *reading, const struct strict_place *place)
{
    const char *text = json_string_value(place->value);

    if (text && strcmp(text, JOB_RESPONDER_LOCAL) == 0)
        return json_incref(place->value);
    static const char before[] = JOB_RESPONDER_LOCAL "/";
    bool is_local = text && strncmp(text, before, strlen(before)) == 0;
    return read_prefixed(reading, place, is_local ? before : "");
}

static json_t *read_list(struct field_reading *reading, const struct strict_place *place,
                         const struct field *field)
{
    json_t *list = json_array();

    if (!strict_array(place, field->list.least, field->list.most))
        return list;
    for (size_t k = 0; k < json_array_size(place->value); k++) {
        const struct strict_place element = strict_element(place, k);
        json_t *value = read_element(reading, &element, field);
        for (size_t other = 0; value && field->list.differ && other < json_array_size(list);
             other++)
            if (json_equal(value, json_array_get(list, other)))
                strict_refuse(&element, "value", "is in the list already");
        note(reading, place, build_append(list, value));
    }
    return list;
}

static json_t *read_profile(struct field_reading *reading, const struct strict_place *place,
                            const struct field *field)
{
    const char *name;
    char list[PROFILE_LIST_MAX];

    (void)reading;
    if (!strict_text(place, 64, &name))
        return NULL;
    const struct profile *profile = profile_find(name);
    if (profile && (!field->is_learned || profile_is_learnable(profile)))
        return json_incref(place->value);
    strict_refuse(place, "value", "no profile that %s; there are %s",
                  field->is_learned ? "this algorithm can learn" : "can be played",
                  profile_list(field->is_learned, list));
    return NULL;
}

static json_t *read_whole(struct field_reading *reading, const struct strict_place *place,
                          const struct field *field)
{
    int64_t number;

    (void)reading;
    return strict_whole(place, field->whole.least, field->whole.most, &number)
               ? json_incref(place->value)
               : NULL;
}

static json_t *read_number(struct field_reading *reading, const struct strict_place *place,
                           const struct field *field)
{
    double number;

    (void)reading;
    return strict_number(place, field->number.least, field->number.most, &number)
               ? json_real(number)
               : NULL;
}

static json_t *read_choice(struct field_reading *reading, const struct strict_place *place,
                           const struct field *field)
{
    int index;

    (void)reading;
    return strict_choice(place, field->choices, &index) ? json_incref(place->value) : NULL;
}

static json_t *read_run(struct field_reading *reading, const struct strict_place *place,
                        const struct field *field)
{
    const char *id;

    (void)reading, (void)field;
    if (!strict_text(place, CHOICE_MAX, &id))
        return NULL;
    if (strlen(id) == RUN_DIGITS && strspn(id, "0123456789abcdef") == RUN_DIGITS)
        return json_incref(place->value);
    strict_refuse(place, "value", "must be the id of a run, %d hexadecimal digits", RUN_DIGITS);
    return NULL;
}

static json_t *read_game(struct field_reading *reading, const struct strict_place *place,
                         const struct field *field)
{
    struct game_id game;
    const char *id;

    (void)reading, (void)field;
    if (!strict_text(place, CHOICE_MAX, &id))
        return NULL;
    if (game_id_read(id, &game))
        return json_incref(place->value);
    strict_refuse(place, "value", "must be the id of a game, such as 7-0-1");
    return NULL;
}

static json_t *read_record(struct field_reading *reading, const struct strict_place *place,
                           const struct field *field)
{
    bool good = strict_array(place, field->list.least, field->list.most);

    (void)reading;
    for (size_t k = 0; good && k < json_array_size(place->value); k++) {
        const struct strict_place line = strict_element(place, k);
        good = strict_object(&line, NULL);
    }
    return good ? json_incref(place->value) : NULL;
}

/* Says what to write in place of what is no object. */
static void refuse_scalar(const struct strict_place *place, const struct field *field)
{
    char members[NAMES_TOLD_BYTES] = "";
    size_t used = 0;
    bool needs_some = false;

    for (const struct field *one = field->fields; one->name; one++) {
        needs_some |= one->absent == FIELD_NEEDED;
        if (used + strlen(one->name) + 4 < sizeof members)
            used += (size_t)snprintf(members + used, sizeof members - used, "%s\"%s\"",
                                     used > 0 ? ", " : "", one->name);
    }
    strict_refuse(place, "type", "is %s, must be an object%s of %s", strict_type_name(place->value),
                  needs_some ? "" : ": {} for the defaults, or one", members);
}

static json_t *read_object(struct field_reading *reading, const struct strict_place *place,
                           const struct field *field)
{
    if (json_is_object(place->value) || strict_is_missing(place))
        return fields_read(reading, place, field->fields);
    refuse_scalar(place, field);
    return NULL;
}

static json_t *read_element(struct field_reading *reading, const struct strict_place *place,
                            const struct field *field)
{
    return field->type == FIELD_WHOLES       ? read_whole(reading, place, field)
           : field->type == FIELD_RESPONDERS ? read_responder(reading, place)
                                             : read_player(reading, place, field);
}

/* ---- schemas of one type, without the default ---- */

static json_t *profile_schema(const struct field *field)
{
    const struct profile *profile;
    json_t *names = json_array();
    bool good = true;

    for (int k = 0; (profile = profile_at(k)) != NULL; k++)
        if (!field->is_learned || profile_is_learnable(profile))
            good = build_append(names, json_string(profile->name)) && good;
    return build_done(json_pack("{s:s, s:o}", "type", "string", "enum", names), good);
}

/* "format" tells forms to offer players. */
static json_t *player_schema(const struct field *field)
{
    (void)field;
    return json_pack("{s:s, s:s, s:i, s:i}", "type", "string", "format", "player", "minLength", 1,
                     "maxLength", PLAYER_SPEC_MAX - 1);
}

static json_t *poker_schema(const struct field *field)
{
    json_t *schema = player_schema(field);

    return build_done(schema, build_add(schema, "format", json_string("poker-player")) &&
                                  build_add(schema, "examples", build_texts(poker_spec_examples)));
}

static json_t *whole_schema(const struct field *field)
{
    return json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum",
                     (json_int_t)field->whole.least, "maximum", (json_int_t)field->whole.most);
}

static json_t *number_schema(const struct field *field)
{
    return json_pack("{s:s, s:f, s:f}", "type", "number", "minimum", field->number.least, "maximum",
                     field->number.most);
}

static json_t *list_schema(const struct field *field)
{
    json_t *items = field->type == FIELD_WHOLES ? whole_schema(field) : player_schema(field);
    json_t *schema =
        json_pack("{s:s, s:o, s:I, s:I}", "type", "array", "items", items, "minItems",
                  (json_int_t)field->list.least, "maxItems", (json_int_t)field->list.most);

    return build_done(schema, !field->list.differ || build_add(schema, "uniqueItems", json_true()));
}

static json_t *choice_schema(const struct field *field)
{
    return json_pack("{s:s, s:o}", "type", "string", "enum", build_texts(field->choices));
}

static json_t *run_schema(const struct field *field)
{
    (void)field;
    return json_pack("{s:s, s:s}", "type", "string", "pattern", "^[0-9a-f]{32}$");
}

static json_t *game_schema(const struct field *field)
{
    (void)field;
    return json_pack("{s:s, s:s}", "type", "string", "pattern", "^[0-9]+-[0-9]+-[01]$");
}

static json_t *record_schema(const struct field *field)
{
    return json_pack("{s:s, s:{s:s}, s:I, s:I}", "type", "array", "items", "type", "object",
                     "minItems", (json_int_t)field->list.least, "maxItems",
                     (json_int_t)field->list.most);
}

static json_t *object_schema(const struct field *field)
{
    return fields_schema(field->fields);
}

static json_t *text_schema(const struct field *field)
{
    return json_pack("{s:s, s:i, s:I, s:s}", "type", "string", "minLength", 1, "maxLength",
                     (json_int_t)field->whole.most, "pattern", "^[^\\x00-\\x1f\\x7f]+$");
}

/* ---- the table of types ---- */

static const struct {
    field_reader *read;
    json_t *(*schema)(const struct field *field);
    enum field_names names;
} types[] = {
    [FIELD_PLAYER] = {read_player, player_schema, NAMES_PLAYER},
    [FIELD_PLAYERS] = {read_list, list_schema, NAMES_PLAYER},
    [FIELD_RESPONDERS] = {read_list, list_schema, NAMES_PLAYER},
    [FIELD_POKER] = {read_poker, poker_schema, NAMES_PLAYER},
    [FIELD_RUN] = {read_run, run_schema, NAMES_RUN},
    [FIELD_GAME] = {read_game, game_schema, NAMES_GAME},
    [FIELD_PROFILE] = {read_profile, profile_schema, NAMES_NOTHING},
    [FIELD_WHOLE] = {read_whole, whole_schema, NAMES_NOTHING},
    [FIELD_WHOLES] = {read_list, list_schema, NAMES_NOTHING},
    [FIELD_NUMBER] = {read_number, number_schema, NAMES_NOTHING},
    [FIELD_CHOICE] = {read_choice, choice_schema, NAMES_NOTHING},
    [FIELD_OBJECT] = {read_object, object_schema, NAMES_NOTHING},
    [FIELD_RECORD] = {read_record, record_schema, NAMES_NOTHING},
    [FIELD_TEXT] = {read_line, text_schema, NAMES_NOTHING},
};

/* ---- objects ---- */

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

/* Whether a valid choice in the object allows the field. */
static bool is_allowed(const struct field *field, const json_t *object)
{
    const char *choice = field->by ? json_string_value(json_object_get(object, field->by)) : NULL;

    return !field->by || (choice && is_among(field->only, choice));
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
            strict_refuse(&member, "unknown", "not allowed if %s is %s", field->by,
                          json_string_value(json_object_get(object, field->by)));
    }
}

json_t *fields_read(struct field_reading *reading, const struct strict_place *place,
                    const struct field *fields)
{
    const char *keys[FIELDS_MAX + 1];
    json_t *object = json_object();
    int count = 0;

    for (; fields[count].name; count++) {
        assert(count < FIELDS_MAX);
        keys[count] = fields[count].name;
    }
    keys[count] = NULL;
    if (!strict_object(place, keys))
        return object;
    for (const struct field *field = fields; field->name; field++) {
        struct strict_place member = strict_member(place, field->name);
        const bool is_default = strict_is_missing(&member) && field->absent == FIELD_DEFAULT;
        if (!is_allowed(field, object) ||
            (strict_is_missing(&member) && field->absent == FIELD_LEFT_OUT))
            continue;
        if (is_default && !(member.value = default_json(field))) {
            reading->no_memory = true;
            continue;
        }
        json_t *value = types[field->type].read(reading, &member, field);
        note(reading, place, build_add(object, field->name, value));
        if (is_default)
            json_decref(member.value);
    }
    refuse_strays(place, fields, object);
    return object;
}

/* ---- stored objects ---- */

bool fields_fill_before(json_t *object, const struct field *fields)
{
    bool good = true;

    for (const struct field *field = fields; field->name; field++)
        if (field->before && !json_object_get(object, field->name) && is_allowed(field, object))
            good = build_add(object, field->name, json_string(field->before)) && good;
    return good;
}

/* ---- what they name ---- */

static bool visit_value(const struct strict_place *place, enum field_names names,
                        fields_visitor *visit, void *context)
{
    bool goes_on = true;

    if (json_is_string(place->value))
        return visit(context, place, names);
    for (size_t k = 0; goes_on && k < json_array_size(place->value); k++) {
        const struct strict_place element = strict_element(place, k);
        goes_on = !json_is_string(element.value) || visit(context, &element, names);
    }
    return goes_on;
}

bool fields_visit_names(const struct field *fields, const struct strict_place *object,
                        fields_visitor *visit, void *context)
{
    bool goes_on = true;

    for (const struct field *field = fields; goes_on && field->name; field++) {
        const struct strict_place member = strict_member(object, field->name);
        enum field_names names = types[field->type].names;
        if (!is_allowed(field, object->value))
            continue;
        if (field->type == FIELD_OBJECT)
            goes_on = fields_visit_names(field->fields, &member, visit, context);
        else if (names != NAMES_NOTHING)
            goes_on = visit_value(&member, names, visit, context);
    }
    return goes_on;
}

bool fields_name(const struct field *fields, enum field_names names)
{
    for (const struct field *field = fields; field->name; field++)
        if (types[field->type].names == names ||
            (field->type == FIELD_OBJECT && fields_name(field->fields, names)))
            return true;
    return false;
}

/* ---- schemas of objects ---- */

json_t *field_schema(const struct field *field)
{
    json_t *schema = types[field->type].schema(field);
    bool good = field->absent != FIELD_DEFAULT || field->type == FIELD_OBJECT ||
                build_add(schema, "default", default_json(field));

    return build_done(schema, build_add(schema, "description", json_string(field->about)) && good);
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
    bool good = true;

    for (const struct field *field = fields; field->name; field++) {
        if (!depends_on(field, choice))
            continue;
        if (is_among(field->only, choice->choices[index]))
            good = build_add(then, field->name, field_schema(field)) && good;
        else if (!json_object_get(then, field->name))
            good = build_add(then, field->name, json_false()) && good;
    }
    for (int k = index; choice->choices[k]; k++)
        if (are_alike(fields, choice, index, k))
            good = build_append(values, json_string(choice->choices[k])) && good;
    json_t *condition = json_pack("{s:{s:{s:o}}}", "properties", choice->name, "enum", values);
    if (index > 0 || choice->absent != FIELD_DEFAULT)
        good = build_add(condition, "required", json_pack("[s]", choice->name)) && good;
    return build_done(json_pack("{s:o, s:{s:o}}", "if", condition, "then", "properties", then),
                      good);
}

/* Schemas of the cases of all choices on which a field depends; an empty list if there are none. */
static json_t *cases_schema(const struct field *fields)
{
    json_t *cases = json_array();
    bool good = true;

    for (const struct field *choice = fields; choice->name; choice++) {
        bool decides = false;
        for (const struct field *field = fields; field->name; field++)
            decides = decides || depends_on(field, choice);
        for (int k = 0; decides && choice->choices[k]; k++) {
            int first = 0;
            while (!are_alike(fields, choice, first, k))
                first++;
            if (first == k)
                good = build_append(cases, case_schema(fields, choice, k)) && good;
        }
    }
    return build_done(cases, good);
}

json_t *fields_schema(const struct field *fields)
{
    json_t *properties = json_object(), *required = json_array(), *cases = cases_schema(fields);
    bool good = cases != NULL;

    for (const struct field *field = fields; field->name; field++) {
        good = build_add(properties, field->name, field->by ? json_true() : field_schema(field)) &&
               good;
        if (field->absent == FIELD_NEEDED && !field->by)
            good = build_append(required, json_string(field->name)) && good;
    }
    json_t *schema = json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
                               "required", required, "additionalProperties", 0);
    if (json_array_size(cases) > 0)
        good = json_object_set(schema, "allOf", cases) == 0 && good;
    json_decref(cases);
    return build_done(schema, good);
}
