/* Holds claims of nodes and answers them. See node_claims.h. */
#include "service/nodes/node_claims.h"

#include "api/base/build_json.h"
#include "api/base/clock.h"
#include "api/base/load_json.h"
#include "api/jobs/job_kinds.h"
#include "service/base/callers.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/log.h"
#include "service/http/http.h"
#include "service/jobs/job_line.h"
#include "service/jobs/supervisor.h"
#include "service/nodes/blobs.h"
#include "service/nodes/judge.h"
#include "service/nodes/node_line.h"
#include "service/store/checks.h"
#include "service/store/nodes.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TICK_MS = 1000,
    TIDY_TICKS = 60, /* from one look at old blobs to the next */
    WHY_MAX = 600,
    GRANTS_MOST = 8 /* in one transaction */
};

/* A request that waits. */
struct claim {
    TAILQ_ENTRY(claim) link;
    struct node_claims *all;
    struct http_request *request;
    double until_s; /* CLOCK_MONOTONIC */
    bool is_new;    /* its node has still to be looked up */

    /* of its node, once that was looked up */
    char *kinds_text;
    json_t *kinds;
    const char *names[JOB_KINDS_MAX + 1];
    int64_t cores;
    bool takes_tasks; /* the node is active */

    /* what a pass found; told after the commit */
    bool is_answered;
    enum api_error error;
    char why[WHY_MAX];
    json_t *answer; /* NULL and API_OK: 204 */
};

struct node_claims {
    const struct base *base;
    struct supervisor *supervisor;
    char data[PATH_MAX];
    TAILQ_HEAD(claim_list, claim) waiting, fresh; /* fresh: no pass has looked at them yet */
    bool is_woken;                                /* the next pass looks at those that wait, too */
    atomic_int count;
    struct core_task task, scan;
    bool passes, passes_again, scans, stopped;
    bool has_granted; /* a task, since the supervisor was last woken for it */
    json_t *news;     /* [[job, lines]] that leads have to hear after the commit */
    int64_t cores;    /* of active nodes, at the last scan */
    int64_t lost;     /* tries that ended in the scan */
    int64_t disputes; /* that the scan found */
    uv_timer_t tick;
    struct judge *judge;
    struct blob_shares *shares; /* the caller's */
    uv_work_t tidying;          /* blobs, on a thread of the loop's pool */
    bool tidies;
    int ticks;
};

static struct node_claims *claims_of(struct core_task *task)
{
    return (struct node_claims *)((char *)task - offsetof(struct node_claims, task));
}

static struct node_claims *claims_of_scan(struct core_task *task)
{
    return (struct node_claims *)((char *)task - offsetof(struct node_claims, scan));
}

/* ---- ending one ---- */

static void drop(struct claim *claim)
{
    TAILQ_REMOVE(claim->is_new ? &claim->all->fresh : &claim->all->waiting, claim, link);
    atomic_fetch_sub(&claim->all->count, 1);
    json_decref(claim->kinds);
    json_decref(claim->answer);
    free(claim->kinds_text);
    free(claim);
}

/* Answers as the pass found. */
static void answer(struct claim *claim)
{
    struct http_request *request = claim->request;

    if (claim->error != API_OK)
        http_problem(request, claim->error, *claim->why ? claim->why : NULL);
    else if (claim->answer)
        http_json(request, 200, json_incref(claim->answer));
    else
        http_no_content(request);
    http_release(request);
    drop(claim);
}

static void on_hung_up(struct http_request *request, void *context)
{
    struct claim *claim = context;

    (void)request;
    claim->error = API_TIMEOUT; /* goes nowhere */
    answer(claim);
}

static void settle(struct claim *claim, enum api_error error, const char *why)
{
    claim->is_answered = true;
    claim->error = error;
    snprintf(claim->why, sizeof claim->why, "%s", why ? why : "");
}

/* ---- a pass ---- */

/* Takes what the pass needs of the node. */
static enum api_error take_node(struct claim *claim, const struct node_row *node)
{
    json_t *name;
    size_t k;

    json_decref(claim->kinds);
    free(claim->kinds_text);
    claim->kinds_text = strdup(node->kinds);
    claim->kinds = load_json_text(node->kinds);
    if (!claim->kinds || !claim->kinds_text)
        return API_NO_MEMORY;
    json_array_foreach(claim->kinds, k, name) if (k < JOB_KINDS_MAX)
    {
        claim->names[k] = json_string_value(name);
        claim->names[k + 1] = NULL;
    }
    claim->takes_tasks = node->state == NODE_ACTIVE;
    return API_OK;
}

