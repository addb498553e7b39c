/* Logs of games. See game_log.h. */
#include "workers/compete/game_log.h"

#include "api/base/load_json.h"
#include "api/base/utf8.h"
#include "api/curling/dc3_json.h"
#include "api/curling/game_json.h"
#include "models/game/shot.h"
#include "models/tables/profiles.h"
#include "workers/compete/python_state.h"
#include "workers/search/player/hand_noise.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct reading {
    struct talk talk;
    struct recorder *recorder;
    struct game_log *log;
    const json_t *lines;
    bool has_match;  /* dc4: the match was told */
    int end, total;  /* dc4: of the newest state, -1: none yet */
    int shots;       /* dc4: of an end, once a game was seen */
    bool is_ready;   /* the server tells the game to each team, once is enough */
    bool is_heard;   /* dc3: the log of a client, which knows what it asked for alone */
    bool has_call;   /* for the next shot */
    json_t *players; /* dc3: of both teams, as the server told them; ours */
    int told_team;   /* dc3: the server told the players to this team; -1: to both */
    int order[2][DC3_PLAYERS];
    bool has_order[2];
    char *hand[2][DC3_PLAYERS]; /* in the order of throwing; NULL: ordinary, or not known */
    enum game_log_end verdict;
    char *why; /* TALK_WHY_MAX */
};

size_t game_line_number(const struct game_lines *lines, size_t k)
{
    const json_t *number = json_array_get(lines->number, k);

    return number ? (size_t)json_integer_value(number) : k + 1;
}

/* A log that was not read whole for want of memory is not bad. */
static bool refuse(struct reading *reading, const char *why)
{
    if (reading->verdict == GAME_LOG_MEMORY)
        return false;
    snprintf(reading->why, TALK_WHY_MAX, "%.300s", why);
    reading->verdict = GAME_LOG_BAD;
    return false;
}

static bool is_short_of_memory(struct reading *reading)
{
    refuse(reading, "out of memory");
    reading->verdict = GAME_LOG_MEMORY;
    return false;
}

/* The file cannot be written; see errno. */
static bool is_unwritten(struct reading *reading)
{
    const int error = errno;

    if (error == ENOMEM)
        return is_short_of_memory(reading);
    snprintf(reading->why, TALK_WHY_MAX, "the records cannot be written: %s", strerror(error));
    reading->verdict = GAME_LOG_DISK;
    return false;
}

static void name_players(struct game_log *log)
{
    struct session_report other = log->report;

    for (int team = 0; team < 2; team++) {
        other.team = 1 - team;
        recorder_opponent(log->protocol, &other, log->player[team]);
    }
}

/* ---- lines ---- */

/* What the log says is what the server said, to us. */
static bool hear_as(struct reading *reading, const json_t *message, const char *tag)
{
    struct talk *talk = &reading->talk;
    char *text = json_dumps(message, JSON_COMPACT | JSON_ENCODE_ANY);
    const struct heard heard = {
        .tag = tag, .status = tag ? 200 : 0, .text = text, .length = text ? strlen(text) : 0};

    if (!text)
        return is_short_of_memory(reading);
    enum talk_next next = talk->protocol->hear(talk, &heard);
    for (int k = 0; k < talk->sayings; k++)
        free(talk->say[k].text); /* nobody listens */
    talk->sayings = 0;
    free(text);
    if (talk->no_memory)
        return is_short_of_memory(reading);
    return next == TALK_BROKEN || next == TALK_REFUSE ? refuse(reading, talk->why) : true;
}

static bool hear(struct reading *reading, const json_t *message)
{
    return hear_as(reading, message, NULL);
}

static bool read_is_ready(struct reading *reading, json_t *message)
{
    if (reading->is_ready)
        return true;
    reading->is_ready = true;
    json_t *ours = json_copy(message);
    if (json_object_set_new(ours, "team", json_string(game_team_name(0))) != 0) {
        json_decref(ours);
        return is_short_of_memory(reading);
    }
    bool good = hear(reading, ours);
    json_decref(ours);
    return good;
}

