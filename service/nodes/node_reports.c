/* Lines of nodes on their way into the store. See node_reports.h. */
#include "service/nodes/node_reports.h"

#include "api/base/build_json.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/log.h"
#include "service/base/metrics.h"
#include "service/jobs/job_events.h"
#include "service/jobs/job_folder.h"
#include "service/jobs/notes.h"
#include "service/jobs/supervisor.h"
#include "service/jobs/task_notes.h"
#include "service/models/model_files.h"
#include "service/nodes/answer.h"
#include "service/nodes/blobs.h"
#include "service/store/checks.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 4096, REASON_MAX = 64 };

/* One task. */
struct report {
    struct task_holder holder; /* its token belongs to the body */
    char run[TASK_RUN_MAX];    /* that it may report of; "": none */
    int64_t from, count;       /* number of the first line, lines */
    double progress, eta_s;
    struct note_list notes; /* of the lines from `first` on; those before were here already */
    int64_t first;
    bool has_last_word;

    /* what was kept */
    int64_t acknowledged;
    const char *wish, *reason; /* NULL: none */
    bool is_wanted;            /* it was read; else the node is told to stop */
    bool is_compared;          /* it may be, with what a second node says */
    bool is_check;             /* the node does it as the second one (store/checks.h) */
    char answer[ANSWER_MAX];   /* of a task that is done, if it is to be compared; "": it is not */
    bool is_kept, is_ready_again;
    struct job_claim claim;
    json_t *news, *gone_files, *gone_weights;
};

struct node_reports {
    size_t count;
    struct report report[];
};

static void free_report(struct report *report)
{
    notes_free(&report->notes);
    job_claim_free(&report->claim);
    json_decref(report->news);
    json_decref(report->gone_files);
    json_decref(report->gone_weights);
}

void node_reports_free(void *context)
{
    struct node_reports *reports = context;

    if (!reports)
        return;
    for (size_t k = 0; k < reports->count; k++)
        free_report(&reports->report[k]);
    free(reports);
}

/* ---- reading, on an HTTP thread ---- */

/* The hash of the file that a message names; NULL: it names none. */
static const char *file_of(const struct wire_message *message)
{
    switch (message->type) {
    case WIRE_CHECKPOINT:
        return message->checkpoint.sha256;
    case WIRE_MODEL:
        return message->model.sha256;
    case WIRE_OUTPUT:
        return message->output.sha256;
    default:
        return NULL;
    }
}

/* Refuses what is not the task's own. */
static bool check_own(const struct strict_place *line, const struct report *report,
                      const struct wire_message *message)
{
    const char *member = note_stranger(message, report->holder.number, report->run);
    const struct strict_place place = strict_member(line, member ? member : "type");

    if (!member)
        return true;
    if (strcmp(member, "path") == 0)
        return strict_refuse(&place, "value",
                             "must begin with \"" JOB_TASK_FILES "%lld.\" or with the run",
                             (long long)report->holder.number);
    return *report->run
               ? strict_refuse(&place, "value", "the task reports of run %s alone", report->run)
               : strict_refuse(&place, "value", "the task reports of no run");
}

/* Stages the file of a message, and adds what a note of it needs. A second answer keeps none. */
static bool take_file(const struct strict_place *line, const struct report *report,
                      const char *data, struct note *note)
{
    const struct strict_place hash = strict_member(line, "sha256");
    const char *sha256 = file_of(&note->message);
    char blob[BLOB_PATH_MAX];

    if (!sha256 && report->is_compared &&
        answer_hash_line(&note->message, NULL, note->said) != API_OK)
        return strict_refuse(line, "no_memory", "memory is short");
    if (!sha256)
        return true;
    if (!blob_is_name(sha256) || !blob_find(data, sha256, blob, &note->bytes))
        return strict_refuse(&hash, "missing", "there is no blob of that name; PUT it first");
    enum api_error error =
        report->is_compared ? answer_hash_line(&note->message, blob, note->said) : API_OK;
    if (error == API_OK && !report->is_check)
        error = blob_stage(data, sha256, &note->staged);
    if (error == API_OK && note->staged && note->message.type == WIRE_MODEL)
        error = model_file_check(note->staged, sha256, &note->card, &note->bytes);
    if (error == API_BAD_FIELD)
        return strict_refuse(&hash, "value", "the blob is not a sound safetensors file");
    return error == API_OK ||
           strict_refuse(&hash, "no_memory", "the blob cannot be read at the moment");
}

