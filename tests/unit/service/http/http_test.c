/* The HTTP server: how it reads requests, and how it answers whom. */
#include "tests/unit/service/http/http_rig.h"

/* ---- targets and routes ---- */

static void parts_and_parameters_are_decoded(void **state)
{
    struct reply reply =
        client_get(http_rig.port, "/args/a%20b/%C3%A9?x=1+2%2B&limit=7&cursor=args-c");

    (void)state;
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "a"), "a b");
    assert_string_equal(reply_text(&reply, "b"), "\xc3\xa9");
    assert_string_equal(reply_text(&reply, "x"), "1 2+");
    assert_int_equal(json_integer_value(json_object_get(reply.json, "limit")), 7);
    reply_free(&reply);
}

static void bad_targets_are_refused(void **state)
{
    static const char *const bad[] = {
        "/args/%zz/b",         "/args/%00/b",        "/args/%ff/b",       "/args/a%0ab/c",
        "/args/a/b?x=%f",      "/args/a/b?y=1",      "/args/a/b?x=1&x=2", "/args/a/b?limit=0",
        "/args/a/b?limit=501", "/args/a/b?limit=1x", "/args/a/b?limit="};

    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct reply reply = client_get(http_rig.port, bad[k]);
        assert_problem(&reply, 400, "bad-parameter");
        reply_free(&reply);
    }
}

static void unknown_paths_are_not_found(void **state)
{
    static const char *const unknown[] = {"/",           "/args",    "/args/a",
                                          "/args/a/b/c", "/args//b", "/echo/",
                                          "/id/0",       "/id/x",    "/id/9223372036854775808",
                                          "/id/1%2f"};

    (void)state;
    for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++) {
        struct reply reply = client_get(http_rig.port, unknown[k]);
        assert_problem(&reply, 404, "not-found");
        reply_free(&reply);
    }
}

static void other_methods_get_the_list_of_methods(void **state)
{
    char allow[64];
    struct reply reply =
        client_call(http_rig.port, &(struct client_call){.method = "PUT", .path = "/echo"});

    (void)state;
    assert_problem(&reply, 405, "method-not-allowed");
    assert_string_equal(reply_header(&reply, "Allow", sizeof allow, allow),
                        "POST, DELETE, OPTIONS");
    reply_free(&reply);
    reply = client_call(http_rig.port, &(struct client_call){.method = "OPTIONS", .path = "/id/1"});
    assert_int_equal(reply.status, 204);
    assert_string_equal(reply_header(&reply, "Allow", sizeof allow, allow), "GET, HEAD, OPTIONS");
    reply_free(&reply);
    reply = client_call(http_rig.port, &(struct client_call){.method = "HEAD", .path = "/id/1"});
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply.bytes, 0);
    assert_string_not_equal(reply_header(&reply, "ETag", sizeof allow, allow), "");
    reply_free(&reply);
}

static void the_request_id_is_the_clients_or_ours(void **state)
{
    static const char *const good[] = {"X-Request-Id: my-1", NULL};
    static const char *const bad[] = {"X-Request-Id: \"} x", NULL};
    char id[64];
    struct reply reply =
        client_call(http_rig.port, &(struct client_call){.path = "/id/1", .header = good});

    (void)state;
    assert_string_equal(reply_header(&reply, "X-Request-Id", sizeof id, id), "my-1");
    reply_free(&reply);
    reply = client_call(http_rig.port, &(struct client_call){.path = "/id/1", .header = bad});
    assert_int_equal(strlen(reply_header(&reply, "X-Request-Id", sizeof id, id)), 24);
    reply_free(&reply);
}

static void a_known_etag_gives_304(void **state)
{
    struct reply reply = client_get(http_rig.port, "/id/5");
    char tag[80], header[120];
    const char *headers[] = {header, NULL};

    (void)state;
    reply_header(&reply, "ETag", sizeof tag, tag);
    reply_free(&reply);
    snprintf(header, sizeof header, "If-None-Match: \"other\", W/%s", tag);
    reply = client_call(http_rig.port, &(struct client_call){.path = "/id/5", .header = headers});
    assert_int_equal(reply.status, 304);
    assert_int_equal(reply.bytes, 0);
    reply_free(&reply);
    reply = client_call(http_rig.port, &(struct client_call){.path = "/id/6", .header = headers});
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
}

