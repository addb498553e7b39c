/* The table of players. */
#include "api/base/clock.h"
#include "workers/search/player/player.h"
#include "workers/search/player/win_table.h"
#include "workers/search/policy/policy_store.h"
#include "workers/search/policy/value_store.h"
#include "workers/search/rules/switch_player.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Each player is defined in the file named after it. To add one, add a declaration and a line
 * below. */
extern const struct player_class player_ai_simple;
extern const struct player_class player_dc3_rulebased;
extern const struct player_class player_dl_uct;
extern const struct player_class player_doubles_simple;
extern const struct player_class player_generator;
extern const struct player_class player_gpi;
extern const struct player_class player_kr_dl_uct;
extern const struct player_class player_kr_uct;
extern const struct player_class player_nfsp;
extern const struct player_class player_policy;
extern const struct player_class player_random;
extern const struct player_class player_rink;

static const struct player_class *const classes[] = {
    &player_random,
    &player_ai_simple,
    &player_dc3_rulebased,
    &player_doubles_simple,
    &player_generator,
    &player_kr_uct,
    &player_rink,
    &player_policy,
    &player_nfsp,
    &player_dl_uct,
    &player_kr_dl_uct,
    &player_gpi,
    NULL,
};

static struct player_kind kind_of(const struct player_class *class)
{
    return (struct player_kind){class->name, class->about, class->settings};
}

void player_kinds(struct player_kind ret_kinds[PLAYER_KINDS_MAX])
{
    _Static_assert(sizeof classes / sizeof classes[0] <= PLAYER_KINDS_MAX, "too many classes");
    int count = 0;

    for (; classes[count]; count++)
        ret_kinds[count] = kind_of(classes[count]);
    ret_kinds[count] = (struct player_kind){0};
}

/* Whether a model is one that the player plays by. */
static bool has_right_model(const struct player *player, const char *model, size_t size,
                            char *ret_error)
{
    bool values_shots = policy_store_values_shots(model, player->weights_sha256);

    switch (player->class->models) {
    case PLAYER_MODELS_ANY:
        return true;
    case PLAYER_MODELS_SHOTS:
        if (!values_shots)
            snprintf(ret_error, size,
                     "player %s: this model is a policy, it does not value single "
                     "shots",
                     player->class->name);
        return values_shots;
    default:
        if (values_shots)
            snprintf(ret_error, size,
                     "player %s: this model values single shots, only gpi and "
                     "policy throw by it",
                     player->class->name);
        return !values_shots;
    }
}

bool player_read(const char *text, struct player *ret_player, size_t size, char *ret_error)
{
    struct player_kind kinds[PLAYER_KINDS_MAX];
    struct player_spec spec;

    player_kinds(kinds);
    if (!player_spec_read(kinds, text, &spec, size, ret_error))
        return false;
    struct player player = {.class = classes[spec.kind]};
    if (spec.model[0] && !policy_store_find(spec.model, player.weights_sha256, size, ret_error))
        return false;
    if (spec.values[0] && !value_store_find(spec.values, player.values_sha256, size, ret_error))
        return false;
    memcpy(player.values, spec.values, sizeof spec.values);
    memcpy(player.setting, spec.setting, sizeof spec.setting);
    memcpy(player.model, spec.model, sizeof spec.model);
    if (spec.model[0] && !has_right_model(&player, spec.model, size, ret_error))
        return false;
    if (player.class->check && !player.class->check(&player, size, ret_error))
        return false;
    *ret_player = player;
    return true;
}

bool player_read_turns(const char *text, struct player *ret_player, size_t size, char *ret_error)
{
    return player_is_switch(text) ? switch_player_read(text, ret_player, size, ret_error)
                                  : player_read(text, ret_player, size, ret_error);
}

void player_write(const struct player *player, size_t size, char *ret_text)
{
    if (player->turns) {
        switch_player_write(player, size, ret_text);
        return;
    }
    const struct player_kind kind = kind_of(player->class);
    struct player_spec spec = {.kind = 0};

    memcpy(spec.setting, player->setting, sizeof spec.setting);
    memcpy(spec.model, player->model, sizeof spec.model);
    memcpy(spec.values, player->values, sizeof spec.values);
    player_spec_write(&kind, &spec, size, ret_text);
}

/* The index of the setting of simulations; -1: the player has none. */
static int simulations_of(const struct player *player)
{
    const struct player_setting *setting = player->class->settings;

    for (int k = 0; setting && setting[k].name; k++)
        if (strcmp(setting[k].name, "simulations") == 0)
            return k;
    return -1;
}

bool player_searches(const struct player *player)
{
    return simulations_of(player) >= 0;
}

int64_t player_budget(const struct player *player)
{
    int k = simulations_of(player);

    return k >= 0 && player->setting[k] != player->class->settings[k].initial
               ? (int64_t)player->setting[k]
               : 0;
}

enum player_status player_choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer)
{
    struct player_answer answer = {0};

    throw_warm_up(query->ice);
    double start_s = clock_now_s();
    enum player_status status = player->class->choose(player, query, &answer);
    if (status != PLAYER_OK)
        return status;
    answer.elapsed_s = clock_now_s() - start_s;
    assert(answer.candidates >= 0 && answer.candidates <= PLAYER_CANDIDATES_MAX);
    assert(query->limits.simulations <= 0 || answer.simulations <= query->limits.simulations);
    *ret_answer = answer;
    return PLAYER_OK;
}

enum setup player_set_up(const struct player *player, const struct game *game, int64_t game_number)
{
    assert(game_wants_setup(game));
    enum setup setup =
        player->class->set_up ? player->class->set_up(player, game, game_number) : SETUP_HOUSE;
    return game_allows_setup(game, setup) ? setup : SETUP_HOUSE;
}

enum setup player_set_up_by_table(const struct player *player, const struct game *game,
                                  int64_t game_number)
{
    (void)player, (void)game_number;
    return win_table_setup(game);
}