/* Whether the state comes right after the one before: a shot that is missing would be lost. */
static bool follows(const struct game *before, const struct seen *now)
{
    bool ends = before->shot == before->rules->shots - 1;

    if (!now->has_game)
        return ends || now->conceded;
    return ends ? now->game.end == before->end + 1 && now->game.shot == 0
                : now->game.end == before->end && now->game.shot == before->shot + 1;
}

/* What the official server writes of a shot, in a file of its own or as a line of its whole log:
 * {"end","shot","trajectory",…}. */
static bool is_shot(const json_t *message)
{
    return json_is_integer(json_object_get(message, "end")) &&
           json_is_integer(json_object_get(message, "shot")) &&
           json_is_object(json_object_get(message, "trajectory"));
}

/* The path of a shot, or NULL. */
static json_t *path_of(const json_t *lines, const struct game *before)
{
    const json_t *line;
    size_t k;

    json_array_foreach(lines, k, line)
    {
        const json_t *shot = json_object_get(line, "log");
        if (is_shot(shot) && json_integer_value(json_object_get(shot, "end")) == before->end &&
            json_integer_value(json_object_get(shot, "shot")) == before->shot)
            return json_object_get(shot, "trajectory");
    }
    return NULL;
}

/* Returns the update with the path of the shot, by which the last board of an end is known, if the
 * log has it; for json_decref(). */
static json_t *with_path(const struct reading *reading, json_t *message, const struct game *before)
{
    json_t *last = json_object_get(message, "last_move");
    json_t *path = json_is_object(last) && !json_object_get(last, "trajectory")
                       ? path_of(reading->lines, before)
                       : NULL;

    if (!path)
        return json_incref(message);
    json_t *update = json_copy(message), *move = json_copy(last);
    if (json_object_set(move, "trajectory", path) == 0 &&
        json_object_set(update, "last_move", move) == 0) {
        json_decref(move);
        return update;
    }
    json_decref(move);
    json_decref(update);
    return NULL;
}

/* Whether our ice takes what a message says that was thrown; `shot` is its member that says it. */
static bool fits_ice(struct reading *reading, const char *where, json_t *shot)
{
    const struct seen *seen = &reading->talk.seen;
    const struct game *before = recorder_last(reading->recorder);
    struct strict_errors errors = {.count = 0};
    const struct strict_place place = strict_root(shot, &errors);

    if (!before || !seen->has_thrown ||
        game_shot_fits(&place, profile_of(before->rules)->ice, &seen->thrown))
        return true;
    talk_blame(&reading->talk, where, &errors);
    return refuse(reading, reading->talk.why);
}

static bool hear_update(struct reading *reading, json_t *message, const struct game *before)
{
    const struct seen *seen = &reading->talk.seen;
    bool is_last = seen->has_game && before->shot == before->rules->shots - 1;
    json_t *update = is_last ? with_path(reading, message, before) : json_incref(message);
    bool good = update ? hear(reading, update) : is_short_of_memory(reading);

    json_decref(update);
    return good;
}

static bool read_update(struct reading *reading, json_t *message)
{
    const struct seen *seen = &reading->talk.seen;
    const struct game before = seen->game;
    bool had_game = seen->has_game;

    if (reading->talk.outcome.is_known)
        return refuse(reading, "an update after the end of the game");
    if (!hear_update(reading, message, &before))
        return false;
    if (!had_game && (!seen->has_game || seen->game.end != 0 || seen->game.shot != 0))
        return refuse(reading, "the log does not begin with the first shot of the game");
    if (had_game && !follows(&before, seen))
        return refuse(reading, "the state does not follow the one before it");
    if (had_game && !seen->has_thrown && !seen->conceded)
        return refuse(reading, "last_move.actual_move: missing");
    if (had_game && seen->has_thrown && !reading->has_call && !reading->is_heard)
        return refuse(reading, "the move that led to this update is missing");
    if (!fits_ice(reading, "last_move.actual_move",
                  json_object_get(json_object_get(message, "last_move"), "actual_move")))
        return false;
    reading->has_call = false;
    reading->log->shots += had_game;
    recorder_heard(reading->recorder, &reading->talk);
    return true;
}

