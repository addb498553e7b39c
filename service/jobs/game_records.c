/* See game_records.h. */
#include "service/jobs/game_records.h"

#include "api/base/load_json.h"
#include "api/base/next_line.h"
#include "api/fields/game_id.h"
#include "service/jobs/job_folder.h"
#include "service/store/results.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Bisection stops at this distance; reading finds the line. */
    NEAR_BYTES = 64 << 10,
    /* The newest pair is looked for in so many bytes at the end. */
    NEWEST_BYTES = 4 << 20
};

void game_records_close(struct game_records *records)
{
    if (records->file)
        fclose(records->file);
    free(records->line);
    json_decref(records->match);
}

/* What errno means after a file could not be read. */
static enum api_error why_unread(void)
{
    return errno == ENOMEM ? API_NO_MEMORY : API_STORAGE;
}

enum api_error game_records_open(struct store *store, const char *data, int64_t match,
                                 struct game_records *ret_records)
{
    struct game_records *records = ret_records;
    char path[JOB_PATH_MAX];

    *records = (struct game_records){0};
    enum api_error error = results_match(store, match, &records->match);
    if (error != API_OK)
        return error;
    job_path(data, json_integer_value(json_object_get(records->match, "job")), MATCH_RECORDS_FILE,
             path);
    records->file = fopen(path, "re");
    if (!records->file)
        return errno == ENOENT ? API_NOT_FOUND : why_unread();
    json_error_t wrong;
    ssize_t length = next_line(&records->line, &records->size, records->file);
    if (length < 0)
        return why_unread();
    json_t *header = length > 0 ? load_json(records->line, (size_t)length, 0, &wrong) : NULL;
    if (length > 0 && !header && json_error_code(&wrong) == json_error_out_of_memory)
        return API_NO_MEMORY;
    const char *a = json_string_value(json_object_get(records->match, "a"));
    const char *b = json_string_value(json_object_get(records->match, "b"));
    bool is_against_itself = a && b && strcmp(a, b) == 0;
    records->pairing[0] = match_record_player(header, a, 0);
    records->pairing[1] =
        match_record_player(header, b, is_against_itself ? records->pairing[0] + 1 : 0);
    json_decref(header);
    return records->pairing[0] >= 0 && records->pairing[1] >= 0 ? API_OK : API_NOT_FOUND;
}

/* Whether the current line belongs to the match, and which line it is. An incomplete line, as the
 * last may be, does not. */
static bool records_line(const struct game_records *records, struct match_record_line *ret_line)
{
    return match_record_read(records->line, ret_line) && strchr(records->line, '\n') &&
           ret_line->name.first == records->pairing[0] &&
           ret_line->name.second == records->pairing[1];
}

enum game_search game_records_find_pair(struct game_records *records, int64_t end_at,
                                        int64_t *ret_at)
{
    int64_t at = (int64_t)ftello(records->file);
    struct match_record_line line;
    ssize_t got = 0;

    while (at < end_at && (got = next_line(&records->line, &records->size, records->file)) > 0) {
        if (records_line(records, &line) && line.kind == MATCH_RECORD_PAIR) {
            *ret_at = at;
            return GAME_SEARCH_FOUND;
        }
        at += got;
    }
    *ret_at = at;
    if (got < 0)
        return GAME_SEARCH_FAILED;
    return at < end_at ? GAME_SEARCH_END : GAME_SEARCH_TIRED;
}

/* The number of the pair of a line, of any match; -1: it has none. An incomplete line, as the last
 * may be, counts as later than all. */
static int64_t pair_of_line(const char *text)
{
    struct match_record_line line;

    if (!strchr(text, '\n'))
        return INT64_MAX;
    return match_record_read(text, &line) ? line.name.pair : -1;
}

/* Goes to a line at or shortly before the first one of a pair, by bisection: pairs are in order of
 * their numbers (workers/evaluate/play/series.h). False: see errno. */
static bool records_seek(struct game_records *records, long long pair)
{
    off_t low = ftello(records->file), high;

    if (fseeko(records->file, 0, SEEK_END) != 0 || (high = ftello(records->file)) < 0)
        return false;
    while (high - low > NEAR_BYTES) {
        off_t middle = low + (high - low) / 2, line_at = high;
        ssize_t rest = -1, got = 0;
        /* Skips the rest of a line, then reads a whole one. */
        if (fseeko(records->file, middle, SEEK_SET) == 0)
            rest = next_line(&records->line, &records->size, records->file);
        if (rest > 0 && (line_at = ftello(records->file)) < high)
            got = next_line(&records->line, &records->size, records->file);
        if (rest < 0 || got < 0)
            return false;
        if (got == 0 || pair_of_line(records->line) >= pair)
            high = middle;
        else
            low = line_at;
    }
    return fseeko(records->file, low, SEEK_SET) == 0;
}

/* ---- one game ---- */

/* The line that describes the game, with its result as the player that throws first sees it. NULL:
 * memory is short. */
