/* Sources of settings and their precedence. */
#include "service/base/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* SHA-256 of "abc" and of "abd" */
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define ABD "a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9"
#define ABE "d81a65c1de02e17d9cfd88d68a8768fd1e3262f5e2fb859382fe33734b3f3ca8"
#define ABF "431b36f2b16be7471a7cce44b22a6d9d4be6faf0a6f4e5f068a6124b951826a9"

static char file_name[] = "/tmp/rinkd-config-XXXXXX";

static void write_file(const char *text)
{
    FILE *file = fopen(file_name, "we");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int clear(void **state)
{
    (void)state;
    unsetenv("RINKD_WORKERS");
    unsetenv("RINKD_LISTEN");
    unsetenv("RINKD_DATA");
    return 0;
}

static enum config_action read_with(struct config *config, int count, const char *const *flags)
{
    char *argv[8] = {(char *)(size_t) "rinkd"};

    for (int k = 0; k < count; k++)
        argv[k + 1] = (char *)(size_t)flags[k];
    return config_read(count + 1, argv, config);
}

static void the_later_source_counts(void **state)
{
    struct config config;

    (void)state;
    assert_int_equal(read_with(&config, 0, NULL), CONFIG_RUN);
    assert_string_equal(config.address, "127.0.0.1");
    assert_true(config.workers >= 1);
    write_file("{\"workers\":3,\"data\":\"from-file\",\"drain_ms\":5,\"listen\":\"127.0.0.2:7\"}");
    setenv("RINKD_WORKERS", "4", 1);
    setenv("RINKD_DATA", "from-environment", 1);
    assert_int_equal(
        read_with(&config, 4, (const char *[]){"--config", file_name, "--workers", "5"}),
        CONFIG_RUN);
    assert_int_equal(config.workers, 5);
    assert_string_equal(config.data, "from-environment");
    assert_int_equal(config.drain_ms, 5);
    assert_string_equal(config.address, "127.0.0.2");
    assert_int_equal(config.port, 7);
}

static void mistakes_are_refused_wherever_they_are(void **state)
{
    static const char *const files[] = {"{",
                                        "[]",
                                        "{\"worker\":1}",
                                        "{\"workers\":\"x\"}",
                                        "{\"workers\":-1}",
                                        "{\"workers\":1.5}",
                                        "{\"workers\":1,\"workers\":2}",
                                        "{\"data\":\"\"}"};
    static const char *const listens[] = {
        "",    "127.0.0.1",      "127.0.0.1:",   "127.0.0.1:65536",
        ":80", "example.org:80", "127.0.0.1:8 ", "[::1:80"};
    struct config config;

    (void)state;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        write_file(files[k]);
        assert_int_equal(read_with(&config, 2, (const char *[]){"-c", file_name}), CONFIG_FAILED);
    }
    for (size_t k = 0; k < sizeof listens / sizeof *listens; k++)
        assert_int_equal(read_with(&config, 2, (const char *[]){"--listen", listens[k]}),
                         CONFIG_FAILED);
    assert_int_equal(read_with(&config, 2, (const char *[]){"-c", "/nowhere/at/all"}),
                     CONFIG_FAILED);
    setenv("RINKD_WORKERS", "many", 1);
    assert_int_equal(read_with(&config, 0, NULL), CONFIG_FAILED);
}

static void a_public_address_needs_a_token(void **state)
{
    struct config config;

    (void)state;
    assert_int_equal(read_with(&config, 2, (const char *[]){"--listen", "0.0.0.0:0"}),
                     CONFIG_FAILED);
    assert_int_equal(read_with(&config, 2, (const char *[]){"--listen", "[::]:0"}), CONFIG_FAILED);
    assert_int_equal(read_with(&config, 2, (const char *[]){"--listen", "[::1]:0"}), CONFIG_RUN);
    /* SHA-256 of "abc" */
    write_file("# who\n\nann read,train "
               "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n");
    assert_int_equal(
        read_with(&config, 4, (const char *[]){"--listen", "0.0.0.0:0", "--tokens", file_name}),
        CONFIG_RUN);
    const struct config_token *token = config_token_find(config.tokens, config.token_count, "abc");
    assert_non_null(token);
    assert_string_equal(token->name, "ann");
    assert_int_equal(token->scopes, SCOPE_READ | SCOPE_TRAIN);
    assert_null(config_token_find(config.tokens, config.token_count, "abd"));
    assert_null(config_token_find(config.tokens, config.token_count, ""));
}

/* A new address waits for a restart, so the tokens must suit the one in use. */
static void tokens_stay_while_a_public_address_is_in_use(void **state)
{
    static struct config running, fresh;
    char *argv[] = {(char *)(size_t) "rinkd", NULL};

    (void)state;
    assert_int_equal(read_with(&running, 0, NULL), CONFIG_RUN);
    assert_true(config_read_again(1, argv, &running, &fresh));
    snprintf(running.address, sizeof running.address, "0.0.0.0");
    assert_false(config_read_again(1, argv, &running, &fresh));
}

