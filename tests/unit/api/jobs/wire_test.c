/* Lines between the daemon and its workers: each kind is read in every field or refused with the
 * position of the fault, and written lines can be read. */
#include "api/jobs/wire.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* ---- helpers ---- */

static struct wire_message read_good(const char *line)
{
    struct wire_message message;
    struct strict_errors errors;

    if (!wire_read(line, strlen(line), &message, &errors))
        fail_msg("refused: %s: %s", errors.error[0].pointer, errors.error[0].message);
    return message;
}

/* Checks that the first error has that pointer and code. */
static void refused(const char *line, const char *pointer, const char *code)
{
    struct wire_message message, untouched;
    struct strict_errors errors;

    memset(&message, 0x5a, sizeof message);
    untouched = message;
    assert_false(wire_read(line, strlen(line), &message, &errors));
    assert_memory_equal(&message, &untouched, sizeof message);
    assert_true(errors.count > 0);
    assert_string_equal(errors.error[0].pointer, pointer);
    assert_string_equal(errors.error[0].code, code);
}

/* ---- reading ---- */

static void a_job_is_read(void **state)
{
    (void)state;
    struct wire_message message = read_good(
        "{\"type\":\"job\",\"id\":7,\"kind\":\"match\",\"spec\":{\"a\":1},\"runs\":[\"r1\",\"r2\"],"
        "\"folder\":\"jobs/7\",\"attempt\":2,\"checkpoint\":{\"step\":3}}");

    assert_int_equal(message.type, WIRE_JOB);
    assert_int_equal(message.job.id, 7);
    assert_int_equal(message.job.attempt, 2);
    assert_string_equal(message.job.kind, "match");
    assert_string_equal(message.job.folder, "jobs/7");
    assert_int_equal(json_array_size(message.job.runs), 2);
    assert_non_null(json_object_get(message.job.spec, "a"));
    assert_non_null(json_object_get(message.job.checkpoint, "step"));
    wire_free(&message);
    message = read_good("{\"type\":\"job\",\"id\":7,\"kind\":\"match\",\"spec\":{},\"runs\":[],"
                        "\"folder\":\"f\",\"attempt\":1,\"checkpoint\":null}");
    assert_null(message.job.checkpoint);
    wire_free(&message);
}

static void unknown_numbers_are_nan(void **state)
{
    (void)state;
    struct wire_message message =
        read_good("{\"type\":\"beat\",\"progress\":null,\"eta_s\":12.5,\"note\":\"end 3\"}");

    assert_true(isnan(message.beat.progress));
    assert_true(message.beat.eta_s == 12.5);
    assert_string_equal(message.beat.note, "end 3");
    wire_free(&message);
    message = read_good("{\"type\":\"beat\",\"progress\":0}");
    assert_true(message.beat.progress == 0.0);
    assert_true(isnan(message.beat.eta_s));
    assert_null(message.beat.note);
    wire_free(&message);
}

static void metrics_may_be_what_json_lacks(void **state)
{
    (void)state;
    static const char *const values[] = {"1", "-2.5", "\"NaN\"", "\"Infinity\"", "\"-Infinity\""};
    static const double expected[] = {1.0, -2.5, NAN, INFINITY, -INFINITY};

    for (int k = 0; k < 5; k++) {
        char line[200];
        snprintf(line, sizeof line,
                 "{\"type\":\"metrics\",\"rows\":[{\"run\":\"r\",\"name\":\"loss\",\"step\":-4,"
                 "\"value\":%s}]}",
                 values[k]);
        struct wire_message message = read_good(line);
        struct wire_metric row = wire_metric(&message, 0);
        assert_string_equal(row.run, "r");
        assert_string_equal(row.name, "loss");
        assert_int_equal(row.step, -4);
        assert_true(row.value == expected[k] || (isnan(row.value) && isnan(expected[k])));
        wire_free(&message);
        json_t *written = wire_number(expected[k]);
        char *text = json_dumps(written, JSON_ENCODE_ANY);
        assert_string_equal(text, k == 0 ? "1.0" : values[k]);
        free(text);
        json_decref(written);
    }
}

