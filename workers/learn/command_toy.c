/* rink-learn toy: algorithms on games whose equilibria are known, as a table of exploitability over
 * time. */
#include "api/clock.h"
#include "workers/learn/algorithms/nfsp.h"
#include "workers/learn/algorithms/toy_numbers.h"
#include "workers/learn/algorithms/view_policy.h"
#include "workers/learn/command.h"
#include "workers/learn/games/best_response_walker.h"
#include "workers/learn/games/line_learner.h"
#include "workers/option_values.h"

#include <stdlib.h>
#include <string.h>

typedef enum exploitability_status measure_function(const struct learner_game *game,
                                                    learner_policy *policy, void *context,
                                                    double ret_exploitability[2]);

static const struct {
    const char *name;
    const struct learner_game *game; /* NULL: line curling, by its number of stones */
    measure_function *measure;
    double response_rate; /* Leduc's rewards are small: at 0.1 it takes half as long again */
} toys[] = {
    {"kuhn", &kuhn_game, walked_exploitability, 0.1},
    {"leduc", &leduc_game, walked_exploitability, 0.2},
    {"line", NULL, line_learner_exploitability, 0.1},
};

enum { TOYS = sizeof toys / sizeof toys[0] };

static const struct {
    const char *name;
    const struct learner_class *class;
} algorithms[] = {
    {"nfsp", &learner_nfsp},
    {"nfsp-fifo", &learner_nfsp_fifo},
    {"nfsp-literal", &learner_nfsp_literal},
    {"dqn", &learner_dqn},
    {"ppo", &learner_ppo},
};

enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

struct options {
    int toy; /* -1: all of them, one after the other */
    int algorithm, stones;
    double seconds;
    uint64_t steps; /* 0: by seconds */
    uint64_t seed;
};

/* When the next row is due, by what has been learned for. */
static double next_row(double seconds)
{
    return seconds + (seconds < 10.0 ? 2.0 : seconds < 120.0 ? 10.0 : 60.0);
}

static void uniform(void *context, int seat, const void *observation, double *ret_p)
{
    const struct learner_game *game = context;
    bool legal[LEARNER_ACTIONS_MAX];
    int count = 0;
    (void)seat;
    game->legal(game, observation, legal);
    for (int a = 0; a < game->actions; a++)
        count += legal[a];
    for (int a = 0; a < game->actions; a++)
        ret_p[a] = legal[a] ? 1.0 / count : 0.0;
}

struct toy_run {
    const struct learner_game *game;
    measure_function *measure;
    struct learner_common common;
    struct learner *learner;
};

static bool make_learner(struct toy_run *run, const struct options *options, int toy,
                         char *ret_error)
{
    const struct learner_class *class = algorithms[options->algorithm].class;
    const struct learner_number rate = {"response_rate", toys[toy].response_rate};
    struct learner_number room[TOY_NUMBERS_MAX];
    const struct learner_hyper hyper = toy_numbers(class, &rate, 1, room);
    run->common = (struct learner_common){.network = {.architecture = "mlp", .hidden = {64}},
                                          .device = "cpu",
                                          .threads = 1,
                                          .seed = options->seed};
    run->learner = class->make(class, run->game, &run->common, &hyper, ret_error);
    return run->learner != NULL;
}

/* The points that best responses win from the policy and from its likeliest actions. */
static enum exploitability_status measure_run(const struct toy_run *run, double ret_policy[2],
                                              double ret_likeliest[2])
{
    struct learner_policy_view views[LEARNER_POLICIES_MAX];
    char error[LEARNER_ERROR_MAX];
    run->learner->class->policies(run->learner, views);
    struct view_policy *view = view_policy_new(run->game, &run->common, &views[0], error);
    if (!view) /* such networks were made before */
        return EXPLOITABILITY_NO_MEMORY;
    enum exploitability_status status = run->measure(run->game, view_policy_play, view, ret_policy);
    if (status == EXPLOITABILITY_OK)
        status = run->measure(run->game, view_policy_likeliest, view, ret_likeliest);
    view_policy_free(view);
    return status;
}

static enum exploitability_status print_row(const struct toy_run *run, double seconds)
{
    double policy[2], likeliest[2];
    struct learner_report report = {0};
    run->learner->class->report(run->learner, &report);
    enum exploitability_status status = measure_run(run, policy, likeliest);
    if (status != EXPLOITABILITY_OK)
        return status;
    printf("%9.1f %9llu %11llu %12llu %9.5f %9.5f %9.5f %9.5f\n", seconds,
           (unsigned long long)report.steps, (unsigned long long)report.games,
           (unsigned long long)report.decisions, 0.5 * (policy[0] + policy[1]), policy[0],
           policy[1], 0.5 * (likeliest[0] + likeliest[1]));
    fflush(stdout);
    return EXPLOITABILITY_OK;
}

