/* Shot queries from their text to their answers, singly and in a dialog, with players that do
 * exactly what a test needs: answer at once, think until stopped, or break. */
#include "workers/search/dialog.h"
#include "workers/search/query.h"

#include "tests/programs/json_lines.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define NULLS_8 "null,null,null,null,null,null,null,null"
#define QUERY(more)                                                                            \
    "{\"profile\":\"dc3\",\"state\":{\"end\":2,\"shot\":1,\"hammer\":\"team0\",\"scores\":{"   \
    "\"team0\":[1,0],\"team1\":[0,0]},\"stones\":{\"team0\":[" NULLS_8 "],\"team1\":[" NULLS_8 \
    "]}}" more "}"

/* ---- players ---- */

static struct player_query last_query; /* the quick player's last query, without its pointers */
static struct noise last_noise;

static enum player_status choose_quickly(const struct player *player,
                                         const struct player_query *query,
                                         struct player_answer *ret_answer)
{
    (void)player;
    last_query = *query;
    last_noise = *query->noise;
    ret_answer->shot = (struct shot){{0.1317, 2.3997}, 1.57};
    ret_answer->simulations = 5;
    ret_answer->candidates = query->candidates < 2 ? query->candidates : 2;
    for (int k = 0; k < ret_answer->candidates; k++)
        ret_answer->candidate[k] = (struct player_candidate){
            .candidate = {.shot = ret_answer->shot, .kind = SHOT_DRAW},
            .win_probability = NAN,
            .prior = NAN,
            .difference = -0.25 * k,
            .difference_error = 0.125,
            .success = 0.5,
        };
    return PLAYER_OK;
}

/* Only a stop ends it. */
static enum player_status choose_never(const struct player *player,
                                       const struct player_query *query,
                                       struct player_answer *ret_answer)
{
    (void)player;
    ret_answer->shot = (struct shot){{0.0, 2.4}, -1.57};
    while (!player_is_cancelled(query)) {
        usleep(1000);
        ret_answer->simulations++;
        if (query->report)
            query->report(query->context, ret_answer);
    }
    ret_answer->cancelled = true;
    return PLAYER_OK;
}

static enum player_status choose_nothing(const struct player *player,
                                         const struct player_query *query,
                                         struct player_answer *ret_answer)
{
    (void)player;
    (void)query;
    (void)ret_answer;
    return PLAYER_FAILED;
}

static bool knows_dc2_alone(const struct player *player, const struct rules *rules, size_t size,
                            char *ret_error)
{
    (void)player;
    bool good = strcmp(rules->name, "dc2") == 0;
    if (!good)
        snprintf(ret_error, size, "only dc2, not %s", rules->name);
    return good;
}

static const struct player_class classes[] = {
    {.name = "quick", .about = "answers at once", .choose = choose_quickly},
    {.name = "never", .about = "thinks until it is stopped", .choose = choose_never},
    {.name = "broken", .about = "fails", .choose = choose_nothing},
    {.name = "narrow",
     .about = "knows one profile",
     .check_rules = knows_dc2_alone,
     .choose = choose_quickly},
};

static bool read_test_player(const char *spec, struct player *ret_player, size_t size,
                             char *ret_error)
{
    for (size_t k = 0; k < sizeof classes / sizeof classes[0]; k++) {
        if (strcmp(classes[k].name, spec) == 0) {
            *ret_player = (struct player){.class = &classes[k]};
            return true;
        }
    }
    snprintf(ret_error, size, "no player is called \"%s\"", spec);
    return false;
}

static const struct query_host host = {read_test_player, "quick", 3, 0.0};

/* ---- one query ---- */

enum { LINES_MAX = 64 };

/* The output, as JSON. */
struct heard {
    int lines;
    json_t *line[LINES_MAX];
};

static bool hear(void *context, const char *line)
{
    struct heard *heard = context;

    assert_true(heard->lines < LINES_MAX);
    heard->line[heard->lines] = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(heard->line[heard->lines]);
    heard->lines++;
    return true;
}

static void forget(struct heard *heard)
{
    for (int k = 0; k < heard->lines; k++)
        json_decref(heard->line[k]);
}

/* Answers the text of a query that has already waited this long. */
static enum query_status answer(const char *text, double waited_s, atomic_bool *cancel,
                                struct heard *heard)
{
    struct query *query = malloc(sizeof *query);
    atomic_bool none = false;
    const char *message;

