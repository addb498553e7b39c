/* Reads shot queries; shot_answer_json.c writes answers. See shot_json.h. */
#include "api/curling/shot_json.h"

#include "api/base/build_json.h"
#include "api/base/load_json.h"
#include "api/base/openapi.h"
#include "api/curling/game_json.h"
#include "api/curling/profile_json.h"
#include "api/fields/job_field_rows.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the fields ---- */

enum { PLAYER, LIMITS_OF_MOVE, SEED_OF_CHANCE, TOP_K, DIVERSITY, TIMEOUT_MS, FIELDS_END };

enum { DIVERSITY_KIND, DIVERSITY_NONE };
static const char *const diversities[] = {
    [DIVERSITY_KIND] = "kind", [DIVERSITY_NONE] = "none", NULL};

/* Rows that queries of several kinds have. */
#define ASKED_PLAYER(text)                                                                \
    {                                                                                     \
        .name = "player", .type = FIELD_PLAYER, .absent = FIELD_LEFT_OUT, .about = (text) \
    }
#define TIMEOUT                                \
    LIMIT("timeout_ms", 1, PLAYER_TIME_MAX_MS, \
          "milliseconds from the arrival of the query, including the wait")
#define JUDGE "player rink with any settings, whose judge values the shots"

const struct field shot_fields[] = {
    [PLAYER] = ASKED_PLAYER("player that answers (without it, the server's default player)"),
    [LIMITS_OF_MOVE] = LIMITS,
    [SEED_OF_CHANCE] = SEED,
    [TOP_K] = WHOLE("top_k", 0, SHOT_CANDIDATES_MAX, 5, "most candidates in the answer"),
    [DIVERSITY] = CHOICE("diversity", diversities,
                         "candidates of the answer: the best one of each kind, with its difference "
                         "to the best, or simply the best ones"),
    [TIMEOUT_MS] = TIMEOUT,
    [FIELDS_END] = {0}};

const struct field map_query_fields[] = {ASKED_PLAYER(JUDGE),
                                         {.name = "map",
                                          .type = FIELD_OBJECT,
                                          .absent = FIELD_DEFAULT,
                                          .fields = map_fields,
                                          .about = "the grid of aims"},
                                         SEED,
                                         TIMEOUT,
                                         {0}};

const struct field calls_query_fields[] = {ASKED_PLAYER(JUDGE), CALL_THROWS, SEED, TIMEOUT, {0}};

static const struct field report_interval =
    LIMIT("report_interval_ms", 10, PLAYER_TIME_MAX_MS, "milliseconds between two partial answers");

/* A hand: settings of any noise, or a player of Digital Curling 3. */
static json_t *hand_schema(void)
{
    json_t *schema = noise_schema(), *properties = json_object_get(schema, "properties");
    bool good = build_add(properties, "type",
                          json_pack("{s:s, s:[s, s]}", "type", "string", "enum", "normal_dist",
                                    "identical")) &&
                build_add(properties, "seed", json_pack("{s:[s, s]}", "type", "integer", "null")) &&
                build_add(schema, "type", json_pack("[s, s]", "object", "null"));

    return build_done(schema, good);
}

/* The states and stones of a history are like those of the query. */
static bool complete_history(json_t *properties)
{
    json_t *state = json_object_get(properties, "state");
    json_t *stones = json_object_get(json_object_get(state, "properties"), "stones");
    json_t *items = json_object_get(json_object_get(properties, "history"), "items");
    json_t *parts = json_object_get(items, "properties");

    return build_add(parts, "before", json_deep_copy(state)) &&
           build_put(json_object_get(parts, "after"), "properties.stones", json_deep_copy(stones));
}

json_t *shot_query_schema(void)
{
    json_t *schema = load_json_text(shot_schema);
    json_t *properties = json_object_get(schema, "properties");
    bool good =
        build_add(properties, "profile", profile_name_schema()) &&
        build_add(properties, "noise", noise_schema()) &&
        build_add(properties, report_interval.name, field_schema(&report_interval)) &&
        build_put(json_object_get(properties, "hands"), "properties.team0.items", hand_schema()) &&
        build_put(json_object_get(properties, "hands"), "properties.team1.items", hand_schema());

    for (const struct field *field = shot_fields; field->name; field++)
        good = build_add(properties, field->name, field_schema(field)) && good;
    good = complete_history(properties) && good;
    good = build_put(json_object_get(properties, "limits"), "properties.clock",
                     json_pack("{s:s, s:s}", "type", "boolean", "description",
                               "take a share of the state's thinking_time_remaining")) &&
           good;
    return build_done(schema, good);
}

