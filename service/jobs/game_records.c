/* See game_records.h. */
#include "service/jobs/game_records.h"

#include "api/load_json.h"
#include "api/next_line.h"
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

/* Prints the line that describes the game. */
static bool print_head(FILE *out, const struct game_records *records, const char *id, int game)
{
    const char *first = game == 0 ? "a" : "b", *second = game == 0 ? "b" : "a";
    json_t *match = records->match;
    json_t *head =
        json_pack("{s:s, s:s, s:O, s:O, s:O, s:O, s:O, s:O}", "record", "game", "id", id, "match",
                  json_object_get(match, "id"), "profile", json_object_get(match, "profile"),
                  "ends", json_object_get(match, "ends"), "extra_ends",
                  json_object_get(match, "extra_ends"), "throws_first",
                  json_object_get(match, first), "throws_last", json_object_get(match, second));
    bool good = head && json_dumpf(head, out, JSON_COMPACT) == 0 && putc('\n', out) != EOF;

    json_decref(head);
    return good;
}

/* Writes the game as lines; malloc'ed. The shots of a pair stand together, followed by the line of
 * the pair. */
static enum api_error print_game(struct game_records *records, const char *id, long long pair,
                                 int game, char **ret_text)
{
    struct match_record_line line;
    size_t size, shots = 0;
    ssize_t got = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return API_NO_MEMORY;
    bool is_there = records_seek(records, pair), is_over = false;
    enum api_error unread = is_there ? API_OK : why_unread();
    bool good = is_there && print_head(out, records, id, game);
    while (good && !is_over &&
           (got = next_line(&records->line, &records->size, records->file)) > 0 &&
           pair_of_line(records->line) <= pair) {
        if (!records_line(records, &line) || line.name.pair != pair)
            continue;
        is_over = line.kind == MATCH_RECORD_PAIR;
        if (!is_over && line.game == game) {
            good = fputs(records->line, out) >= 0;
            shots++;
        }
    }
    if (got < 0)
        unread = why_unread();
    good = fclose(out) == 0 && good;
    if (unread == API_OK && good && shots > 0 && is_over) {
        *ret_text = text;
        return API_OK;
    }
    free(text);
    return unread != API_OK ? unread : good ? API_NOT_FOUND : API_NO_MEMORY;
}

