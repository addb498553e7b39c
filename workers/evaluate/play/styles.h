/* Measures the styles of players: plays matches and counts their throws. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_STYLES_H
#define RINKD_WORKERS_EVALUATE_PLAY_STYLES_H

#include "workers/evaluate/play/pair.h"

/* Counts of a style, by style_parts; ends as in struct style_row. */
struct style_counts {
    int64_t throws, count[STYLE_COUNTS], ends[2][PROFILE_SCORES];
};

/* Plays `pairs` pairs between a player and the one it is measured against and counts the throws of
 * the first; pairs have the numbers from `first` on. The counts do not depend on the threads. */
enum pair_status styles_measure(const struct pair_setting *setting,
                                const struct player *const players[2], int64_t first, int64_t pairs,
                                int threads, const atomic_bool *cancel,
                                struct style_counts *ret_counts);

/* Plays pairs of single ends between the player and `rink`, which is players[1], and counts the
 * scores of the latter by its seat: `ends` of the counts; leaves the others as they are. */
enum pair_status styles_measure_ends(const struct pair_setting *setting,
                                     const struct player *const players[2], int64_t pairs,
                                     int threads, const atomic_bool *cancel,
                                     struct style_counts *counts);

/* Plays a pair and keeps the throws of the first player, at most `most`; returns how many, < 0: it
 * failed. */
int styles_throws(const struct pair_setting *setting, const struct player *const players[2],
                  int64_t pair, const atomic_bool *cancel, int most,
                  struct style_throw *ret_throws);

/* How far counts are from a committed row. */
struct style_misfit {
    double distance; /* nats a throw: the divergence of the shares, summed over the traits */
    double chance;   /* what as few throws of the right player may show: the mean and four
                        deviations of a chi-square */
    bool is_right;   /* not more than `chance` and STYLE_TOLERANCE */
};
#define STYLE_TOLERANCE 0.05

struct style_misfit styles_misfit(const struct style_counts *counts, const struct style_row *row);

/* How far the mean score of ends is from the committed row, in points, in the seat where it is
 * farther; by chance, four standard errors. Both 0 where the row has no ends. */
struct style_misfit styles_ends_misfit(const struct style_counts *counts,
                                       const struct style_row *row);
#define STYLE_ENDS_TOLERANCE 0.15

#endif
