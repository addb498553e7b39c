/* Job requests: defaults are filled in, players are resolved, every mistake is named by its
 * pointer, and the schema agrees with the reader. */
#include "api/jobs/job_json.h"
#include "api/jobs/job_kind_json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "champion" is registered; every other name except "nobody" is already a spec. */
static bool read_player(void *context, const char *text, char *ret_spec, char *ret_error)
{
    (void)context;
    if (strcmp(text, "nobody") == 0 || text[0] == '\0') {
        snprintf(ret_error, PLAYER_ERROR_MAX, "no player is called \"%s\"", text);
        return false;
    }
    snprintf(ret_spec, PLAYER_SPEC_MAX, "%s", strcmp(text, "champion") == 0 ? "rink:x=1" : text);
    return true;
}

static enum api_error read_text(const char *text, struct job_request *ret_request,
                                struct strict_errors *ret_errors)
{
    json_t *document = json_loads(text, 0, NULL);
    assert_non_null(document);
    enum api_error error = job_request_read(document, read_player, NULL, ret_request, ret_errors);
    json_decref(document);
    return error;
}

static struct job_request read_good(const char *text)
{
    struct job_request request;
    struct strict_errors errors;

    if (read_text(text, &request, &errors) != API_OK)
        fail_msg("%s: %s: %s", text, errors.error[0].pointer, errors.error[0].message);
    return request;
}

static void expect_spec(const char *request_text, const char *spec_text)
{
    struct job_request request = read_good(request_text);
    json_t *expected = json_loads(spec_text, 0, NULL);
    char *got = json_dumps(request.spec, JSON_COMPACT);

    assert_non_null(expected);
    if (!json_equal(expected, request.spec))
        fail_msg("%s is not %s", got, spec_text);
    free(got);
    json_decref(expected);
    json_decref(request.spec);
}

static void defaults_are_filled_in(void **state)
{
    (void)state;
    expect_spec("{\"kind\":\"match\",\"spec\":{\"a\":\"rink\",\"b\":\"champion\"}}",
                "{\"a\":\"rink\",\"b\":\"rink:x=1\",\"profile\":\"dc2\",\"ends\":2,\"extra_ends\":"
                "0,\"pairs\":100,"
                "\"seed\":0,\"threads\":1,\"limits\":{},\"luck\":0,\"luck_by\":\"hammer\"}");
    expect_spec("{\"kind\":\"match\",\"spec\":{\"a\":\"rink\",\"b\":\"random\",\"sprt\":{},"
                "\"limits\":{\"simulations\":400},\"profile\":\"dc3\",\"extra_ends\":10}}",
                "{\"a\":\"rink\",\"b\":\"random\",\"profile\":\"dc3\",\"ends\":2,\"extra_ends\":10,"
                "\"pairs\":100,"
                "\"seed\":0,\"threads\":1,\"limits\":{\"simulations\":400},\"luck\":0,\"luck_by\":"
                "\"hammer\","
                "\"sprt\":{\"elo0\":0.0,\"elo1\":15.0,\"values\":\"plain\"}}");
    expect_spec("{\"kind\":\"tournament\",\"spec\":{\"players\":[\"random\",\"champion\"],"
                "\"pairs\":7}}",
                "{\"players\":[\"random\",\"rink:x=1\"],\"profile\":\"dc2\",\"ends\":2,\"extra_"
                "ends\":0,\"pairs\":7,"
                "\"seed\":0,\"threads\":1,\"limits\":{},\"luck\":0,\"luck_by\":\"hammer\"}");
    expect_spec("{\"kind\":\"exploitability\",\"spec\":{\"player\":\"champion\"}}",
                "{\"player\":\"rink:x=1\",\"responders\":[\"local\",\"ai-simple\",\"generator\","
                "\"rink:simulations=1000,objective=score\"],"
                "\"profile\":\"dc2\",\"ends\":1000,\"selection_ends\":200,\"seed\":0,\"threads\":1,"
                "\"limits\":{}}");
    expect_spec("{\"kind\":\"exploitability\",\"spec\":{\"player\":\"random\",\"responders\":"
                "[\"local/champion\",\"local\",\"random\"],\"seed\":9223372036854775807}}",
                "{\"player\":\"random\",\"responders\":[\"local/rink:x=1\",\"local\",\"random\"],"
                "\"profile\":\"dc2\",\"ends\":1000,\"selection_ends\":200,"
                "\"seed\":9223372036854775807,\"threads\":1,\"limits\":{}}");
    expect_spec("{\"kind\":\"diagnose\",\"spec\":{}}",
                "{\"profile\":\"dc2\",\"seconds\":10,\"seed\":0}");
}

