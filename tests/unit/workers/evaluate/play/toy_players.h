/* Players for tests: quick, of known strength, or misbehaving. */
#ifndef RINKD_TESTS_UNIT_WORKERS_EVALUATE_PLAY_TOY_PLAYERS_H
#define RINKD_TESTS_UNIT_WORKERS_EVALUATE_PLAY_TOY_PLAYERS_H

#include "models/tables/profiles.h"
#include "workers/evaluate/play/pair.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* toy: draws to a point within `spread` metres of the tee, drawn with the query's key. */
enum { TOY_SPREAD, TOY_CONCEDES };

static inline enum player_status toy_choose(const struct player *player,
                                            const struct player_query *query,
                                            struct player_answer *ret_answer)
{
    struct random_key key = query->key;
    key.purpose = RANDOM_CHOICE;
    double angle = 6.283185307179586 * random_uniform(&key, 0);
    double radius = player->setting[TOY_SPREAD] * random_uniform(&key, 1);
    struct vec2 target = {SHEET_TEE_X + radius * cos(angle), SHEET_TEE_Y + radius * sin(angle)};

    ret_answer->shot.omega = random_uniform(&key, 2) < 0.5 ? -1.0 : 1.0;
    ret_answer->shot.velocity = noise_gat_draw(target, ret_answer->shot.omega);
    ret_answer->simulations = 3;
    ret_answer->has_value = true;
    ret_answer->expected_score = 0.25;
    ret_answer->win_probability = (double)NAN;
    ret_answer->concede = player->setting[TOY_CONCEDES] != 0.0 && query->game->shot >= 10;
    return PLAYER_OK;
}

static const struct player_setting toy_settings[] = {
    {"spread", SETTING_NUMBER, 0.0, 0.0, 100.0, NULL, "of its targets, metres"},
    {"concedes", SETTING_BOOL, 0.0, 0.0, 1.0, NULL, "gives up at shot 10"},
    {0}};
static const struct player_class toy_class = {
    .name = "toy", .about = "draws", .settings = toy_settings, .choose = toy_choose};

static inline struct player toy(double spread)
{
    return (struct player){.class = &toy_class, .setting = {spread, 0.0}};
}

/* tying: throws all stones through the house, which leaves ends blank, and from one end on draws to
 * the tee. */
enum { TYING_UNTIL, TYING_CONCEDES };

static inline enum player_status tying_choose(const struct player *player,
                                              const struct player_query *query,
                                              struct player_answer *ret_answer)
{
    const struct player drawing = toy(0.3);
    bool draws = query->game->end >= (int)player->setting[TYING_UNTIL];
    enum player_status status = toy_choose(&drawing, query, ret_answer);

    if (!draws)
        ret_answer->shot.velocity.y *= 1.5;
    ret_answer->concede =
        player->setting[TYING_CONCEDES] != 0.0 && draws && query->game->shot >= 10;
    return status;
}

static const struct player_setting tying_settings[] = {
    {"until", SETTING_NUMBER, 0.0, 0.0, 100.0, NULL, "the end in which it begins to draw"},
    {"concedes", SETTING_BOOL, 0.0, 0.0, 1.0, NULL, "gives up then, at shot 10"},
    {0}};
static const struct player_class tying_class = {
    .name = "tying", .about = "ties", .settings = tying_settings, .choose = tying_choose};

static inline struct player tying(int until)
{
    return (struct player){.class = &tying_class, .setting = {until, 0.0}};
}

/* failing: returns an error. */
static inline enum player_status failing_choose(const struct player *player,
                                                const struct player_query *query,
                                                struct player_answer *ret_answer)
{
    (void)player;
    (void)query;
    (void)ret_answer;
    return PLAYER_FAILED;
}
static const struct player_class failing_class = {
    .name = "failing", .about = "fails", .choose = failing_choose};

/* wild: chooses an impossible shot in its third turn. */
static inline enum player_status wild_choose(const struct player *player,
                                             const struct player_query *query,
                                             struct player_answer *ret_answer)
{
    enum player_status status = toy_choose(player, query, ret_answer);
    if (query->game->shot >= 4)
        ret_answer->shot.velocity.y = (double)NAN;
    return status;
}
static const struct player_class wild_class = {
    .name = "wild", .about = "asks for NaN", .choose = wild_choose};

/* sleepy: thinks until it is cancelled. */
static inline enum player_status sleepy_choose(const struct player *player,
                                               const struct player_query *query,
                                               struct player_answer *ret_answer)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    while (!atomic_load(query->cancel))
        nanosleep(&nap, NULL);
    enum player_status status = toy_choose(player, query, ret_answer);
    ret_answer->cancelled = true;
    return status;
}
static const struct player_class sleepy_class = {
    .name = "sleepy", .about = "waits", .choose = sleepy_choose};

static inline struct pair_setting toy_setting(int ends)
{
    const struct ice_profile *ice = ice_profile_find("dc2");
    return (struct pair_setting){
        .rules = rules_find("dc2"),
        .ice = ice,
        .noise = noise_default(ice, ice->noise),
        .ends = ends,
        .seed = 7,
    };
}

/* Returns whether both pairs are equal apart from the cost; luck counts if both measured it. */
static inline bool same_games(const struct pair_result *a, const struct pair_result *b)
{
    for (int g = 0; g < 2; g++) {
        const struct pair_game *p = &a->game[g], *q = &b->game[g];
        if (p->has_luck && q->has_luck &&
            (p->luck.win != q->luck.win || p->luck.points != q->luck.points))
            return false;
        if (p->ends != q->ends || p->half_points != q->half_points || p->conceded != q->conceded)
            return false;
        for (int e = 0; e < p->ends; e++)
            if (p->end[e].score != q->end[e].score || p->end[e].hammer != q->end[e].hammer)
                return false;
    }
    for (int k = 0; k < 2; k++)
        if (a->effort[k].moves != b->effort[k].moves ||
            a->effort[k].simulations != b->effort[k].simulations)
            return false;
    return true;
}

#endif
