/* Enlarges the database of a stopped daemon with copies of its rows: of its newest finished
 * training, many trainings of one run each with few points, and one run with many; of its finished
 * matches, the same match with other seeds. For tests/browser/pages_bench.mjs.
 *
 *   bench_grow FOLDER [--runs N] [--games N] [--points N]
 *
 * FOLDER is that of `rinkd --data`. --points counts the points of all curves of the one large run.
 * Prints the resulting counts. */
#include "models/ice/random.h"
#include "service/store/jobs.h"
#include "service/store/results.h"
#include "service/store/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FEW_POINTS = 8, JOBS_A_COMMIT = 100, POINTS_A_COMMIT = 50000, STEP = 10 };

struct grow {
    struct store *store;
    int64_t now_ms; /* each job is a bit later than the one before */
};

static void need(enum api_error error, const char *what)
{
    if (error == API_OK)
        return;
    fprintf(stderr, "bench_grow: %s: %s\n", what, api_error_title(error));
    exit(1);
}

/* Returns the finished jobs of a kind, at most 50, newest first; at least one. The caller frees
 * them. */
static json_t *done_jobs(const struct grow *grow, const char *kind)
{
    const struct job_filter filter = {.kind = kind, .has_state = true, .state = JOB_DONE};
    struct store_page page = {.limit = STORE_PAGE_DEFAULT};
    json_t *item, *jobs = json_array();
    size_t k;

    need(job_store_list(grow->store, &filter, &page), "list of jobs");
    json_array_foreach(page.items, k, item)
    {
        json_t *job;
        need(job_store_get(grow->store, json_integer_value(json_object_get(item, "id")), &job),
             "job");
        json_array_append_new(jobs, job);
    }
    json_decref(page.items);
    if (json_array_size(jobs) == 0) {
        fprintf(stderr, "bench_grow: no job of the kind %s is done\n", kind);
        exit(1);
    }
    return jobs;
}

/* Returns a member as text, malloc'ed. */
static char *dump(const json_t *object, const char *key)
{
    char *text = json_dumps(json_object_get(object, key), JSON_COMPACT | JSON_ENCODE_ANY);

    need(text ? API_OK : API_NO_MEMORY, key);
    return text;
}

/* Adds and claims a job like that one; `claim` is for finish(). */
static int64_t begin_like(struct grow *grow, const json_t *job, struct job_claim *ret_claim)
{
    const char *kind = json_string_value(json_object_get(job, "kind"));
    const char *const kinds[] = {kind, NULL};
    char *spec = dump(job, "spec");
    const struct job_new new = {.kind = kind, .spec = spec};
    int64_t id;

    grow->now_ms += 1000;
    need(job_store_add(grow->store, &new, grow->now_ms, &id), "add");
    need(job_store_claim(grow->store, kinds, NULL, grow->now_ms, 30000, ret_claim), "claim");
    if (ret_claim->id != id) {
        fprintf(stderr, "bench_grow: job %lld of this kind is not done\n",
                (long long)ret_claim->id);
        exit(1);
    }
    free(spec);
    return id;
}

static void finish(struct grow *grow, struct job_claim *claim, const char *result)
{
    need(job_store_finish(grow->store, claim->id, claim->token, result, false, grow->now_ms),
         "finish");
    need(results_keep(grow->store, claim->id, claim->kind, result, grow->now_ms), "result");
    job_claim_free(claim);
}

/* A learner's curve: rises ever slower, with noise. */
static double value_at(int64_t curve, int64_t point, int64_t points)
{
    const struct random_key key = {.stream = (uint64_t)curve, .purpose = RANDOM_SCENE};

    return 1.0 - exp(-4.0 * (double)point / (double)points) +
           0.05 * random_normal_pair(&key, (uint64_t)point).z0;
}

