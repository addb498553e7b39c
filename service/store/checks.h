/* Checks: tasks of nodes that a second node does, too. Rows of `task_check`.
 *
 *     waiting ──► leased: another node does it ──► agreed
 *        ▲ │          │                       └──► disputed ──► settled: the daemon does it itself
 *        └─┼──────────┘ it failed, or its lease is over              ▲
 *          └─────────────────── no other node came ──────────────────┘
 *
 * It is dropped with the output that it is about when that is refused or the task is done again
 * (task_store_refuse(), task_store_redo()), and the next answer may be checked; an open one also
 * when nobody needs the task (task_store_drop()). Answers are hashes of all that does not tell time
 * (nodes/answer.h). */
#ifndef RINKD_SERVICE_STORE_CHECKS_H
#define RINKD_SERVICE_STORE_CHECKS_H

#include "service/store/tasks.h"

enum {
    CHECK_ANSWER_MAX = 65,
    CHECK_ATTEMPTS = 3,       /* of checkers; then it is dropped */
    CHECK_ALONE_MS = 60000,   /* without another node the daemon does it after that */
    CHECK_DOUBTED_MAX = 10000 /* jobs whose results are doubted at once */
};

struct check_new {
    int64_t job, number;
    const char *node, *answer;
    bool has_said; /* the answer covers all that was said of the run, too */
};
/* Adds a check of a task that a node has just done. A task that has one already keeps it, unless
 * that was dropped with an earlier output. */
enum api_error check_store_add(struct store *store, const struct check_new *check, int64_t now_ms);
/* Hands the first one to a node that did not do it, of jobs of these kinds. The claim is like that
 * of a task, without checkpoint. API_NOT_FOUND: none. */
enum api_error check_store_claim(struct store *store, const struct task_wish *wish, int64_t now_ms,
                                 int64_t lease_ms, struct job_claim *ret_claim, int64_t *ret_cores);

/* The try of a checker, by its token; API_NOT_FOUND. */
struct check_try {
    int64_t lines;
    bool is_leased, has_said;
    char checker[TASK_NODE_MAX], sha256[65]; /* of its file; "": none yet */
    char said[65];                           /* a hash over what it has said; "": nothing */
};
enum api_error check_store_try(struct store *store, const struct task_holder *holder,
                               struct check_try *ret_try);
/* Notes that it was heard, how many of its lines were taken, what they said, and its file. */
enum api_error check_store_beat(struct store *store, const struct task_holder *holder,
                                const struct check_try *try, int64_t now_ms, int64_t lease_ms);
/* Ends it with an answer. */
enum api_error check_store_answer(struct store *store, const struct task_holder *holder,
                                  const char *answer, int64_t now_ms);
/* Ends it without one: it waits for another node. */
enum api_error check_store_give_back(struct store *store, const struct task_holder *holder);
/* The same for all of a node, and for those whose lease is over; and lets the daemon do those that
 * no other node came for. */
enum api_error check_store_tidy(struct store *store, int64_t now_ms);
/* Gives back what the node checks, but those whose tokens are in the list. */
enum api_error check_store_keep(struct store *store, const char *node, const json_t *tokens);

/* The next one that the daemon has to do itself; API_NOT_FOUND: none. */
struct check_dispute {
    struct job_claim claim; /* free with job_claim_free() */
    char node[TASK_NODE_MAX], answer[CHECK_ANSWER_MAX];
    char checker[TASK_NODE_MAX], checker_answer[CHECK_ANSWER_MAX]; /* "": nobody */
    bool has_said;
};
enum api_error check_store_dispute(struct store *store, struct check_dispute *ret_dispute);
/* The number of disputes. */
enum api_error check_store_disputes(struct store *store, int64_t *ret_disputes);
/* Ends it; liar NULL: nobody, or it cannot be told. */
enum api_error check_store_settle(struct store *store, int64_t job, int64_t number,
                                  const char *liar, int64_t now_ms);
/* Does again what a node did in unfinished jobs and nobody has confirmed: the tasks wait again, and
 * with them all that were merged after the first of them. `ret_jobs`: those jobs, whose leads have
 * to start anew, and files of them that have to be deleted before the commit (tasks.h):
 * [{"job": id, "files": [name]}], the caller's. Results that are out stay. The history of both
 * kinds of jobs tells what was found (events "redone" and "doubted"), of the last CHECK_DOUBTED_MAX
 * of the latter. */
enum api_error check_store_redo(struct store *store, const char *node, int64_t now_ms,
                                json_t **ret_jobs);

/* Checks that wait or go on, and those that agreed. */
enum api_error check_store_counts(struct store *store, int64_t *ret_open, int64_t *ret_agreed);

#endif
