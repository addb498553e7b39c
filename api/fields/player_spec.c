/* Reads and writes players for all programs. See player_spec.h. */
#include "api/fields/player_spec.h"

#include "api/base/build_json.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text of bounded length, written piece by piece; cut off if too long. */
struct text {
    char *bytes;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void text_add(struct text *text, const char *format,
                                                           ...)
{
    va_list arguments;
    if (text->used >= text->size)
        return;
    va_start(arguments, format);
    int count = vsnprintf(text->bytes + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    text->used += count > 0 ? (size_t)count : 0;
}

/* ---- reading ---- */

/* Whether the `length` bytes at `text` are the name. */
static bool is_name(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

static int find_kind(const struct player_kind *kinds, const char *name, size_t length)
{
    for (int k = 0; kinds[k].name; k++)
        if (is_name(kinds[k].name, name, length))
            return k;
    return -1;
}

static const struct player_setting *setting_at(const struct player_kind *kind, int index)
{
    return kind->settings && kind->settings[index].name ? &kind->settings[index] : NULL;
}

static int find_setting(const struct player_kind *kind, const char *name, size_t length)
{
    const struct player_setting *setting;
    for (int k = 0; (setting = setting_at(kind, k)) != NULL; k++)
        if (is_name(setting->name, name, length))
            return k;
    return -1;
}

enum player_model_kind player_model_kind(const char *model)
{
    static const char ending[] = ".safetensors";
    size_t length = strlen(model);

    if (length == 64 && strspn(model, "0123456789abcdef") == 64)
        return PLAYER_MODEL_HASH;
    if (strchr(model, '/') ||
        (length >= strlen(ending) && strcmp(model + length - strlen(ending), ending) == 0))
        return PLAYER_MODEL_PATH;
    return PLAYER_MODEL_NAME;
}

static bool is_model(const struct player_setting *setting)
{
    return setting->kind == SETTING_MODEL || setting->kind == SETTING_VALUES;
}

static bool read_model(const struct player_kind *kind, const struct player_setting *setting,
                       const char *value, size_t length, char ret_model[PLAYER_MODEL_MAX],
                       struct text *error)
{
    bool printable = true;

    for (size_t k = 0; k < length; k++)
        printable = printable && value[k] > ' ' && value[k] <= '~';
    if (length < 1 || length >= PLAYER_MODEL_MAX || !printable) {
        text_add(error,
                 "player %s: %s is a model: its name, the SHA-256 of its file, or a path; at most "
                 "%d printable characters",
                 kind->name, setting->name, PLAYER_MODEL_MAX - 1);
        return false;
    }
    memcpy(ret_model, value, length);
    ret_model[length] = '\0';
    return true;
}

/* Reads a number in plain decimal notation that the setting allows. */
static bool read_number(const struct player_setting *setting, const char *text, double *ret_value)
{
    char *end;
    double number = strtod(text, &end);

    if (!*text || *end || text[strspn(text, "+-.0123456789eE")] ||
        !(number >= setting->least && number <= setting->most) ||
        (setting->kind == SETTING_WHOLE && number != rint(number)))
        return false;
    *ret_value = number;
    return true;
}

/* Reads the value of a setting; on failure the error lists the allowed values. */
static bool read_value(const struct player_kind *kind, const struct player_setting *setting,
                       const char *value, size_t length, double *ret_value, struct text *error)
{
    static const char *const flags[] = {"false", "true", NULL};
    const char *const *choices = setting->kind == SETTING_BOOL ? flags : setting->choices;
    bool is_number = setting->kind == SETTING_NUMBER || setting->kind == SETTING_WHOLE;
    char copy[64] = "";

    if (length < sizeof copy)
        memcpy(copy, value, length);
    if (is_number && read_number(setting, copy, ret_value))
        return true;
    for (int k = 0; !is_number && choices[k]; k++)
        if (is_name(choices[k], value, length)) {
            *ret_value = k;
            return true;
        }
    text_add(error, "player %s: %s=%.*s: is ", kind->name, setting->name,
             length > 64 ? 64 : (int)length, value);
    if (is_number)
        text_add(error, "a %snumber from %g to %g", setting->kind == SETTING_WHOLE ? "whole " : "",
                 setting->least, setting->most);
    else
        text_add(error, setting->kind == SETTING_BOOL ? "true or false" : "one of");
    for (int k = 0; setting->kind == SETTING_CHOICE && choices[k]; k++)
        text_add(error, "%s %s", k ? "," : "", choices[k]);
    return false;
}

static void say_settings(const struct player_kind *kind, struct text *error)
{
    const struct player_setting *setting;
    text_add(error, setting_at(kind, 0) ? "; there are" : "; it has none");
    for (int k = 0; (setting = setting_at(kind, k)) != NULL; k++)
        text_add(error, "%s %s", k ? "," : "", setting->name);
}

bool player_spec_read(const struct player_kind *kinds, const char *text,
                      struct player_spec *ret_spec, size_t size, char *ret_error)
{
    struct text error = {ret_error, size, 0};
    struct player_spec spec = {0};
    bool given[PLAYER_SETTINGS_MAX] = {false};

    if (size > 0)
        ret_error[0] = '\0';
    size_t name = strcspn(text, ":");
    spec.kind = find_kind(kinds, text, name);
    if (spec.kind < 0) {
        text_add(&error, "no player is called \"%.*s\"; there are", name > 64 ? 64 : (int)name,
                 text);
        for (int k = 0; kinds[k].name; k++)
            text_add(&error, "%s %s", k ? "," : "", kinds[k].name);
        return false;
    }
    const struct player_kind *kind = &kinds[spec.kind];
    const struct player_setting *setting;
    for (int k = 0; (setting = setting_at(kind, k)) != NULL; k++)
        spec.setting[k] = setting->initial;

    const char *at = text + name;
    while (*at) {
        at++; /* the ':' or ',' */
        size_t part = strcspn(at, ","), key = strcspn(at, "=,");
        int index = find_setting(kind, at, key);
        if (index < 0 || at[key] != '=') {
            text_add(&error,
                     "player %s: \"%.*s\" is not one of its settings with a value, SETTING=VALUE",
                     kind->name, part > 64 ? 64 : (int)part, at);
            say_settings(kind, &error);
            return false;
        }
        setting = &kind->settings[index];
        if (given[index]) {
            text_add(&error, "player %s: %s is given twice", kind->name, setting->name);
            return false;
        }
        given[index] = true;
        const char *value = at + key + 1;
        size_t length = part - key - 1;
        spec.setting[index] = 1.0; /* for a model; other kinds overwrite it */
        if (is_model(setting)
                ? !read_model(kind, setting, value, length,
                              setting->kind == SETTING_MODEL ? spec.model : spec.values, &error)
                : !read_value(kind, setting, value, length, &spec.setting[index], &error))
            return false;
        at += part;
    }
    for (int k = 0; (setting = setting_at(kind, k)) != NULL; k++)
        if (is_model(setting) && setting->least > 0.0 && !given[k]) {
            text_add(&error, "player %s: %s=MODEL is missing: %s", kind->name, setting->name,
                     setting->about);
            return false;
        }
    *ret_spec = spec;
    return true;
}

/* ---- players that take turns ---- */

#define EVERY ",every="

bool player_is_switch(const char *text)
{
    return strncmp(text, PLAYER_SWITCH_PREFIX, strlen(PLAYER_SWITCH_PREFIX)) == 0;
}

bool player_switch_read(const char *text, struct player_switch *ret_switch, char *ret_error)
{
    const char *at = text + strlen(PLAYER_SWITCH_PREFIX), *comma = strstr(at, EVERY), *next;
    char *end = NULL;

    while (comma && (next = strstr(comma + 1, EVERY)) != NULL)
        comma = next;
    long every = comma ? strtol(comma + strlen(EVERY), &end, 10) : 0;
    if (!comma || *end || end == comma + strlen(EVERY) || every < 1 || every > PLAYER_EVERY_MAX) {
        snprintf(ret_error, PLAYER_ERROR_MAX,
                 "switch:PLAYER|PLAYER,every=GAMES needs games from 1 to %d at its end",
                 PLAYER_EVERY_MAX);
        return false;
    }
    *ret_switch = (struct player_switch){.every = (int)every};
    for (size_t length; at <= comma; at += length + 1) {
        length = strcspn(at, "|");
        length = at + length > comma ? (size_t)(comma - at) : length;
        if (ret_switch->players == PLAYER_TURNS_MAX || length >= PLAYER_SPEC_MAX) {
            snprintf(ret_error, PLAYER_ERROR_MAX,
                     "switch: has more than %d players, or one with too long a name",
                     PLAYER_TURNS_MAX);
            return false;
        }
        memcpy(ret_switch->player[ret_switch->players++], at, length);
    }
    if (ret_switch->players >= 2)
        return true;
    snprintf(ret_error, PLAYER_ERROR_MAX, "switch: needs at least two players");
    return false;
}

bool player_switch_write(const struct player_switch *turns, size_t size, char *ret_text)
{
    struct text text = {ret_text, size, 0};

    for (int k = 0; k < turns->players; k++)
        text_add(&text, "%s%s", k > 0 ? "|" : PLAYER_SWITCH_PREFIX, turns->player[k]);
    text_add(&text, EVERY "%d", turns->every);
    return text.used < size;
}

void player_spec_write(const struct player_kind *kind, const struct player_spec *spec, size_t size,
                       char *ret_text)
{
    struct text text = {ret_text, size, 0};
    const struct player_setting *row;
    char mark = ':';

    text_add(&text, "%s", kind->name);
    for (int k = 0; (row = setting_at(kind, k)) != NULL; k++) {
        double value = spec->setting[k];
        if (value == row->initial)
            continue;
        text_add(&text, "%c%s=", mark, row->name);
        mark = ',';
        if (row->kind == SETTING_BOOL)
            text_add(&text, "%s", value != 0.0 ? "true" : "false");
        else if (row->kind == SETTING_CHOICE)
            text_add(&text, "%s", row->choices[(int)value]);
        else if (row->kind == SETTING_MODEL)
            text_add(&text, "%s", spec->model);
        else if (row->kind == SETTING_VALUES)
            text_add(&text, "%s", spec->values);
        else
            text_add(&text, "%.15g", value);
    }
}

/* ---- the list as JSON ---- */

static const char *const type_names[] = {[SETTING_NUMBER] = "number",
                                         [SETTING_WHOLE] = "whole",
                                         [SETTING_BOOL] = "boolean",
                                         [SETTING_CHOICE] = "choice",
                                         [SETTING_MODEL] = "model",
                                         [SETTING_VALUES] = "values",
                                         NULL};

/* The members that depend on the type. */
static json_t *values_json(const struct player_setting *setting)
{
    switch (setting->kind) {
    case SETTING_NUMBER:
        return json_pack("{s:f, s:f, s:f}", "default", setting->initial, "least", setting->least,
                         "most", setting->most);
    case SETTING_WHOLE:
        return json_pack("{s:I, s:I, s:I}", "default", (json_int_t)setting->initial, "least",
                         (json_int_t)setting->least, "most", (json_int_t)setting->most);
    case SETTING_BOOL:
        return json_pack("{s:b}", "default", setting->initial != 0.0);
    case SETTING_CHOICE:
        return json_pack("{s:s, s:o}", "default", setting->choices[(int)setting->initial],
                         "choices", build_texts(setting->choices));
    case SETTING_MODEL:
    case SETTING_VALUES:
        break;
    }
    return json_pack("{s:b}", "required", setting->least > 0.0);
}

static json_t *setting_json(const struct player_setting *setting)
{
    json_t *json =
        json_pack("{s:s, s:s}", "name", setting->name, "type", type_names[setting->kind]);
    bool good = json_object_update_new(json, values_json(setting)) == 0 &&
                build_add(json, "about", json_string(setting->about));

    return build_done(json, good);
}

json_t *player_kinds_json(const struct player_kind *kinds)
{
    json_t *list = json_array();
    bool good = true;

    for (const struct player_kind *kind = kinds; kind->name; kind++) {
        const struct player_setting *setting;
        json_t *settings = json_array();
        for (int k = 0; (setting = setting_at(kind, k)) != NULL; k++)
            good = build_append(settings, setting_json(setting)) && good;
        good = build_append(list, json_pack("{s:s, s:s, s:o}", "name", kind->name, "about",
                                            kind->about, "settings", settings)) &&
               good;
    }
    return build_done(list, good);
}

enum { NAME_MAX_BYTES = 64, ABOUT_MAX_BYTES = 1024, CHOICES_MAX = 64 };

/* One allocation for the list: all kinds, then all settings, then all choices. */
struct list {
    struct player_kind kinds[PLAYER_KINDS_MAX + 1];
    struct player_setting settings[PLAYER_KINDS_MAX][PLAYER_SETTINGS_MAX + 1];
    const char *choices[]; /* each setting's end with NULL */
};

static void read_choices(const struct strict_place *place, struct player_setting *setting,
                         const char ***at)
{
    const struct strict_place choices = strict_member(place, "choices");
    const struct strict_place initial = strict_member(place, "default");
    int index;

    setting->choices = *at;
    if (!strict_array(&choices, 1, CHOICES_MAX))
        return;
    for (size_t k = 0; k < json_array_size(choices.value); k++) {
        const struct strict_place choice = strict_element(&choices, k);
        if (!strict_text(&choice, NAME_MAX_BYTES, *at))
            return;
        ++*at;
    }
    ++*at; /* the NULL */
    if (strict_choice(&initial, setting->choices, &index))
        setting->initial = index;
}

static void read_setting(const struct strict_place *place, struct player_setting *setting,
                         const char ***choices)
{
    static const char *const keys[] = {"name",    "type",     "default", "least", "most",
                                       "choices", "required", "about",   NULL};
    const struct strict_place name = strict_member(place, "name");
    const struct strict_place type = strict_member(place, "type");
    const struct strict_place initial = strict_member(place, "default");
    const struct strict_place least = strict_member(place, "least");
    const struct strict_place most = strict_member(place, "most");
    const struct strict_place about = strict_member(place, "about");
    int kind;
    bool flag;

    if (!strict_object(place, keys) || !strict_text(&name, NAME_MAX_BYTES, &setting->name) ||
        !strict_choice(&type, type_names, &kind) ||
        !strict_text(&about, ABOUT_MAX_BYTES, &setting->about))
        return;
    setting->kind = (enum setting_kind)kind;
    if (setting->kind == SETTING_CHOICE) {
        read_choices(place, setting, choices);
    } else if (is_model(setting)) {
        const struct strict_place required = strict_member(place, "required");
        if (strict_flag(&required, &flag))
            setting->least = flag;
    } else if (setting->kind == SETTING_BOOL) {
        if (strict_flag(&initial, &flag))
            setting->initial = flag;
    } else if (strict_number(&least, -DBL_MAX, DBL_MAX, &setting->least) &&
               strict_number(&most, setting->least, DBL_MAX, &setting->most)) {
        strict_number(&initial, setting->least, setting->most, &setting->initial);
    }
}

static void read_kind(const struct strict_place *place, struct player_kind *kind,
                      struct player_setting *into, const char ***choices)
{
    static const char *const keys[] = {"name", "about", "settings", NULL};
    const struct strict_place name = strict_member(place, "name");
    const struct strict_place about = strict_member(place, "about");
    const struct strict_place settings = strict_member(place, "settings");

    kind->settings = into;
    if (!strict_object(place, keys) || !strict_text(&name, NAME_MAX_BYTES, &kind->name) ||
        !strict_text(&about, ABOUT_MAX_BYTES, &kind->about) ||
        !strict_array(&settings, 0, PLAYER_SETTINGS_MAX))
        return;
    int models = 0, values = 0;
    for (size_t k = 0; k < json_array_size(settings.value); k++) {
        const struct strict_place setting = strict_element(&settings, k);
        read_setting(&setting, &into[k], choices);
        models += into[k].name && into[k].kind == SETTING_MODEL;
        values += into[k].name && into[k].kind == SETTING_VALUES;
        if (models > 1 || values > 1) {
            strict_refuse(&setting, "value", "a player has at most one model");
            return;
        }
    }
}

/* Number of entries for all choices of the list, valid or not, with a NULL for each setting. */
static size_t count_choices(const json_t *document)
{
    size_t i, k, count = 0;
    const json_t *kind, *setting;

    json_array_foreach(document, i, kind)
        json_array_foreach(json_object_get(kind, "settings"), k, setting) count +=
        json_array_size(json_object_get(setting, "choices")) + 1;
    return count;
}

bool player_kinds_read(json_t *document, struct player_kind **ret_kinds,
                       struct strict_errors *ret_errors)
{
    ret_errors->count = ret_errors->dropped = 0;
    const struct strict_place root = strict_root(document, ret_errors);
    if (!strict_array(&root, 1, PLAYER_KINDS_MAX))
        return false;
    struct list *list = calloc(1, sizeof *list + count_choices(document) * sizeof list->choices[0]);
    if (!list) {
        strict_refuse(&root, "memory", "out of memory");
        return false;
    }
    const char **choices = list->choices;
    for (size_t k = 0; k < json_array_size(document); k++) {
        const struct strict_place kind = strict_element(&root, k);
        read_kind(&kind, &list->kinds[k], list->settings[k], &choices);
    }
    if (ret_errors->count > 0) {
        free(list);
        return false;
    }
    *ret_kinds = list->kinds;
    return true;
}
