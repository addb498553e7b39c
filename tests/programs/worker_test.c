/* rink-evaluate worker, with the test in place of the daemon. */
#include "api/jobs/wire.h"
#include "tests/programs/program.h"
#include "tests/slow.h"
#include "tests/unit/workers/search/policy/made_policy.h"

#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- helpers ---- */

static const char *const worker[] = {RINK_EVALUATE, "worker", "--stdio", NULL};

#define MATCH_OF(b, pairs, limits)                                        \
    "{\"a\":\"ai-simple\",\"b\":\"" b                                     \
    "\",\"profile\":\"dc3\",\"ends\":1,\"extra_ends\":1,\"pairs\":" pairs \
    ",\"seed\":5,\"threads\":2,\"limits\":{" limits "}}"

static struct wire_message next_message(struct program_talk *talk)
{
    static char *line;
    static size_t size;
    struct wire_message message;
    struct strict_errors errors;
    ssize_t length = getline(&line, &size, talk->from);

    assert_true(length > 1);
    if (!wire_read(line, (size_t)length - 1, &message, &errors))
        fail_msg("%s: %s in %s", errors.error[0].pointer, errors.error[0].message, line);
    return message;
}

/* Returns the next message of the type; skips beats and partial results before it. */
static struct wire_message next_of(struct program_talk *talk, enum wire_type type)
{
    struct wire_message message = next_message(talk);

    while (message.type != type && (message.type == WIRE_BEAT || message.type == WIRE_PARTIAL)) {
        wire_free(&message);
        message = next_message(talk);
    }
    if (message.type == WIRE_FAILED && type != WIRE_FAILED)
        fail_msg("the job failed: %s", message.failed.detail);
    assert_int_equal(message.type, type);
    return message;
}

/* Starts a worker, which says hello and gets the job. */
static struct program_talk start(const char *folder, const char *kind, const char *spec)
{
    struct program_talk talk = program_start(worker);
    struct wire_message hello = next_message(&talk);

    assert_int_equal(hello.type, WIRE_HELLO);
    assert_int_equal(hello.hello.protocol, WIRE_PROTOCOL);
    assert_true(json_array_size(hello.hello.kinds) >= 5);
    wire_free(&hello);
    fprintf(talk.to,
            "{\"type\":\"job\",\"id\":1,\"kind\":\"%s\",\"spec\":%s,\"runs\":[\"r1\"],"
            "\"folder\":\"%s\",\"attempt\":1,\"checkpoint\":null}\n",
            kind, spec, folder);
    fflush(talk.to);
    return talk;
}

/* The type of the next message; WIRE_CANCEL, which no worker says: none came in time. */
static enum wire_type heard_within(struct program_talk *talk, int ms)
{
    struct pollfd ready = {.fd = fileno(talk->from), .events = POLLIN};

    if (poll(&ready, 1, ms) <= 0)
        return WIRE_CANCEL;
    struct wire_message message = next_message(talk);
    enum wire_type type = message.type;
    wire_free(&message);
    return type;
}

static void say(struct program_talk *talk, const char *type)
{
    fprintf(talk->to, "{\"type\":\"%s\"}\n", type);
    fflush(talk->to);
}

/* Returns the result of a job that finishes; the caller frees it. */
static json_t *result_of(const char *folder, const char *kind, const char *spec)
{
    struct program_talk talk = start(folder, kind, spec);
    struct wire_message done = next_of(&talk, WIRE_DONE);
    json_t *result = json_incref(done.result.result);

    assert_false(done.result.cancelled);
    wire_free(&done);
    assert_int_equal(program_finish(&talk), 0);
    return result;
}

static void assert_failed(const char *folder, const char *kind, const char *spec, const char *code,
                          const char *part)
{
    struct program_talk talk = start(folder, kind, spec);
    struct wire_message failed = next_of(&talk, WIRE_FAILED);

    assert_string_equal(failed.failed.code, code);
    assert_false(failed.failed.retryable);
    if (!strstr(failed.failed.detail, part))
        fail_msg("'%s' does not say '%s'", failed.failed.detail, part);
    wire_free(&failed);
    assert_int_equal(program_finish(&talk), 0);
}

/* Removes the parts that depend on the clock. */
static void remove_times(json_t *match)
{
    for (int player = 0; player < 2; player++)
        json_object_del(json_object_get(match, player ? "b" : "a"), "effort");
}

/* ---- scenarios ---- */

