/* The migrations of this folder, embedded into the program. */
#ifndef RINKD_SCHEMA_SCHEMA_H
#define RINKD_SCHEMA_SCHEMA_H

struct schema_migration {
    const char *name; /* "0001_jobs" */
    const char *sql;  /* any number of statements */
};

/* Migration k (from 0) upgrades a database from version k to k + 1. A released migration never
 * changes; add a new one instead. */
extern const struct schema_migration schema_migrations[];
extern const int schema_migration_count;

#endif
