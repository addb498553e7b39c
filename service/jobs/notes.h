/* Notes: reports of a worker, or of its end, until they are in the store. */
#ifndef RINKD_SERVICE_JOBS_NOTES_H
#define RINKD_SERVICE_JOBS_NOTES_H

#include "api/wire.h"
#include "service/store/jobs.h"

#include <sys/queue.h>

enum { NOTE_DETAIL_MAX = 512 };

/* A message to be stored (metrics, checkpoint, model, partial, or a last word). */
struct note {
    STAILQ_ENTRY(note) link;
    struct wire_message message;
    json_t *card; /* WIRE_MODEL: the summary of its checked file */
    int64_t bytes;
    bool crashed; /* a WIRE_FAILED written by the daemon, because the worker died … */
    char detail[NOTE_DETAIL_MAX]; /* … with its text */
};

/* Oldest first. The notes and their messages are from malloc. */
STAILQ_HEAD(note_list, note);

/* Frees all notes; the list is empty then. */
void notes_free(struct note_list *list);

/* Whether this is a last word (done, failed or released): the worker says nothing after it. */
bool note_is_last_word(enum wire_type type);

/* Input of notes_keep() for the worker that holds this claim. */
struct note_keeper {
    struct store *store; /* in a transaction */
    const struct job_claim *claim;
    const char *data; /* the daemon's folder; the job's is <data>/jobs/<id> */
    int64_t now_ms;
    bool made_progress;   /* since the claim, the worker reported a checkpoint or partial result */
    json_t *gone_files;   /* names in the job's folder that are not needed after the commit … */
    json_t *gone_weights; /* … and hashes of weights; both are appended to */
    json_t *news;         /* lines that the lead of the job has to hear after the commit (tasks.h);
                             appended to */
};

/* Stores all notes; of consecutive partial results only the last. After a last word about the job
 * itself *ret_state is its state, else it is untouched. A job that is done adds the job that
 * follows its kind, unless one waits already. API_LEASE_LOST: the job belongs to another worker.
 * API_BAD_FIELD, API_NOT_FOUND: a note cannot be stored. On any error the caller undoes the
 * transaction. */
enum api_error notes_keep(const struct note_list *notes, const struct note_keeper *keeper,
                          enum job_state *ret_state);

/* After a job of this kind and spec was deleted with its results: what followed from them is
 * computed again from those that are left, or goes with the last. */
enum api_error notes_deleted(struct store *store, const char *kind, const json_t *spec,
                             int64_t now_ms);

#endif
