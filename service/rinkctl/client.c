/* libcurl's easy interface; one handle, one request at a time. */
#include "service/rinkctl/client.h"

#include "api/base/event_stream.h"
#include "api/base/next_line.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"

#include <curl/curl.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define DEFAULT_SERVER "http://127.0.0.1:8080"

enum {
    TOKEN_MAX = 512,
    KEY_BYTES = 16,
    ANSWER_MAX = 256 << 20,
    PAGE_MAX = 500,
    CONNECT_S = 10,
    ANSWER_S = 60,
    SILENCE_S = 40,
    WAIT_MAX_S = 30
};

struct client {
    const char *name; /* of the command, for messages */
    char *base;       /* without a final slash */
    char token[TOKEN_MAX];
    int retries;
    const char *ca_file; /* NULL: the system's */
    CURL *curl;
    char error[CURL_ERROR_SIZE]; /* why no answer came */
    char asked[CELL_BYTES];      /* the last request: "GET /v1/jobs/7" */
};

volatile sig_atomic_t client_interrupted;

void client_sleep(double time_s)
{
    struct timespec time = {(time_t)time_s, (long)(fmod(time_s, 1.0) * 1e9)};

    nanosleep(&time, NULL);
}

/* ---- address and token ---- */

/* Reads http or https, host, port and perhaps a path that precedes all others. Malloc'ed; NULL:
 * bad. */
static char *read_address(const char *text)
{
    CURLU *url = curl_url();
    char *scheme = NULL, *query = NULL, *fragment = NULL, *whole = NULL, *base = NULL;

    if (url && curl_url_set(url, CURLUPART_URL, text, CURLU_GUESS_SCHEME) == CURLUE_OK &&
        curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
        (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0) &&
        curl_url_get(url, CURLUPART_QUERY, &query, 0) != CURLUE_OK &&
        curl_url_get(url, CURLUPART_FRAGMENT, &fragment, 0) != CURLUE_OK &&
        curl_url_get(url, CURLUPART_URL, &whole, 0) == CURLUE_OK)
        base = strdup(whole);
    if (base)
        for (size_t length = strlen(base); length > 0 && base[length - 1] == '/'; length--)
            base[length - 1] = '\0';
    curl_free(scheme);
    curl_free(query);
    curl_free(fragment);
    curl_free(whole);
    curl_url_cleanup(url);
    return base;
}

static bool keep_token(struct client *client, const char *from, const char *text)
{
    size_t length = strcspn(text, "\r\n");

    if (length == 0 || length >= TOKEN_MAX || strspn(text, " \t") > 0) {
        complain(client->name, "%s: no token of 1 to %d bytes", from, TOKEN_MAX - 1);
        return false;
    }
    memcpy(client->token, text, length);
    client->token[length] = '\0';
    return true;
}

static bool read_token(struct client *client, const char *path)
{
    char line[TOKEN_MAX + 2] = "";

    if (!path) {
        const char *text = getenv("RINKCTL_TOKEN");
        return !text || !*text || keep_token(client, "RINKCTL_TOKEN", text);
    }
    FILE *file = fopen(path, "re");
    if (!file) {
        complain(client->name, "--token-file %s: %s", path, strerror(errno));
        return false;
    }
    bool good = first_line(file, line, sizeof line) >= 0;
    int why = errno;
    fclose(file);
    if (!good)
        complain(client->name, "--token-file %s: %s", path, strerror(why));
    return good && keep_token(client, path, line);
}

struct client *client_open(const struct line *line)
{
    const char *from = "--address", *server = option_text(line, "address");
    const char *retries = option_text(line, "retries");
    struct client *client = calloc(1, sizeof *client);

    if (!server) {
        from = "RINKCTL_SERVER";
        server = getenv(from);
    }
    if (!server || !*server)
        server = DEFAULT_SERVER;
    if (!client || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
        !(client->curl = curl_easy_init())) {
        complain(line->name, "out of memory");
        free(client);
        return NULL;
    }
    client->name = line->name;
    client->retries = retries ? atoi(retries) : OPTION_RETRIES;
    client->ca_file = option_text(line, "ca-file");
    if (!client->ca_file)
        client->ca_file = getenv("RINKCTL_CA_FILE");
    client->base = read_address(server);
    if (!client->base)
        complain(line->name, "%s must be like %s, not '%s'", from, DEFAULT_SERVER, server);
    if (!client->base || !read_token(client, option_text(line, "token-file"))) {
        client_free(client);
        return NULL;
    }
    return client;
}

void client_free(struct client *client)
{
    if (!client)
        return;
    curl_easy_cleanup(client->curl);
    free(client->base);
    free(client);
}

const char *client_server(const struct client *client)
{
    return client->base;
}

/* ---- one request ---- */

struct transfer {
    struct curl_slist *head;
    char *url, *body;
};

