/* Any bytes as the body of POST /v1/jobs. An accepted request is complete: its resolved spec is
 * accepted too and resolves to itself. A broken promise aborts. */
#include "api/jobs/job_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* Names of one to eight lower-case letters are players here and resolve to themselves. */
static bool read_player(void *context, const char *text, char *ret_spec, char *ret_error)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz-");

    (void)context;
    if (length == 0 || length > 16 || text[length]) {
        snprintf(ret_error, PLAYER_ERROR_MAX, "no player");
        return false;
    }
    snprintf(ret_spec, PLAYER_SPEC_MAX, "%s", text);
    return true;
}

static void check_again(const struct job_request *job)
{
    struct job_request again;
    struct strict_errors errors;
    json_t *request = json_pack("{s:s, s:O}", "kind", job->kind->name, "spec", job->spec);

    require(request != NULL);
    require(job_request_read(request, read_player, NULL, &again, &errors) == API_OK);
    require(json_equal(job->spec, again.spec));
    json_decref(again.spec);
    json_decref(request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct job_request job;
    struct strict_errors errors = {.count = 0};
    json_t *document = strict_parse((const char *)data, size, 1 << 20, 32, &errors);

    if (!document) {
        require(errors.count > 0);
        return 0;
    }
    enum api_error error = job_request_read(document, read_player, NULL, &job, &errors);
    if (error == API_OK) {
        double estimate_s = job_estimate_s(job.kind, job.spec);
        require(isnan(estimate_s) || estimate_s >= 0.0);
        require(job.delay_ms >= 0 && job.max_attempts >= 0);
        check_again(&job);
        json_decref(job.spec);
    } else {
        require(error != API_NO_MEMORY && errors.count > 0);
    }
    json_decref(document);
    return 0;
}
