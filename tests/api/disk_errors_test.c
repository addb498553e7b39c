/* The disk breaks at each call of each change, once or for good, while the real daemon works or
 * starts: a change is refused with an error or done, what was acknowledged stays, and the next try
 * works. ctest tries some of the calls, `test_api_disk_errors --all` tries each; further arguments
 * choose changes by a part of their path. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/api/failing.h"
#include "tests/patience.h"

#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_BYTES = 128, PROMISES_MAX = 20000, GONE = 404 };

static struct failing *disk;
static int growth = 1; /* step between tried calls: n / growth */
static int sample = 7; /* of so many ways to fail a change, one is tried: each costs a second, until
                        * the daemon looks at its disk again */
static char **chosen;  /* parts of paths, NULL at the end */

static const char *const call_names[FAILING_CALLS] = {
    [FAILING_OPEN] = "open",         [FAILING_WRITE] = "write",   [FAILING_SYNC] = "fsync",
    [FAILING_TRUNCATE] = "truncate", [FAILING_RENAME] = "rename",
};

/* ---- changes ---- */

#define MATCH                                                                         \
    "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"random\",\"pairs\":1," \
    "\"ends\":1},\"delay_s\":86400}"
/* safetensors: the length of the header, the header, four bytes */
#define WEIGHTS \
    "6\0\0\0\0\0\0\0{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}abcd"

struct step {
    const char *method, *path, *body;
    int status;
};

/* A change of a fresh thing. In paths and bodies "@" stands for the thing: the id of the job that
 * the first step adds, else a number. After the change GET of `look` gives `found`, with that text
 * in it. */
static const struct change {
    struct step before[2], change;
    const char *look;
    int found;
    const char *text;
} changes[] = {
    {.before = {{"POST", "/v1/jobs", MATCH, 202}},
     .change = {"POST", "/v1/jobs/@/cancel", NULL, 202},
     "/v1/jobs/@",
     200,
     "\"state\":\"cancelled\""},
    {.before = {{"POST", "/v1/jobs", MATCH, 202}},
     .change = {"POST", "/v1/jobs/@/pause", NULL, 202},
     "/v1/jobs/@",
     200,
     "\"state\":\"paused\""},
    {.before = {{"POST", "/v1/jobs", MATCH, 202}, {"POST", "/v1/jobs/@/pause", NULL, 202}},
     .change = {"POST", "/v1/jobs/@/resume", NULL, 202},
     "/v1/jobs/@",
     200,
     "\"state\":\"ready\""},
    {.before = {{"POST", "/v1/jobs", MATCH, 202}, {"POST", "/v1/jobs/@/cancel", NULL, 202}},
     .change = {"DELETE", "/v1/jobs/@", NULL, 204},
     "/v1/jobs/@",
     GONE,
     ""},
    {.change = {"POST", "/v1/jobs", MATCH, 202}, "/v1/jobs/@", 200, "\"state\":\"ready\""},
    {.change = {"POST", "/v1/players", "{\"name\":\"p@\",\"spec\":\"rink\"}", 201},
     "/v1/players/p@",
     200,
     "rink"},
    {.before = {{"POST", "/v1/players", "{\"name\":\"p@\",\"spec\":\"rink\"}", 201}},
     .change = {"DELETE", "/v1/players/p@", NULL, 204},
     "/v1/players/p@",
     GONE,
     ""},
    {.change = {"PUT", "/v1/models/m@", WEIGHTS, 201}, "/v1/models/m@/weights", 200, ""},
    {.before = {{"PUT", "/v1/models/m@", WEIGHTS, 201}},
     .change = {"PATCH", "/v1/models/m@", "{\"card\":{\"note\":\"kept\"}}", 200},
     "/v1/models/m@",
     200,
     "\"note\":\"kept\""},
    {.before = {{"PUT", "/v1/models/m@", WEIGHTS, 201}},
     .change = {"PUT", "/v1/models/m@/aliases/a@", NULL, 200},
     "/v1/models/a@",
     200,
     ""},
    {.before = {{"PUT", "/v1/models/m@", WEIGHTS, 201},
                {"PUT", "/v1/models/m@/aliases/a@", NULL, 200}},
     .change = {"DELETE", "/v1/models/m@/aliases/a@", NULL, 204},
     "/v1/models/a@",
     GONE,
     ""},
    {.before = {{"PUT", "/v1/models/m@", WEIGHTS, 201}},
     .change = {"DELETE", "/v1/models/m@", NULL, 204},
     "/v1/models/m@",
     GONE,
     ""},
    {.change = {"POST", "/v1/backup", NULL, 201}, "/healthz", 200, ""},
};

