/* The rows of architectures.h as a table. */
#include "models/tables/architectures.h"

#include <stdio.h>
#include <string.h>

enum { HERE, BY_TORCH };

static const struct network_architecture rows[] = {
#define ROW(name, made, sees, rows, sizes, about, ...) \
    {#name, about, made == BY_TORCH, POLICY_SEES_##sees, rows, {__VA_ARGS__}},
    NETWORK_ARCHITECTURES(ROW)
#undef ROW
};

enum { ROWS = sizeof rows / sizeof rows[0] };

const struct network_architecture *network_architecture_find(const char *name)
{
    for (int k = 0; k < ROWS; k++)
        if (strcmp(rows[k].name, name) == 0)
            return &rows[k];
    return NULL;
}

const char *network_architecture_list(char ret_text[NETWORK_LIST_MAX])
{
    size_t used = 0;

    ret_text[0] = '\0';
    for (int k = 0; k < ROWS && used < NETWORK_LIST_MAX; k++)
        used += (size_t)snprintf(ret_text + used, NETWORK_LIST_MAX - used, "%s%s", k ? ", " : "",
                                 rows[k].name);
    return ret_text;
}