static enum api_error check_node(struct claim *claim, const struct node_row *node)
{
    const struct http_request *request = claim->request;
    const char *session = json_string_value(json_object_get(request->body, "session"));
    char why[NODE_WHY_MAX];

    if (node->state == NODE_LEFT)
        settle(claim, API_NOT_FOUND, NULL);
    else if (strcmp(session, node->session) != 0)
        settle(claim, API_LEASE_LOST, "another process has registered as this node since");
    else if (node->state == NODE_SUSPENDED)
        settle(claim, API_FORBIDDEN, node->reason ? node->reason : "the node is suspended");
    else if (!node_speaks(node->protocol, why)) /* it had registered before an upgrade */
        settle(claim, API_FORBIDDEN, why);
    if (claim->is_answered)
        return API_OK;
    if (node->state == NODE_DRAINING) {
        claim->answer = json_pack("{s:s}", "wish", "drain");
        claim->is_answered = true;
        return claim->answer ? API_OK : API_NO_MEMORY;
    }
    return take_node(claim, node);
}

/* Looks up the node of a claim; its tries that it does not know go back. */
static enum api_error look_up(struct claim *claim, struct store *store, int64_t now_ms)
{
    const struct http_request *request = claim->request;
    const char *name = request->arg[0];
    struct node_row node;
    int released;
    enum api_error error = node_store_find(store, name, &node);

    if (error == API_NOT_FOUND) {
        settle(claim, API_NOT_FOUND, NULL);
        return API_OK;
    }
    if (error != API_OK)
        return error;
    error = check_node(claim, &node);
    bool is_old = node.last_seen_ms < now_ms - NODE_SEEN_MS;
    node_row_free(&node);
    if (error != API_OK || claim->is_answered)
        return error;
    if (is_old)
        error = node_store_seen(store, name, now_ms);
    if (error == API_OK)
        error = node_store_keep(store, name, json_object_get(request->body, "tokens"), now_ms,
                                &released);
    if (error == API_OK)
        error = check_store_keep(store, name, json_object_get(request->body, "tokens"));
    return error;
}

static int64_t cores_max(void *context, const char *owner)
{
    return callers_limits(context, owner).cores;
}

/* The task cannot be done anywhere as it is. */
static enum api_error refuse_task(struct node_claims *claims, struct store *store,
                                  const struct task_holder *holder, const char *code,
                                  const char *detail, bool retryable, int64_t now_ms)
{
    const struct job_failure failure = {code, detail, retryable, false, false};
    enum task_state state;
    json_t *lines;
    enum api_error error = task_store_fail(store, holder, &failure, now_ms, &state);

    if (error == API_LEASE_LOST) /* a check */
        return check_store_give_back(store, holder);
    if (error == API_OK)
        error = task_store_news(store, holder->job, holder->number, &lines);
    if (error != API_OK)
        return error;
    return build_append(claims->news, json_pack("[I, o]", (json_int_t)holder->job, lines))
               ? API_OK
               : API_NO_MEMORY;
}

/* Makes the answer that gives the node its task. */
static enum api_error give_task(struct claim *claim, struct store *store, struct job_claim *task,
                                int64_t cores, int64_t now_ms)
{
    struct node_claims *claims = claim->all;
    const struct task_holder holder = {task->id, task->task, task->token};
    struct job_lines lines = {.job = NULL};
    char missing[NODE_LINE_MISSING_MAX] = "", detail[NODE_LINE_MISSING_MAX + 64];
    json_t *files = NULL;
    enum api_error error = job_line_make(store, claims->data, task, 1, now_ms, &lines);

    if (error != API_OK)
        return error;
    if (*lines.why.text) {
        error = refuse_task(claims, store, &holder, lines.why.code, lines.why.text, false, now_ms);
        json_decref(lines.job);
        return error;
    }
    error = node_line_prepare(claims->data, task->id, lines.job, &files, missing);
    if (error == API_NOT_FOUND) {
        snprintf(detail, sizeof detail, "a file that the task needs is gone: %s", missing);
        error = refuse_task(claims, store, &holder, "no-file", detail, true, now_ms);
        json_decref(lines.job);
        return error;
    }
    if (error != API_OK) {
        json_decref(lines.job);
        return error;
    }
    claim->answer =
        json_pack("{s:{s:I, s:I, s:s, s:s, s:I, s:i, s:o, s:o}}", "task", "job",
                  (json_int_t)task->id, "number", (json_int_t)task->task, "token", task->token,
                  "kind", task->kind, "cores", (json_int_t)cores, "lease_ms",
                  claims->base->config->node_lease_ms, "line", lines.job, "files", files);
    claim->is_answered = claim->answer != NULL;
    return claim->answer ? API_OK : API_NO_MEMORY;
}

