/* Plays the ends of samples. */
#include "workers/learn/algorithms/gpi_samples.h"

#include "models/game/free_guard_zone.h"
#include "models/game/score.h"
#include "models/ice/throw.h"
#include "workers/learn/algorithms/rounds.h"

#include <math.h>
#include <string.h>

/* Throws a shot, with the hand's error if `z` is given. */
static bool throw_shot(const struct gpi_round *round, struct shot shot, const struct normal_pair *z,
                       int thrown, struct position *position)
{
    struct position settled;
    struct throw_result result;
    const struct throw_request request = {
        .ice = round->box.ice,
        .before = position,
        .stone = thrown,
        .shot = z ? noise_apply(&round->noise, round->box.ice, shot, *z) : shot,
    };

    if (throw_fast(&request, &result) != THROW_OK)
        return false;
    free_guard_zone_settle(round->rules, position, &result.after, thrown, &settled);
    *position = settled;
    return true;
}

/* Chooses shot number `thrown` of the end. */
static bool choose(const struct gpi_round *round, struct policy *policy, int thrown,
                   const struct position *position, const struct random_key *key,
                   struct shot *ret_shot)
{
    int draws = thrown < round->shot ? round->draws_before : round->draws_after;
    struct valued_shot best;
    struct shot_scene scene;

    if (!policy || thrown == round->shot) {
        *ret_shot = shot_box_draw(&round->box, key, 0);
        return true;
    }
    shot_scene_of(round->rules, round->box.ice, position, thrown, &scene);
    if (shot_values_best(policy, &scene, &round->box, key, draws, 1, &best) == 0)
        return false;
    *ret_shot = best.shot;
    return true;
}

bool gpi_sample_make(const struct gpi_round *round, struct policy *policy, uint64_t number,
                     struct gpi_sample *ret_sample)
{
    struct position position = {.in_play = 0};
    struct gpi_sample sample;

    memset(&sample, 0, sizeof sample); /* padding too: samples are compared and written */
    for (int thrown = 0; thrown < POLICY_THROWN; thrown++) {
        struct random_key key = {.seed = round->seed,
                                 .stream = (uint64_t)round->iteration << 8 | (uint64_t)round->shot,
                                 .game = number,
                                 .shot = (uint32_t)thrown,
                                 .purpose = RANDOM_CHOICE};
        struct shot shot;
        if (!choose(round, policy, thrown, &position, &key, &shot))
            return false;
        if (thrown == round->shot) {
            sample.before = compact_position_of(&position, thrown);
            sample.across = (float)shot.velocity.x;
            sample.along = (float)shot.velocity.y;
            sample.turn = shot.omega > 0.0 ? 1 : -1;
        }
        key.purpose = RANDOM_EXECUTION;
        const struct normal_pair z = random_normal_pair(&key, 0);
        if (!throw_shot(round, shot, &z, thrown, &position))
            return false;
    }
    int points = score_position(round->rules, &position, false);
    sample.points = (int8_t)(round->shot & 1 ? -points : points);
    *ret_sample = sample;
    return true;
}

static struct shot shot_of(const struct gpi_round *round, const struct gpi_sample *sample)
{
    return (struct shot){.velocity = {(double)sample->across, (double)sample->along},
                         .omega = sample->turn * round->box.ice->spin};
}

void gpi_sample_inputs(const struct gpi_round *round, const struct gpi_sample *sample, bool mirror,
                       float ret_inputs[POLICY_SHOTS_INPUTS])
{
    struct position position = compact_position_open(&sample->before);
    struct shot shot = shot_of(round, sample);
    struct shot_scene scene;

    for (int k = 0; k < POSITION_STONES && mirror; k++)
        position.stone[k].x = -position.stone[k].x;
    if (mirror) {
        shot.velocity.x = -shot.velocity.x;
        shot.omega = -shot.omega;
    }
    shot_scene_of(round->rules, round->box.ice, &position, sample->before.thrown, &scene);
    memcpy(ret_inputs, scene.features, sizeof scene.features);
    shot_inputs(&scene, &shot, ret_inputs + END_FEATURES);
}

double gpi_sample_count(const struct gpi_round *round, const struct gpi_sample *sample)
{
    struct position position = compact_position_open(&sample->before);

    if (!throw_shot(round, shot_of(round, sample), NULL, sample->before.thrown, &position))
        return NAN;
    int points = score_position(round->rules, &position, false);
    return sample->before.thrown & 1 ? -points : points;
}

/* ---- in files ---- */

_Static_assert(sizeof(struct compact_position) + 2 * sizeof(float) + 2 == GPI_SAMPLE_BYTES,
               "all of a sample is written");

void gpi_sample_pack(const struct gpi_sample *sample, unsigned char ret_bytes[GPI_SAMPLE_BYTES])
{
    const float shot[2] = {sample->across, sample->along};
    const int8_t ends[2] = {sample->turn, sample->points};

    memcpy(ret_bytes, &sample->before, sizeof sample->before);
    memcpy(ret_bytes + sizeof sample->before, shot, sizeof shot);
    memcpy(ret_bytes + sizeof sample->before + sizeof shot, ends, sizeof ends);
}

void gpi_sample_open(const unsigned char bytes[GPI_SAMPLE_BYTES], struct gpi_sample *ret_sample)
{
    float shot[2];
    int8_t ends[2];

    memset(ret_sample, 0, sizeof *ret_sample);
    memcpy(&ret_sample->before, bytes, sizeof ret_sample->before);
    memcpy(shot, bytes + sizeof ret_sample->before, sizeof shot);
    memcpy(ends, bytes + sizeof ret_sample->before + sizeof shot, sizeof ends);
    ret_sample->across = shot[0];
    ret_sample->along = shot[1];
    ret_sample->turn = ends[0];
    ret_sample->points = ends[1];
}

bool gpi_sample_is_sound(const unsigned char bytes[GPI_SAMPLE_BYTES], const struct rules *rules,
                         int shot)
{
    const float fastest = 100.0f; /* m/s; those of dc2 are larger than real ones */
    struct gpi_sample sample;

    gpi_sample_open(bytes, &sample);
    return sample.before.thrown == shot && rounds_is_position(rules, &sample.before) &&
           fabsf(sample.across) <= fastest && sample.along > 0.0f && sample.along <= fastest &&
           (sample.turn == 1 || sample.turn == -1) && sample.points >= -POSITION_STONES / 2 &&
           sample.points <= POSITION_STONES / 2;
}
