/* The curve of a gliding stone as tables, and the placing of a stone on it. */
#include "models/ice/glide.h"

#include "models/ice/portable_math.h"

#include <pthread.h>
#include <string.h>

/* A step's worth of friction in dc2: the speed lost in 1 ms, in the reference's float32. */
static const double dc2_step_loss = (double)(12.009216f * 0.001f);

/* One state of the run from top speed to rest. */
struct run_state {
    long double x, y, path, spin, speed;
};

/* --- Digital Curling 2: closed form --- */

/* -A ln(speed), as cosine and sine. */
static struct portable_turn dc2_heading(long double speed)
{
    return portable_turn(-(long double)ICE_DC2_A * portable_log(speed));
}

/* With L the speed at a step, f the loss a step, h the step and heading -A ln(L - f/2), the way
 * from L to rest is (h/f) Q(L), Q(w) = w^(2-iA)/(2-iA) + (f/2) w^(1-iA)/(1-iA): the sum over the
 * steps written as an Euler-Maclaurin integral, exact to about 1e-6 m. */
static struct run_state dc2_state(long double sigma)
{
    const long double A = (long double)ICE_DC2_A, f = (long double)dc2_step_loss;
    const long double h = (long double)ICE_STEP_S;
    struct run_state s = {0};
    long double w = sigma * f;
    s.speed = w;
    s.path = h / f * (w * w / 2 + f / 2 * w);
    if (w <= 0)
        return s;
    const struct portable_turn turn = dc2_heading(w);
    long double c = turn.cos, d = turn.sin; /* w^(-iA) = c + i d */
    long double p = w * w / (4 + A * A), q = f / 2 * w / (1 + A * A);
    /* 1/(2-iA) = (2+iA)/(4+A^2), 1/(1-iA) = (1+iA)/(1+A^2) */
    s.x = -h / f * (p * (2 * c - A * d) + q * (c - A * d));
    s.y = -h / f * (p * (2 * d + A * c) + q * (d + A * c));
    return s;
}

/* --- FCV1: the recursion itself, run once --- */
struct fcv1_run {
    long double x, y, heading, path, spin, speed;
};

static long double fcv1_deceleration(long double u)
{
    return ((long double)ICE_FCV1_A / (u + (long double)ICE_FCV1_B) + (long double)ICE_FCV1_C) *
           (long double)ICE_FCV1_G;
}

/* From step n (velocity that carries it on = speed, heading) to step n + 1. */
static void fcv1_advance(struct fcv1_run *r)
{
    const long double h = (long double)ICE_STEP_S;
    long double u = r->speed, least = (long double)ICE_FCV1_SPIN_MIN_SPEED;
    const struct portable_turn turn = portable_turn(r->heading);
    r->x += h * u * turn.cos;
    r->y += h * u * turn.sin;
    r->path += h * u;
    r->spin += (long double)ICE_FCV1_SPIN_LOSS / (u > least ? u : least) * h;
    long double next = u - fcv1_deceleration(u) * h;
    if (next > 0)
        r->heading += (long double)ICE_FCV1_YAW * portable_pow(u, -0.8L) * h;
    r->speed = next > 0 ? next : 0;
}

/* --- tables --- */

/* The cubic through two values with two slopes (per unit of t). */
static struct glide_cubic cubic(long double v0, long double s0, long double v1, long double s1)
{
    return (struct glide_cubic){{(double)v0, (double)s0, (double)(3 * (v1 - v0) - 2 * s0 - s1),
                                 (double)(2 * (v0 - v1) + s0 + s1)}};
}

/* Node values of a monotone function -> cubics, slopes by central differences. */
static void cubics_through(const double *value, int count, struct glide_cubic *ret)
{
    for (int k = 0; k + 1 < count; k++) {
        double s0 = k > 0 ? (value[k + 1] - value[k - 1]) / 2 : value[1] - value[0];
        double s1 = k + 2 < count ? (value[k + 2] - value[k]) / 2 : value[k + 1] - value[k];
        ret[k] = cubic(value[k], s0, value[k + 1], s1);
    }
    /* The last node serves only arguments at the very end of the range. */
    ret[count - 1] = (struct glide_cubic){{value[count - 1], 0, 0, 0}};
}

/* Input of the tables, filled for either law: states at the ends of the pieces with slopes per
 * step, and sigma at the nodes of speed and of sqrt(path). */
struct nodes {
    int pieces;
    struct run_state state[GLIDE_ROWS + 1], slope[GLIDE_ROWS + 1];
    double of_speed[GLIDE_SPEED_NODES], of_root[GLIDE_ROOT_NODES];
};

