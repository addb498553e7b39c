/* Jobs and workers that behave and misbehave: no job is lost or done twice, and no worker's message
 * harms the daemon. */
#include "tests/unit/service/rig.h"

#include "api/base/clock.h"
#include "service/base/child.h"
#include "service/base/events.h"
#include "service/base/lease.h"
#include "service/jobs/job_folder.h"
#include "service/jobs/supervisor.h"
#include "service/store/jobs.h"
#include "service/store/registry.h"
#include "service/store/runs.h"
#include "service/store/tasks.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- helpers ---- */

static int64_t add_of(struct rig *rig, const char *kind, const char *how)
{
    char spec[128];
    int64_t id;

    snprintf(spec, sizeof spec, "{\"do\":\"%s\",\"seed\":7}", how);
    RIG_WRITE(rig, job_store_add(rig->store, &(struct job_new){.kind = kind, .spec = spec},
                                 clock_wall_ms(), &id));
    return id;
}

/* Adds a job of a kind whose result is not validated. */
static int64_t add(struct rig *rig, const char *how)
{
    return add_of(rig, "diagnose", how);
}

static json_t *job_of(struct rig *rig, int64_t id)
{
    json_t *job;

    assert_int_equal(job_store_get(rig->store, id, &job), API_OK);
    return job;
}

/* Returns a text member of the job or of its error; the caller frees it. */
static char *text_of(struct rig *rig, int64_t id, const char *key)
{
    json_t *job = job_of(rig, id), *error = json_object_get(job, "error");
    const char *text = json_string_value(json_object_get(job, key));

    if (!text)
        text = json_string_value(json_object_get(error, key));
    char *copy = strdup(text ? text : "");
    json_decref(job);
    return copy;
}

static void assert_text(struct rig *rig, int64_t id, const char *key, const char *expected)
{
    char *text = text_of(rig, id, key);
    assert_string_equal(text, expected);
    free(text);
}

static int64_t number_of(struct rig *rig, int64_t id, const char *key)
{
    json_t *job = job_of(rig, id);
    int64_t number = json_integer_value(json_object_get(job, key));
    json_decref(job);
    return number;
}

struct wanted {
    struct rig *rig;
    int64_t id;
    const char *key, *value;
};

static bool is_so(void *context)
{
    const struct wanted *wanted = context;
    char *text = text_of(wanted->rig, wanted->id, wanted->key);
    bool so = strcmp(text, wanted->value) == 0;
    free(text);
    return so;
}

static void wait_for(struct rig *rig, int64_t id, const char *key, const char *value)
{
    rig_wait(rig, is_so, &(struct wanted){rig, id, key, value});
}

static void wait_for_state(struct rig *rig, int64_t id, const char *state)
{
    wait_for(rig, id, "state", state);
}

static void start(struct rig *rig)
{
    assert_int_equal(supervisor_start(&rig->base, &rig->supervisor), API_OK);
}

static void set(void *context)
{
    *(bool *)context = true;
}

static bool is_set(void *context)
{
    return *(bool *)context;
}

static void stop(struct rig *rig, int64_t patience_ms)
{
    bool drained = false;

    supervisor_drain(rig->supervisor, patience_ms, set, &drained);
    rig_wait(rig, is_set, &drained);
    supervisor_free(rig->supervisor);
}

static bool no_worker(void *context)
{
    struct rig *rig = context;
    json_t *workers = supervisor_workers(rig->supervisor);
    bool none = json_array_size(workers) == 0;
    json_decref(workers);
    return none;
}

static void hear_nothing(void *context)
{
    (void)context;
}

/* ---- scenarios ---- */

/* A ladder takes seconds, a match may take hours. */
static void jobs_of_the_service_do_not_wait_for_users(void **state)
{
    struct rig *rig = *state;
    int64_t one = add(rig, "obey"), other = add(rig, "obey"), waiting = add(rig, "obey");
    int64_t ladder = add_of(rig, "rate", "obey"), next = add_of(rig, "rate", "obey");

    start(rig);
    wait_for_state(rig, one, "leased");
    wait_for_state(rig, other, "leased");
    wait_for_state(rig, ladder, "leased");
    assert_text(rig, waiting, "state", "ready"); /* the ladder takes no user's place */
    assert_text(rig, next, "state", "ready");    /* one at a time */
    supervisor_tell(rig->supervisor, one, JOB_CANCEL);
    wait_for_state(rig, waiting, "leased");
    stop(rig, 1000);
}

