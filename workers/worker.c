/* One thread works, another sends beats and listens. See worker.h. */
#include "workers/worker.h"

#include "api/base/clock.h"
#include "api/base/utf8.h"
#include "api/jobs/job_kinds.h"
#include "workers/command.h"
#include "workers/file_hash.h"
#include "workers/lines.h"
#include "workers/options.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
    BEAT_MS = WIRE_BEAT_MS,
    ORPHAN_MS = 20000, /* exits this long after losing the daemon */
    CODE_MAX = 129,    /* bytes, with the final 0 */
    DETAIL_MAX = 1024,
    PATH_MAX_BYTES = 4096
};

enum reason { NOT_STOPPED, CANCELLED, DRAINED };

struct worker {
    int out_fd, quit_fd, signal_fd;
    struct line_reader reader;
    atomic_bool stop;
    atomic_int reason; /* enum reason; the first one counts */
    bool is_orphan;    /* the connection is closed; used by the listener only */
    bool is_lead;      /* its function hears about tasks */

    pthread_mutex_t writing; /* guards out_fd: one line at a time */

    pthread_mutex_t lock; /* guards all below */
    double progress, eta_s;
    bool retryable;
    char fail_code[CODE_MAX]; /* "": has not failed */
    char detail[DETAIL_MAX];
    pthread_cond_t heard_some; /* or the work must end */
    struct heard *heard, **heard_end;
};

/* A line that the function of a lead has not taken yet. */
struct heard {
    struct wire_message message;
    struct heard *next;
};

static void stop(struct worker *worker, enum reason why)
{
    int none = NOT_STOPPED;

    atomic_compare_exchange_strong(&worker->reason, &none, (int)why);
    atomic_store(&worker->stop, true);
    worker_wake(worker);
}

/* ---- speaking ---- */

/* Ends the process where it would lose a line: the daemon tries the job again. A lead whose offer
 * was lost, or that has missed a line, would wait for ever. */
static _Noreturn void end_for_memory(void)
{
    fprintf(stderr, "out of memory, or a line longer than %d bytes\n", WIRE_LINE_MAX);
    _exit(1);
}

/* Writes a line and frees it. The listener notices a closed connection. */
static bool write_line(struct worker *worker, char *line)
{
    size_t length = strlen(line), written = 0;

    pthread_mutex_lock(&worker->writing);
    while (written < length) {
        ssize_t now = write(worker->out_fd, line + written, length - written);
        if (now > 0)
            written += (size_t)now;
        else if (errno != EINTR)
            break;
    }
    pthread_mutex_unlock(&worker->writing);
    free(line);
    return written == length;
}

/* Sends a message; takes ownership of the document, NULL: there was no memory for it. */
static bool say(struct worker *worker, json_t *document)
{
    char *line = wire_line(document);

    if (!line)
        end_for_memory();
    return write_line(worker, line);
}