static void table_from_nodes(struct glide_table *table, const struct nodes *nodes)
{
    long double n = (long double)table->steps_per_piece;
    for (int k = 0; k < nodes->pieces; k++) {
        const struct run_state *a = &nodes->state[k], *b = a + 1;
        const struct run_state *p = &nodes->slope[k], *q = p + 1;
        table->piece[k].x = cubic(a->x, n * p->x, b->x, n * q->x);
        table->piece[k].y = cubic(a->y, n * p->y, b->y, n * q->y);
        table->budget[k].path = cubic(a->path, n * p->path, b->path, n * q->path);
        table->budget[k].spin = cubic(a->spin, n * p->spin, b->spin, n * q->spin);
    }
    cubics_through(nodes->of_speed, GLIDE_SPEED_NODES, table->of_speed);
    cubics_through(nodes->of_root, table->root_nodes, table->of_root);
}

/* Curvature of the path at a speed: dc2 A F / v^2, FCV1 yaw / u^1.8. */
static double curvature_at_speed(enum ice_law law, double speed)
{
    if (law == ICE_DC2)
        return ICE_DC2_A * ICE_DC2_DECELERATION / (speed * speed);
    return ICE_FCV1_YAW * (double)portable_pow((long double)speed, -1.8L);
}

/* Speeds at the nodes of remaining path, slowest first: `speed[k]` belongs to root node k. A lookup
 * between nodes k and k + 1 must not underestimate, so it takes the value of the slower node k; and
 * 1 % more, because on the grid of steps the path is a chain that bends up to 0.5 % more than the
 * smooth law says (where it has more than hook_path to go). */
static void fill_curvature(struct glide_table *table, const double *speed)
{
    table->curvature[0] = 1e9; /* at rest: no bound */
    for (int k = 1; k < table->root_nodes; k++)
        table->curvature[k] = 1.01 * curvature_at_speed(table->law, speed[k]);
    /* While curvature * 2r < 1/2 a path passes a stone only once (approach.h). */
    int k = 1;
    while (k < table->root_nodes - 1 && table->curvature[k] * 4.0 * ICE_STONE_RADIUS > 1.0)
        k++;
    double root = k / table->root_scale;
    table->hook_path = root * root;
}

static struct nodes nodes; /* scratch of the two builders, which run under pthread_once */

/* Without a first value, which would put all of a table, 0.4 MB, into the file of each program. */
static struct glide_table dc2_table, fcv1_table;

static void build_dc2(void)
{
    struct glide_table *table = &dc2_table;
    const double top_speed = 46.0, f = dc2_step_loss;

    table->law = ICE_DC2;
    table->steps_per_piece = 8.0;
    table->pieces_per_step = 1.0 / 8.0;
    table->sigma_max = top_speed / f;
    nodes.pieces = (int)(table->sigma_max / 8.0) + 1;
    for (int k = 0; k <= nodes.pieces; k++) {
        long double sigma = 8.0L * k, w = sigma * (long double)f, fl = (long double)f;
        nodes.state[k] = dc2_state(sigma);
        /* dQ/dL = (L + f/2) L^(-iA); the heading at rest is taken half a step before it. */
        const struct portable_turn turn = dc2_heading(k > 0 ? w : fl / 2);
        long double m = (long double)ICE_STEP_S * (w + fl / 2);
        nodes.slope[k] = (struct run_state){.x = -m * turn.cos, .y = -m * turn.sin, .path = m};
    }
    const struct portable_turn last = dc2_heading((long double)f / 2);
    table->end_heading = (struct vec2){(double)last.cos, (double)last.sin};

    table->speed_scale = (GLIDE_SPEED_NODES - 1) / top_speed;
    for (int k = 0; k < GLIDE_SPEED_NODES; k++)
        nodes.of_speed[k] = k / table->speed_scale / f;

    /* path = (h/f)(w^2 + f w)/2  =>  w = sqrt(f^2/4 + 2 f path / h) - f/2 */
    double path_max = (double)nodes.state[nodes.pieces].path;
    table->root_nodes = 321;
    table->root_scale = (table->root_nodes - 1) / sqrt(path_max);
    static double speed[GLIDE_ROOT_NODES];
    for (int k = 0; k < table->root_nodes; k++) {
        double root = k / table->root_scale;
        speed[k] = sqrt(f * f / 4 + 2 * f * root * root / ICE_STEP_S) - f / 2;
        nodes.of_root[k] = speed[k] / f;
    }
    table_from_nodes(table, &nodes);
    fill_curvature(table, speed);
}