/* What a worker of a task may say on a node; beats come beside the lines. */
static bool may_say(enum wire_type type)
{
    return type == WIRE_METRICS || type == WIRE_CHECKPOINT || type == WIRE_MODEL ||
           type == WIRE_OUTPUT || type == WIRE_DONE || type == WIRE_FAILED || type == WIRE_RELEASED;
}

static bool read_line(const struct strict_place *line, const char *data, struct report *report)
{
    const struct strict_place type = strict_member(line, "type");
    struct note *note = calloc(1, sizeof *note);

    if (!note)
        return strict_refuse(line, "no_memory", "memory is short");
    bool is_message = wire_take(line, &note->message);
    bool good = is_message;
    if (good && !may_say(note->message.type))
        good = strict_refuse(&type, "value", "is nothing that a node says");
    if (good && report->has_last_word)
        good = strict_refuse(line, "value", "comes after the last word");
    good = good && check_own(line, report, &note->message) && take_file(line, report, data, note);
    if (good) {
        report->has_last_word = note_is_last_word(note->message.type);
        STAILQ_INSERT_TAIL(&report->notes, note, link);
        return true;
    }
    if (is_message)
        note_free(note);
    else
        free(note);
    return false;
}

static double optional_real(const struct strict_place *task, const char *key, double most)
{
    const struct strict_place place = strict_member(task, key);
    double value = NAN;

    if (!strict_is_missing(&place) && !json_is_null(place.value))
        strict_number(&place, 0.0, most, &value);
    return value;
}

/* Finds how many lines of the try are here, what it may report of, and the hash of the file that it
 * has named; "": none yet. API_NOT_FOUND: nothing of it is wanted, as it has ended. */
static enum api_error find_try(struct store *reader, struct report *report, int64_t *ret_lines,
                               char ret_sha256[BLOB_SHA256_MAX])
{
    const struct task_holder *holder = &report->holder;
    struct node_try try;
    struct check_try check;
    enum api_error error = node_store_try(reader, holder, &try);

    report->is_check = error == API_NOT_FOUND;
    if (report->is_check) {
        error = check_store_try(reader, holder, &check);
        if (error == API_OK)
            try = (struct node_try){.lines = check.lines, .is_leased = check.is_leased};
        if (error == API_OK)
            memcpy(try.sha256, check.sha256, sizeof try.sha256);
    }
    if (error == API_OK)
        error = task_store_run(reader, holder->job, holder->number, report->run);
    if (error == API_OK && !try.is_leased)
        error = API_NOT_FOUND;
    if (error != API_OK)
        return error;
    *ret_lines = try.lines;
    memcpy(ret_sha256, try.sha256, BLOB_SHA256_MAX);
    return API_OK;
}

/* Hashes the answer of a task that is done: always that of a second node, else sometimes, so that a
 * node cannot know when. */
static bool read_answer(const struct strict_place *lines, const struct base *base,
                        struct report *report, const char *sha256)
{
    const struct note *note, *done = NULL;
    char path[BLOB_PATH_MAX];
    int64_t bytes;

    STAILQ_FOREACH(note, &report->notes, link)
    {
        if (note->message.type == WIRE_OUTPUT)
            sha256 = note->message.output.sha256;
        if (note->message.type == WIRE_DONE && !note->message.result.cancelled)
            done = note;
    }
    bool is_drawn = randombytes_uniform(100) < (uint32_t)base->config->check_percent;
    if (!done || (!report->is_check && !is_drawn) ||
        (*sha256 && !blob_find(base->config->data, sha256, path, &bytes)))
        return true;
    return answer_hash(done->message.result.result, *sha256 ? path : NULL, report->answer) ==
               API_OK ||
           strict_refuse(lines, "no_memory", "memory is short");
}