static char *head_text(const struct game_records *records, const char *id, int game,
                       const struct pair_game *played)
{
    const char *first = game == 0 ? "a" : "b", *second = game == 0 ? "b" : "a";
    const struct pair_game seen = game == 0 ? *played : pair_game_turned(*played);
    json_t *match = records->match;
    json_t *head = json_pack(
        "{s:s, s:s, s:O, s:O, s:O, s:O, s:O, s:O, s:o}", "record", "game", "id", id, "match",
        json_object_get(match, "id"), "profile", json_object_get(match, "profile"), "ends",
        json_object_get(match, "ends"), "extra_ends", json_object_get(match, "extra_ends"),
        "throws_first", json_object_get(match, first), "throws_last",
        json_object_get(match, second), "result", pair_game_json(&seen));
    char *text = head ? json_dumps(head, JSON_COMPACT) : NULL;

    json_decref(head);
    return text;
}

/* Puts the line that describes the game above its shots. The line of the pair is the current one.
 */
static enum api_error put_head(const struct game_records *records, const char *id, int game,
                               const char *shots, char **ret_text)
{
    struct record_name name;
    struct pair_result pair;

    if (!match_record_read_pair(records->line, strlen(records->line), &name, &pair) ||
        pair.game[game].is_missing)
        return API_STORAGE; /* the file is broken */
    char *head = head_text(records, id, game, &pair.game[game]);
    bool good = head && asprintf(ret_text, "%s\n%s", head, shots) >= 0;
    free(head);
    return good ? API_OK : API_NO_MEMORY;
}

/* Writes the game as lines; malloc'ed. The shots of a pair stand together, followed by the line of
 * the pair. */
static enum api_error print_game(struct game_records *records, const char *id, long long pair,
                                 int game, char **ret_text)
{
    struct match_record_line line;
    size_t size;
    ssize_t got = 0;
    char *shots = NULL;
    FILE *out = open_memstream(&shots, &size);

    if (!out)
        return API_NO_MEMORY;
    bool is_there = records_seek(records, pair), is_over = false;
    enum api_error error = is_there ? API_OK : why_unread();
    bool good = is_there;
    while (good && !is_over &&
           (got = next_line(&records->line, &records->size, records->file)) > 0 &&
           pair_of_line(records->line) <= pair) {
        if (!records_line(records, &line) || line.name.pair != pair)
            continue;
        is_over = line.kind == MATCH_RECORD_PAIR;
        if (!is_over && line.game == game)
            good = fputs(records->line, out) >= 0;
    }
    if (got < 0)
        error = why_unread();
    good = fclose(out) == 0 && good;
    if (error == API_OK && !good)
        error = API_NO_MEMORY;
    if (error == API_OK)
        error = size > 0 && is_over ? put_head(records, id, game, shots, ret_text) : API_NOT_FOUND;
    free(shots);
    return error;
}

enum api_error game_records_text(struct store *store, const char *data, const char *id,
                                 char **ret_text)
{
    struct game_records records;
    struct game_id game;

    if (!game_id_read(id, &game))
        return API_NOT_FOUND;
    enum api_error error = game_records_open(store, data, game.match, &records);
    if (error == API_OK)
        error = print_game(&records, id, game.pair, game.game, ret_text);
    game_records_close(&records);
    return error;
}

/* ---- the newest game ---- */

/* Goes to the first whole line of the last NEWEST_BYTES. */
static bool go_near_end(FILE *file, char **line, size_t *size)
{
    if (fseeko(file, 0, SEEK_END) != 0)
        return false;
    off_t end = ftello(file);
    if (end <= NEWEST_BYTES)
        return fseeko(file, 0, SEEK_SET) == 0;
    return fseeko(file, end - NEWEST_BYTES, SEEK_SET) == 0 && next_line(line, size, file) > 0;
}

/* The newest game of a file. */
struct newest {
    struct record_name name;
    int game;
    bool is_whole; /* its pair is at its end */
    char *shots;   /* its lines, malloc'ed; NULL: none */
};

/* The lines of one game while they are read. */
struct gathering {
    FILE *out; /* NULL: memory is short */
    char *text;
    size_t size;
};

static void gather_drop(struct gathering *gathering)
{
    if (gathering->out)
        fclose(gathering->out);
    free(gathering->text);
    *gathering = (struct gathering){.out = NULL};
}

static bool gather_anew(struct gathering *gathering)
{
    gather_drop(gathering);
    gathering->out = open_memstream(&gathering->text, &gathering->size);
    return gathering->out != NULL;
}

/* Makes what was gathered the newest game, with this last shot, unless there is nothing. */
static bool gather_close(struct gathering *gathering, const struct match_record_line *shot,
                         bool is_whole, struct newest *newest)
{
    bool good = !ferror(gathering->out);

    good = fclose(gathering->out) == 0 && good;
    gathering->out = NULL;
    if (!good || gathering->size == 0)
        return good;
    free(newest->shots);
    *newest = (struct newest){shot->name, shot->game, is_whole, gathering->text};
    gathering->text = NULL;
    return true;
}

