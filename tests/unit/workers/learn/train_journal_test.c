/* The journal of a training while other processes are at it too. */
#include "workers/learn/train_journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64], path[96];

/* The program is linked with --wrap=flock: before the lock is asked for, this is done once. */
int __wrap_flock(int fd, int operation);
int __real_flock(int fd, int operation);
static void (*before_lock)(void);

int __wrap_flock(int fd, int operation)
{
    void (*now)(void) = before_lock;
    before_lock = NULL;
    if (now)
        now();
    return __real_flock(fd, operation);
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* As train_journal_keep() does, in a process that ends then. */
static void rewrite(void)
{
    char other[sizeof path + 4];
    snprintf(other, sizeof other, "%s.tmp", path);
    write_file(other, "{\"run\":\"kept\"}\n");
    assert_int_equal(rename(other, path), 0);
}

static void take_away(void)
{
    assert_int_equal(unlink(path), 0);
}

static struct train_journal *open_during(void (*others)(void))
{
    char error[TRAIN_ERROR_MAX];
    write_file(path, "{\"run\":\"old\"}\n{\"run\":\"older\"}\n");
    before_lock = others;
    struct train_journal *journal = train_journal_open(folder, error);
    if (!journal)
        fail_msg("%s", error);
    return journal;
}

/* What is locked, read and written is the file that is there. */
static void assert_is_ours(struct train_journal *journal)
{
    char error[TRAIN_ERROR_MAX], line[64];
    assert_null(train_journal_open(folder, error));
    assert_non_null(strstr(error, "is being written by another process"));
    size_t lines = train_journal_lines(journal);
    assert_int_equal(train_journal_add(journal, json_pack("{s:s}", "run", "new"), error), TRAIN_OK);
    train_journal_close(journal);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    for (size_t k = 0; k <= lines; k++)
        assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "{\"run\":\"new\"}\n");
    fclose(file);
}

static void a_journal_that_is_rewritten_meanwhile_is_opened_anew(void **state)
{
    (void)state;
    struct train_journal *journal = open_during(rewrite);
    assert_int_equal(train_journal_lines(journal), 1);
    assert_string_equal(json_string_value(json_object_get(train_journal_line(journal, 0), "run")),
                        "kept");
    assert_is_ours(journal);

    journal = open_during(take_away);
    assert_int_equal(train_journal_lines(journal), 0);
    assert_is_ours(journal);
}

/* Its owner's lock is on the file that it has put in the place of the old one. */
static void a_journal_stays_its_owners_when_it_is_rewritten(void **state)
{
    static const bool keep[] = {false, true};
    char error[TRAIN_ERROR_MAX];
    (void)state;
    struct train_journal *journal = open_during(NULL);
    assert_int_equal(train_journal_lines(journal), 2);
    assert_int_equal(train_journal_keep(journal, keep, error), TRAIN_OK);
    assert_null(train_journal_open(folder, error));
    train_journal_close(journal);
    journal = train_journal_open(folder, error);
    assert_non_null(journal);
    assert_int_equal(train_journal_lines(journal), 1);
    train_journal_close(journal);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/rinkd-journal-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/" TRAIN_JOURNAL_NAME, folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_journal_that_is_rewritten_meanwhile_is_opened_anew),
        cmocka_unit_test(a_journal_stays_its_owners_when_it_is_rewritten),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
