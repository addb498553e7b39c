/* Takes a request to its answer: checks the head against the route, reads the body, and calls the
 * functions of the route on the right thread. */
#include "service/http/http_exchange.h"

#include "service/base/config.h"
#include "service/base/disk.h"
#include "service/base/log.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    IDEMPOTENCY_KEY_MAX = 200,
    FORGET_MOST = 16 /* answers that are too old to be repeated go with each new one */
};

/* The poll that notices when the client of a held request hangs up. */
struct hold {
    uv_poll_t poll;
    struct exchange *x; /* NULL: the poll is closing */
    void (*hung_up)(struct http_request *request, void *context);
    void *context;
};

/* ---- the head ---- */

static bool check_parameters(struct exchange *x)
{
    struct http_request *request = &x->request;
    const char *const *known = request->route->parameters;
    int64_t limit;

    for (int k = 0; k < x->target.parameters; k++) {
        const char *name = x->target.parameter[k].name;
        int n = 0;
        while (known && known[n] && strcmp(known[n], name) != 0)
            n++;
        if (!known || !known[n]) {
            http_problem_about(request, API_BAD_PARAMETER, "there is no parameter %s here", name);
            return false;
        }
    }
    if (http_whole_parameter(request, "limit", 1, STORE_PAGE_MAX, STORE_PAGE_DEFAULT, &limit) !=
        API_OK)
        return false;
    request->page = (struct store_page){.limit = (int)limit};
    if (http_list_cursor(request, &request->page.cursor))
        return true;
    http_problem(request, API_BAD_PARAMETER, "cursor: not from this list");
    return false;
}

/* On a full disk there is room for what frees some, and for jobs that are to stop. */
static bool check_disk(struct exchange *x)
{
    const struct route *route = x->request.route;
    const char *last = strrchr(route->path, '/');

    if (route->place == ROUTE_WRITE && disk_is_lost(x->http->base->disk)) {
        http_problem(&x->request, API_STORAGE, "the database was removed from the data folder");
        return false;
    }
    if (route->place != ROUTE_WRITE || !disk_is_full(x->http->base->disk) ||
        strcmp(route->method, "DELETE") == 0 || strcmp(last, "/cancel") == 0 ||
        strcmp(last, "/pause") == 0)
        return true;
    http_problem(
        &x->request, API_STORAGE,
        "the disk is full; until there is room, jobs can be cancelled, paused and deleted");
    return false;
}

/* Refuses before anything changes. The type of a read is checked once it is known (check_type() in
 * http.c). */
static bool check_accept(struct exchange *x)
{
    const struct route *route = x->request.route;

    if (route->place == ROUTE_READ || *route->method != 'P' ||
        exchange_accepts(x, "application/json"))
        return true;
    http_problem(&x->request, API_NOT_ACCEPTABLE, "this answers with application/json");
    return false;
}

/* "application/json" or "application/…+json", with any parameters. */
static bool is_json_type(const char *type)
{
    size_t length = type ? strcspn(type, "; \t") : 0;

    return (length == 16 && strncasecmp(type, "application/json", length) == 0) ||
           (length > 17 && strncasecmp(type, "application/", 12) == 0 &&
            strncasecmp(type + length - 5, "+json", 5) == 0);
}

