/* The folder of a job, <data>/jobs/<id>: records, checkpoints, models on their way out. */
#ifndef RINKD_SERVICE_JOBS_JOB_FOLDER_H
#define RINKD_SERVICE_JOBS_JOB_FOLDER_H

#include <limits.h>
#include <stdint.h>

struct core;
struct store;

enum { JOB_PATH_MAX = PATH_MAX + NAME_MAX + 32 };

/* The path of a file in the job's folder, or of the folder itself for NULL. */
void job_path(const char *data, int64_t job, const char *name, char ret_path[JOB_PATH_MAX]);

/* From a task of the core that has deleted the job: removes its folder once that is committed. */
void job_folder_remove(struct core *core, const char *data, int64_t job);

/* At start: removes the folders of deleted jobs, as a kill between the commit and the removal
 * leaves them, and in the folders of trainings the checkpoints and models that no run needs.
 * Returns how many. */
int job_folders_sweep(const char *data, struct store *store);

#endif