static void zero_or_two_answers_give_500(void **state)
{
    struct reply reply = client_get(http_rig.port, "/nothing");

    (void)state;
    assert_problem(&reply, 500, "internal");
    reply_free(&reply);
    reply = client_get(http_rig.port, "/twice");
    assert_problem(&reply, 500, "internal");
    reply_free(&reply);
}

/* ---- bodies ---- */

static void a_body_is_json_of_that_type(void **state)
{
    static const char *const form[] = {"Content-Type: application/x-www-form-urlencoded", NULL};
    static const char *const coded[] = {"Content-Type: application/json", "Content-Encoding: gzip",
                                        NULL};
    static const char *const more[] = {"Content-Type: Application/JSON; charset=utf-8", NULL};
    static const char *const chunked[] = {"Content-Type: application/problem+json",
                                          "Transfer-Encoding: chunked", NULL};
    struct client_call call = {.method = "POST", .path = "/echo", .body = "{\"a\":[1]}"};
    struct reply reply = client_call(http_rig.port, &call);

    (void)state;
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.text, "{\"a\":[1]}\n");
    reply_free(&reply);
    call.header = more;
    reply = client_call(http_rig.port, &call);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    call.header = chunked;
    reply = client_call(http_rig.port, &call);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    call.header = form;
    reply = client_call(http_rig.port, &call);
    assert_problem(&reply, 415, "media-type");
    reply_free(&reply);
    call.header = coded;
    reply = client_call(http_rig.port, &call);
    assert_problem(&reply, 415, "media-type");
    reply_free(&reply);
}

/* JSON Schema takes 1.0 for a whole number. */
static void a_number_without_a_fraction_is_whole(void **state)
{
    (void)state;
    struct reply reply =
        client_post(http_rig.port, "/echo",
                    "{\"a\":1.0,\"b\":[-2e1,0.5,-0.0,{\"c\":9007199254740992.0}],\"e\":0.0}");
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.text,
                        "{\"a\":1,\"b\":[-20,0.5,-0.0,{\"c\":9007199254740992}],\"e\":0}\n");
    reply_free(&reply);
}

static void broken_bodies_are_refused(void **state)
{
    static const char *const bad[] = {"", "{", "{\"a\":1,\"a\":2}", "{\"a\":NaN}", "\xff", "{} {}"};
    char deep[2 * 10000 + 1];

    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct reply reply = client_post(http_rig.port, "/echo", bad[k]);
        assert_problem(&reply, 400, "bad-json");
        reply_free(&reply);
    }
    memset(deep, '[', 10000);
    memset(deep + 10000, ']', 10000);
    deep[20000] = '\0';
    struct reply reply = client_post(http_rig.port, "/echo", deep);
    assert_problem(&reply, 400, "bad-json");
    reply_free(&reply);
    reply = client_call(http_rig.port,
                        &(struct client_call){.method = "DELETE", .path = "/echo", .body = "{}"});
    assert_problem(&reply, 400, "bad-json");
    reply_free(&reply);
}

static void an_optional_body_may_be_missing(void **state)
{
    struct reply reply =
        client_call(http_rig.port, &(struct client_call){.method = "POST", .path = "/maybe"});

    (void)state;
    assert_string_equal(reply.text, "null\n");
    reply_free(&reply);
    reply = client_post(http_rig.port, "/maybe", "{\"a\":1}");
    assert_string_equal(reply.text, "{\"a\":1}\n");
    reply_free(&reply);
    reply = client_call(http_rig.port, &(struct client_call){.method = "POST", .path = "/echo"});
    assert_problem(&reply, 411, "length-required");
    reply_free(&reply);
}

