/* Training jobs through the real daemon and the real program: a run leaves models that can be
 * queried, matched and branched from; killing daemon and worker does not change its result. */
#include "tests/api/jobs.h"
#include "tests/patience.h"
#include "tests/slow.h"

/* All the settings that make a run small. */
#define TINY                                                                             \
    "\"network\":{\"architecture\":\"mlp\",\"hidden\":[8]},\"hyper\":{\"candidates\":0," \
    "\"parallel\":4,\"batch\":16,"                                                       \
    "\"warm_up\":32,\"response_memory\":2000,\"average_memory\":2000},\"evaluate_pairs\":1"
#define TRAIN(spec) "{\"kind\":\"train\",\"spec\":{" TINY spec "}}"

/* ---- scenarios ---- */

#define COMMAS "rink:opponent=best,simulations=20"

/* Asserts that the curves have these names, and a point each. */
static void has_curves(const char *run, const char *asked, const char *const *names)
{
    json_t *answer = get("/v1/runs/%s/metrics?names=%s", run, asked), *curve;
    size_t k;

    json_array_foreach(json_object_get(answer, "curves"), k, curve)
    {
        assert_non_null(names[k]);
        assert_string_equal(json_string_value(json_object_get(curve, "name")), names[k]);
        assert_true(json_array_size(json_object_get(curve, "points")) > 0);
    }
    assert_null(names[k]);
    json_decref(answer);
}

/* Names of curves may hold commas, as those of players do. */
static void curves_are_found_by_name(const char *run)
{
    static const char *const both[] = {"win_rate/" COMMAS, "ends_per_s", NULL};
    char path[200];

    has_curves(run, "win_rate/" COMMAS ",ends_per_s", both);
    has_curves(run, "win_rate/rink:opponent=best%2Csimulations=20,%22ends_per_s%22", both);
    has_curves(run, "%22win_rate/" COMMAS "%22,ends_per_s", both);
    snprintf(path, sizeof path, "/v1/runs/%s/metrics?names=ends_per_s,win_rate/rink", run);
    expect("GET", path, NULL, 404);
}

static void a_run_leaves_players(void **state)
{
    (void)state;
    char run[40], player[64], body[400], path[120];
    int64_t id = add(TRAIN(",\"iterations\":60,\"checkpoint_every\":20,\"keep_checkpoints\":2,"
                           "\"evaluate_every\":30,\"opponents\":[\"ai-simple\",\"" COMMAS "\"]"));
    first_run_of(id, run);
    json_decref(get("/v1/runs/%s/metrics?names=ends_per_s", run)); /* it will come */
    json_decref(wait_for(id, "done"));
    curves_are_found_by_name(run);

    json_t *shown = get("/v1/runs/%s", run);
    json_t *policy = json_array_get(json_object_get(shown, "policies"), 0);
    assert_string_equal(json_string_value(json_object_get(policy, "name")), "average");
    assert_true(json_integer_value(json_object_get(policy, "step")) >= 60);
    assert_int_equal(json_integer_value(json_object_get(shown, "checkpoints")), 2);
    bool has_win_rate = false;
    for (size_t k = 0; k < json_array_size(json_object_get(shown, "metrics")); k++)
        has_win_rate |=
            strcmp(json_string_value(json_array_get(json_object_get(shown, "metrics"), k)),
                   "win_rate/ai-simple") == 0;
    assert_true(has_win_rate);

    /* A query reaches the average policy by its alias. */
    snprintf(body, sizeof body,
             "{\"profile\":\"dc2\",\"player\":\"%s.average\",\"state\":{\"end\":0,\"shot\":0,"
             "\"hammer\":\"team1\",\"scores\":{\"team0\":[],\"team1\":[]},"
             "\"stones\":{\"team0\":[],\"team1\":[]}}}",
             run);
    struct reply shot = ask("POST", "/v1/shots", body, 200);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(shot.json, "player"), "weights_sha256")),
        json_string_value(json_object_get(policy, "sha256")));
    reply_free(&shot);

    /* A job pins the weights that the alias had when the job was added. */
    snprintf(player, sizeof player, "policy:weights=%s",
             json_string_value(json_object_get(policy, "model")));
    snprintf(body, sizeof body,
             "{\"kind\":\"match\",\"spec\":{\"a\":\"%s\",\"b\":\"random\",\"pairs\":1,\"ends\":1}}",
             player);
    int64_t match = add(body);
    json_t *job = wait_for(match, "done");
    char expected[100];
    snprintf(expected, sizeof expected, "policy:weights=%s",
             json_string_value(json_object_get(policy, "sha256")));
    assert_string_equal(json_string_value(json_object_get(json_object_get(job, "spec"), "a")),
                        expected);
    json_decref(job);
    json_t *matches = get("/v1/matches?job=%lld", (long long)match);
    const char *name = json_string_value(
        json_object_get(json_array_get(json_object_get(matches, "items"), 0), "a_name"));
    assert_memory_equal(name, player, strlen(player));
    json_decref(matches);

    /* A registered player keeps its weights. */
    snprintf(body, sizeof body, "{\"name\":\"mine\",\"spec\":\"%s\"}", player);
    expect("POST", "/v1/players", body, 201);
    snprintf(path, sizeof path, "/v1/models/%s",
             json_string_value(json_object_get(policy, "model")));
    expect("DELETE", path, NULL, 409);

    refuses_field("/v1/jobs",
                  "{\"kind\":\"match\",\"spec\":{\"a\":\"policy:weights=none\",\"b\":\"random\"}}",
                  "/spec/a");
    refuses_field(
        "/v1/jobs",
        "{\"kind\":\"match\",\"spec\":{\"a\":\"policy:weights=/etc/passwd\",\"b\":\"random\"}}",
        "/spec/a");
    refuses_field("/v1/jobs",
                  "{\"kind\":\"exploitability\",\"spec\":{\"player\":\"policy:weights="
                  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}}",
                  "/spec/player");
    json_decref(shown);

    /* Deleting a job deletes its models except those in use. */
    snprintf(path, sizeof path, "/v1/jobs/%lld", (long long)id);
    expect("DELETE", path, NULL, 204);
    snprintf(path, sizeof path, "/v1/models/%s.response", run);
    expect("GET", path, NULL, 404);
    snprintf(path, sizeof path, "/v1/models/%s.average", run);
    expect("GET", path, NULL, 200);
}

