/* The service itself, shots and positions, models and players, requested from the real daemon; at
 * the end every operation of the contract has been called except those of resource_jobs_test.c. */
#include "models/tables/profiles.h"
#include "tests/api/resources.h"

#include "tests/patience.h"

#include <ctype.h>
#include <math.h>
#include <sys/socket.h>
#include <unistd.h>

#define NULLS   "[null,null,null,null,null,null,null,null]"
#define NOTHING "{\"team0\":" NULLS ",\"team1\":" NULLS "}"
#define STATE                                                                            \
    "{\"end\":0,\"shot\":0,\"hammer\":\"team1\",\"scores\":{\"team0\":[],\"team1\":[]}," \
    "\"stones\":" NOTHING "}"
#define QUERY(more) "{\"profile\":\"dc3\",\"state\":" STATE more "}"

static int start_all(void **state)
{
    contract_load(OPENAPI_YAML);
    return daemon_start_here(state);
}

/* ---- the service ---- */

/* Browsers get a page whose files keep their address and bytes; programs get the index. */
static void the_dashboard_is_served(void **state)
{
    (void)state;
    static const char *const html[] = {"Accept: text/html,*/*;q=0.8", NULL};
    static const char contract[] = "/assets/{version}/{folder}/{name}";
    char value[256], version[17] = "", path[64];

    struct reply page = ask_with("GET", "/", "/", &(struct client_call){.header = html}, 200);
    assert_string_equal(reply_header(&page, "Content-Type", sizeof value, value),
                        "text/html; charset=utf-8");
    reply_header(&page, "Content-Security-Policy", sizeof value, value);
    assert_non_null(strstr(value, "script-src 'self';"));
    assert_null(strstr(value, "unsafe"));
    static const char tag[] = "<script type=\"module\" src=\"";
    const char *at = strstr(page.text, tag);
    assert_non_null(at);
    assert_int_equal(sscanf(at + sizeof tag - 1, "%62[^\"]", path + 1), 1);
    path[0] = '/'; /* of the page, which stands at / */
    assert_int_equal(sscanf(path, "/assets/%16[0-9a-f]/", version), 1);
    reply_free(&page);

    struct reply script = ask("GET", contract, path, NULL, 200);
    assert_string_equal(reply_header(&script, "Cache-Control", sizeof value, value),
                        "public, max-age=31536000, immutable");
    assert_string_equal(reply_header(&script, "Content-Type", sizeof value, value),
                        "text/javascript; charset=utf-8");
    assert_true(script.bytes > 0);
    reply_free(&script);

    snprintf(path, sizeof path, "/assets/%s/frame/nothing.js", version);
    expect("GET", contract, path, NULL, 404);
    expect("GET", contract, "/assets/0123456789abcdef/frame/app.js", NULL, 404);
}

static void the_service_reports_its_version(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "/",           "/healthz",    "/readyz",       "/metrics",      "/openapi.yaml",
        "/v1/version", "/v1/schemas", "/v1/workers",   "/v1/placement", "/v1/profiles",
        "/v1/backup",  "/v1/callers", "/v1/retention", "/v1/caller"};
    for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++)
        expect("GET", paths[k], paths[k], NULL, 200);
    expect("GET", "/v1/version", "/v1/version?x=1", NULL, 400);
    expect("GET", "/v1/schemas/{kind}", "/v1/schemas/shot", NULL, 200);
    expect("GET", "/v1/schemas/{kind}", "/v1/schemas/match", NULL, 200);
    expect("GET", "/v1/schemas/{kind}", "/v1/schemas/dance", NULL, 404);

    expect("POST", "/v1/retention", "/v1/retention", NULL, 202);
    static const char *const waits[] = {"Prefer: wait=60", NULL};
    struct reply retention = ask_with("POST", "/v1/retention", "/v1/retention",
                                      &(struct client_call){.header = waits}, 200);
    assert_int_equal(
        json_array_size(json_object_get(json_object_get(retention.json, "last"), "gone")), 3);
    reply_free(&retention);
    struct reply backup = ask("POST", "/v1/backup", "/v1/backup", NULL, 201);
    assert_true(json_integer_value(json_object_get(backup.json, "bytes")) > 0);
    reply_free(&backup);
    struct reply export = ask_with("GET", "/v1/export", "/v1/export?csv=false",
                                   &(struct client_call){.is_direct = true}, 200);
    assert_true(export.bytes > 1024 && export.bytes % 512 == 0);
    reply_free(&export);
    expect("GET", "/v1/export", "/v1/export?csv=1", NULL, 400);
}

/* The table from which every list of profiles is made, in its order. */
static void profiles_are_described(void **state)
{
    struct reply list = ask("GET", "/v1/profiles", "/v1/profiles", NULL, 200);
    struct reply schema = ask_with("GET", "/v1/schemas/{kind}", "/v1/schemas/shot",
                                   &(struct client_call){.is_direct = true}, 200);
    json_t *names = json_object_get(
        json_object_get(json_object_get(schema.json, "properties"), "profile"), "enum");
    json_t *items = json_object_get(list.json, "items"), *item;
    size_t k;

    (void)state;
    assert_true(json_array_size(items) > 0);
    assert_int_equal(json_array_size(items), json_array_size(names));
    json_array_foreach(items, k, item)
    {
        const struct profile *profile = profile_at((int)k);
        assert_non_null(profile);
        assert_string_equal(json_string_value(json_object_get(item, "name")), profile->name);
        assert_string_equal(json_string_value(json_array_get(names, k)), profile->name);
        assert_true(json_is_true(json_object_get(item, "jobs")));
        assert_true(json_is_true(json_object_get(item, "trainings")));
        assert_int_equal(json_object_get(item, "setups") != NULL, profile->rules.preplaced > 0);
    }
    reply_free(&schema);
    reply_free(&list);
}

/* The shipped document: each section has its table, and its jobs are accepted here. */
static void published_results_can_be_repeated(void **state)
{
    struct reply reply = ask("GET", "/v1/reproduction", "/v1/reproduction", NULL, 200);
    json_t *sections = json_object_get(reply.json, "sections"), *section, *job;
    int jobs = 0;
    size_t s, k;

    (void)state;
    json_array_foreach(sections, s, section)
    {
        assert_true(json_array_size(json_object_get(section, "rows")) > 0);
        json_array_foreach(json_object_get(section, "jobs"), k, job)
        {
            json_object_set_new(job, "dry_run", json_true());
            char *body = json_dumps(job, JSON_COMPACT);
            expect("POST", "/v1/jobs", "/v1/jobs", body, 200);
            free(body);
            jobs++;
        }
    }
    assert_true(jobs >= 6);
    reply_free(&reply);
    expect("GET", "/v1/reproduction", "/v1/reproduction?x=1", NULL, 400);
}

