/* How users write a player: NAME or NAME:SETTING=VALUE,SETTING=VALUE; and the list of what can be
 * written, as JSON. The programs that play and the daemon that checks what it is asked for read
 * with the same functions, each with a list of kinds: the programs have it in code, the daemon
 * gets it from them. */
#ifndef RINKD_API_PLAYER_SPEC_H
#define RINKD_API_PLAYER_SPEC_H

#include "api/strict_json.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PLAYER_SETTINGS_MAX = 20,
    PLAYER_MODEL_MAX = 256,  /* bytes of what names a model, with 0 */
    PLAYER_SPEC_MAX = 1024,  /* bytes of a spec, with 0 */
    PLAYER_ERROR_MAX = 1024, /* bytes that are always enough for what is wrong with one */
    PLAYER_KINDS_MAX = 64
};

/* A setting. The value is a double whatever the kind, but for SETTING_MODEL: that is a text, and
 * the double is 1 where it was given. A kind of player has at most one setting of that kind. */
enum setting_kind { SETTING_NUMBER, SETTING_WHOLE, SETTING_BOOL, SETTING_CHOICE, SETTING_MODEL };

struct player_setting {
    const char *name;
    enum setting_kind kind;
    double initial, least, most; /* SETTING_BOOL: 0 or 1; SETTING_CHOICE: index into choices;
                                  * SETTING_MODEL: least = 1 where it must be given, else all 0 */
    const char *const *choices;  /* SETTING_CHOICE: names, NULL at the end */
    const char *about;
};

struct player_kind {
    const char *name, *about;
    const struct player_setting *settings; /* ends with name NULL; may be NULL */
};

/* A spec that was read. */
struct player_spec {
    int kind;                            /* index into the list it was read with */
    double setting[PLAYER_SETTINGS_MAX]; /* in the order of the kind's settings */
    char model[PLAYER_MODEL_MAX];        /* of its SETTING_MODEL; "": not given, or it has none */
};

/* How a model (models/networks/policy.h) is written: at most PLAYER_MODEL_MAX - 1 printable
 * characters of ASCII without commas.
 *   PLAYER_MODEL_HASH  64 hexadecimal digits in lower case, the SHA-256 of the file
 *   PLAYER_MODEL_PATH  the path of a file: has a '/' in it or ends in ".safetensors"
 *   PLAYER_MODEL_NAME  anything else: a model's name or alias
 * Programs read hashes (a file HASH.safetensors in the folder of models) and paths. Names are known
 * to the daemon alone, which puts the hash in their place before it hands a spec on; paths it
 * refuses, as clients have no business among its files. */
enum player_model_kind { PLAYER_MODEL_HASH, PLAYER_MODEL_PATH, PLAYER_MODEL_NAME };
enum player_model_kind player_model_kind(const char *model);

/* Reads a spec with a list of kinds, which ends with name NULL. On success true; else false and a
 * sentence in ret_error (at most `size` bytes with the final 0) that names what is wrong and what
 * there is to choose from. *ret_spec is untouched on failure. */
bool player_spec_read(const struct player_kind *kinds, const char *text,
                      struct player_spec *ret_spec, size_t size, char *ret_error);

/* The shortest text that reads back as this spec: the name and the settings that are not the
 * initial ones, in the order of the kind, which is the one that the spec was read with. At most
 * `size` bytes with the final 0; PLAYER_SPEC_MAX is always enough. */
void player_spec_write(const struct player_kind *kind, const struct player_spec *spec, size_t size,
                       char *ret_text);

/* The list as JSON: [{"name","about","settings":[{"name","type","default","least","most","choices",
 * "about"}]}]; type is "number", "whole", "boolean", "choice" or "model"; only numbers have least
 * and most, only choices have choices; a model has "required" and no default. The caller owns it;
 * NULL when memory is short. */
json_t *player_kinds_json(const struct player_kind *kinds);

/* Reads such a list. True and an array that ends with name NULL, for free(); its texts belong to
 * the document. False and at least one error otherwise. */
bool player_kinds_read(json_t *document, struct player_kind **ret_kinds,
                       struct strict_errors *ret_errors);

#ifdef __cplusplus
}
#endif

#endif