static void a_finished_job_keeps_its_result(void **state)
{
    struct rig *rig = *state;
    start(rig);
    int64_t id = add(rig, "do Übung 3 €");
    char topic[EVENTS_TOPIC_MAX], heard[4096] = "";
    bool missed;

    snprintf(topic, sizeof topic, "job/%lld", (long long)id);
    struct listener *listener =
        events_listen(rig->base.events, topic, 0, &missed, hear_nothing, NULL);
    supervisor_wake(rig->supervisor);
    wait_for_state(rig, id, "done");
    for (int64_t used = 0, got = 1; got > 0; used += got)
        got = listener_read(listener, heard + used, sizeof heard - 1 - (size_t)used);
    listener_free(listener);
    const char *last = strstr(heard, "event: done\n");
    assert_non_null(last);
    assert_non_null(strstr(last, "\"progress\":1.0"));
    json_t *job = job_of(rig, id);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(job, "result"), "answer")),
                     42);
    assert_int_equal(json_array_size(json_object_get(job, "runs")), 1); /* of a diagnosis */
    json_decref(job);
    rig_wait(rig, no_worker, rig);
    char *log;
    assert_int_equal(job_store_read_log(rig->store, id, &log), API_OK);
    assert_string_equal(log, "told to do Übung 3 €\n");
    free(log);
    stop(rig, 5000);
}

/* It occupies a worker's place that others wait for. */
static void a_worker_that_stays_after_its_final_message_is_ended(void **state)
{
    struct rig *rig = *state;
    start(rig);
    int64_t id = add(rig, "do it and stay");

    supervisor_wake(rig->supervisor);
    wait_for_state(rig, id, "done");
    assert_false(no_worker(rig));
    rig_wait(rig, no_worker, rig);
    assert_text(rig, id, "state", "done");
    assert_int_equal(number_of(rig, id, "attempt"), 1);
    stop(rig, 5000);
}

static void one_job_runs_per_worker(void **state)
{
    struct rig *rig = *state;
    int64_t id[3] = {add(rig, "obey"), add(rig, "obey"), add(rig, "obey")};

    start(rig);
    wait_for_state(rig, id[0], "leased");
    wait_for_state(rig, id[1], "leased");
    assert_text(rig, id[2], "state", "ready");
    json_t *why =
        supervisor_explain(rig->supervisor, job_kind_find("diagnose"), 0, clock_wall_ms(), 0);
    assert_non_null(strstr(json_string_value(why), "all 2 workers are busy"));
    json_decref(why);
    enum job_state was;
    RIG_WRITE(rig,
              job_store_ask(rig->store, id[0], JOB_CANCEL, "enough", NULL, clock_wall_ms(), &was));
    supervisor_tell(rig->supervisor, id[0], JOB_CANCEL);
    wait_for_state(rig, id[2], "leased");
    assert_text(rig, id[0], "state", "cancelled");
    stop(rig, 5000);
    assert_text(rig, id[1], "state", "ready"); /* released by the drain, without counting an
                                                * attempt */
    assert_int_equal(number_of(rig, id[1], "attempt"), 0);
}

/* Their clients are waiting, and their workers only look on. */
static void hosted_games_take_no_worker_and_have_a_limit_of_their_own(void **state)
{
    struct rig *rig = *state;
    int64_t one = add(rig, "obey"), other = add(rig, "obey"), waiting = add(rig, "obey");
    int64_t games[RIG_HOSTED_GAMES + 1];

    for (int k = 0; k <= RIG_HOSTED_GAMES; k++)
        games[k] = add_of(rig, "host", "obey");
    start(rig);
    for (int k = 0; k < RIG_HOSTED_GAMES; k++)
        wait_for_state(rig, games[k], "leased");
    wait_for_state(rig, one, "leased");
    wait_for_state(rig, other, "leased");
    assert_text(rig, waiting, "state", "ready");
    assert_text(rig, games[RIG_HOSTED_GAMES], "state", "ready");
    json_t *why = supervisor_explain(rig->supervisor, job_kind_find("host"), 0, clock_wall_ms(), 0);
    assert_non_null(strstr(json_string_value(why), "3 games are hosted"));
    assert_non_null(strstr(json_string_value(why), "hosted_games"));
    json_decref(why);
    supervisor_tell(rig->supervisor, games[0], JOB_CANCEL);
    wait_for_state(rig, games[RIG_HOSTED_GAMES], "leased");
    assert_text(rig, waiting, "state", "ready"); /* a game leaves no place for it */
    stop(rig, 60000);
}

