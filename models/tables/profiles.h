/* Profiles: what "dc2", "dc3", "dc4" and their variants mean, one row each.
 *
 * A row names everything that belongs to a profile: its words, the rules of the game
 * (models/game/rules.h), the ice, the shipped networks and how its ends turn out. Whoever needs any
 * of it reads it here, GET /v1/profiles included, so a new profile is a new row in profiles.c. */
#ifndef RINKD_MODELS_TABLES_PROFILES_H
#define RINKD_MODELS_TABLES_PROFILES_H

#include "models/game/rules.h"
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
    ICE_REMOVE_MOVING, /* at the first step at which it is beyond the line */
    ICE_REMOVE_AT_REST /* when all stones have stopped */
};

/* Which stones must have crossed the hog line when all have stopped. */
enum ice_hog {
    ICE_HOG_ALL_STONES,         /* dc3: any stone short of it is taken off */
    ICE_HOG_DELIVERED,          /* dc2: the delivered stone; the others go before the next throw */
    ICE_HOG_DELIVERED_UNTOUCHED /* dc4: the delivered stone, unless it touched another */
};

/* What the stones do: the ice and the hands of those who play on it. Several profiles share one. */
struct ice_profile {
    const char *name, *about;
    enum ice_law law;

    struct vec2 hack; /* where a delivered stone starts, shot frame, metres */
    double max_speed; /* m/s: largest speed of a shot that the engines accept */
    double max_omega; /* rad/s: largest |omega| of a shot that the engines accept */
    double spin;      /* rad/s: |omega| of an ordinary delivery */

    /* A stone's centre beyond these is out of play. */
    double side_x; /* out when |x| >= side_x, at any moment */
    double back_y; /* out when y >= back_y; `back` says when */
    enum ice_removal back;
    double hog_y; /* short when y <= hog_y */
    enum ice_hog hog;

    /* Contacts, resolved in the manner of Box2D 2.4. */
    double contact_friction;      /* Coulomb coefficient between two stones */
    double restitution_threshold; /* m/s: slower approaches do not bounce at all */
    int velocity_iterations;
    int position_iterations;

    enum ice_noise noise; /* of the hands, unless somebody asks for another one */
    /* m/s, rad/s: the official players slow faster shots down to this speed and bring |omega| into
     * this range; infinity: no limit. See models/ice/noise.h. */
    double player_max_speed;
    double player_min_omega, player_max_omega;
};

/* The words in which a shot is said beside its velocity and rotation (api/game_json.h). */
enum profile_words {
    PROFILE_WORDS_DC2, /* "native": the numbers of a Digital Curling 2 server */
    PROFILE_WORDS_DC3, /* none */
    PROFILE_WORDS_DC4  /* speed, angle and a free rate of turn */
};

/* The networks of models/weights that tell what an end is worth, by file name without its ending.
 * NULL: there is none. Those of `against` are restricted Nash responses (Johanson, Zinkevich and
 * Bowling, NIPS 2007) of whoever plays in that seat: the opponent throws what the player `like`
 * would throw in this share of the shots, and else the best. The cards beside the files say the
 * same. */
struct profile_weights {
    const char *best;
    struct {
        const char *file, *like;
        double share;
    } against[2]; /* [SEAT_SENTE], [SEAT_GOTE] */
};

/* How many of the measured ends gave the team with the hammer -8 … 8 points. The ends are those of
 * the player rink against itself, both playing the best for points (an opponent who is expected to
 * err makes ends that two good teams do not play):
 *
 *   p=rink:simulations=3000,objective=score,opponent=best;
 *   rink-evaluate match --a $p --b $p --profile … --ends 1 --pairs 4000 --seed 31 --json |
 *       jq -c .a.ends.gote.scores
 *
 * Identical players play each end twice, so these are 4000 ends. Play for points does not ask this
 * table, so it can be made again with the table that it has made. */
enum { PROFILE_SCORES = 17, PROFILE_SCORE_ZERO = 8 };

struct profile {
    const char *name, *about;
    struct rules rules; /* its name is the profile's */
    const struct ice_profile *ice;
    enum profile_words words;
    struct profile_weights weights;
    int end_scores[PROFILE_SCORES];
};

/* No more rows than these: for arrays with an entry a row. */
enum { PROFILES_MAX = 32, ICE_PROFILES_MAX = 8 };

/* The rows one after the other, index 0, 1, …; NULL past the end. The first is the one that jobs
 * play unless they say otherwise. They live as long as the program. */
const struct profile *profile_at(int index);

/* The row of that name, or NULL if there is none. */
const struct profile *profile_find(const char *name);

/* The rules of profile_find(), or NULL. To play with another number of protected shots, say, change
 * a copy. */
const struct rules *rules_find(const char *name);

/* The profile to which rules, or a changed copy of them, belong. */
const struct profile *profile_of(const struct rules *rules);

/* Whether two teams can play it in matches, tournaments and trainings: not if stones must be placed
 * before the first shot. */
bool profile_is_playable(const struct profile *profile);

/* Writes the names of all profiles, or of those that jobs can play, as "dc2, dc3, …", for messages.
 * Returns ret_text. */
enum { PROFILE_LIST_MAX = 256 };
const char *profile_list(bool playable_only, char ret_text[PROFILE_LIST_MAX]);

/* What the hands of this ice err by unless somebody asks for more or less: settings of all kinds of
 * noise, the limits those of the ice. */
struct noise_settings noise_settings_default(const struct ice_profile *ice);

/* Kinds of ice: as above. "fcv1" is another name of dc3's. */
const struct ice_profile *ice_profile_at(int index);
const struct ice_profile *ice_profile_find(const char *name);
const char *ice_profile_list(char ret_text[PROFILE_LIST_MAX]);

#endif
