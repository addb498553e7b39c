/* Measures styles: a player that plays by a network and counts its opponent. */
#include "workers/holdem/style_library.h"

#include "workers/holdem/session.h"

#include <stdlib.h>

/* A network that writes down what its opponent does. One table at a time. */
struct counting {
    struct poker_player player;
    struct style_count *count; /* of all hands */
};

/* Of a session. */
struct memory {
    int position;
    _Alignas(64) unsigned char player[];
};

static size_t memory_size(const struct poker_player *player)
{
    const struct counting *counting = player->data;

    return sizeof(struct memory) + counting->player.class->memory(&counting->player);
}

static void begin(const struct poker_player *player, void *memory, uint64_t seed)
{
    const struct counting *counting = player->data;

    counting->player.class->begin(&counting->player, ((struct memory *)memory)->player, seed);
}

static void deal(const struct poker_player *player, void *memory, uint64_t number, int position)
{
    const struct counting *counting = player->data;
    struct memory *m = memory;

    m->position = position;
    counting->player.class->deal(&counting->player, m->player, number, position);
}

static struct holdem_action choose(const struct poker_player *player, void *memory,
                                   const struct poker_scene *scene)
{
    const struct counting *counting = player->data;

    return counting->player.class->choose(&counting->player, ((struct memory *)memory)->player,
                                          scene);
}

static void see(const struct poker_player *player, void *memory, const struct holdem *before,
                struct holdem_action action)
{
    const struct counting *counting = player->data;
    struct memory *m = memory;

    if (before->mover != m->position)
        style_count_see(counting->count, before, action);
    counting->player.class->see(&counting->player, m->player, before, action);
}

static void end(const struct poker_player *player, void *memory, const struct poker_end *how)
{
    const struct counting *counting = player->data;

    style_count_end(counting->count, how);
    counting->player.class->end(&counting->player, ((struct memory *)memory)->player, how);
}

static const struct poker_class counting_class = {
    .memory = memory_size, .begin = begin, .deal = deal, .choose = choose, .see = see, .end = end};

static bool measure(const struct ensemble *ensemble, int style, int hands, uint64_t seed,
                    struct style_count *count)
{
    for (int k = 0; k < ENSEMBLE_NETWORKS; k++) {
        const struct counting counting = {poker_network_player(&ensemble->network[k]), count};
        const struct poker_session session = {
            .player = {{&counting_class, &counting}, poker_rule_player(style)},
            .seed = seed,
            .number = (uint64_t)(style * ENSEMBLE_NETWORKS + k),
            .hands = hands / (2 * ENSEMBLE_NETWORKS) + 1};
        struct poker_tally tally = {.pairs = 0};
        void *memory = aligned_alloc(64, poker_session_memory(&session));
        if (!memory)
            return false;
        poker_session_play(&session, memory, NULL, &tally);
        free(memory);
    }
    return true;
}

bool style_library_measure(struct ensemble *ensemble, int hands, uint64_t seed)
{
    for (int style = 0; style < POKER_STYLES; style++) {
        struct style_count count;
        style_count_begin(&count);
        if (!measure(ensemble, style, hands, seed, &count))
            return false;
        ensemble->style[style] = style_vector_of(&count);
    }
    return true;
}
