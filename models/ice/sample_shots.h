/* Aiming rules of the official servers' sample programs: rules of thumb, published with their
 * decision lists. Players that reproduce those programs use them on the ice of the published
 * results; all others aim exactly, with aim.h. */
#ifndef RINKD_MODELS_ICE_SAMPLE_SHOTS_H
#define RINKD_MODELS_ICE_SAMPLE_SHOTS_H

#include "models/ice/profile.h"

/* Digital Curling 2, "CreateShot": draws to `target` (shot frame, metres). Only the sign of omega
 * (rad/s) acts. Centimetres off the real stopping point. */
struct shot sample_dc2_draw(struct vec2 target, double omega);

/* Digital Curling 2, "CreateHitShot": through `target` with power 0 < power <= 16. Extends the line
 * from the delivery point through the target to an ordinate that depends on the power, from the hog
 * line (power 0) to 11 m beyond the tee (16). The draw to that point runs on the empty sheet of
 * `ice` (law ICE_DC2) until it is as far from the delivery point as the target, and is then turned
 * so that it passes the target. A draw that stops short is turned by its place of rest. */
struct shot sample_dc2_hit(const struct ice_profile *ice, struct vec2 target, double power,
                           double omega);

/* Digital Curling 3, the rule-based sample: to `target` with `speed` (m/s) there, on ice of law
 * ICE_FCV1. The release speed is sqrt(c0 speed^2 + c1 speed + c2), with c0, c1, c2 fitted by that
 * program for slow (<= 0.05 m/s: draws) and fast (> 1 m/s) arrivals; in between nothing is
 * published, and the fast fit is used. The direction is the target's bearing plus the deflection of
 * a straight shot at that speed, followed until it has slowed down to `speed`. */
struct shot sample_fcv1_shot(const struct ice_profile *ice, struct vec2 target, double speed,
                             double omega);

#endif
