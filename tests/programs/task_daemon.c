/* Processes on pipes, and a book of tasks. */
#include "tests/programs/task_daemon.h"

#include "api/base/clock.h"
#include "api/jobs/wire.h"
#include "tests/programs/program.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { TASKS_MAX = 4096, HANDS_MAX = 8, LEAD = HANDS_MAX, PROCESSES, QUIET_MS = 300000 };

enum state { READY, LEASED, DONE, FAILED, DROPPED };

struct task {
    enum state state;
    json_t *spec, *result, *checkpoint;
    char path[256];
    double seconds;
    int tries;
};

struct process {
    struct program_talk talk;
    bool runs, is_told; /* to end early */
    int64_t task;       /* 0: the lead */
    int tries;          /* which of the task's */
    double start_s;
    char folder[4096], output[256];
    char *text; /* read, not yet taken */
    size_t length;
    int64_t lines;
};

struct task_book {
    struct task tasks[TASKS_MAX + 1]; /* by number */
    int64_t count, merged;
    struct process process[PROCESSES];
    bool is_over;
};

/* ---- chance ---- */

static double chance(struct task_daemon *daemon)
{
    return (double)rand_r(&daemon->seed) / ((double)RAND_MAX + 1.0);
}

static int64_t whole_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* ---- processes ---- */

static void say(struct process *process, json_t *message)
{
    char *line = wire_line(message);

    assert_non_null(line);
    fputs(line, process->talk.to); /* a process that died hears nothing */
    fflush(process->talk.to);
    free(line);
}

static void copy(const char *from, const char *to, const char *name)
{
    char command[16384];

    snprintf(command, sizeof command, "cp '%s/%s' '%s/%s'", from, name, to, name);
    if (strcmp(from, to) != 0 && system(command) != 0)
        fail_msg("%s", command);
}

/* A folder for a try of a task on another machine, with the files that it needs. */
static void make_folder(struct task_daemon *daemon, struct process *process,
                        const struct task *task)
{
    const json_t *files = json_object_get(task->spec, "files"), *file;
    const char *path = json_string_value(json_object_get(task->checkpoint, "path"));
    size_t k;

    snprintf(process->folder, sizeof process->folder, "%s", daemon->folder);
    if (!daemon->far)
        return;
    snprintf(process->folder, sizeof process->folder, "%s/far-%d-%lld", daemon->folder, task->tries,
             (long long)process->task);
    assert_int_equal(mkdir(process->folder, 0700), 0);
    if (path)
        copy(daemon->folder, process->folder, path);
    json_array_foreach(files, k, file)
    {
        copy(daemon->folder, process->folder, json_string_value(json_object_get(file, "path")));
    }
}

static json_t *job_line(const struct task_daemon *daemon, const struct process *process,
                        const json_t *checkpoint)
{
    return json_pack("{s:s, s:i, s:i, s:s, s:O, s:O, s:s, s:O?}", "type", "job", "id", 1, "attempt",
                     1, "kind", daemon->kind, "spec", daemon->spec, "runs", daemon->runs, "folder",
                     process->folder, "checkpoint", checkpoint);
}

static void start(struct task_daemon *daemon, int which, int64_t task)
{
    const char *const argv[] = {daemon->program, "worker", "--stdio", NULL};
    struct process *process = &daemon->book->process[which];

    *process = (struct process){
        .runs = true, .task = task, .start_s = clock_now_s(), .talk = program_start(argv)};
    signal(SIGPIPE, SIG_IGN);
}

static void start_task(struct task_daemon *daemon, int which, int64_t number)
{
    struct task *task = &daemon->book->tasks[number];
    struct process *process = &daemon->book->process[which];

    start(daemon, which, number);
    task->state = LEASED;
    process->tries = ++task->tries;
    make_folder(daemon, process, task);
    json_t *line = job_line(daemon, process, task->checkpoint);
    json_object_set_new(line, "task",
                        json_pack("{s:I, s:O}", "number", (json_int_t)number, "spec", task->spec));
    say(process, line);
}

