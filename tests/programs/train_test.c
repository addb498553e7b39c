/* rink-learn worker, with the test in place of the daemon: trainings interrupted anywhere and
 * resumed must end like an undisturbed one. Most learn Kuhn poker, which takes a second; those of
 * curling are too small to learn anything. */
#include "api/base/clock.h"
#include "api/jobs/wire.h"
#include "tests/programs/program.h"
#include "tests/slow.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- specs ---- */

#define SPEC(seeds, iterations, rate)                                                            \
    "{\"algorithm\":\"nfsp\",\"reward\":\"fr\",\"profile\":\"kuhn\",\"iterations\":" iterations  \
    ",\"seeds\":" seeds ",\"network\":{\"architecture\":\"mlp\",\"hidden\":[16]},\"hyper\":{"    \
    "\"parallel\":16,\"batch\":32,\"warm_up\":64,\"response_rate\":" rate                        \
    ",\"average_rate\":0.005,\"discount\":1,\"updates\":2,\"target_interval\":0,\"clip\":0,"     \
    "\"weight_decay\":0,\"optimiser\":\"sgd\",\"response_memory\":2000,\"average_memory\":"      \
    "4000},\"opponents\":[],\"evaluate_every\":0,\"evaluate_pairs\":1,\"exploitability_every\":" \
    "0,\"exploitability_ends\":2,\"checkpoint_every\":1500,\"keep_checkpoints\":3,\"device\":"   \
    "\"cpu\",\"threads\":1}"

#define CURLING(seeds, iterations, exploitability_every)                                         \
    "{\"algorithm\":\"nfsp\",\"reward\":\"ser\",\"profile\":\"dc2\",\"iterations\":" iterations  \
    ",\"seeds\":" seeds ",\"network\":{\"architecture\":\"mlp\",\"hidden\":[8]},\"hyper\":{"     \
    "\"parallel\":"                                                                              \
    "4,\"batch\":8,\"updates\":1,\"warm_up\":64,\"response_rate\":0.001,\"average_rate\":0.001," \
    "\"response_memory\":2000,\"average_memory\":4000,\"candidates\":3},\"opponents\":["         \
    "\"random\",\"ai-simple\"],\"evaluate_every\":100,\"evaluate_pairs\":3,\"evaluate_luck\":4," \
    "\"exploitability_every\":" exploitability_every ",\"exploitability_ends\":2,"               \
    "\"checkpoint_every\":50,\"keep_checkpoints\":3,\"device\":\"cpu\",\"threads\":1}"

#define GPI                                                                                     \
    "{\"algorithm\":\"gpi\",\"profile\":\"dc2\",\"iterations\":18,\"seeds\":[3,4],\"hyper\":{"  \
    "\"first_samples\":300,\"samples\":150,\"draws_before\":4,\"draws_after\":8,\"hidden\":16," \
    "\"hidden2\":8,\"batch\":32},\"opponents\":[],\"evaluate_every\":0,\"checkpoint_every\":2}"

#define ITERATIONS SLOW_OR("8000", "20000")
static const char two_seeds[] = SPEC("[1,2]", ITERATIONS, "0.1");
static const char runs[] = "[\"run1\",\"run2\"]", one_run[] = "[\"run1\"]";

/* ---- a daemon that records the messages ---- */

struct daemon {
    char folder[64];
    const char *spec, *runs;
    int attempt;
    json_t *points;     /* {"RUN NAME STEP": value} */
    json_t *models;     /* {"RUN NAME STEP": SHA-256} */
    json_t *checkpoint; /* the newest; NULL: none */
    struct program_talk talk;
};

static struct daemon daemon_of(const char *spec, const char *run_names)
{
    struct daemon daemon = {
        .spec = spec, .runs = run_names, .points = json_object(), .models = json_object()};

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
    json_decref(daemon->models);
    json_decref(daemon->checkpoint);
}

/* Returns whether the named curve measures time, so that two trainings may differ in it. */
static bool is_of_the_clock(const char *name)
{
    return strstr(name, "per_s") || strstr(name, "share/") || strstr(name, "cpu_s");
}

static void keep_point(json_t *points, const char *run, const char *name, int64_t step,
                       json_t *value)
{
    char key[256];

    snprintf(key, sizeof key, "%s %s %lld", run, name, (long long)step);
    json_t *before = json_object_get(points, key);
    if (before) /* repeated points must be equal */
        assert_true(json_equal(before, value));
    json_object_set_new(points, key, value);
}

