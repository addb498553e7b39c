/* Exports for callers: the program rink-data, the same one as without a daemon, writes all that the
 * data folder knows into one file, at low priority. One at a time. */
#ifndef RINKD_SERVICE_UPKEEP_EXPORTS_H
#define RINKD_SERVICE_UPKEEP_EXPORTS_H

#include "api/base/error.h"

#include <stdbool.h>

/* In the data folder; with all that is in it, it is removed at the end and at the next start. */
#define EXPORTS_FOLDER "export-under-way"

struct base;
struct exports;

/* Removes what a killed daemon left in its folder. */
enum api_error exports_start(const struct base *base, struct exports **ret_exports);
void exports_free(struct exports *exports); /* when none is being made; NULL is fine */

/* --- core thread --- */

/* Receives the open file, which has no name any more, and closes it. API_STORAGE: the log says why;
 * API_CANCELLED: nobody waits for it; API_DRAINING: the daemon stops. There is no file then. */
typedef void exports_ended(void *context, enum api_error error, int file);

/* Begins an export; `ended` is called once, unless this fails. API_BUSY: one is being made;
 * API_NO_WORKER: there is no rink-data. */
enum api_error exports_begin(struct exports *exports, bool csv, exports_ended *ended,
                             void *context);
/* Ends the one that is being made soon: nobody waits for it. */
void exports_cancel(struct exports *exports);
/* The same, and refuses new ones. */
void exports_stop(struct exports *exports);
bool exports_are_busy(const struct exports *exports);

#endif
