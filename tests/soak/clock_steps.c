/* The wall clock of the daemon and its workers is set forward and back, by a second to a day, at
 * any moment of any kind of job: every job ends at its first attempt with the same bytes, and
 * nothing waits for longer. The monotonic clock goes on. By hand `test_clock_steps --steps 500`. */
#include "service/nodes/answer.h"
#include "tests/api/jobs.h"
#include "tests/api/receiver.h"
#include "tests/crash/crash.h"
#include "tests/slow.h"

#include <getopt.h>
#include <sys/stat.h>

enum {
    STEPS = SLOW_OR(12, 24), /* without --steps */
    DAY_S = 86400,
    BUSY_CHANGES = 3, /* commits from one step to the next */
    DELAY_S = 2
};

static const long amounts_s[] = {1, 30, 3600, DAY_S};

static struct {
    int steps;
    uint64_t seed;
} options = {STEPS, 1};

/* ---- the clock ---- */

static char clock_file[96], clock_next[104];
static long ahead_s; /* of the true wall clock */

static void set_clock(long s)
{
    FILE *file = fopen(clock_next, "we");

    ahead_s = s;
    assert_true(file && fprintf(file, "%+ld\n", s) > 0 && fclose(file) == 0);
    assert_int_equal(rename(clock_next, clock_file), 0);
}

static long counter(const char *name)
{
    struct reply page = ask("GET", "/metrics", NULL, 200);
    char line[64];

    snprintf(line, sizeof line, "\n%s ", name);
    const char *at = strstr(page.text, line);
    assert_non_null(at);
    long count = strtol(at + strlen(line), NULL, 10);
    reply_free(&page);
    return count;
}

/* Sets the clock, and waits until the daemon has followed. */
static void set_clock_and_wait(long s)
{
    long before = counter("rinkd_clock_steps_total");

    set_clock(s);
    for (double end_s = 0; counter("rinkd_clock_steps_total") == before; rest())
        assert_true(patience_left(&end_s));
}

/* Workers start with a clean environment, so each is a script that names the clock. */
static void wrap_program(const char *name, const char *program)
{
    char path[160];

    snprintf(path, sizeof path, "%s/%s", daemon_here.programs, name);
    assert_int_equal(unlink(path), 0);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fprintf(file,
            "#!/bin/sh\nexport LD_PRELOAD=%s FAKETIME_TIMESTAMP_FILE=%s FAKETIME_NO_CACHE=1\n"
            "export FAKETIME_DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1\nexec %s \"$@\"\n",
            FAKETIME_LIBRARY, clock_file, program);
    assert_int_equal(fchmod(fileno(file), 0700), 0);
    assert_int_equal(fclose(file), 0);
}

/* ---- the daemon ---- */

static void start_with_clock(void)
{
    static const char *const flags[] = {
        "--workers", "2", "--search-processes", "1", "--webhook-addresses", "any", NULL};

    setenv("LD_PRELOAD", FAKETIME_LIBRARY, 1);
    daemon_start_well(&daemon_here, flags);
    unsetenv("LD_PRELOAD");
    daemon_wait_ready(&daemon_here);
}

