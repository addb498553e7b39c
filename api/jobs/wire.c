/* Reads and writes the lines between the daemon and its workers. See wire.h. */
#include "api/jobs/wire.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    KINDS_MAX = 64,
    RUNS_MAX = 256,
    NAME_MAX_BYTES = 128, /* of kinds, versions, runs, metrics and error codes */
    TEXT_MAX = 4096,      /* of notes and details */
    PATH_MAX_BYTES = 4095,
    SHA256_DIGITS = 64,
    MEMBERS_MAX = 10 /* of a message */
};

static const char *const not_numbers[] = {"NaN", "Infinity", "-Infinity", NULL};

/* ---- members ---- */

enum member_type {
    TEXT,   /* const char *, at most `most` bytes */
    FILE_,  /* const char *, the name of a file in the job's folder */
    HASH,   /* const char *, a SHA-256 */
    POLICY, /* const char *, the name of a policy */
    WHOLE,  /* int64_t, from `least` on */
    NUMBER, /* double, 0 to `most`, NAN where absent */
    VALUE,  /* double, NAN and infinities as texts */
    FLAG,   /* bool */
    OBJECT, /* json_t *, any object */
    TEXTS,  /* json_t *, `least` to `most` texts */
    ROWS,   /* json_t *, the rows of metrics */
    OFFERS, /* json_t *, at most `most` tasks */
    LEAD,   /* struct wire_job: is_lead and tasks */
    TASK,   /* struct wire_job: task */
    STATE   /* enum wire_task_state */
};

enum presence { NEEDED, OPTIONAL, OPTIONAL_OR_NULL };

struct member {
    const char *key; /* NULL: the end */
    enum member_type type;
    enum presence presence;
    size_t offset; /* in the struct that it is read into */
    int64_t least, most;
};

static void read_members(const struct strict_place *object, const struct member *members,
                         void *target, bool is_message);

#define ROW(field) offsetof(struct wire_metric, field)
static const struct member row_members[] = {{"run", TEXT, NEEDED, ROW(run), 0, NAME_MAX_BYTES},
                                            {"name", TEXT, NEEDED, ROW(name), 0, NAME_MAX_BYTES},
                                            {"step", WHOLE, NEEDED, ROW(step), INT64_MIN, 0},
                                            {"value", VALUE, NEEDED, ROW(value), 0, 0},
                                            {0}};

#define OFFER(field) offsetof(struct wire_offer, field)
static const struct member offer_members[] = {
    {"number", WHOLE, NEEDED, OFFER(number), 1, 0},
    {"cores", WHOLE, OPTIONAL, OFFER(cores), 1, WIRE_TASK_CORES_MAX},
    {"spec", OBJECT, NEEDED, OFFER(spec), 0, 0},
    {0}};

static const struct member lead_members[] = {
    {"hands", WHOLE, NEEDED, offsetof(struct wire_job, tasks.hands), 1, 0},
    {"merged", WHOLE, NEEDED, offsetof(struct wire_job, tasks.merged), 0, 0},
    {"open", OFFERS, NEEDED, offsetof(struct wire_job, tasks.open), 0, WIRE_TASKS_OPEN},
    {"liar", TEXT, OPTIONAL, offsetof(struct wire_job, tasks.liar), 0, NAME_MAX_BYTES},
    {0}};

static const struct member task_members[] = {
    {"number", WHOLE, NEEDED, offsetof(struct wire_job, task.number), 1, 0},
    {"spec", OBJECT, NEEDED, offsetof(struct wire_job, task.spec), 0, 0},
    {0}};

static const char *const task_state_names[] = {
    [WIRE_TASK_RUNNING] = "running",
    [WIRE_TASK_DONE] = "done",
    [WIRE_TASK_CANCELLED] = "cancelled",
    [WIRE_TASK_FAILED] = "failed",
    NULL,
};

static void read_text(const struct strict_place *place, const struct member *member,
                      const char **ret_text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";

    if (!strict_text(place, (size_t)member->most, ret_text))
        return;
    const char *text = *ret_text;
    if (member->type == FILE_ && (strchr(text, '/') || text[0] == '.'))
        strict_refuse(place, "value", "must be the name of a file in the job's folder");
    else if (member->type == HASH && strspn(text, "0123456789abcdef") != SHA256_DIGITS)
        strict_refuse(place, "value", "must be %d hexadecimal digits", SHA256_DIGITS);
    else if (member->type == POLICY && (text[strspn(text, letters)] || strchr("_-", text[0])))
        strict_refuse(place, "value", "must be of a-z, 0-9, _ and -, a letter or digit first");
}