/* A resolved spec is complete: read again, it is the same. */
static void a_resolved_spec_reads_back_as_itself(void **state)
{
    (void)state;
    static const char *const requests[] = {
        "{\"kind\":\"match\",\"spec\":{\"a\":\"champion\",\"b\":\"random\",\"sprt\":{\"elo1\":30}}"
        "}",
        "{\"kind\":\"train\",\"spec\":{}}",
        "{\"kind\":\"train\",\"spec\":{\"algorithm\":\"ppo\",\"network\":{\"architecture\":"
        "\"resnet\"}}}",
    };
    for (size_t k = 0; k < sizeof requests / sizeof requests[0]; k++) {
        struct job_request first = read_good(requests[k]);
        json_t *again = json_pack("{s:s, s:O}", "kind", first.kind->name, "spec", first.spec);
        char *text = json_dumps(again, 0);
        struct job_request second = read_good(text);

        assert_true(json_equal(first.spec, second.spec));
        free(text);
        json_decref(again);
        json_decref(first.spec);
        json_decref(second.spec);
    }
}

static void a_request_has_the_fields_of_the_queue(void **state)
{
    (void)state;
    struct job_request request =
        read_good("{\"kind\":\"diagnose\",\"spec\":{},\"priority\":-3,\"delay_s\":1.5,"
                  "\"max_attempts\":2,\"dry_run\":true}");

    assert_string_equal(request.kind->name, "diagnose");
    assert_int_equal(request.priority, -3);
    assert_int_equal(request.delay_ms, 1500);
    assert_int_equal(request.max_attempts, 2);
    assert_true(request.dry_run);
    assert_true(job_estimate_s(request.kind, request.spec) == 10.0);
    json_decref(request.spec);

    request = read_good("{\"kind\":\"tournament\",\"spec\":{\"players\":[\"a\",\"b\",\"c\"],"
                        "\"pairs\":10,\"threads\":2,\"limits\":{\"time_ms\":100}}}");
    assert_int_equal(request.max_attempts, 0);
    assert_false(request.dry_run);
    /* 3 pairings of 10 pairs of 2 games of 2 ends of 16 shots of 0.1 s, two games at a time */
    assert_true(fabs(job_estimate_s(request.kind, request.spec) - 96.0) < 1e-9);
    json_decref(request.spec);

    request = read_good("{\"kind\":\"match\",\"spec\":{\"a\":\"a\",\"b\":\"b\",\"pairs\":10,"
                        "\"extra_ends\":3,\"limits\":{\"time_ms\":100}}}");
    /* 10 pairs of 2 games of 2 and at most 3 ends of 16 shots of 0.1 s */
    assert_true(fabs(job_estimate_s(request.kind, request.spec) - 160.0) < 1e-9);
    json_decref(request.spec);

    request = read_good(
        "{\"kind\":\"match\",\"spec\":{\"a\":\"a\",\"b\":\"b\",\"threads\":2},\"cores\":2}");
    assert_int_equal(request.cores, 2);
    json_decref(request.spec);

    request = read_good("{\"kind\":\"match\",\"spec\":{\"a\":\"a\",\"b\":\"b\"}}");
    assert_int_equal(request.cores, 0);
    assert_true(isnan(job_estimate_s(request.kind, request.spec)));
    json_decref(request.spec);
}

