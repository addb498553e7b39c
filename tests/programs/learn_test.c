/* rink-learn as a user runs it: training by hand, estimates, the manual page. */
#include "tests/programs/program.h"
#include "tests/programs/usage.h"

#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define TINY(iterations)                                                                   \
    "{\"iterations\":" iterations                                                          \
    ",\"network\":{\"architecture\":\"mlp\",\"hidden\":[8]},\"hyper\":{\"parallel\":"      \
    "4,\"batch\":8,\"updates\":1,\"warm_up\":64,\"response_rate\":0.001,\"average_rate\":" \
    "0.001,\"candidates\":0},\"opponents\":[\"random\"],\"evaluate_every\":200,"           \
    "\"evaluate_pairs\":2,\"checkpoint_every\":200,\"keep_checkpoints\":1}"

/* ---- helpers ---- */

/* Runs rink-learn with up to four arguments and a standard input. */
static struct program_run learn(const char *input, const char *a, const char *b, const char *c,
                                const char *d)
{
    const char *argv[] = {RINK_LEARN, a, b, c, d, NULL};
    return program_run(argv, input, strlen(input));
}

static struct program_run train(const char *spec, const char *folder, const char *more)
{
    char option[200];
    const char *argv[] = {RINK_LEARN, "train", "-", "--json", option, more, NULL};

    snprintf(option, sizeof option, "--folder=%s", folder);
    return program_run(argv, spec, strlen(spec));
}

static void assert_says(const struct program_run *run, int status, const char *part)
{
    if (run->status != status || !strstr(run->errors, part))
        fail_msg("status %d: '%s' does not say '%s'", run->status, run->errors, part);
}

/* Returns the first run of a result; the caller frees it. */
static json_t *run_of(struct program_run *run)
{
    if (run->status != 0)
        fail_msg("status %d: %s", run->status, run->errors);
    json_t *result = json_loads(run->output, 0, NULL),
           *first = json_incref(json_array_get(json_object_get(result, "runs"), 0));
    assert_non_null(first);
    json_decref(result);
    program_free(run);
    return first;
}

/* Copies the hash of a run's weights from a result to `ret_hash`. */
static void take_hash(struct program_run *run, size_t index, char ret_hash[65])
{
    if (run->status != 0)
        fail_msg("status %d: %s", run->status, run->errors);
    json_t *result = json_loads(run->output, 0, NULL);
    const json_t *one = json_array_get(json_object_get(result, "runs"), index);
    const char *hash = json_string_value(json_object_get(one, "weights_sha256"));
    assert_non_null(hash);
    snprintf(ret_hash, 65, "%s", hash);
    json_decref(result);
    program_free(run);
}

static bool has_file(const char *folder, const char *name)
{
    char path[160];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, R_OK) == 0;
}

/* ---- scenarios ---- */

static void errors_are_named(void **state)
{
    static const struct {
        const char *spec, *part;
    } bad[] = {
        {"{\"iterations\":0}", "/spec/iterations"},
        {"{\"speed\":1}", "/spec/speed"},
        {"{\"kind\":\"match\",\"spec\":{\"a\":\"random\",\"b\":\"random\"}}", "/kind"},
        {"{\"opponents\":[\"nobody\"]}", "/spec/opponents/0"},
        {"{\"hyper\":{\"response_rate\":-1}}", "/spec/hyper/response_rate"},
        {"{", "JSON"},
    };
    struct program_run run = learn("", "train", "--folder=/tmp", NULL, NULL);

    assert_says(&run, 1, "SPEC is missing");
    program_free(&run);
    run = learn("", "train", "-", NULL, NULL);
    assert_says(&run, 1, "--folder is missing");
    program_free(&run);
    run = learn("", "train", "/does/not/exist", "--folder=/tmp", NULL);
    assert_says(&run, 1, "/does/not/exist: No such file");
    program_free(&run);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        run = train(bad[k].spec, *state, NULL);
        if (strcmp(bad[k].part, "JSON") != 0)
            assert_says(&run, 1, bad[k].part);
        assert_int_equal(run.status, 1);
        program_free(&run);
    }
    assert_false(has_file(*state, "metrics.jsonl")); /* the run wrote nothing */
}

