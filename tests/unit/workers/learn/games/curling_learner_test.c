/* Curling as learners see it: rewards by their definition, on hand-made and random ends, and an end
 * that follows rules, noise and keys. */
#include "workers/learn/games/curling_learner.h"

#include "models/game/score.h"
#include "models/game/setup.h"
#include "models/ice/action_grid.h"
#include "models/networks/compact_position.h"
#include "tests/unit/models/game/remove.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STATES_MAX = POSITION_STONES + 1 };

static struct learner_game *game_new(const struct curling_learner_settings *settings)
{
    char error[CURLING_LEARNER_ERROR_MAX];
    struct learner_game *game = curling_learner_new(settings, error);
    if (!game)
        fail_msg("%s", error);
    return game;
}

static struct learner_game *game_of(const char *profile, enum curling_reward reward,
                                    double discount)
{
    struct curling_learner_settings settings = curling_learner_defaults(rules_find(profile));
    settings.reward = reward;
    settings.discount = discount;
    return game_new(&settings);
}

/* A state or an observation. */
struct block {
    _Alignas(16) unsigned char bytes[LEARNER_BYTES_MAX];
};

/* Plays a random end: states[0 … decisions_max]. */
static void play_end(const struct learner_game *game, uint64_t number, struct block *states)
{
    struct random_key key = {.seed = 5, .game = number, .purpose = RANDOM_CHOICE};
    game->start(game, &key, &states[0]);
    for (int shot = 0; shot < game->decisions_max; shot++) {
        key.shot = (uint32_t)shot;
        memcpy(&states[shot + 1], &states[shot], game->state_size);
        assert_int_equal(game->mover(game, &states[shot]), shot & 1);
        /* Draws near the house, so that stones count. */
        double lines = random_uniform(&key, 0), weights = random_uniform(&key, 1);
        int action =
            action_of_parts((struct action){8 + (int)(16 * lines), 2 + (int)(5 * weights),
                                            shot % 3 ? ACTION_SPIN_LEFT : ACTION_SPIN_RIGHT});
        assert_true(game->play(game, &states[shot + 1], action, &key));
    }
    assert_int_equal(game->mover(game, &states[game->decisions_max]), -1);
}

/* Returns a seat's reward for its decision number t: for its own shot and the reply. */
static double pair_reward(const struct learner_game *game, struct block *states, int seat, int t)
{
    int own = 2 * (t - 1) + seat;
    double sum = game->reward(game, &states[own], &states[own + 1], seat);
    if (own + 2 <= game->decisions_max)
        sum += game->reward(game, &states[own + 1], &states[own + 2], seat);
    return sum;
}

static double phi_of(const struct learner_game *game, const void *state, int seat)
{
    return curling_phi((int)game->points(game, state), (enum seat)seat);
}

/* Returns the seat's observation at decision t, and the final state for t = 9. */
static const void *seen_at(struct block *states, int seat, int t)
{
    int shot = 2 * (t - 1) + seat;
    return &states[shot < POSITION_STONES ? shot : POSITION_STONES];
}

static void weights_are_those_of_the_paper(void **state)
{
    (void)state;
    double c = 8.0 + exp(1.0);
    assert_true(fabs(curling_reward_weight(c, 8) - 1.0) < 1e-15);
    assert_true(fabs(curling_reward_weight(c, 1) - 1.0 / log(7.0 + exp(1.0))) < 1e-15);
    for (int t = 1; t < 8; t++)
        assert_true(curling_reward_weight(c, t) < curling_reward_weight(c, t + 1));
    assert_true(isnan(curling_reward_weight(9.0, 8)));
    assert_true(curling_phi(1, SEAT_SENTE) == 0.5 && curling_phi(1, SEAT_GOTE) == -0.5);
    assert_true(curling_phi(-5, SEAT_SENTE) == -1.0 && curling_phi(-5, SEAT_GOTE) == 1.0);
}

