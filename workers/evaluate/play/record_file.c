/* The file of records: opens it, checks it thoroughly, and appends to it. */
#include "workers/evaluate/play/record.h"

#include "api/base/clock.h"
#include "api/base/load_json.h"
#include "api/base/next_line.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The most play, in seconds, that a power failure can cost. */
#define SYNC_S 1.0

struct record_file {
    FILE *file;      /* for appending: text is written to its descriptor without a buffer */
    double synced_s; /* CLOCK_MONOTONIC */
};

/* The place for messages, and the file they are about. */
struct trouble {
    const char *path;
    size_t size;
    char *text;
};

__attribute__((format(printf, 2, 3))) static void blame(struct trouble *trouble, const char *format,
                                                        ...)
{
    char why[2 * PLAYER_SPEC_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    snprintf(trouble->text, trouble->size, "%s: %s", trouble->path, why);
}

/* Reports the first field that both objects have and that differs. */
static bool blame_field(struct trouble *trouble, const char *whose, const json_t *found,
                        json_t *wanted)
{
    const char *key;
    json_t *value;

    json_object_foreach(wanted, key, value)
    {
        const json_t *other = json_object_get(found, key);
        if (!other || json_equal(value, other))
            continue;
        const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15);
        char *there = json_dumps(other, flags), *here = json_dumps(value, flags);
        blame(trouble, "holds records of another setting: %s %s is %s, not %s", whose, key,
              there ? there : "?", here ? here : "?");
        free(there);
        free(here);
        return true;
    }
    return false;
}

/* Reports the player with other settings or another model under the same spec. */
static void blame_player(struct trouble *trouble, const json_t *found, const json_t *wanted,
                         const json_t *specs)
{
    const json_t *value;
    size_t k;

    if (!found) {
        blame(trouble, "was written by an earlier version, which did not keep the settings and "
                       "models of players; it cannot be continued");
        return;
    }
    json_array_foreach(wanted, k, value)
    {
        json_t *other = json_array_get(found, k);
        char whose[PLAYER_SPEC_MAX + 32];
        if (json_equal(value, other))
            continue;
        snprintf(whose, sizeof whose, "player %zu (%s): its", k,
                 json_string_value(json_array_get(specs, k)));
        if (!blame_field(trouble, whose, other, json_array_get(wanted, k)))
            blame(trouble,
                  "was written by another version: %s settings have other names; it cannot be "
                  "continued",
                  whose);
        break;
    }
}

/* Reports where two headers differ. */
static void blame_header(struct trouble *trouble, const char *found, const char *wanted)
{
    json_t *theirs = json_loads(found, 0, NULL), *ours = json_loads(wanted, 0, NULL);
    json_t *left_out =
        json_pack("{s:i, s:i, s:s}", "extra_ends", 0, "luck", 0, "luck_by", JOB_LUCK_BY_BEFORE);

    if (!json_is_object(theirs) || !json_object_get(theirs, "record")) {
        blame(trouble, "is not a file of match records");
    } else {
        json_t *there = json_incref(json_object_get(theirs, "settings"));
        json_t *here = json_incref(json_object_get(ours, "settings"));
        json_object_del(ours, "settings");
        json_object_update_missing(theirs, left_out);
        json_object_update_missing(ours, left_out);
        blame(trouble, "holds records of another setting");
        if (!blame_field(trouble, "its", theirs, ours))
            blame_player(trouble, there, here, json_object_get(ours, "players"));
        json_decref(there);
        json_decref(here);
    }
    json_decref(theirs);
    json_decref(ours);
    json_decref(left_out);
}

/* What a file holds. */
struct contents {
    int64_t pairs;
    off_t good;      /* bytes up to the end of the last pair, or of the header; 0: no header yet */
    int64_t damaged; /* the first line that is not JSON; 0: none */
};

/* Whether a line is JSON: 1 or 0; -1: memory is short. */
static int is_json(const char *line, size_t length)
{
    json_error_t wrong;
    json_t *value = load_json(line, length, 0, &wrong);

    json_decref(value);
    return value ? 1 : json_error_code(&wrong) == json_error_out_of_memory ? -1 : 0;
}

/* True if this text, the only line of a file, is an interrupted header. The header reaches the disk
 * before anything after it is written, so a power failure leaves at most a part of it, zeros in its
 * place, or both. A few letters could be the start of anything, and other text or more zeros belong
 * to somebody's file. */
