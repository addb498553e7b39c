/* Evaluates the networks of a policy. */
#include "workers/learn/algorithms/view_policy.h"

#include "workers/learn/algorithms/losses.h"
#include "workers/learn/algorithms/run_networks.h"

#include <math.h>
#include <stdlib.h>

struct view_policy {
    const struct learner_game *game;
    bool values;
    struct net *net[2];
    float outputs[LEARNER_ACTIONS_MAX], inputs[];
};

struct view_policy *view_policy_new(const struct learner_game *game,
                                    const struct learner_common *common,
                                    const struct learner_policy_view *view,
                                    char ret_error[LEARNER_ERROR_MAX])
{
    struct view_policy *policy =
        calloc(1, sizeof *policy + (size_t)game->inputs * sizeof *policy->inputs);
    if (!policy) {
        snprintf(ret_error, LEARNER_ERROR_MAX, "policy: no memory");
        return NULL;
    }
    policy->game = game;
    policy->values = view->values;
    for (int seat = 0; seat < 2; seat++) {
        if (run_network_new(game, common, seat, game->actions, &policy->net[seat], ret_error) &&
            run_network_is_good(net_copy_first_outputs(view->net[seat], policy->net[seat]),
                                view->name, ret_error))
            continue;
        view_policy_free(policy);
        return NULL;
    }
    return policy;
}

void view_policy_free(struct view_policy *policy)
{
    if (!policy)
        return;
    for (int seat = 0; seat < 2; seat++)
        net_free(policy->net[seat]);
    free(policy);
}

static bool ask(struct view_policy *policy, int seat, const void *observation, bool *ret_legal,
                double *ret_p)
{
    const struct learner_game *game = policy->game;
    game->legal(game, observation, ret_legal);
    game->fill_inputs(game, observation, policy->inputs);
    bool good = net_evaluate(policy->net[seat], 1, policy->inputs, policy->outputs) == NET_OK;
    for (int a = 0; a < game->actions; a++)
        ret_p[a] = good ? 0.0 : (double)NAN;
    return good;
}

void view_policy_likeliest(void *context, int seat, const void *observation, double *ret_p)
{
    struct view_policy *policy = context;
    bool legal[LEARNER_ACTIONS_MAX];
    if (!ask(policy, seat, observation, legal, ret_p))
        return;
    int actions = policy->game->actions, best = legal_argmax(policy->outputs, legal, actions);
    ret_p[best] = legal_are_finite(policy->outputs, legal, actions) ? 1.0 : (double)NAN;
}

void view_policy_play(void *context, int seat, const void *observation, double *ret_p)
{
    struct view_policy *policy = context;
    bool legal[LEARNER_ACTIONS_MAX];
    float p[LEARNER_ACTIONS_MAX];
    if (policy->values) {
        view_policy_likeliest(context, seat, observation, ret_p);
    } else if (ask(policy, seat, observation, legal, ret_p)) {
        double sum = 0.0; /* float32 probabilities do not sum to exactly 1 */
        legal_softmax(policy->outputs, legal, policy->game->actions, p);
        for (int a = 0; a < policy->game->actions; a++)
            sum += (double)p[a];
        for (int a = 0; a < policy->game->actions; a++)
            ret_p[a] = (double)p[a] / sum;
    }
}