static bool complain(const char *name, enum exploitability_status status)
{
    fprintf(stderr, "%s: %s\n", name,
            status == EXPLOITABILITY_NO_MEMORY
                ? "no memory"
                : "the policy gives no probabilities: its network's outputs are not finite");
    return false;
}

/* Learns and prints. False, with a complaint printed: it failed. */
static bool learn(const char *name, const struct options *options, struct toy_run *run)
{
    char error[LEARNER_ERROR_MAX];
    double learned = 0.0, row_at = next_row(0.0);
    for (uint64_t step = 0; !atomic_load(&command_cancel);) {
        double start = clock_s(CLOCK_PROCESS_CPUTIME_ID);
        for (int k = 0; k < 16 && (!options->steps || step < options->steps); k++, step++)
            if (!run->learner->class->step(run->learner, error)) {
                fprintf(stderr, "%s: %s\n", name, error);
                return false;
            }
        learned += clock_s(CLOCK_PROCESS_CPUTIME_ID) - start;
        bool done = options->steps ? step >= options->steps : learned >= options->seconds;
        if (learned < row_at && !done)
            continue;
        enum exploitability_status status = print_row(run, learned);
        if (status != EXPLOITABILITY_OK)
            return complain(name, status);
        row_at = next_row(row_at);
        if (done)
            break;
    }
    return true;
}

static bool learn_toy(const char *name, const struct options *options, int toy)
{
    struct toy_run run = {.game =
                              toys[toy].game ? toys[toy].game : line_learner_game(options->stones),
                          .measure = toys[toy].measure};
    char error[LEARNER_ERROR_MAX];
    double blank[2];

    if (!make_learner(&run, options, toy, error)) {
        fprintf(stderr, "%s: %s\n", name, error);
        return false;
    }
    enum exploitability_status status = run.measure(run.game, uniform, (void *)run.game, blank);
    bool good = status == EXPLOITABILITY_OK || complain(name, status);
    if (good) {
        printf("%s, %s, seed %llu; the uniform policy: exploitability %.6f\n", toys[toy].name,
               algorithms[options->algorithm].name, (unsigned long long)options->seed,
               0.5 * (blank[0] + blank[1]));
        printf("%9s %9s %11s %12s %9s e(%6s) e(%6s) %9s\n", "cpu s", "steps", "games", "decisions",
               "exploit.", run.game->seats[0], run.game->seats[1], "likeliest");
        good = learn(name, options, &run);
    }
    learner_free(run.learner);
    return good;
}

static const struct argp_option known[] = {
    {"game", 'g', "NAME", 0, "kuhn, leduc or line (default: one after the other)", 0},
    {"algorithm", 'a', "NAME", 0, "nfsp (default), nfsp-fifo, nfsp-literal, dqn or ppo", 0},
    {"seconds", 't', "N", 0, "processor time to learn for, each game (default 20)", 0},
    {"steps", 'n', "N", 0, "learn for so many steps instead", 0},
    {"seed", 'S', "N", 0, "default 1", 0},
    {"stones", 'k', "N", 0, "of a side in line curling, 1 to 4 (default 3)", 0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'g':
        for (options->toy = 0; options->toy < TOYS; options->toy++)
            if (strcmp(text, toys[options->toy].name) == 0)
                return 0;
        argp_error(state, "--game=%s: there are kuhn, leduc and line", text);
        return 0;
    case 'a':
        for (options->algorithm = 0; options->algorithm < ALGORITHMS; options->algorithm++)
            if (strcmp(text, algorithms[options->algorithm].name) == 0)
                return 0;
        argp_error(state, "--algorithm=%s: there are nfsp, nfsp-fifo, nfsp-literal, dqn and ppo",
                   text);
        return 0;
    case 't':
        options->seconds = option_number(state, "seconds", text, 0.0, 1e6);
        return 0;
    case 'n':
        options->steps = option_whole(state, "steps", text, 1, 1000000000);
        return 0;
    case 'S':
        options->seed = option_whole(state, "seed", text, 0, UINT64_MAX);
        return 0;
    case 'k':
        options->stones = (int)option_whole(state, "stones", text, 1, LINE_STONES_MAX);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s': no such argument", text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int command_toy(int argc, char **argv)
{
    struct options options = {.toy = -1, .stones = 3, .seconds = 20.0, .seed = 1};
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .doc = "Learn games whose equilibria are known, and print over time what best responses "
               "win from the policies (of NFSP the average ones): half of both seats' sum "
               "(exploit.), for each seat, "
               "and half of the sum for the policies' likeliest actions."};
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    for (int toy = 0; toy < TOYS; toy++)
        if ((options.toy < 0 || options.toy == toy) && !learn_toy(argv[0], &options, toy))
            return EXIT_TROUBLE;
    return atomic_load(&command_cancel) ? EXIT_INTERRUPTED : EXIT_GOOD;
}
