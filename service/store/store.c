/* The database file: opening, migrations, transactions, backups; and answers to repeated requests.
 */
#include "service/store/store.h"

#include "schema/schema.h"
#include "service/store/generation.h"
#include "service/store/sql.h"
#include "service/store/strangers.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* PRAGMA application_id of our files: "Rink". */
enum { APPLICATION = 0x52696e6b };
enum { ANSWER_AGE_MS = 24 * 3600 * 1000 };
enum { LOCK_WAIT_MS = 1000, LOCK_PAUSE_MS = 5 };
/* Suffix of an unfinished copy; SQLite keeps its journal beside it, with "-journal" after that. */
#define UNFINISHED ".part"
/* The largest file that is checked completely at start: about 50 ms, or 10,000 jobs. */
#define CHECK_BYTES_MAX ((int64_t)8 << 20)

static enum api_error say(char *ret_error, enum api_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static enum api_error say(char *ret_error, enum api_error error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ret_error, STORE_ERROR_MAX, format, arguments);
    va_end(arguments);
    return error;
}

/* Reports an error of SQLite. */
static enum api_error say_sqlite(struct store *store, enum api_error error, const char *what,
                                 char *ret_error)
{
    return say(ret_error, error, "%s: %s", what,
               error == API_NO_MEMORY ? "out of memory" : sqlite3_errmsg(store->db));
}

/* Runs statements without values or rows. */
static enum api_error control(struct store *store, const char *text)
{
    return sql_error(sqlite3_exec(store->db, text, NULL, NULL, NULL));
}

/* ---- open ---- */

static bool folder_path(const char *folder, const char *name, char ret_path[4096])
{
    return snprintf(ret_path, 4096, "%s/%s", folder, name) < 4096;
}

/* Only one daemon may use a folder. The lock ends with the process, no matter how. */
static enum api_error lock_folder(struct store *store, const char *folder, char *ret_error)
{
    char path[4096];

    if (!folder_path(folder, "rinkd.lock", path))
        return say(ret_error, API_STORAGE, "the name of the folder is too long");
    store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (store->lock < 0)
        return say(ret_error, API_STORAGE, "%s: %s", path, strerror(errno));
    /* If a daemon is killed right after fork(), the child holds the lock until it executes its
     * program. */
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_MS * 1000000};
    for (int waited_ms = 0; flock(store->lock, LOCK_EX | LOCK_NB) != 0;
         waited_ms += LOCK_PAUSE_MS) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return say(ret_error, API_STORAGE, "%s: %s", path, strerror(errno));
        if (waited_ms >= LOCK_WAIT_MS)
            return say(ret_error, API_STATE, "%s: another rinkd uses this folder", path);
        nanosleep(&pause, NULL);
    }
    return API_OK;
}

/* SQLite counts its memory under a lock at every allocation, and nobody reads the count. */
static void stop_counting(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* refused once SQLite is in use, without harm */
}

static enum api_error connect_file(struct store *store, const char *folder, int flags,
                                   char *ret_error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char path[4096];

    if (!folder_path(folder, "rinkd.db", path))
        return say(ret_error, API_STORAGE, "the name of the folder is too long");
    pthread_once(&once, stop_counting);
    int result = sqlite3_open_v2(path, &store->db,
                                 flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
    if (result != SQLITE_OK)
        return say_sqlite(store, store->db ? sql_error(result) : API_NO_MEMORY, path, ret_error);
    sqlite3_busy_timeout(store->db, 5000);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    /* Plans do not depend on values. Else a value that SQLite compares with the condition of a
     * partial index ("kind = ?1") makes it compile the statement, with all its triggers, again at
     * every use. */
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_QPSG, 1, NULL);
    return API_OK;
}

/* Checks that the file is one of ours and that this program understands it. */
static enum api_error check_file(struct store *store, int64_t *ret_version, char *ret_error)
{
    static const char text[] = "SELECT application_id, user_version,"
                               "       (SELECT count(*) FROM sqlite_schema)"
                               "  FROM pragma_application_id, pragma_user_version";
    int64_t application, version, tables;
    enum api_error error =
        sql_read(store, text, NULL, GET(TO_INT(&application), TO_INT(&version), TO_INT(&tables)));

