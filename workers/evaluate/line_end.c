/* Line curling behind the interface of an end. */
#include "workers/evaluate/line_end.h"

#include <string.h>

/* The upper quartile of the normal distribution: one throw in four slips up, one in four down. */
#define QUARTILE 0.67448975019608174

static void start(const struct end_game *game, void *ret_state)
{
    (void)game;
    memset(ret_state, 0, sizeof(int));
}

static bool play(const struct end_game *game, void *state, int shot, const void *action,
                 struct normal_pair error)
{
    (void)game;
    int at, chosen;
    memcpy(&at, state, sizeof at);
    memcpy(&chosen, action, sizeof chosen);
    int slip = error.z1 < -QUARTILE ? 0 : error.z1 > QUARTILE ? 2 : 1;
    at = line_play(at, seat_of_stone(shot), chosen, slip);
    memcpy(state, &at, sizeof at);
    return true;
}

static int actions(const struct end_game *game, const void *state, int shot,
                   const struct random_key *key, int most, void *ret_actions)
{
    (void)game, (void)state, (void)shot, (void)key;
    int count = most < LINE_ACTIONS ? most : LINE_ACTIONS;
    for (int a = 0; a < count; a++)
        memcpy((char *)ret_actions + (size_t)a * sizeof a, &a, sizeof a);
    return count;
}

static int score(const struct end_game *game, const void *state)
{
    (void)game;
    int at;
    memcpy(&at, state, sizeof at);
    return line_score(at);
}

struct end_game line_end(int stones)
{
    return (struct end_game){.state_size = sizeof(int),
                             .action_size = sizeof(int),
                             .shots = 2 * stones,
                             .start = start,
                             .play = play,
                             .actions = actions,
                             .score = score};
}

static bool choose(const struct end_policy *policy, const struct end_game *game, const void *state,
                   int shot, const struct random_key *key, void *ret_action)
{
    (void)game;
    const struct line_end_policy *line = (const struct line_end_policy *)policy;
    struct random_key drawn = *key;
    drawn.purpose = RANDOM_CHOICE;
    double rest = random_uniform(&drawn, 0), p[LINE_ACTIONS];
    int at, chosen = -1;
    memcpy(&at, state, sizeof at);
    line->side.policy(line->side.context, shot, at, p);
    for (int a = 0; a < LINE_ACTIONS && rest > 0.0; a++)
        if (p[a] > 0.0) {
            chosen = a;
            rest -= p[a];
        }
    memcpy(ret_action, &chosen, sizeof chosen);
    return true;
}

struct line_end_policy line_end_policy(line_policy *policy, void *context)
{
    return (struct line_end_policy){{choose}, {policy, context}};
}
