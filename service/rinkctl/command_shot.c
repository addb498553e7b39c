/* rinkctl shot: a position in, the best shot out. */
#include "service/rinkctl/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char about[] = "Ask for the best shot of a position."
                            "\vFILE (\"-\" or nothing: standard input) is a shot query, "
                            "{\"profile\":...,\"state\":...}, or "
                            "the state alone as a Digital Curling 3 server sends it. What an "
                            "option says takes the place of "
                            "what the query says. The manual page rinkctl(1) describes the output.";

#define TIME_MAX_MS      86400000
#define TIMEOUT_MARGIN_S 10.0
#define UNLIMITED_S      3600.0 /* if the query has no time limit */

/* Each sets a member of the query. */
static const struct option_row known[] = {
    {"player", "PLAYER", "who thinks (default: the daemon's strongest)", 1, 0, 0},
    {"profile", "NAME", "rules and ice (default: as the query says, else dc3)", 1, 0, 0},
    {"time-ms", "T", "limit: milliseconds of thinking", 2, 1, TIME_MAX_MS},
    {"simulations", "N", "limit: simulated throws", 2, 1, INT64_MAX},
    {"timeout-ms", "T", "limit: milliseconds, waiting for a turn included", 2, 1, TIME_MAX_MS},
    {"seed", "NUMBER", "of all chance", 3, 0, INT64_MAX},
    {"top-k", "N", "candidates that are shown, 0..32 (default 5)", 3, 0, 32},
    {0},
};

/* The members that these options set; those of "limits" begin with its name and a dot. */
static const char *const members[] = {
    "player", "profile", "limits.time_ms", "limits.simulations", "timeout_ms", "seed", "top_k"};

/* Adds the options to the query; steals the document. NULL: the document is not an object. */
static json_t *complete(const struct arguments *arguments, json_t *document)
{
    json_t *query = document;

    if (!json_is_object(document)) {
        json_decref(document);
        return NULL;
    }
    if (!json_object_get(document, "state") && json_object_get(document, "stones"))
        query = json_pack("{s:o}", "state", document);
    for (int k = 0; known[k].name; k++) {
        const char *text = arguments->option[k], *dot = strchr(members[k], '.');
        json_t *object = query;
        if (!text)
            continue;
        if (dot && !json_is_object(json_object_get(query, "limits")))
            json_object_set_new(query, "limits", json_object());
        if (dot)
            object = json_object_get(query, "limits");
        json_object_set_new(object, dot ? dot + 1 : members[k],
                            known[k].most > 0 ? json_integer(atoll(text)) : json_string(text));
    }
    if (!json_object_get(query, "profile"))
        json_object_set_new(query, "profile", json_string("dc3"));
    return query;
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
    {0},
};

static void show_answer(const char *command, const struct client_answer *all, const void *context)
{
    const json_t *answer = all->json;
    const char *stopped = text_of(answer, "stopped");
    const json_t *candidates = json_object_get(answer, "candidates");
    char elapsed[CELL_BYTES];

    (void)command, (void)context;
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
        print_table(stdout, columns, candidates);
    }
}

enum exit_status command_shot(int argc, char **argv, struct common *common)
{
    static const struct command_line line = {about, known, WORD_FILE, NULL};
    struct arguments arguments;

    options_read(&line, argc, argv, common, &arguments);
    const char *path = arguments.words ? arguments.word[0] : "-";
    json_t *document = options_read_json(argv[0], path);
    if (!document)
        return EXIT_TROUBLE;
    json_t *query = complete(&arguments, document);
    if (!query) {
        complain(argv[0], "%s: a shot query is an object", path);
        return EXIT_TROUBLE;
    }
    const struct client_call call = {
        .method = "POST", .path = "/v1/shots", .body = query, .most_s = patience_s(query)};
    enum exit_status status = page_show(argv[0], common, &call, show_answer, NULL);
    json_decref(query);
    return status;
}
