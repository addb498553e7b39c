/* Writes policy files, plays matches, measures exploitability. */
#include "workers/learn/training/train_judge.h"

#include "api/base/clock.h"
#include "models/tables/profiles.h"
#include "workers/evaluate/exploit/exploitability_task.h"
#include "workers/evaluate/play/match.h"
#include "workers/evaluate/play/series.h"
#include "workers/evaluate/play/tendencies.h"
#include "workers/evaluate/statistics/statistics.h"
#include "workers/search/policy/policy_store.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JUDGE_SEED 20261121

enum {
    MATCH_ENDS = 2,
    PAPER_ENDS = 1, /* of each game that count in pair_score */
    OWN_PAIRS = 8,  /* of games against itself: 256 throws by each seat */
    /* Exploitability is measured repeatedly during a run, so with less effort than in an
     * exploitability job: 84 ends played out at each shot of the local best response. */
    CANDIDATES = 24,
    SAMPLES = 2,
    ROUNDS = 2,
    SELECTION_SHARE = 5, /* one end in SELECTION_SHARE serves to choose the responders */
    TRIED_MOST = 256,    /* ends of a responder that are tried out at once */
    NAME_MOST = 119      /* length of a curve's name */
};

/* ---- files ---- */

/* Returns the bytes of a policy's file; the caller frees them with free(). */
static enum train_status write_policy(const struct train_judge *judge,
                                      const struct learner *learner,
                                      const struct learner_policy_view *view, int64_t step,
                                      unsigned char **ret_bytes, size_t *ret_size, char *ret_error)
{
    struct policy_form form = judge->game->form;
    char why[NET_ERROR_MAX];

    if (learner->class->policy_file) {
        *ret_bytes = learner->class->policy_file(learner, ret_size);
        return *ret_bytes ? TRAIN_OK : train_fail(ret_error, TRAIN_NO_MEMORY, "out of memory");
    }

    form.outputs = view->values ? POLICY_VALUES : POLICY_LOGITS;
    form.step = step;
    snprintf(form.algorithm, sizeof form.algorithm, "%s", learner->class->name);
    snprintf(form.policy, sizeof form.policy, "%s", view->name);
    snprintf(form.run, sizeof form.run, "%s", judge->run);
    enum net_status status =
        policy_write(&form, view->net[0], view->net[1], ret_bytes, ret_size, why);
    return status == NET_OK
               ? TRAIN_OK
               : train_fail(ret_error, status == NET_NO_MEMORY ? TRAIN_NO_MEMORY : TRAIN_FAILED,
                            "%s", why);
}

/* Reads the file back before it is written: readers refuse weights that are not finite. */
static enum train_status check_policy(const unsigned char *bytes, size_t size, char *ret_error)
{
    struct policy *policy;
    char why[NET_ERROR_MAX];

    switch (policy_read(bytes, size, "cpu", &policy, why)) {
    case NET_OK:
        policy_free(policy);
        return TRAIN_OK;
    case NET_BAD_FILE:
        return train_fail(ret_error, TRAIN_DIVERGED, "a weight is infinite or not a number");
    case NET_NO_MEMORY:
        return train_fail(ret_error, TRAIN_NO_MEMORY, "%s", why);
    default:
        return train_fail(ret_error, TRAIN_FAILED, "%s", why);
    }
}

enum train_status train_judge_keep(const struct train_judge *judge, const struct learner *learner,
                                   int64_t step,
                                   struct train_policy_file ret_files[LEARNER_POLICIES_MAX],
                                   int *ret_count, char ret_error[TRAIN_ERROR_MAX])
{
    struct learner_policy_view views[LEARNER_POLICIES_MAX];
    enum train_status status = TRAIN_OK;

    *ret_count = learner->class->policies(learner, views);
    for (int k = 0; k < *ret_count && status == TRAIN_OK; k++) {
        struct train_policy_file *file = &ret_files[k];
        unsigned char *bytes = NULL;
        char path[TRAIN_PATH_MAX];
        size_t size;
        file->policy = views[k].name;
        snprintf(file->name, sizeof file->name, "%s-%s-%" PRId64 ".safetensors", judge->run,
                 file->policy, step);
        snprintf(path, sizeof path, "%s/%s", judge->folder, file->name);
        status = write_policy(judge, learner, &views[k], step, &bytes, &size, ret_error);
        if (status == TRAIN_OK && !learner->class->policy_file)
            status = check_policy(bytes, size, ret_error);
        if (status == TRAIN_OK)
            status = train_file_write_bytes(path, bytes, size, file->sha256, ret_error);
        free(bytes);
    }
    return status;
}

/* ---- players and settings ---- */

/* Measures something of a player and adds it to the points. */
typedef enum train_status measurement(const struct train_judge *judge, const struct player *player,
                                      json_t *points, char *ret_error);

