/* Do chances of winning come true? The records of a match have the chance that a player told with
 * each of its shots ("win_probability"); the result of the game says what became of it. A player
 * whose chances are right wins seven of ten games in which it tells 70 %.
 *
 * The shots of a game are not independent: they are added up by pairs, and the intervals are those
 * of a ratio over pairs (statistics/sample.h). A player tells the worth of the shot that it found
 * best, so its chances are too high by a little luck of the choice. */
#ifndef RINKD_WORKERS_EVALUATE_PLAY_CALIBRATION_H
#define RINKD_WORKERS_EVALUATE_PLAY_CALIBRATION_H

#include "api/curling/match_record.h"
#include "workers/evaluate/statistics/sample.h"

#include <stdio.h>

/* Which shots a row has: all, those of a tenth of the scale, of a part of an end, of a part of a
 * game, or without and with the hammer. */
enum {
    CALIBRATION_TENTHS = 10,
    CALIBRATION_ALL = 0,
    CALIBRATION_TENTH = 1,
    CALIBRATION_STAGE = CALIBRATION_TENTH + CALIBRATION_TENTHS,
    CALIBRATION_ENDS = CALIBRATION_STAGE + 4,
    CALIBRATION_HAMMER = CALIBRATION_ENDS + 3,
    CALIBRATION_ROWS = CALIBRATION_HAMMER + 2
};
extern const char *const calibration_names[CALIBRATION_ROWS];

struct calibration_row {
    int64_t shots;
    double told, won;   /* sums of chances, and of results: 1 a win, 1/2 a draw */
    double squares;     /* sum of the squared differences: Brier's score */
    struct ratio above; /* by pairs: won minus told, and shots */
};

enum { CALIBRATION_PLAYERS_MAX = 64, CALIBRATION_ERROR_MAX = 200 };

struct calibration {
    int players;
    char *name[CALIBRATION_PLAYERS_MAX]; /* specs of the header */
    int64_t pairs;
    struct calibration_row row[CALIBRATION_PLAYERS_MAX][CALIBRATION_ROWS];
};

/* Reads the records of a match or of a tournament to the end of the file; an unfinished last pair
 * does not count. The caller gives the result, which is large, to calibration_free(). False:
 * ret_error names the line and what is wrong, and nothing is allocated. */
bool calibration_read(FILE *file, struct calibration *ret_calibration,
                      char ret_error[CALIBRATION_ERROR_MAX]);
void calibration_free(struct calibration *calibration);

/* Returns the mean of won minus told in a row, 0 … 1; positive: too cautious. NAN without shots. */
double calibration_above(const struct calibration_row *row);
/* Returns its interval of 95 %; NAN for fewer than two pairs. */
struct interval calibration_interval(const struct calibration_row *row);

#endif
