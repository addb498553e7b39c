/* A call that is made on another thread after some time, unless the alarm is taken back before. */
#ifndef RINKD_WORKERS_SEARCH_ALARM_H
#define RINKD_WORKERS_SEARCH_ALARM_H

struct alarm;

/* Calls ring(context) once in `delay_s` seconds from now, at once if that is not positive. Give the
 * alarm to alarm_free() in any case. NULL when memory or threads are short. */
struct alarm *alarm_set(double delay_s, void (*ring)(void *context), void *context);

/* Takes the alarm back. When it returns the call has been made or never will be. NULL is fine. */
void alarm_free(struct alarm *alarm);

#endif
