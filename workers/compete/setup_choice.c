/* Play-outs by a quick player. See setup_choice.h. */
#include "workers/compete/setup_choice.h"

#include "workers/search/player/player.h"

#include <math.h>

/* Quick, but it respects protected stones and knows all shots. */
#define QUICK "generator"
enum { THROWS = 150 }; /* of a move */

/* Points decide between setups that win equally often. */
#define POINT_WORTH 0.01

/* Plays the end out and returns its score for sente. */
static int play_out(const struct situation *situation, const struct player *quick, struct game game,
                    struct random_key key)
{
    struct game_turn turn = {.end_finished = false};

    while (!turn.end_finished) {
        const struct player_query query = {
            .game = &game,
            .ice = situation->ice,
            .noise = &situation->hands[game.shot],
            .hands = situation->hands,
            .limits = {.simulations = THROWS, .threads = 1},
            .key = key,
        };
        struct player_answer answer;
        struct throw_result result = {.after = game.position};

        key.shot++;
        if (player_choose(quick, &query, &answer) == PLAYER_OK) {
            struct random_key luck = key;
            luck.purpose = RANDOM_EXECUTION;
            struct shot thrown = noise_apply(&situation->hands[game.shot], situation->ice,
                                             answer.shot, random_normal_pair(&luck, 0));
            struct throw_request request = player_throw(&game, situation->ice, thrown);
            if (throw_fast(&request, &result) != THROW_OK)
                result.after = game.position;
        }
        if (game_play(&game, &result.after, &turn) != GAME_OK)
            return 0;
    }
    return turn.score;
}

/* Our worth of a score of sente. */
static double worth_of(const struct game *begun, int team, int sente_score)
{
    struct objective objective;
    bool is_sente = begun->hammer_team != team;
    int score = sente_score < -OBJECTIVE_ZERO ? -OBJECTIVE_ZERO : sente_score;

    score = score > OBJECTIVE_ZERO ? OBJECTIVE_ZERO : score;
    objective_of_game(begun, OBJECTIVE_WIN, &objective);
    double win = objective.win[OBJECTIVE_ZERO + score];
    double points = is_sente ? score : -score;
    return (is_sente ? win : 1.0 - win) + POINT_WORTH * points;
}

static bool is_weighed(const struct situation *situation, enum setup setup)
{
    const struct game *game = &situation->game;

    if (setup == SETUP_HOUSE || setup == SETUP_GUARD)
        return true;
    return situation->has_power_play && game->end < game->ends &&
           game->end >= game->ends - SETUP_POWER_ENDS;
}

enum setup setup_choose(const struct situation *situation, uint64_t seed, int64_t rounds,
                        double until_s, const atomic_bool *cancel, int64_t *ret_rounds,
                        double *ret_win)
{
    struct game begun[SETUP_COUNT];
    double sum[SETUP_COUNT] = {0.0};
    struct player quick;
    char error[PLAYER_ERROR_MAX];
    enum setup best = SETUP_HOUSE;
    int64_t most = rounds > 0 ? rounds : SETUP_ROUNDS_MAX, done = 0;

    *ret_rounds = 0;
    *ret_win = NAN;
    if (!player_read(QUICK, &quick, sizeof error, error))
        return best;
    for (int k = 0; k < SETUP_COUNT; k++)
        begun[k] =
            situation_set_up(&situation->game, situation->team, (enum setup)k, situation->pattern);
    while (done < most && !atomic_load(cancel) &&
           (rounds > 0 || done == 0 || clock_now_s() < until_s)) {
        const struct random_key key = {
            .seed = seed, .stream = (uint64_t)situation->game.end, .game = (uint64_t)done};
        for (int k = 0; k < SETUP_COUNT; k++)
            if (is_weighed(situation, (enum setup)k))
                sum[k] += worth_of(&begun[k], situation->team,
                                   play_out(situation, &quick, begun[k], key));
        done++;
    }
    for (int k = 0; k < SETUP_COUNT; k++)
        if (is_weighed(situation, (enum setup)k) && sum[k] > sum[best])
            best = (enum setup)k;
    *ret_rounds = done;
    *ret_win = done > 0 ? fmin(fmax(sum[best] / (double)done, 0.0), 1.0) : (double)NAN;
    return best;
}