/* ---- one field each ---- */

static int64_t read_whole(const struct strict_place *object, const struct field *field)
{
    int64_t number = field->whole.initial;

    strict_optional_whole(object, field->name, field->whole.least, field->whole.most, &number);
    return number;
}

/* Returns the number of the choice. */
static int read_choice(const struct strict_place *object, const struct field *field)
{
    const struct strict_place place = strict_member(object, field->name);
    int choice = 0;

    if (!strict_is_missing(&place))
        strict_choice(&place, field->choices, &choice);
    return choice;
}

static double read_milliseconds(const struct strict_place *object, const struct field *field)
{
    return (double)read_whole(object, field) / 1000.0;
}

/* The time that is left to the side to move; a clock without it is no limit. */
static void read_clock(const struct strict_place *root, struct shot_query *query)
{
    const struct strict_place state = strict_member(root, "state");
    const struct strict_place clocks = strict_member(&state, "thinking_time_remaining");
    int team = query->game.rules ? game_next_team(&query->game) : 0;
    const struct strict_place left = strict_member(&clocks, game_team_name(team < 0 ? 0 : team));

    if (strict_is_missing(&left))
        strict_refuse(&left, "missing", "needed where the clock is the limit");
    else
        strict_number(&left, 0.0, PLAYER_TIME_MAX_MS / 1000.0, &query->remaining_s);
}

static void read_limits(const struct strict_place *root, struct shot_query *query)
{
    const char *const keys[] = {limits_fields[LIMITS_TIME_MS].name,
                                limits_fields[LIMITS_SIMULATIONS].name, "clock", NULL};
    const struct strict_place limits = strict_member(root, "limits");
    const struct strict_place clock = strict_member(&limits, "clock");

    if (strict_is_missing(&limits) || !strict_object(&limits, keys))
        return;
    query->time_s = read_milliseconds(&limits, &limits_fields[LIMITS_TIME_MS]);
    query->simulations = read_whole(&limits, &limits_fields[LIMITS_SIMULATIONS]);
    if (!strict_is_missing(&clock) && strict_flag(&clock, &query->has_clock) && query->has_clock)
        read_clock(root, query);
}

void shot_noise_decode(const struct strict_place *document, const char *profile,
                       struct noise_settings *ret_noise)
{
    const struct strict_place place = strict_member(document, "noise");
    const char *keys[NOISE_SETTINGS_MAX + 1] = {NULL};

    for (int k = 0; noise_setting_at(k); k++)
        *noise_setting_value(ret_noise, k) = NAN;
    hand_keys(keys);
    if (!strict_is_missing(&place) && strict_object(&place, keys))
        hand_settings_read(&place, profile, ret_noise);
}

static void read_hands(const struct strict_place *root, struct shot_query *query)
{
    static const char *const teams[] = {"team0", "team1", NULL};
    const struct strict_place hands = strict_member(root, "hands");
    const struct strict_place noise = strict_member(root, "noise");
    const struct rules *rules = query->game.rules;
    size_t count = rules ? (size_t)rules_throwers(rules) : DC3_PLAYERS;

    if (strict_is_missing(&hands) || !strict_object(&hands, teams))
        return;
    if (!strict_is_missing(&noise))
        strict_refuse(&hands, "value", "takes the place of noise: give one of them");
    query->has_hands = true;
    for (int team = 0; team < 2; team++) {
        const struct strict_place list = strict_member(&hands, teams[team]);
        if (!strict_array(&list, count, count))
            continue;
        for (size_t k = 0; k < count; k++) {
            const struct strict_place hand = strict_element(&list, k);
            hand_decode(&hand, rules ? rules->name : NULL, &query->hands[team][k]);
        }
    }
}