/* Records a message as the daemon does: models leave the worker's folder. */
static void remember(struct daemon *daemon, const struct wire_message *message)
{
    char path[256];

    if (message->type == WIRE_CHECKPOINT) {
        json_decref(daemon->checkpoint);
        daemon->checkpoint =
            json_pack("{s:s, s:s, s:s, s:I}", "run", message->checkpoint.run, "path",
                      message->checkpoint.path, "sha256", message->checkpoint.sha256, "step",
                      (json_int_t)message->checkpoint.step);
    } else if (message->type == WIRE_MODEL) {
        snprintf(path, sizeof path, "%s/%s", daemon->folder, message->model.path);
        assert_int_equal(unlink(path), 0);
        keep_point(daemon->models, message->model.run, message->model.name, message->model.step,
                   json_string(message->model.sha256));
    } else if (message->type == WIRE_METRICS) {
        for (size_t k = 0; k < json_array_size(message->metrics.rows); k++) {
            struct wire_metric row = wire_metric(message, k);
            if (!is_of_the_clock(row.name))
                keep_point(daemon->points, row.run, row.name, row.step, wire_number(row.value));
        }
    }
}

/* Reads the next message; false: the worker is gone. */
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

/* Waits for the next message of the type and records the ones before it; false: the worker died. */
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

/* Returns the result of a job that finishes; the caller frees it. */
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

/* ---- undisturbed trainings, run once for all scenarios ---- */

static struct undisturbed {
    const char *spec;
    double took_s; /* from the start of the worker to its end */
    json_t *result, *points, *models;
} kuhn = {.spec = two_seeds}, curling = {.spec = CURLING("[3,4]", "300", "0")}, gpi = {.spec = GPI};

static struct undisturbed *const all_undisturbed[] = {&kuhn, &curling, &gpi};
enum { UNDISTURBED = sizeof all_undisturbed / sizeof all_undisturbed[0] };

static void take_times_out(json_t *result)
{
    json_t *run;
    size_t k;

    json_array_foreach(json_object_get(result, "runs"), k, run) json_object_del(run, "cpu_s");
}

static void learn_one(struct undisturbed *undisturbed)
{
    struct daemon daemon = daemon_of(undisturbed->spec, runs);
    double start_s = clock_now_s();

    start(&daemon);
    undisturbed->result = finish(&daemon);
    undisturbed->took_s = clock_now_s() - start_s;
    take_times_out(undisturbed->result);
    undisturbed->points = json_incref(daemon.points);
    undisturbed->models = json_incref(daemon.models);
    forget(&daemon);
}

static int learn_undisturbed(void **state)
{
    (void)state;
    for (int k = 0; k < UNDISTURBED; k++)
        learn_one(all_undisturbed[k]);
    return 0;
}

static int forget_undisturbed(void **state)
{
    (void)state;
    for (int k = 0; k < UNDISTURBED; k++) {
        json_decref(all_undisturbed[k]->result);
        json_decref(all_undisturbed[k]->points);
        json_decref(all_undisturbed[k]->models);
    }
    return 0;
}

static void assert_same(const json_t *found, const json_t *wanted)
{
    if (!json_equal(found, wanted))
        fail_msg("%s\nis not\n%s", json_dumps(found, 0), json_dumps(wanted, 0));
}

static const struct undisturbed *undisturbed_of(const char *spec)
{
    for (int k = 0; k < UNDISTURBED; k++)
        if (spec == all_undisturbed[k]->spec)
            return all_undisturbed[k];
    fail_msg("no training of this spec ran undisturbed");
    return NULL;
}

static void assert_as_undisturbed(const struct daemon *daemon, json_t *result)
{
    const struct undisturbed *undisturbed = undisturbed_of(daemon->spec);

    take_times_out(result);
    assert_same(result, undisturbed->result);
    assert_same(daemon->points, undisturbed->points);
    assert_same(daemon->models, undisturbed->models);
    json_decref(result);
}

/* Waits for a share of the time that the undisturbed training took, so that quick and slow machines
 * interrupt it at about the same places. */
static void wait_for_share(const struct daemon *daemon, double share)
{
    usleep((useconds_t)(1e6 * share * undisturbed_of(daemon->spec)->took_s));
}

/* Reads what an interrupted worker still says, up to its end. Returns the result if it was done
 * before the interruption (the caller frees it), else NULL. */
static json_t *last_words(struct daemon *daemon, bool *ret_released)
{
    struct wire_message message;
    json_t *result = NULL;

    *ret_released = false;
    while (next_message(daemon, &message)) {
        if (message.type == WIRE_FAILED)
            fail_msg("failed: %s", message.failed.detail);
        if (message.type == WIRE_DONE)
            result = json_incref(message.result.result);
        *ret_released |= message.type == WIRE_RELEASED;
        wire_free(&message);
    }
    return result;
}

