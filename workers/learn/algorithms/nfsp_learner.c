/* NFSP as one of the algorithms that the trainer knows. */
#include "workers/learn/algorithms/nfsp_run.h"

extern const struct learner_class learner_nfsp, learner_nfsp_literal;

static struct nfsp_settings settings_of(enum nfsp_variant variant,
                                        const struct learner_common *common,
                                        const struct learner_hyper *hyper)
{
    struct nfsp_settings s = nfsp_default_settings();
    s.variant = variant;
    s.network = common->network;
    s.device = common->device;
    s.seed = common->seed;
    s.threads = common->threads;

    const struct {
        const char *name;
        double *number;
    } numbers[] = {
        {"anticipatory", &s.anticipatory},
        {"explore", &s.explore},
        {"explore_decay", &s.explore_decay},
        {"discount", &s.discount},
        {"response_rate", &s.response.rate},
        {"average_rate", &s.average.rate},
        {"momentum", &s.response.momentum},
        {"weight_decay", &s.average.decay},
        {"clip", &s.response.clip},
        {"threshold", &s.threshold},
        {"value_lambda", &s.value_lambda},
        {"candidate_temperature", &s.candidate_temperature},
        {"candidate_uniform", &s.candidate_uniform},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        *numbers[k].number = learner_hyper_number(hyper, numbers[k].name, *numbers[k].number);
    s.average.momentum = s.response.momentum;
    s.average.clip = s.response.clip;
    s.response.rule = s.average.rule =
        (enum net_rule)learner_hyper_number(hyper, "optimiser", s.response.rule);

    const struct {
        const char *name;
        int *number;
    } counts[] = {
        {"parallel", &s.parallel},     {"updates", &s.updates},
        {"batch", &s.batch},           {"target_interval", &s.target_interval},
        {"candidates", &s.candidates},
    };
    s.value_network = learner_hyper_number(hyper, "value_network", s.value_network) != 0.0;
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
        *counts[k].number = (int)learner_hyper_number(hyper, counts[k].name, *counts[k].number);

    const struct {
        const char *name;
        size_t *number;
    } sizes[] = {
        {"response_memory", &s.response_memory},
        {"average_memory", &s.average_memory},
        {"warm_up", &s.warm_up},
    };
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        *sizes[k].number =
            (size_t)learner_hyper_number(hyper, sizes[k].name, (double)*sizes[k].number);
    return s;
}

static struct learner *made(struct nfsp *nfsp, const struct learner_class *class)
{
    if (!nfsp)
        return NULL;
    nfsp->learner.class = class;
    return &nfsp->learner;
}

static struct nfsp *of(struct learner *learner)
{
    return (struct nfsp *)learner;
}

static const struct nfsp *of_const(const struct learner *learner)
{
    return (const struct nfsp *)learner;
}

static struct learner *make_standard(const struct learner_game *game,
                                     const struct learner_common *common,
                                     const struct learner_hyper *hyper,
                                     char ret_error[LEARNER_ERROR_MAX])
{
    struct nfsp_settings settings = settings_of(NFSP_STANDARD, common, hyper);
    return made(nfsp_new(game, &settings, ret_error), &learner_nfsp);
}

static struct learner *make_literal(const struct learner_game *game,
                                    const struct learner_common *common,
                                    const struct learner_hyper *hyper,
                                    char ret_error[LEARNER_ERROR_MAX])
{
    struct nfsp_settings settings = settings_of(NFSP_LITERAL, common, hyper);
    return made(nfsp_new(game, &settings, ret_error), &learner_nfsp_literal);
}

static struct learner *read_standard(const struct learner_game *game,
                                     const struct learner_common *common,
                                     const struct learner_hyper *hyper, FILE *file,
                                     char ret_error[LEARNER_ERROR_MAX])
{
    struct nfsp_settings settings = settings_of(NFSP_STANDARD, common, hyper);
    return made(nfsp_read(game, &settings, file, ret_error), &learner_nfsp);
}

static struct learner *read_literal(const struct learner_game *game,
                                    const struct learner_common *common,
                                    const struct learner_hyper *hyper, FILE *file,
                                    char ret_error[LEARNER_ERROR_MAX])
{
    struct nfsp_settings settings = settings_of(NFSP_LITERAL, common, hyper);
    return made(nfsp_read(game, &settings, file, ret_error), &learner_nfsp_literal);
}

static void free_run(struct learner *learner)
{
    nfsp_free(of(learner));
}

static bool step(struct learner *learner, char ret_error[LEARNER_ERROR_MAX])
{
    return nfsp_step(of(learner), ret_error);
}

static void report(const struct learner *learner, struct learner_report *ret_report)
{
    const struct nfsp *nfsp = of_const(learner);
    struct nfsp_report r = nfsp_report(nfsp);
    struct nfsp_seconds seconds = nfsp_seconds(nfsp);
    *ret_report = (struct learner_report){.steps = r.steps,
                                          .games = r.games,
                                          .decisions = r.decisions,
                                          .throws = r.throws,
                                          .updates = r.updates,
                                          .explore = r.explore,
                                          .anticipatory = nfsp->settings.anticipatory,
                                          .reward = {r.seat[0].reward, r.seat[1].reward},
                                          .entropy = {r.seat[0].entropy, r.seat[1].entropy},
                                          .play_s = seconds.play_s,
                                          .network_s = seconds.network_s,
                                          .learn_s = seconds.learn_s};
    for (int k = 0; k < 2; k++) {
        learner_report_loss(ret_report, nfsp->game, "response", k, r.seat[k].response_loss);
        learner_report_loss(ret_report, nfsp->game, "average", k, r.seat[k].average_loss);
        if (nfsp->seat[k].value)
            learner_report_loss(ret_report, nfsp->game, "value", k, r.seat[k].value_loss);
        learner_report_memory(ret_report, nfsp->game, "response", k, r.seat[k].response_memory);
        learner_report_memory(ret_report, nfsp->game, "average", k, r.seat[k].average_memory);
    }
}

static int policies(const struct learner *learner,
                    struct learner_policy_view ret_policies[LEARNER_POLICIES_MAX])
{
    const struct nfsp *nfsp = of_const(learner);
    ret_policies[0] = (struct learner_policy_view){
        .name = "average", .net = {nfsp->seat[0].average, nfsp->seat[1].average}};
    ret_policies[1] =
        (struct learner_policy_view){.name = "response",
                                     .net = {nfsp->seat[0].response, nfsp->seat[1].response},
                                     .values = true};
    return 2;
}

static bool write_run(const struct learner *learner, FILE *file)
{
    return nfsp_write(of_const(learner), file);
}

const struct learner_class learner_nfsp = {
    .name = "nfsp",
    .make = make_standard,
    .free = free_run,
    .step = step,
    .report = report,
    .policies = policies,
    .write = write_run,
    .read = read_standard,
};

const struct learner_class learner_nfsp_literal = {
    .name = "nfsp-literal",
    .make = make_literal,
    .free = free_run,
    .step = step,
    .report = report,
    .policies = policies,
    .write = write_run,
    .read = read_literal,
};
