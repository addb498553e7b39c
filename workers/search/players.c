/* All players there are, by name, and how they are written: NAME:SETTING=VALUE,… */
#include "workers/search/player.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Each is defined in the file that its name suggests. Adding one: a declaration and a line below.
 */
extern const struct player_class player_ai_simple;
extern const struct player_class player_dc3_rulebased;
extern const struct player_class player_generator;
extern const struct player_class player_kr_uct;
extern const struct player_class player_random;
extern const struct player_class player_rink;

static const struct player_class *const classes[] = {
    &player_random,
    &player_ai_simple,
    &player_dc3_rulebased,
    &player_generator,
    &player_kr_uct,
    &player_rink,
    NULL,
};

const struct player_class *player_class_at(int index)
{
    int count = (int)(sizeof classes / sizeof classes[0]) - 1;
    return index >= 0 && index < count ? classes[index] : NULL;
}

/* A text of bounded length that is written piece by piece; what does not fit is cut. */
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

static const struct player_class *find_class(const char *name, size_t length)
{
    const struct player_class *class;
    for (int k = 0; (class = player_class_at(k)) != NULL; k++)
        if (strlen(class->name) == length && memcmp(class->name, name, length) == 0)
            return class;
    return NULL;
}

static const struct player_setting *setting_at(const struct player_class *class, int index)
{
    return class->settings && class->settings[index].name ? &class->settings[index] : NULL;
}

static int find_setting(const struct player_class *class, const char *name, size_t length)
{
    const struct player_setting *setting;
    for (int k = 0; (setting = setting_at(class, k)) != NULL; k++)
        if (strlen(setting->name) == length && memcmp(setting->name, name, length) == 0)
            return k;
    return -1;
}

/* Reads the value of a setting; on failure says what it may be. */
static bool read_value(const struct player_class *class, const struct player_setting *setting,
                       const char *value, size_t length, double *ret_value, struct text *error)
{
    char copy[64];
    if (length < sizeof copy) {
        memcpy(copy, value, length);
        copy[length] = '\0';
        if (setting->kind == SETTING_BOOL) {
            if (strcmp(copy, "true") == 0 || strcmp(copy, "false") == 0) {
                *ret_value = copy[0] == 't' ? 1.0 : 0.0;
                return true;
            }
        } else if (setting->kind == SETTING_CHOICE) {
            for (int k = 0; setting->choices[k]; k++)
                if (strcmp(copy, setting->choices[k]) == 0) {
                    *ret_value = k;
                    return true;
                }
        } else {
            char *end;
            errno = 0;
            double number = strtod(copy, &end);
            bool plain = length > 0 && strspn(copy, "+-.0123456789eE") == length && *end == '\0';
            if (plain && number >= setting->least && number <= setting->most &&
                (setting->kind != SETTING_WHOLE || number == rint(number))) {
                *ret_value = number;
                return true;
            }
        }
    }
    text_add(error, "player %s: %s=%.*s: ", class->name, setting->name, (int)length, value);
    switch (setting->kind) {
    case SETTING_BOOL:
        text_add(error, "is true or false");
        break;
    case SETTING_CHOICE:
        text_add(error, "is one of");
        for (int k = 0; setting->choices[k]; k++)
            text_add(error, "%s %s", k ? "," : "", setting->choices[k]);
        break;
    case SETTING_NUMBER:
    case SETTING_WHOLE:
        text_add(error, "is a %snumber from %g to %g",
                 setting->kind == SETTING_WHOLE ? "whole " : "", setting->least, setting->most);
        break;
    }
    return false;
}

static void say_classes(struct text *error)
{
    const struct player_class *class;
    text_add(error, "; there are");
    for (int k = 0; (class = player_class_at(k)) != NULL; k++)
        text_add(error, "%s %s", k ? "," : "", class->name);
}

static void say_settings(const struct player_class *class, struct text *error)
{
    const struct player_setting *setting;
    text_add(error, setting_at(class, 0) ? "; there are" : "; it has none");
    for (int k = 0; (setting = setting_at(class, k)) != NULL; k++)
        text_add(error, "%s %s", k ? "," : "", setting->name);
}

bool player_read(const char *spec, struct player *ret_player, size_t size, char *ret_error)
{
    struct text error = {ret_error, size, 0};
    struct player player = {0};
    bool given[PLAYER_SETTINGS_MAX] = {false};

    if (size > 0)
        ret_error[0] = '\0';
    size_t name = strcspn(spec, ":");
    player.class = find_class(spec, name);
    if (!player.class) {
        text_add(&error, "no player is called \"%.*s\"", name > 64 ? 64 : (int)name, spec);
        say_classes(&error);
        return false;
    }
    const struct player_setting *setting;
    for (int k = 0; (setting = setting_at(player.class, k)) != NULL; k++)
        player.setting[k] = setting->initial;

    const char *at = spec + name;
    while (*at) {
        at++; /* the ':' or ',' */
        size_t part = strcspn(at, ","), key = strcspn(at, "=,");
        int index = find_setting(player.class, at, key);
        if (index < 0 || at[key] != '=') {
            text_add(&error, "player %s: \"%.*s\" is not SETTING=VALUE of its settings",
                     player.class->name, part > 64 ? 64 : (int)part, at);
            say_settings(player.class, &error);
            return false;
        }
        setting = &player.class->settings[index];
        if (given[index]) {
            text_add(&error, "player %s: %s is given twice", player.class->name, setting->name);
            return false;
        }
        given[index] = true;
        if (!read_value(player.class, setting, at + key + 1, part - key - 1, &player.setting[index],
                        &error))
            return false;
        at += part;
    }
    *ret_player = player;
    return true;
}

void player_write(const struct player *player, size_t size, char *ret_spec)
{
    struct text text = {ret_spec, size, 0};
    const struct player_setting *setting;
    char mark = ':';

    text_add(&text, "%s", player->class->name);
    for (int k = 0; (setting = setting_at(player->class, k)) != NULL; k++) {
        double value = player->setting[k];
        if (value == setting->initial)
            continue;
        text_add(&text, "%c%s=", mark, setting->name);
        mark = ',';
        if (setting->kind == SETTING_BOOL)
            text_add(&text, "%s", value != 0.0 ? "true" : "false");
        else if (setting->kind == SETTING_CHOICE)
            text_add(&text, "%s", setting->choices[(int)value]);
        else
            text_add(&text, "%.15g", value);
    }
}

enum player_status player_choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer)
{
    struct timespec start, end;
    struct player_answer answer = {0};

    clock_gettime(CLOCK_MONOTONIC, &start);
    enum player_status status = player->class->choose(player, query, &answer);
    if (status != PLAYER_OK)
        return status;
    clock_gettime(CLOCK_MONOTONIC, &end);
    answer.elapsed_s =
        (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    *ret_answer = answer;
    return PLAYER_OK;
}
