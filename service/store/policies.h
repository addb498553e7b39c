/* Models that are policies of training runs: the policy NAME of a run at a step is the model
 * RUN.NAME.STEP, and the alias RUN.NAME is the newest one. Callers cannot use such names. Old
 * ones are deleted, except those in use by an alias, a registered player or an unfinished job.
 *
 * Files are not touched here: functions that delete rows append to a list the hashes of weights
 * that no model has any more. */
#ifndef RINKD_SERVICE_STORE_POLICIES_H
#define RINKD_SERVICE_STORE_POLICIES_H

#include "service/store/registry.h"

/* Whether only runs may give this name to a model or alias: it begins with 32 hexadecimal digits
 * and '.'. */
bool policy_name_is_of_run(const char *name);
/* Finds the first such name in a text; NULL: none. */
const char *policy_name_find(const char *text, char ret_name[REGISTRY_NAME_MAX]);

struct policy_new {
    int64_t job;
    const char *run, *name;    /* run of the job; name: "average", … */
    const char *sha256, *card; /* card: JSON object */
    int64_t step, bytes;
};
/* Adds a policy, or replaces the weights of the same run, name and step. API_NOT_FOUND: the job has
 * no such run. */
enum api_error policy_store_add(struct store *store, const struct policy_new *policy,
                                int64_t now_ms, json_t *gone_weights);

/* Deletes the models of a policy, except the newest `keep` and those in use. */
enum api_error policy_store_prune(struct store *store, const char *run, const char *name,
                                  int64_t keep, json_t *gone_weights);

/* Deletes the policies of a job that is about to be deleted, except those in use. */
enum api_error policy_store_forget(struct store *store, int64_t job, json_t *gone_weights);

/* Whether a caller's alias points to a model that is a policy of the job, or it is in use. */
enum api_error policy_store_is_needed(struct store *store, int64_t job, bool *ret_is);
/* Bytes of all weights that are policies of the job. */
enum api_error policy_store_bytes(struct store *store, int64_t job, int64_t *ret_bytes);

/* Notes that a job plays with these weights. Repeating it is fine. */
enum api_error weights_store_use(struct store *store, int64_t job, const char *sha256);
/* Whether a registered player, or a job that has not ended, plays with these weights. */
enum api_error weights_store_in_use(struct store *store, const char *sha256, bool *ret_in_use);
/* Finds weights that the job needs and no model has any more; "" if all are there. */
enum api_error weights_store_missing(struct store *store, int64_t job, char ret_sha256[65]);

#endif
