/* Reads and writes players as users write them, NAME or NAME:SETTING=VALUE,SETTING=VALUE, and the
 * list of all kinds of players as JSON. Programs and daemon pass a list of kinds to the same
 * functions; the programs have that list in code, the daemon gets it from them. */
#ifndef RINKD_API_FIELDS_PLAYER_SPEC_H
#define RINKD_API_FIELDS_PLAYER_SPEC_H

#include "api/base/strict_json.h"

#include <stdint.h>

enum {
    PLAYER_SETTINGS_MAX = 20,
    PLAYER_MODEL_MAX = 256,  /* bytes of a model's name, with 0 */
    PLAYER_SPEC_MAX = 1024,  /* bytes of a spec, with 0 */
    PLAYER_ERROR_MAX = 1024, /* bytes, enough for any error message */
    PLAYER_KINDS_MAX = 64,
    PLAYER_TIME_MAX_MS = 86400000 /* a day: the largest time limit of a move */
};
#define PLAYER_SIMULATIONS_MAX INT64_C(1000000000000) /* of a move */

/* A setting. Its value is a double. SETTING_MODEL: the value is a text, and the double is 1 if it
 * was given; SETTING_VALUES: the same, of a model that values positions inside an end. A kind of
 * player has at most one of each. */
enum setting_kind {
    SETTING_NUMBER,
    SETTING_WHOLE,
    SETTING_BOOL,
    SETTING_CHOICE,
    SETTING_MODEL,
    SETTING_VALUES
};

struct player_setting {
    const char *name;
    enum setting_kind kind;
    double initial, least,
        most;                   /* SETTING_BOOL: 0 or 1; SETTING_CHOICE: index into choices;
                                 * SETTING_MODEL, SETTING_VALUES: least = 1 if required, else all 0 */
    const char *const *choices; /* SETTING_CHOICE: names, NULL at the end */
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
    /* Values of its SETTING_MODEL and SETTING_VALUES; "": not given or no such setting. */
    char model[PLAYER_MODEL_MAX], values[PLAYER_MODEL_MAX];
};

/* Ways to name a model (models/networks/policy.h), in at most PLAYER_MODEL_MAX - 1 printable
 * characters of ASCII without commas.
 *   PLAYER_MODEL_HASH  64 hexadecimal digits in lower case, the SHA-256 of the file
 *   PLAYER_MODEL_PATH  the path of a file: has a '/' in it or ends in ".safetensors"
 *   PLAYER_MODEL_NAME  anything else: a model's name or alias
 * Programs read hashes (the file HASH.safetensors in the folder of models) and paths. Only the
 * daemon knows names: it replaces a name by its hash before it passes a spec on. It refuses paths,
 * so that clients cannot reach its files. */
enum player_model_kind { PLAYER_MODEL_HASH, PLAYER_MODEL_PATH, PLAYER_MODEL_NAME };
enum player_model_kind player_model_kind(const char *model);

/* Reads a spec with a list of kinds, which ends with name NULL. On failure returns false and
 * writes a sentence into ret_error (at most `size` bytes with the final 0) that names the mistake
 * and the possible values; *ret_spec is untouched. */
bool player_spec_read(const struct player_kind *kinds, const char *text,
                      struct player_spec *ret_spec, size_t size, char *ret_error);

/* Players that take turns in a match: switch:PLAYER|PLAYER…,every=GAMES. Each plays that many
 * games, then the next one, and after the last the first again. */
#define PLAYER_SWITCH_PREFIX "switch:"
enum { PLAYER_TURNS_MAX = 8, PLAYER_EVERY_MAX = 1000000 };

struct player_switch {
    int players, every;
    char player[PLAYER_TURNS_MAX][PLAYER_SPEC_MAX]; /* specs, unread */
};

/* Whether a text is one of a switch. */
bool player_is_switch(const char *text);
/* Reads its form, not its players. On failure returns false and writes a sentence
 * (PLAYER_ERROR_MAX bytes). */
bool player_switch_read(const char *text, struct player_switch *ret_switch, char *ret_error);
/* Writes it; at most `size` bytes with the final 0. False: it does not fit. */
bool player_switch_write(const struct player_switch *turns, size_t size, char *ret_text);

/* Writes the shortest text that reads back as this spec: the name and the settings that differ
 * from their defaults, in the order of the kind the spec was read with. At most
 * `size` bytes with the final 0; PLAYER_SPEC_MAX is always enough. */
void player_spec_write(const struct player_kind *kind, const struct player_spec *spec, size_t size,
                       char *ret_text);

/* The list as JSON: [{"name","about","settings":[{"name","type","default","least","most","choices",
 * "about"}]}]; type is "number", "whole", "boolean", "choice", "model" or "values"; only numbers
 * have least and most, only choices have choices; a model and values have "required" and no
 * default. The caller owns it; NULL when memory is short. */
json_t *player_kinds_json(const struct player_kind *kinds);

/* Reads such a list. Returns true and an array that ends with name NULL, or false and at least one
 * error. The caller passes the array to free(); its texts belong to the document. */
bool player_kinds_read(json_t *document, struct player_kind **ret_kinds,
                       struct strict_errors *ret_errors);

#endif
