/* One task: its files, its process, its lines. See node.h. */
#include "workers/node/node.h"

#include "api/base/clock.h"
#include "api/base/utf8.h"
#include "api/jobs/job_kinds.h"
#include "api/jobs/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    RETRY_S = 1,
    LINES_A_TURN = 256,
    PIECE_MOST = 4 << 20, /* bytes of a file in one request */
    PIECE_LEAST = 4096,
    KILL_S = 5,        /* from SIGTERM to SIGKILL */
    UNSOUND_MOST = 3,  /* so often a file is fetched that comes with another hash */
    LINE_MOST = 900000 /* a line of a POST; its body has at most 1 MiB */
};

#define CUT_RETRY_S 0.25

#define FOLDER "{folder}" /* stands for the folder of the task in its line */

/* ---- taking ---- */

static bool is_hash(const char *text)
{
    return text && strlen(text) == CACHE_SHA256_MAX - 1 &&
           strspn(text, "0123456789abcdef") == CACHE_SHA256_MAX - 1;
}

/* A name without folders. */
static bool is_name(const char *text)
{
    return text && *text && *text != '.' && !strchr(text, '/') && strlen(text) <= 200;
}

static bool files_are_good(const json_t *files)
{
    const json_t *file;
    size_t k;

    json_array_foreach(files, k, file)
    {
        const json_t *name = json_object_get(file, "name");
        if (!is_hash(json_string_value(json_object_get(file, "sha256"))) ||
            (!json_is_null(name) && !is_name(json_string_value(name))))
            return false;
    }
    return json_is_array(files);
}

struct node_task *task_new(struct node *node, const json_t *given, double now_s)
{
    struct node_task *task = calloc(1, sizeof *task);
    const char *token = json_string_value(json_object_get(given, "token"));
    char name[96], lines[CACHE_PATH_MAX + 16];

    if (!task || !token || strlen(token) != NODE_TOKEN_MAX - 1) {
        free(task);
        return NULL;
    }
    task->node = node;
    task->job = json_integer_value(json_object_get(given, "job"));
    task->number = json_integer_value(json_object_get(given, "number"));
    task->cores = json_integer_value(json_object_get(given, "cores"));
    memcpy(task->token, token, NODE_TOKEN_MAX);
    task->kind = json_incref(json_object_get(given, "kind"));
    task->line = json_deep_copy(json_object_get(given, "line"));
    task->files = json_incref(json_object_get(given, "files"));
    task->part = task->upload = task->spool.file = task->process.line = task->process.log = -1;
    task->progress = task->eta_s = NAN;
    task->piece = (struct portion){PIECE_LEAST, PIECE_MOST, PIECE_MOST};
    task->heard_s = now_s;
    snprintf(name, sizeof name, "%lld-%lld-%.8s", (long long)task->job, (long long)task->number,
             token);
    bool good = json_is_string(task->kind) && json_is_object(task->line) &&
                files_are_good(task->files) && cache_make_work(node->cache, name, task->work);
    snprintf(lines, sizeof lines, "%s/.lines", task->work);
    if (good && spool_open(&task->spool, lines))
        return task;
    node_say("task %lld of job %lld cannot be taken: %s", (long long)task->number,
             (long long)task->job, strerror(errno));
    task_free(task);
    return NULL;
}

void task_free(struct node_task *task)
{
    if (task->process.pid > 0) {
        process_kill(&task->process);
        waitpid(task->process.pid, NULL, 0);
    }
    process_close(&task->process);
    spool_close(&task->spool);
    if (task->part >= 0)
        close(task->part);
    if (task->upload >= 0)
        close(task->upload);
    if (task->work[0])
        cache_remove_work(task->work);
    json_decref(task->kind);
    json_decref(task->line);
    json_decref(task->files);
    free(task);
}

/* ---- last words ---- */

static void add_line(struct node_task *task, json_t *document)
{
    char *line = document ? json_dumps(document, JSON_COMPACT) : NULL;

    json_decref(document);
    if (!line || !spool_add(&task->spool, line, strlen(line))) {
        node_say("task %lld of job %lld: a line cannot be kept: %s", (long long)task->number,
                 (long long)task->job, strerror(errno));
        task_stop(task); /* the service gives it to another one when its lease ends */
    }
    free(line);
}

