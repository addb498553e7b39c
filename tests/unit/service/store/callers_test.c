/* Owners of jobs: their turns, places in the line, limits of cores, and what the table of callers
 * says. */
#include "api/base/clock.h"
#include "schema/schema.h"
#include "service/store/callers.h"
#include "tests/unit/service/store/job_events.h"
#include "tests/unit/service/store/stage.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"train", "match", "diagnose", NULL};

static int64_t add(struct stage *s, const char *owner, const char *kind, int priority,
                   const char *spec)
{
    struct job_new job = {.kind = kind, .spec = spec, .priority = priority, .owner = owner};
    int64_t id = 0;

    assert_int_equal(IN_COMMIT(s, job_store_add(s->store, &job, 1000, &id)), API_OK);
    return id;
}

/* Claims the next job; 0: none may start. */
static int64_t claim(struct stage *s, const struct job_limits *limits)
{
    struct job_claim claim;
    enum api_error error = IN_COMMIT(s, job_store_claim(s->store, kinds, limits, 2000, 30, &claim));

    if (error == API_NOT_FOUND)
        return 0;
    assert_int_equal(error, API_OK);
    int64_t id = claim.id;
    job_claim_free(&claim);
    return id;
}

static int64_t position(struct stage *s, int64_t id)
{
    int64_t place = -1;

    assert_int_equal(job_store_position(s->reader, id, &place), API_OK);
    return place;
}

static void callers_take_turns(void **state)
{
    struct stage *s = *state;
    int64_t ann[3], bob[2];

    for (int k = 0; k < 3; k++)
        ann[k] = add(s, "ann", "match", 0, "{}");
    for (int k = 0; k < 2; k++)
        bob[k] = add(s, "bob", k == 0 ? "train" : "match", 0, "{}");
    int64_t urgent = add(s, "ann", "match", -1, "{}");
    int64_t nobody = add(s, NULL, "match", 0, "{}");

    assert_int_equal(claim(s, NULL), urgent); /* the priority counts more than the turn */
    assert_int_equal(claim(s, NULL), bob[0]); /* before that of nobody, as it is older */
    assert_int_equal(claim(s, NULL), nobody);
    assert_int_equal(claim(s, NULL), ann[0]);
    assert_int_equal(claim(s, NULL), bob[1]);
    assert_int_equal(claim(s, NULL), ann[1]);
    int64_t carl = add(s, "carl", "match", 0, "{}"); /* was never served */
    assert_int_equal(claim(s, NULL), carl);
    assert_int_equal(claim(s, NULL), ann[2]);
    assert_int_equal(claim(s, NULL), 0);
}

/* In a line of one priority the position says exactly how many jobs start before. */
static void the_position_is_true_to_the_turns(void **state)
{
    enum { JOBS = 60, OWNERS = 5 };
    static const char *const owners[OWNERS] = {"ann", "bob", "carl", "dora", NULL};
    struct stage *s = *state;
    int64_t ids[JOBS], places[JOBS];
    unsigned random = 7;

    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < JOBS; k++) {
            random = random * 1103515245u + 12345u;
            unsigned dice = random >> 16;
            ids[k] = add(s, owners[(dice % 8) % OWNERS], dice & 64 ? "match" : "train", 0, "{}");
        }
        for (int k = 0; k < JOBS; k++)
            places[k] = position(s, ids[k]);
        for (int n = 0; n < JOBS; n++) {
            int64_t id = claim(s, NULL);
            int k = 0;
            while (k < JOBS && ids[k] != id)
                k++;
            assert_true(k < JOBS);
            assert_int_equal(places[k], n);
        }
    }
}

static void the_position_ends_at_its_limit(void **state)
{
    struct stage *s = *state;
    int64_t last = 0;

    for (int k = 0; k <= JOB_POSITION_MAX; k++)
        last = add(s, k % 2 ? "ann" : "bob", "match", 0, "{}");
    assert_int_equal(position(s, last), JOB_POSITION_MAX);
    assert_int_equal(position(s, last - 1), JOB_POSITION_MAX - 1);
    assert_int_equal(position(s, add(s, "carl", "match", 0, "{}")), 2);
    assert_int_equal(position(s, add(s, "carl", "match", 1, "{}")), JOB_POSITION_MAX);
}

