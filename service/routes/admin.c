/* Routes for operators. */
#include "service/routes/routes.h"

#include "service/base/config.h"
#include "service/jobs/supervisor.h"
#include "service/routes/server.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

enum { PATH_BYTES = 4352, NAME_BYTES = 64 };

/* "20260131T120000.123Z.db" */
static void name_backup(int64_t now_ms, char ret_name[NAME_BYTES])
{
    time_t seconds = (time_t)(now_ms / 1000);
    char text[32];
    struct tm tm;

    gmtime_r(&seconds, &tm);
    strftime(text, sizeof text, "%Y%m%dT%H%M%S", &tm);
    snprintf(ret_name, NAME_BYTES, "%s.%03dZ.db", text, (int)(now_ms % 1000));
}

/* Makes the copy and finds its size. */
static enum api_error back_up(struct http_request *request, const char *name, int64_t *ret_bytes)
{
    const char *data = request->server->base.config->data;
    char path[PATH_BYTES];
    struct stat about;

    snprintf(path, sizeof path, "%s/" STORE_BACKUPS, data);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/" STORE_BACKUPS "/%s", data, name);
    enum api_error error = store_backup(request->store, path);
    if (error == API_OK && stat(path, &about) != 0)
        error = API_STORAGE;
    if (error == API_OK)
        *ret_bytes = about.st_size;
    return error;
}

/* POST /v1/backup → 201 {"name","bytes"}: a copy of the database in <data>/backups, made while
 * others read and write. Only one at a time, as a copy occupies an HTTP thread. */
enum api_error route_backup(struct http_request *request)
{
    char name[NAME_BYTES];
    int64_t bytes;

    if (atomic_exchange(&request->server->is_backing_up, true))
        return http_problem(request, API_BUSY, "another backup is being made");
    name_backup(request->now_ms, name);
    enum api_error error = back_up(request, name, &bytes);
    atomic_store(&request->server->is_backing_up, false);
    if (error != API_OK)
        return error;
    return http_json(request, 201,
                     json_pack("{s:s, s:I}", "name", name, "bytes", (json_int_t)bytes));
}

/* GET /v1/workers   →   200 {"items":[{"pid","kind","job",…}],"next_cursor":null} */
enum api_error route_workers(struct http_request *request)
{
    return http_list(request, supervisor_workers(request->server->supervisor));
}
