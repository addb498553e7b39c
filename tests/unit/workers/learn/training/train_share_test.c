/* The progress of a training: its measurements are a part of it, and it ends when they do. */
#include "workers/learn/training/train_judge.h"
#include "workers/learn/training/train_share.h"
#include "workers/learn/training/training.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ITERATIONS 8
#define QUOTE_(x)  #x
#define QUOTE(x)   QUOTE_(x)

static const char measured[] = "{\"iterations\":" QUOTE(
    ITERATIONS) ",\"seeds\":[3],\"network\":{\"architecture\":\"mlp\","
                "\"hidden\":[8]},\"hyper\":{\"parallel\":4,\"batch\":8,"
                "\"warm_up\":64,\"candidates\":3},\"evaluate_every\":0,"
                "\"exploitability_every\":" QUOTE(ITERATIONS) ",\"exploitability_ends\":2}";

/* ---- by hand ---- */

static void a_work_weighs_what_it_has_cost(void **state)
{
    struct train_share share = {
        .work = {[TRAIN_LEARNS] = {.all = 100.0}, [TRAIN_MEASURES] = {.all = 3.0}}};

    (void)state;
    assert_true(train_share_tell(&share) == 0.0 && isnan(train_share_left_s(&share)));
    train_share_note(&share, TRAIN_MEASURES, 1.0, 1.0, 10.0);
    assert_true(train_share_tell(&share) == 0.0 && isnan(train_share_left_s(&share)));
    train_share_note(&share, TRAIN_LEARNS, 50.0, 50.0, 5.0);
    /* 10 s and 5 s of 30 s and 10 s */
    assert_true(fabs(train_share_tell(&share) - 15.0 / 40.0) < 1e-9);
    assert_true(fabs(train_share_left_s(&share) - 25.0) < 1e-9);
}

static void the_share_is_whole_only_when_nothing_is_left(void **state)
{
    struct train_share share = {
        .work = {[TRAIN_LEARNS] = {.all = 100.0}, [TRAIN_MEASURES] = {.all = 2.0}}};

    (void)state;
    train_share_note(&share, TRAIN_MEASURES, 1.0, 1.0, 0.0); /* too quick for the clock */
    train_share_note(&share, TRAIN_LEARNS, 100.0, 100.0, 1e6);
    assert_true(train_share_tell(&share) < 1.0 && train_share_left_s(&share) > 0.0);
    train_share_note(&share, TRAIN_MEASURES, 2.0, 1.0, 0.0);
    assert_true(train_share_tell(&share) == 1.0 && train_share_left_s(&share) == 0.0);
}

static void the_share_never_sinks(void **state)
{
    struct train_share share = {
        .work = {[TRAIN_LEARNS] = {.all = 100.0}, [TRAIN_PLAYS] = {.all = 2.0}}};

    (void)state;
    train_share_note(&share, TRAIN_LEARNS, 90.0, 90.0, 1.0);
    train_share_note(&share, TRAIN_PLAYS, 1.0, 1.0, 1.0);
    const double before = train_share_tell(&share);
    train_share_note(&share, TRAIN_LEARNS, 90.0, 0.0, 1000.0);
    train_share_note(&share, TRAIN_PLAYS, 1.0, 0.0, 1e5); /* it was dearer than it seemed */
    assert_true(train_share_tell(&share) >= before);
}

/* What an earlier process did counts, and what this one has not done yet is left. */
static void a_resumed_training_goes_on_from_its_share(void **state)
{
    struct train_share share = {
        .work = {[TRAIN_LEARNS] = {.all = 100.0}, [TRAIN_MEASURES] = {.all = 2.0}}};

    (void)state;
    train_share_note(&share, TRAIN_LEARNS, 100.0, 0.0, 0.0);
    train_share_note(&share, TRAIN_MEASURES, 1.0, 0.0, 0.0);
    const double told = train_share_tell(&share);
    assert_true(told > 0.5 && told < 1.0);
    assert_true(isnan(train_share_left_s(&share)));
}

static void events_are_counted_as_they_happen(void **state)
{
    (void)state;
    assert_true(train_share_times(10, 0) == 0.0);
    assert_true(train_share_times(10, 4) == 4.0); /* 0, 4, 8, 10 */
    assert_true(train_share_times_until(10, 4, -1) == 0.0);
    assert_true(train_share_times_until(10, 4, 0) == 1.0);
    assert_true(train_share_times_until(10, 4, 8) == 3.0);
    assert_true(train_share_times_until(10, 4, 10) == 4.0);
}

/* ---- a training ---- */

struct heard {
    double share;
    bool has_last; /* the figures of the last measurement */
    int in_measurement, tells, wrong;
    const char *why;
};

