/* Reads the tokens file: lines NAME SCOPES SHA256 [LIMIT=VALUE …]. */
#include "service/base/config_tokens.h"

#include "api/base/build_json.h"
#include "api/base/next_line.h"
#include "api/base/time_text.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <sodium.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TOKEN_BYTES = 24 };

#define BLANKS  " \t\r\n"
#define EXPIRES "expires"

static const struct {
    const char *name;
    unsigned bit;
} scopes[] = {{"read", SCOPE_READ},
              {"query", SCOPE_QUERY},
              {"train", SCOPE_TRAIN},
              {"work", SCOPE_WORK},
              {"admin", SCOPE_ADMIN}};
enum { SCOPES = sizeof scopes / sizeof *scopes };

static const struct limit {
    const char *name;
    size_t offset; /* in struct config_limits */
    int64_t most;
} limits[] = {{"jobs", offsetof(struct config_limits, jobs), 1000000000},
              {"bytes", offsetof(struct config_limits, bytes), (int64_t)1 << 50},
              {"cores", offsetof(struct config_limits, cores), 1000000}};
enum { LIMITS = sizeof limits / sizeof *limits };

/* ---- scopes and limits ---- */

void config_scopes_write(unsigned bits, char ret_text[CONFIG_SCOPES_TEXT_MAX])
{
    size_t length = 0;

    ret_text[0] = '\0';
    for (int k = 0; k < SCOPES; k++)
        if (bits & scopes[k].bit)
            length += (size_t)snprintf(ret_text + length, CONFIG_SCOPES_TEXT_MAX - length, "%s%s",
                                       length > 0 ? " or " : "", scopes[k].name);
    assert(length < CONFIG_SCOPES_TEXT_MAX);
}

unsigned config_scopes_whole(unsigned bits)
{
    return bits & (SCOPE_TRAIN | SCOPE_ADMIN) ? bits | SCOPE_READ : bits;
}

bool config_scopes_read(const char *text, unsigned *ret_scopes)
{
    char copy[64], *rest = copy, *word;

    *ret_scopes = 0;
    if (strlen(text) >= sizeof copy)
        return false;
    strcpy(copy, text);
    while ((word = strsep(&rest, ",")) != NULL) {
        int k = 0;
        while (k < SCOPES && strcmp(scopes[k].name, word) != 0)
            k++;
        if (k == SCOPES)
            return false;
        *ret_scopes |= scopes[k].bit;
    }
    return true;
}

json_t *config_scopes_json(unsigned bits)
{
    json_t *names = json_array();

    for (int k = 0; k < SCOPES; k++)
        if (bits & scopes[k].bit)
            json_array_append_new(names, json_string(scopes[k].name));
    return names;
}

json_t *config_limits_json(const struct config_limits *of)
{
    json_t *document = json_object();

    for (int k = 0; k < LIMITS; k++) {
        int64_t value = *(const int64_t *)(const void *)((const char *)of + limits[k].offset);
        json_object_set_new(document, limits[k].name,
                            value > 0 ? json_integer(value) : json_null());
    }
    return document;
}

json_t *config_token_json(const struct config_token *token)
{
    return json_pack("{s:s, s:o, s:o, s:o}", "name", token->name, "scopes",
                     config_scopes_json(token->scopes), "expires_at",
                     token->expires_ms != 0 ? build_time(token->expires_ms) : json_null(), "limits",
                     config_limits_json(&token->limits));
}

/* ---- lines ---- */

static bool name_is_good(const char *name)
{
    size_t length = strlen(name);

    return length > 0 && length < CONFIG_NAME_MAX &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
               length;
}

static bool read_hash(const char *text, unsigned char ret_hash[32])
{
    size_t length;

    return strlen(text) == 64 && sodium_hex2bin(ret_hash, 32, text, 64, NULL, &length, NULL) == 0 &&
           length == 32;
}

/* A line of the file, for messages. */
struct line {
    struct config_reading *reading;
    const char *file;
    int number;
};

static bool complain_twice(const struct line *line, const char *name)
{
    return config_complain(line->reading, "%s:%d: %s is there twice", line->file, line->number,
                           name);
}

static bool read_expiry(const struct line *line, const char *text, struct config_token *ret_token)
{
    if (ret_token->expires_ms != 0)
        return complain_twice(line, EXPIRES);
    if (!time_read(text, &ret_token->expires_ms))
        return config_complain(line->reading,
                               "%s:%d: " EXPIRES " must be a date or a time with its zone, "
                               "2027-01-31 or 2027-01-31T12:00:00Z, not '%s'",
                               line->file, line->number, text);
    ret_token->expires_ms += ret_token->expires_ms == 0; /* 0 is never */
    return true;
}

/* Reads "jobs=100" or "expires=2027-01-31" into the token. */
static bool read_word(const struct line *line, char *word, struct config_token *ret_token)
{
    char *text = word, *end = NULL;
    const char *name = strsep(&text, "=");
    int k = 0;

    if (text && strcmp(name, EXPIRES) == 0)
        return read_expiry(line, text, ret_token);
    while (text && k < LIMITS && strcmp(limits[k].name, name) != 0)
        k++;
    if (!text || k == LIMITS)
        return config_complain(line->reading,
                               "%s:%d: a line is NAME SCOPES SHA256, then perhaps jobs=N, bytes=N, "
                               "cores=N, " EXPIRES "=TIME, but not '%s'",
                               line->file, line->number, name);
    int64_t *place = (int64_t *)(void *)((char *)&ret_token->limits + limits[k].offset);
    if (*place != 0)
        return complain_twice(line, name);
    errno = 0;
    int64_t value = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : 0;
    if (errno != 0 || value < 1 || value > limits[k].most || *end)
        return config_complain(line->reading,
                               "%s:%d: %s must be a whole number from 1 to %lld, not '%s'",
                               line->file, line->number, name, (long long)limits[k].most, text);
    *place = value;
    return true;
}