static enum api_error claim_task(struct claim *claim, struct store *store, int64_t now_ms)
{
    const struct base *base = claim->all->base;
    const struct job_limits limits = {cores_max, base->callers};
    const struct task_wish wish = {.kinds = claim->names,
                                   .node = claim->request->arg[0],
                                   .cores = claim->cores,
                                   .limits = &limits,
                                   .daemon_works = base->config->workers > 0};
    const int64_t lease_ms = base->config->node_lease_ms;
    struct job_claim task = {.id = 0};
    struct node_try try = {.cores = 1};
    enum api_error error = check_store_claim(store, &wish, now_ms, lease_ms, &task, &try.cores);

    if (error == API_NOT_FOUND) {
        error = task_store_claim(store, &wish, now_ms, lease_ms, &task);
        if (error == API_NOT_FOUND)
            error = task_store_claim_late(store, &wish, now_ms, lease_ms, &task);
        const struct task_holder holder = {task.id, task.task, task.token};
        if (error == API_OK)
            error = node_store_try(store, &holder, &try);
    }
    if (error == API_OK)
        error = give_task(claim, store, &task, try.cores, now_ms);
    job_claim_free(&task);
    return error;
}

/* Claims that found nothing in this pass: others that want no more find nothing either. */
struct fruitless {
    const char *kinds; /* NULL: none yet */
    int64_t cores;
};

static bool is_fruitless(const struct fruitless *found, const struct claim *claim)
{
    return found->kinds && claim->cores <= found->cores &&
           strcmp(claim->kinds_text, found->kinds) == 0;
}

/* Looks at the claims of a list, with what the pass has found so far. */
static enum api_error look_at(struct node_claims *claims, struct store *store,
                              const struct claim_list *list, struct fruitless *fruitless,
                              int *grants)
{
    int64_t now_ms = core_now_ms(claims->base->core);
    struct claim *claim;

    TAILQ_FOREACH (claim, list, link) {
        enum api_error error = claim->is_new ? look_up(claim, store, now_ms) : API_OK;
        if (error != API_OK)
            return error;
        if (claim->is_answered || !claim->takes_tasks || is_fruitless(fruitless, claim))
            continue;
        if (*grants == GRANTS_MOST) {
            claims->is_woken = claims->passes_again = true;
            continue;
        }
        error = claim_task(claim, store, now_ms);
        if (error == API_NOT_FOUND)
            *fruitless = (struct fruitless){claim->kinds_text, claim->cores};
        else if (error != API_OK)
            return error;
        else
            (*grants)++;
    }
    return API_OK;
}

static enum api_error run_pass(struct core_task *task, struct store *store)
{
    struct node_claims *claims = claims_of(task);
    struct fruitless fruitless = {.kinds = NULL};
    enum api_error error = API_OK;
    bool is_woken = claims->is_woken;
    int grants = 0;

    claims->is_woken = false;
    json_array_clear(claims->news);
    if (is_woken)
        error = look_at(claims, store, &claims->waiting, &fruitless, &grants);
    if (error == API_OK)
        error = look_at(claims, store, &claims->fresh, &fruitless, &grants);
    claims->has_granted |= grants > 0;
    return error;
}

static void tell_leads(struct node_claims *claims)
{
    json_t *row;
    size_t k;

    json_array_foreach(claims->news, k, row) supervisor_tell_lead(
        claims->supervisor, json_integer_value(json_array_get(row, 0)), json_array_get(row, 1));
    json_array_clear(claims->news);
}

static void pass(struct node_claims *claims);

/* Answers those for which the pass has found an answer; a pass that failed has found the same
 * error for all that were new. */
