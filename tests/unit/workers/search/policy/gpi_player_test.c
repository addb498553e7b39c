/* The player `gpi` throws the best of its random shots by the network of the shot's number, and the
 * player `nfsp` the likeliest action of the policy that is shipped. */
#include "models/ice/action_grid.h"
#include "models/ice/aim.h"
#include "tests/unit/workers/search/asking.h"
#include "tests/unit/workers/search/policy/made_policy.h"
#include "workers/search/policy/policy_store.h"
#include "workers/search/policy/shot_values.h"

#include <math.h>

static char valued[65], plain[65];

static int add_models(void **state)
{
    const struct policy_form form = made_form(POLICY_LOGITS, false);
    struct made_policy made = made_policy(&form, 3), shots = made_shots_policy(5);
    char error[WEIGHTS_ERROR_MAX];

    (void)state;
    bool good = policy_store_add(shots.bytes, shots.size, valued, sizeof error, error) &&
                policy_store_add(made.bytes, made.size, plain, sizeof error, error);
    free(shots.bytes);
    free(made.bytes);
    return good ? 0 : -1;
}

static void the_best_of_its_shots_is_thrown(void **state)
{
    const struct game game = mid_end();
    const struct ice_profile *ice = profile_of(game.rules)->ice;
    const struct shot_box box = shot_box_of(ice);
    const struct random_key key = {
        .seed = 5, .shot = (uint32_t)game.shot, .purpose = RANDOM_CHOICE};
    struct player_answer answer =
        ask_about(spec_with("gpi", valued, ",draws=100"), &game, no_limits);
    struct policy *policy = policy_store_borrow(valued, valued);
    struct shot_scene scene;
    double most = -INFINITY;
    struct shot best = {.omega = 0.0};

    (void)state;
    assert_non_null(policy);
    shot_scene_of(game.rules, ice, &game.position, game.shot, &scene);
    for (uint64_t k = 0; k < 100; k++) {
        const struct shot shot = shot_box_draw(&box, &key, k);
        float inputs[POLICY_SHOTS_INPUTS], scores[POLICY_SHOT_SCORES];
        memcpy(inputs, scene.features, sizeof scene.features);
        shot_inputs(&scene, &shot, inputs + END_FEATURES);
        assert_int_equal(net_evaluate(policy->net[game.shot], 1, inputs, scores), NET_OK);
        double points = shot_scores(scores);
        if (points > most + 1e-9) {
            most = points;
            best = shot;
        }
    }
    policy_store_return(policy);
    assert_memory_equal(&answer.shot, &best, sizeof best);
    assert_true(fabs(answer.expected_score - most) < 1e-5);
    assert_true(answer.candidates > 1);
    for (int k = 1; k < answer.candidates; k++)
        assert_true(answer.candidate[k].value <= answer.candidate[k - 1].value);
    const struct player_answer again =
        ask_about(spec_with("gpi", valued, ",draws=100"), &game, no_limits);
    assert_same_answer(&answer, &again);
}

static void random_shots_fill_a_box_with_both_spins(void **state)
{
    const struct ice_profile *ice = ice_profile_find("dc3");
    const struct shot_box box = shot_box_of(ice);
    const struct random_key key = {.seed = 1, .purpose = RANDOM_CHOICE};
    int left = 0, quarters[4] = {0};

    (void)state;
    for (uint64_t k = 0; k < 4000; k++) {
        const struct shot shot = shot_box_draw(&box, &key, k);
        double x = shot.velocity.x / box.across_most,
               y = (shot.velocity.y - box.along_least) / (box.along_most - box.along_least);
        assert_true(x >= -1.0 && x <= 1.0 && y >= 0.0 && y <= 1.0);
        assert_true(fabs(shot.omega) == ice->spin);
        left += shot.omega > 0.0;
        quarters[(x > 0.0 ? 2 : 0) + (y > 0.5 ? 1 : 0)]++;
    }
    assert_in_range(left, 1850, 2150);
    for (int k = 0; k < 4; k++)
        assert_in_range(quarters[k], 850, 1150);
}

