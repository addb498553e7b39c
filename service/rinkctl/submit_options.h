/* The options of `rinkctl submit KIND`, made from the fields of the kind's spec (api/job_kinds.h):
 *
 *   field                               option
 *   one value                           --name=VALUE
 *   list                                --name=VALUE without the final "s", may be repeated;
 *                                       a list that is needed: the words behind KIND
 *   object                              an option for each member; if it can be left out, also
 *                                       --name, which makes it
 *   object of needed members            --name=VALUE:VALUE…
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
    SUBMIT_OBJECT,  /* takes no value */
    SUBMIT_JOINED,  /* values of the members with colons between them */
    SUBMIT_PAIR     /* MEMBER=VALUE */
};

struct submit_option {
    char name[SUBMIT_NAME_MAX], argument[SUBMIT_NAME_MAX]; /* argument "": none */
    char help[SUBMIT_HELP_MAX];
    char choices[SUBMIT_CHOICES_MAX]; /* with blanks between them; "": none */
    enum submit_setter setter;
    const char *object; /* the member of the spec that has the field as a member; NULL: the spec */
    const struct field *field;
};

/* Returns how many there are. */
int submit_options(const struct job_kind *kind,
                   struct submit_option ret_options[SUBMIT_OPTIONS_MAX]);

/* The list that the words behind KIND are; NULL: there are none. */
const struct field *submit_words(const struct job_kind *kind);

/* Whether an option may be given several times. */
bool submit_repeats(const struct submit_option *option);

#endif
