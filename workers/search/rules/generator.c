/* The player `generator`: the geometric shots (candidate.h), judged one ply deep.
 *
 *   1. All candidates for the position.
 *   2. Each is thrown `samples` times with the hands' noise, all with the same quasi-random errors.
 *      A foul against the free guard zone leaves the position before the shot, without the stone.
 *   3. The position is worth the score if the end stopped there: exact for the last shot,
 *      short-sighted before. The mean worth, by the objective, less one standard error decides; of
 *      equals the plainer shot, which comes first in the list.
 *
 * Limits: each error is thrown for all candidates before the next one, and only errors that all
 * candidates met count, so the number of simulations reproduces the answer. A limit below the
 * number of candidates leaves out the last ones. It uses one thread.
 *
 * random=true is the simplest policy of published rollouts instead. It picks uniformly among the
 * draws to the tee with both spins and, if an opponent's stone is in the house, the hits on the one
 * nearest to the tee with both spins, at the weight that would run on 5 m. It simulates nothing and
 * ignores whether the path is blocked. */
#include "workers/search/rules/rule_player.h"

#include "api/base/clock.h"
#include "models/game/sheet.h"
#include "models/ice/aim.h"
#include "models/ice/quasi.h"
#include "workers/search/judge/judge.h"

#include <stdlib.h>

#define MIDDLE_M 5.0 /* how far a hit of random=true would run on */

enum setting { SAMPLES, OBJECTIVE, RANDOM };

enum { SAMPLES_MAX = 4096 };

static const struct player_setting settings[] = {
    [SAMPLES] = {"samples", SETTING_WHOLE, 64, 1, SAMPLES_MAX, NULL,
                 "noisy throws of each candidate"},
    [OBJECTIVE] = {OBJECTIVE_SETTING(OBJECTIVE_SCORE)},
    [RANDOM] = {"random", SETTING_BOOL, 0, 0, 1, NULL,
                "a random one of the simplest moves, unjudged"},
    {0},
};

struct judging {
    const struct player_query *query;
    struct judge judge;
    struct normal_pair errors[SAMPLES_MAX];
    int candidates;
    struct judged judged[CANDIDATES_MAX];
    int rounds; /* throws of each candidate so far */
};

/* Returns the mean worth less one standard error. */
static double lower_bound_of(const struct judging *j, const struct score_distribution *d)
{
    double mean = objective_worth(&j->judge.objective, d), squares = 0.0;

    for (int s = 0; s < OBJECTIVE_SCORES; s++) {
        double off = j->judge.objective.worth[s] - mean;
        squares += d->p[s] * off * off;
    }
    return mean - sqrt(squares / j->rounds);
}

/* Writes the current answer: the best shot, and the requested number of candidates by rank. */
static void write_answer(const struct judging *j, struct player_answer *ret_answer)
{
    const struct objective *objective = &j->judge.objective;
    struct score_distribution distribution[CANDIDATES_MAX];
    double lower_bound[CANDIDATES_MAX];
    bool taken[CANDIDATES_MAX] = {false};
    int wanted = j->query->candidates > 1 ? j->query->candidates : 1;

    for (int k = 0; k < j->candidates; k++) {
        distribution[k] = judged_distribution(&j->judged[k]);
        lower_bound[k] = lower_bound_of(j, &distribution[k]);
    }
    ret_answer->simulations = ret_answer->simulations_to_repeat =
        (int64_t)j->rounds * j->candidates;
    ret_answer->candidates = 0;
    for (int rank = 0; rank < wanted && rank < j->candidates; rank++) {
        int best = -1;
        for (int k = 0; k < j->candidates; k++)
            if (!taken[k] && (best < 0 || lower_bound[k] > lower_bound[best]))
                best = k;
        taken[best] = true;

        const struct score_distribution *d = &distribution[best];
        const struct judged *judged = &j->judged[best];
        if (rank == 0) {
            ret_answer->shot = judged->candidate.shot;
            player_expect(ret_answer, objective, d);
        }
        if (rank < j->query->candidates)
            ret_answer->candidate[ret_answer->candidates++] = (struct player_candidate){
                .difference = NAN,
                .difference_error = NAN,
                .candidate = judged->candidate,
                .visits = j->rounds,
                .value = objective_worth(objective, d),
                .lower_bound = lower_bound[best],
                .expected_score = objective_score(d),
                .win_probability = objective_win(objective, d),
                .prior = NAN,
                .success = (double)judged->successes / j->rounds,
            };
    }
}