void task_end(struct node_task *task, const char *code, const char *detail)
{
    if (task->has_last_word || task->phase == TASK_OVER)
        return;
    task->has_last_word = true;
    task->node->is_urgent = true;
    if (code)
        add_line(task, json_pack("{s:s, s:s, s:s, s:b}", "type", "failed", "code", code, "detail",
                                 detail, "retryable", 1));
    else
        add_line(task, json_pack("{s:s}", "type", "released"));
    if (task->phase == TASK_FETCHES)
        task->phase = TASK_REPORTS;
    process_end(&task->process, clock_now_s(), KILL_S);
}

void task_stop(struct node_task *task)
{
    process_kill(&task->process);
    task->phase = TASK_OVER;
}

void task_tell(struct node_task *task, enum task_order order)
{
    static const char drain[] = "{\"type\":\"drain\"}\n", cancel[] = "{\"type\":\"cancel\"}\n";

    if (order <= task->told)
        return;
    task->told = order;
    if (task->phase == TASK_FETCHES) {
        if (order == TASK_TOLD_CANCEL) { /* there is no result yet */
            task->has_last_word = true;
            task->node->is_urgent = true;
            task->phase = TASK_REPORTS;
            add_line(task, json_pack("{s:s, s:{}, s:b}", "type", "done", "result", "cancelled", 1));
        } else {
            task_end(task, NULL, NULL);
        }
    } else if (task->phase == TASK_RUNS) {
        if (order == TASK_TOLD_CANCEL)
            process_say(&task->process, cancel, sizeof cancel - 1);
        else
            process_say(&task->process, drain, sizeof drain - 1);
    }
}

/* ---- files that it needs ---- */

static const char *next_hash(const struct node_task *task)
{
    return json_string_value(json_object_get(json_array_get(task->files, task->fetched), "sha256"));
}

static void on_fetched(void *context, const struct client_answer *answer)
{
    struct node_task *task = context;
    const char *sha256 = next_hash(task);
    bool has_answer = answer->status == 200 || answer->status == 206;

    task->is_away = false;
    if (task->part >= 0)
        close(task->part);
    task->part = -1;
    if (task->phase != TASK_FETCHES)
        return;
    task->retry_s = clock_now_s() + RETRY_S;
    if (has_answer || answer->status == 416) { /* 416: all of it is here already */
        if (cache_finish(task->node->cache, sha256)) {
            task->retry_s = 0;
            task->unsound = 0;
        } else if (++task->unsound == UNSOUND_MOST) {
            task_end(task, "no-file",
                     "the service has a file that the task needs, but not its bytes");
        } else {
            node_say("file %s: what came has another hash; it is fetched again", sha256);
        }
    } else if (answer->status == 404) {
        task_end(task, "no-file", "the service no longer has a file that the task needs");
    } else {
        node_heard(task->node, answer->status != 0, answer->reason);
    }
}

/* Asks for the next file that is not here. */
static void fetch(struct node_task *task, double now_s)
{
    struct node *node = task->node;
    const char *sha256;
    char path[128];
    int64_t bytes = 0;

    while (task->fetched < json_array_size(task->files) && cache_has(node->cache, next_hash(task)))
        task->fetched++;
    if (task->fetched == json_array_size(task->files) || task->is_away || now_s < task->retry_s)
        return;
    sha256 = next_hash(task);
    /* Two tasks that need the same file wait for each other. */
    for (const struct node_task *other = node->tasks; other; other = other->next)
        if (other != task && other->phase == TASK_FETCHES && other->is_away &&
            strcmp(next_hash(other), sha256) == 0)
            return;
    task->part = cache_open_part(node->cache, sha256, &bytes);
    snprintf(path, sizeof path, "/v1/blobs/%s", sha256);
    const struct client_call call = {.verb = CLIENT_GET,
                                     .path = path,
                                     .file = task->part,
                                     .from = bytes,
                                     .done = on_fetched,
                                     .context = task};
    task->is_away = task->part >= 0 && client_begin(node->client, &call);
    if (!task->is_away)
        task->retry_s = now_s + RETRY_S;
}

/* ---- starting ---- */

/* Replaces FOLDER at the start of texts, wherever they stand. */
static bool set_folder(const struct node_task *task, json_t *value)
{
    const char *key, *text = json_string_value(value);
    char path[2 * CACHE_PATH_MAX];
    json_t *member;
    size_t k;
    bool good = true;

    if (text && strncmp(text, FOLDER, strlen(FOLDER)) == 0) {
        snprintf(path, sizeof path, "%s%s", task->work, text + strlen(FOLDER));
        return json_string_set(value, path) == 0;
    }
    json_array_foreach(value, k, member) good = set_folder(task, member) && good;
    json_object_foreach(value, key, member) good = set_folder(task, member) && good;
    return good;
}

/* Puts the named files into the folder of the task; those without a name are weights, which players
 * find in the cache. */
