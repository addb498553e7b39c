/* The migrations of this folder, inside the program. */
#ifndef RINKD_SCHEMA_SCHEMA_H
#define RINKD_SCHEMA_SCHEMA_H

struct schema_migration {
    const char *name; /* "0001_jobs" */
    const char *sql;  /* any number of statements */
};

/* Migration k (from 0) brings a file from version k to k + 1. What has been released once is never
 * changed; a change is a new migration. */
extern const struct schema_migration schema_migrations[];
extern const int schema_migration_count;

#endif
