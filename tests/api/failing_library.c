/* The library's side of failing.h. */
#include "tests/api/failing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct failing *_Atomic shared;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv(FAILING_FILE);

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

struct failing *failing_shared(void)
{
    return atomic_load(&shared);
}

bool failing_is_due(enum failing_call call)
{
    struct failing *failing = failing_shared();
    long at = failing ? atomic_load(&failing->fails_at) : 0;

    if (at == 0 || atomic_load(&failing->call) != (int)call)
        return false;
    long number = atomic_fetch_add(&failing->asked, 1) + 1;
    if (number != at && !(number > at && atomic_load(&failing->for_ever)))
        return false;
    atomic_store(&failing->has_failed, true);
    return true;
}
