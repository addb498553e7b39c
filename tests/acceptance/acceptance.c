/* Distance of an engine from the official simulators: throws the scenes of a file in
 * tests/vectors, prints the distances by number of collisions, and checks them against the accepted
 * numbers.
 *
 *   acceptance fast|box2d FILE.jsonl [--every N] [--worst K]
 *
 * --every N throws only every N-th scene (for slow builds), --worst K lists the K worst scenes.
 * Exit status: 0 all rows hold, 1 a row fails, 2 the question itself was wrong. */
#include "tests/vectors/vectors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Classes of scenes: by number of collisions in the official simulator, and all together. */
enum { CLASS_MANY = 3, CLASS_ALL = 4, CLASSES = 5 };
static const char *const class_names[CLASSES] = {"0", "1", "2", "3+", "all"};

struct outcome {
    const struct vector_scene *scene;
    double error_m; /* error of the worst stone; INFINITY if a different set of stones is left */
    bool within_sens;
    bool same_score;
    bool same_collisions;
};

enum measure { SHARE_WITHIN, SHARE_SET_MISMATCH, SHARE_SCORE_MISMATCH, SHARE_WITHIN_SENS };

/* One accepted number: the share of scenes, in percent, that must be reached (SHARE_WITHIN…) or not
 * exceeded (…_MISMATCH). */
struct row {
    enum measure measure;
    int class;
    double within_m;
    double percent;
};

static const struct row fast_dc2_rows[] = {
    {SHARE_WITHIN, 0, 0.001, 100.0},
    {SHARE_WITHIN, 1, 0.01, 98.0},
    {SHARE_WITHIN, 2, 0.01, 94.0},
    {SHARE_WITHIN, CLASS_MANY, 0.01, 85.0},
    {SHARE_WITHIN, CLASS_MANY, 0.05, 93.0},
    {SHARE_SET_MISMATCH, CLASS_ALL, 0.0, 0.3},
    {SHARE_SCORE_MISMATCH, CLASS_ALL, 0.0, 0.3},
    {SHARE_WITHIN_SENS, CLASS_ALL, 0.001, 99.5},
};

static const struct row fast_fcv1_rows[] = {
    {SHARE_WITHIN, 0, 0.008, 99.5},
    {SHARE_WITHIN, 1, 0.01, 93.0},
    {SHARE_WITHIN, 1, 0.05, 99.0},
    {SHARE_WITHIN, 2, 0.05, 86.0},
    {SHARE_WITHIN, CLASS_MANY, 0.05, 70.0},
    {SHARE_SET_MISMATCH, CLASS_ALL, 0.0, 0.6},
    {SHARE_SCORE_MISMATCH, CLASS_ALL, 0.0, 0.5},
    {SHARE_WITHIN_SENS, CLASS_ALL, 0.008, 98.5},
};

/* The official dc2 program uses Box2D 2.3, which once in 2000 scenes ends differently. */
static const struct row box2d_dc2_rows[] = {
    {SHARE_WITHIN, CLASS_ALL, 0.00001, 99.8},
    {SHARE_SET_MISMATCH, CLASS_ALL, 0.0, 0.2},
    {SHARE_SCORE_MISMATCH, CLASS_ALL, 0.0, 0.2},
};

static const struct row box2d_fcv1_rows[] = {
    {SHARE_WITHIN, CLASS_ALL, 0.0001, 100.0},
    {SHARE_SET_MISMATCH, CLASS_ALL, 0.0, 0.0},
    {SHARE_SCORE_MISMATCH, CLASS_ALL, 0.0, 0.0},
};

#define ROWS(table)                           \
    {                                         \
        table, sizeof table / sizeof table[0] \
    }

static const struct {
    const char *engine;
    enum ice_law law;
    struct {
        const struct row *row;
        size_t count;
    } rows;
    double sens_floor_m; /* a scene is within sens when error <= max(floor, 3 sens) */
} demands[] = {
    {"fast", ICE_DC2, ROWS(fast_dc2_rows), 0.001},
    {"fast", ICE_FCV1, ROWS(fast_fcv1_rows), 0.008},
    {"box2d", ICE_DC2, ROWS(box2d_dc2_rows), 0.001},
    {"box2d", ICE_FCV1, ROWS(box2d_fcv1_rows), 0.008},
};

enum { DEMANDS = sizeof demands / sizeof demands[0] };

static bool in_class(const struct outcome *outcome, int class)
{
    int collisions = outcome->scene->collisions;
    return class == CLASS_ALL || class == (collisions < CLASS_MANY ? collisions : CLASS_MANY);
}

