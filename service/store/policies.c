/* Policies of runs in the registry of models. See policies.h. */
#include "service/store/policies.h"

#include "service/store/runs.h"
#include "service/store/sql.h"

#include <stdio.h>
#include <string.h>

enum { RUN_DIGITS = 32 };

bool policy_name_is_of_run(const char *name)
{
    return strspn(name, "0123456789abcdef") == RUN_DIGITS && name[RUN_DIGITS] == '.';
}

const char *policy_name_find(const char *text, char ret_name[REGISTRY_NAME_MAX])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";

    for (size_t length; *text; text += length + (text[length] != '\0')) {
        length = strspn(text, letters);
        if (length > RUN_ID_MAX && length < REGISTRY_NAME_MAX && policy_name_is_of_run(text)) {
            memcpy(ret_name, text, length);
            ret_name[length] = '\0';
            return text;
        }
    }
    return NULL;
}

/* ---- use of weights ---- */

/* `sha256` is a column or parameter of the statement. */
#define IS_PLAYED(sha256)                                                        \
    "(EXISTS (SELECT 1 FROM player WHERE instr(player.spec, " sha256 "))"        \
    " OR EXISTS (SELECT 1 FROM job_weights JOIN job ON job.id = job_weights.job" \
    "             WHERE job_weights.sha256 = " sha256                            \
    "               AND job.state IN ('ready', 'leased', 'paused')))"

enum api_error weights_store_use(struct store *store, int64_t job, const char *sha256)
{
    static const char text[] = "INSERT INTO job_weights (job, sha256) VALUES (?1, ?2)"
                               " ON CONFLICT DO NOTHING";
    return sql_run(store, text, PUT(INT(job), TEXT(sha256)));
}

enum api_error weights_store_in_use(struct store *store, const char *sha256, bool *ret_in_use)
{
    static const char text[] = "SELECT 1 WHERE " IS_PLAYED("?1");
    return sql_exists(store, text, PUT(TEXT(sha256)), ret_in_use);
}

enum api_error weights_store_missing(struct store *store, int64_t job, char ret_sha256[65])
{
    static const char text[] =
        "SELECT min(sha256) FROM job_weights WHERE job = ?1"
        "   AND NOT EXISTS (SELECT 1 FROM model WHERE model.sha256 = job_weights.sha256)";
    return sql_read(store, text, PUT(INT(job)), GET(TO_TEXT(65, ret_sha256)));
}

/* ---- deleting ---- */

/* Appends weights that no model has any more. */
static enum api_error add_if_gone(struct store *store, const char *sha256, json_t *gone_weights)
{
    bool has = true;
    enum api_error error = model_store_has_weights(store, sha256, &has);

    if (error == API_OK && !has && json_array_append_new(gone_weights, json_string(sha256)) != 0)
        error = API_NO_MEMORY;
    return error;
}

/* Runs a DELETE … RETURNING sha256, and appends the hashes that no other model has. */
static enum api_error delete_models(struct store *store, const char *text,
                                    const struct sql_value *values, json_t *gone_weights)
{
    json_t *hashes = NULL, *hash;
    size_t k;
    enum api_error error = sql_read_list(store, text, values, NULL, &hashes);

    json_array_foreach(hashes, k, hash)
    {
        if (error == API_OK)
            error = add_if_gone(store, json_string_value(hash), gone_weights);
    }
    json_decref(hashes);
    return error;
}

enum api_error policy_store_prune(struct store *store, const char *run, const char *name,
                                  int64_t keep, json_t *gone_weights)
{
    static const char text[] =
        "DELETE FROM model WHERE run = ?1 AND policy = ?2"
        "   AND step NOT IN (SELECT step FROM model WHERE run = ?1 AND policy = ?2"
        "                     ORDER BY step DESC LIMIT ?3)"
        "   AND NOT EXISTS (SELECT 1 FROM model_alias WHERE model = model.name)"
        "   AND NOT " IS_PLAYED("model.sha256") " RETURNING sha256";
    return delete_models(store, text, PUT(TEXT(run), TEXT(name), INT(keep)), gone_weights);
}

