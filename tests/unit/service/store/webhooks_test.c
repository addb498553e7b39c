/* Webhooks: each end of a job becomes a delivery in the same transaction. */
#include "tests/unit/service/store/stage.h"

#include "service/store/webhooks.h"

#include <stdio.h>
#include <string.h>

static int64_t add_hook(struct stage *s, const char *states, const char *kinds)
{
    const struct webhook_new webhook = {.url = "https://example.org/rinkd",
                                        .secret = "whsec_AAAA",
                                        .states = states,
                                        .kinds = kinds,
                                        .about = ""};
    int64_t id = 0;

    assert_int_equal(IN_COMMIT(s, webhook_store_add(s->store, &webhook, 500, &id)), API_OK);
    return id;
}

#define ALL "[\"done\",\"buried\",\"cancelled\"]"

/* Types of the deliveries of a webhook, newest first: "job.done test". */
static const char *types(struct stage *s, int64_t webhook)
{
    static char text[1024];
    struct store_page page = {.limit = 100};
    json_t *delivery;
    size_t k;

    assert_int_equal(delivery_store_list(s->reader, webhook, &page), API_OK);
    text[0] = '\0';
    json_array_foreach(page.items, k, delivery)
    {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s", k > 0 ? " " : "",
                 json_string_value(json_object_get(delivery, "type")));
    }
    json_decref(page.items);
    return text;
}

static int64_t number(struct stage *s, int64_t webhook, const char *name)
{
    json_t *json;

    assert_int_equal(webhook_store_get(s->reader, webhook, &json), API_OK);
    int64_t value = json_integer_value(json_object_get(json, name));
    json_decref(json);
    return value;
}

static enum job_state cancel(struct stage *s, int64_t job, int64_t now_ms)
{
    enum job_state state = JOB_READY;

    assert_int_equal(
        IN_COMMIT(s, job_store_ask(s->store, job, JOB_CANCEL, NULL, NULL, now_ms, &state)), API_OK);
    return state;
}

static void finish_next(struct stage *s, int64_t now_ms)
{
    struct job_claim claim = stage_claim(s, "match", now_ms);

    assert_int_equal(IN_COMMIT(s, job_store_finish(s->store, claim.id, claim.token, "{\"won\":1}",
                                                   false, now_ms + 5)),
                     API_OK);
    job_claim_free(&claim);
}

static void each_end_of_a_job_is_a_delivery(void **state)
{
    struct stage *s = *state;
    int64_t hook = add_hook(s, ALL, "[\"match\"]"), buried_only;
    const struct job_failure failure = {.code = "bad", .detail = "no luck"};
    struct delivery_due due;
    enum job_state after;

    buried_only = add_hook(s, "[\"buried\"]", "[\"match\",\"train\"]");
    stage_add(s, "match");
    finish_next(s, 2000);
    cancel(s, stage_add(s, "match"), 3000);
    stage_add(s, "match");
    struct job_claim claim = stage_claim(s, "match", 4000);
    assert_int_equal(
        IN_COMMIT(s, job_store_fail(s->store, claim.id, claim.token, &failure, 4100, &after)),
        API_OK);
    assert_int_equal(after, JOB_BURIED);
    int64_t job = claim.id;
    job_claim_free(&claim);
    cancel(s, stage_add(s, "train"), 5000);

    assert_string_equal(types(s, hook), "job.buried job.cancelled job.done");
    assert_string_equal(types(s, buried_only), "job.buried");
    assert_int_equal(number(s, hook, "waiting"), 3);
    assert_int_equal(delivery_store_next(s->reader, buried_only, 10000, NULL, 0, &due), API_OK);
    json_t *body = json_loads(due.body, 0, NULL);
    json_t *expected = json_pack(
        "{s:s, s:s, s:{s:I, s:s, s:s, s:i, s:n, s:s, s:s, s:s, s:{s:s, s:s}}}", "type",
        "job.buried", "timestamp", "1970-01-01T00:00:04.100Z", "data", "id", (json_int_t)job,
        "kind", "match", "state", "buried", "attempt", 1, "owner", "created_at",
        "1970-01-01T00:00:01.000Z", "started_at", "1970-01-01T00:00:04.000Z", "finished_at",
        "1970-01-01T00:00:04.100Z", "error", "code", "bad", "detail", "no luck");
    assert_true(json_equal(body, expected));
    json_decref(expected);
    json_decref(body);
    assert_string_equal(due.url, "https://example.org/rinkd");
    assert_string_equal(due.secret, "whsec_AAAA");
    assert_int_equal(strncmp(due.message, "msg_", 4), 0);
    assert_int_equal(strlen(due.message), 36);
    delivery_due_free(&due);
}

