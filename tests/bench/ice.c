/* Speed of the ice: shots per second of CPU time on one core, for both engines on the scenes of
 * tests/vectors, their ratio from the same run, throughput by number of threads, and memory.
 *
 *   bench_ice [--seconds S] [--rounds N] [--threads N] [--no-box2d] [--json] [--vectors DIR]
 *
 * Three sets for each kind of ice: draw (an empty sheet and a shot that stays), takeout (one stone
 * and a shot aimed at it), mid-end (4 to 12 stones of play). Each number is the median of several
 * rounds; the engines alternate, so that a slow moment of the machine hits both. */
#include "tests/bench/bench.h"
#include "tests/vectors/vectors.h"
#include "workers/pool.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LAWS = 2, SETS = 3, ENGINES = 2, FAST = 0, BOX2D = 1, MID_END = 2 };

/* Throws per pool call in the rows by threads, and per task. */
enum { BATCH_THROWS = 8192, RUN_THROWS = 32 };

static const char *const files[LAWS] = {"public-dc2.jsonl", "public-fcv1.jsonl"};
static const char *const set_names[SETS] = {"draw", "takeout", "mid-end"};
static const char *const engine_names[ENGINES] = {"fast", "box2d"};

struct options {
    double seconds;
    int rounds;
    int threads;
    bool box2d;
    bool json;
    const char *vectors;
};

struct set {
    struct throw_request *requests;
    size_t count;
    size_t next; /* first scene of the slow engine's next round */
    struct rates rates[ENGINES];
};

struct law {
    const char *name;
    struct vectors vectors;
    struct set sets[SETS];
};

static bool belongs(const struct vector_scene *scene, int set)
{
    switch (set) {
    case 0:
        return scene->kind == VECTOR_EMPTY && position_has(&scene->after, scene->stone);
    case 1:
        return scene->kind == VECTOR_SINGLE;
    default:
        return scene->kind == VECTOR_MID;
    }
}

/* Fills a set in shuffled file order, so that any part of it is representative. */
static bool set_fill(const struct vectors *vectors, int which, struct set *ret_set)
{
    const size_t stride = 7919; /* a prime: walks through all scenes of a smaller file */
    struct set set = {0};

    set.requests = calloc(vectors->count, sizeof *set.requests);
    if (!set.requests)
        return false;
    for (size_t k = 0; k < vectors->count; k++) {
        const struct vector_scene *scene = &vectors->scene[k * stride % vectors->count];
        if (belongs(scene, which))
            set.requests[set.count++] = vector_request(scene);
    }
    if (set.count == 0) {
        free(set.requests);
        return false;
    }
    *ret_set = set;
    return true;
}

/* Throws for `seconds` of this thread's CPU time; false if a throw fails. */
static bool set_round(struct set *set, int which, double seconds)
{
    const char *reason;
    throw_engine *engine = throw_engine_find(engine_names[which], &reason);
    size_t thrown = 0, chunk = 1, next = which == BOX2D ? set->next : 0;
    double start_s = bench_clock_s(CLOCK_THREAD_CPUTIME_ID), spent_s = 0.0;
    struct rates *rates = &set->rates[which];

    do {
        for (size_t k = 0; k < chunk; k++) {
            struct throw_result result;
            if (engine(&set->requests[next], &result) != THROW_OK)
                return false;
            next = next + 1 < set->count ? next + 1 : 0;
        }
        thrown += chunk;
        double before_s = spent_s;
        spent_s = bench_clock_s(CLOCK_THREAD_CPUTIME_ID) - start_s;
        if (spent_s - before_s < 0.0005)
            chunk *= 2; /* keep the clock's cost negligible */
    } while (spent_s < seconds);
    if (which == BOX2D)
        set->next = next;
    rates->per_s[rates->count++] = (double)thrown / spent_s;
    return true;
}

/* Runs the fast engine over a set once, to measure memory. */
static bool set_pass(const struct set *set)
{
    for (size_t k = 0; k < set->count; k++) {
        struct throw_result result;
        if (throw_fast(&set->requests[k], &result) != THROW_OK)
            return false;
    }
    return true;
}

struct batch {
    struct throw_request request[BATCH_THROWS];
    enum throw_status status[BATCH_THROWS];
};

static void throw_run(void *context, size_t index, int thread)
{
    struct batch *batch = context;
    (void)thread;
    for (size_t k = index * RUN_THROWS; k < (index + 1) * RUN_THROWS; k++) {
        struct throw_result result;
        batch->status[k] = throw_fast(&batch->request[k], &result);
    }
}

