/* Evolution of networks for hold'em (workers/holdem/evolution.h) as a learning algorithm: a game of
 * the run is a generation. */
#include "workers/holdem/evolution.h"

#include "workers/holdem/network_file.h"
#include "workers/learn/algorithms/learner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct evolve_settings {
    HYPER_EVOLVE(HYPER_MEMBER, HYPER_MEMBER, HYPER_MEMBER)
};

#define NUMBER(...)    HYPER_FIELD(struct evolve_settings, __VA_ARGS__)
#define OPTIMISER(...) HYPER_OPTIMISER_FIELD(struct evolve_settings, __VA_ARGS__)
static const struct hyper_field fields[] = {HYPER_EVOLVE(NUMBER, NUMBER, OPTIMISER)};

struct evolve {
    struct learner learner; /* must be first */
    struct evolution *evolution;
};

static const struct evolution *evolution_of(const struct learner *learner)
{
    return ((const struct evolve *)learner)->evolution;
}

static struct evolution_settings settings_of(const struct learner_common *common,
                                             const struct learner_hyper *hyper)
{
    struct evolve_settings s;

    hyper_fill(fields, sizeof fields / sizeof *fields, hyper, &s);
    struct evolution_settings settings = {.seed = common->seed,
                                          .form = {(int)s.cells, (int)s.hidden},
                                          .population = (int)s.population,
                                          .hands = (int)s.hands,
                                          .finalists = (int)s.finalists,
                                          .validation_hands = (int)s.validation_hands,
                                          .survival = s.survival,
                                          .mutation_rate = s.mutation_rate,
                                          .mutation_strength = s.mutation_strength,
                                          .mutation_fall = (int)s.mutation_fall,
                                          .curriculum = (int)s.curriculum,
                                          .stage = (int)s.stage};
    for (int k = 0; k < common->opponents; k++)
        settings.opponent[settings.opponents++] = common->opponent[k] - 1;
    return settings;
}

static void evolve_free(struct learner *learner)
{
    evolution_free(((struct evolve *)learner)->evolution);
    free(learner);
}

static struct learner *evolve_make(const struct learner_class *class,
                                   const struct learner_game *game,
                                   const struct learner_common *common,
                                   const struct learner_hyper *hyper,
                                   char ret_error[LEARNER_ERROR_MAX])
{
    const struct evolution_settings settings = settings_of(common, hyper);
    const char *wrong = evolution_check(&settings);
    struct evolve *evolve = wrong ? NULL : calloc(1, sizeof *evolve);

    (void)game;
    if (evolve) {
        evolve->learner.class = class;
        evolve->evolution = evolution_new(&settings, common->threads);
    }
    if (evolve && evolve->evolution)
        return &evolve->learner;
    free(evolve);
    snprintf(ret_error, LEARNER_ERROR_MAX, "evolve: %s", wrong ? wrong : "no memory");
    return NULL;
}

static bool evolve_step(struct learner *learner, char ret_error[LEARNER_ERROR_MAX])
{
    (void)ret_error;
    evolution_step(((struct evolve *)learner)->evolution);
    return true;
}

static void evolve_report(const struct learner *learner, struct learner_report *ret_report)
{
    const struct evolution_report now = evolution_report(evolution_of(learner));
    const double none = (double)NAN;

    *ret_report = (struct learner_report){.games = (uint64_t)now.generation,
                                          .decisions = (uint64_t)now.hands,
                                          .explore = none,
                                          .anticipatory = none,
                                          .reward = {none, none},
                                          .entropy = {none, none}};
    learner_add_figure(ret_report, "fitness/best", now.best);
    learner_add_figure(ret_report, "fitness/mean", now.mean);
    learner_add_figure(ret_report, "fitness/champion", now.champion);
    learner_add_figure(ret_report, "won/champion", now.won_mbb);
}

static int evolve_policies(const struct learner *learner,
                           struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX])
{
    (void)learner;
    ret_policies[0] = (struct learner_policy_view){.name = "champion"};
    return 1;
}

static unsigned char *evolve_policy_file(const struct learner *learner, size_t *ret_size)
{
    const struct poker_network champion = evolution_champion(evolution_of(learner));

    return network_file_write(&champion, ret_size);
}

static bool evolve_write(const struct learner *learner, FILE *file)
{
    return evolution_write(evolution_of(learner), file);
}

static struct learner *evolve_read(const struct learner_class *class,
                                   const struct learner_game *game,
                                   const struct learner_common *common,
                                   const struct learner_hyper *hyper, FILE *file,
                                   char ret_error[LEARNER_ERROR_MAX])
{
    struct learner *learner = evolve_make(class, game, common, hyper, ret_error);

    if (!learner || evolution_read(((struct evolve *)learner)->evolution, file))
        return learner;
    evolve_free(learner);
    snprintf(ret_error, LEARNER_ERROR_MAX,
             "evolve: the checkpoint is broken or belongs to other settings");
    return NULL;
}

/* The trainer needs only the name: the players of hold'em are not those of learner_game.h. */
static const struct learner_game holdem_game = {
    .name = "holdem", .seats = {"agent", "opponent"}, .decisions_max = 0};

const struct learner_class learner_evolve = {.name = "evolve",
                                             .game = &holdem_game,
                                             .fields = fields,
                                             .field_count = sizeof fields / sizeof *fields,
                                             .make = evolve_make,
                                             .free = evolve_free,
                                             .step = evolve_step,
                                             .report = evolve_report,
                                             .policies = evolve_policies,
                                             .policy_file = evolve_policy_file,
                                             .write = evolve_write,
                                             .read = evolve_read};
