/* Maps of aims and comparisons of calls. */
#include "workers/search/maps/map.h"

#include "tests/slow.h"
#include "tests/unit/workers/search/asking.h"
#include "workers/search/maps/calls.h"

#include <string.h>

struct table {
    struct game game;
    const struct ice_profile *ice;
    struct noise noise;
    struct player player;
};

/* The last stone of a level game's last end: gote has the hammer, and sente lies one, nearly on the
 * tee. */
static struct table last_stone(const char *rules)
{
    struct table table;
    char error[PLAYER_ERROR_MAX];

    assert_int_equal(game_start(rules_find(rules), 1, 0, 1, &table.game), GAME_OK);
    table.game.shot = 15;
    table.ice = profile_of(table.game.rules)->ice;
    table.noise = noise_default(table.ice, table.ice->noise);
    position_put(&table.game.position, 14, (struct vec2){0.1, SHEET_TEE_Y - 0.2});
    assert_true(player_read("rink", &table.player, sizeof error, error));
    return table;
}

static struct player_query query_of(const struct table *table, int threads)
{
    return (struct player_query){.game = &table->game,
                                 .ice = table->ice,
                                 .noise = &table->noise,
                                 .limits = {.threads = threads},
                                 .key = {.seed = 3}};
}

static const struct map_setting small = {.columns = 16, .rows = 16, .lines = 48, .throws = 16};

static struct map map_of(const struct table *table, int threads)
{
    struct player_query query = query_of(table, threads);
    struct map map;

    assert_int_equal(map_make(&small, &table->player, &query, NULL, NULL, &map), PLAYER_OK);
    return map;
}

static double highest(const struct map_layer *layer)
{
    double most = 0.0;

    for (int k = 0; k < layer->columns * layer->rows; k++)
        most = fmax(most, (double)layer->win[k]); /* NAN does not count */
    return most;
}

static void a_hit_wins_where_a_stone_has_to_go(void **state)
{
    skip_one_thread();
    (void)state;
    const char *const rules[] = {"dc2", "dc3"};
    for (int k = 0; k < 2; k++) {
        struct table table = last_stone(rules[k]);
        struct map map = map_of(&table, 1);
        const struct map_layer *draw = &map.layer[0], *hit = &map.layer[2];

        assert_int_equal(draw->weight, AIM_DRAW);
        assert_int_equal(hit->weight, AIM_HIT);
        assert_int_equal(draw->rows, small.rows);
        assert_int_equal(hit->columns, small.lines);
        assert_true(highest(hit) > 0.8);
        /* Short of the house no draw scores: the end is lost. */
        assert_true(draw->win[small.columns / 2] < 0.1f);
        assert_true(map.best_count > 0 && map.best[0].valued.appraised.win.mean > 0.9);
        assert_int_equal(map.best[0].valued.kind, SHOT_HIT);
        assert_false(map.cancelled);
        map_free(&map);
    }
}

static void the_map_does_not_depend_on_threads(void **state)
{
    (void)state;
    struct table table = last_stone("dc3");
    struct map one = map_of(&table, 1), three = map_of(&table, 3);

    for (int k = 0; k < MAP_LAYERS; k++) {
        size_t size = (size_t)(one.layer[k].columns * one.layer[k].rows) * sizeof(float);
        assert_memory_equal(one.layer[k].win, three.layer[k].win, size);
        assert_memory_equal(one.layer[k].points, three.layer[k].points, size);
        assert_memory_equal(one.layer[k].cost, three.layer[k].cost, size);
    }
    assert_int_equal(one.simulations, three.simulations);
    for (int k = 0; k < one.best_count; k++)
        assert_true(one.best[k].valued.appraised.win.mean ==
                    three.best[k].valued.appraised.win.mean);
    map_free(&one);
    map_free(&three);
}

struct heard {
    int count, columns[4];
};

static void hear(void *context, const struct map *so_far)
{
    struct heard *heard = context;

    assert_true(heard->count < 4);
    assert_int_equal(so_far->best_count, 0);
    heard->columns[heard->count++] = so_far->layer[0].columns;
}

