/* The options of `rinkctl submit KIND`, made from the fields of the kind's spec
 * (api/jobs/job_kinds.h), and those of `rinkctl shot`, made from the fields of a query
 * (api/curling/shot_json.h):
 *
 *   field                               option
 *   one value                           --name=VALUE
 *   list                                --name=VALUE without the final "s", may be repeated;
 *                                       a required list: the words after KIND
 *   game, or the only required value    --name=VALUE, or the word after KIND
 *   record                              --name=FILE, whose lines are JSON
 *   object                              an option for each member; if it is optional, also
 *                                       --name, which makes it
 *   object of required members          --name=VALUE:VALUE…
 *   object that depends on a choice     --name=MEMBER=VALUE, may be repeated
 *
 * Underscores become hyphens. */
#ifndef RINKD_SERVICE_RINKCTL_SUBMIT_OPTIONS_H
#define RINKD_SERVICE_RINKCTL_SUBMIT_OPTIONS_H

#include "api/jobs/job_json.h"
#include "api/jobs/job_states.h"
#include "service/rinkctl/command.h"

/* " cancel run …" */
#define SUBMIT_IF_FAILED(value, name, ...) " " name
#define SUBMIT_IF_FAILED_NAMES             JOB_IF_FAILED_ROWS(SUBMIT_IF_FAILED)

/* The options of every kind, and of `rinkctl repeat`. */
#define SUBMIT_EVERY_KIND                                                                       \
    {"priority",          "N", "smaller is earlier (default 0)", OPTION_WHOLE, -1000, 1000,     \
     .member = "priority"},                                                                     \
        {"delay-s", "S", "seconds before it may start", .type = OPTION_NUMBER,                  \
         .member = "delay_s"},                                                                  \
        {"max-attempts",          "N", "attempts before it is buried", OPTION_WHOLE, 1, 100,    \
         .member = "max_attempts"},                                                             \
        {"cores",          "N", "cores that its tasks may occupy together (default all)",       \
         OPTION_WHOLE,     1,   JOB_CORES_MAX,                                                  \
         .member = "cores"},                                                                    \
        {"after",                                                                               \
         "JOB",                                                                                 \
         "a job that has to end first; may be given several times",                             \
         .type = OPTION_WHOLE,                                                                  \
         .least = 1,                                                                            \
         .most = INT64_MAX},                                                                    \
        {"after-failure", "WHAT",                                                               \
         "if one of these fails or is cancelled, the job is also cancelled (the default), may " \
         "run, or is paused",                                                                   \
         .member = "after_failure", .choices = SUBMIT_IF_FAILED_NAMES},                         \
        {"dry-run", NULL, "only check it and estimate how long it takes", .member = "dry_run"}, \
    {                                                                                           \
        "watch", NULL, "follow it to its end", .type = OPTION_TEXT                              \
    }

enum submit_setter {
    SUBMIT_VALUE,
    SUBMIT_ELEMENT, /* one more in a list */
    SUBMIT_LINES,   /* the lines of a file */
    SUBMIT_OBJECT,  /* makes the object; takes no value */
    SUBMIT_JOINED,  /* values of the members, joined by colons */
    SUBMIT_PAIR     /* MEMBER=VALUE */
};

struct submit_option {
    enum submit_setter setter;
    const struct field *field;
    const char *path; /* of the member of the body: "spec.limits.time_ms" */
};

/* The options of a kind (NULL: none), then those of every kind; name NULL at the end. The next call
 * overwrites them. */
const struct option_row *submit_options(const struct job_kind *kind);

/* The options of `rinkctl shot`, `map` and `calls`, likewise. */
const struct option_row *shot_options(void);
const struct option_row *map_options(void);
const struct option_row *calls_options(void);

/* The profile of a query that names none. */
#define SHOT_PROFILE "dc3"

bool submit_is_list(const struct field *field);

/* The field that the words after KIND fill: a list, else a single one, which is also an option;
 * NULL: the kind takes no words. */
const struct field *submit_words(const struct job_kind *kind);
/* How help shows them: "PLAYER...", "[GAME]"; NULL: none. The next call overwrites it. */
const char *submit_words_shown(const struct job_kind *kind);

/* The type of the values of a field, or of the elements of a list. */
enum option_type submit_type(const struct field *field);

/* Whether an option may be given several times. */
bool submit_repeats(const struct option_row *row);

#endif
