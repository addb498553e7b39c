/* Kuhn and Leduc poker, the walker over them, and line curling as a learner sees it, against known
 * values. */
#include "tests/unit/workers/learn/games/cfr.h"
#include "workers/learn/games/best_response_walker.h"
#include "workers/learn/games/line_learner.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_close(double value, double expected, double most)
{
    if (!(fabs(value - expected) <= most))
        fail_msg("%.9f is not %.9f", value, expected);
}

static void uniform(void *context, int seat, const void *observation, double *ret_p)
{
    const struct learner_game *game = context;
    bool legal[LEARNER_ACTIONS_MAX];
    int count = 0;
    (void)seat;
    game->legal(game, observation, legal);
    for (int a = 0; a < game->actions; a++)
        count += legal[a];
    for (int a = 0; a < game->actions; a++)
        ret_p[a] = legal[a] ? 1.0 / count : 0.0;
}

static void first_action(void *context, int seat, const void *observation, double *ret_p)
{
    const struct learner_game *game = context;
    bool legal[LEARNER_ACTIONS_MAX], found = false;
    (void)seat;
    game->legal(game, observation, legal);
    for (int a = 0; a < game->actions; a++) {
        ret_p[a] = legal[a] && !found ? 1.0 : 0.0;
        found |= legal[a];
    }
}

/* Returns a policy only for the first seat. */
static void mute(void *context, int seat, const void *observation, double *ret_p)
{
    const struct learner_game *game = context;
    uniform(context, seat, observation, ret_p);
    for (int a = 0; a < game->actions && seat == 1; a++)
        ret_p[a] = NAN;
}

static double nash_conv(const struct learner_game *game, learner_policy *policy, void *context)
{
    double e[2];
    assert_int_equal(walked_exploitability(game, policy, context, e), EXPLOITABILITY_OK);
    return e[0] + e[1];
}

/* Returns the expected points of seat 0 from a state on when both seats play the policy. */
static double value_from(const struct learner_game *game, const void *state, learner_policy *policy,
                         void *context)
{
    static const struct random_key no_chance = {0};
    int mover = game->mover(game, state);
    _Alignas(16) unsigned char bytes[LEARNER_BYTES_MAX];
    double p[LEARNER_ACTIONS_MAX], value = 0.0;
    if (mover < 0)
        return game->points(game, state);
    game->observe(game, state, bytes);
    policy(context, mover, bytes, p);
    for (int a = 0; a < game->actions; a++) {
        if (p[a] <= 0.0)
            continue;
        memcpy(bytes, state, game->state_size);
        assert_true(game->play(game, bytes, a, &no_chance));
        value += p[a] * value_from(game, bytes, policy, context);
    }
    return value;
}

static double policy_value(const struct learner_game *game, learner_policy *policy, void *context)
{
    double value = 0.0;
    for (int k = 0; k < game->starts; k++) {
        _Alignas(16) unsigned char state[LEARNER_BYTES_MAX];
        double p = game->start_number(game, k, state);
        value += p > 0.0 ? p * value_from(game, state, policy, context) : 0.0;
    }
    return value;
}

static struct cfr *cfr_new(const struct learner_game *game)
{
    struct cfr *cfr = calloc(1, sizeof *cfr);
    assert_non_null(cfr);
    cfr->game = game;
    return cfr;
}

static void kuhn_has_the_known_values(void **state)
{
    (void)state;
    void *game = (void *)&kuhn_game;
    assert_close(nash_conv(game, uniform, game) / 2.0, 11.0 / 24.0, 1e-12);
    assert_close(nash_conv(game, first_action, game), 2.0, 1e-12);
    /* Both seats uniformly random: the second seat gains an eighth of a chip. */
    assert_close(policy_value(game, uniform, game), 0.125, 1e-12);

    struct cfr *cfr = cfr_new(game);
    for (int k = 0; k < 20000; k++)
        cfr_iterate(cfr);
    assert_true(nash_conv(game, cfr_average, cfr) < 0.002);
    assert_close(policy_value(game, cfr_average, cfr), -1.0 / 18.0, 0.001);
    free(cfr);
}

/* Not mistaken for a policy that nobody can exploit. */
static void a_policy_without_probabilities_is_an_error(void **state)
{
    const struct learner_game *games[] = {&kuhn_game, &leduc_game}, *line = line_learner_game(3);
    double e[2] = {-9.0, -9.0};
    (void)state;
    for (int k = 0; k < 2; k++) {
        void *game = (void *)games[k];
        assert_int_equal(walked_exploitability(game, mute, game, e), EXPLOITABILITY_FAILED);
    }
    assert_int_equal(line_learner_exploitability(line, mute, (void *)line, e),
                     EXPLOITABILITY_FAILED);
    assert_true(e[0] == -9.0 && e[1] == -9.0);
}

