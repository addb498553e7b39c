/* Speed and quality of an algorithm that learns an end of curling: trains without the service, and
 * from time to time plays the likeliest actions (or those of the highest value) of its first
 * policy against fixed players, in pairs of ends with swapped seats. Prints a row each time:
 * processor seconds, ends, shots per second, the split of the time, and for each opponent the
 * share of pairs won (a draw is half) and the mean points of a pair.
 *
 *   bench_learn [--algorithm NAME] [--profile NAME] [--reward NAME] [--ends N] [--every N]
 *               [--pairs N] [--threads N] [--seed N] [--hidden N,N] [--opponent PLAYER]…
 *               [HYPER=NUMBER]…                      e.g. candidates=0 optimiser=2 (net_rule) */
#include "models/tables/profiles.h"
#include "tests/bench/bench.h"
#include "workers/learn/algorithms/learner.h"
#include "workers/learn/algorithms/losses.h"
#include "workers/learn/games/curling_learner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HYPER_MAX = 40, OPPONENTS_MAX = 4 };

struct options {
    const struct learner_class *class;
    struct curling_learner_settings curling;
    struct learner_common common;
    struct learner_number hyper[HYPER_MAX];
    int hyper_count;
    struct player opponents[OPPONENTS_MAX];
    const char *opponent_names[OPPONENTS_MAX];
    int opponent_count;
    int ends, every, pairs;
};

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "bench_learn: %s: %s\n", what, why);
    return EXIT_FAILURE;
}

/* Plays one end; *ret_points: points of the policy, which sits in `seat`. */
static bool play_end(const struct learner_game *game, struct net *net, int seat, int opponent,
                     uint64_t number, double *ret_points)
{
    _Alignas(16) unsigned char state[LEARNER_BYTES_MAX], seen[LEARNER_BYTES_MAX];
    float *inputs = malloc((size_t)game->inputs * sizeof *inputs);
    float outputs[LEARNER_ACTIONS_MAX];
    bool legal[LEARNER_ACTIONS_MAX], good = inputs != NULL;
    struct random_key key = {
        .seed = 1000003, .stream = (uint64_t)opponent, .game = number, .purpose = RANDOM_CHOICE};

    game->start(game, &key, state);
    while (good && game->mover(game, state) >= 0) {
        if (game->mover(game, state) != seat) {
            good = game->opponent_play(game, opponent, state, &key);
        } else {
            game->observe(game, state, seen);
            game->fill_inputs(game, seen, inputs);
            game->legal(game, seen, legal);
            good = net_evaluate(net, 1, inputs, outputs) == NET_OK &&
                   game->play(game, state, legal_argmax(outputs, legal, game->actions), &key);
        }
        key.shot++;
    }
    if (good)
        *ret_points = seat == 0 ? game->points(game, state) : -game->points(game, state);
    free(inputs);
    return good;
}

static bool judge(const struct learner_game *game, const struct options *options,
                  struct net *const net[2])
{
    for (int opponent = 0; opponent < options->opponent_count; opponent++) {
        double won = 0.0, sum[2] = {0.0, 0.0};
        for (int pair = 0; pair < options->pairs; pair++) {
            double points[2];
            for (int seat = 0; seat < 2; seat++) {
                if (!play_end(game, net[seat], seat, opponent, (uint64_t)pair, &points[seat]))
                    return false;
                sum[seat] += points[seat];
            }
            double both = points[0] + points[1];
            won += both > 0.0 ? 1.0 : both == 0.0 ? 0.5 : 0.0;
        }
        printf("  %s %.1f%% %+.2f%+.2f", options->opponent_names[opponent],
               100.0 * won / options->pairs, sum[0] / options->pairs, sum[1] / options->pairs);
    }
    return true;
}

static bool print_row(const struct learner_game *game, const struct options *options,
                      const struct learner *learner, struct net *const net[2], double seconds)
{
    struct learner_report r;
    struct learner_policy_view view[LEARNER_POLICIES_MAX];
    options->class->report(learner, &r);
    int policies = options->class->policies(learner, view);
    double all = r.play_s + r.network_s + r.learn_s;
    printf("%7.1f s %7" PRIu64
           " ends %6.1f ends/s %8.0f shots/s  play %2.0f net %2.0f learn %2.0f %% "
           " reward %+.3f %+.3f  entropy %.2f %.2f  loss",
           seconds, r.games, (double)r.games / seconds, (double)r.throws / seconds,
           100.0 * r.play_s / all, 100.0 * r.network_s / all, 100.0 * r.learn_s / all, r.reward[0],
           r.reward[1], r.entropy[0], r.entropy[1]);
    for (int k = 0; k < r.losses; k++)
        printf(" %.3f", r.loss[k].value);
    bool good = true;
    for (int k = 0; k < policies && good; k++) {
        for (int seat = 0; seat < 2 && good; seat++)
            good = net_copy_first_outputs(view[k].net[seat], net[seat]) == NET_OK;
        printf("  %s:", view[k].name);
        good = good && judge(game, options, net);
    }
    printf("\n");
    fflush(stdout);
    return good;
}

