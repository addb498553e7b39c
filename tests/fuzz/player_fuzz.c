/* A list of players as JSON, a 0, and specs to read with it, one per line. An accepted list reads
 * back the same once written; an accepted spec has a shortest form with the same meaning. A broken
 * promise aborts. */
#include "api/fields/player_spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Foreign lists may have longer names than ours: room for 20 settings with names and values of 64
 * bytes. */
enum { LIST_MAX = 1 << 20, DEPTH_MAX = 8, SPEC_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_list(const struct player_kind *kinds)
{
    struct strict_errors errors = {.count = 0};
    json_t *list = player_kinds_json(kinds), *second;
    struct player_kind *again = NULL;

    require(list != NULL && player_kinds_read(list, &again, &errors));
    second = player_kinds_json(again);
    require(json_equal(list, second));
    json_decref(second);
    free(again);
    json_decref(list);
}

static void check_spec(const struct player_kind *kinds, const char *text)
{
    struct player_spec spec, again;
    char error[PLAYER_ERROR_MAX] = "", shortest[SPEC_MAX];

    if (!player_spec_read(kinds, text, &spec, sizeof error, error)) {
        require(error[0] && memchr(error, '\0', sizeof error));
        return;
    }
    const struct player_kind *kind = &kinds[spec.kind];
    player_spec_write(kind, &spec, sizeof shortest, shortest);
    require(player_spec_read(kinds, shortest, &again, sizeof error, error));
    require(again.kind == spec.kind && strcmp(again.model, spec.model) == 0);
    for (int k = 0; kind->settings && kind->settings[k].name; k++)
        require(again.setting[k] == spec.setting[k] && isfinite(spec.setting[k]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size ? memchr(data, '\0', size) : NULL;
    size_t length = zero ? (size_t)(zero - data) : size;
    struct strict_errors errors = {.count = 0};
    struct player_kind *kinds = NULL;
    json_t *list = strict_parse((const char *)data, length, LIST_MAX, DEPTH_MAX, &errors);

    if (list && player_kinds_read(list, &kinds, &errors)) {
        check_list(kinds);
        size_t rest = zero ? size - length - 1 : 0;
        char *specs = calloc(1, rest + 1), *line, *left = specs;
        require(specs != NULL);
        if (rest)
            memcpy(specs, zero + 1, rest);
        while ((line = strsep(&left, "\n")) != NULL)
            check_spec(kinds, line);
        free(specs);
        free(kinds);
    } else {
        require(errors.count > 0);
    }
    json_decref(list);
    return 0;
}