/* Checks a token against those above it, and adds it. */
static void add_token(const struct line *line, const struct config_token *token,
                      struct config *config)
{
    for (int k = 0; k < config->token_count; k++)
        if (memcmp(config->tokens[k].sha256, token->sha256, sizeof token->sha256) == 0) {
            config_complain(line->reading, "%s:%d: a line above has the same token, of %s",
                            line->file, line->number, config->tokens[k].name);
            return;
        }
    for (int k = 0; k < config->token_count; k++)
        if (strcmp(config->tokens[k].name, token->name) == 0 &&
            memcmp(&config->tokens[k].limits, &token->limits, sizeof token->limits) != 0) {
            config_complain(
                line->reading,
                "%s:%d: the limits of a caller must be the same in all its lines; those "
                "of %s differ",
                line->file, line->number, token->name);
            return;
        }
    if (config->token_count == CONFIG_TOKENS_MAX)
        config_complain(line->reading, "%s:%d: more than %d tokens", line->file, line->number,
                        CONFIG_TOKENS_MAX);
    else
        config->tokens[config->token_count++] = *token;
}

/* False: the line is empty or a comment. */
static bool read_token(const struct line *line, char *text, struct config *config)
{
    char *rest = NULL, *name = strtok_r(text, BLANKS, &rest), *word;
    const char *words = name ? strtok_r(NULL, BLANKS, &rest) : NULL;
    const char *hash = words ? strtok_r(NULL, BLANKS, &rest) : NULL;
    struct config_token token = {.scopes = 0};
    bool good = false;

    if (!name || *name == '#')
        return false;
    if (!hash)
        config_complain(line->reading, "%s:%d: a line is NAME SCOPES SHA256", line->file,
                        line->number);
    else if (!name_is_good(name))
        config_complain(line->reading,
                        "%s:%d: a name has letters, digits, - _ . and less than %d bytes",
                        line->file, line->number, CONFIG_NAME_MAX);
    else if (!config_scopes_read(words, &token.scopes))
        config_complain(line->reading, "%s:%d: scopes are read,query,train,work,admin, not '%s'",
                        line->file, line->number, words);
    else if (!read_hash(hash, token.sha256))
        config_complain(line->reading, "%s:%d: a SHA-256 has 64 hexadecimal digits", line->file,
                        line->number);
    else
        good = true;
    while (good && (word = strtok_r(NULL, BLANKS, &rest)) != NULL)
        good = read_word(line, word, &token);
    if (good) {
        strcpy(token.name, name);
        add_token(line, &token, config);
    }
    return true;
}

void config_tokens_read(struct config_reading *reading, struct config *config)
{
    struct line line = {.reading = reading, .file = config->tokens_file};
    FILE *file = fopen(line.file, "re");
    struct stat found;
    bool is_empty = true;
    char *text = NULL;
    size_t size = 0;
    ssize_t length;

    if (!file) {
        config_complain(reading, "%s: %s", line.file, strerror(errno));
        return;
    }
    if (fstat(fileno(file), &found) == 0 && (found.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        config_complain(reading,
                        "%s: others can write this file and so make tokens; run chmod go-w on it",
                        line.file);
    while ((length = next_line(&text, &size, file)) > 0) {
        line.number++;
        is_empty = !read_token(&line, text, config) && is_empty;
    }
    bool is_whole = length == 0;
    if (!is_whole)
        config_complain(reading, "%s: %s", line.file, strerror(errno));
    free(text);
    fclose(file);
    if (is_whole && is_empty)
        config_complain(reading, "%s: there is no token in it", line.file);
}

const struct config_token *config_token_find(const struct config_token *tokens, int count,
                                             const char *text)
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    const struct config_token *found = NULL;

    crypto_hash_sha256(hash, (const unsigned char *)text, strlen(text));
    for (int k = 0; k < count; k++) /* compares all tokens, so the time reveals nothing */
        if (sodium_memcmp(tokens[k].sha256, hash, sizeof hash) == 0)
            found = &tokens[k];
    return found;
}

void config_token_make(struct config_reading *reading, char *given)
{
    unsigned char bytes[TOKEN_BYTES], hash[crypto_hash_sha256_BYTES];
    char text[2 * TOKEN_BYTES + 1], hex[65], unnamed[] = "token", *name = given;
    const char *words = strsep(&name, ":");
    unsigned bits;

    if (!name)
        name = unnamed;
    if (!config_scopes_read(words, &bits)) {
        config_complain(reading, "--new-token: scopes are read,query,train,work,admin, not '%s'",
                        words);
        return;
    }
    if (!name_is_good(name)) {
        config_complain(reading, "--new-token: '%s' cannot be a name", name);
        return;
    }
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2hex(text, sizeof text, bytes, sizeof bytes);
    crypto_hash_sha256(hash, (const unsigned char *)text, strlen(text));
    sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
    printf("%s\n%s %s %s\n", text, name, words, hex);
}
