/* A working day of the store, repeated with the failure one operation later each time: each write
 * and sync, each allocation, and a power cut at each sync. After every failure an error is
 * returned, nothing committed is lost, the file is sound and the next request works. */
#include "tests/unit/service/store/stage.h"

#include "service/store/registry.h"
#include "service/store/results.h"
#include "service/store/runs.h"
#include "tests/slow.h"
#include "tests/unit/service/store/faults.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The successes reported to callers. */
struct told {
    int64_t added[8], done[8];
    int adds, dones;
    bool copied;
};

static const char match_result[] =
    "{\"profile\":\"dc2\",\"noise\":\"gat\",\"ends\":2,\"seed\":0,\"pentanomial\":[0,1,2,1,0],"
    "\"a\":{\"player\":\"random\"},\"b\":{\"player\":\"ai-simple\"}}";

static enum api_error end(struct store *store, enum api_error error)
{
    if (error == API_OK)
        return store_commit(store);
    store_rollback(store);
    return error;
}

static enum api_error add_three(struct store *store, int64_t *ret_ids)
{
    struct job_new job = {.kind = "match", .spec = "{\"pairs\":4}"};
    enum api_error error = store_begin(store);

    for (int k = 0; k < 3 && error == API_OK; k++) {
        error = store_savepoint(store);
        if (error == API_OK)
            error = job_store_add(store, &job, 1000, &ret_ids[k]);
        if (error == API_OK)
            error = store_release(store);
        else
            store_undo(store);
    }
    return end(store, error);
}

static enum api_error claim_one(struct store *store, int64_t now_ms, struct job_claim *ret_claim)
{
    static const char *const kinds[] = {"match", NULL};
    struct job_claim claim = {.id = 0};
    enum api_error error = store_begin(store);

    if (error == API_OK)
        error = job_store_claim(store, kinds, NULL, now_ms, 30, &claim);
    error = end(store, error);
    if (error == API_OK)
        *ret_claim = claim;
    else
        job_claim_free(&claim);
    return error;
}

static enum api_error work(struct store *store, const struct job_claim *claim)
{
    char run[RUN_ID_MAX];
    struct run_new make = {.job = claim->id, .seed = 1, .spec = "{}", .versions = "{}"};
    struct model_new model = {
        .name = "champion-1",
        .sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        .card = "{}"};
    json_t *tags = json_pack("{s:s}", "why", "test");
    enum api_error error = tags ? store_begin(store) : API_NO_MEMORY;

    if (error == API_OK)
        error = job_store_beat(store, claim->id, claim->token, 1001, 30, 0.5, 2.0);
    if (error == API_OK)
        error = job_store_checkpoint(store, claim->id, claim->token, "{\"step\":1}", 1001);
    if (error == API_OK)
        error = run_store_add(store, &make, 1001, run);
    for (int step = 0; step < 20 && error == API_OK; step++) {
        struct run_metric metric = {.run = run, .name = "loss", .step = step, .value = step};
        error = run_store_metric(store, claim->id, &metric, 1001);
    }
    if (error == API_OK)
        error = run_store_tag(store, run, tags);
    if (error == API_OK)
        error = model_store_add(store, &model, 1001);
    json_decref(tags);
    return end(store, error);
}

static enum api_error finish_one(struct store *store, const struct job_claim *claim)
{
    enum api_error error = store_begin(store);

    if (error == API_OK)
        error = job_store_finish(store, claim->id, claim->token, match_result, false, 1002);
    if (error == API_OK)
        error = results_keep(store, claim->id, "match", match_result, 1002);
    if (error == API_OK)
        error = job_store_log(store, claim->id, "all is well");
    return end(store, error);
}

static enum api_error look(struct store *reader, int64_t id)
{
    struct store_page page = {.limit = 2};
    char *log;
    json_t *answer;
    enum api_error error = job_store_get(reader, id, &answer);

