/* See world.h. */
#include "tests/cluster/world.h"

#include "tests/cluster/cluster.h"

#include <dirent.h>
#include <setjmp.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static void add(struct world *world, char *line)
{
    if (world->count == world->room) {
        world->room = 2 * world->room + 64;
        world->line = realloc(world->line, world->room * sizeof *world->line);
        assert_non_null(world->line);
    }
    world->line[world->count++] = line;
}

/* ---- files ---- */

static void add_file(struct world *world, const char *path, const char *name, size_t size)
{
    char *bytes = malloc(size + 1), hash[CLUSTER_HASH], *line = NULL;
    FILE *file = fopen(path, "re");

    assert_non_null(bytes);
    const size_t got = file ? fread(bytes, 1, size + 1, file) : 0;
    if (file)
        fclose(file);
    cluster_hash(bytes, got, hash);
    free(bytes);
    assert_true(asprintf(&line, "file %s %zu %s", name, got, hash) > 0);
    add(world, line);
}

static void add_folder(struct world *world, const char *data, const char *name)
{
    char path[512], inner[256];
    struct stat about;
    const struct dirent *entry;

    snprintf(path, sizeof path, "%s/%s", data, name);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strncmp(entry->d_name, "rinkd.db", 8) == 0)
            continue;
        assert_true((size_t)snprintf(inner, sizeof inner, "%s%s%s", name, *name ? "/" : "",
                                     entry->d_name) < sizeof inner);
        snprintf(path, sizeof path, "%s/%s", data, inner);
        if (lstat(path, &about) != 0)
            continue; /* a file that was on its way */
        if (S_ISDIR(about.st_mode))
            add_folder(world, data, inner);
        else
            add_file(world, path, inner, (size_t)about.st_size);
    }
    closedir(folder);
}

/* ---- rows ---- */

/* Columns that change when somebody is heard. */
static bool is_heard(const char *column)
{
    static const char *const columns[] = {"lease_until_ms", "last_seen_ms", "progress", "eta_s",
                                          "updated_ms"};
    bool found = false;

    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        found = found || strcmp(columns[k], column) == 0;
    return found;
}

static void add_rows(struct world *world, sqlite3 *database, const char *table, const char *sql)
{
    sqlite3_stmt *rows;

    assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &rows, NULL), SQLITE_OK);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        char *line = NULL;
        size_t size = 0;
        FILE *text = open_memstream(&line, &size);
        assert_non_null(text);
        fprintf(text, "row %s|", table);
        for (int k = 0; k < sqlite3_column_count(rows); k++) {
            const unsigned char *value = sqlite3_column_text(rows, k);
            if (!is_heard(sqlite3_column_name(rows, k)))
                fprintf(text, "%s=%s|", sqlite3_column_name(rows, k),
                        value ? (const char *)value : "NULL");
        }
        fclose(text);
        add(world, line);
    }
    assert_int_equal(sqlite3_finalize(rows), SQLITE_OK);
}

static void add_database(struct world *world, const struct daemon_process *daemon)
{
    static const struct {
        const char *table, *sql;
    } of_runs[] = {
        {"curve", "SELECT run.name AS of, curve.* FROM curve JOIN run ON run.id = curve.run"},
        {"point", "SELECT run.name AS of, curve.name, point.* FROM point"
                  "  JOIN curve ON curve.id = point.curve JOIN run ON run.id = curve.run"},
        {"checkpoint", "SELECT run.name AS of, checkpoint.* FROM checkpoint"
                       "  JOIN run ON run.id = checkpoint.run"},
    };
    char path[128], sql[128];
    sqlite3 *database;
    sqlite3_stmt *tables;

    snprintf(path, sizeof path, "%s/rinkd.db", daemon->data);
    assert_int_equal(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    sqlite3_busy_timeout(database, 5000);
    assert_int_equal(sqlite3_exec(database, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
    for (size_t k = 0; k < sizeof of_runs / sizeof *of_runs; k++)
        add_rows(world, database, of_runs[k].table, of_runs[k].sql);
    assert_int_equal(sqlite3_prepare_v2(database,
                                        "SELECT name FROM sqlite_schema WHERE type = 'table'"
                                        "   AND name NOT IN ('curve', 'point', 'checkpoint')",
                                        -1, &tables, NULL),
                     SQLITE_OK);
    while (sqlite3_step(tables) == SQLITE_ROW) {
        const char *table = (const char *)sqlite3_column_text(tables, 0);
        snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"", table);
        add_rows(world, database, table, sql);
    }
    assert_int_equal(sqlite3_finalize(tables), SQLITE_OK);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

/* ---- comparing ---- */

static int by_text(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

struct world *world_take(const struct daemon_process *daemon)
{
    struct world *world = calloc(1, sizeof *world);

    assert_non_null(world);
    add_folder(world, daemon->data, "");
    add_database(world, daemon);
    qsort(world->line, world->count, sizeof *world->line, by_text);
    return world;
}

void world_free(struct world *world)
{
    for (size_t k = 0; k < world->count; k++)
        free(world->line[k]);
    free(world->line);
    free(world);
}

/* The next line from *at on that counts; "": there is none. */
static const char *next_line(const struct world *world, const char *const *except, size_t *at)
{
    for (; *at < world->count; (*at)++) {
        bool counts = true;
        for (const char *const *text = except; *text; text++)
            counts = counts && !strstr(world->line[*at], *text);
        if (counts)
            return world->line[(*at)++];
    }
    return "";
}

bool world_differs(const struct world *before, const struct world *after, const char *const *except,
                   struct world_difference *ret_difference)
{
    size_t of_before = 0, of_after = 0;

    do {
        ret_difference->before = next_line(before, except, &of_before);
        ret_difference->after = next_line(after, except, &of_after);
        if (strcmp(ret_difference->before, ret_difference->after) != 0)
            return true;
    } while (*ret_difference->before);
    return false;
}
