/* The shipped networks: their knowledge, and the truth of their cards. */
#include "models/networks/end_value.h"
#include "models/networks/policy.h"

#include "models/game/sheet.h"
#include "models/tables/profiles.h"

#include <dirent.h>
#include <jansson.h>
#include <setjmp.h>
#include <sodium.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { WEIGHTS_BUDGET = 20000000 }; /* bytes of all files together; every image contains them */

/* Returns the mean score of sente. */
static double expected_points(const struct end_value *value, const struct position *position,
                              int thrown)
{
    float p[END_VALUE_SCORES];
    double sum = 0.0;
    end_value_scores(value, position, thrown, p);
    for (int k = 0; k < END_VALUE_SCORES; k++)
        sum += (double)p[k] * (k - END_VALUE_ZERO);
    return sum;
}

static void the_shipped_network_knows_the_obvious(void **state)
{
    (void)state;
    const struct end_value *value = end_value_shipped("end_value_dc2");
    assert_non_null(value);
    assert_null(end_value_shipped("no such file"));
    assert_null(end_value_shipped(NULL));
    /* One shot to go, three stones round the tee: gote's stones count for gote; with sente's stones
     * there little is left to gain for gote, who throws last. */
    double expected[2] = {0.0, 0.0};
    for (int seat = 0; seat < 2; seat++) {
        struct position position = {0};
        position_put(&position, 2 + seat, (struct vec2){0.0, SHEET_TEE_Y});
        position_put(&position, 4 + seat, (struct vec2){0.6, SHEET_TEE_Y});
        position_put(&position, 6 + seat, (struct vec2){-0.6, SHEET_TEE_Y});
        expected[seat] = expected_points(value, &position, 15);
    }
    print_message("three of sente's: %.2f, three of gote's: %.2f\n", expected[0], expected[1]);
    assert_true(expected[1] < -2.5);
    assert_true(expected[0] > expected[1] + 1.5);
}

static void expect_more(const char *profile, const char *file, int seat, double points,
                        double least)
{
    const struct end_value *hopeful = end_value_shipped(file);
    struct position empty = {0};
    if (!hopeful)
        return;
    double more = expected_points(hopeful, &empty, 1) - points;
    print_message("%s, %s: %+.2f points of sente\n", profile, file, more);
    assert_true(seat == SEAT_SENTE ? more > least : more < -least);
}

/* An empty end is worth more to either side against an erring opponent than against the best. */
static void a_network_against_mistakes_expects_more(void **state)
{
    (void)state;
    const struct profile *profile;
    struct position empty = {0};
    for (int k = 0; (profile = profile_at(k)) != NULL; k++) {
        double points = expected_points(end_value_shipped(profile->weights.best), &empty, 1);
        for (int seat = 0; seat < 2; seat++) {
            expect_more(profile->name, profile->weights.against[seat].file, seat, points, 0.1);
            for (int n = 0; n < PROFILE_KNOWN_MAX; n++)
                expect_more(profile->name, profile->weights.known[n].file[seat], seat, points, 0.3);
        }
    }
}

static json_t *card_of(const char *name)
{
    char path[512];
    json_error_t error;
    snprintf(path, sizeof path, "%s/%s.json", WEIGHTS_FOLDER, name);
    json_t *card = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!card)
        fail_msg("%s: %s", path, error.text);
    return card;
}

static void cards_say_which_bytes_they_are_of(void **state)
{
    (void)state;
    static const char ending[] = ".safetensors";
    static unsigned char bytes[1 << 22];
    DIR *folder = opendir(WEIGHTS_FOLDER);
    size_t total = 0;
    int cards = 0;

    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        unsigned char hash[crypto_hash_sha256_BYTES];
        char path[512], name[256], hex[2 * sizeof hash + 1];
        size_t length = strlen(entry->d_name);
        if (length < sizeof ending ||
            strcmp(entry->d_name + length + 1 - sizeof ending, ending) != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(length + 1 - sizeof ending), entry->d_name);
        snprintf(path, sizeof path, "%s/%s", WEIGHTS_FOLDER, entry->d_name);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        assert_in_range(size, 1, sizeof bytes - 1);
        crypto_hash_sha256(hash, bytes, size);
        sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
        json_t *card = card_of(name);
        assert_string_equal(json_string_value(json_object_get(card, "name")), name);
        assert_string_equal(json_string_value(json_object_get(card, "sha256")), hex);
        json_decref(card);
        total += size;
        cards++;
    }
    closedir(folder);
    print_message("%d files of weights, %.1f MB\n", cards, 1e-6 * (double)total);
    assert_true(total <= WEIGHTS_BUDGET);
    assert_int_equal(cards, 11);
}

