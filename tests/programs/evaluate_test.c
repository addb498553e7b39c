/* rink-evaluate as its users run it. */
#include "tests/programs/program.h"
#include "tests/programs/usage.h"
#include "tests/unit/workers/search/policy/made_policy.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { WORDS_MAX = 24 };

#define WORDS(...)            ((const char *const[WORDS_MAX]){__VA_ARGS__})
#define close_to(a, b, limit) assert_true(fabs((a) - (b)) <= (limit))

static char records[] = "evaluate_test_XXXXXX";

static int make_records(void **state)
{
    (void)state;
    int fd = mkstemp(records);
    return fd < 0 ? -1 : close(fd);
}

static int remove_records(void **state)
{
    (void)state;
    return unlink(records);
}

static struct program_run evaluate(const char *const words[WORDS_MAX])
{
    const char *argv[WORDS_MAX + 2] = {RINK_EVALUATE};

    for (int k = 0; k < WORDS_MAX && words[k]; k++)
        argv[k + 1] = words[k];
    return program_run(argv, "", 0);
}

/* Returns the run's output as one JSON object; the caller frees it. */
static json_t *object_of(struct program_run *run, int status)
{
    if (run->status != status)
        fail_msg("status %d: %s", run->status, run->errors);
    assert_string_equal(run->errors, "");
    json_t *root = json_loads(run->output, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_is_object(root));
    program_free(run);
    return root;
}

static json_t *evaluate_json(const char *const words[WORDS_MAX])
{
    struct program_run run = evaluate(words);
    return object_of(&run, 0);
}

static double number(json_t *root, const char *key)
{
    json_t *value = json_object_get(root, key);
    if (!json_is_number(value))
        fail_msg("%s is missing or no number", key);
    return json_number_value(value);
}

/* Drops the times of moves, the only part that differs between runs. */
static void drop_times(json_t *root)
{
    const char *key;
    json_t *value;
    size_t index;

    json_object_del(root, "cpu_ms_per_move");
    json_object_del(root, "elapsed_ms_per_move");
    json_object_foreach(root, key, value) drop_times(value);
    json_array_foreach(root, index, value) drop_times(value);
}

static void a_match_reports_every_game(void **state)
{
    (void)state;
    json_t *root = evaluate_json(WORDS("match", "--a", "ai-simple", "--b", "random", "--profile",
                                       "dc2", "--ends", "2", "--pairs", "20", "--seed", "5",
                                       "--threads", "2", "--json"));
    json_t *a = json_object_get(root, "a"), *b = json_object_get(root, "b");
    json_t *bins = json_object_get(root, "pentanomial");
    double sum = 0.0, points = 0.0;

    assert_true(number(root, "win_percent") > 75.0);
    assert_true(number(root, "pairs") == 20.0 && number(root, "games") == 40.0);
    assert_true(number(root, "ends") == 2.0);
    assert_string_equal(json_string_value(json_object_get(root, "noise")), "gat");
    assert_true(json_is_integer(json_object_get(root, "seed")));
    assert_int_equal(json_integer_value(json_object_get(root, "seed")), 5);
    assert_string_equal(json_string_value(json_object_get(a, "player")), "ai-simple");
    assert_true(json_is_false(json_object_get(root, "interrupted")));
    assert_int_equal(json_array_size(bins), 5);
    for (size_t h = 0; h < 5; h++) {
        sum += json_number_value(json_array_get(bins, h));
        points += 0.5 * (double)h * json_number_value(json_array_get(bins, h));
    }
    assert_true(sum == 20.0);
    close_to(number(root, "win_percent"), 100.0 * points / 40.0, 1e-9);
    for (int k = 0; k < 2; k++) {
        json_t *interval = json_object_get(root, k ? "bootstrap_percent" : "interval_percent");
        assert_true(json_number_value(json_array_get(interval, 0)) <= number(root, "win_percent"));
        assert_true(json_number_value(json_array_get(interval, 1)) >= number(root, "win_percent"));
    }
    json_t *seats[2] = {json_object_get(a, "with_first_hammer"),
                        json_object_get(b, "without_first_hammer")};
    assert_true(number(seats[0], "wins") == number(seats[1], "losses"));
    assert_true(number(seats[0], "wins") + number(seats[0], "draws") + number(seats[0], "losses") ==
                20.0);
    json_t *gote = json_object_get(json_object_get(a, "ends"), "gote");
    json_t *sente = json_object_get(json_object_get(b, "ends"), "sente");
    assert_true(number(gote, "ends") == number(sente, "ends"));
    close_to(number(gote, "points_per_end"), -number(sente, "points_per_end"), 1e-12);
    assert_int_equal(json_array_size(json_object_get(gote, "scores")), 17);
    assert_true(number(json_object_get(a, "effort"), "moves") == 20 * 2 * 2 * 8);
    assert_null(json_object_get(root, "sprt"));
    assert_true(number(root, "extra_ends") == 0.0 && number(root, "games_with_extra_ends") == 0.0);
    json_t *score = json_object_get(root, "pair_score");
    double wins = number(score, "wins"), draws = number(score, "draws"),
           losses = number(score, "losses");
    assert_true(wins + draws + losses == 20.0);
    close_to(number(score, "percent"), 100.0 * (wins + 0.5 * draws) / 20.0, 1e-9);
    close_to(number(score, "percent_of_decided"), 100.0 * wins / (wins + losses), 1e-9);
    for (int k = 0; k < 2; k++) {
        json_t *interval = json_object_get(score, k ? "bootstrap_percent" : "interval_percent");
        assert_true(json_number_value(json_array_get(interval, 0)) <= number(score, "percent"));
        assert_true(json_number_value(json_array_get(interval, 1)) >= number(score, "percent"));
    }
    json_decref(root);
}

