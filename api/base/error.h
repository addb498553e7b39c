/* The list of errors that reach a caller. Status, slug and title share a row, so they cannot
 * disagree (RFC 9457: the type is "/problems/" and the slug). */
#ifndef RINKD_API_BASE_ERROR_H
#define RINKD_API_BASE_ERROR_H

#define API_ERRORS(X)                                                                         \
    X(API_OK, 200, "ok", "Done")                                                              \
    X(API_BAD_JSON, 400, "bad-json", "The body is not JSON")                                  \
    X(API_BAD_PARAMETER, 400, "bad-parameter", "A query parameter or header cannot be read")  \
    X(API_UNAUTHORIZED, 401, "unauthorized", "A valid token is needed")                       \
    X(API_FORBIDDEN, 403, "forbidden", "The token does not allow this")                       \
    X(API_NOT_FOUND, 404, "not-found", "There is nothing here")                               \
    X(API_METHOD, 405, "method-not-allowed", "This path does not take this method")           \
    X(API_NOT_ACCEPTABLE, 406, "not-acceptable", "The answer has none of the accepted types") \
    X(API_TIMEOUT, 408, "timeout", "The request took too long to arrive")                     \
    X(API_STATE, 409, "wrong-state", "This is not possible in the present state")             \
    X(API_LEASE_LOST, 409, "lease-lost", "The job is no longer leased to this worker")        \
    X(API_KEY_REUSED, 409, "idempotency-key-reused", "This key was used with another body")   \
    X(API_CANCELLED, 409, "cancelled", "It was cancelled before it had an answer")            \
    X(API_EXISTS, 409, "exists", "This name is taken")                                        \
    X(API_LENGTH, 411, "length-required", "The length of the body is missing")                \
    X(API_PRECONDITION, 412, "precondition-failed", "The resource has changed since")         \
    X(API_TOO_LARGE, 413, "too-large", "The body is too large")                               \
    X(API_MEDIA_TYPE, 415, "media-type", "The body must have another media type")             \
    X(API_RANGE, 416, "range-not-satisfiable", "The file has no such range")                  \
    X(API_BAD_FIELD, 422, "bad-field", "A field is missing, unknown or has the wrong value")  \
    X(API_NOT_BUILT_IN, 422, "not-built-in", "This program was built without that part")      \
    X(API_QUOTA, 429, "too-many-requests", "This caller asks too often")                      \
    X(API_LIMIT_FULL, 429, "limit-full", "This caller has used up one of its limits")         \
    X(API_HEADERS, 431, "headers-too-large", "The head of the request is too large")          \
    X(API_INTERNAL, 500, "internal", "Something broke on our side")                           \
    X(API_NOT_IMPLEMENTED, 501, "not-implemented", "The service does not know this")          \
    X(API_NO_MEMORY, 503, "no-memory", "Memory is short at the moment")                       \
    X(API_BUSY, 503, "busy", "Everything is busy; try again later")                           \
    X(API_SHARE_FULL, 503, "share-full", "Your share of the waiting places is full")          \
    X(API_DRAINING, 503, "draining", "The service is shutting down")                          \
    X(API_NO_WORKER, 503, "no-worker", "No worker can take this at the moment")               \
    X(API_DEADLINE, 504, "deadline", "The answer was not ready in time")                      \
    X(API_STORAGE, 507, "storage", "The data could not be stored")

enum api_error {
#define X(name, status, slug, title) name,
    API_ERRORS(X)
#undef X
        API_ERROR_COUNT
};

/* HTTP status, slug ("bad-field") and title of an error. The texts live as long as the program. */
int api_error_status(enum api_error error);
const char *api_error_slug(enum api_error error);
const char *api_error_title(enum api_error error);

#endif
