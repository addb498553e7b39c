/* The local best response: rollouts of all actions under the same noise, in rounds. */
#include "workers/evaluate/responder.h"

#include "models/ice/quasi.h"

#include <stdlib.h>
#include <string.h>

/* Children of the key of a decision; the rollout of sample s has child ROLLOUT + s. */
enum { CHILD_ACTIONS, CHILD_OWN, CHILD_ERRORS, CHILD_ROLLOUT };

struct responder_settings responder_settings_default(void)
{
    return (struct responder_settings){.candidates = 256, .samples = 8, .rounds = 1};
}

/* One decision. */
struct decision {
    const struct responder *responder;
    const struct end_game *game;
    const void *state;
    int shot;
    const struct random_key *key;
    char *actions; /* one after the other */
    char *scratch; /* a state, then an action */
};

/* An action tried so far. */
struct trial {
    int action;
    double points; /* summed over its executions */
};

static bool choose(const struct end_policy *policy, const struct end_game *game, const void *state,
                   int shot, const struct random_key *key, void *ret_action);

struct responder responder_to(const struct end_policy *target, const struct end_policy *own,
                              const struct responder_settings *settings)
{
    return (struct responder){{choose}, target, own ? own : target, *settings};
}

static bool is_cancelled(const struct responder *responder)
{
    return responder->settings.cancel && atomic_load(responder->settings.cancel);
}

/* Executes an action once and plays the end out. Points of the side that decides. */
static bool roll_out(const struct decision *d, const char *action, uint64_t sample,
                     struct normal_pair error, double *points)
{
    const struct end_game *game = d->game;
    enum seat seat = seat_of_stone(d->shot);
    struct random_key key = end_child_key(d->key, CHILD_ROLLOUT + sample);
    char *state = d->scratch, *reply = d->scratch + game->state_size;

    memcpy(state, d->state, game->state_size);
    if (!game->play(game, state, d->shot, action, error))
        return false;
    for (int shot = d->shot + 1; shot < game->shots; shot++) {
        const struct end_policy *mover =
            seat_of_stone(shot) == seat ? d->responder->own : d->responder->target;
        key.shot = (uint32_t)shot;
        key.purpose = RANDOM_CHOICE;
        if (is_cancelled(d->responder))
            return false;
        if (!mover->choose(mover, game, state, shot, &key, reply))
            return false;
        key.purpose = RANDOM_EXECUTION;
        if (!game->play(game, state, shot, reply, random_normal_pair(&key, 0)))
            return false;
    }
    *points += end_score_of(seat, game->score(game, state));
    return true;
}

/* More points first; of equals the one that was generated first. */
static int compare_trials(const void *a, const void *b)
{
    const struct trial *x = a, *y = b;
    if (x->points != y->points)
        return x->points > y->points ? -1 : 1;
    return x->action - y->action;
}

/* The best action by the rounds of the settings. All trials of a round have equally many samples,
 * so sums compare like means. */
static bool hold_rounds(const struct decision *d, struct trial *trials, int count)
{
    const struct responder_settings *settings = &d->responder->settings;
    struct random_key errors = end_child_key(d->key, CHILD_ERRORS);
    int done = 0, samples = settings->samples;

    for (int round = 0; round < settings->rounds && count > 1; round++, samples *= 4) {
        for (; done < samples; done++) {
            struct normal_pair error = quasi_normal_pair(&errors, (uint32_t)done);
            for (int k = 0; k < count; k++)
                if (!roll_out(d, d->actions + (size_t)trials[k].action * d->game->action_size,
                              (uint64_t)done, error, &trials[k].points))
                    return false;
        }
        qsort(trials, (size_t)count, sizeof *trials, compare_trials);
        count = (count + 3) / 4;
    }
    return true;
}

static bool choose(const struct end_policy *policy, const struct end_game *game, const void *state,
                   int shot, const struct random_key *key, void *ret_action)
{
    const struct responder *responder = (const struct responder *)policy;
    int most = responder->settings.candidates;
    struct decision d = {responder, game, state, shot, key, NULL, NULL};
    struct trial *trials = calloc((size_t)most, sizeof *trials);
    d.actions = malloc((size_t)most * game->action_size);
    d.scratch = malloc(game->state_size + game->action_size);
    bool good = false;
    if (!trials || !d.actions || !d.scratch)
        goto out;

    struct random_key own = end_child_key(key, CHILD_OWN);
    if (!responder->own->choose(responder->own, game, state, shot, &own, d.actions))
        goto out;
    struct random_key drawn = end_child_key(key, CHILD_ACTIONS);
    int count = game->actions(game, state, shot, &drawn, most - 1, d.actions + game->action_size);
    if (count < 0)
        goto out;
    count++;
    for (int k = 0; k < count; k++)
        trials[k].action = k;
    good = hold_rounds(&d, trials, count);
    if (good)
        memcpy(ret_action, d.actions + (size_t)trials[0].action * game->action_size,
               game->action_size);
out:
    free(trials);
    free(d.actions);
    free(d.scratch);
    return good;
}
