/* Reads command lines. A mistake ends the program with EXIT_TROUBLE and a message that names the
 * option. */
#ifndef RINKD_SERVICE_RINKCTL_OPTIONS_H
#define RINKD_SERVICE_RINKCTL_OPTIONS_H

#include "service/rinkctl/command.h"

#include <jansson.h>

/* --address, --token-file, --ca-file, --retries and --json, which every command takes. */
extern const struct option_row common_options[];
#define OPTION_RETRIES 5 /* --retries if not given */

/* Reads the options and words of line->command; line->name is the program's name in messages. */
void options_read(struct line *line, int argc, char **argv);

/* Reads options up to the first word that is neither an option nor the value of one, and returns
 * the index of that word in argv, 0 if there is none. With ARGP_SILENT in the flags, mistakes are
 * no reason to complain. */
int options_find_word(struct line *line, int argc, char **argv, unsigned flags);

/* The value of an option, NULL if it was not given; the last one counts. */
const char *option_text(const struct line *line, const char *name);
/* Whether an option or a flag was given. */
bool option_given(const struct line *line, const char *name);

/* The value of an option of that type as JSON; true for a flag. */
json_t *option_json(enum option_type type, const char *text);

/* Complains unless the text is a number of that type. */
void option_check(struct argp_state *state, const struct option_row *row, const char *text);

/* Sets the members of a body that the options given on the line name (option_row.member). */
void options_set_members(const struct line *line, json_t *body);

/* The values of an option that may be repeated, as an array of texts; NULL: it was not given, or
 * memory is short. */
json_t *options_values(const struct line *line, const char *name);

/* Reads JSON from a file; "-" is standard input. The caller owns it; NULL after a complaint. */
json_t *options_read_json(const char *command, const char *path);

#endif
