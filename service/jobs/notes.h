/* What a worker said, or what became of it, from the moment it was heard until it is in the store.
 */
#ifndef RINKD_SERVICE_JOBS_NOTES_H
#define RINKD_SERVICE_JOBS_NOTES_H

#include "api/wire.h"
#include "service/store/jobs.h"

enum { NOTE_DETAIL_MAX = 512 };

/* A message of a kind that is kept (metrics, checkpoint, model, partial, or a last word). */
struct note {
    struct note *next;
    struct wire_message message;
    json_t *card; /* WIRE_MODEL: what its file says, which has been checked */
    int64_t bytes;
    bool crashed;                 /* a WIRE_FAILED that its death says, not the worker … */
    char detail[NOTE_DETAIL_MAX]; /* … whose text is here */
};

/* Oldest first. Its address must not change while it is empty. */
struct note_list {
    struct note *first, **last;
    int count;
};

void notes_init(struct note_list *list);
/* The note (from malloc, as its message) is the list's. */
void notes_add(struct note_list *list, struct note *note);
void notes_free(struct note_list *list);

/* Done, failed or released: the worker says nothing after it. */
bool note_is_last_word(enum wire_type type);

/* In a transaction, for the worker that holds this claim. */
struct note_keeper {
    struct store *store;
    const struct job_claim *claim;
    const char *data; /* the folder of the daemon; <data>/jobs/<id> is that of a job */
    int64_t now_ms;
    bool made_progress;   /* the worker has said a checkpoint or a partial result since the claim */
    json_t *gone_files;   /* names in the job's folder that nobody needs after the commit … */
    json_t *gone_weights; /* … and hashes of weights; lists that are added to */
};

/* Writes all of them; of partial results that follow each other the last. *ret_state is the state
 * of the job after a last word, else untouched. After a job that is done the one that follows
 * its kind is added, if none waits. API_LEASE_LOST: the job is somebody else's. API_BAD_FIELD,
 * API_NOT_FOUND: the worker said what cannot be kept. On any error the caller undoes the
 * transaction. */
enum api_error notes_keep(const struct note_list *notes, const struct note_keeper *keeper,
                          enum job_state *ret_state);

#endif
