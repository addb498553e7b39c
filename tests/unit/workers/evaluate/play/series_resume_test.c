/* An existing file of records: resumed where it was cut off, refused and left alone if it is
 * damaged or belongs to another series. */
#include "tests/slow.h"
#include "tests/unit/short_lines.h"
#include "tests/unit/workers/evaluate/play/toy_series.h"

#include <signal.h>
#include <sys/resource.h>

static void a_file_cut_off_anywhere_is_resumed(void **state)
{
    skip_one_thread();
    (void)state;
    static struct outcome whole, resumed;
    struct series series = series_of(2, 2, 1, path);
    size_t length;

    series.setting.luck = few_throws;
    write_nothing();
    run(&series, &whole);
    char *records = read_file(&length), *wanted = record_text_timeless(read_file(NULL));
    for (size_t cut = 0; cut <= length; cut++) {
        /* Every byte around the ends of lines, every 397th elsewhere. */
        bool at_end = false;
        for (size_t k = cut > 2 ? cut - 2 : 0; k < cut + 2 && k < length; k++)
            at_end = at_end || records[k] == '\n';
        if (!at_end && cut % 397 != 0)
            continue;
        write_file(records, cut);
        run(&series, &resumed);
        if (resumed.status != SERIES_OK)
            fail_msg("cut at %zu of %zu: %s", cut, length, resumed.error);
        assert_same(&whole, &resumed);
        char *again = record_text_timeless(read_file(NULL));
        assert_string_equal(wanted, again);
        free(again);
    }
    free(wanted);
    free(records);
}

/* A power failure can leave zeros or bytes of other files in a file's last blocks. */
static void a_tail_of_zeros_or_garbage_is_cut_off(void **state)
{
    skip_one_thread();
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
    } tails[] = {{"\0\0\0\0\0\0\0\0", 8},
                 {"\0\0\0\0\n\0\0\n", 8},
                 {"\x7f"
                  "ELF\2\n{}\n",
                  9},
                 {"{\"record\":\"shot\",\0\0\n\0", 21},
                 {"{\"record\":\"pair\",\0\0\n{}\n", 23}};
    static struct outcome whole, resumed;
    struct series series = series_of(2, 2, 1, path);
    size_t length;

    write_nothing();
    run(&series, &whole);
    char *records = read_file(&length), *wanted = record_text_timeless(read_file(NULL));
    size_t header = strcspn(records, "\n") + 1, cuts[] = {header, header + 5000, length};
    char *bytes = calloc(1, length + 64);
    for (size_t k = 0; k < 3 * sizeof tails / sizeof tails[0]; k++) {
        size_t cut = cuts[k % 3];
        while (records[cut - 1] != '\n')
            cut--;
        memcpy(bytes, records, cut);
        memcpy(bytes + cut, tails[k / 3].bytes, tails[k / 3].length);
        write_file(bytes, cut + tails[k / 3].length);
        run(&series, &resumed);
        if (resumed.status != SERIES_OK)
            fail_msg("tail %zu behind %zu: %s", k / 3, cut, resumed.error);
        assert_same(&whole, &resumed);
        char *again = record_text_timeless(read_file(NULL));
        assert_string_equal(wanted, again);
        free(again);
    }
    /* The whole header, half of it and none; it reaches the disk before anything else. */
    for (size_t cut = 0; cut <= 40; cut += 40) {
        memset(bytes, 0, header);
        memcpy(bytes, records, cut);
        write_file(bytes, header);
        run(&series, &resumed);
        assert_int_equal(resumed.status, SERIES_OK);
        assert_same(&whole, &resumed);
    }
    free(bytes);
    free(wanted);
    free(records);
}

static int64_t fresh, repeated;

static bool count_both(void *context, int64_t index, const struct pair_result *result, bool resumed)
{
    (void)context;
    (void)result;
    assert_int_equal(index, fresh + repeated);
    *(resumed ? &repeated : &fresh) += 1;
    return true;
}

