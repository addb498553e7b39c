/* Adds to the list of candidates; tests shared by all generators of candidates. */
#include "workers/search/shots/candidate_builder.h"

#include "models/game/free_guard_zone.h"

#include <assert.h>

/* Two shots of one spin are the same if they differ by less than this at the tee, in metres across
 * and along: a quarter of the standard deviations of a hand's error. */
#define SAME_ACROSS_M 0.018
#define SAME_ALONG_M  0.07

/* A blocked shot is kept if a sideways error of this size, in metres at the tee, gets past: about
 * one and a half standard deviations. */
#define SLIP_M 0.1

static bool have_alike(const struct candidate_builder *b, const struct shot *shot)
{
    for (int k = 0; k < b->count; k++) {
        const struct shot *other = &b->candidates[k].shot;
        if (other->omega == shot->omega &&
            fabs(other->velocity.x - shot->velocity.x) * b->across_per_speed < SAME_ACROSS_M &&
            fabs(other->velocity.y - shot->velocity.y) * b->along_per_speed < SAME_ALONG_M)
            return true;
    }
    return false;
}

void candidate_add(struct candidate_builder *b, const struct purpose *purpose,
                   const struct shot *shot)
{
    assert(b->count <= b->most && b->most <= CANDIDATES_MAX);
    if (b->count >= b->most || vec2_length(shot->velocity) > b->max_speed || have_alike(b, shot))
        return;
    b->candidates[b->count++] = (struct candidate){
        .shot = *shot,
        .kind = purpose->kind,
        .stone = (int8_t)purpose->stone,
        .other_stone = (int8_t)purpose->other_stone,
        .target = purpose->target,
    };
}

bool candidate_is_open(const struct candidate_builder *b, const struct shot *shot,
                       double until_left, int about)
{
    struct shot_path path;
    return shot_path_of(b->ice, shot, &path) &&
           shot_path_is_clear(&path, b->position, until_left, about, SLIP_M / b->reach);
}

bool candidate_may_remove(const struct candidate_builder *b, int stone)
{
    if (rules_shot_of_stone(b->rules, b->stone) >= b->rules->protected_shots)
        return true;
    return b->rules->protection != RULES_PROTECT_ALL_STONES &&
           !free_guard_zone_has(b->rules, b->position->stone[stone]);
}
