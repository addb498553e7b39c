/* Gives a file a second name, durably. */
#ifndef RINKD_SERVICE_BASE_PLACE_FILE_H
#define RINKD_SERVICE_BASE_PLACE_FILE_H

#include <stdbool.h>

/* The name of an unfinished copy ends with this. */
#define PLACE_FILE_PART ".part"
enum { PLACE_FILE_MAX = 8192 };

/* Puts a durable file at `place` as well, by a link or else a copy; a file there is replaced in one
 * step. The folder still has to be made durable. False: errno says why. */
bool place_file(const char *path, const char *place);
/* Makes changes of a folder durable. */
bool place_sync_folder(const char *folder);

#endif
