/* The real daemon for tests: on any free port (or RINKD_TEST_LISTEN from the environment), with its
 * data in a temporary folder. An error of the test itself ends it. */
#ifndef RINKD_TESTS_API_DAEMON_H
#define RINKD_TESTS_API_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct daemon_process {
    pid_t pid; /* 0: not running */
    int port;
    char folder[64];   /* the test's own; gone after daemon_remove() */
    char data[80];     /* the daemon's data, in folder */
    char programs[80]; /* links to the worker programs, in folder */
    char log[80];      /* the daemon's standard error, in folder */
};

/* Makes the folder. */
void daemon_prepare(struct daemon_process *daemon);
/* Starts rinkd with further flags (NULL-terminated; NULL: none) and waits for its first line.
 * Returns false if it exited instead, with its exit status in *ret_status. */
bool daemon_start(struct daemon_process *daemon, const char *const *flags, int *ret_status);
/* The same; the test fails, with the log on stderr, if it exited. */
void daemon_start_well(struct daemon_process *daemon, const char *const *flags);
/* Waits until /readyz reports ready. */
void daemon_wait_ready(const struct daemon_process *daemon);
/* Sends the signal and waits. Returns the exit status, or 128 + signal. */
int daemon_end(struct daemon_process *daemon, int signal);
/* Adds a checkpoint of step 1 with these bytes to the first run directly in the database: no worker
 * here makes one. */
void daemon_add_checkpoint(const struct daemon_process *daemon, const char *bytes);
/* Runs SQL beside the daemon. */
void daemon_change_database(const struct daemon_process *daemon, const char *sql);
/* Makes the database larger by this many MiB, bypassing the service. */
void daemon_add_ballast(const struct daemon_process *daemon, int mib);
/* Leaves no room in any webhook for another delivery, bypassing the service. */
void daemon_fill_webhooks(const struct daemon_process *daemon);
/* Locks the database: the service can still read but not write, and retries for 5 s. End it with
 * daemon_unlock(). */
struct sqlite3 *daemon_lock(const struct daemon_process *daemon);
void daemon_unlock(struct sqlite3 *lock);
/* Adds a job, kills each worker that takes it, and returns its id once it is buried. */
int64_t daemon_bury_job(const struct daemon_process *daemon);
/* Returns the resident memory of the daemon, KiB. */
long daemon_resident_kb(const struct daemon_process *daemon);
/* Returns the whole log, malloc'ed. */
char *daemon_log(const struct daemon_process *daemon);
/* Kills the daemon if it runs and removes the folder. */
void daemon_remove(struct daemon_process *daemon);
/* Ends the daemon by SIGTERM and removes the folder. Returns false, with the log on stderr, unless
 * it exits with 0: a sanitizer may have found something. */
bool daemon_end_well(struct daemon_process *daemon);

/* The single daemon of a test program, and fixtures for it; they set *state to its address. One
 * pair prepares and removes it, the other also starts it, waits until ready, and ends it well. */
extern struct daemon_process daemon_here;
int daemon_prepare_here(void **state);
int daemon_remove_here(void **state);
int daemon_start_here(void **state);
int daemon_end_here(void **state);

#endif