    if (error == API_OK)
        json_decref(answer);
    if (error == API_OK)
        error = job_store_list(reader, &(struct job_filter){.kind = "match"}, &page);
    if (error != API_OK)
        return error;
    json_decref(page.items);
    error = run_store_list(reader, 0, &page);
    if (error != API_OK)
        return error;
    json_decref(page.items);
    error = job_store_read_log(reader, id, &log);
    if (error != API_OK)
        return error;
    free(log);
    error = results_pairings(reader, &(const struct ladder_games){"dc2", 2, 0}, &answer);
    if (error == API_OK)
        json_decref(answer);
    return error;
}

/* Runs the day; continues after failures as the daemon would, and returns the first one. */
static enum api_error go_through_a_day(const char *folder, struct told *told)
{
    char why[STORE_ERROR_MAX], path[128];
    struct store *store, *reader = NULL;
    int64_t ids[3];
    enum api_error first = store_open(folder, false, &store, why), error;

    if (first != API_OK)
        return first;
    first = store_open_reader(folder, &reader);
    for (int round = 0; round < 2; round++) {
        struct job_claim claim;
        error = add_three(store, ids);
        for (int k = 0; k < 3 && error == API_OK; k++)
            told->added[told->adds++] = ids[k];
        first = first == API_OK ? error : first;
        error = claim_one(store, 1000, &claim);
        if (error == API_OK) {
            error = work(store, &claim);
            /* The second time the model's name is taken. */
            first = first == API_OK && error != API_EXISTS ? error : first;
            error = finish_one(store, &claim);
            if (error == API_OK)
                told->done[told->dones++] = claim.id;
            if (error == API_OK && reader)
                error = look(reader, claim.id);
            job_claim_free(&claim);
        }
        first = first == API_OK ? error : first;
    }
    if (reader) {
        snprintf(path, sizeof path, "%s/copy.db", folder);
        error = store_backup(reader, path);
        told->copied = error == API_OK;
        first = first == API_OK ? error : first;
    }
    store_close(reader);
    store_close(store);
    return first;
}

/* With the fault over, everything reported is stored, and work continues. */
static void check_what_is_there(const char *folder, const struct told *told)
{
    char why[STORE_ERROR_MAX] = "", path[128];
    struct store *store;
    struct told next = {.adds = 0};
    json_t *job;

    if (store_open(folder, false, &store, why) != API_OK)
        fail_msg("%s", why);
    for (int k = 0; k < told->adds; k++) {
        assert_int_equal(job_store_get(store, told->added[k], &job), API_OK);
        json_decref(job);
    }
    for (int k = 0; k < told->dones; k++) {
        assert_int_equal(job_store_get(store, told->done[k], &job), API_OK);
        assert_string_equal(json_string_value(json_object_get(job, "state")), "done");
        assert_true(json_is_object(json_object_get(job, "result")));
        json_decref(job);
    }
    store_close(store);
    assert_true(stage_is_sound(folder));
    snprintf(path, sizeof path, "%s/copy.db", folder);
    remove(path);
    assert_int_equal(go_through_a_day(folder, &next), API_OK);
    assert_int_equal(next.adds, 6);
    assert_true(next.copied);
}

static void the_scenario_passes_without_faults(void **state)
{
    char folder[64];
    struct told told = {.adds = 0};

    (void)state;
    stage_make_folder(folder);
    assert_int_equal(go_through_a_day(folder, &told), API_OK);
    assert_int_equal(told.adds, 6);
    assert_int_equal(told.dones, 2);
    check_what_is_there(folder, &told);
    stage_remove_folder(folder);
}

/* Runs days with the fault at n = first, first + step, …, until a day has fewer than n operations.
 * Returns that n. */
static int until_no_fault(enum faults_disk kind, int first, int step)
{
    for (int n = first;; n += step) {
        char folder[64];
        struct told told = {.adds = 0};

        stage_make_folder(folder);
        faults_disk(kind, n, folder);
        enum api_error error = go_through_a_day(folder, &told);
        bool happened = faults_happened();
        if (kind == DISK_POWER_LOSS)
            faults_cut_power();
        faults_disk(DISK_GOOD, 0, "");
        if (error != API_OK)
            assert_true(error == API_STORAGE);
        check_what_is_there(folder, &told);
        stage_remove_folder(folder);
        if (!happened) {
            assert_int_equal(error, API_OK);
            return n;
        }
    }
}

