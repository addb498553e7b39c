/* Nodes: registered by name, with tries of their own; tasks that take too long are given out once
 * more, and some are done twice. */
#include "tests/unit/service/store/stage.h"

#include "service/store/checks.h"
#include "service/store/nodes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {"match", NULL};

static struct node_new node_of(const char *name, const char *owner)
{
    return (struct node_new){.name = name,
                             .owner = owner,
                             .cores = 2,
                             .kinds = "[\"match\"]",
                             .refused = "[]",
                             .versions = "{}",
                             .shots_per_s = NAN};
}

static void register_node(struct stage *s, const char *name, char ret_session[NODE_SESSION_MAX])
{
    const struct node_new node = node_of(name, "");

    assert_int_equal(IN_COMMIT(s, node_store_register(s->store, &node, 1000, ret_session)), API_OK);
}

/* A running job with so many tasks. */
static struct job_claim led(struct stage *s, int tasks)
{
    struct job_new job = {.kind = "match", .spec = "{}"};
    int64_t id;

    assert_int_equal(IN_COMMIT(s, job_store_add(s->store, &job, 1000, &id)), API_OK);
    struct job_claim lead = stage_claim(s, "match", 1000);
    for (int k = 1; k <= tasks; k++) {
        const struct task_new task = {k, 1, "{}"};
        assert_int_equal(IN_COMMIT(s, task_store_add(s->store, id, lead.token, &task, 1000)),
                         API_OK);
    }
    return lead;
}

static struct job_claim claim(struct stage *s, const char *node, int64_t now_ms)
{
    const struct task_wish wish = {.kinds = kinds, .node = node, .cores = 2};
    struct job_claim task = {.id = 0};

    assert_int_equal(IN_COMMIT(s, task_store_claim(s->store, &wish, now_ms, 60000, &task)), API_OK);
    return task;
}

static struct task_holder holder(const struct job_claim *task)
{
    return (struct task_holder){task->id, task->task, task->token};
}

static void finish(struct stage *s, struct job_claim *task, int64_t now_ms)
{
    const struct task_holder own = holder(task);

    assert_int_equal(IN_COMMIT(s, task_store_finish(s->store, &own, "{}", false, now_ms)), API_OK);
    job_claim_free(task);
}

static int64_t number_of(struct stage *s, const char *name, const char *member)
{
    json_t *node;

    assert_int_equal(node_store_get(s->reader, name, 1000, &node), API_OK);
    const json_t *value = json_object_get(node, member);
    int64_t number =
        json_is_array(value) ? (int64_t)json_array_size(value) : json_integer_value(value);
    json_decref(node);
    return number;
}

/* ---- scenarios ---- */

static void a_name_is_of_the_caller_who_took_it_first(void **state)
{
    struct stage *s = *state;
    const struct node_new first = node_of("lab", "ann"), other = node_of("lab", "bob");
    char session[NODE_SESSION_MAX], later[NODE_SESSION_MAX];
    struct node_row row;

    assert_int_equal(IN_COMMIT(s, node_store_register(s->store, &first, 1000, session)), API_OK);
    assert_int_equal(IN_COMMIT(s, node_store_register(s->store, &other, 1000, later)), API_EXISTS);
    assert_int_equal(IN_COMMIT(s, node_store_register(s->store, &first, 1000, later)), API_OK);
    assert_string_not_equal(session, later);
    assert_int_equal(node_store_find(s->reader, "lab", &row), API_OK);
    assert_string_equal(row.session, later);
    assert_string_equal(row.owner, "ann");
    node_row_free(&row);
    assert_int_equal(node_store_find(s->reader, "none", &row), API_NOT_FOUND);
}

