/* One table of fields for each kind of job, and what is made of it. See job_json.h. */
#include "api/job_json.h"

#include "models/game/rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TIME_MAX_MS     86400000 /* a day */
#define SIMULATIONS_MAX INT64_C(1000000000000)
#define PAIRS_MAX       10000000
#define THREADS_MAX     256
#define ELO_MAX         1000
#define DELAY_MAX_S     31536000 /* a year */
#define PRIORITY_MAX    1000
#define ATTEMPTS_MAX    100
#define GAME_ENDS_MAX   10
#define ENDS_MAX        10000000
#define MATCH_SHOTS     16 /* of an end, of all profiles that can be played here */

enum { PLAYERS_MIN = 2, PLAYERS_MAX = 32, RESPONDERS_MAX = 16 };

enum field_type {
    FIELD_PLAYER,     /* text */
    FIELD_PLAYERS,    /* of all different players */
    FIELD_RESPONDERS, /* players, "local" and "local/PLAYER" */
    FIELD_PROFILE,
    FIELD_WHOLE,
    FIELD_NUMBER,
    FIELD_OBJECT
};

/* What happens to a field that is absent. */
enum field_absence { FIELD_NEEDED, FIELD_DEFAULT, FIELD_LEFT_OUT };

struct field {
    const char *name;
    enum field_type type;
    enum field_absence absent;
    int64_t least, most, initial; /* of FIELD_WHOLE and FIELD_NUMBER */
    const struct field *fields;   /* of FIELD_OBJECT; ends with name NULL */
    const char *about;
};

/* ---- the tables ---- */

static const struct field limits_fields[] = {
    {"time_ms", FIELD_WHOLE, FIELD_LEFT_OUT, 1, TIME_MAX_MS, 0, NULL, "milliseconds of a move"},
    {"simulations", FIELD_WHOLE, FIELD_LEFT_OUT, 1, SIMULATIONS_MAX, 0, NULL,
     "simulated throws of a move"},
    {0}};
static const struct field sprt_fields[] = {
    {"elo0", FIELD_NUMBER, FIELD_DEFAULT, -ELO_MAX, ELO_MAX, 0, NULL,
     "difference in strength by the first hypothesis"},
    {"elo1", FIELD_NUMBER, FIELD_DEFAULT, -ELO_MAX, ELO_MAX, 15, NULL,
     "difference by the second one, more than elo0"},
    {0}};

#define PROFILE_FIELD                                           \
    {                                                           \
        "profile", FIELD_PROFILE, FIELD_DEFAULT, 0, 0, 0, NULL, \
            "rules and the ice that belongs to them"            \
    }
#define SEED_FIELD                                                                 \
    {                                                                              \
        "seed", FIELD_WHOLE, FIELD_DEFAULT, 0, INT64_MAX, 0, NULL, "of all chance" \
    }
#define THREADS_FIELD                                                                        \
    {                                                                                        \
        "threads", FIELD_WHOLE, FIELD_DEFAULT, 1, THREADS_MAX, 1, NULL,                      \
            "how much is done side by side; changes nothing in the result unless moves are " \
            "limited by "                                                                    \
            "time"                                                                           \
    }
#define LIMITS_FIELD                                                                               \
    {                                                                                              \
        "limits", FIELD_OBJECT, FIELD_DEFAULT, 0, 0, 0, limits_fields,                             \
            "of each move, both hold; without them each player has the budget of its own settings" \
    }
#define PLAY_FIELDS                                                                           \
    PROFILE_FIELD, {"ends",        FIELD_WHOLE, FIELD_DEFAULT, 1,                             \
                    GAME_ENDS_MAX, 2,           NULL,          "of a game; a tie is a draw"}, \
        {"pairs",       FIELD_WHOLE,                                                          \
         FIELD_DEFAULT, 1,                                                                    \
         PAIRS_MAX,     100,                                                                  \
         NULL,          "of games between two players, seats swapped and the luck the same"}, \
        SEED_FIELD, THREADS_FIELD, LIMITS_FIELD,                                              \
    {                                                                                         \
        "sprt", FIELD_OBJECT, FIELD_LEFT_OUT, 0, 0, 0, sprt_fields,                           \
            "stop as soon as a sequential test has decided; pairs is then the most"           \
    }

