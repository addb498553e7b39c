/* See cluster.h. CLUSTER_WORKER and RINK_NODE are paths of programs. */
#include "tests/cluster/cluster.h"

#include "tests/api/client.h"
#include "tests/patience.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

void cluster_sleep_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

/* ---- the daemon ---- */

static void link_worker(const char *folder, const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
    assert_int_equal(symlink(CLUSTER_WORKER, path), 0);
}

void cluster_programs(const struct daemon_process *daemon, const char *kind, char ret_path[128])
{
    snprintf(ret_path, 128, "%s/%s", daemon->folder, kind);
    assert_true(mkdir(ret_path, 0700) == 0 || errno == EEXIST);
    link_worker(ret_path, "rink-evaluate");
    link_worker(ret_path, "rink-learn");
}

void cluster_slow_down(struct daemon_process *daemon)
{
    char path[sizeof daemon->programs];

    snprintf(path, sizeof path, "%s/slow", daemon->folder);
    assert_int_equal(rename(daemon->programs, path), 0);
    memcpy(daemon->programs, path, sizeof path);
}

void cluster_prepare(struct daemon_process *daemon)
{
    unsetenv("RINKD_TEST_LISTEN");
    daemon_prepare(daemon);
    link_worker(daemon->programs, "rink-evaluate");
    link_worker(daemon->programs, "rink-learn");
}

void cluster_start_daemon(struct daemon_process *daemon, const char *const *flags)
{
    char listen[64];

    if (daemon->port > 0) {
        snprintf(listen, sizeof listen, "127.0.0.1:%d", daemon->port);
        assert_int_equal(setenv("RINKD_TEST_LISTEN", listen, 1), 0);
    }
    daemon_start_well(daemon, flags);
    unsetenv("RINKD_TEST_LISTEN");
    daemon_wait_ready(daemon);
}

/* ---- nodes ---- */

static _Noreturn void become(const char *const *argv, const char *log, const char *golden)
{
    int file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (golden)
        setenv("RINKD_TEST_GOLDEN", golden, 1);
    if (file >= 0 && dup2(file, STDERR_FILENO) >= 0 && dup2(file, STDOUT_FILENO) >= 0)
        execv(RINK_NODE, (char *const *)(size_t)argv);
    _exit(127);
}

void cluster_start_node(const struct daemon_process *daemon, const char *name,
                        const struct cluster_settings *settings, struct cluster_node *ret_node)
{
    char url[64], cache[160], idle[16], cores[16];
    const char *argv[24] = {"rink-node",
                            "--url",
                            url,
                            "--name",
                            name,
                            "--cores",
                            cores,
                            "--cache",
                            cache,
                            "--until-idle",
                            idle,
                            "--programs",
                            settings->programs ? settings->programs : daemon->programs};
    int count = 13;

    snprintf(url, sizeof url, "http://127.0.0.1:%d", settings->port);
    snprintf(cache, sizeof cache, "%s/cache-%s", daemon->folder,
             settings->cache ? settings->cache : name);
    snprintf(idle, sizeof idle, "%d", settings->until_idle_s);
    snprintf(cores, sizeof cores, "%d", settings->cores > 0 ? settings->cores : 2);
    if (settings->golden || settings->kinds) { /* poker has a number of its own */
        argv[count++] = "--kinds";
        argv[count++] = settings->kinds ? settings->kinds : "match";
    }
    if (settings->token_file) {
        argv[count++] = "--token-file";
        argv[count++] = settings->token_file;
    }
    snprintf(ret_node->name, sizeof ret_node->name, "%s", name);
    snprintf(ret_node->log, sizeof ret_node->log, "%s/log-%s", daemon->folder, name);
    ret_node->pid = fork();
    assert_true(ret_node->pid >= 0);
    if (ret_node->pid == 0)
        become(argv, ret_node->log, settings->golden);
}