/* Sente draws to the tee; gote takes the stone out and finally lies two. */
static void a_hand_made_end_is_rewarded_by_hand(void **state)
{
    (void)state;
    struct learner_game *ser = game_of("dc2", CURLING_SER, 1.0);
    struct block before = {0}, own = {0}, reply = {0};
    struct position position = {0};

    curling_learner_place(ser, &position, 0, &before);
    position_put(&position, 0, (struct vec2){0.0, SHEET_TEE_Y});
    curling_learner_place(ser, &position, 1, &own);
    position_remove(&position, 0);
    position_put(&position, 1, (struct vec2){0.1, SHEET_TEE_Y});
    curling_learner_place(ser, &position, 2, &reply);
    double w1 = 1.0 / log(7.0 + exp(1.0));
    assert_true(fabs(ser->reward(ser, &before, &own, 0) - 0.5 * w1) < 1e-15);
    assert_true(fabs(ser->reward(ser, &own, &reply, 0) - -1.0 * w1) < 1e-15);
    /* Gote has not decided before sente's shot; its own shot changes Phi from -1/2 to 1/2. */
    assert_true(ser->reward(ser, &before, &own, 1) == 0.0);
    assert_true(fabs(ser->reward(ser, &own, &reply, 1) - w1) < 1e-15);

    /* Gote's last shot makes two from nothing: weight 1, and sente's reward falls by as much. */
    position = (struct position){0};
    curling_learner_place(ser, &position, 15, &before);
    position_put(&position, 13, (struct vec2){0.5, SHEET_TEE_Y});
    position_put(&position, 15, (struct vec2){0.0, SHEET_TEE_Y});
    curling_learner_place(ser, &position, 16, &own);
    assert_true(fabs(ser->reward(ser, &before, &own, 1) - 1.0) < 1e-12);
    assert_true(fabs(ser->reward(ser, &before, &own, 0) - -1.0) < 1e-12);
    assert_true(ser->points(ser, &own) == -2.0);
    curling_learner_free(ser);
}

/* SER / w(t) sums to the change of Phi since the seat's first decision. */
static void ser_telescopes(void **state)
{
    (void)state;
    struct learner_game *game = game_of("dc2", CURLING_SER, 1.0);
    struct block *states = calloc(STATES_MAX, sizeof *states);
    double c = 8.0 + exp(1.0), spread = 0.0;
    for (uint64_t end = 0; end < 20; end++) {
        play_end(game, end, states);
        for (int seat = 0; seat < 2; seat++) {
            double sum = 0.0;
            for (int t = 1; t <= 8; t++) {
                double change = phi_of(game, seen_at(states, seat, t + 1), seat) -
                                phi_of(game, seen_at(states, seat, t), seat);
                double r = pair_reward(game, states, seat, t);
                assert_true(fabs(r - curling_reward_weight(c, t) * change) < 1e-12);
                sum += r / curling_reward_weight(c, t);
                spread += fabs(r);
            }
            double all =
                phi_of(game, &states[16], seat) - phi_of(game, seen_at(states, seat, 1), seat);
            assert_true(fabs(sum - all) < 1e-12);
        }
    }
    assert_true(spread > 10.0); /* the ends were not empty */
    free(states);
    curling_learner_free(game);
}

static void fr_comes_at_the_end_alone(void **state)
{
    (void)state;
    struct learner_game *game = game_of("dc3", CURLING_FR, 1.0);
    struct block *states = calloc(STATES_MAX, sizeof *states);
    int scored = 0;
    for (uint64_t end = 0; end < 20; end++) {
        play_end(game, end, states);
        for (int seat = 0; seat < 2; seat++) {
            for (int shot = 0; shot < 15; shot++)
                assert_true(game->reward(game, &states[shot], &states[shot + 1], seat) == 0.0);
            assert_true(game->reward(game, &states[15], &states[16], seat) ==
                        phi_of(game, &states[16], seat));
        }
        scored += game->points(game, &states[16]) != 0.0;
    }
    assert_true(scored >= 10);
    free(states);
    curling_learner_free(game);
}

/* In every end the discounted sum of ser-p is that of fr minus the value that the seat saw
 * first, which its decisions cannot change: the best policy stays best. Each R_t matches its
 * definition. */
static void ser_p_leaves_what_is_best(void **state)
{
    (void)state;
    const double discount = 0.97, c = 8.0 + exp(1.0);
    struct learner_game *shaped = game_of("dc2", CURLING_SER_P, discount);
    struct learner_game *plain = game_of("dc2", CURLING_FR, discount);
    struct block *states = calloc(STATES_MAX, sizeof *states);
    for (uint64_t end = 0; end < 20; end++) {
        play_end(shaped, end, states);
        for (int seat = 0; seat < 2; seat++) {
            double sum = 0.0, future = 0.0, factor = 1.0;
            for (int t = 1; t <= 8; t++, factor *= discount) {
                double r = pair_reward(shaped, states, seat, t);
                double next = t < 8 ? discount * curling_reward_weight(c, t + 1) *
                                          phi_of(shaped, seen_at(states, seat, t + 1), seat)
                                    : phi_of(shaped, &states[16], seat);
                double now =
                    curling_reward_weight(c, t) * phi_of(shaped, seen_at(states, seat, t), seat);
                assert_true(fabs(r - (next - now)) < 1e-12);
                sum += factor * r;
                future += factor * pair_reward(plain, states, seat, t);
            }
            double first =
                curling_reward_weight(c, 1) * phi_of(shaped, seen_at(states, seat, 1), seat);
            assert_true(fabs(sum - (future - first)) < 1e-12);
        }
    }
    free(states);
    curling_learner_free(shaped);
    curling_learner_free(plain);
}

