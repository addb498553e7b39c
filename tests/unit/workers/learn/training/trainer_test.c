/* The trainer with a learner that only counts: which action happens after which end. */
#include "workers/learn/training/trainer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a learner that plays seven ends a step ---- */

struct counter {
    struct learner learner;
    uint64_t steps, breaks_at; /* the loss becomes NaN after this many steps; 0: never */
    uint64_t seed;
};

static struct learner *make(const struct learner_class *own, const struct learner_game *game,
                            const struct learner_common *common, const struct learner_hyper *hyper,
                            char *ret_error);
static struct learner *read_counter(const struct learner_class *own,
                                    const struct learner_game *game,
                                    const struct learner_common *common,
                                    const struct learner_hyper *hyper, FILE *file, char *ret_error);

static void free_counter(struct learner *learner)
{
    free(learner);
}

static bool step(struct learner *learner, char *ret_error)
{
    struct counter *counter = (struct counter *)learner;

    counter->steps++;
    if (counter->steps != counter->breaks_at)
        return true;
    snprintf(ret_error, LEARNER_ERROR_MAX, "its loss is not a number");
    return false;
}

static void report(const struct learner *learner, struct learner_report *ret_report)
{
    const struct counter *counter = (const struct counter *)learner;
    bool broken = counter->breaks_at > 0 && counter->steps >= counter->breaks_at;

    *ret_report = (struct learner_report){.steps = counter->steps,
                                          .games = 7 * counter->steps,
                                          .decisions = 7 * counter->steps,
                                          .throws = 14 * counter->steps,
                                          .updates = counter->steps,
                                          .explore = 0.5,
                                          .anticipatory = NAN,
                                          .reward = {0.25, NAN},
                                          .entropy = {NAN, 2.0},
                                          .losses = 1,
                                          .loss = {{"loss/value/first", broken ? NAN : 1.0}}};
}

static int policies(const struct learner *learner, struct learner_policy_view *ret_policies)
{
    (void)learner;
    (void)ret_policies;
    return 0;
}

static bool write_counter(const struct learner *learner, FILE *file)
{
    const struct counter *counter = (const struct counter *)learner;
    return fwrite(&counter->steps, sizeof counter->steps, 1, file) == 1;
}

static const struct learner_class class = {.name = "counter",
                                           .make = make,
                                           .free = free_counter,
                                           .step = step,
                                           .report = report,
                                           .policies = policies,
                                           .write = write_counter,
                                           .read = read_counter};

static struct learner *make(const struct learner_class *own, const struct learner_game *game,
                            const struct learner_common *common, const struct learner_hyper *hyper,
                            char *ret_error)
{
    struct counter *counter = calloc(1, sizeof *counter);

    (void)game;
    (void)ret_error;
    assert_non_null(counter);
    counter->learner.class = own;
    counter->seed = common->seed;
    counter->breaks_at = (uint64_t)learner_hyper_number(hyper, "breaks_at", 0.0);
    return &counter->learner;
}

static struct learner *read_counter(const struct learner_class *own,
                                    const struct learner_game *game,
                                    const struct learner_common *common,
                                    const struct learner_hyper *hyper, FILE *file, char *ret_error)
{
    struct learner *learner = make(own, game, common, hyper, ret_error);

    if (fread(&((struct counter *)learner)->steps, sizeof(uint64_t), 1, file) == 1)
        return learner;
    free(learner);
    snprintf(ret_error, LEARNER_ERROR_MAX, "it is broken");
    return NULL;
}

/* ---- events as a text: "p7 k10 e10 s10 …" ---- */

struct diary {
    struct trainer_setup setup;
    struct trainer_events events;
    atomic_bool stop;
    char text[2000];
    enum train_status refusal; /* returned by evaluations, once */
    int64_t stop_at;           /* ends; 0: never */
    json_t *last_points;
    FILE *saved;
};

