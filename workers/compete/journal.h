/* The log of a conversation: JSON Lines, one for each thing that was heard, said or decided. It is
 * complete enough to repeat every decision (rink-compete(1) describes the lines). */
#ifndef RINKD_WORKERS_COMPETE_JOURNAL_H
#define RINKD_WORKERS_COMPETE_JOURNAL_H

#include "workers/compete/talk.h"
#include "workers/match_clock.h"

struct journal;

/* Creates the file, which must not exist yet. NULL, see errno. */
struct journal *journal_open(const char *path);
void journal_close(struct journal *journal);

/* Write a line each. A line that cannot be written is told once on standard error and does not stop
 * the game. `journal` NULL: nothing is kept. */
void journal_heard(struct journal *journal, const struct heard *heard);
void journal_said(struct journal *journal, const struct saying *saying);
void journal_thought(struct journal *journal, const struct situation *situation,
                     const struct clock_plan *plan, const struct decision *decision);
void journal_note(struct journal *journal, const char *text);
/* {KIND: value}; takes ownership of the value. */
void journal_write(struct journal *journal, const char *kind, json_t *value);

/* A text as it can be written in JSON: a copy, with '?' for what is not UTF-8; free it. */
char *journal_plain(const char *text, size_t length);

#endif
