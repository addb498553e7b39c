/* A client of rinkd in one file, with nothing but the C library and POSIX sockets.
 *
 *   #define RINKD_IMPLEMENTATION            in one file of the program
 *   #include "rinkd.h"
 *
 *   struct rinkd rink = rinkd_at("127.0.0.1", "8080", getenv("RINKCTL_TOKEN"));
 *   struct rinkd_shot shot;
 *   if (!rinkd_shot(&rink, "{\"profile\":\"dc3\",\"state\":…}", &shot))
 *       fprintf(stderr, "%s\n", rink.error);
 *
 * All functions return 1 or 0; then `error` says why, and `status` is that of HTTP (0: nobody
 * answered). Requests are repeated while the service is busy or not to be reached; a job that is
 * submitted twice by that exists once. Texts that are returned are malloc'ed. A struct rinkd serves
 * one thread. */
#ifndef RINKD_H
#define RINKD_H

#include <stddef.h>

struct rinkd {
    const char *host, *port, *token; /* borrowed; token NULL: none */
    int timeout_s, tries;            /* of a request */
    int status;
    char error[512];
};

/* The best shot, for the side to move. */
struct rinkd_shot {
    double vx, vy;               /* m/s across and up the sheet, Digital Curling 3 */
    int spin;                    /* 1: counter-clockwise, -1: clockwise, 0: none */
    double native_vx, native_vy; /* Digital Curling 2 */
    int native_spin;             /* -1 unless the profile is dc2 */
    double translational_velocity, shot_angle, angular_velocity; /* Digital Curling 4, else 0 */
    int concede;
    double win_probability; /* negative: not known */
};

struct rinkd_job {
    long long id;
    char state[16];  /* "ready", "leased", "done", "buried", "cancelled", … */
    double progress; /* negative: not known */
};

struct rinkd rinkd_at(const char *host, const char *port, const char *token);

/* Any request of the contract. body NULL: none. *ret_text (may be NULL) is the answer. */
int rinkd_request(struct rinkd *rink, const char *method, const char *path, const char *body,
                  char **ret_text);

/* Asks for a shot; the query may be an update of a Digital Curling 3 server as it is. */
int rinkd_shot(struct rinkd *rink, const char *query, struct rinkd_shot *ret_shot);

/* Adds a job, {"kind","spec"}; reads one; waits until it has ended. */
int rinkd_submit(struct rinkd *rink, const char *job, struct rinkd_job *ret_job);
int rinkd_job(struct rinkd *rink, long long id, struct rinkd_job *ret_job);
int rinkd_wait(struct rinkd *rink, long long id, struct rinkd_job *ret_job);

/* Reads the lines of a game: one that describes it, then one for each shot. */
int rinkd_game(struct rinkd *rink, const char *id, char **ret_lines);

/* Hears a stream such as /v1/jobs/7/events until it ends or `hear` returns 0. */
int rinkd_events(struct rinkd *rink, const char *path,
                 int (*hear)(void *context, const char *name, const char *data), void *context);

/* Finds a value in a JSON text by a path with dots, "shot.velocity.x" or "items.0.id". The first
 * returns its start, or NULL; the others return 1 and the value, or 0 if it is absent or another
 * type. */
const char *rinkd_find(const char *json, const char *path);
int rinkd_number(const char *json, const char *path, double *ret_number);
int rinkd_text(const char *json, const char *path, char *ret_text, size_t size);

#endif

#ifdef RINKD_IMPLEMENTATION
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* By default; the next one comes after 0.25, 0.5 … s, or what Retry-After says. */
enum { RINKD_TRIES = 7 };

struct rinkd rinkd_at(const char *host, const char *port, const char *token)
{
    struct rinkd rink = {
        .host = host, .port = port, .token = token, .timeout_s = 120, .tries = RINKD_TRIES};
    return rink;
}

/* ---- JSON ---- */

static const char *rinkd_blank(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
        at++;
    return at;
}

/* Returns the end of the string that starts at a quotation mark; NULL: it has none. */
static const char *rinkd_string_end(const char *at)
{
    for (at++; *at; at++) {
        if (*at == '\\' && at[1])
            at++;
        else if (*at == '"')
            return at + 1;
    }
    return NULL;
}

/* Returns the end of a value; NULL: the text is cut off. */
static const char *rinkd_value_end(const char *at)
{
    int depth = 0;

    for (at = rinkd_blank(at); *at;) {
        if (*at == '"') {
            at = rinkd_string_end(at);
            if (!at)
                return NULL;
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
            continue;
        } else if (*at == '}' || *at == ']') {
            if (depth == 0)
                return at;
            depth--;
            at++;
        } else if (depth == 0) {
            at += strcspn(at, ",}] \t\r\n");
        } else {
            at++;
            continue;
        }
        if (depth == 0)
            return at;
    }
    return NULL;
}