/* Reads the lines from here on: the second game of the last whole pair, or the only one; if no pair
 * is whole, the shots so far. False: see errno. */
static bool gather_newest(FILE *file, char **text, size_t *room, struct newest *newest)
{
    struct gathering gathering = {.out = NULL};
    struct match_record_line line = {.game = 0};
    struct match_record_line shot = {.game = 0};
    bool good = gather_anew(&gathering);
    ssize_t got = 0;

    while (good && (got = next_line(text, room, file)) > 0 && strchr(*text, '\n')) {
        if (!match_record_read(*text, &line))
            continue;
        if (line.kind == MATCH_RECORD_SHOT) {
            if (line.game != shot.game)
                good = gather_anew(&gathering);
            shot = line;
            good = good && fputs(*text, gathering.out) >= 0;
            continue;
        }
        good = gather_close(&gathering, &shot, true, newest) && gather_anew(&gathering);
    }
    if (good && got >= 0 && !newest->is_whole)
        good = gather_close(&gathering, &shot, false, newest);
    gather_drop(&gathering);
    return good && got >= 0;
}

/* Takes the called shots out of the lines. NULL: memory is short. */
static char *without_calls(const char *shots)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool good = out != NULL;

    for (const char *at = shots, *end; good && (end = strchr(at, '\n')) != NULL; at = end + 1) {
        json_t *shot = load_json(at, (size_t)(end - at), 0, NULL);
        good = shot != NULL;
        json_object_del(shot, "intended");
        good = good && json_dumpf(shot, out, JSON_COMPACT) == 0 && putc('\n', out) != EOF;
        json_decref(shot);
    }
    if (out)
        good = fclose(out) == 0 && good;
    if (good)
        return text;
    free(text);
    return NULL;
}

/* The line that describes the game, from the first line of the file and the spec of the job. */
static json_t *newest_head(FILE *file, int64_t job, const json_t *spec, const struct newest *newest)
{
    static const char *const names[2][2] = {{"profile", "rules"}, {"ends", "ends"}};
    const struct record_name *name = &newest->name;
    int first = newest->game == 0 ? name->first : name->second;
    int last = newest->game == 0 ? name->second : name->first;
    char *text = NULL;
    size_t room = 0;
    json_error_t wrong;
    ssize_t length = fseeko(file, 0, SEEK_SET) == 0 ? next_line(&text, &room, file) : -1;
    json_t *header = length > 0 ? load_json(text, (size_t)length, 0, &wrong) : NULL;
    const json_t *players = json_object_get(header, "players");
    json_t *told[2];

    for (int k = 0; k < 2; k++) {
        told[k] = json_object_get(spec, names[k][0]);
        if (!told[k]) /* a server says it, not the job */
            told[k] = json_object_get(header, names[k][1]);
    }
    json_t *head =
        json_pack("{s:s, s:o, s:I, s:n, s:b, s:O?, s:O?, s:O?, s:O?, s:O?}", "record", "game", "id",
                  json_sprintf("%d-%d-%lld", name->first, name->second, (long long)name->pair),
                  "job", (json_int_t)job, "match", "whole", newest->is_whole, "profile", told[0],
                  "ends", told[1], "extra_ends", json_object_get(spec, "extra_ends"),
                  "throws_first", json_array_get(players, (size_t)first), "throws_last",
                  json_array_get(players, (size_t)last));

    json_decref(header);
    free(text);
    return head;
}

/* Finds the newest game of the file; its shots stay the caller's, also after an error. */
static enum api_error read_newest(FILE *file, bool hides_calls, struct newest *newest)
{
    char *text = NULL;
    size_t room = 0;
    bool is_there = go_near_end(file, &text, &room);
    enum api_error unread = is_there ? API_OK : why_unread();
    bool good = is_there && gather_newest(file, &text, &room, newest);

    free(text);
    if (unread != API_OK)
        return unread;
    if (good && !newest->shots)
        return API_NOT_FOUND;
    if (good && hides_calls && !newest->is_whole) {
        char *shots = without_calls(newest->shots);
        free(newest->shots);
        newest->shots = shots;
    }
    return good && newest->shots ? API_OK : API_NO_MEMORY;
}

enum api_error game_records_newest(const char *data, int64_t job, const json_t *spec,
                                   bool hides_calls, char **ret_text)
{
    struct newest newest = {.shots = NULL};
    char path[JOB_PATH_MAX];

    job_path(data, job, MATCH_RECORDS_FILE, path);
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT ? API_NOT_FOUND : why_unread();
    enum api_error error = read_newest(file, hides_calls, &newest);
    json_t *head = error == API_OK ? newest_head(file, job, spec, &newest) : NULL;
    char *first = head ? json_dumps(head, JSON_COMPACT) : NULL;
    fclose(file);
    if (error == API_OK && (!first || asprintf(ret_text, "%s\n%s", first, newest.shots) < 0))
        error = API_NO_MEMORY;
    free(first);
    json_decref(head);
    free(newest.shots);
    return error;
}
