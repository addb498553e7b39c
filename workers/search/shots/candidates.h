/* The shots worth considering: every kind of curling shot, aimed exactly, for every stone on the
 * sheet. */
#ifndef RINKD_WORKERS_SEARCH_SHOTS_CANDIDATES_H
#define RINKD_WORKERS_SEARCH_SHOTS_CANDIDATES_H

#include "workers/search/shots/candidate.h"

/* All geometric shots of `stone`, the next one (its parity tells the seat), at most `most`, in a
 * fixed order, the plainest first; both spins. Returns how many. Leaves out shots that cannot be
 * aimed (unreachable, off the sheet), and blocked ones unless a small error gets past the guard.
 * Deterministic, allocates nothing. */
int candidates_generate(const struct ice_profile *ice, const struct rules *rules,
                        const struct position *position, int stone,
                        struct candidate *ret_candidates, int most);

#endif
