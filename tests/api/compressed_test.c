/* Answers are compressed only for clients that accept compression. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#define LONG_PATH  "/openapi.yaml"
#define SHORT_PATH "/v1/version"

static struct daemon_process daemon_;

static int prepare(void **state)
{
    int status = 0;

    (void)state;
    daemon_prepare(&daemon_);
    return daemon_start(&daemon_, NULL, &status) ? 0 : -1;
}

static int tidy(void **state)
{
    (void)state;
    return daemon_end_well(&daemon_) ? 0 : -1;
}

/* Headers: "Accept-Encoding: …" and one more, or NULL. Bypasses the proxy, which may negotiate
 * encodings itself. */
static struct reply ask(const char *method, const char *path, const char *accept, const char *more)
{
    const char *const headers[] = {accept, more, NULL};
    const struct client_call call = {
        .method = method, .path = path, .header = headers, .is_direct = true};

    return client_call(daemon_.port, &call);
}

static bool is_gzip(const struct reply *reply)
{
    char value[32];

    return strcmp(reply_header(reply, "Content-Encoding", sizeof value, value), "gzip") == 0;
}

static void a_long_answer_is_the_same_in_fewer_bytes(void **state)
{
    (void)state;
    struct reply plain = client_get(daemon_.port, LONG_PATH);
    struct reply packed = ask("GET", LONG_PATH, "Accept-Encoding: br;q=1.0, gzip;q=0.8", NULL);
    char value[64], *text = malloc(plain.bytes + 1);
    z_stream stream = {.next_in = (unsigned char *)packed.text,
                       .avail_in = (uInt)packed.bytes,
                       .next_out = (unsigned char *)text,
                       .avail_out = (uInt)plain.bytes + 1};

    assert_non_null(text);
    assert_int_equal(plain.status, 200);
    assert_false(is_gzip(&plain));
    assert_true(is_gzip(&packed));
    assert_true(packed.bytes < plain.bytes / 2);
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.total_out, plain.bytes);
    assert_memory_equal(text, plain.text, plain.bytes);
    inflateEnd(&stream);
    /* Vary tells caches that two versions exist. */
    assert_string_equal(reply_header(&plain, "Vary", sizeof value, value), "Accept-Encoding");
    assert_string_equal(reply_header(&packed, "Vary", sizeof value, value), "Accept-Encoding");
    reply_free(&plain);
    reply_free(&packed);
    free(text);
}

static void unacceptable_types_are_refused(void **state)
{
    static const char *const refusals[] = {
        "Accept-Encoding: gzip;q=0", "Accept-Encoding: gzip; q=0.000", "Accept-Encoding: identity",
        "Accept-Encoding: br, zstd", "Accept-Encoding: *, gzip;q=0",   "Accept-Encoding: gzipped",
        "Accept-Encoding: *;q=0"};
    static const char *const wishes[] = {"Accept-Encoding: GZIP", "Accept-Encoding: *",
                                         "Accept-Encoding: deflate,gzip",
                                         "Accept-Encoding: gzip;q=0.01"};

    (void)state;
    for (size_t k = 0; k < sizeof refusals / sizeof refusals[0]; k++) {
        struct reply reply = ask("GET", LONG_PATH, refusals[k], NULL);
        assert_int_equal(reply.status, 200);
        if (is_gzip(&reply))
            fail_msg("%s", refusals[k]);
        reply_free(&reply);
    }
    for (size_t k = 0; k < sizeof wishes / sizeof wishes[0]; k++) {
        struct reply reply = ask("GET", LONG_PATH, wishes[k], NULL);
        if (!is_gzip(&reply))
            fail_msg("%s", wishes[k]);
        reply_free(&reply);
    }
    struct reply reply = ask("GET", SHORT_PATH, "Accept-Encoding: gzip", NULL);
    assert_false(is_gzip(&reply));
    assert_non_null(reply.json);
    reply_free(&reply);
}

static void a_compressed_answer_has_a_tag_for_304(void **state)
{
    char tag[80], header[120];

    (void)state;
    struct reply first = ask("GET", LONG_PATH, "Accept-Encoding: gzip", NULL);
    reply_header(&first, "ETag", sizeof tag, tag);
    assert_memory_equal(tag, "W/\"", 3); /* weak: the compressed bytes differ */
    snprintf(header, sizeof header, "If-None-Match: %s", tag);
    struct reply second = ask("GET", LONG_PATH, "Accept-Encoding: gzip", header);
    assert_int_equal(second.status, 304);
    assert_int_equal(second.bytes, 0);
    struct reply head = ask("HEAD", LONG_PATH, "Accept-Encoding: gzip", NULL);
    char length[32], wanted[32];
    snprintf(wanted, sizeof wanted, "%zu", first.bytes);
    assert_string_equal(reply_header(&head, "Content-Length", sizeof length, length), wanted);
    reply_free(&first);
    reply_free(&second);
    reply_free(&head);
}

/* An Idempotency-Key stores the answer as text, whatever encoding it was sent in. */
static void a_repeated_answer_is_readable(void **state)
{
    static const char body[] =
        "{\"kind\":\"train\",\"spec\":{\"iterations\":1,\"seeds\":[1,2,3,4,5,6,"
        "7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28]}}";
    static const char *const packed[] = {"Content-Type: application/json", "Idempotency-Key: one",
                                         "Accept-Encoding: gzip", NULL};
    static const char *const plain[] = {"Content-Type: application/json", "Idempotency-Key: one",
                                        NULL};

    (void)state;
    struct reply first = client_call(daemon_.port, &(struct client_call){.method = "POST",
                                                                         .path = "/v1/jobs",
                                                                         .body = body,
                                                                         .header = packed,
                                                                         .is_direct = true});
    struct reply again = client_call(daemon_.port, &(struct client_call){.method = "POST",
                                                                         .path = "/v1/jobs",
                                                                         .body = body,
                                                                         .header = plain,
                                                                         .is_direct = true});
    assert_int_equal(first.status, 202);
    assert_true(is_gzip(&first));
    assert_int_equal(again.status, 202);
    assert_false(is_gzip(&again));
    assert_int_equal(json_array_size(json_object_get(again.json, "runs")), 28);
    reply_free(&first);
    reply_free(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_answer_is_the_same_in_fewer_bytes),
        cmocka_unit_test(unacceptable_types_are_refused),
        cmocka_unit_test(a_compressed_answer_has_a_tag_for_304),
        cmocka_unit_test(a_repeated_answer_is_readable),
    };
    return cmocka_run_group_tests(tests, prepare, tidy);
}
