/* Writing and reading the lines of a record file. The file itself is in record_file.c. */
#include "workers/evaluate/play/record.h"

#include "workers/evaluate/play/player_settings.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* {"kind", its settings}. A setting leaves out the name of its kind: {"kind":"gat","stddev_x_m"}.
 */
static json_t *noise_json(const struct noise *noise)
{
    const char *name = noise_kind_at((int)noise->kind)->name;
    json_t *root = json_pack("{s:s}", "kind", name);
    const struct noise_setting *setting;

    for (int k = 0; (setting = noise_setting_at(k)) != NULL; k++) {
        double value = noise_setting_of(&noise->settings, k);
        size_t prefix = strlen(name);
        /* JSON has no infinity: a limit that is not there is left out. */
        if (setting->kind != noise->kind || !isfinite(value))
            continue;
        bool is_prefixed =
            strncmp(setting->member, name, prefix) == 0 && setting->member[prefix] == '_';
        json_object_set_new(root, setting->member + (is_prefixed ? prefix + 1 : 0),
                            json_real(value));
    }
    return root;
}

char *record_header(const struct pair_setting *setting, const struct player *players, int count)
{
    json_t *names = json_array(), *settings = json_array();
    char seed[24];
    bool good = true;

    for (int k = 0; k < count; k++) {
        char name[PLAYER_SPEC_MAX];
        player_write(&players[k], sizeof name, name);
        good = json_array_append_new(names, json_string(name)) == 0 &&
               json_array_append_new(settings, player_settings_json(&players[k])) == 0 && good;
    }
    /* The seed as a text: JSON numbers hold 63 bits here. */
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)setting->seed);
    json_t *root = json_pack(
        "{s:s, s:i, s:s, s:o, s:o, s:s, s:s, s:o, s:i, s:f, s:I}", "record", "header", "version", 1,
        "seed", seed, "players", names, "settings", settings, "rules", setting->rules->name, "ice",
        setting->ice->name, "noise", noise_json(&setting->noise), "ends", setting->ends, "time_ms",
        1000.0 * setting->limits.time_s, "simulations", (json_int_t)setting->limits.simulations);
    good = good && root &&
           (setting->extra_ends == 0 ||
            json_object_set_new(root, "extra_ends", json_integer(setting->extra_ends)) == 0);
    char *text = good ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(root);
    return text;
}

/* ---- writing ---- */

/* 17 digits give back the same double. */
static void write_number(FILE *out, double number)
{
    if (isfinite(number))
        fprintf(out, "%.17g", number);
    else
        fputs("null", out);
}

static void write_shot(FILE *out, const char *key, const struct shot *shot)
{
    fprintf(out, ",\"%s\":{\"velocity\":[", key);
    write_number(out, shot->velocity.x);
    fputc(',', out);
    write_number(out, shot->velocity.y);
    fputs("],\"omega\":", out);
    write_number(out, shot->omega);
    fputc('}', out);
}

/* By stone number: even ones are sente's. */
static void write_stones(FILE *out, const char *key, const struct position *position)
{
    fprintf(out, ",\"%s\":[", key);
    for (int k = 0; k < POSITION_STONES; k++) {
        if (k)
            fputc(',', out);
        if (!position_has(position, k)) {
            fputs("null", out);
            continue;
        }
        fputc('[', out);
        write_number(out, position->stone[k].x);
        fputc(',', out);
        write_number(out, position->stone[k].y);
        fputc(']', out);
    }
    fputc(']', out);
}

void record_write_shot(FILE *out, const struct record_name *name, const struct pair_move *move)
{
    const struct game *game = move->game_before;
    const struct player_answer *answer = move->answer;
    int team = game_next_team(game);

    fprintf(out,
            "{\"record\":\"shot\",\"pairing\":[%d,%d],\"pair\":%lld,\"game\":%d,\"end\":%d,"
            "\"shot\":%d,\"player\":%d,\"hammer\":%s,\"lead\":%d",
            name->first, name->second, (long long)name->pair, move->game, game->end, game->shot,
            move->player ? name->second : name->first, team == game->hammer_team ? "true" : "false",
            game_total(game, team) - game_total(game, 1 - team));
    write_stones(out, "stones", &game->position);
    if (move->conceded) {
        fputs(",\"conceded\":true", out);
    } else {
        write_shot(out, "intended", &answer->shot);
        write_shot(out, "executed", &move->executed);
        fprintf(out, ",\"foul\":%s", move->turn->offended >= 0 ? "true" : "false");
        if (move->turn->end_finished) {
            write_stones(out, "final", &move->turn->board);
            fprintf(out, ",\"sente_score\":%d", move->turn->score);
        }
    }
    fputs(",\"expected_score\":", out);
    write_number(out, answer->has_value ? answer->expected_score : (double)NAN);
    fputs(",\"win_probability\":", out);
    write_number(out, answer->has_value ? answer->win_probability : (double)NAN);
    fprintf(out, ",\"simulations\":%lld,\"elapsed_s\":%.6f,\"cpu_s\":%.6f}\n",
            (long long)answer->simulations, answer->elapsed_s, move->cpu_s);
}

void record_write_pair(FILE *out, const struct record_name *name, const struct pair_result *result)
{
    fprintf(out, "{\"record\":\"pair\",\"pairing\":[%d,%d],\"pair\":%lld,\"games\":[", name->first,
            name->second, (long long)name->pair);
    for (int g = 0; g < 2; g++) {
        const struct pair_game *game = &result->game[g];
        fprintf(out, "%s{\"half_points\":%d,\"conceded\":%s,\"ends\":[", g ? "," : "",
                game->half_points, game->conceded ? "true" : "false");
        for (int e = 0; e < game->ends; e++)
            fprintf(out, "%s{\"score\":%d,\"hammer\":%s}", e ? "," : "", game->end[e].score,
                    game->end[e].hammer ? "true" : "false");
        fputs("]}", out);
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

/* ---- reading ---- */

static bool read_game(json_t *root, struct pair_game *game)
{
    json_t *ends;
    int conceded;

    if (json_unpack(root, "{s:i, s:b, s:o !}", "half_points", &game->half_points, "conceded",
                    &conceded, "ends", &ends) != 0 ||
        game->half_points < 0 || game->half_points > 2 || !json_is_array(ends) ||
        json_array_size(ends) > PAIR_ENDS_MAX + PAIR_EXTRA_ENDS_MAX)
        return false;
    game->conceded = conceded;
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

bool record_read_pair(const char *line, size_t length, struct record_name *ret_name,
                      struct pair_result *ret_result)
{
    struct pair_result result = {0};
    json_t *root = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL), *games[2], *effort[2];
    const char *record;
    int first, second;
    json_int_t pair;
    bool good = json_unpack(root, "{s:s, s:[i,i!], s:I, s:[o,o!], s:[o,o!] !}", "record", &record,
                            "pairing", &first, &second, "pair", &pair, "games", &games[0],
                            &games[1], "effort", &effort[0], &effort[1]) == 0 &&
                strcmp(record, "pair") == 0;

    for (int k = 0; good && k < 2; k++)
        good = read_game(games[k], &result.game[k]) && read_effort(effort[k], &result.effort[k]);
    json_decref(root);
    if (good) {
        *ret_name = (struct record_name){first, second, pair};
        *ret_result = result;
    }
    return good;
}
