/* Requests with libcurl's multi interface. See client.h. */
#include "workers/node/client.h"

#include "api/base/load_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANSWER_MAX = 8 << 20, CONNECT_S = 10, SILENCE_S = 60, REASON_MAX = 600 };

struct client {
    CURLM *multi;
    char *url, *ca_file;
    struct curl_slist *authorization; /* NULL: no token */
    struct request *requests;         /* those under way */
};

struct request {
    struct client *client;
    struct request *next, **place; /* in the list; *place is this one */
    CURL *easy;
    struct curl_slist *headers;
    char *body; /* JSON that is sent */
    int file;   /* -1: none */
    int64_t at, left;
    bool is_get;
    client_done *done;
    void *context;
    char *answer; /* what came, but not to a file */
    size_t length;
    char error[CURL_ERROR_SIZE];
};

struct client *client_new(const struct client_settings *settings)
{
    struct client *client = calloc(1, sizeof *client);
    char *header = NULL;

    if (!client)
        return NULL;
    client->multi = curl_multi_init();
    client->url = strdup(settings->url);
    client->ca_file = settings->ca_file ? strdup(settings->ca_file) : NULL;
    bool good = client->multi && client->url && (!settings->ca_file || client->ca_file);
    if (good && *settings->token) {
        good = asprintf(&header, "Authorization: Bearer %s", settings->token) >= 0 &&
               (client->authorization = curl_slist_append(NULL, header)) != NULL;
        free(header);
    }
    if (good)
        return client;
    client_free(client);
    return NULL;
}

static void request_free(struct request *request)
{
    *request->place = request->next;
    if (request->next)
        request->next->place = request->place;
    if (request->easy) {
        curl_multi_remove_handle(request->client->multi, request->easy);
        curl_easy_cleanup(request->easy);
    }
    curl_slist_free_all(request->headers);
    free(request->body);
    free(request->answer);
    free(request);
}

void client_free(struct client *client)
{
    if (!client)
        return;
    while (client->requests)
        request_free(client->requests);
    if (client->multi)
        curl_multi_cleanup(client->multi);
    curl_slist_free_all(client->authorization);
    free(client->url);
    free(client->ca_file);
    free(client);
}

/* ---- bytes ---- */

static bool write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done = write(file, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

static size_t take_answer(char *bytes, size_t size, size_t count, void *context)
{
    struct request *request = context;
    long status = 0;

    size *= count;
    curl_easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &status);
    /* A whole answer to a question for the rest of a file would be appended to its start. */
    if (request->is_get && request->file >= 0 && (status == 206 || (status == 200 && !request->at)))
        return write_all(request->file, bytes, size) ? size : 0;
    if (size > ANSWER_MAX - request->length)
        return 0;
    char *longer = realloc(request->answer, request->length + size + 1);
    if (!longer)
        return 0;
    request->answer = longer;
    memcpy(longer + request->length, bytes, size);
    request->length += size;
    longer[request->length] = '\0';
    return size;
}

static size_t give_piece(char *bytes, size_t size, size_t count, void *context)
{
    struct request *request = context;
    size_t most = size * count;

    if ((int64_t)most > request->left)
        most = (size_t)request->left;
    ssize_t got = most > 0 ? pread(request->file, bytes, most, (off_t)request->at) : 0;
    if (got < 0 || (got == 0 && most > 0))
        return CURL_READFUNC_ABORT;
    request->at += got;
    request->left -= got;
    return (size_t)got;
}

/* ---- beginning ---- */

static bool add_header(struct request *request, const char *text)
{
    struct curl_slist *longer = curl_slist_append(request->headers, text);

    if (longer)
        request->headers = longer;
    return longer != NULL;
}

/* What the three verbs differ in. */
static bool set_verb(struct request *request, const struct client_call *call)
{
    CURL *easy = request->easy;
    char text[128];

    switch (call->verb) {
    case CLIENT_POST:
        request->body = json_dumps(call->body, JSON_COMPACT);
        return request->body && add_header(request, "Content-Type: application/json") &&
               curl_easy_setopt(easy, CURLOPT_POST, 1L) == CURLE_OK &&
               curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                                (curl_off_t)strlen(request->body)) == CURLE_OK &&
               curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request->body) == CURLE_OK;
    case CLIENT_PUT:
        request->file = call->file;
        request->at = call->from;
        request->left = call->bytes;
        snprintf(text, sizeof text, "Content-Range: bytes %lld-%lld/%lld", (long long)call->from,
                 (long long)(call->from + call->bytes - 1), (long long)call->of);
        return (call->of == 0 || add_header(request, text)) &&
               add_header(request, "Content-Type: application/octet-stream") &&
               curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L) == CURLE_OK &&
               curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)call->bytes) ==
                   CURLE_OK &&
               curl_easy_setopt(easy, CURLOPT_READFUNCTION, give_piece) == CURLE_OK &&
               curl_easy_setopt(easy, CURLOPT_READDATA, request) == CURLE_OK;
    case CLIENT_GET:
        request->is_get = true;
        request->file = call->file;
        request->at = call->from;
        snprintf(text, sizeof text, "%lld-", (long long)call->from);
        return call->from == 0 || curl_easy_setopt(easy, CURLOPT_RANGE, text) == CURLE_OK;
    }
    return false;
}