static bool check_body_headers(struct exchange *x)
{
    struct http_request *request = &x->request;
    const char *length = http_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
    bool chunked = http_header(request, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL;
    bool has_bytes = chunked || (length && strtoull(length, NULL, 10) > 0);
    bool is_json = request->route->body == BODY_JSON ||
                   (request->route->body == BODY_OPTIONAL_JSON && has_bytes);
    bool is_file = body_is_file(request->route->body);
    uint64_t most = (uint64_t)body_most(request->route->body);

    if (!length && !chunked && (is_json || is_file)) {
        http_problem(request, API_LENGTH, "send Content-Length, or the body in chunks");
    } else if (request->route->body == BODY_NONE && has_bytes && !chunked) {
        http_problem(request, API_BAD_JSON, "this route takes no body");
    } else if (length && strtoull(length, NULL, 10) > most) {
        http_problem_about(request, API_TOO_LARGE, "at most %llu bytes", (unsigned long long)most);
    } else if (has_bytes && http_header(request, MHD_HTTP_HEADER_CONTENT_ENCODING)) {
        http_problem(request, API_MEDIA_TYPE, "send the body without Content-Encoding");
    } else if (is_json && !is_json_type(http_header(request, MHD_HTTP_HEADER_CONTENT_TYPE))) {
        http_problem(request, API_MEDIA_TYPE, "send Content-Type: application/json");
    } else {
        return true;
    }
    return false;
}

void exchange_random_id(char ret_id[HTTP_ID_MAX])
{
    unsigned char random[12];

    randombytes_buf(random, sizeof random);
    sodium_bin2hex(ret_id, HTTP_ID_MAX, random, sizeof random);
}

void exchange_name(struct exchange *x)
{
    const char *given = http_header(&x->request, "X-Request-Id");
    size_t length = given ? strlen(given) : 0, plain = 0;

    while (plain < length && (isalnum((unsigned char)given[plain]) || strchr("-_.", given[plain])))
        plain++;
    if (length > 0 && length < HTTP_ID_MAX && plain == length) {
        memcpy(x->request.id, given, length + 1);
        return;
    }
    exchange_random_id(x->request.id);
}

static size_t head_bytes(const struct exchange *x)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

    return info ? info->header_size : 0;
}

/* Returns the target without the base path, which some proxies leave in it. The base path alone is
 * redirected to itself and a /, since the page's addresses are relative. NULL: answered. */
static char *below_base_path(struct exchange *x, char *target)
{
    const char *base = x->http->base->config->base_path;
    size_t length = strlen(base);

    if (length == 0 || strncmp(target, base, length) != 0 || !strchr("/?", target[length]))
        return target;
    if (target[length] == '/')
        return target + length;
    char location[sizeof x->http->base->config->base_path + 1];
    snprintf(location, sizeof location, "%s/", base);
    http_add_header(&x->request, MHD_HTTP_HEADER_LOCATION, location);
    http_text(&x->request, MHD_HTTP_PERMANENT_REDIRECT, "text/plain", strdup(""));
    return NULL;
}

/* There is no such path. Nobody should have to look twice for a / at the end. */
static void refuse_path(struct exchange *x)
{
    struct target shorter = x->target;

    shorter.parts--;
    if (shorter.parts > 0 && x->target.part[shorter.parts][0] == '\0' &&
        target_match(&shorter, x->http->routes, x->method).methods[0])
        http_problem(&x->request, API_NOT_FOUND, "the path has no / at its end");
    else
        http_problem(&x->request, API_NOT_FOUND, NULL);
}

void exchange_take_head(struct exchange *x, const char *version)
{
    struct http_request *request = &x->request;

    exchange_name(x);
    if (head_bytes(x) > HTTP_HEAD_MAX) {
        http_problem_about(request, API_HEADERS, "at most %d bytes", HTTP_HEAD_MAX);
        return;
    }
    const char *wrong;
    enum api_error framing = exchange_check_head(x, version, &wrong);
    if (framing != API_OK) {
        x->is_last = true;
        http_add_header(request, MHD_HTTP_HEADER_CONNECTION, "close");
        http_problem(request, framing, wrong);
        return;
    }
    if (strcmp(version, MHD_HTTP_VERSION_1_1) == 0 && !http_header(request, MHD_HTTP_HEADER_HOST)) {
        http_problem(request, API_BAD_PARAMETER, "Host is missing"); /* RFC 9112, 3.2 */
        return;
    }
    char *target = below_base_path(x, x->storage + strlen(x->path) + 1 /* behind the log's copy */);
    if (!target)
        return;
    wrong = target_read(target, &x->target);
    if (wrong) {
        http_problem(request, API_BAD_PARAMETER, wrong);
        return;
    }
    struct target_match match = target_match(&x->target, x->http->routes, x->method);
    request->route = match.route;
    memcpy(request->arg, match.arg, sizeof match.arg);
    if (!match.methods[0]) {
        refuse_path(x);
    } else if (!match.route) {
        http_add_header(request, MHD_HTTP_HEADER_ALLOW, match.methods);
        if (strcmp(x->method, "OPTIONS") == 0)
            http_no_content(request);
        else
            http_problem_about(request, API_METHOD, "this path takes %s", match.methods);
    } else if (atomic_load(&x->http->draining) && strcmp(match.route->method, "GET") != 0) {
        http_problem(request, API_DRAINING, NULL);
    } else if (exchange_admit(x) && check_disk(x) && check_accept(x) && check_parameters(x) &&
               check_body_headers(x)) {
        enum api_error error = body_begin(&x->body, match.route->body, x->http->base->config->data);
        if (error != API_OK)
            http_problem(request, error, NULL);
    }
}

