/* The event-driven engine.
 *
 * Nothing is stepped between events. Each stone is at rest or on a glide (glide.h), whose position
 * at any 1 ms step is a table lookup. The engine keeps a short list of dated looks: "these two
 * stones cannot touch before step k" (approach.h). It goes to the earliest date, looks, and either
 * finds a contact, or a later date, or that the two can never touch. Contacts are resolved on the
 * step at which the reference simulators see them (contact.h), and the stones involved start new
 * glides.
 *
 * Bodies are numbered as in the reference simulator (ice_body_of_stone): the number decides the
 * order in which simultaneous contacts are resolved. */
#include "models/ice/approach.h"
#include "models/ice/contact.h"
#include "models/ice/throw.h"

#include <assert.h>
#include <string.h>

/* The list holds at most one look for each pair. */
enum { LOOKS_MAX = POSITION_STONES * (POSITION_STONES - 1) / 2 };

/* Limit of events (looks, contacts, exits) of a throw, which then fails. Real throws stay below
 * 2000, and come near only when stones slide along each other. */
enum { EVENTS_MAX = 1000000 };

struct look {
    int32_t step;
    int8_t a, b; /* bodies */
};

struct sheet {
    const struct ice_profile *ice;
    const struct glide_table *table;

    uint32_t in_play; /* bit = body */
    uint32_t touched; /* has been on a glide or in a contact */
    uint32_t gliding; /* glide[body] is valid: it moves until glide[body].stop_step */
    struct vec2 rest[POSITION_STONES]; /* place of rest, now or after the glide */
    struct approach_places places;     /* the same, for approach_filter() */
    struct glide glide[POSITION_STONES];

    int looks;
    struct look look[LOOKS_MAX];

    /* Leaving the sheet. A body in `leaving` goes out at some step and stays out; the step matters
     * only if something could still touch the body, so it is checked together with its pairs. A
     * body in `exiting` may go out and come back: it has a date like a pair. */
    uint32_t leaving;
    uint32_t exiting;
    int32_t exit_step[POSITION_STONES];

    /* The contacts of the last step with contacts: lasting ones keep their impulses. */
    int32_t contact_step;
    int contacts;
    struct contact contact[CONTACT_MAX];

    int32_t collisions;
    int32_t awake_until[POSITION_STONES]; /* dc2: step at which a touched body falls asleep */

    struct trajectory *trajectory;
    int delivered;
    bool team0_has_hammer;
    bool out_of_memory;
};

static bool moves_at(const struct sheet *sheet, int body, int32_t step)
{
    return (sheet->gliding >> body & 1) && step < sheet->glide[body].stop_step;
}

static void set_rest(struct sheet *sheet, int body, struct vec2 at)
{
    sheet->rest[body] = at;
    approach_place(&sheet->places, body, at);
}

/* The bodies that move at a step. */
static uint32_t moving_at(const struct sheet *sheet, int32_t step)
{
    uint32_t moving = 0;
    for (uint32_t rest = sheet->gliding; rest; rest &= rest - 1) {
        int body = __builtin_ctz(rest);
        moving |= (uint32_t)(step < sheet->glide[body].stop_step) << body;
    }
    return moving;
}

static struct vec2 place_at(const struct sheet *sheet, int body, int32_t step)
{
    if (!moves_at(sheet, body, step))
        return sheet->rest[body];
    const struct glide *glide = &sheet->glide[body];
    return glide_position(sheet->table, glide, glide_sigma_at(glide, step));
}

/* --- trajectory --- */

static void record_point(struct sheet *sheet, int body, int32_t step, struct vec2 at)
{
    int stone = ice_stone_of_body(sheet->ice, sheet->team0_has_hammer, body);
    if (!trajectory_add(sheet->trajectory, stone, step * 0.001, at))
        sheet->out_of_memory = true;
}

/* Records the glide of a body up to `end`, where it stops or is cut short. */
static void record_glide(struct sheet *sheet, int body, int32_t end)
{
    if (!sheet->trajectory || !(sheet->gliding >> body & 1))
        return;
    const struct glide *glide = &sheet->glide[body];
    if (end > glide->stop_step)
        end = glide->stop_step;
    int32_t every = sheet->trajectory->interval_steps, first = glide->start_step;
    record_point(sheet, body, first, glide->from);
    for (int32_t step = (first / every + 1) * every; step < end; step += every)
        record_point(sheet, body, step, place_at(sheet, body, step));
    if (end > first)
        record_point(sheet, body, end, place_at(sheet, body, end));
}