    assert_non_null(query);
    heard->lines = 0;
    query_read(&host, text, strlen(text), query);
    enum query_status status =
        query_answer(&host, query, waited_s, cancel ? cancel : &none, hear, heard, &message);
    free(query);
    return status;
}

/* Returns the only error of an error answer. */
static json_t *error_of(json_t *line)
{
    assert_true(json_is_true(member(line, "is_final")));
    assert_int_equal(json_array_size(member(line, "errors")), 1);
    return json_array_get(member(line, "errors"), 0);
}

static void a_query_gets_the_answer_of_its_player(void **state)
{
    (void)state;
    struct heard heard;

    assert_int_equal(
        answer(QUERY(",\"id\":4,\"seed\":9,\"diversity\":\"none\""), 0.25, NULL, &heard),
        QUERY_ANSWERED);
    assert_int_equal(heard.lines, 1);
    json_t *line = heard.line[0];
    assert_int_equal(json_integer_value(member(line, "id")), 4);
    assert_true(json_is_true(member(line, "is_final")));
    assert_string_equal(text_of(line, "side"), "team0"); /* odd shots belong to the hammer */
    assert_string_equal(text_of(member(line, "player"), "name"), "quick");
    assert_string_equal(text_of(member(line, "player"), "spec"), "quick");
    assert_true(json_is_null(member(line, "stopped")));
    assert_true(json_is_null(member(line, "value")));
    assert_int_equal(json_integer_value(member(line, "simulations")), 5);
    assert_int_equal(json_integer_value(member(line, "seed")), 9);
    assert_true(json_number_value(member(line, "queue_ms")) == 250.0);
    assert_int_equal(json_array_size(member(line, "candidates")), 2);
    assert_false(last_query.diverse);
    json_t *second = json_array_get(member(line, "candidates"), 1);
    json_t *interval = member(second, "difference_interval");
    assert_true(json_number_value(member(second, "difference")) == -0.25);
    assert_true(json_number_value(json_array_get(interval, 0)) == -0.375);
    assert_true(json_number_value(json_array_get(interval, 1)) == -0.125);
    forget(&heard);
}

#define THROWN                                                                                     \
    "{\"before\":{\"end\":0,\"shot\":0,\"hammer\":\"team0\",\"scores\":{\"team0\":[],\"team1\":[]" \
    "},"                                                                                           \
    "\"stones\":{\"team0\":[],\"team1\":[]}},\"shot\":{\"velocity\":{\"x\":0.13,\"y\":2.4},"       \
    "\"rotation\":\"ccw\"}}"

static void the_answer_says_what_a_history_tells(void **state)
{
    (void)state;
    struct heard heard;

    assert_int_equal(answer(QUERY(""), 0.0, NULL, &heard), QUERY_ANSWERED);
    assert_null(json_object_get(heard.line[0], "opponent"));
    assert_int_equal(last_query.seen_count, 0);
    forget(&heard);
    assert_int_equal(answer(QUERY(",\"history\":[" THROWN "," THROWN "]"), 0.0, NULL, &heard),
                     QUERY_ANSWERED);
    json_t *opponent = member(heard.line[0], "opponent"), *style;
    double sum = json_number_value(member(opponent, "stranger"));
    size_t k;
    json_array_foreach(member(opponent, "styles"), k, style) sum +=
        json_number_value(member(style, "weight"));
    assert_true(k > 0 && fabs(sum - 1.0) < 1e-6);
    assert_int_equal(json_integer_value(member(opponent, "throws")), 2);
    assert_int_equal(last_query.seen_count, 2);
    forget(&heard);
}

static void a_throw_that_cannot_be_is_refused(void **state)
{
    (void)state;
    struct heard heard;

    assert_int_equal(
        answer(
            QUERY(
                ",\"history\":[{\"before\":{\"end\":0,\"shot\":0,\"hammer\":\"team0\",\"scores\":{"
                "\"team0\":[],\"team1\":[]},\"stones\":{\"team0\":[],\"team1\":[]}},\"shot\":{"
                "\"velocity\":{\"x\":0,\"y\":900},\"rotation\":\"ccw\"}}]"),
            0.0, NULL, &heard),
        QUERY_BAD);
    assert_string_equal(text_of(error_of(heard.line[0]), "pointer"), "/history/0/shot");
    forget(&heard);
}