/* ---- what the lead hears ---- */

static void tell(struct task_daemon *daemon, json_t *message)
{
    struct process *lead = &daemon->book->process[LEAD];

    /* A state may be told twice; where outputs are refused, the second time would be of the next
     * try. */
    if (lead->runs && chance(daemon) < 0.2 && daemon->spoils_most == 0)
        say(lead, json_incref(message));
    if (lead->runs)
        say(lead, message);
    else
        json_decref(message);
}

static void tell_end(struct task_daemon *daemon, int64_t number)
{
    const struct task *task = &daemon->book->tasks[number];

    if (task->state == FAILED)
        tell(daemon, json_pack("{s:s, s:I, s:s, s:s, s:s, s:b}", "type", "task", "number",
                               (json_int_t)number, "state", "failed", "code", "made-up", "detail",
                               "fails as the test wants", "retryable", 0));
    if (task->state == DONE)
        tell(daemon, json_pack("{s:s, s:I, s:s, s:O, s:s*, s:f}", "type", "task", "number",
                               (json_int_t)number, "state", "done", "result", task->result, "path",
                               task->path[0] ? task->path : NULL, "seconds", task->seconds));
}

static void bury(struct task_daemon *daemon, struct process *process);

/* A node is found to have lied: everybody stops, and tasks from the first lie on wait again, also
 * those that the lead had merged. */
static void find_lies(struct task_daemon *daemon)
{
    struct task_book *book = daemon->book;
    char path[8192];

    for (int k = 0; k < PROCESSES; k++)
        if (book->process[k].runs) {
            kill(book->process[k].talk.pid, SIGKILL);
            bury(daemon, &book->process[k]);
        }
    daemon->lies_from = book->merged / 2 + 1;
    for (int64_t k = daemon->lies_from; k <= book->count; k++) {
        struct task *task = &book->tasks[k];
        snprintf(path, sizeof path, "%s/%s", daemon->folder, task->path);
        if (k > book->merged && task->state == DONE && task->path[0])
            assert_int_equal(unlink(path), 0);
        json_decref(task->result);
        task->result = NULL;
        task->path[0] = '\0';
        task->state = READY;
    }
    book->merged = daemon->lies_from - 1;
    daemon->lies_after = 0;
}

static void start_lead(struct task_daemon *daemon)
{
    struct task_book *book = daemon->book;
    struct process *lead = &book->process[LEAD];
    json_t *open = json_array();

    start(daemon, LEAD, 0);
    snprintf(lead->folder, sizeof lead->folder, "%s", daemon->folder);
    for (int64_t k = book->merged + 1; k <= book->count; k++)
        json_array_append_new(
            open, json_pack("{s:I, s:O}", "number", (json_int_t)k, "spec", book->tasks[k].spec));
    json_t *line = job_line(daemon, lead, daemon->checkpoint);
    json_object_set_new(line, "tasks",
                        json_pack("{s:i, s:I, s:o}", "hands", daemon->hands, "merged",
                                  (json_int_t)book->merged, "open", open));
    if (daemon->lies_from > 0)
        json_object_set_new(json_object_get(line, "tasks"), "liar", json_string("n1"));
    say(lead, line);
    for (int64_t k = book->merged + 1; k <= book->count; k++)
        tell_end(daemon, k);
}

/* ---- what processes say ---- */

static void take_offers(struct task_daemon *daemon, const struct wire_message *message)
{
    struct task_book *book = daemon->book;
    int64_t open = 0;

    for (size_t k = 0; k < json_array_size(message->tasks.list); k++) {
        const struct wire_offer offer = wire_offer(message->tasks.list, k);
        assert_true(offer.number >= 1 && offer.number <= book->count + 1);
        assert_true(book->count < TASKS_MAX);
        if (offer.number <= book->count) {
            assert_true(json_equal(book->tasks[offer.number].spec, offer.spec));
            continue;
        }
        book->count = offer.number;
        book->tasks[offer.number].spec = json_incref(offer.spec);
        daemon->offered++;
        if (whole_of(offer.spec, "count") > daemon->largest)
            daemon->largest = whole_of(offer.spec, "count");
    }
    for (int64_t k = book->merged + 1; k <= book->count; k++)
        open += book->tasks[k].state == READY || book->tasks[k].state == LEASED;
    if (open > daemon->most_open)
        daemon->most_open = open;
    assert_true(book->count - book->merged <= WIRE_TASKS_OPEN);
}

