/* Any bytes as a scene line. A readable scene is thrown with the fast engine, and its outcome and
 * the scene itself are written and read again. A broken promise aborts. */
#include "api/curling/game_json.h"
#include "api/curling/scene_json.h"
#include "models/game/score.h"
#include "models/ice/throw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* Returns the text of an object as in a scene line; frees the object. */
static char *text_of(json_t *object)
{
    require(object != NULL);
    char *text = shot_answer_text(object);
    require(text != NULL);
    json_decref(object);
    return text;
}

/* The error line for a bad line is valid JSON without line breaks. */
static void check_error(const struct scene_error *error)
{
    char *text = text_of(scene_error_answer(error, 1));
    json_t *again = json_loads(text, 0, NULL);

    require(again != NULL && strchr(text, '\n') == NULL);
    json_decref(again);
    free(text);
}

/* Returns a line that describes the scene; in the older forms it is made from the answer with its
 * own stones and shot. */
static char *line_of(const struct scene *scene, int n)
{
    if (scene->model == SCENE_STATE) {
        const struct game *game = &scene->game;
        const struct shot shot = scene_shot_decode(SCENE_STATE, scene->spoken);
        json_t *said = json_pack("{s:o,s:s,s:o,s:{s:i,s:i},s:o}", "id", strict_id_json(&scene->id),
                                 "profile", game->rules->name, "state", game_state_json(game),
                                 "setting", "max_end", game->ends, "extra_ends", game->extra_ends,
                                 "shot", game_shot_json(game->rules, &shot));
        require(said != NULL);
        if (scene->id.kind == STRICT_ID_NONE)
            json_object_del(said, "id");
        /* All digits, so that touching stones still do not overlap. */
        char *text = json_dumps(said, JSON_COMPACT);
        json_decref(said);
        return text;
    }
    struct scene_outcome same = {
        .after = scene->before, .is_sample = true, .thrown = scene->spoken};
    json_t *answer = scene_answer(scene, &same);
    require(answer != NULL);
    char *line = text_of(json_pack(
        "{s:s,s:O,s:i,s:O,s:O,s:s}", "model", scene_ice_name(scene), "id",
        json_object_get(answer, "id"), "n", n, "before", json_object_get(answer, "after"), "shot",
        json_object_get(answer, "shot"), "hammer", scene->team0_has_hammer ? "team0" : "team1"));
    json_decref(answer);
    return line;
}

/* … reads the same. */
static void check_round_trip(const struct scene *scene, int n)
{
    char *text = line_of(scene, n);
    struct scene again;
    struct scene_error error;

    require(text != NULL);
    require(scene_read(text, strlen(text), &again, &error) == SCENE_OK);
    free(text);
    require(again.model == scene->model && again.stone == scene->stone);
    require(again.before.in_play == scene->before.in_play);
    require(again.id.kind == scene->id.kind && again.id.number == scene->id.number &&
            strcmp(again.id.text, scene->id.text) == 0);
    require(again.shot.velocity.x == scene->shot.velocity.x &&
            again.shot.velocity.y == scene->shot.velocity.y &&
            again.shot.omega == scene->shot.omega);
    /* Coordinates below 100 m have nine digits. */
    for (unsigned rest = scene->before.in_play; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        require(vec2_distance(again.before.stone[k], scene->before.stone[k]) < 1e-6);
    }
}

static void check_throw(const struct scene *scene, const struct rules *rules)
{
    struct throw_result result;
    struct throw_request request = {
        .ice = profile_of(rules)->ice,
        .before = &scene->before,
        .stone = scene->stone,
        .shot = scene->shot,
        .team0_has_hammer = scene->team0_has_hammer,
    };
    enum throw_status status = throw_fast(&request, &result);

    if (status == THROW_BAD_SHOT)
        return;
    require(status == THROW_OK);
    require((result.after.in_play & ~(scene->before.in_play | 1u << scene->stone)) == 0);
    for (unsigned rest = result.after.in_play; rest; rest &= rest - 1) {
        struct vec2 at = result.after.stone[__builtin_ctz(rest)];
        require(isfinite(at.x) && isfinite(at.y));
    }
    struct scene_outcome outcome = {
        .after = result.after,
        .collisions = result.collisions,
        .score = score_position(rules, &result.after, scene->team0_has_hammer),
        .fgz_applies = true,
        .thrown = scene->spoken,
    };
    char *text = text_of(scene_answer(scene, &outcome));
    json_t *again = json_loads(text, 0, NULL);
    if (scene->model == SCENE_STATE)
        require(json_is_object(json_object_get(again, "state")));
    else
        require(json_array_size(json_object_get(again, "after")) == POSITION_STONES);
    json_decref(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct scene scene;
    struct scene_error error;

    if (scene_read((const char *)data, size, &scene, &error) != SCENE_OK) {
        check_error(&error);
        return 0;
    }

    json_t *root = json_loadb((const char *)data, size, 0, NULL);
    int n = (int)json_integer_value(json_object_get(root, "n"));
    json_decref(root);
    check_round_trip(&scene, n);

    const char *name = scene_ice_name(&scene);
    const struct rules *rules =
        scene.model == SCENE_STATE ? scene.game.rules : rules_find(ice_profile_find(name)->name);
    if (scene.model == SCENE_STATE || scene_check(&scene, rules, &error) == SCENE_OK)
        check_throw(&scene, rules);
    else
        check_error(&error);
    return 0;
}