static enum train_status note(struct diary *diary, char letter, int64_t at)
{
    size_t used = strlen(diary->text);
    snprintf(diary->text + used, sizeof diary->text - used, "%s%c%lld", used ? " " : "", letter,
             (long long)at);
    return TRAIN_OK;
}

static enum train_status perform(void *context, struct trainer *trainer, enum trainer_event event,
                                 int64_t at, char *ret_error)
{
    struct diary *diary = context;
    enum train_status refusal = event == TRAINER_EVALUATE ? diary->refusal : TRAIN_OK;

    (void)ret_error;
    if (event == TRAINER_EVALUATE)
        diary->refusal = TRAIN_OK;
    if (event == TRAINER_POINTS) {
        json_decref(diary->last_points);
        diary->last_points = trainer_points(trainer);
    } else if (event == TRAINER_SAVE) {
        rewind(diary->saved);
        json_t *said = json_object();
        assert_true(trainer_write(trainer, said, diary->saved));
        json_decref(said);
    }
    return refusal != TRAIN_OK ? refusal : note(diary, "pkems"[event], at);
}

static void on_progress(void *context, const struct trainer *trainer, int64_t ends,
                        double ends_per_s)
{
    struct diary *diary = context;

    (void)trainer;
    (void)ends_per_s;
    if (diary->stop_at > 0 && ends >= diary->stop_at)
        atomic_store(&diary->stop, true);
}

static struct diary *new_diary(void)
{
    struct diary *diary = calloc(1, sizeof *diary);

    assert_non_null(diary);
    diary->saved = tmpfile();
    assert_non_null(diary->saved);
    diary->setup = (struct trainer_setup){
        .class = &class,
        .game = &kuhn_game,
        .common = {.seed = 9},
        .learning = json_pack("{s:s}", "reward", "fr"),
        .iterations = 40,
        .every = {[TRAINER_POINTS] = 10, [TRAINER_EVALUATE] = 20, [TRAINER_SAVE] = 15}};
    diary->events = (struct trainer_events){
        .context = diary, .stop = &diary->stop, .progress = on_progress, .perform = perform};
    return diary;
}

static void free_diary(struct diary *diary)
{
    json_decref(diary->setup.learning);
    json_decref(diary->last_points);
    fclose(diary->saved);
    free(diary);
}

static struct trainer *begin(struct diary *diary)
{
    struct trainer *trainer;
    char error[TRAIN_ERROR_MAX];

    assert_int_equal(trainer_open(&diary->setup, &diary->events, NULL, false, &trainer, error),
                     TRAIN_OK);
    return trainer;
}

static struct trainer *go_on(struct diary *diary)
{
    struct trainer *trainer;
    char error[TRAIN_ERROR_MAX];

    rewind(diary->saved);
    assert_int_equal(
        trainer_open(&diary->setup, &diary->events, diary->saved, false, &trainer, error),
        TRAIN_OK);
    return trainer;
}

/* ---- scenarios ---- */

/* Ends come in sevens: 7 14 21 28 35 42. At 21 the multiples of 10, 15 and 20 are reached together:
 * policies are kept once, under the last of them. The last step is the run's length. */
static const char whole[] = "k0 e0 p10 p20 k20 e20 s15 p30 k30 s30 p40 k40 e40 s40";

static void due_work_is_done_once_at_its_end(void **state)
{
    struct diary *diary = new_diary();
    struct trainer *trainer = begin(diary);
    char error[TRAIN_ERROR_MAX];

    (void)state;
    assert_int_equal(trainer_run(trainer, error), TRAIN_OK);
    assert_string_equal(diary->text, whole);
    assert_int_equal(trainer_ends(trainer), 42);
    assert_int_equal(trainer_run(trainer, error), TRAIN_OK); /* nothing is left */
    assert_string_equal(diary->text, whole);
    trainer_free(trainer);
    free_diary(diary);
}

