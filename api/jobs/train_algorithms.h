/* The training algorithms and their hyper-parameters: the only place that lists their names,
 * ranges, defaults and descriptions. Job specs (train_spec.c) and the structs of the algorithms
 * (workers/learn/algorithms/hyper.h) are made from it.
 *
 * A list calls WHOLE or NUMBER(name, least, most, default, about) or OPTIMISER(name, about) for
 * each hyper-parameter. The defaults suit curling. Checkpoints store the numbers in this order, so
 * a run cannot continue from a checkpoint written with another list. */
#ifndef RINKD_API_JOBS_TRAIN_ALGORITHMS_H
#define RINKD_API_JOBS_TRAIN_ALGORITHMS_H

#define HYPER_DISCOUNT(NUMBER) \
    NUMBER(discount, 0, 1, .99, "discount of the reward of the next own shot")

#define HYPER_EXPLORE(NUMBER, share)                                     \
    NUMBER(explore, 0, 1, share, "share of random actions at the start") \
    NUMBER(explore_decay, 0, 1e6, .01, "the share is explore / (1 + explore_decay * sqrt(steps))")

#define HYPER_OPTIMISER(OPTIMISER) OPTIMISER(optimiser, "rule for gradient steps")

#define HYPER_STEP(NUMBER, largest)                                                           \
    NUMBER(momentum, 0, .9999, .9, "of the optimiser momentum")                               \
    NUMBER(weight_decay, 0, 1, 2e-5, "share of each weight removed per step, times the rate") \
    NUMBER(clip, 0, 1e6, largest, "largest norm of a gradient; 0: no limit")

#define HYPER_PARALLEL(WHOLE) \
    WHOLE(parallel, 1, 65536, 64, "ends played in parallel; affects the result")

#define HYPER_TARGETS(WHOLE)                   \
    WHOLE(target_interval, 0, 1000000000, 200, \
          "updates between copies of the network that makes targets; 0: no copy")

#define HYPER_SELF_SHARE(NUMBER) \
    NUMBER(self_share, 0, 1, .5, "share of ends against itself; the rest against train_opponents")

/* Shared by both variants of neural fictitious self-play. */
#define HYPER_FICTITIOUS(WHOLE, NUMBER, OPTIMISER, average_entries, warm_up_entries)              \
    NUMBER(anticipatory, 0, 1, .1, "share of ends in which a seat plays its best response")       \
    HYPER_EXPLORE(NUMBER, .06)                                                                    \
    HYPER_DISCOUNT(NUMBER)                                                                        \
    NUMBER(response_rate, 0, 10, .001, "step size of best responses")                             \
    NUMBER(average_rate, 0, 10, .001, "step size of average policies")                            \
    HYPER_OPTIMISER(OPTIMISER)                                                                    \
    HYPER_STEP(NUMBER, 10)                                                                        \
    WHOLE(batch, 1, 65536, 128, "transitions or decisions per update")                            \
    WHOLE(updates, 1, 1024, 1, "updates of each network after each decision of all tables")       \
    HYPER_TARGETS(WHOLE)                                                                          \
    WHOLE(warm_up, 1, 10000000, warm_up_entries, "entries of a memory before its network learns") \
    HYPER_PARALLEL(WHOLE)                                                                         \
    WHOLE(response_memory, 1, 20000000, 200000, "transitions kept per seat")                      \
    WHOLE(average_memory, 1, 20000000, average_entries, "best-response decisions kept per seat")  \
    WHOLE(candidates, 0, 1000, 100,                                                               \
          "actions that a best response tries in the simulator at each decision; 0: none")        \
    NUMBER(candidate_temperature, 1e-6, 100, .1,                                                  \
           "temperature of the softmax over values that draws them")                              \
    NUMBER(candidate_uniform, 0, 1, .3, "share of them drawn uniformly")

