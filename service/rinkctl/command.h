/* The commands of rinkctl. Each reads its own command line, calls the server, writes results to
 * standard output and complaints to standard error, and returns the exit status. */
#ifndef RINKD_SERVICE_RINKCTL_COMMAND_H
#define RINKD_SERVICE_RINKCTL_COMMAND_H

enum exit_status {
    EXIT_GOOD = 0,
    EXIT_TROUBLE = 1, /* wrong usage, something failed here, or a watched job did not succeed */
    EXIT_REFUSED = 2, /* the server answered with an error */
    EXIT_NO_CONNECTION = 3, /* no answer came */
    EXIT_INTERRUPTED = 130  /* by a signal while watching a job, which goes on */
};

/* The options that every command takes; options.c reads them. */
struct common {
    const char *server;     /* NULL: RINKCTL_SERVER, else http://127.0.0.1:8080 */
    const char *token_file; /* NULL: RINKCTL_TOKEN, else none */
    int retries;            /* how often a POST is sent again */
    int json;               /* prints answers as they are */
};

/* argv[0] is "rinkctl COMMAND"; messages begin with it. */
typedef enum exit_status command_function(int argc, char **argv, struct common *common);

/* Commands with code of their own, in command_*.c. */
command_function command_shot, command_submit, command_watch, command_complete, command_jobs,
    command_log, command_metrics, command_elo, command_status;

/* Commands that are rows of data: list.h, page.h, command_jobs.c. */
extern const struct list runs_list, matches_list, players_list, profiles_list, models_list;
extern const struct page job_page, run_page, backup_page;
extern const struct move cancel_move, pause_move, resume_move, kick_move, delete_move;

/* Reads the command line (--reason and numbers of jobs), moves all these jobs and prints how it
 * went. Returns the status of the first one that failed. */
enum exit_status move_command(const struct move *move, int argc, char **argv,
                              struct common *common);

#endif
