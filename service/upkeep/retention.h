/* What goes by the rules --keep-jobs, --keep-replays and --keep-backups, and why other things stay
 * that are beyond them. A plan only reads; removal.h carries it out. */
#ifndef RINKD_SERVICE_UPKEEP_RETENTION_H
#define RINKD_SERVICE_UPKEEP_RETENTION_H

#include "api/base/error.h"
#include "service/base/keep.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct config;
struct store;

enum kept_kind { KEPT_JOBS, KEPT_REPLAYS, KEPT_BACKUPS, KEPT_KINDS };

/* The reasons why something stays, RETENTION_REASONS of them; the words are for callers. */
enum stay {
    STAY_WEIGHTS, /* a model of the job has an alias of a caller, or is in use */
    STAY_PARENT,  /* another job has gone on from one of its runs */
    STAY_AWAITED, /* a job that has not ended is after it */
    STAY_NEEDED,  /* a job that has not ended needs its games or checkpoints */
    STAY_KICK,    /* a buried job may be kicked, and goes on with its records */
    STAY_NEWEST,  /* the newest backup */
    STAYS,
    STAY_NOT = STAYS
};

/* Ids that a list shows; it counts all. */
enum { RETENTION_SHOWN = 100 };

/* A job or the records of one, by the id of the job; a backup, by its time. */
struct kept_thing {
    int64_t id, bytes;
};

struct kept_list {
    struct kept_thing *things; /* newest first */
    size_t count, room;
    int64_t bytes;
};

struct retention_plan {
    struct kept_list go[KEPT_KINDS];
    struct {
        int64_t count, shown[RETENTION_SHOWN]; /* the first of them */
    } stay[KEPT_KINDS][STAYS];
};

/* The rules of the settings; those of jobs and records only with `all`. */
struct retention_rules {
    struct keep keep[KEPT_KINDS];
};
struct retention_rules retention_rules(const struct config *config, bool all);
/* Whether there is any limit. */
bool retention_is_asked(const struct retention_rules *rules);

/* Finds what would go now. Any thread with a store of its own. Free the plan in any case. */
enum api_error retention_plan(struct store *store, const char *data,
                              const struct retention_rules *rules, int64_t now_ms,
                              struct retention_plan *ret_plan);
void retention_plan_free(struct retention_plan *plan);

/* Why an ended job stays; STAY_NOT: it may go. */
enum api_error retention_why_stays(struct store *store, int64_t job, enum stay *ret_why);

bool kept_list_add(struct kept_list *list, int64_t id, int64_t bytes);
/* "jobs", "replays", "backups" */
const char *kept_kind_name(enum kept_kind kind);
/* {"count","bytes","ids":[…]}; `plan` NULL: without "stays". NULL: out of memory. */
json_t *retention_json(const struct kept_list lists[KEPT_KINDS], const struct retention_plan *plan);

#endif
