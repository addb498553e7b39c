/* Runs the programs, keeps their numbers, compares. See golden.h. */
#include "service/nodes/golden.h"

#include "api/base/build_json.h"
#include "api/base/clock.h"
#include "api/base/load_json.h"
#include "api/jobs/job_kinds.h"
#include "service/base/base.h"
#include "service/base/child.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/log.h"
#include "service/http/http.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 65536, PATIENCE_MS = 120000, NICENESS = 10, REST_S = 5 };

static const char *const programs[] = {"rink-evaluate", "rink-learn", NULL};

struct golden {
    const struct base *base;
    json_t *numbers;     /* {program: {name: value}} */
    int next;            /* index of the program that runs, or runs next */
    struct child *child; /* NULL: none runs */
    bool has_answer;     /* of the program that runs */
    bool is_stopped;
    double rest_until_s; /* a program has failed: none starts before */
    struct http_request **waiting;
    size_t waiting_count, waiting_room;
};

struct golden *golden_new(const struct base *base)
{
    struct golden *golden = calloc(1, sizeof *golden);

    if (golden && !(golden->numbers = json_object())) {
        free(golden);
        golden = NULL;
    }
    if (golden)
        golden->base = base;
    return golden;
}

void golden_free(struct golden *golden)
{
    if (!golden)
        return;
    json_decref(golden->numbers);
    free(golden->waiting);
    free(golden);
}

/* ---- who waits for them ---- */

static enum api_error wait(struct golden *golden, struct http_request *request)
{
    size_t room = golden->waiting_room > 0 ? 2 * golden->waiting_room : 16;

    if (golden->waiting_count == golden->waiting_room) {
        struct http_request **more =
            realloc((void *)golden->waiting, room * sizeof *golden->waiting);
        if (!more)
            return API_NO_MEMORY;
        golden->waiting = more;
        golden->waiting_room = room;
    }
    golden->waiting[golden->waiting_count++] = request;
    http_postpone(request);
    return API_BUSY;
}

/* In the order they came: of two of the same name the last one counts. */
static void run_those_that_wait(struct golden *golden)
{
    for (size_t k = 0; k < golden->waiting_count; k++)
        http_run_again(golden->waiting[k]);
    golden->waiting_count = 0;
}

/* ---- running ---- */

static void on_line(void *context, const char *text, size_t length)
{
    struct golden *golden = context;
    json_t *answer = text ? load_json(text, length, 0, NULL) : NULL;
    json_t *numbers = json_object_get(answer, "golden");

    if (json_is_object(numbers))
        golden->has_answer = json_object_set(golden->numbers, programs[golden->next], numbers) == 0;
    json_decref(answer);
}

static enum api_error start(struct golden *golden);

static void on_ended(void *context, int status)
{
    struct golden *golden = context;
    char how[64];

    golden->child = NULL;
    if (golden->has_answer) {
        golden->next++;
        if (programs[golden->next] && !golden->is_stopped && start(golden) != API_OK)
            golden->rest_until_s = clock_now_s() + REST_S;
    } else if (!golden->is_stopped) {
        golden->rest_until_s = clock_now_s() + REST_S;
        child_describe(status, sizeof how, how);
        log_line(LOG_ERROR, "no golden numbers", log_text("program", programs[golden->next]),
                 log_text("how", how));
    }
    if (!golden->child)
        run_those_that_wait(golden);
}

static enum api_error start(struct golden *golden)
{
    const char *const argv[] = {programs[golden->next], "golden", NULL};
    const struct child_settings settings = {.argv = argv,
                                            .line_fd = 0,
                                            .line_max = LINE_MAX_BYTES,
                                            .niceness = NICENESS,
                                            .patience_ms = PATIENCE_MS,
                                            .context = golden,
                                            .line = on_line,
                                            .ended = on_ended};

    golden->has_answer = false;
    enum api_error error =
        child_start(core_loop(golden->base->core), golden->base->config, &settings, &golden->child);
    if (error != API_NO_WORKER)
        return error;
    /* An image may come without a program; its kinds then depend on nothing here. */
    log_line(LOG_WARNING, "no golden numbers", log_text("program", programs[golden->next]),
             log_text("how", "there is no such program"));
    if (json_object_set_new(golden->numbers, programs[golden->next], json_null()) != 0)
        return API_NO_MEMORY;
    golden->next++;
    return programs[golden->next] ? start(golden) : API_OK;
}

enum api_error golden_ready(struct golden *golden, struct http_request *request)
{
    if (!programs[golden->next])
        return API_OK;
    if (golden->is_stopped)
        return API_DRAINING;
    if (golden->child)
        return wait(golden, request);
    if (clock_now_s() < golden->rest_until_s)
        return API_NO_WORKER;
    enum api_error error = start(golden);
    return error != API_OK ? error : programs[golden->next] ? wait(golden, request) : API_OK;
}

void golden_stop(struct golden *golden)
{
    golden->is_stopped = true;
    if (golden->child)
        child_kill(golden->child);
    run_those_that_wait(golden);
}

bool golden_is_busy(const struct golden *golden)
{
    return golden->child != NULL;
}

/* ---- comparing ---- */

/* Poker depends on its own number, and nothing else does. */
static bool concerns(const char *number, const char *kind)
{
    bool is_poker = strncmp(kind, "poker", 5) == 0;

    return (strncmp(number, "holdem", 6) == 0) == is_poker;
}

/* Every kind depends on what rink-evaluate computes; those of rink-learn on its numbers, too. */
static bool depends_on(const struct job_kind *kind, const char *program)
{
    return strcmp(program, programs[0]) == 0 || strcmp(program, kind->program) == 0;
}

/* A sentence about the first number that differs, the caller's; NULL: none does. */
static json_t *find_difference(const struct golden *golden, const json_t *numbers,
                               const struct job_kind *kind)
{
    const char *name;
    json_t *own;

    for (int k = 0; programs[k]; k++)
        json_object_foreach(json_object_get(golden->numbers, programs[k]), name, own)
        {
            const char *here = json_string_value(own);
            const char *there = json_string_value(json_object_get(numbers, name));
            if (!here || !depends_on(kind, programs[k]) || !concerns(name, kind->name) ||
                (there && strcmp(here, there) == 0))
                continue;
            return there ? json_sprintf("the golden number %s of %s is %s there and %s here", name,
                                        programs[k], there, here)
                         : json_sprintf("the golden number %s of %s is missing there and %s here",
                                        name, programs[k], here);
        }
    return NULL;
}

static bool is_wanted(const json_t *wanted, const char *kind)
{
    const json_t *name;
    size_t k;

    json_array_foreach(wanted, k, name) if (strcmp(json_string_value(name), kind) == 0) return true;
    return wanted == NULL;
}

bool golden_compare(const struct golden *golden, const json_t *numbers, const json_t *wanted,
                    json_t **ret_kinds, json_t **ret_refused)
{
    json_t *kinds = json_array(), *refused = json_array();
    bool good = kinds && refused;

    for (int k = 0; good && job_kind_at(k); k++) {
        const struct job_kind *kind = job_kind_at(k);
        if (!kind->has_tasks || !is_wanted(wanted, kind->name))
            continue;
        json_t *reason = find_difference(golden, numbers, kind);
        if (reason)
            good = build_append(refused,
                                json_pack("{s:s, s:o}", "kind", kind->name, "reason", reason));
        else
            good = build_append(kinds, json_string(kind->name));
    }
    if (good) {
        *ret_kinds = kinds;
        *ret_refused = refused;
        return true;
    }
    json_decref(kinds);
    json_decref(refused);
    return false;
}
