/* Styles: what a throw was, whose throws these are, and that one who changes is followed. */
#include "workers/search/style/opponent.h"

#include "models/ice/aim.h"
#include "models/tables/profiles.h"
#include "workers/search/player/player.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define close_to(a, b, limit) assert_true(fabs((a) - (b)) <= (limit))

/* The group and the class of a throw's trait. */
static int group_of(const struct style_throw *throw, enum style_trait trait)
{
    const struct style_part *part = &style_parts[trait];
    return (throw->number[trait] - part->first) / part->classes;
}

static int class_of(const struct style_throw *throw, enum style_trait trait)
{
    const struct style_part *part = &style_parts[trait];
    return (throw->number[trait] - part->first) % part->classes;
}

static struct throw_seen draw_to(const struct profile *profile, double x, double y, int shot)
{
    struct throw_seen seen = {.shot = shot, .has_thrown = true};
    const struct vec2 target = {SHEET_TEE_X + x, SHEET_TEE_Y + y};

    assert_int_equal(aim_draw(profile->ice, target, profile->ice->spin, &seen.thrown), AIM_OK);
    return seen;
}

static void the_parts_fill_the_numbers(void **state)
{
    (void)state;
    int first = 0;

    for (int trait = 0; trait < STYLE_TRAITS; trait++) {
        assert_int_equal(style_parts[trait].first, first);
        assert_true(style_parts[trait].classes <= STYLE_CLASSES_MAX);
        first += style_parts[trait].groups * style_parts[trait].classes;
    }
    assert_int_equal(first, STYLE_COUNTS);
}

static void a_throw_is_seen_as_what_it_was(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const struct profile *profile = profile_find(k ? "dc3" : "dc2");
        struct style_throw throw;

        const struct throw_seen draw = draw_to(profile, 0.0, 0.3, 0);
        assert_true(style_see(&profile->rules, profile->ice, &draw, &throw));
        assert_int_equal(class_of(&throw, STYLE_KIND), 0); /* a draw … */
        assert_int_equal(group_of(&throw, STYLE_KIND), 0); /* … early, first, empty house */
        assert_int_equal(class_of(&throw, STYLE_PLACE), 0);
        assert_int_equal(class_of(&throw, STYLE_TURN), 0);
        assert_int_equal(class_of(&throw, STYLE_WEIGHT), 0);

        struct throw_seen guard = draw_to(profile, 0.5, -3.5, 15);
        guard.thrown.omega = -guard.thrown.omega;
        guard.thrown.velocity.x = -guard.thrown.velocity.x;
        position_put(&guard.before, 1, (struct vec2){SHEET_TEE_X, SHEET_TEE_Y});
        assert_true(style_see(&profile->rules, profile->ice, &guard, &throw));
        assert_int_equal(class_of(&throw, STYLE_KIND), 1);  /* a guard … */
        assert_int_equal(group_of(&throw, STYLE_KIND), 22); /* … at the end, hammer, own No. 1 */
        assert_int_equal(class_of(&throw, STYLE_PLACE), 1);
        assert_int_equal(class_of(&throw, STYLE_TURN), 1);
    }
}

static void stones_at_rest_are_enough(void **state)
{
    (void)state;
    const struct profile *profile = profile_find("dc3");
    struct throw_seen seen = {.shot = 3, .has_after = true};
    struct style_throw throw;

    position_put(&seen.before, 0, (struct vec2){SHEET_TEE_X, SHEET_TEE_Y});
    position_put(&seen.before, 1, (struct vec2){SHEET_TEE_X + 1.0, SHEET_TEE_Y});
    position_put(&seen.after, 1, seen.before.stone[1]);
    assert_true(style_see(&profile->rules, profile->ice, &seen, &throw));
    assert_int_equal(class_of(&throw, STYLE_KIND), 4); /* a hit, its stone is gone */
    assert_int_equal(class_of(&throw, STYLE_PLACE), 3);
    assert_int_equal(throw.number[STYLE_TURN], -1);
    assert_int_equal(throw.number[STYLE_WEIGHT], -1);
}

static void what_cannot_be_thrown_is_refused(void **state)
{
    (void)state;
    const struct profile *profile = profile_find("dc3");
    const struct throw_seen seen = {.has_thrown = true,
                                    .thrown = {{0.0, 900.0}, profile->ice->spin}};
    struct style_throw throw;

    assert_false(style_see(&profile->rules, profile->ice, &seen, &throw));
}

/* ---- weights ---- */

static double sum_of(const struct opponent *opponent)
{
    double sum = opponent->stranger;

    for (int k = 0; k < opponent->styles; k++)
        sum += opponent->weight[k];
    return sum;
}

static const char *likeliest(const struct opponent *opponent)
{
    int best = 0;

    for (int k = 1; k < opponent->styles; k++)
        best = opponent->weight[k] > opponent->weight[best] ? k : best;
    return opponent->weight[best] > opponent->stranger ? opponent->style[best]->player : "stranger";
}

