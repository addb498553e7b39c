/* rinkctl elo, matches, players, profiles, models. */
#include "service/rinkctl/client.h"
#include "service/rinkctl/list.h"
#include "service/rinkctl/options.h"

#include <string.h>

/* ---- elo ---- */

enum { KEY_PROFILE = 0x300, KEY_ENDS, KEY_EXTRA_ENDS };

static const struct argp_option known_elo[] = {
    {"profile", KEY_PROFILE, "NAME", 0,
     "the ladder of this profile (default: the first of `rinkctl profiles`)", 1},
    {"ends", KEY_ENDS, "NUMBER", 0, "of games of so many ends (default 2)", 1},
    {"extra-ends", KEY_EXTRA_ENDS, "NUMBER", 0, "and at most so many extra ends (default 0)", 1},
    {0},
};

struct elo_options {
    struct common *common;
    const char *profile, *ends, *extra_ends;
};

static error_t read_elo(int key, char *argument, struct argp_state *state)
{
    struct elo_options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->common;
        return 0;
    case KEY_PROFILE:
        options->profile = argument;
        return 0;
    case KEY_ENDS:
        option_whole(state, "ends", argument, 1, 10);
        options->ends = argument;
        return 0;
    case KEY_EXTRA_ENDS:
        option_whole(state, "extra-ends", argument, 0, 10);
        options->extra_ends = argument;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is one argument too many", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_elo(const json_t *value, char ret_cell[CELL_BYTES])
{
    if (json_is_number(value))
        snprintf(ret_cell, CELL_BYTES, "%+.0f", json_number_value(value));
    else
        snprintf(ret_cell, CELL_BYTES, "-");
}

static const struct column elo_columns[] = {
    {"place", "place", NULL, true},  {"player", "name", NULL, false},
    {"Elo", "elo", print_elo, true}, {"95 % from", "low", print_elo, true},
    {"to", "high", print_elo, true}, {"pairs", "pairs", NULL, true},
};

static void print_ladder(const char *command, const json_t *ladder)
{
    json_t *items = json_object_get(ladder, "items"), *item;
    char seat[CELL_BYTES], at[CELL_BYTES];
    size_t k;

    if (json_array_size(items) == 0) {
        fprintf(stderr, "%s: there are no ratings of ", command);
        print_text(stderr, text_of(ladder, "profile"), false);
        fputs(" yet\n", stderr);
        return;
    }
    json_array_foreach(items, k, item)
        json_object_set_new(item, "place", json_integer((json_int_t)k + 1));
    print_table(stdout, elo_columns, sizeof elo_columns / sizeof elo_columns[0], items);
    print_time(json_object_get(ladder, "at"), at);
    fputs("\nprofile ", stdout);
    print_text(stdout, text_of(ladder, "profile"), false);
    printf(", %d ends", (int)json_integer_value(json_object_get(ladder, "ends")));
    int extra_ends = (int)json_integer_value(json_object_get(ladder, "extra_ends"));
    if (extra_ends > 0)
        printf(" and up to %d extra ends", extra_ends);
    fputs(", 0 is ", stdout);
    print_text(stdout, text_of(ladder, "anchor"), false);
    if (json_is_number(json_object_get(ladder, "seat_advantage_elo"))) {
        print_elo(json_object_get(ladder, "seat_advantage_elo"), seat);
        printf(", the first hammer is worth %s Elo", seat);
    }
    printf(", as of %s UTC\n", at);
}

enum exit_status command_elo(int argc, char **argv, struct common *common)
{
    static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {
        known_elo, read_elo, NULL, "Show the ladder of ratings, the best first.",
        children,  NULL,     NULL};
    struct elo_options options = {.common = common};
    struct client_answer answer;

    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        return EXIT_TROUBLE;
    struct client *client = client_open(argv[0], common);
    if (!client)
        return EXIT_TROUBLE;
    const struct client_call call = {.path = "/v1/ratings",
                                     .parameter = {{"profile", options.profile},
                                                   {"ends", options.ends},
                                                   {"extra_ends", options.extra_ends}}};
    enum exit_status status = client_call(client, &call, &answer);
    if (status == EXIT_GOOD && common->json)
        status = print_raw(argv[0], answer.text);
    else if (status == EXIT_GOOD)
        print_ladder(argv[0], answer.json);
    client_answer_free(&answer);
    client_free(client);
    return status;
}

/* ---- lists ---- */

static const struct column match_columns[] = {
    {"match", "id", NULL, true},
    {"job", "job", NULL, true},
    {"profile", "profile", NULL, false},
    {"a", "a_name", NULL, false},
    {"b", "b_name", NULL, false},
    {"pairs", "pairs", NULL, true},
    {"a wins, %", "result.win_percent", print_tenths, true},
    {"95 %", "result.interval_percent", print_interval, true},
    {"at (UTC)", "at", print_time, false},
};

static const struct column player_columns[] = {
    {"player", "name", NULL, false},
    {"built in", "built_in", NULL, false},
    {"is", "spec", NULL, false},
    {"about", "about", NULL, false},
};

static const struct column profile_columns[] = {
    {"profile", "name", NULL, false},     {"ice", "ice.name", NULL, false},
    {"noise", "noise.kind", NULL, false}, {"shots", "rules.shots", NULL, true},
    {"in jobs", "jobs", NULL, false},     {"about", "about", NULL, false},
};

static const struct column model_columns[] = {
    {"model", "name", NULL, false},
    {"size", "bytes", print_bytes, true},
    {"aliases", "aliases", print_list, false},
    {"added (UTC)", "created_at", print_time, false},
    {"sha256", "sha256", NULL, false},
};

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

enum exit_status command_matches(int argc, char **argv, struct common *common)
{
    static const struct list list = {.about = "List matches between two players, the newest first.",
                                     .path = "/v1/matches",
                                     .filters = {{"profile", "NAME", "only those of this profile"},
                                                 {"player", "PLAYER", "only those of this player"},
                                                 {"job", "JOB", "only those of this job"}},
                                     .columns = match_columns,
                                     .column_count = COUNT(match_columns),
                                     .empty = "there are no such matches"};
    return list_command(&list, argc, argv, common);
}

enum exit_status command_players(int argc, char **argv, struct common *common)
{
    static const struct list list = {.about = "List what can play.",
                                     .path = "/v1/players",
                                     .columns = player_columns,
                                     .column_count = COUNT(player_columns),
                                     .empty = "there are no players"};
    return list_command(&list, argc, argv, common);
}

enum exit_status command_profiles(int argc, char **argv, struct common *common)
{
    static const struct list list = {.about = "List profiles: rules, ice and hand by one name.",
                                     .path = "/v1/profiles",
                                     .columns = profile_columns,
                                     .column_count = COUNT(profile_columns),
                                     .is_whole = true,
                                     .empty = "there are no profiles"};
    return list_command(&list, argc, argv, common);
}

enum exit_status command_models(int argc, char **argv, struct common *common)
{
    static const struct list list = {.about = "List models: weights under a name.",
                                     .path = "/v1/models",
                                     .columns = model_columns,
                                     .column_count = COUNT(model_columns),
                                     .empty = "there are no models"};
    return list_command(&list, argc, argv, common);
}
