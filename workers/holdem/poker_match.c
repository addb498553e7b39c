/* Plays sessions in batches; each batch becomes durable before the next one begins. */
#include "workers/holdem/poker_match.h"

#include "models/base/fnv1a.h"
#include "workers/pool.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 16, PAIRS_AT_ONCE = 4096 };

struct running {
    const struct poker_match *match;
    unsigned char *memory; /* a part for each thread */
    size_t memory_size;
    struct poker_tally tally[BATCH];
    bool played[BATCH];
    int first; /* session of the batch */
};

static void play_session(void *context, size_t index, int thread)
{
    struct running *running = context;
    struct poker_session session = running->match->session;

    session.number = (uint64_t)running->first + index;
    running->tally[index] = (struct poker_tally){.pairs = 0};
    running->played[index] =
        poker_session_play(&session, running->memory + (size_t)thread * running->memory_size,
                           running->match->stop, &running->tally[index]);
}

/* ---- the file: the header, then a record for each session ---- */

struct record {
    struct poker_tally tally;
    uint64_t hash;
};

static uint64_t hash_of(const struct poker_tally *tally)
{
    return fnv1a(FNV1A_START, tally, sizeof *tally);
}

/* True if the file begins with the header of this match. False with errno set: it cannot be read,
 * or memory is short; errno is 0 else. */
static bool has_header(const struct poker_match *match, FILE *file)
{
    size_t length = strlen(match->header);
    char *head = malloc(length + 1);

    if (!head)
        return false;
    errno = 0;
    bool is_same = fread(head, 1, length + 1, file) == length + 1 &&
                   memcmp(head, match->header, length) == 0 && head[length] == '\n';
    if (!ferror(file))
        errno = 0;
    free(head);
    return is_same;
}

/* False at the end of the whole records, or if the file cannot be read (ferror()). */
static bool read_record(FILE *file, struct poker_tally *ret_tally)
{
    struct record record;

    if (fread(&record, sizeof record, 1, file) != 1 || record.hash != hash_of(&record.tally))
        return false;
    *ret_tally = record.tally;
    return true;
}

/* Opens the file of records, emptied if it belongs to another match, and adds at most `most` whole
 * records to the tally; the rest is cut off. NULL: see errno. */
static FILE *open_records(const struct poker_match *match, int most, struct poker_tally *tally,
                          int *ret_done)
{
    FILE *file = fopen(match->path, "r+e");
    struct poker_tally session;

    if (!file && errno == ENOENT)
        file = fopen(match->path, "w+e");
    if (!file)
        return NULL;
    const bool is_same = has_header(match, file);
    bool is_read = is_same || errno == 0;
    while (is_same && *ret_done < most && read_record(file, &session)) {
        poker_tally_add(tally, &session);
        ++*ret_done;
    }
    is_read = is_read && !ferror(file); /* else nothing may be cut off */
    const off_t start = (off_t)strlen(match->header) + 1,
                end = is_same ? start + *ret_done * (off_t)sizeof(struct record) : 0;
    if (is_read && ftruncate(fileno(file), end) == 0 && fseeko(file, end, SEEK_SET) == 0 &&
        (is_same || fprintf(file, "%s\n", match->header) > 0))
        return file;
    int why = errno;
    fclose(file);
    errno = why;
    return NULL;
}

static bool write_record(FILE *file, const struct poker_tally *tally)
{
    const struct record record = {*tally, hash_of(tally)};

    return fwrite(&record, sizeof record, 1, file) == 1;
}

static bool sync_records(FILE *file)
{
    return fflush(file) == 0 && fdatasync(fileno(file)) == 0;
}

static bool keep(FILE *file, const struct poker_tally *tallies, int count)
{
    for (int k = 0; k < count; k++)
        if (!write_record(file, &tallies[k]))
            return false;
    return sync_records(file);
}

/* ---- parts ---- */

struct poker_file {
    FILE *file;
};

struct poker_file *poker_file_open(const struct poker_match *match, int most,
                                   struct poker_tally *tally, int *ret_sessions)
{
    struct poker_file *file = malloc(sizeof *file);

    *tally = (struct poker_tally){.pairs = 0};
    *ret_sessions = 0;
    if (!file)
        return NULL;
    file->file = open_records(match, most, tally, ret_sessions);
    if (file->file)
        return file;
    free(file);
    return NULL;
}

bool poker_file_read(const struct poker_match *part, struct poker_tally *ret_sessions)
{
    FILE *file = fopen(part->path, "re");

    if (!file)
        return false;
    bool good = has_header(part, file);
    for (int k = 0; good && k < part->sessions; k++)
        good = read_record(file, &ret_sessions[k]) && ret_sessions[k].pairs == part->session.hands;
    good = good && getc(file) == EOF;
    fclose(file);
    if (!good)
        errno = EINVAL;
    return good;
}