static void a_process_that_takes_the_name_gives_back_what_the_one_before_did(void **state)
{
    struct stage *s = *state;
    char session[NODE_SESSION_MAX];
    struct job_claim lead = led(s, 2);

    register_node(s, "lab", session);
    struct job_claim task = claim(s, "lab", 2000);
    assert_int_equal(number_of(s, "lab", "doing"), 1);
    register_node(s, "lab", session);
    assert_int_equal(number_of(s, "lab", "doing"), 0);
    const struct task_holder own = holder(&task);
    assert_int_equal(IN_COMMIT(s, task_store_beat(s->store, &own, 2000, 1000)), API_LEASE_LOST);
    job_claim_free(&task);
    task = claim(s, "lab", 2000);
    assert_int_equal(task.task, 1);
    finish(s, &task, 5000);
    assert_int_equal(number_of(s, "lab", "done"), 1);
    job_claim_free(&lead);
}

static void tries_that_the_node_does_not_know_go_back(void **state)
{
    struct stage *s = *state;
    char session[NODE_SESSION_MAX];
    struct job_claim lead = led(s, 2);
    int released;

    register_node(s, "lab", session);
    struct job_claim known = claim(s, "lab", 2000), unknown = claim(s, "lab", 2000);
    json_t *tokens = json_pack("[s]", known.token);
    assert_int_equal(IN_COMMIT(s, node_store_keep(s->store, "lab", tokens, 3000, &released)),
                     API_OK);
    json_decref(tokens);
    assert_int_equal(released, 1);
    assert_int_equal(number_of(s, "lab", "doing"), 1);
    struct job_claim again = claim(s, "lab", 3000);
    assert_int_equal(again.task, unknown.task);
    job_claim_free(&known);
    job_claim_free(&unknown);
    job_claim_free(&again);
    job_claim_free(&lead);
}

static void states_of_nodes_move_as_the_table_says(void **state)
{
    struct stage *s = *state;
    char session[NODE_SESSION_MAX];

    register_node(s, "lab", session);
#define ASK(wish) IN_COMMIT(s, node_store_ask(s->store, "lab", wish))
    assert_int_equal(ASK(NODE_PAUSE), API_OK);
    register_node(s, "lab", session); /* a pause outlives a new start */
    assert_int_equal(ASK(NODE_PAUSE), API_OK);
    assert_int_equal(ASK(NODE_RESUME), API_OK);
    assert_int_equal(IN_COMMIT(s, node_store_suspend(s->store, "lab", "it lied", 1)), API_OK);
    assert_int_equal(ASK(NODE_PAUSE), API_STATE);
    assert_int_equal(ASK(NODE_RESUME), API_OK);
    assert_int_equal(ASK(NODE_DRAIN), API_OK);
    assert_int_equal(IN_COMMIT(s, node_store_leave(s->store, "lab", 1)), API_OK);
    assert_int_equal(ASK(NODE_RESUME), API_STATE);
#undef ASK
    assert_int_equal(IN_COMMIT(s, node_store_ask(s->store, "none", NODE_PAUSE)), API_NOT_FOUND);
    assert_int_equal(IN_COMMIT(s, node_store_forget(s->store, "lab", 1)), API_OK);
    assert_int_equal(IN_COMMIT(s, node_store_forget(s->store, "lab", 1)), API_NOT_FOUND);
}

static void a_task_that_takes_too_long_is_given_out_once_more(void **state)
{
    struct stage *s = *state;
    const struct task_wish wish = {.kinds = kinds, .node = "fast", .cores = 2};
    struct job_claim lead = led(s, 4), late;

    struct job_claim slow = claim(s, "slow", 1000);
    for (int k = 0; k < 3; k++) {
        struct job_claim task = claim(s, "fast", 1000);
        finish(s, &task, 5000); /* 4 s each */
    }
#define CLAIM_LATE(now_ms) \
    IN_COMMIT(s, task_store_claim_late(s->store, &wish, now_ms, 60000, &late))
    assert_int_equal(CLAIM_LATE(11000), API_NOT_FOUND); /* not three times the median */
    assert_int_equal(CLAIM_LATE(14000), API_OK);
    assert_int_equal(late.task, slow.task);
    struct job_claim first = late;
    assert_int_equal(CLAIM_LATE(90000), API_NOT_FOUND); /* only once */
#undef CLAIM_LATE
    finish(s, &first, 15000);
    const struct task_holder own = holder(&slow);
    assert_int_equal(IN_COMMIT(s, task_store_finish(s->store, &own, "{}", false, 16000)),
                     API_LEASE_LOST);
    job_claim_free(&slow);
    job_claim_free(&lead);
}