/* Games level in the first match continue in the second, so no share contains draws. */
static void a_tie_goes_to_extra_ends_if_asked_to(void **state)
{
    (void)state;
    json_t *drawn = evaluate_json(WORDS("match", "--a", "random", "--b", "ai-simple:epsilon=0.8",
                                        "--pairs", "20", "--seed", "3", "--json"));
    json_t *decided =
        evaluate_json(WORDS("match", "--a", "random", "--b", "ai-simple:epsilon=0.8", "--pairs",
                            "20", "--seed", "3", "--extra-ends", "10", "--json"));
    double draws = number(json_object_get(json_object_get(drawn, "a"), "games"), "draws");

    assert_true(draws > 0.0);
    assert_true(number(drawn, "games_with_extra_ends") == 0.0);
    assert_true(number(decided, "extra_ends") == 10.0);
    assert_true(number(decided, "games_with_extra_ends") == draws);
    assert_true(number(json_object_get(json_object_get(decided, "a"), "games"), "draws") == 0.0);
    json_decref(drawn);
    json_decref(decided);

    struct program_run tournament = evaluate(
        WORDS("tournament", "random", "ai-simple:epsilon=0.8", "--pairs=20", "--seed=3", "-x10"));
    assert_int_equal(tournament.status, 0);
    assert_non_null(strstr(tournament.output, ", extra ends after a tie at most 10, "));
    assert_non_null(strstr(tournament.output, "\ngames with extra ends "));
    program_free(&tournament);
}

static void identical_players_share_every_pair(void **state)
{
    (void)state;
    static const char *const players[] = {"random", "ai-simple", "ai-simple:epsilon=0.5"};

    for (int k = 0; k < 3; k++) {
        json_t *root = evaluate_json(WORDS("match", "--a", players[k], "--b", players[k], "--pairs",
                                           "20", "--ends", "3", "--json"));
        assert_true(number(root, "win_percent") == 50.0);
        assert_true(json_integer_value(json_array_get(json_object_get(root, "pentanomial"), 2)) ==
                    20);
        json_decref(root);
    }
}

