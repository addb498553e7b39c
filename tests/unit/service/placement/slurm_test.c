/* Pilots come and go with the tasks, whatever Slurm says; its commands are scripts that keep their
 * queue in a file. The real Slurm: tests/cluster/slurm.sh. */
#include "tests/unit/service/rig.h"

#include "api/base/clock.h"
#include "service/placement/slurm.h"
#include "service/store/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LOOK_MS = 20 };

struct queue {
    struct rig *rig;
    struct slurm *slurm;
    char folder[128];
};

static void write_script(const struct queue *queue, const char *name, const char *text)
{
    char path[192];

    snprintf(path, sizeof path, "%s/%s", queue->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\ncd '%s'\n%s", queue->folder, text);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

/* Appends the arguments to calls; a submitted pilot waits for "Resources". */
static void make_commands(struct queue *queue)
{
    char path[4096];

    snprintf(queue->folder, sizeof queue->folder, "%s/slurm", queue->rig->folder);
    assert_int_equal(mkdir(queue->folder, 0700), 0);
    write_script(queue, "squeue",
                 "[ ! -e broken ] || { echo 'cannot contact it' >&2; exit 1; }\n"
                 "cat queue 2>/dev/null; exit 0\n");
    write_script(queue, "sbatch",
                 "printf '%s\\n' \"$@\" >>calls\n"
                 "for word; do case $word in --array=1-*) n=${word#--array=1-};; esac; done\n"
                 "for k in $(seq $n); do echo \"7_$k|PENDING|Resources\" >>queue; done\n");
    write_script(queue, "scancel",
                 "echo cancel \"$@\" >>calls\n"
                 "for id; do sed -i \"/^$id|/d\" queue; done\n");
    snprintf(path, sizeof path, "%s:%s", queue->folder, getenv("PATH"));
    setenv("PATH", path, 1);
}

static void add_job(struct rig *rig, int64_t *ret_id)
{
    const struct job_new job = {.kind = "match", .spec = "{}"};

    RIG_WRITE(rig, job_store_add(rig->store, &job, 1000, ret_id));
}

/* Whether a file of the queue has this text; NULL: whether it is empty. */
struct look {
    struct queue *queue;
    const char *file, *text;
};

static bool is_so(void *context)
{
    const struct look *look = context;
    char path[192], bytes[4096];

    snprintf(path, sizeof path, "%s/%s", look->queue->folder, look->file);
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(bytes, 1, sizeof bytes - 1, file) : 0;
    if (file)
        fclose(file);
    bytes[length] = '\0';
    return look->text ? strstr(bytes, look->text) != NULL : length == 0;
}

static void wait_for(struct queue *queue, const char *file, const char *text)
{
    rig_wait(queue->rig, is_so, &(struct look){queue, file, text});
}

static bool has_error(void *context)
{
    struct queue *queue = context;
    json_t *json = slurm_json(queue->slurm);
    bool has = json_is_string(json_object_get(json, "error"));

    json_decref(json);
    return has;
}

static bool explains(void *context)
{
    struct queue *queue = context;
    json_t *text = slurm_explain(queue->slurm);
    bool does =
        text && strcmp(json_string_value(text), "1 pilots wait in Slurm's queue: Resources") == 0;

    json_decref(text);
    return does;
}

static bool has_stopped(void *context)
{
    return slurm_has_stopped(((struct queue *)context)->slurm);
}

static void pilots_come_with_jobs_and_go_with_them(void **state)
{
    struct queue queue = {.rig = *state};
    struct config *config = &queue.rig->config;
    int64_t id;
    enum job_state now;

    make_commands(&queue);
    config->slurm_max = 4;
    config->slurm_cores = 2;
    config->slurm_time_min = 60;
    config->slurm_idle_s = 9;
    strcpy(config->slurm_options, "--partition=short  --nice=5");
    strcpy(config->slurm_node, "rink-node --url https://head:8080");
    assert_int_equal(slurm_start(&queue.rig->base, LOOK_MS, &queue.slurm), API_OK);
    add_job(queue.rig, &id);
    wait_for(&queue, "queue", "7_1|PENDING");
    wait_for(&queue, "calls", "--array=1-1\n");
    wait_for(&queue, "calls", "--cpus-per-task=2\n");
    wait_for(&queue, "calls", "--partition=short\n--nice=5\n");
    wait_for(&queue, "calls",
             "--wrap=exec rink-node --url https://head:8080 --cores 2 --until-idle 9 ");
    rig_wait(queue.rig, explains, &queue);
    RIG_WRITE(queue.rig, job_store_ask(queue.rig->store, id, JOB_CANCEL, NULL, NULL, 2000, &now));
    wait_for(&queue, "calls", "cancel 7_1\n");
    wait_for(&queue, "queue", NULL);
    slurm_stop(queue.slurm);
    rig_wait(queue.rig, has_stopped, &queue);
    slurm_free(queue.slurm);
}

static void a_slurm_that_fails_is_told_and_tried_again(void **state)
{
    struct queue queue = {.rig = *state};
    struct config *config = &queue.rig->config;
    int64_t id;

    make_commands(&queue);
    write_script(&queue, "broken", "");
    config->slurm_max = config->slurm_cores = 1;
    strcpy(config->slurm_node, "rink-node");
    assert_int_equal(slurm_start(&queue.rig->base, LOOK_MS, &queue.slurm), API_OK);
    rig_wait(queue.rig, has_error, &queue);
    json_t *json = slurm_json(queue.slurm);
    assert_string_equal(json_string_value(json_object_get(json, "error")),
                        "squeue: exit status 1: cannot contact it");
    json_decref(json);
    char path[192];
    snprintf(path, sizeof path, "%s/broken", queue.folder);
    assert_int_equal(remove(path), 0);
    add_job(queue.rig, &id);
    wait_for(&queue, "queue", "7_1|PENDING");
    slurm_stop(queue.slurm);
    rig_wait(queue.rig, has_stopped, &queue);
    slurm_free(queue.slurm);
}

static void without_slurm_nothing_happens(void **state)
{
    struct rig *rig = *state;
    struct slurm *slurm = (struct slurm *)rig;

    assert_int_equal(slurm_start(&rig->base, LOOK_MS, &slurm), API_OK);
    assert_null(slurm);
    assert_null(slurm_explain(NULL));
    assert_true(slurm_has_stopped(NULL));
    slurm_stop(NULL);
    slurm_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pilots_come_with_jobs_and_go_with_them, rig_open,
                                        rig_close),
        cmocka_unit_test_setup_teardown(a_slurm_that_fails_is_told_and_tried_again, rig_open,
                                        rig_close),
        cmocka_unit_test_setup_teardown(without_slurm_nothing_happens, rig_open, rig_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
