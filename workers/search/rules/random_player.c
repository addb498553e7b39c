/* The player `random`: the bottom of every ladder. It plays one of the 640 playable discretised
 * shots (action_grid.h), each equally likely, whatever the position. */
#include "workers/search/rules/rule_player.h"

static enum player_status choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer)
{
    (void)player;
    rule_answer(query, candidate_of_shot(rule_random_action(query, 0)), ret_answer);
    return PLAYER_OK;
}

extern const struct player_class player_random;
const struct player_class player_random = {
    .name = "random",
    .about = "any of the 640 discretised shots, each equally likely",
    .choose = choose,
};