static void candidates_are_of_different_kinds_unless_all_are_wanted(void **state)
{
    (void)state;
    struct heard heard;

    assert_int_equal(answer(QUERY(",\"top_k\":4"), 0.0, NULL, &heard), QUERY_ANSWERED);
    assert_true(last_query.diverse);
    assert_int_equal(last_query.candidates, PLAYER_CANDIDATES_MAX);
    assert_int_equal(json_array_size(member(heard.line[0], "candidates")), 1); /* both are draws */
    forget(&heard);
}

/* The draw of the sample client stops at (0, 38.40). */
static void a_path_leads_from_the_hack_to_the_rest(void **state)
{
    (void)state;
    struct heard heard;

    assert_int_equal(answer(QUERY(""), 0.0, NULL, &heard), QUERY_ANSWERED);
    json_t *path = member(json_array_get(member(heard.line[0], "candidates"), 0), "path");
    size_t points = json_array_size(path);
    double before_y = -1.0;
    assert_in_range(points, 32, 64);
    for (size_t k = 0; k < points; k++) {
        json_t *point = json_array_get(path, k);
        assert_int_equal(json_array_size(point), 2);
        double y = json_number_value(json_array_get(point, 1));
        assert_true(y > before_y);
        before_y = y;
    }
    assert_true(json_number_value(json_array_get(json_array_get(path, 0), 1)) == 0.0);
    json_t *last = json_array_get(path, points - 1);
    assert_true(fabs(json_number_value(json_array_get(last, 0))) < 0.02);
    assert_true(fabs(before_y - 38.40) < 0.02);
    forget(&heard);
}

static void the_player_is_asked_what_the_query_says(void **state)
{
    (void)state;
    struct heard heard;

    assert_int_equal(
        answer(QUERY(",\"limits\":{\"time_ms\":1500,\"simulations\":77},\"seed\":12,\"top_k\":1,"
                     "\"noise\":{\"stddev_speed\":0.5,\"max_speed\":3}"),
               0.0, NULL, &heard),
        QUERY_ANSWERED);
    assert_true(last_query.limits.time_s == 1.5);
    assert_int_equal(last_query.limits.simulations, 77);
    assert_int_equal(last_query.limits.threads, 3);
    assert_int_equal(last_query.candidates, 1);
    assert_int_equal(last_query.key.seed, 12);
    assert_int_equal(last_query.key.shot, 33); /* shot 1 of end 2 */
    assert_string_equal(last_query.ice->name, "dc3");
    assert_int_equal(last_noise.kind, ICE_NOISE_NORMAL_DIST);
    assert_true(last_noise.stddev_speed_mps == 0.5 && last_noise.max_speed_mps == 3.0);
    assert_true(last_noise.stddev_angle_rad == 0.0018);
    assert_int_equal(json_array_size(member(heard.line[0], "candidates")), 1);
    forget(&heard);
}

static void an_unknown_player_is_an_error_of_the_query(void **state)
{
    (void)state;
    struct heard heard;

    assert_int_equal(answer(QUERY(",\"id\":\"x\",\"player\":\"nobody\""), 0.0, NULL, &heard),
                     QUERY_BAD);
    json_t *error = error_of(heard.line[0]);
    assert_string_equal(text_of(heard.line[0], "id"), "x");
    assert_string_equal(text_of(error, "pointer"), "/player");
    assert_string_equal(text_of(error, "message"), "no player is called \"nobody\"");
    forget(&heard);
}

static void a_player_of_other_rules_is_an_error_of_the_query(void **state)
{
    (void)state;
    struct heard heard;

    assert_int_equal(answer(QUERY(",\"player\":\"narrow\""), 0.0, NULL, &heard), QUERY_BAD);
    json_t *error = error_of(heard.line[0]);
    assert_string_equal(text_of(error, "pointer"), "/player");
    assert_string_equal(text_of(error, "message"), "only dc2, not dc3");
    forget(&heard);
}

static void a_failing_player_is_reported(void **state)
{
    (void)state;
    struct heard heard;

    assert_int_equal(answer(QUERY(",\"player\":\"broken\""), 0.0, NULL, &heard), QUERY_UNANSWERED);
    assert_int_equal(heard.lines, 1);
    assert_string_equal(text_of(error_of(heard.line[0]), "code"), "failed");
    forget(&heard);
}