static void read_value(const struct strict_place *place, double *ret_value)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    int which;

    if (!json_is_string(place->value))
        strict_number(place, -HUGE_VAL, HUGE_VAL, ret_value);
    else if (strict_choice(place, not_numbers, &which))
        *ret_value = values[which];
}

static void read_list(const struct strict_place *place, const struct member *member,
                      json_t **ret_list)
{
    if (!strict_array(place, (size_t)member->least, (size_t)member->most))
        return;
    for (size_t k = 0; k < json_array_size(place->value); k++) {
        const struct strict_place element = strict_element(place, k);
        struct wire_metric row;
        struct wire_offer offer;
        const char *text;
        if (member->type == TEXTS)
            strict_text(&element, NAME_MAX_BYTES, &text);
        else if (member->type == OFFERS)
            read_members(&element, offer_members, &offer, false);
        else
            read_members(&element, row_members, &row, false);
    }
    *ret_list = place->value;
}

static void read_state(const struct strict_place *place, enum wire_task_state *ret_state)
{
    int which;

    if (strict_choice(place, task_state_names, &which))
        *ret_state = (enum wire_task_state)which;
}

static void read_member(const struct strict_place *place, const struct member *member, void *at)
{
    bool is_absent = strict_is_missing(place) ||
                     (member->presence == OPTIONAL_OR_NULL && json_is_null(place->value));

    if (member->type == NUMBER)
        *(double *)at = NAN;
    if (is_absent && member->presence != NEEDED)
        return;
    switch (member->type) {
    case TEXT:
    case FILE_:
    case HASH:
    case POLICY:
        read_text(place, member, at);
        break;
    case WHOLE:
        strict_whole(place, member->least, member->most ? member->most : INT64_MAX, at);
        break;
    case NUMBER:
        strict_number(place, 0.0, member->most ? (double)member->most : HUGE_VAL, at);
        break;
    case VALUE:
        read_value(place, at);
        break;
    case FLAG:
        strict_flag(place, at);
        break;
    case OBJECT:
        if (strict_object(place, NULL))
            *(json_t **)at = place->value;
        break;
    case TEXTS:
    case ROWS:
    case OFFERS:
        read_list(place, member, at);
        break;
    case LEAD:
        ((struct wire_job *)at)->is_lead = true;
        read_members(place, lead_members, at, false);
        break;
    case TASK:
        read_members(place, task_members, at, false);
        break;
    case STATE:
        read_state(place, at);
        break;
    }
}

/* Reads an object of these members; "type" is allowed too if it is a whole message. */
static void read_members(const struct strict_place *object, const struct member *members,
                         void *target, bool is_message)
{
    const char *keys[MEMBERS_MAX + 2] = {NULL};
    int count = 0;

    for (; members[count].key; count++)
        keys[count] = members[count].key;
    if (is_message)
        keys[count] = "type";
    if (!strict_object(object, keys))
        return;
    for (const struct member *member = members; member->key; member++) {
        const struct strict_place place = strict_member(object, member->key);
        read_member(&place, member, (char *)target + member->offset);
    }
}

/* ---- messages ---- */

#define AT(field) offsetof(struct wire_message, field)

