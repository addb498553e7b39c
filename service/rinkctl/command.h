/* The commands of rinkctl: one row each, read by `rinkctl --help`, the reader of command lines
 * (options.h), the completions, and page.h. */
#ifndef RINKD_SERVICE_RINKCTL_COMMAND_H
#define RINKD_SERVICE_RINKCTL_COMMAND_H

#include "api/jobs/job_kinds.h"

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum exit_status {
    EXIT_GOOD = 0,
    EXIT_TROUBLE = 1, /* wrong usage, something failed here, or a watched job did not succeed */
    EXIT_REFUSED = 2, /* the server answered with an error */
    EXIT_NO_CONNECTION = 3, /* no answer came */
    EXIT_INTERRUPTED = 130  /* by a signal while watching a job, which goes on */
};

enum option_type {
    OPTION_TEXT,
    OPTION_WHOLE,  /* a whole number in least..most */
    OPTION_NUMBER, /* a finite number in decimal notation */
    OPTION_KIND    /* the name of a kind of job */
};

struct option_row {
    const char *name, *argument; /* argument NULL: a flag */
    const char *help;
    enum option_type type;
    int64_t least, most;
    const char *member;  /* the member of the body that it sets, a path with dots; NULL: none */
    const char *choices; /* all possible values, separated by blanks; NULL: any value */
    bool is_needed;
    const struct submit_option *field; /* of a spec (submit_options.h); else NULL */
};

/* The meaning of the words on a command line; a job or a run is required, unless it may be. */
enum word {
    NO_WORD,
    WORD_JOB,
    WORD_JOBS,
    WORD_MAYBE_JOBS,
    WORD_RUN,
    WORD_FILE,
    WORD_KIND,
    WORD_WEBHOOK,
    WORD_POSITION,
    WORD_GAME,
    WORD_NODE,
    WORD_URL,
    WORD_FOLDER
};

enum { GIVEN_MAX = 1000, NAME_MAX_BYTES = 256 };

struct client;
struct client_answer;
struct line;

/* Prints an answer for people. */
typedef void show_function(const struct line *line, const struct client_answer *answer);

struct command {
    const char *name;
    /* For its --help; the part after "\v" goes below the options. The first sentence is also in the
     * list of commands. */
    const char *about;
    enum word word;
    /* Calls the server, writes results to standard output and complaints to standard error. */
    enum exit_status (*run)(const struct line *line);
    const struct option_row *options; /* name NULL at the end; NULL: none */
    const char *words;                /* how --help shows several words, which are then allowed */
    /* Fills in the options and texts that depend on the command line. NULL: nothing to do. */
    void (*prepare)(struct line *line, int argc, char **argv);
    /* Ends the program if a word makes all that follows it unknown. NULL: nothing to do. */
    void (*look)(const struct line *line, int argc, char **argv);
    /* Checks the whole line, by argp_error(). NULL: nothing to do. */
    void (*check)(struct line *line, struct argp_state *state);
    const char *method, *path;    /* of its call (client.h) */
    double most_s;                /* time limit of the answer; 0: the usual one */
    const struct column *columns; /* of its document or its list */
    show_function *show;          /* instead of columns */
    const char *empty;            /* printed if the list is empty */
};

/* A command line as it was read. */
struct line {
    char name[NAME_MAX_BYTES]; /* "rinkctl jobs"; messages begin with it */
    const struct command *command;
    const struct option_row *options; /* those of the command */
    const char *about, *words;        /* for --help */
    const struct job_kind *kind;      /* of `submit KIND`; else NULL */
    struct {
        const struct option_row *row;
        const char *value; /* NULL: a flag */
    } given[GIVEN_MAX];    /* options in their order, those in front of the command too */
    int givens;
    const char *word[GIVEN_MAX];
    int word_count;
    json_t *body; /* what prepare() and check() made; owned by main() */
    struct client *client;
};

/* The commands of a file command_*.c; name NULL at the end. */
extern const struct command shot_commands[], skill_commands[], submit_commands[], watch_commands[],
    job_commands[], move_commands[], run_commands[], result_commands[], webhook_commands[],
    library_commands[], node_commands[], service_commands[], export_commands[], import_commands[];

/* The command with index 0, 1, …; NULL past the end. */
const struct command *command_at(int index);
/* NULL: there is no such command. */
const struct command *command_find(const char *name);

/* Prints a line for each command. */
void command_print_list(FILE *out);

/* `rinkctl complete`, which shell completions and the build of the manual page call. */
enum exit_status complete(int argc, char **argv);

#endif