static void a_cancelled_job_keeps_its_partial_result(void **state)
{
    struct rig *rig = *state;
    int64_t id = add(rig, "obey");
    enum job_state was;

    start(rig);
    wait_for_state(rig, id, "leased");
    RIG_WRITE(rig, job_store_ask(rig->store, id, JOB_CANCEL, NULL, NULL, clock_wall_ms(), &was));
    assert_int_equal(was, JOB_LEASED);
    supervisor_tell(rig->supervisor, id, JOB_CANCEL);
    wait_for_state(rig, id, "cancelled");
    json_t *job = job_of(rig, id);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(job, "result"), "answer")),
                     1);
    json_decref(job);
    stop(rig, 5000);
}

static bool was_released(void *context)
{
    const struct wanted *wanted = context;
    bool found = false;
    json_t *events, *event;
    size_t k;

    assert_int_equal(job_store_history(wanted->rig->store, wanted->id, &events), API_OK);
    json_array_foreach(events, k, event)
    {
        found =
            found || strcmp(json_string_value(json_object_get(event, "kind")), wanted->value) == 0;
    }
    json_decref(events);
    return found;
}

/* Its tasks are done again while it says that it is done: another lead has to follow. */
static void the_last_word_of_an_outdated_lead_only_gives_the_job_back(void **state)
{
    struct rig *rig = *state;
    int64_t id = add_of(rig, "match", "obey");

    start(rig);
    wait_for_state(rig, id, "leased");
    supervisor_outdate(rig->supervisor, id);
    supervisor_tell(rig->supervisor, id, JOB_CANCEL); /* the stand-in then says "done" */
    rig_wait(rig, was_released, &(struct wanted){rig, id, "kind", "released"});
    wait_for_state(rig, id, "leased");
    assert_int_equal(number_of(rig, id, "attempt"), 1);
    json_t *job = job_of(rig, id);
    assert_true(json_is_null(json_object_get(job, "result")));
    json_decref(job);
    stop(rig, 5000);
}

static void a_paused_job_frees_its_worker_and_goes_on_later(void **state)
{
    struct rig *rig = *state;
    int64_t id = add(rig, "obey");
    enum job_state was;

    start(rig);
    wait_for_state(rig, id, "leased");
    RIG_WRITE(rig, job_store_ask(rig->store, id, JOB_PAUSE, NULL, NULL, clock_wall_ms(), &was));
    supervisor_tell(rig->supervisor, id, JOB_PAUSE);
    wait_for_state(rig, id, "paused");
    rig_wait(rig, no_worker, rig);
    RIG_WRITE(rig, job_store_ask(rig->store, id, JOB_RESUME, NULL, NULL, clock_wall_ms(), &was));
    supervisor_wake(rig->supervisor);
    wait_for_state(rig, id, "leased");
    stop(rig, 5000);
}

static void one_crash_costs_one_attempt(void **state)
{
    struct rig *rig = *state;
    int64_t id = add(rig, "die once");

    start(rig);
    wait_for(rig, id, "code", "worker-died");
    wait_for_state(rig, id, "done"); /* by the timer, after the retry delay */
    assert_int_equal(number_of(rig, id, "attempt"), 2);
    assert_int_equal(number_of(rig, id, "crashes"), 1);
    stop(rig, 5000);
}

static void a_job_that_kills_three_workers_is_buried(void **state)
{
    struct rig *rig = *state;
    int64_t id = add(rig, "die");

    start(rig);
    wait_for_state(rig, id, "buried");
    assert_int_equal(number_of(rig, id, "crashes"), JOB_CRASHES);
    char *detail = text_of(rig, id, "detail");
    assert_non_null(strstr(detail, "signal 9"));
    free(detail);
    stop(rig, 5000);
}

/* Each way of misbehaving, with the error code that its job then carries. */
static void a_worker_that_misbehaves_is_ended_and_its_job_retried(void **state)
{
    static const struct {
        const char *how, *code;
    } ways[] = {{"exit", "worker-died"},
                {"talk garbage", "bad-line"},
                {"talk endlessly", "bad-line"},
                {"report to a stranger", "bad-line"},
                {"be silent", "no-hello"}};
    struct rig *rig = *state;

    rig->config.lease_ms = LEASE_LEAST_MS;
    start(rig);
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        int64_t id = add(rig, ways[k].how);
        supervisor_wake(rig->supervisor);
        wait_for(rig, id, "code", ways[k].code);
        assert_int_equal(number_of(rig, id, "crashes"), 0);
        rig_wait(rig, no_worker, rig);
        enum job_state was;
        RIG_WRITE(rig,
                  job_store_ask(rig->store, id, JOB_CANCEL, NULL, NULL, clock_wall_ms(), &was));
        assert_int_equal(was, JOB_CANCELLED); /* it was waiting for its next attempt */
    }
    stop(rig, 5000);
}