/* A player that gives no shot has a reason. */
static void missing_weights_are_named(void **state)
{
    static const char spec[] =
        "{\"algorithm\":\"policy-value\",\"iterations\":1,\"network\":{\"architecture\":\"mlp\","
        "\"hidden\":[8]},\"hyper\":{\"teacher_simulations\":100,\"first_ends\":24,"
        "\"first_epochs\":1,\"batch\":32},\"opponents\":[],\"evaluate_every\":0}";

    setenv("RINKD_WEIGHTS", "/no/such/folder", 1);
    struct program_run run = train(spec, *state, NULL);
    unsetenv("RINKD_WEIGHTS");
    assert_says(&run, 1, "/no/such/folder/end_value_");
    program_free(&run);
}

static void an_interrupted_training_is_resumed(void **state)
{
    char whole[128], option[160], path[160], spec[160];
    struct stat about;

    snprintf(whole, sizeof whole, "%s/whole", (char *)*state);
    struct program_run run = train(TINY("1000"), whole, NULL);
    json_t *wanted = run_of(&run);

    snprintf(option, sizeof option, "--folder=%s", (char *)*state);
    snprintf(path, sizeof path, "%s/metrics.jsonl", (char *)*state);
    snprintf(spec, sizeof spec, "%s/tiny.json", (char *)*state);
    FILE *file = fopen(spec, "w");
    assert_non_null(file);
    fputs(TINY("1000"), file);
    fclose(file);
    const char *const argv[] = {RINK_LEARN, "train", spec, option, NULL};
    struct program_talk talk = program_start(argv);
    while (stat(path, &about) != 0 || about.st_size < 3000)
        usleep(1000);
    kill(talk.pid, SIGINT);
    assert_int_equal(program_finish(&talk), 130);

    run = train(TINY("1000"), *state, NULL);
    assert_says(&run, 1, "--resume");
    program_free(&run);
    run = train(TINY("1000"), *state, "--resume");
    json_t *found = run_of(&run);
    json_object_del(wanted, "cpu_s");
    json_object_del(found, "cpu_s");
    assert_true(json_equal(found, wanted));
    json_decref(found);
    json_decref(wanted);
}

static void a_training_that_has_ended_can_be_made_longer(void **state)
{
    char whole[128];

    snprintf(whole, sizeof whole, "%s/whole", (char *)*state);
    struct program_run run = train(TINY("300"), whole, NULL);
    json_t *wanted = run_of(&run);
    run = train(TINY("100"), *state, NULL);
    json_decref(run_of(&run));
    assert_true(has_file(*state, "seed1-100.checkpoint"));
    run = train(TINY("300"), *state, "--resume");
    json_t *found = run_of(&run);
    assert_string_equal(json_string_value(json_object_get(found, "weights_sha256")),
                        json_string_value(json_object_get(wanted, "weights_sha256")));
    assert_true(has_file(*state, "seed1-average-300.safetensors"));
    assert_false(has_file(*state, "seed1-100.checkpoint")); /* one is kept */
    assert_false(has_file(*state, "seed1-average-100.safetensors"));
    run = train(TINY("300,\"reward\":\"fr\""), *state, "--resume");
    assert_says(&run, 1, "/spec/reward");
    program_free(&run);
    json_decref(found);
    json_decref(wanted);
}

/* Drops the last line of the file, as if the program had been killed before writing it. */
static void drop_last_line(const char *folder, const char *name)
{
    static char text[1 << 16];
    char path[160];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(size > 1 && text[size - 1] == '\n');
    for (size--; size > 0 && text[size - 1] != '\n';)
        size--;
    assert_int_equal(truncate(path, (off_t)size), 0);
}

static void policies_to_keep_stay_after_resuming(void **state)
{
    struct program_run run = train(TINY("300"), *state, NULL);
    json_decref(run_of(&run));
    drop_last_line(*state, "metrics.jsonl"); /* the line that reports the end */
    run = train(TINY("300"), *state, "--resume");
    json_decref(run_of(&run));
    assert_true(has_file(*state, "seed1-average-300.safetensors"));
    assert_true(has_file(*state, "seed1-response-300.safetensors"));
}

