/* rinkctl export: what rink-data writes beside the service, also from far away; whole or not at
 * all. */
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/patience.h"
#include "tests/programs/program.h"

#include <arpa/inet.h>
#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_BYTES = 320, BLOCK = 512 };

static char secret[128]; /* of the webhook */

/* A name in the folder of the test. */
static const char *in_folder(const char *name, char ret_path[PATH_BYTES])
{
    snprintf(ret_path, PATH_BYTES, "%s/%s", daemon_here.folder, name);
    return ret_path;
}

static bool is_there(const char *name)
{
    char path[PATH_BYTES];

    return access(in_folder(name, path), F_OK) == 0;
}

static struct program_run run_export(int port, const char *name, const char *option)
{
    char server[64], path[PATH_BYTES];

    snprintf(server, sizeof server, "--address=http://127.0.0.1:%d", port);
    return program_run(
        (const char *[]){RINKCTL, server, "export", in_folder(name, path), option, NULL}, "", 0);
}

static void export_well(const char *name, const char *option)
{
    struct program_run run = run_export(daemon_here.port, name, option);

    if (run.status != 0)
        fail_msg("%s: %d: %s%s", name, run.status, run.output, run.errors);
    program_free(&run);
}

static void run_well(const char *const *words)
{
    struct program_run run = program_run(words, "", 0);

    if (run.status != 0)
        fail_msg("%s %s: %d: %.2000s%s", words[0], words[1], run.status, run.output, run.errors);
    program_free(&run);
}

static void assert_same(const char *a, const char *b)
{
    char paths[2][PATH_BYTES];

    run_well((const char *[]){"/usr/bin/diff", "-r", in_folder(a, paths[0]), in_folder(b, paths[1]),
                              NULL});
}

/* An export that failed leaves neither its folder nor the one that it began. */
static void assert_nothing_is_left(const char *name)
{
    char path[PATH_BYTES];
    char pattern[PATH_BYTES + 2];
    glob_t found;

    snprintf(pattern, sizeof pattern, "%s*", in_folder(name, path));
    int result = glob(pattern, 0, NULL, &found);
    if (result != GLOB_NOMATCH)
        fail_msg("%s is left", result == 0 ? found.gl_pathv[0] : pattern);
}

static void post(const char *path, const char *body, long status)
{
    const char *const headers[] = {"Content-Type: application/json",
                                   status == 200 ? "Prefer: wait=60" : NULL, NULL};
    struct reply reply = client_call(
        daemon_here.port,
        &(struct client_call){.method = "POST", .path = path, .body = body, .header = headers});

    if (reply.status != status)
        fail_msg("%s: %ld: %s", path, reply.status, reply.text);
    reply_free(&reply);
}

/* A service with games, a model, a player, a job that waits, and a webhook with a secret. */
static void start_with_data(void)
{
    static const char weights[] =
        "\x39\0\0\0\0\0\0\0"
        "{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}   "
        "\0\0\0\0\0\0\200\77";
    static const char *const headers[] = {"Content-Type: application/octet-stream", NULL};

    daemon_start_well(&daemon_here, (const char *[]){"--workers", "1", NULL});
    post("/v1/jobs",
         "{\"kind\":\"match\",\"spec\":{\"a\":\"ai-simple\",\"b\":\"generator\",\"pairs\":1,"
         "\"ends\":1,\"seed\":1,\"limits\":{\"simulations\":20}}}",
         200);
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
    daemon_start_well(&daemon_here,
                      (const char *[]){"--workers", "0", "--webhook-addresses", "any", NULL});
    post("/v1/jobs", "{\"kind\":\"diagnose\",\"spec\":{\"seconds\":1}}", 202);
    post("/v1/players", "{\"name\":\"mine\",\"spec\":\"rink:simulations=200\"}", 201);
    struct reply hook =
        client_post(daemon_here.port, "/v1/webhooks", "{\"url\":\"http://127.0.0.1:9/\"}");
    assert_int_equal(hook.status, 201);
    snprintf(secret, sizeof secret, "%s", json_string_value(json_object_get(hook.json, "secret")));
    assert_true(strlen(secret) > 20);
    reply_free(&hook);
    struct reply model =
        client_call(daemon_here.port, &(struct client_call){.method = "PUT",
                                                            .path = "/v1/models/small",
                                                            .body = weights,
                                                            .bytes = sizeof weights - 1,
                                                            .header = headers,
                                                            .is_direct = true});
    assert_int_equal(model.status, 201);
    reply_free(&model);
}