/* Sends a request on its own connection and does not wait for the answer. */
static int begin(const char *method, const char *path, const char *body)
{
    int fd = client_connect(daemon_here.port);

    if (dprintf(fd,
                "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                method, path, strlen(body), body) < 0)
        fail_msg("%s %s cannot be sent", method, path);
    return fd;
}

/* Writes the answer to `size` bytes of ret_answer; returns its status. */
static long end(int fd, size_t size, char *ret_answer)
{
    size_t used = 0;
    long status = 0;

    for (ssize_t got = 1; got > 0 && used < size - 1; used += (size_t)(got > 0 ? got : 0))
        got = recv(fd, ret_answer + used, size - 1 - used, 0);
    ret_answer[used] = '\0';
    close(fd);
    assert_int_equal(sscanf(ret_answer, "HTTP/1.1 %ld ", &status), 1);
    return status;
}

/* Requests several backups at once; returns how many were refused because one was running. At least
 * one succeeds. */
static int refused_backups(void)
{
    enum { BACKUPS = 4 };
    int asked[BACKUPS], refused = 0;
    char answer[4096];

    for (int k = 0; k < BACKUPS; k++)
        asked[k] = begin("POST", "/v1/backup", "");
    for (int k = 0; k < BACKUPS; k++) {
        long status = end(asked[k], sizeof answer, answer);
        if (status == 503 && strstr(answer, "/problems/busy") &&
            strcasestr(answer, "\r\nRetry-After: 1\r\n"))
            refused++;
        else if (status != 201)
            fail_msg("a backup: %s", answer);
    }
    assert_in_range(refused, 0, BACKUPS - 1);
    return refused;
}

/* A larger database takes longer to back up, so two requests overlap more surely. */
static void one_backup_is_made_at_a_time(void **state)
{
    int refused = 0, mib = 0;

    (void)state;
    for (int more = 16; refused == 0 && more <= 256; more *= 2) {
        daemon_add_ballast(&daemon_here, more);
        mib += more;
        refused = refused_backups();
    }
    assert_true(refused > 0);
    contract_met("POST", "/v1/backup", 503);
    struct reply last = ask("POST", "/v1/backup", "/v1/backup", NULL, 201);
    assert_true(json_integer_value(json_object_get(last.json, "bytes")) > mib << 20);
    reply_free(&last);
}

/* "poker-match" -> "PokerMatchSpec". */
static void name_of_schema(const char *kind, size_t size, char *ret_name)
{
    size_t used = 0;

    for (bool is_first = true; *kind; kind++) {
        if (*kind != '-' && used + 1 < size)
            ret_name[used++] = is_first ? (char)toupper((unsigned char)*kind) : *kind;
        is_first = *kind == '-';
    }
    snprintf(ret_name + used, size - used, "Spec");
}

/* The contract repeats the schemas of requests as JSON: they must be identical. */
static void the_contract_has_the_schemas_that_are_served(void **state)
{
    (void)state;
    struct reply list = ask("GET", "/v1/schemas", "/v1/schemas", NULL, 200);
    json_t *items = json_object_get(list.json, "items"), *item;
    char path[80], name[80];
    size_t k;

    assert_true(json_array_size(items) > 1);
    json_array_foreach(items, k, item)
    {
        const char *kind = json_string_value(json_object_get(item, "kind"));
        snprintf(path, sizeof path, "/v1/schemas/%s", kind);
        name_of_schema(kind, sizeof name, name);
        struct reply served = ask_with("GET", "/v1/schemas/{kind}", path,
                                       &(struct client_call){.is_direct = true}, 200);
        json_t *documented =
            contract_schema(OPENAPI_YAML, strcmp(kind, "shot") == 0 ? "ShotQuery" : name);
        /* $schema belongs to the served document only. */
        json_object_del(served.json, "$schema");
        json_object_del(served.json, "$id");
        json_object_del(served.json, "title");
        if (!json_equal(served.json, documented)) {
            char *text = json_dumps(served.json, JSON_INDENT(2));
            print_error("%s should have as schema of %s: %s\n", OPENAPI_YAML, kind, text);
            free(text);
            fail();
        }
        json_decref(documented);
        reply_free(&served);
    }
    reply_free(&list);
}

/* The dashboard draws forms and result pages from it. */
static void kinds_of_jobs_are_described(void **state)
{
    (void)state;
    /* Bypasses the proxy of the contract, which strips nested schemas. */
    const struct client_call direct = {.is_direct = true};
    expect("GET", "/v1/job-kinds", "/v1/job-kinds", NULL, 200);
    expect("GET", "/v1/job-kinds/{kind}", "/v1/job-kinds/match", NULL, 200);
    struct reply list = ask_with("GET", "/v1/job-kinds", "/v1/job-kinds", &direct, 200);
    json_t *items = json_object_get(list.json, "items"), *item;
    int internal = 0;
    size_t k;

    json_array_foreach(items, k, item)
    {
        const char *path = json_string_value(json_object_get(item, "href"));
        struct reply one = ask_with("GET", "/v1/job-kinds/{kind}", path, &direct, 200);
        assert_non_null(json_object_get(json_object_get(one.json, "schema"), "properties"));
        json_object_del(one.json, "schema");
        assert_true(json_equal(one.json, item));
        assert_true(json_array_size(json_object_get(item, "result")) > 0);
        internal += json_is_true(json_object_get(item, "internal"));
        reply_free(&one);
    }
    assert_int_equal(internal, 1);
    assert_true(json_array_size(items) >= 6);
    reply_free(&list);
    struct reply none = ask("GET", "/v1/job-kinds/{kind}", "/v1/job-kinds/dance", NULL, 404);
    reply_free(&none);
}

static void unchanged_resources_are_not_sent_again(void **state)
{
    (void)state;
    struct reply first = ask("GET", "/v1/version", "/v1/version", NULL, 200);
    char tag[80], header[120];

    reply_header(&first, "ETag", sizeof tag, tag);
    snprintf(header, sizeof header, "If-None-Match: %s", tag);
    const char *const headers[] = {header, NULL};
    struct reply second = ask_with("GET", "/v1/version", "/v1/version",
                                   &(struct client_call){.header = headers}, 304);
    assert_int_equal(second.bytes, 0);
    reply_free(&first);
    reply_free(&second);
}

/* A change made without seeing a concurrent one is refused. */
static void only_who_knows_the_model_changes_it(const char *path)
{
    struct reply model = ask("GET", "/v1/models/{name}", path, NULL, 200);
    char tag[80], match[120];

    reply_header(&model, "ETag", sizeof tag, tag);
    reply_free(&model);
    snprintf(match, sizeof match, "If-Match: %s", tag);
    const char *const headers[] = {match, "Content-Type: application/json", NULL};
    const struct client_call first = {.body = "{\"card\":{\"about\":\"one\"}}", .header = headers};
    const struct client_call second = {.body = "{\"card\":{\"about\":\"two\"}}", .header = headers};
    const char *const two_lines[] = {"If-Match: \"other\"", match, "Content-Type: application/json",
                                     NULL};
    const struct client_call third = {.body = first.body, .header = two_lines};
    const char *const any[] = {"If-Match: *", "Content-Type: application/json", NULL};

    model = ask_with("PATCH", "/v1/models/{name}", path, &third, 200);
    reply_free(&model);
    model = ask_with("PATCH", "/v1/models/{name}", path, &first, 412);
    reply_free(&model);
    model = ask_with("PATCH", "/v1/models/{name}", path, &second, 412);
    assert_problem(&model, 412, "precondition-failed");
    reply_free(&model);
    model = ask_with("DELETE", "/v1/models/{name}", path, &(struct client_call){.header = headers},
                     412);
    reply_free(&model);
    model = ask("GET", "/v1/models/{name}", path, NULL, 200);
    assert_string_equal(text_of(json_object_get(model.json, "card"), "about"), "one");
    reply_free(&model);
    model = ask_with("PATCH", "/v1/models/{name}", "/v1/models/none",
                     &(struct client_call){.body = second.body, .header = any}, 412);
    reply_free(&model);
    model = ask_with("PATCH", "/v1/models/{name}", path,
                     &(struct client_call){.body = second.body, .header = any}, 200);
    reply_free(&model);
}

/* ---- shots and positions ---- */

static void shots_are_answered(void **state)
{
    (void)state;
    struct reply shot =
        ask("POST", "/v1/shots", "/v1/shots",
            QUERY(",\"player\":\"generator:samples=4\",\"limits\":{\"simulations\":200}"), 200);

    assert_non_null(json_object_get(json_object_get(shot.json, "shot"), "velocity"));
    reply_free(&shot);
    refuses_field("POST", "/v1/shots", QUERY(",\"player\":\"nobody\""), "/player");
    refuses_field("POST", "/v1/shots", QUERY(",\"colour\":1"), "/colour");
    refuses_field("POST", "/v1/shots", QUERY(",\"seed\":18446744073709551615"), "/seed");
    struct reply broken = ask_with("POST", "/v1/shots", "/v1/shots",
                                   &(struct client_call){.body = "{", .is_direct = true}, 400);
    assert_problem(&broken, 400, "bad-json");
    reply_free(&broken);
}

#define THROWN(more)                                                                               \
    "{\"before\":{\"end\":0,\"shot\":0,\"hammer\":\"team1\",\"scores\":{\"team0\":[],\"team1\":[]" \
    "},"                                                                                           \
    "\"stones\":{\"team0\":[],\"team1\":[]}}" more "}"

static void a_history_tells_the_opponents_style(void **state)
{
    (void)state;
    struct reply shot = ask(
        "POST", "/v1/shots", "/v1/shots",
        QUERY(",\"player\":\"rink:opponent=model\",\"limits\":{\"simulations\":300},\"history\":"
              "[" THROWN(",\"after\":{\"stones\":{\"team0\":[{\"position\":{\"x\":0,\"y\":38}}],"
                         "\"team1\":[]}}") "]"),
        200);
    json_t *opponent = json_object_get(shot.json, "opponent");

    assert_int_equal(json_integer_value(json_object_get(opponent, "throws")), 1);
    assert_true(json_array_size(json_object_get(opponent, "styles")) > 1);
    reply_free(&shot);
    refuses_field("POST", "/v1/shots", QUERY(",\"history\":[" THROWN("") "]"), "/history/0");
    refuses_field("POST", "/v1/shots",
                  QUERY(",\"history\":[" THROWN(
                      ",\"after\":{\"stones\":{\"team0\":[],\"team1\":[{\"position\":{\"x\":0,"
                      "\"y\":38}}]}}") "]"),
                  "/history/0/after/stones/team1/0");
}

/* Checks that a client that comes after the end, whatever it heard before, gets the last event. */
static void says_its_last_event(const char *path)
{
    const char *headers[] = {NULL, NULL};

    for (int k = 0; k < 2; k++, headers[0] = "Last-Event-ID: 1") {
        struct reply heard = ask_with("GET", "/v1/shots/{id}/events", path,
                                      &(struct client_call){.header = headers}, 200);
        int to_data = 0;
        sscanf(heard.text, "id: %*[0-9] event: done data: %n", &to_data);
        if (to_data == 0)
            fail_msg("not the last event: %.100s", heard.text);
        assert_non_null(strstr(heard.text + to_data, "\"state\":\"done\""));
        expect_nothing_more("/v1/shots/{id}/events", path, heard.text);
        reply_free(&heard);
    }
}

static void shots_can_be_fetched_later(void **state)
{
    (void)state;
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: respond-async",
                                          NULL};
    const struct client_call call = {.body = QUERY(",\"player\":\"ai-simple\""), .header = headers};
    struct reply shot = ask_with("POST", "/v1/shots", "/v1/shots", &call, 202);
    char path[80], events[96];

    reply_header(&shot, "Location", sizeof path, path);
    reply_free(&shot);
    snprintf(events, sizeof events, "%s/events", path);
    struct reply heard = ask("GET", "/v1/shots/{id}/events", events, NULL, 200);
    assert_non_null(strstr(heard.text, "event: "));
    expect_nothing_more("/v1/shots/{id}/events", events, heard.text);
    reply_free(&heard);
    struct reply done = ask("GET", "/v1/shots/{id}", path, NULL, 200);
    assert_string_equal(text_of(done.json, "state"), "done");
    reply_free(&done);
    says_its_last_event(events);
    expect("DELETE", "/v1/shots/{id}", path, NULL, 204);
    expect("GET", "/v1/shots/{id}", "/v1/shots/none", NULL, 404);
}

#define SMALL_MAP ",\"map\":{\"columns\":8,\"rows\":9,\"lines\":16,\"throws\":8}"

static void maps_are_drawn_from_coarse_to_fine(void **state)
{
    (void)state;
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: respond-async",
                                          NULL};
    const struct client_call call = {.body = QUERY(SMALL_MAP), .header = headers};
    struct reply map = ask("POST", "/v1/maps", "/v1/maps", QUERY(SMALL_MAP), 200);
    const json_t *layers = json_object_get(map.json, "layers"), *draw = json_array_get(layers, 0);

    assert_int_equal(json_array_size(layers), 6);
    assert_int_equal(json_array_size(json_object_get(draw, "win_probability")), 8 * 9);
    assert_true(json_array_size(json_object_get(map.json, "best")) > 0);
    reply_free(&map);
    char events[96], path[80];
    map = ask_with("POST", "/v1/maps", "/v1/maps", &call, 202);
    reply_header(&map, "Location", sizeof path, path);
    reply_free(&map);
    snprintf(events, sizeof events, "%s/events", path);
    struct reply heard = ask("GET", "/v1/shots/{id}/events", events, NULL, 200);
    assert_non_null(strstr(heard.text, "event: done"));
    reply_free(&heard);
    map = ask("GET", "/v1/shots/{id}", path, NULL, 200);
    assert_non_null(json_object_get(json_object_get(map.json, "answer"), "layers"));
    reply_free(&map);

    refuses_field("POST", "/v1/maps", QUERY(",\"map\":{\"columns\":7}"), "/map/columns");
    refuses_field("POST", "/v1/maps", QUERY(",\"map\":[]"), "/map");
    refuses_field("POST", "/v1/maps", QUERY(",\"calls\":[]"), "/calls");
    refuses_field("POST", "/v1/maps", QUERY(",\"limits\":{}"), "/limits");
    refuses_field("POST", "/v1/maps", QUERY(SMALL_MAP ",\"player\":\"ai-simple\""), "/player");
    refuses_field("POST", "/v1/shots", QUERY(SMALL_MAP), "/map");
}

