/* One interface for everything that chooses shots: rule-based players, tree searches and networks.
 *
 * A player is a class (a row in players.c) with values for its settings. It keeps no state between
 * shots, so one player may answer on several threads at once, for several games. The answer depends
 * on the query alone: the same query gives the same bytes for any number of threads, unless time
 * limits it. A time-limited answer names the limit of simulations that reproduces it, unless its
 * last search was interrupted. */
#ifndef RINKD_WORKERS_SEARCH_PLAYER_PLAYER_H
#define RINKD_WORKERS_SEARCH_PLAYER_PLAYER_H

#include "api/base/clock.h"
#include "api/fields/player_spec.h"
#include "models/game/game.h"
#include "models/ice/noise.h"
#include "models/ice/random.h"
#include "models/ice/throw.h"
#include "workers/search/player/objective.h"
#include "workers/search/shots/candidate.h"
#include "workers/search/style/opponent.h"

#include <stdatomic.h>
#include <stdint.h>

enum { PLAYER_CANDIDATES_MAX = 32 };

/* Both limits apply; 0: no limit. Without either a searching player uses the budget of its
 * settings. */
struct player_limits {
    double time_s;       /* wall time from the call; making the tables of the ice does not count */
    int64_t simulations; /* simulated throws, all threads together; never exceeded */
    int threads;         /* including the caller's; < 1 counts as 1 */
};

struct player_answer;

struct player_query {
    const struct game *game; /* running, passes game_check(); the query asks for its next shot */
    const struct ice_profile *ice;
    int64_t game_number;       /* of its match, from 0: for players that take turns */
    const struct noise *noise; /* of the hands of both teams; passes noise_check() */
    const struct noise *hands; /* one for each shot of an end, by its thrower (rules->shots of
                                  them), in the place of `noise`; NULL: all throw with `noise` */
    /* Throws of the opponent so far, oldest first, in this and in earlier games; players may ignore
     * them. NULL: none are known. */
    const struct style_throw *seen;
    int seen_count;
    struct player_limits limits;
    struct random_key key; /* seed, stream, game, shot; the purpose is the player's */
    int candidates;        /* to report in the answer, 0 … PLAYER_CANDIDATES_MAX */
    bool diverse;          /* report the best shot of each kind; players may ignore it */

    /* The player checks it at least every 10 ms of work, or after each batch of 32 positions of a
     * large network. When it is true, the player answers with its best shot so far. NULL: cannot be
     * cancelled. */
    const atomic_bool *cancel;
    double stop_s; /* counts as cancelled from then on (clock_now_s()); 0: never */
    /* Receives the best answer so far (valid during the call), on the calling thread, about every
     * report_interval_s. Does not change the final answer. NULL: no reports. */
    void (*report)(void *context, const struct player_answer *so_far);
    void *context;
    double report_interval_s;
};

static inline bool player_is_cancelled(const struct player_query *query)
{
    return (query->cancel && atomic_load_explicit(query->cancel, memory_order_relaxed)) ||
           (query->stop_s > 0.0 && clock_now_s() >= query->stop_s);
}

/* Returns the noise of the hand that throws this shot of the end. */
static inline const struct noise *player_hand(const struct player_query *query, int shot)
{
    return query->hands ? &query->hands[shot] : query->noise;
}

/* Returns the throw of a game's next stone. */
static inline struct throw_request player_throw(const struct game *game,
                                                const struct ice_profile *ice, struct shot shot)
{
    return (struct throw_request){.ice = ice,
                                  .before = &game->position,
                                  .stone = game_next_stone(game),
                                  .shot = shot,
                                  .team0_has_hammer = game_team0_has_hammer(game)};
}

/* A shot under consideration. Values are those of the side to move. */
struct player_candidate {
    struct candidate candidate; /* the intended shot, its kind and its target */
    int64_t visits;             /* noisy executions (or tree visits) */
    double value;               /* of the objective */
    double lower_bound;     /* confidence bound of `value`, which ranks candidates that were judged
                               equally closely; NAN: unknown */
    double expected_score;  /* points of the end; NAN: unknown */
    double win_probability; /* of the game, a draw counts one half; NAN: unknown */
    double prior;           /* of a policy; NAN: none */
    double success;         /* share of executions that succeeded (candidate.h); NAN: unknown */
    /* What the objective shows of this shot (the chance of winning, or points) minus that of the
     * played one, by the same throws, and half the width of its 95 % interval; NAN: not compared.
     */
    double difference, difference_error;
};

/* A candidate that is not judged. */
static inline struct player_candidate player_candidate_of(struct candidate candidate)
{
    return (struct player_candidate){.candidate = candidate,
                                     .value = NAN,
                                     .lower_bound = NAN,
                                     .expected_score = NAN,
                                     .win_probability = NAN,
                                     .prior = NAN,
                                     .success = NAN,
                                     .difference = NAN,
                                     .difference_error = NAN};
}

