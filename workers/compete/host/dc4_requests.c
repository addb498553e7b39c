/* What clients of a match of Digital Curling 4 ask, and what they are told. See dc4.h. */
#include "workers/compete/host/dc4.h"

#include "api/base/clock.h"
#include "api/base/load_json.h"
#include "api/curling/game_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before the match a user that has no stream keeps its seat for so long. */
#define SEAT_S 15.0
/* Streams of those who only watch; connections are left for the teams. */
enum { VIEWERS_MAX = 128 };

static void tell(struct web_told *told, int status, const char *detail)
{
    told->status = status;
    told->body = dc4_detail(detail);
}

static void tell_json(struct web_told *told, json_t *value)
{
    told->status = value ? 200 : 500;
    told->body = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    json_decref(value);
}

static void tell_null(struct web_told *told)
{
    told->status = 200;
    told->body = strdup("null");
}

/* The team for which a request may speak; -1: none. A wrong password is none. */
static int team_of(struct dc4_match *match, const struct web_asked *asked)
{
    if (!asked->user || !asked->password || strlen(asked->user) > HOST_USER_MAX ||
        strlen(asked->password) > HOST_USER_MAX)
        return -1;
    for (int team = 0; team < 2; team++) {
        struct dc4_seat *seat = &match->seats[team];
        if (!seat->is_taken || strcmp(seat->user, asked->user) != 0)
            continue;
        if (!seat->has_password)
            snprintf(seat->password, sizeof seat->password, "%s", asked->password);
        seat->has_password = true;
        if (strcmp(seat->password, asked->password) != 0)
            continue;
        seat->seen_s = clock_now_s();
        return team;
    }
    return -1;
}

/* Whether a seat is left to somebody new although it was taken: a stray visitor keeps no client
 * from its match. */
static bool is_abandoned(const struct dc4_match *match, int team)
{
    const struct dc4_seat *seat = &match->seats[team];

    return seat->is_taken && !match->is_begun && !seat->word[0] &&
           web_host_streams(match->web, team) == 0 && clock_now_s() >= seat->seen_s + SEAT_S;
}

static bool is_user(const struct dc4_match *match, const char *user)
{
    for (int team = 0; team < 2; team++)
        if (match->seats[team].is_taken && strcmp(match->seats[team].user, user) == 0 &&
            !is_abandoned(match, team))
            return true;
    return false;
}

/* The seat for somebody new, rather one that nobody ever had; -1: none is free. Seats of our
 * players are theirs. */
static int free_seat(const struct dc4_match *match, const struct web_asked *asked, int wanted)
{
    for (int k = 0; k < 4; k++) {
        int team = k % 2 == 0 ? wanted : 1 - wanted;
        const struct dc4_seat *seat = &match->seats[team];
        if (k < 2 ? seat->is_taken : !is_abandoned(match, team))
            continue;
        if (seat->word[0]
                ? strcmp(asked->user, seat->word) == 0 && strcmp(asked->password, seat->word) == 0
                : true)
            return team;
    }
    return -1;
}

static bool names_match(const struct dc4_match *match, const char *id, struct web_told *told)
{
    if (id && strcmp(id, match->hosted.log.id) == 0)
        return true;
    tell(told, 404, "Match not found.");
    return false;
}

static void answer_team(struct dc4_match *match, const struct web_asked *asked,
                        struct web_told *told)
{
    const char *wanted = web_asked_query(asked, "expected_match_team_name");
    char name[HOST_NAME_MAX], why[HOST_WHY_MAX];
    int number = wanted && strcmp(wanted, "team0") == 0   ? 0
                 : wanted && strcmp(wanted, "team1") == 0 ? 1
                                                          : -1;

