/* Files by their hash: a file of a job that is gone is served from the blob that it once was. */
#include "service/nodes/blobs.h"

#include <setjmp.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char bytes[] = "all that a task needs";
enum { BYTES = sizeof bytes - 1 };

struct files {
    char folder[64], file[96], sha256[BLOB_SHA256_MAX];
};

static void write_bytes(const char *path, const char *mode, const char *text)
{
    FILE *file = fopen(path, mode);

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state)
{
    static struct files files;
    unsigned char sum[crypto_hash_sha256_BYTES];

    snprintf(files.folder, sizeof files.folder, "/tmp/rinkd-blobs-XXXXXX");
    if (!mkdtemp(files.folder))
        return -1;
    snprintf(files.file, sizeof files.file, "%s/input", files.folder);
    crypto_hash_sha256(sum, (const unsigned char *)bytes, BYTES);
    sodium_bin2hex(files.sha256, sizeof files.sha256, sum, sizeof sum);
    write_bytes(files.file, "we", bytes);
    *state = &files;
    return 0;
}

static int remove_folder(void **state)
{
    const struct files *files = *state;
    char command[128];

    snprintf(command, sizeof command, "rm -r %s", files->folder);
    return system(command);
}

static void a_file_that_is_gone_is_served_from_its_blob(void **state)
{
    const struct files *files = *state;
    char other[BLOB_SHA256_MAX];
    int64_t size = 0;

    assert_int_equal(blob_offer(files->folder, files->sha256, files->file, &size), API_OK);
    assert_int_equal(unlink(files->file), 0);
    size = 0;
    assert_int_equal(blob_offer(files->folder, files->sha256, files->file, &size), API_OK);
    assert_int_equal(size, BYTES);
    memset(other, 'a', BLOB_SHA256_MAX - 1);
    other[BLOB_SHA256_MAX - 1] = '\0';
    assert_int_equal(blob_offer(files->folder, other, files->file, &size), API_NOT_FOUND);
}

/* It may be the same file under another name. */
static void a_blob_that_was_changed_serves_nobody(void **state)
{
    const struct files *files = *state;
    char path[BLOB_PATH_MAX];
    int64_t size = 0;

    assert_int_equal(blob_offer(files->folder, files->sha256, files->file, &size), API_OK);
    assert_true(blob_find(files->folder, files->sha256, path, &size));
    write_bytes(path, "ae", "and more");
    assert_int_equal(unlink(files->file), 0);
    assert_int_equal(blob_offer(files->folder, files->sha256, files->file, &size), API_NOT_FOUND);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(a_file_that_is_gone_is_served_from_its_blob),
        TEST(a_blob_that_was_changed_serves_nobody),
    };

    if (sodium_init() < 0)
        return 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
