/* Reads and writes the lines between the daemon and its workers. See wire.h. */
#include "api/wire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    KINDS_MAX = 64,
    RUNS_MAX = 256,
    NAME_MAX_BYTES = 128, /* of kinds, versions, runs, metrics and error codes */
    TEXT_MAX = 4096,      /* of notes and details */
    PATH_MAX_BYTES = 4095,
    SHA256_DIGITS = 64
};

static const char *const not_numbers[] = {"NaN", "Infinity", "-Infinity", NULL};

/* ---- parts ---- */

static bool read_flag(const struct strict_place *place, bool *ret_flag)
{
    if (strict_is_missing(place)) {
        *ret_flag = false;
        return true;
    }
    if (!json_is_boolean(place->value))
        return strict_refuse(place, "type", "must be true or false, not %s",
                             strict_type_name(place->value));
    *ret_flag = json_is_true(place->value);
    return true;
}

/* A number, or null or nothing: NAN. */
static bool read_maybe_number(const struct strict_place *place, double least, double most,
                              double *ret_number)
{
    *ret_number = NAN;
    return strict_is_missing(place) || json_is_null(place->value) ||
           strict_number(place, least, most, ret_number);
}

static bool read_maybe_text(const struct strict_place *place, size_t most, const char **ret_text)
{
    *ret_text = NULL;
    return strict_is_missing(place) || strict_text(place, most, ret_text);
}

/* An object of any content. */
static bool read_any_object(const struct strict_place *place, json_t **ret_object)
{
    if (strict_is_missing(place))
        return strict_refuse(place, "missing", "is missing");
    if (!json_is_object(place->value))
        return strict_refuse(place, "type", "must be an object, not %s",
                             strict_type_name(place->value));
    *ret_object = place->value;
    return true;
}

static bool read_texts(const struct strict_place *place, size_t least, size_t most,
                       json_t **ret_texts)
{
    bool good = strict_array(place, least, most);

    for (size_t k = 0; good && k < json_array_size(place->value); k++) {
        const struct strict_place element = strict_element(place, k);
        const char *text;
        good = strict_text(&element, NAME_MAX_BYTES, &text);
    }
    *ret_texts = place->value;
    return good;
}

static bool read_value(const struct strict_place *place, double *ret_value)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    int which;

    if (!json_is_string(place->value))
        return strict_number(place, -HUGE_VAL, HUGE_VAL, ret_value);
    if (!strict_choice(place, not_numbers, &which))
        return false;
    *ret_value = values[which];
    return true;
}

static bool read_row(const struct strict_place *place, struct wire_metric *ret_row)
{
    static const char *const keys[] = {"run", "name", "step", "value", NULL};

    if (!strict_object(place, keys))
        return false;
    const struct strict_place run = strict_member(place, "run"),
                              name = strict_member(place, "name"),
                              step = strict_member(place, "step"),
                              value = strict_member(place, "value");
    bool good = strict_text(&run, NAME_MAX_BYTES, &ret_row->run);
    good = strict_text(&name, NAME_MAX_BYTES, &ret_row->name) && good;
    good = strict_whole(&step, INT64_MIN, INT64_MAX, &ret_row->step) && good;
    return read_value(&value, &ret_row->value) && good;
}

/* ---- one reader for each type, with the keys besides "type" ---- */

#define MEMBER(key) strict_member(root, key)

static bool read_job(const struct strict_place *root, struct wire_message *message)
{
    const struct strict_place id = MEMBER("id"), attempt = MEMBER("attempt"), kind = MEMBER("kind"),
                              folder = MEMBER("folder"), spec = MEMBER("spec"),
                              runs = MEMBER("runs"), checkpoint = MEMBER("checkpoint");
    bool good = strict_whole(&id, 1, INT64_MAX, &message->job.id);

    good = strict_whole(&attempt, 1, INT64_MAX, &message->job.attempt) && good;
    good = strict_text(&kind, NAME_MAX_BYTES, &message->job.kind) && good;
    good = strict_text(&folder, PATH_MAX_BYTES, &message->job.folder) && good;
    good = read_any_object(&spec, &message->job.spec) && good;
    good = read_texts(&runs, 0, RUNS_MAX, &message->job.runs) && good;
    message->job.checkpoint = NULL;
    if (!strict_is_missing(&checkpoint) && !json_is_null(checkpoint.value))
        good = read_any_object(&checkpoint, &message->job.checkpoint) && good;
    return good;
}