/* The shot that was asked for. */
static bool read_move(struct reading *reading, json_t *message)
{
    const json_t *move = json_object_get(message, "move");
    const char *type = json_string_value(json_object_get(move, "type"));
    struct strict_errors errors = {.count = 0};
    struct shot shot;

    if (!type || strcmp(type, "shot") != 0 || !reading->talk.seen.has_game)
        return true;
    json_t *asked =
        json_pack("{s:{s:O?, s:O?}}", "shot", "velocity", json_object_get(move, "velocity"),
                  "rotation", json_object_get(move, "rotation"));
    const struct strict_place place = strict_root(asked, &errors);
    bool good = asked && game_shot_decode(&place, reading->talk.seen.game.rules, &shot);
    reading->has_call = good;
    if (good)
        recorder_called(reading->recorder, &shot);
    json_decref(asked);
    if (!good && errors.count == 0)
        return is_short_of_memory(reading);
    return good || refuse(reading, errors.error[0].message);
}

/* Reads what a line holds as a text. NULL: it is not JSON, or memory is short. */
static json_t *read_text(struct reading *reading, const char *text)
{
    json_error_t wrong;
    json_t *value = load_json(text, strlen(text), 0, &wrong);

    if (!value && json_error_code(&wrong) == json_error_out_of_memory)
        is_short_of_memory(reading);
    return value;
}

/* What a line says: in the log of a server {"log"}, by itself, as clients keep it, or as our client
 * said or heard it. The caller owns it; NULL: nothing of a game, or memory is short. */
static json_t *message_of(struct reading *reading, const json_t *line)
{
    static const char *const keys[] = {"heard", "said"};
    json_t *message = json_object_get(line, "log");

    if (message)
        return json_incref(message);
    if (json_object_get(line, "cmd"))
        return json_incref((json_t *)(size_t)line);
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        const char *text = json_string_value(json_object_get(line, keys[k]));
        if (text)
            return read_text(reading, text);
    }
    return NULL;
}

static bool read_message(struct reading *reading, json_t *message)
{
    static const struct {
        const char *cmd;
        bool (*read)(struct reading *reading, json_t *message);
    } commands[] = {{"is_ready", read_is_ready}, {"update", read_update}, {"move", read_move}};
    static const char *const heard[] = {"dc", "new_game", "game_over"};
    const char *cmd = json_string_value(json_object_get(message, "cmd"));

    for (size_t k = 0; cmd && k < sizeof commands / sizeof commands[0]; k++)
        if (strcmp(cmd, commands[k].cmd) == 0)
            return commands[k].read(reading, message);
    for (size_t k = 0; cmd && k < sizeof heard / sizeof heard[0]; k++)
        if (strcmp(cmd, heard[k]) == 0)
            return hear(reading, message);
    reading->log->skipped += !is_shot(message);
    return true;
}

static bool read_line(struct reading *reading, const json_t *line)
{
    json_t *message = message_of(reading, line);

    reading->is_heard = reading->is_heard || json_object_get(line, "heard");
    bool good = read_message(reading, message);
    json_decref(message);
    return good;
}

/* ---- lines of Digital Curling 4 ---- */

/* A state as a server of Digital Curling 4 sends it. */
static bool is_state(const json_t *value)
{
    return json_object_get(value, "stone_coordinate") && json_object_get(value, "end_number") &&
           json_object_get(value, "score");
}

static json_t *read_python(struct reading *reading, const char *message)
{
    errno = 0;
    json_t *state = python_state(message);
    if (!state && errno == ENOMEM)
        is_short_of_memory(reading);
    return state;
}

/* What a line says: the match, a shot that was asked for, or a state, by itself, in the log of our
 * host {"event",EVENT}, as our client heard it {"heard","as"}, or as the official Python client
 * keeps it {"message"}. NULL: nothing of a game, or memory is short. */
