/* The daemon's part of a job in tasks (api/jobs/wire.h), for tests of the worker programs: starts
 * the lead and the tasks, keeps what they say, and kills them at random. */
#ifndef RINKD_TESTS_PROGRAMS_TASK_DAEMON_H
#define RINKD_TESTS_PROGRAMS_TASK_DAEMON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct task_daemon {
    /* Set by the test. */
    const char *program, *kind;
    json_t *spec, *runs; /* of the job; borrowed */
    const char *folder;
    int hands;
    bool far;           /* each try of a task has a folder of its own, as on another machine */
    unsigned int seed;  /* of all chance */
    double kill_share;  /* chance of a kill after each line that a process says */
    int kills_most;     /* no kill after so many */
    int64_t lies_after; /* after so many tasks are done, half of the merged ones were lies; 0: no */
    int spoils_most;    /* outputs of the first tries of so many tasks are made unsound */
    int64_t cancel_after, drain_after; /* end it so after that many tasks are done; 0: not */
    int64_t cancel_lines; /* cancel it when each hand has a task that said that many lines; 0: no */
    int64_t fails;        /* the number of a task that fails for good; 0: none */
    json_t *checkpoint;   /* of the job, when the lead starts; NULL: none. Owned. */

    /* What was said. */
    json_t *result, *partial; /* of the lead */
    bool cancelled, released;
    char code[64], detail[1024]; /* of its failure */
    json_t *metrics;             /* {"RUN NAME STEP": VALUE} */
    json_t *models;              /* {"RUN NAME STEP": SHA256} */
    int kills, kills_of_leads;
    int spared;           /* lines after which nobody was killed, or just now */
    int64_t lies_from;    /* the first of these lies; 0: none yet */
    int spoils, refusals; /* outputs made unsound, and refused by a lead */
    int64_t dropped;      /* tasks that the lead needed no more */
    int64_t offered, done, largest, most_open; /* tasks; units of the largest; open at a time */

    struct task_book *book;
};

/* Runs the job to its end. The caller calls task_daemon_free(). */
void task_daemon_run(struct task_daemon *daemon);
void task_daemon_free(struct task_daemon *daemon);

/* Runs a job without tasks, as the daemon did before there were any; the same members are set.
 * drain_after is the number of lines after which it is drained. */
void task_daemon_run_whole(struct task_daemon *daemon);

/* Returns the contents of a file with the numbers of "cpu_s" and "elapsed_s" replaced; the caller
 * frees it. */
char *task_daemon_timeless(const char *folder, const char *name);

#endif
