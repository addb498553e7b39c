/* See short_lines.h. */
#include "tests/unit/short_lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

static int left;

void short_lines_fail(int n)
{
    left = n;
}

/* As libc does: neither feof() nor ferror() tells it. */
static bool is_due(void)
{
    bool fails = left > 0 && --left == 0;

    if (fails)
        errno = ENOMEM;
    return fails;
}

/* The linker's names; getline() of <stdio.h> may be a call of __getdelim(). */
ssize_t __real_getdelim(char **line, size_t *room, int end, FILE *file);
ssize_t __wrap_getdelim(char **line, size_t *room, int end, FILE *file);
ssize_t __wrap___getdelim(char **line, size_t *room, int end, FILE *file);
ssize_t __wrap_getline(char **line, size_t *room, FILE *file);

ssize_t __wrap_getdelim(char **line, size_t *room, int end, FILE *file)
{
    return is_due() ? -1 : __real_getdelim(line, room, end, file);
}

ssize_t __wrap___getdelim(char **line, size_t *room, int end, FILE *file)
{
    return __wrap_getdelim(line, room, end, file);
}

ssize_t __wrap_getline(char **line, size_t *room, FILE *file)
{
    return __wrap_getdelim(line, room, '\n', file);
}
