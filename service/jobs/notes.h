/* Notes: reports of a worker, or of its end, until they are in the store. */
#ifndef RINKD_SERVICE_JOBS_NOTES_H
#define RINKD_SERVICE_JOBS_NOTES_H

#include "service/jobs/note.h"

/* Takes a note out of memory, and its staged file from the disk. */
void note_free(struct note *note);
/* Frees all notes; the list is empty then. */
void notes_free(struct note_list *list);

/* Whether this is a last word (done, failed or released): the worker says nothing after it. */
bool note_is_last_word(enum wire_type type);

/* The member of a message in which the worker of a task says what is not its own: "rows" or "run"
 * (it may report of `run` alone; "": of none), or "path" (names of its files begin with "task-N."
 * or with its run). NULL: all of it is its own. */
const char *note_stranger(const struct wire_message *message, int64_t number, const char *run);

/* Stores all notes; of consecutive partial results only the last. After a last word about the job
 * itself *ret_state is its state, else it is untouched. A job that is done adds the job that
 * follows its kind, unless one waits already. API_LEASE_LOST: the job belongs to another worker.
 * API_BAD_FIELD, API_NOT_FOUND: a note cannot be stored. On any error the caller undoes the
 * transaction. */
enum api_error notes_keep(const struct note_list *notes, const struct note_keeper *keeper,
                          enum job_state *ret_state);

/* Puts the staged files of notes that were stored where their rows say, each under a name that no
 * other file has, and makes that durable: the last step before the commit, so that nothing on the
 * disk changes for notes that are refused. */
enum api_error notes_place(const struct note_list *notes, const struct note_keeper *keeper);

/* After a job of this kind and spec was deleted with its results: what followed from them is
 * computed again from those that are left, or goes with the last. */
enum api_error notes_deleted(struct store *store, const char *kind, const json_t *spec,
                             int64_t now_ms);

#endif
