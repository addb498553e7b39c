/* Deletes the folder of a deleted job; at start moves unknown folders aside. */
#include "service/jobs/job_folder.h"

#include "api/jobs/job_kinds.h"
#include "api/jobs/job_states.h"
#include "api/jobs/wire.h"
#include "service/models/model_files.h"
#include "service/store/jobs.h"
#include "service/store/runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void job_path(const char *data, int64_t job, const char *name, char ret_path[JOB_PATH_MAX])
{
    snprintf(ret_path, JOB_PATH_MAX, "%s/jobs/%lld%s%s", data, (long long)job, name ? "/" : "",
             name ? name : "");
}

void job_text_without_folder(const char *data, char *text)
{
    char folder[PATH_MAX + 2];
    size_t length = (size_t)snprintf(folder, sizeof folder, "%s/", data);

    while (length > 1 && (text = strstr(text, folder)) != NULL)
        memmove(text, text + length, strlen(text + length) + 1);
}

void job_folder_end_process(const char *data, int64_t job)
{
    char path[JOB_PATH_MAX];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    job_path(data, job, WIRE_LOCK_FILE, path);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0)
        kill(lock.l_pid, SIGTERM);
    close(fd);
}

/* Workers make no subfolders. */
void job_folder_remove(const char *data, int64_t job)
{
    char path[JOB_PATH_MAX];
    const struct dirent *entry;

    job_folder_end_process(data, job);
    job_path(data, job, NULL, path);
    DIR *folder = opendir(path);
    if (!folder)
        return;
    while ((entry = readdir(folder)) != NULL)
        unlinkat(dirfd(folder), entry->d_name, 0); /* fails for "." and "..", which is fine */
    closedir(folder);
    rmdir(path);
}

void job_folder_remove_files(const char *data, int64_t job, const json_t *names)
{
    char path[JOB_PATH_MAX];
    const json_t *name;
    size_t k;

    json_array_foreach(names, k, name)
    {
        job_path(data, job, json_string_value(name), path);
        unlink(path);
    }
}

/* Whether the name begins with "task-N." and goes on. */
static bool is_of_task(const char *name)
{
    const size_t start = sizeof JOB_TASK_FILES - 1;

    if (strncmp(name, JOB_TASK_FILES, start) != 0)
        return false;
    const size_t digits = strspn(name + start, "0123456789");
    return digits > 0 && name[start + digits] == '.';
}

void job_folder_drop_tasks(const char *data, int64_t job)
{
    char path[JOB_PATH_MAX];
    const struct dirent *entry;

    job_path(data, job, NULL, path);
    DIR *folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL)
        if (is_of_task(entry->d_name))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

int64_t job_folder_bytes(const char *data, int64_t job)
{
    char path[JOB_PATH_MAX];
    const struct dirent *entry;
    struct stat about;
    int64_t bytes = 0;

    job_path(data, job, NULL, path);
    DIR *folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL)
        if (fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(about.st_mode))
            bytes += (int64_t)about.st_size;
    if (folder)
        closedir(folder);
    return bytes;
}

/* Whether a file in the folder of a training stays: a checkpoint of a run, a file of a task, or
 * anything but a checkpoint or model, such as notes of an operator. */
static bool is_needed(const json_t *job, const json_t *paths, const char *name)
{
    const char *newest =
        json_string_value(json_object_get(json_object_get(job, "checkpoint"), "path"));
    size_t k;
    json_t *path;

    if (newest && strcmp(newest, name) == 0)
        return true;
    json_array_foreach(paths, k, path) if (strcmp(json_string_value(path), name) == 0) return true;
    return is_of_task(name) || (!strstr(name, ".checkpoint") && !strstr(name, ".safetensors"));
}

static bool move_aside(const char *data, const char *path, int64_t now_ms)
{
    return model_files_move_aside(data, path, "no job has this", now_ms);
}

/* Moves aside checkpoints that were pruned or never announced, and models that are stored
 * elsewhere. Returns how many. */
static int tidy_training(const char *data, struct store *store, const json_t *job, int64_t now_ms)
{
    const struct job_kind *kind = job_kind_find(json_string_value(json_object_get(job, "kind")));
    const long long id = (long long)json_integer_value(json_object_get(job, "id"));
    char path[JOB_PATH_MAX];
    const struct dirent *entry;
    json_t *paths;
    int moved = 0;

    if (!kind || !kind->makes_models || run_store_files(store, id, &paths) != API_OK)
        return 0;
    job_path(data, id, NULL, path);
    DIR *folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL) {
        snprintf(path, sizeof path, "jobs/%lld/%s", id, entry->d_name);
        if (!is_needed(job, paths, entry->d_name))
            moved += move_aside(data, path, now_ms);
    }
    if (folder)
        closedir(folder);
    json_decref(paths);
    return moved;
}

static bool merges_no_more(const json_t *job)
{
    const struct job_kind *kind = job_kind_find(json_string_value(json_object_get(job, "kind")));
    enum job_state state;

    return kind && kind->has_tasks &&
           job_state_read(json_string_value(json_object_get(job, "state")), &state) &&
           (state == JOB_DONE || state == JOB_CANCELLED);
}

bool job_folders_tidy(const char *data, struct store *store, int64_t now_ms, int *ret_moved)
{
    char path[JOB_PATH_MAX];
    bool is_good = true;
    int moved = 0;

    snprintf(path, sizeof path, "%s/jobs", data);
    DIR *jobs = opendir(path);
    const struct dirent *entry;
    *ret_moved = 0;
    if (!jobs)
        return errno == ENOENT;
    while ((entry = readdir(jobs)) != NULL) {
        char *end;
        long long id = strtoll(entry->d_name, &end, 10);
        json_t *job = NULL;
        if (id < 1 || *end)
            continue;
        snprintf(path, sizeof path, "jobs/%s", entry->d_name);
        enum api_error error = job_store_get(store, id, &job);
        if (error == API_OK) {
            if (merges_no_more(job))
                job_folder_drop_tasks(data, id);
            moved += tidy_training(data, store, job, now_ms);
            json_decref(job);
        } else if (error == API_NOT_FOUND) {
            bool is_moved = move_aside(data, path, now_ms);
            moved += is_moved;
            is_good = is_good && is_moved;
        }
    }
    closedir(jobs);
    *ret_moved = moved;
    return is_good;
}