    if (error != API_OK)
        return say_sqlite(store, error, "the database cannot be read", ret_error);
    if (application != APPLICATION && tables > 0)
        return say(ret_error, API_STATE, "rinkd.db is not a database of rinkd");
    if (version < 0 || version > store_schema_newest())
        return say(ret_error, API_STATE,
                   "rinkd.db has schema %lld, written by a newer rinkd; this one knows up to %d",
                   (long long)version, store_schema_newest());
    *ret_version = version;
    return API_OK;
}

/* Looks for damage. SQLite survives crashes, so this finds broken disks; a large file would take
 * too long and is checked when it is copied. */
static enum api_error check_pages(struct store *store, char *ret_error)
{
    static const char size[] = "SELECT page_count * page_size FROM pragma_page_count,"
                               "       pragma_page_size";
    static const char check[] = "PRAGMA quick_check(1)";
    int64_t bytes;
    char found[STORE_ERROR_MAX];
    enum api_error error = sql_read(store, size, NULL, GET(TO_INT(&bytes)));

    if (error == API_OK && bytes > CHECK_BYTES_MAX)
        return API_OK;
    if (error == API_OK)
        error = sql_read(store, check, NULL, GET(TO_TEXT(sizeof found, found)));
    if (error != API_OK)
        return say_sqlite(store, error, "quick_check of rinkd.db", ret_error);
    return strcmp(found, "ok") == 0 ? API_OK
                                    : say(ret_error, API_STORAGE, "rinkd.db is damaged: %s", found);
}

static enum api_error execute(struct store *store, const char *text, const char *what,
                              char *ret_error)
{
    enum api_error error = control(store, text);

    return error == API_OK ? API_OK : say_sqlite(store, error, what, ret_error);
}

/* Applies all missing migrations in one transaction, so a file never stops between two versions. */
static enum api_error migrate(struct store *store, int64_t version, char *ret_error)
{
    char stamp[128];

    if (version == store_schema_newest())
        return API_OK;
    enum api_error error = execute(store, "BEGIN IMMEDIATE", "migration", ret_error);
    for (int64_t k = version; error == API_OK && k < store_schema_newest(); k++)
        error = execute(store, schema_migrations[k].sql, schema_migrations[k].name, ret_error);
    snprintf(stamp, sizeof stamp, "PRAGMA user_version = %d; PRAGMA application_id = %d",
             store_schema_newest(), APPLICATION);
    if (error == API_OK)
        error = execute(store, stamp, "migration", ret_error);
    if (error == API_OK)
        error = execute(store, "COMMIT", "migration", ret_error);
    if (error != API_OK)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return error;
}

static bool has_no_file(const char *folder)
{
    char path[4096];
    struct stat about;

    return folder_path(folder, "rinkd.db", path) &&
           (stat(path, &about) != 0 ? errno == ENOENT : about.st_size == 0);
}

/* A new database does not know the existing files and would use their names again. */
static enum api_error refuse_strangers(const char *folder, bool no_file, char *ret_error)
{
    if (!strangers_are_here(folder, no_file))
        return API_OK;
    return say(
        ret_error, API_STATE,
        "%.200s: there is no database, but files of one in jobs/, models/ or rinkd.db-wal;"
        " put its rinkd.db back, or a copy from backups/ after moving rinkd.db-wal and"
        " rinkd.db-shm away, or start with --adopt, which moves them all to " STRANGERS_FOLDER
        "/ and begins anew",
        folder);
}

static enum api_error settle_strangers(const char *folder, bool no_file, bool adopts,
                                       char *ret_error)
{
    if (!adopts)
        return refuse_strangers(folder, no_file, ret_error);
    if (strangers_adopt(folder, no_file, (int64_t)time(NULL) * 1000) != API_OK)
        return say(ret_error, API_STORAGE, "--adopt: %.200s/" STRANGERS_FOLDER ": %s", folder,
                   strerror(errno));
    return API_OK;
}