static int64_t three_for_ann(void *context, const char *owner)
{
    (void)context;
    return strcmp(owner, "ann") == 0 ? 3 : 0;
}

static void a_caller_without_free_cores_waits_and_others_do_not(void **state)
{
    struct stage *s = *state;
    const struct job_limits limits = {.cores_max = three_for_ann};
    int64_t first = add(s, "ann", "diagnose", 0, "{\"threads\":2}");
    int64_t second = add(s, "ann", "diagnose", 0, "{\"threads\":2}");
    int64_t third = add(s, "ann", "diagnose", 0, "{}"); /* would fit, but is not next */
    int64_t bob = add(s, "bob", "diagnose", 5, "{\"threads\":16}");
    struct caller_use use;
    int64_t due;

    assert_int_equal(claim(s, &limits), first);
    assert_int_equal(claim(s, &limits), bob);
    assert_int_equal(claim(s, &limits), 0);
    assert_int_equal(job_store_next_due(s->reader, kinds, &due), API_OK);
    assert_true(due == CLOCK_NEVER_MS);
    assert_int_equal(caller_store_use(s->reader, "ann", &use), API_OK);
    assert_int_equal(use.cores, 2);
    assert_int_equal(use.running, 1);
    assert_int_equal(use.waiting, 2);
    assert_int_equal(use.bytes, 15);
    assert_int_equal(IN_COMMIT(s, job_store_finish(s->store, first, "", "{}", false, 3000)),
                     API_LEASE_LOST);
    int64_t count;
    assert_int_equal(IN_COMMIT(s, job_store_recover(s->store, 3000, &count)), API_OK);
    assert_int_equal(caller_store_use(s->reader, "ann", &use), API_OK);
    assert_int_equal(use.cores, 0);
    assert_int_equal(use.waiting, 3);
    assert_int_equal(claim(s, &limits), first);
    assert_int_equal(claim(s, NULL), second); /* without limits */
    assert_int_equal(claim(s, NULL), third);
}

static void sums_follow_every_move(void **state)
{
    struct stage *s = *state;
    enum job_state moved;
    struct caller_use use;
    int64_t id = add(s, "ann", "match", 0, "{}");
    json_t *names;

    assert_int_equal(IN_COMMIT(s, job_store_ask(s->store, id, JOB_PAUSE, NULL, "bob", 1, &moved)),
                     API_OK);
    assert_int_equal(caller_store_use(s->reader, "ann", &use), API_OK);
    assert_int_equal(use.waiting, 1); /* a paused job waits as well */
    assert_int_equal(caller_store_names(s->reader, &names), API_OK);
    assert_int_equal(json_array_size(names), 1);
    json_decref(names);
    assert_int_equal(
        IN_COMMIT(s, job_store_ask(s->store, id, JOB_CANCEL, "why", "root", 2, &moved)), API_OK);
    assert_int_equal(caller_store_use(s->reader, "ann", &use), API_OK);
    assert_int_equal(use.waiting + use.bytes + use.running + use.cores, 0);
    assert_int_equal(caller_store_use(s->reader, "never seen", &use), API_OK);
    assert_int_equal(use.waiting, 0);

    json_t *history;
    assert_int_equal(job_store_history(s->reader, id, &history), API_OK);
    static const char *const by[] = {"ann", "bob", "root"};
    assert_int_equal(json_array_size(history), 3);
    for (size_t k = 0; k < 3; k++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(history, k), "by")),
                            by[k]);
    json_decref(history);
    assert_string_equal(stage_member(s, id, "owner"), "\"ann\"");
    assert_int_equal(IN_COMMIT(s, job_store_delete(s->store, id)), API_OK);
}