static json_t *said_by(struct reading *reading, const json_t *line, const char **ret_what)
{
    const char *event = json_string_value(json_object_get(line, "event"));
    const char *heard = json_string_value(json_object_get(line, "heard"));
    const char *as = json_string_value(json_object_get(line, "as"));

    *ret_what = "state";
    if (is_state(line))
        return json_incref((json_t *)(size_t)line);
    if (json_object_get(line, "applied_rule") && json_object_get(line, "standard_end_count")) {
        *ret_what = "match";
        return json_incref((json_t *)(size_t)line);
    }
    if (event) {
        *ret_what = event;
        return json_incref(json_object_get(line, event));
    }
    if (!heard || !as)
        return read_python(reading, json_string_value(json_object_get(line, "message")));
    *ret_what = strstr(as, "state") || strcmp(as, "latest") == 0 ? "state" : as;
    return read_text(reading, heard);
}

/* The match where the log does not tell it: from the length of the scores. */
static json_t *match_of(const json_t *state)
{
    const json_t *settings = json_object_get(state, "mixed_doubles_settings");
    bool is_mixed =
        json_is_object(settings) || json_is_object(json_object_get(state, "mix_doubles_settings"));
    const json_t *scores = json_object_get(json_object_get(state, "score"), "team0");

    return json_pack("{s:s, s:i, s:i}", "game_mode", is_mixed ? "mixed_doubles" : "standard",
                     "applied_rule", is_mixed ? 2 : 0, "standard_end_count",
                     (int)json_array_size(scores) - 1);
}

static bool hear_match(struct reading *reading, const json_t *match)
{
    json_t *team = json_string("team0");
    bool good = match && hear_as(reading, match, "match") && hear_as(reading, team, "team");

    json_decref(team);
    reading->has_match = good;
    return good || (reading->why[0] ? false : is_short_of_memory(reading));
}

/* Whether a state comes right after the one before; the last board of an end may be left out. */
static bool comes_next(const struct reading *reading, int end, int total)
{
    if (reading->end < 0)
        return end == 0 && total == 0;
    if (end == reading->end)
        return total == reading->total + 1;
    return end == reading->end + 1 && total == 0 && reading->total >= reading->shots - 1;
}

static bool read_state(struct reading *reading, const json_t *state)
{
    const json_t *number = json_object_get(state, "total_shot_number");
    const char *winner = json_string_value(json_object_get(state, "winner_team"));
    int end = (int)json_integer_value(json_object_get(state, "end_number"));
    /* In mixed doubles the last board of an end has no number, like the state before its setup. */
    const bool is_last = !json_is_integer(number) && end >= 0 && reading->end >= end;
    int total = (int)json_integer_value(number);

    if (!reading->has_match) {
        json_t *match = match_of(state);
        bool good = hear_match(reading, match);
        json_decref(match);
        if (!good)
            return false;
    }
    if (is_last && reading->talk.seen.has_game)
        total = reading->talk.seen.game.rules->shots;
    bool is_again = end < reading->end || (end == reading->end && total <= reading->total);
    if ((!json_is_integer(number) && !is_last) || (is_again && !winner) ||
        reading->talk.outcome.is_known)
        return true; /* the choice of a setup, or a repetition after a reconnection */
    if (reading->talk.seen.has_game)
        reading->shots = reading->talk.seen.game.rules->shots;
    bool was_thrown =
        !is_again && (total > 0 || (reading->end >= 0 && reading->total < reading->shots));
    if (!is_again && !comes_next(reading, end, total))
        return refuse(reading, reading->end < 0
                                   ? "the log does not begin with the first shot of the game"
                                   : "the state does not follow the one before it");
    if (!hear_as(reading, state, "latest_state_update") ||
        !fits_ice(reading, "last_move", json_object_get(state, "last_move")))
        return false;
    reading->log->shots += was_thrown;
    if (is_again && winner) {
        /* The time of the team to move was over. */
        snprintf(reading->talk.outcome.reason, sizeof reading->talk.outcome.reason, "time_limit");
        return true;
    }
    reading->end = end;
    reading->total = total;
    recorder_heard(reading->recorder, &reading->talk);
    return true;
}