/* A log of another database must not be applied to this one. */
static enum api_error settle_log(const char *folder, bool adopts, char *ret_error)
{
    if (generation_fits(folder))
        return API_OK;
    if (!adopts)
        return say(ret_error, API_STATE,
                   "%.200s: rinkd.db-wal belongs to another rinkd.db, perhaps to the one that this "
                   "copy replaces; move rinkd.db-wal and rinkd.db-shm away, or start with --adopt, "
                   "which moves them to " STRANGERS_FOLDER "/",
                   folder);
    if (strangers_adopt_log(folder, (int64_t)time(NULL) * 1000) != API_OK)
        return say(ret_error, API_STORAGE, "--adopt: %.200s/" STRANGERS_FOLDER ": %s", folder,
                   strerror(errno));
    return API_OK;
}

/* The database has the secrets of webhooks: an earlier version, or a folder made beforehand, may
 * have left it open to others. */
static void close_to_others(const char *folder)
{
    static const char *const files[] = {"rinkd.db", "rinkd.db-wal", "rinkd.db-shm"};
    char path[4096];

    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (folder_path(folder, files[k], path))
            chmod(path, 0600);
}

static enum api_error open_writer(struct store *store, const char *folder, bool adopts,
                                  char *ret_error)
{
    int64_t version = 0;
    enum api_error error = lock_folder(store, folder, ret_error);

    if (error == API_OK)
        close_to_others(folder);
    if (error == API_OK && has_no_file(folder)) /* before SQLite sees the WAL */
        error = settle_strangers(folder, true, adopts, ret_error);
    else if (error == API_OK)
        error = settle_log(folder, adopts, ret_error);
    if (error == API_OK)
        error = connect_file(store, folder, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, ret_error);
    if (error == API_OK)
        error = check_file(store, &version, ret_error);
    if (error == API_OK && version == 0) /* a file without tables is new, too */
        error = settle_strangers(folder, false, adopts, ret_error);
    if (error == API_OK)
        error = check_pages(store, ret_error);
    /* The WAL is copied into the file at 1000 pages; after a burst its file shrinks again. */
    if (error == API_OK)
        error = execute(store,
                        "PRAGMA journal_mode = WAL;"
                        "PRAGMA synchronous = FULL;"
                        "PRAGMA journal_size_limit = 16777216;"
                        "PRAGMA cache_size = -8192;"
                        "PRAGMA temp_store = MEMORY",
                        "rinkd.db", ret_error);
    if (error == API_OK)
        error = migrate(store, version, ret_error);
    if (error == API_OK)
        error = execute(store, "PRAGMA foreign_keys = ON", "rinkd.db", ret_error);
    if (error == API_OK)
        generation_begin(store->db, store->lock);
    return error;
}

/* Removes copies that an earlier daemon did not finish; files of other names are not ours. */
static void remove_unfinished_backups(const char *folder)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/" STORE_BACKUPS, folder);
    DIR *all = length < (int)sizeof path ? opendir(path) : NULL;
    const struct dirent *entry;

    while (all && (entry = readdir(all)) != NULL)
        if (fnmatch(STORE_BACKUP_PATTERN UNFINISHED, entry->d_name, 0) == 0 ||
            fnmatch(STORE_BACKUP_PATTERN UNFINISHED "-*", entry->d_name, 0) == 0)
            unlinkat(dirfd(all), entry->d_name, 0);
    if (all)
        closedir(all);
}

enum api_error store_open(const char *folder, bool adopts, struct store **ret_store,
                          char *ret_error)
{
    struct store *store = calloc(1, sizeof *store);

    if (!store)
        return say(ret_error, API_NO_MEMORY, "out of memory");
    store->lock = -1;
    store->is_writer = true;
    enum api_error error = open_writer(store, folder, adopts, ret_error);
    if (error != API_OK) {
        /* The WAL may belong to another file: closing must not copy it into this one. */
        if (store->db)
            sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        store->is_writer = false;
        store_close(store);
        return error;
    }
    remove_unfinished_backups(folder);
    *ret_store = store;
    return API_OK;
}

bool store_is_in_use(const char *folder)
{
    char path[4096];
    int lock = folder_path(folder, "rinkd.lock", path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    bool is_used = lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) != 0;

    if (lock >= 0)
        close(lock);
    return is_used;
}

