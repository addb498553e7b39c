/* rinkctl elo, matches, game, live, players, profiles, models, reproduction. */
#include "api/curling/match_record.h"
#include "api/reproduction.h"
#include "service/rinkctl/page.h"

#include <stdlib.h>

/* ---- elo ---- */

static const struct option_row elo_options[] = {
    {"profile", "NAME", "the ladder of this profile (default: the first of `rinkctl profiles`)",
     .type = OPTION_TEXT},
    {"ends", "NUMBER", "ends of a game (default " QUOTED(PAIR_ENDS) ")", OPTION_WHOLE, .least = 1,
     .most = PAIR_ENDS_MAX},
    {"extra-ends", "NUMBER", "most extra ends of a game (default " QUOTED(PAIR_EXTRA_ENDS) ")",
     OPTION_WHOLE, .least = 0, .most = PAIR_EXTRA_ENDS_MAX},
    {0},
};

static const struct column elo_columns[] = {
    {"place", "place", NULL, true},
    {"player", "name", NULL, false},
    {"Elo", "elo", print_elo, true},
    {"95 % from", "low", print_elo, true},
    {"to", "high", print_elo, true},
    {"pairs", "pairs", NULL, true},
    {0},
};

static void show_ladder(const struct line *line, const struct client_answer *answer)
{
    const json_t *ladder = answer->json;
    json_t *items = json_object_get(ladder, "items"), *item;
    char seat[CELL_BYTES], at[CELL_BYTES];
    size_t k;

    if (json_array_size(items) == 0) {
        fprintf(stderr, "%s: there are no ratings of ", line->name);
        print_text(stderr, text_of(ladder, "profile"), false);
        fputs(" yet\n", stderr);
        return;
    }
    json_array_foreach(items, k, item)
        json_object_set_new(item, "place", json_integer((json_int_t)k + 1));
    print_table(stdout, elo_columns, items);
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
    {0},
};

static const struct column player_columns[] = {
    {"player", "name", NULL, false},
    {"built in", "built_in", NULL, false},
    {"is", "spec", NULL, false},
    {"about", "about", NULL, false},
    {0},
};

static const struct column profile_columns[] = {
    {"profile", "name", NULL, false},     {"ice", "ice.name", NULL, false},
    {"noise", "noise.kind", NULL, false}, {"shots", "rules.shots", NULL, true},
    {"in jobs", "jobs", NULL, false},     {"learned", "trainings", NULL, false},
    {"about", "about", NULL, false},      {0},
};

static const struct column model_columns[] = {
    {"model", "name", NULL, false},
    {"size", "bytes", print_bytes, true},
    {"aliases", "aliases", print_list, false},
    {"added (UTC)", "created_at", print_time, false},
    {"sha256", "sha256", NULL, false},
    {0},
};

static const struct option_row match_options[] = {
    {"profile", "NAME", "only those of this profile", .type = OPTION_TEXT},
    {"player", "PLAYER", "only those of this player", .type = OPTION_TEXT},
    {"job", "JOB", "only those of this job", .type = OPTION_TEXT},
    LIST_LIMIT,
    {0},
};

static const struct option_row limit_option[] = {LIST_LIMIT, {0}};

/* ---- games ---- */

static void show_lines(const struct line *line, const struct client_answer *answer)
{
    (void)line;
    print_text(stdout, answer->text ? answer->text : "", true);
}

/* ---- published results ---- */

/* The text of a cell, as a new JSON string. */
static json_t *cell_text(const json_t *section, size_t row, size_t k)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        abort();
    reproduction_write_cell(out, section, row, k);
    fclose(out);
    json_t *cell = json_string(text);
    free(text);
    return cell;
}

/* The table of a section: its items have a member "0", "1", … for each column. */
static void print_section(const json_t *section)
{
    static const char digits[] = "0123456789";
    struct column columns[sizeof digits] = {0};
    char names[sizeof digits][2] = {0};
    const json_t *heads = json_object_get(section, "columns"), *head;
    json_t *items = json_array();
    size_t rows = json_array_size(json_object_get(section, "rows")), k;

    for (size_t row = 0; row < rows; row++)
        json_array_append_new(items, json_object());
    json_array_foreach(heads, k, head)
    {
        if (!digits[k])
            break;
        names[k][0] = digits[k];
        columns[k] = (struct column){.heading = text_of(head, "head"), .member = names[k]};
        for (size_t row = 0; row < rows; row++)
            json_object_set_new(json_array_get(items, row), names[k], cell_text(section, row, k));
    }
    print_table(stdout, columns, items);
    json_decref(items);
}

static void print_printed(const json_t *section)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        abort();
    reproduction_write_printed(out, section);
    fclose(out);
    if (*text) {
        fputs("printed: ", stdout);
        print_text(stdout, text, false);
        putchar('\n');
    }
    free(text);
}

static void show_reproduction(const struct line *line, const struct client_answer *answer)
{
    const json_t *section, *command;
    size_t k, n;

    (void)line;
    json_array_foreach(json_object_get(answer->json, "sections"), k, section)
    {
        fputs(k > 0 ? "\n" : "", stdout);
        print_text(stdout, text_of(section, "title"), false);
        putchar('\n');
        print_section(section);
        print_printed(section);
        json_array_foreach(json_object_get(section, "commands"), n, command)
        {
            print_text(stdout, text_of(command, ""), true);
            putchar('\n');
        }
    }
}

/* ---- the commands ---- */

const struct command result_commands[] = {
    {"elo", "Show the ladder of ratings, the best first.", NO_WORD, page_run,
     .options = elo_options, .path = "/v1/ratings", .show = show_ladder},
    {"matches", "List matches between two players, the newest first.", NO_WORD, list_run,
     .options = match_options, .path = "/v1/matches", .columns = match_columns,
     .empty = "there are no such matches"},
    {"game",
     "Write a game shot by shot, in JSON Lines."
     "\vGAME is its id, as 7-0-1: the match, the pair, and the game of the pair. The first line "
     "describes the game and tells its result. The lines in a file are what import takes.",
     WORD_GAME, page_run, .path = "/v1/games/{}", .show = show_lines},
    {"live",
     "Write the newest game of a running job, in JSON Lines."
     "\vOf a match that is the newest whole game; of a game on a server or with clients of others "
     "(compete, host) the shots so far, and whole is false in the first line.",
     WORD_JOB, page_run, .path = "/v1/jobs/{}/game", .show = show_lines},
    {"players", "List the players.", NO_WORD, list_run, .options = limit_option,
     .path = "/v1/players", .columns = player_columns, .empty = "there are no players"},
    {"profiles", "List profiles: rules, ice and hand under one name.", NO_WORD, list_run,
     .path = "/v1/profiles", .columns = profile_columns, .empty = "there are no profiles"},
    {"models", "List models: weights under a name.", NO_WORD, list_run, .options = limit_option,
     .path = "/v1/models", .columns = model_columns, .empty = "there are no models"},
    {"reproduction",
     "Show what papers printed, beside what was measured here."
     "\vBelow a table is what was printed, and commands that repeat it. With --json, jobs that do.",
     NO_WORD, page_run, .path = "/v1/reproduction", .show = show_reproduction},
    {0},
};