static void threads_change_nothing_and_swapped_players_mirror(void **state)
{
    (void)state;
    json_t *one = evaluate_json(WORDS("match", "--a=ai-simple:epsilon=0.3", "--b=random",
                                      "--pairs=30", "--threads=1", "--json"));
    json_t *four = evaluate_json(WORDS("match", "--a=ai-simple:epsilon=0.3", "--b=random",
                                       "--pairs=30", "--threads=4", "--json"));
    json_t *swapped = evaluate_json(WORDS("match", "--b=ai-simple:epsilon=0.3", "--a=random",
                                          "--pairs=30", "--threads=3", "--json"));

    drop_times(one);
    drop_times(four);
    drop_times(swapped);
    assert_true(json_equal(one, four));
    close_to(number(one, "win_percent"), 100.0 - number(swapped, "win_percent"), 1e-9);
    assert_true(json_equal(json_object_get(one, "a"), json_object_get(swapped, "b")));
    assert_true(json_equal(json_object_get(one, "b"), json_object_get(swapped, "a")));
    json_decref(one);
    json_decref(four);
    json_decref(swapped);
}

/* A player that looks at its opponent sees what happened in its pair, whoever plays that. */
static void threads_change_nothing_for_a_model_of_the_opponent(void **state)
{
    (void)state;
    static const char *const threads[] = {"--threads=1", "--threads=4"};
    json_t *root[2];

    for (int k = 0; k < 2; k++) {
        root[k] = evaluate_json(WORDS("match", "--a=rink:simulations=120,opponent=model",
                                      "--b=switch:ai-simple|random,every=1", "--ends=2",
                                      "--pairs=5", threads[k], "--json"));
        drop_times(root[k]);
    }
    assert_true(json_equal(root[0], root[1]));
    assert_string_equal(json_string_value(json_object_get(json_object_get(root[0], "b"), "player")),
                        "switch:ai-simple|random,every=1");
    json_decref(root[0]);
    json_decref(root[1]);
}

/* The known styles are what their players do. */
static void known_styles_are_what_the_players_do(void **state)
{
    (void)state;
    static const char *const only[] = {"--only=ai-simple", "--only=dc3-rulebased", "--only=me"};

    for (int k = 0; k < 3; k++) {
        struct program_run run = evaluate(WORDS("styles", "--check", "--pairs=2", "--end-pairs=30",
                                                "--seed=22", "--threads=2", only[k]));
        bool is_known = k < 2;
        if (run.status != (is_known ? 0 : 1))
            fail_msg("status %d: %s%s", run.status, run.output, run.errors);
        assert_true(!is_known == (strstr(run.output, "right") == NULL));
        program_free(&run);
    }
}

static void a_sequential_test_stops_early(void **state)
{
    (void)state;
    json_t *root = evaluate_json(WORDS("match", "--a=ai-simple", "--b=random", "--pairs=100000",
                                       "--sprt", "--elo1=200", "--json", "--threads=2"));
    json_t *again = evaluate_json(WORDS("match", "--a=ai-simple", "--b=random", "--pairs=100000",
                                        "--sprt", "--elo1=200", "--json", "--threads=1"));
    json_t *sprt = json_object_get(root, "sprt");

    assert_string_equal(json_string_value(json_object_get(sprt, "decision")), "h1");
    assert_true(number(sprt, "log_likelihood_ratio") >= 2.94);
    assert_true(number(root, "pairs") < 200.0);
    drop_times(root);
    drop_times(again);
    assert_true(json_equal(root, again));
    json_decref(root);
    json_decref(again);
}