/* Returns the value of a member or an element. */
static const char *rinkd_member(const char *at, const char *key, size_t length)
{
    char open = *(at = rinkd_blank(at));
    long index = strtol(key, NULL, 10);

    if (open != '{' && open != '[')
        return NULL;
    at = rinkd_blank(at + 1);
    for (long k = 0; *at && *at != '}' && *at != ']'; k++) {
        int found = open == '[' && k == index;
        if (open == '{') {
            const char *end = *at == '"' ? rinkd_string_end(at) : NULL;
            if (!end)
                return NULL;
            found = (size_t)(end - at) == length + 2 && memcmp(at + 1, key, length) == 0;
            at = rinkd_blank(end);
            if (*at != ':')
                return NULL;
            at = rinkd_blank(at + 1);
        }
        if (found)
            return at;
        at = rinkd_value_end(at);
        if (!at)
            return NULL;
        at = rinkd_blank(at);
        at = *at == ',' ? rinkd_blank(at + 1) : at;
    }
    return NULL;
}

const char *rinkd_find(const char *json, const char *path)
{
    const char *at = json;

    while (at && *path) {
        size_t length = strcspn(path, ".");
        at = rinkd_member(at, path, length);
        path += length + (path[length] == '.');
    }
    return at;
}

int rinkd_number(const char *json, const char *path, double *ret_number)
{
    const char *at = rinkd_find(json, path);
    char *end;

    if (!at || (*at != '-' && !isdigit((unsigned char)*at)))
        return 0;
    *ret_number = strtod(at, &end);
    return 1;
}

int rinkd_text(const char *json, const char *path, char *ret_text, size_t size)
{
    const char *at = rinkd_find(json, path), *end = at && *at == '"' ? rinkd_string_end(at) : NULL;
    size_t used = 0;

    if (!end || size == 0)
        return 0;
    for (at++; at < end - 1 && used + 1 < size; at++) {
        if (*at == '\\' && at[1] != 'u' && at + 1 < end - 1)
            at++; /* simple escapes lose their backslash; \uXXXX stays as it is */
        ret_text[used++] = *at;
    }
    ret_text[used] = '\0';
    return 1;
}

/* ---- HTTP ---- */

static int rinkd_fail(struct rinkd *rink, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(rink->error, sizeof rink->error, format, arguments);
    va_end(arguments);
    return 0;
}

static int rinkd_connect(struct rinkd *rink)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    const struct timeval patience = {.tv_sec = rink->timeout_s};
    struct addrinfo *all;
    int fd = -1, wrong = getaddrinfo(rink->host, rink->port, &hints, &all);

    if (wrong != 0) {
        rinkd_fail(rink, "%s: %s", rink->host, gai_strerror(wrong));
        return -1;
    }
    for (struct addrinfo *one = all; one && fd < 0; one = one->ai_next) {
        fd = socket(one->ai_family, one->ai_socktype, one->ai_protocol);
        if (fd >= 0 && connect(fd, one->ai_addr, one->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(all);
    if (fd < 0)
        rinkd_fail(rink, "nobody answers at %s:%s", rink->host, rink->port);
    else
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return fd;
}

static int rinkd_send(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return 0;
        bytes += sent;
        length -= (size_t)sent;
    }
    return 1;
}

/* Sends a request; the answer ends with its connection. */
static int rinkd_begin(struct rinkd *rink, const char *method, const char *path, const char *more,
                       const char *body)
{
    char head[4096];
    int fd = rinkd_connect(rink);

    if (fd < 0)
        return -1;
    int length = snprintf(head, sizeof head,
                          "%s %s HTTP/1.1\r\nHost: %s:%s\r\nConnection: close\r\n%s%s%s%s", method,
                          path, rink->host, rink->port, rink->token ? "Authorization: Bearer " : "",
                          rink->token ? rink->token : "", rink->token ? "\r\n" : "", more);
    if (length > 0 && (size_t)length < sizeof head && body)
        length +=
            snprintf(head + length, sizeof head - (size_t)length,
                     "Content-Type: application/json\r\nContent-Length: %zu\r\n", strlen(body));
    if (length <= 0 || (size_t)length + 3 > sizeof head) {
        rinkd_fail(rink, "the path, the host or the token is too long");
    } else {
        memcpy(head + length, "\r\n", 3);
        if (rinkd_send(fd, head, (size_t)length + 2) &&
            (!body || rinkd_send(fd, body, strlen(body))))
            return fd;
        rinkd_fail(rink, "the connection broke");
    }
    close(fd);
    return -1;
}

/* Reads to the end of the connection. */
static char *rinkd_read_all(int fd)
{
    size_t size = 65536, used = 0;
    char *text = malloc(size);
    ssize_t got;

    while (text && (got = recv(fd, text + used, size - used - 1, 0)) > 0) {
        used += (size_t)got;
        if (size - used < 2) {
            char *more = realloc(text, size *= 2);
            if (!more)
                free(text);
            text = more;
        }
    }
    if (text)
        text[used] = '\0';
    return text;
}

/* Takes the sizes of chunks out of a body, in place. */
static void rinkd_unchunk(char *body)
{
    char *to = body, *from = body;
    unsigned long size;

    while ((size = strtoul(from, &from, 16)) > 0 && (from = strstr(from, "\r\n")) != NULL) {
        from += 2;
        if (size > strlen(from))
            size = strlen(from);
        memmove(to, from, size);
        to += size;
        from += size;
        from += strncmp(from, "\r\n", 2) == 0 ? 2 : 0;
    }
    *to = '\0';
}

/* Returns the value of a header of an answer, or NULL. */
static const char *rinkd_header(const char *answer, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = strstr(answer, "\r\n"); at && strncmp(at, "\r\n\r\n", 4) != 0;
         at = strstr(at + 2, "\r\n"))
        if (strncasecmp(at + 2, name, length) == 0 && at[2 + length] == ':')
            return rinkd_blank(at + 3 + length);
    return NULL;
}

