/* Walks over a line. See node_line.h. */
#include "service/nodes/node_line.h"

#include "api/base/build_json.h"
#include "service/jobs/job_folder.h"
#include "service/models/players.h"
#include "service/nodes/blobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    const char *data;
    int64_t job;
    json_t *files;
    char *missing; /* NODE_LINE_MISSING_MAX */
};

static bool is_listed(const json_t *files, const char *sha256, const char *name)
{
    const json_t *file;
    size_t k;

    json_array_foreach(files, k, file)
    {
        const char *own = json_string_value(json_object_get(file, "name"));
        if (strcmp(json_string_value(json_object_get(file, "sha256")), sha256) == 0 &&
            (own && name ? strcmp(own, name) == 0 : own == name))
            return true;
    }
    return false;
}

static enum api_error list_file(const struct walk *walk, const char *name, const char *sha256,
                                int64_t bytes)
{
    if (is_listed(walk->files, sha256, name))
        return API_OK;
    return build_append(walk->files, json_pack("{s:s?, s:s, s:I}", "name", name, "sha256", sha256,
                                               "bytes", (json_int_t)bytes))
               ? API_OK
               : API_NO_MEMORY;
}

/* An object that names a file: of the folder of the job, or by a whole path of this machine. */
static enum api_error take_file(const struct walk *walk, json_t *object, const char *path,
                                const char *sha256)
{
    bool is_whole = *path == '/';
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char from[JOB_PATH_MAX], to[JOB_PATH_MAX];
    int64_t bytes;

    if (!is_whole)
        job_path(walk->data, walk->job, path, from);
    enum api_error error = blob_offer(walk->data, sha256, is_whole ? path : from, &bytes);
    if (error != API_OK) {
        snprintf(walk->missing, NODE_LINE_MISSING_MAX, "%.200s", name);
        return error;
    }
    error = list_file(walk, name, sha256, bytes);
    if (error != API_OK || !is_whole)
        return error;
    snprintf(to, sizeof to, NODE_LINE_FOLDER "/%s", name);
    return json_object_set_new(object, "path", json_string(to)) == 0 ? API_OK : API_NO_MEMORY;
}

/* Every hash of weights in a text: players name them so. */
static enum api_error take_weights(const struct walk *walk, const char *text)
{
    char sha256[BLOB_SHA256_MAX], path[BLOB_PATH_MAX];
    enum api_error error = API_OK;
    int64_t bytes;

    while (error == API_OK && (text = players_next_weights(text, sha256)) != NULL) {
        if (!blob_find(walk->data, sha256, path, &bytes)) {
            snprintf(walk->missing, NODE_LINE_MISSING_MAX, "the weights %s", sha256);
            return API_NOT_FOUND;
        }
        error = list_file(walk, NULL, sha256, bytes);
    }
    return error;
}

static enum api_error take(const struct walk *walk, json_t *value)
{
    enum api_error error = API_OK;
    const char *key;
    json_t *member;
    size_t k;

    if (json_is_string(value))
        return take_weights(walk, json_string_value(value));
    json_array_foreach(value, k, member) if (error == API_OK) error = take(walk, member);
    if (!json_is_object(value))
        return error;
    const char *path = json_string_value(json_object_get(value, "path"));
    const char *sha256 = json_string_value(json_object_get(value, "sha256"));
    if (path && *path && sha256 && blob_is_name(sha256))
        error = take_file(walk, value, path, sha256);
    json_object_foreach(value, key, member) if (error == API_OK) error = take(walk, member);
    return error;
}

enum api_error node_line_prepare(const char *data, int64_t job, json_t *line, json_t **ret_files,
                                 char ret_missing[NODE_LINE_MISSING_MAX])
{
    const struct walk walk = {data, job, json_array(), ret_missing};
    enum api_error error = walk.files ? take(&walk, line) : API_NO_MEMORY;

    if (error == API_OK && json_object_set_new(line, "folder", json_string(NODE_LINE_FOLDER)) != 0)
        error = API_NO_MEMORY;
    if (error == API_OK)
        *ret_files = walk.files;
    else
        json_decref(walk.files);
    return error;
}