static void fault(struct heard *heard, bool is_wrong, const char *why)
{
    if (is_wrong) {
        heard->wrong++;
        heard->why = why;
    }
}

static void hear_line(void *context, const json_t *line)
{
    struct heard *heard = context;
    const json_t *points = json_object_get(line, "points");

    if (json_object_get(points, "exploitability/sum") &&
        json_integer_value(json_object_get(line, "step")) == ITERATIONS)
        heard->has_last = true;
}

static void hear_progress(void *context, const struct training_progress *progress)
{
    struct heard *heard = context;

    heard->tells++;
    heard->in_measurement += progress->ends >= ITERATIONS && !heard->has_last;
    fault(heard, progress->share < heard->share, "it sinks");
    fault(heard, progress->share >= 1.0 && !heard->has_last, "it is whole too early");
    fault(heard, progress->left_s <= 0.0 && !heard->has_last, "nothing is left too early");
    heard->share = progress->share;
}

static void hear_warning(void *context, const char *text)
{
    (void)context;
    print_message("%s\n", text);
}

/* A folder of its own, and a plan in it. */
struct place {
    char folder[64];
    struct train_plan plan;
};

static void open_place(struct place *place)
{
    char path[96];

    strcpy(place->folder, "/tmp/rinkd-share-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    snprintf(path, sizeof path, "%s/plan", place->folder);
    FILE *file = fopen(path, "we");
    assert_true(file && fputs(measured, file) >= 0 && fclose(file) == 0);
    assert_true(train_plan_load("test", path, &place->plan));
}

static void close_place(struct place *place)
{
    char command[96];

    train_plan_free(&place->plan);
    snprintf(command, sizeof command, "rm -rf '%s'", place->folder);
    assert_int_equal(system(command), 0);
}

static void the_progress_includes_the_last_measurement(void **state)
{
    struct place place;
    struct heard heard = {.share = 0.0};
    atomic_bool stop = false;
    char error[TRAIN_ERROR_MAX] = "";
    json_t *result = NULL;
    const struct training_sink sink = {.context = &heard,
                                       .stop = &stop,
                                       .say = hear_line,
                                       .progress = hear_progress,
                                       .warn = hear_warning};

    (void)state;
    open_place(&place);
    struct train_journal *journal = train_journal_open(place.folder, "journal", error);
    assert_non_null(journal);
    const struct training training = {.plan = &place.plan,
                                      .folder = place.folder,
                                      .journal = journal,
                                      .run = {"run"},
                                      .is_alone = true};
    if (training_run(&training, &sink, &result, error) != TRAIN_OK)
        fail_msg("%s", error);
    json_decref(result);
    train_journal_close(journal);
    close_place(&place);
    if (heard.wrong)
        fail_msg("%d of %d: %s", heard.wrong, heard.tells, heard.why);
    assert_true(heard.has_last && heard.share == 1.0);
    assert_true(heard.in_measurement > 2); /* also between its ends */
}

/* ---- the trial of a measurement ---- */

static void a_measurement_is_tried_out_with_each_responder(void **state)
{
    struct place place;
    struct train_game game;
    char error[TRAIN_ERROR_MAX] = "";
    atomic_bool stop = false;
    json_t *points = NULL;

    (void)state;
    open_place(&place);
    assert_int_equal(train_game_make(&place.plan, &game, error), TRAIN_OK);
    const struct learner_common common = {
        .network = game.network, .device = "cpu", .threads = 1, .seed = 3};
    struct learner *learner =
        place.plan.class->make(place.plan.class, game.game, &common, &place.plan.hyper, error);
    assert_non_null(learner);
    const struct train_judge judge = {
        .plan = &place.plan, .game = &game, .folder = place.folder, .run = "run", .stop = &stop};
    if (train_judge_try_measure(&judge, learner, &points, error) != TRAIN_OK)
        fail_msg("%s", error);
    assert_true(json_real_value(json_object_get(points, "seconds")) > 0.0);
    json_decref(points);
    atomic_store(&stop, true);
    assert_int_equal(train_judge_try_measure(&judge, learner, &points, error), TRAIN_STOPPED);
    learner_free(learner);
    train_game_free(&game);
    close_place(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_work_weighs_what_it_has_cost),
        cmocka_unit_test(the_share_is_whole_only_when_nothing_is_left),
        cmocka_unit_test(the_share_never_sinks),
        cmocka_unit_test(a_resumed_training_goes_on_from_its_share),
        cmocka_unit_test(events_are_counted_as_they_happen),
        cmocka_unit_test(the_progress_includes_the_last_measurement),
        cmocka_unit_test(a_measurement_is_tried_out_with_each_responder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
