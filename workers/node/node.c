/* Registers, claims, waits, ends. See node.h. */
#include "workers/node/node.h"

#include "api/base/clock.h"
#include "api/base/time_text.h"
#include "api/base/utf8.h"
#include "api/jobs/wire.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
    WAIT_S = 30,    /* that a claim may wait for a task */
    RETRY_S = 2,    /* after a request that failed */
    BUSY_MS = 100,  /* a turn of the loop with tasks */
    IDLE_MS = 1000, /* and without */
    FDS_MAX = 1 + 2 * NODE_CORES_MAX,
    LEASE_S = 30 /* until the service has told */
};

void node_say(const char *format, ...)
{
    char now[TIME_TEXT_MAX], text[1200];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    utf8_make_line(text);
    if (!time_write(clock_wall_ms(), now))
        now[0] = '\0';
    fprintf(stderr, "%s %s\n", now, text);
}

void node_heard(struct node *node, bool answers, const char *reason)
{
    if (!answers && !node->is_silent)
        node_say("no answer from %s: %s; trying again", node->options->url, reason);
    if (answers && node->is_silent)
        node_say("%s answers again", node->options->url);
    node->is_silent = !answers;
}

void node_route(const struct node *node, const char *verb, char ret_path[NODE_ROUTE_MAX])
{
    snprintf(ret_path, NODE_ROUTE_MAX, "/v1/nodes/%s/%s", node->options->name, verb);
}

int64_t node_free_cores(const struct node *node)
{
    const int64_t cores = node->options->cores;
    int64_t taken = 0, reported = 0, tasks = 0;

    for (const struct node_task *task = node->tasks; task; task = task->next) {
        tasks += task->phase != TASK_OVER;
        taken += task->phase < TASK_REPORTS ? task->cores : 0;
        reported += task->phase == TASK_REPORTS ? task->cores : 0;
    }
    if (tasks >= NODE_CORES_MAX) /* a request tells of no more */
        return 0;
    return cores - taken - (reported > cores ? reported - cores : 0);
}

void node_drain(struct node *node, int status)
{
    if (node->status == 0)
        node->status = status;
    if (node->phase >= NODE_DRAINS)
        return;
    node->phase = NODE_DRAINS;
    node->drain_s = clock_now_s();
    for (struct node_task *task = node->tasks; task; task = task->next)
        task_tell(task, TASK_TOLD_DRAIN);
}

bool node_is_refused(struct node *node, const struct client_answer *answer)
{
    const char *type = json_string_value(json_object_get(answer->json, "type"));

    if (answer->status != 401 && answer->status != 403 &&
        !(answer->status == 409 && type && strstr(type, "lease-lost")))
        return false;
    node_say("refused by the service: %s", answer->reason);
    for (struct node_task *task = node->tasks; task; task = task->next)
        task_stop(task);
    node->status = EXIT_REFUSED;
    node->phase = NODE_OVER;
    return true;
}

/* ---- registering ---- */

static void say_refused(const json_t *refused)
{
    const json_t *row;
    size_t k;

    json_array_foreach(refused, k, row)
        node_say("no %s here: %s", json_string_value(json_object_get(row, "kind")),
                 json_string_value(json_object_get(row, "reason")));
}

static void on_registered(void *context, const struct client_answer *answer)
{
    struct node *node = context;
    const char *session = json_string_value(json_object_get(answer->json, "session"));
    const json_t *kinds = json_object_get(answer->json, "kinds");
    double lease_ms = json_number_value(json_object_get(answer->json, "lease_ms"));

    node->registers = false;
    if (answer->status / 100 == 2 && session && strlen(session) == NODE_TOKEN_MAX - 1) {
        node_heard(node, true, NULL);
        memcpy(node->session, session, NODE_TOKEN_MAX);
        node->lease_s = lease_ms > 0 ? 1e-3 * lease_ms : LEASE_S;
        say_refused(json_object_get(answer->json, "refused"));
        if (json_array_size(kinds) == 0) {
            node_say("refused by the service for all kinds of jobs");
            node->status = EXIT_REFUSED;
            node->phase = NODE_OVER;
            return;
        }
        node_say("node %s of %s: %d cores, %zu kinds of jobs", node->options->name,
                 node->options->url, node->options->cores, json_array_size(kinds));
        if (node->phase == NODE_REGISTERS)
            node->phase = NODE_SERVES;
        node->since_s = clock_now_s();
        return;
    }
    node->retry_s =
        clock_now_s() + (answer->retry_after_s > 0 ? (double)answer->retry_after_s : RETRY_S);
    if (answer->status == 0 || answer->status == 429 || answer->status >= 500) {
        node_heard(node, false, answer->reason);
        return;
    }
    node_say("refused by the service: %s", answer->reason);
    node->status = EXIT_REFUSED;
    node->phase = NODE_OVER;
}