static void lists_know_owners(void **state)
{
    struct stage *s = *state;
    static const struct {
        const char *owner, *kind;
        bool ready;
        size_t found;
    } cases[] = {{"ann", NULL, false, 3},   {"ann", "train", false, 1}, {"ann", NULL, true, 2},
                 {"ann", "match", true, 1}, {"", NULL, false, 1},       {"carl", NULL, false, 0},
                 {NULL, NULL, false, 5}};

    add(s, "ann", "match", 0, "{}");
    add(s, "ann", "match", 0, "{}");
    add(s, "ann", "train", 0, "{}");
    add(s, "bob", "train", 1, "{}");
    add(s, NULL, "match", 1, "{}");
    assert_int_not_equal(claim(s, NULL), 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct job_filter filter = {.kind = cases[k].kind,
                                          .owner = cases[k].owner,
                                          .has_state = cases[k].ready,
                                          .state = JOB_READY};
        struct store_page page = {.limit = 50};
        assert_int_equal(job_store_list(s->reader, &filter, &page), API_OK);
        assert_int_equal(json_array_size(page.items), cases[k].found);
        json_decref(page.items);
    }
}

/* Jobs from before there were owners have none; what they need and hold is counted. */
static void a_database_of_version_8_is_taken_along(void **state)
{
    enum { BEFORE = 8 };
    char error[STORE_ERROR_MAX], folder[64], path[96], set_version[96];
    struct caller_use use;
    struct store *store;
    sqlite3 *db;
    json_t *job;

    (void)state;
    stage_make_folder(folder);
    snprintf(path, sizeof path, "%s/rinkd.db", folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    for (int k = 0; k < BEFORE; k++)
        assert_int_equal(sqlite3_exec(db, schema_migrations[k].sql, NULL, NULL, NULL), SQLITE_OK);
    snprintf(set_version, sizeof set_version,
             "PRAGMA user_version = %d; PRAGMA application_id = %d", BEFORE, 0x52696e6b);
    assert_int_equal(sqlite3_exec(db, set_version, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "INSERT INTO job (kind, state, due, priority, run_at_ms, max_attempts,"
                     " created_ms, updated_ms, spec, lease_token, lease_until_ms) VALUES"
                     " ('match', 'ready', 1, 0, 0, 5, 0, 0, '{\"threads\":4}', NULL, NULL),"
                     " ('match', 'leased', 0, 0, 0, 5, 0, 0, '{\"threads\":3}',"
                     "  '0123456789abcdef0123456789abcdef', 1),"
                     " ('match', 'paused', 0, 0, 0, 5, 0, 0, '{}', NULL, NULL),"
                     " ('match', 'done', 0, 0, 0, 5, 0, 0, '{\"threads\":\"x\"}', NULL, NULL);"
                     "INSERT INTO job_event VALUES (1, 1, 0, 'added', NULL)",
                     NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);

    assert_int_equal(store_open(folder, false, &store, error), API_OK);
    assert_int_equal(caller_store_use(store, "", &use), API_OK);
    assert_int_equal(use.waiting, 2);
    assert_int_equal(use.bytes, 15);
    assert_int_equal(use.running, 1);
    assert_int_equal(use.cores, 3);
    assert_int_equal(job_store_get(store, 1, &job), API_OK);
    assert_true(json_is_null(json_object_get(job, "owner")));
    json_decref(job);
    assert_int_equal(job_store_history(store, 1, &job), API_OK);
    assert_true(json_is_null(json_object_get(json_array_get(job, 0), "by")));
    json_decref(job);
    store_close(store);
    assert_true(stage_is_sound(folder));
    stage_remove_folder(folder);
}

int main(void)
{
#define SCENE(name) cmocka_unit_test_setup_teardown(name, stage_open, stage_close)
    const struct CMUnitTest tests[] = {
        SCENE(callers_take_turns),
        SCENE(the_position_is_true_to_the_turns),
        SCENE(the_position_ends_at_its_limit),
        SCENE(a_caller_without_free_cores_waits_and_others_do_not),
        SCENE(sums_follow_every_move),
        SCENE(lists_know_owners),
        cmocka_unit_test(a_database_of_version_8_is_taken_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
