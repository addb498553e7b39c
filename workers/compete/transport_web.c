/* Requests and server-sent events with libcurl's multi interface. See transport.h. */
#include "workers/compete/transport.h"

#include "api/base/clock.h"
#include "api/base/event_stream.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONNECT_S = 10,
    REQUEST_S = 30,
    SILENCE_S = 90, /* a stream is pinged every 30 s */
    KINDS_MAX = 8
};

/* A message that waits to be heard. */
struct item {
    struct item *next;
    const char *tag;
    int status;
    bool is_too_long;
    size_t length;
    char text[];
};

/* A request that waits or is under way. */
struct request {
    struct request *next;
    CURL *easy; /* NULL: it waits */
    const char *tag;
    char head[TALK_HEAD_MAX];
    char *text;
    size_t given; /* bytes of it */
    double not_before_s;
    char *body;
    size_t body_length;
    bool is_too_long;
};

/* When requests of a kind were sent, for the rate. */
struct rate {
    const char *tag;
    double sent_s[WEB_PER_MINUTE];
    int next;
};

struct web {
    struct transport transport;
    CURLM *multi;
    char *url;
    struct web_setting setting;
    char *user, *password;
    struct curl_slist *json_headers, *stream_headers;
    struct request *requests;
    struct rate rates[KINDS_MAX];
    struct item *first, *last, *current;

    CURL *stream;                    /* NULL: none is open */
    char stream_path[TALK_HEAD_MAX]; /* "": none is wanted */
    double stream_not_before_s;
    struct event_stream events;
    int losses;
    bool is_closed, has_lost;
};

/* ---- messages ---- */

static void add_item(struct web *web, const char *tag, int status, const char *text, size_t length,
                     bool is_too_long)
{
    struct item *item = malloc(sizeof *item + length + 1);

    if (!item)
        return;
    *item =
        (struct item){.tag = tag, .status = status, .is_too_long = is_too_long, .length = length};
    memcpy(item->text, text ? text : "", length);
    item->text[length] = '\0';
    if (web->last)
        web->last->next = item;
    else
        web->first = item;
    web->last = item;
}

static bool hear_event(void *context, const char *name, const char *data, size_t length)
{
    struct web *web = context;
    bool is_latest = strcmp(name, "latest_state_update") == 0;

    if (is_latest)
        web->losses = 0;
    add_item(web, is_latest ? "latest_state_update" : "state_update", 0, data, length, false);
    return true;
}

/* ---- requests ---- */

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    struct request *request = context;
    size_t more = size * count;

    if (request->body_length + more > TRANSPORT_MESSAGE_MAX) {
        request->is_too_long = true;
        return 0;
    }
    char *body = realloc(request->body, request->body_length + more + 1);
    if (!body)
        return 0;
    memcpy(body + request->body_length, bytes, more);
    request->body = body;
    request->body_length += more;
    return more;
}

static size_t take_events(char *bytes, size_t size, size_t count, void *context)
{
    struct web *web = context;

    return event_stream_feed(&web->events, bytes, size * count) ? size * count
                                                                : CURL_WRITEFUNC_ERROR;
}

/* Gives the text once. Libcurl sends a request again by itself where a kept connection breaks
 * without an answer; a shot that has counted would then be thrown for the next one, too. With a
 * text that it cannot rewind it reports the loss instead. */
static size_t give_text(char *bytes, size_t size, size_t count, void *context)
{
    struct request *request = context;
    size_t left = strlen(request->text) - request->given, room = size * count;
    size_t now = left < room ? left : room;

    memcpy(bytes, request->text + request->given, now);
    request->given += now;
    return now;
}