/* A sweep of values in rounds, of which the files of its tasks do not stay; `rink` plays by what it
 * has learned. */
static void values_of_a_run_are_played_by(void **state)
{
    char run[40], body[400], path[300];
    int64_t id =
        add("{\"kind\":\"train\",\"spec\":{\"algorithm\":\"value\",\"seeds\":[3],\"hyper\":{"
            "\"states\":100,\"simulations\":100,\"epochs\":1},\"iterations\":15,"
            "\"checkpoint_every\":15}}");

    (void)state;
    json_decref(wait_for(id, "done"));
    first_run_of(id, run);
    json_t *tasks = get("/v1/jobs/%lld/tasks?limit=100", (long long)id);
    assert_true(json_array_size(json_object_get(tasks, "items")) >= 2 * 15);
    json_decref(tasks);
    double end_s = 0;
    for (int round = 1; round <= 15; round++) {
        snprintf(path, sizeof path, "%s/jobs/%lld/task-0.%s-%d.state", daemon_here.data,
                 (long long)id, run, round);
        while (access(path, F_OK) == 0) { /* they go with the process of the lead */
            assert_true(patience_left(&end_s));
            usleep(10000);
        }
    }
#define VALUES \
    "{\"kind\":\"match\",\"spec\":{\"a\":\"rink:simulations=50,values=%s%s\",\"b\":\"random\","
    snprintf(body, sizeof body, VALUES "\"pairs\":1,\"ends\":1}}", run, ".value");
    json_t *job = wait_for(add(body), "done"), *model = get("/v1/models/%s.value", run);
    char expected[120];
    snprintf(expected, sizeof expected, "rink:simulations=50,values=%s",
             json_string_value(json_object_get(model, "sha256")));
    assert_string_equal(json_string_value(json_object_get(json_object_get(job, "spec"), "a")),
                        expected);
    json_decref(model);
    json_decref(job);
    /* Another profile; a model that is none; no model. */
    snprintf(body, sizeof body, VALUES "\"pairs\":1,\"ends\":1,\"profile\":\"dc3\"}}", run,
             ".value");
    job = wait_for(add(body), "buried");
    const char *detail =
        json_string_value(json_object_get(json_object_get(job, "error"), "detail"));
    assert_non_null(strstr(detail, "trained for dc2, not for dc3"));
    json_decref(job);
    snprintf(body, sizeof body, VALUES "\"pairs\":1}}", run, ".average");
    refuses_field("/v1/jobs", body, "/spec/a");
#undef VALUES
}

