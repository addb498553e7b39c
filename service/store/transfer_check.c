/* See transfer_check.h. */
#include "service/store/transfer_check.h"

#include "api/base/load_json.h"
#include "api/curling/game_json.h"
#include "api/jobs/job_json.h"
#include "service/store/jobs.h"
#include "service/store/registry.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Whole numbers that all readers of JSON can tell apart, and that leave room for sums. */
#define WHOLE_MOST ((int64_t)1 << 53)
/* The end of the year 9999. */
#define TIME_MOST_MS    INT64_C(253402300799999)
#define DURATION_MOST_S 1e12

enum { RUN_DIGITS = 32, SHA_DIGITS = 64, LINE_MOST = 255, FILE_MOST = 255 };

enum form {
    FORM_WHOLE,    /* from `least` to `most` */
    FORM_NUMBER,   /* finite, from `least` to `most` */
    FORM_INFINITE, /* any number */
    FORM_TEXT,     /* of `least` to `most` bytes */
    FORM_HEX,      /* `most` digits */
    FORM_NAME,     /* of a model, an alias or a player */
    FORM_FILE,     /* a name in the folder of the job */
    FORM_KIND,     /* of a job */
    FORM_JSON,     /* any JSON that is no scalar */
    FORM_OBJECT,
    FORM_TEXTS /* JSON: a list of texts or an object of texts */
};

struct rule {
    const char *table, *column;
    enum form form;
    double least, most;
};

#define WHOLE(table, column, least, most)                \
    {                                                    \
        table, column, FORM_WHOLE, least, (double)(most) \
    }
#define NUMBER(table, column, least, most)      \
    {                                           \
        table, column, FORM_NUMBER, least, most \
    }
#define TEXT(table, column, least, most)      \
    {                                         \
        table, column, FORM_TEXT, least, most \
    }
#define OTHER(table, column, form)    \
    {                                 \
        table, column, form, 0.0, 0.0 \
    }

/* Columns that are not here hold whatever their type allows: times by their names, finite numbers,
 * whole numbers up to WHOLE_MOST, any text. */
