/* All that a daemon has kept: the files of its data folder and the rows of its database, as lines
 * of text that can be compared. What only tells that somebody was heard is left out. An error of
 * the test itself ends it. */
#ifndef RINKD_TESTS_CLUSTER_WORLD_H
#define RINKD_TESTS_CLUSTER_WORLD_H

#include "tests/api/daemon.h"

#include <stdbool.h>
#include <stddef.h>

struct world {
    char **line; /* sorted */
    size_t count, room;
};

/* "file PATH BYTES SHA256" and "row TABLE|column=value|…"; rows of curves, points and checkpoints
 * begin with the name of their run. */
struct world *world_take(const struct daemon_process *daemon);
void world_free(struct world *world);

/* The first lines that differ, "" where one has none; false: they are the same. Lines with one of
 * the texts `except` in them (NULL at the end) do not count. */
struct world_difference {
    const char *before, *after;
};
bool world_differs(const struct world *before, const struct world *after, const char *const *except,
                   struct world_difference *ret_difference);

#endif
