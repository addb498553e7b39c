/* Warm processes that behave and misbehave: each question is answered or fails exactly once, the
 * others are not harmed, and a dead process is replaced. */
#include "tests/unit/service/rig.h"

#include "service/shots/pool.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

struct ask {
    struct pool_question question;
    int partials, ends, pid;
    enum api_error error;
    char stopped[16];
};

static void on_partial(struct pool_question *question, json_t *answer)
{
    (void)answer;
    ((struct ask *)question)->partials++;
}

static void on_finished(struct pool_question *question, enum api_error error, json_t *answer,
                        double waited_s)
{
    struct ask *ask = (struct ask *)question;
    const char *stopped = json_string_value(json_object_get(answer, "stopped"));

    assert_true((error == API_OK) == (answer != NULL));
    assert_true(waited_s >= 0.0);
    snprintf(ask->stopped, sizeof ask->stopped, "%s", stopped ? stopped : "");
    ask->error = error;
    ask->pid = (int)json_integer_value(json_object_get(answer, "pid"));
    ask->ends++;
}

static double now_s(void)
{
    return (double)uv_hrtime() * 1e-9;
}

static struct ask ask_of(const char *how, int ms, double timeout_s)
{
    return (struct ask){
        .question = {.caller = "ann",
                     .document = json_pack("{s:s, s:i}", "do", how, "ms", ms),
                     .deadline_s = timeout_s > 0.0 ? now_s() + timeout_s : 0.0,
                     .partial = on_partial,
                     .finished = on_finished},
    };
}

static bool has_ended(void *context)
{
    return ((struct ask *)context)->ends > 0;
}

struct busy {
    struct pool *pool;
    int processes;
};

static bool has_busy(void *context)
{
    const struct busy *busy = context;
    return pool_busy(busy->pool) == busy->processes;
}

static bool is_ready(void *context)
{
    return pool_is_ready(context);
}

static struct pool *start_with(struct rig *rig, struct pool_settings settings)
{
    static const char *const argv[] = {"rink-search", NULL};
    static const char *const greetings[] = {"{\"id\":0}", "{\"id\":1}", NULL};
    struct pool *pool;

    settings.name = "test";
    settings.argv = argv;
    settings.can_cancel = true;
    settings.greetings = greetings;

    assert_int_equal(pool_start(&rig->base, &settings, &pool), API_OK);
    rig_wait(rig, is_ready, pool);
    return pool;
}

/* Nothing that runs is long. */
static struct pool *start(struct rig *rig, int processes, int waiting_max)
{
    return start_with(rig, (struct pool_settings){
                               .processes = processes, .waiting_max = waiting_max, .long_s = 1e6});
}

static bool is_set(void *context)
{
    return *(bool *)context;
}

static void set(void *context)
{
    *(bool *)context = true;
}

static void stop(struct rig *rig, struct pool *pool)
{
    bool stopped = false;

    pool_stop(pool, set, &stopped);
    rig_wait(rig, is_set, &stopped);
}

/* Asks, waits, and releases the document. */
static void ask_and_wait(struct rig *rig, struct pool *pool, struct ask *ask)
{
    assert_int_equal(pool_ask(pool, &ask->question), API_OK);
    rig_wait(rig, has_ended, ask);
    assert_int_equal(ask->ends, 1);
    json_decref(ask->question.document);
}

/* ---- scenarios ---- */

static void a_question_gets_its_answer_and_partial_ones_before(void **state)
{
    struct pool *pool = start(*state, 1, 4);
    struct ask ask = ask_of("partial", 0, 5.0), noisy = ask_of("noise", 0, 0.0);

    ask_and_wait(*state, pool, &ask);
    assert_int_equal(ask.error, API_OK);
    assert_int_equal(ask.partials, 1);
    ask_and_wait(*state, pool, &noisy); /* an answer to an unknown question comes first */
    assert_int_equal(noisy.error, API_OK);
    stop(*state, pool);
}

static void a_crashed_process_restarts_and_only_its_question_fails(void **state)
{
    struct pool *pool = start(*state, 1, 4);
    struct ask ask = ask_of("die", 0, 0.0), garbage = ask_of("garbage", 0, 0.0),
               next = ask_of("", 0, 0.0);

    ask_and_wait(*state, pool, &ask);
    assert_int_equal(ask.error, API_NO_WORKER);
    assert_int_equal(pool_busy(pool), 0);
    garbage.question.deadline_s = 0.0;
    ask_and_wait(*state, pool, &garbage);
    assert_int_equal(garbage.error, API_NO_WORKER);
    ask_and_wait(*state, pool, &next);
    assert_int_equal(next.error, API_OK);
    assert_true(pool_is_ready(pool));
    stop(*state, pool);
}

/* Without a deadline a stopped process would hold its question for ever. */
static void a_stopped_process_is_restarted(void **state)
{
    struct pool *pool = start(*state, 1, 4);
    struct ask stopped = ask_of("stop", 0, 0.0), next = ask_of("", 0, 0.0);

    ask_and_wait(*state, pool, &stopped);
    assert_int_equal(stopped.error, API_NO_WORKER);
    ask_and_wait(*state, pool, &next);
    assert_int_equal(next.error, API_OK);
    stop(*state, pool);
}

