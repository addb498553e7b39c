/* rinkctl as a user runs it, with a daemon. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/programs/rinkctl_run.h"

#include <limits.h>
#include <signal.h>
#include <unistd.h>

static const char state_json[] =
    "{\"end\":0,\"shot\":3,\"hammer\":\"team1\",\"scores\":{\"team0\":[null,null],\"team1\":[null,"
    "null]},\"stones\":{\"team0\":[{\"position\":{\"x\":0.12,\"y\":38.1},\"angle\":0},null,null,"
    "null,null,null,null,null],\"team1\":[{\"position\":{\"x\":-0.5,\"y\":37.9},\"angle\":0},null,"
    "null,null,null,null,null,null]}}";

static long long whole_of(const json_t *object, const char *name)
{
    assert_true(json_is_integer(json_object_get(object, name)));
    return json_integer_value(json_object_get(object, name));
}

/* Adds a job that waits for an hour; its id goes to ret_id. */
static void add_waiting_job(char ret_id[24])
{
    json_t *added = json_of(WORDS("submit", "match", "--a", "random", "--b", "ai-simple",
                                  "--delay-s", "3600", "--json"),
                            "");

    snprintf(ret_id, 24, "%lld", whole_of(added, "id"));
    json_decref(added);
}

static size_t count_jobs(void)
{
    json_t *list = json_of(WORDS("jobs", "--limit", "1000", "--json"), "");
    size_t count = json_array_size(json_object_get(list, "items"));

    json_decref(list);
    return count;
}

static int use_service(void **state)
{
    (void)state;
    use_port(daemon_here.port);
    return 0;
}

static void status_reports_the_health_of_the_service(void **state)
{
    (void)state;
    expect(WORDS("status"), 0, "ready    yes\n", NULL);
    expect(WORDS("status"), 0, " leased, ", NULL);
    json_t *status = json_of(WORDS("--json", "status"), "");
    assert_true(json_is_true(json_object_get(status, "ready")));
    assert_int_equal(whole_of(json_object_get(status, "jobs"), "buried"), 0);
    assert_true(json_is_array(json_object_get(status, "workers")));
    json_decref(status);
}

static void a_shot_is_shown_and_can_be_had_as_json(void **state)
{
    (void)state;
    struct program_run run =
        rinkctl(WORDS("shot", "-", "--profile", "dc2", "--simulations", "3000"), state_json);
    assert_int_equal(run.status, 0);
    assert_has(run.output, "shot         velocity (");
    assert_has(run.output, "for dc2      vx ");
    assert_has(run.output, "side         team1\n");
    assert_has(run.output, "% of the games\n");
    assert_has(run.output, "player       rink, ");
    assert_string_equal(run.errors, "");
    program_free(&run);

    /* A whole query with one part changed by an option, and the bare state, mean the same. */
    char query[1024];
    snprintf(query, sizeof query,
             "{\"profile\":\"dc3\",\"state\":%s,\"seed\":5,\"top_k\":2,\"limits\":{\"simulations\":"
             "1}}",
             state_json);
    json_t *whole = json_of(WORDS("shot", "--simulations", "3000", "--json"), query);
    json_t *bare =
        json_of(WORDS("shot", "--simulations=3000", "--seed=5", "--top-k=2", "--json"), state_json);
    assert_int_equal(json_array_size(json_object_get(whole, "candidates")), 2);
    assert_true(
        json_equal(json_object_get(whole, "candidates"), json_object_get(bare, "candidates")));
    assert_true(json_equal(json_object_get(whole, "shot"), json_object_get(bare, "shot")));
    json_decref(whole);
    json_decref(bare);
}

static void maps_and_calls_are_shown(void **state)
{
    (void)state;
    struct program_run run = rinkctl(WORDS("map", "--columns=8", "--rows=8", "--lines=16",
                                           "--throws=8", "--seed=2", "--profile=dc2"),
                                     state_json);
    assert_int_equal(run.status, 0);
    assert_has(run.output, " simulated throws in ");
    assert_has(run.output, "hand costs");
    program_free(&run);
    char query[1024];
    snprintf(query, sizeof query,
             "{\"state\":%s,\"calls\":[{\"aim\":{\"x\":0,\"y\":38},\"rotation\":\"cw\"},{\"aim\":{"
             "\"x\":0,\"y\":38},\"weight\":\"hard\",\"rotation\":\"ccw\"}]}",
             state_json);
    run = rinkctl(WORDS("calls", "--throws=64"), query);
    assert_int_equal(run.status, 0);
    assert_has(run.output, "call 1       ");
    assert_has(run.output, ", to the first ");
    assert_has(run.output, " of 200 stay in play\n");
    program_free(&run);
}

