/* Picks the jobs that one request moves. */
#ifndef RINKD_SERVICE_STORE_JOB_PICK_H
#define RINKD_SERVICE_STORE_JOB_PICK_H

#include "service/store/jobs.h"

/* Which jobs; each condition narrows the choice. */
struct job_choice {
    bool has_state;
    enum job_state state;
    const char *kind;  /* NULL: all but internal kinds */
    const char *owner; /* a token by name; NULL: any owner */
    bool has_from, has_to;
    int64_t from_ms, to_ms; /* submitted at this time or later, and before that */
    const int64_t *ids;     /* these jobs; NULL: any */
    int id_count;
};

/* How far a choice was looked through. Start with zeros. */
struct job_pick_place {
    int pass;        /* index of the state, or of the id */
    int64_t last_id; /* looked at in this pass */
    bool is_over;
};

/* Looks at the next jobs, at most `most`, in the states of `passes` (one after the other;
 * JOB_STATES at the end), and writes the ids of those chosen, oldest first; a state may appear
 * twice. Looks only at ids up to `last`, so it ends although jobs are added. With ids in the choice
 * a job in no such state counts into *ret_skipped, which this adds to. */
enum api_error job_store_pick(struct store *store, const struct job_choice *choice,
                              const enum job_state *passes, int64_t last, int most,
                              struct job_pick_place *place, int64_t *ret_ids, int *ret_count,
                              int64_t *ret_skipped);

/* The id of the newest job; 0: there is none. */
enum api_error job_store_newest(struct store *store, int64_t *ret_id);

#endif
