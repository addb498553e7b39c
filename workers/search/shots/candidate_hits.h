/* Candidates that meet other stones. `about` is the stone that the shot meets first. */
#ifndef RINKD_WORKERS_SEARCH_SHOTS_CANDIDATE_HITS_H
#define RINKD_WORKERS_SEARCH_SHOTS_CANDIDATE_HITS_H

#include "workers/search/shots/candidate_builder.h"

/* Take-outs, rolls and peels of an opponent's stone; those with just enough weight; taps. */
void candidate_add_take_outs(struct candidate_builder *b, int about);
void candidate_add_weak_take_outs(struct candidate_builder *b, int about);
void candidate_add_taps(struct candidate_builder *b, int about);

/* An own stone, raised to `target`. */
void candidate_add_raise(struct candidate_builder *b, int about, struct vec2 target);

/* Two opponent's stones at one go; any stone sent into an opponent's. */
void candidate_add_double(struct candidate_builder *b, int about, int other);
void candidate_add_raise_take_out(struct candidate_builder *b, int about, int other);

#endif
