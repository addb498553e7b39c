/* Score, fouls and position checks against every scene of the official simulators. */
#include "models/game/free_guard_zone.h"
#include "models/game/position_check.h"
#include "models/game/score.h"
#include "models/tables/profiles.h"
#include "tests/unit/models/game/board.h"
#include "tests/unit/models/game/mirror.h"

#include <jansson.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct scene {
    bool dc2;
    int shot; /* also the delivered stone's number */
    struct position before, after;
    int score;
    int foul; /* -1: not in the file */
};

/* dc2 numbers stones by shot. fcv1 has team 0 in 0..7 and team 1 in 8..15; here team 0 throws
 * first, so that + is sente's score in both. */
static int stone_of_entry(bool dc2, int entry)
{
    return dc2 ? entry : stone_of_slot(entry / 8, entry % 8, false);
}

static struct position read_position(bool dc2, const json_t *entries)
{
    struct position position = {0};

    assert_int_equal(json_array_size(entries), POSITION_STONES);
    for (int k = 0; k < POSITION_STONES; k++) {
        json_t *at = json_array_get(entries, (size_t)k);
        double x, y;
        if (json_is_null(at))
            continue;
        if (dc2) {
            assert_int_equal(json_unpack(at, "[FF]", &x, &y), 0);
            x = 2.375 - x;
            y = 43.285 - y;
        } else {
            assert_int_equal(json_unpack(at, "{s:F, s:F}", "x", &x, "y", &y), 0);
        }
        position_put(&position, stone_of_entry(dc2, k), (struct vec2){x, y});
    }
    return position;
}

/* Calls `check` for each line of the file; returns the number of lines. */
static int for_each_scene(const char *file, void (*check)(const struct scene *))
{
    char path[512], line[4096];
    int scenes = 0;

    snprintf(path, sizeof path, "%s/%s", TEST_VECTORS, file);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        json_t *root = json_loads(line, 0, NULL), *before, *after;
        struct scene scene = {.foul = -1};
        const char *model;
        int entry;
        assert_non_null(root);
        assert_int_equal(json_unpack(root, "{s:s, s:i, s:o, s:o, s:i, s?b}", "model", &model, "n",
                                     &entry, "before", &before, "after", &after, "score",
                                     &scene.score, "fgz_foul", &scene.foul),
                         0);
        scene.dc2 = strcmp(model, "dc2") == 0;
        scene.shot = stone_of_entry(scene.dc2, entry);
        scene.before = read_position(scene.dc2, before);
        scene.after = read_position(scene.dc2, after);
        check(&scene);
        scenes++;
        json_decref(root);
    }
    fclose(in);
    return scenes;
}

static const struct rules *rules_of(const struct scene *scene)
{
    return rules_find(scene->dc2 ? "dc2" : "dc3");
}

static void check_score(const struct scene *scene)
{
    struct position mirrored = position_mirror(&scene->after);
    assert_int_equal(score_position(rules_of(scene), &scene->after, false), scene->score);
    assert_int_equal(score_position(rules_of(scene), &mirrored, false), scene->score);
}

static void every_score_is_the_official_one(void **state)
{
    (void)state;
    assert_int_equal(for_each_scene("public-dc2.jsonl", check_score), 2000);
    assert_int_equal(for_each_scene("public-fcv1.jsonl", check_score), 2000);
}

static int early_shots, fouls;

static void check_foul(const struct scene *scene)
{
    const struct rules *rules = rules_of(scene);
    int offended = free_guard_zone_offended(rules, &scene->before, &scene->after, scene->shot);
    struct position settled;

    assert_int_equal(offended >= 0, scene->foul);
    assert_int_equal(
        free_guard_zone_settle(rules, &scene->before, &scene->after, scene->shot, &settled),
        scene->foul);
    assert_int_equal(settled.in_play, scene->foul ? scene->before.in_play : scene->after.in_play);
    if (offended >= 0)
        assert_int_not_equal(seat_of_stone(offended), seat_of_stone(scene->shot));
    early_shots += scene->shot < 4;
    fouls += offended >= 0;
}

static void every_dc2_foul_is_the_official_one(void **state)
{
    (void)state;
    early_shots = fouls = 0;
    assert_int_equal(for_each_scene("public-dc2.jsonl", check_foul), 2000);
    /* The file contains this many of each, so both outcomes are tested. */
    assert_int_equal(early_shots, 331);
    assert_int_equal(fouls, 14);
}

static double worst_overlap_m;

static void check_position(const struct position *position, const struct rules *rules, int shot)
{
    assert_int_equal(position_check(rules, position, shot, NULL), POSITION_OK);
    for (int b = 0; b < POSITION_STONES; b++)
        for (int a = 0; a < b; a++)
            if (position_has(position, a) && position_has(position, b)) {
                double overlap =
                    2 * STONE_RADIUS - vec2_distance(position->stone[a], position->stone[b]);
                worst_overlap_m = fmax(worst_overlap_m, overlap);
            }
}

/* The fcv1 scenes ignore the order of shots, so only a full end allows all their slots. */
static void check_positions(const struct scene *scene)
{
    const struct rules *rules = rules_of(scene);

    check_position(&scene->before, rules, scene->dc2 ? scene->shot : rules->shots);
    check_position(&scene->after, rules, scene->dc2 ? scene->shot + 1 : rules->shots);
}

static void every_position_passes_the_check(void **state)
{
    (void)state;
    worst_overlap_m = 0.0;
    assert_int_equal(for_each_scene("public-dc2.jsonl", check_positions), 2000);
    /* The basis of POSITION_OVERLAP_TOLERANCE_M. */
    assert_true(worst_overlap_m > 0.0008 && worst_overlap_m < 0.0009);
    worst_overlap_m = 0.0;
    assert_int_equal(for_each_scene("public-fcv1.jsonl", check_positions), 2000);
    assert_near(worst_overlap_m, 0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_score_is_the_official_one),
        cmocka_unit_test(every_dc2_foul_is_the_official_one),
        cmocka_unit_test(every_position_passes_the_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
