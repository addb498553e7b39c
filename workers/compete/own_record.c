/* Lines of our own records. See own_record.h. */
#include "workers/compete/own_record.h"

#include "api/base/strict_json.h"
#include "api/base/utf8.h"
#include "models/game/score.h"
#include "workers/evaluate/play/record.h"
#include "workers/evaluate/review/review_record.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENDS_MAX = PAIR_ENDS_MAX + PAIR_EXTRA_ENDS_MAX };

struct keeping {
    json_t *record;                      /* the line of the game, then its shots */
    size_t number[REVIEW_SHOTS_MAX + 1]; /* of these lines in the file, from 1 */
    struct review_game game;
    struct game_log *log;
    enum game_log_end verdict;
    char *why; /* TALK_WHY_MAX */
};

static bool refuse(struct keeping *keeping, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(struct keeping *keeping, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(keeping->why, TALK_WHY_MAX, format, arguments);
    va_end(arguments);
    keeping->verdict = GAME_LOG_BAD;
    return false;
}

static bool is_short_of_memory(struct keeping *keeping)
{
    refuse(keeping, "out of memory");
    keeping->verdict = GAME_LOG_MEMORY;
    return false;
}

static const char *kind_of(const json_t *line)
{
    return json_string_value(json_object_get(line, "record"));
}

bool own_record_is(const json_t *lines)
{
    const json_t *line;
    size_t k;

    json_array_foreach(lines, k, line)
    {
        const char *kind = kind_of(line);
        if (kind)
            return strcmp(kind, "game") == 0 || strcmp(kind, "header") == 0;
    }
    return false;
}

/* ---- reading ---- */

/* Whether two shots are of the same game of a file. */
static bool is_same_game(const json_t *a, const json_t *b)
{
    static const char *const names[] = {"pairing", "pair", "game"};

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        json_t *one = json_object_get(a, names[k]), *other = json_object_get(b, names[k]);
        if (one && other && !json_equal(one, other))
            return false;
    }
    return true;
}

/* Takes a line if it is one of the game. */
static bool take(struct keeping *keeping, json_t *line, size_t number)
{
    size_t count = json_array_size(keeping->record);
    const char *kind = kind_of(line);
    bool is_head = kind && strcmp(kind, "game") == 0, is_shot = kind && strcmp(kind, "shot") == 0;

    if (kind && strcmp(kind, "header") == 0)
        return refuse(keeping,
                      "line %zu: the records of a match hold many games; take them one by one, as "
                      "GET /v1/games/{id} answers them",
                      number);
    if (!is_head && !is_shot) {
        keeping->log->skipped++;
        return true;
    }
    if (is_head != (count == 0) ||
        (count > 1 && !is_same_game(json_array_get(keeping->record, 1), line)))
        return refuse(keeping, "line %zu: of another game", number);
    if (count > REVIEW_SHOTS_MAX)
        return refuse(keeping, "line %zu: more shots than a game has", number);
    keeping->number[count] = number;
    return json_array_append(keeping->record, line) == 0 || is_short_of_memory(keeping);
}

/* The number of the line of a move. */
static size_t line_of(const struct keeping *keeping, int move)
{
    return keeping->number[move + 1];
}

/* Reads the moves; says which line is wrong. */
static bool read_moves(struct keeping *keeping)
{
    struct strict_errors errors = {.count = 0};
    const struct strict_place place = strict_root(keeping->record, &errors);

    if (review_record_read(&place, &keeping->game))
        return true;
    const struct strict_error *error = &errors.error[0];
    if (strcmp(error->code, "no_memory") == 0)
        return is_short_of_memory(keeping);
    char *rest = NULL;
    size_t k = error->pointer[0] == '/' ? strtoul(error->pointer + 1, &rest, 10) : 0;
    if (rest && k < json_array_size(keeping->record))
        return refuse(keeping, "line %zu: %s%s%.280s", keeping->number[k],
                      *rest == '/' ? rest + 1 : rest, *rest ? ": " : "", error->message);
    return refuse(keeping, "%.280s", error->message);
}

static bool is_last_of_end(const struct game *before)
{
    return before->shot == before->rules->shots - 1;
}

