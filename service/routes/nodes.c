/* Nodes: other machines that do tasks (workers/node). */
#include "service/routes/routes.h"

#include "api/base/build_json.h"
#include "api/jobs/job_kinds.h"
#include "api/jobs/wire.h"
#include "service/jobs/supervisor.h"
#include "service/nodes/golden.h"
#include "service/nodes/node_claims.h"
#include "service/nodes/node_reports.h"
#include "service/routes/server.h"
#include "service/store/nodes.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORES_MAX = 4096, TEXT_MAX = 200, GOLDEN_MAX = 200, WAIT_MAX_S = 300 };

/* ---- registering ---- */

static bool name_is_good(const char *name)
{
    size_t length = strlen(name);

    return length > 0 && length < TASK_NODE_MAX && isalnum((unsigned char)name[0]) &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
               length;
}

/* An object of texts, or of texts and numbers. */
static void check_words(const struct strict_place *place, bool texts_only)
{
    const char *key;
    json_t *value;

    if (!strict_object(place, NULL))
        return;
    if (json_object_size(place->value) > GOLDEN_MAX)
        strict_refuse(place, "range", "has at most %d members", GOLDEN_MAX);
    json_object_foreach(place->value, key, value)
    {
        const struct strict_place member = strict_member(place, key);
        const char *text;
        if (texts_only || json_is_string(value))
            strict_text(&member, TEXT_MAX, &text);
        else if (!json_is_number(value))
            strict_refuse(&member, "type", "is %s, must be a text or a number",
                          strict_type_name(value));
    }
}

static void check_kinds(const struct strict_place *kinds)
{
    if (strict_is_missing(kinds) || !strict_array(kinds, 1, JOB_KINDS_MAX))
        return;
    for (size_t k = 0; k < json_array_size(kinds->value); k++) {
        const struct strict_place name = strict_element(kinds, k);
        const char *text;
        if (strict_text(&name, JOB_KIND_MAX - 1, &text) && !job_kind_find(text))
            strict_refuse(&name, "value", "there is no such kind of job");
    }
}

static void check_optional_text(const struct strict_place *root, const char *key)
{
    const struct strict_place place = strict_member(root, key);
    const char *text;

    if (!strict_is_missing(&place) && !json_is_null(place.value))
        strict_text(&place, TEXT_MAX, &text);
}

/* POST /v1/nodes   {"name","cores","memory_bytes"?,"gpu"?,"kinds"?,"versions","golden",
 * "shots_per_s"?,"place"?}   →   201 {"name","session","lease_ms","state","kinds","refused"} */
enum api_error check_node(struct http_request *request)
{
    static const char *const keys[] = {"name",     "cores",  "memory_bytes", "gpu",   "kinds",
                                       "versions", "golden", "shots_per_s",  "place", NULL};
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place name = strict_member(&root, "name");
    const struct strict_place cores = strict_member(&root, "cores");
    const struct strict_place kinds = strict_member(&root, "kinds");
    const struct strict_place versions = strict_member(&root, "versions");
    const struct strict_place golden = strict_member(&root, "golden");
    const char *text;
    int64_t whole;
    double real;

    if (!strict_object(&root, keys))
        return API_BAD_FIELD;
    if (strict_text(&name, TASK_NODE_MAX - 1, &text) && !name_is_good(text))
        strict_refuse(&name, "value",
                      "must be letters, digits and -_., beginning with a letter or a digit");
    strict_whole(&cores, 1, CORES_MAX, &whole);
    strict_optional_whole(&root, "memory_bytes", 0, INT64_MAX, &whole);
    strict_optional_number(&root, "shots_per_s", 0, 1e12, &real);
    check_optional_text(&root, "gpu");
    check_optional_text(&root, "place");
    check_kinds(&kinds);
    check_words(&versions, false);
    check_words(&golden, true);
    return API_OK;
}

/* Refuses a node that speaks another protocol; it is told both. */
static enum api_error check_protocol(struct http_request *request)
{
    const json_t *versions = json_object_get(request->body, "versions");
    char why[NODE_WHY_MAX];

    if (node_speaks(json_integer_value(json_object_get(versions, "protocol")), why))
        return API_OK;
    strict_refuse_at(&request->errors, "/versions/protocol", "value", "%s", why);
    return API_BAD_FIELD;
}

