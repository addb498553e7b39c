/* rink-search as its users run it. */
#include "tests/programs/json_lines.h"
#include "tests/programs/usage.h"
#include "tests/unit/workers/search/policy/made_policy.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define NULLS_7 "null,null,null,null,null,null,null"
/* Shot 3 of the first end: team1, which has the hammer, faces a stone in the house. */
#define QUERY(profile, more)                                                                  \
    "{\"profile\":\"" profile "\",\"state\":{\"end\":0,\"shot\":3,\"hammer\":\"team1\","      \
    "\"scores\":{\"team0\":[],\"team1\":[]},\"stones\":{\"team0\":[{\"position\":{\"x\":0.3," \
    "\"y\":38.1}}," NULLS_7 "],\"team1\":[null," NULLS_7 "]}}" more "}"
/* Takes far longer than the test may last. */
#define ENDLESS ",\"player\":\"kr-uct\",\"limits\":{\"simulations\":1000000000000}"

enum { OPTIONS_MAX = 8, PLAYER_SPEC = 256 };

/* ---- helpers ---- */

/* A folder with one model in it. */
static char models[] = "/tmp/search_test_XXXXXX", model[65], model_file[128];
static char shots_model[65], shots_file[128]; /* of the player gpi */

static int make_models(void **state)
{
    (void)state;
    const struct policy_form form = made_form(POLICY_LOGITS, true);
    struct made_policy made = made_policy(&form, 3), shots = made_shots_policy(3);

    if (!mkdtemp(models))
        return -1;
    made_sha256(&made, model);
    snprintf(model_file, sizeof model_file, "%s/%s.safetensors", models, model);
    made_save(&made, model_file);
    free(made.bytes);
    made_sha256(&shots, shots_model);
    snprintf(shots_file, sizeof shots_file, "%s/%s.safetensors", models, shots_model);
    made_save(&shots, shots_file);
    free(shots.bytes);
    return 0;
}

static int remove_models(void **state)
{
    (void)state;
    return unlink(model_file) || unlink(shots_file) || rmdir(models) ? -1 : 0;
}

static struct program_run search(const char *input, const char *const options[OPTIONS_MAX])
{
    const char *argv[OPTIONS_MAX + 2] = {RINK_SEARCH};

    for (int k = 0; options && k < OPTIONS_MAX && options[k]; k++)
        argv[k + 1] = options[k];
    return program_run(argv, input, strlen(input));
}

#define OPTIONS(...) ((const char *const[OPTIONS_MAX]){__VA_ARGS__})