/* Whether the file has everything, as after a clean stop: no log with data, and no daemon that
 * could write one. */
static bool is_at_rest(const char *folder)
{
    char path[4096];
    struct stat about;

    return folder_path(folder, "rinkd.db-wal", path) &&
           (stat(path, &about) != 0 || about.st_size == 0) && !store_is_in_use(folder);
}

/* `alone`: the file is at rest, and no file is made beside it. */
static enum api_error open_reader(const char *folder, bool alone, struct store **ret_store,
                                  int64_t *ret_version, char *ret_error)
{
    struct store *store = calloc(1, sizeof *store);
    char path[4096];

    if (!store)
        return say(ret_error, API_NO_MEMORY, "out of memory");
    store->lock = -1;
    if (alone && folder_path(folder, "rinkd.db", path))
        store->db = generation_open_alone(path);
    enum api_error error =
        store->db ? API_OK : connect_file(store, folder, SQLITE_OPEN_READONLY, ret_error);
    if (error == API_OK)
        error = check_file(store, ret_version, ret_error);
    if (error != API_OK) {
        store_close(store);
        return error;
    }
    *ret_store = store;
    return API_OK;
}

enum api_error store_open_reader(const char *folder, struct store **ret_store)
{
    char unheard[STORE_ERROR_MAX];
    int64_t version;

    return open_reader(folder, false, ret_store, &version, unheard);
}

enum api_error store_check(const char *folder, bool adopts, struct store **ret_store,
                           char *ret_error)
{
    struct store *store = NULL;
    int64_t version = 0;
    bool no_file = has_no_file(folder);
    enum api_error error = no_file || adopts ? API_OK : settle_log(folder, false, ret_error);

    if (error == API_OK && !no_file)
        error = open_reader(folder, is_at_rest(folder), &store, &version, ret_error);
    if (error == API_OK && version == 0 && !adopts)
        error = refuse_strangers(folder, no_file, ret_error);
    if (error != API_OK || version == 0) {
        store_close(store);
        store = NULL;
    }
    if (error == API_OK)
        *ret_store = store;
    return error;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    for (int k = 0; k < SQL_STATEMENTS; k++)
        sqlite3_finalize(store->kept[k].statement);
    if (store->is_writer && store->db) {
        store_rollback(store);
        sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    }
    sqlite3_close(store->db);
    if (store->lock >= 0)
        close(store->lock);
    free(store);
}

int store_schema_newest(void)
{
    return schema_migration_count;
}

int store_schema_version(struct store *store)
{
    static const char text[] = "PRAGMA user_version";
    int64_t version;

    return sql_read(store, text, NULL, GET(TO_INT(&version))) == API_OK ? (int)version : -1;
}

/* ---- transactions ---- */

enum api_error store_begin(struct store *store)
{
    if (store->in_transaction || !store->is_writer)
        return API_INTERNAL;
    enum api_error error = API_OK;
    if (!sqlite3_get_autocommit(store->db)) /* the last rollback ran out of memory */
        error = control(store, "ROLLBACK");
    if (error == API_OK)
        error = control(store, "BEGIN IMMEDIATE");
    assert(error != API_OK || !sqlite3_get_autocommit(store->db));
    store->in_transaction = error == API_OK;
    store->ended = API_OK;
    return error;
}

void store_rollback(struct store *store)
{
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    store->in_transaction = false;
}

enum api_error store_commit(struct store *store)
{
    if (!store->in_transaction)
        return API_INTERNAL;
    enum api_error error = store->ended;
    /* SQLite may also have rolled back without an error that we saw, for instance when a reset
     * runs out of memory. */
    if (error == API_OK && sqlite3_get_autocommit(store->db))
        error = API_STORAGE;
    if (error == API_OK)
        error = control(store, "COMMIT");
    store_rollback(store);
    return error;
}

/* Runs a statement inside the transaction. */
static enum api_error go_on(struct store *store, const char *text)
{
    if (!store->in_transaction)
        return API_INTERNAL;
    return store->ended != API_OK ? store->ended : sql_run(store, text, NULL);
}

enum api_error store_savepoint(struct store *store)
{
    static const char text[] = "SAVEPOINT request";
    return go_on(store, text);
}