static void a_stopped_run_resumes_without_gaps_or_repeats(void **state)
{
    char error[TRAIN_ERROR_MAX];

    (void)state;
    for (int at = 7; at <= 35; at += 7) {
        struct diary *diary = new_diary();
        struct trainer *trainer = begin(diary);
        diary->stop_at = at;
        assert_int_equal(trainer_run(trainer, error), TRAIN_STOPPED);
        assert_int_equal(trainer_ends(trainer), at);
        assert_int_equal(trainer_save(trainer, error), TRAIN_OK);
        trainer_free(trainer);
        diary->stop = false;
        diary->stop_at = 0;
        trainer = go_on(diary);
        assert_int_equal(trainer_ends(trainer), at);
        assert_int_equal(trainer_run(trainer, error), TRAIN_OK);
        trainer_free(trainer);

        /* The same, except for when it was saved. */
        char text[sizeof diary->text] = "";
        for (char *word = strtok(diary->text, " "); word; word = strtok(NULL, " "))
            if (*word != 's' && *word != 'k') {
                strcat(text, word);
                strcat(text, " ");
            }
        assert_string_equal(text, "e0 p10 p20 e20 p30 p40 e40 ");
        free_diary(diary);
    }
}

/* A stop in the middle of matches: they are still due, and earlier steps are done. */
static void interrupted_work_is_still_due(void **state)
{
    struct diary *diary = new_diary();
    struct trainer *trainer = begin(diary);
    char error[TRAIN_ERROR_MAX];

    (void)state;
    diary->setup.every[TRAINER_MEASURE] = 20;
    diary->refusal = TRAIN_STOPPED;
    assert_int_equal(trainer_run(trainer, error), TRAIN_STOPPED);
    assert_string_equal(diary->text, "k0");
    assert_int_equal(trainer_run(trainer, error), TRAIN_OK);
    trainer_free(trainer);
    *diary->text = '\0';
    trainer = begin(diary);
    diary->refusal = TRAIN_DISK;
    assert_int_equal(trainer_run(trainer, error), TRAIN_DISK);
    assert_int_equal(trainer_save(trainer, error), TRAIN_OK); /* there is nothing to save */
    assert_string_equal(diary->text, "k0");
    assert_int_equal(trainer_run(trainer, error), TRAIN_OK);
    assert_string_equal(diary->text,
                        "k0 e0 m0 p10 p20 k20 e20 m20 s15 p30 k30 s30 p40 k40 e40 m40 s40");
    trainer_free(trainer);
    free_diary(diary);
}

static void points_say_what_the_learner_reports(void **state)
{
    struct diary *diary = new_diary();
    struct trainer *trainer = begin(diary);
    char error[TRAIN_ERROR_MAX];

    (void)state;
    assert_int_equal(trainer_run(trainer, error), TRAIN_OK);
    assert_true(json_real_value(json_object_get(diary->last_points, "loss/value/first")) == 1.0);
    assert_true(json_real_value(json_object_get(diary->last_points, "reward/first")) == 0.25);
    assert_true(json_real_value(json_object_get(diary->last_points, "entropy/second")) == 2.0);
    assert_true(json_real_value(json_object_get(diary->last_points, "explore")) == 0.5);
    double ends = json_real_value(json_object_get(diary->last_points, "ends_per_s")),
           shots = json_real_value(json_object_get(diary->last_points, "shots_per_s"));
    assert_true(ends > 0.0 && fabs(shots / ends - 2.0) < 1e-9);
    assert_null(json_object_get(diary->last_points, "reward/second")); /* unknown */
    assert_null(json_object_get(diary->last_points, "eta"));
    trainer_free(trainer);
    free_diary(diary);
}