/* What all requests share. */
static bool set_up(struct web *web, CURL *easy, const char *method, const char *path)
{
    char url[2 * TALK_HEAD_MAX];

    snprintf(url, sizeof url, "%s%s", web->url, path);
    bool good = curl_easy_setopt(easy, CURLOPT_URL, url) == CURLE_OK &&
                curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method) == CURLE_OK &&
                curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
                curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
                curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
                curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S) == CURLE_OK &&
                curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L) == CURLE_OK &&
                curl_easy_setopt(easy, CURLOPT_USERAGENT, "rinkd/" RINKD_VERSION) == CURLE_OK;
    if (good && web->user)
        good = curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC) == CURLE_OK &&
               curl_easy_setopt(easy, CURLOPT_USERNAME, web->user) == CURLE_OK &&
               curl_easy_setopt(easy, CURLOPT_PASSWORD, web->password) == CURLE_OK;
    return good;
}

static bool begin_request(struct web *web, struct request *request)
{
    long length = request->text ? (long)strlen(request->text) : 0;
    char method[8] = "";
    const char *path = strchr(request->head, ' ');

    snprintf(method, sizeof method, "%.*s", (int)(path - request->head), request->head);
    request->easy = curl_easy_init();
    bool good = request->easy && set_up(web, request->easy, method, path + 1) &&
                curl_easy_setopt(request->easy, CURLOPT_TIMEOUT, (long)REQUEST_S) == CURLE_OK &&
                curl_easy_setopt(request->easy, CURLOPT_WRITEFUNCTION, take_body) == CURLE_OK &&
                curl_easy_setopt(request->easy, CURLOPT_WRITEDATA, request) == CURLE_OK &&
                curl_easy_setopt(request->easy, CURLOPT_HTTPHEADER, web->json_headers) == CURLE_OK;
    if (good && strcmp(method, "POST") == 0)
        good = curl_easy_setopt(request->easy, CURLOPT_POSTFIELDSIZE, length) == CURLE_OK &&
               (request->text
                    ? curl_easy_setopt(request->easy, CURLOPT_POST, 1L) == CURLE_OK &&
                          curl_easy_setopt(request->easy, CURLOPT_READFUNCTION, give_text) ==
                              CURLE_OK &&
                          curl_easy_setopt(request->easy, CURLOPT_READDATA, request) == CURLE_OK
                    : curl_easy_setopt(request->easy, CURLOPT_POSTFIELDS, "") == CURLE_OK);
    return good && curl_multi_add_handle(web->multi, request->easy) == CURLM_OK;
}

static void drop_request(struct web *web, struct request *request)
{
    struct request **place = &web->requests;

    while (*place != request)
        place = &(*place)->next;
    *place = request->next;
    if (request->easy) {
        curl_multi_remove_handle(web->multi, request->easy);
        curl_easy_cleanup(request->easy);
    }
    free(request->text);
    free(request->body);
    free(request);
}

/* Returns when a request of this kind may be sent, and counts it if that is now. */
static double rate_allows(struct web *web, const char *tag, double now_s)
{
    struct rate *rate = web->rates;

    if (web->setting.per_minute == 0)
        return now_s;
    while (rate < web->rates + KINDS_MAX - 1 && rate->tag && strcmp(rate->tag, tag) != 0)
        rate++;
    rate->tag = tag;
    double at_s = rate->sent_s[rate->next] > 0.0 ? rate->sent_s[rate->next] + 60.0 : 0.0;
    if (at_s > now_s)
        return at_s;
    rate->sent_s[rate->next] = now_s;
    rate->next = (rate->next + 1) % web->setting.per_minute;
    return now_s;
}

static bool begin_stream(struct web *web)
{
    event_stream_free(&web->events);
    web->events = (struct event_stream){.event = hear_event, .context = web};
    web->stream = curl_easy_init();
    return web->stream && set_up(web, web->stream, "GET", web->stream_path) &&
           curl_easy_setopt(web->stream, CURLOPT_LOW_SPEED_LIMIT, 1L) == CURLE_OK &&
           curl_easy_setopt(web->stream, CURLOPT_LOW_SPEED_TIME, (long)SILENCE_S) == CURLE_OK &&
           curl_easy_setopt(web->stream, CURLOPT_WRITEFUNCTION, take_events) == CURLE_OK &&
           curl_easy_setopt(web->stream, CURLOPT_WRITEDATA, web) == CURLE_OK &&
           curl_easy_setopt(web->stream, CURLOPT_HTTPHEADER, web->stream_headers) == CURLE_OK &&
           curl_multi_add_handle(web->multi, web->stream) == CURLM_OK;
}