static bool set_up(struct request *request, const struct client_call *call)
{
    const struct client *client = request->client;
    CURL *easy = request->easy;
    char *url = NULL;
    bool good = asprintf(&url, "%s%s", client->url, call->path) >= 0 &&
                (!client->authorization || add_header(request, client->authorization->data)) &&
                add_header(request, "Expect:") && set_verb(request, call) &&
                curl_easy_setopt(easy, CURLOPT_URL, url) == CURLE_OK;

    free(url);
    if (good && client->ca_file)
        good = curl_easy_setopt(easy, CURLOPT_CAINFO, client->ca_file) == CURLE_OK;
    if (good && call->most_s > 0)
        good = curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)(1e3 * call->most_s)) == CURLE_OK;
    return good && curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_USERAGENT, "rink-node/" RINKD_VERSION) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)SILENCE_S) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTPHEADER, request->headers) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEDATA, request) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, request->error) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PRIVATE, request) == CURLE_OK &&
           curl_multi_add_handle(client->multi, easy) == CURLM_OK;
}

bool client_begin(struct client *client, const struct client_call *call)
{
    struct request *request = calloc(1, sizeof *request);

    if (!request)
        return false;
    request->client = client;
    request->file = -1;
    request->done = call->done;
    request->context = call->context;
    request->place = &client->requests;
    request->next = client->requests;
    if (request->next)
        request->next->place = &request->next;
    client->requests = request;
    request->easy = curl_easy_init();
    if (request->easy && set_up(request, call))
        return true;
    request_free(request);
    return false;
}

/* ---- ending ---- */

/* The first mistake in a list of them: "/cores: must be …". */
static int write_mistake(const json_t *problem, size_t size, char *ret_text)
{
    const json_t *first = json_array_get(json_object_get(problem, "errors"), 0);
    const char *pointer = json_string_value(json_object_get(first, "pointer"));
    const char *message = json_string_value(json_object_get(first, "message"));

    return message ? snprintf(ret_text, size, "; %s: %s", pointer ? pointer : "", message) : 0;
}

static void write_reason(const struct request *request, CURLcode result,
                         const struct client_answer *answer, char ret_text[REASON_MAX])
{
    const char *title = json_string_value(json_object_get(answer->json, "title"));
    const char *detail = json_string_value(json_object_get(answer->json, "detail"));

    if (answer->status == 0) {
        snprintf(ret_text, REASON_MAX, "%s",
                 request->error[0] ? request->error : curl_easy_strerror(result));
        return;
    }
    int used = snprintf(ret_text, REASON_MAX, "%ld %s%s%s", answer->status, title ? title : "",
                        detail ? ": " : "", detail ? detail : "");
    if (used < REASON_MAX)
        write_mistake(answer->json, REASON_MAX - (size_t)used, ret_text + used);
}

static void end(struct request *request, CURLcode result)
{
    struct client_answer answer = {.status = 0};
    curl_off_t retry_after_s = 0;
    char reason[REASON_MAX] = "";

    if (result == CURLE_OK)
        curl_easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &answer.status);
    curl_easy_getinfo(request->easy, CURLINFO_RETRY_AFTER, &retry_after_s);
    json_t *json = request->answer && result == CURLE_OK
                       ? load_json(request->answer, request->length, 0, NULL)
                       : NULL;
    answer.json = json;
    answer.retry_after_s = (int64_t)retry_after_s;
    write_reason(request, result, &answer, reason);
    answer.reason = reason;
    client_done *done = request->done;
    void *context = request->context;
    request_free(request);
    done(context, &answer);
    json_decref(json);
}

void client_wait(struct client *client, struct curl_waitfd *fds, unsigned count, int most_ms)
{
    const CURLMsg *message;
    int running, left;

    curl_multi_perform(client->multi, &running);
    curl_multi_poll(client->multi, fds, count, most_ms, NULL);
    curl_multi_perform(client->multi, &running);
    while ((message = curl_multi_info_read(client->multi, &left)) != NULL) {
        struct request *request = NULL;
        CURLcode result = message->data.result;
        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &request);
        end(request, result);
    }
}