static void read_history(const struct strict_place *root, struct shot_query *query)
{
    const struct strict_place list = strict_member(root, "history");
    char pointer[STRICT_POINTER_MAX];

    if (strict_is_missing(&list) || !strict_array(&list, 0, SHOT_HISTORY_MAX) || !query->game.rules)
        return;
    size_t count = json_array_size(list.value);
    query->history = calloc(count + 1, sizeof *query->history);
    if (!query->history) {
        strict_refuse(&list, "no_memory", "out of memory");
        return;
    }
    for (size_t k = 0; k < count; k++) {
        const struct strict_place entry = strict_element(&list, k);
        snprintf(pointer, sizeof pointer, "/history/%zu", k);
        game_throw_read(&entry, pointer, &query->game, &query->history[k]);
    }
    query->history_count = (int)count;
}

void shot_query_free(struct shot_query *query)
{
    free(query->history);
    query->history = NULL;
    query->history_count = 0;
}

/* ---- an update of Digital Curling 3 ---- */

/* Reads the order in which a team throws; without it the players throw in their order. */
static void read_order(const struct strict_place *orders, int team, int ret_order[DC3_PLAYERS])
{
    const struct strict_place list = strict_member(orders, game_team_name(team));
    unsigned seen = 0;

    for (int k = 0; k < DC3_PLAYERS; k++)
        ret_order[k] = k;
    if (strict_is_missing(&list) || !strict_array(&list, DC3_PLAYERS, DC3_PLAYERS))
        return;
    for (size_t k = 0; k < DC3_PLAYERS; k++) {
        const struct strict_place entry = strict_element(&list, k);
        int64_t number = 0;
        if (strict_whole(&entry, 0, DC3_PLAYERS - 1, &number) && (seen >> number) & 1)
            strict_refuse(&entry, "value", "this player throws already");
        seen |= 1u << number;
        ret_order[k] = (int)number;
    }
}

/* Reads "game" and "player_order" beside an update, and writes what they say as members of `plain`,
 * a copy of the document: profile and setting. */
static void read_dc3_game(const struct strict_place *root, json_t *plain, struct shot_query *query)
{
    static const char *const teams[] = {"team0", "team1", NULL};
    const struct strict_place game = strict_member(root, "game");
    const struct strict_place orders = strict_member(root, "player_order");
    struct dc3_game said;
    int order[DC3_PLAYERS];

    if (!json_object_get(plain, "profile"))
        build_add(plain, "profile", json_string("dc3"));
    if (strict_is_missing(&game)) {
        if (!strict_is_missing(&orders))
            strict_refuse(&orders, "value", "says nothing without game");
        return;
    }
    if (!dc3_game_decode(&game, &said))
        return;
    if (!json_object_get(root->value, "profile"))
        build_add(plain, "profile", json_string(said.profile));
    if (!json_object_get(plain, "setting"))
        build_add(plain, "setting", json_pack("{s:i}", "max_end", said.max_end));
    if (!strict_is_missing(&orders) && !strict_object(&orders, teams))
        return;
    query->has_hands =
        !json_object_get(root->value, "noise") && !json_object_get(root->value, "hands");
    for (int team = 0; team < 2; team++) {
        read_order(&orders, team, order);
        for (int k = 0; k < DC3_PLAYERS; k++)
            query->hands[team][k] = said.hands[team][order[k]];
    }
}

/* Refuses an update that is not for this side, as a client would that answered it. */
static void check_next_team(const struct strict_place *root, const struct shot_query *query)
{
    static const char *const teams[] = {"team0", "team1", NULL};
    const struct strict_place next = strict_member(root, "next_team");
    int team;

    if (strict_is_missing(&next) || !query->game.rules || root->errors->count > 0)
        return;
    if (strict_choice(&next, teams, &team) && team != game_next_team(&query->game))
        strict_refuse(&next, "value", "the state says that %s is next",
                      game_team_name(game_next_team(&query->game)));
}

/* ---- the query ---- */