static void bad_token_files_are_refused(void **state)
{
    static const char *const files[] = {
        "",
        "ann read\n",
        "ann write ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n",
        "ann read ba7816\n",
        "ann read xa7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n",
        "a\"n read ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n",
        "ann read " ABC " more\n",
        "ann read " ABC " jobs\n",
        "ann read " ABC " jobs=\n",
        "ann read " ABC " jobs=0\n",
        "ann read " ABC " cores=-1\n",
        "ann read " ABC " bytes=1k\n",
        "ann read " ABC " bytes=99999999999999999999\n",
        "ann read " ABC " expires=soon\n",
        "ann read " ABC " expires=2027-02-29\n",
        "ann read " ABC " expires=2027-01-31T12:00:00\n",
        "ann read " ABC " expires=2027-01-31T12:00:00+0100\n",
        "ann read " ABC " jobs=1\nann read " ABD "\n",
        "ann read " ABC " jobs=1 jobs=2\n",
        "ann read " ABC " expires=2027-01-31 expires=2028-01-31\n",
        "ann read " ABC "\nbob admin " ABC "\n",
        "ann read " ABC "\nann read " ABC " expires=2027-01-31\n"};
    struct config config;

    (void)state;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        write_file(files[k]);
        if (read_with(&config, 2, (const char *[]){"--tokens", file_name}) != CONFIG_FAILED)
            fail_msg("%s", files[k]);
    }
    /* A folder is read as a file is: with an error, not as one that has no more lines. */
    assert_int_equal(read_with(&config, 2, (const char *[]){"--tokens", "/"}), CONFIG_FAILED);
}

/* What follows the first kilobyte of a comment is no line of its own. */
static void long_lines_are_one_line(void **state)
{
    char text[4096] = "#";
    struct config config;

    (void)state;
    memset(text + 1, ' ', 1022);
    snprintf(text + 1023, sizeof text - 1023, "bob admin " ABD "\nann read " ABC "\n");
    write_file(text);
    assert_int_equal(read_with(&config, 2, (const char *[]){"--tokens", file_name}), CONFIG_RUN);
    assert_int_equal(config.token_count, 1);
    assert_string_equal(config.tokens[0].name, "ann");
}

static void tokens_have_limits_and_expire(void **state)
{
    static struct config config;

    (void)state;
    write_file("ann train " ABC " jobs=100 bytes=1000000 cores=8 expires=2027-01-31\n"
               "ann read " ABD
               " cores=8 jobs=100 bytes=1000000 expires=2027-01-31T01:30:00.5+01:00\n"
               "bob read " ABE "\n"
               "old read " ABF " expires=1970-01-01\n");
    assert_int_equal(read_with(&config, 2, (const char *[]){"--tokens", file_name}), CONFIG_RUN);
    assert_int_equal(config.token_count, 4);
    assert_int_equal(config.tokens[3].expires_ms, 1); /* 0 would be never */
    for (int k = 0; k < 2; k++) {
        assert_int_equal(config.tokens[k].limits.jobs, 100);
        assert_int_equal(config.tokens[k].limits.bytes, 1000000);
        assert_int_equal(config.tokens[k].limits.cores, 8);
    }
    /* date -d 2027-01-31T00:00:00Z +%s */
    assert_int_equal(config.tokens[0].expires_ms, 1801353600000);
    assert_int_equal(config.tokens[1].expires_ms, 1801353600000 + 30 * 60000 + 500);
    assert_int_equal(config.tokens[2].expires_ms, 0);
    assert_int_equal(config.tokens[2].limits.jobs + config.tokens[2].limits.cores, 0);
}

/* Anyone who can write it can create tokens. */
static void a_token_file_that_others_can_write_is_refused(void **state)
{
    struct config config;

    (void)state;
    write_file("ann read ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n");
    assert_int_equal(chmod(file_name, 0620), 0);
    assert_int_equal(read_with(&config, 2, (const char *[]){"--tokens", file_name}), CONFIG_FAILED);
    assert_int_equal(chmod(file_name, 0644), 0); /* only hashes, so reading is harmless */
    assert_int_equal(read_with(&config, 2, (const char *[]){"--tokens", file_name}), CONFIG_RUN);
    assert_int_equal(chmod(file_name, 0600), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_later_source_counts, clear),
        cmocka_unit_test_setup(mistakes_are_refused_wherever_they_are, clear),
        cmocka_unit_test_setup(a_public_address_needs_a_token, clear),
        cmocka_unit_test_setup(long_lines_are_one_line, clear),
        cmocka_unit_test_setup(tokens_stay_while_a_public_address_is_in_use, clear),
        cmocka_unit_test_setup(tokens_have_limits_and_expire, clear),
        cmocka_unit_test_setup(bad_token_files_are_refused, clear),
        cmocka_unit_test_setup(a_token_file_that_others_can_write_is_refused, clear),
    };
    int fd = mkstemp(file_name);

    if (fd < 0)
        return 1;
    close(fd);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file_name);
    return failed;
}
