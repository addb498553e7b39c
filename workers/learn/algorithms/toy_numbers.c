/* In small games gradients need no clipping, plain gradient descent is as good as Adam, and there
 * is time for more updates per decision. */
#include "workers/learn/algorithms/toy_numbers.h"

#include <assert.h>
#include <string.h>

/* Numbers of the algorithms whose name begins with `of`; later ones take precedence. */
static const struct {
    const char *of;
    struct learner_number number;
} numbers[] = {
    {"", {"discount", 1}},
    {"", {"optimiser", NET_SGD}},
    {"", {"weight_decay", 0}},
    {"", {"parallel", 128}},
    {"", {"updates", 2}},
    {"", {"batch", 128}},
    {"nfsp", {"response_rate", .1}},
    {"nfsp", {"average_rate", .005}},
    {"nfsp", {"clip", 0}},
    {"nfsp", {"target_interval", 0}},
    {"nfsp", {"candidates", 0}},
    {"nfsp", {"candidate_uniform", .1}},
    {"nfsp", {"value_network", 0}},
    {"nfsp-fifo", {"average_memory", 5000}},
    {"nfsp-literal", {"response_memory", 512}},
    {"nfsp-literal", {"warm_up", 1}},
    {"dqn", {"explore", .3}},
    {"dqn", {"rate", .1}},
    {"dqn", {"clip", 0}},
    {"dqn", {"target_interval", 100}},
    {"dqn", {"n_step", 1}},
    {"dqn", {"self_share", 1}},
    {"ppo", {"optimiser", NET_ADAM}},
    {"ppo", {"self_share", 1}},
};

struct learner_hyper toy_numbers(const struct learner_class *class,
                                 const struct learner_number *more, int count,
                                 struct learner_number room[TOY_NUMBERS_MAX])
{
    int used = 0;

    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        if (strncmp(class->name, numbers[k].of, strlen(numbers[k].of)) == 0)
            room[used++] = numbers[k].number;
    assert(used + count <= TOY_NUMBERS_MAX);
    for (int k = 0; k < count; k++)
        room[used++] = more[k];
    return (struct learner_hyper){room, used};
}
