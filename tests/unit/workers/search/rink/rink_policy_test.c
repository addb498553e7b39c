/* The strong search with a policy: it tries the policy's proposals and values positions by its
 * scores. */
#include "models/tables/profiles.h"
#include "tests/unit/workers/search/asking.h"
#include "tests/unit/workers/search/policy/made_policy.h"
#include "workers/search/policy/policy_look.h"
#include "workers/search/policy/policy_store.h"

#include <math.h>

static struct player_answer ask_with_threads(const char *spec, const struct game *game, int threads)
{
    return ask_about(spec, game, (struct player_limits){.simulations = 20000, .threads = threads});
}

static void add(struct made_policy *made, char ret_sha256[65])
{
    char error[NET_ERROR_MAX];
    assert_true(policy_store_add(made->bytes, made->size, ret_sha256, sizeof error, error));
    free(made->bytes);
}

/* The first stones of an end, and a policy that proposes draws around the tee: some reach the final
 * round; without the policy nobody tries them. */
static void proposals_are_tried(void **state)
{
    (void)state;
    const struct shot *table = action_table(ice_profile_find("dc2"));
    const struct policy_form form = made_form(POLICY_LOGITS, false);
    struct made_policy made = made_policy(&form, 3);
    const struct game game = dc2_game(1);
    char sha256[65], spec[200];
    int proposed[2] = {0, 0};

    for (int a = 0; a < ACTIONS; a++) {
        const struct action parts = action_parts(a);
        if (parts.line >= 11 && parts.line <= 20 && parts.weight >= 3 && parts.weight <= 5)
            made_bias(&made, SEAT_GOTE, a, 30.0f);
    }
    add(&made, sha256);
    snprintf(spec, sizeof spec, "rink:opponent=best,refined=0,policy=%s,proposals=64", sha256);
    for (int shot = 1; shot <= 4; shot++) {
        const struct game some = dc2_game(shot);
        const struct player_answer answers[2] = {
            ask_with_threads("rink:opponent=best,refined=0", &some, 1),
            ask_with_threads(spec, &some, 1)};
        for (int w = 0; w < 2; w++)
            for (int k = 0; k < answers[w].candidates; k++)
                for (int a = 0; a < ACTIONS; a++)
                    proposed[w] += memcmp(&answers[w].candidate[k].candidate.shot, &table[a],
                                          sizeof table[a]) == 0;
    }
    assert_int_equal(proposed[0], 0);
    assert_true(proposed[1] > 0);

    /* With none requested, the result is the same as without a policy. */
    snprintf(spec, sizeof spec, "rink:opponent=best,refined=0,policy=%s,proposals=0", sha256);
    const struct player_answer none = ask_with_threads(spec, &game, 1),
                               without = ask_with_threads("rink:opponent=best,refined=0", &game, 1);
    assert_same_answer(&none, &without);
    policy_store_drop(sha256);
}

static void scores_of_the_network_value_positions(void **state)
{
    (void)state;
    const struct policy_form form = made_form(POLICY_LOGITS, true);
    struct made_policy made = made_policy(&form, 4);
    struct game game = dc2_game(9);
    char sha256[65], spec[200];

    position_put(&game.position, 1, (struct vec2){0.2, 38.2});
    position_put(&game.position, 2, (struct vec2){-0.4, 35.6});
    /* After gote's shot it is sente's turn, whose network expects gote to score three. */
    made_bias(&made, SEAT_SENTE, ACTIONS + POLICY_SCORE_ZERO - 3, 30.0f);
    made_bias(&made, SEAT_GOTE, ACTIONS + POLICY_SCORE_ZERO + 5, 30.0f);
    add(&made, sha256);
    snprintf(spec, sizeof spec, "rink:value=policy,policy=%s,objective=score", sha256);
    const struct player_answer answer = ask_with_threads(spec, &game, 1),
                               threads = ask_with_threads(spec, &game, 3);
    assert_true(fabs(answer.expected_score - 3.0) < 1e-3);
    assert_same_answer(&answer, &threads);
    policy_store_drop(sha256);
}

static void a_policy_is_needed_for_its_scores(void **state)
{
    (void)state;
    const struct policy_form form = made_form(POLICY_LOGITS, false);
    struct made_policy made = made_policy(&form, 5);
    struct player player;
    char sha256[65], spec[200], error[PLAYER_ERROR_MAX];

    add(&made, sha256);
    assert_false(player_read("rink:value=policy", &player, sizeof error, error));
    assert_non_null(strstr(error, "policy=MODEL"));
    snprintf(spec, sizeof spec, "rink:value=policy,policy=%s", sha256);
    assert_false(player_read(spec, &player, sizeof error, error));
    snprintf(spec, sizeof spec, "rink:policy=%s", sha256);
    assert_true(player_read(spec, &player, sizeof error, error));
    assert_string_equal(player.weights_sha256, sha256);
    policy_store_drop(sha256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proposals_are_tried),
        cmocka_unit_test(scores_of_the_network_value_positions),
        cmocka_unit_test(a_policy_is_needed_for_its_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
