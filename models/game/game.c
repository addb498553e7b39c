/* The course of a game: shots, ends, scores, winner. */
#include "models/game/game.h"

#include "models/game/free_guard_zone.h"
#include "models/game/score.h"

#include <assert.h>
#include <stdio.h>

const char *game_error_text(enum game_error error)
{
    static const char *const texts[] = {
#define X(name, field, text) [name] = text,
        GAME_ERRORS(X)
#undef X
    };
    return (size_t)error < sizeof texts / sizeof texts[0] ? texts[error] : "unknown error";
}

static const char *field_of(enum game_error error)
{
    static const char *const fields[] = {
#define X(name, field, text) [name] = field,
        GAME_ERRORS(X)
#undef X
    };
    return (size_t)error < sizeof fields / sizeof fields[0] ? fields[error] : NULL;
}

const char *game_reason_name(enum game_reason reason)
{
    static const char *const names[] = {
        [GAME_WON_BY_SCORE] = "score",
        [GAME_WON_BY_CONCESSION] = "concede",
        [GAME_WON_BY_TIME] = "time_limit",
        [GAME_DRAWN] = "draw",
    };
    return (size_t)reason < sizeof names / sizeof names[0] ? names[reason] : NULL;
}

static bool is_team(int team)
{
    return team == 0 || team == 1;
}

/* Largest number of ends of the game. */
static int ends_at_most(const struct game *game)
{
    int ends = game->ends + game->extra_ends;
    return ends < RULES_ENDS_MAX ? ends : RULES_ENDS_MAX;
}

/* Lead of team 0 after the first `ends` ends, in points. */
static int lead_after(const struct game *game, int ends)
{
    int lead = 0;
    for (int end = 0; end < ends; end++)
        lead += game->scores[0][end] - game->scores[1][end];
    return lead;
}

int game_total(const struct game *game, int team)
{
    int total = 0;
    for (int end = 0; end < RULES_ENDS_MAX; end++)
        total += game->scores[team][end];
    return total;
}

int game_next_team(const struct game *game)
{
    if (game->result.reason != GAME_RUNNING)
        return -1;
    return team_of_stone(game_next_stone(game), game_team0_has_hammer(game));
}

static enum game_error check_setting(int ends, int extra_ends)
{
    if (ends < 1 || ends > RULES_ENDS_MAX)
        return GAME_BAD_ENDS;
    if (extra_ends < 0 || extra_ends > RULES_ENDS_MAX)
        return GAME_BAD_EXTRA_ENDS;
    return GAME_OK;
}

enum game_error game_start(const struct rules *rules, int ends, int extra_ends, int hammer_team,
                           struct game *ret_game)
{
    enum game_error error = check_setting(ends, extra_ends);
    if (error != GAME_OK)
        return error;
    if (!is_team(hammer_team))
        return GAME_BAD_TEAM;
    *ret_game = (struct game){
        .rules = rules,
        .ends = ends,
        .extra_ends = extra_ends,
        .hammer_team = hammer_team,
        .result = {GAME_RUNNING, -1},
    };
    return GAME_OK;
}

/* Invariants between two shots of a running game; inline, as only asserts call it. */
static inline bool is_in_order(const struct game *game)
{
    return game->shot >= 0 && game->shot < game->rules->shots && game->end >= 0 &&
           game->end < ends_at_most(game) && is_team(game->hammer_team);
}

/* Records the score of a finished end and sets up the next end or the result. */
static void finish_end(struct game *game, int sente_score)
{
    int sente_team = 1 - game->hammer_team, chooser = game_chooser(game);

    if (sente_score > 0) {
        game->scores[sente_team][game->end] = (int8_t)sente_score;
    } else if (sente_score < 0) {
        game->scores[game->hammer_team][game->end] = (int8_t)-sente_score;
        game->hammer_team = sente_team;
    } else if (game->rules->preplaced > 0) {
        game->hammer_team = 1 - chooser;
    } /* The hammer stays after a steal or a blank end. */
    game->gave_hammer = false;

    game->end++;
    game->shot = 0;
    game->position = (struct position){0};

    if (game->end < game->ends)
        return;
    int lead = lead_after(game, game->end);
    if (lead != 0) {
        game->result.reason = GAME_WON_BY_SCORE;
        game->result.winner = lead > 0 ? 0 : 1;
    } else if (game->end == ends_at_most(game)) {
        game->result.reason = GAME_DRAWN;
    }
}

