/* Lines of logs. See log_file.h. */
#include "api/curling/log_file.h"

#include "api/base/build_json.h"
#include "api/base/load_json.h"
#include "api/base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOT_LAST = 15, /* of an end of Digital Curling 3 */
    ID_MAX = 64,
    NAME_MAX_BYTES = 256
};

bool log_file_begin(struct log_file *ret_file)
{
    *ret_file = (struct log_file){json_array(), json_array(), json_array(), 0};
    return ret_file->lines && ret_file->numbers && ret_file->skipped;
}

void log_file_free(struct log_file *file)
{
    json_decref(file->lines);
    json_decref(file->numbers);
    json_decref(file->skipped);
}

/* ---- what is needed of a line ---- */

/* Leaves of the path of all stones only where they come to rest, or nothing. */
static bool shorten_path(json_t *holder, bool keeps_finish)
{
    json_t *path = json_object_get(holder, "trajectory");
    json_t *finish = keeps_finish ? json_object_get(path, "finish") : NULL;

    if (!json_is_object(path))
        return true;
    json_t *short_one = finish ? json_pack("{s:O}", "finish", finish) : json_object();
    return build_add(holder, "trajectory", short_one);
}

/* An update tells the stones at rest in its state, but for the shot that ends an end. */
static bool shorten_update(json_t *update)
{
    const json_t *state = json_object_get(update, "state");
    const bool ends_end = json_integer_value(json_object_get(state, "shot")) == 0 ||
                          json_is_object(json_object_get(state, "game_result"));
    json_t *last = json_object_get(update, "last_move");

    return shorten_path(last, ends_end);
}

/* What the official server writes of a shot has its random numbers, too. */
static bool shorten_shot(json_t *message)
{
    static const char *const dropped[] = {"player_storage", "simulator_storage"};
    const json_t *shot = json_object_get(message, "shot");

    for (size_t k = 0; k < sizeof dropped / sizeof dropped[0]; k++)
        json_object_del(message, dropped[k]);
    return !json_is_integer(shot) || shorten_path(message, json_integer_value(shot) == SHOT_LAST);
}

static bool shorten_message(json_t *message)
{
    const char *cmd = json_string_value(json_object_get(message, "cmd"));

    return cmd && strcmp(cmd, "update") == 0 ? shorten_update(message) : shorten_shot(message);
}

/* What our client heard is a text. */
static bool shorten_heard(json_t *line)
{
    const char *heard = json_string_value(json_object_get(line, "heard"));
    json_error_t wrong;

    if (!heard || !strstr(heard, "\"trajectory\""))
        return true;
    json_t *message = load_json(heard, strlen(heard), 0, &wrong);
    if (!message)
        return json_error_code(&wrong) != json_error_out_of_memory;
    bool good = shorten_message(message);
    char *text = good ? json_dumps(message, JSON_COMPACT) : NULL;
    good = text && json_object_set_new(line, "heard", json_string(text)) == 0;
    free(text);
    json_decref(message);
    return good;
}

static bool shorten(json_t *line)
{
    json_object_del(line, "thought"); /* of our client, which the game does not depend on */
    json_t *logged = json_object_get(line, "log");
    return shorten_message(json_is_object(logged) ? logged : line) && shorten_heard(line);
}

/* ---- lines ---- */

static bool skip(struct log_file *file, const char *why)
{
    return json_array_size(file->skipped) >= LOG_SKIPPED_MAX ||
           build_append(file->skipped, json_pack("{s:i, s:s}", "line", file->number, "why", why));
}

static bool is_blank(const char *text, size_t length)
{
    for (size_t k = 0; k < length; k++)
        if (!memchr(" \t\r\n", text[k], 4))
            return false;
    return true;
}

