/* Lines of records. See match_record.h. */
#include "api/curling/match_record.h"

#include "api/base/build_json.h"
#include "api/base/load_json.h"

#include <stdlib.h>
#include <string.h>

const char *const job_luck_by[] = {
    [JOB_LUCK_BY_HAMMER] = "hammer", [JOB_LUCK_BY_SEAT] = JOB_LUCK_BY_BEFORE, NULL};

/* ---- beginnings of lines ---- */

static const char *const kind_names[] = {
    [MATCH_RECORD_SHOT] = "shot", [MATCH_RECORD_PAIR] = "pair"};

enum { BEGINNING_MAX = 128 };

/* Writes the beginning of a line; returns its length. */
static size_t write_beginning(const struct match_record_line *line, char ret_text[BEGINNING_MAX])
{
    const struct record_name *name = &line->name;
    char game[24] = "";

    if (line->kind == MATCH_RECORD_SHOT)
        snprintf(game, sizeof game, "\"game\":%d,", line->game);
    return (size_t)snprintf(
        ret_text, BEGINNING_MAX, "{\"record\":\"%s\",\"pairing\":[%d,%d],\"pair\":%lld,%s",
        kind_names[line->kind], name->first, name->second, (long long)name->pair, game);
}

void match_record_begin(FILE *out, const struct match_record_line *line)
{
    char text[BEGINNING_MAX];

    write_beginning(line, text);
    fputs(text, out);
}

bool match_record_read(const char *text, struct match_record_line *ret_line)
{
    struct match_record_line line = {.kind = MATCH_RECORD_SHOT};
    char kind[8], again[BEGINNING_MAX];
    long long pair;

    int count =
        sscanf(text, "{\"record\":\"%7[a-z]\",\"pairing\":[%9d,%9d],\"pair\":%18lld,\"game\":%1d,",
               kind, &line.name.first, &line.name.second, &pair, &line.game);
    if (count < 4 || line.name.first < 0 || line.name.second < 0 || pair < 0 || line.game > 1)
        return false;
    if (strcmp(kind, kind_names[MATCH_RECORD_PAIR]) == 0)
        line.kind = MATCH_RECORD_PAIR;
    line.name.pair = pair;
    /* Only what is written again in the same way was a beginning. */
    if (strncmp(text, again, write_beginning(&line, again)) != 0)
        return false;
    *ret_line = line;
    return true;
}

/* ---- pairs ---- */

void match_record_write_pair(FILE *out, const struct record_name *name,
                             const struct pair_result *result)
{
    match_record_begin(out, &(struct match_record_line){MATCH_RECORD_PAIR, *name, 0});
    fputs("\"games\":[", out);
    for (int g = 0; g < 2; g++) {
        const struct pair_game *game = &result->game[g];
        if (game->is_missing) {
            fputs(g ? ",null" : "null", out);
            continue;
        }
        fprintf(out, "%s{\"half_points\":", g ? "," : "");
        if (game->is_broken_off)
            fputs("null", out);
        else
            fprintf(out, "%d", game->half_points);
        fprintf(out, ",\"conceded\":%s,\"ends\":[", game->conceded ? "true" : "false");
        for (int e = 0; e < game->ends; e++)
            fprintf(out, "%s{\"score\":%d,\"hammer\":%s}", e ? "," : "", game->end[e].score,
                    game->end[e].hammer ? "true" : "false");
        fputc(']', out);
        if (game->has_luck)
            fprintf(out, ",\"luck\":{\"win\":%.17g,\"points\":%.17g}", game->luck.win,
                    game->luck.points);
        fputc('}', out);
    }
    fputs("],\"effort\":[", out);
    for (int p = 0; p < 2; p++) {
        const struct pair_effort *effort = &result->effort[p];
        fprintf(out, "%s{\"moves\":%lld,\"simulations\":%lld,\"cpu_s\":%.17g,\"elapsed_s\":%.17g}",
                p ? "," : "", (long long)effort->moves, (long long)effort->simulations,
                effort->cpu_s, effort->elapsed_s);
    }
    fputs("]}\n", out);
}