/* Nodes that are still to be passed, from the top down, and the speeds at those of_root. */
struct fcv1_passing {
    int speed_node, root_node;
    double root_speed[GLIDE_ROOT_NODES];
};

/* Fills in the nodes that a step passes, linear within it: from `r`, `sigma` steps before rest, to
 * `after`. `path` is that of the whole run. */
static void fcv1_pass(const struct glide_table *table, struct fcv1_passing *passing,
                      const struct fcv1_run *r, const struct fcv1_run *after, int sigma,
                      long double path)
{
    while (passing->speed_node >= 0 &&
           (long double)passing->speed_node >= after->speed * (long double)table->speed_scale) {
        long double u = (long double)passing->speed_node / (long double)table->speed_scale;
        long double part = (r->speed - u) / (r->speed - after->speed);
        if (part < 0)
            part = 0; /* a node above the top speed */
        nodes.of_speed[passing->speed_node--] = (double)((long double)sigma - part);
    }
    while (passing->root_node >= 0) {
        long double root = (long double)passing->root_node / (long double)table->root_scale;
        if (root * root < path - after->path)
            break;
        long double part = (path - r->path - root * root) / (after->path - r->path);
        nodes.of_root[passing->root_node] = (double)((long double)sigma - part);
        passing->root_speed[passing->root_node--] =
            (double)(r->speed + part * (after->speed - r->speed));
    }
}

/* Returns the steps of a stone of that speed to its rest, and the length of its path. */
static int fcv1_steps(double speed, long double *ret_path)
{
    int steps = 0;
    long double path = 0;

    for (long double u = (long double)speed; u > 0; steps++) {
        path += (long double)ICE_STEP_S * u;
        u -= fcv1_deceleration(u) * (long double)ICE_STEP_S;
    }
    *ret_path = path;
    return steps;
}

static void build_fcv1(void)
{
    struct glide_table *table = &fcv1_table;
    /* The fastest shot, with all the energy of its spin, is 6.09 m/s. The last nodes of of_speed
     * are poor: their neighbours lie beyond the top. */
    const double top_speed = 6.15;
    const int per_piece = 32;

    table->law = ICE_FCV1;
    long double path;
    int steps = fcv1_steps(top_speed, &path);

    table->steps_per_piece = per_piece;
    table->pieces_per_step = 1.0 / per_piece;
    table->sigma_max = steps;
    nodes.pieces = steps / per_piece; /* the first, incomplete piece (at top speed) is left out */
    table->speed_scale = 128.0;
    table->root_scale = 32.0;
    table->root_nodes = (int)(sqrt((double)path) * table->root_scale) + 1;

    /* The states, counted from the start. */
    struct fcv1_run r = {.speed = (long double)top_speed}, before = r;
    static struct fcv1_passing passing;
    passing.speed_node = GLIDE_SPEED_NODES - 1;
    passing.root_node = table->root_nodes - 1;
    for (int n = 0; n <= steps; n++) {
        int sigma = steps - n;
        struct fcv1_run after = r;
        if (sigma > 0)
            fcv1_advance(&after);
        if (sigma % per_piece == 0 && sigma / per_piece <= nodes.pieces) {
            int k = sigma / per_piece;
            /* d/d(sigma) runs against the steps; at the two ends the difference is one-sided. */
            long double span = n == 0 || sigma == 0 ? -1.0L : -2.0L;
            const struct fcv1_run *p = n == 0 ? &r : &before;
            nodes.state[k] =
                (struct run_state){.x = r.x, .y = r.y, .path = path - r.path, .spin = r.spin};
            nodes.slope[k] = (struct run_state){.x = (after.x - p->x) / span,
                                                .y = (after.y - p->y) / span,
                                                .path = (p->path - after.path) / span,
                                                .spin = (p->spin - after.spin) / span};
        }
        if (sigma > 0)
            fcv1_pass(table, &passing, &r, &after, sigma, path);
        before = r;
        r = after;
    }
    for (int k = 0; k <= nodes.pieces; k++) { /* count from the end instead */
        nodes.state[k].x -= r.x;
        nodes.state[k].y -= r.y;
        nodes.state[k].spin = r.spin - nodes.state[k].spin;
    }
    const struct portable_turn last = portable_turn(r.heading);
    table->end_heading = (struct vec2){(double)last.cos, (double)last.sin};
    table_from_nodes(table, &nodes);
    fill_curvature(table, passing.root_speed);
    table->sigma_max = (double)(nodes.pieces * per_piece);
}