static double number(json_t *object, const char *key)
{
    json_t *value = member(object, key);

    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* Cuts off the last two fields of the answer, which are times. */
static void cut_times(struct program_run *run)
{
    char *times = strstr(run->output, ",\"elapsed_ms\":");

    assert_non_null(times);
    assert_non_null(strstr(times, ",\"queue_ms\":"));
    *times = '\0';
}

/* Checks that the first line of the answer is an error with this pointer. */
static void refused(const struct program_run *run, const char *pointer)
{
    assert_int_equal(run->status, 2);
    assert_string_equal(run->errors, "");
    assert_int_equal(lines_of(run), 1);
    json_t *line = line_of(run, 0);
    assert_true(json_is_true(member(line, "is_final")));
    json_t *error = json_array_get(member(line, "errors"), 0);
    assert_string_equal(text_of(error, "pointer"), pointer);
    assert_true(strlen(text_of(error, "message")) > 0 && strlen(text_of(error, "code")) > 0);
    json_decref(line);
}

/* ---- answers ---- */

static void a_query_gets_an_answer(void **state)
{
    (void)state;
    static const char *const queries[] = {
        QUERY("dc2", ",\"id\":\"q\",\"top_k\":3,\"player\":\"generator:samples=8\""),
        QUERY("dc3", ",\"id\":\"q\",\"top_k\":3,\"player\":\"generator:samples=8\""),
        QUERY("dc4", ",\"id\":\"q\",\"top_k\":3,\"player\":\"generator:samples=8\""),
    };

    for (int k = 0; k < 3; k++) {
        struct program_run run = search(queries[k], NULL);
        assert_int_equal(run.status, 0);
        assert_string_equal(run.errors, "");
        assert_int_equal(lines_of(&run), 1);
        json_t *line = line_of(&run, 0);
        assert_string_equal(text_of(line, "id"), "q");
        assert_true(json_is_true(member(line, "is_final")));
        assert_string_equal(text_of(line, "side"), "team1");
        assert_string_equal(text_of(member(line, "player"), "name"), "generator");
        assert_string_equal(text_of(member(line, "player"), "spec"), "generator:samples=8");

        json_t *shot = member(line, "shot"), *velocity = member(shot, "velocity");
        double vx = number(velocity, "x"), vy = number(velocity, "y");
        assert_true(vy > (k == 0 ? 20.0 : 2.0)); /* dc2's speeds are ten times as high */
        assert_true(json_is_string(member(shot, "rotation")));
        if (k == 0) {
            assert_true(number(member(shot, "native"), "vx") == -vx);
            assert_true(number(member(shot, "native"), "vy") == -vy);
        }
        if (k == 2)
            assert_true(fabs(number(shot, "translational_velocity") - hypot(vx, vy)) < 1e-8);

        double chances = 0.0;
        json_t *distribution = member(member(line, "value"), "score_distribution"), *chance;
        const char *score;
        json_object_foreach(distribution, score, chance) chances += json_number_value(chance);
        assert_true(fabs(chances - 1.0) < 1e-6);

        json_t *candidates = member(line, "candidates"), *candidate;
        size_t order;
        assert_int_equal(json_array_size(candidates), 3);
        assert_true(json_equal(member(json_array_get(candidates, 0), "shot"), shot));
        json_array_foreach(candidates, order, candidate)
        {
            assert_true(number(candidate, "order") == (double)order);
            assert_true(strlen(text_of(candidate, "kind")) > 0);
            assert_in_range(json_array_size(member(candidate, "path")), 2, 64);
        }
        json_decref(line);
        program_free(&run);
    }
}

/* A player works under every profile. */
static void every_player_answers(void **state)
{
    (void)state;
    struct program_run list = search("", OPTIONS("--list-players"));
    int players = 0;

    assert_int_equal(list.status, 0);
    for (char *at = list.output; *at;) {
        char *end = strchr(at, '\n');
        assert_non_null(end);
        char *colon = memchr(at, ':', (size_t)(end - at));
        if (end > at && *at != ' ') {
            char name[128];
            assert_non_null(colon);
            /* Look as far as the next player's entry: does this one need a model? */
            const char *next = strstr(at, "\n\n"), *needs = strstr(at, "has to be given");
            bool has_model = needs && (!next || needs < next);
            const char *weights = strncmp(at, "gpi:", 4) == 0 ? shots_model : model;
            snprintf(name, sizeof name, "%.*s%s%s", (int)(colon - at), at,
                     has_model ? ":weights=" : "", has_model ? weights : "");
            struct program_run run = search(QUERY("dc2", ",\"limits\":{\"simulations\":200}"),
                                            OPTIONS("--models", models, "--player", name));
            assert_int_equal(run.status, 0);
            json_t *line = line_of(&run, 0);
            assert_string_equal(text_of(member(line, "player"), "spec"), name);
            assert_true(number(line, "simulations") <= 200.0);
            json_decref(line);
            program_free(&run);
            players++;
        }
        at = end + 1;
    }
    assert_true(players >= 5);
    assert_non_null(strstr(list.output, "\nai-simple: "));
    assert_non_null(strstr(list.output, "\n  epsilon: "));
    assert_non_null(strstr(list.output, "\n    number, 0 to 1 (0)\n"));
    assert_non_null(strstr(list.output, "\n    true or false (false)\n"));
    program_free(&list);
}

/* A policy plays at once and names its weights, however they were given. */
static void a_policy_names_its_weights(void **state)
{
    (void)state;
    char spec[PLAYER_SPEC], input[8 * 1024] = "", query[1024];
    double least_ms = HUGE_VAL;
    enum { QUERIES = 6 };

    snprintf(query, sizeof query, QUERY("dc2", ",\"player\":\"policy:weights=%s\"") "\n", model);
    for (int k = 0; k < QUERIES; k++)
        strcat(input, query);
    struct program_run run = search(input, OPTIONS("--stdio", "--models", models));
    assert_int_equal(run.status, 0);
    assert_int_equal(lines_of(&run), QUERIES);
    for (int k = 0; k < QUERIES; k++) {
        json_t *line = line_of(&run, k);
        assert_string_equal(text_of(member(line, "player"), "weights_sha256"), model);
        assert_true(number(json_array_get(member(line, "candidates"), 0), "prior") > 0.0);
        assert_true(json_is_object(member(line, "value")));
        least_ms = fmin(least_ms, number(line, "elapsed_ms"));
        json_decref(line);
    }
    assert_true(least_ms < 20.0);
    program_free(&run);

    snprintf(spec, sizeof spec, "policy:weights=%s", model_file);
    run = search(QUERY("dc2", ""), OPTIONS("--player", spec));
    assert_int_equal(run.status, 0);
    json_t *line = line_of(&run, 0);
    assert_string_equal(text_of(member(line, "player"), "weights_sha256"), model);
    json_decref(line);
    program_free(&run);

    run = search(QUERY("dc2", ",\"player\":\"policy:weights=champion\""), NULL);
    refused(&run, "/player");
    program_free(&run);
}

static void the_query_is_asked_before_the_command_line(void **state)
{
    (void)state;
    struct program_run run =
        search(QUERY("dc2", ",\"player\":\"ai-simple:epsilon=0.5\""), OPTIONS("--player=random"));
    json_t *line = line_of(&run, 0);

    assert_string_equal(text_of(member(line, "player"), "spec"), "ai-simple:epsilon=0.5");
    json_decref(line);
    program_free(&run);
}

/* The same query gives the same bytes for any number of threads; another seed gives another
 * answer. */
static void an_answer_can_be_reproduced(void **state)
{
    (void)state;
    static const char *const players[] = {"rink", "generator:samples=16", "kr-uct", "random"};

    for (int k = 0; k < 4; k++) {
        const char *query = QUERY("dc3", ",\"limits\":{\"simulations\":3000},\"seed\":5");
        struct program_run one = search(query, OPTIONS("--threads=1", "--player", players[k]));
        assert_int_equal(one.status, 0);
        cut_times(&one);
        for (int threads = 1; threads <= 3; threads++) {
            char option[32];
            snprintf(option, sizeof option, "-j%d", threads);
            struct program_run again = search(query, OPTIONS(option, "--player", players[k]));
            cut_times(&again);
            assert_string_equal(again.output, one.output);
            program_free(&again);
        }
        struct program_run other =
            search(QUERY("dc3", ",\"limits\":{\"simulations\":3000},\"seed\":6"),
                   OPTIONS("--player", players[k]));
        cut_times(&other);
        char *seed = strstr(other.output, ",\"seed\":6");
        assert_non_null(seed);
        assert_string_not_equal(other.output, one.output);
        assert_memory_not_equal(other.output, one.output, (size_t)(seed - other.output));
        program_free(&other);
        program_free(&one);
    }
}

/* A time-limited answer reports its number of simulations, which reproduces it. */
static void a_time_limited_answer_can_be_reproduced(void **state)
{
    (void)state;
    static const char *const players[] = {"generator:samples=4096", "kr-uct"};

    for (int k = 0; k < 2; k++) {
        struct program_run timed = search(QUERY("dc2", ",\"limits\":{\"time_ms\":300},\"seed\":5"),
                                          OPTIONS("--player", players[k]));
        json_t *line = line_of(&timed, 0);
        char query[1024];
        snprintf(query, sizeof query, QUERY("dc2", ",\"limits\":{\"simulations\":%.0f},\"seed\":5"),
                 number(line, "simulations_to_repeat"));
        json_decref(line);
        struct program_run counted = search(query, OPTIONS("--player", players[k]));
        cut_times(&timed);
        cut_times(&counted);
        assert_string_equal(counted.output, timed.output);
        program_free(&counted);
        program_free(&timed);
    }
}

/* A candidate's bound is below the value shown beside it. */
static void bounds_are_below_their_values(void **state)
{
    (void)state;
    static const struct {
        const char *player, *objective, *bounded;
    } cases[] = {
        {"rink:simulations=3000", "win", "win_probability"},
        {"rink:simulations=3000,objective=score", "score", "expected_score"},
        {"generator:objective=win", "win", "win_probability"},
        {"generator:objective=score", "score", "expected_score"},
        {"kr-uct:simulations=200", "win", "win_probability"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct program_run run =
            search(QUERY("dc2", ",\"top_k\":8"), OPTIONS("--player", cases[k].player));
        json_t *line = line_of(&run, 0), *candidate;
        size_t order;
        assert_string_equal(text_of(member(line, "player"), "objective"), cases[k].objective);
        assert_true(json_array_size(member(line, "candidates")) > 3);
        json_array_foreach(member(line, "candidates"), order, candidate)
            assert_true(number(candidate, "lcb") <= number(candidate, cases[k].bounded) + 1e-9);
        json_decref(line);
        program_free(&run);
    }
}

#define ORDINARY            "null,null,null,null"
#define EXACT               "{\"type\":\"identical\"},null,null,null"
#define HANDS(team0, team1) QUERY("dc3", ",\"hands\":{\"team0\":[" team0 "],\"team1\":[" team1 "]}")

/* A thrower who never errs always achieves the purpose of a shot or never does; the other team's
 * hands do not matter for that. */
static void each_thrower_throws_with_his_own_hand(void **state)
{
    (void)state;
    static const char *const queries[] = {HANDS(ORDINARY, EXACT), HANDS(EXACT, ORDINARY)};

    for (int k = 0; k < 2; k++) {
        struct program_run run = search(queries[k], OPTIONS("--player=rink:simulations=3000"));
        json_t *line = line_of(&run, 0), *candidate;
        size_t order, between = 0;
        json_array_foreach(member(line, "candidates"), order, candidate)
        {
            double success = number(candidate, "success");
            between += success > 0.0 && success < 1.0;
        }
        assert_true(k == 0 ? between == 0 : between > 0);
        json_decref(line);
        program_free(&run);
    }
}

static void unknown_values_are_null(void **state)
{
    (void)state;
    static const char *const players[] = {"random", "ai-simple", "generator:random=true"};

    for (int k = 0; k < 3; k++) {
        struct program_run run = search(QUERY("dc2", ""), OPTIONS("--player", players[k]));
        json_t *line = line_of(&run, 0);
        assert_null(json_object_get(member(line, "player"), "objective"));
        json_t *candidate = json_array_get(member(line, "candidates"), 0);
        assert_true(json_is_null(member(candidate, "expected_score")));
        assert_true(json_is_null(member(candidate, "win_probability")));
        assert_true(json_is_null(member(candidate, "lcb")));
        assert_true(json_is_null(member(line, "value")));
        assert_true(json_is_null(member(line, "simulations_to_repeat")));
        json_decref(line);
        program_free(&run);
    }
}

/* A query may span several lines and may come from a file. */
static void a_file_and_standard_input_give_the_same_output(void **state)
{
    (void)state;
    json_t *document = json_loads(QUERY("dc2", ""), 0, NULL);
    char path[] = "/tmp/rink-search-XXXXXX";
    int fd = mkstemp(path);
    char *text = json_dumps(document, JSON_INDENT(4));
    FILE *file = fdopen(fd, "w");

    assert_non_null(file);
    fprintf(file, "%s\n", text);
    fclose(file);
    struct program_run named = search("", OPTIONS("--player=ai-simple", path));
    struct program_run piped = search(text, OPTIONS("--player=ai-simple"));
    struct program_run dash = search(QUERY("dc2", ""), OPTIONS("--player=ai-simple", "-"));
    remove(path);
    assert_int_equal(named.status, 0);
    cut_times(&named);
    cut_times(&piped);
    cut_times(&dash);
    assert_string_equal(named.output, piped.output);
    assert_string_equal(named.output, dash.output);
    program_free(&named);
    program_free(&piped);
    program_free(&dash);
    free(text);
    json_decref(document);
}

static void a_bad_query_exits_with_2(void **state)
{
    (void)state;
    static const struct {
        const char *query, *pointer;
    } bad[] = {
        {"", ""},
        {"{\"profile\":\"dc3\"", ""},
        {"{\"profile\":\"dc3\"}", "/state"},
        {QUERY("dc3", ",\"sede\":1"), "/sede"},
        {QUERY("dc5", ""), "/profile"},
        {QUERY("dc3", ",\"player\":\"nobody\""), "/player"},
        {QUERY("dc3", ",\"player\":\"ai-simple:epsilon=2\""), "/player"},
        {QUERY("dc3", ",\"noise\":{\"stddev_speed\":-1}"), "/noise/stddev_speed"},
        {QUERY("dc3", ",\"setting\":{\"max_end\":0}"), "/setting/max_end"},
    };

    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        struct program_run run = search(bad[k].query, NULL);
        refused(&run, bad[k].pointer);
        program_free(&run);
    }
}

static void more_than_a_mebibyte_is_refused(void **state)
{
    (void)state;
    const char *query = QUERY("dc2", "");
    size_t most = 1 << 20, length = strlen(query);
    char *text = malloc(most + 2);

    assert_non_null(text);
    memset(text, ' ', most + 1);
    memcpy(text, query, length);
    text[most] = '\0';
    struct program_run run = search(text, OPTIONS("--player=ai-simple"));
    assert_int_equal(run.status, 0);
    program_free(&run);
    text[most] = ' ';
    text[most + 1] = '\0';
    run = search(text, OPTIONS("--player=ai-simple"));
    refused(&run, "");
    program_free(&run);
    free(text);
}

/* ---- talking ---- */

static void say(struct program_talk *talk, const char *line)
{
    assert_true(fprintf(talk->to, "%s\n", line) > 0);
    assert_int_equal(fflush(talk->to), 0);
}

static json_t *listen(struct program_talk *talk)
{
    char line[1 << 17];

    assert_non_null(fgets(line, sizeof line, talk->from));
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    return object;
}

static void one_of_two_queries_can_be_cancelled(void **state)
{
    (void)state;
    const char *const argv[] = {RINK_SEARCH, "--stdio", "--report-interval-ms=10", NULL};
    struct program_talk talk = program_start(argv);
    int partial = 0;

    say(&talk, QUERY("dc2", ",\"id\":\"long\"" ENDLESS));
    say(&talk, QUERY("dc2", ",\"id\":\"short\",\"player\":\"ai-simple\""));
    json_t *line = listen(&talk);
    while (json_is_false(member(line, "is_final"))) {
        assert_string_equal(text_of(line, "id"), "long");
        if (partial++ == 0)
            say(&talk, "{\"cancel\":\"long\"}");
        json_decref(line);
        line = listen(&talk);
    }
    assert_true(partial >= 1);
    assert_string_equal(text_of(line, "id"), "long");
    assert_string_equal(text_of(line, "stopped"), "cancel");
    assert_true(number(line, "simulations") > 0.0);
    assert_true(json_array_size(member(line, "candidates")) > 0);
    json_decref(line);

    line = listen(&talk);
    assert_string_equal(text_of(line, "id"), "short");
    assert_true(json_is_true(member(line, "is_final")));
    assert_true(json_is_null(member(line, "stopped")));
    json_decref(line);
    assert_int_equal(program_finish(&talk), 0);
}

static void a_timeout_ends_a_query(void **state)
{
    (void)state;
    struct program_run run = search(QUERY("dc2", ",\"timeout_ms\":200" ENDLESS), NULL);

    assert_int_equal(run.status, 0);
    json_t *line = line_of(&run, 0);
    assert_string_equal(text_of(line, "stopped"), "timeout");
    json_decref(line);
    program_free(&run);
}

/* More throws of one candidate are not kept, so the rest of the limits stays unused. */
static void a_full_search_is_reported(void **state)
{
    (void)state;
    struct program_run run = search(
        "{\"profile\":\"dc2\",\"player\":\"rink:refined=1\",\"limits\":{\"simulations\":20000000},"
        "\"state\":{\"end\":0,\"shot\":15,\"hammer\":\"team1\",\"scores\":{\"team0\":[],\"team1\":["
        "]},"
        "\"stones\":{\"team0\":[null,null,null,null,null,null,null,null],"
        "\"team1\":[null,null,null,null,null,null,null,null]}}}",
        NULL);

    assert_int_equal(run.status, 0);
    json_t *line = line_of(&run, 0);
    assert_string_equal(text_of(line, "stopped"), "full");
    json_decref(line);
    program_free(&run);
}

static void lines_are_answered_in_order_and_mistakes_named(void **state)
{
    (void)state;
    struct program_run run =
        search(QUERY("dc2", ",\"id\":1") "\n\nbad\n{\"cancel\":9}\n" QUERY(
                   "dc3", ",\"id\":2,\"sede\":1") "\r\n" QUERY("dc4", ",\"id\":3"),
               OPTIONS("--stdio", "--player=ai-simple"));

    assert_int_equal(run.status, 2);
    assert_int_equal(lines_of(&run), 4);
    static const int numbers[] = {0, 3, 5, 0};
    for (int k = 0; k < 4; k++) {
        json_t *line = line_of(&run, k);
        assert_true(json_is_true(member(line, "is_final")));
        assert_int_equal(json_object_get(line, "errors") != NULL, numbers[k] > 0);
        if (numbers[k] > 0)
            assert_true(number(line, "line") == (double)numbers[k]);
        json_decref(line);
    }
    program_free(&run);
}

/* ---- usage and files ---- */

static void usage_errors_exit_with_1(void **state)
{
    (void)state;
    const char *const wrong[][OPTIONS_MAX] = {
        {"--player=nobody"},
        {"--player="},
        {"--player=ai-simple:epsilon=2"},
        {"--threads=0"},
        {"--threads=257"},
        {"--threads=two"},
        {"--report-interval-ms=9"},
        {"--report-interval-ms=-1"},
        {"--report-interval-ms=1.5"},
        {"--report-interval-ms=86400001"},
        {"--no-such-option"},
        {"--player"},
        {"a.json", "b.json"},
    };

    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        struct program_run run = search(QUERY("dc2", ""), wrong[k]);
        if (run.status != 1 || run.length != 0 || !*run.errors)
            fail_msg("%s: status %d, output \"%s\"", wrong[k][0], run.status, run.output);
        program_free(&run);
    }
}