/* Runs a command on a file, and checks what it says of it. */
static void expect_of_file(const char *const words[WORDS_MAX], const char *file, int status,
                           const char *errors)
{
    struct program_run run = rinkctl(words, file);

    if (run.status != status)
        fail_msg("%s ends with %d: %s", words[0], run.status, run.errors);
    assert_has(run.errors, errors);
    program_free(&run);
}

static void the_file_of_a_shot_is_taken_by_all(void **state)
{
    static const char *const map[] = {"--columns=8", "--rows=8", "--lines=16", "--throws=8"};
    char query[2048], update[1024];

    (void)state;
    snprintf(query, sizeof query,
             "{\"profile\":\"dc3\",\"state\":%s,\"limits\":{\"simulations\":200},\"top_k\":2,"
             "\"calls\":[{\"aim\":{\"x\":0,\"y\":38},\"rotation\":\"cw\"}]}",
             state_json);
    expect_of_file(WORDS("shot"), query, 0, "left out, as it means nothing here: calls\n");
    expect_of_file(WORDS("map", map[0], map[1], map[2], map[3]), query, 0,
                   "limits, top_k, calls\n");
    expect_of_file(WORDS("calls", "--throws=64"), query, 0, "here: limits, top_k\n");
    expect_of_file(WORDS("library-add", "--title=x"), query, 0, "limits, top_k, calls\n");
    expect_of_file(WORDS("skills"), query, 2, "here: state, limits, top_k, calls\n");
    expect_of_file(WORDS("library-add", "--title=y"), state_json, 0, "");
    snprintf(update, sizeof update, "{\"cmd\":\"update\",\"next_team\":\"team0\",\"state\":%s}",
             state_json);
    expect_of_file(WORDS("map", map[0], map[1], map[2], map[3]), update, 0, "cmd, next_team\n");
}

static void a_match_is_followed_to_its_end_and_found_again(void **state)
{
    (void)state;
    struct program_run run = rinkctl(WORDS("submit", "match", "--a=ai-simple", "--b=random",
                                           "--pairs=20", "--seed=3", "--extra-ends=2", "--watch"),
                                     "");
    if (run.status != 0)
        fail_msg("status %d: %s", run.status, run.errors);
    assert_has(run.output, "kind            match\n");
    assert_has(run.output, "\"extra_ends\":2,");
    assert_has(run.output, "\ngames with extra ends     ");
    assert_has(run.output, "\na wins, pairs by score, %   ");
    assert_has(run.output, "\na wins, % ");
    assert_has(run.output, "\nai-simple ");
    assert_has(run.errors, " done");
    assert_null(strchr(run.errors, '\r')); /* no progress bar without a terminal */
    program_free(&run);

    json_t *jobs = json_of(WORDS("jobs", "--kind", "match", "--state", "done", "--json"), "");
    json_t *job = json_array_get(json_object_get(jobs, "items"), 0);
    char id[24];
    snprintf(id, sizeof id, "%lld", whole_of(job, "id"));
    json_decref(jobs);
    expect(WORDS("jobs"), 0, "match", NULL);
    expect(WORDS("job", id), 0, "\na wins, % ", NULL);
    expect(WORDS("watch", id), 0, "\na wins, % ", "done");
    expect(WORDS("log", id), 0, NULL, NULL);
    expect(WORDS("matches", "--job", id), 0, "ai-simple  random     20  ", NULL);
    expect(WORDS("players"), 0, "kr-uct          yes ", NULL);
    expect(WORDS("models"), 0, NULL, "there are no models");
    expect(WORDS("reproduction"), 0, "120,000  75.6 (72.7-78.4)  72.0 ", NULL);
    expect(WORDS("reproduction"), 0, "\nprinted: 65.1 % after 1.5 million ends, 79.1 %", NULL);
    expect(WORDS("profiles"), 0, "dc4-modified   dc4  normal_dist     10  yes      yes ", NULL);
}

