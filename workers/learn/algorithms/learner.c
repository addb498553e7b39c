/* The table of algorithms, and shared report functions. */
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

bool learner_has_diverged(const struct learner *learner)
{
    struct learner_report report = {.steps = 0};

    learner->class->report(learner, &report);
    for (int k = 0; k < report.losses && report.updates > 0; k++) /* NAN before the first one */
        if (!isfinite(report.loss[k].value))
            return true;
    return false;
}

void learner_report_loss(struct learner_report *report, const struct learner_game *game,
                         const char *name, int seat, double value)
{
    assert(report->losses < LEARNER_LOSSES_MAX);
    struct learner_loss *loss = &report->loss[report->losses++];
    snprintf(loss->name, sizeof loss->name, "loss/%s/%s", name, game->seats[seat]);
    loss->value = value;
}

void learner_report_memory(struct learner_report *report, const struct learner_game *game,
                           const char *name, int seat, uint64_t entries)
{
    assert(report->memories < LEARNER_MEMORIES_MAX);
    struct learner_memory *memory = &report->memory[report->memories++];
    snprintf(memory->name, sizeof memory->name, "memory/%s/%s", name, game->seats[seat]);
    memory->entries = entries;
}