/* Appends text to a list of headers; false when memory is short. */
static bool add_header(struct transfer *transfer, const char *name, const char *value)
{
    char line[TOKEN_MAX + 64];

    snprintf(line, sizeof line, "%s: %s", name, value);
    struct curl_slist *head = curl_slist_append(transfer->head, line);
    if (head)
        transfer->head = head;
    return head != NULL;
}

static void put_escaped(CURL *curl, FILE *out, const char *text)
{
    char *escaped = curl_easy_escape(curl, text, 0);

    fputs(escaped ? escaped : "", out);
    curl_free(escaped);
}

static char *make_url(const struct client *client, const struct client_call *call)
{
    const char *hole = strstr(call->path, "{}");
    char *url = NULL, separator = '?';
    size_t size;
    FILE *out = open_memstream(&url, &size);

    if (!out)
        return NULL;
    fputs(client->base, out);
    if (hole) {
        fwrite(call->path, 1, (size_t)(hole - call->path), out);
        put_escaped(client->curl, out, call->id);
        fputs(hole + 2, out);
    } else {
        fputs(call->path, out);
    }
    for (int k = 0; k < CLIENT_PARAMETERS_MAX; k++) {
        if (!call->parameter[k].value)
            continue;
        fputc(separator, out);
        for (const char *at = call->parameter[k].name; *at; at++)
            fputc(*at == '-' ? '_' : *at, out);
        fputc('=', out);
        put_escaped(client->curl, out, call->parameter[k].value);
        separator = '&';
    }
    if (fclose(out) == EOF) {
        free(url);
        return NULL;
    }
    return url;
}

/* Ends a transfer soon after a signal; libcurl calls this at least once a second. */
static int is_interrupted(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    (void)context, (void)a, (void)b, (void)c, (void)d;
    return client_interrupted;
}

static bool prepare(struct client *client, const struct client_call *call,
                    struct transfer *ret_transfer)
{
    CURL *curl = client->curl;
    struct transfer *transfer = ret_transfer;
    const char *method = call->method ? call->method : "GET";
    bool posts = strcmp(method, "POST") == 0, good = true;

    *transfer = (struct transfer){.url = make_url(client, call)};
    if (call->body)
        transfer->body = json_dumps(call->body, JSON_COMPACT | JSON_ENCODE_ANY);
    if (!transfer->url || (call->body && !transfer->body))
        return false;
    snprintf(client->asked, sizeof client->asked, "%s %s", method,
             transfer->url + strlen(client->base));
    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, transfer->url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "rinkctl/" RINKD_VERSION);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
    if (client->ca_file && *client->ca_file)
        curl_easy_setopt(curl, CURLOPT_CAINFO, client->ca_file);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, client->error);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, is_interrupted);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    if (call->file) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->file_bytes);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, call->file);
    } else if (posts || call->body) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, transfer->body ? transfer->body : "");
    }
    if (posts || call->body) {
        const char *type = call->file ? "application/octet-stream" : "application/json";
        good = add_header(transfer, "Content-Type", type) && add_header(transfer, "Expect", "");
    }
    if (*client->token) {
        curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
        curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, client->token);
    }
    if (posts) {
        unsigned char random[KEY_BYTES];
        char key[2 * KEY_BYTES + 1];
        good = good && getrandom(random, sizeof random, 0) == KEY_BYTES;
        for (int k = 0; k < KEY_BYTES; k++)
            snprintf(key + 2 * k, 3, "%02x", random[k]);
        good = good && add_header(transfer, "Idempotency-Key", key);
    }
    if (call->wait_s > 0) {
        char prefer[24];
        snprintf(prefer, sizeof prefer, "wait=%d", call->wait_s);
        good = good && add_header(transfer, "Prefer", prefer);
    }
    return good;
}

static void finish(struct transfer *transfer)
{
    curl_slist_free_all(transfer->head);
    free(transfer->url);
    free(transfer->body);
}

static size_t keep_text(char *bytes, size_t size, size_t count, void *context)
{
    struct client_answer *answer = context;
    size_t more = size * count;

    if (more > ANSWER_MAX - answer->bytes)
        return CURL_WRITEFUNC_ERROR;
    char *text = realloc(answer->text, answer->bytes + more + 1);
    if (!text)
        return CURL_WRITEFUNC_ERROR;
    memcpy(text + answer->bytes, bytes, more);
    answer->text = text;
    answer->bytes += more;
    text[answer->bytes] = '\0';
    return more;
}

void client_answer_free(struct client_answer *answer)
{
    json_decref(answer->json);
    free(answer->text);
    *answer = (struct client_answer){0};
}