static double fcv1_yaw[GLIDE_SPEED_NODES];

static void build_tables(void)
{
    build_dc2();
    memset(&nodes, 0, sizeof nodes);
    build_fcv1();
    for (int k = 0; k < GLIDE_SPEED_NODES; k++) {
        /* The rate has no bound at speed 0; below half a node a stone goes less than 0.1 mm. */
        long double u = (k > 0 ? k : 0.5L) / (long double)fcv1_table.speed_scale;
        fcv1_yaw[k] = (double)((long double)ICE_FCV1_YAW * portable_pow(u, -0.8L));
    }
}

const struct glide_table *glide_table(enum ice_law law)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build_tables);
    return law == ICE_DC2 ? &dc2_table : &fcv1_table;
}

/* --- one glide --- */

static double spin_left(const struct glide_table *table, double sigma)
{
    double x = sigma * table->pieces_per_step;
    int k = (int)x;
    return glide_cubic_at(&table->budget[k].spin, x - k);
}

double glide_omega(const struct glide_table *table, const struct glide *glide, double sigma)
{
    if (table->law == ICE_DC2)
        return sigma > 0.0 ? glide->omega : 0.0; /* never decays; it ends only at rest */
    if (glide->turn == 0.0)
        return 0.0;
    double left = fabs(glide->omega) - (glide->spin_budget - spin_left(table, sigma));
    return left > 0.0 ? copysign(left, glide->omega) : 0.0;
}

/* Steps to rest at the first step without spin, where spin_left(sigma) <= budget; `budget` is the
 * part of the curve's spin loss that remains then. Searches whole pieces, then inside one. */
static double sigma_of_spin_end(const struct glide_table *table, double sigma, double budget)
{
    int low = 0, high = (int)(sigma * table->pieces_per_step) + 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (table->budget[middle].spin.c[0] > budget)
            high = middle;
        else
            low = middle;
    }
    double a = 0.0, b = 1.0;
    for (int k = 0; k < 20; k++) { /* to 32 / 2^20 steps */
        double t = 0.5 * (a + b);
        if (glide_cubic_at(&table->budget[low].spin, t) > budget)
            b = t;
        else
            a = t;
    }
    double end = (low + a) * table->steps_per_piece;
    /* The reference looks at the spin once a step: the last curved step is the one in which it
     * ends. */
    return sigma - ceil(sigma - end);
}

/* Turns the curve so that its slope half a step ahead points along the heading, and fills in the
 * frame, the rest and the heading there. The slope is the speed to about 1e-6, so one Newton step
 * makes the frame a pure turn. */
static void lay_curve(const struct glide_table *table, struct glide *g, double per_speed)
{
    double x = (g->sigma - 0.5) * table->pieces_per_step;
    int k = (int)x;
    struct vec2 slope = {-glide_cubic_slope(&table->piece[k].x, x - k),
                         -g->turn * glide_cubic_slope(&table->piece[k].y, x - k)};
    double per_slope = per_speed * (1.0 / (ICE_STEP_S * table->steps_per_piece));
    struct vec2 frame = vec2_turn(vec2_scale(per_slope, g->heading), vec2_conjugate(slope));
    g->frame = vec2_scale(1.5 - 0.5 * vec2_dot(frame, frame), frame);
    x = g->sigma * table->pieces_per_step;
    k = (int)x;
    struct vec2 z = {glide_cubic_at(&table->piece[k].x, x - k),
                     g->turn * glide_cubic_at(&table->piece[k].y, x - k)};
    g->anchor = vec2_sub(g->from, vec2_turn(z, g->frame));
    g->straight_sigma = 0.0;
    g->rest = g->anchor;
    struct vec2 end = {table->end_heading.x, g->turn * table->end_heading.y};
    g->end_heading = vec2_turn(end, g->frame);
}

bool glide_start(const struct glide_table *table, struct glide *ret_glide, int32_t step,
                 struct vec2 at, struct vec2 velocity, double speed, double omega)
{
    struct glide *g = ret_glide;
    double sigma = glide_sigma_of_speed(table, speed);
    if (sigma > table->sigma_max)
        sigma = table->sigma_max;