static int learn(const struct options *options)
{
    char error[LEARNER_ERROR_MAX];
    struct learner_hyper hyper = {options->hyper, options->hyper_count};
    struct learner_game *game = curling_learner_new(&options->curling, error);
    struct learner *learner =
        game ? options->class->make(options->class, game, &options->common, &hyper, error) : NULL;
    struct net *net[2] = {NULL, NULL};
    int status = EXIT_SUCCESS;

    if (!learner) {
        curling_learner_free(game);
        return complain("start", error);
    }
    struct net_spec spec = options->common.network;
    spec.inputs = game->inputs;
    spec.outputs = game->actions;
    for (int seat = 0; seat < 2 && status == EXIT_SUCCESS; seat++)
        if (net_new(&spec, "cpu", &net[seat], error) != NET_OK)
            status = complain("network", error);

    double spent = 0.0;
    struct learner_report report = {0};
    for (uint64_t next = 0; status == EXIT_SUCCESS;) {
        if (report.games >= next) {
            if (!print_row(game, options, learner, net, spent > 0.0 ? spent : 1e-9))
                status = complain("judging", "an end could not be played");
            next += (uint64_t)options->every;
        }
        if (report.games >= (uint64_t)options->ends)
            break;
        double begun = bench_clock_s(CLOCK_PROCESS_CPUTIME_ID);
        if (!options->class->step(learner, error))
            status = complain("step", error);
        spent += bench_clock_s(CLOCK_PROCESS_CPUTIME_ID) - begun;
        options->class->report(learner, &report);
    }
    net_free(net[0]);
    net_free(net[1]);
    learner_free(learner);
    curling_learner_free(game);
    return status;
}

static bool read_hidden(char *text, int *ret_hidden)
{
    int count = 0;
    for (char *width = strtok(text, ","); width; width = strtok(NULL, ","))
        if (count == NET_HIDDEN_MAX || !bench_read_count(width, 4096, &ret_hidden[count++]))
            return false;
    return count > 0;
}

static bool read_option(const char *name, char *text, struct options *ret)
{
    int number;
    double value;
    char error[256];
    if (strcmp(name, "--algorithm") == 0)
        return (ret->class = learner_class_find(text)) != NULL;
    if (strcmp(name, "--profile") == 0) {
        const struct rules *rules = rules_find(text);
        enum curling_reward reward = ret->curling.reward;
        if (!rules)
            return false;
        ret->curling = curling_learner_defaults(rules);
        ret->curling.reward = reward;
        return true;
    }
    if (strcmp(name, "--reward") == 0) {
        for (int k = 0; curling_reward_names[k]; k++)
            if (strcmp(text, curling_reward_names[k]) == 0) {
                ret->curling.reward = (enum curling_reward)k;
                return true;
            }
        return false;
    }
    if (strcmp(name, "--architecture") == 0) {
        struct policy_form form = {0};
        snprintf(form.architecture, sizeof form.architecture, "%s", text);
        if (!policy_sees_of(text, &form.sees))
            return false;
        form.actions = POLICY_ACTIONS;
        struct net_spec spec = policy_net_spec(&form, 0);
        memcpy(spec.hidden, ret->common.network.hidden, sizeof spec.hidden);
        ret->common.network = spec;
        ret->common.network.architecture = text;
        ret->curling.sees = form.sees;
        return true;
    }
    if (strcmp(name, "--hidden") == 0) {
        memset(ret->common.network.hidden, 0, sizeof ret->common.network.hidden);
        return read_hidden(text, ret->common.network.hidden);
    }
    if (strcmp(name, "--opponent") == 0) {
        ret->opponent_names[ret->opponent_count] = text;
        return ret->opponent_count < OPPONENTS_MAX &&
               player_read(text, &ret->opponents[ret->opponent_count++], sizeof error, error);
    }
    if (strcmp(name, "--seed") == 0 && bench_read_count(text, 1 << 30, &number)) {
        ret->common.seed = (uint64_t)number;
        return true;
    }
    if (strncmp(name, "--", 2) == 0)
        return strcmp(name, "--ends") == 0      ? bench_read_count(text, 1 << 30, &ret->ends)
               : strcmp(name, "--every") == 0   ? bench_read_count(text, 1 << 30, &ret->every)
               : strcmp(name, "--pairs") == 0   ? bench_read_count(text, 1 << 20, &ret->pairs)
               : strcmp(name, "--threads") == 0 ? bench_read_count(text, 64, &ret->common.threads)
                                                : false;
    char *end;
    value = strtod(text, &end);
    if (*text == '\0' || *end || !isfinite(value) || ret->hyper_count == HYPER_MAX)
        return false;
    ret->hyper[ret->hyper_count++] = (struct learner_number){name, value};
    return true;
}

int main(int argc, char **argv)
{
    struct options options = {
        .class = learner_class_find("nfsp"),
        .curling = curling_learner_defaults(rules_find("dc2")),
        .common = {.network = {.architecture = "mlp", .hidden = {256, 128}},
                   .device = "cpu",
                   .threads = 1,
                   .seed = 1},
        .ends = 20000,
        .every = 2000,
        .pairs = 200,
    };
    for (int k = 1; k < argc; k++) {
        char *equal = strchr(argv[k], '=');
        bool flag = strncmp(argv[k], "--", 2) == 0;
        char *name = argv[k], *text = flag ? argv[++k] : equal ? equal + 1 : NULL;
        if (!flag && equal)
            *equal = '\0';
        if (!text || !read_option(name, text, &options))
            return complain(name, "not understood; the beginning of tests/bench/learn.c has all");
    }
    if (options.opponent_count == 0) {
        static char names[2][16] = {"random", "ai-simple"};
        read_option("--opponent", names[0], &options);
        read_option("--opponent", names[1], &options);
    }
    options.curling.opponents = options.opponents;
    options.curling.opponent_count = options.opponent_count;
    options.curling.discount = 1.0;
    for (int k = 0; k < options.hyper_count; k++)
        if (strcmp(options.hyper[k].name, "discount") == 0)
            options.curling.discount = options.hyper[k].value;
    return learn(&options);
}