enum api_error store_release(struct store *store)
{
    static const char text[] = "RELEASE request";
    return go_on(store, text);
}

void store_undo(struct store *store)
{
    if (!store->in_transaction || store->ended != API_OK)
        return;
    /* If the undo fails, the transaction must not be committed. */
    enum api_error error = control(store, "ROLLBACK TO request; RELEASE request");
    if (error != API_OK)
        store->ended = error;
}

/* ---- copies ---- */

/* Syncs a file, or the names in a folder, to disk. */
static bool sync_path(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool good = file >= 0 && fsync(file) == 0;

    if (file >= 0)
        close(file);
    return good;
}

/* The mark keeps a log beside the copy from being applied to it. */
static enum api_error mark_copy(const char *path)
{
    sqlite3 *db = NULL;
    int result = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

    if (result == SQLITE_OK && !generation_mark_copy(db))
        result = sqlite3_extended_errcode(db);
    enum api_error error = sql_error(result);
    sqlite3_close(db);
    return error;
}

enum api_error store_backup(struct store *reader, const char *path)
{
    static const char text[] = "VACUUM INTO ?1";
    char part[4096], folder[4096];
    int length = snprintf(part, sizeof part, "%s" UNFINISHED, path);

    if (length < 0 || length >= (int)sizeof part)
        return API_BAD_PARAMETER;
    if (access(path, F_OK) == 0)
        return API_EXISTS;
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1,
             slash ? path : ".");
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(reader->db, text, -1, &statement, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_bind_text(statement, 1, part, -1, SQLITE_STATIC);
    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    sqlite3_finalize(statement);
    enum api_error error = sql_error(result);
    if (error == API_OK)
        error = mark_copy(part);
    /* SQLite does not sync the copy. link(), unlike rename(), never replaces a file. */
    if (error == API_OK && (!sync_path(part) || link(part, path) != 0))
        error = errno == EEXIST ? API_EXISTS : API_STORAGE;
    unlink(part);
    if (error == API_OK && !sync_path(folder))
        error = API_STORAGE;
    return error;
}

void store_interrupt(struct store *store)
{
    sqlite3_interrupt(store->db);
}

/* ---- answers ---- */

enum api_error store_answer_find(struct store *store, const char *scope, const char *key,
                                 int64_t now_ms, struct store_answer *ret_answer)
{
    static const char text[] = "SELECT body_sha256, status, location, body FROM answer"
                               " WHERE scope = ?1 AND key = ?2 AND at_ms > ?3";
    struct store_answer answer;
    int64_t status;
    enum api_error error =
        sql_read(store, text, PUT(TEXT(scope), TEXT(key), INT(now_ms - ANSWER_AGE_MS)),
                 GET(TO_TEXT(sizeof answer.body_sha256, answer.body_sha256), TO_INT(&status),
                     TO_COPY(&answer.location), TO_COPY(&answer.body)));

    if (error != API_OK)
        return error;
    answer.status = (int)status;
    *ret_answer = answer;
    return API_OK;
}

enum api_error store_answer_add(struct store *store, const char *scope, const char *key,
                                int64_t now_ms, const struct store_answer *answer)
{
    static const char text[] =
        "INSERT INTO answer (scope, key, at_ms, body_sha256, status, location, body)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        " ON CONFLICT (scope, key) DO UPDATE"
        "    SET at_ms = ?3, body_sha256 = ?4, status = ?5, location = ?6, body = ?7"
        "  WHERE at_ms <= ?8";
    return sql_change(store, text,
                      PUT(TEXT(scope), TEXT(key), INT(now_ms), TEXT(answer->body_sha256),
                          INT(answer->status), TEXT(answer->location), TEXT(answer->body),
                          INT(now_ms - ANSWER_AGE_MS)),
                      API_EXISTS);
}

enum api_error store_answers_forget(struct store *store, int64_t now_ms, int most)
{
    static const char text[] = "DELETE FROM answer WHERE rowid IN"
                               " (SELECT rowid FROM answer WHERE at_ms <= ?1 LIMIT ?2)";
    return sql_run(store, text, PUT(INT(now_ms - ANSWER_AGE_MS), INT(most)));
}
