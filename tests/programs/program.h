/* Runs a program as a user does: with arguments and a standard input; captures its output and exit
 * status. */
#ifndef RINKD_TESTS_PROGRAMS_PROGRAM_H
#define RINKD_TESTS_PROGRAMS_PROGRAM_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct program_run {
    int status;   /* exit status, or 128 + signal */
    char *output; /* all of standard output, 0-terminated */
    size_t length;
    char *errors; /* all of standard error, 0-terminated */
};

/* Runs argv[0] to its end with the given bytes as standard input (a file). An error of the test
 * itself ends it. Free the run with program_free(). */
struct program_run program_run(const char *const *argv, const char *input, size_t input_length);

void program_free(struct program_run *run);

/* A program whose standard input and output are pipes to the test. */
struct program_talk {
    pid_t pid;
    FILE *to, *from;
};

struct program_talk program_start(const char *const *argv);

/* Closes the pipes and waits. Returns the exit status, or 128 + signal. */
int program_finish(struct program_talk *talk);

/* Fixtures: *state is the path of a new folder for the test. */
int program_make_folder(void **state);
int program_remove_folder(void **state);

#endif