static void a_tournament_makes_a_ladder(void **state)
{
    (void)state;
    json_t *root = evaluate_json(WORDS("tournament", "ai-simple", "random", "ai-simple:epsilon=0.5",
                                       "--pairs", "20", "--anchor", "random", "--json"));
    json_t *ladder = json_object_get(root, "ladder");

    assert_int_equal(json_array_size(ladder), 3);
    static const char *const order[] = {"ai-simple", "ai-simple:epsilon=0.5", "random"};
    for (size_t k = 0; k < 3; k++) {
        json_t *place = json_array_get(ladder, k), *interval = json_object_get(place, "interval");
        assert_string_equal(json_string_value(json_object_get(place, "player")), order[k]);
        assert_true(json_number_value(json_array_get(interval, 0)) <= number(place, "elo"));
        assert_true(number(json_object_get(place, "effort"), "moves") == 2 * 20 * 2 * 2 * 8);
    }
    assert_true(number(json_array_get(ladder, 2), "elo") == 0.0);
    assert_true(number(root, "anchor") == 1.0);
    assert_true(number(root, "pairs") == 60.0);
    assert_int_equal(json_array_size(json_object_get(root, "pairings")), 3);
    assert_int_equal(json_array_size(json_object_get(root, "covariance")), 4);
    number(json_object_get(root, "first_hammer"), "elo");
    json_t *davidson = json_object_get(root, "davidson"), *elo = json_object_get(davidson, "elo");
    json_t *most = json_object_get(davidson, "largest_difference");
    double largest = 0.0;
    assert_true(number(davidson, "nu") > 0.0);
    number(davidson, "first_hammer");
    assert_int_equal(json_array_size(elo), 3);
    for (size_t k = 0; k < 3; k++) {
        json_t *place = json_array_get(ladder, k);
        double other = json_number_value(json_array_get(elo, (size_t)number(place, "number")));
        largest = fmax(largest, fabs(other - number(place, "elo")));
        if (number(place, "number") == number(most, "number")) {
            close_to(number(most, "elo"), other - number(place, "elo"), 1e-9);
            assert_true(
                json_equal(json_object_get(most, "player"), json_object_get(place, "player")));
        }
    }
    assert_true(largest > 0.0 && fabs(number(most, "elo")) == largest);
    assert_int_equal(json_array_size(json_object_get(davidson, "swapped")), 0);
    json_decref(root);
}

static void tables_are_for_people(void **state)
{
    (void)state;
    struct program_run match =
        evaluate(WORDS("match", "--a=ai-simple", "--b=random", "--pairs=5", "--sprt"));
    struct program_run decided = evaluate(
        WORDS("match", "--a=ai-simple", "--b=random", "--pairs=1000", "--sprt", "--elo1=400"));
    struct program_run lucky = evaluate(WORDS("match", "--a=ai-simple", "--b=random", "--pairs=5",
                                              "--luck=2", "--sprt", "--values=adjusted"));
    struct program_run tournament =
        evaluate(WORDS("tournament", "ai-simple", "random", "--pairs=5"));
    struct program_run drawn =
        evaluate(WORDS("tournament", "random", "ai-simple:epsilon=0.8", "--pairs=20", "--seed=3"));
    struct program_run undrawn = evaluate(
        WORDS("tournament", "random", "ai-simple:epsilon=0.8", "--pairs=20", "--seed=3", "-x10"));

    assert_int_equal(match.status, 0);
    assert_non_null(strstr(match.output, "\na wins, % "));
    assert_non_null(strstr(match.output, "with first hammer"));
    assert_non_null(strstr(match.output, "\na wins, pairs by score, % "));
    assert_non_null(
        strstr(match.output,
               "\nverdict                     no decision, all pairs were played: after 5 of"));
    assert_null(strstr(match.output, "the test chose when to stop"));
    assert_non_null(strstr(decided.output, "\nverdict                     a is better: after "));
    assert_non_null(strstr(decided.output, "the test chose when to stop"));
    assert_null(strstr(match.output, "luck"));
    assert_non_null(strstr(lucky.output, "\na wins, adjusted for luck, % "));
    assert_non_null(strstr(lucky.output, "\na - b, adjusted for luck, points/end "));
    assert_non_null(strstr(lucky.output, "\nvalues of the test  "));
    assert_int_equal(tournament.status, 0);
    assert_non_null(strstr(tournament.output, "\nnumber  player "));
    assert_non_null(strstr(tournament.output, "\nfirst hammer, Elo "));
    assert_non_null(strstr(tournament.output, "\n[0,1] "));
    assert_non_null(strstr(drawn.output, "\nnu of Davidson's model of draws  0."));
    assert_non_null(strstr(undrawn.output, "\nnu of Davidson's model of draws  0\n"));
    /* No progress bar unless standard error is a terminal. */
    assert_string_equal(match.errors, "");
    program_free(&match);
    program_free(&decided);
    program_free(&lucky);
    program_free(&tournament);
    program_free(&drawn);
    program_free(&undrawn);
}

