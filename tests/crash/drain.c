/* SIGTERM during jobs: the daemon gives them back, and the next start continues them. */
#include "tests/crash/crash.h"

#include "service/store/jobs.h"
#include "tests/slow.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAIRS SLOW_OR("300", "1500")
#define MATCH                                                                           \
    "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"ai-simple\",\"ends\":4," \
    "\"pairs\":" PAIRS ",\"seed\":7}}"

/* Longer than the time limit of the test. */
static const char *const patient[] = {"--workers", "2", "--drain-ms", "3600000", NULL};

static int64_t add_job(const struct daemon_process *daemon)
{
    struct reply reply = client_post(daemon->port, "/v1/jobs", MATCH);

    assert_int_equal(reply.status, 202);
    int64_t id = json_integer_value(json_object_get(reply.json, "id"));
    reply_free(&reply);
    return id;
}

static json_t *get_job(const struct daemon_process *daemon, int64_t id)
{
    char path[64];

    snprintf(path, sizeof path, "/v1/jobs/%lld", (long long)id);
    struct reply reply = client_get(daemon->port, path);
    assert_int_equal(reply.status, 200);
    json_t *job = json_incref(reply.json);
    reply_free(&reply);
    return job;
}

/* Returns the job as stored in the database while no daemon runs. */
static json_t *stored_job(const struct daemon_process *daemon, int64_t id)
{
    struct store *store;
    json_t *job;

    assert_int_equal(store_open_reader(daemon->data, &store), API_OK);
    assert_int_equal(job_store_get(store, id, &job), API_OK);
    store_close(store);
    return job;
}

static const char *state_of(const json_t *job)
{
    return json_string_value(json_object_get(job, "state"));
}

static void wait_until_done(const struct daemon_process *daemon, int64_t id)
{
    for (bool is_done = false; !is_done;) { /* until the time limit of the test */
        json_t *job = get_job(daemon, id);
        is_done = strcmp(state_of(job), "done") == 0;
        json_decref(job);
        crash_sleep_s(0.02);
    }
}

/* Returns the records of the job; malloc'ed. */
static char *records_of(const struct daemon_process *daemon, int64_t id)
{
    char path[160], *text = NULL;
    size_t room = 0;

    snprintf(path, sizeof path, "%s/jobs/%lld/records.jsonl", daemon->data, (long long)id);
    FILE *file = fopen(path, "re");
    if (!file || getdelim(&text, &room, '\0', file) < 0) {
        free(text);
        text = strdup("");
    }
    if (file)
        fclose(file);
    assert_non_null(text);
    return text;
}

/* Waits until the records are long enough to contain pairs. */
static void wait_for_records(const struct daemon_process *daemon, int64_t id)
{
    size_t length = 0;

    while (length < 100000) {
        char *text = records_of(daemon, id);
        length = strlen(text);
        free(text);
        crash_sleep_s(0.005);
    }
}

static void a_drained_job_goes_on_from_its_records(void **state)
{
    struct daemon_process *daemon = *state;

    crash_start(daemon, patient);
    int64_t whole = add_job(daemon);
    wait_until_done(daemon, whole);
    char *undisturbed = records_of(daemon, whole);

    int64_t id = add_job(daemon);
    wait_for_records(daemon, id);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
    json_t *job = stored_job(daemon, id);
    assert_string_equal(state_of(job), "ready");
    assert_int_equal(json_integer_value(json_object_get(job, "attempt")), 0);
    json_decref(job);
    char *first_part = records_of(daemon, id);
    assert_true(strlen(first_part) < strlen(undisturbed));

    crash_start(daemon, patient);
    wait_until_done(daemon, id);
    char *all = records_of(daemon, id);
    assert_int_equal(strncmp(all, first_part, strlen(first_part)), 0);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
    free(undisturbed);
    free(first_part);
    free(all);
}

/* A stopped worker cannot give its job back; a second signal ends the daemon without waiting for
 * it. */
static void a_second_signal_ends_it_at_once(void **state)
{
    struct daemon_process *daemon = *state;

    crash_start(daemon, patient);
    int64_t id = add_job(daemon);
    wait_for_records(daemon, id);
    struct reply workers = client_get(daemon->port, "/v1/workers");
    json_t *worker = json_array_get(json_object_get(workers.json, "items"), 0);
    pid_t pid = (pid_t)json_integer_value(json_object_get(worker, "pid"));
    assert_true(pid > 0);
    reply_free(&workers);
    assert_int_equal(kill(pid, SIGSTOP), 0);
    assert_int_equal(kill(daemon->pid, SIGTERM), 0);
    crash_sleep_s(0.3);
    assert_int_equal(kill(daemon->pid, 0), 0); /* still waiting */
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
    assert_int_equal(crash_orphans(0), 0);

    json_t *job = stored_job(daemon, id);
    assert_string_equal(state_of(job), "ready");
    json_decref(job);
    crash_start(daemon, patient);
    wait_until_done(daemon, id);
    job = get_job(daemon, id);
    assert_int_equal(json_integer_value(json_object_get(job, "crashes")), 0);
    json_decref(job);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_drained_job_goes_on_from_its_records, daemon_prepare_here,
                                        daemon_remove_here),
        cmocka_unit_test_setup_teardown(a_second_signal_ends_it_at_once, daemon_prepare_here,
                                        daemon_remove_here),
    };

    crash_adopt();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