static const struct member members[][MEMBERS_MAX + 1] = {
    [WIRE_JOB] = {{"id", WHOLE, NEEDED, AT(job.id), 1, 0},
                  {"attempt", WHOLE, NEEDED, AT(job.attempt), 1, 0},
                  {"kind", TEXT, NEEDED, AT(job.kind), 0, NAME_MAX_BYTES},
                  {"folder", TEXT, NEEDED, AT(job.folder), 0, PATH_MAX_BYTES},
                  {"spec", OBJECT, NEEDED, AT(job.spec), 0, 0},
                  {"runs", TEXTS, NEEDED, AT(job.runs), 0, RUNS_MAX},
                  {"checkpoint", OBJECT, OPTIONAL_OR_NULL, AT(job.checkpoint), 0, 0},
                  {"trial", FLAG, OPTIONAL, AT(job.is_trial), 0, 0},
                  {"tasks", LEAD, OPTIONAL, AT(job), 0, 0},
                  {"task", TASK, OPTIONAL, AT(job), 0, 0}},
    [WIRE_TASK] = {{"number", WHOLE, NEEDED, AT(task.number), 1, 0},
                   {"state", STATE, NEEDED, AT(task.state), 0, 0},
                   {"progress", NUMBER, OPTIONAL_OR_NULL, AT(task.progress), 0, 1},
                   {"eta_s", NUMBER, OPTIONAL_OR_NULL, AT(task.eta_s), 0, 0},
                   {"result", OBJECT, OPTIONAL, AT(task.result), 0, 0},
                   {"path", FILE_, OPTIONAL, AT(task.path), 0, NAME_MAX_BYTES},
                   {"seconds", NUMBER, OPTIONAL_OR_NULL, AT(task.seconds), 0, 0},
                   {"code", TEXT, OPTIONAL, AT(task.code), 0, NAME_MAX_BYTES},
                   {"detail", TEXT, OPTIONAL, AT(task.detail), 0, TEXT_MAX},
                   {"retryable", FLAG, OPTIONAL, AT(task.retryable), 0, 0}},
    [WIRE_HANDS] = {{"count", WHOLE, NEEDED, AT(hands.count), 1, 0}},
    [WIRE_HELLO] = {{"protocol", WHOLE, NEEDED, AT(hello.protocol), 1, 0},
                    {"version", TEXT, NEEDED, AT(hello.version), 0, NAME_MAX_BYTES},
                    {"kinds", TEXTS, NEEDED, AT(hello.kinds), 1, KINDS_MAX}},
    [WIRE_BEAT] = {{"progress", NUMBER, OPTIONAL_OR_NULL, AT(beat.progress), 0, 1},
                   {"eta_s", NUMBER, OPTIONAL_OR_NULL, AT(beat.eta_s), 0, 0},
                   {"note", TEXT, OPTIONAL, AT(beat.note), 0, TEXT_MAX}},
    [WIRE_METRICS] = {{"rows", ROWS, NEEDED, AT(metrics.rows), 0, WIRE_METRICS_MAX}},
    [WIRE_CHECKPOINT] = {{"run", TEXT, OPTIONAL, AT(checkpoint.run), 0, NAME_MAX_BYTES},
                         {"step", WHOLE, NEEDED, AT(checkpoint.step), 0, 0},
                         {"path", FILE_, NEEDED, AT(checkpoint.path), 0, NAME_MAX_BYTES},
                         {"sha256", HASH, NEEDED, AT(checkpoint.sha256), 0, SHA256_DIGITS}},
    [WIRE_MODEL] = {{"run", TEXT, NEEDED, AT(model.run), 0, NAME_MAX_BYTES},
                    {"name", POLICY, NEEDED, AT(model.name), 0, WIRE_POLICY_MAX - 1},
                    {"step", WHOLE, NEEDED, AT(model.step), 0, 0},
                    {"path", FILE_, NEEDED, AT(model.path), 0, NAME_MAX_BYTES},
                    {"sha256", HASH, NEEDED, AT(model.sha256), 0, SHA256_DIGITS}},
    [WIRE_PARTIAL] = {{"result", OBJECT, NEEDED, AT(result.result), 0, 0}},
    [WIRE_TASKS] = {{"tasks", OFFERS, NEEDED, AT(tasks.list), 1, WIRE_TASKS_MAX}},
    [WIRE_MERGED] = {{"through", WHOLE, NEEDED, AT(merged.through), 1, 0}},
    [WIRE_REFUSED] = {{"number", WHOLE, NEEDED, AT(refused.number), 1, 0},
                      {"detail", TEXT, NEEDED, AT(refused.detail), 0, TEXT_MAX}},
    [WIRE_DROPPED] = {{"through", WHOLE, NEEDED, AT(dropped.through), 1, 0}},
    [WIRE_OUTPUT] = {{"path", FILE_, NEEDED, AT(output.path), 0, NAME_MAX_BYTES},
                     {"sha256", HASH, NEEDED, AT(output.sha256), 0, SHA256_DIGITS}},
    [WIRE_DONE] = {{"result", OBJECT, NEEDED, AT(result.result), 0, 0},
                   {"cancelled", FLAG, OPTIONAL, AT(result.cancelled), 0, 0}},
    [WIRE_FAILED] = {{"code", TEXT, NEEDED, AT(failed.code), 0, NAME_MAX_BYTES},
                     {"detail", TEXT, NEEDED, AT(failed.detail), 0, TEXT_MAX},
                     {"retryable", FLAG, NEEDED, AT(failed.retryable), 0, 0}},
    [WIRE_RELEASED] = {{0}}};