/* ---- second answers ---- */

#define ANSWER_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define ANSWER_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static enum api_error claim_check(struct stage *s, const char *node, struct job_claim *ret_claim)
{
    const struct task_wish wish = {.kinds = kinds, .node = node, .cores = 2};
    int64_t cores;

    return IN_COMMIT(s, check_store_claim(s->store, &wish, 2000, 60000, ret_claim, &cores));
}

static void another_node_confirms_or_disputes(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = led(s, 2), second;
    struct check_dispute dispute;

    for (int k = 1; k <= 2; k++) {
        struct job_claim task = claim(s, "one", 1000);
        finish(s, &task, 1500);
        assert_int_equal(
            IN_COMMIT(s, check_store_add(s->store,
                                         &(struct check_new){lead.id, k, "one", ANSWER_A, false},
                                         1500)),
            API_OK);
    }
    assert_int_equal(claim_check(s, "one", &second), API_NOT_FOUND); /* it is its own answer */
    assert_int_equal(claim_check(s, "two", &second), API_OK);
    assert_int_equal(second.task, 1);
    struct task_holder own = holder(&second);
    assert_int_equal(IN_COMMIT(s, check_store_answer(s->store, &own, ANSWER_A, 3000)), API_OK);
    assert_int_equal(check_store_dispute(s->reader, &dispute), API_NOT_FOUND);
    job_claim_free(&second);

    assert_int_equal(claim_check(s, "two", &second), API_OK);
    own = holder(&second);
    assert_int_equal(IN_COMMIT(s, check_store_answer(s->store, &own, ANSWER_B, 3000)), API_OK);
    assert_int_equal(IN_COMMIT(s, check_store_answer(s->store, &own, ANSWER_A, 3000)),
                     API_LEASE_LOST);
    assert_int_equal(check_store_dispute(s->reader, &dispute), API_OK);
    assert_int_equal(dispute.claim.task, 2);
    assert_string_equal(dispute.node, "one");
    assert_string_equal(dispute.checker, "two");
    assert_string_equal(dispute.checker_answer, ANSWER_B);
    job_claim_free(&dispute.claim);
    job_claim_free(&second);
    job_claim_free(&lead);
}

static void what_a_liar_did_in_running_jobs_waits_again(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = led(s, 4);
    json_t *gone = json_array(), *jobs, *open;
    int64_t merged;

    for (int k = 1; k <= 4; k++) { /* the liar does 2 and 4, and 2 is merged */
        struct job_claim task = claim(s, k % 2 == 0 ? "liar" : "good", 1000);
        const struct task_holder own = holder(&task);
        char path[16];
        snprintf(path, sizeof path, "task-%d.x", k);
        assert_int_equal(IN_COMMIT(s, task_store_output(s->store, &own, path, ANSWER_A, 7)),
                         API_OK);
        finish(s, &task, 1500);
    }
    assert_int_equal(IN_COMMIT(s, task_store_merge(s->store, lead.id, lead.token, 3, gone)),
                     API_OK);
    assert_int_equal(IN_COMMIT(s, check_store_redo(s->store, "liar", 2000, &jobs)), API_OK);
    assert_int_equal(json_array_size(jobs), 1);
    const json_t *files = json_object_get(json_array_get(jobs, 0), "files");
    assert_int_equal(json_array_size(files), 1); /* those of merged ones are gone */
    assert_string_equal(json_string_value(json_array_get(files, 0)), "task-4.x");
    assert_int_equal(task_store_open(s->reader, lead.id, &merged, &open), API_OK);
    assert_int_equal(merged, 1);
    for (int k = 2; k <= 4; k++) { /* 3 was good, but its file is gone */
        struct job_claim task = claim(s, "good", 3000);
        assert_int_equal(task.task, k);
        finish(s, &task, 3500);
    }
    json_decref(open);
    json_decref(jobs);
    json_decref(gone);
    job_claim_free(&lead);
}