static void large_bodies_are_refused(void **state)
{
    static const char *const chunked[] = {"Content-Type: application/json",
                                          "Expect:", "Transfer-Encoding: chunked", NULL};
    size_t size = 8u << 20;
    char *body = malloc(size + 1);
    struct client_call call = {.method = "POST", .path = "/echo", .body = body};

    (void)state;
    assert_non_null(body);
    memset(body, ' ', size);
    body[size] = '\0';
    memcpy(body, "{}", 2);
    call.bytes = HTTP_BODY_MAX;
    struct reply reply = client_call(http_rig.port, &call);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    call.bytes = HTTP_BODY_MAX + 1;
    reply = client_call(http_rig.port, &call);
    assert_problem(&reply, 413, "too-large");
    reply_free(&reply);
    call.header = chunked; /* the size shows only on arrival */
    reply = client_call(http_rig.port, &call);
    assert_problem(&reply, 413, "too-large");
    reply_free(&reply);
    call.bytes = size; /* larger than what the server reads to be polite */
    reply = client_call(http_rig.port, &call);
    assert_true(reply.status == 413 || reply.status == 0);
    reply_free(&reply);
    free(body);
    reply = client_get(http_rig.port, "/id/1");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
}

static void large_heads_are_refused(void **state)
{
    char header[30000];
    const char *headers[] = {header, NULL};

    (void)state;
    memset(header, 'a', sizeof header);
    memcpy(header, "X-A: ", 5);
    header[15000] = '\0';
    struct reply reply =
        client_call(http_rig.port, &(struct client_call){.path = "/id/1", .header = headers});
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    header[15000] = 'a';
    header[20000] = '\0';
    reply = client_call(http_rig.port, &(struct client_call){.path = "/id/1", .header = headers});
    assert_problem(&reply, 431, "headers-too-large");
    reply_free(&reply);
}

/* libmicrohttpd answers this itself, and may close the connection while we still send. */
static void a_huge_head_is_refused(void **state)
{
    size_t size = 1u << 20;
    char *head = malloc(size);

    (void)state;
    assert_non_null(head);
    memset(head, 'a', size);
    memcpy(head, "GET /id/1 HTTP/1.1\r\nHost: [::1]\r\nX: ", 37);
    char *answer = client_raw(http_rig.port, head, size, 5000);
    assert_true(strncmp(answer, "HTTP/1.1 431 ", 13) == 0 || *answer == '\0');
    free(answer);
    free(head);
    struct reply reply = client_get(http_rig.port, "/id/1");
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
}

static void an_upload_is_hashed_and_removed(void **state)
{
    static const char *const any[] = {"Content-Type: application/octet-stream", NULL};
    char command[4300];
    struct client_call call = {
        .method = "PUT", .path = "/file", .body = "abc", .bytes = 3, .header = any};
    struct reply reply = client_call(http_rig.port, &call);

    (void)state;
    assert_int_equal(reply.status, 201);
    /* FIPS 180-2, B.1 */
    assert_string_equal(reply_text(&reply, "sha256"),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    reply_free(&reply);
    snprintf(command, sizeof command, "! ls '%s' | grep upload", http_rig.config.data);
    assert_int_equal(system(command), 0);
}

static void a_file_comes_whole_or_in_ranges(void **state)
{
    static const struct {
        const char *range, *text;
        long status;
    } cases[] = {{"X: y", "0123456789", 200},
                 {"Range: bytes=2-4", "234", 206},
                 {"Range: bytes=7-", "789", 206},
                 {"Range: bytes=-3", "789", 206},
                 {"Range: bytes=8-99", "89", 206},
                 {"Range: bytes=4-2", "0123456789", 200},
                 {"Range: bytes=5--3", "0123456789", 200},
                 {"Range: bytes=1-2,4-5", "0123456789", 200}};
    char path[4200];

    (void)state;
    snprintf(path, sizeof path, "%s/ten", http_rig.config.data);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs("0123456789", file);
    fclose(file);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *headers[] = {cases[k].range, NULL};
        struct reply reply = client_call(
            http_rig.port, &(struct client_call){.path = "/file/ten", .header = headers});
        assert_int_equal(reply.status, cases[k].status);
        assert_string_equal(reply.text, cases[k].text);
        reply_free(&reply);
    }
    struct reply reply = client_get(http_rig.port, "/file/none");
    assert_problem(&reply, 404, "not-found");
    reply_free(&reply);
}