static struct reply fetch_archive(void)
{
    return client_call(daemon_here.port,
                       &(struct client_call){.path = "/v1/export", .is_direct = true});
}

/* ---- the same bytes ---- */

static void it_is_what_rink_data_writes(void **state)
{
    char path[PATH_BYTES], folder[PATH_BYTES];

    (void)state;
    start_with_data();
    export_well("out1", NULL);
    export_well("out2", "--csv");
    run_well(
        (const char *[]){RINK_DATA, "export", daemon_here.data, in_folder("own1", path), NULL});
    run_well((const char *[]){RINK_DATA, "export", "--csv", daemon_here.data,
                              in_folder("own2", path), NULL});
    assert_same("out1", "own1");
    assert_same("out2", "own2");
    assert_false(is_there("data/export-under-way"));

    struct program_run again = run_export(daemon_here.port, "out1", NULL);
    assert_int_equal(again.status, 1);
    assert_non_null(strstr(again.errors, "File exists"));
    program_free(&again);
    assert_same("out1", "own1");

    /* It can be taken in. */
    run_well((const char *[]){RINK_DATA, "import", in_folder("out1", folder),
                              in_folder("other", path), NULL});
    assert_true(is_there("other/rinkd.db"));
}

static void secrets_stay(void **state)
{
    (void)state;
    start_with_data();
    struct reply archive = fetch_archive();
    assert_int_equal(archive.status, 200);
    assert_non_null(memmem(archive.text, archive.bytes, "\"mine\"", 6));
    assert_null(memmem(archive.text, archive.bytes, secret, strlen(secret)));
    assert_null(memmem(archive.text, archive.bytes, "webhook", 7));
    assert_null(memmem(archive.text, archive.bytes, "lease_token", 11));
    reply_free(&archive);
}

/* The archive is one for tar; a name too long for one field of its header is in two. */
static void tar_reads_the_archive(void **state)
{
    char path[PATH_BYTES], file[PATH_BYTES], folder[PATH_BYTES];

    (void)state;
    start_with_data();
    run_well((const char *[]){
        "/bin/cp", in_folder("data/jobs/1/records.jsonl", path),
        in_folder(
            "data/jobs/1/a-file-with-a-name-of-more-than-ninety-characters-which-does-not-fit-"
            "beside-the-names-of-its-folders",
            file),
        NULL});
    export_well("out1", NULL);
    run_well((const char *[]){RINK_DATA, "export", "--tar", daemon_here.data,
                              in_folder("file.tar", file), NULL});
    assert_false(is_there("file.tar.d"));
    assert_int_equal(mkdir(in_folder("own1", folder), 0700), 0);
    run_well((const char *[]){"/bin/tar", "-xf", file, "-C", folder, NULL});
    assert_same("out1", "own1");
    assert_true(
        is_there("own1/files/jobs/1/a-file-with-a-name-of-more-than-ninety-characters-which-"
                 "does-not-fit-beside-the-names-of-its-folders"));
}

/* ---- what is cut off or damaged ---- */

/* A server of one answer with these bytes, which announces `announced`; *ret_port is its port. */
static pid_t serve(const char *bytes, size_t size, size_t announced, int *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    *ret_port = ntohs(address.sin_port);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0) {
        close(listener);
        return pid;
    }
    char head[4096];
    int client = accept(listener, NULL, NULL);
    bool is_good = recv(client, head, sizeof head, 0) > 0 &&
                   dprintf(client, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", announced) > 0;
    while (is_good && size > 0) {
        ssize_t sent = send(client, bytes, size, MSG_NOSIGNAL);
        is_good = sent > 0;
        bytes += is_good ? sent : 0;
        size -= is_good ? (size_t)sent : 0;
    }
    _exit(0);
}

static void refuses(const char *bytes, size_t size, size_t announced, int status, const char *why)
{
    int port;
    pid_t pid = serve(bytes, size, announced, &port);
    struct program_run run = run_export(port, "cut", NULL);

    assert_int_equal(waitpid(pid, NULL, 0), pid);
    if (run.status != status || !strstr(run.errors, why))
        fail_msg("%zu of %zu: %d: %s%s", size, announced, run.status, run.output, run.errors);
    program_free(&run);
    assert_nothing_is_left("cut");
}

