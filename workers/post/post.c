/* Requests with libcurl's multi interface. See post.h. */
#include "workers/post/post.h"

#include "api/base/build_json.h"

#include <curl/curl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAIT_MS = 1000 };

struct post {
    CURLM *multi;
    enum webhook_addresses rule;
    struct request *requests; /* those under way */
};

struct request {
    struct post *post;
    struct request *next, **place; /* in the list; *place is this one */
    CURL *easy;
    struct curl_slist *headers;
    json_int_t id;
    size_t answer_bytes;
    char why[WEBHOOK_WHY_MAX];   /* why an address was refused */
    char error[CURL_ERROR_SIZE]; /* of libcurl */
};

struct post *post_new(enum webhook_addresses rule)
{
    struct post *post = calloc(1, sizeof *post);

    if (post && !(post->multi = curl_multi_init())) {
        free(post);
        post = NULL;
    }
    if (post)
        post->rule = rule;
    return post;
}

static void request_free(struct request *request)
{
    *request->place = request->next;
    if (request->next)
        request->next->place = request->place;
    if (request->easy) {
        curl_multi_remove_handle(request->post->multi, request->easy);
        curl_easy_cleanup(request->easy);
    }
    curl_slist_free_all(request->headers);
    free(request);
}

void post_free(struct post *post)
{
    if (!post)
        return;
    while (post->requests)
        request_free(post->requests);
    curl_multi_cleanup(post->multi);
    free(post);
}

/* ---- one request ---- */

/* Every address is checked when it is connected to: a name may mean another one each time. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct request *request = context;

    (void)purpose;
    if (!webhook_address_is_allowed(request->post->rule, &address->addr, request->why))
        return CURL_SOCKET_BAD;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static size_t take_answer(char *bytes, size_t size, size_t count, void *context)
{
    struct request *request = context;

    (void)bytes;
    request->answer_bytes += size * count;
    return request->answer_bytes <= WEBHOOK_ANSWER_MAX ? size * count : 0;
}

static bool add_header(struct request *request, const char *text)
{
    struct curl_slist *longer = text ? curl_slist_append(request->headers, text) : NULL;

    if (longer)
        request->headers = longer;
    return longer != NULL;
}

static bool add_headers(struct request *request, const json_t *list)
{
    const json_t *text;
    size_t k;
    bool good =
        add_header(request, "Content-Type: application/json") && add_header(request, "Expect:");

    json_array_foreach(list, k, text) good = good && add_header(request, json_string_value(text));
    return good;
}

static bool set_up(struct request *request, const json_t *line)
{
    CURL *easy = request->easy;
    const json_t *body = json_object_get(line, "body");
    const char *url = json_string_value(json_object_get(line, "url"));

    return url && json_is_string(body) && json_is_integer(json_object_get(line, "id")) &&
           add_headers(request, json_object_get(line, "headers")) &&
           curl_easy_setopt(easy, CURLOPT_URL, url) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_USERAGENT, "rinkd/" RINKD_VERSION) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, (long)WEBHOOK_CONNECT_S) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_TIMEOUT, (long)WEBHOOK_TIMEOUT_S) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTPHEADER, request->headers) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)json_string_length(body)) ==
               CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, json_string_value(body)) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, request) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEDATA, request) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, request->error) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PRIVATE, request) == CURLE_OK &&
           curl_multi_add_handle(request->post->multi, easy) == CURLM_OK;
}

bool post_begin(struct post *post, const json_t *line)
{
    struct request *request = calloc(1, sizeof *request);

    if (!request)
        return false;
    request->post = post;
    request->place = &post->requests;
    request->next = post->requests;
    if (request->next)
        request->next->place = &request->next;
    post->requests = request;
    request->id = json_integer_value(json_object_get(line, "id"));
    request->easy = curl_easy_init();
    if (request->easy && set_up(request, line))
        return true;
    request_free(request);
    return false;
}

/* ---- all of them ---- */

bool post_wait(struct post *post, int fd)
{
    struct curl_waitfd own = {.fd = fd, .events = CURL_WAIT_POLLIN};
    int running;

    curl_multi_perform(post->multi, &running);
    curl_multi_poll(post->multi, &own, 1, WAIT_MS, NULL);
    curl_multi_perform(post->multi, &running);
    return own.revents != 0;
}

/* Why no status came; NULL: one came. An answer that is too long is an answer. */
static const char *failure_of(const struct request *request, CURLcode result, long status)
{
    if (result == CURLE_OK || (status > 0 && request->answer_bytes > WEBHOOK_ANSWER_MAX))
        return NULL;
    if (request->why[0])
        return request->why;
    return request->error[0] ? request->error : curl_easy_strerror(result);
}

json_t *post_ended(struct post *post, bool *ret_good)
{
    const CURLMsg *message;
    struct request *request = NULL;
    curl_off_t retry_after_s = 0;
    long status = 0;
    int left;

    *ret_good = true;
    do
        message = curl_multi_info_read(post->multi, &left);
    while (message && message->msg != CURLMSG_DONE);
    if (!message)
        return NULL;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &request);
    curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(message->easy_handle, CURLINFO_RETRY_AFTER, &retry_after_s);
    const char *why = failure_of(request, message->data.result, status);
    json_t *answer = json_pack("{s:I, s:I, s:s?, s:I}", "id", request->id, "status",
                               (json_int_t)(why ? 0 : status), "reason", why, "retry_after_s",
                               (json_int_t)retry_after_s);
    request_free(request);
    *ret_good = answer != NULL;
    return answer;
}
