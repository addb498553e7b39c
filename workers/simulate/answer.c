/* One line, one throw, one answer; answers share no state. */
#include "workers/simulate/answer.h"

#include "models/base/fnv1a.h"
#include "models/game/free_guard_zone.h"
#include "models/game/score.h"
#include "models/ice/noise.h"
#include "models/ice/random.h"
#include "workers/simulate/skill.h"

#include <stdlib.h>
#include <string.h>

/* ---- questions ---- */

/* Chooses the noise of the samples that the line asks for. */
static bool choose_noise(struct question *question)
{
    const struct scene *scene = &question->scene;

    if (scene->samples == 0)
        return true;
    question->noise = noise_asked(question->ice, &scene->noise);
    enum noise_status status = noise_check(&question->noise);
    if (status != NOISE_OK)
        scene_error_set(&question->error, &scene->id, "noise", "%s", noise_status_text(status));
    return status == NOISE_OK;
}

/* Reads the line if it asks for a hand. */
static bool read_skill(const struct line *line, struct question *question)
{
    static const char word[] = "\"shots\"";
    struct strict_errors errors = {.count = 0};
    json_t *document = NULL;

    if (!line->too_long && memmem(line->text, line->length, word, sizeof word - 1))
        document = strict_parse(line->text, line->length, SCENE_LINE_MAX, SCENE_DEPTH_MAX, &errors);
    bool is_skill = document && skill_is_query(document);
    question->skill = is_skill ? calloc(1, sizeof *question->skill) : NULL;
    if (question->skill) {
        question->is_good = skill_query_decode(document, question->skill, &errors);
        if (!question->is_good)
            scene_error_of(&errors, &question->skill->id, &question->error);
    } else if (is_skill) {
        scene_error_set(&question->error, &(struct strict_id){.kind = STRICT_ID_NONE}, "",
                        "out of memory");
    }
    json_decref(document);
    return is_skill;
}

void question_clear(struct question *question)
{
    if (question->skill)
        skill_query_free(question->skill);
    free(question->skill);
    question->skill = NULL;
}

void question_read(const struct options *options, const struct line *line,
                   struct question *ret_question)
{
    struct question *question = ret_question;
    const struct strict_id no_id = {.kind = STRICT_ID_NONE};

    question->line = line->number;
    question->is_good = false;
    if (read_skill(line, question))
        return;
    if (line->too_long) {
        scene_error_set(&question->error, &no_id, "", "the line is longer than %d bytes",
                        SCENE_LINE_MAX);
        return;
    }
    if (scene_read(line->text, line->length, &question->scene, &question->error) != SCENE_OK)
        return;

    const bool is_state = question->scene.model == SCENE_STATE;
    const char *model = scene_ice_name(&question->scene);
    const struct ice_profile *own = ice_profile_find(model);
    question->ice = options->ice ? options->ice : own;
    if (question->ice->law != own->law) {
        scene_error_set(&question->error, &question->scene.id, is_state ? "profile" : "model",
                        "a %s scene cannot be thrown on %s ice", model, question->ice->name);
        return;
    }
    question->rules = is_state ? question->scene.game.rules : rules_find(question->ice->name);
    if (question->scene.samples > 0 && (options->samples > 0 || options->noise != ICE_NOISE_NONE)) {
        scene_error_set(&question->error, &question->scene.id, "samples",
                        "cannot be asked for together with --samples or --noise");
        return;
    }
    question->is_good =
        choose_noise(question) &&
        (is_state || scene_check(&question->scene, question->rules, &question->error) == SCENE_OK);
}

/* ---- noise ---- */

/* Returns the key of the noise. It depends on the scene, not on its place in the file: each scene
 * keeps its outcomes when a file is split, filtered or shuffled. Text ids are hashed (FNV-1a, 64
 * bits) and have `game` 1, so they share no numbers with numeric ids. A line with its own seed has
 * `game` 2: then the id does not matter. */
static struct random_key noise_key(uint64_t seed, const struct scene *scene)
{
    struct random_key key = {.seed = seed, .purpose = RANDOM_EXECUTION};

