/* Players with policies that look along lines: each passes a position in as lines and reads the
 * outputs of the rows and of the rest back. */
#include "models/ice/action_grid.h"
#include "tests/unit/models/game/mirror.h"
#include "tests/unit/workers/search/asking.h"
#include "tests/unit/workers/search/policy/made_policy.h"
#include "workers/search/policy/policy_store.h"

#include <math.h>

/* Draws around the tee: on all lines, by weight, with both spins. */
enum { SHORTEST = 3, LONGEST = 5 };

static char model[65];

static int add_policy(void **state)
{
    (void)state;
    char error[NET_ERROR_MAX];
    const struct policy_form form = made_lines_form(POLICY_LOGITS, true);
    struct made_policy made = made_policy(&form, 3);

    for (int output = SHORTEST * ACTION_SPINS; output < (LONGEST + 1) * ACTION_SPINS; output++) {
        made_tensor_bias(&made, "sente.rows.layer2.bias", output, 30.0f);
        made_tensor_bias(&made, "gote.rows.layer2.bias", output, 30.0f);
    }
    /* Two points for gote. */
    made_tensor_bias(&made, "sente.rest.layer2.bias", POLICY_SCORE_ZERO - 2, 30.0f);
    made_tensor_bias(&made, "gote.rest.layer2.bias", POLICY_SCORE_ZERO - 2, 30.0f);
    bool good = policy_store_add(made.bytes, made.size, model, sizeof error, error);
    free(made.bytes);
    return good ? 0 : -1;
}

static bool is_favourite(struct shot shot)
{
    const struct shot *table = action_table(ice_profile_find("dc2"));
    for (int action = 0; action < ACTIONS; action++) {
        int weight = action_parts(action).weight;
        if (weight >= SHORTEST && weight <= LONGEST && action_is_playable(action) &&
            memcmp(&table[action], &shot, sizeof shot) == 0)
            return true;
    }
    return false;
}

static void the_policy_plays_what_its_rows_say(void **state)
{
    (void)state;
    for (int shot = 8; shot <= 9; shot++) {
        struct game game = mid_end();
        game.shot = shot;
        struct player_answer answer = ask_about(spec_with("policy", model, ""), &game, no_limits);
        assert_true(is_favourite(answer.shot));
        assert_true(fabs(answer.expected_score - (shot == 8 ? -2.0 : 2.0)) < 1e-3);
        assert_true(answer.candidates > 8);
        for (int k = 0; k < answer.candidates; k++)
            assert_true(is_favourite(answer.candidate[k].candidate.shot));
    }
}

/* Rotated it is another position; mirrored it is the same where both orientations are evaluated. */
static void mirrored_positions_have_one_answer_if_the_player_mirrors(void **state)
{
    (void)state;
    const struct game game = mid_end();
    struct game mirror = game;
    mirror.position = position_mirror(&game.position);
    const char *spec = spec_with("policy", model, ",mirror=true,temperature=1000");
    const struct player_answer one = ask_about(spec, &game, no_limits),
                               other = ask_about(spec, &mirror, no_limits);
    assert_int_equal(one.candidates, other.candidates);
    const struct shot turned = shot_mirror(&one.shot);
    assert_true(vec2_distance(turned.velocity, other.shot.velocity) < 1e-9);
    assert_true(turned.omega == other.shot.omega);
    for (int k = 0; k < one.candidates; k++)
        assert_true(fabs(one.candidate[k].prior - other.candidate[k].prior) < 1e-6);
}

static void searches_try_what_it_proposes(void **state)
{
    (void)state;
    static const char *const players[] = {"dl-uct", "kr-dl-uct"};
    for (int p = 0; p < 2; p++)
        for (int shot = 8; shot <= 9; shot++) {
            struct game game = mid_end();
            game.shot = shot;
            const char *spec = spec_with(players[p], model, ",value=policy,simulations=200,init=8");
            struct player_answer answer = ask_about(spec, &game, no_limits);
            struct player_answer again =
                ask_about(spec, &game, (struct player_limits){.threads = 3});
            int proposed = 0;
            for (int k = 0; k < answer.candidates; k++)
                proposed += is_favourite(answer.candidate[k].candidate.shot);
            assert_in_range(proposed, 2, 8);
            assert_true(fabs(answer.expected_score - (shot == 8 ? -2.0 : 2.0)) < 1e-3);
            assert_same_answer(&answer, &again);
        }
}

static void the_strong_search_tries_the_proposals_too(void **state)
{
    (void)state;
    const struct player_limits limits = {.simulations = 20000, .threads = 1};
    const struct game game = dc2_game(3);
    char spec[200];

    for (int proposals = 0; proposals <= 128; proposals += 128) {
        int tried = 0;
        snprintf(spec, sizeof spec, "rink:refined=0,policy=%s,proposals=%d", model, proposals);
        const struct player_answer answer = ask_about(spec, &game, limits);
        for (int k = 0; k < answer.candidates; k++)
            tried += is_favourite(answer.candidate[k].candidate.shot);
        assert_true((tried > 0) == (proposals > 0));
    }
    snprintf(spec, sizeof spec, "rink:value=policy,policy=%s,objective=score", model);
    assert_true(fabs(ask_about(spec, &game, limits).expected_score - 2.0) < 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_policy_plays_what_its_rows_say),
        cmocka_unit_test(mirrored_positions_have_one_answer_if_the_player_mirrors),
        cmocka_unit_test(searches_try_what_it_proposes),
        cmocka_unit_test(the_strong_search_tries_the_proposals_too),
    };
    return cmocka_run_group_tests(tests, add_policy, NULL);
}