/* One try. Returns the body, moved to the start of the text; NULL: nobody answered. */
static char *rinkd_try(struct rinkd *rink, const char *method, const char *path, const char *more,
                       const char *body, double *ret_after_s)
{
    int fd = rinkd_begin(rink, method, path, more, body);

    rink->status = 0;
    if (fd < 0)
        return NULL;
    char *answer = rinkd_read_all(fd), *start = answer ? strstr(answer, "\r\n\r\n") : NULL;
    close(fd);
    if (!start || sscanf(answer, "HTTP/1.%*d %d", &rink->status) != 1) {
        rinkd_fail(rink, "no whole answer within %d s", rink->timeout_s);
        rink->status = 0;
        free(answer);
        return NULL;
    }
    const char *after = rinkd_header(answer, "Retry-After");
    const char *coding = rinkd_header(answer, "Transfer-Encoding");
    if (after)
        *ret_after_s = strtod(after, NULL);
    if (coding && strncasecmp(coding, "chunked", 7) == 0)
        rinkd_unchunk(start + 4);
    memmove(answer, start + 4, strlen(start + 4) + 1);
    return answer;
}

/* Repeats a request while that may help. */
static int rinkd_call(struct rinkd *rink, const char *method, const char *path, const char *more,
                      const char *body, char **ret_text)
{
    for (int tries = 0;; tries++) {
        double after_s = 0.25 * (1 << tries);
        char *text = rinkd_try(rink, method, path, more, body, &after_s);
        if (rink->status >= 200 && rink->status < 300) {
            if (ret_text)
                *ret_text = text;
            else
                free(text);
            return 1;
        }
        int again = rink->status == 0 || rink->status == 429 || rink->status == 503;
        if (text)
            rinkd_fail(rink, "status %d: %.450s", rink->status, text);
        free(text);
        if (!again || tries + 1 >= rink->tries)
            return 0;
        struct timespec pause = {.tv_sec = (time_t)after_s,
                                 .tv_nsec = (long)((after_s - (double)(time_t)after_s) * 1e9)};
        nanosleep(&pause, NULL);
    }
}

int rinkd_request(struct rinkd *rink, const char *method, const char *path, const char *body,
                  char **ret_text)
{
    return rinkd_call(rink, method, path, "", body, ret_text);
}

/* ---- shots, jobs, games ---- */