static void tell(struct claim_list *list, enum api_error result)
{
    for (struct claim *claim = TAILQ_FIRST(list), *next; claim; claim = next) {
        next = TAILQ_NEXT(claim, link);
        if (result != API_OK && (claim->is_answered || claim->is_new)) {
            json_decref(claim->answer);
            claim->answer = NULL;
            settle(claim, result, NULL);
        }
        if (claim->is_answered) {
            answer(claim);
        } else if (claim->is_new && claim->kinds) {
            TAILQ_REMOVE(&claim->all->fresh, claim, link);
            claim->is_new = false;
            TAILQ_INSERT_TAIL(&claim->all->waiting, claim, link);
        }
    }
}

static void finish_pass(struct core_task *task, enum api_error result)
{
    struct node_claims *claims = claims_of(task);

    claims->passes = false;
    if (result == API_OK)
        tell_leads(claims);
    tell(&claims->waiting, result);
    tell(&claims->fresh, result);
    /* Those that wait have nothing to do, and fewer tasks are left: another lead may start. */
    if (claims->has_granted && !TAILQ_EMPTY(&claims->waiting)) {
        claims->has_granted = false;
        supervisor_wake(claims->supervisor);
    }
    if (claims->passes_again)
        pass(claims);
}

static void pass(struct node_claims *claims)
{
    if (claims->stopped || (TAILQ_EMPTY(&claims->waiting) && TAILQ_EMPTY(&claims->fresh)))
        return;
    claims->passes_again = claims->passes;
    if (claims->passes)
        return;
    claims->passes = true;
    claims->task = (struct core_task){.writes = true, .run = run_pass, .finish = finish_pass};
    core_submit_own(claims->base->core, &claims->task);
}

void node_claims_wake(struct node_claims *claims)
{
    claims->is_woken = true;
    pass(claims);
}

void node_claims_wake_all(struct node_claims *claims)
{
    struct claim *claim;

    while ((claim = TAILQ_FIRST(&claims->waiting)) != NULL) {
        TAILQ_REMOVE(&claims->waiting, claim, link);
        json_decref(claim->kinds);
        claim->kinds = NULL;
        claim->is_new = true;
        TAILQ_INSERT_TAIL(&claims->fresh, claim, link);
    }
    pass(claims);
}

/* ---- parking ---- */

/* A node asks one thing at a time: the answer to what it asked before has not reached it. */
static bool end_earlier(struct claim_list *list, const char *name)
{
    struct claim *claim;

    TAILQ_FOREACH (claim, list, link)
        if (strcmp(claim->request->arg[0], name) == 0 && !claim->is_answered) {
            answer(claim);
            return true;
        }
    return false;
}

enum api_error node_claims_park(struct node_claims *claims, struct http_request *request)
{
    struct claim *claim = claims->stopped ? NULL : calloc(1, sizeof *claim);
    int64_t wait_s = json_integer_value(json_object_get(request->body, "wait_s"));

    if (!claim)
        return claims->stopped ? API_DRAINING : API_NO_MEMORY;
    if (!end_earlier(&claims->fresh, request->arg[0]))
        end_earlier(&claims->waiting, request->arg[0]);
    claim->all = claims;
    claim->request = request;
    claim->is_new = true;
    claim->cores = json_integer_value(json_object_get(request->body, "cores"));
    claim->until_s = clock_now_s() + (double)wait_s;
    enum api_error error = http_hold(request, on_hung_up, claim);
    if (error != API_OK) {
        free(claim);
        return error;
    }
    TAILQ_INSERT_TAIL(&claims->fresh, claim, link);
    atomic_fetch_add(&claims->count, 1);
    pass(claims);
    return API_OK;
}

int node_claims_waiting(const struct node_claims *claims)
{
    return atomic_load(&claims->count);
}

/* ---- once a second ---- */

static enum api_error run_scan(struct core_task *task, struct store *store)
{
    struct node_claims *claims = claims_of_scan(task);
    int64_t counts[NODE_STATE_COUNT], now_ms = core_now_ms(claims->base->core);
    enum api_error error = task_store_expire(store, now_ms, &claims->lost);

    if (error == API_OK)
        error = check_store_tidy(store, now_ms);
    if (error == API_OK)
        error = check_store_disputes(store, &claims->disputes);
    return error == API_OK ? node_store_counts(store, now_ms, counts, &claims->cores) : error;
}