/* Lets the learner's first policy be measured. */
static enum train_status measure_policy(const struct train_judge *judge,
                                        const struct learner *learner, measurement *measure,
                                        json_t **ret_points, char *ret_error)
{
    struct learner_policy_view views[LEARNER_POLICIES_MAX];
    char sha256[TRAIN_SHA256_MAX], text[PLAYER_SPEC_MAX];
    struct player player;
    unsigned char *bytes = NULL;
    size_t size;

    (void)learner->class->policies(learner, views);
    enum train_status status = write_policy(judge, learner, &views[0], 0, &bytes, &size, ret_error);
    if (status == TRAIN_OK && !policy_store_add(bytes, size, sha256, TRAIN_ERROR_MAX, ret_error))
        status = TRAIN_FAILED;
    free(bytes);
    if (status != TRAIN_OK)
        return status;
    snprintf(text, sizeof text, "policy:weights=%s", sha256);
    json_t *points = json_object();
    status = player_read(text, &player, TRAIN_ERROR_MAX, ret_error)
                 ? measure(judge, &player, points, ret_error)
                 : TRAIN_FAILED;
    policy_store_drop(sha256);
    if (status == TRAIN_OK)
        *ret_points = points;
    else
        json_decref(points);
    return status;
}

static struct pair_setting setting_of(const struct train_judge *judge)
{
    const struct rules *rules = judge->game->rules;
    const struct ice_profile *ice = profile_of(rules)->ice;

    return (struct pair_setting){.rules = rules,
                                 .ice = ice,
                                 .noise = noise_default(ice, ice->noise),
                                 .ends = MATCH_ENDS,
                                 .luck_by = judge->plan->evaluate_luck_by,
                                 .seed = JUDGE_SEED};
}

/* Adds a point of the curve KIND/NAME. */
static void put(json_t *points, const char *kind, const char *name, double value)
{
    char whole[NAME_MOST + PLAYER_SPEC_MAX];

    snprintf(whole, sizeof whole, "%s/%s", kind, name);
    if (strlen(whole) > NAME_MOST) { /* a player's long settings; "#K" keeps names distinct */
        whole[NAME_MOST - 3] = '\0';
        for (int k = 0; k < 100 && (k == 0 || json_object_get(points, whole)); k++)
            snprintf(whole + NAME_MOST - 3, 4, "#%d", k);
    }
    if (isfinite(value))
        json_object_set_new(points, whole, json_real(value));
}

/* Adds a share of pairs or games in percent, with its interval; nothing if it is not known. */
static void put_share(json_t *points, const char *kind, const char *name, double share,
                      struct interval interval)
{
    const char *const parts[] = {"", "_low", "_high"};
    const double values[] = {share, interval.low, interval.high};

    for (int k = 0; k < 3; k++) {
        char curve[NAME_MOST];
        snprintf(curve, sizeof curve, "%s%s", kind, parts[k]);
        put(points, curve, name, 100.0 * values[k]);
    }
}

/* ---- matches ---- */

static enum train_status play_match(const struct train_judge *judge, const struct player *policy,
                                    int opponent, json_t *points, char *ret_error)
{
    const struct train_plan *plan = judge->plan;
    const char *text = plan->opponents.text[opponent];
    const struct player players[2] = {*policy, plan->opponents.player[opponent]};
    struct series series = {.setting = setting_of(judge),
                            .players = players,
                            .player_count = 2,
                            .pairs = plan->evaluate_pairs,
                            .threads = plan->threads,
                            .cancel = judge->stop};
    struct pair_result *results = calloc((size_t)plan->evaluate_pairs, sizeof *results);
    struct match_summary match;
    int64_t count;

    series.setting.luck = luck_setting_of(series.setting.rules, (int)plan->evaluate_luck);
    if (!results)
        return train_fail(ret_error, TRAIN_NO_MEMORY, "out of memory");
    enum series_status status = series_run(&series, results, &count, TRAIN_ERROR_MAX, ret_error);
    if (status == SERIES_OK) {
        match_summarise(results, count, MATCH_ENDS, JUDGE_SEED, &match);
        put_share(points, "win_rate", text, match.score, match.pentanomial);
        const struct pair_score test =
            pair_score_of(results, count, PAPER_ENDS, MATCH_CONFIDENCE, JUDGE_SEED);
        put_share(points, "pair_score", text, test.share, test.interval);
        const struct sample *adjusted = &match.adjusted.score[WITHOUT_LUCK];
        put_share(points, "win_rate_adjusted", text, sample_mean(adjusted),
                  sample_interval(adjusted, MATCH_CONFIDENCE));
    }
    free(results);
    return status == SERIES_OK          ? TRAIN_OK
           : status == SERIES_CANCELLED ? TRAIN_STOPPED
                                        : TRAIN_FAILED;
}

