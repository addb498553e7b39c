/* Faults on demand: a disk that fails or loses unsynced data, and memory that is short.
 *
 * The disk: faults.c defines the program's pwrite64(), ftruncate64(), fdatasync() and fsync(),
 * which SQLite then calls. The memory: allocations of SQLite, of jansson and (by --wrap) of this
 * program. Operations are counted from 1, starting at faults_disk() or faults_memory(). */
#ifndef RINKD_TESTS_UNIT_SERVICE_STORE_FAULTS_H
#define RINKD_TESTS_UNIT_SERVICE_STORE_FAULTS_H

#include <stdbool.h>

/* Call it before SQLite is used. */
void faults_install(void);

enum faults_disk {
    DISK_GOOD,      /* only counts; syncs do nothing, to keep tests fast */
    DISK_FULL_ONCE, /* the n-th write, truncation or sync fails: ENOSPC */
    DISK_BROKEN,    /* from the n-th on all fail: EIO */
    DISK_POWER_LOSS /* the n-th sync and all later ones fail; see faults_cut_power() */
};
/* Faults for files in `folder`. */
void faults_disk(enum faults_disk kind, int n, const char *folder);

/* The n-th allocation fails, or (for_ever) that one and all later ones. n = 0: none. */
void faults_memory(int n, bool for_ever);

/* Returns whether the fault has occurred. */
bool faults_happened(void);

/* After DISK_POWER_LOSS, with all files closed: resets the files to their last sync. */
void faults_cut_power(void);

#endif
