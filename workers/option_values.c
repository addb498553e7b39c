/* Reads option values strictly. */
#include "workers/options.h"

#include "models/tables/architectures.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
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

    /* The first test excludes forms that only strtod() accepts: blanks, hex, inf. The range test is
     * written so that NaN fails. */
    if (!*text || strspn(text, "0123456789.eE+-") != strlen(text) || *end ||
        !(number >= least && number <= most))
        argp_error(state, "--%s must be a number in %g..%g, not '%s'", name, least, most, text);
    return number;
}

enum ice_noise option_noise(struct argp_state *state, const char *text)
{
    char list[NOISE_KIND_LIST_MAX];
    int kind = noise_kind_find(text);

    if (kind < 0)
        argp_error(state, "--noise must be one of %s, not '%s'", noise_kind_list(list), text);
    return (enum ice_noise)kind;
}

/* Writes `text` with each name in braces replaced by its list. */
static void write_help(FILE *out, const char *text)
{
    char profiles[PROFILE_LIST_MAX], ices[PROFILE_LIST_MAX], noises[NOISE_KIND_LIST_MAX],
        architectures[NETWORK_LIST_MAX];
    const struct {
        const char *name, *list;
    } all[] = {{"{profiles}", profile_list(false, profiles)},
               {"{ices}", ice_profile_list(ices)},
               {"{noises}", noise_kind_list(noises)},
               {"{architectures}", network_architecture_list(architectures)}};

    while (*text) {
        const char *list = NULL;
        for (size_t k = 0; k < sizeof all / sizeof all[0] && !list; k++)
            if (strncmp(text, all[k].name, strlen(all[k].name)) == 0) {
                list = all[k].list;
                text += strlen(all[k].name);
            }
        if (list)
            fputs(list, out);
        else
            fputc(*text++, out);
    }
}

char *option_help(int key, const char *text, void *input)
{
    char *help = NULL;
    size_t size;

    (void)key;
    (void)input;
    FILE *out = text && strchr(text, '{') ? open_memstream(&help, &size) : NULL;
    if (!out)
        return (char *)(uintptr_t)text;
    write_help(out, text);
    fclose(out);
    return help;
}

int option_processors(int most)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    return count < 1 ? 1 : count > most ? most : count;
}