    if (scene->seed >= 0) {
        key.seed = (uint64_t)scene->seed;
        key.game = 2;
        return key;
    }
    if (scene->id.kind == STRICT_ID_NUMBER) {
        key.stream = (uint64_t)scene->id.number;
        return key;
    }
    key.game = 1;
    key.stream = fnv1a(FNV1A_START, scene->id.text, strlen(scene->id.text));
    return key;
}

/* Returns the shot that leaves the hand, rounded as it is written: read back, it gives the same
 * throw. */
static struct scene_shot noisy_shot(const struct options *options, const struct question *question,
                                    const struct noise *noise, int64_t sample)
{
    const struct scene *scene = &question->scene;

    struct random_key key = noise_key(options->seed, scene);
    struct normal_pair pair = random_normal_pair(&key, (uint64_t)sample);
    return scene_shot_encode(scene->model, noise_apply(noise, question->ice, scene->shot, pair));
}

/* ---- errors ---- */

static char *error_text(const struct scene_error *error, int64_t line)
{
    json_t *answer = scene_error_answer(error, line);
    char *text = answer ? shot_answer_text(answer) : NULL;

    json_decref(answer);
    return text;
}

static void throw_error(const struct question *question, enum throw_status status,
                        struct scene_error *ret_error)
{
    /* The field's name in a line of the older form, and in a state. */
    static const char *const field[][2] = {[THROW_BAD_STONE] = {"n", "state.shot"},
                                           [THROW_BAD_POSITION] = {"before", "state.stones"},
                                           [THROW_BAD_SHOT] = {"shot", "shot"},
                                           [THROW_NO_MEMORY] = {"", ""},
                                           [THROW_FAILED] = {"", ""}};
    const struct scene *scene = &question->scene;

    scene_error_set(ret_error, &scene->id, field[status][scene->model == SCENE_STATE], "%s",
                    throw_status_text(status));
}

/* ---- answers ---- */

/* An answer under construction. */
struct making {
    const struct options *options;
    const struct question *question;
    double interval_s;        /* between points of the trajectories; 0: none */
    int64_t points_left;      /* of the trajectories */
    struct scene_error error; /* the mistake, if a step finds one */
};

enum step { STEP_DONE, STEP_REFUSED, STEP_NO_MEMORY };

static enum step add_trajectory(struct making *making, json_t *answer,
                                const struct trajectory *trajectory)
{
    const struct scene *scene = &making->question->scene;

    if (scene_answer_add_point(answer, scene, -1, 0.0, (struct vec2){0.0, 0.0}) != 0)
        return STEP_NO_MEMORY;
    for (int stone = 0; stone < POSITION_STONES; stone++) {
        const struct trajectory_path *path = &trajectory->stone[stone];
        making->points_left -= (int64_t)path->count;
        if (making->points_left < 0) {
            scene_error_set(&making->error, &scene->id, "trajectory",
                            "more than %d points; take a longer interval or fewer samples",
                            ANSWER_POINTS_MAX);
            return STEP_REFUSED;
        }
        for (size_t k = 0; k < path->count; k++)
            if (scene_answer_add_point(answer, scene, stone, path->points[k].t_s,
                                       path->points[k].at) != 0)
                return STEP_NO_MEMORY;
    }
    return STEP_DONE;
}

/* Adds the result of the throw; everything else in the outcome is already set. */
static enum step add_result(struct making *making, const struct throw_result *result,
                            const struct trajectory *trajectory, struct scene_outcome *outcome,
                            json_t **ret_answer)
{
    const struct scene *scene = &making->question->scene;
    const struct rules *rules = making->question->rules;

    outcome->after = result->after;
    outcome->collisions = result->collisions;
    outcome->score = score_position(rules, &result->after, scene->team0_has_hammer);
    /* dc2 lines always have this field, as those of the vector files do. */
    outcome->fgz_applies = scene->model == SCENE_DC2 || scene->stone < rules->protected_shots;
    outcome->fgz_foul =
        free_guard_zone_offended(rules, &scene->before, &result->after, scene->stone) >= 0;

    json_t *answer = scene_answer(scene, outcome);
    enum step step = answer ? STEP_DONE : STEP_NO_MEMORY;
    if (answer && making->interval_s > 0.0)
        step = add_trajectory(making, answer, trajectory);
    if (step == STEP_DONE)
        *ret_answer = answer;
    else
        json_decref(answer);
    return step;
}

