/* rinkd under kill -9. Threads post jobs and other writes and remember what was acknowledged, while
 * the daemon is killed at random moments and started again. After each start they check that every
 * answer still holds, and at the end every row of the database is compared with the answers. */
#include "tests/crash/crash.h"

#include "api/base/clock.h"
#include "service/store/jobs.h"
#include "tests/patience.h"
#include "tests/unit/service/store/job_events.h"

#include <curl/curl.h>
#include <getopt.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

enum {
    THREADS = 4,
    THREAD_JOBS = 200000, /* most jobs of a thread; a thread numbers its jobs consecutively */
    STORED_JOBS = THREADS * THREAD_JOBS, /* number of the first job of --jobs */
    LOOK_BACK = 40,   /* jobs from before a kill that a thread checks after it: the latest … */
    LOOK_ANYWHERE = 8 /* … and others */
};

/* The state of a job that the daemon has acknowledged. */
enum promise { NEVER_ANSWERED, HELD, RUNS, IS_DONE, PAUSED, CANCELLED, DELETED };

struct promised {
    enum promise promise;
    int64_t id; /* 0: never acknowledged */
};

struct client {
    pthread_t thread;
    int number;
    uint64_t random;
    struct promised *jobs; /* [THREAD_JOBS] by job number */
    int job_count;
    int players; /* crash-NUMBER-0 … */
    int tag;     /* tag of its run */
    char run[64];
    int seen_start; /* the last start after which it checked */
    int64_t requests, looks;
};

static atomic_int port, starts, mistakes;
static atomic_bool stop;