static enum player_status choose_judged(const struct player *player,
                                        const struct player_query *query, struct judging *j,
                                        struct player_answer *ret_answer)
{
    const struct player_limits *limits = &query->limits;
    const struct game *game = query->game;
    struct candidate candidates[CANDIDATES_MAX];
    struct random_key key = query->key;
    double reported_s = 0.0;

    double start_s = clock_now_s();
    j->query = query;
    j->judge = judge_of(query, (enum objective_kind)player->setting[OBJECTIVE],
                        (struct judge_source){.by = JUDGE_BY_COUNTING}, j->errors);
    j->candidates = candidates_generate(query->ice, game->rules, &game->position, j->judge.stone,
                                        candidates, CANDIDATES_MAX);
    for (int k = 0; k < j->candidates; k++)
        j->judged[k].candidate = candidates[k];
    int samples = (int)player->setting[SAMPLES];
    if (limits->simulations > 0) {
        if (limits->simulations < j->candidates)
            j->candidates = (int)limits->simulations;
        if (limits->simulations / j->candidates < samples)
            samples = (int)(limits->simulations / j->candidates);
    }
    key.purpose = RANDOM_PLANNING;
    quasi_normal_pairs(&key, 0, (size_t)samples, j->errors);

    /* A round takes less than 1 ms, so the clock and the flag are checked between rounds. */
    while (j->rounds < samples) {
        for (int k = 0; k < j->candidates; k++)
            judge_throw(&j->judge, &j->judged[k], j->rounds + 1);
        j->rounds++;
        double elapsed_s = clock_now_s() - start_s;
        if (j->rounds < samples && player_is_cancelled(query)) {
            ret_answer->cancelled = true;
            break;
        }
        if (limits->time_s > 0.0 && elapsed_s >= limits->time_s)
            break;
        if (query->report && elapsed_s - reported_s >= query->report_interval_s) {
            struct player_answer so_far = {.elapsed_s = elapsed_s};
            write_answer(j, &so_far);
            so_far.simulations_to_repeat = 0;
            query->report(query->context, &so_far);
            reported_s = elapsed_s;
        }
    }
    write_answer(j, ret_answer);
    return PLAYER_OK;
}

static enum player_status choose_random(const struct player_query *query,
                                        struct player_answer *ret_answer)
{
    const struct ice_profile *ice = query->ice;
    const struct position *position = &query->game->position;
    const int first = rule_first_stone(query->game, true);
    const double hit_speed = aim_speed_to_run(ice, MIDDLE_M);
    struct candidate moves[4];
    int count = 0;

    for (int k = 0; k < (first < 0 ? 2 : 4); k++) {
        double omega = k % 2 == 0 ? ice->spin : -ice->spin;
        struct candidate *move = &moves[count];
        enum aim_status aimed;
        if (k < 2) {
            *move = (struct candidate){
                .kind = SHOT_DRAW, .stone = -1, .target = {SHEET_TEE_X, SHEET_TEE_Y}};
            aimed = aim_draw(ice, move->target, omega, &move->shot);
        } else {
            *move = (struct candidate){
                .kind = SHOT_HIT, .stone = (int8_t)first, .target = position->stone[first]};
            aimed = aim_hit(ice, position, first, 0.0, hit_speed, omega, &move->shot, NULL);
        }
        count += aimed == AIM_OK;
    }
    rule_answer(query, moves[(int)(rule_uniform(query, 0) * count)], ret_answer);
    return PLAYER_OK;
}

static enum player_status choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer)
{
    if (player->setting[RANDOM] != 0.0)
        return choose_random(query, ret_answer);

    struct judging *judging = calloc(1, sizeof *judging);
    if (!judging)
        return PLAYER_NO_MEMORY;
    enum player_status status = choose_judged(player, query, judging, ret_answer);
    free(judging);
    return status;
}

extern const struct player_class player_generator;
const struct player_class player_generator = {
    .name = "generator",
    .about = "the best of all geometric shots, judged one ply deep over the noise",
    .settings = settings,
    .set_up = player_set_up_by_table,
    .choose = choose,
};
