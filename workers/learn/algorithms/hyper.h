/* An algorithm's hyper-parameters as a struct of doubles, with names, ranges and defaults from its
 * list in api/jobs/train_algorithms.h:
 *
 *   struct dqn_settings { HYPER_DQN(HYPER_MEMBER, HYPER_MEMBER, HYPER_MEMBER) };
 *   #define NUMBER(...) HYPER_FIELD(struct dqn_settings, __VA_ARGS__)
 */
#ifndef RINKD_WORKERS_LEARN_ALGORITHMS_HYPER_H
#define RINKD_WORKERS_LEARN_ALGORITHMS_HYPER_H

#include "api/jobs/train_algorithms.h"
#include "models/networks/net.h"

#include <stdbool.h>
#include <stddef.h>

/* A hyper-parameter by name. Choices are numbers too: `optimiser` is an enum net_rule. */
struct learner_number {
    const char *name;
    double value;
};
struct learner_hyper {
    const struct learner_number *numbers;
    int count;
};

/* Returns the last number called `name`, or `otherwise` without one. */
double learner_hyper_number(const struct learner_hyper *hyper, const char *name, double otherwise);

struct hyper_field {
    const char *name;
    size_t at; /* offset of the double in the struct */
    double initial;
};

/* Arguments for the lists: they declare the members of a struct and the rows of its field table. */
#define HYPER_MEMBER(name, ...)                              double name;
#define HYPER_FIELD(type, name, least, most, initial, about) {#name, offsetof(type, name), initial},
#define HYPER_OPTIMISER_FIELD(type, name, about)             {#name, offsetof(type, name), NET_ADAM},

/* Fills the fields of the struct at `settings` with the numbers, else the defaults. Skips numbers
 * with other names. */
void hyper_fill(const struct hyper_field *fields, int count, const struct learner_hyper *hyper,
                void *settings);

#endif