/* Returns the journal lines that contain a part, concatenated; the caller frees them. */
static char *lines_with(const char *folder, const char *part)
{
    char path[160], *line = NULL, *all = calloc(1, 1);
    size_t capacity = 0, size = 0;
    ssize_t length;

    snprintf(path, sizeof path, "%s/metrics.jsonl", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while ((length = getline(&line, &capacity, file)) > 0)
        if (strstr(line, part)) {
            all = realloc(all, size + (size_t)length + 1);
            memcpy(all + size, line, (size_t)length + 1);
            size += (size_t)length;
        }
    fclose(file);
    free(line);
    return all;
}

/* No seed starts over: its journal lines stay unchanged, including their clock times. */
static void each_seed_of_a_training_that_is_made_longer_goes_on(void **state)
{
    char whole[128], option[160], path[160];
    char hash[2][65], same[65];
    struct stat about;

    snprintf(whole, sizeof whole, "%s/whole", (char *)*state);
    for (int k = 0; k < 2; k++) {
        struct program_run run =
            train(k ? TINY("300,\"seeds\":[5]") : TINY("300"), whole, "--resume");
        take_hash(&run, 0, hash[k]);
    }
    struct program_run run = train(TINY("100,\"seeds\":[1,5]"), *state, NULL);
    program_free(&run);
    char *before = lines_with(*state, "\"seed5\""), *end = strstr(before, "\"finished\"");
    assert_non_null(end);
    while (end[-1] != '\n')
        end--;
    *end = '\0';
    snprintf(path, sizeof path, "%s/metrics.jsonl", (char *)*state);
    assert_int_equal(stat(path, &about), 0);
    off_t size = about.st_size;

    /* Killed while the first seed continues. */
    snprintf(option, sizeof option, "--folder=%s", (char *)*state);
    snprintf(path, sizeof path, "%s/longer.json", (char *)*state);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(TINY("300,\"seeds\":[1,5]"), file);
    fclose(file);
    const char *const argv[] = {RINK_LEARN, "train", path, option, "--resume", NULL};
    struct program_talk talk = program_start(argv);
    snprintf(path, sizeof path, "%s/metrics.jsonl", (char *)*state);
    while (stat(path, &about) != 0 || about.st_size < size + 1000)
        usleep(1000);
    kill(talk.pid, SIGKILL);
    program_finish(&talk);

    run = train(TINY("300,\"seeds\":[1,5]"), *state, "--resume");
    struct program_run copy = {.status = run.status, .output = strdup(run.output)};
    take_hash(&run, 0, same);
    assert_string_equal(same, hash[0]);
    take_hash(&copy, 1, same);
    assert_string_equal(same, hash[1]);
    char *after = lines_with(*state, "\"seed5\""), *finished = lines_with(*state, "\"finished\"");
    assert_memory_equal(after, before, strlen(before));
    assert_non_null(strstr(after, "\"step\":300,\"finished\""));
    assert_null(strstr(finished, "\"step\":100,")); /* it had not finished */
    free(before);
    free(after);
    free(finished);
}

static void a_branch_begins_with_a_checkpoint(void **state)
{
    char from[128], branch[160], option[192];

    snprintf(from, sizeof from, "%s/from", (char *)*state);
    snprintf(branch, sizeof branch, "%s/branch", (char *)*state);
    struct program_run run = train(TINY("100"), from, NULL);
    json_decref(run_of(&run));
    run = train(TINY("300"), *state, NULL);
    json_t *wanted = run_of(&run);
    snprintf(option, sizeof option, "--from=%s/seed1-100.checkpoint", from);
    run = train(TINY("300"), branch, option);
    json_t *found = run_of(&run);
    assert_string_equal(json_string_value(json_object_get(found, "weights_sha256")),
                        json_string_value(json_object_get(wanted, "weights_sha256")));
    json_decref(found);
    json_decref(wanted);
}

/* A branch that --resume extends and gives another seed ends like an uninterrupted one. */
static void branches_draw_by_their_own_seeds(void **state)
{
    char from[128], both[160], later[160], option[192], two[65], three[65], hash[65];

    snprintf(from, sizeof from, "%s/from", (char *)*state);
    snprintf(both, sizeof both, "%s/both", (char *)*state);
    snprintf(later, sizeof later, "%s/later", (char *)*state);
    snprintf(option, sizeof option, "--from=%s/seed1-100.checkpoint", from);
    struct program_run run = train(TINY("100"), from, NULL);
    json_decref(run_of(&run));
    run = train(TINY("300,\"seeds\":[2,3]"), both, option);
    struct program_run copy = {.status = run.status, .output = strdup(run.output)};
    take_hash(&run, 0, two);
    take_hash(&copy, 1, three);
    assert_string_not_equal(two, three);

    run = train(TINY("200,\"seeds\":[2]"), later, option);
    program_free(&run);
    run = train(TINY("300,\"seeds\":[2]"), later, "--resume");
    take_hash(&run, 0, hash);
    assert_string_equal(hash, two);
    run = train(TINY("300,\"seeds\":[2,3]"), later, "--resume"); /* its origin is recorded */
    take_hash(&run, 1, hash);
    assert_string_equal(hash, three);

    const char *const other[] = {RINK_LEARN, "train", "-",    "--resume",
                                 "--folder", from,    option, NULL};
    run = program_run(other, TINY("300"), strlen(TINY("300")));
    assert_says(&run, 1, "no file says whether"); /* earlier versions wrote no from.json */
    program_free(&run);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Makes two short trainings, of which `branch` starts from a checkpoint of the other: *ret_option
 * is its --from; both folders are under *state. */
static void make_branch(const char *folder, char ret_from[128], char ret_branch[128],
                        char ret_option[192], char ret_hash[65])
{
    snprintf(ret_from, 128, "%s/from", folder);
    snprintf(ret_branch, 128, "%s/branch", folder);
    snprintf(ret_option, 192, "--from=%s/seed1-100.checkpoint", ret_from);
    struct program_run run = train(TINY("100"), ret_from, NULL);
    json_decref(run_of(&run));
    run = train(TINY("150,\"seeds\":[2]"), ret_branch, ret_option);
    take_hash(&run, 0, ret_hash);
}

/* A branch that is killed before its first journal line has still begun. */
static void a_branch_killed_at_its_start_stays_a_branch(void **state)
{
    char from[128], branch[128], option[192], wanted[65], hash[65], path[160];

    make_branch(*state, from, branch, option, wanted);
    write_file(branch, "metrics.jsonl", "");
    struct program_run run = train(TINY("150,\"seeds\":[2]"), branch, "--resume");
    take_hash(&run, 0, hash);
    assert_string_equal(hash, wanted);

    /* Its origin must be known or explicitly dropped. */
    write_file(branch, "metrics.jsonl", "");
    write_file(branch, "from.json", "{\"path\":");
    run = train(TINY("150,\"seeds\":[2]"), branch, "--resume");
    assert_says(&run, 1, "from.json: ");
    program_free(&run);
    write_file(branch, "from.json", "{\"path\":\"/a\"}");
    run = train(TINY("150,\"seeds\":[2]"), branch, "--resume");
    assert_says(&run, 1, "from.json: Object item not found: sha256");
    program_free(&run);
    run = train(TINY("150,\"seeds\":[2]"), branch, NULL);
    take_hash(&run, 0, hash);
    assert_string_not_equal(hash, wanted);
    assert_false(has_file(branch, "from.json"));

    write_file(branch, "metrics.jsonl", "");
    snprintf(path, sizeof path, "%s/from.json", branch);
    assert_int_equal(mkdir(path, 0777), 0);
    run = train(TINY("150,\"seeds\":[2]"), branch, NULL);
    assert_says(&run, 1, "from.json: Is a directory");
    program_free(&run);
}

/* The same checkpoint at another path is accepted; its new path is stored. */
static void the_checkpoint_of_a_branch_may_be_moved(void **state)
{
    char from[128], branch[128], option[192], wanted[65], path[160], moved[160];

    make_branch(*state, from, branch, option, wanted);
    snprintf(path, sizeof path, "%s/seed1-100.checkpoint", from);
    snprintf(moved, sizeof moved, "%s/moved.checkpoint", (char *)*state);
    assert_int_equal(rename(path, moved), 0);
    struct program_run run = train(TINY("150,\"seeds\":[2,3]"), branch, "--resume");
    assert_says(&run, 1, "cannot be used");
    program_free(&run);

    snprintf(option, sizeof option, "--from=%s", moved);
    const char *const argv[] = {RINK_LEARN, "train", "-",    "--json", "--resume",
                                "--folder", branch,  option, NULL};
    run = program_run(argv, TINY("150,\"seeds\":[2,3]"), strlen(TINY("150,\"seeds\":[2,3]")));
    assert_says(&run, 0, "");
    program_free(&run);
    run = train(TINY("150,\"seeds\":[2,3,4]"), branch, "--resume");
    assert_says(&run, 0, "");
    program_free(&run);

    snprintf(option, sizeof option, "--from=%s/seed2-150.checkpoint", branch);
    run = program_run(argv, TINY("150,\"seeds\":[2,3]"), strlen(TINY("150,\"seeds\":[2,3]")));
    assert_says(&run, 1, "began with another checkpoint");
    program_free(&run);
}

/* A process never writes to a folder in use by another, even if that has written nothing yet. */
static void a_folder_belongs_to_one_training(void **state)
{
    static const char *const names[] = {"spec.json", "from.json", "unfinished.tmp"};
    char path[200], text[32];

    write_file(*state, "metrics.jsonl", "");
    for (int k = 0; k < 3; k++)
        write_file(*state, names[k], "{}");
    write_file(*state, ".lock", "");
    snprintf(path, sizeof path, "%s/.lock", (char *)*state);
    FILE *lock = fopen(path, "re");
    assert_non_null(lock);
    assert_int_equal(flock(fileno(lock), LOCK_EX), 0);
    for (int again = 0; again < 2; again++) {
        struct program_run run = train(TINY("100"), *state, again ? "--resume" : NULL);
        assert_says(&run, 1, "metrics.jsonl: is being written by another process");
        program_free(&run);
        for (int k = 0; k < 3; k++) {
            snprintf(path, sizeof path, "%s/%s", (char *)*state, names[k]);
            FILE *file = fopen(path, "r");
            if (!file)
                fail_msg("%s is gone", path);
            assert_non_null(fgets(text, sizeof text, file));
            assert_string_equal(text, "{}");
            fclose(file);
        }
    }
    fclose(lock);
}

static void an_estimate_is_printed_as_json(void **state)
{
    (void)state;
    struct program_run run = learn(TINY("1000"), "estimate", NULL, NULL, NULL);
    json_t *answer = json_loads(run.output, 0, NULL);

    if (run.status != 0)
        fail_msg("%s", run.errors);
    double ends_per_s = json_number_value(json_object_get(answer, "ends_per_s")),
           learn_s = json_number_value(json_object_get(answer, "learn_s")),
           judge_s = json_number_value(json_object_get(answer, "judge_s"));
    assert_true(ends_per_s > 0.0);
    assert_true(learn_s > 999.0 / ends_per_s && learn_s < 1001.0 / ends_per_s);
    assert_true(json_number_value(json_object_get(answer, "estimate_s")) >=
                0.999 * (learn_s + judge_s));
    json_decref(answer);
    program_free(&run);
    run = learn("{\"seeds\":[]}", "estimate", NULL, NULL, NULL);
    assert_says(&run, 1, "/spec/seeds");
    program_free(&run);
}

/* The measurement's share is a number of its own, and in the sum. A machine that is too slow to try
 * it out says so. */
static void an_estimate_includes_the_exploitability(void **state)
{
    static const char *const parts[] = {"learn_s", "matches_s", "exploitability_s"};
    static const char *const every[] = {"0", "500"};
    char spec[512];

    (void)state;
    for (int k = 0; k < 2; k++) {
        snprintf(spec, sizeof spec,
                 "{\"iterations\":1000,\"network\":{\"architecture\":\"mlp\",\"hidden\":[8]},"
                 "\"evaluate_every\":0,\"exploitability_every\":%s,\"exploitability_ends\":4}",
                 every[k]);
        struct program_run run = learn(spec, "estimate", NULL, NULL, NULL);
        if (run.status != 0)
            fail_msg("%s", run.errors);
        json_t *answer = json_loads(run.output, 0, NULL);
        const json_t *measured = json_object_get(answer, "exploitability_s");
        double sum_s = 0.0, whole_s = json_number_value(json_object_get(answer, "estimate_s"));
        for (int part = 0; part < 3; part++)
            sum_s += json_number_value(json_object_get(answer, parts[part]));
        assert_true(whole_s > 0.999 * sum_s && whole_s < 1.001 * sum_s);
        assert_true(k == 0 ? json_number_value(measured) == 0.0
                           : json_is_null(measured) || json_number_value(measured) > 0.0);
        assert_true(json_is_null(measured) == json_is_null(json_object_get(answer, "judge_s")));
        json_decref(answer);
        program_free(&run);
    }
}

/* Debian's plain BLAS may be installed too: the loader is made to choose it. */
static void a_slow_matrix_library_is_reported(void **state)
{
    static const char slow[] = "/usr/lib/x86_64-linux-gnu/blas";
    static const char spec[] =
        "{\"iterations\":1,\"evaluate_every\":0,\"network\":{\"architecture\":"
        "\"set\",\"hidden\":[4]},\"hyper\":{\"parallel\":1,\"candidates\":0}}";
    char folder[128];

    if (access(slow, R_OK) != 0)
        skip();
    snprintf(folder, sizeof folder, "%s/usual", (char *)*state);
    struct program_run run = train(spec, folder, NULL);
    bool is_slow = strstr(run.errors, "plain BLAS") != NULL, is_there = run.status == 0;
    program_free(&run);
    if (!is_there || is_slow) /* no libtorch, or no other BLAS */
        skip();
    setenv("LD_LIBRARY_PATH", slow, 1);
    run = train(spec, *state, NULL);
    unsetenv("LD_LIBRARY_PATH");
    assert_says(&run, 0, "plain BLAS; install libblis4-serial");
    program_free(&run);
}

/* Every command and option in --help. */
static void the_manual_page_names_everything(void **state)
{
    static const char *const words[] = {".SS train",   ".SS estimate", ".SS worker",   ".SS toy",
                                        "--folder",    "--resume",     "--from",       "--json",
                                        "--stdio",     "--game",       "--steps",      "--stones",
                                        ".SS imitate", "--teacher",    "--temperature"};
    char *page = usage_page(RINK_LEARN_PAGE);

    (void)state;
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (!strstr(page, words[k]))
            fail_msg("the page does not name %s", words[k]);
    struct program_run run = learn("", "--help", NULL, NULL, NULL);
    for (char *line = strtok(strstr(run.output, "Commands:\n") + 10, "\n");
         line && strncmp(line, "  ", 2) == 0; line = strtok(NULL, "\n")) {
        char section[32] = ".SS ";
        sscanf(line, "%20s", section + 4);
        if (!strstr(page, section))
            fail_msg("the page has no section '%s'", section);
    }
    program_free(&run);
    for (int c = 0; c < 2; c++) {
        run = learn("", c ? "imitate" : "toy", "--help", NULL, NULL);
        assert_true(usage_page_has_defaults(page, run.output) >= 3);
        program_free(&run);
    }
    free(page);
}

int main(void)
{
#define SCENARIO(name) \
    cmocka_unit_test_setup_teardown(name, program_make_folder, program_remove_folder)
    const struct CMUnitTest tests[] = {
        SCENARIO(errors_are_named),
        SCENARIO(missing_weights_are_named),
        SCENARIO(an_interrupted_training_is_resumed),
        SCENARIO(a_training_that_has_ended_can_be_made_longer),
        SCENARIO(policies_to_keep_stay_after_resuming),
        SCENARIO(each_seed_of_a_training_that_is_made_longer_goes_on),
        SCENARIO(a_branch_begins_with_a_checkpoint),
        SCENARIO(branches_draw_by_their_own_seeds),
        SCENARIO(a_branch_killed_at_its_start_stays_a_branch),
        SCENARIO(the_checkpoint_of_a_branch_may_be_moved),
        SCENARIO(a_folder_belongs_to_one_training),
        SCENARIO(an_estimate_is_printed_as_json),
        SCENARIO(an_estimate_includes_the_exploitability),
        SCENARIO(a_slow_matrix_library_is_reported),
        SCENARIO(the_manual_page_names_everything),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