bool pair_game_read(json_t *root, struct pair_game *ret_game)
{
    struct pair_game *game = ret_game;
    json_t *points, *ends, *luck = NULL;
    int conceded;

    *game = (struct pair_game){.ends = 0};
    game->is_missing = json_is_null(root);
    if (game->is_missing)
        return true;
    if (json_unpack(root, "{s:o, s:b, s:o, s?o !}", "half_points", &points, "conceded", &conceded,
                    "ends", &ends, "luck", &luck) != 0 ||
        (!json_is_integer(points) && !json_is_null(points)))
        return false;
    game->is_broken_off = json_is_null(points);
    game->half_points = game->is_broken_off ? 1 : (int)json_integer_value(points);
    if (game->half_points < 0 || game->half_points > 2 || !json_is_array(ends) ||
        json_array_size(ends) > PAIR_ENDS_MAX + PAIR_EXTRA_ENDS_MAX)
        return false;
    game->conceded = conceded;
    game->has_luck = luck != NULL;
    if (luck && json_unpack(luck, "{s:F, s:F !}", "win", &game->luck.win, "points",
                            &game->luck.points) != 0)
        return false;
    game->ends = (int)json_array_size(ends);
    for (int e = 0; e < game->ends; e++) {
        int score, hammer;
        if (json_unpack(json_array_get(ends, (size_t)e), "{s:i, s:b !}", "score", &score, "hammer",
                        &hammer) != 0 ||
            score < -8 || score > 8)
            return false;
        game->end[e].score = (int8_t)score;
        game->end[e].hammer = hammer;
    }
    return true;
}

static bool read_effort(json_t *root, struct pair_effort *effort)
{
    json_int_t moves, simulations;

    if (json_unpack(root, "{s:I, s:I, s:F, s:F !}", "moves", &moves, "simulations", &simulations,
                    "cpu_s", &effort->cpu_s, "elapsed_s", &effort->elapsed_s) != 0 ||
        moves < 0 || simulations < 0)
        return false;
    effort->moves = moves;
    effort->simulations = simulations;
    return true;
}

bool match_record_read_pair(const char *line, size_t length, struct record_name *ret_name,
                            struct pair_result *ret_result)
{
    struct pair_result result = {0};
    json_t *root = load_json(line, length, JSON_REJECT_DUPLICATES, NULL), *games[2], *effort[2];
    const char *record;
    int first, second;
    json_int_t pair;
    bool good = json_unpack(root, "{s:s, s:[i,i!], s:I, s:[o,o!], s:[o,o!] !}", "record", &record,
                            "pairing", &first, &second, "pair", &pair, "games", &games[0],
                            &games[1], "effort", &effort[0], &effort[1]) == 0 &&
                strcmp(record, "pair") == 0;

    for (int k = 0; good && k < 2; k++)
        good =
            pair_game_read(games[k], &result.game[k]) && read_effort(effort[k], &result.effort[k]);
    json_decref(root);
    if (good) {
        *ret_name = (struct record_name){first, second, pair};
        *ret_result = result;
    }
    return good;
}

json_t *pair_game_json(const struct pair_game *game)
{
    json_t *ends = json_array();
    bool good = true;

    for (int e = 0; e < game->ends; e++)
        good = build_append(ends, json_pack("{s:i, s:b}", "score", game->end[e].score, "hammer",
                                            game->end[e].hammer)) &&
               good;
    json_t *points = game->is_broken_off ? json_null() : json_integer(game->half_points);
    json_t *root = json_pack("{s:o, s:b, s:o}", "half_points", points, "conceded", game->conceded,
                             "ends", ends);
    if (game->has_luck)
        good = build_put(
                   root, "luck",
                   json_pack("{s:f, s:f}", "win", game->luck.win, "points", game->luck.points)) &&
               good;
    return build_done(root, good);
}

struct pair_game pair_game_turned(struct pair_game game)
{
    game.half_points = 2 - game.half_points;
    game.luck.win = 0.0 - game.luck.win;
    game.luck.points = 0.0 - game.luck.points;
    for (int end = 0; end < game.ends; end++) {
        game.end[end].score = (int8_t)-game.end[end].score;
        game.end[end].hammer = !game.end[end].hammer;
    }
    return game;
}

/* ---- headers ---- */

int match_record_player(const json_t *header, const char *player, int from)
{
    json_t *players = json_object_get(header, "players"), *spec;
    size_t length = player ? strcspn(player, " ") : 0, k;

    json_array_foreach(players, k, spec)
    {
        if ((int)k >= from && json_string_length(spec) == length &&
            memcmp(json_string_value(spec), player, length) == 0)
            return (int)k;
    }
    return -1;
}