/* Records the path of a body up to the step at which it is hit. */
static void record_hit(struct sheet *sheet, int body, int32_t step)
{
    bool moves = moves_at(sheet, body, step);
    record_glide(sheet, body, step);
    if (!moves)
        record_point(sheet, body, step, sheet->rest[body]);
}

/* Records bodies that the contact solver moves step by step. */
static void record_bodies(struct sheet *sheet, const struct contact_bodies *bodies,
                          uint32_t members, int32_t step)
{
    if (!sheet->trajectory || step % sheet->trajectory->interval_steps != 0)
        return;
    for (uint32_t rest = members; rest; rest &= rest - 1) {
        int body = __builtin_ctz(rest);
        record_point(sheet, body, step, bodies->at[body]);
    }
}

static bool touch(struct vec2 a, struct vec2 b)
{
    struct vec2 d = vec2_sub(b, a);
    return vec2_dot(d, d) <= 4.0 * ICE_STONE_RADIUS * ICE_STONE_RADIUS;
}

/* --- dates --- */

static void add_look(struct sheet *sheet, int a, int b, int32_t step)
{
    sheet->look[sheet->looks++] = (struct look){step, (int8_t)a, (int8_t)b};
}

static void drop_look(struct sheet *sheet, int index)
{
    sheet->look[index] = sheet->look[--sheet->looks];
}

static void drop_looks_of(struct sheet *sheet, uint32_t bodies)
{
    int kept = 0;
    for (int k = 0; k < sheet->looks; k++) {
        struct look look = sheet->look[k];
        if (!(bodies >> look.a & 1) && !(bodies >> look.b & 1))
            sheet->look[kept++] = look;
    }
    sheet->looks = kept;
}

/* Looks at a pair; returns APPROACH_TOUCH, APPROACH_NEVER or the next date (approach.h). */
static int32_t look_at_pair(const struct sheet *sheet, int a, int b, int32_t step)
{
    bool a_moves = moves_at(sheet, a, step), b_moves = moves_at(sheet, b, step);
    if (a_moves && b_moves)
        return approach_gliding(sheet->table, &sheet->glide[a], &sheet->glide[b], step);
    if (a_moves)
        return approach_resting(sheet->table, &sheet->glide[a], step, place_at(sheet, b, step));
    if (b_moves)
        return approach_resting(sheet->table, &sheet->glide[b], step, place_at(sheet, a, step));
    return APPROACH_NEVER;
}

/* Adds dates for a body that has just begun to glide, with all bodies except those in `done`. */
static void date_glide(struct sheet *sheet, int body, uint32_t done)
{
    const struct glide *glide = &sheet->glide[body];
    int32_t step = glide->start_step;
    uint32_t bit = 1u << body;
    struct approach_hull hull;

    approach_hull(glide, &hull);
    uint32_t others = sheet->in_play & ~done & ~bit, moving = moving_at(sheet, step);
    for (uint32_t rest = others & moving; rest; rest &= rest - 1) {
        int other = __builtin_ctz(rest);
        int32_t date = approach_gliding(sheet->table, glide, &sheet->glide[other], step);
        if (date != APPROACH_NEVER)
            add_look(sheet, body, other, date == APPROACH_TOUCH ? step : date);
    }
    uint32_t resting = others & ~moving;
    if (resting)
        resting &= approach_filter(glide, &hull, &sheet->places);
    for (; resting; resting &= resting - 1) {
        int other = __builtin_ctz(resting);
        struct vec2 at = sheet->rest[other];
        int32_t date = touch(glide->from, at) ? step : approach_soonest(sheet->table, glide, at);
        if (date != APPROACH_NEVER)
            add_look(sheet, body, other, date);
    }

    enum approach_fate fate = approach_fate(sheet->ice, glide, &hull);
    if (fate == APPROACH_LEAVES && !sheet->trajectory) {
        sheet->leaving |= bit;
    } else if (fate != APPROACH_STAYS) {
        sheet->exiting |= bit;
        sheet->exit_step[body] = step;
    }
}

