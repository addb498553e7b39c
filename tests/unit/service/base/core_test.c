/* The core thread: writing tasks share a commit, a failing one undoes only itself, and callers hear
 * of success only after the commit. */
#include "tests/unit/service/rig.h"

#include "service/store/registry.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct add {
    struct core_task task;
    char name[REGISTRY_NAME_MAX];
    bool fails; /* fails after writing */
    int finished;
    enum api_error result;
};

static enum api_error run_add(struct core_task *task, struct store *store)
{
    struct add *add = (struct add *)task;
    const struct player_new player = {add->name, "random", ""};
    enum api_error error = player_store_add(store, &player, 1);

    return error == API_OK && add->fails ? API_BAD_FIELD : error;
}

static void finish_add(struct core_task *task, enum api_error result)
{
    struct add *add = (struct add *)task;

    add->finished++;
    add->result = result;
}

static struct add add_of(const char *name, bool fails)
{
    struct add add = {.task = {.writes = true, .run = run_add, .finish = finish_add},
                      .fails = fails};

    snprintf(add.name, sizeof add.name, "%s", name);
    return add;
}

static bool is_there(struct rig *rig, const char *name)
{
    json_t *player;

    if (player_store_get(rig->store, name, &player) != API_OK)
        return false;
    json_decref(player);
    return true;
}

/* ---- scenarios ---- */

static void a_failing_task_undoes_only_its_own_changes(void **state)
{
    struct rig *rig = *state;
    struct add add[] = {add_of("a", false), add_of("b", true), add_of("a", false),
                        add_of("c", false)};

    for (int k = 0; k < 4; k++)
        assert_int_equal(core_submit(rig->base.core, &add[k].task), API_OK);
    assert_int_equal(core_waiting(rig->base.core), 4);
    core_stop(rig->base.core);
    core_run(rig->base.core); /* finishes all submitted tasks */
    assert_int_equal(core_waiting(rig->base.core), 0);
    for (int k = 0; k < 4; k++)
        assert_int_equal(add[k].finished, 1);
    assert_int_equal(add[0].result, API_OK);
    assert_int_equal(add[1].result, API_BAD_FIELD);
    assert_int_equal(add[2].result, API_EXISTS);
    assert_int_equal(add[3].result, API_OK);
    assert_true(is_there(rig, "a"));
    assert_false(is_there(rig, "b"));
    assert_true(is_there(rig, "c"));
}

struct look {
    struct core_task task;
    const struct core *core;
    int at_run, at_finish;
};

static enum api_error run_look(struct core_task *task, struct store *store)
{
    struct look *look = (struct look *)task;

    (void)store;
    look->at_run = core_waiting(look->core);
    return API_OK;
}

static void finish_look(struct core_task *task, enum api_error result)
{
    struct look *look = (struct look *)task;

    (void)result;
    look->at_finish = core_waiting(look->core);
}

static struct look look_of(const struct core *core)
{
    return (struct look){.task = {.writes = true, .run = run_look, .finish = finish_look},
                         .core = core};
}

static void a_task_being_written_counts_as_waiting(void **state)
{
    struct rig *rig = *state;
    struct look look = look_of(rig->base.core);

    assert_int_equal(core_submit(rig->base.core, &look.task), API_OK);
    core_stop(rig->base.core);
    core_run(rig->base.core);
    assert_int_equal(look.at_run, 1);
    assert_int_equal(look.at_finish, 0); /* at the moment its caller hears of it */
}

static enum api_error run_slow(struct core_task *task, struct store *store)
{
    enum { LONGER_THAN_A_GROUP_MS = 10 };

    nanosleep(&(struct timespec){.tv_nsec = LONGER_THAN_A_GROUP_MS * 1000000L}, NULL);
    return run_add(task, store);
}

/* The caller of a slow task hears of it before the next one is written. */
static void a_slow_task_ends_its_group(void **state)
{
    struct rig *rig = *state;
    struct add slow = add_of("a", false);
    struct look look = look_of(rig->base.core);

    slow.task.run = run_slow;
    assert_int_equal(core_submit(rig->base.core, &slow.task), API_OK);
    assert_int_equal(core_submit(rig->base.core, &look.task), API_OK);
    core_stop(rig->base.core);
    core_run(rig->base.core);
    assert_int_equal(slow.finished, 1);
    assert_int_equal(look.at_run, 1); /* the slow one waits no more */
}