/* ---- records ---- */

static void an_interrupted_match_is_resumed(void **state)
{
    (void)state;
    const char *const words[] = {RINK_EVALUATE,
                                 "match",
                                 "--a=ai-simple:epsilon=0.2",
                                 "--b=random",
                                 "--pairs=1000000",
                                 "--threads=2",
                                 "--ends=1",
                                 "--json",
                                 "--records",
                                 records,
                                 NULL};
    char *line = NULL;
    size_t size = 0;

    assert_int_equal(truncate(records, 0), 0);
    struct program_talk talk = program_start(words);
    /* Wait until the file has content. */
    off_t length = 0;
    while (length < 100000) {
        FILE *file = fopen(records, "r");
        assert_non_null(file);
        assert_int_equal(fseeko(file, 0, SEEK_END), 0);
        length = ftello(file);
        fclose(file);
        usleep(10000);
    }
    assert_int_equal(kill(talk.pid, SIGINT), 0);
    assert_true(getline(&line, &size, talk.from) > 0);
    json_t *cut = json_loads(line, 0, NULL);
    free(line);
    assert_int_equal(program_finish(&talk), 130);
    assert_true(json_is_true(json_object_get(cut, "interrupted")));
    int pairs = (int)number(cut, "pairs");
    assert_in_range(pairs, 1, 999999);

    char text[32];
    snprintf(text, sizeof text, "%d", pairs);
    json_t *taken_up =
        evaluate_json(WORDS("match", "--a=ai-simple:epsilon=0.2", "--b=random", "--pairs", text,
                            "--ends=1", "--json", "--records", records));
    assert_true(json_equal(json_object_get(cut, "a"), json_object_get(taken_up, "a")));
    assert_true(
        json_equal(json_object_get(cut, "pentanomial"), json_object_get(taken_up, "pentanomial")));
    assert_true(
        json_equal(json_object_get(cut, "pair_score"), json_object_get(taken_up, "pair_score")));
    json_decref(cut);
    json_decref(taken_up);
}

/* The records of a match tell what its searching player expected of each shot. */
static void told_chances_are_compared_with_results(void **state)
{
    (void)state;
    assert_int_equal(truncate(records, 0), 0);
    json_decref(evaluate_json(WORDS("match", "--a=rink:simulations=300", "--b=random", "--pairs=4",
                                    "--json", "--records", records)));
    json_t *root = evaluate_json(WORDS("calibration", "--json", records));
    json_t *players = json_object_get(root, "players");
    json_t *rows = json_object_get(json_array_get(players, 0), "rows");
    json_t *all = json_array_get(rows, 0), *row;
    double tenths = 0.0;
    size_t k;

    assert_true(number(root, "pairs") == 4.0);
    assert_true(number(all, "shots") == 4 * 2 * 2 * 8);
    assert_true(number(all, "won_percent") > 80.0);
    close_to(number(all, "won_percent") - number(all, "told_percent"),
             number(all, "difference_percent"), 1e-9);
    json_array_foreach(rows, k, row)
    {
        const char *of = json_string_value(json_object_get(row, "of"));
        tenths += strncmp(of, "told", 4) == 0 ? number(row, "shots") : 0.0;
        assert_true(number(row, "told_percent") >= 0.0 && number(row, "told_percent") <= 100.0);
    }
    assert_true(tenths == number(all, "shots"));
    /* A player that tells nothing has no rows. */
    assert_int_equal(json_array_size(json_object_get(json_array_get(players, 1), "rows")), 0);
    json_decref(root);

    struct program_run run = evaluate(WORDS("calibration", records));
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.output, "rink:simulations=300\n"));
    assert_non_null(strstr(run.output, "last shot"));
    program_free(&run);
    run = evaluate(WORDS("calibration", "/nowhere/x"));
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "/nowhere/x: No such file"));
    program_free(&run);
    run = evaluate(WORDS("calibration", RINK_EVALUATE_PAGE));
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "line 1: no JSON"));
    program_free(&run);
}

