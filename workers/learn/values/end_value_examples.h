/* Examples for a stage of the end-value network (models/networks/end_value.h): positions after a
 * number of shots thrown, with the distribution of the end's score after the shot that the search
 * chooses there. The search looks one shot ahead and evaluates the result with the network, so the
 * stage after the example's must be fitted already; the last shot needs none.
 *
 * Positions come from random play in many styles (end_states.h). In a further sweep most come from
 * ends that the network plays with occasional random shots: the positions themselves, and those
 * after another shot there, one of the best or any, as a search meets them. The distribution is
 * measured with fresh execution noise: the throws that led to the choice overestimate it.
 *
 * One seat may be fallible: it plays each shot like a given player with some probability, else the
 * best shot. The network then serves the other seat, which counts on these mistakes at that rate (a
 * restricted Nash response; Johanson, Zinkevich and Bowling, 2007). */
#ifndef RINKD_WORKERS_LEARN_VALUES_END_VALUE_EXAMPLES_H
#define RINKD_WORKERS_LEARN_VALUES_END_VALUE_EXAMPLES_H

#include "workers/learn/values/end_value_fit.h"
#include "workers/search/player/player.h"
#include "workers/search/rink/rink.h"

enum {
    END_VALUE_PLAY_SIMULATIONS = 400, /* throws per shot in the ends that positions come from */
    END_VALUE_PER_END = 4,            /* examples of a stage from one end */
    END_VALUE_STREAMS = 1 << 10       /* random streams of a sweep, whose first is a multiple */
};

/* How examples are made; all pointers are borrowed. An end and an example are functions of this and
 * their number, whatever the thread. */
struct end_value_maker {
    const struct rules *rules;
    const struct ice_profile *ice;
    struct noise noise;
    struct rink_settings settings; /* with the network */
    uint64_t seed, stream;         /* the first of the sweep's random streams */
    int64_t simulations;           /* throws per position */
    int fallible;                  /* seat; -1: none */
    const struct player *like;     /* plays `share` of the fallible seat's shots */
    double share;
    /* In further sweeps: [end * POSITION_STONES + t] is the position before shot t. */
    struct position *played;
    size_t ends; /* 0: all positions come from random play */
};

/* Returns a maker for the rules' own ice, without a fallible seat and without ends. */
struct end_value_maker end_value_maker_of(const struct rules *rules,
                                          const struct end_value *network);

/* Plays end number `index` with the network and stores its positions in `played`. False: a player
 * failed. */
bool end_value_play_end(const struct end_value_maker *maker, size_t index);

/* Makes example number `index` of the stage after `thrown` shots, 1 … END_VALUE_STAGES. With ends,
 * it comes from end index / END_VALUE_PER_END. False: a player failed. */
bool end_value_make_example(const struct end_value_maker *maker, int thrown, size_t index,
                            struct end_value_example *ret_example);

#endif