/* Merged outputs are deleted, so a lead that still needs one fails. */
static void take_merged(struct task_daemon *daemon, int64_t through)
{
    struct task_book *book = daemon->book;

    assert_true(through <= book->count);
    for (; book->merged < through; book->merged++) {
        struct task *task = &book->tasks[book->merged + 1];
        char path[8192];
        assert_int_equal(task->state, DONE);
        snprintf(path, sizeof path, "%s/%s", daemon->folder, task->path);
        if (task->path[0])
            assert_int_equal(unlink(path), 0);
        json_decref(task->result);
        task->result = NULL;
    }
}

/* Makes the output of a task unsound: cuts its file, or takes what its result says. */
static void spoil(struct task_daemon *daemon, struct task *task)
{
    struct stat about;
    char path[8192];

    snprintf(path, sizeof path, "%s/%s", daemon->folder, task->path);
    if (task->path[0] && stat(path, &about) == 0 && S_ISREG(about.st_mode)) {
        assert_int_equal(truncate(path, about.st_size - 1 - about.st_size / 3), 0);
    } else {
        json_decref(task->result);
        task->result = json_object();
    }
    daemon->spoils++;
}

static void take_refused(struct task_daemon *daemon, const struct wire_message *message)
{
    struct task_book *book = daemon->book;
    struct task *task = &book->tasks[message->refused.number];
    char path[8192];

    assert_true(message->refused.number > book->merged && message->refused.number <= book->count);
    if (task->state != DONE) /* the line before was lost with its lead, or came twice */
        return;
    snprintf(path, sizeof path, "%s/%s", daemon->folder, task->path);
    if (task->path[0])
        assert_int_equal(unlink(path), 0);
    task->state = READY;
    daemon->refusals++;
}

static void take_dropped(struct task_daemon *daemon, int64_t through)
{
    struct task_book *book = daemon->book;

    assert_true(through > book->merged && through <= book->count);
    for (; book->merged < through; book->merged++) {
        book->tasks[book->merged + 1].state = DROPPED;
        daemon->dropped++;
    }
}

static void take_metrics(struct task_daemon *daemon, const struct wire_message *message)
{
    for (size_t k = 0; k < json_array_size(message->metrics.rows); k++) {
        const struct wire_metric row = wire_metric(message, k);
        char key[256];
        if (strstr(row.name, "per_s") || strstr(row.name, "share/") || strstr(row.name, "cpu_s"))
            continue; /* of the clock */
        snprintf(key, sizeof key, "%s %s %lld", row.run, row.name, (long long)row.step);
        json_object_set_new(daemon->metrics, key, wire_number(row.value));
    }
}

static void take_file(struct task_daemon *daemon, const struct process *process, const char *name)
{
    copy(process->folder, daemon->folder, name);
}

static void take_model(struct task_daemon *daemon, const struct process *process,
                       const struct wire_message *message)
{
    char key[256], path[8192];

    snprintf(key, sizeof key, "%s %s %lld", message->model.run, message->model.name,
             (long long)message->model.step);
    json_object_set_new(daemon->models, key, json_string(message->model.sha256));
    snprintf(path, sizeof path, "%s/%s", process->folder, message->model.path);
    assert_int_equal(unlink(path), 0); /* the daemon keeps models elsewhere */
}