/* Names in curves; NULL: "other". */
static const char *const kinds[SHOT_KIND_COUNT] = {
    [SHOT_DRAW] = "draw",  [SHOT_COME_AROUND] = "draw",  [SHOT_GUARD] = "guard",
    [SHOT_HIT] = "hit",    [SHOT_HIT_AND_ROLL] = "hit",  [SHOT_FREEZE] = "freeze",
    [SHOT_PEEL] = "hit",   [SHOT_RAISE_TAKEOUT] = "hit", [SHOT_RAISE] = "raise",
    [SHOT_DOUBLE] = "hit", [SHOT_TAP_BACK] = "raise"};

static void put_tendencies(const struct tendencies *tendencies, json_t *points)
{
    static const char *const seats[2] = {"sente", "gote"};
    double sum[2] = {0.0, 0.0};

    for (int shot = 0; shot < TENDENCIES_SHOTS; shot++)
        sum[shot % 2] += (double)tendencies_total(tendencies, shot);
    for (int seat = 0; seat < 2; seat++)
        for (int kind = 0; kind < SHOT_KIND_COUNT && sum[seat] > 0.0; kind++) {
            char name[NAME_MOST];
            double count = 0.0;
            for (int shot = seat; shot < TENDENCIES_SHOTS; shot += 2)
                count += (double)tendencies->count[shot][kind];
            snprintf(name, sizeof name, "tendency/%s/%s", seats[seat],
                     kinds[kind] ? kinds[kind] : "other");
            count /= sum[seat];
            count += json_number_value(json_object_get(points, name));
            json_object_set_new(points, name, json_real(count));
        }
}

static enum train_status play_itself(const struct train_judge *judge, const struct player *policy,
                                     json_t *points, char *ret_error)
{
    const struct tendencies_settings settings = {.setting = setting_of(judge),
                                                 .pairs = OWN_PAIRS,
                                                 .threads = judge->plan->threads,
                                                 .cancel = judge->stop};
    const struct player *const players[2] = {policy, NULL};
    struct tendencies tendencies[2];

    switch (tendencies_measure(&settings, players, tendencies)) {
    case PAIR_OK:
        put_tendencies(&tendencies[0], points);
        return TRAIN_OK;
    case PAIR_CANCELLED:
        return TRAIN_STOPPED;
    default:
        return train_fail(ret_error, TRAIN_FAILED, "the policy gave no legal shot");
    }
}

static enum train_status evaluate(const struct train_judge *judge, const struct player *policy,
                                  json_t *points, char *ret_error)
{
    enum train_status status = TRAIN_OK;

    for (int k = 0; k < judge->plan->opponents.count && status == TRAIN_OK; k++)
        status = play_match(judge, policy, k, points, ret_error);
    return status == TRAIN_OK ? play_itself(judge, policy, points, ret_error) : status;
}

enum train_status train_judge_evaluate(const struct train_judge *judge,
                                       const struct learner *learner, json_t **ret_points,
                                       char ret_error[TRAIN_ERROR_MAX])
{
    return measure_policy(judge, learner, evaluate, ret_points, ret_error);
}

/* ---- exploitability ---- */

static void put_mean(json_t *points, const char *policy, const char *seat,
                     const struct result_mean *mean)
{
    double width = STATISTICS_Z_95 * mean->standard_error;
    char name[NAME_MOST];

    snprintf(name, sizeof name, "%s%s", policy, seat);
    put(points, "exploitability", name, mean->points);
    put(points, "exploitability_low", name, mean->points - width);
    put(points, "exploitability_high", name, mean->points + width);
}

/* Makes the task; false, with a sentence: a responder that is always there cannot be read. */
static bool make_task(const struct train_judge *judge, const struct player *policy,
                      struct exploitability_task *ret_task, char *ret_error)
{
    const struct train_plan *plan = judge->plan;
    int selection = (int)plan->exploitability_ends / SELECTION_SHARE;
    struct exploitability_task task = {.player = *policy, .setting = setting_of(judge)};

    task.setting.ends = task.setting.rules->ends;
    task.responder = responder_settings_default();
    task.responder.candidates = CANDIDATES;
    task.responder.samples = SAMPLES;
    task.responder.rounds = ROUNDS;
    task.measure.ends = (int)plan->exploitability_ends;
    task.measure.selection_ends = selection < 2 ? 2 : selection;
    task.measure.seed = JUDGE_SEED;
    task.measure.threads = plan->threads;
    task.measure.cancel = judge->stop;
    exploitability_task_add_usual(&task);
    *ret_task = task;
    return exploitability_task_finish(ret_task, TRAIN_ERROR_MAX, ret_error);
}

