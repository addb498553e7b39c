/* Results of jobs that a worker writes and the service reads back to keep them in tables of their
 * own. One list of members is the codec of a struct in both directions. A result has more members,
 * which only people read; the service stores them as they are.
 *
 * The kinds of job and their structs (paths are those of the result):
 *
 *   match           result_games, result_match
 *   tournament      result_games; result_place in "ladder", result_pairing in "pairings"
 *   exploitability  result_exploitability
 *   rate            result_ladder; result_rating in "ladder" */
#ifndef RINKD_API_JOBS_JOB_RESULTS_H
#define RINKD_API_JOBS_JOB_RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum result_type {
    RESULT_TEXT,  /* const char *, borrowed from the document that was read */
    RESULT_WHOLE, /* int64_t */
    RESULT_SEED,  /* uint64_t; a text if it does not fit into 63 bits, the limit of JSON integers
                     here. Seeds of jobs fit, and only those are read. */
    RESULT_NUMBER /* double; whole numbers are read, too */
};

struct result_member {
    const char *path; /* with dots: "a.player"; NULL at the end of a list */
    enum result_type type;
    size_t offset;    /* in the struct */
    int count;        /* an array of so many elements; 0: a single value */
    bool is_optional; /* absent in results of earlier versions: then the field stays as it is */
};

/* Returns an object with these members, which the caller owns; NULL: out of memory. */
json_t *result_write(const struct result_member *members, const void *result);
/* Reads the members from an object. False: one is missing or has another type; the struct is then
 * partly set. */
bool result_read(const struct result_member *members, const json_t *object, void *ret_result);

/* The JSON of a RESULT_SEED; the caller owns it. */
json_t *result_seed_json(uint64_t seed);

enum { RESULT_HALF_POINTS = 5 }; /* a pair of games gives 0, 1/2, 1, 3/2 or 2 points */

/* The games of a match or a tournament. */
struct result_games {
    const char *profile, *noise;
    int64_t ends, extra_ends;
    uint64_t seed;
};
extern const struct result_member result_games_members[];

/* A match. */
struct result_match {
    const char *a, *b;
    int64_t pentanomial[RESULT_HALF_POINTS]; /* pairs by half points of a */
};
extern const struct result_member result_match_members[];

/* A place on the ladder of a tournament. */
struct result_place {
    int64_t number; /* of the player, as pairings name it */
    const char *player;
};
extern const struct result_member result_place_members[];

/* A pairing of a tournament. */
struct result_pairing {
    int64_t players[2];                      /* their numbers */
    int64_t pentanomial[RESULT_HALF_POINTS]; /* pairs by half points of the first */
};
extern const struct result_member result_pairing_members[];

/* Points per end that a responder wins. */
struct result_mean {
    double points, standard_error;
};
extern const struct result_member result_mean_members[];

/* A measurement of exploitability. */
struct result_exploitability {
    const char *player, *profile;
    int64_t ends;
    struct result_mean sente, gote, nash_conv; /* nash_conv: their sum */
};
extern const struct result_member result_exploitability_members[];

/* A ladder of all games of one profile and length. */
struct result_ladder {
    const char *profile;
    int64_t ends, extra_ends;
    const char *anchor; /* the player with Elo 0 */
};
extern const struct result_member result_ladder_members[];

/* A place on such a ladder. */
struct result_rating {
    const char *player;
    double elo, interval[2];
    int64_t pairs;
};
extern const struct result_member result_rating_members[];

#endif