/* The kinds of --kinds as an array; NULL: all. */
static json_t *kinds_json(const char *text)
{
    json_t *kinds = text ? json_array() : NULL;
    char *copy = text ? strdup(text) : NULL, *rest = copy, *word;

    while (kinds && copy && (word = strsep(&rest, ",")) != NULL)
        if (*word)
            json_array_append_new(kinds, json_string(word));
    free(copy);
    return kinds;
}

static void register_node(struct node *node, double now_s)
{
    const struct node_options *options = node->options;
    int64_t memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

    if (node->registers || now_s < node->retry_s)
        return;
    json_t *body = json_pack(
        "{s:s, s:i, s:I, s:o*, s:O, s:O, s:o*, s:s*}", "name", options->name, "cores",
        options->cores, "memory_bytes", (json_int_t)memory, "kinds", kinds_json(options->kinds),
        "versions", node->versions, "golden", node->golden, "shots_per_s",
        isfinite(node->shots_per_s) ? json_real(node->shots_per_s) : NULL, "place", options->place);
    const struct client_call call = {.verb = CLIENT_POST,
                                     .path = "/v1/nodes",
                                     .body = body,
                                     .most_s = 60,
                                     .done = on_registered,
                                     .context = node};
    node->registers = body && client_begin(node->client, &call);
    if (!node->registers)
        node->retry_s = now_s + RETRY_S;
    json_decref(body);
}

/* ---- claiming ---- */

static void take_task(struct node *node, const json_t *given)
{
    struct node_task *task = task_new(node, given, clock_now_s());

    if (!task) /* the next claim does not name it, so the service takes it back */
        return;
    task->next = node->tasks;
    node->tasks = task;
    node->post_s = 0;
}

static void on_claimed(void *context, const struct client_answer *answer)
{
    struct node *node = context;
    const json_t *given = json_object_get(answer->json, "task");
    const char *wish = json_string_value(json_object_get(answer->json, "wish"));
    double now_s = clock_now_s();

    node->claims = false;
    if (answer->status == 200 || answer->status == 204) {
        node_heard(node, true, NULL);
        if (wish && strcmp(wish, "drain") == 0) {
            node_say("told to drain by the service");
            node_drain(node, 0);
        } else if (json_is_object(given) && node->phase == NODE_SERVES) {
            take_task(node, given);
        }
    } else if (answer->status == 404) {
        node->phase = node->phase == NODE_SERVES ? NODE_REGISTERS : node->phase;
    } else if (!node_is_refused(node, answer)) {
        node_heard(node, false, answer->reason);
        node->claim_s = now_s + RETRY_S;
    }
}

static json_t *tokens_json(const struct node *node)
{
    json_t *tokens = json_array();

    for (const struct node_task *task = node->tasks; task; task = task->next)
        if (task->phase != TASK_OVER)
            json_array_append_new(tokens, json_string(task->token));
    return tokens;
}

static void claim(struct node *node, double now_s)
{
    char path[NODE_ROUTE_MAX];

    if (node->claims || now_s < node->claim_s || node_free_cores(node) <= 0)
        return;
    json_t *body =
        json_pack("{s:s, s:I, s:i, s:o}", "session", node->session, "cores",
                  (json_int_t)node_free_cores(node), "wait_s", WAIT_S, "tokens", tokens_json(node));
    node_route(node, "claim", path);
    const struct client_call call = {.verb = CLIENT_POST,
                                     .path = path,
                                     .body = body,
                                     .most_s = 2 * WAIT_S,
                                     .done = on_claimed,
                                     .context = node};
    node->claims = body && client_begin(node->client, &call);
    if (!node->claims)
        node->claim_s = now_s + RETRY_S;
    json_decref(body);
}

/* ---- leaving ---- */

static void on_left(void *context, const struct client_answer *answer)
{
    struct node *node = context;

    (void)answer; /* without an answer the service notices when the lease ends */
    node->phase = NODE_OVER;
}

