/* In small games gradients need no clipping, plain gradient descent is as good as Adam, and there
 * is time for more updates per decision. */
#include "workers/learn/algorithms/toy_numbers.h"

#include "workers/learn/algorithms/nfsp.h"

#include <assert.h>
#include <string.h>

static const struct learner_number of_all[] = {
    {"discount", 1},   {"optimiser", NET_SGD}, {"weight_decay", 0},
    {"parallel", 128}, {"updates", 2},         {"batch", 128},
};

static const struct learner_number of_nfsp[] = {
    {"response_rate", .1}, {"average_rate", .005},    {"clip", 0},          {"target_interval", 0},
    {"candidates", 0},     {"candidate_uniform", .1}, {"value_network", 0},
};

static const struct learner_number of_fifo[] = {{"average_memory", 5000}};

static const struct learner_number of_literal[] = {{"response_memory", 512}, {"warm_up", 1}};

static const struct learner_number of_dqn[] = {
    {"explore", .3},          {"rate", .1},  {"clip", 0},
    {"target_interval", 100}, {"n_step", 1}, {"self_share", 1},
};

static const struct learner_number of_ppo[] = {{"optimiser", NET_ADAM}, {"self_share", 1}};

static int add(struct learner_number *room, int used, const struct learner_number *numbers,
               size_t size)
{
    assert((size_t)used + size / sizeof *numbers <= TOY_NUMBERS_MAX);
    memcpy(room + used, numbers, size);
    return used + (int)(size / sizeof *numbers);
}

struct learner_hyper toy_numbers(const struct learner_class *class,
                                 const struct learner_number *more, int count,
                                 struct learner_number room[TOY_NUMBERS_MAX])
{
    int used = add(room, 0, of_all, sizeof of_all);

    if (class == &learner_dqn)
        used = add(room, used, of_dqn, sizeof of_dqn);
    else if (class == &learner_ppo)
        used = add(room, used, of_ppo, sizeof of_ppo);
    else
        used = add(room, used, of_nfsp, sizeof of_nfsp);
    if (class == &learner_nfsp_fifo)
        used = add(room, used, of_fifo, sizeof of_fifo);
    if (class == &learner_nfsp_literal)
        used = add(room, used, of_literal, sizeof of_literal);
    if (count > 0)
        used = add(room, used, more, (size_t)count * sizeof *more);
    return (struct learner_hyper){room, used};
}