/* Sends once; the answer receives whatever comes. */
static CURLcode send_once(struct client *client, struct client_answer *ret_answer)
{
    CURL *curl = client->curl;

    client_answer_free(ret_answer);
    *client->error = '\0';
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep_text);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, ret_answer);
    CURLcode code = curl_easy_perform(curl);
    if (code == CURLE_OK)
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &ret_answer->status);
    else if (!*client->error)
        snprintf(client->error, sizeof client->error, "%s", curl_easy_strerror(code));
    return code;
}

/* Where an answer goes. */
struct fetching {
    CURL *curl;
    client_take *take;
    void *context;
    struct client_answer *answer; /* of any other status than 200 */
};

static size_t hand_on(char *bytes, size_t size, size_t count, void *context)
{
    const struct fetching *fetching = context;
    long status = 0;

    curl_easy_getinfo(fetching->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200)
        return keep_text(bytes, size, count, fetching->answer);
    return fetching->take(fetching->context, bytes, size * count) ? size * count
                                                                  : CURL_WRITEFUNC_ERROR;
}

/* Waits before the next attempt: as long as the server says, else 0.5, 1, 2, 4, … s. */
static void wait_to_retry(struct client *client, int attempt, long status)
{
    double wait_s = ldexp(0.5, attempt < 10 ? attempt : 10);
    curl_off_t after_s = 0;

    if (curl_easy_getinfo(client->curl, CURLINFO_RETRY_AFTER, &after_s) == CURLE_OK && after_s > 0)
        wait_s = (double)after_s;
    wait_s = fmin(wait_s, WAIT_MAX_S);
    if (status)
        complain(client->name, "the server is busy (status %ld); trying again in %g s", status,
                 wait_s);
    else
        complain(client->name, "%s (%s); trying again in %g s", client->error, client->base,
                 wait_s);
    client_sleep(wait_s);
}

/* Whether the same request may succeed later. */
static bool is_passing(CURLcode code, long status)
{
    switch (code) {
    case CURLE_OK:
        return status == 503 || status == 429;
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
        return true;
    default:
        return false;
    }
}

/* What became of a call; complains unless all is well. */
static enum exit_status conclude(struct client *client, const struct client_call *call,
                                 CURLcode code, struct client_answer *ret_answer)
{
    if (code != CURLE_OK) {
        if (!call->quiet)
            complain(client->name, "no answer from %s: %s", client->base, client->error);
        return EXIT_NO_CONNECTION;
    }
    if (ret_answer->bytes > 0)
        ret_answer->json = json_loadb(ret_answer->text, ret_answer->bytes, JSON_DECODE_ANY, NULL);
    if (ret_answer->status >= 200 && ret_answer->status < 300)
        return EXIT_GOOD;
    if (!call->quiet)
        client_complain(client, ret_answer);
    return EXIT_REFUSED;
}

enum exit_status client_call(struct client *client, const struct client_call *call,
                             struct client_answer *ret_answer)
{
    struct transfer transfer;
    bool posts = call->method && strcmp(call->method, "POST") == 0;
    int retries = posts ? client->retries : 0;
    CURLcode code = CURLE_OUT_OF_MEMORY;

    *ret_answer = (struct client_answer){0};
    if (prepare(client, call, &transfer)) {
        curl_easy_setopt(client->curl, CURLOPT_HTTPHEADER, transfer.head);
        curl_easy_setopt(client->curl, CURLOPT_TIMEOUT_MS,
                         (long)(1e3 * (call->most_s > 0.0 ? call->most_s : ANSWER_S)));
        code = send_once(client, ret_answer);
        for (int k = 0; k < retries && is_passing(code, ret_answer->status); k++) {
            wait_to_retry(client, k, ret_answer->status);
            code = send_once(client, ret_answer);
        }
    }
    finish(&transfer);
    if (code == CURLE_OUT_OF_MEMORY || code == CURLE_WRITE_ERROR) {
        complain(client->name,
                 code == CURLE_WRITE_ERROR ? "the answer is too large" : "out of memory");
        return EXIT_TROUBLE;
    }
    return conclude(client, call, code, ret_answer);
}

enum exit_status client_fetch(struct client *client, const struct client_call *call,
                              client_take *take, void *context, struct client_answer *ret_answer)
{
    struct fetching fetching = {client->curl, take, context, ret_answer};
    struct transfer transfer;
    CURLcode code = CURLE_OUT_OF_MEMORY;

    *ret_answer = (struct client_answer){0};
    *client->error = '\0';
    if (prepare(client, call, &transfer)) {
        curl_easy_setopt(client->curl, CURLOPT_HTTPHEADER, transfer.head);
        curl_easy_setopt(client->curl, CURLOPT_TCP_KEEPALIVE, 1L);
        curl_easy_setopt(client->curl, CURLOPT_WRITEFUNCTION, hand_on);
        curl_easy_setopt(client->curl, CURLOPT_WRITEDATA, &fetching);
        code = curl_easy_perform(client->curl);
        curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &ret_answer->status);
    }
    finish(&transfer);
    if (code == CURLE_WRITE_ERROR)
        return EXIT_TROUBLE; /* the function complains */
    if (code != CURLE_OK && !*client->error)
        snprintf(client->error, sizeof client->error, "%s", curl_easy_strerror(code));
    return conclude(client, call, code, ret_answer);
}

