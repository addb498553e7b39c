/* Players as text and as a list: a list written by one program lets another read the same specs. */
#include "api/fields/player_spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const goals[] = {"score", "win", NULL};
static const struct player_setting settings[] = {
    {"samples", SETTING_WHOLE, 64, 1, 4096, NULL, "throws"},
    {"epsilon", SETTING_NUMBER, 0.25, 0, 1, NULL, "share"},
    {"goal", SETTING_CHOICE, 1, 0, 1, goals, "what for"},
    {"fast", SETTING_BOOL, 1, 0, 1, NULL, "hurry"},
    {0},
};
static const struct player_setting trained[] = {
    {"share", SETTING_NUMBER, 0.5, 0, 1, NULL, "how much"},
    {"weights", SETTING_MODEL, 0, 1, 0, NULL, "who it is"},
    {0},
};
static const struct player_setting helped[] = {
    {"policy", SETTING_MODEL, 0, 0, 0, NULL, "who helps"},
    {"values", SETTING_VALUES, 0, 0, 0, NULL, "what it is worth"},
    {0},
};
#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
static const struct player_kind kinds[] = {
    {"plain", "has no settings", NULL},
    {"rich", "has all kinds of them", settings},
    {"trained", "needs a model", trained},
    {"helped", "may have one", helped},
    {0},
};

/* Player kinds as known to a program that only has their JSON. */
struct learnt {
    json_t *document;
    struct player_kind *kinds;
};

static struct learnt learn(void)
{
    struct learnt learnt = {.document = player_kinds_json(kinds)};
    struct strict_errors errors;

    assert_non_null(learnt.document);
    if (!player_kinds_read(learnt.document, &learnt.kinds, &errors))
        fail_msg("%s: %s", errors.error[0].pointer, errors.error[0].message);
    return learnt;
}

static void forget(struct learnt learnt)
{
    free(learnt.kinds);
    json_decref(learnt.document);
}

static void a_list_is_read_as_it_was_written(void **state)
{
    (void)state;
    struct learnt learnt = learn();
    json_t *again = player_kinds_json(learnt.kinds);

    assert_true(json_equal(again, learnt.document));
    assert_string_equal(learnt.kinds[1].settings[2].choices[1], "win");
    assert_null(learnt.kinds[1].settings[2].choices[2]);
    assert_true(learnt.kinds[2].settings[1].least == 1.0); /* required */
    assert_true(learnt.kinds[3].settings[0].least == 0.0);
    assert_null(learnt.kinds[4].name);
    json_decref(again);
    forget(learnt);
}

static void specs_mean_the_same_with_both_lists(void **state)
{
    (void)state;
    static const char *const good[][2] = {
        {"plain", "plain"},
        {"rich", "rich"},
        {"rich:samples=64,goal=win,fast=true", "rich"},
        {"rich:fast=false,samples=1e2", "rich:samples=100,fast=false"},
        {"rich:goal=score,epsilon=0.125", "rich:epsilon=0.125,goal=score"},
        {"trained:weights=" HASH ",share=1", "trained:share=1,weights=" HASH},
        {"trained:weights=./a=b:c.safetensors", "trained:weights=./a=b:c.safetensors"},
        {"helped", "helped"},
        {"helped:policy=best.average", "helped:policy=best.average"},
        {"helped:values=r1.value,policy=" HASH, "helped:policy=" HASH ",values=r1.value"},
    };
    struct learnt learnt = learn();

    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) {
        const struct player_kind *const lists[] = {kinds, learnt.kinds};
        for (int list = 0; list < 2; list++) {
            char text[PLAYER_SPEC_MAX], error[PLAYER_ERROR_MAX];
            struct player_spec spec;
            if (!player_spec_read(lists[list], good[k][0], &spec, sizeof error, error))
                fail_msg("%s: %s", good[k][0], error);
            player_spec_write(&lists[list][spec.kind], &spec, sizeof text, text);
            assert_string_equal(text, good[k][1]);
        }
    }
    forget(learnt);
}

