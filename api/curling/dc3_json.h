/* The messages of a Digital Curling 3 server that describe a game: `game` of is_ready, and the
 * order in which a team throws. Members that say nothing to us are ignored, and noted where notes
 * are taken (strict_json.h). */
#ifndef RINKD_API_CURLING_DC3_JSON_H
#define RINKD_API_CURLING_DC3_JSON_H

#include "api/base/strict_json.h"
#include "models/tables/noise_kinds.h"

enum { DC3_PLAYERS = 4 };

/* The code of a mistake that is none of form: the game is one that cannot be played here. */
#define DC3_UNPLAYABLE "unplayable"

struct hand {
    bool is_exact;                  /* makes no error and has no largest speed */
    struct noise_settings settings; /* NAN where nothing is said */
};

struct dc3_game {
    const char *profile; /* "dc3" or "dc3-four-rock" */
    int max_end;
    struct hand hands[2][DC3_PLAYERS]; /* in the order of the players; those hidden are ordinary */
};

/* Reads a game; refuses another rule, simulator or width of the sheet by name. */
bool dc3_game_decode(const struct strict_place *game, struct dc3_game *ret_game);

/* Reads a hand: settings of the noise of this profile, or a player of Digital Curling 3, {"type":
 * "identical"} or {"type":"normal_dist","stddev_speed","stddev_angle","max_speed","seed"}; null is
 * an ordinary hand. Adds mistakes to the document's errors. */
void hand_decode(const struct strict_place *place, const char *profile, struct hand *ret_hand);

/* Writes the names of the settings that queries may set, at most NOISE_SETTINGS_MAX, and returns
 * how many they are. */
int hand_keys(const char **ret_keys);

/* Reads the settings that the object at the place has; the others stay. `profile`: the profile or
 * ice of this name, NULL: unknown. Adds mistakes to the document's errors. */
void hand_settings_read(const struct strict_place *place, const char *profile,
                        struct noise_settings *settings);

#endif