static void a_worker_that_begins_late_does_its_job(void **state)
{
    struct rig *rig = *state;
    int64_t id = add(rig, "begin late");

    start(rig);
    wait_for_state(rig, id, "done");
    assert_int_equal(number_of(rig, id, "attempt"), 1);
    stop(rig, 5000);
}

static void assert_no_process(struct rig *rig)
{
    json_t *workers = supervisor_workers(rig->supervisor);

    for (size_t k = 0; k < json_array_size(workers); k++)
        assert_true(json_is_null(json_object_get(json_array_get(workers, k), "pid")));
    json_decref(workers);
}

/* Two workers must not share a folder. */
static void a_job_is_retried_only_when_its_worker_is_gone(void **state)
{
    struct rig *rig = *state;
    int64_t id = add(rig, "talk garbage and stay");

    start(rig);
    wait_for(rig, id, "code", "bad-line");
    assert_no_process(rig);
    stop(rig, 0);
}

/* It has said that it lets go of the job, but still runs. */
static void a_job_is_given_back_only_when_its_worker_is_gone(void **state)
{
    struct rig *rig = *state;
    int64_t id = add(rig, "obey and stay");
    enum job_state was;

    start(rig);
    wait_for_state(rig, id, "leased");
    RIG_WRITE(rig, job_store_ask(rig->store, id, JOB_PAUSE, NULL, NULL, clock_wall_ms(), &was));
    supervisor_tell(rig->supervisor, id, JOB_PAUSE);
    wait_for_state(rig, id, "paused");
    assert_no_process(rig);
    stop(rig, 5000);
}

static void a_failure_that_cannot_be_retried_buries_at_once(void **state)
{
    struct rig *rig = *state;
    int64_t id = add(rig, "fail");

    start(rig);
    wait_for_state(rig, id, "buried");
    assert_text(rig, id, "code", "bad-spec");
    assert_int_equal(number_of(rig, id, "attempt"), 1);
    stop(rig, 5000);
}

static void a_flood_is_taken_in_as_fast_as_the_disk_allows(void **state)
{
    struct rig *rig = *state;
    int64_t id = add(rig, "flood");

    start(rig);
    wait_for_state(rig, id, "done");
    json_t *job = job_of(rig, id);
    const char *run = json_string_value(json_array_get(json_object_get(job, "runs"), 0));
    struct run_point points[300];
    int count;
    assert_int_equal(run_store_curve(rig->store,
                                     &(struct run_curve_query){.run = run,
                                                               .name = "loss",
                                                               .from_step = INT64_MIN,
                                                               .to_step = INT64_MAX,
                                                               .max_points = 300},
                                     points, &count),
                     API_OK);
    assert_int_equal(count, 300); /* none is lost */
    assert_true(points[299].value == 299.0);
    json_decref(job);
    stop(rig, 5000);
}

static void a_result_that_cannot_be_kept_fails_the_job_and_changes_nothing(void **state)
{
    struct rig *rig = *state;
    int64_t id = add_of(rig, "match", "do it"); /* {"answer":42} is no result of a match */

    start(rig);
    wait_for(rig, id, "code", "bad-line");
    json_t *job = job_of(rig, id);
    assert_true(json_is_null(json_object_get(job, "result")));
    json_decref(job);
    stop(rig, 5000);
}

static void a_late_worker_cannot_overwrite(void **state)
{
    struct rig *rig = *state;
    int64_t id = add(rig, "obey"), count;
    struct job_claim other;
    const char *const kinds[] = {"diagnose", NULL};

    start(rig);
    wait_for_state(rig, id, "leased");
    /* Someone takes the job away behind the supervisor's back, and another worker holds it now. */
    RIG_WRITE(rig, job_store_recover(rig->store, clock_wall_ms(), &count));
    RIG_WRITE(rig, job_store_claim(rig->store, kinds, NULL, clock_wall_ms(), 30000, &other));
    assert_int_equal(other.id, id);
    supervisor_tell(rig->supervisor, id, JOB_CANCEL); /* its worker says "done" */
    rig_wait(rig, no_worker, rig);
    assert_text(rig, id, "state", "leased");
    json_t *job = job_of(rig, id);
    assert_true(json_is_null(json_object_get(job, "result")));
    json_decref(job);
    job_claim_free(&other);
    stop(rig, 5000);
}

static void a_drain_kills_busy_workers_and_counts_no_failure(void **state)
{
    struct rig *rig = *state;
    int64_t id = add(rig, "be silent");

    start(rig);
    wait_for_state(rig, id, "leased");
    stop(rig, 50);
    assert_text(rig, id, "state", "ready");
    assert_int_equal(number_of(rig, id, "attempt"), 0);
}