static void mistake(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void mistake(const char *format, ...)
{
    va_list arguments;

    flockfile(stderr);
    fprintf(stderr, "WRONG: ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    funlockfile(stderr);
    atomic_fetch_add(&mistakes, 1);
}

/* ---- requests of a client ---- */

static struct reply call(struct client *client, const char *method, const char *path,
                         const char *body)
{
    client->requests++;
    return crash_call(&port, &(struct client_call){.method = method, .path = path, .body = body});
}

/* Adds a job: one in eight starts at once and plays for a while, the others are due on another day.
 * With an idempotency key the request is repeated until answered, otherwise it is sent once. */
static void add_job(struct client *client)
{
    int k = client->job_count;
    bool runs = crash_random(&client->random, 8) == 0, has_key = k % 3 != 0;
    char body[256], key[64];
    const char *const headers[] = {"Content-Type: application/json", has_key ? key : NULL, NULL};

    if (k == THREAD_JOBS)
        return;
    snprintf(key, sizeof key, "Idempotency-Key: crash-%d-%d", client->number, k);
    snprintf(body, sizeof body,
             "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"ai-simple\",\"ends\":1,"
             "\"pairs\":%d,\"seed\":%d},\"delay_s\":%d}",
             runs ? 200 : 1, client->number * THREAD_JOBS + k, runs ? 0 : 86400);
    const struct client_call add = {
        .method = "POST", .path = "/v1/jobs", .body = body, .header = headers};
    client->requests++;
    struct reply reply = has_key ? crash_call(&port, &add) : client_call(port, &add);
    struct promised job = {.promise = NEVER_ANSWERED};
    if (reply.status == 202 && reply.json) {
        job.promise = runs ? RUNS : HELD;
        job.id = json_integer_value(json_object_get(reply.json, "id"));
    } else if (has_key) {
        mistake("POST of job %d: %ld %s", k, reply.status, reply.text);
    }
    client->jobs[k] = job;
    client->job_count = k + 1;
    reply_free(&reply);
}

/* Repeats a request whose answer was lost; the status `when_repeated` then shows that the first one
 * succeeded. */
static bool move_job(struct client *client, int64_t id, const char *method, const char *move,
                     long when_done, long when_repeated)
{
    char path[96];

    snprintf(path, sizeof path, "/v1/jobs/%lld%s", (long long)id, move);
    struct reply reply = call(client, method, path, NULL);
    bool good = reply.status == when_done || reply.status == when_repeated;
    if (!good)
        mistake("%s %s: %ld %s", method, path, reply.status, reply.text);
    reply_free(&reply);
    return good;
}

static void move_some_job(struct client *client)
{
    struct promised *job =
        client->job_count > 0
            ? &client->jobs[crash_random(&client->random, (uint64_t)client->job_count)]
            : NULL;
    bool cancels = crash_random(&client->random, 2) == 0;

    if (!job)
        return;
    if (job->promise == PAUSED && !cancels) {
        if (move_job(client, job->id, "POST", "/resume", 202, 409))
            job->promise = HELD;
    } else if (job->promise == HELD && !cancels) {
        if (move_job(client, job->id, "POST", "/pause", 202, 409))
            job->promise = PAUSED;
    } else if (job->promise == HELD || job->promise == PAUSED) {
        if (move_job(client, job->id, "POST", "/cancel", 202, 409))
            job->promise = CANCELLED;
    } else if (job->promise == CANCELLED) {
        if (move_job(client, job->id, "DELETE", "", 204, 404))
            job->promise = DELETED;
    }
}

static void add_player(struct client *client)
{
    char body[128];

    snprintf(body, sizeof body, "{\"name\":\"crash-%d-%d\",\"spec\":\"rink\"}", client->number,
             client->players);
    struct reply reply = call(client, "POST", "/v1/players", body);
    if (reply.status != 201 && reply.status != 409)
        mistake("POST of a player: %ld %s", reply.status, reply.text);
    client->players++;
    reply_free(&reply);
}

static void set_tag(struct client *client)
{
    char path[96], body[64];

    snprintf(path, sizeof path, "/v1/runs/%s", client->run);
    snprintf(body, sizeof body, "{\"tags\":{\"n\":\"%d\"}}", client->tag + 1);
    struct reply reply = call(client, "PATCH", path, body);
    if (reply.status == 200)
        client->tag++;
    else
        mistake("PATCH of a run: %ld %s", reply.status, reply.text);
    reply_free(&reply);
}

/* ---- checks of a client after a start ---- */

/* Returns whether a job in this state keeps the promise. */
static bool is_kept(enum promise promise, const char *state)
{
    switch (promise) {
    case HELD:
        return strcmp(state, "ready") == 0;
    case PAUSED:
        return strcmp(state, "paused") == 0;
    case CANCELLED:
        return strcmp(state, "cancelled") == 0;
    case IS_DONE:
        return strcmp(state, "done") == 0;
    case RUNS:
        return strcmp(state, "ready") == 0 || strcmp(state, "leased") == 0 ||
               strcmp(state, "done") == 0;
    default:
        return false; /* unknown: the job should not exist */
    }
}

static void look_at_job(struct client *client, int k)
{
    struct promised *job = &client->jobs[k];
    char path[96];

    if (job->promise == NEVER_ANSWERED)
        return;
    snprintf(path, sizeof path, "/v1/jobs/%lld", (long long)job->id);
    struct reply reply = call(client, "GET", path, NULL);
    const char *state = json_string_value(json_object_get(reply.json, "state"));
    json_int_t seed =
        json_integer_value(json_object_get(json_object_get(reply.json, "spec"), "seed"));
    client->looks++;
    if (job->promise == DELETED ? reply.status != 404
                                : reply.status != 200 || !state || !is_kept(job->promise, state) ||
                                      seed != client->number * THREAD_JOBS + k)
        mistake("job %d of client %d, promise %d: %ld %s", k, client->number, (int)job->promise,
                reply.status, reply.text);
    else if (state && strcmp(state, "done") == 0)
        job->promise = IS_DONE;
    reply_free(&reply);
}

static void look_at_others(struct client *client)
{
    char path[96], tag[16];

    for (int k = client->players > LOOK_ANYWHERE ? client->players - LOOK_ANYWHERE : 0;
         k < client->players; k++) {
        snprintf(path, sizeof path, "/v1/players/crash-%d-%d", client->number, k);
        struct reply reply = call(client, "GET", path, NULL);
        if (reply.status != 200)
            mistake("%s is lost: %ld", path, reply.status);
        reply_free(&reply);
    }
    snprintf(path, sizeof path, "/v1/runs/%s", client->run);
    snprintf(tag, sizeof tag, "%d", client->tag);
    struct reply reply = call(client, "GET", path, NULL);
    const char *found =
        json_string_value(json_object_get(json_object_get(reply.json, "tags"), "n"));
    if (client->tag > 0 && (!found || strcmp(found, tag) != 0))
        mistake("a tag is %s, not %s", found ? found : "lost", tag);
    reply_free(&reply);
}

static void look(struct client *client)
{
    int count = client->job_count;

    for (int k = count > LOOK_BACK ? count - LOOK_BACK : 0; k < count; k++)
        look_at_job(client, k);
    for (int k = 0; k < LOOK_ANYWHERE && count > 0; k++)
        look_at_job(client, (int)crash_random(&client->random, (uint64_t)count));
    look_at_others(client);
}

static void *run_client(void *context)
{
    struct client *client = context;

    while (!stop) {
        int start = starts;
        if (start != client->seen_start) {
            client->seen_start = start;
            look(client);
        }
        uint64_t what = crash_random(&client->random, 20);
        if (what < 10)
            add_job(client);
        else if (what < 16)
            move_some_job(client);
        else if (what < 18)
            add_player(client);
        else
            set_tag(client);
    }
    return NULL;
}

/* ---- the whole database, at the end ---- */

/* Events of a job, the states they may follow and the states they lead to. */
static const struct {
    const char *kind;
    unsigned from;
    int to; /* -1: unchanged */
} event_moves[] = {
    {"leased", 1u << JOB_READY, JOB_LEASED},
    {"retried", 1u << JOB_LEASED, JOB_READY},
    {"released", 1u << JOB_LEASED, JOB_READY},
    {"paused", 1u << JOB_READY | 1u << JOB_LEASED, JOB_PAUSED},
    {"resumed", 1u << JOB_PAUSED, JOB_READY},
    {"done", 1u << JOB_LEASED, JOB_DONE},
    {"cancelled", 1u << JOB_READY | 1u << JOB_LEASED | 1u << JOB_PAUSED, JOB_CANCELLED},
    {"cancel_wanted", 1u << JOB_LEASED, -1},
    {"pause_wanted", 1u << JOB_LEASED, -1},
};

/* Replays the history of a job, which must end in the job's state. */
static void check_history(struct store *store, int64_t id, enum job_state state)
{
    enum job_state at = JOB_READY;
    json_t *events = job_events(store, id), *event;
    size_t k;

    json_array_foreach(events, k, event)
    {
        const char *kind = json_string_value(json_object_get(event, "kind"));
        bool good = k == 0 && strcmp(kind, "added") == 0;
        for (size_t m = 0; m < sizeof event_moves / sizeof *event_moves; m++) {
            if (k == 0 || strcmp(kind, event_moves[m].kind) != 0 ||
                !(event_moves[m].from >> at & 1u))
                continue;
            good = true;
            at = event_moves[m].to < 0 ? at : (enum job_state)event_moves[m].to;
        }
        if (!good || json_integer_value(json_object_get(event, "seq")) != (json_int_t)k + 1)
            mistake("job %lld: event %zu is %s in state %s", (long long)id, k + 1, kind,
                    job_state_name(at));
    }
    if (at != state || json_array_size(events) == 0)
        mistake("job %lld: its history ends with %s, and it is %s", (long long)id,
                job_state_name(at), job_state_name(state));
    json_decref(events);
}

struct tally {
    struct client *clients;
    int64_t rows, counts[JOB_STATES], stored;
    int64_t doubled, lost, unasked;
    int64_t *ids; /* by job number; 0: not seen */
};

static void check_row(struct store *store, int64_t id, struct tally *tally)
{
    json_t *job;
    enum job_state state;

    assert_int_equal(job_store_get(store, id, &job), API_OK);
    assert_true(job_state_read(json_string_value(json_object_get(job, "state")), &state));
    int64_t number = json_integer_value(json_object_get(json_object_get(job, "spec"), "seed"));
    bool is_match = strcmp(json_string_value(json_object_get(job, "kind")), "match") == 0;
    json_decref(job);
    tally->rows++;
    tally->counts[state]++;
    if (state == JOB_LEASED)
        mistake("job %lld is leased, and nobody has it", (long long)id);
    if (!is_match)
        return; /* "rate" follows matches, "diagnose" belongs to the runs */
    if (number >= STORED_JOBS) {
        tally->stored++;
        return;
    }
    check_history(store, id, state);
    const struct client *client = &tally->clients[number / THREAD_JOBS];
    int k = (int)(number % THREAD_JOBS);
    if (k >= client->job_count)
        tally->unasked++;
    else if (tally->ids[number] != 0)
        tally->doubled++;
    else if (client->jobs[k].id != 0 && client->jobs[k].id != id)
        tally->doubled++;
    tally->ids[number] = id;
}

static void check_rows(struct store *store, const struct job_filter *filter, struct tally *tally)
{
    struct store_page page = {.limit = STORE_PAGE_MAX};

    do {
        json_t *item;
        size_t k;
        assert_int_equal(job_store_list(store, filter, &page), API_OK);
        json_array_foreach(page.items, k, item)
            check_row(store, json_integer_value(json_object_get(item, "id")), tally);
        json_decref(page.items);
        page.cursor = page.next;
    } while (*page.next);
}

static void check_database(const char *folder, struct tally *tally)
{
    int64_t counts[JOB_STATES];
    struct store *store;

    assert_int_equal(store_open_reader(folder, &store), API_OK);
    check_rows(store, &(struct job_filter){0}, tally);
    check_rows(store, &(struct job_filter){.kind = "rate"}, tally); /* listed only if named */
    assert_int_equal(job_store_counts(store, counts), API_OK);
    for (int k = 0; k < JOB_STATES; k++)
        if (counts[k] != tally->counts[k])
            mistake("%lld jobs are %s, not %lld", (long long)tally->counts[k],
                    job_state_name((enum job_state)k), (long long)counts[k]);
    store_close(store);
    for (int c = 0; c < THREADS; c++)
        for (int k = 0; k < tally->clients[c].job_count; k++) {
            const struct promised *job = &tally->clients[c].jobs[k];
            if (job->promise != NEVER_ANSWERED && job->promise != DELETED &&
                tally->ids[c * THREAD_JOBS + k] == 0)
                tally->lost++;
        }
}

/* ---- the course ---- */

struct options {
    int kills, jobs;
    uint64_t seed;
};

/* Puts many waiting jobs directly into the database. */
static void store_jobs(const struct daemon_process *daemon, int count)
{
    char error[STORE_ERROR_MAX], spec[160];
    struct store *store;
    int64_t id;

    mkdir(daemon->data, 0700);
    assert_int_equal(store_open(daemon->data, false, &store, error), API_OK);
    assert_int_equal(store_begin(store), API_OK);
    for (int k = 0; k < count; k++) {
        snprintf(spec, sizeof spec,
                 "{\"a\":\"ai-simple\",\"b\":\"ai-simple\",\"ends\":1,\"pairs\":1,\"seed\":%d}",
                 STORED_JOBS + k);
        const struct job_new job = {.kind = "match", .spec = spec, .run_at_ms = 1e15};
        assert_int_equal(job_store_add(store, &job, 1000 + k, &id), API_OK);
    }
    assert_int_equal(store_commit(store), API_OK);
    store_close(store);
}

/* Makes a run for each client, to tag. */
static void make_runs(const struct daemon_process *daemon, struct client *clients)
{
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: wait=60",
                                          NULL};
    const struct client_call diagnose = {.method = "POST",
                                         .path = "/v1/jobs",
                                         .body = "{\"kind\":\"diagnose\",\"spec\":{\"seconds\":1}}",
                                         .header = headers,
                                         .most_ms = PATIENCE_MS};
    for (int k = 0; k < THREADS; k++) {
        struct reply reply = client_call(daemon->port, &diagnose);
        const char *run = json_string_value(json_array_get(json_object_get(reply.json, "runs"), 0));
        assert_non_null(run);
        snprintf(clients[k].run, sizeof clients[k].run, "%s", run);
        reply_free(&reply);
    }
}

static void wait_for_orphans(pid_t daemon)
{
    double end_s = clock_now_s() + PATIENCE_S;
    int alive;

    while ((alive = crash_orphans(daemon)) > 0 && clock_now_s() < end_s)
        crash_sleep_s(0.005);
    if (alive > 0)
        mistake("%d processes of the killed daemon are alive", alive);
}

static int count_words(const char *text, const char *word)
{
    int count = 0;

    while ((text = strstr(text, word))) {
        count++;
        text += strlen(word);
    }
    return count;
}

/* Starts made; the log must show as many. */
static int begun;

static void kill_and_start(const struct options *options, struct daemon_process *daemon,
                           struct crash_times *ready)
{
    static const char *const flags[] = {"--workers", "2", NULL};
    uint64_t random = options->seed;
    int status;

    for (int k = 0; k < options->kills; k++) {
        crash_sleep_s(1e-3 * (double)crash_random(&random, 300));
        assert_int_equal(daemon_end(daemon, SIGKILL), 128 + SIGKILL);
        if (crash_random(&random, 8) == 0) { /* kill it again as soon as it listens */
            assert_true(daemon_start(daemon, flags, &status));
            begun++;
            port = daemon->port;
            k++;
            assert_int_equal(daemon_end(daemon, SIGKILL), 128 + SIGKILL);
        }
        crash_times_add(ready, crash_start(daemon, flags));
        begun++;
        port = daemon->port;
        atomic_fetch_add(&starts, 1);
        wait_for_orphans(daemon->pid);
    }
}

static void run_all(const struct options *options)
{
    static struct daemon_process daemon; /* its folder is kept when a check fails */
    struct client clients[THREADS] = {0};
    struct crash_times ready = {0};

    daemon_prepare(&daemon);
    if (options->jobs > 0)
        store_jobs(&daemon, options->jobs);
    printf("first start: %.0f ms\n", 1e3 * crash_start(&daemon, NULL));
    begun = 1;
    port = daemon.port;
    make_runs(&daemon, clients);
    for (int k = 0; k < THREADS; k++) {
        clients[k].number = k;
        clients[k].random = options->seed + (uint64_t)k + 1;
        clients[k].jobs = calloc(THREAD_JOBS, sizeof *clients[k].jobs);
        assert_non_null(clients[k].jobs);
        assert_int_equal(pthread_create(&clients[k].thread, NULL, run_client, &clients[k]), 0);
    }
    kill_and_start(options, &daemon, &ready);
    stop = true;
    struct tally tally = {.clients = clients};
    int64_t requests = 0, looks = 0;
    int jobs = 0;
    for (int k = 0; k < THREADS; k++) {
        pthread_join(clients[k].thread, NULL);
        requests += clients[k].requests;
        looks += clients[k].looks;
        jobs += clients[k].job_count;
    }
    if (daemon_end(&daemon, SIGTERM) != 0)
        mistake("the daemon did not end well");
    tally.ids = calloc((size_t)STORED_JOBS, sizeof *tally.ids);
    assert_non_null(tally.ids);
    check_database(daemon.data, &tally);
    char *log = daemon_log(&daemon);
    if (count_words(log, " recovered=") != begun)
        mistake("%d starts, and %d of them said how many jobs were recovered", begun,
                count_words(log, " recovered="));
    if (strstr(log, "Sanitizer:"))
        mistake("a sanitizer found something; see %s", daemon.log);
    free(log);

    printf("%d kills, %lld requests, %d jobs (%lld in the database), %lld looks at jobs\n",
           begun - 1, (long long)requests, jobs, (long long)tally.rows, (long long)looks);
    printf("lost %lld, doubled %lld, unasked for %lld, other mistakes %d\n", (long long)tally.lost,
           (long long)tally.doubled, (long long)tally.unasked, (int)mistakes);
    crash_times_print(&ready, "ready again");
    for (int k = 0; k < THREADS; k++)
        free(clients[k].jobs);
    free(tally.ids);
    assert_int_equal(tally.lost + tally.doubled + tally.unasked + mistakes, 0);
    assert_int_equal(tally.stored, options->jobs);
    daemon_remove(&daemon);
}

static void usage(const char *program)
{
    printf("%s [--kills N (20)] [--jobs N (0): in the database before] [--seed N (1)]\n", program);
}

static struct options options = {.kills = 20, .seed = 1};

static void acknowledged_writes_survive(void **state)
{
    (void)state;
    run_all(&options);
}

int main(int argc, char **argv)
{
    static const struct option flags[] = {{"kills", required_argument, NULL, 'k'},
                                          {"jobs", required_argument, NULL, 'j'},
                                          {"seed", required_argument, NULL, 's'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    const struct CMUnitTest tests[] = {cmocka_unit_test(acknowledged_writes_survive)};

    for (int flag; (flag = getopt_long(argc, argv, "", flags, NULL)) != -1;) {
        if (flag == 'k')
            options.kills = atoi(optarg);
        else if (flag == 'j')
            options.jobs = atoi(optarg);
        else if (flag == 's')
            options.seed = strtoull(optarg, NULL, 10);
        else {
            usage(*argv);
            return flag == 'h' ? 0 : 1;
        }
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    crash_adopt();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
