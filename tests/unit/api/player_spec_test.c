/* Players as text and as a list: what one program lists, another reads the same specs with. */
#include "api/player_spec.h"

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
static const struct player_kind kinds[] = {
    {"plain", "has no settings", NULL},
    {"rich", "has all kinds of them", settings},
    {0},
};

/* The kinds as a program that only has their JSON knows them. */
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
    assert_null(learnt.kinds[2].name);
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
    };
    struct learnt learnt = learn();

    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++) {
        const struct player_kind *const lists[] = {kinds, learnt.kinds};
        for (int list = 0; list < 2; list++) {
            char text[PLAYER_SPEC_MAX], error[PLAYER_ERROR_MAX];
            struct player_spec spec;
            if (!player_spec_read(lists[list], good[k][0], &spec, sizeof error, error))
                fail_msg("%s: %s", good[k][0], error);
            player_spec_write(&lists[list][spec.kind], spec.setting, sizeof text, text);
            assert_string_equal(text, good[k][1]);
        }
    }
    forget(learnt);
}

static void bad_specs_are_refused_by_name(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"", "there are plain, rich"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_read_as_it_was_written),
        cmocka_unit_test(specs_mean_the_same_with_both_lists),
        cmocka_unit_test(bad_specs_are_refused_by_name),
        cmocka_unit_test(long_specs_do_not_overflow_the_message),
        cmocka_unit_test(lists_of_another_form_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