static bool read_nothing(const struct strict_place *root, struct wire_message *message)
{
    (void)root;
    (void)message;
    return true;
}

static bool read_hello(const struct strict_place *root, struct wire_message *message)
{
    const struct strict_place protocol = MEMBER("protocol"), version = MEMBER("version"),
                              kinds = MEMBER("kinds");
    bool good = strict_whole(&protocol, 1, INT64_MAX, &message->hello.protocol);

    good = strict_text(&version, NAME_MAX_BYTES, &message->hello.version) && good;
    return read_texts(&kinds, 1, KINDS_MAX, &message->hello.kinds) && good;
}

static bool read_beat(const struct strict_place *root, struct wire_message *message)
{
    const struct strict_place progress = MEMBER("progress"), eta = MEMBER("eta_s"),
                              note = MEMBER("note");
    bool good = read_maybe_number(&progress, 0.0, 1.0, &message->beat.progress);

    good = read_maybe_number(&eta, 0.0, HUGE_VAL, &message->beat.eta_s) && good;
    return read_maybe_text(&note, TEXT_MAX, &message->beat.note) && good;
}

static bool read_metrics(const struct strict_place *root, struct wire_message *message)
{
    const struct strict_place rows = MEMBER("rows");
    bool good = strict_array(&rows, 0, WIRE_METRICS_MAX);

    for (size_t k = 0; good && k < json_array_size(rows.value); k++) {
        const struct strict_place row = strict_element(&rows, k);
        struct wire_metric metric;
        good = read_row(&row, &metric);
    }
    message->metrics.rows = rows.value;
    return good;
}

/* A file in the job's folder and its hash. */
static bool read_file(const struct strict_place *root, const char **ret_path,
                      const char **ret_sha256)
{
    const struct strict_place path = MEMBER("path"), sha256 = MEMBER("sha256");
    bool good = strict_text(&path, NAME_MAX_BYTES, ret_path);

    if (good && (strchr(*ret_path, '/') || (*ret_path)[0] == '.'))
        good = strict_refuse(&path, "value", "must be the name of a file in the job's folder");
    if (!strict_text(&sha256, SHA256_DIGITS, ret_sha256))
        good = false;
    else if (strspn(*ret_sha256, "0123456789abcdef") != SHA256_DIGITS)
        good = strict_refuse(&sha256, "value", "must be %d hexadecimal digits", SHA256_DIGITS);
    return good;
}

static bool read_checkpoint(const struct strict_place *root, struct wire_message *message)
{
    const struct strict_place run = MEMBER("run"), step = MEMBER("step");
    bool good = read_maybe_text(&run, NAME_MAX_BYTES, &message->checkpoint.run);

    good = strict_whole(&step, 0, INT64_MAX, &message->checkpoint.step) && good;
    return read_file(root, &message->checkpoint.path, &message->checkpoint.sha256) && good;
}

static bool read_model(const struct strict_place *root, struct wire_message *message)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    const struct strict_place run = MEMBER("run"), name = MEMBER("name"), step = MEMBER("step");
    bool good = strict_text(&run, NAME_MAX_BYTES, &message->model.run);

    if (!strict_text(&name, WIRE_POLICY_MAX - 1, &message->model.name))
        good = false;
    else if (message->model.name[strspn(message->model.name, letters)] ||
             strchr("_-", message->model.name[0]))
        good =
            strict_refuse(&name, "value", "must be of a-z, 0-9, _ and -, a letter or digit first");
    good = strict_whole(&step, 0, INT64_MAX, &message->model.step) && good;
    return read_file(root, &message->model.path, &message->model.sha256) && good;
}

static bool read_partial(const struct strict_place *root, struct wire_message *message)
{
    const struct strict_place result = MEMBER("result");

    message->result.cancelled = false;
    return read_any_object(&result, &message->result.result);
}

static bool read_done(const struct strict_place *root, struct wire_message *message)
{
    const struct strict_place result = MEMBER("result"), cancelled = MEMBER("cancelled");
    bool good = read_any_object(&result, &message->result.result);

    return read_flag(&cancelled, &message->result.cancelled) && good;
}

