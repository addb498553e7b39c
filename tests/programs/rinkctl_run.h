/* Runs rinkctl and checks its output. */
#ifndef RINKD_TESTS_PROGRAMS_RINKCTL_RUN_H
#define RINKD_TESTS_PROGRAMS_RINKCTL_RUN_H

#include "tests/programs/program.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS_MAX = 24 };

#define WORDS(...) ((const char *const[WORDS_MAX]){__VA_ARGS__})

/* Makes rinkctl use the server at this port from now on. */
void use_port(int port);

/* Runs rinkctl with these arguments and a standard input. Free the run with program_free(). */
struct program_run rinkctl(const char *const words[WORDS_MAX], const char *input);

void assert_has(const char *text, const char *part);

/* Runs rinkctl and checks the exit status, and that standard output and standard error contain the
 * parts (NULL: any). */
void expect(const char *const words[WORDS_MAX], int status, const char *output, const char *errors);

/* Runs rinkctl and returns its output, which must be JSON; the caller frees it. */
json_t *json_of(const char *const words[WORDS_MAX], const char *input);

#endif