static void finish_scan(struct core_task *task, enum api_error result)
{
    struct node_claims *claims = claims_of_scan(task);

    claims->scans = false;
    if (result != API_OK || claims->stopped)
        return;
    if (claims->lost > 0)
        log_line(LOG_WARNING, "tasks of silent nodes go to others",
                 log_whole("tasks", claims->lost));
    supervisor_set_nodes(claims->supervisor, (int)claims->cores);
    if (claims->disputes > 0 || judge_is_busy(claims->judge)) /* its worker may be late */
        judge_wake(claims->judge);
    if (claims->lost > 0)
        supervisor_wake(claims->supervisor);
    node_claims_wake(claims); /* a task may wait for its time */
}

static void end_old(struct claim_list *list, double now_s)
{
    for (struct claim *claim = TAILQ_FIRST(list), *next; claim; claim = next) {
        next = TAILQ_NEXT(claim, link);
        if (now_s >= claim->until_s && !claim->is_answered)
            answer(claim);
    }
}

static void run_tidying(uv_work_t *work)
{
    const struct node_claims *claims = work->data;

    blobs_tidy(claims->data, claims->shares, core_now_ms(claims->base->core));
}

static void on_tidied(uv_work_t *work, int status)
{
    struct node_claims *claims = work->data;

    (void)status;
    claims->tidies = false;
}

static void tidy(struct node_claims *claims)
{
    if (claims->tidies || ++claims->ticks < TIDY_TICKS)
        return;
    claims->ticks = 0;
    claims->tidying.data = claims;
    claims->tidies =
        uv_queue_work(core_loop(claims->base->core), &claims->tidying, run_tidying, on_tidied) == 0;
}

static void on_tick(uv_timer_t *timer)
{
    struct node_claims *claims = timer->data;

    end_old(&claims->waiting, clock_now_s());
    if (claims->scans || claims->stopped)
        return;
    tidy(claims);
    claims->scans = true;
    claims->scan = (struct core_task){.writes = true, .run = run_scan, .finish = finish_scan};
    core_submit_own(claims->base->core, &claims->scan);
}

static void on_suspended(void *claims)
{
    node_claims_wake_all(claims);
}

static void on_ready(void *claims)
{
    node_claims_wake(claims);
}

struct node_claims *node_claims_start(const struct base *base, struct supervisor *supervisor,
                                      struct blob_shares *shares)
{
    struct node_claims *claims = calloc(1, sizeof *claims);

    if (claims) {
        claims->news = json_array();
        claims->judge = judge_new(base, supervisor, on_suspended, claims);
    }
    if (!claims || !claims->news || !claims->judge || !realpath(base->config->data, claims->data)) {
        judge_free(claims ? claims->judge : NULL);
        json_decref(claims ? claims->news : NULL);
        free(claims);
        return NULL;
    }
    claims->base = base;
    claims->supervisor = supervisor;
    claims->shares = shares;
    TAILQ_INIT(&claims->waiting);
    TAILQ_INIT(&claims->fresh);
    uv_timer_init(core_loop(base->core), &claims->tick);
    claims->tick.data = claims;
    uv_timer_start(&claims->tick, on_tick, TICK_MS, TICK_MS);
    supervisor_watch(supervisor, on_ready, claims);
    return claims;
}

void node_claims_stop(struct node_claims *claims)
{
    struct claim *claim;

    if (claims->stopped)
        return;
    claims->stopped = true;
    uv_timer_stop(&claims->tick);
    judge_stop(claims->judge);
    while ((claim = TAILQ_FIRST(&claims->waiting)) != NULL ||
           (claim = TAILQ_FIRST(&claims->fresh)) != NULL) {
        json_decref(claim->answer);
        claim->answer = NULL;
        settle(claim, API_DRAINING, NULL);
        answer(claim);
    }
}

static void on_closed(uv_handle_t *handle)
{
    struct node_claims *claims = handle->data;

    json_decref(claims->news);
    judge_free(claims->judge);
    free(claims);
}

bool node_claims_are_busy(const struct node_claims *claims)
{
    return claims->tidies || judge_is_busy(claims->judge);
}

void node_claims_free(struct node_claims *claims)
{
    if (claims)
        uv_close((uv_handle_t *)&claims->tick, on_closed);
}