/* Rounds of a search that its own networks guide; `kr-dl-uct` plays by what they have learned. */
static void networks_of_a_run_guide_a_search(void **state)
{
    static const char *const curves[] = {"loss/policy", "among_20", "win_rate/ai-simple"};
    char run[40], body[400];
    int64_t id =
        add("{\"kind\":\"train\",\"spec\":{\"algorithm\":\"policy-value\",\"seeds\":[3],"
            "\"network\":{\"architecture\":\"mlp\",\"hidden\":[8]},\"hyper\":{\"teacher_"
            "simulations\":100,\"first_ends\":8,\"first_epochs\":2,\"ends\":4,\"simulations\":10,"
            "\"epochs\":1},\"iterations\":2,\"evaluate_pairs\":1}}");

    (void)state;
    json_decref(wait_for(id, "done"));
    first_run_of(id, run);
    json_t *shown = get("/v1/runs/%s", run), *metrics = json_object_get(shown, "metrics"), *metric;
    int found = 0;
    size_t k;
    json_array_foreach(metrics, k, metric) for (int j = 0; j < 3; j++) found +=
        strcmp(json_string_value(metric), curves[j]) == 0;
    assert_int_equal(found, 3);
    json_decref(shown);
    snprintf(
        body, sizeof body,
        "{\"kind\":\"match\",\"spec\":{\"a\":\"kr-dl-uct:weights=%s.policy,simulations=20,value="
        "policy\",\"b\":\"random\",\"pairs\":1,\"ends\":1}}",
        run);
    json_t *job = wait_for(add(body), "done"), *model = get("/v1/models/%s.policy", run);
    assert_int_equal(json_integer_value(json_object_get(model, "step")), 2);
    const char *a = json_string_value(json_object_get(json_object_get(job, "spec"), "a"));
    assert_non_null(strstr(a, json_string_value(json_object_get(model, "sha256"))));
    json_decref(model);
    json_decref(job);
    /* A hyper-parameter out of its range. */
    refuses_field("/v1/jobs",
                  "{\"kind\":\"train\",\"spec\":{\"algorithm\":\"policy-value\",\"hyper\":{"
                  "\"simulations\":5}}}",
                  "/spec/hyper/simulations");
}

/* The database lists the weights, but their file is lost. */
static void weights_that_are_lost_bury_the_job_that_needs_them(void **state)
{
    char run[40], body[300], path[300];
    int64_t id = add(TRAIN(",\"iterations\":4,\"seeds\":[5]"));

    (void)state;
    json_decref(wait_for(id, "done"));
    first_run_of(id, run);
    json_t *model = get("/v1/models/%s.average", run);
    snprintf(path, sizeof path, "%s/models/%s.safetensors", daemon_here.data,
             json_string_value(json_object_get(model, "sha256")));
    assert_int_equal(unlink(path), 0);
    snprintf(body, sizeof body,
             "{\"kind\":\"match\",\"spec\":{\"a\":\"random\",\"b\":\"%s.average\",\"pairs\":1}}",
             run);
    json_t *job = wait_for(add(body), "buried"), *error = json_object_get(job, "error");
    assert_string_equal(json_string_value(json_object_get(error, "code")), "bad-spec");
    const char *detail = json_string_value(json_object_get(error, "detail"));
    assert_int_equal(strncmp(detail, "/b: ", 4), 0);
    assert_non_null(strstr(detail, json_string_value(json_object_get(model, "sha256"))));
    assert_int_equal(json_integer_value(json_object_get(job, "attempt")), 1);
    json_decref(job);
    json_decref(model);
}

static void a_run_is_branched(void **state)
{
    (void)state;
    char run[40], body[600], path[80];
    int64_t id = add(TRAIN(",\"iterations\":40,\"checkpoint_every\":20,\"evaluate_every\":0"));
    json_decref(wait_for(id, "done"));
    first_run_of(id, run);
    json_t *checkpoints = get("/v1/runs/%s/checkpoints", run);
    long long step = json_integer_value(
        json_object_get(json_array_get(json_object_get(checkpoints, "items"), 0), "step"));
    json_decref(checkpoints);

#define FROM "\"from\":{\"run\":\"%s\",\"step\":%lld}"
    /* The branch takes network and numbers from the run. */
    snprintf(body, sizeof body,
             "{\"kind\":\"train\",\"spec\":{\"iterations\":80,\"evaluate_every\":0," FROM "}}", run,
             step);
    int64_t branch = add(body);
    snprintf(path, sizeof path, "/v1/jobs/%lld", (long long)id);
    json_t *job = wait_for(branch, "done");
    assert_string_equal(json_string_value(json_object_get(
                            json_object_get(json_object_get(job, "spec"), "from"), "run")),
                        run);
    json_decref(job);

    snprintf(body, sizeof body, TRAIN("," FROM), run, 7LL);
    refuses_field("/v1/jobs", body, "/spec/from/step");
    snprintf(body, sizeof body, TRAIN(",\"reward\":\"fr\"," FROM), run, step);
    refuses_field("/v1/jobs", body, "/spec/reward");
    /* One sentence, and no word of fields that nobody has sent. */
    snprintf(body, sizeof body, "{\"kind\":\"train\",\"spec\":{\"algorithm\":\"ppo\"," FROM "}}",
             run, step);
    refuses_field("/v1/jobs", body, "/spec/algorithm");
    snprintf(body, sizeof body, "{\"kind\":\"train\",\"spec\":{\"iterations\":%lld," FROM "}}",
             step, run, step);
    refuses_field("/v1/jobs", body, "/spec/iterations");
    snprintf(body, sizeof body, TRAIN(",\"seeds\":[2]," FROM), run, step);
    refuses_field("/v1/jobs", body, "/spec/seeds");
    snprintf(body, sizeof body, TRAIN("," FROM), "0123456789abcdef0123456789abcdef", step);
    refuses_field("/v1/jobs", body, "/spec/from/run");
    expect("DELETE", path, NULL, 204);
}