static void final_messages_are_read(void **state)
{
    (void)state;
    struct wire_message message =
        read_good("{\"type\":\"done\",\"result\":{\"x\":1},\"cancelled\":true}");

    assert_true(message.result.cancelled);
    wire_free(&message);
    message = read_good("{\"type\":\"done\",\"result\":{}}");
    assert_false(message.result.cancelled);
    wire_free(&message);
    message = read_good("{\"type\":\"failed\",\"code\":\"c\",\"detail\":\"d\",\"retryable\":true}");
    assert_string_equal(message.failed.code, "c");
    assert_string_equal(message.failed.detail, "d");
    assert_true(message.failed.retryable);
    wire_free(&message);
    message = read_good("{\"type\":\"released\"}");
    assert_int_equal(message.type, WIRE_RELEASED);
    wire_free(&message);
    message =
        read_good("{\"type\":\"checkpoint\",\"path\":\"net-1\",\"sha256\":\"" SHA "\",\"step\":9}");
    assert_null(message.checkpoint.run);
    assert_string_equal(message.checkpoint.path, "net-1");
    wire_free(&message);
    message = read_good("{\"type\":\"model\",\"run\":\"r\",\"name\":\"average\",\"path\":\"r-1\","
                        "\"sha256\":\"" SHA "\",\"step\":9}");
    assert_int_equal(message.type, WIRE_MODEL);
    assert_string_equal(message.model.run, "r");
    assert_string_equal(message.model.name, "average");
    assert_string_equal(message.model.path, "r-1");
    assert_string_equal(message.model.sha256, SHA);
    assert_int_equal(message.model.step, 9);
    wire_free(&message);
}

#define JOB(more)                                                                             \
    "{\"type\":\"job\",\"id\":7,\"kind\":\"match\",\"spec\":{},\"runs\":[],\"folder\":\"f\"," \
    "\"attempt\":1" more "}"

static void a_lead_hears_of_its_tasks(void **state)
{
    (void)state;
    struct wire_message message = read_good(JOB(
        ",\"tasks\":{\"hands\":3,\"merged\":2,\"open\":[{\"number\":3,\"spec\":{\"from\":4}}]}"));

    assert_true(message.job.is_lead);
    assert_int_equal(message.job.tasks.hands, 3);
    assert_int_equal(message.job.tasks.merged, 2);
    assert_int_equal(json_array_size(message.job.tasks.open), 1);
    struct wire_offer offer = wire_offer(message.job.tasks.open, 0);
    assert_int_equal(offer.number, 3);
    assert_int_equal(offer.cores, 1);
    assert_int_equal(json_integer_value(json_object_get(offer.spec, "from")), 4);
    wire_free(&message);
    message = read_good(JOB(""));
    assert_false(message.job.is_lead);
    assert_int_equal(message.job.task.number, 0);
    wire_free(&message);
    message = read_good("{\"type\":\"task\",\"number\":3,\"state\":\"running\",\"progress\":0.5}");
    assert_int_equal(message.task.state, WIRE_TASK_RUNNING);
    assert_true(message.task.progress == 0.5 && isnan(message.task.eta_s));
    wire_free(&message);
    message = read_good("{\"type\":\"task\",\"number\":3,\"state\":\"done\",\"result\":{\"x\":1},"
                        "\"path\":\"task-3.records\",\"seconds\":2.5}");
    assert_int_equal(message.task.state, WIRE_TASK_DONE);
    assert_string_equal(message.task.path, "task-3.records");
    assert_true(message.task.seconds == 2.5);
    wire_free(&message);
    message = read_good("{\"type\":\"task\",\"number\":3,\"state\":\"failed\",\"code\":\"c\","
                        "\"detail\":\"d\",\"retryable\":true}");
    assert_int_equal(message.task.state, WIRE_TASK_FAILED);
    assert_true(message.task.retryable);
    wire_free(&message);
    message = read_good("{\"type\":\"hands\",\"count\":8}");
    assert_int_equal(message.hands.count, 8);
    wire_free(&message);
}

static void a_task_is_offered_done_and_merged(void **state)
{
    (void)state;
    struct wire_message message = read_good(JOB(",\"task\":{\"number\":5,\"spec\":{\"from\":4}}"));

    assert_false(message.job.is_lead);
    assert_int_equal(message.job.task.number, 5);
    assert_non_null(json_object_get(message.job.task.spec, "from"));
    wire_free(&message);
    message = read_good("{\"type\":\"tasks\",\"tasks\":[{\"number\":1,\"cores\":2,\"spec\":{}},"
                        "{\"number\":2,\"spec\":{}}]}");
    assert_int_equal(wire_offer(message.tasks.list, 0).cores, 2);
    assert_int_equal(wire_offer(message.tasks.list, 1).number, 2);
    wire_free(&message);
    message = read_good("{\"type\":\"output\",\"path\":\"task-5.records\",\"sha256\":\"" SHA "\"}");
    assert_string_equal(message.output.path, "task-5.records");
    wire_free(&message);
    message = read_good("{\"type\":\"merged\",\"through\":5}");
    assert_int_equal(message.merged.through, 5);
    wire_free(&message);
}

