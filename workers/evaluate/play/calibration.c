/* Compares told chances with results. See calibration.h. */
#include "workers/evaluate/play/calibration.h"

#include "api/base/load_json.h"
#include "api/base/next_line.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const calibration_names[CALIBRATION_ROWS] = {
    "all",           "told 0-10 %",  "told 10-20 %", "told 20-30 %", "told 30-40 %",
    "told 40-50 %",  "told 50-60 %", "told 60-70 %", "told 70-80 %", "told 80-90 %",
    "told 90-100 %", "shots 0-4",    "shots 5-9",    "shots 10-14",  "last shot",
    "earlier ends",  "last end",     "extra ends",   "no hammer",    "hammer",
};

enum { SHOTS_MAX = 2 * (PAIR_ENDS_MAX + PAIR_EXTRA_ENDS_MAX) * 16 };

/* Sums of chances of scores may end a little above 1. */
#define ROUNDING 1e-6

/* A told chance. */
struct told {
    int game, player, end, shot;
    bool hammer, is_last; /* is_last: of its end */
    double chance;
};

/* Sums of a pair. */
struct sums {
    double told, won, squares;
    int64_t shots;
};

struct reader {
    struct calibration *calibration;
    int ends;                /* of a game, without extra ends */
    struct record_name name; /* of the pair whose shots are kept */
    int count;
    struct told told[SHOTS_MAX];
    struct sums (*sums)[CALIBRATION_ROWS]; /* [CALIBRATION_PLAYERS_MAX], all 0 between pairs */
};

/* ---- adding up ---- */

static int stage_of(const struct told *told)
{
    return told->is_last ? 3 : told->shot <= 4 ? 0 : told->shot <= 9 ? 1 : 2;
}

static void add_told(struct sums sums[CALIBRATION_ROWS], const struct told *told, int ends,
                     double won)
{
    const int tenth = (int)(told->chance * CALIBRATION_TENTHS);
    const int rows[] = {
        CALIBRATION_ALL,
        CALIBRATION_TENTH + (tenth < CALIBRATION_TENTHS ? tenth : CALIBRATION_TENTHS - 1),
        CALIBRATION_STAGE + stage_of(told),
        CALIBRATION_ENDS + (told->end >= ends ? 2 : told->end == ends - 1),
        CALIBRATION_HAMMER + told->hammer,
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        struct sums *sum = &sums[rows[k]];
        sum->shots++;
        sum->told += told->chance;
        sum->won += won;
        sum->squares += (won - told->chance) * (won - told->chance);
    }
}

static void add_pair(struct reader *reader, const struct record_name *name,
                     const struct pair_result *result)
{
    const int players[2] = {name->first, name->second};

    for (int k = 0; k < reader->count; k++) {
        const struct told *told = &reader->told[k];
        if (result->game[told->game].is_missing)
            continue;
        const double half = 0.5 * result->game[told->game].half_points;
        add_told(reader->sums[told->player], told, reader->ends,
                 told->player == name->first ? half : 1.0 - half);
    }
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < CALIBRATION_ROWS; k++) {
            struct sums *sum = &reader->sums[players[side]][k];
            struct calibration_row *row = &reader->calibration->row[players[side]][k];
            if (sum->shots == 0)
                continue;
            row->shots += sum->shots;
            row->told += sum->told;
            row->won += sum->won;
            row->squares += sum->squares;
            ratio_add(&row->above, sum->won - sum->told, (double)sum->shots);
            *sum = (struct sums){.shots = 0};
        }
    }
    reader->calibration->pairs++;
    reader->count = 0;
}

/* ---- lines ---- */

/* Returns NULL, or what is wrong. */
static const char *read_header(struct reader *reader, const json_t *header)
{
    struct calibration *calibration = reader->calibration;
    json_t *players = json_object_get(header, "players"), *player;
    size_t k;

    if (!json_is_array(players) || json_array_size(players) == 0 ||
        json_array_size(players) > CALIBRATION_PLAYERS_MAX ||
        !json_is_integer(json_object_get(header, "ends")))
        return "no header of records";
    reader->ends = (int)json_integer_value(json_object_get(header, "ends"));
    json_array_foreach(players, k, player)
    {
        if (!json_is_string(player))
            return "no header of records";
        calibration->name[k] = strdup(json_string_value(player));
        if (!calibration->name[k])
            return strerror(ENOMEM);
        calibration->players++;
    }
    return NULL;
}

static bool is_same(const struct record_name *a, const struct record_name *b)
{
    return a->first == b->first && a->second == b->second && a->pair == b->pair;
}