/* The stones that lie on the sheet before the first shot, as bits. */
static unsigned placed_stones(const struct rules *rules)
{
    return (1u << 2 * rules->preplaced) - 1;
}

bool game_wants_setup(const struct game *game)
{
    unsigned placed = placed_stones(game->rules);
    return game->result.reason == GAME_RUNNING && game->shot == 0 &&
           (game->position.in_play & placed) != placed;
}

bool game_allows_setup(const struct game *game, enum setup setup)
{
    return !setup_is_power(setup) ||
           (game->end < game->ends && !game->power_used[game_chooser(game)]);
}

enum game_error game_set_up(struct game *game, enum setup setup, int pattern)
{
    int chooser = game_chooser(game);

    if (game->result.reason != GAME_RUNNING)
        return GAME_OVER;
    if (!game_wants_setup(game) || (int)setup < 0 || setup >= SETUP_COUNT || pattern < 0 ||
        pattern >= SETUP_PATTERNS || !game_allows_setup(game, setup))
        return GAME_BAD_SETUP;
    game->gave_hammer = setup == SETUP_GUARD;
    game->hammer_team = game->gave_hammer ? 1 - chooser : chooser;
    game->position = setup_position(setup, pattern);
    if (setup_is_power(setup))
        game->power_used[chooser] = true;
    return GAME_OK;
}

enum game_error game_play(struct game *game, const struct position *after,
                          struct game_turn *ret_turn)
{
    const struct rules *rules = game->rules;

    if (game->result.reason != GAME_RUNNING)
        return GAME_OVER;
    if (game_wants_setup(game))
        return GAME_NOT_SET_UP;
    unsigned known = game->position.in_play | 1u << game_next_stone(game);
    if (after->in_play & ~known)
        return GAME_BAD_STONES;

    assert(is_in_order(game));
    struct game_turn turn = {
        .board = *after,
        .offended = free_guard_zone_offended(rules, &game->position, after, game->shot),
    };
    if (turn.offended >= 0)
        turn.board = game->position;
    game->position = turn.board;
    game->shot++;
    if (game->shot == rules->shots) {
        turn.end_finished = true;
        turn.score = score_position(rules, &turn.board, game_team0_has_hammer(game));
        finish_end(game, turn.score);
    }
    assert(game->result.reason != GAME_RUNNING || is_in_order(game));
    if (ret_turn)
        *ret_turn = turn;
    return GAME_OK;
}

enum game_error game_concede(struct game *game, int team)
{
    if (!game->rules->can_concede)
        return GAME_NO_CONCEDE;
    if (game->result.reason != GAME_RUNNING)
        return GAME_OVER;
    if (!is_team(team))
        return GAME_BAD_TEAM;
    game->shot++;
    game->result.reason = GAME_WON_BY_CONCESSION;
    game->result.winner = 1 - team;
    return GAME_OK;
}

static enum game_error report(struct game_fault *ret_fault, enum game_error error, int team,
                              int end)
{
    if (ret_fault)
        *ret_fault = (struct game_fault){error, team, end, {POSITION_OK, -1, -1, NULL}};
    return error;
}

/* Only one team scores in an end, at most the number of its stones. */
static enum game_error check_scores(const struct game *game, struct game_fault *ret_fault)
{
    int stones = rules_stones(game->rules) / 2;