static void take_done(struct task_daemon *daemon, struct process *process,
                      const struct wire_message *message)
{
    struct task *task = &daemon->book->tasks[process->task];

    if (process->task != 0 && task->state == DROPPED)
        return;
    if (process->task == 0) {
        daemon->result = json_incref(message->result.result);
        daemon->cancelled = message->result.cancelled;
        daemon->book->is_over = true;
    } else if (message->result.cancelled) {
        tell(daemon,
             json_pack("{s:s, s:I, s:s, s:O}", "type", "task", "number", (json_int_t)process->task,
                       "state", "cancelled", "result", message->result.result));
    } else {
        task->state = process->task == daemon->fails ? FAILED : DONE;
        json_decref(task->result);
        task->result = json_incref(message->result.result);
        task->seconds = clock_now_s() - process->start_s;
        snprintf(task->path, sizeof task->path, "%s", process->output);
        if (task->tries == 1 && daemon->spoils < daemon->spoils_most)
            spoil(daemon, task);
        daemon->done++;
        tell_end(daemon, process->task);
    }
}

static void take_failed(struct task_daemon *daemon, const struct process *process,
                        const struct wire_message *message)
{
    snprintf(daemon->code, sizeof daemon->code, "%s", message->failed.code);
    snprintf(daemon->detail, sizeof daemon->detail, "%s", message->failed.detail);
    daemon->book->is_over = true;
    if (process->task != 0)
        fail_msg("task %lld failed: %s", (long long)process->task, message->failed.detail);
}

static void take_checkpoint(struct task_daemon *daemon, const struct process *process,
                            const struct wire_message *message)
{
    struct task *task = &daemon->book->tasks[process->task];
    json_t *checkpoint = json_pack("{s:s, s:s, s:s, s:I}", "run", message->checkpoint.run, "path",
                                   message->checkpoint.path, "sha256", message->checkpoint.sha256,
                                   "step", (json_int_t)message->checkpoint.step);
    json_t **kept = process->task > 0 ? &task->checkpoint : &daemon->checkpoint;

    json_decref(*kept);
    *kept = checkpoint;
    take_file(daemon, process, message->checkpoint.path);
}

static void tell_running(struct task_daemon *daemon, const struct process *process, double progress)
{
    tell(daemon,
         json_pack("{s:s, s:I, s:s, s:o}", "type", "task", "number", (json_int_t)process->task,
                   "state", "running", "progress", wire_number(isnan(progress) ? 0.0 : progress)));
}

static void take(struct task_daemon *daemon, struct process *process,
                 const struct wire_message *message)
{
    switch (message->type) {
    case WIRE_TASKS:
        take_offers(daemon, message);
        break;
    case WIRE_MERGED:
        take_merged(daemon, message->merged.through);
        break;
    case WIRE_REFUSED:
        take_refused(daemon, message);
        break;
    case WIRE_DROPPED:
        take_dropped(daemon, message->dropped.through);
        break;
    case WIRE_OUTPUT:
        assert_true(process->task > 0);
        snprintf(process->output, sizeof process->output, "%s", message->output.path);
        take_file(daemon, process, message->output.path);
        break;
    case WIRE_METRICS:
        take_metrics(daemon, message);
        break;
    case WIRE_CHECKPOINT:
        take_checkpoint(daemon, process, message);
        break;
    case WIRE_MODEL:
        take_model(daemon, process, message);
        break;
    case WIRE_PARTIAL:
        json_decref(daemon->partial);
        daemon->partial = json_incref(message->result.result);
        break;
    case WIRE_DONE:
        take_done(daemon, process, message);
        break;
    case WIRE_FAILED:
        take_failed(daemon, process, message);
        break;
    case WIRE_RELEASED:
        daemon->released = true;
        if (process->task == 0)
            daemon->book->is_over = true;
        else
            daemon->book->tasks[process->task].state = READY;
        break;
    case WIRE_HELLO:
    case WIRE_BEAT:
        if (process->task > 0)
            tell_running(daemon, process,
                         message->type == WIRE_BEAT ? message->beat.progress : NAN);
        break;
    default:
        fail_msg("a worker does not say such a thing");
    }
}

