/* rink-learn toy: trains on games with known equilibria and prints exploitability over time. */
#include "api/base/clock.h"
#include "workers/learn/algorithms/toy_numbers.h"
#include "workers/learn/algorithms/view_policy.h"
#include "workers/learn/command.h"
#include "workers/learn/games/best_response_walker.h"
#include "workers/learn/games/line_learner.h"
#include "workers/options.h"

#include <stdlib.h>
#include <string.h>

typedef enum exploitability_status measure_function(const struct learner_game *game,
                                                    learner_policy *policy, void *context,
                                                    double ret_exploitability[2]);

static const struct {
    const char *name;
    const struct learner_game *game; /* NULL: line curling, made for its number of stones */
    measure_function *measure;
    double response_rate; /* at 0.1 Leduc, with its small rewards, takes 1.5 times as long */
} toys[] = {
    {"kuhn", &kuhn_game, walked_exploitability, 0.1},
    {"leduc", &leduc_game, walked_exploitability, 0.2},
    {"line", NULL, line_learner_exploitability, 0.1},
};

enum { TOYS = sizeof toys / sizeof toys[0] };

/* The first one is the default. */
#define LEARNERS(X)                          \
    X("nfsp", &learner_nfsp)                 \
    X("nfsp-fifo", &learner_nfsp_fifo)       \
    X("nfsp-literal", &learner_nfsp_literal) \
    X("dqn", &learner_dqn)                   \
    X("ppo", &learner_ppo)
#define LEARNER_ROW(name, class)  {name, class},
#define LEARNER_NAME(name, class) " " name

static const struct {
    const char *name;
    const struct learner_class *class;
} algorithms[] = {LEARNERS(LEARNER_ROW)};

enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

struct options {
    int toy; /* -1: all of them, one after the other */
    int algorithm, stones;
    double seconds;
    uint64_t steps; /* 0: limited by `seconds` */
    uint64_t seed;
};

/* Returns the learning time at which the next row is due. */
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

/* Measures the points that best responses win from the policy and from its likeliest actions. */
static enum exploitability_status measure_run(const struct toy_run *run, double ret_policy[2],
                                              double ret_likeliest[2])
{
    struct learner_policy_view views[LEARNER_POLICIES_MAX];
    char error[LEARNER_ERROR_MAX];
    run->learner->class->policies(run->learner, views);
    struct view_policy *view = view_policy_new(run->game, &run->common, &views[0], error);
    if (!view) /* making such networks has worked before, so memory is short */
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
    const struct learner_report report = learner_report_of(run->learner);
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
            status == EXPLOITABILITY_NO_MEMORY ? "out of memory"
                                               : "outputs of the policy's network are not finite");
    return false;
}

/* Learns and prints rows. False, with a message printed, on failure. */
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

static void read_game(struct argp_state *state, const char *text, void *field)
{
    int *toy = field;

    for (*toy = 0; *toy < TOYS; ++*toy)
        if (strcmp(text, toys[*toy].name) == 0)
            return;
    argp_error(state, "--game must be kuhn, leduc or line, not '%s'", text);
}

static void read_algorithm(struct argp_state *state, const char *text, void *field)
{
    int *algorithm = field;

    for (*algorithm = 0; *algorithm < ALGORITHMS; ++*algorithm)
        if (strcmp(text, algorithms[*algorithm].name) == 0)
            return;
    argp_error(state, "--algorithm must be one of" LEARNERS(LEARNER_NAME) ", not '%s'", text);
}

#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
    {"game", 'g', "NAME", OPTION_READ, AT(toy), .read = read_game,
     .about = "kuhn, leduc or line (default: all three in turn)"},
    {"algorithm", 'a', "NAME", OPTION_READ, AT(algorithm), .read = read_algorithm,
     .about = "one of" LEARNERS(LEARNER_NAME) " (default: the first one)"},
    {"seconds", 't', "N", OPTION_NUMBER, AT(seconds), .most_number = 1e6,
     .about = "processor seconds of training per game (default {default})"},
    {"steps", 'n', "N", OPTION_UINT64, AT(steps), .least = 1, .most = 1000000000,
     .about = "train for this many steps instead"},
    {"seed", 'S', "N", OPTION_UINT64, AT(seed), .most = UINT64_MAX,
     .about = "seed of the random numbers (default {default})"},
    {"stones", 'k', "N", OPTION_INT, AT(stones), .least = 1, .most = LINE_STONES_MAX,
     .about = "stones of each side in line curling, 1 to 4 (default {default})"},
    {0},
};

static const char about[] =
    "Train on games with known equilibria. Prints over time what best responses win from the "
    "policies (NFSP: the average policies): half of the sum over both seats (exploit.), each seat, "
    "and half of the sum for the policies' likeliest actions.";

int command_toy(int argc, char **argv)
{
    struct options options = {.toy = -1, .stones = 3, .seconds = 20.0, .seed = 1};
    const struct option_parser parser = {.about = about, .tables = {{rows, &options, NULL, NULL}}};

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    for (int toy = 0; toy < TOYS; toy++)
        if ((options.toy < 0 || options.toy == toy) && !learn_toy(argv[0], &options, toy))
            return EXIT_TROUBLE;
    return atomic_load(&command_cancel) ? EXIT_INTERRUPTED : EXIT_GOOD;
}
