/* Upkeep: a thread that makes backups on time (--backup-every-h) and removes what the rules of
 * retention let go. It reads with a store of its own and writes through the core thread. */
#ifndef RINKD_SERVICE_UPKEEP_UPKEEP_H
#define RINKD_SERVICE_UPKEEP_UPKEEP_H

#include "service/base/base.h"
#include "service/upkeep/backups.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct upkeep;

/* Milliseconds. */
struct upkeep_times {
    int64_t first;      /* from the start to the first retention … */
    int64_t every;      /* … and from one to the next */
    int64_t hour;       /* of --backup-every-h; shorter in tests */
    int64_t after_fail; /* from a backup that failed to the next attempt */
};
extern const struct upkeep_times upkeep_times;

/* Topic of the events that retention has begun and ended (service/base/events.h). */
#define UPKEEP_TOPIC "retention"

/* Starts the thread; the base, with all its parts, must outlive it. */
enum api_error upkeep_start(const struct base *base, const struct upkeep_times *times,
                            struct upkeep **ret_upkeep);
/* Ends the work under way soon: a backup fails, retention leaves the rest for later. Does not
 * wait. Repeat it until upkeep_has_stopped(): a backup may have begun just then. */
void upkeep_stop(struct upkeep *upkeep);
/* Whether the thread does nothing any more; it may wait for the core thread before. */
bool upkeep_has_stopped(const struct upkeep *upkeep);
/* Waits for the thread. Call it after upkeep_stop(). NULL is fine. */
void upkeep_free(struct upkeep *upkeep);

/* --- any thread --- */

/* Asks for a retention now and returns its number. */
int64_t upkeep_ask_retention(struct upkeep *upkeep);
/* Whether the retention with this number has ended. */
bool upkeep_retention_ended(struct upkeep *upkeep, int64_t number);
/* {"running","last":null|{"began_at","ended_at","gone":[…],"error"},"next_at"}; the caller's. */
json_t *upkeep_retention_json(struct upkeep *upkeep);

/* Makes a backup for a caller, from its reader. API_BUSY: another one is being made. */
enum api_error upkeep_back_up(struct upkeep *upkeep, struct store *reader, int64_t now_ms,
                              struct backup *ret_backup);
/* {"every_h","next_at","failure":null|{"at","error"},"items":[{"name","bytes","at"}]}; the
 * caller's. API_STORAGE: the folder cannot be read. */
enum api_error upkeep_backups_json(struct upkeep *upkeep, json_t **ret_json);
/* Lines of the page of metrics. */
void upkeep_write_metrics(struct upkeep *upkeep, FILE *page);

#endif