/* Adds a run like that one, with this many points in each curve. */
static void add_run(struct grow *grow, int64_t job, const json_t *like, int64_t seed,
                    int64_t points)
{
    char *spec = dump(like, "spec"), *versions = dump(like, "versions"), id[RUN_ID_MAX];
    const struct run_new new = {.job = job, .seed = seed, .spec = spec, .versions = versions};
    int64_t written = 0;
    json_t *name;
    size_t k;

    need(run_store_add(grow->store, &new, grow->now_ms, id), "run");
    json_array_foreach(json_object_get(like, "metrics"), k, name)
    {
        for (int64_t p = 0; p < points; p++) {
            const struct run_metric metric = {id, json_string_value(name), STEP * p,
                                              value_at((int64_t)k, p, points)};
            need(run_store_metric(grow->store, job, &metric, grow->now_ms + p), "point");
            if (++written % POINTS_A_COMMIT != 0)
                continue;
            need(store_commit(grow->store), "commit");
            need(store_begin(grow->store), "begin");
        }
    }
    free(spec);
    free(versions);
}

static void add_trainings(struct grow *grow, int64_t runs, int64_t points)
{
    json_t *jobs = done_jobs(grow, "train"), *job = json_array_get(jobs, 0);
    struct store_page page = {.limit = 1};
    char *result = dump(job, "result");

    need(run_store_list(grow->store, json_integer_value(json_object_get(job, "id")), &page),
         "list of runs");
    json_t *run = json_array_get(page.items, 0);
    int64_t curves = (int64_t)json_array_size(json_object_get(run, "metrics"));
    for (int64_t k = 0; k < runs; k++) {
        struct job_claim claim;
        if (k % JOBS_A_COMMIT == 0)
            need(store_begin(grow->store), "begin");
        int64_t id = begin_like(grow, job, &claim);
        bool last = k == runs - 1;
        add_run(grow, id, run, k, last ? (points + curves - 1) / curves : FEW_POINTS);
        finish(grow, &claim, result);
        if (last || k % JOBS_A_COMMIT == JOBS_A_COMMIT - 1)
            need(store_commit(grow->store), "commit");
    }
    printf("%lld runs of %lld curves, the last one with %lld points\n", (long long)runs,
           (long long)curves, (long long)points);
    free(result);
    json_decref(page.items);
    json_decref(jobs);
}

static void add_matches(struct grow *grow, int64_t games)
{
    json_t *jobs = done_jobs(grow, "match");
    int64_t played = 0, count = 0;

    for (; played < games; count++) {
        json_t *job = json_array_get(jobs, (size_t)count % json_array_size(jobs));
        json_t *result = json_object_get(job, "result");
        struct job_claim claim;
        if (count % JOBS_A_COMMIT == 0)
            need(store_begin(grow->store), "begin");
        json_object_set_new(result, "seed", json_integer(1000 + count));
        char *text = dump(job, "result");
        begin_like(grow, job, &claim);
        finish(grow, &claim, text);
        free(text);
        int64_t pairs = json_integer_value(json_object_get(result, "pairs"));
        played += 2 * (pairs > 0 ? pairs : 1);
        if (played >= games || count % JOBS_A_COMMIT == JOBS_A_COMMIT - 1)
            need(store_commit(grow->store), "commit");
    }
    printf("%lld games in %lld matches\n", (long long)played, (long long)count);
    json_decref(jobs);
}

int main(int argc, char **argv)
{
    struct grow grow = {.now_ms = (int64_t)time(NULL) * 1000 - 86400000};
    int64_t runs = 1000, games = 10000, points = 1000000;
    char error[STORE_ERROR_MAX] = "";

    if (argc < 2 || argc % 2 != 0) {
        fprintf(stderr, "usage: bench_grow FOLDER [--runs N] [--games N] [--points N]\n");
        return 2;
    }
    for (int k = 2; k + 1 < argc; k += 2) {
        if (strcmp(argv[k], "--runs") == 0)
            runs = atoll(argv[k + 1]);
        else if (strcmp(argv[k], "--games") == 0)
            games = atoll(argv[k + 1]);
        else if (strcmp(argv[k], "--points") == 0)
            points = atoll(argv[k + 1]);
    }
    need(store_open(argv[1], false, &grow.store, error), error);
    add_matches(&grow, games);
    add_trainings(&grow, runs, points);
    store_close(grow.store);
    return 0;
}