/* Whether the stones at the end of each end are those of the end. */
static bool is_final_sound(struct keeping *keeping)
{
    const struct review_game *game = &keeping->game;

    for (int k = 0; k < game->count; k++) {
        const struct review_move *move = &game->move[k];
        struct game after = move->before;
        if (!is_last_of_end(&after) || !move->has_after)
            continue;
        enum game_error error = game_play(&after, &move->after, NULL);
        if (error != GAME_OK)
            return refuse(keeping, "line %zu: final: %s", line_of(keeping, k),
                          game_error_text(error));
    }
    return true;
}

/* Whether the moves begin with the game, and none is missing. */
static bool is_gapless(struct keeping *keeping)
{
    const struct review_game *game = &keeping->game;

    if (game->move[0].before.end != 0 || game->move[0].before.shot != 0)
        return refuse(keeping, "the record does not begin with the first shot of the game");
    for (int k = 1; k < game->count; k++) {
        const struct game *last = &game->move[k - 1].before, *now = &game->move[k].before;
        if (now->end != last->end && (now->shot != 0 || !is_last_of_end(last)))
            return refuse(keeping, "line %zu: shots are missing before it", line_of(keeping, k));
        if (now->end >= ENDS_MAX)
            return refuse(keeping, "line %zu: more ends than records hold", line_of(keeping, k));
    }
    return true;
}

/* ---- the result ---- */

/* The game as its last shot leaves it: from the stones at rest, or from who conceded. */
static struct game play_last(const struct review_move *last)
{
    struct game game = last->before, played = game;

    if (last->conceded) {
        game.result.reason = GAME_WON_BY_CONCESSION;
        game.result.winner = 1 - game_next_team(&last->before);
    } else if (last->has_after && game_play(&played, &last->after, NULL) == GAME_OK) {
        game = played;
    }
    return game;
}

/* Points of team 0 minus those of team 1 in all ends of a result. */
static int margin_of(const struct pair_game *result)
{
    int margin = 0;

    for (int end = 0; end < result->ends; end++)
        margin += result->end[end].score;
    return margin;
}

/* Whether the points have decided the game: a game that ended before was conceded or ended on time.
 * A tie may have been drawn before the extra ends that we know of: not every server tells them. */
static bool is_decided(const struct pair_game *result, const struct game *last)
{
    const bool has_all_ends = result->ends >= last->ends + last->extra_ends;

    return !result->conceded && result->ends >= last->ends &&
           (margin_of(result) != 0 || result->half_points == 1 || has_all_ends);
}

/* Whether the winner is that of the points, of a concession, or of a game that ended on time, whose
 * last line is a concession, too (compete/host), or the last shot before. */
static bool fits_winner(const struct pair_game *result, const struct review_move *last)
{
    const int margin = margin_of(result);

    if (result->is_broken_off)
        return !last->conceded;
    if (is_decided(result, &last->before))
        return !last->conceded && result->half_points == (margin > 0) - (margin < 0) + 1;
    if (last->conceded)
        return result->half_points == (game_next_team(&last->before) == 0 ? 0 : 2);
    return result->half_points != 1;
}

/* Whether a result says of each end what the shots say. */
static bool fits(const struct keeping *keeping, const struct pair_game *result)
{
    const struct review_game *game = &keeping->game;
    const struct review_move *last = &game->move[game->count - 1];
    const bool is_whole = is_last_of_end(&last->before) && !last->conceded;
    struct game played = last->before;

    if (result->is_missing ||
        (result->ends != last->before.end && !(is_whole && result->ends == last->before.end + 1)))
        return false;
    for (int k = 0; k < game->count; k++) {
        const struct game *before = &game->move[k].before;
        if (before->end < result->ends &&
            result->end[before->end].hammer != (before->hammer_team == 0))
            return false;
    }
    if (is_whole && last->has_after)
        game_play(&played, &last->after, NULL);
    for (int end = 0; end < result->ends && end < played.end; end++)
        if (result->end[end].score != played.scores[0][end] - played.scores[1][end])
            return false;
    return fits_winner(result, last);
}