static void mistakes_are_named_by_pointer(void **state)
{
    (void)state;
#define MATCH(more) "{\"kind\":\"match\",\"spec\":{\"a\":\"a\",\"b\":\"b\"" more "}}"
    static const char *const bad[][2] = {
        {"[]", ""},
        {"{\"spec\":{}}", "/kind"},
        {"{\"kind\":\"rate\",\"spec\":{}}", "/kind"},
        {"{\"kind\":\"dance\",\"spec\":{}}", "/kind"},
        {"{\"kind\":7,\"spec\":{}}", "/kind"},
        {"{\"kind\":\"diagnose\"}", "/spec"},
        {"{\"kind\":\"diagnose\",\"spec\":[]}", "/spec"},
        {"{\"kind\":\"diagnose\",\"spec\":{},\"colour\":1}", "/colour"},
        {"{\"kind\":\"diagnose\",\"spec\":{\"second\":1}}", "/spec/second"},
        {"{\"kind\":\"diagnose\",\"spec\":{\"seconds\":601}}", "/spec/seconds"},
        {"{\"kind\":\"diagnose\",\"spec\":{\"seconds\":1.5}}", "/spec/seconds"},
        {"{\"kind\":\"diagnose\",\"spec\":{\"seconds\":null}}", "/spec/seconds"},
        {"{\"kind\":\"diagnose\",\"spec\":{},\"priority\":1001}", "/priority"},
        {"{\"kind\":\"diagnose\",\"spec\":{},\"delay_s\":-1}", "/delay_s"},
        {"{\"kind\":\"diagnose\",\"spec\":{},\"max_attempts\":0}", "/max_attempts"},
        {"{\"kind\":\"diagnose\",\"spec\":{},\"dry_run\":1}", "/dry_run"},
        {"{\"kind\":\"diagnose\",\"spec\":{},\"cores\":2}", "/cores"},
        {"{\"kind\":\"match\",\"spec\":{\"a\":\"x\",\"b\":\"y\"},\"cores\":0}", "/cores"},
        {"{\"kind\":\"match\",\"spec\":{\"a\":\"x\",\"b\":\"y\",\"threads\":3},\"cores\":2}",
         "/cores"},
        {"{\"kind\":\"match\",\"spec\":{\"b\":\"x\"}}", "/spec/a"},
        {"{\"kind\":\"match\",\"spec\":{\"a\":\"x\",\"b\":\"nobody\"}}", "/spec/b"},
        {"{\"kind\":\"match\",\"spec\":{\"a\":\"x\",\"b\":\"\"}}", "/spec/b"},
        {MATCH(",\"profile\":\"dc5\""), "/spec/profile"},
        {MATCH(",\"ends\":11"), "/spec/ends"},
        {MATCH(",\"extra_ends\":11"), "/spec/extra_ends"},
        {MATCH(",\"extra_ends\":-1"), "/spec/extra_ends"},
        {MATCH(",\"extra_ends\":true"), "/spec/extra_ends"},
        {MATCH(",\"extra_ends\":1.5"), "/spec/extra_ends"},
        {MATCH(",\"pairs\":0"), "/spec/pairs"},
        {MATCH(",\"seed\":-1"), "/spec/seed"},
        {MATCH(",\"threads\":257"), "/spec/threads"},
        {MATCH(",\"limits\":{\"time_ms\":0}"), "/spec/limits/time_ms"},
        {MATCH(",\"limits\":{\"time\":1}"), "/spec/limits/time"},
        {MATCH(",\"limits\":7"), "/spec/limits"},
        {MATCH(",\"noise\":{\"hit_factor\":0}"), "/spec/noise/hit_factor"},
        {MATCH(",\"noise\":{\"tail\":1}"), "/spec/noise/tail"},
        {MATCH(",\"profile\":\"dc3\",\"noise\":{\"gat_stddev_x\":1}"), "/spec/noise/gat_stddev_x"},
        {MATCH(",\"profile\":\"dc2\",\"noise\":{\"stddev_spin\":1}"), "/spec/noise/stddev_spin"},
        {MATCH(",\"sprt\":{\"elo1\":-1}"), "/spec/sprt/elo1"},
        {MATCH(",\"sprt\":{\"elo0\":\"0\"}"), "/spec/sprt/elo0"},
        {"{\"kind\":\"tournament\",\"spec\":{\"players\":[\"a\"]}}", "/spec/players"},
        {"{\"kind\":\"tournament\",\"spec\":{\"players\":[\"a\",\"b\"],\"sprt\":{}}}",
         "/spec/sprt"},
        {"{\"kind\":\"tournament\",\"spec\":{\"players\":[\"a\",\"a\"]}}", "/spec/players/1"},
        {"{\"kind\":\"tournament\",\"spec\":{\"players\":[\"a\",7]}}", "/spec/players/1"},
        {"{\"kind\":\"exploitability\",\"spec\":{\"player\":\"a\",\"responders\":[]}}",
         "/spec/responders"},
        {"{\"kind\":\"exploitability\",\"spec\":{\"player\":\"a\",\"responders\":"
         "[\"local/nobody\"]}}",
         "/spec/responders/0"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        struct job_request request = {.priority = 42};
        struct strict_errors errors;
        enum api_error error = read_text(bad[k][0], &request, &errors);
        if (error != API_BAD_FIELD || strcmp(errors.error[0].pointer, bad[k][1]) != 0)
            fail_msg("%s: error %d at \"%s\" (%s)", bad[k][0], error, errors.error[0].pointer,
                     errors.error[0].message);
        assert_int_equal(errors.count, 1);
        assert_int_equal(request.priority, 42);
    }
}

/* Who writes a switch where an object belongs is told what to write. */
static void an_object_that_is_missing_is_described(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"{\"kind\":\"match\",\"spec\":{\"a\":\"a\",\"b\":\"b\",\"sprt\":true}}",
         "is true or false, must be an object: {} for the defaults, or one of \"elo0\", \"elo1\", "
         "\"values\""},
        {"{\"kind\":\"train\",\"spec\":{\"from\":\"x\"}}",
         "is a string, must be an object of \"run\", \"step\""},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        struct job_request request;
        struct strict_errors errors;
        assert_int_equal(read_text(bad[k][0], &request, &errors), API_BAD_FIELD);
        assert_string_equal(errors.error[0].message, bad[k][1]);
    }
}