/* The shot that was asked for. */
static bool read_asked(struct reading *reading, const json_t *value)
{
    double speed = json_number_value(json_object_get(value, "translational_velocity"));
    double angle = json_number_value(json_object_get(value, "shot_angle"));
    const struct shot shot = {{speed * cos(angle), speed * sin(angle)},
                              0.0 - json_number_value(json_object_get(value, "angular_velocity"))};

    if (reading->talk.seen.has_game)
        recorder_called(reading->recorder, &shot);
    return true;
}

static bool read_line_dc4(struct reading *reading, const json_t *line)
{
    const char *what;
    json_t *value = said_by(reading, line, &what);
    bool good = true;

    if (json_is_object(value) && strcmp(what, "match") == 0)
        good = reading->has_match || hear_match(reading, value);
    else if (json_is_object(value) && strcmp(what, "shot") == 0)
        good = read_asked(reading, value);
    else if (json_is_object(value) && strcmp(what, "state") == 0 && is_state(value))
        good = read_state(reading, value);
    else
        reading->log->skipped++;
    json_decref(value);
    return good;
}

/* ---- the log ---- */

/* ---- hands ---- */

static int team_of(const json_t *message)
{
    const char *name = json_string_value(json_object_get(message, "team"));

    for (int team = 0; name && team < 2; team++)
        if (strcmp(name, game_team_name(team)) == 0)
            return team;
    return -1;
}

/* Notes the players of both teams. */
static void note_players(struct reading *reading, const json_t *message)
{
    json_t *players = json_object_get(json_object_get(message, "game"), "players");

    json_decref(reading->players);
    reading->players = json_incref(players);
    reading->told_team = team_of(message);
}

/* Notes the order in which a team throws; a client does not say that it is its own. */
static void note_order(struct reading *reading, const json_t *message)
{
    const int said = team_of(message), team = said >= 0 ? said : reading->told_team;
    const json_t *order = json_object_get(message, "player_order");
    unsigned seen = 0;

    if (team < 0)
        return;
    for (size_t k = 0; k < DC3_PLAYERS; k++) {
        const json_int_t player = json_integer_value(json_array_get(order, k));
        reading->order[team][k] = (int)(player & (DC3_PLAYERS - 1));
        seen |= 1u << reading->order[team][k];
    }
    reading->has_order[team] = seen == (1u << DC3_PLAYERS) - 1;
}

static bool is_ordinary(const char *text)
{
    struct strict_errors errors = {.count = 0};
    json_t *document = load_json_text(text);
    const struct strict_place place = strict_root(document, &errors);
    const struct ice_profile *ice = profile_find("dc3")->ice;
    const struct noise usual = noise_default(ice, ice->noise);
    struct hand hand;

    hand_decode(&place, "dc3", &hand);
    const struct noise noise = hand_noise(&hand, ice);
    json_decref(document);
    return noise.kind == usual.kind && noise.stddev_speed_mps == usual.stddev_speed_mps &&
           noise.stddev_angle_rad == usual.stddev_angle_rad &&
           noise.max_speed_mps == usual.max_speed_mps;
}

/* What a hand is, without a name or a seed; NULL: nothing is said, or memory is short. */
static char *hand_text(struct reading *reading, const json_t *player)
{
    static const char *const members[] = {"type", "max_speed", "stddev_speed", "stddev_angle"};
    json_t *hand = json_object();
    bool good = hand != NULL;

    for (size_t k = 0; k < sizeof members / sizeof members[0]; k++) {
        json_t *value = json_object_get(player, members[k]);
        if (value)
            good = json_object_set(hand, members[k], value) == 0 && good;
    }
    char *text = good ? json_dumps(hand, JSON_COMPACT) : NULL;
    json_decref(hand);
    if (!text)
        is_short_of_memory(reading);
    return text;
}

