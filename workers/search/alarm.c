/* A thread that waits for its time or for alarm_free(). See alarm.h. */
#include "workers/search/alarm.h"

#include "api/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

struct alarm {
    void (*ring)(void *context);
    void *context;
    struct timespec when; /* CLOCK_MONOTONIC */
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t off;
    bool is_off;
    pthread_t thread;
};

static void *wait_and_ring(void *context)
{
    struct alarm *alarm = context;
    int error = 0;

    pthread_mutex_lock(&alarm->lock);
    while (!alarm->is_off && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&alarm->off, &alarm->lock, &alarm->when);
    bool is_due = !alarm->is_off;
    pthread_mutex_unlock(&alarm->lock);
    if (is_due)
        alarm->ring(alarm->context);
    return NULL;
}

struct alarm *alarm_set(double delay_s, void (*ring)(void *context), void *context)
{
    struct alarm *alarm = malloc(sizeof *alarm);
    double when_s = clock_now_s() + (delay_s > 0.0 ? delay_s : 0.0);
    pthread_condattr_t clock;

    if (!alarm)
        return NULL;
    *alarm = (struct alarm){.ring = ring, .context = context};
    alarm->when.tv_sec = (time_t)when_s;
    alarm->when.tv_nsec = (long)((when_s - (double)alarm->when.tv_sec) * 1e9);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&alarm->lock, NULL);
    pthread_cond_init(&alarm->off, &clock);
    pthread_condattr_destroy(&clock);
    if (pthread_create(&alarm->thread, NULL, wait_and_ring, alarm) == 0)
        return alarm;
    pthread_cond_destroy(&alarm->off);
    pthread_mutex_destroy(&alarm->lock);
    free(alarm);
    return NULL;
}

void alarm_free(struct alarm *alarm)
{
    if (!alarm)
        return;
    pthread_mutex_lock(&alarm->lock);
    alarm->is_off = true;
    pthread_cond_signal(&alarm->off);
    pthread_mutex_unlock(&alarm->lock);
    pthread_join(alarm->thread, NULL);
    pthread_cond_destroy(&alarm->off);
    pthread_mutex_destroy(&alarm->lock);
    free(alarm);
}