static bool read_report(const struct strict_place *task, struct store *reader,
                        const struct base *base, struct report *report)
{
    static const char *const keys[] = {"job",   "number",   "token", "from",
                                       "lines", "progress", "eta_s", NULL};
    const struct strict_place job = strict_member(task, "job");
    const struct strict_place number = strict_member(task, "number");
    const struct strict_place token = strict_member(task, "token");
    const struct strict_place from = strict_member(task, "from");
    const struct strict_place lines = strict_member(task, "lines");
    char sha256[BLOB_SHA256_MAX] = "";
    int64_t here = 0;

    STAILQ_INIT(&report->notes);
    if (!strict_object(task, keys))
        return false;
    bool good = strict_whole(&job, 1, INT64_MAX, &report->holder.job);
    good = strict_whole(&number, 1, INT64_MAX, &report->holder.number) && good;
    good = strict_text(&token, JOB_TOKEN_MAX - 1, &report->holder.token) && good;
    good = strict_whole(&from, 1, INT64_MAX / 2, &report->from) && good;
    good = strict_array(&lines, 0, LINES_MAX) && good;
    report->progress = optional_real(task, "progress", 1.0);
    report->eta_s = optional_real(task, "eta_s", 1e12);
    if (!good || strict_mistakes(task) > 0)
        return false;
    report->count = (int64_t)json_array_size(lines.value);
    enum api_error error = find_try(reader, report, &here, sha256);
    if (error != API_OK && error != API_NOT_FOUND)
        return strict_refuse(&lines, "no_memory", "the service cannot read its own notes");
    report->is_wanted = error == API_OK;
    report->is_compared = report->is_check || base->config->check_percent > 0;
    if (!report->is_wanted)
        return true; /* it will be told to stop */
    report->first = here + 1 > report->from ? here + 1 : report->from;
    for (int64_t k = report->first - report->from; k < report->count; k++) {
        const struct strict_place line = strict_element(&lines, (size_t)k);
        if (!read_line(&line, base->config->data, report))
            return false;
    }
    return read_answer(&lines, base, report, sha256);
}

struct node_reports *node_reports_read(const struct strict_place *list, struct store *reader,
                                       const struct base *base)
{
    size_t count = json_array_size(list->value);
    struct node_reports *reports = NULL;

    if (!strict_array(list, 0, NODE_REPORTS_MAX))
        return NULL;
    reports = calloc(1, sizeof *reports + count * sizeof reports->report[0]);
    for (size_t k = 0; reports && k < count; k++) {
        const struct strict_place task = strict_element(list, k);
        reports->count = k + 1;
        if (!read_report(&task, reader, base, &reports->report[k])) {
            node_reports_free(reports);
            return NULL;
        }
    }
    return reports;
}

/* ---- keeping, in a transaction ---- */

static enum api_error read_claim(struct store *store, const struct report *report,
                                 struct job_claim *ret_claim)
{
    json_t *job;
    enum api_error error = job_store_get(store, report->holder.job, &job);

    if (error != API_OK)
        return error;
    struct job_claim claim = {.id = report->holder.job,
                              .task = report->holder.number,
                              .spec = json_dumps(json_object_get(job, "spec"), JSON_COMPACT)};
    snprintf(claim.kind, sizeof claim.kind, "%s", json_string_value(json_object_get(job, "kind")));
    snprintf(claim.token, sizeof claim.token, "%s", report->holder.token);
    json_decref(job);
    if (!claim.spec)
        return API_NO_MEMORY;
    *ret_claim = claim;
    return API_OK;
}

static const char *wish_of(const struct node_try *try, const struct node_row *node)
{
    if (strcmp(try->wanted, "cancelled") == 0)
        return "cancel";
    return strcmp(try->wanted, "paused") == 0 || node->state == NODE_DRAINING ? "drain" : NULL;
}

static struct note_keeper keeper_of(const struct report *report, struct store *store,
                                    const char *data, int64_t now_ms)
{
    return (struct note_keeper){.store = store,
                                .claim = &report->claim,
                                .data = data,
                                .now_ms = now_ms,
                                .gone_files = report->gone_files,
                                .gone_weights = report->gone_weights,
                                .news = report->news};
}

static enum api_error keep_lines(struct report *report, struct store *store, const char *data,
                                 int64_t now_ms)
{
    struct note_keeper keeper = keeper_of(report, store, data, now_ms);
    enum job_state state;
    const struct note *note;

    STAILQ_FOREACH(note, &report->notes, link)
    {
        enum wire_type type = note->message.type;
        keeper.made_progress = keeper.made_progress || type == WIRE_CHECKPOINT;
        report->is_ready_again = type == WIRE_FAILED || type == WIRE_RELEASED;
    }
    return notes_keep(&report->notes, &keeper, &state);
}

/* Tells the node to stop: the try is not its own any more. */
static enum api_error tell_to_stop(struct report *report)
{
    report->wish = "stop";
    report->reason = "the task is not leased to this node any more";
    return API_OK;
}

/* API_STATE: lines between those that are here and those that came are missing. */
static enum api_error check_order(const struct report *report, int64_t here,
                                  char ret_why[NODE_REPORTS_WHY_MAX])
{
    if (report->from <= here + 1)
        return API_OK;
    snprintf(ret_why, NODE_REPORTS_WHY_MAX,
             "task %lld of job %lld: lines from %lld on came, but those from %lld on are missing",
             (long long)report->holder.number, (long long)report->holder.job,
             (long long)report->from, (long long)here + 1);
    return API_STATE;
}

