/* The table of algorithms. */
#include "workers/learn/algorithms/learner.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define CLASS(id, ...) &learner_##id,
static const struct learner_class *const classes[] = {TRAIN_ALGORITHMS(CLASS)};

enum { CLASSES = sizeof classes / sizeof classes[0] };

const struct learner_class *learner_class_find(const char *name)
{
    for (int k = 0; k < CLASSES; k++)
        if (strcmp(classes[k]->name, name) == 0)
            return classes[k];
    return NULL;
}

struct learner_report learner_report_of(const struct learner *learner)
{
    struct learner_report report = {.steps = 0};
    learner->class->report(learner, &report);
    return report;
}

void learner_add_figure(struct learner_report *report, const char *name, double value)
{
    assert(report->figures < LEARNER_LOSSES_MAX);
    struct learner_loss *figure = &report->figure[report->figures++];

    snprintf(figure->name, sizeof figure->name, "%s", name);
    figure->value = value;
}

bool learner_has_diverged(const struct learner *learner)
{
    const struct learner_report report = learner_report_of(learner);

    for (int k = 0; k < report.losses && report.updates > 0; k++) /* NAN before the first one */
        if (!isfinite(report.loss[k].value))
            return true;
    return false;
}
