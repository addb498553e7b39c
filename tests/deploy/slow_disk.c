/* Loaded before the C library (LD_PRELOAD), it makes each write to the disk take SLOW_DISK_MS
 * longer, for alerts.sh. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void wait_a_little(void)
{
    const char *ms = getenv("SLOW_DISK_MS");
    long wait_ms = ms ? atol(ms) : 0;

    nanosleep(&(struct timespec){wait_ms / 1000, wait_ms % 1000 * 1000000}, NULL);
}

int fdatasync(int fd)
{
    wait_a_little();
    return (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd)
{
    wait_a_little();
    return (int)syscall(SYS_fsync, fd);
}
