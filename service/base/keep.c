/* Rules about how much is kept. See keep.h. */
#include "service/base/keep.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum limit { LIMIT_AGE, LIMIT_COUNT, LIMIT_BYTES, LIMITS };

static const struct {
    const char *name;
    enum limit limit;
    int64_t times;
} units[] = {
    {"s", LIMIT_AGE, 1000},
    {"min", LIMIT_AGE, 60000},
    {"h", LIMIT_AGE, 3600000},
    {"d", LIMIT_AGE, 86400000},
    {"w", LIMIT_AGE, 604800000},
    {"", LIMIT_COUNT, 1},
    {"B", LIMIT_BYTES, 1},
    {"KiB", LIMIT_BYTES, (int64_t)1 << 10},
    {"MiB", LIMIT_BYTES, (int64_t)1 << 20},
    {"GiB", LIMIT_BYTES, (int64_t)1 << 30},
    {"TiB", LIMIT_BYTES, (int64_t)1 << 40},
};
enum { UNITS = sizeof units / sizeof *units };

/* Reads a whole number with its unit; each limit may be given once. */
static bool read_limit(const char *text, int64_t ret_limits[LIMITS])
{
    char *unit;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    long long value = strtoll(text, &unit, 10);
    int k = 0;
    while (k < UNITS && strcmp(units[k].name, unit) != 0)
        k++;
    if (errno != 0 || k == UNITS || value > INT64_MAX / units[k].times ||
        ret_limits[units[k].limit] != KEEP_ALL)
        return false;
    ret_limits[units[k].limit] = value * units[k].times;
    return true;
}

bool keep_read(const char *text, struct keep *ret_keep)
{
    int64_t limits[LIMITS] = {KEEP_ALL, KEEP_ALL, KEEP_ALL};
    char copy[KEEP_TEXT_MAX], *rest = copy, *part;

    if (strlen(text) >= sizeof copy)
        return false;
    strcpy(copy, text);
    if (*text)
        while ((part = strsep(&rest, ",")) != NULL)
            if (!read_limit(part, limits))
                return false;
    *ret_keep = (struct keep){limits[LIMIT_AGE], limits[LIMIT_COUNT], limits[LIMIT_BYTES], ""};
    strcpy(ret_keep->text, text);
    return true;
}

bool keep_is_all(const struct keep *keep)
{
    return keep->age_ms == KEEP_ALL && keep->count == KEEP_ALL && keep->bytes == KEEP_ALL;
}

bool keep_is_beyond(struct keep_walk *walk, int64_t at_ms, int64_t bytes)
{
    const struct keep *keep = walk->keep;

    if ((keep->age_ms != KEEP_ALL && walk->now_ms - at_ms > keep->age_ms) ||
        (keep->count != KEEP_ALL && walk->count >= keep->count) ||
        (keep->bytes != KEEP_ALL && bytes > keep->bytes - walk->bytes))
        walk->is_full = true;
    return walk->is_full;
}

void keep_stays(struct keep_walk *walk, int64_t bytes)
{
    walk->count++;
    walk->bytes += bytes;
}