static bool is_cut_header(const char *text, size_t length, const char *header)
{
    size_t written = length;

    while (written > 0 && text[written - 1] == '\0')
        written--;
    return length <= strlen(header) + 1 &&
           (written == 0 || written >= sizeof MATCH_RECORD_HEADER - 1) &&
           memcmp(text, header, written) == 0;
}

static bool is_same(const struct record_name *a, const struct record_name *b)
{
    return a->first == b->first && a->second == b->second && a->pair == b->pair;
}

/* Takes a complete line after the header that is not that of a shot. */
static bool take_line(const char *line, size_t length, int64_t number, off_t at,
                      const struct record_part *part, struct pair_result *ret_results,
                      struct trouble *trouble, struct contents *contents)
{
    const struct record_name wanted = record_name_at(part->players, part->first + contents->pairs);
    struct record_name name;
    struct pair_result result;
    bool is_pair = match_record_read_pair(line, length, &name, &result);

    if (contents->damaged > 0) {
        if (!is_pair)
            return true;
        blame(trouble, "line %lld is damaged", (long long)contents->damaged);
        return false;
    }
    if (is_pair && is_same(&name, &wanted)) {
        if (contents->pairs < part->most)
            ret_results[contents->pairs] = result;
        if (contents->pairs < part->most || !part->cuts)
            contents->good = at;
        contents->pairs++;
        return true;
    }
    const int readable = is_pair ? 1 : is_json(line, length);
    if (readable == 0)
        contents->damaged = number;
    else if (readable < 0)
        blame(trouble, "%s", strerror(ENOMEM));
    else
        blame(trouble, "line %lld is not the record of pair %lld of players %d and %d",
              (long long)number, (long long)wanted.pair, wanted.first, wanted.second);
    return readable == 0;
}

/* Reads the file from its start. Only complete lines count, up to the first one that is not JSON:
 * after a power failure zeros or old bytes may lie where nothing was written. But a pair after such
 * a line was written and must not be cut off: the file is then damaged. */
static bool read_contents(FILE *in, const char *header, const struct record_part *part,
                          struct pair_result *ret_results, struct trouble *trouble,
                          struct contents *ret_contents)
{
    struct contents contents = {0, 0, 0};
    struct match_record_line place;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = 0;
    off_t at = 0;
    bool good = true;

    for (int64_t number = 1; good && (length = next_line(&line, &capacity, in)) > 0; number++) {
        bool complete = line[length - 1] == '\n';
        at += length;
        if (complete)
            line[--length] = '\0';
        if (number == 1) {
            good = complete ? (size_t)length == strlen(header) && strcmp(line, header) == 0
                            : is_cut_header(line, (size_t)length, header);
            contents.good = good && complete ? at : 0;
            if (!good)
                blame_header(trouble, line, header);
        } else if (complete &&
                   (!match_record_read(line, &place) || place.kind != MATCH_RECORD_SHOT ||
                    memchr(line, '\0', (size_t)length))) {
            good =
                take_line(line, (size_t)length, number, at, part, ret_results, trouble, &contents);
        }
    }
    if (good && length < 0) {
        blame(trouble, "%s", strerror(errno));
        good = false;
    }
    free(line);
    if (good)
        *ret_contents = contents;
    return good;
}

static bool write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        text += written;
        length -= (size_t)written;
    }
    return true;
}

static bool write_header(int fd, const char *header)
{
    if (write_all(fd, header, strlen(header)) && write_all(fd, "\n", 1))
        return true;
    int error = errno;
    /* A partial header could not be continued: empty the file. */
    if (ftruncate(fd, 0) == 0)
        errno = error;
    return false;
}

/* Cuts off an unfinished pair, and writes the header if there is none. */
static bool make_ready(int fd, const char *header, const struct contents *contents)
{
    return ftruncate(fd, contents->good) == 0 && (contents->good > 0 || write_header(fd, header)) &&
           fsync(fd) == 0;
}