static void a_stream_that_is_cut_or_damaged_leaves_nothing(void **state)
{
    (void)state;
    start_with_data();
    struct reply archive = fetch_archive();
    assert_int_equal(archive.status, 200);
    char *bytes = archive.text;
    const size_t size = archive.bytes;

    assert_true(size > 20 * BLOCK);
    const size_t cuts[] = {1, BLOCK - 1, BLOCK, BLOCK + 7, size / 2, size - 2 * BLOCK};
    for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
        refuses(bytes, cuts[k], size, 3, "no answer");
        refuses(bytes, cuts[k], cuts[k], 1, "cut off"); /* by somebody who counts again */
    }
    bytes[3] ^= 1;
    refuses(bytes, size, size, 1, "damaged");
    reply_free(&archive);
}

/* A header as tar writes it. */
static void a_name_that_leads_out_is_refused(void **state)
{
    static const char *const names[] = {"../x", "/x", "a/../../x", "a//x", ".", ""};
    char block[BLOCK];

    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        unsigned sum = 0;
        memset(block, 0, sizeof block);
        memcpy(block, names[k], strlen(names[k]));
        memcpy(block + 124, "00000000000", 11);
        memcpy(block + 148, "        ", 8);
        block[156] = '0';
        memcpy(block + 257, "ustar\00000", 8);
        for (size_t n = 0; n < sizeof block; n++)
            sum += (unsigned char)block[n];
        snprintf(block + 148, 7, "%06o", sum % 01000000u);
        refuses(block, sizeof block, sizeof block, 1, "leads out");
    }
    assert_false(is_there("x"));
}

/* ---- one at a time, hanging up, kill -9 ---- */

/* From now on rink-data stops in the middle while there is a file "slow". */
static void make_slow(void)
{
    char path[PATH_BYTES], slow[PATH_BYTES];

    snprintf(path, sizeof path, "%s/rink-data", daemon_here.programs);
    assert_int_equal(unlink(path), 0);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fprintf(file,
            "#!/bin/sh\n[ -e '%s' ] || exec '" RINK_DATA "' \"$@\"\n"
            "mkdir -p \"$4.d/tables\"\necho half >\"$4.d/tables/x\"\nexec sleep 1000\n",
            in_folder("slow", slow));
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(mkdir(slow, 0700), 0);
}

static void make_fast(void)
{
    char slow[PATH_BYTES];

    assert_int_equal(rmdir(in_folder("slow", slow)), 0);
}

/* Asks for an export, which stops in the middle; returns the connection. */
static int begin_slow_one(void)
{
    static const char head[] = "GET /v1/export HTTP/1.1\r\nHost: localhost\r\n\r\n";
    int fd = client_connect(daemon_here.port);

    assert_int_equal(send(fd, head, sizeof head - 1, 0), sizeof head - 1);
    for (int k = 0; !is_there("data/export-under-way/export.tar.d/tables/x"); k++) {
        assert_true(k < PATIENCE_MS / 10);
        usleep(10000);
    }
    return fd;
}

static void one_is_made_at_a_time_for_who_stays(void **state)
{
    long status = 503;

    (void)state;
    start_with_data();
    make_slow();
    int fd = begin_slow_one();
    struct reply second = fetch_archive();
    assert_problem(&second, 503, "busy");
    reply_free(&second);
    make_fast();
    close(fd);
    for (int k = 0; status == 503; k++) { /* the daemon notices */
        assert_true(k < PATIENCE_MS / 10);
        usleep(10000);
        struct reply archive = fetch_archive();
        status = archive.status;
        reply_free(&archive);
    }
    assert_int_equal(status, 200);
    assert_false(is_there("data/export-under-way"));
}

static void a_killed_service_removes_it_at_the_next_start(void **state)
{
    (void)state;
    start_with_data();
    make_slow();
    int fd = begin_slow_one();
    daemon_end(&daemon_here, SIGKILL);
    close(fd);
    assert_true(is_there("data/export-under-way"));
    make_fast();
    daemon_start_well(&daemon_here, (const char *[]){"--workers", "0", NULL});
    assert_false(is_there("data/export-under-way"));
    export_well("out1", NULL);
}

static void a_service_that_ends_does_not_wait_for_it(void **state)
{
    (void)state;
    start_with_data();
    make_slow();
    int fd = begin_slow_one();
    assert_int_equal(daemon_end(&daemon_here, SIGTERM), 0);
    close(fd);
    assert_false(is_there("data/export-under-way"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, daemon_prepare_here, daemon_remove_here)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_is_what_rink_data_writes),
        TEST(secrets_stay),
        TEST(tar_reads_the_archive),
        TEST(a_stream_that_is_cut_or_damaged_leaves_nothing),
        TEST(a_name_that_leads_out_is_refused),
        TEST(one_is_made_at_a_time_for_who_stays),
        TEST(a_killed_service_removes_it_at_the_next_start),
        TEST(a_service_that_ends_does_not_wait_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