/* ---- training ---- */

/* A training job with a run. */
static int64_t add_training(struct rig *rig, const char *spec, char ret_run[RUN_ID_MAX])
{
    const struct run_new run = {.seed = 1, .spec = spec, .versions = "{}"};
    struct run_new of_job = run;

    RIG_WRITE(rig, job_store_add(rig->store, &(struct job_new){.kind = "train", .spec = spec},
                                 clock_wall_ms(), &of_job.job));
    RIG_WRITE(rig, run_store_add(rig->store, &of_job, clock_wall_ms(), ret_run));
    return of_job.job;
}

/* Returns the number of files in the folder with that ending. */
static int count_files(const struct rig *rig, const char *folder, const char *ending)
{
    char path[128];
    int count = 0;

    snprintf(path, sizeof path, "%s/%s", rig->folder, folder);
    DIR *list = opendir(path);
    const struct dirent *entry;
    while (list && (entry = readdir(list)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        count += dot && strcmp(dot, ending) == 0;
    }
    if (list)
        closedir(list);
    return count;
}

struct files {
    struct rig *rig;
    int checkpoints, models, left;
};

static bool are_so_many(void *context)
{
    const struct files *files = context;
    return count_files(files->rig, "jobs/1", ".checkpoint") == files->checkpoints &&
           count_files(files->rig, "models", ".safetensors") == files->models &&
           count_files(files->rig, "jobs/1", ".safetensors") == files->left;
}

static void a_run_leaves_its_newest_checkpoints_and_models(void **state)
{
    struct rig *rig = *state;
    char run[RUN_ID_MAX], alias[64];
    int64_t id = add_training(rig, "{\"do\":\"learn\",\"keep_checkpoints\":2}", run);
    json_t *model, *shown;

    start(rig);
    wait_for_state(rig, id, "done");
    rig_wait(rig, are_so_many, &(struct files){rig, 2, 2, 0});
    snprintf(alias, sizeof alias, "%s.average", run);
    assert_int_equal(model_store_get(rig->store, alias, &model), API_OK);
    assert_int_equal(json_integer_value(json_object_get(model, "step")), 5);
    json_t *card = json_object_get(model, "card");
    assert_string_equal(json_string_value(json_object_get(card, "run")), run);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(card, "metadata"), "step")), "5");
    json_decref(model);
    assert_int_equal(run_store_get(rig->store, run, &shown), API_OK);
    assert_int_equal(json_integer_value(json_object_get(shown, "checkpoints")), 2);
    json_decref(shown);
    stop(rig, 5000);
}

static void a_wrong_hash_or_broken_model_fails_the_attempt(void **state)
{
    static const char *const ways[] = {"give a model with another hash",
                                       "give a model that is none"};
    struct rig *rig = *state;
    char run[RUN_ID_MAX], spec[100];

    start(rig);
    for (int k = 0; k < 2; k++) {
        snprintf(spec, sizeof spec, "{\"do\":\"%s\"}", ways[k]);
        int64_t id = add_training(rig, spec, run);
        supervisor_wake(rig->supervisor);
        wait_for(rig, id, "code", "bad-line");
        char *detail = text_of(rig, id, "detail");
        assert_non_null(strstr(detail, "the file of a model does not match its announcement"));
        free(detail);
    }
    assert_int_equal(count_files(rig, "models", ".safetensors"), 0);
    stop(rig, 5000);
}

static void a_branch_without_its_checkpoint_is_buried(void **state)
{
    struct rig *rig = *state;
    char run[RUN_ID_MAX];
    int64_t id = add_training(
        rig, "{\"from\":{\"run\":\"0123456789abcdef0123456789abcdef\",\"step\":7}}", run);

    start(rig);
    wait_for_state(rig, id, "buried");
    assert_text(rig, id, "code", "no-checkpoint");
    stop(rig, 5000);
}

static void kinds_need_a_program(void **state)
{
    struct rig *rig = *state;
    const char *program = job_kind_find("train")->program;
    char path[128], found[CHILD_PATH_MAX];

    assert_true(child_program(rig->config.programs, program, found));
    snprintf(path, sizeof path, "%s/rink-learn", rig->folder);
    assert_int_equal(unlink(path), 0);
    assert_false(child_program(rig->config.programs, program, found));
}

/* ---- tasks ---- */

