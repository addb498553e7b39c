/* Strict reading of option values, the same in all programs: a value that is malformed or out of
 * range ends the program with a message that names the option, and argp's exit status for wrong
 * usage. */
#ifndef RINKD_WORKERS_OPTION_VALUES_H
#define RINKD_WORKERS_OPTION_VALUES_H

#include "models/tables/profiles.h"

#include <argp.h>
#include <stdint.h>

/* A whole number in least..most: decimal digits only. */
uint64_t option_whole(struct argp_state *state, const char *name, const char *text, uint64_t least,
                      uint64_t most);

/* A finite number in least..most in decimal notation. */
double option_number(struct argp_state *state, const char *name, const char *text, double least,
                     double most);

/* A kind of noise by its name, for --noise. */
enum ice_noise option_noise(struct argp_state *state, const char *text);

/* For argp's help_filter: in texts of --help {profiles}, {ices}, {noises} and
 * {architectures} become the names that
 * there are; profiles are those that two teams can play. */
char *option_help(int key, const char *text, void *input);

/* Processors that this process may use, 1..most: the usual number of threads. */
int option_processors(int most);

#endif
