/* The file metrics.jsonl of a training: all reports of its runs in order, one JSON object a line.
 *
 *   {"run":R,"step":N,"points":{NAME:VALUE,…}}                 VALUE may be "NaN", "Infinity", …
 *   {"run":R,"step":N,"model":{"name","path","sha256"}}        a policy file in the folder
 *   {"run":R,"step":N,"checkpoint":{"path","sha256"}}          a checkpoint in the folder
 *   {"run":R,"step":N,"finished":{…}}                          the run's result
 *
 * Lines are durable before the checkpoint after them is listed. To resume, a training takes the
 * last sound checkpoint of each run, removes the run's lines after it, and repeats lines that the
 * listener may have missed. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAIN_JOURNAL_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAIN_JOURNAL_H

#include "workers/learn/training/train_status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define TRAIN_JOURNAL_NAME "metrics.jsonl"
/* … of a run whose seed is a task of its own (worker_train_lead.c). */
#define TRAIN_JOURNAL_OF_RUN "%s.jsonl"

struct train_journal;

/* Opens or creates a journal of a folder, and locks it: that of all runs with the file ".lock",
 * another one with ".NAME.lock". An incomplete last line is cut off before the first change. The
 * caller closes the journal with train_journal_close(); the strings must outlive it. NULL and a
 * sentence on failure. */
struct train_journal *train_journal_open(const char *folder, const char *name,
                                         char ret_error[TRAIN_ERROR_MAX]);
void train_journal_close(struct train_journal *journal); /* NULL is fine */

/* Returns the array of the lines that the file had when it was opened; borrowed. */
const json_t *train_journal_lines(const struct train_journal *journal);

/* Removes all lines but `kept`, some of its lines in their order; all are removed, or none. Call it
 * before train_journal_add(). TRAIN_OK, TRAIN_DISK or TRAIN_NO_MEMORY. */
enum train_status train_journal_keep(struct train_journal *journal, json_t *kept,
                                     char ret_error[TRAIN_ERROR_MAX]);

/* Makes the journal of a run from some lines, all of them or none. */
enum train_status train_journal_make(const char *folder, const char *name, json_t *lines,
                                     char ret_error[TRAIN_ERROR_MAX]);

/* Adds a line. If it names a checkpoint, makes all lines durable. TRAIN_OK, TRAIN_DISK or
 * TRAIN_NO_MEMORY. */
enum train_status train_journal_add(struct train_journal *journal, const json_t *line,
                                    char ret_error[TRAIN_ERROR_MAX]);

/* Makes all lines durable. */
enum train_status train_journal_sync(struct train_journal *journal,
                                     char ret_error[TRAIN_ERROR_MAX]);

#endif