enum api_error game_records_text(struct store *store, const char *data, const char *id,
                                 char **ret_text)
{
    struct game_records records;
    long long match, pair;
    int game, used = 0;

    if (sscanf(id, "%18lld-%18lld-%1d%n", &match, &pair, &game, &used) != 3 || id[used] ||
        match < 1 || pair < 0 || game < 0 || game > 1)
        return API_NOT_FOUND;
    enum api_error error = game_records_open(store, data, match, &records);
    if (error == API_OK)
        error = print_game(&records, id, pair, game, ret_text);
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

/* The shots of one game, line by line. */
struct shots {
    struct record_name name;
    int game;
    FILE *out; /* writes to `text`; NULL: closed */
    char *text;
    size_t size;
};

static void shots_free(struct shots *shots)
{
    if (shots->out)
        fclose(shots->out);
    free(shots->text);
    *shots = (struct shots){0};
}

/* Adds a line. That of another game begins anew. False: memory is short. */
static bool shots_add(struct shots *shots, const struct match_record_line *line, const char *text)
{
    if (shots->game != line->game || memcmp(&shots->name, &line->name, sizeof shots->name) != 0)
        shots_free(shots);
    if (!shots->out) {
        shots->name = line->name;
        shots->game = line->game;
        shots->out = open_memstream(&shots->text, &shots->size);
    }
    return shots->out && fputs(text, shots->out) >= 0;
}

/* Moves the shots to *newest. False: memory is short. */
static bool shots_move(struct shots *shots, struct shots *newest)
{
    bool good = fclose(shots->out) == 0;

    shots->out = NULL;
    shots_free(newest);
    *newest = *shots;
    *shots = (struct shots){0};
    return good;
}

/* Reads the last game of the last whole pair, or with `playing` that after it, which may be at its
 * beginning. *ret_playing: it is that one. The caller frees *ret_newest, also after an error. */
static enum api_error collect_newest(FILE *file, bool playing, struct shots *ret_newest,
                                     bool *ret_playing)
{
    struct match_record_line line;
    struct shots shots = {0};
    char *text = NULL;
    size_t room = 0;
    bool is_near = go_near_end(file, &text, &room), good = true;
    ssize_t got = is_near ? 0 : -1;

    while (is_near && good && (got = next_line(&text, &room, file)) > 0 && strchr(text, '\n')) {
        if (!match_record_read(text, &line))
            continue;
        if (line.kind == MATCH_RECORD_SHOT)
            good = shots_add(&shots, &line, text);
        else if (shots.out)
            good = shots_move(&shots, ret_newest);
    }
    *ret_playing = playing && good && got >= 0 && shots.out;
    if (*ret_playing)
        good = shots_move(&shots, ret_newest);
    enum api_error unread = got < 0 ? why_unread() : API_OK;
    shots_free(&shots);
    free(text);
    if (!good || unread != API_OK)
        return good ? unread : API_NO_MEMORY;
    return ret_newest->text ? API_OK : API_NOT_FOUND;
}

/* A member of the spec, or of the header where the spec leaves it to others. */
static json_t *said(const json_t *spec, const char *name, const json_t *header, const char *other)
{
    json_t *value = json_object_get(spec, name);

    return value ? value : json_object_get(header, other);
}

/* The line that describes a game; its players are told by the first line of the file, by their
 * numbers, and player 0 begins game 0. */
static json_t *newest_head(FILE *file, int64_t job, const json_t *spec, const struct shots *newest,
                           bool is_playing)
{
    const int first = newest->game == 0 ? newest->name.first : newest->name.second;
    const int second = newest->game == 0 ? newest->name.second : newest->name.first;
    char *text = NULL;
    size_t room = 0;
    json_error_t wrong;
    ssize_t length = fseeko(file, 0, SEEK_SET) == 0 ? next_line(&text, &room, file) : -1;
    json_t *header = length > 0 ? load_json(text, (size_t)length, 0, &wrong) : NULL;
    const json_t *players = json_object_get(header, "players");
    json_t *head = json_pack(
        "{s:s, s:o, s:b, s:I, s:n, s:O?, s:O?, s:O?, s:O?, s:O?}", "record", "game", "id",
        json_sprintf("%d-%d-%lld-%d", newest->name.first, newest->name.second,
                     (long long)newest->name.pair, newest->game),
        "playing", is_playing, "job", (json_int_t)job, "match", "profile",
        said(spec, "profile", header, "rules"), "ends", said(spec, "ends", header, "ends"),
        "extra_ends", json_object_get(spec, "extra_ends"), "throws_first",
        json_array_get(players, (size_t)first), "throws_last",
        json_array_get(players, (size_t)second));

    json_decref(header);
    free(text);
    return head;
}

enum api_error game_records_newest(const char *data, int64_t job, const json_t *spec, bool playing,
                                   char **ret_text)
{
    struct shots newest = {0};
    bool is_playing = false;
    char path[JOB_PATH_MAX];

    job_path(data, job, MATCH_RECORDS_FILE, path);
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT ? API_NOT_FOUND : why_unread();
    enum api_error error = collect_newest(file, playing, &newest, &is_playing);
    json_t *head = error == API_OK ? newest_head(file, job, spec, &newest, is_playing) : NULL;
    char *first = head ? json_dumps(head, JSON_COMPACT) : NULL;
    fclose(file);
    if (error == API_OK && (!first || asprintf(ret_text, "%s\n%s", first, newest.text) < 0))
        error = API_NO_MEMORY;
    free(first);
    json_decref(head);
    shots_free(&newest);
    return error;
}