static const struct field match_fields[] = {
    {"a", FIELD_PLAYER, FIELD_NEEDED, 0, 0, 0, NULL, "the player whose share of points is told"},
    {"b", FIELD_PLAYER, FIELD_NEEDED, 0, 0, 0, NULL, "the other one"},
    PLAY_FIELDS,
    {0}};
static const struct field tournament_fields[] = {
    {"players", FIELD_PLAYERS, FIELD_NEEDED, 0, 0, 0, NULL, "each plays every other one"},
    PLAY_FIELDS,
    {0}};
static const struct field exploitability_fields[] = {
    {"player", FIELD_PLAYER, FIELD_NEEDED, 0, 0, 0, NULL, "who does not change"},
    {"responders", FIELD_RESPONDERS, FIELD_DEFAULT, 0, 0, 0, NULL,
     "players, \"local\" (tries shots against the player) or \"local/PLAYER\" (plays its later "
     "shots as PLAYER); the best of them counts"},
    PROFILE_FIELD,
    {"ends", FIELD_WHOLE, FIELD_DEFAULT, 2, ENDS_MAX, 1000, NULL, "against each seat"},
    {"selection_ends", FIELD_WHOLE, FIELD_DEFAULT, 2, ENDS_MAX, 200, NULL,
     "other ends of each responder against each seat, by which the best is chosen"},
    SEED_FIELD,
    THREADS_FIELD,
    LIMITS_FIELD,
    {0}};
static const struct field diagnose_fields[] = {
    PROFILE_FIELD,
    {"seconds", FIELD_WHOLE, FIELD_DEFAULT, 1, 600, 10, NULL, "that it measures"},
    SEED_FIELD,
    {0}};

static const struct kind {
    const char *name, *about;
    const struct field *fields; /* NULL: no program can do it */
} kinds[] = {
    {"match", "Pairs of games between two players", match_fields},
    {"tournament", "Every player against every other one, and a ladder of them", tournament_fields},
    {"exploitability", "What a family of responders wins from a player", exploitability_fields},
    {"diagnose", "Measures how fast this machine simulates and stores", diagnose_fields},
    {"train", "Learns to play", NULL},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const char *const default_responders[] = {"local", "ai-simple", "generator", NULL};

const char *job_kind_at(int index)
{
    return index >= 0 && index < KINDS ? kinds[index].name : NULL;
}

static const struct kind *find_kind(const char *name)
{
    for (int k = 0; k < KINDS; k++)
        if (strcmp(kinds[k].name, name) == 0)
            return &kinds[k];
    return NULL;
}

/* Profiles that two teams can play here: not mixed doubles. */
static bool is_playable(const struct rules *rules)
{
    return rules->preplaced == 0;
}

/* ---- reading ---- */

struct reading {
    job_player_reader *read_player;
    void *context;
    bool no_memory;
};

/* Keeps a value that was made; remembers when it could not be. */
static json_t *made(struct reading *reading, json_t *value)
{
    reading->no_memory |= value == NULL;
    return value;
}

/* A player; `prefix` (or "") is what it is called by and stays in front of the spec. */
static json_t *read_player(struct reading *reading, const struct strict_place *place,
                           const char *prefix)
{
    char spec[PLAYER_SPEC_MAX], error[PLAYER_ERROR_MAX];
    const char *text;

    if (!strict_text(place, PLAYER_SPEC_MAX - 1, &text))
        return NULL;
    if (!reading->read_player(reading->context, text + strlen(prefix), spec, error)) {
        strict_refuse(place, "value", "%s", error);
        return NULL;
    }
    return made(reading, json_sprintf("%s%s", prefix, spec));
}

static json_t *read_responder(struct reading *reading, const struct strict_place *place)
{
    const char *text = json_string_value(place->value);

    if (text && strcmp(text, "local") == 0)
        return made(reading, json_string(text));
    return read_player(reading, place,
                       text && strncmp(text, "local/", strlen("local/")) == 0 ? "local/" : "");
}

static json_t *read_players(struct reading *reading, const struct strict_place *place)
{
    json_t *list = made(reading, json_array());

    if (!strict_array(place, PLAYERS_MIN, PLAYERS_MAX))
        return list;
    for (size_t k = 0; k < json_array_size(place->value); k++) {
        const struct strict_place element = strict_element(place, k);
        json_t *player = read_player(reading, &element, "");
        for (size_t other = 0; player && other < json_array_size(list); other++)
            if (json_equal(player, json_array_get(list, other)))
                strict_refuse(&element, "value", "is in the list already");
        if (player)
            json_array_append_new(list, player);
    }
    return list;
}

static json_t *read_responders(struct reading *reading, const struct strict_place *place)
{
    json_t *list = made(reading, json_array());

    if (strict_is_missing(place)) {
        for (int k = 0; default_responders[k]; k++)
            json_array_append_new(list, made(reading, json_string(default_responders[k])));
    } else if (strict_array(place, 1, RESPONDERS_MAX)) {
        for (size_t k = 0; k < json_array_size(place->value); k++) {
            const struct strict_place element = strict_element(place, k);
            json_t *responder = read_responder(reading, &element);
            if (responder)
                json_array_append_new(list, responder);
        }
    }
    return list;
}

static json_t *read_profile(struct reading *reading, const struct strict_place *place)
{
    const char *name = "dc2";
    char list[256] = "";
    size_t used = 0;

    if (!strict_is_missing(place) && !strict_text(place, 64, &name))
        return NULL;
    const struct rules *rules = rules_find(name);
    if (rules && is_playable(rules))
        return made(reading, json_string(name));
    for (int k = 0; (rules = rules_at(k)) != NULL && used < sizeof list; k++)
        if (is_playable(rules))
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     rules->name);
    strict_refuse(place, "value", "no profile that can be played; there are %s", list);
    return NULL;
}

