/* One end of curling as a game for learners. */
#include "workers/learn/games/curling_learner.h"

#include "models/game/free_guard_zone.h"
#include "models/game/score.h"
#include "models/ice/action_grid.h"
#include "models/ice/throw.h"
#include "models/networks/compact_position.h"
#include "workers/learn/values/end_states.h"
#include "workers/search/shots/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const curling_reward_names[] = {"ser", "fr", "ser-p", NULL};

enum { SHOTS_MAX = POSITION_STONES, DECISIONS_MAX = SHOTS_MAX / 2 };

struct curling {
    struct learner_game game; /* must be first: pointers to it are cast to struct curling */
    struct curling_learner_settings settings;
    const struct ice_profile *ice;
    char name[48];
    double weight[DECISIONS_MAX + 2]; /* w(t); 0 for t = 0 and after the last decision */
    const struct shot *shots;         /* of the actions */
    struct kernel kernels[ACTIONS];   /* of their noise */
};

/* A position without padding. */
struct state {
    struct vec2 stone[POSITION_STONES];
    uint16_t in_play, thrown;
    uint32_t unused;
};

static const struct curling *curling_of(const struct learner_game *game)
{
    return (const struct curling *)game;
}

void curling_learner_place(const struct learner_game *game, const struct position *position,
                           int thrown, void *ret_state)
{
    struct state *s = ret_state;
    memset(s, 0, game->state_size);
    memcpy(s->stone, position->stone, sizeof s->stone);
    s->in_play = position->in_play;
    s->thrown = (uint16_t)thrown;
}

static struct position position_of(const struct state *s)
{
    struct position position = {.in_play = s->in_play};
    memcpy(position.stone, s->stone, sizeof position.stone);
    return position;
}

double curling_phi(int score, enum seat seat)
{
    double twos = 0.5 * (seat == SEAT_SENTE ? score : -score);
    return fmax(-1.0, fmin(1.0, twos));
}

double curling_reward_weight(double c, int t)
{
    return c - t > 1.0 ? 1.0 / log(c - t) : NAN;
}

static void start(const struct learner_game *game, const struct random_key *key, void *ret_state)
{
    const struct position begun = end_state_begin(curling_of(game)->settings.rules, key->game);

    curling_learner_place(game, &begun, 0, ret_state);
}

static int mover(const struct learner_game *game, const void *state)
{
    const struct state *s = state;
    return s->thrown == game->decisions_max ? -1 : s->thrown & 1;
}

static void observe(const struct learner_game *game, const void *state, void *ret_observation)
{
    (void)game;
    const struct state *s = state;
    struct position position = position_of(s);
    struct compact_position compact = compact_position_of(&position, s->thrown);
    memcpy(ret_observation, &compact, sizeof compact);
}

static void legal(const struct learner_game *game, const void *observation, bool *ret_legal)
{
    (void)observation;
    for (int a = 0; a < game->actions; a++)
        ret_legal[a] = action_is_playable(a);
}

static void fill_inputs(const struct learner_game *game, const void *observation, float *ret_inputs)
{
    const struct compact_position *compact = observation;
    struct position position = compact_position_open(compact);
    policy_fill_inputs(curling_of(game)->settings.sees, &position, compact->thrown,
                       seat_of_stone(compact->thrown), ret_inputs);
}

static struct shot executed(const struct curling *curling, struct shot shot,
                            const struct random_key *key)
{
    struct random_key hand = *key;
    hand.purpose = RANDOM_EXECUTION;
    return noise_apply(&curling->settings.noise, curling->ice, shot, random_normal_pair(&hand, 0));
}

static bool throw_shot(const struct curling *curling, struct state *s, struct shot shot,
                       const struct random_key *key)
{
    struct position before = position_of(s), settled;
    struct throw_result result;
    const struct throw_request request = {
        .ice = curling->ice,
        .before = &before,
        .stone = rules_stone_of_shot(curling->settings.rules, s->thrown),
        .shot = executed(curling, shot, key),
    };
    if (throw_fast(&request, &result) != THROW_OK)
        return false;
    free_guard_zone_settle(curling->settings.rules, &before, &result.after, s->thrown, &settled);
    curling_learner_place(&curling->game, &settled, s->thrown + 1, s);
    return true;
}

static bool play(const struct learner_game *game, void *state, int action,
                 const struct random_key *key)
{
    return throw_shot(curling_of(game), state, curling_of(game)->shots[action], key);
}

static int score_of(const struct curling *curling, const struct state *s)
{
    struct position position = position_of(s);
    return score_position(curling->settings.rules, &position, false);
}

static double points(const struct learner_game *game, const void *state)
{
    return score_of(curling_of(game), state);
}

/* The step is the seat's own shot at its decision number t, or the reply to it. */
static double reward(const struct learner_game *game, const void *before, const void *after,
                     int seat)
{
    const struct curling *curling = curling_of(game);
    const struct state *from = before, *to = after;
    bool own = (from->thrown & 1) == seat, over = to->thrown == game->decisions_max;
    int t = seat == 0 ? from->thrown / 2 + 1 : (from->thrown + 1) / 2;
    double w = curling->weight[t];

    switch (curling->settings.reward) {
    case CURLING_SER:
        return w * (curling_phi(score_of(curling, to), (enum seat)seat) -
                    curling_phi(score_of(curling, from), (enum seat)seat));
    case CURLING_SER_P: {
        double sum = own ? -w * curling_phi(score_of(curling, from), (enum seat)seat) : 0.0;
        if (over)
            return sum + curling_phi(score_of(curling, to), (enum seat)seat);
        if (!own) /* the next decision follows */
            sum += curling->settings.discount * curling->weight[t + 1] *
                   curling_phi(score_of(curling, to), (enum seat)seat);
        return sum;
    }
    case CURLING_FR:
        break;
    }
    return over ? curling_phi(score_of(curling, to), (enum seat)seat) : 0.0;
}

