/* What those hear who listen to a job ("job/7") or to all of them ("jobs"): service/base/events.h.
 * Any thread. */
#ifndef RINKD_SERVICE_JOBS_JOB_EVENTS_H
#define RINKD_SERVICE_JOBS_JOB_EVENTS_H

#include "api/wire.h"
#include "service/base/events.h"
#include "service/store/jobs.h"

/* The topic of one job. */
void job_events_topic(int64_t id, char ret_topic[EVENTS_TOPIC_MAX]);

/* Tells those who listen to the job, and with `everybody` those who listen to all jobs. Steals
 * `data`. `last`: nothing follows in the job's topic. */
void job_events_tell(struct events *events, int64_t id, const char *name, json_t *data,
                     bool everybody, bool last);

/* {"id","state"}: what callers are told of a job that they have added or moved. The caller's; NULL:
 * memory is short. */
json_t *job_state_json(int64_t id, enum job_state state);

/* The state of a job that a worker has, or had until now. After JOB_DONE its result follows. */
void job_events_state(struct events *events, const struct job_claim *claim, enum job_state state);

/* How far it is; NAN: not known. */
void job_events_progress(struct events *events, const struct job_claim *claim, double progress,
                         double eta_s);

/* Rows of metrics, a partial result or the result; nothing if the message is another one. */
void job_events_said(struct events *events, const struct job_claim *claim,
                     const struct wire_message *message);

#endif
