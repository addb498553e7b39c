/* Looks up the rows of the list of errors. */
#include "api/base/error.h"

static const struct {
    int status;
    const char *slug, *title;
} errors[API_ERROR_COUNT] = {
#define X(name, status, slug, title) [name] = {status, slug, title},
    API_ERRORS(X)
#undef X
};

int api_error_status(enum api_error error)
{
    return errors[error].status;
}

const char *api_error_slug(enum api_error error)
{
    return errors[error].slug;
}

const char *api_error_title(enum api_error error)
{
    return errors[error].title;
}