int cluster_end_node(struct cluster_node *node, int signal)
{
    int status;

    if (signal != 0)
        kill(node->pid, signal);
    assert_int_equal(waitpid(node->pid, &status, 0), node->pid);
    node->pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool cluster_node_says(const struct cluster_node *node, const char *words)
{
    FILE *file = fopen(node->log, "re");
    char *text = NULL;
    size_t room = 0;
    bool found = file && getdelim(&text, &room, '\0', file) > 0 && strstr(text, words);

    if (file)
        fclose(file);
    free(text);
    return found;
}

int64_t cluster_node_number(const struct daemon_process *daemon, const char *name,
                            const char *member)
{
    char path[96];

    snprintf(path, sizeof path, "/v1/nodes/%s", name);
    struct reply reply = client_get(daemon->port, path);
    int64_t number =
        reply.status == 200 ? json_integer_value(json_object_get(reply.json, member)) : -1;
    reply_free(&reply);
    return number;
}

/* ---- jobs ---- */

int64_t cluster_add(const struct daemon_process *daemon, int pairs, uint64_t seed)
{
    char body[200];

    snprintf(body, sizeof body,
             "{\"kind\":\"match\",\"spec\":{\"a\":\"random\",\"b\":\"random\",\"pairs\":%d,"
             "\"seed\":%llu},\"max_attempts\":100}",
             pairs, (unsigned long long)seed);
    struct reply reply = client_post(daemon->port, "/v1/jobs", body);
    int64_t job = json_integer_value(json_object_get(reply.json, "id"));
    assert_int_equal(reply.status, 202);
    reply_free(&reply);
    return job;
}

static struct reply ask_job(const struct daemon_process *daemon, int64_t job)
{
    char path[64];

    snprintf(path, sizeof path, "/v1/jobs/%lld", (long long)job);
    return client_get(daemon->port, path);
}

json_t *cluster_job(const struct daemon_process *daemon, int64_t job)
{
    char path[64];

    snprintf(path, sizeof path, "/v1/jobs/%lld?history=true", (long long)job);
    struct reply reply = client_get(daemon->port, path);
    assert_int_equal(reply.status, 200);
    json_t *document = json_incref(reply.json);
    reply_free(&reply);
    return document;
}

void cluster_wait_state(const struct daemon_process *daemon, int64_t job, const char *state)
{
    bool is_so = false;

    for (double end_s = 0; !is_so; cluster_sleep_ms(20)) {
        json_t *document = cluster_job(daemon, job);
        is_so = strcmp(json_string_value(json_object_get(document, "state")), state) == 0;
        if (!is_so && !patience_left(&end_s))
            fail_msg("the job is not %s: %s", state, json_dumps(document, JSON_INDENT(1)));
        json_decref(document);
    }
}

bool cluster_has_ended(const struct daemon_process *daemon, int64_t job)
{
    struct reply reply = ask_job(daemon, job);
    const char *state = json_string_value(json_object_get(reply.json, "state"));

    if (reply.status != 200 || !state || strcmp(state, "buried") == 0)
        fail_msg("the job: %ld %s", reply.status, reply.text);
    bool has_ended = strcmp(state, "done") == 0;
    reply_free(&reply);
    return has_ended;
}

void cluster_hash(const void *bytes, size_t size, char ret_hash[CLUSTER_HASH])
{
    unsigned char sum[crypto_hash_sha256_BYTES];

    crypto_hash_sha256(sum, bytes, size);
    sodium_bin2hex(ret_hash, CLUSTER_HASH, sum, sizeof sum);
}

static void hash_records(const struct daemon_process *daemon, int64_t job,
                         char ret_hash[CLUSTER_HASH])
{
    char path[160], *text = NULL;
    size_t room = 0;

    snprintf(path, sizeof path, "%s/jobs/%lld/records.jsonl", daemon->data, (long long)job);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    ssize_t size = getdelim(&text, &room, '\0', file);
    fclose(file);
    assert_true(size > 0);
    cluster_hash(text, (size_t)size, ret_hash);
    free(text);
}

void cluster_result(const struct daemon_process *daemon, int64_t job, int pairs,
                    char ret_hash[CLUSTER_HASH])
{
    char of_file[CLUSTER_HASH];

    for (double end_s = 0; !cluster_has_ended(daemon, job);) {
        if (!patience_left(&end_s))
            fail_msg("the job does not end");
        cluster_sleep_ms(50);
    }
    struct reply reply = ask_job(daemon, job);
    const json_t *result = json_object_get(reply.json, "result");
    snprintf(ret_hash, CLUSTER_HASH, "%s", json_string_value(json_object_get(result, "hash")));
    assert_int_equal(json_integer_value(json_object_get(result, "pairs")), pairs);
    reply_free(&reply);
    hash_records(daemon, job, of_file);
    assert_string_equal(of_file, ret_hash);
}

void cluster_record(int64_t number, uint64_t seed, char ret_record[CLUSTER_RECORD + 1])
{
    char text[64], hex[CLUSTER_HASH], record[2 * CLUSTER_RECORD];

    snprintf(text, sizeof text, "%llu %lld", (unsigned long long)seed, (long long)number);
    cluster_hash(text, strlen(text), hex);
    assert_int_equal(snprintf(record, sizeof record, "{\"pair\":%6lld,\"hash\":\"%.38s\"}\n",
                              (long long)number, hex),
                     CLUSTER_RECORD);
    memcpy(ret_record, record, CLUSTER_RECORD + 1);
}

void cluster_expected(int pairs, uint64_t seed, char ret_hash[CLUSTER_HASH])
{
    size_t size = (size_t)pairs * CLUSTER_RECORD;
    char *all = malloc(size + 1);

    assert_non_null(all);
    for (int k = 0; k < pairs; k++)
        cluster_record(k + 1, seed, all + (size_t)k * CLUSTER_RECORD);
    cluster_hash(all, size, ret_hash);
    free(all);
}
