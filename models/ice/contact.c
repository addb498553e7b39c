/* The contact solver. */
#include "models/ice/contact.h"

/* 1 / (moment of inertia / mass) of a disc: 2 / r^2. */
static const double inverse_inertia = 2.0 / (ICE_STONE_RADIUS * ICE_STONE_RADIUS);

/* Box2D 2.4 (b2_common.h): the penetration that stays, the largest push, the share pushed per
 * iteration, and the penetration at which iterations stop. */
static const double linear_slop = 0.005;
static const double max_correction = 0.2;
static const double baumgarte = 0.2;
static const double content = -3.0 * 0.005;

/* A contact in the solver. The lever arm of both bodies is half their distance. */
struct solving {
    struct vec2 normal, tangent; /* unit, from a to b, and to the right of that */
    double arm;
    double tangent_mass;
    double bounce; /* wanted separating velocity, m/s */
};

static inline void apply(struct contact_bodies *bodies, const struct contact *c,
                         const struct solving *s, double normal, double tangent)
{
    struct vec2 impulse = vec2_add(vec2_scale(normal, s->normal), vec2_scale(tangent, s->tangent));
    double spin = inverse_inertia * s->arm * tangent;

    bodies->velocity[c->a] = vec2_sub(bodies->velocity[c->a], impulse);
    bodies->velocity[c->b] = vec2_add(bodies->velocity[c->b], impulse);
    bodies->omega[c->a] += spin;
    bodies->omega[c->b] += spin;
}

static struct vec2 relative_velocity(const struct contact_bodies *bodies, const struct contact *c)
{
    return vec2_sub(bodies->velocity[c->b], bodies->velocity[c->a]);
}

/* Velocity of b's surface against a's along the tangent. */
static double slip(const struct contact_bodies *bodies, const struct contact *c,
                   const struct solving *s)
{
    return vec2_dot(relative_velocity(bodies, c), s->tangent) +
           (bodies->omega[c->a] + bodies->omega[c->b]) * s->arm;
}

static double clamp(double value, double limit)
{
    return value > limit ? limit : value < -limit ? -limit : value;
}

/* Friction first, then the normal, as the reference does: the tangential impulse is limited by the
 * normal one of the previous iteration. Both use the effective mass of two equal bodies. */
static void iterate(const struct ice_profile *ice, struct contact_bodies *bodies, struct contact *c,
                    const struct solving *s)
{
    double most = ice->contact_friction * c->normal;
    double tangent = clamp(c->tangent - s->tangent_mass * slip(bodies, c, s), most);
    apply(bodies, c, s, 0.0, tangent - c->tangent);
    c->tangent = tangent;

    double approach = vec2_dot(relative_velocity(bodies, c), s->normal);
    double normal = c->normal - 0.5 * (approach - s->bounce);
    if (normal < 0.0)
        normal = 0.0;
    apply(bodies, c, s, normal - c->normal, 0.0);
    c->normal = normal;
}

/* Distance that one iteration pushes a pair with this separation (m, negative: overlap) apart. */
static double push_length(double separation)
{
    double correction = -baumgarte * (separation + linear_slop);
    return correction <= 0.0 ? 0.0 : correction > max_correction ? max_correction : correction;
}

/* One contact alone: all pushes are along one line, so only the separation is iterated. */
static void push_pair_apart(const struct ice_profile *ice, const struct contact *c,
                            struct contact_bodies *bodies)
{
    struct vec2 d = vec2_sub(bodies->at[c->b], bodies->at[c->a]);
    double length = vec2_length(d), separation = length - 2.0 * ICE_STONE_RADIUS, pushed = 0.0;
    for (int k = 0; k < ice->position_iterations; k++) {
        double push = push_length(separation + pushed);
        bool done = separation + pushed >= content;
        pushed += push;
        if (done)
            break;
    }
    if (pushed == 0.0 || length <= 0.0)
        return;
    struct vec2 half = vec2_scale(0.5 * pushed / length, d);
    bodies->at[c->a] = vec2_sub(bodies->at[c->a], half);
    bodies->at[c->b] = vec2_add(bodies->at[c->b], half);
}

static void push_apart(const struct ice_profile *ice, const struct contact *contacts, int count,
                       struct contact_bodies *bodies)
{
    for (int k = 0; k < ice->position_iterations; k++) {
        double least = 0.0;
        for (int i = 0; i < count; i++) {
            const struct contact *c = &contacts[i];
            struct vec2 d = vec2_sub(bodies->at[c->b], bodies->at[c->a]);
            double length = vec2_length(d), separation = length - 2.0 * ICE_STONE_RADIUS;
            if (separation < least)
                least = separation;
            double push = push_length(separation);
            if (push == 0.0 || length <= 0.0)
                continue;
            struct vec2 half = vec2_scale(0.5 * push / length, d);
            bodies->at[c->a] = vec2_sub(bodies->at[c->a], half);
            bodies->at[c->b] = vec2_add(bodies->at[c->b], half);
        }
        if (least >= content)
            return;
    }
}

void contact_step(const struct ice_profile *ice, struct contact *contacts, int count,
                  struct contact_bodies *bodies)
{
    struct solving solving[CONTACT_MAX];
    uint32_t touched = 0;
    bool fresh = true;

    for (int i = 0; i < count; i++) {
        const struct contact *c = &contacts[i];
        struct solving *s = &solving[i];
        struct vec2 d = vec2_sub(bodies->at[c->b], bodies->at[c->a]);
        double length = vec2_length(d);
        /* Two centres in one place: Box2D takes the x axis. */
        s->normal = length > 0.0 ? vec2_scale(1.0 / length, d) : (struct vec2){1.0, 0.0};
        s->tangent = (struct vec2){s->normal.y, -s->normal.x};
        s->arm = 0.5 * length;
        s->tangent_mass = 1.0 / (2.0 + 2.0 * s->arm * s->arm * inverse_inertia);
        double approach = vec2_dot(relative_velocity(bodies, c), s->normal);
        s->bounce = approach < -ice->restitution_threshold ? -approach : 0.0;
        touched |= 1u << c->a | 1u << c->b;
        fresh = fresh && c->normal == 0.0 && c->tangent == 0.0;
    }

    if (count == 1 && fresh) {
        /* One new contact: normal and tangent do not act on each other (the arm is along the
         * normal), so the iterations converge at the second: compute the result directly. */
        struct contact *c = &contacts[0];
        struct solving *s = &solving[0];
        double approach = vec2_dot(relative_velocity(bodies, c), s->normal);
        double normal = -0.5 * (approach - s->bounce);
        c->normal = normal > 0.0 ? normal : 0.0;
        c->tangent =
            clamp(-s->tangent_mass * slip(bodies, c, s), ice->contact_friction * c->normal);
        apply(bodies, c, s, c->normal, c->tangent);
    } else {
        for (int i = 0; i < count; i++)
            apply(bodies, &contacts[i], &solving[i], contacts[i].normal, contacts[i].tangent);
        for (int k = 0; k < ice->velocity_iterations; k++)
            for (int i = 0; i < count; i++)
                iterate(ice, bodies, &contacts[i], &solving[i]);
    }

    for (uint32_t rest = touched; rest; rest &= rest - 1) {
        int body = __builtin_ctz(rest);
        bodies->at[body] =
            vec2_add(bodies->at[body], vec2_scale(ICE_STEP_S, bodies->velocity[body]));
    }
    if (count == 1)
        push_pair_apart(ice, &contacts[0], bodies);
    else
        push_apart(ice, contacts, count, bodies);
}
