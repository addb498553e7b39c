/* Line curling as an end that a responder can play (end_game.h). */
#ifndef RINKD_WORKERS_EVALUATE_LINE_END_H
#define RINKD_WORKERS_EVALUATE_LINE_END_H

#include "workers/evaluate/end_game.h"
#include "workers/evaluate/line_curling.h"

/* The end with `stones` stones of each side; all 18 actions are worth trying. Its state and its
 * action are one int each. A throw slips by the quartiles of the error along the shot. */
struct end_game line_end(int stones);

/* Plays as a policy of line curling says. As thread-safe as that policy. */
struct line_end_policy {
    struct end_policy policy; /* the first member: a pointer to it is one to the whole */
    struct line_side side;    /* .policy not NULL */
};

struct line_end_policy line_end_policy(line_policy *policy, void *context);

#endif
