/* Workers under kill -9 and SIGSTOP: jobs whose workers are killed at random must end with the
 * result of an undisturbed run. */
#include "tests/crash/crash.h"
#include "tests/patience.h"
#include "tests/slow.h"

#include "api/base/clock.h"
#include "service/store/jobs.h"
#include "tests/unit/service/store/job_events.h"

#include <curl/curl.h>
#include <getopt.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum {
    KILLS = SLOW_OR(6, 12), /* without --kills */
    BLOWS_MOST = 2,         /* consecutive blows that a job survives, limited by JOB_CRASHES */
    STOPPED_EVERY = 16,     /* one blow in this many is SIGSTOP */
    LEASE_MS = 8000 /* long enough that a busy machine does not make other workers seem hung */
};

static const char *const daemon_flags[] = {"--workers", "2", "--lease-ms", "8000", NULL};

/* About a second of work each, also in slow builds; the same seed gives the same result. */
#define PAIRS_OF_ONE_END  SLOW_OR("300", "1500")
#define PAIRS_OF_TWO_ENDS SLOW_OR("200", "1000")
#define PAIRS_OF_THREE    SLOW_OR("80", "400")
#define ENDS              SLOW_OR("30", "120")
#define ITERATIONS        SLOW_OR("120", "300")
#define EVALUATE_EVERY    SLOW_OR("60", "150")
static const char *const specs[] = {
    "\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"random\",\"ends\":1,"
    "\"pairs\":" PAIRS_OF_ONE_END ",\"seed\":1}",
    "\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"ai-simple\",\"ends\":2,"
    "\"pairs\":" PAIRS_OF_TWO_ENDS ",\"extra_ends\":5,\"threads\":2,\"seed\":2}",
    "\"tournament\",\"spec\":{\"players\":[\"ai-simple\",\"random\",\"dc3-rulebased\"],\"ends\":1,"
    "\"pairs\":" PAIRS_OF_THREE ",\"seed\":3}",
    "\"exploitability\",\"spec\":{\"player\":\"ai-simple\",\"responders\":[\"random\"],"
    "\"ends\":" ENDS ",\"selection_ends\":20,\"seed\":4,\"limits\":{\"simulations\":10}}",
    /* Two runs, checkpoints every few milliseconds. */
    "\"train\",\"spec\":{\"iterations\":" ITERATIONS
    ",\"seeds\":[6,7],\"network\":{\"architecture\":\"mlp\","
    "\"hidden\":[8]},\"hyper\":"
    "{"
    "\"parallel\":4,\"batch\":8,\"updates\":1,\"warm_up\":64,\"response_rate\":0.001,"
    "\"average_rate\":0.001,\"response_memory\":2000,\"average_memory\":4000,\"candidates\":3},"
    "\"opponents\":[\"random\"],\"evaluate_every\":" EVALUATE_EVERY ",\"evaluate_pairs\":2,"
    "\"checkpoint_every\":20}",
    "\"diagnose\",\"spec\":{\"seconds\":2,\"seed\":5}",
};

enum { SPECS = sizeof specs / sizeof *specs, TRAIN = SPECS - 2, DIAGNOSE = SPECS - 1 };

struct target {
    int64_t id;
    int spec;
    int blows, stops;
    int64_t blow_ms[BLOWS_MOST]; /* wall-clock time */
    bool is_over;
};

static struct daemon_process rinkd;

/* ---- jobs ---- */

static int64_t add_job(const char *kind_and_spec)
{
    char body[1024];

    snprintf(body, sizeof body, "{\"kind\":%s}", kind_and_spec);
    struct reply reply = client_post(rinkd.port, "/v1/jobs", body);
    if (reply.status != 202)
        fail_msg("%s: %ld %s", body, reply.status, reply.text);
    int64_t id = json_integer_value(json_object_get(reply.json, "id"));
    reply_free(&reply);
    return id;
}

static json_t *get_job(int64_t id)
{
    char path[64];

    snprintf(path, sizeof path, "/v1/jobs/%lld?history=true", (long long)id);
    struct reply reply = client_get(rinkd.port, path);
    assert_int_equal(reply.status, 200);
    json_t *job = json_incref(reply.json);
    reply_free(&reply);
    return job;
}

static bool job_is(int64_t id, const char *state)
{
    json_t *job = get_job(id);
    bool is = strcmp(json_string_value(json_object_get(job, "state")), state) == 0;

    json_decref(job);
    return is;
}

static void wait_for_state(int64_t id, const char *state)
{
    double end_s = 0;

    while (!job_is(id, state)) {
        assert_true(patience_left(&end_s));
        crash_sleep_s(0.02);
    }
}

