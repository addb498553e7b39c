/* All that the data folder knows, as one stream. */
#include "service/routes/routes.h"

#include "service/routes/server.h"
#include "service/upkeep/exports.h"

#include <stdlib.h>
#include <string.h>

/* GET /v1/export   ?csv=true   →   200 an archive for tar of the folder that `rink-data export`
 * writes */
enum api_error check_export(struct http_request *request)
{
    const char *csv = http_parameter(request, "csv");

    if (csv && strcmp(csv, "true") != 0 && strcmp(csv, "false") != 0)
        return http_problem(request, API_BAD_PARAMETER, "csv: must be true or false");
    return API_OK;
}

static void on_ended(void *context, enum api_error error, int file)
{
    struct http_request *request = context;

    if (error == API_OK)
        http_whole_file(request, file, "application/x-tar", "rinkd.tar");
    else
        http_problem(request, error, NULL);
    http_release(request);
}

static void on_hung_up(struct http_request *request, void *context)
{
    (void)context;
    exports_cancel(request->server->exports);
}

enum api_error route_export(struct http_request *request)
{
    const char *csv = http_parameter(request, "csv");
    struct exports *exports = request->server->exports;

    if (exports_are_busy(exports))
        return http_problem(request, API_BUSY, "another export is being made");
    enum api_error error = http_hold(request, on_hung_up, NULL);
    if (error != API_OK)
        return error;
    error = exports_begin(exports, csv && strcmp(csv, "true") == 0, on_ended, request);
    if (error != API_OK) {
        http_problem(request, error, NULL);
        http_release(request);
    }
    return API_OK;
}
