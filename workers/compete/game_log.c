/* Logs of Digital Curling 3. See game_log.h. */
#include "workers/compete/game_log.h"

#include "api/game_json.h"
#include "models/game/shot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct reading {
    struct talk talk;
    struct recorder *recorder;
    struct game_log *log;
    bool is_ready; /* the server tells the game to each team, once is enough */
    bool has_call; /* for the next shot */
    char *why;     /* TALK_WHY_MAX */
};

static bool refuse(struct reading *reading, const char *why)
{
    snprintf(reading->why, TALK_WHY_MAX, "%.300s", why);
    return false;
}

void game_log_player(const struct game_log *log, int team, char ret_name[RECORDER_NAME_MAX])
{
    struct session_report other = log->report;

    other.team = 1 - team;
    recorder_opponent(&protocol_dc3, &other, ret_name);
}

/* ---- lines ---- */

/* What the log says is what the server said, to us. */
static bool hear(struct reading *reading, const json_t *message)
{
    struct talk *talk = &reading->talk;
    char *text = json_dumps(message, JSON_COMPACT);
    const struct heard heard = {.text = text, .length = text ? strlen(text) : 0};

    if (!text)
        return refuse(reading, "out of memory");
    enum talk_next next = talk->protocol->hear(talk, &heard);
    for (int k = 0; k < talk->sayings; k++)
        free(talk->say[k].text); /* nobody listens */
    talk->sayings = 0;
    free(text);
    return next == TALK_BROKEN || next == TALK_REFUSE ? refuse(reading, talk->why) : true;
}

static bool read_is_ready(struct reading *reading, json_t *message)
{
    if (reading->is_ready)
        return true;
    reading->is_ready = true;
    json_t *ours = json_copy(message);
    if (json_object_set_new(ours, "team", json_string(game_team_name(0))) != 0) {
        json_decref(ours);
        return refuse(reading, "out of memory");
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

static bool read_update(struct reading *reading, json_t *message)
{
    const struct seen *seen = &reading->talk.seen;
    const struct game before = seen->game;
    bool had_game = seen->has_game;

    if (reading->talk.outcome.is_known)
        return refuse(reading, "an update after the end of the game");
    if (!hear(reading, message))
        return false;
    if (!had_game && (!seen->has_game || seen->game.end != 0 || seen->game.shot != 0))
        return refuse(reading, "the log does not begin with the first shot of the game");
    if (had_game && !follows(&before, seen))
        return refuse(reading, "the state does not follow the one before it");
    if (had_game && !seen->has_thrown && !seen->conceded)
        return refuse(reading, "last_move.actual_move: missing");
    if (had_game && seen->has_thrown && !reading->has_call)
        return refuse(reading, "the move that led to this update is missing");
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
    return good || refuse(reading, errors.count > 0 ? errors.error[0].message : "out of memory");
}

static bool read_line(struct reading *reading, const json_t *line)
{
    static const struct {
        const char *cmd;
        bool (*read)(struct reading *reading, json_t *message);
    } commands[] = {{"is_ready", read_is_ready}, {"update", read_update}, {"move", read_move}};
    static const char *const heard[] = {"dc", "new_game", "game_over"};
    json_t *message = json_object_get(line, "log");
    const char *cmd = json_string_value(json_object_get(message, "cmd"));

    for (size_t k = 0; cmd && k < sizeof commands / sizeof commands[0]; k++)
        if (strcmp(cmd, commands[k].cmd) == 0)
            return commands[k].read(reading, message);
    for (size_t k = 0; cmd && k < sizeof heard / sizeof heard[0]; k++)
        if (strcmp(cmd, heard[k]) == 0)
            return hear(reading, message);
    reading->log->skipped++;
    return true;
}

/* ---- the log ---- */

/* The names, which the first line of the file needs before the game is read. */
static void find_names(const json_t *lines, struct game_log *log)
{
    const json_t *line;
    size_t k;

    json_array_foreach(lines, k, line)
    {
        const json_t *message = json_object_get(line, "log");
        const json_t *names = json_object_get(message, "name");
        const char *cmd = json_string_value(json_object_get(message, "cmd"));
        for (int team = 0; cmd && strcmp(cmd, "new_game") == 0 && team < 2; team++) {
            const char *name = json_string_value(json_object_get(names, game_team_name(team)));
            snprintf(log->report.names[team], sizeof log->report.names[team], "%s",
                     name ? name : "");
            strict_make_ascii(log->report.names[team]);
        }
    }
}

static bool read_lines(struct reading *reading, const json_t *lines)
{
    char why[TALK_WHY_MAX];
    const json_t *line;
    size_t k;

    json_array_foreach(lines, k, line)
    {
        if (read_line(reading, line))
            continue;
        snprintf(why, sizeof why, "%s", reading->why);
        snprintf(reading->why, TALK_WHY_MAX, "line %zu: %.280s", k + 1, why);
        return false;
    }
    return reading->talk.outcome.is_known || refuse(reading, "the log holds no finished game");
}

bool game_log_keep(const json_t *lines, const char *path, struct game_log *ret_log,
                   char ret_why[TALK_WHY_MAX])
{
    const struct talk_setting setting = {.name = "rink"};
    struct reading reading = {.log = ret_log, .why = ret_why};
    char player[RECORDER_NAME_MAX];
    int index;

    *ret_log = (struct game_log){.report = {.end = SESSION_OVER, .team = 0}};
    find_names(lines, ret_log);
    game_log_player(ret_log, 0, player);
    unlink(path); /* an earlier attempt may have begun it */
    reading.recorder = recorder_open(path, player);
    if (!reading.recorder || !talk_begin(&reading.talk, &protocol_dc3, &setting)) {
        struct pair_game none;
        if (reading.recorder)
            recorder_close(reading.recorder, &ret_log->report, &none, &index);
        unlink(path);
        return refuse(&reading, "the records cannot be written");
    }
    bool good = read_lines(&reading, lines);
    ret_log->report.outcome = reading.talk.outcome;
    if (recorder_last(reading.recorder))
        ret_log->last = *recorder_last(reading.recorder);
    talk_end(&reading.talk);
    bool is_whole = recorder_close(reading.recorder, &ret_log->report, &ret_log->game, &index);
    if (good && !is_whole)
        good = refuse(&reading, "the scores do not fit the game, or it has more ends than records "
                                "hold, or the disk is full");
    if (!good)
        unlink(path);
    return good;
}