static void pictures_come_from_coarse_to_fine(void **state)
{
    skip_one_thread();
    (void)state;
    struct table table = last_stone("dc3");
    struct player_query query = query_of(&table, 1);
    struct heard heard = {.count = 0};
    struct map map;

    assert_int_equal(map_make(&small, &table.player, &query, hear, &heard, &map), PLAYER_OK);
    assert_int_equal(heard.count, 2);
    assert_int_equal(heard.columns[0], small.columns / 2);
    assert_int_equal(heard.columns[1], small.columns);
    map_free(&map);
}

/* Cancels at the first picture. */
static void cancel(void *context, const struct map *so_far)
{
    (void)so_far;
    atomic_store((atomic_bool *)context, true);
}

static void a_cancelled_map_keeps_its_last_picture(void **state)
{
    skip_one_thread();
    (void)state;
    struct table table = last_stone("dc3");
    struct player_query query = query_of(&table, 1);
    atomic_bool stop = false;
    struct map map;

    query.cancel = &stop;
    assert_int_equal(map_make(&small, &table.player, &query, cancel, &stop, &map), PLAYER_OK);
    assert_true(map.cancelled);
    assert_int_equal(map.best_count, 0);
    assert_int_equal(map.layer[0].columns, small.columns / 2);
    assert_true(highest(&map.layer[2]) > 0.0);
    map_free(&map);

    /* Before there is a picture, there is an empty one. */
    assert_int_equal(map_make(&small, &table.player, &query, NULL, NULL, &map), PLAYER_OK);
    assert_true(map.cancelled);
    assert_true(isnan(map.layer[0].win[0]));
    map_free(&map);
}

static void calls_are_compared_with_the_first_by_the_same_throws(void **state)
{
    skip_one_thread();
    (void)state;
    struct table table = last_stone("dc3");
    struct player_query query = query_of(&table, 1);
    struct shot shots[4];
    struct call_value value[CALLS_MAX];
    int64_t throws;
    bool cancelled;

    assert_true(aims_shot(table.ice, (struct vec2){0.1, SHEET_TEE_Y}, AIM_HIT, false, &shots[0]));
    assert_true(aims_shot(table.ice, (struct vec2){0.0, 34.0}, AIM_DRAW, true, &shots[1]));
    shots[2] = shots[0];
    assert_true(aims_shot(table.ice, (struct vec2){0.3, SHEET_TEE_Y}, AIM_HIT, false, &shots[3]));
    assert_int_equal(calls_value(&table.player, &query, shots, 4, 1024, value, &throws, &cancelled),
                     PLAYER_OK);
    assert_false(cancelled);
    assert_true(throws > 4 * 1024);
    assert_true(value[0].valued.appraised.win.mean > 0.5);
    assert_true(value[1].valued.appraised.win_less.mean >
                4.0 * value[1].valued.appraised.win_less.error);
    assert_true(value[2].valued.appraised.win_less.mean == 0.0);
    assert_true(value[2].valued.appraised.win_less.error == 0.0);
    /* A guard stays in play, and none of its throws wins, however wrong. */
    assert_true(value[1].ends_count > CALL_ENDS / 2);
    for (int k = 0; k < CALL_DEVIATIONS; k++)
        assert_true(value[1].line[k] < 0.2 && value[1].weight[k] < 0.2);
    /* A hit on the right half of the stone misses it where it errs to the right. */
    assert_true(value[3].line[0] > value[3].line[CALL_DEVIATIONS - 1] + 0.2);
}

static void an_aim_beside_the_sheet_is_no_shot(void **state)
{
    (void)state;
    struct table table = last_stone("dc3");
    struct shot shot;

    assert_false(aims_shot(table.ice, (struct vec2){9.0, SHEET_TEE_Y}, AIM_DRAW, true, &shot));
    assert_true(aims_shot(table.ice, (struct vec2){0.0, SHEET_TEE_Y}, AIM_HARD, true, &shot));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_wins_where_a_stone_has_to_go),
        cmocka_unit_test(the_map_does_not_depend_on_threads),
        cmocka_unit_test(pictures_come_from_coarse_to_fine),
        cmocka_unit_test(a_cancelled_map_keeps_its_last_picture),
        cmocka_unit_test(calls_are_compared_with_the_first_by_the_same_throws),
        cmocka_unit_test(an_aim_beside_the_sheet_is_no_shot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
