/* Profiles: the definitions of "dc2", "dc3", "dc4" and their variants, one row each.
 *
 * A row holds everything that belongs to a profile: the rules of the game (models/game/rules.h),
 * the ice, the forms of a shot, the shipped networks and the distribution of end scores. All code
 * and GET /v1/profiles read it here, so a new profile is a new row in profiles.c. */
#ifndef RINKD_MODELS_TABLES_PROFILES_H
#define RINKD_MODELS_TABLES_PROFILES_H

#include "models/game/rules.h"
#include "models/game/shot.h"
#include "models/game/vec2.h"
#include "models/tables/noise_kinds.h"

#include <stdbool.h>

/* The law of motion, models/ice/profile.h. Both are defined on a grid of 1 ms steps: the step is
 * part of their definition.
 *   ICE_DC2   Digital Curling 2, the physics of the research papers (GAT 2015-2018): constant
 *             deceleration, the heading turns by A ln(v0/v), velocities about ten times real.
 *   ICE_FCV1  the "FCV1" simulator of Digital Curling 3 and 4, today's competitions. */
enum ice_law { ICE_DC2, ICE_FCV1 };

/* When a stone beyond a line leaves the game. */
enum ice_removal {
    ICE_REMOVE_NEVER,
    ICE_REMOVE_MOVING, /* at its first step beyond the line */
    ICE_REMOVE_AT_REST /* when all stones have stopped */
};

/* Stones that must have crossed the hog line when all have stopped. */
enum ice_hog {
    ICE_HOG_ALL_STONES, /* dc3: any stone short of it is taken off */
    ICE_HOG_DELIVERED,  /* dc2: the delivered stone; others are taken off before the next throw */
    ICE_HOG_DELIVERED_UNTOUCHED /* dc4: the delivered stone, unless it touched another */
};

/* The motion of the stones: the ice and the hands of its players. Several profiles share one. */
struct ice_profile {
    const char *name, *about;
    enum ice_law law;

    struct vec2 hack; /* where a delivered stone starts, shot frame, metres */
    double max_speed; /* m/s: largest speed of a shot that the engines accept */
    double max_omega; /* rad/s: largest |omega| of a shot that the engines accept */
    /* m/s: largest speed of a stone, with all the energy of its turn; the engines' tables end soon
     * after it, so the fastest shots may not turn fastest */
    double top_speed;
    double spin; /* rad/s: |omega| of an ordinary delivery */

    /* A stone's centre beyond these is out of play. */
    double side_x; /* out when |x| >= side_x, at any moment */
    double back_y; /* out when y >= back_y, at the moment given by `back` */
    enum ice_removal back;
    double hog_y; /* short when y <= hog_y */
    enum ice_hog hog;

    /* Contacts, resolved as in Box2D 2.4. */
    double contact_friction;      /* Coulomb coefficient between two stones */
    double restitution_threshold; /* m/s: slower approaches do not bounce */
    int velocity_iterations;
    int position_iterations;

    enum ice_noise noise; /* default noise of the hands */
    /* m/s, rad/s: limits of the official players' shots: faster shots are slowed to this speed and
     * |omega| is clamped to this range; infinity: no limit. See models/ice/noise.h. */
    double player_max_speed;
    double player_min_omega, player_max_omega;
    /* m/s: speeds of a draw to the tee and of an ordinary hit, between which the hands of people
     * change (NOISE_SETTINGS). */
    double draw_speed, hit_speed;
};

/* JSON forms of a shot besides velocity and rotation (api/curling/game_json.h). */
enum profile_words {
    PROFILE_WORDS_DC2, /* "native": the numbers of a Digital Curling 2 server */
    PROFILE_WORDS_DC3, /* none */
    PROFILE_WORDS_DC4  /* speed, angle and a free rate of turn */
};