/* Every profile whose ends begin empty; the same key gives the same end, another key another
 * end. */
static void all_profiles_are_played(void **state)
{
    (void)state;
    int played = 0;
    for (int k = 0; profile_at(k); k++) {
        const struct rules *rules = &profile_at(k)->rules;
        struct curling_learner_settings settings = curling_learner_defaults(rules);
        char error[CURLING_LEARNER_ERROR_MAX] = "";
        struct learner_game *game = curling_learner_new(&settings, error);
        if (!game)
            fail_msg("%s: %s", rules->name, error);
        struct block *states = calloc(STATES_MAX, sizeof *states);
        struct block *again = calloc(STATES_MAX, sizeof *again);
        play_end(game, 1, states);
        play_end(game, 1, again);
        assert_memory_equal(states, again, STATES_MAX * sizeof *states);
        play_end(game, 2, again);
        assert_memory_not_equal(&states[rules->shots], &again[rules->shots], game->state_size);
        free(states);
        free(again);
        curling_learner_free(game);
        played++;
    }
    assert_true(played >= 5);
}

/* Returns what the player to throw sees. */
static struct compact_position seen_of(const struct learner_game *game, const struct block *state)
{
    struct compact_position compact;
    struct block seen;

    game->observe(game, state, &seen);
    memcpy(&compact, &seen, sizeof compact);
    return compact;
}

static void mixed_doubles_begins_with_every_setup(void **state)
{
    (void)state;
    struct learner_game *game = game_of("dc4-modified", CURLING_FR, 1.0);
    const struct rules *rules = rules_find("dc4-modified");
    int begun[SETUP_COUNT][SETUP_PATTERNS] = {{0}};

    assert_int_equal(game->decisions_max, rules->shots);
    for (uint64_t end = 0; end < 60; end++) {
        const struct random_key key = {.seed = 5, .game = end};
        struct block now;
        game->start(game, &key, &now);
        const struct compact_position seen = seen_of(game, &now);
        assert_int_equal(seen.thrown, 0);
        assert_int_equal(seen.in_play, 3);
        for (int setup = 0; setup < SETUP_COUNT; setup++)
            for (int pattern = 0; pattern < SETUP_PATTERNS; pattern++) {
                const struct position placed = setup_position((enum setup)setup, pattern);
                const struct compact_position same = compact_position_of(&placed, 0);
                begun[setup][pattern] += memcmp(&seen, &same, sizeof same) == 0;
            }
    }
    for (int pattern = 0; pattern < SETUP_PATTERNS; pattern++) {
        assert_true(begun[SETUP_HOUSE][pattern] > 0); /* that of a guard looks the same */
        assert_true(begun[SETUP_LEFT][pattern] > 0);
        assert_true(begun[SETUP_RIGHT][pattern] > 0);
    }
    curling_learner_free(game);
}

/* The first stone that is thrown is stone 2: placed ones stay, and count. */
static void mixed_doubles_throws_behind_the_placed_stones(void **state)
{
    (void)state;
    struct learner_game *game = game_of("dc4-modified", CURLING_FR, 1.0);
    struct block states[STATES_MAX];
    int thrown = 0, early = 0;

    for (uint64_t end = 0; end < 20; end++) {
        play_end(game, end, states);
        for (int shot = 0; shot <= game->decisions_max; shot++) {
            const struct compact_position seen = seen_of(game, &states[shot]);
            assert_int_equal(seen.thrown, shot);
            assert_int_equal(seen.in_play >> (shot + 2), 0);
            thrown += shot > 0 && (seen.in_play >> (shot + 1) & 1);
            early += shot == 3 && (seen.in_play & 3) == 3;
        }
        const double points = game->points(game, &states[game->decisions_max]);
        assert_true(points >= -6.0 && points <= 6.0);
        assert_int_equal(game->mover(game, &states[game->decisions_max]), -1);
    }
    assert_true(thrown > 40);    /* of 200 */
    assert_int_equal(early, 20); /* of three shots none may remove a stone */
    curling_learner_free(game);
}

