/* Shots as they become known. See recorder.h. */
#include "workers/compete/recorder.h"

#include "api/base/load_json.h"
#include "api/base/next_line.h"
#include "models/game/score.h"
#include "workers/evaluate/play/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENDS_MAX = PAIR_ENDS_MAX + PAIR_EXTRA_ENDS_MAX };

struct recorder {
    FILE *file;
    char player[PLAYER_SPEC_MAX];
    bool has_header;
    int error;  /* why a line could not be written, as errno; 0: all could */
    int states; /* of the talk, that were looked at */

    bool has_before; /* a game waits for the shot that the next state tells */
    struct game before;
    int written_end, written_shot; /* of the newest line; -1: none */
    int team, index;               /* ours; the game's number in the pair */
    int8_t hammer[ENDS_MAX];       /* the team that had it, -1: not known */
    const char *hands[2][RECORDER_PLAYERS];

    bool has_call; /* what was asked for is known of one shot at a time: ours, or of a log any */
    int call_end, call_shot;
    struct player_answer call;
};

/* Learns from the lines of an earlier attempt what is written, and cuts off a last line without its
 * end, which a process that was killed may leave. False with errno set: nothing is changed. */
static bool read_back(struct recorder *recorder)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    off_t whole = 0;

    rewind(recorder->file);
    bool good = true;
    while ((length = next_line(&line, &size, recorder->file)) > 0 && line[length - 1] == '\n') {
        json_error_t wrong;
        whole += length;
        json_t *shot = load_json(line, (size_t)length, 0, &wrong);
        good = good && (shot || json_error_code(&wrong) != json_error_out_of_memory);
        const json_t *end = json_object_get(shot, "end");
        recorder->has_header = true;
        if (json_is_integer(end)) {
            recorder->written_end = (int)json_integer_value(end);
            recorder->written_shot = (int)json_integer_value(json_object_get(shot, "shot"));
        }
        json_decref(shot);
    }
    free(line);
    if (length < 0)
        return false;
    if (!good)
        errno = ENOMEM;
    return good && ftruncate(fileno(recorder->file), whole) == 0 &&
           fseeko(recorder->file, whole, SEEK_SET) == 0;
}

struct recorder *recorder_open(const char *path, const char *player)
{
    struct recorder *recorder = calloc(1, sizeof *recorder);

    if (!recorder || !(recorder->file = fopen(path, "a+e"))) {
        free(recorder);
        return NULL;
    }
    snprintf(recorder->player, sizeof recorder->player, "%s", player);
    recorder->written_end = recorder->written_shot = -1;
    recorder->team = -1;
    memset(recorder->hammer, -1, sizeof recorder->hammer);
    if (read_back(recorder))
        return recorder;
    int why = errno;
    fclose(recorder->file);
    free(recorder);
    errno = why;
    return NULL;
}

void recorder_make_word(char *name)
{
    for (char *c = name; *c; c++)
        if (*c == ' ' || *c == '"' || *c == '\\')
            *c = '_';
}

void recorder_opponent(const struct protocol *protocol, const struct session_report *report,
                       char ret_name[RECORDER_NAME_MAX])
{
    const char *name = report->team >= 0 ? report->names[1 - report->team] : "";

    snprintf(ret_name, RECORDER_NAME_MAX, "%s:%s", protocol->name, name[0] ? name : "opponent");
    recorder_make_word(ret_name);
}

const struct game *recorder_last(const struct recorder *recorder)
{
    return recorder->before.rules ? &recorder->before : NULL;
}

void recorder_decided(struct recorder *recorder, const struct talk *talk,
                      const struct decision *decision)
{
    const struct game *game = &talk->situation.game;

    if (talk->situation.asks_setup)
        return;
    recorder->has_call = true;
    recorder->call_end = game->end;
    recorder->call_shot = game->shot;
    recorder->call = (struct player_answer){.shot = decision->shot,
                                            .simulations = decision->simulations,
                                            .elapsed_s = decision->elapsed_s,
                                            .has_value = isfinite(decision->win),
                                            .win_probability = decision->win,
                                            .expected_score = NAN};
}

void recorder_called(struct recorder *recorder, const struct shot *shot)
{
    recorder->has_call = true;
    recorder->call_end = recorder->before.end;
    recorder->call_shot = recorder->before.shot;
    recorder->call =
        (struct player_answer){.shot = *shot, .expected_score = NAN, .win_probability = NAN};
}

void recorder_hands(struct recorder *recorder, const char *const hands[2][RECORDER_PLAYERS])
{
    memcpy(recorder->hands, hands, sizeof recorder->hands);
}

/* ---- lines ---- */

static void write_header(struct recorder *recorder, const struct talk *talk)
{
    struct session_report report = {.team = talk->team};
    char opponent[RECORDER_NAME_MAX];

    if (recorder->has_header)
        return;
    memcpy(report.names, talk->names, sizeof report.names);
    recorder_opponent(talk->protocol, &report, opponent);
    json_t *header =
        json_pack("{s:s, s:i, s:s, s:[s, s], s:s, s:i}", "record", "header", "version", 1,
                  "protocol", talk->protocol->name, "players", recorder->player, opponent, "rules",
                  recorder->before.rules->name, "ends", recorder->before.ends);
    if (!header)
        recorder->error = ENOMEM;
    else if (json_dumpf(header, recorder->file, JSON_COMPACT) == 0)
        putc('\n', recorder->file);
    json_decref(header);
    recorder->has_header = true;
}