static json_t *read_whole(struct reading *reading, const struct strict_place *place,
                          const struct field *field)
{
    int64_t number = field->initial;

    if (!strict_is_missing(place) && !strict_whole(place, field->least, field->most, &number))
        return NULL;
    return made(reading, json_integer(number));
}

static json_t *read_number(struct reading *reading, const struct strict_place *place,
                           const struct field *field)
{
    double number = (double)field->initial;

    if (!strict_is_missing(place) &&
        !strict_number(place, (double)field->least, (double)field->most, &number))
        return NULL;
    return made(reading, json_real(number));
}

/* The fields of an object, in the order of the table. A missing object is read as an empty one. */
static json_t *read_fields(struct reading *reading, const struct strict_place *place,
                           const struct field *fields);

static json_t *read_field(struct reading *reading, const struct strict_place *place,
                          const struct field *field)
{
    switch (field->type) {
    case FIELD_PLAYER:
        return read_player(reading, place, "");
    case FIELD_PLAYERS:
        return read_players(reading, place);
    case FIELD_RESPONDERS:
        return read_responders(reading, place);
    case FIELD_PROFILE:
        return read_profile(reading, place);
    case FIELD_WHOLE:
        return read_whole(reading, place, field);
    case FIELD_NUMBER:
        return read_number(reading, place, field);
    case FIELD_OBJECT:
        return read_fields(reading, place, field->fields);
    }
    return NULL;
}

static json_t *read_fields(struct reading *reading, const struct strict_place *place,
                           const struct field *fields)
{
    const char *keys[32];
    json_t *object = made(reading, json_object());
    int count = 0;

    for (; fields[count].name; count++)
        keys[count] = fields[count].name;
    keys[count] = NULL;
    if (!strict_is_missing(place) && !strict_object(place, keys))
        return object;
    for (const struct field *field = fields; field->name; field++) {
        const struct strict_place member = strict_member(place, field->name);
        if (strict_is_missing(&member) && field->absent == FIELD_LEFT_OUT)
            continue;
        json_t *value = read_field(reading, &member, field);
        if (value)
            reading->no_memory |= json_object_set_new(object, field->name, value) != 0;
    }
    return object;
}

