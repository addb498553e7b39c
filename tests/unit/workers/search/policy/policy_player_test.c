/* The player `policy` and the store that supplies its weights. */
#include "tests/unit/workers/search/asking.h"
#include "tests/unit/workers/search/policy/made_policy.h"
#include "workers/search/policy/policy_look.h"
#include "workers/search/policy/policy_store.h"

#include "models/tables/profiles.h"
#include "tests/unit/models/game/mirror.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

static char folder[] = "/tmp/rinkd-models-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    policy_store_folder(folder);
    return 0;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* Saves the policy in the folder under its hash. */
static void publish(const struct made_policy *made, char ret_sha256[65])
{
    char path[256];
    made_sha256(made, ret_sha256);
    snprintf(path, sizeof path, "%s/%s.safetensors", folder, ret_sha256);
    made_save(made, path);
}

/* Returns a game of dc2 in its only end, before shot `shot`; stones 0 and 1 lie there. */
static struct game game_at(int shot)
{
    struct game game = dc2_game(shot);
    position_put(&game.position, 0, (struct vec2){0.3, SHEET_TEE_Y - 2.5});
    position_put(&game.position, 1, (struct vec2){-0.2, SHEET_TEE_Y + 0.4});
    return game;
}

static struct player policy_player_of(const char *setting, const char *sha256)
{
    return player_of(spec_with("policy", sha256, setting));
}

static struct player_answer ask_player(const struct player *player, const struct game *game,
                                       uint64_t seed)
{
    const struct ice_profile *ice = profile_of(game->rules)->ice;
    const struct noise noise = noise_default(ice, ice->noise);
    const struct player_query query = {
        .game = game, .ice = ice, .noise = &noise, .key = {.seed = seed}, .candidates = 4};
    struct player_answer answer;
    assert_int_equal(player_choose(player, &query, &answer), PLAYER_OK);
    return answer;
}

static int action_of(struct shot shot)
{
    const struct shot *table = action_table(ice_profile_find("dc2"));
    for (int a = 0; a < ACTIONS; a++)
        if (memcmp(&table[a], &shot, sizeof shot) == 0)
            return a;
    fail_msg("not one of the actions");
    return -1;
}

/* Two good actions for sente, one for gote, and one forbidden to both. */
enum { SENTE_A = 300, SENTE_B = 301, GOTE_A = 499, FORBIDDEN = 302 };

static struct made_policy known_policy(enum policy_outputs outputs, bool has_scores)
{
    const struct policy_form form = made_form(outputs, has_scores);
    struct made_policy made = made_policy(&form, 1);

    assert_true(action_is_playable(SENTE_A) && action_is_playable(SENTE_B) &&
                action_is_playable(GOTE_A) && !action_is_playable(FORBIDDEN));
    made_bias(&made, SEAT_SENTE, SENTE_A, 30.5f);
    made_bias(&made, SEAT_SENTE, SENTE_B, 30.0f);
    made_bias(&made, SEAT_GOTE, GOTE_A, 30.0f);
    made_bias(&made, SEAT_SENTE, FORBIDDEN, 60.0f);
    made_bias(&made, SEAT_GOTE, FORBIDDEN, 60.0f);
    if (has_scores) {
        made_bias(&made, SEAT_SENTE, ACTIONS + POLICY_SCORE_ZERO + 1, 30.0f);
        made_bias(&made, SEAT_GOTE, ACTIONS + POLICY_SCORE_ZERO - 3, 30.0f);
    }
    return made;
}

static void each_seat_plays_its_best_action(void **state)
{
    (void)state;
    for (int outputs = 0; policy_outputs_names[outputs]; outputs++) {
        struct made_policy made = known_policy((enum policy_outputs)outputs, false);
        char sha256[65], spec[PLAYER_SPEC_MAX], wanted[PLAYER_SPEC_MAX];
        publish(&made, sha256);
        const struct player player = policy_player_of("", sha256);
        const struct game sente = game_at(2), gote = game_at(3);

        struct player_answer answer = ask_player(&player, &sente, 1);
        assert_int_equal(action_of(answer.shot), SENTE_A);
        assert_false(answer.has_value);
        assert_int_equal(answer.candidates, 4);
        assert_int_equal(action_of(answer.candidate[0].candidate.shot), SENTE_A);
        assert_int_equal(action_of(answer.candidate[1].candidate.shot), SENTE_B);
        double odds = answer.candidate[0].prior / answer.candidate[1].prior;
        assert_true(odds > 1.0 && odds < 4.0);
        answer = ask_player(&player, &gote, 1);
        assert_int_equal(action_of(answer.shot), GOTE_A);
        assert_true(answer.candidate[0].prior > 0.99);

        assert_string_equal(player.weights_sha256, sha256);
        snprintf(wanted, sizeof wanted, "policy:weights=%s", sha256);
        player_write(&player, sizeof spec, spec);
        assert_string_equal(spec, wanted);
        free(made.bytes);
    }
}