/* Writes "/spec/pairs" as "spec.pairs", "/spec/players/1" as "spec.players.1". */
static void name_of_pointer(const char *pointer, char ret_name[CELL_BYTES])
{
    size_t used = 0;

    for (const char *at = pointer + (*pointer == '/'); *at && used + 1 < CELL_BYTES; at++) {
        if (at[0] == '~' && (at[1] == '0' || at[1] == '1'))
            ret_name[used++] = *++at == '0' ? '~' : '/';
        else
            ret_name[used++] = *at == '/' ? '.' : *at;
    }
    ret_name[used] = '\0';
}

void client_complain(const struct client *client, const struct client_answer *answer)
{
    const char *title = text_of(answer->json, "title"), *detail = text_of(answer->json, "detail");
    const json_t *errors = json_object_get(answer->json, "errors"), *field;
    char name[CELL_BYTES];
    size_t k;

    if (!*title)
        title = "The answer is no problem document";
    if (json_array_size(errors) > 0)
        detail = ""; /* the detail repeats the first field */
    complain(client->name, "%s%s%s (%s: status %ld)", title, *detail ? ": " : "", detail,
             client->asked, answer->status);
    json_array_foreach(errors, k, field)
    {
        name_of_pointer(text_of(field, "pointer"), name);
        fputs("  ", stderr);
        print_text(stderr, *name ? name : "the body", false);
        fputs(": ", stderr);
        print_text(stderr, text_of(field, "message"), false);
        fputc('\n', stderr);
    }
}

/* ---- lists ---- */

enum exit_status client_list(struct client *client, const struct client_call *call, int most,
                             json_t **ret_items, bool *ret_more)
{
    struct client_call page = *call;
    struct client_answer answer = {0};
    json_t *items = json_array();
    char limit[16], *cursor = NULL;
    enum exit_status status;

    int last = 0;
    while (last < CLIENT_PARAMETERS_MAX - 2 && page.parameter[last].name)
        last++;
    do {
        int left = most - (int)json_array_size(items);
        snprintf(limit, sizeof limit, "%d", left < PAGE_MAX ? left : PAGE_MAX);
        page.parameter[last] = (struct client_parameter){"limit", most > 0 ? limit : NULL};
        page.parameter[last + 1] = (struct client_parameter){"cursor", cursor};
        status = client_call(client, &page, &answer);
        if (status != EXIT_GOOD)
            break;
        json_array_extend(items, json_object_get(answer.json, "items"));
        const char *next = json_string_value(json_object_get(answer.json, "next_cursor"));
        free(cursor);
        cursor = next ? strdup(next) : NULL;
        client_answer_free(&answer);
    } while (cursor && (int)json_array_size(items) < most);
    *ret_more = cursor != NULL;
    free(cursor);
    client_answer_free(&answer);
    if (status != EXIT_GOOD) {
        json_decref(items);
        items = NULL;
    }
    *ret_items = items;
    return status;
}

/* ---- streams ---- */

struct listening {
    CURL *curl;
    struct event_stream stream;
    client_event *event;
    void *context;
    bool is_stream;
};

static bool hear_event(void *context, const char *name, const char *text, size_t length)
{
    struct listening *listening = context;
    json_t *data = json_loadb(text, length, JSON_DECODE_ANY, NULL);
    bool more = !data || listening->event(listening->context, name, data);

    json_decref(data);
    return more;
}

static size_t hear(char *bytes, size_t size, size_t count, void *context)
{
    struct listening *listening = context;
    long status = 0;

    curl_easy_getinfo(listening->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200)
        return CURL_WRITEFUNC_ERROR;
    listening->is_stream = true;
    return event_stream_feed(&listening->stream, bytes, size * count) ? size * count
                                                                      : CURL_WRITEFUNC_ERROR;
}

bool client_listen(struct client *client, const struct client_call *call, client_event *event,
                   void *context)
{
    CURL *curl = client->curl;
    struct listening listening = {.curl = curl, .event = event, .context = context};
    struct transfer transfer;

    listening.stream = (struct event_stream){.event = hear_event, .context = &listening};
    if (prepare(client, call, &transfer) && add_header(&transfer, "Accept", "text/event-stream")) {
        curl_easy_setopt(curl, CURLOPT_HTTPHEADER, transfer.head);
        curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, hear);
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, &listening);
        curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
        curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)SILENCE_S);
        curl_easy_perform(curl);
    }
    finish(&transfer);
    event_stream_free(&listening.stream);
    return listening.is_stream;
}
