/* rink-learn worker, with the test in the place of the daemon: trainings that are cut off anywhere
 * and gone on with have to end as one that nobody disturbed. They learn Kuhn poker, which takes a
 * second. */
#include "api/wire.h"
#include "tests/programs/program.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- specs ---- */

#define SPEC(seeds, iterations, rate)                                                            \
    "{\"algorithm\":\"nfsp\",\"reward\":\"fr\",\"profile\":\"kuhn\",\"iterations\":" iterations  \
    ",\"seeds\":" seeds ",\"network\":{\"architecture\":\"mlp\",\"hidden\":[16]},\"hyper\":{"    \
    "\"parallel\":16,\"batch\":32,\"warm_up\":64,\"response_rate\":" rate                        \
    ",\"average_rate\":0.005,\"optimiser\":\"sgd\",\"response_memory\":2000,\"average_memory\":" \
    "4000},\"opponents\":[],\"evaluate_every\":0,\"evaluate_pairs\":1,\"exploitability_every\":" \
    "0,\"exploitability_ends\":2,\"checkpoint_every\":1500,\"keep_checkpoints\":3,\"device\":"   \
    "\"cpu\",\"threads\":1}"

static const char two_seeds[] = SPEC("[1,2]", "20000", "0.1");
static const char runs[] = "[\"run1\",\"run2\"]", one_run[] = "[\"run1\"]";

/* ---- a daemon that remembers what it was told ---- */

struct daemon {
    char folder[64];
    const char *spec, *runs;
    int attempt;
    json_t *points;     /* {"RUN NAME STEP": value} */
    json_t *checkpoint; /* the newest; NULL: none */
    struct program_talk talk;
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct daemon daemon_of(const char *spec, const char *run_names)
{
    struct daemon daemon = {.spec = spec, .runs = run_names, .points = json_object()};

    strcpy(daemon.folder, "/tmp/rinkd-train-XXXXXX");
    assert_non_null(mkdtemp(daemon.folder));
    return daemon;
}

static void forget(struct daemon *daemon)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", daemon->folder);
    assert_int_equal(system(command), 0);
    json_decref(daemon->points);
    json_decref(daemon->checkpoint);
}

/* Whether two trainings have to agree in it. */
static bool is_of_the_clock(const char *name)
{
    return strstr(name, "per_s") || strstr(name, "share/") || strstr(name, "cpu_s");
}

static void remember(struct daemon *daemon, const struct wire_message *message)
{
    if (message->type == WIRE_CHECKPOINT) {
        json_decref(daemon->checkpoint);
        daemon->checkpoint =
            json_pack("{s:s, s:s, s:s, s:I}", "run", message->checkpoint.run, "path",
                      message->checkpoint.path, "sha256", message->checkpoint.sha256, "step",
                      (json_int_t)message->checkpoint.step);
    }
    if (message->type != WIRE_METRICS)
        return;
    for (size_t k = 0; k < json_array_size(message->metrics.rows); k++) {
        struct wire_metric row = wire_metric(message, k);
        char key[256];
        if (is_of_the_clock(row.name))
            continue;
        snprintf(key, sizeof key, "%s %s %lld", row.run, row.name, (long long)row.step);
        json_t *before = json_object_get(daemon->points, key), *value = wire_number(row.value);
        if (before) /* a point that is said twice is the same twice */
            assert_true(json_equal(before, value));
        json_object_set_new(daemon->points, key, value);
    }
}

/* False: the worker is gone. */
static bool next_message(struct daemon *daemon, struct wire_message *ret_message)
{
    static char *line;
    static size_t size;
    struct strict_errors errors;
    ssize_t length = getline(&line, &size, daemon->talk.from);

    if (length <= 1 || line[length - 1] != '\n')
        return false;
    if (!wire_read(line, (size_t)length - 1, ret_message, &errors))
        fail_msg("%s: %s in %s", errors.error[0].pointer, errors.error[0].message, line);
    remember(daemon, ret_message);
    return true;
}

