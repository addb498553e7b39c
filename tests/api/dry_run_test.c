/* Dry runs of every kind of job, through the real daemon: each is estimated with what that rests
 * on, or says why not, is refused as the job itself would be, and leaves nothing. */
#include "tests/api/jobs.h"
#include "tests/patience.h"

#include "api/base/load_json.h"
#include "api/jobs/job_kinds.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <sys/stat.h>

/* A small job of each kind; "$" stands for the record of a game. */
static const struct {
    const char *kind, *spec;
} small_jobs[] = {
    {"train", "{\"network\":{\"architecture\":\"mlp\",\"hidden\":[8]},\"iterations\":100,"
              "\"evaluate_every\":0}"},
    {"match", "{\"a\":\"ai-simple\",\"b\":\"random\",\"pairs\":1,\"ends\":1}"},
    {"tournament", "{\"players\":[\"ai-simple\",\"random\"],\"pairs\":1,\"ends\":1}"},
    {"exploitability", "{\"player\":\"random\",\"responders\":[\"random\"],\"ends\":2,"
                       "\"selection_ends\":2}"},
    {"regret", "{\"player\":\"random\",\"positions\":1,\"referee\":\"deep\"}"},
    {"poker-match", "{\"a\":\"poker:o1\",\"b\":\"poker:o2\",\"sessions\":1,\"hands\":10}"},
    {"compete", "{\"server\":\"127.0.0.1:1\"}"},
    {"host", "{\"ends\":1}"},
    {"external", "{\"program\":\"simple\",\"time\":5}"},
    {"import", "{\"log\":$}"},
    {"diagnose", "{\"seconds\":3}"},
    {"review", "{\"record\":$,\"judge\":\"rink:simulations=50\",\"throws\":64}"},
};
#define PATIENT "Prefer: wait=300"
enum { SMALL_JOBS = sizeof small_jobs / sizeof *small_jobs };

static json_t *record; /* of a game */