/* ---- the route's functions ---- */

/* Answers the error of a function that did not answer itself. Then checks that there is exactly one
 * answer, or none if one may come later; otherwise answers 500. */
static void check_answers(struct exchange *x, const char *function, enum api_error error,
                          bool may_have_none)
{
    if (x->answers == 0 && error != API_OK)
        http_problem(&x->request, error, NULL);
    if (x->answers == 1 || (x->answers == 0 && may_have_none))
        return;
    log_line(LOG_ERROR, "a route did not answer exactly once", log_text("id", x->request.id),
             log_text("method", x->method), log_text("path", x->path),
             log_text("function", function), log_whole("answers", x->answers));
    exchange_forget_answer(x);
    http_problem(&x->request, API_INTERNAL, NULL);
}

/* Gives the request the store reader of this thread, opened at first use. False: it cannot be
 * opened, and the request is answered. */
static bool take_reader(struct exchange *x)
{
    struct http *http = x->http;
    struct store *store = tss_get(http->reader);

    if (!store && store_open_reader(http->base->config->data, &store) == API_OK &&
        tss_set(http->reader, store) != thrd_success) {
        store_close(store);
        store = NULL;
    }
    if (!store)
        http_problem(&x->request, API_STORAGE, "the database cannot be read");
    x->request.store = store;
    return store != NULL;
}

static void end_body(struct exchange *x)
{
    const struct strict_errors *errors = &x->request.errors;
    enum api_error error = body_end(&x->body, &x->request.body, &x->request.errors);

    if (error == API_BAD_JSON)
        http_problem(&x->request, error,
                     errors->count > 0 ? errors->error[0].message : "a JSON document is needed");
    else if (error != API_OK)
        http_problem(&x->request, error, NULL);
    if (x->body.path) {
        x->request.file_path = x->body.path;
        x->request.file_sha256 = x->body.sha256;
        x->request.file_bytes = x->body.bytes;
    }
}

/* ---- on the core thread ---- */

static bool answers_may_repeat(const struct exchange *x)
{
    return x->request.route->place == ROUTE_WRITE && strcmp(x->method, "POST") == 0;
}

/* Repeats the earlier answer. */
static enum api_error repeat_answer(struct http_request *request, struct store_answer *answer,
                                    const char *body_sha256)
{
    enum api_error error = API_OK;

    if (strcmp(answer->body_sha256, body_sha256) != 0) {
        free(answer->body);
        error = http_problem(request, API_KEY_REUSED, NULL);
    } else {
        if (answer->location)
            http_add_header(request, MHD_HTTP_HEADER_LOCATION, answer->location);
        http_add_header(request, "Idempotency-Replayed", "true");
        error = http_text(request, answer->status, "application/json", answer->body);
    }
    free(answer->location);
    return error;
}

/* The route's `run` for a request with an Idempotency-Key. */
static enum api_error run_once(struct exchange *x, const char *key)
{
    struct http_request *request = &x->request;
    struct store *store = request->store;
    struct store_answer answer;
    char sha256[65], scope[256 + CONFIG_NAME_MAX];

    snprintf(scope, sizeof scope, "%s %s %s", request->caller, x->method, x->path);
    if (body_is_file(x->body.kind))
        memcpy(sha256, x->body.sha256, sizeof sha256);
    else
        body_sha256(&x->body, sha256);
    enum api_error error = store_answer_find(store, scope, key, request->now_ms, &answer);
    if (error == API_OK)
        return repeat_answer(request, &answer, sha256);
    if (error != API_NOT_FOUND)
        return http_problem(request, error, NULL);

