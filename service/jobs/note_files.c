/* Names of files of notes. See note_files.h. */
#include "service/jobs/note_files.h"

#include "service/jobs/job_folder.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MARK_MAX = 32 /* digits: 128 bits */ };

_Static_assert(JOB_TOKEN_MAX - 1 <= MARK_MAX, "a token is a whole mark");

/* False: the name would be too long. */
static bool name_with_mark(const char *name, const char *mark, char ret_name[NAME_MAX + 1])
{
    const char *end = strrchr(name, '.');
    const int stem = end ? (int)(end - name) : (int)strlen(name);

    return snprintf(ret_name, NAME_MAX + 1, "%.*s.%.*s%s", stem, name, MARK_MAX, mark,
                    end ? end : "") <= NAME_MAX;
}

static const char *path_of(const struct wire_message *message)
{
    return message->type == WIRE_CHECKPOINT ? message->checkpoint.path : message->output.path;
}

enum api_error note_find_file(const struct note_keeper *keeper, const struct note *note,
                              struct note_file *ret_file)
{
    const struct wire_message *message = &note->message;
    const char *mark =
        message->type == WIRE_CHECKPOINT ? message->checkpoint.sha256 : keeper->claim->token;
    char path[JOB_PATH_MAX];
    struct stat about;

    *ret_file = (struct note_file){.bytes = note->bytes};
    if (note->staged)
        return name_with_mark(path_of(message), mark, ret_file->name) ? API_OK : API_BAD_FIELD;
    snprintf(ret_file->name, sizeof ret_file->name, "%s", path_of(message));
    job_path(keeper->data, keeper->claim->id, ret_file->name, path);
    if (stat(path, &about) != 0)
        return API_BAD_FIELD;
    ret_file->bytes = (int64_t)about.st_size;
    return API_OK;
}

enum api_error note_place_file(const struct note_keeper *keeper, const struct note *note)
{
    char path[JOB_PATH_MAX];
    struct note_file file;
    enum api_error error = note_find_file(keeper, note, &file);

    if (error != API_OK)
        return error;
    job_path(keeper->data, keeper->claim->id, file.name, path);
    return rename(note->staged, path) == 0 ? API_OK : API_STORAGE;
}