/* With a transaction already open, begin fails for the whole group. */
static void a_group_that_cannot_be_stored_fails_together(void **state)
{
    struct rig *rig = *state;
    struct add add[] = {add_of("a", false), add_of("b", false)};

    assert_int_equal(store_begin(rig->store), API_OK);
    for (int k = 0; k < 2; k++)
        assert_int_equal(core_submit(rig->base.core, &add[k].task), API_OK);
    core_stop(rig->base.core);
    core_run(rig->base.core);
    store_rollback(rig->store);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(add[k].finished, 1);
        assert_int_not_equal(add[k].result, API_OK);
    }
    assert_false(is_there(rig, "a"));
}

static void a_full_queue_refuses_all_but_its_own_thread(void **state)
{
    struct rig *rig = *state;
    static struct add add[CORE_QUEUE_MAX + 2];

    for (int k = 0; k < CORE_QUEUE_MAX + 2; k++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", k);
        add[k] = add_of(name, false);
    }
    for (int k = 0; k < CORE_QUEUE_MAX; k++)
        assert_int_equal(core_submit(rig->base.core, &add[k].task), API_OK);
    assert_int_equal(core_submit(rig->base.core, &add[CORE_QUEUE_MAX].task), API_BUSY);
    core_submit_own(rig->base.core, &add[CORE_QUEUE_MAX + 1].task);
    core_stop(rig->base.core);
    core_run(rig->base.core);
    assert_int_equal(add[CORE_QUEUE_MAX].finished, 0);
    assert_int_equal(add[CORE_QUEUE_MAX + 1].finished, 1);
    assert_true(is_there(rig, "n4095"));
}

/* ---- from many threads ---- */

enum { THREADS = 4, TASKS = 200 };

struct submitter {
    struct core *core;
    struct add add[TASKS];
    pthread_t thread;
};

static enum api_error run_nothing(struct core_task *task, struct store *store)
{
    (void)task;
    assert_null(store);
    return API_OK;
}

static void *submit_all(void *context)
{
    struct submitter *submitter = context;

    for (int k = 0; k < TASKS; k++)
        while (core_submit(submitter->core, &submitter->add[k].task) != API_OK)
            ;
    return NULL;
}

static bool all_finished(void *context)
{
    const struct submitter *submitters = context;

    for (int t = 0; t < THREADS; t++)
        for (int k = 0; k < TASKS; k++)
            if (submitters[t].add[k].finished == 0)
                return false;
    return true;
}

static void each_task_of_many_threads_is_finished_once(void **state)
{
    static struct submitter submitters[THREADS];
    struct rig *rig = *state;

    for (int t = 0; t < THREADS; t++) {
        submitters[t].core = rig->base.core;
        for (int k = 0; k < TASKS; k++) {
            char name[32];
            snprintf(name, sizeof name, "t%d-%d", t, k);
            submitters[t].add[k] = add_of(name, false);
            if (k % 2 == 1)
                submitters[t].add[k].task =
                    (struct core_task){.run = run_nothing, .finish = finish_add};
        }
        assert_int_equal(pthread_create(&submitters[t].thread, NULL, submit_all, &submitters[t]),
                         0);
    }
    rig_wait(rig, all_finished, submitters);
    for (int t = 0; t < THREADS; t++) {
        pthread_join(submitters[t].thread, NULL);
        for (int k = 0; k < TASKS; k++) {
            assert_int_equal(submitters[t].add[k].finished, 1);
            assert_int_equal(submitters[t].add[k].result, API_OK);
        }
    }
    assert_true(is_there(rig, "t3-198"));
}

int main(void)
{
#define SCENARIO(name) cmocka_unit_test_setup_teardown(name, rig_open, rig_close)
    const struct CMUnitTest tests[] = {
        SCENARIO(a_failing_task_undoes_only_its_own_changes),
        SCENARIO(a_task_being_written_counts_as_waiting),
        SCENARIO(a_slow_task_ends_its_group),
        SCENARIO(a_group_that_cannot_be_stored_fails_together),
        SCENARIO(a_full_queue_refuses_all_but_its_own_thread),
        SCENARIO(each_task_of_many_threads_is_finished_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