static const struct rule rules[] = {
    OTHER("job", "kind", FORM_KIND),
    OTHER("job", "spec", FORM_OBJECT),
    NUMBER("job", "progress", 0.0, 1.0),
    NUMBER("job", "eta_s", 0.0, DURATION_MOST_S),
    WHOLE("job", "attempt", 0, INT32_MAX),
    WHOLE("job", "max_attempts", 1, INT32_MAX),
    WHOLE("job", "crashes", 0, INT32_MAX),
    WHOLE("job", "cores", 1, JOB_CORES_MAX),
    WHOLE("job", "cores_max", 0, JOB_CORES_MAX),
    WHOLE("job", "tasks_merged", 0, INT32_MAX),
    TEXT("job", "owner", 0, JOB_OWNER_MAX - 1),
    OTHER("job_output", "checkpoint", FORM_OBJECT),
    OTHER("job_output", "result", FORM_OBJECT),
    WHOLE("job_event", "seq", 1, INT32_MAX),
    TEXT("job_event", "kind", 1, LINE_MOST),
    TEXT("job_event", "caller", 0, JOB_OWNER_MAX - 1),
    {"job_weights", "sha256", FORM_HEX, 0.0, SHA_DIGITS},
    WHOLE("task", "number", 1, INT32_MAX),
    OTHER("task", "spec", FORM_OBJECT),
    WHOLE("task", "cores", 1, JOB_CORES_MAX),
    WHOLE("task", "attempt", 0, INT32_MAX),
    WHOLE("task", "crashes", 0, INT32_MAX),
    OTHER("task", "checkpoint", FORM_OBJECT),
    OTHER("task", "result", FORM_JSON),
    OTHER("task", "path", FORM_FILE),
    NUMBER("task", "seconds", 0.0, DURATION_MOST_S),
    TEXT("task", "said", 0, SHA_DIGITS),
    WHOLE("task_try", "try", 1, INT32_MAX),
    WHOLE("task_try", "cores", 1, JOB_CORES_MAX),
    WHOLE("task_try", "lines", 0, INT32_MAX),
    WHOLE("task_try", "bytes", 0, WHOLE_MOST),
    OTHER("task_try", "path", FORM_FILE),
    {"task_try", "sha256", FORM_HEX, 0.0, SHA_DIGITS},
    TEXT("task_try", "said", 0, SHA_DIGITS),
    {"run", "name", FORM_HEX, 0.0, RUN_DIGITS},
    WHOLE("run", "seed", INT64_MIN, INT64_MAX),
    OTHER("run", "spec", FORM_OBJECT),
    OTHER("run", "versions", FORM_OBJECT),
    OTHER("run", "tags", FORM_TEXTS),
    WHOLE("curve", "last_step", INT64_MIN, INT64_MAX),
    OTHER("curve", "last_value", FORM_INFINITE),
    WHOLE("point", "step", INT64_MIN, INT64_MAX),
    OTHER("point", "value", FORM_INFINITE),
    WHOLE("checkpoint", "step", 0, WHOLE_MOST),
    OTHER("checkpoint", "path", FORM_FILE),
    {"checkpoint", "sha256", FORM_HEX, 0.0, SHA_DIGITS},
    WHOLE("checkpoint", "bytes", 0, WHOLE_MOST),
    OTHER("model", "name", FORM_NAME),
    {"model", "sha256", FORM_HEX, 0.0, SHA_DIGITS},
    WHOLE("model", "bytes", 0, WHOLE_MOST),
    OTHER("model", "card", FORM_OBJECT),
    {"model", "run", FORM_HEX, 0.0, RUN_DIGITS},
    TEXT("model", "policy", 1, LINE_MOST),
    WHOLE("model", "step", 0, WHOLE_MOST),
    OTHER("model_alias", "alias", FORM_NAME),
    OTHER("player", "name", FORM_NAME),
    TEXT("player", "spec", 1, PLAYER_SPEC_MAX - 1),
    TEXT("match", "profile", 1, LINE_MOST),
    WHOLE("match", "ends", 1, INT32_MAX),
    WHOLE("match", "extra_ends", 0, INT32_MAX),
    TEXT("match", "a", 1, 2 * PLAYER_SPEC_MAX),
    TEXT("match", "b", 1, 2 * PLAYER_SPEC_MAX),
    WHOLE("match", "pairs0", 0, INT32_MAX),
    WHOLE("match", "pairs1", 0, INT32_MAX),
    WHOLE("match", "pairs2", 0, INT32_MAX),
    WHOLE("match", "pairs3", 0, INT32_MAX),
    WHOLE("match", "pairs4", 0, INT32_MAX),
    OTHER("match", "result", FORM_OBJECT),
    WHOLE("match", "seed", INT64_MIN, INT64_MAX),
    TEXT("ladder", "profile", 1, LINE_MOST),
    WHOLE("ladder", "ends", 1, INT32_MAX),
    WHOLE("ladder", "extra_ends", 0, INT32_MAX),
    WHOLE("rating", "pairs", 0, WHOLE_MOST),
    WHOLE("exploitability", "ends", 0, WHOLE_MOST),
    OTHER("exploitability", "sente", FORM_OBJECT),
    OTHER("exploitability", "gote", FORM_OBJECT),
    OTHER("exploitability", "total", FORM_OBJECT),
    TEXT("library", "title", 1, 1 << 16),
    OTHER("library", "tags", FORM_TEXTS),
    OTHER("library", "state", FORM_OBJECT),
    OTHER("library", "setting", FORM_OBJECT),
    OTHER("library", "best", FORM_OBJECT),
    NUMBER("library", "cost", -1.0, 1.0),
    WHOLE("library", "number", 0, INT32_MAX),
    TEXT("library", "owner", 0, JOB_OWNER_MAX - 1),
};