bool poker_file_add(struct poker_file *file, const struct poker_tally *session)
{
    return write_record(file->file, session);
}

bool poker_file_sync(struct poker_file *file)
{
    return sync_records(file->file);
}

void poker_file_close(struct poker_file *file)
{
    if (file)
        fclose(file->file);
    free(file);
}

/* ---- the match ---- */

/* Few enough that progress is seen, many enough for all threads. */
int poker_match_batch(const struct poker_match *match, int sessions)
{
    int count = PAIRS_AT_ONCE / match->session.hands + 1;

    count = count < match->threads ? match->threads : count;
    count = count > BATCH ? BATCH : count;
    return count > sessions ? sessions : count;
}

static enum poker_match_status play_rest(struct running *running, struct pool *pool, FILE *file,
                                         int done, struct poker_tally *tally)
{
    const struct poker_match *match = running->match;

    while (done < match->sessions) {
        int count = poker_match_batch(match, match->sessions - done), good = 0;
        running->first = match->first + done;
        memset(running->played, 0, sizeof running->played);
        pool_run(pool, (size_t)count, play_session, running);
        while (good < count && running->played[good])
            poker_tally_add(tally, &running->tally[good++]);
        if (file && !keep(file, running->tally, good))
            return POKER_MATCH_STORAGE;
        done += good;
        if (match->progress)
            match->progress(match->context, done, tally, false);
        if (good < count || (match->stop && atomic_load(match->stop) && done < match->sessions))
            return POKER_MATCH_STOPPED;
    }
    return POKER_MATCH_OK;
}

enum poker_match_status poker_match_run(const struct poker_match *match,
                                        struct poker_tally *ret_tally)
{
    struct running *running = calloc(1, sizeof *running);
    struct pool *pool = pool_new(match->threads);
    enum poker_match_status status = POKER_MATCH_NO_MEMORY;
    FILE *file = NULL;
    int done = 0;

    *ret_tally = (struct poker_tally){.pairs = 0};
    if (match->path && !(file = open_records(match, match->sessions, ret_tally, &done))) {
        status = POKER_MATCH_STORAGE;
    } else if (running && pool) {
        running->match = match;
        running->memory_size = poker_session_memory(&match->session);
        running->memory = aligned_alloc(64, running->memory_size * (size_t)pool_threads(pool));
        if (match->progress)
            match->progress(match->context, done, ret_tally, true);
        if (running->memory)
            status = play_rest(running, pool, file, done, ret_tally);
        free(running->memory);
    }
    int why = errno;
    if (file)
        fclose(file);
    pool_free(pool);
    free(running);
    errno = why;
    return status;
}

/* ---- the result ---- */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Rows of parts of `of` hands. */
static json_t *rows_json(const int64_t *chips, const int64_t *pairs, int count, int of)
{
    json_t *rows = json_array();

    for (int k = 0; k < count; k++) {
        const struct poker_tally part = {.pairs = pairs[k], .chips = chips[k]};
        if (pairs[k] > 0)
            json_array_append_new(rows, json_pack("{s:I, s:o, s:I}", "hand",
                                                  ((json_int_t)k * of + count - 1) / count + 1,
                                                  "mbb_per_hand", number(poker_tally_mbb(&part)),
                                                  "pairs", (json_int_t)pairs[k]));
    }
    return rows;
}

static double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

static json_t *player_json(const char *name, const struct poker_tally *tally, int who)
{
    return json_pack("{s:s, s:f, s:f, s:f, s:I}", "player", name, "played_percent",
                     percent(tally->played[who], tally->hands[who]), "raise_percent",
                     percent(tally->raised[who], tally->decisions[who]), "fold_percent",
                     percent(tally->folded[who], tally->decisions[who]), "decisions",
                     (json_int_t)tally->decisions[who]);
}

json_t *poker_match_json(const struct poker_match *match, const char *const names[2], int sessions,
                         const struct poker_tally *tally)
{
    double mbb = poker_tally_mbb(tally), half = poker_tally_half_width(tally);
    const struct poker_session *session = &match->session;

    return json_pack("{s:o, s:o, s:i, s:i, s:I, s:I, s:o, s:[o, o], s:o, s:o}", "a",
                     player_json(names[0], tally, 0), "b", player_json(names[1], tally, 1),
                     "sessions", sessions, "hands", session->hands, "seed",
                     (json_int_t)session->seed, "pairs", (json_int_t)tally->pairs, "mbb_per_hand",
                     number(mbb), "interval", number(mbb - half), number(mbb + half), "by_hand",
                     rows_json(tally->block, tally->blocks, POKER_BLOCKS, session->hands),
                     "after_switch",
                     rows_json(tally->after, tally->afters, POKER_AFTER, session->every));
}
