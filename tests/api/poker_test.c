/* Hold'em through the real daemon: matches and evolutions are jobs with curves and results, and a
 * kill changes nothing in them. */
#include "tests/api/jobs.h"

#define EVOLVE(more)                                                                    \
    "{\"kind\":\"train\",\"spec\":{\"algorithm\":\"evolve\",\"rule_opponents\":[1,7],"  \
    "\"checkpoint_every\":1,\"hyper\":{\"population\":16,\"hands\":20,\"finalists\":3," \
    "\"validation_hands\":20,\"cells\":4,\"hidden\":8,\"stage\":1}" more "}}"

static bool has_metric(const char *run, const char *name)
{
    json_t *shown = get("/v1/runs/%s", run), *metric;
    bool found = false;
    size_t k;

    json_array_foreach(json_object_get(shown, "metrics"), k, metric) found |=
        strcmp(json_string_value(metric), name) == 0;
    json_decref(shown);
    return found;
}

static void a_match_has_a_result_and_a_curve(void **state)
{
    (void)state;
    char run[40];
    int64_t id = add("{\"kind\":\"poker-match\",\"spec\":{\"a\":\"poker:o4\",\"b\":"
                     "\"switch:poker:o1|poker:o2,every=100\",\"sessions\":6,\"hands\":400}}");
    json_t *job = wait_for(id, "done"), *result = json_object_get(job, "result");

    assert_int_equal(json_integer_value(json_object_get(result, "pairs")), 2400);
    double mbb = json_number_value(json_object_get(result, "mbb_per_hand"));
    const json_t *interval = json_object_get(result, "interval");
    assert_true(json_number_value(json_array_get(interval, 0)) < mbb);
    assert_true(json_number_value(json_array_get(interval, 1)) > mbb);
    assert_int_equal(json_array_size(json_object_get(result, "after_switch")), 20);
    assert_string_equal(json_string_value(json_object_get(json_object_get(result, "a"), "player")),
                        "poker:o4");
    first_run_of(id, run);
    assert_true(has_metric(run, "mbb_per_hand/mean"));
    json_decref(job);
}

static void wrong_specs_are_refused(void **state)
{
    (void)state;
    refuses_field("/v1/jobs",
                  "{\"kind\":\"poker-match\",\"spec\":{\"a\":\"rink\",\"b\":\"poker:o1\"}}",
                  "/spec/a");
    refuses_field("/v1/jobs",
                  "{\"kind\":\"poker-match\",\"spec\":{\"a\":\"poker:o1\",\"b\":\"switch:poker:o1|"
                  "poker:o2\"}}",
                  "/spec/b");
    refuses_field("/v1/jobs",
                  "{\"kind\":\"poker-match\",\"spec\":{\"a\":\"poker:o1\",\"b\":"
                  "\"poker:model=/etc/passwd\"}}",
                  "/spec/b");
    refuses_field("/v1/jobs",
                  "{\"kind\":\"poker-match\",\"spec\":{\"a\":\"poker:o1\",\"b\":\"poker:model="
                  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}}",
                  "/spec/b");
    refuses_field("/v1/jobs", EVOLVE(",\"reward\":\"fr\""), "/spec/reward");
    refuses_field("/v1/jobs", EVOLVE(",\"iterations\":0"), "/spec/iterations");
    refuses_field("/v1/jobs",
                  "{\"kind\":\"train\",\"spec\":{\"algorithm\":\"evolve\",\"hyper\":{"
                  "\"population\":8,\"survival\":0.2}}}",
                  "/spec/hyper/survival");
    refuses_field("/v1/jobs",
                  "{\"kind\":\"train\",\"spec\":{\"algorithm\":\"evolve\",\"rule_opponents\":[9]}}",
                  "/spec/rule_opponents/0");
}

static void an_evolution_makes_a_player(void **state)
{
    (void)state;
    char run[40], body[500];
    int64_t id = add(EVOLVE(",\"iterations\":4"));
    json_decref(wait_for(id, "done"));

    first_run_of(id, run);
    assert_true(has_metric(run, "fitness/champion"));
    assert_true(has_metric(run, "won/champion"));
    snprintf(body, sizeof body,
             "{\"kind\":\"poker-match\",\"spec\":{\"a\":\"%s.champion\",\"b\":\"poker:o2\","
             "\"sessions\":2,\"hands\":50}}",
             run);
    json_t *job = wait_for(add(body), "done");
    const char *a = json_string_value(json_object_get(json_object_get(job, "spec"), "a"));
    assert_memory_equal(a, "poker:model=", strlen("poker:model="));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(job, "result"), "pairs")),
                     100);
    json_decref(job);

    snprintf(body, sizeof body,
             "{\"kind\":\"train\",\"spec\":{\"iterations\":6,\"rule_opponents\":[7],\"from\":{"
             "\"run\":\"%s\",\"step\":4}}}",
             run);
    json_decref(wait_for(add(body), "done"));
}

static void kills_change_nothing_in_a_match(void **state)
{
    (void)state;
    static const char body[] =
        "{\"kind\":\"poker-match\",\"spec\":{\"a\":\"poker:o5\",\"b\":\"poker:random\","
        "\"sessions\":200,\"hands\":1500,\"seed\":3}}";
    char run[40];
    json_t *whole = wait_for(add(body), "done");
    int64_t id = add(body);

    first_run_of(id, run);
    while (!has_metric(run, "mbb_per_hand/mean"))
        rest();
    kill_worker();
    assert_int_equal(daemon_end(&daemon_here, SIGKILL), 128 + SIGKILL);
    start_daemon();
    json_t *parts = wait_for(id, "done");
    assert_true(json_equal(json_object_get(whole, "result"), json_object_get(parts, "result")));
    json_decref(whole);
    json_decref(parts);
}

static void kills_change_nothing_in_an_evolution(void **state)
{
    (void)state;
    char run[40];
    json_t *job = wait_for(add(EVOLVE(",\"iterations\":40,\"seeds\":[5,6]")), "done");
    json_t *undisturbed = hashes_of(job);
    json_decref(job);
    assert_int_equal(json_array_size(undisturbed), 2);

    int64_t id = add(EVOLVE(",\"iterations\":40,\"seeds\":[5,6]"));
    first_run_of(id, run);
    wait_for_checkpoints(run, 2);
    kill_worker();
    assert_int_equal(daemon_end(&daemon_here, SIGKILL), 128 + SIGKILL);
    start_daemon();
    assert_ends_with(id, undisturbed);
    json_decref(undisturbed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_has_a_result_and_a_curve),
        cmocka_unit_test(wrong_specs_are_refused),
        cmocka_unit_test(an_evolution_makes_a_player),
        cmocka_unit_test(kills_change_nothing_in_a_match),
        cmocka_unit_test(kills_change_nothing_in_an_evolution),
    };
    return cmocka_run_group_tests(tests, set_up, daemon_end_here);
}
