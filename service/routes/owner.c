/* Which jobs a caller may see and change. */
#include "service/routes/owner.h"

#include "service/base/callers.h"
#include "service/routes/server.h"
#include "service/store/callers.h"
#include "service/store/jobs.h"

#include <string.h>

bool owner_sees_all(const struct http_request *request)
{
    return (config_scopes_whole(request->scopes) & SCOPE_READ) != 0;
}

bool owner_sees(const struct http_request *request, const char *owner)
{
    return owner_sees_all(request) || (owner && strcmp(owner, request->token) == 0);
}

bool owner_is_good(const struct http_request *request, const char *owner)
{
    return (request->scopes & SCOPE_ADMIN) != 0 ||
           (request->token && strcmp(owner, request->token) == 0);
}

enum api_error owner_check(struct http_request *request, int64_t job)
{
    char owner[JOB_OWNER_MAX];
    enum api_error error = job_store_owner(request->store, job, owner);

    if (error != API_OK || owner_is_good(request, owner))
        return error;
    return http_problem_about(request, API_FORBIDDEN,
                              *owner ? "job %lld belongs to %s; only a token with the scope admin "
                                       "changes jobs of others"
                                     : "job %lld belongs to nobody%s; only a token with the scope "
                                       "admin changes it",
                              (long long)job, owner);
}

enum api_error owner_check_room(struct http_request *request, int64_t cores)
{
    const struct config_limits limits =
        callers_limits(request->server->base.callers, request->token);
    const char *name = request->token;
    struct caller_use use = {.waiting = 0};

    if (limits.cores > 0 && cores > limits.cores) {
        strict_refuse_at(&request->errors, "/spec/threads", "range",
                         "must be at most %lld, the cores of %s", (long long)limits.cores, name);
        return API_BAD_FIELD;
    }
    if (limits.jobs == 0 && limits.bytes == 0)
        return API_OK;
    enum api_error error = caller_store_use(request->store, name, &use);
    if (error != API_OK)
        return error;
    if (limits.jobs > 0 && use.waiting > limits.jobs)
        return http_problem_about(request, API_LIMIT_FULL,
                                  "jobs: %lld of %s would wait, more than its %lld",
                                  (long long)use.waiting, name, (long long)limits.jobs);
    if (limits.bytes > 0 && use.bytes > limits.bytes)
        return http_problem_about(
            request, API_LIMIT_FULL,
            "bytes: the specs of the waiting jobs of %s would have %lld bytes, more than its %lld",
            name, (long long)use.bytes, (long long)limits.bytes);
    return API_OK;
}

json_t *owner_explain(const struct http_request *request, const char *owner, int64_t cores)
{
    const struct config_limits limits = callers_limits(request->server->base.callers, owner);
    struct caller_use use;

    if (limits.cores == 0 || caller_store_use(request->store, owner, &use) != API_OK ||
        use.cores + cores <= limits.cores)
        return NULL;
    return json_sprintf("it needs %lld cores; jobs of %s that run occupy %lld of its %lld",
                        (long long)cores, owner, (long long)use.cores, (long long)limits.cores);
}