static void a_match_that_was_drained_goes_on_to_the_same_result(void **state)
{
#define PAIRS SLOW_OR("1200", "3000")
    const char *spec = MATCH_OF("dc3-rulebased", PAIRS, "");
    char other[128];

    struct program_talk talk = start(*state, "match", spec);
    struct wire_message beat = next_of(&talk, WIRE_BEAT); /* after a second or so */
    wire_free(&beat);
    say(&talk, "drain");
    struct wire_message released = next_of(&talk, WIRE_RELEASED);
    wire_free(&released);
    assert_int_equal(program_finish(&talk), 0);
    json_t *resumed = result_of(*state, "match", spec);

    snprintf(other, sizeof other, "%s/other", (char *)*state);
    assert_int_equal(mkdir(other, 0700), 0);
    json_t *whole = result_of(other, "match", spec);
    remove_times(resumed);
    remove_times(whole);
    assert_int_equal(json_integer_value(json_object_get(whole, "pairs")), atoi(PAIRS));
    assert_true(json_equal(resumed, whole));
    json_decref(resumed);
    json_decref(whole);
}

/* Leaves out the numbers of a member that depends on the clock. */
static void cut_numbers(char *text, const char *member)
{
    char *to = text;

    for (const char *from = text; *from;) {
        const size_t length = strncmp(from, member, strlen(member)) == 0 ? strlen(member) : 1;
        memmove(to, from, length);
        to += length;
        from += length;
        if (length > 1)
            from += strcspn(from, ",}");
    }
    *to = '\0';
}

/* Plays a match whose spec ends like this, and reads its records, without times. */
static void read_records(const char *folder, const char *name, const char *more, size_t size,
                         char *ret_text)
{
    char own[128], path[160], spec[320];

    snprintf(own, sizeof own, "%s/%s", folder, name);
    assert_int_equal(mkdir(own, 0700), 0);
    snprintf(
        spec, sizeof spec,
        "{\"a\":\"ai-simple\",\"b\":\"dc3-rulebased\",\"profile\":\"dc3\",\"ends\":4,\"pairs\":4,"
        "\"seed\":5,\"threads\":1%s}",
        more);
    json_decref(result_of(own, "match", spec));
    snprintf(path, sizeof path, "%s/records.jsonl", own);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(ret_text, 1, size - 1, file);
    assert_true(length > 0 && length < size - 1);
    ret_text[length] = '\0';
    cut_numbers(ret_text, "\"cpu_s\":");
    cut_numbers(ret_text, "\"elapsed_s\":");
    assert_int_equal(fclose(file), 0);
}

/* A stored spec that does not say what luck belongs to is older than that member. */
static void a_match_of_an_earlier_version_ends_as_it_began(void **state)
{
    enum { SIZE = 4 << 20 };
    char *old = malloc(SIZE), *seat = malloc(SIZE), *hammer = malloc(SIZE);

    assert_true(old && seat && hammer);
    read_records(*state, "old", "", SIZE, old);
    read_records(*state, "seat", ",\"luck_by\":\"seat\"", SIZE, seat);
    read_records(*state, "hammer", ",\"luck_by\":\"hammer\"", SIZE, hammer);
    assert_string_equal(old, seat); /* the header, too, so that files go on */
    assert_string_not_equal(old, hammer);
    assert_null(strstr(old, "luck_by"));
    assert_non_null(strstr(hammer, "\"luck_by\":\"hammer\""));
    free(old);
    free(seat);
    free(hammer);
}

/* The ladder must keep players with different time limits apart. A player that does not search is
 * the same under any limits, which links the ladders. */
static void names_of_players_carry_the_limits_of_a_move(void **state)
{
    json_t *result = result_of(*state, "match", MATCH_OF("rink", "1", "\"simulations\":200"));
    const json_t *a = json_object_get(result, "a"), *b = json_object_get(result, "b");

    assert_string_equal(json_string_value(json_object_get(a, "player")), "ai-simple");
    assert_string_equal(json_string_value(json_object_get(b, "player")), "rink @ 200 simulations");
    json_decref(result);
}

static void a_cancelled_match_reports_its_finished_games(void **state)
{
    struct program_talk talk = start(*state, "match", MATCH_OF("rink", "50", "\"time_ms\":5000"));

    say(&talk, "cancel");
    struct wire_message done = next_of(&talk, WIRE_DONE);
    assert_true(done.result.cancelled);
    assert_true(json_is_true(json_object_get(done.result.result, "interrupted")));
    assert_int_equal(json_integer_value(json_object_get(done.result.result, "pairs")), 0);
    wire_free(&done);
    assert_int_equal(program_finish(&talk), 0);
}

