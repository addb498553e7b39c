/* The progress bar. */
#include "workers/progress.h"

#include "api/base/clock.h"

#include <stdio.h>
#include <unistd.h>

#define BAR_WIDTH  30
#define INTERVAL_S 0.1

static void draw(const struct progress *progress, int64_t done, const char *note)
{
    char bar[BAR_WIDTH + 1], left[32] = "";
    double elapsed_s = progress->drawn_s - progress->start_s;
    int64_t fresh = done - progress->skipped;

    for (int k = 0; k < BAR_WIDTH; k++)
        bar[k] = (double)k * (double)progress->total < (double)done * BAR_WIDTH ? '#' : '-';
    bar[BAR_WIDTH] = '\0';
    if (fresh > 0) {
        double left_s = elapsed_s / (double)fresh * (double)(progress->total - done);
        snprintf(left, sizeof left, "  %d:%02d:%02d left", (int)(left_s / 3600.0),
                 (int)(left_s / 60.0) % 60, (int)left_s % 60);
    }
    fprintf(stderr, "\r[%s] %lld/%lld%s  %s\033[K", bar, (long long)done,
            (long long)progress->total, left, note ? note : "");
    fflush(stderr);
}

struct progress progress_start(int64_t total)
{
    struct progress progress = {.shown = isatty(STDERR_FILENO), .total = total};

    progress.start_s = progress.drawn_s = clock_now_s();
    if (progress.shown)
        draw(&progress, 0, NULL);
    return progress;
}

void progress_update(struct progress *progress, int64_t done, bool resumed, const char *note)
{
    if (resumed)
        progress->skipped = done;
    if (!progress->shown)
        return;
    double now = clock_now_s();
    if (now - progress->drawn_s < INTERVAL_S && done < progress->total)
        return;
    progress->drawn_s = now;
    draw(progress, done, note);
}

void progress_show(void *progress, int64_t done, bool resumed)
{
    progress_update(progress, done, resumed, NULL);
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
}
