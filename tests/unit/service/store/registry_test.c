/* Models, their aliases, and players. */
#include "tests/unit/service/store/stage.h"

#include "service/store/registry.h"

#include <string.h>

static const char sha_a[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
static const char sha_b[] = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

static enum api_error add_model(struct stage *s, const char *name, const char *sha256)
{
    struct model_new model = {
        .name = name, .sha256 = sha256, .card = "{\"games\":1000}", .bytes = 123};
    return IN_COMMIT(s, model_store_add(s->store, &model, 1000));
}

static enum api_error alias(struct stage *s, const char *name, const char *model)
{
    return IN_COMMIT(s, model_store_alias(s->store, name, model, 2000));
}

static void names_are_plain(void **state)
{
    static const char *const good[] = {"a", "7", "nfsp-v1.2_x"};
    static const char *const bad[] = {
        "",         "-a",  ".a",
        "A",        "a b", "a/b",
        "\xc3\xa4", "a\n", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};

    (void)state;
    for (size_t k = 0; k < sizeof good / sizeof good[0]; k++)
        assert_true(registry_name_is_good(good[k]));
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        assert_false(registry_name_is_good(bad[k]));
    assert_true(registry_name_is_good(bad[8] + 1)); /* 63 bytes */
}

static void a_model_is_found_by_its_name_and_its_aliases(void **state)
{
    struct stage *s = *state;
    json_t *model;

    assert_int_equal(add_model(s, "v1", sha_a), API_OK);
    assert_int_equal(add_model(s, "v2", sha_b), API_OK);
    assert_int_equal(add_model(s, "v1", sha_b), API_EXISTS);
    assert_int_equal(alias(s, "champion", "v1"), API_OK);
    assert_int_equal(alias(s, "best", "v1"), API_OK);
    assert_int_equal(model_store_get(s->reader, "champion", &model), API_OK);
    json_t *expected =
        json_pack("{s:s, s:s, s:i, s:{s:i}, s:[s, s], s:n, s:n, s:n, s:s}", "name", "v1", "sha256",
                  sha_a, "bytes", 123, "card", "games", 1000, "aliases", "best", "champion", "run",
                  "policy", "step", "created_at", "1970-01-01T00:00:01.000Z");
    assert_true(json_equal(model, expected));
    json_decref(expected);
    json_decref(model);

    assert_int_equal(alias(s, "champion", "v2"), API_OK);
    assert_int_equal(model_store_get(s->reader, "champion", &model), API_OK);
    assert_string_equal(json_string_value(json_object_get(model, "name")), "v2");
    json_decref(model);
    assert_int_equal(model_store_get(s->reader, "v3", &model), API_NOT_FOUND);
}

static void names_and_aliases_do_not_mix(void **state)
{
    struct stage *s = *state;

    assert_int_equal(add_model(s, "v1", sha_a), API_OK);
    assert_int_equal(add_model(s, "v2", sha_a), API_OK);
    assert_int_equal(alias(s, "v2", "v1"), API_EXISTS);
    assert_int_equal(alias(s, "champion", "v3"), API_NOT_FOUND);
    assert_int_equal(alias(s, "champion", "v1"), API_OK);
    assert_int_equal(alias(s, "other", "champion"), API_NOT_FOUND);
    assert_int_equal(add_model(s, "champion", sha_a), API_EXISTS);
}

static void weights_go_with_the_last_model_that_has_them(void **state)
{
    struct stage *s = *state;
    char sha256[65] = "";
    bool last = true;

    add_model(s, "v1", sha_a);
    add_model(s, "v1-again", sha_a);
    alias(s, "champion", "v1");
    assert_int_equal(IN_COMMIT(s, model_store_delete(s->store, "v1", sha256, &last)), API_STATE);
    alias(s, "champion", "v1-again");
    assert_int_equal(IN_COMMIT(s, model_store_delete(s->store, "v1", sha256, &last)), API_OK);
    assert_string_equal(sha256, sha_a);
    assert_false(last);
    add_model(s, "v2", sha_b);
    assert_int_equal(IN_COMMIT(s, model_store_delete(s->store, "v2", sha256, &last)), API_OK);
    assert_string_equal(sha256, sha_b);
    assert_true(last);
    assert_int_equal(IN_COMMIT(s, model_store_delete(s->store, "v2", sha256, &last)),
                     API_NOT_FOUND);
}

static void lists_go_by_name(void **state)
{
    struct stage *s = *state;
    static const char *const names[] = {"delta", "alpha", "charlie", "bravo"};

    for (int k = 0; k < 4; k++) {
        struct player_new player = {.name = names[k], .spec = "ai-simple", .about = "test"};
        assert_int_equal(IN_COMMIT(s, player_store_add(s->store, &player, 1000)), API_OK);
        assert_int_equal(IN_COMMIT(s, player_store_add(s->store, &player, 1000)), API_EXISTS);
        assert_int_equal(add_model(s, names[k], sha_a), API_OK);
    }
    for (int models = 0; models < 2; models++) {
        enum api_error (*list)(struct store *, struct store_page *) =
            models ? model_store_list : player_store_list;
        struct store_page page = {.limit = 3};
        assert_int_equal(list(s->reader, &page), API_OK);
        assert_int_equal(json_array_size(page.items), 3);
        assert_string_equal(
            json_string_value(json_object_get(json_array_get(page.items, 2), "name")), "charlie");
        json_decref(page.items);
        page.cursor = page.next;
        assert_int_equal(list(s->reader, &page), API_OK);
        assert_int_equal(json_array_size(page.items), 1);
        assert_string_equal(
            json_string_value(json_object_get(json_array_get(page.items, 0), "name")), "delta");
        assert_string_equal(page.next, "");
        json_decref(page.items);
    }
}

static void players_come_and_go(void **state)
{
    struct stage *s = *state;
    struct player_new player = {.name = "mine", .spec = "kr-uct:simulations=9"};
    json_t *found;

    assert_int_equal(IN_COMMIT(s, player_store_add(s->store, &player, 1000)), API_OK);
    assert_int_equal(player_store_get(s->reader, "mine", &found), API_OK);
    json_t *expected =
        json_pack("{s:s, s:s, s:s, s:s}", "name", "mine", "spec", "kr-uct:simulations=9", "about",
                  "", "created_at", "1970-01-01T00:00:01.000Z");
    assert_true(json_equal(found, expected));
    json_decref(expected);
    json_decref(found);
    assert_int_equal(IN_COMMIT(s, player_store_delete(s->store, "mine")), API_OK);
    assert_int_equal(IN_COMMIT(s, player_store_delete(s->store, "mine")), API_NOT_FOUND);
    assert_int_equal(player_store_get(s->reader, "mine", &found), API_NOT_FOUND);
}

int main(void)
{
#define SCENE(name) cmocka_unit_test_setup_teardown(name, stage_open, stage_close)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_plain),
        SCENE(a_model_is_found_by_its_name_and_its_aliases),
        SCENE(names_and_aliases_do_not_mix),
        SCENE(weights_go_with_the_last_model_that_has_them),
        SCENE(lists_go_by_name),
        SCENE(players_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
