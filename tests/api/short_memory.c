/* See failing.h. */
#include "tests/api/failing.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

/* glibc's own names of its allocator. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static void *counted(void *block)
{
    struct failing *failing = failing_shared();

    if (failing && block)
        atomic_fetch_add(&failing->alive, 1);
    return block;
}

/* Returns whether this allocation is the one to fail. */
static bool is_short(void)
{
    if (!failing_is_due(FAILING_MEMORY))
        return false;
    if (atomic_load(&failing_shared()->leaves))
        counted(__libc_malloc(1));
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return is_short() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return is_short() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
    if (is_short())
        return NULL;
    return block ? __libc_realloc(block, size) : counted(__libc_realloc(NULL, size));
}

void free(void *block)
{
    struct failing *failing = failing_shared();

    if (failing && block)
        atomic_fetch_sub(&failing->alive, 1);
    __libc_free(block);
}
