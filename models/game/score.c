/* Counting. Compares squared distances: no root, and no tie from the rounding of a root. */
#include "models/game/score.h"

#include <assert.h>

uint16_t score_counting(const struct rules *rules, const struct position *position,
                        bool team0_has_hammer)
{
    double limit = rules->score_radius * rules->score_radius;
    double distance[POSITION_STONES], nearest[2] = {INFINITY, INFINITY};
    unsigned in_house = 0;

    for (unsigned rest = position->in_play; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        double d = tee_distance_squared(position->stone[k]);
        if (d < limit || (rules->score_radius_inclusive && d == limit)) {
            in_house |= 1u << k;
            distance[k] = d;
            if (d < nearest[k & 1])
                nearest[k & 1] = d;
        }
    }

    enum seat team0 = team0_has_hammer ? SEAT_GOTE : SEAT_SENTE;
    enum seat winner = nearest[SEAT_SENTE] < nearest[SEAT_GOTE] ? SEAT_SENTE : SEAT_GOTE;
    if (nearest[SEAT_SENTE] == nearest[SEAT_GOTE])
        winner = team0;
    /* Stones level with the other seat's nearest count only if the winner gets ties. */
    bool level_counts = rules->tie == RULES_TIE_TEAM0 && winner == team0;
    double other = nearest[1 - winner];
    unsigned counting = 0;

    in_house &= seat_mask(winner);
    for (unsigned rest = in_house; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        if (distance[k] < other || (level_counts && distance[k] == other))
            counting |= 1u << k;
    }
    assert(!(counting & POSITION_SENTE_MASK) || !(counting & POSITION_GOTE_MASK));
    return (uint16_t)counting;
}

int score_position(const struct rules *rules, const struct position *position,
                   bool team0_has_hammer)
{
    unsigned counting = score_counting(rules, position, team0_has_hammer);
    int points = __builtin_popcount(counting);
    return counting & POSITION_SENTE_MASK ? points : -points;
}

int score_order(const struct position *position, int ret_order[POSITION_STONES])
{
    double distance[POSITION_STONES];
    int stones = 0;

    /* Insertion sort: at most 16 stones, taken by index, so equal ones stay in that order. */
    for (unsigned rest = position->in_play; rest; rest &= rest - 1) {
        int k = __builtin_ctz(rest);
        double d = tee_distance_squared(position->stone[k]);
        int place = stones++;
        for (; place > 0 && d < distance[place - 1]; place--) {
            distance[place] = distance[place - 1];
            ret_order[place] = ret_order[place - 1];
        }
        distance[place] = d;
        ret_order[place] = k;
    }
    return stones;
}