static void take_effort_out(json_t *value)
{
    json_t *part;
    const char *key;
    size_t k;

    json_object_del(value, "effort");
    json_object_foreach(value, key, part) take_effort_out(part);
    json_array_foreach(value, k, part) take_effort_out(part);
}

/* Removes run names and the hashes of files that contain them; keeps the hash of the weights. */
static void take_names_out(json_t *training)
{
    json_t *run;
    size_t k;

    json_array_foreach(json_object_get(training, "runs"), k, run)
    {
        assert_true(json_is_string(json_object_get(run, "weights_sha256")));
        json_object_del(run, "run");
        json_object_del(run, "models");
        json_object_del(run, "cpu_s");
    }
}

/* Returns the part of the result that does not depend on timing; malloc'ed. */
static char *result_text(int64_t id, int spec)
{
    json_t *job = get_job(id), *result = json_object_get(job, "result");

    take_effort_out(result);
    if (spec == TRAIN)
        take_names_out(result);
    if (spec == DIAGNOSE) { /* all of it is timings */
        json_object_del(result, "seconds");
        json_object_del(result, "throws_per_s");
        json_object_del(result, "search_throws_per_s");
    }
    char *text = json_dumps(result, JSON_ENCODE_ANY | JSON_SORT_KEYS);
    assert_non_null(text);
    json_decref(job);
    return text;
}

/* ---- workers ---- */

/* Returns a worker of the job, or any worker if id is 0, as {"pid","job",…}; NULL: none. */
static json_t *find_worker(int64_t id, uint64_t *random)
{
    struct reply reply = client_get(rinkd.port, "/v1/workers");
    json_t *items = json_object_get(reply.json, "items"), *found = NULL, *item;
    size_t count = json_array_size(items), k;

    assert_int_equal(reply.status, 200);
    if (id == 0 && count > 0)
        found = json_array_get(items, crash_random(random, count));
    json_array_foreach(items, k, item)
    {
        if (id != 0 && json_integer_value(json_object_get(item, "job")) == id)
            found = item;
    }
    if (!json_is_integer(json_object_get(found, "pid")))
        found = NULL; /* already dead */
    json_incref(found);
    reply_free(&reply);
    return found;
}

static void strike(const json_t *worker, int signal)
{
    kill((pid_t)json_integer_value(json_object_get(worker, "pid")), signal);
}

static json_t *wait_for_worker(int64_t id)
{
    json_t *worker;
    double end_s = 0;

    while (!(worker = find_worker(id, NULL))) {
        assert_true(patience_left(&end_s));
        crash_sleep_s(0.005);
    }
    return worker;
}

/* Waits for a worker of the job and kills it. */
static void kill_worker_of(int64_t id)
{
    json_t *worker;

    worker = wait_for_worker(id);
    int64_t pid = json_integer_value(json_object_get(worker, "pid"));
    strike(worker, SIGKILL);
    json_decref(worker);
    while ((worker = find_worker(id, NULL)) &&
           json_integer_value(json_object_get(worker, "pid")) == pid) {
        json_decref(worker);
        crash_sleep_s(0.005);
    }
    json_decref(worker);
}

/* ---- random blows ---- */

static struct target *target_of(struct target *targets, int count, int64_t id)
{
    for (int k = 0; k < count; k++)
        if (targets[k].id == id)
            return &targets[k];
    return NULL;
}

/* Returns true if a worker was struck. */
static bool strike_somebody(struct target *targets, int count, uint64_t *random)
{
    json_t *worker = find_worker(0, random);
    struct target *target =
        target_of(targets, count, json_integer_value(json_object_get(worker, "job")));
    bool can = target && target->blows < BLOWS_MOST;

    if (can) {
        bool stops = crash_random(random, STOPPED_EVERY) == 0;
        target->blow_ms[target->blows++] = clock_wall_ms();
        target->stops += stops;
        strike(worker, stops ? SIGSTOP : SIGKILL);
    }
    json_decref(worker);
    return can;
}

static bool all_are_over(struct target *targets, int count)
{
    for (int k = 0; k < count; k++) {
        if (!targets[k].is_over) {
            targets[k].is_over = job_is(targets[k].id, "done");
            return false;
        }
    }
    return true;
}

static int64_t time_ms(const json_t *event)
{
    struct tm tm = {0};
    int ms;

    assert_int_equal(sscanf(json_string_value(json_object_get(event, "at")),
                            "%d-%d-%dT%d:%d:%d.%dZ", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
                            &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &ms),
                     7);
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    return (int64_t)timegm(&tm) * 1000 + ms;
}