/* A result that is out stays, and the history of the job tells; in the history of a running one,
 * that tasks are done again. A lead that cannot do so hears who lied. */
static void jobs_remember_who_lied(void **state)
{
    struct stage *s = *state;
    struct job_claim ended = led(s, 1), task = claim(s, "liar", 1000), lead;
    json_t *jobs, *events;
    char node[TASK_NODE_MAX] = "";

    finish(s, &task, 1500);
    assert_int_equal(IN_COMMIT(s, job_store_finish(s->store, ended.id, ended.token,
                                                   "{\"pentanomial\":[0,0,0,0,0]}", false, 1600)),
                     API_OK);
    lead = led(s, 2);
    task = claim(s, "liar", 1700);
    finish(s, &task, 1800);
    assert_int_equal(task_store_liar(s->reader, lead.id, node), API_NOT_FOUND);
    assert_int_equal(IN_COMMIT(s, check_store_redo(s->store, "liar", 2000, &jobs)), API_OK);
    assert_int_equal(json_array_size(jobs), 1);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(jobs, 0), "job")), lead.id);
    json_decref(jobs);
    assert_string_equal(stage_events(s, ended.id), "added leased done doubted");
    assert_string_equal(stage_events(s, lead.id), "added leased redone");
    assert_int_equal(job_store_history(s->reader, ended.id, &events), API_OK);
    const char *detail = json_string_value(
        json_object_get(json_array_get(events, json_array_size(events) - 1), "detail"));
    assert_non_null(strstr(detail, "node liar"));
    assert_non_null(strstr(detail, "task 1: the result may be wrong"));
    json_decref(events);
    assert_int_equal(task_store_liar(s->reader, lead.id, node), API_OK);
    assert_string_equal(node, "liar");
    job_claim_free(&lead);
    job_claim_free(&ended);
}

static enum api_error try_claim(struct stage *s, const struct task_wish *wish, int64_t now_ms,
                                struct job_claim *ret_claim)
{
    return IN_COMMIT(s, task_store_claim(s->store, wish, now_ms, 60000, ret_claim));
}

static void refuse(struct stage *s, const struct job_claim *lead, int64_t number, int64_t now_ms)
{
    json_t *gone = json_array();
    enum task_state now;

    assert_int_equal(IN_COMMIT(s, task_store_refuse(s->store, lead->id, lead->token, number,
                                                    "it is cut", now_ms, gone, &now)),
                     API_OK);
    json_decref(gone);
}

static void whose_output_was_refused_comes_after_others(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = led(s, 1), task;
    struct task_wish one = {.kinds = kinds, .node = "one", .cores = 2},
                     here = {.kinds = kinds, .node = ""};
    char session[NODE_SESSION_MAX];
    int64_t due_ms;

    register_node(s, "one", session);
    task = claim(s, "one", 1000);
    finish(s, &task, 1500);
    refuse(s, &lead, 1, 1500);
    assert_int_equal(number_of(s, "one", "failed"), 1);
    /* The daemon has processes of its own, or there is another node: they come first. */
    one.daemon_works = true;
    assert_int_equal(try_claim(s, &one, 2000, &task), API_NOT_FOUND);
    one.daemon_works = false;
    register_node(s, "two", session);
    assert_int_equal(try_claim(s, &one, 2000, &task), API_NOT_FOUND);
    assert_int_equal(try_claim(s, &one, 1501 + TASK_OTHERS_MS, &task), API_OK); /* none came */
    finish(s, &task, 1502 + TASK_OTHERS_MS);
    refuse(s, &lead, 1, 2000);
    assert_int_equal(try_claim(s, &here, 2000, &task), API_OK);
    finish(s, &task, 2000);
    refuse(s, &lead, 1, 2000);
    assert_int_equal(try_claim(s, &here, 2000, &task), API_NOT_FOUND); /* nodes come first */
    assert_int_equal(task_store_next_due(s->reader, 2000, &due_ms), API_OK);
    assert_int_equal(due_ms, 2001 + TASK_OTHERS_MS);
    assert_int_equal(try_claim(s, &one, 2000, &task), API_OK); /* the last try was another's */
    job_claim_free(&task);
    job_claim_free(&lead);
}