static const char *read_shot(struct reader *reader, json_t *shot,
                             const struct match_record_line *line)
{
    const json_t *chance = json_object_get(shot, "win_probability");
    struct told told = {.game = line->game,
                        .is_last = json_object_get(shot, "sente_score") != NULL,
                        .chance = json_number_value(chance)};
    int hammer;

    /* The shots of an unfinished pair are followed by no line of theirs. */
    if (reader->count > 0 && !is_same(&reader->name, &line->name))
        reader->count = 0;
    reader->name = line->name;
    if (json_unpack(shot, "{s:i, s:i, s:i, s:b}", "player", &told.player, "end", &told.end, "shot",
                    &told.shot, "hammer", &hammer) != 0 ||
        (told.player != line->name.first && told.player != line->name.second) || told.end < 0 ||
        told.shot < 0)
        return "no record of a shot";
    told.hammer = hammer;
    if (!json_is_number(chance))
        return json_is_null(chance) ? NULL : "no record of a shot"; /* nothing was told */
    if (told.chance < -ROUNDING || told.chance > 1.0 + ROUNDING)
        return "win_probability is no chance";
    told.chance = fmin(fmax(told.chance, 0.0), 1.0);
    if (reader->count == SHOTS_MAX)
        return "a pair has too many shots";
    reader->told[reader->count++] = told;
    return NULL;
}

static const char *read_line(struct reader *reader, const char *text, size_t length)
{
    const bool is_first = reader->calibration->players == 0;
    struct match_record_line line;
    struct pair_result result;
    struct record_name name;

    if (!is_first && match_record_read_pair(text, length, &name, &result)) {
        if (name.first >= reader->calibration->players ||
            name.second >= reader->calibration->players)
            return "a player who is not in the header";
        if (!is_same(&name, &reader->name))
            reader->count = 0;
        add_pair(reader, &name, &result);
        return NULL;
    }
    json_error_t error;
    json_t *root = load_json(text, length, JSON_REJECT_DUPLICATES, &error);
    const char *wrong = NULL;
    if (!root)
        wrong = json_error_code(&error) == json_error_out_of_memory ? strerror(ENOMEM) : "no JSON";
    else if (is_first)
        wrong = read_header(reader, root);
    else if (!match_record_read(text, &line) || line.kind != MATCH_RECORD_SHOT ||
             line.name.first >= reader->calibration->players ||
             line.name.second >= reader->calibration->players)
        wrong = "neither a shot nor a pair";
    else
        wrong = read_shot(reader, root, &line);
    json_decref(root);
    return wrong;
}

bool calibration_read(FILE *file, struct calibration *ret_calibration,
                      char ret_error[CALIBRATION_ERROR_MAX])
{
    struct reader *reader = calloc(1, sizeof *reader);
    char *line = NULL;
    const char *wrong = NULL;
    size_t room = 0;
    int64_t number = 0;
    ssize_t length = 0;

    *ret_calibration = (struct calibration){.players = 0};
    if (reader)
        reader->sums = calloc(CALIBRATION_PLAYERS_MAX, sizeof *reader->sums);
    if (!reader || !reader->sums)
        wrong = strerror(ENOMEM);
    else
        reader->calibration = ret_calibration;
    while (!wrong && (length = next_line(&line, &room, file)) > 0) {
        number++;
        /* An interrupted program leaves at most the beginning of a last line. */
        if (line[length - 1] != '\n' && number > 1)
            break;
        wrong = read_line(reader, line, (size_t)length);
    }
    if (!wrong && length < 0)
        wrong = strerror(errno);
    else if (!wrong && number == 0)
        wrong = "the file is empty";
    if (wrong)
        snprintf(ret_error, CALIBRATION_ERROR_MAX, "line %lld: %s", (long long)number, wrong);
    if (reader)
        free(reader->sums);
    free(reader);
    free(line);
    if (wrong)
        calibration_free(ret_calibration);
    return !wrong;
}

void calibration_free(struct calibration *calibration)
{
    for (int k = 0; k < calibration->players; k++)
        free(calibration->name[k]);
    calibration->players = 0;
}

/* ---- figures ---- */

double calibration_above(const struct calibration_row *row)
{
    return row->shots > 0 ? ratio_mean(&row->above) : (double)NAN;
}

struct interval calibration_interval(const struct calibration_row *row)
{
    const double mean = calibration_above(row);
    const double half = row->shots > 0 ? STATISTICS_Z_95 * ratio_error(&row->above) : (double)NAN;

    return (struct interval){mean - half, mean + half};
}
