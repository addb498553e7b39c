/* Passes calls on to the player whose turn it is. */
#include "workers/holdem/switch_player.h"

#include "models/ice/random.h"

enum { ALIGNMENT = 64 };

struct memory {
    uint64_t seed;
    int turn; /* the player of this hand */
};

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t memory_of(const struct poker_player *player)
{
    return aligned(player->class->memory(player));
}

/* The memory of player `number`. */
static void *part_of(const struct switch_order *order, void *memory, int number)
{
    unsigned char *at = (unsigned char *)memory + aligned(sizeof(struct memory));

    for (int k = 0; k < number; k++)
        at += memory_of(&order->player[k]);
    return at;
}

static size_t memory_size(const struct poker_player *player)
{
    const struct switch_order *order = player->data;
    size_t size = aligned(sizeof(struct memory));

    for (int k = 0; k < order->count; k++)
        size += memory_of(&order->player[k]);
    return size;
}

static void begin(const struct poker_player *player, void *memory, uint64_t seed)
{
    const struct switch_order *order = player->data;

    *(struct memory *)memory = (struct memory){.seed = seed};
    for (int k = 0; k < order->count; k++)
        order->player[k].class->begin(&order->player[k], part_of(order, memory, k), seed);
}

static int turn_of(const struct switch_order *order, uint64_t seed, uint64_t number)
{
    uint64_t block = number / (uint64_t)order->every, count = (uint64_t)order->count;
    const struct random_key key = {
        .seed = seed, .stream = 1, .game = block / count, .purpose = RANDOM_CHOICE};
    int turns[SWITCH_PLAYERS_MAX];

    for (int k = 0; k < order->count; k++)
        turns[k] = k;
    for (int k = order->count - 1; k > 0 && order->shuffled; k--) {
        int other = (int)(random_uniform(&key, (uint64_t)k) * (k + 1)), turn = turns[k];
        turns[k] = turns[other];
        turns[other] = turn;
    }
    return turns[block % count];
}

static void deal(const struct poker_player *player, void *memory, uint64_t number, int position)
{
    const struct switch_order *order = player->data;
    struct memory *m = memory;

    if (number % (uint64_t)order->every == 0)
        m->turn = turn_of(order, m->seed, number);
    const struct poker_player *now = &order->player[m->turn];
    now->class->deal(now, part_of(order, memory, m->turn), number, position);
}

static struct holdem_action choose(const struct poker_player *player, void *memory,
                                   const struct poker_scene *scene)
{
    const struct switch_order *order = player->data;
    struct memory *m = memory;
    const struct poker_player *now = &order->player[m->turn];

    return now->class->choose(now, part_of(order, memory, m->turn), scene);
}

static void see(const struct poker_player *player, void *memory, const struct holdem *before,
                struct holdem_action action)
{
    const struct switch_order *order = player->data;
    struct memory *m = memory;
    const struct poker_player *now = &order->player[m->turn];

    if (now->class->see)
        now->class->see(now, part_of(order, memory, m->turn), before, action);
}

static void end(const struct poker_player *player, void *memory, const struct poker_end *how)
{
    const struct switch_order *order = player->data;
    struct memory *m = memory;
    const struct poker_player *now = &order->player[m->turn];

    if (now->class->end)
        now->class->end(now, part_of(order, memory, m->turn), how);
}

static const struct poker_class switch_class = {
    .memory = memory_size, .begin = begin, .deal = deal, .choose = choose, .see = see, .end = end};

struct poker_player poker_switch_player(const struct switch_order *order)
{
    return (struct poker_player){&switch_class, order};
}