/* The next message of the type, what comes before it is remembered; false: the worker died. */
static bool wait_for(struct daemon *daemon, enum wire_type type, struct wire_message *ret_message)
{
    while (next_message(daemon, ret_message)) {
        if (ret_message->type == type)
            return true;
        if (ret_message->type == WIRE_FAILED)
            fail_msg("failed: %s", ret_message->failed.detail);
        wire_free(ret_message);
    }
    return false;
}

static void start_as(struct daemon *daemon, const char *const *argv)
{
    struct wire_message hello;

    daemon->talk = program_start(argv);
    assert_true(wait_for(daemon, WIRE_HELLO, &hello));
    wire_free(&hello);
    char *checkpoint = daemon->checkpoint ? json_dumps(daemon->checkpoint, 0) : strdup("null");
    fprintf(daemon->talk.to,
            "{\"type\":\"job\",\"id\":1,\"kind\":\"train\",\"spec\":%s,\"runs\":%s,\"folder\":"
            "\"%s\",\"attempt\":%d,\"checkpoint\":%s}\n",
            daemon->spec, daemon->runs, daemon->folder, ++daemon->attempt, checkpoint);
    fflush(daemon->talk.to);
    free(checkpoint);
}

static void start(struct daemon *daemon)
{
    static const char *const worker[] = {RINK_LEARN, "worker", "--stdio", NULL};
    start_as(daemon, worker);
}

static void say(struct daemon *daemon, const char *type)
{
    fprintf(daemon->talk.to, "{\"type\":\"%s\"}\n", type);
    fflush(daemon->talk.to);
}

/* The result of a job that comes to its end; the caller's. */
static json_t *finish(struct daemon *daemon)
{
    struct wire_message done;

    assert_true(wait_for(daemon, WIRE_DONE, &done));
    assert_false(done.result.cancelled);
    json_t *result = json_incref(done.result.result);
    wire_free(&done);
    assert_int_equal(program_finish(&daemon->talk), 0);
    return result;
}

/* ---- a training that nobody disturbs, once for all scenarios ---- */

static json_t *wanted_result, *wanted_points;

static void take_times_out(json_t *result)
{
    json_t *run;
    size_t k;

    json_array_foreach(json_object_get(result, "runs"), k, run) json_object_del(run, "cpu_s");
}

static int learn_undisturbed(void **state)
{
    struct daemon daemon = daemon_of(two_seeds, runs);

    (void)state;
    start(&daemon);
    wanted_result = finish(&daemon);
    take_times_out(wanted_result);
    wanted_points = json_incref(daemon.points);
    forget(&daemon);
    return 0;
}

static int forget_undisturbed(void **state)
{
    (void)state;
    json_decref(wanted_result);
    json_decref(wanted_points);
    return 0;
}

static void assert_as_undisturbed(const struct daemon *daemon, json_t *result)
{
    take_times_out(result);
    if (!json_equal(result, wanted_result))
        fail_msg("%s\nis not\n%s", json_dumps(result, 0), json_dumps(wanted_result, 0));
    assert_int_equal(json_object_size(daemon->points), json_object_size(wanted_points));
    assert_true(json_equal(daemon->points, wanted_points));
    json_decref(result);
}

/* ---- scenarios ---- */

static void each_seed_is_a_run_of_its_own(void **state)
{
    const json_t *list = json_object_get(wanted_result, "runs"), *first = json_array_get(list, 0),
                 *second = json_array_get(list, 1);

    (void)state;
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(json_string_value(json_object_get(second, "run")), "run2");
    assert_int_equal(json_integer_value(json_object_get(second, "seed")), 2);
    assert_true(json_integer_value(json_object_get(first, "ends")) >= 20000);
    assert_true(json_integer_value(json_object_get(first, "updates")) > 0);
    assert_string_not_equal(json_string_value(json_object_get(first, "weights_sha256")),
                            json_string_value(json_object_get(second, "weights_sha256")));
    assert_non_null(json_object_get(wanted_points, "run1 loss/average/first 20000"));
    assert_non_null(json_object_get(wanted_points, "run2 memory/response/second 20000"));
}