    if (!names_match(match, web_asked_query(asked, "match_id"), told))
        return;
    if (!asked->user || !asked->user[0] || !asked->password ||
        strlen(asked->user) > HOST_USER_MAX || strlen(asked->password) > HOST_USER_MAX) {
        tell(told, 401, "A user and a password are needed, of at most 64 bytes each.");
        return;
    }
    if (number < 0) {
        tell(told, 422, "expected_match_team_name must be team0 or team1.");
        return;
    }
    json_t *config = load_json(asked->body, asked->length, 0, NULL);
    int team = team_of(match, asked);
    if (!dc4_read_team(config, name, why)) {
        tell(told, 422, why);
    } else if (team < 0 && is_user(match, asked->user)) {
        tell(told, 401, "The password of this user is another one.");
    } else if (team < 0 && (team = free_seat(match, asked, number)) < 0) {
        tell(told, 409, "Both teams have come.");
    } else {
        struct dc4_seat *seat = &match->seats[team];
        if (!seat->is_taken || strcmp(seat->user, asked->user) != 0 || !seat->has_password ||
            strcmp(seat->password, asked->password) != 0) {
            dc4_take_seat(match, team, asked->user, config, name);
            snprintf(seat->password, sizeof seat->password, "%s", asked->password);
            seat->has_password = true;
        }
        tell_json(told, json_string(game_team_name(team)));
    }
    json_decref(config);
}

/* Replays the current end, the newest state last. */
static void tell_stream(struct dc4_match *match, int owner, struct web_told *told)
{
    bool is_full = owner == DC4_VIEWER && web_host_streams(match->web, owner) >= VIEWERS_MAX;
    struct web_stream *stream = is_full ? NULL : web_stream_open(match->web, owner);
    size_t count = json_array_size(match->states), first = count;
    const json_t *newest = json_array_get(match->states, count - 1);

    if (!stream) {
        tell(told, is_full ? 503 : 500, is_full ? "Too many viewers." : "Out of memory.");
        return;
    }
    while (first > 0 &&
           json_equal(json_object_get(json_array_get(match->states, first - 1), "end_number"),
                      json_object_get(newest, "end_number")))
        first--;
    for (size_t k = first; k < count; k++) {
        char *event = dc4_event(json_array_get(match->states, k), k == count - 1);
        if (event)
            web_stream_say(stream, event);
        free(event);
    }
    *told = (struct web_told){.status = 200, .stream = stream};
}

/* Whether a team may act now; told otherwise. */
static bool may_act(struct dc4_match *match, const struct web_asked *asked, bool for_setup,
                    struct web_told *told)
{
    const struct host_game *hosted = &match->hosted;
    int team = team_of(match, asked);

    if (team < 0)
        tell(told, 401, "This user is not bound to the match.");
    else if (!match->is_begun)
        tell(told, 409, "The match has not begun.");
    else if (host_game_is_over(hosted))
        tell(told, 409, "The match is over.");
    else if (for_setup && !match->awaits_setup)
        tell(told, 409, "No setup is awaited.");
    else if (!for_setup && match->awaits_setup)
        tell(told, 409, "The setup of the end has not been chosen yet.");
    else if (team != (for_setup ? match->chooser : game_next_team(&hosted->game)))
        tell(told, 409, "Not your turn.");
    else
        return true;
    return false;
}

static void answer_shot(struct dc4_match *match, const struct web_asked *asked,
                        struct web_told *told)
{
    double now_s = clock_now_s();
    char why[HOST_WHY_MAX];
    struct shot shot;

    if (!names_match(match, web_asked_query(asked, "match_id"), told) ||
        !may_act(match, asked, false, told))
        return;
    json_t *body = load_json(asked->body, asked->length, 0, NULL);
    bool good = dc4_read_shot(body, &shot, why);
    json_decref(body);
    if (!good) {
        tell(told, 422, why);
        return;
    }
    double elapsed_s = now_s - match->asked_s;
    if (elapsed_s >= dc4_left_s(match))
        dc4_run_out(match, game_next_team(&match->hosted.game));
    else
        dc4_throw(match, &shot, elapsed_s);
    tell_null(told);
}

static void answer_setup(struct dc4_match *match, const struct web_asked *asked,
                         struct web_told *told)
{
    const char *word = web_asked_query(asked, "request");
    int setup = 0;

