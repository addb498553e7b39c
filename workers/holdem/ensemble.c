/* Networks that vote. */
#include "workers/holdem/ensemble.h"

#include <string.h>

/* A network with less weight does not vote. */
#define LEAST 0.02

/* The number after the last style. */
enum { STRANGER = POKER_STYLES };

struct memory {
    struct style_count count; /* of this hand */
    struct style_belief belief;
    double weight[ENSEMBLE_NETWORKS]; /* of this hand */
    int likely;                       /* the style with the greatest chance; STRANGER */
    int position;
    /* Each of the hands in which its style was the likely one: a network then sees one opponent, as
     * it did in training. The base reads that of the likely one. */
    struct feature_tree tree[STRANGER + 1];
    struct poker_reading reading[ENSEMBLE_NETWORKS];
};

static size_t memory_size(const struct poker_player *player)
{
    (void)player;
    return sizeof(struct memory);
}

static void begin(const struct poker_player *player, void *memory, uint64_t seed)
{
    const struct ensemble *ensemble = player->data;
    struct memory *m = memory;

    (void)seed;
    style_count_begin(&m->count);
    style_belief_begin(&m->belief, ensemble->style);
    for (int k = 0; k <= STRANGER; k++)
        feature_tree_begin(&m->tree[k]);
}

/* Counters weigh as much as their style is likely. The base has the weight 1 - the greatest chance,
 * and they share the rest. */
static void weigh(const struct ensemble *ensemble, struct memory *m)
{
    const double *chance = m->belief.chance, stranger = m->belief.stranger;
    int nearest = 0;

    for (int k = 1; k < POKER_STYLES; k++)
        nearest = chance[k] > chance[nearest] ? k : nearest;
    m->likely = stranger > chance[nearest] ? STRANGER : nearest;
    double sure = ensemble->kind == ENSEMBLE_FULL ? chance[nearest] : 1.0;
    m->weight[0] = 1.0 - sure;
    for (int k = 0; k < POKER_STYLES; k++)
        m->weight[1 + k] = ensemble->kind == ENSEMBLE_EQUAL ? 1.0 / POKER_STYLES
                                                            : sure * chance[k] / (1.0 - stranger);
}

static void deal(const struct poker_player *player, void *memory, uint64_t number, int position)
{
    const struct ensemble *ensemble = player->data;
    struct memory *m = memory;

    (void)number;
    m->position = position;
    weigh(ensemble, m);
    for (int k = 0; k <= STRANGER; k++)
        feature_tree_deal(&m->tree[k], position);
    for (int k = 0; k < ENSEMBLE_NETWORKS; k++)
        if (m->weight[k] >= LEAST)
            poker_network_deal(&ensemble->network[k], &m->reading[k]);
}

static struct holdem_action choose(const struct poker_player *player, void *memory,
                                   const struct poker_scene *scene)
{
    const struct ensemble *ensemble = player->data;
    struct memory *m = memory;
    float votes[POKER_ACTIONS] = {0}, values[POKER_ACTIONS];

    for (int k = 0; k < ENSEMBLE_NETWORKS; k++) {
        if (m->weight[k] < LEAST)
            continue;
        const struct feature_tree *tree = &m->tree[k == 0 ? m->likely : k - 1];
        poker_network_read(&ensemble->network[k], tree, scene, &m->reading[k], values);
        votes[poker_best_action(scene->hand, values)] += (float)m->weight[k];
    }
    return poker_action(scene->hand, poker_best_action(scene->hand, votes));
}

static void see(const struct poker_player *player, void *memory, const struct holdem *before,
                struct holdem_action action)
{
    struct memory *m = memory;

    (void)player;
    if (before->mover != m->position)
        style_count_see(&m->count, before, action);
    for (int k = 0; k <= STRANGER; k++)
        feature_tree_see(&m->tree[k], before, action);
}

static void end(const struct poker_player *player, void *memory, const struct poker_end *how)
{
    const struct ensemble *ensemble = player->data;
    struct memory *m = memory;

    style_count_end(&m->count, how);
    style_belief_see(&m->belief, ensemble->style, &m->count);
    style_count_begin(&m->count);
    feature_tree_end(&m->tree[m->likely], how);
}

static const struct poker_class ensemble_class = {
    .memory = memory_size, .begin = begin, .deal = deal, .choose = choose, .see = see, .end = end};

struct poker_player poker_ensemble_player(const struct ensemble *ensemble)
{
    return (struct poker_player){&ensemble_class, ensemble};
}
