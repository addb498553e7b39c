/* Plays the teacher's ends and collects examples. */
#include "models/networks/end_value.h"
#include "workers/learn/imitation/imitate.h"

#include "models/ice/action_grid.h"
#include "workers/learn/values/end_states.h"
#include "workers/pool.h"
#include "workers/search/shots/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_SHOTS_MAX = 13, CANDIDATES_ASKED = 8, STREAM_TEACHER = 7, STREAM_DRAWN = 8 };

struct work {
    const struct imitate_play *play;
    struct pool *pool;
    struct imitate_example *examples; /* [end * shots]: those of an end, gaps after them */
    int *counts;                      /* [end] */
};

/* Spreads `weight` over the actions around a shot. */
static void add_shot(const struct imitate_play *play, const struct shot *shot, double weight,
                     double weights[ACTIONS])
{
    const struct shot *table = action_table(play->ice);
    const struct kernel kernel = kernel_at(&play->noise, *shot);
    double density[ACTIONS], sum = 0.0;

    for (int a = 0; a < ACTIONS; a++) {
        density[a] = action_is_playable(a) ? kernel_density(&kernel, table[a]) : 0.0;
        sum += density[a];
    }
    if (sum < 1e-3) { /* far from all actions, or no noise */
        weights[action_nearest(play->ice, shot)] += weight;
        return;
    }
    for (int a = 0; a < ACTIONS; a++)
        weights[a] += weight * density[a] / sum;
}

/* Keeps the heaviest IMITATE_TARGETS actions; their shares sum to 1. */
static void keep_weightiest(const double weights[ACTIONS], struct imitate_example *example)
{
    double sum = 0.0;

    example->targets = 0;
    for (int a = 0; a < ACTIONS; a++) {
        int k = example->targets;
        if (weights[a] <= 0.0)
            continue;
        if (k == IMITATE_TARGETS && (float)weights[a] <= example->share[k - 1])
            continue;
        k = k < IMITATE_TARGETS ? example->targets++ : k - 1;
        for (; k > 0 && example->share[k - 1] < (float)weights[a]; k--) {
            example->share[k] = example->share[k - 1];
            example->action[k] = example->action[k - 1];
        }
        example->share[k] = (float)weights[a];
        example->action[k] = (int16_t)a;
    }
    for (int k = 0; k < example->targets; k++)
        sum += (double)example->share[k];
    for (int k = 0; k < example->targets; k++)
        example->share[k] = (float)((double)example->share[k] / sum);
}

static void note_shots(const struct imitate_play *play, const struct player_answer *answer,
                       struct imitate_example *example)
{
    double weights[ACTIONS] = {0.0}, best = -INFINITY;

    for (int k = 0; answer->has_value && k < answer->candidates; k++)
        best = fmax(best, answer->candidate[k].value);
    if (!(best > -INFINITY))
        add_shot(play, &answer->shot, 1.0, weights);
    for (int k = 0; best > -INFINITY && k < answer->candidates; k++) {
        const struct player_candidate *candidate = &answer->candidate[k];
        double weight = exp((candidate->value - best) / play->temperature);
        if (weight > 1e-3)
            add_shot(play, &candidate->candidate.shot, weight, weights);
    }
    keep_weightiest(weights, example);
}

/* ---- teachers that search a tree ---- */

static double temperature_of(const struct imitate_play *play, int shot)
{
    return shot < play->explored ? 1.0 : play->temperature;
}

static double most_visits(const struct player_answer *answer)
{
    double most = 0.0;

    for (int k = 0; k < answer->candidates; k++)
        most = fmax(most, (double)answer->candidate[k].visits);
    return most;
}

/* Notes (sum of visits)^(1 / temperature). Shots were visited. */
static void note_visits(const struct imitate_play *play, const struct player_answer *answer,
                        double temperature, struct imitate_example *example)
{
    double weights[ACTIONS] = {0.0}, most = 0.0;

    for (int k = 0; k < answer->candidates; k++)
        if (answer->candidate[k].visits > 0)
            add_shot(play, &answer->candidate[k].candidate.shot,
                     (double)answer->candidate[k].visits, weights);
    for (int a = 0; a < ACTIONS; a++)
        most = fmax(most, weights[a]);
    for (int a = 0; a < ACTIONS; a++)
        weights[a] = weights[a] > 0.0 ? pow(weights[a] / most, 1.0 / temperature) : 0.0;
    keep_weightiest(weights, example);
}

/* Draws the shot to throw in proportion to visits^(1 / temperature). */
static struct shot draw_shot(const struct player_answer *answer, double temperature,
                             struct random_key key)
{
    const double most = most_visits(answer);
    double weight[PLAYER_CANDIDATES_MAX], sum = 0.0;
    int k = 0;

    key.stream++;
    key.purpose = RANDOM_CHOICE;
    for (int j = 0; j < answer->candidates; j++)
        sum += weight[j] = pow((double)answer->candidate[j].visits / most, 1.0 / temperature);
    for (double left = random_uniform(&key, 0) * sum; k < answer->candidates - 1; k++)
        if ((left -= weight[k]) < 0.0)
            break;
    return answer->candidate[k].candidate.shot;
}

_Static_assert(STREAM_DRAWN == STREAM_TEACHER + 1, "draw_shot() has a stream of its own");

/* Notes the teacher's expected score distribution, for sente; leaves zeros if it has none. */
static void note_scores(const struct player_answer *answer, bool gote,
                        struct imitate_example *example)
{
    for (int k = 0; k < POLICY_SCORES && answer->has_value; k++)
        example->scores[gote ? POLICY_SCORES - 1 - k : k] = (float)answer->distribution.p[k];
}