/* Reads the game, from an update of Digital Curling 3 or as it is. */
static void read_game(const struct strict_place *root, struct shot_query *query)
{
    static const char *const commands[] = {"update", NULL};
    const struct strict_place cmd = strict_member(root, "cmd");
    const struct strict_place game = strict_member(root, "game");
    int command;

    if (strict_is_missing(&cmd) && strict_is_missing(&game)) {
        game_decode(root, &query->game);
        return;
    }
    json_t *plain = json_copy(root->value);
    if (!strict_is_missing(&cmd))
        strict_choice(&cmd, commands, &command);
    read_dc3_game(root, plain, query);
    const struct strict_place place = strict_root(plain, root->errors);
    game_decode(&place, &query->game);
    json_decref(plain);
}

/* The members of a query, by what it asks for. NULL at the end. */
static const char *const best_keys[] = {"id",
                                        "profile",
                                        "state",
                                        "setting",
                                        "player",
                                        "limits",
                                        "noise",
                                        "hands",
                                        "history",
                                        "cmd",
                                        "next_team",
                                        "last_move",
                                        "game",
                                        "player_order",
                                        "seed",
                                        "top_k",
                                        "diversity",
                                        "timeout_ms",
                                        "report_interval_ms",
                                        NULL};
static const char *const map_keys[] = {
    "id",    "profile", "state", "setting",    "player",
    "noise", "hands",   "seed",  "timeout_ms", "report_interval_ms",
    "map",   NULL};
static const char *const calls_keys[] = {
    "id",    "profile", "state", "setting",    "player",
    "noise", "hands",   "seed",  "timeout_ms", "report_interval_ms",
    "calls", "throws",  NULL};
static const char *const *const keys_of[] = {
    [SHOT_ASKS_BEST] = best_keys, [SHOT_ASKS_MAP] = map_keys, [SHOT_ASKS_CALLS] = calls_keys};

const char *const *shot_query_keys(enum shot_asks asks)
{
    return keys_of[asks];
}

/* What queries of one kind alone have. */
static void read_question(const struct strict_place *root, struct shot_query *query)
{
    switch (query->asks) {
    case SHOT_ASKS_BEST:
        read_limits(root, query);
        read_history(root, query);
        check_next_team(root, query);
        query->candidates = (int)read_whole(root, &shot_fields[TOP_K]);
        query->diverse = read_choice(root, &shot_fields[DIVERSITY]) == DIVERSITY_KIND;
        break;
    case SHOT_ASKS_MAP:
        map_setting_decode(root, &query->map);
        break;
    case SHOT_ASKS_CALLS:
        query->calls = calls_decode(root, query->game.rules, query->call, &query->call_throws);
        break;
    }
}

bool shot_query_decode(json_t *document, struct shot_query *ret_query, struct strict_id *ret_id,
                       struct strict_errors *ret_errors)
{
    struct shot_query query = {.asks = json_object_get(document, "map")     ? SHOT_ASKS_MAP
                                       : json_object_get(document, "calls") ? SHOT_ASKS_CALLS
                                                                            : SHOT_ASKS_BEST};

    ret_errors->count = ret_errors->dropped = 0;
    const struct strict_place root = strict_root(document, ret_errors);
    if (strict_object(&root, keys_of[query.asks])) {
        const struct strict_place id = strict_member(&root, "id");
        const struct strict_place player = strict_member(&root, "player");
        const char *text;
        if (!strict_is_missing(&id))
            strict_read_id(&id, &query.id);
        read_game(&root, &query);
        if (!strict_is_missing(&player) && strict_text(&player, SHOT_PLAYER_MAX, &text))
            memcpy(query.player, text, strlen(text) + 1);
        read_hands(&root, &query);
        read_question(&root, &query);
        shot_noise_decode(&root, query.game.rules ? query.game.rules->name : NULL, &query.noise);
        query.seed = read_whole(&root, &shot_fields[SEED_OF_CHANCE]);
        query.timeout_s = read_milliseconds(&root, &shot_fields[TIMEOUT_MS]);
        query.report_interval_s = read_milliseconds(&root, &report_interval);
    }
    if (ret_id)
        *ret_id = query.id;
    if (ret_errors->count > 0) {
        shot_query_free(&query);
        return false;
    }
    *ret_query = query;
    return true;
}