/* The daemon with a program of somebody else, and a game. */
static int prepare(void **state)
{
    char path[PATH_MAX], game[80], *rest = NULL;

    set_up(state);
    snprintf(path, sizeof path, "%s/external", daemon_here.data);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/external/simple.json", daemon_here.data);
    FILE *file = fopen(path, "we");
    assert_true(file && fputs("{\"protocol\":\"dc3\",\"command\":[\"/bin/true\"]}", file) >= 0 &&
                fclose(file) == 0);
    int64_t match = add("{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"random\","
                        "\"pairs\":1,\"ends\":1}}");
    json_decref(wait_for(match, "done"));
    json_t *matches = get("/v1/matches?job=%lld", (long long)match);
    snprintf(game, sizeof game, "/v1/games/%lld-0-0",
             json_integer_value(
                 json_object_get(json_array_get(json_object_get(matches, "items"), 0), "id")));
    json_decref(matches);
    struct reply reply = ask("GET", game, NULL, 200);
    record = json_array();
    for (char *line = strtok_r(reply.text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        json_array_append_new(record, load_json_text(line));
    reply_free(&reply);
    return 0;
}

static int leave(void **state)
{
    json_decref(record);
    return daemon_end_here(state);
}

/* The body of a request; `more` are members of it, `wrong` one of its spec. The caller frees it. */
static char *body_of(int row, const char *more, const char *wrong)
{
    char *lines = json_dumps(record, JSON_COMPACT), *body = NULL;
    const char *spec = small_jobs[row].spec, *place = strchr(spec, '$');
    const int before = place ? (int)(place - spec) : (int)strlen(spec);

    assert_true(asprintf(&body, "{\"kind\":\"%s\",\"spec\":{%s%.*s%s%s%s}", small_jobs[row].kind,
                         wrong, before - 1, spec + 1, place ? lines : "", place ? place + 1 : "",
                         more) > 0);
    free(lines);
    return body;
}

static struct reply post(const char *body, const char *prefer, long status)
{
    const char *const headers[] = {"Content-Type: application/json", prefer, NULL};
    struct reply reply =
        client_call(daemon_here.port, &(struct client_call){.method = "POST",
                                                            .path = "/v1/jobs",
                                                            .header = headers,
                                                            .body = body,
                                                            .most_ms = PATIENCE_MS});

    if (reply.status != status)
        fail_msg("%s: %ld: %s", body, reply.status, reply.text);
    return reply;
}

/* What cannot be tried out cannot be done either: the job fails, for the reason that was told. */
static void fails_for(int row, const char *why)
{
    char *body = body_of(row, "", ""), path[80];
    int64_t id = add(body);
    json_t *job = wait_for(id, "buried");
    const char *detail =
        json_string_value(json_object_get(json_object_get(job, "error"), "detail"));

    if (strncmp(detail, why, strlen(why)) != 0)
        fail_msg("%s: no estimate: %s", small_jobs[row].kind, why);
    json_decref(job);
    snprintf(path, sizeof path, "/v1/jobs/%lld", (long long)id);
    expect("DELETE", path, NULL, 204);
    free(body);
}

/* Looks at the answer to a dry run of that row and frees it. */
static void check_estimate(const struct job_kind *kind, int row, struct reply *reply)
{
    const json_t *seconds = json_object_get(reply->json, "estimate_s");
    const char *basis = json_string_value(json_object_get(reply->json, "estimate_basis"));

    print_message("%s: %g s: %s\n", kind->name, json_number_value(seconds), basis);
    assert_true(basis && *basis);
    if (kind->trial == JOB_NOT_TRIED && !kind->estimate_s)
        assert_string_equal(basis, kind->no_estimate);
    else if (!json_is_number(seconds) || json_number_value(seconds) < 0.0)
        fails_for(row, basis);
    reply_free(reply);
}

static void every_kind_is_estimated(void **state)
{
    const struct job_kind *kind;
    char path[PATH_MAX];

    (void)state;
    json_t *before = get("/v1/jobs?limit=100");
    for (int k = 0; (kind = job_kind_at(k)) != NULL; k++) {
        int row = 0;
        while (row < SMALL_JOBS && strcmp(small_jobs[row].kind, kind->name) != 0)
            row++;
        if (kind->is_internal)
            continue;
        if (row == SMALL_JOBS)
            fail_msg("a small job of the kind %s has to be in the table", kind->name);
        char *body = body_of(row, ",\"dry_run\":true", "");
        struct reply reply = post(body, PATIENT, 200);
        check_estimate(kind, row, &reply);
        free(body);
    }
    /* Nothing is left, neither in the store nor in the folders of jobs. */
    json_t *after = get("/v1/jobs?limit=100");
    assert_int_equal(json_array_size(json_object_get(after, "items")),
                     json_array_size(json_object_get(before, "items")));
    snprintf(path, sizeof path, "%s/jobs/0", daemon_here.data);
    assert_int_equal(access(path, F_OK), -1);
    json_decref(before);
    json_decref(after);
}

static void what_the_job_is_refused_for_a_dry_run_is_too(void **state)
{
    (void)state;
    for (int row = 0; row < SMALL_JOBS; row++)
        for (int k = 0; k < 2; k++) {
            char *body = body_of(row, k ? ",\"dry_run\":true" : "", "\"nonsense\":1,");
            struct reply reply = post(body, NULL, 422);
            const json_t *error = json_array_get(json_object_get(reply.json, "errors"), 0);
            assert_string_equal(json_string_value(json_object_get(error, "pointer")),
                                "/spec/nonsense");
            reply_free(&reply);
            free(body);
        }
}

static void who_does_not_wait_hears_why_there_is_no_estimate(void **state)
{
    char *body = body_of(1, ",\"dry_run\":true", "");
    struct reply reply = post(body, "Prefer: wait=0", 200);

    (void)state;
    assert_true(json_is_null(json_object_get(reply.json, "estimate_s")));
    assert_non_null(
        strstr(json_string_value(json_object_get(reply.json, "estimate_basis")), "does not wait"));
    reply_free(&reply);
    reply = post(body, NULL, 200); /* others wait a minute */
    assert_null(
        strstr(json_string_value(json_object_get(reply.json, "estimate_basis")), "does not wait"));
    reply_free(&reply);
    free(body);
}

static void *ask_one(void *body)
{
    struct reply reply = post(body, PATIENT, 200);
    double *seconds = malloc(sizeof *seconds);

    *seconds = json_is_number(json_object_get(reply.json, "estimate_s"))
                   ? json_number_value(json_object_get(reply.json, "estimate_s"))
                   : (double)NAN;
    reply_free(&reply);
    return seconds;
}

/* One is tried out after the other. */
static void several_at_once_are_all_estimated(void **state)
{
    enum { AT_ONCE = 4 };
    char *body = body_of(1, ",\"dry_run\":true", "");
    pthread_t thread[AT_ONCE];
    void *seconds;

    (void)state;
    for (int k = 0; k < AT_ONCE; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, ask_one, body), 0);
    for (int k = 0; k < AT_ONCE; k++) {
        assert_int_equal(pthread_join(thread[k], &seconds), 0);
        assert_true(*(double *)seconds >= 0.0);
        free(seconds);
    }
    free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_estimated),
        cmocka_unit_test(what_the_job_is_refused_for_a_dry_run_is_too),
        cmocka_unit_test(who_does_not_wait_hears_why_there_is_no_estimate),
        cmocka_unit_test(several_at_once_are_all_estimated),
    };
    return cmocka_run_group_tests(tests, prepare, leave);
}
