/* rink-learn estimate: how long a training would take. */
#include "workers/learn/command.h"
#include "workers/learn/training/train_estimate.h"
#include "workers/options.h"

#include <math.h>

static const char about[] =
    "Estimate how long the training of FILE (a SPEC as for train; default: standard input) takes "
    "on "
    "this machine, from a few seconds of trial. Writes {\"estimate_s\",\"ends_per_s\",\"learn_s\","
    "\"judge_s\"}; judge_s is null if judging is too slow to measure, and estimate_s then leaves "
    "it "
    "out.";

int command_estimate(int argc, char **argv)
{
    const char *path = NULL;
    const struct option_parser parser = {.about = about, .file = &path};
    struct train_estimate result;
    struct train_plan plan;
    char error[TRAIN_ERROR_MAX];

    if (!options_parse(&parser, argc, argv) || !train_plan_load(argv[0], path, &plan))
        return EXIT_TROUBLE;
    enum train_status status = train_estimate(&plan, &result, error);
    train_plan_free(&plan);
    if (status != TRAIN_OK) {
        command_complain(argv[0], error);
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
