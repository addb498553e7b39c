/* The shots worth considering, and the stones they are played on. Places follow the hand-made
 * generators of published programs. Shots harder than the player's limit, action_max_speed(), are
 * left out. */
#include "workers/search/shots/candidate.h"

#include "models/ice/action_grid.h"
#include "models/ice/aim.h"
#include "workers/search/shots/candidate_builder.h"

static void add_for_stone(struct candidate_builder *b, int about, bool mine)
{
    struct vec2 at = b->position->stone[about];
    bool in_house = tee_distance_squared(at) < SHEET_TOUCHES_HOUSE * SHEET_TOUCHES_HOUSE;

    if (at.y < SHEET_HOG_LINE_Y || at.y > b->ice->back_y)
        return; /* short of the hog line: dc2 clears it away before the throw */
    if (!mine && candidate_may_remove(b, about))
        candidate_add_hits(b, about, CANDIDATE_TAKE_OUTS);
    if (in_house)
        candidate_add_freezes(b, about);
    if (at.y < SHEET_TEE_Y)
        candidate_add_come_arounds(b, about);
    if (mine) {
        if (in_house)
            candidate_add_guards_of(b, about);
        if (tee_distance_squared(at) > 0.3 * 0.3)
            candidate_add_raise(b, about, tee_plus(0.0, 0.0));
        return;
    }
    if (in_house) {
        if (candidate_may_remove(b, about))
            candidate_add_hits(b, about, CANDIDATE_WEAK_TAKE_OUTS);
        candidate_add_hits(b, about, CANDIDATE_TAPS);
    }
}

int candidates_generate(const struct ice_profile *ice, const struct rules *rules,
                        const struct position *position, int stone,
                        struct candidate *ret_candidates, int most)
{
    struct vec2 tee = {SHEET_TEE_X, SHEET_TEE_Y};
    struct candidate_builder b = {
        .ice = ice,
        .rules = rules,
        .position = position,
        .table = glide_table(ice->law),
        .stone = stone,
        .most = most < CANDIDATES_MAX ? most : CANDIDATES_MAX,
        .reach = vec2_distance(ice->hack, tee),
        .max_speed = action_max_speed(ice),
        .max_run = action_max_run_m(ice),
        .candidates = ret_candidates,
    };
    /* Run grows roughly with the square of the speed: by 2 * reach / speed metres per m/s. */
    double tee_speed = aim_speed_to_run(ice, b.reach);
    b.across_per_speed = b.reach / tee_speed;
    b.along_per_speed = 2.0 * b.reach / tee_speed;

    unsigned own = seat_mask(seat_of_stone(stone));
    candidate_add_places(&b);
    candidate_add_through(&b);
    for (unsigned rest = position->in_play; rest; rest &= rest - 1) {
        int about = __builtin_ctz(rest);
        add_for_stone(&b, about, (own >> about) & 1);
    }
    for (unsigned others = position->in_play & ~own; others; others &= others - 1) {
        int other = __builtin_ctz(others);
        if (!candidate_may_remove(&b, other))
            continue;
        for (unsigned rest = position->in_play & ~(1u << other); rest; rest &= rest - 1) {
            int about = __builtin_ctz(rest);
            bool mine = (own >> about) & 1;
            if (!mine && !candidate_may_remove(&b, about))
                continue;
            if (!mine)
                candidate_add_double(&b, about, other);
            candidate_add_raise_take_out(&b, about, other);
        }
    }
    if (b.count == 0) { /* everything is blocked: offer at least one shot */
        const struct purpose purpose = {SHOT_DRAW, -1, -1, tee};
        struct shot shot;
        if (aim_draw(ice, tee, ice->spin, &shot) == AIM_OK)
            candidate_add(&b, &purpose, &shot);
    }
    return b.count;
}
