/* Plays two games with swapped seats and common random numbers. */
#include "workers/evaluate/play/pair.h"

#include "workers/pool.h"

#include <assert.h>

enum {
    SHOTS_PER_END_KEY = 16, /* random.h: place in the game = 16 * end + shot */
    /* Added if team 0 has the hammer: beyond all places. In the first end team 1 has it. */
    OTHER_HAMMER_KEY = SHOTS_PER_END_KEY * (PAIR_ENDS_MAX + PAIR_EXTRA_ENDS_MAX)
};

const char *pair_setting_check(const struct pair_setting *setting)
{
    if (setting->ends < 1 || setting->ends > PAIR_ENDS_MAX)
        return "a game has 1 to 10 ends";
    if (setting->extra_ends < 0 || setting->extra_ends > PAIR_EXTRA_ENDS_MAX)
        return "a game has 0 to 10 extra ends";
    if (noise_check(&setting->noise) != NOISE_OK)
        return noise_status_text(noise_check(&setting->noise));
    return luck_setting_check(&setting->luck);
}

/* The throws of a player so far, of both games. */
struct seen {
    bool is_wanted; /* the other player looks at them */
    struct opponent_throws throws;
};

/* A running pair. */
struct play {
    const struct pair_setting *setting;
    const struct player *players[2];
    struct random_key key; /* shot and purpose are set for each move */
    const atomic_bool *cancel;
    pair_listener *listener;
    void *context;
    struct seen seen[2]; /* throws of each player */
    struct pair_result result;
};

static bool is_cancelled(const struct play *play)
{
    return play->cancel && atomic_load_explicit(play->cancel, memory_order_relaxed);
}

/* Asks the player for its shot and adds up its effort. */
static enum pair_status ask(struct play *play, const struct game *game, int player,
                            struct player_answer *ret_answer, double *ret_cpu_s)
{
    struct pair_effort *effort = &play->result.effort[player];
    const struct opponent_throws *seen = &play->seen[1 - player].throws;
    struct player_query query = {
        .game = game,
        .game_number = 2 * (int64_t)play->key.game + (player ^ game_next_team(game)),
        .ice = play->setting->ice,
        .noise = &play->setting->noise,
        .seen = seen->throw,
        .seen_count = seen->count,
        .limits = play->setting->limits,
        .key = play->key,
        .cancel = play->cancel,
    };

    query.limits.threads = 1;
    if (is_cancelled(play))
        return PAIR_CANCELLED;
    throw_warm_up(query.ice); /* not part of the effort */
    double before_s = pool_thread_s();
    enum player_status status = player_choose(play->players[player], &query, ret_answer);
    double cpu_s = pool_thread_s() - before_s;
    if (is_cancelled(play) || (status == PLAYER_OK && ret_answer->cancelled))
        return PAIR_CANCELLED;
    if (status != PLAYER_OK)
        return PAIR_PLAYER_FAILED;
    effort->moves++;
    effort->simulations += ret_answer->simulations;
    effort->cpu_s += cpu_s;
    effort->elapsed_s += ret_answer->elapsed_s;
    *ret_cpu_s = cpu_s;
    return PAIR_OK;
}

/* Throws the answered shot with the noise of its slot and applies the rules. */
static enum pair_status throw_answer(struct play *play, struct game *game, struct pair_move *move,
                                     struct game_turn *ret_turn)
{
    struct random_key key = play->key;
    struct throw_result result;

    key.purpose = RANDOM_EXECUTION;
    move->executed = noise_apply(&play->setting->noise, play->setting->ice, move->answer->shot,
                                 random_normal_pair(&key, 0));
    const struct throw_request request = player_throw(game, play->setting->ice, move->executed);
    if (throw_fast(&request, &result) != THROW_OK)
        return PAIR_BAD_SHOT;
    return game_play(game, &result.after, ret_turn) == GAME_OK ? PAIR_OK : PAIR_BAD_SHOT;
}

/* Measures the luck of the throw that was played and adds it to the game's. */
static void measure_luck(const struct play *play, const struct game *before, struct pair_move *move,
                         struct pair_game *book)
{
    const struct pair_setting *setting = play->setting;
    const struct player_query query = {
        .game = before, .ice = setting->ice, .noise = &setting->noise, .key = play->key};
    double sign = move->player == 0 ? 1.0 : -1.0;

    move->has_luck = true;
    move->luck = luck_of_throw(&setting->luck, &query, move->answer->shot);
    book->luck.win += sign * move->luck.win;
    book->luck.points += sign * move->luck.points;
}

/* Asks the player whose choice it is for the setup of the end. */
static struct pair_setup set_up_end(const struct play *play, int index, struct game *game)
{
    const int player = game_chooser(game) ^ index;
    const struct pair_setup setup = {
        player_set_up(play->players[player], game, 2 * (int64_t)play->key.game + index),
        pair_pattern(play->key.game), player};
    enum game_error error = game_set_up(game, setup.setup, setup.pattern);