static int start(void **state)
{
    daemon_prepare_here(state);
    snprintf(clock_file, sizeof clock_file, "%s/clock", daemon_here.folder);
    snprintf(clock_next, sizeof clock_next, "%s.next", clock_file);
    set_clock(0);
    setenv("FAKETIME_TIMESTAMP_FILE", clock_file, 1);
    setenv("FAKETIME_NO_CACHE", "1", 1);
    setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1", 1);
    setenv("NO_FAKE_STAT", "1", 1); /* files have the true time, which nobody compares */
    wrap_program("rink-evaluate", RINK_EVALUATE);
    wrap_program("rink-learn", RINK_LEARN);
    wrap_program("rink-compete", RINK_COMPETE);
    wrap_program("rink-post", RINK_POST);
    start_with_clock();
    return 0;
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static json_t *job_of(int64_t id)
{
    return get("/v1/jobs/%lld", (long long)id);
}

static bool is_in(int64_t id, const char *state)
{
    json_t *job = job_of(id);
    bool is = strcmp(json_string_value(json_object_get(job, "state")), state) == 0;

    json_decref(job);
    return is;
}

#define SMALL \
    "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"random\",\"pairs\":1,\"ends\":1}"

/* ---- every kind of job ---- */

#define PAIRS SLOW_OR("30", "150")

/* What two hosted players do takes time, and so does a diagnosis: their results are not the same.
 */
static const struct {
    const char *body;
    bool is_same;
} kinds[] = {
    {"{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"random\",\"ends\":1,\"seed\":1,"
     "\"pairs\":" PAIRS "}}",
     true},
    {"{\"kind\":\"tournament\",\"spec\":{\"players\":[\"ai-simple\",\"random\"],\"ends\":1,"
     "\"seed\":2,\"pairs\":" PAIRS "}}",
     true},
    {"{\"kind\":\"exploitability\",\"spec\":{\"player\":\"ai-simple\",\"responders\":[\"random\"],"
     "\"selection_ends\":10,\"seed\":3,\"limits\":{\"simulations\":5},\"ends\":5}}",
     true},
    {"{\"kind\":\"train\",\"spec\":{\"algorithm\":\"nfsp\",\"iterations\":40,\"seeds\":[6,7],"
     "\"network\":{\"architecture\":\"mlp\",\"hidden\":[8]},\"hyper\":{\"parallel\":4,\"batch\":8,"
     "\"updates\":1,\"warm_up\":64,\"response_memory\":500,\"average_memory\":500,\"candidates\":3"
     "},\"opponents\":[\"random\"],\"evaluate_every\":20,\"evaluate_pairs\":2,"
     "\"checkpoint_every\":10}}",
     true},
    {"{\"kind\":\"train\",\"spec\":{\"algorithm\":\"gpi\",\"seeds\":[8],\"hyper\":{"
     "\"first_samples\":200,\"samples\":100,\"draws_before\":2,\"draws_after\":2,\"hidden\":8,"
     "\"hidden2\":8,\"batch\":16,\"epochs\":1},\"opponents\":[],\"evaluate_every\":0,"
     "\"iterations\":2}}",
     true},
    {"{\"kind\":\"poker-match\",\"spec\":{\"a\":\"poker:o1\",\"b\":\"poker:o2\",\"hands\":50,"
     "\"seed\":5,\"sessions\":4}}",
     true},
    {"{\"kind\":\"review\",\"spec\":{\"game\":\"1-0-0\",\"throws\":64,"
     "\"judge\":\"rink:opponent=best,simulations=50\"}}",
     true},
    {"{\"kind\":\"diagnose\",\"spec\":{\"seconds\":1,\"seed\":5}}", false},
    {"{\"kind\":\"host\",\"spec\":{\"engine\":\"fast\",\"ends\":1,\"team0\":\"ai-simple\","
     "\"team1\":\"ai-simple\"}}",
     false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct round {
    int64_t id[KINDS]; /* 0: this build has no such jobs */
};

static struct round add_all(void)
{
    struct round round;

    for (int k = 0; k < KINDS; k++) {
        struct reply reply = client_post(daemon_here.port, "/v1/jobs", kinds[k].body);
        if (reply.status != 202 && reply.status != 501)
            fail_msg("%s: %ld %s", kinds[k].body, reply.status, reply.text);
        round.id[k] = json_integer_value(json_object_get(reply.json, "id"));
        reply_free(&reply);
    }
    return round;
}

static bool is_over(const struct round *round)
{
    for (int k = 0; k < KINDS; k++)
        if (round->id[k] && !is_in(round->id[k], "done"))
            return false;
    return true;
}

/* Drops what is of this job only: what it cost, its numbers, and files that name its runs. */
static void drop_own(json_t *value)
{
    static const char *const own[] = {"effort", "run", "id", "path", "sha256"};
    const char *key;
    json_t *member;
    size_t k;

    for (k = 0; json_is_object(value) && k < sizeof own / sizeof *own; k++)
        json_object_del(value, own[k]);
    json_array_foreach(value, k, member) drop_own(member);
    json_object_foreach(value, key, member) drop_own(member);
}

/* Waits for all, and notes what they say. */
static void finish(const struct round *round, char ret_answers[KINDS][ANSWER_MAX])
{
    char path[160];

    memset(ret_answers, 0, KINDS * ANSWER_MAX);
    for (int k = 0; k < KINDS; k++) {
        if (!round->id[k])
            continue;
        json_t *job = wait_for(round->id[k], "done");
        if (json_integer_value(json_object_get(job, "attempt")) != 1)
            fail_msg("%s: attempt %lld", kinds[k].body,
                     json_integer_value(json_object_get(job, "attempt")));
        snprintf(path, sizeof path, "%s/jobs/%lld/records.jsonl", daemon_here.data,
                 (long long)round->id[k]);
        json_t *result = json_object_get(job, "result");
        drop_own(result);
        assert_int_equal(answer_hash(result, access(path, F_OK) == 0 ? path : NULL, ret_answers[k]),
                         API_OK);
        json_decref(job);
    }
}

/* Lets the jobs go on a little; false: they are over. */
static bool go_on(const struct round *round)
{
    long from = counter("rinkd_commits_total");

    while (counter("rinkd_commits_total") < from + BUSY_CHANGES) {
        if (is_over(round))
            return false;
        sleep_ms(5);
    }
    return true;
}

static void every_kind_of_job_ends_the_same(void **state)
{
    char expected[KINDS][ANSWER_MAX], answers[KINDS][ANSWER_MAX];
    int back = 0, rounds = 0;
    long stepped_s = 0;

    (void)state;
    json_decref(wait_for(add(SMALL "}"), "done")); /* its game is reviewed */
    struct round round = add_all();
    finish(&round, expected);
    for (int step = 0; step < options.steps; rounds++) {
        round = add_all();
        do {
            long by_s = amounts_s[crash_random(&options.seed, 4)];
            bool is_back = step % 2 == 0 ? crash_random(&options.seed, 2) == 0 : ahead_s > 0;
            set_clock(ahead_s + (is_back ? -by_s : by_s));
            back += is_back;
            stepped_s += by_s;
            step++;
        } while (go_on(&round) && step < options.steps);
        finish(&round, answers);
        for (int k = 0; k < KINDS; k++)
            if (kinds[k].is_same && strcmp(answers[k], expected[k]) != 0)
                fail_msg("job %lld has another answer after steps of the clock: %s",
                         (long long)round.id[k], kinds[k].body);
    }
    printf("%d clock steps (%d back), %.1f days in all, in %d rounds of %d jobs: every job done at "
           "its first attempt, the same bytes\n",
           options.steps, back, (double)stepped_s / DAY_S, rounds, KINDS);
}

/* ---- what waits ---- */

static int64_t add_delayed(int delay_s)
{
    char body[200];

    snprintf(body, sizeof body, SMALL ",\"delay_s\":%d}", delay_s);
    return add(body);
}

/* It starts after its own delay, neither earlier nor a day later. */
static void a_delayed_job_waits_for_its_delay_alone(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof amounts_s / sizeof *amounts_s; k++) {
        double before_s = clock_now_s();
        int64_t id = add_delayed(DELAY_S);
        set_clock(ahead_s - amounts_s[k]);
        while (is_in(id, "ready"))
            rest();
        assert_true(clock_now_s() - before_s >= DELAY_S);
        json_decref(wait_for(id, "done"));
    }
}

/* Those that were added before the step are before those that were added after it. */
static void jobs_keep_their_order(void **state)
{
    int64_t held[2], first, second;

    (void)state;
    for (int k = 0; k < 2; k++) {
        held[k] = add("{\"kind\":\"diagnose\",\"spec\":{\"seconds\":600}}");
        json_decref(wait_for(held[k], "leased"));
    }
    first = add(SMALL "}");
    set_clock_and_wait(ahead_s - DAY_S);
    second = add(SMALL "}");
    json_t *one = job_of(first), *two = job_of(second);
    assert_int_equal(json_integer_value(json_object_get(one, "position")), 0);
    assert_int_equal(json_integer_value(json_object_get(two, "position")), 1);
    json_decref(one);
    json_decref(two);
    expect("POST", "/v1/jobs/cancel", "{\"kind\":\"diagnose\"}", 200);
    json_decref(wait_for(second, "done"));
    json_decref(wait_for(first, "done"));
}

/* The worker dies, and the clock is set while the job waits to be tried again. */
static void a_retry_is_no_later(void **state)
{
    int64_t id = add("{\"kind\":\"diagnose\",\"spec\":{\"seconds\":600},\"max_attempts\":100}");

    (void)state;
    json_decref(wait_for(id, "leased"));
    while (is_in(id, "leased")) {
        kill_worker();
        rest();
    }
    set_clock(ahead_s - DAY_S);
    json_decref(wait_for(id, "leased"));
    expect("POST", "/v1/jobs/cancel", "{\"kind\":\"diagnose\"}", 200);
    json_decref(wait_for(id, "cancelled"));
}

static void a_webhook_is_told_no_later(void **state)
{
    struct receiver receiver;
    char body[200];

    (void)state;
    receiver_start(&receiver);
    atomic_store(&receiver.status, 500);
    snprintf(body, sizeof body, "{\"url\":\"http://127.0.0.1:%d/\"}", receiver.port);
    expect("POST", "/v1/webhooks", body, 201);
    int64_t id = add(SMALL "}");
    receiver_wait_requests(&receiver, 1);
    set_clock(ahead_s - DAY_S);
    atomic_store(&receiver.status, 200);
    receiver_wait_requests(&receiver, 2);
    json_decref(wait_for(id, "done"));
    expect("DELETE", "/v1/webhooks/1", NULL, 204);
    receiver_end(&receiver);
}

#define NODE                                                       \
    "{\"name\":\"one\",\"cores\":4,\"versions\":{\"protocol\":3}," \
    "\"golden\":{\"throws/dc2\":\"0123456789abcdef\"}}"

static void a_node_is_as_near_as_before(void **state)
{
    (void)state;
    struct reply reply = ask("POST", "/v1/nodes", NODE, 201);
    set_clock_and_wait(ahead_s + DAY_S);
    json_t *node = get("/v1/nodes/one"); /* it was here a moment ago */
    assert_true(json_is_false(json_object_get(node, "is_away")));
    json_decref(node);
    reply_free(&reply);
}

/* What waited when the service ended still waits for its own delay at most, in the same order. */
static void a_start_with_an_earlier_clock_waits_no_longer(void **state)
{
    (void)state;
    int64_t delayed = add_delayed(DELAY_S), now = add(SMALL "}");
    daemon_end(&daemon_here, SIGKILL);
    set_clock(ahead_s - DAY_S);
    start_with_clock();
    json_decref(wait_for(now, "done"));
    json_decref(wait_for(delayed, "done"));
}

static void read_options(int argc, char **argv)
{
    static const struct option known[] = {{"steps", required_argument, NULL, 'n'},
                                          {"seed", required_argument, NULL, 's'},
                                          {NULL, 0, NULL, 0}};

    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;)
        if (option == 'n')
            options.steps = atoi(optarg);
        else if (option == 's')
            options.seed = strtoull(optarg, NULL, 10);
        else
            exit(2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_job_ends_the_same),
        cmocka_unit_test(a_delayed_job_waits_for_its_delay_alone),
        cmocka_unit_test(jobs_keep_their_order),
        cmocka_unit_test(a_retry_is_no_later),
        cmocka_unit_test(a_webhook_is_told_no_later),
        cmocka_unit_test(a_node_is_as_near_as_before),
        cmocka_unit_test(a_start_with_an_earlier_clock_waits_no_longer),
    };

    read_options(argc, argv);
    return cmocka_run_group_tests(tests, start, daemon_end_here);
}