static void all_mistakes_are_found_at_once(void **state)
{
    (void)state;
    struct job_request request;
    struct strict_errors errors;

    assert_int_equal(
        read_text("{\"kind\":\"match\",\"spec\":{\"a\":\"nobody\",\"pairs\":0,\"x\":1},"
                  "\"priority\":\"high\"}",
                  &request, &errors),
        API_BAD_FIELD);
    assert_int_equal(errors.count, 5); /* priority, x, a, b, pairs */
}

static void an_unknown_kind_gets_the_list_of_kinds(void **state)
{
    (void)state;
    struct job_request request;
    struct strict_errors errors;

    assert_int_equal(read_text("{\"kind\":\"dance\",\"spec\":{}}", &request, &errors),
                     API_BAD_FIELD);
    assert_non_null(strstr(errors.error[0].message, "train, match, tournament"));
    assert_null(strstr(errors.error[0].message, "rate"));
    /* Only the service adds internal jobs. */
    assert_int_equal(
        read_text("{\"kind\":\"rate\",\"spec\":{\"profile\":\"dc2\"}}", &request, &errors),
        API_BAD_FIELD);
}

/* ---- schemas ---- */

static bool is_one_of(const json_t *list, const json_t *value)
{
    for (size_t k = 0; k < json_array_size(list); k++)
        if (json_equal(json_array_get(list, k), value))
            return true;
    return false;
}

/* Returns whether a case of a schema applies to an object. */
static bool case_holds(const json_t *condition, const json_t *object)
{
    const char *name;
    json_t *value;

    json_object_foreach(json_object_get(condition, "properties"), name, value)
    {
        const json_t *member = json_object_get(object, name);
        if (member ? !is_one_of(json_object_get(value, "enum"), member)
                   : json_array_size(json_object_get(condition, "required")) > 0)
            return false;
    }
    return true;
}

/* Returns the properties that a schema gives an object, with its cases applied; the caller frees
 * them. */
static json_t *properties_for(const json_t *schema, const json_t *object)
{
    json_t *properties = json_copy(json_object_get(schema, "properties")), *value;
    size_t k;
    json_t *one;
    const char *name;
    void *next;

    json_array_foreach(json_object_get(schema, "allOf"), k, one)
    {
        if (case_holds(json_object_get(one, "if"), object))
            assert_int_equal(
                json_object_update(properties,
                                   json_object_get(json_object_get(one, "then"), "properties")),
                0);
    }
    json_object_foreach_safe(properties, next, name, value)
    {
        assert_false(json_is_true(value)); /* a case defines it */
        if (json_is_false(value))
            json_object_del(properties, name);
    }
    return properties;
}