static void records_of_another_match_are_refused(void **state)
{
    (void)state;
    assert_int_equal(truncate(records, 0), 0);
    json_t *root = evaluate_json(WORDS("match", "--a=random", "--b=random", "--pairs=2", "--ends=1",
                                       "--json", "--records", records));
    json_decref(root);
    struct program_run run = evaluate(
        WORDS("match", "--a=random", "--b=random", "--pairs=2", "--ends=2", "--records", records));
    assert_int_equal(run.status, 1);
    assert_string_equal(run.output, "");
    assert_non_null(strstr(run.errors, "its ends is 1, not 2"));
    program_free(&run);
    run = evaluate(WORDS("match", "--a=random", "--b=random", "--pairs=2", "--ends=1",
                         "--extra-ends=1", "--records", records));
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "its extra_ends is 0, not 1"));
    program_free(&run);
}

/* ---- usage ---- */

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *words[WORDS_MAX], *message;
    } cases[] = {
        {{NULL}, "a command is missing"},
        {{"mach"}, "there is no command 'mach'"},
        {{"match"}, "two players are needed"},
        {{"match", "--a=random"}, "two players are needed"},
        {{"match", "--a=random", "--b=nobody"}, "no player is called \"nobody\""},
        {{"match", "--a=random", "--b=ai-simple:epsilon=2"}, "epsilon"},
        {{"match", "--a=random", "--b=random", "more"}, "'more' is not an option"},
        {{"match", "--a=random", "--b=random", "--profile=dc9"},
         "--profile must be one of dc2, dc3"},
        {{"match", "--a=random", "--b=random", "--noise=loud"}, "--noise must be"},
        {{"match", "--a=random", "--b=random", "--ends=0"},
         "--ends must be a whole number in 1..10"},
        {{"match", "--a=random", "--b=random", "--ends=11"}, "1..10, not '11'"},
        {{"match", "--a=random", "--b=random", "--extra-ends=11"},
         "--extra-ends must be a whole number in 0..10, not '11'"},
        {{"tournament", "random", "ai-simple", "--extra-ends=-1"}, "--extra-ends must be"},
        {{"match", "--a=random", "--b=random", "--pairs=0"}, "--pairs must be"},
        {{"match", "--a=random", "--b=random", "--pairs=1e3"}, "--pairs must be"},
        {{"match", "--a=random", "--b=random", "--simulations=-1"}, "--simulations must be"},
        {{"match", "--a=random", "--b=random", "--time-ms=0"}, "--time-ms must be"},
        {{"match", "--a=random", "--b=random", "--time-ms=inf"}, "--time-ms must be"},
        {{"match", "--a=random", "--b=random", "--seed=18446744073709551616"}, "--seed must be"},
        {{"match", "--a=random", "--b=random", "--threads=0"}, "--threads must be"},
        {{"match", "--a=random", "--b=random", "--elo1=-5", "--sprt"},
         "--elo0 must be less than --elo1"},
        {{"match", "--a=random", "--b=random", "--elo0=5"}, "--elo0 needs --sprt"},
        {{"match", "--a=random", "--b=random", "--elo1=5"}, "--elo1 needs --sprt"},
        {{"match", "--a=random", "--b=random", "--records=/nowhere/x"}, "/nowhere/x: No such file"},
        {{"match", "--a=random", "--b=random", "--records=/dev/null"}, "not an ordinary file"},
        {{"match", "--no-such-option"}, "unrecognized option"},
        {{"tournament"}, "at least two players"},
        {{"tournament", "random"}, "at least two players"},
        {{"tournament", "random", "random"}, "takes part twice"},
        {{"tournament", "random", "ai-simple", "--anchor=generator"}, "does not take part"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct program_run run = evaluate(cases[k].words);
        if (run.status != 1 || run.length != 0 || !strstr(run.errors, cases[k].message))
            fail_msg("case %zu: status %d, output \"%s\", errors \"%s\"", k, run.status, run.output,
                     run.errors);
        program_free(&run);
    }
}