    if (!may_act(match, asked, true, told))
        return;
    while (setup < SETUP_COUNT && (!word || strcmp(word, setup_word((enum setup)setup)) != 0))
        setup++;
    if (setup == SETUP_COUNT) {
        tell(told, 422, "request must be center_guard, center_house, pp_left or pp_right.");
        return;
    }
    /* A power play that there is not any more does not hold up the match: clients ask again and
     * again. */
    if (setup_is_power((enum setup)setup) && (match->power_end[match->chooser] >= 0 ||
                                              match->hosted.game.end >= match->hosted.game.ends))
        setup = SETUP_HOUSE;
    dc4_set_up(match, (enum setup)setup);
    tell_null(told);
}

/* A member of the newest state, or all of it. */
static void tell_newest(const struct dc4_match *match, const char *member, struct web_told *told)
{
    json_t *state = json_array_get(match->states, json_array_size(match->states) - 1);
    const json_t *value = member ? json_object_get(state, member) : state;

    if (!value)
        tell(told, 404, "There is no state yet.");
    else if (member)
        tell_json(told, json_incref((json_t *)value));
    else
        tell_json(told, dc4_asked_json(state));
}

static void tell_end(const struct dc4_match *match, const char *number, struct web_told *told)
{
    json_t *list = json_array(), *state;
    size_t k;

    json_array_foreach(match->states, k, state)
    {
        if (json_integer_value(json_object_get(state, "end_number")) == strtol(number, NULL, 10))
            json_array_append(list, state);
    }
    tell_json(told, list);
}

/* GET /matches/ID and below; `rest` begins behind the id. */
static void answer_match(struct dc4_match *match, const struct web_asked *asked, const char *rest,
                         struct web_told *told)
{
    char number[8];
    bool is_get = strcmp(asked->method, "GET") == 0;

    if (!is_get && strcmp(rest, "/end-setup") == 0 && strcmp(asked->method, "POST") == 0)
        answer_setup(match, asked, told);
    else if (!is_get)
        tell(told, 405, "Method Not Allowed");
    else if (rest[0] == '\0')
        tell_json(told, dc4_match_json(match));
    else if (strcmp(rest, "/stream") == 0) {
        int team = team_of(match, asked);
        if (team < 0)
            tell(told, 401, "This user is not bound to the match.");
        else
            tell_stream(match, team, told);
    } else if (strcmp(rest, "/viewer") == 0)
        tell_stream(match, DC4_VIEWER, told);
    else if (strcmp(rest, "/latest-state") == 0)
        tell_newest(match, NULL, told);
    else if (strcmp(rest, "/score") == 0)
        tell_newest(match, "score", told);
    else if (strcmp(rest, "/stone-coordinate/latest") == 0)
        tell_newest(match, "stone_coordinate", told);
    else if (strcmp(rest, "/shots/latest") == 0)
        tell_newest(match, "last_move", told);
    else if (sscanf(rest, "/ends/%7[0-9]/states", number) == 1 &&
             strcmp(rest + strlen("/ends/") + strlen(number), "/states") == 0)
        tell_end(match, number, told);
    else
        tell(told, 404, "Not Found");
}

void dc4_answer(void *context, const struct web_asked *asked, struct web_told *told)
{
    static const char below[] = "/matches/";
    struct dc4_match *match = context;
    const char *path = asked->path, *id = path + strlen(below);
    size_t length = strlen(match->hosted.log.id);
    bool is_get = strcmp(asked->method, "GET") == 0, is_post = strcmp(asked->method, "POST") == 0;

    if (strcmp(path, "/shots") == 0 && is_post)
        answer_shot(match, asked, told);
    else if (strcmp(path, "/store-team-config") == 0 && is_post)
        answer_team(match, asked, told);
    else if (strcmp(path, "/matches") == 0 && is_get)
        tell_json(told, json_pack("[o]", dc4_match_json(match)));
    else if (strcmp(path, "/matches") == 0 && is_post)
        tell(told, 409, "This host has one match, which GET /matches names.");
    else if (strncmp(path, below, strlen(below)) != 0)
        tell(told, 404, "Not Found");
    else if (strncmp(id, match->hosted.log.id, length) != 0 ||
             (id[length] != '\0' && id[length] != '/'))
        tell(told, 404, "Match not found.");
    else
        answer_match(match, asked, id + length, told);
}