static const char *const type_names[] = {
    [WIRE_JOB] = "job",
    [WIRE_CANCEL] = "cancel",
    [WIRE_DRAIN] = "drain",
    [WIRE_TASK] = "task",
    [WIRE_HANDS] = "hands",
    [WIRE_HELLO] = "hello",
    [WIRE_BEAT] = "beat",
    [WIRE_METRICS] = "metrics",
    [WIRE_CHECKPOINT] = "checkpoint",
    [WIRE_MODEL] = "model",
    [WIRE_PARTIAL] = "partial",
    [WIRE_TASKS] = "tasks",
    [WIRE_MERGED] = "merged",
    [WIRE_REFUSED] = "refused",
    [WIRE_DROPPED] = "dropped",
    [WIRE_OUTPUT] = "output",
    [WIRE_DONE] = "done",
    [WIRE_FAILED] = "failed",
    [WIRE_RELEASED] = "released",
    NULL,
};

/* Refuses what depends on more than one member. */
static void check_message(const struct strict_place *root, const struct wire_message *message)
{
    static const char *const needed[][2] = {
        [WIRE_TASK_DONE] = {"result"},
        [WIRE_TASK_CANCELLED] = {"result"},
        [WIRE_TASK_FAILED] = {"code", "detail"},
    };

    if (message->type == WIRE_JOB && message->job.is_lead && message->job.task.number != 0) {
        const struct strict_place task = strict_member(root, "task");
        strict_refuse(&task, "value", "must not stand beside \"tasks\"");
    }
    if (message->type != WIRE_TASK || message->task.state == WIRE_TASK_RUNNING)
        return;
    for (int k = 0; k < 2 && needed[message->task.state][k]; k++) {
        const struct strict_place member = strict_member(root, needed[message->task.state][k]);
        if (strict_is_missing(&member))
            strict_refuse(&member, "missing", "is missing");
    }
}

bool wire_take(const struct strict_place *root, struct wire_message *ret_message)
{
    const struct strict_place name = strict_member(root, "type");
    const int before = strict_mistakes(root);
    struct wire_message message;
    int type;

    if (!json_is_object(root->value)) {
        strict_refuse(root, "type", "is %s, must be an object", strict_type_name(root->value));
    } else if (strict_choice(&name, type_names, &type)) {
        memset(&message, 0, sizeof message); /* optional members start as absent */
        message.type = (enum wire_type)type;
        message.document = root->value;
        read_members(root, members[type], &message, true);
        if (strict_mistakes(root) == before)
            check_message(root, &message);
    }
    if (strict_mistakes(root) > before)
        return false;
    json_incref(message.document);
    *ret_message = message;
    return true;
}

bool wire_read(const char *line, size_t length, struct wire_message *ret_message,
               struct strict_errors *ret_errors)
{
    *ret_errors = (struct strict_errors){.count = 0};
    json_t *document = strict_parse(line, length, WIRE_LINE_MAX, WIRE_DEPTH_MAX, ret_errors);
    if (!document)
        return false;
    /* As in bodies of HTTP: the same result then has the same text, whichever way it came. */
    document = strict_make_whole(document);
    const struct strict_place root = strict_root(document, ret_errors);
    bool good = wire_take(&root, ret_message);
    json_decref(document);
    return good;
}

void wire_free(struct wire_message *message)
{
    json_decref(message->document);
    message->document = NULL;
}

struct wire_metric wire_metric(const struct wire_message *message, size_t index)
{
    struct strict_errors errors = {.count = 0};
    const struct strict_place root = strict_root(message->document, &errors);
    const struct strict_place rows = strict_member(&root, "rows"),
                              row = strict_element(&rows, index);
    struct wire_metric metric = {.value = NAN};

    read_members(&row, row_members, &metric,
                 false); /* cannot fail: checked when the message was read */
    return metric;
}

struct wire_offer wire_offer(const json_t *list, size_t index)
{
    struct strict_errors errors = {.count = 0};
    const struct strict_place place = strict_root(json_array_get(list, index), &errors);
    struct wire_offer offer = {.cores = 1};

    read_members(&place, offer_members, &offer, false); /* cannot fail, as above */
    return offer;
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