static void agree(const json_t *schema, const json_t *object)
{
    json_t *properties = properties_for(schema, object), *value;
    const char *name;

    assert_true(json_is_false(json_object_get(schema, "additionalProperties")));
    json_object_del(properties, "noise"); /* no profile has all settings of the schema */
    json_object_foreach(properties, name, value)
    {
        const json_t *initial = json_object_get(value, "default");
        const json_t *member = json_object_get(object, name);
        if (!member)
            fail_msg("%s is missing", name);
        if (initial && !json_equal(initial, member) && strcmp(name, "algorithm") != 0 &&
            strcmp(name, "architecture") != 0)
            fail_msg("%s is not the default of the schema", name);
        if (json_object_get(value, "properties"))
            agree(value, member);
    }
    assert_int_equal(json_object_size(properties), json_object_size(object));
    json_decref(properties);
}

/* Every default in a schema is the one the reader fills in, and the reader knows every property. */
static void schemas_agree_with_the_reader(void **state)
{
    (void)state;
#define RUN  "0123456789abcdef0123456789abcdef"
#define FROM "\"from\":{\"run\":\"" RUN "\",\"step\":7}"
    static const char *const requests[] = {
        "{\"kind\":\"match\",\"spec\":{\"a\":\"a\",\"b\":\"b\",\"sprt\":{},\"limits\":"
        "{\"time_ms\":1,\"simulations\":1}}}",
        "{\"kind\":\"tournament\",\"spec\":{\"players\":[\"a\",\"b\"],\"limits\":"
        "{\"time_ms\":1,\"simulations\":1}}}",
        "{\"kind\":\"exploitability\",\"spec\":{\"player\":\"a\",\"limits\":{\"time_ms\":1,"
        "\"simulations\":1}}}",
        "{\"kind\":\"diagnose\",\"spec\":{}}",
        "{\"kind\":\"train\",\"spec\":{" FROM "}}",
        "{\"kind\":\"train\",\"spec\":{\"algorithm\":\"nfsp-literal\",\"network\":{"
        "\"architecture\":"
        "\"mlp\"}," FROM "}}",
        "{\"kind\":\"train\",\"spec\":{\"algorithm\":\"dqn\",\"network\":{\"architecture\":"
        "\"resnet\"}," FROM "}}",
        "{\"kind\":\"train\",\"spec\":{\"algorithm\":\"ppo\",\"network\":{\"architecture\":"
        "\"set\"}," FROM "}}",
    };
    for (size_t k = 0; k < sizeof requests / sizeof requests[0]; k++) {
        struct job_request request = read_good(requests[k]);
        json_t *schema = job_kind_schema(request.kind);

        assert_non_null(schema);
        agree(schema, request.spec);
        json_decref(schema);
        json_decref(request.spec);
    }
}

/* A stored spec of an earlier version does not say what luck belongs to. */
static void stored_specs_mean_what_they_meant(void **state)
{
    static const struct {
        const char *kind, *spec, *member, *value;
    } cases[] = {
        {"match", "{\"a\":\"x\"}", "luck_by", "seat"},
        {"match", "{\"luck_by\":\"hammer\"}", "luck_by", "hammer"},
        {"tournament", "{}", "luck_by", "seat"},
        {"train", "{\"algorithm\":\"nfsp\"}", "evaluate_luck_by", "seat"},
        {"train", "{\"algorithm\":\"value\"}", "evaluate_luck_by", NULL}, /* plays no matches */
        {"diagnose", "{}", "luck_by", NULL},
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        json_t *spec = json_loads(cases[k].spec, 0, NULL);
        assert_true(fields_fill_before(spec, job_kind_find(cases[k].kind)->fields));
        const char *value = json_string_value(json_object_get(spec, cases[k].member));
        assert_true(!value == !cases[k].value);
        if (value)
            assert_string_equal(value, cases[k].value);
        json_decref(spec);
    }
}

/* ---- training ---- */

