/* The value of single shots by networks, one for each shot number of an end, and the policy that
 * throws the best of many random shots: generalised policy iteration for digital curling by Monte
 * Carlo control in continuous actions.
 *
 * Network m estimates Q_m(stones, velocity, spin), the chances of the end's score for the thrower
 * after shot number m (models/networks/policy.h: the kind "shots"). Random shots are uniform over a
 * plain box of velocities and the two spins, which knows nothing of the house.
 *
 * The POLICY_SHOT_INPUTS inputs of a shot come from its path on an empty sheet:
 *    0 ..  5  where it comes to rest: x, y - tee and the distance to the tee, all / 2 m; nearness
 * to the tee in the house; whether it stays on the sheet; how far behind the tee it would run / 6 m
 *    6,  7    its spin (-1, 1); whether no stone is in its way
 *    8 .. 10  points of the thrower if the end stopped with the stone there, if it stopped now, and
 *             the difference, all / 4
 *   11 .. 14  own and the opponent's stones nearer to the tee than its rest / 4; nearness of the
 *             nearest own stone and of the opponent's to its rest
 *   15        1
 *   16 .. 55  the first two stones in its way, 20 numbers each: ten for an own stone, ten for one
 * of the opponent's, the other ten 0. 1; how far it lies beside the path / 0.3 m (right is
 *             positive); 1 - that size; metres left to run there / 3 and / 10, at most 1; x, y -
 * tee and distance to the tee / 2 m; nearness to the tee in the house; whether it counts */
#ifndef RINKD_WORKERS_SEARCH_POLICY_SHOT_VALUES_H
#define RINKD_WORKERS_SEARCH_POLICY_SHOT_VALUES_H

#include "models/game/rules.h"
#include "models/ice/profile.h"
#include "models/ice/random.h"
#include "models/networks/policy.h"

/* Velocities and spins of random shots. */
struct shot_box {
    const struct ice_profile *ice;
    double along_least, along_most, across_most; /* m/s */
};
struct shot_box shot_box_of(const struct ice_profile *ice);

/* Returns random shot number `number` of a key. */
struct shot shot_box_draw(const struct shot_box *box, const struct random_key *key,
                          uint64_t number);

/* A position before a shot, prepared for shot_inputs(). */
struct shot_scene {
    const struct rules *rules;
    const struct ice_profile *ice;
    struct position position;
    int thrown; /* stones of the end before this one */
    uint16_t counting;
    int points; /* of the thrower if the end stopped now */
    float features[END_FEATURES];
};
void shot_scene_of(const struct rules *rules, const struct ice_profile *ice,
                   const struct position *position, int thrown, struct shot_scene *ret_scene);

/* Writes the inputs of a shot. */
void shot_inputs(const struct shot_scene *scene, const struct shot *shot,
                 float ret_inputs[POLICY_SHOT_INPUTS]);

/* Turns the outputs of a network into chances of the scores, in place, and returns the mean score
 * of the thrower. */
double shot_scores(float scores[POLICY_SHOT_SCORES]);

struct valued_shot {
    struct shot shot;
    double points; /* expected, of the thrower */
    float scores[POLICY_SHOT_SCORES];
};

/* Draws `draws` random shots and keeps the `most` best by the network of scene->thrown, best first,
 * of equals the earlier draw. With `policy` NULL the first draws are kept, with points NAN. Returns
 * how many; 0: the network failed. */
int shot_values_best(struct policy *policy, const struct shot_scene *scene,
                     const struct shot_box *box, const struct random_key *key, int draws, int most,
                     struct valued_shot *ret_best);

#endif