struct player_answer {
    struct shot shot;
    bool concede;        /* give up instead, where the settings allow it */
    bool cancelled;      /* stopped before its limits */
    bool is_full;        /* ended before its limits, as its memory of throws is full */
    int64_t simulations; /* simulated throws used */
    /* The limit of simulations that reproduces this answer. 0: none does (partial answers, an
     * interrupted search), or none is needed (rule-based players). Differs from `simulations` where
     * a player searches several times (rink) or cannot use its whole limit. */
    int64_t simulations_to_repeat;
    double elapsed_s;

    /* The player's expectation of its shot, for the side to move. has_value = false: it does not
     * judge shots (rule-based players), and the next three fields mean nothing. */
    bool has_value;
    struct score_distribution distribution;
    double expected_score, win_probability; /* win_probability NAN: unknown */

    int candidates; /* ranked, best first; [0] is the played shot */
    struct player_candidate candidate[PLAYER_CANDIDATES_MAX];
};

/* Sets the player's expectation of its shot. */
static inline void player_expect(struct player_answer *answer, const struct objective *objective,
                                 const struct score_distribution *d)
{
    answer->has_value = true;
    answer->distribution = *d;
    answer->expected_score = objective_score(d);
    answer->win_probability = objective_win(objective, d);
}

enum player_status { PLAYER_OK, PLAYER_NO_MEMORY, PLAYER_FAILED };

struct player;

/* What the models of a player are (models/networks/policy.h): policies, networks that value single
 * shots ("shots"), or either. */
enum player_models { PLAYER_MODELS_POLICIES, PLAYER_MODELS_SHOTS, PLAYER_MODELS_ANY };

struct player_class {
    const char *name;
    const char *about;
    const struct player_setting *settings; /* ends with name NULL; may be NULL */
    enum player_models models;
    /* Checks that settings and model, each valid alone, fit together; a sentence if not. NULL: they
     * always do. */
    bool (*check)(const struct player *player, size_t size, char *ret_error);
    /* Checks that the player can play by these rules; a sentence if not. NULL: it always can. */
    bool (*check_rules)(const struct player *player, const struct rules *rules, size_t size,
                        char *ret_error);
    /* Mixed doubles: chooses the setup of the game's end, one that the rules allow. NULL: it always
     * throws last, without power play. Thread-safe. */
    enum setup (*set_up)(const struct player *player, const struct game *game, int64_t game_number);
    /* Whether it uses the throws of its opponent (player_query.seen). NULL: never. */
    bool (*looks_at_opponent)(const struct player *player);
    /* Chooses a shot. player_choose() zeroes *ret_answer before and sets elapsed_s after the call.
     * Thread-safe. */
    enum player_status (*choose)(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer);
};

struct player_turns;

struct player {
    const struct player_class *class;
    const struct player_turns *turns;    /* of players that take turns, or NULL; lives as long as
                                            the program */
    double setting[PLAYER_SETTINGS_MAX]; /* in the order of class->settings */
    char model[PLAYER_MODEL_MAX];        /* of its SETTING_MODEL, or "" */
    char weights_sha256[65];             /* of that model's file (policy_store.h), or "" */
    char values[PLAYER_MODEL_MAX];       /* of its SETTING_VALUES, or "" */
    char values_sha256[65];              /* of that model's file (value_store.h), or "" */
};

static inline bool player_looks_at_opponent(const struct player *player)
{
    return player->class->looks_at_opponent && player->class->looks_at_opponent(player);
}

/* Writes all classes as api/fields/player_spec.h lists them; the last one has the name NULL. */
void player_kinds(struct player_kind ret_kinds[PLAYER_KINDS_MAX]);

/* Reads a player from its spec (player_spec_read), and its model if the spec names one. False, with
 * a sentence in ret_error (`size` bytes): *ret_player is then untouched. */
bool player_read(const char *text, struct player *ret_player, size_t size, char *ret_error);

/* The same, and players that take turns (player_switch_read), for matches. */
bool player_read_turns(const char *text, struct player *ret_player, size_t size, char *ret_error);

/* Writes the shortest spec that reads back as this player (player_spec_write). */
void player_write(const struct player *player, size_t size, char *ret_text);

/* Whether the player throws before it answers: without a throw it has found nothing. */
bool player_searches(const struct player *player);

/* Returns the simulations that the player's spec names for a move, 0: it leaves the usual number.
 * Named ones bound a move with a limit of time, too: under a clock a player is what it is called.
 */
int64_t player_budget(const struct player *player);

/* Chooses a shot. *ret_answer is untouched unless PLAYER_OK is returned. */
enum player_status player_choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer);

/* Mixed doubles: returns the setup that the player takes for its side where the game's end wants
 * one (game_wants_setup()) and the choice is its. The rules allow it. `game_number`: as in a query.
 */
enum setup player_set_up(const struct player *player, const struct game *game, int64_t game_number);

/* The choice by the table of winning probabilities (win_table.h), for player_class.set_up. */
enum setup player_set_up_by_table(const struct player *player, const struct game *game,
                                  int64_t game_number);

#endif
