/* Command lines as tables: a row names an option, its value and the field that it fills; one parser
 * reads them all, strictly, and writes --help. */
#ifndef RINKD_WORKERS_OPTIONS_H
#define RINKD_WORKERS_OPTIONS_H

#include "api/job_fields.h"
#include "workers/option_values.h"

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
    const char *value; /* what --help calls the value; NULL: it has none */
    enum option_kind kind;
    size_t offset; /* of the field in the table's target */
    uint64_t least, most;
    double least_number, most_number, unit;
    void (*read)(struct argp_state *state, const char *text, void *field);
    int group; /* of --help */
    const char *about;
};

/* Rows that fill one struct. */
struct option_table {
    const struct option_row *rows;
    void *target;
    /* Completes and checks the target after the last option, with argp_error(). May be NULL. */
    void (*finish)(struct argp_state *state, void *target);
    /* The fields of a kind of job (api/job_kinds.h). A whole number with the name of a field and no
     * range of its own takes range, default and help from the field. NULL: none. */
    const struct field *fields;
};

enum { OPTION_TABLES_MAX = 4, OPTION_ROWS_MAX = 64, OPTION_ABOUT_MAX = 160 };

struct option_parser {
    const char *about;                             /* text of --help; '\v' as argp has it */
    struct option_table tables[OPTION_TABLES_MAX]; /* the unused ones are zero */
    /* Words that are not options: those of a program that reads one FILE ("-": standard input,
     * which is NULL) go to *file, those of others to `argument`. Without either they are mistakes.
     */
    const char **file;
    const char *arguments; /* what --help calls them */
    void (*argument)(struct argp_state *state, const char *text, void *context);
    void *context;
};

/* Reads a command line. Mistakes, --help and --version end the program (status 1, 0 and 0). False
 * when argp has no memory. */
bool options_parse(const struct option_parser *parser, int argc, char **argv);

#endif
