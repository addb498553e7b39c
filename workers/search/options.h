/* The command line of rink-search. */
#ifndef RINKD_WORKERS_SEARCH_OPTIONS_H
#define RINKD_WORKERS_SEARCH_OPTIONS_H

#include <stdbool.h>

/* The player of a query that names none. */
#define OPTIONS_DEFAULT_PLAYER "rink"

struct options {
    const char *player; /* spec of the default player, already checked */
    int threads;
    int report_interval_ms; /* 0: no partial answers */
    bool stdio;             /* many queries, one per line */
    bool list_players, json;
    const char *file; /* NULL: stdin */
};

/* Reads the command line. --help, --version and mistakes end the program (status 0, 0 and 1). The
 * strings belong to argv. */
struct options options_read(int argc, char **argv);

#endif