/* Networks of models/weights, by file name without the suffix; NULL: none. `best` and those of
 * `against` value ends, `policy` chooses shots (models/networks/policy.h). Those of `against` are
 * restricted Nash responses (Johanson, Zinkevich and Bowling, NIPS 2007) for the player in that
 * seat: the opponent throws the shot of the player `like` in this share of the shots, and the best
 * shot otherwise. Those of `known` are best responses to one player, which throws all shots of the
 * other seat: `player` names it as the library of styles does. The cards beside the files repeat
 * this. */
enum { PROFILE_KNOWN_MAX = 4 };
struct profile_weights {
    const char *best, *policy;
    struct {
        const char *file, *like;
        double share;
    } against[2]; /* [SEAT_SENTE], [SEAT_GOTE] */
    struct {
        const char *player, *file[2]; /* files by seat, likewise; the first player NULL: no more */
    } known[PROFILE_KNOWN_MAX];
};

/* Numbers of measured ends in which the team with the hammer scored -8 … 8 points. The player rink
 * played them against itself, both for the most points against a best opponent (assuming an
 * opponent who errs leads to ends that two good teams do not play):
 *
 *   p=rink:simulations=3000,objective=score,opponent=best;
 *   rink-evaluate match --a $p --b $p --profile … --ends 1 --pairs 4000 --seed 31 --json |
 *       jq -c .a.ends.gote.scores
 *
 * Identical players play each end twice, so these are 4000 ends. Play for points does not use this
 * table, so the table can be measured again with a build that contains it.
 *
 * In mixed doubles, with setup=house in both specs; `power_scores` are those of ends with the power
 * play, with setup=power. */
enum { PROFILE_SCORES = 17, PROFILE_SCORE_ZERO = 8 };

struct profile {
    const char *name, *about;
    struct rules rules; /* rules.name is the profile's name */
    const struct ice_profile *ice;
    enum profile_words words;
    struct profile_weights weights;
    int end_scores[PROFILE_SCORES], power_scores[PROFILE_SCORES];
};

/* Most rows, for arrays with an entry per row. */
enum { PROFILES_MAX = 32, ICE_PROFILES_MAX = 8 };

/* The row with index 0, 1, …; NULL past the end. The first is the default of jobs. Rows live as
 * long as the program. */
const struct profile *profile_at(int index);

/* The row of that name, or NULL. */
const struct profile *profile_find(const char *name);

/* The rules of profile_find(), or NULL. To change a rule, such as the number of protected shots,
 * change a copy. */
const struct rules *rules_find(const char *name);

/* The profile of these rules; also for a changed copy. */
const struct profile *profile_of(const struct rules *rules);

/* Whether all algorithms can learn it: false for mixed doubles, as those in rounds have networks
 * for the 16 shots of an end that begins on an empty sheet. */
bool profile_is_learnable(const struct profile *profile);

/* Writes the names of all profiles, or of those that all algorithms learn, as "dc2, dc3, …", for
 * messages. Returns ret_text. */
enum { PROFILE_LIST_MAX = 256 };
const char *profile_list(bool learnable_only, char ret_text[PROFILE_LIST_MAX]);

/* The default noise settings of this ice, for all kinds of noise, with the ice's limits. */
struct noise_settings noise_settings_default(const struct ice_profile *ice);

/* The kinds of ice, looked up in the same way. "fcv1" is an alias of dc3's. */
const struct ice_profile *ice_profile_at(int index);
const struct ice_profile *ice_profile_find(const char *name);
const char *ice_profile_list(char ret_text[PROFILE_LIST_MAX]);

/* Whether the ice takes a shot, or which of its numbers is beyond the largest, which goes to
 * *ret_most: of the turn it is that of this speed. */
enum ice_shot_fault { ICE_SHOT_GOOD, ICE_SHOT_TOO_FAST, ICE_SHOT_TURNS_TOO_FAST };
enum ice_shot_fault ice_shot_check(const struct ice_profile *ice, const struct shot *shot,
                                   double *ret_most);

#endif
