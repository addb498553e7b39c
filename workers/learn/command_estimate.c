/* rink-learn estimate: how long a training would take. */
#include "workers/learn/command.h"
#include "workers/learn/training/train_estimate.h"
#include "workers/options.h"

#include <math.h>

static const char about[] =
    "Estimate how long the training of FILE (a SPEC as for train; default: standard input) takes "
    "on "
    "this machine, from a few seconds of trial. Writes {\"estimate_s\",\"ends_per_s\",\"learn_s\","
    "\"matches_s\",\"exploitability_s\",\"judge_s\"}; matches_s or exploitability_s is null if it "
    "is too slow to try out, estimate_s then leaves it out, and their sum judge_s is null too.";

static double known(double seconds)
{
    return isnan(seconds) ? 0.0 : seconds;
}

static json_t *number_or_null(double seconds)
{
    return isnan(seconds) ? json_null() : json_real(seconds);
}

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
    json_t *answer = json_pack("{s:f, s:f, s:f, s:o, s:o, s:o}", "estimate_s",
                               result.learn_s + known(result.matches_s) + known(result.measures_s),
                               "ends_per_s", result.ends_per_s, "learn_s", result.learn_s,
                               "matches_s", number_or_null(result.matches_s), "exploitability_s",
                               number_or_null(result.measures_s), "judge_s",
                               number_or_null(result.matches_s + result.measures_s));
    json_dumpf(answer, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(answer);
    return EXIT_GOOD;
}