static void a_lead_says_what_is_of_no_use(void **state)
{
    (void)state;
    struct wire_message message =
        read_good("{\"type\":\"refused\",\"number\":5,\"detail\":\"it is cut\"}");

    assert_int_equal(message.refused.number, 5);
    assert_string_equal(message.refused.detail, "it is cut");
    wire_free(&message);
    message = read_good("{\"type\":\"dropped\",\"through\":7}");
    assert_int_equal(message.dropped.through, 7);
    wire_free(&message);
    message =
        read_good(JOB(",\"tasks\":{\"hands\":1,\"merged\":0,\"open\":[],\"liar\":\"node-2\"}"));
    assert_string_equal(message.job.tasks.liar, "node-2");
    wire_free(&message);
    refused("{\"type\":\"refused\",\"number\":0,\"detail\":\"it is cut\"}", "/number", "range");
    refused("{\"type\":\"refused\",\"number\":5}", "/detail", "missing");
    refused("{\"type\":\"dropped\"}", "/through", "missing");
}

static void mistakes_about_tasks_are_named(void **state)
{
    (void)state;
    refused(JOB(",\"task\":{\"number\":0,\"spec\":{}}"), "/task/number", "range");
    refused(JOB(",\"task\":{\"number\":1}"), "/task/spec", "missing");
    refused(JOB(",\"tasks\":{\"hands\":0,\"merged\":0,\"open\":[]}"), "/tasks/hands", "range");
    refused(JOB(",\"tasks\":{\"hands\":1,\"merged\":0,\"open\":[{\"number\":1}]}"),
            "/tasks/open/0/spec", "missing");
    refused(JOB(",\"tasks\":{\"hands\":1,\"merged\":0,\"open\":[]},"
                "\"task\":{\"number\":1,\"spec\":{}}"),
            "/task", "value");
    refused("{\"type\":\"task\",\"number\":1,\"state\":\"lost\"}", "/state", "value");
    refused("{\"type\":\"task\",\"number\":1,\"state\":\"done\"}", "/result", "missing");
    refused("{\"type\":\"task\",\"number\":1,\"state\":\"failed\",\"code\":\"c\"}", "/detail",
            "missing");
    refused("{\"type\":\"tasks\",\"tasks\":[]}", "/tasks", "size");
    refused("{\"type\":\"tasks\",\"tasks\":[{\"number\":1,\"cores\":0,\"spec\":{}}]}",
            "/tasks/0/cores", "range");
    refused("{\"type\":\"output\",\"path\":\"../x\",\"sha256\":\"" SHA "\"}", "/path", "value");
    refused("{\"type\":\"merged\",\"through\":0}", "/through", "range");
}

static void every_mistake_names_its_place(void **state)
{
    (void)state;
    refused("", "", "json");
    refused("[]", "", "type");
    refused("{}", "/type", "missing");
    refused("{\"type\":\"dance\"}", "/type", "value");
    refused("{\"type\":\"released\",\"x\":1}", "/x", "unknown");
    refused("{\"type\":\"done\"}", "/result", "missing");
    refused("{\"type\":\"done\",\"result\":[]}", "/result", "type");
    refused("{\"type\":\"done\",\"result\":{},\"cancelled\":1}", "/cancelled", "type");
    refused("{\"type\":\"beat\",\"progress\":1.5}", "/progress", "range");
    refused("{\"type\":\"beat\",\"eta_s\":-1}", "/eta_s", "range");
    refused("{\"type\":\"failed\",\"code\":\"c\",\"detail\":\"d\"}", "/retryable", "missing");
    refused("{\"type\":\"hello\",\"protocol\":1,\"version\":\"1\",\"kinds\":[]}", "/kinds", "size");
    refused("{\"type\":\"hello\",\"protocol\":1,\"version\":\"1\",\"kinds\":[\"a\",2]}", "/kinds/1",
            "type");
    refused("{\"type\":\"metrics\",\"rows\":[{\"run\":\"r\",\"name\":\"n\",\"step\":1,"
            "\"value\":\"nan\"}]}",
            "/rows/0/value", "value");
    refused("{\"type\":\"metrics\",\"rows\":[{\"name\":\"n\",\"step\":1,\"value\":0}]}",
            "/rows/0/run", "missing");
    refused("{\"type\":\"job\",\"id\":0,\"kind\":\"k\",\"spec\":{},\"runs\":[],\"folder\":\"f\","
            "\"attempt\":1}",
            "/id", "range");
}