/* Measures shots per second of wall time on a pool of threads. */
static bool threads_measure(const struct set *set, int threads, const struct options *options,
                            struct rates *ret_rates)
{
    struct rates rates = {0};
    struct batch *batch = calloc(1, sizeof *batch);
    struct pool *pool = pool_new(threads);
    bool good = batch && pool;

    for (size_t k = 0; good && k < BATCH_THROWS; k++)
        batch->request[k] = set->requests[k % set->count];
    while (good && rates.count < options->rounds) {
        double seconds = options->seconds / options->rounds, spent_s;
        double start_s = bench_clock_s(CLOCK_MONOTONIC);
        size_t thrown = 0;
        do {
            pool_run(pool, BATCH_THROWS / RUN_THROWS, throw_run, batch);
            for (size_t k = 0; good && k < BATCH_THROWS; k++)
                good = batch->status[k] == THROW_OK;
            thrown += BATCH_THROWS;
            spent_s = bench_clock_s(CLOCK_MONOTONIC) - start_s;
        } while (good && spent_s < seconds);
        rates.per_s[rates.count++] = (double)thrown / spent_s;
    }
    pool_free(pool);
    free(batch);
    if (good)
        *ret_rates = rates;
    return good;
}

/* Returns the peak resident memory of this process in KiB; 0 if /proc does not tell. */
static long peak_resident_kib(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kib = 0;

    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %ld", &kib) == 1)
            break;
    fclose(file);
    return kib;
}

static bool law_load(const char *directory, int which, struct law *ret_law)
{
    char path[4096];
    struct law law = {0};

    snprintf(path, sizeof path, "%s/%s", directory, files[which]);
    if (!vectors_load(path, &law.vectors))
        return false;
    bool good = law.vectors.count > 0;
    for (int k = 0; good && k < SETS; k++)
        good = set_fill(&law.vectors, k, &law.sets[k]);
    law.name = good ? law.vectors.scene[0].ice->name : "";
    *ret_law = law;
    return good;
}

static void law_free(struct law *law)
{
    for (int k = 0; k < SETS; k++)
        free(law->sets[k].requests);
    vectors_free(&law->vectors);
}

static bool law_measure(struct law *law, const struct options *options)
{
    for (int k = 0; k < SETS; k++)
        for (int round = 0; round < options->rounds; round++)
            for (int engine = 0; engine < (options->box2d ? ENGINES : 1); engine++)
                if (!set_round(&law->sets[k], engine, options->seconds / options->rounds))
                    return false;
    return true;
}

/* The report is one JSON object; the table is printed from it, so that the two agree. */
static bool report_engines(const struct law *law, const struct options *options, json_t *rows)
{
    for (int k = 0; k < SETS; k++) {
        const struct set *set = &law->sets[k];
        double fast = rates_median(&set->rates[FAST]);
        json_t *row = json_pack("{s:s,s:s,s:I,s:f}", "profile", law->name, "set", set_names[k],
                                "scenes", (json_int_t)set->count, "fast_per_s", fast);
        if (options->box2d) {
            double box2d = rates_median(&set->rates[BOX2D]);
            json_object_set_new(row, "box2d_per_s", json_real(box2d));
            json_object_set_new(row, "ratio", json_real(fast / box2d));
        }
        if (json_array_append_new(rows, row) != 0)
            return false;
    }
    return true;
}

static bool report_threads(const struct law *law, const struct options *options, json_t *rows)
{
    double one = 0.0;

    /* 1, 2, 4, … and the number given. */
    for (int threads = 1;;) {
        struct rates rates;
        if (!threads_measure(&law->sets[MID_END], threads, options, &rates))
            return false;
        double per_s = rates_median(&rates);
        if (threads == 1)
            one = per_s;
        if (json_array_append_new(rows,
                                  json_pack("{s:s,s:s,s:i,s:f,s:f}", "profile", law->name, "set",
                                            set_names[MID_END], "threads", threads,
                                            "fast_per_s_wall", per_s, "speedup", per_s / one)) != 0)
            return false;
        if (threads >= options->threads)
            return true;
        threads = 2 * threads < options->threads ? 2 * threads : options->threads;
    }
}