#define HYPER_NFSP_ONLY(WHOLE, NUMBER)                                                             \
    WHOLE(value_network, 0, 1, 1,                                                                  \
          "1: with candidates, a separate network values the next own shot; 0: the best response") \
    NUMBER(value_lambda, 0, 1, 1,                                                                  \
           "lambda of its returns; 1: actual rewards only, 0: its next estimate")

/* How average policies learn; 0 turns each off. They come last, so that checkpoints from before
 * them can be continued. */
#define HYPER_AVERAGE(WHOLE, NUMBER)                                                              \
    NUMBER(target_temperature, 0, 100, 0,                                                         \
           "with candidates, average policies learn the softmax over the values of the tried "    \
           "actions at this temperature; 0: the action played")                                   \
    NUMBER(average_recency, 0, 1, 0,                                                              \
           "least chance of a new best-response decision to enter a full average_memory; 0: its " \
           "share of all, which weights all ends alike")                                          \
    NUMBER(rate_decay, 0, 1, 0, "step sizes are divided by 1 + rate_decay * updates of the network")

#define HYPER_NFSP_LITERAL_ONLY(WHOLE, NUMBER) \
    NUMBER(threshold, -100, 100, .4, "return above which a decision is kept for the average")

#define HYPER_NFSP(WHOLE, NUMBER, OPTIMISER)                  \
    HYPER_FICTITIOUS(WHOLE, NUMBER, OPTIMISER, 2000000, 1000) \
    HYPER_NFSP_ONLY(WHOLE, NUMBER)                            \
    HYPER_AVERAGE(WHOLE, NUMBER)

#define HYPER_NFSP_LITERAL(WHOLE, NUMBER, OPTIMISER)     \
    HYPER_FICTITIOUS(WHOLE, NUMBER, OPTIMISER, 512, 512) \
    HYPER_NFSP_LITERAL_ONLY(WHOLE, NUMBER)

/* Everything that either variant has. */
#define HYPER_NFSP_SETTINGS(WHOLE, NUMBER, OPTIMISER) \
    HYPER_FICTITIOUS(WHOLE, NUMBER, OPTIMISER, 0, 0)  \
    HYPER_NFSP_ONLY(WHOLE, NUMBER)                    \
    HYPER_NFSP_LITERAL_ONLY(WHOLE, NUMBER)            \
    HYPER_AVERAGE(WHOLE, NUMBER)

#define HYPER_DQN(WHOLE, NUMBER, OPTIMISER)                                                       \
    HYPER_DISCOUNT(NUMBER)                                                                        \
    HYPER_EXPLORE(NUMBER, .1)                                                                     \
    HYPER_OPTIMISER(OPTIMISER)                                                                    \
    NUMBER(rate, 0, 10, .0003, "step size")                                                       \
    HYPER_STEP(NUMBER, 10)                                                                        \
    WHOLE(batch, 1, 65536, 256, "transitions per update")                                         \
    WHOLE(updates, 1, 1024, 1, "updates after each decision of all tables")                       \
    HYPER_PARALLEL(WHOLE)                                                                         \
    WHOLE(memory, 1, 20000000, 200000, "transitions kept per seat")                               \
    HYPER_TARGETS(WHOLE)                                                                          \
    WHOLE(warm_up, 1, 10000000, 1000, "transitions before the network learns")                    \
    WHOLE(double_q, 0, 1, 1,                                                                      \
          "1: the network chooses the action of a target, and its copy values it")                \
    WHOLE(n_step, 1, 1000, 8, "own decisions whose rewards a target sums before it adds a value") \
    HYPER_SELF_SHARE(NUMBER)

#define HYPER_PPO(WHOLE, NUMBER, OPTIMISER)                                   \
    HYPER_DISCOUNT(NUMBER)                                                    \
    NUMBER(lambda, 0, 1, .95, "lambda of the generalised advantage")          \
    NUMBER(clip_ratio, .001, 1, .2,                                           \
           "largest relative change of an action's probability in an update") \
    WHOLE(epochs, 1, 100, 4, "passes over the decisions")                     \
    WHOLE(minibatch, 1, 65536, 256, "decisions per update")                   \
    WHOLE(horizon, 1, 1024, 16, "decisions at each table between updates")    \
    NUMBER(entropy, 0, 10, .01, "weight of the entropy bonus")                \
    NUMBER(value_share, 0, 100, .5, "weight of the value loss")               \
    HYPER_OPTIMISER(OPTIMISER)                                                \
    NUMBER(rate, 0, 10, .001, "step size")                                    \
    HYPER_STEP(NUMBER, .5)                                                    \
    HYPER_PARALLEL(WHOLE)                                                     \
    HYPER_SELF_SHARE(NUMBER)

