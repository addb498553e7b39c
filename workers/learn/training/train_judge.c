/* Writes policy files, plays matches, measures exploitability. */
#include "workers/learn/training/train_judge.h"

#include "models/tables/profiles.h"
#include "workers/evaluate/exploit/exploitability_task.h"
#include "workers/evaluate/play/match.h"
#include "workers/evaluate/play/series.h"
#include "workers/evaluate/play/tendencies.h"
#include "workers/search/policy/policy_store.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JUDGE_SEED 20261121

enum {
    MATCH_ENDS = 2,
    OWN_PAIRS = 8, /* of games against itself: 256 throws by each seat */
    /* Exploitability is measured repeatedly during a run, so with less effort than in an
     * exploitability job: 84 ends played out at each shot of the local best response. */
    CANDIDATES = 24,
    SAMPLES = 2,
    ROUNDS = 2,
    SELECTION_SHARE = 5, /* one end in SELECTION_SHARE serves to choose the responders */
    NAME_MOST = 119      /* length of a curve's name */
};

static enum train_status say(char *ret_error, enum train_status status, const char *what)
{
    snprintf(ret_error, TRAIN_ERROR_MAX, "%s", what);
    return status;
}

/* ---- files ---- */

/* Returns the bytes of a policy's file; the caller frees them with free(). */
static enum train_status write_policy(const struct train_judge *judge, const char *algorithm,
                                      const struct learner_policy_view *view, int64_t step,
                                      unsigned char **ret_bytes, size_t *ret_size, char *ret_error)
{
    struct policy_form form = judge->game->form;
    char why[NET_ERROR_MAX];

    form.outputs = view->values ? POLICY_VALUES : POLICY_LOGITS;
    form.step = step;
    snprintf(form.algorithm, sizeof form.algorithm, "%s", algorithm);
    snprintf(form.policy, sizeof form.policy, "%s", view->name);
    snprintf(form.run, sizeof form.run, "%s", judge->run);
    switch (policy_write(&form, view->net[0], view->net[1], ret_bytes, ret_size, why)) {
    case NET_OK:
        return TRAIN_OK;
    case NET_NO_MEMORY:
        return say(ret_error, TRAIN_NO_MEMORY, why);
    default:
        return say(ret_error, TRAIN_FAILED, why);
    }
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
        return say(ret_error, TRAIN_DIVERGED, "a weight is infinite or not a number");
    case NET_NO_MEMORY:
        return say(ret_error, TRAIN_NO_MEMORY, why);
    default:
        return say(ret_error, TRAIN_FAILED, why);
    }
}

static enum train_status keep_policy(const struct train_judge *judge, const char *algorithm,
                                     const struct learner_policy_view *view, int64_t step,
                                     struct train_policy_file *ret_file, char *ret_error)
{
    unsigned char *bytes = NULL;
    size_t size;
    enum train_status status = write_policy(judge, algorithm, view, step, &bytes, &size, ret_error);

    if (status == TRAIN_OK)
        status = check_policy(bytes, size, ret_error);
    ret_file->policy = view->name;
    snprintf(ret_file->name, sizeof ret_file->name, "%s-%s-%" PRId64 ".safetensors", judge->run,
             view->name, step);
    if (status == TRAIN_OK)
        status = train_file_write_bytes(judge->folder, ret_file->name, bytes, size,
                                        ret_file->sha256, ret_error);
    free(bytes);
    return status;
}

enum train_status train_judge_keep(const struct train_judge *judge, const struct learner *learner,
                                   int64_t step,
                                   struct train_policy_file ret_files[LEARNER_POLICIES_MAX],
                                   int *ret_count, char ret_error[TRAIN_ERROR_MAX])
{
    struct learner_policy_view views[LEARNER_POLICIES_MAX];
    int count = learner->class->policies(learner, views);

    for (int k = 0; k < count; k++) {
        enum train_status status =
            keep_policy(judge, learner->class->name, &views[k], step, &ret_files[k], ret_error);
        if (status != TRAIN_OK)
            return status;
    }
    *ret_count = count;
    return TRAIN_OK;
}

/* ---- players and settings ---- */

/* Makes a player of the learner's first policy; free it with drop_policy(). */
static enum train_status take_policy(const struct train_judge *judge, const struct learner *learner,
                                     struct player *ret_player, char *ret_error)
{
    struct learner_policy_view views[LEARNER_POLICIES_MAX];
    char sha256[TRAIN_SHA256_MAX], text[PLAYER_SPEC_MAX];
    unsigned char *bytes = NULL;
    size_t size;

    (void)learner->class->policies(learner, views);
    enum train_status status =
        write_policy(judge, learner->class->name, &views[0], 0, &bytes, &size, ret_error);
    if (status == TRAIN_OK && !policy_store_add(bytes, size, sha256, TRAIN_ERROR_MAX, ret_error))
        status = TRAIN_FAILED;
    free(bytes);
    if (status != TRAIN_OK)
        return status;
    snprintf(text, sizeof text, "policy:weights=%s", sha256);
    if (player_read(text, ret_player, TRAIN_ERROR_MAX, ret_error))
        return TRAIN_OK;
    policy_store_drop(sha256);
    return TRAIN_FAILED;
}

static void drop_policy(const struct player *player)
{
    policy_store_drop(player->weights_sha256);
}

static struct pair_setting setting_of(const struct train_judge *judge)
{
    const struct rules *rules = judge->game->rules;
    const struct ice_profile *ice = profile_of(rules)->ice;

    return (struct pair_setting){.rules = rules,
                                 .ice = ice,
                                 .noise = noise_default(ice, ice->noise),
                                 .ends = MATCH_ENDS,
                                 .seed = JUDGE_SEED};
}

