/* Networks that vote. */
#include "workers/holdem/ensemble.h"

#include <string.h>

/* Hands fade by this factor. A network with less weight than LEAST does not vote. */
#define KEEP  0.92
#define LEAST 0.02

struct memory {
    struct style_count count;
    double weight[ENSEMBLE_NETWORKS]; /* of this hand */
    int likely;                       /* the nearest style */
    int position;
    /* [0] of all hands, the others only of hands in which their style was the likely one: a counter
     * then sees what it saw in training. */
    struct feature_tree tree[ENSEMBLE_NETWORKS];
    struct poker_reading reading[ENSEMBLE_NETWORKS];
};

static size_t memory_size(const struct poker_player *player)
{
    (void)player;
    return sizeof(struct memory);
}

static void begin(const struct poker_player *player, void *memory, uint64_t seed)
{
    struct memory *m = memory;

    (void)player, (void)seed;
    style_count_begin(&m->count);
    for (int k = 0; k < ENSEMBLE_NETWORKS; k++)
        feature_tree_begin(&m->tree[k]);
}

static void weigh(const struct ensemble *ensemble, struct memory *m)
{
    double *counter = m->weight + 1, confidence;

    style_weights(&m->count, ensemble->style, POKER_STYLES, counter, &confidence);
    m->likely = 0;
    for (int k = 1; k < POKER_STYLES; k++)
        m->likely = counter[k] > counter[m->likely] ? k : m->likely;
    m->weight[0] = ensemble->kind == ENSEMBLE_FULL ? 1.0 - confidence : 0.0;
    for (int k = 0; k < POKER_STYLES; k++) {
        if (ensemble->kind == ENSEMBLE_EQUAL)
            counter[k] = 1.0 / POKER_STYLES;
        else if (ensemble->kind == ENSEMBLE_NO_BASE)
            counter[k] = confidence > 0.0 ? counter[k] / confidence : 1.0 / POKER_STYLES;
    }
}

static void deal(const struct poker_player *player, void *memory, uint64_t number, int position)
{
    const struct ensemble *ensemble = player->data;
    struct memory *m = memory;

    (void)number;
    m->position = position;
    weigh(ensemble, m);
    for (int k = 0; k < ENSEMBLE_NETWORKS; k++) {
        feature_tree_deal(&m->tree[k], position);
        if (m->weight[k] >= LEAST)
            poker_network_deal(&ensemble->network[k], &m->reading[k]);
    }
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
        poker_network_read(&ensemble->network[k], &m->tree[k], scene, &m->reading[k], values);
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
    for (int k = 0; k < ENSEMBLE_NETWORKS; k++)
        feature_tree_see(&m->tree[k], before, action);
}

static void end(const struct poker_player *player, void *memory, const struct poker_end *how)
{
    struct memory *m = memory;

    (void)player;
    style_count_end(&m->count, how, KEEP);
    feature_tree_end(&m->tree[0], how);
    feature_tree_end(&m->tree[1 + m->likely], how);
}

static const struct poker_class ensemble_class = {
    .memory = memory_size, .begin = begin, .deal = deal, .choose = choose, .see = see, .end = end};

struct poker_player poker_ensemble_player(const struct ensemble *ensemble)
{
    return (struct poker_player){&ensemble_class, ensemble};
}