/* The program is linked with --wrap=calloc,realloc: while memory is short, they fail. */
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
static bool memory_is_short;

void *__wrap_calloc(size_t count, size_t size)
{
    return memory_is_short ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return memory_is_short ? NULL : __real_realloc(memory, size);
}

/* Kuhn poker that refuses to play, and a policy that has no answer after some decisions; from then
 * on memory is short, too. Counts calls of both. */
static int plays, asked, knows;

static bool will_not_play(const struct learner_game *game, void *state, int action,
                          const struct random_key *key)
{
    (void)game, (void)state, (void)action, (void)key;
    plays++;
    return false;
}

static void forgetful(void *context, int seat, const void *observation, double *ret_p)
{
    const struct learner_game *game = context;
    uniform(context, seat, observation, ret_p);
    if (asked++ < knows)
        return;
    for (int a = 0; a < game->actions; a++)
        ret_p[a] = NAN;
    memory_is_short = true;
}

static void assert_walk_fails(const struct learner_game *game, int decisions,
                              enum exploitability_status status)
{
    double e[2];
    asked = plays = 0;
    knows = decisions;
    enum exploitability_status found = walked_exploitability(game, forgetful, (void *)game, e);
    memory_is_short = false;
    assert_int_equal(found, status);
}

/* Neither the policy nor the game is called again, and the first error is the one reported. */
static void a_walk_ends_with_its_first_error(void **state)
{
    struct learner_game stubborn = kuhn_game;
    (void)state;
    assert_walk_fails(&kuhn_game, 0, EXPLOITABILITY_FAILED); /* at its first decision */
    assert_int_equal(asked, 1);
    assert_walk_fails(&kuhn_game, 12, EXPLOITABILITY_FAILED); /* while answering a best response */
    assert_int_equal(asked, 13);

    stubborn.play = will_not_play;
    assert_walk_fails(&stubborn, 100, EXPLOITABILITY_FAILED);
    assert_int_equal(asked, 1);
    assert_int_equal(plays, 1);

    memory_is_short = true;
    assert_walk_fails(&kuhn_game, 1, EXPLOITABILITY_NO_MEMORY);
    assert_int_equal(asked, 1);
}

static void leduc_has_the_known_values(void **state)
{
    static const struct {
        int iteration;
        double exploitability;
    } known[] = {{1, 2.37361}, {101, .093949}, {201, .053338}, {301, .035508}, {1000, .011818}};
    (void)state;
    void *game = (void *)&leduc_game;
    assert_close(nash_conv(game, uniform, game), 4.747222, 5e-7);
    assert_close(nash_conv(game, first_action, game), 2.0, 1e-12);

    struct cfr *cfr = cfr_new(game);
    int iteration = 0;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        while (iteration < known[k].iteration) {
            cfr_iterate(cfr);
            iteration++;
        }
        assert_close(nash_conv(game, cfr_average, cfr) / 2.0, known[k].exploitability,
                     iteration == 1000 ? 2e-6
                     : k               ? 5e-7
                                       : 5e-6); /* rounding errors accumulate */
    }
    double value = policy_value(game, cfr_average, cfr);
    assert_true(value > -0.0873 && value < -0.0848);
    int spots = 0;
    for (int k = 0; k < CFR_PLACES; k++)
        spots += cfr->spot[k].used;
    assert_int_equal(spots, 288); /* ranks, not cards */
    free(cfr);
}

/* Plays random games: starting draws have the right frequencies, the rewards of both seats are
 * opposite and sum to the points over a scale, and illegal actions are those of the rules. */