/* Whether the order does not matter, as all of a team have one hand. */
static bool are_alike(char *const hands[DC3_PLAYERS])
{
    for (int k = 1; k < DC3_PLAYERS; k++)
        if (!hands[k] || !hands[0] || strcmp(hands[k], hands[0]) != 0)
            return false;
    return true;
}

/* Puts the hands of the players into the order of throwing; of an unknown order nothing is known.
 */
static void find_hands(struct reading *reading)
{
    for (int team = 0; team < 2; team++) {
        const json_t *list = json_object_get(reading->players, game_team_name(team));
        char *hands[DC3_PLAYERS] = {NULL};
        if (json_array_size(list) != DC3_PLAYERS)
            continue;
        for (size_t k = 0; k < DC3_PLAYERS; k++)
            hands[k] = hand_text(reading, json_array_get(list, k));
        const bool is_known = reading->has_order[team] || are_alike(hands);
        for (int k = 0; is_known && k < DC3_PLAYERS; k++) {
            const int player = reading->has_order[team] ? reading->order[team][k] : k;
            if (!hands[player] || is_ordinary(hands[player]))
                continue;
            reading->hand[team][k] = hands[player];
            hands[player] = NULL;
        }
        for (int k = 0; k < DC3_PLAYERS; k++)
            free(hands[k]);
    }
}

/* ---- names ---- */

/* Notes the name of a team, if this is one. */
static void note_name(struct reading *reading, int team, const json_t *name)
{
    const char *text = json_string_value(name);

    if (text && *text && !utf8_read_name(text, TALK_NAME_MAX, reading->log->report.names[team]))
        is_short_of_memory(reading);
}

/* Notes what a line of Digital Curling 4 tells of names: the match, a team that came, a state. */
static void note_names_dc4(struct reading *reading, const json_t *value, const char *what)
{
    static const char *const members[] = {"first_team_name", "second_team_name"};
    const char *team = json_string_value(json_object_get(value, "team"));

    for (int t = 0; t < 2; t++) {
        note_name(reading, t, json_object_get(value, members[t]));
        if (strcmp(what, "team") == 0 && team && strcmp(team, game_team_name(t)) == 0 &&
            !reading->log->report.names[t][0])
            note_name(reading, t, json_object_get(json_object_get(value, "config"), "team_name"));
    }
    if (is_state(value))
        reading->log->protocol = &protocol_dc4;
}

/* The same of Digital Curling 3, and who throws: the beginning of the game, or before it each team
 * that came. */
static void note_names_dc3(struct reading *reading, const json_t *message)
{
    const char *cmd = json_string_value(json_object_get(message, "cmd"));
    const char *team = json_string_value(json_object_get(message, "team"));
    const json_t *name = json_object_get(message, "name");

    if (cmd && strcmp(cmd, "is_ready") == 0)
        note_players(reading, message);
    if (cmd && strcmp(cmd, "ready_ok") == 0)
        note_order(reading, message);
    for (int t = 0; cmd && t < 2; t++) {
        if (strcmp(cmd, "new_game") == 0)
            note_name(reading, t, json_object_get(name, game_team_name(t)));
        else if (strcmp(cmd, "dc_ok") == 0 && team && strcmp(team, game_team_name(t)) == 0)
            note_name(reading, t, name);
    }
}

/* The names, which the first line of the file needs before the game is read, and the protocol. */
static void find_names(struct reading *reading, const json_t *lines)
{
    const json_t *line;
    size_t k;

    reading->log->protocol = &protocol_dc3;
    json_array_foreach(lines, k, line)
    {
        const char *what;
        json_t *value = said_by(reading, line, &what);
        json_t *message = value ? NULL : message_of(reading, line);
        if (json_is_object(value))
            note_names_dc4(reading, value, what);
        note_names_dc3(reading, message);
        json_decref(message);
        json_decref(value);
    }
    for (int team = 0; team < 2; team++)
        if (!reading->log->report.names[team][0])
            utf8_copy(reading->log->report.names[team], TALK_NAME_MAX, game_team_name(team));
}

