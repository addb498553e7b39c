/* Removes folders of jobs that are gone. Ids are never given twice, so a folder whose job is not in
 * the store belongs to nobody. */
#include "service/jobs/job_folder.h"

#include "service/base/core.h"
#include "service/store/jobs.h"
#include "service/store/runs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct removal {
    struct core_task task;
    int64_t job;
    char path[JOB_PATH_MAX];
};

/* In or after the transaction of the deletion, so a failed commit shows here in one way or other.
 */
static enum api_error look(struct core_task *task, struct store *store)
{
    const struct removal *removal = (struct removal *)task;
    json_t *job = NULL;
    enum api_error error = job_store_get(store, removal->job, &job);

    json_decref(job);
    return error == API_NOT_FOUND ? API_OK : API_STATE;
}

/* Workers make no folders in it. */
static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;

    if (!folder)
        return;
    while ((entry = readdir(folder)) != NULL)
        unlinkat(dirfd(folder), entry->d_name, 0); /* "." and ".." do not let themselves */
    closedir(folder);
    rmdir(path);
}

static void finish(struct core_task *task, enum api_error result)
{
    struct removal *removal = (struct removal *)task;

    if (result == API_OK)
        remove_folder(removal->path);
    free(removal);
}

void job_path(const char *data, int64_t job, const char *name, char ret_path[JOB_PATH_MAX])
{
    snprintf(ret_path, JOB_PATH_MAX, "%s/jobs/%lld%s%s", data, (long long)job, name ? "/" : "",
             name ? name : "");
}

void job_folder_remove(struct core *core, const char *data, int64_t job)
{
    struct removal *removal = calloc(1, sizeof *removal);

    if (!removal)
        return; /* at worst files are left that nobody asks for */
    removal->task = (struct core_task){.writes = true, .run = look, .finish = finish};
    removal->job = job;
    job_path(data, job, NULL, removal->path);
    core_submit_own(core, &removal->task);
}

/* Whether a training job that is there still needs the file in its folder: a checkpoint of a run.
 */
static bool is_needed(const json_t *job, const json_t *paths, const char *name)
{
    const char *newest =
        json_string_value(json_object_get(json_object_get(job, "checkpoint"), "path"));
    size_t k;
    json_t *path;

    if (newest && strcmp(newest, name) == 0)
        return true;
    json_array_foreach(paths, k, path) if (strcmp(json_string_value(path), name) == 0) return true;
    /* What is neither may be somebody's notes. */
    return !strstr(name, ".checkpoint") && !strstr(name, ".safetensors");
}

/* Checkpoints that were pruned or never announced, and models that have their place elsewhere. */
static int sweep_training(const char *path, struct store *store, const json_t *job)
{
    const char *kind = json_string_value(json_object_get(job, "kind"));
    const struct dirent *entry;
    json_t *paths;
    int removed = 0;

    if (!kind || strcmp(kind, "train") != 0 ||
        run_store_files(store, json_integer_value(json_object_get(job, "id")), &paths) != API_OK)
        return 0;
    DIR *folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL)
        if (!is_needed(job, paths, entry->d_name) && unlinkat(dirfd(folder), entry->d_name, 0) == 0)
            removed++;
    if (folder)
        closedir(folder);
    json_decref(paths);
    return removed;
}

int job_folders_sweep(const char *data, struct store *store)
{
    char path[JOB_PATH_MAX];
    int removed = 0;

    snprintf(path, sizeof path, "%s/jobs", data);
    DIR *jobs = opendir(path);
    const struct dirent *entry;
    while (jobs && (entry = readdir(jobs)) != NULL) {
        char *end;
        long long id = strtoll(entry->d_name, &end, 10);
        json_t *job = NULL;
        if (id < 1 || *end)
            continue;
        job_path(data, id, NULL, path);
        enum api_error error = job_store_get(store, id, &job);
        if (error == API_OK) {
            removed += sweep_training(path, store, job);
            json_decref(job);
        } else if (error == API_NOT_FOUND) {
            remove_folder(path);
            removed++;
        }
    }
    if (jobs)
        closedir(jobs);
    return removed;
}
