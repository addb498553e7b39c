/* Running rinkctl, and looking at what it says. */
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

/* From now on it asks the server at this port. */
void use_port(int port);

/* Runs it with these words and a standard input. For program_free(). */
struct program_run rinkctl(const char *const words[WORDS_MAX], const char *input);

void assert_has(const char *text, const char *part);

/* Runs it; the exit status has to be this, and the parts (NULL: any) have to be in its output and
 * among its complaints. */
void expect(const char *const words[WORDS_MAX], int status, const char *output, const char *errors);

/* Runs it; what it writes, which has to be JSON, for the caller. */
json_t *json_of(const char *const words[WORDS_MAX], const char *input);

#endif