/* A webhook without kinds hears of those that a later version brings. */
static void a_webhook_for_all_kinds_gets_new_ones(void **state)
{
    struct stage *s = *state;
    const struct webhook_new webhook = {.url = "https://example.org/all",
                                        .secret = "whsec_AAAA",
                                        .states = ALL,
                                        .kinds = "[\"match\"]",
                                        .all_kinds = true,
                                        .about = ""};
    int64_t all, some = add_hook(s, ALL, "[\"match\"]");

    assert_int_equal(IN_COMMIT(s, webhook_store_add(s->store, &webhook, 500, &all)), API_OK);
    cancel(s, stage_add(s, "train"), 2000);
    assert_string_equal(types(s, all), "");
    assert_int_equal(IN_COMMIT(s, webhook_store_widen(s->store, "[\"match\",\"train\"]")), API_OK);
    cancel(s, stage_add(s, "train"), 2000);
    assert_string_equal(types(s, all), "job.cancelled");
    assert_string_equal(types(s, some), "");
}

static void an_end_that_is_undone_is_not_told(void **state)
{
    struct stage *s = *state;
    int64_t hook = add_hook(s, ALL, "[\"match\"]"), job = stage_add(s, "match");
    enum job_state after;

    stage_begin(s);
    assert_int_equal(job_store_ask(s->store, job, JOB_CANCEL, NULL, NULL, 2000, &after), API_OK);
    store_rollback(s->store);
    assert_string_equal(types(s, hook), "");
    assert_int_equal(number(s, hook, "waiting"), 0);
}

static void a_delivery_waits_is_tried_again_and_ends(void **state)
{
    struct stage *s = *state;
    int64_t hook = add_hook(s, ALL, "[\"match\"]"), first, second;
    struct delivery_due due;
    json_t *json;

    assert_int_equal(IN_COMMIT(s, delivery_store_add_test(s->store, hook, 1000, &first)), API_OK);
    assert_int_equal(IN_COMMIT(s, delivery_store_add_test(s->store, hook, 1000, &second)), API_OK);
    assert_int_equal(IN_COMMIT(s, delivery_store_add_test(s->store, 99, 1000, &second)),
                     API_NOT_FOUND);
    assert_int_equal(delivery_store_next(s->reader, hook, 999, NULL, 0, &due), API_NOT_FOUND);
    assert_int_equal(delivery_store_next(s->reader, hook, 1000, &first, 1, &due), API_OK);
    assert_int_equal(due.id, second);
    delivery_due_free(&due);

    const struct delivery_result later = {.id = first,
                                          .state = DELIVERY_WAITING,
                                          .next_ms = 6000,
                                          .status = 503,
                                          .reason = "it answered 503"};
    assert_int_equal(IN_COMMIT(s, delivery_store_tried(s->store, &later, 1500)), API_OK);
    const struct delivery_result good = {.id = second, .state = DELIVERY_DELIVERED, .status = 204};
    assert_int_equal(IN_COMMIT(s, delivery_store_tried(s->store, &good, 1600)), API_OK);
    assert_int_equal(number(s, hook, "waiting"), 1);
    assert_int_equal(delivery_store_next(s->reader, hook, 5999, NULL, 0, &due), API_NOT_FOUND);
    assert_int_equal(delivery_store_next(s->reader, hook, 6000, NULL, 0, &due), API_OK);
    assert_int_equal(due.id, first);
    assert_int_equal(due.tries, 1);
    delivery_due_free(&due);

    assert_int_equal(delivery_store_get(s->reader, first, &json), API_OK);
    assert_string_equal(json_string_value(json_object_get(json, "state")), "waiting");
    assert_int_equal(json_integer_value(json_object_get(json, "status")), 503);
    assert_string_equal(json_string_value(json_object_get(json, "reason")), "it answered 503");
    assert_string_equal(json_string_value(json_object_get(json, "next_at")),
                        "1970-01-01T00:00:06.000Z");
    json_decref(json);
    /* A second report on an ended delivery changes nothing. */
    const struct delivery_result late = {.id = second, .state = DELIVERY_FAILED, .status = 500};
    assert_int_equal(IN_COMMIT(s, delivery_store_tried(s->store, &late, 1700)), API_OK);
    assert_int_equal(delivery_store_get(s->reader, second, &json), API_OK);
    assert_string_equal(json_string_value(json_object_get(json, "state")), "delivered");
    assert_true(json_is_null(json_object_get(json, "next_at")));
    json_decref(json);
}

