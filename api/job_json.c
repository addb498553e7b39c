/* One table of fields for each kind of job, and the requests that they belong to. See job_json.h.
 */
#include "api/job_json.h"

#include "api/job_fields.h"
#include "api/train_spec.h"

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
#define EXTRA_ENDS_MAX  10
#define ENDS_MAX        10000000
#define MATCH_SHOTS     16 /* of an end, of all profiles that can be played here */

/* ---- the tables ---- */

static const struct field limits_fields[] = {{.name = "time_ms",
                                              .type = FIELD_WHOLE,
                                              .absent = FIELD_LEFT_OUT,
                                              .whole = {.least = 1, .most = TIME_MAX_MS},
                                              .about = "milliseconds of a move"},
                                             {.name = "simulations",
                                              .type = FIELD_WHOLE,
                                              .absent = FIELD_LEFT_OUT,
                                              .whole = {.least = 1, .most = SIMULATIONS_MAX},
                                              .about = "simulated throws of a move"},
                                             {0}};
static const struct field sprt_fields[] = {
    {.name = "elo0",
     .type = FIELD_NUMBER,
     .absent = FIELD_DEFAULT,
     .number = {-ELO_MAX, ELO_MAX, 0},
     .about = "difference in strength by the first hypothesis"},
    {.name = "elo1",
     .type = FIELD_NUMBER,
     .absent = FIELD_DEFAULT,
     .number = {-ELO_MAX, ELO_MAX, 15},
     .about = "difference by the second one, more than elo0"},
    {0}};

#define PROFILE_FIELD                                                      \
    {                                                                      \
        .name = "profile", .type = FIELD_PROFILE, .absent = FIELD_DEFAULT, \
        .about = "rules and the ice that belongs to them"                  \
    }
#define WHOLE_FIELD(key, least, most, initial, text)               \
    {                                                              \
        .name = key, .type = FIELD_WHOLE, .absent = FIELD_DEFAULT, \
        .whole = {least, most, initial}, .about = text             \
    }
#define PLAYER_FIELD(key, text)                          \
    {                                                    \
        .name = key, .type = FIELD_PLAYER, .about = text \
    }
#define SEED_FIELD WHOLE_FIELD("seed", 0, INT64_MAX, 0, "of all chance")
#define THREADS_FIELD                                                                            \
    WHOLE_FIELD("threads", 1, THREADS_MAX, 1,                                                    \
                "how much is done side by side; changes nothing in the result unless moves are " \
                "limited by time")
#define LIMITS_FIELD                                                                               \
    {                                                                                              \
        .name = "limits", .type = FIELD_OBJECT, .absent = FIELD_DEFAULT, .fields = limits_fields,  \
        .about =                                                                                   \
            "of each move, both hold; without them each player has the budget of its own settings" \
    }
#define PLAY_FIELDS                                                                        \
    PROFILE_FIELD, WHOLE_FIELD("ends", 1, GAME_ENDS_MAX, 2, "of a game"),                  \
        WHOLE_FIELD("extra_ends", 0, EXTRA_ENDS_MAX, 0,                                    \
                    "that are played after a tie, at most; a tie that is left is a draw"), \
        WHOLE_FIELD("pairs", 1, PAIRS_MAX, 100,                                            \
                    "of games between two players, seats swapped and the luck the same"),  \
        SEED_FIELD, THREADS_FIELD, LIMITS_FIELD

static const struct field match_fields[] = {
    PLAYER_FIELD("a", "the player whose share of points is told"),
    PLAYER_FIELD("b", "the other one"),
    PLAY_FIELDS,
    {.name = "sprt",
     .type = FIELD_OBJECT,
     .absent = FIELD_LEFT_OUT,
     .fields = sprt_fields,
     .about = "stop as soon as a sequential test has decided; pairs is then the most"},
    {0}};
static const struct field tournament_fields[] = {{.name = "players",
                                                  .type = FIELD_PLAYERS,
                                                  .list = {.least = 2, .most = 32, .differ = true},
                                                  .about = "each plays every other one"},
                                                 PLAY_FIELDS,
                                                 {0}};
static const struct field exploitability_fields[] = {
    PLAYER_FIELD("player", "who does not change"),
    {.name = "responders",
     .type = FIELD_RESPONDERS,
     .absent = FIELD_DEFAULT,
     .list = {.least = 1, .most = 16, .text = "[\"local\",\"ai-simple\",\"generator\"]"},
     .about =
         "players, \"local\" (tries shots against the player) or \"local/PLAYER\" (plays its later "
         "shots as PLAYER); the best of them counts"},
    PROFILE_FIELD,
    WHOLE_FIELD("ends", 2, ENDS_MAX, 1000, "against each seat"),
    WHOLE_FIELD("selection_ends", 2, ENDS_MAX, 200,
                "other ends of each responder against each seat, by which the best is chosen"),
    SEED_FIELD,
    THREADS_FIELD,
    LIMITS_FIELD,
    {0}};
static const struct field diagnose_fields[] = {
    PROFILE_FIELD, WHOLE_FIELD("seconds", 1, 600, 10, "that it measures"), SEED_FIELD, {0}};

/* What the fields mean together. */
static void check_sprt(const struct strict_place *place, json_t *spec)
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

static const struct kind {
    const char *name, *about;
    const struct field *fields;
    /* Sets and refuses what the fields of a spec mean together. NULL: nothing. */
    void (*finish)(const struct strict_place *place, json_t *spec);
} kinds[] = {
    {"train", "Learns to play: one run for each seed", train_fields, train_finish},
    {"match", "Pairs of games between two players", match_fields, check_sprt},
    {"tournament", "Every player against every other one, and a ladder of them", tournament_fields,
     NULL},
    {"exploitability", "What a family of responders wins from a player", exploitability_fields,
     NULL},
    {"diagnose", "Measures how fast this machine simulates and stores", diagnose_fields, NULL},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

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

/* ---- requests ---- */

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
    struct field_reading reading = {reader, context, false};
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
        spec = fields_read(&reading, &spec_place, kind->fields);
        if (ret_errors->count == 0 && kind->finish)
            kind->finish(&spec_place, spec);
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
    double ends = number_of(spec, "ends") + number_of(spec, "extra_ends");
    double shots = 2.0 * number_of(spec, "pairs") * ends * MATCH_SHOTS;
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

enum api_error job_schema(const char *kind, json_t **ret_schema)
{
    const struct kind *row = find_kind(kind);

    if (!row)
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