/* News of tasks may come more often than beats are due. */
static void a_lead_beats_though_it_always_hears_something(void **state)
{
    enum { MANY = 400, EVERY_MS = 100 };
    static const char news[] =
        "{\"type\":\"task\",\"number\":1,\"state\":\"running\",\"progress\":0.5,\"eta_s\":null}\n";
    struct program_talk talk = program_start(worker);
    enum wire_type type = WIRE_CANCEL;

    setvbuf(talk.from, NULL, _IONBF, 0); /* poll() knows all that has not been read */
    struct wire_message hello = next_message(&talk);
    wire_free(&hello);
    fprintf(
        talk.to,
        "{\"type\":\"job\",\"id\":1,\"kind\":\"match\",\"spec\":%s,\"runs\":[],\"folder\":\"%s\","
        "\"attempt\":1,\"checkpoint\":null,\"tasks\":{\"hands\":1,\"merged\":0,\"open\":[]}}\n",
        MATCH_OF("random", "10", ""), (const char *)*state);
    for (int k = 0; k < MANY && type != WIRE_BEAT; k++) {
        fputs(news, talk.to); /* of a task that it may not know: it is passed over */
        fflush(talk.to);
        type = heard_within(&talk, EVERY_MS);
    }
    assert_int_equal(type, WIRE_BEAT);
    int status = program_finish(&talk);
    assert_true(status == 0 || status == 1); /* whether its last word was read or not */
}

static void the_end_of_the_daemon_is_the_end_of_the_worker(void **state)
{
    struct program_talk talk = start(*state, "match", MATCH_OF("rink", "50", "\"time_ms\":5000"));
    int status = program_finish(&talk); /* closes both sides */

    assert_true(status == 0 || status == 1); /* on its own */
}

static void a_signal_is_a_drain(void **state)
{
    struct program_talk talk = start(*state, "match", MATCH_OF("rink", "50", "\"time_ms\":5000"));
    struct wire_message beat = next_of(&talk, WIRE_BEAT);

    wire_free(&beat);
    kill(talk.pid, SIGTERM);
    struct wire_message released = next_of(&talk, WIRE_RELEASED);
    wire_free(&released);
    assert_int_equal(program_finish(&talk), 0);
}

static void a_bad_spec_is_named_and_not_retried(void **state)
{
    assert_failed(*state, "match", MATCH_OF("nobody", "5", ""), "bad-spec", "/b: no player");
    assert_failed(*state, "match", MATCH_OF("rink", "0", ""), "bad-spec", "/pairs");
    assert_failed(*state, "match",
                  "{\"a\":\"random\",\"b\":\"random\",\"profile\":\"dc3\",\"ends\":1,\"extra_"
                  "ends\":11,\"pairs\":5,\"seed\":5,\"threads\":2,\"limits\":{}}",
                  "bad-spec", "/extra_ends");
    assert_failed(*state, "match", MATCH_OF("rink", "5", "\"time\":1"), "bad-spec", "/limits/time");
    assert_failed(*state, "dance", "{}", "unknown-kind", "dance");
    assert_failed(*state, "rate",
                  "{\"profile\":\"dc3\",\"ends\":2,\"extra_ends\":0,\"anchor\":\"a\"}", "bad-spec",
                  "/pairings");
    assert_failed(
        *state, "rate",
        "{\"profile\":\"dc3\",\"ends\":2,\"extra_ends\":0,\"anchor\":\"a\",\"pairings\":[{"
        "\"a\":\"a\",\"b\":\"b\",\"pairs\":8,\"half_points\":[0,1,5,1,0]}]}",
        "bad-spec", "/pairings/0/pairs: is not the sum of half_points, which is 7");
    assert_failed(*state, "diagnose", "{\"profile\":\"dc9\",\"seconds\":1,\"seed\":0}", "bad-spec",
                  "/profile");
}