static void calls_are_compared(void **state)
{
    (void)state;
#define AIM(x, more) "{\"aim\":{\"x\":" x ",\"y\":38.4},\"rotation\":\"cw\"" more "}"
#define SHOT_CALL    "{\"shot\":{\"velocity\":{\"x\":0.13,\"y\":2.39},\"rotation\":\"ccw\"}}"
    struct reply calls =
        ask("POST", "/v1/calls", "/v1/calls",
            QUERY(",\"throws\":64,\"calls\":[" AIM("0", "") "," SHOT_CALL "]"), 200);
    const json_t *list = json_object_get(calls.json, "calls"), *first = json_array_get(list, 0);

    assert_int_equal(json_array_size(list), 2);
    assert_true(json_number_value(json_object_get(first, "win_difference")) == 0.0);
    assert_true(json_array_size(json_object_get(first, "ends")) > 100);
    assert_string_equal(text_of(first, "kind"), "draw");
    reply_free(&calls);
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: respond-async",
                                          NULL};
    const struct client_call later = {.body = QUERY(",\"calls\":[" AIM("0", "") "]"),
                                      .header = headers};
    calls = ask_with("POST", "/v1/calls", "/v1/calls", &later, 202);
    reply_free(&calls);
    refuses_field("POST", "/v1/calls", QUERY(""), "/calls");
    refuses_field("POST", "/v1/calls", QUERY(",\"calls\":[]"), "/calls");
    refuses_field("POST", "/v1/calls", QUERY(",\"calls\":[{}]"), "/calls/0/aim");
    refuses_field("POST", "/v1/calls", QUERY(",\"calls\":[" AIM("0", "") "," AIM("9", "") "]"),
                  "/calls/1/aim");
    refuses_field("POST", "/v1/calls", QUERY(",\"calls\":[" AIM("0", ",\"weight\":\"soft\"") "]"),
                  "/calls/0/weight");
    refuses_field("POST", "/v1/calls", QUERY(SMALL_MAP), "/map");
    refuses_field("POST", "/v1/shots", QUERY(",\"calls\":[" AIM("0", "") "]"), "/calls");
}

