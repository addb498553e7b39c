/* Reads the bodies of requests that move many jobs. See bulk.h. */
#include "service/routes/bulk/bulk.h"

#include "api/base/time_text.h"
#include "api/jobs/job_kinds.h"
#include "service/routes/job_moving.h"
#include "service/routes/owner.h"

#include <stdlib.h>

/* The members of a filter. */
#define FILTER "ids", "kind", "owner", "state", "submitted_after", "submitted_before"

static void read_ids(const struct strict_place *place, struct bulk *bulk)
{
    if (!strict_array(place, 1, BULK_IDS_MAX))
        return;
    for (size_t k = 0; k < json_array_size(place->value); k++) {
        const struct strict_place element = strict_element(place, k);
        if (!strict_whole(&element, 1, INT64_MAX, &bulk->ids[bulk->choice.id_count]))
            return;
        bulk->choice.id_count++;
    }
    bulk->choice.ids = bulk->ids;
}

static void read_state(const struct strict_place *place, struct bulk *bulk)
{
    const char *names[JOB_STATES + 1] = {NULL};
    int index;

    for (int k = 0; bulk->verb->states[k] != JOB_STATES; k++)
        names[k] = job_state_name(bulk->verb->states[k]);
    if (strict_choice(place, names, &index)) {
        bulk->choice.has_state = true;
        (void)job_state_read(names[index], &bulk->choice.state);
    }
}

static void read_kind(const struct strict_place *place, struct bulk *bulk)
{
    char names[JOB_KIND_NAMES_MAX];

    if (strict_text(place, JOB_KIND_MAX - 1, &bulk->choice.kind) &&
        !job_kind_find(bulk->choice.kind))
        strict_refuse(place, "value", "no such kind of job; there are %s",
                      job_kind_names(", ", names));
}

static bool read_time(const struct strict_place *place, int64_t *ret_ms)
{
    const char *text;

    return strict_text(place, 40, &text) &&
           (time_read(text, ret_ms) ||
            strict_refuse(place, "value", "must be a time like 2026-01-31T12:00:00Z"));
}

/* Whether a member of the filter is there. */
static bool read_filter(const struct strict_place *root, struct bulk *bulk)
{
    const struct strict_place ids = strict_member(root, "ids"), kind = strict_member(root, "kind"),
                              owner = strict_member(root, "owner"),
                              state = strict_member(root, "state"),
                              from = strict_member(root, "submitted_after"),
                              to = strict_member(root, "submitted_before");

    if (!strict_is_missing(&ids))
        read_ids(&ids, bulk);
    if (!strict_is_missing(&kind))
        read_kind(&kind, bulk);
    if (!strict_is_missing(&owner))
        strict_text(&owner, JOB_OWNER_MAX - 1, &bulk->choice.owner);
    if (!strict_is_missing(&state))
        read_state(&state, bulk);
    if (!strict_is_missing(&from))
        bulk->choice.has_from = read_time(&from, &bulk->choice.from_ms);
    if (!strict_is_missing(&to))
        bulk->choice.has_to = read_time(&to, &bulk->choice.to_ms);
    return !strict_is_missing(&ids) || !strict_is_missing(&kind) || !strict_is_missing(&owner) ||
           !strict_is_missing(&state) || !strict_is_missing(&from) || !strict_is_missing(&to);
}

/* A slip must not move every job: without a filter the request says so. */
static void read_all(const struct strict_place *root, bool has_filter)
{
    const struct strict_place place = strict_member(root, "all");
    bool all = false;

    if (!strict_is_missing(&place) && !strict_flag(&place, &all))
        return;
    if (all && has_filter)
        strict_refuse(&place, "value", "leave it out, or leave out the filter");
    if (!all && !has_filter)
        strict_refuse(
            &place, "missing",
            "say which jobs (ids, state, kind, owner, submitted_after, submitted_before), or "
            "\"all\": true");
}

/* A caller that may change only its own jobs chooses from these. */
static enum api_error keep_to_own(struct http_request *request, struct bulk *bulk)
{
    const char *owner = bulk->choice.owner;

    if (owner_is_good(request, owner ? owner : ""))
        return API_OK;
    if (owner)
        return http_problem_about(request, API_FORBIDDEN,
                                  "jobs of %s: only a token with the scope admin changes jobs of "
                                  "others",
                                  owner);
    bulk->choice.owner = request->token;
    return API_OK;
}

enum api_error bulk_read(struct http_request *request, const struct bulk_verb *verb)
{
    static const char *const plain[] = {FILTER, "all", "dry_run", NULL};
    static const char *const with_reason[] = {FILTER, "all", "dry_run", "reason", NULL};
    static const char *const with_priority[] = {FILTER, "all", "dry_run", "priority", NULL};
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place dry_run = strict_member(&root, "dry_run"),
                              priority = strict_member(&root, "priority");
    size_t ids = json_array_size(json_object_get(request->body, "ids"));
    int64_t number = 0;

    ids = ids < BULK_IDS_MAX ? ids : BULK_IDS_MAX;
    struct bulk *bulk = calloc(1, sizeof *bulk + ids * sizeof bulk->ids[0]);
    request->state = bulk;
    if (!bulk)
        return API_NO_MEMORY;
    bulk->verb = verb;
    bulk->request = request;
    if (!strict_object(&root, verb->takes_reason     ? with_reason
                              : verb->takes_priority ? with_priority
                                                     : plain))
        return API_BAD_FIELD;
    read_all(&root, read_filter(&root, bulk));
    if (!strict_is_missing(&dry_run))
        strict_flag(&dry_run, &bulk->is_dry_run);
    if (verb->takes_reason)
        job_reason_read(&root, &bulk->reason);
    if (verb->takes_priority &&
        strict_whole(&priority, -JOB_PRIORITY_MAX, JOB_PRIORITY_MAX, &number))
        bulk->priority = (int)number;
    return request->errors.count > 0 ? API_BAD_FIELD : keep_to_own(request, bulk);
}