static void bad_specs_are_refused_by_name(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"", "there are plain, rich, trained, helped"},
        {"nobody", "\"nobody\""},
        {"plain:", "it has none"},
        {"plain:x=1", "it has none"},
        {"rich:sample=4", "there are samples, epsilon, goal, fast"},
        {"rich:samples", "SETTING=VALUE"},
        {"rich:samples=", "whole number from 1 to 4096"},
        {"rich:samples=1.5", "whole number"},
        {"rich:samples=4097", "1 to 4096"},
        {"rich:samples=0x10", "whole number"},
        {"rich:epsilon=nan", "number from 0 to 1"},
        {"rich:epsilon=inf", "number from 0 to 1"},
        {"rich:goal=money", "one of score, win"},
        {"rich:fast=1", "true or false"},
        {"rich:fast=true,fast=true", "fast is given twice"},
        {"rich:fast=true,", "SETTING=VALUE"},
        {"trained", "weights=MODEL is missing"},
        {"trained:share=1", "weights=MODEL is missing"},
        {"trained:weights=", "weights is a model"},
        {"trained:weights=a b", "weights is a model"},
        {"helped:policy=\xc3\xa4", "policy is a model"},
        {"helped:policy=a,policy=b", "policy is given twice"},
        {"helped:values=a,values=b", "values is given twice"},
        {"helped:values=", "values is a model"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        struct player_spec spec = {.kind = 42};
        char error[PLAYER_ERROR_MAX];
        assert_false(player_spec_read(kinds, bad[k][0], &spec, sizeof error, error));
        if (!strstr(error, bad[k][1]))
            fail_msg("\"%s\": \"%s\" does not say \"%s\"", bad[k][0], error, bad[k][1]);
        assert_int_equal(spec.kind, 42);
    }
}

static void models_are_hashes_paths_or_names(void **state)
{
    (void)state;
    struct player_spec spec = {.kind = 0};
    char error[PLAYER_ERROR_MAX], text[PLAYER_MODEL_MAX + 64];

    assert_int_equal(player_model_kind(HASH), PLAYER_MODEL_HASH);
    assert_int_equal(player_model_kind("A" HASH), PLAYER_MODEL_NAME);
    assert_int_equal(player_model_kind("./" HASH), PLAYER_MODEL_PATH);
    assert_int_equal(player_model_kind(HASH ".safetensors"), PLAYER_MODEL_PATH);
    assert_int_equal(player_model_kind("0123.average"), PLAYER_MODEL_NAME);

    /* The longest name allowed, and one byte more. */
    int prefix = snprintf(text, sizeof text, "helped:policy=");
    memset(text + prefix, 'x', PLAYER_MODEL_MAX);
    text[prefix + PLAYER_MODEL_MAX - 1] = '\0';
    assert_true(player_spec_read(kinds, text, &spec, sizeof error, error));
    assert_string_equal(spec.model, text + prefix);
    text[prefix + PLAYER_MODEL_MAX - 1] = 'x';
    text[prefix + PLAYER_MODEL_MAX] = '\0';
    assert_false(player_spec_read(kinds, text, &spec, sizeof error, error));
    assert_non_null(strstr(error, "at most 255"));
}

static void long_specs_do_not_overflow_the_message(void **state)
{
    (void)state;
    char spec[10000], error[100];
    struct player_spec read;

    memset(spec, 'x', sizeof spec);
    memcpy(spec, "rich:samples=", strlen("rich:samples="));
    spec[sizeof spec - 1] = '\0';
    assert_false(player_spec_read(kinds, spec, &read, sizeof error, error));
    assert_true(strlen(error) < sizeof error);
}