/* Whether the card of a file names the opponent; 0: there is no such file. */
static int check_opponent(const char *file, const char *like, double share)
{
    if (!file)
        return 0;
    assert_non_null(end_value_shipped(file));
    json_t *card = card_of(file), *expected = json_object_get(card, "opponent");
    assert_string_equal(json_string_value(json_object_get(expected, "like")), like);
    assert_true(json_number_value(json_object_get(expected, "share")) == share);
    json_decref(card);
    return 1;
}

/* Compares a row of the profiles with the cards of its weights. */
static void cards_and_profiles_name_the_same_opponents(void **state)
{
    const struct profile *profile;
    int told = 0, known = 0;

    (void)state;
    for (int k = 0; (profile = profile_at(k)) != NULL; k++) {
        assert_non_null(end_value_shipped(profile->weights.best));
        for (int seat = 0; seat < 2; seat++) {
            told += check_opponent(profile->weights.against[seat].file,
                                   profile->weights.against[seat].like,
                                   profile->weights.against[seat].share);
            for (int n = 0; n < PROFILE_KNOWN_MAX; n++)
                known += check_opponent(profile->weights.known[n].file[seat],
                                        profile->weights.known[n].player, 1.0);
        }
    }
    assert_int_equal(told,
                     11); /* one for dc2, none for mixed doubles, two for every other profile */
    assert_int_equal(known, 6); /* one for every profile but mixed doubles */
}

/* Every profile that has a policy has one of its own rules, with a card that says how strong it is
 * and by which command. */
static void shipped_policies_can_be_read_and_their_cards_say_how_strong_they_are(void **state)
{
    char error[WEIGHTS_ERROR_MAX];
    const struct profile *profile;
    int policies = 0;

    (void)state;
    if (!policy_check_shipped(error))
        fail_msg("%s", error);
    for (int k = 0; (profile = profile_at(k)) != NULL; k++) {
        const char *file = profile->weights.policy;
        struct weights weights;
        struct policy *policy;
        if (!file)
            continue;
        assert_true(policy_map_shipped(file, &weights, error));
        assert_in_range(weights.size, 1, 5000000);
        assert_int_equal(policy_read(weights.bytes, weights.size, "cpu", &policy, error), NET_OK);
        weights_unmap(&weights);
        json_t *card = card_of(file);
        assert_string_equal(policy->form.profile,
                            json_string_value(json_object_get(card, "profile")));
        assert_string_equal(policy->form.algorithm, "nfsp");
        assert_string_equal(policy->form.policy, "average");
        const char *made_by =
            json_string_value(json_array_get(json_object_get(card, "made_by"), 0));
        const char *strength = json_string_value(json_object_get(card, "strength"));
        assert_non_null(strstr(made_by, "rink-learn train"));
        assert_non_null(strstr(strength, "ai-simple"));
        assert_non_null(strstr(strength, "rink-evaluate match --a nfsp --b ai-simple"));
        json_decref(card);
        policy_free(policy);
        policies++;
    }
    assert_true(policies > 0);
    assert_false(policy_map_shipped("no such file", &(struct weights){NULL, 0}, error));
    assert_non_null(strstr(error, "no such file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shipped_network_knows_the_obvious),
        cmocka_unit_test(a_network_against_mistakes_expects_more),
        cmocka_unit_test(cards_say_which_bytes_they_are_of),
        cmocka_unit_test(cards_and_profiles_name_the_same_opponents),
        cmocka_unit_test(shipped_policies_can_be_read_and_their_cards_say_how_strong_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