enum { CHANGES = sizeof changes / sizeof *changes };

/* An acknowledged change: it has to hold after a kill and a start, too. */
static struct promise {
    const struct change *change;
    int64_t thing;
} promises[PROMISES_MAX];
static int promised, refused;

/* Writes the text with the thing in place of "@". */
static const char *about(const char *text, int64_t thing, char ret_text[PATH_BYTES])
{
    const char *at = strchr(text, '@');
    const char *next = at ? strchr(at + 1, '@') : NULL;
    int middle = next ? (int)(next - at - 1) : 0;

    if (!at)
        snprintf(ret_text, PATH_BYTES, "%s", text);
    else if (!next)
        snprintf(ret_text, PATH_BYTES, "%.*s%lld%s", (int)(at - text), text, (long long)thing,
                 at + 1);
    else
        snprintf(ret_text, PATH_BYTES, "%.*s%lld%.*s%lld%s", (int)(at - text), text,
                 (long long)thing, middle, at + 1, (long long)thing, next + 1);
    return ret_text;
}

/* Sends the request. A job that it adds becomes the thing. */
static struct reply ask(const struct step *step, int64_t *thing)
{
    static const char *const json[] = {"Content-Type: application/json", NULL};
    static const char *const bytes[] = {"Content-Type: application/octet-stream", NULL};
    bool is_file = step->body && step->body[1] == '\0';
    char path[PATH_BYTES], body[PATH_BYTES];
    struct client_call call = {.method = step->method,
                               .path = about(step->path, *thing, path),
                               .body = step->body,
                               .header = is_file ? bytes : json,
                               .bytes = is_file ? sizeof WEIGHTS - 1 : 0};

    if (!is_file && step->body && strchr(step->body, '@'))
        call.body = about(step->body, *thing, body);
    if (!step->body)
        call.header = NULL;
    struct reply reply = client_call(daemon_here.port, &call);
    if (reply.status == 202 && strcmp(step->path, "/v1/jobs") == 0)
        *thing = json_integer_value(json_object_get(reply.json, "id"));
    return reply;
}

static bool holds(const struct change *change, int64_t thing)
{
    char path[PATH_BYTES];
    struct reply reply = client_get(daemon_here.port, about(change->look, thing, path));
    bool found = reply.status == change->found && strstr(reply.text, change->text);

    reply_free(&reply);
    return found;
}

/* ---- one failure ---- */

static void wait_ready(void)
{
    assert_int_equal(waitpid(daemon_here.pid, NULL, WNOHANG), 0);
    daemon_wait_ready(&daemon_here);
}

static void promise(const struct change *change, int64_t thing)
{
    assert_true(promised < PROMISES_MAX);
    promises[promised++] = (struct promise){change, thing};
}

static int64_t prepare(const struct change *change)
{
    static int64_t number;
    int64_t thing = ++number;

    for (const struct step *step = change->before; step < change->before + 2 && step->method;
         step++) {
        struct reply reply = ask(step, &thing);
        if (reply.status != step->status)
            fail_msg("%s %s: %ld, %s", step->method, step->path, reply.status, reply.text);
        reply_free(&reply);
    }
    return thing;
}

/* Makes the change while the disk is broken, and again on a sound one if it was refused. Returns
 * whether a call failed. */
static bool change_once(const struct change *change, enum failing_call call, long n, bool for_ever)
{
    int64_t thing = prepare(change);

    failing_arm(disk, call, n, for_ever);
    struct reply reply = ask(&change->change, &thing);
    bool has_failed = failing_disarm(disk);
    bool done = reply.status == change->change.status;
    if (!done && reply.status != 503 && reply.status != 507)
        fail_msg("%s %s, %s %ld%s: %ld %s", change->change.method, change->change.path,
                 call_names[call], n, for_ever ? " and all after it" : "", reply.status,
                 reply.text);
    reply_free(&reply);
    wait_ready();
    if (!done) {
        refused++;
        reply = ask(&change->change, &thing);
        /* What failed at last may have taken effect. */
        bool was_done = (reply.status == 409 || reply.status == GONE || reply.status == 200) &&
                        holds(change, thing);
        if (reply.status != change->change.status && !was_done)
            fail_msg("%s %s does not work again after %s %ld: %ld %s", change->change.method,
                     change->change.path, call_names[call], n, reply.status, reply.text);
        reply_free(&reply);
    }
    if (!holds(change, thing))
        fail_msg("%s %s, %s %ld: acknowledged, and not done", change->change.method,
                 change->change.path, call_names[call], n);
    promise(change, thing);
    return has_failed;
}

