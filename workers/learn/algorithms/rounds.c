/* The frame of algorithms that learn in rounds. See rounds.h. */
#include "workers/learn/algorithms/rounds.h"

#include "models/networks/end_value.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rounds *rounds_of(struct learner *learner)
{
    return learner->class->rounds ? (struct rounds *)learner : NULL;
}

void rounds_settings(const struct rounds_class *class, const struct learner_hyper *hyper,
                     double ret_settings[ROUNDS_SETTINGS_MAX])
{
    assert(class->field_count <= ROUNDS_SETTINGS_MAX);
    hyper_fill(class->fields, class->field_count, hyper, ret_settings);
}

bool rounds_set_up(struct rounds *rounds, const struct rounds_class *class,
                   const struct rules *rules, const struct learner_common *common,
                   const struct learner_hyper *hyper)
{
    rounds->class = class;
    rounds->rules = rules;
    rounds->common = *common;
    rounds_settings(class, hyper, rounds->settings);
    rounds->pool = pool_new(common->threads);
    return rounds->pool != NULL;
}

void rounds_clean_up(struct rounds *rounds)
{
    pool_free(rounds->pool);
}

static bool fail(const struct rounds *rounds, char *ret_error, const char *why)
{
    snprintf(ret_error, LEARNER_ERROR_MAX, "%s: %s", rounds->learner.class->name, why);
    return false;
}

static size_t wanted(const struct rounds *rounds, int part)
{
    return rounds->class->part[part].wanted(rounds->settings, rounds->state.games);
}

bool rounds_is_complete(const struct rounds *rounds, int part)
{
    return rounds->made[part] >= wanted(rounds, part);
}

bool rounds_begin(struct rounds *rounds, char *ret_error)
{
    const struct rounds_class *class = rounds->class;
    const uint64_t round = rounds->state.games;

    for (int part = 0; part < class->parts; part++)
        if (round == 0 || class->part[part].batch(round) == round)
            rounds->made[part] = 0;
    rounds->counted = rounds->updated = 0;
    return class->begin(rounds, ret_error);
}

bool rounds_on_sheet(const struct rules *rules, struct vec2 at)
{
    const double slack = 0.5; /* m */
    const struct rules_area *sheet = &rules->sheet;
    const struct rules_area wide = {sheet->side_x + slack, sheet->near_y - slack,
                                    sheet->far_y + slack};

    return rules_area_has(&wide, at); /* what is not a number is nowhere */
}

bool rounds_is_position(const struct rules *rules, const struct compact_position *position)
{
    const struct position open = compact_position_open(position);
    bool good = position->thrown <= POSITION_STONES && position->in_play >> position->thrown == 0 &&
                position->unused == 0;

    for (int k = 0; k < POSITION_STONES; k++)
        good = good && (position_has(&open, k) ? rounds_on_sheet(rules, open.stone[k])
                                               : position->x[k] == 0 && position->y[k] == 0);
    return good;
}

/* ---- making ---- */

struct making {
    struct rounds *rounds;
    const struct rounds_part *part;
    size_t first;
    const atomic_bool *stop;
};

static void make_one(void *context, size_t index, int thread)
{
    const struct making *making = context;

    if ((making->stop && atomic_load(making->stop)) ||
        !making->part->make(making->rounds, making->first + index, thread))
        pool_stop(making->rounds->pool);
}

static bool make_some(struct rounds *rounds, int part, size_t first, size_t count,
                      const atomic_bool *stop, char *ret_error)
{
    const struct rounds_part *kind = &rounds->class->part[part];
    struct making making = {rounds, kind, first, stop};
    const double start_s = pool_thread_s();

    if (kind->prepare)
        kind->prepare(rounds);
    bool good = pool_run(rounds->pool, count, make_one, &making);
    rounds->play_s += pool_thread_s() - start_s;
    if (stop && atomic_load(stop))
        return false;
    return good || fail(rounds, ret_error,
                        end_value_blame("a shot could not be chosen or played: no memory?"));
}

static void count_made(struct rounds *rounds, int part, size_t count)
{
    rounds->made[part] += count;
    if (rounds->class->part[part].counts) {
        rounds->state.items += count;
        rounds->counted += count;
    }
}

bool rounds_make(struct rounds *rounds, int part, size_t first, size_t count,
                 const atomic_bool *stop, char ret_error[LEARNER_ERROR_MAX])
{
    const size_t at_once = rounds->class->part[part].at_once;

    assert(first + count <= wanted(rounds, part));
    *ret_error = '\0';
    for (size_t done = 0; done < count;) {
        const size_t left = count - done, some = left < at_once ? left : at_once;
        if (!make_some(rounds, part, first + done, some, stop, ret_error))
            return false;
        done += some;
    }
    return true;
}

bool rounds_take(struct rounds *rounds, int part, const unsigned char *bytes)
{
    const struct rounds_part *kind = &rounds->class->part[part];

    if (rounds_is_complete(rounds, part) ||
        !kind->is_sound(bytes, rounds->rules, rounds->state.games))
        return false;
    kind->take(rounds, rounds->made[part], bytes);
    count_made(rounds, part, 1);
    return true;
}

/* ---- steps ---- */

/* Makes the next items that are missing. */
static bool make_next(struct rounds *rounds, int part, char *ret_error)
{
    const size_t left = wanted(rounds, part) - rounds->made[part],
                 at_once = rounds->class->part[part].at_once,
                 some = left < at_once ? left : at_once;
    bool good = make_some(rounds, part, rounds->made[part], some, NULL, ret_error);

    if (good)
        count_made(rounds, part, some);
    return good;
}

