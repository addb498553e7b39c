/* See client.h. */
#include "tests/api/client.h"

#include "tests/patience.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

struct text {
    char *bytes;
    size_t size;
};

static size_t add(char *bytes, size_t one, size_t size, void *context)
{
    struct text *text = context;
    char *more = realloc(text->bytes, text->size + size + 1);

    (void)one;
    if (!more)
        return 0;
    text->bytes = more;
    memcpy(more + text->size, bytes, size);
    text->size += size;
    more[text->size] = '\0';
    return size;
}

struct reply client_call(int port, const struct client_call *call)
{
    struct text head = {0}, body = {0};
    struct curl_slist *headers = NULL;
    const char *method = call->method ? call->method : "GET";
    const char *proxy = call->is_direct ? NULL : getenv("RINKD_TEST_PROXY");
    char url[4096];
    CURL *curl = curl_easy_init();

    assert_non_null(curl);
    if (proxy) { /* a proxy does not know that rinkd needs no token here */
        port = atoi(proxy);
        headers = curl_slist_append(headers, "Authorization: Bearer none");
    }
    snprintf(url, sizeof url, "http://127.0.0.1:%d%s", port, call->path);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, call->most_ms ? call->most_ms : (long)PATIENCE_MS);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, add);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, add);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &head);
    if (strcmp(method, "HEAD") == 0)
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    else
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    if (call->body) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                         (curl_off_t)(call->bytes ? call->bytes : strlen(call->body)));
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, call->body);
        if (!call->header)
            headers = curl_slist_append(headers, "Content-Type: application/json");
    }
    for (const char *const *header = call->header; header && *header; header++)
        headers = curl_slist_append(headers, *header);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_perform(curl); /* the reply shows any error */

    struct reply reply = {.head = head.bytes, .text = body.bytes, .bytes = body.size};
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &reply.status);
    if (!reply.head)
        reply.head = strdup("");
    if (!reply.text)
        reply.text = strdup("");
    reply.json = json_loadb(reply.text, reply.bytes, JSON_DECODE_ANY, NULL);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return reply;
}

struct reply client_ask(int port, const struct client_call *call, long status)
{
    struct reply reply = client_call(port, call);

    if (reply.status != status)
        fail_msg("%s: %ld, not %ld: %s", call->path, reply.status, status, reply.text);
    return reply;
}

json_int_t client_whole(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_integer(value))
        fail_msg("%s is missing or no whole number", key);
    return json_integer_value(value);
}

struct reply client_get(int port, const char *path)
{
    return client_call(port, &(struct client_call){.path = path});
}

struct reply client_post(int port, const char *path, const char *body)
{
    return client_call(port, &(struct client_call){.method = "POST", .path = path, .body = body});
}

void reply_free(struct reply *reply)
{
    free(reply->head);
    free(reply->text);
    json_decref(reply->json);
}

const char *reply_header(const struct reply *reply, const char *name, size_t size, char *ret_value)
{
    size_t length = strlen(name);

    ret_value[0] = '\0';
    for (const char *line = reply->head; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncasecmp(line, name, length) != 0 || line[length] != ':')
            continue;
        line += length + 1;
        line += strspn(line, " ");
        snprintf(ret_value, size, "%.*s", (int)strcspn(line, "\r\n"), line);
        break;
    }
    return ret_value;
}

void assert_problem(const struct reply *reply, long status, const char *slug)
{
    char value[128];

    if (reply->status != status)
        print_error("status %ld, not %ld: %s\n", reply->status, status, reply->text);
    assert_int_equal(reply->status, status);
    assert_string_equal(reply_header(reply, "Content-Type", sizeof value, value),
                        "application/problem+json");
    snprintf(value, sizeof value, "/problems/%s", slug);
    assert_string_equal(json_string_value(json_object_get(reply->json, "type")), value);
    assert_int_equal(json_integer_value(json_object_get(reply->json, "status")), status);
    assert_non_null(json_string_value(json_object_get(reply->json, "title")));
    assert_string_equal(json_string_value(json_object_get(reply->json, "instance")),
                        reply_header(reply, "X-Request-Id", sizeof value, value));
}

int client_connect(int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

char *client_raw(int port, const void *bytes, size_t size, int most_ms)
{
    int fd = client_connect(port);
    int64_t end_ms = now_ms() + most_ms;
    const char *rest = bytes;
    struct text answer = {0};
    char block[4096];

    add(block, 1, 0, &answer);
    while (size > 0) {
        ssize_t done = send(fd, rest, size, MSG_NOSIGNAL);
        if (done <= 0)
            break; /* the server has already answered why */
        rest += done;
        size -= (size_t)done;
    }
    for (int64_t left; (left = end_ms - now_ms()) > 0;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (poll(&wait, 1, (int)left) != 1)
            break;
        ssize_t got = recv(fd, block, sizeof block, 0);
        if (got <= 0)
            break;
        add(block, 1, (size_t)got, &answer);
    }
    close(fd);
    return answer.bytes;
}
