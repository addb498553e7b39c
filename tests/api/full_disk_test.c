/* The daemon on a disk that gets full: a small file system in memory, in a name space of the test's
 * own. `test_api_full_disk --times 100` fills and empties it so often. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/patience.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define NULLS "[null,null,null,null,null,null,null,null]"
#define SHOT                                                                                   \
    "{\"profile\":\"dc3\",\"player\":\"ai-simple\",\"state\":{\"end\":0,\"shot\":0,"           \
    "\"hammer\":\"team1\",\"scores\":{\"team0\":[],\"team1\":[]},\"stones\":{\"team0\":" NULLS \
    ",\"team1\":" NULLS "}}}"
#define MATCH \
    "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"random\",\"pairs\":100000}}"

static void write_text(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);

    if (file >= 0) {
        ssize_t written = write(file, text, strlen(text));
        (void)written;
        close(file);
    }
}

/* Whether the process may mount now: as root, or as root of a name space of users. */
static bool enter_name_space(void)
{
    char map[64];

    snprintf(map, sizeof map, "0 %d 1", (int)geteuid());
    if (unshare(CLONE_NEWNS) != 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
            return false;
        write_text("/proc/self/setgroups", "deny");
        write_text("/proc/self/uid_map", map);
    }
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static void mount_data(const struct daemon_process *daemon)
{
    if (!enter_name_space())
        skip();
    assert_int_equal(mkdir(daemon->data, 0700), 0);
    if (mount("none", daemon->data, "tmpfs", 0, "size=32m") != 0)
        skip();
}

static void fill(const struct daemon_process *daemon, const char *name)
{
    static const char block[65536];
    char path[128];

    snprintf(path, sizeof path, "%s/%s", daemon->data, name);
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    for (size_t size = sizeof block; size > 0; size /= 2)
        while (write(file, block, size) > 0)
            ;
    assert_int_equal(errno, ENOSPC);
    close(file);
}

static const char *const flags[] = {"--workers", "1", NULL};

static void wait_for_status(const struct daemon_process *daemon, const char *path, long status)
{
    double end_s = 0;

    for (long got = 0; got != status; usleep(10000)) {
        assert_true(patience_left(&end_s));
        struct reply reply = client_get(daemon->port, path);
        got = reply.status;
        reply_free(&reply);
    }
}

static void wait_for_state(const struct daemon_process *daemon, int64_t job, const char *state)
{
    char path[64];

    snprintf(path, sizeof path, "/v1/jobs/%lld", (long long)job);
    double end_s = 0;

    for (bool is_there = false; !is_there; usleep(10000)) {
        assert_true(patience_left(&end_s));
        struct reply reply = client_get(daemon->port, path);
        const char *now = json_string_value(json_object_get(reply.json, "state"));
        is_there = now && strcmp(now, state) == 0;
        reply_free(&reply);
    }
}

static long post(const struct daemon_process *daemon, const char *path, const char *body)
{
    struct reply reply = client_post(daemon->port, path, body);
    long status = reply.status;

    if (status >= 500)
        assert_problem(&reply, 507, "storage");
    reply_free(&reply);
    return status;
}

static int64_t add_job(const struct daemon_process *daemon)
{
    struct reply reply = client_post(daemon->port, "/v1/jobs", MATCH);
    assert_int_equal(reply.status, 202);
    int64_t id = (int64_t)json_integer_value(json_object_get(reply.json, "id"));
    reply_free(&reply);
    return id;
}

/* Whether rinkd --healthcheck, with exit status 0, prints these words. */
static bool health_check_says(const struct daemon_process *daemon, const char *words)
{
    char command[256], text[256] = "";

    snprintf(command, sizeof command, "'%s' --healthcheck --listen 127.0.0.1:%d", RINKD,
             daemon->port);
    FILE *out = popen(command, "re");
    assert_non_null(out);
    assert_non_null(fgets(text, sizeof text, out));
    assert_int_equal(pclose(out), 0);
    return strstr(text, words) != NULL;
}

static void assert_metric(const struct daemon_process *daemon, const char *line)
{
    struct reply page = client_get(daemon->port, "/metrics");

    assert_non_null(strstr(page.text, line));
    assert_non_null(strstr(page.text, "\nrinkd_disk_free_bytes "));
    assert_non_null(strstr(page.text, "\nrinkd_database_bytes "));
    reply_free(&page);
}

static void remove_file(const struct daemon_process *daemon, const char *name)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", daemon->data, name);
    assert_int_equal(unlink(path), 0);
}

