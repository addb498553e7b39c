/* Writes and reads RFC 3339. */
#include "api/base/time_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

bool time_write(int64_t ms, char ret_text[TIME_TEXT_MAX])
{
    int64_t second = ms / 1000 - (ms % 1000 < 0);
    int fraction = (int)(ms % 1000 + (ms % 1000 < 0 ? 1000 : 0));
    time_t seconds = (time_t)second;
    struct tm utc;
    char day[40];

    if (!gmtime_r(&seconds, &utc) || strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &utc) == 0)
        return false;
    snprintf(ret_text, TIME_TEXT_MAX, "%s.%03dZ", day, fraction);
    return true;
}

/* Reads a number of `digits` digits in least..most and then `end` (0: none), and moves on. */
static bool take(const char **text, int digits, int least, int most, char end, int *ret_number)
{
    int number = 0;

    for (int k = 0; k < digits; k++, (*text)++) {
        if (!isdigit((unsigned char)**text))
            return false;
        number = 10 * number + **text - '0';
    }
    if (number < least || number > most || (end && *(*text)++ != end))
        return false;
    *ret_number = number;
    return true;
}

/* Reads ".123"; nothing is 0. */
static bool take_fraction(const char **text, int *ret_ms)
{
    int scale = 100;

    *ret_ms = 0;
    if (**text != '.')
        return true;
    if (!isdigit((unsigned char)*++*text))
        return false;
    for (; isdigit((unsigned char)**text); (*text)++, scale /= 10)
        *ret_ms += (**text - '0') * scale;
    return true;
}

/* Reads "Z", "+02:00" or "-02:00". */
static bool take_offset(const char **text, int *ret_minutes)
{
    int hours, minutes, sign = **text == '-' ? -1 : 1;

    *ret_minutes = 0;
    if (**text == 'Z') {
        (*text)++;
        return true;
    }
    if (*(*text) != '+' && **text != '-')
        return false;
    (*text)++;
    if (!take(text, 2, 0, 23, ':', &hours) || !take(text, 2, 0, 59, 0, &minutes))
        return false;
    *ret_minutes = sign * (60 * hours + minutes);
    return true;
}

bool time_read(const char *text, int64_t *ret_ms)
{
    struct tm day = {0};
    int ms = 0, offset = 0;

    if (!take(&text, 4, 1970, 9999, '-', &day.tm_year) ||
        !take(&text, 2, 1, 12, '-', &day.tm_mon) || !take(&text, 2, 1, 31, 0, &day.tm_mday))
        return false;
    if (*text == 'T') {
        text++;
        if (!take(&text, 2, 0, 23, ':', &day.tm_hour) || !take(&text, 2, 0, 59, ':', &day.tm_min) ||
            !take(&text, 2, 0, 60, 0, &day.tm_sec) || !take_fraction(&text, &ms) ||
            !take_offset(&text, &offset))
            return false;
    }
    day.tm_year -= 1900;
    day.tm_mon -= 1;
    int wanted = day.tm_mday, second = day.tm_sec;
    time_t seconds = timegm(&day);
    if (*text || (day.tm_mday != wanted && second != 60))
        return false;
    *ret_ms = ((int64_t)seconds - 60 * offset) * 1000 + ms;
    return true;
}