static void positions_are_judged(void **state)
{
    (void)state;
    struct reply score = ask("POST", "/v1/positions/score", "/v1/positions/score",
                             "{\"profile\":\"dc3\",\"stones\":{\"team0\":" NULLS
                             ",\"team1\":[{\"position\":{\"x\":0.5,\"y\":38.4}},"
                             "{\"position\":{\"x\":-0.5,\"y\":38.4}},null,null,null,null,null,"
                             "null]}}",
                             200);
    assert_int_equal(json_integer_value(json_object_get(score.json, "team0")), 0);
    assert_int_equal(json_integer_value(json_object_get(score.json, "team1")), 2);
    assert_int_equal(json_array_size(json_object_get(score.json, "counting")), 2);
    reply_free(&score);
    refuses_field("POST", "/v1/positions/score", "{\"profile\":\"dc3\"}", "/stones");

    struct reply good =
        ask("POST", "/v1/positions/validate", "/v1/positions/validate", QUERY(""), 200);
    assert_true(json_is_true(json_object_get(good.json, "valid")));
    reply_free(&good);
    struct reply bad = ask("POST", "/v1/positions/validate", "/v1/positions/validate",
                           "{\"profile\":\"dc3\",\"state\":{\"end\":0}}", 200);
    assert_true(json_is_false(json_object_get(bad.json, "valid")));
    assert_true(json_array_size(json_object_get(bad.json, "errors")) > 1);
    reply_free(&bad);
    refuses_field("POST", "/v1/positions/validate", "{\"profile\":\"dc9\",\"state\":" STATE "}",
                  "/profile");
    refuses_field("POST", "/v1/positions/validate", "{\"profile\":\"dc3\"}", "/state");
    refuses_field("POST", "/v1/positions/validate", QUERY(",\"player\":\"rink\""), "/player");
}