/* One that listens to a measurement. */
struct listening {
    const struct train_judge *judge;
    double ends;
};

static void on_end(void *context, int64_t done, bool resumed)
{
    const struct listening *listening = context;

    (void)resumed;
    /* After the last end the figures are still to be told. */
    if (listening->judge->progress && (double)done < listening->ends)
        listening->judge->progress(listening->judge->context, (double)done / listening->ends);
}

/* Says why there is no measurement. */
static enum train_status blame(enum exploitability_status status, char *ret_error)
{
    switch (status) {
    case EXPLOITABILITY_CANCELLED:
        return TRAIN_STOPPED;
    case EXPLOITABILITY_NO_MEMORY:
        return train_fail(ret_error, TRAIN_NO_MEMORY, "out of memory");
    default:
        return train_fail(ret_error, TRAIN_FAILED, "a responder gave no legal shot");
    }
}

static enum train_status measure(const struct train_judge *judge, const struct player *policy,
                                 json_t *points, char *ret_error)
{
    static const char *const names[EXPLOITABILITY_POLICIES_MAX] = {"", "sampled/"};
    struct exploitability_task task;
    struct exploitability result[EXPLOITABILITY_POLICIES_MAX];

    if (!make_task(judge, policy, &task, ret_error))
        return TRAIN_FAILED;
    struct listening listening = {judge, (double)exploitability_task_ends(&task)};
    task.measure.progress = on_end;
    task.measure.context = &listening;
    const enum exploitability_status status = exploitability_task_run(&task, result);
    if (status != EXPLOITABILITY_OK)
        return blame(status, ret_error);
    for (int k = 0; k < task.policies; k++) {
        put_mean(points, names[k], "sente", &result[k].seat[SEAT_SENTE]);
        put_mean(points, names[k], "gote", &result[k].seat[SEAT_GOTE]);
        put_mean(points, names[k], "sum", &result[k].nash_conv);
    }
    return TRAIN_OK;
}

enum train_status train_judge_measure(const struct train_judge *judge,
                                      const struct learner *learner, json_t **ret_points,
                                      char ret_error[TRAIN_ERROR_MAX])
{
    return measure_policy(judge, learner, measure, ret_points, ret_error);
}

/* ---- trying out a measurement ---- */

/* Plays ends of a responder of the selection, one for each thread, and returns the seconds of one;
 * NAN: it was stopped. */
static enum train_status time_responder(const struct exploitability_task *task, int responder,
                                        double *ret_s, char *ret_error)
{
    int8_t points[TRIED_MOST];
    const int64_t pairing = 2 * (int64_t)task->measure.selection_ends;
    struct exploitability_part part = {.phase = EXPLOITABILITY_SELECTION,
                                       .from = responder * pairing,
                                       .count = task->measure.threads};

    if (part.count > pairing)
        part.count = pairing;
    if (part.count > TRIED_MOST)
        part.count = TRIED_MOST;
    const double start_s = clock_now_s();
    const enum exploitability_status status = exploitability_task_play(task, 0, &part, points);
    *ret_s =
        status == EXPLOITABILITY_OK ? (clock_now_s() - start_s) / (double)part.count : (double)NAN;
    return status == EXPLOITABILITY_OK || status == EXPLOITABILITY_CANCELLED
               ? TRAIN_OK
               : blame(status, ret_error);
}

/* Each responder is timed, the search for best responses first. */
static enum train_status try_measure(const struct train_judge *judge, const struct player *policy,
                                     json_t *points, char *ret_error)
{
    struct exploitability_task task;
    double sum_s = 0.0, most_s = 0.0;

    if (!make_task(judge, policy, &task, ret_error))
        return TRAIN_FAILED;
    for (int k = 0; k < task.members; k++) {
        double one_s;
        enum train_status status = time_responder(&task, k, &one_s, ret_error);
        if (status != TRAIN_OK)
            return status;
        if (isnan(one_s) && k == 0)
            return TRAIN_STOPPED;
        most_s = fmax(most_s, one_s);
        sum_s += isnan(one_s) ? most_s : one_s;
    }
    /* The best responder is not known: it is taken to be the slowest. */
    const double selection_s = 2.0 * task.measure.selection_ends * sum_s,
                 quoted_s = 2.0 * task.measure.ends * most_s;
    json_object_set_new(points, "seconds", json_real(task.policies * (selection_s + quoted_s)));
    return TRAIN_OK;
}

enum train_status train_judge_try_measure(const struct train_judge *judge,
                                          const struct learner *learner, json_t **ret_points,
                                          char ret_error[TRAIN_ERROR_MAX])
{
    return measure_policy(judge, learner, try_measure, ret_points, ret_error);
}