static void a_timeout_stops_the_player(void **state)
{
    (void)state;
    struct heard heard;

    assert_int_equal(answer(QUERY(",\"player\":\"never\",\"timeout_ms\":40"), 0.01, NULL, &heard),
                     QUERY_ANSWERED);
    assert_int_equal(heard.lines, 1);
    assert_string_equal(text_of(heard.line[0], "stopped"), "timeout");
    assert_true(json_is_object(member(heard.line[0], "shot")));
    forget(&heard);
}

static void waiting_counts_towards_the_timeout(void **state)
{
    (void)state;
    struct heard heard;

    assert_int_equal(answer(QUERY(",\"timeout_ms\":500"), 0.5, NULL, &heard), QUERY_STOPPED);
    assert_string_equal(text_of(error_of(heard.line[0]), "code"), "timeout");
    forget(&heard);
    assert_int_equal(answer(QUERY(",\"timeout_ms\":60000"), 0.5, NULL, &heard), QUERY_ANSWERED);
    forget(&heard);
}

static void a_cancelled_query_is_not_answered(void **state)
{
    (void)state;
    atomic_bool cancel = true;
    struct heard heard;

    assert_int_equal(answer(QUERY(",\"player\":\"never\""), 0.0, &cancel, &heard), QUERY_STOPPED);
    assert_string_equal(text_of(error_of(heard.line[0]), "code"), "cancelled");
    forget(&heard);
}

/* ---- the dialog ---- */

/* A dialog on another thread, with this one at the other end of its pipes. */
struct talk {
    FILE *to, *from, *out;
    int in;
    pthread_t thread;
    enum dialog_status status;
    const char *message;
};

static void *talk_on(void *context)
{
    struct talk *talk = context;

    talk->status = dialog_run(&host, talk->in, talk->out, &talk->message);
    fclose(talk->out);
    close(talk->in);
    return NULL;
}

static void talk_start(struct talk *talk)
{
    int to[2], from[2];

    assert_int_equal(pipe(to), 0);
    assert_int_equal(pipe(from), 0);
    *talk = (struct talk){.to = fdopen(to[1], "w"),
                          .from = fdopen(from[0], "r"),
                          .out = fdopen(from[1], "w"),
                          .in = to[0]};
    assert_true(talk->to && talk->from && talk->out);
    assert_int_equal(pthread_create(&talk->thread, NULL, talk_on, talk), 0);
}

static void say(struct talk *talk, const char *line)
{
    assert_true(fprintf(talk->to, "%s\n", line) > 0);
    assert_int_equal(fflush(talk->to), 0);
}

/* Returns the next line; the caller frees it. */
static json_t *listen(struct talk *talk)
{
    char line[65536];

    assert_non_null(fgets(line, sizeof line, talk->from));
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    return object;
}

/* Checks that the next line is final and has this id. */
static json_t *listen_final(struct talk *talk, json_int_t id)
{
    json_t *line = listen(talk);

    while (!json_is_true(member(line, "is_final"))) {
        json_decref(line);
        line = listen(talk);
    }
    assert_int_equal(json_integer_value(member(line, "id")), id);
    return line;
}

/* Ends the input; expects no further output. */
static enum dialog_status talk_finish(struct talk *talk)
{
    fclose(talk->to);
    assert_int_equal(fgetc(talk->from), EOF);
    assert_int_equal(pthread_join(talk->thread, NULL), 0);
    fclose(talk->from);
    return talk->status;
}

static void a_cancelled_query_gives_its_best_answer_so_far(void **state)
{
    (void)state;
    struct talk talk;

    talk_start(&talk);
    say(&talk, QUERY(",\"id\":1,\"player\":\"never\",\"report_interval_ms\":10"));
    json_t *line = listen(&talk); /* it has begun */
    assert_true(json_is_false(member(line, "is_final")));
    assert_true(json_is_null(member(line, "stopped")));
    json_decref(line);
    say(&talk, "{\"cancel\":2}"); /* an unknown id */
    say(&talk, "{\"cancel\":\"1\"}");
    say(&talk, "{\"cancel\":1}");
    line = listen_final(&talk, 1);
    assert_string_equal(text_of(line, "stopped"), "cancel");
    assert_true(json_is_object(member(line, "shot")));
    json_decref(line);
    assert_int_equal(talk_finish(&talk), DIALOG_OK);
}