/* What the fields mean together. */
static void check_spec(const struct strict_place *place, const json_t *spec)
{
    const json_t *sprt = json_object_get(spec, "sprt");
    double elo0 = json_number_value(json_object_get(sprt, "elo0"));
    double elo1 = json_number_value(json_object_get(sprt, "elo1"));

    if (sprt && elo0 >= elo1) {
        const struct strict_place place_sprt = strict_member(place, "sprt");
        const struct strict_place place_elo1 = strict_member(&place_sprt, "elo1");
        strict_refuse(&place_elo1, "value", "must be more than elo0");
    }
}

static const struct kind *read_kind(const struct strict_place *place)
{
    const char *name;
    char list[128] = "";
    size_t used = 0;

    if (!strict_text(place, 31, &name))
        return NULL;
    const struct kind *kind = find_kind(name);
    if (kind)
        return kind;
    for (int k = 0; k < KINDS; k++)
        if (kinds[k].fields)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     kinds[k].name);
    strict_refuse(place, "value", "no such kind of job; there are %s", list);
    return NULL;
}

enum api_error job_request_read(json_t *document, job_player_reader *reader, void *context,
                                struct job_request *ret_request, struct strict_errors *ret_errors)
{
    static const char *const keys[] = {"kind",         "spec",    "priority", "delay_s",
                                       "max_attempts", "dry_run", NULL};
    struct reading reading = {reader, context, false};
    int64_t priority = 0, attempts = 0;
    double delay_s = 0.0;

    ret_errors->count = ret_errors->dropped = 0;
    const struct strict_place root = strict_root(document, ret_errors);
    if (!strict_object(&root, keys))
        return API_BAD_FIELD;
    const struct strict_place kind_place = strict_member(&root, "kind");
    const struct strict_place spec_place = strict_member(&root, "spec");
    const struct strict_place priority_place = strict_member(&root, "priority");
    const struct strict_place delay = strict_member(&root, "delay_s");
    const struct strict_place most = strict_member(&root, "max_attempts");
    const struct strict_place dry_run = strict_member(&root, "dry_run");

    const struct kind *kind = read_kind(&kind_place);
    if (kind && !kind->fields) {
        strict_refuse(&kind_place, "not_built_in", "no program here can do '%s' yet", kind->name);
        return API_NOT_BUILT_IN;
    }
    if (!strict_is_missing(&priority_place))
        strict_whole(&priority_place, -PRIORITY_MAX, PRIORITY_MAX, &priority);
    if (!strict_is_missing(&delay))
        strict_number(&delay, 0.0, DELAY_MAX_S, &delay_s);
    if (!strict_is_missing(&most))
        strict_whole(&most, 1, ATTEMPTS_MAX, &attempts);
    if (!strict_is_missing(&dry_run) && !json_is_boolean(dry_run.value))
        strict_refuse(&dry_run, "type", "must be true or false");

    json_t *spec = NULL;
    if (strict_is_missing(&spec_place)) {
        strict_refuse(&spec_place, "missing", "missing");
    } else if (kind) {
        spec = read_fields(&reading, &spec_place, kind->fields);
        if (ret_errors->count == 0)
            check_spec(&spec_place, spec);
    }
    if (ret_errors->count > 0 || reading.no_memory) {
        json_decref(spec);
        return ret_errors->count > 0 ? API_BAD_FIELD : API_NO_MEMORY;
    }
    *ret_request = (struct job_request){.kind = kind->name,
                                        .spec = spec,
                                        .priority = (int)priority,
                                        .delay_ms = (int64_t)(delay_s * 1000.0),
                                        .max_attempts = (int)attempts,
                                        .dry_run = json_is_true(dry_run.value)};
    return API_OK;
}

static double number_of(const json_t *spec, const char *key)
{
    return json_number_value(json_object_get(spec, key));
}

