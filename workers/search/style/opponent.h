/* Who is the opponent? Weights of the known styles by what was seen, with room for a stranger.
 *
 * Bayes' rule from throw to throw. Before each throw the opponent may have changed with a small
 * chance, so that one who switches is followed. Traits of a throw depend on each other, so their
 * likelihoods count with a power below one. A stranger throws like a mean of all styles and of
 * anything. */
#ifndef RINKD_WORKERS_SEARCH_STYLE_OPPONENT_H
#define RINKD_WORKERS_SEARCH_STYLE_OPPONENT_H

#include "workers/search/style/style.h"

enum { OPPONENT_STYLES_MAX = 16, OPPONENT_THROWS_MAX = 256 };

/* The throws of an opponent so far, oldest first; beyond the most the oldest are forgotten. */
struct opponent_throws {
    int count;
    struct style_throw throw[OPPONENT_THROWS_MAX];
};

/* Adds a throw, unless its shot cannot be thrown. */
void opponent_see(struct opponent_throws *throws, const struct rules *rules,
                  const struct ice_profile *ice, const struct throw_seen *seen);

/* What is believed. Weights and stranger add up to 1. */
struct opponent {
    int throws, styles;
    const struct style_row *style[OPPONENT_STYLES_MAX];
    double weight[OPPONENT_STYLES_MAX];
    double stranger;
    double confidence; /* 0 to 1: grows with the throws, is small while a stranger is likely */
    double errs;       /* chance that it errs as a weak player does: of the styles by their weights,
                          a half as far as confidence is missing */
};

/* Weighs the styles of a profile by throws, oldest first. A profile without styles of its own takes
 * those of dc3. Any thread. */
void opponent_of(const struct rules *rules, const struct style_throw *throws, int count,
                 struct opponent *ret_opponent);

#endif