static void lists_of_another_form_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"{}", ""},
        {"[]", ""},
        {"[{\"name\":\"a\",\"about\":\"b\"}]", "/0/settings"},
        {"[{\"name\":\"a\",\"about\":\"b\",\"settings\":[],\"x\":1}]", "/0/x"},
        {"[{\"name\":\"a\",\"about\":\"b\",\"settings\":[{\"name\":\"c\",\"type\":\"odd\","
         "\"about\":\"d\"}]}]",
         "/0/settings/0/type"},
        {"[{\"name\":\"a\",\"about\":\"b\",\"settings\":[{\"name\":\"c\",\"type\":\"whole\","
         "\"about\":\"d\",\"least\":1,\"most\":2,\"default\":3}]}]",
         "/0/settings/0/default"},
        {"[{\"name\":\"a\",\"about\":\"b\",\"settings\":[{\"name\":\"c\",\"type\":\"model\","
         "\"about\":\"d\"}]}]",
         "/0/settings/0/required"},
        {"[{\"name\":\"a\",\"about\":\"b\",\"settings\":[{\"name\":\"c\",\"type\":\"model\","
         "\"about\":\"d\",\"required\":true},{\"name\":\"e\",\"type\":\"model\",\"about\":\"d\","
         "\"required\":false}]}]",
         "/0/settings/1"},
        {"[{\"name\":\"a\",\"about\":\"b\",\"settings\":[{\"name\":\"c\",\"type\":\"choice\","
         "\"about\":\"d\",\"choices\":[\"e\",\"f\"],\"default\":\"g\"}]}]",
         "/0/settings/0/default"},
        {"[{\"name\":\"a\",\"about\":\"b\",\"settings\":[{\"name\":\"c\",\"type\":\"boolean\","
         "\"about\":\"d\",\"default\":1}]}]",
         "/0/settings/0/default"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        json_t *document = json_loads(bad[k][0], 0, NULL);
        struct player_kind *list = NULL;
        struct strict_errors errors;
        assert_non_null(document);
        assert_false(player_kinds_read(document, &list, &errors));
        assert_null(list);
        assert_string_equal(errors.error[0].pointer, bad[k][1]);
        json_decref(document);
    }
}

static void turns_are_read_as_they_were_written(void **state)
{
    (void)state;
    static const char text[] = "switch:rink:objective=score,caution=1|ai-simple|rink,every=4";
    struct player_switch turns;
    char again[PLAYER_SPEC_MAX], error[PLAYER_ERROR_MAX];

    assert_true(player_is_switch(text) && !player_is_switch("rink"));
    assert_true(player_switch_read(text, &turns, error));
    assert_int_equal(turns.players, 3);
    assert_int_equal(turns.every, 4);
    assert_string_equal(turns.player[0], "rink:objective=score,caution=1");
    assert_string_equal(turns.player[2], "rink");
    assert_true(player_switch_write(&turns, sizeof again, again));
    assert_string_equal(again, text);
    assert_false(player_switch_write(&turns, 20, again));
}

static void bad_turns_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"switch:a|b", "every=GAMES"},        {"switch:a|b,every=", "every=GAMES"},
        {"switch:a|b,every=0", "from 1 to"},  {"switch:a|b,every=2x", "every=GAMES"},
        {"switch:a,every=2", "at least two"}, {"switch:1|2|3|4|5|6|7|8|9,every=2", "more than 8"},
    };
    struct player_switch turns;
    char error[PLAYER_ERROR_MAX];

    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        assert_false(player_switch_read(bad[k][0], &turns, error));
        if (!strstr(error, bad[k][1]))
            fail_msg("%s: %s", bad[k][0], error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_read_as_it_was_written),
        cmocka_unit_test(specs_mean_the_same_with_both_lists),
        cmocka_unit_test(bad_specs_are_refused_by_name),
        cmocka_unit_test(models_are_hashes_paths_or_names),
        cmocka_unit_test(long_specs_do_not_overflow_the_message),
        cmocka_unit_test(lists_of_another_form_are_refused),
        cmocka_unit_test(turns_are_read_as_they_were_written),
        cmocka_unit_test(bad_turns_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