#define HYPER_GPI(WHOLE, NUMBER, OPTIMISER)                                                      \
    WHOLE(samples, 100, 100000000, 100000, "ends of each network, of which one shot is learned") \
    WHOLE(first_samples, 100, 100000000, 300000,                                                 \
          "the same in the first iteration, where all shots are random and ends are quick")      \
    WHOLE(draws_before, 1, 100000, 16,                                                           \
          "random shots of which the best is thrown before the one that is learned")             \
    WHOLE(draws_after, 1, 100000, 64, "the same after it")                                       \
    WHOLE(hidden, 1, 1024, 64, "units of the first hidden layer")                                \
    WHOLE(hidden2, 1, 1024, 32, "units of the second one")                                       \
    NUMBER(epochs, .001, 1000, 6, "times that each end is learned from, on average")             \
    WHOLE(batch, 1, 4096, 128, "ends per update")                                                \
    NUMBER(rate, 0, 10, .005, "step size of Adam at first; it falls to a twentieth")             \
    NUMBER(weight_decay, 0, 1, 2e-5, "share of each weight removed per step, times the rate")    \
    NUMBER(held_out, 0, .5, .1, "share of the ends that judge the network instead")

#define HYPER_POLICY_VALUE(WHOLE, NUMBER, OPTIMISER)                                            \
    WHOLE(teacher, 0, 1, 1,                                                                     \
          "1: rink plays the first round; 0: the search does, with networks that know nothing") \
    WHOLE(teacher_simulations, 100, 1000000, 600, "simulated throws of rink for a shot")        \
    WHOLE(first_ends, 2, 1000000, 1500, "ends of the first round")                              \
    WHOLE(first_epochs, 1, 1000, 12, "passes over the ends of the first round")                 \
    WHOLE(ends, 2, 1000000, 300, "ends of each later round, which the search plays")            \
    WHOLE(simulations, 10, 1000000, 400, "simulated throws of the search for a shot")           \
    WHOLE(kernel, 0, 1, 1, "1: the search is that of kr-dl-uct; 0: that of dl-uct")             \
    WHOLE(own_values, 0, 1, 1,                                                                  \
          "1: the search values positions by the scores that the networks expect; 0: by the "   \
          "shipped network of the ice")                                                         \
    NUMBER(random_share, 0, 1, .3, "share of the ends that begin with random shots")            \
    NUMBER(temperature, .01, 1, .33,                                                            \
           "shots are drawn and learned in proportion to their visits to the power of 1 / "     \
           "temperature")                                                                       \
    WHOLE(explored, 0, 16, 3, "first shots of an end that have temperature 1 instead")          \
    WHOLE(memory, 0, 20000, 1000, "ends of earlier rounds that are learned from again")         \
    WHOLE(epochs, 1, 1000, 4, "passes over the ends of a later round and of the memory")        \
    WHOLE(batch, 1, 4096, 128, "positions per update")                                          \
    NUMBER(rate, 0, 10, .001, "step size of Adam at first; it falls to 0 in each round")        \
    NUMBER(weight_decay, 0, 1, .01, "share of each weight removed per step, times the rate")    \
    NUMBER(held_out, 0, .5, .1, "share of the new ends that judge the networks instead")