int rinkd_shot(struct rinkd *rink, const char *query, struct rinkd_shot *ret_shot)
{
    struct rinkd_shot shot = {.native_spin = -1, .win_probability = -1.0};
    char rotation[8] = "", *text;
    double number = 0.0;

    if (!rinkd_call(rink, "POST", "/v1/shots", "", query, &text))
        return 0;
    int good = rinkd_number(text, "shot.velocity.x", &shot.vx) &&
               rinkd_number(text, "shot.velocity.y", &shot.vy);
    rinkd_text(text, "shot.rotation", rotation, sizeof rotation);
    shot.spin = strcmp(rotation, "cw") == 0 ? -1 : strcmp(rotation, "ccw") == 0;
    rinkd_number(text, "shot.native.vx", &shot.native_vx);
    rinkd_number(text, "shot.native.vy", &shot.native_vy);
    if (rinkd_number(text, "shot.native.spin", &number))
        shot.native_spin = (int)number;
    rinkd_number(text, "shot.translational_velocity", &shot.translational_velocity);
    rinkd_number(text, "shot.shot_angle", &shot.shot_angle);
    rinkd_number(text, "shot.angular_velocity", &shot.angular_velocity);
    const char *concede = rinkd_find(text, "concede");
    shot.concede = concede && strncmp(concede, "true", 4) == 0;
    rinkd_number(text, "value.win_probability", &shot.win_probability);
    if (good)
        *ret_shot = shot;
    else
        rinkd_fail(rink, "an answer without a shot: %.400s", text);
    free(text);
    return good;
}

/* Reads a job from the answer and frees it. */
static int rinkd_read_job(struct rinkd *rink, char *text, struct rinkd_job *ret_job)
{
    struct rinkd_job job = {.progress = -1.0};
    double id = 0.0;
    int good =
        rinkd_number(text, "id", &id) && rinkd_text(text, "state", job.state, sizeof job.state);

    job.id = (long long)id;
    rinkd_number(text, "progress", &job.progress);
    if (good)
        *ret_job = job;
    else
        rinkd_fail(rink, "an answer without a job: %.400s", text);
    free(text);
    return good;
}

int rinkd_submit(struct rinkd *rink, const char *job, struct rinkd_job *ret_job)
{
    static unsigned long count;
    char key[128], *text;
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(key, sizeof key, "Idempotency-Key: %ld-%lld-%ld-%lu\r\n", (long)getpid(),
             (long long)now.tv_sec, now.tv_nsec, count++);
    return rinkd_call(rink, "POST", "/v1/jobs", key, job, &text) &&
           rinkd_read_job(rink, text, ret_job);
}

static int rinkd_get_job(struct rinkd *rink, long long id, const char *more,
                         struct rinkd_job *ret_job)
{
    char path[64], *text;

    snprintf(path, sizeof path, "/v1/jobs/%lld", id);
    return rinkd_call(rink, "GET", path, more, NULL, &text) && rinkd_read_job(rink, text, ret_job);
}

int rinkd_job(struct rinkd *rink, long long id, struct rinkd_job *ret_job)
{
    return rinkd_get_job(rink, id, "", ret_job);
}

int rinkd_wait(struct rinkd *rink, long long id, struct rinkd_job *ret_job)
{
    while (rinkd_get_job(rink, id, "Prefer: wait=30\r\n", ret_job))
        if (strcmp(ret_job->state, "done") == 0 || strcmp(ret_job->state, "buried") == 0 ||
            strcmp(ret_job->state, "cancelled") == 0)
            return 1;
    return 0;
}

int rinkd_game(struct rinkd *rink, const char *id, char **ret_lines)
{
    char path[128];

    snprintf(path, sizeof path, "/v1/games/%.80s", id);
    return rinkd_call(rink, "GET", path, "Accept: application/x-ndjson\r\n", NULL, ret_lines);
}

/* ---- events ---- */

int rinkd_events(struct rinkd *rink, const char *path,
                 int (*hear)(void *context, const char *name, const char *data), void *context)
{
    int fd = rinkd_begin(rink, "GET", path, "Accept: text/event-stream\r\n", NULL);
    FILE *stream = fd >= 0 ? fdopen(fd, "r") : NULL;
    char *line = NULL, *data = NULL, name[64] = "";
    size_t size = 0;
    int more = 1;

    rink->status = 0;
    if (!stream)
        return 0;
    while (more && getline(&line, &size, stream) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (rink->status == 0 && sscanf(line, "HTTP/1.%*d %d", &rink->status) == 1 &&
            rink->status != 200)
            break;
        if (strncmp(line, "event: ", 7) == 0) {
            snprintf(name, sizeof name, "%s", line + 7);
        } else if (strncmp(line, "data: ", 6) == 0) {
            free(data);
            data = strdup(line + 6);
            /* The service writes the data of an event in one line. */
            more = data && hear(context, name, data);
        }
    }
    free(data);
    free(line);
    fclose(stream);
    return rink->status == 200 ? 1 : rinkd_fail(rink, "status %d", rink->status);
}
#endif