static void a_drained_training_goes_on_to_the_same_end(void **state)
{
    struct daemon daemon = daemon_of(two_seeds, runs);
    struct wire_message message;

    (void)state;
    for (int k = 0; k < 4; k++) {
        start(&daemon);
        assert_true(wait_for(&daemon, WIRE_METRICS, &message));
        wire_free(&message);
        usleep(30000 * (unsigned)k);
        say(&daemon, "drain");
        assert_true(wait_for(&daemon, WIRE_RELEASED, &message));
        wire_free(&message);
        assert_int_equal(program_finish(&daemon.talk), 0);
        assert_non_null(daemon.checkpoint);
    }
    start(&daemon);
    assert_as_undisturbed(&daemon, finish(&daemon));
    forget(&daemon);
}

/* At any moment: also while it writes a checkpoint, and in the second run. */
static void a_killed_training_goes_on_to_the_same_end(void **state)
{
    struct daemon daemon = daemon_of(two_seeds, runs);
    struct wire_message message;
    unsigned random = 7;

    (void)state;
    for (int k = 0; k < 12; k++) {
        start(&daemon);
        random = random * 1103515245u + 12345u;
        usleep(random / 65536 % 200 * 1000);
        kill(daemon.talk.pid, SIGKILL);
        while (next_message(&daemon, &message)) /* what it had said */
            wire_free(&message);
        assert_int_equal(program_finish(&daemon.talk), 128 + SIGKILL);
    }
    start(&daemon);
    assert_as_undisturbed(&daemon, finish(&daemon));
    forget(&daemon);
}

/* Its last words are lost; the curves have no hole for all that. */
static void the_death_of_the_daemon_costs_nothing(void **state)
{
    struct daemon daemon = daemon_of(two_seeds, runs);
    struct wire_message message;

    (void)state;
    start(&daemon);
    assert_true(wait_for(&daemon, WIRE_METRICS, &message));
    wire_free(&message);
    usleep(200000);
    int status = program_finish(&daemon.talk); /* closes both sides */
    assert_true(status == 0 || status == 1);
    start(&daemon);
    assert_as_undisturbed(&daemon, finish(&daemon));
    forget(&daemon);
}

static void a_broken_checkpoint_is_passed_over(void **state)
{
    struct daemon daemon = daemon_of(two_seeds, runs);
    struct wire_message message;
    char command[256];

    (void)state;
    start(&daemon);
    for (int k = 0; k < 3; k++) {
        assert_true(wait_for(&daemon, WIRE_CHECKPOINT, &message));
        wire_free(&message);
    }
    kill(daemon.talk.pid, SIGKILL);
    while (next_message(&daemon, &message))
        wire_free(&message);
    program_finish(&daemon.talk);
    snprintf(command, sizeof command, "truncate -s 1000 '%s/%s'", daemon.folder,
             json_string_value(json_object_get(daemon.checkpoint, "path")));
    assert_int_equal(system(command), 0);
    start(&daemon);
    assert_as_undisturbed(&daemon, finish(&daemon));
    forget(&daemon);
}

static void a_cancelled_training_answers_at_once_with_what_it_has(void **state)
{
    struct daemon daemon = daemon_of(SPEC("[1]", "1000000000", "0.1"), one_run);
    struct wire_message message;

    (void)state;
    start(&daemon);
    assert_true(wait_for(&daemon, WIRE_CHECKPOINT, &message));
    wire_free(&message);
    double start_s = now_s();
    say(&daemon, "cancel");
    assert_true(wait_for(&daemon, WIRE_DONE, &message));
    assert_true(now_s() - start_s < 0.1);
    assert_true(message.result.cancelled);
    const json_t *run = json_array_get(json_object_get(message.result.result, "runs"), 0);
    assert_true(json_integer_value(json_object_get(run, "ends")) >= 1500);
    wire_free(&message);
    assert_int_equal(program_finish(&daemon.talk), 0);
    forget(&daemon);
}