/* A hit on the nose, a miss, and a draw that would count. */
static void inputs_see_the_stones_in_the_way(void **state)
{
    const struct rules *rules = rules_find("dc2");
    const struct ice_profile *ice = profile_of(rules)->ice;
    struct position position = {.in_play = 0};
    float hit[POLICY_SHOT_INPUTS], miss[POLICY_SHOT_INPUTS], draw[POLICY_SHOT_INPUTS];
    struct shot_scene scene;
    struct shot shot;

    (void)state;
    position_put(&position, 1, (struct vec2){0.5, SHEET_TEE_Y});
    shot_scene_of(rules, ice, &position, 2, &scene);
    assert_int_equal(scene.points, -1);
    assert_int_equal(aim_hit(ice, &position, 1, 0.0, 8.0, ice->spin, &shot, NULL), AIM_OK);
    shot_inputs(&scene, &shot, hit);
    assert_true(hit[7] == 0.0f);
    assert_true(hit[16] == 0.0f && hit[26] == 1.0f && fabsf(hit[27]) < 0.2f);
    assert_true(hit[16 + 20] == 0.0f && hit[26 + 20] == 0.0f);
    assert_int_equal(aim_draw(ice, (struct vec2){-0.5, SHEET_TEE_Y + 0.3}, ice->spin, &shot),
                     AIM_OK);
    shot_inputs(&scene, &shot, miss);
    assert_true(miss[7] == 1.0f && miss[4] == 1.0f && miss[10] == 0.0f);
    assert_int_equal(aim_draw(ice, (struct vec2){-0.1, SHEET_TEE_Y}, -ice->spin, &shot), AIM_OK);
    shot_inputs(&scene, &shot, draw);
    assert_true(draw[7] == 1.0f && draw[8] == 0.25f && draw[9] == -0.25f && draw[10] == 0.5f);
    assert_true(fabsf(draw[0] + 0.05f) < 1e-3f && fabsf(draw[1]) < 1e-3f && draw[6] == -1.0f);
}

static void models_of_the_other_kind_are_refused(void **state)
{
    static const char *const specs[][2] = {{"gpi", plain}, {"kr-dl-uct", valued}};
    struct player player;
    char error[PLAYER_ERROR_MAX];

    (void)state;
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
        const char *spec = spec_with(specs[k][0], specs[k][1], "");
        assert_false(player_read(spec, &player, sizeof error, error));
        assert_non_null(strstr(error, specs[k][0]));
        assert_non_null(strstr(error, k == 0 ? "does not value" : "values single shots"));
    }
}

/* A run's policies are players under their names, whatever the algorithm: the player `policy` plays
 * by networks of shots as `gpi` does. */
static void a_policy_may_value_shots(void **state)
{
    const struct game game = mid_end();
    char error[PLAYER_ERROR_MAX];
    const struct player_answer gpi = ask_about(spec_with("gpi", valued, ""), &game, no_limits),
                               policy =
                                   ask_about(spec_with("policy", valued, ""), &game, no_limits);

    (void)state;
    assert_same_answer(&gpi, &policy);
    for (int k = 0; k < 2; k++) {
        const struct player player = player_of(spec_with(k ? "gpi" : "policy", valued, ""));
        assert_true(player.class->check_rules(&player, rules_find("dc3"), sizeof error, error));
        assert_false(
            player.class->check_rules(&player, rules_find("dc4-modified"), sizeof error, error));
        assert_non_null(strstr(error, "dc4-modified"));
    }
}

static void the_shipped_policy_plays(void **state)
{
    static const char *const players[] = {"nfsp", "nfsp:choice=sample,mirror=false",
                                          "kr-dl-uct:simulations=60", "dl-uct:simulations=60"};
    const struct game game = hit_to_win();
    char error[PLAYER_ERROR_MAX];
    const struct shot *table = action_table(ice_profile_find("dc2"));
    bool is_action = false;

    (void)state;
    for (size_t k = 0; k < sizeof players / sizeof players[0]; k++) {
        const struct player player = player_of(players[k]);
        assert_true(player.class->check_rules(&player, rules_find("dc2"), sizeof error, error));
        assert_false(
            player.class->check_rules(&player, rules_find("dc4-modified"), sizeof error, error));
        assert_non_null(strstr(error, "no policy is shipped for dc4-modified"));
        const struct player_answer answer = ask_about(players[k], &game, no_limits);
        assert_true(answer.candidates > 1);
        assert_true(answer.candidate[0].prior > 0.0);
    }
    const struct player_answer likeliest = ask_about("nfsp", &game, no_limits);
    for (int a = 0; a < ACTIONS; a++)
        is_action |= memcmp(&table[a], &likeliest.shot, sizeof table[a]) == 0;
    assert_true(is_action);
    /* It has no scores to value positions by. */
    const struct player player = player_of("kr-dl-uct:value=policy");
    assert_false(player.class->check_rules(&player, rules_find("dc2"), sizeof error, error));
    assert_non_null(strstr(error, "does not predict"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_of_its_shots_is_thrown),
        cmocka_unit_test(random_shots_fill_a_box_with_both_spins),
        cmocka_unit_test(inputs_see_the_stones_in_the_way),
        cmocka_unit_test(models_of_the_other_kind_are_refused),
        cmocka_unit_test(a_policy_may_value_shots),
        cmocka_unit_test(the_shipped_policy_plays),
    };
    return cmocka_run_group_tests(tests, add_models, NULL);
}
