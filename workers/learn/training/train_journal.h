/* The file metrics.jsonl of a training: everything that its runs have reported, one JSON object a
 * line, in that order.
 *
 *   {"run":R,"step":N,"points":{NAME:VALUE,…}}                 VALUE may be "NaN", "Infinity", …
 *   {"run":R,"step":N,"model":{"name","path","sha256"}}        a policy file in the folder
 *   {"run":R,"step":N,"checkpoint":{"path","sha256"}}          a checkpoint in the folder
 *   {"run":R,"step":N,"finished":{…}}                          the run's result
 *
 * Lines are durable before the checkpoint that follows them is named. To resume,
 * a training takes the last sound checkpoint of each run, removes the run's lines after it from the
 * file, and can repeat what the other side may have missed. */
#ifndef RINKD_WORKERS_LEARN_TRAINING_TRAIN_JOURNAL_H
#define RINKD_WORKERS_LEARN_TRAINING_TRAIN_JOURNAL_H

#include "workers/learn/training/train_status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define TRAIN_JOURNAL_NAME "metrics.jsonl"

struct train_journal;

/* Opens the file of a folder, or makes it, and keeps others from opening it so; the lock is a file
 * of its own beside it, ".lock". What stands behind the last whole line is cut off before anything
 * is added or taken out. The caller gives it to train_journal_close(); the name of the folder has
 * to outlive it. NULL and a sentence. */
struct train_journal *train_journal_open(const char *folder, char ret_error[TRAIN_ERROR_MAX]);
void train_journal_close(struct train_journal *journal); /* NULL is fine */

/* The lines that were there when it was opened. */
size_t train_journal_lines(const struct train_journal *journal);
const json_t *train_journal_line(const struct train_journal *journal, size_t index);

/* Leaves those lines in the file that keep[index] is true for, before any is added. All of the
 * others are gone or none is. TRAIN_OK, TRAIN_DISK or TRAIN_NO_MEMORY. */
enum train_status train_journal_keep(struct train_journal *journal, const bool *keep,
                                     char ret_error[TRAIN_ERROR_MAX]);

/* Adds a line; steals the reference, also on failure. TRAIN_OK, TRAIN_DISK or TRAIN_NO_MEMORY. */
enum train_status train_journal_add(struct train_journal *journal, json_t *line,
                                    char ret_error[TRAIN_ERROR_MAX]);
/* Makes all lines durable. TRAIN_OK or TRAIN_DISK. */
enum train_status train_journal_sync(struct train_journal *journal,
                                     char ret_error[TRAIN_ERROR_MAX]);

#endif
