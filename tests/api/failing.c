/* The test's side of failing.h. */
#include "tests/api/failing.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

struct failing *failing_make(const struct daemon_process *daemon)
{
    char path[160];

    snprintf(path, sizeof path, "%s/failing", daemon->folder);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct failing *failing;
    assert_int_equal(ftruncate(fd, sizeof *failing), 0);
    failing = mmap(NULL, sizeof *failing, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(failing != MAP_FAILED);
    close(fd);
    setenv(FAILING_FILE, path, 1);
    return failing;
}

void failing_arm(struct failing *failing, enum failing_call call, long n, bool for_ever)
{
    atomic_store(&failing->call, (int)call);
    atomic_store(&failing->asked, 0);
    atomic_store(&failing->has_failed, false);
    atomic_store(&failing->for_ever, for_ever);
    atomic_store(&failing->fails_at, n);
}

bool failing_disarm(struct failing *failing)
{
    atomic_store(&failing->fails_at, 0);
    return atomic_load(&failing->has_failed);
}

bool failing_start(struct daemon_process *daemon, const char *library, const char *const *flags,
                   int *ret_status)
{
    setenv("LD_PRELOAD", library, 1);
    bool started = daemon_start(daemon, flags, ret_status);
    unsetenv("LD_PRELOAD");
    return started;
}
