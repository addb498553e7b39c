/* What a lead says to the daemon about outputs that are unsound and tasks that nobody needs. The
 * lead runs on a thread; the test is the daemon. Its kind sums up numbers, four in the first stage
 * and two in the second. */
#include "workers/lead.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { FIRST = 4, SECOND = 2, NEXT = 100, ENOUGH = 1000 };

/* ---- the kind ---- */

static struct {
    json_int_t sum;
    atomic_int syncs;
    struct lead_place place;
} kind;

static bool begin_stage(void *context, int64_t stage, struct lead_stage *ret_stage)
{
    (void)context;
    *ret_stage = (struct lead_stage){
        .units = stage == 0 ? FIRST : SECOND, .most = 1, .at_once = true, .share_after = 1.0};
    return stage < 2;
}

static enum lead_answer merge(void *context, const struct lead_task *task)
{
    struct worker *worker = context;
    const json_t *value = json_object_get(task->result, "value");

    if (!json_is_integer(value))
        return lead_refuse(worker, task, "it has no %s", "value");
    kind.sum += json_integer_value(value);
    if (json_integer_value(value) == NEXT)
        return LEAD_NEXT;
    return json_integer_value(value) == ENOUGH ? LEAD_ENOUGH : LEAD_GO_ON;
}

static bool sync_sum(void *context)
{
    (void)context;
    atomic_fetch_add(&kind.syncs, 1);
    return true;
}

static json_t *sum_up(struct worker *worker, const struct wire_job *job)
{
    const struct lead_work work = {
        .context = worker, .cores = 1, .stage = begin_stage, .merge = merge, .sync = sync_sum};

    return lead_run(worker, job, &work, kind.place) == LEAD_COMPLETE
               ? json_pack("{s:I}", "sum", kind.sum)
               : NULL;
}

/* ---- the daemon ---- */

struct talk {
    int lead_fd;
    FILE *from, *to;
    pthread_t thread;
};

static void *run(void *context)
{
    static const struct worker_kind kinds[] = {{"sum", sum_up, false}, {0}};
    const struct talk *talk = context;

    assert_int_equal(worker_run(talk->lead_fd, talk->lead_fd, "0", kinds), 0);
    return NULL;
}

static void say(struct talk *talk, const char *line)
{
    assert_true(fputs(line, talk->to) >= 0 && fputc('\n', talk->to) != EOF &&
                fflush(talk->to) == 0);
}

static void say_done(struct talk *talk, int number, const char *result)
{
    char line[256];

    snprintf(line, sizeof line,
             "{\"type\":\"task\",\"number\":%d,\"state\":\"done\",\"result\":%s,\"seconds\":1.0}",
             number, result);
    say(talk, line);
}

/* Starts a lead that finds these open tasks, behind so many that are merged. */
static void start(struct talk *talk, struct lead_place place, int merged, const char *open)
{
    char line[1024];
    int fds[2];

    kind.sum = 0;
    kind.place = place;
    atomic_store(&kind.syncs, 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    talk->lead_fd = fds[1];
    talk->from = fdopen(dup(fds[0]), "r");
    talk->to = fdopen(fds[0], "w");
    assert_true(talk->from && talk->to);
    assert_int_equal(pthread_create(&talk->thread, NULL, run, talk), 0);
    snprintf(line, sizeof line,
             "{\"type\":\"job\",\"id\":1,\"kind\":\"sum\",\"spec\":{},\"runs\":[],\"folder\":\"/\","
             "\"attempt\":1,\"checkpoint\":null,\"tasks\":{\"hands\":2,\"merged\":%d,\"open\":%s}}",
             merged, open);
    say(talk, line);
}

/* The next line that is no hello, no beat and no partial result, the caller's. */
static json_t *hear(struct talk *talk)
{
    char *text = NULL;
    size_t room = 0;
    json_t *line = NULL;

    while (!line) {
        assert_true(getline(&text, &room, talk->from) > 0);
        line = json_loads(text, 0, NULL);
        const char *type = json_string_value(json_object_get(line, "type"));
        if (strcmp(type, "hello") == 0 || strcmp(type, "beat") == 0) {
            json_decref(line);
            line = NULL;
        }
    }
    free(text);
    return line;
}

static void assert_hears(struct talk *talk, const char *expected)
{
    json_t *line = hear(talk);
    char *text = json_dumps(line, JSON_COMPACT);

    assert_string_equal(text, expected);
    free(text);
    json_decref(line);
}

/* The numbers of the tasks that it offers: "1 2 3 4". */
static void assert_offers(struct talk *talk, const char *expected)
{
    json_t *line = hear(talk), *task;
    char text[64] = "";
    size_t k, used = 0;

    json_array_foreach(json_object_get(line, "tasks"), k, task)
    {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", k > 0 ? " " : "",
                                 (int)json_integer_value(json_object_get(task, "number")));
    }
    assert_string_equal(text, expected);
    json_decref(line);
}