static void files_that_cannot_be_read_exit_with_1(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *stdio = k ? "--stdio" : "-j1";
        struct program_run run = search("", OPTIONS(stdio, "/nowhere/query.json"));
        assert_int_equal(run.status, 1);
        assert_non_null(strstr(run.errors, "/nowhere/query.json: No such file"));
        program_free(&run);

        run = search("", OPTIONS(stdio, "/"));
        assert_int_equal(run.status, 1);
        assert_non_null(strstr(run.errors, "/: Is a directory"));
        program_free(&run);
    }
}

static void a_full_disk_exits_with_1(void **state)
{
    (void)state;
    static const char *const commands[] = {RINK_SEARCH " --player=ai-simple >/dev/full",
                                           RINK_SEARCH " --stdio --player=ai-simple >/dev/full",
                                           RINK_SEARCH " --list-players >/dev/full"};

    for (int k = 0; k < 3; k++) {
        const char *argv[] = {"/bin/sh", "-c", commands[k], NULL};
        struct program_run run =
            program_run(argv, QUERY("dc2", "") "\n", strlen(QUERY("dc2", "") "\n"));
        assert_int_equal(run.status, 1);
        assert_non_null(strstr(run.errors, "standard output: No space left on device"));
        program_free(&run);
    }
}

/* Missing weights are reported by name; the player does not continue without them. */
static void missing_weights_are_named(void **state)
{
    (void)state;
    setenv("RINKD_WEIGHTS", "/no/such/folder", 1);
    struct program_run run =
        search(QUERY("dc2", "") "\n", OPTIONS("--player=rink:simulations=1000"));
    unsetenv("RINKD_WEIGHTS");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.output, "/no/such/folder/end_value_dc2"));
    assert_non_null(strstr(run.errors, "/no/such/folder/end_value_dc2"));
    assert_non_null(strstr(run.errors, ".safetensors: No such file or directory"));
    program_free(&run);
}