/* Returns whether this is the error of a stopped worker; some are stopped before they say hello. */
static bool is_silence(const char *error)
{
    return strncmp(error, "hung", 4) == 0 || strncmp(error, "no-hello", 8) == 0;
}

/* Each retry follows one blow, in order; a blow after a worker's last message causes none. */
static int check_history(struct store *store, const struct target *target,
                         struct crash_times *noticed)
{
    json_t *events = job_events(store, target->id), *event;
    int retries = 0, hung = 0;
    size_t k;

    json_array_foreach(events, k, event)
    {
        if (strcmp(json_string_value(json_object_get(event, "kind")), "retried") != 0)
            continue;
        const char *why = json_string_value(json_object_get(event, "detail"));
        bool was_hung = is_silence(why);
        if (retries == target->blows || (!was_hung && strncmp(why, "worker-died: ", 13) != 0))
            fail_msg("job %lld: %s", (long long)target->id, why);
        if (!was_hung)
            crash_times_add(noticed, 1e-3 * (double)(time_ms(event) - target->blow_ms[retries]));
        hung += was_hung;
        retries++;
    }
    json_decref(events);
    assert_true(hung <= target->stops);

    json_t *job = get_job(target->id);
    int64_t crashes = json_integer_value(json_object_get(job, "crashes"));
    int64_t attempt = json_integer_value(json_object_get(job, "attempt"));
    if (target->spec == TRAIN) { /* both are counted from the last checkpoint */
        assert_true(crashes <= retries);
        assert_true(attempt >= 1 && attempt <= retries + 1);
    } else {
        assert_int_equal(crashes, retries);
        assert_int_equal(attempt, retries + 1);
    }
    json_decref(job);
    return retries;
}

static struct options {
    int kills;
    uint64_t seed;
} options = {.kills = KILLS, .seed = 1};

static void results_are_those_of_an_undisturbed_run(void **state)
{
    int count = options.kills * 2 / 3 + 2, blows = 0, retries = 0;
    struct target *targets = calloc((size_t)count, sizeof *targets);
    struct crash_times noticed = {0};
    uint64_t random = options.seed;
    char *wanted[SPECS];
    struct store *store;

    (void)state;
    assert_non_null(targets);
    for (int k = 0; k < SPECS; k++) {
        int64_t id = add_job(specs[k]);
        wait_for_state(id, "done");
        wanted[k] = result_text(id, k);
        assert_true(strlen(wanted[k]) > 10);
    }
    for (int k = 0; k < count; k++)
        targets[k] = (struct target){.id = add_job(specs[k % SPECS]), .spec = k % SPECS};
    while (!all_are_over(targets, count)) {
        crash_sleep_s(1e-3 * (double)crash_random(&random, 250));
        if (blows < options.kills)
            blows += strike_somebody(targets, count, &random);
    }
    assert_int_equal(store_open_reader(rinkd.data, &store), API_OK);
    for (int k = 0; k < count; k++) {
        char *text = result_text(targets[k].id, targets[k].spec);
        if (strcmp(text, wanted[targets[k].spec]) != 0)
            fail_msg("job %lld: %s, not %s", (long long)targets[k].id, text,
                     wanted[targets[k].spec]);
        free(text);
        retries += check_history(store, &targets[k], &noticed);
    }
    store_close(store);
    printf("%d blows, %d attempts more, %d jobs, every result as it should be\n", blows, retries,
           count);
    crash_times_print(&noticed, "from the death of a worker to a job that waits for its next try");
    for (int k = 0; k < SPECS; k++)
        free(wanted[k]);
    free(targets);
}

/* ---- single blows ---- */

static void a_job_that_always_dies_is_buried_and_can_be_kicked(void **state)
{
    char path[64];

    (void)state;
    int64_t id = add_job(specs[0]);
    for (int k = 0; k < JOB_CRASHES; k++)
        kill_worker_of(id);
    wait_for_state(id, "buried");
    json_t *job = get_job(id), *error = json_object_get(job, "error");
    assert_int_equal(json_integer_value(json_object_get(job, "attempt")), JOB_CRASHES);
    assert_string_equal(json_string_value(json_object_get(error, "code")), "worker-died");
    assert_non_null(strstr(json_string_value(json_object_get(error, "detail")), "signal 9"));
    json_decref(job);
    snprintf(path, sizeof path, "/v1/jobs/%lld/kick", (long long)id);
    struct reply reply = client_post(rinkd.port, path, NULL);
    assert_int_equal(reply.status, 202);
    reply_free(&reply);
    wait_for_state(id, "done");
}

/* The count of deaths restarts at each partial result, one every three seconds. Each result has
 * more than the one before, whichever worker wrote it, so nothing starts over. */
