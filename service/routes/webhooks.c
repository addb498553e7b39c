/* Webhooks: addresses that are told when a job ends, and what was sent to them. */
#include "service/routes/webhooks.h"

#include "api/base/build_json.h"
#include "api/jobs/job_kinds.h"
#include "api/jobs/job_states.h"
#include "api/jobs/webhook.h"
#include "service/routes/routes.h"
#include "service/routes/server.h"
#include "service/store/webhooks.h"
#include "service/webhooks/deliveries.h"
#include "service/webhooks/signature.h"

#include <stdlib.h>

enum { ABOUT_MAX = 1000, NAMES_MAX = JOB_KINDS_MAX + 1 };

/* The states in which a job has ended; NULL at the end. */
static void ended_states(const char *ret_names[NAMES_MAX])
{
    int count = 0;

    for (int k = 0; k < JOB_STATES; k++)
        if (job_has_ended((enum job_state)k))
            ret_names[count++] = job_state_name((enum job_state)k);
    ret_names[count] = NULL;
}

/* The kinds that callers may submit; NULL at the end. */
static void public_kinds(const char *ret_names[NAMES_MAX])
{
    int count = 0;

    for (int k = 0; job_kind_at(k); k++)
        if (!job_kind_at(k)->is_internal)
            ret_names[count++] = job_kind_at(k)->name;
    ret_names[count] = NULL;
}

enum api_error webhooks_widen(struct store *store)
{
    const char *names[NAMES_MAX];

    public_kinds(names);
    json_t *list = build_texts(names);
    char *kinds = list ? json_dumps(list, JSON_COMPACT) : NULL;
    enum api_error error = kinds ? webhook_store_widen(store, kinds) : API_NO_MEMORY;
    free(kinds);
    json_decref(list);
    return error;
}

/* Checks a list of names, each at most once; one that is missing becomes all of them. */
static enum api_error check_names(struct http_request *request, const struct strict_place *root,
                                  const char *key, const char *const *names)
{
    const struct strict_place list = strict_member(root, key);
    unsigned long seen = 0;
    int index;

    if (strict_is_missing(&list))
        return build_add(request->body, key, build_texts(names)) ? API_OK : API_NO_MEMORY;
    if (!strict_array(&list, 1, NAMES_MAX))
        return API_OK;
    for (size_t k = 0; k < json_array_size(list.value); k++) {
        const struct strict_place name = strict_element(&list, k);
        if (!strict_choice(&name, names, &index))
            continue;
        if (seen >> index & 1u)
            strict_refuse(&name, "twice", "is there twice");
        seen |= 1ul << index;
    }
    return API_OK;
}

/* POST /v1/webhooks   {"url","states"?,"kinds"?,"about"?}   →   201 the webhook with "secret" */
enum api_error check_webhook(struct http_request *request)
{
    static const char *const keys[] = {"url", "states", "kinds", "about", NULL};
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place url = strict_member(&root, "url");
    const struct strict_place about = strict_member(&root, "about");
    const struct strict_place kinds = strict_member(&root, "kinds");
    const enum webhook_addresses rule =
        (enum webhook_addresses)request->server->base.config->webhook_addresses;
    const char *text, *names[NAMES_MAX];
    char why[WEBHOOK_WHY_MAX];

    if (!strict_object(&root, keys))
        return API_BAD_FIELD;
    if (strict_text(&url, WEBHOOK_URL_MAX, &text) && !webhook_url_is_good(rule, text, why))
        strict_refuse(&url, "value", "%s", why);
    if (!strict_is_missing(&about))
        strict_text(&about, ABOUT_MAX, &text);
    if (strict_is_missing(&kinds) && !build_add(request->body, "all_kinds", json_true()))
        return API_NO_MEMORY;
    ended_states(names);
    enum api_error error = check_names(request, &root, "states", names);
    public_kinds(names);
    return error == API_OK ? check_names(request, &root, "kinds", names) : error;
}

enum api_error route_webhook_add(struct http_request *request)
{
    char secret[WEBHOOK_SECRET_MAX];
    char *states = json_dumps(json_object_get(request->body, "states"), JSON_COMPACT);
    char *kinds = json_dumps(json_object_get(request->body, "kinds"), JSON_COMPACT);
    const char *about = json_string_value(json_object_get(request->body, "about"));
    const struct webhook_new webhook = {
        .url = json_string_value(json_object_get(request->body, "url")),
        .secret = secret,
        .states = states,
        .kinds = kinds,
        .all_kinds = json_is_true(json_object_get(request->body, "all_kinds")),
        .about = about ? about : ""};
    enum api_error error = API_NO_MEMORY;
    json_t *added = NULL;
    int64_t id = 0;

    webhook_secret_new(secret);
    if (states && kinds)
        error = webhook_store_add(request->store, &webhook, request->now_ms, &id);
    free(states);
    free(kinds);
    if (error == API_STATE)
        return http_problem_about(request, API_STATE, "there are %d webhooks already",
                                  WEBHOOKS_MAX);
    if (error == API_OK)
        error = webhook_store_get(request->store, id, &added);
    if (error != API_OK)
        return error;
    answer_location(request, "webhooks/%lld", (long long)id);
    bool good = build_add(added, "secret", json_string(secret));
    return http_json(request, 201, build_done(added, good));
}

/* GET /v1/webhooks   →   200 {"items":[…],"next_cursor"} */
enum api_error route_webhooks(struct http_request *request)
{
    return answer_list(request, webhook_store_list(request->store, &request->page));
}

/* GET /v1/webhooks/{id}   →   200 */
enum api_error route_webhook(struct http_request *request)
{
    json_t *webhook = NULL;
    enum api_error error = webhook_store_get(request->store, http_id(request), &webhook);

    return answer_with(request, error, webhook);
}

/* DELETE /v1/webhooks/{id}   →   204; its deliveries go with it */
enum api_error route_webhook_delete(struct http_request *request)
{
    return answer_deleted(request, webhook_store_delete(request->store, http_id(request)));
}

static void after_test(struct http_request *request)
{
    deliveries_wake(request->server->deliveries);
}

/* POST /v1/webhooks/{id}/test   →   202 the delivery, which is sent like any other */
enum api_error route_webhook_test(struct http_request *request)
{
    json_t *delivery = NULL;
    int64_t id;
    enum api_error error =
        delivery_store_add_test(request->store, http_id(request), request->now_ms, &id);

    if (error == API_STATE)
        return http_problem_about(request, API_STATE, "%d deliveries wait already",
                                  WEBHOOK_WAITING_MAX);
    if (error == API_OK)
        error = delivery_store_get(request->store, id, &delivery);
    if (error != API_OK)
        return error;
    http_after_commit(request, after_test);
    return http_json(request, 202, delivery);
}

/* GET /v1/webhooks/{id}/deliveries   →   200 {"items":[…],"next_cursor"}, newest first */
enum api_error route_webhook_deliveries(struct http_request *request)
{
    enum api_error error = delivery_store_list(request->store, http_id(request), &request->page);

    return error == API_NOT_FOUND ? error : answer_list(request, error);
}
