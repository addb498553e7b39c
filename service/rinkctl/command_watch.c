/* rinkctl watch: follows a job. */
#include "api/base/quoted.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/watch.h"

#include <stdlib.h>

static const struct option_row options[] = {
    {"patience", "S",
     "seconds to wait for a server that went away (default " QUOTED(WATCH_PATIENCE_S) ")",
     OPTION_WHOLE, .least = 0, .most = 1000000},
    {0},
};

static enum exit_status run(const struct line *line)
{
    const char *patience = option_text(line, "patience");

    return watch_job(line, line->word[0], patience ? atof(patience) : WATCH_PATIENCE_S);
}

/* ---- the commands ---- */

const struct command watch_commands[] = {
    {"watch",
     "Follow a job to its end, and show its result."
     "\vStandard error shows the progress: a bar on a terminal, otherwise a line for each "
     "change. If the daemon restarts, the command waits for it. Ctrl-C leaves the job "
     "alone.\n"
     "Exit status: 0 done, 1 the job was buried or cancelled, 2 refused by the server, 3 no "
     "connection, 130 interrupted.",
     WORD_JOB, run, .options = options},
    {0},
};