static void gets_on(const char *kind_and_spec, const char *counter)
{
    char path[64];
    int64_t id = add_job(kind_and_spec), most = 0;

    for (int k = 0; k <= JOB_CRASHES; k++) {
        int64_t before = most;
        while (most == before) {
            json_t *job = get_job(id);
            int64_t now =
                json_integer_value(json_object_get(json_object_get(job, "result"), counter));
            json_decref(job);
            assert_true(now >= most);
            most = now;
            crash_sleep_s(0.02);
        }
        kill_worker_of(id);
        json_t *job = get_job(id);
        assert_true(json_integer_value(json_object_get(job, "crashes")) <= 1);
        json_decref(job);
    }
    snprintf(path, sizeof path, "/v1/jobs/%lld/cancel", (long long)id);
    struct reply reply = client_post(rinkd.port, path, NULL);
    assert_int_equal(reply.status, 202);
    reply_free(&reply);
    wait_for_state(id, "cancelled");
}

static void a_job_with_progress_survives_many_crashes(void **state)
{
    (void)state;
    gets_on("\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"ai-simple\",\"ends\":10,"
            "\"pairs\":1000000,\"seed\":9}",
            "pairs");
    gets_on("\"exploitability\",\"spec\":{\"player\":\"ai-simple\",\"responders\":[\"ai-simple\"],"
            "\"ends\":10000000,\"selection_ends\":2,\"seed\":9}",
            "ends_played");
}

/* The old worker is ended before another takes the job, because both would write the same
 * records. */
/* Whether an attempt of the job ended since its worker was silent. */
static bool was_silent(const json_t *job)
{
    const json_t *event;
    bool was = false;
    size_t k;

    json_array_foreach(json_object_get(job, "history"), k, event)
    {
        const char *kind = json_string_value(json_object_get(event, "kind"));
        const char *detail = json_string_value(json_object_get(event, "detail"));
        was = was || (strcmp(kind, "retried") == 0 && detail && is_silence(detail));
    }
    return was;
}

static void a_stopped_worker_costs_one_attempt(void **state)
{
    json_t *worker;

    (void)state;
    int64_t id = add_job(specs[0]);
    worker = wait_for_worker(id);
    crash_sleep_s(0.1); /* most have said hello by then */
    strike(worker, SIGSTOP);
    json_decref(worker);
    wait_for_state(id, "done");
    json_t *job = get_job(id);
    assert_int_equal(json_integer_value(json_object_get(job, "attempt")), 2);
    assert_true(was_silent(job));
    json_decref(job);
}

/* Workers could not report while the daemon was stopped. */
static void a_stopped_daemon_counts_no_failed_attempt(void **state)
{
    (void)state;
    int64_t id = add_job(specs[DIAGNOSE]);
    wait_for_state(id, "leased");
    assert_int_equal(kill(rinkd.pid, SIGSTOP), 0);
    crash_sleep_s(1e-3 * 2 * LEASE_MS);
    assert_int_equal(kill(rinkd.pid, SIGCONT), 0);
    wait_for_state(id, "done");
    json_t *job = get_job(id);
    assert_int_equal(json_integer_value(json_object_get(job, "attempt")), 1);
    json_decref(job);
}

/* ---- all workers ---- */

static int start_daemon(void **state)
{
    (void)state;
    daemon_prepare(&rinkd);
    crash_start(&rinkd, daemon_flags);
    return 0;
}

static int end_daemon(void **state)
{
    (void)state;
    int status = daemon_end(&rinkd, SIGTERM);

    daemon_remove(&rinkd);
    return status == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    static const struct option flags[] = {{"kills", required_argument, NULL, 'k'},
                                          {"seed", required_argument, NULL, 's'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_an_undisturbed_run),
        cmocka_unit_test(a_job_that_always_dies_is_buried_and_can_be_kicked),
        cmocka_unit_test(a_job_with_progress_survives_many_crashes),
        cmocka_unit_test(a_stopped_worker_costs_one_attempt),
        cmocka_unit_test(a_stopped_daemon_counts_no_failed_attempt),
    };

    for (int flag; (flag = getopt_long(argc, argv, "", flags, NULL)) != -1;) {
        if (flag == 'k')
            options.kills = atoi(optarg);
        else if (flag == 's')
            options.seed = strtoull(optarg, NULL, 10);
        else {
            printf("%s [--kills N (%d)] [--seed N (1)]\n", *argv, KILLS);
            return flag == 'h' ? 0 : 1;
        }
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    return cmocka_run_group_tests(tests, start_daemon, end_daemon);
}