/* Somebody does task 1 and makes these bytes, which the lead refuses. Returns the task's state. */
static enum task_state make_refused(struct stage *s, const struct job_claim *lead, const char *node,
                                    char bytes)
{
    static int64_t now_ms = 10000;
    enum task_state now;
    char sha256[65] = "";
    json_t *gone = json_array();

    now_ms += 1 + TASK_OTHERS_MS; /* none of the others has come */
    struct job_claim task = claim(s, node, now_ms);
    const struct task_holder own = holder(&task);
    memset(sha256, bytes, 64);
    assert_int_equal(IN_COMMIT(s, task_store_output(s->store, &own, "task-1.x", sha256, 7)),
                     API_OK);
    finish(s, &task, now_ms);
    assert_int_equal(IN_COMMIT(s, task_store_refuse(s->store, lead->id, lead->token, 1, "it is cut",
                                                    now_ms, gone, &now)),
                     API_OK);
    json_decref(gone);
    return now;
}

/* Asserts that the lead of the job, whose only task has failed for good, hears this. */
static void assert_failed_with(struct stage *s, struct job_claim *lead, const char *why)
{
    json_t *lines;

    assert_int_equal(task_store_news(s->reader, lead->id, 1, &lines), API_OK);
    const json_t *line = json_array_get(lines, 0);
    assert_string_equal(json_string_value(json_object_get(line, "code")), "bad-output");
    if (!strstr(json_string_value(json_object_get(line, "detail")), why))
        fail_msg("%s", json_string_value(json_object_get(line, "detail")));
    json_decref(lines);
    job_claim_free(lead);
}

/* Then the program is wrong, which more tries do not change. Other bytes show nothing. */
static void nobody_is_blamed_for_bytes_that_others_make_too(void **state)
{
    struct stage *s = *state;
    char session[NODE_SESSION_MAX];
    struct job_claim lead = led(s, 1);

    register_node(s, "one", session);
    register_node(s, "two", session);
    assert_int_equal(make_refused(s, &lead, "one", 'a'), TASK_READY);
    assert_int_equal(make_refused(s, &lead, "", 'b'), TASK_READY);
    assert_int_equal(number_of(s, "one", "failed"), 1);
    assert_int_equal(make_refused(s, &lead, "", 'a'), TASK_FAILED);
    assert_int_equal(number_of(s, "one", "failed"), 0);
    assert_failed_with(s, &lead, "2 tries made the same bytes, so the program is at fault");

    lead = led(s, 1);
    assert_int_equal(make_refused(s, &lead, "one", 'a'), TASK_READY);
    assert_int_equal(make_refused(s, &lead, "two", 'a'), TASK_READY);
    assert_int_equal(number_of(s, "two", "failed"), 1);
    assert_int_equal(make_refused(s, &lead, "one", 'a'), TASK_FAILED);
    assert_int_equal(number_of(s, "one", "failed"), 0);
    assert_int_equal(number_of(s, "two", "failed"), 0);
    assert_failed_with(s, &lead, "3 tries made the same bytes");
}

static void a_node_that_repeats_its_lie_is_blamed(void **state)
{
    struct stage *s = *state;
    char session[NODE_SESSION_MAX];
    struct job_claim lead = led(s, 1);

    register_node(s, "one", session);
    for (int k = 1; k < JOB_ATTEMPTS; k++)
        assert_int_equal(make_refused(s, &lead, "one", 'a'), TASK_READY);
    assert_int_equal(make_refused(s, &lead, "one", 'a'), TASK_FAILED);
    assert_int_equal(number_of(s, "one", "failed"), JOB_ATTEMPTS);
    assert_failed_with(s, &lead, "after 5 tries, the last one by one");
}