bool log_file_take(struct log_file *file, const char *text, size_t length)
{
    json_error_t error = {.text = "no JSON object"};
    const char *start = memchr(text, '{', length);

    file->number++;
    if (is_blank(text, length))
        return true;
    if (length > LOG_LINE_MAX)
        return skip(file, "longer than a line of a log may be");
    json_t *line =
        start ? load_json(start, length - (size_t)(start - text), JSON_REJECT_DUPLICATES, &error)
              : NULL;
    if (!line)
        return json_error_code(&error) != json_error_out_of_memory && skip(file, error.text);
    if (!shorten(line)) {
        json_decref(line);
        return false;
    }
    return build_append(file->lines, line) &&
           build_append(file->numbers, json_integer(file->number));
}

/* ---- which game ---- */

struct finding {
    char id[ID_MAX];
    char team[2][NAME_MAX_BYTES];
    json_int_t newest; /* how far the newest state is; -1: none was told */
    int states;
    bool is_short; /* of memory */
};

static void find_text(struct finding *finding, const json_t *value, size_t size, char *found)
{
    const char *text = json_string_value(value);

    if (text && *text && !utf8_read_name(text, size, found))
        finding->is_short = true;
}

/* Counts a state if it comes after those before: servers repeat some. */
static void find_state(struct finding *finding, json_int_t end, json_int_t shot, bool is_last)
{
    enum { SHOTS_ROOM = 64 };
    const json_int_t far = (end * SHOTS_ROOM + shot) * 2 + is_last;

    if (far > finding->newest) {
        finding->newest = far;
        finding->states++;
    }
}

static void find_dc3(struct finding *finding, const json_t *message)
{
    const char *cmd = json_string_value(json_object_get(message, "cmd"));
    const json_t *name = json_object_get(message, "name");
    const json_t *state = json_object_get(message, "state");

    if (!cmd)
        return;
    if (strcmp(cmd, "dc") == 0)
        find_text(finding, json_object_get(message, "game_id"), ID_MAX, finding->id);
    if (strcmp(cmd, "new_game") == 0) {
        find_text(finding, json_object_get(name, "team0"), NAME_MAX_BYTES, finding->team[0]);
        find_text(finding, json_object_get(name, "team1"), NAME_MAX_BYTES, finding->team[1]);
    }
    if (strcmp(cmd, "update") == 0)
        find_state(finding, json_integer_value(json_object_get(state, "end")),
                   json_integer_value(json_object_get(state, "shot")),
                   json_is_object(json_object_get(state, "game_result")));
}

static void find_dc4(struct finding *finding, const json_t *value)
{
    const json_t *end = json_object_get(value, "end_number");

    find_text(finding, json_object_get(value, "match_id"), ID_MAX, finding->id);
    find_text(finding, json_object_get(value, "first_team_name"), NAME_MAX_BYTES, finding->team[0]);
    find_text(finding, json_object_get(value, "second_team_name"), NAME_MAX_BYTES,
              finding->team[1]);
    if (json_is_integer(end))
        find_state(finding, json_integer_value(end),
                   json_integer_value(json_object_get(value, "total_shot_number")),
                   json_is_string(json_object_get(value, "winner_team")));
}

static void find_message(struct finding *finding, const json_t *message)
{
    find_dc3(finding, message);
    find_dc4(finding, message);
}

static void find_line(struct finding *finding, const json_t *line)
{
    const char *event = json_string_value(json_object_get(line, "event"));
    const char *heard = json_string_value(json_object_get(line, "heard"));
    json_error_t wrong;

    find_message(finding, line);
    find_message(finding, json_object_get(line, "log"));
    if (event)
        find_message(finding, json_object_get(line, event));
    json_t *message = heard ? load_json(heard, strlen(heard), 0, &wrong) : NULL;
    if (heard && !message && json_error_code(&wrong) == json_error_out_of_memory)
        finding->is_short = true;
    find_message(finding, message);
    json_decref(message);
}

bool log_game_of(const json_t *lines, struct log_game *ret_game)
{
    struct finding finding = {.newest = -1};
    const json_t *line;
    size_t k;

    *ret_game = (struct log_game){.states = 0};
    json_array_foreach(lines, k, line) find_line(&finding, line);
    ret_game->states = finding.states;
    if (finding.id[0])
        snprintf(ret_game->name, sizeof ret_game->name, "%s %s %s", finding.id, finding.team[0],
                 finding.team[1]);
    return !finding.is_short;
}