/* Given back in silence, the job would come again and again. */
static void a_lead_that_cannot_read_a_line_fails_by_name(void **state)
{
    struct program_talk talk = program_start(worker);
    struct wire_message hello = next_message(&talk);

    wire_free(&hello);
    fprintf(
        talk.to,
        "{\"type\":\"job\",\"id\":1,\"kind\":\"match\",\"spec\":%s,\"runs\":[],\"folder\":\"%s\","
        "\"attempt\":1,\"checkpoint\":null,\"tasks\":{\"hands\":1,\"merged\":0,\"open\":[]}}\n",
        MATCH_OF("random", "10", ""), (const char *)*state);
    fputs("{\"type\":\"task\",\"number\":1,\"state\":\"done\",\"result\":{},\"seconds\":-5}\n",
          talk.to);
    fflush(talk.to);
    struct wire_message failed = next_of(&talk, WIRE_FAILED);
    assert_string_equal(failed.failed.code, "bad-line");
    assert_true(failed.failed.retryable);
    assert_non_null(strstr(failed.failed.detail, "/seconds"));
    wire_free(&failed);
    assert_int_equal(program_finish(&talk), 0);
}

static void a_worker_that_hears_nonsense_gives_up(void **state)
{
    (void)state;
    struct program_talk talk = program_start(worker);
    struct wire_message hello = next_message(&talk);

    wire_free(&hello);
    fputs("{\"type\":\"cancel\"}\n", talk.to);
    fflush(talk.to);
    assert_int_equal(program_finish(&talk), 1);
}

static void a_tournament_ends_in_a_ladder(void **state)
{
    json_t *result = result_of(
        *state, "tournament",
        "{\"players\":[\"ai-simple\",\"dc3-rulebased\",\"random\"],\"profile\":\"dc3\","
        "\"ends\":1,\"extra_ends\":0,\"pairs\":10,\"seed\":5,\"threads\":1,\"limits\":{}}");

    assert_int_equal(json_integer_value(json_object_get(result, "pairs")), 30);
    assert_int_equal(json_array_size(json_object_get(result, "ladder")), 3);
    json_decref(result);
}

static void exploitability_is_measured(void **state)
{
    json_t *result = result_of(*state, "exploitability",
                               "{\"player\":\"random\",\"responders\":[\"ai-simple\"],\"profile\":"
                               "\"dc3\",\"ends\":20,\"selection_ends\":10,\"seed\":5,\"threads\":1,"
                               "\"limits\":{\"simulations\":60}}");
    double sum = json_number_value(json_object_get(json_object_get(result, "nash_conv"), "points"));

    assert_true(sum > 0.0); /* a searching player beats chance */
    json_decref(result);
}

/* Moves take 5 s, and ends minutes where a responder imagines them: cancelling waits for
 * neither. */
static void a_cancelled_exploitability_job_ends(void **state)
{
    static const char *const specs[] = {"ai-simple", "local/ai-simple"};
    struct timespec before, after;
    char spec[512];

    for (int k = 0; k < 4; k++) {
        snprintf(spec, sizeof spec,
                 "{\"player\":\"rink\",\"responders\":[\"%s\"],\"profile\":\"dc3\",\"ends\":20,"
                 "\"selection_ends\":10,\"seed\":5,\"threads\":1,\"limits\":{\"time_ms\":%d}}",
                 specs[k / 2], k / 2 ? 20 : 5000);
        struct program_talk talk = start(*state, "exploitability", spec);
        struct wire_message beat = next_of(&talk, WIRE_BEAT);
        wire_free(&beat);
        clock_gettime(CLOCK_MONOTONIC, &before);
        say(&talk, k % 2 ? "drain" : "cancel");
        struct wire_message last = next_of(&talk, k % 2 ? WIRE_RELEASED : WIRE_DONE);
        clock_gettime(CLOCK_MONOTONIC, &after);
        wire_free(&last);
        assert_int_equal(program_finish(&talk), 0);
        assert_true((double)(after.tv_sec - before.tv_sec) +
                        1e-9 * (double)(after.tv_nsec - before.tv_nsec) <
                    3.0); /* 0.1 s plus the delays of a busy machine */
    }
}