static void a_full_webhook_counts_what_it_drops(void **state)
{
    struct stage *s = *state;
    int64_t hook = add_hook(s, ALL, "[\"match\"]"), other, test;
    struct delivery_counts counts;

    other = add_hook(s, "[\"done\"]", "[\"match\"]");
    stage_begin(s);
    for (int k = 0; k < WEBHOOK_WAITING_MAX - 1; k++)
        assert_int_equal(delivery_store_add_test(s->store, hook, 1000, &test), API_OK);
    assert_int_equal(stage_end(s, API_OK), API_OK);
    for (int k = 0; k < 3; k++)
        cancel(s, stage_add(s, "match"), 2000 + k);
    assert_int_equal(number(s, hook, "waiting"), WEBHOOK_WAITING_MAX);
    assert_int_equal(number(s, hook, "dropped"), 2);
    assert_int_equal(number(s, other, "dropped"), 0);
    assert_int_equal(IN_COMMIT(s, delivery_store_add_test(s->store, hook, 3000, &test)), API_STATE);
    assert_int_equal(delivery_store_counts(s->reader, &counts), API_OK);
    assert_int_equal(counts.webhooks, 2);
    assert_int_equal(counts.waiting, WEBHOOK_WAITING_MAX);
    assert_int_equal(counts.oldest_ms, 1000);
    assert_int_equal(counts.dropped, 2);
    assert_int_equal(IN_COMMIT(s, webhook_store_delete(s->store, hook)), API_OK);
    assert_int_equal(IN_COMMIT(s, webhook_store_delete(s->store, hook)), API_NOT_FOUND);
    assert_int_equal(delivery_store_counts(s->reader, &counts), API_OK);
    assert_int_equal(counts.waiting, 0);
    assert_int_equal(counts.oldest_ms, 0);
}

static void only_the_last_ended_deliveries_are_kept(void **state)
{
    struct stage *s = *state;
    int64_t hook = add_hook(s, ALL, "[\"match\"]"), ids[WEBHOOK_KEPT + 5];
    struct store_page page = {.limit = STORE_PAGE_MAX};

    stage_begin(s);
    for (int k = 0; k < WEBHOOK_KEPT + 5; k++) {
        assert_int_equal(delivery_store_add_test(s->store, hook, 1000, &ids[k]), API_OK);
        if (k == 0)
            continue; /* this one waits, and stays */
        const struct delivery_result good = {
            .id = ids[k], .state = DELIVERY_DELIVERED, .status = 200};
        assert_int_equal(delivery_store_tried(s->store, &good, 2000 + k), API_OK);
    }
    assert_int_equal(stage_end(s, API_OK), API_OK);
    assert_int_equal(delivery_store_list(s->reader, hook, &page), API_OK);
    assert_int_equal(json_array_size(page.items), WEBHOOK_KEPT + 1);
    json_t *last = json_array_get(page.items, WEBHOOK_KEPT - 1);
    assert_int_equal(json_integer_value(json_object_get(last, "id")), ids[5]);
    json_decref(page.items);
}

static void there_are_only_so_many_webhooks(void **state)
{
    struct stage *s = *state;
    const struct webhook_new more = {
        .url = "http://a", .secret = "x", .states = "[]", .kinds = "[]", .about = ""};
    int64_t ids[WEBHOOKS_MAX], id;
    int count;

    for (int k = 0; k < WEBHOOKS_MAX; k++)
        ids[k] = add_hook(s, ALL, "[\"match\"]");
    assert_int_equal(IN_COMMIT(s, webhook_store_add(s->store, &more, 1000, &id)), API_STATE);
    assert_int_equal(IN_COMMIT(s, delivery_store_add_test(s->store, ids[7], 1000, &id)), API_OK);
    assert_int_equal(webhook_store_waiting(s->reader, WEBHOOKS_MAX, ids, &count), API_OK);
    assert_int_equal(count, 1);
    assert_int_equal(ids[0], 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_end_of_a_job_is_a_delivery, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(a_webhook_for_all_kinds_gets_new_ones, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(an_end_that_is_undone_is_not_told, stage_open, stage_close),
        cmocka_unit_test_setup_teardown(a_delivery_waits_is_tried_again_and_ends, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(a_full_webhook_counts_what_it_drops, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(only_the_last_ended_deliveries_are_kept, stage_open,
                                        stage_close),
        cmocka_unit_test_setup_teardown(there_are_only_so_many_webhooks, stage_open, stage_close),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