/* Begins what may begin now; lowers *until_s to when the next thing may. */
static void begin_due(struct web *web, double *until_s)
{
    double now_s = clock_now_s();

    for (struct request *request = web->requests, *next; request; request = next) {
        next = request->next;
        if (request->easy)
            continue;
        if (request->not_before_s <= now_s)
            request->not_before_s = rate_allows(web, request->tag, now_s);
        if (request->not_before_s > now_s) {
            *until_s = request->not_before_s < *until_s ? request->not_before_s : *until_s;
        } else if (!begin_request(web, request)) {
            add_item(web, request->tag, 0, NULL, 0, false);
            drop_request(web, request);
        }
    }
    if (web->stream || !web->stream_path[0] || web->is_closed)
        return;
    if (web->stream_not_before_s > now_s)
        *until_s = web->stream_not_before_s < *until_s ? web->stream_not_before_s : *until_s;
    else if (!begin_stream(web))
        web->is_closed = true;
}

/* ---- ends of requests ---- */

static void end_stream(struct web *web, CURLcode result, long status)
{
    const struct web_setting *setting = &web->setting;

    curl_multi_remove_handle(web->multi, web->stream);
    curl_easy_cleanup(web->stream);
    web->stream = NULL;
    if (status >= 400 && status < 500 && status != 408 && status != 429) {
        web->stream_path[0] = '\0';
        add_item(web, "stream", (int)status, NULL, 0, false);
        return;
    }
    web->losses++;
    web->has_lost = true;
    double wait_s = setting->again_s * (web->losses > 5 ? 5 : web->losses);
    web->stream_not_before_s = clock_now_s() + wait_s;
    web->is_closed = web->losses > setting->losses_max;
    snprintf(web->transport.why, TALK_WHY_MAX, "the stream ended (%s, status %ld), loss %d",
             result == CURLE_OK ? "closed by the server" : curl_easy_strerror(result), status,
             web->losses);
}

static void end_request(struct web *web, CURL *easy, CURLcode result, long status)
{
    struct request *request = web->requests;

    while (request && request->easy != easy)
        request = request->next;
    if (!request)
        return;
    bool good = result == CURLE_OK || request->is_too_long;
    add_item(web, request->tag, good ? (int)status : 0, request->body,
             request->is_too_long ? 0 : request->body_length, request->is_too_long);
    drop_request(web, request);
}

static void perform(struct web *web)
{
    const CURLMsg *message;
    int running, left;

    curl_multi_perform(web->multi, &running);
    while ((message = curl_multi_info_read(web->multi, &left)) != NULL) {
        CURL *easy = message->easy_handle;
        CURLcode result = message->data.result;
        long status = 0;
        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        if (easy == web->stream)
            end_stream(web, result, status);
        else
            end_request(web, easy, result, status);
    }
}

/* ---- the transport ---- */

static bool take_item(struct web *web, struct heard *ret_heard)
{
    free(web->current);
    web->current = web->first;
    if (!web->current)
        return false;
    web->first = web->current->next;
    if (!web->first)
        web->last = NULL;
    *ret_heard = (struct heard){.tag = web->current->tag,
                                .status = web->current->status,
                                .text = web->current->text,
                                .length = web->current->length,
                                .is_too_long = web->current->is_too_long};
    return true;
}

static enum transport_event wait_web(struct transport *transport, int fd, double until_s,
                                     struct heard *ret_heard)
{
    struct web *web = (struct web *)transport;

