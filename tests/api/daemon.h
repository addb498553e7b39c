/* The real daemon for tests: on any free port (or RINKD_TEST_LISTEN of the environment), with its
 * data in a temporary folder. Failures of the test's own making end it. */
#ifndef RINKD_TESTS_API_DAEMON_H
#define RINKD_TESTS_API_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct daemon_process {
    pid_t pid; /* 0: it does not run */
    int port;
    char folder[64];   /* of the test; gone after daemon_remove() */
    char data[80];     /* in it, the daemon's */
    char programs[80]; /* in it, links to the worker programs */
    char log[80];      /* in it, the daemon's standard error */
};

/* Makes the folder. */
void daemon_prepare(struct daemon_process *daemon);
/* Starts rinkd with further flags (NULL at the end; NULL: none) and waits for its first line. False
 * when it ended instead; then *ret_status is its exit status. */
bool daemon_start(struct daemon_process *daemon, const char *const *flags, int *ret_status);
/* Waits until /readyz says so. */
void daemon_wait_ready(const struct daemon_process *daemon);
/* Sends the signal and waits. Returns the exit status, or 128 + signal. */
int daemon_end(struct daemon_process *daemon, int signal);
/* Puts a checkpoint of step 1 with these bytes into the first run, past the service: there is no
 * worker here that makes one. */
void daemon_add_checkpoint(const struct daemon_process *daemon, const char *bytes);
/* Makes the database larger by so many MiB, past the service. */
void daemon_add_ballast(const struct daemon_process *daemon, int mib);
/* From here on the service cannot write anything down, though it reads on; it tries for 5 s. Ended
 * by daemon_unlock(). */
struct sqlite3 *daemon_lock(const struct daemon_process *daemon);
void daemon_unlock(struct sqlite3 *lock);
/* Adds a job, kills each worker that takes it, and returns its id when it is buried. */
int64_t daemon_bury_job(const struct daemon_process *daemon);
/* The whole log, malloc'ed. */
char *daemon_log(const struct daemon_process *daemon);
/* Kills it if it runs and removes the folder. */
void daemon_remove(struct daemon_process *daemon);
/* Ends it by SIGTERM and removes the folder. False, with the log on stderr, unless it ended with 0:
 * a sanitizer may have found something. */
bool daemon_end_well(struct daemon_process *daemon);

/* The one daemon of a program of tests, and fixtures for it: prepared and removed, *state is its
 * address then; or also started, ready, and ended well. */
extern struct daemon_process daemon_here;
int daemon_prepare_here(void **state);
int daemon_remove_here(void **state);
int daemon_start_here(void **state);
int daemon_end_here(void **state);

#endif
