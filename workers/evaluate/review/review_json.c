/* See review_json.h. */
#include "workers/evaluate/review/review_json.h"

#include "api/base/build_json.h"
#include "api/curling/game_json.h"

#include <math.h>
#include <string.h>

/* 95 % of a normal distribution lie within so many standard deviations. */
#define DEVIATIONS    1.96
#define MISTAKE_LEAST 0.01 /* of the game */

static json_t *value_json(struct review_value value)
{
    return json_pack("{s:f, s:f}", "win", value.win, "points", value.points);
}

static json_t *interval_json(double mean, double error)
{
    return json_pack("[f, f]", mean - DEVIATIONS * error, mean + DEVIATIONS * error);
}

/* {"win","win_interval","points","points_interval"} */
static json_t *loss_json(struct review_value loss, struct review_value error)
{
    return json_pack("{s:f, s:o, s:f, s:o}", "win", loss.win, "win_interval",
                     interval_json(loss.win, error.win), "points", loss.points, "points_interval",
                     interval_json(loss.points, error.points));
}

/* ---- shots ---- */

/* A loss counts as a mistake if its interval lies above 0, and if it is not so small that only a
 * machine would mind. */
static bool is_mistake(const struct review_shot *shot)
{
    return !shot->is_best && shot->call.win >= MISTAKE_LEAST &&
           shot->call.win > DEVIATIONS * shot->call_error.win;
}

static json_t *call_json(const struct review *review, const struct candidate *candidate,
                         enum shot_kind kind)
{
    return json_pack("{s:s, s:o}", "kind", shot_kind_name(kind), "shot",
                     game_shot_json(&review->game->profile->rules, &candidate->shot));
}

static json_t *shot_json(const struct review *review, int k)
{
    const struct review_shot *shot = &review->shot[k];
    const struct game *before = &review->game->move[k].before;
    json_t *values =
        json_pack("{s:o, s:o, s:o}", "best", value_json(shot->value_best), "called",
                  value_json(shot->value_called), "thrown", value_json(shot->value_thrown));

    return json_pack("{s:i, s:i, s:i, s:s, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b}",
                     "number", k, "end", before->end, "shot", before->shot, "team",
                     game_team_name(shot->team), "hammer", before->hammer_team == shot->team,
                     "estimated", shot->is_estimated, "called",
                     call_json(review, &shot->called, shot->kind), "best",
                     shot->is_best ? json_null() : call_json(review, &shot->best, shot->best.kind),
                     "values", values, "call", loss_json(shot->call, shot->call_error), "execution",
                     loss_json(shot->execution, shot->execution_error), "mistake", is_mistake(shot),
                     "success", shot->success, "foul", shot->foul);
}

static json_t *shots_json(const struct review *review)
{
    json_t *list = json_array();
    bool good = true;

    for (int k = 0; k < review->count; k++)
        good = build_append(list, shot_json(review, k)) && good;
    return build_done(list, good);
}

/* ---- teams ---- */

/* Sums over shots of a team, or over those of one kind. */
struct figures {
    int shots, successes, mistakes;
    double call, call_points, execution, execution_points, execution_squares;
};

static void count_shot(struct figures *figures, const struct review_shot *shot)
{
    figures->shots++;
    figures->successes += shot->success;
    figures->mistakes += is_mistake(shot);
    figures->call += shot->call.win;
    figures->call_points += shot->call.points;
    figures->execution += shot->execution.win;
    figures->execution_points += shot->execution.points;
    figures->execution_squares += shot->execution.win * shot->execution.win;
}

static json_t *mean_of(double sum, int count)
{
    return count > 0 ? json_real(sum / count) : json_null();
}

/* Half the width of the 95 % interval of the mean loss of the execution. */
static json_t *execution_error(const struct figures *figures)
{
    double n = figures->shots, mean = figures->execution / n;

    if (figures->shots < 2)
        return json_null();
    double variance = (figures->execution_squares - n * mean * mean) / (n - 1.0) / n;
    return json_real(variance > 0.0 ? DEVIATIONS * sqrt(variance) : 0.0);
}

static json_t *figures_json(const struct figures *figures)
{
    return json_pack("{s:i, s:o, s:i, s:o, s:o, s:o, s:o, s:o}", "shots", figures->shots,
                     "success_percent", mean_of(100.0 * figures->successes, figures->shots),
                     "mistakes", figures->mistakes, "call_loss",
                     mean_of(figures->call, figures->shots), "call_loss_points",
                     mean_of(figures->call_points, figures->shots), "execution_loss",
                     mean_of(figures->execution, figures->shots), "execution_loss_points",
                     mean_of(figures->execution_points, figures->shots), "execution_loss_error",
                     execution_error(figures));
}

static json_t *kinds_json(const struct review *review, int team)
{
    json_t *list = json_array();
    bool good = true;

    for (int kind = 0; kind < SHOT_KIND_COUNT; kind++) {
        struct figures figures = {.shots = 0};
        for (int k = 0; k < review->count; k++)
            if (review->shot[k].team == team && (int)review->shot[k].kind == kind)
                count_shot(&figures, &review->shot[k]);
        if (figures.shots == 0)
            continue;
        json_t *row = json_pack("{s:s}", "kind", shot_kind_name((enum shot_kind)kind));
        json_t *more = figures_json(&figures);
        good = row && more && json_object_update(row, more) == 0 && good;
        json_decref(more);
        good = build_append(list, row) && good;
    }
    return build_done(list, good);
}