static void waiting_counts_against_the_deadline(void **state)
{
    struct pool *pool = start(*state, 1, 4);
    struct ask slow = ask_of("think", 400, 0.0), hurried = ask_of("", 0, 0.05);

    assert_int_equal(pool_ask(pool, &slow.question), API_OK);
    ask_and_wait(*state, pool, &hurried);
    assert_int_equal(hurried.error, API_DEADLINE);
    assert_int_equal(slow.ends, 0);
    assert_int_equal(pool_waiting(pool), 0);
    rig_wait(*state, has_ended, &slow);
    assert_int_equal(slow.error, API_OK);
    json_decref(slow.question.document);
    stop(*state, pool);
}

static void a_process_gets_the_time_that_is_left(void **state)
{
    struct pool *pool = start(*state, 1, 4);
    struct ask ask = ask_of("think", 60000, 0.3);

    ask_and_wait(*state, pool, &ask);
    assert_int_equal(ask.error, API_OK); /* a partial answer, before the deadline */
    assert_string_equal(ask.stopped, "timeout");
    stop(*state, pool);
}

static void a_process_that_overruns_is_killed(void **state)
{
    struct pool *pool = start(*state, 1, 4);
    struct ask hung = ask_of("hang", 0, 0.1), next = ask_of("", 0, 0.0);

    ask_and_wait(*state, pool, &hung);
    assert_int_equal(hung.error, API_DEADLINE);
    ask_and_wait(*state, pool, &next);
    assert_int_equal(next.error, API_OK);
    stop(*state, pool);
}

static void the_queue_is_bounded_and_questions_can_be_cancelled(void **state)
{
    struct pool *pool = start(*state, 1, 1);
    struct ask thinking = ask_of("think", 60000, 0.0), waiting = ask_of("", 0, 0.0),
               refused = ask_of("", 0, 0.0);

    assert_int_equal(pool_ask(pool, &thinking.question), API_OK);
    assert_int_equal(pool_ask(pool, &waiting.question), API_OK);
    assert_int_equal(pool_ask(pool, &refused.question), API_BUSY);
    struct ask newcomer = ask_of("", 0, 0.0); /* takes the place of the one that waits */
    newcomer.question.caller = "bob";
    assert_int_equal(pool_ask(pool, &newcomer.question), API_OK);
    assert_int_equal(waiting.ends, 1);
    assert_int_equal(waiting.error, API_SHARE_FULL);
    pool_cancel(pool, &newcomer.question);
    assert_int_equal(newcomer.error, API_CANCELLED);
    json_decref(newcomer.question.document);
    json_decref(waiting.question.document);
    waiting = ask_of("", 0, 0.0);
    assert_int_equal(pool_ask(pool, &waiting.question), API_OK);
    assert_true(pool_wait_s(pool, "ann", 1.0) > 1.0);
    pool_cancel(pool, &waiting.question);
    assert_int_equal(waiting.ends, 1);
    assert_int_equal(waiting.error, API_CANCELLED);
    pool_cancel(pool, &thinking.question);
    rig_wait(*state, has_ended, &thinking);
    assert_int_equal(thinking.error, API_OK);
    assert_string_equal(thinking.stopped, "cancel");
    assert_true(pool_wait_s(pool, "ann", 1.0) == 0.0);
    assert_int_equal(refused.ends, 0);
    json_decref(thinking.question.document);
    json_decref(waiting.question.document);
    json_decref(refused.question.document);
    stop(*state, pool);
}

/* A process that was killed while it had nothing to do, before the pool knows. */
static void a_dead_process_costs_no_answer(void **state)
{
    struct pool *pool = start(*state, 1, 4);
    struct ask first = ask_of("", 0, 0.0), next = ask_of("", 0, 0.0);
    siginfo_t about;

    ask_and_wait(*state, pool, &first);
    assert_int_equal(kill((pid_t)first.pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)first.pid, &about, WEXITED | WNOWAIT), 0);
    ask_and_wait(*state, pool, &next);
    assert_int_equal(next.error, API_OK);
    assert_int_not_equal(next.pid, first.pid);
    assert_true(next.question.is_repeated);
    stop(*state, pool);
}

static void cancel_and_wait(struct rig *rig, struct pool *pool, struct ask *ask)
{
    pool_cancel(pool, &ask->question);
    rig_wait(rig, has_ended, ask);
    assert_int_equal(ask->error, API_OK);
    assert_string_equal(ask->stopped, "cancel");
    json_decref(ask->question.document);
}