static double number_of(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

static void print_table(const json_t *report)
{
    size_t k;
    json_t *row;

    printf("%-8s %-8s %7s %14s %14s %10s\n", "profile", "set", "scenes", "fast shots/s",
           "box2d shots/s", "ratio");
    json_array_foreach(json_object_get(report, "engines"), k, row)
    {
        printf("%-8s %-8s %7.0f %14.0f", json_string_value(json_object_get(row, "profile")),
               json_string_value(json_object_get(row, "set")), number_of(row, "scenes"),
               number_of(row, "fast_per_s"));
        if (json_object_get(row, "ratio"))
            printf(" %14.1f %9.0fx", number_of(row, "box2d_per_s"), number_of(row, "ratio"));
        printf("\n");
    }
    printf("(of CPU time, one thread; median of %.0f rounds)\n\n", number_of(report, "rounds"));

    printf("%-8s %-8s %7s %14s %10s\n", "profile", "set", "threads", "fast shots/s", "speed-up");
    json_array_foreach(json_object_get(report, "threads"), k, row) printf(
        "%-8s %-8s %7.0f %14.0f %9.2fx\n", json_string_value(json_object_get(row, "profile")),
        json_string_value(json_object_get(row, "set")), number_of(row, "threads"),
        number_of(row, "fast_per_s_wall"), number_of(row, "speedup"));
    printf("(of wall time)\n\n");

    printf("peak resident memory: %.1f MiB with all scenes loaded, before the first throw\n"
           "                      %.1f MiB after every scene was thrown with the fast engine\n"
           "                      %.1f MiB at the end\n",
           number_of(report, "peak_loaded_kib") / 1024.0,
           number_of(report, "peak_fast_kib") / 1024.0, number_of(report, "peak_kib") / 1024.0);
}

static bool bench(struct law *laws, const struct options *options)
{
    long loaded_kib = peak_resident_kib();
    for (int l = 0; l < LAWS; l++)
        for (int k = 0; k < SETS; k++)
            if (!set_pass(&laws[l].sets[k]))
                return false;
    long fast_kib = peak_resident_kib();

    json_t *engines = json_array(), *threads = json_array();
    bool good = engines && threads;
    for (int l = 0; good && l < LAWS; l++)
        good = law_measure(&laws[l], options) && report_engines(&laws[l], options, engines);
    for (int l = 0; good && l < LAWS; l++)
        good = report_threads(&laws[l], options, threads);
    json_t *report = json_pack("{s:f,s:i,s:o,s:o,s:I,s:I,s:I}", "seconds", options->seconds,
                               "rounds", options->rounds, "engines", engines, "threads", threads,
                               "peak_loaded_kib", (json_int_t)loaded_kib, "peak_fast_kib",
                               (json_int_t)fast_kib, "peak_kib", (json_int_t)peak_resident_kib());
    good = good && report;
    if (good && options->json)
        good = json_dumpf(report, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) == 0 &&
               putchar('\n') != EOF;
    else if (good)
        print_table(report);
    json_decref(report);
    return good;
}

static bool read_options(int argc, char **argv, struct options *options)
{
    for (int k = 1; k < argc; k++) {
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        if (strcmp(argv[k], "--no-box2d") == 0) {
            options->box2d = false;
            continue;
        }
        if (strcmp(argv[k], "--json") == 0) {
            options->json = true;
            continue;
        }
        if (strcmp(argv[k], "--vectors") == 0 && *value)
            options->vectors = value;
        else if (!(strcmp(argv[k], "--seconds") == 0 &&
                   bench_read_number(value, 3600.0, &options->seconds)) &&
                 !(strcmp(argv[k], "--rounds") == 0 &&
                   bench_read_count(value, BENCH_ROUNDS_MAX, &options->rounds)) &&
                 !(strcmp(argv[k], "--threads") == 0 &&
                   bench_read_count(value, POOL_THREADS_MAX, &options->threads)))
            return false;
        k++;
    }
    return true;
}

int main(int argc, char **argv)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct options options = {
        .seconds = 2.0,
        .rounds = 5,
        .threads = cores < 1                  ? 1
                   : cores > POOL_THREADS_MAX ? POOL_THREADS_MAX
                                              : (int)cores,
        .box2d = true,
        .vectors = TEST_VECTORS,
    };
    struct law laws[LAWS] = {0};
    bool good = true;

    if (!read_options(argc, argv, &options)) {
        fprintf(stderr,
                "usage: bench_ice [--seconds S] [--rounds N] [--threads N] [--no-box2d] [--json]"
                " [--vectors DIR]\n"
                "  --seconds S    for each cell of the table, all rounds together (2)\n"
                "  --rounds N     of which the median is printed (5)\n"
                "  --threads N    the most threads (number of cores)\n"
                "  --no-box2d     only the fast engine\n"
                "  --json         instead of the table\n"
                "  --vectors DIR  with public-dc2.jsonl and public-fcv1.jsonl\n");
        return 2;
    }
    for (int l = 0; good && l < LAWS; l++)
        good = law_load(options.vectors, l, &laws[l]);
    if (good && !bench(laws, &options)) {
        fprintf(stderr, "bench_ice: a throw failed, or memory was short\n");
        good = false;
    }
    for (int l = 0; l < LAWS; l++)
        law_free(&laws[l]);
    return good ? 0 : 1;
}