/* Games that an earlier worker played with another file at the same path are not continued. */
static void a_model_that_was_replaced_is_measured_anew(void **state)
{
    const struct policy_form form = made_form(POLICY_LOGITS, false);
    char model[128], other[128], spec[512];
    json_t *result[3];

    snprintf(model, sizeof model, "%s/it.safetensors", (char *)*state);
    snprintf(other, sizeof other, "%s/other", (char *)*state);
    assert_int_equal(mkdir(other, 0700), 0);
    snprintf(spec, sizeof spec,
             "{\"player\":\"policy:weights=%s,choice=sample\",\"responders\":[\"ai-simple\"],"
             "\"profile\":\"dc2\",\"ends\":8,\"selection_ends\":4,\"seed\":5,\"threads\":1,"
             "\"limits\":{\"simulations\":60}}",
             model);
    for (int k = 0; k < 3; k++) {
        struct made_policy made = made_policy(&form, k == 0 ? 3 : 4);
        made_save(&made, model);
        free(made.bytes);
        result[k] = result_of(k == 2 ? other : *state, "exploitability", spec);
    }
    assert_false(json_equal(result[0], result[1]));
    assert_true(json_equal(result[1], result[2]));
    /* A learned policy is measured with drawn and with likeliest actions, its own choice first. */
    const json_t *policies = json_object_get(result[0], "policies"),
                 *own = json_array_get(policies, 0), *other_choice = json_array_get(policies, 1);
    assert_int_equal(json_array_size(policies), 2);
    assert_string_equal(json_string_value(json_object_get(own, "choice")), "sample");
    assert_string_equal(json_string_value(json_object_get(other_choice, "choice")), "likeliest");
    assert_true(json_equal(json_object_get(own, "sente"), json_object_get(result[0], "sente")));
    assert_false(
        json_equal(json_object_get(own, "columns"), json_object_get(other_choice, "columns")));
    for (int k = 0; k < 3; k++)
        json_decref(result[k]);
}

/* Records whose header is of another match are left to their owner. */
static void records_of_an_earlier_version_are_reported(void **state)
{
    const char *spec = MATCH_OF("dc3-rulebased", "2", "");
    char path[128], kept[16384];

    json_decref(result_of(*state, "match", spec));
    snprintf(path, sizeof path, "%s/records.jsonl", (char *)*state);
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    size_t length = fread(kept, 1, sizeof kept - 1, file);
    kept[length] = '\0';
    char *settings = strstr(kept, ",\"settings\":"), *rest = strstr(kept, ",\"rules\":");
    assert_true(settings && rest > settings);
    memmove(settings, rest, strlen(rest) + 1);
    rewind(file);
    fputs(kept, file);
    assert_int_equal(ftruncate(fileno(file), (off_t)strlen(kept)) | fclose(file), 0);

    struct program_talk talk = start(*state, "match", spec);
    struct wire_message failed = next_of(&talk, WIRE_FAILED);
    assert_string_equal(failed.failed.code, "failed");
    assert_non_null(
        strstr(failed.failed.detail, "records.jsonl: was written by an earlier version"));
    wire_free(&failed);
    assert_int_equal(program_finish(&talk), 0);
}

/* 75 % of the games are 191 Elo; the prior pulls a little towards 0. */
static void a_ladder_is_computed_from_sums_of_pairs(void **state)
{
    json_t *result = result_of(
        *state, "rate",
        "{\"profile\":\"dc3\",\"ends\":2,\"extra_ends\":0,\"anchor\":\"weak\",\"pairings\":[{"
        "\"a\":\"strong\",\"b\":\"weak\","
        "\"pairs\":1000,\"half_points\":[0,0,0,1000,0]}]}");
    json_t *ladder = json_object_get(result, "ladder"), *strong = json_array_get(ladder, 0);
    double elo = json_number_value(json_object_get(strong, "elo"));

    assert_int_equal(json_array_size(ladder), 2);
    assert_string_equal(json_string_value(json_object_get(strong, "player")), "strong");
    assert_true(elo > 185.0 && elo < 191.0);
    assert_true(json_number_value(json_array_get(json_object_get(strong, "interval"), 0)) < elo);
    assert_string_equal(json_string_value(json_object_get(result, "anchor")), "weak");
    json_decref(result);
    json_t *empty = result_of(
        *state, "rate",
        "{\"profile\":\"dc3\",\"ends\":2,\"extra_ends\":0,\"anchor\":\"weak\",\"pairings\":[]}");
    assert_int_equal(json_array_size(json_object_get(empty, "ladder")), 0);
    json_decref(empty);
}

/* Returns the width of the interval of "strong" when its pairs have these half points. */
static double ladder_width(const char *folder, const char *half_points)
{
    char spec[256];

    snprintf(spec, sizeof spec,
             "{\"profile\":\"dc3\",\"ends\":2,\"extra_ends\":0,\"anchor\":\"weak\",\"pairings\":[{"
             "\"a\":\"strong\",\"b\":\"weak\",\"pairs\":1000,\"half_points\":%s}]}",
             half_points);
    json_t *result = result_of(folder, "rate", spec);
    const json_t *interval =
        json_object_get(json_array_get(json_object_get(result, "ladder"), 0), "interval");
    double width = json_number_value(json_array_get(interval, 1)) -
                   json_number_value(json_array_get(interval, 0));
    json_decref(result);
    return width;
}