static void a_range_behind_the_end_of_a_file_is_refused(void **state)
{
    static const char *const ranges[] = {"Range: bytes=10-", "Range: bytes=10-12",
                                         "Range: bytes=-0", "Range: bytes=99999999999999999999-"};
    char path[4200], range[64];

    (void)state;
    snprintf(path, sizeof path, "%s/nine", http_rig.config.data);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs("012345678", file);
    fclose(file);
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
        const char *headers[] = {ranges[k], NULL};
        struct reply reply = client_call(
            http_rig.port, &(struct client_call){.path = "/file/nine", .header = headers});
        assert_problem(&reply, 416, "range-not-satisfiable");
        assert_string_equal(reply_header(&reply, "Content-Range", sizeof range, range),
                            "bytes */9");
        reply_free(&reply);
    }
}

/* ---- tokens ---- */

static void tokens_open_what_they_are_for(void **state)
{
    static const char *const right[] = {"Authorization: Bearer abc", NULL};
    static const char *const wrong[] = {"Authorization: Bearer abd", NULL};
    static const char *const basic[] = {"Authorization: Basic YWJj", NULL};
    char value[64];
    struct reply reply = client_get(http_rig.port, "/id/1");

    (void)state;
    assert_problem(&reply, 401, "unauthorized");
    assert_string_equal(reply_header(&reply, "WWW-Authenticate", sizeof value, value), "Bearer");
    reply_free(&reply);
    reply = client_call(http_rig.port, &(struct client_call){.path = "/id/1", .header = wrong});
    assert_problem(&reply, 401, "unauthorized");
    reply_free(&reply);
    reply = client_call(http_rig.port, &(struct client_call){.path = "/id/1", .header = basic});
    assert_problem(&reply, 401, "unauthorized");
    reply_free(&reply);
    reply = client_call(http_rig.port, &(struct client_call){.path = "/id/1", .header = right});
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    reply = client_call(
        http_rig.port, &(struct client_call){.method = "DELETE", .path = "/echo", .header = right});
    assert_problem(&reply, 403, "forbidden");
    reply_free(&reply);
    reply = client_get(http_rig.port, "/args/a/b"); /* needs no token */
    assert_string_equal(reply_text(&reply, "caller"), "anonymous");
    reply_free(&reply);
    reply = client_call(http_rig.port, &(struct client_call){.path = "/args/a/b", .header = right});
    assert_string_equal(reply_text(&reply, "caller"), "ann");
    reply_free(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HTTP_TEST(parts_and_parameters_are_decoded),
        HTTP_TEST(bad_targets_are_refused),
        HTTP_TEST(unknown_paths_are_not_found),
        HTTP_TEST(other_methods_get_the_list_of_methods),
        HTTP_TEST(the_request_id_is_the_clients_or_ours),
        HTTP_TEST(a_known_etag_gives_304),
        HTTP_TEST(zero_or_two_answers_give_500),
        HTTP_TEST(a_body_is_json_of_that_type),
        HTTP_TEST(a_number_without_a_fraction_is_whole),
        HTTP_TEST(broken_bodies_are_refused),
        HTTP_TEST(an_optional_body_may_be_missing),
        HTTP_TEST(large_bodies_are_refused),
        HTTP_TEST(large_heads_are_refused),
        HTTP_TEST(a_huge_head_is_refused),
        HTTP_TEST(an_upload_is_hashed_and_removed),
        HTTP_TEST(a_file_comes_whole_or_in_ranges),
        HTTP_TEST(a_range_behind_the_end_of_a_file_is_refused),
        cmocka_unit_test_setup_teardown(tokens_open_what_they_are_for, http_rig_start_with_tokens,
                                        http_rig_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
