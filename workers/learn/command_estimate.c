/* rink-learn estimate: how long a training would take. */
#include "workers/learn/command.h"
#include "workers/learn/training/train_estimate.h"
#include "workers/learn/training/train_request.h"
#include "workers/options.h"

#include <math.h>

static const char about[] =
    "Tell how long the training of FILE (a SPEC as for train; default: standard input) would take "
    "on "
    "this machine, after a few seconds of it. Writes {\"estimate_s\",\"ends_per_s\",\"learn_s\","
    "\"judge_s\"}; judge_s is null where the opponents take too long to tell, and the sum then "
    "leaves it out.";

static int estimate(const char *command, json_t *spec)
{
    struct strict_errors errors = {.count = 0};
    const struct strict_place place = strict_root(spec, &errors);
    struct train_estimate result;
    struct train_plan plan;
    char error[TRAIN_ERROR_MAX];

    if (!train_plan_read(&place, &plan)) {
        fprintf(stderr, "%s: %s: %s\n", command, errors.error[0].pointer, errors.error[0].message);
        return EXIT_TROUBLE;
    }
    enum train_status status = train_estimate(&plan, &result, error);
    train_plan_free(&plan);
    if (status != TRAIN_OK) {
        command_complain(command, error);
        return EXIT_TROUBLE;
    }
    json_t *answer =
        json_pack("{s:f, s:f, s:f, s:o}", "estimate_s",
                  result.learn_s + (isnan(result.judge_s) ? 0.0 : result.judge_s), "ends_per_s",
                  result.ends_per_s, "learn_s", result.learn_s, "judge_s",
                  isnan(result.judge_s) ? json_null() : json_real(result.judge_s));
    json_dumpf(answer, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(answer);
    return EXIT_GOOD;
}

int command_estimate(int argc, char **argv)
{
    const char *path = NULL;
    const struct option_parser parser = {.about = about, .file = &path};

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    json_t *spec = train_request_read(argv[0], path);
    int status = spec ? estimate(argv[0], spec) : EXIT_TROUBLE;
    json_decref(spec);
    return status;
}
