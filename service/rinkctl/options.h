/* Command lines: what all commands share, and strict values. Mistakes end the program with a
 * message that names the option, and EXIT_TROUBLE. */
#ifndef RINKD_SERVICE_RINKCTL_OPTIONS_H
#define RINKD_SERVICE_RINKCTL_OPTIONS_H

#include "service/rinkctl/command.h"

#include <argp.h>
#include <jansson.h>
#include <stdint.h>

/* --server, --token-file, --retries, --json. A child of each command's parser; its input is the
 * struct common. */
extern const struct argp common_argp;

/* For commands without options of their own: their one argument, NULL with NO_WORD. */
enum word { NO_WORD, WORD_JOB, WORD_RUN };
const char *options_word(int argc, char **argv, struct common *common, enum word word,
                         const char *about);

/* A whole number in least..most. */
int64_t option_whole(struct argp_state *state, const char *name, const char *text, int64_t least,
                     int64_t most);

/* A finite number in decimal notation. */
double option_number(struct argp_state *state, const char *name, const char *text);

/* The number of a job, for paths: the same text. */
const char *option_job(struct argp_state *state, const char *text);

/* A file of JSON, "-" is standard input; complains and returns NULL if it is none. The caller's. */
json_t *options_read_json(const char *command, const char *path);

#endif
