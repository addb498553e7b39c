/* Command lines as tables: a row names an option, its value and the field it fills. One parser
 * reads all tables, strictly, and writes --help. */
#ifndef RINKD_WORKERS_OPTIONS_H
#define RINKD_WORKERS_OPTIONS_H

#include "api/fields/job_fields.h"
#include "models/tables/profiles.h"

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,   /* bool: becomes true */
    OPTION_INT,    /* int, least … most */
    OPTION_INT64,  /* int64_t, likewise */
    OPTION_UINT64, /* uint64_t, likewise */
    OPTION_NUMBER, /* double, least_number … most_number, stored times `unit` */
    OPTION_TEXT,   /* const char *, borrowed from argv */
    OPTION_READ    /* `read` stores it; reports mistakes with argp_error() */
};

struct option_row {
    const char *name;  /* NULL ends a table */
    char letter;       /* '\0': no short form */
    const char *value; /* the value's name in --help; NULL: it has none */
    enum option_kind kind;
    size_t offset; /* of the field in the table's target */
    uint64_t least, most;
    double least_number, most_number, unit;
    void (*read)(struct argp_state *state, const char *text, void *field);
    int group;         /* of --help */
    const char *about; /* "{default}" stands for the value of the field at the start */
};

/* Rows that fill one struct. */
struct option_table {
    const struct option_row *rows;
    void *target;
    /* Completes and checks the target after the last option, with argp_error(). May be NULL. */
    void (*finish)(struct argp_state *state, void *target);
    /* The fields of a kind of job (api/jobs/job_kinds.h). A number with the name of a field, also
     * of one in an object, and no range of its own takes range, default and help from the field.
     * NULL: none. */
    const struct field *fields;
};

enum { OPTION_TABLES_MAX = 4, OPTION_ROWS_MAX = 64, OPTION_ABOUT_MAX = 160 };

struct option_parser {
    const char *about;                             /* text of --help; '\v' as in argp */
    struct option_table tables[OPTION_TABLES_MAX]; /* the unused ones are zero */
    /* Destination of words that are not options. A program that reads one FILE sets `file` ("-" is
     * standard input, stored as NULL); others set `argument`. Without either such words are
     * mistakes. */
    const char **file;
    const char *arguments; /* their name in --help */
    void (*argument)(struct argp_state *state, const char *text, void *context);
    void *context;
};

/* Reads a command line. Mistakes, --help and --version end the program (status 1, 0 and 0). False
 * when argp has no memory. */
bool options_parse(const struct option_parser *parser, int argc, char **argv);

/* Reads a whole number in least..most: decimal digits only. */
uint64_t option_whole(struct argp_state *state, const char *name, const char *text, uint64_t least,
                      uint64_t most);

/* Reads a finite number in least..most in decimal notation. */
double option_number(struct argp_state *state, const char *name, const char *text, double least,
                     double most);

/* Finds a kind of noise by its name, for --noise. */
enum ice_noise option_noise(struct argp_state *state, const char *text);

/* For argp's help_filter: replaces {profiles}, {ices}, {noises} and {architectures} in texts of
 * --help by the existing names. Profiles are those that two teams can play. */
char *option_help(int key, const char *text, void *input);

/* Returns the number of processors that this process may use, 1..most: the default number of
 * threads. */
int option_processors(int most);

#endif
