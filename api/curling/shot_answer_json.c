/* Writes the answers to shot queries. See shot_json.h. */
#include "api/curling/shot_json.h"

#include "api/base/build_json.h"
#include "api/curling/game_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double milliseconds(double time_s)
{
    return round(time_s * 1e6) / 1e3;
}

/* Paths are only drawn: a tenth of a millimetre is enough. */
static double tenth_mm(double x_m)
{
    return round(x_m * 1e4) / 1e4;
}

static json_t *path_json(const struct shot_answer_candidate *candidate)
{
    json_t *list = json_array();
    bool good = list != NULL;

    for (int k = 0; k < candidate->path_points; k++)
        good = build_append(list, json_pack("[f,f]", tenth_mm(candidate->path[k].x),
                                            tenth_mm(candidate->path[k].y))) &&
               good;
    return build_done(list, good);
}

static json_t *candidate_json(const struct rules *rules, int order,
                              const struct shot_answer_candidate *candidate)
{
    double difference = candidate->difference, error = candidate->difference_error;
    json_t *interval = isfinite(difference) && isfinite(error)
                           ? json_pack("[f, f]", difference - error, difference + error)
                           : json_null();

    return json_pack("{s:i, s:o, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "order", order,
                     "shot", game_shot_json(rules, &candidate->shot), "kind", candidate->kind,
                     "visits", (json_int_t)candidate->visits, "win_probability",
                     build_real(candidate->win_probability), "expected_score",
                     build_real(candidate->expected_score), "lcb", build_real(candidate->lcb),
                     "prior", build_real(candidate->prior), "success",
                     build_real(candidate->success), "difference", build_real(difference),
                     "difference_interval", interval, "path", path_json(candidate));
}

static json_t *candidates_json(const struct shot_answer *answer)
{
    json_t *list = json_array();
    bool good = list != NULL;

    for (int k = 0; k < answer->candidates; k++)
        good = build_append(list, candidate_json(answer->rules, k, &answer->candidate[k])) && good;
    return build_done(list, good);
}

static json_t *value_json(const struct shot_answer *answer)
{
    bool good = true;

    if (!answer->has_value)
        return json_null();
    json_t *distribution = json_object();
    for (int k = 0; k < SHOT_SCORES; k++) {
        char score[8];
        double p = answer->score_distribution[k];
        snprintf(score, sizeof score, "%d", k - SHOT_SCORE_ZERO);
        if (isfinite(p) && p != 0.0)
            good = build_add(distribution, score, json_real(p)) && good;
    }
    return json_pack("{s:o, s:o, s:o}", "win_probability", build_real(answer->win_probability),
                     "expected_score", build_real(answer->expected_score), "score_distribution",
                     build_done(distribution, good));
}

/* NULL where there is none, which json_pack() leaves out. */
static json_t *opponent_json(const struct shot_answer_opponent *opponent)
{
    json_t *styles = opponent ? json_array() : NULL;
    bool good = true;

    if (!opponent)
        return NULL;
    for (int k = 0; k < opponent->styles; k++)
        good = build_append(styles, json_pack("{s:s, s:f}", "player", opponent->style[k].name,
                                              "weight", opponent->style[k].weight)) &&
               good;
    return json_pack("{s:i, s:o, s:f, s:f, s:f}", "throws", opponent->throws, "styles",
                     build_done(styles, good), "stranger", opponent->stranger, "confidence",
                     opponent->confidence, "errs", opponent->errs);
}

json_t *shot_answer_json(const struct shot_answer *answer)
{
    json_t *repeat = answer->simulations_to_repeat > 0 ? json_integer(answer->simulations_to_repeat)
                                                       : json_null();
    json_t *player = json_pack("{s:s, s:s, s:s*, s:s*}", "name", answer->player_name, "spec",
                               answer->player_spec, "objective", answer->objective,
                               "weights_sha256", answer->weights_sha256);

    return json_pack(
        "{s:o, s:b, s:s, s:o, s:b, s:s?, s:o, s:o, s:I, s:o, s:o, s:o*, s:I, s:f, s:f}", "id",
        strict_id_json(&answer->id), "is_final", answer->is_final, "side",
        game_team_name(answer->team), "shot", game_shot_json(answer->rules, &answer->shot),
        "concede", answer->concede, "stopped", answer->stopped, "value", value_json(answer),
        "candidates", candidates_json(answer), "simulations", (json_int_t)answer->simulations,
        "simulations_to_repeat", repeat, "player", player, "opponent",
        opponent_json(answer->opponent), "seed", (json_int_t)answer->seed, "elapsed_ms",
        milliseconds(answer->elapsed_s), "queue_ms", milliseconds(answer->queue_s));
}

json_t *shot_errors_json(const struct strict_id *id, const struct strict_errors *errors)
{
    return json_pack("{s:o, s:b, s:o}", "id", strict_id_json(id), "is_final", 1, "errors",
                     strict_errors_json(errors));
}

char *shot_answer_text(const json_t *answer)
{
    return json_dumps(answer, JSON_COMPACT | JSON_REAL_PRECISION(9));
}