static void shots_are_thrown(void **state)
{
    (void)state;
#define THROW(profile, shot, more) \
    "{\"profile\":\"" profile "\",\"state\":" STATE ",\"shot\":" shot more "}"
#define DRAW "{\"velocity\":{\"x\":0.13,\"y\":2.39},\"rotation\":\"ccw\"}"
    /* Answers can be sent back: the state for the next shot, the shot for the same one. */
    struct reply thrown =
        ask("POST", "/v1/simulations", "/v1/simulations", THROW("dc3", DRAW, ""), 200);
    json_t *next = json_object_get(thrown.json, "state");
    assert_int_equal(json_integer_value(json_object_get(next, "shot")), 1);
    json_t *body = json_pack("{s:s,s:O,s:O}", "profile", "dc3", "state", next, "shot",
                             json_object_get(thrown.json, "shot"));
    char *text = json_dumps(body, 0);
    struct reply second = ask("POST", "/v1/simulations", "/v1/simulations", text, 200);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(second.json, "state"), "shot")), 2);
    assert_true(
        json_equal(json_object_get(second.json, "shot"), json_object_get(thrown.json, "shot")));
    free(text);
    json_decref(body);
    reply_free(&second);
    reply_free(&thrown);
    refuses_field("POST", "/v1/simulations",
                  THROW("dc2", "{\"native\":{\"vx\":0.1,\"vy\":-29.5,\"spin\":2}}", ""),
                  "/shot/native/spin");
    refuses_field("POST", "/v1/simulations", QUERY(""), "/shot");
    refuses_field("POST", "/v1/simulations", THROW("dc3", DRAW, ",\"model\":\"dc3\""), "/model");

    /* The noise of samples depends on the seed alone; the default seed is 0. */
    struct reply noisy = ask("POST", "/v1/simulations", "/v1/simulations",
                             THROW("dc3", DRAW, ",\"samples\":3,\"trajectory\":1"), 200);
    json_t *samples = json_object_get(noisy.json, "samples");
    json_t *paths = json_object_get(noisy.json, "trajectory");
    assert_int_equal(json_array_size(samples), 3);
    assert_int_equal(json_array_size(json_object_get(paths, "team0")), 8);
    assert_true(json_array_size(json_array_get(json_object_get(paths, "team0"), 0)) > 2);
    struct reply again =
        ask("POST", "/v1/simulations", "/v1/simulations",
            THROW("dc3", DRAW, ",\"id\":5,\"samples\":3,\"trajectory\":1,\"seed\":0"), 200);
    assert_true(json_equal(samples, json_object_get(again.json, "samples")));
    assert_int_equal(json_integer_value(json_object_get(again.json, "id")), 5);
    reply_free(&noisy);
    reply_free(&again);
    refuses_field("POST", "/v1/simulations",
                  THROW("dc3", DRAW, ",\"samples\":2,\"noise\":{\"gat_stddev_x\":1}"),
                  "/noise/gat_stddev_x");
    /* Errors that only the worker detects. */
    refuses_field("POST", "/v1/simulations",
                  THROW("dc3", DRAW, ",\"samples\":1000,\"trajectory\":0.001"), "/trajectory");
}

#define CALL "{\"called\":" DRAW ",\"thrown\":{\"velocity\":{\"x\":0.132,\"y\":2.396},"
#define CCW  "\"rotation\":\"ccw\"}},"
#define REST "{\"called\":" DRAW ",\"kind\":\"draw\",\"rest\":{\"x\":0.1,\"y\":38.3}}"
#define HAND(more) \
    "{\"profile\":\"dc3\",\"shots\":[" CALL CCW CALL CCW CALL CCW CALL CCW REST "]" more "}"

static void hands_are_estimated(void **state)
{
    (void)state;
    struct reply found = ask("POST", "/v1/skills", "/v1/skills", HAND(",\"drift\":true"), 200);
    const json_t *noise = json_object_get(found.json, "noise");
    double speed = json_number_value(json_object_get(noise, "stddev_speed"));

    /* Four throws are 6.1 mm/s faster than called. */
    assert_true(speed > 0.004 && speed < 0.012);
    json_t *path = json_object_get(
        json_object_get(json_object_get(found.json, "drift"), "stddev_angle"), "path");
    assert_int_equal(json_array_size(path), 5);
    /* The answer is a hand for a query as it is. */
    char *text = json_dumps(noise, 0), body[2048];
    snprintf(body, sizeof body, QUERY(",\"player\":\"ai-simple\",\"noise\":%s"), text);
    struct reply shot = ask("POST", "/v1/shots", "/v1/shots", body, 200);
    reply_free(&shot);
    free(text);
    reply_free(&found);
    refuses_field("POST", "/v1/skills", "{\"profile\":\"dc3\",\"shots\":[" REST "]}", "/shots");
    refuses_field("POST", "/v1/skills", HAND(",\"colour\":1"), "/colour");
    refuses_field("POST", "/v1/skills",
                  "{\"profile\":\"dc3\",\"shots\":[" CALL
                  "\"rotation\":\"cw\"}}," CALL CCW CALL CCW CALL CCW REST "]}",
                  "/shots/0/thrown");
    refuses_field("POST", "/v1/skills",
                  "{\"profile\":\"dc3\",\"shots\":[" CALL CCW CALL CCW CALL CCW CALL CCW
                  "{\"called\":" DRAW "}]}",
                  "/shots/4");
    /* Only the worker detects this. */
    refuses_field("POST", "/v1/skills",
                  "{\"profile\":\"dc3\",\"shots\":[" CALL CCW CALL CCW CALL CCW CALL CCW
                  "{\"called\":" DRAW ",\"rest\":{\"x\":0,\"y\":-5}}]}",
                  "/shots/4/rest");
}

/* Each of the compared hands is one for queries, maps, calls and simulations as it is. */
static void hands_of_people_are_compared_and_used(void **state)
{
    (void)state;
    struct reply found =
        ask("POST", "/v1/skills", "/v1/skills", HAND(",\"compare\":true,\"throws\":true"), 200);
    struct reply same =
        ask("POST", "/v1/skills", "/v1/skills", HAND(",\"compare\":true,\"throws\":true"), 200);
    const json_t *hands = json_object_get(found.json, "hands");
    double sum = 0.0;
    size_t k;
    json_t *hand;

    assert_true(json_equal(hands, json_object_get(same.json, "hands")));
    assert_int_equal(json_array_size(hands), 4); /* draws alone say nothing of hits */
    assert_int_equal(json_array_size(json_object_get(found.json, "throws")), 5);
    assert_true(json_equal(json_object_get(found.json, "hand"),
                           json_object_get(json_array_get(hands, 0), "hand")));
    json_array_foreach(hands, k, hand)
    {
        char *noise = json_dumps(json_object_get(hand, "noise"), 0), body[2048];
        sum += json_number_value(json_object_get(hand, "probability"));
        snprintf(body, sizeof body, QUERY(",\"player\":\"ai-simple\",\"noise\":%s"), noise);
        struct reply shot = ask("POST", "/v1/shots", "/v1/shots", body, 200);
        reply_free(&shot);
        snprintf(body, sizeof body, THROW("dc3", DRAW, ",\"samples\":3,\"noise\":%s"), noise);
        struct reply thrown = ask("POST", "/v1/simulations", "/v1/simulations", body, 200);
        reply_free(&thrown);
        free(noise);
    }
    assert_true(fabs(sum - 1.0) < 1e-9);
    reply_free(&same);
    reply_free(&found);
    struct reply one = ask("POST", "/v1/skills", "/v1/skills", HAND(",\"hand\":\"student\""), 200);
    assert_string_equal(json_string_value(json_object_get(one.json, "hand")), "student");
    assert_null(json_object_get(one.json, "hands"));
    reply_free(&one);
    refuses_field("POST", "/v1/skills", HAND(",\"hand\":\"third\""), "/hand");
    refuses_field("POST", "/v1/skills", HAND(",\"compare\":1"), "/compare");
    refuses_field("POST", "/v1/shots", QUERY(",\"noise\":{\"degrees_of_freedom\":2}"),
                  "/noise/degrees_of_freedom");
    refuses_field("POST", "/v1/shots", QUERY(",\"noise\":{\"release\":-4}"), "/noise/release");
}

