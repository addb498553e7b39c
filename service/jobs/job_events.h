/* Publishes events about a job to listeners to it ("job/7") or to all jobs ("jobs"):
 * service/base/events.h. Any thread. */
#ifndef RINKD_SERVICE_JOBS_JOB_EVENTS_H
#define RINKD_SERVICE_JOBS_JOB_EVENTS_H

#include "api/jobs/wire.h"
#include "service/base/events.h"
#include "service/store/jobs.h"

/* The topic of one job. */
struct topic_name job_topic(int64_t id);

/* Publishes to listeners to the job, and with `everybody` also to listeners to all jobs. Steals
 * `data`. `last`: the job's topic ends. */
void job_events_tell(struct events *events, int64_t id, const char *name, json_t *data,
                     bool everybody, bool last);

/* {"id","state"}, the answer to callers who add or move a job. The caller owns it; NULL: memory is
 * short. */
json_t *job_state_json(int64_t id, enum job_state state);

/* Publishes the state of a job that a worker has or has just let go. The result
 * follows JOB_DONE. */
void job_events_state(struct events *events, const struct job_claim *claim, enum job_state state);

/* Publishes progress; NAN: unknown. */
void job_events_progress(struct events *events, const struct job_claim *claim, double progress,
                         double eta_s);

/* Publishes rows of metrics, a partial result or the result; ignores other messages. */
void job_events_said(struct events *events, const struct job_claim *claim,
                     const struct wire_message *message);

#endif