    for (int end = 0; end < RULES_ENDS_MAX; end++) {
        for (int team = 0; team < 2; team++) {
            int score = game->scores[team][end];
            if (score != 0 && end >= game->end)
                return report(ret_fault, GAME_SCORE_TOO_EARLY, team, end);
            if (score < 0 || score > stones)
                return report(ret_fault, GAME_BAD_SCORE, team, end);
        }
        if (game->scores[0][end] != 0 && game->scores[1][end] != 0)
            return report(ret_fault, GAME_BAD_SCORE, 1, end);
    }
    return GAME_OK;
}

/* Number of ends after which the scores decide the game; more than `game->end`, the ends played, if
 * the game is still open. */
static int deciding_end(const struct game *game)
{
    int last = ends_at_most(game);
    int end = game->ends;

    while (end < last && end <= game->end && lead_after(game, end) == 0)
        end++;
    return end;
}

static enum game_error check_result(const struct game *game, struct game_fault *ret_fault)
{
    int lead = lead_after(game, game->end);
    int leader = lead > 0 ? 0 : 1;
    bool decided = deciding_end(game) == game->end;
    bool follows = false;

    switch (game->result.reason) {
    case GAME_RUNNING:
        if (decided)
            return report(ret_fault, GAME_BAD_END, -1, -1);
        follows = game->result.winner == -1;
        break;
    case GAME_WON_BY_SCORE:
        follows = decided && lead != 0 && game->result.winner == leader;
        break;
    case GAME_WON_BY_CONCESSION:
        follows = game->rules->can_concede && !decided && is_team(game->result.winner);
        break;
    case GAME_WON_BY_TIME:
        follows = !decided && is_team(game->result.winner);
        break;
    case GAME_DRAWN:
        follows = decided && lead == 0 && game->result.winner == -1;
        break;
    }
    return follows ? GAME_OK : report(ret_fault, GAME_BAD_RESULT, -1, -1);
}

enum game_error game_check(const struct game *game, struct game_fault *ret_fault)
{
    enum game_error error = check_setting(game->ends, game->extra_ends);
    if (error != GAME_OK)
        return report(ret_fault, error, -1, -1);
    if (game->end < 0 || game->end > ends_at_most(game))
        return report(ret_fault, GAME_BAD_END, -1, -1);

    /* The shot at which a team concedes or runs out of time counts, so it may be the last. */
    bool given_up =
        game->result.reason == GAME_WON_BY_CONCESSION || game->result.reason == GAME_WON_BY_TIME;
    if (game->shot < 0 || game->shot >= game->rules->shots + (given_up ? 1 : 0))
        return report(ret_fault, GAME_BAD_SHOT, -1, -1);
    if (!is_team(game->hammer_team))
        return report(ret_fault, GAME_BAD_HAMMER, -1, -1);

    error = check_scores(game, ret_fault);
    if (error != GAME_OK)
        return error;
    if (deciding_end(game) < game->end)
        return report(ret_fault, GAME_BAD_END, -1, -1);
    error = check_result(game, ret_fault);
    if (error != GAME_OK)
        return error;

    struct position_fault fault;
    if (position_check(game->rules, &game->position, game->shot, &fault) != POSITION_OK) {
        if (ret_fault)
            *ret_fault = (struct game_fault){GAME_BAD_STONES, -1, -1, fault};
        return GAME_BAD_STONES;
    }
    return GAME_OK;
}

void game_fault_path(const struct game *game, const struct game_fault *fault, size_t size,
                     char *ret_text)
{
    const char *field = field_of(fault->error);

    if (fault->error == GAME_BAD_STONES)
        position_fault_path(&fault->position, game_team0_has_hammer(game), size, ret_text);
    else if (fault->end >= game->ends)
        snprintf(ret_text, size, "extra_end_score.team%d", fault->team);
    else if (fault->end >= 0)
        snprintf(ret_text, size, "%s.team%d[%d]", field, fault->team, fault->end);
    else
        snprintf(ret_text, size, "%s", field ? field : "");
}
