/* Makes the game and the form of its networks from the names in a plan. */
#include "workers/learn/training/train_game.h"

#include "models/tables/profiles.h"
#include "workers/learn/games/curling_learner.h"
#include "workers/learn/games/line_learner.h"

#include <stdio.h>
#include <string.h>

enum { LINE_STONES = 3 };

static const struct learner_game *find_toy(const char *name)
{
    const struct learner_game *const toys[] = {&kuhn_game, &leduc_game,
                                               line_learner_game(LINE_STONES)};

    for (size_t k = 0; k < sizeof toys / sizeof toys[0]; k++)
        if (strcmp(name, toys[k]->name) == 0)
            return toys[k];
    return NULL;
}

static enum train_status make_curling(const struct train_plan *plan, struct train_game *game,
                                      char *ret_error)
{
    struct curling_learner_settings settings = curling_learner_defaults(game->rules);
    struct policy_form *form = &game->form;
    char why[NET_ERROR_MAX];

    *form = (struct policy_form){.actions = POLICY_ACTIONS};
    if (!plan->architecture) { /* the algorithm has networks of its own */
        game->made = curling_learner_new(&settings, why);
        game->game = game->made;
        return game->made ? TRAIN_OK : train_fail(ret_error, TRAIN_BAD_SPEC, "/profile: %s", why);
    }
    policy_sees_of(plan->architecture, &form->sees);
    snprintf(form->profile, sizeof form->profile, "%s", plan->profile);
    snprintf(form->architecture, sizeof form->architecture, "%s", plan->architecture);
    memcpy(form->hidden, plan->hidden, sizeof form->hidden);
    if (policy_form_check(form, why) != NET_OK)
        return train_fail(ret_error, TRAIN_BAD_SPEC, "/network: %s", why);
    game->network = policy_net_spec(form, 0);
    settings.sees = form->sees;
    for (int k = 0; plan->reward && curling_reward_names[k]; k++)
        if (strcmp(curling_reward_names[k], plan->reward) == 0)
            settings.reward = (enum curling_reward)k;
    settings.discount = learner_hyper_number(&plan->hyper, "discount", 1.0);
    settings.opponents = plan->train_opponents.player;
    settings.opponent_count = plan->train_opponents.count;
    game->made = curling_learner_new(&settings, why);
    game->game = game->made;
    return game->made ? TRAIN_OK : train_fail(ret_error, TRAIN_BAD_SPEC, "/profile: %s", why);
}

enum train_status train_game_make(const struct train_plan *plan, struct train_game *ret_game,
                                  char ret_error[TRAIN_ERROR_MAX])
{
    *ret_game = (struct train_game){.game = plan->class->game};
    if (ret_game->game)
        return TRAIN_OK;
    *ret_game = (struct train_game){.rules = rules_find(plan->profile)};
    if (ret_game->rules)
        return make_curling(plan, ret_game, ret_error);
    ret_game->game = find_toy(plan->profile);
    ret_game->network = (struct net_spec){.architecture = plan->architecture};
    memcpy(ret_game->network.hidden, plan->hidden, sizeof plan->hidden);
    return ret_game->game
               ? TRAIN_OK
               : train_fail(ret_error, TRAIN_BAD_SPEC, "/profile: there is no such profile");
}

void train_game_free(struct train_game *game)
{
    curling_learner_free(game->made);
    game->made = NULL;
}
