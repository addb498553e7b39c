/* See model_check.h. */
#include "service/jobs/model_check.h"

#include "service/jobs/job_folder.h"
#include "service/models/model_files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct check {
    uv_work_t work;
    char path[JOB_PATH_MAX], sha256[65];
    model_checked *checked;
    void *context;
    enum api_error result;
    json_t *card;
    int64_t bytes;
};

static void run(uv_work_t *work)
{
    struct check *check = work->data;

    check->result = model_file_check(check->path, check->sha256, &check->card, &check->bytes);
}

static void finish(uv_work_t *work, int status)
{
    struct check *check = work->data;

    (void)status;
    check->checked(check->context, check->result, check->card, check->bytes);
    free(check);
}

bool model_check_start(uv_loop_t *loop, const char *path, const char *sha256,
                       model_checked *checked, void *context)
{
    struct check *check = calloc(1, sizeof *check);

    if (!check)
        return false;
    check->work.data = check;
    check->checked = checked;
    check->context = context;
    snprintf(check->path, sizeof check->path, "%s", path);
    snprintf(check->sha256, sizeof check->sha256, "%s", sha256);
    uv_queue_work(loop, &check->work, run, finish);
    return true;
}
