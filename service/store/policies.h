/* Models that are policies of training runs: the policy NAME of a run at a step is the model
 * RUN.NAME.STEP, and the alias RUN.NAME is the newest one. Callers cannot give such names. Old ones
 * are deleted but for those that somebody needs: an alias, a registered player, a job that has not
 * ended.
 *
 * Files are not touched here: functions that delete rows append to a list the hashes of weights
 * that no model has any more. */
#ifndef RINKD_SERVICE_STORE_POLICIES_H
#define RINKD_SERVICE_STORE_POLICIES_H

#include "service/store/store.h"

/* Whether a name of a model or alias is one that only runs give: 32 hexadecimal digits and '.'. */
bool policy_name_is_of_run(const char *name);

struct policy_new {
    int64_t job;
    const char *run, *name;    /* of the job; "average", … */
    const char *sha256, *card; /* card: JSON object */
    int64_t step, bytes;
};
/* The same run, name and step again: the new weights count. API_NOT_FOUND: no such run of the job.
 */
enum api_error policy_store_add(struct store *store, const struct policy_new *policy,
                                int64_t now_ms, json_t *gone_weights);

/* Deletes all but the newest `keep` of a policy and those that are needed. */
enum api_error policy_store_prune(struct store *store, const char *run, const char *name,
                                  int64_t keep, json_t *gone_weights);

/* Before a job is deleted: its policies go with it, but for those that are needed. */
enum api_error policy_store_forget(struct store *store, int64_t job, json_t *gone_weights);

/* A job plays with these weights. Once or more. */
enum api_error weights_store_use(struct store *store, int64_t job, const char *sha256);
/* Whether a registered player, or a job that has not ended, plays with these weights. */
enum api_error weights_store_in_use(struct store *store, const char *sha256, bool *ret_in_use);
/* Some weights that the job plays with and no model has any more; "": there are none. */
enum api_error weights_store_missing(struct store *store, int64_t job, char ret_sha256[65]);

#endif
