/* Any bytes as a shot query. A refusal has errors that can be written; a readable query is a
 * playable game and reads the same when written again. A broken promise aborts. */
#include "api/curling/shot_json.h"
#include "tests/shot_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* Checks that the object becomes a line of valid JSON; frees both. */
static void check_line(json_t *object)
{
    require(object != NULL);
    char *text = shot_answer_text(object);
    require(text != NULL && strchr(text, '\n') == NULL);
    json_t *again = json_loads(text, 0, NULL);
    require(again != NULL);
    json_decref(again);
    free(text);
    json_decref(object);
}

static void check_errors(const struct strict_id *id, const struct strict_errors *errors)
{
    require(errors->count > 0 && errors->count <= STRICT_ERRORS_MAX);
    for (int k = 0; k < errors->count; k++) {
        const struct strict_error *error = &errors->error[k];
        require(error->pointer[0] == '\0' || error->pointer[0] == '/');
        require(error->code[0] && error->message[0]);
    }
    check_line(shot_errors_json(id, errors));
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void check_round_trip(const struct shot_query *query)
{
    json_t *document = shot_query_json(query);
    struct shot_query again;
    struct strict_errors errors;

    require(document != NULL);
    char *text = json_dumps(document, JSON_COMPACT);
    require(text != NULL);
    require(shot_query_read(text, strlen(text), &again, NULL, &errors));
    free(text);
    json_decref(document);

    require(strict_id_equal(&again.id, &query->id));
    require(strcmp(again.player, query->player) == 0);
    require(again.time_s == query->time_s && again.simulations == query->simulations);
    require(again.timeout_s == query->timeout_s && again.seed == query->seed);
    require(again.report_interval_s == query->report_interval_s);
    require(again.candidates == query->candidates);
    require(same_number(again.noise.gat_stddev_x_m, query->noise.gat_stddev_x_m));
    require(same_number(again.noise.gat_stddev_y_m, query->noise.gat_stddev_y_m));
    require(same_number(again.noise.stddev_speed_mps, query->noise.stddev_speed_mps));
    require(same_number(again.noise.stddev_angle_rad, query->noise.stddev_angle_rad));
    require(same_number(again.noise.max_speed_mps, query->noise.max_speed_mps));

    const struct game *a = &again.game, *b = &query->game;
    require(a->rules == b->rules && a->ends == b->ends && a->extra_ends == b->extra_ends);
    require(a->end == b->end && a->shot == b->shot && a->hammer_team == b->hammer_team);
    require(memcmp(a->scores, b->scores, sizeof a->scores) == 0);
    require(a->position.in_play == b->position.in_play);
    for (int k = 0; k < POSITION_STONES; k++)
        require(a->position.stone[k].x == b->position.stone[k].x &&
                a->position.stone[k].y == b->position.stone[k].y);
}

/* The game is playable from here: a shot that changes nothing is legal. */
static void check_game(const struct game *from)
{
    struct game game = *from;
    struct game_turn turn;
    struct position same = game.position;

    require(game_check(&game, NULL) == GAME_OK);
    require(game_next_team(&game) == 0 || game_next_team(&game) == 1);
    require(game_play(&game, &same, &turn) == GAME_OK);
    require(game_check(&game, NULL) == GAME_OK);
}

/* Checks that an answer about this game can be written. */
static void check_answer(const struct shot_query *query)
{
    const struct shot_answer_candidate candidate = {
        .shot = {{0.1, 2.4}, -1.5},
        .kind = "draw",
        .win_probability = NAN,
        .expected_score = NAN,
        .lcb = NAN,
        .prior = NAN,
        .success = NAN,
        .path = query->game.position.stone,
        .path_points = POSITION_STONES,
    };
    const struct shot_answer answer = {
        .id = query->id,
        .rules = query->game.rules,
        .team = game_next_team(&query->game),
        .shot = candidate.shot,
        .candidates = 1,
        .candidate = &candidate,
        .player_name = "player",
        .player_spec = query->player,
        .seed = query->seed,
    };

    check_line(shot_answer_json(&answer));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct shot_query query;
    struct strict_errors errors;
    struct strict_id id;

    if (!shot_query_read((const char *)data, size, &query, &id, &errors)) {
        check_errors(&id, &errors);
        return 0;
    }
    check_round_trip(&query);
    check_game(&query.game);
    check_answer(&query);
    shot_query_free(&query);
    return 0;
}
