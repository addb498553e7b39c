/* Which jobs a caller may see and change (with the scope admin, or without tokens, all of them;
 * with the scope train its own), and which it may add. */
#ifndef RINKD_SERVICE_ROUTES_OWNER_H
#define RINKD_SERVICE_ROUTES_OWNER_H

#include "service/http/http.h"

/* Whether the caller may see what others have here. */
bool owner_sees_all(const struct http_request *request);

/* Whether the caller may see what belongs to this owner (NULL: to nobody): its own, or all. */
bool owner_sees(const struct http_request *request, const char *owner);

/* Whether the caller may change the jobs of this owner; "": of none. */
bool owner_is_good(const struct http_request *request, const char *owner);

/* The same for one job; answers API_FORBIDDEN if not. API_NOT_FOUND: no such job. */
enum api_error owner_check(struct http_request *request, int64_t job);

/* Checks the limits of the caller's token after the request has added a job, in its transaction,
 * which any error undoes. Answers API_LIMIT_FULL; API_BAD_FIELD with an error about the threads if
 * no job with that many cores may ever run. */
enum api_error owner_check_room(struct http_request *request, int64_t cores);

/* A sentence that explains why a ready job waits for its owner's other jobs, owned by the caller;
 * NULL: it does not, or memory is short. */
json_t *owner_explain(const struct http_request *request, const char *owner, int64_t cores);

#endif