    error = request->route->run(request);
    if (error != API_OK || x->answers != 1 || !x->content)
        return error;
    answer = (struct store_answer){
        .status = x->status,
        .location = (char *)(uintptr_t)exchange_answer_header(x, MHD_HTTP_HEADER_LOCATION),
        .body = (char *)(uintptr_t)x->content};
    memcpy(answer.body_sha256, sha256, sizeof sha256);
    error = store_answer_add(store, scope, key, request->now_ms, &answer);
    if (error == API_OK)
        error = store_answers_forget(store, request->now_ms, FORGET_MOST);
    if (error != API_OK) {
        exchange_forget_answer(x);
        http_problem(request, error, NULL);
    }
    return error;
}

static struct exchange *exchange_of_task(struct core_task *task)
{
    return (struct exchange *)((char *)task - offsetof(struct exchange, task));
}

/* Finds the route that shows the resource this one changes. NULL: none. */
static const struct route *find_get(const struct exchange *x)
{
    const struct route *route = x->http->routes;

    while (route->method &&
           (strcmp(route->method, "GET") != 0 || strcmp(route->path, x->request.route->path) != 0))
        route++;
    return route->method ? route : NULL;
}

/* Whether the resource still is the version of If-Match (RFC 9110, 13.1.1). Nothing else writes
 * between this check and the change. */
static bool is_as_expected(struct exchange *x)
{
    bool expects = http_header(&x->request, MHD_HTTP_HEADER_IF_MATCH) != NULL;
    const struct route *own = x->request.route, *get = expects ? find_get(x) : NULL;

    if (!get || own->place != ROUTE_WRITE || strcmp(own->method, "POST") == 0)
        return true;
    x->request.route = get;
    x->is_comparing = true;
    get->run(&x->request);
    x->is_comparing = false;
    x->request.route = own;
    bool matches = exchange_answer_matches(x);
    exchange_forget_answer(x);
    return matches;
}

static enum api_error run_on_core(struct core_task *task, struct store *store)
{
    struct exchange *x = exchange_of_task(task);
    const char *key = answers_may_repeat(x) ? http_header(&x->request, "Idempotency-Key") : NULL;

    assert(x->on_core == CORE_WAITS);
    x->request.store = store;
    x->request.now_ms = core_now_ms(x->http->base->core); /* that of this transaction */
    if (!is_as_expected(x))
        x->ran = http_problem(&x->request, API_PRECONDITION, NULL);
    else if (key)
        x->ran = run_once(x, key);
    else
        x->ran = x->request.route->run(&x->request);
    x->on_core = CORE_RAN;
    return x->ran;
}

static void resume(struct exchange *x)
{
    check_answers(x, "run", x->ran, false);
    json_decref(x->request.body); /* it may share parts with documents of this thread */
    x->request.body = NULL;
    MHD_resume_connection(x->connection);
}

static void finish_on_core(struct core_task *task, enum api_error result)
{
    struct exchange *x = exchange_of_task(task);

    assert(x->on_core != CORE_FINISHED);
    if (x->is_postponed)
        return;
    if (x->on_core != CORE_RAN ||
        result != x->ran) { /* the commit failed, or `run` was never called */
        exchange_forget_answer(x);
        http_problem(&x->request, result, NULL);
    }
    if (result != API_OK)
        exchange_end_wait(x);
    else if (x->after_commit)
        x->after_commit(&x->request);
    x->on_core = CORE_FINISHED;
    if (!x->is_held)
        resume(x);
}

void http_after_commit(struct http_request *request, void (*then)(struct http_request *request))
{
    exchange_of(request)->after_commit = then;
}

void http_postpone(struct http_request *request)
{
    struct exchange *x = exchange_of(request);

    assert(x->on_core == CORE_WAITS && x->answers == 0 && request->route->place == ROUTE_WRITE);
    x->is_postponed = true;
}

void http_run_again(struct http_request *request)
{
    struct exchange *x = exchange_of(request);

    assert(x->is_postponed);
    x->is_postponed = false;
    x->on_core = CORE_WAITS;
    core_submit_own(x->http->base->core, &x->task);
}

/* Hands the exchange to the core thread, which resumes it later. */
static void send_to_core(struct exchange *x)
{
    x->task = (struct core_task){.writes = x->request.route->place == ROUTE_WRITE,
                                 .run = run_on_core,
                                 .finish = finish_on_core};
    x->phase = EXCHANGE_AWAY;
    MHD_suspend_connection(x->connection);
    enum api_error error = core_submit(x->http->base->core, &x->task);
    if (error != API_OK) {
        http_problem(&x->request, error, NULL);
        MHD_resume_connection(x->connection);
    }
}