/* ---- the loop ---- */

static void bury(struct task_daemon *daemon, struct process *process)
{
    struct task *task = &daemon->book->tasks[process->task];

    program_finish(&process->talk);
    process->runs = false;
    free(process->text);
    process->text = NULL;
    /* A refused task may be in other hands before the process that did it has ended. */
    if (process->task > 0 && process->tries == task->tries && task->state == LEASED)
        task->state = READY;
}

/* By chance, but the first kill does not wait longer than for 30 lines. */
static bool is_kill_due(struct task_daemon *daemon)
{
    const bool is_due = chance(daemon) < daemon->kill_share;

    daemon->spared++;
    return is_due || (daemon->kill_share > 0.0 && daemon->kills == 0 && daemon->spared > 30);
}

/* Takes the whole lines that were read. False: the process was killed meanwhile. */
static bool take_lines(struct task_daemon *daemon, struct process *process)
{
    char *end;
    bool lives = true;

    while (lives && process->length > 0 &&
           (end = memchr(process->text, '\n', process->length)) != NULL) {
        const size_t size = (size_t)(end - process->text);
        struct wire_message message;
        struct strict_errors errors;
        if (!wire_read(process->text, size, &message, &errors))
            fail_msg("%s: %s in %.*s", errors.error[0].pointer, errors.error[0].message, (int)size,
                     process->text);
        process->lines++;
        process->length -= size + 1;
        memmove(process->text, end + 1, process->length);
        bool is_last = message.type == WIRE_DONE || message.type == WIRE_FAILED;
        if (!is_last && daemon->kills < daemon->kills_most && is_kill_due(daemon)) {
            kill(process->talk.pid, SIGKILL);
            daemon->kills++;
            daemon->kills_of_leads += process->task == 0;
            lives = false;
        }
        if (lives || chance(daemon) < 0.5) /* the line before the end may be lost */
            take(daemon, process, &message);
        wire_free(&message);
    }
    return lives;
}

/* Reads what a process says; buries it at its end. */
static void read_some(struct task_daemon *daemon, struct process *process)
{
    const size_t more = 1 << 16;

    process->text = realloc(process->text, process->length + more);
    assert_non_null(process->text);
    ssize_t got = read(fileno(process->talk.from), process->text + process->length, more);
    if (got > 0)
        process->length += (size_t)got;
    if ((got > 0 && !take_lines(daemon, process)) || got == 0 || (got < 0 && errno != EINTR))
        bury(daemon, process);
}

/* Starts what is missing: the lead, and ready tasks in a random order. */
static void start_missing(struct task_daemon *daemon)
{
    struct task_book *book = daemon->book;

    if (!book->process[LEAD].runs)
        start_lead(daemon);
    for (int hand = 0; hand < daemon->hands; hand++) {
        int64_t ready = 0, chosen = 0;
        if (book->process[hand].runs)
            continue;
        for (int64_t k = book->merged + 1; k <= book->count; k++)
            if (book->tasks[k].state == READY && chance(daemon) * (double)++ready < 1.0)
                chosen = k;
        if (chosen > 0)
            start_task(daemon, hand, chosen);
    }
}

/* Whether the time has come to end it early. */
static bool is_ending(const struct task_daemon *daemon)
{
    const int64_t after = daemon->cancel_after + daemon->drain_after;
    bool have_said = daemon->cancel_lines > 0;

    for (int hand = 0; hand < daemon->hands; hand++)
        have_said = have_said && daemon->book->process[hand].lines >= daemon->cancel_lines;
    return have_said || (after > 0 && daemon->done >= after);
}

static void tell_all_to_end(struct task_daemon *daemon)
{
    const char *what = daemon->drain_after > 0 ? "drain" : "cancel";

    for (int k = 0; k < PROCESSES; k++) {
        struct process *process = &daemon->book->process[k];
        if (process->runs && !process->is_told)
            say(process, json_pack("{s:s}", "type", what));
        process->is_told = true;
    }
}

