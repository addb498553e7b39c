/* Real jobs, each kind whose work is shared, give the same bytes by one worker of the daemon, by
 * two, and by three nodes on a bad network while nodes and the daemon are killed and nodes are
 * stopped for longer than their lease.
 *
 *   test_cluster_jobs [--kills N] [--daemon-kills N] [--size N] [--seed N]
 *
 * By hand with --kills 50 --daemon-kills 10 --size 10. A larger size makes more work, but no larger
 * files: a checkpoint of many megabytes would never come through a network that cuts each
 * connection after some 50 kB. So values of positions are fitted for two stages, of 86 kB each,
 * whatever the size. The test compares the result and the records of games, without the fields that
 * tell time and effort, and the hashes of the weights. */
#include "tests/api/client.h"
#include "tests/cluster/chaos.h"
#include "tests/patience.h"

#include <setjmp.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct chaos_options options = {.kills = 2, .daemon_kills = 1, .size = 1, .seed = 20261124};

/* %d: a size, `size` times that of the row; a second one: the same of `apart`, from one checkpoint
 * to the next, so that there are as many of them. */
static const struct row {
    const char *name, *body;
    int size, apart;
} rows[] = {
    {"match of 200 pairs with a sequential test",
     "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"random\",\"ends\":1,\"pairs\":200,"
     "\"seed\":%d,\"sprt\":{\"elo0\":0,\"elo1\":500}}",
     1, 0},
    {"match",
     "{\"kind\":\"match\",\"spec\":{\"a\":\"rink:simulations=20\",\"b\":\"ai-simple\",\"ends\":1,"
     "\"seed\":2,\"pairs\":%d}",
     8, 0},
    {"tournament of 5 players",
     "{\"kind\":\"tournament\",\"spec\":{\"players\":[\"ai-simple\",\"random\",\"dc3-rulebased\","
     "\"rink:simulations=20\",\"rink:simulations=10\"],\"ends\":1,\"seed\":3,\"pairs\":%d}",
     1, 0},
    {"exploitability",
     "{\"kind\":\"exploitability\",\"spec\":{\"player\":\"ai-simple\",\"responders\":[\"random\"],"
     "\"selection_ends\":20,\"seed\":4,\"limits\":{\"simulations\":10},\"ends\":%d}",
     5, 0},
    {"training with two seeds",
     "{\"kind\":\"train\",\"spec\":{\"seeds\":[6,7],\"network\":{\"architecture\":\"mlp\","
     "\"hidden\":"
     "[8]},\"hyper\":{\"parallel\":4,\"batch\":8,\"updates\":1,\"warm_up\":64,\"response_rate\":"
     "0.001,\"average_rate\":0.001,\"response_memory\":500,\"average_memory\":500,\"candidates\":"
     "3},\"opponents\":[\"random\"],\"evaluate_every\":150,\"evaluate_pairs\":2,"
     "\"iterations\":%d,\"checkpoint_every\":%d}",
     150, 50},
    {"poker match",
     "{\"kind\":\"poker-match\",\"spec\":{\"a\":\"poker:o1\",\"b\":\"poker:o2\",\"hands\":100,"
     "\"seed\":5,"
     "\"sessions\":%d}",
     10, 0},
    {"policy iteration in rounds",
     "{\"kind\":\"train\",\"spec\":{\"algorithm\":\"gpi\",\"seeds\":[8],\"hyper\":{\"first_"
     "samples\":"
     "200,\"samples\":100,\"draws_before\":2,\"draws_after\":2,\"hidden\":8,\"hidden2\":8,"
     "\"batch\":16,\"epochs\":1},\"opponents\":[],\"evaluate_every\":0,\"checkpoint_every\":2,"
     "\"iterations\":%d}",
     2, 0},
    {"value fit in rounds",
     "{\"kind\":\"train\",\"spec\":{\"algorithm\":\"value\",\"seeds\":[9],\"iterations\":2,"
     "\"hyper\":{"
     "\"states\":100,\"epochs\":3,\"simulations\":%d},\"checkpoint_every\":2}",
     100, 0},
};
enum {
    ROWS = sizeof rows / sizeof *rows,
    TRAINING = 4,  /* row of the training that the branch starts from */
    BRANCH = ROWS, /* its first file is in the folder of another job */
    JOBS
};