static void a_checkpoint_stays_in_its_folder(void **state)
{
    (void)state;
    refused("{\"type\":\"checkpoint\",\"path\":\"../x\",\"sha256\":\"" SHA "\",\"step\":9}",
            "/path", "value");
    refused("{\"type\":\"checkpoint\",\"path\":\"..\",\"sha256\":\"" SHA "\",\"step\":9}", "/path",
            "value");
    refused("{\"type\":\"checkpoint\",\"path\":\"x\",\"sha256\":\"abc\",\"step\":9}", "/sha256",
            "value");
}

/* The name becomes a part of the name of a model. */
static void a_model_has_a_plain_name(void **state)
{
    (void)state;
#define MODEL(name, path)                                                      \
    "{\"type\":\"model\",\"run\":\"r\",\"name\":\"" name "\",\"path\":\"" path \
    "\",\"sha256\":\"" SHA "\",\"step\":9}"
    refused(MODEL("", "x"), "/name", "size");
    refused(MODEL("a.b", "x"), "/name", "value");
    refused(MODEL("-a", "x"), "/name", "value");
    refused(MODEL("Average", "x"), "/name", "value");
    refused(MODEL("averageaverageaverageaver", "x"), "/name", "size");
    refused(MODEL("average", "../x"), "/path", "value");
    refused("{\"type\":\"model\",\"name\":\"a\",\"path\":\"x\",\"sha256\":\"" SHA "\",\"step\":9}",
            "/run", "missing");
}

static void rows_of_a_line_are_bounded(void **state)
{
    (void)state;
    char *line = malloc(200 * (WIRE_METRICS_MAX + 1));
    size_t used = (size_t)sprintf(line, "{\"type\":\"metrics\",\"rows\":[");

    for (int k = 0; k <= WIRE_METRICS_MAX; k++)
        used +=
            (size_t)sprintf(line + used, "%s{\"run\":\"r\",\"name\":\"n\",\"step\":%d,\"value\":0}",
                            k ? "," : "", k);
    strcpy(line + used, "]}");
    refused(line, "/rows", "size");
    free(line);
}

/* ---- writing ---- */

static void a_line_ends_and_reads_back(void **state)
{
    (void)state;
    char *line = wire_line(json_pack("{s:s, s:{s:s}}", "type", "partial", "result", "a", "b\n"));
    size_t length = strlen(line);

    assert_int_equal(line[length - 1], '\n');
    assert_ptr_equal(strchr(line, '\n'), line + length - 1); /* an inner line break is escaped */
    struct wire_message message;
    struct strict_errors errors;
    assert_true(wire_read(line, length - 1, &message, &errors));
    wire_free(&message);
    free(line);
}

static void a_line_that_is_too_long_is_refused(void **state)
{
    (void)state;
    char *text = malloc(WIRE_LINE_MAX + 1);

    memset(text, 'x', WIRE_LINE_MAX);
    text[WIRE_LINE_MAX] = '\0';
    assert_null(wire_line(json_pack("{s:s}", "type", text)));
    assert_null(wire_line(NULL));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_is_read),
        cmocka_unit_test(unknown_numbers_are_nan),
        cmocka_unit_test(metrics_may_be_what_json_lacks),
        cmocka_unit_test(final_messages_are_read),
        cmocka_unit_test(a_lead_hears_of_its_tasks),
        cmocka_unit_test(a_task_is_offered_done_and_merged),
        cmocka_unit_test(a_lead_says_what_is_of_no_use),
        cmocka_unit_test(mistakes_about_tasks_are_named),
        cmocka_unit_test(every_mistake_names_its_place),
        cmocka_unit_test(a_checkpoint_stays_in_its_folder),
        cmocka_unit_test(a_model_has_a_plain_name),
        cmocka_unit_test(rows_of_a_line_are_bounded),
        cmocka_unit_test(a_line_ends_and_reads_back),
        cmocka_unit_test(a_line_that_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