static bool read_lines(struct reading *reading, const struct game_lines *lines)
{
    char why[TALK_WHY_MAX];
    const json_t *line;
    size_t k;

    json_array_foreach(lines->line, k, line)
    {
        const bool good = reading->log->protocol == &protocol_dc4 ? read_line_dc4(reading, line)
                                                                  : read_line(reading, line);
        if (reading->verdict == GAME_LOG_MEMORY)
            return false;
        if (good)
            continue;
        snprintf(why, sizeof why, "%s", reading->why);
        snprintf(reading->why, TALK_WHY_MAX, "line %zu: %.280s", game_line_number(lines, k), why);
        return false;
    }
    return reading->talk.outcome.is_known || reading->log->shots > 0 ||
           refuse(reading, "the log holds no shot of a game");
}

static bool begin_talk(struct reading *reading, const struct talk_setting *setting)
{
    struct talk *talk = &reading->talk;
    bool good = talk_begin(talk, reading->log->protocol, setting);

    for (int k = 0; k < talk->sayings; k++)
        free(talk->say[k].text); /* nobody listens */
    talk->sayings = 0;
    memcpy(talk->names, reading->log->report.names, sizeof talk->names);
    return good;
}

/* Reads the log into the recorder, and closes it. */
static bool keep(struct reading *reading, const struct game_lines *lines)
{
    const struct talk_setting setting = {.name = "rink"};
    struct game_log *log = reading->log;
    char *reason = log->report.outcome.reason;
    int index;

    bool good =
        begin_talk(reading, &setting) ? read_lines(reading, lines) : is_short_of_memory(reading);
    log->report.outcome = reading->talk.outcome;
    if (good && !reason[0]) /* servers of dc4 do not say it */
        snprintf(reason, sizeof log->report.outcome.reason, "%s",
                 log->report.outcome.is_known ? "score" : GAME_BROKEN_OFF);
    if (recorder_last(reading->recorder))
        log->last = *recorder_last(reading->recorder);
    for (int team = 0; log->last.rules && !log->report.outcome.is_known && team < 2; team++)
        log->report.outcome.points[team] = game_total(&log->last, team);
    talk_end(&reading->talk);
    if (recorder_close(reading->recorder, &log->report, true, &log->game, &index) || !good)
        return good;
    return errno ? is_unwritten(reading)
                 : refuse(reading, "the scores do not fit the game, or it has more ends than "
                                   "records hold");
}

static void forget(struct reading *reading)
{
    json_decref(reading->players);
    for (int team = 0; team < 2; team++)
        for (int k = 0; k < DC3_PLAYERS; k++)
            free(reading->hand[team][k]);
}

enum game_log_end game_log_keep(const struct game_lines *lines, const char *path,
                                struct game_log *ret_log, char ret_why[TALK_WHY_MAX])
{
    struct reading reading = {.log = ret_log,
                              .lines = lines->line,
                              .why = ret_why,
                              .told_team = -1,
                              .end = -1,
                              .total = -1,
                              .verdict = GAME_LOG_KEPT};

    ret_why[0] = '\0';
    *ret_log = (struct game_log){.report = {.end = SESSION_OVER, .team = 0}};
    find_names(&reading, lines->line);
    find_hands(&reading);
    if (reading.verdict == GAME_LOG_MEMORY) {
        forget(&reading);
        return reading.verdict;
    }
    name_players(ret_log);
    unlink(path); /* an earlier attempt may have begun it */
    reading.recorder = recorder_open(path, ret_log->player[0]);
    if (reading.recorder)
        recorder_hands(reading.recorder, (const char *const(*)[RECORDER_PLAYERS])reading.hand);
    if (!(reading.recorder ? keep(&reading, lines) : is_unwritten(&reading)))
        unlink(path);
    forget(&reading);
    return reading.verdict;
}
