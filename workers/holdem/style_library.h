/* The styles of the rule players, measured. */
#ifndef RINKD_WORKERS_HOLDEM_STYLE_LIBRARY_H
#define RINKD_WORKERS_HOLDEM_STYLE_LIBRARY_H

#include "workers/holdem/ensemble.h"

/* Fills in the styles of an ensemble by its networks: each rule player plays `hands` hands, an
 * equal part against each of them, and its decisions are counted. False: out of memory. */
bool style_library_measure(struct ensemble *ensemble, int hands, uint64_t seed);

#endif