/* A dry run returns the estimated training time; nothing is stored. */
static void a_dry_run_estimates_the_time_of_a_training(void **state)
{
    (void)state;
    static const char *const headers[] = {"Content-Type: application/json", "Prefer: wait=300",
                                          NULL};
    struct client_call call = {.method = "POST",
                               .path = "/v1/jobs",
                               .header = headers,
                               .body = "{\"kind\":\"train\",\"dry_run\":true,\"spec\":{" TINY
                                       ",\"iterations\":100000,\"evaluate_every\":0,"
                                       "\"exploitability_every\":50000,\"exploitability_ends\":2}}",
                               .most_ms = PATIENCE_MS};
    struct reply reply = client_call(daemon_here.port, &call);

    assert_int_equal(reply.status, 200);
    assert_true(json_number_value(json_object_get(reply.json, "estimate_s")) > 1.0);
    /* What is in it, or not in it, is said. */
    const char *basis = json_string_value(json_object_get(reply.json, "estimate_basis"));
    print_message("%s\n", basis);
    assert_true(basis && strstr(basis, "exploitability") && !strstr(basis, "matches"));
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(reply.json, "spec"), "iterations")),
        100000);
    reply_free(&reply);
}

#define ITERATIONS SLOW_OR("160", "400")
static void a_paused_run_goes_on(void **state)
{
    (void)state;
    char run[40], path[80];
    int64_t id =
        add(TRAIN(",\"iterations\":" ITERATIONS ",\"checkpoint_every\":20,\"evaluate_every\":0"));

    first_run_of(id, run);
    wait_for_checkpoints(run, 1);
    snprintf(path, sizeof path, "/v1/jobs/%lld/pause", (long long)id);
    expect("POST", path, NULL, 202);
    json_decref(wait_for(id, "paused"));
    snprintf(path, sizeof path, "/v1/jobs/%lld/resume", (long long)id);
    expect("POST", path, NULL, 202);
    json_t *job = wait_for(id, "done");
    assert_int_equal(json_integer_value(json_object_get(job, "crashes")), 0);
    json_decref(job);
}

/* ---- kills ---- */

#define LENGTH         SLOW_OR("200", "600")
#define SAVE_EVERY     SLOW_OR("20", "40")
#define EVALUATE_EVERY SLOW_OR("100", "200")
#define LONGER                                                          \
    TRAIN(",\"iterations\":" LENGTH ",\"checkpoint_every\":" SAVE_EVERY \
          ",\"evaluate_every\":" EVALUATE_EVERY ",\"opponents\":["      \
          "\"random\"],\"seeds\":[11,12]")

static void kills_change_nothing_in_the_result(void **state)
{
    (void)state;
    char run[40];
    json_t *job = wait_for(add(LONGER), "done");
    json_t *undisturbed = hashes_of(job);
    json_decref(job);
    assert_int_equal(json_array_size(undisturbed), 2);

    int64_t id = add(LONGER);
    first_run_of(id, run);
    wait_for_checkpoints(run, 2);
    assert_int_equal(daemon_end(&daemon_here, SIGKILL), 128 + SIGKILL);
    start_daemon();
    wait_for_checkpoints(run, 3);
    kill_worker();
    assert_ends_with(id, undisturbed);
    json_decref(undisturbed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_leaves_players),
        cmocka_unit_test(values_of_a_run_are_played_by),
        cmocka_unit_test(networks_of_a_run_guide_a_search),
        cmocka_unit_test(weights_that_are_lost_bury_the_job_that_needs_them),
        cmocka_unit_test(a_run_is_branched),
        cmocka_unit_test(a_dry_run_estimates_the_time_of_a_training),
        cmocka_unit_test(a_paused_run_goes_on),
        cmocka_unit_test(kills_change_nothing_in_the_result),
    };
    return cmocka_run_group_tests(tests, set_up, daemon_end_here);
}
