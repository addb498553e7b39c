/* The dashboard: a page for browsers and the files that it loads. The page gets its data from the
 * API with the token of its user, so the files themselves need no token. */
#include "service/routes/routes.h"

#include "service/dashboard/files.h"

#include <stdbool.h>
#include <string.h>

/* The page may load, run and request only what comes from here. */
#define POLICY                                                                              \
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " \
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

static enum api_error answer_file(struct http_request *request, const struct dashboard_file *file)
{
    return http_static(request, file->type, file->bytes, (size_t)(file->end - file->bytes));
}

/* GET /   Accept: text/html   →   200, the page; otherwise the index of links */
enum api_error route_front(struct http_request *request)
{
    const char *accept = http_header(request, "Accept");

    http_add_header(request, "Vary", "Accept");
    if (!accept || !strstr(accept, "text/html"))
        return route_index(request);
    http_add_header(request, "Content-Security-Policy", POLICY);
    http_add_header(request, "Referrer-Policy", "no-referrer");
    return answer_file(request, &dashboard_page);
}

/* GET /assets/{version}/{folder}/{name}   →   200, for ever */
enum api_error route_asset(struct http_request *request)
{
    const char *folder = request->arg[1], *name = request->arg[2];
    size_t length = strlen(folder);

    if (strcmp(request->arg[0], dashboard_version) != 0)
        return http_problem(request, API_NOT_FOUND,
                            "this file belongs to another version of the dashboard");
    for (const struct dashboard_file *file = dashboard_files; file->name; file++) {
        if (strncmp(file->name, folder, length) != 0 || file->name[length] != '/' ||
            strcmp(file->name + length + 1, name) != 0)
            continue;
        http_add_header(request, "Cache-Control", "public, max-age=31536000, immutable");
        return answer_file(request, file);
    }
    return http_problem(request, API_NOT_FOUND, "the dashboard has no such file");
}