/* Each further caller has one question that runs, whatever the others do. */
static void long_questions_keep_no_other_caller_out(void **state)
{
    struct pool *pool =
        start_with(*state, (struct pool_settings){.processes = 2, .waiting_max = 8});
    struct ask greedy[3], further[3];
    const char *const names[] = {"bob", "eve", "bob"};

    for (int k = 0; k < 3; k++) {
        greedy[k] = ask_of("think", 1000000, 0.0);
        assert_int_equal(pool_ask(pool, &greedy[k].question), API_OK);
    }
    rig_wait(*state, has_busy, &(struct busy){pool, 2});
    for (int k = 0; k < 3; k++) {
        assert_true(pool_wait_s(pool, names[k], 1.0) == 0.0 || k == 2);
        if (k < 2) { /* bob's second question waits for his first one */
            struct ask quick = ask_of("", 0, 0.0);
            quick.question.caller = names[k];
            ask_and_wait(*state, pool, &quick);
            assert_int_equal(quick.error, API_OK);
        }
        further[k] = ask_of("think", 1000000, 0.0);
        further[k].question.caller = names[k];
        assert_int_equal(pool_ask(pool, &further[k].question), API_OK);
        rig_wait(*state, has_busy, &(struct busy){pool, k < 2 ? k + 3 : 4});
    }
    assert_int_equal(pool_waiting(pool), 2);
    cancel_and_wait(*state, pool, &further[0]);
    rig_wait(*state, has_busy, &(struct busy){pool, 4});
    assert_int_equal(pool_waiting(pool), 1); /* bob's second question runs, ann's third waits */
    cancel_and_wait(*state, pool, &further[1]);
    cancel_and_wait(*state, pool, &further[2]);
    cancel_and_wait(*state, pool, &greedy[0]);
    rig_wait(*state, has_busy, &(struct busy){pool, 2});
    assert_int_equal(pool_waiting(pool), 0);
    cancel_and_wait(*state, pool, &greedy[1]);
    cancel_and_wait(*state, pool, &greedy[2]);
    stop(*state, pool);
}

static void short_questions_share_the_processes(void **state)
{
    struct pool *pool = start(*state, 1, 8);
    struct ask first = ask_of("think", 1000000, 0.0), other = ask_of("think", 1000000, 0.0);

    assert_int_equal(pool_ask(pool, &first.question), API_OK);
    other.question.caller = "bob";
    assert_int_equal(pool_ask(pool, &other.question), API_OK);
    assert_int_equal(pool_busy(pool), 1);
    assert_int_equal(pool_waiting(pool), 1);
    assert_true(pool_wait_s(pool, "eve", 1.0) > 1.0);
    cancel_and_wait(*state, pool, &first);
    cancel_and_wait(*state, pool, &other);
    stop(*state, pool);
}

static void a_question_may_run_as_long_as_the_setting_says(void **state)
{
    struct pool_settings settings = {
        .processes = 1, .waiting_max = 8, .long_s = 1e6, .most_ms = 50, .overrun_s = 1e6};
    struct pool *pool = start_with(*state, settings);
    struct ask ask = ask_of("think", 1000000, 1e6), endless = ask_of("think", 1000000, 0.0),
               hung = ask_of("hang", 0, 1e6), hurried = ask_of("think", 1000000, 0.02);

    ask_and_wait(*state, pool, &ask);
    assert_int_equal(ask.error, API_OK);
    assert_string_equal(ask.stopped, "timeout");
    assert_true(ask.question.is_bounded);
    ask_and_wait(*state, pool, &endless);
    assert_string_equal(endless.stopped, "timeout");
    ask_and_wait(*state, pool, &hurried);
    assert_false(hurried.question.is_bounded); /* its own deadline ends it */
    stop(*state, pool);

    settings.overrun_s = 0.01;
    pool = start_with(*state, settings);
    ask_and_wait(*state, pool, &hung);
    assert_int_equal(hung.error, API_DEADLINE);
    stop(*state, pool);
}

static void stopping_ends_all_questions(void **state)
{
    struct pool *pool = start(*state, 1, 4);
    struct ask thinking = ask_of("hang", 0, 0.0), waiting = ask_of("", 0, 0.0);

    assert_int_equal(pool_ask(pool, &thinking.question), API_OK);
    assert_int_equal(pool_ask(pool, &waiting.question), API_OK);
    stop(*state, pool);
    assert_int_equal(thinking.error, API_DRAINING);
    assert_int_equal(waiting.error, API_DRAINING);
    assert_int_equal(thinking.ends + waiting.ends, 2);
    json_decref(thinking.question.document);
    json_decref(waiting.question.document);
}

int main(void)
{
#define SCENARIO(name) cmocka_unit_test_setup_teardown(name, rig_open, rig_close)
    const struct CMUnitTest tests[] = {
        SCENARIO(a_question_gets_its_answer_and_partial_ones_before),
        SCENARIO(a_crashed_process_restarts_and_only_its_question_fails),
        SCENARIO(a_stopped_process_is_restarted),
        SCENARIO(waiting_counts_against_the_deadline),
        SCENARIO(a_process_gets_the_time_that_is_left),
        SCENARIO(a_process_that_overruns_is_killed),
        SCENARIO(the_queue_is_bounded_and_questions_can_be_cancelled),
        SCENARIO(a_dead_process_costs_no_answer),
        SCENARIO(long_questions_keep_no_other_caller_out),
        SCENARIO(short_questions_share_the_processes),
        SCENARIO(a_question_may_run_as_long_as_the_setting_says),
        SCENARIO(stopping_ends_all_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
