/* Values shots by replies or by play-outs. See referee.h. */
#include "workers/evaluate/regret/referee.h"

#include "models/ice/noise.h"
#include "models/networks/weights.h"
#include "models/tables/profiles.h"
#include "workers/evaluate/play/luck.h"
#include "workers/search/policy/value_store.h"
#include "workers/search/rink/rink.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Part of all values: never change it. */
#define REFEREE_SEED UINT64_C(24000000)

enum { SHOTS_PER_END_KEY = 16 /* random.h */ };

/* How each referee looks at a shot. */
static const struct {
    int executions;       /* of a block */
    const char *opponent; /* what the player who replies or plays on expects */
    int64_t throws;       /* of that player, a shot */
    int luck;             /* throws that measure the luck of each throw; 0: it stays */
} ways[] = {[REFEREE_ADJUSTED] = {24, "best", REFEREE_ADJUSTED_PLAYER, REFEREE_LUCK},
            [REFEREE_DEEP] = {64, "best", REFEREE_REPLY, 0},
            [REFEREE_PLAYOUTS] = {8, "fallible", REFEREE_PLAYER, 0}};

int referee_executions(enum referee_kind kind)
{
    return ways[kind].executions;
}

/* ---- who plays ---- */

enum { KNOWN_MAX = 16, FOLDER_BYTES = 3000 };

/* Loads the network of the bench's folder for a profile; "": it has none. False: it is damaged. */
static bool load_values(const char *profile, char ret_sha256[65])
{
    char folder[FOLDER_BYTES], path[FOLDER_BYTES + 100], why[PLAYER_ERROR_MAX];

    ret_sha256[0] = '\0';
    if (!weights_shared_folder("RINKD_REGRET", "regret", sizeof folder, folder))
        return true;
    snprintf(path, sizeof path, "%s/referee_%s.safetensors", folder, profile);
    return access(path, F_OK) != 0 || value_store_find(path, ret_sha256, sizeof why, why);
}

/* The scores of ends, for the team with the hammer, by which winning was valued when the bench was
 * made: part of all values, as the network is. Other profiles go by their own. */
static const struct {
    const char *profile;
    double ends[PROFILE_SCORES];
} kept_ends[] = {
    {"dc2", {0, 0, 0, 0, 0, 3, 33, 289, 0, 2304, 1066, 249, 46, 4, 6, 0, 0}},
    {"dc3", {0, 0, 0, 0, 1, 3, 41, 324, 0, 2245, 1066, 272, 45, 3, 0, 0, 0}},
};

/* What the bench keeps for the rules of a profile. */
struct kept {
    const struct rules *rules;
    char sha256[65];         /* of the network; "": none */
    struct win_table *table; /* NULL: that of the profile */
};

/* False: no memory. */
static bool load_table(const char *profile, struct win_table **ret_table)
{
    *ret_table = NULL;
    for (size_t k = 0; k < sizeof kept_ends / sizeof kept_ends[0]; k++)
        if (strcmp(kept_ends[k].profile, profile) == 0)
            return (*ret_table = win_table_new(kept_ends[k].ends)) != NULL;
    return true;
}

/* Loads it once in a process: it is asked thousands of times. NULL: the network is damaged, or no
 * memory. */
static const struct kept *kept_for(const struct rules *rules)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct kept known[KNOWN_MAX];
    static int count;
    bool good = true;
    int k = 0;

    pthread_mutex_lock(&lock);
    while (k < count && known[k].rules != rules)
        k++;
    if (k == count) {
        assert(count < KNOWN_MAX);
        good =
            load_values(rules->name, known[k].sha256) && load_table(rules->name, &known[k].table);
        known[k].rules = rules;
        count += good;
    }
    pthread_mutex_unlock(&lock);
    return good ? &known[k] : NULL;
}

