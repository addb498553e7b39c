/* Speed of the store: jobs claimed and completed with synchronous=FULL, one or many in a commit;
 * and the cost of queries on a large database.
 *
 *   bench_store [--rows N] [--pairs N] [--owners N] [--folder DIR]
 *
 * Fills a new database with N jobs (default 10000), half of them done, then claims and finishes
 * some (default 2000). The jobs are of as many callers in turn (default 1). Prints the rates;
 * asserts only that the calls succeed. */
#include "api/base/clock.h"
#include "service/store/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const kinds[] = {"match", "train", NULL};
static const char spec[] =
    "{\"a\":\"kr-uct:simulations=1600\",\"b\":\"ai-simple\",\"profile\":\"dc2\","
    "\"pairs\":1000,\"ends\":8,\"seed\":7,\"noise\":\"gat\"}";

static int owners = 1;

/* The owner of a job, one after the other. */
static const char *owner_of(int64_t k)
{
    static char name[24];

    snprintf(name, sizeof name, "caller-%lld", (long long)(k % owners));
    return name;
}

static void need(enum api_error error, const char *what)
{
    if (error == API_OK)
        return;
    fprintf(stderr, "bench_store: %s: %s\n", what, api_error_title(error));
    exit(1);
}

static void fill(struct store *store, int64_t from, int64_t rows)
{
    struct job_new job = {.kind = "match", .spec = spec};
    int64_t id;

    for (int64_t k = from; k < rows;) {
        need(store_begin(store), "begin");
        for (int group = 0; group < 1000 && k < rows; group++, k++) {
            struct job_claim claim;
            job.owner = owner_of(k);
            need(job_store_add(store, &job, 1000 + k, &id), "add");
            if (k % 2 == 0)
                continue;
            need(job_store_claim(store, kinds, NULL, 2000000000, 30000, &claim), "claim");
            need(job_store_finish(store, claim.id, claim.token, "{}", false, 2000000000), "finish");
            job_claim_free(&claim);
        }
        need(store_commit(store), "commit");
    }
}

static void pairs(struct store *store, int count, int group)
{
    double start = clock_now_s();

    for (int done = 0; done < count;) {
        need(store_begin(store), "begin");
        for (int k = 0; k < group && done < count; k++, done++) {
            struct job_claim claim;
            need(store_savepoint(store), "savepoint");
            need(job_store_claim(store, kinds, NULL, 2000000000, 30000, &claim), "claim");
            need(store_release(store), "release");
            need(store_savepoint(store), "savepoint");
            need(
                job_store_finish(store, claim.id, claim.token, "{\"points\":1}", false, 2000000001),
                "finish");
            need(store_release(store), "release");
            job_claim_free(&claim);
        }
        need(store_commit(store), "commit");
    }
    printf("  claim + complete, %2d in a commit   %9.0f pairs/s\n", group,
           (double)count / (clock_now_s() - start));
}

static void adds(struct store *store, int count, int group)
{
    struct job_new job = {.kind = "match", .spec = spec};
    double start = clock_now_s();
    int64_t id;

    for (int done = 0; done < count;) {
        need(store_begin(store), "begin");
        for (int k = 0; k < group && done < count; k++, done++) {
            job.owner = owner_of(done);
            need(store_savepoint(store), "savepoint");
            need(job_store_add(store, &job, 1000, &id), "add");
            need(store_release(store), "release");
        }
        need(store_commit(store), "commit");
    }
    printf("  add, %2d in a commit                %9.0f jobs/s\n", group,
           (double)count / (clock_now_s() - start));
}

#define TIME(what, count, call)                                                        \
    do {                                                                               \
        double start_s = clock_now_s();                                                \
        for (int timed = 0; timed < (count); timed++)                                  \
            call;                                                                      \
        printf("  %-34s %9.1f us\n", what, 1e6 * (clock_now_s() - start_s) / (count)); \
    } while (0)

static void get(struct store *reader, int64_t id)
{
    json_t *job;
    need(job_store_get(reader, id, &job), "get");
    json_decref(job);
}

static void list(struct store *reader, const struct job_filter *filter)
{
    struct store_page page = {.limit = STORE_PAGE_DEFAULT};
    need(job_store_list(reader, filter, &page), "list");
    json_decref(page.items);
}

static void look(const char *folder, int64_t rows)
{
    struct store *reader;
    int64_t counts[JOB_STATES], position;

    need(store_open_reader(folder, &reader), "reader");
    TIME("get", 1000, get(reader, 1 + timed * rows / 1000));
    TIME("list of 50", 100, list(reader, &(struct job_filter){.kind = NULL}));
    TIME(
        "list of 50 ready matches", 100,
        list(reader, &(struct job_filter){.kind = "match", .has_state = true, .state = JOB_READY}));
    TIME("list of the buried", 100,
         list(reader, &(struct job_filter){.has_state = true, .state = JOB_BURIED}));
    TIME("counts", 1000, need(job_store_counts(reader, counts), "counts"));
    TIME("position of the last", 100,
         need(job_store_position(reader, rows % 2 ? rows : rows - 1, &position), "position"));
    store_close(reader);
}

int main(int argc, char **argv)
{
    int64_t rows = 10000;
    int count = 2000;
    const char *parent = "/tmp";
    char folder[4096], error[STORE_ERROR_MAX], path[4200];
    struct store *store;

    for (int k = 1; k + 1 < argc; k += 2) {
        if (strcmp(argv[k], "--rows") == 0)
            rows = atoll(argv[k + 1]);
        else if (strcmp(argv[k], "--pairs") == 0)
            count = atoi(argv[k + 1]);
        else if (strcmp(argv[k], "--owners") == 0 && atoi(argv[k + 1]) > 0)
            owners = atoi(argv[k + 1]);
        else if (strcmp(argv[k], "--folder") == 0)
            parent = argv[k + 1];
    }
    snprintf(folder, sizeof folder, "%s/bench_store_XXXXXX", parent);
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    error[0] = 0;
    need(store_open(folder, false, &store, error), error);
    double start = clock_now_s();
    fill(store, 0, rows);
    printf("%lld jobs, made in %.1f s\n", (long long)rows, clock_now_s() - start);
    look(folder, rows);
    /* Each run consumes jobs; new ones keep the queue long. */
    adds(store, count, 1);
    adds(store, count, 64);
    pairs(store, count, 1);
    pairs(store, count, 64);

    store_close(store);
    start = clock_now_s();
    need(store_open(folder, false, &store, error), error);
    printf("  open                               %9.1f ms\n", 1e3 * (clock_now_s() - start));
    store_close(store);
    static const char *const files[] = {"rinkd.db", "rinkd.lock"};
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        unlink(path);
    }
    rmdir(folder);
    return 0;
}
