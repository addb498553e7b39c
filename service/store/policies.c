/* Policies of runs in the registry of models. See policies.h. */
#include "service/store/policies.h"

#include "service/store/registry.h"
#include "service/store/sql.h"

#include <stdio.h>
#include <string.h>

enum { RUN_DIGITS = 32 };

bool policy_name_is_of_run(const char *name)
{
    return strspn(name, "0123456789abcdef") == RUN_DIGITS && name[RUN_DIGITS] == '.';
}

/* ---- who needs what ---- */

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
    struct sql q = sql_start(store, text);

    sql_put_int(&q, job);
    sql_put_text(&q, sha256);
    return sql_end(&q);
}

enum api_error weights_store_in_use(struct store *store, const char *sha256, bool *ret_in_use)
{
    static const char text[] = "SELECT " IS_PLAYED("?1");
    struct sql q = sql_start(store, text);

    sql_put_text(&q, sha256);
    bool in_use = sql_row(&q) && sql_get_int(&q) != 0;
    enum api_error error = sql_end(&q);
    if (error == API_OK)
        *ret_in_use = in_use;
    return error;
}

enum api_error weights_store_missing(struct store *store, int64_t job, char ret_sha256[65])
{
    static const char text[] =
        "SELECT sha256 FROM job_weights WHERE job = ?1"
        "   AND NOT EXISTS (SELECT 1 FROM model WHERE model.sha256 = job_weights.sha256) LIMIT 1";
    struct sql q = sql_start(store, text);

    sql_put_int(&q, job);
    const char *sha256 = sql_row(&q) ? sql_get_text(&q) : NULL;
    snprintf(ret_sha256, 65, "%s", sha256 ? sha256 : "");
    return sql_end(&q);
}

/* ---- rows that go ---- */

/* Ends a DELETE … RETURNING sha256, and appends the hashes that no other model has. */
static enum api_error end_deletion(struct store *store, struct sql *q, json_t *gone_weights)
{
    json_t *hashes = json_array();
    bool no_memory = hashes == NULL;
    size_t k;
    json_t *hash;

    while (sql_row(q))
        no_memory |= json_array_append_new(hashes, json_string(sql_get_text(q))) != 0;
    enum api_error error = sql_end(q);
    json_array_foreach(hashes, k, hash)
    {
        bool has = true;
        if (error == API_OK)
            error = model_store_has_weights(store, json_string_value(hash), &has);
        if (error == API_OK && !has)
            no_memory |= json_array_append(gone_weights, hash) != 0;
    }
    json_decref(hashes);
    return error == API_OK && no_memory ? API_NO_MEMORY : error;
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
    struct sql q = sql_start(store, text);

    sql_put_text(&q, run);
    sql_put_text(&q, name);
    sql_put_int(&q, keep);
    return end_deletion(store, &q, gone_weights);
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
    struct sql q = sql_start(store, aliases);

    sql_put_int(&q, job);
    enum api_error error = sql_end(&q);
    if (error != API_OK)
        return error;
    q = sql_start(store, models);
    sql_put_int(&q, job);
    return end_deletion(store, &q, gone_weights);
}

/* ---- rows that come ---- */

static enum api_error check_run(struct store *store, const struct policy_new *policy)
{
    static const char text[] = "SELECT 1 FROM run WHERE name = ?1 AND job = ?2";
    struct sql q = sql_start(store, text);

    sql_put_text(&q, policy->run);
    sql_put_int(&q, policy->job);
    bool found = sql_row(&q);
    enum api_error error = sql_end(&q);
    return error == API_OK && !found ? API_NOT_FOUND : error;
}

/* Deletes a model of this name that has other weights. */
static enum api_error replace(struct store *store, const char *model,
                              const struct policy_new *policy, int64_t now_ms, json_t *gone_weights)
{
    static const char find[] = "SELECT sha256 FROM model WHERE name = ?1 AND sha256 <> ?2";
    static const char put[] =
        "INSERT INTO model (name, sha256, bytes, card, created_ms, run, policy, step)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        " ON CONFLICT (name) DO UPDATE SET sha256 = ?2, bytes = ?3, card = ?4, created_ms = ?5";
    char old[65] = "";
    bool has = true;
    struct sql q = sql_start(store, find);

    sql_put_text(&q, model);
    sql_put_text(&q, policy->sha256);
    if (sql_row(&q)) {
        const char *sha256 = sql_get_text(&q);
        snprintf(old, sizeof old, "%s", sha256 ? sha256 : "");
    }
    enum api_error error = sql_end(&q);
    if (error != API_OK)
        return error;
    q = sql_start(store, put);
    sql_put_text(&q, model);
    sql_put_text(&q, policy->sha256);
    sql_put_int(&q, policy->bytes);
    sql_put_text(&q, policy->card);
    sql_put_int(&q, now_ms);
    sql_put_text(&q, policy->run);
    sql_put_text(&q, policy->name);
    sql_put_int(&q, policy->step);
    error = sql_end(&q);
    if (error == API_OK && *old)
        error = model_store_has_weights(store, old, &has);
    if (error == API_OK && !has && json_array_append_new(gone_weights, json_string(old)) != 0)
        error = API_NO_MEMORY;
    return error;
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
    enum api_error error = check_run(store, policy);
    if (error == API_OK)
        error = replace(store, model, policy, now_ms, gone_weights);
    if (error != API_OK)
        return error;
    struct sql q = sql_start(store, newest);
    sql_put_text(&q, alias);
    sql_put_text(&q, policy->run);
    sql_put_text(&q, policy->name);
    sql_put_int(&q, now_ms);
    return sql_end(&q);
}
