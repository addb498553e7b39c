/* Follows the state of a job, and shows it. */
#include "service/rinkctl/watch.h"

#include "api/base/clock.h"
#include "api/jobs/job_states.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define BAR_WIDTH  30
#define ASK_S      1.0
#define LINE_SHARE 0.1 /* progress between two lines, without a bar */

struct view {
    const char *id;
    bool has_bar, is_drawn;
    char state[32];
    double progress, eta_s; /* NAN: not known */
    double told;            /* progress of the last line */
};

static bool has_ended(const char *state)
{
    enum job_state known;

    return job_state_read(state, &known) && job_has_ended(known);
}

/* ---- the bar, or lines ---- */

static void write_left(const struct view *view, char ret_left[CELL_BYTES])
{
    char cell[CELL_BYTES];

    *ret_left = '\0';
    if (isnan(view->eta_s) || has_ended(view->state))
        return;
    json_t *eta = json_real(view->eta_s);
    print_duration(eta, cell);
    json_decref(eta);
    snprintf(ret_left, CELL_BYTES, ", %.100s left", cell);
}

/* Draws the bar again, or writes a line. */
static void draw(struct view *view)
{
    char bar[BAR_WIDTH + 1] = "", left[CELL_BYTES];

    for (int k = 0; k < BAR_WIDTH; k++)
        bar[k] = k < view->progress * BAR_WIDTH ? '#' : '-'; /* NAN: none */
    write_left(view, left);
    if (view->has_bar)
        fprintf(stderr, "\rjob %s [%s] ", view->id, bar);
    else
        fprintf(stderr, "job %s ", view->id);
    print_text(stderr, view->state, false);
    if (!isnan(view->progress))
        fprintf(stderr, ", %.1f %%", 100.0 * view->progress);
    fprintf(stderr, "%s%s", left, view->has_bar ? "\033[K" : "\n");
    fflush(stderr);
    view->is_drawn = view->has_bar;
    view->told = view->progress;
}

static void clear(struct view *view)
{
    if (view->is_drawn)
        fputs("\r\033[K", stderr);
    view->is_drawn = false;
}

/* Updates the view from an event or from the job itself. */
static void update(struct view *view, const json_t *data)
{
    const char *state = text_of(data, "state");
    double progress = number_of(data, "progress");
    bool moved = *state && strcmp(state, view->state) != 0;

    if (moved)
        snprintf(view->state, sizeof view->state, "%s", state);
    if (!isnan(progress)) {
        view->progress = progress;
        view->eta_s = number_of(data, "eta_s");
    }
    if (view->has_bar || moved ||
        (!has_ended(view->state) && !(view->progress < view->told + LINE_SHARE) &&
         !isnan(view->progress)))
        draw(view); /* also the first time, when `told` is NAN */
}

static void tell(struct view *view, const char *text)
{
    clear(view);
    fprintf(stderr, "job %s: %s\n", view->id, text);
}

/* ---- events ---- */

static bool on_event(void *context, const char *name, const json_t *data)
{
    struct view *view = context;

    if (strcmp(name, "done") == 0)
        return false;
    if (strcmp(name, "reset") == 0 || strcmp(name, "state") == 0 || strcmp(name, "progress") == 0)
        update(view, data);
    /* "done" comes after the state of that name, with the result. */
    return !has_ended(view->state) || strcmp(view->state, "done") == 0;
}

static void on_signal(int number)
{
    (void)number;
    client_interrupted = 1;
}

/* Gets the job; owned by the caller. Waits for a server that is away, if `patience_s` > 0. */
static enum exit_status get_job(struct client *client, struct view *view, double patience_s,
                                json_t **ret_job)
{
    struct client_call call = {.path = "/v1/jobs/{}", .id = view->id, .quiet = true};
    struct client_answer answer;
    double until_s = clock_now_s() + patience_s;
    bool told = false;

    for (;;) {
        call.quiet = clock_now_s() < until_s && patience_s > 0.0;
        if (!call.quiet)
            clear(view);
        enum exit_status status = client_call(client, &call, &answer);
        bool away = status == EXIT_NO_CONNECTION || answer.status == 503 || answer.status == 502;
        if (status == EXIT_GOOD)
            *ret_job = json_incref(answer.json);
        if (status != EXIT_GOOD && call.quiet && !away && !client_interrupted) {
            clear(view);
            client_complain(client, &answer);
        }
        client_answer_free(&answer);
        if (!call.quiet || !away || client_interrupted)
            return status;
        if (!told)
            tell(view, "the server is away; waiting for it");
        told = true;
        client_sleep(ASK_S);
    }
}

/* ---- the end ---- */

static enum exit_status report(const struct line *line, const json_t *job)
{
    const char *state = text_of(job, "state");
    const json_t *result = json_object_get(job, "result");

    if (option_given(line, "json")) {
        enum exit_status status = print_json(line->name, job);
        return status == EXIT_GOOD && strcmp(state, "done") != 0 ? EXIT_TROUBLE : status;
    }
    if (json_is_object(result))
        print_result(stdout, text_of(job, "kind"), result);
    if (strcmp(state, "done") == 0)
        return EXIT_GOOD;
    complain(line->name, "job %lld was %s%s%s",
             (long long)json_integer_value(json_object_get(job, "id")), state,
             *text_of(job, "error.detail") ? ": " : "", text_of(job, "error.detail"));
    return EXIT_TROUBLE;
}

enum exit_status watch_job(const struct line *line, const char *id, double patience_s)
{
    struct view view = {
        .id = id, .has_bar = isatty(STDERR_FILENO), .progress = NAN, .eta_s = NAN, .told = NAN};
    const struct client_call events = {.path = "/v1/jobs/{}/events", .id = id};
    const struct sigaction action = {.sa_handler = on_signal};
    enum exit_status status;
    json_t *job = NULL;
    bool first = true;

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    for (;;) {
        status = get_job(line->client, &view, first ? 0.0 : patience_s, &job);
        first = false;
        if (status != EXIT_GOOD)
            break;
        update(&view, job);
        if (has_ended(view.state))
            break;
        json_decref(job);
        job = NULL;
        bool heard = client_listen(line->client, &events, on_event, &view);
        if (client_interrupted)
            break;
        /* The stream ended early, as when the server stops, or there was none. */
        if (!heard || !has_ended(view.state))
            client_sleep(ASK_S);
    }
    if (client_interrupted && !job) {
        tell(&view, "is not watched any more; it goes on");
        return EXIT_INTERRUPTED;
    }
    clear(&view);
    if (status == EXIT_GOOD)
        status = report(line, job);
    json_decref(job);
    return status;
}
