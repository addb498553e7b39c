/* Passes queries on to the player whose turn it is. */
#include "workers/search/rules/switch_player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kept in a list, so that the memory is still known at the end. */
struct player_turns {
    const struct player_turns *next;
    int players, every;
    struct player player[PLAYER_TURNS_MAX];
};

static const struct player_turns *_Atomic all_turns;

static const struct player *turn_of(const struct player *player, int64_t game)
{
    const struct player_turns *turns = player->turns;

    return &turns->player[game / turns->every % turns->players];
}

static enum player_status choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer)
{
    const struct player *now = turn_of(player, query->game_number);

    return now->class->choose(now, query, ret_answer);
}

static enum setup set_up(const struct player *player, const struct game *game, int64_t game_number)
{
    return player_set_up(turn_of(player, game_number), game, game_number);
}

static bool check_rules(const struct player *player, const struct rules *rules, size_t size,
                        char *ret_error)
{
    for (int k = 0; k < player->turns->players; k++) {
        const struct player *one = &player->turns->player[k];
        if (one->class->check_rules && !one->class->check_rules(one, rules, size, ret_error))
            return false;
    }
    return true;
}

static bool looks_at_opponent(const struct player *player)
{
    for (int k = 0; k < player->turns->players; k++)
        if (player_looks_at_opponent(&player->turns->player[k]))
            return true;
    return false;
}

static const struct player_class switch_class = {
    .name = "switch",
    .about = "players that take turns",
    .check_rules = check_rules,
    .looks_at_opponent = looks_at_opponent,
    .set_up = set_up,
    .choose = choose,
};

/* Reads the players of a switch; false with a sentence. */
static bool read_players(const struct player_switch *said, struct player_turns *turns, size_t size,
                         char *ret_error)
{
    turns->players = said->players;
    turns->every = said->every;
    for (int k = 0; k < said->players; k++)
        if (!player_read(said->player[k], &turns->player[k], size, ret_error))
            return false;
    return true;
}

bool switch_player_read(const char *text, struct player *ret_player, size_t size, char *ret_error)
{
    struct player_switch *said = malloc(sizeof *said);
    struct player_turns *turns = calloc(1, sizeof *turns);
    char error[PLAYER_ERROR_MAX] = "out of memory";
    bool good = said && turns && player_switch_read(text, said, error);

    if (!good)
        snprintf(ret_error, size, "%s", error);
    good = good && read_players(said, turns, size, ret_error);
    free(said);
    if (!good) {
        free(turns);
        return false;
    }
    turns->next = atomic_load(&all_turns);
    while (!atomic_compare_exchange_weak(&all_turns, &turns->next, turns))
        ;
    *ret_player = (struct player){.class = &switch_class, .turns = turns};
    return true;
}

void switch_player_write(const struct player *player, size_t size, char *ret_text)
{
    struct player_switch *said = calloc(1, sizeof *said);

    if (size > 0)
        ret_text[0] = '\0';
    if (!said)
        return;
    said->players = player->turns->players;
    said->every = player->turns->every;
    for (int k = 0; k < said->players; k++)
        player_write(&player->turns->player[k], sizeof said->player[k], said->player[k]);
    player_switch_write(said, size, ret_text);
    free(said);
}
