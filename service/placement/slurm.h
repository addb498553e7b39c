/* Placement by Slurm: while tasks wait, pilots (pilots.h) are submitted; those that nobody needs
 * any more are cancelled. Slurm decides which machine, when, and with what limits.
 *
 *     every few seconds:  squeue ──► what there is ──► sbatch, or scancel
 *
 * Pilots are found by their name, which belongs to the data folder, so nothing is remembered: a
 * daemon that starts again finds those of the last one. A command that fails is logged and tried
 * again; local work never waits for it. Core thread only, except functions that say otherwise. */
#ifndef RINKD_SERVICE_PLACEMENT_SLURM_H
#define RINKD_SERVICE_PLACEMENT_SLURM_H

#include "api/base/error.h"
#include "service/base/base.h"

#include <jansson.h>
#include <stdbool.h>

struct slurm;

enum { SLURM_LOOK_MS = 5000 };

/* Starts to look every `look_ms`. Without --slurm-max *ret_slurm is NULL and nothing happens. */
enum api_error slurm_start(const struct base *base, int look_ms, struct slurm **ret_slurm);

/* Ends the command under way and looks no more. Pilots stay: they end when they find no daemon. */
void slurm_stop(struct slurm *slurm);
/* Whether no command runs. */
bool slurm_has_stopped(const struct slurm *slurm);
/* After slurm_has_stopped(); frees when the loop has closed its handle. NULL is fine. */
void slurm_free(struct slurm *slurm);

/* --- any thread; slurm may be NULL --- */

/* {"max","min","cores","wanted","pending","running","reason":null|TEXT,"error":null|TEXT,
 * "looked_at":null|TIME}, null without Slurm; the caller's. reason: why Slurm lets pilots wait. */
json_t *slurm_json(struct slurm *slurm);
/* A sentence on pilots that wait, the caller's; NULL: none waits, or memory is short. */
json_t *slurm_explain(struct slurm *slurm);

#endif