static bool place_files(const struct node_task *task)
{
    char from[CACHE_PATH_MAX], to[CACHE_PATH_MAX + 256];
    const json_t *file;
    size_t k;

    json_array_foreach(task->files, k, file)
    {
        const char *name = json_string_value(json_object_get(file, "name"));
        if (!name)
            continue;
        cache_path(task->node->cache, json_string_value(json_object_get(file, "sha256")), from);
        snprintf(to, sizeof to, "%s/%s", task->work, name);
        if (link(from, to) != 0 && errno != EEXIST)
            return false;
    }
    return true;
}

static void start(struct node_task *task, double now_s)
{
    const struct job_kind *kind = job_kind_find(json_string_value(task->kind));
    char path[PROCESS_PATH_MAX];

    if (task->fetched < json_array_size(task->files) || now_s < task->retry_s)
        return;
    if (!kind || !process_find(task->node->options->programs, kind->program, path)) {
        task_end(task, "no-worker", "the node has no program for this kind of job");
        return;
    }
    char *line = place_files(task) && set_folder(task, task->line)
                     ? json_dumps(task->line, JSON_COMPACT)
                     : NULL;
    bool good =
        line && process_start(&task->process, path, task->work, cache_folder(task->node->cache));
    if (!good) {
        node_say("task %lld of job %lld cannot start: %s", (long long)task->number,
                 (long long)task->job, strerror(errno));
        free(line);
        task_end(task, "no-worker", "the node cannot start the program");
        return;
    }
    task->phase = TASK_RUNS;
    node_say("job %lld, task %lld: %s (%s)", (long long)task->job, (long long)task->number,
             json_string_value(task->kind), kind->program);
    if (!process_say(&task->process, line, strlen(line)) || !process_say(&task->process, "\n", 1))
        process_end(&task->process, now_s, KILL_S);
    free(line);
}

/* ---- hearing ---- */

/* Keeps the file of a line under a name of its own: the worker may replace it before it is sent. */
static bool keep_file(const struct node_task *task, const char *name)
{
    char from[CACHE_PATH_MAX + 256], to[CACHE_PATH_MAX + 32];

    snprintf(from, sizeof from, "%s/%s", task->work, name);
    snprintf(to, sizeof to, "%s/.sent.%lld", task->work, (long long)task->spool.added + 1);
    return link(from, to) == 0;
}

static void hear_message(struct node_task *task, const struct wire_message *message,
                         const char *text, size_t length)
{
    const char *name = NULL;

    switch (message->type) {
    case WIRE_HELLO:
        return;
    case WIRE_BEAT:
        task->progress = message->beat.progress;
        task->eta_s = message->beat.eta_s;
        return;
    case WIRE_PARTIAL: /* of a task it is not stored */
        return;
    case WIRE_CHECKPOINT:
        name = message->checkpoint.path;
        break;
    case WIRE_MODEL:
        name = message->model.path;
        break;
    case WIRE_OUTPUT:
        name = message->output.path;
        break;
    case WIRE_METRICS:
        break;
    case WIRE_DONE:
    case WIRE_FAILED:
    case WIRE_RELEASED:
        task->has_last_word = true;
        task->said_s = clock_now_s();
        task->node->is_urgent = true;
        break;
    default:
        task_end(task, "bad-line", "a line that only the daemon may say");
        return;
    }
    if (length > LINE_MOST) {
        task->has_last_word = false;
        task_end(task, "line-too-long", "a line of the worker is longer than a request may be");
    } else if (name && !keep_file(task, name)) {
        task_end(task, "bad-line", "the worker names a file that is not there");
    } else if (!spool_add(&task->spool, text, length)) {
        node_say("task %lld of job %lld: the disk is full", (long long)task->number,
                 (long long)task->job);
        task_stop(task);
    }
}

static void hear(struct node_task *task)
{
    struct wire_message message;
    struct strict_errors errors = {.count = 0};
    const char *text;
    size_t length;

    for (int k = 0; k < LINES_A_TURN && !task->has_last_word && task->phase == TASK_RUNS &&
                    !spool_is_full(&task->spool);
         k++) {
        text = process_read(&task->process, &length);
        if (!text)
            return;
        if (!wire_read(text, length, &message, &errors)) {
            task_end(task, "bad-line", "a line that cannot be read");
            return;
        }
        hear_message(task, &message, text, length);
        wire_free(&message);
    }
}