/* True for a regular file: a device or a pipe can be neither cut nor read to its end. */
static bool is_ordinary(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

struct record_file *record_open(const char *path, const char *header,
                                const struct record_part *part, struct pair_result *ret_results,
                                int64_t *ret_count, size_t size, char *ret_error)
{
    struct trouble trouble = {path, size, ret_error};
    struct contents contents = {0, 0, 0};
    struct record_file *file = malloc(sizeof *file);
    FILE *in = fopen(path, "a+e");
    bool good = false;

    if (!file)
        blame(&trouble, "out of memory");
    else if (!in)
        blame(&trouble, "%s", strerror(errno));
    else if (!is_ordinary(fileno(in)))
        blame(&trouble, "is not an ordinary file");
    else if (flock(fileno(in), LOCK_EX | LOCK_NB) != 0)
        blame(&trouble, "%s",
              errno == EWOULDBLOCK ? "is being written by another process" : strerror(errno));
    else if (read_contents(in, header, part, ret_results, &trouble, &contents)) {
        good = make_ready(fileno(in), header, &contents);
        if (!good)
            blame(&trouble, "%s", strerror(errno));
    }
    if (!good) {
        if (in)
            fclose(in);
        free(file);
        return NULL;
    }
    *file = (struct record_file){in, clock_now_s()};
    *ret_count = contents.pairs < part->most ? contents.pairs : part->most;
    return file;
}

bool record_sync(struct record_file *file)
{
    file->synced_s = clock_now_s();
    return fdatasync(fileno(file->file)) == 0;
}

bool record_append(struct record_file *file, const char *text, size_t length)
{
    if (!write_all(fileno(file->file), text, length))
        return false;
    if (clock_now_s() - file->synced_s < SYNC_S)
        return true;
    return record_sync(file);
}

bool record_close(struct record_file *file)
{
    if (!file)
        return true;
    bool good = fdatasync(fileno(file->file)) == 0;
    int error = errno;
    fclose(file->file);
    free(file);
    errno = error;
    return good;
}

/* ---- the file of another process ---- */

/* The lines of a pair, as they come. */
struct lines {
    char *text, *line;
    size_t length, room, line_room;
};

static bool add_line(struct lines *lines, size_t length)
{
    if (lines->length + length > lines->room) {
        size_t room = 2 * (lines->length + length);
        char *text = realloc(lines->text, room);
        if (!text)
            return false;
        lines->text = text;
        lines->room = room;
    }
    memcpy(lines->text + lines->length, lines->line, length);
    lines->length += length;
    return true;
}

/* Reads the lines up to the next pair. False: there is none that is wanted (errno is 0), or the
 * file cannot be read, or memory is short. */
static bool next_pair(FILE *in, const struct record_name *wanted, struct lines *lines,
                      struct pair_result *ret_result)
{
    struct match_record_line place;
    struct record_name name;
    ssize_t length;

    lines->length = 0;
    while ((length = next_line(&lines->line, &lines->line_room, in)) > 0 &&
           lines->line[length - 1] == '\n') {
        if (!add_line(lines, (size_t)length))
            return false;
        bool is_good = match_record_read(lines->line, &place) && is_same(&place.name, wanted) &&
                       !memchr(lines->line, '\0', (size_t)length);
        if (is_good && place.kind == MATCH_RECORD_SHOT)
            continue;
        is_good = is_good && match_record_read_pair(lines->line, (size_t)length, &name, ret_result);
        errno = 0;
        return is_good;
    }
    if (length >= 0)
        errno = 0;
    return false;
}

/* False: it has another one (errno is 0), or cannot be read. */
static bool has_header(FILE *in, const char *header, struct lines *lines)
{
    const ssize_t length = next_line(&lines->line, &lines->line_room, in);

    if (length >= 0)
        errno = 0;
    return length > 0 && (size_t)length == strlen(header) + 1 &&
           memcmp(lines->line, header, strlen(header)) == 0;
}

bool record_read(const char *path, const char *header, const struct record_part *part,
                 record_taker *take, void *context, size_t size, char *ret_error)
{
    struct trouble trouble = {path, size, ret_error};
    struct lines lines = {.text = NULL};
    struct pair_result result;
    FILE *in = fopen(path, "re");
    bool good = in != NULL;
    int64_t k = 0;

    if (!in)
        blame(&trouble, "%s", strerror(errno));
    if (in && !has_header(in, header, &lines)) {
        if (errno)
            blame(&trouble, "%s", strerror(errno));
        else
            blame_header(&trouble, lines.line ? lines.line : "", header);
        good = false;
    }
    for (; good && k < part->most; k++) {
        const struct record_name wanted = record_name_at(part->players, part->first + k);
        good = next_pair(in, &wanted, &lines, &result);
        if (!good && errno)
            blame(&trouble, "%s", strerror(errno));
        else if (!good)
            blame(&trouble, "lacks pair %lld of players %d and %d", (long long)wanted.pair,
                  wanted.first, wanted.second);
        else if (!take(context, part->first + k, &result, lines.text, lines.length))
            break;
    }
    if (good && k == part->most && getc(in) != EOF) {
        blame(&trouble, "holds more than %lld pairs", (long long)part->most);
        good = false;
    }
    free(lines.line);
    free(lines.text);
    if (in)
        fclose(in);
    return good;
}