/* Adds looks between bodies of an island that are at rest after a contact and stones that move
 * elsewhere: the old looks were dropped with the island's. */
static void date_resting(struct sheet *sheet, uint32_t bodies, uint32_t island, int32_t step)
{
    uint32_t movers = moving_at(sheet, step) & sheet->in_play & ~island;

    for (; bodies; bodies &= bodies - 1)
        for (uint32_t rest = movers; rest; rest &= rest - 1)
            add_look(sheet, __builtin_ctz(bodies), __builtin_ctz(rest), step);
}

/* --- events --- */

/* Ends the glide of a body at a collision; from here the contact solver moves it. */
static void end_glide(struct sheet *sheet, int body, int32_t step)
{
    if (sheet->trajectory)
        record_hit(sheet, body, step);
    sheet->gliding &= ~(1u << body);
}

/* Puts a body on a new glide, or to rest when it is too slow. */
static void start_glide(struct sheet *sheet, int body, int32_t step, struct vec2 at,
                        struct vec2 velocity, double speed, double omega)
{
    struct glide *glide = &sheet->glide[body];
    uint32_t bit = 1u << body;

    sheet->touched |= bit;
    if (glide_start(sheet->table, glide, step, at, velocity, speed, omega)) {
        sheet->gliding |= bit;
    } else {
        sheet->gliding &= ~bit;
        if (sheet->trajectory)
            record_point(sheet, body, step, at);
    }
    sheet->leaving &= ~bit;
    sheet->exiting &= ~bit;
    set_rest(sheet, body, glide->rest);
    sheet->awake_until[body] = glide->stop_step + ICE_DC2_SLEEP_STEPS;
}

static void take_off(struct sheet *sheet, int body, int32_t step)
{
    uint32_t bit = 1u << body;
    record_glide(sheet, body, step);
    sheet->in_play &= ~bit;
    sheet->gliding &= ~bit;
    sheet->leaving &= ~bit;
    sheet->exiting &= ~bit;
    drop_looks_of(sheet, bit);
}

/* dc2 looks for stones that are out in order of their numbers and ends the search at the first one
 * that is awake: a stone that is out stays in the game until all lower ones sleep. Returns the step
 * up to which it stays, or 0 if it goes now. */
static int32_t kept_until(const struct sheet *sheet, int body, int32_t step)
{
    int32_t until = 0;
    if (sheet->ice->law != ICE_DC2)
        return 0;
    for (uint32_t lower = sheet->in_play & sheet->touched & ((1u << body) - 1); lower;
         lower &= lower - 1) {
        int32_t awake = sheet->awake_until[__builtin_ctz(lower)];
        if (step < awake && awake > until)
            until = awake;
    }
    return until;
}

static void look_at_exit(struct sheet *sheet, int body, int32_t step)
{
    uint32_t bit = 1u << body;
    int32_t date = approach_exit(sheet->ice, sheet->table, &sheet->glide[body], step);
    if (date == APPROACH_TOUCH) {
        int32_t until = kept_until(sheet, body, step);
        if (!until) {
            take_off(sheet, body, step);
            return;
        }
        /* Checked again when it can be taken off; if at rest by then, it goes at the end. */
        date = until < sheet->glide[body].stop_step ? until : APPROACH_NEVER;
    }
    if (date == APPROACH_NEVER)
        sheet->exiting &= ~bit;
    else
        sheet->exit_step[body] = date;
}

/* Takes off those of `bodies` that are leaving and are out at `step`. */
static void take_off_leaving(struct sheet *sheet, uint32_t bodies, int32_t step)
{
    for (uint32_t rest = sheet->leaving & bodies; rest; rest &= rest - 1) {
        int body = __builtin_ctz(rest);
        if (approach_is_out(sheet->ice, place_at(sheet, body, step)) &&
            !kept_until(sheet, body, step))
            take_off(sheet, body, step);
    }
}