static json_t *number_or_null(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

static void beat(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    json_t *progress = number_or_null(worker->progress), *eta = number_or_null(worker->eta_s);
    pthread_mutex_unlock(&worker->lock);
    char *line =
        wire_line(json_pack("{s:s, s:o, s:o}", "type", "beat", "progress", progress, "eta_s", eta));
    if (line) /* another one comes */
        write_line(worker, line);
}

/* ---- listening ---- */

/* Waits for a message. False: the connection is closed, or the line cannot be read, and the worker
 * has failed. */
static bool read_message(struct worker *worker, struct wire_message *ret_message)
{
    struct line line;
    struct strict_errors errors;
    char why[STRICT_POINTER_MAX + STRICT_MESSAGE_MAX + 4] = "it is too long";

    worker->is_orphan = lines_read(&worker->reader, &line, 1) != 1;
    if (worker->is_orphan)
        return false;
    if (!line.too_long && wire_read(line.text, line.length, ret_message, &errors))
        return true;
    if (!line.too_long)
        snprintf(why, sizeof why, "%s: %s", errors.error[0].pointer, errors.error[0].message);
    fprintf(stderr, "a line from the daemon cannot be read: %s\n", why);
    worker_fail(worker, "bad-line", true, "a line of the service cannot be read: %s", why);
    return false;
}

/* Keeps a message for worker_hear(), which then owns it. */
static void keep(struct worker *worker, const struct wire_message *message)
{
    struct heard *heard = malloc(sizeof *heard);

    if (!heard)
        end_for_memory();
    *heard = (struct heard){.message = *message};
    pthread_mutex_lock(&worker->lock);
    *worker->heard_end = heard;
    worker->heard_end = &heard->next;
    pthread_cond_broadcast(&worker->heard_some);
    pthread_mutex_unlock(&worker->lock);
}

static void hear(struct worker *worker)
{
    struct wire_message message;

    if (!read_message(worker, &message)) {
        stop(worker, DRAINED);
        return;
    }
    if (worker->is_lead && (message.type == WIRE_TASK || message.type == WIRE_HANDS)) {
        keep(worker, &message);
        return;
    }
    if (message.type == WIRE_CANCEL)
        stop(worker, CANCELLED);
    else if (message.type == WIRE_DRAIN)
        stop(worker, DRAINED);
    wire_free(&message);
}

/* Milliseconds to a moment, rounded up; 0: it is past. */
static int left_ms(double until_s)
{
    double left_s = until_s - clock_now_s();

    return left_s > 0.0 ? (int)ceil(1e3 * left_s) : 0;
}

/* Sends beats and listens until quit_fd signals the end of the work. A lead hears often, and beats
 * all the same. */
static void *listen_and_beat(void *context)
{
    struct worker *worker = context;
    double due_s = clock_now_s() + 1e-3 * BEAT_MS; /* the next beat, or the end of an orphan */

    for (;;) {
        struct pollfd fds[] = {
            {.fd = worker->quit_fd, .events = POLLIN},
            {.fd = worker->signal_fd, .events = POLLIN},
            {.fd = worker->is_orphan ? -1 : worker->reader.fd, .events = POLLIN}};
        bool has_more = !worker->is_orphan && worker->reader.end > worker->reader.start;
        poll(fds, 3, has_more ? 0 : left_ms(due_s));

        if (fds[0].revents)
            return NULL;
        if (fds[1].revents) {
            struct signalfd_siginfo about;
            if (read(worker->signal_fd, &about, sizeof about) > 0)
                stop(worker, DRAINED);
        }
        if (has_more || fds[2].revents) {
            hear(worker);
            if (worker->is_orphan)
                due_s = clock_now_s() + 1e-3 * ORPHAN_MS;
        }
        if (left_ms(due_s) > 0)
            continue;
        if (worker->is_orphan)
            _exit(1); /* the work does not end; the service no longer waits */
        beat(worker);
        due_s = clock_now_s() + 1e-3 * BEAT_MS;
    }
}

/* ---- for the function that does the job ---- */

atomic_bool *worker_stop(struct worker *worker)
{
    return &worker->stop;
}

bool worker_is_cancelled(const struct worker *worker)
{
    return atomic_load(&worker->reason) == CANCELLED;
}

bool worker_is_drained(const struct worker *worker)
{
    return atomic_load(&worker->reason) == DRAINED;
}

void worker_progress(struct worker *worker, double progress, double eta_s)
{
    pthread_mutex_lock(&worker->lock);
    worker->progress = progress;
    worker->eta_s = eta_s;
    pthread_mutex_unlock(&worker->lock);
}

void worker_metrics(struct worker *worker, json_t *rows)
{
    say(worker, json_pack("{s:s, s:o}", "type", "metrics", "rows", rows));
}

void worker_checkpoint(struct worker *worker, const char *run, const char *path, const char *sha256,
                       int64_t step)
{
    say(worker, json_pack("{s:s, s:s, s:s, s:s, s:I}", "type", "checkpoint", "run", run, "path",
                          path, "sha256", sha256, "step", (json_int_t)step));
}

void worker_model(struct worker *worker, const char *run, const char *name, const char *path,
                  const char *sha256, int64_t step)
{
    say(worker, json_pack("{s:s, s:s, s:s, s:s, s:s, s:I}", "type", "model", "run", run, "name",
                          name, "path", path, "sha256", sha256, "step", (json_int_t)step));
}

void worker_partial(struct worker *worker, json_t *result)
{
    say(worker, json_pack("{s:s, s:o}", "type", "partial", "result", result));
}

json_t *worker_fail(struct worker *worker, const char *code, bool retryable, const char *format,
                    ...)
{
    va_list arguments;

    pthread_mutex_lock(&worker->lock);
    if (!worker->fail_code[0]) {
        snprintf(worker->fail_code, sizeof worker->fail_code, "%s", code);
        worker->retryable = retryable;
        va_start(arguments, format);
        vsnprintf(worker->detail, sizeof worker->detail, format, arguments);
        va_end(arguments);
        utf8_make_line(worker->detail);
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

bool worker_data_path(const struct wire_job *job, const char *name, size_t size, char *ret_path)
{
    size_t length = strlen(job->folder);

    /* <data>/jobs/N, which need not exist */
    for (int levels = 0; levels < 2; levels++) {
        while (length > 0 && job->folder[length - 1] == '/')
            length--;
        while (length > 0 && job->folder[length - 1] != '/')
            length--;
    }
    return snprintf(ret_path, size, "%.*s%s", (int)length, job->folder, name) < (int)size;
}

/* ---- tasks ---- */

bool worker_output(struct worker *worker, const char *folder, const char *name)
{
    char path[PATH_MAX_BYTES], sha256[FILE_HASH_MAX];

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
        worker_fail(worker, "failed", false, "the name of the job's folder is too long");
        return false;
    }
    if (!file_hash_durable(path, sha256)) {
        worker_fail(worker, "disk", true, "%s: %s", path, strerror(errno));
        return false;
    }
    say(worker, json_pack("{s:s, s:s, s:s}", "type", "output", "path", name, "sha256", sha256));
    return true;
}

/* Waits under the lock; not 0: until_s has come. */
static int wait_until(struct worker *worker, double until_s)
{
    if (isinf(until_s))
        return pthread_cond_wait(&worker->heard_some, &worker->lock);
    const struct timespec until = {(time_t)until_s, (long)(1e9 * (until_s - floor(until_s)))};
    return pthread_cond_timedwait(&worker->heard_some, &worker->lock, &until);
}

bool worker_hear(struct worker *worker, int wait_ms, struct wire_message *ret_message)
{
    const bool was_stopped = atomic_load(&worker->stop);
    const double end_s = clock_now_s() + 1e-3 * wait_ms;
    int waited = 0;

    pthread_mutex_lock(&worker->lock);
    while (!worker->heard && waited == 0 && atomic_load(&worker->stop) == was_stopped)
        waited = wait_until(worker, end_s);
    struct heard *heard = worker->heard;
    if (heard) {
        worker->heard = heard->next;
        if (!worker->heard)
            worker->heard_end = &worker->heard;
    }
    pthread_mutex_unlock(&worker->lock);
    if (heard)
        *ret_message = heard->message;
    free(heard);
    return heard != NULL;
}

void worker_wait(struct worker *worker, const atomic_bool *over, bool stopped, double until_s)
{
    int waited = 0;

    pthread_mutex_lock(&worker->lock);
    while (!atomic_load(over) && atomic_load(&worker->stop) == stopped && waited == 0)
        waited = wait_until(worker, until_s);
    pthread_mutex_unlock(&worker->lock);
}

void worker_wake(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    pthread_cond_broadcast(&worker->heard_some);
    pthread_mutex_unlock(&worker->lock);
}

void worker_offer(struct worker *worker, json_t *tasks)
{
    say(worker, json_pack("{s:s, s:o}", "type", "tasks", "tasks", tasks));
}

void worker_merged(struct worker *worker, int64_t through)
{
    say(worker, json_pack("{s:s, s:I}", "type", "merged", "through", (json_int_t)through));
}

void worker_refuse(struct worker *worker, int64_t number, const char *detail)
{
    say(worker, json_pack("{s:s, s:I, s:s}", "type", "refused", "number", (json_int_t)number,
                          "detail", detail));
}

void worker_drop(struct worker *worker, int64_t through)
{
    say(worker, json_pack("{s:s, s:I}", "type", "dropped", "through", (json_int_t)through));
}

/* ---- a job from its line to its final message ---- */

static bool say_hello(struct worker *worker, const char *version, const struct worker_kind *kinds)
{
    json_t *names = json_array();

    for (const struct worker_kind *kind = kinds; kind->name; kind++)
        json_array_append_new(names, json_string(kind->name));
    return say(worker, json_pack("{s:s, s:i, s:s, s:o}", "type", "hello", "protocol", WIRE_PROTOCOL,
                                 "version", version, "kinds", names));
}

static bool say_last_word(struct worker *worker, json_t *result)
{
    if (result)
        return say(worker, json_pack("{s:s, s:o, s:b}", "type", "done", "result", result,
                                     "cancelled", worker_is_cancelled(worker)));
    if (!worker->fail_code[0] && worker_is_drained(worker))
        return say(worker, json_pack("{s:s}", "type", "released"));
    if (!worker->fail_code[0] &&
        worker_is_cancelled(worker)) /* cancelled before there was a result */
        return say(worker, json_pack("{s:s, s:{}, s:b}", "type", "done", "result", "cancelled", 1));
    if (!worker->fail_code[0])
        worker_fail(worker, "no-memory", true, "out of memory");
    return say(worker,
               json_pack("{s:s, s:s, s:s, s:b}", "type", "failed", "code", worker->fail_code,
                         "detail", worker->detail, "retryable", worker->retryable));
}

/* Reads the job. False: the first line was not a job. */
static bool read_job(struct worker *worker, struct wire_message *ret_message)
{
    if (!read_message(worker, ret_message))
        return false;
    const bool is_job = ret_message->type == WIRE_JOB;
    const struct job_kind *kind = is_job ? job_kind_find(ret_message->job.kind) : NULL;
    const bool is_filled =
        !kind || !kind->fields || fields_fill_before(ret_message->job.spec, kind->fields);
    if (is_job && is_filled)
        return true;
    fprintf(stderr, is_job ? "out of memory\n" : "the first line is not a job\n");
    wire_free(ret_message);
    return false;
}

/* Runs the function for the job, with the listener beside it. */
static json_t *do_job(struct worker *worker, const struct worker_kind *kinds,
                      const struct wire_job *job)
{
    pthread_t listener;
    const uint64_t one = 1;

    while (kinds->name && strcmp(kinds->name, job->kind) != 0)
        kinds++;
    if (!kinds->name)
        return worker_fail(worker, "unknown-kind", false, "there is no kind of job '%s' here",
                           job->kind);
    if (job->is_trial && !kinds->tries)
        return json_object();
    worker->is_lead = job->is_lead;
    if (pthread_create(&listener, NULL, listen_and_beat, worker) != 0)
        return worker_fail(worker, "no-thread", true, "no thread to listen with");
    json_t *result = kinds->run(worker, job);
    ssize_t written = write(worker->quit_fd, &one, sizeof one);
    (void)written; /* an eventfd accepts a small number */
    pthread_join(listener, NULL);
    return result;
}

/* Redirects signals: SIGTERM arrives on a descriptor, and writing to a closed connection is an
 * error, not the end of the process. */
static int take_signals(void)
{
    sigset_t signals;

    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    return signalfd(-1, &signals, SFD_CLOEXEC);
}

/* A condition whose waits end by the clock of clock_now_s(). */
static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void free_heard(struct worker *worker)
{
    struct wire_message message;

    while (worker->heard && worker_hear(worker, 0, &message))
        wire_free(&message);
    pthread_cond_destroy(&worker->heard_some);
}

int worker_run(int in_fd, int out_fd, const char *version, const struct worker_kind *kinds)
{
    struct worker worker = {.out_fd = out_fd,
                            .quit_fd = eventfd(0, EFD_CLOEXEC),
                            .signal_fd = take_signals(),
                            .writing = PTHREAD_MUTEX_INITIALIZER,
                            .lock = PTHREAD_MUTEX_INITIALIZER,
                            .progress = NAN,
                            .eta_s = NAN};
    struct wire_message message;

    worker.heard_end = &worker.heard;
    init_condition(&worker.heard_some);
    bool good = worker.quit_fd >= 0 && worker.signal_fd >= 0 &&
                lines_init(&worker.reader, in_fd, WIRE_LINE_MAX) &&
                say_hello(&worker, version, kinds) && read_job(&worker, &message);

    if (good) {
        json_t *result = do_job(&worker, kinds, &message.job);
        good = say_last_word(&worker, result);
        wire_free(&message);
    } else if (worker.fail_code[0]) {
        good = say_last_word(&worker, NULL);
    }
    free_heard(&worker);
    lines_free(&worker.reader);
    if (worker.quit_fd >= 0)
        close(worker.quit_fd);
    if (worker.signal_fd >= 0)
        close(worker.signal_fd);
    return good ? 0 : 1;
}

/* ---- the command line ---- */

static const struct option_row rows[] = {
    {"stdio", 'i', NULL, OPTION_FLAG, 0, .about = "talk over standard input and output instead"},
    {0},
};

int worker_command(int argc, char **argv, const char *version, const struct worker_kind *kinds)
{
    char text[512], names[256] = "";
    size_t used = 0;
    bool is_stdio = false;
    const struct option_parser parser = {.about = text, .tables = {{rows, &is_stdio, NULL, NULL}}};

    for (const struct worker_kind *kind = kinds; kind->name && used < sizeof names; kind++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                 kind->name);
    snprintf(
        text, sizeof text,
        "Do one job: the program that the daemon starts for jobs of these kinds: %s. It talks in "
        "lines of JSON over file descriptor 3.\vExit status: 0 the job's last word was said, 1 it "
        "was not.",
        names);
    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    int status = is_stdio ? worker_run(STDIN_FILENO, STDOUT_FILENO, version, kinds)
                          : worker_run(WIRE_FD, WIRE_FD, version, kinds);
    return status == 0 ? EXIT_GOOD : EXIT_TROUBLE;
}