static bool is_chosen(const struct change *change)
{
    bool found = !*chosen;

    for (char **part = chosen; *part; part++)
        found = found || strstr(change->change.path, *part);
    return found;
}

static void try_calls(const struct change *change, enum failing_call call, bool for_ever)
{
    long n = 1, tries = 0;

    for (; change_once(change, call, n, for_ever); tries++)
        n += 1 + n / growth;
    if (tries > 0)
        printf("%s %s: %ld of %ld %s%s\n", change->change.method, change->change.path, tries, n - 1,
               call_names[call], for_ever ? ", for ever" : "");
}

static void every_change_survives_a_broken_disk(void **state)
{
    int way = 0;

    (void)state;
    for (const struct change *change = changes; change < changes + CHANGES; change++)
        for (int call = FAILING_OPEN; call < FAILING_CALLS && is_chosen(change); call++)
            for (int for_ever = 0; for_ever < 2; for_ever++)
                if (way++ % sample == 0)
                    try_calls(change, (enum failing_call)call, for_ever);
    printf("%d changes refused, %d acknowledged\n", refused, promised);
    assert_true(refused > 0);
}

/* ---- kill and start ---- */

static void what_was_acknowledged_survives_a_kill(void **state)
{
    (void)state;
    assert_true(promised > 0);
    daemon_end(&daemon_here, SIGKILL);
    int status;
    assert_true(failing_start(&daemon_here, BROKEN_DISK_LIBRARY, NULL, &status));
    wait_ready();
    for (int k = 0; k < promised; k++)
        if (!holds(promises[k].change, promises[k].thing))
            fail_msg("%s %s of %lld is lost", promises[k].change->change.method,
                     promises[k].change->change.path, (long long)promises[k].thing);
}

/* Starts on a broken disk. It either ends with a sentence or runs; then the disk is mended. Returns
 * whether a call failed. */
static bool start_once(enum failing_call call, long n, bool for_ever)
{
    int status = 0;

    failing_arm(disk, call, n, for_ever);
    bool started = failing_start(&daemon_here, BROKEN_DISK_LIBRARY, NULL, &status);
    bool has_failed = failing_disarm(disk);
    if (!started && (!has_failed || status == 0 || status >= 128))
        fail_msg("start, %s %ld: ended with %d", call_names[call], n, status);
    if (!started)
        assert_true(failing_start(&daemon_here, BROKEN_DISK_LIBRARY, NULL, &status));
    wait_ready();
    assert_true(holds(promises[0].change, promises[0].thing));
    daemon_end(&daemon_here, SIGKILL); /* leaves a log to be recovered */
    return has_failed;
}

static void a_start_on_a_broken_disk_loses_nothing(void **state)
{
    (void)state;
    daemon_end(&daemon_here, SIGKILL);
    for (int call = FAILING_OPEN; call < FAILING_CALLS; call++)
        for (int for_ever = 0; for_ever < 2; for_ever++) {
            long n = 1, tries = 1;
            for (; start_once((enum failing_call)call, n, for_ever); tries++)
                n += 1 + n / growth;
            printf("start: %ld of %ld %s%s\n", tries - 1, n - 1, call_names[call],
                   for_ever ? ", for ever" : "");
        }
    daemon_start_well(&daemon_here, NULL);
}

static int begin(void **state)
{
    int status;

    (void)state;
    daemon_prepare(&daemon_here);
    disk = failing_make(&daemon_here);
    assert_true(failing_start(&daemon_here, BROKEN_DISK_LIBRARY, NULL, &status));
    daemon_wait_ready(&daemon_here);
    return 0;
}

static int end(void **state)
{
    (void)state;
    return daemon_end_well(&daemon_here) ? 0 : -1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_survives_a_broken_disk),
        cmocka_unit_test(what_was_acknowledged_survives_a_kill),
        cmocka_unit_test(a_start_on_a_broken_disk_loses_nothing),
    };

    (void)argc;
    chosen = argv + 1;
    if (*chosen && strcmp(*chosen, "--all") == 0) {
        growth = INT_MAX;
        sample = 1;
        chosen++;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    return cmocka_run_group_tests(tests, begin, end);
}