/* Writes a game, behind a line that is none, to a new file. */
static void write_game(const char *game, char ret_path[32])
{
    struct program_run run = rinkctl(WORDS("game", game), "");

    strcpy(ret_path, "/tmp/rinkd-game-XXXXXX");
    assert_int_equal(run.status, 0);
    assert_has(run.output, "\"result\":{\"half_points\":");
    int fd = mkstemp(ret_path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    assert_non_null(file);
    fprintf(file, "nothing\n%c\n%s", '\0', run.output);
    assert_int_equal(fclose(file), 0);
    program_free(&run);
}

static void a_game_is_written_and_imported_once(void **state)
{
    char path[32], game[64], job[24], line[160];
    json_t *matches = json_of(WORDS("matches", "--json"), "");
    const json_t *match = json_array_get(json_object_get(matches, "items"), 0);

    (void)state;
    snprintf(game, sizeof game, "%lld-0-0", whole_of(match, "id"));
    snprintf(job, sizeof job, "%lld", whole_of(match, "job"));
    json_decref(matches);
    expect(WORDS("live", job), 0, "\"whole\":true", NULL);
    expect(WORDS("live", "999999"), 2, NULL, "there is no job 999999");
    expect(WORDS("game", "7"), 2, NULL, "status 404");
    write_game(game, path);
    struct program_run first = rinkctl(WORDS("import", path), "");
    assert_int_equal(first.status, 0);
    for (int number = 1; number <= 2; number++) {
        snprintf(line, sizeof line, "%s, line %d: ", path, number);
        assert_has(first.errors, line);
    }
    assert_has(first.errors, "; left out\n");
    assert_has(first.output, ", done)\n");
    /* The id that is told is the game's. */
    const char *told = strstr(first.output, ": game ");
    assert_non_null(told);
    assert_int_equal(sscanf(told, ": game %63[0-9-]", game), 1);
    expect(WORDS("game", game), 0, "\"half_points\":", NULL);
    expect(WORDS("submit", "review", game, "--dry-run"), 0, "review", NULL);
    first.output[strlen(first.output) - 1] = '\0'; /* without its newline */
    snprintf(line, sizeof line, "%s; this game was imported before\n", first.output);
    expect(WORDS("import", path), 0, line, "rinkctl submit review ");
    program_free(&first);
    expect(WORDS("import", "/dev/null"), 2, NULL, "import: ");
    expect(WORDS("import", "/nonexistent"), 1, NULL, "/nonexistent: No such file");
    unlink(path);
}

/* The log of a hosted game, with the files of its shots beside it. */
static void a_log_is_imported_with_the_shots_beside_it(void **state)
{
    char path[PATH_MAX], id[24];
    json_t *job = json_of(WORDS("submit", "host", "--engine=fast", "--ends=1", "--team0=ai-simple",
                                "--team1=ai-simple", "--json"),
                          "");

    (void)state;
    snprintf(id, sizeof id, "%lld", whole_of(job, "id"));
    json_decref(job);
    expect(WORDS("watch", id), 0, NULL, "done");
    snprintf(path, sizeof path, "%s/jobs/%s/game.dcl2", daemon_here.data, id);
    job = json_of(WORDS("import", "--json", path), "");
    snprintf(id, sizeof id, "%lld", whole_of(job, "id"));
    json_decref(job);
    expect(WORDS("live", id), 0, "\"final\":[", NULL);
    snprintf(path, sizeof path, "%s/jobs/%s/shot_e000s15.json", daemon_here.data, id);
    expect(WORDS("import", path), 0, NULL, "shot_e000s15.json: belongs to the game.dcl2 beside it");
}

static void a_measurement_leaves_a_run_with_curves(void **state)
{
    (void)state;
    expect(WORDS("submit", "diagnose", "--seconds", "2", "--watch"), 0, "simulator, throws/s  ",
           NULL);
    json_t *runs = json_of(WORDS("runs", "--json"), "");
    const char *run =
        json_string_value(json_object_get(json_array_get(json_object_get(runs, "items"), 0), "id"));
    assert_non_null(run);
    expect(WORDS("runs"), 0, run, NULL);
    expect(WORDS("run", run), 0, "kind         diagnose\n", NULL);
    expect(WORDS("metrics", run), 0, "throws_per_s ", NULL);
    expect(WORDS("metrics", run, "throws_per_s"), 0, "throws_per_s     1  ", NULL);
    expect(WORDS("metrics", run, "throws_per_s", "--from-step=1", "--csv"), 0,
           "step,name,value,at_ms\n1,\"throws_per_s\",", NULL);
    expect(WORDS("metrics", run, "throws_per_s", "nothing"), 2, "", "no curve \"nothing\"");
    json_t *curves = json_of(WORDS("metrics", run, "throws_per_s", "--json"), "");
    json_t *first = json_array_get(json_object_get(curves, "curves"), 0);
    assert_int_equal(json_array_size(json_object_get(first, "points")), 2);
    json_decref(curves);
    json_decref(runs);
}

static void jobs_are_moved(void **state)
{
    char id[24], other[24];

    (void)state;
    add_waiting_job(id);
    add_waiting_job(other);
    expect(WORDS("job", id), 0, "waits because", NULL);
    expect(WORDS("pause", id, other), 0, ": paused\n", NULL);
    expect(WORDS("jobs", "--state=paused"), 0, " paused ", NULL);
    expect(WORDS("resume", id), 0, ": ready\n", NULL);
    expect(WORDS("cancel", "--reason=caf\xe9", id), 1, NULL,
           "word 2 of the command line is not UTF-8");
    expect(WORDS("submit", "match", "--a=ai-simple", "--b=\xff"), 1, NULL, "is not UTF-8");
    expect(WORDS("kick", id), 2, NULL, "This is not possible in the present state");
    expect(WORDS("delete", id), 2, NULL, "status 409");
    expect(WORDS("job", id), 0, "\"threads\":1,\"limits\":{}}\n", NULL);
    expect(WORDS("cancel", "--reason=a test", id, other), 0, ": cancelled\n", NULL);
    expect(WORDS("watch", id), 1, NULL, "was cancelled");
    /* One failed deletion does not stop the others. */
    expect(WORDS("delete", "999999", id, other), 2, ": deleted\n", "DELETE /v1/jobs/999999");
    expect(WORDS("job", other), 2, NULL, "status 404");
}

static void many_jobs_are_moved_by_what_they_are(void **state)
{
    char id[24], other[24], answer[64];

    (void)state;
    add_waiting_job(id);
    add_waiting_job(other);
    expect(WORDS("cancel", "--state=ready", "--kind=match", "--dry-run", id, other), 0,
           "2 jobs would be moved\n", NULL);
    expect(WORDS("job", id), 0, "ready", NULL);
    expect(WORDS("priority", "--to=-7", id), 0, ": ready\n", NULL);
    expect(WORDS("priority", "--to=-7", "--kind=match", id, other), 0, "2 jobs\n", NULL);
    expect(WORDS("priority", id), 1, NULL, "--to=N is needed");
    snprintf(answer, sizeof answer, "\"count\":1,\"skipped\":1,\"ids\":[%s]", other);
    expect(WORDS("cancel", id), 0, ": cancelled\n", NULL);
    expect(WORDS("cancel", "--json", "--state=ready", "--reason=test", id, other), 0, answer, NULL);
    expect(WORDS("delete", "--state=asleep", id), 2, NULL, "must be done, buried or cancelled");
    expect(WORDS("delete", "--submitted-before=yesterday"), 2, NULL, "must be a time like");
    expect(WORDS("delete", "--submitted-after=2026-01-31T12:00:00Z", id, other), 0, "2 jobs\n",
           NULL);
    expect(WORDS("job", id), 2, NULL, "status 404");
}

static void jobs_wait_for_others_and_are_repeated(void **state)
{
    char id[24], after[32], line[64];

    (void)state;
    add_waiting_job(id);
    snprintf(after, sizeof after, "--after=%s", id);
    snprintf(line, sizeof line, "job %s has not ended", id);
    struct program_run run = rinkctl(WORDS("submit", "match", "--json", "--a=ai-simple",
                                           "--b=random", after, "--after-failure=pause"),
                                     "");
    assert_int_equal(run.status, 0);
    long long next = 0;
    assert_int_equal(sscanf(run.output, "{\"id\":%lld", &next), 1);
    program_free(&run);
    char number[24];
    snprintf(number, sizeof number, "%lld", next);
    expect(WORDS("job", number), 0, line, NULL);
    expect(WORDS("repeat", id, "--seed=8", "--set", "pairs=3", "--delay-s=3600"), 0,
           "\"pairs\":3,\"seed\":8", NULL);
    expect(WORDS("repeat", id, "--set", "no_such=3"), 2, NULL, "spec.no_such");
    expect(WORDS("submit", "match", "--a=ai-simple", "--b=random", "--after=999999"), 2, NULL,
           "there is no job 999999");
    expect(WORDS("cancel", "--all"), 0, " jobs\n", NULL);
    expect(WORDS("delete", "--all"), 0, " jobs\n", NULL);
}

static void webhooks_are_added_tested_and_deleted(void **state)
{
    char id[24];

    (void)state;
    expect(WORDS("webhooks"), 0, NULL, "there are no webhooks");
    json_t *added =
        json_of(WORDS("webhook-add", "http://webhooks.invalid/", "--state", "done",
                      "--state=buried", "--kind", "match", "--about", "the chat", "--json"),
                "");
    json_t *states = json_pack("[s, s]", "done", "buried");
    assert_true(json_equal(json_object_get(added, "states"), states));
    assert_string_equal(json_string_value(json_object_get(added, "about")), "the chat");
    snprintf(id, sizeof id, "%lld", whole_of(added, "id"));
    json_decref(states);
    json_decref(added);
    expect(WORDS("webhook-add", "http://webhooks.invalid/all"), 0, "whsec_", NULL);
    expect(WORDS("webhook-add", "webhooks.invalid"), 2, NULL,
           "must begin with http:// or https://");
    expect(WORDS("webhook-add"), 1, NULL, "a URL is missing");
    expect(WORDS("webhook-add", "http://a/", "--state", "ready"), 2, NULL, "states.0");
    expect(WORDS("webhook-test", id), 0, "msg_", NULL);
    expect(WORDS("deliveries", id), 0, "test", NULL);
    expect(WORDS("deliveries", "x"), 1, NULL, "'x' is not the number of a webhook");
    expect(WORDS("webhooks"), 0, "http://webhooks.invalid/all", NULL);
    expect(WORDS("webhook-delete", id), 0, "deleted", NULL);
    expect(WORDS("webhook-test", id), 2, NULL, "there is no webhook");
}

static void a_file_is_submitted(void **state)
{
    (void)state;
    static const char body[] = "{\"kind\":\"diagnose\",\"spec\":{\"seconds\":1}}";
    size_t before = count_jobs();
    struct program_run run = rinkctl(WORDS("submit", "-", "--dry-run"), body);
    assert_int_equal(run.status, 0);
    assert_has(run.output, "\"profile\":\"dc2\"");
    program_free(&run);
    assert_int_equal(count_jobs(), before);
    run = rinkctl(WORDS("submit", "--delay-s=3600", "-"), body);
    assert_int_equal(run.status, 0);
    program_free(&run);
    assert_int_equal(count_jobs(), before + 1);
}

/* A training with options of every form, as a dry run. */
static void options_make_a_training_job(void **state)
{
    (void)state;
    json_t *answer =
        json_of(WORDS("submit", "train", "--algorithm=dqn", "--hidden=8", "--hidden=4", "--seed=7",
                      "--seed=3", "--hyper=rate=0.25", "--hyper=optimiser=adam",
                      "--opponent=random", "--dry-run", "--json"),
                "");
    const json_t *spec = json_object_get(answer, "spec"), *hyper = json_object_get(spec, "hyper");
    json_t *seeds = json_pack("[i, i]", 7, 3);
    json_t *network = json_pack("{s:s, s:[i, i]}", "architecture", "lines", "hidden", 8, 4);

    assert_true(json_equal(json_object_get(spec, "seeds"), seeds));
    assert_true(json_equal(json_object_get(spec, "network"), network));
    assert_true(json_real_value(json_object_get(hyper, "rate")) == 0.25);
    assert_string_equal(json_string_value(json_object_get(hyper, "optimiser")), "adam");
    json_decref(seeds);
    json_decref(network);
    json_decref(answer);
    expect(WORDS("submit", "train", "--from=0123456789abcdef0123456789abcdef:7"), 2, NULL,
           "\n  spec.from.run: there is no such run");
    expect(WORDS("submit", "train", "--from=7"), 1, NULL, "'7' is not RUN:STEP");
    expect(WORDS("submit", "train", "--hyper=rate"), 1, NULL, "'rate' is not NAME=VALUE");
}

/* Options and their values may stand in front of KIND. */
static void options_may_precede_the_kind(void **state)
{
    (void)state;
    json_t *answer = json_of(
        WORDS("submit", "--json", "--delay-s", "60", "--seconds", "7", "diagnose", "--dry-run"),
        "");
    const json_t *spec = json_object_get(answer, "spec");
    assert_string_equal(json_string_value(json_object_get(answer, "kind")), "diagnose");
    assert_int_equal(whole_of(spec, "seconds"), 7);
    json_decref(answer);
    /* The value of an option is not the kind, even if a kind has that name. */
    expect(WORDS("submit", "--a", "train", "match"), 1, NULL, "--b=PLAYER is needed");
    expect(WORDS("submit", "--pairs", "3", "diagnose"), 1, NULL, "there is no option '--pairs'");
}

/* The server's refusal names the fields; nothing is stored. */
static void refusals_of_the_server_are_shown(void **state)
{
    (void)state;
    size_t before = count_jobs();
    expect(WORDS("submit", "match", "--a=nobody", "--b=rink", "--pairs=0"), 2, NULL,
           "\n  spec.pairs: 0 is not in ");
    expect(WORDS("submit", "match", "--a=nobody", "--b=rink"), 2, NULL, "\n  spec.a: no player ");
    expect(WORDS("submit", "tournament", "rink", "rink"), 2, NULL, "\n  spec.players.1: ");
    expect(WORDS("submit", "tournament", "rink", "random", "--extra-ends=11"), 2, NULL,
           "\n  spec.extra_ends: ");
    expect(WORDS("submit", "match", "--a=rink", "--b=random", "--elo0=5", "--elo1=4"), 2, NULL,
           "\n  spec.sprt.elo1: ");
    expect(WORDS("submit", "exploitability", "--player=rink", "--responder=x", "--time-ms=0"), 2,
           NULL, "\n  spec.limits.time_ms: ");
    expect(WORDS("jobs", "--state=asleep"), 2, NULL, "no such state: asleep");
    expect(WORDS("run", "no/such run?"), 2, NULL, "GET /v1/runs/no%2Fsuch%20run%3F");
    struct program_run run = rinkctl(WORDS("shot"), "{\"state\":{\"end\":-1}}");
    assert_int_equal(run.status, 2);
    assert_has(run.errors, "\n  state.end: ");
    program_free(&run);
    assert_int_equal(count_jobs(), before);
}

/* The program's own errors name the option; no request is sent. */
static void wrong_usage_is_named(void **state)
{
    (void)state;
    expect(WORDS(NULL), 1, NULL, "a command is missing");
    expect(WORDS("fly"), 1, NULL,
           "rinkctl: there is no command 'fly'\n`rinkctl --help' lists the commands.\n");
    expect(WORDS("stauts"), 1, NULL, "did you mean 'status'?");
    expect(WORDS("submit", "regert", "--player=rink"), 1, NULL, "did you mean 'regret'?");
    expect(WORDS("submit", "match", "--piars=3"), 1, NULL,
           "rinkctl submit match: there is no option '--piars'\n"
           "rinkctl submit match: did you mean --pairs?\nTry `rinkctl submit match --help'.\n");
    expect(WORDS("library-add", "--note", "--none", "--titel=x"), 1, NULL, "--title?");
    expect(WORDS("jobs", "--limit=0"), 1, NULL, "--limit must be a whole number in 1..");
    expect(WORDS("jobs", "now"), 1, NULL, "'now' is one argument too many");
    expect(WORDS("shot", "--time-ms=1e3"), 1, NULL, "--time-ms must be a whole number");
    expect(WORDS("shot", "/nonexistent"), 1, NULL, "/nonexistent: No such file");
    expect(WORDS("submit", "frob"), 1, NULL,
           "'frob' is neither a KIND (train, match, tournament, exploitability, regret, "
           "poker-match, compete, host, external, import, diagnose, review) nor a FILE");
    expect(WORDS("submit"), 1, NULL, "a KIND or a FILE is missing");
    expect(WORDS("submit", "match", "--a=rink"), 1, NULL, "--b=PLAYER is needed");
    expect(WORDS("submit", "match", "--seconds=1"), 1, NULL, "--seconds");
    expect(WORDS("submit", "tournament", "rink"), 1, NULL, "at least 2 players");
    expect(WORDS("submit", "match", "--a=a", "--b=b", "--elo0=0x1"), 1, NULL,
           "--elo0 must be a number, not '0x1'");
    expect(WORDS("submit", "match", "--a=a", "--b=b", "--pairs=99999999999999999999"), 1, NULL,
           "--pairs must be");
    expect(WORDS("watch", "7x"), 1, NULL, "'7x' is not the number of a job");
    expect(WORDS("cancel"), 1, NULL, "the number of a job is missing");
    expect(WORDS("metrics", "r", "--csv", "--json"), 1, NULL, "--csv and --json exclude");
    expect(WORDS("--address=ftp://x", "status"), 1, NULL, "--address must be like http://");
    expect(WORDS("--address=http://x/?y", "status"), 1, NULL, "--address must be like http://");
    expect(WORDS("--token-file=/nonexistent", "status"), 1, NULL, "--token-file /nonexistent: ");
    expect(WORDS("--token-file=/dev/null", "status"), 1, NULL, "no token of 1 to ");
    expect(WORDS("--retries=-1", "status"), 1, NULL, "--retries must be a whole number in 0..");
    struct program_run run = rinkctl(WORDS("shot"), "{\"profile\": }");
    assert_int_equal(run.status, 1);
    assert_has(run.errors, "standard input, line 1, column 13: ");
    program_free(&run);
}

/* Checks the program's next line; the time limit of the test ends a wait for a missing one. */
static void expect_line(struct program_talk *talk, const char *part)
{
    char line[256];

    do
        assert_non_null(fgets(line, sizeof line, talk->from));
    while (!strstr(line, part));
}

static void watching_goes_on_after_a_restart(void **state)
{
    char id[24], address[32], words[512];
    int status;

    (void)state;
    add_waiting_job(id);
    snprintf(words, sizeof words, "exec %s watch %s 2>&1", RINKCTL, id);
    struct program_talk talk = program_start(WORDS("/bin/sh", "-c", words));
    expect_line(&talk, " ready");
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
    expect_line(&talk, "the server is away; waiting for it");
    snprintf(address, sizeof address, "127.0.0.1:%d", daemon_here.port);
    assert_true(daemon_start(&daemon_here, WORDS("--listen", address), &status));
    expect(WORDS("cancel", id), 0, ": cancelled\n", NULL);
    expect_line(&talk, " cancelled");
    expect_line(&talk, " was cancelled");
    assert_int_equal(program_finish(&talk), 1);
}

static void an_interrupted_watch_leaves_the_job(void **state)
{
    char id[24], words[512];

    (void)state;
    add_waiting_job(id);
    snprintf(words, sizeof words, "exec %s watch %s 2>&1", RINKCTL, id);
    struct program_talk talk = program_start(WORDS("/bin/sh", "-c", words));
    expect_line(&talk, " ready");
    assert_int_equal(kill(talk.pid, SIGINT), 0);
    expect_line(&talk, "is not watched any more; it goes on");
    assert_int_equal(program_finish(&talk), 130);
    expect(WORDS("job", id), 0, "state             ready\n", NULL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(status_reports_the_health_of_the_service, use_service),
        cmocka_unit_test_setup(a_shot_is_shown_and_can_be_had_as_json, use_service),
        cmocka_unit_test_setup(maps_and_calls_are_shown, use_service),
        cmocka_unit_test_setup(the_file_of_a_shot_is_taken_by_all, use_service),
        cmocka_unit_test_setup(a_match_is_followed_to_its_end_and_found_again, use_service),
        cmocka_unit_test_setup(a_game_is_written_and_imported_once, use_service),
        cmocka_unit_test_setup(a_log_is_imported_with_the_shots_beside_it, use_service),
        cmocka_unit_test_setup(a_measurement_leaves_a_run_with_curves, use_service),
        cmocka_unit_test_setup(jobs_are_moved, use_service),
        cmocka_unit_test_setup(many_jobs_are_moved_by_what_they_are, use_service),
        cmocka_unit_test_setup(jobs_wait_for_others_and_are_repeated, use_service),
        cmocka_unit_test_setup(webhooks_are_added_tested_and_deleted, use_service),
        cmocka_unit_test_setup(a_file_is_submitted, use_service),
        cmocka_unit_test_setup(options_make_a_training_job, use_service),
        cmocka_unit_test_setup(options_may_precede_the_kind, use_service),
        cmocka_unit_test_setup(refusals_of_the_server_are_shown, use_service),
        cmocka_unit_test_setup(wrong_usage_is_named, use_service),
        cmocka_unit_test_setup(an_interrupted_watch_leaves_the_job, use_service),
        cmocka_unit_test_setup(watching_goes_on_after_a_restart, use_service),
    };

    return cmocka_run_group_tests(tests, daemon_start_here, daemon_remove_here);
}