    assert(error == GAME_OK); /* as the rules allow it */
    (void)error;
    return setup;
}

/* Remembers a throw for the opponent, who sees what everybody sees. */
static void show_throw(struct play *play, const struct pair_move *move)
{
    const struct game *before = move->game_before;
    struct seen *seen = &play->seen[move->player];
    struct throw_seen throw;

    if (!seen->is_wanted)
        return;
    throw_seen_set(&throw, before, &move->turn->board, &move->executed);
    opponent_see(&seen->throws, before->rules, play->setting->ice, &throw);
}

/* The place in the game that a move's luck belongs to. */
static uint32_t key_of(const struct pair_setting *setting, const struct game *game)
{
    const int place = SHOTS_PER_END_KEY * game->end + game->shot;
    const bool is_other = setting->luck_by == JOB_LUCK_BY_HAMMER && game->hammer_team == 0;

    return (uint32_t)(place + (is_other ? OTHER_HAMMER_KEY : 0));
}

/* Plays one move of game number `index`; `setup`: see struct pair_move. */
static enum pair_status play_move(struct play *play, int index, struct game *game,
                                  const struct pair_setup *setup)
{
    struct pair_game *book = &play->result.game[index];
    const struct game before = *game;
    int team = game_next_team(game), player = team ^ index;
    struct player_answer answer;
    struct game_turn turn = {.offended = -1};
    struct pair_move move = {
        .game = index, .player = player, .game_before = &before, .answer = &answer, .turn = &turn};

    move.setup = setup;
    play->key.shot = key_of(play->setting, game);
    enum pair_status status = ask(play, game, player, &answer, &move.cpu_s);
    if (status != PAIR_OK)
        return status;
    if (answer.concede && game_concede(game, team) == GAME_OK)
        move.conceded = book->conceded = true;
    else if ((status = throw_answer(play, game, &move, &turn)) != PAIR_OK)
        return status;
    else if (play->setting->luck.throws > 0)
        measure_luck(play, &before, &move, book);
    if (!move.conceded)
        show_throw(play, &move);
    if (turn.end_finished) {
        /* The player whose number is that of the game is team 0. */
        bool hammer = (before.hammer_team ^ index) == 0;
        assert(before.end < PAIR_ENDS_MAX + PAIR_EXTRA_ENDS_MAX);
        book->end[before.end].hammer = hammer;
        book->end[before.end].score = (int8_t)(hammer ? -turn.score : turn.score);
        book->ends = before.end + 1;
    }
    if (play->listener)
        play->listener(play->context, &move);
    return PAIR_OK;
}

static enum pair_status play_game(struct play *play, int index, struct pair_failure *ret_failure)
{
    const struct pair_setting *setting = play->setting;
    struct game game;

    if (game_start(setting->rules, setting->ends, setting->extra_ends, 1, &game) != GAME_OK)
        return PAIR_BAD_SHOT;
    play->result.game[index].has_luck = setting->luck.throws > 0;
    while (game.result.reason == GAME_RUNNING) {
        const bool wants_setup = game_wants_setup(&game);
        struct pair_setup setup = {.player = 0};
        if (wants_setup)
            setup = set_up_end(play, index, &game);
        const struct pair_failure failure = {index, game_next_team(&game) ^ index, game.end,
                                             game.shot};
        enum pair_status status = play_move(play, index, &game, wants_setup ? &setup : NULL);
        if (status == PAIR_PLAYER_FAILED || status == PAIR_BAD_SHOT)
            *ret_failure = failure;
        if (status != PAIR_OK)
            return status;
    }
    int winner = game.result.winner;
    play->result.game[index].half_points = winner < 0 ? 1 : (winner ^ index) == 0 ? 2 : 0;
    return PAIR_OK;
}

enum pair_status pair_play(const struct pair_setting *setting,
                           const struct player *const players[2], uint64_t stream, uint64_t pair,
                           const atomic_bool *cancel, pair_listener *listener, void *context,
                           struct pair_result *ret_result, struct pair_failure *ret_failure)
{
    const bool itself = !players[1];
    struct play play = {
        .setting = setting,
        .players = {players[0], itself ? players[0] : players[1]},
        .key = {.seed = setting->seed, .stream = stream, .game = pair},
        .cancel = cancel,
        .listener = listener,
        .context = context,
    };

    assert(!pair_setting_check(setting));
    for (int player = 0; player < 2; player++)
        play.seen[player].is_wanted = player_looks_at_opponent(play.players[1 - player]);
    for (int index = 0; index < (itself ? 1 : 2); index++) {
        enum pair_status status = play_game(&play, index, ret_failure);
        if (status != PAIR_OK)
            return status;
    }
    *ret_result = play.result;
    return PAIR_OK;
}