static void a_training_job_is_resolved(void **state)
{
    (void)state;
    struct job_request request = read_good(
        "{\"kind\":\"train\",\"spec\":{\"algorithm\":\"dqn\",\"reward\":\"fr\",\"seeds\":[3,1,2],"
        "\"network\":{\"architecture\":\"conv7\"},\"hyper\":{\"rate\":0.125,\"optimiser\":\"adam\"}"
        ","
        "\"opponents\":[],\"train_opponents\":[\"champion\"]}}");
    const json_t *hyper = json_object_get(request.spec, "hyper");
    json_t *expected =
        json_loads("{\"algorithm\":\"dqn\",\"reward\":\"fr\",\"profile\":\"dc2\","
                   "\"iterations\":20000,\"seeds\":[3,1,2],\"network\":"
                   "{\"architecture\":\"conv7\",\"channels\":32},"
                   "\"train_opponents\":[\"rink:x=1\"],\"opponents\":[],"
                   "\"evaluate_every\":5000,\"evaluate_pairs\":100,\"evaluate_luck\":0,"
                   "\"evaluate_luck_by\":\"hammer\","
                   "\"exploitability_every\":0,\"exploitability_ends\":200,"
                   "\"checkpoint_every\":2000,\"keep_checkpoints\":3,"
                   "\"device\":\"auto\",\"threads\":1}",
                   0, NULL);

    assert_true(json_real_value(json_object_get(hyper, "rate")) == 0.125);
    assert_string_equal(json_string_value(json_object_get(hyper, "optimiser")), "adam");
    assert_true(json_is_integer(json_object_get(hyper, "memory")));
    assert_true(json_is_real(json_object_get(hyper, "self_share")));
    assert_null(json_object_get(hyper, "anticipatory"));
    json_object_set_new(expected, "hyper", json_deep_copy(hyper));
    assert_true(json_equal(expected, request.spec));
    assert_true(isnan(job_estimate_s(request.kind, request.spec)));
    json_decref(expected);
    json_decref(request.spec);
}

static void hidden_layers_suit_the_architecture(void **state)
{
    static const char *const cases[][2] = {
        {"{}", "{\"architecture\":\"lines\",\"hidden\":[64,32]}"},
        {"{\"architecture\":\"lines\"}", "{\"architecture\":\"lines\",\"hidden\":[64,32]}"},
        {"{\"hidden\":[8]}", "{\"architecture\":\"lines\",\"hidden\":[8]}"},
        {"{\"architecture\":\"mlp\"}", "{\"architecture\":\"mlp\",\"hidden\":[128,64]}"},
        {"{\"architecture\":\"set\"}", "{\"architecture\":\"set\",\"hidden\":[128,64]}"},
        {"{\"architecture\":\"mlp\",\"hidden\":[9,9]}",
         "{\"architecture\":\"mlp\",\"hidden\":[9,9]}"},
        {"{\"architecture\":\"resnet\"}", "{\"architecture\":\"resnet\",\"channels\":32}"},
    };
    char text[160];

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        snprintf(text, sizeof text, "{\"kind\":\"train\",\"spec\":{\"network\":%s}}", cases[k][0]);
        struct job_request request = read_good(text);
        json_t *expected = json_loads(cases[k][1], 0, NULL);
        assert_true(json_equal(json_object_get(request.spec, "network"), expected));
        json_decref(expected);
        json_decref(request.spec);
    }
}

