/* rinkctl shot: a position in, the best shot out. */
#include "service/rinkctl/client.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"

#include <math.h>
#include <string.h>

static const char about[] = "Ask for the best shot of a position."
                            "\vFILE (\"-\" or nothing: standard input) is a shot query, "
                            "{\"profile\":...,\"state\":...}, or "
                            "the state alone as a Digital Curling 3 server sends it. What an "
                            "option says takes the place of "
                            "what the query says. The manual page rinkctl(1) describes the output.";

enum { KEY_PROFILE = 0x300, KEY_PLAYER, KEY_TIME, KEY_SIMULATIONS, KEY_SEED, KEY_TOP, KEY_TIMEOUT };

#define TIME_MAX_MS      86400000
#define TIMEOUT_MARGIN_S 10.0
#define UNLIMITED_S      3600.0 /* when nobody says how long it may take */

static const struct argp_option known[] = {
    {"player", KEY_PLAYER, "PLAYER", 0, "who thinks (default: the daemon's strongest)", 1},
    {"profile", KEY_PROFILE, "NAME", 0, "rules and ice (default: as the query says, else dc3)", 1},
    {"time-ms", KEY_TIME, "T", 0, "limit: milliseconds of thinking", 2},
    {"simulations", KEY_SIMULATIONS, "N", 0, "limit: simulated throws", 2},
    {"timeout-ms", KEY_TIMEOUT, "T", 0, "limit: milliseconds, waiting for a turn included", 2},
    {"seed", KEY_SEED, "NUMBER", 0, "of all chance", 3},
    {"top-k", KEY_TOP, "N", 0, "candidates that are shown, 0..32 (default 5)", 3},
    {0},
};

struct shot_options {
    struct common *common;
    const char *path, *player, *profile;
    int64_t time_ms, simulations, timeout_ms, seed, top; /* -1: not said */
};

static error_t read_option(int key, char *argument, struct argp_state *state)
{
    struct shot_options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->common;
        return 0;
    case KEY_PLAYER:
        options->player = argument;
        return 0;
    case KEY_PROFILE:
        options->profile = argument;
        return 0;
    case KEY_TIME:
        options->time_ms = option_whole(state, "time-ms", argument, 1, TIME_MAX_MS);
        return 0;
    case KEY_SIMULATIONS:
        options->simulations = option_whole(state, "simulations", argument, 1, INT64_MAX);
        return 0;
    case KEY_TIMEOUT:
        options->timeout_ms = option_whole(state, "timeout-ms", argument, 1, TIME_MAX_MS);
        return 0;
    case KEY_SEED:
        options->seed = option_whole(state, "seed", argument, 0, INT64_MAX);
        return 0;
    case KEY_TOP:
        options->top = option_whole(state, "top-k", argument, 0, 32);
        return 0;
    case ARGP_KEY_ARG:
        if (options->path)
            argp_error(state, "'%s' is one argument too many", argument);
        options->path = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void set_whole(json_t *object, const char *name, int64_t number)
{
    if (number >= 0)
        json_object_set_new(object, name, json_integer(number));
}

/* The query with what the options say; steals the document. NULL: it is no object. */
static json_t *complete(const struct shot_options *options, json_t *document)
{
    json_t *query = document;

    if (!json_is_object(document)) {
        json_decref(document);
        return NULL;
    }
    if (!json_object_get(document, "state") && json_object_get(document, "stones"))
        query = json_pack("{s:o}", "state", document);
    if (options->profile)
        json_object_set_new(query, "profile", json_string(options->profile));
    else if (!json_object_get(query, "profile"))
        json_object_set_new(query, "profile", json_string("dc3"));
    if (options->player)
        json_object_set_new(query, "player", json_string(options->player));
    if (options->time_ms >= 0 || options->simulations >= 0) {
        json_t *limits = json_object_get(query, "limits");
        if (!json_is_object(limits)) {
            limits = json_object();
            json_object_set_new(query, "limits", limits);
        }
        set_whole(limits, "time_ms", options->time_ms);
        set_whole(limits, "simulations", options->simulations);
    }
    set_whole(query, "timeout_ms", options->timeout_ms);
    set_whole(query, "seed", options->seed);
    set_whole(query, "top_k", options->top);
    return query;
}

/* How long to wait for the answer. */
static double patience_s(const json_t *query)
{
    double timeout_ms = number_of(query, "timeout_ms"),
           time_ms = number_of(query, "limits.time_ms");

    /* A thinking time alone does not bound the wait for a turn. */
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

static void print_speed(const json_t *value, char ret_cell[CELL_BYTES])
{
    snprintf(ret_cell, CELL_BYTES, "%.4f", json_number_value(value));
}

enum { BOUND_COLUMN = 6 };

static const struct column candidate_columns[] = {
    {"kind", "kind", NULL, false},
    {"x m/s", "shot.velocity.x", print_speed, true},
    {"y m/s", "shot.velocity.y", print_speed, true},
    {"turn", "shot.rotation", NULL, false},
    {"visits", "visits", NULL, true},
    {"wins", "win_probability", print_percent, true},
    [BOUND_COLUMN] = {"at least", "lcb", print_percent, true},
    {"points", "expected_score", print_signed, true},
    {"prior", "prior", print_percent, true},
    {"success", "success", print_percent, true},
};

static void print_answer(const json_t *answer)
{
    const char *stopped = text_of(answer, "stopped");
    const json_t *candidates = json_object_get(answer, "candidates");
    char elapsed[CELL_BYTES];

    print_shot(json_object_get(answer, "shot"));
    print_value(answer);
    fputs("player       ", stdout);
    print_text(stdout, text_of(answer, "player.name"), false);
    snprintf(elapsed, sizeof elapsed, "%.0f ms, after a wait of %.0f ms",
             number_of(answer, "elapsed_ms"), number_of(answer, "queue_ms"));
    printf(", %.0f simulated throws in %s%s%s\n", number_of(answer, "simulations"), elapsed,
           *stopped ? ", stopped by " : "", stopped);
    if (json_array_size(candidates) > 0) {
        struct column columns[sizeof candidate_columns / sizeof candidate_columns[0]];
        memcpy(columns, candidate_columns, sizeof columns);
        if (strcmp(text_of(answer, "player.objective"), "score") == 0)
            columns[BOUND_COLUMN].write = print_signed;
        putchar('\n');
        print_table(stdout, columns, sizeof columns / sizeof columns[0], candidates);
    }
}

enum exit_status command_shot(int argc, char **argv, struct common *common)
{
    struct shot_options options = {common, NULL, NULL, NULL, -1, -1, -1, -1, -1};
    static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {known, read_option, "[FILE]", about, children, NULL, NULL};
    struct client_answer answer;

    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        return EXIT_TROUBLE;
    const char *path = options.path ? options.path : "-";
    json_t *document = options_read_json(argv[0], path);
    if (!document)
        return EXIT_TROUBLE;
    json_t *query = complete(&options, document);
    if (!query) {
        complain(argv[0], "%s: a shot query is an object", path);
        return EXIT_TROUBLE;
    }
    struct client *client = client_open(argv[0], common);
    enum exit_status status = EXIT_TROUBLE;
    if (client) {
        const struct client_call call = {
            .method = "POST", .path = "/v1/shots", .body = query, .most_s = patience_s(query)};
        status = client_call(client, &call, &answer);
        if (status == EXIT_GOOD && common->json)
            status = print_raw(argv[0], answer.text);
        else if (status == EXIT_GOOD)
            print_answer(answer.json);
        client_answer_free(&answer);
    }
    json_decref(query);
    client_free(client);
    return status;
}
