/* See crash.h. */
#include "tests/crash/crash.h"

#include "tests/patience.h"

#include "api/base/clock.h"

#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

void crash_sleep_s(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds};

    time.tv_nsec = (long)(1e9 * (seconds - (double)time.tv_sec));
    nanosleep(&time, NULL);
}

/* SplitMix64: Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014. */
uint64_t crash_random(uint64_t *state, uint64_t below)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % below;
}

void crash_adopt(void)
{
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
}

/* Returns false if the process has ended. */
static bool read_parent(int pid, char *ret_state, int *ret_parent)
{
    char path[64], text[512];

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    const char *name_end = strrchr(text, ')'); /* the name may contain any character */
    return name_end && sscanf(name_end + 1, " %c %d", ret_state, ret_parent) == 2;
}

int crash_orphans(pid_t except)
{
    DIR *processes = opendir("/proc");
    int alive = 0;

    assert_non_null(processes);
    for (struct dirent *entry; (entry = readdir(processes));) {
        int pid = atoi(entry->d_name), parent;
        char state;
        if (!isdigit((unsigned char)*entry->d_name) || !read_parent(pid, &state, &parent) ||
            parent != getpid() || pid == except)
            continue;
        if (state == 'Z')
            waitpid(pid, NULL, 0);
        else
            alive++;
    }
    closedir(processes);
    return alive;
}

double crash_start(struct daemon_process *daemon, const char *const *flags)
{
    double start_s = clock_now_s();

    daemon_start_well(daemon, flags);
    daemon_wait_ready(daemon);
    return clock_now_s() - start_s;
}

void crash_times_add(struct crash_times *times, double s)
{
    double *more = realloc(times->s, (size_t)(times->count + 1) * sizeof *more);

    assert_non_null(more);
    times->s = more;
    more[times->count++] = s;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void crash_times_print(struct crash_times *times, const char *name)
{
    int count = times->count;

    if (count > 0) {
        qsort(times->s, (size_t)count, sizeof *times->s, by_size);
        printf("%s: p50 %.0f ms, p99 %.0f ms, max %.0f ms (%d)\n", name, 1e3 * times->s[count / 2],
               1e3 * times->s[count * 99 / 100], 1e3 * times->s[count - 1], count);
    }
    free(times->s);
    *times = (struct crash_times){.count = 0};
}

struct reply crash_call(const _Atomic int *port, const struct client_call *call)
{
    for (double end_s = 0; patience_left(&end_s); crash_sleep_s(0.002)) {
        struct reply reply = client_call(*port, call);
        bool is_whole = reply.status == 204 || reply.json;
        if (is_whole && reply.status != 429 && reply.status != 503)
            return reply;
        reply_free(&reply);
    }
    fail_msg("%s gets no answer", call->path);
    return (struct reply){0};
}
