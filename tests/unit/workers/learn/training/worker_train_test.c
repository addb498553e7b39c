/* A training job whose thread ends before the job first checks it, as on a busy machine. */
#include "workers/learn/training/worker_train.h"

#include "tests/patience.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A signal ends a wait that never succeeds. */
enum { TOO_LONG_S = PATIENCE_S };

#define SPEC(profile)                                                                          \
    "{\"algorithm\":\"nfsp\",\"reward\":\"fr\",\"profile\":\"" profile                         \
    "\",\"iterations\":100,\"seeds\":"                                                         \
    "[1],\"network\":{\"architecture\":\"mlp\",\"hidden\":[16]},\"hyper\":{\"response_"        \
    "rate\":0.1},\"opponents\":[],\"evaluate_every\":0,\"evaluate_pairs\":1,\"exploitability_" \
    "every\":0,"                                                                               \
    "\"exploitability_ends\":2,\"checkpoint_every\":1000,\"keep_checkpoints\":1,\"device\":"   \
    "\"cpu\",\"threads\":1}"

/* ---- the thread of a training ends before its creator continues ---- */

struct start {
    void *(*run)(void *);
    void *context;
    sem_t over;
};

/* The program is linked with --wrap=pthread_create: one call returns only when the thread is
 * done. */
int __wrap_pthread_create(pthread_t *ret_thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *context);
int __real_pthread_create(pthread_t *ret_thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *context);
static _Thread_local bool is_overtaken;

static void *run_and_tell(void *context)
{
    struct start *start = context;
    void *result = start->run(start->context);
    sem_post(&start->over);
    return result;
}

int __wrap_pthread_create(pthread_t *ret_thread, const pthread_attr_t *attributes,
                          void *(*run)(void *), void *context)
{
    struct start start = {.run = run, .context = context};

    if (!is_overtaken)
        return __real_pthread_create(ret_thread, attributes, run, context);
    is_overtaken = false;
    sem_init(&start.over, 0, 0);
    int status = __real_pthread_create(ret_thread, attributes, run_and_tell, &start);
    while (status == 0 && sem_wait(&start.over) != 0)
        ;
    sem_destroy(&start.over);
    return status;
}

static json_t *train_overtaken(struct worker *worker, const struct wire_job *job)
{
    is_overtaken = true;
    return job_train(worker, job);
}

/* ---- the daemon's side ---- */

static char folder[] = "/tmp/rinkd-train-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* Returns the last line that the worker writes, without its line end; the caller frees it. */
static char *last_word(const char *spec)
{
    static const struct worker_kind kinds[] = {{"train", train_overtaken, false}, {0}};
    char *text = NULL, *word = NULL;
    size_t size = 0;
    ssize_t length;
    int to[2], from[2];

    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    assert_true(dprintf(to[1],
                        "{\"type\":\"job\",\"id\":1,\"kind\":\"train\",\"spec\":%s,\"runs\":["
                        "\"run1\"],\"folder\":\"%s\",\"attempt\":1,\"checkpoint\":null}\n",
                        spec, folder) > 0);
    alarm(TOO_LONG_S);
    assert_int_equal(worker_run(to[0], from[1], "1", kinds), 0);
    alarm(0);
    assert_false(is_overtaken);
    assert_false(job_train_is_left_behind());
    close(to[0]);
    close(to[1]);
    close(from[1]);
    FILE *said = fdopen(from[0], "r");
    assert_non_null(said);
    while ((length = getline(&text, &size, said)) > 0) {
        free(word);
        word = strndup(text, (size_t)length - 1);
    }
    free(text);
    fclose(said);
    assert_non_null(word);
    return word;
}

static void assert_says(const char *spec, const char *type, const char *part)
{
    char *word = last_word(spec), wanted[64];

    snprintf(wanted, sizeof wanted, "\"type\":\"%s\"", type);
    if (!strstr(word, wanted) || !strstr(word, part))
        fail_msg("not %s with %s: %s", type, part, word);
    free(word);
}

/* ---- scenarios ---- */

static void an_immediate_failure_is_reported(void **state)
{
    (void)state;
    assert_says(SPEC("tree"), "failed", "/profile");
}

static void an_immediate_result_is_reported(void **state)
{
    (void)state;
    assert_says(SPEC("kuhn"), "done", "weights_sha256");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_immediate_failure_is_reported),
        cmocka_unit_test(an_immediate_result_is_reported),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
