/* See curling_run.h. */
#include "tests/unit/workers/learn/algorithms/curling_run.h"

#include "workers/learn/games/curling_learner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct learner_game *game;
/* Of algorithms whose networks are chosen. */
static const struct net_spec network = {.architecture = "mlp", .hidden = {16}};

int curling_make_game(void **state)
{
    char error[CURLING_LEARNER_ERROR_MAX];
    const struct curling_learner_settings settings = curling_learner_defaults(rules_find("dc2"));

    (void)state;
    game = curling_learner_new(&settings, error);
    return game ? 0 : -1;
}

int curling_free_game(void **state)
{
    (void)state;
    curling_learner_free(game);
    return 0;
}

struct learner *curling_begin(const struct learner_class *class, const struct learner_hyper *hyper,
                              int threads)
{
    const struct learner_common common = {.network = network, .threads = threads, .seed = 3};
    char error[LEARNER_ERROR_MAX];
    struct learner *learner = class->make(class, game, &common, hyper, error);

    if (!learner)
        fail_msg("%s", error);
    return learner;
}

struct learner *curling_read(const struct learner_class *class, const struct learner_hyper *hyper,
                             FILE *file, char ret_error[LEARNER_ERROR_MAX])
{
    const struct learner_common common = {.network = network, .threads = 1, .seed = 3};

    rewind(file);
    return class->read(class, game, &common, hyper, file, ret_error);
}

void curling_go_on(struct learner *learner, uint64_t games)
{
    char error[LEARNER_ERROR_MAX];

    while (learner_report_of(learner).games < games)
        if (!learner->class->step(learner, error))
            fail_msg("%s", error);
}

double curling_figure(const struct learner *learner, const char *name)
{
    const struct learner_report report = learner_report_of(learner);

    for (int k = 0; k < report.figures; k++)
        if (strcmp(report.figure[k].name, name) == 0)
            return report.figure[k].value;
    fail_msg("no figure %s", name);
    return 0.0;
}

void curling_assert_same_file(const struct learner *a, const struct learner *b)
{
    size_t size, other;
    unsigned char *bytes = a->class->policy_file(a, &size),
                  *others = b->class->policy_file(b, &other);

    assert_non_null(bytes);
    assert_non_null(others);
    assert_int_equal(size, other);
    assert_memory_equal(bytes, others, size);
    free(bytes);
    free(others);
}
