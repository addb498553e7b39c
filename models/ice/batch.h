/* Many throws at once, on several threads.
 *
 * Each throw depends on its own request alone and each result is written to its own place, so the
 * results are the same bytes for any number of threads. Nothing is allocated for a throw; a call
 * starts its threads and ends them, so a few dozen throws a call pay for that. */
#ifndef RINKD_MODELS_ICE_BATCH_H
#define RINKD_MODELS_ICE_BATCH_H

#include "models/ice/noise.h"
#include "models/ice/throw.h"

#include <stddef.h>

/* More are not started, whatever is asked for. */
enum { BATCH_MAX_THREADS = 256 };

/* Throws requests[0 … count - 1], on `threads` threads with the calling one (less than 1 counts as
 * 1; never more than there are requests; if the system gives fewer, with those). All requests are
 * tried, whatever becomes of the others: for each k, ret_results[k] is the result, or untouched if
 * the throw failed. ret_statuses is NULL or receives each throw's status.
 * Returns THROW_OK, or the status of the first request, by index, that failed.
 *
 * The engine is called from several threads. Requests may share a position; a trajectory may not
 * be shared by two requests. All arrays are the caller's. */
enum throw_status throw_batch(throw_engine *engine, const struct throw_request *requests,
                              size_t count, int threads, struct throw_result *ret_results,
                              enum throw_status *ret_statuses);

/* The same noisy throws of each request: sample s of request r is requests[r] with its shot put
 * through noise_apply() with pairs[s]. As all requests meet the same errors, their means compare
 * with common random numbers. pairs[] comes from random_normal_pairs() or quasi_normal_pairs();
 * the noise has to pass noise_check().
 *
 * ret_results and ret_statuses have count * samples entries, sample s of request r at
 * [r * samples + s]; all else is as in throw_batch(). A request's trajectory is left alone: many
 * throws cannot share it. Whoever wants the paths of noisy throws makes their requests with
 * noise_apply(). */
enum throw_status throw_batch_noisy(throw_engine *engine, const struct throw_request *requests,
                                    size_t count, const struct noise *noise,
                                    const struct normal_pair *pairs, size_t samples, int threads,
                                    struct throw_result *ret_results,
                                    enum throw_status *ret_statuses);

#endif