static void games_are_fair(void **state)
{
    static const struct {
        const struct learner_game *game;
        double scale;
    } games[] = {{&kuhn_game, 3.0}, {&leduc_game, 26.0}};
    (void)state;
    for (int g = 0; g < 2; g++) {
        const struct learner_game *game = games[g].game;
        struct random_key key = {.seed = 5, .purpose = RANDOM_CHOICE};
        enum { GAMES = 20000 };
        int seen[32] = {0};
        for (key.game = 0; key.game < GAMES; key.game++) {
            _Alignas(16) unsigned char now[LEARNER_BYTES_MAX], before[LEARNER_BYTES_MAX],
                bytes[LEARNER_BYTES_MAX];
            double rewards[2] = {0.0, 0.0};
            key.shot = 99;
            game->start(game, &key, now);
            for (int k = 0; k < game->starts; k++) {
                game->start_number(game, k, bytes);
                seen[k] += memcmp(bytes, now, game->state_size) == 0;
            }
            int decisions = 0;
            for (key.shot = 0; game->mover(game, now) >= 0; key.shot++, decisions++) {
                bool legal[LEARNER_ACTIONS_MAX];
                game->observe(game, now, bytes);
                game->legal(game, bytes, legal);
                int action = (int)(random_uniform(&key, 0) * game->actions);
                while (!legal[action])
                    action = (action + 1) % game->actions;
                memcpy(before, now, game->state_size);
                assert_true(game->play(game, now, action, &key));
                for (int seat = 0; seat < 2; seat++)
                    rewards[seat] += game->reward(game, before, now, seat);
            }
            assert_in_range(decisions, 1, game->decisions_max);
            /* Counted from the ante, which both have already paid. */
            assert_close(rewards[0] * games[g].scale, 1.0 + game->points(game, now), 1e-9);
            assert_close(rewards[1] * games[g].scale, 1.0 - game->points(game, now), 1e-9);
        }
        double sum = 0.0;
        for (int k = 0; k < game->starts; k++) {
            _Alignas(16) unsigned char bytes[LEARNER_BYTES_MAX];
            double p = game->start_number(game, k, bytes);
            sum += p;
            assert_close(seen[k] / (double)GAMES, p, 5.0 * sqrt(p * (1.0 - p) / GAMES) + 1e-12);
        }
        assert_close(sum, 1.0, 1e-12);
    }
}

static void line_curling_is_the_same_game(void **state)
{
    static const struct {
        double sente, gote;
    } known[] = {{.888888889, .777777778}, {1.630208333, 1.436149691}, {2.228328584, 1.923846879}};
    (void)state;
    for (int stones = 1; stones <= 3; stones++) {
        const struct learner_game *game = line_learner_game(stones);
        double e[2];
        assert_int_equal(line_learner_exploitability(game, uniform, (void *)game, e),
                         EXPLOITABILITY_OK);
        assert_close(e[0], known[stones - 1].sente, 5e-10);
        assert_close(e[1], known[stones - 1].gote, 5e-10);
    }

    /* Each seat draws to the tee: slips by quarters; inputs are from the mover's view. */
    const struct learner_game *game = line_learner_game(1);
    int scored[3] = {0};
    struct random_key key = {.seed = 3};
    enum { ENDS = 8000 };
    for (key.game = 0; key.game < ENDS; key.game++) {
        _Alignas(16) unsigned char now[LEARNER_BYTES_MAX], before[LEARNER_BYTES_MAX];
        float inputs[64];
        key.shot = 0;
        game->start(game, &key, now);
        game->play(game, now, LINE_TEE, &key);
        game->fill_inputs(game, now, inputs);
        float stones = 0.0f; /* the other seat's stones, beside the tee or on it */
        for (int cell = LINE_TEE - 1; cell <= LINE_TEE + 1; cell++)
            stones += inputs[LINE_CELLS + cell];
        assert_true(stones == 1.0f && inputs[2 * LINE_CELLS + 1] == 1.0f);
        assert_true(game->mover(game, now) == 1);
        memcpy(before, now, game->state_size);
        key.shot = 1;
        game->play(game, now, 0, &key); /* far away */
        assert_true(game->mover(game, now) == -1);
        assert_true(game->points(game, now) == 1.0);
        assert_true(game->reward(game, before, now, 0) == 0.5);
        assert_true(game->reward(game, before, now, 1) == -0.5);
        for (int cell = LINE_TEE - 1; cell <= LINE_TEE + 1; cell++)
            scored[cell - LINE_TEE + 1] += inputs[LINE_CELLS + cell] == 1.0f;
    }
    assert_close(scored[0] / (double)ENDS, 0.25, 0.025);
    assert_close(scored[1] / (double)ENDS, 0.50, 0.025);
    assert_close(scored[2] / (double)ENDS, 0.25, 0.025);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kuhn_has_the_known_values),
        cmocka_unit_test(a_policy_without_probabilities_is_an_error),
        cmocka_unit_test(a_walk_ends_with_its_first_error),
        cmocka_unit_test(leduc_has_the_known_values),
        cmocka_unit_test(games_are_fair),
        cmocka_unit_test(line_curling_is_the_same_game),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
