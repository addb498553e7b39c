/* rinkctl shot, map, calls: a position in; the best shot, a map of all aims, or the value of calls
 * out. */
#include "api/curling/shot_json.h"
#include "service/rinkctl/page.h"
#include "service/rinkctl/position_file.h"
#include "service/rinkctl/submit_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MARGIN_S 10.0
#define UNLIMITED_S      3600.0 /* if the query has no time limit */

static void prepare(struct line *line, int argc, char **argv)
{
    (void)argc, (void)argv;
    line->options = shot_options();
}

static void prepare_map(struct line *line, int argc, char **argv)
{
    (void)argc, (void)argv;
    line->options = map_options();
}

static void prepare_calls(struct line *line, int argc, char **argv)
{
    (void)argc, (void)argv;
    line->options = calls_options();
}

/* How long to wait for the answer, in seconds. */
static double patience_s(const json_t *query)
{
    double timeout_ms = number_of(query, "timeout_ms"),
           time_ms = number_of(query, "limits.time_ms");

    /* A thinking time alone does not limit the wait for a turn. */
    return isnan(timeout_ms) ? UNLIMITED_S + (isnan(time_ms) ? 0.0 : 1e-3 * time_ms)
                             : 1e-3 * timeout_ms + TIMEOUT_MARGIN_S;
}

/* ---- the answer for people ---- */

/* "velocity (0.1317, 2.3997) m/s, ccw" */
static void print_shot(const json_t *shot)
{
    const char *rotation = text_of(shot, "rotation");

    printf("shot         velocity (%.4f, %.4f) m/s, %s\n", number_of(shot, "velocity.x"),
           number_of(shot, "velocity.y"), *rotation ? rotation : "no rotation");
    if (json_object_get(shot, "native"))
        printf("for dc2      vx %.9g, vy %.9g, spin %.0f\n", number_of(shot, "native.vx"),
               number_of(shot, "native.vy"), number_of(shot, "native.spin"));
    if (json_object_get(shot, "translational_velocity"))
        printf("for dc4      translational_velocity %.9g m/s, shot_angle %.9g rad, "
               "angular_velocity %.9g rad/s\n",
               number_of(shot, "translational_velocity"), number_of(shot, "shot_angle"),
               number_of(shot, "angular_velocity"));
}

static void print_value(const json_t *answer)
{
    const json_t *value = json_object_get(answer, "value"), *share;
    const char *score;
    char cell[CELL_BYTES];
    const char *gap = "             ";

    printf("side         ");
    print_text(stdout, text_of(answer, "side"), false);
    if (json_is_true(json_object_get(answer, "concede")))
        fputs(", would concede", stdout);
    putchar('\n');
    if (!json_is_object(value))
        return;
    print_percent(json_object_get(value, "win_probability"), cell);
    printf("wins         %s of the games\n", cell);
    print_signed(json_object_get(value, "expected_score"), cell);
    printf("scores       %s points of this end on average\n", cell);
    json_object_foreach(json_object_get(value, "score_distribution"), score, share)
    {
        if (json_number_value(share) < 0.0005)
            continue;
        print_percent(share, cell);
        fputs(gap, stdout);
        print_text(stdout, score, false);
        printf(": %s", cell);
        gap = "  ";
    }
    putchar('\n');
}

/* The columns in units of the player's objective. */
enum { BOUND_COLUMN = 6, DIFFERENCE_COLUMN };

static const struct column candidate_columns[] = {
    {"kind", "kind", NULL, false},
    {"x m/s", "shot.velocity.x", print_speed, true},
    {"y m/s", "shot.velocity.y", print_speed, true},
    {"turn", "shot.rotation", NULL, false},
    {"visits", "visits", NULL, true},
    {"wins", "win_probability", print_percent, true},
    [BOUND_COLUMN] = {"at least", "lcb", print_percent, true},
    [DIFFERENCE_COLUMN] = {"to best", "difference", print_percent, true},
    {"points", "expected_score", print_signed, true},
    {"prior", "prior", print_percent, true},
    {"success", "success", print_percent, true},
    {0},
};

static void show_answer(const struct line *line, const struct client_answer *all)
{
    const json_t *answer = all->json;
    const char *stopped = text_of(answer, "stopped");
    const json_t *candidates = json_object_get(answer, "candidates");
    char elapsed[CELL_BYTES];

    (void)line;
    print_shot(json_object_get(answer, "shot"));
    print_value(answer);
    fputs("player       ", stdout);
    print_text(stdout, text_of(answer, "player.name"), false);
    snprintf(elapsed, sizeof elapsed, "%.0f ms, after a wait of %.0f ms",
             number_of(answer, "elapsed_ms"), number_of(answer, "queue_ms"));
    printf(", %.0f simulated throws in %s%s%s\n", number_of(answer, "simulations"), elapsed,
           *stopped ? ", ended early: " : "", stopped);
    if (json_array_size(candidates) > 0) {
        struct column columns[sizeof candidate_columns / sizeof candidate_columns[0]];
        memcpy(columns, candidate_columns, sizeof columns);
        if (strcmp(text_of(answer, "player.objective"), "score") == 0)
            columns[BOUND_COLUMN].write = columns[DIFFERENCE_COLUMN].write = print_signed;
        putchar('\n');
        print_table(stdout, columns, candidates);
    }
}