static bool read_failed(const struct strict_place *root, struct wire_message *message)
{
    const struct strict_place code = MEMBER("code"), detail = MEMBER("detail"),
                              retryable = MEMBER("retryable");
    bool good = strict_text(&code, NAME_MAX_BYTES, &message->failed.code);

    good = strict_text(&detail, TEXT_MAX, &message->failed.detail) && good;
    if (strict_is_missing(&retryable))
        return strict_refuse(&retryable, "missing", "is missing");
    return read_flag(&retryable, &message->failed.retryable) && good;
}

static const struct {
    bool (*read)(const struct strict_place *root, struct wire_message *message);
    const char *keys[9];
} types[] = {
    [WIRE_JOB] = {read_job,
                  {"type", "id", "kind", "spec", "runs", "folder", "attempt", "checkpoint"}},
    [WIRE_CANCEL] = {read_nothing, {"type"}},
    [WIRE_DRAIN] = {read_nothing, {"type"}},
    [WIRE_HELLO] = {read_hello, {"type", "protocol", "version", "kinds"}},
    [WIRE_BEAT] = {read_beat, {"type", "progress", "eta_s", "note"}},
    [WIRE_METRICS] = {read_metrics, {"type", "rows"}},
    [WIRE_CHECKPOINT] = {read_checkpoint, {"type", "run", "path", "sha256", "step"}},
    [WIRE_MODEL] = {read_model, {"type", "run", "name", "path", "sha256", "step"}},
    [WIRE_PARTIAL] = {read_partial, {"type", "result"}},
    [WIRE_DONE] = {read_done, {"type", "result", "cancelled"}},
    [WIRE_FAILED] = {read_failed, {"type", "code", "detail", "retryable"}},
    [WIRE_RELEASED] = {read_nothing, {"type"}},
};

static const char *const type_names[] = {
    [WIRE_JOB] = "job",
    [WIRE_CANCEL] = "cancel",
    [WIRE_DRAIN] = "drain",
    [WIRE_HELLO] = "hello",
    [WIRE_BEAT] = "beat",
    [WIRE_METRICS] = "metrics",
    [WIRE_CHECKPOINT] = "checkpoint",
    [WIRE_MODEL] = "model",
    [WIRE_PARTIAL] = "partial",
    [WIRE_DONE] = "done",
    [WIRE_FAILED] = "failed",
    [WIRE_RELEASED] = "released",
    NULL,
};

bool wire_read(const char *line, size_t length, struct wire_message *ret_message,
               struct strict_errors *ret_errors)
{
    struct strict_errors *errors = ret_errors;
    struct wire_message message;
    int type;

    *errors = (struct strict_errors){.count = 0};
    json_t *document = strict_parse(line, length, WIRE_LINE_MAX, WIRE_DEPTH_MAX, errors);
    if (!document)
        return false;
    const struct strict_place root = strict_root(document, errors);
    const struct strict_place name = strict_member(&root, "type");
    bool good = json_is_object(document) ? strict_choice(&name, type_names, &type)
                                         : strict_refuse(&root, "type", "must be an object, not %s",
                                                         strict_type_name(document));
    if (good) {
        message = (struct wire_message){.type = (enum wire_type)type, .document = document};
        good = strict_object(&root, types[type].keys) && types[type].read(&root, &message);
    }
    if (!good || errors->count > 0) {
        json_decref(document);
        return false;
    }
    *ret_message = message;
    return true;
}

void wire_free(struct wire_message *message)
{
    json_decref(message->document);
    message->document = NULL;
}

struct wire_metric wire_metric(const struct wire_message *message, size_t index)
{
    struct strict_errors errors = {.count = 0};
    const struct strict_place row =
        strict_root(json_array_get(message->metrics.rows, index), &errors);
    struct wire_metric metric = {.value = NAN};

    (void)read_row(&row, &metric); /* already read */
    return metric;
}

json_t *wire_number(double value)
{
    if (isfinite(value))
        return json_real(value);
    return json_string(not_numbers[isnan(value) ? 0 : value > 0.0 ? 1 : 2]);
}

char *wire_line(json_t *document)
{
    char *text = document ? json_dumps(document, JSON_COMPACT) : NULL;

    json_decref(document);
    if (!text)
        return NULL;
    size_t length = strlen(text);
    /* Replaces the final 0 by the line end and adds a new 0. */
    char *line = length <= WIRE_LINE_MAX ? realloc(text, length + 2) : NULL;
    if (!line) {
        free(text);
        return NULL;
    }
    line[length] = '\n';
    line[length + 1] = '\0';
    return line;
}