/* The result of a record that does not tell it. */
static struct pair_game find_result(const struct review_game *game)
{
    const struct game played = play_last(&game->move[game->count - 1]);
    const int winner = played.result.winner;
    struct pair_game result = {.half_points = winner < 0    ? 1
                                              : winner == 0 ? 2
                                                            : 0,
                               .is_broken_off = played.result.reason == GAME_RUNNING,
                               .conceded = played.result.reason == GAME_WON_BY_CONCESSION};
    for (int k = 0; k < game->count && game->move[k].before.end < played.end; k++) {
        int end = game->move[k].before.end;
        result.ends = end + 1;
        result.end[end].score = (int8_t)(played.scores[0][end] - played.scores[1][end]);
        result.end[end].hammer = game->move[k].before.hammer_team == 0;
    }
    return result;
}

static bool read_result(struct keeping *keeping)
{
    json_t *told = json_object_get(json_array_get(keeping->record, 0), "result");
    struct pair_game *result = &keeping->log->game;

    if (!told) {
        *result = find_result(&keeping->game);
        return true;
    }
    if (!pair_game_read(told, result))
        return refuse(keeping, "line %zu: result: not that of a game", keeping->number[0]);
    return fits(keeping, result) ||
           refuse(keeping, "line %zu: result: does not fit the shots", keeping->number[0]);
}

static void tell(struct keeping *keeping)
{
    const struct pair_game *result = &keeping->log->game;
    const struct review_game *game = &keeping->game;
    const struct game *last = &game->move[game->count - 1].before;
    struct game_log *log = keeping->log;
    struct outcome *outcome = &log->report.outcome;

    log->last = *last;
    log->shots = game->count;
    *outcome = (struct outcome){.is_known = !result->is_broken_off,
                                .winner = result->half_points == 1   ? -1
                                          : result->half_points == 2 ? 0
                                                                     : 1};
    snprintf(outcome->reason, sizeof outcome->reason, "%s",
             result->is_broken_off       ? GAME_BROKEN_OFF
             : result->conceded          ? game_reason_name(GAME_WON_BY_CONCESSION)
             : !is_decided(result, last) ? game_reason_name(GAME_WON_BY_TIME)
             : result->half_points == 1  ? game_reason_name(GAME_DRAWN)
                                         : game_reason_name(GAME_WON_BY_SCORE));
    for (int end = 0; end < result->ends; end++) {
        int score = result->end[end].score;
        outcome->points[score > 0 ? 0 : 1] += abs(score);
    }
}

static bool name_players(struct keeping *keeping)
{
    static const char *const keys[] = {"throws_first", "throws_last"};

    for (int team = 0; team < 2; team++) {
        const json_t *name = json_object_get(json_array_get(keeping->record, 0), keys[team]);
        char *player = keeping->log->player[team];
        const char *text = json_string_value(name);
        if (!utf8_read_name(text && *text ? text : keys[team], PLAYER_SPEC_MAX, player))
            return is_short_of_memory(keeping);
        recorder_make_word(player);
    }
    return true;
}

/* ---- writing ---- */