static void a_second_answer_goes_with_the_output_that_it_is_about(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = led(s, 1), task = claim(s, "one", 1000), second;

    finish(s, &task, 1500);
    assert_int_equal(
        IN_COMMIT(s, check_store_add(
                         s->store, &(struct check_new){lead.id, 1, "one", ANSWER_A, false}, 1500)),
        API_OK);
    refuse(s, &lead, 1, 1600);
    assert_int_equal(claim_check(s, "two", &second), API_NOT_FOUND);
    task = claim(s, "three", 2000);
    finish(s, &task, 2500);
    assert_int_equal(
        IN_COMMIT(s,
                  check_store_add(s->store,
                                  &(struct check_new){lead.id, 1, "three", ANSWER_B, false}, 2500)),
        API_OK);
    assert_int_equal(claim_check(s, "one", &second), API_OK); /* the new one is checked */
    job_claim_free(&second);
    job_claim_free(&lead);
}

static void give_second_answer(struct stage *s, int64_t number, const char *node,
                               const char *answer)
{
    struct job_claim second;

    assert_int_equal(claim_check(s, node, &second), API_OK);
    assert_int_equal(second.task, number);
    const struct task_holder own = holder(&second);
    assert_int_equal(IN_COMMIT(s, check_store_answer(s->store, &own, answer, 1700)), API_OK);
    job_claim_free(&second);
}

/* Does a task and has its answer drawn for a check. */
static void do_checked(struct stage *s, int64_t number, const char *node, const char *answer,
                       int64_t now_ms)
{
    struct job_claim task = claim(s, node, now_ms);
    const int64_t job = task.id;

    assert_int_equal(task.task, number);
    finish(s, &task, now_ms);
    assert_int_equal(
        IN_COMMIT(s, check_store_add(
                         s->store, &(struct check_new){job, number, node, answer, false}, now_ms)),
        API_OK);
}

static void assert_counts(struct stage *s, int64_t open, int64_t agreed)
{
    int64_t found[2];

    assert_int_equal(check_store_counts(s->reader, &found[0], &found[1]), API_OK);
    assert_int_equal(found[0], open);
    assert_int_equal(found[1], agreed);
}

/* A liar does task 1, which is found out; task 2 was confirmed, and is done again after it. */
static struct job_claim redone(struct stage *s)
{
    struct job_claim lead = led(s, 2);
    json_t *gone = json_array(), *jobs;

    do_checked(s, 1, "liar", ANSWER_A, 1000);
    give_second_answer(s, 1, "two", ANSWER_B);
    do_checked(s, 2, "one", ANSWER_A, 1000);
    give_second_answer(s, 2, "two", ANSWER_A);
    assert_counts(s, 1, 1);
    assert_int_equal(IN_COMMIT(s, task_store_merge(s->store, lead.id, lead.token, 2, gone)),
                     API_OK);
    assert_int_equal(IN_COMMIT(s, check_store_settle(s->store, lead.id, 1, "liar", 1800)), API_OK);
    assert_counts(s, 0, 1);
    assert_int_equal(IN_COMMIT(s, check_store_redo(s->store, "liar", 2000, &jobs)), API_OK);
    assert_int_equal(json_array_size(jobs), 1);
    assert_counts(s, 0, 0);
    json_decref(jobs);
    json_decref(gone);
    return lead;
}

static void what_is_done_again_may_be_checked_again(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = redone(s);

    do_checked(s, 1, "three", ANSWER_B, 3000);
    do_checked(s, 2, "three", ANSWER_A, 3000);
    assert_counts(s, 2, 0);
    give_second_answer(s, 1, "one", ANSWER_B);
    give_second_answer(s, 2, "one", ANSWER_A);
    assert_counts(s, 0, 2);
    job_claim_free(&lead);
}