static void add_contact(struct sheet *sheet, int a, int b)
{
    int8_t low = (int8_t)(a < b ? a : b), high = (int8_t)(a < b ? b : a);
    sheet->contact[sheet->contacts++] = (struct contact){.a = low, .b = high};
}

/* Later b first, then later a: the reference's newest contact comes first. */
static void sort_contacts(struct contact *contacts, int count)
{
    for (int k = 1; k < count; k++) {
        struct contact c = contacts[k];
        int i = k;
        for (; i > 0 &&
               (contacts[i - 1].b < c.b || (contacts[i - 1].b == c.b && contacts[i - 1].a < c.a));
             i--)
            contacts[i] = contacts[i - 1];
        contacts[i] = c;
    }
}

/* Copies a body's state to the contact solver. */
static void load_body(const struct sheet *sheet, struct contact_bodies *bodies, int body,
                      int32_t step)
{
    if (moves_at(sheet, body, step)) {
        const struct glide *glide = &sheet->glide[body];
        double sigma = glide_sigma_at(glide, step);
        glide_state(sheet->table, glide, step, sigma, &bodies->at[body], &bodies->velocity[body]);
        bodies->omega[body] = glide_omega(sheet->table, glide, sigma);
    } else {
        bodies->at[body] = sheet->rest[body];
        bodies->velocity[body] = (struct vec2){0.0, 0.0};
        bodies->omega[body] = 0.0;
    }
}

/* Stones that rest against a resting stone of the island belong to it, and so on: adds those
 * contacts. (A moving stone that touches has a look.) Returns the whole island. */
static uint32_t add_leaning(struct sheet *sheet, uint32_t island, uint32_t moving)
{
    uint32_t resting = sheet->in_play & ~moving;
    uint32_t asked = 0; /* whose neighbours are known */
    for (uint32_t todo; (todo = island & resting & ~asked) != 0;) {
        int body = __builtin_ctz(todo);
        asked |= 1u << body;
        for (uint32_t rest = resting & ~asked; rest; rest &= rest - 1) {
            int other = __builtin_ctz(rest);
            if (touch(sheet->rest[body], sheet->rest[other])) {
                add_contact(sheet, body, other);
                island |= 1u << other;
            }
        }
    }
    return island;
}

/* Stones in contact, while the contact solver moves them step by step. */
struct island {
    struct contact_bodies *bodies;
    uint32_t members;
    double speed[POSITION_STONES]; /* m/s, of the members */
};

/* One step of the island: contacts (as they are in sheet->contact), motion, friction. */
static void step_island(struct sheet *sheet, struct island *island)
{
    struct contact_bodies *bodies = island->bodies;
    contact_step(sheet->ice, sheet->contact, sheet->contacts, bodies);
    for (uint32_t rest = island->members; rest; rest &= rest - 1) {
        int body = __builtin_ctz(rest);
        island->speed[body] =
            glide_friction(sheet->ice->law, 1.0, &bodies->velocity[body], &bodies->omega[body]);
    }
}

/* Whether exactly the pairs of the step before touch, and something moves. Stones that are
 * pushed or slide along each other do so for up to hundreds of steps. */
static bool island_lasts(const struct sheet *sheet, const struct island *island)
{
    const struct contact_bodies *bodies = island->bodies;
    int touching = 0;
    bool moves = false;
    for (int k = 0; k < sheet->contacts; k++)
        if (!touch(bodies->at[sheet->contact[k].a], bodies->at[sheet->contact[k].b]))
            return false;
    for (uint32_t rest = island->members; rest; rest &= rest - 1) {
        int body = __builtin_ctz(rest);
        moves = moves || island->speed[body] > 0.0;
        for (uint32_t others = rest & (rest - 1); others; others &= others - 1)
            touching += touch(bodies->at[body], bodies->at[__builtin_ctz(others)]);
    }
    return moves && touching == sheet->contacts;
}

/* Number of steps from `step` on in which nothing else can touch the island and nothing is due
 * elsewhere. Contacts do not add energy, so no member gets faster than the root of the sum of the
 * squares of their speeds now, with r^2 omega^2 / 2 for the energy of their spins: with u that plus
 * the fastest other stone's speed, a member and another stone, or a wall, come nearer by at most u
 * h a step; a radius is kept for what the solver pushes (0.2 times the overlap an iteration). */