static bool fit(struct rounds *rounds, char *ret_error)
{
    const double start_s = pool_thread_s();
    const enum rounds_fit answer = rounds->class->fit(rounds, ret_error);
    bool good = answer != ROUNDS_FAILED;

    if (answer == ROUNDS_FITTED) {
        rounds->is_judged = true;
        rounds->state.games++;
        good = rounds_begin(rounds, ret_error);
    }
    rounds->learn_s += pool_thread_s() - start_s;
    return good;
}

bool rounds_step(struct learner *learner, char ret_error[LEARNER_ERROR_MAX])
{
    struct rounds *rounds = (struct rounds *)learner;

    if (rounds->state.games >= rounds->class->rounds_most)
        return fail(rounds, ret_error, "no random streams are left for another round");
    for (int part = 0; part < rounds->class->parts; part++)
        if (!rounds_is_complete(rounds, part))
            return make_next(rounds, part, ret_error);
    return fit(rounds, ret_error);
}

/* ---- reports and files ---- */

double rounds_work(const struct rounds *rounds)
{
    const struct rounds_class *class = rounds->class;
    const int last = class->parts - 1; /* the others are left out of estimates */
    const size_t all = wanted(rounds, last);
    double make, learn;

    class->costs(rounds->settings, rounds->state.games, &make, &learn);
    return (double)rounds->state.games +
           (make * (double)rounds->made[last] / (double)(all > 0 ? all : 1) +
            learn * class->fitted(rounds)) /
               (make + learn);
}

double rounds_share_of(const struct rounds *rounds, int64_t round)
{
    return (int64_t)rounds->state.games > round ? 1.0 : rounds->class->fitted(rounds);
}

void rounds_report(const struct rounds *rounds, struct learner_report *ret_report)
{
    const struct rounds_state *state = &rounds->state;
    const double none = (double)NAN;

    *ret_report = (struct learner_report){.steps = state->items,
                                          .games = state->games,
                                          .decisions = state->items,
                                          .updates = rounds->is_judged ? state->updates : 0,
                                          .explore = none,
                                          .anticipatory = none,
                                          .reward = {none, none},
                                          .entropy = {none, none},
                                          .losses = 1,
                                          .play_s = rounds->play_s,
                                          .learn_s = rounds->learn_s};
}

bool rounds_write(const struct learner *learner, FILE *file)
{
    const struct rounds *rounds = (const struct rounds *)learner;
    const struct rounds_class *class = rounds->class;
    const struct rounds_state *state = &rounds->state;
    const uint64_t numbers[3] = {state->games, state->items - rounds->counted,
                                 state->updates - rounds->updated};

    return fwrite(class->magic, sizeof class->magic, 1, file) == 1 &&
           fwrite(numbers, sizeof numbers, 1, file) == 1 &&
           fwrite(state->quality, sizeof *state->quality, (size_t) class->quality, file) ==
               (size_t) class->quality &&
           class->write(rounds, file);
}

bool rounds_read(struct rounds *rounds, FILE *file)
{
    const struct rounds_class *class = rounds->class;
    struct rounds_state *state = &rounds->state;
    char magic[sizeof class->magic];
    uint64_t numbers[3];

    if (fread(magic, sizeof magic, 1, file) != 1 ||
        memcmp(magic, class->magic, sizeof magic) != 0 ||
        fread(numbers, sizeof numbers, 1, file) != 1 || numbers[0] > class->rounds_most ||
        fread(state->quality, sizeof *state->quality, (size_t) class->quality, file) !=
            (size_t) class->quality)
        return false;
    state->games = numbers[0];
    state->items = numbers[1];
    state->updates = numbers[2];
    rounds->is_judged = state->games > 0;
    return class->read(rounds, file);
}

bool rounds_write_policy(const struct policy *policy, FILE *file)
{
    unsigned char *bytes = NULL;
    char error[NET_ERROR_MAX];
    size_t size = 0;

    bool good = !policy || policy_write_all(policy, &bytes, &size, error) == NET_OK;
    const uint64_t length = size;
    good = good && fwrite(&length, sizeof length, 1, file) == 1 &&
           fwrite(bytes ? bytes : (unsigned char *)"", 1, size, file) == size;
    free(bytes);
    return good;
}

bool rounds_read_policy(FILE *file, const struct policy_form *form, struct policy **ret_policy)
{
    enum { BYTES_MOST = 1 << 28 };
    char error[NET_ERROR_MAX];
    uint64_t length;

    if (fread(&length, sizeof length, 1, file) != 1 || length > BYTES_MOST)
        return false;
    if (length == 0)
        return true;
    unsigned char *bytes = malloc(length);
    bool good = bytes && fread(bytes, 1, length, file) == length &&
                policy_read(bytes, length, "cpu", ret_policy, error) == NET_OK;
    free(bytes);
    if (!good)
        return false;
    const struct policy_form *read = &(*ret_policy)->form;
    good = read->sees == form->sees && read->actions == form->actions &&
           read->has_scores == form->has_scores &&
           strcmp(read->architecture, form->architecture) == 0 &&
           memcmp(read->hidden, form->hidden, sizeof form->hidden) == 0;
    if (!good) {
        policy_free(*ret_policy);
        *ret_policy = NULL;
    }
    return good;
}