static void assert_fails(struct daemon *daemon, const char *code, bool retryable, const char *part)
{
    struct wire_message message;

    while (next_message(daemon, &message) && message.type != WIRE_FAILED)
        wire_free(&message);
    assert_int_equal(message.type, WIRE_FAILED);
    if (strcmp(message.failed.code, code) != 0 || !strstr(message.failed.detail, part))
        fail_msg("%s: '%s' does not say '%s'", message.failed.code, message.failed.detail, part);
    assert_int_equal(message.failed.retryable, retryable);
    wire_free(&message);
    assert_int_equal(program_finish(&daemon->talk), 0);
}

/* Values overflow after a while; the checkpoint before that stays. */
static void a_loss_that_is_no_number_ends_the_run(void **state)
{
    struct daemon daemon = daemon_of(SPEC("[1]", "1000000", "3.5"), one_run);
    char path[256];

    (void)state;
    start(&daemon);
    assert_fails(&daemon, "diverged", false, "run1");
    assert_non_null(daemon.checkpoint);
    snprintf(path, sizeof path, "%s/%s", daemon.folder,
             json_string_value(json_object_get(daemon.checkpoint, "path")));
    assert_int_equal(access(path, R_OK), 0);
    forget(&daemon);
}

/* No file may become larger than 64 KiB: the first checkpoint does. */
static void a_full_disk_fails_clearly_and_leaves_no_half_file(void **state)
{
    static const char *const limited[] = {
        "/bin/sh", "-c", "trap '' XFSZ; ulimit -f 64; exec " RINK_LEARN " worker --stdio", NULL};
    struct daemon daemon = daemon_of(two_seeds, runs);
    char command[128];

    (void)state;
    start_as(&daemon, limited);
    assert_fails(&daemon, "disk", true, "run1-1500.checkpoint: write: File too large");
    assert_null(daemon.checkpoint);
    snprintf(command, sizeof command, "[ \"$(ls '%s')\" = metrics.jsonl ]", daemon.folder);
    assert_int_equal(system(command), 0);
    start(&daemon); /* there is room again */
    assert_as_undisturbed(&daemon, finish(&daemon));
    forget(&daemon);
}

static void a_bad_spec_is_named_and_not_retried(void **state)
{
    static const struct {
        const char *spec, *runs, *part;
    } bad[] = {
        {SPEC("[1]", "0", "0.1"), one_run, "/iterations"},
        {SPEC("[]", "1", "0.1"), one_run, "/seeds"},
        {SPEC("[1]", "1", "\"fast\""), one_run, "/hyper/response_rate"},
        {SPEC("[1]", "1", "-1"), one_run, "response.rate: -1"},
        {SPEC("[1]", "1", "0.1"), runs, "/seeds: 1 of them, but 2 runs"},
        {"{\"algorithm\":\"guess\"}", one_run, "/algorithm: this program has no algorithm 'guess'"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        struct daemon daemon = daemon_of(bad[k].spec, bad[k].runs);
        start(&daemon);
        assert_fails(&daemon, "bad-spec", false, bad[k].part);
        forget(&daemon);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_seed_is_a_run_of_its_own),
        cmocka_unit_test(a_drained_training_goes_on_to_the_same_end),
        cmocka_unit_test(a_killed_training_goes_on_to_the_same_end),
        cmocka_unit_test(the_death_of_the_daemon_costs_nothing),
        cmocka_unit_test(a_broken_checkpoint_is_passed_over),
        cmocka_unit_test(a_cancelled_training_answers_at_once_with_what_it_has),
        cmocka_unit_test(a_loss_that_is_no_number_ends_the_run),
        cmocka_unit_test(a_full_disk_fails_clearly_and_leaves_no_half_file),
        cmocka_unit_test(a_bad_spec_is_named_and_not_retried),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, learn_undisturbed, forget_undisturbed);
}