/* Does the two tasks of the second stage, and ends the lead. */
static void end_second(struct talk *talk, int first, json_int_t sum)
{
    char expected[128];

    for (int number = first; number < first + SECOND; number++) {
        say_done(talk, number, "{\"value\":1}");
        snprintf(expected, sizeof expected, "{\"type\":\"merged\",\"through\":%d}", number);
        assert_hears(talk, expected);
    }
    snprintf(expected, sizeof expected,
             "{\"type\":\"done\",\"result\":{\"sum\":%lld},\"cancelled\":false}", (long long)sum);
    assert_hears(talk, expected);
}

static void finish(struct talk *talk)
{
    assert_int_equal(pthread_join(talk->thread, NULL), 0);
    fclose(talk->from);
    fclose(talk->to);
    close(talk->lead_fd);
}

/* ---- scenarios ---- */

#define STAGE_0 "{\"number\":%d,\"spec\":{\"from\":%d,\"count\":1}}"

static void an_unsound_output_is_refused_and_merged_when_it_comes_again(void **state)
{
    struct talk talk;

    (void)state;
    start(&talk, (struct lead_place){0, 0}, 0, "[]");
    assert_offers(&talk, "1 2 3 4");
    say_done(&talk, 1, "{}");
    assert_hears(&talk, "{\"type\":\"refused\",\"number\":1,\"detail\":\"it has no value\"}");
    say_done(&talk, 2, "{\"value\":1}"); /* waits for the first */
    say_done(&talk, 1, "{\"value\":5}");
    json_t *line = hear(&talk);
    assert_string_equal(json_string_value(json_object_get(line, "type")), "merged");
    json_decref(line);
    say_done(&talk, 4, "{\"value\":1}");
    say_done(&talk, 3, "{\"value\":1}");
    for (bool is_offered = false; !is_offered;) { /* one "merged" or two before it */
        line = hear(&talk);
        is_offered = strcmp(json_string_value(json_object_get(line, "type")), "tasks") == 0;
        json_decref(line);
    }
    end_second(&talk, 5, 10);
    finish(&talk);
}

static void a_stage_that_is_certain_drops_its_other_tasks(void **state)
{
    struct talk talk;

    (void)state;
    start(&talk, (struct lead_place){0, 0}, 0, "[]");
    assert_offers(&talk, "1 2 3 4");
    say_done(&talk, 1, "{\"value\":100}");
    assert_hears(&talk, "{\"type\":\"merged\",\"through\":1}");
    assert_hears(&talk, "{\"type\":\"dropped\",\"through\":4}");
    assert_offers(&talk, "5 6");
    say_done(&talk, 2, "{\"value\":7}"); /* late, and nobody needs it */
    end_second(&talk, 5, 102);
    finish(&talk);
}

static void a_certain_result_drops_what_is_left_after_a_sync(void **state)
{
    struct talk talk;

    (void)state;
    start(&talk, (struct lead_place){0, 0}, 0, "[]");
    assert_offers(&talk, "1 2 3 4");
    say_done(&talk, 1, "{\"value\":1000}");
    assert_hears(&talk, "{\"type\":\"dropped\",\"through\":4}");
    assert_int_equal(atomic_load(&kind.syncs), 1); /* the next lead finds it certain, too */
    assert_hears(&talk, "{\"type\":\"done\",\"result\":{\"sum\":1000},\"cancelled\":false}");
    finish(&talk);
}

/* The lead before died after its files had the stage, and before it could say so. */
static void tasks_of_a_stage_that_is_over_are_dropped_at_the_start(void **state)
{
    struct talk talk;
    char open[256];

    (void)state;
    snprintf(open, sizeof open, "[" STAGE_0 "," STAGE_0 "]", 3, 2, 4, 3);
    start(&talk, (struct lead_place){1, 0}, 2, open);
    assert_hears(&talk, "{\"type\":\"dropped\",\"through\":4}");
    assert_offers(&talk, "5 6");
    end_second(&talk, 5, 2);
    finish(&talk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unsound_output_is_refused_and_merged_when_it_comes_again),
        cmocka_unit_test(a_stage_that_is_certain_drops_its_other_tasks),
        cmocka_unit_test(a_certain_result_drops_what_is_left_after_a_sync),
        cmocka_unit_test(tasks_of_a_stage_that_is_over_are_dropped_at_the_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