enum api_error policy_store_forget(struct store *store, int64_t job, json_t *gone_weights)
{
    static const char aliases[] =
        "DELETE FROM model_alias WHERE EXISTS"
        " (SELECT 1 FROM model JOIN run ON run.name = model.run WHERE run.job = ?1"
        "   AND model.name = model_alias.model"
        "   AND model_alias.alias = model.run || '.' || model.policy"
        "   AND NOT " IS_PLAYED("model.sha256") ")";
    static const char models[] =
        "DELETE FROM model WHERE run IN (SELECT name FROM run WHERE job = ?1)"
        "   AND NOT EXISTS (SELECT 1 FROM model_alias WHERE model = model.name)"
        "   AND NOT " IS_PLAYED("model.sha256") " RETURNING sha256";
    enum api_error error = sql_run(store, aliases, PUT(INT(job)));
    if (error != API_OK)
        return error;
    return delete_models(store, models, PUT(INT(job)), gone_weights);
}

enum api_error policy_store_is_needed(struct store *store, int64_t job, bool *ret_is)
{
    static const char text[] =
        "SELECT 1 FROM run JOIN model ON model.run = run.name WHERE run.job = ?1"
        "   AND (" IS_PLAYED(
            "model.sha256") " OR EXISTS"
                            "        (SELECT 1 FROM model_alias WHERE model = model.name"
                            "            AND alias <> model.run || '.' || model.policy))";
    return sql_exists(store, text, PUT(INT(job)), ret_is);
}

enum api_error policy_store_bytes(struct store *store, int64_t job, int64_t *ret_bytes)
{
    static const char text[] = "SELECT coalesce(sum(model.bytes), 0) FROM run"
                               "  JOIN model ON model.run = run.name WHERE run.job = ?1";
    return sql_read(store, text, PUT(INT(job)), GET(TO_INT(ret_bytes)));
}

/* ---- adding ---- */

/* Adds the model; one of this name with other weights gets these. */
static enum api_error replace(struct store *store, const char *model,
                              const struct policy_new *policy, int64_t now_ms, json_t *gone_weights)
{
    static const char find[] = "SELECT sha256 FROM model WHERE name = ?1 AND sha256 <> ?2";
    static const char put[] =
        "INSERT INTO model (name, sha256, bytes, card, created_ms, run, policy, step)"
        " SELECT ?1, ?2, ?3, ?4, ?5, name, ?7, ?8 FROM run WHERE name = ?6 AND job = ?9"
        " ON CONFLICT (name) DO UPDATE SET sha256 = ?2, bytes = ?3, card = ?4, created_ms = ?5";
    char old[65] = "";
    enum api_error error = sql_read(store, find, PUT(TEXT(model), TEXT(policy->sha256)),
                                    GET(TO_TEXT(sizeof old, old)));

    if (error != API_OK && error != API_NOT_FOUND)
        return error;
    error = sql_change(store, put,
                       PUT(TEXT(model), TEXT(policy->sha256), INT(policy->bytes),
                           TEXT(policy->card), INT(now_ms), TEXT(policy->run), TEXT(policy->name),
                           INT(policy->step), INT(policy->job)),
                       API_NOT_FOUND);
    return error == API_OK && *old ? add_if_gone(store, old, gone_weights) : error;
}

enum api_error policy_store_add(struct store *store, const struct policy_new *policy,
                                int64_t now_ms, json_t *gone_weights)
{
    static const char newest[] =
        "INSERT INTO model_alias (alias, model, updated_ms)"
        " SELECT ?1, name, ?4 FROM model WHERE run = ?2 AND policy = ?3"
        "  ORDER BY step DESC LIMIT 1"
        " ON CONFLICT (alias) DO UPDATE SET model = excluded.model, updated_ms = ?4";
    char model[REGISTRY_NAME_MAX], alias[REGISTRY_NAME_MAX];
    int length = snprintf(model, sizeof model, "%s.%s.%lld", policy->run, policy->name,
                          (long long)policy->step);

    snprintf(alias, sizeof alias, "%s.%s", policy->run, policy->name);
    if (length >= (int)sizeof model || !registry_name_is_good(model))
        return API_BAD_FIELD;
    enum api_error error = replace(store, model, policy, now_ms, gone_weights);
    if (error != API_OK)
        return error;
    return sql_run(store, newest,
                   PUT(TEXT(alias), TEXT(policy->run), TEXT(policy->name), INT(now_ms)));
}