static int32_t quiet_steps(const struct sheet *sheet, const struct island *island, int32_t step)
{
    const struct contact_bodies *bodies = island->bodies;
    const struct ice_profile *ice = sheet->ice;
    double room = INFINITY, squares = 0.0, fastest = 0.0;
    int32_t due = APPROACH_NEVER;

    for (int k = 0; k < sheet->looks; k++)
        due = sheet->look[k].step < due ? sheet->look[k].step : due;
    for (uint32_t rest = sheet->exiting; rest; rest &= rest - 1) {
        int32_t date = sheet->exit_step[__builtin_ctz(rest)];
        due = date < due ? date : due;
    }
    for (uint32_t rest = sheet->in_play & ~island->members; rest; rest &= rest - 1) {
        int other = __builtin_ctz(rest);
        struct vec2 at = place_at(sheet, other, step);
        if (moves_at(sheet, other, step)) {
            const struct glide *glide = &sheet->glide[other];
            double sigma = glide_sigma_at(glide, step);
            double speed = vec2_length(glide_velocity(sheet->table, glide, sigma));
            fastest = speed > fastest ? speed : fastest;
        }
        for (uint32_t members = island->members; members; members &= members - 1) {
            double gap = vec2_distance(bodies->at[__builtin_ctz(members)], at);
            room = gap - 2.0 * ICE_STONE_RADIUS < room ? gap - 2.0 * ICE_STONE_RADIUS : room;
        }
    }
    for (uint32_t members = island->members; members; members &= members - 1) {
        int body = __builtin_ctz(members);
        double aside = ice->side_x - fabs(bodies->at[body].x);
        double beyond = ice->back_y - bodies->at[body].y;
        double spin = ICE_STONE_RADIUS * bodies->omega[body];
        squares += island->speed[body] * island->speed[body] + 0.5 * spin * spin;
        room = aside < room ? aside : room;
        if (ice->back == ICE_REMOVE_MOVING)
            room = beyond < room ? beyond : room;
    }
    double steps = (room - ICE_STONE_RADIUS) / ((sqrt(squares) + fastest) * ICE_STEP_S);
    if (!(steps > 0.0))
        return 0;
    return steps < due - step ? (int32_t)steps : due - step;
}

/* Gives contacts that were there the step before their state of then, and counts new ones. */
static void match_contacts(struct sheet *sheet, const struct contact *before, int befores,
                           uint32_t moving)
{
    for (int k = 0; k < sheet->contacts; k++) {
        struct contact *c = &sheet->contact[k];
        bool lasted = false;
        for (int i = 0; i < befores; i++)
            if (before[i].a == c->a && before[i].b == c->b) {
                *c = before[i];
                lasted = true;
            }
        if (!lasted && (moving & (1u << c->a | 1u << c->b)))
            sheet->collisions++;
    }
}

/* Starts the new glides of the island at `step` and dates what they may meet. */
static void let_go(struct sheet *sheet, const struct island *island, int32_t step)
{
    const struct contact_bodies *bodies = island->bodies;
    uint32_t done = 0;

    for (uint32_t rest = island->members; rest; rest &= rest - 1) {
        int body = __builtin_ctz(rest);
        start_glide(sheet, body, step, bodies->at[body], bodies->velocity[body],
                    island->speed[body], bodies->omega[body]);
    }
    for (uint32_t rest = island->members & sheet->gliding; rest; rest &= rest - 1) {
        int body = __builtin_ctz(rest);
        date_glide(sheet, body, done);
        done |= 1u << body;
    }
    date_resting(sheet, island->members & ~sheet->gliding, island->members, step);
}

/* Resolves all pairs that are due at `step` and touch, with the resting stones that lean on them:
 * one step of the contact solver, then new glides. False if none of the due pairs touches. */
