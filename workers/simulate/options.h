/* The command line of rink-simulate. */
#ifndef RINKD_WORKERS_SIMULATE_OPTIONS_H
#define RINKD_WORKERS_SIMULATE_OPTIONS_H

#include "models/ice/profile.h"
#include "models/ice/throw.h"

#include <stdint.h>

struct options {
    const struct ice_profile *ice; /* NULL: each line's own model */
    throw_engine *engine;
    enum ice_noise noise;
    int64_t samples; /* outcomes per scene; 0: one, and only noise makes it a sample */
    uint64_t seed;
    int threads;
    double interval_s; /* between two points of a trajectory; 0: none */
    const char *file;  /* NULL: stdin */
};

/* Reads the command line. --help, --version and mistakes end the program (status 0, 0 and 1). The
 * strings belong to argv. */
struct options options_read(int argc, char **argv);

#endif
