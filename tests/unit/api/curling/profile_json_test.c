/* Profiles as JSON, and that the contract lists none of them by hand. */
#include "api/curling/profile_json.h"

#include "api/base/openapi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static json_t *setting_called(const json_t *profile, const char *name)
{
    json_t *list = json_object_get(json_object_get(profile, "noise"), "settings"), *setting;
    size_t k;

    json_array_foreach(list, k,
                       setting) if (strcmp(json_string_value(json_object_get(setting, "name")),
                                           name) == 0) return setting;
    return NULL;
}

static void a_profile_includes_its_player_noise(void **state)
{
    json_t *dc2 = profile_json(profile_find("dc2")), *dc3 = profile_json(profile_find("dc3"));

    (void)state;
    assert_non_null(dc2);
    assert_non_null(dc3);
    assert_true(json_number_value(
                    json_object_get(setting_called(dc2, "gat_stddev_x"), "default")) == 0.0725);
    assert_null(setting_called(dc2, "stddev_speed"));
    assert_true(json_number_value(json_object_get(setting_called(dc3, "max_speed"), "default")) ==
                4.0);
    assert_null(setting_called(dc3, "max_omega")); /* belongs to the ice, not a setting */
    json_decref(dc2);
    json_decref(dc3);
}

/* The part between the two marks is written from the tables; a list of profiles or kinds of noise
 * elsewhere would be a second table. */
static void the_contract_lists_profiles_only_where_the_table_writes_them(void **state)
{
    size_t size;
    const char *contract = openapi_yaml(&size);
    assert_non_null(contract);
    assert_int_equal(strlen(contract), size);
    const char *begin = strstr(contract, "    # The lines up to \"end of jobs\"");
    const char *end = strstr(contract, "    # end of jobs");
    const struct profile *profile;

    (void)state;
    assert_true(begin && end && begin < end);
    for (const char *line = contract; *line; line += strcspn(line, "\n") + 1) {
        char text[512];
        int length = (int)strcspn(line, "\n");
        bool is_generated = line > begin && line < end;
        snprintf(text, sizeof text, "%.*s", length, line);
        if (is_generated || !strstr(text, "enum"))
            continue;
        for (int k = 0; (profile = profile_at(k)) != NULL; k++) {
            char one[64];
            snprintf(one, sizeof one, "[%s,", profile->name);
            if (strstr(text, one))
                fail_msg("a list of profiles in the hand-written part: %s", text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_includes_its_player_noise),
        cmocka_unit_test(the_contract_lists_profiles_only_where_the_table_writes_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