static bool collide(struct sheet *sheet, int32_t step)
{
    struct contact before[CONTACT_MAX];
    int befores = 0;
    if (step == sheet->contact_step + 1) {
        befores = sheet->contacts;
        memcpy(before, sheet->contact, (size_t)befores * sizeof *before);
    }

    /* A stone that is out touches nothing; and the collision wakes stones, which in dc2 would keep
     * higher ones that are out. */
    take_off_leaving(sheet, sheet->leaving, step);

    struct contact_bodies bodies;
    uint32_t moving = moving_at(sheet, step), loaded = 0, island = 0;
    sheet->contacts = 0;
    for (int k = 0; k < sheet->looks; k++) {
        if (sheet->look[k].step > step)
            continue;
        int a = sheet->look[k].a, b = sheet->look[k].b;
        uint32_t pair = 1u << a | 1u << b;
        for (uint32_t rest = pair & ~loaded; rest; rest &= rest - 1)
            load_body(sheet, &bodies, __builtin_ctz(rest), step);
        loaded |= pair;
        if (touch(bodies.at[a], bodies.at[b])) {
            add_contact(sheet, a, b);
            island |= pair;
        }
    }
    if (!island)
        return false;
    sheet->contact_step = step;

    island = add_leaning(sheet, island, moving);
    for (uint32_t rest = island & ~loaded; rest; rest &= rest - 1)
        load_body(sheet, &bodies, __builtin_ctz(rest), step);
    if (sheet->contacts > 1)
        sort_contacts(sheet->contact, sheet->contacts);
    match_contacts(sheet, before, befores, moving);

    drop_looks_of(sheet, island);
    for (uint32_t rest = island; rest; rest &= rest - 1)
        end_glide(sheet, __builtin_ctz(rest), step);

    struct island together = {.bodies = &bodies, .members = island};
    step_island(sheet, &together);
    int32_t next = step + 1;
    if (island_lasts(sheet, &together)) {
        int32_t quiet = next + quiet_steps(sheet, &together, next);
        for (; next < quiet && island_lasts(sheet, &together); next++) {
            record_bodies(sheet, &bodies, island, next);
            sheet->contact_step = next;
            step_island(sheet, &together);
        }
    }
    let_go(sheet, &together, next);
    return true;
}

/* Runs the throw to its end. False if it exceeds EVENTS_MAX. */
static bool run(struct sheet *sheet)
{
    for (int events = 0; events < EVENTS_MAX; events++) {
        int32_t look_step = APPROACH_NEVER, exit_step = APPROACH_NEVER;
        int look = 0, exit = 0;
        for (int k = 0; k < sheet->looks; k++)
            if (sheet->look[k].step < look_step) {
                look_step = sheet->look[k].step;
                look = k;
            }
        for (uint32_t rest = sheet->exiting; rest; rest &= rest - 1) {
            int body = __builtin_ctz(rest);
            if (sheet->exit_step[body] < exit_step) {
                exit_step = sheet->exit_step[body];
                exit = body;
            }
        }
        if (look_step == APPROACH_NEVER && exit_step == APPROACH_NEVER)
            return true;
        /* A stone that is out at a step is taken off before the contacts of that step. */
        if (exit_step <= look_step) {
            look_at_exit(sheet, exit, exit_step);
            continue;
        }
        int a = sheet->look[look].a, b = sheet->look[look].b;
        uint32_t pair = 1u << a | 1u << b;
        if (sheet->leaving & pair) {
            take_off_leaving(sheet, pair, look_step);
            if ((sheet->in_play & pair) != pair)
                continue;
        }
        int32_t date = look_at_pair(sheet, a, b, look_step);
        if (date == APPROACH_TOUCH) {
            /* Rounding may reject the touch after other looks were removed and this one moved. */
            if (!collide(sheet, look_step))
                for (int k = 0; k < sheet->looks; k++)
                    if (sheet->look[k].a == a && sheet->look[k].b == b)
                        drop_look(sheet, k);
        } else if (date == APPROACH_NEVER) {
            drop_look(sheet, look);
        } else {
            sheet->look[look].step = date;
        }
    }
    return false;
}

