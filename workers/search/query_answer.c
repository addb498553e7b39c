/* Turns the answer of a player into the answer to its query. */
#include "workers/search/query.h"

#include "models/ice/throw.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* between two points of a path, before it is thinned out */
#define PATH_INTERVAL_S 0.02

_Static_assert((int)SHOT_SCORES == (int)OBJECTIVE_SCORES &&
                   (int)SHOT_SCORE_ZERO == (int)OBJECTIVE_ZERO,
               "both count scores from -8");
_Static_assert((int)SHOT_STYLES_MAX == (int)OPPONENT_STYLES_MAX &&
                   (int)SHOT_HISTORY_MAX == (int)OPPONENT_THROWS_MAX,
               "a history fits");
_Static_assert((int)SHOT_CANDIDATES_MAX == (int)PLAYER_CANDIDATES_MAX, "as many can be asked for");

int query_path(const struct query *query, struct shot shot, struct vec2 *ret_path)
{
    const struct game *game = &query->asked.game;
    const struct ice_profile *ice = profile_of(game->rules)->ice;
    struct trajectory trajectory;
    struct throw_result result;
    int points = 0;

    trajectory_init(&trajectory, PATH_INTERVAL_S);
    /* The hand's limits without its errors. */
    struct throw_request request = player_throw(
        game, ice, noise_apply(&query->noise, ice, shot, (struct normal_pair){0.0, 0.0}));
    request.trajectory = &trajectory;
    if (throw_fast(&request, &result) == THROW_OK) {
        const struct trajectory_path *path = &trajectory.stone[request.stone];
        size_t step = path->count / QUERY_PATH_MAX + 1;
        for (size_t k = 0; k + 1 < path->count && points < QUERY_PATH_MAX - 1; k += step)
            ret_path[points++] = path->points[k].at;
        if (path->count > 0)
            ret_path[points++] = path->points[path->count - 1].at;
    }
    trajectory_free(&trajectory);
    return points;
}

/* Returns the player's setting `objective`; NULL if it has none. */
static const char *objective_of(const struct player *player)
{
    const struct player_setting *settings = player->class->settings;

    for (int k = 0; settings && settings[k].name; k++)
        if (settings[k].choices == objective_names)
            return objective_names[(int)player->setting[k]];
    return NULL;
}

/* Returns the lower confidence bound of the shown value. It lies as far below the win probability,
 * or the points, as the player's bound lies below the player's own value: to this points contribute
 * a hundredth, and it goes by the chances against an equal opponent. */
static double shown_bound(const struct player_candidate *candidate, const char *objective)
{
    bool for_points = objective && strcmp(objective, objective_names[OBJECTIVE_SCORE]) == 0;
    double shown = for_points ? candidate->expected_score : candidate->win_probability;
    double least = for_points ? -(double)OBJECTIVE_ZERO : 0.0;
    double below = shown - (candidate->value - candidate->lower_bound);

    return below < least ? least : below; /* NAN stays */
}

/* Chooses the candidates that the answer shows: as many as were asked for and, where they shall
 * differ, one of each kind. Shots without a kind (of a policy) all differ. Returns how many. */
static int shown_candidates(const struct query *query, const struct player_answer *said,
                            const struct player_candidate *ret_shown[PLAYER_CANDIDATES_MAX])
{
    unsigned known = 0;
    int count = 0;

    for (int k = 0; k < said->candidates && count < query->asked.candidates; k++) {
        enum shot_kind kind = said->candidate[k].candidate.kind;
        if (query->asked.diverse && kind != SHOT_OTHER && known >> kind & 1)
            continue;
        known |= 1u << kind;
        ret_shown[count++] = &said->candidate[k];
    }
    return count;
}

/* What the history tells of the opponent. */
static struct shot_answer_opponent believed(const struct query *query)
{
    struct shot_answer_opponent said = {.throws = 0};
    struct opponent opponent;

    if (!query->has_seen)
        return said;
    opponent_of(query->asked.game.rules, query->seen, query->seen_count, &opponent);
    said = (struct shot_answer_opponent){.throws = opponent.throws,
                                         .styles = opponent.styles,
                                         .stranger = opponent.stranger,
                                         .confidence = opponent.confidence,
                                         .errs = opponent.errs};
    for (int k = 0; k < opponent.styles; k++) {
        said.style[k].name = opponent.style[k]->player;
        said.style[k].weight = opponent.weight[k];
    }
    return said;
}

json_t *query_answer_json(const struct query *query, const struct player_answer *said,
                          bool is_final, const char *stopped, double waited_s)
{
    const struct game *game = &query->asked.game;
    const char *objective = said->has_value ? objective_of(&query->player) : NULL;
    static const double nothing = NAN;
    struct shot_answer_candidate candidate[PLAYER_CANDIDATES_MAX];
    char spec[PLAYER_SPEC_MAX];
    const struct player_candidate *shown[PLAYER_CANDIDATES_MAX];
    int count = shown_candidates(query, said, shown);

    struct vec2(*path)[QUERY_PATH_MAX] = calloc(PLAYER_CANDIDATES_MAX, sizeof *path);
    if (!path)
        return NULL;
    for (int k = 0; k < count; k++) {
        const struct player_candidate *from = shown[k];
        candidate[k] = (struct shot_answer_candidate){
            .shot = from->candidate.shot,
            .kind = shot_kind_name(from->candidate.kind),
            .visits = from->visits,
            .win_probability = from->win_probability,
            .expected_score = from->expected_score,
            .lcb = shown_bound(from, objective),
            .prior = from->prior,
            .success = from->success,
            .difference = from->difference,
            .difference_error = from->difference_error,
            .path = path[k],
            .path_points = query_path(query, from->candidate.shot, path[k]),
        };
    }
    player_write(&query->player, sizeof spec, spec);
    const struct shot_answer_opponent opponent = believed(query);
    struct shot_answer answer = {
        .id = query->id,
        .is_final = is_final,
        .rules = game->rules,
        .team = game_next_team(game),
        .shot = said->shot,
        .concede = said->concede,
        .stopped = stopped,
        .has_value = said->has_value,
        .win_probability = said->has_value ? said->win_probability : nothing,
        .expected_score = said->has_value ? said->expected_score : nothing,
        .candidates = count,
        .candidate = candidate,
        .simulations = said->simulations,
        .simulations_to_repeat = said->simulations_to_repeat,
        .player_name = query->player.class->name,
        .player_spec = spec,
        .objective = objective,
        .weights_sha256 = query->player.weights_sha256[0] ? query->player.weights_sha256 : NULL,
        .opponent = query->has_seen ? &opponent : NULL,
        .seed = query->asked.seed,
        .elapsed_s = said->elapsed_s,
        .queue_s = waited_s,
    };
    memcpy(answer.score_distribution, said->distribution.p, sizeof answer.score_distribution);
    json_t *object = shot_answer_json(&answer);
    free(path);
    return object;
}
