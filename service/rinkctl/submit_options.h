/* The options of `rinkctl submit KIND`, made from the fields of the kind's spec (api/job_kinds.h):
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

#include "api/job_kinds.h"

enum {
    SUBMIT_OPTIONS_MAX = 64,
    SUBMIT_NAME_MAX = 64,
    SUBMIT_HELP_MAX = 512,
    SUBMIT_CHOICES_MAX = 256
};

enum submit_setter {
    SUBMIT_VALUE,
    SUBMIT_ELEMENT, /* one more in a list */
    SUBMIT_OBJECT,  /* makes the object; takes no value */
    SUBMIT_JOINED,  /* values of the members, joined by colons */
    SUBMIT_PAIR     /* MEMBER=VALUE */
};

struct submit_option {
    char name[SUBMIT_NAME_MAX], argument[SUBMIT_NAME_MAX]; /* argument "": none */
    char help[SUBMIT_HELP_MAX];
    char choices[SUBMIT_CHOICES_MAX]; /* separated by blanks; "": none */
    enum submit_setter setter;
    const char *object; /* the member of the spec that contains the field; NULL: the spec itself */
    const struct field *field;
};

/* Makes the options of a kind; returns how many there are. */
int submit_options(const struct job_kind *kind,
                   struct submit_option ret_options[SUBMIT_OPTIONS_MAX]);

/* The list that the words after KIND fill; NULL: the kind takes no words. */
const struct field *submit_words(const struct job_kind *kind);

/* Whether an option may be given several times. */
bool submit_repeats(const struct submit_option *option);

#endif
