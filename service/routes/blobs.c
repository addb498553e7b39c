/* Blobs: files by their SHA-256, which nodes fetch and send. */
#include "service/routes/routes.h"

#include "service/base/disk.h"
#include "service/nodes/blob_shares.h"
#include "service/nodes/blobs.h"
#include "service/routes/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static enum api_error check_blob_name(struct http_request *request)
{
    return blob_is_name(request->arg[0])
               ? API_OK
               : http_problem(request, API_BAD_PARAMETER,
                              "the name of a blob is a SHA-256: 64 hexadecimal digits in small "
                              "letters");
}

/* GET /v1/blobs/{sha256}   →   200 the bytes, or 206 the range that is asked for */
enum api_error route_blob(struct http_request *request)
{
    char path[BLOB_PATH_MAX];
    int64_t bytes;
    enum api_error error = check_blob_name(request);

    if (error != API_OK)
        return error;
    if (!blob_find(request->server->base.config->data, request->arg[0], path, &bytes))
        return http_problem(request, API_NOT_FOUND, NULL);
    return http_file(request, path, "application/octet-stream", NULL);
}

/* Reads "bytes FROM-LAST/OF" of the piece that came. False: it is something else. */
static bool read_range(const char *text, int64_t bytes, struct blob_piece *piece)
{
    int64_t from, last, of;
    int end = 0;

    if (sscanf(text, "bytes %" SCNd64 "-%" SCNd64 "/%" SCNd64 "%n", &from, &last, &of, &end) != 3 ||
        text[end] || from < 0 || last < from || of <= last || last - from + 1 != bytes)
        return false;
    piece->from = from;
    piece->of = of;
    return true;
}

/* Counts the bytes that come for the caller. */
static enum api_error take_share(struct http_request *request, int64_t bytes)
{
    const struct server *server = request->server;
    const int64_t most = (int64_t)server->base.config->blobs_mib_max << 20;
    int64_t used = 0;

    if (blob_shares_take(server->shares, request->token ? request->token : "", request->arg[0],
                         bytes, most, &used))
        return API_OK;
    return http_problem_about(
        request, API_LIMIT_FULL,
        "bytes: %lld of its files wait, and with %lld more they would be more "
        "than %lld (blobs_mib_max); those that nobody asks for go in %d minutes",
        (long long)used, (long long)bytes, (long long)most, BLOB_KEEP_MS / 60000);
}

static enum api_error answer_have(struct http_request *request, int64_t have, bool is_complete)
{
    return http_json(request, is_complete ? 201 : 202,
                     json_pack("{s:s, s:I, s:b}", "sha256", request->arg[0], "bytes",
                               (json_int_t)have, "complete", is_complete));
}

/* PUT /v1/blobs/{sha256}   Content-Range?, bytes   →   201 {"sha256","bytes","complete":true}, or
 * 202 with the bytes that have come so far */
enum api_error route_blob_add(struct http_request *request)
{
    const char *data = request->server->base.config->data;
    const char *range = http_header(request, "Content-Range");
    struct blob_piece piece = {request->file_path, 0, request->file_bytes, request->file_bytes};
    int64_t have;
    enum api_error error = check_blob_name(request);

    if (error != API_OK)
        return error;
    if (disk_is_full(request->server->base.disk))
        return http_problem(request, API_STORAGE, "the disk is full");
    if (!range) {
        if (strcmp(request->file_sha256, request->arg[0]) != 0) {
            strict_refuse_at(&request->errors, "", "hash",
                             "the bytes that came have the SHA-256 %s", request->file_sha256);
            return API_BAD_FIELD;
        }
        error = take_share(request, request->file_bytes);
        if (error == API_OK)
            error = blob_keep(data, request->arg[0], request->file_path);
        return error == API_OK ? answer_have(request, request->file_bytes, true) : error;
    }
    if (!read_range(range, request->file_bytes, &piece))
        return http_problem(
            request, API_BAD_PARAMETER,
            "Content-Range must be \"bytes FROM-LAST/ALL\" for the bytes that come");
    error = take_share(request, piece.of);
    if (error != API_OK)
        return error;
    error = blob_add(data, request->arg[0], &piece, &have);
    if (error == API_BAD_FIELD || error == API_TOO_LARGE)
        blob_shares_drop(request->server->shares, request->arg[0]);
    if (error == API_STATE)
        return http_problem_about(request, API_STATE,
                                  "the piece begins at byte %lld, but %lld have come",
                                  (long long)piece.from, (long long)have);
    if (error == API_BAD_FIELD)
        strict_refuse_at(&request->errors, "", "hash",
                         "the bytes that came have another SHA-256; all of them are dropped");
    return error == API_OK ? answer_have(request, have, have >= piece.of) : error;
}
