/* The files of a hosted game. See host.h. */
#include "workers/compete/host/host.h"

#include "api/base/build_json.h"
#include "api/base/load_json.h"
#include "api/base/next_line.h"
#include "api/curling/game_json.h"
#include "workers/durable.h"
#include "workers/evaluate/play/record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Whole numbers stay whole; others are float32 in the official logs, too. */
#define NUMBERS JSON_REAL_PRECISION(9)

void host_when(char ret_text[32])
{
    time_t now = time(NULL);
    struct tm parts;

    strftime(ret_text, 32, "%Y-%m-%dT%H:%M:%S+00:00", gmtime_r(&now, &parts));
}

void host_make_id(char ret_id[40])
{
    unsigned char b[16] = {0};

    (void)!getrandom(b, sizeof b, 0);
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    snprintf(ret_id, 40, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
             b[14], b[15]);
}

static FILE *create(const char *folder, const char *name)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "wxe");
}

bool host_log_open(struct host_log *log, const struct host_setting *setting)
{
    const char *folder = setting->folder;
    const struct host_place *place = setting->place;

    *log = (struct host_log){.folder = folder,
                             .protocol = setting->protocol->name,
                             .place = place,
                             .has_header = place != NULL};
    host_make_id(log->id);
    host_when(log->when);
    log->game = create(folder, setting->protocol == &protocol_dc4 ? HOST_DC4_FILE : HOST_GAME_FILE);
    log->records = !log->game ? NULL : place ? place->records : create(folder, MATCH_RECORDS_FILE);
    return log->records != NULL;
}

bool host_log_reopen(struct host_log *log, const char *folder, json_t **ret_lines)
{
    char path[PATH_MAX];
    char *text = NULL;
    size_t size = 0;
    ssize_t length = 0;
    off_t whole = 0;
    bool is_short = false;

    *log = (struct host_log){.folder = folder, .protocol = protocol_dc4.name};
    *ret_lines = json_array();
    snprintf(path, sizeof path, "%s/" HOST_DC4_FILE, folder);
    log->game = fopen(path, "r+e");
    snprintf(path, sizeof path, "%s/" MATCH_RECORDS_FILE, folder);
    log->records = log->game ? fopen(path, "we") : NULL;
    while (log->records && (length = next_line(&text, &size, log->game)) > 0 &&
           text[length - 1] == '\n') {
        json_error_t wrong;
        json_t *line = load_json(text, (size_t)length, 0, &wrong);
        is_short = line ? !build_append(*ret_lines, line)
                        : json_error_code(&wrong) == json_error_out_of_memory;
        if (!line || is_short)
            break;
        whole += length;
    }
    free(text);
    /* What could not be read is not cut off. */
    return log->records && *ret_lines && length >= 0 && !is_short &&
           ftruncate(fileno(log->game), whole) == 0 && fseeko(log->game, whole, SEEK_SET) == 0;
}

void host_log_close(struct host_log *log)
{
    FILE *const files[] = {log->game, log->place ? NULL : log->records};

    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        if (!files[k])
            continue;
        if (fflush(files[k]) != 0 || fsync(fileno(files[k])) != 0)
            perror("the log cannot be written");
        fclose(files[k]);
    }
}

void host_log_event(struct host_log *log, const char *event, json_t *value)
{
    char when[32];

    host_when(when);
    json_t *line = json_pack("{s:s, s:s, s:o}", "date_time", when, "event", event, event, value);
    /* All digits, as a game that is broken off is thrown again from here. */
    if (line && json_dumpf(line, log->game, JSON_COMPACT) == 0)
        putc('\n', log->game);
    fflush(log->game);
    json_decref(line);
}

/* The official log's envelope. Takes ownership. */
static json_t *envelope(struct host_log *log, const char *tag, json_t *body)
{
    char when[32], thread[24];

    host_when(when);
    snprintf(thread, sizeof thread, "%d", (int)getpid());
    return json_pack("{s:[i, i], s:s, s:i, s:s, s:s, s:o}", "ver", 1, 1, "tag", tag, "id",
                     log->lines++, "date_time", when, "thread", thread, "log", body);
}