static void leave(struct node *node)
{
    char path[NODE_ROUTE_MAX];
    json_t *body = json_pack("{s:s}", "session", node->session);

    node->phase = NODE_LEAVES;
    node_route(node, "leave", path);
    const struct client_call call = {.verb = CLIENT_POST,
                                     .path = path,
                                     .body = body,
                                     .most_s = 3,
                                     .done = on_left,
                                     .context = node};
    if (!node->session[0] || !body || !client_begin(node->client, &call))
        node->phase = NODE_OVER;
    json_decref(body);
}

static void look_at_end(struct node *node, double now_s)
{
    const struct node_options *options = node->options;

    if (node->tasks)
        node->since_s = now_s;
    if (node->phase == NODE_SERVES && options->until_idle_s > 0 &&
        now_s - node->since_s >= options->until_idle_s) {
        node_say("nothing to do for %d s", options->until_idle_s);
        node_drain(node, 0);
    }
    if (node->phase == NODE_DRAINS && now_s - node->drain_s >= NODE_GRACE_S)
        for (struct node_task *task = node->tasks; task; task = task->next)
            if (task->phase == TASK_RUNS)
                task_end(task, NULL, NULL); /* given back without its last steps */
    if (node->phase == NODE_DRAINS && !node->tasks)
        leave(node);
    if (node->phase >= NODE_DRAINS && node->phase != NODE_OVER && node->drain_s > 0 &&
        now_s - node->drain_s >= NODE_END_S)
        node->phase = NODE_OVER;
}

/* ---- the loop ---- */

static bool is_used(const void *context, const char *sha256)
{
    const struct node *node = context;
    const json_t *file;
    size_t k;

    for (const struct node_task *task = node->tasks; task; task = task->next)
        json_array_foreach(task->files, k, file)
        {
            const char *own = json_string_value(json_object_get(file, "sha256"));
            if (own && strcmp(own, sha256) == 0)
                return true;
        }
    return false;
}

/* Frees tasks that are over, unless a request still knows them. */
static void free_over(struct node *node)
{
    struct node_task **place = &node->tasks, *task;
    bool any = false;

    while ((task = *place) != NULL) {
        if (task->phase != TASK_OVER || task->is_away) {
            place = &task->next;
            continue;
        }
        *place = task->next;
        task_free(task);
        any = true;
    }
    if (any)
        cache_tidy(node->cache, is_used, node);
}

static void take_signal(struct node *node)
{
    struct signalfd_siginfo about;

    if (read(node->signal_fd, &about, sizeof about) != (ssize_t)sizeof about ||
        about.ssi_signo == SIGCHLD)
        return;
    if (node->phase >= NODE_DRAINS) {
        node_say("ending now");
        node->phase = NODE_OVER;
        return;
    }
    node_say("signal %u: tasks are given back", about.ssi_signo);
    node_drain(node, 0);
}

static void wait_for_news(struct node *node)
{
    struct curl_waitfd fds[FDS_MAX] = {{.fd = node->signal_fd, .events = CURL_WAIT_POLLIN}};
    unsigned count = 1;

    for (const struct node_task *task = node->tasks; task; task = task->next) {
        if (task->phase != TASK_RUNS || count + 2 > FDS_MAX)
            continue;
        if (!spool_is_full(&task->spool) && !task->process.is_over && !task->has_last_word)
            fds[count++] =
                (struct curl_waitfd){.fd = task->process.line, .events = CURL_WAIT_POLLIN};
        if (task->process.log >= 0)
            fds[count++] =
                (struct curl_waitfd){.fd = task->process.log, .events = CURL_WAIT_POLLIN};
    }
    client_wait(node->client, fds, count,
                node->tasks || node->phase >= NODE_DRAINS ? BUSY_MS : IDLE_MS);
    if (fds[0].revents)
        take_signal(node);
}

int node_run(struct node *node)
{
    node->phase = NODE_REGISTERS;
    node->lease_s = LEASE_S;
    node->since_s = clock_now_s();
    while (node->phase != NODE_OVER) {
        double now_s = clock_now_s();
        for (struct node_task *task = node->tasks; task; task = task->next)
            task_step(task, now_s);
        free_over(node);
        if (node->phase == NODE_REGISTERS)
            register_node(node, now_s);
        if (node->phase == NODE_SERVES)
            claim(node, now_s);
        if (node->phase != NODE_REGISTERS)
            lines_post(node, now_s);
        look_at_end(node, now_s);
        if (node->phase != NODE_OVER)
            wait_for_news(node);
    }
    client_free(node->client); /* requests know tasks */
    node->client = NULL;
    while (node->tasks) {
        struct node_task *task = node->tasks;
        node->tasks = task->next;
        task_free(task);
    }
    return node->status;
}