/* The player whose replies or play-outs count. */
static bool read_player(enum referee_kind kind, const struct kept *kept, struct player *ret_player)
{
    char spec[200], why[PLAYER_ERROR_MAX];

    snprintf(spec, sizeof spec, "rink:opponent=%s%s%s", ways[kind].opponent,
             kept->sha256[0] ? ",values=" : "", kept->sha256);
    return player_read(spec, ret_player, sizeof why, why);
}

/* Luck is measured by the network and the table that are kept. False: there is no network. */
static bool read_luck(enum referee_kind kind, const struct kept *kept,
                      struct luck_setting *ret_luck)
{
    *ret_luck = luck_setting_of(kept->rules, ways[kind].luck);
    if (kept->sha256[0])
        ret_luck->value.network = value_store_get(kept->sha256);
    ret_luck->value.table = kept->table;
    return luck_setting_check(ret_luck) == NULL;
}

/* ---- looks ---- */

/* One look at an execution. */
struct look {
    enum referee_kind kind;
    const struct ice_profile *ice;
    struct noise noise;
    struct random_key key; /* its stream is the execution */
    const atomic_bool *cancel;
    const struct kept *kept;
    struct player player; /* finds replies, or plays on */
    struct luck_setting luck;
    struct player_answer *answer; /* large */
};

static struct player_query query_of(const struct look *look, const struct game *game)
{
    struct random_key key = look->key;

    key.shot = (uint32_t)(SHOTS_PER_END_KEY * game->end + game->shot);
    return (struct player_query){.game = game,
                                 .ice = look->ice,
                                 .noise = &look->noise,
                                 .limits = {.simulations = ways[look->kind].throws, .threads = 1},
                                 .key = key,
                                 .cancel = look->cancel};
}

/* Throws a shot with the error of its place in the game. False: it cannot be thrown. */
static bool throw_shot(const struct look *look, struct shot shot, struct game *game,
                       struct game_turn *ret_turn)
{
    struct random_key key = query_of(look, game).key;
    struct throw_result result;

    key.purpose = RANDOM_EXECUTION;
    const struct throw_request request = player_throw(
        game, look->ice, noise_apply(&look->noise, look->ice, shot, random_normal_pair(&key, 0)));
    return throw_fast(&request, &result) == THROW_OK &&
           game_play(game, &result.after, ret_turn) == GAME_OK;
}

/* Adds the score of a finished end, which is positive for sente. */
static void count_score(struct score_distribution *sum, int score, enum seat seat)
{
    sum->p[OBJECTIVE_ZERO + (seat == SEAT_SENTE ? score : -score)] += 1.0;
}

/* Chooses a shot as the player does, by the table that was kept. With `ret_scores` also measures it
 * (NULL: not). */
static enum player_status choose_shot(const struct look *look, const struct player_query *query,
                                      struct score_distribution *ret_scores)
{
    struct rink_opened opened;
    enum player_status status = rink_open(&look->player, query, &opened);

    opened.settings.value.table = look->kept->table;
    if (status == PLAYER_OK)
        status = rink_choose(&opened.settings, query, look->answer);
    if (status == PLAYER_OK && ret_scores)
        *ret_scores = rink_measure(&opened.settings, query, look->answer->shot, REFEREE_MEASURED);
    return rink_close(&opened) ? status : PLAYER_FAILED;
}

/* Adds the scores after the best reply. */
static enum player_status count_reply(const struct look *look, const struct game *after,
                                      struct score_distribution *sum)
{
    const struct player_query query = query_of(look, after);
    struct score_distribution reply;
    enum player_status status = choose_shot(look, &query, &reply);

    for (int k = 0; k < OBJECTIVE_SCORES && status == PLAYER_OK; k++)
        sum->p[OBJECTIVE_SCORES - 1 - k] += reply.p[k]; /* the other side's view */
    return status;
}

