/* Files by their hash: a file of a job that is gone is served from the blob that it once was, and
 * uploads go on where they were. */
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

/* ---- pieces ---- */

/* Adds bytes from … to … - 1 of all; returns how many are here then. */
static int64_t add_piece(const struct files *files, int from, int to, enum api_error expected)
{
    char path[96], text[BYTES + 1];
    int64_t have = -1;

    snprintf(path, sizeof path, "%s/piece", files->folder);
    snprintf(text, sizeof text, "%.*s", to - from, bytes + from);
    write_bytes(path, "we", text);
    const struct blob_piece piece = {path, from, to - from, BYTES};
    assert_int_equal(blob_add(files->folder, files->sha256, &piece, &have), expected);
    return have;
}

static void assert_is_kept(const struct files *files)
{
    char path[BLOB_PATH_MAX], text[BYTES + 1] = "";
    int64_t size = 0;

    assert_true(blob_find(files->folder, files->sha256, path, &size));
    assert_int_equal(size, BYTES);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, BYTES, file), BYTES);
    fclose(file);
    assert_string_equal(text, bytes);
}

static void upload_path(const struct files *files, const char *suffix, char ret_path[256])
{
    snprintf(ret_path, 256, "%s/blobs/%s.upload%s", files->folder, files->sha256, suffix);
}

/* The daemon was killed between the bytes and the note of them. */
static void bytes_that_were_not_noted_come_again(void **state)
{
    const struct files *files = *state;
    char path[256];

    assert_int_equal(add_piece(files, 0, 5, API_OK), 5);
    upload_path(files, "", path);
    write_bytes(path, "ae", "torn bytes that are longer than all of the blob");
    assert_int_equal(add_piece(files, 10, 15, API_STATE), 5);
    assert_int_equal(add_piece(files, 3, 10, API_OK), 10);
    assert_int_equal(add_piece(files, 10, BYTES, API_OK), BYTES);
    assert_is_kept(files);
}

static void an_upload_without_its_note_begins_anew(void **state)
{
    const struct files *files = *state;
    char path[256];

    assert_int_equal(add_piece(files, 0, 5, API_OK), 5);
    upload_path(files, ".progress", path);
    write_bytes(path, "we", "");
    assert_int_equal(add_piece(files, 5, 10, API_STATE), 0);
    assert_int_equal(add_piece(files, 0, 5, API_OK), 5);
    assert_int_equal(add_piece(files, 5, BYTES, API_OK), BYTES);
    assert_is_kept(files);
}

static void a_wrong_byte_in_any_piece_drops_all(void **state)
{
    const struct files *files = *state;
    struct files other = *files;
    int64_t size;
    char path[BLOB_PATH_MAX];

    memset(other.sha256, 'b', BLOB_SHA256_MAX - 1);
    assert_int_equal(add_piece(&other, 0, 5, API_OK), 5);
    assert_int_equal(add_piece(&other, 5, BYTES, API_BAD_FIELD), 0);
    assert_false(blob_find(files->folder, other.sha256, path, &size));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(a_file_that_is_gone_is_served_from_its_blob),
        TEST(bytes_that_were_not_noted_come_again),
        TEST(an_upload_without_its_note_begins_anew),
        TEST(a_wrong_byte_in_any_piece_drops_all),
    };

    if (sodium_init() < 0)
        return 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