struct digests {
    char of[JOBS][CLUSTER_HASH];
};

static const char *name_of(int job)
{
    return job == BRANCH ? "branch of the training" : rows[job].name;
}

/* ---- what is compared ---- */

static void take_out(json_t *value)
{
    /* Time, effort, and names that are drawn at random, with the hashes of files that have them. */
    static const char *const names[] = {"effort", "cpu_s", "elapsed_s", "run", "models"};
    json_t *part;
    const char *key;
    size_t k;

    for (k = 0; json_is_object(value) && k < sizeof names / sizeof *names; k++)
        json_object_del(value, names[k]);
    json_object_foreach(value, key, part) take_out(part);
    json_array_foreach(value, k, part) take_out(part);
}

static void digest_json(crypto_hash_sha256_state *digest, json_t *value)
{
    take_out(value);
    char *text = json_dumps(value, JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY);
    assert_non_null(text);
    crypto_hash_sha256_update(digest, (const unsigned char *)text, strlen(text));
    free(text);
}

/* Returns how many records the job has kept. */
static int digest_records(crypto_hash_sha256_state *digest, const struct daemon_process *daemon,
                          int64_t job)
{
    char path[160], *line = NULL;
    size_t room = 0;
    int count = 0;

    snprintf(path, sizeof path, "%s/jobs/%lld/records.jsonl", daemon->data, (long long)job);
    FILE *file = fopen(path, "re");
    while (file && getline(&line, &room, file) > 0) {
        json_t *record = json_loads(line, 0, NULL);
        assert_non_null(record);
        digest_json(digest, record);
        json_decref(record);
        count++;
    }
    free(line);
    if (file)
        fclose(file);
    return count;
}

/* `number`: of a row, or BRANCH. */
static void digest_job(const struct daemon_process *daemon, int64_t job, int number,
                       struct digests *ret_digests)
{
    char path[64];
    unsigned char sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state digest;

    snprintf(path, sizeof path, "/v1/jobs/%lld", (long long)job);
    struct reply reply = client_get(daemon->port, path);
    json_t *result = json_object_get(reply.json, "result");
    assert_true(json_object_size(result) > 0);
    crypto_hash_sha256_init(&digest);
    digest_json(&digest, result);
    reply_free(&reply);
    int records = digest_records(&digest, daemon, job);
    const char *body = number < ROWS ? rows[number].body : "";
    if (strstr(body, "\"match\"") || strstr(body, "\"tournament\""))
        assert_true(records > 0);
    crypto_hash_sha256_final(&digest, sum);
    sodium_bin2hex(ret_digests->of[number], CLUSTER_HASH, sum, sizeof sum);
}

/* ---- jobs ---- */

static int64_t post(const struct daemon_process *daemon, const char *name, const char *body)
{
    struct reply reply = client_post(daemon->port, "/v1/jobs", body);

    if (reply.status != 202)
        fail_msg("%s: %ld %s", name, reply.status, reply.text);
    int64_t job = json_integer_value(json_object_get(reply.json, "id"));
    reply_free(&reply);
    return job;
}

static int64_t add(const struct daemon_process *daemon, int row)
{
    char body[1024];
    int length = snprintf(body, sizeof body, rows[row].body, rows[row].size * options.size,
                          rows[row].apart * options.size);

    snprintf(body + length, sizeof body - (size_t)length, ",\"max_attempts\":100}");
    return post(daemon, rows[row].name, body);
}

/* Goes on with the training's first seed from its last checkpoint. */
static int64_t add_branch(const struct daemon_process *daemon, int64_t training)
{
    const int iterations = rows[TRAINING].size * options.size;
    char path[96], body[512], run[40];

    snprintf(path, sizeof path, "/v1/jobs/%lld", (long long)training);
    struct reply reply = client_get(daemon->port, path);
    snprintf(run, sizeof run, "%s",
             json_string_value(json_array_get(json_object_get(reply.json, "runs"), 0)));
    reply_free(&reply);
    snprintf(
        body, sizeof body,
        "{\"kind\":\"train\",\"spec\":{\"from\":{\"run\":\"%s\",\"step\":%d},\"iterations\":%d,"
        "\"evaluate_every\":50,\"checkpoint_every\":50},\"max_attempts\":100}",
        run, iterations, iterations + 50);
    return post(daemon, name_of(BRANCH), body);
}

