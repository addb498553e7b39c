/* Stores what a lead says of its tasks, and what the worker of a task says; for notes.c. */
#ifndef RINKD_SERVICE_JOBS_TASK_NOTES_H
#define RINKD_SERVICE_JOBS_TASK_NOTES_H

#include "service/jobs/note.h"

/* --- from a lead --- */

/* Adds the tasks. API_BAD_FIELD: one does not follow the last one, or differs. */
enum api_error lead_note_tasks(const struct note_keeper *keeper,
                               const struct wire_message *message);
/* Their files are no longer needed. API_BAD_FIELD: one of them is not done. */
enum api_error lead_note_merged(const struct note_keeper *keeper,
                                const struct wire_message *message);
/* The output of a task is unsound: it is done again or has failed, which the lead then hears.
 * API_BAD_FIELD: there is no such task, or it is merged. */
enum api_error lead_note_refused(const struct note_keeper *keeper,
                                 const struct wire_message *message);
/* Nobody needs the tasks that are left. API_BAD_FIELD: there is no such task. */
enum api_error lead_note_dropped(const struct note_keeper *keeper,
                                 const struct wire_message *message);

/* --- from the worker of a task --- */

enum api_error task_note_checkpoint(const struct note_keeper *keeper, const char *checkpoint_json);
/* Keeps its output or last word, and tells the lead what it has to know of the latter.
 * API_BAD_FIELD: its file is not there or has another task's name, or a task does not say such a
 * thing. */
enum api_error task_note_keep(const struct note_keeper *keeper, const struct note *note);

/* --- to a lead --- */

/* Appends the line that tells how far a task is (NAN: not known); news: an array. False: no memory.
 */
bool task_news_running(json_t *news, int64_t number, double progress, double eta_s);

#endif