static void mistakes_in_training_jobs_are_named(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"\"algorithm\":\"sarsa\"", "/spec/algorithm"},
        {"\"algorithm\":\"sarsa\",\"hyper\":{\"rate\":1}", "/spec/algorithm"},
        {"\"reward\":\"points\"", "/spec/reward"},
        {"\"iterations\":0", "/spec/iterations"},
        {"\"iterations\":1000000001", "/spec/iterations"},
        {"\"seeds\":[]", "/spec/seeds"},
        {"\"seeds\":[1,2,1]", "/spec/seeds/2"},
        {"\"seeds\":[1,-2]", "/spec/seeds/1"},
        {"\"seed\":1", "/spec/seed"},
        {"\"network\":{\"architecture\":\"mlp\",\"channels\":32}", "/spec/network/channels"},
        {"\"network\":{\"architecture\":\"lines\",\"channels\":32}", "/spec/network/channels"},
        {"\"network\":{\"channels\":32}", "/spec/network/channels"},
        {"\"network\":{\"architecture\":\"conv7\",\"hidden\":[8]}", "/spec/network/hidden"},
        {"\"network\":{\"hidden\":[8,8,8,8,8]}", "/spec/network/hidden"},
        {"\"network\":{\"hidden\":[0]}", "/spec/network/hidden/0"},
        {"\"network\":{\"hidden\":[8.5]}", "/spec/network/hidden/0"},
        {"\"hyper\":{\"rate\":0.1}", "/spec/hyper/rate"},
        {"\"hyper\":{\"threshold\":0.1}", "/spec/hyper/threshold"},
        {"\"algorithm\":\"dqn\",\"hyper\":{\"anticipatory\":0.1}", "/spec/hyper/anticipatory"},
        {"\"algorithm\":\"ppo\",\"hyper\":{\"memory\":10}", "/spec/hyper/memory"},
        {"\"hyper\":{\"anticipatory\":1.5}", "/spec/hyper/anticipatory"},
        {"\"hyper\":{\"batch\":1.5}", "/spec/hyper/batch"},
        {"\"hyper\":{\"optimiser\":\"newton\"}", "/spec/hyper/optimiser"},
        {"\"hyper\":{\"response_memory\":999}", "/spec/hyper/warm_up"},
        {"\"algorithm\":\"ppo\",\"hyper\":{\"parallel\":2,\"horizon\":4}", "/spec/hyper/minibatch"},
        {"\"algorithm\":\"ppo\",\"train_opponents\":[]", "/spec/train_opponents"},
        {"\"train_opponents\":[\"a\"]", "/spec/train_opponents"},
        {"\"algorithm\":\"dqn\",\"train_opponents\":[\"nobody\"]", "/spec/train_opponents/0"},
        {"\"opponents\":[\"a\",\"a\"]", "/spec/opponents/1"},
        {"\"device\":\"tpu\"", "/spec/device"},
        {"\"from\":{\"step\":7}", "/spec/from/run"},
        {"\"from\":{\"run\":\"" RUN "\"}", "/spec/from/step"},
        {"\"from\":{\"run\":\"ABCDEF\",\"step\":7}", "/spec/from/run"},
        {"\"from\":{\"run\":\"" RUN "\",\"step\":7,\"path\":\"/etc/passwd\"}", "/spec/from/path"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        struct job_request request = {.priority = 42};
        struct strict_errors errors;
        char text[512];
        snprintf(text, sizeof text, "{\"kind\":\"train\",\"spec\":{%s}}", bad[k][0]);
        enum api_error error = read_text(text, &request, &errors);
        if (error != API_BAD_FIELD || errors.count != 1 ||
            strcmp(errors.error[0].pointer, bad[k][1]) != 0)
            fail_msg("%s: error %d at \"%s\" (%s)", bad[k][0], error, errors.error[0].pointer,
                     errors.error[0].message);
        assert_int_equal(request.priority, 42);
    }
}

/* A learner needs no opponents to learn from and may be evaluated against itself alone. */
static void a_learner_may_play_itself_alone(void **state)
{
    (void)state;
    struct job_request request =
        read_good("{\"kind\":\"train\",\"spec\":{\"algorithm\":\"ppo\",\"train_opponents\":[],"
                  "\"hyper\":{\"self_share\":1}}}");

    json_decref(request.spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_filled_in),
        cmocka_unit_test(a_resolved_spec_reads_back_as_itself),
        cmocka_unit_test(a_request_has_the_fields_of_the_queue),
        cmocka_unit_test(mistakes_are_named_by_pointer),
        cmocka_unit_test(an_object_that_is_missing_is_described),
        cmocka_unit_test(all_mistakes_are_found_at_once),
        cmocka_unit_test(an_unknown_kind_gets_the_list_of_kinds),
        cmocka_unit_test(schemas_agree_with_the_reader),
        cmocka_unit_test(stored_specs_mean_what_they_meant),
        cmocka_unit_test(a_training_job_is_resolved),
        cmocka_unit_test(hidden_layers_suit_the_architecture),
        cmocka_unit_test(mistakes_in_training_jobs_are_named),
        cmocka_unit_test(a_learner_may_play_itself_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
