/* Routes, and the threads behind them. See http_rig.h. */
#include "tests/unit/service/http/http_rig.h"

#include "service/base/callers.h"
#include "service/base/core.h"
#include "service/base/metrics.h"
#include "service/store/registry.h"

struct http_rig http_rig = {.base = {.config = &http_rig.config}};
static struct store *store;
static pthread_t core_thread;

static struct http_request *waiting; /* used by the core thread only */

static enum api_error run_args(struct http_request *request)
{
    return http_json(request, 200,
                     json_pack("{s:s, s:s, s:i, s:s?, s:s?, s:s}", "a", request->arg[0], "b",
                               request->arg[1], "limit", request->page.limit, "cursor",
                               request->page.cursor, "x", http_parameter(request, "x"), "caller",
                               request->caller));
}

static enum api_error run_id(struct http_request *request)
{
    int64_t id = http_id(request);

    return id > 0 ? http_json(request, 200, json_pack("{s:I}", "id", (json_int_t)id))
                  : API_NOT_FOUND;
}

static enum api_error run_echo(struct http_request *request)
{
    return http_json(request, 200, request->body ? json_incref(request->body) : json_null());
}

static void after_write(struct http_request *request)
{
    (void)request;
    atomic_fetch_add(&http_rig.commits, 1);
}

/* {"name": …}: adds a player; the store refuses a name that exists, and success must then not be
 * answered. */
static enum api_error run_write(struct http_request *request)
{
    struct player_new player = {.name = json_string_value(json_object_get(request->body, "name")),
                                .spec = "random",
                                .about = ""};
    char location[128];
    enum api_error error = player_store_add(request->store, &player, request->now_ms);

    http_after_commit(request, after_write);
    if (error == API_OK && json_object_get(request->body, "fail")) {
        strict_refuse_at(&request->errors, "/fail", "value", "was asked for");
        return API_BAD_FIELD;
    }
    if (error != API_OK)
        return http_problem(request, error, NULL);
    snprintf(location, sizeof location, "/write/%s", player.name);
    http_add_header(request, "Location", location);
    return http_json(request, 202, json_pack("{s:s}", "name", player.name));
}

static enum api_error run_written(struct http_request *request)
{
    json_t *player;
    enum api_error error = player_store_get(request->store, request->arg[0], &player);

    return error == API_OK ? http_json(request, 200, player) : http_problem(request, error, NULL);
}

static enum api_error run_upload(struct http_request *request)
{
    assert_int_equal(access(request->file_path, R_OK), 0);
    return http_json(request, 201,
                     json_pack("{s:s, s:I}", "sha256", request->file_sha256, "bytes",
                               (json_int_t)request->file_bytes));
}

static enum api_error run_download(struct http_request *request)
{
    char path[4200];

    snprintf(path, sizeof path, "%s/%s", http_rig.config.data, request->arg[0]);
    return http_file(request, path, "text/plain", request->arg[0]);
}

static enum api_error run_nothing(struct http_request *request)
{
    (void)request;
    return API_OK;
}

static enum api_error run_twice(struct http_request *request)
{
    http_json(request, 200, json_object());
    return http_no_content(request);
}

static void on_hang_up(struct http_request *request, void *context)
{
    atomic_int *count = context;

    atomic_fetch_add(count, 1);
    waiting = NULL;
    http_no_content(request);
    http_release(request);
}

static enum api_error run_hold(struct http_request *request)
{
    assert_null(request->store);
    enum api_error error = http_hold(request, on_hang_up, &http_rig.hang_ups);
    if (error == API_OK) {
        waiting = request;
        atomic_fetch_add(&http_rig.holds, 1);
    }
    return error;
}

static enum api_error run_release(struct http_request *request)
{
    if (!waiting)
        return http_problem(request, API_STATE, NULL);
    http_json(waiting, 200, json_pack("{s:b}", "released", 1));
    http_release(waiting);
    waiting = NULL;
    return http_no_content(request);
}

static enum api_error run_events(struct http_request *request)
{
    return http_events(request, request->arg[0], json_pack("{s:s}", "now", "this"));
}

static enum api_error run_last_events(struct http_request *request)
{
    return http_last_events(request, request->arg[0], "over", HTTP_RIG_END,
                            json_pack("{s:s}", "now", "that"));
}

static const char *const page_parameters[] = {"x", "limit", "cursor", NULL};

