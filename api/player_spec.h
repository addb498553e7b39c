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
    PLAYER_SETTINGS_MAX = 16,
    PLAYER_SPEC_MAX = 512,   /* bytes of a spec, with 0 */
    PLAYER_ERROR_MAX = 1024, /* bytes that are always enough for what is wrong with one */
    PLAYER_KINDS_MAX = 64
};

/* A setting. The value is a double whatever the kind. */
enum setting_kind { SETTING_NUMBER, SETTING_WHOLE, SETTING_BOOL, SETTING_CHOICE };

struct player_setting {
    const char *name;
    enum setting_kind kind;
    double initial, least, most; /* SETTING_BOOL: 0 or 1; SETTING_CHOICE: index into choices */
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
};

/* Reads a spec with a list of kinds, which ends with name NULL. On success true; else false and a
 * sentence in ret_error (at most `size` bytes with the final 0) that names what is wrong and what
 * there is to choose from. *ret_spec is untouched on failure. */
bool player_spec_read(const struct player_kind *kinds, const char *text,
                      struct player_spec *ret_spec, size_t size, char *ret_error);

/* The shortest text that reads back as these values: the name and the settings that are not the
 * initial ones, in the order of the kind. At most `size` bytes with the final 0; PLAYER_SPEC_MAX is
 * always enough. */
void player_spec_write(const struct player_kind *kind, const double *setting, size_t size,
                       char *ret_text);

/* The list as JSON: [{"name","about","settings":[{"name","type","default","least","most","choices",
 * "about"}]}]; type is "number", "whole", "boolean" or "choice"; only numbers have least and most,
 * only choices have choices. The caller owns it; NULL when memory is short. */
json_t *player_kinds_json(const struct player_kind *kinds);

/* Reads such a list. True and an array that ends with name NULL, for free(); its texts belong to
 * the document. False and at least one error otherwise. */
bool player_kinds_read(json_t *document, struct player_kind **ret_kinds,
                       struct strict_errors *ret_errors);

#ifdef __cplusplus
}
#endif

#endif
