/* Shares of the time. See match_clock.h. */
#include "workers/match_clock.h"

#include <math.h>

/* The network is assumed to take this long until it has been measured. */
#define NETWORK_GUESS_S 0.1
/* The first measurement counts for this much at most: it holds what the server took to begin, or
 * how long we were away before a restart. */
#define FIRST_MOST_S 1.0
/* The newest measurement counts for this share of the mean. */
#define NEWEST 0.25
/* The worst measurement fades by this factor a shot. */
#define FADING 0.95
/* This many times what the worst is above the mean stays free, too. */
#define CUSHION 1.5
/* Of the reserve, this share is kept even for the last shot. */
#define LAST_RESERVE 0.3
/* A search that overruns is stopped after this much more than its share. */
#define OVERRUN 0.5
/* No shot but the last takes more than this share of what is free. */
#define LARGEST_SHARE 0.5
/* Weights of the first and of the last shot of an end. */
#define FIRST_WEIGHT 0.75
#define LAST_WEIGHT  1.25

struct match_clock match_clock_start(double reserve)
{
    return (struct match_clock){.reserve = reserve, .network_s = NETWORK_GUESS_S};
}

void match_clock_measure(struct match_clock *clock, double counted_s, double own_s,
                         double planned_s)
{
    /* A search that ended early took none of it from the network. */
    double network_s = fmax(counted_s - fmin(own_s, planned_s), 0.0);

    if (!isfinite(network_s) || !(own_s >= 0.0) || !(counted_s >= 0.0) || !(planned_s >= 0.0))
        return;
    if (clock->measured == 0)
        network_s = fmin(network_s, FIRST_MOST_S);
    clock->network_s += NEWEST * (network_s - clock->network_s);
    if (clock->measured > 0)
        clock->network_worst_s = fmax(clock->network_worst_s * FADING, network_s);
    clock->measured++;
}

static double weight_of(int shot, int shots)
{
    double part = shots > 1 ? (double)shot / (shots - 1) : 1.0;

    return FIRST_WEIGHT + part * (LAST_WEIGHT - FIRST_WEIGHT);
}

/* 1 where both teams win equally often, 0.5 in a decided game. */
static double openness(double win)
{
    return isfinite(win) && win >= 0.0 && win <= 1.0 ? 0.5 + 2.0 * win * (1.0 - win) : 1.0;
}

struct clock_plan match_clock_plan(struct match_clock *clock, const struct clock_turn *turn)
{
    double all = 0.0, later = 0.0;
    int left = turn->shots - turn->shot + turn->ends_after * turn->shots;

    if (!(turn->remaining_s > 0.0))
        return (struct clock_plan){0.0, 0.0};
    clock->given_s = fmax(clock->given_s, turn->remaining_s);
    for (int k = 0; k < turn->shots; k++) {
        all += weight_of(k, turn->shots);
        later += k > turn->shot ? weight_of(k, turn->shots) : 0.0;
    }
    later += turn->ends_after * all;
    double now = weight_of(turn->shot, turn->shots) * openness(turn->win);
    double network_s = clock->network_s;
    if (clock->measured == 0) /* a guess must not eat a short clock */
        network_s = fmin(network_s, 0.25 * turn->remaining_s / left);

    double part = (double)(left - 1) * turn->remaining_s / (left * clock->given_s);
    double cushion_s = CUSHION * fmax(clock->network_worst_s - network_s, 0.0);
    double reserve_s =
        clock->reserve * clock->given_s * (LAST_RESERVE + (1.0 - LAST_RESERVE) * fmin(part, 1.0));
    double free_s = turn->remaining_s - reserve_s - cushion_s - network_s * left;
    double most_s = left > 1 ? LARGEST_SHARE * free_s : free_s;
    double think_s = fmax(fmin(free_s * now / (now + later), most_s), 0.0);

    /* What may be lost to a search that does not stop: half of the reserve at most. */
    double last_s = turn->remaining_s - fmax(clock->network_worst_s, network_s) - 0.5 * reserve_s;
    double stop_s = fmax(fmin(think_s * (1.0 + OVERRUN) + 0.02 * free_s, last_s), 0.0);
    return (struct clock_plan){fmin(think_s, stop_s), stop_s};
}