static void a_full_disk_exits_with_1(void **state)
{
    (void)state;
    const char *argv[] = {
        "/bin/sh", "-c", RINK_EVALUATE " match --a=random --b=random --pairs=1 --ends=1 >/dev/full",
        NULL};
    struct program_run run = program_run(argv, "", 0);

    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "No space left on device"));
    program_free(&run);
}

static void help_and_version_exit_with_0(void **state)
{
    (void)state;
    struct program_run match = evaluate(WORDS("match", "--help"));

    usage_is_told(RINK_EVALUATE, "rink-evaluate", "tournament");
    assert_int_equal(match.status, 0);
    assert_non_null(strstr(match.output, "rink-evaluate match [OPTION...]"));
    program_free(&match);
}

/* Models are found by hash in the folder given before the command. */
static void policies_play_matches(void **state)
{
    (void)state;
    const struct policy_form form = made_form(POLICY_LOGITS, false);
    struct made_policy made = made_policy(&form, 3);
    char folder[] = "/tmp/evaluate_test_XXXXXX", sha256[65], path[128], a[128], b[192];

    assert_non_null(mkdtemp(folder));
    made_sha256(&made, sha256);
    snprintf(path, sizeof path, "%s/%s.safetensors", folder, sha256);
    made_save(&made, path);
    snprintf(a, sizeof a, "policy:weights=%s,choice=sample", sha256);
    snprintf(b, sizeof b, "policy:weights=%s", path); /* or by its path */
    json_t *root = evaluate_json(WORDS("--models", folder, "match", "--a", a, "--b", b, "--pairs",
                                       "3", "--threads", "2", "--json"));
    assert_true(number(root, "pairs") == 3.0);
    json_decref(root);

    struct program_run run = evaluate(WORDS("match", "--a", a, "--b", "random"));
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "--models or RINKD_MODELS"));
    program_free(&run);
    assert_int_equal(unlink(path) | rmdir(folder), 0);
    free(made.bytes);
}

/* Missing weights are reported by name; no player continues without them. */
static void missing_weights_are_named(void **state)
{
    (void)state;
    setenv("RINKD_WEIGHTS", "/no/such/folder", 1);
    struct program_run run =
        evaluate(WORDS("match", "--a", "rink:simulations=1000", "--b", "random", "--pairs", "1"));
    unsetenv("RINKD_WEIGHTS");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.errors, "shot 0: /no/such/folder/end_value_"));
    program_free(&run);
}

/* The same by commands that do not name the shot. */
static void missing_weights_are_named_by_every_command(void **state)
{
    char from[64], to[] = "evaluate_test_referee_XXXXXX", output[64];
    struct program_run run = evaluate(WORDS("positions", "--count=1"));
    FILE *file = fopen(records, "w");
    int fd = mkstemp(to);

    (void)state;
    assert_true(file && fd >= 0 && run.status == 0);
    assert_true(fputs(run.output, file) >= 0 && fclose(file) == 0 && close(fd) == 0);
    program_free(&run);
    snprintf(from, sizeof from, "--positions=%s", records);
    snprintf(output, sizeof output, "--output=%s", to);
    const char *const lines[][WORDS_MAX] = {
        {"positions", "--count=16"},
        {"referee", from, output},
        {"exploitability", "--player=rink:simulations=100", "--responder=random", "--ends=2",
         "--selection-ends=2"},
        {"tendencies", "--player=rink:simulations=100", "--opponent=random", "--pairs=1"},
    };
    setenv("RINKD_WEIGHTS", "/no/such/folder", 1);
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        run = evaluate(lines[k]);
        if (run.status != 1 || !strstr(run.errors, "/no/such/folder/end_value_"))
            fail_msg("%s: status %d, %s", lines[k][0], run.status, run.errors);
        program_free(&run);
    }
    unsetenv("RINKD_WEIGHTS");
    assert_int_equal(unlink(to), 0);
}

