/* How long to think about a shot, so that the time of a game is used where it matters and never
 * runs out. Pure: it knows no clock of the machine, only what it is told.
 *
 * The server counts from when it sends a position to when it has read the answer. Seconds that it
 * counts beyond those that were planned are the network's, or those by which a search overran;
 * they are measured and set aside for every shot to come, with a cushion where they vary. What is
 * left, less a reserve, is shared by the shots to come in proportion to
 * their weight: later shots of an end weigh more, and an open game more than a decided one. */
#ifndef RINKD_WORKERS_MATCH_CLOCK_H
#define RINKD_WORKERS_MATCH_CLOCK_H

#include <stdbool.h>

/* The usual share of the time that is kept. */
#define MATCH_CLOCK_RESERVE 0.05

struct match_clock {
    double reserve;         /* share of the time that is kept, 0 … 1 */
    double given_s;         /* the most time that was left in this period */
    double network_s;       /* mean of what the server counts beyond our plan, a shot */
    double network_worst_s; /* the largest of them lately */
    int measured;           /* shots measured */
};

/* Where a shot stands in the time that it shares with others. */
struct clock_turn {
    double remaining_s; /* as the server says */
    int shot, shots;    /* our shot of the end, 0, 1, …, and how many we have in each end */
    int ends_after;     /* whole ends after this one on the same clock */
    double win;         /* our chance of winning as last seen; NAN: unknown */
};

struct clock_plan {
    double think_s; /* for the search; 0: answer at once */
    double stop_s;  /* an answer must be sent by then, whatever it is; >= think_s */
};

/* A clock that keeps this share of the time, 0 … 1. */
struct match_clock match_clock_start(double reserve);

/* Learns from a shot: the seconds that the server counted, those that we took, and those that we
 * had planned to think. Values that are not finite or negative teach nothing. */
void match_clock_measure(struct match_clock *clock, double counted_s, double own_s,
                         double planned_s);

/* Plans a shot; remembers the most time that was left, of which the reserve is a share. A jump up
 * of the remaining time starts a new period, as extra ends do. */
struct clock_plan match_clock_plan(struct match_clock *clock, const struct clock_turn *turn);

#endif