/* Returns how many of 32 hits drive an opponent's guard out of play before shot `thrown`. */
static int guards_hit_away(const struct learner_game *game, int thrown)
{
    const struct random_key key = {.seed = 1};
    struct position position = {0};
    struct block now, seen;
    int away = 0;

    position_put(&position, 0, (struct vec2){0.0, SHEET_TEE_Y - 3.0});
    for (int line = 0; line < ACTION_LINES; line++) {
        struct compact_position compact;
        curling_learner_place(game, &position, thrown, &now);
        int action = action_of_parts((struct action){line, 9, ACTION_SPIN_LEFT});
        assert_true(game->play(game, &now, action, &key));
        game->observe(game, &now, &seen);
        memcpy(&compact, &seen, sizeof compact);
        assert_int_equal(compact.thrown, thrown + 1);
        away += !(compact.in_play & 1);
    }
    return away;
}

/* With four protected shots a guard that was hit away is put back. */
static void the_free_guard_zone_holds(void **state)
{
    (void)state;
    struct curling_learner_settings settings = curling_learner_defaults(rules_find("dc2"));
    settings.noise = noise_default(ice_profile_find("dc2"), ICE_NOISE_NONE);
    struct learner_game *game = game_new(&settings);
    assert_int_equal(guards_hit_away(game, 3), 0);
    assert_true(guards_hit_away(game, 5) >= 2);
    curling_learner_free(game);
}

static void networks_see_the_position(void **state)
{
    (void)state;
    struct position position = {0};
    position_put(&position, 0, (struct vec2){0.3, SHEET_TEE_Y + 0.5});
    position_put(&position, 1, (struct vec2){-0.6, SHEET_TEE_Y - 2.5});
    for (int sees = POLICY_SEES_STONES; sees <= POLICY_SEES_PLANES; sees++) {
        struct curling_learner_settings settings = curling_learner_defaults(rules_find("dc2"));
        settings.sees = (enum policy_sees)sees;
        struct learner_game *game = game_new(&settings);
        struct block now, seen;
        size_t size = (size_t)game->inputs * sizeof(float);
        float *inputs = malloc(size), *wanted = malloc(size);
        bool legal[ACTIONS];

        curling_learner_place(game, &position, 3, &now);
        game->observe(game, &now, &seen);
        game->fill_inputs(game, &seen, inputs);
        struct compact_position compact;
        memcpy(&compact, &seen, sizeof compact);
        struct position rounded = compact_position_open(&compact);
        policy_fill_inputs((enum policy_sees)sees, &rounded, 3, SEAT_GOTE, wanted);
        assert_memory_equal(inputs, wanted, size);
        game->legal(game, &seen, legal);
        for (int a = 0; a < ACTIONS; a++)
            assert_int_equal(legal[a], action_is_playable(a));
        free(inputs);
        free(wanted);
        curling_learner_free(game);
    }
}

/* Deeds are what play() does, as likely as the noise makes them: over an action's own deeds, the
 * mean ratio of another action's likelihood to its own is 1 if both are near, whatever their
 * distance. */
static void likelihoods_of_deeds_match_the_noise(void **state)
{
    (void)state;
    static const char *const profiles[] = {"dc2", "dc3", "dc4"};
    for (int p = 0; p < 3; p++) {
        struct curling_learner_settings settings =
            curling_learner_defaults(rules_find(profiles[p]));
        struct learner_game *game = game_new(&settings);
        const struct ice_profile *ice = ice_profile_find(profiles[p]);
        int at = action_of_parts((struct action){15, 5, ACTION_SPIN_LEFT});
        int beside = action_of_parts((struct action){16, 5, ACTION_SPIN_LEFT});
        int other = action_of_parts((struct action){15, 5, ACTION_SPIN_RIGHT});
        struct learner_deed deed;
        double sum = 0.0;
        const int draws = 20000;
        for (int k = 0; k < draws; k++) {
            struct random_key key = {.seed = 9, .game = (uint64_t)k, .purpose = RANDOM_CHOICE};
            game->deed(game, at, &key, &deed);
            assert_true(game->likelihood(game, at, &deed) > 0.0);
            assert_true(game->likelihood(game, other, &deed) == 0.0);
            sum += game->likelihood(game, beside, &deed) / game->likelihood(game, at, &deed);
        }
        assert_true(fabs(sum / draws - 1.0) < 0.25);

        struct random_key key = {.seed = 9}, hand = key;
        hand.purpose = RANDOM_EXECUTION;
        game->deed(game, at, &key, &deed);
        struct shot shot =
            noise_apply(&settings.noise, ice, action_shot(ice, at), random_normal_pair(&hand, 0));
        assert_true(deed.at[0] == shot.velocity.x && deed.at[1] == shot.velocity.y);
        curling_learner_free(game);
    }
}

