/* Values of options. */
#include "workers/option_values.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

uint64_t option_whole(struct argp_state *state, const char *name, const char *text, uint64_t least,
                      uint64_t most)
{
    char *end;

    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (!*text || strspn(text, "0123456789") != strlen(text) || errno || number < least ||
        number > most)
        argp_error(state, "--%s must be a whole number in %llu..%llu, not '%s'", name,
                   (unsigned long long)least, (unsigned long long)most, text);
    return number;
}

double option_number(struct argp_state *state, const char *name, const char *text, double least,
                     double most)
{
    char *end;
    double number = strtod(text, &end);

    /* The first test keeps out what only strtod() takes for a number: blanks, hex, inf. Written so
     * that NaN fails. */
    if (!*text || strspn(text, "0123456789.eE+-") != strlen(text) || *end ||
        !(number >= least && number <= most))
        argp_error(state, "--%s must be a number in %g..%g, not '%s'", name, least, most, text);
    return number;
}

enum ice_noise option_noise(struct argp_state *state, const char *text)
{
    if (strcmp(text, "gat") == 0)
        return ICE_NOISE_GAT;
    if (strcmp(text, "normal_dist") == 0)
        return ICE_NOISE_NORMAL_DIST;
    if (strcmp(text, "none") != 0)
        argp_error(state, "--noise must be none, gat or normal_dist, not '%s'", text);
    return ICE_NOISE_NONE;
}

int option_processors(int most)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    return count < 1 ? 1 : count > most ? most : count;
}
