/* Reads players of hold'em. See poker_spec.h. */
#include "api/fields/poker_spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SWITCH_PREFIX "switch:"
#define EVERY         ",every="

static const struct {
    const char *name;
    enum poker_kind kind;
} names[] = {{"base", POKER_BASE},
             {"ensemble", POKER_ENSEMBLE},
             {"a-int", POKER_NO_BASE},
             {"a-ave", POKER_EQUAL}};

const char *const poker_spec_examples[] = {"poker:ensemble", "poker:base", "poker:random",
                                           "poker:o1",       "poker:c1",   "poker:a-int",
                                           "poker:a-ave",    NULL};

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* "o1" … "o8", "c1" … "c8". */
static bool read_numbered(const char *name, size_t length, struct poker_part *ret_part)
{
    if (length != 2 || (name[0] != 'o' && name[0] != 'c') || name[1] < '1' ||
        name[1] >= '1' + POKER_RULES)
        return false;
    ret_part->kind = name[0] == 'o' ? POKER_RULE : POKER_COUNTER;
    ret_part->number = name[1] - '1';
    return true;
}

static bool read_part(const char *text, size_t length, struct poker_part *ret_part, char *error)
{
    const size_t prefix = strlen(POKER_PREFIX), model = strlen(POKER_MODEL_PREFIX);

    *ret_part = (struct poker_part){.number = 0};
    if (length > model && begins_with(text, POKER_MODEL_PREFIX) &&
        length - model < PLAYER_MODEL_MAX) {
        ret_part->kind = POKER_MODEL;
        memcpy(ret_part->model, text + model, length - model);
        return true;
    }
    if (length > prefix && begins_with(text, POKER_PREFIX)) {
        const char *name = text + prefix;
        if (read_numbered(name, length - prefix, ret_part))
            return true;
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            if (strlen(names[k].name) == length - prefix &&
                memcmp(names[k].name, name, length - prefix) == 0) {
                ret_part->kind = names[k].kind;
                return true;
            }
    }
    snprintf(error, PLAYER_ERROR_MAX,
             "\"%.*s\" is no player of hold'em; there are poker:o1 to poker:o8, poker:random, "
             "poker:base, poker:c1 to poker:c8, poker:ensemble, poker:a-int, poker:a-ave, "
             "poker:model=MODEL and switch:PLAYER|PLAYER,every=HANDS",
             length > 64 ? 64 : (int)length, text);
    return false;
}

static bool read_switch(const char *text, struct poker_spec *spec, char *error)
{
    const char *comma = strstr(text, EVERY), *at = text;
    char *end = NULL;
    long every = comma ? strtol(comma + strlen(EVERY), &end, 10) : 0;

    if (!comma || *end || end == comma + strlen(EVERY) || every < 1 || every > POKER_EVERY_MAX) {
        snprintf(error, PLAYER_ERROR_MAX,
                 "switch:PLAYER|PLAYER,every=HANDS needs hands from 1 to %d at its end",
                 POKER_EVERY_MAX);
        return false;
    }
    spec->every = (int)every;
    while (at <= comma) {
        size_t length = strcspn(at, "|");
        length = at + length > comma ? (size_t)(comma - at) : length;
        if (spec->parts == POKER_PARTS_MAX) {
            snprintf(error, PLAYER_ERROR_MAX, "switch: has more than %d players", POKER_PARTS_MAX);
            return false;
        }
        if (!read_part(at, length, &spec->part[spec->parts++], error))
            return false;
        at += length + 1;
    }
    if (spec->parts >= 2)
        return true;
    snprintf(error, PLAYER_ERROR_MAX, "switch: needs at least two players");
    return false;
}

bool poker_spec_read(const char *text, struct poker_spec *ret_spec,
                     char ret_error[PLAYER_ERROR_MAX])
{
    *ret_spec = (struct poker_spec){.parts = 0};
    if (begins_with(text, SWITCH_PREFIX))
        return read_switch(text + strlen(SWITCH_PREFIX), ret_spec, ret_error);
    if (strcmp(text, POKER_PREFIX "random") == 0) {
        ret_spec->parts = POKER_RULES;
        ret_spec->every = POKER_EVERY;
        ret_spec->shuffled = true;
        for (int k = 0; k < POKER_RULES; k++)
            ret_spec->part[k] = (struct poker_part){.kind = POKER_RULE, .number = k};
        return true;
    }
    ret_spec->parts = 1;
    return read_part(text, strlen(text), &ret_spec->part[0], ret_error);
}