static void help_and_version_exit_with_0(void **state)
{
    (void)state;
    usage_is_told(RINK_SEARCH, "rink-search", "Usage: rink-search [OPTION...] [FILE]");
}

static void the_manual_page_has_every_option(void **state)
{
    (void)state;
    struct program_run help = search("", OPTIONS("--help"));
    char *page = usage_page(RINK_SEARCH_PAGE);

    assert_true(usage_page_has_options(page, help.output) >= 9);
    assert_int_equal(usage_page_has_no_others(page, help.output), 11);
    free(page);
    program_free(&help);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_gets_an_answer),
        cmocka_unit_test(every_player_answers),
        cmocka_unit_test(a_policy_names_its_weights),
        cmocka_unit_test(the_query_is_asked_before_the_command_line),
        cmocka_unit_test(an_answer_can_be_reproduced),
        cmocka_unit_test(a_time_limited_answer_can_be_reproduced),
        cmocka_unit_test(bounds_are_below_their_values),
        cmocka_unit_test(each_thrower_throws_with_his_own_hand),
        cmocka_unit_test(unknown_values_are_null),
        cmocka_unit_test(a_file_and_standard_input_give_the_same_output),
        cmocka_unit_test(a_bad_query_exits_with_2),
        cmocka_unit_test(more_than_a_mebibyte_is_refused),
        cmocka_unit_test(one_of_two_queries_can_be_cancelled),
        cmocka_unit_test(a_timeout_ends_a_query),
        cmocka_unit_test(a_full_search_is_reported),
        cmocka_unit_test(lines_are_answered_in_order_and_mistakes_named),
        cmocka_unit_test(usage_errors_exit_with_1),
        cmocka_unit_test(files_that_cannot_be_read_exit_with_1),
        cmocka_unit_test(a_full_disk_exits_with_1),
        cmocka_unit_test(missing_weights_are_named),
        cmocka_unit_test(help_and_version_exit_with_0),
        cmocka_unit_test(the_manual_page_has_every_option),
    };
    return cmocka_run_group_tests(tests, make_models, remove_models);
}