/* What two nodes said of the first answers says nothing of the next ones. */
static void what_is_done_again_is_not_confirmed_by_earlier_checks(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = redone(s);
    json_t *jobs;

    for (int k = 1; k <= 2; k++) {
        struct job_claim task = claim(s, "three", 3000);
        finish(s, &task, 3500);
    }
    assert_int_equal(IN_COMMIT(s, check_store_redo(s->store, "three", 4000, &jobs)), API_OK);
    assert_int_equal(json_array_size(jobs), 1);
    json_decref(jobs);
    for (int k = 1; k <= 2; k++) {
        struct job_claim task = claim(s, "one", 5000);
        assert_int_equal(task.task, k);
        finish(s, &task, 5500);
    }
    job_claim_free(&lead);
}

/* Two nodes may agree about an output that is gone when the lead looks. */
static void a_confirmed_output_that_is_refused_may_be_checked_again(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = led(s, 1);

    do_checked(s, 1, "one", ANSWER_A, 1000);
    give_second_answer(s, 1, "two", ANSWER_A);
    assert_counts(s, 0, 1);
    refuse(s, &lead, 1, 1600);
    struct job_claim task = claim(s, "three", 2000);
    finish(s, &task, 2500);
    assert_int_equal(
        IN_COMMIT(s,
                  check_store_add(s->store,
                                  &(struct check_new){lead.id, 1, "three", ANSWER_A, false}, 2500)),
        API_OK);
    give_second_answer(s, 1, "one", ANSWER_A);
    assert_counts(s, 0, 1);
    job_claim_free(&lead);
}

static void confirmed_tasks_of_a_liar_stay(void **state)
{
    struct stage *s = *state;
    struct job_claim lead = led(s, 2), second;
    const struct task_wish wish = {.kinds = kinds, .node = "good"};
    json_t *jobs;

    for (int k = 1; k <= 2; k++) {
        struct job_claim task = claim(s, "liar", 1000);
        finish(s, &task, 1500);
    }
    assert_int_equal(
        IN_COMMIT(s, check_store_add(
                         s->store, &(struct check_new){lead.id, 1, "liar", ANSWER_A, false}, 1500)),
        API_OK);
    assert_int_equal(claim_check(s, "good", &second), API_OK);
    const struct task_holder own = holder(&second);
    assert_int_equal(IN_COMMIT(s, check_store_answer(s->store, &own, ANSWER_A, 3000)), API_OK);
    job_claim_free(&second);
    assert_int_equal(IN_COMMIT(s, check_store_redo(s->store, "liar", 4000, &jobs)), API_OK);
    json_decref(jobs);
    struct job_claim task = claim(s, "good", 5000);
    assert_int_equal(task.task, 2);
    job_claim_free(&task);
    assert_int_equal(IN_COMMIT(s, task_store_claim(s->store, &wish, 5000, 1000, &task)),
                     API_NOT_FOUND);
    job_claim_free(&lead);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_name_is_of_the_caller_who_took_it_first, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(
            a_process_that_takes_the_name_gives_back_what_the_one_before_did, stage_open,
            stage_close),
        cmocka_unit_test_setup_teardown(tries_that_the_node_does_not_know_go_back, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(states_of_nodes_move_as_the_table_says, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(a_task_that_takes_too_long_is_given_out_once_more,
                                        stage_open, stage_close),
        cmocka_unit_test_setup_teardown(another_node_confirms_or_disputes, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(what_a_liar_did_in_running_jobs_waits_again, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(jobs_remember_who_lied, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(whose_output_was_refused_comes_after_others, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(nobody_is_blamed_for_bytes_that_others_make_too, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(a_node_that_repeats_its_lie_is_blamed, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(a_second_answer_goes_with_the_output_that_it_is_about,
                                        stage_open, stage_close),
        cmocka_unit_test_setup_teardown(what_is_done_again_may_be_checked_again, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(what_is_done_again_is_not_confirmed_by_earlier_checks,
                                        stage_open, stage_close),
        cmocka_unit_test_setup_teardown(a_confirmed_output_that_is_refused_may_be_checked_again,
                                        stage_open, stage_close),
        cmocka_unit_test_setup_teardown(confirmed_tasks_of_a_liar_stay, stage_open, stage_close),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