static void scores_are_those_of_the_side_to_move(void **state)
{
    (void)state;
    struct made_policy made = known_policy(POLICY_LOGITS, true);
    char sha256[65];
    publish(&made, sha256);
    const struct player player = policy_player_of("", sha256);
    const struct game sente = game_at(2), gote = game_at(3);

    struct player_answer answer = ask_player(&player, &sente, 1);
    assert_true(answer.has_value);
    assert_true(fabs(answer.expected_score - 1.0) < 1e-3);
    assert_true(answer.win_probability > 0.999); /* the game's last end */
    answer = ask_player(&player, &gote, 1);
    assert_true(fabs(answer.expected_score - 3.0) < 1e-3);
    assert_true(answer.distribution.p[OBJECTIVE_ZERO + 3] > 0.999);
    free(made.bytes);
}

static void samples_are_drawn_by_their_chances(void **state)
{
    (void)state;
    struct made_policy made = known_policy(POLICY_LOGITS, false);
    char sha256[65];
    publish(&made, sha256);
    const struct player player = policy_player_of(",choice=sample", sha256),
                        sharp = policy_player_of(",choice=sample,temperature=0.01", sha256);
    const struct game game = game_at(2);
    const double share =
        ask_player(&player, &game, 0).candidate[0].prior; /* prior of the action drawn */
    int count[2] = {0, 0};

    assert_true(share > 0.2 && share < 0.8);
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct player_answer answer = ask_player(&player, &game, seed),
                             again = ask_player(&player, &game, seed);
        int action = action_of(answer.shot);
        assert_true(action == SENTE_A || action == SENTE_B);
        assert_memory_equal(&again.shot, &answer.shot, sizeof answer.shot);
        assert_int_equal(action_of(answer.candidate[0].candidate.shot), action);
        count[action == SENTE_B]++;
        assert_int_equal(action_of(ask_player(&sharp, &game, seed).shot), SENTE_A);
    }
    /* e^0.5 : 1 apart from the networks' small other terms; four standard deviations are 40. */
    assert_in_range(count[0], 160, 320);
    free(made.bytes);
}

static void the_mirror_image_is_answered_by_the_mirror_image(void **state)
{
    (void)state;
    const struct policy_form form = made_form(POLICY_LOGITS, true);
    struct made_policy made = made_policy(&form, 9);
    char sha256[65];
    publish(&made, sha256);
    const struct player player = policy_player_of(",mirror=true", sha256);

    for (int shot = 2; shot < 16; shot++) {
        struct game game = game_at(shot), mirror = game;
        mirror.position = position_mirror(&game.position);
        struct player_answer one = ask_player(&player, &game, 1),
                             other = ask_player(&player, &mirror, 1);
        assert_int_equal(action_mirror(action_of(one.shot)), action_of(other.shot));
        assert_true(fabs(one.expected_score - other.expected_score) < 1e-5);
    }
    free(made.bytes);
}

static void assert_unknown(const char *spec, const char *wanted)
{
    struct player player;
    char error[PLAYER_ERROR_MAX] = "";
    assert_false(player_read(spec, &player, sizeof error, error));
    if (!strstr(error, wanted))
        fail_msg("\"%s\": \"%s\" does not say \"%s\"", spec, error, wanted);
}

