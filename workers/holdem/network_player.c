/* A network and a tree of features. */
#include "workers/holdem/network_player.h"

struct memory {
    struct feature_tree tree;
    struct poker_reading reading;
};

void poker_network_deal(const struct poker_network *network, struct poker_reading *ret_reading)
{
    poker_network_start(network->form, &ret_reading->state);
    ret_reading->fed = 0;
}

void poker_network_read(const struct poker_network *network, const struct feature_tree *tree,
                        const struct poker_scene *scene, struct poker_reading *reading,
                        float ret_values[POKER_ACTIONS])
{
    float inputs[FEATURE_INPUTS], game[POKER_GAME_INPUTS];

    for (; reading->fed < tree->steps; reading->fed++) {
        feature_tree_inputs(tree, reading->fed, inputs);
        poker_network_feed(network->form, network->weights, POKER_OPPONENT, inputs,
                           &reading->state);
    }
    poker_game_inputs(scene, game);
    poker_network_feed(network->form, network->weights, POKER_GAME, game, &reading->state);
    poker_network_values(network->form, network->weights, &reading->state, ret_values);
}

static size_t memory_size(const struct poker_player *player)
{
    (void)player;
    return sizeof(struct memory);
}

static void begin(const struct poker_player *player, void *memory, uint64_t seed)
{
    struct memory *m = memory;

    (void)player, (void)seed;
    feature_tree_begin(&m->tree);
}

static void deal(const struct poker_player *player, void *memory, uint64_t number, int position)
{
    struct memory *m = memory;

    (void)number;
    feature_tree_deal(&m->tree, position);
    poker_network_deal(player->data, &m->reading);
}

static struct holdem_action choose(const struct poker_player *player, void *memory,
                                   const struct poker_scene *scene)
{
    struct memory *m = memory;
    float values[POKER_ACTIONS];

    poker_network_read(player->data, &m->tree, scene, &m->reading, values);
    return poker_action(scene->hand, poker_best_action(scene->hand, values));
}

static void see(const struct poker_player *player, void *memory, const struct holdem *before,
                struct holdem_action action)
{
    struct memory *m = memory;

    (void)player;
    feature_tree_see(&m->tree, before, action);
}

static void end(const struct poker_player *player, void *memory, const struct poker_end *how)
{
    struct memory *m = memory;

    (void)player;
    feature_tree_end(&m->tree, how);
}

static const struct poker_class network_class = {
    .memory = memory_size, .begin = begin, .deal = deal, .choose = choose, .see = see, .end = end};

struct poker_player poker_network_player(const struct poker_network *network)
{
    return (struct poker_player){&network_class, network};
}
