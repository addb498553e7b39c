/* The commands of rinkctl. Each reads its own command line, asks the server, writes what it learned
 * to standard output and complaints to standard error, and returns the exit status. */
#ifndef RINKD_SERVICE_RINKCTL_COMMAND_H
#define RINKD_SERVICE_RINKCTL_COMMAND_H

enum exit_status {
    EXIT_GOOD = 0,
    EXIT_TROUBLE = 1, /* wrong usage, something failed here, or a watched job did not succeed */
    EXIT_REFUSED = 2, /* the server answered with an error */
    EXIT_NO_CONNECTION = 3, /* there was no answer */
    EXIT_INTERRUPTED = 130  /* by a signal while it watched a job, which goes on */
};

/* What every command takes; options.c reads it. */
struct common {
    const char *server;     /* NULL: RINKCTL_SERVER, else http://127.0.0.1:8080 */
    const char *token_file; /* NULL: RINKCTL_TOKEN, else none */
    int retries;            /* times that a POST is sent again */
    int json;               /* answers as they are */
};

/* argv[0] is "rinkctl COMMAND", what messages begin with. */
typedef enum exit_status command_function(int argc, char **argv, struct common *common);

/* command_shot.c, command_submit.c, command_watch.c */
command_function command_shot, command_submit, command_watch;
/* command_complete.c */
command_function command_complete;
/* command_jobs.c */
command_function command_jobs, command_job, command_log, command_cancel, command_pause,
    command_resume, command_kick, command_delete;
/* command_runs.c */
command_function command_runs, command_run, command_metrics;
/* command_results.c */
command_function command_elo, command_matches, command_players, command_profiles, command_models;
/* command_status.c */
command_function command_status, command_backup;

#endif