/* How far a job is. */
struct course {
    double progress;
    int64_t newest; /* its last task */
};

static struct course course_of(const struct daemon_process *daemon, int64_t job)
{
    char path[64];
    json_t *found = cluster_job(daemon, job);
    struct course course = {.progress = json_number_value(json_object_get(found, "progress"))};

    json_decref(found);
    snprintf(path, sizeof path, "/v1/jobs/%lld/tasks?limit=1", (long long)job);
    struct reply reply = client_get(daemon->port, path);
    const json_t *task = json_array_get(json_object_get(reply.json, "items"), 0);
    course.newest = json_integer_value(json_object_get(task, "number"));
    reply_free(&reply);
    return course;
}

/* Waits for the end of a job, as long as it gets further; meanwhile chaos strikes, unless it is
 * NULL. */
static void wait_for(const struct daemon_process *daemon, struct chaos *chaos, int64_t job,
                     int number)
{
    struct course best = {.progress = -1.0};

    for (double end_s = 0; !cluster_has_ended(daemon, job);) {
        const struct course now = course_of(daemon, job);
        if (now.progress > best.progress || now.newest > best.newest) {
            best = now;
            end_s = 0;
        }
        if (!patience_left(&end_s))
            fail_msg("%s does not get further than %.3f", name_of(number), now.progress);
        if (chaos)
            chaos_strike(chaos);
        else
            cluster_sleep_ms(20);
    }
}

/* All jobs at once, then the branch. */
static void do_jobs(struct daemon_process *daemon, struct chaos *chaos, struct digests *ret_digests)
{
    int64_t jobs[JOBS];

    for (int k = 0; k < ROWS; k++)
        jobs[k] = add(daemon, k);
    for (int k = 0; k < JOBS; k++) {
        if (k == BRANCH)
            jobs[k] = add_branch(daemon, jobs[TRAINING]);
        wait_for(daemon, chaos, jobs[k], k);
        digest_job(daemon, jobs[k], k, ret_digests);
    }
}

static void do_alone(const char *workers, struct digests *ret_digests)
{
    struct daemon_process daemon;

    daemon_prepare(&daemon);
    cluster_start_daemon(&daemon, (const char *[]){"--workers", workers, NULL});
    do_jobs(&daemon, NULL, ret_digests);
    assert_true(daemon_end_well(&daemon));
}

static void assert_same(const struct digests *found, const struct digests *wanted, const char *who)
{
    for (int k = 0; k < JOBS; k++)
        if (strcmp(found->of[k], wanted->of[k]) != 0)
            fail_msg("%s: %s gives other bytes than one worker", name_of(k), who);
}

static struct digests by_one_worker;

static void two_workers_give_the_same_bytes_as_one(void **state)
{
    struct digests by_two;

    (void)state;
    do_alone("1", &by_one_worker);
    do_alone("2", &by_two);
    assert_same(&by_two, &by_one_worker, "two workers");
}

static void nodes_that_are_killed_give_the_same_bytes_as_one_worker(void **state)
{
    static const char *const flags[] = {
        "--workers", "0", "--node-lease-ms", "4000", "--check-percent", "10", NULL};
    struct chaos chaos = {.flags = flags,
                          .lease_ms = 4000,
                          .kills_max = options.kills,
                          .daemon_kills_max = options.daemon_kills};
    struct digests by_nodes;
    char what[64];
    int rounds = 0;

    (void)state;
    daemon_prepare(&chaos.daemon);
    chaos_start(&chaos, 1, options.seed);
    do {
        do_jobs(&chaos.daemon, &chaos, &by_nodes);
        assert_same(&by_nodes, &by_one_worker, "three nodes");
        rounds++;
    } while (chaos_goes_on(&chaos));
    snprintf(what, sizeof what, "%d times %d jobs", rounds, (int)JOBS);
    chaos_end(&chaos, what);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_workers_give_the_same_bytes_as_one),
        cmocka_unit_test(nodes_that_are_killed_give_the_same_bytes_as_one_worker),
    };

    chaos_read_options(argc, argv, "size", &options);
    if (sodium_init() < 0)
        return 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