/* ---- maps and calls for people ---- */

static const struct column best_columns[] = {
    {"kind", "kind", NULL, false},
    {"weight", "weight", NULL, false},
    {"x m/s", "shot.velocity.x", print_speed, true},
    {"y m/s", "shot.velocity.y", print_speed, true},
    {"turn", "shot.rotation", NULL, false},
    {"wins", "win_probability", print_percent, true},
    {"to best", "win_difference", print_percent, true},
    {"points", "expected_score", print_signed, true},
    {"hand costs", "hand_costs.win_probability", print_percent, true},
    {0},
};

static void print_effort(const json_t *answer)
{
    const char *stopped = text_of(answer, "stopped");

    printf("%s, %.0f simulated throws in %.0f ms, after a wait of %.0f ms%s%s\n",
           text_of(answer, "side"), number_of(answer, "simulations"),
           number_of(answer, "elapsed_ms"), number_of(answer, "queue_ms"),
           *stopped ? ", ended early: " : "", stopped);
}

static void show_map(const struct line *line, const struct client_answer *all)
{
    (void)line;
    print_effort(all->json);
    print_table(stdout, best_columns, json_object_get(all->json, "best"));
}

/* Half the width of an interval, in percent. */
static double half_percent(const json_t *interval)
{
    return 50.0 * (json_number_value(json_array_get(interval, 1)) -
                   json_number_value(json_array_get(interval, 0)));
}

static void show_calls(const struct line *line, const struct client_answer *all)
{
    const json_t *calls = json_object_get(all->json, "calls");
    json_t *call;
    size_t k;

    (void)line;
    print_effort(all->json);
    json_array_foreach(calls, k, call)
    {
        const json_t *interval = json_object_get(call, "win_difference_interval");
        printf("call %zu       ", k + 1);
        print_text(stdout, text_of(call, "kind"), false);
        printf(", wins %.2f %%, %+.2f points", 100.0 * number_of(call, "win_probability"),
               number_of(call, "expected_score"));
        if (k > 0)
            printf(", to the first %+.2f +- %.2f %%", 100.0 * number_of(call, "win_difference"),
                   half_percent(interval));
        printf("; the hand costs %.2f %%; %zu of 200 stay in play\n",
               100.0 * number_of(call, "hand_costs.win_probability"),
               json_array_size(json_object_get(call, "ends")));
    }
}

static enum exit_status ask(const struct line *line, enum shot_asks asks)
{
    json_t *query = position_file_read(line, shot_query_keys(asks));

    if (!query)
        return EXIT_TROUBLE;
    if (!json_object_get(query, "profile"))
        json_object_set_new(query, "profile", json_string(SHOT_PROFILE));
    struct client_call call = page_call(line);
    call.body = query;
    call.most_s = patience_s(query);
    enum exit_status status = page_show(line, &call);
    json_decref(query);
    return status;
}

static enum exit_status run(const struct line *line)
{
    return ask(line, SHOT_ASKS_BEST);
}

static enum exit_status run_map(const struct line *line)
{
    return ask(line, SHOT_ASKS_MAP);
}

static enum exit_status run_calls(const struct line *line)
{
    return ask(line, SHOT_ASKS_CALLS);
}

/* ---- the commands ---- */

const struct command shot_commands[] = {
    {"shot",
     "Ask for the best shot of a position."
     "\vFILE (\"-\" or nothing: standard input) is a shot query, "
     "{\"profile\":...,\"state\":...}, or the state alone as a Digital Curling 3 server "
     "sends it. Options override the members of the query. The manual page rinkctl(1) "
     "describes the output.",
     WORD_FILE, run, .prepare = prepare, .method = "POST", .path = "/v1/shots",
     .show = show_answer},
    {"map",
     "Value every aim of a position."
     "\vFILE (\"-\" or nothing: standard input) is a position, as for shot. The manual page "
     "rinkctl(1) describes the output.",
     WORD_FILE, run_map, .prepare = prepare_map, .method = "POST", .path = "/v1/maps",
     .show = show_map},
    {"calls",
     "Compare calls of a position, side by side."
     "\vFILE (\"-\" or nothing: standard input) is a position, as for shot, with \"calls\" beside "
     "its \"state\". The manual page rinkctl(1) describes them and the output.",
     WORD_FILE, run_calls, .prepare = prepare_calls, .method = "POST", .path = "/v1/calls",
     .show = show_calls},
    {0},
};
