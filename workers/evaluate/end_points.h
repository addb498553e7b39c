/* The points of ends that have been played, kept in a file, so that whoever measures the same again
 * goes on where the last one was interrupted: one byte an end, each at its own place. A byte is
 * written or it is not; there is nothing that could be half done. */
#ifndef RINKD_WORKERS_EVALUATE_END_POINTS_H
#define RINKD_WORKERS_EVALUATE_END_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In place of the points of an end that has not been played. */
enum { END_POINTS_NONE = INT8_MIN };

struct end_points;

/* Opens the file of `ends` ends, or makes it, with this header, a line of text that says all on
 * which the points hang. One with another header, or of another size, is replaced: what is in it
 * belongs to another measurement. NULL if that fails, see errno. One process at a time. */
struct end_points *end_points_open(const char *path, const char *header, int64_t ends);
void end_points_close(struct end_points *file); /* NULL is fine */

/* Reads the points of `count` ends from number `first` on. False: see errno. */
bool end_points_read(const struct end_points *file, int64_t first, int64_t count,
                     int8_t *ret_points);
/* Keeps the points of an end, -100 … 100. Any thread. False: see errno. */
bool end_points_write(const struct end_points *file, int64_t end, int8_t points);

#endif
