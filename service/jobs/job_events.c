/* One function per event. See job_events.h. */
#include "service/jobs/job_events.h"

#include "api/jobs/job_kinds.h"

#include <math.h>
#include <stdio.h>

struct topic_name job_topic(int64_t id)
{
    struct topic_name topic;

    snprintf(topic.text, sizeof topic.text, "job/%lld", (long long)id);
    return topic;
}

void job_events_tell(struct events *events, int64_t id, const char *name, json_t *data,
                     bool everybody, bool last)
{
    if (everybody)
        events_publish(events, "jobs", name, json_incref(data), false);
    events_publish(events, job_topic(id).text, name, data, last);
}

/* Listeners to all jobs hear of those that lists show. */
static bool is_shown(const struct job_claim *claim)
{
    return !job_kind_is_internal(claim->kind);
}

json_t *job_state_json(int64_t id, enum job_state state)
{
    return json_pack("{s:I, s:s}", "id", (json_int_t)id, "state", job_state_name(state));
}

void job_events_state(struct events *events, const struct job_claim *claim, enum job_state state)
{
    json_t *data = json_pack("{s:I, s:s, s:s, s:i, s:o*}", "id", (json_int_t)claim->id, "kind",
                             claim->kind, "state", job_state_name(state), "attempt", claim->attempt,
                             "progress", state == JOB_DONE ? json_real(1.0) : NULL);

    job_events_tell(events, claim->id, "state", data, is_shown(claim),
                    job_has_ended(state) && state != JOB_DONE);
}

void job_events_progress(struct events *events, const struct job_claim *claim, double progress,
                         double eta_s)
{
    json_t *data = json_pack("{s:I, s:o, s:o}", "id", (json_int_t)claim->id, "progress",
                             isnan(progress) ? json_null() : json_real(progress), "eta_s",
                             isnan(eta_s) ? json_null() : json_real(eta_s));

    job_events_tell(events, claim->id, "progress", data, is_shown(claim), false);
}

void job_events_said(struct events *events, const struct job_claim *claim,
                     const struct wire_message *message)
{
    if (message->type == WIRE_METRICS)
        job_events_tell(events, claim->id, "metrics",
                        json_pack("{s:O}", "rows", message->metrics.rows), false, false);
    else if (message->type == WIRE_PARTIAL)
        job_events_tell(events, claim->id, "partial",
                        json_pack("{s:O}", "result", message->result.result), false, false);
    else if (message->type == WIRE_DONE)
        job_events_tell(events, claim->id, "done",
                        json_pack("{s:I, s:f, s:O}", "id", (json_int_t)claim->id, "progress", 1.0,
                                  "result", message->result.result),
                        false, true);
}
