/* Carries lines to the service, and its wishes back. See node.h. */
#include "workers/node/node.h"

#include "api/base/clock.h"
#include "api/base/load_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BODY_MOST = 950000, /* bytes of lines in a request; its body has at most 1 MiB */
    BODY_LEAST = 4096,  /* so much is tried however bad the network is */
    LINES_MOST = 1000,
    EVERY_S = 1,
    REFUSED_S = 10, /* to the next claim: it may be refused, too */
    SOON_MS = 50    /* after the last request, when a task has said its last word */
};

static json_t *number_or_null(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

/* The hash of the file that a line names; NULL: it names none. */
static const char *file_of(const json_t *line)
{
    return json_string_value(json_object_get(line, "sha256"));
}

/* The bytes of lines in a request, and how many it should have at most. A single line may be
 * longer.
 */
struct body {
    size_t used, most;
};

static bool has_room(const struct body *body, size_t length)
{
    return body->used + length < (body->used == 0 ? (size_t)BODY_MOST : body->most);
}

/* Adds the lines of a task that may go now to the list; the first whose file the service has not
 * yet is where it stops. */
static bool add_lines(struct node_task *task, json_t *list, struct body *body)
{
    int64_t offset = 0, number = task->spool.dropped;
    char *text = NULL;
    size_t length;
    bool good = true;

    while (good && json_array_size(list) < LINES_MOST &&
           (text = spool_read(&task->spool, &offset, &length)) != NULL) {
        json_t *line = load_json(text, length, 0, NULL);
        const char *sha256 = file_of(line);
        bool fits = has_room(body, length);
        free(text);
        number++;
        if (!line || !fits || (sha256 && task->uploaded < number)) {
            if (line && fits)
                task_upload(task, number, sha256);
            json_decref(line);
            return line != NULL;
        }
        body->used += length + 1;
        good = json_array_append_new(list, line) == 0;
    }
    return good;
}

static json_t *task_json(struct node_task *task, struct body *body)
{
    json_t *lines = json_array();

    if (!lines || !add_lines(task, lines, body)) {
        json_decref(lines);
        return NULL;
    }
    task->posted = (int64_t)json_array_size(lines);
    return json_pack("{s:I, s:I, s:s, s:I, s:o, s:o, s:o}", "job", (json_int_t)task->job, "number",
                     (json_int_t)task->number, "token", task->token, "from",
                     (json_int_t)task->spool.dropped + 1, "lines", lines, "progress",
                     number_or_null(task->progress), "eta_s", number_or_null(task->eta_s));
}

/* ---- the answer ---- */

static struct node_task *find_task(const struct node *node, const json_t *told)
{
    const char *token = json_string_value(json_object_get(told, "token"));
    struct node_task *task = node->tasks;

    while (task && (!token || strcmp(task->token, token) != 0))
        task = task->next;
    return task;
}

static void take_wish(struct node_task *task, const json_t *told, double now_s)
{
    int64_t acknowledged = json_integer_value(json_object_get(told, "acknowledged"));
    const char *wish = json_string_value(json_object_get(told, "wish"));
    const char *reason = json_string_value(json_object_get(told, "reason"));

    task->heard_s = now_s;
    if (task->phase == TASK_OVER)
        return;
    if (wish && strcmp(wish, "stop") == 0) {
        bool is_over = task->has_last_word && task->spool.dropped == task->spool.added;
        if (!is_over)
            node_say("job %lld, task %lld: stopped%s%s", (long long)task->job,
                     (long long)task->number, reason ? ": " : "", reason ? reason : "");
        task_stop(task);
        return;
    }
    if (!spool_drop(&task->spool,
                    acknowledged < task->spool.added ? acknowledged : task->spool.added)) {
        node_say("job %lld, task %lld: its lines cannot be read any more", (long long)task->job,
                 (long long)task->number);
        task_stop(task);
        return;
    }
    if (wish && strcmp(wish, "cancel") == 0)
        task_tell(task, TASK_TOLD_CANCEL);
    else if (wish && strcmp(wish, "drain") == 0)
        task_tell(task, TASK_TOLD_DRAIN);
}

/* The request can never succeed: whoever had lines in it is stopped, and others do its task. */
static void stop_senders(struct node *node, const char *reason)
{
    node_say("lines are refused: %s", reason);
    node->claim_s = clock_now_s() + REFUSED_S;
    for (struct node_task *task = node->tasks; task; task = task->next)
        if (task->posted > 0)
            task_stop(task);
}

static void on_posted(void *context, const struct client_answer *answer)
{
    struct node *node = context;
    double now_s = clock_now_s();
    const json_t *told;
    size_t k;

    node->posts = false;
    node->post_s = now_s + EVERY_S;
    if (answer->status == 200) {
        node_heard(node, true, NULL);
        portion_was_answered(&node->body);
        json_array_foreach(json_object_get(answer->json, "tasks"), k, told)
        {
            struct node_task *task = find_task(node, told);
            if (task)
                take_wish(task, told, now_s);
        }
    } else if (answer->status == 404) { /* the service does not know this node any more */
        node->phase = node->phase == NODE_SERVES ? NODE_REGISTERS : node->phase;
        for (struct node_task *task = node->tasks; task; task = task->next)
            task_stop(task);
    } else if (!node_is_refused(node, answer)) {
        if (answer->status == 409 || answer->status == 413 || answer->status == 422)
            stop_senders(node, answer->reason);
        else
            node_heard(node, false, answer->reason);
        if (answer->status == 0)
            portion_was_cut(&node->body);
    }
    for (struct node_task *task = node->tasks; task; task = task->next)
        task->posted = 0;
}

void lines_post(struct node *node, double now_s)
{
    bool is_due = now_s >= node->post_s ||
                  (node->is_urgent && now_s >= node->post_s - EVERY_S + 1e-3 * SOON_MS);
    char path[NODE_ROUTE_MAX];

    if (node->posts || !is_due || !node->session[0])
        return;
    if (node->body.now == 0)
        node->body = (struct portion){BODY_LEAST, BODY_MOST, BODY_MOST};
    struct body body = {.most = (size_t)node->body.now};
    json_t *list = json_array();
    bool good = list != NULL;
    for (struct node_task *task = node->tasks; good && task; task = task->next)
        if (task->phase != TASK_OVER)
            good = json_array_append_new(list, task_json(task, &body)) == 0;
    node->is_urgent = false;
    node->post_s = now_s + EVERY_S;
    if (good && json_array_size(list) > 0) {
        json_t *request = json_pack("{s:s, s:O}", "session", node->session, "tasks", list);
        node_route(node, "lines", path);
        const struct client_call call = {.verb = CLIENT_POST,
                                         .path = path,
                                         .body = request,
                                         .most_s = 30,
                                         .done = on_posted,
                                         .context = node};
        node->posts = request && client_begin(node->client, &call);
        json_decref(request);
    }
    if (!node->posts)
        for (struct node_task *task = node->tasks; task; task = task->next)
            task->posted = 0;
    json_decref(list);
}