#define HYPER_VALUE(WHOLE, NUMBER, OPTIMISER)                                        \
    WHOLE(states, 100, 10000000, 40000, "positions per stage")                       \
    WHOLE(simulations, 100, 10000000, 1500, "simulated throws per position")         \
    WHOLE(epochs, 1, 1000, 30, "passes over the positions")                          \
    NUMBER(rate, 0, 10, .002, "step size of Adam at first; it falls to a hundredth") \
    NUMBER(held_out, 0, .5, .1, "share of the positions that judge a stage instead")

#define HYPER_EVOLVE(WHOLE, NUMBER, OPTIMISER)                                                   \
    WHOLE(population, 4, 10000, 100, "networks of a generation")                                 \
    WHOLE(hands, 1, 100000, 100, "hands of each network against each opponent, played twice")    \
    NUMBER(survival, .01, .9, .25, "share of a generation that survives")                        \
    NUMBER(mutation_rate, 0, 1, .25, "share of a child's weights that change, at first")         \
    NUMBER(mutation_strength, 0, 10, .15, "standard deviation of such a change, at first")       \
    WHOLE(mutation_fall, 1, 1000000, 100,                                                        \
          "generations until both have fallen to a tenth, where they stay")                      \
    WHOLE(curriculum, 1, 4, 4,                                                                   \
          "1: all opponents from the start; 2: one more with each stage; 3: the first half of "  \
          "them, then all; 4: the first half, the second half, then all")                        \
    WHOLE(stage, 1, 1000000, 10, "generations of a stage of the curriculum; the last one stays") \
    WHOLE(finalists, 1, 10000, 8, "fittest networks that play for the champion on other hands")  \
    WHOLE(validation_hands, 1, 1000000, 400, "hands of each of them against each opponent")      \
    WHOLE(cells, 1, 64, 20, "cells of each of the two recurrent layers")                         \
    WHOLE(hidden, 1, 1024, 300, "units of the hidden layer")

/* ALGORITHM(identifier, name, its list, about) for each; the first is the default. The class
 * learner_IDENTIFIER implements it (workers/learn/algorithms/learner.h). These learn from rewards
 * by playing against themselves. */
#define TRAIN_REWARDED(ALGORITHM)                                      \
    ALGORITHM(nfsp, "nfsp", HYPER_NFSP, "neural fictitious self-play") \
    ALGORITHM(nfsp_literal, "nfsp-literal", HYPER_NFSP_LITERAL,        \
              "NFSP as first published, an ablation")                  \
    ALGORITHM(dqn, "dqn", HYPER_DQN, "deep Q-learning")                \
    ALGORITHM(ppo, "ppo", HYPER_PPO, "proximal policy optimisation")

/* Those whose networks are chosen. */
#define TRAIN_SHAPED(ALGORITHM)                                 \
    TRAIN_REWARDED(ALGORITHM)                                   \
    ALGORITHM(policy_value, "policy-value", HYPER_POLICY_VALUE, \
              "policy and expected score, learned from a search that they guide (KR-DL-UCT)")

/* Those whose policies play curling. */
#define TRAIN_PLAYING(ALGORITHM) \
    TRAIN_SHAPED(ALGORITHM)      \
    ALGORITHM(gpi, "gpi", HYPER_GPI, "generalised policy iteration with a network for each shot")

/* Those for curling. */
#define TRAIN_CURLING(ALGORITHM)           \
    TRAIN_PLAYING(ALGORITHM)               \
    ALGORITHM(value, "value", HYPER_VALUE, \
              "fitted values of positions inside an end, with a network for each number of shots")

/* Those for curling, and those for hold'em. */
#define TRAIN_ALGORITHMS(ALGORITHM) \
    TRAIN_CURLING(ALGORITHM)        \
    ALGORITHM(evolve, "evolve", HYPER_EVOLVE, "evolution of networks for hold'em")

/* Algorithms for curling with ends of 16 shots that begin on an empty sheet. */
#define TRAIN_IN_ROUNDS                      \
    {                                        \
        "gpi", "policy-value", "value", NULL \
    }

/* Algorithms with self_share and train_opponents. */
#define TRAIN_AGAINST_OPPONENTS \
    {                           \
        "dqn", "ppo", NULL      \
    }

#endif