/* ---- the library ---- */

#define KEPT(more) "{\"title\":\"A draw\",\"profile\":\"dc3\",\"state\":" STATE more "}"

static void positions_are_kept_changed_and_deleted(void **state)
{
    static const char all[] = "/v1/library";
    char path[80];

    (void)state;
    refuses_field("POST", all, "{\"profile\":\"dc3\",\"state\":" STATE "}", "/title");
    refuses_field("POST", all, "{\"title\":\"A draw\",\"profile\":\"dc3\"}", "/state");
    refuses_field("POST", all, "{\"title\":5,\"profile\":\"dc3\",\"state\":" STATE "}", "/title");
    refuses_field("POST", all, KEPT(",\"tags\":[\"\"]"), "/tags/0");
    refuses_field("POST", all, KEPT(",\"puzzle\":1"), "/puzzle");
    refuses_field("POST", all, KEPT(",\"best\":{\"rotation\":\"cw\"}"), "/best/velocity");
    refuses_field("POST", all, KEPT(",\"setting\":{\"max_end\":0}"), "/setting/max_end");
    expect("GET", all, "/v1/library?puzzle=perhaps", NULL, 400);

    struct reply added = ask("POST", all, all,
                             KEPT(",\"tags\":[\"freeze\",\"last\"],\"note\":\"\",\"setting\":"
                                  "{\"max_end\":2},\"best\":{\"velocity\":{\"x\":0.1,\"y\":2.4},"
                                  "\"rotation\":\"cw\"}"),
                             201);
    long long id = json_integer_value(json_object_get(added.json, "id"));
    assert_true(json_is_null(json_object_get(added.json, "review")));
    snprintf(path, sizeof path, "/v1/library/%lld", id);
    struct reply shown = ask("GET", "/v1/library/{id}", path, NULL, 200);
    assert_true(json_equal(shown.json, added.json));
    /* What is kept can be asked about as it is. */
    json_t *query =
        json_pack("{s:O, s:O, s:O, s:{s:i}}", "profile", json_object_get(shown.json, "profile"),
                  "state", json_object_get(shown.json, "state"), "setting",
                  json_object_get(shown.json, "setting"), "limits", "simulations", 100);
    char *text = json_dumps(query, JSON_COMPACT);
    expect("POST", "/v1/shots", "/v1/shots", text, 200);
    free(text);
    json_decref(query);
    reply_free(&shown);
    reply_free(&added);

    struct reply list = ask("GET", all, "/v1/library?tag=freeze", NULL, 200);
    assert_int_equal(json_array_size(json_object_get(list.json, "items")), 1);
    reply_free(&list);
    list = ask("GET", all, "/v1/library?puzzle=true", NULL, 200);
    assert_int_equal(json_array_size(json_object_get(list.json, "items")), 0);
    reply_free(&list);

    struct reply changed = ask("PATCH", "/v1/library/{id}", path,
                               "{\"puzzle\":true,\"tags\":[],\"note\":\"why\"}", 200);
    assert_string_equal(text_of(changed.json, "title"), "A draw");
    assert_string_equal(text_of(changed.json, "note"), "why");
    assert_true(json_is_true(json_object_get(changed.json, "puzzle")));
    reply_free(&changed);
    list = ask("GET", all, "/v1/library?puzzle=true&fields=id,title", NULL, 200);
    assert_int_equal(json_array_size(json_object_get(list.json, "items")), 1);
    reply_free(&list);
    expect("DELETE", "/v1/library/{id}", path, NULL, 204);
    expect("DELETE", "/v1/library/{id}", path, NULL, 404);
}

/* ---- webhooks ---- */

#define HOOK(more) "{\"url\":\"https://webhooks.invalid/x?y=1\"" more "}"

static void webhooks_are_added_tested_and_deleted(void **state)
{
    static const char all[] = "/v1/webhooks";
    char path[80];

    (void)state;
    refuses_field("POST", all, "{\"url\":\"ftp://webhooks.invalid/\"}", "/url");
    refuses_field("POST", all, "{\"url\":\"http://me@webhooks.invalid/\"}", "/url");
    refuses_field("POST", all, "{\"url\":\"http://webhooks.invalid:0/\"}", "/url");
    refuses_field("POST", all, "{\"url\":\"http://webhooks.invalid/ \"}", "/url");
    refuses_field("POST", all, "{\"url\":\"http://[fe80::1/\"}", "/url");
    refuses_field("POST", all, "{\"url\":\"http:///x\"}", "/url");
    refuses_field("POST", all, "{}", "/url");
    refuses_field("POST", all, HOOK(",\"states\":[]"), "/states");
    refuses_field("POST", all, HOOK(",\"states\":[\"done\",\"ready\"]"), "/states/1");
    refuses_field("POST", all, HOOK(",\"kinds\":[\"rate\"]"), "/kinds/0");
    refuses_field("POST", all, HOOK(",\"kinds\":[\"match\",\"match\"]"), "/kinds/1");
    refuses_field("POST", all, HOOK(",\"secret\":\"mine\""), "/secret");

    struct reply added = ask("POST", all, all,
                             HOOK(",\"states\":[\"buried\"],\"kinds\":[\"train\"],"
                                  "\"about\":\"the chat\""),
                             201);
    long long id = json_integer_value(json_object_get(added.json, "id"));
    assert_int_equal(strncmp(text_of(added.json, "secret"), "whsec_", 6), 0);
    assert_string_equal(text_of(added.json, "about"), "the chat");
    json_object_del(added.json, "secret");
    snprintf(path, sizeof path, "/v1/webhooks/%lld", id);
    struct reply shown = ask("GET", "/v1/webhooks/{id}", path, NULL, 200);
    assert_true(json_equal(shown.json, added.json));
    reply_free(&shown);
    reply_free(&added);
    expect("GET", all, "/v1/webhooks?limit=1&fields=id,url", NULL, 200);
    snprintf(path, sizeof path, "/v1/webhooks/%lld/test", id);
    struct reply sent = ask("POST", "/v1/webhooks/{id}/test", path, NULL, 202);
    assert_string_equal(text_of(sent.json, "type"), "test");
    long long delivery = json_integer_value(json_object_get(sent.json, "id"));
    reply_free(&sent);
    snprintf(path, sizeof path, "/v1/webhooks/%lld/deliveries", id);
    struct reply list = ask("GET", "/v1/webhooks/{id}/deliveries", path, NULL, 200);
    json_t *first = json_array_get(json_object_get(list.json, "items"), 0);
    assert_int_equal(json_integer_value(json_object_get(first, "id")), delivery);
    reply_free(&list);
    snprintf(path, sizeof path, "/v1/webhooks/%lld", id);
    expect("DELETE", "/v1/webhooks/{id}", path, NULL, 204);
    expect("GET", "/v1/webhooks/{id}/deliveries", "/v1/webhooks/99/deliveries", NULL, 404);
}