static void begin(struct task_daemon *daemon)
{
    daemon->book = calloc(1, sizeof *daemon->book);
    assert_non_null(daemon->book);
    daemon->metrics = json_object();
    daemon->models = json_object();
}

/* Waits for the processes and hears them. */
static void hear_all(struct task_daemon *daemon)
{
    struct task_book *book = daemon->book;
    struct pollfd fds[PROCESSES];

    for (int k = 0; k < PROCESSES; k++)
        fds[k] =
            (struct pollfd){.fd = book->process[k].runs ? fileno(book->process[k].talk.from) : -1,
                            .events = POLLIN};
    if (poll(fds, PROCESSES, QUIET_MS) <= 0)
        fail_msg("nobody says anything");
    for (int k = 0; k < PROCESSES && !book->is_over; k++)
        if (fds[k].revents)
            read_some(daemon, &book->process[k]);
}

static void end(struct task_daemon *daemon)
{
    for (int k = 0; k < PROCESSES; k++) {
        struct process *process = &daemon->book->process[k];
        if (!process->runs)
            continue;
        if (process->task > 0)
            kill(process->talk.pid, SIGKILL); /* the end of the lead ends its tasks */
        bury(daemon, process);
    }
}

void task_daemon_run(struct task_daemon *daemon)
{
    bool ends = false;

    assert(daemon->hands <= HANDS_MAX);
    begin(daemon);
    while (!daemon->book->is_over) {
        ends = ends || is_ending(daemon);
        if (daemon->lies_after > 0 && daemon->done >= daemon->lies_after)
            find_lies(daemon);
        if (ends)
            tell_all_to_end(daemon);
        else
            start_missing(daemon);
        hear_all(daemon);
    }
    end(daemon);
}

void task_daemon_run_whole(struct task_daemon *daemon)
{
    begin(daemon);
    start(daemon, LEAD, 0);
    struct process *process = &daemon->book->process[LEAD];
    snprintf(process->folder, sizeof process->folder, "%s", daemon->folder);
    say(process, job_line(daemon, process, daemon->checkpoint));
    while (!daemon->book->is_over) {
        hear_all(daemon);
        if (daemon->drain_after > 0 && process->lines >= daemon->drain_after && !process->is_told) {
            say(process, json_pack("{s:s}", "type", "drain"));
            process->is_told = true;
        }
    }
    end(daemon);
}

void task_daemon_free(struct task_daemon *daemon)
{
    for (int64_t k = 1; k <= daemon->book->count; k++) {
        struct task *task = &daemon->book->tasks[k];
        json_decref(task->spec);
        json_decref(task->result);
        json_decref(task->checkpoint);
    }
    free(daemon->book);
    json_decref(daemon->result);
    json_decref(daemon->partial);
    json_decref(daemon->metrics);
    json_decref(daemon->models);
    json_decref(daemon->checkpoint);
}

char *task_daemon_timeless(const char *folder, const char *name)
{
    static const char *const keys[] = {"\"cpu_s\":", "\"elapsed_s\":"};
    char path[8192], *text = NULL, *to;
    size_t length = 0;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = fopen(path, "r"), *out = open_memstream(&text, &length);
    if (!in)
        fail_msg("%s: %s", path, strerror(errno));
    for (int byte; (byte = getc(in)) != EOF;)
        putc(byte == 0 ? 1 : byte, out); /* it becomes a text */
    fclose(in);
    fclose(out);
    to = text;
    for (const char *from = text; *from;) {
        size_t skip = 0;
        for (int k = 0; k < 2 && skip == 0; k++)
            if (strncmp(from, keys[k], strlen(keys[k])) == 0)
                skip = strlen(keys[k]) + strspn(from + strlen(keys[k]), "0123456789.e+-");
        if (skip > 0)
            from += skip;
        else
            *to++ = *from++;
    }
    *to = '\0';
    return text;
}