/* The ends of a team: with the hammer a point more than one is a success, one alone was forced. */
static json_t *ends_json(const struct review *review, int team)
{
    int with = 0, converted = 0, forced = 0, blanks = 0, without = 0, steals = 0;

    for (int k = 0; k < review->count; k++) {
        const struct game *before = &review->game->move[k].before;
        bool is_first = k == 0 || before->end != review->game->move[k - 1].before.end;
        if (!is_first || before->end >= review->ends_played)
            continue;
        int own = review->scores[team][before->end], other = review->scores[1 - team][before->end];
        bool hammer = before->hammer_team == team;
        with += hammer;
        converted += hammer && own >= 2;
        forced += hammer && own == 1;
        blanks += hammer && own == 0 && other == 0;
        without += !hammer;
        steals += !hammer && own > 0;
    }
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i}", "with_hammer", with, "two_or_more",
                     converted, "forced_to_one", forced, "blanks", blanks, "without_hammer",
                     without, "steals", steals);
}

static json_t *team_json(const struct review *review, int team)
{
    struct figures figures = {.shots = 0};
    const struct review_sums *sums = &review->sums;

    for (int k = 0; k < review->count; k++)
        if (review->shot[k].team == team)
            count_shot(&figures, &review->shot[k]);
    json_t *row = figures_json(&figures);
    bool good = build_add(row, "team", json_string(game_team_name(team)));
    good = build_add(row, "player", json_string(review->game->name[team])) && good;
    good = build_add(row, "call_sum", json_real(sums->call[team].win)) && good;
    good = build_add(row, "execution_sum", json_real(sums->execution[team].win)) && good;
    good = build_add(row, "ends", ends_json(review, team)) && good;
    good = build_add(row, "kinds", kinds_json(review, team)) && good;
    return build_done(row, good);
}

/* ---- the whole ---- */

static json_t *sums_json(const struct review *review)
{
    const struct review_sums *sums = &review->sums;

    return json_pack("{s:o, s:{s:o, s:o}, s:{s:o, s:o}, s:o, s:o, s:o}", "start",
                     value_json(sums->start), "call", "team0", value_json(sums->call[0]), "team1",
                     value_json(sums->call[1]), "execution", "team0",
                     value_json(sums->execution[0]), "team1", value_json(sums->execution[1]),
                     "revision", value_json(sums->revision), "result", value_json(sums->result),
                     "imbalance", value_json(review_imbalance(review)));
}

static json_t *check_json(const struct review *review)
{
    struct figures figures = {.shots = 0};

    for (int k = 0; k < review->count; k++)
        count_shot(&figures, &review->shot[k]);
    return json_pack("{s:o, s:o}", "execution_loss", mean_of(figures.execution, figures.shots),
                     "execution_loss_error", execution_error(&figures));
}

static json_t *path_json(const struct review *review, int k, struct shot shot)
{
    struct vec2 path[REVIEW_PATH_MAX];
    int count = review_path(review->game, &review->game->move[k], shot, path);
    json_t *list = json_array();
    bool good = true;

    for (int i = 0; i < count; i++)
        good = build_append(list, json_pack("[f, f]", round(path[i].x * 1e3) / 1e3,
                                            round(path[i].y * 1e3) / 1e3)) &&
               good;
    return build_done(list, good);
}

/* A position that cost much: its stones, and the paths of the three shots. */
static json_t *key_json(const struct review *review, int k)
{
    const struct review_move *move = &review->game->move[k];
    const struct review_shot *shot = &review->shot[k];
    json_t *row = shot_json(review, k);
    json_t *state = game_state_json(&move->before);
    bool good = build_add(row, "stones", json_incref(json_object_get(state, "stones")));

    json_decref(state);
    json_t *paths = json_pack("{s:o, s:o, s:o}", "best", path_json(review, k, shot->best.shot),
                              "called", path_json(review, k, shot->called.shot), "thrown",
                              path_json(review, k, move->thrown));
    good = build_add(row, "paths", paths) && good;
    return build_done(row, good);
}

static json_t *scores_json(const struct review *review, int team)
{
    json_t *list = json_array();
    bool good = true;

    for (int end = 0; end < review->ends_played; end++)
        good = build_append(list, json_integer(review->scores[team][end])) && good;
    return build_done(list, good);
}

json_t *review_json(const struct review_setting *setting, const struct review *review)
{
    const struct review_game *game = review->game;
    double win = review->sums.result.win;
    char judge[PLAYER_SPEC_MAX];
    json_t *keys = json_array();
    bool good = true;

    for (int k = 0; k < review->keys; k++)
        good = build_append(keys, key_json(review, review->key[k])) && good;
    player_write(setting->judge, sizeof judge, judge);
    json_t *result = json_pack(
        "{s:s, s:i, s:i, s:[o, o], s:s, s:i, s:I, s:{s:o, s:o}, s:s?, s:b, s:o, s:o, s:o, s:o}",
        "profile", game->profile->name, "ends", game->ends, "extra_ends", game->extra_ends, "teams",
        team_json(review, 0), team_json(review, 1), "judge", judge, "throws", setting->throws,
        "seed", (json_int_t)setting->seed, "scores", "team0", scores_json(review, 0), "team1",
        scores_json(review, 1), "winner",
        game->is_broken_off ? NULL
        : win > 0.5         ? game_team_name(0)
        : win < 0.5         ? game_team_name(1)
                            : NULL,
        "conceded", review->conceded, "sums", sums_json(review), "check", check_json(review), "key",
        build_done(keys, good), "shots", shots_json(review));
    return result;
}