/* Writes the shot that led from the game before to what is seen now. */
static void write_shot(struct recorder *recorder, const struct talk *talk)
{
    static const struct record_name name = {0, 1, 0};
    const struct seen *seen = &talk->seen;
    const struct game *before = &recorder->before;
    int mover = game_next_team(before);
    bool has_call = recorder->has_call && recorder->call_end == before->end &&
                    recorder->call_shot == before->shot;
    struct player_answer other = {
        .shot = seen->thrown, .expected_score = NAN, .win_probability = NAN};
    const struct player_answer *answer = has_call ? &recorder->call : &other;
    struct game_turn turn = {.offended = seen->foul ? 0 : -1};

    bool is_known = seen->has_thrown || seen->conceded || has_call;
    bool is_written =
        before->end < recorder->written_end ||
        (before->end == recorder->written_end && before->shot <= recorder->written_shot);
    if (!is_known || is_written || before->end >= ENDS_MAX)
        return;
    if (seen->has_final && before->shot == before->rules->shots - 1) {
        turn.end_finished = true;
        turn.board = seen->final;
        turn.score = score_position(before->rules, &seen->final, before->hammer_team == 0);
    }
    const struct pair_move move = {
        .game = recorder->index,
        .player = mover == recorder->team ? 0 : 1,
        .game_before = before,
        .answer = answer,
        .has_no_call = !has_call,
        .hand = recorder->hands[mover][rules_thrower_of_shot(before->rules, before->shot)],
        .conceded = seen->conceded,
        .executed = seen->has_thrown ? seen->thrown : answer->shot,
        .turn = &turn,
    };
    write_header(recorder, talk);
    record_write_shot(recorder->file, &name, &move);
    if (fflush(recorder->file) != 0 && recorder->error == 0)
        recorder->error = errno;
    recorder->written_end = before->end;
    recorder->written_shot = before->shot;
}

void recorder_heard(struct recorder *recorder, const struct talk *talk)
{
    const struct seen *seen = &talk->seen;

    if (seen->states == recorder->states || talk->team < 0)
        return;
    recorder->states = seen->states;
    recorder->team = talk->team;
    bool is_same = recorder->has_before && seen->has_game &&
                   recorder->before.end == seen->game.end &&
                   recorder->before.shot == seen->game.shot;
    if (recorder->has_before && !is_same)
        write_shot(recorder, talk);
    recorder->has_before = seen->has_game;
    if (!seen->has_game)
        return;
    recorder->before = seen->game;
    if (seen->game.end < ENDS_MAX)
        recorder->hammer[seen->game.end] = (int8_t)seen->game.hammer_team;
    if (seen->game.end == 0)
        recorder->index = seen->game.hammer_team == talk->team ? 1 : 0;
}

/* ---- the end ---- */

/* The game as our team sees it; without a result it is broken off. False: it has more ends than
 * records have, or an end is not known. */
static bool make_game(const struct recorder *recorder, const struct session_report *report,
                      struct pair_game *ret_game)
{
    const struct outcome *outcome = &report->outcome;
    const struct game *last = &recorder->before;
    int us = report->team, sum[2] = {0, 0}, ends = 0;

    if (us < 0 || !last->rules)
        return false;
    *ret_game = (struct pair_game){.half_points = outcome->winner < 0     ? 1
                                                  : outcome->winner == us ? 2
                                                                          : 0,
                                   .is_broken_off = !outcome->is_known,
                                   .conceded = strcmp(outcome->reason, "concede") == 0};
    bool is_cut =
        !outcome->is_known || ret_game->conceded || strcmp(outcome->reason, "time_limit") == 0;
    for (; ends < last->end + (is_cut ? 0 : 1); ends++) {
        if (ends >= ENDS_MAX || recorder->hammer[ends] < 0)
            return false;
        int score[2];
        for (int team = 0; team < 2; team++) {
            /* The score of the last end is what is missing from the sum. */
            score[team] =
                ends < last->end ? last->scores[team][ends] : outcome->points[team] - sum[team];
            sum[team] += score[team];
        }
        if (abs(score[us] - score[1 - us]) > POSITION_STONES / 2)
            return false;
        ret_game->end[ends].score = (int8_t)(score[us] - score[1 - us]);
        ret_game->end[ends].hammer = recorder->hammer[ends] == us;
    }
    ret_game->ends = ends;
    return true;
}

bool recorder_close(struct recorder *recorder, const struct session_report *report, bool ends_here,
                    struct pair_game *ret_game, int *ret_index)
{
    static const struct record_name name = {0, 1, 0};
    struct pair_result result = {0};
    bool is_whole = (report->outcome.is_known || ends_here) && recorder->has_header &&
                    make_game(recorder, report, ret_game);
    int error = recorder->error;

    *ret_index = recorder->index;
    if (is_whole) {
        result.game[recorder->index] = *ret_game;
        result.game[1 - recorder->index].is_missing = true;
        result.effort[0] =
            (struct pair_effort){.moves = report->decisions, .elapsed_s = report->used_s};
        match_record_write_pair(recorder->file, &name, &result);
    }
    if (ferror(recorder->file) && error == 0)
        error = EIO;
    if (fclose(recorder->file) != 0 && error == 0)
        error = errno;
    free(recorder);
    errno = error;
    return is_whole && error == 0;
}
