/* rink:values=MODEL: it plays by the network of a file as by the shipped one, and says what is
 * wrong with a file by which it cannot play. */
#include "tests/unit/workers/search/asking.h"
#include "workers/search/policy/value_store.h"
#include "workers/search/rink/rink.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/rink_values.XXXXXX";
static struct end_value *network;

/* Writes a file of the network; `note` NULL: as shipped files are. */
static void write_file(const char *name, const char *profile, const char *version)
{
    json_t *notes =
        version ? json_pack("{s:s, s:s}", END_VALUE_NOTE, version, "profile", profile) : NULL;
    unsigned char *bytes;
    char path[PATH_MAX];
    size_t size;

    assert_int_equal(end_value_write(network, notes, &bytes, &size), NET_OK);
    json_decref(notes);
    snprintf(path, sizeof path, "%s/%s.safetensors", folder, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(bytes);
}

static int make_files(void **state)
{
    const struct end_value *shipped =
        end_value_shipped(profile_of(rules_find("dc2"))->weights.best);

    (void)state;
    network = aligned_alloc(_Alignof(struct end_value), sizeof *network);
    if (!network || !shipped || !mkdtemp(folder))
        return -1;
    *network = *shipped;
    write_file("whole", "dc2", END_VALUE_VERSION);
    write_file("first", "dc2", END_VALUE_FIRST);
    write_file("shipped", "dc2", NULL);
    write_file("newer", "dc2", "9");
    network->stage[14].bias3[3] += 1.0f; /* another file */
    write_file("other", "dc2", END_VALUE_VERSION);
    memset(&network->stage[3], 0, sizeof network->stage[3]);
    write_file("begun", "dc2", END_VALUE_VERSION);
    write_file("unknown", "dc9", END_VALUE_VERSION);
    *network = *shipped;
    memset(&network->stage[9], 0, 6 * sizeof network->stage[9]); /* an end has 10 shots */
    write_file("doubles", "dc4-modified", END_VALUE_VERSION);
    return 0;
}

static int remove_files(void **state)
{
    static const char *const names[] = {"whole", "first", "shipped", "newer",
                                        "other", "begun", "unknown", "doubles"};
    char path[PATH_MAX];

    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        snprintf(path, sizeof path, "%s/%s.safetensors", folder, names[k]);
        unlink(path);
    }
    free(network);
    return rmdir(folder);
}

static const char *spec_of(const char *name, const char *more)
{
    static char spec[PATH_MAX];

    snprintf(spec, sizeof spec, "rink:values=%s/%s.safetensors%s", folder, name, more);
    return spec;
}

static void it_plays_by_the_network_of_the_file(void **state)
{
    struct game game;

    (void)state;
    assert_int_equal(game_start(rules_find("dc2"), 1, 0, 1, &game), GAME_OK);
    game.shot = 14;
    const struct ice_profile *ice = profile_of(game.rules)->ice;
    const struct noise noise = noise_default(ice, ice->noise);
    const struct player_query query = {.game = &game,
                                       .ice = ice,
                                       .noise = &noise,
                                       .limits = {.simulations = 3000, .threads = 1},
                                       .key = {.seed = 11, .shot = 14}};
    const struct player_answer shipped = ask("rink:opponent=best", &query),
                               same = ask(spec_of("whole", ",opponent=best"), &query),
                               first = ask(spec_of("first", ",opponent=best"), &query),
                               other = ask(spec_of("other", ",opponent=best"), &query);
    assert_memory_equal(&same.shot, &shipped.shot, sizeof same.shot);
    assert_true(same.expected_score == shipped.expected_score);
    assert_true(isfinite(first.expected_score));
    assert_true(other.expected_score != shipped.expected_score);
}

static void assert_refused(const char *spec, const char *why)
{
    char error[PLAYER_ERROR_MAX] = "";
    struct player player;

    assert_false(player_read(spec, &player, sizeof error, error));
    if (!strstr(error, why))
        fail_msg("%s: \"%s\" does not say \"%s\"", spec, error, why);
}

static void a_file_that_is_no_such_network_is_refused(void **state)
{
    (void)state;
    assert_refused(spec_of("missing", ""), "No such file");
    assert_refused(spec_of("shipped", ""), "not an end-value network of a training");
    assert_refused(spec_of("newer", ""), "another version");
    assert_refused(spec_of("begun", ""), "not complete");
    assert_refused(spec_of("unknown", ""), "does not know");
    assert_refused(spec_of("whole", ",value=count"), "value=network");
    assert_refused("rink:values=some.name", "only the daemon knows names");
    assert_refused("policy:weights=x,values=y", "not one of its settings");
}

static void it_plays_the_profile_of_its_training_alone(void **state)
{
    char error[PLAYER_ERROR_MAX] = "", text[PLAYER_SPEC_MAX];
    struct player player;

    (void)state;
    assert_true(player_read(spec_of("whole", ""), &player, sizeof error, error));
    assert_true(player.class->check_rules(&player, rules_find("dc2"), sizeof error, error));
    assert_false(player.class->check_rules(&player, rules_find("dc3"), sizeof error, error));
    assert_non_null(strstr(error, "trained for dc2, not for dc3"));
    player_write(&player, sizeof text, text);
    assert_string_equal(text, spec_of("whole", ""));
    assert_int_equal(strlen(player.values_sha256), 64);
    assert_true(player_read(spec_of("doubles", ""), &player, sizeof error, error));
    assert_true(
        player.class->check_rules(&player, rules_find("dc4-modified"), sizeof error, error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_plays_by_the_network_of_the_file),
        cmocka_unit_test(a_file_that_is_no_such_network_is_refused),
        cmocka_unit_test(it_plays_the_profile_of_its_training_alone),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
