/* Everything that can choose a shot: one interface for rule-based players, tree searches and
 * networks.
 *
 * A player is a class (a row in players.c: what it is and which settings it has) with values for
 * its settings. It keeps nothing from one shot to the next, so one player may answer on several
 * threads at once, for several games. Everything a query depends on is in the query: the same query
 * gives the same bytes, whatever the number of threads, unless it is limited by time. A
 * time-limited answer says how many simulations give it again, as the limit of the same query, but
 * where it comes of a search that was cut short itself. */
#ifndef RINKD_WORKERS_SEARCH_PLAYER_PLAYER_H
#define RINKD_WORKERS_SEARCH_PLAYER_PLAYER_H

#include "api/player_spec.h"
#include "models/game/game.h"
#include "models/ice/noise.h"
#include "models/ice/random.h"
#include "models/ice/throw.h"
#include "workers/search/player/objective.h"
#include "workers/search/shots/candidates.h"

#include <stdatomic.h>
#include <stdint.h>

enum { PLAYER_CANDIDATES_MAX = 32 };

/* Both limits hold; 0 = no such limit. A player that searches and gets neither uses the budget of
 * its settings. */
struct player_limits {
    double time_s;       /* wall time, from the call; making the tables of the ice is not counted */
    int64_t simulations; /* simulated throws, all threads together; never exceeded */
    int threads;         /* that it may use, the calling one included; < 1 counts as 1 */
};

struct player_answer;

struct player_query {
    const struct game *game; /* running, passes game_check(): its next shot is wanted */
    const struct ice_profile *ice;
    const struct noise *noise; /* of the hands of both teams; passes noise_check() */
    struct player_limits limits;
    struct random_key key; /* seed, stream, game, shot; the purpose is the player's */
    int candidates;        /* how many are wanted in the answer, 0 … PLAYER_CANDIDATES_MAX */

    /* Looked at at least every 10 ms of work, or after 32 positions that a large network is asked
     * about at once; when it becomes true the player answers with what it has. NULL: cannot be
     * cancelled. */
    const atomic_bool *cancel;
    /* Called now and then by the calling thread while it thinks, with the best answer so far (valid
     * during the call). NULL: not wanted. Never changes the final answer. */
    void (*report)(void *context, const struct player_answer *so_far);
    void *context;
    double report_interval_s;
};

static inline bool player_is_cancelled(const struct player_query *query)
{
    return query->cancel && atomic_load_explicit(query->cancel, memory_order_relaxed);
}

/* One shot that was considered. Values are those of the side to move. */
struct player_candidate {
    struct candidate candidate; /* the intended shot, its kind and its target */
    int64_t visits;             /* noisy executions (or tree visits) it was judged by */
    double value;               /* of the objective */
    double lower_bound;         /* of `value`: the confidence bound by which candidates are ranked,
                                 * among those that were looked at as closely: these come first;
                                 * NAN: not known */
    double expected_score;      /* of the end, points; NAN: not known */
    double win_probability;     /* of the game, a draw counts one half; NAN: not known */
    double prior;               /* of a policy, NAN: none */
    double success; /* share of executions that did what its kind says; NAN: not known */
};

struct player_answer {
    struct shot shot;
    bool concede;        /* give up instead (only players whose settings ask for it) */
    bool cancelled;      /* stopped before its limits */
    int64_t simulations; /* simulated throws used */
    /* That give this answer again as the limit of the same query; 0: no number does (partial
     * answers, and those of a search that was cut short), or none is needed (rule-based players).
     * Not `simulations` where a player searches several times (rink, see there), or where it cannot
     * use all it is given. */
    int64_t simulations_to_repeat;
    double elapsed_s;

    /* What the player expects of its shot, for the side to move. has_value = false: it does not
     * judge its shots (rule-based players), the next three are then meaningless. */
    bool has_value;
    struct score_distribution distribution;
    double expected_score, win_probability; /* win_probability NAN: not known */

    int candidates; /* ranked, best first: [0] is the shot that is played */
    struct player_candidate candidate[PLAYER_CANDIDATES_MAX];
};

enum player_status { PLAYER_OK, PLAYER_NO_MEMORY, PLAYER_FAILED };

struct player;

struct player_class {
    const char *name;
    const char *about;
    const struct player_setting *settings; /* ends with name NULL; may be NULL */
    /* Whether settings and model, which are good each by itself, go together; a sentence if not.
     * NULL: always. */
    bool (*check)(const struct player *player, size_t size, char *ret_error);
    /* Whether it can play by these rules; a sentence if not. NULL: always. */
    bool (*check_rules)(const struct player *player, const struct rules *rules, size_t size,
                        char *ret_error);
    /* Chooses a shot. *ret_answer is zeroed before the call; the fields of query->key.purpose and
     * elapsed_s are set around it. Thread-safe. */
    enum player_status (*choose)(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer);
};

struct player {
    const struct player_class *class;
    double setting[PLAYER_SETTINGS_MAX]; /* in the order of class->settings */
    char model[PLAYER_MODEL_MAX];        /* of its SETTING_MODEL, or "" */
    char weights_sha256[65];             /* of that model's file (policy_store.h), or "" */
};

/* The classes one after the other: index 0, 1, …; NULL past the end. */
const struct player_class *player_class_at(int index);

/* All of them as api/player_spec.h lists them; the last one has the name NULL. */
void player_kinds(struct player_kind ret_kinds[PLAYER_KINDS_MAX]);

/* Reads a player as users write it everywhere (player_spec_read), and its model if it names one.
 * *ret_player is untouched on failure. */
bool player_read(const char *text, struct player *ret_player, size_t size, char *ret_error);

/* The shortest spec that reads back as this player (player_spec_write). */
void player_write(const struct player *player, size_t size, char *ret_text);

/* Chooses a shot. *ret_answer is untouched unless PLAYER_OK is returned. */
enum player_status player_choose(const struct player *player, const struct player_query *query,
                                 struct player_answer *ret_answer);

#endif
