/* The folder of a job, <data>/jobs/<id>: records, checkpoints, and models before they
 * are stored. */
#ifndef RINKD_SERVICE_JOBS_JOB_FOLDER_H
#define RINKD_SERVICE_JOBS_JOB_FOLDER_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct store;

#define JOB_TASK_FILES "task-" /* files of task 7 begin with "task-7." */

enum { JOB_PATH_MAX = PATH_MAX + NAME_MAX + 32 };

/* Writes the path of a file in the job's folder; name NULL: of the folder itself. */
void job_path(const char *data, int64_t job, const char *name, char ret_path[JOB_PATH_MAX]);

/* Takes "<data>/" out of a text of a worker, wherever it stands: callers see no paths of the
 * server. */
void job_text_without_folder(const char *data, char *text);

/* Asks the process of a job without a worker to end, if there is one: the game of a `host` job goes
 * on when its worker dies or is paused. */
void job_folder_end_process(const char *data, int64_t job);

/* Deletes the folder of a job, and ends its process. Call it after the commit that has deleted the
 * job. */
void job_folder_remove(const char *data, int64_t job);

/* Deletes files of a job; names: [name] within its folder. */
void job_folder_remove_files(const char *data, int64_t job, const json_t *names);

/* Deletes the files of tasks of a job that is done or cancelled: nobody merges them any more. */
void job_folder_drop_tasks(const char *data, int64_t job);

/* Bytes of the files in the folder of a job; 0 without one. */
int64_t job_folder_bytes(const char *data, int64_t job);

/* At start: moves folders of jobs that the store does not know to lost+found (store/strangers.h),
 * and from the folders of trainings the checkpoints and models that no run knows; deletes files of
 * tasks of jobs that are done or cancelled. False: the folder of an unknown job could not be moved.
 * A new job may get its id and would continue with its files. */
bool job_folders_tidy(const char *data, struct store *store, int64_t now_ms, int *ret_moved);

#endif
