/* Moments of what is under way, when the clock does not say what it was expected to say. They are
 * compared with the present, so whatever waits or runs would wait for longer, or its lease would be
 * over. Moments of what is over stay as they were. */
#ifndef RINKD_SERVICE_STORE_MOMENTS_H
#define RINKD_SERVICE_STORE_MOMENTS_H

#include "service/store/store.h"

/* The clock was set by step_ms. What runs goes on as if nothing had happened: its
 * start and the end of its lease move with the clock. What waits for its time moves back with it,
 * but not forward, so that it never waits for longer. */
enum api_error moments_shift(struct store *store, int64_t step_ms);

/* At the start, when the clock may have been set meanwhile: nothing that waits or runs was changed
 * after now_ms, and what waits does so for no longer than it would have after its last change. A
 * lease is over after lease_ms at the latest. */
enum api_error moments_heal(struct store *store, int64_t now_ms, int64_t lease_ms);

#endif
