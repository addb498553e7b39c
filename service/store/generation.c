/* Ids of generations in the database and in the lock file. See generation.h. */
#include "service/store/generation.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ID_DIGITS = 16, PATH_BYTES = 4096, RECORD_BYTES = 2 * (ID_DIGITS + 1) };

/* In the lock file for a database that has no generation yet. */
#define NONE "----------------"

/* The lock file's two ids: one, or both while the database changes from one to the other. */
struct record {
    char id[2][ID_DIGITS + 1];
};

static bool read_record(int lock, struct record *ret_record)
{
    char text[RECORD_BYTES + 1] = "";

    return pread(lock, text, RECORD_BYTES, 0) == RECORD_BYTES &&
           sscanf(text, "%16s %16s", ret_record->id[0], ret_record->id[1]) == 2;
}

static bool write_record(int lock, const char *one, const char *two)
{
    char text[RECORD_BYTES + 1];

    snprintf(text, sizeof text, "%s %s\n", one, two);
    return pwrite(lock, text, RECORD_BYTES, 0) == RECORD_BYTES && fsync(lock) == 0;
}

static int take_id(void *ret_id, int columns, char **texts, char **names)
{
    (void)columns;
    (void)names;
    snprintf(ret_id, ID_DIGITS + 1, "%s", texts[0] && *texts[0] ? texts[0] : NONE);
    return 0;
}

/* Reads the id; NONE if there is none yet. False: the database cannot be read. */
static bool read_id(sqlite3 *db, char ret_id[ID_DIGITS + 1])
{
    int result =
        sqlite3_table_column_metadata(db, NULL, "generation", "id", NULL, NULL, NULL, NULL, NULL);

    strcpy(ret_id, result == SQLITE_ERROR ? NONE : ""); /* no such table */
    if (result == SQLITE_OK)
        sqlite3_exec(db, "SELECT id FROM generation", take_id, ret_id, NULL);
    return *ret_id != '\0';
}

sqlite3 *generation_open_alone(const char *path)
{
    char uri[3 * PATH_BYTES];
    sqlite3 *db = NULL;
    size_t used = (size_t)snprintf(uri, sizeof uri, "file:");

    for (const char *at = path; *at && used + sizeof "%00?immutable=1" < sizeof uri; at++)
        used += (size_t)snprintf(uri + used, sizeof uri - used,
                                 strchr("?#%", *at) ? "%%%02x" : "%c", (unsigned char)*at);
    snprintf(uri + used, sizeof uri - used, "?immutable=1");
    if (sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
                        NULL) == SQLITE_OK)
        return db;
    sqlite3_close(db);
    return NULL;
}

bool generation_fits(const char *folder)
{
    char path[PATH_BYTES], id[ID_DIGITS + 1];
    struct record record;
    struct stat about;

    snprintf(path, sizeof path, "%s/rinkd.db-wal", folder);
    if (stat(path, &about) != 0 || about.st_size == 0)
        return true;
    snprintf(path, sizeof path, "%s/rinkd.lock", folder);
    int lock = open(path, O_RDONLY | O_CLOEXEC);
    bool has_record = lock >= 0 && read_record(lock, &record);
    if (lock >= 0)
        close(lock);
    if (!has_record)
        return true;
    snprintf(path, sizeof path, "%s/rinkd.db", folder);
    sqlite3 *db = generation_open_alone(path);
    bool is_read = db && read_id(db, id);
    sqlite3_close(db);
    return !is_read || strcmp(id, record.id[0]) == 0 || strcmp(id, record.id[1]) == 0;
}

/* Brings everything from the log to the file. */
static bool settle(sqlite3 *db)
{
    int left = -1;

    return sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &left, NULL) ==
               SQLITE_OK &&
           left == 0;
}

static bool write_id(sqlite3 *db, const char *id)
{
    char text[64];

    snprintf(text, sizeof text, "UPDATE generation SET id = '%s'", id);
    return sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK;
}

void generation_begin(sqlite3 *db, int lock)
{
    char before[ID_DIGITS + 1], id[ID_DIGITS + 1];
    uint64_t random;

    if (getrandom(&random, sizeof random, 0) != sizeof random || !settle(db) ||
        !read_id(db, before))
        return;
    snprintf(id, sizeof id, "%016" PRIx64, random);
    /* Until the file has the new id, either of them is right. */
    if (write_record(lock, before, id) && write_id(db, id) && settle(db))
        (void)write_record(lock, id, id);
}

bool generation_mark_copy(sqlite3 *db)
{
    return write_id(db, "copy");
}
