/* Hashes without times. See answer.h. */
#include "service/nodes/answer.h"

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

/* Adds the lines of a file. API_BAD_FIELD: one of them is not JSON. */
static enum api_error add_lines(crypto_hash_sha256_state *hash, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length = 0;
    enum api_error error = API_OK;

    while (error == API_OK && (length = next_line(&line, &room, file)) > 0) {
        json_error_t wrong;
        json_t *document = load_json(line, (size_t)length, 0, &wrong);
        if (!document)
            error =
                json_error_code(&wrong) == json_error_out_of_memory ? API_NO_MEMORY : API_BAD_FIELD;
        else if (!add_document(hash, document))
            error = API_NO_MEMORY;
        json_decref(document);
    }
    free(line);
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
    crypto_hash_sha256_state hash, before;
    FILE *file = path ? fopen(path, "re") : NULL;

    crypto_hash_sha256_init(&hash);
    bool good = add_document(&hash, result);
    if (path && !file)
        return API_NOT_FOUND;
    before = hash;
    enum api_error lines = good && file ? add_lines(&hash, file) : API_OK;
    if (lines == API_BAD_FIELD) { /* not a file of JSON */
        hash = before;
        rewind(file);
        good = add_bytes(&hash, file);
    } else if (lines != API_OK) {
        good = false;
    }
    if (file)
        fclose(file);
    crypto_hash_sha256_final(&hash, sum);
    sodium_bin2hex(ret_answer, ANSWER_MAX, sum, sizeof sum);
    return good ? API_OK : API_NO_MEMORY;
}

bool answer_is_comparable(const char *spec)
{
    json_t *document = load_json_text(spec);
    const json_t *limits = json_object_get(document, "limits");
    bool is_timed = json_is_number(json_object_get(limits, "time_ms")) || strstr(spec, "time_ms=");

    json_decref(document);
    return !is_timed;
}