/* The same 75 % of the games, but the sample is the pair. */
static void intervals_of_a_ladder_use_the_variance_of_pairs(void **state)
{
    double independent = ladder_width(*state, "[62,0,376,0,562]");
    double whole = ladder_width(*state, "[250,0,0,0,750]");
    double like = ladder_width(*state, "[0,0,0,1000,0]");

    assert_true(fabs(independent / (2.0 * 17.6) - 1.0) < 0.02); /* 1.96 * 174 / sqrt(2000 * 3/16) */
    assert_true(fabs(whole / independent - sqrt(2.0)) < 0.02);
    assert_true(like > 0.0 && like < 0.2 * independent);
}

/* A player that has met only itself has no rating. */
static void pairs_of_a_player_with_itself_are_not_rated(void **state)
{
    json_t *result = result_of(
        *state, "rate",
        "{\"profile\":\"dc3\",\"ends\":2,\"extra_ends\":0,\"anchor\":\"weak\",\"pairings\":[{"
        "\"a\":\"lonely\",\"b\":\"lonely\",\"pairs\":9,\"half_points\":[0,0,9,0,0]},{"
        "\"a\":\"strong\",\"b\":\"strong\",\"pairs\":9,\"half_points\":[0,0,9,0,0]},{"
        "\"a\":\"strong\",\"b\":\"weak\",\"pairs\":7,\"half_points\":[0,0,0,7,0]}]}");
    json_t *ladder = json_object_get(result, "ladder");

    assert_int_equal(json_array_size(ladder), 2);
    for (size_t k = 0; k < 2; k++) {
        json_t *place = json_array_get(ladder, k);
        assert_string_not_equal(json_string_value(json_object_get(place, "player")), "lonely");
        assert_int_equal(json_integer_value(json_object_get(place, "pairs")), 7);
    }
    json_decref(result);
}

static void a_diagnosis_reports_a_point_of_each_curve_every_second(void **state)
{
    struct program_talk talk =
        start(*state, "diagnose", "{\"profile\":\"dc3\",\"seconds\":2,\"seed\":1}");

    for (int second = 0; second < 2; second++) {
        struct wire_message metrics = next_of(&talk, WIRE_METRICS);
        assert_int_equal(json_array_size(metrics.metrics.rows), 2);
        for (size_t k = 0; k < 2; k++) {
            struct wire_metric row = wire_metric(&metrics, k);
            assert_string_equal(row.run, "r1");
            assert_int_equal(row.step, second);
            assert_true(row.value > 0.0);
        }
        wire_free(&metrics);
    }
    struct wire_message done = next_of(&talk, WIRE_DONE);
    assert_true(json_number_value(json_object_get(done.result.result, "throws_per_s")) > 0.0);
    wire_free(&done);
    assert_int_equal(program_finish(&talk), 0);
}

int main(void)
{
#define SCENARIO(name) \
    cmocka_unit_test_setup_teardown(name, program_make_folder, program_remove_folder)
    const struct CMUnitTest tests[] = {
        SCENARIO(a_match_that_was_drained_goes_on_to_the_same_result),
        SCENARIO(names_of_players_carry_the_limits_of_a_move),
        SCENARIO(a_cancelled_match_reports_its_finished_games),
        SCENARIO(a_lead_beats_though_it_always_hears_something),
        SCENARIO(the_end_of_the_daemon_is_the_end_of_the_worker),
        SCENARIO(a_signal_is_a_drain),
        SCENARIO(a_bad_spec_is_named_and_not_retried),
        SCENARIO(a_lead_that_cannot_read_a_line_fails_by_name),
        SCENARIO(a_worker_that_hears_nonsense_gives_up),
        SCENARIO(a_tournament_ends_in_a_ladder),
        SCENARIO(exploitability_is_measured),
        SCENARIO(a_cancelled_exploitability_job_ends),
        SCENARIO(a_model_that_was_replaced_is_measured_anew),
        SCENARIO(records_of_an_earlier_version_are_reported),
        SCENARIO(a_match_of_an_earlier_version_ends_as_it_began),
        SCENARIO(a_ladder_is_computed_from_sums_of_pairs),
        SCENARIO(intervals_of_a_ladder_use_the_variance_of_pairs),
        SCENARIO(pairs_of_a_player_with_itself_are_not_rated),
        SCENARIO(a_diagnosis_reports_a_point_of_each_curve_every_second),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