/* Adds the throws of the first side of `ends` ends in which two players of that spec play. */
static void watch(const struct profile *profile, const char *spec, int ends, uint64_t seed,
                  struct opponent_throws *throws)
{
    const struct noise noise = noise_default(profile->ice, profile->ice->noise);
    struct player player;
    char error[PLAYER_ERROR_MAX];
    struct game game;

    assert_true(player_read(spec, &player, sizeof error, error));
    game_start(&profile->rules, 10, 0, 1, &game);
    while (game.end < ends) {
        struct random_key key = {.seed = seed, .shot = (uint32_t)(16 * game.end + game.shot)};
        const struct player_query query = {.game = &game,
                                           .ice = profile->ice,
                                           .noise = &noise,
                                           .limits = {.threads = 1},
                                           .key = key};
        const struct game before = game;
        struct player_answer answer;
        struct throw_result result;
        struct game_turn turn;

        assert_int_equal(player_choose(&player, &query, &answer), PLAYER_OK);
        key.purpose = RANDOM_EXECUTION;
        const struct shot thrown =
            noise_apply(&noise, profile->ice, answer.shot, random_normal_pair(&key, 0));
        const struct throw_request request = player_throw(&before, profile->ice, thrown);
        assert_int_equal(throw_fast(&request, &result), THROW_OK);
        assert_int_equal(game_play(&game, &result.after, &turn), GAME_OK);
        if (game_next_seat(&before) != SEAT_SENTE)
            continue;
        struct throw_seen seen;
        throw_seen_set(&seen, &before, NULL, &thrown);
        opponent_see(throws, &profile->rules, profile->ice, &seen);
    }
}

static void without_throws_nothing_is_known(void **state)
{
    (void)state;
    struct opponent opponent;

    for (int k = 0; profile_at(k); k++) {
        opponent_of(&profile_at(k)->rules, NULL, 0, &opponent);
        assert_true(opponent.styles > 0);
        close_to(sum_of(&opponent), 1.0, 1e-12);
        assert_true(opponent.confidence == 0.0 && opponent.errs == 0.5);
    }
}

static void a_known_player_is_told_by_its_throws(void **state)
{
    (void)state;
    static const struct {
        const char *profile, *spec;
    } known[] = {{"dc2", "ai-simple"}, {"dc3", "dc3-rulebased"}, {"dc3", "ai-simple"}};

    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        const struct profile *profile = profile_find(known[k].profile);
        struct opponent_throws throws = {.count = 0};
        struct opponent opponent;

        watch(profile, known[k].spec, 3, 11, &throws);
        assert_int_equal(throws.count, 24);
        opponent_of(&profile->rules, throws.throw, throws.count, &opponent);
        close_to(sum_of(&opponent), 1.0, 1e-9);
        assert_string_equal(likeliest(&opponent), known[k].spec);
        assert_true(opponent.errs > 0.7 && opponent.confidence > 0.5);
    }
}

/* The throw with these classes of kind, place and weight, at the end of an end, with the hammer,
 * where No. 1 is the opponent's. */
static struct style_throw late_throw(int kind, int place, int turn, int weight)
{
    const int group = 3 * kind + 2;

    return (struct style_throw){
        .number = {[STYLE_KIND] = (int16_t)(style_parts[STYLE_KIND].first + 23 * 8 + kind),
                   [STYLE_PLACE] = (int16_t)(style_parts[STYLE_PLACE].first + 4 * group + place),
                   [STYLE_TURN] = (int16_t)(style_parts[STYLE_TURN].first + 2 * group + turn),
                   [STYLE_WEIGHT] =
                       (int16_t)(style_parts[STYLE_WEIGHT].first + 4 * group + weight)}};
}

/* With the last stone nobody throws a guard, and nobody throws his stone away so gently. */
static void one_that_throws_like_nobody_is_a_stranger(void **state)
{
    (void)state;
    const struct profile *profile = profile_find("dc2");
    struct opponent_throws throws = {.count = 0};
    struct opponent opponent;

    while (throws.count < 32) {
        throws.throw [throws.count] = late_throw(throws.count % 2 ? 1 : 6, throws.count % 2 ? 2 : 3,
                                                 throws.count / 2 % 2, throws.count % 3);
        throws.count++;
    }
    opponent_of(&profile->rules, throws.throw, throws.count, &opponent);
    assert_string_equal(likeliest(&opponent), "stranger");
    assert_true(opponent.confidence < 0.5);
    assert_true(fabs(opponent.errs - 0.5) < 0.25);
}

static void one_that_changes_is_followed(void **state)
{
    (void)state;
    const struct profile *profile = profile_find("dc3");
    struct opponent_throws throws = {.count = 0};
    struct opponent opponent;

    watch(profile, "dc3-rulebased", 6, 5, &throws);
    watch(profile, "ai-simple", 3, 6, &throws);
    opponent_of(&profile->rules, throws.throw, throws.count, &opponent);
    assert_string_equal(likeliest(&opponent), "ai-simple");
}

