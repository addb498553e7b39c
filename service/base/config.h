/* Configuration: a JSON file, environment variables RINKD_…, flags; later ones win. One table in
 * config.c has all settings with name, flag, variable, range and help. */
#ifndef RINKD_SERVICE_BASE_CONFIG_H
#define RINKD_SERVICE_BASE_CONFIG_H

#include "service/base/keep.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The rights of a token, as bits. Routes name those of which one is enough. */
enum scope {
    SCOPE_NONE = 0,  /* open to all */
    SCOPE_READ = 1,  /* sees what all callers have here */
    SCOPE_QUERY = 2, /* asks for shots, and sees its own */
    SCOPE_TRAIN = 4, /* adds jobs; includes reading */
    SCOPE_ADMIN = 8, /* includes reading */
    SCOPE_WORK = 16, /* nodes: they get tasks and send what came of them */
    SCOPE_QUERY_OR_READ = SCOPE_QUERY | SCOPE_READ,
    SCOPE_ANY = SCOPE_READ | SCOPE_QUERY | SCOPE_TRAIN | SCOPE_ADMIN | SCOPE_WORK
};

enum { CONFIG_TOKENS_MAX = 64, CONFIG_NAME_MAX = 64 };

/* What a caller may have in the queue; 0: no limit. */
struct config_limits {
    int64_t jobs;  /* jobs that wait */
    int64_t bytes; /* of their specs */
    int64_t cores; /* that its running jobs occupy together */
};

/* One line of the tokens file. Lines with the same name are tokens of one caller and have the same
 * limits. */
struct config_token {
    char name[CONFIG_NAME_MAX];
    unsigned char sha256[32];
    unsigned scopes;    /* enum scope bits */
    int64_t expires_ms; /* refused from then on, milliseconds since 1970; 0: never */
    struct config_limits limits;
};

enum config_log_format { LOG_HUMAN, LOG_JSON };

struct config {
    char data[4096];        /* folder; made if missing */
    bool adopts;            /* files of another database are moved aside, not refused */
    char address[64];       /* "127.0.0.1" */
    int port;               /* 0: any free one */
    char base_path[128];    /* "/rinkd": addresses told to clients begin with it; "": none */
    char programs[4096];    /* folder of rink-search and the other programs; default: rinkd's own */
    int workers;            /* jobs at a time; default: processors, at least 1 */
    int hosted_games;       /* jobs of kinds that are hosted, beside those */
    int lease_ms;           /* a worker silent for longer is ended */
    int node_lease_ms;      /* the tasks of a node silent for longer go to others */
    int check_percent;      /* of the tasks of nodes that another node does, too */
    int blobs_mib_max;      /* that a caller may have sent and that have not gone; 0: no limit */
    int search_processes;   /* warm ones; default: half the processors, at least 1 */
    int search_threads;     /* threads of each; default 1 */
    int search_waiting_max; /* queries that may wait */
    int search_max_ms;      /* thinking time of a query; 0: no limit */
    int connections_max;
    int requests_per_s;    /* limit for each caller; 0: no limit */
    char player[512];      /* plays when a query names no player */
    int log_format;        /* enum config_log_format */
    int log_level;         /* 0 errors … 3 debug */
    int webhook_addresses; /* enum webhook_addresses: where messages may go */
    int drain_ms;          /* time for workers to save when the daemon ends */
    struct keep keep_jobs, keep_replays, keep_backups;
    int backup_every_h;                        /* 0: never */
    char tls_certificate[4096], tls_key[4096]; /* PEM; "": without TLS */
    int slurm_max, slurm_min;                  /* pilots; slurm_max 0: no placement by Slurm */
    int slurm_cores;                           /* of each */
    int slurm_memory_mb;                       /* 0: as Slurm gives by default */
    int slurm_time_min;                        /* limit of each */
    int slurm_idle_s;                          /* a pilot without work ends after it */
    char slurm_options[1024];                  /* more options of sbatch, separated by blanks */
    char slurm_node[1024];                     /* the command that starts a node */
    char tokens_file[4096];                    /* "": none */
    struct config_token tokens[CONFIG_TOKENS_MAX];
    int token_count; /* 0: no tokens; everybody may do everything, but only over loopback */
};

enum config_action {
    CONFIG_RUN,
    CONFIG_CHECK,        /* --check-config: check that rinkd would start, then config_print() */
    CONFIG_HEALTH_CHECK, /* --healthcheck; the tokens are not read */
    CONFIG_DONE,         /* --new-token has printed its token */
    CONFIG_FAILED
};

/* Reads file, environment and flags. Errors go to stderr and name the file, variable or flag. A
 * public address without a token is an error. */
enum config_action config_read(int argc, char **argv, struct config *ret_config);

/* Logs each variable of the environment that begins with RINKD_, in any case, and is no setting: it
 * may be misspelt, or for another version. */
void config_log_unknown(void);

/* Reads all of it again while the daemon runs. False: something is wrong, and the log says what.
 * Tokens and the log's settings may change at any time; the log names other settings that differ
 * from the running ones. */
bool config_read_again(int argc, char **argv, const struct config *running,
                       struct config *ret_config);

/* "127.0.0.1:8080", "[::1]:8080" */
enum { CONFIG_LISTEN_MAX = 96 };
void config_listen_text(const char *address, int port, char ret_text[CONFIG_LISTEN_MAX]);

/* Prints all settings as JSON to stdout. */
void config_print(const struct config *config);

/* Shows a token, without its hash: {"name","scopes":[…],"expires_at":null|"…","limits":{"jobs",
 * "bytes","cores"}}, where a limit is null if there is none. */
json_t *config_token_json(const struct config_token *token);
json_t *config_scopes_json(unsigned scopes);
json_t *config_limits_json(const struct config_limits *limits);

enum { CONFIG_SCOPES_TEXT_MAX = 64 };

/* Writes the names of these scopes, "query or read". */
void config_scopes_write(unsigned scopes, char ret_text[CONFIG_SCOPES_TEXT_MAX]);

/* The scopes with those that they include. */
unsigned config_scopes_whole(unsigned scopes);

/* Reads names of scopes, separated by commas, into bits. False: a scope is unknown. */
bool config_scopes_read(const char *text, unsigned *ret_scopes);

/* Finds the row of a token in constant time; NULL: not a token. */
const struct config_token *config_token_find(const struct config_token *tokens, int count,
                                             const char *text);

#endif