static void a_nan_loss_differs_from_other_failures(void **state)
{
    static const struct learner_number numbers[] = {{"breaks_at", 4}};
    struct diary *diary = new_diary();
    char error[TRAIN_ERROR_MAX];

    (void)state;
    diary->setup.hyper = (struct learner_hyper){numbers, 1};
    struct trainer *trainer = begin(diary);
    assert_int_equal(trainer_run(trainer, error), TRAIN_DIVERGED);
    assert_string_equal(error, "its loss is not a number");
    assert_string_equal(diary->text, "k0 e0 p10 p20 k20 e20 s15"); /* the last good one */
    trainer_free(trainer);
    free_diary(diary);
}

static void assert_refused(struct diary *diary, bool is_branch, const char *part)
{
    struct trainer *trainer;
    char error[TRAIN_ERROR_MAX];

    rewind(diary->saved);
    assert_int_equal(
        trainer_open(&diary->setup, &diary->events, diary->saved, is_branch, &trainer, error),
        TRAIN_BAD_SPEC);
    if (!strstr(error, part))
        fail_msg("'%s' does not say '%s'", error, part);
}

static void a_checkpoint_of_another_run_is_refused_by_name(void **state)
{
    struct diary *diary = new_diary();
    struct trainer *trainer = begin(diary);
    char error[TRAIN_ERROR_MAX];

    (void)state;
    assert_int_equal(trainer_run(trainer, error), TRAIN_OK);
    trainer_free(trainer);
    diary->setup.common.seed = 10;
    assert_refused(diary, false, "another seed: 9, not 10");
    diary->setup.common.seed = 9;
    json_object_set_new(diary->setup.learning, "reward", json_string("ser"));
    assert_refused(diary, true, "another reward: \"fr\", not \"ser\"");
    json_object_set_new(diary->setup.learning, "reward", json_string("fr"));
    diary->setup.game = &leduc_game;
    assert_refused(diary, false, "of counter on kuhn, not of counter on leduc");
    diary->setup.game = &kuhn_game;
    fclose(diary->saved);
    diary->saved = tmpfile();
    fputs("{\"rinkd_run\":1,\"game\":", diary->saved);
    assert_refused(diary, false, "not a checkpoint");
    free_diary(diary);
}

/* It saves a run with its own seed, which resumes like any other. */
static void a_branch_has_its_own_seed_and_may_be_longer(void **state)
{
    struct diary *diary = new_diary();
    struct trainer *trainer = begin(diary);
    char error[TRAIN_ERROR_MAX];

    (void)state;
    assert_int_equal(trainer_run(trainer, error), TRAIN_OK);
    trainer_free(trainer);
    *diary->text = '\0';
    diary->setup.common.seed = 10;
    diary->setup.iterations = 60;
    rewind(diary->saved);
    assert_int_equal(
        trainer_open(&diary->setup, &diary->events, diary->saved, true, &trainer, error), TRAIN_OK);
    assert_int_equal(((const struct counter *)trainer_learner(trainer))->seed, 10);
    assert_int_equal(trainer_run(trainer, error), TRAIN_OK);
    assert_string_equal(diary->text, "k45 s45 p50 p60 k60 e60 s60");
    trainer_free(trainer);
    trainer = go_on(diary);
    assert_int_equal(trainer_ends(trainer), 63);
    assert_int_equal(((const struct counter *)trainer_learner(trainer))->seed, 10);
    trainer_free(trainer);
    diary->setup.common.seed = 9;
    assert_refused(diary, false, "another seed: 10, not 9");
    free_diary(diary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(due_work_is_done_once_at_its_end),
        cmocka_unit_test(a_stopped_run_resumes_without_gaps_or_repeats),
        cmocka_unit_test(interrupted_work_is_still_due),
        cmocka_unit_test(points_say_what_the_learner_reports),
        cmocka_unit_test(a_nan_loss_differs_from_other_failures),
        cmocka_unit_test(a_checkpoint_of_another_run_is_refused_by_name),
        cmocka_unit_test(a_branch_has_its_own_seed_and_may_be_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
