/* What specs of jobs name by a number that may change on the way in: games. The fields of their
 * kinds say where (api/fields/job_fields.h). For transfer_in.c; see transfer.h. */
#ifndef RINKD_SERVICE_STORE_TRANSFER_NAMES_H
#define RINKD_SERVICE_STORE_TRANSFER_NAMES_H

#include "service/store/store.h"

/* --- the ids of the other database, and what they are here --- */

enum api_error moved_begin(struct store *store);
/* `added`: the row is new here. API_EXISTS: the old id is there twice. */
enum api_error moved_note(struct store *store, const char *table, int64_t old, int64_t now,
                          bool added);
/* API_NOT_FOUND: no such row came. */
enum api_error moved_find(struct store *store, const char *table, int64_t old, int64_t *ret_new,
                          bool *ret_added);

/* --- names in specs --- */

/* Notes whose match this is, before any row is added: what a job names is asked for before its
 * match has come. */
enum api_error transfer_names_look(struct store *store, const json_t *match);

/* Whether a spec of the other database, of this kind, says what one of a job here says. Games whose
 * match is gone are equal. */
enum api_error transfer_names_equal(struct store *store, const char *kind, const char *theirs,
                                    const char *own, bool *ret_equal);

/* When all rows are there: new jobs name their games by the new ids, also in their runs and
 * results, and it is noted what they need (job_needs.h). A game whose match did not come gets an id
 * that no other match will have. */
enum api_error transfer_names_follow(struct store *store);

#endif
