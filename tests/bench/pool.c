/* The pool's overhead over a warm process: repeats the same short query, first over pipes, then
 * through the pool. Prints milliseconds. */
#include "service/shots/pool.h"
#include "service/base/base.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/log.h"
#include "service/base/metrics.h"
#include "tests/programs/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUERIES = 1000, WARM_UP = 20 };

#define NO_STONES "[null,null,null,null,null,null,null,null]"
#define QUERY                                                                                      \
    "{\"id\":0,\"profile\":\"dc3\",\"player\":\"ai-simple\",\"state\":{\"end\":0,\"shot\":0,"      \
    "\"hammer\":\"team1\",\"scores\":{\"team0\":[],\"team1\":[]},\"stones\":{\"team0\":" NO_STONES \
    ",\"team1\":" NO_STONES "}}}"

static double times_ms[QUERIES];

static double now_ms(void)
{
    return (double)uv_hrtime() * 1e-6;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double report(const char *what)
{
    qsort(times_ms, QUERIES, sizeof times_ms[0], by_size);
    printf("%-12s p50 %.3f ms  p99 %.3f ms\n", what, times_ms[QUERIES / 2],
           times_ms[QUERIES * 99 / 100]);
    return times_ms[QUERIES / 2];
}

/* ---- the process alone ---- */

static double measure_bare(void)
{
    const char *const argv[] = {RINK_SEARCH, "--stdio", "--threads", "1", NULL};
    struct program_talk talk = program_start(argv);
    char *line = NULL;
    size_t size = 0;

    for (int k = -WARM_UP; k < QUERIES; k++) {
        double begin_ms = now_ms();
        fputs(QUERY "\n", talk.to);
        fflush(talk.to);
        if (getline(&line, &size, talk.from) <= 0)
            exit(1);
        if (k >= 0)
            times_ms[k] = now_ms() - begin_ms;
    }
    free(line);
    program_finish(&talk);
    return report("alone");
}

/* ---- through the pool ---- */

struct course {
    struct pool_question question;
    struct pool *pool;
    struct core *core;
    int done;
    double begin_ms;
};

static void on_stopped(void *context)
{
    core_stop(context);
}

static void on_finished(struct pool_question *question, enum api_error error, json_t *answer,
                        double waited_s)
{
    struct course *course = (struct course *)question;

    (void)answer;
    (void)waited_s;
    if (error != API_OK)
        exit(1);
    if (course->done >= 0)
        times_ms[course->done] = now_ms() - course->begin_ms;
    course->begin_ms = now_ms();
    if (++course->done < QUERIES)
        pool_ask(course->pool, question);
    else
        pool_stop(course->pool, on_stopped, course->core);
}

static double measure_pool(void)
{
    static struct config config;
    struct base base = {.config = &config, .metrics = metrics_open()};
    const char *const argv[] = {RINK_SEARCH, "--stdio", "--threads", "1", NULL};
    const char *const greetings[] = {QUERY, NULL};
    const struct pool_settings settings = {.name = "bench",
                                           .argv = argv,
                                           .processes = 1,
                                           .waiting_max = 1,
                                           .can_cancel = true,
                                           .greetings = greetings};
    struct course course = {.question = {.caller = "bench",
                                         .document = json_loads(QUERY, 0, NULL),
                                         .finished = on_finished},
                            .done = -WARM_UP};

    if (!base.metrics || core_open(NULL, base.metrics, &base.core) != API_OK ||
        pool_start(&base, &settings, &course.pool) != API_OK)
        exit(1);
    course.core = base.core;
    course.question.deadline_s = now_ms() * 1e-3 + 60.0;
    pool_ask(course.pool, &course.question);
    core_run(base.core);
    core_close(base.core);
    metrics_close(base.metrics);
    json_decref(course.question.document);
    return report("in the pool");
}

int main(void)
{
    double bare_ms = measure_bare(), pool_ms = measure_pool();

    printf("%-12s p50 %.3f ms\n", "the pool", pool_ms - bare_ms);
    return 0;
}
