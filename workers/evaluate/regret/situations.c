/* Draws, reads and writes the positions of the regret bench. See situations.h. */
#include "workers/evaluate/regret/situations.h"

#include "api/base/build_json.h"
#include "api/curling/game_json.h"
#include "models/ice/noise.h"
#include "models/tables/profiles.h"
#include "workers/evaluate/regret/numbered_lines.h"
#include "workers/search/player/player.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { GAME_ENDS = 8, SHOTS = 16 };

#define RANDOM_SHARE (1.0 / 6.0)

/* ---- drawing ---- */

/* Who throws the stones; the last one also where a shot is at random. */
static const char *const throwers[] = {"rink:simulations=1000", "rink:simulations=1000",
                                       "kr-uct:simulations=400", "generator", "random"};
enum { THROWERS = sizeof throwers / sizeof throwers[0], RANDOM = THROWERS - 1 };

/* Draws of a situation; the order of the samples is part of the file. */
enum { DRAW_END, DRAW_LEAD, DRAW_HAMMER, DRAW_THROWER, DRAW_SEATS = DRAW_THROWER + 2 };

static int draw(const struct random_key *key, uint64_t sample, int count)
{
    return (int)(random_uniform(key, sample) * count);
}

/* Starts a game in one of its last ends, at a lead that a game may have. */
static bool start(const struct profile *profile, const struct random_key *key,
                  struct game *ret_game)
{
    static const int ends_left[] = {1, 1, 2, 2, 3, 4, 6, 8};
    static const int leads[] = {-3, -2, -1, -1, 0, 0, 0, 1, 1, 2, 3};
    enum {
        ENDS_LEFT = sizeof ends_left / sizeof ends_left[0],
        LEADS = sizeof leads / sizeof leads[0]
    };
    const int hammer = draw(key, DRAW_HAMMER, 2), lead = leads[draw(key, DRAW_LEAD, LEADS)];

    if (game_start(&profile->rules, GAME_ENDS, profile->rules.extra_ends, hammer, ret_game) !=
        GAME_OK)
        return false;
    ret_game->end = GAME_ENDS - ends_left[draw(key, DRAW_END, ENDS_LEFT)];
    if (ret_game->end > 0)
        ret_game->scores[lead < 0][0] = (int8_t)abs(lead);
    return true;
}

static bool throw_one(const struct profile *profile, const struct noise *noise, const char *spec,
                      struct random_key key, struct game *game)
{
    static _Thread_local struct player_answer answer; /* large */
    struct player player;
    char error[PLAYER_ERROR_MAX];
    const struct player_query query = {
        .game = game, .ice = profile->ice, .noise = noise, .limits = {.threads = 1}, .key = key};
    struct throw_result result;

    if (!player_read(spec, &player, sizeof error, error) ||
        player_choose(&player, &query, &answer) != PLAYER_OK)
        return false;
    key.purpose = RANDOM_EXECUTION;
    const struct throw_request request =
        player_throw(game, profile->ice,
                     noise_apply(noise, profile->ice, answer.shot, random_normal_pair(&key, 0)));
    return throw_fast(&request, &result) == THROW_OK &&
           game_play(game, &result.after, NULL) == GAME_OK;
}

bool situations_draw(uint64_t seed, int number, struct game *ret_game)
{
    const struct profile *profile = profile_find(number / SHOTS % 2 == 0 ? "dc2" : "dc3");
    const struct noise noise = noise_default(profile->ice, profile->ice->noise);
    struct random_key key = {.seed = seed, .game = (uint64_t)number, .purpose = RANDOM_SCENE};

    if (!start(profile, &key, ret_game))
        return false;
    const char *const of_seat[2] = {throwers[draw(&key, DRAW_THROWER, RANDOM)],
                                    throwers[draw(&key, DRAW_THROWER + 1, RANDOM)]};
    for (int shot = 0; shot < number % SHOTS; shot++) {
        const bool is_random = random_uniform(&key, DRAW_SEATS + (uint64_t)shot) < RANDOM_SHARE;
        struct random_key own = key;
        own.shot = (uint32_t)(SHOTS * ret_game->end + shot);
        if (!throw_one(profile, &noise,
                       is_random ? throwers[RANDOM] : of_seat[game_next_seat(ret_game)], own,
                       ret_game))
            return false;
    }
    return true;
}

/* ---- the file ---- */

bool situations_write(FILE *out, int number, const struct game *game)
{
    json_t *line = json_pack("{s:i, s:s, s:o, s:{s:i, s:i}}", "number", number, "profile",
                             game->rules->name, "state", game_state_json(game), "setting",
                             "max_end", game->ends, "extra_ends", game->extra_ends);
    bool good = line && json_dumpf(line, out, JSON_COMPACT) == 0 && fputc('\n', out) != EOF;

    json_decref(line);
    return good;
}

static bool take(void *context, int number, const struct strict_place *line)
{
    static const char *const members[] = {"number", "profile", "state", "setting", NULL};
    struct situations *situations = context;
    struct game game;

    if (number == SITUATIONS_MAX)
        return strict_refuse(line, "value", "more than %d lines", SITUATIONS_MAX);
    if (!strict_object(line, members) || !game_decode(line, &game))
        return false;
    struct game *games =
        realloc(situations->games, ((size_t)situations->count + 1) * sizeof *games);
    if (!games)
        return false;
    games[situations->count++] = game;
    situations->games = games;
    return true;
}

bool situations_read(const char *path, struct situations *ret_situations,
                     char ret_error[SITUATIONS_ERROR_MAX])
{
    struct situations situations = {.count = 0};
    int count = numbered_lines_read(path, INT_MAX, take, &situations, ret_error);
    bool good = count > 0 && file_hash(path, situations.sha256);

    if (count >= 0 && !good)
        snprintf(ret_error, SITUATIONS_ERROR_MAX, "%.180s: %s", path,
                 count > 0 ? strerror(errno) : "the file has no positions");
    if (good)
        *ret_situations = situations;
    else
        situations_free(&situations);
    return good;
}

void situations_free(struct situations *situations)
{
    free(situations->games);
    *situations = (struct situations){.count = 0};
}