static enum api_error add_node(struct http_request *request, json_t *kinds, json_t *refused)
{
    const json_t *body = request->body;
    const json_t *speed = json_object_get(body, "shots_per_s");
    char *kinds_text = json_dumps(kinds, JSON_COMPACT);
    char *refused_text = json_dumps(refused, JSON_COMPACT);
    char *versions = json_dumps(json_object_get(body, "versions"), JSON_COMPACT);
    const struct node_new node = {.name = json_string_value(json_object_get(body, "name")),
                                  .owner = request->token ? request->token : "",
                                  .cores = json_integer_value(json_object_get(body, "cores")),
                                  .memory_bytes =
                                      json_integer_value(json_object_get(body, "memory_bytes")),
                                  .gpu = json_string_value(json_object_get(body, "gpu")),
                                  .place = json_string_value(json_object_get(body, "place")),
                                  .kinds = kinds_text,
                                  .refused = refused_text,
                                  .versions = versions,
                                  .shots_per_s = speed ? json_number_value(speed) : NAN};
    char session[NODE_SESSION_MAX];
    json_t *answer = NULL;
    enum api_error error =
        kinds_text && refused_text && versions
            ? node_store_register(request->store, &node, request->now_ms, session)
            : API_NO_MEMORY;

    free(kinds_text);
    free(refused_text);
    free(versions);
    if (error == API_EXISTS)
        return http_problem_about(request, API_EXISTS, "the node %s is of another caller",
                                  node.name);
    if (error != API_OK)
        return error;
    answer =
        json_pack("{s:s, s:s, s:i, s:O, s:O}", "name", node.name, "session", session, "lease_ms",
                  request->server->base.config->node_lease_ms, "kinds", kinds, "refused", refused);
    answer_location(request, "nodes/%s", node.name);
    return http_json(request, 201, answer);
}

static void after_change(struct http_request *request)
{
    node_claims_wake_all(request->server->node_claims);
    supervisor_wake(request->server->supervisor);
}

enum api_error route_node_add(struct http_request *request)
{
    const json_t *body = request->body;
    json_t *kinds, *refused;
    enum api_error error = check_protocol(request);

    if (error == API_OK)
        error = golden_ready(request->server->golden, request);
    if (error == API_NO_WORKER)
        return http_problem(request, API_NO_WORKER,
                            "the golden numbers of this service cannot be computed");
    if (error != API_OK)
        return error;
    if (!golden_compare(request->server->golden, json_object_get(body, "golden"),
                        json_object_get(body, "kinds"), &kinds, &refused))
        return API_NO_MEMORY;
    error = add_node(request, kinds, refused);
    json_decref(kinds);
    json_decref(refused);
    if (error == API_OK)
        http_after_commit(request, after_change);
    return error;
}

/* ---- claiming ---- */

static void check_session(const struct strict_place *root)
{
    const struct strict_place session = strict_member(root, "session");
    const char *text;

    if (strict_text(&session, NODE_SESSION_MAX - 1, &text) && strlen(text) != NODE_SESSION_MAX - 1)
        strict_refuse(&session, "value", "must be the session that the node was told");
}

/* POST /v1/nodes/{name}/claim   {"session","cores","wait_s","tokens"}   →   200 {"task":{…}} or
 * {"wish":"drain"}, or 204 when the time is over */
enum api_error check_node_claim(struct http_request *request)
{
    static const char *const keys[] = {"session", "cores", "wait_s", "tokens", NULL};
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place cores = strict_member(&root, "cores");
    const struct strict_place wait_s = strict_member(&root, "wait_s");
    const struct strict_place tokens = strict_member(&root, "tokens");
    const char *text;
    int64_t whole;

    if (!strict_object(&root, keys))
        return API_BAD_FIELD;
    check_session(&root);
    strict_whole(&cores, 1, CORES_MAX, &whole);
    strict_whole(&wait_s, 0, WAIT_MAX_S, &whole);
    if (strict_array(&tokens, 0, NODE_REPORTS_MAX))
        for (size_t k = 0; k < json_array_size(tokens.value); k++) {
            const struct strict_place token = strict_element(&tokens, k);
            strict_text(&token, JOB_TOKEN_MAX - 1, &text);
        }
    return API_OK;
}

enum api_error route_node_claim(struct http_request *request)
{
    return node_claims_park(request->server->node_claims, request);
}

/* ---- lines ---- */

/* POST /v1/nodes/{name}/lines   {"session","tasks":[{"job","number","token","from","lines",
 * "progress","eta_s"}]}   →   200 {"tasks":[{…,"acknowledged","wish","reason"}]} */
enum api_error check_node_lines(struct http_request *request)
{
    static const char *const keys[] = {"session", "tasks", NULL};
    const struct strict_place root = strict_root(request->body, &request->errors);
    const struct strict_place tasks = strict_member(&root, "tasks");

