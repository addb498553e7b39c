/* Reads the contract by the file's layout: each path, method and status on its own line, indented
 * two blanks a level. See contract.h. */
#include "tests/api/contract.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { OPERATIONS_MAX = 256, STATUSES_MAX = 32 };

static struct operation {
    char path[96], method[16];
    long status[STATUSES_MAX];
    bool was_met[STATUSES_MAX];
    int statuses;
    bool has_default;  /* the answers below */
    char security[64]; /* "[{bearer: [query]}, {bearer: [read]}]"; "[]": open to all */
} operation[OPERATIONS_MAX];
static int operations;

/* Statuses that an operation's "default" covers (components/responses/Anything). */
static const long anything[] = {403, 406, 408, 412, 429, 431, 500, 503, 507};

static void begin_operation(const char *path, const char *method)
{
    assert_true(operations < OPERATIONS_MAX);
    struct operation *new = &operation[operations++];

    *new = (struct operation){0};
    snprintf(new->path, sizeof new->path, "%s", path);
    for (size_t k = 0; method[k] && k + 1 < sizeof new->method; k++)
        new->method[k] = (char)(method[k] - 'a' + 'A');
}

void contract_load(const char *file_name)
{
    FILE *file = fopen(file_name, "r");
    char line[1024], path[96] = "", method[16];
    bool inside = false;
    long status;

    operations = 0;
    if (!file)
        fail_msg("%s cannot be read", file_name);
    while (fgets(line, sizeof line, file)) {
        if (line[0] != ' ' && line[0] != '#')
            inside = strcmp(line, "paths:\n") == 0;
        if (!inside)
            continue;
        if (sscanf(line, "  /%94[^:\n]", path + 1) == 1 && line[2] == '/')
            path[0] = '/';
        else if (strcmp(line, "  /:\n") == 0)
            strcpy(path, "/");
        else if (strncmp(line, "    ", 4) == 0 && line[4] != ' ' &&
                 sscanf(line, "    %15[a-z]:", method) == 1)
            begin_operation(path, method);
        else if (operations > 0 && strncmp(line, "      security: ", 16) == 0)
            snprintf(operation[operations - 1].security, sizeof operation->security, "%.*s",
                     (int)strcspn(line + 16, "\n"), line + 16);
        else if (operations > 0 && sscanf(line, "        '%3ld':", &status) == 1) {
            struct operation *at = &operation[operations - 1];
            assert_true(at->statuses < STATUSES_MAX);
            at->status[at->statuses++] = status;
        } else if (operations > 0 && strncmp(line, "        default:", 16) == 0)
            operation[operations - 1].has_default = true;
    }
    fclose(file);
    assert_true(operations > 0);
}

json_t *contract_schema(const char *file_name, const char *name)
{
    FILE *file = fopen(file_name, "r");
    char line[1024], title[96];
    json_error_t at;

    assert_non_null(file);
    snprintf(title, sizeof title, "    %s:\n", name);
    do
        if (!fgets(line, sizeof line, file))
            fail_msg("%s has no schema %s", file_name, name);
    while (strcmp(line, title) != 0);
    json_t *schema = json_loadf(file, JSON_DISABLE_EOF_CHECK, &at);
    fclose(file);
    if (!schema)
        fail_msg("%s: %s is not JSON: %s", file_name, name, at.text);
    return schema;
}

static struct operation *find(const char *method, const char *path)
{
    for (int k = 0; k < operations; k++)
        if (strcmp(operation[k].method, method) == 0 && strcmp(operation[k].path, path) == 0)
            return &operation[k];
    fail_msg("%s %s is not in the contract", method, path);
    return NULL;
}

static int find_status(const struct operation *at, long status)
{
    for (int k = 0; k < at->statuses; k++)
        if (at->status[k] == status)
            return k;
    return -1;
}

bool contract_operation(int index, const char **ret_method, const char **ret_path)
{
    if (index >= operations)
        return false;
    *ret_method = operation[index].method;
    *ret_path = operation[index].path;
    return true;
}

bool contract_lets(int index, const char *scope)
{
    const char *security = operation[index].security;
    char alone[32];

    assert_true(security[0] == '[');
    if (strcmp(security, "[]") == 0 || strcmp(security, "[{bearer: []}]") == 0)
        return true;
    snprintf(alone, sizeof alone, "[%s]", scope);
    if (strstr(security, alone))
        return true;
    bool reads = strcmp(scope, "train") == 0 || strcmp(scope, "admin") == 0;
    return reads && strstr(security, "[read]");
}

bool contract_has(const char *method, const char *path, long status)
{
    return find_status(find(method, path), status) >= 0;
}

void contract_met(const char *method, const char *path, long status)
{
    struct operation *at = find(method, path);
    int known = find_status(at, status);

    if (known >= 0) {
        at->was_met[known] = true;
        return;
    }
    for (size_t k = 0; k < sizeof anything / sizeof *anything && at->has_default; k++)
        if (anything[k] == status)
            return;
    fail_msg("%s %s: the contract has no status %ld", method, path, status);
}

void contract_assert_all_met(long least, long most, bool (*is_asked)(const char *path))
{
    int missing = 0;

    for (int k = 0; k < operations; k++) {
        const struct operation *at = &operation[k];
        if (is_asked && !is_asked(at->path))
            continue;
        for (int s = 0; s < at->statuses; s++) {
            if (at->status[s] < least || at->status[s] > most || at->was_met[s])
                continue;
            print_error("never met: %s %s %ld\n", at->method, at->path, at->status[s]);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}