/* ---- models and players ---- */

/* One tensor of two float32. */
static const char weights[] = "\x39\0\0\0\0\0\0\0"
                              "{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}   "
                              "\0\0\0\0\0\0\200\77";

/* The same with a NaN. */
static const char wild_weights[] =
    "\x39\0\0\0\0\0\0\0"
    "{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}   "
    "\0\0\0\0\0\0\300\177";

static struct reply upload(const char *name, const char *bytes, size_t size, long status)
{
    static const char *const headers[] = {"Content-Type: application/octet-stream", NULL};
    char path[80];

    snprintf(path, sizeof path, "/v1/models/%s", name);
    return ask_with(
        "PUT", "/v1/models/{name}", path,
        &(struct client_call){.body = bytes, .bytes = size, .header = headers, .is_direct = true},
        status);
}

/* Cuts the kept file. */
static void damage_weights(const char *sha256)
{
    char path[200];

    snprintf(path, sizeof path, "%s/models/%s.safetensors", daemon_here.data, sha256);
    assert_int_equal(truncate(path, 3), 0);
}

static void weights_are_kept_and_given_back(void **state)
{
    (void)state;
    const size_t size = sizeof weights - 1;
    struct reply model = upload("small", weights, size, 201);

    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(model.json, "card"), "parameters")), 2);
    damage_weights(text_of(model.json, "sha256"));
    reply_free(&model);
    model = upload("small", weights, size, 200); /* mends the file */
    reply_free(&model);
    model = upload("short", weights, size - 1, 422);
    reply_free(&model);
    model = upload("wild", wild_weights, sizeof wild_weights - 1, 422);
    const json_t *wrong = json_array_get(json_object_get(model.json, "errors"), 0);
    assert_string_equal(text_of(wrong, "pointer"), "/w");
    assert_non_null(strstr(text_of(wrong, "message"), "number 2 of 2"));
    reply_free(&model);
    expect("GET", "/v1/models/{name}", "/v1/models/wild", NULL, 404);
    char other[sizeof weights];
    memcpy(other, weights, sizeof weights);
    other[size - 1] ^= 1;
    model = upload("small", other, size, 409);
    assert_problem(&model, 409, "exists");
    reply_free(&model);
    model = upload("Large", weights, size, 400);
    reply_free(&model);
    model = upload("0123456789abcdef0123456789abcdef.average", weights, size, 400);
    reply_free(&model);

    expect("PUT", "/v1/models/{name}/aliases/{alias}", "/v1/models/small/aliases/best", NULL, 200);
    expect("PUT", "/v1/models/{name}/aliases/{alias}", "/v1/models/none/aliases/best", NULL, 404);
    model = upload("best", weights, size, 409); /* an alias is not a model */
    reply_free(&model);
    struct reply file = ask_with("GET", "/v1/models/{name}/weights", "/v1/models/best/weights",
                                 &(struct client_call){.is_direct = true}, 200);
    assert_int_equal(file.bytes, size);
    assert_memory_equal(file.text, weights, size);
    reply_free(&file);
    expect("GET", "/v1/models", "/v1/models", NULL, 200);
    expect("GET", "/v1/models/{name}", "/v1/models/best", NULL, 200);
    only_who_knows_the_model_changes_it("/v1/models/small");
    expect("PATCH", "/v1/models/{name}", "/v1/models/small", "{\"card\":7}", 422);
    model = ask("PATCH", "/v1/models/{name}", "/v1/models/small",
                "{\"card\":{\"about\":\"tiny\",\"dtypes\":null}}", 200);
    assert_string_equal(text_of(json_object_get(model.json, "card"), "about"), "tiny");
    assert_null(json_object_get(json_object_get(model.json, "card"), "dtypes"));
    reply_free(&model);

    expect("DELETE", "/v1/models/{name}", "/v1/models/small", NULL, 409);
    expect("DELETE", "/v1/models/{name}/aliases/{alias}", "/v1/models/small/aliases/best", NULL,
           204);
    expect("DELETE", "/v1/models/{name}", "/v1/models/small", NULL, 204);
    expect("GET", "/v1/models/{name}", "/v1/models/small", NULL, 404);
}

/* Waits until this many requests wait for the service's writer or its results; the time limit of
 * the test ends a wait that never succeeds. */
static void wait_for_queue(int least)
{
    for (int waiting = -1; waiting < least; usleep(1000)) {
        struct reply page = client_get(daemon_here.port, "/metrics");
        const char *line = strstr(page.text, "\nrinkd_writes_waiting ");
        assert_non_null(line);
        assert_int_equal(sscanf(line, "\nrinkd_writes_waiting %d", &waiting), 1);
        reply_free(&page);
    }
}

/* A model is deleted after a request that names it is checked, but before the request is stored. */
static void weights_that_go_meanwhile_are_missed(void **state)
{
    static const struct {
        const char *path, *body, *pointer;
    } requests[] = {
        {"/v1/jobs",
         "{\"kind\":\"match\",\"spec\":{\"a\":\"random\",\"b\":\"policy:weights=fleeting\"},"
         "\"delay_s\":3600}",
         "\"pointer\":\"/spec/b\""},
        {"/v1/jobs",
         "{\"kind\":\"tournament\",\"spec\":{\"players\":[\"random\",\"ai-simple\","
         "\"policy:weights=fleeting\"]},\"delay_s\":3600}",
         "\"pointer\":\"/spec/players/2\""},
        {"/v1/players", "{\"name\":\"forlorn\",\"spec\":\"policy:weights=fleeting\"}",
         "\"pointer\":\"/spec\""}};
    enum { REQUESTS = sizeof requests / sizeof requests[0] };
    char answer[4096];
    int asked[REQUESTS];
    struct reply model = upload("fleeting", weights, sizeof weights - 1, 201);

    (void)state;
    reply_free(&model);
    struct sqlite3 *lock = daemon_lock(&daemon_here);
    int deleted = begin("DELETE", "/v1/models/fleeting", "");
    wait_for_queue(1); /* so it is first in line */
    for (int k = 0; k < REQUESTS; k++)
        asked[k] = begin("POST", requests[k].path, requests[k].body);
    wait_for_queue(1 + REQUESTS);
    daemon_unlock(lock);
    assert_int_equal(end(deleted, sizeof answer, answer), 204);
    for (int k = 0; k < REQUESTS; k++) {
        long status = end(asked[k], sizeof answer, answer);
        if (status != 422 || !strstr(answer, requests[k].pointer))
            fail_msg("%s: %ld: %s", requests[k].body, status, answer);
        assert_non_null(strstr(answer, "no model here has the weights"));
    }
    expect("GET", "/v1/players/{name}", "/v1/players/forlorn", NULL, 404);
}