/* Adds a job whose lead behaves as `how` and has `tasks` tasks, done as `task`. */
static int64_t add_led(struct rig *rig, const char *how, int tasks, const char *task)
{
    char spec[160];
    int64_t id;

    snprintf(spec, sizeof spec, "{\"do\":\"%s\",\"tasks\":%d,\"task\":\"%s\",\"seed\":7}", how,
             tasks, task);
    RIG_WRITE(rig, job_store_add(rig->store, &(struct job_new){.kind = "train", .spec = spec},
                                 clock_wall_ms(), &id));
    return id;
}

/* Counts the tasks of a job in that state, and all tries of its tasks. */
static int tasks_in(struct rig *rig, int64_t job, const char *state, int *ret_tries)
{
    struct store_page page = {.limit = 100};
    json_t *task;
    int count = 0;
    size_t k;

    assert_int_equal(task_store_list(rig->store, job, &page), API_OK);
    *ret_tries = 0;
    json_array_foreach(page.items, k, task)
    {
        count += strcmp(json_string_value(json_object_get(task, "state")), state) == 0;
        *ret_tries += (int)json_array_size(json_object_get(task, "tries"));
    }
    json_decref(page.items);
    return count;
}

static void a_lead_has_its_tasks_done(void **state)
{
    struct rig *rig = *state;
    char path[128];
    int tries;

    start(rig);
    int64_t id = add_led(rig, "lead", 5, "make a file");
    supervisor_wake(rig->supervisor);
    wait_for_state(rig, id, "done");
    assert_int_equal(tasks_in(rig, id, "done", &tries), 5);
    assert_int_equal(tries, 5);
    rig_wait(rig, no_worker, rig);
    for (int k = 1; k <= 5; k++) { /* merged outputs are not kept */
        snprintf(path, sizeof path, "%s/jobs/%lld/task-%d.x", rig->folder, (long long)id, k);
        assert_int_equal(access(path, F_OK), -1);
    }
    stop(rig, 5000);
}

