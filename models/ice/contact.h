/* Solves one step in which stones touch: the impulses between them and the push apart, as in Box2D
 * 2.4 (sequential impulses with warm starting, then position correction). All stones have the same
 * mass and size, so masses cancel: impulses are velocities here. */
#ifndef RINKD_MODELS_ICE_CONTACT_H
#define RINKD_MODELS_ICE_CONTACT_H

#include "models/ice/profile.h"

#include <stdint.h>

enum { CONTACT_MAX = POSITION_STONES * (POSITION_STONES - 1) / 2 };

struct contact {
    int8_t a, b;            /* bodies, a < b */
    double normal, tangent; /* impulses so far, m/s; carried over when the contact lasts */
};

/* The bodies by number; only bodies in a contact are read and changed. */
struct contact_bodies {
    struct vec2 at[POSITION_STONES];       /* m; before the step, after it on return */
    struct vec2 velocity[POSITION_STONES]; /* m/s */
    double omega[POSITION_STONES];         /* rad/s */
};

/* One 1 ms step of the bodies in contact. `contacts` are in the reference's order: later b first,
 * then later a. Velocities, omegas and positions become those after the step (before the friction
 * of the ice). */
void contact_step(const struct ice_profile *ice, struct contact *contacts, int count,
                  struct contact_bodies *bodies);

#endif
