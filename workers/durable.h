/* Files that outlive a crash of the machine. */
#ifndef RINKD_WORKERS_DURABLE_H
#define RINKD_WORKERS_DURABLE_H

#include <stdbool.h>

/* Makes the name of a file durable: the folder that holds it is on the disk. False, with errno set:
 * it cannot be. */
bool durable_name(const char *path);

#endif