static enum api_error refuse(char *ret_why, const char *column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static enum api_error refuse(char *ret_why, const char *column, const char *format, ...)
{
    int used = snprintf(ret_why, TRANSFER_WHY_MAX, "%.60s: ", column);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(ret_why + used, TRANSFER_WHY_MAX - (size_t)used, format, arguments);
    va_end(arguments);
    return API_BAD_FIELD;
}

/* ---- values ---- */

static bool is_time(const char *column)
{
    const size_t length = strlen(column);

    return length > 3 && strcmp(column + length - 3, "_ms") == 0;
}

static struct rule rule_of(const char *table, const char *column, const char *type)
{
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (strcmp(rules[k].table, table) == 0 && strcmp(rules[k].column, column) == 0)
            return rules[k];
    if (strcmp(type, "REAL") == 0)
        return (struct rule)NUMBER(table, column, -HUGE_VAL, HUGE_VAL);
    if (strcmp(type, "INTEGER") == 0 && is_time(column))
        return (struct rule)WHOLE(table, column, 0, TIME_MOST_MS);
    if (strcmp(type, "INTEGER") == 0)
        return (struct rule)WHOLE(table, column, (double)-WHOLE_MOST, WHOLE_MOST);
    return (struct rule)TEXT(table, column, 0, HUGE_VAL);
}

static enum api_error check_whole(const struct rule *rule, const json_t *value, char *ret_why)
{
    if (!json_is_integer(value))
        return refuse(ret_why, rule->column, "must be a whole number");
    const double number = (double)json_integer_value(value);
    if (number < rule->least || number > rule->most)
        return refuse(ret_why, rule->column, "must be from %.0f to %.0f", rule->least, rule->most);
    return API_OK;
}

static enum api_error check_number(const struct rule *rule, const json_t *value, char *ret_why)
{
    const char *text = json_string_value(value);
    const bool is_infinite =
        text && (strcmp(text, "Infinity") == 0 || strcmp(text, "-Infinity") == 0);

    if (is_infinite && rule->form == FORM_INFINITE)
        return API_OK;
    if (!json_is_number(value))
        return refuse(ret_why, rule->column, is_infinite ? "must be finite" : "must be a number");
    const double number = json_number_value(value);
    if (rule->form == FORM_NUMBER && (number < rule->least || number > rule->most))
        return refuse(ret_why, rule->column, "must be from %g to %g", rule->least, rule->most);
    return API_OK;
}

static bool is_hex(const char *text, size_t digits)
{
    return strlen(text) == digits && strspn(text, "0123456789abcdef") == digits;
}

/* A name that stays in its folder. */
static bool is_file(const char *text)
{
    return *text && *text != '.' && !strchr(text, '/') && strlen(text) <= FILE_MOST;
}

static bool are_texts(json_t *document)
{
    const char *key;
    json_t *value;
    size_t k;

    json_object_foreach(document, key, value)
    {
        if (!json_is_string(value))
            return false;
    }
    json_array_foreach(document, k, value)
    {
        if (!json_is_string(value))
            return false;
    }
    return true;
}

/* The texts of JSON columns are read again by those who show them. */
static enum api_error check_json(const struct rule *rule, const char *text, char *ret_why)
{
    json_error_t at;
    json_t *document = load_json(text, strlen(text), 0, &at);
    enum api_error error = API_OK;

    if (!document && json_error_code(&at) == json_error_out_of_memory)
        return API_NO_MEMORY;
    if (!document)
        error = refuse(ret_why, rule->column, "is no JSON object or list: %.100s", at.text);
    else if (rule->form == FORM_OBJECT && !json_is_object(document))
        error = refuse(ret_why, rule->column, "must be a JSON object");
    else if (rule->form == FORM_TEXTS && !are_texts(document))
        error = refuse(ret_why, rule->column, "must hold texts");
    json_decref(document);
    return error;
}

static enum api_error check_text(const struct rule *rule, const json_t *value, char *ret_why)
{
    const char *text = json_string_value(value);
    const size_t length = json_string_length(value);

    if (!text)
        return refuse(ret_why, rule->column, "must be a text");
    switch (rule->form) {
    case FORM_HEX:
        return is_hex(text, (size_t)rule->most)
                   ? API_OK
                   : refuse(ret_why, rule->column, "must be %.0f hexadecimal digits", rule->most);
    case FORM_NAME:
        return registry_name_is_good(text)
                   ? API_OK
                   : refuse(ret_why, rule->column, "is no name of a model or a player");
    case FORM_FILE:
        return is_file(text)
                   ? API_OK
                   : refuse(ret_why, rule->column, "must be the name of a file in a folder");
    case FORM_KIND:
        return job_kind_find(text) ? API_OK : refuse(ret_why, rule->column, "no such kind of job");
    case FORM_JSON:
    case FORM_OBJECT:
    case FORM_TEXTS:
        return check_json(rule, text, ret_why);
    default:
        break;
    }
    if ((double)length < rule->least || (double)length > rule->most)
        return refuse(ret_why, rule->column, "must have %.0f to %.0f bytes", rule->least,
                      rule->most);
    return API_OK;
}

enum api_error transfer_check(const char *table, const char *column, const char *type,
                              const json_t *value, char ret_why[TRANSFER_WHY_MAX])
{
    const struct rule rule = rule_of(table, column, type);

    if (!value || json_is_null(value))
        return API_OK;
    switch (rule.form) {
    case FORM_WHOLE:
        return check_whole(&rule, value, ret_why);
    case FORM_NUMBER:
    case FORM_INFINITE:
        return check_number(&rule, value, ret_why);
    default:
        return check_text(&rule, value, ret_why);
    }
}

/* ---- rows ---- */

static const char *text_of(const json_t *row, const char *column)
{
    const char *text = json_string_value(json_object_get(row, column));

    return text ? text : "";
}

/* A job that has not ended goes on here, by its spec; that of one that has ended may be of an
 * earlier version. */
static enum api_error check_job(const json_t *row, char *ret_why)
{
    const struct job_kind *kind = job_kind_find(text_of(row, "kind"));
    struct strict_errors errors = {.count = 0};
    enum job_state state;

    if (!kind || !job_state_read(text_of(row, "state"), &state) || job_has_ended(state))
        return API_OK;
    json_t *spec = load_json_text(text_of(row, "spec"));
    enum api_error error = spec ? job_spec_check(kind, spec, &errors) : API_NO_MEMORY;
    json_decref(spec);
    return error != API_BAD_FIELD ? error
                                  : refuse(ret_why, "spec", "%.100s: %.120s",
                                           errors.error[0].pointer, errors.error[0].message);
}

/* A position is one that a query may ask about. */
static enum api_error check_position(const json_t *row, char *ret_why)
{
    struct strict_errors errors = {.count = 0};
    json_t *document = json_pack("{s:s, s:o, s:o}", "profile", text_of(row, "profile"), "state",
                                 load_json_text(text_of(row, "state")), "setting",
                                 load_json_text(text_of(row, "setting")));
    const struct strict_place root = strict_root(document, &errors);
    struct game game;
    bool is_good = document && game_decode(&root, &game);
    bool is_read = document != NULL;

    json_decref(document);
    if (is_good)
        return API_OK;
    if (!is_read)
        return API_NO_MEMORY;
    return refuse(ret_why, errors.error[0].pointer + 1, "%.150s", errors.error[0].message);
}

enum api_error transfer_check_row(const char *table, const json_t *row,
                                  char ret_why[TRANSFER_WHY_MAX])
{
    static const char *const position[] = {"profile", "state", "setting"};

    if (strcmp(table, "job") == 0 && *text_of(row, "spec"))
        return check_job(row, ret_why);
    if (strcmp(table, "library") != 0)
        return API_OK;
    for (size_t k = 0; k < sizeof position / sizeof *position; k++)
        if (!*text_of(row, position[k]))
            return API_OK; /* the schema wants it */
    return check_position(row, ret_why);
}