static void set_up(struct sheet *sheet, const struct throw_request *request)
{
    const struct ice_profile *ice = request->ice;

    sheet->ice = ice;
    sheet->table = glide_table(ice->law);
    sheet->in_play = 0;
    sheet->touched = 0;
    sheet->gliding = 0;
    memset(&sheet->places, 0, sizeof sheet->places);
    sheet->looks = 0;
    sheet->leaving = 0;
    sheet->exiting = 0;
    sheet->contact_step = -2;
    sheet->contacts = 0;
    sheet->collisions = 0;
    sheet->trajectory = request->trajectory;
    sheet->team0_has_hammer = request->team0_has_hammer;
    sheet->out_of_memory = false;
    if (sheet->trajectory)
        trajectory_clear(sheet->trajectory);

    for (unsigned rest = request->before->in_play; rest; rest &= rest - 1) {
        int stone = __builtin_ctz(rest);
        struct vec2 at = request->before->stone[stone];
        if (approach_is_out(ice, at))
            continue; /* the reference takes it off before anything can reach it */
        int body = ice_body_of_stone(ice, request->team0_has_hammer, stone);
        sheet->in_play |= 1u << body;
        set_rest(sheet, body, at);
    }

    struct vec2 velocity = request->shot.velocity;
    double omega = request->shot.omega;
    if (ice->law == ICE_DC2) /* only the sense matters; the reference has a single rate */
        omega = omega > 0.0 ? ICE_DC2_A : omega < 0.0 ? -ICE_DC2_A : 0.0;
    double speed = glide_release(ice->law, &velocity, &omega);
    int body = ice_body_of_stone(ice, request->team0_has_hammer, request->stone);
    sheet->delivered = body;
    sheet->in_play |= 1u << body;
    start_glide(sheet, body, 0, ice->hack, velocity, speed, omega);
    if (sheet->gliding)
        date_glide(sheet, body, 0);
}

/* Whether a stone at rest at the end is in play. */
static bool stays(const struct sheet *sheet, int body, struct vec2 at, bool *ret_short)
{
    const struct ice_profile *ice = sheet->ice;
    *ret_short = false;
    if (!(fabs(at.x) < ice->side_x) || (ice->back != ICE_REMOVE_NEVER && !(at.y < ice->back_y)))
        return false;
    bool must_cross = ice->hog == ICE_HOG_ALL_STONES || body == sheet->delivered;
    if (ice->hog == ICE_HOG_DELIVERED_UNTOUCHED && sheet->collisions > 0)
        must_cross = false; /* any collision began with the delivered stone */
    *ret_short = must_cross && !(at.y > ice->hog_y);
    return !*ret_short;
}

enum throw_status throw_fast(const struct throw_request *request, struct throw_result *ret_result)
{
    enum throw_status status = throw_check(request);
    if (status != THROW_OK)
        return status;

    struct sheet sheet;
    set_up(&sheet, request);
    if (!run(&sheet))
        return THROW_FAILED;
    if (sheet.trajectory) {
        for (uint32_t rest = sheet.gliding; rest; rest &= rest - 1)
            record_glide(&sheet, __builtin_ctz(rest), APPROACH_NEVER);
        if (sheet.out_of_memory)
            return THROW_NO_MEMORY;
    }

    struct throw_result *result = ret_result;
    unsigned delivered = 1u << request->stone, thrown = request->before->in_play | delivered;
    memset(result, 0, sizeof *result);
    result->collisions = sheet.collisions;
    for (uint32_t rest = sheet.touched; rest; rest &= rest - 1) {
        int body = __builtin_ctz(rest);
        int stone = ice_stone_of_body(request->ice, request->team0_has_hammer, body);
        result->moved = (uint16_t)(result->moved | 1u << stone);
    }
    for (uint32_t rest = sheet.in_play; rest; rest &= rest - 1) {
        int body = __builtin_ctz(rest);
        int stone = ice_stone_of_body(request->ice, request->team0_has_hammer, body);
        struct vec2 at = place_at(&sheet, body, APPROACH_NEVER);
        bool too_short;
        if (stays(&sheet, body, at, &too_short))
            position_put(&result->after, stone, at);
        else if (too_short && body == sheet.delivered)
            result->hog_foul = true;
    }
    result->removed = (uint16_t)(thrown & ~(unsigned)result->after.in_play);
    assert((result->after.in_play & ~thrown) == 0 && (result->moved & ~thrown) == 0);
    assert(!result->hog_foul || (result->removed & delivered));
    return THROW_OK;
}

void throw_warm_up(const struct ice_profile *ice)
{
    (void)glide_table(ice->law);
}
