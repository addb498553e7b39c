/* Faults made to order: a disk that fails or loses what was not synced, and memory that is short.
 *
 * The disk: faults.c defines pwrite64(), ftruncate64(), fdatasync() and fsync() of the program,
 * which SQLite then calls. The memory: allocations of SQLite, of jansson and (by --wrap) of this
 * program. Operations are counted from faults_disk() or faults_memory() on, from 1. */
#ifndef RINKD_TESTS_UNIT_SERVICE_STORE_FAULTS_H
#define RINKD_TESTS_UNIT_SERVICE_STORE_FAULTS_H

#include <stdbool.h>

/* Before SQLite is used. */
void faults_install(void);

enum faults_disk {
    DISK_GOOD,      /* only counts; syncs do nothing, so that tests are quick */
    DISK_FULL_ONCE, /* the n-th write, cut or sync fails: ENOSPC */
    DISK_BROKEN,    /* from the n-th on all fail: EIO */
    DISK_POWER_LOSS /* the n-th sync and all that follows fails; see faults_cut_power() */
};
/* Of files in `folder`. */
void faults_disk(enum faults_disk kind, int n, const char *folder);

/* The n-th allocation fails, or (for ever) all from then on. n = 0: none. */
void faults_memory(int n, bool for_ever);

/* Whether the fault has come. */
bool faults_happened(void);

/* After DISK_POWER_LOSS, with all files closed: they are now as at their last sync. */
void faults_cut_power(void);

#endif