/* Lets the training go on to its end, if `result` does not hold it already. */
static void end_as_undisturbed(struct daemon *daemon, json_t *result)
{
    if (!result) {
        start(daemon);
        result = finish(daemon);
    }
    assert_as_undisturbed(daemon, result);
    forget(daemon);
}

/* ---- scenarios ---- */

static void each_seed_is_a_run_of_its_own(void **state)
{
    const json_t *list = json_object_get(kuhn.result, "runs"), *first = json_array_get(list, 0),
                 *second = json_array_get(list, 1);

    (void)state;
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(json_string_value(json_object_get(second, "run")), "run2");
    assert_int_equal(json_integer_value(json_object_get(second, "seed")), 2);
    assert_true(json_integer_value(json_object_get(first, "ends")) >= atoi(ITERATIONS));
    assert_true(json_integer_value(json_object_get(first, "updates")) > 0);
    assert_string_not_equal(json_string_value(json_object_get(first, "weights_sha256")),
                            json_string_value(json_object_get(second, "weights_sha256")));
    assert_non_null(json_object_get(kuhn.points, "run1 loss/average/first " ITERATIONS));
    assert_non_null(json_object_get(kuhn.points, "run2 memory/response/second " ITERATIONS));
}

static void policies_are_handed_over_and_judged(void **state)
{
    static const char *const names[] = {
        "win_rate/random",           "win_rate_low/ai-simple",     "exploitability/sum",
        "exploitability_high/gote",  "exploitability/sampled/sum", "pair_score/random",
        "pair_score_high/ai-simple", "win_rate_adjusted/random"};
    struct daemon daemon = daemon_of(CURLING("[3]", "8", "8"), one_run);

    (void)state;
    start(&daemon);
    json_t *result = finish(&daemon);
    const json_t *run = json_array_get(json_object_get(result, "runs"), 0),
                 *judged = json_object_get(run, "judged"),
                 *model = json_array_get(json_object_get(run, "models"), 0);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        assert_true(json_is_number(json_object_get(judged, names[k])));
    assert_non_null(json_object_get(daemon.points, "run1 win_rate/random 0"));
    assert_non_null(json_object_get(daemon.points, "run1 tendency/gote/hit 8"));
    assert_non_null(json_object_get(daemon.models, "run1 average 0"));
    assert_non_null(json_object_get(daemon.models, "run1 response 8"));
    assert_string_equal(json_string_value(json_object_get(model, "sha256")),
                        json_string_value(json_object_get(daemon.models, "run1 average 8")));
    json_decref(result);
    forget(&daemon);
}

enum { DRAINS = 4, KILLS = 12 };

static void drain_and_go_on(const char *spec)
{
    struct daemon daemon = daemon_of(spec, runs);
    json_t *result = NULL;
    int drains = 0;
    bool released;

    while (drains < DRAINS && !result) {
        start(&daemon);
        wait_for_share(&daemon, 0.3 * (drains + 1) / DRAINS);
        say(&daemon, "drain");
        result = last_words(&daemon, &released);
        assert_true(released != (result != NULL));
        assert_int_equal(program_finish(&daemon.talk), 0);
        drains += released;
    }
    assert_true(drains > 0);
    end_as_undisturbed(&daemon, result);
}

static void a_drained_training_goes_on_to_the_same_end(void **state)
{
    (void)state;
    drain_and_go_on(two_seeds);
    drain_and_go_on(curling.spec);
    drain_and_go_on(gpi.spec);
}

/* Kills at any moment: also while it writes a checkpoint, and in the second run. */
static void kill_and_go_on(const char *spec)
{
    struct daemon daemon = daemon_of(spec, runs);
    json_t *result = NULL;
    unsigned random = 7;
    int kills = 0;
    bool released;

    while (kills < KILLS && !result) {
        start(&daemon);
        random = random * 1103515245u + 12345u;
        wait_for_share(&daemon, 0.3 * (random / 65536 % 1000) / 1000.0);
        kill(daemon.talk.pid, SIGKILL);
        result = last_words(&daemon, &released);
        int status = program_finish(&daemon.talk);
        assert_true(status == 128 + SIGKILL || (result && status == 0));
        kills += status != 0;
    }
    assert_true(kills > 0);
    end_as_undisturbed(&daemon, result);
}

static void a_killed_training_goes_on_to_the_same_end(void **state)
{
    (void)state;
    kill_and_go_on(two_seeds);
    kill_and_go_on(curling.spec);
    kill_and_go_on(gpi.spec);
}

/* Its last messages are lost, and files the daemon never heard of are swept away before the
 * restart. */