/* Weights of a buried job may be deleted; the job then cannot be kicked until they are back. */
static void a_job_whose_weights_are_gone_stays_buried(void **state)
{
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: wait=60",
                                          NULL};
    const struct client_call call = {.body =
                                         "{\"kind\":\"match\",\"spec\":{\"a\":\"random\","
                                         "\"b\":\"policy:weights=passing\"},\"max_attempts\":1}",
                                     .header = headers,
                                     .most_ms = PATIENCE_MS};
    char path[80], kick[96];

    (void)state;
    struct reply model = upload("passing", weights, sizeof weights - 1, 201);
    /* These weights are not a policy, so the program fails the job. */
    struct reply job = ask_with("POST", "/v1/jobs", "/v1/jobs", &call, 200);
    assert_string_equal(text_of(job.json, "state"), "buried");
    snprintf(path, sizeof path, "/v1/jobs/%lld",
             (long long)json_integer_value(json_object_get(job.json, "id")));
    snprintf(kick, sizeof kick, "%s/kick", path);
    reply_free(&job);

    expect("DELETE", "/v1/models/{name}", "/v1/models/passing", NULL, 204);
    job = ask("POST", "/v1/jobs/{id}/kick", kick, NULL, 409);
    assert_problem(&job, 409, "wrong-state");
    assert_non_null(strstr(text_of(job.json, "detail"), text_of(model.json, "sha256")));
    reply_free(&job);
    reply_free(&model);
    job = ask("GET", "/v1/jobs/{id}", path, NULL, 200);
    assert_string_equal(text_of(job.json, "state"), "buried");
    reply_free(&job);

    model = upload("passing", weights, sizeof weights - 1, 201);
    reply_free(&model);
    expect("POST", "/v1/jobs/{id}/kick", kick, NULL, 202);
}

static void players_get_names(void **state)
{
    (void)state;
    struct reply player = ask("POST", "/v1/players", "/v1/players",
                              "{\"name\":\"mine\",\"spec\":\"rink:simulations=200\"}", 201);
    reply_free(&player);
    expect("POST", "/v1/players", "/v1/players", "{\"name\":\"mine\",\"spec\":\"rink\"}", 409);
    expect("POST", "/v1/players", "/v1/players", "{\"name\":\"rink\",\"spec\":\"rink\"}", 409);
    refuses_field("POST", "/v1/players", "{\"name\":\"other\",\"spec\":\"rink:x=1\"}", "/spec");
    /* Such names would hide a responder, or what a run learns later. */
    refuses_field("POST", "/v1/players", "{\"name\":\"local\",\"spec\":\"rink\"}", "/name");
    refuses_field("POST", "/v1/players",
                  "{\"name\":\"0123456789abcdef0123456789abcdef.average\",\"spec\":\"rink\"}",
                  "/name");
    expect("GET", "/v1/players", "/v1/players", NULL, 200);
    expect("GET", "/v1/players/{name}", "/v1/players/rink", NULL, 200);
    expect("GET", "/v1/players/{name}", "/v1/players/mine", NULL, 200);
    expect("GET", "/v1/players/{name}", "/v1/players/none", NULL, 404);

    /* The player answers queries and appears in jobs under its spec. */
    struct reply job = ask("POST", "/v1/jobs", "/v1/jobs",
                           "{\"kind\":\"match\",\"dry_run\":true,\"spec\":{\"a\":\"mine\","
                           "\"b\":\"random\"}}",
                           200);
    assert_string_equal(text_of(json_object_get(job.json, "spec"), "a"), "rink:simulations=200");
    reply_free(&job);
    struct reply shot = ask("POST", "/v1/shots", "/v1/shots", QUERY(",\"player\":\"mine\""), 200);
    reply_free(&shot);
    expect("DELETE", "/v1/players/{name}", "/v1/players/mine", NULL, 204);
    expect("DELETE", "/v1/players/{name}", "/v1/players/rink", NULL, 409);
}

/* tests/cluster asks for nodes and blobs. */
static bool is_not_of_jobs(const char *contract_path)
{
    return !is_of_jobs(contract_path) && strncmp(contract_path, "/v1/nodes", 9) != 0 &&
           strncmp(contract_path, "/v1/blobs", 9) != 0;
}

static void every_operation_of_the_contract_was_called(void **state)
{
    (void)state;
    contract_assert_all_met(200, 205, is_not_of_jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_service_reports_its_version),
        cmocka_unit_test(the_dashboard_is_served),
        cmocka_unit_test(profiles_are_described),
        cmocka_unit_test(published_results_can_be_repeated),
        cmocka_unit_test(the_contract_has_the_schemas_that_are_served),
        cmocka_unit_test(kinds_of_jobs_are_described),
        cmocka_unit_test(unchanged_resources_are_not_sent_again),
        cmocka_unit_test(shots_are_answered),
        cmocka_unit_test(a_history_tells_the_opponents_style),
        cmocka_unit_test(shots_can_be_fetched_later),
        cmocka_unit_test(maps_are_drawn_from_coarse_to_fine),
        cmocka_unit_test(calls_are_compared),
        cmocka_unit_test(positions_are_judged),
        cmocka_unit_test(shots_are_thrown),
        cmocka_unit_test(hands_are_estimated),
        cmocka_unit_test(hands_of_people_are_compared_and_used),
        cmocka_unit_test(positions_are_kept_changed_and_deleted),
        cmocka_unit_test(webhooks_are_added_tested_and_deleted),
        cmocka_unit_test(weights_are_kept_and_given_back),
        cmocka_unit_test(weights_that_go_meanwhile_are_missed),
        cmocka_unit_test(a_job_whose_weights_are_gone_stays_buried),
        cmocka_unit_test(players_get_names),
        cmocka_unit_test(one_backup_is_made_at_a_time),
        cmocka_unit_test(every_operation_of_the_contract_was_called),
    };
    return cmocka_run_group_tests(tests, start_all, daemon_end_here);
}
