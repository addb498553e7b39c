/* Headers and shots of a record file; pairs are api/curling/match_record.c. */
#include "workers/evaluate/play/record.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *value_json(const struct player_setting *setting, double value)
{
    switch (setting->kind) {
    case SETTING_WHOLE:
        return json_integer((json_int_t)value);
    case SETTING_BOOL:
        return json_boolean(value != 0.0);
    case SETTING_CHOICE:
        return json_string(setting->choices[(int)value]);
    case SETTING_NUMBER:
    case SETTING_MODEL:
    case SETTING_VALUES:
        break;
    }
    return json_real(value);
}

json_t *player_settings_json(const struct player *player)
{
    const struct player_setting *setting = player->class->settings;
    json_t *root = json_object();
    int failed = root ? 0 : -1;

    for (int k = 0; setting && setting[k].name; k++)
        if (setting[k].kind != SETTING_MODEL && setting[k].kind != SETTING_VALUES)
            failed |= json_object_set_new(root, setting[k].name,
                                          value_json(&setting[k], player->setting[k]));
    if (player->weights_sha256[0])
        failed |= json_object_set_new(root, "weights_sha256", json_string(player->weights_sha256));
    if (player->values_sha256[0])
        failed |= json_object_set_new(root, "values_sha256", json_string(player->values_sha256));
    if (failed) {
        json_decref(root);
        return NULL;
    }
    return root;
}

/* {"kind", its settings}. A setting leaves out the name of its kind:
 * {"kind":"gat","stddev_x_m"}. */
static json_t *noise_json(const struct noise *noise)
{
    const char *name = noise_kind_at((int)noise->kind)->name;
    json_t *root = json_pack("{s:s}", "kind", name);
    const struct noise_setting *setting;

    for (int k = 0; (setting = noise_setting_at(k)) != NULL; k++) {
        double value = noise_setting_of(&noise->settings, k);
        size_t prefix = strlen(name);
        /* JSON has no infinity: an infinite limit is left out, as what people's hands do not have.
         */
        if (!noise_setting_fits(setting, noise->kind) || !isfinite(value) ||
            (setting->of_people && (setting->most == 0.0 || value == setting->initial)))
            continue;
        bool is_prefixed =
            strncmp(setting->member, name, prefix) == 0 && setting->member[prefix] == '_';
        json_object_set_new(root, setting->member + (is_prefixed ? prefix + 1 : 0),
                            json_real(value));
    }
    return root;
}

struct record_name record_name_at(int player_count, int64_t index)
{
    int pairings = player_count * (player_count - 1) / 2, pairing = (int)(index % pairings);
    int first = 0;

    for (int row = player_count - 1; pairing >= row; row--, first++)
        pairing -= row;
    return (struct record_name){first, first + 1 + pairing, index / pairings};
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
    /* The seed is a text: JSON numbers hold 63 bits here. */
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)setting->seed);
    json_t *root = json_pack(
        "{s:s, s:i, s:s, s:o, s:o, s:s, s:s, s:o, s:i, s:f, s:I}", "record", "header", "version", 1,
        "seed", seed, "players", names, "settings", settings, "rules", setting->rules->name, "ice",
        setting->ice->name, "noise", noise_json(&setting->noise), "ends", setting->ends, "time_ms",
        1000.0 * setting->limits.time_s, "simulations", (json_int_t)setting->limits.simulations);
    good = good && root &&
           (setting->extra_ends == 0 ||
            json_object_set_new(root, "extra_ends", json_integer(setting->extra_ends)) == 0) &&
           (setting->luck.throws == 0 ||
            json_object_set_new(root, "luck", json_integer(setting->luck.throws)) == 0) &&
           (setting->luck_by == JOB_LUCK_BY_SEAT ||
            json_object_set_new(root, "luck_by", json_string(job_luck_by[setting->luck_by])) == 0);
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

    match_record_begin(out, &(struct match_record_line){MATCH_RECORD_SHOT, *name, move->game});
    fprintf(out, "\"end\":%d,\"shot\":%d,\"player\":%d,\"hammer\":%s,\"lead\":%d", game->end,
            game->shot, move->player ? name->second : name->first,
            team == game->hammer_team ? "true" : "false",
            game_total(game, team) - game_total(game, 1 - team));
    if (move->setup)
        fprintf(out, ",\"setup\":{\"choice\":\"%s\",\"pattern\":%d,\"player\":%d}",
                setup_word(move->setup->setup), move->setup->pattern,
                move->setup->player ? name->second : name->first);
    write_stones(out, "stones", &game->position);
    if (move->conceded) {
        fputs(",\"conceded\":true", out);
    } else {
        if (!move->has_no_call)
            write_shot(out, "intended", &answer->shot);
        write_shot(out, "executed", &move->executed);
        if (move->hand)
            fprintf(out, ",\"hand\":%s", move->hand);
        fprintf(out, ",\"foul\":%s", move->turn->offended >= 0 ? "true" : "false");
        if (move->turn->end_finished) {
            write_stones(out, "final", &move->turn->board);
            fprintf(out, ",\"sente_score\":%d", move->turn->score);
        }
    }
    if (move->has_luck) {
        fputs(",\"luck\":{\"win\":", out);
        write_number(out, move->luck.win);
        fputs(",\"points\":", out);
        write_number(out, move->luck.points);
        fputc('}', out);
    }
    fputs(",\"expected_score\":", out);
    write_number(out, answer->has_value ? answer->expected_score : (double)NAN);
    fputs(",\"win_probability\":", out);
    write_number(out, answer->has_value ? answer->win_probability : (double)NAN);
    fprintf(out, ",\"simulations\":%lld,\"elapsed_s\":%.6f,\"cpu_s\":%.6f}\n",
            (long long)answer->simulations, answer->elapsed_s, move->cpu_s);
}
