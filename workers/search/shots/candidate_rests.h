/* Candidates that come to rest without meeting a stone, and those that go through. */
#ifndef RINKD_WORKERS_SEARCH_SHOTS_CANDIDATE_RESTS_H
#define RINKD_WORKERS_SEARCH_SHOTS_CANDIDATE_RESTS_H

#include "workers/search/shots/candidate_builder.h"

/* Draws and guards at fixed places, whatever lies on the sheet. */
void candidate_add_places(struct candidate_builder *b);

/* One shot a spin that leaves all stones alone. */
void candidate_add_through(struct candidate_builder *b);

/* Freezes against a stone in the house; shots that come to rest behind a stone; guards of an own
 * stone in the house. */
void candidate_add_freezes(struct candidate_builder *b, int about);
void candidate_add_come_arounds(struct candidate_builder *b, int about);
void candidate_add_guards_of(struct candidate_builder *b, int about);

#endif