static void finished_pairs_are_not_played_again_and_more_can_be_added(void **state)
{
    (void)state;
    static struct outcome few, more, all;
    struct series series = series_of(3, 5, 2, path);

    write_nothing();
    run(&series, &few);
    series.pairs = 20;
    series.finished = count_both;
    fresh = repeated = 0;
    run(&series, &more);
    assert_int_equal(repeated, 15);
    assert_int_equal(fresh, 45);
    series.finished = NULL;
    series.records = NULL;
    run(&series, &all);
    assert_same(&all, &more);

    /* A shorter series leaves a longer file as it is. */
    char *before = read_file(NULL);
    series.records = path;
    series.pairs = 5;
    atomic_store(&cancel, false);
    run(&series, &more);
    assert_same(&few, &more);
    char *after = read_file(NULL);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void another_setting_is_refused_and_named(void **state)
{
    skip_one_thread();
    (void)state;
    static struct outcome outcome;
    struct series good = series_of(2, 2, 1, path), other;

    write_nothing();
    run(&good, &outcome);
    char *before = read_file(NULL);
    other = good;
    other.setting.seed = 8;
    run(&other, &outcome);
    assert_int_equal(outcome.status, SERIES_FAILED);
    assert_non_null(strstr(outcome.error, "its seed is \"7\", not \"8\""));
    other = good;
    other.setting.ends = 2;
    run(&other, &outcome);
    assert_non_null(strstr(outcome.error, "its ends is 1, not 2"));
    other = good;
    other.setting.limits.simulations = 5;
    run(&other, &outcome);
    assert_non_null(strstr(outcome.error, "its simulations is 0, not 5"));
    other = good;
    other.setting.noise.gat_stddev_x_m = 0.1;
    run(&other, &outcome);
    assert_non_null(strstr(outcome.error, "its noise is"));
    other = good;
    other.setting.luck = few_throws;
    run(&other, &outcome);
    assert_non_null(strstr(outcome.error, "its luck is 0, not 2"));
    other = good;
    other.player_count = 3;
    run(&other, &outcome);
    assert_non_null(strstr(outcome.error, "its players is"));
    char *after = read_file(NULL);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* The same spec may mean another player: its model file was replaced, or the default of an omitted
 * setting changed. */
static void another_player_of_the_same_name_is_refused_and_named(void **state)
{
    skip_one_thread();
    (void)state;
    static struct outcome outcome;
    const struct player_setting changed_settings[] = {
        {"spread", SETTING_NUMBER, 0.25, 0.0, 100.0, NULL, "of its targets, metres"},
        {"concedes", SETTING_BOOL, 0.0, 0.0, 1.0, NULL, "gives up at shot 10"},
        {0}};
    const struct player_class changed = {
        .name = "toy", .about = "draws", .settings = changed_settings, .choose = toy_choose};
    struct series series = series_of(2, 2, 1, path);

    three[0] = toy(0.5);
    three[1] = toy(0.0); /* its default */
    memset(three[0].weights_sha256, 'a', 64);
    write_nothing();
    run(&series, &outcome);
    assert_int_equal(outcome.status, SERIES_OK);
    char *before = read_file(NULL);
    assert_non_null(strstr(before, "\"settings\":[{\"spread\":0.5"));

    three[0].weights_sha256[63] = 'b';
    run(&series, &outcome);
    assert_int_equal(outcome.status, SERIES_FAILED);
    assert_non_null(
        strstr(outcome.error, "player 0 (toy:spread=0.5): its weights_sha256 is \"aaa"));
    three[0].weights_sha256[63] = 'a';
    three[1] = (struct player){.class = &changed, .setting = {0.25}};
    run(&series, &outcome);
    assert_int_equal(outcome.status, SERIES_FAILED);
    assert_non_null(strstr(outcome.error, "player 1 (toy): its spread is 0.0, not 0.25"));
    char *after = read_file(NULL);
    assert_string_equal(before, after);
    free(after);

    /* In the form of earlier versions. */
    three[1] = toy(0.0);
    char *settings = strstr(before, ",\"settings\":["), *end = strchr(settings, ']') + 1;
    memmove(settings, end, strlen(end) + 1);
    write_file(before, strlen(before));
    run(&series, &outcome);
    assert_int_equal(outcome.status, SERIES_FAILED);
    assert_non_null(strstr(outcome.error, "was written by an earlier version"));
    after = read_file(NULL);
    assert_string_equal(before, after);
    free(after);
    free(before);
}

static void other_peoples_files_are_left_alone(void **state)
{
    (void)state;
    static struct outcome outcome;
    struct series series = series_of(2, 2, 1, path);
    static const char *const texts[] = {"dear diary",
                                        "dear diary\nit rained\n",
                                        "{}\n",
                                        "\n",
                                        "{",
                                        "{\"record\":",
                                        "{\"record\":\"header\"}\n",
                                        "{\"record\":\"header\"}",
                                        "{\"record\":\"heaven"};

    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        write_file(texts[k], strlen(texts[k]));
        run(&series, &outcome);
        assert_int_equal(outcome.status, SERIES_FAILED);
        assert_int_equal(outcome.count, 0);
        assert_non_null(strstr(outcome.error, path));
        char *after = read_file(NULL);
        assert_string_equal(texts[k], after);
        free(after);
    }
    /* Zeros, more than a header could have; alone and after the start of one. */
    size_t length;
    char zeros[10000] = "{\"record\":\"header\",\"version\":1";
    for (int k = 0; k < 2; k++) {
        write_file(zeros, sizeof zeros);
        run(&series, &outcome);
        assert_int_equal(outcome.status, SERIES_FAILED);
        char *after = read_file(&length);
        assert_int_equal(length, sizeof zeros);
        assert_memory_equal(after, zeros, length);
        free(after);
        memset(zeros, 0, sizeof zeros);
    }
    series.records = "/nowhere/records.jsonl";
    run(&series, &outcome);
    assert_non_null(strstr(outcome.error, "No such file"));
}

static void a_damaged_line_is_named(void **state)
{
    skip_one_thread();
    (void)state;
    static struct outcome outcome;
    struct series series = series_of(2, 2, 1, path);
    static const char *const damages[][2] = {{"\"half_points\":", "\"half_pints\":"},
                                             {"{\"record\":\"pair\"", "{\"record\":\"pear\""},
                                             {"\"pair\":0,\"games\"", "\"pair\":1,\"games\""},
                                             {"{\"record\":\"shot\"", "{\"record\":\"shoe\""}};

    for (size_t k = 0; k < 4; k++) {
        write_nothing();
        run(&series, &outcome);
        char *bytes = read_file(NULL), *at = strstr(bytes, damages[k][0]);
        assert_non_null(at);
        if (strlen(damages[k][0]) == strlen(damages[k][1]))
            memcpy(at, damages[k][1], strlen(damages[k][1]));
        else
            at[9] = '!';
        write_file(bytes, strlen(bytes));
        run(&series, &outcome);
        assert_int_equal(outcome.status, SERIES_FAILED);
        assert_non_null(strstr(outcome.error, k == 3 ? ": line 2 is not" : ": line 34 is not"));
        char *after = read_file(NULL);
        assert_string_equal(bytes, after);
        free(after);
        free(bytes);
    }
}

/* Whole pairs after a line of bad JSON are not discarded with it. */
static void damage_before_whole_pairs_is_named(void **state)
{
    skip_one_thread();
    (void)state;
    static struct outcome outcome;
    struct series series = series_of(2, 5, 1, path);
    size_t length;

    write_nothing();
    run(&series, &outcome);
    char *records = read_file(&length);
    /* Zeros in the middle of a shot's line, or across lines into the middle of another one. */
    for (size_t zeros = 10; zeros <= 4096; zeros += 4086) {
        char *bytes = malloc(length), said[64];
        size_t at = length / 3;
        memcpy(bytes, records, length);
        memset(bytes + at, 0, zeros);
        int line = 1;
        for (size_t k = 0; k < at; k++)
            line += bytes[k] == '\n';
        snprintf(said, sizeof said, ": line %d is damaged", line);
        write_file(bytes, length);
        run(&series, &outcome);
        assert_int_equal(outcome.status, SERIES_FAILED);
        if (!strstr(outcome.error, said))
            fail_msg("'%s' does not say '%s'", outcome.error, said);
        size_t length_after;
        char *after = read_file(&length_after);
        assert_int_equal(length_after, length);
        assert_memory_equal(after, bytes, length);
        free(after);
        free(bytes);
    }
    free(records);
}

static bool meddle(void *context, int64_t index, const struct pair_result *result, bool resumed)
{
    static struct outcome outcome;
    struct series *other = context;
    (void)result;
    (void)resumed;
    if (index == 0) {
        run(other, &outcome);
        assert_int_equal(outcome.status, SERIES_FAILED);
        assert_non_null(strstr(outcome.error, "another process"));
    }
    return true;
}

static void two_writers_do_not_meet_in_a_file(void **state)
{
    (void)state;
    static struct outcome outcome;
    struct series series = series_of(2, 3, 1, path), other = series;

    write_nothing();
    series.finished = meddle;
    series.context = &other;
    run(&series, &outcome);
    assert_int_equal(outcome.status, SERIES_OK);
}

static void a_device_is_refused_as_record_file(void **state)
{
    (void)state;
    static struct outcome outcome;
    struct series series = series_of(2, 5, 2, "/dev/full");

    run(&series, &outcome);
    assert_int_equal(outcome.status, SERIES_FAILED);
    assert_string_equal(outcome.error, "/dev/full: is not an ordinary file");
}

/* The file is limited to 100 kB: what fits is kept, and the series continues once there is room. */
static void a_full_disk_is_reported(void **state)
{
    (void)state;
    static struct outcome cut, whole, wanted;
    struct series series = series_of(2, 20, 2, path), other = series;
    char other_path[sizeof path + 6];
    struct rlimit before, tight;

    write_nothing();
    snprintf(other_path, sizeof other_path, "%s.other", path);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = before;
    tight.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    run(&series, &cut);
    tight.rlim_cur = 10; /* too small even for the header */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    other.records = other_path;
    run(&other, &whole);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(whole.status, SERIES_FAILED);
    assert_non_null(strstr(whole.error, "File too large"));
    atomic_store(&cancel, false);
    run(&other, &whole);
    assert_int_equal(whole.status, SERIES_OK);
    assert_int_equal(unlink(other_path), 0);
    assert_int_equal(cut.status, SERIES_FAILED);
    assert_non_null(strstr(cut.error, "File too large"));
    assert_in_range(cut.count, 1, 10);

    atomic_store(&cancel, false);
    run(&series, &whole);
    assert_int_equal(whole.status, SERIES_OK);
    series.records = NULL;
    run(&series, &wanted);
    assert_same(&wanted, &whole);
}

/* A line that cannot be read is not the end: what follows it must not be cut off. */
static void short_memory_cuts_nothing_off(void **state)
{
    skip_one_thread();
    (void)state;
    static struct outcome whole, again;
    struct series series = series_of(2, 2, 1, path);
    size_t length, left;

    write_nothing();
    run(&series, &whole);
    char *records = read_file(&length);
    for (int n = 1; n <= 7; n += 3) {
        short_lines_fail(n);
        run(&series, &again);
        short_lines_fail(0);
        assert_int_equal(again.status, SERIES_FAILED);
        assert_non_null(strstr(again.error, "Cannot allocate memory"));
        char *now = read_file(&left);
        assert_int_equal(left, length);
        assert_memory_equal(now, records, length);
        free(now);
    }
    run(&series, &again);
    assert_same(&whole, &again);
    free(records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_memory_cuts_nothing_off),
        cmocka_unit_test(a_file_cut_off_anywhere_is_resumed),
        cmocka_unit_test(finished_pairs_are_not_played_again_and_more_can_be_added),
        cmocka_unit_test(another_setting_is_refused_and_named),
        cmocka_unit_test(another_player_of_the_same_name_is_refused_and_named),
        cmocka_unit_test(other_peoples_files_are_left_alone),
        cmocka_unit_test(a_tail_of_zeros_or_garbage_is_cut_off),
        cmocka_unit_test(a_damaged_line_is_named),
        cmocka_unit_test(damage_before_whole_pairs_is_named),
        cmocka_unit_test(two_writers_do_not_meet_in_a_file),
        cmocka_unit_test(a_device_is_refused_as_record_file),
        cmocka_unit_test(a_full_disk_is_reported),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
