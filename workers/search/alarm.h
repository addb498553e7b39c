/* Calls a function on another thread after a delay, unless the alarm is cancelled first. */
#ifndef RINKD_WORKERS_SEARCH_ALARM_H
#define RINKD_WORKERS_SEARCH_ALARM_H

struct alarm;

/* Calls ring(context) once, `delay_s` seconds from now; at once if the delay is not positive. The
 * caller owns the alarm and gives it to alarm_free(). NULL when memory or threads are short. */
struct alarm *alarm_set(double delay_s, void (*ring)(void *context), void *context);

/* Cancels the alarm. When this returns, the call has been made or never will be. NULL is fine. */
void alarm_free(struct alarm *alarm);

#endif