static void a_waiting_query_can_be_cancelled(void **state)
{
    (void)state;
    struct talk talk;

    talk_start(&talk);
    say(&talk, QUERY(",\"id\":1,\"player\":\"never\",\"report_interval_ms\":10"));
    json_decref(listen(&talk));
    say(&talk, QUERY(",\"id\":2"));
    say(&talk, QUERY(",\"id\":3"));
    say(&talk, "{\"cancel\":2}");
    say(&talk, "{\"cancel\":1}");
    json_decref(listen_final(&talk, 1));
    json_t *line = listen_final(&talk, 2);
    assert_string_equal(text_of(error_of(line), "code"), "cancelled");
    json_decref(line);
    line = listen_final(&talk, 3);
    assert_null(json_object_get(line, "errors"));
    json_decref(line);
    assert_int_equal(talk_finish(&talk), DIALOG_OK);
}

static void bad_lines_are_answered_in_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *line, *pointer, *code;
    } bad[] = {
        {"{\"id\":7", "", "json"},
        {"[]", "", "type"},
        {"{\"cancel\":null}", "/cancel", "type"},
        {"{\"cancel\":1,\"now\":true}", "/now", "unknown"},
        {QUERY(",\"id\":7,\"sede\":1"), "/sede", "unknown"},
    };
    struct talk talk;

    talk_start(&talk);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        say(&talk, ""); /* blank lines count but get no answer */
        say(&talk, bad[k].line);
        say(&talk, QUERY(",\"id\":8"));
        json_t *line = listen(&talk);
        json_t *error = error_of(line);
        assert_string_equal(text_of(error, "pointer"), bad[k].pointer);
        assert_string_equal(text_of(error, "code"), bad[k].code);
        assert_int_equal(json_integer_value(member(line, "line")), 3 * k + 2);
        json_decref(line);
        json_decref(listen_final(&talk, 8));
    }
    assert_int_equal(talk_finish(&talk), DIALOG_BAD_LINES);
}

/* More queries than may wait: the rest is read as room appears, and nothing is lost. */
static void a_long_input_is_answered_in_order(void **state)
{
    (void)state;
    const int queries = 3 * DIALOG_QUERIES_MAX;
    FILE *in = tmpfile(), *out = tmpfile();
    const char *message;

    assert_true(in && out);
    for (int k = 0; k < queries; k++)
        fprintf(in, QUERY(",\"top_k\":0,\"id\":%d") "\n", k);
    fflush(in);
    rewind(in);
    assert_int_equal(dialog_run(&host, fileno(in), out, &message), DIALOG_OK);
    rewind(out);
    struct talk talk = {.from = out};
    for (int k = 0; k < queries; k++)
        json_decref(listen_final(&talk, k));
    assert_int_equal(fgetc(out), EOF);
    fclose(in);
    fclose(out);
}

/* The reader has gone, but the input is still open. */
static void a_listener_that_goes_away_ends_the_dialog(void **state)
{
    (void)state;
    struct talk talk;

    signal(SIGPIPE, SIG_IGN);
    talk_start(&talk);
    say(&talk, QUERY(",\"id\":1,\"player\":\"never\",\"report_interval_ms\":10"));
    json_decref(listen(&talk));
    fclose(talk.from);
    assert_int_equal(pthread_join(talk.thread, NULL), 0);
    assert_int_equal(talk.status, DIALOG_WRITE_FAILED);
    fclose(talk.to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_gets_the_answer_of_its_player),
        cmocka_unit_test(the_answer_says_what_a_history_tells),
        cmocka_unit_test(a_throw_that_cannot_be_is_refused),
        cmocka_unit_test(candidates_are_of_different_kinds_unless_all_are_wanted),
        cmocka_unit_test(a_path_leads_from_the_hack_to_the_rest),
        cmocka_unit_test(the_player_is_asked_what_the_query_says),
        cmocka_unit_test(an_unknown_player_is_an_error_of_the_query),
        cmocka_unit_test(a_player_of_other_rules_is_an_error_of_the_query),
        cmocka_unit_test(a_failing_player_is_reported),
        cmocka_unit_test(a_timeout_stops_the_player),
        cmocka_unit_test(waiting_counts_towards_the_timeout),
        cmocka_unit_test(a_cancelled_query_is_not_answered),
        cmocka_unit_test(a_cancelled_query_gives_its_best_answer_so_far),
        cmocka_unit_test(a_waiting_query_can_be_cancelled),
        cmocka_unit_test(bad_lines_are_answered_in_their_place),
        cmocka_unit_test(a_long_input_is_answered_in_order),
        cmocka_unit_test(a_listener_that_goes_away_ends_the_dialog),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