static void die_and_go_on(const char *spec, bool sweeps)
{
    struct daemon daemon = daemon_of(spec, runs);
    struct wire_message message;
    char command[512];

    start(&daemon);
    assert_true(wait_for(&daemon, WIRE_CHECKPOINT, &message));
    wire_free(&message);
    wait_for_share(&daemon, 0.3);
    int status = program_finish(&daemon.talk); /* closes both sides */
    assert_true(status == 0 || status == 1);
    snprintf(command, sizeof command,
             "find '%s' -name '*.safetensors' -delete -o -name '*.checkpoint' ! -name '%s' -delete",
             daemon.folder, json_string_value(json_object_get(daemon.checkpoint, "path")));
    if (sweeps)
        assert_int_equal(system(command), 0);
    start(&daemon);
    assert_as_undisturbed(&daemon, finish(&daemon));
    forget(&daemon);
}

static void a_killed_daemon_loses_no_training(void **state)
{
    (void)state;
    die_and_go_on(two_seeds, false);
    die_and_go_on(two_seeds, true);
    die_and_go_on(curling.spec, false);
    die_and_go_on(curling.spec, true);
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

/* Returns the seconds from "cancel" to the last message. */
static double time_to_cancel(void)
{
    struct daemon daemon = daemon_of(SPEC("[1]", "1000000000", "0.1"), one_run);
    struct wire_message message;

    start(&daemon);
    assert_true(wait_for(&daemon, WIRE_CHECKPOINT, &message));
    wire_free(&message);
    double start_s = clock_now_s();
    say(&daemon, "cancel");
    assert_true(wait_for(&daemon, WIRE_DONE, &message));
    double took_s = clock_now_s() - start_s;
    assert_true(message.result.cancelled);
    const json_t *run = json_array_get(json_object_get(message.result.result, "runs"), 0);
    assert_true(json_integer_value(json_object_get(run, "ends")) >= 1500);
    wire_free(&message);
    assert_int_equal(program_finish(&daemon.talk), 0);
    forget(&daemon);
    return took_s;
}

/* Best of five, since the machine may be busy. */
static void a_cancelled_training_gives_its_partial_result_at_once(void **state)
{
    double best_s = 1e9;

    (void)state;
    for (int k = 0; k < 5 && best_s >= 0.1; k++) {
        double took_s = time_to_cancel();
        best_s = took_s < best_s ? took_s : best_s;
    }
    assert_true(best_s < 0.1);
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

/* Values overflow after a while; the last checkpoint before that is kept. */
static void a_nan_loss_ends_the_run(void **state)
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

/* Limits files to 64 blocks of 512 bytes: the first checkpoint exceeds that; the reports before it
 * do not, in a run of the whole size. A slow build does not repeat that run. */
static void a_full_disk_fails_clearly_and_leaves_no_half_file(void **state)
{
    static const char *const limited[] = {
        "/bin/sh", "-c", "trap '' XFSZ; ulimit -f 64; exec " RINK_LEARN " worker --stdio", NULL};
    const char *spec = BUILD_IS_SLOW ? SPEC("[1,2]", "20000", "0.1") : two_seeds;
    struct daemon daemon = daemon_of(spec, runs);
    char command[128];

    (void)state;
    start_as(&daemon, limited);
    assert_fails(&daemon, "disk", true, "run1-1500.checkpoint: write: File too large");
    assert_null(daemon.checkpoint);
    snprintf(command, sizeof command, "[ \"$(ls '%s')\" = metrics.jsonl ]", daemon.folder);
    assert_int_equal(system(command), 0);
    if (!BUILD_IS_SLOW) {
        start(&daemon); /* there is room again */
        assert_as_undisturbed(&daemon, finish(&daemon));
    }
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
        {SPEC("[1]", "1", "-1"), one_run, "/hyper/response_rate: -1 is not in 0..10"},
        {SPEC("[1]", "1", "0.1"), runs, "/seeds: 1 given for 2 runs"},
        {"{\"algorithm\":\"guess\"}", one_run, "/algorithm: must be nfsp, "},
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
        cmocka_unit_test(policies_are_handed_over_and_judged),
        cmocka_unit_test(a_drained_training_goes_on_to_the_same_end),
        cmocka_unit_test(a_killed_training_goes_on_to_the_same_end),
        cmocka_unit_test(a_killed_daemon_loses_no_training),
        cmocka_unit_test(a_broken_checkpoint_is_passed_over),
        cmocka_unit_test(a_cancelled_training_gives_its_partial_result_at_once),
        cmocka_unit_test(a_nan_loss_ends_the_run),
        cmocka_unit_test(a_full_disk_fails_clearly_and_leaves_no_half_file),
        cmocka_unit_test(a_bad_spec_is_named_and_not_retried),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, learn_undisturbed, forget_undisturbed);
}
