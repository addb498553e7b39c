/* The worth of a shot: the mean value, over the errors of the hand, of the position after the
 * executed shot, q(a) = E[ V(s') ], where s' are the stones at rest after the shot a + error.
 * Several hundred thousand throws a second make this computable. All candidates meet the same
 * errors (common random numbers), so their differences are more accurate than their values. */
#ifndef RINKD_WORKERS_SEARCH_JUDGE_JUDGE_H
#define RINKD_WORKERS_SEARCH_JUDGE_JUDGE_H

#include "models/networks/end_value.h"
#include "workers/search/player/player.h"

enum judge_value {
    JUDGE_BY_NETWORK,  /* end_value.h; the last shot of an end is always exact */
    JUDGE_BY_COUNTING, /* the score if the end stopped there */
    JUDGE_BY_ASKING    /* by a function of the caller; the last shot of an end is always exact */
};

/* Computes the probabilities of the end's scores for sente from a position after `thrown` stones;
 * any thread. */
typedef void judge_asked(void *context, const struct position *position, int thrown,
                         float ret_chance[OBJECTIVE_SCORES]);

/* The source of the values of positions; all pointers are borrowed. */
struct judge_source {
    const struct win_table *table;  /* of winning, by which shots are chosen; NULL: the profile's */
    const struct win_mix *opponent; /* for the chances of winning; NULL: an equal one */
    enum judge_value by;
    const struct end_value *network; /* for JUDGE_BY_NETWORK */
    const struct end_value *other; /* likewise: the chances are a mean with those of this one; NULL:
                                      no other */
    float other_share;             /* of that mean, 0 to 1 */
    judge_asked *asked;            /* for JUDGE_BY_ASKING */
    void *asked_context;
};

/* The situation in which shots are judged; all pointers are borrowed. */
struct judge {
    const struct game *game;
    const struct ice_profile *ice;
    const struct noise *noise;
    struct judge_source source;
    struct objective objective;
    const struct normal_pair *errors; /* sample k of every candidate meets errors[k] */
    int stone;                        /* the delivered stone */
    bool gote;                        /* the side to move is gote */
    bool team0_has_hammer;
};

/* A candidate and the statistics of its throws. Starts zeroed except for `candidate`. */
struct judged {
    struct candidate candidate;
    int samples;
    int successes;
    double sum, sum_of_squares;      /* sums of worth */
    double scores[OBJECTIVE_SCORES]; /* sum of the distributions, for the side to move */

    /* For the executions 0 … replies - 1 (rink.h): worth after the opponent's best reply minus
     * worth before it. */
    int replies;
    double reply_sum, reply_sum_of_squares;
    double reply_scores[OBJECTIVE_SCORES];
};

/* Returns the judge of the next shot of a query. `errors` is borrowed. */
struct judge judge_of(const struct player_query *query, enum objective_kind objective,
                      struct judge_source source, const struct normal_pair *errors);

/* Throws valued in one batch: the weights of the network and the tables of the ice do not fit into
 * the first-level cache at the same time. */
enum { JUDGE_AT_ONCE = 16 };

/* Throws a candidate with the errors `from` … from + count - 1, at most JUDGE_AT_ONCE, and computes
 * the probabilities of the end's scores after each, for the side to move. Returns how many throws
 * succeeded (candidate.h). Any thread. */
int judge_chances(const struct judge *judge, const struct candidate *candidate, int from, int count,
                  float (*ret_chance)[OBJECTIVE_SCORES]);

/* Throws samples judged->samples … until - 1 of the candidate: one simulated throw each. */
void judge_throw(const struct judge *judge, struct judged *judged, int until);

/* Computes the probabilities of the end's scores in the position after the next shot, for the side
 * that throws it. */
void judge_position(const struct judge *judge, const struct position *after,
                    float ret_chance[OBJECTIVE_SCORES]);

/* Computes the position after execution number `sample` of the candidate, and the probabilities of
 * the end's scores there, for the side to move. */
void judge_execute(const struct judge *judge, const struct judged *judged, int sample,
                   struct position *ret_after, float ret_chance[OBJECTIVE_SCORES]);

/* Counts the reply to one execution; `more` is its change of the probabilities of the scores. */
void judge_count_reply(const struct judge *judge, struct judged *judged,
                       const double more[OBJECTIVE_SCORES]);

/* Returns the mean worth, corrected by the replies. */
double judged_mean(const struct judged *judged);
/* Returns the standard error of the mean; infinite below two samples. Quasi-random errors make it
 * an upper bound. */
double judged_error(const struct judged *judged);
/* Returns the mean distribution of scores, corrected by the replies. */
struct score_distribution judged_distribution(const struct judged *judged);

#endif
