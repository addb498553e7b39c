/* The options of `rinkctl submit KIND`, made from the fields of the kind's spec (api/job_kinds.h),
 * and those of `rinkctl shot`, made from the fields of a query (api/shot_json.h):
 *
 *   field                               option
 *   one value                           --name=VALUE
 *   list                                --name=VALUE without the final "s", may be repeated;
 *                                       a required list: the words after KIND
 *   object                              an option for each member; if it is optional, also
 *                                       --name, which makes it
 *   object of required members          --name=VALUE:VALUE…
 *   object that depends on a choice     --name=MEMBER=VALUE, may be repeated
 *
 * Underscores become hyphens. */
#ifndef RINKD_SERVICE_RINKCTL_SUBMIT_OPTIONS_H
#define RINKD_SERVICE_RINKCTL_SUBMIT_OPTIONS_H

#include "service/rinkctl/command.h"

enum submit_setter {
    SUBMIT_VALUE,
    SUBMIT_ELEMENT, /* one more in a list */
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

/* The options of `rinkctl shot`, likewise. */
const struct option_row *shot_options(void);

/* The profile of a query that names none. */
#define SHOT_PROFILE "dc3"

/* The list that the words after KIND fill; NULL: the kind takes no words. */
const struct field *submit_words(const struct job_kind *kind);

/* The type of the values of a field, or of the elements of a list. */
enum option_type submit_type(const struct field *field);

/* Whether an option may be given several times. */
bool submit_repeats(const struct option_row *row);

#endif