    for (;;) {
        struct curl_waitfd own = {.fd = fd, .events = CURL_WAIT_POLLIN};
        double now_s = clock_now_s(), wake_s = until_s;
        int ready;

        perform(web);
        if (take_item(web, ret_heard))
            return TRANSPORT_HEARD;
        if (web->is_closed)
            return TRANSPORT_CLOSED;
        if (web->has_lost) {
            web->has_lost = false;
            return TRANSPORT_LOST;
        }
        begin_due(web, &wake_s);
        double left_s = wake_s - now_s;
        int ms = left_s <= 0.0 ? 0 : left_s > 1.0 ? 1000 : (int)(left_s * 1000.0) + 1;
        curl_multi_poll(web->multi, &own, fd >= 0 ? 1 : 0, ms, &ready);
        if (fd >= 0 && own.revents)
            return TRANSPORT_READY;
        if (clock_now_s() >= until_s || ms == 1000) {
            perform(web);
            return take_item(web, ret_heard) ? TRANSPORT_HEARD : TRANSPORT_QUIET;
        }
    }
}

static bool say_web(struct transport *transport, const struct saying *saying)
{
    struct web *web = (struct web *)transport;

    if (strcmp(saying->tag, "state") == 0) {
        snprintf(web->stream_path, sizeof web->stream_path, "%s", strchr(saying->head, ' ') + 1);
        return true;
    }
    struct request *request = calloc(1, sizeof *request);
    if (request && saying->text)
        request->text = strdup(saying->text);
    if (!request || (saying->text && !request->text)) {
        free(request);
        snprintf(transport->why, TALK_WHY_MAX, "out of memory");
        return false;
    }
    request->tag = saying->tag;
    snprintf(request->head, sizeof request->head, "%s", saying->head);
    request->not_before_s = clock_now_s() + saying->delay_s;
    request->next = web->requests;
    web->requests = request;
    return true;
}

static void free_web(struct transport *transport)
{
    struct web *web = (struct web *)transport;
    struct heard heard;

    while (web->requests)
        drop_request(web, web->requests);
    if (web->stream) {
        if (web->multi)
            curl_multi_remove_handle(web->multi, web->stream);
        curl_easy_cleanup(web->stream);
    }
    while (take_item(web, &heard))
        ;
    if (web->multi)
        curl_multi_cleanup(web->multi);
    curl_slist_free_all(web->json_headers);
    curl_slist_free_all(web->stream_headers);
    event_stream_free(&web->events);
    free(web->url);
    free(web->user);
    free(web->password);
    free(web);
}

/* The URL with a scheme and without a last slash. */
static char *base_url(const char *url)
{
    size_t size = strlen(url) + sizeof "http://";
    char *base = malloc(size);

    if (!base)
        return NULL;
    snprintf(base, size, "%s%s", strstr(url, "://") ? "" : "http://", url);
    size_t length = strlen(base);
    if (length > 0 && base[length - 1] == '/')
        base[length - 1] = '\0';
    return base;
}

struct transport *web_transport(const struct web_setting *setting, char ret_why[TALK_WHY_MAX])
{
    struct web *web = calloc(1, sizeof *web);

    if (!web) {
        snprintf(ret_why, TALK_WHY_MAX, "out of memory");
        return NULL;
    }
    web->transport = (struct transport){wait_web, say_web, free_web, ""};
    web->setting = *setting;
    web->url = base_url(setting->url);
    web->user = setting->user ? strdup(setting->user) : NULL;
    web->password = strdup(setting->password ? setting->password : "");
    web->multi = curl_multi_init();
    web->json_headers = curl_slist_append(NULL, "Content-Type: application/json");
    web->stream_headers = curl_slist_append(NULL, "Accept: text/event-stream");
    if (web->url && web->password && web->multi && web->json_headers && web->stream_headers)
        return &web->transport;
    free_web(&web->transport);
    snprintf(ret_why, TALK_WHY_MAX, "libcurl cannot be set up");
    return NULL;
}
