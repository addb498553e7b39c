/* Files of notes: which name they get in the folder of the job. */
#ifndef RINKD_SERVICE_JOBS_NOTE_FILES_H
#define RINKD_SERVICE_JOBS_NOTE_FILES_H

#include "service/jobs/note.h"

#include <limits.h>

/* A file of the folder of the job. */
struct note_file {
    char name[NAME_MAX + 1];
    int64_t bytes;
};

/* Finds the file of a checkpoint or an output. One that a worker of this machine has made lies
 * there under the name that it says. One of a node gets that name with a mark before its end: of a
 * checkpoint its hash, so that the same file is there once, and nobody can replace it by another;
 * of an output the token of the try, which each has to itself. API_BAD_FIELD: it is not there. */
enum api_error note_find_file(const struct note_keeper *keeper, const struct note *note,
                              struct note_file *ret_file);
/* Gives a staged file that name; the folder has still to be made durable. */
enum api_error note_place_file(const struct note_keeper *keeper, const struct note *note);

#endif