/* Mirroring twice restores the original; the mirror image of a position gives the mirrored
 * observation. */
static void mirror_twice_is_identity(void **state)
{
    (void)state;
    struct learner_game *game = game_of("dc2", CURLING_SER, 1.0);
    struct position position = {0};
    struct block now, seen, twice;
    float *inputs = malloc((size_t)game->inputs * sizeof *inputs);
    float *mirrored = malloc((size_t)game->inputs * sizeof *mirrored);

    position_put(&position, 0, (struct vec2){0.3, SHEET_TEE_Y + 0.5});
    position_put(&position, 1, (struct vec2){-0.6, SHEET_TEE_Y - 2.5});
    curling_learner_place(game, &position, 2, &now);
    game->observe(game, &now, &seen);
    game->observe(game, &now, &twice);
    game->fill_inputs(game, &seen, inputs);
    for (int a = 0; a < ACTIONS; a++)
        if (action_is_playable(a)) {
            int there = game->mirror(game, &twice, a);
            assert_int_equal(there, action_mirror(a));
            assert_memory_not_equal(&seen, &twice, game->observation_size);
            game->fill_inputs(game, &twice, mirrored);
            assert_int_equal(game->mirror(game, &twice, there), a);
            assert_memory_equal(&seen, &twice, game->observation_size);
        }
    policy_mirror_inputs(POLICY_SEES_STONES, mirrored);
    assert_memory_equal(inputs, mirrored, (size_t)game->inputs * sizeof *inputs);
    free(inputs);
    free(mirrored);
    curling_learner_free(game);
}

static void opponents_play(void **state)
{
    (void)state;
    struct curling_learner_settings settings = curling_learner_defaults(rules_find("dc2"));
    struct player players[2];
    char error[256];
    assert_true(player_read("ai-simple", &players[0], sizeof error, error));
    assert_true(player_read("random", &players[1], sizeof error, error));
    settings.opponents = players;
    settings.opponent_count = 2;
    struct learner_game *game = game_new(&settings);
    struct block now, same;
    int in_house = 0;
    assert_int_equal(game->opponents, 2);
    for (uint64_t end = 0; end < 20; end++) {
        struct random_key key = {.seed = 2, .game = end, .purpose = RANDOM_CHOICE};
        game->start(game, &key, &now);
        assert_true(game->opponent_play(game, 0, &now, &key));
        game->start(game, &key, &same);
        assert_true(game->opponent_play(game, 0, &same, &key));
        assert_memory_equal(&now, &same, game->state_size);
        assert_int_equal(game->mover(game, &now), 1);
        in_house += game->points(game, &now) > 0.0;
        assert_true(game->opponent_play(game, 1, &now, &key));
        assert_int_equal(game->mover(game, &now), 0);
    }
    assert_true(in_house >= 18); /* ai-simple draws to the tee */
    curling_learner_free(game);
}

static void a_bad_weight_is_refused(void **state)
{
    (void)state;
    struct curling_learner_settings settings = curling_learner_defaults(rules_find("dc2"));
    char error[CURLING_LEARNER_ERROR_MAX] = "";
    settings.reward_c = 9.0; /* c - 8 = 1: its logarithm is 0 */
    assert_null(curling_learner_new(&settings, error));
    assert_non_null(strstr(error, "reward_c"));
    settings.reward_c = 9.5;
    curling_learner_free(game_new(&settings));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_those_of_the_paper),
        cmocka_unit_test(a_hand_made_end_is_rewarded_by_hand),
        cmocka_unit_test(ser_telescopes),
        cmocka_unit_test(fr_comes_at_the_end_alone),
        cmocka_unit_test(ser_p_leaves_what_is_best),
        cmocka_unit_test(all_profiles_are_played),
        cmocka_unit_test(mixed_doubles_begins_with_every_setup),
        cmocka_unit_test(mixed_doubles_throws_behind_the_placed_stones),
        cmocka_unit_test(the_free_guard_zone_holds),
        cmocka_unit_test(networks_see_the_position),
        cmocka_unit_test(likelihoods_of_deeds_match_the_noise),
        cmocka_unit_test(mirror_twice_is_identity),
        cmocka_unit_test(opponents_play),
        cmocka_unit_test(a_bad_weight_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