static bool play_shot(const struct imitate_play *play, struct game *game, struct random_key key,
                      struct imitate_example *ret_example)
{
    const int stone = rules_stone_of_shot(game->rules, game->shot);
    const struct player_query query = {
        .game = game,
        .ice = play->ice,
        .noise = &play->noise,
        .limits = {.threads = 1},
        .key = key,
        .candidates = play->by_visits ? (int)PLAYER_CANDIDATES_MAX : (int)CANDIDATES_ASKED,
        .cancel = play->cancel,
    };
    struct player_answer answer;
    struct throw_result result;

    if (player_choose(&play->teacher, &query, &answer) != PLAYER_OK || answer.cancelled)
        return false;
    *ret_example =
        (struct imitate_example){.position = compact_position_of(&game->position, game->shot)};
    if (play->by_visits && most_visits(&answer) > 0.0) {
        const double temperature = temperature_of(play, game->shot);
        note_visits(play, &answer, temperature, ret_example);
        answer.shot = draw_shot(&answer, temperature, key);
    } else {
        note_shots(play, &answer, ret_example);
    }
    note_scores(&answer, seat_of_stone(stone) == SEAT_GOTE, ret_example);

    key.purpose = RANDOM_EXECUTION;
    struct throw_request request = {
        .ice = play->ice,
        .before = &game->position,
        .stone = stone,
        .shot = noise_apply(&play->noise, play->ice, answer.shot, random_normal_pair(&key, 0)),
        .team0_has_hammer = game_team0_has_hammer(game),
    };
    return throw_fast(&request, &result) == THROW_OK &&
           game_play(game, &result.after, NULL) == GAME_OK;
}

int imitate_play_end(const struct imitate_play *play, int64_t index,
                     struct imitate_example *examples)
{
    struct random_key key = {.seed = play->seed,
                             .stream = play->stream + STREAM_TEACHER,
                             .game = (uint64_t)index,
                             .purpose = RANDOM_SCENE};
    struct game game;
    int count = 0;

    if (game_start(play->rules, 1, 0, 1, &game) != GAME_OK)
        return -1;
    key.shot = UINT32_MAX; /* differs from every shot of the end */
    if (random_uniform(&key, 0) < play->random_share) {
        int shots = 1 + (int)(random_uniform(&key, 1) * RANDOM_SHOTS_MAX);
        end_state_random(play->rules, play->ice, &play->noise, key, shots, &game.position);
        game.shot = shots;
    }
    for (int shot = game.shot; shot < play->rules->shots; shot++) {
        key.shot = (uint32_t)shot;
        if ((play->cancel && atomic_load(play->cancel)) ||
            !play_shot(play, &game, key, &examples[count++]))
            return -1;
    }
    int score = game.scores[0][0] - game.scores[1][0]; /* team 0 is sente */
    for (int k = 0; k < count; k++) {
        float sum = 0.0f, *scores = examples[k].scores;
        for (int s = 0; s < POLICY_SCORES; s++)
            sum += scores[s];
        for (int s = 0; s < POLICY_SCORES && sum > 0.0f; s++)
            scores[s] *= 0.5f / sum;
        scores[POLICY_SCORE_ZERO + score] += sum > 0.0f ? 0.5f : 1.0f;
    }
    return count;
}

static void play_task(void *context, size_t index, int thread)
{
    struct work *work = context;
    const struct imitate_play *play = work->play;

    work->counts[index] =
        imitate_play_end(play, (int64_t)index, work->examples + index * (size_t)play->rules->shots);
    if (work->counts[index] < 0)
        pool_stop(work->pool);
    if (thread == 0 && play->progress) /* ends begin in order */
        play->progress(play->context, (int64_t)index + 1);
}

/* Plays all ends and closes the gaps between their examples. False and a sentence on failure. */
static bool play_all(struct work *work, size_t *ret_count, char *ret_error)
{
    const struct imitate_play *play = work->play;
    const size_t ends = (size_t)play->ends, shots = (size_t)play->rules->shots;
    size_t count = 0;

    if (!work->examples || !work->counts || !work->pool) {
        snprintf(ret_error, IMITATE_ERROR_MAX, "out of memory");
        return false;
    }
    if (!pool_run(work->pool, ends, play_task, work)) {
        snprintf(ret_error, IMITATE_ERROR_MAX, "%s",
                 play->cancel && atomic_load(play->cancel) ? "interrupted"
                                                           : end_value_blame("the teacher failed"));
        return false;
    }
    for (size_t k = 0; k < ends; k++) {
        memmove(work->examples + count, work->examples + k * shots,
                (size_t)work->counts[k] * sizeof *work->examples);
        count += (size_t)work->counts[k];
    }
    *ret_count = count;
    return true;
}

bool imitate_play(const struct imitate_play *play, struct imitate_example **ret_examples,
                  size_t *ret_count, char *ret_error)
{
    const size_t ends = (size_t)play->ends;
    struct work work = {.play = play,
                        .pool = pool_new(play->threads),
                        .examples =
                            malloc(ends * (size_t)play->rules->shots * sizeof *work.examples),
                        .counts = malloc(ends * sizeof *work.counts)};
    bool good = play_all(&work, ret_count, ret_error);

    pool_free(work.pool);
    free(work.counts);
    if (good)
        *ret_examples = work.examples;
    else
        free(work.examples);
    return good;
}