static void a_full_disk_is_reported_and_jobs_can_be_stopped(void **state)
{
    struct daemon_process *daemon = *state;
    char path[64];

    mount_data(daemon);
    daemon_start_well(daemon, flags);
    daemon_wait_ready(daemon);
    int64_t running = add_job(daemon), waiting = add_job(daemon);
    wait_for_state(daemon, running, "leased");

    fill(daemon, "filler");
    wait_for_status(daemon, "/readyz", 507);
    struct reply reply = client_get(daemon->port, "/readyz");
    assert_non_null(strstr(reply.text, "the disk is full"));
    reply_free(&reply);
    assert_int_equal(post(daemon, "/v1/jobs", MATCH), 507);
    assert_int_equal(post(daemon, "/v1/shots", SHOT), 200);
    assert_int_equal(post(daemon, "/v1/positions/validate", SHOT), 422);
    wait_for_status(daemon, "/v1/jobs", 200);
    assert_metric(daemon, "\nrinkd_disk_full 1\n");
    assert_true(health_check_says(daemon, "the disk is full"));
    char *log = daemon_log(daemon), folder[128];
    snprintf(folder, sizeof folder, "disk full folder=%s ", daemon->data);
    assert_non_null(strstr(log, folder));
    free(log);

    snprintf(path, sizeof path, "/v1/jobs/%lld/cancel", (long long)running);
    assert_int_equal(post(daemon, path, NULL), 202);
    wait_for_state(daemon, running, "cancelled");
    snprintf(path, sizeof path, "/v1/jobs/%lld/pause", (long long)waiting);
    assert_int_equal(post(daemon, path, NULL), 202);
    snprintf(path, sizeof path, "/v1/jobs/%lld", (long long)running);
    reply = client_call(daemon->port, &(struct client_call){.method = "DELETE", .path = path});
    assert_int_equal(reply.status, 204);
    reply_free(&reply);

    remove_file(daemon, "filler");
    daemon_wait_ready(daemon);
    assert_metric(daemon, "\nrinkd_disk_full 0\n");
    add_job(daemon);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
}

static void the_daemon_drains_and_starts_on_a_full_disk(void **state)
{
    struct daemon_process *daemon = *state;

    mount_data(daemon);
    daemon_start_well(daemon, flags);
    daemon_wait_ready(daemon);
    int64_t job = add_job(daemon);
    wait_for_state(daemon, job, "leased");
    fill(daemon, "filler");
    wait_for_status(daemon, "/readyz", 507);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
    fill(daemon, "filler2"); /* nothing at all is left */

    daemon_start_well(daemon, flags);
    wait_for_status(daemon, "/readyz", 507);
    wait_for_status(daemon, "/v1/jobs", 200);
    assert_int_equal(post(daemon, "/v1/jobs", MATCH), 507);
    wait_for_state(daemon, job, "ready");
    remove_file(daemon, "filler");
    remove_file(daemon, "filler2");
    daemon_wait_ready(daemon);
    wait_for_state(daemon, job, "leased"); /* it goes on */
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
}

static int times = 3;

/* While the disk is full nothing is accepted that is not kept, and what was accepted before stays.
 */
static void a_disk_can_be_filled_and_emptied_again_and_again(void **state)
{
    struct daemon_process *daemon = *state;
    static const char waiting[] =
        "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"random\"},\"delay_s\":86400}";
    char path[64];

    mount_data(daemon);
    daemon_start_well(daemon, flags);
    daemon_wait_ready(daemon);
    int64_t first = add_job(daemon);
    for (int k = 0; k < times; k++) {
        struct reply reply = client_post(daemon->port, "/v1/jobs", waiting);
        assert_int_equal(reply.status, 202);
        int64_t id = (int64_t)json_integer_value(json_object_get(reply.json, "id"));
        reply_free(&reply);
        fill(daemon, "filler");
        wait_for_status(daemon, "/readyz", 507);
        assert_int_equal(post(daemon, "/v1/jobs", waiting), 507);
        assert_int_equal(id, first + k + 1); /* none was added in between */
        snprintf(path, sizeof path, "/v1/jobs/%lld/cancel", (long long)id);
        assert_int_equal(post(daemon, path, NULL), 202);
        remove_file(daemon, "filler");
        daemon_wait_ready(daemon);
        wait_for_state(daemon, id, "cancelled");
    }
    printf("the disk was full %d times\n", times);
    assert_int_equal(daemon_end(daemon, SIGTERM), 0);
}

static int prepare(void **state)
{
    return daemon_prepare_here(state);
}

static int clean(void **state)
{
    struct daemon_process *daemon = *state;

    if (daemon->pid)
        daemon_end(daemon, SIGKILL);
    umount2(daemon->data, MNT_DETACH);
    return daemon_remove_here(state);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"times", required_argument, NULL, 't'}, {0}};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_full_disk_is_reported_and_jobs_can_be_stopped, prepare,
                                        clean),
        cmocka_unit_test_setup_teardown(the_daemon_drains_and_starts_on_a_full_disk, prepare,
                                        clean),
        cmocka_unit_test_setup_teardown(a_disk_can_be_filled_and_emptied_again_and_again, prepare,
                                        clean),
    };

    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option != 't')
            return 1;
        times = atoi(optarg);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
