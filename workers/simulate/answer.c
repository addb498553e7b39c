/* One line, one throw, one answer: nothing here is shared between two answers. */
#include "workers/simulate/answer.h"

#include "models/game/free_guard_zone.h"
#include "models/game/score.h"
#include "models/ice/noise.h"
#include "models/ice/random.h"

#include <string.h>

/* ---- questions ---- */

int64_t answer_count(const struct options *options, const struct question *question)
{
    return question->is_good && options->samples > 0 ? options->samples : 1;
}

void question_read(const struct options *options, const struct line *line,
                   struct question *ret_question)
{
    struct question *question = ret_question;
    const struct strict_id no_id = {.kind = STRICT_ID_NONE};

    question->line = line->number;
    question->is_good = false;
    if (line->too_long) {
        scene_error_set(&question->error, &no_id, "", "the line is longer than %d bytes",
                        SCENE_LINE_MAX);
        return;
    }
    if (scene_read(line->text, line->length, &question->scene, &question->error) != SCENE_OK)
        return;

    const char *model = scene_model_name(question->scene.model);
    const struct ice_profile *own = ice_profile_find(model);
    question->ice = options->ice ? options->ice : own;
    if (question->ice->law != own->law) {
        scene_error_set(&question->error, &question->scene.id, "model",
                        "a %s scene cannot be thrown on %s ice", model, question->ice->name);
        return;
    }
    question->rules = rules_find(question->ice->name);
    question->is_good =
        scene_check(&question->scene, question->rules, &question->error) == SCENE_OK;
}

/* ---- noise ---- */

/* The noise belongs to the scene and not to its place in the file, so that a file can be split,
 * filtered or shuffled and each scene keeps its outcomes. Ids that are texts are hashed (FNV-1a, 64
 * bits) and have `game` 1, so they share no numbers with ids that are numbers. */
static struct random_key noise_key(uint64_t seed, const struct strict_id *id)
{
    struct random_key key = {.seed = seed, .purpose = RANDOM_EXECUTION};

    if (id->kind == STRICT_ID_NUMBER) {
        key.stream = (uint64_t)id->number;
        return key;
    }
    key.game = 1;
    key.stream = 0xcbf29ce484222325u;
    for (const char *c = id->text; *c; c++)
        key.stream = (key.stream ^ (unsigned char)*c) * 0x100000001b3u;
    return key;
}

/* The shot that leaves the hand, in the numbers in which it is written: read back they throw the
 * very same stone. */
static struct scene_shot noisy_shot(const struct options *options, const struct question *question,
                                    int64_t sample)
{
    const struct scene *scene = &question->scene;

    if (options->noise == ICE_NOISE_NONE)
        return scene->spoken;
    struct noise noise = noise_default(question->ice, options->noise);
    struct random_key key = noise_key(options->seed, &scene->id);
    struct normal_pair pair = random_normal_pair(&key, (uint64_t)sample);
    return scene_shot_encode(scene->model, noise_apply(&noise, question->ice, scene->shot, pair));
}

/* ---- answers ---- */

static char *error_text(const struct scene_error *error, int64_t line)
{
    json_t *answer = scene_error_answer(error, line);
    char *text = answer ? scene_answer_text(answer) : NULL;

    json_decref(answer);
    return text;
}

static char *throw_error_text(const struct question *question, enum throw_status status)
{
    static const char *const field[] = {[THROW_BAD_STONE] = "n",
                                        [THROW_BAD_POSITION] = "before",
                                        [THROW_BAD_SHOT] = "shot",
                                        [THROW_NO_MEMORY] = "",
                                        [THROW_FAILED] = ""};
    struct scene_error error;

    scene_error_set(&error, &question->scene.id, field[status], "%s", throw_status_text(status));
    return error_text(&error, question->line);
}

static bool add_trajectory(json_t *answer, const struct scene *scene,
                           const struct trajectory *trajectory)
{
    if (scene_answer_add_point(answer, scene, -1, 0.0, (struct vec2){0.0, 0.0}) != 0)
        return false;
    for (int stone = 0; stone < POSITION_STONES; stone++) {
        const struct trajectory_path *path = &trajectory->stone[stone];
        for (size_t k = 0; k < path->count; k++)
            if (scene_answer_add_point(answer, scene, stone, path->points[k].t_s,
                                       path->points[k].at) != 0)
                return false;
    }
    return true;
}

static char *result_text(const struct options *options, const struct question *question,
                         const struct throw_result *result, struct scene_outcome *outcome,
                         const struct trajectory *trajectory)
{
    const struct scene *scene = &question->scene;
    const struct rules *rules = question->rules;

    outcome->after = result->after;
    outcome->collisions = result->collisions;
    outcome->score = score_position(rules, &result->after, scene->team0_has_hammer);
    /* dc2 lines always say it, as those of the vector files do. */
    outcome->fgz_applies = scene->model == SCENE_DC2 || scene->stone < rules->protected_shots;
    outcome->fgz_foul =
        free_guard_zone_offended(rules, &scene->before, &result->after, scene->stone) >= 0;

    json_t *answer = scene_answer(scene, outcome);
    char *text = NULL;
    if (answer && (options->interval_s == 0.0 || add_trajectory(answer, scene, trajectory)))
        text = scene_answer_text(answer);
    json_decref(answer);
    return text;
}

char *answer_text(const struct options *options, const struct question *question, int64_t sample,
                  bool *ret_is_error)
{
    const struct scene *scene = &question->scene;

    *ret_is_error = true;
    if (!question->is_good)
        return error_text(&question->error, question->line);

    struct scene_outcome outcome = {
        .is_sample = options->samples > 0 || options->noise != ICE_NOISE_NONE,
        .sample = sample,
        .thrown = noisy_shot(options, question, sample),
    };
    struct trajectory trajectory;
    trajectory_init(&trajectory, options->interval_s);
    const struct throw_request request = {
        .ice = question->ice,
        .before = &scene->before,
        .stone = scene->stone,
        .shot = scene_shot_decode(scene->model, outcome.thrown),
        .team0_has_hammer = scene->team0_has_hammer,
        .trajectory = options->interval_s > 0.0 ? &trajectory : NULL,
    };
    struct throw_result result;
    enum throw_status status = options->engine(&request, &result);
    char *text;

    if (status == THROW_OK) {
        *ret_is_error = false;
        text = result_text(options, question, &result, &outcome, &trajectory);
    } else {
        text = throw_error_text(question, status);
    }
    trajectory_free(&trajectory);
    return text;
}
