/* See short_memory.h. */
#include "tests/api/short_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* glibc's own names of its allocator. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static struct short_memory *_Atomic shared;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv(SHORT_MEMORY_FILE);

    if (!path || strcmp(program_invocation_short_name, "rinkd") != 0)
        return;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *map = fd >= 0 ? mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                        : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    if (map != MAP_FAILED)
        atomic_store(&shared, map);
}

static void *counted(void *block)
{
    struct short_memory *memory = atomic_load(&shared);

    if (memory && block)
        atomic_fetch_add(&memory->alive, 1);
    return block;
}

/* Returns whether this allocation is the one to fail. */
static bool is_short(void)
{
    struct short_memory *memory = atomic_load(&shared);
    long at = memory ? atomic_load(&memory->fails_at) : 0;

    if (at == 0)
        return false;
    long number = atomic_fetch_add(&memory->asked, 1) + 1;
    if (number != at && !(number > at && atomic_load(&memory->for_ever)))
        return false;
    if (atomic_load(&memory->leaves))
        counted(__libc_malloc(1));
    atomic_store(&memory->has_failed, true);
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
    struct short_memory *memory = atomic_load(&shared);

    if (memory && block)
        atomic_fetch_sub(&memory->alive, 1);
    __libc_free(block);
}
