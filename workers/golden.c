/* The line of golden numbers. See golden.h. */
#include "workers/golden.h"

#include "workers/command.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { NAME_MAX_BYTES = 64 };

bool golden_add(json_t *numbers, const char *name, const char *of, uint64_t hash)
{
    char key[NAME_MAX_BYTES], value[17];

    snprintf(key, sizeof key, "%s%s%s", name, of ? "/" : "", of ? of : "");
    snprintf(value, sizeof value, "%016" PRIx64, hash);
    return json_object_set_new(numbers, key, json_string(value)) == 0;
}

int golden_print(const char *version, json_t *numbers, double shots_per_s)
{
    json_t *line = json_pack("{s:s, s:o, s:o*}", "version", version, "golden", numbers,
                             "shots_per_s", isfinite(shots_per_s) ? json_real(shots_per_s) : NULL);
    bool good = line && json_dumpf(line, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6)) == 0 &&
                putchar('\n') != EOF;

    json_decref(line);
    return good ? EXIT_GOOD : EXIT_TROUBLE;
}
