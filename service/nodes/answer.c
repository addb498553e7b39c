/* Hashes without times. See answer.h. */
#include "service/nodes/answer.h"

#include "api/base/build_json.h"
#include "api/base/load_json.h"
#include "api/base/next_line.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 16 };

static bool tells_time(const char *name)
{
    size_t length = strlen(name);

    return (length > 2 && strcmp(name + length - 2, "_s") == 0) ||
           (length > 3 && strcmp(name + length - 3, "_ms") == 0);
}

static void drop_times(json_t *value)
{
    const char *key;
    json_t *member;
    void *next;
    size_t k;

    json_array_foreach(value, k, member) drop_times(member);
    json_object_foreach_safe(value, next, key, member)
    {
        if (tells_time(key))
            json_object_del(value, key);
        else
            drop_times(member);
    }
}

/* Adds a document without its times. False: memory is short. */
static bool add_document(crypto_hash_sha256_state *hash, const json_t *document)
{
    json_t *copy = json_deep_copy(document);
    char *text = NULL;

    drop_times(copy);
    if (copy)
        text = json_dumps(copy, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    json_decref(copy);
    if (text)
        crypto_hash_sha256_update(hash, (const unsigned char *)text, strlen(text) + 1);
    free(text);
    return text != NULL;
}

/* Adds the lines that a file begins with and that are JSON. */
static enum api_error add_lines(crypto_hash_sha256_state *hash, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    off_t at = 0;
    ssize_t length = 0;
    enum api_error error = API_OK;

    while (error == API_OK && (length = next_line(&line, &room, file)) > 0) {
        json_error_t wrong;
        json_t *document = load_json(line, (size_t)length, 0, &wrong);
        if (!document && json_error_code(&wrong) != json_error_out_of_memory)
            break;
        if (!document || !add_document(hash, document))
            error = API_NO_MEMORY;
        json_decref(document);
        at = ftello(file);
    }
    free(line);
    if (error == API_OK && length >= 0 && fseeko(file, at, SEEK_SET) != 0)
        error = API_STORAGE;
    return length < 0 ? API_NO_MEMORY : error;
}

/* False: the file cannot be read. */
static bool add_bytes(crypto_hash_sha256_state *hash, FILE *file)
{
    unsigned char block[BLOCK_BYTES];
    size_t got;

    while ((got = fread(block, 1, sizeof block, file)) > 0)
        crypto_hash_sha256_update(hash, block, got);
    return !ferror(file);
}

enum api_error answer_hash(const json_t *result, const char *path, char ret_answer[ANSWER_MAX])
{
    unsigned char sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state hash;
    FILE *file = path ? fopen(path, "re") : NULL;

    if (path && !file)
        return API_NOT_FOUND;
    crypto_hash_sha256_init(&hash);
    bool good = add_document(&hash, result) &&
                (!file || (add_lines(&hash, file) == API_OK && add_bytes(&hash, file)));
    if (file)
        fclose(file);
    crypto_hash_sha256_final(&hash, sum);
    sodium_bin2hex(ret_answer, ANSWER_MAX, sum, sizeof sum);
    return good ? API_OK : API_NO_MEMORY;
}

/* ---- lines ---- */

/* The rows that do not tell time; the caller's. NULL: memory is short. */
static json_t *sound_rows(const json_t *rows)
{
    json_t *sound = json_array(), *row;
    bool good = sound != NULL;
    size_t k;

    json_array_foreach(rows, k, row)
    {
        const char *name = json_string_value(json_object_get(row, "name"));
        if (good && !tells_time(name) && strncmp(name, WIRE_SHARES, strlen(WIRE_SHARES)) != 0)
            good = json_array_append(sound, row) == 0;
    }
    return build_done(sound, good);
}

/* A line without the names of its files, which are where they lie. */
static json_t *line_without_names(const struct wire_message *message)
{
    json_t *line = json_copy(message->document);

    json_object_del(line, "path");
    if (message->type == WIRE_CHECKPOINT) /* it tells times, and is hashed without them */
        json_object_del(line, "sha256");
    return line;
}

enum api_error answer_hash_line(const struct wire_message *message, const char *path,
                                char ret_hash[ANSWER_MAX])
{
    json_t *said;

    ret_hash[0] = '\0';
    switch (message->type) {
    case WIRE_METRICS:
        said = sound_rows(message->metrics.rows);
        path = NULL;
        break;
    case WIRE_CHECKPOINT:
        said = line_without_names(message);
        break;
    case WIRE_MODEL:
        said = line_without_names(message);
        path = NULL;
        break;
    default:
        return API_OK;
    }
    enum api_error error = said ? API_OK : API_NO_MEMORY;
    if (said && !(json_is_array(said) && json_array_size(said) == 0))
        error = answer_hash(said, path, ret_hash);
    json_decref(said);
    return error;
}

void answer_add(char all[ANSWER_MAX], const char *next)
{
    unsigned char sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state hash;

    crypto_hash_sha256_init(&hash);
    crypto_hash_sha256_update(&hash, (const unsigned char *)all, strlen(all) + 1);
    crypto_hash_sha256_update(&hash, (const unsigned char *)next, strlen(next));
    crypto_hash_sha256_final(&hash, sum);
    sodium_bin2hex(all, ANSWER_MAX, sum, sizeof sum);
}

bool answer_is_comparable(const char *spec)
{
    json_t *document = load_json_text(spec);
    const json_t *limits = json_object_get(document, "limits");
    bool is_timed = json_is_number(json_object_get(limits, "time_ms")) || strstr(spec, "time_ms=");

    json_decref(document);
    return !is_timed;
}
