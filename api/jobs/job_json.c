/* Requests for jobs. See job_json.h. */
#include "api/jobs/job_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DELAY_MAX_S  31536000 /* a year */
#define PRIORITY_MAX 1000
#define ATTEMPTS_MAX 100

static const struct job_kind *read_kind(const struct strict_place *place)
{
    char names[JOB_KIND_NAMES_MAX];
    const char *name;

    if (!strict_text(place, 31, &name))
        return NULL;
    const struct job_kind *kind = job_kind_find(name);
    if (kind && !kind->is_internal)
        return kind;
    strict_refuse(place, "value", "no such kind of job; there are %s", job_kind_names(", ", names));
    return NULL;
}

/* Reads "cores", a limit that only a job whose work can be shared has. Its tasks occupy as many
 * cores each as it has threads. */
static int read_cores(const struct strict_place *root, const struct job_kind *kind,
                      const json_t *spec)
{
    const struct strict_place place = strict_member(root, "cores");
    int64_t cores = 0, threads = json_integer_value(json_object_get(spec, "threads"));

    if (strict_is_missing(&place) || !strict_whole(&place, 1, JOB_CORES_MAX, &cores))
        return 0;
    if (kind && !kind->has_tasks)
        strict_refuse(&place, "value", "a job of kind %s is one process, which has no such limit",
                      kind->name);
    else if (cores < threads)
        strict_refuse(&place, "value", "below the %lld threads of one of its tasks",
                      (long long)threads);
    return (int)cores;
}

/* Reads "after" and "after_failure". */
static void read_after(const struct strict_place *root, struct job_request *request)
{
    const struct strict_place after = strict_member(root, "after"),
                              if_failed = strict_member(root, "after_failure");
    int choice;

    if (!strict_is_missing(&if_failed)) {
        if (strict_choice(&if_failed, job_if_failed_names, &choice))
            request->if_failed = (enum job_if_failed)choice;
        if (strict_is_missing(&after))
            strict_refuse(&if_failed, "value", "only together with \"after\"");
    }
    if (strict_is_missing(&after) || !strict_array(&after, 0, JOB_AFTER_MAX))
        return;
    for (size_t k = 0; k < json_array_size(after.value); k++) {
        const struct strict_place element = strict_element(&after, k);
        int64_t id = 0;
        if (!strict_whole(&element, 1, INT64_MAX, &id))
            return;
        for (int other = 0; other < request->after_count; other++)
            if (request->after[other] == id)
                strict_refuse(&element, "value", "job %lld is named twice", (long long)id);
        request->after[request->after_count++] = id;
    }
}

enum api_error job_request_read(json_t *document, job_player_reader *reader, void *context,
                                struct job_request *ret_request, struct strict_errors *ret_errors)
{
    static const char *const keys[] = {"kind",          "spec",  "priority", "delay_s",
                                       "max_attempts",  "cores", "dry_run",  "after",
                                       "after_failure", NULL};
    struct field_reading reading = {reader, context, false};
    int64_t priority = 0, attempts = 0;
    double delay_s = 0.0;
    bool is_dry_run = false;

    ret_errors->count = ret_errors->dropped = 0;
    const struct strict_place root = strict_root(document, ret_errors);
    if (!strict_object(&root, keys))
        return API_BAD_FIELD;
    const struct strict_place kind_place = strict_member(&root, "kind");
    const struct strict_place spec_place = strict_member(&root, "spec");
    const struct strict_place dry_run = strict_member(&root, "dry_run");

    const struct job_kind *kind = read_kind(&kind_place);
    strict_optional_whole(&root, "priority", -PRIORITY_MAX, PRIORITY_MAX, &priority);
    strict_optional_number(&root, "delay_s", 0.0, DELAY_MAX_S, &delay_s);
    strict_optional_whole(&root, "max_attempts", 1, ATTEMPTS_MAX, &attempts);
    if (!strict_is_missing(&dry_run))
        strict_flag(&dry_run, &is_dry_run);

    struct job_request request = {.kind = kind};
    read_after(&root, &request);
    json_t *spec = NULL;
    if (strict_is_missing(&spec_place)) {
        strict_refuse(&spec_place, "missing", "missing");
    } else if (kind) {
        spec = fields_read(&reading, &spec_place, kind->fields);
        if (ret_errors->count == 0 && kind->finish)
            kind->finish(&spec_place, spec);
    }
    request.cores = read_cores(&root, kind, spec);
    if (ret_errors->count > 0 || reading.no_memory) {
        json_decref(spec);
        return ret_errors->count > 0 ? API_BAD_FIELD : API_NO_MEMORY;
    }
    request.spec = spec;
    request.priority = (int)priority;
    request.delay_ms = (int64_t)(delay_s * 1000.0);
    request.max_attempts = (int)attempts;
    request.dry_run = is_dry_run;
    *ret_request = request;
    return API_OK;
}

/* Players in resolved specs and defaults are already specs. */
static bool keep_player(void *context, const char *text, char *ret_spec, char *ret_error)
{
    (void)context;
    (void)ret_error;
    snprintf(ret_spec, PLAYER_SPEC_MAX, "%s", text);
    return true;
}

enum api_error job_spec_check(const struct job_kind *kind, json_t *spec,
                              struct strict_errors *ret_errors)
{
    struct field_reading reading = {keep_player, NULL, false};
    const struct strict_place place = strict_root(spec, ret_errors);
    json_t *resolved = fields_read(&reading, &place, kind->fields);

    if (ret_errors->count == 0 && !reading.no_memory && kind->finish)
        kind->finish(&place, resolved);
    json_decref(resolved);
    if (ret_errors->count > 0)
        return API_BAD_FIELD;
    return reading.no_memory ? API_NO_MEMORY : API_OK;
}

enum api_error job_follower_spec(const struct job_kind *kind, const json_t *ended,
                                 json_t **ret_spec)
{
    struct field_reading reading = {keep_player, NULL, false};
    struct strict_errors errors = {.count = 0};
    json_t *given = json_object();

    for (const struct field *field = kind->fields; field->name; field++) {
        json_t *value = json_object_get(ended, field->name);
        if (value && json_object_set(given, field->name, value) != 0)
            reading.no_memory = true;
    }
    const struct strict_place place = strict_root(given, &errors);
    json_t *spec = given ? fields_read(&reading, &place, kind->fields) : NULL;
    json_decref(given);
    if (!given || reading.no_memory || errors.count > 0) {
        json_decref(spec);
        return errors.count > 0 ? API_BAD_FIELD : API_NO_MEMORY;
    }
    *ret_spec = spec;
    return API_OK;
}

double job_estimate_s(const struct job_kind *kind, const json_t *spec)
{
    return kind->estimate_s ? kind->estimate_s(spec) : (double)NAN;
}
