/* A note: a report of a worker, or of its end, until it is in the store. */
#ifndef RINKD_SERVICE_JOBS_NOTE_H
#define RINKD_SERVICE_JOBS_NOTE_H

#include "api/jobs/wire.h"
#include "service/store/jobs.h"

#include <sys/queue.h>

enum { NOTE_DETAIL_MAX = 512 };

/* A message to be stored (metrics, checkpoint, model, partial, or a last word). */
struct note {
    STAILQ_ENTRY(note) link;
    struct wire_message message;
    json_t *card; /* WIRE_MODEL: the summary of its checked file */
    int64_t bytes;
    char *staged;  /* of a node: its file, which is not in the folder of the job yet; malloc'ed, and
                      deleted with the note. NULL: it lies in the folder under its name */
    char said[65]; /* of a node: a hash of what it says of its run (nodes/answer.h); "": nothing */
    bool crashed;  /* a WIRE_FAILED written by the daemon, because the worker died … */
    char detail[NOTE_DETAIL_MAX]; /* … with its text */
};

/* Oldest first. The notes and their messages are from malloc. */
STAILQ_HEAD(note_list, note);

/* Input of notes_keep() for the worker that holds this claim. */
struct note_keeper {
    struct store *store; /* in a transaction */
    const struct job_claim *claim;
    const char *data; /* the daemon's folder; the job's is <data>/jobs/<id> */
    int64_t now_ms;
    bool is_outdated;     /* a lead whose tasks are done again: its words are of no use */
    bool made_progress;   /* since the claim, the worker reported a checkpoint or partial result */
    json_t *gone_files;   /* names in the job's folder that are not needed after the commit … */
    json_t *gone_weights; /* … and hashes of weights; both are appended to */
    json_t *news;         /* lines that the lead of the job has to hear after the commit (tasks.h);
                             appended to */
};

#endif