static void put_file(const struct rig *rig, int64_t job, const char *name)
{
    char path[160];

    snprintf(path, sizeof path, "%s/jobs", rig->folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/jobs/%lld", rig->folder, (long long)job);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/jobs/%lld/%s", rig->folder, (long long)job, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fclose(file);
}

static bool has_file(const struct rig *rig, int64_t job, const char *name)
{
    char path[160];

    snprintf(path, sizeof path, "%s/jobs/%lld/%s", rig->folder, (long long)job, name);
    return access(path, F_OK) == 0;
}

/* A lead stops at the first merge; another task has left a file meanwhile. */
static void files_of_tasks_go_once_the_result_is_there(void **state)
{
    struct rig *rig = *state;
    int moved;

    start(rig);
    int64_t id = add_led(rig, "lead and stop", 3, "make a file"),
            failed = add_led(rig, "fail", 3, "make a file");
    put_file(rig, id, "task-9.x");
    put_file(rig, id, "task-notes.txt");
    put_file(rig, failed, "task-9.x");
    supervisor_wake(rig->supervisor);
    wait_for_state(rig, id, "done");
    wait_for_state(rig, failed, "buried");
    rig_wait(rig, no_worker, rig);
    assert_false(has_file(rig, id, "task-9.x"));
    assert_true(has_file(rig, id, "task-notes.txt")); /* an operator's */
    stop(rig, 5000);

    put_file(rig, id, "task-9.x"); /* the daemon was killed before it could delete it */
    assert_true(job_folders_tidy(rig->folder, rig->store, clock_wall_ms(), &moved));
    assert_false(has_file(rig, id, "task-9.x"));
    assert_true(has_file(rig, id, "task-notes.txt"));
    assert_true(has_file(rig, failed, "task-9.x")); /* a job that can be kicked needs it */
}

static void leads_die_and_the_work_goes_on(void **state)
{
    struct rig *rig = *state;
    int tries;

    start(rig);
    int64_t id = add_led(rig, "lead and die", 6, "make a file");
    supervisor_wake(rig->supervisor);
    wait_for_state(rig, id, "done");
    assert_int_equal(number_of(rig, id, "attempt"), 2);
    assert_int_equal(tasks_in(rig, id, "done", &tries), 6);
    assert_int_equal(tries, 6); /* nothing was done twice */
    stop(rig, 5000);
}

/* The second lead finds all tasks offered, and the only slot is for them. */
static void a_later_lead_leaves_the_slot_to_its_tasks(void **state)
{
    struct rig *rig = *state;

    rig->config.workers = 1;
    start(rig);
    int64_t id = add_led(rig, "lead and die", 3, "make a file");
    supervisor_wake(rig->supervisor);
    wait_for_state(rig, id, "done");
    stop(rig, 5000);
}

static void tasks_die_and_are_done_again(void **state)
{
    struct rig *rig = *state;
    int tries;

    start(rig);
    int64_t id = add_led(rig, "lead", 2, "die once"), lost = add_led(rig, "lead", 1, "die");
    supervisor_wake(rig->supervisor);
    wait_for_state(rig, id, "done");
    tasks_in(rig, id, "done", &tries);
    assert_int_equal(tries, 4);
    wait_for_state(rig, lost, "buried");
    assert_int_equal(tasks_in(rig, lost, "failed", &tries), 1);
    assert_int_equal(tries, JOB_CRASHES);
    assert_text(rig, lost, "code", "worker-died");
    stop(rig, 5000);
}

static void tasks_that_nobody_needs_are_ended(void **state)
{
    struct rig *rig = *state;
    int tries;

    start(rig);
    int64_t id = add_led(rig, "lead", 2, "obey");
    supervisor_wake(rig->supervisor);
    wait_for_state(rig, id, "leased");
    enum job_state now;
    RIG_WRITE(rig, job_store_ask(rig->store, id, JOB_CANCEL, NULL, NULL, clock_wall_ms(), &now));
    supervisor_tell(rig->supervisor, id, JOB_CANCEL);
    wait_for_state(rig, id, "cancelled");
    rig_wait(rig, no_worker, rig);
    assert_int_equal(tasks_in(rig, id, "leased", &tries), 0);
    stop(rig, 5000);
}

static bool only_its_lead_works(void *context)
{
    const struct wanted *wanted = context;
    json_t *workers = supervisor_workers(wanted->rig->supervisor);
    const json_t *first = json_array_get(workers, 0);
    int tries;
    bool so = json_array_size(workers) == 1 && json_is_null(json_object_get(first, "task")) &&
              tasks_in(wanted->rig, wanted->id, "dropped", &tries) == 3;

    json_decref(workers);
    return so;
}

static void tasks_that_a_lead_drops_are_ended_while_it_goes_on(void **state)
{
    struct rig *rig = *state;
    int tries;

    start(rig);
    int64_t id = add_led(rig, "lead and drop", 3, "obey");
    supervisor_wake(rig->supervisor);
    rig_wait(rig, only_its_lead_works, &(struct wanted){rig, id, NULL, NULL});
    assert_text(rig, id, "state", "leased");
    tasks_in(rig, id, "dropped", &tries);
    assert_true(tries >= 1 && tries <= 2); /* they are remembered, and no more began */
    stop(rig, 5000);
}

static void outputs_that_a_lead_refuses_are_made_again(void **state)
{
    struct rig *rig = *state;
    int tries;

    start(rig);
    int64_t id = add_led(rig, "lead and refuse", 2, "make a file");
    supervisor_wake(rig->supervisor);
    wait_for_state(rig, id, "done");
    assert_int_equal(tasks_in(rig, id, "done", &tries), 2);
    assert_int_equal(tries, 4);
    assert_int_equal(number_of(rig, id, "attempt"), 1);
    stop(rig, 5000);
}

static void tasks_wait_while_the_job_is_paused(void **state)
{
    struct rig *rig = *state;
    enum job_state now;
    int tries;

    start(rig);
    int64_t id = add_led(rig, "lead", 3, "obey");
    supervisor_wake(rig->supervisor);
    wait_for_state(rig, id, "leased");
    RIG_WRITE(rig, job_store_ask(rig->store, id, JOB_PAUSE, NULL, NULL, clock_wall_ms(), &now));
    supervisor_tell(rig->supervisor, id, JOB_PAUSE);
    wait_for_state(rig, id, "paused");
    rig_wait(rig, no_worker, rig);
    supervisor_wake(rig->supervisor);
    rig_turn(rig);
    assert_int_equal(tasks_in(rig, id, "leased", &tries), 0);
    stop(rig, 5000);
}

struct ready_tasks {
    struct rig *rig;
    int64_t job;
    int count;
};

static bool has_ready(void *context)
{
    const struct ready_tasks *wanted = context;
    int tries;

    return tasks_in(wanted->rig, wanted->job, "ready", &tries) == wanted->count;
}

/* A daemon that does nothing itself still leads what nodes do. */
static void leads_start_for_nodes_alone(void **state)
{
    struct rig *rig = *state;
    int tries;

    rig->config.workers = 0;
    start(rig);
    int64_t first = add_led(rig, "lead", 2, "obey"), second = add_led(rig, "lead", 2, "obey");
    supervisor_wake(rig->supervisor);
    rig_turn(rig);
    assert_text(rig, first, "state", "ready");
    supervisor_set_nodes(rig->supervisor, 2);
    rig_wait(rig, has_ready, &(struct ready_tasks){rig, first, 2});
    rig_turn(rig);
    assert_text(rig, second, "state", "ready"); /* there is enough to do */
    assert_int_equal(tasks_in(rig, first, "leased", &tries), 0);
    stop(rig, 5000);
}

static bool has_failed_try(void *context)
{
    const struct wanted *wanted = context;
    struct store_page page = {.limit = 1};

    assert_int_equal(task_store_list(wanted->rig->store, wanted->id, &page), API_OK);
    json_t *tries = json_object_get(json_array_get(page.items, 0), "tries");
    const char *error = json_string_value(json_object_get(json_array_get(tries, 0), wanted->key));
    bool has = error && strcmp(error, wanted->value) == 0;
    json_decref(page.items);
    return has;
}

static void only_a_lead_may_merge(void **state)
{
    struct rig *rig = *state;

    start(rig);
    int64_t id = add_led(rig, "lead", 1, "merge");
    supervisor_wake(rig->supervisor);
    rig_wait(rig, has_failed_try,
             &(struct wanted){rig, id, "error", "a line that such a worker may not say"});
    stop(rig, 5000);
}

/* Once is no attempt; a worker that always does so would go on for ever. */
static void work_that_is_given_back_again_and_again_is_buried(void **state)
{
    struct rig *rig = *state;
    const struct job_new job = {
        .kind = "diagnose", .spec = "{\"do\":\"give back\",\"seed\":7}", .max_attempts = 1};
    int64_t id;

    RIG_WRITE(rig, job_store_add(rig->store, &job, clock_wall_ms(), &id));
    start(rig);
    wait_for_state(rig, id, "buried");
    assert_text(rig, id, "code", "gave-back");
    stop(rig, 1000);
}

int main(void)
{
#define SCENARIO(name) cmocka_unit_test_setup_teardown(name, rig_open, rig_close)
    const struct CMUnitTest tests[] = {
        SCENARIO(jobs_of_the_service_do_not_wait_for_users),
        SCENARIO(a_finished_job_keeps_its_result),
        SCENARIO(a_worker_that_stays_after_its_final_message_is_ended),
        SCENARIO(hosted_games_take_no_worker_and_have_a_limit_of_their_own),
        SCENARIO(one_job_runs_per_worker),
        SCENARIO(a_cancelled_job_keeps_its_partial_result),
        SCENARIO(the_last_word_of_an_outdated_lead_only_gives_the_job_back),
        SCENARIO(a_paused_job_frees_its_worker_and_goes_on_later),
        SCENARIO(one_crash_costs_one_attempt),
        SCENARIO(a_job_that_kills_three_workers_is_buried),
        SCENARIO(work_that_is_given_back_again_and_again_is_buried),
        SCENARIO(a_worker_that_misbehaves_is_ended_and_its_job_retried),
        SCENARIO(a_worker_that_begins_late_does_its_job),
        SCENARIO(a_job_is_retried_only_when_its_worker_is_gone),
        SCENARIO(a_job_is_given_back_only_when_its_worker_is_gone),
        SCENARIO(a_failure_that_cannot_be_retried_buries_at_once),
        SCENARIO(a_flood_is_taken_in_as_fast_as_the_disk_allows),
        SCENARIO(a_result_that_cannot_be_kept_fails_the_job_and_changes_nothing),
        SCENARIO(a_late_worker_cannot_overwrite),
        SCENARIO(a_drain_kills_busy_workers_and_counts_no_failure),
        SCENARIO(a_run_leaves_its_newest_checkpoints_and_models),
        SCENARIO(a_wrong_hash_or_broken_model_fails_the_attempt),
        SCENARIO(a_branch_without_its_checkpoint_is_buried),
        SCENARIO(kinds_need_a_program),
        SCENARIO(a_lead_has_its_tasks_done),
        SCENARIO(files_of_tasks_go_once_the_result_is_there),
        SCENARIO(leads_die_and_the_work_goes_on),
        SCENARIO(a_later_lead_leaves_the_slot_to_its_tasks),
        SCENARIO(tasks_die_and_are_done_again),
        SCENARIO(tasks_that_nobody_needs_are_ended),
        SCENARIO(tasks_that_a_lead_drops_are_ended_while_it_goes_on),
        SCENARIO(outputs_that_a_lead_refuses_are_made_again),
        SCENARIO(tasks_wait_while_the_job_is_paused),
        SCENARIO(only_a_lead_may_merge),
        SCENARIO(leads_start_for_nodes_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
