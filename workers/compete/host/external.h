/* A program of somebody else that plays on a host as a client: what the administrator says of it in
 * the file external/NAME.json of the data folder.
 *
 *   {"protocol":"dc3","command":["/opt/x/client","{host}","{port}"],"folder":"/opt/x",
 *    "memory_mb":2048,"cpu_s":600,"start_s":60,"time_s":219}
 *
 * Names come from jobs, so from outside; they only choose among the files. */
#ifndef RINKD_WORKERS_COMPETE_HOST_EXTERNAL_H
#define RINKD_WORKERS_COMPETE_HOST_EXTERNAL_H

#include "workers/compete/talk.h"

#include <jansson.h>
#include <sys/types.h>

enum { EXTERNAL_WORDS_MAX = 32, EXTERNAL_WORD_MAX = 512, EXTERNAL_WHY_MAX = 320 };
/* Bytes of each file that it writes, also of what it says: one that talks for ever fills no disk.
 */
enum { EXTERNAL_FILE_MAX = 64 << 20 };

struct external {
    char name[64];
    const struct protocol *protocol;
    const char *word[EXTERNAL_WORDS_MAX]; /* of the command, in `document` */
    int words;
    const char *folder; /* where it runs; NULL: in that of the game */
    int64_t memory_mb;  /* address space; 0: no limit */
    int64_t cpu_s;      /* processor time of a game; 0: no limit */
    int64_t start_s;    /* to be ready for a game */
    double time_s;      /* the usual clock of its games */
    json_t *document;
};

/* Reads the file NAME.json of a folder. False, with a sentence that names the file and the member;
 * external_free() is fine all the same. */
bool external_read(const char *folder, const char *name, struct external *ret_external,
                   char ret_why[EXTERNAL_WHY_MAX]);
void external_free(struct external *external);

/* What "{host}", "{port}", … of a command stand for; NULL: nothing. */
struct external_seat {
    const char *folder; /* of the game */
    int team, port;
    const char *host, *url, *match, *user, *password, *password_file;
    uint64_t seed;
};

/* Starts the program in a process group of its own, with its limits and an environment of PATH,
 * HOME and LANG alone; its output goes to teamN.out in the folder of the game. 0, with a sentence.
 */
pid_t external_start(const struct external *external, const struct external_seat *seat,
                     char ret_why[EXTERNAL_WHY_MAX]);

#endif