/* Every --option in a command's help has a paragraph in the manual page. */
static void the_manual_page_has_every_option(void **state)
{
    (void)state;
    char *page = usage_page(RINK_EVALUATE_PAGE);
    static const struct {
        const char *command;
        int options, defaults;
    } wanted[] = {{"match", 14, 3},      {"tournament", 14, 3}, {"exploitability", 14, 3},
                  {"tendencies", 14, 3}, {"calibration", 1, 0}, {"poker", 7, 2}};
    for (size_t c = 0; c < sizeof wanted / sizeof wanted[0]; c++) {
        struct program_run help = evaluate(WORDS(wanted[c].command, "--help"));
        assert_true(usage_page_has_options(page, help.output) >= wanted[c].options);
        assert_true(usage_page_has_defaults(page, help.output) >= wanted[c].defaults);
        program_free(&help);
    }
    free(page);
}

/* Every --option in a command's help is accepted: all of them at once. */
static void every_option_in_the_help_is_taken(void **state)
{
    (void)state;
    const char *const play[] = {
        "--profile=dc3",    "--noise=none",   "--ends=1", "--extra-ends=1", "--pairs=1",
        "--simulations=10", "--time-ms=1000", "--seed=3", "--threads=1",    "--json"};
    const char *const lines[][WORDS_MAX] = {
        {"match", "--a=random", "--b=ai-simple", "--sprt", "--elo0=1", "--elo1=2", "--records",
         records, "--luck=2", "--luck-by=hammer", "--values=adjusted"},
        {"tournament", "random", "ai-simple", "--anchor=random", "--records", records, "--luck=2",
         "--luck-by=seat"},
        {"exploitability", "--player=random", "--responder=local", "--profile=dc3", "--noise=none",
         "--ends=2", "--selection-ends=2", "--candidates=2", "--samples=1", "--rounds=1",
         "--simulations=10", "--time-ms=1000", "--seed=3", "--threads=1", "--json"},
        {"tendencies", "--player=random", "--opponent=ai-simple"},
    };

    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        const char *words[WORDS_MAX] = {NULL};
        char text[1024] = "--help --usage --version";
        bool plays = strcmp(lines[k][0], "exploitability") != 0;
        size_t count = 0;
        while (lines[k][count]) {
            words[count] = lines[k][count];
            count++;
        }
        for (size_t p = 0; plays && p < sizeof play / sizeof play[0]; p++)
            words[count++] = play[p];
        for (size_t w = 0; w < count; w++) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, " %s", words[w]);
        }
        assert_int_equal(truncate(records, 0), 0);
        struct program_run run = evaluate(words);
        if (run.status != 0)
            fail_msg("%s: %s", text, run.errors);
        program_free(&run);
        struct program_run help = evaluate(WORDS(words[0], "--help"));
        usage_page_has_options(text, help.output);
        program_free(&help);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_reports_every_game),
        cmocka_unit_test(a_tie_goes_to_extra_ends_if_asked_to),
        cmocka_unit_test(identical_players_share_every_pair),
        cmocka_unit_test(threads_change_nothing_and_swapped_players_mirror),
        cmocka_unit_test(threads_change_nothing_for_a_model_of_the_opponent),
        cmocka_unit_test(known_styles_are_what_the_players_do),
        cmocka_unit_test(a_sequential_test_stops_early),
        cmocka_unit_test(a_tournament_makes_a_ladder),
        cmocka_unit_test(tables_are_for_people),
        cmocka_unit_test(an_interrupted_match_is_resumed),
        cmocka_unit_test(told_chances_are_compared_with_results),
        cmocka_unit_test(records_of_another_match_are_refused),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(a_full_disk_exits_with_1),
        cmocka_unit_test(help_and_version_exit_with_0),
        cmocka_unit_test(missing_weights_are_named),
        cmocka_unit_test(missing_weights_are_named_by_every_command),
        cmocka_unit_test(the_manual_page_has_every_option),
        cmocka_unit_test(every_option_in_the_help_is_taken),
        cmocka_unit_test(policies_play_matches),
    };
    return cmocka_run_group_tests(tests, make_records, remove_records);
}
