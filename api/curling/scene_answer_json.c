/* Writes the answers to scenes. See scene_json.h. */
#include "api/curling/scene_json.h"

#include "api/base/build_json.h"
#include "api/curling/game_json.h"
#include "models/game/frame.h"

int scene_entry_of_stone(const struct scene *scene, int stone)
{
    return scene->model == SCENE_DC2 ? stone : frame_slot_of_stone(scene->team0_has_hammer, stone);
}

static json_t *spoken_json(enum scene_model model, struct scene_shot spoken)
{
    if (model == SCENE_DC2)
        return json_pack("{s:f,s:f,s:i}", "vx", (double)spoken.first, "vy", (double)spoken.second,
                         "spin", spoken.spin == 0.0f ? 0 : 1);
    return json_pack("{s:f,s:f,s:f}", "speed", (double)spoken.first, "angle", (double)spoken.second,
                     "angular_velocity", (double)spoken.spin);
}

static json_t *nulls(int count)
{
    json_t *list = json_array();
    bool good = true;

    for (int k = 0; k < count; k++)
        good = build_append(list, json_null()) && good;
    return build_done(list, good);
}

static json_t *after_json(const struct scene *scene, const struct position *after)
{
    json_t *entries = nulls(POSITION_STONES);
    bool good = entries != NULL;

    for (int stone = 0; stone < POSITION_STONES && good; stone++) {
        struct vec2 at = after->stone[stone];
        json_t *value;

        if (!position_has(after, stone))
            continue;
        if (scene->model == SCENE_DC2) {
            at = frame_dc2_point(at);
            value = json_pack("[f,f]", at.x, at.y);
        } else {
            value = json_pack("{s:f,s:f}", "x", at.x, "y", at.y);
        }
        good = json_array_set_new(entries, (size_t)scene_entry_of_stone(scene, stone), value) == 0;
    }
    return build_done(entries, good);
}

static bool add_outcome(json_t *answer, const struct scene *scene,
                        const struct scene_outcome *outcome, int team0)
{
    return (!outcome->is_sample ||
            build_add(answer, "shot", spoken_json(scene->model, outcome->thrown))) &&
           build_add(answer, "after", after_json(scene, &outcome->after)) &&
           build_add(answer, "collisions", json_integer(outcome->collisions)) &&
           build_add(answer, "score", json_integer(team0)) &&
           (!outcome->fgz_applies ||
            build_add(answer, "fgz_foul", json_boolean(outcome->fgz_foul)));
}

/* Adds the outcome in the form of a state. */
static bool add_state_outcome(json_t *answer, const struct scene *scene,
                              const struct scene_outcome *outcome, int team0)
{
    const struct shot thrown = scene_shot_decode(SCENE_STATE, outcome->thrown);
    struct game game = scene->game;

    if (game_play(&game, &outcome->after, NULL) != GAME_OK)
        return false; /* cannot happen: the game was checked, and no stone is new */
    return build_add(answer, "shot", game_shot_json(game.rules, &thrown)) &&
           build_add(answer, "stones",
                     game_stones_json(&outcome->after, scene->team0_has_hammer)) &&
           build_add(answer, "collisions", json_integer(outcome->collisions)) &&
           build_add(answer, "score",
                     json_pack("{s:i,s:i}", game_team_name(0), team0 > 0 ? team0 : 0,
                               game_team_name(1), team0 < 0 ? -team0 : 0)) &&
           build_add(answer, "free_guard_zone_foul", json_boolean(outcome->fgz_foul)) &&
           build_add(answer, "state", game_state_json(&game));
}

json_t *scene_answer(const struct scene *scene, const struct scene_outcome *outcome)
{
    json_t *answer = json_object();
    int team0 = scene->team0_has_hammer ? -outcome->score : outcome->score;
    bool good =
        build_add(answer, "id", strict_id_json(&scene->id)) &&
        (!outcome->is_sample || build_add(answer, "sample", json_integer(outcome->sample))) &&
        (scene->model == SCENE_STATE ? add_state_outcome(answer, scene, outcome, team0)
                                     : add_outcome(answer, scene, outcome, team0));

    return build_done(answer, good);
}

/* Returns the list that holds a stone's path, and its index there; makes the list if needed. NULL:
 * out of memory. */
static json_t *path_list(json_t *answer, const struct scene *scene, int stone, size_t *ret_place)
{
    json_t *all = json_object_get(answer, "trajectory");
    int entry = stone < 0 ? 0 : scene_entry_of_stone(scene, stone);

    if (!all) {
        all = scene->model == SCENE_STATE
                  ? json_pack("{s:o,s:o}", game_team_name(0), nulls(POSITION_STONES / 2),
                              game_team_name(1), nulls(POSITION_STONES / 2))
                  : nulls(POSITION_STONES);
        if (!build_add(answer, "trajectory", all))
            return NULL;
    }
    if (scene->model != SCENE_STATE) {
        *ret_place = (size_t)entry;
        return all;
    }
    *ret_place = (size_t)(entry % (POSITION_STONES / 2));
    return json_object_get(all, game_team_name(entry / (POSITION_STONES / 2)));
}

int scene_answer_add_point(json_t *answer, const struct scene *scene, int stone, double t_s,
                           struct vec2 at)
{
    size_t place;
    json_t *list = path_list(answer, scene, stone, &place);

    if (!list || stone < 0)
        return list ? 0 : -1;
    json_t *path = json_array_get(list, place);
    if (!json_is_array(path)) {
        path = json_array();
        if (json_array_set_new(list, place, path) != 0)
            return -1;
    }
    if (scene->model == SCENE_DC2)
        at = frame_dc2_point(at);
    return json_array_append_new(path, json_pack("[f,f,f]", t_s, at.x, at.y));
}

json_t *scene_error_answer(const struct scene_error *error, int64_t line)
{
    json_t *answer = json_object();
    const char *colon = error->field[0] ? ": " : "";
    bool good =
        (error->id.kind == STRICT_ID_NONE || build_add(answer, "id", strict_id_json(&error->id))) &&
        build_add(answer, "error", json_sprintf("%s%s%s", error->field, colon, error->text)) &&
        build_add(answer, "line", json_integer(line));

    return build_done(answer, good);
}