/* Without --all each second operation fails once, and at each of the others the disk breaks; slow
 * builds leave two of three out. */
static bool all = false;
enum { STEP = 2 * SLOW_OR(3, 1) };

static void each_write_and_sync_fails_once(void **state)
{
    (void)state;
    assert_true(until_no_fault(DISK_FULL_ONCE, 1, all ? 1 : STEP) > 40);
}

static void the_disk_breaks_at_each_write_and_sync(void **state)
{
    (void)state;
    assert_true(until_no_fault(DISK_BROKEN, all ? 1 : 1 + STEP / 2, all ? 1 : STEP) > 40);
}

static void the_power_goes_at_each_sync(void **state)
{
    (void)state;
    assert_true(until_no_fault(DISK_POWER_LOSS, 1, all ? 1 : SLOW_OR(2, 1)) > 8);
}

static void a_failed_commit_leaves_the_store_usable(void **state)
{
    char folder[64], why[STORE_ERROR_MAX];
    struct store *store;
    int64_t ids[3], counts[JOB_STATES];

    (void)state;
    for (int n = 1;; n++) {
        stage_make_folder(folder);
        assert_int_equal(store_open(folder, false, &store, why), API_OK);
        faults_disk(DISK_FULL_ONCE, n, folder);
        enum api_error error = add_three(store, ids);
        bool happened = faults_happened();
        faults_disk(DISK_GOOD, 0, "");
        assert_int_equal(error, happened ? API_STORAGE : API_OK);
        assert_int_equal(job_store_counts(store, counts), API_OK);
        assert_int_equal(counts[JOB_READY], happened ? 0 : 3);
        assert_int_equal(add_three(store, ids), API_OK);
        assert_int_equal(job_store_counts(store, counts), API_OK);
        assert_int_equal(counts[JOB_READY], happened ? 3 : 6);
        store_close(store);
        assert_true(stage_is_sound(folder));
        stage_remove_folder(folder);
        if (!happened) {
            assert_true(n > 4);
            return;
        }
    }
}

/* Allocations are tried one by one up to this number, then in growing steps. */
static int growth = SLOW_OR(2, 5);

static void each_allocation_fails(void **state, bool for_ever)
{
    (void)state;
    for (int n = 1;; n += 1 + n / growth) {
        char folder[64];
        struct told told = {.adds = 0};

        stage_make_folder(folder);
        faults_memory(n, for_ever);
        enum api_error error = go_through_a_day(folder, &told);
        bool happened = faults_happened();
        faults_memory(0, false);
        if (happened) /* SQLite can do without some allocations; disk errors hide others */
            assert_true(error == API_OK || error == API_NO_MEMORY || error == API_STORAGE ||
                        error == API_BAD_FIELD || error == API_INTERNAL);
        check_what_is_there(folder, &told);
        stage_remove_folder(folder);
        if (!happened) {
            assert_int_equal(error, API_OK);
            assert_true(n > 1000);
            return;
        }
    }
}

static void each_allocation_fails_once(void **state)
{
    each_allocation_fails(state, false);
}

static void memory_runs_out_at_each_allocation(void **state)
{
    each_allocation_fails(state, true);
}

/* --all tries each operation of the disk and each allocation, which takes some minutes. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scenario_passes_without_faults),
        cmocka_unit_test(each_write_and_sync_fails_once),
        cmocka_unit_test(the_disk_breaks_at_each_write_and_sync),
        cmocka_unit_test(the_power_goes_at_each_sync),
        cmocka_unit_test(a_failed_commit_leaves_the_store_usable),
        cmocka_unit_test(each_allocation_fails_once),
        cmocka_unit_test(memory_runs_out_at_each_allocation),
    };
    all = argc > 1 && strcmp(argv[1], "--all") == 0;
    if (all)
        growth = INT_MAX;
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