static size_t class_count(const struct outcome *outcomes, size_t count, int class)
{
    size_t n = 0;
    for (size_t k = 0; k < count; k++)
        n += in_class(&outcomes[k], class);
    return n;
}

static bool counts(const struct outcome *outcome, enum measure measure, double within_m)
{
    switch (measure) {
    case SHARE_WITHIN:
        return outcome->error_m <= within_m;
    case SHARE_SET_MISMATCH:
        return isinf(outcome->error_m);
    case SHARE_SCORE_MISMATCH:
        return !outcome->same_score;
    case SHARE_WITHIN_SENS:
        return outcome->within_sens;
    }
    return false;
}

/* Returns the share of a class's scenes that count, in percent; NAN for an empty class. */
static double share_percent(const struct outcome *outcomes, size_t count, int class,
                            enum measure measure, double within_m)
{
    size_t hits = 0;
    for (size_t k = 0; k < count; k++)
        hits += in_class(&outcomes[k], class) && counts(&outcomes[k], measure, within_m);
    return 100.0 * (double)hits / (double)class_count(outcomes, count, class);
}

static int by_error(const void *a, const void *b)
{
    double x = ((const struct outcome *)a)->error_m, y = ((const struct outcome *)b)->error_m;
    return (x > y) - (x < y);
}

/* Returns the q-quantile of a class's errors; expects the outcomes sorted by error. */
static double error_quantile_m(const struct outcome *outcomes, size_t count, int class, double q)
{
    size_t n = class_count(outcomes, count, class);
    size_t wanted = (size_t)(q * (double)n), seen = 0;

    if (wanted >= n)
        wanted = n - 1;
    for (size_t k = 0; k < count; k++)
        if (in_class(&outcomes[k], class) && seen++ == wanted)
            return outcomes[k].error_m;
    return (double)NAN;
}

static void print_classes(const struct outcome *outcomes, size_t count)
{
    printf("colli-     n   <=.01mm  <=.1mm    <=1mm    <=8mm    <=1cm    <=5cm"
           "      p50 m    p90 m    p99 m    max m   set!=  score!=  <=sens  same coll.\n");
    for (int class = 0; class < CLASSES; class ++) {
        static const double limits_m[] = {1e-5, 1e-4, 0.001, 0.008, 0.01, 0.05};
        static const double quantiles[] = {0.5, 0.9, 0.99, 1.0};
        size_t n = class_count(outcomes, count, class), same_collisions = 0;

        printf("%-6s %5zu", class_names[class], n);
        if (n == 0) {
            printf("\n");
            continue;
        }
        for (size_t k = 0; k < sizeof limits_m / sizeof limits_m[0]; k++)
            printf(" %7.2f%%", share_percent(outcomes, count, class, SHARE_WITHIN, limits_m[k]));
        printf("  ");
        for (size_t k = 0; k < sizeof quantiles / sizeof quantiles[0]; k++)
            printf(" %8.2g", error_quantile_m(outcomes, count, class, quantiles[k]));
        for (size_t k = 0; k < count; k++)
            same_collisions += in_class(&outcomes[k], class) && outcomes[k].same_collisions;
        printf(" %6.2f%% %6.2f%% %7.2f%% %7.2f%%\n",
               share_percent(outcomes, count, class, SHARE_SET_MISMATCH, 0.0),
               share_percent(outcomes, count, class, SHARE_SCORE_MISMATCH, 0.0),
               share_percent(outcomes, count, class, SHARE_WITHIN_SENS, 0.0),
               100.0 * (double)same_collisions / (double)n);
    }
}

/* Prints PASS or FAIL; returns true if the row passes. A row about a class without scenes
 * passes. */
static bool check_row(const struct row *row, const struct outcome *outcomes, size_t count)
{
    double measured = share_percent(outcomes, count, row->class, row->measure, row->within_m);
    bool at_most = row->measure == SHARE_SET_MISMATCH || row->measure == SHARE_SCORE_MISMATCH;
    bool holds = at_most ? measured <= row->percent : measured >= row->percent;
    char what[80];

    switch (row->measure) {
    case SHARE_WITHIN:
        snprintf(what, sizeof what, "%s %s, error <= %g mm", class_names[row->class],
                 row->class == CLASS_ALL ? "scenes" : "collisions", 1000.0 * row->within_m);
        break;
    case SHARE_SET_MISMATCH:
        snprintf(what, sizeof what, "other stones left");
        break;
    case SHARE_SCORE_MISMATCH:
        snprintf(what, sizeof what, "other score");
        break;
    case SHARE_WITHIN_SENS:
        snprintf(what, sizeof what, "error <= max(%g mm, 3 sens)", 1000.0 * row->within_m);
        break;
    }
    if (class_count(outcomes, count, row->class) == 0) {
        printf("NONE  %-40s no scene of this class\n", what);
        return true;
    }
    printf("%s  %-40s %7.2f %% (accepted: %s %g %%)\n", holds ? "PASS" : "FAIL", what, measured,
           at_most ? "<=" : ">=", row->percent);
    return holds;
}