static bool check_idempotency_key(struct exchange *x)
{
    const char *key = answers_may_repeat(x) ? http_header(&x->request, "Idempotency-Key") : NULL;

    if (!key || (*key && strlen(key) <= IDEMPOTENCY_KEY_MAX))
        return true;
    http_problem_about(&x->request, API_BAD_PARAMETER, "Idempotency-Key has 1 to %d bytes",
                       IDEMPOTENCY_KEY_MAX);
    return false;
}

/* Calls the route's functions; false: the core thread has it. */
static bool run_route(struct exchange *x)
{
    struct http_request *request = &x->request;
    const struct route *route = request->route;

    if (!take_reader(x))
        return true;
    if (route->check) {
        enum api_error error = route->check(request);
        if (error == API_OK && request->errors.count > 0)
            error = API_BAD_FIELD;
        check_answers(x, "check", error, error == API_OK);
        if (x->answers)
            return true;
    }
    if (route->place == ROUTE_READ) {
        enum api_error error = route->run(request);
        check_answers(x, "run", error, x->wait != NULL);
        return true;
    }
    send_to_core(x);
    return false;
}

/* Read-locks `running`; false, without the lock, after http_close(). The check before locking keeps
 * new readers away from a closing server. */
static bool enter_routes(struct http *http)
{
    if (atomic_load(&http->closed))
        return false;
    pthread_rwlock_rdlock(&http->running);
    if (!atomic_load(&http->closed))
        return true;
    pthread_rwlock_unlock(&http->running);
    return false;
}

void exchange_run_again(struct exchange *x, route_function *function)
{
    exchange_forget_answer(x);
    if (!enter_routes(x->http)) {
        http_problem(&x->request, API_DRAINING, NULL);
        return;
    }
    if (take_reader(x)) {
        enum api_error error = function(&x->request);
        check_answers(x, "again", error, x->wait != NULL);
    }
    pthread_rwlock_unlock(&x->http->running);
}

bool exchange_take_request(struct exchange *x)
{
    struct http *http = x->http;

    end_body(x);
    if (x->answers || !check_idempotency_key(x))
        return true;
    if (!enter_routes(http)) {
        http_problem(&x->request, API_DRAINING, NULL);
        return true;
    }
    bool answered = run_route(x);
    pthread_rwlock_unlock(&http->running);
    return answered;
}

/* ---- requests that wait ---- */

static void free_hold(uv_handle_t *handle)
{
    free(handle->data);
}

static void end_hold(struct exchange *x)
{
    if (!x->hold)
        return;
    uv_poll_stop(&x->hold->poll); /* the descriptor may be closed from here on */
    uv_close((uv_handle_t *)&x->hold->poll, free_hold);
    x->hold = NULL;
}

static void on_hang_up(uv_poll_t *poll, int status, int events)
{
    struct hold *hold = poll->data;
    struct exchange *x = hold->x;
    void (*hung_up)(struct http_request * request, void *context) = hold->hung_up;
    void *context = hold->context;

    (void)status; /* an error ends the connection as well */
    (void)events;
    end_hold(x);
    hung_up(&x->request, context);
}

enum api_error http_hold(struct http_request *request,
                         void (*hung_up)(struct http_request *request, void *context),
                         void *context)
{
    struct exchange *x = exchange_of(request);
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct hold *hold = calloc(1, sizeof *hold);

    assert(!x->is_held && request->route->place == ROUTE_CORE);
    if (!hold)
        return http_problem(request, API_NO_MEMORY, NULL);
    if (uv_poll_init(core_loop(x->http->base->core), &hold->poll, info->connect_fd) != 0) {
        free(hold);
        return http_problem(request, API_INTERNAL, NULL);
    }
    hold->poll.data = hold;
    hold->x = x;
    hold->hung_up = hung_up;
    hold->context = context;
    x->hold = hold;
    x->is_held = true;
    uv_poll_start(&hold->poll, UV_DISCONNECT, on_hang_up);
    return API_OK;
}

void http_release(struct http_request *request)
{
    struct exchange *x = exchange_of(request);

    assert(x->is_held && x->answers == 1);
    end_hold(x);
    x->is_held = false;
    if (x->on_core == CORE_FINISHED)
        resume(x);
}
