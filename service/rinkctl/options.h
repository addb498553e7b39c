/* Command lines: common options, and a reader that follows a table. A mistake ends the program with
 * EXIT_TROUBLE and a message that names the option. */
#ifndef RINKD_SERVICE_RINKCTL_OPTIONS_H
#define RINKD_SERVICE_RINKCTL_OPTIONS_H

#include "service/rinkctl/command.h"

#include <argp.h>
#include <jansson.h>
#include <stdint.h>

/* Reads --server, --token-file, --retries, --json. A child of each command's parser; its input is
 * the struct common. */
extern const struct argp common_argp;

enum { OPTIONS_MAX = 8, WORDS_MAX = 1000 };

struct option_row {
    const char *name, *argument; /* argument NULL: a flag */
    const char *help;
    int group;           /* group of the help text */
    int64_t least, most; /* if least < most, the value is a whole number in that range */
};

/* The meaning of the words on a command line; a job or a run is required. */
enum word { NO_WORD, WORD_JOB, WORD_RUN, WORD_FILE };

struct command_line {
    const char *about;
    const struct option_row *options; /* OPTIONS_MAX at most, name NULL at the end; NULL: none */
    enum word word;
    const char *more_words; /* how --help shows further words; NULL: one word at most */
};

struct arguments {
    const char *option[OPTIONS_MAX]; /* in the order of their rows; NULL: not given; a flag: "" */
    const char *word[WORDS_MAX];
    int words;
};

void options_read(const struct command_line *line, int argc, char **argv, struct common *common,
                  struct arguments *ret_arguments);

/* Reads a whole number in least..most. */
int64_t option_whole(struct argp_state *state, const char *name, const char *text, int64_t least,
                     int64_t most);

/* Reads a finite number in decimal notation. */
double option_number(struct argp_state *state, const char *name, const char *text);

/* Reads JSON from a file; "-" is standard input. The caller owns it; NULL after a complaint. */
json_t *options_read_json(const char *command, const char *path);

#endif
