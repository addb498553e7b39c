/* Weights of styles. */
#include "workers/search/style/opponent.h"

#include "models/ice/portable_math.h"
#include "models/tables/profiles.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

/* First guesses, not yet tried against others. */
#define POWER     0.7  /* of a likelihood */
#define CHANGES   0.01 /* chance before each throw that the opponent is another one */
#define STRANGER  0.15 /* weight of a stranger before the first throw */
#define UNKNOWN   0.5  /* errs of a stranger */
#define PRIOR     3.0  /* throws that the mean of all styles counts in each */
#define ANYTHING  0.5  /* share of a stranger's throws that are as likely as any other */
#define HALF_SURE 1.0  /* throws at which confidence is a half */

#define OTHERWISE "dc3"

enum { LIBRARIES_MAX = 8 };

/* The styles of a profile with the likelihoods of all classes, to the power POWER. */
struct library {
    const char *profile;
    int styles;
    const struct style_row *style[OPPONENT_STYLES_MAX];
    double like[OPPONENT_STYLES_MAX + 1][STYLE_COUNTS]; /* the last one: a stranger */
};

static struct library libraries[LIBRARIES_MAX];
static int library_count;

static double power(double share)
{
    return (double)portable_exp((long double)POWER * portable_log((long double)share));
}

/* Fills in the likelihoods of one group of classes. */
static void weigh_group(struct library *library, int first, int classes)
{
    double mean[STYLE_CLASSES_MAX] = {0.0}, styles = library->styles;

    for (int k = 0; k < library->styles; k++) {
        const uint16_t *count = library->style[k]->count + first;
        double all = 1.0;
        for (int c = 0; c < classes; c++)
            all += count[c];
        for (int c = 0; c < classes; c++)
            mean[c] += (count[c] + 1.0 / classes) / all / styles;
    }
    for (int c = 0; c < classes; c++)
        library->like[library->styles][first + c] =
            power((1.0 - ANYTHING) * mean[c] + ANYTHING / classes);
    for (int k = 0; k < library->styles; k++) {
        const uint16_t *count = library->style[k]->count + first;
        double all = PRIOR;
        for (int c = 0; c < classes; c++)
            all += count[c];
        for (int c = 0; c < classes; c++)
            library->like[k][first + c] = power((count[c] + PRIOR * mean[c]) / all);
    }
}

static void make_libraries(void)
{
    for (const struct style_row *row = style_rows; row->profile; row++) {
        struct library *library = library_count > 0 ? &libraries[library_count - 1] : NULL;
        if (!library || strcmp(library->profile, row->profile) != 0) {
            assert(library_count < LIBRARIES_MAX);
            library = &libraries[library_count++];
            library->profile = row->profile;
        }
        assert(library->styles < OPPONENT_STYLES_MAX);
        library->style[library->styles++] = row;
    }
    for (int l = 0; l < library_count; l++)
        for (int trait = 0; trait < STYLE_TRAITS; trait++) {
            const struct style_part *part = &style_parts[trait];
            for (int group = 0; group < part->groups; group++)
                weigh_group(&libraries[l], part->first + group * part->classes, part->classes);
        }
}

static const struct library *find_library(const char *profile)
{
    for (int l = 0; l < library_count; l++)
        if (strcmp(libraries[l].profile, profile) == 0)
            return &libraries[l];
    return NULL;
}

static const struct library *library_of(const struct rules *rules)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_libraries);
    const struct library *library = find_library(rules->name);
    return library ? library : find_library(OTHERWISE);
}

/* One throw: the opponent may have changed, then the likelihoods. weight[styles]: the stranger. */
static void take_throw(const struct library *library, const struct style_throw *throw,
                       const double *prior, double *weight)
{
    double sum = 0.0;

    for (int k = 0; k <= library->styles; k++) {
        weight[k] = (1.0 - CHANGES) * weight[k] + CHANGES * prior[k];
        for (int trait = 0; trait < STYLE_TRAITS; trait++)
            if (throw->number[trait] >= 0)
                weight[k] *= library->like[k][throw->number[trait]];
        sum += weight[k];
    }
    for (int k = 0; k <= library->styles; k++)
        weight[k] /= sum;
}

void opponent_of(const struct rules *rules, const struct style_throw *throws, int count,
                 struct opponent *ret_opponent)
{
    const struct library *library = library_of(rules);
    int styles = library ? library->styles : 0;
    double prior[OPPONENT_STYLES_MAX + 1], weight[OPPONENT_STYLES_MAX + 1], errs = 0.0;

    for (int k = 0; k < styles; k++)
        weight[k] = prior[k] = (1.0 - STRANGER) / styles;
    weight[styles] = prior[styles] = styles > 0 ? STRANGER : 1.0;
    for (int t = 0; t < count && styles > 0; t++)
        take_throw(library, &throws[t], prior, weight);
    *ret_opponent =
        (struct opponent){.throws = count, .styles = styles, .stranger = weight[styles]};
    for (int k = 0; k < styles; k++) {
        ret_opponent->style[k] = library->style[k];
        ret_opponent->weight[k] = weight[k];
        errs += weight[k] * library->style[k]->errs;
    }
    errs += weight[styles] * UNKNOWN;
    ret_opponent->confidence = (1.0 - weight[styles]) * count / (count + HALF_SURE);
    ret_opponent->errs =
        ret_opponent->confidence * errs + (1.0 - ret_opponent->confidence) * UNKNOWN;
}

void opponent_see(struct opponent_throws *throws, const struct rules *rules,
                  const struct ice_profile *ice, const struct throw_seen *seen)
{
    struct style_throw throw;

    if (!style_see(rules, ice, seen, &throw))
        return;
    if (throws->count == OPPONENT_THROWS_MAX)
        memmove(throws->throw, throws->throw +1, (size_t)--throws->count * sizeof throws->throw[0]);
    throws->throw [throws->count++] = throw;
}