/* Another request may have brought some of the lines since they were read. */
static void drop_known(struct report *report, int64_t here)
{
    for (; report->first <= here && !STAILQ_EMPTY(&report->notes); report->first++) {
        struct note *note = STAILQ_FIRST(&report->notes);
        STAILQ_REMOVE_HEAD(&report->notes, link);
        note_free(note);
    }
}

/* A second answer: nothing of it is kept but what it is compared with. */
static enum api_error keep_check(struct report *report, struct store *store,
                                 const struct base *base, const struct node_row *node,
                                 int64_t now_ms, char ret_why[NODE_REPORTS_WHY_MAX])
{
    int64_t end = report->from + report->count - 1;
    char answer[ANSWER_MAX];
    const struct note *note;
    struct check_try check;
    enum api_error error = check_store_try(store, &report->holder, &check);

    if (error == API_NOT_FOUND || (error == API_OK && (!report->is_wanted || !check.is_leased ||
                                                       strcmp(check.checker, node->name) != 0)))
        return tell_to_stop(report);
    if (error == API_OK)
        error = check_order(report, check.lines, ret_why);
    if (error != API_OK)
        return error;
    drop_known(report, check.lines);
    STAILQ_FOREACH(note, &report->notes, link)
    {
        if (note->message.type == WIRE_OUTPUT)
            memcpy(check.sha256, note->message.output.sha256, sizeof check.sha256);
        if (note->said[0])
            answer_add(check.said, note->said);
    }
    check.lines = end > check.lines ? end : check.lines;
    error = check_store_beat(store, &report->holder, &check, now_ms, base->config->node_lease_ms);
    memcpy(answer, report->answer, sizeof answer);
    if (check.has_said)
        answer_add(answer, check.said);
    if (error == API_OK && report->has_last_word)
        error = *report->answer ? check_store_answer(store, &report->holder, answer, now_ms)
                                : check_store_give_back(store, &report->holder);
    report->acknowledged = check.lines;
    report->wish = node->state == NODE_DRAINING ? "drain" : NULL;
    return error;
}

/* Adds what the new lines say to what was said before, and notes it. */
static enum api_error keep_said(const struct report *report, struct node_try *try,
                                struct store *store, int64_t end)
{
    const struct note *note;
    enum api_error error = API_OK;

    try->is_said_known = try->is_said_known && report->is_compared;
    STAILQ_FOREACH(note, &report->notes, link)
    {
        if (note->said[0])
            answer_add(try->said, note->said);
        if (error == API_OK && note->message.type == WIRE_CHECKPOINT)
            error = node_store_said(store, &report->holder, try->is_said_known ? try->said : NULL);
    }
    return error == API_OK && end > try->lines
               ? node_store_lines(store, &report->holder, end,
                                  try->is_said_known ? try->said : NULL)
               : error;
}

/* Lets a second node do the task, too. */
static enum api_error add_check(const struct report *report, const struct node_try *try,
                                struct store *store, const char *node, int64_t now_ms)
{
    char answer[ANSWER_MAX];
    const struct check_new check = {.job = report->holder.job,
                                    .number = report->holder.number,
                                    .node = node,
                                    .answer = answer,
                                    .has_said = try->is_said_known};

    memcpy(answer, report->answer, sizeof answer);
    if (try->is_said_known)
        answer_add(answer, try->said);
    return check_store_add(store, &check, now_ms);
}

/* Stores the new lines of a try that is leased. */
static enum api_error keep_new(struct report *report, struct node_try *try, struct store *store,
                               const struct base *base, const struct node_row *node, int64_t now_ms)
{
    int64_t end = report->from + report->count - 1; /* number of the last line */
    enum api_error error =
        task_store_beat(store, &report->holder, now_ms, base->config->node_lease_ms);

    if (error == API_OK)
        error = read_claim(store, report, &report->claim);
    if (error == API_OK)
        error = keep_lines(report, store, base->config->data, now_ms);
    if (error == API_OK)
        error = keep_said(report, try, store, end);
    if (error == API_OK && *report->answer && answer_is_comparable(report->claim.spec))
        error = add_check(report, try, store, node->name, now_ms);
    if (error == API_OK && !report->has_last_word &&
        !task_news_running(report->news, report->holder.number, report->progress, report->eta_s))
        error = API_NO_MEMORY;
    report->acknowledged = end > try->lines ? end : try->lines;
    return error;
}