static void models_that_cannot_be_played_by_are_refused(void **state)
{
    (void)state;
    struct policy_form form = made_form(POLICY_LOGITS, false);
    char sha256[65], path[256], spec[400];

    assert_unknown("policy", "weights=MODEL is missing");
    assert_unknown("policy:weights=champion", "only the daemon knows names");
    assert_unknown("policy:weights=./no/such.safetensors", "No such file");
    assert_unknown("policy:weights="
                   "00000000000000000000000000000000000000000000000000000000000000aa",
                   "No such file");

    form.actions = 7;
    struct made_policy made = made_policy(&form, 1);
    publish(&made, sha256);
    snprintf(spec, sizeof spec, "policy:weights=%s", sha256);
    assert_unknown(spec, "actions: 7");
    free(made.bytes);

    /* Another file under the hash, and a truncated one. */
    made = known_policy(POLICY_LOGITS, false);
    snprintf(path, sizeof path,
             "%s/11111111111111111111111111111111111111111111111111111111111111bb.safetensors",
             folder);
    made_save(&made, path);
    assert_unknown("policy:weights="
                   "11111111111111111111111111111111111111111111111111111111111111bb",
                   "SHA-256 is another");
    made.size -= 4;
    snprintf(path, sizeof path, "%s/cut.safetensors", folder);
    made_save(&made, path);
    snprintf(spec, sizeof spec, "policy:weights=%s", path);
    assert_unknown(spec, "broken");
    free(made.bytes);
}

/* More policies than the store keeps: evicted ones are read again. */
static void policies_come_and_go(void **state)
{
    (void)state;
    const struct policy_form form = made_form(POLICY_LOGITS, false);
    enum { MANY = POLICY_STORE_MOST + 5 };
    struct player players[MANY];
    int first[MANY];
    const struct game game = game_at(2);

    for (int round = 0; round < 2; round++)
        for (int k = 0; k < MANY; k++) {
            if (round == 0) {
                struct made_policy made = made_policy(&form, (uint64_t)k + 100);
                char sha256[65];
                publish(&made, sha256);
                players[k] = policy_player_of("", sha256);
                free(made.bytes);
            }
            int action = action_of(ask_player(&players[k], &game, 1).shot);
            if (round == 0)
                first[k] = action;
            assert_int_equal(action, first[k]);
        }
}

static void policies_without_a_file_are_known_until_dropped(void **state)
{
    (void)state;
    const struct policy_form form = made_form(POLICY_LOGITS, false);
    struct made_policy made = made_policy(&form, 77);
    char sha256[65], error[NET_ERROR_MAX], spec[100];

    assert_true(policy_store_add(made.bytes, made.size, sha256, sizeof error, error));
    const struct player player = policy_player_of("", sha256);
    const struct game game = game_at(3);
    (void)ask_player(&player, &game, 1);
    policy_store_drop(sha256);
    snprintf(spec, sizeof spec, "policy:weights=%s", sha256);
    assert_unknown(spec, "No such file");
    assert_null(policy_store_borrow(sha256, sha256));
    assert_false(policy_store_add(made.bytes, 10, sha256, sizeof error, error));
    free(made.bytes);
}

enum { THREADS = 4, ASKED = 100 };

struct asker {
    struct player player;
    int action[14];
};

static void *ask_often(void *context)
{
    struct asker *asker = context;
    for (int k = 0; k < ASKED; k++) {
        int shot = 2 + k % 14;
        const struct game game = game_at(shot);
        asker->action[shot - 2] = action_of(ask_player(&asker->player, &game, 3).shot);
    }
    return NULL;
}

static void threads_play_by_the_same_weights(void **state)
{
    (void)state;
    const struct policy_form form = made_form(POLICY_LOGITS, false);
    struct made_policy made = made_policy(&form, 5);
    struct asker asker[THREADS];
    pthread_t thread[THREADS];
    char sha256[65];
    publish(&made, sha256);

    for (int k = 0; k < THREADS; k++) {
        asker[k] = (struct asker){.player = policy_player_of("", sha256)};
        assert_int_equal(pthread_create(&thread[k], NULL, ask_often, &asker[k]), 0);
    }
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_join(thread[k], NULL), 0);
    for (int k = 1; k < THREADS; k++)
        assert_memory_equal(asker[k].action, asker[0].action, sizeof asker[0].action);
    free(made.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_seat_plays_its_best_action),
        cmocka_unit_test(scores_are_those_of_the_side_to_move),
        cmocka_unit_test(samples_are_drawn_by_their_chances),
        cmocka_unit_test(the_mirror_image_is_answered_by_the_mirror_image),
        cmocka_unit_test(models_that_cannot_be_played_by_are_refused),
        cmocka_unit_test(policies_come_and_go),
        cmocka_unit_test(policies_without_a_file_are_known_until_dropped),
        cmocka_unit_test(threads_play_by_the_same_weights),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