void host_log_say(struct host_log *log, json_t *message, int team)
{
    if (team >= 0)
        build_add(message, "team", json_string(game_team_name(team)));
    json_t *line = envelope(log, "gam", message);
    if (line)
        json_dumpf(line, log->game, JSON_COMPACT | NUMBERS);
    putc('\n', log->game);
    fflush(log->game);
    json_decref(line);
}

void host_log_shot(struct host_log *log, const struct host_setting *setting,
                   const struct game *before, const struct host_move *move)
{
    char name[32];

    if (log->place)
        return;
    json_t *factory =
        json_pack("{s:s, s:f, s:f, s:f}", "type", "normal_dist", "max_speed",
                  setting->noise.max_speed_mps, "stddev_speed", setting->noise.stddev_speed_mps,
                  "stddev_angle", setting->noise.stddev_angle_rad);
    json_t *body = json_pack(
        "{s:i, s:i, s:s, s:s, s:o, s:o, s:{s:s, s:o}, s:{s:s, s:{s:s, s:f}}}", "end", before->end,
        "shot", before->shot, "game_id", log->id, "game_date_time", log->when, "selected_move",
        host_move_json(move, false), "actual_move", host_move_json(move, true), "player_storage",
        "type", "normal_dist", "factory", factory, "simulator_storage", "type", "fcv1", "factory",
        "type", "fcv1", "seconds_per_frame", 0.001);

    build_add(body, "trajectory", move->path ? host_trajectory(move) : json_null());
    snprintf(name, sizeof name, "shot_e%03ds%02d.json", before->end, before->shot);
    if (!host_write(log->folder, name, envelope(log, "sht", body), false))
        perror(name);
}

/* ---- records ---- */

static void write_header(struct host_log *log, const struct game *game,
                         char names[2][RECORDER_NAME_MAX])
{
    json_t *header = json_pack("{s:s, s:i, s:s, s:[s, s], s:s, s:i}", "record", "header", "version",
                               1, "protocol", log->protocol, "players", names[0], names[1], "rules",
                               game->rules->name, "ends", game->ends);

    if (header && json_dumpf(header, log->records, JSON_COMPACT) == 0)
        putc('\n', log->records);
    json_decref(header);
    log->has_header = true;
}

void host_log_record(struct host_log *log, const struct game *before, const struct host_move *move,
                     const struct game_turn *turn, double elapsed_s,
                     char names[2][RECORDER_NAME_MAX])
{
    const struct host_place *place = log->place;
    const struct record_name name = {0, 1, place ? place->pair : 0};
    const int game = place ? place->game : 0, team = game_next_team(before);
    const struct player_answer answer = {.shot = move->selected,
                                         .elapsed_s = elapsed_s,
                                         .expected_score = NAN,
                                         .win_probability = NAN};
    const struct pair_move record = {.game = game,
                                     .player = game == 0 ? team : 1 - team,
                                     .game_before = before,
                                     .answer = &answer,
                                     .conceded = move->conceded || move->late,
                                     .executed = move->actual,
                                     .turn = turn};

    if (!log->has_header)
        write_header(log, before, names);
    if (before->end < PAIR_ENDS_MAX + PAIR_EXTRA_ENDS_MAX)
        record_write_shot(log->records, &name, &record);
    fflush(log->records);
}

void host_log_result(struct host_log *log, const struct pair_game *game)
{
    static const struct record_name name = {0, 1, 0};
    struct pair_result result = {.game = {*game, {.is_missing = true}}};

    if (log->place)
        return;
    match_record_write_pair(log->records, &name, &result);
    fflush(log->records);
}

/* ---- files ---- */

bool host_write(const char *folder, const char *name, json_t *value, bool sync)
{
    char path[PATH_MAX], part[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(part, sizeof part, "%s/%s.part", folder, name);
    FILE *file = value ? fopen(part, "we") : NULL;
    bool good = file && json_dumpf(value, file, JSON_COMPACT | NUMBERS) == 0 &&
                putc('\n', file) != EOF && fflush(file) == 0 && (!sync || fsync(fileno(file)) == 0);
    if (file)
        good = fclose(file) == 0 && good;
    json_decref(value);
    return good && rename(part, path) == 0 && (!sync || durable_name(path));
}