static void put(json_t *points, double value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void put(json_t *points, double value, const char *format, ...)
{
    char name[NAME_MOST + PLAYER_SPEC_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    if (strlen(name) > NAME_MOST) { /* a player's long settings; "#K" keeps names distinct */
        name[NAME_MOST - 3] = '\0';
        for (int k = 0; k < 100 && (k == 0 || json_object_get(points, name)); k++)
            snprintf(name + NAME_MOST - 3, 4, "#%d", k);
    }
    if (isfinite(value))
        json_object_set_new(points, name, json_real(value));
}

/* ---- matches ---- */

static enum train_status play_match(const struct train_judge *judge, const struct player *policy,
                                    int opponent, json_t *points, char *ret_error)
{
    const struct train_plan *plan = judge->plan;
    const char *text = plan->opponents.text[opponent];
    const struct player players[2] = {*policy, plan->opponents.player[opponent]};
    const struct series series = {.setting = setting_of(judge),
                                  .players = players,
                                  .player_count = 2,
                                  .pairs = plan->evaluate_pairs,
                                  .threads = plan->threads,
                                  .cancel = judge->stop};
    struct pair_result *results = calloc((size_t)plan->evaluate_pairs, sizeof *results);
    struct match_summary match;
    int64_t count;

    if (!results)
        return say(ret_error, TRAIN_NO_MEMORY, "out of memory");
    enum series_status status = series_run(&series, results, &count, TRAIN_ERROR_MAX, ret_error);
    if (status == SERIES_OK) {
        match_summarise(results, count, MATCH_ENDS, JUDGE_SEED, &match);
        put(points, 100.0 * match.score, "win_rate/%s", text);
        put(points, 100.0 * match.pentanomial.low, "win_rate_low/%s", text);
        put(points, 100.0 * match.pentanomial.high, "win_rate_high/%s", text);
    }
    free(results);
    return status == SERIES_OK          ? TRAIN_OK
           : status == SERIES_CANCELLED ? TRAIN_STOPPED
                                        : TRAIN_FAILED;
}

static const char *tendency_name(enum shot_kind kind)
{
    switch (kind) {
    case SHOT_DRAW:
    case SHOT_COME_AROUND:
        return "draw";
    case SHOT_GUARD:
        return "guard";
    case SHOT_FREEZE:
        return "freeze";
    case SHOT_HIT:
    case SHOT_HIT_AND_ROLL:
    case SHOT_PEEL:
    case SHOT_DOUBLE:
    case SHOT_RAISE_TAKEOUT:
        return "hit";
    case SHOT_RAISE:
    case SHOT_TAP_BACK:
        return "raise";
    default:
        return "other";
    }
}

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
                     tendency_name((enum shot_kind)kind));
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
        return say(ret_error, TRAIN_FAILED, "the policy gave no shot, or one that is none");
    }
}

enum train_status train_judge_evaluate(const struct train_judge *judge,
                                       const struct learner *learner, json_t **ret_points,
                                       char ret_error[TRAIN_ERROR_MAX])
{
    struct player player;
    enum train_status status = take_policy(judge, learner, &player, ret_error);

    if (status != TRAIN_OK)
        return status;
    json_t *points = json_object();

    for (int k = 0; k < judge->plan->opponents.count && status == TRAIN_OK; k++)
        status = play_match(judge, &player, k, points, ret_error);
    if (status == TRAIN_OK)
        status = play_itself(judge, &player, points, ret_error);
    drop_policy(&player);
    if (status == TRAIN_OK)
        *ret_points = points;
    else
        json_decref(points);
    return status;
}

/* ---- exploitability ---- */

static void put_mean(json_t *points, const char *name, const struct exploitability_mean *mean)
{
    double width = 1.959964 * mean->standard_error;

    put(points, mean->points, "exploitability/%s", name);
    put(points, mean->points - width, "exploitability_low/%s", name);
    put(points, mean->points + width, "exploitability_high/%s", name);
}

enum train_status train_judge_measure(const struct train_judge *judge,
                                      const struct learner *learner, json_t **ret_points,
                                      char ret_error[TRAIN_ERROR_MAX])
{
    struct exploitability_task task = exploitability_task_default();
    const struct train_plan *plan = judge->plan;
    struct exploitability result;
    int selection = (int)plan->exploitability_ends / SELECTION_SHARE;

    enum train_status status = take_policy(judge, learner, &task.player, ret_error);
    if (status != TRAIN_OK)
        return status;
    exploitability_task_add_usual(&task);
    task.setting = setting_of(judge);
    task.setting.ends = task.setting.rules->ends;
    task.responder.candidates = CANDIDATES;
    task.responder.samples = SAMPLES;
    task.responder.rounds = ROUNDS;
    task.measure.ends = (int)plan->exploitability_ends;
    task.measure.selection_ends = selection < 2 ? 2 : selection;
    task.measure.seed = JUDGE_SEED;
    task.measure.threads = plan->threads;
    task.measure.cancel = judge->stop;
    enum exploitability_status measured = exploitability_task_run(&task, &result);
    drop_policy(&task.player);
    switch (measured) {
    case EXPLOITABILITY_OK:
        *ret_points = json_object();
        put_mean(*ret_points, "sente", &result.seat[SEAT_SENTE]);
        put_mean(*ret_points, "gote", &result.seat[SEAT_GOTE]);
        put_mean(*ret_points, "sum", &result.nash_conv);
        return TRAIN_OK;
    case EXPLOITABILITY_CANCELLED:
        return TRAIN_STOPPED;
    case EXPLOITABILITY_NO_MEMORY:
        return say(ret_error, TRAIN_NO_MEMORY, "out of memory");
    default:
        return say(ret_error, TRAIN_FAILED, "a responder gave no shot, or one that is none");
    }
}