    if (!strict_object(&root, keys))
        return API_BAD_FIELD;
    check_session(&root);
    request->state_free = node_reports_free;
    request->state = node_reports_read(&tasks, request->store, &request->server->base);
    if (request->errors.count > 0)
        return API_BAD_FIELD;
    return request->state ? API_OK : API_NO_MEMORY;
}

static void after_lines(struct http_request *request)
{
    const struct server *server = request->server;

    if (!node_reports_tell(request->state, &server->base, server->supervisor))
        return;
    node_claims_wake(server->node_claims);
    supervisor_wake(server->supervisor);
}

/* The node of the request if the session is its own. */
static enum api_error find_own(struct http_request *request, struct node_row *ret_node)
{
    const char *session = json_string_value(json_object_get(request->body, "session"));
    char why[NODE_WHY_MAX];
    enum api_error error = node_store_find(request->store, request->arg[0], ret_node);

    if (error != API_OK)
        return error;
    if (strcmp(session, ret_node->session) != 0)
        error = http_problem(request, API_LEASE_LOST,
                             "another process has registered as this node since");
    else if (ret_node->state == NODE_SUSPENDED)
        error = http_problem(request, API_FORBIDDEN,
                             ret_node->reason ? ret_node->reason : "the node is suspended");
    else if (!node_speaks(ret_node->protocol, why))
        error = http_problem(request, API_FORBIDDEN, why);
    if (error != API_OK)
        node_row_free(ret_node);
    return error;
}

enum api_error route_node_lines(struct http_request *request)
{
    char why[NODE_REPORTS_WHY_MAX];
    struct node_row node;
    enum api_error error = find_own(request, &node);

    if (error != API_OK)
        return error;
    error = node_reports_keep(request->state, request->store, &request->server->base, &node,
                              request->now_ms, why);
    if (error == API_OK && node.last_seen_ms < request->now_ms - NODE_SEEN_MS)
        error = node_store_seen(request->store, node.name, request->now_ms);
    node_row_free(&node);
    if (error != API_OK && *why)
        return http_problem(request, API_STATE, why);
    if (error != API_OK)
        return error;
    http_after_commit(request, after_lines);
    return http_json(request, 200, node_reports_json(request->state));
}

/* POST /v1/nodes/{name}/leave   {"session"}   →   204; what it did goes back */
enum api_error check_node_leave(struct http_request *request)
{
    static const char *const keys[] = {"session", NULL};
    const struct strict_place root = strict_root(request->body, &request->errors);

    if (strict_object(&root, keys))
        check_session(&root);
    return API_OK;
}

enum api_error route_node_leave(struct http_request *request)
{
    struct node_row node;
    enum api_error error = find_own(request, &node);

    if (error != API_OK)
        return error;
    node_row_free(&node);
    error = node_store_leave(request->store, request->arg[0], request->now_ms);
    if (error != API_OK)
        return error;
    http_after_commit(request, after_change);
    return http_no_content(request);
}

/* ---- for people ---- */

/* GET /v1/nodes   →   200 {"items":[…],"next_cursor"} */
enum api_error route_nodes(struct http_request *request)
{
    return answer_list(request, node_store_list(request->store, request->now_ms, &request->page));
}

/* GET /v1/nodes/{name}   →   200 */
enum api_error route_node(struct http_request *request)
{
    json_t *node = NULL;
    enum api_error error = node_store_get(request->store, request->arg[0], request->now_ms, &node);

    return answer_with(request, error, node);
}

static enum api_error move_node(struct http_request *request, enum node_wish wish)
{
    json_t *node = NULL;
    enum api_error error = node_store_ask(request->store, request->arg[0], wish);

    if (error == API_OK)
        error = node_store_get(request->store, request->arg[0], request->now_ms, &node);
    if (error == API_OK)
        http_after_commit(request, after_change);
    return answer_with(request, error, node);
}

/* POST /v1/nodes/{name}/pause   →   200 the node, which gets no more tasks */
enum api_error route_node_pause(struct http_request *request)
{
    return move_node(request, NODE_PAUSE);
}

/* POST /v1/nodes/{name}/resume   →   200 the node; a suspension ends, too */
enum api_error route_node_resume(struct http_request *request)
{
    return move_node(request, NODE_RESUME);
}

/* POST /v1/nodes/{name}/drain   →   200 the node, which gives its tasks back and ends */
enum api_error route_node_drain(struct http_request *request)
{
    return move_node(request, NODE_DRAIN);
}

/* DELETE /v1/nodes/{name}   →   204; what it did goes back */
enum api_error route_node_delete(struct http_request *request)
{
    enum api_error error = node_store_forget(request->store, request->arg[0], request->now_ms);

    if (error == API_OK)
        http_after_commit(request, after_change);
    return answer_deleted(request, error);
}
