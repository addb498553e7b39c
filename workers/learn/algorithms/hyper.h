/* An algorithm's hyper-parameters as a struct of doubles. Names, ranges and defaults are those of
 * its list in api/train_algorithms.h:
 *
 *   struct dqn_settings { HYPER_DQN(HYPER_MEMBER, HYPER_MEMBER, HYPER_MEMBER) };
 *   #define FIELD(name, …) HYPER_FIELD(struct dqn_settings, name, …)
 */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_HYPER_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_HYPER_H

#include "api/train_algorithms.h"
#include "models/networks/net.h"

#include <stdbool.h>
#include <stddef.h>

/* Hyper-parameters by name. A choice is a number too: `optimiser` is an enum net_rule. */
struct learner_number {
    const char *name;
    double value;
};
struct learner_hyper {
    const struct learner_number *numbers;
    int count;
};

/* The last number of that name; `otherwise` if there is none. */
double learner_hyper_number(const struct learner_hyper *hyper, const char *name, double otherwise);

struct hyper_field {
    const char *name;
    size_t at; /* of the double in the struct */
    double initial, least, most;
    bool whole;
};

/* For the lists: declare the members of a struct, and fill a table of its fields. */
#define HYPER_MEMBER(name, ...) double name;
#define HYPER_WHOLE_FIELD(type, name, least, most, initial, about) \
    {#name, offsetof(type, name), initial, least, most, true},
#define HYPER_NUMBER_FIELD(type, name, least, most, initial, about) \
    {#name, offsetof(type, name), initial, least, most, false},
#define HYPER_OPTIMISER_FIELD(type, name, about) \
    {#name, offsetof(type, name), NET_ADAM, NET_SGD, NET_ADAM, true},

/* Fills the fields of the struct at `settings` with the numbers, or with the defaults. Numbers of
 * other names are skipped. */
void hyper_fill(const struct hyper_field *fields, int count, const struct learner_hyper *hyper,
                void *settings);

/* NULL, or the first number that is out of its range or not whole: its name, and why. */
const char *hyper_check(const struct hyper_field *fields, int count,
                        const struct learner_hyper *hyper, size_t size, char *ret_why);

#endif
