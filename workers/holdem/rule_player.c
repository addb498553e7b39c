/* Rules of thumb by strength and pot odds. */
#include "workers/holdem/rule_player.h"

#include "models/ice/random.h"

#include <assert.h>

enum { RAISES_MAX = 4, DRAW_BITS = 16, DRAWS = 16 };

/* Behaviour before or after the flop. Strengths are as in models/holdem/strength.h. */
struct manner {
    double fold_below;  /* facing a bet of half the pot; larger bets need more */
    double raise_above; /* strength to bet or raise with ... */
    double raise_share; /* ... in this share of the cases */
    double bluff;       /* share of bets and raises with less strength */
    double pots;        /* size of bets and raises */
};

struct style {
    const char *about;
    struct manner before, after; /* the flop */
    /* In this share of the hands, drawn anew for each, it plays as style `other`. */
    double other_share;
    int other;
};

#define CALLS    .fold_below = .15, .raise_above = .97, .raise_share = .5, .bluff = .01
#define STAYS    .fold_below = .30, .raise_above = .95, .raise_share = .5, .bluff = .02
#define ATTACKS  .fold_below = .20, .raise_above = .45, .raise_share = .8, .bluff = .15
#define PRESSES  .fold_below = .35, .raise_above = .55, .raise_share = .8, .bluff = .25
#define WAITS    .fold_below = .66, .raise_above = .97, .raise_share = .5, .bluff = 0.0
#define DOUBTS   .fold_below = .62, .raise_above = .95, .raise_share = .5, .bluff = 0.0
#define SELECTS  .fold_below = .64, .raise_above = .75, .raise_share = .9, .bluff = .02
#define INSISTS  .fold_below = .55, .raise_above = .70, .raise_share = .9, .bluff = .10
#define GIVES_UP .fold_below = .75, .raise_above = .90, .raise_share = .7, .bluff = .05

static const struct style styles[POKER_STYLES] = {
    {"loose and passive", {CALLS, .pots = .5}, {STAYS, .pots = .5}, 0.0, 0},
    {"loose and aggressive", {ATTACKS, .pots = 1.0}, {PRESSES, .pots = .75}, 0.0, 0},
    {"tight and passive", {WAITS, .pots = .5}, {DOUBTS, .pots = .5}, 0.0, 0},
    {"tight and aggressive", {SELECTS, .pots = 1.0}, {INSISTS, .pots = .75}, 0.0, 0},
    {"loose and passive before the flop, aggressive after it",
     {CALLS, .pots = .5},
     {PRESSES, .pots = 1.5},
     0.0,
     0},
    {"tight and aggressive before the flop, passive after it",
     {SELECTS, .pots = 1.5},
     {STAYS, .pots = .5},
     0.0,
     0},
    {"loose and aggressive before the flop, gives up after it",
     {ATTACKS, .pots = 1.5},
     {GIVES_UP, .pots = .5},
     0.0,
     0},
    {"tight and passive, in a third of the hands very aggressive",
     {WAITS, .pots = .5},
     {DOUBTS, .pots = .5},
     1.0 / 3.0,
     1},
};

/* Of a session. */
struct memory {
    uint64_t seed;
    uint64_t bits[4]; /* of this hand */
    unsigned drawn;
    const struct style *style; /* of this hand */
};

/* In [0, 1). Draws repeat after DRAWS, in very long hands only. */
static double draw(struct memory *memory)
{
    unsigned k = memory->drawn++ % DRAWS;

    return (double)(memory->bits[k / 4] >> DRAW_BITS * (k % 4) & 0xffff) / 65536.0;
}

static size_t memory_size(const struct poker_player *player)
{
    (void)player;
    return sizeof(struct memory);
}

static void begin(const struct poker_player *player, void *memory, uint64_t seed)
{
    struct memory *m = memory;

    *m = (struct memory){.seed = seed, .style = player->data};
}

static void deal(const struct poker_player *player, void *memory, uint64_t number, int position)
{
    struct memory *m = memory;
    const struct random_key key = {.seed = m->seed, .game = number, .purpose = RANDOM_CHOICE};
    const struct style *style = player->data;

    (void)position;
    random_bits(&key, 0, 0, m->bits);
    m->drawn = 0;
    m->style = style;
    if (style->other_share > 0.0 && draw(m) < style->other_share)
        m->style = &styles[style->other];
}

static struct holdem_action choose(const struct poker_player *player, void *memory,
                                   const struct poker_scene *scene)
{
    struct memory *m = memory;
    const struct holdem *hand = scene->hand;
    const struct manner *manner = hand->round == 0 ? &m->style->before : &m->style->after;
    double chance = draw(m), bluff = draw(m), to_call = holdem_to_call(hand);
    bool may_raise = hand->raises < RAISES_MAX;

    (void)player;
    if (may_raise && scene->strength >= manner->raise_above && chance < manner->raise_share)
        return holdem_raise_by(hand, manner->pots);
    double odds = to_call / (holdem_pot(hand) + to_call);
    if (to_call == 0.0 || scene->strength >= manner->fold_below + .5 * (odds - .25)) {
        if (to_call == 0.0 && may_raise && bluff < manner->bluff)
            return holdem_raise_by(hand, manner->pots);
        return (struct holdem_action){HOLDEM_CALL, 0};
    }
    if (hand->raises < RAISES_MAX / 2 && bluff < manner->bluff)
        return holdem_raise_by(hand, manner->pots);
    return (struct holdem_action){HOLDEM_FOLD, 0};
}

static const struct poker_class rule_class = {
    .memory = memory_size, .begin = begin, .deal = deal, .choose = choose};

struct poker_player poker_rule_player(int number)
{
    assert(number >= 0 && number < POKER_STYLES);
    return (struct poker_player){&rule_class, &styles[number]};
}

const char *poker_rule_about(int number)
{
    return styles[number].about;
}
