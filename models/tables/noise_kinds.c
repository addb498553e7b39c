/* The rows of noise_kinds.h as tables. */
#include "models/tables/noise_kinds.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct noise_kind kinds[] = {
#define ROW(kind, name, is_offered, about) [kind] = {name, is_offered, about},
    NOISE_KINDS(ROW)
#undef ROW
};

static const struct noise_setting settings[] = {
#define ROW(kind, name, suffix, unit, of_people, least, most, initial, about) \
    {kind, #name, #name "_" #suffix, unit, of_people, least, most, initial, about},
    NOISE_SETTINGS(ROW)
#undef ROW
};

static const size_t offsets[] = {
#define ROW(kind, name, suffix, ...) offsetof(struct noise_settings, name##_##suffix),
    NOISE_SETTINGS(ROW)
#undef ROW
};

enum { SETTINGS = sizeof settings / sizeof settings[0] };

const struct noise_kind *noise_kind_at(int kind)
{
    return kind >= 0 && kind < NOISE_KIND_COUNT ? &kinds[kind] : NULL;
}

int noise_kind_find(const char *name)
{
    for (int k = 0; k < NOISE_KIND_COUNT; k++)
        if (kinds[k].is_offered && strcmp(kinds[k].name, name) == 0)
            return k;
    return -1;
}

const char *noise_kind_list(char ret_text[NOISE_KIND_LIST_MAX])
{
    size_t used = 0;

    ret_text[0] = '\0';
    for (int k = 0; k < NOISE_KIND_COUNT && used < NOISE_KIND_LIST_MAX; k++)
        if (kinds[k].is_offered)
            used += (size_t)snprintf(ret_text + used, NOISE_KIND_LIST_MAX - used, "%s%s",
                                     used ? ", " : "", kinds[k].name);
    return ret_text;
}

const struct noise_setting *noise_setting_at(int index)
{
    return index >= 0 && index < SETTINGS ? &settings[index] : NULL;
}

bool noise_setting_fits(const struct noise_setting *setting, enum ice_noise kind)
{
    return setting->kind == kind || (setting->kind == ICE_NOISE_PEOPLE &&
                                     (kind == ICE_NOISE_GAT || kind == ICE_NOISE_NORMAL_DIST));
}

double *noise_setting_value(struct noise_settings *values, int index)
{
    return (double *)(void *)((char *)values + offsets[index]);
}

double noise_setting_of(const struct noise_settings *values, int index)
{
    return *(const double *)(const void *)((const char *)values + offsets[index]);
}