/* The process has ended: says so if it did not. */
static void take_end(struct node_task *task, int status)
{
    char detail[PROCESS_TAIL_MAX + 128];

    do
        hear(task);
    while (!task->has_last_word && !task->process.is_over && task->phase == TASK_RUNS);
    process_read_log(&task->process);
    if (task->phase == TASK_OVER)
        return;
    if (!task->has_last_word) {
        snprintf(detail, sizeof detail, "the worker ended with %s %d on node %s: %s",
                 WIFSIGNALED(status) ? "signal" : "status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                 task->node->options->name, task->process.tail);
        utf8_make_line(detail);
        node_say("job %lld, task %lld: %s", (long long)task->job, (long long)task->number, detail);
        task_end(task, "worker-died", detail);
    }
    task->phase = TASK_REPORTS;
}

/* ---- files that it has made ---- */

static void upload_next(struct node_task *task);

static void on_piece(void *context, const struct client_answer *answer)
{
    struct node_task *task = context;
    int64_t bytes = json_integer_value(json_object_get(answer->json, "bytes"));
    bool is_complete = json_is_true(json_object_get(answer->json, "complete"));

    task->is_away = false;
    if (task->phase == TASK_OVER)
        return;
    if (answer->status / 100 == 2 && is_complete) {
        task->uploaded = task->upload_line;
        close(task->upload);
        task->upload = -1;
        task->node->is_urgent = true;
    } else if (answer->status / 100 == 2) {
        portion_was_answered(&task->piece);
        task->upload_at = bytes < task->upload_bytes ? bytes : 0;
        upload_next(task);
    } else if (answer->status == 422 || answer->status == 413) {
        node_say("file of job %lld, task %lld refused: %s", (long long)task->job,
                 (long long)task->number, answer->reason);
        task_stop(task);
    } else {
        if (answer->status == 409)
            task->upload_at = 0;
        if (answer->status == 0)
            portion_was_cut(&task->piece);
        node_heard(task->node, answer->status != 0, answer->reason);
        task->retry_s = clock_now_s() + (answer->status == 0 ? CUT_RETRY_S : RETRY_S);
    }
}

static void upload_next(struct node_task *task)
{
    int64_t left = task->upload_bytes - task->upload_at;
    char path[128];

    snprintf(path, sizeof path, "/v1/blobs/%s", task->upload_sha256);
    const struct client_call call = {.verb = CLIENT_PUT,
                                     .path = path,
                                     .file = task->upload,
                                     .from = task->upload_at,
                                     .bytes = left < task->piece.now ? left : task->piece.now,
                                     .of = task->upload_bytes,
                                     .done = on_piece,
                                     .context = task};
    task->is_away = client_begin(task->node->client, &call);
    if (!task->is_away)
        task->retry_s = clock_now_s() + RETRY_S;
}

void task_upload(struct node_task *task, int64_t line, const char *sha256)
{
    char path[CACHE_PATH_MAX + 32];
    struct stat about;

    if (task->upload >= 0 || task->is_away)
        return;
    snprintf(path, sizeof path, "%s/.sent.%lld", task->work, (long long)line);
    task->upload = open(path, O_RDONLY | O_CLOEXEC);
    if (task->upload < 0 || fstat(task->upload, &about) != 0) {
        node_say("%s: %s", path, strerror(errno));
        task_stop(task);
        return;
    }
    unlink(path); /* the descriptor keeps it */
    task->upload_line = line;
    task->upload_at = 0;
    task->upload_bytes = about.st_size;
    snprintf(task->upload_sha256, sizeof task->upload_sha256, "%s", sha256);
    upload_next(task);
}

/* ---- a turn ---- */

void task_step(struct node_task *task, double now_s)
{
    int status;

    if (task->phase != TASK_OVER && now_s - task->heard_s > task->node->lease_s) {
        node_say("job %lld, task %lld: stopped, as the service was silent for the time of a lease",
                 (long long)task->job, (long long)task->number);
        task_stop(task);
    }
    if (task->phase == TASK_FETCHES) {
        fetch(task, now_s);
        start(task, now_s);
    }
    if (task->phase == TASK_RUNS) {
        process_read_log(&task->process);
        hear(task);
        /* After its last word it ends by itself; if not, it is ended. */
        if (task->has_last_word && now_s - task->said_s > KILL_S)
            process_end(&task->process, now_s, KILL_S);
        if (process_reap(&task->process, &status))
            take_end(task, status);
    }
    if (task->upload >= 0 && !task->is_away && now_s >= task->retry_s && task->phase != TASK_OVER)
        upload_next(task);
    if (task->phase == TASK_REPORTS && task->spool.dropped == task->spool.added)
        task->phase = TASK_OVER;
}