    g->start_step = step;
    g->from = at;
    if (!(sigma >= 1.0)) {
        g->stop_step = step;
        g->rest = at;
        g->path = 0.0;
        return false;
    }
    g->sigma = sigma;
    g->stop_step = step + (int32_t)sigma + (sigma > (int32_t)sigma);
    g->omega = omega;
    g->path = glide_path_left(table, sigma);
    g->velocity = velocity;
    double per_speed = 1.0 / speed;
    struct vec2 heading = vec2_scale(per_speed, velocity);
    g->heading = heading;
    g->turn = omega > ICE_FCV1_EPSILON ? 1.0 : omega < -ICE_FCV1_EPSILON ? -1.0 : 0.0;
    if (g->turn == 0.0) {
        g->straight_sigma = INFINITY;
        g->end_heading = heading;
        g->rest = vec2_add(at, vec2_scale(g->path, heading));
        return true;
    }

    lay_curve(table, g, per_speed);
    if (table->law == ICE_DC2)
        return true;

    g->spin_budget = spin_left(table, sigma);
    double budget = g->spin_budget - fabs(omega);
    if (budget > 0.0) { /* the spin ends before the stone does: curved, then straight on */
        double last = sigma_of_spin_end(table, sigma, budget);
        if (last < 1.0)
            return true;
        struct vec2 there = glide_position(table, g, last);
        struct vec2 v = glide_velocity(table, g, last);
        g->straight_sigma = last;
        g->end_heading = vec2_scale(1.0 / vec2_length(v), v);
        g->rest = vec2_add(there, vec2_scale(glide_path_left(table, last), g->end_heading));
    }
    return true;
}

/* 0.0082 u^-0.8 rad/s, linear between nodes of speed: relative error 1e-5 at 1 m/s. */
static double fcv1_yaw_rate(double speed)
{
    double x = speed * fcv1_table.speed_scale;
    int k = x < GLIDE_SPEED_NODES - 2 ? (int)x : GLIDE_SPEED_NODES - 2;
    return fcv1_yaw[k] + (x - k) * (fcv1_yaw[k + 1] - fcv1_yaw[k]);
}

double glide_friction(enum ice_law law, double fraction, struct vec2 *velocity, double *omega)
{
    struct vec2 v = *velocity;
    double speed = vec2_length(v);

    if (law == ICE_DC2) {
        double loss = dc2_step_loss * fraction;
        if (!(speed > loss)) {
            *velocity = (struct vec2){0.0, 0.0};
            *omega = 0.0;
            return 0.0;
        }
        double along = speed - loss;
        double across = *omega > 0.0 ? ICE_DC2_A * loss : *omega < 0.0 ? -ICE_DC2_A * loss : 0.0;
        /* Turned by atan(across / along), the length stays `along`. */
        double k = along / (speed * sqrt(along * along + across * across));
        *velocity = vec2_turn(v, (struct vec2){k * along, k * across});
        return along;
    }

    double h = ICE_STEP_S * fraction, next = 0.0;
    if (speed > ICE_FCV1_EPSILON) {
        double loss = (ICE_FCV1_A / (speed + ICE_FCV1_B) + ICE_FCV1_C) * ICE_FCV1_G * h;
        if (speed <= loss) {
            *velocity = (struct vec2){0.0, 0.0};
        } else {
            double yaw = 0.0;
            if (fabs(*omega) > ICE_FCV1_EPSILON)
                yaw = copysign(fcv1_yaw_rate(speed) * h, *omega);
            /* cos and sin by their series: the angle is at most some hundredths, and the result
             * does not depend on the libm of the machine. */
            double y2 = yaw * yaw;
            struct vec2 turn = {1.0 - y2 * (1.0 / 2 - y2 * (1.0 / 24 - y2 / 720)),
                                yaw * (1.0 - y2 * (1.0 / 6 - y2 * (1.0 / 120 - y2 / 5040)))};
            next = speed - loss;
            *velocity = vec2_turn(vec2_scale(next / speed, v), turn);
        }
    } else {
        next = speed;
    }
    double spin_loss = ICE_FCV1_SPIN_LOSS * h /
                       (speed > ICE_FCV1_SPIN_MIN_SPEED ? speed : ICE_FCV1_SPIN_MIN_SPEED);
    *omega = fabs(*omega) <= spin_loss ? 0.0 : *omega - copysign(spin_loss, *omega);
    return next;
}

double glide_release(enum ice_law law, struct vec2 *velocity, double *omega)
{
    return glide_friction(law, law == ICE_DC2 ? 0.5 : 1.0, velocity, omega);
}

bool glide_of_shot(const struct ice_profile *ice, const struct shot *shot, struct glide *ret_glide)
{
    struct vec2 velocity = shot->velocity;
    double omega = shot->omega;
    double speed = glide_release(ice->law, &velocity, &omega);
    return glide_start(glide_table(ice->law), ret_glide, 0, ice->hack, velocity, speed, omega);
}