double job_estimate_s(const char *kind, const json_t *spec)
{
    double time_s = number_of(json_object_get(spec, "limits"), "time_ms") / 1000.0;
    double shots = 2.0 * number_of(spec, "pairs") * number_of(spec, "ends") * MATCH_SHOTS;
    double players = (double)json_array_size(json_object_get(spec, "players"));

    if (strcmp(kind, "diagnose") == 0)
        return number_of(spec, "seconds");
    if (time_s == 0.0)
        return NAN;
    if (strcmp(kind, "match") == 0)
        return shots * time_s / number_of(spec, "threads");
    if (strcmp(kind, "tournament") == 0)
        return players * (players - 1.0) / 2.0 * shots * time_s / number_of(spec, "threads");
    return NAN;
}

/* ---- JSON Schema ---- */

static json_t *fields_schema(const struct field *fields);

static json_t *profile_schema(void)
{
    const struct rules *rules;
    json_t *names = json_array();

    for (int k = 0; (rules = rules_at(k)) != NULL; k++)
        if (is_playable(rules))
            json_array_append_new(names, json_string(rules->name));
    return json_pack("{s:s, s:o, s:s}", "type", "string", "enum", names, "default", "dc2");
}

static json_t *player_schema(void)
{
    return json_pack("{s:s, s:i, s:i}", "type", "string", "minLength", 1, "maxLength",
                     PLAYER_SPEC_MAX - 1);
}

static json_t *responders_schema(void)
{
    json_t *initial = json_array();

    for (int k = 0; default_responders[k]; k++)
        json_array_append_new(initial, json_string(default_responders[k]));
    return json_pack("{s:s, s:o, s:i, s:i, s:o}", "type", "array", "items", player_schema(),
                     "minItems", 1, "maxItems", RESPONDERS_MAX, "default", initial);
}

static json_t *number_schema(const struct field *field)
{
    json_t *schema =
        json_pack("{s:s, s:I, s:I}", "type", field->type == FIELD_WHOLE ? "integer" : "number",
                  "minimum", (json_int_t)field->least, "maximum", (json_int_t)field->most);
    if (field->absent == FIELD_DEFAULT)
        json_object_set_new(schema, "default", json_integer(field->initial));
    return schema;
}

static json_t *field_schema(const struct field *field)
{
    switch (field->type) {
    case FIELD_PLAYER:
        return player_schema();
    case FIELD_PLAYERS:
        return json_pack("{s:s, s:o, s:i, s:i}", "type", "array", "items", player_schema(),
                         "minItems", PLAYERS_MIN, "maxItems", PLAYERS_MAX);
    case FIELD_RESPONDERS:
        return responders_schema();
    case FIELD_PROFILE:
        return profile_schema();
    case FIELD_WHOLE:
    case FIELD_NUMBER:
        return number_schema(field);
    case FIELD_OBJECT:
        return fields_schema(field->fields);
    }
    return NULL;
}

static json_t *fields_schema(const struct field *fields)
{
    json_t *properties = json_object(), *required = json_array();
    int failed = properties && required ? 0 : -1;

    for (const struct field *field = fields; field->name && !failed; field++) {
        json_t *schema = field_schema(field);
        failed |= json_object_set_new(schema, "description", json_string(field->about));
        failed |= json_object_set_new(properties, field->name, schema);
        if (field->absent == FIELD_NEEDED)
            failed |= json_array_append_new(required, json_string(field->name));
    }
    if (failed) {
        json_decref(properties);
        json_decref(required);
        return NULL;
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required",
                     required, "additionalProperties", 0);
}

enum api_error job_schema(const char *kind, json_t **ret_schema)
{
    const struct kind *row = find_kind(kind);

    if (!row || !row->fields)
        return API_NOT_FOUND;
    json_t *schema = fields_schema(row->fields);
    int failed = schema ? 0 : -1;
    failed |= json_object_set_new(schema, "$schema",
                                  json_string("https://json-schema.org/draft/2020-12/schema"));
    failed |= json_object_set_new(schema, "$id", json_sprintf("/v1/schemas/%s", row->name));
    failed |= json_object_set_new(schema, "title", json_string(row->name));
    failed |= json_object_set_new(schema, "description", json_string(row->about));
    if (failed) {
        json_decref(schema);
        return API_NO_MEMORY;
    }
    *ret_schema = schema;
    return API_OK;
}
