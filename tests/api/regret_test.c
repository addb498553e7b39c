/* Jobs "regret" through the real daemon, on the bench that is shipped. */
#include "tests/api/jobs.h"

#define REGRET(spec) "{\"kind\":\"regret\",\"spec\":{" spec "}}"

static void a_spec_is_completed_and_checked(void **state)
{
    (void)state;
    struct reply dry =
        ask("POST", "/v1/jobs",
            "{\"kind\":\"regret\",\"spec\":{\"player\":\"rink\"},\"dry_run\":true}", 200);
    const json_t *spec = json_object_get(dry.json, "spec");

    assert_string_equal(json_string_value(json_object_get(spec, "referee")), "adjusted");
    assert_int_equal(json_integer_value(json_object_get(spec, "positions")), 200);
    reply_free(&dry);
    refuses_field("/v1/jobs", REGRET("\"player\":\"nobody\""), "/spec/player");
    refuses_field("/v1/jobs", REGRET("\"player\":\"random\",\"referee\":\"me\""), "/spec/referee");
    refuses_field("/v1/jobs", REGRET("\"player\":\"random\",\"positions\":201"), "/spec/positions");
    refuses_field("/v1/jobs", REGRET("\"player\":\"random\",\"seeds\":0"), "/spec/seeds");
}

/* The referee has valued the shipped positions, and is still the one that did. */
static void a_player_is_judged_on_the_shipped_bench(void **state)
{
    (void)state;
    json_t *job = wait_for(
        add(REGRET("\"player\":\"ai-simple\",\"positions\":1,\"referee\":\"deep\"")), "done");
    json_t *result = json_object_get(job, "result");
    const json_t *all = json_array_get(json_object_get(result, "groups"), 0);
    const double lost = json_number_value(json_object_get(all, "lost_percent"));

    assert_string_equal(json_string_value(json_object_get(result, "player")), "ai-simple");
    assert_int_equal(json_integer_value(json_object_get(all, "positions")), 1);
    assert_int_equal(json_integer_value(json_object_get(result, "left_out")), 0);
    assert_true(lost > -100.0 && lost < 100.0 && lost != 0.0);
    json_decref(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spec_is_completed_and_checked),
        cmocka_unit_test(a_player_is_judged_on_the_shipped_bench),
    };
    return cmocka_run_group_tests(tests, set_up, daemon_end_here);
}