/* Subtracts the luck of the next throw, if it is measured, from a value for the seat. */
static void subtract_luck(const struct look *look, const struct game *game, struct shot shot,
                          enum seat seat, struct referee_value *value)
{
    const double sign = game_next_seat(game) == seat ? 1.0 : -1.0;
    const struct player_query query = query_of(look, game);

    if (look->luck.throws == 0)
        return;
    const struct pair_luck luck = luck_of_throw(&look->luck, &query, shot);
    value->win -= sign * luck.win;
    value->points -= sign * luck.points;
}

/* Plays the end out and adds its score. */
static enum player_status count_playout(const struct look *look, struct game *game, enum seat seat,
                                        struct score_distribution *sum, struct referee_value *luck)
{
    struct game_turn turn = {.end_finished = false};

    while (!turn.end_finished) {
        const struct player_query query = query_of(look, game);
        enum player_status status = choose_shot(look, &query, NULL);
        if (status != PLAYER_OK)
            return status;
        if (player_is_cancelled(&query))
            return PLAYER_OK;
        const struct shot shot = look->answer->shot;
        subtract_luck(look, game, shot, seat, luck);
        if (!throw_shot(look, shot, game, &turn))
            return PLAYER_FAILED;
    }
    count_score(sum, turn.score, seat);
    return PLAYER_OK;
}

/* Adds what came of an execution to `sum`, and its luck, negative, to `luck`. */
static enum player_status count_execution(const struct look *look, const struct game *game,
                                          struct shot shot, struct score_distribution *sum,
                                          struct referee_value *luck)
{
    const enum seat seat = game_next_seat(game);
    struct game after = *game;
    struct game_turn turn;

    subtract_luck(look, game, shot, seat, luck);
    if (!throw_shot(look, shot, &after, &turn))
        return PLAYER_FAILED;
    if (turn.end_finished) {
        count_score(sum, turn.score, seat);
        return PLAYER_OK;
    }
    return look->kind == REFEREE_DEEP ? count_reply(look, &after, sum)
                                      : count_playout(look, &after, seat, sum, luck);
}

enum player_status referee_look(enum referee_kind kind, const struct game *game, int number,
                                struct shot shot, int block, const atomic_bool *cancel,
                                struct referee_value *ret_value)
{
    const struct profile *profile = profile_of(game->rules);
    struct score_distribution sum = {{0.0}};
    struct referee_value luck = {0.0, 0.0}; /* negative */
    struct objective objective;
    struct look look = {.kind = kind,
                        .ice = profile->ice,
                        .noise = noise_default(profile->ice, profile->ice->noise),
                        .key = {.seed = REFEREE_SEED, .game = (uint64_t)number},
                        .cancel = cancel,
                        .kept = kept_for(game->rules),
                        .answer = malloc(sizeof *look.answer)};
    enum player_status status = PLAYER_OK;

    assert(block >= 0 && block < REFEREE_BLOCKS);
    if (!look.answer)
        return PLAYER_NO_MEMORY;
    if (!look.kept || !read_player(kind, look.kept, &look.player) ||
        !read_luck(kind, look.kept, &look.luck))
        status = PLAYER_FAILED;
    for (int k = 0; status == PLAYER_OK && k < ways[kind].executions; k++) {
        look.key.stream = 1 + (uint64_t)(block * ways[kind].executions + k);
        if (cancel && atomic_load_explicit(cancel, memory_order_relaxed))
            break;
        status = count_execution(&look, game, shot, &sum, &luck);
    }
    free(look.answer);
    if (status != PLAYER_OK)
        return status;
    for (int k = 0; k < OBJECTIVE_SCORES; k++)
        sum.p[k] /= ways[kind].executions;
    objective_of_game(game, OBJECTIVE_WIN, look.kept->table, &objective);
    *ret_value =
        (struct referee_value){objective_win(&objective, &sum) + luck.win / ways[kind].executions,
                               objective_score(&sum) + luck.points / ways[kind].executions};
    return PLAYER_OK;
}