/* Throws outcome->thrown; the caller owns *ret_answer. */
static enum step throw_stone(struct making *making, struct scene_outcome *outcome,
                             json_t **ret_answer)
{
    const struct scene *scene = &making->question->scene;
    struct trajectory trajectory;
    struct throw_result result;

    trajectory_init(&trajectory, making->interval_s);
    const struct throw_request request = {
        .ice = making->question->ice,
        .before = &scene->before,
        .stone = scene->stone,
        .shot = scene_shot_decode(scene->model, outcome->thrown),
        .team0_has_hammer = scene->team0_has_hammer,
        .trajectory = making->interval_s > 0.0 ? &trajectory : NULL,
    };
    enum throw_status status = making->options->engine(&request, &result);
    enum step step = STEP_REFUSED;
    if (status == THROW_OK)
        step = add_result(making, &result, &trajectory, outcome, ret_answer);
    else
        throw_error(making->question, status, &making->error);
    trajectory_free(&trajectory);
    return step;
}

/* Adds the samples that the line itself asks for. */
static enum step add_samples(struct making *making, json_t *answer)
{
    const struct question *question = making->question;
    json_t *list = json_array(), *item = NULL;

    if (json_object_set_new(answer, "samples", list) != 0)
        return STEP_NO_MEMORY;
    for (int sample = 0; sample < question->scene.samples; sample++) {
        struct scene_outcome outcome = {
            .is_sample = true,
            .sample = sample,
            .thrown = noisy_shot(making->options, question, &question->noise, sample),
        };
        enum step step = throw_stone(making, &outcome, &item);
        if (step != STEP_DONE)
            return step;
        json_object_del(item, "id"); /* the whole answer has it */
        if (json_array_append_new(list, item) != 0)
            return STEP_NO_MEMORY;
    }
    return STEP_DONE;
}

static char *skill_text(const struct question *question, bool *ret_is_error)
{
    struct scene_error error;
    struct skill_answer answer;
    enum skill_status status = skill_estimate(question->skill, &answer, &error);

    *ret_is_error = status != SKILL_OK;
    if (status == SKILL_NO_MEMORY)
        return NULL;
    if (status == SKILL_BAD_FIELD)
        return error_text(&error, question->line);
    json_t *object = skill_answer_json(&answer);
    char *text = object ? shot_answer_text(object) : NULL;
    json_decref(object);
    skill_answer_free(&answer);
    return text;
}

char *answer_text(const struct options *options, const struct question *question, int64_t sample,
                  bool *ret_is_error)
{
    const struct scene *scene = &question->scene;

    *ret_is_error = true;
    if (!question->is_good)
        return error_text(&question->error, question->line);
    if (question->skill)
        return skill_text(question, ret_is_error);

    bool asks = scene->interval_s > 0.0;
    struct making making = {
        .options = options,
        .question = question,
        .interval_s = asks ? scene->interval_s : options->interval_s,
        .points_left = asks || scene->samples > 0 ? ANSWER_POINTS_MAX : INT64_MAX,
    };
    struct scene_outcome outcome = {
        .is_sample = options->samples > 0 || options->noise != ICE_NOISE_NONE,
        .sample = sample,
        .thrown = scene->spoken,
    };
    if (options->noise != ICE_NOISE_NONE) {
        const struct noise noise = noise_default(question->ice, options->noise);
        outcome.thrown = noisy_shot(options, question, &noise, sample);
    }
    json_t *answer = NULL;
    enum step step = throw_stone(&making, &outcome, &answer);
    if (step == STEP_DONE && scene->samples > 0)
        step = add_samples(&making, answer);
    char *text = NULL;
    if (step == STEP_DONE)
        text = shot_answer_text(answer);
    else if (step == STEP_REFUSED)
        text = error_text(&making.error, question->line);
    *ret_is_error = step != STEP_DONE;
    json_decref(answer);
    return text;
}