static const struct route routes[] = {
    {"GET", "/args/{a}/{b}", SCOPE_NONE, ROUTE_READ, BODY_NONE, NULL, run_args, page_parameters},
    {"GET", "/id/{id}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, run_id, NULL},
    {"POST", "/echo", SCOPE_QUERY, ROUTE_READ, BODY_JSON, NULL, run_echo, NULL},
    {"POST", "/maybe", SCOPE_QUERY, ROUTE_READ, BODY_OPTIONAL_JSON, NULL, run_echo, NULL},
    {"DELETE", "/echo", SCOPE_ADMIN, ROUTE_READ, BODY_NONE, NULL, run_echo, NULL},
    {"POST", "/write", SCOPE_TRAIN, ROUTE_WRITE, BODY_JSON, NULL, run_write, NULL},
    {"GET", "/write/{name}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, run_written, NULL},
    {"PUT", "/file", SCOPE_ADMIN, ROUTE_WRITE, BODY_FILE, NULL, run_upload, NULL},
    {"GET", "/file/{name}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, run_download, NULL},
    {"GET", "/nothing", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, run_nothing, NULL},
    {"GET", "/twice", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, run_twice, NULL},
    {"GET", "/hold", SCOPE_READ, ROUTE_CORE, BODY_NONE, NULL, run_hold, NULL},
    {"POST", "/release", SCOPE_READ, ROUTE_CORE, BODY_NONE, NULL, run_release, NULL},
    {"GET", "/events/{topic}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, run_events, NULL},
    {"GET", "/ended/{topic}", SCOPE_READ, ROUTE_READ, BODY_NONE, NULL, run_last_events, NULL},
    {0},
};

static void *run_core(void *context)
{
    core_run(context);
    return NULL;
}

int http_rig_start(void **state)
{
    char error[STORE_ERROR_MAX];

    (void)state;
    http_rig.config = (struct config){.address = "127.0.0.1", .connections_max = 512};
    snprintf(http_rig.config.data, sizeof http_rig.config.data, "/tmp/rinkd-http-XXXXXX");
    assert_non_null(mkdtemp(http_rig.config.data));
    assert_int_equal(store_open(http_rig.config.data, false, &store, error), API_OK);
    http_rig.base.callers = callers_open(&http_rig.config);
    http_rig.base.metrics = metrics_open();
    assert_non_null(http_rig.base.callers);
    http_rig.base.events = events_open(1);
    assert_non_null(http_rig.base.metrics);
    assert_non_null(http_rig.base.events);
    assert_int_equal(core_open(store, http_rig.base.metrics, &http_rig.base.core), API_OK);
    assert_int_equal(
        http_start(&http_rig.base, routes, NULL, &http_rig.http, &http_rig.port, error), API_OK);
    assert_int_equal(pthread_create(&core_thread, NULL, run_core, http_rig.base.core), 0);
    atomic_store(&http_rig.hang_ups, 0);
    atomic_store(&http_rig.holds, 0);
    return 0;
}

int http_rig_start_with_tokens(void **state)
{
    int result = http_rig_start(state);

    http_rig.config.token_count = 2;
    /* SHA-256 of "abc" */
    static const unsigned char hash[32] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
                                           0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
                                           0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c,
                                           0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
    http_rig.config.tokens[1] = (struct config_token){.name = "ann", .scopes = SCOPE_READ};
    memcpy(http_rig.config.tokens[1].sha256, hash, sizeof hash);
    http_rig.config.tokens[0] = (struct config_token){.name = "bob", .scopes = SCOPE_ADMIN};
    callers_reload(http_rig.base.callers, &http_rig.config);
    return result;
}

static enum api_error stop_core(struct core_task *task, struct store *none)
{
    (void)task;
    (void)none;
    core_stop(http_rig.base.core);
    return API_OK;
}

static void stop_finished(struct core_task *task, enum api_error result)
{
    (void)task;
    (void)result;
}

int http_rig_stop(void **state)
{
    struct core_task last = {.run = stop_core, .finish = stop_finished};
    char command[4200];

    (void)state;
    http_drain(http_rig.http);
    http_close(http_rig.http);
    core_submit_own(http_rig.base.core, &last);
    pthread_join(core_thread, NULL);
    http_stop(http_rig.http);
    core_close(http_rig.base.core);
    events_close(http_rig.base.events);
    metrics_close(http_rig.base.metrics);
    callers_close(http_rig.base.callers);
    store_close(store);
    snprintf(command, sizeof command, "rm -r '%s'", http_rig.config.data);
    return system(command);
}

void http_rig_wait(atomic_int *counter, int value)
{
    while (atomic_load(counter) < value)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

const char *reply_text(const struct reply *reply, const char *key)
{
    const char *text = json_string_value(json_object_get(reply->json, key));

    return text ? text : "";
}
