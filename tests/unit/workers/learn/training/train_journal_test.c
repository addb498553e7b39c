/* A training's journal while other processes use it too, and while memory is short. */
#include "workers/learn/training/train_journal.h"

#include "api/base/load_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { LINES = 20 };

static char folder[64], path[96];

/* The program is linked with --wrap=rename: runs this after the next call. */
int __wrap_rename(const char *from, const char *to);
int __real_rename(const char *from, const char *to);
static void (*after_rename)(void);

int __wrap_rename(const char *from, const char *to)
{
    int result = __real_rename(from, to);
    void (*now)(void) = after_rename;
    after_rename = NULL;
    if (now)
        now();
    return result;
}

/* … and with --wrap=malloc: allocations left before one fails; negative: none fails. */
void *__wrap_malloc(size_t size);
void *__real_malloc(size_t size);
static int until_failure = -1;

void *__wrap_malloc(size_t size)
{
    if (until_failure >= 0 && until_failure-- == 0)
        return NULL;
    return __real_malloc(size);
}

static void write_journal(const char *end)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    for (int k = 0; k < LINES; k++)
        assert_true(fprintf(file, "{\"run\":\"old\",\"step\":%d}\n", k) > 0);
    assert_true(fputs(end, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Returns the whole file; the caller frees it. */
static char *read_journal(void)
{
    char *text = calloc(1, 4096);
    FILE *file = fopen(path, "re");
    assert_true(text && file);
    assert_true(fread(text, 1, 4095, file) > 0);
    fclose(file);
    return text;
}

static struct train_journal *open_journal(void)
{
    char error[TRAIN_ERROR_MAX];
    struct train_journal *journal = train_journal_open(folder, TRAIN_JOURNAL_NAME, error);
    if (!journal)
        fail_msg("%s", error);
    return journal;
}

static void add_line(struct train_journal *journal, json_t *line)
{
    char error[TRAIN_ERROR_MAX];
    assert_int_equal(train_journal_add(journal, line, error), TRAIN_OK);
    json_decref(line);
}

static int refused;

static void try_to_open(void)
{
    char error[TRAIN_ERROR_MAX];
    struct train_journal *journal = train_journal_open(folder, TRAIN_JOURNAL_NAME, error);
    refused += !journal && strstr(error, "is being written by another process");
    train_journal_close(journal);
}

static void a_journal_stays_locked_while_it_is_rewritten(void **state)
{
    char error[TRAIN_ERROR_MAX];

    (void)state;
    write_journal("");
    struct train_journal *journal = open_journal();
    refused = 0;
    try_to_open();
    after_rename = try_to_open;
    json_t *kept = json_pack("[O]", json_array_get(train_journal_lines(journal), 3));
    assert_int_equal(train_journal_keep(journal, kept, error), TRAIN_OK);
    json_decref(kept);
    try_to_open();
    assert_int_equal(refused, 3);
    /* Later lines go into the new file. */
    add_line(journal, json_pack("{s:s}", "run", "new"));
    train_journal_close(journal);
    char *text = read_journal();
    assert_string_equal(text, "{\"run\":\"old\",\"step\":3}\n{\"run\":\"new\"}\n");
    free(text);
    try_to_open();
    assert_int_equal(refused, 3);
}

/* Opening a journal and finding another's training there changes nothing. */
static void a_broken_end_is_cut_when_something_follows_it(void **state)
{
    static const char *const ends[] = {"{\"run\":", "no JSON\n{\"run\":\"lost\"}\n"};
    char error[TRAIN_ERROR_MAX];

    (void)state;
    for (int k = 0; k < 2; k++) {
        write_journal(ends[k]);
        char *before = read_journal();
        struct train_journal *journal = open_journal();
        assert_int_equal(json_array_size(train_journal_lines(journal)), LINES);
        json_t *all = json_copy((json_t *)train_journal_lines(journal));
        assert_int_equal(train_journal_keep(journal, all, error), TRAIN_OK);
        json_decref(all);
        train_journal_close(journal);
        char *after = read_journal();
        assert_string_equal(before, after);
        free(after);

        journal = open_journal();
        add_line(journal, json_pack("{s:i}", "run", 1));
        add_line(journal, json_pack("{s:i}", "run", 2));
        train_journal_close(journal);
        after = read_journal();
        const char *added = after + strlen(before) - strlen(ends[k]);
        assert_string_equal(added, "{\"run\":1}\n{\"run\":2}\n");
        free(after);
        free(before);
    }
}

/* Memory shortage while reading must not make lines count as damaged. */
static void short_memory_loses_no_lines(void **state)
{
    int failures = 0;
    bool was_short = true;

    (void)state;
    write_journal("");
    char *before = read_journal();
    for (int k = 0; was_short; k++) {
        char error[TRAIN_ERROR_MAX];
        until_failure = k;
        struct train_journal *journal = train_journal_open(folder, TRAIN_JOURNAL_NAME, error);
        was_short = until_failure < 0;
        until_failure = -1;
        if (journal)
            assert_int_equal(json_array_size(train_journal_lines(journal)), LINES);
        failures += !journal;
        train_journal_close(journal);
        char *after = read_journal();
        assert_string_equal(after, before);
        free(after);
        assert_true(k < 10000);
    }
    assert_true(failures > LINES);
    free(before);
}

static int make_folder(void **state)
{
    (void)state;
    load_json_begin();
    strcpy(folder, "/tmp/rinkd-journal-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/" TRAIN_JOURNAL_NAME, folder);
    return 0;
}

static int remove_folder(void **state)
{
    char lock[96];

    (void)state;
    snprintf(lock, sizeof lock, "%s/.lock", folder);
    return unlink(path) != 0 || unlink(lock) != 0 || rmdir(folder) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_journal_stays_locked_while_it_is_rewritten),
        cmocka_unit_test(a_broken_end_is_cut_when_something_follows_it),
        cmocka_unit_test(short_memory_loses_no_lines),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