/* Sets the shot as executed, with noise. */
static void deed(const struct learner_game *game, int action, const struct random_key *key,
                 struct learner_deed *ret_deed)
{
    const struct curling *curling = curling_of(game);
    struct shot shot = executed(curling, curling->shots[action], key);
    *ret_deed = (struct learner_deed){{shot.velocity.x, shot.velocity.y, shot.omega}};
}

/* Returns the density of the noise over velocities, without the factor 1 / (2 pi). */
static double likelihood(const struct learner_game *game, int action,
                         const struct learner_deed *deed)
{
    const struct kernel *kernel = &curling_of(game)->kernels[action];
    struct shot shot = {.velocity = {deed->at[0], deed->at[1]}, .omega = deed->at[2]};
    return kernel_density(kernel, shot) / (kernel->l11 * kernel->l22);
}

static int mirror(const struct learner_game *game, void *observation, int action)
{
    (void)game;
    struct compact_position *compact = observation;
    for (int k = 0; k < POSITION_STONES; k++)
        compact->x[k] = (int16_t)-compact->x[k];
    return action_mirror(action);
}

static bool opponent_play(const struct learner_game *game, int opponent, void *state,
                          const struct random_key *key)
{
    const struct curling *curling = curling_of(game);
    const struct curling_learner_settings *settings = &curling->settings;
    struct state *s = state;
    struct game now;
    struct player_answer answer;

    /* The first end of a game; team 1 has the hammer. */
    if (game_start(settings->rules, settings->rules->ends, 0, 1, &now) != GAME_OK)
        return false;
    now.position = position_of(s);
    now.shot = s->thrown;
    struct player_query query = {.game = &now,
                                 .ice = curling->ice,
                                 .noise = &settings->noise,
                                 .limits = settings->opponent_limits,
                                 .key = *key};
    query.limits.threads = 1;
    return player_choose(&settings->opponents[opponent], &query, &answer) == PLAYER_OK &&
           throw_shot(curling, s, answer.shot, key);
}

const struct curling_learner_settings *curling_learner_settings_of(const struct learner_game *game)
{
    return game->start == start ? &curling_of(game)->settings : NULL;
}

struct curling_learner_settings curling_learner_defaults(const struct rules *rules)
{
    const struct ice_profile *ice = profile_of(rules)->ice;
    return (struct curling_learner_settings){.rules = rules,
                                             .noise = noise_default(ice, ice->noise),
                                             .sees = POLICY_SEES_STONES,
                                             .reward = CURLING_SER,
                                             .discount = 1.0};
}

struct learner_game *curling_learner_new(const struct curling_learner_settings *settings,
                                         char ret_error[CURLING_LEARNER_ERROR_MAX])
{
    const struct rules *rules = settings->rules;
    int decisions = rules->shots / 2;
    double c = settings->reward_c != 0.0 ? settings->reward_c : decisions + exp(1.0);

    if (isnan(curling_reward_weight(c, decisions))) {
        snprintf(ret_error, CURLING_LEARNER_ERROR_MAX,
                 "reward_c: %g is not above %d, the last decision + 1", c, decisions + 1);
        return NULL;
    }
    struct curling *curling = calloc(1, sizeof *curling);
    if (!curling) {
        snprintf(ret_error, CURLING_LEARNER_ERROR_MAX, "no memory");
        return NULL;
    }
    *curling = (struct curling){
        .game =
            {
                .name = curling->name,
                .seats = {"sente", "gote"},
                .actions = ACTIONS,
                .inputs = policy_inputs(settings->sees),
                .decisions_max = rules->shots,
                .state_size = sizeof(struct state),
                .observation_size = sizeof(struct compact_position),
                .start = start,
                .mover = mover,
                .observe = observe,
                .legal = legal,
                .fill_inputs = fill_inputs,
                .play = play,
                .reward = reward,
                .points = points,
                .deed = deed,
                .likelihood = likelihood,
                .mirror = mirror,
                .opponents = settings->opponent_count,
                .opponent_play = settings->opponent_count ? opponent_play : NULL,
            },
        .settings = *settings,
        .ice = profile_of(rules)->ice,
        .shots = action_table(profile_of(rules)->ice),
    };
    snprintf(curling->name, sizeof curling->name, "curling %s %s %s", rules->name,
             curling_reward_names[settings->reward], policy_sees_names[settings->sees]);
    for (int t = 1; t <= decisions; t++)
        curling->weight[t] = curling_reward_weight(c, t);
    for (int a = 0; a < ACTIONS; a++)
        curling->kernels[a] = kernel_at(&settings->noise, curling->shots[a]);
    return &curling->game;
}

void curling_learner_free(struct learner_game *game)
{
    free(game);
}