/* The number of a member; NAN: it has none. */
static double number_of(const json_t *shot, const char *key)
{
    const json_t *value = json_object_get(shot, key);

    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* False: memory is short. */
static bool write_shot(FILE *out, const struct keeping *keeping, int k)
{
    static const struct record_name name = {0, 1, 0};
    const struct review_move *made = &keeping->game.move[k];
    const struct game *before = &made->before;
    const json_t *shot = json_array_get(keeping->record, (size_t)k + 1);
    const json_t *chosen = json_object_get(shot, "setup"), *luck = json_object_get(shot, "luck");
    double elapsed_s = number_of(shot, "elapsed_s"), cpu_s = number_of(shot, "cpu_s");
    struct player_answer answer = {.shot = made->has_call ? made->called : made->thrown,
                                   .simulations =
                                       json_integer_value(json_object_get(shot, "simulations")),
                                   .elapsed_s = isfinite(elapsed_s) ? elapsed_s : 0.0,
                                   .has_value = true,
                                   .expected_score = number_of(shot, "expected_score"),
                                   .win_probability = number_of(shot, "win_probability")};
    struct game_turn turn = {.offended = json_is_true(json_object_get(shot, "foul")) ? 0 : -1};
    struct pair_setup setup = {.setup = SETUP_HOUSE};

    if (json_object_get(shot, "final") && is_last_of_end(before)) {
        turn.end_finished = true;
        turn.board = made->after;
        turn.score = score_position(before->rules, &made->after, before->hammer_team == 0);
    }
    if (chosen) {
        const json_t *line = json_array_get(keeping->record, 1);
        const json_t *first = json_object_get(line, "player");
        setup_find(json_string_value(json_object_get(chosen, "choice")), &setup.setup);
        setup.pattern = (int)json_integer_value(json_object_get(chosen, "pattern"));
        setup.player = json_equal(json_object_get(chosen, "player"), first) ? 0 : 1;
    }
    char *hand = json_dumps(json_object_get(shot, "hand"), JSON_COMPACT);
    const struct pair_move move = {
        .player = game_next_team(before),
        .game_before = before,
        .answer = &answer,
        .hand = hand,
        .has_no_call = !made->has_call,
        .cpu_s = isfinite(cpu_s) ? cpu_s : 0.0,
        .conceded = made->conceded,
        .executed = made->thrown,
        .turn = &turn,
        .setup = chosen ? &setup : NULL,
        .has_luck = json_is_object(luck),
        .luck = {number_of(luck, "win"), number_of(luck, "points")},
    };
    record_write_shot(out, &name, &move);
    free(hand);
    return made->conceded || !json_object_get(shot, "hand") || hand;
}

static bool write_header(FILE *out, const struct keeping *keeping)
{
    const struct game *last = &keeping->log->last;
    json_t *header = json_pack("{s:s, s:i, s:[s, s], s:s, s:i}", "record", "header", "version", 1,
                               "players", keeping->log->player[0], keeping->log->player[1], "rules",
                               last->rules->name, "ends", last->ends);
    bool good = header && json_dumpf(header, out, JSON_COMPACT) == 0 && putc('\n', out) != EOF;

    json_decref(header);
    return good;
}

/* Writes all lines. False with errno set. */
static bool write_lines(FILE *out, const struct keeping *keeping)
{
    static const struct record_name name = {0, 1, 0};
    const struct pair_result result = {.game = {keeping->log->game, {.is_missing = true}}};

    if (!write_header(out, keeping))
        return false;
    for (int k = 0; k < keeping->game.count; k++) {
        if (!write_shot(out, keeping, k)) {
            errno = ENOMEM;
            return false;
        }
        if (ferror(out))
            return false;
    }
    match_record_write_pair(out, &name, &result);
    return !ferror(out);
}

static bool write_records(struct keeping *keeping, const char *path)
{
    errno = 0;
    FILE *out = fopen(path, "we");
    bool good = out && write_lines(out, keeping);
    int error = errno;

    if (out && fclose(out) != 0 && good) {
        error = errno;
        good = false;
    }
    if (good)
        return true;
    unlink(path);
    if (error == ENOMEM)
        return is_short_of_memory(keeping);
    refuse(keeping, "the records cannot be written: %s", strerror(error ? error : EIO));
    keeping->verdict = GAME_LOG_DISK;
    return false;
}

/* ---- the whole ---- */

static bool keep(struct keeping *keeping, const struct game_lines *lines, const char *path)
{
    json_t *line;
    size_t k;

    json_array_foreach(lines->line, k, line)
    {
        if (!take(keeping, line, game_line_number(lines, k)))
            return false;
    }
    if (json_array_size(keeping->record) < 2)
        return refuse(keeping, "the record holds no shot");
    if (!read_moves(keeping) || !is_gapless(keeping) || !is_final_sound(keeping) ||
        !read_result(keeping) || !name_players(keeping))
        return false;
    tell(keeping);
    return write_records(keeping, path);
}

enum game_log_end own_record_keep(const struct game_lines *lines, const char *path,
                                  struct game_log *ret_log, char ret_why[TALK_WHY_MAX])
{
    struct keeping *keeping = calloc(1, sizeof *keeping);

    ret_why[0] = '\0';
    *ret_log = (struct game_log){.report = {.end = SESSION_OVER, .team = 0}};
    unlink(path); /* an earlier attempt may have begun it */
    if (!keeping) {
        snprintf(ret_why, TALK_WHY_MAX, "out of memory");
        return GAME_LOG_MEMORY;
    }
    keeping->log = ret_log;
    keeping->why = ret_why;
    keeping->record = json_array();
    keep(keeping, lines, path);
    const enum game_log_end verdict = keeping->verdict;
    review_record_free(&keeping->game);
    json_decref(keeping->record);
    free(keeping);
    return verdict;
}