static void print_worst(const struct outcome *outcomes, size_t count, size_t worst)
{
    for (size_t k = 0; k < worst && k < count; k++) {
        const struct outcome *outcome = &outcomes[count - 1 - k];
        printf("scene %5d  collisions %2d  error %9.3g m  sens %9.3g m%s%s\n", outcome->scene->id,
               outcome->scene->collisions, outcome->error_m, outcome->scene->sens_m,
               outcome->same_score ? "" : "  other score", outcome->within_sens ? "" : "  !sens");
    }
}

/* Throws every `every`-th scene and writes *ret_count outcomes. */
static bool throw_scenes(throw_engine *engine, const struct vectors *vectors, size_t every,
                         double sens_floor_m, struct outcome *ret_outcomes, size_t *ret_count)
{
    size_t count = 0;

    for (size_t k = 0; k < vectors->count; k += every) {
        const struct vector_scene *scene = &vectors->scene[k];
        struct throw_request request = vector_request(scene);
        struct throw_result result;
        enum throw_status status = engine(&request, &result);

        if (scene->ice != vectors->scene[0].ice) {
            fprintf(stderr, "scene %d: of another model than the first\n", scene->id);
            return false;
        }
        if (status != THROW_OK) {
            fprintf(stderr, "scene %d: %s\n", scene->id, throw_status_text(status));
            return false;
        }
        struct outcome *outcome = &ret_outcomes[count++];
        outcome->scene = scene;
        outcome->error_m = vector_difference_m(&result.after, &scene->after);
        /* No sens: a change of 1e-5 alters the set of stones left, even in the official
         * simulator. */
        outcome->within_sens =
            isnan(scene->sens_m) || outcome->error_m <= fmax(sens_floor_m, 3.0 * scene->sens_m);
        outcome->same_score = vector_score(scene, &result.after) == scene->score;
        outcome->same_collisions = result.collisions == scene->collisions;
    }
    *ret_count = count;
    return true;
}

static bool read_count(const char *text, size_t *ret_count)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value == 0 || text[0] == '-')
        return false;
    *ret_count = value;
    return true;
}

int main(int argc, char **argv)
{
    const char *usage = "usage: acceptance fast|box2d FILE.jsonl [--every N] [--worst K]\n";
    size_t every = 1, worst = 0, count = 0;
    struct vectors vectors;
    int exit_status = 2;

    const char *reason;
    throw_engine *engine = argc >= 3 ? throw_engine_find(argv[1], &reason) : NULL;
    bool good = engine != NULL && argc % 2 == 1;
    for (int k = 3; good && k < argc; k += 2)
        good = (strcmp(argv[k], "--every") == 0 && read_count(argv[k + 1], &every)) ||
               (strcmp(argv[k], "--worst") == 0 && read_count(argv[k + 1], &worst));
    if (!good) {
        fputs(usage, stderr);
        return 2;
    }
    if (!vectors_load(argv[2], &vectors))
        return 2;

    struct outcome *outcomes = calloc(vectors.count, sizeof *outcomes);
    if (vectors.count == 0 || !outcomes) {
        fprintf(stderr, "%s: no scenes\n", argv[2]);
        goto done;
    }
    enum ice_law law = vectors.scene[0].ice->law;
    int d = 0;
    while (strcmp(demands[d].engine, argv[1]) != 0 || demands[d].law != law)
        d++;
    if (!throw_scenes(engine, &vectors, every, demands[d].sens_floor_m, outcomes, &count))
        goto done;

    qsort(outcomes, count, sizeof *outcomes, by_error);
    printf("engine %s, %s, %zu scenes of %s\n", argv[1], vectors.scene[0].ice->name, count,
           argv[2]);
    print_classes(outcomes, count);
    print_worst(outcomes, count, worst);
    exit_status = 0;
    for (size_t k = 0; k < demands[d].rows.count; k++)
        if (!check_row(&demands[d].rows.row[k], outcomes, count))
            exit_status = 1;
done:
    free(outcomes);
    vectors_free(&vectors);
    return exit_status;
}