static void the_oldest_throws_are_forgotten(void **state)
{
    (void)state;
    const struct profile *profile = profile_find("dc3");
    const struct throw_seen draw = draw_to(profile, 0.0, 0.0, 0),
                            guard = draw_to(profile, 0.0, -4.0, 0);
    struct opponent_throws throws = {.count = 0};

    opponent_see(&throws, &profile->rules, profile->ice, &draw);
    for (int k = 0; k < OPPONENT_THROWS_MAX; k++)
        opponent_see(&throws, &profile->rules, profile->ice, &guard);
    assert_int_equal(throws.count, OPPONENT_THROWS_MAX);
    assert_int_equal(class_of(&throws.throw[0], STYLE_KIND), 1);
}

/* ---- what rink makes of it ---- */

static struct player_answer rink_answer(const char *spec, const struct opponent_throws *throws)
{
    const struct profile *profile = profile_find("dc3");
    const struct noise noise = noise_default(profile->ice, profile->ice->noise);
    struct player player;
    char error[PLAYER_ERROR_MAX];
    struct player_answer answer;
    struct game game;

    assert_true(player_read(spec, &player, sizeof error, error));
    game_start(&profile->rules, 2, 0, 1, &game);
    const struct player_query query = {.game = &game,
                                       .ice = profile->ice,
                                       .noise = &noise,
                                       .seen = throws ? throws->throw : NULL,
                                       .seen_count = throws ? throws->count : 0,
                                       .limits = {.simulations = 2000, .threads = 1}};
    assert_int_equal(player_choose(&player, &query, &answer), PLAYER_OK);
    return answer;
}

static bool same_answer(const struct player_answer *a, const struct player_answer *b)
{
    return a->simulations == b->simulations && a->expected_score == b->expected_score &&
           memcmp(&a->shot, &b->shot, sizeof a->shot) == 0 &&
           memcmp(&a->distribution, &b->distribution, sizeof a->distribution) == 0;
}

static void a_sure_model_is_a_fixed_expectation(void **state)
{
    (void)state;
    struct opponent_throws weak = {.count = 0};
    const struct player_answer fallible =
                                   rink_answer("rink:opponent=fallible,objective=score", NULL),
                               best = rink_answer("rink:opponent=best,objective=score", NULL),
                               unsure = rink_answer("rink:opponent=model,objective=score", NULL);

    /* One that errs, and against which no network is shipped. */
    watch(profile_find("dc3"), "kr-uct:simulations=200", 8, 5, &weak);
    watch(profile_find("dc3"), "kr-uct:simulations=200", 8, 6, &weak);
    const struct player_answer sure = rink_answer("rink:opponent=model,objective=score", &weak);
    assert_true(same_answer(&sure, &fallible));
    assert_false(same_answer(&sure, &best));
    assert_false(same_answer(&unsure, &fallible));
    assert_false(same_answer(&unsure, &best));
    /* The side without the hammer expects more of an opponent that errs. */
    assert_true(best.expected_score < unsure.expected_score);
    assert_true(unsure.expected_score < fallible.expected_score);
    const struct player_answer blind = rink_answer("rink:objective=score", &weak);
    assert_true(same_answer(&blind, &fallible));
}

static void a_known_player_is_expected_to_throw_as_it_does(void **state)
{
    (void)state;
    struct opponent_throws known = {.count = 0}, equal = {.count = 0};
    const struct player_answer fallible = rink_answer("rink:opponent=fallible", NULL),
                               best = rink_answer("rink:opponent=best", NULL);

    watch(profile_find("dc3"), "dc3-rulebased", 8, 5, &known);
    const struct player_answer sure = rink_answer("rink", &known);
    assert_true(sure.expected_score > fallible.expected_score + 0.2);
    assert_true(sure.win_probability > fallible.win_probability + 0.2);
    watch(profile_find("dc3"), "rink:simulations=2000,opponent=best", 8, 5, &equal);
    const struct player_answer even = rink_answer("rink", &equal);
    assert_true(fabs(even.win_probability - best.win_probability) < 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_fill_the_numbers),
        cmocka_unit_test(a_throw_is_seen_as_what_it_was),
        cmocka_unit_test(stones_at_rest_are_enough),
        cmocka_unit_test(what_cannot_be_thrown_is_refused),
        cmocka_unit_test(without_throws_nothing_is_known),
        cmocka_unit_test(a_known_player_is_told_by_its_throws),
        cmocka_unit_test(one_that_throws_like_nobody_is_a_stranger),
        cmocka_unit_test(one_that_changes_is_followed),
        cmocka_unit_test(the_oldest_throws_are_forgotten),
        cmocka_unit_test(a_sure_model_is_a_fixed_expectation),
        cmocka_unit_test(a_known_player_is_expected_to_throw_as_it_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