static enum api_error keep_report(struct report *report, struct store *store,
                                  const struct base *base, const struct node_row *node,
                                  int64_t now_ms, char ret_why[NODE_REPORTS_WHY_MAX])
{
    struct node_try try;

    if (report->is_check)
        return keep_check(report, store, base, node, now_ms, ret_why);
    enum api_error error = node_store_try(store, &report->holder, &try);
    report->acknowledged = error == API_OK ? try.lines : 0;
    if (error == API_NOT_FOUND || (error == API_OK && (!report->is_wanted || !try.is_leased ||
                                                       strcmp(try.node, node->name) != 0)))
        return tell_to_stop(report);
    if (error == API_OK)
        error = check_order(report, try.lines, ret_why);
    if (error != API_OK)
        return error;
    report->news = json_array();
    report->gone_files = json_array();
    report->gone_weights = json_array();
    if (!report->news || !report->gone_files || !report->gone_weights)
        return API_NO_MEMORY;
    drop_known(report, try.lines);
    error = keep_new(report, &try, store, base, node, now_ms);
    if (error == API_BAD_FIELD || error == API_NOT_FOUND || error == API_EXISTS)
        snprintf(ret_why, NODE_REPORTS_WHY_MAX,
                 "task %lld of job %lld: a line cannot be stored: %s",
                 (long long)report->holder.number, (long long)report->holder.job,
                 api_error_title(error));
    report->is_kept = error == API_OK;
    report->wish = wish_of(&try, node);
    return error;
}

enum api_error node_reports_keep(struct node_reports *reports, struct store *store,
                                 const struct base *base, const struct node_row *node,
                                 int64_t now_ms, char ret_why[NODE_REPORTS_WHY_MAX])
{
    enum api_error error = API_OK;

    *ret_why = '\0';
    for (size_t k = 0; error == API_OK && k < reports->count; k++)
        error = keep_report(&reports->report[k], store, base, node, now_ms, ret_why);
    /* Only now, as one of them may be refused. */
    for (size_t k = 0; error == API_OK && k < reports->count; k++) {
        const struct report *report = &reports->report[k];
        const struct note_keeper keeper = keeper_of(report, store, base->config->data, now_ms);
        if (report->is_kept)
            error = notes_place(&report->notes, &keeper);
    }
    return error;
}

json_t *node_reports_json(const struct node_reports *reports)
{
    json_t *list = json_array();
    bool good = list != NULL;

    for (size_t k = 0; good && k < reports->count; k++) {
        const struct report *report = &reports->report[k];
        good = build_append(list, json_pack("{s:I, s:I, s:s, s:I, s:s?, s:s?}", "job",
                                            (json_int_t)report->holder.job, "number",
                                            (json_int_t)report->holder.number, "token",
                                            report->holder.token, "acknowledged",
                                            (json_int_t)report->acknowledged, "wish", report->wish,
                                            "reason", report->reason));
    }
    list = build_done(list, good);
    return list ? json_pack("{s:o}", "tasks", list) : NULL;
}

/* ---- after the commit ---- */

static void remove_gone(const struct report *report, const struct base *base)
{
    const char *data = base->config->data;
    const json_t *gone;
    size_t k;

    job_folder_remove_files(data, report->holder.job, report->gone_files);
    json_array_foreach(report->gone_weights, k, gone)
        model_file_remove(base->core, data, json_string_value(gone));
}

bool node_reports_tell(struct node_reports *reports, const struct base *base,
                       struct supervisor *supervisor)
{
    bool is_ready_again = false;

    for (size_t k = 0; k < reports->count; k++) {
        const struct report *report = &reports->report[k];
        const struct note *note;
        if (!report->is_kept)
            continue;
        remove_gone(report, base);
        if (json_array_size(report->news) > 0)
            supervisor_tell_lead(supervisor, report->holder.job, report->news);
        STAILQ_FOREACH(note, &report->notes, link)
        {
            if (note->message.type == WIRE_METRICS)
                job_events_said(base->events, &report->claim, &note->message);
            if (note->message.type == WIRE_DONE)
                metrics_count(base->metrics, METRIC_TASKS_DONE, 1);
            if (note->message.type == WIRE_FAILED)
                metrics_count(base->metrics, METRIC_TASKS_FAILED, 1);
        }
        is_ready_again = is_ready_again || report->is_ready_again;
    }
    return is_ready_again;
}
